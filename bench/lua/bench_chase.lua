-- bench_chase: a frame in which every entity turns towards another one, or away
-- from it, and moves.
--
-- The first system looks up the position of the entity that the row names, and
-- writes the row's velocity; the second one moves. Targets are the neighbours,
-- or any entities in random order. A third of all flee.
--
-- By hand: one table for each entity, which refers to the table of its target;
-- on LuaJIT also FFI arrays of float, with the index of the target.
--
-- Roundings differ between the sides, so the check is a mean with two digits.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local has_ffi, ffi = pcall(require, "ffi")

local ecs, DT = scene.ecs, scene.DT
local Position, Velocity = scene.Position, scene.Velocity
local Target = ecs.component("ChaseTarget", { who = "entity", speed = "f32" })
local SIZES = { 1000, 10000 }
local FRAMES = 16
local NEAR = 0.01

measure.open("lua chase", arg)

local sqrt = math.sqrt

--- The numbers of the targets, for each entity.
local function targets_of(count, order)
  local targets = {}
  for k = 1, count do targets[k] = k % count + 1 end
  return order == "random" and scene.shuffle(targets) or targets
end

--- The start of entity k, and its speed; negative: it flees.
local function start(k)
  return k % 97, k % 89, k % 3 == 0 and -2 or k % 5 + 1
end

local function mean(count, position)
  local sum = 0
  for k = 1, count do
    local x, y = position(k)
    sum = sum + x + 3 * y
  end
  return ("%.2f"):format(sum / count)
end

local function by_hand(count, order)
  local targets, list = targets_of(count, order), {}
  local function reset()
    for k = 1, count do
      local one = list[k] or { vx = 0, vy = 0 }
      one.x, one.y, one.speed = start(k)
      list[k] = one
    end
    for k = 1, count do list[k].target = list[targets[k]] end
  end
  reset()
  local function frame()
    for k = 1, #list do
      local one = list[k]
      local target = one.target
      if target then
        local dx, dy = target.x - one.x, target.y - one.y
        local far = sqrt(dx * dx + dy * dy)
        if far > NEAR then
          one.vx, one.vy = dx / far * one.speed, dy / far * one.speed
        end
      end
    end
    for k = 1, #list do
      local one = list[k]
      one.x, one.y = one.x + one.vx * DT, one.y + one.vy * DT
    end
  end
  return {
    name = "tables", operations = count * FRAMES, reset = reset,
    run = function() for _ = 1, FRAMES do frame() end end,
    check = function()
      return mean(count, function(k) return list[k].x, list[k].y end)
    end,
  }
end

local function arrays(count, order)
  local function array() return ffi.new("float[?]", count + 1) end
  local x, y, vx, vy, speed = array(), array(), array(), array(), array()
  local who = ffi.new("int32_t[?]", count + 1, 0)
  for k, target in ipairs(targets_of(count, order)) do who[k] = target end
  local function reset()
    for k = 1, count do
      x[k], y[k], speed[k] = start(k)
      vx[k], vy[k] = 0, 0
    end
  end
  reset()
  local function frame()
    for k = 1, count do
      local target = who[k]
      if target ~= 0 then
        local dx, dy = x[target] - x[k], y[target] - y[k]
        local far = sqrt(dx * dx + dy * dy)
        if far > NEAR then
          vx[k], vy[k] = dx / far * speed[k], dy / far * speed[k]
        end
      end
    end
    for k = 1, count do
      x[k], y[k] = x[k] + vx[k] * DT, y[k] + vy[k] * DT
    end
  end
  return {
    name = "FFI arrays", operations = count * FRAMES, reset = reset,
    run = function() for _ = 1, FRAMES do frame() end end,
    check = function()
      return mean(count, function(k) return x[k], y[k] end)
    end,
  }
end

local function ours(count, order)
  local world, ids = ecs.world {}, {}
  world:system { name = "steer", compile = true,
    query = { Velocity, read = { Position, Target } },
    each = function(v, p, t)
      local x, y = world:get(t.who, Position, "x", "y")
      if x then
        local dx, dy = x - p.x, y - p.y
        local far = sqrt(dx * dx + dy * dy)
        if far > NEAR then
          v.x, v.y = dx / far * t.speed, dy / far * t.speed
        end
      end
    end }
  world:system { name = "move", compile = true,
    query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
    end }
  for k = 1, count do ids[k] = world:spawn(Position, Velocity, Target) end
  for k, target in ipairs(targets_of(count, order)) do
    world:set(ids[k], Target, "who", ids[target])
  end
  local function reset()
    for k = 1, count do
      local x, y, speed = start(k)
      world:set(ids[k], Position, "x", x, "y", y)
      world:set(ids[k], Velocity, "x", 0, "y", 0)
      world:set(ids[k], Target, "speed", speed)
    end
  end
  reset()
  return {
    name = "a world", operations = count * FRAMES, reset = reset,
    aim_ratio = count == 10000 and { lua = 0.2, jit = 0.7 } or nil,
    run = function() for _ = 1, FRAMES do world:progress(DT) end end,
    check = function()
      return mean(count, function(k)
        return world:get(ids[k], Position, "x", "y")
      end)
    end,
  }
end

for _, order in ipairs { "in order", "random" } do
  measure.contest("chase and flee, " .. order, SIZES, function(count)
    local hand = by_hand(count, order)
    if not has_ffi then return { hand, ours(count, order) } end
    return { arrays(count, order), hand, ours(count, order) }
  end)
end

measure.close()
