--- ir_writer: writes kernel programs, the text that ecs.core verifies and runs.
--
-- A value is a table with these fields:
--
--     type       f32, f64, bool or entity
--     id         its number in the program; nil: not emitted yet
--     constant   the number or boolean that it is known to be; nil: not known
--     sign, left, right    of a bool: the operation that made it, from which
--                          lower.lua concludes what a test proves
--     slot       the uniform that it was read from: u0, u1 ...
--     late       it depends on an entity that the row spawns
--     spawned    it is this entity
--     place      the array and the key that it was read at: a0 v1
--
-- and, for numbers, those that ir_number.lua adds. That file adds arithmetic;
-- this one writes, and leaves out what is not needed: equal operations on equal
-- values are emitted once, and a bool that follows from others is not emitted.
-- Cost of an operation: one lookup of its text.

local standard = require "ecs.standard"
standard.inner "ecs.compile.ir_writer"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local abs, floor, format, concat = math.abs, math.floor, string.format,
  table.concat
local gsub, byte_of, type_of = string.gsub, string.byte, type
local ipairs = ipairs
local setmetatable, tostring = setmetatable, tostring

local ir_writer = {}
ir_writer.__index = ir_writer

--- A number as text: a whole number times a power of two, so that no bit is
-- lost and no locale writes a comma.
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

--- A name as programs have it: in quotes, with odd bytes escaped.
function ir_writer.quote(name)
  return '"' .. gsub(name, '[%c"\\\127]', function(byte)
    return format("\\x%02x", byte_of(byte))
  end) .. '"'
end

-- Numbers are slow to turn into text: the names of the first values are kept.
local first_names = {}
for id = 0, 255 do first_names[id] = "v" .. id end

local function name_of(id) return first_names[id] or "v" .. id end

--- A new writer. double: everything is computed in f64.
function ir_writer.new(double)
  local self = setmetatable({
    double = double,
    declarations = {},   -- lines of the program, in two parts
    lines = {},
    known = {},          -- text of an operation -> its value
    -- For ir_kind.lua: whole number -> "integer" or "float", as the function
    -- writes it, or "both"; place of a get -> type of its field; id of a value
    -- -> true where it is an integer at one place and a float at another.
    literals = {}, got = {}, mixed = {},
    columns = 0, uniforms = 0, reductions = 0, arrays = 0, grids = 0,
    values = 0,
    -- Of ir_loop.lua: the open loops, the outermost first; value -> the number
    -- of loops that it belongs to, where there are any.
    loops = {}, levels = {}, has_loops = false,
  }, ir_writer)
  self.yes = { type = "bool", constant = true }
  self.no = { type = "bool", constant = false }
  return self
end

-- Declarations --------------------------------------------------------------

--- Declares a column; returns its name. access: write, read, optional or up.
-- Strings are the numbers that ecs.core holds them under.
function ir_writer:column(component, field, scalar, access)
  local name = "c" .. self.columns
  self.columns = self.columns + 1
  self.declarations[#self.declarations + 1] = format(
    "column %s %s %s %s %s", name, ir_writer.quote(component),
    ir_writer.quote(field), scalar == "string" and "u32" or scalar, access)
  return name
end

