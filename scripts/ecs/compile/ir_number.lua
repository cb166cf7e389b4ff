--- ir_number: what numbers of a program are computed in.
--
-- Two numbers meet in one type: f32 with f32 in f32, anything with an f64 in
-- f64. A number that has no type of its own gives way: it is **flex**, an f64
-- made of constants, uniforms and fields of 8 or 16 bits alone, and takes the
-- type of what it meets, rounded once.
--
--     flex       it is one
--     narrow, wide    texts of the operations that give the same whole number
--                as f32 and as f64: of a flex that is exact in both, which is
--                computed in the type that is asked for
--     most       how far from 0 that number can be
--
--     p.x * 0.5          f32: the constant gives way
--     (b.u8 + 1) * p.x   f32: the sum is at most 256, so it is exact
--     (b.u8 / 3) * p.x   the quotient in f64, rounded once where it meets p.x
--
-- Where everything is computed in double precision, nothing is flex. This adds
-- its methods to the ir_writer.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local abs, max = math.abs, math.max

local ir_writer = require "ecs.compile.ir_writer"
local safe_pairs = require "ecs.safe_pairs"

--- A constant of no type of its own.
function ir_writer:constant(number)
  return { type = "f64", flex = not self.double, constant = number }
end

function ir_writer.null()
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
function ir_writer:widened(narrow, most)
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
function ir_writer:exactly(value)
  return reach(value) and self:cast(value, "f32")
end

--- A number in the type asked for.
function ir_writer:cast(value, type)
  if value.wide then
    return self:value(type == "f32" and value.narrow or value.wide, type)
  elseif value.type == type then
    if not value.flex then return value end
    local fixed = {}
    for key, content in safe_pairs(value) do fixed[key] = content end
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
function ir_writer:promote(a, b)
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
function ir_writer:short_result(name, a, b)
  local one, other = reach(a), reach(b)
  local most = one and other and reaches[name](one, other)
  if not most or most > EXACT then return nil end
  return self:widened(name .. " f32 " .. self:name(self:exactly(a)) .. " "
    .. self:name(self:exactly(b)), most)
end

--- Two numbers into one: add sub mul div mod floordiv pow min max ...
function ir_writer:binary(name, a, b)
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
  local x, y, type = self:promote(a, b)
  return mark(self:op(name .. " " .. type, type, x, y), flex)
end

function ir_writer:unary(name, a)
  if name == "neg" and a.constant then
    return { type = a.type, flex = a.flex, constant = -a.constant }
  end
  return mark(self:op(name .. " " .. a.type, a.type, a), a.flex)
end

-- Types whose fields are flex, and how far from 0 they can be.
local shorts = { i8 = 128, u8 = 255, i16 = 32768, u16 = 65535 }

--- What a field of this type would read as after value was stored in it, as the
-- field is loaded.
function ir_writer:stored(scalar, value)
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
function ir_writer:kept(value)
  return value.narrow and self:cast(value, "f32") or value
end

--- The type of a field's values in computations, where they are not flex.
function ir_writer:loaded_type(scalar)
  if scalar == "bool" or scalar == "entity" then return scalar end
  return scalar == "f32" and not self.double and "f32" or "f64"
end

--- Are a field's values flex?
function ir_writer:is_flexible(scalar)
  return shorts[scalar] ~= nil and not self.double
end

--- What a column held before the program.
function ir_writer:load(column, scalar)
  if self:is_flexible(scalar) then
    return whole("load f32 " .. column, "load f64 " .. column, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("load " .. type .. " " .. column, type)
end

--- A field of another entity: place says of which, and what. Looked up once.
function ir_writer:get(place, scalar)
  if self:is_flexible(scalar) then
    return self:widened("get f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("get " .. type .. " " .. place, type)
end

-- Comparisons and choices ---------------------------------------------------

local comparisons = {
  lt = function(a, b) return a < b end,
  le = function(a, b) return a <= b end,
  eq = function(a, b) return a == b end,
}

--- lt, le or eq of two numbers.
function ir_writer:compare(name, a, b)
  if (self.double or a.flex and b.flex) and a.constant and b.constant then
    return self:truth(comparisons[name](a.constant, b.constant))
  end
  local x, y, type = self:promote(a, b)
  if a.flex and b.flex then
    -- Whole numbers compare alike in both types, and faster in f32.
    local one, other = self:exactly(a), self:exactly(b)
    if one and other then x, y, type = one, other, "f32" end
  end
  return self:op(name .. " " .. type, "bool", x, y)
end

--- a where test is true, else b; both bools, both entities or both numbers.
function ir_writer:select(test, a, b)
  if test.constant ~= nil then return test.constant and a or b end
  if ir_writer.same(a, b) then return a end
  if a.type == "bool" then return self:select_bool(test, a, b) end
  local flex, kind = a.flex and b.flex, a.type
  if flex and (a.narrow or b.narrow) then
    local one, other = self:exactly(a), self:exactly(b)
    if one and other then
      return self:widened("select f32 " .. self:name(test) .. " "
        .. self:name(one) .. " " .. self:name(other),
        max(reach(a), reach(b)))
    end
  end
  if kind == "f32" or kind == "f64" then a, b, kind = self:promote(a, b) end
  return mark(self:op("select " .. kind, kind, test, a, b), flex)
end

return ir_writer
