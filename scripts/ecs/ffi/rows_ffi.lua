--- rows_ffi: loops over rows, generated for each query, for LuaJIT.
--
-- A row view, which scripts get for a row, is an empty table; its metatable
-- reads and writes memory. Its position is in a struct that the binding shares
-- (bindings/lua/query/row_view.h) and no script can reach:
--
--     p.x  -->  is there a row?  -->  box.elements: pointer to column x
--               each: box.row >= 0
--               rows: is the world's row epoch still box.stamp?
--
-- This file does the usual case fast. Every other case (no row, no such field,
-- a wrong value, a row that is gone, a change that must be recorded) goes to
-- ecs.core, which does the same as on every VM or raises the error. So the
-- order of checks and the messages are in one place.
--
-- The code of views and loops is text, from rows_code.lua.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.rows_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local allows = require "ecs.access"
local core = require "ecs.core"
local scalars = require "ecs.ffi.scalars_ffi"
local fence = require "ecs.ffi.fence_ffi"
local rows_code = require "ecs.ffi.rows_code"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error = error

-- Functions that make code are kept here: a script may replace the globals, and
-- would get the pointers.
local assert, ipairs = assert, ipairs
local load_text = standard.load
local concat, format = table.concat, string.format

-- When the file is loaded again, the first builder stays.
if core.share("rows") then return true end

-- Epochs are compared as the doubles that have their bits: reading an integer
-- of 64 bits makes garbage where code is not compiled.
local rows_type = ffi.typeof((string.gsub(layouts.RowLoop, "uint64_t stamp",
  "double stamp")))
-- The comment keeps apart types that test runners cache by their text.
local rows_pointer = ffi.typeof("$ * /* rows */", rows_type)

local row, elements, query, epoch = core.row_layout()

-- A reference reads the epoch in one step, without a pointer that Lua holds.
local world_pointer = ffi.typeof("struct { uint8_t before[" .. epoch
  .. "]; const double &epoch; } *")

local function check_layout()
  if ffi.offsetof(rows_type, "row") ~= row
    or ffi.offsetof(rows_type, "elements") ~= elements
    or ffi.offsetof(rows_type, "query") ~= query then
    error("ecs: ecs.core and rows_ffi.lua disagree about rows", 0)
  end
end
check_layout()

-- The builder ----------------------------------------------------------------

--- The terms with columns, from ecs.core's sequence of definitions, each with
-- its access.
local function read(sequence)
  local terms, first = {}, 0
  for k = 1, #sequence, 2 do
    local name, fields = core.fields(sequence[k])
    local access = sequence[k + 1]
    if allows.shown[access] and #fields > 0 then
      terms[#terms + 1] = {
        number = #terms + 1, name = name, fields = fields, first = first,
        writable = allows.written[access] == true,
        optional = allows.optional[access] == true,
      }
      first = first + #fields
    end
  end
  return terms
end

-- Types are never freed, so queries with the same columns share one. LuaJIT has
-- 65536 types for the whole program, and each column of a struct uses one: this
-- is how many may be used here.
local places_types, places_left = {}, 16384

--- The type of box.elements: a struct of one pointer per column; nil: no types
-- are left.
local function places_type(terms)
  local members = {}
  for _, term in ipairs(terms) do
    for f, field in ipairs(term.fields) do
      members[#members + 1] = format("%sc%d;",
        scalars.pointer(field[2]), term.first + f - 1)
    end
  end
  local text = "struct { " .. concat(members, " ") .. " void *end; } *"
  if not places_types[text] then
    if #members > places_left then return nil end
    places_left = places_left - #members
    places_types[text] = ffi.typeof(text)
  end
  return places_types[text]
end

--- Runs a chunk for one row loop. walk: { source }, where rows take side exits.
local function instantiate(chunk, rows, terms, walk)
  local box = ffi.cast(rows_pointer, rows)
  local places = ffi.cast(places_type(terms), box.elements)
  return chunk(rows, box, places, ffi.cast(world_pointer, box.world), core,
    scalars.quiet_nan, scalars.entity, fence, walk, rows_code.lua)
end

local function compile(source)
  return assert(load_text(source, "=ecs.rows"))
end

-- LuaJIT compiles a loop for the function that the loop calls first; only after
-- it has seen several closures of one function, it compiles for all of them. So
-- a loop is made anew when its function has changed this often, and is then
-- compiled for all closures: 3 instead of 25 ns per row where a script passes a
-- new closure each time.
local ENOUGH = 5

--- For one loop of each: a function that returns the loop to run f with count
-- extra arguments. It is called before the walk begins. source: of a walk of
-- which rows take side exits (exit_run.lua), or false.
local function chooser(code, terms, rows)
  local runners, changes, last, walk = {}, 0, nil, {}
  local function make(key, count, exits)
    code[key] = code[key] or rows_code.each(terms, count, exits)
    return instantiate(compile(code[key]), rows, terms, walk)
  end
  return function(f, count, source)
    local exits = source and true or false
    local key = exits and -1 - count or count
    walk.source = source
    if f ~= last and changes < ENOUGH then
      last, changes = f, changes + 1
      if changes == ENOUGH then runners = {} end
    end
    runners[key] = runners[key] or make(key, count, exits)
    return runners[key]
  end
end

--- Called by ecs.core for a new row loop. loops: of rows, not each. Returns its
-- iterator, or its chooser for each; and code, which ecs.core passes in again
-- for the query's next loop. Returns nil where no types are left: then ecs.core
-- does the loop itself.
local function build(rows, sequence, loops, code)
  local terms = read(sequence)
  if not places_type(terms) then return nil end
  if loops then
    code = code or compile(rows_code.loop(terms))
    return instantiate(code, rows, terms), code
  end
  code = code or {}
  return chooser(code, terms, rows), code
end

core.share("rows", build)

-- For grid_ffi.lua, and taken from package.loaded by backend.lua.
return { read = read, places_type = places_type, pointer = rows_pointer,
         compile = compile }
