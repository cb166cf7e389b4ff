-- Changes happen at once outside callbacks. Those made inside callbacks are
-- applied when the outermost query call ends.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, dice = support.refuses, support.dice

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Enemy, scene.Stunned

describe("inside a callback", function()
  local world, first, second, query, once
  before_each(function()
    world = ecs.world {}
    first = world:spawn(Position { x = 1 })
    second = world:spawn(Position { x = 2 })
    query = world:query { read = { Position } }
    once = function(f) support.once(query, f) end
  end)

  it("add and remove are seen when it has ended", function()
    once(function()
      world:add(first, Enemy)
      world:remove(second, Position)
      assert.is_false(world:has(first, Enemy))
      assert.is_true(world:has(second, Position))
    end)
    assert.is_true(world:has(first, Enemy))
    assert.is_false(world:has(second, Position))
  end)

  it("a spawned entity is alive and has no components yet", function()
    local new
    once(function()
      new = world:spawn(Velocity { y = 4 }, Enemy)
      assert.is_true(world:alive(new))
      assert.is_false(world:has(new, Velocity))
      assert.is_nil(world:get(new, Velocity))
      world:add(new, Stunned)
      world:set(new, Velocity, "x", 9)
    end)
    assert.is_true(world:has(new, Velocity, Enemy, Stunned))
    assert.same({ x = 9, y = 4 }, world:get(new, Velocity))
  end)

  it("a destroyed entity is dead at once, and further changes are dropped",
    function()
      once(function()
        assert.is_true(world:destroy(first))
        assert.is_false(world:alive(first))
        assert.is_false(world:destroy(first))
      end)
      assert.is_false(world:alive(first))
      assert.equal(1, query:count())
    end)

  it("set of what is there changes at once, if nothing walks over it",
    function()
      world:set(first, Velocity { x = 3 })
      once(function()
        world:set(first, Velocity, "x", 7)
        assert.equal(7, world:get(first, Velocity, "x"))
      end)
      assert.equal(7, world:get(first, Velocity, "x"))
    end)

  it("the rows of the walk stay as they were", function()
    local seen = 0
    query:batch(function(batch)
      for i = 1, batch.count do
        seen = seen + 1
        world:spawn(Position)
        world:destroy(batch.entities[i])
      end
    end)
    assert.equal(2, seen)
    assert.equal(2, query:count())
  end)

  it("spawn_many hands over its rows at once", function()
    local rows = 0
    once(function()
      world:spawn_many(20, { Velocity, Enemy }, function(batch)
        for i = 1, batch.count do
          batch.Velocity.y[i] = i
          rows = rows + 1
        end
      end)
      assert.equal(20, rows)
    end)
    local sum = 0
    world:query({ read = { Velocity }, with = { Enemy } }):batch(
      function(batch)
        for i = 1, batch.count do sum = sum + batch.Velocity.y[i] end
      end)
    assert.equal(210, sum)
  end)

  it("changes of an inner walk wait for the outermost", function()
    local inner = world:query { read = { Position } }
    query:batch(function()
      inner:batch(function(batch) world:add(batch.entities[1], Enemy) end)
      assert.is_false(world:has(first, Enemy))
    end)
    assert.is_true(world:has(first, Enemy))
  end)

  it("an error discards what was recorded, and its new ids stay dead",
    function()
      local new
      assert.is_false((pcall(query.batch, query, function()
        new = world:spawn(Position)
        world:destroy(first)
        world:add(second, Enemy)
        error "stop"
      end)))
      assert.is_false(world:alive(new))
      assert.is_true(world:alive(first))
      assert.is_false(world:has(second, Enemy))
      assert.equal(2, query:count())
      assert.not_equal(new, world:spawn(Position))
    end)

  it("a caught error of an inner walk discards only what it recorded",
    function()
      local inner = world:query { read = { Position } }
      once(function()
        world:add(first, Enemy)
        assert.is_false((pcall(inner.batch, inner, function()
          world:add(second, Enemy)
          error "stop"
        end)))
      end)
      assert.is_true(world:has(first, Enemy))
      assert.is_false(world:has(second, Enemy))
    end)

  it("clear, close, group, progress and new systems are errors", function()
    once(function()
      refuses(function() world:clear() end, "clear", "query {")
      refuses(function() world:close() end, "closed inside query {")
      refuses(function() world:group { Position } end, "group", "query {")
      refuses(function() world:progress(1) end, "progress", "query {")
      refuses(function()
        world:system { name = "late", run = function() end }
      end, "late", "query {")
    end)
    assert.equal(2, query:count())
  end)

  it("a definition that is new to the world is an error that says so",
    function()
      once(function()
        local New = ecs.component("NewInside", { x = "f32" })
        refuses(function() world:add(first, New) end, "NewInside is new",
          "define it before")
        assert.is_false(world:has(first, New))
        assert.is_nil(world:get(first, New))
      end)
      world:add(first, ecs.component("NewInside", { x = "f32" }))
    end)

  it("definitions made before are usable, though new to the world",
    function()
      local Later = ecs.component("LaterInside", { x = "f32" })
      once(function() world:add(first, Later { x = 3 }) end)
      assert.equal(3, world:get(first, Later, "x"))
    end)

  it("queries can be made", function()
    local count
    once(function() count = world:query({ Position }):count() end)
    assert.equal(2, count)
  end)
end)

