--- standard: what ecs takes from Lua, and how its files require each other.
--
-- A host may run another Lua, leave libraries out, or raise an error where a
-- global is read that was not declared; a game may have a folder ecs of its
-- own. This file is the first that is loaded. It looks at everything raw, once,
-- and says in one sentence what is wrong.
--
--     local standard = require "ecs.standard"
--     local require = standard.inner "ecs.batch"  the name of the file's module
--     local jit = standard.jit                    nil: Lua 5.4
--     local dump = standard.string.dump           nil: taken away
--
-- What a file calls it keeps in local variables, since scripts and hosts may
-- take functions away later; tools/floors.lua checks that. This table is for
-- files that are being loaded: init.lua takes it out of package.loaded, because
-- a sandbox may have taken away what is in it.

local globals, require, rawget, type = _G, require, rawget, type
local assert = assert
local error = error or function(text) return assert(false, text) end

local function lack(name)
  error("ecs: this Lua has no " .. name .. ", which ecs needs when it is "
    .. "loaded: take it away after require \"ecs\"", 0)
end

-- What is needed --------------------------------------------------------------

local standard = { name = "ecs.standard", globals = globals }

if not (rawget and type) then lack(rawget and "type" or "rawget") end
if type(globals) ~= "table" then lack "_G" end
local strings = rawget(globals, "string")
if type(strings) ~= "table" or not strings.gmatch then lack "string.gmatch" end
local gmatch = strings.gmatch

for library in gmatch("math string table package debug io os", "%a+") do
  local found = rawget(globals, library)
  standard[library] = type(found) == "table" and found or {}
end

--- Loads a text; nil: the host has taken it away.
standard.load = rawget(globals, "loadstring") or rawget(globals, "load")

--- Makes a userdata with a metatable: on LuaJIT that of a table cannot say what
-- its length is. nil: this is Lua 5.4, or the host has taken it away.
standard.newproxy = rawget(globals, "newproxy")

standard.unpack = rawget(globals, "unpack") or standard.table.unpack

--- What ecs cannot do without, of the globals ("") and of each library. The
-- rest is looked for: without load, string.dump or debug.getinfo functions run
-- as plain Lua; without bit, or load, LuaJIT does without its FFI.
local needed = {
  [""] = "assert error getmetatable ipairs next pcall rawequal rawget rawset "
    .. "require select setmetatable tonumber tostring type",
  math = "abs ceil floor fmod huge max min pi",
  string = "byte find format gmatch gsub match rep sub upper",
  table = "concat insert remove sort",
  package = "loaded",
}

local function check_needed(library)
  local from = library == "" and globals or standard[library]
  for field in gmatch(needed[library], "%S+") do
    if rawget(from, field) == nil then
      lack(library == "" and field or library .. "." .. field)
    end
  end
end

check_needed ""
check_needed "math"
check_needed "string"
check_needed "table"
check_needed "package"
if not standard.unpack then lack "table.unpack" end

-- Which Lua -------------------------------------------------------------------

local find, match, pcall = string.find, string.match, pcall
local loaded = package.loaded

--- LuaJIT reads such an escape, and Lua 5.1 does not.
local READS_ESCAPES = #"\x41" == 1

--- The name of a version of the C API, where this Lua has it.
local function lua_name(version)
  if version ~= "Lua 5.1" then return version end
  return READS_ESCAPES and "LuaJIT" or version
end

local version = rawget(globals, "_VERSION")
--- The name of this Lua.
local name = type(version) == "string" and lua_name(version)
  or tostring(2.0) == "2.0" and "Lua 5.4" or "LuaJIT"
if name ~= "Lua 5.4" and name ~= "LuaJIT" then
  error("ecs: ecs runs on Lua 5.4 and LuaJIT; this is " .. name, 0)
end
if name == "LuaJIT" then
  local jit = rawget(globals, "jit") or rawget(loaded, "jit")
  local bit = rawget(globals, "bit") or rawget(loaded, "bit")
  if type(jit) ~= "table" or not jit.off or not jit.status then
    lack "jit.off"
  end
  standard.jit = jit
  standard.bit = type(bit) == "table" and bit.tobit and bit.band and bit or nil
elseif not standard.math.type then
  lack "math.type"
end

-- How files require each other ------------------------------------------------

--- The modules of ecs that were loaded, by their names. They stay when a file
-- is loaded again.
local ours = rawget(loaded, "ecs.modules")
if type(ours) ~= "table" then
  ours = {}
  loaded["ecs.modules"] = ours
end

--- The file that a module is loaded from, where that can be told; nil
-- otherwise.
local function file_of(module, path)
  local search = standard.package.searchpath
  if not search or type(path) ~= "string" then return nil end
  local done, file = pcall(search, module, path)
  return done and file or nil
end

--- Raises the error for a module of somebody else with the name of ours.
local function in_the_way(module, path)
  local file = file_of(module, path)
  error("ecs: another module '" .. module .. "'"
    .. (file and ", " .. file .. "," or "") .. " is in the way of the "
    .. "library's own: the folder ecs belongs to the library, so give it "
    .. "another name", 0)
end

--- The text in ecs.core that says for which Lua it was built.
local BUILT = "ecs%.core for (Lua %d%.%d)"

--- The Lua that an ecs.core which cannot be loaded was built for; nil: unknown.
local function built_for(file)
  local open = standard.io.open
  local stream = open and file and open(file, "rb")
  local text = stream and stream:read "*a"
  if stream then stream:close() end
  local built = text and match(text, BUILT)
  return built == "Lua 5.1" and "LuaJIT" or built
end

local function mismatch(built, reason)
  error("ecs: this ecs.core was built for " .. built .. ", and this is " .. name
    .. ": build or install it for " .. name .. (reason or ""), 0)
end

--- Loads the C module.
local function require_core()
  local done, core = pcall(require, "ecs.core")
  if not done then
    local built = built_for(file_of("ecs.core", standard.package.cpath))
    if built and built ~= name then mismatch(built) end
    error(core, 0)
  elseif type(core) ~= "table" or not core.built_for then
    in_the_way("ecs.core", standard.package.path)
  end
  local built = match(core.built_for, BUILT)
  if built ~= (name == "LuaJIT" and "Lua 5.1" or name) then
    mismatch(lua_name(built) or built)
  end
  return core
end

--- Notes that a file of ecs is being loaded, under the name of its module.
-- Returns its require: a module of ecs that is none of ours is an error.
function standard.inner(module)
  ours[module] = true
  return function(wanted)
    if wanted == "ecs.core" then return require_core() end
    local value = require(wanted)
    if find(wanted, "^ecs%.") and not ours[wanted] then
      in_the_way(wanted, standard.package.path)
    end
    return value
  end
end

ours["ecs.standard"] = true

return standard
