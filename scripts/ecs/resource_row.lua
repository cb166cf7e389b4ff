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

local require = require("ecs.standard").inner "ecs.resource_row"

local backend = require "ecs.backend"

local core = backend.core

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, pcall, setmetatable = error, ipairs, pcall, setmetatable
local type = type

local resource_row = {}

-- row -> { name, fields } of its component, as core.fields has them.
local components = core.known "resources"

local function gone(name)
  return "ecs: the resource " .. name .. " is gone: it was removed, or the "
    .. "world cleared"
end

--- A new row for a component of an entity.
function resource_row.new(world, entity, definition)
  local row, name, fields = {}, core.fields(definition)
  local function read(_, field)
    local value = world:get(entity, definition, field)
    if value == nil and not world:has(entity, definition) then
      error(gone(name), 2)
    end
    return value
  end
  local function write(_, field, value)
    if not world:has(entity, definition) then error(gone(name), 2) end
    world:set(entity, definition, field, value)
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
