--- batch: the tables that a script indexes to reach columns.
--
--     batch               an empty table; its metatable leads to
--       contents          count, entities, a proxy per component, under the
--                         definition and under its name
--     batch[Position]     an empty table; its metatable leads to
--       columns           the columns that were touched during this batch
--
-- The outer tables are empty, so that every assignment to them is caught; the
-- inner ones are filled by a function at the first touch and emptied by
-- ecs.core (through the book) when the callback returns, so that what a script
-- keeps says that the batch is over. A touch after the first is two lookups.

--
-- The builder and the columns are handed to ecs.core once, and no module has
-- them: a script that could call them would get columns of its own making.

local backend = require "ecs.backend"
local message = require "ecs.message"

local core = backend.core

-- Loaded again: the first builder stays.
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

local function has_columns(access)
  return access == "write" or access == "read" or access == "optional"
end

local function listing(fields)
  local names = {}
  for f, field in ipairs(fields) do names[f] = field[1] end
  return table.concat(names, ", ")
end

--- The proxy of one component. first is the column before its first.
local function component(name, fields, first, fill, book)
  local positions = {}
  for f, field in ipairs(fields) do positions[field[1]] = first + f end
  local columns = setmetatable({}, { __index = function(columns, key)
    local position = positions[key]
    if not position then
      error(string.format("ecs: %s has no field %s (it has %s)", name,
        message.describe(key), listing(fields)), 2)
    end
    local column = fill(position)
    if not column then error(message.over, 2) end
    rawset(columns, key, column)
    return column
  end })
  for _, field in ipairs(fields) do
    book[#book + 1] = columns
    book[#book + 1] = field[1]
  end
  return proxy(columns)
end

--- What has columns, after a comma.
local function named(terms)
  local names = ""
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    if has_columns(terms[t + 1]) and #fields > 0 then
      names = names .. ", " .. name
    end
  end
  return names
end

--- Why a batch has nothing under this key.
local function absence(terms, key)
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    if key == terms[t] or key == name then
      if #fields == 0 then
        return "ecs: " .. name .. " is a tag: it has no columns"
      end
      return "ecs: this query only matches " .. name .. " ("
        .. terms[t + 1] .. "): to read it, name it under read"
    end
  end
  local what = core.kind(key) == "ecs.Component" and tostring(key)
    or message.describe(key)
  return "ecs: the query of this batch does not name " .. what
    .. " (there are count, entities" .. named(terms) .. ")"
end

--- The components that have columns, in order, and how many columns come before
-- the entities.
local function read(terms)
  local components, count = {}, 0
  for t = 1, #terms, 2 do
    local name, fields = core.fields(terms[t])
    if has_columns(terms[t + 1]) and #fields > 0 then
      components[#components + 1] = {
        definition = terms[t], name = name, fields = fields, first = count,
        optional = terms[t + 1] == "optional",
      }
      count = count + #fields
    end
  end
  return components, count
end

--- What a batch gives for a key that is not in its contents.
local function finder(view, terms, optional, fill, last)
  return function(contents, key)
    local value
    if key == "count" then
      value = core.rows(view)
      if value == 0 then error(message.over, 2) end
    elseif key == "entities" then
      value = fill(last)
      if not value then error(message.over, 2) end
    elseif key ~= nil and optional[key] then
      if core.rows(view) == 0 then error(message.over, 2) end
      local wanted = optional[key]
      if not core.present(view, wanted.first + 1) then return nil end
      value = wanted.proxy
    else
      error(absence(terms, key), 2)
    end
    rawset(contents, key, value)
    return value
  end
end

local function note(book, contents, ...)
  for k = 1, select("#", ...) do
    book[#book + 1] = contents
    book[#book + 1] = (select(k, ...))
  end
end

--- Called by ecs.core for a new view: the proxy that callbacks get, the book of
-- what to clear after each batch, and the tables of columns.
local function build(view, terms)
  local components, count = read(terms)
  local fill, tables = open(view)
  local contents, book, optional = {}, {}, {}
  for _, part in ipairs(components) do
    part.proxy = component(part.name, part.fields, part.first, fill, book)
    if part.optional then
      optional[part.definition], optional[part.name] = part, part
      note(book, contents, part.definition, part.name)
    else
      contents[part.definition], contents[part.name] = part.proxy, part.proxy
    end
  end
  note(book, contents, "count", "entities")
  setmetatable(contents, {
    __index = finder(view, terms, optional, fill, count + 1),
  })
  return proxy(contents), book, tables
end

core.share("build", build)

return true
