--- values_ffi: values, tables of fields and spawns as compiled FFI calls.
--
-- For access_ffi, which has the other methods for one entity. C has the calls
-- (value_calls.c); here tables of fields are read, and values are made:
--
--     kinds[component] = {
--       read(t, base)  reads a table of fields: numbers[base + k] is field k,
--                      the result is the mask of those given; nil for a table
--                      that C has to read or refuse
--       make(t)        the value of a table of fields; nil likewise
--       new()          a new struct for a value
--     }                read and make are false where C always reads, as for
--                      a component that has an array
--
-- A table is read from beginning to end without an allocation, so no finalizer
-- can run, change it, or use the numbers. next shows keys that are no fields:
-- there must be as many keys as fields were found.
--
-- A value is a struct, which LuaJIT makes and passes on in compiled code, and
-- which C knows as a Value. A script without the ffi can do nothing with it,
-- since no member has a name; an array could be read past its end. Compiled
-- code does not even set the members to zero: C sets all.
--
-- backend.lua takes the module out of package.loaded. Loaded again, it is true.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.values_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local fence = require "ecs.ffi.fence_ffi"

local calls_data, calls_bytes, image_offset = core.value_calls()
if not calls_data then return true end

-- Kept here: a script may replace the globals.
local select, type, next = select, type, next
local load_text = standard.load
local getmetatable, setmetatable = getmetatable, setmetatable
local assert, ipairs, concat, format = assert, ipairs, table.concat,
  string.format
local tell = core.tell
local istype, kind_name, fields_of = ffi.istype, core.kind, core.fields
local gsub, rep = string.gsub, string.rep

local PARTS, FIELDS = layouts.SPAWN_PARTS, layouts.TABLE_FIELDS

-- 64 fields at least, and how many tables were read.
local READS = PARTS * FIELDS
local numbers = ffi.new("double[?]", READS + 1)
local given = ffi.new("uint32_t[?]", PARTS)

local values = { numbers = numbers }
local make_value, spawn

do -- The pointer holds no longer than calls_data, the functions do.
  local calls = ffi.cast(layouts.ValueCalls .. " *", calls_data)
  if ffi.sizeof(calls[0]) ~= calls_bytes then
    error("ecs: ecs.core and values_ffi.lua disagree about their calls", 0)
  end
  make_value, spawn = calls.make_value, calls.spawn
  values.set_value, values.add_value = calls.set_value, calls.add_value
  values.set_fields, values.add_fields = calls.set_fields, calls.add_fields
end

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

