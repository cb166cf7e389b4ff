--- lower_array: elements of arrays of the world, which are read in place.
--
--     walls[x][y]    an array of the program at the key (x - 1) * n2 + y, where
--                    n2 is a uniform: the second size as it is before the run
--     walls[x]       place   { type = "place", slot, keys }: slot: of
--                    captures:array; keys: the indices so far, as values
--
-- An index outside raises in plain Lua, so rows with one take a side exit. For
-- the last index all are compared at once: where the later ones are in their
-- ranges and the others are whole, the key is that of an element only if the
-- first is in its range, too.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_array"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local lower = require "ecs.compile.lower_value"
local captures = require "ecs.compile.captures"
local core = require "ecs.core"
local parser = require "ecs.compile.parser"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local type = type
local array_side = core.array_side

local outside = parser.outside

-- What comes from outside -----------------------------------------------------

--- The array of the program for one of the world, made at its first use. value:
-- from outside. about: of describe_array.
function captures:array(value, about)
  local key = value.reader.key
  local slot = self.array_slots[key]
  if not slot then
    slot = { reader = value.reader, type = about.type, world = about.world,
             dimensions = about.dimensions, label = about.name, sides = {},
             name = self.emit:array_slot("of " .. about.type) }
    slot.at = self.emit.arrays
    self.array_slots[key] = slot
    self.arrays[#self.arrays + 1] = slot
  end
  return slot
end

--- A size of an array, read anew for every run.
function captures:array_side(slot, d)
  local side = slot.sides[d]
  if not side then
    local reader = slot.reader
    side = self:plain(self:object { key = reader.key .. "#" .. d, path = {},
      root = function() return (array_side(captures.read(reader), d)) end })
    slot.sides[d] = side
  end
  return side
end

-- Indices ---------------------------------------------------------------------

--- The place that a value is which may be indexed: of an array from outside, or
-- of one that was indexed before; nil: it is neither.
local function place_of(self, value)
  if value.type == "place" then return value end
  local context = self.context
  local about = value.type == "object" and type(value.value) == "userdata"
    and context.describe_array and context.describe_array(value.value)
  if not about then return nil end
  return { type = "place", slot = context.captures:array(value, about),
           keys = {} }
end

lower.place_of = place_of

--- Is a number certainly whole?
local function is_whole(number)
  local constant = number.constant
  return number.most ~= nil or constant ~= nil and constant % 1 == 0
end

--- The bool: is a key whole?
local function whole(emit, key)
  if is_whole(key) then return emit.yes end
  return emit:op("eq f64", "bool", key, emit:op("floor f64", "f64", key))
end

--- The bool: is a key from 1 to the size of an index?
local function in_range(self, slot, d, key)
  local emit = self.emit
  local side = emit:cast(self.context.captures:array_side(slot, d), "f64")
  return emit:both(
    emit:op("le f64", "bool", emit:inner_constant(1), key),
    emit:op("le f64", "bool", key, side)), side
end

local function demand_inside(self, slot, test, node)
  self:demand(test, node.line, "an index of array '" .. slot.label
    .. "', which may be outside", "let rows take side exits: compile = true")
end

--- The element at all keys.
local function element(self, slot, keys, node)
  local emit = self.emit
  local place, inside = keys[1], emit.yes
  for d = 2, #keys do
    local range, side = in_range(self, slot, d, keys[d])
    inside = emit:both(inside, emit:both(whole(emit, keys[d - 1]), range))
    local before = emit:op("sub f64", "f64", place, emit:inner_constant(1))
    place = emit:op("add f64", "f64", emit:op("mul f64", "f64", before, side),
      keys[d])
  end
  local at = slot.name .. " " .. emit:name(place)
  demand_inside(self, slot,
    emit:both(inside, emit:value("inside " .. at, "bool")), node)
  return emit:element(at, slot.type)
end

--- The value of place[key]. node: of the index; its leads: it is indexed at
-- once.
function lower:array_index(place, key, node)
  local slot = place.slot
  key = self.context.captures:plain(key)
  if key.type == "nil" then
    outside(node.line, "nil as an index", "is it defined before the system?")
  end
  key = self:settle(key, node.line, "an index of array '" .. slot.label
    .. "' that may be nil", "test it first: if x then ... end")
  local number = self.emit:cast(
    self:number(key, node, "an index", node.key), "f64")
  if is_whole(key) then number.most = number.most or key.most end
  local keys = {}
  for k = 1, #place.keys do keys[k] = place.keys[k] end
  keys[#keys + 1] = number
  if #keys == slot.dimensions then return element(self, slot, keys, node) end
  if not node.leads then
    local range = in_range(self, slot, #keys, number)
    demand_inside(self, slot, self.emit:both(whole(self.emit, number), range),
      node)
  end
  return { type = "place", slot = slot, keys = keys }
end

--- The length of an array from outside.
function lower:array_length(place, line)
  if #place.keys > 0 then
    outside(line, "the length of a row of an array",
      "keep the number in a variable")
  end
  return self.context.captures:array_side(place.slot, 1)
end

--- Refuses an assignment to an element, if the value is an array or a row of
-- one.
function lower:refuse_array_store(value, line)
  local place = place_of(self, value)
  if not place then return end
  outside(line, "an assignment to an element of array '" .. place.slot.label
    .. "'", "write where few rows do, in an if, which is then a side exit, or "
    .. "let the function run as plain Lua")
end

return lower
