--- columns_ffi: columns as checked views of memory, for LuaJIT.
--
-- A column is a cdata that holds one number, its slot. The state of a slot is
-- in arrays that only this file can reach:
--
--     column { slot = 7 }     pointers[7]   pointer to the rows
--                             counts[7]     number of rows; 0: batch is over
--                             batches[7]    number of the batch in which the
--                                           column was read last
--
-- Most loops are over the columns of one batch. So the batch that was used last
-- has the focus: its count is at one index for all of its columns.
--
-- No address can be reached through a column: the slot is const, and the
-- pointers are upvalues. A slot belongs to its column until the column is
-- collected, so a column that a script kept can never show the rows of another
-- query.
--
-- Scalar types convert differently, so indexing is generated once per type; the
-- loops of scripts compile to a compare, a load and a store.
--
-- A NaN is stored with its bits. Until the batch ends, only its callback can
-- read the columns that it writes; then ecs.core makes every NaN the quiet one.
-- A check at each store would cost short loops more.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.columns_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local safe_pairs = require "ecs.safe_pairs"
local message = require "ecs.message"
local scalars = require "ecs.ffi.scalars_ffi"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local assert = assert
local load_text = standard.load
local gsub = string.gsub

-- Types are never freed, and their metatables can be set only once. So this
-- file does nothing when it is loaded again.
if core.share("build") then return true end

-- Functions that keep columns within their memory are kept here: a script may
-- replace the globals.
local error, cast, copy = error, ffi.cast, ffi.copy
local type, tobit = type, standard.bit.tobit
local touch, plan_of = core.touch, core.plan

local column_type = ffi.typeof(layouts.ViewColumn)
-- The comments keep apart types that test runners cache by their text.
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
-- The slot of columns that were finalized: it has no rows.
local NEVER = 2
local pointers, counts = { false, false }, { 0, 0 }
local labels = { "a column", "a column" }
-- The batch in focus: the number of the view that shows it, and the number of
-- the batch, which is also in batches[slot] of its columns. Its count is
-- counts[FOCUS]; 0 once any batch has ended since.
local focus, batches = { view = 0, batch = 0 }, { 0, 0 }
local view_count, batch_count = 0, 0
-- Slot -> view, and slot -> index of the column in the view. Weak: a column
-- that a script kept must not keep its view.
local views, positions = setmetatable({}, { __mode = "v" }), {}
local free, free_count, slot_count = {}, 0, NEVER

--- A free slot, for column k of a view.
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
  views[slot], positions[slot], batches[slot] = view, k, 0
  return slot
end

local any_pointer = ffi.typeof "void *"

--- The finalizer of columns that hold their slot as a C type: frees the slot.
-- While the state closes, finalizers of scripts may still use the column, and
-- must not reach the next use of its slot.
local function slot_giver(slot_type)
  local slot_pointer = ffi.typeof(slot_type .. " *")
  return function(column)
    local slot = column.slot
    cast(slot_pointer, cast(any_pointer, column))[0] = NEVER
    pointers[slot], counts[slot] = false, 0
    free[free_count + 1] = slot
    free_count = free_count + 1
  end
end

-- To LuaJIT a store to an element may change every number of the same size in
-- memory, slots included. So a slot has a type that few columns have: with
-- slots as int32_t, each store to an i32 costs a loop 1.3 ns. Slots beyond
-- NARROW, and those of columns of 16 bits, are int32_t.
local NARROW = 65535
local give_narrow = slot_giver "uint16_t"
local give_wide = slot_giver "int32_t"

--- Records that a slot was used in the batch that a view shows, and gives the
-- batch the focus. A batch that still has the focus has not ended.
local function focus_on(view, slot, count)
  if focus.view ~= view or counts[FOCUS] == 0 then
    batch_count = batch_count + 1
    focus.view, focus.batch, counts[FOCUS] = view, batch_count, count
  end
  batches[slot] = focus.batch
end

-- Errors --------------------------------------------------------------------

-- Each blames the line that indexed: three levels up from here.

local function refuse_row(slot, i)
  error(message.row(labels[slot], counts[slot], i), 3)
end

local function refuse_store(slot, i)
  local view = views[slot]
  if counts[slot] == 0 or not view then error(message.over, 3) end
  error(core.misuse(view, positions[slot], i), 3)
end

