-- bench_small: a frame of twenty systems, each over few rows of its own: what
-- calls cost, where rows cost next to nothing.
--
--     plain tables       twenty functions that each go over a list of tables
--     compiled           systems of the library, which run in one pass
--     system by system   the same with passes = false
--     from outside       compiled, and each reads a number outside
--     plain each         the functions as plain Lua
--     rows               systems that run loops over rows

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local ecs = require "ecs"

local SYSTEMS, FRAMES, DT = 20, 50, 1 / 64
local SIZES = { 1, 5, 20, 100 }
local load_text = loadstring or load

measure.open("lua small systems", arg)

local components = {}
for k = 1, SYSTEMS do
  components[k] = ecs.component("Small" .. k, { x = "f64", y = "f64" })
end

--- Twenty functions of the same text: a program of twenty systems has as many.
local function functions(text)
  local list = {}
  for k = 1, SYSTEMS do list[k] = assert(load_text(text))() end
  return list
end

local STEP = "return function(p, dt) p.x = p.x + p.y * dt end"
local GAIN = "local gain = 1 "
  .. "return function(p, dt) p.x = p.x + p.y * gain * dt end"

local function side(name, frame, fill, first)
  fill()
  return {
    name = name, operations = SYSTEMS * FRAMES, reset = fill, check = first,
    run = function() for _ = 1, FRAMES do frame() end end,
  }
end

local TABLES = "return function(rows, dt) for k = 1, #rows do "
  .. "local p = rows[k] p.x = p.x + p.y * dt end end"

local function tables(size)
  local list, works = {}, functions(TABLES)
  local function fill()
    for k = 1, SYSTEMS do
      list[k] = {}
      for i = 1, size do list[k][i] = { x = 0, y = i % 3 } end
    end
  end
  return side("plain tables", function()
    for k = 1, SYSTEMS do works[k](list[k], DT) end
  end, fill, function() return list[SYSTEMS][1].x end)
end

local function systems(name, size, options, define)
  local world, first = ecs.world(options), nil
  for k = 1, SYSTEMS do define(world, k) end
  local function fill()
    world:clear()
    for k = 1, SYSTEMS do
      for i = 1, size do
        local e = world:spawn(components[k] { y = i % 3 })
        if i == 1 then first = e end
      end
    end
  end
  return side(name, function() world:progress(DT) end, fill,
    function() return world:get(first, components[SYSTEMS], "x") end)
end

local function with_each(list, compile)
  return function(world, k)
    world:system { name = "s" .. k, query = { components[k] }, each = list[k],
      compile = compile }
  end
end

--- A system that runs a loop over the rows of its own query.
local ROWS = "local world, query = ... return function(_, dt) "
  .. "for _, p in query:rows() do p.x = p.x + p.y * dt end end"

local function with_rows(world, k)
  local query = world:query { components[k] }
  world:system { name = "s" .. k,
    run = assert(load_text(ROWS))(world, query) }
end

measure.contest("twenty systems over few rows", SIZES, function(size)
  return {
    tables(size),
    systems("compiled", size, {}, with_each(functions(STEP), true)),
    systems("system by system", size, { passes = false },
      with_each(functions(STEP), true)),
    systems("from outside", size, {}, with_each(functions(GAIN), true)),
    systems("plain each", size, {}, with_each(functions(STEP), false)),
    systems("rows", size, {}, with_rows),
  }
end)

measure.close()
