--- columns_table: columns as plain Lua tables.
--
-- A column is a reused table that holds rows 1 to count and nothing else, so
-- reading and writing in range costs the same as with any table. Every other
-- index reaches the metatable, which raises an error. ecs.core fills the table
-- when a script first touches it, and copies it back when the callback returns.

local require = require("ecs.standard").inner "ecs.columns_table"

local core = require "ecs.core"
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, rawset, setmetatable, type =
  error, ipairs, rawset, setmetatable, type
local floor = math.floor

--- Is i a row of the batch? The null entity is nil in a table, too, so a column
-- of entities reaches its metatable for rows that exist.
local function in_range(view, i)
  return type(i) == "number" and i >= 1 and i <= core.rows(view)
    and i == floor(i)
end

local function new_column(view, label, scalar)
  local function miss(_, i)
    if in_range(view, i) and scalar == "entity" then return nil end
    error(message.row(label, core.rows(view), i), 2)
  end
  local function store(column, i, value)
    if not in_range(view, i) then
      error(message.row(label, core.rows(view), i), 2)
    end
    rawset(column, i, value)
  end
  return setmetatable({}, {
    __index = miss, __newindex = store, __metatable = false,
    __ecs = true, -- for what hashes count
  })
end

--- Called for a new view. Returns a function that gives column k of the batch
-- being shown, or nil where there is none, and is told whether it may be stored
-- into; and the list of the tables.
local function open(view)
  local tables = {}
  for k, column in ipairs(core.plan(view)) do
    tables[k] = new_column(view, column.label, column.scalar)
  end
  local fill = core.fill
  return function(k, written) return fill(view, k, written) end, tables
end

core.share("columns", open)

return true
