--- columns_ffi: columns as checked views of memory, for LuaJIT.
--
-- A column is a cdata that holds one number, its slot. What lies behind a slot
-- is in arrays that only this file can reach:
--
--     column { slot = 7 }     pointers[7]   where the rows are
--                             counts[7]     how many; 0: the batch is over
--
-- No address can be reached through a column: the slot cannot be assigned to
-- (it is const), and the pointers are upvalues. A slot belongs to its column
-- until the collector has found the column, so one that a script kept can never
-- show the rows of another query.
--
-- Types differ in how they convert, so indexing is generated once per scalar
-- type; the loops of scripts compile to a compare, a load and a store.

local ffi = require "ffi"
require "ecs.cdef"
local core = require "ecs.core"
local message = require "ecs.message"
local scalars = require "ecs.scalars_ffi"

-- Types are never freed, and their metatables can be set once: loaded again,
-- this file does nothing.
if core.share("build") then return true end

-- What keeps columns within their memory is not looked up where a script could
-- have put something else.
local error, tonumber, cast = error, tonumber, ffi.cast
local rows_of, plan_of = core.rows, core.plan

-- The first fields of struct View and struct ViewColumn in
-- bindings/lua/views.h.
local column_type = ffi.typeof [[struct {
  uint32_t scalar, writable, touched;
  int32_t slot;
  uint32_t filled, field;
  const void *definition;
}]]
local view_type = ffi.typeof([[struct {
  uint64_t magic;
  size_t bytes;
  ecs_Batch batch;
  $ *columns;
  uint32_t column_count, showing;
}]], column_type)
local view_pointer = ffi.typeof("$ *", view_type)

local function check_layout()
  local column_bytes, batch, columns, showing = core.layout()
  if ffi.sizeof(column_type) ~= column_bytes
    or ffi.offsetof(view_type, "batch") ~= batch
    or ffi.offsetof(view_type, "columns") ~= columns
    or ffi.offsetof(view_type, "showing") ~= showing then
    error("ecs: ecs.core and columns_ffi.lua disagree about a view", 0)
  end
end
check_layout()

-- Slots --------------------------------------------------------------------

local pointers, counts, labels = {}, {}, {}
-- A weak table: a column that a script kept must not keep its view.
local views, places = setmetatable({}, { __mode = "v" }), {}
local free, free_count, slot_count = {}, 0, 0

local function take_slot(view, k, label)
  local slot
  if free_count > 0 then
    slot = free[free_count]
    free_count = free_count - 1
  else
    slot_count = slot_count + 1
    slot = slot_count
  end
  pointers[slot], counts[slot], labels[slot] = false, 0, label
  views[slot], places[slot] = view, k
  return slot
end

local function give_slot(column)
  local slot = column.slot
  pointers[slot], counts[slot] = false, 0
  free_count = free_count + 1
  free[free_count] = slot
end

-- What goes wrong ----------------------------------------------------------

-- Each blames the line that indexed: three levels up from here.

local function refuse_row(slot, i)
  error(message.row(labels[slot], counts[slot], i), 3)
end

local function refuse_store(slot, i)
  local view = views[slot]
  if counts[slot] == 0 or not view then error(message.over, 3) end
  error(core.misuse(view, places[slot], i), 3)
end

-- Types --------------------------------------------------------------------

-- Rows are 1 to count. row is i made whole, not i, for the same reason. That
-- costs nothing in a compiled loop, whose counter is an integer.
local template = [[
local pointers, counts, quiet_nan, entity, refuse_row, refuse_store = ...
local type, tonumber = type, tonumber
local floor, modf = math.floor, math.modf
local function index(column, i)
  local slot = column.slot
  if type(i) ~= "number" then refuse_row(slot, i) end
  local row = floor(i)
  if row ~= i or not (row >= 1 and row <= counts[slot]) then
    refuse_row(slot, i)
  end
  local rows = pointers[slot]
  return LOAD
end
local function store(column, i, v)
  local slot = column.slot
  if type(i) ~= "number" then refuse_row(slot, i) end
  local row = floor(i)
  if row ~= i or not (row >= 1 and row <= counts[slot]) then
    refuse_row(slot, i)
  end
CONVERT
  if v == nil then refuse_store(slot, i) end
  pointers[slot][row - 1] = v
end
local function store_nothing(column, i)
  local slot = column.slot
  if type(i) ~= "number" or not (i >= 1 and i <= counts[slot])
    or i ~= floor(i) then
    refuse_row(slot, i)
  end
  refuse_store(slot, i)
end
return index, store, store_nothing,
  function(column) return counts[column.slot] end,
  function() return "ecs column" end
]]

