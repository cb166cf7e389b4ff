-- What a script does to break things ends in plain errors.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local finalize = support.finalize

-- What on_fallback prints would be in the way.
local shown = io.stderr
setup(function() rawset(io, "stderr", { write = function() end }) end)
teardown(function() rawset(io, "stderr", shown) end)

local function nothing() end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

-- One of everything that a script can hold.
local function everything()
  local world = ecs.world {}
  local entity = world:spawn(Position)
  local query = world:query { Position }
  local things = {
    world, query, Position, Position { x = 1 }, Enemy, entity,
    io.stdout, coroutine.create(nothing), nothing, {}, "text", true, 0, -1, 1.5,
    2 ^ 53, 0 / 0, 1 / 0,
  }
  query:batch(function(batch)
    things[#things + 1] = batch
    things[#things + 1] = batch.Position
    things[#things + 1] = batch.Position.x
    things[#things + 1] = batch.entities
  end)
  query:each(function(row) things[#things + 1] = row end)
  local step, loop = query:rows()
  things[#things + 1] = step
  things[#things + 1] = loop or step
  things[#things + 1] = select(2, step(loop))
  return things, world, query
end

describe("metatables", function()
  it("are hidden", function()
    local _, world, query = everything()
    for _, object in ipairs { world, query, Position, Position {} } do
      assert.is_false(getmetatable(object))
    end
  end)

  it("put on another userdata make no world of it", function()
    local _, world, query = everything()
    local forged = io.tmpfile()
    local own = debug.getmetatable(forged)
    for _, object in ipairs { world, query, Position, Position {} } do
      debug.setmetatable(forged, debug.getmetatable(object))
      for _, method in ipairs { world.spawn, world.get, world.close,
          world.hash, query.count, query.batch, query.explain, query.add,
          query.remove, query.set, query.destroy, query.first, query.each,
          query.rows } do
        assert.is_false((pcall(method, forged, nothing)))
      end
      assert.is_false((pcall(world.spawn, world, forged)))
      pcall(debug.getmetatable(object).__gc or nothing, forged)
    end
    debug.setmetatable(forged, own)
    forged:close()
    assert.equal(1, query:count())
  end)

  it("exchanged between our objects make plain errors", function()
    local _, world, query = everything()
    local a, b = debug.getmetatable(world), debug.getmetatable(query)
    debug.setmetatable(world, b)
    debug.setmetatable(query, a)
    assert.is_false((pcall(b.__index.count, world)))
    assert.is_false((pcall(a.__index.spawn, query)))
    pcall(a.__gc, query)
    pcall(b.__gc, world)
    debug.setmetatable(world, a)
    debug.setmetatable(query, b)
    assert.equal(1, query:count())
  end)

  it("have finalizers that can be called at any time", function()
    local _, world, query = everything()
    local finish = debug.getmetatable(query).__gc
    finish(query)
    finish(query)
    assert.is_false((pcall(query.count, query)))
    query = world:query { Position }
    finish = debug.getmetatable(world).__gc
    finish(world)
    finish(world)
    assert.is_false((pcall(query.count, query)))
    assert.is_false((pcall(world.spawn, world)))
  end)

  it("have finalizers that can be called inside a walk", function()
    local _, world, query = everything()
    local ok, text = pcall(query.batch, query, function(batch)
      local x = batch.Position.x
      x[1] = 1
      debug.getmetatable(query).__gc(query)
      debug.getmetatable(world).__gc(world)
      x[1] = x[1] + 1
      world:spawn(Position)
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed inside", 1, true), text)
    assert.equal("ecs.World (closed)", tostring(world))
  end)
end)

describe("the functions of a row", function()
  it("serve that row alone", function()
    local _, _, query = everything()
    local first, other
    query:each(function(row)
      query = nil
      first = row
    end)
    for _, row in ecs.world {}:query({ Position }):rows() do other = row end
    assert.is_nil(other)
    local meta = debug.getmetatable(first)
    for _, name in ipairs { "__index", "__newindex", "__tostring" } do
      for _, thing in ipairs { io.stdout, {}, 0, "x" } do
        pcall(meta[name], thing, "x", 1)
      end
      pcall(meta[name])
    end
    assert.is_false((pcall(meta.__index, io.stdout, "x")))
    assert.is_false((pcall(meta.__index, first, "x")))
  end)

  it("survive other metatables", function()
    local _, _, query = everything()
    for _, row in query:rows() do
      local meta = debug.getmetatable(row)
      local forged = io.tmpfile()
      local own = debug.getmetatable(forged)
      debug.setmetatable(forged, meta)
      pcall(function() return forged.x end)
      pcall(function() forged.x = 1 end)
      debug.setmetatable(forged, own)
      forged:close()
      debug.setmetatable(row, nil)
      collectgarbage()
      pcall(meta.__index, row, "x")
      debug.setmetatable(row, meta)
      -- Generated code knows its row without being told; it is no other's.
      assert.is_true(row.x == 0 or row.x == 1)
    end
    assert.equal(1, query:count())
  end)

  it("survive finalizers called by hand", function()
    local _, world, query = everything()
    world:spawn(Position)
    local steps = 0
    local ok, text = pcall(function()
      for _, row in query:rows() do
        steps = steps + 1
        debug.getmetatable(query).__gc(query)
        assert.equal(0, row.x) -- nothing has moved
        world:spawn(Position)
        assert.is_false((pcall(function() return row.x end)))
        debug.getmetatable(world).__gc(world)
        assert.is_false((pcall(function() return row.x end)))
        assert.is_false((pcall(function() row.x = 1 end)))
      end
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed", 1, true), text)
    assert.equal(1, steps)
    _, world, query = everything()
    ok, text = pcall(query.each, query, function(row)
      row.x = 1
      debug.getmetatable(query).__gc(query)
      debug.getmetatable(world).__gc(world)
      row.x = row.x + 1
      assert.equal(2, row.x)
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed inside", 1, true), text)
    assert.equal("ecs.World (closed)", tostring(world))
  end)
end)

describe("every function", function()
  -- A run under a sanitizer is slow: there not all thirds are taken.
  local stride = os.getenv "ECS_SPEC_SHORT" and 9 or 1

  -- Calls f with every combination of up to three things.
  local function assail(f, things, self)
    for at, a in ipairs(self and { self } or things) do
      pcall(f, a)
      for k, b in ipairs(things) do
        pcall(f, a, b)
        for third = (at + k) % stride + 1, #things, stride do
          pcall(f, a, b, things[third])
        end
      end
    end
  end

  it("of a world survives every kind of argument", function()
    for name, method in pairs(debug.getmetatable(ecs.world {}).__index) do
      if name ~= "progress" then
        local things, world = everything()
        assail(method, things, world)
        if pcall(world.hash, world) then world:progress(1) end
      end
    end
  end)

  it("of a query survives every kind of argument", function()
    local things, world, query = everything()
    for _, method in pairs(debug.getmetatable(query).__index) do
      assail(method, things, query)
      assail(method, things)
    end
    assert.is_true(pcall(world.hash, world))
  end)

  it("of the module survives every kind of argument", function()
    local things = everything()
    for _, f in pairs(ecs) do
      if type(f) == "function" then assail(f, things) end
    end
  end)

  it("of ecs.core survives every kind of argument", function()
    for name, f in pairs(core) do
      if type(f) == "function" and name ~= "share" and name ~= "install" then
        assail(f, (everything()))
      end
    end
    assert.is_false((pcall(core.share, "build", 3)))
    assert.is_false((pcall(core.share, "other", {})))
    assert.is_false((pcall(core.install, "ecs.View", {})))
    assert.is_false((pcall(core.share, "rows", 3)))
  end)

  it("of a closed world raises", function()
    local world = ecs.world {}
    world:close()
    for name, method in pairs(debug.getmetatable(world).__index) do
      if name ~= "close" then
        local ok, text = pcall(method, world, 1, Position, "x")
        assert.is_false(ok, name)
        assert.truthy(text:find("closed", 1, true), name .. ": " .. text)
      end
    end
  end)
end)

describe("the collector", function()
  it("may run at any allocation", function()
    local pause = collectgarbage("setpause", 1)
    local step = collectgarbage("setstepmul", 10000)
    local world = ecs.world {}
    for k = 1, 100 do
      world:spawn(Position { x = k }, Enemy)
      local query = world:query { Position, with = { Enemy } }
      query:batch(function(batch)
        collectgarbage("step")
        batch.Position.x[1] = batch.Position.x[1] + 1
      end)
      if k % 50 == 0 then collectgarbage() end
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    assert.equal(100, world:query({ Position }):count())
  end)

  it("finds worlds, queries and the batches that scripts kept", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local world = ecs.world {}
      world:spawn(Position)
      local query, kept = world:query { Position }, nil
      query:batch(function(batch) kept = { batch, batch.Position.x } end)
      world:system { name = "s", query = query, batch = function()
        return world, kept
      end }
      world:progress(1)
      weak[world], weak[query] = true, true
    end
    collectgarbage()
    collectgarbage()
    collectgarbage()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 4, left .. " are left")
  end)
end)

describe("a finalizer that closes the world", function()
  local ROUNDS = os.getenv "ECS_SPEC_SHORT" and 80 or 400
  local components = {}
  for k = 1, 60 do
    components[k] = ecs.component("Hostile" .. k, { x = "f32", y = "f64" })
  end
  local unpack = table.unpack or unpack

  local calm
  before_each(function() calm = support.hurry_collector() end)
  after_each(function() calm() end)

  -- Each calls one function; what it says about a closed world is fine.
  local calls = {
    spawn = function(world) world:spawn(unpack(components)) end,
    group = function(world) world:group { unpack(components) } end,
    query = function(world) world:query { unpack(components) } end,
    explain = function(_, query) query:explain() end,
    count = function(_, query) query:count() end,
    first = function(_, query) query:first() end,
    bulk_add = function(_, query) query:add(components[50]) end,
    bulk_set = function(_, query) query:set(components[50] { x = 1 }) end,
    bulk_remove = function(_, query) query:remove(components[1]) end,
    bulk_destroy = function(_, query) query:destroy() end,
    batch = function(_, query) query:batch(nothing) end,
    each = function(_, query) query:each(nothing) end,
    rows = function(_, query)
      for _, row in query:rows() do row.x = row.x + 1 end
    end,
    components = function(world, _, e) world:components(e) end,
    add = function(world, _, e) world:add(e, components[50]) end,
    set = function(world, _, e) world:set(e, components[50], "x", 1) end,
    get = function(world, _, e) world:get(e, components[1]) end,
    progress = function(world) world:progress(1) end,
    spawn_many = function(world)
      world:spawn_many(3, { unpack(components) }, nothing)
    end,
  }

  for name, call in pairs(calls) do
    it("may come at any moment of " .. name, function()
      -- When the collector comes is its own affair: until it has, once.
      local closed, round = 0, 0
      while round < ROUNDS or (closed == 0 and round < 10000) do
        round = round + 1
        local world = ecs.world {}
        local entity = world:spawn(components[1], components[2])
        local query = world:query { components[1] }
        world:system { name = "s", query = query, batch = nothing }
        for _ = 1, 8 do
          finalize(function()
            if pcall(world.close, world) then closed = closed + 1 end
          end)
        end
        -- Moves the collector's next step to another place in every round.
        local garbage = {}
        for k = 1, round * 7 % 150 do garbage[k] = { k } end
        local ok, text = pcall(call, world, query, entity, garbage)
        assert.is_true(ok or text:find("closed", 1, true) ~= nil, text)
      end
      assert.is_true(closed > 0)
    end)
  end

  it("is refused inside a walk", function()
    local world = ecs.world {}
    world:spawn(Position)
    local ran, refused = 0, 0
    world:query { Position }:batch(function(batch)
      finalize(function()
        ran = ran + 1
        if not pcall(world.close, world) then refused = refused + 1 end
      end)
      collectgarbage()
      collectgarbage()
      batch.Position.x[1] = 5
    end)
    assert.equal(1, ran)
    assert.equal(1, refused)
    assert.equal(1, world:query({ Position }):count())
  end)
end)

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
