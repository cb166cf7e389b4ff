--- ir_writer: writes kernel programs, the text that ecs.core verifies and runs.
--
-- A value is a table: its type (f32 f64 bool entity) and its number in the
-- program. It may say more:
--
--     constant   the number or boolean it is known to be
--     sign, left, right    how a bool was made, for what a test proves
--     slot                 the uniform it was read from: u0, u1 ...
--
-- and, of a number, what ir_number.lua adds: that module computes, this
-- one writes, and knows what needs no writing. Equal operations on equal values
-- are emitted once, and what follows about truths from how they were made is
-- not emitted at all. Each operation costs one look-up of its text.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local abs, floor, format, concat = math.abs, math.floor, string.format,
  table.concat
local gsub, byte_of, type_of = string.gsub, string.byte, type
local setmetatable, tostring = setmetatable, tostring

local ir_writer = {}
ir_writer.__index = ir_writer

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
function ir_writer.quote(name)
  return '"' .. gsub(name, '[%c"\\\127]', function(byte)
    return format("\\x%02x", byte_of(byte))
  end) .. '"'
end

function ir_writer.new(double)
  local self = setmetatable({
    double = double,     -- everything is computed in f64
    declarations = {},
    lines = {},
    known = {},          -- text of an operation -> its value
    columns = 0, uniforms = 0, reductions = 0, values = 0,
  }, ir_writer)
  self.yes = { type = "bool", constant = true }
  self.no = { type = "bool", constant = false }
  return self
end

-- Declarations --------------------------------------------------------------

function ir_writer:column(component, field, scalar, access)
  local name = "c" .. self.columns
  self.columns = self.columns + 1
  self.declarations[#self.declarations + 1] = format(
    "column %s %s %s %s %s", name, ir_writer.quote(component),
    ir_writer.quote(field), scalar, access)
  return name
end

function ir_writer:uniform_slot(kind)
  local name = "u" .. self.uniforms
  self.uniforms = self.uniforms + 1
  self.declarations[#self.declarations + 1] = "uniform " .. name .. " " .. kind
  return name
end

--- kind: sum, min or max.
function ir_writer:reduction(kind)
  local name = "r" .. self.reductions
  self.reductions = self.reductions + 1
  self.declarations[#self.declarations + 1] = "reduction " .. name .. " "
    .. kind
  return name
end

-- Values --------------------------------------------------------------------

--- The number of a value; constants that have none yet get one.
function ir_writer:name(value)
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
function ir_writer:value(text, type)
  local value = self.known[text]
  if value then return value end
  value = { type = type, id = self.values }
  self.values = self.values + 1
  self.lines[#self.lines + 1] = "v" .. value.id .. " = " .. text
  self.known[text] = value
  return value
end

function ir_writer:op(text, type, a, b, c)
  if a then text = text .. " " .. self:name(a) end
  if b then text = text .. " " .. self:name(b) end
  if c then text = text .. " " .. self:name(c) end
  return self:value(text, type)
end

function ir_writer:effect(text, a, mask)
  if a then text = text .. " " .. self:name(a) end
  if mask then text = text .. " " .. self:name(mask) end
  self.lines[#self.lines + 1] = text
end

-- Truths --------------------------------------------------------------------

function ir_writer:truth(known)
  return known and self.yes or self.no
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

function ir_writer:both(a, b)
  if a.constant ~= nil then return a.constant and b or self.no end
  if b.constant ~= nil then return b.constant and a or self.no end
  if a.id == b.id then return a end
  if opposed(a, b) then return self.no end
  a, b = without(b, a, "or"), without(a, b, "or")
  local value = self:op("and", "bool", a, b)
  value.sign, value.left, value.right = "and", a, b
  return value
end

function ir_writer:either(a, b)
  if a.constant ~= nil then return a.constant and self.yes or b end
  if b.constant ~= nil then return b.constant and self.yes or a end
  if a.id == b.id then return a end
  if opposed(a, b) then return self.yes end
  a, b = without(b, a, "and"), without(a, b, "and")
  local value = self:op("or", "bool", a, b)
  value.sign, value.left, value.right = "or", a, b
  return value
end

function ir_writer:opposite(a)
  if a.constant ~= nil then return self:truth(not a.constant) end
  if a.sign == "not" then return a.left end
  local value = self:op("not", "bool", a)
  value.sign, value.left = "not", a
  return value
end

--- Are these surely the same value?
function ir_writer.same(a, b)
  if a == b then return true end
  if a.type ~= b.type or a.flex ~= b.flex then return false end
  if a.narrow or b.narrow then return a.narrow == b.narrow end
  if a.id and b.id then return a.id == b.id end
  -- The sign of a zero tells two constants apart.
  return a.constant ~= nil and a.constant == b.constant
    and (type_of(a.constant) ~= "number" or 1 / a.constant == 1 / b.constant)
end

--- The bool a where test is true, else the bool b.
function ir_writer:select_bool(test, a, b)
  if a.constant == true then return self:either(test, b) end
  if a.constant == false then return self:both(self:opposite(test), b) end
  if b.constant == false then return self:both(test, a) end
  if b.constant == true then return self:either(self:opposite(test), a) end
  return self:op("select bool", "bool", test, a, b)
end

--- The program.
function ir_writer:text()
  return concat(self.declarations, "\n") .. "\n"
    .. concat(self.lines, "\n") .. "\n"
end

return ir_writer
