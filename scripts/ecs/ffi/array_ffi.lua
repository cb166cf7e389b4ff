--- array_ffi: elements of arrays by FFI, for LuaJIT.
--
--     walls          a userdata of ecs.core   entries[walls]: what follows
--       view         pointer to its elements and sizes, in that userdata
--       rows         walls[1], walls[2] .., made when they are asked for
--       deep         deep[1][2]: walls[1][2], where there are three indices
--     walls[x]       a cdata { array = 7, x = 3 }: a number of the array, and
--                    its index; views[7] is the view
--
-- ecs.core keeps the view true: an array that gets other sizes has other
-- elements, one of a world that is closed has no sizes, and then no index is
-- in its range. So each access compares all indices with the sizes.
--
-- This file does the usual case. Every other case (an index outside, a value
-- that does not fit or has to be looked at, a method) goes to ecs.core, which
-- does the same as on every VM or raises the error.
--
-- A row does not keep its array alive, and views do not keep it either: so no
-- view is ever behind its array. Indexing is generated for each type.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.array_ffi"

local ffi = require "ffi"
local core = require "ecs.core"
local scalars = require "ecs.ffi.scalars_ffi"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local assert, error, setmetatable = assert, error, setmetatable
local type, tobit, cast = type, standard.bit.tobit, ffi.cast
local format, gsub, floor = string.format, string.gsub, math.floor
local load_text = standard.load
local array_get, array_put, array_method, array_shape = core.array_get,
  core.array_put, core.array_method, core.array_shape

local weak_keys, weak_values = { __mode = "k" }, { __mode = "v" }
-- Array -> its entry. Number of an array -> its view, the tables deep, itself.
local entries = setmetatable({}, weak_keys)
local views = setmetatable({}, weak_values)
local deeps = setmetatable({}, weak_values)
local owners = setmetatable({}, weak_values)
local array_count = 0

-- Types ----------------------------------------------------------------------

local view_offset, sizes_offset = core.array_layout()

local function view_type(pointer)
  local struct = ffi.typeof(format("struct { uint8_t before[%d]; %s elements; "
    .. "int32_t n1, n2, n3; }", view_offset, pointer))
  if ffi.offsetof(struct, "n1") ~= view_offset + sizes_offset then
    error("ecs: ecs.core and array_ffi.lua disagree about an array", 0)
  end
  -- The comment keeps apart types that test runners cache by their text.
  return ffi.typeof("$ * /* array of " .. pointer .. " */", struct)
end

--- When a number v can be stored as it is; what is not so is for ecs.core.
local function whole(low, high)
  return format("v >= %s and v <= %s and floor(v) == v", low, high)
end

local plain = {
  f32 = "v >= -3.4028234663852886e38 and v <= 3.4028234663852886e38",
  f64 = "v == v",
  i8 = whole("-128", "127"), u8 = whole("0", "255"),
  i16 = whole("-32768", "32767"), u16 = whole("0", "65535"),
  i32 = whole("-2147483648", "2147483647"), u32 = whole("0", "4294967295"),
}

-- Rows that are gone, and what goes to ecs.core -------------------------------

--- The array of a row. Raises where nothing refers to it any more.
local function owner_of(row)
  local array = owners[row.ecs_array]
  if not array then error("ecs: the array of this row is gone", 3) end
  return array
end

local function slow_get2(row, y)
  return array_get(owner_of(row), row.ecs_x, y)
end

local function slow_put2(row, y, v)
  return array_put(owner_of(row), row.ecs_x, y, v)
end

local function slow_get3(row, z)
  return array_get(owner_of(row), row.ecs_x, row.ecs_y, z)
end

local function slow_put3(row, z, v)
  return array_put(owner_of(row), row.ecs_x, row.ecs_y, z, v)
end

local function slow_array(array, x)
  if type(x) == "string" then return array_method(array, x) end
  return array_get(array, x)
end

-- Code -----------------------------------------------------------------------

-- x, y and z are compared from both sides: a function that a script got hold of
-- by the debug library may be called with anything.
local head = [[
local views, tobit, type, floor, slow_get, slow_put, slow_array = ...
]]

local code = {}

code[1] = [[
local function index(entry, array, x)
  local view = entry.view
  if type(x) == "number" then
    local i = tobit(x)
    if i == x and i >= 1 and i <= view.n1 then
      return LOAD(view.elements[i - 1])
    end
  end
  return slow_array(array, x)
end
local function store(entry, array, x, v)
  local view = entry.view
  if type(x) == "number" and TYPED then
    local i = tobit(x)
    if i == x and i >= 1 and i <= view.n1 and PLAIN then
      view.elements[i - 1] = v
      return
    end
  end
  return slow_put(array, x, v)
end
return index, store
]]

code[2] = [[
local function index(row, y)
  local view = views[row.ecs_array]
  if view and type(y) == "number" then
    local i, x = tobit(y), row.ecs_x
    if i == y and i >= 1 and i <= view.n2 and x >= 1 and x <= view.n1 then
      return LOAD(view.elements[(x - 1) * view.n2 + (i - 1)])
    end
  end
  return slow_get(row, y)
end
local function store(row, y, v)
  local view = views[row.ecs_array]
  if view and type(y) == "number" and TYPED then
    local i, x = tobit(y), row.ecs_x
    if i == y and i >= 1 and i <= view.n2 and x >= 1 and x <= view.n1
      and PLAIN then
      view.elements[(x - 1) * view.n2 + (i - 1)] = v
      return
    end
  end
  return slow_put(row, y, v)
end
return index, store
]]

