--- values_ffi: values, tables of fields and spawns as compiled FFI calls.
--
-- For access_ffi, which has the other methods for one entity. C has the calls
-- (value_calls.c); here tables of fields are read, and what a spawn is made of
-- is remembered:
--
--     known[part]      its definition: of every definition, and of every value
--                      that was used twice. C fills it. Values are weak keys.
--     read(t, base)    reads a table of fields: numbers[base + k] is field k,
--                      the result is the mask of those given; nil for a table
--                      that C has to read or refuse
--     roots[world]     a tree of what was spawned, part by part. A node = {
--                        parts   the definitions up to here
--                        after   definition -> the node of one part more
--                        read    reads the last part's table; false: C does
--                        keep    a userdata of C: the shape of these parts;
--                                nil: never spawned
--                        shape   a pointer to it
--                      }
--
-- A table is read from beginning to end without an allocation, so no finalizer
-- can run, change it, or use the numbers. next shows keys that are no fields:
-- there must be as many keys as fields were found.
--
-- backend.lua takes the module out of package.loaded. Loaded again, it is true.

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"

local calls_data, calls_bytes, known = core.value_calls()
if not calls_data then return true end

-- Kept here: a script may replace the globals.
local select, type, next, loadstring = select, type, next, loadstring
local getmetatable, setmetatable = getmetatable, setmetatable
local assert, ipairs, unpack = assert, ipairs, unpack
local concat, format = table.concat, string.format
local cast, new_shape, fields_of = ffi.cast, core.spawn_shape, core.fields

