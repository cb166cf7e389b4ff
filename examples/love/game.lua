-- The shooter without its window: a ship, waves of raiders with two turrets
-- each, shots, shells, sparks, and a sky of 100,000 points of dust. All systems
-- with an each function are compiled. main.lua draws it and plays it.

local ecs = require "ecs"

local cos, sin = ecs.math.cos, ecs.math.sin -- the same on every machine
local WIDTH, HEIGHT, DUST, BURST = 800, 600, 100000, 900

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local FULL = { "u8", 255 }
local Colour = ecs.component("Colour",
  { r = FULL, g = FULL, b = FULL, a = FULL })
local Dust = ecs.tag "Dust"
local Spark = ecs.component("Spark", { age = "f32", life = "f32" })
local Ship = ecs.component("Ship", { lives = { "i32", 5 }, wait = "f32" })
local Raider = ecs.component("Raider", { hp = { "i32", 3 }, time = "f32" })
local Mount = ecs.component("Mount", { dx = "f32", dy = "f32" })
local Gun = ecs.component("Gun", { wait = "f32" })
local Shot, Shell = ecs.tag "Shot", ecs.tag "Shell"
local Round = ecs.component("Round", { wave = "i32", score = "i32" })

local world = ecs.world {
  phases = { { "simulate", fixed = 1 / 60 } }, states = { "play", "over" },
}
local input = { x = 0, fire = false } -- what the player wants
local round = world:resource(Round {})
local game = {
  world = world, round = round, WIDTH = WIDTH, HEIGHT = HEIGHT,
  Position = Position, Colour = Colour, Ship = Ship,
  input = input,
  ship = world:spawn(Ship, Position { x = WIDTH / 2, y = HEIGHT - 40 }),
}
world:name(game.ship, "ship")

game.raiders = world:query { read = { Position, Raider } }
game.turrets = world:query { read = { Position, Mount } }
game.shots = world:query { read = { Position }, with = { Shot } }
game.shells = world:query { read = { Position }, with = { Shell } }
game.points = world:query { read = { Position, Colour } }

local near = world:grid { query = game.raiders, at = { Position, "x", "y" },
                          cell = 20 }

world:spawn_many(DUST, { Dust, Position, Velocity, Colour }, function(batch)
  local p, v, colour = batch.Position, batch.Velocity, batch.Colour
  for i = 1, batch.count do
    local depth = i * 0.618034 % 1 -- evenly, but in no order
    p.x[i], p.y[i] = i * 0.754878 % 1 * WIDTH, i * 0.569840 % 1 * HEIGHT
    v.y[i] = 8 + 60 * depth * depth
    colour.r[i], colour.a[i] = 150, 10 + math.floor(110 * depth * depth)
  end
end)

-- Turrets are children of their raider: they move and die with it.
local Wing = ecs.prefab("Wing", {
  Raider, Position { y = -20 }, Velocity { y = 30 },
  children = { { Position, Mount { dx = -12 }, Gun { wait = 1 } },
               { Position, Mount { dx = 12 }, Gun { wait = 2 } } },
})
local shoot = world:spawner(Shot, Position, "x", "y",
  Velocity { y = -500 }, "x")
local shell = world:spawner(Shell, Position, "x", "y", Velocity, "x", "y")

local function burst(p, count)
  world:spawn_many(count, { Spark, Position { x = p.x, y = p.y }, Velocity,
                            Colour { g = 160, b = 60 } })
end

-- A raider that was shot leaves sparks and points. What observers change is
-- done when all of them have been called.
world:on("leave", game.raiders, function(_, p, raider)
  if raider.hp > 0 then return end -- it has left the screen
  round.score = round.score + 10
  burst(p, BURST)
end)

-- The systems, in their order.
local function system(options)
  options.phase, options.in_state = "simulate", "play"
  world:system(options)
end

