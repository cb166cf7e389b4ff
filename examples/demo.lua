-- Fireworks: more than 100,000 sparks, which are spawned and expire each frame.
-- All of it is Lua, on both VMs.
--
--     launch    run     a new rocket, now and then
--     burn      each    rockets leave a trail; those that burst say so (chance)
--     burst     batch   the sparks of what burst and of trails are spawned
--     scatter   each    new sparks fly off (chance)
--     follow    each    sparks of a trail are drawn to their rocket (look-ups)
--     move      each    everything that has a velocity
--     fade      each    sparks burn down, and are destroyed
--     plot      each    sparks onto a canvas, an array of the world
--
-- In a terminal it draws for some seconds (or `demo.lua SECONDS`; ctrl-c ends
-- it sooner). Otherwise it runs 400 frames and prints the last one. Random
-- numbers come from the world's seed, so every VM shows the same fireworks and
-- ends with the same hash. At the end the sparks fly on as plain Lua tables.

local ecs = require "ecs"

local COLUMNS, LINES = 78, 20         -- of the terminal
local WIDTH, HEIGHT = 2 * COLUMNS, 4 * LINES -- a character has 2 x 4 dots
local SPARKS = 150000                 -- at the beginning
local DT = 1 / 60
local GRAVITY, DRAG = -14, 0.992

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Spark = ecs.component("Spark", { left = "f32", hue = "u8" })
local Rocket = ecs.component("Rocket", { fuse = "f32", hue = "u8" })
local Fresh = ecs.component("Fresh", { speed = "f32", life = "f32" })
local Trail = ecs.component("Trail", { of = "entity" })
local Burst = ecs.event("Burst", { x = "f32", y = "f32", hue = "u8",
  count = "u16", speed = "f32", life = "f32", of = "entity" })

local world = ecs.world { seed = 20240229 }
local canvas = world:array("canvas", "u8", HEIGHT, WIDTH)
local sky = world:query { with = { Rocket } }
local alive = world:query { all = true }
local born, died = 0, 0

-- Chance for the script; rows have ecs.random. Park and Miller's generator:
-- exact in a double, the same on every VM.
local seed = 20240229
local function random(low, high)
  seed = seed * 16807 % 2147483647
  return low + (high - low) * (seed / 2147483647)
end

local function sparks(count, x, y, hue, speed, life, of)
  born = born + count
  world:spawn_many(count, { Position { x = x, y = y }, Velocity,
    Spark { hue = hue, left = life }, Fresh { speed = speed, life = life },
    of and Trail { of = of } })
end

-- Sparks of many ages, as after some seconds of fireworks.
for _ = 1, 150 do
  sparks(SPARKS / 150, random(20, WIDTH - 20), random(25, HEIGHT),
    math.floor(random(0, 6)), random(4, 30), random(2, 7))
end

-- Systems ------------------------------------------------------------------

local NAMES = { "launch", "burn", "burst", "scatter", "follow", "move", "fade",
                "plot" }

world:system {
  name = "launch",
  run = function()
    if random(0, 1) > 0.6 then return end
    world:spawn(
      Position { x = random(15, WIDTH - 15) },
      Velocity { x = random(-6, 6), y = random(50, 72) },
      Rocket { fuse = random(1.1, 2.0), hue = math.floor(random(0, 6)) })
  end,
}

world:system {
  name = "burn", query = { Rocket, read = { Position } },
  each = function(r, p, dt, e)
    r.fuse = r.fuse - dt
    if r.fuse <= 0 then
      world:emit(Burst, { x = p.x, y = p.y, hue = r.hue, count = 1200,
        speed = 14 + 26 * ecs.random(), life = 3 + 4 * ecs.random() })
      world:destroy(e)
    else
      world:emit(Burst, { x = p.x, y = p.y, hue = 1, count = 3, speed = 3,
        life = 0.8, of = e })
    end
  end,
}

world:system {
  name = "burst", query = { read = { Burst } },
  batch = function(batch)
    local b = batch.Burst
    for i = 1, batch.count do
      sparks(b.count[i], b.x[i], b.y[i], b.hue[i], b.speed[i], b.life[i],
        b.of[i])
    end
  end,
}

world:system {
  name = "scatter", query = { Velocity, Spark, read = { Fresh } },
  each = function(v, s, fresh, _, e)
    local angle = 2 * math.pi * ecs.random()
    local speed = fresh.speed * math.sqrt(ecs.random())
    v.x = v.x + speed * ecs.math.cos(angle)
    v.y = v.y + speed * ecs.math.sin(angle)
    s.left = fresh.life * (0.2 + 0.8 * ecs.random())
    world:remove(e, Fresh)
  end,
}

world:system {
  name = "follow", query = { Velocity, read = { Position, Trail } },
  each = function(v, p, trail, dt)
    local x, y = world:get(trail.of, Position, "x", "y")
    if x then
      v.x = v.x + (x - p.x) * 2 * dt
      v.y = v.y + (y - p.y) * 2 * dt
    end
  end,
}

world:system {
  name = "move", query = { Position, Velocity },
  each = function(p, v, dt)
    v.x, v.y = v.x * DRAG, v.y * DRAG + GRAVITY * dt
    p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
  end,
}

local out = world:sum "out"
world:system {
  name = "fade", query = { Spark },
  each = function(s, dt, e)
    s.left = s.left - dt
    if s.left <= 0 then
      out:add(1)
      world:destroy(e)
    end
  end,
}