--- Declares a uniform; returns its name. kind: number, bool or entity. fixed:
-- no row can change it during a run.
function ir_writer:uniform_slot(kind, fixed)
  local name = "u" .. self.uniforms
  self.uniforms = self.uniforms + 1
  self.declarations[#self.declarations + 1] = "uniform " .. name .. " " .. kind
    .. (fixed and " fixed" or "")
  return name
end

--- Declares a reduction; returns its name. kind: sum, min or max.
function ir_writer:reduction(kind)
  local name = "r" .. self.reductions
  self.reductions = self.reductions + 1
  self.declarations[#self.declarations + 1] = "reduction " .. name .. " "
    .. kind
  return name
end

--- Declares an array; returns its name. kind: number, bool or entity; or
-- "of u8" for an array of the world.
function ir_writer:array_slot(kind)
  local name = "a" .. self.arrays
  self.arrays = self.arrays + 1
  self.declarations[#self.declarations + 1] = "array " .. name .. " " .. kind
  return name
end

--- Declares a grid; returns its name.
function ir_writer:grid_slot(dimensions)
  local name = "g" .. self.grids
  self.grids = self.grids + 1
  self.declarations[#self.declarations + 1] = "grid " .. name .. " "
    .. dimensions
  return name
end

-- Values --------------------------------------------------------------------

--- The type in the program of values of a type: a string is the number that
-- ecs.core holds it under.
function ir_writer.carried(type)
  return type == "string" and "f64" or type
end

--- The name of a value. Emits a constant that was not emitted yet.
function ir_writer:name(value)
  if not value.id then
    local text
    if value.type == "bool" then
      text = "constant bool " .. tostring(value.constant)
    else
      text = value.wide or "constant " .. ir_writer.carried(value.type) .. " "
        .. exact(value.constant)
    end
    value.id = self:value(text, value.type).id
  end
  return name_of(value.id)
end

--- A value that the program has, as one of a type: the same operation may make
-- a string and a number.
local function as_type(value, type)
  if value.type == type then return value end
  return { type = type, id = value.id, late = value.late }
end

--- The value of an operation, given as text without its result. Emits the
-- operation unless the program has it.
function ir_writer:value(text, type)
  local value = self.known[text]
  if value then return as_type(value, type) end
  value = { type = type, id = self.values }
  self.values = self.values + 1
  local lines = self.lines
  if self.loops[1] then lines = self:place_value(value, text) end
  lines[#lines + 1] = name_of(value.id) .. " = " .. text
  self.known[text] = value
  return value
end

--- Notes that an operation has an operand of which ir_kind.lua could not tell
-- that it is a float there (ir_number.lua, apart).
function ir_writer:mix(value)
  local number = value.constant
  if number and number == number then self.literals[number] = "both" end
  if value.id then self.mixed[value.id] = true end
end

--- The same for an operation on the values a, b and c, of which some may be
-- nil.
function ir_writer:op(text, type, a, b, c)
  if a and a.apart then self:mix(a) end
  if b and b.apart then self:mix(b) end
  if c and c.apart then self:mix(c) end
  if c then
    text = text .. " " .. self:name(a) .. " " .. self:name(b) .. " "
      .. self:name(c)
  elseif b then
    text = text .. " " .. self:name(a) .. " " .. self:name(b)
  elseif a then
    text = text .. " " .. self:name(a)
  end
  local value = self:value(text, type)
  if a and a.late or b and b.late or c and c.late then value.late = true end
  return value
end

--- Emits an operation without a value. mask: the bool under which it happens;
-- nil: always.
function ir_writer:effect(text, a, mask)
  if a then text = text .. " " .. self:name(a) end
  if mask then text = text .. " " .. self:name(mask) end
  self.lines[#self.lines + 1] = text
end

--- Emits a change of structure or of others: parts and gives, then the change.
-- arguments: a list of { text, value }, value nil: none. Returns the new entity
-- where it is a spawn. entity: the one that is changed; nil: spawn.
function ir_writer:change(arguments, text, entity, mask)
  local names = {}
  for k, argument in ipairs(arguments) do
    names[k] = argument[2] and " " .. self:name(argument[2]) or ""
  end
  local behind = mask and " " .. self:name(mask) or ""
  if entity then text = format(text, self:name(entity)) end
  for k, argument in ipairs(arguments) do
    self.lines[#self.lines + 1] = argument[1] .. names[k]
  end
  if entity then
    self.lines[#self.lines + 1] = text .. behind
    return nil
  end
  local value = { type = "entity", id = self.values, late = true,
                  spawned = true }
  self.values = self.values + 1
  self.lines[#self.lines + 1] = "v" .. value.id .. " = " .. text .. behind
  return value
end

--- Emits the side exit.
function ir_writer:exit(mask)
  self.lines[#self.lines + 1] = "exit " .. self:name(mask)
end

-- Bools ---------------------------------------------------------------------

--- The bool for true or false.
function ir_writer:truth(known)
  return known and self.yes or self.no
end

--- Is one bool the negation of the other, as far as their making tells?
local function opposed(a, b)
  return a.sign == "not" and a.left.id == b.id
    or b.sign == "not" and b.left.id == a.id
end

--- The part of b that matters beside a: of a or (not a and c) and of a and (not
-- a or c), only c. inner: the sign of b in such a case.
local function without(a, b, inner)
  if b.sign ~= inner then return b end
  if opposed(a, b.left) then return b.right end
  if opposed(a, b.right) then return b.left end
  return b
end

--- a and b
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

--- a or b
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

--- not a
function ir_writer:opposite(a)
  if a.constant ~= nil then return self:truth(not a.constant) end
  if a.sign == "not" then return a.left end
  local value = self:op("not", "bool", a)
  value.sign, value.left = "not", a
  return value
end

--- Are two values known to be equal?
function ir_writer.same(a, b)
  if a == b then return true end
  if a.type ~= b.type or a.flex ~= b.flex then return false end
  if a.narrow or b.narrow then return a.narrow == b.narrow end
  if a.id and b.id then return a.id == b.id end
  -- 0 and -0 are different constants.
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

--- The text of the program.
function ir_writer:text()
  local lines = self.has_loops and self:ordered_lines() or self.lines
  return concat(self.declarations, "\n") .. "\n"
    .. concat(lines, "\n") .. "\n"
end

return ir_writer
