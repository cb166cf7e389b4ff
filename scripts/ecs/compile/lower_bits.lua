--- lower_bits: the bitwise operators of Lua 5.4, and LuaJIT's module bit.
--
--     p.flags & 7            band
--     p.flags << n           mul by 2^n
--     p.flags >> n           floordiv by 2^n
--     ~p.flags               -1 - p.flags
--     bit.lshift(p.flags, n) mul by 2^n, then brought into 32 bits
--
-- Programs compute in doubles; Lua 5.4 has 64 bits. So operands have to be
-- whole numbers within 2^50, and results exact. What is certain of fields of
-- integer types and of constants; rows in which it is not so take a side exit,
-- and plain Lua computes, or raises its error, there.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_bits"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local abs, floor, min, sub = math.abs, math.floor, math.min, string.sub
local ipairs, tonumber = ipairs, tonumber
local library = standard.bit or {}

local ir_kind = require "ecs.compile.ir_kind"
require "ecs.compile.lower_exit"
local parser = require "ecs.compile.parser"
local safe_pairs = require "ecs.safe_pairs"

local outside = parser.outside

local lower_bits = {}

--- Operands are below, results at most.
local OPERAND, RESULT = 2 ^ 50, 2 ^ 53

--- The largest shift of an operand; by more, nothing is left of most.
local SHIFT = 50

local operations = { ["&"] = "band", ["|"] = "bor", ["~"] = "bxor",
                     band = "band", bor = "bor", bxor = "bxor" }

local REMEDY = "use fields of integer types, or let rows take side exits: "
  .. "compile = true"

--- The largest distance from 0 of a number that is certainly whole, and whether
-- it is certainly not negative; nil: it may be anything. number: an f64.
local function reach(self, number)
  local emit, constant = self.emit, number.constant
  if constant then
    if constant ~= floor(constant) or abs(constant) >= OPERAND then
      return nil
    end
    return abs(constant), constant >= 0
  end
  local kind = ir_kind.of(emit)(tonumber(sub(emit:name(number), 2)))
  if kind and kind.integer then return kind.most, kind.natural end
end

local function f64(self, constant)
  return self.emit:cast(self.emit:constant(constant, "integer"), "f64")
end

--- An operation on two f64.
local function op(self, name, a, b)
  return self.emit:op(name .. " f64", "f64", a, b)
end

local function compare(self, name, a, b)
  return self.emit:op(name .. " f64", "bool", a, b)
end

--- The bool: is an f64 a whole number?
local function is_whole(self, number)
  return compare(self, "eq", number,
    self.emit:op("floor f64", "f64", number))
end

--- A value as an f64 that is whole and within the limit, and no -0; or was
-- demanded to be. And the largest distance from 0, and true where it was.
local function whole(self, value, node, name)
  local emit = self.emit
  local number = emit:cast(value, "f64")
  local most = reach(self, number)
  if most == 0 then return f64(self, 0), 0 end
  if most and most < OPERAND then return number, most end
  self:demand(emit:both(is_whole(self, number),
    emit:both(compare(self, "lt", f64(self, -OPERAND), number),
      compare(self, "lt", number, f64(self, OPERAND)))), node.line,
    name .. " of a number that may be no integer", REMEDY)
  return op(self, "add", number, f64(self, 0)), OPERAND, true
end

--- The result of an operation on values, as their arithmetic gives it. loose:
-- its kind does not follow from those of the operands (ir_kind.lua).
local function result(self, number, loose, a, b)
  if loose then self.emit.mixed[number.id] = true end
  if not a.flex or b and not b.flex then return number end
  return { type = "f64", id = number.id, flex = true }
end

--- 2^n for a number of bits, which is from 0 to most, bit by bit (pow takes
-- three times as long); and the largest that it can be.
local function power(self, count, most, node, name)
  local constant = count.constant
  if constant and constant >= 0 and constant <= most
    and constant == floor(constant) then
    return f64(self, 2 ^ constant), 2 ^ constant
  end
  local number = self.emit:cast(count, "f64")
  local test = self.emit:both(compare(self, "le", f64(self, 0), number),
    compare(self, "le", number, f64(self, most)))
  if not reach(self, number) then
    test = self.emit:both(test, is_whole(self, number))
  end
  self:demand(test, node.line, name .. " by a number that may not be from 0 to "
    .. most, "write the number of bits out, or let rows take side exits: "
    .. "compile = true")
  local product, bit = nil, 1
  while bit <= most do
    local set = compare(self, "lt", f64(self, 0),
      op(self, "band", number, f64(self, bit)))
    local factor = self.emit:select(set, f64(self, 2 ^ bit), f64(self, 1))
    product = product and op(self, "mul", product, factor) or factor
    bit = bit * 2
  end
  return product, 2 ^ most
end

-- Lua 5.4 --------------------------------------------------------------------

