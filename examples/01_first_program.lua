-- The first program: entities that move.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })

local world = ecs.world {}

world:spawn_many(10000, { Position, Velocity, { x = 1, y = 2 } })
local ball = world:spawn(Position, { x = 100 }, Velocity, { y = -4 })

world:system {
  name = "move",
  query = { Position, read = { Velocity } },
  each = function(p, v, dt)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end,
}

for _ = 1, 60 do world:progress(1 / 60) end

local x, y = world:get(ball, Position, "x", "y")
print("after one second:")
print("  " .. tostring(world))
print(string.format("  the ball is at %.2f, %.2f", x, y))
print(world:query { Position, read = { Velocity } }:explain())
assert(x == 100 and math.abs(y + 4) < 1e-4)
