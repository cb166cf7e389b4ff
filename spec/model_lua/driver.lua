--- driver: runs many programs and prints the results; shrinks one that fails.
--
--     lua5.4 spec/model_lua/driver.lua [operations] [first seed]
--
-- prints the numbers of operations, calls and rows, and a digest of all
-- results, which is the same on every VM. A program that fails is made smaller,
-- printed as a script that runs it again, and then as the calls it made. Two
-- more comparisons are of the library with itself: changes made at once and
-- recorded (deferral.lua), and programs in several partitions of their
-- components into groups.

package.path = "./spec/?.lua;" .. package.path

local entries = require "model_lua.entries"
local program = require "model_lua.program"
local run = require "model_lua.run"
local shrink = require "model_lua.shrink"
local deferral = require "model_lua.deferral"
require "model_lua.values"
require "model_lua.walk"
require "model_lua.steps_spawn"
require "model_lua.steps_entity"
require "model_lua.steps_walk"
require "model_lua.steps_resource"
require "model_lua.steps_system"
require "model_lua.steps_watch"
require "model_lua.steps_name"
require "model_lua.steps_up"
require "model_lua.steps_observe"

local driver = {}

local ecs = require "ecs"
ecs.on_fallback = nil -- what is compiled and what not does not matter here

--- The abilities of the library that is tested.
local function find_abilities()
  local world = ecs.world {}
  local query = world:query { all = true }
  local function has(object, name)
    return (pcall(function() assert(object[name]) end))
  end
  return {
    each = has(query, "each"), rows = has(query, "rows"),
    first = has(query, "first"), add_all = has(query, "add"),
    phases = has(world, "enable"), stats = has(world, "stats"),
    flush = (pcall(ecs.world, { flush = "frame" })),
  }
end

local abilities = find_abilities()
driver.abilities = abilities

local function try(made, trace)
  return run.run(ecs, made, { abilities = abilities, trace = trace })
end

--- Prints a program that failed, after making it smaller.
local function report(made, failure, find, kind)
  print("not ok program " .. made.seed .. ": " .. failure)
  print("shrinking it ...")
  local least = shrink.shrink(made, find)
  print("a program that fails as a script, and what it did:\n")
  print(program.script(least, kind))
  driver[kind](least)
end

-- Random programs ------------------------------------------------------------

local PART = 250 -- programs between two digests

local function failure_of(made) return try(made).failure end

--- Runs a program again and prints every call; the script of a failure calls
-- it.
function driver.replay(made)
  local trace = {}
  local done = try(made, trace)
  for _, line in ipairs(trace) do print("-- " .. line) end
  print("-- " .. (done.failure or "all is well"))
end

--- Runs programs until the number of operations is reached, and prints a digest
-- of all before now and then. Returns true if none failed.
function driver.model(operations, seed)
  local ops, calls, rows, errors, count, sum = 0, 0, 0, 0, 0, 0
  while ops < operations do
    if count > 0 and count % PART == 0 then
      print(string.format("%d programs: digest %08x", count, sum))
    end
    local made = program.make(seed + count, { count = 250, large = true })
    local done = try(made)
    if done.failure then
      report(made, done.failure, failure_of, "replay")
      return false
    end
    count, ops, calls = count + 1, ops + done.ops, calls + done.calls
    rows, errors = rows + done.rows, errors + done.errors
    sum = (sum * 31 + done.sum) % 2147483647
  end
  print(string.format("ok model: %d programs, %d operations, %d calls, "
    .. "%d refused, %d rows: digest %08x", count, ops, calls, errors, rows,
    sum))
  return true
end

-- Changes made at once and recorded ------------------------------------------

local function difference(made)
  return (deferral.compare(ecs, run.define(ecs), made, abilities))
end

--- Runs a script of changes again in all ways.
function driver.replay_deferral(made)
  print("-- " .. (difference(made) or "all is well"))
end

function driver.deferral(count, seed)
  local runs, sum = 0, 0
  for k = seed, seed + count - 1 do
    local made = deferral.make(k)
    local failure, done = deferral.compare(ecs, run.define(ecs), made,
      abilities)
    if failure then
      report(made, failure, difference, "replay_deferral")
      return false
    end
    runs = runs + done
    sum = (sum * 31 + done) % 2147483647
  end
  print(string.format("ok deferral: %d scripts run in %d ways end alike", count,
    runs / count))
  return true
end

-- Layouts --------------------------------------------------------------------

-- Operations that depend on the order of rows, or change groups themselves.
local layout_options = {
  count = 200, by_entity = true,
  without = { group = true },
}

--- Runs a program in three partitions of its components into groups. Returns
-- the difference or nil, and the hash.
local function layouts(made)
  local all, wanted, told = {}, nil, nil
  for c = 1, #program.components do all[c] = c end
  for k, groups in ipairs { made.groups, {}, { all } } do
    local copy = {}
    for key, value in entries(made) do copy[key] = value end
    copy.groups = groups
    local done = try(copy)
    if done.failure then return done.failure end
    wanted = wanted or done.state
    if done.state ~= wanted then
      return string.format("partition %d: state hash %s, not %s", k,
        done.state, wanted)
    end
    told = told or done.told_sum
    if done.told_sum ~= told then
      return "partition " .. k .. ": observers are called in another order"
    end
  end
  return nil, wanted
end

--- Runs a program again in all partitions.
function driver.replay_layout(made)
  driver.replay(made)
  print("-- " .. (layouts(made) or "all is well"))
end

function driver.layout(count, seed)
  local sum = 0
  for k = seed, seed + count - 1 do
    local made = program.make(k, layout_options)
    local failure, hash = layouts(made)
    if failure then
      report(made, failure, layouts, "replay_layout")
      return false
    end
    sum = (sum * 31 + tonumber(hash:sub(1, 7), 16)) % 2147483647
  end
  print(string.format("ok layout: %d programs, one state hash for 3 partitions "
    .. "of each: digest %08x", count, sum))
  return true
end

-- The command ----------------------------------------------------------------

-- Every program has code that LuaJIT compiles. With the usual limits LuaJIT
-- discards all machine code again and again, which costs more than the
-- programs.
local function make_room()
  local jit = rawget(_G, "jit")
  if jit and jit.opt then jit.opt.start("maxmcode=16384", "maxtrace=8000") end
end

--- Runs all three comparisons: for 2000 operations of programs, one script of
-- changes and half a layout.
local function main(operations, seed)
  make_room()
  local others = math.floor(operations / 2000)
  return driver.model(operations, seed) and driver.deferral(others, seed)
    and driver.layout(math.floor(others / 2), seed)
end

local arguments = rawget(_G, "arg")
if arguments and tostring(arguments[0]):find("driver.lua", 1, true) then
  local ok = main(tonumber(arguments[1] or 1000000),
    tonumber(arguments[2] or 1))
  os.exit(ok and 0 or 1)
end

return driver
