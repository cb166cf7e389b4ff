--- prepared_ffi: prepared access to one entity as compiled FFI calls.
--
--     local xy_of = world:getter(Position, "x", "y")
--
-- ecs.core makes a closure in C that can do everything. The closure that a
-- script gets here stands before it: in the usual case (one entity, values of
-- the right types) it makes one call that LuaJIT compiles. Otherwise it passes
-- its arguments on unchanged, as a tail call, to the closure in C, which raises
-- every error and blames the same line.
--
-- The code is generated for the kinds of fields, which make its key: "nb" is a
-- number and a boolean. Closures of one key share their code and so its traces:
--
--     function(access, first, second, slow)             once for each closure
--       return function(...)
--         local entity = ...
--         if type(entity) == "number" and select("#", ...) == 1 then
--           local answer = load_pair(access, entity, first, second, values)
--           if answer == 1 then
--             local v1, v2 = values[0], values[1]
--             return v1, v2 ~= 0
--           end
--           if answer == 0 then return nil, nil end
--         end
--         return slow(...)
--       end
--     end
--
-- makers.alias tells ecs.core which closure stands behind it.
--
-- The closure in C holds the world and what `access` points to; `slow` is that
-- closure. C checks whether the world is open.
--
-- No script can reach the tables here, and the module is true.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.prepared_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local fence = require "ecs.ffi.fence_ffi"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local gsub, sub = string.gsub, string.sub

local calls_data, calls_bytes, makers = core.prepared_calls()
-- When the file is loaded again, the methods are there already.
if not calls_data then return true end

-- Functions that decide about memory are kept here: a script may replace the
-- globals.
local select, type, assert, ipairs = select, type, assert, ipairs
local load_text = standard.load
local concat, format, rep = table.concat, string.format, string.rep
local cast, fields_of, alias = ffi.cast, core.fields, makers.alias

