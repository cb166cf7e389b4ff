-- flush = "frame": the changes that systems make are applied in bulk at the end
-- of the frame. Errors are in flush_error_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, dice = support.refuses, support.dice

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Enemy, scene.Stunned

local world, first, second
before_each(function()
  world = ecs.world { flush = "frame" }
  first = world:spawn(Position { x = 1 })
  second = world:spawn(Position { x = 2 })
end)

local function run(f, name, phase)
  world:system { name = name or "s", phase = phase, run = f }
end

describe("the option flush", function()
  it("is 'system' or 'frame'", function()
    for _, flush in ipairs { "never", 1, true, {} } do
      refuses(function() ecs.world { flush = flush } end, "flush",
        "'system' or 'frame'")
    end
    local entity
    world = ecs.world { flush = "system" }
    run(function()
      entity = world:spawn(Enemy)
      assert.is_true(world:has(entity, Enemy))
    end)
    world:progress(1)
  end)

  it("changes nothing outside of frames", function()
    world:add(first, Enemy)
    assert.is_true(world:has(first, Enemy))
    world:query({ read = { Position } }):batch(function()
      world:remove(first, Enemy)
    end)
    assert.is_false(world:has(first, Enemy))
  end)
end)

describe("until the frame ends", function()
  it("queries, has and get answer as before", function()
    local count
    run(function()
      world:add(first, Enemy)
      world:remove(second, Position)
      world:set(second, Velocity { x = 3 })
      world:destroy(first)
      assert.is_false(world:has(first, Enemy))
      assert.equal(1, world:get(first, Position, "x"))
      assert.same({ x = 2, y = 0 }, world:get(second, Position))
      assert.is_nil(world:get(second, Velocity))
    end, "a")
    world:system { name = "b", query = { Position }, batch = function(batch)
      count = (count or 0) + batch.count
    end }
    run(function()
      assert.equal(2, world:query({ Position }):count())
      assert.equal(0, world:query({ Enemy }):count())
    end, "c", "last")
    world:progress(1)
    assert.equal(2, count)
    assert.is_false(world:alive(first))
    assert.is_false(world:has(second, Position))
    assert.equal(3, world:get(second, Velocity, "x"))
  end)

  it("a spawned entity is alive, has nothing, and takes changes of all",
    function()
      local new
      run(function() new = world:spawn(Velocity { y = 4 }) end, "a")
      run(function()
        assert.is_true(world:alive(new))
        assert.is_false(world:has(new, Velocity))
        assert.is_nil(world:get(new, Velocity))
        world:set(new, Velocity, "x", 9)
        world:add(new, Stunned)
      end, "b", "last")
      world:progress(1)
      assert.same({ x = 9, y = 4 }, world:get(new, Velocity))
      assert.is_true(world:has(new, Stunned))
    end)

  it("a destroyed entity is dead, and changes to it are dropped", function()
    run(function() assert.is_true(world:destroy(first)) end, "a")
    run(function()
      assert.is_false(world:alive(first))
      assert.is_false(world:destroy(first))
      world:add(first, Enemy)
      world:set(first, Position, "x", 7)
      assert.equal(2, world:stats().dropped)
      assert.equal(2, world:stats().entities)
    end, "b")
    world:progress(1)
    assert.equal(2, world:stats().dropped)
    assert.equal(1, world:stats().entities)
  end)

  it("values of what is there change at once", function()
    run(function()
      world:set(first, Position { x = 5 })
      assert.equal(5, world:get(first, Position, "x"))
      world:query({ Position }):batch(function(batch)
        batch.Position.y[1] = 8
      end)
      assert.equal(8, world:get(first, Position, "y"))
    end)
    world:progress(1)
    assert.same({ x = 5, y = 8 }, world:get(first, Position))
  end)

  it("spawn_many hands over its rows, which wait like others", function()
    run(function()
      world:spawn_many(30, { Velocity { x = 2 }, Enemy }, function(batch)
        for i = 1, batch.count do batch.Velocity.y[i] = i end
      end)
      assert.equal(0, world:query({ Enemy }):count())
    end)
    world:progress(1)
    local sum = 0
    world:query({ read = { Velocity }, with = { Enemy } }):batch(
      function(batch)
        for i = 1, batch.count do
          sum = sum + batch.Velocity.x[i] * batch.Velocity.y[i]
        end
      end)
    assert.equal(930, sum)
  end)

  it("batch systems and walks inside run systems record too", function()
    world:system { name = "a", query = { read = { Position } },
      batch = function(batch)
        for i = 1, batch.count do world:add(batch.entities[i], Enemy) end
      end }
    run(function()
      world:query({ read = { Position } }):batch(function(batch)
        world:add(batch.entities[1], Stunned)
      end)
      assert.equal(0, world:query({ Enemy }):count())
      assert.equal(0, world:query({ Stunned }):count())
    end, "b")
    world:progress(1)
    assert.equal(2, world:query({ Enemy }):count())
    assert.equal(1, world:query({ Stunned }):count())
  end)

  it("native systems see what the frame began with", function()
    assert(ecs.load_native "physics")
    run(function() world:add(first, Velocity { y = 1 }) end)
    world:system { name = "g", query = { Position, Velocity },
      native = "physics.gravity" }
    world:progress(1 / 64)
    assert.equal(1, world:get(first, Velocity, "y"))
    world:progress(1 / 64)
    assert.is_true(world:get(first, Velocity, "y") < 1)
  end)

  it("coroutines of a system record too", function()
    run(function()
      coroutine.wrap(function() world:add(first, Enemy) end)()
      assert.is_false(world:has(first, Enemy))
    end)
    world:progress(1)
    assert.is_true(world:has(first, Enemy))
  end)

  it("systems and queries can be made, and explained", function()
    run(function()
      local query = world:query { Position, with = { Enemy } }
      assert.equal(0, query:count())
      world:system { name = "new", query = query, batch = function() end }
      assert.truthy(world:explain():find("new: batch", 1, true))
      assert.truthy(world:explain("new"):find("0 rows match", 1, true))
    end)
    world:progress(1)
    assert.equal(2, world:stats().systems)
  end)

  it("clear, close, group and new definitions are errors", function()
    local words = "a frame that records its changes (flush = 'frame')"
    run(function()
      refuses(function() world:clear() end, "clear", words)
      refuses(function() world:close() end, "closed", words)
      refuses(function() world:group { Position } end, "group", words)
      local New = ecs.component("NewInFrame", { x = "f32" })
      refuses(function() world:add(first, New) end, "NewInFrame", words,
        "define it before")
      refuses(function() world:query { New } end, "NewInFrame", words)
    end)
    world:progress(1)
    assert.equal(2, world:query({ Position }):count())
    world:add(first, ecs.component("NewInFrame", { x = "f32" }))
  end)

  it("definitions made before are usable, though new to the world",
    function()
      local Later = ecs.component("LaterInFrame", { x = "f32" })
      run(function() world:add(first, Later { x = 3 }) end)
      world:progress(1)
      assert.equal(3, world:get(first, Later, "x"))
    end)
end)