-- Sparks glitter: few are seen at once. The colour of a dot: 1 to 6 as long as
-- it glows, then 7 to 12.
local SEEN = 0.04
world:system {
  name = "plot", query = { read = { Position, Spark } },
  each = function(p, s)
    local x, y = math.floor(p.x), math.floor(p.y)
    if ecs.random() < SEEN and x >= 0 and x < WIDTH and y >= 0
      and y < HEIGHT then
      canvas[HEIGHT - y][x + 1] = s.left > 0.7 and s.hue + 1 or s.hue + 7
    end
  end,
}

-- Drawing ------------------------------------------------------------------

local COLOURS = { 203, 215, 227, 120, 117, 213, 124, 136, 142, 28, 25, 127 }
-- Of a character's dots, from the left above: what each adds to its code.
local DOTS = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } }

-- A character of Braille and the colour of its last dot; nil: there is none.
local function character(column, line)
  local mask, colour = 0, nil
  for y = 1, 4 do
    local row = canvas[4 * line + y]
    for x = 1, 2 do
      local dot = row[2 * column + x]
      if dot > 0 then mask, colour = mask + DOTS[y][x], COLOURS[dot] end
    end
  end
  return string.char(0xe2, 0xa0 + math.floor(mask / 64), 0x80 + mask % 64),
    colour
end

-- The canvas as text; colours only where a terminal shows them.
local function picture(coloured)
  local rows, last = {}, nil
  for line = 0, LINES - 1 do
    local parts = {}
    for column = 0, COLUMNS - 1 do
      local text, colour = character(column, line)
      if coloured and colour and colour ~= last then
        last = colour
        parts[#parts + 1] = string.format("\27[38;5;%dm", colour)
      end
      parts[#parts + 1] = text
    end
    rows[#rows + 1] = table.concat(parts)
  end
  return table.concat(rows, "\n")
end

-- Running ------------------------------------------------------------------

local frames, elapsed = 0, 0

local function frame()
  local before = os.clock()
  canvas:fill(0)
  world:progress(DT)
  died = died + out:value()
  elapsed = elapsed + os.clock() - before
  frames = frames + 1
end

-- Two frames of the simulation for each drawn one, thirty times a second.
local function live(seconds)
  io.write("\27[?1049h\27[?25l\27[2J")
  local finish, due = os.clock() + seconds, os.clock()
  while os.clock() < finish do
    frame()
    frame()
    io.write("\27[H", picture(true), "\27[0m\n", string.format(
      " %d entities, %d born and %d died so far, %.1f ms per frame \27[K",
      alive:count(), born, died, 1000 * elapsed / frames))
    io.flush()
    due = math.max(due + 2 * DT, os.clock())
    while os.clock() < due do end
  end
end

local function is_terminal()
  local answer = os.execute "test -t 1"
  return answer == true or answer == 0
end

-- What the same costs as plain tables: milliseconds for a frame of sparks that
-- only move, fade and are plotted.
local function tables(count)
  local list, dots, shown = {}, {}, 0
  for k = 1, count do
    list[k] = { x = random(0, WIDTH), y = random(0, HEIGHT), vx = 0, vy = 0,
                left = random(1, 7), hue = k % 6 }
  end
  for y = 1, HEIGHT do dots[y] = {} end
  local function fly()
    for k = 1, count do
      local s = list[k]
      s.vx, s.vy = s.vx * DRAG, s.vy * DRAG + GRAVITY * DT
      s.x, s.y = s.x + s.vx * DT, s.y + s.vy * DT
      s.left = s.left - DT
      local x, y = math.floor(s.x), math.floor(s.y)
      if math.random() < SEEN and x >= 0 and x < WIDTH and y >= 0
        and y < HEIGHT then
        dots[HEIGHT - y][x + 1] = s.left > 0.7 and s.hue + 1 or s.hue + 7
      end
    end
  end
  for _ = 1, 10 do fly() end
  local before = os.clock()
  for _ = 1, 20 do fly() end
  local time = 1000 * (os.clock() - before) / 20
  for y = 1, HEIGHT do shown = shown + #dots[y] end
  assert(shown > 0)
  return time
end

local function print_report()
  print(string.format("%-8s %-24s %9s %10s", "system", "how it runs", "rows",
    "ms/frame"))
  local same = 0
  for _, name in ipairs(NAMES) do
    local stats, text = world:stats(name), world:explain(name)
    local how = text:match "compiled %(([^)]*)%)" and "compiled"
      or text:find("slow: plain Lua", 1, true) and "plain Lua"
      or text:match "^[^:]*: (%w+)"
    local ms = 1000 * stats.seconds / frames
    if name == "move" or name == "fade" or name == "plot" then
      same = same + ms
    end
    print(string.format("%-8s %-24s %9.0f %10.3f", name, how,
      stats.rows / frames, ms))
  end
  local count = world:query({ read = { Spark } }):count()
  local plain = tables(count)
  print(string.format("%d sparks, moved, faded and plotted: %.2f ms; as plain "
    .. "tables: %.2f ms, %.1f times as long", count, same, plain, plain / same))
end

world:profile(true)
if is_terminal() then
  -- Restores the terminal, however the run ended.
  local ok, text = pcall(live, tonumber(arg and arg[1]) or 15)
  io.write("\27[0m\27[?25h\27[?1049l")
  if not ok and not tostring(text):find "interrupted" then error(text, 0) end
else
  for _ = 1, 400 do frame() end
end
if frames > 0 then
  print(picture(false))
  print(string.format("%d frames at %.0f frames per second (%.2f ms each), %s",
    frames, frames / elapsed, 1000 * elapsed / frames,
    rawget(_G, "jit") and jit.version or _VERSION))
  print(string.format("%d entities, %d rockets; %d sparks born, %d died; hash "
    .. "%s", alive:count(), sky:count(), born, died, world:hash()))
  print_report()
  assert(world:query({ read = { Spark } }):count() == born - died)
end
