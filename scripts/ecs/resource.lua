--- resource: components that a world has once.
--
--     local gravity = world:resource(Gravity { y = -9.8 })   makes or sets it
--     world:resource(Gravity).y                              gives it
--
-- A resource is an entity that has the component and the tag ecs.Resource. So
-- it is counted, hashed and queried as entities are, and nothing else tells
-- which entity it is. The state of a world (system.lua) keeps what it takes to
-- find it:
--
--     resources   definition -> { query, entity, row }: the last two of the
--                 entity that was found last; nil: none was asked for

local require = require("ecs.standard").inner "ecs.resource"

local backend = require "ecs.backend"
local message = require "ecs.message"
local queries = require "ecs.query"
local resource_row = require "ecs.resource_row"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, type = error, type
local format = string.format

local core = backend.core
local is_defined = core.is_defined

local resource = {}

--- The tag of entities that are resources.
resource.tag = core.tag("ecs.Resource", { storage = "sparse" })

--- The component of what a script has given. Raises an error if it is none that
-- can be a resource.
local function component_of(part, level)
  local kind, definition = core.kind(part), part
  if kind == "ecs.Value" then
    definition = core.value_parts(part)
  elseif kind ~= "ecs.Component" then
    error("ecs: resource takes a component, or a value of one, as in "
      .. "world:resource(Gravity { y = -9.8 }), not " .. message.describe(part),
      level)
  end
  local name, fields = core.fields(definition)
  if #fields == 0 then
    error("ecs: resource: " .. name .. " is a tag, and a resource has fields",
      level)
  end
  return definition, name
end

--- What is known of a resource; nil: there is none. Raises an error if there
-- are several. Defines no component: where the world lacks one, there is none.
local function find(world, state, definition, name, level)
  local known = state.resources[definition]
  if not known and not (is_defined(world, definition)
    and is_defined(world, resource.tag)) then
    return nil
  elseif not known then
    known = { query = queries.ensure(world, {
      read = { definition }, with = { resource.tag },
    }, nil, level + 1) }
    state.resources[definition] = known
  end
  local count = known.query:count()
  if count == 0 then return nil end
  if count > 1 then
    error("ecs: resource: " .. format("%.0f", count) .. " entities have "
      .. name .. " and ecs.Resource, which is for one", level)
  end
  local entity = known.query:first()
  if known.entity ~= entity then
    known.entity = entity
    known.row = resource_row.new(world, entity, definition)
  end
  return known
end

--- Makes a resource. Raises an error while changes are recorded.
local function make(world, state, definition, name, part, fields, level)
  local busy = core.busy(world)
  if busy then
    error("ecs: resource: " .. name .. " cannot be made inside " .. busy
      .. ": make it before", level)
  end
  if fields ~= nil then
    world:spawn(part, fields, resource.tag)
  else
    world:spawn(part, resource.tag)
  end
  return find(world, state, definition, name, level + 1)
end

local methods = {}

--- Gives the row of a resource, and its entity. With a value, or with a table
-- of fields behind the component, makes the resource, or sets these fields.
-- Raises an error for a component alone that is no resource.
function methods.resource(world, part, fields)
  backend.check_world(world, "resource")
  local definition, name = component_of(part, 3)
  if fields ~= nil and type(fields) ~= "table" then
    error("ecs: resource takes fields as a table, as in world:resource("
      .. name .. ", { ... }), not " .. message.describe(fields), 2)
  end
  local state = core.state(world)
  state.resources = state.resources or {}
  if part == definition and fields ~= nil
    and not state.resources[definition] then
    part(fields) -- raises for wrong ones before a query defines the component
  end
  local given = definition ~= part or fields ~= nil
  local known = find(world, state, definition, name, 3)
  if known and fields ~= nil then
    world:set(known.entity, part, fields)
  elseif known and given then
    world:set(known.entity, part)
  elseif given then
    known = make(world, state, definition, name, part, fields, 3)
  elseif not known then
    error("ecs: resource: this world has no " .. name .. ": make it with "
      .. "world:resource(" .. name .. " { ... })", 2)
  end
  return known.row, known.entity
end

core.install("ecs.World", methods)

return resource
