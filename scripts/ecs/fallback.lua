--- fallback: tells that a system runs as plain Lua and not compiled.
--
--     ecs.on_fallback = function(system, where, why) log(where, why) end
--     ecs.on_fallback = nil                     -- nobody wants to know
--
-- The handler is the field on_fallback of what `require "ecs"` returns. Until a
-- script replaces it, it prints one line. What it raises goes to whoever
-- defines or runs the system.

local message = require "ecs.message"

local fallback = {}

local face -- what require "ecs" returns

local function check(value, what)
  if type(value) ~= "string" then
    error("ecs: on_fallback takes the name of a system, where and why as "
      .. "texts, not " .. message.describe(value) .. " for " .. what, 3)
  end
end

--- The handler that is there in the beginning: a line to standard error.
function fallback.show(system, where, why)
  check(system, "system")
  check(where, "where")
  check(why, "why")
  local stream = io and io.stderr
  if stream then
    stream:write("ecs: system '", system, "' runs as plain Lua: ", where, ": ",
      why, "\n")
  end
end

--- Where the handler is looked for; the first time counts.
function fallback.watch(module)
  face = face or module
end

--- Calls the handler. Returns nil; or, with its own error or because it is
-- none, the error, and whether that is the script's own.
function fallback.report(system, where, why)
  local handler = face and rawget(face, "on_fallback")
  if not handler then return nil end
  if type(handler) ~= "function" then
    return "ecs: on_fallback is a function, or nil for silence, not "
      .. message.describe(handler), false
  end
  local done, problem = pcall(handler, system, where, why)
  if done then return nil end
  if problem == nil then return "ecs: on_fallback raised nil", false end
  return problem, true
end

return fallback
