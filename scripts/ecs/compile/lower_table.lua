--- lower_table: elements of tables from outside, at computed numbers.
--
--     T[p.kind]      a number or boolean of an array of the program
--     T[p.kind].x    the same of another array: of the fields of all elements
--     T[i][j]        of an array with all rows one behind the other; others say
--                    where each row is
--
-- What has no element is nil, so elements are **maybe** values. A table at a
-- computed number is
--
--     element   { type = "element", source, keys }: source of captures_table;
--               keys: the numbers, as values of the program
--
-- which has fields and may be indexed once more; or a function, where callable.
-- STATES[p.state](p) is lowered as `if p.state == 1 then ... elseif ...`; rows
-- that find no function take a side exit.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_table"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, next, rawget, type = ipairs, next, rawget, type
local sort = table.sort

local lower = require "ecs.compile.lower_value"
local captures = require "ecs.compile.captures_table"
local parser = require "ecs.compile.parser"
require "ecs.compile.lower_array"

local outside = parser.outside
local array_shape = require("ecs.core").array_shape
local NIL = lower.NIL

--- Where the element at these keys is in a group: the array and the key there
-- as text; and the bool: is there one?
local function locate(self, group, keys)
  local emit, names = self.emit, group.names
  if #names == 1 then
    local place = names[1] .. " " .. emit:name(keys[1])
    return place, emit:value("inside " .. place, "bool")
  end
  local row, key = emit:name(keys[1]), keys[2]
  local function of_row(k)
    return emit:value("at f64 " .. names[k] .. " " .. row, "f64")
  end
  -- A sum could round a fraction to a whole number, so key is looked at before.
  local whole = emit:op("eq f64", "bool", key, emit:op("floor f64", "f64", key))
  local bounds = emit:both(emit:op("le f64", "bool", of_row(2), key),
    emit:op("le f64", "bool", key, of_row(3)))
  local place = names[4] .. " "
    .. emit:name(emit:op("add f64", "f64", of_row(1), key))
  return place, emit:both(emit:both(whole, bounds),
    emit:value("inside " .. place, "bool"))
end

--- A number of a group at a place, which adapts to the type that it is computed
-- in. See ir_number.lua.
local function number_at(self, place, source, keys)
  local emit = self.emit
  return { type = "f64", id = emit:value("at f64 " .. place, "f64").id,
           flex = not emit.double or nil, place = place, source = source,
           keys = keys }
end

--- The value of the elements of a source at these keys. field: the table that
-- it is a field of is known to be there.
local function element(self, source, keys, line, field)
  local outer = self.context.captures
  local kind, gaps = outer:kind_of(source, line)
  local whole = field and not gaps
  local group = outer:group(source, kind, whole)
  if kind == "nothing" then return NIL end
  local place, some = locate(self, group, keys)
  local value
  if kind == "number" then
    value = number_at(self, place, source, keys)
  elseif kind == "boolean" then
    value = self.emit:value("at bool " .. place, "bool")
  else
    value = { type = "element", source = source, keys = keys,
              callable = kind == "function" }
  end
  if whole then return value end
  return { type = "maybe", some = some, value = value }
end

--- An element that is a number, as an entity. Returns nil where an element is
-- none of what is demanded: see captures.lua.
function lower:element_entity(value, demanded)
  local outer = self.context.captures
  if demanded and not outer:are_all(value.source, demanded) then return nil end
  local group = outer:group(value.source, demanded or "entity")
  return self.emit:value("at entity " .. locate(self, group, value.keys),
    "entity")
end

--- A field of an element, by its name or a constant number.
function lower:element_field(value, key, line)
  return element(self, captures.deeper(value.source, key), value.keys, line,
    true)
end

--- Selects one of two elements of the same source.
function lower:merge_elements(test, x, y)
  local keys = {}
  if x.source.reader.key ~= y.source.reader.key
    or #x.source.path ~= #y.source.path then
    return nil
  end
  for k, step in ipairs(x.source.path) do
    if y.source.path[k] ~= step then return nil end
  end
  for k, key in ipairs(x.keys) do
    keys[k] = self.emit:select(test, key, y.keys[k])
  end
  return { type = "element", source = x.source, keys = keys,
           callable = x.callable }
end

--- The number of a key that is a constant; nil: it is none.
local function constant_of(key)
  local constant = key.type == "f64" and key.constant
  return constant and constant == constant and constant or nil
end

--- What a table from outside, or an element, has at a key.
local function at(self, holder, key, node)
  local constant = constant_of(key)
  if holder.type == "object" then
    if constant then
      return self.context.captures:field(holder, constant, node.line)
    end
    return element(self, captures.source(holder), { key }, node.line)
  elseif constant then
    return self:element_field(holder, constant, node.line)
  elseif #holder.keys == 2 then
    outside(node.line, "a third computed index of '" .. holder.source.name
      .. "'", "use two: t[i][j]")
  end
  return element(self, captures.deeper(holder.source, false),
    { holder.keys[1], key }, node.line)
end

--- The innermost value of one that may be nil or false.
local function inner_of(value)
  while value.type == "maybe" or value.type == "choice" do
    value = value.value
  end
  return value
end

lower.inner_of = inner_of

--- Is it an element, or a value that is one where it is not nil?
function lower.is_element(value) return inner_of(value).type == "element" end

