--- native_library: finds and loads libraries of native kernels.
--
-- "physics" is looked for like a C module, on package.cpath; its kernels are
-- then called "physics.drag" and so on. A library that was loaded stays.

local backend = require "ecs.backend"

local core = backend.core

local native_library = {}

--- package.searchpath, which Lua 5.1 lacks. The list of what was tried begins
-- with a line of its own, which not every Lua gives it.
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

--- Loads the library called name. Returns the full names of its kernels, or
-- nil and why not.
function native_library.load(name)
  if type(name) ~= "string" or name == "" then
    error("ecs: load_native takes the name of a library, such as 'physics'", 2)
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

--- Splits "physics.drag" at its last dot.
function native_library.split(name)
  return name:match("^(.+)%.([^.]+)$")
end

return native_library
