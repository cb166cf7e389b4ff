--- pack: chosen entities as a string, and back.
--
--     local bytes = world:query({ with = { Enemy } }):pack()
--     local some = world:query({ Position }):pack { Position, Velocity }
--     local entities = other:unpack(bytes, { as = "same" })
--     local ghosts = world:unpack(bytes, { as = "new", with = Ghost })
--
-- ecs.core writes and reads what entities have. Which systems have met an event
-- is a tag that goes by a number: the names of these systems are a text in the
-- string, as in a save (save.lua).

local require = require("ecs.standard").inner "ecs.pack"

local backend = require "ecs.backend"
local message = require "ecs.message"
local plain_table = require "ecs.plain_table"
local query = require "ecs.query"
local safe_pairs = require "ecs.safe_pairs"
local save = require "ecs.save"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, rawget, tostring, type = error, rawget, tostring, type

local gmatch, match = string.gmatch, string.match

local core = backend.core

-- Packing ---------------------------------------------------------------------

--- The list of components that was given, without a metatable; nil: all.
local function read_components(list, level)
  if list == nil then return nil end
  if type(list) ~= "table" then
    error("ecs: pack takes a list of components, as in "
      .. "query:pack { Position }, or nothing for all of them, not "
      .. message.describe(list), level + 1)
  end
  list = plain_table(list, "pack", "its list of components", nil, "list")
  local length, seen, made = query.length(list), {}, {}
  for key in safe_pairs(list) do
    if type(key) ~= "number" or key % 1 ~= 0 or key < 1 then
      error("ecs: pack takes a list of components, which has no "
        .. message.describe(key), level + 1)
    end
  end
  if length == 0 then
    error("ecs: pack: the list of components is empty: is a variable not "
      .. "defined? Without a list, all are packed", level + 1)
  end
  for k = 1, length do
    local definition = rawget(list, k)
    if core.kind(definition) ~= "ecs.Component" then
      error("ecs: pack takes components and tags: entry " .. k .. " is "
        .. message.describe(definition), level + 1)
    elseif seen[definition] then
      error("ecs: pack names " .. tostring(definition) .. " twice", level + 1)
    end
    seen[definition], made[k] = true, definition
  end
  return made
end

local queries = {}

--- Returns the rows that match, whole or with some components, as a string for
-- world:unpack. Raises an error inside callbacks and frames, for values that
-- are no plain data, and where memory is refused.
function queries.pack(of, components)
  if core.kind(of) ~= "ecs.Query" then
    error("ecs: pack is called with ':', as in query:pack(...); in place of "
      .. "the query it got: " .. core.kind(of), 2)
  end
  local world = core.query_world(of)
  backend.check_world(world, "pack")
  local list = read_components(components, 2)
  core.check_idle(world, "pack")
  local values, problem = core.pack_values(of, list)
  if not values then error(problem, 2) end
  local bytes
  bytes, problem = core.pack_rows(of, list, save.write_tags(world), values)
  core.held_resume(values)
  if not bytes then error(problem, 2) end
  return bytes
end

core.install("ecs.Query", queries)

-- Unpacking -------------------------------------------------------------------

local option_names = { as = true, with = true }

--- What world:unpack was asked for.
local function read_options(options, level)
  if type(options) ~= "table" then
    error("ecs: unpack takes what query:pack gave and { as = 'same' } or "
      .. "{ as = 'new' }, not " .. message.describe(options), level + 1)
  end
  options = plain_table(options, "unpack", "its options", option_names, "all")
  for key in safe_pairs(options) do
    if not option_names[key] then
      error("ecs: unpack has no option " .. message.describe(key)
        .. " (there are as, with)", level + 1)
    end
  end
  local as, with = rawget(options, "as"), rawget(options, "with")
  if as ~= "same" and as ~= "new" then
    error("ecs: unpack: as is 'same', for entities under their own ids, or "
      .. "'new', not " .. message.describe(as), level + 1)
  end
  if with ~= nil and not core.definition_of(with) then
    error("ecs: unpack: with is one component, tag or value, not "
      .. message.describe(with), level + 1)
  end
  return as == "new", with
end

--- The tags of events, which are all that the text has; nil and why.
local function read_tags(text)
  local part = save.read(text)
  for line in gmatch(text, "([^\n]*)\n") do
    if not match(line, "^met ") then part = nil end
  end
  if not part then
    return nil, "the rows are damaged: their script.txt is wrong"
  end
  return part.met
end

local methods = {}

--- Brings packed rows into the world, under their own ids or as new entities.
-- Returns the list of the entities, in the order in which they were packed, and
-- a list of texts, one for each thing that is not as it was packed; or nil and
-- why, and nothing has changed. Raises an error inside callbacks and frames.
function methods.unpack(world, bytes, options)
  backend.check_world(world, "unpack")
  if type(bytes) ~= "string" then
    error("ecs: unpack takes what query:pack gave, not "
      .. message.describe(bytes), 2)
  end
  local as_new, with = read_options(options, 2)
  core.check_idle(world, "unpack")
  local manifest, text, rows = core.packed_texts(world, bytes)
  if not manifest then return nil, text end
  local met, problem = read_tags(text)
  problem = problem or save.define(manifest)
  if problem then return nil, problem end
  -- No value is let go until the last of these is given back.
  local numbers, differ, pause = core.packed_values(world, bytes)
  if not numbers then return nil, differ end
  met = save.match_met(system.state(world), met)
  local entities, told = core.unpack_rows(world, bytes, met, as_new, rows, with,
    numbers)
  core.held_resume(pause)
  return entities, told
end

core.install("ecs.World", methods)

return true