--- "level.map", where a node is a variable or a field of one; otherwise nil.
local function name_of(node)
  if not node then return nil end
  if node[1] == "name" then return node.name end
  local outer = node[1] == "field" and name_of(node.object)
  return outer and outer .. "." .. node.name or nil
end

--- The value of holder[key]. node: of the index.
function lower:index(holder, key, node)
  local outer = self.context.captures
  local place = lower.place_of(self, holder)
  if place then return self:array_index(place, key, node) end
  local elements = self:as_elements(holder, node.line)
  if elements then return self:element_at(elements, key, node) end
  if inner_of(holder).type == "element" then
    holder = self:settle(holder, node.line, "an index of '"
      .. inner_of(holder).source.name .. "[...]', which may be nil here",
      "test it first: if x then ... end")
  elseif holder.type == "nil" or holder.type == "object"
    and holder.value == nil then
    local name = name_of(node.object)
    outside(node.line, name and "an index of '" .. name .. "', which is nil"
      or "an index of nil", captures.late)
  elseif holder.type == "object" and array_shape(holder.value) then
    outside(node.line, "an index of an array of another world",
      "make it with the world of the system")
  elseif holder.type ~= "object" or type(holder.value) ~= "table" then
    outside(node.line, "an index of " .. lower.word(holder), "only tables "
      .. "from outside have elements: use fields with names")
  end
  key = outer:plain(key)
  if key.type == "nil" then
    outside(node.line, "nil as an index", "is it defined before the system?")
  end
  -- What may be nil may be an index: it finds nothing.
  local some
  if key.type == "maybe" and not self:known(key.some) then
    some, key = key.some, key.value
  end
  local number = self:number(key, node, "an index", node.key)
  number = constant_of(number) and number or self.emit:cast(number, "f64")
  local value = at(self, holder, number, node)
  if not some or value == NIL then return value end
  if value.type == "maybe" then
    return { type = "maybe", some = self.emit:both(some, value.some),
             value = value.value }
  end
  return { type = "maybe", some = some, value = outer:plain(value) }
end

-- Calls of functions in tables ----------------------------------------------

--- The most functions of a table that are called at a computed number.
local FUNCTIONS_LIMIT = 16

--- The numbers at which a source has functions, in their order; nil where it
-- has anything else at one, or none.
local function keys_of_functions(source)
  local keys = {}
  for key, value in next, source.table do
    if type(key) == "number" then
      for _, step in ipairs(source.path) do
        value = type(value) == "table" and step and rawget(value, step)
      end
      if type(value) ~= "function" then return nil end
      keys[#keys + 1] = key
    end
  end
  sort(keys)
  return keys[1] and keys
end

--- Lowers the calls of the functions from a number in the list on. call(value):
-- calls one. Returns as lower:conditional.
local function call_from(self, source, key, node, keys, k, call)
  if not keys[k] then
    outside(node.line, "a call of an element that may be nil",
      "test it first: if t[i] then ... end")
  end
  local test = self.emit:compare("eq", key, self.emit:constant(keys[k] + 0.0))
  return self:conditional(test, node, self:exitable(node, k, function()
    local outer = self.context.captures
    local callee = outer:field({ value = source.table, reader = source.reader },
      keys[k], node.line)
    for _, step in ipairs(source.path) do
      callee = outer:field(callee, step, node.line)
    end
    return call(callee)
  end), self:exitable(node, -k, function()
    return call_from(self, source, key, node, keys, k + 1, call)
  end))
end

--- The results of a call of the function that holder, a table from outside, has
-- at a computed number; nil: it is no table of functions, or no such number.
function lower:call_index(holder, key, node, wanted, scope)
  key = self.context.captures:plain(key)
  if holder.type ~= "object" or type(holder.value) ~= "table"
    or not lower.is_number(key) or constant_of(key)
    or not keys_of_functions(captures.source(holder)) then
    return nil
  end
  return self:call_element({ source = captures.source(holder),
    keys = { self.emit:cast(key, "f64") } }, node, wanted, scope)
end

--- The element that is a function, of a value that may be nil; nil: it is none.
function lower.callable(value)
  local inner = inner_of(value)
  return inner.callable and inner or nil
end

--- The results of a call of an element that is a function.
function lower:call_element(called, node, wanted, scope)
  local keys = #called.keys == 1 and keys_of_functions(called.source)
  if not keys then
    outside(node.line, "a call of an element of '" .. called.source.name
      .. "'", "give all its numbers functions")
  elseif #keys > FUNCTIONS_LIMIT then
    outside(node.line, "a call of one of more than " .. FUNCTIONS_LIMIT
      .. " functions", "write an if for some of them, or split the table")
  end
  local results = {}
  for k = 1, wanted do
    results[k] = { name = "result", kept = true }
    self:set(results[k], NIL)
  end
  local exited = call_from(self, called.source, called.keys[1], node, keys, 1,
    function(callee)
      local list = self:call_value(callee, node, wanted, scope)
      for k = 1, wanted do self:set(results[k], list[k] or NIL) end
    end)
  if exited then
    outside(node.line, "a call of functions that only have side exits here",
      "call them under a condition")
  end
  for k = 1, wanted do results[k] = self.state[results[k]] end
  return results
end

return lower
