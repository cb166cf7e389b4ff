--- query: reads the table that describes a query, and finds or makes the query.
--
--     world:query { Position, read = { Velocity }, with = { Enemy },
--                   without = { Stunned }, optional = { Sprite } }
--
-- becomes the sequence { Position, "write", Velocity, "read", ... } in the
-- order in which callbacks get arguments: the array part, read, optional. The
-- filters follow, in the order in which their components were defined: with and
-- without in any order are the same query.
--
-- A world has one query for the same terms. The method world:query of ecs.core
-- (bindings/lua/query/world_queries.c) finds a recent one; this file is for the
-- others, and for mistakes. Tables of scripts are read raw: no metamethod of
-- theirs runs.

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local message = require "ecs.message"
require "ecs.batch"

local core = backend.core
local rawget, type = rawget, type

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

--- The error for an entry that is no component.
local function refuse_entry(definition, k, label, level)
  local kind = core.kind(definition)
  if definition == nil then
    fail(label, "entry " .. k .. " is nil: is its variable defined?", level + 1)
  elseif kind == "ecs.Value" then
    fail(label, "takes components without fields, not "
      .. tostring(definition), level + 1)
  end
  fail(label, "takes components and tags, not a " .. kind
    .. (kind == "string" and ": ecs.component gives the component of a name"
      or ""), level + 1)
end

--- Adds the entries of a list to the terms.
local function add(terms, seen, list, access, label, level)
  if access ~= "write" then label = label .. ": " .. access end
  for k = 1, query.length(list) do
    local definition = rawget(list, k)
    if core.kind(definition) ~= "ecs.Component" then
      refuse_entry(definition, k, label, level + 1)
    elseif seen[definition] then
      fail(label, "names " .. tostring(definition) .. " twice", level + 1)
    end
    seen[definition] = true
    terms[#terms + 1] = definition
    terms[#terms + 1] = access
  end
end

--- Is key an index of a list?
local function is_index(key)
  return type(key) == "number" and key >= 1 and key % 1 == 0
end

--- Checks that a named list has entries, and nothing else.
local function check_list(list, name, label, level)
  if type(list) ~= "table" then
    fail(label, name .. " is a list, as in " .. name .. " = { Position }",
      level + 1)
  end
  local empty = true
  for key in safe_pairs(list) do
    if not is_index(key) then
      fail(label, name .. " is a list, and has an entry under "
        .. message.describe(key), level + 1)
    end
    empty = false
  end
  if empty then
    fail(label, name .. " is empty: is the variable of its component defined? "
      .. "(Without components, leave " .. name .. " out)", level + 1)
  end
end

local function check_keys(spec, label, level)
  for key, value in safe_pairs(spec) do
    if key == "all" then
      if value ~= true then
        fail(label, "all is true, or left out", level + 1)
      end
    elseif is_list[key] then
      check_list(value, key, label, level + 1)
    elseif not is_index(key) then
      fail(label, "has no " .. message.describe(key)
        .. " (there are read, optional, with, without, all)", level + 1)
    end
  end
end

--- Raises unless a query either says what must or must not be there, or asks
-- for every entity by name. A variable that is not defined would otherwise make
-- it a query of everything.
local function check_filters(terms, all, label, level)
  local filters = false
  for t = 2, #terms, 2 do
    if terms[t] ~= "optional" then filters = true end
  end
  if filters and all then
    fail(label, "all = true asks for every entity: it stands alone, or with "
      .. "optional", level + 1)
  elseif not filters and not all then
    fail(label, (#terms == 0 and "is empty" or "names optional components only")
      .. ": is the variable of its component defined? (To match every entity, "
      .. "write all = true)", level + 1)
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
    local list = rawget(spec, access)
    if list ~= nil then add(terms, seen, list, access, label, level + 1) end
  end
  if #terms > 2 * TERM_LIMIT then
    fail(label, "names more than " .. TERM_LIMIT .. " components", level + 1)
  end
  check_filters(terms, rawget(spec, "all"), label, level + 1)
  return core.sort_terms(terms)
end

--- The terms as a script writes them:
-- "query { Position, read = { Velocity } }".
function query.describe(terms)
  local parts, open, filters = {}, "write", false
  for t = 1, #terms, 2 do
    local name, access = tostring(terms[t]), terms[t + 1]
    if access ~= "optional" then filters = true end
    if access ~= open then
      if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
      name = access .. " = { " .. name
      open = access
    end
    parts[#parts + 1] = name
  end
  if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
  if not filters then table.insert(parts, 1, "all = true") end
  return "query { " .. table.concat(parts, ", ") .. " }"
end

--- The query that a table describes. label: of a system, names the query in
-- messages about the table; nil: a query of a script. Raises an error if the
-- description has the wrong form.
function query.ensure(world, spec, label, level)
  local terms = read(spec, label or "query", level + 1)
  local text = query.describe(terms)
  local made, problem = core.query(world, terms, text)
  if not made then
    if label then
      problem = "ecs: " .. label .. ": " .. problem:gsub("^ecs: ", "")
    end
    error(problem, level)
  end
  return made
end

--- Called by the method world:query for a table that is not that of a recent
-- query. Its caller, at level 3, is that method; level 4 is the script.
core.share("query", function(world, spec)
  local made = query.ensure(world, spec, nil, 4)
  return made
end)

return query
