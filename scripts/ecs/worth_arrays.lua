--- worth_arrays: whether rows that meet in arrays of the world are expected to
-- take longer compiled than as plain Lua.
--
-- A program that reads an array in which it writes goes on with as many rows
-- at once as do not meet at an element (core/program/vm_puts.h). It goes row by
-- row where that cannot be:
--
--     loops   a loop that is not unrolled reads the array: all of the program
--     keys    an index follows from an element: what follows from elements
--     rows    many rows meet at one element: the same, as runs have shown
--
-- In loops plain Lua is faster on every VM. Otherwise it is where LuaJIT's
-- compiler reads elements; elsewhere each access is a call, and plain Lua takes
-- five to twenty times as long.

local standard = require "ecs.standard"
local require = standard.inner "ecs.worth_arrays"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"

local format, unpack = string.format, standard.unpack

local program_meetings = backend.core.program_meetings
local met_array = specialize.met_array
local inlines = backend.inlines

local worth_arrays = {}

-- In nanoseconds a row, where LuaJIT compiles plain Lua. Plain: an operation,
-- and one that follows from elements. In a program: an operation; one that
-- follows from elements for a row alone, and in a slice; and a slice with each
-- of these.
local PLAIN, PLAIN_LATE = 0.2, 1.0
local STEP, ALONE, TOGETHER, SLICE = 0.1, 2.5, 0.9, 8

--- The texts of each kind: what is so in an array, how many times as long as
-- plain Lua it takes, as it was measured, and what to do about it.
local kinds = {
  loops = {
    "a loop reads array '%s', in which the function writes, so all of it runs "
      .. "row by row",
    inlines and "about 20" or "about 2",
    "read one array and write another, or let the loop have constant limits: "
      .. "for k = 1, 8 do",
  },
  keys = {
    "an index follows from an element of array '%s', in which the function "
      .. "writes, so rows run one by one",
    "about 6",
    "keep indices in fields, or in an array that it does not write",
  },
  rows = {
    "its rows meet at elements of array '%s', which it reads and writes, so "
      .. "few of them run at once",
    "up to 4",
    "add to a total, or to fields of the rows",
  },
}

--- The counts of a function's runs that were seen last.
function worth_arrays.new_record()
  return { rows = 0, slices = 0, alone = 0 }
end

--- Is so much of a run, and so many slices a row, slower than plain Lua?
local function is_slower(plan, alone, slices)
  local late, operations = plan.late, plan.operations
  local compiled = operations * STEP + slices * late * SLICE
    + late * (alone * ALONE + (1 - alone) * TOGETHER)
  return compiled > operations * PLAIN + late * PLAIN_LATE
end

--- The same by the runs of a program since the last question.
local function meets(plan, record, program)
  local _, _, _, rows, slices, alone = program_meetings(program)
  if not rows then return false end
  local since = rows - record.rows
  if since < 0 then record.slices, record.alone, since = 0, 0, rows end
  local new_slices, new_alone = slices - record.slices, alone - record.alone
  record.rows, record.slices, record.alone = rows, slices, alone
  return since > 0
    and is_slower(plan, new_alone / since, new_slices / since)
end

--- Why the next run of a plan is expected to take longer compiled, for the
-- function f: a kind, and the name of an array; nil: it is not. program: of the
-- last run, the record of which tells whether rows meet; nil: there is none.
-- Cost: a read for each array.
function worth_arrays.weigh(plan, f, record, program)
  local kind
  if plan.late_loops then
    kind = "loops"
  elseif not inlines then
    return nil
  elseif plan.late_keys then
    kind = is_slower(plan, 1, 0) and "keys"
  else
    kind = program and meets(plan, record, program) and "rows"
  end
  local name = kind and met_array(plan, f)
  if name then return kind, name end
end

--- What is told of such a plan: what is so, and what to do.
function worth_arrays.reason(kind, name)
  local text, factor, cure = unpack(kinds[kind])
  return format(text, name) .. ", which takes " .. factor
    .. " times as long as plain Lua: " .. cure
end

return worth_arrays
