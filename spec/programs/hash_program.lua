-- One program for every VM. It spawns, destroys, records changes, writes f32
-- columns and rows, regroups, and prints the hash and the state hash of its
-- world. The line must be the same on every VM.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Health = ecs.component("Health", { hp = { "i16", 100 } })
local Target = ecs.component("Target", { who = "entity", sure = "bool" })
local Marked = ecs.tag("Marked", { storage = "sparse" })
local Seen = ecs.tag("Seen", { storage = "bits" })

local seed = 4711
local function random(n)
  seed = seed * 16807 % 2147483647
  return seed % n
end

local world = ecs.world {}

world:spawn_many(2000, { Position, Velocity { y = -1 } }, function(batch)
  local p, v = batch.Position, batch.Velocity
  for i = 1, batch.count do
    p.x[i], p.y[i] = random(1000) / 7, random(1000) / 3
    v.x[i] = (random(200) - 100) / 9
  end
end)

local last
world:system {
  name = "move", query = { Position, Velocity },
  batch = function(batch, dt)
    local p, v = batch[Position], batch[Velocity]
    for i = 1, batch.count do
      local vy = v.y[i] - 9.8 * dt
      local y = p.y[i] + vy * dt
      if y < 0 then y, vy = -y, -vy * 0.8 end
      p.x[i], p.y[i], v.y[i] = p.x[i] + v.x[i] * dt, y, vy
    end
  end,
}
world:system {
  name = "age", query = { Health, read = { Position }, optional = { Target } },
  batch = function(batch)
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
  end,
}
world:system {
  name = "mark", query = { read = { Position }, without = { Seen } },
  batch = function(batch)
    for i = 1, batch.count do
      local entity, roll = batch.entities[i], random(40)
      if roll == 0 then world:add(entity, Health)
      elseif roll == 1 then world:add(entity, Marked)
      elseif roll == 2 then world:remove(entity, Velocity)
      elseif roll == 3 then world:set(entity, Target { who = last })
      elseif roll == 4 then world:add(entity, Seen)
      elseif roll == 5 then world:set(entity, Velocity { x = 0 / 0 })
      elseif roll == 6 then world:destroy(entity)
      elseif roll == 7 then last = world:spawn(Position, Health { hp = 30 }) end
    end
  end,
}
world:system {
  name = "sweep",
  run = function(same)
    same:query({ with = { Marked } }):batch(function(batch)
      for i = 1, batch.count do
        if random(3) == 0 then same:destroy(batch.entities[i])
        else same:remove(batch.entities[i], Marked) end
      end
    end)
  end,
}

world:system {
  name = "tire",
  query = { Health, read = { Position }, optional = { Velocity } },
  each = function(health, p, v, dt, e)
    health.hp = health.hp - p.x * dt
    if v then
      v.x = v.x * 0.999 + health.hp / 7
      v.y = v.y + v.x -- as it was rounded
    end
    if health.hp < 10 then world:add(e, Seen) end
  end,
}
world:system {
  name = "meet", run = function(same)
    for e, target, p in same:query({ Target, Position }):rows() do
      target.sure = p.x > p.y
      if random(4) == 0 then same:spawn(Position { x = p.x, y = 1 }) end
      if random(9) == 0 then same:remove(e, Target) else p.x = p.x / 3 end
      if random(50) == 0 then same:destroy(e) end
    end
  end,
}

for frame = 1, 120 do
  world:progress(1 / 60)
  if frame == 40 then world:group { Position, Velocity } end
  if frame == 80 then world:group { Position } end
  -- A frame that fails leaves no recorded changes behind.
  if frame % 30 == 0 then
    pcall(function()
      world:query({ read = { Health } }):batch(function(batch)
        world:destroy(batch.entities[1])
        world:spawn(Marked)
        error "discard"
      end)
    end)
  end
end

print(world:hash(), world:state_hash())
