--- columns_ffi: columns as checked views of memory, for LuaJIT.
--
-- A column is a cdata that holds one number, its slot. What lies behind a slot
-- is in arrays that only this file can reach:
--
--     column { slot = 7 }     pointers[7]   where the rows are
--                             counts[7]     how many; 0: the batch is over
--                             batches[7]    in which batch it was touched last
--
-- Most loops are over the columns of one batch. So the batch touched last is in
-- focus, and its count is in one place for all of its columns.
--
-- No address can be reached through a column: the slot cannot be assigned to
-- (it is const), and the pointers are upvalues. A slot belongs to its column
-- until the collector has found the column, so one that a script kept can never
-- show the rows of another query.
--
-- Types differ in how they convert, so indexing is generated once per scalar
-- type; the loops of scripts compile to a compare, a load and a store.
--
-- A NaN is stored as it comes. Until the batch ends nobody but its callback can
-- read what the callback may write, and then ecs.core makes every NaN the quiet
-- one. A check at each store costs short loops more than that.

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local safe_pairs = require "ecs.safe_pairs"
local message = require "ecs.message"
local scalars = require "ecs.ffi.scalars_ffi"

-- Types are never freed, and their metatables can be set once: loaded again,
-- this file does nothing.
if core.share("build") then return true end

-- What keeps columns within their memory is not looked up where a script could
-- have put something else.
local error, cast = error, ffi.cast
local type, tobit = type, require("bit").tobit
local touch, plan_of = core.touch, core.plan

local column_type = ffi.typeof(layouts.ViewColumn)
-- The comments are for test runners that remember types by their text.
local column_pointer = ffi.typeof("$ * /* a column */", column_type)
local view_type = ffi.typeof(layouts.View, column_type)
local view_pointer = ffi.typeof("$ * /* a view */", view_type)

local function check_layout()
  local column_bytes, address, columns = core.layout()
  if ffi.sizeof(column_type) ~= column_bytes
    or ffi.offsetof(column_type, "address") ~= address
    or ffi.offsetof(view_type, "columns") ~= columns then
    error("ecs: ecs.core and columns_ffi.lua disagree about a view", 0)
  end
end
check_layout()

-- Slots --------------------------------------------------------------------

local FOCUS = layouts.VIEW_FOCUS
-- The slot of columns that are finalized: it never shows anything.
local NEVER = 2
local pointers, counts = { false, false }, { 0, 0 }
local labels = { "a column", "a column" }
-- The batch in focus: the view that shows it, and its number, which the slots
-- touched in it have, too. Its count is counts[FOCUS], or 0 when any batch has
-- ended since.
local focus, batches = { view = 0, batch = 0 }, { 0, 0 }
local view_count, batch_count = 0, 0
-- A weak table: a column that a script kept must not keep its view.
local views, places = setmetatable({}, { __mode = "v" }), {}
local free, free_count, slot_count = {}, 0, NEVER

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
  views[slot], places[slot], batches[slot] = view, k, 0
  return slot
end

local slot_pointer, any_pointer = ffi.typeof "int32_t *", ffi.typeof "void *"

--- A column's finalizer. When the state closes, finalizers of scripts may still
-- find the column, and must not see what its slot is used for next.
local function give_slot(column)
  local slot = column.slot
  ffi.cast(slot_pointer, ffi.cast(any_pointer, column))[0] = NEVER
  pointers[slot], counts[slot] = false, 0
  free[free_count + 1] = slot
  free_count = free_count + 1
end

--- Notes that a slot was touched in the batch that a view shows. A batch that
-- was touched before and still has the focus has not ended.
local function look_at(view, slot, count)
  if focus.view ~= view or counts[FOCUS] == 0 then
    batch_count = batch_count + 1
    focus.view, focus.batch, counts[FOCUS] = view, batch_count, count
  end
  batches[slot] = focus.batch
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

--- The row that i means; refuses what is none. Columns of the batch in focus
-- are compared with the same count, so that a compiled loop does it once for
-- all of them: one compare of integers, because less 2^31 and wrapped around,
-- what is below 1 is above every limit.
local function row_of(slot, i)
  if type(i) ~= "number" then return refuse_row(slot, i) end
  local row = tobit(i)
  local limit = counts[FOCUS]
  if batches[slot] ~= focus.batch then limit = counts[slot] end
  if row ~= i or tobit(row + 2147483647) >= tobit(limit - 2147483648) then
    return refuse_row(slot, i)
  end
  return row
