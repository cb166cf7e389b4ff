--- arrays_ffi: copies of tables for programs, made by compiled code.
--
-- copy_table means the one of ecs.core, takes the same and returns the same. It
-- makes the walk itself where every key between the lowest and the highest has
-- an element, as mostly, and the copy has room for them: LuaJIT compiles the
-- walk, at 3 ns an element instead of 35. Everything else is left to ecs.core.
--
-- Nothing of a script runs and nothing is allocated during a walk, so the
-- memory that it writes to stays where it is. A copy is written through a
-- pointer that ecs.core gave for it, and only where it has room.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.arrays_ffi"

local ffi = require "ffi"
local core = require "ecs.core"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local next, rawget, type, setmetatable = next, rawget, type, setmetatable
local get_metatable = standard.debug.getmetatable or getmetatable
local cast = ffi.cast
local slow_copy, end_copy, copy_place = core.copy_table, core.end_copy,
  core.copy_place
local doubles, naturals, bytes = ffi.typeof "double *",
  ffi.typeof "uint32_t *", ffi.typeof "uint8_t *"

--- Copy -> { elements, base, room, wanted, rows, present }: as TableCopy of
-- table_walk.h. No script can reach a copy.
local places = setmetatable({}, { __mode = "k" })

local function place_of(copy)
  local place = places[copy]
  if not place then
    local data, base, room = copy_place(copy)
    local elements = cast(doubles, data)
    local wanted = cast(naturals, elements + room)
    place = { elements = elements, base = base, room = room, wanted = wanted,
              rows = wanted + room, present = cast(bytes, wanted + 2 * room) }
    places[copy] = place
  end
  return place
end

--- The place of a copy where that is known, so that nothing is allocated; nil:
-- it is known from now on.
local function known_place(copy)
  local place = places[copy]
  if not place then place_of(copy) end
  return place
end

-- Walks: from a table to the elements of a place. Each returns the lowest and
-- the highest key and how many there are; or nil where it does not go on.

local function walk_numbers(from, elements, base, room)
  local low, high, count = 1 / 0, -1 / 0, 0
  for key, value in next, from do
    if type(key) == "number" then
      local at = key - base
      if type(value) ~= "number" or not (at >= 0 and at < room)
        or at % 1 ~= 0 then
        return nil
      end
      elements[at], count = value, count + 1
      if key < low then low = key end
      if key > high then high = key end
    end
  end
  return low, high, count
end

local function walk_booleans(from, elements, base, room)
  local low, high, count = 1 / 0, -1 / 0, 0
  for key, value in next, from do
    if type(key) == "number" then
      local at = key - base
      if type(value) ~= "boolean" or not (at >= 0 and at < room)
        or at % 1 ~= 0 then
        return nil
      end
      elements[at], count = value and 1 or 0, count + 1
      if key < low then low = key end
      if key > high then high = key end
    end
  end
  return low, high, count
end

local function walk_tables(from, elements, base, room)
  local low, high, count = 1 / 0, -1 / 0, 0
  for key, value in next, from do
    if type(key) == "number" then
      local at = key - base
      if type(value) ~= "table" or not (at >= 0 and at < room)
        or at % 1 ~= 0 then
        return nil
      end
      elements[at], count = 1, count + 1
      if key < low then low = key end
      if key > high then high = key end
    end
  end
  return low, high, count
end

--- Of the numbers that tables have as a field.
local function walk_fields(from, elements, base, room, field)
  local low, high, count = 1 / 0, -1 / 0, 0
  for key, value in next, from do
    if type(key) == "number" then
      local at = key - base
      if type(value) ~= "table" or not (at >= 0 and at < room)
        or at % 1 ~= 0 then
        return nil
      end
      value = rawget(value, field)
      if type(value) ~= "number" then return nil end
      elements[at], count = value, count + 1
      if key < low then low = key end
      if key > high then high = key end
    end
  end
  return low, high, count
