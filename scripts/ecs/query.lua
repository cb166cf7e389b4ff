--- query: reads the table that describes a query, and finds or makes the query.
--
--     world:query { Position, read = { Velocity }, with = { Enemy },
--                   without = { Stunned }, any = { Boss, Elite },
--                   optional = { Sprite }, changed = { Position },
--                   sort = { Position, "y", "down" },
--                   up = { ChildOf, read = { Position } } }
--
-- becomes the sequence { Position, "write", Velocity, "read", ... } in the
-- order in which callbacks get arguments: the array part, read, optional, and
-- what is read of targets, as Position, "up". The filters follow, in the order
-- in which their components were defined: with, without and any in any order
-- are the same query. A component that stands in changed or sort alone is among
-- the filters, too. The link is the last term: ChildOf, "along".
--
-- A world has one query for the same terms and order, but for those with
-- changed, each of which is one of its own. The method world:query of ecs.core
-- (bindings/lua/query/world_queries.c) finds a recent one; this file is for the
-- others, for tables with a metatable, and for mistakes. No metamethod of a
-- script's table runs (plain_table.lua).

local require = require("ecs.standard").inner "ecs.query"

local backend = require "ecs.backend"
local allows = require "ecs.access"
local safe_pairs = require "ecs.safe_pairs"
local plain_table = require "ecs.plain_table"
local message = require "ecs.message"
require "ecs.batch"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, tostring = error, ipairs, tostring
local insert = table.insert
local gsub = string.gsub

local core = backend.core
local rawget, rawequal, type, concat = rawget, rawequal, type, table.concat

local query = {}

--- The largest number of terms. ecs.core takes lists of twice as many entries.
local TERM_LIMIT = 2048

local lists, asks = allows.lists, allows.asks
local is_list = { changed = true }
local spec_names = { changed = true, sort = true, up = true, all = true }
local up_names = { read = true }
for _, name in ipairs(lists) do
  is_list[name], spec_names[name] = true, true
end

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

local function copy(t)
  local made = {}
  for key, value in safe_pairs(t) do made[key] = value end
  return made
end

--- The description without metatables, also of the tables in it: itself, or a
-- copy. wanted: its names.
local function without_metatables(spec, wanted, label, argument)
  local made = plain_table(spec, label, argument, wanted, "list")
  for name in safe_pairs(wanted) do
    local list = rawget(made, name)
    if type(list) == "table" then
      local plain = name == "up"
        and without_metatables(list, up_names, label, "up")
        or plain_table(list, label, name, nil, "list")
      if not rawequal(plain, list) then -- == would call __eq
        if rawequal(made, spec) then made = copy(spec) end
        made[name] = plain
      end
    end
  end
  return made
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

--- Checks that there is something to read of targets.
local function check_targets(up, label, level)
  local list = rawget(up, "read") or {}
  for k = 1, query.length(list) do
    local definition = rawget(list, k)
    if core.kind(definition) == "ecs.Component" then
      local name, fields = core.fields(definition)
      if #fields == 0 then
        fail(label, "up: read: " .. name .. " is a tag: a target has nothing "
          .. "of it to read", level + 1)
      end
    end
  end
end

--- Checks up = { Link, read = { ... } }: a component with one link that is a
-- tree, and a list.
local function check_up(up, label, level)
  if type(up) ~= "table" then
    fail(label, "up is a table, as in up = { ecs.ChildOf, "
      .. "read = { Position } }", level + 1)
  end
  for key, value in safe_pairs(up) do
    if key == "read" then
      check_list(value, "read", label .. ": up", level + 1)
    elseif key ~= 1 then
      fail(label, "up has no " .. message.describe(key) .. " (it has a "
        .. "component with a link, and read: targets are only read), as in up "
        .. "= { ecs.ChildOf, read = { Position } }", level + 1)
    end
  end
  local link = rawget(up, 1)
  if core.kind(link) ~= "ecs.Component" then
    refuse_entry(link, 1, label .. ": up", level + 1)
  end
  local name, fields = core.fields(link)
  local links, trees = 0, 0
  for _, field in ipairs(fields) do
    if field[3] then links = links + 1 end
    if field[4] then trees = trees + 1 end
  end
  if trees == 1 then
    check_targets(up, label, level + 1)
    return
  end
  fail(label, "up goes along a link that is a tree, and " .. name .. " has "
    .. (links == 0 and "no link" or trees == 0 and "none: its links may lead "
    .. "in a circle (a link is a tree with tree = true)" or "several"),
    level + 1)
