-- bench_derivatives: positions with a chain of derivatives, the workload of a
-- paper on component groups, as bench/bench_derivatives.c has it: an entity has
-- a position and its first k derivatives, k uniform in 0 to N. A tick runs N
-- systems, of which number k does d(k-1) += d(k) * dt for all that have d(k).
-- A time is per entity of the world.
--
-- By hand (derivatives_by_hand.lua): objects with a method, in the order of
-- creation or sorted by class; arrays of numbers, on LuaJIT also of the FFI.
--
-- Set-ups begin with an empty world that has held nothing. "one by one" spawns
-- an entity and adds each number; "recorded" does so in a world that applies
-- changes at the end of the frame. The collector does not run while the clock
-- does: what freeing the tables costs is not in these numbers.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local by_hand = require "derivatives_by_hand"
local worlds = require "derivatives_worlds"
local has_ffi, ffi = pcall(require, "ffi")

local ecs = scene.ecs
local SIZE, DT = 100000, by_hand.DT

local function list() return {} end
local function ffi_array(count) return ffi.new("float[?]", count + 1) end

--- Classes in random order: each as often, but for the remainder.
local function random_classes(count, last)
  local classes = {}
  for i = 1, count do classes[i] = i % (last + 1) end
  return scene.shuffle(classes)
end

local function sorted(classes)
  local copy = {}
  for i, class in ipairs(classes) do copy[i] = class end
  table.sort(copy)
  return copy
end

-- Set-up -------------------------------------------------------------------

local function set_up(name, classes, last, options, fill)
  local world = ecs.world(options)
  return {
    name = name,
    prepare = function()
      world:close()
      world = ecs.world(options)
    end,
    run = function() fill(world, classes, last) end,
    check = function() return worlds.check(world, last) end,
    against = "objects",
  }
end

local function set_up_lists(name, classes, last, make)
  local lists, numbers
  return {
    name = name,
    prepare = function() lists = nil end,
    run = function() lists, numbers = by_hand.lists(classes, last, make) end,
    check = function() return by_hand.lists_check(lists, numbers, last) end,
  }
end

local function set_ups(last, count)
  local classes, objects = random_classes(count, last), nil
  local sides = {
    { name = "objects",
      prepare = function() objects = nil end,
      run = function() objects = by_hand.objects(classes) end,
      check = function() return by_hand.objects_check(objects, last) end },
    set_up_lists("arrays", classes, last, list),
    set_up("spawn_many", classes, last, {}, worlds.in_bulk),
    set_up("spawners", classes, last, {}, worlds.by_spawners),
    set_up("one by one", classes, last, {}, worlds.by_adds),
    set_up("recorded", classes, last, { flush = "frame" }, worlds.recorded),
  }
  if has_ffi then
    sides[#sides + 1] = set_up_lists("FFI arrays", classes, last, ffi_array)
  end
  return sides
end

-- Ticks --------------------------------------------------------------------

local function tick_objects(name, classes, last)
  local objects
  local function reset() objects = by_hand.objects(classes) end
  reset()
  return {
    name = name, reset = reset,
    run = function()
      for i = 1, #objects do objects[i]:update(DT) end
    end,
    check = function() return by_hand.objects_check(objects, last) end,
  }
end

local function tick_columns(name, classes, last, make)
  local columns, counts
  local function reset()
    columns, counts = by_hand.columns(classes, last, make)
  end
  reset()
  return {
    name = name, reset = reset, against = "objects, as created",
    run = function() by_hand.columns_tick(columns, counts, last, DT) end,
    check = function() return by_hand.columns_check(columns, counts, last) end,
  }
end

--- One system for each derivative: their text names no component.
local function tick_world(classes, last)
  local world = ecs.world {}
  for d = 1, last do
    world:system { name = "sum " .. d, compile = true,
      query = { worlds.parts[d - 1], read = { worlds.parts[d] } },
      each = function(to, from, dt) to.v = to.v + from.v * dt end }
  end
  local function reset()
    world:clear()
    worlds.in_bulk(world, classes, last)
  end
  reset()
  return {
    name = "compiled systems", reset = reset, against = "objects, as created",
    run = function() world:progress(DT) end,
    check = function() return worlds.check(world, last) end,
  }
end

local function ticks(last, count)
  local classes = random_classes(count, last)
  local sides = {
    tick_objects("objects, as created", classes, last),
    tick_objects("objects, by class", sorted(classes), last),
    tick_columns("arrays", classes, last, list),
    tick_world(classes, last),
  }
  if has_ffi then
    sides[#sides + 1] = tick_columns("FFI arrays", classes, last, ffi_array)
  end
  return sides
end

measure.open("lua derivatives", arg)
for _, last in ipairs { 4, 8, 12 } do
  measure.contest("N=" .. last .. " set-up", { SIZE },
    function(count) return set_ups(last, count) end, 5)
  measure.contest("N=" .. last .. " tick", { SIZE },
    function(count) return ticks(last, count) end, 7)
end
measure.close()
