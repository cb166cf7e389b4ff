--- portable_math: ecs.math, functions that give the same bits everywhere.
--
-- Lua's own functions differ between VMs (%, min and max of NaN and zeros,
-- floor of -0, atan with two arguments). Those that call the C library (sin,
-- exp) also differ between machines in the last bits. The functions here do
-- not, in plain Lua as in compiled systems. All take numbers and return a
-- number, a float on Lua 5.4; angles are in radians. The error against the true
-- result, in units in the last place, is at most 1 for sin, cos, exp, log and
-- pow, 3 for atan2 and 2 for log10.

local require = require("ecs.standard").inner "ecs.portable_math"

local backend = require "ecs.backend"
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, type = error, type

local core = backend.core

local floor, ceil, fmod = math.floor, math.ceil, math.fmod

-- Multiplying by 1.0 makes a float of an integer and keeps -0; adding 0.0 would
-- lose -0.

local portable_math = {}

for _, name in ipairs { "sin", "cos", "exp", "log", "pow", "atan2" } do
  portable_math[name] = core.math[name]
end

--- Raises an error unless a, b and c are numbers. Blames the caller of the
-- function name, which called check.
local function check(name, a, b, c)
  local wrong = a
  if type(a) == "number" then
    wrong = b
    if type(b) == "number" then
      if type(c) == "number" then return end
      wrong = c
    end
  end
  error("ecs: ecs.math." .. name .. " takes numbers, not "
    .. (wrong == nil and "nil" or "a " .. message.type(wrong)), 3)
end

--- The smaller number; a where neither is smaller.
function portable_math.min(a, b)
  check("min", a, b, 0)
  if b < a then return b * 1.0 end
  return a * 1.0
end

--- The larger number; a where neither is larger.
function portable_math.max(a, b)
  check("max", a, b, 0)
  if a < b then return b * 1.0 end
  return a * 1.0
end

--- The largest whole number that is not above a; never -0.
function portable_math.floor(a)
  check("floor", a, 0, 0)
  return a == a and a ~= 1 / 0 and a ~= -1 / 0 and floor(a) + 0.0 or a
end

--- The smallest whole number that is not below a; never -0.
function portable_math.ceil(a)
  check("ceil", a, 0, 0)
  return a == a and a ~= 1 / 0 and a ~= -1 / 0 and ceil(a) + 0.0 or a
end

--- The remainder of a divided by b, with the sign of b.
-- mod(a, 0) is NaN, mod(1, 1 / 0) is 1, mod(-1, 1 / 0) is 1 / 0.
function portable_math.mod(a, b)
  check("mod", a, b, 0)
  a, b = a * 1.0, b * 1.0
  local rest = fmod(a, b)
  if rest > 0 and b < 0 or rest < 0 and b > 0 then rest = rest + b end
  return rest
end

--- The logarithm to base 10.
function portable_math.log10(a)
  check("log10", a, 0, 0)
  return core.math.log(a) * 0.4342944819032518
end

--- a, raised to low or lowered to high where it is outside of them.
function portable_math.clamp(a, low, high)
  check("clamp", a, low, high)
  if a < low then a = low end
  if high < a then a = high end
  return a * 1.0
end

--- Interpolates linearly: a at t = 0, b at t = 1, and extrapolates beyond.
function portable_math.lerp(a, b, t)
  check("lerp", a, b, t)
  a, b = a * 1.0, b * 1.0
  return a + (b - a) * t
end

return portable_math
