--- lower_array: elements of arrays of the world, which are read and written in
-- place.
--
--     walls[x][y]    an array of the program at the key that it has for x and y
--     walls[x]       place   { type = "place", slot, keys }: slot: of
--                    captures:array; keys: the indices so far, as values
--
-- An index outside raises in plain Lua, so rows with one take a side exit: such
-- indices have no key. Where rows cannot take side exits, sizes are compared
-- before each run instead, and indices have to be constant.
--
-- The program reads an element as rows before have left it, and puts what this
-- row stores at its end. What it has stored before it reads is selected:
--
--     walls[x][y] = 1              put a0 k v, behind everything
--     local w = walls[i][j]        k == the key of i and j, and 1, or what is
--                                  there
--
-- Two arrays of the same type and number of indices may be the same one at
-- times: then a uniform tells.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_array"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local lower = require "ecs.compile.lower_value"
local captures = require "ecs.compile.captures"
local core = require "ecs.core"
local ir_writer = require "ecs.compile.ir_writer"
local parser = require "ecs.compile.parser"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local abs, ipairs, rawequal, type = math.abs, ipairs, rawequal, type
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
             same = {}, reads = false, writes = false,
             name = self.emit:array_slot("of " .. about.type) }
    slot.at = self.emit.arrays
    self.array_slots[key] = slot
    self.arrays[#self.arrays + 1] = slot
  end
  return slot
end

--- A size of an array, read anew for every run; or, where no row may take a
-- side exit, a constant that is compared.
function captures:array_side(slot, d)
  local side = slot.sides[d]
  if not side then
    local reader = slot.reader
    side = self:object { key = reader.key .. "#" .. d, path = {},
      root = function() return (array_side(captures.read(reader), d)) end }
    if self.context.may_exit then
      side = self:plain(side)
    else
      self:guard(side)
      side = self.emit:constant(side.value, "integer")
    end
    slot.sides[d] = side
  end
  return side
end

--- The bool: are two arrays the same one in this run?
function captures:same_array(slot, other)
  if slot == other then return self.emit.yes end
  if slot.type ~= other.type or slot.dimensions ~= other.dimensions then
    return self.emit.no
  end
  local one, two = slot.reader, other.reader
  local key = one.key .. "==" .. two.key
  local same = slot.same[key]
  if same == nil then
    same = self:plain(self:object { key = key, path = {},
      root = function()
        return rawequal(captures.read(one), captures.read(two))
      end })
    slot.same[key] = same
  end
  return same
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

--- Is a key certainly in the range of a size?
local function fits(key, side)
  local number, size = key.constant, side.constant
  return number and size and number >= 1 and number <= size and number % 1 == 0
    or false
end

--- The bool: is a key from 1 to the size of an index?
local function in_range(self, slot, d, key)
  local emit = self.emit
  local side = emit:cast(self.context.captures:array_side(slot, d), "f64")
  if fits(key, side) then return emit.yes, side end
  return emit:both(
    emit:op("le f64", "bool", emit:inner_constant(1), key),
    emit:op("le f64", "bool", key, side)), side
end

local function demand_inside(self, slot, test, node)
  self:demand(test, node.line, "an index of array '" .. slot.label
    .. "', which may be outside", "let rows take side exits: compile = true")
end

--- The keys of place[key], as numbers. node: of the index.
local function keys_of(self, place, key, node)
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
  return keys
end

--- Is an element at all keys certainly there? Only where sizes are constant.
local function is_certain(self, slot, keys)
  if self.context.may_exit then return false end
  for d = 1, #keys do
    if not fits(keys[d], self.context.captures:array_side(slot, d)) then
      return false
    end
  end
  return true
end

--- The number of the element at all keys, which is demanded to be there.
local function locate(self, slot, keys, node)
  local emit = self.emit
  if is_certain(self, slot, keys) then
    local number = keys[1].constant
    for d = 2, #keys do
      local side = self.context.captures:array_side(slot, d).constant
      number = (number - 1) * side + keys[d].constant
    end
    return { type = "f64", constant = number }
  end
  local place = keys[1]
  local there
  if #keys == 1 then
    there = emit:value("inside " .. slot.name .. " " .. emit:name(place),
      "bool")
  else
    place = emit:op("index " .. slot.name, "f64", keys[1], keys[2], keys[3])
    there = emit:op("lt f64", "bool", emit:inner_constant(0), place)
  end
  demand_inside(self, slot, there, node)
  return place
end

-- Elements --------------------------------------------------------------------

--- The value of an element as this row leaves it so far.
local function element(self, slot, keys, node)
  local emit, outer = self.emit, self.context.captures
  local place = locate(self, slot, keys, node)
  local value = emit:element(slot.name .. " " .. emit:name(place), slot.type)
  slot.reads = true
  for _, put in ipairs(self.context.puts) do
    local hit = outer:same_array(slot, put.slot)
    if hit.constant ~= false then
      hit = emit:both(hit, ir_writer.same(place, put.place) and emit.yes
        or emit:op("eq f64", "bool", place, put.place))
      hit = emit:both(hit, put.mask)
      local known = self:known(hit)
      if known == nil then known = hit end
      value = known == true and put.value
        or known ~= false and emit:select(hit, put.value, value) or value
    end
  end
  return value
end

--- The value of place[key]. node: of the index; its leads: it is indexed at
-- once.
function lower:array_index(place, key, node)
  local slot, keys = place.slot, keys_of(self, place, key, node)
  if #keys == slot.dimensions then return element(self, slot, keys, node) end
  if not node.leads then
    local range = in_range(self, slot, #keys, keys[#keys])
    demand_inside(self, slot,
      self.emit:both(whole(self.emit, keys[#keys]), range), node)
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

-- Assignments -----------------------------------------------------------------

--- Type of whole numbers -> the least and the greatest.
local ranges = {
  i8 = { -0x80, 0x7f }, u8 = { 0, 0xff }, i16 = { -0x8000, 0x7fff },
  u16 = { 0, 0xffff }, i32 = { -0x80000000, 0x7fffffff },
  u32 = { 0, 0xffffffff },
}

--- From here on a finite number is none in an f32, whatever its sign.
local TOO_LARGE = 2 ^ 128 - 2 ^ 103

--- The bool: can the type hold a number? stored: what it is in an element.
local function holds(emit, scalar, number, stored)
  local known, range = number.constant, ranges[scalar]
  if range then
    if known then
      return emit:truth(known >= range[1] and known <= range[2]
        and known % 1 == 0)
    end
    return emit:compare("eq", number, stored)
  end
  if scalar == "f64" or number.type == "f32" then return emit.yes end
  if known then
    return emit:truth(not (abs(known) >= TOO_LARGE and abs(known) < 1 / 0))
  end
  local size = emit:op("abs f64", "f64", emit:cast(number, "f64"))
  return emit:opposite(emit:both(
    emit:op("le f64", "bool", { type = "f64", constant = TOO_LARGE }, size),
    emit:op("lt f64", "bool", size, { type = "f64", constant = 1 / 0 })))
end

--- What is put for a value, and how it reads then. A value that the type cannot
-- hold raises in plain Lua, so it is demanded to be one.
local function stored_of(self, slot, value, node, expression)
  local label = "an element of array '" .. slot.label .. "'"
  if slot.type == "bool" then
    value = self:fit(value, "bool", node, label)
    return value, value
  end
  local number = self:number(value, node, "an assignment to " .. label,
    expression)
  local stored = self.emit:stored(slot.type, number)
  self:demand(holds(self.emit, slot.type, number, stored), node.line,
    "a number for " .. label .. ", which may not hold it",
    "let rows take side exits: compile = true")
  return self.emit:kept(number), stored
end

--- Assigns to place[key]. node: of the index. expression: that of the value.
function lower:array_assign(place, key, value, node, expression)
  local slot, keys = place.slot, keys_of(self, place, key, node)
  local label = "array '" .. slot.label .. "'"
  if #keys < slot.dimensions then
    outside(node.line, "an assignment to a row of " .. label,
      "assign to its elements")
  end
  self:refuse_in_loop(node.line, "an assignment to an element of " .. label,
    "note it in local variables and assign behind the loop, or count between "
    .. "constants: for k = 1, 8 do")
  local mask = self:mask()
  if mask and mask.constant == false then return end
  local at = locate(self, slot, keys, node)
  local put, stored = stored_of(self, slot, value, node, expression)
  slot.writes = true
  local puts = self.context.puts
  puts[#puts + 1] = { slot = slot, place = at, value = stored,
                      mask = mask or self.emit.yes }
  self.emit:effect("put " .. slot.name .. " " .. self.emit:name(at), put, mask)
end

return lower
