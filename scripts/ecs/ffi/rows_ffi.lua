--- rows_ffi: loops over rows, generated for each query, for LuaJIT.
--
-- What scripts get of a row is an empty table whose metatable reads and writes
-- memory. Where it is, is in struct Rows of bindings/lua/rows.h, which both
-- sides share and no script can reach:
--
--     p.x  -->  is a row out?  -->  box.elements: where column x is
--               each: box.row >= 0
--               rows: asks C, see row_view.c
--
-- This file does what is plain and fast. Everything else (no row, no such
-- field, a wrong value, a row that is gone, a change that must be recorded)
-- goes to ecs.core, which does it as on every VM or says what is wrong. So code
-- here needs no order of checks and no words.
--
-- Code is text filled in for a query's columns, because compiled loops are one
-- load per field when the field's place is a constant of the code. Measured
-- against tables of slots, and against cdata with metatables: 2.9 ns per row of
-- two loads and two stores, 5.3 and 8.5; by hand it is 1.8.

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local safe_pairs = require "ecs.safe_pairs"
local scalars = require "ecs.ffi.scalars_ffi"

-- What makes code is not looked up where a script could have put something
-- else: it would be shown the pointers.
local assert, loadstring, ipairs = assert, loadstring, ipairs
local tostring, tonumber = tostring, tonumber
local concat, insert = table.concat, table.insert
local format, gsub, upper = string.format, string.gsub, string.upper

-- Loaded again: the first stays.
if core.share("rows") then return true end

local IN_PLACE = tonumber(ffi.cast("ecs_RowFlag", "ECS_ROW_IN_PLACE"))

local rows_type = ffi.typeof(layouts.RowLoop)
-- The comment is for test runners that remember types by their text.
local rows_pointer = ffi.typeof("$ * /* rows */", rows_type)

local function check_layout()
  local row, elements, query = core.row_layout()
  if ffi.offsetof(rows_type, "row") ~= row
    or ffi.offsetof(rows_type, "elements") ~= elements
    or ffi.offsetof(rows_type, "query") ~= query then
    error("ecs: ecs.core and rows_ffi.lua disagree about rows", 0)
  end
end
check_layout()

-- Pieces of code -------------------------------------------------------------

-- What every chunk begins with. get and set are two levels below the script.
local head = [[
local rows, box, places, core, quiet_nan, entity = ...
local pcall, error, type, tonumber = pcall, error, type, tonumber
local floor, modf, huge = math.floor, math.modf, math.huge
local band = require("bit").band
local setmetatable, unpack, select = setmetatable, unpack, select
local row_get, row_set, row_has = core.row_get, core.row_set, core.row_has
local load, put = box.load, box.store
local function get(term, key)
  local done, value = pcall(row_get, rows, term, key)
  if not done then error(value, 3) end
  return value
end
local function set(term, key, value)
  local done, text = pcall(row_set, rows, term, key, value)
  if not done then error(text, 3) end
end
]]

-- One view. HOLDS is when the fast way may be taken, INDEX the element's.
local view = [[
local pTERM
do
  local function index(_, key)
    local i = box.row
    if HOLDS then
LOADS
    end
    local value = get(TERM, key)
    return value
  end
  local function store(_, key, value)
    local i = box.row
    if STORES then
      local v = value
STORING
    end
    set(TERM, key, value)
  end
  pTERM = setmetatable({}, {
    __index = index, __newindex = store, __metatable = false,
    __name = 'ecs.Row', -- for messages
    __tostring = function() return NAME end,
  })
end
]]

local function fill(text, words)
  return (gsub(text, "%u%u%u+", words))
end

local scalar_numbers = {}
for scalar in safe_pairs(scalars.kinds) do
  scalar_numbers[scalar] = tonumber(ffi.cast("int", ffi.cast("ecs_Scalar",
    "ECS_" .. upper(scalar))))
end

-- How a number that load gave is shown, and what put is given of a value.
local as_lua = { bool = "v ~= 0", entity = "entity(v)" }
local given = {
  bool = "type(v) == 'number' and v or v == true and 1 or v == false and 0",
  entity = "v == nil and 0 or type(v) == 'number' and v",
}

