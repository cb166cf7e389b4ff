--- numbers: the value of a field after a number was stored in it, computed in
-- plain Lua from the contract.
--
-- There are two ways of storing: strict (set, values, spawn) refuses what does
-- not fit; converting (rows and columns) truncates towards zero, saturates, and
-- makes NaN 0 for integers. Values come from one pool of edges, and a program
-- names a value by its place in the pool. Entity fields mostly take handles,
-- which are known only during a run.

local numbers = {}

local huge = math.huge

-- The edges. Entries that are not numbers are wrong for some fields.
local pool = {
  0, 1, -1, 2, 7, 100, 0.5, -0.5, 1.5, -1 / huge, 0.1, -2.75,
  127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536,
  2147483647, 2147483648, -2147483648, -2147483649, 4294967295, 4294967296,
  127.9, -128.9, 255.5, 16777217, 9007199254740992, 4503599627370496,
  1e-45, 1e-46, 1e-40, 1.1754942e-38, 1e-300, 3.4028234663852886e38,
  3.4028235677973362e38, 3.4028235677973366e38, -3.5e38, 1e39, 1e308,
  huge, -huge, 0 / 0, -(0 / 0), true, false, "5", "x", 3, 4, 5, 6, 8,
}
numbers.count = #pool

--- The value at a place of the pool; any whole number is a place.
function numbers.at(place) return pool[place % #pool + 1] end

local ranges = {
  i8 = { -128, 127 }, u8 = { 0, 255 },
  i16 = { -32768, 32767 }, u16 = { 0, 65535 },
  i32 = { -2147483648, 2147483647 }, u32 = { 0, 4294967295 },
}

--- The power of two with 2^e <= x < 2^(e+1), for finite x > 0.
local function exponent(x)
  local e = math.floor(math.log(x) / math.log(2))
  while 2.0 ^ e > x do e = e - 1 end
  while 2.0 ^ (e + 1) <= x do e = e + 1 end
  return e
end

--- The nearest f32, ties to even: the unit of the last place is scaled to 1,
-- where adding and taking away 2^52 rounds.
local function round_f32(x)
  if x ~= x or x == huge or x == -huge or x == 0 then return x end
  local size = math.abs(x)
  local unit = math.max(size < 2.0 ^ -200 and -149 or exponent(size) - 23, -149)
  local scaled = size * 2.0 ^ -unit
  local rounded = (scaled + 2.0 ^ 52 - 2.0 ^ 52) * 2.0 ^ unit
  if rounded >= 2.0 ^ 128 then rounded = huge end
  return x < 0 and -rounded or rounded
end

local function is_whole(x) return x == math.floor(x) end

local function truncate(x) return x < 0 and math.ceil(x) or math.floor(x) end

local function is_handle(x)
  return x >= 0 and x < 4503599627370496 and is_whole(x)
end

--- Returns true and the stored value, or false. nil is the null entity.
function numbers.strict(type_name, value)
  if type_name == "bool" then return type(value) == "boolean", value end
  if type_name == "entity" then
    if value == nil then return true, nil end
    if type(value) ~= "number" or not is_handle(value) then return false end
    if value == 0 then return true, nil end
    return true, value
  end
  if type(value) ~= "number" then return false end
  if type_name == "f64" then return true, value end
  if type_name == "f32" then
    local rounded = round_f32(value)
    local finite = math.abs(value) < huge
    if finite and math.abs(rounded) == huge then return false end
    return true, rounded
  end
  local range = ranges[type_name]
  local fits = value >= range[1] and value <= range[2] and is_whole(value)
  return fits, fits and value or nil
end

--- Returns true and the stored value, or false for a value of the wrong type.
function numbers.convert(type_name, value)
  if type_name == "bool" then
    if type(value) == "number" then return true, value ~= 0 end
    return type(value) == "boolean", value
  end
  if type_name == "entity" and value == nil then return true, nil end
  if type(value) ~= "number" then return false end
  if type_name == "f64" then return true, value end
  if type_name == "f32" then return true, round_f32(value) end
  if type_name == "entity" then
    if value == 0 or not is_handle(value) then return true, nil end
    return true, value
  end
  local range = ranges[type_name]
  if value ~= value then return true, 0 end
  if value <= range[1] then return true, range[1] end
  if value >= range[2] then return true, range[2] end
  return true, truncate(value)
end

local is_float = { f32 = true, f64 = true }
local subtype = math.type -- nil where numbers have none

--- True if the value read is the model's. Where the VM has integers, integer
-- fields and handles must read as integers.
function numbers.same(type_name, read, held)
  if held == nil or type_name == "bool" then return read == held end
  if type(read) ~= "number" then return false end
  if is_float[type_name] then
    if subtype and subtype(read) ~= "float" then return false end
    if held ~= held then return read ~= read end
    return read == held and (held ~= 0 or 1 / read == 1 / held)
  end
  return read == held and (subtype == nil or subtype(read) == "integer")
end

--- A value as text, the same on every VM.
function numbers.text(value)
  if type(value) ~= "number" then return tostring(value) end
  if value ~= value then return "nan" end
  return string.format("%.17g", value)
end

--- A value as a Lua expression.
function numbers.expression(value)
  if type(value) == "string" then return string.format("%q", value) end
  if type(value) ~= "number" then return tostring(value) end
  if value ~= value then return "0/0" end
  if value == huge then return "math.huge" end
  if value == -huge then return "-math.huge" end
  if value == 0 and 1 / value < 0 then return "-1/math.huge" end
  return string.format("%.17g", value)
end

return numbers
