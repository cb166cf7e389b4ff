--- captures_table: tables from outside that are read at computed numbers.
--
-- Such a table is copied before every run into arrays of the program, by
-- ecs.core (bindings/lua/program/table_copy.c), which also says what a **path**
-- of keys is. All elements of a path are of one kind: numbers, booleans,
-- functions, or tables, of which longer paths have the fields. Where that is
-- not so any more, the plan does not hold.
--
--     source   { reader, name, path, table }: where elements come from: what a
--              table has at a number, and from there on along a path. name: as
--              messages show it
--     group    { reader, path, kind, whole, at, names, copies }: a copy of the
--              elements of a source, as arrays `names` of the program, of which
--              the first is number `at`. whole: no element is missing where the
--              path before its end leads to a table. copies: the list to copy
--              to, instead of that of the plan
--
-- This file adds methods to captures.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.captures_table"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local core = require "ecs.core"
local captures = require "ecs.compile.captures"
local parser = require "ecs.compile.parser"

local outside = parser.outside

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, type, tostring = ipairs, type, tostring
local match = string.match
local table_kind = core.table_kind

--- The source of what the elements of a table from outside are.
function captures.source(value)
  local name = match(value.reader.key, "[^/]*$")
  return { reader = value.reader, name = name, path = {}, table = value.value }
end

--- The source of what the elements of another have at a key, which false stands
-- for where it is computed, too.
function captures.deeper(source, key)
  local path = {}
  for k, known in ipairs(source.path) do path[k] = known end
  path[#path + 1] = key
  return { reader = source.reader, path = path, table = source.table,
           name = source.name .. (#source.path == 0 and "[...]" or "")
             .. (not key and "[...]" or type(key) == "number"
               and "[" .. tostring(key) .. "]" or captures.step(key)) }
end

--- Why a table cannot be read at computed numbers, by the failure of ecs.core.
local reasons = {
  kind = { "which has elements of several kinds", "give all its numbers the "
    .. "same kind of value: a number, a boolean, or a table with such fields" },
  type = { "which has elements that are no numbers, booleans, tables or "
    .. "functions", "give it numbers" },
  index = { "which has a metatable with an __index that is a function, or that "
    .. "stands in for numbers", "read numbers from a plain table" },
  key = { "which has a number as a key that is not whole or is too far from 0",
    "use whole numbers as keys" },
  large = { "which has more than 65536 elements, or has them that far from "
    .. "each other", "split it" },
}

--- The kind of the elements of a source: number, boolean, table or nothing; and
-- whether one is missing where the path before its end leads to a table.
-- Recorded as something that the compiler looked at. Cost: one walk.
function captures:kind_of(source, line)
  local kind, second = table_kind(source.table, source.path)
  self.looked[#self.looked + 1] = { reader = source.reader,
    value = source.table, path = source.path, kind = kind, second = second }
  if kind then return kind, second end
  local reason = reasons[second]
  return outside(line, "a computed index of '" .. source.name .. "', "
    .. reason[1], reason[2])
end

--- Are all elements of a source, which are numbers, handles of entities, or
-- ids? kind: "handle" or "id".
function captures:are_all(source, kind)
  local all = core.copy_table(source.table, source.path, kind, {}, 1)
  self.looked[#self.looked + 1] = { reader = source.reader,
    value = source.table, path = source.path, all = all, asked = kind }
  return all
end

--- Are the elements of what was looked at of the kind that they were?
function captures.alike_elements(looked, now)
  if type(now) ~= "table" then return false end
  if looked.asked then
    return core.copy_table(now, looked.path, looked.asked, {}, 1) == looked.all
  end
  local kind, second = table_kind(now, looked.path)
  return kind == looked.kind and second == looked.second
end

--- Has a table no elements along a path? Cost: one walk.
function captures.lacks_elements(now, path)
  return type(now) == "table" and table_kind(now, path) == "nothing"
end

--- What the program takes the elements of each kind as.
local array_kinds = {
  number = "number", boolean = "bool", handle = "entity", id = "entity",
  table = "bool", entity = "entity", ["function"] = "bool",
}

--- The group of the elements of a source, made at its first use. kind: number,
-- boolean, table, nothing; handle, id: numbers that are; or entity: any
-- numbers, as entities.
function captures:group(source, kind, whole)
  local key = source.reader.key .. " " .. kind .. (whole and "!" or "")
  local rows = false
  for _, step in ipairs(source.path) do
    key = key .. "/" .. (step and captures.step(step) or "*")
    rows = rows or not step
  end
  local group = self.grouped[key]
  if group then return group end
  local emit = self.emit
  group = { reader = source.reader, path = source.path, whole = whole,
            kind = kind == "entity" and "number" or kind,
            at = emit.arrays + 1, names = {} }
  if kind == "nothing" then
    group.at, group.copies = 1, {}
  else
    for k = 1, rows and 3 or 0 do group.names[k] = emit:array_slot "number" end
    group.names[#group.names + 1] = emit:array_slot(array_kinds[kind])
  end
  self.grouped[key] = group
  self.groups[#self.groups + 1] = group
  return group
end

--- The length of a table from outside, read anew for every run.
function captures:length(value, line)
  if type(value.value) ~= "table" then
    if value.value == nil then
      outside(line, "the length of nil", captures.late)
    end
    outside(line, "the length of a " .. type(value.value),
      "only that of tables can be read")
  end
  local reader = value.reader
  return self:object({ key = reader.key .. "#", path = reader.path,
                       root = reader.root, global = reader.global,
                       owner = reader, length = true }, line)
end

return captures
