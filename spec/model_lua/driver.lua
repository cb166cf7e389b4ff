--- driver: runs many programs and says what came of it; shrinks one that fails.
--
--     lua5.4 spec/model_lua/driver.lua [operations] [first seed]
--
-- prints one line: how many operations, calls and rows there were, and a digest
-- of every answer, which is the same on every VM. A program that fails is made
-- smaller, printed as a script that runs it again, and then as the calls it
-- made.

package.path = "./spec/?.lua;" .. package.path

local program = require "model_lua.program"
local run = require "model_lua.run"
local shrink = require "model_lua.shrink"
require "model_lua.walk"
require "model_lua.steps_entity"
require "model_lua.steps_walk"
require "model_lua.steps_system"

local driver = {}

local ecs = require "ecs"

--- What there is of the library.
local function find_abilities()
  local world = ecs.world {}
  local query = world:query {}
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

local function try(made, trace)
  return run.run(ecs, made, { abilities = abilities, trace = trace })
end

--- Runs a program again, telling every call; for what a failure printed.
function driver.replay(made)
  local trace = {}
  local done = try(made, trace)
  for _, line in ipairs(trace) do print("-- " .. line) end
  print("-- " .. (done.failure or "all is well"))
  return done
end

local function report(made, failure)
  print("program " .. made.seed .. " failed: " .. failure)
  print("shrinking it ...")
  local least = shrink.shrink(made, function(candidate)
    return try(candidate).failure
  end)
  print("a program that fails as a script, and what it did:\n")
  print(program.script(least))
  driver.replay(least)
end

--- Runs programs until there were so many operations. Returns true if none
-- failed.
function driver.main(operations, seed)
  local ops, calls, rows, errors, count, sum = 0, 0, 0, 0, 0, 0
  while ops < operations do
    local made = program.make(seed + count, { count = 250, large = true })
    local done = try(made)
    if done.failure then
      report(made, done.failure)
      return false
    end
    count, ops, calls = count + 1, ops + done.ops, calls + done.calls
    rows, errors = rows + done.rows, errors + done.errors
    sum = (sum * 31 + done.sum) % 2147483647
  end
  print(string.format("%d programs, %d operations, %d calls, %d refused, "
    .. "%d rows: digest %08x", count, ops, calls, errors, rows, sum))
  return true
end

local arguments = rawget(_G, "arg")
if arguments and tostring(arguments[0]):find("driver.lua", 1, true) then
  local ok = driver.main(tonumber(arguments[1] or 1000000),
    tonumber(arguments[2] or 1))
  os.exit(ok and 0 or 1)
end

return driver
