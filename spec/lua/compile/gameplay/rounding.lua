-- rounding: a slow reference for the default precision. Plain Lua runs a
-- function for one row at a time, with numbers that round as the numbers of
-- compiled functions do by default.
--
-- A number that came from an f32 field or from a field of more than 16 bits is
-- a table { value, single }: an f32 or an f64. An operation is done in f32 when
-- both operands are f32, or when one is f32 and the other a plain number of
-- Lua, which is then rounded first. Otherwise it is done in f64. Plain numbers
-- (constants, upvalues, dt, fields of 8 and 16 bits) stay plain among
-- themselves.
--
-- Lua calls no metamethod for 1 == x, and Lua 5.1 none for 1 < x. So the text
-- of the functions is changed before it is loaded: each comparison becomes a
-- concatenation with an object that has a metamethod to compare: a == b becomes
-- a ..EQ.. b.
--
-- One difference is left. Here a number has the type of the path that a row
-- takes, but the compiler gives it one type for all paths. Where a function
-- chooses between a constant and an f32, and goes on with constants alone, the
-- expression is listed in joins, which makes it an f32 here too. Everything
-- else is covered: comparisons, math, conversions when storing, reads through
-- entities, changes of structure.

local ffi_found, ffi = pcall(require, "ffi")
local unpack = rawget(table, "unpack") or rawget(_G, "unpack")
local safe_pairs = require "ecs.safe_pairs"

local rounding = {}

local to_single
if ffi_found then
  local cell = ffi.new("float[1]")
  function to_single(x)
    cell[0] = x
    return cell[0]
  end
else
  function to_single(x)
    -- The result of string.pack for too large a double depends on the C
    -- compiler.
    if x ~= x or x == math.huge or x == -math.huge then return x end
    if math.abs(x) >= 3.4028235677973366e38 then
      return x > 0 and math.huge or -math.huge
    end
    return (string.unpack("f", string.pack("f", x)))
  end
end

local number = {}

local function make(value, single)
  value = value * 1.0 -- a float, on 5.4
  if single then value = to_single(value) end
  return setmetatable({ value = value, single = single }, number)
end

local function is_field(x) return getmetatable(x) == number end

--- Two operands as doubles, and their common type: true f32, false f64, nil
-- plain.
local function meet(a, b)
  local x, y = is_field(a), is_field(b)
  if not x and not y then return a, b, nil end
  local single = (not x or a.single) and (not y or b.single)
  local first, second = x and a.value or a, y and b.value or b
  if single then first, second = to_single(first), to_single(second) end
  return first, second, single
end

--- An operation of two numbers, rounded to their common type.
local function binary(compute)
  return function(a, b)
    local x, y, single = meet(a, b)
    local result = compute(x * 1.0, y * 1.0)
    if single == nil then return result end
    return make(result, single)
  end
end

local function modulo(a, b)
  local rest = math.fmod(a, b)
  if rest > 0 and b < 0 or rest < 0 and b > 0 then rest = rest + b end
  return rest
end

local power = binary(function(a, b) return a ^ b end)
local multiply = binary(function(a, b) return a * b end)

number.__add = binary(function(a, b) return a + b end)
number.__sub = binary(function(a, b) return a - b end)
number.__mul = multiply
number.__div = binary(function(a, b) return a / b end)
number.__mod = binary(modulo)
number.__pow = function(a, b)
  if b == 2 then return multiply(a, a) end
  return power(a, b)
end
number.__unm = function(a) return make(-a.value, a.single) end

-- Comparisons -----------------------------------------------------------------

local function comparison(compare)
  local sign, held = {}, {}
  -- Lua computes SIGN .. b first.
  sign.__concat = function(_, b)
    return setmetatable({ b = b }, held)
  end
  held.__concat = function(a, right)
    local b = right.b
    local numbers = (is_field(a) or type(a) == "number")
      and (is_field(b) or type(b) == "number")
    if numbers then a, b = meet(a, b) end
    return compare(a, b)
  end
  return setmetatable({}, sign)
end

-- The __concat of a number is called first, and passes the comparison on.
number.__concat = function(a, right)
  local mine = getmetatable(right)
  if mine == number then mine = getmetatable(a) end
  return mine.__concat(a, right)
end

local signs = {
  ["=="] = { "EQ", comparison(function(a, b) return a == b end) },
  ["~="] = { "NE", comparison(function(a, b) return a ~= b end) },
  ["<"] = { "LT", comparison(function(a, b) return a < b end) },
  ["<="] = { "LE", comparison(function(a, b) return a <= b end) },
  [">"] = { "GT", comparison(function(a, b) return a > b end) },
  [">="] = { "GE", comparison(function(a, b) return a >= b end) },
}

local joins = { "clamp(speed, -10, 100)" }

--- A plain number as an f32.
local function single(x) return is_field(x) and x or make(x, true) end

