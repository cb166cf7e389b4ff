--- query: reads the table that describes a query, and makes the query.
--
--     world:query { Position, read = { Velocity }, with = { Enemy },
--                   without = { Stunned }, optional = { Sprite } }
--
-- becomes the sequence { Position, "write", Velocity, "read", ... } in the
-- order in which callbacks get arguments: the array part, read, optional. The
-- filters follow.

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
require "ecs.batch"

local core = backend.core

local query = {}

--- The largest number of terms. ecs.core takes lists of twice as many entries.
local TERM_LIMIT = 2048

local lists = { "read", "optional", "with", "without" }
local is_list = { read = true, optional = true, with = true, without = true }

-- In this file and in system.lua, level says which line an error blames: it is
-- the level that error() would take inside the function that receives it. label
-- is how messages begin: "query", or the system that the query is for.

local function fail(label, text, level)
  error("ecs: " .. label .. ": " .. text, level)
end

--- The length of a list: its largest key that is a number. So a nil in the
-- middle does not end the list and is reported: it is usually a variable that
-- was not defined.
function query.length(list)
  local last = 0
  for key in safe_pairs(list) do
    if type(key) == "number" and key > last then last = key end
  end
  return last
end

--- Adds the entries of a list to the terms.
local function add(terms, seen, list, access, label, level)
  if list == nil then return end
  if access ~= "write" then label = label .. ": " .. access end
  for k = 1, query.length(list) do
    local definition = list[k]
    local kind = core.kind(definition)
    if definition == nil then
      fail(label, "entry " .. k .. " is nil: is its variable defined?",
        level + 1)
    elseif kind == "ecs.Value" then
      fail(label, "takes components without fields, not "
        .. tostring(definition), level + 1)
    elseif kind ~= "ecs.Component" then
      fail(label, "takes components and tags, not a " .. kind
        .. (kind == "string" and ": ecs.component gives the component of a name"
          or ""), level + 1)
    elseif seen[definition] then
      fail(label, "names " .. tostring(definition) .. " twice", level + 1)
    end
    seen[definition] = true
    terms[#terms + 1] = definition
    terms[#terms + 1] = access
  end
end

local function check_keys(spec, label, level)
  for key, value in safe_pairs(spec) do
    if type(key) ~= "number" then
      if not is_list[key] then
        fail(label, "has no '" .. tostring(key)
          .. "' (there are read, optional, with, without)", level + 1)
      elseif type(value) ~= "table" then
        fail(label, key .. " is a list, as in " .. key .. " = { Position }",
          level + 1)
      end
    end
  end
end

--- The terms of a description. Raises an error if it has the wrong form, or
-- names a component twice.
local function read(spec, label, level)
  if type(spec) ~= "table" then
    fail(label, "takes a table, as in { Position, read = { Velocity } }",
      level + 1)
  end
  check_keys(spec, label, level + 1)
  local terms, seen = {}, {}
  add(terms, seen, spec, "write", label, level + 1)
  for _, access in ipairs(lists) do
    add(terms, seen, spec[access], access, label, level + 1)
  end
  if #terms > 2 * TERM_LIMIT then
    fail(label, "names more than " .. TERM_LIMIT .. " components", level + 1)
  end
  return terms
end

--- The terms as a script writes them:
-- "query { Position, read = { Velocity } }".
function query.describe(terms)
  local parts, open = {}, "write"
  for t = 1, #terms, 2 do
    local name, access = tostring(terms[t]), terms[t + 1]
    if access ~= open then
      if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
      name = access .. " = { " .. name
      open = access
    end
    parts[#parts + 1] = name
  end
  if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
  if #parts == 0 then return "query {}" end
  return "query { " .. table.concat(parts, ", ") .. " }"
end

--- Makes a query of a world. label names the query in messages; nil: its terms
-- do. Raises an error if the description has the wrong form.
function query.create(world, spec, label, level)
  local terms = read(spec, label or "query", level + 1)
  local made, text = core.query(world, terms, label or query.describe(terms))
  if not made then error(text, level) end
  return made
end

local methods = {}

--- Makes a query: which entities have these components.
function methods.query(world, spec)
  backend.check_world(world, "query")
  local made = query.create(world, spec, nil, 3)
  return made
end

core.install("ecs.World", methods)

return query
