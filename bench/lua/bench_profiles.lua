-- bench_profiles: does the number of components and systems that a program has
-- cost those that it uses? The workloads of pvigier's series on an entity
-- component system, as bench/bench_profiles.c has them, in its profiles A (32
-- components, 16 systems) and AAA (512 and 64). Entities have 2 components of
-- two f32; the systems are queries, each for another component. A time is per
-- entity.
--
-- - create: one by one with values, in a new world: spawn with tables of
--   fields, and a spawner.
-- - iterate: all fields of the components += 1, compiled.
-- - create and destroy: the same number one by one.
--
-- By hand an entity is a table of components, which are tables, in a list; one
-- that is destroyed gives its place to the last one.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local profiles = { { "A", 32, 16 }, { "AAA", 512, 64 } }
local SIZE = 10000

local parts = {}
for k = 1, 512 do
  parts[k] = ecs.component("Component" .. k, { a = "f32", b = "f32" })
end
local First, Second = parts[1], parts[2]

--- The four numbers of entity k.
local function start(k) return k % 64, k % 32, k % 16, k % 8 end

-- By hand ------------------------------------------------------------------

local function fill(list, count)
  for k = 1, count do
    local a, b, c, d = start(k)
    list[k] = { place = k, first = { a = a, b = b },
      second = { a = c, b = d } }
  end
end

local function sum_by_hand(list)
  local sum = #list
  for _, e in ipairs(list) do
    sum = sum + e.first.a + 2 * e.first.b + 3 * e.second.a + 4 * e.second.b
  end
  return ("%d"):format(sum)
end

local function remove(list, last, e)
  local place, other = e.place, list[last]
  list[place], other.place = other, place
  list[last] = nil
end

local hand = {}

function hand.create(count)
  local list
  return {
    prepare = function() list = {} end,
    run = function() fill(list, count) end,
    check = function() return sum_by_hand(list) end,
  }
end

function hand.iterate(count)
  local list = {}
  fill(list, count)
  return {
    reset = function() fill(list, count) end,
    run = function()
      for k = 1, count do
        local one, other = list[k].first, list[k].second
        one.a, one.b = one.a + 1, one.b + 1
        other.a, other.b = other.a + 1, other.b + 1
      end
    end,
    check = function() return sum_by_hand(list) end,
  }
end

hand["create and destroy"] = function(count)
  local list, made = {}, {}
  return {
    run = function()
      fill(list, count)
      for k = 1, count do made[k] = list[k] end
      for k = 1, count do remove(list, count + 1 - k, made[k]) end
    end,
    check = function() return sum_by_hand(list) end,
  }
end

-- Worlds -------------------------------------------------------------------

--- A world that knows the components, and has the queries, of a profile.
local function new_world(profile)
  local world, queries = ecs.world {}, {}
  world:spawn_many(0, { parts[profile[2]] })
  for k = 1, profile[2] do world:query { with = { parts[k] } } end
  for k = 1, profile[3] do queries[k] = world:query { parts[k] } end
  return world, queries
end

local function sum_of(world)
  local sum, count = 0, 0
  for _, p, q in world:query({ read = { First, Second } }):rows() do
    sum = sum + p.a + 2 * p.b + 3 * q.a + 4 * q.b
    count = count + 1
  end
  return ("%d"):format(sum + count)
end

local function spawn_with_tables(world, count)
  for k = 1, count do
    local a, b, c, d = start(k)
    world:spawn(First, { a = a, b = b }, Second, { a = c, b = d })
  end
end

local function spawn_prepared(world, count)
  local spawn = world:spawner(First, "a", "b", Second, "a", "b")
  for k = 1, count do spawn(start(k)) end
end

local ours = {}

function ours.create(count, profile, make)
  local world
  return {
    prepare = function()
      if world then world:close() end
      world = new_world(profile)
    end,
    run = function() make(world, count) end,
    check = function() return sum_of(world) end,
  }
end

function ours.iterate(count, profile)
  local world, queries = new_world(profile)
  queries.both = world:query { First, Second }
  local function advance(p, q)
    p.a, p.b = p.a + 1, p.b + 1
    q.a, q.b = q.a + 1, q.b + 1
  end
  spawn_prepared(world, count)
  return {
    reset = function()
      world:clear()
      spawn_prepared(world, count)
    end,
    run = function() queries.both:each(advance) end,
    check = function() return sum_of(world) end,
  }
end

ours["create and destroy"] = function(count, profile)
  local world, queries = new_world(profile)
  local spawn = world:spawner(First, "a", "b", Second, "a", "b")
  local made = {}
  return {
    queries = queries,
    run = function()
      for k = 1, count do made[k] = spawn(start(k)) end
      for k = 1, count do world:destroy(made[k]) end
    end,
    check = function() return sum_of(world) end,
  }
end

local function named(name, side)
  side.name = name
  return side
end

measure.open("lua profiles", arg)
for _, profile in ipairs(profiles) do
  local function contest(work, add_more)
    measure.contest(work .. ", 2 in " .. profile[1], { SIZE }, function(count)
      local sides = {
        named("tables", hand[work](count)),
        named("a world", ours[work](count, profile, spawn_prepared)),
      }
      if add_more then add_more(sides, count) end
      return sides
    end, 9)
  end
  contest("create", function(sides, count)
    sides[3] = named("a world, spawn",
      ours.create(count, profile, spawn_with_tables))
  end)
  contest "iterate"
  contest "create and destroy"
end
measure.close()
