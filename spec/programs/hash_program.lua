-- Programs for every VM and every compiler.
--
--     hash_program.lua [COUNT]   so many programs; 1 without a number
--
-- Each spawns, destroys, records changes, writes f32 columns and rows, computes
-- with functions of ecs.math, regroups, and prints the hash and the state hash
-- of its world. It is played twice: the second time the world is saved in the
-- middle, and what was loaded into another world goes on. The lines must be the
-- same on every VM, whatever compiled the library.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Health = ecs.component("Health", { hp = { "i16", 100 } })
local Target = ecs.component("Target", { who = "entity", sure = "bool" })
local Wave = ecs.component("Wave", { phase = "f64", height = "f64" })
local Marked = ecs.tag("Marked", { storage = "sparse" })
local Seen = ecs.tag("Seen", { storage = "bits" })

local FRAMES = 120
local maths = ecs.math

-- What a program draws, and the world that it goes on in.
local seed, last, world

local function random(n)
  seed = seed * 16807 % 2147483647
  return seed % n
end

local function move(batch, dt)
  local p, v = batch[Position], batch[Velocity]
  for i = 1, batch.count do
    local vy = v.y[i] - 9.8 * dt
    local y = p.y[i] + vy * dt
    if y < 0 then y, vy = -y, -vy * 0.8 end
    p.x[i], p.y[i], v.y[i] = p.x[i] + v.x[i] * dt, y, vy
  end
end

local function age(batch)
  local hp, target = batch.Health.hp, batch.Target
  for i = 1, batch.count do
    local left = hp[i] - batch.Position.y[i] / 10
    hp[i] = left
    if target then target.sure[i] = not target.sure[i] end
    if left <= 0 then
      world:destroy(batch.entities[i])
      world:spawn(Position { x = i, y = left }, Velocity)
    end
  end
end

local function mark(batch)
  for i = 1, batch.count do
    local entity, roll = batch.entities[i], random(44)
    if roll == 0 then world:add(entity, Health)
    elseif roll == 1 then world:add(entity, Marked)
    elseif roll == 2 then world:remove(entity, Velocity)
    elseif roll == 3 then world:set(entity, Target { who = last })
    elseif roll == 4 then world:add(entity, Seen)
    elseif roll == 5 then world:set(entity, Velocity { x = 0 / 0 })
    elseif roll == 6 then world:destroy(entity)
    elseif roll == 7 then last = world:spawn(Position, Health { hp = 30 })
    elseif roll == 8 then world:set(entity, Wave { phase = random(99) / 7 }) end
  end
end

local function sweep()
  world:query({ with = { Marked } }):batch(function(batch)
    for i = 1, batch.count do
      if random(3) == 0 then world:destroy(batch.entities[i])
      else world:remove(batch.entities[i], Marked) end
    end
  end)
end

local function tire(health, p, v, dt, e)
  health.hp = health.hp - p.x * dt
  if v then
    v.x = v.x * 0.999 + health.hp / 7
    v.y = v.y + v.x -- as it was rounded
  end
  if health.hp < 10 then world:add(e, Seen) end
end

local function roll(wave, p, dt)
  wave.phase = maths.mod(wave.phase + dt * (2 + maths.cos(wave.phase)), 50)
  local turned = maths.atan2(maths.sin(wave.phase), 1.25 + p.x * 1e-3)
  local high = maths.exp(turned / 3) + maths.log(2 + wave.phase)
  wave.height = maths.lerp(wave.height, maths.pow(high, 1.75), 0.25)
  p.x = p.x + maths.log10(1 + math.sqrt(wave.height)) * 0.125
  p.y = p.y + maths.clamp(turned, -0.5, 0.5) / (1 + high)
end

local function meet()
  for e, target, p in world:query({ Target, Position }):rows() do
    target.sure = p.x > p.y
    if random(4) == 0 then world:spawn(Position { x = p.x, y = 1 }) end
    if random(9) == 0 then world:remove(e, Target) else p.x = p.x / 3 end
    if random(50) == 0 then world:destroy(e) end
  end
end

local function new_world()
  local new = ecs.world {}
  new:system { name = "move", query = { Position, Velocity }, batch = move }
  new:system { name = "age", batch = age,
    query = { Health, read = { Position }, optional = { Target } } }
  new:system { name = "mark", batch = mark,
    query = { read = { Position }, without = { Seen } } }
  new:system { name = "sweep", run = sweep }
  new:system { name = "tire", each = tire,
    query = { Health, read = { Position }, optional = { Velocity } } }
  new:system { name = "roll", each = roll, query = { Wave, Position } }
  new:system { name = "meet", run = meet }
  return new
end

local function fill(batch)
  local p, v = batch.Position, batch.Velocity
  for i = 1, batch.count do
    p.x[i], p.y[i] = random(1000) / 7, random(1000) / 3
    v.x[i] = (random(200) - 100) / 9
  end
end

-- What it records is gone with it.
local function fail()
  world:query({ read = { Health } }):batch(function(batch)
    world:destroy(batch.entities[1])
    world:spawn(Marked)
    error "discard"
  end)
end

local function play(number, saved)
  seed, last, world = 4711 * number, nil, new_world()
  local apart = random(FRAMES)
  world:spawn_many(2000, { Position, Velocity { y = -1 } }, fill)
  for frame = 1, FRAMES do
    if saved and frame == apart then
      local bytes = world:save()
      world:close()
      world = new_world()
      local loaded, told = world:load { bytes = bytes }
      assert(loaded and #told == 0, told)
    end
    world:progress(1 / 60)
    if frame == 40 then world:group { Position, Velocity } end
    if frame == 80 then world:group { Position } end
    if frame % 30 == 0 then assert(not pcall(fail)) end
  end
  return world:hash() .. " " .. world:state_hash()
end

for number = 1, tonumber((...)) or 1 do
  local line = play(number)
  assert(play(number, true) == line, "a world that was loaded")
  print(number, line)
end