--- The same for rows, whose elements only C may look at: see row_view.c.
local function call_code(term)
  local loads, stores = {}, {}
  for f, field in ipairs(term.fields) do
    local scalar = field[2]
    local word = f == 1 and "if" or "elseif"
    local test = format("      %s key == %q then ", word, field[1])
    local place = "box, " .. term.first + f - 1 .. ", "
      .. scalar_numbers[scalar]
    loads[f] = test .. "\n        local v = load(" .. place
      .. ")\n        if v == v then return "
      .. (as_lua[scalar] or "v") .. " end"
    stores[f] = test .. "\n        local n = "
      .. (given[scalar] or "type(v) == 'number' and v")
      .. "\n        if n and put(" .. place .. ", n) ~= 0 then return end"
  end
  return concat(loads, "\n") .. " end", concat(stores, "\n")
    .. " end"
end

--- Code that loads and stores the fields of a term.
local function field_code(term)
  local loads, stores = {}, {}
  for f, field in ipairs(term.fields) do
    local kind = scalars.kinds[field[2]]
    local place = "places.c" .. term.first + f - 1 .. "[i]"
    local word = f == 1 and "if" or "elseif"
    local test = format("      %s key == %q then ", word, field[1])
    loads[f] = test .. "return " .. gsub(kind.load, "ELEMENT", place)
    stores[f] = test .. "\n" .. kind.convert .. "\n        if v ~= nil then "
      .. place .. " = v return end"
  end
  return concat(loads, "\n") .. " end", concat(stores, "\n")
    .. " end"
end

local function view_code(term, loops)
  local loads, stores = (loops and call_code or field_code)(term)
  local holds = loops and "true" or "i >= 0"
  if term.optional and not loops then
    holds = "i >= 0 and places.c" .. term.first .. " ~= nil"
  end
  return fill(view, {
    TERM = tostring(term.number), HOLDS = holds, LOADS = loads,
    STORES = term.writable and holds or "false",
    STORING = term.writable and stores or "",
    NAME = format("%q", "ecs.Row (" .. term.name .. ")"),
  })
end

-- Whole chunks ---------------------------------------------------------------

-- The loop of each, called with the Rows, the function and what is handed on. C
-- begins and ends the walk; ARGUMENTS are what the function gets. The outer
-- loop calls C and is not compiled, so it looks at no pointer: each would be
-- garbage.
local each = [[
local next_batch = core.each_next
return function(EXTRAS)
  local count = next_batch(rows)
  while count > 0 do
PRESENT
    for i = 0, count - 1 do
      box.row = i
      f(ARGUMENTS)
    end
    count = next_batch(rows)
  end
end
]]

-- The same for calls of many arguments: a function has 250 registers, for its
-- parameters, variables and the arguments of a call together.
local wide = [[
local next_batch = core.each_next
return function(_, f, ...)
  local arguments = {}
  for k = 1, COUNT do arguments[TERMS + k] = (select(k, ...)) end
  local count = next_batch(rows)
  while count > 0 do
PRESENT
    for i = 0, count - 1 do
      box.row = i
      arguments[ALL] = tonumber(box.entities[i])
      f(unpack(arguments, 1, ALL))
    end
    count = next_batch(rows)
  end
end
]]

-- The step of rows.
local step = [[
local done, trouble, advance = core.rows_done, core.row_trouble, box.advance
return function()
  local found = advance(box)
  if found > 0 then
PRESENT
    return ARGUMENTS
  elseif found == 0 then
    done(rows)
    return nil
  end
  local _, text = pcall(trouble, rows, -found)
  error(text, 2)
end
]]

-- A function has at most 60 upvalues; more views than this come from a table.
local UPVALUES = 40

