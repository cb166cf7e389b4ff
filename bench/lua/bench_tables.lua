--- bench_tables: rows that look at a tile map, a Lua table outside.
--
-- Every row walks over a map of side x side tiles and adds up what it finds.
-- The map is nested, map[x][y], or flat, map[x + side * y]. A program reads
-- such a table from a copy, which is made before each run, so for a large map
-- and few rows plain Lua is faster; where it has the same bits (f64) it should
-- be what runs (scripts/ecs/worth.lua). One row in a hundred takes a side exit
-- in some contests, after which the table is copied again. Beside nested maps
-- stand an array of the world, which is read in place, and on LuaJIT an array
-- of its FFI, in a loop over columns.
--
-- All numbers are whole and small, so all sides have the same result.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local SIZES = { 100, 1000, 10000 }
local SIDES = { 20, 60, 200 }
local FRAMES = 4

measure.open("lua tables", arg)

local parts = {}
for _, type in ipairs { "f32", "f64" } do
  parts[type] = ecs.component("TablesRow_" .. type, { x = type, y = type,
                                                      sum = type, hit = type })
end

local floor = math.floor

local function nested(side)
  local map = {}
  for x = 1, side do
    map[x] = {}
    for y = 1, side do map[x][y] = (x * 7 + y * 3) % 5 end
  end
  local function each(p)
    local column = map[floor(p.x)]
    local tile = column and column[floor(p.y)] or 0
    p.sum = p.sum + tile
    p.x = p.x % side + 1
  end
  return each
end

local function flat(side)
  local map = {}
  for x = 1, side do
    for y = 1, side do map[x + side * (y - 1)] = (x * 7 + y * 3) % 5 end
  end
  local function each(p)
    local tile = map[floor(p.x) + side * (floor(p.y) - 1)] or 0
    p.sum = p.sum + tile
    p.x = p.x % side + 1
  end
  return each
end

local function array(side, world)
  local map = world:array("map", "u8", side, side)
  for x = 1, side do
    for y = 1, side do map[x][y] = (x * 7 + y * 3) % 5 end
  end
  local function each(p)
    local tile = map[floor(p.x)][floor(p.y)]
    p.sum = p.sum + tile
    p.x = p.x % side + 1
  end
  return each
end

--- The same over columns, by hand, as its bounds are checked there, too.
local function by_hand(side)
  local ffi = require "ffi"
  local map = ffi.new("uint8_t[?]", side * side)
  for x = 1, side do
    for y = 1, side do
      map[(x - 1) * side + y - 1] = (x * 7 + y * 3) % 5
    end
  end
  return function(batch)
    local rows = batch[1]
    local xs, ys, sums = rows.x, rows.y, rows.sum
    for i = 1, batch.count do
      local x, y = floor(xs[i]), floor(ys[i])
      if x < 1 or x > side or y < 1 or y > side then error "outside" end
      sums[i] = sums[i] + map[(x - 1) * side + y - 1]
      xs[i] = xs[i] % side + 1
    end
  end
end

local last = {} -- [row]: the row that took the last one

--- The function with a side exit, which one row in a hundred takes.
local function leaving(each)
  return function(p, _, e)
    each(p)
    if p.hit > 0.5 then last.row = e end
  end
end

local function side(name, options)
  return function(count)
    local Row = parts[options.type]
    local world, ids = ecs.world {}, {}
    for k = 1, count do
      ids[k] = world:spawn(Row { hit = k % 100 == 50 and 1 or 0 })
    end
    local f = options.shape(options.side, world)
    if options.shape == by_hand then
      local walk, query = f, { Row }
      world:system { name = "walk", query = query, batch = function(batch)
        walk { batch[Row], count = batch.count }
      end }
    else
      world:system { name = "walk", query = { Row }, compile = options.compile,
                     each = options.exits and leaving(f) or f }
    end
    local function reset()
      for k = 1, count do
        world:set(ids[k], Row, "x", k * 13 % options.side + 1,
          "y", k * 29 % options.side + 1, "sum", 0)
      end
    end
    reset()
    return {
      name = name, operations = count * FRAMES, reset = reset,
      aim_ratio = options.aim,
      run = function() for _ = 1, FRAMES do world:progress(1) end end,
      check = function()
        local sum = 0
        for k = 1, count do
          local x, found = world:get(ids[k], Row, "x", "sum")
          sum = sum + x + 3 * found
        end
        return last.row and sum
      end,
    }
  end
end

ecs.on_fallback = nil -- the table is what says it here

local shapes = { nested = nested, flat = flat }
for _, shape in ipairs { "nested", "flat" } do
  for _, exits in ipairs { false, true } do
    for _, width in ipairs(SIDES) do
      local name = ("%s, %dx%d%s"):format(shape, width, width,
        exits and ", 1 row in 100 exits" or "")
      measure.contest(name, SIZES, function(count)
        local function run(title, options)
          options.shape = options.shape or shapes[shape]
          options.side = width
          options.exits = exits
          return side(title, options)(count)
        end
        local placed = shape == "nested" and not exits
          and run("array of the world, f64", { type = "f64", shape = array })
        local hand = placed and rawget(_G, "jit") and run("array of the FFI by "
          .. "hand, f64", { type = "f64", shape = by_hand })
        return {
          run("plain Lua", { type = "f64", compile = false }),
          run("as it comes, f64", { type = "f64", aim = 1.15 }),
          run("as it comes, f32", { type = "f32" }), placed or nil, hand or nil,
        }
      end)
    end
  end
end

measure.close()