local calls = cast(layouts.PreparedCalls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and prepared_ffi.lua disagree about their calls", 0)
end

-- A component has no more fields. A spawner may have more arguments: it is then
-- left to C.
local MOST_ARGUMENTS = 64

-- Where C takes and stores fields. They are written before a call, and read
-- after one, while nothing allocates, since a finalizer may run and use them,
-- too. Generated code refers to the array itself: a mere pointer would not keep
-- it alive.
local values = ffi.new("double[?]", MOST_ARGUMENTS)

-- What generated code uses.
local environment = {
  select = select, type = type, values = values,
  load_field = calls.get, is_present = calls.present, load_pair = calls.pair,
  load_some = calls.some, store_field = calls.set, store_some = calls.set_some,
  is_alive = calls.alive, has_one = calls.has, has_all = calls.has_all,
  spawn = calls.spawn, fence = fence,
}
local pointer = ffi.typeof "void *"

-- Code ---------------------------------------------------------------------

local PRELUDE = [[
local _ENV = ...
local select, type, values = _ENV.select, _ENV.type, _ENV.values
local fence = _ENV.fence
local load_field, is_present = _ENV.load_field, _ENV.is_present
local load_pair, load_some = _ENV.load_pair, _ENV.load_some
local store_field, store_some = _ENV.store_field, _ENV.store_some
local is_alive, has_one, has_all = _ENV.is_alive, _ENV.has_one, _ENV.has_all
local spawn = _ENV.spawn
]]

--- Calls make(k) for 1 to count and joins the texts.
local function join(count, separator, make)
  local parts = {}
  for k = 1, count do parts[k] = make(k) end
  return concat(parts, separator)
end

-- Code is made for so many kinds of fields; a program has a few dozen. For
-- others the closures of ecs.core serve: code without end would fill memory.
local MOST_CODES = 256

local made, made_count = {}, 0 -- key -> the function that its code returns

--- The function that the code of this key returns; nil: there is too much code.
-- write(...) gives the code.
local function code_of(key, write, ...)
  local found = made[key]
  if not found then
    if made_count >= MOST_CODES then return nil end
    made_count = made_count + 1
    found = assert(load_text(PRELUDE .. write(...), "=ecs.prepared"))(
      environment)
    made[key] = found
  end
  return found
end

--- The kinds of some fields, one letter each: n number, b boolean, e entity;
-- nil where C holds the values of one.
local function kinds_of(fields, positions)
  for _, position in ipairs(positions) do
    local kind = fields[position + 1][2]
    if kind == "string" or kind == "any" then return nil end
  end
  return join(#positions, "", function(k)
    local kind = fields[positions[k] + 1][2]
    return kind == "bool" and "b" or kind == "entity" and "e" or "n"
  end)
end

--- The Lua value of the number in the local variable v<k>.
local function from_number(kinds, k)
  local kind = sub(kinds, k, k)
  if kind == "b" then return "v" .. k .. " ~= 0" end
  if kind == "e" then return format("v%d ~= 0 and v%d or nil", k, k) end
  return "v" .. k
end

local function names(letter, count)
  return join(count, ", ", function(k) return letter .. k end)
end

--- "values[0], values[1]"
local function places(count)
  return join(count, ", ", function(k) return format("values[%d]", k - 1) end)
end

-- Getters ------------------------------------------------------------------

local GET_ONE = [[
return function(access, slow, first)
  return function(...)
    local entity = ...
    if type(entity) == "number" and select("#", ...) == 1 then
      local v1 = load_field(access, entity, first)
      if v1 == v1 then return %s end
      if is_present(access, entity) == 0 then return nil end
    end
    return slow(...)
  end
end]]

-- %s: the call; names and places of the numbers; results; a nil for each.
local GET_SOME = [[
return function(access, slow, first, second)
  return function(...)
    local entity = ...
    if type(entity) == "number" and select("#", ...) == 1 then
      fence[0] = 0
      local answer = %s
      if answer == 1 then
        local %s = %s
        return %s
      end
      if answer == 0 then return %s end
    end
    return slow(...)
  end
end]]

local LOAD_PAIR = "load_pair(access, entity, first, second, values)"
local LOAD_SOME = "load_some(access, entity, values)"

local function write_getter(kinds)
  local count = #kinds
  local results = join(count, ", ",
    function(k) return from_number(kinds, k) end)
  if count == 1 then return format(GET_ONE, results) end
  return format(GET_SOME, count == 2 and LOAD_PAIR or LOAD_SOME,
    names("v", count), places(count), results,
    rep("nil, ", count - 1) .. "nil")
end

--- Names are written as strings, since a field may have any name, "end"
-- included.
local function write_table_getter(kinds, fields)
  local count = #kinds
  local results = join(count, ", ", function(k)
    return format("[%q] = %s", fields[k][1], from_number(kinds, k))
  end)
  return format(GET_SOME, LOAD_SOME, names("v", count), places(count),
    "{" .. results .. "}", "nil")
end

-- Setters ------------------------------------------------------------------

-- %s: parameters, number of arguments, conversions, tests, the call.
local SET = [[
return function(access, slow, first)
  return function(...)
    local entity, %s = ...
    if type(entity) == "number" and select("#", ...) == %d then
%s      if %s then
        %s
      end
    end
    return slow(...)
  end
end]]

local CONVERT = {
  n = "",
  b = "      if v%d == true then v%d = 1 elseif v%d == false then v%d = 0"
    .. " else v%d = nil end\n",
  e = "      if v%d == nil then v%d = 0 end\n",
}

local function conversions(kinds)
  return join(#kinds, "", function(k)
    return (gsub(CONVERT[sub(kinds, k, k)], "%%d", k))
  end)
end

--- 'type(v1) == "number" and ...'
local function tests(count)
  return join(count, " and ", function(k)
    return format('type(v%d) == "number"', k)
  end)
end

--- Statements that store the numbers v1, v2 ... where C takes them.
local function stores(count)
  return join(count, "", function(k)
    return format("values[%d] = v%d\n        ", k - 1, k)
  end)
end

local function write_setter(kinds)
  local count = #kinds
  local call = "fence[0] = 0\n        "
    .. "if store_field(access, entity, first, v1) == 1 then return end"
  if count > 1 then
    call = stores(count)
      .. "if store_some(access, entity, values) == 1 then return end"
  end
  return format(SET, names("v", count), count + 1, conversions(kinds),
    tests(count), call)
end

-- Testers ------------------------------------------------------------------

local TEST = [[
return function(access, slow, count)
  return function(...)
    local entity = ...
    if type(entity) == "number" and select("#", ...) == 1 then
      local answer = %s
      if answer ~= 2 then return answer == 1 end
    end
    return slow(...)
  end
end]]

local function write_tester(count)
  return format(TEST, count == 0 and "is_alive(access, entity)"
    or count == 1 and "has_one(access, entity)"
    or "has_all(access, count, entity)")
end

-- Spawners -----------------------------------------------------------------

-- %s: parameters, number of arguments, conversions, tests, stores.
local SPAWN = [[
return function(access, slow)
  return function(...)
    local %s = ...
    if select("#", ...) == %d then
%s      if %s then
        %sfence[0] = 0
        local entity = spawn(access, values)
        if entity ~= 0 then return entity end
      end
    end
    return slow(...)
  end
end]]

local function write_spawner(kinds)
  local count = #kinds
  if count == 0 then return format(SPAWN, "_", 0, "", "true", "") end
  return format(SPAWN, names("v", count), count, conversions(kinds),
    tests(count), stores(count))
end

-- Methods ------------------------------------------------------------------

local methods = {}

local function getter_of(named, definition, slow, data, ...)
  local positions = { ... }
  local _, fields = fields_of(definition)
  local kinds = kinds_of(fields, positions)
  if not kinds then return slow end
  local make
  if named then
    make = code_of("get " .. kinds, write_getter, kinds)
  else
    local key = join(#fields, "", function(k)
      return format("%q ", fields[k][1])
    end)
    make = code_of("get " .. kinds .. key, write_table_getter, kinds, fields)
  end
  if not make then return slow end
  return alias(make(cast(pointer, data), slow, ...), slow)
end

function methods.getter(...)
  local _, definition = ...
  return getter_of(select("#", ...) > 2, definition, makers.getter(...))
end

local function setter_of(definition, slow, data, ...)
  local _, fields = fields_of(definition)
  local kinds = kinds_of(fields, { ... })
  if not kinds then return slow end
  local make = code_of("set " .. kinds, write_setter, kinds)
  if not make then return slow end
  return alias(make(cast(pointer, data), slow, ...), slow)
end

function methods.setter(...)
  local _, definition = ...
  return setter_of(definition, makers.setter(...))
end

function methods.tester(...)
  local slow, _, accesses, count = makers.tester(...)
  local kind = count < 2 and count or 2
  local make = code_of("has " .. kind, write_tester, kind)
  if not make then return slow end
  return alias(make(cast(pointer, accesses), slow, count), slow)
end

function methods.spawner(...)
  local slow, data, kinds = makers.spawner(...)
  if #kinds > MOST_ARGUMENTS then return slow end
  local make = code_of("spawn " .. kinds, write_spawner, kinds)
  if not make then return slow end
  return alias(make(cast(pointer, data), slow), slow)
end

core.install("ecs.World", methods)

return true
