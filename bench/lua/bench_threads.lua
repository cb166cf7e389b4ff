-- bench_threads: the same systems on one thread and on all that the process may
-- have, measured in real time.
--
-- Units have light updates, moves and walls, or a heavy one with a root and an
-- angle. The arena is the game of bench_arena; most of its systems change
-- structure, or may need plain Lua, and so keep to one thread.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local arena = require "arena"
local ecs = require "ecs"

local DT, WIDTH, FRAMES, WARM = 1 / 60, 1000, 4, 100
local SIZES, ARENA_SIZES = { 10000, 65536, 1048576 }, { 10000, 100000 }

measure.use_clock(require("ecs.core").seconds)
measure.open("lua threads", arg)

local Position = ecs.component("ThreadsPosition", { x = "f32", y = "f32" })
local Velocity = ecs.component("ThreadsVelocity", { x = "f32", y = "f32" })
local Health = ecs.component("ThreadsHealth", { points = { "f32", 100 } })

local updates = {}

function updates.light(world)
  world:system { name = "move", query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
    end }
  world:system { name = "bounce", query = { Velocity, read = { Position } },
    each = function(v, p)
      if p.x > WIDTH or p.x < 0 then v.x = -v.x end
      if p.y > WIDTH or p.y < 0 then v.y = -v.y end
    end }
end

function updates.heavy(world)
  local spent = world:sum "spent"
  world:system { name = "turn", query = { Velocity, Health },
    each = function(v, h)
      local angle = ecs.math.atan2(v.y, v.x) + (ecs.random() - 0.5) * 0.1
      local speed = math.sqrt(v.x * v.x + v.y * v.y)
      v.x, v.y = ecs.math.cos(angle) * speed, ecs.math.sin(angle) * speed
      local worn = math.min(h.points, speed * 0.001)
      h.points = h.points - worn
      spent:add(worn)
    end }
end

local function units(name, define, size, threads)
  local world = ecs.world { threads = threads, seed = 3 }
  define(world)
  local function reset()
    world:clear()
    for k = 1, size do
      world:spawn(Position { x = k % WIDTH, y = k % 77 },
        Velocity { x = k % 7 - 3, y = k % 11 - 5 }, Health)
    end
  end
  reset()
  return {
    name = name, operations = size * FRAMES, reset = reset,
    check = function() return world:state_hash() end,
    run = function() for _ = 1, FRAMES do world:progress(DT) end end,
  }
end

local function fight(name, size, threads)
  local game = require "arena_ours"(arena, arena.nests(size), threads)
  local function start()
    game.start()
    for _ = 1, WARM do game.frame() end
  end
  start()
  return {
    name = name, operations = size * FRAMES, reset = start,
    check = game.counts,
    run = function() for _ = 1, FRAMES do game.frame() end end,
  }
end

for _, kind in ipairs { "light", "heavy" } do
  measure.contest(kind .. " updates of units", SIZES, function(size)
    return { units("one thread", updates[kind], size, 1),
      units("all threads", updates[kind], size, "auto") }
  end)
end

measure.contest("a frame of an arena", ARENA_SIZES, function(size)
  return { fight("one thread", size, 1), fight("all threads", size, "auto") }
end)

measure.close()
