-- Units of a talk on entity component systems: a position, a velocity, hit
-- points. Three updates go over 200,000 of them, on one thread and on all
-- cores, without a lock or another word in the script but `threads`. Both
-- worlds end alike, to the last bit.
--
--     one thread    ----move----|----turn----|----wear----|
--     two threads   --move--|--turn--|--wear--|
--                   --move--|--turn--|--wear--|

local ecs = require "ecs"

local UNITS, FRAMES, RUNS, SIZE = 200000, 5, 4, 1000

local Position = ecs.component("Position", { x = "f32", y = "f32", z = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32", z = "f32" })
local Health = ecs.component("Health", { hp = { "f32", 100 } })

local function make(threads)
  local world = ecs.world { threads = threads, seed = 7 }
  local spent = world:sum "spent"
  world:system { name = "move", query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x, p.y, p.z = p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt
    end }
  world:system { name = "turn", query = { Velocity, read = { Position } },
    each = function(v, p)
      local far = math.sqrt(p.x * p.x + p.y * p.y + p.z * p.z)
      if far > SIZE then v.x, v.y, v.z = -v.x, -v.y, -v.z end
      local angle = ecs.math.atan2(v.y, v.x) + (ecs.random() - 0.5) * 0.1
      local speed = math.sqrt(v.x * v.x + v.y * v.y)
      v.x, v.y = ecs.math.cos(angle) * speed, ecs.math.sin(angle) * speed
    end }
  world:system { name = "wear", query = { Health, read = { Velocity } },
    each = function(h, v)
      local worn = (math.abs(v.x) + math.abs(v.y)) * 0.001
      h.hp = math.max(h.hp - worn, 0)
      spent:add(worn)
    end }
  for k = 1, UNITS do
    world:spawn(Position { x = k % SIZE, y = k % 77, z = k % 13 },
      Velocity { x = k % 7 - 3, y = k % 11 - 5, z = 1 }, Health)
  end
  world:progress(0) -- everything is compiled
  return world, spent
end

--- The least seconds of a frame in all systems, of some series.
local function measure(world, least)
  world:profile(true)
  for _ = 1, FRAMES do world:progress(1 / 60) end
  local seconds = 0
  for _, name in ipairs { "move", "turn", "wear" } do
    seconds = seconds + world:stats(name).seconds
  end
  return math.min(least, seconds / FRAMES)
end

local alone, spent_alone = make(1)
local shared, spent_shared = make "auto"
local one, all = math.huge, math.huge
for _ = 1, RUNS do
  one, all = measure(alone, one), measure(shared, all)
end

assert(alone:hash() == shared:hash())
assert(spent_alone:value() == spent_shared:value())
print(("%d units, three updates: %.2f ms a frame on one thread, %.2f on all: "
  .. "%.2f times as fast"):format(UNITS, one * 1e3, all * 1e3, one / all))
print(shared:explain():match "threads: [^\n]*" or "threads: 1")
print("worn down by " .. ("%.3f"):format(spent_alone:value())
  .. " in both, the same hash: " .. alone:hash())
