--- ir_number: arithmetic, and the types that numbers are computed in.
--
-- Two operands are promoted to one type: f32 with f32 to f32, f64 with any
-- other to f64. A number without a type of its own adapts: it is **flex**, an
-- f64 made of constants, uniforms, elements of arrays and fields of 8 or 16
-- bits alone, and takes the type of the other operand, rounded once.
--
--     flex       true: the number is flex
--     narrow, wide    of a flex that is a whole number and exact in both types:
--                texts of the operations that give it as f32 and as f64. It is
--                computed in the type that is needed
--     most       its largest distance from 0
--
--     p.x * 0.5          in f32: the constant adapts
--     (b.u8 + 1) * p.x   in f32: the sum is at most 256, so it is exact
--     (b.u8 / 3) * p.x   the quotient in f64, rounded once to multiply with p.x
--
-- In double precision no number is flex. This file adds methods to ir_writer.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.ir_number"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local abs, max = math.abs, math.max

local ir_writer = require "ecs.compile.ir_writer"
local safe_pairs = require "ecs.safe_pairs"

--- A constant that the function does not have; flex.
function ir_writer:inner_constant(number)
  return { type = "f64", flex = not self.double, constant = number }
end

--- A constant; flex. kind: "integer" or "float", as Lua 5.4 has it; nil: not
-- known. The value has it, too.
function ir_writer:constant(number, kind)
  local before = self.literals[number]
  if number == number then
    self.literals[number] = (not before or before == kind) and kind or "both"
  end
  local value = self:inner_constant(number)
  value.kind = kind
  return value
end

--- The string that ecs.core holds under a number; 0: "".
function ir_writer.string(number)
  return { type = "string", constant = number }
end

--- The null entity.
function ir_writer.null()
  return { type = "entity", constant = 0 }
end

-- Every whole number up to here is an f32.
local EXACT = 2 ^ 24

-- A flex whole number that is exact in f32. narrow and wide: texts of the
-- operations that give it in each type.
local function whole(narrow, wide, most)
  return { type = "f64", flex = true, narrow = narrow, wide = wide,
           most = most }
end

--- The same, given the operation in f32; in f64 it is converted.
function ir_writer:widened(narrow, most)
  return whole(narrow,
    "convert f64 " .. self:name(self:value(narrow, "f32")), most)
end

-- The largest distance from 0 of a flex that is a whole number and exact in
-- f32; nil for others.
local function reach(value)
  local number = value.constant
  if not number or number % 1 ~= 0 or abs(number) > EXACT then
    return value.most
  end
  return abs(number)
end

--- A flex as an f32 that equals it and costs no conversion; nil where there is
-- none.
function ir_writer:exactly(value)
  return reach(value) and self:cast(value, "f32")
end

--- A number converted to a type, which is f32 or f64.
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
    -- A constant that was converted to f32 before keeps that rounding.
    if value.apart then self:mix(value) end
    return { type = type, constant = value.constant }
  elseif value.slot then
    return self:value("uniform " .. type .. " " .. value.slot, type)
  elseif value.place then
    return self:value("at " .. type .. " " .. value.place, type)
  end
  return self:op("convert " .. type, type, value)
end

--- Two numbers converted to the type in which they are computed; and that type.
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

--- The value as a flex one, if flex is true. A new table: the same number may
-- be used elsewhere as an f64 that is not flex.
local function mark(value, flex)
  if not flex then return value end
  return { type = value.type, id = value.id, flex = true }
end

-- The largest distance from 0 of a result, from those of the operands.
local reaches = { add = folds.add, sub = folds.add, mul = folds.mul }

--- The result of an operation on two flexes where it is exact in f32; else nil.
function ir_writer:short_result(name, a, b)
  local one, other = reach(a), reach(b)
  local most = one and other and reaches[name](one, other)
  if not most or most > EXACT then return nil end
  return self:widened(name .. " f32 " .. self:name(self:exactly(a)) .. " "
    .. self:name(self:exactly(b)), most)
end

--- An operation on two numbers: add sub mul div mod floordiv pow min max ...
function ir_writer:binary(name, a, b)
  local flex = a.flex and b.flex
  local fold = folds[name]
  if fold and (flex or self.double) and a.constant and b.constant then
    local value = self:constant(fold(a.constant, b.constant))
    local whole_kind = a.kind == "integer" and b.kind == "integer"
    value.kind = whole_kind and name ~= "div" and "integer" or nil
    return value
  elseif name == "pow" and b.constant == 2
    and (b.flex or b.type == a.type and not a.flex) then
    return ir_writer.apart(self:binary("mul", a, a))
  end
  local short = flex and reaches[name] and (a.narrow or b.narrow)
    and self:short_result(name, a, b)
  if short then return short end
  local x, y, type = self:promote(a, b)
  return mark(self:op(name .. " " .. type, type, x, y), flex)
