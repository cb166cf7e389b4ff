-- bench_five: the five tests of a public benchmark of ECS libraries for
-- JavaScript (noctjs/ecs-benchmark), under their own names and at their sizes;
-- bench/js runs them with libraries of that language. A time is per entity of
-- the test, for one frame.
--
-- - packed_5: 1,000 entities with five components; five systems, each of which
--   doubles one.
-- - simple_iter: 1,000 entities each with A B, A B C, A B C D and A B C E;
--   three systems, which swap A and B, C and D, C and E.
-- - frag_iter: 26 components, of which each is in 100 entities, with Data; a
--   system doubles Data, another one Z.
-- - entity_cycle: 1,000 entities with A; a system spawns one with B for each,
--   another one destroys all that have B.
-- - add_remove: 1,000 entities with A; a system adds B to each, another one
--   removes it.
--
-- By hand (five_by_hand.lua) an entity is a table of components, which are
-- tables; for each pair of components there is a list of those that have both.
-- "bulk": what one writes where all that match change alike.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local five = require "five_scene"
local by_hand = require "five_by_hand"

local ecs, names, parts = scene.ecs, five.names, five.parts
local unpack = table.unpack or unpack -- luacheck: ignore

-- Worlds -------------------------------------------------------------------

local function system(world, query, each)
  local count = world:stats().systems
  world:system { name = "system " .. count, query = query, each = each,
    compile = true }
end

local function double(world, name)
  system(world, { parts[name] }, function(p) p.value = p.value * 2 end)
end

local function swap(world, one, other)
  system(world, { parts[one], parts[other] }, function(a, b)
    a.value, b.value = b.value, a.value
  end)
end

local systems = {}

function systems.packed_5(world)
  for k = 1, 5 do double(world, names[k]) end
end

function systems.simple_iter(world)
  swap(world, "A", "B")
  swap(world, "C", "D")
  swap(world, "C", "E")
end

function systems.frag_iter(world)
  double(world, "Data")
  double(world, "Z")
end

local A, B = parts.A, parts.B

function systems.entity_cycle(world)
  system(world, { read = { A } }, function() world:spawn(B { value = 1 }) end)
  system(world, { read = { B } }, function(_, _, e) world:destroy(e) end)
end

function systems.add_remove(world)
  system(world, { read = { A } }, function(_, _, e)
    world:add(e, B { value = 1 })
  end)
  system(world, { read = { B } }, function(_, _, e) world:remove(e, B) end)
end

-- What one writes in bulk: the two halves of a test.
local bulk = {}

function bulk.entity_cycle(world)
  local sources, made = world:query { with = { A } },
    world:query { with = { B } }
  local value = B { value = 1 }
  return function() world:spawn_many(sources:count(), { value }) end,
    function() made:destroy() end
end

function bulk.add_remove(world)
  local sources, value = world:query { with = { A } }, B { value = 1 }
  return function() sources:add(value) end, function() sources:remove(B) end
end

--- The same by systems.
local function halves_of(world)
  local function without(other)
    return function()
      world:enable(other, false)
      world:progress(1)
      world:enable(other, true)
    end
  end
  return without "system 1", without "system 0"
end

local function sum_of(world)
  local sum = 0
  for number, name in ipairs(names) do
    world:query({ read = { parts[name] } }):batch(function(batch)
      local value = batch[parts[name]].value
      for i = 1, batch.count do sum = sum + number * value[i] end
    end)
  end
  return ("%d"):format(sum)
end

--- Both halves of a test one after the other, and the sum in between.
local function sum_between(world, first, second)
  first()
  local sum = sum_of(world)
  second()
  return sum
end

local function in_world(name, test, share, prepare)
  local world = ecs.world {}
  local first, second = prepare(world)
  local function step() world:progress(1) end
  if first then
    step = function()
      first()
      second()
    end
  end
  local count = 0
  local function reset()
    world:clear()
    count = 0
    five.populate(test, share, function(k, own)
      local values = {}
      for at, part in ipairs(own) do
        values[at] = parts[part] { value = five.start(k, five.number_of(part)) }
      end
      world:spawn(unpack(values))
      count = count + 1
    end)
  end
  reset()
  return {
    name = name, reset = reset, operations = count, run = step,
    check = function()
      if not five.halves[test] then return sum_of(world) end
      if first then return sum_between(world, first, second) end
      return sum_between(world, halves_of(world))
    end,
  }
end

measure.open("lua five", arg)
for _, test in ipairs { "packed_5", "simple_iter", "frag_iter", "entity_cycle",
                        "add_remove" } do
  local size = five.size(test)
  measure.contest(test, { size }, function(count)
    local share = count / size
    local sides = {
      by_hand(test, share),
      in_world("systems", test, share, systems[test]),
    }
    if bulk[test] then
      sides[3] = in_world("bulk", test, share, bulk[test])
    end
    return sides
  end)
end
measure.close()
