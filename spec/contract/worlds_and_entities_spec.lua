-- Worlds and entities: making, changing and asking, one at a time.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = { "f32", 1 }, y = "f32" })
local Target = ecs.component("Target", { who = "entity" })
local Enemy = ecs.tag "Enemy"
local Stunned = ecs.tag("Stunned", { storage = "sparse" })

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn(Position { x = 1 }, Enemy)
end)

describe("a world", function()
  it("takes phases and a way to flush", function()
    local other = ecs.world { phases = { "think", "act" }, flush = "frame" }
    local order = {}
    for _, phase in ipairs { "act", "think" } do
      other:system { name = phase, phase = phase, run = function()
        order[#order + 1] = phase
      end }
    end
    other:progress(1)
    assert.same({ "think", "act" }, order)
  end)

  it("spawns from any number of parts, none of them twice", function()
    assert.is_true(world:has(e, Position, Enemy))
    assert.same({}, world:components(world:spawn()))
    refuses(function() world:spawn(Position { x = 1 }, Enemy, Position) end,
      "Position twice")
  end)

  it("spawns many from a list of parts", function()
    world:spawn_many(1000, { Position, Velocity { x = 1 } }, function(batch)
      for i = 1, batch.count do batch.Position.x[i] = i end
    end)
    assert.equal(1000, world:query({ Position, Velocity }):count())
  end)

  it("destroys, and knows who is alive", function()
    assert.is_true(world:alive(e))
    assert.is_true(world:destroy(e))
    assert.is_false(world:alive(e))
  end)

  it("is emptied by clear", function()
    world:clear()
    assert.is_false(world:alive(e))
    assert.equal(0, world:query({ Position }):count())
  end)

  it("is over after close, which may be called again", function()
    world:close()
    world:close()
    refuses(function() world:spawn() end, "closed")
  end)
end)

describe("one entity", function()
  it("keeps a value that is there when it is added again", function()
    world:add(e, Position { x = 9, y = 9 })
    world:add(e, Enemy)
    assert.same({ x = 1, y = 0 }, world:get(e, Position))
  end)

  it("gets a component by set where it has none", function()
    world:set(e, Velocity { x = 3 })
    assert.same({ x = 3, y = 0 }, world:get(e, Velocity))
  end)

  it("keeps the fields that set does not name", function()
    world:set(e, Position { y = 3 })
    assert.same({ x = 1, y = 3 }, world:get(e, Position))
  end)

  it("has single fields set, without garbage", function()
    local function run(n)
      for i = 1, n do world:set(e, Position, "x", i) end
    end
    run(1000)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    run(10000)
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.equal(10000, world:get(e, Position, "x"))
    assert.is_true(grown < 64, grown .. " KB") -- the compiler takes some
  end)

  it("is read as a new table, or nil", function()
    local first = world:get(e, Position)
    assert.same({ x = 1, y = 0 }, first)
    assert.not_equal(first, world:get(e, Position))
    assert.is_nil(world:get(e, Velocity))
  end)

  it("is read by the field", function()
    assert.equal(1, world:get(e, Position, "x"))
    assert.is_nil(world:get(e, Velocity, "x"))
  end)

  it("is read by several fields, without garbage", function()
    local sum = 0
    local function run(n)
      for _ = 1, n do
        local x, y = world:get(e, Position, "x", "y")
        sum = sum + x + y
      end
    end
    run(1000)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    run(10000)
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.equal(11000, sum)
    assert.is_true(grown < 64, grown .. " KB")
  end)

  it("has several components only if it has all of them", function()
    assert.is_true(world:has(e, Position, Enemy))
    assert.is_false(world:has(e, Position, Velocity, Enemy))
  end)

  it("loses a component by remove", function()
    world:remove(e, Position)
    assert.is_false(world:has(e, Position))
  end)

  it("lists its components", function()
    local names = {}
    for k, definition in ipairs(world:components(e)) do
      names[k] = definition.name
    end
    table.sort(names)
    assert.same({ "Enemy", "Position" }, names)
  end)
end)

describe("a hash", function()
  -- The same two entities, whose rows are in either order.
  local function pair(swapped)
    local made = ecs.world {}
    local a, b = made:spawn(), made:spawn()
    if swapped then a, b = b, a end
    made:set(a, Position { x = swapped and 2 or 1 })
    made:set(b, Position { x = swapped and 1 or 2 })
    return made
  end

  it("is of everything, the order of rows included", function()
    assert.equal(pair(false):hash(), pair(false):hash())
    assert.not_equal(pair(false):hash(), pair(true):hash())
    local before = world:hash()
    world:set(e, Position, "y", 1)
    assert.not_equal(before, world:hash())
  end)

  it("of the state leaves the order of rows out", function()
    assert.equal(pair(false):state_hash(), pair(true):state_hash())
    local before = world:state_hash()
    world:set(e, Position, "y", 1)
    assert.not_equal(before, world:state_hash())
  end)
end)

describe("an entity", function()
  it("is one number of at most 52 bits, a key of tables, never 0", function()
    local seen = {}
    for _ = 1, 1000 do
      local made = world:spawn()
      assert.is_true(made > 0 and made < 2 ^ 52 and made % 1 == 0)
      assert.equal("number", type(made))
      assert.is_nil(seen[made])
      seen[made] = true
      if made % 2 == 0 then world:destroy(made) end
    end
    world:set(e, Target { who = e })
    assert.equal(e, world:get(e, Target, "who"))
  end)

  it("that is gone is told from those that follow in its slot", function()
    local handles = {}
    for k = 1, 5000 do
      handles[k] = world:spawn(Position)
      world:destroy(handles[k])
    end
    local last = world:spawn(Position)
    for _, handle in ipairs(handles) do
      assert.not_equal(handle, last)
      assert.is_false(world:alive(handle))
    end
    assert.equal(0, world:stats().retired)
  end)

  it("that is null is nil in a field, and nil clears the field", function()
    assert.is_nil(world:get(world:spawn(Target), Target, "who"))
    world:set(e, Target { who = e })
    world:set(e, Target, "who", nil)
    assert.is_nil(world:get(e, Target, "who"))
    for _, target in world:query({ Target }):rows() do
      target.who = e
      target.who = nil
      assert.is_nil(target.who)
    end
  end)

  it("that is dead or null may be asked about", function()
    world:destroy(e)
    for _, gone in ipairs { e, 0 } do
      assert.is_nil(world:get(gone, Position))
      assert.is_nil(world:get(gone, Position, "x"))
      assert.is_false(world:has(gone, Position))
      assert.is_false(world:alive(gone))
    end
    assert.is_nil(world:get(nil, Position, "x"))
    assert.is_false(world:has(nil, Position))
    assert.is_false(world:alive(nil))
  end)

  it("that is dead cannot be changed, and the error names it", function()
    world:destroy(e)
    local name = string.format("entity %.0f", e)
    refuses(function() world:add(e, Enemy) end, name, "not alive")
    refuses(function() world:set(e, Position { x = 1 }) end, name)
    refuses(function() world:set(e, Position, "x", 1) end, name)
    refuses(function() world:remove(e, Position) end, name)
  end)

  it("that is dead is destroyed again with the answer false", function()
    world:destroy(e)
    assert.is_false(world:destroy(e))
    assert.is_false(world:destroy(nil))
  end)
end)

describe("spawn_many", function()
  it("gives its function batches of the new rows, and nothing back", function()
    local ids, count = {}, 0
    local results = select("#", world:spawn_many(300, { Position },
      function(batch)
        for i = 1, batch.count do ids[#ids + 1] = batch.entities[i] end
        count = count + batch.count
      end))
    assert.equal(0, results)
    assert.equal(300, count)
    for _, id in ipairs(ids) do assert.is_true(world:has(id, Position)) end
  end)

  it("records changes in its function, as a system does", function()
    world:spawn_many(3, { Position }, function(batch)
      world:add(batch.entities[2], Stunned)
      assert.is_false(world:has(batch.entities[2], Stunned))
      refuses(function() world:clear() end, "clear is not possible inside")
    end)
    assert.equal(1, world:query({ Position, Stunned }):count())
  end)
end)

describe("get of a tag", function()
  it("is an error that tells of has", function()
    refuses(function() world:get(e, Enemy) end, "Enemy is a tag", "world:has")
    refuses(function() world:get(e, Stunned, "x") end, "world:has")
  end)
end)
