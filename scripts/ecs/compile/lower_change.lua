--- lower_change: changes of structure, and of other entities, in compiled code.
--
--     world:spawn(Shot { by = e }, Position, { x = p.x, y = p.y }, Enemy)
--     shoot(e, p.x, p.y)                        a spawner
--     world:add(target, Burning { left = 3 })   world:remove(target, Shield)
--     world:set(target, Health, "hp", hp - 1)   hurt(target, hp - 1)   a setter
--     world:destroy(target)
--
-- A change is emitted where it stands, with its condition; the VM makes those
-- of a row together, in their order, before anything of the row is stored. A
-- row in which one would raise an error (a dead entity, a number that does not
-- fit) runs as plain Lua instead, and raises it.
--
-- What depends on an entity that the row spawns is known only afterwards, so no
-- other change of the row may depend on it. The entity itself may be given to a
-- change: the owner of what is spawned next.

if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, next, type = ipairs, next, type

local lower = require "ecs.compile.lower"
local parser = require "ecs.compile.parser"
local ir_writer = require "ecs.compile.ir_writer"

local outside = parser.outside
local quote = ir_writer.quote

local lower_change = {}

-- Values ----------------------------------------------------------------------

--- A value in the form in which a field of this type is given it; nil: the
-- field is not given.
local function given(self, value, scalar, node, label)
  if value.type == "nil" then return nil end
  if scalar == "entity" then
    local entity = self:entity(value)
    if entity then return entity end
  elseif scalar == "bool" then
    value = self:settle(self.context.captures:plain(value), node.line,
      label .. " of what may be nil", "test it first: if x then ... end")
    if value.type == "bool" then return value end
  else
    value = self:number(value, node, label)
    return value.flex and self.emit:exactly(value) or self.emit:kept(value)
  end
  return outside(node.line, label .. " of " .. lower.word(value),
    scalar == "bool" and "give it true or false"
    or "give it e, nil or a field of type entity")
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

--- A component with the fields that it is given: { name, types, fields }, of
-- which fields is a list of { name, value }.
local function new_part(known)
  return { name = known.name, types = known.types, fields = {}, names = {} }
end

--- Gives a part a field.
local function give(self, part, name, value, node)
  local scalar = part.types[name]
  if not scalar then
    outside(node.line, "'" .. name .. "' of " .. part.name
      .. ", which has no such field", "look at its definition")
  elseif part.names[name] then
    outside(node.line, part.name .. "." .. name .. " given twice",
      "give it once")
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
    local value = self.emit:constant(number)
    if scalar == "bool" then value = self.emit:truth(number ~= 0) end
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

--- The part that argument k of a call is: a component, a component called with
-- a table, or a value made before; nil: none. If it is a table, that is the
-- second result.
local function read_part(self, node, k, scope)
  local context, argument = self.context, node.arguments[k]
  if argument[1] == "call" and #argument.arguments == 1 then
    local callee = self:value(argument.callee, scope)
    local known = callee.type == "object" and context.describe(callee.value)
    if known then
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
  if not known then return nil end
  context.captures:guard(value)
  local part = new_part(known)
  if list then
    give_fixed(self, part, list, argument)
    part.filled = true
  end
  return part
end