end

-- Types --------------------------------------------------------------------

-- row is i made whole. That costs nothing in a compiled loop, whose counter is
-- an integer.
local template = [[
local pointers, counts, entity, row_of, refuse_store = ...
local type, tonumber = type, tonumber
local floor, modf = math.floor, math.modf
local function index(column, i)
  local slot = column.slot
  local row = row_of(slot, i)
  local rows = pointers[slot]
  return LOAD
end
local function store(column, i, v)
  local slot = column.slot
  local row = row_of(slot, i)
CONVERT
  if v == nil then refuse_store(slot, i) end
  pointers[slot][row - 1] = v
end
local function store_nothing(column, i)
  row_of(column.slot, i)
  refuse_store(column.slot, i)
end
return index, store, store_nothing,
  function(column) return counts[column.slot] end,
  function() return "ecs column" end
]]

local function element_after(column, i)
  local slot = column.slot
  if i >= counts[slot] then
    error(message.row(labels[slot], counts[slot], i + 1), 2)
  end
  return i + 1, column[i + 1]
end

--- What ipairs asks of a cdata: as in 5.4 it ends with the error that there are
-- no more rows.
local function in_order(column)
  return element_after, column, 0
end

local function new_type(what, index, store, length, describe)
  local text = "struct { const int32_t slot; } /* " .. what .. " */"
  return ffi.metatype(ffi.typeof(text), {
    __index = index, __newindex = store, __len = length,
    __tostring = describe, __ipairs = in_order,
  })
end

--- The types of a scalar's columns: to write and only to read.
local function make_kind(scalar)
  local kind, types = scalars.kinds[scalar], {}
  local source = template:gsub("CONVERT", kind.raw)
    :gsub("LOAD", (kind.load:gsub("ELEMENT", "rows[row - 1]")))
  local chunk = assert(loadstring(source, "=ecs." .. scalar))
  local index, store, store_nothing, length, text = chunk(pointers, counts,
    scalars.entity, row_of, refuse_store)
  types.pointer = ffi.typeof(kind.pointer)
  types.written = new_type(scalar .. " written", index, store, length, text)
  types.read = new_type(scalar .. " read", index, store_nothing, length, text)
  return types
end

local kinds = {}
for scalar in safe_pairs(scalars.kinds) do kinds[scalar] = make_kind(scalar) end

local function new_column(kind, writable, slot)
  local make = writable and kind.written or kind.read
  return ffi.gc(make(slot), give_slot)
end

-- A pointer is made once for an address and kept, as are so many of a column:
-- then walking the same tables again makes no garbage.
local KNOWN_LIMIT = 256

--- The pointer to rows at an address, from those of one column.
local function pointer_to(known, pointer_type, address)
  local pointer = known.pointers[address]
  if pointer == nil then
    if known.count == KNOWN_LIMIT then known.pointers, known.count = {}, 0 end
    pointer = cast(pointer_type, address)
    known.pointers[address], known.count = pointer, known.count + 1
  end
  return pointer
end

--- For a new view: a function that gives column k of the batch being shown, or
-- nil; and the counts, which ecs.core sets to 0 when the batch is over. The
-- plan comes from ecs.core, which knows what the memory holds. Nothing here
-- allocates for a batch at addresses that were seen before.
local function open(view)
  local plan = plan_of(view)
  local box = cast(view_pointer, view)
  if box.columns[0].slot ~= 0 then
    error("ecs: this view has its columns already", 2)
  end
  view_count = view_count + 1
  local number, columns, cells, types, known = view_count, {}, {}, {}, {}
  for k = 1, #plan do
    local column = plan[k]
    local kind = kinds[column.scalar]
    local slot = take_slot(view, k, column.label)
    types[k], known[k] = kind.pointer, { pointers = {}, count = 0 }
    columns[k] = new_column(kind, column.writable, slot)
    cells[k] = cast(column_pointer, box.columns + (k - 1))
    cells[k].slot = slot
  end
  return function(k)
    -- The call checks the view and keeps it, and with it its cells, from the
    -- collector.
    local count = touch(view, k)
    if not count then return nil end
    local column = columns[k]
    local slot = column.slot
    pointers[slot] = pointer_to(known[k], types[k], cells[k].address)
    counts[slot] = count
    look_at(number, slot, count)
    return column
  end, counts
end

core.share("columns", open)

return true