-- The comment is for test runners that remember types by their text.
local function new_type(what, index, store, length, describe)
  local text = "struct { const int32_t slot; } /* " .. what .. " */"
  return ffi.metatype(ffi.typeof(text), {
    __index = index, __newindex = store, __len = length,
    __tostring = describe,
  })
end

--- The types of a scalar's columns: to write and only to read.
local function make_kind(scalar)
  local kind, types = scalars.kinds[scalar], {}
  local source = template:gsub("CONVERT", kind.convert)
    :gsub("LOAD", (kind.load:gsub("ELEMENT", "rows[row - 1]")))
  local chunk = assert(loadstring(source, "=ecs." .. scalar))
  local index, store, store_nothing, length, text = chunk(pointers, counts,
    scalars.quiet_nan, scalars.entity, refuse_row, refuse_store)
  types.pointer = ffi.typeof(kind.pointer)
  types.written = new_type(scalar .. " written", index, store, length, text)
  types.read = new_type(scalar .. " read", index, store_nothing, length, text)
  return types
end

local kinds = {}
for scalar in pairs(scalars.kinds) do kinds[scalar] = make_kind(scalar) end

local function new_column(kind, writable, slot)
  local make = writable and kind.written or kind.read
  return ffi.gc(make(slot), give_slot)
end

-- A pointer is made once for an address and kept, as are so many of a column:
-- then walking the same tables again makes no garbage.
local KNOWN_LIMIT = 256
local address_type = ffi.typeof "intptr_t"

--- The pointer to rows, from those of one column.
local function pointer_to(known, pointer_type, rows)
  local address = tonumber(cast(address_type, rows))
  local pointer = known.pointers[address]
  if pointer == nil then
    if known.count == KNOWN_LIMIT then known.pointers, known.count = {}, 0 end
    pointer = cast(pointer_type, rows)
    known.pointers[address], known.count = pointer, known.count + 1
  end
  return pointer
end

--- For a new view: a function that gives column k of the batch being shown, or
-- nil; and the counts, which ecs.core sets to 0 when the batch is over. The
-- plan comes from ecs.core, which knows what the memory holds.
local function open(view)
  local plan = plan_of(view)
  local box = cast(view_pointer, view)
  if box.columns[0].slot ~= 0 then
    error("ecs: this view has its columns already", 2)
  end
  local columns, types, known = {}, {}, {}
  for k = 1, #plan do
    local column = plan[k]
    local kind = kinds[column.scalar]
    local slot = take_slot(view, k, column.label)
    types[k], known[k] = kind.pointer, { pointers = {}, count = 0 }
    columns[k] = new_column(kind, column.writable, slot)
    box.columns[k - 1].slot = slot
  end
  local last = #plan
  return function(k)
    -- The call checks the view and keeps it, and with it box, from the
    -- collector.
    local count = rows_of(view)
    local column = columns[k]
    if count == 0 or not column then return nil end
    local rows
    if k == last then
      rows = cast("const void *", box.batch.entities)
    else
      rows = box.batch.columns[k - 1]
    end
    if rows == nil then return nil end
    local slot = column.slot
    box.columns[k - 1].touched = 1
    pointers[slot] = pointer_to(known[k], types[k], rows)
    counts[slot] = count
    return column
  end, counts
end

core.share("columns", open)

return true
