--- bench_arrays: rows that read and write a map of tiles.
--
-- Every row reads the tile where it stands, stores there, or counts itself
-- there: the last is a function that reads the array in which it writes, so
-- each row sees the rows before it. The map is an array of the world, in
-- compiled and in plain functions; nested Lua tables, as plain Lua; and on
-- LuaJIT an array of its FFI in a loop over columns, written by hand, with its
-- bounds checked, which is the baseline there. "One tile" is the worst case of
-- counting: all rows meet at one element. "Loop" and "key" read what rows
-- before have written in a loop, and as an index. "Chosen" is what the library
-- runs if nothing is said: plain Lua, where that is faster and has the same
-- bits.
--
-- All numbers are whole and small, so all sides have the same result.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local SIZES = { 100, 1000, 10000 }
local SIDES = { 20, 60, 100, 200 }
local FRAMES = 4
local jit = rawget(_G, "jit")
ecs.on_fallback = nil

measure.open("arrays of the world", arg)

local Row = ecs.component("ArraysRow", { x = "f64", y = "f64", seen = "f64" })

--- Name of the work -> the function of a row, given a map with two indices.
local works = {}

function works.read(map)
  return function(p) p.seen = p.seen + map[p.x][p.y] end
end

function works.write(map)
  return function(p) map[p.x][p.y] = p.seen + 1 end
end

function works.count(map)
  return function(p) map[p.x][p.y] = map[p.x][p.y] + 1 end
end

works["one tile"] = function(map)
  return function(p) map[1][1] = map[1][1] + 1 p.seen = 1 end
end

function works.loop(map)
  return function(p)
    local sum = 0
    for y = 1, p.y do sum = sum + map[p.x][y] end
    map[p.x][p.y] = sum % 16 + 1
  end
end

function works.key(map)
  return function(p)
    local x = map[p.x][p.y] % 16 + 1
    map[x][p.y] = x + 1
  end
end

--- The same over the columns of a batch, and an array of the FFI.
local by_hand = {}

local function bounded(x, y, side)
  if x < 1 or x > side or y < 1 or y > side or x % 1 ~= 0 or y % 1 ~= 0 then
    error "outside"
  end
  return (x - 1) * side + y - 1
end

function by_hand.read(map, side)
  return function(rows, count)
    local xs, ys, seen = rows.x, rows.y, rows.seen
    for i = 1, count do
      seen[i] = seen[i] + map[bounded(xs[i], ys[i], side)]
    end
  end
end

function by_hand.write(map, side)
  return function(rows, count)
    local xs, ys, seen = rows.x, rows.y, rows.seen
    for i = 1, count do map[bounded(xs[i], ys[i], side)] = seen[i] + 1 end
  end
end

function by_hand.count(map, side)
  return function(rows, count)
    local xs, ys = rows.x, rows.y
    for i = 1, count do
      local k = bounded(xs[i], ys[i], side)
      map[k] = map[k] + 1
    end
  end
end

by_hand["one tile"] = function(map)
  return function(rows, count)
    local seen = rows.seen
    for i = 1, count do
      map[0] = map[0] + 1
      seen[i] = 1
    end
  end
end

function by_hand.loop(map, side)
  return function(rows, count)
    local xs, ys = rows.x, rows.y
    for i = 1, count do
      local x, sum = xs[i], 0
      for y = 1, ys[i] do sum = sum + map[bounded(x, y, side)] end
      map[bounded(x, ys[i], side)] = sum % 16 + 1
    end
  end
end

function by_hand.key(map, side)
  return function(rows, count)
    local xs, ys = rows.x, rows.y
    for i = 1, count do
      local x = map[bounded(xs[i], ys[i], side)] % 16 + 1
      map[bounded(x, ys[i], side)] = x + 1
    end
  end
end

local function nested(side)
  local map = {}
  for x = 1, side do
    map[x] = {}
    for y = 1, side do map[x][y] = 0 end
  end
  return map
end

--- A side of a contest. kind: compiled, chosen, plain, tables or ffi.
local function side(name, kind, work, width, aim)
  return function(count)
    local world, ids = ecs.world {}, {}
    for k = 1, count do ids[k] = world:spawn(Row {}) end
    local map = kind == "ffi"
      and require("ffi").new("uint32_t[?]", width * width)
      or kind == "tables" and nested(width)
      or world:array("map", "u32", width, width)
    local options = { name = "walk", query = { Row } }
    if kind == "ffi" then
      local walk = by_hand[work](map, width)
      options.batch = function(batch) walk(batch[Row], batch.count) end
    else
      options.each = works[work](map)
      if kind ~= "chosen" then options.compile = kind == "compiled" end
      options.precision = options.compile ~= false and "double" or nil
    end
    world:system(options)
    local function tile(x, y)
      if kind == "ffi" then return map[(x - 1) * width + y - 1] end
      return map[x][y]
    end
    local function reset()
      for k = 1, count do
        world:set(ids[k], Row, "x", k * 7919 % 10007 % width + 1,
          "y", k * 104729 % 10009 % width + 1, "seen", 0)
      end
      for x = 1, width do
        for y = 1, width do
          if kind == "ffi" then
            map[(x - 1) * width + y - 1] = 0
          else
            map[x][y] = 0
          end
        end
      end
    end
    reset()
    return {
      name = name, operations = count * FRAMES, reset = reset, aim_ratio = aim,
      run = function() for _ = 1, FRAMES do world:progress(1) end end,
      check = function()
        local sum = 0
        for x = 1, width do
          for y = 1, width do sum = sum + tile(x, y) * (x + 3 * y) end
        end
        for k = 1, count do sum = sum + world:get(ids[k], Row, "seen") end
        return sum
      end,
    }
  end
end

--- Works that are measured on one map only.
local small = { ["one tile"] = true, loop = true, key = true }

for _, work in ipairs { "read", "write", "count", "one tile", "loop", "key" } do
  for _, width in ipairs(small[work] and { 20 } or SIDES) do
    measure.contest(("%s, %dx%d"):format(work, width, width), SIZES,
      function(count)
        local function run(title, kind, aim)
          return side(title, kind, work, width, aim)(count)
        end
        local tables = run("tables, plain Lua", "tables")
        local compiled = run("array of the world, compiled", "compiled",
          jit and 2 or 1)
        local plain = run("array of the world, plain Lua", "plain")
        local chosen = run("array of the world, chosen", "chosen")
        if not jit then return { tables, compiled, plain, chosen } end
        return { run("array of the FFI by hand", "ffi"), compiled, plain,
                 chosen, tables }
      end)
  end
end

measure.close()
