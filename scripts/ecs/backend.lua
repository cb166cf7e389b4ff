--- backend: the C module, and which kind of columns this VM gets.
--
-- The only file that knows which VM this is. LuaJIT gets columns as checked FFI
-- views, every other Lua (and LuaJIT with ECS_BACKEND=capi in its environment)
-- as tables that are filled and copied back; programs cannot tell which, but
-- for their speed. With the views come faster methods for single fields. Rows
-- of each and rows are generated code where LuaJIT compiles it, and made by
-- ecs.core everywhere else.

local core = require "ecs.core"

--- A core.so of another version than these files is a broken installation, and
-- better said now than found out later.
local VERSION = "0.1.0"
if core.version ~= VERSION then
  error("ecs: the Lua files are of version " .. VERSION
    .. " but ecs.core is " .. tostring(core.version), 0)
end

-- Errors blame the line that called into the files of this file's folder.
core.never_blame(function() end)

local function accelerated()
  return type(rawget(_G, "jit")) == "table"
    and os.getenv("ECS_BACKEND") ~= "capi"
    and pcall(require, "ffi")
end

local backend = accelerated() and "ffi" or "capi"
-- Calls through the FFI gain nothing where nothing is compiled.
if backend == "ffi" and jit.status() then require "ecs.ffi.access_ffi" end

-- Rows by FFI need the compiler: interpreted, each access makes garbage.
local compiled = backend == "ffi" and rawget(_G, "jit").status()

--- Raises unless this is a world that is open; for methods written in Lua.
-- level: whom to blame, 3 unless given: the caller of the method that asks.
local function check_world(world, call, level)
  if core.kind(world) ~= "ecs.World" then
    error("ecs: " .. call .. " is called with ':', as in world:" .. call
      .. "(...); in place of the world it got: " .. core.kind(world),
      level or 3)
  elseif not core.live(world) then
    error("ecs: this world is closed", level or 3)
  end
end

return {
  core = core,
  check_world = check_world,
  backend = backend,
  rows = compiled and "ffi" or "capi",
}
