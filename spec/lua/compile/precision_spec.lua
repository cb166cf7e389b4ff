-- The default precision of compiled functions, for fields of 8 and 16 bits.
-- Whole numbers are computed exactly, because such a field takes the type of
-- the other operand, as a constant does. With an f32 it is an f32.

local ecs = require "ecs"

local W = ecs.component("PrecisionW", { men = "u16", pay = "u16", short = "i16",
  n = "u8", b = "i8", x = "f32", y = "f32", cost = "u32", signed = "i32",
  c = "f64", d = "f64", who = "entity" })
local Other = ecs.component("PrecisionOther", { men = "u16", pay = "u16",
  b = "i8" })

--- The nearest f32, as a field stores it.
local function round(number)
  local world = ecs.world {}
  return world:get(world:spawn(W { x = number }), W, "x")
end

--- One row after a frame of the function that make(world) returns, in a
-- precision.
local function row(make, values, precision)
  local world = ecs.world {}
  values.who = world:spawn(Other { men = 20001, pay = 1001, b = -128 })
  local e = world:spawn(W(values))
  world:system { name = "s", query = { W }, compile = true,
                 precision = precision, each = make(world) }
  world:progress(0.1)
  return world:get(e, W)
end

--- Asserts that both precisions agree, because every operation is exact.
local function exact(f, values)
  local one = row(function() return f end, values, "fields")
  local other = row(function() return f end, values, "double")
  for _, name in ipairs { "men", "pay", "short", "n", "b", "x", "y", "cost",
                          "signed", "c", "d" } do
    assert.are.equal(other[name], one[name], name)
  end
  return one
end

describe("whole numbers of 8 and 16 bits", function()
  it("are multiplied exactly", function()
    local one = exact(function(w)
      w.cost = w.men * w.pay
      w.c = w.men * w.pay
      w.signed = w.short * w.men
      w.d = -(w.short * w.men)
    end, { men = 20001, pay = 1001, short = -32767 })
    assert.are.equal(20021001, one.cost)
    assert.are.equal(20021001, one.c)
    assert.are.equal(-32767 * 20001, one.signed)
    assert.are.equal(32767 * 20001, one.d)
  end)

  it("are exact with constants and numbers from outside", function()
    local base, scale = 16777217, 65537
    local one = exact(function(w)
      w.cost = w.men * 1000 + w.n
      w.c = base + w.men + w.pay
      w.d = w.b * scale + w.short
      w.signed = w.men * w.men - w.pay * w.pay
    end, { men = 65535, pay = 3, n = 255, b = -127, short = 1 })
    assert.are.equal(65535255, one.cost)
    assert.are.equal(16777217 + 65538, one.c)
    assert.are.equal(-127 * 65537 + 1, one.d)
    assert.are.equal(2147483647, one.signed) -- the largest there is
  end)

  it("are exact on both sides of where f32 ends to be", function()
    local one = exact(function(w)
      w.c = w.men * w.n + w.pay
      w.d = w.men * w.n + w.pay + w.n
      w.cost = w.men * w.n + w.pay + w.n + 2
      w.signed = w.b * w.men - w.pay - w.men * 129
    end, { men = 65535, n = 255, pay = 65535, b = -128 })
    assert.are.equal(65535 * 256, one.c)
    assert.are.equal(65535 * 256 + 255, one.d)
    assert.are.equal(65535 * 256 + 257, one.cost)
    assert.are.equal(-65535 * 258, one.signed)
  end)

  it("take products into their own fields exactly", function()
    local one = exact(function(w)
      w.pay = w.men * w.pay % 1000
      w.n = w.pay + 1
      w.c = w.pay * 20021001 + w.n
    end, { men = 20001, pay = 1001 })
    assert.are.equal(1, one.pay)
    assert.are.equal(2, one.n)
    assert.are.equal(20021003, one.c)
  end)

  it("are exact read back after an f32 was stored in them", function()
    local one = exact(function(w)
      w.men, w.pay = w.x, w.y
      w.c = w.men * w.pay
      w.b = w.x
      w.d = w.b * 16777217
    end, { x = 20001.75, y = 1001.5 })
    assert.are.equal(20021001, one.c)
    assert.are.equal(127 * 16777217, one.d)
  end)

  it("are exact when chosen", function()
    local one = exact(function(w)
      local k = w.x > 0 and w.men or w.pay
      w.c = k * 1001
      if w.x > 0 then w.men = 20003 end
      w.d = w.men * w.pay
    end, { x = 1, men = 20001, pay = 1001 })
    assert.are.equal(20021001, one.c)
    assert.are.equal(20003 * 1001, one.d)
  end)

  it("are exact read through an entity", function()
    local function make(world)
      return function(w)
        local men, pay = world:get(w.who, Other, "men", "pay")
        if men and pay then w.cost = men * pay end
        w.c = (world:get(w.who, Other, "b") or 0) * 16777217
        w.d = (world:get(w.who, Other, "b") or w.x) * w.x
      end
    end
    for _, precision in ipairs { "fields", "double" } do
      local one = row(make, { x = 0.5 }, precision)
      assert.are.equal(20021001, one.cost)
      assert.are.equal(-128 * 16777217, one.c)
      assert.are.equal(-64, one.d)
    end
  end)

  it("are compared with what is no f32", function()
    local one = exact(function(w)
      if w.n < 7.0000001 then w.c = 1 end
      if w.n == 7.0000001 then w.d = 1 end
      if w.n >= 7 and 8 > w.n then w.cost = 1 end
    end, { n = 7 })
    assert.are.equal(1, one.c)
    assert.are.equal(0, one.d)
    assert.are.equal(1, one.cost)
  end)

  it("are added to totals exactly", function()
    local world = ecs.world {}
    world:spawn(W { men = 20001, pay = 1001 })
    world:spawn(W { men = 20001, pay = 1001 })
    local total = world:sum "PrecisionCost"
    world:system { name = "s", query = { W }, compile = true,
                   each = function(w) total:add(w.men * w.pay) end }
    world:progress(0.1)
    assert.are.equal(40042002, total:value())
  end)
end)

describe("fields of 8 and 16 bits that meet an f32", function()
  local values = { men = 20001, pay = 1001, n = 7, x = 0.1, y = 1 }

  local function fields(f)
    return row(function() return f end, values, "fields")
  end

  it("are computed in f32", function()
    local x = round(0.1)
    local one = fields(function(w)
      w.c = w.n * w.x
      w.d = w.x + w.men
    end)
    assert.are.equal(round(7 * x), one.c)
    assert.are_not.equal(7 * x, one.c)
    assert.are.equal(round(20001 + x), one.d)
  end)

  it("are computed exactly before, and rounded once", function()
    local one = fields(function(w)
      w.c = (w.men * w.pay) * w.y
      w.d = (w.men * w.pay + 1) * w.y
    end)
    assert.are.equal(20021000, one.c)
    assert.are.equal(20021002, one.d)
  end)

  it("are rounded where a variable may be an f32", function()
    local one = fields(function(w)
      local k = w.men * w.pay
      if w.n > 200 then k = w.x end
      w.c = k
      w.d = w.n > 200 and w.x or w.men * w.pay
    end)
    assert.are.equal(20021000, one.c)
    assert.are.equal(20021000, one.d)
  end)

  it("are computed in f64 with a wider field", function()
    local one = fields(function(w)
      w.c = 0.1
      w.d = w.n * w.c
    end)
    assert.are.equal(7 * 0.1, one.d)
  end)
end)
