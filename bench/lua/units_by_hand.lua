--- units_by_hand: units of a position, a velocity and hp, and three updates of
-- them, written by hand in Lua; see bench_units.

local scene = require "scene"
local has_ffi, ffi = pcall(require, "ffi")

local DT, BOX = scene.DT, 500

local fields = { "x", "y", "z", "vx", "vy", "vz", "hp" }
local by_hand = { DT = DT, BOX = BOX }

--- The seven numbers of unit i, whose sums are exact in an f32.
function by_hand.start(i)
  return i * 7 % 1000, (i * 7 + 13) % 1000, (i * 7 + 26) % 1000,
    i % 32 - 16, (i + 1) % 32 - 16, (i + 2) % 32 - 16, i
end

--- A number that depends on all values, and on how many were drawn last.
function by_hand.mix(count, drawn, read)
  local sum = drawn
  for i = 1, count do
    local x, y, z, vx, vy, vz, hp = read(i)
    sum = sum + (i % 7 + 1) * (x + 3 * y + 5 * z + vx + vy + vz + hp)
  end
  return sum
end


local function move(units, from, to)
  for i = from, to do
    local u = units[i]
    u.x = u.x + u.vx * DT
    u.y = u.y + u.vy * DT
    u.z = u.z + u.vz * DT
  end
end

local function damage(units, from, to)
  for i = from, to do
    local u = units[i]
    u.hp = u.hp - 1
  end
end

local function draw(units, from, to)
  local drawn = 0
  for i = from, to do
    local u = units[i]
    if u.x > 0 and u.x < BOX and u.y > 0 and u.y < BOX and u.z > 0
      and u.z < BOX
    then
      drawn = drawn + 1
    end
  end
  return drawn
end

--- make_all() returns all units, which are structs or tables.
local function objects(name, count, make_all)
  local units, drawn
  local function reset() units = make_all() end
  reset()
  return {
    name = name, reset = reset, against = "a table per unit",
    run = function()
      move(units, 1, count)
      damage(units, 1, count)
      drawn = draw(units, 1, count)
    end,
    check = function()
      return by_hand.mix(count, drawn, function(i)
        local u = units[i]
        return u.x, u.y, u.z, u.vx, u.vy, u.vz, u.hp
      end)
    end,
  }
end

local function tables(count, padding)
  return objects("a table per unit", count, function()
    local units = {}
    for i = 1, count do
      local x, y, z, vx, vy, vz, hp = by_hand.start(i)
      local u = { x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, hp = hp }
      for k = 1, padding / 8 do u["unused" .. k] = 0 end
      units[i] = u
    end
    return units
  end)
end

local function structs(count, padding)
  local unit = ffi.typeof(([[struct { float x, y, z, vx, vy, vz; int32_t hp;
    char rest[%d]; }[?] ]]):format(padding))
  return objects("FFI structs", count, function()
    local units = unit(count + 1)
    for i = 1, count do
      local u = units[i]
      u.x, u.y, u.z, u.vx, u.vy, u.vz, u.hp = by_hand.start(i)
    end
    return units
  end)
end

local function advance(to, by, count)
  for i = 1, count do to[i] = to[i] + by[i] * DT end
end

local function draw_arrays(x, y, z, count)
  local drawn = 0
  for i = 1, count do
    if x[i] > 0 and x[i] < BOX and y[i] > 0 and y[i] < BOX and z[i] > 0
      and z[i] < BOX
    then
      drawn = drawn + 1
    end
  end
  return drawn
end

local function arrays(name, count, make)
  local a, drawn
  local function reset()
    a = {}
    for _, field in ipairs(fields) do a[field] = make(count, field) end
    for i = 1, count do
      a.x[i], a.y[i], a.z[i], a.vx[i], a.vy[i], a.vz[i], a.hp[i] =
        by_hand.start(i)
    end
  end
  reset()
  return {
    name = name, reset = reset, against = "a table per unit",
    run = function()
      advance(a.x, a.vx, count)
      advance(a.y, a.vy, count)
      advance(a.z, a.vz, count)
      local hp = a.hp
      for i = 1, count do hp[i] = hp[i] - 1 end
      drawn = draw_arrays(a.x, a.y, a.z, count)
    end,
    check = function()
      return by_hand.mix(count, drawn, function(i)
        return a.x[i], a.y[i], a.z[i], a.vx[i], a.vy[i], a.vz[i], a.hp[i]
      end)
    end,
  }
end

local function ffi_arrays(count)
  return arrays("FFI arrays", count, function(length, field)
    return ffi.new(field == "hp" and "int32_t[?]" or "float[?]", length + 1)
  end)
end

--- The sides by hand: tables, arrays, FFI structs, FFI arrays.
function by_hand.sides(count, padding)
  local sides = {
    tables(count, padding),
    arrays("arrays", count, function() return {} end),
  }
  if has_ffi then
    sides[3], sides[4] = structs(count, padding), ffi_arrays(count)
  end
  return sides
end

return by_hand
