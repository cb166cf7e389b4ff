--- resource_row: the row of a resource, which stays valid while it is there.
--
--     local gravity = world:resource(Gravity { y = -9.8 })
--     gravity.y = gravity.y / 6        as world:get and world:set
--
-- A row is an empty table. Its metatable reads and writes the fields of one
-- component of one entity, so it belongs to this entity alone.
--
-- The compiler knows rows by find: what a row gives is computed by no function
-- of a script. The table of rows is weak, and keeps no world alive.

local standard = require "ecs.standard"
local require = standard.inner "ecs.resource_row"

local backend = require "ecs.backend"
local message = require "ecs.message"

local core = backend.core

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, pcall, setmetatable = error, ipairs, pcall, setmetatable
local getmetatable, newproxy, type = getmetatable, standard.newproxy, type
local format = string.format

local resource_row = {}

-- row -> { name, fields } of its component, as core.fields has them.
local components = core.known "resources"

local function gone(name)
  return "ecs: the resource " .. name .. " is gone: it was removed, or the "
    .. "world cleared"
end

--- The view of an array: read and write are those of the row, by names of
-- fields.
local function elements_of(label, array, read, write)
  local view = newproxy and newproxy(true) or setmetatable({}, {})
  local meta, names = getmetatable(view), {}
  for k = 1, array[3] do names[k] = format("%s[%d]", array[1], k) end
  local function name_of(key)
    local name = type(key) == "number" and names[key]
    if name then return name end
    error(format("ecs: %s has elements 1 to %d, not %s", label, array[3],
      message.describe(key)), 3)
  end
  function meta.__index(_, key)
    local value = read(view, name_of(key))
    return value
  end
  function meta.__newindex(_, key, value)
    write(view, name_of(key), value)
  end
  function meta.__len() return array[3] end
  function meta.__tostring() return "ecs.Row (" .. label .. ")" end
  meta.__name, meta.__metatable = "ecs.Row", false
  return view
end

--- A new row for a component of an entity.
function resource_row.new(world, entity, definition)
  local row, name, fields = {}, core.fields(definition)
  local arrays
  local function read(_, field)
    if arrays and field ~= nil and arrays[field] then return arrays[field] end
    local value = world:get(entity, definition, field)
    if value == nil and not world:has(entity, definition) then
      error(gone(name), 2)
    end
    return value
  end
  local function write(_, field, value)
    if arrays and field ~= nil and arrays[field] then
      error(format("ecs: %s.%s is an array: assign to one element, as in "
        .. "%s[1]", name, field, field), 2)
    end
    if not world:has(entity, definition) then error(gone(name), 2) end
    world:set(entity, definition, field, value)
  end
  for _, array in ipairs(fields.arrays or {}) do
    arrays = arrays or {}
    arrays[array[1]] = elements_of(name .. "." .. array[1], array, read, write)
  end
  components[row] = { name, fields }
  return setmetatable(row, {
    __index = read, __newindex = write, __metatable = false,
    __tostring = function() return "ecs.Row (" .. name .. ")" end,
  })
end

--- The name of the component of a row; nil: this is no row of a resource.
function resource_row.find(row)
  local component = type(row) == "table" and components[row]
  return component and component[1] or nil
end

local function copy(row, into)
  for _, field in ipairs(components[row][2]) do
    into[field[1]] = row[field[1]]
  end
end

--- Copies the fields of a row into a table. Returns true; or false and the
-- error.
function resource_row.copy(row, into) return pcall(copy, row, into) end

return resource_row
