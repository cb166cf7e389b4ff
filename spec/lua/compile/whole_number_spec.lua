-- Fields of integers in compiled functions, at the limits of their types. They
-- are computed in 32 bits where that gives the same numbers; here it does, and
-- where it would not, the numbers are right all the same.

local ecs = require "ecs"

local TYPES = {
  i8 = { -128, 127 }, u8 = { 0, 255 }, i16 = { -32768, 32767 },
  u16 = { 0, 65535 }, i32 = { -2 ^ 31, 2 ^ 31 - 1 }, u32 = { 0, 2 ^ 32 - 1 },
}

local components = {}
for name in pairs(TYPES) do
  components[name] = ecs.component("Whole_" .. name,
    { a = name, b = name, n = name, x = "f64", y = "f32" })
end

--- The numbers to start with: limits, zeros, and what is next to them.
local function starts(name)
  local least, most = TYPES[name][1], TYPES[name][2]
  return { least, least + 1, 0, 1, 2, 60, most - 1, most }
end

--- All rows after two frames of a function, one for each pair of starts.
local function rows(name, f, compile)
  local world, ids, result = ecs.world {}, {}, {}
  local component = components[name]
  for _, a in ipairs(starts(name)) do
    for _, b in ipairs(starts(name)) do
      ids[#ids + 1] = world:spawn(component { a = a, b = b, n = 5 })
    end
  end
  world:system { name = "s", query = { component }, compile = compile,
                 precision = compile and "double" or nil, each = f }
  for _ = 1, 2 do world:progress(1) end
  for k, id in ipairs(ids) do
    local row = world:get(id, component)
    result[k] = ("%.0f %.0f %.0f %.17g %.9g"):format(row.a, row.b, row.n,
      row.x, row.y)
  end
  return result
end

--- Asserts that the function does the same compiled and as plain Lua.
local function same(f)
  for name in pairs(TYPES) do
    assert.are.same(rows(name, f, false), rows(name, f, "whole"), name)
  end
end

describe("fields of integers", function()
  it("count down and begin anew", function()
    same(function(row)
      row.a = row.a - 1
      if row.a <= 0 then
        row.a = 60
        row.n = row.n + 1
      end
    end)
  end)

  it("end at the limits of their types", function()
    same(function(row) row.a, row.n = row.a + row.b, row.a - row.b end)
    same(function(row) row.a, row.n = row.a - 3, row.b + 3 end)
    same(function(row) row.a, row.n = 3 - row.a, -row.b end)
  end)

  it("are compared before they are stored", function()
    same(function(row)
      if row.a + row.b < 100 then row.n = row.n + 1 end
      if row.a - row.b == 2147483647 then row.n = row.n + 10 end
      if row.a + 1 > 4294967295 then row.n = row.n + 20 end
    end)
  end)

  it("stay within what min and max say", function()
    same(function(row)
      row.a = math.min(row.a + row.b, 100)
      row.b = math.max(row.b - 7, 3)
      row.n = math.abs(row.n - 9)
    end)
  end)

  it("go into floats as they are", function()
    same(function(row)
      local sum = row.a + row.b
      row.x = sum * 0.5
      row.n = sum
      row.y = math.max(row.a, row.b)
    end)
  end)

  it("are multiplied", function()
    same(function(row)
      row.n = row.a * math.min(row.b, 1000)
      row.x = row.a * 3
    end)
  end)

  it("have remainders", function()
    same(function(row)
      row.a = row.a - 1
      if row.a % 60 == 0 then row.n = row.n + 1 end
      row.b = row.b % 7
    end)
  end)

  it("change in loops", function()
    same(function(row)
      local k = 0
      while k < row.n % 7 do
        row.a = row.a + 1
        k = k + 1
      end
      row.b = row.b - 1
    end)
  end)
end)

describe("a zero of integers", function()
  --- 1 / x of what the function stores in x, for 0 and compiled in doubles.
  local function inverse(f)
    local world = ecs.world {}
    local e = world:spawn(components.i32 { a = 0, b = 3, n = 0 })
    world:system { name = "s", query = { components.i32 }, compile = "whole",
                   precision = "double", each = f }
    world:progress(1)
    return 1 / world:get(e, components.i32, "x")
  end

  it("has a sign after a product or a negation", function()
    assert.are.equal(-math.huge, inverse(function(row)
      row.a = row.a + row.b - row.b
      row.x = row.n * -row.b
    end))
    assert.are.equal(-math.huge, inverse(function(row)
      local minus = -row.n
      if row.b > minus then row.x = minus end
      row.a = minus
    end))
  end)

  it("has none after a difference", function()
    assert.are.equal(math.huge, inverse(function(row)
      row.x = row.b - 3
      row.a = row.b - 3
    end))
  end)
end)
