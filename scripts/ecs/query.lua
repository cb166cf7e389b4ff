--- query: reads what a script wrote between the braces of a query.
--
--     world:query { Position, read = { Velocity }, with = { Enemy },
--                   without = { Stunned }, optional = { Sprite } }
--
-- becomes the sequence { Position, "write", Velocity, "read", ... } in the
-- order in which callbacks get arguments: array part, read, optional; then the
-- filters.

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
require "ecs.batch"

local core = backend.core

local query = {}

--- ecs.core takes lists of twice as many entries.
local TERM_LIMIT = 2048

local lists = { "read", "optional", "with", "without" }
local is_list = { read = true, optional = true, with = true, without = true }

-- In this file and in system.lua, level is whom to blame: what error would take
-- in the function that gets it.

local function fail(what, text, level)
  error("ecs: " .. what .. ": " .. text, level)
end

--- The length of a list: its largest whole key, so that a nil in the middle is
-- found: an undefined variable is the likeliest mistake here.
function query.length(list)
  local last = 0
  for key in safe_pairs(list) do
    if type(key) == "number" and key > last then last = key end
  end
  return last
end

local function add(terms, seen, list, access, what, level)
  if list == nil then return end
  if access ~= "write" then what = what .. ": " .. access end
  for k = 1, query.length(list) do
    local definition = list[k]
    local kind = core.kind(definition)
    if definition == nil then
      fail(what, "entry " .. k .. " is nil: is its variable defined?",
        level + 1)
    elseif kind == "ecs.Value" then
      fail(what, "takes components without fields, not "
        .. tostring(definition), level + 1)
    elseif kind ~= "ecs.Component" then
      fail(what, "takes components and tags, not a " .. kind
        .. (kind == "string" and ": ecs.component gives the component of a name"
          or ""), level + 1)
    elseif seen[definition] then
      fail(what, "names " .. tostring(definition) .. " twice", level + 1)
    end
    seen[definition] = true
    terms[#terms + 1] = definition
    terms[#terms + 1] = access
  end
end

local function check_keys(spec, what, level)
  for key, value in safe_pairs(spec) do
    if type(key) ~= "number" then
      if not is_list[key] then
        fail(what, "has no '" .. tostring(key)
          .. "' (there are read, optional, with, without)", level + 1)
      elseif type(value) ~= "table" then
        fail(what, key .. " is a list, as in " .. key .. " = { Position }",
          level + 1)
      end
    end
  end
end

--- The terms of a spec; raises at level.
local function read(spec, what, level)
  if type(spec) ~= "table" then
    fail(what, "takes a table, as in { Position, read = { Velocity } }",
      level + 1)
  end
  check_keys(spec, what, level + 1)
  local terms, seen = {}, {}
  add(terms, seen, spec, "write", what, level + 1)
  for _, access in ipairs(lists) do
    add(terms, seen, spec[access], access, what, level + 1)
  end
  if #terms > 2 * TERM_LIMIT then
    fail(what, "names more than " .. TERM_LIMIT .. " components", level + 1)
  end
  return terms
end

--- "query { Position, read = { Velocity } }"
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

--- A query of a world. label says whose it is in messages; nil: what it says.
function query.create(world, spec, label, level)
  local terms = read(spec, label or "query", level + 1)
  local made, text = core.query(world, terms, label or query.describe(terms))
  if not made then error(text, level) end
  return made
end

local methods = {}

--- Prepares a question to the world: which entities have these components.
function methods.query(world, spec)
  backend.check_world(world, "query")
  local made = query.create(world, spec, nil, 3)
  return made
end

core.install("ecs.World", methods)

return query
