-- A flock of birds, and three hawks that hunt them; a picture in the terminal.
--
--     birds    fly with their neighbours, keep apart, and flee from hawks
--     hawks    fly to the nearest bird, and eat what they reach
--
-- Who is near is asked of two grids: one over the birds, one over the hawks.
-- They are built once a frame, before the first system that uses them, so all
-- birds decide by what they saw at the same moment. The program checks what a
-- grid answers against a look at every bird, and ends with the hash of the
-- world: it is the same on every Lua.

local ecs = require "ecs"

local BIRDS, FRAMES, SIZE = 600, 60, 100
local SIGHT, APART, FEAR, REACH = 6, 2, 12, 1.5
local DT = 0.1

local Position = ecs.component("Position", { x = "f64", y = "f64" })
local Velocity = ecs.component("Velocity", { x = "f64", y = "f64" })
local Bird, Hawk = ecs.tag "Bird", ecs.tag "Hawk"

local world = ecs.world {}

local drawn = 1
local function random()
  drawn = drawn * 16807 % 2147483647
  return drawn / 2147483647
end

for _ = 1, BIRDS do
  world:spawn(Position { x = random() * SIZE, y = random() * SIZE },
    Velocity { x = random() - 0.5, y = random() - 0.5 }, Bird)
end
for k = 1, 3 do
  world:spawn(Position { x = 25 * k, y = 50 }, Velocity, Hawk)
end

local birds = world:grid {
  query = { read = { Position, Velocity }, with = { Bird } },
  at = { Position, "x", "y" }, cell = SIGHT,
}
local hawks = world:grid {
  query = { read = { Position }, with = { Hawk } },
  at = { Position, "x", "y" }, cell = FEAR,
}

world:system {
  name = "flock",
  query = { Velocity, read = { Position }, with = { Bird } },
  uses = { birds, hawks },
  each = function(v, p, dt, e)
    local n, x, y, dx, dy, away_x, away_y = 0, 0, 0, 0, 0, 0, 0
    for other, q, w in birds:within(p.x, p.y, SIGHT) do
      if other ~= e then
        n, x, y, dx, dy = n + 1, x + q.x, y + q.y, dx + w.x, dy + w.y
        local off_x, off_y = p.x - q.x, p.y - q.y
        if off_x * off_x + off_y * off_y < APART * APART then
          away_x, away_y = away_x + off_x, away_y + off_y
        end
      end
    end
    local ax, ay = away_x * 2, away_y * 2
    if n > 0 then
      ax = ax + (x / n - p.x) * 0.3 + (dx / n - v.x)
      ay = ay + (y / n - p.y) * 0.3 + (dy / n - v.y)
    end
    local hawk, h, distance = hawks:nearest(p.x, p.y, FEAR)
    if hawk then
      ax = ax + (p.x - h.x) / (distance + 0.1) * 20
      ay = ay + (p.y - h.y) / (distance + 0.1) * 20
    end
    v.x, v.y = v.x + ax * dt, v.y + ay * dt
  end,
}

world:system {
  name = "hunt",
  query = { Velocity, read = { Position }, with = { Hawk } },
  uses = { birds },
  compile = false, -- nearest without a radius is plain Lua
  each = function(v, p)
    local prey, q, _, distance = birds:nearest(p.x, p.y)
    if prey then
      v.x = (q.x - p.x) / (distance + 0.1) * 8
      v.y = (q.y - p.y) / (distance + 0.1) * 8
    end
  end,
}

-- No boid flies faster than 6, and one that leaves on one side comes back on
-- the other. This compiles.
world:system {
  name = "fly", query = { Position, Velocity },
  each = function(p, v, dt)
    local speed = math.sqrt(v.x * v.x + v.y * v.y)
    if speed > 6 then v.x, v.y = v.x / speed * 6, v.y / speed * 6 end
    p.x, p.y = (p.x + v.x * dt) % SIZE, (p.y + v.y * dt) % SIZE
  end,
}

-- The grid shows the birds as they were before they flew. One that is eaten
-- twice would be an error, so hawks ask whether it is alive.
local eaten = 0
world:system {
  name = "eat", after = "fly", uses = { birds },
  run = function()
    for _, p in world:query({ read = { Position }, with = { Hawk } }):rows() do
      for bird in birds:within(p.x, p.y, REACH) do
        if world:alive(bird) then
          world:destroy(bird)
          eaten = eaten + 1
        end
      end
    end
  end,
}

for _ = 1, FRAMES do world:progress(DT) end

-- The grid against a look at every bird.
local flock = world:query { read = { Position }, with = { Bird } }
local checked = 0
for x = 5, SIZE, 10 do
  local seen, order = 0, {}
  for e, p in flock:rows() do
    local off_x, off_y = x - p.x, 50 - p.y
    if off_x * off_x + off_y * off_y <= 100 then
      seen, order[e] = seen + 1, true
    end
  end
  for e in birds:within(x, 50, 10) do
    assert(order[e])
    checked, seen = checked + 1, seen - 1
  end
  assert(seen == 0, "each once, and no other")
end

-- Birds that have a flock fly as it does.
local together, alone = 0, 0
for e, p, v in world:query({ read = { Position, Velocity },
                             with = { Bird } }):rows() do
  for other, _, w in birds:within(p.x, p.y, SIGHT) do
    if other ~= e then
      if v.x * w.x + v.y * w.y > 0 then
        together = together + 1
      else
        alone = alone + 1
      end
    end
  end
end

print("a bird or more: . : * #; a hawk: H")
for row = 0, SIZE - 1, 5 do
  local line = {}
  for column = 0, SIZE - 1, 2 do
    local x, y = column + 2 - 1e-9, row + 5 - 1e-9
    local n = 0
    for _ in birds:box(column, row, x, y) do n = n + 1 end
    local marks = { [0] = " ", ".", ":", "*" }
    local mark = marks[n] or "#"
    for _ in hawks:box(column, row, x, y) do mark = "H" end
    line[#line + 1] = mark
  end
  print("|" .. table.concat(line) .. "|")
end
print(string.format("%d birds, %d were eaten; %.0f %% of neighbours fly along",
  flock:count(), eaten, 100 * together / (together + alone)))
print("hash " .. world:state_hash())
assert(flock:count() + eaten == BIRDS and eaten > 0 and checked > 0)
assert(together > 3 * alone, "a flock")
