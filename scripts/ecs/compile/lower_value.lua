--- lower_value: kinds of values, and the selection between two values.
--
-- Numbers, booleans, entities and strings of the program are values of
-- ir_writer.lua.
-- The other kinds exist only while a function is lowered:
--
--   nil      { type = "nil" }
--   maybe    { type = "maybe", some = bool, value }: nil where some is false
--   choice   { type = "choice", test = bool, value, other }: `a and b` before
--            its `or`. Where test is false it is other, which is nil or false;
--            absent: it is not known which of the two
--   row      { type = "row", term }           a parameter of the function
--   record   a table of the function; either: of a choice: lower_record.lua
--   closure  { type = "closure", node, scope, func }: a function inside of the
--            function func
--   object   { type = "object", value, reader }   from outside: captures.lua
--   element  a table in a table from outside: lower_table.lua
--   none     the result of a function that has not returned at this point
--
-- The methods here convert a value to the number, entity or bool that its use
-- needs. They refuse a value that cannot be converted, in terms of the function
-- that is compiled.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_value"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local rawequal, type = rawequal, type

local lower = require "ecs.compile.lower"
require "ecs.compile.lower_exit"
require "ecs.compile.lower_record"
require "ecs.compile.lower_type"
local message = require "ecs.message"
local parser = require "ecs.compile.parser"

local core = require "ecs.core"

local outside = parser.outside
local NIL = lower.NIL

local function is_number(value)
  return value.type == "f32" or value.type == "f64"
end
lower.is_number = is_number

--- Is it a string, of the program or from outside?
function lower.is_string(value)
  return value.type == "string"
    or value.type == "object" and type(value.value) == "string"
end

local words = {
  f32 = "a number", f64 = "a number", bool = "a boolean", entity = "an entity",
  string = "a string",
  ["nil"] = "nil", maybe = "something that may be nil",
  choice = "something that may be false or nil", row = "a row",
  object = "an object", record = "a table", either = "a row or a table",
  closure = "a function", element = "a table",
  place = "a row of an array", elements = "an array of a row",
}

--- The kind of a value, for messages.
function lower.word(value)
  local kind = message.type(value.value)
  if value.type ~= "object" then return words[value.type] end
  return kind == "userdata" and "an object" or kind == "nil" and "nil"
    or "a " .. kind
end

--- The bool that an if would test: is the value neither false nor nil?
function lower:truth(value)
  value = self.context.captures:plain(value)
  local emit, kind = self.emit, value.type
  if kind == "bool" then return value end
  if kind == "nil" then return emit.no end
  if kind == "entity" then
    return emit:opposite(emit:op("eq entity", "bool", value, emit.null()))
  elseif kind == "maybe" then
    return emit:both(value.some, self:truth(value.value))
  elseif kind == "choice" then
    return emit:both(value.test, self:truth(value.value))
  elseif kind == "row" then
    return value.term.present or emit.yes
  elseif kind == "either" then
    return emit:select(value.test, self:truth(value.one),
      self:truth(value.other))
  end
  if value.type == "object" then self.context.captures:guard_true(value) end
  return emit.yes
end

--- The bool: is the value not nil? node: the line to blame.
function lower:some(value, node)
  local emit = self.emit
  if value.type == "maybe" then
    return emit:both(value.some, self:some(value.value, node))
  elseif value.type == "choice" then
    if not value.other then
      outside(node.line, "a comparison with nil of a value that may be false",
        "test it without one: if x then ... end")
    end
    local some = self:some(value.value, node)
    if value.other == NIL then return emit:both(value.test, some) end
    return emit:either(emit:opposite(value.test), some)
  end
  if value.type == "nil" or value.type == "entity" or lower.is_holder(value)
  then
    return self:truth(value)
  elseif value.type == "object" then
    self.context.captures:guard_some(value)
    return emit:truth(value.value ~= nil)
  end
  return emit.yes
end

--- The value inside a maybe that is known not to be nil here; any other value
-- as it is.
function lower:unwrap(value)
  local some = value.type == "maybe" and self:known(value.some)
  return some and value.value or value
end

