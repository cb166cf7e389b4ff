-- Systems and progress.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy = scene.Position, scene.Velocity, scene.Enemy

describe("a system", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("of kind batch gets batches and dt", function()
    local entity = world:spawn(Position, Velocity { x = 4 })
    world:system {
      name = "move", query = { Position, read = { Velocity } },
      batch = function(batch, dt)
        local p, v = batch[Position], batch[Velocity]
        for i = 1, batch.count do p.x[i] = p.x[i] + v.x[i] * dt end
      end,
    }
    world:progress(0.5)
    world:progress(0.25)
    assert.equal(3, world:get(entity, Position, "x"))
  end)

  it("of kind run gets the world and dt", function()
    local seen
    world:system { name = "look", run = function(...) seen = { ... } end }
    world:progress(0.125)
    assert.same({ world, 0.125 }, seen)
  end)

  it("runs in order of definition, and is replaced in its place", function()
    local order = {}
    local function note(name)
      world:system { name = name, run = function()
        order[#order + 1] = name
      end }
    end
    note "a"
    note "b"
    note "c"
    world:progress(1)
    assert.equal("abc", table.concat(order))
    world:system { name = "b", run = function() order[#order + 1] = "B" end }
    world:progress(1)
    assert.equal("abcaBc", table.concat(order))
  end)

  it("can use a query that was made before", function()
    world:spawn(Position)
    local query, count = world:query { Position }, 0
    world:system { name = "count", query = query, batch = function(batch)
      count = count + batch.count
    end }
    world:progress(1)
    assert.equal(1, count)
    refuses(function()
      ecs.world {}:system { name = "x", query = query, batch = print }
    end, "another world")
  end)

  it("sees what earlier systems of the frame changed", function()
    local counts = {}
    world:system { name = "spawn", query = { all = true }, batch = function()
      world:spawn(Enemy)
    end }
    world:system { name = "count", run = function()
      counts[#counts + 1] = world:query({ Enemy }):count()
    end }
    world:spawn()
    world:progress(1)
    assert.same({ 1 }, counts)
  end)

  it("that is not one is refused with what is missing", function()
    refuses(function() world:system "move" end, "table")
    refuses(function() world:system { run = print } end, "name")
    refuses(function() world:system { name = "" } end, "name")
    refuses(function() world:system { name = "s" } end, "'s'",
      "nothing to do")
    refuses(function() world:system { name = "s", run = 3 } end,
      "run is a function")
    refuses(function()
      world:system { name = "s", run = print, batch = print }
    end, "both batch and run")
    refuses(function() world:system { name = "s", batch = print } end,
      "needs a query")
    refuses(function()
      world:system { name = "s", query = { Position }, run = print }
    end, "run takes no query")
    refuses(function()
      world:system { name = "s", query = { "Position" }, batch = print }
    end, "system 's'", "string")
    refuses(function()
      world:system { name = "s", qery = { Position }, batch = print }
    end, "'qery'")
    world:progress(1)
  end)
end)

describe("progress", function()
  local world
  before_each(function()
    world = ecs.world {}
    world:spawn(Position)
  end)

  it("takes a finite number", function()
    for _, dt in ipairs { 0 / 0, 1 / 0, -1 / 0, "1", {}, true } do
      refuses(function() world:progress(dt) end, "seconds")
    end
    refuses(function() world:progress() end, "seconds")
    world:progress(0)
  end)

  it("raises a system's error with its name, and ends the frame", function()
    local later = 0
    world:system { name = "fails", query = { Position }, batch = function()
      error "boom"
    end }
    world:system { name = "later", run = function() later = later + 1 end }
    local ok, text = pcall(world.progress, world, 1)
    assert.is_false(ok)
    assert.truthy(text:match("system_spec.lua:%d+: boom"), text)
    assert.truthy(text:find("(in system 'fails')", 1, true), text)
    assert.equal(0, later)
    world:system { name = "fails", run = function() end }
    world:progress(1)
    assert.equal(1, later)
  end)

  it("passes an error that is no string through", function()
    local thrown = setmetatable({}, { __tostring = function() error "no" end })
    for _, kind in ipairs { "batch", "run" } do
      world:system { name = "fails", [kind] = function() error(thrown) end,
        query = kind == "batch" and { Position } or nil }
      local ok, caught = pcall(world.progress, world, 1)
      assert.is_false(ok)
      assert.equal(thrown, caught)
    end
  end)

  it("blames its own caller for a misuse of columns", function()
    world:system { name = "wrong", query = { read = { Position } },
      batch = function(batch) batch.Position.x[1] = 3 end }
    refuses(function() world:progress(1) end, "Position is only read",
      "system 'wrong'")
  end)

  it("cannot run inside itself", function()
    local text
    world:system { name = "again", run = function()
      text = select(2, pcall(world.progress, world, 1))
    end }
    world:progress(1)
    assert.truthy(text:find("running already", 1, true), text)
    world:progress(1)
  end)

  it("cannot be yielded out of", function()
    for _, kind in ipairs { "batch", "run" } do
      world:system { name = "yields", [kind] = function()
        coroutine.yield()
      end, query = kind == "batch" and { Position } or nil }
      local thread = coroutine.create(function() world:progress(1) end)
      local ok, text = coroutine.resume(thread)
      assert.is_false(ok)
      assert.truthy(tostring(text):find("yield", 1, true), text)
      assert.equal("dead", coroutine.status(thread))
    end
    assert.equal(1, world:query({ Position }):count())
  end)

  it("ends when a system closes the world", function()
    local later = false
    world:system { name = "quit", run = function() world:close() end }
    world:system { name = "later", run = function() later = true end }
    world:progress(1)
    assert.is_false(later)
    assert.equal("ecs.World (closed)", tostring(world))
  end)
end)
