--- access_ffi: a world's methods for one entity as compiled FFI calls.
--
-- Each of these methods replaces the method of the same name in ecs.core, and
-- calls it for everything unusual. In the usual case (one or two fields, or
-- all; one component; arguments of the right types) it makes one call that
-- LuaJIT compiles. Otherwise it passes the arguments on unchanged, as a tail
-- call, to the method of ecs.core, which raises every error and blames the same
-- line.
--
--     worlds[world][Position]     entry = {
--                                   keep    a userdata of C: the FieldAccess
--                                           of this component and world
--                                   access  a pointer to it
--                                   index   { x = 0, y = 1 }
--                                   odd     { target = "entity" }: fields
--                                           that are no plain numbers
--                                   make    makes a table of all values; nil
--                                           for a tag
--                                   read    reads a table of fields into
--                                           numbers; false: ecs.core does
--                                 }
--
-- Worlds are weak keys, so an entry is freed with its world, and only a call
-- that has the world uses it. C checks whether the world is open.
--
-- No script can reach the tables here, and the module is true.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.access_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local stored = require "ecs.ffi.values_ffi"
local fence = require "ecs.ffi.fence_ffi"

local calls_data, calls_bytes, slow = core.access_calls()
-- When the file is loaded again, the methods are there already.
if not calls_data then return true end

local slow_get, slow_set, slow_has, slow_alive =
  slow.get, slow.set, slow.has, slow.alive
local slow_add, slow_remove, slow_destroy = slow.add, slow.remove, slow.destroy

-- Functions that decide about memory are kept here: a script may replace the
-- globals.
local select, type = select, type
local load_text = standard.load
local assert, ipairs, setmetatable = assert, ipairs, setmetatable
local concat, format, insert = table.concat, string.format, table.insert
local cast, new_access, fields_of = ffi.cast, core.access, core.fields
local tell = core.tell

