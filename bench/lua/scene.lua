--- scene: the data of the benchmarks in Lua: worlds, and the same entities
-- written by hand.
--
-- The numbers in the fields are, and stay, small multiples of 1/64, which are
-- exact in an f32: a sum over them does not depend on how it was computed.

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

--- Shuffles a list (Fisher, Yates), in the same way in every run.
function scene.shuffle(list)
  local random = generator(20240229)
  for k = #list, 2, -1 do
    local other = random(k)
    list[k], list[other] = list[other], list[k]
  end
  return list
end

--- The initial values of entity k: x, y, and their velocities.
function scene.start(k)
  return k % 64, k % 32, k % 8 - 4, k % 4 + 1
end

--- Makes a world with count entities that have Position, Velocity and the parts
-- given. Returns the world and the ids, in order.
function scene.world(count, ...)
  local world, ids = ecs.world {}, {}
  for k = 1, count do
    local x, y, vx, vy = scene.start(k)
    ids[k] = world:spawn(scene.Position { x = x, y = y },
      scene.Velocity { x = vx, y = vy }, ...)
  end
  return world, ids
end

--- The same entities, one table for each.
function scene.tables(count)
  local list = {}
  for k = 1, count do
    local x, y, vx, vy = scene.start(k)
    list[k] = { x = x, y = y, vx = vx, vy = vy }
  end
  return list
end

--- The same entities, one array per field; make returns an array of count
-- numbers.
function scene.arrays(count, make)
  local arrays = { x = make(count), y = make(count), vx = make(count),
    vy = make(count) }
  for k = 1, count do
    arrays.x[k], arrays.y[k], arrays.vx[k], arrays.vy[k] = scene.start(k)
  end
  return arrays
end

--- A sum over numbers that changes when two values swap places.
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

--- Does a method exist yet? All objects of a class share their methods, so any
-- world or query can be tested.
function scene.lacks(object, method)
  return type(object[method]) ~= "function"
end

return scene