describe("what a callback's query writes", function()
  local world, entity, writer, reader
  before_each(function()
    world = ecs.world {}
    entity = world:spawn(Position { x = 1 }, Velocity)
    writer = world:query { Position }
    reader = world:query { read = { Position } }
  end)

  it("can be reached through nothing else", function()
    writer:batch(function()
      refuses(function() world:get(entity, Position) end, "get", "Position",
        "query { Position }")
      refuses(function() world:get(entity, Position, "x") end, "Position")
      refuses(function() world:set(entity, Position, "x", 2) end, "set",
        "Position", "query { Position }")
      refuses(function() reader:batch(print) end,
        "query { read = { Position } }", "Position", "query { Position }")
      refuses(function() writer:batch(print) end, "Position")
      assert.equal(1, (world:get(entity, Velocity, "x")))
    end)
    assert.equal(1, world:get(entity, Position, "x"))
  end)

  it("can be read, not written, when the callback only reads it", function()
    reader:batch(function()
      assert.equal(1, world:get(entity, Position, "x"))
      refuses(function() world:set(entity, Position { x = 2 }) end, "Position",
        "query { read = { Position } }")
      refuses(function() writer:batch(print) end, "Position")
      reader:batch(function(batch)
        assert.equal(1, batch.Position.x[1])
      end)
    end)
    assert.equal(1, world:get(entity, Position, "x"))
  end)
end)

describe("outside of callbacks", function()
  it("everything changes at once, in run systems too", function()
    local world = ecs.world {}
    local entity = world:spawn(Position)
    world:system { name = "at once", run = function(same)
      assert.equal(world, same)
      same:add(entity, Enemy)
      assert.is_true(same:has(entity, Enemy))
      local new = same:spawn(Position { x = 4 })
      assert.equal(4, same:get(new, Position, "x"))
    end }
    world:progress(1)
    assert.equal(2, world:query({ Position }):count())
  end)
end)

describe("a deferred program", function()
  -- Makes the same random changes at once, or inside a callback.
  local function run(seed, deferred)
    local world, random = ecs.world {}, dice(seed)
    local entities = scene.populate(world)
    local function change() scene.change(world, entities, random, 30) end
    if deferred then
      local done
      world:query({ read = { Position } }):batch(function()
        if not done then change() end
        done = true
      end)
    else
      change()
    end
    return world:state_hash()
  end

  it("ends like the same program run at once", function()
    for seed = 1, 300 do
      assert.equal(run(seed, false), run(seed, true), "seed " .. seed)
    end
  end)
end)