-- Those that return int return 0, no; 1, yes; 2: call the method of ecs.core;
-- or 3: yes, and observers wait.
local calls = cast(layouts.Calls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and access_ffi.lua disagree about their calls", 0)
end
local load_field, is_present = calls.get, calls.present
local load_pair, load_all = calls.pair, calls.all
local store_field, has_component, is_alive = calls.set, calls.has, calls.alive
local add_component, remove_component, destroy_entity =
  calls.add, calls.remove, calls.destroy
-- Where C stores fields: a component has 64 at most. They are read before
-- anything allocates, since a finalizer may run and load other fields.
local values = ffi.new("double[64]")
-- Where tables of fields are read to.
local numbers, is_value = stored.numbers, stored.is_value
-- Where two fields are read to.
local two = ffi.new("double[32]")
local set_value, add_value = stored.set_value, stored.add_value
local set_fields, add_fields = stored.set_fields, stored.add_fields
local powers = {}
for index = 0, 31 do powers[index] = 2 ^ index end

-- Entries ------------------------------------------------------------------

local schemas = {} -- definition -> { index, odd, make, read }
local worlds = setmetatable({}, { __mode = "k" })
-- World -> { keep, access }, for alive and destroy.
local owners = setmetatable({}, { __mode = "k" })
local pointer = ffi.typeof "void *"

--- A function that makes the table of all fields. The code has names as
-- strings, since a field may have any name, "end" included.
local function compile(fields)
  local taken, given, members = {}, {}, {}
  for f, field in ipairs(fields) do
    local value = "v" .. f
    taken[f] = format("local %s = values[%d]", value, f - 1)
    if field[2] == "bool" then value = value .. " ~= 0" end
    if field[2] == "entity" then
      value = format("%s ~= 0 and %s or nil", value, value)
    end
    if not field.array then
      given[#given + 1] = format("[%q] = %s", field[1], value)
    else
      members[field.array] = members[field.array] or {}
      insert(members[field.array], value)
    end
  end
  for _, array in ipairs(fields.arrays or {}) do
    given[#given + 1] = format("[%q] = { %s }", array[1],
      concat(members[array[1]], ", "))
  end
  local source = "local values = ...\nreturn function()\n"
    .. concat(taken, "\n") .. "\nreturn {" .. concat(given, ", ")
    .. "}\nend"
  return assert(load_text(source, "=ecs.get"))(values)
end

--- The part of an entry that is the same in every world.
local function schema_of(definition)
  local schema = schemas[definition]
  if schema then return schema end
  local _, fields = fields_of(definition)
  local held = false
  schema = { index = {}, odd = {} }
  for f, field in ipairs(fields) do
    -- C reads and stores what it holds.
    local is_held = field[2] == "string" or field[2] == "any"
    held = held or is_held
    if not is_held then schema.index[field[1]] = f - 1 end
    if field[2] == "bool" or field[2] == "entity" then
      schema.odd[field[1]] = field[2]
    end
  end
  if #fields > 0 and not held then schema.make = compile(fields) end
  local reader = stored.reader_of(definition)
  schema.read = reader and reader.read or false
  schemas[definition] = schema
  return schema
end

--- Makes the entries of a world, and of a component that the world knows. Does
-- nothing for other values.
local function remember(world, definition)
  local owner = not owners[world] and new_access(world)
  if owner then
    -- In this order: a finalizer may run in between and make entries, too.
    worlds[world] = {}
    owners[world] = { keep = owner, access = cast(pointer, owner) }
  end
  local keep = definition ~= nil and new_access(world, definition)
  if not keep then return end
  local schema = schema_of(definition)
  worlds[world][definition] = {
    keep = keep, access = cast(pointer, keep),
    index = schema.index, odd = schema.odd, make = schema.make,
    read = schema.read,
  }
end

-- Methods ------------------------------------------------------------------

--- The Lua value of a number in a field of type bool or entity. Always one
-- value, since callers return all that this returns.
local function from_number(kind, number)
  if kind == "bool" then return number ~= 0 end
  return number ~= 0 and number or nil
end

local to_number = { [true] = 1, [false] = 0 }

local methods = {}

-- The method of ecs.core gets all arguments and their number: it distinguishes
-- a missing argument from nil.

function methods.get(...)
  local world, entity, definition, name, other = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif type(entity) == "number" then
    local count = select("#", ...)
    local index = entry.index[name]
    if count == 4 and index then
      local value = load_field(entry.access, entity, index)
      if value == value then
        local odd = entry.odd[name]
        if odd then return from_number(odd, value) end
        return value
      end
      if is_present(entry.access, entity) == 0 then return nil end
    elseif count == 5 and index and entry.index[other] then
      fence[0] = 0
      local answer = load_pair(entry.access, entity, index,
        entry.index[other], values)
      if answer == 1 then
        local a, b = values[0], values[1]
        local odd = entry.odd[name]
        if odd then a = from_number(odd, a) end
        odd = entry.odd[other]
        if odd then b = from_number(odd, b) end
        return a, b
      end
      if answer == 0 then return nil, nil end
    elseif count == 3 and entry.make then
      fence[0] = 0
      local answer = load_all(entry.access, entity, values)
      if answer == 1 then return entry.make() end
      if answer == 0 then return nil end
    end
  end
  return slow_get(...)
end

--- The number that is stored in a field for a value; another value where the
-- field takes none such.
local function to_stored(entry, name, value)
  local odd = entry.odd[name]
  if odd == "bool" then return to_number[value] end
  if odd == "entity" and value == nil then return 0 end
  return value
end

--- Puts a field's number among those that are stored together: its mask, or
-- nil where this is not usual.
local function take(entry, name, value)
  local index, number = entry.index[name], to_stored(entry, name, value)
  if not index or index > 31 or type(number) ~= "number" then return nil end
  two[index] = number
  return powers[index]
end

function methods.set(...)
  local world, entity, definition, name, value, other, second = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  local count = select("#", ...)
  if not entry then
    if not entries or not is_value(definition) then
      remember(world, definition)
    elseif type(entity) == "number" and count == 3 then
      fence[0] = 0
      local answer = set_value(world, entity, definition)
      if answer == 1 then return end
      if answer == 3 then return tell(world) end
    end
  elseif type(entity) ~= "number" then
    return slow_set(...)
  elseif count == 5 then
    local index, number = entry.index[name], to_stored(entry, name, value)
    if index and type(number) == "number" then
      fence[0] = 0
      if store_field(entry.access, entity, index, number) == 1 then return end
    end
  elseif count == 4 then
    local mask = type(name) == "table" and entry.read and entry.read(name, 0)
    fence[0] = 0
    local answer = mask and set_fields(entry.access, entity, mask, numbers)
    if answer == 1 then return end
    if answer == 3 then return tell(world) end
  elseif count == 7 then
    local a, b = take(entry, name, value), take(entry, other, second)
    local answer = a and b and a ~= b
      and set_fields(entry.access, entity, a + b, two)
    if answer == 1 then return end
    if answer == 3 then return tell(world) end
  end
  return slow_set(...)
end

function methods.has(...)
  local world, entity, definition = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif type(entity) == "number" and select("#", ...) == 3 then
    local answer = has_component(entry.access, entity)
    if answer ~= 2 then return answer == 1 end
  end
  return slow_has(...)
end

function methods.alive(...)
  local world, entity = ...
  local owner = owners[world]
  if not owner then
    remember(world)
  elseif type(entity) == "number" then
    local answer = is_alive(owner.access, entity)
    if answer ~= 2 then return answer == 1 end
  end
  return slow_alive(...)
end

function methods.add(...)
  local world, entity, definition, fields = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  local count = select("#", ...)
  if not entry then
    if not entries or not is_value(definition) then
      remember(world, definition)
    elseif type(entity) == "number" and count == 3 then
      fence[0] = 0
      local answer = add_value(world, entity, definition)
      if answer == 1 then return end
      if answer == 3 then return tell(world) end
    end
  elseif type(entity) ~= "number" then
    return slow_add(...)
  elseif count == 3 then
    fence[0] = 0
    local answer = add_component(entry.access, entity)
    if answer == 1 then return end
    if answer == 3 then return tell(world) end
  elseif count == 4 and type(fields) == "table" then
    local mask = entry.read and entry.read(fields, 0)
    fence[0] = 0
    local answer = mask and add_fields(entry.access, entity, mask, numbers)
    if answer == 1 then return end
    if answer == 3 then return tell(world) end
  end
  return slow_add(...)
end

function methods.remove(...)
  local world, entity, definition = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif type(entity) == "number" and select("#", ...) == 3 then
    fence[0] = 0
    local answer = remove_component(entry.access, entity)
    if answer == 1 then return end
    if answer == 3 then return tell(world) end
  end
  return slow_remove(...)
end

function methods.destroy(...)
  local world, entity = ...
  local owner = owners[world]
  if not owner then
    remember(world)
  elseif type(entity) == "number" and select("#", ...) == 2 then
    fence[0] = 0
    local answer = destroy_entity(owner.access, entity)
    if answer < 2 then return answer == 1 end
    if answer == 3 then
      tell(world)
      return true
    end
  end
  return slow_destroy(...)
end

methods.spawn = stored.spawner(slow.spawn)

core.install("ecs.World", methods)

return true