local function rewritten(text)
  for _, expression in ipairs(joins) do
    local first, last = text:find(expression, 1, true)
    if first then
      text = text:sub(1, first - 1) .. "SINGLE(" .. expression .. ")"
        .. text:sub(last + 1)
    end
  end
  return (text:gsub("%-%-[^\n]*", ""):gsub("[=~<>]=?", function(sign)
    return signs[sign] and " .." .. signs[sign][1] .. ".. "
  end))
end

-- Functions -------------------------------------------------------------------

--- f of one number, computed in double and rounded.
local function unary(f)
  return function(a)
    if not is_field(a) then return f(a) end
    return make(f(a.value), a.single)
  end
end

--- The first number unless the second is below (or above) it.
local function extreme(replaces)
  local pair = binary(function(a, b) return replaces(a, b) and b or a end)
  return function(first, ...)
    local result = first
    for k = 1, select("#", ...) do result = pair(result, (select(k, ...))) end
    return result
  end
end

local minimum = extreme(function(a, b) return b < a end)
local maximum = extreme(function(a, b) return a < b end)

--- floor and ceil give floats, never -0.
local function whole(f)
  return unary(function(a)
    if a ~= a or a == math.huge or a == -math.huge then return a end
    return f(a) + 0.0
  end)
end

local function mathematics()
  local result = { pi = math.pi, huge = math.huge }
  for _, name in ipairs { "sin", "cos", "tan", "exp", "sqrt", "abs" } do
    result[name] = unary(math[name])
  end
  result.floor, result.ceil = whole(math.floor), whole(math.ceil)
  result.min, result.max = minimum, maximum
  result.atan2 = binary(math.atan2 or math.atan)
  return result
end

local function own_mathematics(own)
  local result = {}
  for _, name in ipairs { "sin", "cos", "exp", "log" } do
    result[name] = unary(own[name])
  end
  function result.clamp(a, low, high) return minimum(maximum(a, low), high) end
  function result.lerp(a, b, t) return a + (b - a) * t end
  return result
end

-- Rows ------------------------------------------------------------------------

local is_short = { i8 = true, u8 = true, i16 = true, u16 = true }

--- A field's value in computations: plain where the field has 8 or 16 bits.
local function seen(value, type)
  if type == "bool" or type == "entity" or value == nil then return value end
  if is_short[type] then return value * 1.0 end
  return make(value, type == "f32")
end

--- The value that a field stores.
local function stored(value, type)
  if is_field(value) then return value.value end
  if _G.type(value) == "number" and type == "f32" then
    return to_single(value)
  end
  return value
end

local function row(view, types)
  return setmetatable({}, {
    __index = function(_, name) return seen(view[name], types[name]) end,
    __newindex = function(_, name, value)
      view[name] = stored(value, types[name])
    end,
  })
end

--- The world that the functions use: its get gives numbers that round.
local function shown_world(world, types_of)
  local shown = {}
  for _, name in ipairs { "alive", "has", "add", "remove", "destroy" } do
    shown[name] = function(_, ...) return world[name](world, ...) end
  end
  for _, kind in ipairs { "sum", "min", "max" } do
    shown[kind] = function(_, name)
      local total, result = world[kind](world, name), {}
      function result.add(_, x) total:add(is_field(x) and x.value or x) end
      function result.value() return total:value() end
      return result
    end
  end
  function shown.get(_, e, component, ...)
    local names, values, types = { ... }, {}, types_of(component)
    for k, name in ipairs(names) do
      values[k] = seen(world:get(e, component, name), types[name])
    end
    return unpack(values, 1, #names)
  end
  return shown
end

--- The systems of a file, made with numbers that round. types_of(component)
-- gives the types of its fields by name. The systems' functions take real rows.
function rounding.load(path, ecs, world, components, types_of)
  local file = assert(io.open(path))
  local text = rewritten(file:read("*a"))
  file:close()
  local environment = { math = mathematics(), SINGLE = single }
  for _, sign in safe_pairs(signs) do environment[sign[1]] = sign[2] end
  local chunk
  if rawget(_G, "setfenv") then
    chunk = assert(loadstring(text, "@" .. path))
    setfenv(chunk, environment)
  else
    chunk = assert(load(text, "@" .. path, "t", environment))
  end
  -- Random numbers are f64, and so is what is added to a total.
  local shown = { math = own_mathematics(ecs.math),
                  random = function() return make(ecs.random(), false) end }
  local systems = chunk()(shown, shown_world(world, types_of), components)
  for _, system in ipairs(systems) do
    local each, terms = system.each, {}
    for _, list in ipairs { system.query, system.query.read or {},
                            system.query.optional or {} } do
      for _, component in ipairs(list) do terms[#terms + 1] = component end
    end
    local count = #terms
    system.each = function(...)
      local given = { ... }
      for k = 1, count do
        given[k] = given[k] and row(given[k], types_of(terms[k]))
      end
      return each(unpack(given, 1, count + 2))
    end
  end
  return systems
end

return rounding
