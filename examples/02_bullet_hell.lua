-- A bullet hell: thousands of bullets are spawned, fly, hit and expire.
--
-- In a `run` system, spawning and destroying take effect at once; in an `each`
-- system, after its last row.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Bullet = ecs.component("Bullet", { life = { "f32", 4 } }) -- seconds left
local Emitter = ecs.component("Emitter", {
  angle = "f32", turn = { "f32", 0.2 }, -- of a ring; added for the next ring
  wait = "f32", -- seconds until the next
})
local Ship = ecs.component("Ship", { shield = { "i32", 100 } })
local Hit = ecs.tag("Hit", { storage = "sparse" }) -- few, not for long

local ARENA, RADIUS, RING, SPEED = 70, 1.5, 24, 20
local world = ecs.world {}
local ship = world:spawn(Position, { y = -40 }, Velocity, { x = 15 }, Ship)
world:spawn(Position, { x = -30, y = 20 }, Emitter)
world:spawn(Position, { x = 30, y = 20 }, Emitter, { turn = -0.3 })
world:spawn(Position, { y = 40 }, Emitter, { turn = 0.7, wait = 1 })
local born, struck = 0, 0

-- Spawns a ring of bullets with one call, which fills in their columns.
local function fire(x, y, angle)
  world:spawn_many(RING, { Position, { x = x, y = y }, Velocity, Bullet },
    function(batch)
      local v = batch[Velocity]
      for i = 1, batch.count do
        local direction = angle + i * 2 * math.pi / RING
        v.x[i] = SPEED * math.cos(direction)
        v.y[i] = SPEED * math.sin(direction)
      end
    end)
  born = born + RING
end

-- Each emitter fires ten times a second.
local emitters = world:query { Emitter, read = { Position } }
world:system { name = "fire", run = function(_, dt)
  for _, emitter, p in emitters:rows() do
    emitter.wait = emitter.wait - dt
    if emitter.wait <= 0 then
      emitter.wait = emitter.wait + 0.1
      emitter.angle = emitter.angle + emitter.turn
      fire(p.x, p.y, emitter.angle)
    end
  end
end }

world:system {
  name = "fly",
  query = { Position, read = { Velocity } },
  each = function(p, v, dt)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end,
}

world:system {
  name = "turn round at the walls",
  query = { Velocity, read = { Position }, with = { Ship } },
  each = function(v, p)
    if math.abs(p.x) > 50 and p.x * v.x > 0 then v.x = -v.x end
  end,
}

-- Destroys bullets that are too old or have left the arena.
world:system {
  name = "expire",
  query = { Bullet, read = { Position } },
  each = function(bullet, p, dt, e)
    bullet.life = bullet.life - dt
    if bullet.life <= 0 or math.abs(p.x) > ARENA or math.abs(p.y) > ARENA then
      world:destroy(e)
    end
  end,
}

local target = { x = 0, y = 0 } -- position of the ship
world:system { name = "look", run = function()
  target.x, target.y = world:get(ship, Position, "x", "y")
end }

-- Marks bullets that touch the ship; the next system handles all of them.
world:system {
  name = "collide",
  query = { read = { Position }, with = { Bullet } },
  each = function(p, _, e)
    local dx, dy = p.x - target.x, p.y - target.y
    if dx * dx + dy * dy < RADIUS * RADIUS then world:add(e, Hit) end
  end,
}

local hits = world:query { with = { Hit } }
world:system { name = "damage", run = function()
  for e in hits:rows() do
    world:set(ship, Ship, "shield", world:get(ship, Ship, "shield") - 1)
    struck = struck + 1
    world:destroy(e)
  end
end }

local bullets, most = world:query { with = { Bullet } }, 0
for _ = 1, 60 * 8 do
  world:progress(1 / 60)
  most = math.max(most, bullets:count())
end
print(born .. " bullets in eight seconds, at most " .. most .. " at once, "
  .. struck .. " hits")
assert(born > 5000 and most > 2000, "that is no hell")
assert(struck > 0 and world:get(ship, Ship, "shield") == 100 - struck)

-- Without emitters, no bullets are left after the life of one bullet.
for e in emitters:rows() do world:destroy(e) end
for _ = 1, 60 * 4 + 1 do world:progress(1 / 60) end
assert(bullets:count() == 0 and world:alive(ship))
