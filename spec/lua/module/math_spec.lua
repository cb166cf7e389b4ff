-- ecs.math gives the same on every VM. The results of sin and the like are
-- tested in C; here are the calls from Lua, and the functions written in Lua.

local ecs = require "ecs"

local inf, nan = 1 / 0, 0 / 0

--- True for equal numbers; NaN equals NaN, and zeros must have the same sign.
local function same(want, got)
  if want ~= want then
    assert.is_true(got ~= got)
  else
    assert.are.equal(want, got)
    assert.are.equal(1 / want, 1 / got)
  end
end

describe("ecs.math", function()
  it("gives the same digits as on every other machine", function()
    local function digits(name, ...)
      return string.format("%.17g", ecs.math[name](...))
    end
    assert.are.equal("0.8414709848078965", digits("sin", 1))
    assert.are.equal("0.54030230586813977", digits("cos", 1))
    assert.are.equal("0.51659444166829782", digits("sin", 1e22 / 7e5))
    assert.are.equal("2.7182818284590451", digits("exp", 1))
    assert.are.equal("0.69314718055994529", digits("log", 2))
    assert.are.equal("1.4142135623730951", digits("pow", 2, 0.5))
    assert.are.equal("2.3561944901923448", digits("atan2", 1, -1))
    assert.are.equal("3", digits("log10", 1000))
  end)

  it("takes the first of min and max where neither wins", function()
    same(1, ecs.math.min(1, 2))
    same(1, ecs.math.min(2, 1))
    same(2, ecs.math.max(1, 2))
    same(-0.0, ecs.math.min(-0.0, 0.0))
    same(0.0, ecs.math.min(0.0, -0.0))
    same(-0.0, ecs.math.max(-0.0, 0.0))
    same(nan, ecs.math.min(nan, 1))
    same(1, ecs.math.min(1, nan))
    same(nan, ecs.math.max(nan, 1))
    same(1, ecs.math.max(1, nan))
  end)

  it("never makes -0 of floor and ceil", function()
    same(-2, ecs.math.floor(-1.5))
    same(0.0, ecs.math.floor(-0.0))
    same(0.0, ecs.math.ceil(-0.5))
    same(2, ecs.math.ceil(1.5))
    same(1e300, ecs.math.floor(1e300))
    same(-inf, ecs.math.floor(-inf))
    same(inf, ecs.math.ceil(inf))
    same(nan, ecs.math.ceil(nan))
  end)

  it("gives mod the sign of the divisor", function()
    same(1, ecs.math.mod(5, 2))
    same(-1, ecs.math.mod(5, -3))
    same(1, ecs.math.mod(-5, 3))
    same(-2, ecs.math.mod(-5, -3))
    same(-0.0, ecs.math.mod(-0.0, 3))
    same(0.5, ecs.math.mod(-1, 1.5))
    same(5, ecs.math.mod(5, inf))
    same(inf, ecs.math.mod(-1, inf))
    same(nan, ecs.math.mod(1, 0))
    same(-5e-324, ecs.math.mod(5e-324, -1e-323))
  end)

  it("clamps and interpolates", function()
    same(0, ecs.math.clamp(-1, 0, 1))
    same(1, ecs.math.clamp(7, 0, 1))
    same(0.5, ecs.math.clamp(0.5, 0, 1))
    same(nan, ecs.math.clamp(nan, 0, 1))
    same(2, ecs.math.lerp(2, 4, 0))
    same(3, ecs.math.lerp(2, 4, 0.5))
    same(6, ecs.math.lerp(2, 4, 2))
  end)

  it("gives floats, whatever goes in", function()
    if not math.type then return end
    for _, name in ipairs { "min", "max", "mod", "pow", "atan2", "floor",
                            "ceil", "sin", "exp", "log10", "clamp", "lerp" } do
      assert.are.equal("float", math.type(ecs.math[name](4, 3, 2)))
    end
  end)

  it("takes numbers and nothing else, and blames the caller", function()
    for name, call in pairs(ecs.math) do
      for _, wrong in ipairs { "1", true, {} } do
        local done, text = pcall(function() call(wrong, 1, 1) end)
        assert.is_false(done)
        assert.matches("^spec/lua/module/math_spec.lua:%d+: ecs: ecs%.math%."
          .. name .. " takes numbers, not a " .. type(wrong), text)
      end
      assert.is_false(pcall(call))
    end
  end)
end)
