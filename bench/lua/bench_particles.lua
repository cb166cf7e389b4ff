-- bench_particles: particles that are born and die in a frame.
--
-- Every particle moves; one in LIFE is at its end, spawns another one where it
-- is, which flies the other way, and is destroyed. An operation is one spawn or
-- one destruction, the moving of all particles included.
--
-- By hand: one table for each particle, in a list, of which the last fills the
-- place of one that dies; on LuaJIT also FFI arrays of float, in the same way.
--
-- How many there are, and the sums of their places, with two digits, are
-- compared.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local has_ffi, ffi = pcall(require, "ffi")

local ecs, DT = scene.ecs, scene.DT
local Position, Velocity = scene.Position, scene.Velocity
local Life = ecs.component("ParticleLife", { left = "f32" })
local SIZES = { 1000, 10000 }
local FRAMES = 16
local LIFE = 8

measure.open("lua particles", arg)

--- Where particle k begins, how it flies, and how long.
local function start(k)
  return k % 97, k % 89, k % 3 - 1, k % 5 - 2, 1 + k % LIFE
end

local function side(name, count, parts)
  return {
    name = name, operations = count * FRAMES / LIFE * 2, reset = parts.reset,
    run = function() for _ = 1, FRAMES do parts.frame() end end,
    check = function()
      local number, x, y = parts.sums()
      return ("%d %.2f %.2f"):format(number, x / number, y / number)
    end,
    aim = parts.aim,
  }
end

local function tables(count)
  local list = {}
  local function reset()
    list = {}
    for k = 1, count do
      local x, y, dx, dy, left = start(k)
      list[k] = { x = x, y = y, dx = dx, dy = dy, left = left }
    end
  end
  reset()
  return side("tables", count, {
    reset = reset,
    frame = function()
      local k, last = 1, #list
      while k <= last do
        local one = list[k]
        one.x, one.y = one.x + one.dx * DT, one.y + one.dy * DT
        one.left = one.left - 1
        if one.left <= 0 then
          list[#list + 1] = { x = one.x, y = one.y, dx = -one.dx,
            dy = -one.dy, left = LIFE }
          local n = #list
          if last < n then
            list[k], list[last], list[n] = list[last], list[n], nil
          end
          last = last - 1
        else
          k = k + 1
        end
      end
    end,
    sums = function()
      local x, y = 0, 0
      for _, one in ipairs(list) do x, y = x + one.x, y + one.y end
      return #list, x, y
    end,
  })
end

local function arrays(count)
  local function array() return ffi.new("float[?]", 2 * count + 2) end
  local x, y, dx, dy, left = array(), array(), array(), array(), array()
  local number = count
  local function move(from, to)
    x[to], y[to], dx[to], dy[to] = x[from], y[from], dx[from], dy[from]
    left[to] = left[from]
  end
  local function reset()
    number = count
    for k = 1, count do x[k], y[k], dx[k], dy[k], left[k] = start(k) end
  end
  reset()
  return side("FFI arrays", count, {
    reset = reset,
    frame = function()
      local k, last = 1, number
      while k <= last do
        x[k], y[k] = x[k] + dx[k] * DT, y[k] + dy[k] * DT
        left[k] = left[k] - 1
        if left[k] <= 0 then
          move(k, number + 1)
          local n = number + 1
          dx[n], dy[n], left[n] = -dx[n], -dy[n], LIFE
          move(last, k)
          move(n, last)
          last = last - 1
        else
          k = k + 1
        end
      end
    end,
    sums = function()
      local sx, sy = 0, 0
      for k = 1, number do sx, sy = sx + x[k], sy + y[k] end
      return number, sx, sy
    end,
  })
end

local function ours(count)
  local world = ecs.world {}
  local moving = world:query { read = { Position } }
  world:system { name = "live", compile = "whole",
    query = { Position, Life, read = { Velocity } },
    each = function(p, l, v, dt, e)
      p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
      l.left = l.left - 1
      if l.left <= 0 then
        world:spawn(Position { x = p.x, y = p.y },
          Velocity { x = -v.x, y = -v.y }, Life { left = LIFE })
        world:destroy(e)
      end
    end }
  local function reset()
    world:clear()
    for k = 1, count do
      local x, y, dx, dy, left = start(k)
      world:spawn(Position { x = x, y = y }, Velocity { x = dx, y = dy },
        Life { left = left })
    end
  end
  reset()
  return side("a world", count, {
    aim = count == 10000 and 12 or nil,
    reset = reset,
    frame = function() world:progress(DT) end,
    sums = function()
      local number, x, y = 0, 0, 0
      for _, p in moving:rows() do
        number, x, y = number + 1, x + p.x, y + p.y
      end
      return number, x, y
    end,
  })
end

measure.contest("particles born and dying", SIZES, function(count)
  if not has_ffi then return { tables(count), ours(count) } end
  return { arrays(count), tables(count), ours(count) }
end)

measure.close()
