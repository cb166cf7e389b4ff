--- scalars_ffi: converts numbers to elements of columns, in generated code.
--
-- Scalar types convert differently, so code that stores into columns is
-- generated for each of them from these pieces of text:
--
--     convert   turns the value v into one that can be stored as it is; into
--               nil where v is refused
--     raw       the same, but lets NaNs with a sign or payload pass; for
--               columns in which ecs.core makes them quiet later
--     load      turns ELEMENT, which stands for an element, into a Lua value
--     pointer   the C type of a pointer to elements

local require = require("ecs.standard").inner "ecs.ffi.scalars_ffi"

local ffi = require "ffi"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local gsub = string.gsub

-- Only a NaN is not at most infinite. The usual test, v ~= v, compiles to two
-- jumps.
--
-- The store truncates what remains. min and max, which LuaJIT compiles without
-- a jump, have to be the last operations before it: LuaJIT would compute a
-- truncated difference as a difference of truncated numbers. math.modf is not
-- compiled, and with floor and ceil numbers of both signs are on two traces: 6
-- instead of 1 ns.
local function integer(low, high)
  local text = [[
    if type(v) ~= "number" then v = nil
    elseif v <= huge then v = min(max(v, LOW), HIGH)
    else v = 0 end]]
  return (gsub(gsub(text, "LOW", low), "HIGH", high))
end

local float = [[
    if type(v) ~= "number" then v = nil
    elseif not (v <= huge) then v = quiet_nan end]]

local boolean = [[
    if type(v) == "number" then v = v ~= 0 and 1 or 0
    elseif v == true then v = 1
    elseif v == false then v = 0
    else v = nil end]]

local handle = [[
    if v == nil then v = 0
    elseif type(v) ~= "number" then v = nil
    else
      local whole = floor(v)
      if not (whole == v and v >= 0 and v < 4503599627370496) then
        whole = 0
      end
      v = whole
    end]]

local raw_float = [[
    if type(v) ~= "number" then v = nil end]]

local function kind(pointer, convert, load)
  return {
    pointer = pointer, convert = convert, load = load or "ELEMENT",
    raw = convert == float and raw_float or convert,
  }
end

local scalars = {}

scalars.kinds = {
  f32 = kind("float *", float),
  f64 = kind("double *", float),
  i8 = kind("int8_t *", integer("-128", "127")),
  u8 = kind("uint8_t *", integer("0", "255")),
  i16 = kind("int16_t *", integer("-32768", "32767")),
  u16 = kind("uint16_t *", integer("0", "65535")),
  i32 = kind("int32_t *", integer("-2147483648", "2147483647")),
  u32 = kind("uint32_t *", integer("0", "4294967295")),
  bool = kind("uint8_t *", boolean, "ELEMENT ~= 0"),
  -- A handle has 52 bits: a signed load gives the same number and is cheaper.
  entity = kind("int64_t *", handle, "entity(tonumber(ELEMENT))"),
}

--- The types of fields that have numbers of values which ecs.core holds:
-- nothing here loads or stores one.
scalars.held = { string = true, any = true }

--- The C type of pointers to elements.
function scalars.pointer(scalar)
  return scalars.held[scalar] and "uint32_t *" or scalars.kinds[scalar].pointer
end

--- The null entity is nil in Lua.
function scalars.entity(number)
  return number ~= 0 and number or nil
end

-- The one quiet NaN that columns hold: no sign, no payload.
local nan_bits = ffi.new("uint64_t[1]", 0x7ff8000000000000ULL)
scalars.quiet_nan = ffi.cast("double *", nan_bits)[0]

return scalars
