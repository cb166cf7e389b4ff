--- grid_ffi: the questions of grids as compiled code, for LuaJIT.
--
-- The methods replace those of ecs.core, which stay behind them: whatever is
-- not ordinary (a wrong argument, a grid that has ended or cannot be built, one
-- with optional components) goes there as a tail call, and so do the messages.
--
--     records[near] = {
--       self          its address, for calls of C
--       flat          in two dimensions
--       free, count   loops of within and box that are not in use
--       pairs, pair_count     the same of each_pair
--       answers, turn     loops for nearest, which take turns
--     }
--
-- A record is kept by the private table of its grid, and known here by weak
-- references: its loops refer to the grid. A loop is { box, step, rows }; the
-- step is made of text (rows_code.near) and puts the loop back at its end. One
-- that is left early becomes garbage.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.grid_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local allows = require "ecs.access"
local fence = require "ecs.ffi.fence_ffi"
local rows_code = require "ecs.ffi.rows_code"
local rows_ffi = require "ecs.ffi.rows_ffi"
local scalars = require "ecs.ffi.scalars_ffi"

local calls_data, calls_bytes = core.grid_calls()
-- When the file is loaded again, the methods are there already.
if not calls_data or rows_ffi == true then return function() end end

-- Kept here: a script may replace the globals, and would get the pointers.
local unpack = standard.unpack
local concat = table.concat
local type, setmetatable, ipairs = type, setmetatable, ipairs
local huge = math.huge
local read, places_type, compile =
  rows_ffi.read, rows_ffi.places_type, rows_ffi.compile
local grid_rows, grid_terms, grid_keep =
  core.grid_rows, core.grid_terms, core.grid_keep
local gsub = string.gsub

