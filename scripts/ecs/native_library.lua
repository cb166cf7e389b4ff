--- native_library: finds and loads libraries of native kernels.
--
-- A library is looked for on package.cpath, like a C module. The kernels of
-- "physics" are then named "physics.drag" and so on. A library stays loaded
-- until the Lua state closes.

local backend = require "ecs.backend"

local core = backend.core

local native_library = {}

--- The same as package.searchpath, which Lua 5.1 lacks: the path of the first
-- file that exists, or nil and the list of paths that were tried. Each entry of
-- the list begins with a line break; not every Lua begins the first one so.
local function search(name, path)
  if package.searchpath then
    local found, tried = package.searchpath(name, path)
    return found, tried and tried:gsub("^%s*", "\n\t", 1)
  end
  local directory = package.config:sub(1, 1)
  local file_name, tried = name:gsub("%.", directory), {}
  for template in path:gmatch("[^;]+") do
    local file_path = template:gsub("%?", (file_name:gsub("%%", "%%%%")))
    local file = io.open(file_path, "rb")
    if file then
      file:close()
      return file_path
    end
    tried[#tried + 1] = "\n\tno file '" .. file_path .. "'"
  end
  return nil, table.concat(tried)
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
    local path, tried = search(name, package.cpath)
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
  return name:match("^(.+)%.([^.]+)$")
end

return native_library