end

--- An operation on one number: neg abs floor sqrt ...
function ir_writer:unary(name, a)
  if name == "neg" and a.constant then
    self:constant(-a.constant, not a.apart and self.literals[a.constant] or nil)
    return { type = a.type, flex = a.flex, constant = -a.constant }
  end
  return mark(self:op(name .. " " .. a.type, a.type, a), a.flex)
end

-- Types of fields that are flex, and the largest distance from 0 of each.
local shorts = { i8 = 128, u8 = 255, i16 = 32768, u16 = 65535 }

--- The value as one that is a float in Lua here, and may be an integer where
-- the same value is used elsewhere.
function ir_writer.apart(value)
  local copy = { apart = true }
  for key, content in safe_pairs(value) do copy[key] = content end
  return copy
end

--- The value that a field of this type has after value was stored in it, in the
-- form in which it is loaded.
function ir_writer:stored(scalar, value)
  if scalar == "f64" then return ir_writer.apart(self:cast(value, "f64")) end
  if scalar == "f32" and not self.double then
    return ir_writer.apart(self:cast(value, "f32"))
  end
  local text = "quantize " .. scalar .. " "
  if self.double or not shorts[scalar] then
    -- The bounds of i32 and u32 are exact in f64 only.
    return self:op(text .. "f64", "f64", self:cast(value, "f64"))
  end
  local single = value.flex and self:exactly(value) or value
  text = text .. single.type .. " " .. self:name(single)
  if single.type == "f32" then return self:widened(text, shorts[scalar]) end
  return mark(self:value(text, "f64"), true)
end

--- A value in the form in which it is stored: f32 where it is computed so.
function ir_writer:kept(value)
  return value.narrow and self:cast(value, "f32") or value
end

--- The type of a field's value in computations, where it is not flex.
function ir_writer:loaded_type(scalar)
  if scalar == "bool" or scalar == "entity" or scalar == "string" then
    return scalar
  end
  return scalar == "f32" and not self.double and "f32" or "f64"
end

--- Is a field's value flex?
function ir_writer:is_flexible(scalar)
  return shorts[scalar] ~= nil and not self.double
end

--- The value that a column held before the program ran.
function ir_writer:load(column, scalar)
  if self:is_flexible(scalar) then
    return whole("load f32 " .. column, "load f64 " .. column, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("load " .. ir_writer.carried(type) .. " " .. column, type)
end

--- A field of another entity. place: the names of the entity, the component and
-- the field. Emitted once.
function ir_writer:get(place, scalar)
  self.got[place] = scalar
  if self:is_flexible(scalar) then
    return self:widened("get f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("get " .. ir_writer.carried(type) .. " " .. place, type)
end

--- An element of an array of the world. place: the names of the array and of
-- the key. Emitted once.
function ir_writer:element(place, scalar)
  self.got[place] = scalar
  if self:is_flexible(scalar) then
    return self:widened("at f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("at " .. type .. " " .. place, type)
end

--- The element that a column held before the program ran, of the columns from
-- first to last that a key numbers. Emitted once.
function ir_writer:keyed(first, last, key, scalar)
  local place = first .. " " .. last .. " " .. self:name(key)
  if self:is_flexible(scalar) then
    return self:widened("element f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("element " .. type .. " " .. place, type)
end

--- A field of a row of a grid. place: the names of the grid and of the place
-- there, the component and the field. Emitted once.
function ir_writer:found(place, scalar)
  if self:is_flexible(scalar) then
    return self:widened("found_get f32 " .. place, shorts[scalar])
  end
  local type = self:loaded_type(scalar)
  return self:value("found_get " .. type .. " " .. place, type)
end

-- Comparisons and choices ---------------------------------------------------

local comparisons = {
  lt = function(a, b) return a < b end,
  le = function(a, b) return a <= b end,
  eq = function(a, b) return a == b end,
}

--- Compares two numbers: lt, le or eq. Returns a bool.
function ir_writer:compare(name, a, b)
  if (self.double or a.flex and b.flex) and a.constant and b.constant then
    return self:truth(comparisons[name](a.constant, b.constant))
  end
  local x, y, type = self:promote(a, b)
  if a.flex and b.flex then
    -- Whole numbers compare equally in both types, and faster in f32.
    local one, other = self:exactly(a), self:exactly(b)
    if one and other then x, y, type = one, other, "f32" end
  end
  return self:op(name .. " " .. type, "bool", x, y)
end

--- Are two strings equal? Equal ones have one number.
function ir_writer:same_string(a, b)
  if a.constant and b.constant then
    return self:truth(a.constant == b.constant)
  end
  return self:op("eq f64", "bool", a, b)
end

--- a where test is true, else b. Both are bools, entities, strings or numbers.
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
  return mark(self:op("select " .. ir_writer.carried(kind), kind, test, a, b),
    flex)
end

return ir_writer