code[3] = [[
local function index(row, z)
  local view = views[row.ecs_array]
  if view and type(z) == "number" then
    local i, x, y = tobit(z), row.ecs_x, row.ecs_y
    local n2, n3 = view.n2, view.n3
    if i == z and i >= 1 and i <= n3 and y >= 1 and y <= n2 and x >= 1
      and x <= view.n1 then
      return LOAD(view.elements[((x - 1) * n2 + (y - 1)) * n3 + (i - 1)])
    end
  end
  return slow_get(row, z)
end
local function store(row, z, v)
  local view = views[row.ecs_array]
  if view and type(z) == "number" and TYPED then
    local i, x, y = tobit(z), row.ecs_x, row.ecs_y
    local n2, n3 = view.n2, view.n3
    if i == z and i >= 1 and i <= n3 and y >= 1 and y <= n2 and x >= 1
      and x <= view.n1 and PLAIN then
      view.elements[((x - 1) * n2 + (y - 1)) * n3 + (i - 1)] = v
      return
    end
  end
  return slow_put(row, z, v)
end
return index, store
]]

--- The code for a scalar and a number of indices: how to read and how to store
-- an element.
local function make_code(scalar, dimensions, slow_get, slow_put)
  local bool = scalar == "bool"
  local text = gsub(code[dimensions], "TYPED",
    bool and 'type(v) == "boolean"' or 'type(v) == "number"')
  text = gsub(text, "LOAD(%b())", bool and "(%1 ~= 0)" or "%1")
  text = gsub(text, "PLAIN", bool and "true" or plain[scalar])
  text = gsub(text, " = v\n", bool and " = v and 1 or 0\n" or " = v\n")
  return assert(load_text(head .. text, "=ecs.array " .. scalar))(views, tobit,
    type, floor, slow_get, slow_put, slow_array)
end

-- Kinds: what arrays of one type with as many indices share -------------------

local function describe(row)
  local array = owner_of(row)
  local _, dimensions, name = array_shape(array)
  return format("ecs.ArrayRow ('%s'[%d]%s)", name, row.ecs_x,
    dimensions == 3 and row.ecs_y and format("[%d]", row.ecs_y) or "")
end

--- Raises what an access to the row would.
local function check_row(row, y)
  local array = owner_of(row)
  array_get(array, row.ecs_x)
  if y then array_get(array, row.ecs_x, y) end
  return views[row.ecs_array]
end

local flat = {
  __len = function(row) return check_row(row).n2 end, __tostring = describe,
}
local cube = {
  __len = function(row) return check_row(row, row.ecs_y).n3 end,
  __tostring = describe,
}

--- A type of rows. name keeps apart types that have the same members.
local function row_type(members, name, methods, index, store)
  return ffi.metatype(ffi.typeof(format("struct { const int32_t %s; } /* %s */",
    members, name)), {
    __index = index, __newindex = store, __len = methods.__len,
    __tostring = methods.__tostring,
  })
end

local new_middle

local function middle_index(row, y)
  local view, all = views[row.ecs_array], deeps[row.ecs_array]
  if view and all and type(y) == "number" then
    local i, x = tobit(y), row.ecs_x
    if i == y and i >= 1 and i <= view.n2 and x >= 1 and x <= view.n1 then
      local rows = all[x]
      if rows then
        local found = rows[i]
        if found then return found end
      else
        rows = {}
        all[x] = rows
      end
      rows[i] = all.make(row.ecs_array, x, i)
      return rows[i]
    end
  end
  return slow_get2(row, y)
end

local function row_of(entry, array, x)
  local view = entry.view
  if type(x) == "number" then
    local i = tobit(x)
    if i == x and i >= 1 and i <= view.n1 then
      local row = entry.rows[i]
      if row then return row end
      row = entry.make(entry.number, i)
      entry.rows[i] = row
      return row
    end
  end
  return slow_array(array, x)
end

local function refuse_row(_, array, x, v)
  return array_put(array, x, v)
end

local function make_kind(scalar, dimensions)
  local kind = { view = view_type(scalars.kinds[scalar].pointer) }
  if dimensions == 1 then
    kind.index, kind.store = make_code(scalar, 1, array_get, array_put)
    return kind
  end
  kind.index, kind.store = row_of, refuse_row
  if dimensions == 2 then
    kind.make = row_type("ecs_array, ecs_x", "ecs row " .. scalar, flat,
      make_code(scalar, 2, slow_get2, slow_put2))
  else
    new_middle = new_middle or row_type("ecs_array, ecs_x", "ecs middle row",
      flat, middle_index, slow_put2)
    kind.make = new_middle
    kind.deep = row_type("ecs_array, ecs_x, ecs_y", "ecs deep row " .. scalar,
      cube, make_code(scalar, 3, slow_get3, slow_put3))
  end
  return kind
end

local kinds = {}

--- The entry of an array that is indexed for the first time. Raises for
-- anything else.
local function enter(array)
  local scalar, dimensions = array_shape(array)
  if not scalar then error("ecs: this is not an array", 3) end
  local key = scalar .. dimensions
  local kind = kinds[key] or make_kind(scalar, dimensions)
  kinds[key] = kind
  array_count = array_count + 1
  local entry = {
    number = array_count, view = cast(kind.view, array), index = kind.index,
    store = kind.store, make = kind.make, rows = {},
    deep = { make = kind.deep },
  }
  entries[array], views[array_count] = entry, entry.view
  owners[array_count], deeps[array_count] = array, entry.deep
  return entry
end

core.array_by(function(array, x)
  local entry = entries[array] or enter(array)
  return entry.index(entry, array, x)
end, function(array, x, v)
  local entry = entries[array] or enter(array)
  return entry.store(entry, array, x, v)
end)

return true
