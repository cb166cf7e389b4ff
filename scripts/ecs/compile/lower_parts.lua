--- lower_parts: the parts of a change in compiled code, components with the
-- fields that they are given.
--
--     world:spawn(Orc, Shot { by = e }, Position, { x = p.x, y = p.y }, Enemy)
--
-- A prefab among the parts of a spawn adds its own, and the fields that the
-- others do not give. One with children is refused: a program spawns one entity
-- at a time.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_parts"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local format, ipairs, type = string.format, ipairs, type

local lower = require "ecs.compile.lower"
local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower_parts = {}

-- Values ----------------------------------------------------------------------

--- What messages tell to give.
local advice = { bool = "give it true or false",
                 entity = "give it e, nil or a field of type entity",
                 string = "give it a string that is written out, a variable "
                   .. "outside or a field of type string" }

--- A value in the form in which a field of this type is given it; nil: the
-- field is not given.
local function given(self, value, scalar, node, label)
  if value.type == "nil" then return nil end
  if scalar == "entity" then
    local entity = self:entity(value, "id")
    if entity then return entity end
  elseif scalar == "bool" then
    value = self:settle(self.context.captures:plain(value), node.line,
      label .. " of what may be nil", "test it first: if x then ... end")
    if value.type == "bool" then return value end
  elseif scalar == "string" then
    local text = self:string(value)
    if text then return text end
  else
    value = self:number(value, node, label)
    return value.flex and self.emit:exactly(value) or self.emit:kept(value)
  end
  return outside(node.line, label .. " of " .. lower.word(value),
    advice[scalar])
end

