--- native_library: finds and loads libraries of native kernels.
--
-- A library is looked for on package.cpath, like a C module. The kernels of
-- "physics" are then named "physics.drag" and so on. A library stays loaded
-- until the Lua state closes.

local standard = require "ecs.standard"
local require = standard.inner "ecs.native_library"

local backend = require "ecs.backend"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, type = error, ipairs, type
local concat = table.concat
local gmatch, gsub, match, sub =
  string.gmatch, string.gsub, string.match, string.sub
local package = package
local search_path, open = package.searchpath, standard.io.open

local core = backend.core

local native_library = {}

--- The same as package.searchpath, which Lua 5.1 lacks: the path of the first
-- file that exists, or nil and the list of paths that were tried. Each entry of
-- the list begins with a line break; not every Lua begins the first one so.
local function search(name, path)
  if search_path then
    local found, tried = search_path(name, path)
    return found, tried and gsub(tried, "^%s*", "\n\t", 1)
  end
  if not open then
    return nil, "\n\tnothing: this Lua has neither package.searchpath nor "
      .. "io.open"
  end
  local directory = sub(package.config or "/", 1, 1)
  local file_name, tried = gsub(name, "%.", directory), {}
  for template in gmatch(path, "[^;]+") do
    local file_path = gsub(template, "%?", (gsub(file_name, "%%", "%%%%")))
    local file = open(file_path, "rb")
    if file then
      file:close()
      return file_path
    end
    tried[#tried + 1] = "\n\tno file '" .. file_path .. "'"
  end
  return nil, concat(tried)
end

--- Loads the library with this name, unless it is loaded already. Returns a new
-- list of the full names of its kernels, or nil and an error message. The code
-- of a loaded library is never replaced, because systems may be running it:
-- where its file has changed, that is the message. Raises an error if name is
-- not a string or is empty.
function native_library.load(name)
  if type(name) ~= "string" or name == "" then
    error("ecs: load_native takes the name of a library, such as 'physics'", 2)
  end
  local rebuilt = core.changed(name)
  if rebuilt then
    return nil, "ecs: " .. rebuilt .. " has changed on disk since '" .. name
      .. "' was loaded from it: restart the program"
  end
  if not core.kernels(name) then
    local path, tried = search(name, package.cpath or "")
    if not path then
      return nil, "ecs: no library '" .. name .. "' on package.cpath:" .. tried
    end
    local loaded, text = core.load(name, path)
    if not loaded then return nil, text end
  end
  local names = core.kernels(name)
  for k, kernel in ipairs(names) do names[k] = name .. "." .. kernel end
  return names
end

--- Splits "physics.drag" at its last dot: the library and the kernel. nil where
-- there is no dot with text on both sides.
function native_library.split(name)
  return match(name, "^(.+)%.([^.]+)$")
end

return native_library
