--- access_ffi: a world's methods for one entity as compiled FFI calls.
--
-- Each is put before the method of the same name in ecs.core. It answers what
-- is ordinary (one or two fields, or all; one component; arguments of the right
-- kinds) with a call that LuaJIT compiles, and hands on all else, as it came,
-- to the method behind it: that one knows every error, and blames the same line
-- since it is called in tail position.
--
--     worlds[world][Position]     entry = {
--                                   access  the C half's memory for the two
--                                   index   { x = 0, y = 1 }
--                                   odd     { who = "entity" }: no plain number
--                                   make    a table from the values of all
--                                 }
--
-- Worlds are weak keys, so an entry goes with its world, and is used only by a
-- call that has the world. Whether the world is open, the C half looks itself.
--
-- Nothing here is in reach of a script, and the module is true.

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"

local calls_data, calls_bytes, slow = core.access_calls()
-- Loaded again: the methods have been put there.
if not calls_data then return true end

local slow_get, slow_set, slow_has, slow_alive =
  slow.get, slow.set, slow.has, slow.alive
local slow_add, slow_remove, slow_destroy = slow.add, slow.remove, slow.destroy

-- What decides about memory is not looked up where a script could have put
-- something else.
local select, type, loadstring = select, type, loadstring
local assert, ipairs, setmetatable = assert, ipairs, setmetatable
local concat, format = table.concat, string.format
local cast, new_access, fields_of = ffi.cast, core.access, core.fields

-- The functions answer 0, no; 1, yes; or 2: ask the method behind.
local calls = cast(layouts.Calls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and access_ffi.lua disagree about their calls", 0)
end
local load_field, is_present = calls.get, calls.present
local load_pair, load_all = calls.pair, calls.all
local store_field, has_component, is_alive = calls.set, calls.has, calls.alive
local add_component, remove_component, destroy_entity =
  calls.add, calls.remove, calls.destroy
-- A component has 64 fields at most. What was loaded is taken from here before
-- anything allocates, since a finalizer may come by and load something else.
local values = ffi.new("double[64]")

-- Entries ------------------------------------------------------------------

local schemas = {}
local worlds = setmetatable({}, { __mode = "k" })
local owners = setmetatable({}, { __mode = "k" }) -- for entities
local pointer = ffi.typeof "void *"

--- The function that makes the table of all fields. Names are written as
-- strings: a field may be called anything, "end" included.
local function compile(fields)
  local taken, given = {}, {}
  for f, field in ipairs(fields) do
    local value = "v" .. f
    taken[f] = format("local %s = values[%d]", value, f - 1)
    if field[2] == "bool" then value = value .. " ~= 0" end
    if field[2] == "entity" then
      value = format("%s ~= 0 and %s or nil", value, value)
    end
    given[f] = format("[%q] = %s", field[1], value)
  end
  local source = "local values = ...\nreturn function()\n"
    .. concat(taken, "\n") .. "\nreturn {" .. concat(given, ", ")
    .. "}\nend"
  return assert(loadstring(source, "=ecs.get"))(values)
end

--- What is the same for a definition in every world.
local function schema_of(definition)
  local schema = schemas[definition]
  if schema then return schema end
  local _, fields = fields_of(definition)
  schema = { index = {}, odd = {} }
  for f, field in ipairs(fields) do
    schema.index[field[1]] = f - 1
    if field[2] == "bool" or field[2] == "entity" then
      schema.odd[field[1]] = field[2]
    end
  end
  if #fields > 0 then schema.make = compile(fields) end
  schemas[definition] = schema
  return schema
end

--- Remembers a world, and a component of it that it has met. Does nothing for
-- all that is no world and no component.
local function remember(world, definition)
  local owner = not owners[world] and new_access(world)
  if owner then
    -- In this order: a finalizer may come in between and learn, too.
    worlds[world] = {}
    owners[world] = { keep = owner, access = cast(pointer, owner) }
  end
  local keep = definition ~= nil and new_access(world, definition)
  if not keep then return end
  local schema = schema_of(definition)
  worlds[world][definition] = {
    keep = keep, access = cast(pointer, keep),
    index = schema.index, odd = schema.odd, make = schema.make,
  }
end

-- Methods ------------------------------------------------------------------

--- A number that stands in a field of an odd type, as Lua has it: one value
-- always, since the callers hand on as many as this gives.
local function from_number(kind, number)
  if kind == "bool" then return number ~= 0 end
  return number ~= 0 and number or nil
end

local to_number = { [true] = 1, [false] = 0 }

local methods = {}

-- Arguments are handed on as they came, their number included: to the method
-- behind, nothing and nil are not the same.

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
      local answer = load_all(entry.access, entity, values)
      if answer == 1 then return entry.make() end
      if answer == 0 then return nil end
    end
  end
  return slow_get(...)
end

function methods.set(...)
  local world, entity, definition, name, value = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif select("#", ...) == 5 and type(entity) == "number" then
    local index, odd = entry.index[name], entry.odd[name]
    local number = value
    if odd == "bool" then
      number = to_number[value]
    elseif odd == "entity" and value == nil then
      number = 0
    end
    if index and type(number) == "number"
      and store_field(entry.access, entity, index, number) then
      return
    end
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
  local world, entity, definition = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif type(entity) == "number" and select("#", ...) == 3
    and add_component(entry.access, entity) == 1 then
    return
  end
  return slow_add(...)
end

function methods.remove(...)
  local world, entity, definition = ...
  local entries = worlds[world]
  local entry = entries and entries[definition]
  if not entry then
    remember(world, definition)
  elseif type(entity) == "number" and select("#", ...) == 3
    and remove_component(entry.access, entity) == 1 then
    return
  end
  return slow_remove(...)
end

function methods.destroy(...)
  local world, entity = ...
  local owner = owners[world]
  if not owner then
    remember(world)
  elseif type(entity) == "number" and select("#", ...) == 2 then
    local answer = destroy_entity(owner.access, entity)
    if answer ~= 2 then return answer == 1 end
  end
  return slow_destroy(...)
end

core.install("ecs.World", methods)

return true
