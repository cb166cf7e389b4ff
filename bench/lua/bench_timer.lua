--- bench_timer: counting down in fields of each type.
--
-- Every entity has a timer, which goes down by one a frame, begins anew at
-- PERIOD when it is over, and counts how often that was. The same function is
-- compiled for fields of f32, to which the others are compared, of f64, and of
-- integers, which end at the limits of their types.
--
-- All sides count the same: the sums of both fields are compared.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local SIZES = { 1000, 10000 }
local FRAMES = 64
local PERIOD = 60

measure.open("lua timer", arg)

-- What a field costs at most, beside one of f32.
local AIMS = { i8 = 1.5, u8 = 1.5, i16 = 1.5, u16 = 1.5, i32 = 1.5, u32 = 1.5 }

local function side(count, field)
  local Timer = ecs.component("Timer_" .. field, { left = field, n = field })
  local world, ids = ecs.world {}, {}
  world:system { name = "tick", query = { Timer }, compile = "whole",
    each = function(timer)
      timer.left = timer.left - 1
      if timer.left <= 0 then
        timer.left = PERIOD
        timer.n = timer.n + 1
      end
    end }
  for k = 1, count do ids[k] = world:spawn(Timer) end
  local function reset()
    for k = 1, count do
      world:set(ids[k], Timer, "left", k % PERIOD + 1, "n", 0)
    end
  end
  reset()
  return {
    name = field, operations = count * FRAMES, reset = reset,
    aim_ratio = count == 10000 and AIMS[field] or nil,
    run = function() for _ = 1, FRAMES do world:progress(1) end end,
    check = function()
      local left, n = 0, 0
      for k = 1, count do
        local one, some = world:get(ids[k], Timer, "left", "n")
        left, n = left + one, n + some
      end
      return ("%d %d"):format(left, n)
    end,
  }
end

measure.contest("count down", SIZES, function(count)
  local sides = {}
  for _, field in ipairs { "f32", "f64", "i8", "u8", "i16", "u16", "i32",
    "u32" } do
    sides[#sides + 1] = side(count, field)
  end
  return sides
end)

measure.close()
