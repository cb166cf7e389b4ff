--- scene: what the benchmarks for Lua measure on: worlds, and the same entities
-- written by hand.
--
-- The numbers in the fields are small multiples of 1/64 and stay so, which
-- makes them exact in an f32: a sum over them is the same however it was
-- computed.

local ecs = require "ecs"

local scene = { ecs = ecs }

scene.Position = ecs.component("Position", { x = "f32", y = "f32" })
scene.Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
scene.Health = ecs.component("Health", {
  current = { "f32", 100 }, max = { "f32", 100 },
})
scene.Burning = ecs.component("Burning", { left = "f32", heat = "f32" })
scene.Enemy = ecs.tag "Enemy"
scene.Marked = ecs.tag("Marked", { storage = "sparse" })

--- The time of a frame: exact in binary.
scene.DT = 1 / 64

-- Park and Miller's generator: exact in a double, the same on every VM.
local function generator(seed)
  return function(limit)
    seed = seed * 16807 % 2147483647
    return seed % limit + 1
  end
end

--- Brings a list into an order that is the same in every run (Fisher, Yates).
function scene.shuffle(list)
  local random = generator(20240229)
  for k = #list, 2, -1 do
    local other = random(k)
    list[k], list[other] = list[other], list[k]
  end
  return list
end

--- The values of entity k at the beginning: x, y, and their velocities.
function scene.start(k)
  return k % 64, k % 32, k % 8 - 4, k % 4 + 1
end

--- A world with count entities that have Position, Velocity and the parts
-- given, and their ids, in order.
function scene.world(count, ...)
  local world, ids = ecs.world {}, {}
  for k = 1, count do
    local x, y, vx, vy = scene.start(k)
    ids[k] = world:spawn(scene.Position { x = x, y = y },
      scene.Velocity { x = vx, y = vy }, ...)
  end
  return world, ids
end

--- The same, one table for each entity.
function scene.tables(count)
  local list = {}
  for k = 1, count do
    local x, y, vx, vy = scene.start(k)
    list[k] = { x = x, y = y, vx = vx, vy = vy }
  end
  return list
end

--- The same, an array for each field; make makes an array of count numbers.
function scene.arrays(count, make)
  local arrays = { x = make(count), y = make(count), vx = make(count),
    vy = make(count) }
  for k = 1, count do
    arrays.x[k], arrays.y[k], arrays.vx[k], arrays.vy[k] = scene.start(k)
  end
  return arrays
end

--- Adds up numbers so that values which swap places are noticed.
function scene.sum()
  local sum, place = 0, 0
  return function(x, y)
    if x then
      place = place + 1
      sum = sum + (place % 97 + 1) * (x + 3 * y)
    end
    return sum
  end
end

--- The sum over the positions of these entities.
function scene.check(world, ids)
  local sum = scene.sum()
  for k = 1, #ids do sum(world:get(ids[k], scene.Position, "x", "y")) end
  return sum()
end

--- Has a method that is still being written? Classes share one, so any world
-- or query answers for all.
function scene.lacks(object, method)
  return type(object[method]) ~= "function"
end

return scene
