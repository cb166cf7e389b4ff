--- rows_code: writes the code of row views and of loops over rows, for LuaJIT.
--
-- The code is text, filled in for a query's columns: where the position of a
-- field is a constant of the code, a compiled loop needs one load per field. A
-- row of two loads and two stores takes 2.9 ns; with tables of slots 5.3, with
-- cdata and metatables 8.5, written by hand 1.8.
--
-- rows_ffi.lua compiles and runs it. A term here is one of its terms with
-- columns: { number, name, fields, first, writable, optional }.
--
-- An array, p.past, has a view of its own: a userdata, since the length of a
-- table is no choice of its own here. It reads columns by their numbers.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.rows_code"

local ffi = require "ffi"
require "ecs.ffi.cdef"
local safe_pairs = require "ecs.safe_pairs"
local scalars = require "ecs.ffi.scalars_ffi"

-- Functions that make code are kept here: a script may replace the globals, and
-- would get the pointers.
local ipairs, tostring, tonumber = ipairs, tostring, tonumber
local setmetatable = setmetatable
local concat, insert = table.concat, table.insert
local format, gsub, upper = string.format, string.gsub, string.upper

local rows_code = {}

--- What every chunk is given of Lua.
rows_code.lua = {
  pcall = pcall, error = error, type = type, tonumber = tonumber,
  setmetatable = setmetatable, select = select, unpack = standard.unpack,
  floor = math.floor, huge = math.huge, min = math.min, max = math.max,
  band = standard.bit.band, cast = ffi.cast,
  proxy = standard.newproxy or function() return setmetatable({}, {}) end,
  getmetatable = getmetatable,
}

local IN_PLACE = tonumber(ffi.cast("ecs_RowFlag", "ECS_ROW_IN_PLACE"))

-- Pieces of code -------------------------------------------------------------