--- Refuses a call as the last argument, which may give any number of results,
-- unless it certainly gives one.
local function check_last(self, node, scope, name)
  local last = node.arguments[#node.arguments]
  if not last or last[1] ~= "call" and last[1] ~= "method" then return end
  local callee = last[1] == "call" and self:value(last.callee, scope)
  if callee and callee.type == "object" and self.context.calls[callee.value]
  then
    return
  end
  outside(node.line, "a call as the last argument of "
    .. (name or "world:" .. node.name), "keep its result in a local variable")
end

-- Parts -----------------------------------------------------------------------

--- Refuses ecs.Name as what a call gives or takes away: world:name does.
local function refuse_name(known, node)
  if known.name == "ecs.Name" then
    outside(node.line, "a change of ecs.Name", "write world:name(e, 'player'), "
      .. "or world:name(e, nil), outside of the function")
  end
end

--- A component with the fields that it is given: { name, types, fields }, of
-- which fields is a list of { name, value }.
local function new_part(known)
  return { name = known.name, types = known.types, links = known.links,
           arrays = known.arrays,
           fields = {}, names = {} }
end

local give

--- Gives a part an array: the elements that a table has, or one value for all.
local function give_array(self, part, array, value, node)
  local name, count = array[1], array[3]
  local function element(k, of_it)
    give(self, part, format("%s[%d]", name, k), of_it, node)
  end
  if value.type ~= "record" then
    for k = 1, count do element(k, value) end
    return
  end
  for _, key in ipairs(value.keys) do
    if type(key) ~= "number" or not (key >= 1 and key <= count)
      or key % 1 ~= 0 then
      outside(node.line, "a table for " .. part.name .. "." .. name
        .. " with other keys", format("it has elements 1 to %d", count))
    end
    element(key, self:get_entry(value, key))
  end
end

--- Gives a part a field.
function give(self, part, name, value, node)
  local scalar = part.types[name]
  local array = part.arrays and part.arrays[name]
  if array then return give_array(self, part, array, value, node) end
  if not scalar then
    outside(node.line, "'" .. name .. "' of " .. part.name
      .. ", which has no such field", "look at its definition")
  elseif part.names[name] then
    outside(node.line, part.name .. "." .. name .. " given twice",
      "give it once")
  end
  self.refuse_held(node.line, part.name, name, scalar)
  if part.links[name] then
    outside(node.line, "a value for " .. part.name .. "." .. name
      .. ", which is a link", "make the link in a branch that few rows take, "
      .. "or outside of the function")
  end
  part.names[name] = true
  local label = "a value for " .. part.name .. "." .. name
  value = given(self, value, scalar, node, label)
  if value then part.fields[#part.fields + 1] = { name, value } end
end

--- Gives a part the fields of a table.
local function give_record(self, part, record, node)
  for _, key in ipairs(record.keys) do
    if type(key) ~= "string" then
      outside(node.line, "a table of fields that has numbers as keys",
        "write Position { x = 1, y = 2 }")
    end
    give(self, part, key, self:get_entry(record, key), node)
  end
end

--- Gives a part fields with fixed numbers: a list of name, number, name ...
local function give_fixed(self, part, list, node)
  for k = 1, #list, 2 do
    local scalar, number = part.types[list[k]], list[k + 1]
    self.refuse_held(node.line, part.name, list[k], scalar)
    local value = self.emit:constant(number)
    if scalar == "bool" then value = self.emit:truth(number ~= 0) end
    if scalar == "string" then value = self.emit.string(number) end
    if scalar == "entity" then
      if number ~= 0 then
        outside(node.line, "a value made before that names an entity",
          "make the value here, or give the entity to a spawner")
      end
      value = self.emit.null()
    end
    give(self, part, list[k], value, node)
  end
end

--- Refuses a prefab with children.
function lower_parts.refuse_children(node, has_children)
  if has_children then
    outside(node.line, "a spawn of a prefab that has children",
      "make it in a branch that few rows take, or outside of the function")
  end
end

--- The part that argument k of a call is: a component, a component called with
-- a table, or a value made before; nil: none. If it is a table, that is the
-- second result; if a prefab, the list of its parts is the third.
function lower_parts.read_one(self, node, k, scope)
  local context, argument = self.context, node.arguments[k]
  if argument[1] == "call" and #argument.arguments == 1 then
    local callee = self:value(argument.callee, scope)
    local known = callee.type == "object" and context.describe(callee.value)
    if known then
      refuse_name(known, node)
      context.captures:guard(callee)
      local part = new_part(known)
      local value = self:value(argument.arguments[1], scope)
      if value.type ~= "record" then return nil end
      give_record(self, part, value, argument)
      part.filled = true
      return part
    end
  end
  if k == #node.arguments then check_last(self, node, scope) end
  local value = self:value(argument, scope)
  if value.type == "record" then return nil, value end
  if value.type ~= "object" then return nil end
  local known, list = context.describe(value.value), nil
  if not known then known, list = context.describe_value(value.value) end
  if not known then
    local prefab, has_children = context.describe_prefab(value.value)
    if prefab then
      lower_parts.refuse_children(node, has_children)
      context.captures:guard(value)
    end
    return nil, nil, prefab
  end
  refuse_name(known, node)
  context.captures:guard(value)
  local part = new_part(known)
  if list then
    give_fixed(self, part, list, argument)
    part.filled = true
  end
  return part
end

--- Gives parts what they lack of a prefab, and adds those that are not there.
local function add_prefab(self, parts, prefab, node)
  local named = {}
  for _, part in ipairs(parts) do named[part.name] = part end
  for _, from in ipairs(prefab) do
    local known = self.context.describe(from[1])
    local part = named[known.name]
    if not part then
      part = new_part(known)
      parts[#parts + 1] = part
    end
    local list = {}
    for k = 1, #from[2], 2 do
      if not part.names[from[2][k]] then
        list[#list + 1], list[#list + 2] = from[2][k], from[2][k + 1]
      end
    end
    give_fixed(self, part, list, node)
  end
  return parts
end

--- The parts that the arguments of a call are, from number first to last. with:
-- one of them may be a prefab.
function lower_parts.read(self, node, first, last, scope, with)
  local parts, prefab, open = {}, nil, nil
  for k = first, last do
    local argument = node.arguments[k]
    local part, record, found = lower_parts.read_one(self, node, k, scope)
    if record and open and not open.filled then
      give_record(self, open, record, argument)
      open.filled = true
    elseif part then
      for _, other in ipairs(parts) do
        if other.name == part.name then
          outside(argument.line, part.name .. " as a part twice",
            "name it once")
        end
      end
      parts[#parts + 1] = part
    elseif found and with and not prefab then
      prefab = found
    else
      outside(argument.line or node.line, "argument " .. k .. " of world:"
        .. node.name .. ", which is no part", "give it components, tags, "
        .. "values, or a component and a table of its fields")
    end
    open = part
  end
  return prefab and add_prefab(self, parts, prefab, node) or parts
end

lower_parts.check_last, lower_parts.new = check_last, new_part
lower_parts.refuse_name = refuse_name
lower_parts.give, lower_parts.give_fixed = give, give_fixed

return lower_parts
