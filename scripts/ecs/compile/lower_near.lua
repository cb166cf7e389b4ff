--- lower_near: loops over the rows of a grid that are near, and its answers.
--
--     for other, p, v in near:within(x, y, 4) do ... end
--     near:count(x, y, 4)  near:any(x, y, 4, e)  near:nearest(x, y, 4, e)
--
-- The grid is a value from outside, which is guarded: another one has another
-- program. A loop becomes one of the program (lower_loop.lua), of which turn k
-- sees the k-th row that is near:
--
--     v3 = near g0 v0 v1 v2        how many there are
--     v5 = nth v3 v4               where the one of this turn is in the grid
--     v6 = found_get f32 g0 v5 "Position" "x"
--
-- Rows of a grid are copies: they have fields like those of a query, which are
-- only read. A row that is reached under a condition asks with a radius of -1
-- where it does not hold, which finds nothing.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_near"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, insert = ipairs, table.insert

local allows = require "ecs.access"
local ir_writer = require "ecs.compile.ir_writer"
local lower = require "ecs.compile.lower_statement"
local arrays_of = require("ecs.compile.lower_elements").arrays_of
local parser = require "ecs.compile.parser"

local outside, quote = parser.outside, ir_writer.quote
local NIL = lower.NIL

local names = { "x", "y", "z" }

--- What the program knows of the grid that an object is; nil: it is none.
local function slot_of(self, object)
  local context = self.context
  local grid = object.type == "object" and context.describe_grid(object.value)
  if not grid then return nil end
  context.captures:guard(object)
  local slot = context.grid_slots[object.value]
  if slot then return slot end
  slot = { name = self.emit:grid_slot(grid.dimensions), grid = grid }
  if context.dry then return slot end
  context.grid_slots[object.value] = slot
  context.grids[#context.grids + 1] = object.value
  return slot
end

--- The rows of a grid, at a place: as the parameters of a function of its
-- query. present: the bool: is there one? nil: there is.
local function rows_at(slot, place, present)
  local rows = {}
  for k, row in ipairs(slot.grid.rows) do
    local types, links = {}, {}
    for _, field in ipairs(row.fields) do
      types[field[1]], links[field[1]] = field[2], field[3]
    end
    rows[k] = { type = "row", term = { name = row.name, fields = row.fields,
      types = types, links = links, access = "read", columns = {},
      arrays = arrays_of(row.fields),
      prefix = "", present = present, found = slot.name .. " " .. place } }
  end
  return rows
end

--- The numbers that a method takes first: coordinates, and the radius.
local function numbers_of(self, slot, node, values)
  local emit, count, numbers = self.emit, slot.grid.dimensions, {}
  for k = 1, count + 1 do
    local use = k > count and "a radius" or "a coordinate " .. names[k]
    local value = self:number(values[k] or NIL, node, use, node.arguments[k])
    numbers[k] = emit:cast(value, "f64")
  end
  return numbers
end

--- The operands of a question, as text; and is it late? entity: the one that is
-- left out, or nil.
local function operands_of(self, slot, numbers, entity)
  local emit, text, late = self.emit, slot.name, false
  local mask = self:mask(self.turns and self.turns.base)
  for k, number in ipairs(numbers) do
    if k == #numbers and mask then
      number = emit:select(mask, number,
        emit:cast(emit:inner_constant(-1), "f64"))
    end
    text = text .. " " .. emit:name(number)
    late = late or number.late
  end
  if not entity then return text, late end
  return text .. " " .. emit:name(entity), late or entity.late
end

--- Refuses a call with another number of arguments, which is an error.
local function check_count(node, least, most)
  local given = #node.arguments
  if given < least or given > most then
    outside(node.line, "near:" .. node.name .. " with " .. given
      .. " arguments", "give it x, y" .. (least > 3 and ", z" or "")
      .. " and a radius")
  end
end

--- Refuses a grid with rows that some entities lack.
local function check_rows(slot, node)
  for _, row in ipairs(slot.grid.rows) do
    if not allows.there[row.access] then
      outside(node.line, "a grid of which some rows lack " .. row.name,
        "name it in read")
    end
  end
end

--- What the rows of a loop are, where the values of a for are a call of within;
-- nil: they are something else.
function lower:within(node, scope)
  local call = node.values[1]
  if #node.values > 1 or call[1] ~= "method" or call.name ~= "within" then
    return nil
  end
  local slot = slot_of(self, self:value(call.object, scope))
  if not slot then return nil end
  local count = slot.grid.dimensions + 1
  check_count(call, count, count)
  check_rows(slot, call)
  local text, late = operands_of(self, slot,
    numbers_of(self, slot, call, self:list(call.arguments, nil, scope)))
  local near = self.emit:value("near " .. text, "f64")
  near.late = late or near.late
  return { slot = slot, near = near }
end

--- The values of turn k: the entity, and its rows.
function lower:neighbour(asked, k)
  local emit, slot = self.emit, asked.slot
  local place = emit:name(emit:op("nth", "f64", asked.near,
    emit:cast(k, "f64")))
  local values = rows_at(slot, place)
  insert(values, 1,
    emit:value("found " .. slot.name .. " " .. place, "entity"))
  return values
end

-- Answers ---------------------------------------------------------------------

local methods = {}
lower.grid_methods = methods

--- The operation of a question. excepts: an entity may be the last argument.
local function ask(self, node, scope, object, operation, type, excepts)
  local slot, values = slot_of(self, object),
    self:list(node.arguments, nil, scope)
  local count = slot.grid.dimensions + 1
  check_count(node, count, excepts and count + 1 or count)
  local except
  if excepts then
    except = self:entity(values[count + 1] or NIL, "id")
    if not except then
      outside(node.line, "near:" .. node.name .. " without "
        .. lower.word(values[count + 1]), "leave out e, or another entity")
    end
  end
  local numbers = numbers_of(self, slot, node, values)
  local text, late = operands_of(self, slot, numbers, except)
  local value = self.emit:value(operation .. " " .. text, type)
  value.late = late or value.late
  return value, slot, numbers
end

function methods.count(self, node, _, scope, object)
  local value = ask(self, node, scope, object, "near_count", "f64")
  return { { type = "f64", id = value.id, late = value.late,
             flex = not self.emit.double or nil } }
end

function methods.any(self, node, _, scope, object)
  return { (ask(self, node, scope, object, "near_any", "bool", true)) }
end

--- The distance of a place from a point.
local function distance(self, slot, place, numbers)
  local emit, grid, sum = self.emit, slot.grid, nil
  for k, field in ipairs(grid.at) do
    local at = emit:cast(emit:found(slot.name .. " " .. place .. " "
      .. quote(grid.name) .. " " .. quote(field[1]), field[2]), "f64")
    local d = emit:op("sub f64", "f64", numbers[k], at)
    local square = emit:op("mul f64", "f64", d, d)
    sum = sum and emit:op("add f64", "f64", sum, square) or square
  end
  return emit:op("sqrt f64", "f64", sum)
end

function methods.nearest(self, node, _, scope, object)
  local emit = self.emit
  local found, slot, numbers = ask(self, node, scope, object, "nearest", "f64",
    true)
  check_rows(slot, node)
  local place = emit:name(found)
  local entity = emit:value("found " .. slot.name .. " " .. place, "entity")
  local some = self:truth(entity) -- where it is known, so are its rows
  local values = rows_at(slot, place, some)
  insert(values, 1, entity)
  values[#values + 1] = { type = "maybe", some = some,
    value = distance(self, slot, place, numbers), origin = "the distance of "
      .. "near:nearest in line " .. node.line }
  return values
end

return lower
