-- bench_prefab: prefabs of six components of two fields, with a child of one
-- each, in a world that has held as many entities before.
--
-- The baseline is a C program that spawns the same entities one by one, and
-- links every child to its parent by its values (bench_families.c). It has a
-- core and a world of its own, in this process.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
assert(ecs.load_native "bench_families")

local Families = ecs.component("Families", { count = "f64", found = "f64" })
local components, parts = {}, {}
for k, name in ipairs { "A", "B", "C", "D", "E", "F" } do
  components[k] = ecs.component("Bench" .. name, { x = "f32", y = "f32" })
  parts[k] = components[k] { x = 2 * k - 1, y = 2 * k }
end
local child_parts = { parts[1] }
local Orc = ecs.prefab("BenchOrc", { parts[1], parts[2], parts[3], parts[4],
  parts[5], parts[6], children = { child_parts } })

local function in_c(count)
  local phases = { "clear", "one_by_one", "check" }
  local world = ecs.world { phases = phases }
  local e = world:spawn(Families { count = count })
  for _, phase in ipairs(phases) do
    world:system { name = phase, phase = phase, query = { Families },
      native = "bench_families." .. phase }
  end
  return {
    name = "in C, one by one",
    prepare = function() world:run("clear", 1) end,
    run = function() world:run("one_by_one", 1) end,
    check = function()
      world:run("check", 1)
      return world:get(e, Families, "found")
    end,
  }
end

--- The sum of all values, and a thousand for each parent that has one child.
local function check(world)
  local sum = 0
  for _, component in ipairs(components) do
    world:query({ read = { component } }):batch(function(batch)
      local column = batch[component]
      for i = 1, batch.count do sum = sum + column.x[i] + column.y[i] end
    end)
  end
  for e in world:query({ with = { components[6] } }):rows() do
    if world:link_count(e, ecs.ChildOf) == 1 then sum = sum + 1000 end
  end
  return sum
end

local function in_world(name, aim, run)
  local world = ecs.world {}
  return {
    name = name, aim_ratio = aim,
    prepare = function() world:clear() end,
    run = function() run(world) end,
    check = function() return check(world) end,
  }
end

measure.open("lua prefab", arg)
measure.contest("with a child", { 1000, 100000 }, function(count)
  return {
    in_c(count),
    in_world("spawn_many of a prefab", 1.3, function(world)
      world:spawn_many(count, { Orc })
    end),
    in_world("spawn of a prefab", nil, function(world)
      for _ = 1, count do world:spawn(Orc) end
    end),
    in_world("spawn of values, child by child", nil, function(world)
      local a, b, c, d, e, f = parts[1], parts[2], parts[3], parts[4], parts[5],
        parts[6]
      local child_of = ecs.ChildOf
      for _ = 1, count do
        local parent = world:spawn(a, b, c, d, e, f)
        world:spawn(a, child_of, { parent = parent })
      end
    end),
  }
end)
measure.close()
