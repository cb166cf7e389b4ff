-- Worlds and entities: creation and destruction, set, get and the like, groups,
-- hashes.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Enemy, scene.Stunned
local Seen = ecs.tag("Seen", { storage = "bits" })
local Target = ecs.component("Target", { who = "entity" })

describe("a world", function()
  it("takes no options that it does not know", function()
    assert.truthy(ecs.world())
    assert.truthy(ecs.world {})
    refuses(function() ecs.world { sed = 1 } end, "'sed'")
    refuses(function() ecs.world(3) end, "table")
  end)

  it("says how many entities it has", function()
    local world = ecs.world {}
    world:spawn()
    assert.equal("ecs.World (1 entity)", tostring(world))
    world:spawn()
    assert.equal("ecs.World (2 entities)", tostring(world))
    world:close()
    assert.equal("ecs.World (closed)", tostring(world))
  end)

  it("can be closed twice, and raises when it is used then", function()
    local world = ecs.world {}
    local query = world:query { Position }
    world:close()
    world:close()
    refuses(function() world:spawn() end, "closed")
    refuses(function() world:progress(1) end, "closed")
    refuses(function() world:query { Position } end, "closed")
    refuses(function() query:count() end, "closed")
    refuses(function() query:batch(print) end, "closed")
  end)

  it("outlives its name while a query uses it", function()
    local world = ecs.world {}
    world:spawn(Position)
    local query = world:query { Position }
    world = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(1, query:count())
  end)

  it("clears entities and keeps definitions and queries", function()
    local world = ecs.world {}
    local entity = world:spawn(Position)
    local query = world:query { Position }
    world:clear()
    assert.is_false(world:alive(entity))
    assert.equal(0, query:count())
    local again = world:spawn(Position)
    assert.not_equal(entity, again)
    assert.equal(1, query:count())
  end)

  it("has definitions that serve every world", function()
    local a, b = ecs.world {}, ecs.world {}
    b:spawn(Enemy)
    local entity = b:spawn(Position { x = 2 })
    a:spawn(Position { x = 1 })
    assert.equal(2, b:get(entity, Position, "x"))
  end)

  it("raises when it is called with a dot", function()
    local world = ecs.world {}
    refuses(function() world.spawn(Position) end, "world:spawn")
  end)
end)

describe("an entity", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("is one number that serves as a key", function()
    local entity = world:spawn()
    assert.equal("number", type(entity))
    assert.is_true(entity > 0)
    local names = { [entity] = "one" }
    assert.equal("one", names[entity])
  end)

  it("differs from one that has its slot now", function()
    local first = world:spawn(Position)
    assert.is_true(world:destroy(first))
    local second = world:spawn(Position)
    assert.not_equal(first, second)
    assert.is_false(world:alive(first))
    assert.is_true(world:alive(second))
    assert.is_nil(world:get(first, Position))
  end)

  it("answers nil or false when it is dead, null or unknown", function()
    local dead = world:spawn(Position)
    world:destroy(dead)
    for _, entity in ipairs { dead, 0, 12345, 2 ^ 52, 2 ^ 53 - 1 } do
      assert.is_false(world:alive(entity))
      assert.is_nil(world:get(entity, Position))
      assert.is_nil((world:get(entity, Position, "x")))
      assert.is_false(world:has(entity, Position))
      assert.is_nil(world:components(entity))
      assert.is_false(world:destroy(entity))
    end
    assert.is_false(world:alive(nil))
    assert.is_nil(world:get(nil, Position))
    assert.is_false(world:has(nil, Position))
    assert.is_false(world:destroy(nil))
  end)

  it("is named by the error that changing it raises when it is dead", function()
    local dead = world:spawn(Position)
    world:destroy(dead)
    local name = string.format("entity %.0f", dead)
    refuses(function() world:set(dead, Position) end, name, "not alive")
    refuses(function() world:set(dead, Position, "x", 1) end, name)
    refuses(function() world:add(dead, Enemy) end, name)
    refuses(function() world:remove(dead, Enemy) end, name)
    refuses(function() world:add(nil, Enemy) end, "nil")
    refuses(function() world:add("1", Enemy) end, "string")
    refuses(function() world:alive {} end, "table")
  end)
end)

