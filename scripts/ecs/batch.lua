--- batch: the tables that a script indexes to reach columns.
--
--     batch               an empty table; its metatable has as __index
--       contents          count, entities, and one proxy per component, under
--                         the definition and under its name; up, which has the
--                         components of targets in the same way
--     batch[Position]     a proxy: an empty table with this __index:
--       columns           the columns that were read during this batch
--     batch.Trail.past    of an array, a proxy with this __index:
--       elements          its columns that were read during this batch
--
-- The outer tables are empty, so every assignment to them is caught. The inner
-- tables are filled at the first read of a key. When the callback returns,
-- ecs.core empties them with the clear list, a sequence { table, key, ... }; so
-- a batch or column that a script keeps raises an error that the batch is over.
-- Every read but the first costs two lookups.
--
-- The builder and the columns are handed to ecs.core once, and no module has
-- them: a script that could call them would get columns of its own making.

local standard = require "ecs.standard"
local require = standard.inner "ecs.batch"

local allows = require "ecs.access"
local backend = require "ecs.backend"
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, rawset, select, setmetatable, tostring, type =
  error, ipairs, rawset, select, setmetatable, tostring, type
local getmetatable, newproxy = getmetatable, standard.newproxy
local format, sub = string.format, string.sub

local core = backend.core

-- When the file is loaded again, the first builder stays.
if core.share("build") then return true end

local open = core.share("columns") -- of columns_ffi or columns_table

local function refuse(_, key)
  error("ecs: " .. message.describe(key) .. " of a batch cannot be assigned to:"
    .. " assign to the rows of a column, as in batch.Position.x[i] = 1", 2)
end

--- An empty table that reads from contents and refuses to be written.
local function proxy(contents)
  return setmetatable({}, {
    __index = contents, __newindex = refuse, __metatable = false,
    __name = "ecs.Batch", -- for messages
  })
end

local listing = message.fields

--- The same for the columns of an array.
local function counted_proxy(contents, count)
  local value = newproxy and newproxy(true) or setmetatable({}, {})
  local meta = getmetatable(value)
  meta.__index, meta.__newindex = contents, refuse
  meta.__len = function() return count end
  meta.__name = "ecs.Batch"
  meta.__metatable = false
  return value
end

