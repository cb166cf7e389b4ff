--- emitter: writes kernel programs, the text that ecs.core verifies and runs.
--
-- A value is a table: its type (f32 f64 bool entity) and its number in the
-- program. It may say more:
--
--     flex       an f64 made of constants, uniforms and fields of 8 or 16 bits
--                alone: it takes the type of what it meets, rounded once
--     narrow, wide    texts of the operations that give the same whole number
--                as f32 and as f64: of a flex that is exact in both, which is
--                computed in the type that is asked for
--     most       how far from 0 that number can be
--     constant   the number or boolean it is known to be
--     sign, left, right    how a bool was made, for what a test proves
--     slot                 the uniform it was read from: u0, u1 ...
--
-- Equal operations on equal values are emitted once.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local abs, floor, max = math.abs, math.floor, math.max
local format, gsub, byte_of = string.format, string.gsub, string.byte
local concat, setmetatable, tostring = table.concat, setmetatable, tostring
local type_of = type

local entries = require "ecs.entries"

local emitter = {}
emitter.__index = emitter

--- Numbers as the program reads them: whole, times a power of two, so that no
-- bit is lost and no locale puts a comma in.
local function exact(number)
  if number ~= number then return "nan" end
  if number == 1 / 0 then return "inf" end
  if number == -1 / 0 then return "-inf" end
  if number == 0 then return 1 / number < 0 and "-0x0p0" or "0" end
  local sign = number < 0 and "-" or ""
  local mantissa, exponent = abs(number), 0
  if mantissa < 2 ^ 53 and mantissa % 1 == 0 then
    return sign .. format("%.0f", mantissa)
  end
  while mantissa >= 2 ^ 53 do
    mantissa, exponent = mantissa / 2, exponent + 1
  end
  while mantissa % 1 ~= 0 do
    mantissa, exponent = mantissa * 2, exponent - 1
  end
  -- Two halves, because %x takes no more than 32 bits everywhere.
  local high = floor(mantissa / 2 ^ 32)
  return format("%s0x%x%08xp%d", sign, high, mantissa - high * 2 ^ 32,
    exponent)
end

--- A name as it stands in a program.
function emitter.quote(name)
  return '"' .. gsub(name, '[%c"\\\127]', function(byte)
    return format("\\x%02x", byte_of(byte))
  end) .. '"'
end

function emitter.new(double)
  local self = setmetatable({
    double = double,     -- everything is computed in f64
    declarations = {},
    lines = {},
    known = {},          -- text of an operation -> its value
    columns = 0, uniforms = 0, reductions = 0, values = 0,
  }, emitter)
  self.yes = { type = "bool", constant = true }
  self.no = { type = "bool", constant = false }
  return self
end

-- Declarations --------------------------------------------------------------

function emitter:column(component, field, scalar, access)
  local name = "c" .. self.columns
  self.columns = self.columns + 1
  self.declarations[#self.declarations + 1] = format(
    "column %s %s %s %s %s", name, emitter.quote(component),
    emitter.quote(field), scalar, access)
  return name
end