local calls = cast(layouts.ValueCalls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and values_ffi.lua disagree about their calls", 0)
end

local PARTS, FIELDS = layouts.SHAPE_PARTS, layouts.SHAPE_FIELDS
local MOST_NODES = 1000 -- of one world; ecs.core makes what else is spawned

local numbers = ffi.new("double[?]", PARTS * FIELDS) -- 64 fields at least
local given = ffi.new("uint32_t[?]", PARTS)
local pointer = ffi.typeof "void *"

local spawn = calls.spawn -- as long as calls_data is here

local values = {
  known = known, numbers = numbers,
  set_value = calls.set_value, add_value = calls.add_value,
  set_fields = calls.set_fields, add_fields = calls.add_fields,
}

-- Tables of fields -----------------------------------------------------------

--- What reads one field, which is V if it is not nil. The code has the name as
-- a string, since a field may have any name, "end" included.
local FIELD = [[
v = fields[NAME]
if v ~= nil then
  CHECK
  numbers[base + INDEX] = v
  found, count = found + MASK, count + 1
end]]

local number_check = [[if type(v) ~= "number" then return nil end]]
local bool_check = [[
  if v == true then v = 1 elseif v == false then v = 0 else return nil end]]

--- The function that reads a table of fields; nil when there are none or too
-- many.
function values.reader(fields)
  if #fields == 0 or #fields > FIELDS then return nil end
  local code = { [[
local numbers, next, type, getmetatable = ...
return function(fields, base)
local found, count, v, key = 0, 0, nil, nil
if getmetatable(fields) ~= nil then return nil end]] }
  local place = {}
  for f, field in ipairs(fields) do
    place.NAME, place.INDEX = format("%q", field[1]), f - 1
    place.MASK = 2 ^ (f - 1)
    place.CHECK = field[2] == "bool" and bool_check or number_check
    code[#code + 1] = FIELD:gsub("%u+", place)
  end
  for k = 1, #fields do
    code[#code + 1] =
      format("if count >= %d then key = next(fields, key) end", k)
  end
  code[#code + 1] = [[
if next(fields, key) ~= nil then return nil end
return found
end]]
  return assert(loadstring(concat(code, "\n"), "=ecs.fields"))(
    numbers, next, type, getmetatable)
end

local readers = {} -- by definition; false: none

local function reader_of(definition)
  local read = readers[definition]
  if read == nil then
    local _, fields = fields_of(definition)
    read = values.reader(fields) or false
    readers[definition] = read
  end
  return read
end
values.reader_of = reader_of

-- Spawning -------------------------------------------------------------------

local roots = setmetatable({}, { __mode = "k" })
local counts = setmetatable({}, { __mode = "k" }) -- world -> nodes

--- The node behind a node for one part more; nil where there are too many.
local function ensure_child(world, node, definition)
  local child = node.after[definition]
  if child then return child end
  if #node.parts == PARTS then return nil end
  child = { parts = {}, after = {}, read = reader_of(definition) }
  for k, part in ipairs(node.parts) do child.parts[k] = part end
  child.parts[#child.parts + 1] = definition
  counts[world] = counts[world] + 1
  node.after[definition] = child
  return child
end

--- Remembers what a spawn is made of, up to the first argument that is not
-- known: in vain it is called once.
local function remember(world, ...)
  if not roots[world] then
    if not new_shape(world) then return end -- no world
    counts[world] = 0
    roots[world] = { parts = {}, after = {}, read = false }
  end
  if counts[world] >= MOST_NODES then return end
  local arguments, count = { ... }, select("#", ...)
  local node, k = roots[world], 1
  while k <= count do
    local part = arguments[k]
    local definition = part ~= nil and known[part]
    node = definition and ensure_child(world, node, definition)
    if not node then return end
    local is_alone = definition ~= part or type(arguments[k + 1]) ~= "table"
    k = k + (is_alone and 1 or 2)
  end
  local keep = new_shape(world, unpack(node.parts))
  if keep then node.keep, node.shape = keep, cast(pointer, keep) end
end

-- The code that spawns. The arguments move to the front as parts are read: that
-- costs nothing where the code is compiled; a loop would be an inner loop of
-- every loop that spawns. It returns the entity; otherwise nil, and whether the
-- parts should be remembered. It has a fixed number of parameters: LuaJIT
-- compiles such a function by itself, too, for callers that are interpreted,
-- where each access by the FFI costs 60 ns.
local PART = [[
if count > 0 then
  local child = node.after[a1]
  if child then
    node = child
    given[INDEX], count = 0, count - 1
    if count > 0 and type(a2) == "table" then
      local mask = node.read and node.read(a2, BASE)
      if not mask then return nil end
      given[INDEX], count = mask, count - 1
      SHIFT_TWO
    else
      SHIFT_ONE
    end
  else
    local definition = a1 ~= nil and known[a1]
    if not definition then return nil end
    node = node.after[definition]
    if not node then return nil, true end
    given[INDEX], count, VALUE = 0, count - 1, a1
    SHIFT_ONE
  end
end]]

local function names(first, last)
  local list = {}
  for k = first, last do list[#list + 1] = "a" .. k end
  return concat(list, ", ")
end

local function spawn_code()
  local most = 2 * PARTS
  local code = { format([[
local roots, known, numbers, given, spawn, type = ...
return function(count, world, %s)
if a1 ~= nil and not known[a1] then return nil end
local node = roots[world]
if not node then return nil, true end
if count > %d then return nil end
local v1, v2, v3, v4, v5, v6, v7, v8]], names(1, most), most) }
  for k = 1, PARTS do
    code[#code + 1] = PART:gsub("[%u_]+", {
      BASE = (k - 1) * FIELDS, INDEX = k - 1, VALUE = "v" .. k,
      SHIFT_ONE = names(1, most - 1) .. " = " .. names(2, most),
      SHIFT_TWO = names(1, most - 2) .. " = " .. names(3, most),
    })
  end
  code[#code + 1] = [[
if count > 0 then return nil end
local shape = node.shape
if not shape then return nil, true end
local entity = spawn(shape, numbers, given, v1, v2, v3, v4, v5, v6, v7, v8)
if entity ~= 0 then return entity end
return nil
end]]
  return concat(code, "\n")
end

--- The method spawn. slow is that of ecs.core: it gets all that is not usual.
function values.spawner(slow)
  local usual = assert(loadstring(spawn_code(), "=ecs.spawn"))(roots, known,
    numbers, given, spawn, type)
  return function(...)
    local entity, is_new = usual(select("#", ...) - 1, ...)
    if entity then return entity end
    if is_new then remember(...) end
    return slow(...)
  end
end

return values
