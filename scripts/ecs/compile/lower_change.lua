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

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_change"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, next = ipairs, next

local parser = require "ecs.compile.parser"
local event = require "ecs.event"
local ir_writer = require "ecs.compile.ir_writer"
local lower_parts = require "ecs.compile.lower_parts"

local outside = parser.outside
local quote = ir_writer.quote
local check_last, new_part = lower_parts.check_last, lower_parts.new
local give, give_fixed = lower_parts.give, lower_parts.give_fixed
local read_parts, read_part = lower_parts.read, lower_parts.read_one

local lower_change = {}

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
    read_parts(self, node, 1, #node.arguments, scope, true))
end

--- world:emit(...): the spawn of an event.
function lower_change.emit(self, node, scope)
  local parts = read_parts(self, node, 1, #node.arguments, scope)
  if #parts ~= 1 or not event.is_name(parts[1].name) then
    outside(node.line, "world:emit of this form", "give it one event, as in "
      .. "world:emit(Hit { damage = 3 })")
  end
  parts[2] = new_part(self.context.describe(event.component))
  return emit_spawn(self, node, parts)
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
    local before = #part.fields
    give(self, part, name.value, value, node)
    if #part.fields == before then return nil end
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
