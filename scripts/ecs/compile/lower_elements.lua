--- lower_elements: elements of arrays in rows.
--
--     p.past         elements  { type = "elements", row, array }: array: of
--                    core.fields, { name, number of the first field, count }
--     p.past[3]      the field past[3], which is a variable as any field is
--     p.past[k]      selected: k == 1 and past[1], or k == 2 and past[2] ...
--     p.past[k] = x  past[1] = k == 1 and x or past[1], and so on for all
--
-- The elements are fields of the row, so what one statement stores the next one
-- reads. Where k is computed, an access costs a comparison and a selection for
-- each element. Another k than 1 to count raises in plain Lua, so rows with one
-- take a side exit.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_elements"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local format, ipairs = string.format, ipairs

local lower = require "ecs.compile.lower_value"
local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower_elements = {}

--- Name -> array of a component's fields, for a term; nil: it has none.
function lower_elements.arrays_of(fields)
  if not fields.arrays then return nil end
  local arrays = {}
  for _, array in ipairs(fields.arrays) do arrays[array[1]] = array end
  return arrays
end

local function label_of(view)
  return view.row.term.name .. "." .. view.array[1]
end

local function field_of(view, k)
  return format("%s[%d]", view.array[1], k)
end

--- The elements of the array that a row has under a name; nil: it has none. The
-- same for the same row, so that it is known to be the same.
function lower:elements_of(row, node, name)
  local term = row.term
  local array = term.arrays and term.arrays[name]
  if not array then return nil end
  if term.present then
    self:demand(term.present, node.line, "'" .. name .. "' of "
      .. term.name .. ", which may be nil here",
      "test it first: if it then ... end")
  end
  term.views = term.views or {}
  term.views[name] = term.views[name]
    or { type = "elements", row = row, array = array }
  return term.views[name]
end

--- The elements that a value is, or is where it is not nil; else nil.
function lower:as_elements(value, line)
  local inner = value
  while inner.type == "maybe" or inner.type == "choice" do
    inner = inner.value
  end
  if inner.type ~= "elements" then return nil end
  return self:settle(value, line, "an index of " .. label_of(inner)
    .. " that may be nil here", "test it first: if it then ... end")
end

--- The bool: is a number one of 1 to count?
local function in_range(emit, number, count)
  local inside = emit:both(
    emit:op("le f64", "bool", emit:inner_constant(1), number),
    emit:op("le f64", "bool", number, emit:inner_constant(count)))
  if number.most ~= nil then return inside end
  return emit:both(inside,
    emit:op("eq f64", "bool", number, emit:op("floor f64", "f64", number)))
end

--- The element that a key numbers: a constant; or nil and the number, which is
-- demanded to be one of them.
local function place_of(self, view, key, node)
  local count, emit = view.array[3], self.emit
  key = self.context.captures:plain(key)
  if key.type == "nil" then
    outside(node.line, "nil as an index", "is it defined before the system?")
  end
  key = self:settle(key, node.line, "an index of " .. label_of(view)
    .. " that may be nil", "test it first: if x then ... end")
  local number = self:number(key, node, "an index", node.key)
  local most = number.most
  number = emit:cast(number, "f64")
  number.most = number.most or most
  local constant = number.constant
  if constant and constant >= 1 and constant <= count and constant % 1 == 0 then
    return constant
  elseif constant then
    outside(node.line, format("element %.14g of %s", constant, label_of(view)),
      format("it has elements 1 to %d", count))
  end
  self.context.work = (self.context.work or 0) + count
  self:demand(in_range(emit, number, count), node.line, "an index of "
    .. label_of(view) .. ", which may be outside",
    "let rows take side exits: compile = true")
  return nil, number
end

local function hit(emit, number, k)
  return emit:op("eq f64", "bool", number, emit:inner_constant(k))
end

--- The value of view[key]. node: of the index.
function lower:element_at(view, key, node)
  local row, constant, number = view.row, place_of(self, view, key, node)
  if constant then
    return self:row_field(row, node, field_of(view, constant))
  end
  local count = view.array[3]
  local value = self:row_field(row, node, field_of(view, count))
  for k = count - 1, 1, -1 do
    value = self:merge(hit(self.emit, number, k),
      self:row_field(row, node, field_of(view, k)), value, node)
  end
  return value
end

--- Assigns to view[key]. node: of the index. expression: that of the value.
function lower:assign_element(view, key, value, node, expression)
  local row, constant, number = view.row, place_of(self, view, key, node)
  if constant then
    return self:assign_row(node, row, field_of(view, constant), value,
      expression)
  end
  local stored
  for k = 1, view.array[3] do
    local entry, scalar, label = self:written_entry(node, row,
      field_of(view, k))
    stored = stored or self:fit(value, scalar, node, label, expression)
    self:set(entry, self:merge(hit(self.emit, number, k), stored,
      self.state[entry], node))
  end
end

return lower_elements
