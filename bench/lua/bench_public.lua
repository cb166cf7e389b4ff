-- bench_public: 13 of the 19 tests of the public benchmark of ECS libraries for
-- Lua, under their own names, at its sizes; bench_public_systems has the rest.
--
-- They run in a world of 5 N entities: 4 N that only fill it (Health, Name,
-- Aggro) and N shuffled ones (Position, Velocity, Alive), the subject of the
-- test. structural_scaling also has 20 systems on Position and Velocity that do
-- nothing.
--
-- By hand an entity is a table of components, which are tables. Where the
-- public benchmark starts with zeros, these tests start with other numbers, so
-- that their results differ from those of no work at all. The name of a monster
-- is a number here, because there are no fields of text.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs

local SIZES = { 100, 1000, 10000 }
local MULTIPLIER, SYSTEMS = 5, 20

local Position, Velocity, Health = scene.Position, scene.Velocity, scene.Health
local Name = ecs.component("Name", { value = "u32" })
local Alive, Aggro = ecs.tag "Alive", ecs.tag "Aggro"

-- Worlds of 5 N ------------------------------------------------------------

--- Fills the lists by hand: all entities as tables, and the shuffled ones.
local function populate_tables(count, all, tracked)
  for k = #all, 1, -1 do all[k] = nil end
  for k = 1, count * (MULTIPLIER - 1) do
    all[k] = { Health = { current = 100, max = 100 }, Name = { value = 7 },
      Aggro = true }
  end
  for k = 1, count do
    tracked[k] = { Position = { x = k % 8, y = k % 4 },
      Velocity = { x = 0, y = 0 }, Alive = true }
    all[#all + 1] = tracked[k]
  end
  for k = 1, #all do all[k].place = k end
  scene.shuffle(tracked)
end

local name = Name { value = 7 }
local background = { Health, name, Aggro }
local default = { Position, Velocity, Alive }

local function populate_world(count, world, ids)
  world:clear()
  world:spawn_many(count * (MULTIPLIER - 1), background)
  local k = 0
  world:spawn_many(count, default, function(batch)
    local entities, p = batch.entities, batch[Position]
    for i = 1, batch.count do
      k = k + 1
      ids[k], p.x[i], p.y[i] = entities[i], k % 8, k % 4
    end
  end)
  scene.shuffle(ids)
end

--- Counts of what the tests create and change: the check.
local function count_tables(all)
  local counts = { #all, 0, 0, 0, 0, 0 }
  for _, entity in ipairs(all) do
    for k, part in ipairs { "Position", "Velocity", "Alive", "Name",
                            "Aggro" } do
      if entity[part] then counts[k + 1] = counts[k + 1] + 1 end
    end
  end
  return table.concat(counts, " ")
end

local function count_world(world)
  local counts = { world:query({ all = true }):count() }
  for _, part in ipairs { Position, Velocity, Alive, Name, Aggro } do
    counts[#counts + 1] = world:query({ with = { part } }):count()
  end
  return table.concat(counts, " ")
end

--- A sum over the positions after a test of reading or writing: the check.
local function sum_tables(tracked)
  local sum = scene.sum()
  for k = 1, #tracked do sum(tracked[k].Position.x, tracked[k].Position.y) end
  return sum()
end

--- One test. by_hand(count, tracked, all); ways is a list of { name, f }.
-- f(count, world, ids, query) is run, with a query that matches the shuffled
-- ones; f is false for a way that is not available here. values: the test is
-- about positions, and changes nothing else.
local function structural(test, by_hand, ways, systems)
  local values = test == "component/get" or test == "component/set"
  measure.contest(test, SIZES, function(count)
    local all, tracked, result = {}, {}, 0
    local sides = { {
      name = "by hand",
      prepare = function() populate_tables(count, all, tracked) end,
      run = function() result = by_hand(count, tracked, all) or 0 end,
      check = function()
        return values and sum_tables(tracked) + result
          or count_tables(all) .. " " .. result
      end,
    } }
    for _, way in ipairs(ways) do
      local world, ids, found = ecs.world {}, {}, 0
      local query = world:query { with = default }
      for k = 1, systems or 0 do
        world:system { name = "idle " .. k, query = { Position, Velocity },
          batch = function() end }
      end
      sides[#sides + 1] = {
        name = way[1], absent = not way[2] or way[3]
          and scene.lacks(query, way[3]),
        prepare = function() populate_world(count, world, ids) end,
        run = function() found = way[2](count, world, ids, query) or 0 end,
        check = function()
          return values and scene.check(world, ids) + found
            or count_world(world) .. " " .. found
        end,
      }
    end
    return sides
  end)
end

-- entity, component and tag ------------------------------------------------

measure.open("lua public", arg)

local position = Position { x = 0, y = 0 }

structural("entity/create_empty", function(count, _, all)
  local length = #all
  for k = 1, count do all[length + k] = {} end
end, {
  { "spawn", function(count, world)
    for _ = 1, count do world:spawn() end
  end },
  { "spawn_many", function(count, world) world:spawn_many(count, {}) end },
})

local function create_by_hand(count, _, all)
  local length = #all
  for k = 1, count do
    all[length + k] = { Position = { x = 0, y = 0 }, Alive = true }
  end
end

local create = {
  { "spawn", function(count, world)
    local p, a = position, Alive
    for _ = 1, count do world:spawn(p, a) end
  end },
  { "spawn_many", function(count, world)
    world:spawn_many(count, { position, Alive })
  end },
}

structural("entity/create_with_components", create_by_hand, create)

--- Removes an entity: the last one takes its place, and each stores its place.
local function destroy_by_hand(count, tracked, all)
  local last = #all
  for k = 1, count do
    local place, other = tracked[k].place, all[last]
    all[place], other.place = other, place
    all[last] = nil
    last = last - 1
  end
end

local destroy = {
  { "destroy", function(count, world, ids)
    for k = 1, count do world:destroy(ids[k]) end
  end },
  { "q:destroy", function(_, _, _, query) query:destroy() end, "destroy" },
}

structural("entity/destroy", destroy_by_hand, destroy)

structural("component/get", function(count, tracked)
  local sum = 0
  for k = 1, count do
    local place = tracked[k].Position
    sum = sum + place.x + place.y
  end
  return sum
end, {
  { "get two fields", function(count, world, ids)
    local sum, component = 0, Position
    for k = 1, count do
      local x, y = world:get(ids[k], component, "x", "y")
      sum = sum + x + y
    end
    return sum
  end },
})

structural("component/set", function(count, tracked)
  for k = 1, count do
    local place = tracked[k].Position
    place.x, place.y = 1, 1
  end
end, {
  { "set two fields", function(count, world, ids)
    local component = Position
    for k = 1, count do
      world:set(ids[k], component, "x", 1)
      world:set(ids[k], component, "y", 1)
    end
  end },
  { "set a value made before", function(count, world, ids)
    local value = Position { x = 1, y = 1 }
    for k = 1, count do world:set(ids[k], value) end
  end },
  { "q:set", function(_, _, _, query)
    query:set(Position { x = 1, y = 1 })
  end, "set" },
})

local function add_by_hand(count, tracked)
  for k = 1, count do tracked[k].Name = { value = 7 } end
end

local add = {
  { "add", function(count, world, ids)
    local value = name
    for k = 1, count do world:add(ids[k], value) end
  end },
  { "q:add", function(_, _, _, query) query:add(name) end, "add" },
}

structural("component/add", add_by_hand, add)

structural("component/remove", function(count, tracked)
  for k = 1, count do tracked[k].Velocity = nil end
end, {
  { "remove", function(count, world, ids)
    local component = Velocity
    for k = 1, count do world:remove(ids[k], component) end
  end },
  { "q:remove", function(_, _, _, query) query:remove(Velocity) end,
    "remove" },
})

structural("tag/has", function(count, tracked)
  local found = 0
  for k = 1, count do if tracked[k].Alive then found = found + 1 end end
  return found
end, {
  { "has", function(count, world, ids)
    local found, tag = 0, Alive
    for k = 1, count do
      if world:has(ids[k], tag) then found = found + 1 end
    end
    return found
  end },
})

structural("tag/add", function(count, tracked)
  for k = 1, count do tracked[k].Aggro = true end
end, {
  { "add", function(count, world, ids)
    local tag = Aggro
    for k = 1, count do world:add(ids[k], tag) end
  end },
  { "q:add", function(_, _, _, query) query:add(Aggro) end, "add" },
})

structural("tag/remove", function(count, tracked)
  for k = 1, count do tracked[k].Alive = nil end
end, {
  { "remove", function(count, world, ids)
    local tag = Alive
    for k = 1, count do world:remove(ids[k], tag) end
  end },
  { "q:remove", function(_, _, _, query) query:remove(Alive) end, "remove" },
})

-- structural_scaling -------------------------------------------------------

structural("structural_scaling/create", create_by_hand, create, SYSTEMS)
structural("structural_scaling/add_component", add_by_hand, add, SYSTEMS)
structural("structural_scaling/destroy", destroy_by_hand, destroy, SYSTEMS)

measure.close()
