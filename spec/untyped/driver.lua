--- driver: runs many generated functions, and prints how many were compiled.
--
--     lua5.4 spec/untyped/driver.lua [functions] [first seed] [keep going]
--
-- A function with different results is made smaller and printed with its seed;
-- then the run fails. Counted are frames that ran compiled, frames of functions
-- that cannot be compiled, and frames that raised an error both ways.

package.path = "./spec/?.lua;" .. package.path

local ecs = require "ecs"
local generate = require "untyped.generate"
local run = require "untyped.run"
local shrink = require "untyped.shrink"

local driver = {}

--- A difference as lines, made smaller.
local function report(seed, tree, difference)
  local lines = { string.format("not ok function %.0f", seed), difference }
  shrink.shrink(tree, function()
    local found, unreadable = run.run(tree, seed, {})
    return found and not unreadable
  end)
  lines[#lines + 1] = "made smaller:\n" .. generate.text(tree)
  lines[#lines + 1] = run.run(tree, seed, {}) or "(no longer)"
  return table.concat(lines, "\n")
end

--- Runs a number of functions. Returns nil or the failure, and the counts.
-- told: called with each failure, after which the run goes on; nil: the run
-- ends.
function driver.run(functions, first, told)
  local heard, seen = ecs.on_fallback, {}
  ecs.on_fallback = nil
  local problem
  for seed = first, first + functions - 1 do
    local tree = generate.make(seed)
    local difference, unreadable = run.run(tree, seed, seen)
    if unreadable then
      problem = string.format("function %.0f does not load: ", seed)
        .. difference .. "\n" .. generate.text(tree)
    elseif difference then
      problem = report(seed, tree, difference)
    end
    if problem and not told then break end
    if problem then told(problem) end
    if told then problem = nil end
  end
  ecs.on_fallback = heard
  return problem, seen
end

local function main(functions, first, going)
  local failures = 0
  local problem, seen = driver.run(functions, first, going and function(text)
    failures = failures + 1
    print(text)
    io.stdout:flush()
  end)
  if problem then
    print(problem)
    return 1
  end
  print(string.format("%s untyped: %.0f functions: %.0f frames compiled, "
    .. "%.0f plain Lua, %.0f raised; %.0f rows took side exits",
    failures == 0 and "ok" or "not ok", functions, seen.compiled or 0,
    seen.plain or 0, seen.raised or 0, seen.exits or 0))
  return failures == 0 and 0 or 1
end

local arguments = rawget(_G, "arg")
if arguments and tostring(arguments[0]):find("untyped/driver.lua", 1, true) then
  local jit = rawget(_G, "jit")
  if jit then jit.off() end -- most functions run a few times
  os.exit(main(tonumber(arguments[1] or 10000), tonumber(arguments[2] or 1),
    arguments[3] ~= nil))
end

return driver
