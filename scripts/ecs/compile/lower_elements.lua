--- lower_elements: elements of arrays in rows.
--
--     p.past         elements  { type = "elements", row, array }: array: of
--                    core.fields, { name, number of the first field, count }
--     p.past[3]      the field past[3], which is a variable as any field is
--     p.past[k]      element f32 c2 c11 v4      whatever the count is
--     p.past[k] = x  scatter c2 c11 v4 v6
--
-- An array with such keys is **keyed**: its elements are columns that are
-- declared one after the other, and what the row stores in them is noted in
-- order. A read takes what the row had before, and selects what has been noted
-- for a key that may be the same. At the end all that was noted is stored.
--
-- That an array is keyed is found out when a function with such a key has been
-- lowered, and it is lowered again. Three kinds of arrays are not: those that a
-- loop of the program writes, which would have to carry them; small ones; and
-- those in rows of a grid. Their elements are selected:
--
--     p.past[k]      k == 1 and past[1], or k == 2 and past[2] ...
--     p.past[k] = x  past[1] = k == 1 and x or past[1], and so on for all
--
-- Another k than 1 to count raises in plain Lua, so rows with one take a side
-- exit.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_elements"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local format, ipairs, next = string.format, ipairs, next

local lower = require "ecs.compile.lower_value"
local ir_writer = require "ecs.compile.ir_writer"
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
  self:demand(in_range(emit, number, count), node.line, "an index of "
    .. label_of(view) .. ", which may be outside",
    "let rows take side exits: compile = true")
  return nil, number
end

--- The bool: is a number this one?
local function hit(emit, number, k)
  return emit:op("eq f64", "bool", number, emit:inner_constant(k))
end

-- Keyed arrays ----------------------------------------------------------------

--- Arrays with more elements than this are keyed.
local SELECTED = 8

--- What is known of the arrays of a function: names of those with computed
-- keys, and of those that a loop writes.
function lower_elements.modes() return { computed = {}, carried = {} } end

--- The arrays that are keyed: name -> true.
function lower_elements.choose(modes)
  local keyed = {}
  for name in next, modes.computed do
    keyed[name] = not modes.carried[name] or nil
  end
  return keyed
end

--- Has anything been found out since the last call?
function lower_elements.changed(modes)
  local changed = modes.changed
  modes.changed = nil
  return changed
end

local function name_of(view)
  return view.row.term.prefix .. view.array[1]
end

--- Notes something about an array, for the next time.
local function note(self, view, list)
  local modes, name = self.context.modes, name_of(view)
  if modes[list][name] or modes.carried[name] then return end
  modes[list][name] = true
  modes.changed = modes.changed or list == "computed"
    or self.context.is_keyed[name]
end

--- The columns of an array, declared one after the other; nil where one is
-- declared already.
local function columns_of(self, view)
  local term, array = view.row.term, view.array
  local known = term.keyed and term.keyed[array[1]]
  if known then return known end
  for k = 1, array[3] do
    if term.columns[field_of(view, k)] then return nil end
  end
  local columns = { scalar = term.types[field_of(view, 1)] }
  for k = 1, array[3] do
    columns[k] = self.emit:column(term.name, field_of(view, k), columns.scalar,
      term.access)
  end
  if self.context.dry then return columns end
  for k = 1, array[3] do term.columns[field_of(view, k)] = columns[k] end
  term.keyed = term.keyed or {}
  term.keyed[array[1]] = columns
  return columns
end

--- The columns of an array that is keyed; else nil. number: of a computed key;
-- nil: the key is constant. writes: they are stored in.
local function keyed_columns(self, view, number, writes)
  local term = view.row.term
  if term.found or self.turns and writes then return nil end
  if number and view.array[3] > SELECTED then note(self, view, "computed") end
  if not self.context.is_keyed[name_of(view)] then return nil end
  local columns = columns_of(self, view)
  if not columns then note(self, view, "carried") end
  return columns
end

--- The bool: does an item store in the element of a key: constant or number?
local function meets(self, item, constant, number)
  local emit = self.emit
  local known = item.constant
  if constant and known then return emit:truth(constant == known) end
  if constant then return hit(emit, item.number, constant) end
  if known then return hit(emit, number, known) end
  if ir_writer.same(number, item.number) then return emit.yes end
  return emit:op("eq f64", "bool", number, item.number)
end

--- The value of an element as the row leaves it so far.
local function read_keyed(self, view, columns, constant, number, node)
  local emit, name = self.emit, name_of(view)
  local value
  if constant then
    value = emit:load(columns[constant], columns.scalar)
  else
    value = emit:keyed(columns[1], columns[#columns], number, columns.scalar)
  end
  for _, item in ipairs(self.context.keyed) do
    if item.name == name then
      local test = meets(self, item, constant, number)
      test = emit:both(test, item.mask or emit.yes)
      value = self:merge(test, item.value, value, node)
    end
  end
  return value
end

--- Notes what is stored. node: of the index.
local function write_keyed(self, view, columns, item, value, node, expression)
  local _, scalar, label = self:writable_entry(node, view.row,
    field_of(view, item.constant or 1))
  local mask = self:mask()
  if mask and mask.constant == false then return end
  if not item.constant then label = label_of(view) end
  item.value = self:fit(value, scalar, node, label, expression)
  item.name, item.mask, item.columns = name_of(view), mask, columns
  local list = self.context.keyed
  list[#list + 1] = item
end

--- Emits what was noted, in order, but for what is stored over.
function lower_elements.store(emit, keyed)
  local kept, over = {}, {}
  for k = #keyed, 1, -1 do
    local item = keyed[k]
    local place = item.constant and item.columns[item.constant]
      or item.columns[1] .. " " .. item.columns[#item.columns] .. " "
        .. emit:name(item.number)
    if not over[place] then
      kept[#kept + 1] = { place, item }
      if not item.mask then over[place] = true end
    end
  end
  for k = #kept, 1, -1 do
    local place, item = kept[k][1], kept[k][2]
    emit:effect((item.constant and "store " or "scatter ") .. place,
      emit:kept(item.value), item.mask)
  end
end

-- Elements --------------------------------------------------------------------

--- The value of view[key]. node: of the index.
function lower:element_at(view, key, node)
  local row, constant, number = view.row, place_of(self, view, key, node)
  local columns = keyed_columns(self, view, number)
  if columns then
    return read_keyed(self, view, columns, constant, number, node)
  elseif constant then
    return self:row_field(row, node, field_of(view, constant))
  end
  local count = view.array[3]
  self.context.work = (self.context.work or 0) + count
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
  if self.turns then note(self, view, "carried") end
  local columns = keyed_columns(self, view, number, true)
  if columns then
    return write_keyed(self, view, columns,
      { constant = constant, number = number }, value, node, expression)
  elseif constant then
    return self:assign_row(node, row, field_of(view, constant), value,
      expression)
  end
  local stored
  self.context.work = (self.context.work or 0) + view.array[3]
  for k = 1, view.array[3] do
    local entry, scalar, label = self:written_entry(node, row,
      field_of(view, k))
    stored = stored or self:fit(value, scalar, node, label, expression)
    self:set(entry, self:merge(hit(self.emit, number, k), stored,
      self.state[entry], node))
  end
end

return lower_elements