--- The proxy of an array. first: the column of its first element.
local function array_proxy(label, first, count, fill, clear_list)
  local elements = setmetatable({}, { __index = function(elements, key)
    if type(key) ~= "number" or not (key >= 1 and key <= count)
      or key % 1 ~= 0 then
      error(format("ecs: %s has elements 1 to %d, not %s", label, count,
        message.describe(key)), 2)
    end
    local column = fill(first + key - 1)
    if not column then error(message.over, 2) end
    rawset(elements, key, column)
    return column
  end })
  for k = 1, count do
    clear_list[#clear_list + 1] = elements
    clear_list[#clear_list + 1] = k
  end
  return counted_proxy(elements, count)
end

--- The proxy of one component. first is the number of columns before its own.
local function component(name, fields, first, fill, clear_list)
  local positions, arrays, held = {}, {}, {}
  for f, field in ipairs(fields) do
    positions[field[1]] = first + f
    if field[2] == "string" or field[2] == "any" then
      held[field[1]] = field[2]
    end
  end
  for _, array in ipairs(fields.arrays or {}) do
    arrays[array[1]] = array_proxy(name .. "." .. array[1], first + array[2],
      array[3], fill, clear_list)
  end
  local columns = setmetatable({}, { __index = function(columns, key)
    if arrays[key] then return arrays[key] end
    local position = positions[key]
    if not position then
      error(format("ecs: %s has no field %s (it has %s)", name,
        message.describe(key), listing(fields)), 2)
    end
    if held[key] then error(message.held(name, key, held[key]), 2) end
    local column = fill(position)
    if not column then error(message.over, 2) end
    rawset(columns, key, column)
    return column
  end })
  for _, field in ipairs(fields) do
    clear_list[#clear_list + 1] = columns
    clear_list[#clear_list + 1] = field[1]
  end
  return proxy(columns)
end

--- Has a term columns, of the row's own entity or of its target?
local function shown_as(access, up)
  return allows.shown[access] and not allows.own[access] == up
end

--- The names of what a batch has, or its part `up`; those of a batch each after
-- a comma.
local function named(terms, up)
  local names, along = "", ""
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    if terms[t + 1] == "along" then
      along = ", up"
    elseif shown_as(terms[t + 1], up) and #fields > 0 then
      names = names .. ", " .. name
    end
  end
  if not up then return names .. along end
  return names == "" and "nothing" or sub(names, 3)
end

--- The error for a key under which a batch has nothing.
local function absence(terms, key, up)
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    local access = terms[t + 1]
    if not up and allows.own[access] and (key == terms[t] or key == name) then
      if #fields == 0 then
        return "ecs: " .. name .. " is a tag: it has no columns"
      end
      return "ecs: this query only matches " .. name .. " ("
        .. access .. "): to read it, name it under read"
    end
  end
  local name = core.kind(key) == "ecs.Component" and tostring(key)
    or message.describe(key)
  if up then
    return "ecs: the query of this batch does not read " .. name
      .. " of targets (up has " .. named(terms, true) .. ")"
  end
  return "ecs: the query of this batch does not name " .. name
    .. " (there are count, entities" .. named(terms, false) .. ")"
end

--- The components that have columns, in order; the number of their columns,
-- which the column of entities follows; and whether a batch has targets.
local function read(terms)
  local components, count, along = {}, 0, false
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    local access = terms[t + 1]
    if allows.shown[access] and #fields > 0 then
      components[#components + 1] = {
        definition = terms[t], name = name, fields = fields, first = count,
        optional = allows.optional[access], up = not allows.own[access],
      }
      count = count + #fields
    end
    along = along or access == "along"
  end
  return components, count, along
end

--- The __index of contents: gives the value of a key that is not there yet and
-- stores it. Raises an error if the batch is over or has no such key.
-- up: contents are of targets.
local function finder(view, terms, optional, fill, last, up)
  return function(contents, key)
    local value
    if up and not optional[key] then
      error(absence(terms, key, true), 2)
    elseif key == "count" then
      value = core.rows(view)
      if value == 0 then error(message.over, 2) end
    elseif key == "entities" then
      value = fill(last)
      if not value then error(message.over, 2) end
    elseif key ~= nil and optional[key] then
      if core.rows(view) == 0 then error(message.over, 2) end
      local part = optional[key]
      if not core.present(view, part.first + 1) then return nil end
      value = part.proxy
    else
      error(absence(terms, key, false), 2)
    end
    rawset(contents, key, value)
    return value
  end
end

--- Adds keys of contents to the clear list.
local function note(clear_list, contents, ...)
  for k = 1, select("#", ...) do
    clear_list[#clear_list + 1] = contents
    clear_list[#clear_list + 1] = (select(k, ...))
  end
end

-- Copies ----------------------------------------------------------------------

local function refuse_copy(text) error("ecs: copy: " .. text, 5) end

--- The part that a batch has of a component.
local function part_of(parts, terms, given)
  for _, part in ipairs(parts) do
    if part.definition == given and not part.up then return part end
  end
  if core.kind(given) ~= "ecs.Component" then
    error("ecs: copy takes components, each with its fields, as in "
      .. "batch:copy(Position, 'x', 'y'), not " .. message.describe(given), 4)
  end
  error(absence(terms, given, false), 4)
end

--- Name of a field or an array -> the first and the last of its columns.
local function ranges_of(part)
  local ranges, fields = {}, part.fields
  for f, field in ipairs(fields) do ranges[field[1]] = { f, f } end
  for _, array in ipairs(fields.arrays or {}) do
    ranges[array[1]] = { array[2], array[2] + array[3] - 1 }
  end
  return ranges
end

--- Raises where a field is of type string or any.
local function refuse_held(part, f)
  local field = part.fields[f]
  if field[2] == "string" or field[2] == "any" then
    error(message.held(part.name, field[1], field[2]), 5)
  end
end

--- Adds the numbers of the columns of fields, or of all where none is named.
local function add_fields(list, part, names)
  local ranges = ranges_of(part)
  if #names == 0 then
    for f in ipairs(part.fields) do
      refuse_held(part, f)
      list[#list + 1] = part.first + f
    end
  end
  for _, name in ipairs(names) do
    local range = ranges[name]
    if not range then
      refuse_copy(part.name .. " has no field " .. message.describe(name)
        .. " (it has " .. listing(part.fields) .. ")")
    end
    for f = range[1], range[2] do
      refuse_held(part, f)
      list[#list + 1] = part.first + f
    end
  end
end

--- The numbers of the columns that the arguments from `first` on name.
local function columns_of(parts, terms, first, ...)
  local list, part, names = {}, nil, {}
  for k = first, select("#", ...) do
    local given = (select(k, ...))
    if part and type(given) == "string" then
      names[#names + 1] = given
    else
      if part then add_fields(list, part, names) end
      part, names = part_of(parts, terms, given), {}
    end
  end
  if not part then part_of(parts, terms, (select(first, ...))) end
  add_fields(list, part, names)
  return list
end

--- batch:copy. write(pointer, bytes, text) writes to memory, where there is an
-- FFI.
local function copier(view, terms, parts, write)
  return function(batch, ...)
    local target, bytes = ...
    local out = write and type(target) == "cdata" and type(bytes) == "number"
    if core.rows(view) == 0 then error(message.over, 2) end
    if batch == nil or core.kind(batch) == "ecs.Component" then
      error("ecs: copy is called with ':', as in batch:copy(Position)", 2)
    end
    local list = columns_of(parts, terms, out and 3 or 1, ...)
    local text = core.copy_rows(view, list)
    if not text then
      error("ecs: copy: the rows of this batch lack a component that the query "
        .. "has as optional", 2)
    elseif not out then
      return text
    elseif #text > bytes then
      error(format("ecs: copy: %d bytes do not fit into %.0f", #text, bytes), 2)
    end
    write(target, text)
    return #text
  end
end

--- The proxy of a view. written: the script may store into what it gets.
local function proxy_of(view, terms, open_column, clear_list, written, write)
  local components, count, along = read(terms)
  local function fill(position) return open_column(position, written) end
  local own, targets = { contents = {}, optional = {} },
    { contents = {}, optional = {} }
  for _, part in ipairs(components) do
    local place = part.up and targets or own
    local contents, optional = place.contents, place.optional
    part.proxy = component(part.name, part.fields, part.first, fill,
      clear_list)
    if part.optional then
      optional[part.definition], optional[part.name] = part, part
      note(clear_list, contents, part.definition, part.name)
    else
      contents[part.definition], contents[part.name] = part.proxy, part.proxy
    end
  end
  own.contents.copy = copier(view, terms, components, write)
  note(clear_list, own.contents, "count", "entities")
  setmetatable(own.contents, {
    __index = finder(view, terms, own.optional, fill, count + 1, false),
  })
  if along then
    setmetatable(targets.contents, {
      __index = finder(view, terms, targets.optional, fill, count + 1, true),
    })
    own.contents.up = proxy(targets.contents)
  end
  return proxy(own.contents)
end

--- Called by ecs.core for a new view. Returns the proxy that callbacks get, the
-- clear list, and what the columns gave for the view: their tables, or counts.
-- keeps: also a proxy through which nothing is stored.
local function build(view, terms, keeps)
  local open_column, tables, write = open(view)
  local clear_list = {}
  local writer = proxy_of(view, terms, open_column, clear_list, true, write)
  if not keeps then return writer, clear_list, tables end
  local reader = proxy_of(view, terms, open_column, clear_list, false, write)
  return writer, clear_list, tables, reader
end

core.share("build", build)

return true
