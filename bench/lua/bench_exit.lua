-- bench_exit: a system of which some rows take a side exit.
--
-- Every row moves. One in so many does what cannot be compiled: it writes to a
-- table outside. Beside it is the same function where no row reaches the
-- exit, and the whole as plain Lua. Then the function reads variables outside,
-- which have to be compared behind each row that took the exit.
--
-- All numbers are exact in an f32, so all sides have the same result.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs, DT = scene.ecs, scene.DT
local SIZES = { 10000 }
local FRAMES = 16
local RATES = { 0, 10000, 1000, 100, 10 }
local TYPES = { "f32", "f64" }

measure.open("lua exit", arg)

local parts = {}
for _, type in ipairs(TYPES) do
  parts[type] = {
    Place = ecs.component("ExitPlace_" .. type, { x = type, y = type }),
    Speed = ecs.component("ExitSpeed_" .. type, { x = type, y = type,
                                                  hit = type }),
  }
end

--- A world of which every rate-th row takes the exit; 0: none does.
local function rows(count, type, rate)
  local Place, Speed = parts[type].Place, parts[type].Speed
  local world, ids = ecs.world {}, {}
  for k = 1, count do
    ids[k] = world:spawn(Place, Speed)
    local hits = rate > 0 and k % rate == math.floor(rate / 2)
    world:set(ids[k], Speed, "x", k % 8 - 4, "y", k % 4 - 2,
      "hit", hits and 1 or 0)
  end
  return world, ids, Place, Speed
end

--- The system's function.
local function moving(last)
  return function(p, v, dt, e)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
    if v.hit > 0.5 then last.row = e end
  end
end

--- The same with three numbers from outside.
local function reading(last)
  local limit, options = 0.5, { speed = 0.5, world = { wind = 1 } }
  return function(p, v, dt, e)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt * options.speed + options.world.wind
    if v.hit > limit then last.row = e end
  end
end

--- A side: how the system runs, which rows exit, and the precision.
local function side(name, options)
  return function(count)
    local world, ids, Place, Speed = rows(count, options.type, options.rate)
    local last = { row = ids[1] }
    world:system { name = "move", query = { Place, read = { Speed } },
      compile = options.compile, precision = options.precision,
      each = (options.reads and reading or moving)(last) }
    local function reset()
      for k = 1, count do world:set(ids[k], Place, "x", k % 64, "y", k % 32) end
    end
    reset()
    return {
      name = name, operations = count * FRAMES, reset = reset,
      aim_ratio = options.aim,
      run = function()
        for _ = 1, FRAMES do world:progress(DT) end
      end,
      check = function()
        local sum = 0
        for k = 1, count do
          local x, y = world:get(ids[k], Place, "x", "y")
          sum = sum + x + 3 * y
        end
        return last.row and sum
      end,
    }
  end
end

local function compare(type, rate, reads)
  local name = rate == 0 and "no row exits" or "1 row in " .. rate
  name = name .. (reads and ", reads outside, " or ", ") .. type
  measure.contest(name, SIZES, function(count)
    local function run(title, options)
      options.type, options.rate = type, options.rate or rate
      options.reads = reads
      return side(title, options)(count)
    end
    return {
      run("plain Lua", { compile = false }),
      run("no exit taken", { rate = 0, compile = true }),
      run("exits", { compile = true }),
      run("exits, double", { compile = true, precision = "double" }),
    }
  end)
end

for _, type in ipairs(TYPES) do
  for _, rate in ipairs(RATES) do compare(type, rate, false) end
  for _, rate in ipairs { 100, 10 } do compare(type, rate, true) end
end

measure.close()
