--- wanted_ffi: what a run looks at in tables, copied by compiled code.
--
-- copy_wanted means the one of ecs.core, takes the same and returns the same.
-- ecs.core asks the program (table_wanted.c) and says which elements these are;
-- here they are read, in loops that LuaJIT compiles. A run over 100 rows takes
-- 2.3 us by these instead of 4.0, and 7.6 instead of 11.9 in a table of tables.
-- Whatever is not as usual is left to ecs.core, which begins anew.
--
-- Nothing is allocated from the first question on: a finalizer could change
-- what rows want. What would allocate begins anew, too.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.wanted_ffi"

local core = require "ecs.core"
local known_place = require("ecs.ffi.arrays_ffi").known_place

-- Kept here: scripts replace functions of Lua, but programs must not change.
local rawget, type = rawget, type
local get_metatable = standard.debug.getmetatable or getmetatable
local slow_wanted, want_keys, want_elements = core.copy_wanted, core.want_keys,
  core.want_elements

-- Readers: from a table to the first `count` wanted elements of a place. false:
-- not all of them are as usual.

local function read_numbers(from, place, count)
  local elements, wanted, present = place.elements, place.wanted, place.present
  local base = place.base
  for k = 0, count - 1 do
    local at = wanted[k]
    local value = rawget(from, base + at)
    if type(value) == "number" then
      elements[at] = value
    elseif value == nil then
      elements[at], present[at] = 0, 0
    else
      return false
    end
  end
  return true
end

local function read_booleans(from, place, count)
  local elements, wanted, present = place.elements, place.wanted, place.present
  local base = place.base
  for k = 0, count - 1 do
    local at = wanted[k]
    local value = rawget(from, base + at)
    if type(value) == "boolean" then
      elements[at] = value and 1 or 0
    elseif value == nil then
      elements[at], present[at] = 0, 0
    else
      return false
    end
  end
  return true
end

local function read_tables(from, place, count)
  local elements, wanted, present = place.elements, place.wanted, place.present
  local base = place.base
  for k = 0, count - 1 do
    local at = wanted[k]
    local value = rawget(from, base + at)
    if type(value) == "table" then
      elements[at] = 1
    elseif value == nil then
      elements[at], present[at] = 0, 0
    else
      return false
    end
  end
  return true
end

--- Of the numbers that tables have as a field.
local function read_fields(from, place, count, field)
  local elements, wanted, present = place.elements, place.wanted, place.present
  local base = place.base
  for k = 0, count - 1 do
    local at = wanted[k]
    local value = rawget(from, base + at)
    if value == nil then
      elements[at], present[at] = 0, 0
    else
      value = type(value) == "table" and rawget(value, field)
      if type(value) ~= "number" then return false end
      elements[at] = value
    end
  end
  return true
end

--- So far apart are rows where ecs.core asks for elements (ROW_SPAN there).
local SPAN = 2 ^ 36

--- Gives the wanted rows their places. Returns how many these are; nil where a
-- row is not as usual.
local function place_rows(from, start, first, last, count)
  local starts, firsts, lasts = start.elements, first.elements, last.elements
  local wanted, present, rows = start.wanted, start.present, last.rows
  local base, placed = start.base, 0
  for k = 0, count - 1 do
    local at = wanted[k]
    local row = rawget(from, base + at)
    starts[at], firsts[at], rows[k] = k * SPAN, 0, placed
    if type(row) == "table" then
      if get_metatable(row) ~= nil then return nil end
      local behind = #row + 1
      lasts[at], placed = behind, placed + behind + 1
    elseif row == nil then
      lasts[at], present[at] = -1, 0
    else
      return nil
    end
  end
  return placed
end

--- Reads the wanted elements of rows.
local function read_row_numbers(from, start, last, flat, count)
  local elements, wanted, present = flat.elements, flat.wanted, flat.present
  local rows, keys, firsts = flat.rows, start.wanted, last.rows
  local base = start.base
  for k = 0, count - 1 do
    local at, number = wanted[k], rows[k]
    local row = rawget(from, base + keys[number])
    if type(row) ~= "table" or get_metatable(row) ~= nil then return false end
    local value = rawget(row, at - firsts[number])
    if type(value) == "number" then
      elements[at] = value
    elseif value == nil then
      elements[at], present[at] = 0, 0
    else
      return false
    end
  end
  return true
end

local function read_row_booleans(from, start, last, flat, count)
  local elements, wanted, present = flat.elements, flat.wanted, flat.present
  local rows, keys, firsts = flat.rows, start.wanted, last.rows
  local base = start.base
  for k = 0, count - 1 do
    local at, number = wanted[k], rows[k]
    local row = rawget(from, base + keys[number])
    if type(row) ~= "table" or get_metatable(row) ~= nil then return false end
    local value = rawget(row, at - firsts[number])
    if type(value) == "boolean" then
      elements[at] = value and 1 or 0
    elseif value == nil then
      elements[at], present[at] = 0, 0
    else
      return false
    end
  end
  return true
end

local readers = { number = read_numbers, boolean = read_booleans,
                  table = read_tables }
local row_readers = { number = read_row_numbers, boolean = read_row_booleans }

--- The function that reads elements of this kind behind a path; nil: there is
-- none.
local function reader_of(path, kind)
  local length, field = #path, path[1]
  if length == 0 then return readers[kind] end
  if length > 1 then return nil end
  if field == false then return row_readers[kind] end
  return kind == "number" and read_fields or nil
end

--- Reads the wanted elements of the wanted rows, of which there are so many.
local function read_rows(reader, count, from, path, kind, copies, at, whole,
    program, values)
  local start, first, last, flat = known_place(copies[at]),
    known_place(copies[at + 1]), known_place(copies[at + 2]),
    known_place(copies[at + 3])
  if not (start and first and last and flat) then return false end
  local placed = place_rows(from, start, first, last, count)
  if not placed then return false end
  count = want_elements(from, path, kind, copies, at, whole, program, values,
    placed, 0, "__index")
  return count and get_metatable(from) == nil
    and reader(from, start, last, flat, count)
end

--- As copy_wanted of ecs.core.
local function copy_wanted(from, path, kind, copies, at, whole, program, values,
    times, least, name)
  local reader, done = reader_of(path, kind), false
  if reader then
    local count = want_keys(from, path, kind, copies, at, whole, program,
      values, times, least, name)
    if not count then return count end
    if path[1] == false then
      done = read_rows(reader, count, from, path, kind, copies, at, whole,
        program, values)
    else
      local place = known_place(copies[at])
      done = place and reader(from, place, count, path[1])
    end
  end
  return done or slow_wanted(from, path, kind, copies, at, whole, program,
    values, times, least, name)
end

return { copy_wanted = copy_wanted }
