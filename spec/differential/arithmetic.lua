--- arithmetic: Lua 5.4's arithmetic with every number a float, on every VM.
--
-- On Lua 5.4 most functions are Lua's own, after whole numbers are made floats.
-- On LuaJIT they replace the operations that LuaJIT computes differently: the
-- table of differences in differential_spec.lua. The VMs share the others.

local arithmetic = {}

local ffi_found, ffi = false, nil
if rawget(_G, "jit") then ffi_found, ffi = pcall(require, "ffi") end

if ffi_found then
  ffi.cdef [[
    double pow(double, double);
    double atan2(double, double);
  ]]
  local C, box, fmod = ffi.C, ffi.new "float[1]", math.fmod
  local floor, ceil = math.floor, math.ceil

  --- The nearest f32.
  function arithmetic.round(x)
    box[0] = x
    return box[0]
  end

  function arithmetic.mod(a, b)
    local rest = fmod(a, b)
    if rest > 0 and b < 0 or rest < 0 and b > 0 then rest = rest + b end
    return rest
  end

  function arithmetic.pow(a, b)
    if b == 2 then return a * a end
    return C.pow(a, b)
  end

  function arithmetic.atan(y, x) return C.atan2(y, x or 1) end
  function arithmetic.floor(x) return floor(x) + 0.0 end
  function arithmetic.ceil(x) return ceil(x) + 0.0 end

  function arithmetic.min(a, ...)
    for k = 1, select("#", ...) do
      local b = select(k, ...)
      if b < a then a = b end
    end
    return a
  end

  function arithmetic.max(a, ...)
    for k = 1, select("#", ...) do
      local b = select(k, ...)
      if a < b then a = b end
    end
    return a
  end

  function arithmetic.float(...) return ... end
else
  local pack, unpack_number = string.pack, string.unpack
  local floor, ceil = math.floor, math.ceil

  function arithmetic.round(x)
    return (unpack_number("<f", pack("<f", x)))
  end

  function arithmetic.mod(a, b) return a % b end
  function arithmetic.pow(a, b) return a ^ b end
  function arithmetic.floor(x) return floor(x) + 0.0 end
  function arithmetic.ceil(x) return ceil(x) + 0.0 end
  arithmetic.atan, arithmetic.min, arithmetic.max = math.atan, math.min,
    math.max

  --- Up to two numbers as floats; nil stays nil.
  function arithmetic.float(a, b) return a and a * 1.0, b and b * 1.0 end
end

--- The nearest f32 of a number; nil stays nil.
function arithmetic.round_some(x) return x and arithmetic.round(x) end

return arithmetic
