-- Bulk changes give the same state as the same changes one by one, for every
-- storage.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local once = support.once

local scene = dofile "spec/support/scene.lua"
local Position, Enemy, Stunned = scene.Position, scene.Enemy, scene.Stunned
local Health = ecs.component("Health",
  { hp = { "i32", 100 }, max = { "i32", 100 } })
local Shield = ecs.component("Shield", { level = { "u16", 3 } },
  { storage = "sparse" })
local Fuel = ecs.component("Fuel", { left = { "f64", 0.5 } })
local Tank = ecs.component("Tank", { size = { "u8", 7 } })
local Burning = ecs.tag("Burning", { storage = "bits" })

local components = { Position, Health, Shield, Fuel, Tank, Enemy, Stunned,
  Burning }
local values = {
  [Position] = Position { y = 4 }, [Health] = Health { hp = 5 },
  [Shield] = Shield { level = 6 }, [Fuel] = Fuel { left = 7 },
  [Tank] = Tank { size = 8 }, [Enemy] = Enemy, [Stunned] = Stunned,
  [Burning] = Burning,
}

-- Changes every component through every kind of query: in bulk in one world,
-- one by one in the other. Both must have the same state.
describe("a bulk change of every storage", function()
  local specs = {
    function() return { all = true } end,
    function() return { Position } end,
    function() return { Position, without = { Enemy } } end,
    function() return { read = { Health }, optional = { Shield } } end,
    function() return { Shield } end,
    function() return { Position, with = { Stunned } } end,
    function() return { Position, without = { Burning } } end,
    function() return { with = { Burning } } end,
    function() return { Fuel, without = { Tank } } end,
    function() return { Tank, with = { Health } } end,
  }

  local function populated()
    local world = ecs.world {}
    local seed = 12345
    world:query(components)
    world:group { Fuel, Tank }
    for _ = 1, 60 do
      local entity = world:spawn()
      for _, component in ipairs(components) do
        seed = (seed * 1103515245 + 12345) % 2 ^ 31
        if seed % 8192 < 3000 then world:add(entity, component) end
      end
    end
    return world
  end

  local function matches(query)
    local list = {}
    query:batch(function(batch)
      for i = 1, batch.count do list[#list + 1] = batch.entities[i] end
    end)
    table.sort(list, function(a, b) return a % 2 ^ 28 > b % 2 ^ 28 end)
    return list
  end

  local changes = {
    add = function(where, who, component)
      if who then where:add(who, values[component])
      else where:add(values[component]) end
    end,
    set = function(where, who, component)
      if who then where:set(who, values[component])
      else where:set(values[component]) end
    end,
    remove = function(where, who, component)
      if who then where:remove(who, component)
      else where:remove(component) end
    end,
    destroy = function(where, who)
      if who then where:destroy(who) else where:destroy() end
    end,
  }

  local function compare(change, spec, component, recorded)
    local bulk, single = populated(), populated()
    local query, list = bulk:query(spec()), matches(single:query(spec()))
    local function in_bulk() change(query, nil, component) end
    local function one_by_one()
      for _, entity in ipairs(list) do change(single, entity, component) end
    end
    if recorded then
      once(bulk:query { all = true }, in_bulk)
      once(single:query { all = true }, one_by_one)
    else
      in_bulk()
      one_by_one()
    end
    assert.equal(single:state_hash(), bulk:state_hash())
    assert.equal(single:spawn(), bulk:spawn())
    assert.equal(#matches(query), query:count())
  end

  for name, change in pairs(changes) do
    for _, recorded in ipairs { false, true } do
      it(name .. (recorded and " is recorded" or " happens at once"), function()
        for _, spec in ipairs(specs) do
          for _, component in ipairs(components) do
            compare(change, spec, component, recorded)
            if name == "destroy" then break end
          end
        end
      end)
    end
  end
end)