-- The beginning of every chunk. get and set are called two levels below the
-- script.
local head = [[
local rows, box, places, world, core, quiet_nan, entity, fence, walk, lua = ...
local pcall, error, type = lua.pcall, lua.error, lua.type
local tonumber = lua.tonumber
local floor, huge, min, max = lua.floor, lua.huge, lua.min, lua.max
local band = lua.band
local setmetatable, unpack, select = lua.setmetatable, lua.unpack, lua.select
local cast, proxy, getmetatable = lua.cast, lua.proxy, lua.getmetatable
local row_get, row_set, row_has = core.row_get, core.row_set, core.row_has
local load, put, ids = box.load, box.store, box.ids
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

-- What follows where there are arrays.
local elements_head = [[
local function get_element(term, key, n)
  local done, value = pcall(row_get, rows, term, key, n)
  if not done then error(value, 3) end
  return value
end
local function set_element(term, key, n, value)
  local done, text = pcall(row_set, rows, term, key, value, n)
  if not done then error(text, 3) end
end
]]

-- The view of an array. ONES: may the fast code run for this row? PLACE: the
-- column of an element.
local elements_view = [[
do
  local columns = cast("POINTER *", box.elements) + FIRST
  local view = proxy(true)
  local meta = getmetatable(view)
  function meta.__index(_, n)
    BEFORE
    if HOLDS and type(n) == "number" and n >= 1 and n <= COUNT
      and floor(n) == n then
LOADS
    end
    local value = get_element(TERM, NAME, n)
    return value
  end
  function meta.__newindex(_, n, value)
    BEFORE
    if STORES and type(n) == "number" and n >= 1 and n <= COUNT
      and floor(n) == n then
      local v = value
STORING
    end
    set_element(TERM, NAME, n, value)
  end
  function meta.__len()
    BEFORE
    if SURE then return COUNT end
    get(TERM, NAME)
    return COUNT
  end
  function meta.__tostring() return LABEL end
  meta.__name, meta.__metatable = 'ecs.Row', false
  arraysTERM[NAME] = view
end
]]

-- One view. HOLDS and STORES are conditions under which the fast code may read
-- and write; LOADS and STORING are that code. BEFORE reads what it needs of the
-- row.
local view = [[
local pTERM
do
  local function index(_, key)
    BEFORE
    if HOLDS then
LOADS
    end
    local value = get(TERM, key)
    ARRAY
    return value
  end
  local function store(_, key, value)
    BEFORE
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

-- Code that converts the result of load.
local as_lua = { bool = "v ~= 0", entity = "entity(v)" }

-- A field or an element in a loop of rows. Nothing is open between two
-- accesses, and a finalizer may move rows or close the world wherever Lua
-- allocates; code that is not compiled allocates for every pointer that it
-- reads. So first the stamp and the row are read, then the pointer, and then
-- the stamp is compared with the world's epoch: neither this nor the access
-- behind it allocates. Where the epochs differ, or there is no pointer, a call
-- of C does it: see row_view.c.
local load_there = [[
        local p = PLACED
        if p ~= nil and s == world.epoch then return LOADED end
        local v = load(box, PLACE)
        if v == v then return CONVERTED end
]]

local store_there = [[
CONVERT
        local p = PLACED
        if v ~= nil then
          if p ~= nil and band(box.flags, FLAG) ~= 0
            and s == world.epoch then
            p[i] = v
            return
          end
          fence[0] = 0
          if put(box, PLACE, v) ~= 0 then return end
        end
]]

--- Code of the views of a term's arrays. holds: may the code for each run?
local function arrays_code(term, loops, holds)
  local parts = { "local arrays" .. term.number .. " = {}\n" }
  for k, array in ipairs(term.fields.arrays) do
    local name, first, count = array[1], array[2], array[3]
    local scalar = term.fields[first][2]
    local kind = scalars.kinds[scalar]
    local place = format("%d + n, %s", term.first + first - 2,
      scalar_numbers[scalar])
    local words = {
      POINTER = gsub(kind.pointer, "%s+$", ""), COUNT = tostring(count),
      FIRST = tostring(term.first + first - 1), TERM = tostring(term.number),
      NAME = format("%q", name), HOLDS = holds,
      LABEL = format("%q", "ecs.Row (" .. term.name .. "." .. name .. ")"),
      BEFORE = loops and "local i, s = box.row, box.stamp"
        or "local i = box.row",
      SURE = loops and "i >= 0 and s == world.epoch" or "i >= 0",
      STORES = term.writable and holds or "false", STORING = "",
    }
    local inner = {
      LOADED = gsub(kind.load, "ELEMENT", "p[i]"), CONVERT = kind.convert,
      CONVERTED = as_lua[scalar] or "v", FLAG = tostring(IN_PLACE),
      PLACED = "columns[n - 1]", PLACE = place,
    }
    if loops then
      words.LOADS = fill(load_there, inner)
      if term.writable then words.STORING = fill(store_there, inner) end
    else
      words.LOADS = "      return "
        .. gsub(kind.load, "ELEMENT", "columns[n - 1][i]")
      if term.writable then
        words.STORING = kind.convert
          .. "\n      if v ~= nil then columns[n - 1][i] = v return end"
      end
    end
    parts[k + 1] = fill(elements_view, words)
  end
  return concat(parts)
end

--- Code that gives the views of a term's arrays.
local function array_loads(term, loops)
  local loads = {}
  for k, array in ipairs(term.fields.arrays or {}) do
    local sure = loops and "i >= 0 and s == world.epoch" or "i >= 0"
    loads[k] = format("\n      if key == %q and %s then "
      .. "return arrays%d[%q] end", array[1], sure, term.number, array[1])
  end
  return concat(loads)
end

--- The beginning of what is done for a field's key.
local function key_test(is_first, name)
  return format("      %s key == %q then\n", is_first and "if" or "elseif",
    name)
end

--- Goes over the fields of a term but those that ecs.core holds values of:
-- gives the column of each, and the field.
local function plain_columns(term)
  local f = 0
  return function()
    repeat f = f + 1
    until not term.fields[f] or not scalars.held[term.fields[f][2]]
    if term.fields[f] then return term.first + f - 1, term.fields[f] end
  end
end

--- Code that loads and stores the fields of a term in a loop of rows. C refuses
-- stores of links.
local function located_code(term)
  local loads, stores = {}, {}
  for index, field in plain_columns(term) do
    local kind = scalars.kinds[field[2]]
    local words = {
      PLACED = "places.c" .. index,
      PLACE = index .. ", " .. scalar_numbers[field[2]],
      LOADED = gsub(kind.load, "ELEMENT", "p[i]"), CONVERT = kind.convert,
      CONVERTED = as_lua[field[2]] or "v", FLAG = tostring(IN_PLACE),
    }
    loads[#loads + 1] = key_test(#loads == 0, field[1])
      .. fill(load_there, words)
    if not field[3] then
      stores[#stores + 1] = key_test(#stores == 0, field[1])
        .. fill(store_there, words)
    end
  end
  return #loads == 0 and "" or concat(loads) .. "      end",
    #stores == 0 and "" or concat(stores) .. "      end"
end

--- Code that loads and stores the fields of a term in a loop of each.
local function field_code(term)
  local loads, stores = {}, {}
  for index, field in plain_columns(term) do
    local kind = scalars.kinds[field[2]]
    local place = format("places.c%d[i]", index)
    loads[#loads + 1] = key_test(#loads == 0, field[1]) .. "        return "
      .. gsub(kind.load, "ELEMENT", place)
    if not field[3] then
      stores[#stores + 1] = key_test(#stores == 0, field[1]) .. kind.convert
        .. "\n        if v ~= nil then " .. place .. " = v return end"
    end
  end
  return #loads == 0 and "" or concat(loads, "\n") .. " end",
    #stores == 0 and "" or concat(stores, "\n") .. " end"
end

local function view_code(term, loops)
  local loads, stores = (loops and located_code or field_code)(term)
  local holds = loops and "true" or "i >= 0"
  if term.optional and not loops then
    holds = "i >= 0 and places.c" .. term.first .. " ~= nil"
  end
  local arrays = term.fields.arrays
  loads = loads .. array_loads(term, loops)
  return (arrays and arrays_code(term, loops, holds) or "") .. fill(view, {
    ARRAY = arrays and format(
      "if arrays%d[key] then return arrays%d[key] end", term.number,
      term.number) or "",
    BEFORE = loops and "local i, s = box.row, box.stamp"
      or "local i = box.row",
    TERM = tostring(term.number), HOLDS = holds, LOADS = loads,
    STORES = term.writable and holds or "false",
    STORING = term.writable and stores or "",
    NAME = format("%q", "ecs.Row (" .. term.name .. ")"),
  })
end

-- Whole chunks ---------------------------------------------------------------

-- The loop of each, called with the row loop, the function f and the extra
-- arguments. C begins and ends the walk. ARGUMENTS are the arguments of f. The
-- outer loop calls C and is not compiled, so it reads no pointer: each would be
-- garbage.
local each = [[
local next_batch, advance = core.each_next, box.advance
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

-- The same where only some rows are given out, those that take side exits,
-- mostly one by one: one loop, which is compiled, so it calls C by the FFI
-- first (EachCall.again in row_loop.h). It asks whether what is outside is as
-- it was for the walk's source (exit_run.lua), where this can be compiled, too.
local each_exit = [[
local next_batch, advance = core.each_next, box.advance
return function(EXTRAS)
  local source = walk.source
  local asks = source.same
  local count = next_batch(rows)
  local i = box.at
PRESENT
  while count > 0 do
    box.row = i
    f(ARGUMENTS)
    i = i + 1
    if i >= count then
      if asks and source.same() then box.unchanged = 1 end
      count = advance(box)
      i = box.at
      if count == 0 then
        count = next_batch(rows)
        i = box.at
ANEW
      end
    end
  end
end
]]

-- Where the next rows of a loop of each begin, and how it gets them.
local ways = {
  [false] = { FIRST = "0", AGAIN = "next_batch(rows)" },
  [true] = { FIRST = "box.at", AGAIN = "advance(box)\n"
    .. "    if count == 0 then count = next_batch(rows) end" },
}

-- The same for many arguments: a function has 250 registers for its parameters,
-- its variables and the arguments of a call together.
local wide = [[
local next_batch, advance = core.each_next, box.advance
return function(_, f, ...)
  local arguments = {}
  for k = 1, COUNT do arguments[TERMS + k] = (select(k, ...)) end
  local count = next_batch(rows)
  while count > 0 do
PRESENT
    for i = FIRST, count - 1 do
      box.row = i
      arguments[ALL] = tonumber(box.entities[i])
      f(unpack(arguments, 1, ALL))
    end
    count = AGAIN
  end
end
]]

-- The iterator of rows. It goes on to the next row of the run itself, if the
-- epoch shows that nothing has changed. Nothing that runs between a comparison
-- and what relies on it allocates.
local step = [[
local done, trouble, advance = core.rows_done, core.row_trouble, box.advance
return function()
  local row, found, id = box.row + 1, 1, nil
  if row < box.located and box.stamp == world.epoch then
    box.row = row
    id = ids[row]
  else
    fence[0] = 0
    found = advance(box)
    if found > 0 then id = ids[0] end
  end
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

-- A function has at most 60 upvalues. Where there are more views than this,
-- they are in a table.
local UPVALUES = 40

--- Code that replaces the views of absent optional components by nil, and the
-- names of the resulting variables.
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
      lines[#lines + 1] = format("    local r%d = (%s) and %s or nil", t, there,
        view_name)
    end
  end
  return concat(lines, "\n"), names
end

local function views_code(terms, loops)
  local parts, names = { head }, {}
  for t, term in ipairs(terms) do
    if term.fields.arrays and not parts.has_elements then
      parts.has_elements, parts[#parts + 1] = true, elements_head
    end
    parts[#parts + 1] = view_code(term, loops)
    names[t] = "p" .. t
  end
  return concat(parts) .. "local views = { " .. concat(names, ", ")
    .. " }\n"
end

-- The most arguments that a call writes out; more are in a table.
local WRITTEN_OUT = 40

--- Code of a function that runs each with count extra arguments, which are in a
-- table.
local function wide_code(terms, count, exits)
  local lines = {}
  for t, term in ipairs(terms) do
    local there = term.optional and "places.c" .. term.first .. " ~= nil and "
      or ""
    lines[t] = format("    arguments[%d] = %sviews[%d] or nil", t, there, t)
  end
  return views_code(terms, false) .. fill(wide, {
    PRESENT = concat(lines, "\n"), COUNT = tostring(count),
    TERMS = tostring(#terms), ALL = tostring(#terms + count + 1),
    FIRST = ways[exits].FIRST, AGAIN = ways[exits].AGAIN,
  })
end

--- Code of a function that runs each with count extra arguments. exits: a few
-- rows at a time, those that take side exits.
function rows_code.each(terms, count, exits)
  if #terms + count > WRITTEN_OUT then
    return wide_code(terms, count, exits)
  end
  local lines, names = present(terms, false)
  local extras = { "_", "f" }
  for k = 1, count do
    names[#names + 1], extras[k + 2] = "x" .. k, "x" .. k
  end
  names[#names + 1] = "tonumber(box.entities[i])"
  return views_code(terms, false) .. fill(exits and each_exit or each, {
    PRESENT = lines, ARGUMENTS = concat(names, ", "),
    ANEW = gsub(lines, "local ", ""),
    EXTRAS = concat(extras, ", "),
  })
end

-- The iterator of a loop over rows of a grid. As above, but hits are anywhere:
-- `found` has their rows.
local near = [[
local trouble, advance, found_rows = core.row_trouble, box.advance, box.found
OTHER
return views, function(over)
  return function()
    local at, found, id, id_other = box.at + 1, 1, nil, nil
    if at < box.located and box.stamp == world.epoch then
      box.at = at
      box.row = found_rows[at]
      id = ids[at]
NEXT
    else
      fence[0] = 0
      found = advance(box)
      if found > 0 then
        id = ids[0]
FIRST
      end
    end
    if found > 0 then
      return ARGUMENTS
    elseif found == 0 then
      over()
      return nil
    end
    local _, text = pcall(trouble, rows, -1)
    error(text, 2)
  end
end
]]

-- Of pairs: what walk has of the loop over the other rows.
local pair = [[
local other = walk.box
local found_others, ids_others = other.found, other.ids
local NAMES = unpack(walk.views)
]]

--- Code of rows of a grid: returns the list of their views, and a function that
-- returns the iterator for a function to be called at its end. in_pairs: the
-- loop over pairs. nil: there are too many terms for one.
function rows_code.near(terms, in_pairs)
  local names, others = {}, {}
  for t in ipairs(terms) do
    names[t], others[t] = "p" .. t, "q" .. t
  end
  if #terms == 0 or #terms > UPVALUES / 2 then return nil end
  local arguments = "id, " .. concat(names, ", ")
  if in_pairs then
    arguments = "id, id_other, " .. concat(names, ", ") .. ", "
      .. concat(others, ", ")
  end
  return views_code(terms, true) .. fill(near, {
    ARGUMENTS = arguments,
    OTHER = in_pairs and fill(pair, { NAMES = concat(others, ", ") }) or "",
    NEXT = in_pairs and [[
      other.at = at
      other.row = found_others[at]
      id_other = ids_others[at] ]] or "",
    FIRST = in_pairs and "        id_other = ids_others[0]" or "",
  })
end

--- Code of the iterator of rows.
function rows_code.loop(terms)
  local lines, names = present(terms, true)
  insert(names, 1, "id")
  return views_code(terms, true) .. fill(step, {
    PRESENT = lines, ARGUMENTS = concat(names, ", "),
  })
end

return rows_code