end

local function check_keys(spec, label, level)
  for key, value in safe_pairs(spec) do
    if key == "all" then
      if value ~= true then
        fail(label, "all is true, or left out", level + 1)
      end
    elseif is_list[key] then
      check_list(value, key, label, level + 1)
    elseif key == "up" then
      check_up(value, label, level + 1)
    elseif key ~= "sort" and not is_index(key) then
      fail(label, "has no " .. message.describe(key)
        .. " (there are read, optional, with, without, any, changed, sort, "
        .. "up, all)", level + 1)
    end
  end
end

--- Raises unless a query either says what must or must not be there, or asks
-- for every entity by name. A variable that is not defined would otherwise make
-- it a query of everything.
local function check_filters(terms, all, label, level)
  local filters = false
  for t = 2, #terms, 2 do
    if asks[terms[t]] then filters = true end
  end
  if filters and all then
    fail(label, "all = true asks for every entity: it stands alone, or with "
      .. "optional or up", level + 1)
  elseif not filters and not all then
    fail(label, (#terms == 0 and "is empty" or "names optional components only")
      .. ": is the variable of its component defined? (To match every entity, "
      .. "write all = true)", level + 1)
  end
end

--- The access of a component among the terms; nil: it is not there.
local function access_of(terms, definition)
  for t = 1, #terms, 2 do
    if terms[t] == definition then return terms[t + 1] end
  end
end

--- The components in changed; nil where there is no such list. Those that are
-- not among the terms are added to them.
local function read_changed(spec, terms, label, level)
  local list, asked, changed = rawget(spec, "changed"), {}, {}
  if list == nil then return nil end
  add(asked, {}, list, "changed", label, level + 1)
  for t = 1, #asked, 2 do
    local definition = asked[t]
    local access = access_of(terms, definition)
    if access == "without" then
      fail(label, "names " .. tostring(definition)
        .. " in changed and in without", level + 1)
    elseif not access then
      terms[#terms + 1] = definition
      terms[#terms + 1] = "with"
    end
    changed[#changed + 1] = definition
  end
  return changed
end

--- The number of a field of a component, from 1.
local function number_of(definition, field, label, level)
  local name, fields = core.fields(definition)
  local names = {}
  for k, known in ipairs(fields) do
    if known[1] == field and (known[2] == "string" or known[2] == "any") then
      fail(label, "sort: " .. name .. "." .. field .. " is of type " .. known[2]
        .. ", and rows are sorted by a number, a bool or an entity", level + 1)
    end
    if known[1] == field then return k end
    names[k] = known[1]
  end
  if #names == 0 then
    fail(label, "sort: " .. name .. " is a tag: it has no fields", level + 1)
  elseif type(field) ~= "string" then
    fail(label, "sort: the field of " .. name .. " is a name, as in sort = { "
      .. name .. ", '" .. names[1] .. "' }, not " .. message.describe(field),
      level + 1)
  end
  fail(label, "sort: " .. name .. " has no field '" .. field .. "' (it has "
    .. concat(names, ", ") .. ")", level + 1)
end

--- The order in sort as { component, number of the field, down }; nil where
-- there is none. A component that is not among the terms is added to them.
local function read_sort(spec, terms, label, level)
  local given = rawget(spec, "sort")
  if given == nil then return nil end
  if type(given) ~= "table" then
    fail(label, "sort is a component and one of its fields, as in sort = "
      .. "{ Position, 'y' } or { Position, 'y', 'down' }", level + 1)
  end
  local definition, down = rawget(given, 1), rawget(given, 3)
  if core.kind(definition) ~= "ecs.Component" then
    refuse_entry(definition, 1, label .. ": sort", level + 1)
  end
  local field = number_of(definition, rawget(given, 2), label, level + 1)
  if down ~= nil and down ~= "down" then
    fail(label, "sort: behind the field stands 'down' or nothing, not "
      .. message.describe(down), level + 1)
  end
  for key in safe_pairs(given) do
    if key ~= 1 and key ~= 2 and key ~= 3 then
      fail(label, "sort has a component, a field and maybe 'down', and nothing "
        .. "under " .. message.describe(key), level + 1)
    end
  end
  local access = access_of(terms, definition)
  if access and not allows.there[access] then
    fail(label, "sort: " .. tostring(definition) .. " is in " .. access
      .. ", so a row may be without it", level + 1)
  elseif not access then
    terms[#terms + 1] = definition
    terms[#terms + 1] = "with"
  end
  return { definition, field, down ~= nil }
end

--- The terms of a description, the components in changed and the order in sort,
-- or nil for each. Raises an error if it has the wrong form, or names a
-- component twice.
function query.read(spec, label, level)
  if type(spec) ~= "table" then
    fail(label, "takes a table, as in { Position, read = { Velocity } }",
      level + 1)
  end
  spec = without_metatables(spec, spec_names, label, "its table")
  check_keys(spec, label, level + 1)
  local terms, seen = {}, {}
  add(terms, seen, spec, "write", label, level + 1)
  for _, access in ipairs(lists) do
    local list = rawget(spec, access)
    if list ~= nil then add(terms, seen, list, access, label, level + 1) end
  end
  local changed = read_changed(spec, terms, label, level + 1)
  local order = read_sort(spec, terms, label, level + 1)
  local up = rawget(spec, "up")
  if up and (changed or order) then
    fail(label, "up has an order of its own, that of the tree: it stands "
      .. "without changed and sort", level + 1)
  elseif up then
    add(terms, {}, rawget(up, "read") or {}, "up", label, level + 1)
    terms[#terms + 1], terms[#terms + 2] = rawget(up, 1), "along"
  end
  if #terms > 2 * TERM_LIMIT then
    fail(label, "names more than " .. TERM_LIMIT .. " components", level + 1)
  end
  check_filters(terms, rawget(spec, "all"), label, level + 1)
  return core.sort_terms(terms), changed, order
end

--- The terms as a script writes them, with changed and sort, or nil for each:
-- "query { Position, read = { Velocity } }".
function query.describe(terms, changed, order)
  local parts, open, filters = {}, "write", false
  local targets, up = {}, nil
  for t = 1, #terms, 2 do
    local name, access = tostring(terms[t]), terms[t + 1]
    if asks[access] then filters = true end
    if access == "up" then
      targets[#targets + 1] = name
    elseif access == "along" then
      up = name
    else
      if access ~= open then
        if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
        name = access .. " = { " .. name
        open = access
      end
      parts[#parts + 1] = name
    end
  end
  if open ~= "write" then parts[#parts] = parts[#parts] .. " }" end
  if up then
    parts[#parts + 1] = "up = { " .. up .. (#targets == 0 and "" or
      ", read = { " .. concat(targets, ", ") .. " }") .. " }"
  end
  if not filters then insert(parts, 1, "all = true") end
  if changed then
    local names = {}
    for k, definition in ipairs(changed) do names[k] = tostring(definition) end
    parts[#parts + 1] = "changed = { " .. concat(names, ", ") .. " }"
  end
  if order then
    local _, fields = core.fields(order[1])
    parts[#parts + 1] = "sort = { " .. tostring(order[1]) .. ", '"
      .. fields[order[2]][1] .. (order[3] and "', 'down' }" or "' }")
  end
  return "query { " .. concat(parts, ", ") .. " }"
end

--- The query of what query.read has returned, made where there is none. label:
-- of a system, names the query in messages; nil: a query of a script. Raises an
-- error where the world cannot have it.
function query.make(world, terms, changed, order, label, level)
  local text = query.describe(terms, changed, order)
  local made, problem = core.query(world, terms, text, changed, order)
  if not made then
    if label then
      problem = "ecs: " .. label .. ": " .. gsub(problem, "^ecs: ", "")
    end
    error(problem, level)
  end
  return made
end

--- The query that a table describes. label: as for query.make. Raises an error
-- if the description has the wrong form.
function query.ensure(world, spec, label, level)
  local terms, changed, order = query.read(spec, label or "query", level + 1)
  local made = query.make(world, terms, changed, order, label, level + 1)
  return made
end

--- Called by the method world:query for a table that is not that of a recent
-- query. Its caller, at level 3, is that method; level 4 is the script.
core.share("query", function(world, spec)
  local made = query.ensure(world, spec, nil, 4)
  return made
end)

return query