--- The lines that leave out what a row lacks, and the names of what it has.
local function present(terms, loops)
  local lines, names = {}, {}
  for t, term in ipairs(terms) do
    local view_name = #terms <= UPVALUES and "p" .. t or "views[" .. t .. "]"
    names[t] = view_name
    if term.optional then
      local there = "places.c" .. term.first .. " ~= nil"
      if loops then
        there = there .. " or band(box.flags, " .. IN_PLACE
          .. ") == 0 and row_has(rows, " .. t .. ")"
      end
      names[t] = "r" .. t
      lines[#lines + 1] = "    local r" .. t .. " if " .. there .. " then r"
        .. t .. " = " .. view_name .. " end"
    end
  end
  return concat(lines, "\n"), names
end

local function views_code(terms, loops)
  local parts, names = { head }, {}
  for t, term in ipairs(terms) do
    parts[#parts + 1] = view_code(term, loops)
    names[t] = "p" .. t
  end
  return concat(parts) .. "local views = { " .. concat(names, ", ")
    .. " }\n"
end

local WRITTEN_OUT = 40 -- arguments in a call; more are in a table

--- Code of a function that runs each with count extra arguments, from a table.
local function wide_code(terms, count)
  local lines = {}
  for t, term in ipairs(terms) do
    local there = term.optional and "places.c" .. term.first .. " ~= nil and "
      or ""
    lines[t] = format("    arguments[%d] = %sviews[%d] or nil", t, there, t)
  end
  return views_code(terms, false) .. fill(wide, {
    PRESENT = concat(lines, "\n"), COUNT = tostring(count),
    TERMS = tostring(#terms), ALL = tostring(#terms + count + 1),
  })
end

--- Code of a function that runs each with count extra arguments.
local function each_code(terms, count)
  if #terms + count > WRITTEN_OUT then return wide_code(terms, count) end
  local lines, names = present(terms, false)
  local extras = { "_", "f" }
  for k = 1, count do
    names[#names + 1], extras[k + 2] = "x" .. k, "x" .. k
  end
  names[#names + 1] = "tonumber(box.entities[i])"
  return views_code(terms, false) .. fill(each, {
    PRESENT = lines, ARGUMENTS = concat(names, ", "),
    EXTRAS = concat(extras, ", "),
  })
end

local function loop_code(terms)
  local lines, names = present(terms, true)
  insert(names, 1, "tonumber(box.entity)")
  return views_code(terms, true) .. fill(step, {
    PRESENT = lines, ARGUMENTS = concat(names, ", "),
  })
end

-- The builder ----------------------------------------------------------------

--- What has columns, from ecs.core's sequence { definition, access, ... }.
local function read(sequence)
  local terms, first = {}, 0
  for k = 1, #sequence, 2 do
    local name, fields = core.fields(sequence[k])
    local access = sequence[k + 1]
    local shown = access == "write" or access == "read" or access == "optional"
    if shown and #fields > 0 then
      terms[#terms + 1] = {
        number = #terms + 1, name = name, fields = fields, first = first,
        writable = access ~= "read", optional = access == "optional",
      }
      first = first + #fields
    end
  end
  return terms
end

-- Types are never freed: one for all queries whose columns are the same, while
-- there is room. LuaJIT has 65536 types for the whole program; a place is one.
local places_types, places_left = {}, 16384

--- The type of where the columns are, or nil: there is no more room.
local function places_type(terms)
  local members = {}
  for _, term in ipairs(terms) do
    for f, field in ipairs(term.fields) do
      members[#members + 1] = scalars.kinds[field[2]].pointer .. "c"
        .. term.first + f - 1 .. ";"
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

--- Runs a chunk for one Rows.
local function instantiate(chunk, rows, terms)
  local box = ffi.cast(rows_pointer, rows)
  local places = ffi.cast(places_type(terms), box.elements)
  return chunk(rows, box, places, core, scalars.quiet_nan,
    scalars.entity)
end

local function compile(source)
  return assert(loadstring(source, "=ecs.rows"))
end

-- LuaJIT compiles a loop for the function that is called in it first, and only
-- for functions made in the same place once it has seen several of those. A
-- loop whose function changed this often is made anew, and then compiled for
-- all of them: 3 instead of 25 ns per row where a script passes a new closure
-- each time.
local ENOUGH = 5

--- For one Rows of each: a function that says what runs f with count extra
-- arguments. It is called before the walk begins.
local function chooser(code, terms, rows)
  local runners, changes, last = {}, 0, nil
  local function make(count)
    code[count] = code[count] or each_code(terms, count)
    return instantiate(compile(code[count]), rows, terms)
  end
  return function(f, count)
    if f ~= last and changes < ENOUGH then
      last, changes = f, changes + 1
      if changes == ENOUGH then runners = {} end
    end
    runners[count] = runners[count] or make(count)
    return runners[count]
  end
end

--- Called by ecs.core for a new Rows. Returns its step or, for each, its
-- chooser; and code, which is handed in again for the query's next Rows. Or nil
-- where there is no room for the type: then ecs.core does it all.
local function build(rows, sequence, loops, code)
  local terms = read(sequence)
  if not places_type(terms) then return nil end
  if loops then
    code = code or compile(loop_code(terms))
    return instantiate(code, rows, terms), code
  end
  code = code or {}
  return chooser(code, terms, rows), code
end

core.share("rows", build)

return true
