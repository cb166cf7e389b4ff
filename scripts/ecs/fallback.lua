--- fallback: reports that a system, or a function of query:each, runs as plain
-- Lua and not compiled; or that it is slow although it is.
--
--     ecs.on_fallback = function(system, where, why, compiled)
--       log(where, why)
--     end
--     ecs.on_fallback = nil                     -- no reports
--
-- The handler is the field on_fallback of the table that `require "ecs"`
-- returns. Until a script replaces it, it prints one line. An error that it
-- raises is raised where the system is defined or run.

local standard = require "ecs.standard"
local require = standard.inner "ecs.fallback"

local globals = standard.globals
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, pcall, rawget, type = error, pcall, rawget, type

local fallback = {}

local ecs_module -- the table that require "ecs" returns

local function check(value, argument)
  if type(value) ~= "string" then
    error("ecs: on_fallback takes the name of a system, where and why as "
      .. "texts, not " .. message.describe(value) .. " for " .. argument, 3)
  end
end

--- The name of functions that query:each runs.
fallback.EACH = "query:each"

-- What a row costs as plain Lua: measured with the functions of
-- spec/lua/compile/gameplay. Compiled, most take 1 to 20 ns.
local COST = standard.jit and "up to 0.3 us a row" or "0.05 to 1 us a row"

--- The default handler: writes one line to standard error.
function fallback.show(system, where, why, compiled)
  check(system, "system")
  check(where, "where")
  check(why, "why")
  local io = rawget(globals, "io")
  local stream = type(io) == "table" and rawget(io, "stderr")
  if stream then
    local name = system == fallback.EACH and system
      or "system '" .. system .. "'"
    stream:write("ecs: ", name, compiled and " is slow, compiled: "
      or " runs as plain Lua, which takes " .. COST .. ": ", where, ": ", why,
      "\n")
  end
end

--- Sets the table in which the handler is looked up. Only the first call
-- counts.
function fallback.watch(module)
  ecs_module = ecs_module or module
end

--- Calls the handler, where there is one. compiled: the function does not run
-- as plain Lua, but is slow. Returns nil where all went well. Otherwise the
-- error and whether the handler raised it: false where the message is ours,
-- because the handler is no function or raised nil.
function fallback.report(system, where, why, compiled)
  local handler = ecs_module and rawget(ecs_module, "on_fallback")
  if not handler then return nil end
  if type(handler) ~= "function" then
    return "ecs: on_fallback is a function, or nil for silence, not "
      .. message.describe(handler), false
  end
  local done, problem = pcall(handler, system, where, why, compiled or false)
  if done then return nil end
  if problem == nil then return "ecs: on_fallback raised nil", false end
  return problem, true
end

return fallback