--- Code with the functions read and make. Each component has code of its own,
-- which LuaJIT compiles by itself, too, for callers that are interpreted.
local function write_readers(fields)
  local code = { [[
local numbers, READS, next, type, getmetatable, new, make_value, component = ...
local function read(fields, base)
numbers[READS] = numbers[READS] + 1
local found, count, v, key = 0, 0, nil, nil
if getmetatable(fields) ~= nil then return nil end]] }
  local place = {}
  for f, field in ipairs(fields) do
    place.NAME, place.INDEX = format("%q", field[1]), f - 1
    place.MASK = 2 ^ (f - 1)
    place.CHECK = field[2] == "bool" and bool_check or number_check
    code[#code + 1] = gsub(FIELD, "%u+", place)
  end
  for k = 1, #fields do
    code[#code + 1] =
      format("if count >= %d then key = next(fields, key) end", k)
  end
  code[#code + 1] = [[
if next(fields, key) ~= nil then return nil end
return found
end
local function make(fields)
local value = new() -- before anything is read, since it may run a finalizer
local reads = numbers[READS] + 1
local given = read(fields, 0)
if given and make_value(value, component, given, numbers) == 1
  and numbers[READS] == reads then -- no debug hook had one read meanwhile
  return value
end
return nil
end
return read, make]]
  return concat(code, "\n")
end

-- Values ---------------------------------------------------------------------

--- The type of values with an image of so many words of 8 bytes.
local function new_type(words)
  return ffi.typeof("struct {"
    .. rep("int32_t :32;", image_offset / 4 + 2 * words) .. "}")
end

-- Few are of most components. Some are of the tables that are read here: the
-- making of larger structs is not compiled. Most are of every component.
local FEW, SOME, MOST = 4, FIELDS, 64
local Few, Some, Most = new_type(FEW), new_type(SOME), new_type(MOST)

--- How many words of an image a value has room for; nil: it is no value. Where
-- it is compiled it costs nothing, since a trace knows the types of C data.
local function words_of(value)
  return istype(Few, value) and FEW or istype(Some, value) and SOME
    or istype(Most, value) and MOST or nil
end

local function is_value(value)
  return type(value) == "cdata" and words_of(value) ~= nil
end
values.is_value = is_value

local kinds = {}

--- What is known of a component; false for a prefab and for one with fields of
-- type string or any, which C reads, and for ecs.Name, which C refuses; nil for
-- other values.
local function kind_of(definition)
  local kind = kinds[definition]
  if kind ~= nil then return kind end
  local name = kind_name(definition)
  if name == "ecs.Prefab" then kinds[definition] = false end
  if name ~= "ecs.Component" then return kinds[definition] end
  local called, fields, bytes = fields_of(definition)
  local left_to_c = called == "ecs.Name"
  for _, field in ipairs(fields) do
    left_to_c = left_to_c or field[2] == "string" or field[2] == "any"
  end
  if left_to_c then
    kinds[definition] = false
    return false
  end
  kind = { new = bytes <= 8 * FEW and Few or bytes <= 8 * SOME and Some or Most,
           read = false, make = false,
           unread = #fields > 0 and #fields <= FIELDS and not fields.arrays
             and fields }
  kinds[definition] = kind
  return kind
end

--- The kind of a component with its functions, which are written when the first
-- table of its fields is read: that takes 10 us.
local function reader_of(definition)
  local kind = kind_of(definition)
  if kind and kind.unread then
    kind.read, kind.make =
      assert(load_text(write_readers(kind.unread), "=ecs.fields"))(numbers,
        READS, next, type, getmetatable, kind.new, make_value, definition)
    kind.unread = false
  end
  return kind
end
values.reader_of = reader_of

local slow_call, fill, metatable

--- Position { x = 1 }, the call of a component. C makes what is unusual, and
-- raises.
local function call(...)
  local definition, fields = ...
  local kind = kinds[definition]
  if not kind or kind.unread then kind = reader_of(definition) end
  if not kind or type(fields) ~= "table" or select("#", ...) > 2 then
    return slow_call(...)
  end
  local value = kind.make and kind.make(fields)
  if value then return value end
  return fill(definition, fields, kind.new())
end

slow_call, fill, metatable = core.values_by(call, words_of)
for _, struct in ipairs { Few, Some, Most } do
  ffi.metatype(struct, metatable)
end

-- Spawning -------------------------------------------------------------------

local worlds = setmetatable({}, { __mode = "k" }) -- in which was spawned

--- Learns what a spawn is made of.
local function remember(world, ...)
  if kind_name(world) == "ecs.World" then worlds[world] = true end
  for k = 1, select("#", ...) do
    local part, fields = select(k, ...)
    if type(part) == "userdata" then
      (type(fields) == "table" and reader_of or kind_of)(part)
    end
  end
end

-- The code that spawns. The arguments move to the front as parts are read: that
-- costs nothing where the code is compiled; a loop would be an inner loop of
-- every loop that spawns. It returns the entity; otherwise nil, and whether
-- remember should be called. It has a fixed number of parameters: LuaJIT
-- compiles such a function by itself, too, for callers that are interpreted,
-- where each access by the FFI costs 60 ns.
local PART = [[
if count > 0 then
  parts, count, PART = parts + 1, count - 1, a1
  if type(a1) == "cdata" then
    if not is_value(a1) then return nil end
    SHIFT_ONE
  else
    local kind = kinds[a1]
    if not kind then return nil, kind == nil end
    if count > 0 and type(a2) == "table" then
      local mask = kind.read and kind.read(a2, BASE)
      if not mask then return nil, kind.unread end
      given[INDEX], count = mask, count - 1
      SHIFT_TWO
    else
      given[INDEX] = 0
      SHIFT_ONE
    end
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
local worlds, is_value, kinds, numbers, given, spawn, type, fence = ...
return function(count, world, %s)
if not worlds[world] then return nil, true end
if count > %d then return nil end
local parts, p1, p2, p3, p4, p5, p6, p7, p8 = 0]], names(1, most), most) }
  for k = 1, PARTS do
    code[#code + 1] = gsub(PART, "[%u_]+", {
      BASE = (k - 1) * FIELDS, INDEX = k - 1, PART = "p" .. k,
      SHIFT_ONE = names(1, most - 1) .. " = " .. names(2, most),
      SHIFT_TWO = names(1, most - 2) .. " = " .. names(3, most),
    })
  end
  code[#code + 1] = [[
if count > 0 then return nil end
fence[0] = 0
local entity = spawn(world, parts, numbers, given, p1, p2, p3, p4, p5, p6, p7,
  p8)
if entity ~= 0 then return entity end
return nil
end]]
  return concat(code, "\n")
end

--- Calls observers behind a spawn; C has negated its entity.
local function tell_behind(entity, world)
  tell(world)
  return entity
end

--- The method spawn. slow is that of ecs.core: it gets all that is not usual.
function values.spawner(slow)
  local usual = assert(load_text(spawn_code(), "=ecs.spawn"))(worlds,
    is_value, kinds, numbers, given, spawn, type, fence)
  return function(...)
    local entity, is_new = usual(select("#", ...) - 1, ...)
    if entity then
      if entity < 0 then return tell_behind(-entity, ...) end
      return entity
    end
    if is_new then remember(...) end
    return slow(...)
  end
end

return values