end

-- Rows: each of these copies a sequence, which may begin at 0 instead of 1, to
-- elements, from place `placed` on. Returns its first number and its last; nil
-- where it is anything else.

local function walk_number_row(row, elements, placed, room)
  if type(row) ~= "table" or get_metatable(row) ~= nil then return nil end
  local low, last, count = rawget(row, 0) ~= nil and 0 or 1, #row, 0
  local before = placed - low
  if before + last >= room then return nil end
  for key, value in next, row do
    if type(key) == "number" then
      if type(value) ~= "number" or not (key >= low and key <= last)
        or key % 1 ~= 0 then
        return nil
      end
      elements[before + key], count = value, count + 1
    end
  end
  if count ~= last - low + 1 then return nil end
  return low, last
end

local function walk_boolean_row(row, elements, placed, room)
  if type(row) ~= "table" or get_metatable(row) ~= nil then return nil end
  local low, last, count = rawget(row, 0) ~= nil and 0 or 1, #row, 0
  local before = placed - low
  if before + last >= room then return nil end
  for key, value in next, row do
    if type(key) == "number" then
      if type(value) ~= "boolean" or not (key >= low and key <= last)
        or key % 1 ~= 0 then
        return nil
      end
      elements[before + key], count = value and 1 or 0, count + 1
    end
  end
  if count ~= last - low + 1 then return nil end
  return low, last
end

--- As copy_table, for tables of such rows, which walk_row copies.
local function copy_rows(from, copies, at, walk_row)
  local starts, firsts, lasts, flat = copies[at], copies[at + 1],
    copies[at + 2], copies[at + 3]
  if not flat then return false end
  local start, first, last, place = place_of(starts), place_of(firsts),
    place_of(lasts), place_of(flat)
  local base, room, placed = start.base, start.room, 0
  if first.base ~= base or last.base ~= base or first.room ~= room
    or last.room ~= room then
    return false
  end
  local low, high, count = 1 / 0, -1 / 0, 0
  for key, row in next, from do
    if type(key) == "number" then
      local to = key - base
      if not (to >= 0 and to < room) or to % 1 ~= 0 then return false end
      local begin, stop = walk_row(row, place.elements, placed, place.room)
      if not begin then return false end
      start.elements[to], first.elements[to] = placed - begin, begin
      last.elements[to] = stop
      placed, count = placed + stop - begin + 1, count + 1
      if key < low then low = key end
      if key > high then high = key end
    end
  end
  if count == 0 or count ~= high - low + 1 then return false end
  end_copy(starts, low, high)
  end_copy(firsts, low, high)
  end_copy(lasts, low, high)
  end_copy(flat, 0, placed - 1)
  return true
end

local walks = { number = walk_numbers, boolean = walk_booleans,
                table = walk_tables }
local row_walks = { number = walk_number_row, boolean = walk_boolean_row }

--- Copies what compiled code can copy; false: it is left to ecs.core.
local function quick_copy(from, path, kind, copies, at)
  local length, field = #path, path[1]
  if length > 1 or get_metatable(from) ~= nil then return false end
  if field == false then
    local walk_row = row_walks[kind]
    return walk_row ~= nil and copy_rows(from, copies, at, walk_row)
  end
  local walk = walks[kind]
  if length == 1 then walk = kind == "number" and walk_fields end
  local copy = copies[at]
  if not walk or not copy then return false end
  local place = place_of(copy)
  local low, high, count = walk(from, place.elements, place.base, place.room,
    field)
  if not low or count == 0 or count ~= high - low + 1 then return false end
  end_copy(copy, low, high)
  return true
end

--- As copy_table of ecs.core.
local function copy_table(from, path, kind, copies, at, whole)
  if type(from) == "table" and quick_copy(from, path, kind, copies, at) then
    return true
  end
  return slow_copy(from, path, kind, copies, at, whole)
end

return { copy_table = copy_table, known_place = known_place }
