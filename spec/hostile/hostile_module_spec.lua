-- What a script gives to the module itself: lists that change or claim to be
-- long, odd fields, and replacements for parts of the module.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position

describe("the terms of a query", function()
  it("are read once", function()
    local Narrow = ecs.component("Narrow", { x = "u8" })
    local Wide = ecs.component("WideTerms", { a = "f64", b = "f64", c = "f64" })
    local world = ecs.world {}
    for _ = 1, 100 do world:spawn(Narrow { x = 7 }) end
    local terms = { Narrow, "write" }
    local query = core.query(world, terms, "q")
    terms[1], terms[3], terms[4] = Wide, Wide, "write"
    local sum, found = 0, nil
    query:batch(function(batch)
      found = pcall(function() return batch.WideTerms end)
      for i = 1, batch.count do sum = sum + batch.Narrow.x[i] end
    end)
    assert.equal(700, sum)
    assert.is_false(found)
  end)
end)

describe("a list that claims to be long", function()
  it("is refused before it is read", function()
    local world, list, query = ecs.world {}, {}, { Position, "write" }
    for k = 1, 5000 do list[k], query[k] = Position, Position end
    for name, call in pairs {
      group = function() world:group(list) end,
      spawn_many = function() world:spawn_many(1, list) end,
      query = function() core.query(world, query, "q") end,
    } do
      local ok, text = pcall(call)
      assert.is_false(ok)
      assert.truthy(text:find(name .. " takes a list of at most 4096", 1,
        true), text)
    end
  end)
end)

describe("the builder of views", function()
  it("cannot be replaced", function()
    local world, called = ecs.world {}, false
    world:spawn(Position { x = 3 })
    local function impostor() called = true end
    assert.is_false(core.share("build", impostor))
    assert.is_false(core.share("columns", impostor))
    assert.is_false(core.share("rows", impostor))
    local x
    world:query({ Position }):batch(function(batch) x = batch.Position.x[1] end)
    assert.equal(3, x)
    world:query({ Position }):each(function(row) x = x + row.x end)
    assert.equal(6, x)
    assert.is_false(called)
  end)

  it("is in no module, nor are the columns", function()
    assert.is_true(core.share("build"))
    assert.is_nil(core.share("columns"))
    assert.is_true(package.loaded["ecs.batch"])
    assert.is_nil(require("ecs.backend").columns)
    for _, name in ipairs { "ecs.ffi.columns_ffi", "ecs.columns_table",
        "ecs.ffi.rows_ffi" } do
      local loaded = package.loaded[name]
      assert.is_true(loaded == nil or loaded == true)
    end
  end)

  it("stays when its files are loaded again", function()
    for _, name in ipairs { "ecs.batch", "ecs.columns_table" } do
      local before = package.loaded[name]
      package.loaded[name] = nil
      assert.is_true((require(name)))
      package.loaded[name] = before
    end
    assert.is_nil(core.share("columns"))
  end)
end)

describe("a field", function()
  it("is a type or { type, default } and nothing else", function()
    for _, field in ipairs { { "i32", default = 100 }, { "i32", 1, 2 },
        { type = "i32" } } do
      local ok, text = pcall(ecs.component, "Odd", { hp = field })
      assert.is_false(ok)
      assert.truthy(text:find("{ type, default }", 1, true), text)
    end
  end)
end)

describe("loading the module again", function()
  it("gives one that knows the definitions of the first", function()
    local world, loaded = ecs.world {}, {}
    world:spawn(Position { x = 3 })
    for name, module in pairs(package.loaded) do
      if name:match "^ecs" then loaded[name] = module end
    end
    for name in pairs(loaded) do package.loaded[name] = nil end
    local again = require "ecs"
    assert.equal(Position, again.component("Position",
      { x = "f32", y = "f32" }))
    local sum = 0
    world:query({ read = { Position } }):batch(function(batch)
      sum = sum + batch.Position.x[1]
    end)
    assert.equal(3, sum)
    for name, module in pairs(loaded) do package.loaded[name] = module end
  end)
end)