local calls = ffi.cast(layouts.GridCalls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and grid_ffi.lua disagree about their calls", 0)
end
local begin_within, begin_box, begin_pairs =
  calls.within, calls.box, calls.pairs
local find_nearest, count_near, find_any =
  calls.nearest, calls.count, calls.any

-- Where the epoch of a grid is, which its loops compare.
local epoch_type = ffi.typeof "struct { double epoch; } *"

local records = setmetatable({}, { __mode = "kv" })

-- Loops ----------------------------------------------------------------------

--- Runs a chunk for a RowLoop. Returns its views, and what makes its iterator.
local function instantiate(record, rows, chunk, walk)
  local box = ffi.cast(rows_ffi.pointer, rows)
  local places = ffi.cast(places_type(record.terms), box.elements)
  local views, make = chunk(rows, box, places, ffi.cast(epoch_type, box.epoch),
    core, scalars.quiet_nan, scalars.entity, fence, walk,
    rows_code.lua)
  return box, views, make
end

local function new_loop(near, record)
  local loop = { box = false, step = false, rows = grid_rows(near) }
  local box, _, make = instantiate(record, loop.rows, record.code)
  loop.box = box
  loop.step = make(function()
    local count = record.count + 1
    record.free[count], record.count = loop, count
  end)
  return loop
end

local function new_pairs(near, record)
  local others = grid_rows(near)
  local walk = {}
  walk.box, walk.views = instantiate(record, others, record.code)
  local loop = { box = false, step = false, rows = grid_rows(near, others) }
  local box, _, make = instantiate(record, loop.rows, record.pair_code, walk)
  loop.box = box
  loop.step = make(function()
    local count = record.pair_count + 1
    record.pairs[count], record.pair_count = loop, count
  end)
  return loop
end

-- How many answers of nearest there are before the first one's rows are used
-- again.
local ANSWERS = 4

local answer_code = [[
local box, ids, NAMES = ...
return function() return ids[0], NAMES, ids[1] end
]]

local function new_answer(near, record)
  local rows = grid_rows(near)
  local box, views = instantiate(record, rows, record.code)
  local names = {}
  for t in ipairs(views) do names[t] = "p" .. t end
  local chunk = compile((gsub(answer_code, "NAMES",
    concat(names, ", "))))
  return { box = box, rows = rows, get = chunk(box, box.ids, unpack(views)) }
end

--- A loop that is not in use.
local function take(near, record)
  local count = record.count
  if count == 0 then return new_loop(near, record) end
  record.count = count - 1
  return record.free[count]
end

local function take_pairs(near, record)
  local count = record.pair_count
  if count == 0 then return new_pairs(near, record) end
  record.pair_count = count - 1
  return record.pairs[count]
end

-- Methods --------------------------------------------------------------------

local methods, slow = {}, {}

local function is_number(x)
  return type(x) == "number"
end

--- Is it nil? A null pointer of the FFI is equal to nil.
local function is_nil(x)
  return type(x) == "nil"
end

--- z and the radius of a question, from the third number on; nil: the method of
-- ecs.core finds out what is wrong.
local function sphere(record, x, y, c, d, e)
  if not is_number(x) or not is_number(y) or not is_number(c) then return end
  if record.flat then
    if is_nil(d) and is_nil(e) then return 0, c end
  elseif is_number(d) and is_nil(e) then
    return c, d
  end
end

function methods.within(near, x, y, c, d, e)
  local record = records[near]
  local z, radius
  if record then z, radius = sphere(record, x, y, c, d, e) end
  if not radius then return slow.within(near, x, y, c, d, e) end
  local loop = take(near, record)
  fence[0] = 0
  if begin_within(loop.box, x, y, z, radius) == 1 then return loop.step end
  return slow.within(near, x, y, c, d, e)
end

function methods.box(near, a, b, c, d, e, f, ...)
  local record = records[near]
  if not record or not is_nil((...)) or not is_number(a) or not is_number(b)
    or not is_number(c) or not is_number(d) then
    return slow.box(near, a, b, c, d, e, f, ...)
  end
  local done
  local loop = take(near, record)
  fence[0] = 0
  if record.flat then
    done = is_nil(e) and is_nil(f) and begin_box(loop.box, a, b, 0, c, d, 0)
  else
    done = is_number(e) and is_number(f)
      and begin_box(loop.box, a, b, c, d, e, f)
  end
  if done == 1 then return loop.step end
  return slow.box(near, a, b, c, d, e, f, ...)
end

function methods.each_pair(near, radius, more)
  local record = records[near]
  if not record or not is_number(radius) or not is_nil(more)
    or not record.pair_code then
    return slow.each_pair(near, radius, more)
  end
  local loop = take_pairs(near, record)
  fence[0] = 0
  if begin_pairs(loop.box, radius) == 1 then return loop.step end
  return slow.each_pair(near, radius, more)
end

function methods.count(near, x, y, c, d, e)
  local record = records[near]
  local z, radius
  if record then z, radius = sphere(record, x, y, c, d, e) end
  if not radius then return slow.count(near, x, y, c, d, e) end
  fence[0] = 0
  local count = count_near(record.self, x, y, z, radius)
  if count >= 0 then return count end
  return slow.count(near, x, y, c, d, e)
end

--- z, the radius and the entity to leave out, as sphere.
local function sphere_but(record, x, y, c, d, e, f)
  local except = d
  if not record.flat then except, e = e, f end
  if not is_nil(e) or not (is_nil(except) or is_number(except) and except >= 0
    and except < 9007199254740992) then
    return
  end
  local z, radius
  if record.flat then
    z, radius = sphere(record, x, y, c)
  else
    z, radius = sphere(record, x, y, c, d)
  end
  return z, radius, except or 0
end

function methods.any(near, x, y, c, d, e, f)
  local record = records[near]
  local z, radius, except
  if record then z, radius, except = sphere_but(record, x, y, c, d, e, f) end
  if not radius then return slow.any(near, x, y, c, d, e, f) end
  fence[0] = 0
  local found = find_any(record.self, x, y, z, radius, except)
  if found >= 0 then return found == 1 end
  return slow.any(near, x, y, c, d, e, f)
end

function methods.nearest(near, x, y, c, d, e, f)
  local record = records[near]
  local z, radius, except
  if record then
    if record.flat then
      if is_nil(c) then c = huge end
    elseif is_nil(d) then
      d = huge
    end
    z, radius, except = sphere_but(record, x, y, c, d, e, f)
  end
  if not radius then return slow.nearest(near, x, y, c, d, e, f) end
  local turn = record.turn
  local last = record.answers[turn]
  last.box.row, last.box.stamp = -1, -2 -- its rows are over
  turn = turn % ANSWERS + 1
  record.turn = turn
  local answer = record.answers[turn]
  fence[0] = 0
  local found = find_nearest(answer.box, x, y, z, radius, except)
  if found == 1 then return answer.get() end
  if found == 0 then return nil end
  return slow.nearest(near, x, y, c, d, e, f)
end

-- The methods of ecs.core are taken from a metatable that no script can reach
-- before this file has run.
slow = core.grid_methods()
core.install("ecs.Grid", methods)

--- Makes the record of a new grid. One with optional components has none: its
-- views are made by ecs.core.
return function(near)
  local sequence = grid_terms(near)
  local terms = read(sequence)
  for _, term in ipairs(terms) do
    if term.optional then return end
    term.writable = false
  end
  for k = 2, #sequence, 2 do
    if not allows.own[sequence[k]] then return end
  end
  local text = rows_code.near(terms, false)
  if not text or not places_type(terms) then return end
  local record = {
    self = ffi.cast("void *", near), terms = terms, code = compile(text),
    pair_code = compile(rows_code.near(terms, true)),
    flat = core.grid_is_flat(near), free = {}, count = 0, pairs = {},
    pair_count = 0, answers = {}, turn = 1,
  }
  for k = 1, ANSWERS do record.answers[k] = new_answer(near, record) end
  grid_keep(near, record)
  records[near] = record
end