--- Selects x where test holds, else y. Refuses values of two kinds. node: the
-- line to blame. name: of the variable, for messages; nil: none.
function lower:merge(test, x, y, node, name)
  local emit = self.emit
  x, y = self:unwrap(x), self:unwrap(y)
  if x == y then return x end
  if y.type == "none" then return self:widen(x, y.hint) end
  if x.type == "none" then return self:widen(y, x.hint) end
  local known = self:known(test)
  if known ~= nil then
    return self:widen(known and x or y, known and y or x)
  end
  x, y = self.context.captures:plain(x), self.context.captures:plain(y)
  if x.type == "maybe" or y.type == "maybe" or
    (x.type == "nil") ~= (y.type == "nil") and x.type ~= "entity"
    and y.type ~= "entity" then
    return self:merge_maybe(test, x, y, node, name)
  end
  if is_number(x) and is_number(y) or x.type == "bool" and y.type == "bool"
  then
    return emit:select(test, x, y)
  elseif x.type == "entity" or y.type == "entity" then
    local a, b = self:entity(x, "handle"), self:entity(y, "handle")
    if a and b then return emit:select(test, a, b) end
  elseif lower.is_holder(x) and lower.is_holder(y) then
    return lower.merge_holders(test, x, y)
  elseif x.type == "element" and y.type == "element" then
    local element = self:merge_elements(test, x, y)
    if element then return element end
  elseif x.type == "nil" and y.type == "nil" then
    return NIL
  elseif x.type == "object" and y.type == "object"
    and rawequal(x.value, y.value) then
    self.context.captures:guard(x)
    self.context.captures:guard(y)
    return x
  elseif lower.is_string(x) and lower.is_string(y) then
    local a, b = self:string(x), self:string(y)
    if a and b then return emit:select(test, a, b) end
  end
  return outside(node.line, (name and "'" .. name .. "' " or "a value ")
    .. "that is " .. lower.word(x) .. " on one path and " .. lower.word(y)
    .. " on another", "give it one kind of value on every path")
end

--- Splits a maybe, nil or other value: the bool of being there, and the value.
local function parts(value, emit)
  if value.type == "nil" then return emit.no, nil end
  if value.type == "maybe" then return value.some, value.value end
  return emit.yes, value
end

--- The same for two values of which one may be nil.
function lower:merge_maybe(test, x, y, node, name)
  local emit = self.emit
  local some_x, inner_x = parts(x, emit)
  local some_y, inner_y = parts(y, emit)
  local some = emit:select(test, some_x, some_y)
  if not inner_x or not inner_y then
    return { type = "maybe", some = some, value = inner_x or inner_y }
  end
  return { type = "maybe", some = some,
           value = self:merge(test, inner_x, inner_y, node, name) }
end

--- The name of the variable or field that an expression is; nil for others.
local function name_of(node)
  if node and node[1] == "name" then return node.name end
  local object = node and node[1] == "field" and name_of(node.object)
  return object and object .. "." .. node.name or nil
end

--- Refuses a value that is nil, by its name.
local function refuse_nil(node, use, name)
  return outside(node.line, use .. " of '" .. name .. "', which is nil",
    "is it defined before the system?")
end

--- What a use is of, for messages: a value that may be nil or false.
local function unsure(value, name)
  local origin = value.origin
  name = name and "'" .. name .. "'"
  if origin then
    name = (name and name .. ", " or "") .. origin
  end
  return name and name .. ", which may be nil here"
    or "a number that may be nil here"
end

--- A value as a number. Refuses any other value. use: how messages name the
-- use, as in "'-'" or "an assignment to Position.x". expression: that of the
-- value, where it is known.
function lower:number(value, node, use, expression)
  value = self.context.captures:plain(value)
  if is_number(value) then return value end
  if value.type == "maybe" or value.type == "choice" then
    return self:number(self:settle(value, node.line, use .. " of "
      .. unsure(value, name_of(expression)),
      "test it first: if x then ... end"), node, use)
  end
  local name = name_of(expression)
  if name and value.type == "nil" then return refuse_nil(node, use, name) end
  if name and value.type == "object" then
    outside(node.line, use .. " of '" .. name .. "', which is "
      .. lower.word(value), "compute with numbers")
  end
  -- Plain Lua would compute with the handle, so its message would say less.
  local own = self.emit.known.self
  return outside(node.line, use .. " of " .. lower.word(value),
    "compute with numbers" .. (own and value.id == own.id
      and "; what comes after the rows is dt, then the entity, and a tag gives "
      .. "no row" or ""))
end

--- A value as an entity; nil where it is none. Computed numbers are no
-- entities: only fields, the row's entity and values from outside are.
-- demanded: see captures.lua.
function lower:entity(value, demanded)
  if value.type == "entity" then return value end
  if value.type == "nil" then return self.emit.null() end
  if value.type == "maybe" and value.value.type == "entity" then
    return self.emit:select(value.some, value.value, self.emit.null())
  elseif value.type == "maybe" and value.value.source then
    local entity = self:entity(value.value, demanded)
    return entity and self.emit:select(value.some, entity, self.emit.null())
  elseif value.source and is_number(value) then
    return self:element_entity(value, demanded)
  end
  return self.context.captures:entity(value, demanded)
end

--- A value as a string of the program; nil where it is none. One from outside
-- is guarded.
function lower:string(value)
  if value.type == "string" then return value end
  local text = value.type == "object" and value.value
  if type(text) ~= "string" or not value.reader then return nil end
  self.context.captures:guard(value)
  return self.emit.string(core.held_string(text))
end

return lower