describe("set, get, add, remove, has", function()
  local world, entity
  before_each(function()
    world = ecs.world {}
    entity = world:spawn(Position { x = 1, y = 2 })
  end)

  it("set touches only the fields given", function()
    world:set(entity, Position { x = 7 })
    assert.same({ x = 7, y = 2 }, world:get(entity, Position))
    world:set(entity, Position, "y", 8)
    assert.same({ x = 7, y = 8 }, world:get(entity, Position))
  end)

  it("set of a component alone resets it", function()
    world:set(entity, Position)
    assert.same({ x = 0, y = 0 }, world:get(entity, Position))
  end)

  it("set adds where the component is absent", function()
    world:set(entity, Velocity { y = 5 })
    assert.same({ x = 1, y = 5 }, world:get(entity, Velocity))
    world:set(entity, Enemy)
    assert.is_true(world:has(entity, Enemy))
    local other = world:spawn()
    world:set(other, Velocity, "y", 6)
    assert.same({ x = 1, y = 6 }, world:get(other, Velocity))
  end)

  it("add leaves a component that is there as it is", function()
    world:add(entity, Position { x = 9 })
    assert.equal(1, world:get(entity, Position, "x"))
    world:add(entity, Velocity { x = 9 })
    assert.equal(9, world:get(entity, Velocity, "x"))
    world:add(entity, Stunned)
    world:add(entity, Stunned)
    assert.is_true(world:has(entity, Stunned))
  end)

  it("remove of what is absent does nothing", function()
    local before = world:hash()
    world:remove(entity, Velocity)
    assert.equal(before, world:hash())
    world:remove(entity, Position)
    assert.is_nil(world:get(entity, Position))
    assert.is_true(world:alive(entity))
  end)

  it("get gives a table, or the fields named, in their order", function()
    assert.same({ x = 1, y = 2 }, world:get(entity, Position))
    local y, x, again = world:get(entity, Position, "y", "x", "y")
    assert.same({ 2, 1, 2 }, { y, x, again })
    assert.is_nil(world:get(entity, Velocity))
    assert.equal(2, select("#", world:get(entity, Velocity, "x", "y")))
  end)

  it("get of a tag is an error that says has", function()
    refuses(function() world:get(entity, Enemy) end, "Enemy is a tag",
      "world:has")
  end)

  it("refuse unknown fields and wrong values, and change nothing", function()
    local before = world:hash()
    refuses(function() world:get(entity, Position, "z") end,
      "Position has no field 'z' (it has x, y)")
    refuses(function() world:set(entity, Position, "z", 1) end, "'z'")
    refuses(function() world:set(entity, Position, "x", "1") end, "a string")
    refuses(function() world:set(entity, Position, "x", 1e300) end, "1e+300")
    refuses(function() world:set(entity, Position, "x") end, "new x")
    refuses(function() world:set(entity, Position, 1, 1) end, "string")
    refuses(function() world:set(entity, Position, "x", 1, 2) end, "not by 2")
    refuses(function() world:set(entity, { x = 1 }) end, "Position { x = 1 }")
    refuses(function() world:set(entity, Enemy, "x", 1) end, "Enemy is a tag")
    refuses(function() world:add(entity, Enemy, Seen) end, "each component")
    refuses(function() world:has(entity, "Position") end, "string")
    refuses(function() world:remove(entity, Position { x = 1 }) end,
      "pass Position itself")
    assert.equal(before, world:hash())
  end)

  it("has asks for all of them, and of none whether it is alive", function()
    world:add(entity, Enemy)
    assert.is_true(world:has(entity, Position, Enemy))
    assert.is_false(world:has(entity, Position, Enemy, Stunned))
    assert.is_true(world:has(entity))
  end)

  it("components lists them in order of definition", function()
    -- New components, since other files may have defined the shared ones
    -- before.
    local first = ecs.tag "ListedFirst"
    local second = ecs.component("ListedBetween", { x = "f32" })
    local third = ecs.tag("ListedLast", { storage = "sparse" })
    local listed = world:spawn(third, first)
    world:add(listed, second)
    assert.same({ first, second, third }, world:components(listed))
    assert.same({}, world:components(world:spawn()))
  end)

  it("nil is the null entity in a field, and clears it", function()
    local other = world:spawn()
    world:add(other, Target { who = entity })
    assert.equal(entity, world:get(other, Target, "who"))
    world:set(other, Target, "who", nil)
    assert.is_nil((world:get(other, Target, "who")))
    assert.same({}, world:get(other, Target))
  end)

  it("entity fields read as the same number as the entity", function()
    local keys = { [entity] = true }
    local other = world:spawn(Target { who = entity })
    assert.is_true(keys[world:get(other, Target, "who")])
    assert.is_true(keys[world:get(other, Target).who])
  end)
end)

describe("group", function()
  it("moves live data and changes no value and no match", function()
    local world = ecs.world {}
    for k = 1, 50 do
      local entity = world:spawn(Position { x = k }, Velocity { y = k })
      if k % 3 == 0 then world:add(entity, Enemy) end
      if k % 5 == 0 then world:remove(entity, Velocity) end
    end
    local query = world:query { Position, read = { Velocity } }
    local before, count = world:state_hash(), query:count()
    world:group { Position }
    assert.equal(before, world:state_hash())
    assert.equal(count, query:count())
    world:group { Position, Velocity, Enemy }
    assert.equal(before, world:state_hash())
    assert.equal(count, query:count())
  end)

  it("refuses what is no list of components", function()
    local world = ecs.world {}
    refuses(function() world:group(Position) end, "list")
    refuses(function() world:group { "Position" } end, "string")
    refuses(function() world:group { Position, Position } end, "twice")
    refuses(function() world:ungroup(Position) end, "ungroup takes a list")
    refuses(function() world:ungroup { Position, 3 } end, "ungroup", "not 3")
    refuses(function() world:ungroup { Position, Position } end, "twice")
    world:group {}
    world:ungroup {}
  end)
end)

describe("a hash", function()
  it("is text, equal for equal worlds and not for others", function()
    local function build(x)
      local world = ecs.world {}
      world:spawn(Position { x = x }, Enemy)
      return world:hash(), world:state_hash()
    end
    local hash, state = build(1)
    assert.truthy(hash:match("^%x+$") and #hash == 16)
    assert.same({ hash, state }, { build(1) })
    local other_hash, other_state = build(2)
    assert.not_equal(hash, other_hash)
    assert.not_equal(state, other_state)
  end)

  it("is the same after a walk that changes nothing", function()
    local world = ecs.world {}
    world:spawn(Position)
    ecs.component("MetByTheWalk", { x = "f32" })
    local before = world:hash()
    world:query({ Position }):batch(function() end)
    assert.equal(before, world:hash())
  end)

  it("does not depend on definitions that are new to the world", function()
    local world = ecs.world {}
    world:spawn(Position)
    local before = world:hash()
    ecs.tag "Unmet"
    local other = ecs.world {}
    other:spawn(Position)
    assert.equal(before, other:hash())
  end)
end)