--- The parts that the arguments of a call are, from number first to last.
local function read_parts(self, node, first, last, scope)
  local parts = {}
  for k = first, last do
    local argument = node.arguments[k]
    local part, record = read_part(self, node, k, scope)
    local before = parts[#parts]
    if record and before and not before.filled then
      give_record(self, before, record, argument)
      before.filled = true
    elseif part then
      for _, other in ipairs(parts) do
        if other.name == part.name then
          outside(argument.line, part.name .. " as a part twice",
            "name it once")
        end
      end
      parts[#parts + 1] = part
    else
      outside(argument.line or node.line, "argument " .. k .. " of world:"
        .. node.name .. ", which is no part", "give it components, tags, "
        .. "values, or a component and a table of its fields")
    end
  end
  return parts
end

-- Emitting --------------------------------------------------------------------

--- Appends the fields of a part to the arguments of a change.
local function append(arguments, part)
  for _, field in ipairs(part.fields) do
    arguments[#arguments + 1] =
      { "give " .. quote(part.name) .. " " .. quote(field[1]), field[2] }
  end
end

--- Refuses a value that is known only when the row has spawned an entity.
-- whole: the entity itself will not do either.
local function check_early(node, value, whole)
  if value and value.late and (whole or not value.spawned) then
    outside(node.line, "a change that depends on what was spawned in the "
      .. "same row", "make it in the next frame, or in a run system")
  end
end

--- Emits a change at this point; see ir_writer:change.
local function emit(self, node, arguments, text, entity)
  self:refuse_in_loop(node.line, "a change of an entity",
    "note it in a local variable, and do it behind the loop")
  local mask = self:mask()
  if mask and mask.constant == false then return self.emit.null() end
  for _, argument in ipairs(arguments) do check_early(node, argument[2]) end
  check_early(node, entity)
  check_early(node, mask, true)
  self.context.may_stop = true
  return self.emit:change(arguments, text, entity, mask)
end

local function emit_spawn(self, node, parts)
  local arguments = {}
  for _, part in ipairs(parts) do
    arguments[#arguments + 1] = { "part " .. quote(part.name) }
    append(arguments, part)
  end
  return { emit(self, node, arguments, "spawn") }
end

--- Emits add_to or set_of, with the fields of a part.
local function emit_other(self, node, word, entity, part)
  local arguments = {}
  append(arguments, part)
  emit(self, node, arguments, word .. " %s " .. quote(part.name), entity)
  return {}
end

-- Methods ---------------------------------------------------------------------

--- A number of arguments, for messages.
local function counted(count)
  return count .. (count == 1 and " argument" or " arguments")
end

--- world:spawn(...)
function lower_change.spawn(self, node, _, scope)
  return emit_spawn(self, node,
    read_parts(self, node, 1, #node.arguments, scope))
end

--- world:add(e, part) and world:add(e, component, fields), of an entity.
function lower_change.add(self, node, entity, scope)
  local parts = read_parts(self, node, 2, #node.arguments, scope)
  if #parts ~= 1 then
    outside(node.line, "world:add with " .. counted(#node.arguments),
      "give it an entity and one part")
  end
  return emit_other(self, node, "add_to", entity, parts[1])
end

--- Notes that values of a component are set at once: world:get behind it would
-- have to see them.
local function note_set(self, name)
  self.context.sets = self.context.sets or {}
  self.context.sets[name] = true
end

--- The part of world:set with names and values in turns.
local function read_pairs(self, node, scope)
  local part = read_part(self, node, 2, scope)
  local count = #node.arguments
  check_last(self, node, scope)
  if not part or part.filled or count % 2 == 1 then return nil end
  for k = 3, count, 2 do
    local name = node.arguments[k]
    if name[1] ~= "string" or not name.value then return nil end
    local value = self:value(node.arguments[k + 1], scope)
    if value.type == "nil" and part.types[name.value] == "entity" then
      value = self.emit.null()
    end
    give(self, part, name.value, value, node)
    if not part.fields[(k - 1) / 2] then return nil end
  end
  return part
end

--- world:set in all its forms, of an entity.
function lower_change.set(self, node, entity, scope)
  local part
  local third = node.arguments[3]
  if third and third[1] == "string" then
    part = read_pairs(self, node, scope)
  else
    local parts = read_parts(self, node, 2, #node.arguments, scope)
    part = #parts == 1 and parts[1]
    if part and not part.filled and next(part.types) then part = nil end
  end
  if not part then
    outside(node.line, "world:set of this form", "write world:set(e, "
      .. "Position, \"x\", 1) or world:set(e, Position, { x = 1 })")
  end
  note_set(self, part.name)
  return emit_other(self, node, "set_of", entity, part)
end

--- world:remove(e, component), of an entity. known: the component.
function lower_change.remove(self, node, entity, known)
  emit(self, node, {}, "remove_from %s " .. quote(known.name), entity)
  return {}
end

--- world:replace(e, gone, part), of an entity: a removal and what is added,
-- which are one move when the changes are made. gone: the component that goes.
function lower_change.replace(self, node, entity, gone, scope)
  local parts = read_parts(self, node, 3, #node.arguments, scope)
  local part = parts[1]
  if #parts ~= 1 then
    outside(node.line, "world:replace with " .. counted(#node.arguments),
      "give it an entity, a component that goes and one part")
  elseif part.name == gone.name then
    outside(node.line, "world:replace of " .. gone.name .. " by itself",
      "name two components")
  end
  emit(self, node, {}, "remove_from %s " .. quote(gone.name), entity)
  if not part.filled then
    return emit_other(self, node, "add_to", entity, part)
  end
  note_set(self, part.name)
  return emit_other(self, node, "set_of", entity, part)
end

--- world:destroy(e), of an entity. world:alive behind it would have to see it.
function lower_change.destroy(self, node, entity)
  self.context.destroys_others = true
  emit(self, node, {}, "destroy_other %s", entity)
  return {}
end

-- Prepared closures -----------------------------------------------------------

--- A call of a spawner. parts, arguments: as prepared_of describes them.
function lower_change.spawner(self, node, scope, parts, arguments)
  if #node.arguments ~= #arguments then
    outside(node.line, "a spawner with " .. counted(#node.arguments),
      "it takes " .. #arguments)
  end
  check_last(self, node, scope, "a spawner")
  local values, list = self:list(node.arguments, #arguments, scope), {}
  for k, fixed in ipairs(parts) do
    list[k] = new_part(self.context.describe(fixed[1]))
    give_fixed(self, list[k], fixed[2], node)
  end
  for k, argument in ipairs(arguments) do
    local part, value = list[argument[1]], values[k]
    local scalar = part.types[argument[2]]
    if value.type == "nil" and scalar == "entity" then
      value = self.emit.null()
    elseif value.type == "nil" then
      outside(node.line, "a spawner with nil for " .. part.name .. "."
        .. argument[2], "give it a value")
    end
    give(self, part, argument[2], value, node)
  end
  return emit_spawn(self, node, list)
end

--- A call of a setter of a component and fields, in a list.
function lower_change.setter(self, node, entity, scope, list)
  if #node.arguments ~= #list then
    outside(node.line, "a setter with " .. counted(#node.arguments),
      "it takes an entity and " .. #list - 1
      .. (#list == 2 and " value" or " values"))
  end
  check_last(self, node, scope, "a setter")
  local part = new_part(self.context.describe(list[1]))
  for k = 2, #list do
    local value = self:value(node.arguments[k], scope)
    if value.type == "nil" and part.types[list[k]] == "entity" then
      value = self.emit.null()
    elseif value.type == "nil" then
      outside(node.line, "a setter with nil for " .. part.name .. "."
        .. list[k], "give it a value")
    end
    give(self, part, list[k], value, node)
  end
  note_set(self, part.name)
  return emit_other(self, node, "set_of", entity, part)
end

return lower_change
