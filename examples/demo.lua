-- Fireworks: more than 100,000 sparks, which are spawned and expire each frame.
--
--     run      launch    new rockets                         Lua
--     native   move      everything that has a velocity      C
--     native   fade      sparks burn down                    C
--     batch    rockets   burn, leave a trail, burst          Lua
--     batch    expire    burnt-out sparks are destroyed      Lua
--     native   plot      sparks onto a grid of dots          C
--     native   paint     the grid onto 1,560 cells           C
--
-- In a terminal it draws for some seconds (or `demo.lua SECONDS`; ctrl-c ends
-- it sooner). Otherwise it runs 400 frames and prints the last one. Random
-- numbers come from a generator in this file, so every VM shows the same
-- fireworks and ends with the same hash.

local ecs = require "ecs"

local COLUMNS, LINES = 78, 20         -- as in demo_kernels.c
local SPARKS = 150000                 -- at the beginning
local DT = 1 / 60

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Spark = ecs.component("Spark", { left = "f32", hue = "u8" })
local Rocket = ecs.component("Rocket", { fuse = "f32", hue = "u8" })
local Cell = ecs.component("Cell", {
  column = "u8", line = "u8", dots = "u8", colour = "u8",
})

local loaded, reason = ecs.load_native "demo_kernels"
if not loaded then
  io.stderr:write(reason, "\n`make demo` builds it.\n")
  os.exit(1)
end

-- Chance -------------------------------------------------------------------

local seed = 20240229

-- Park and Miller's generator: exact in a double, the same on every VM.
local function random(low, high)
  seed = seed * 16807 % 2147483647
  return low + (high - low) * (seed / 2147483647)
end

-- A point in the unit disc, without sines that VMs might round differently.
local function direction()
  while true do
    local x, y = random(-1, 1), random(-1, 1)
    if x * x + y * y <= 1 then return x, y end
  end
end

-- The world ----------------------------------------------------------------

local world = ecs.world {}
local born, died = 0, 0

local function sparks(count, x, y, speed, hue, life)
  born = born + count
  world:spawn_many(count, { Position, Velocity, Spark }, function(batch)
    local p, v, s = batch[Position], batch[Velocity], batch[Spark]
    local px, py, vx, vy, left, hues = p.x, p.y, v.x, v.y, s.left, s.hue
    for i = 1, batch.count do
      local dx, dy = direction()
      px[i], py[i] = x, y
      vx[i], vy[i] = dx * speed, dy * speed
      left[i] = random(0.2, 1) * life
      hues[i] = hue
    end
  end)
end

for line = 0, LINES - 1 do
  for column = 0, COLUMNS - 1 do
    world:spawn(Cell { column = column, line = line })
  end
end

-- Sparks of many ages, as after some seconds of fireworks.
for _ = 1, 150 do
  sparks(SPARKS / 150, random(20, COLUMNS * 2 - 20), random(25, LINES * 4),
    random(4, 30), math.floor(random(0, 6)), random(2, 7))
end

-- Systems ------------------------------------------------------------------

local report = {}    -- a line per system, filled by the clock

-- Defines a system, and after it a second one that takes the time.
local started = 0
local function system(spec)
  local line = {
    name = spec.name, seconds = 0, plan = "-", rows = "-", query = nil,
    kind = spec.native and "native" or spec.batch and "batch" or "run",
  }
  if spec.query then
    line.query = world:query(spec.query)
    spec.query = line.query
  end
  report[#report + 1] = line
  world:system(spec)
  world:system {
    name = spec.name .. " (clock)",
    run = function()
      local now = os.clock()
      line.seconds, started = line.seconds + now - started, now
    end,
  }
end

system {
  name = "launch",
  run = function()
    for _ = 1, random(0, 1) < 0.6 and 1 or 0 do
      world:spawn(
        Position { x = random(15, COLUMNS * 2 - 15) },
        Velocity { x = random(-6, 6), y = random(50, 72) },
        Rocket { fuse = random(1.1, 2.0), hue = math.floor(random(0, 6)) })
    end
  end,
}

system {
  name = "move", query = { Position, Velocity }, native = "demo_kernels.move",
}

system {
  name = "fade", query = { Spark }, native = "demo_kernels.fade",
}

system {
  name = "rockets",
  query = { Rocket, read = { Position } },
  batch = function(batch, dt)
    local fuse, hue = batch.Rocket.fuse, batch.Rocket.hue
    local x, y = batch.Position.x, batch.Position.y
    for i = 1, batch.count do
      local left = fuse[i] - dt
      fuse[i] = left
      if left <= 0 then
        sparks(1200, x[i], y[i], random(14, 40), hue[i], random(3, 7))
        world:destroy(batch.entities[i])
      else
        sparks(3, x[i], y[i], 3, 1, 0.8)
      end
    end
  end,
}

system {
  name = "expire",
  query = { read = { Spark } },
  batch = function(batch)
    local left, entities = batch.Spark.left, batch.entities
    for i = 1, batch.count do
      if left[i] <= 0 and world:destroy(entities[i]) then died = died + 1 end
    end
  end,
}

system {
  name = "plot", query = { read = { Position, Spark } },
  native = "demo_kernels.plot",
}

system { name = "paint", query = { Cell }, native = "demo_kernels.paint" }

-- Drawing ------------------------------------------------------------------

local cells = world:query { read = { Cell } }

-- The canvas as text; colours only where a terminal shows them.
local function picture(coloured)
  local rows, last = {}, nil
  cells:batch(function(batch)
    local column, dots = batch.Cell.column, batch.Cell.dots
    local colour, line = batch.Cell.colour, {}
    for i = 1, batch.count do
      local mask = dots[i]
      if coloured and mask > 0 and colour[i] ~= last then
        last = colour[i]
        line[#line + 1] = string.format("\27[38;5;%dm", last)
      end
      line[#line + 1] = string.char(0xe2, 0xa0 + math.floor(mask / 64),
        0x80 + mask % 64)
      if column[i] == COLUMNS - 1 then
        rows[#rows + 1] = table.concat(line)
        line = {}
      end
    end
  end)
  return table.concat(rows, "\n")
end

-- Running ------------------------------------------------------------------

local frames, elapsed = 0, 0
local alive = world:query { all = true }

local function frame()
  local before = os.clock()
  started = before
  world:progress(DT)
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

local function print_report()
  print(string.format("%-10s %-7s %-28s %9s %10s", "system", "kind", "plan",
    "rows", "ms/frame"))
  for _, line in ipairs(report) do
    if line.query then
      line.plan = line.query:explain():match("^[^,\n]*")
      line.rows = line.query:count()
    end
    print(string.format("%-10s %-7s %-28s %9s %10.3f", line.name, line.kind,
      line.plan, tostring(line.rows), 1000 * line.seconds / frames))
  end
end

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
  print(string.format("%d entities; %d sparks born, %d died; state hash %s",
    alive:count(), born, died, world:state_hash()))
  print_report()
  assert(world:query { Spark }:count() == born - died)
end
