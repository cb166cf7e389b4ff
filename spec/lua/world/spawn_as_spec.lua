-- spawn_as: entities with given ids; reserve: room for many.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy =
  scene.Position, scene.Velocity, scene.Enemy
local Owner = ecs.component("SpawnAsOwner", { by = "entity" })
local Far = ecs.component("SpawnAsFar", { d = "f32" }, { storage = "sparse" })

local GENERATION = 268435456 -- 2^28

--- The id of an index in a generation.
local function id(generation, index) return generation * GENERATION + index end

local function all_of(world)
  local list = {}
  world:query({ all = true }):batch(function(batch)
    for i = 1, batch.count do list[#list + 1] = batch.entities[i] end
  end)
  table.sort(list)
  return list
end

describe("spawn_as", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("takes an id and what spawn takes", function()
    assert.equal(7, world:spawn_as(7, Position { x = 1 }, Velocity,
      { y = -4 }, Enemy, Far { d = 2 }))
    assert.same({ x = 1, y = 0 }, world:get(7, Position))
    assert.equal(-4, world:get(7, Velocity, "y"))
    assert.is_true(world:has(7, Enemy))
    assert.equal(2, world:get(7, Far, "d"))
    assert.equal(3, world:spawn_as(3))
    assert.same({}, world:components(3))
  end)

  it("takes over the generation", function()
    assert.equal(id(9, 4), world:spawn_as(id(9, 4), Enemy))
    assert.is_true(world:alive(id(9, 4)))
    assert.is_false(world:alive(4))
    world:destroy(id(9, 4))
    assert.equal(id(10, 4), world:spawn())
  end)

  it("frees the indices below, the lowest first", function()
    world:spawn_as(4)
    for expected = 1, 3 do assert.equal(expected, world:spawn()) end
    assert.equal(5, world:spawn())
  end)

  it("takes an id from the middle of the free ones", function()
    for _ = 1, 6 do world:spawn() end
    for index = 1, 6 do world:destroy(index) end
    assert.equal(id(1, 3), world:spawn_as(id(1, 3)))
    assert.equal(id(1, 5), world:spawn_as(id(1, 5)))
    for _, index in ipairs { 6, 4, 2, 1 } do
      assert.equal(id(1, index), world:spawn())
    end
    assert.equal(7, world:spawn())
  end)

  it("returns nil and why for an id that cannot be given", function()
    local e = world:spawn()
    local function why(given)
      local before = world:hash()
      local found, reason = world:spawn_as(given, Position)
      assert.is_nil(found)
      assert.equal(before, world:hash())
      return reason
    end
    assert.equal("the entity is alive", why(e))
    assert.equal("another entity has its index", why(id(1, e)))
    world:destroy(e)
    assert.equal("its generation is over", why(e))
    assert.equal("its index is too far above all that were used",
      why(1048576 + 2))
    assert.equal(id(2^24 - 1, e), world:spawn_as(id(2^24 - 1, e)))
    world:destroy(id(2^24 - 1, e))
    assert.equal("its index is retired", why(id(2^24 - 1, e)))
  end)

  it("reaches 1,048,576 above the highest index", function()
    world:spawn()
    assert.equal(1048577, world:spawn_as(1048577))
    assert.equal(2, world:spawn())
  end)

  it("refuses what is no id", function()
    local function refused(message, ...)
      local given = { n = select("#", ...), ... }
      refuses(function()
        world:spawn_as((table.unpack or unpack)(given, 1, given.n))
      end, message)
    end
    refused("spawn_as takes an entity first, not nil")
    refused("spawn_as takes an entity first, not nil", nil, Position)
    refused("spawn_as takes an entity first: 0 is no handle", 0)
    refused("spawn_as takes an entity, not -1", -1)
    refused("spawn_as takes an entity, not 1.5", 1.5)
    refused("spawn_as takes an entity, not ", 0 / 0)
    refused("no handle", id(3, 0))
    refused("no handle", 2^52)
    refused("spawn_as takes an entity, not a value of Position",
      Position { x = 1 })
    refused("Position twice", 5, Position, Position)
    assert.is_false(world:alive(5))
  end)

  it("names the caller's line", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local _, text = pcall(function() world:spawn_as(0); return 1 end)
    assert.is_truthy(tostring(text):find("spawn_as_spec.lua:" .. line, 1, true),
      tostring(text))
  end)

  it("is recorded in callbacks, with its id at once", function()
    world:spawn(Position)
    local taken, again, why, next_id
    world:query({ Position }):each(function()
      taken = world:spawn_as(5, Position { x = 8 })
      again, why = world:spawn_as(5)
      next_id = world:spawn()
      assert.is_true(world:alive(5))
      assert.is_false(world:has(5, Position))
    end)
    assert.equal(5, taken)
    assert.is_nil(again)
    assert.equal("the entity is alive", why)
    assert.equal(2, next_id)
    assert.equal(8, world:get(5, Position, "x"))
  end)

  it("works in systems, where the function runs as plain Lua", function()
    world:spawn(Position { x = 10 })
    world:spawn(Position { x = 20 })
    world:system { name = "make", compile = false,
      query = { read = { Position } },
      each = function(position, _, e)
        world:spawn_as(100 + e, Owner { by = e })
        if position.x > 15 then world:spawn_as(200, Enemy) end
      end }
    world:progress(1)
    assert.same({ 1, 2, 101, 102, 200 }, all_of(world))
    assert.equal(2, world:get(102, Owner, "by"))
    assert.is_true(world:has(200, Enemy))
    assert.equal(103, world:spawn())
  end)

  it("gives a discarded id back, in the next generation", function()
    world:spawn(Position)
    pcall(function()
      world:query({ Position }):each(function()
        world:spawn_as(4)
        error "stop"
      end)
    end)
    if world:alive(4) then world:destroy(4) end
    assert.equal(id(1, 4), world:spawn())
  end)

  it("copies a world with its ids", function()
    local names = {}
    for k = 1, 40 do names[k] = world:spawn(Position { x = k }) end
    for k = 1, 40, 3 do world:destroy(names[k]) end
    for k = 1, 9 do names[k * 4] = world:spawn(Position { x = k }) end
    local copy = ecs.world {}
    local list = all_of(world)
    for k = #list, 1, -1 do
      local e = list[k]
      assert.equal(e, copy:spawn_as(e, Position, world:get(e, Position)))
    end
    assert.same(list, all_of(copy))
    assert.equal(world:state_hash(), copy:state_hash())
  end)
end)

describe("reserve", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("makes room, so that spawning allocates nothing", function()
    world:destroy(world:spawn(Position, Far, Enemy))
    world:reserve(5000, { Position, Far, Enemy })
    local before = world:stats().bytes
    for _ = 1, 5000 do world:spawn(Position, Far, Enemy) end
    assert.equal(before, world:stats().bytes)
  end)

  it("takes the parts that spawn_many takes", function()
    world:reserve(0, {})
    world:reserve(10, { Position { x = 1 }, Velocity, { y = 2 } })
    assert.equal(0, world:stats().entities)
    assert.equal(world:state_hash(), ecs.world({}):state_hash())
  end)

  it("refuses what is no count and no list", function()
    refuses(function() world:reserve(-1, { Position }) end,
      "reserve takes how many: a whole number from 0 to 268435455")
    refuses(function() world:reserve(1.5, { Position }) end, "whole number")
    refuses(function() world:reserve({ Position }, 5) end, "whole number")
    refuses(function() world:reserve(5) end, "reserve takes a list of parts")
    refuses(function() world:reserve(5, Position) end,
      "reserve takes a list of parts")
    refuses(function() world:reserve(5, { Position }, print) end,
      "reserve takes a list of parts")
    refuses(function() world:reserve(5, { Position, Position }) end,
      "Position twice")
    refuses(function() world:reserve(268435456, { Position }) end, "reserve")
    world:spawn()
    refuses(function() world:reserve(268435455, { Position }) end,
      "reserve: 268435455 more would be too many")
  end)

  it("is refused at the limit of memory", function()
    local small = ecs.world { memory_limit = "1M" }
    local before = small:hash()
    refuses(function() small:reserve(1000000, { Position }) end,
      "reserve: the memory limit of this world is reached: 1048576 bytes")
    assert.equal(before, small:hash())
    small:reserve(1000, { Position })
  end)

  it("is refused in callbacks", function()
    world:spawn(Position)
    world:query({ Position }):each(function()
      refuses(function() world:reserve(5, { Position }) end,
        "reserve is not possible inside")
    end)
  end)
end)