local function shift_left(self, a, b, node)
  local number, most, loose = whole(self, a, node, "'<<'")
  local factor, largest = power(self, b, SHIFT, node, "'<<'")
  local product = op(self, "mul", number, factor)
  if most * largest >= RESULT then
    local size = self.emit:op("abs f64", "f64", product)
    self:demand(compare(self, "lt", size, f64(self, RESULT)), node.line,
      "'<<' with a result that may be beyond 2^53", REMEDY)
  end
  return result(self, product, loose or not factor.constant, a, b)
end

--- The bits move in as zeros, so a negative number becomes a huge one.
local function shift_right(self, a, b, node)
  local number, _, loose = whole(self, a, node, "'>>'")
  local _, natural = reach(self, number)
  if not natural then
    self:demand(compare(self, "le", f64(self, 0), number), node.line,
      "'>>' of a number that may be negative", REMEDY)
  end
  local factor = power(self, b, SHIFT, node, "'>>'")
  return result(self, op(self, "floordiv", number, factor),
    loose or not factor.constant, a, b)
end

--- The value of a binary operator of two numbers; nil: it is no bitwise one.
function lower_bits.binary(self, sign, a, b, node)
  if sign == "<<" then return shift_left(self, a, b, node) end
  if sign == ">>" then return shift_right(self, a, b, node) end
  local operation = operations[sign]
  if not operation then return nil end
  local name = "'" .. sign .. "'"
  local x, y = whole(self, a, node, name), whole(self, b, node, name)
  return result(self, op(self, operation, x, y), false, a, b)
end

--- The value of ~a.
function lower_bits.complement(self, a, node)
  local number, _, loose = whole(self, a, node, "'~'")
  return result(self, op(self, "sub", f64(self, -1), number), loose, a)
end

-- LuaJIT ---------------------------------------------------------------------

--- The number in 32 bits with a sign that has the same lowest bits.
-- most: the largest distance from 0 that it has; nil: see reach.
local function signed(self, number, most)
  most = most or reach(self, number)
  if most and most < 2 ^ 31 then return number end
  local half = f64(self, 2 ^ 31)
  return op(self, "sub", op(self, "mod", op(self, "add", number, half),
    f64(self, 2 ^ 32)), half)
end

--- The arguments of a call, as numbers.
local function arguments_of(self, node, scope, name, least, most)
  local count = #node.arguments
  if count < least or count > most then
    outside(node.line, name .. " with " .. count .. (count == 1
      and " argument" or " arguments"), "it takes "
      .. (least == 1 and "one" or "two"))
  end
  local list = {}
  for k, argument in ipairs(node.arguments) do
    list[k] = self:number(self:value(argument, scope), node, name, argument)
  end
  return list
end

--- By the name in bit: gives the value of a call.
local calls = {}

for _, name in ipairs { "band", "bor", "bxor" } do
  calls[name] = function(self, node, scope, label)
    local list = arguments_of(self, node, scope, label, 1, 16)
    local total, least = whole(self, list[1], node, label), nil
    for k = 2, #list do
      local number = whole(self, list[k], node, label)
      local most, natural = reach(self, number)
      if natural and name == "band" then least = min(least or most, most) end
      total = op(self, operations[name], total, number)
    end
    return signed(self, total, least)
  end
end

function calls.tobit(self, node, scope, label)
  local list = arguments_of(self, node, scope, label, 1, 1)
  return signed(self, (whole(self, list[1], node, label)))
end

function calls.bnot(self, node, scope, label)
  local list = arguments_of(self, node, scope, label, 1, 1)
  local number = whole(self, list[1], node, label)
  return signed(self, op(self, "sub", f64(self, -1), number))
end

--- The lowest bits that stay are moved, so that nothing is beyond 2^32.
function calls.lshift(self, node, scope, label)
  local list = arguments_of(self, node, scope, label, 2, 2)
  local number = whole(self, list[1], node, label)
  local factor = power(self, list[2], 31, node, label)
  local kept = op(self, "mod", number, op(self, "div", f64(self, 2 ^ 32),
    factor))
  return signed(self, op(self, "mul", kept, factor))
end

function calls.rshift(self, node, scope, label)
  local list = arguments_of(self, node, scope, label, 2, 2)
  local number = whole(self, list[1], node, label)
  local most, natural = reach(self, number)
  local factor = power(self, list[2], 31, node, label)
  if not natural or most >= 2 ^ 32 then
    number = op(self, "mod", number, f64(self, 2 ^ 32))
  end
  number = op(self, "floordiv", number, factor)
  return factor.constant and factor.constant > 1 and number
    or signed(self, number)
end

function calls.arshift(self, node, scope, label)
  local list = arguments_of(self, node, scope, label, 2, 2)
  local number = signed(self, (whole(self, list[1], node, label)))
  return op(self, "floordiv", number,
    (power(self, list[2], 31, node, label)))
end

--- Adds the functions of bit to a table of calls (lower_call.lua).
function lower_bits.add_calls(known)
  for name, call in safe_pairs(calls) do
    known(library, name, function(self, node, _, scope)
      return { call(self, node, scope, "bit." .. name) }
    end)
  end
end

return lower_bits