--- The index i as an integer; raises an error unless it is a row. All columns
-- of the batch in focus compare with the same count, so a compiled loop
-- compares once for all of them. One unsigned comparison checks both bounds:
-- with 2^31 subtracted and wrapped around, numbers below 1 are above every
-- limit.
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

-- row is i as an integer. In a compiled loop the counter is an integer, so the
-- conversion costs nothing.
local template = [[
local pointers, counts, entity, row_of, refuse_store = ...
local type, tonumber = type, tonumber
local floor, huge, min, max = math.floor, math.huge, math.min, math.max
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

--- The __ipairs of a column. As on Lua 5.4, the loop ends with the error that
-- there are no more rows.
local function in_order(column)
  return element_after, column, 0
end

--- A type of columns that hold their slot as a C type. name tells types with
-- the same text apart.
local function new_type(slot_type, name, methods)
  local text = "struct { const " .. slot_type .. " slot; } /* " .. name
    .. " */"
  return ffi.metatype(ffi.typeof(text), methods)
end

--- Two such types: for every slot, and for slots up to NARROW; false: there is
-- none.
local function new_types(narrow, name, index, store, length, describe)
  local methods = {
    __index = index, __newindex = store, __len = length,
    __tostring = describe, __ipairs = in_order,
  }
  return {
    wide = new_type("int32_t", name, methods),
    narrow = narrow and new_type("uint16_t", name, methods),
  }
end

--- The types of a scalar's columns: one to read and write, one to read.
local function make_kind(scalar)
  local kind, types = scalars.kinds[scalar], {}
  local source = gsub(gsub(template, "CONVERT", kind.raw), "LOAD",
    (gsub(kind.load, "ELEMENT", "rows[row - 1]")))
  local chunk = assert(load_text(source, "=ecs." .. scalar))
  local index, store, store_nothing, length, text = chunk(pointers, counts,
    scalars.entity, row_of, refuse_store)
  types.pointer = ffi.typeof(kind.pointer)
  local narrow = scalar ~= "i16" and scalar ~= "u16"
  types.written = new_types(narrow, scalar .. " written", index, store, length,
    text)
  types.read = new_types(narrow, scalar .. " read", index, store_nothing,
    length, text)
  return types
end

local kinds = {}
for scalar in safe_pairs(scalars.kinds) do kinds[scalar] = make_kind(scalar) end

local function new_column(kind, writable, slot)
  local types = writable and kind.written or kind.read
  if types.narrow and slot <= NARROW then
    return ffi.gc(types.narrow(slot), give_narrow)
  end
  return ffi.gc(types.wide(slot), give_wide)
end

-- The most pointers that are kept for each column, one per address: looping
-- over the same tables again then makes no garbage.
local KNOWN_LIMIT = 256

--- The pointer to an address. known: the pointers kept for a column.
local function pointer_to(known, pointer_type, address)
  local pointer = known.pointers[address]
  if pointer == nil then
    if known.count == KNOWN_LIMIT then known.pointers, known.count = {}, 0 end
    pointer = cast(pointer_type, address)
    known.pointers[address], known.count = pointer, known.count + 1
  end
  return pointer
end

--- Writes a text to memory.
local function write(pointer, text) copy(pointer, text, #text) end

--- Called for a new view. Returns a function that gives column k of the batch
-- being shown, or nil where there is none; counts, in which ecs.core sets the
-- counts to 0 when the batch is over; and write. The types come from ecs.core,
-- which knows what the memory holds. A batch at addresses that were seen before
-- allocates nothing.
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
    -- batch.lua hands out no column of what ecs.core holds.
    local kind = kinds[scalars.held[column.scalar] and "u32" or column.scalar]
    local slot = take_slot(view, k, column.label)
    types[k], known[k] = kind.pointer, { pointers = {}, count = 0 }
    columns[k] = new_column(kind, column.writable, slot)
    cells[k] = cast(column_pointer, box.columns + (k - 1))
    cells[k].slot = slot
  end
  return function(k)
    -- The call checks the view. It also keeps the view, and so its cells, from
    -- being collected.
    local count = touch(view, k)
    if not count then return nil end
    local column = columns[k]
    local slot = column.slot
    pointers[slot] = pointer_to(known[k], types[k], cells[k].address)
    counts[slot] = count
    focus_on(number, slot, count)
    return column
  end, counts, write
end

core.share("columns", open)

return true