function emitter:uniform_slot(kind)
  local name = "u" .. self.uniforms
  self.uniforms = self.uniforms + 1
  self.declarations[#self.declarations + 1] = "uniform " .. name .. " " .. kind
  return name
end

--- kind: sum, min or max.
function emitter:reduction(kind)
  local name = "r" .. self.reductions
  self.reductions = self.reductions + 1
  self.declarations[#self.declarations + 1] = "reduction " .. name .. " "
    .. kind
  return name
end

-- Values --------------------------------------------------------------------

--- The number of a value; constants that have none yet get one.
function emitter:name(value)
  if not value.id then
    local text
    if value.type == "bool" then
      text = "constant bool " .. tostring(value.constant)
    else
      text = value.wide
        or "constant " .. value.type .. " " .. exact(value.constant)
    end
    value.id = self:value(text, value.type).id
  end
  return "v" .. value.id
end

--- The value of an operation, given as text without its result.
function emitter:value(text, type)
  local value = self.known[text]
  if value then return value end
  value = { type = type, id = self.values }
  self.values = self.values + 1
  self.lines[#self.lines + 1] = "v" .. value.id .. " = " .. text
  self.known[text] = value
  return value
end

function emitter:op(text, type, a, b, c)
  if a then text = text .. " " .. self:name(a) end
  if b then text = text .. " " .. self:name(b) end
  if c then text = text .. " " .. self:name(c) end
  return self:value(text, type)
end

function emitter:effect(text, a, mask)
  if a then text = text .. " " .. self:name(a) end
  if mask then text = text .. " " .. self:name(mask) end
  self.lines[#self.lines + 1] = text
end

-- Numbers -------------------------------------------------------------------

--- A constant of no type of its own.
function emitter:constant(number)
  return { type = "f64", flex = not self.double, constant = number }
end

function emitter.null()
  return { type = "entity", constant = 0 }
end

-- Every whole number up to here is an f32.
local EXACT = 2 ^ 24

-- A whole number that is exact in f32: flex, computed in either type. narrow
-- and wide are the texts of its operations.
local function whole(narrow, wide, most)
  return { type = "f64", flex = true, narrow = narrow, wide = wide,
           most = most }
end

--- The same as the f32 that it has been computed as, by this text.
function emitter:widened(narrow, most)
  return whole(narrow,
    "convert f64 " .. self:name(self:value(narrow, "f32")), most)
end

-- How far from 0 a flex can be that is a whole number and an f32, or nil.
local function reach(value)
  local number = value.constant
  if not number or number % 1 ~= 0 or abs(number) > EXACT then
    return value.most
  end
  return abs(number)
end

--- A flex as an f32 that is no other number and costs no conversion, or nil.
function emitter:exactly(value)
  return reach(value) and self:cast(value, "f32")
end

--- A number in the type asked for.
function emitter:cast(value, type)
  if value.wide then
    return self:value(type == "f32" and value.narrow or value.wide, type)
  elseif value.type == type then
    if not value.flex then return value end
    local fixed = {}
    for key, content in entries(value) do fixed[key] = content end
    fixed.flex = nil
    return fixed
  elseif value.constant and value.type == "f64" then
    -- One that became an f32 before is rounded first.
    return { type = type, constant = value.constant }
  elseif value.slot then
    return self:value("uniform " .. type .. " " .. value.slot, type)
  end
  return self:op("convert " .. type, type, value)
end

--- Two numbers in the type in which they meet.
function emitter:meet(a, b)
  if self.double or (a.flex and b.flex) then return a, b, "f64" end
  if a.flex then return self:cast(a, b.type), b, b.type end
  if b.flex then return a, self:cast(b, a.type), a.type end
  if a.type == b.type then return a, b, a.type end
  return self:cast(a, "f64"), self:cast(b, "f64"), "f64"
end

local folds = {
  add = function(a, b) return a + b end,
  sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end,
  div = function(a, b) return a / b end,
}

--- The value, as one that is flex. Not the same table: the same number may be
-- met elsewhere as an f64 that is not.
local function mark(value, flex)
  if not flex then return value end
  return { type = value.type, id = value.id, flex = true }
end

-- How far from 0 results can be, by how far operands can.
local reaches = { add = folds.add, sub = folds.add, mul = folds.mul }

--- What two flexes give that are short enough to be exact in f32, or nil.
function emitter:short_result(name, a, b)
  local one, other = reach(a), reach(b)
  local most = one and other and reaches[name](one, other)
  if not most or most > EXACT then return nil end
  return self:widened(name .. " f32 " .. self:name(self:exactly(a)) .. " "
    .. self:name(self:exactly(b)), most)
end

--- Two numbers into one: add sub mul div mod floordiv pow min max ...
function emitter:binary(name, a, b)
  local flex = a.flex and b.flex
  local fold = folds[name]
  if fold and (flex or self.double) and a.constant and b.constant then
    return self:constant(fold(a.constant, b.constant))
  elseif name == "pow" and b.constant == 2
    and (b.flex or b.type == a.type and not a.flex) then
    return self:binary("mul", a, a)
  end
  local short = flex and reaches[name] and (a.narrow or b.narrow)
    and self:short_result(name, a, b)
  if short then return short end
  local x, y, type = self:meet(a, b)
  return mark(self:op(name .. " " .. type, type, x, y), flex)
end

function emitter:unary(name, a)
  if name == "neg" and a.constant then
    return { type = a.type, flex = a.flex, constant = -a.constant }
  end
  return mark(self:op(name .. " " .. a.type, a.type, a), a.flex)
end

-- Types whose fields are flex, and how far from 0 they can be.
local shorts = { i8 = 128, u8 = 255, i16 = 32768, u16 = 65535 }

--- What a field of this type would read as after value was stored in it, as the
-- field is loaded.
function emitter:stored(scalar, value)
  if scalar == "f64" then return self:cast(value, "f64") end
  if scalar == "f32" and not self.double then
    return self:cast(value, "f32")
  end
  local text = "quantize " .. scalar .. " "
  if self.double or not shorts[scalar] then
    -- The edges of i32 and u32 are numbers in f64 only.
    return self:op(text .. "f64", "f64", self:cast(value, "f64"))
  end
  local single = value.flex and self:exactly(value) or value
  text = text .. single.type .. " " .. self:name(single)
  if single.type == "f32" then return self:widened(text, shorts[scalar]) end
  return mark(self:value(text, "f64"), true)
end

--- A value as it is stored: a whole number as the f32 that it already is.
function emitter:kept(value)
  return value.narrow and self:cast(value, "f32") or value
end

--- The type of a field's values in computations, where they are not flex.
function emitter:loaded_type(scalar)
  if scalar == "bool" or scalar == "entity" then return scalar end
  return scalar == "f32" and not self.double and "f32" or "f64"
end

--- Are a field's values flex?
function emitter:is_flexible(scalar)
  return shorts[scalar] ~= nil and not self.double
end

--- What a column held before the program.
function emitter:load(column, scalar)
  if self:is_flexible(scalar) then
    return whole("load f32 " .. column, "load f64 " .. column, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("load " .. type .. " " .. column, type)
end

--- A field of another entity: place says of which, and what. Looked up once.
function emitter:get(place, scalar)
  if self:is_flexible(scalar) then
    return self:widened("get f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("get " .. type .. " " .. place, type)
end

-- Truths --------------------------------------------------------------------

local comparisons = {
  lt = function(a, b) return a < b end,
  le = function(a, b) return a <= b end,
  eq = function(a, b) return a == b end,
}

function emitter:truth(known)
  return known and self.yes or self.no
end

--- lt, le or eq of two numbers.
function emitter:compare(name, a, b)
  if (self.double or a.flex and b.flex) and a.constant and b.constant then
    return self:truth(comparisons[name](a.constant, b.constant))
  end
  local x, y, type = self:meet(a, b)
  if a.flex and b.flex then
    -- Whole numbers compare alike in both types, and faster in f32.
    local one, other = self:exactly(a), self:exactly(b)
    if one and other then x, y, type = one, other, "f32" end
  end
  return self:op(name .. " " .. type, "bool", x, y)
end

--- Is one the opposite of the other?
local function opposed(a, b)
  return a.sign == "not" and a.left.id == b.id
    or b.sign == "not" and b.left.id == a.id
end

--- b without what a already says about it: of a or (not a and c), only c
-- counts; of a and (not a or c), too. inner: the sign that b has then.
local function without(a, b, inner)
  if b.sign ~= inner then return b end
  if opposed(a, b.left) then return b.right end
  if opposed(a, b.right) then return b.left end
  return b
end

function emitter:both(a, b)
  if a.constant ~= nil then return a.constant and b or self.no end
  if b.constant ~= nil then return b.constant and a or self.no end
  if a.id == b.id then return a end
  if opposed(a, b) then return self.no end
  a, b = without(b, a, "or"), without(a, b, "or")
  local value = self:op("and", "bool", a, b)
  value.sign, value.left, value.right = "and", a, b
  return value
end

function emitter:either(a, b)
  if a.constant ~= nil then return a.constant and self.yes or b end
  if b.constant ~= nil then return b.constant and self.yes or a end
  if a.id == b.id then return a end
  if opposed(a, b) then return self.yes end
  a, b = without(b, a, "and"), without(a, b, "and")
  local value = self:op("or", "bool", a, b)
  value.sign, value.left, value.right = "or", a, b
  return value
end

function emitter:opposite(a)
  if a.constant ~= nil then return self:truth(not a.constant) end
  if a.sign == "not" then return a.left end
  local value = self:op("not", "bool", a)
  value.sign, value.left = "not", a
  return value
end

--- Are these surely the same value?
function emitter.same(a, b)
  if a == b then return true end
  if a.type ~= b.type or a.flex ~= b.flex then return false end
  if a.narrow or b.narrow then return a.narrow == b.narrow end
  if a.id and b.id then return a.id == b.id end
  -- The sign of a zero tells two constants apart.
  return a.constant ~= nil and a.constant == b.constant
    and (type_of(a.constant) ~= "number" or 1 / a.constant == 1 / b.constant)
end

--- a where test is true, else b; both bools, both entities or both numbers.
function emitter:select(test, a, b)
  if test.constant ~= nil then return test.constant and a or b end
  if emitter.same(a, b) then return a end
  if a.type == "bool" then
    if a.constant == true then return self:either(test, b) end
    if a.constant == false then return self:both(self:opposite(test), b) end
    if b.constant == false then return self:both(test, a) end
    if b.constant == true then
      return self:either(self:opposite(test), a)
    end
  end
  local flex, kind = a.flex and b.flex, a.type
  if flex and (a.narrow or b.narrow) then
    local one, other = self:exactly(a), self:exactly(b)
    if one and other then
      return self:widened("select f32 " .. self:name(test) .. " "
        .. self:name(one) .. " " .. self:name(other),
        max(reach(a), reach(b)))
    end
  end
  if kind == "f32" or kind == "f64" then a, b, kind = self:meet(a, b) end
  return mark(self:op("select " .. kind, kind, test, a, b), flex)
end

--- The program.
function emitter:text()
  return concat(self.declarations, "\n") .. "\n"
    .. concat(self.lines, "\n") .. "\n"
end

return emitter
