-- Hashes: what of a world they depend on, and what they leave out.

local ecs = require "ecs"

local scene = dofile "spec/support/scene.lua"
local Position, Enemy, Stunned = scene.Position, scene.Enemy, scene.Stunned

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn(Position { x = 1 }, Enemy)
end)

describe("a hash", function()
  -- The same two entities, with their rows in either order.
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

  it("sees whatever an entity may have, wherever it is stored", function()
    local Part = ecs.component("ContractPart", { n = "u8", of = "entity" },
      { storage = "sparse" })
    local Lit = ecs.tag("ContractLit", { storage = "bits" })
    local changes = {
      function(made) made:spawn() end,
      function(made, a) made:destroy(a) end,
      function(made, a) made:add(a, Enemy) end,
      function(made, a) made:add(a, Stunned) end,
      function(made, a) made:add(a, Lit) end,
      function(made, a) made:add(a, Part) end,
      function(made, a) made:add(a, Part { n = 1 }) end,
      function(made, a, b) made:add(a, Part { of = b }) end,
      function(made, a) made:remove(a, Position) end,
    }
    local seen, states = {}, {}
    for number, change in ipairs(changes) do
      local made = ecs.world {}
      local a, b = made:spawn(Position), made:spawn(Position)
      local hash, state = made:hash(), made:state_hash()
      seen[hash], states[state] = seen[hash] or 0, states[state] or 0
      change(made, a, b)
      hash, state = made:hash(), made:state_hash()
      assert.is_nil(seen[hash], number)
      assert.is_nil(states[state], number)
      seen[hash], states[state] = number, number
    end
  end)

  it("leaves systems and frames out", function()
    local before = world:hash()
    world:system { name = "idle", run = function() end }
    world:progress(1)
    assert.equal(before, world:hash())
  end)

  it("of the state leaves the order of rows out", function()
    assert.equal(pair(false):state_hash(), pair(true):state_hash())
    local before = world:state_hash()
    world:set(e, Position, "y", 1)
    assert.not_equal(before, world:state_hash())
  end)
end)