describe("at the end of a frame", function()
  it("entities are moved in the order of their first record", function()
    local third = world:spawn(Position { x = 3 })
    run(function()
      world:add(third, Enemy)
      world:add(first, Stunned)
    end, "a")
    run(function()
      world:add(second, Enemy)
      world:add(first, Enemy)
    end, "b")
    world:progress(1)
    local order = {}
    world:query({ read = { Position }, with = { Enemy } }):batch(
      function(batch)
        for i = 1, batch.count do order[#order + 1] = batch.Position.x[i] end
      end)
    assert.same({ 3, 1, 2 }, order)
  end)

  it("of one phase its changes are applied", function()
    run(function() world:add(first, Enemy) end, "a", "last")
    world:run("first", 1)
    assert.is_false(world:has(first, Enemy))
    world:run("last", 1)
    assert.is_true(world:has(first, Enemy))
  end)

  it("changes that cannot be applied are lost, with an error", function()
    assert.equal("as it should be\n",
      support.printed "spec/programs/flush_failure_program.lua")
  end)
end)

describe("a program of systems", function()
  -- Three systems make random changes, which are applied after each or after
  -- all.
  local function program(seed, flush)
    local random = dice(seed)
    world = ecs.world { flush = flush }
    local entities = scene.populate(world)
    local function change() scene.change(world, entities, random, 12) end
    run(change, "a")
    world:system { name = "b", query = { read = { Position } },
      batch = (function()
        local done
        return function()
          if not done then change() end
          done = true
        end
      end)() }
    run(change, "c")
    world:progress(1)
    return world:state_hash()
  end

  it("gives the same state, whenever its changes are applied", function()
    for seed = 1, 200 do
      assert.equal(program(seed, "system"), program(seed, "frame"),
        "seed " .. seed)
    end
  end)
end)
