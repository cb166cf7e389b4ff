--- on: world:on, which has a function called when something happens.
--
--     local watch = world:on("begin", "play", function(world, from) ... end)
--     watch:off()
--
-- What can happen is in the files that add it: states.lua adds "begin" and
-- "end". Such a file keeps the functions, and calls them. What happens to
-- entities is added here: ecs.core calls those functions (query/observers.c).

local require = require("ecs.standard").inner "ecs.on"

local backend = require "ecs.backend"
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, type = error, type
local concat = table.concat

local core = backend.core

local on = {}

local names = {}     -- what can happen, in the order in which it was added
local registers = {} -- name -> register, as on.add takes it

--- Adds something that can happen. register(world, what, level, ...) checks the
-- other arguments of world:on, blaming level, and keeps the function in them.
-- It returns a function that forgets that function, or a handle.
function on.add(what, register)
  names[#names + 1], registers[what] = what, register
end

--- Raises an error unless f is a function. of: as a script writes it, for the
-- message.
function on.check_function(what, of, f, level)
  if type(f) == "function" then return end
  error("ecs: on takes a function, as in world:on('" .. what .. "', " .. of
    .. "function(world) end), not " .. message.describe(f), level)
end

local methods = {}

--- Has a function called when something happens. Returns a handle, which need
-- not be kept: handle:off() ends it. Raises an error for what cannot happen.
function methods.on(world, what, ...)
  backend.check_world(world, "on")
  local register = type(what) == "string" and registers[what]
  if not register then
    error("ecs: on takes what happens, not " .. message.describe(what)
      .. " (there are " .. concat(names, ", ") .. ")", 2)
  end
  local off = register(world, what, 3, ...)
  return type(off) == "function" and { off = off } or off
end

local function observe(world, what, _, ...)
  return core.observe(world, what, ...)
end

for _, what in ipairs { "add", "remove", "set", "enter", "leave", "destroy" } do
  on.add(what, observe)
end

core.install("ecs.World", methods)

return on
