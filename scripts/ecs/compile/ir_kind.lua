--- ir_kind: which numbers of a program are integers in Lua 5.4.
--
-- A program computes in doubles, and so its numbers are right whatever their
-- kind is in Lua. But a variable outside that a function adds to keeps its
-- kind: 1 + 1 is 2, not 2.0. So the kind of what is added is found by going
-- back from it through the program:
--
--     literals       2 is an integer, 2.0 a float; where the function has both,
--                    or the compiler made the number, the kind is not known
--     fields         those of an integer type are integers, the others floats
--     + - * // %     integers, if both operands are; a float, if one of them is
--     & | ~          integers
--     / ^ sqrt ...   floats
--
-- What is not certain is not known. The writer keeps what its text does not
-- tell: literals, got and mixed (ir_writer.lua).

local standard = require "ecs.standard"
standard.inner "ecs.compile.ir_kind"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local match, gmatch, tonumber = string.match, string.gmatch, tonumber
local abs, max, min, ipairs = math.abs, math.max, math.min, ipairs

local ir_kind = {}

--- The largest distance from 0 of each integer type.
local integers = { i8 = 128, u8 = 255, i16 = 32768, u16 = 65535,
                   i32 = 2 ^ 31, u32 = 2 ^ 32 }

local FLOAT = { integer = false }

--- Operations with a float as result, whatever the operands are.
local floats = {}
for name in gmatch("div sqrt sin cos tan asin acos atan exp log xsin xcos xexp "
  .. "xlog pow xpow atan2 xatan2 random", "%w+") do
  floats[name] = true
end

local function of_scalar(scalar)
  local most = integers[scalar]
  return most and { integer = true, most = most,
                    natural = match(scalar, "^u") ~= nil } or FLOAT
end

--- The largest distance from 0 of a result, from those of the operands.
local reaches = {
  add = function(a, b) return a + b end,
  sub = function(a, b) return a + b end,
  mul = function(a, b) return a * b end,
  floordiv = function(a) return a end,
  mod = function(_, b) return b end,
  fmod = function(a) return a end,
}

local function join(a, b, operation)
  if a == FLOAT or b == FLOAT then return FLOAT end
  return a and b and { integer = true,
                       most = reaches[operation](a.most, b.most),
                       natural = a.natural and b.natural
                         and operation ~= "sub" } or nil
end

--- Operations of lower_bits.lua on the bits of whole numbers within 2^50.
local bits = { band = true, bor = true, bxor = true }

--- The kind of their results: no more bits than an operand has, and of what is
-- in both no more than the one that is not negative.
local function of_bits(operation, a, b)
  local one, other = a and a.natural, b and b.natural
  if operation == "band" and (one or other) then
    return { integer = true, natural = true,
             most = min(one and a.most or 2 ^ 50, other and b.most or 2 ^ 50) }
  end
  local most, reach = max(a and a.most or 2 ^ 50, b and b.most or 2 ^ 50), 1
  while reach < most do reach = reach * 2 end
  return { integer = true, most = reach, natural = one and other }
end

--- One of two, not known which.
local function either(a, b)
  if a == FLOAT and b == FLOAT then return FLOAT end
  if not a or not b or a == FLOAT or b == FLOAT then return nil end
  return { integer = true, most = max(a.most, b.most),
           natural = a.natural and b.natural }
end

local function of_constant(emit, text)
  if not match(text, "^%-?%d+$") then
    return not match(text, "^%-?0x0p0$") and FLOAT or nil
  end
  local number = tonumber(text) + 0.0
  local literal = emit.literals[number]
  if literal == "float" then return FLOAT end
  return literal == "integer" and { integer = true, most = abs(number),
                                    natural = number >= 0 } or nil
end

--- Finds kinds: text of each value and type of each column, by number.
local function index(emit)
  local texts, columns = {}, {}
  for _, line in ipairs(emit.lines) do
    local id, text = match(line, "^v(%d+) = (.*)$")
    if id then texts[tonumber(id)] = text end
  end
  for _, line in ipairs(emit.declarations) do
    local column, scalar = match(line, "^column (c%d+) .* (%w+) %w+$")
    if column then columns[column] = scalar end
  end
  return texts, columns
end

--- Returns a function that gives the kind of a value, by its id: a table with
-- integer, which is true or false, and of an integer most, the largest distance
-- from 0, and natural: it is not negative; nil: not known. Cost: the length of
-- the program, once.
function ir_kind.of(emit)
  local texts, columns = index(emit)
  local known, find = {}, nil
  local function operand(text, k)
    local count = 0
    for id in gmatch(text, " v(%d+)") do
      count = count + 1
      if count == k then return find(tonumber(id)) end
    end
  end
  local function compute(text)
    local operation, first = match(text, "^(%w+) ?(%S*)")
    if operation == "constant" then
      return of_constant(emit, match(text, "%S+$"))
    elseif floats[operation] then
      return FLOAT
    elseif reaches[operation] then
      return join(operand(text, 1), operand(text, 2), operation)
    elseif bits[operation] then
      return of_bits(operation, operand(text, 1), operand(text, 2))
    elseif operation == "min" or operation == "max" then
      return either(operand(text, 1), operand(text, 2))
    elseif operation == "select" then
      return either(operand(text, 2), operand(text, 3))
    elseif operation == "neg" or operation == "abs" or operation == "convert"
    then
      return operand(text, 1)
    elseif operation == "load" or operation == "element" then
      return of_scalar(columns[match(text, " (c%d+)")])
    elseif operation == "quantize" then
      return of_scalar(first)
    elseif operation == "at" then
      local scalar = emit.got[match(text, "^%w+ %w+ (.*)$")]
      return scalar and of_scalar(scalar) or nil
    elseif operation == "get" then
      return of_scalar(emit.got[match(text, "^%w+ %w+ (.*)$")])
    end
  end
  function find(id)
    if known[id] == nil then
      -- Of what loops compute the text is not kept.
      known[id] = not emit.mixed[id] and texts[id] and compute(texts[id])
        or false
    end
    return known[id] or nil
  end
  return find
end

return ir_kind
