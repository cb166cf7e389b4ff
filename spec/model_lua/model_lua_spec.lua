-- Tests of the model itself: its numbers, its shrinking, and that it finds
-- planted faults of the library. spec/model_lua/driver.lua runs the programs.

package.path = "./spec/?.lua;" .. package.path

local ecs = require "ecs"
local numbers = require "model_lua.numbers"
local program = require "model_lua.program"
local shrink = require "model_lua.shrink"
local run = require "model_lua.run"
local driver = require "model_lua.driver"

describe("the model's numbers", function()
  local Single = ecs.component("ModelSingle", { x = "f32" })

  it("round to f32 as the library does", function()
    local world = ecs.world {}
    local e, below = world:spawn(Single), program.random(99)
    for _ = 1, 3000 do
      local value = (below(2147483647) - 1073741823) * 2.0 ^ (below(280) - 170)
      local fits, held = numbers.strict("f32", value)
      assert.equal(fits, (pcall(world.set, world, e, Single, "x", value)))
      if fits then assert.equal(held, (world:get(e, Single, "x"))) end
    end
    assert.is_true(select(2, numbers.strict("f32", 16777217)) == 16777216)
    assert.is_true(select(2, numbers.strict("f32", 16777219)) == 16777220)
  end)

  it("are refused and converted at the edges as the contract says", function()
    assert.is_false((numbers.strict("i8", 128)))
    assert.is_false((numbers.strict("u16", 0.5)))
    assert.is_false((numbers.strict("f32", 1e39)))
    assert.is_false((numbers.strict("bool", 1)))
    assert.equal(-128, select(2, numbers.convert("i8", -1e300)))
    assert.equal(0, select(2, numbers.convert("u32", 0 / 0)))
    assert.equal(-2, select(2, numbers.convert("i16", -2.75)))
    assert.is_nil(select(2, numbers.convert("entity", -1)))
  end)

  it("come from the generator of Park and Miller", function()
    local below = program.random(0)
    local last
    for _ = 1, 10000 do last = below(2147483647) end
    assert.equal(1043618065, last)
  end)
end)

describe("shrinking", function()
  it("leaves the steps that a failure needs, at every depth", function()
    local made = program.make(6, { count = 120 })
    table.insert(made.steps, 60, { op = "batch", q = 1, extras = 2, parts = {
      { at = 1, steps = { { op = "count", q = 3 }, { op = "clear" },
                          { op = "count", q = 4 } } } } })
    made.steps[17] = { op = "hash" }
    local function failure(candidate)
      local text = program.script(candidate, "replay")
      local hash = text:find('op = "hash"', 1, true)
      return hash and text:find('op = "clear"', hash, true) and "it fails"
    end
    local least = shrink.shrink(made, failure)
    assert.equal("hash", least.steps[1].op)
    assert.is_true(#least.steps == 2)
    local parts = least.steps[2].parts
    if parts then
      assert.equal(1, #parts)
      assert.equal(1, #parts[1].steps)
      assert.equal("clear", parts[1].steps[1].op)
    end
  end)

  it("prints a program that is Lua", function()
    local made = program.make(11, { count = 60 })
    local text = program.script(made, "replay")
    local body = text:match("replay (.*)$")
    local again = assert((loadstring or load)("return " .. body))()
    assert.same(made, again)
  end)
end)

describe("a library that is wrong", function()
  -- The library with one method of worlds replaced.
  local function broken(name, method)
    return setmetatable({ world = function(options)
      local world = ecs.world(options)
      return setmetatable({}, { __index = function(_, key)
        return function(_, ...)
          if key == name then return method(world, ...) end
          return world[key](world, ...)
        end
      end })
    end }, { __index = ecs })
  end

  local without = { system = true, progress = true, phase = true }

  -- The fewest steps of the first three programs that fail, after shrinking;
  -- nil: all pass.
  local function size_of_failure(library)
    local options = { abilities = driver.abilities }
    local failures, least = 0, nil
    for seed = 1, 40 do
      local made = program.make(seed, { count = 200, without = without })
      local function failure(candidate)
        return run.run(library, candidate, options).failure
      end
      if failure(made) then
        local size = #shrink.shrink(made, failure).steps
        failures, least = failures + 1, math.min(least or size, size)
        if failures == 3 then return least end
      end
    end
    return least
  end

  it("is found, and what it takes is a few steps", function()
    local size = size_of_failure(broken("remove", function() end))
    assert.is_true(size and size <= 3, tostring(size))
    size = size_of_failure(broken("has", function(world, e, ...)
      return world:has(e, (...))
    end))
    assert.is_true(size and size <= 3, tostring(size))
    size = size_of_failure(broken("destroy", function(world, e)
      world:destroy(e)
      return true
    end))
    assert.is_true(size and size <= 3, tostring(size))
  end)

  it("is not found where it is right", function()
    assert.is_nil(size_of_failure(broken("none", nil)))
  end)
end)