system { name = "wave", run = function()
  if game.raiders:first() then return end
  round.wave = round.wave + 1
  for k = 1, 6 + 2 * round.wave do
    world:spawn(Wing, Position { x = 40 + k * 97 % (WIDTH - 80), y = -k * 15 },
      Raider { hp = 1 + round.wave, time = k })
  end
end }

system { name = "steer", query = { Position, with = { Ship } },
  each = function(p, dt)
    p.x = math.max(20, math.min(WIDTH - 20, p.x + 350 * input.x * dt))
  end }

system { name = "fire", query = { Ship, read = { Position } },
  each = function(ship, p, dt)
    ship.wait = ship.wait - dt
    if input.fire and ship.wait <= 0 then
      ship.wait = 0.1
      shoot(p.x - 6, p.y - 20, -40)
      shoot(p.x, p.y - 20, 0)
      shoot(p.x + 6, p.y - 20, 40)
    end
  end }

system { name = "weave", query = { Velocity, Raider },
  each = function(v, raider, dt, e)
    raider.time = raider.time + dt
    v.x = 90 * cos(raider.time)
    if raider.hp <= 0 then world:destroy(e) end
  end }

system { name = "move", query = { Position, read = { Velocity } },
  each = function(p, v, dt)
    p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
  end }

-- Parents before their children: a turret is where its raider is now.
system { name = "mount",
  query = { Position, read = { Mount },
            up = { ecs.ChildOf, read = { Position } } },
  each = function(p, mount, raider)
    if raider then p.x, p.y = raider.x + mount.dx, raider.y + mount.dy end
  end }

system { name = "aim", query = { Gun, read = { Position } },
  each = function(gun, p, dt)
    gun.wait = gun.wait - dt
    if gun.wait > 0 or p.y < 0 then return end
    gun.wait = 1 + 2 * ecs.random()
    local x, y = world:get(game.ship, Position, "x", "y")
    local dx, dy = x - p.x, y - p.y
    local speed = 180 / math.sqrt(dx * dx + dy * dy + 1)
    shell(p.x, p.y, dx * speed, dy * speed)
  end }

system { name = "hit", query = game.shots,
  each = function(p, _, e)
    local raider, _, its = near:nearest(p.x, p.y, 16)
    if raider then
      world:set(raider, Raider, "hp", its.hp - 1)
      world:destroy(e)
    end
  end }

local hurt = world:sum "hurt"
system { name = "struck", query = game.shells,
  each = function(p, _, e)
    local x, y = world:get(game.ship, Position, "x", "y")
    if math.abs(p.x - x) < 10 and math.abs(p.y - y) < 10 then
      hurt:add(1)
      world:destroy(e)
    end
  end }

system { name = "lives", run = function()
  if hurt:value() == 0 then return end
  local lives = world:get(game.ship, Ship, "lives") - 1
  world:set(game.ship, Ship, "lives", lives)
  burst(world:get(game.ship, Position), BURST)
  if lives == 0 then world:go "over" end
end }

system { name = "leave",
  query = { read = { Position }, without = { Dust, Spark } },
  each = function(p, _, e)
    if p.y > HEIGHT + 20 or p.y < -600 then world:destroy(e) end
  end }

system { name = "drift", query = { Position, with = { Dust } },
  each = function(p)
    if p.y > HEIGHT then p.y = p.y - HEIGHT end
  end }

system { name = "burn", query = { Spark, Velocity, Colour },
  each = function(spark, v, colour, dt, e)
    if spark.age == 0 then
      local angle, speed = 2 * math.pi * ecs.random(), 160 * ecs.random()
      v.x, v.y = speed * cos(angle), speed * sin(angle)
      spark.life = 0.5 + 1.5 * ecs.random()
    end
    spark.age = spark.age + dt
    local left = math.max(0, 1 - spark.age / spark.life)
    colour.g, colour.a = math.floor(160 * left), math.floor(255 * left)
    if left == 0 then world:destroy(e) end
  end }

game.begun = world:snapshot() -- for another round: the ship is in it, too
return game
