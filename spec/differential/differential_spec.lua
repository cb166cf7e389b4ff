-- Some generated functions (spec/differential/driver.lua runs many), and the
-- table of differences between the VMs: operations for which compiled functions
-- with precision = "double" give another result than plain Lua.

package.path = "./spec/?.lua;" .. package.path

local ecs = require "ecs"
local arithmetic = require "differential.arithmetic"
local count = require "differential.count"
local driver = require "differential.driver"
local generate = require "differential.generate"
local write = require "differential.write"

local D = ecs.component("DifferenceD", { x = "f64", y = "f64", i = "i32",
  j = "i32", out = "f64" })
local huge = math.huge
local nan = 0 / 0
local vm = rawget(_G, "jit") and "luajit" or "lua54"

--- The field out after one run over each of the inputs, as text; or "error".
local function outcome(f, compiled, inputs)
  local list = {}
  for k, values in ipairs(inputs) do
    local world = ecs.world {}
    local e = world:spawn(D(values))
    world:system { name = "s", query = { D }, each = f, compile = compiled,
      precision = compiled and "double" or nil }
    list[k] = "error"
    if pcall(world.progress, world, 1) then
      local out = world:get(e, D, "out")
      list[k] = out ~= out and "nan" or string.format("%.17g", out)
    end
  end
  return table.concat(list, " ")
end

local zeros = { { x = 0, y = -1 / huge }, { x = -1 / huge, y = 0 } }
local many = {}
for k = 1, 100 do many[k] = { x = k / 7, y = 3 } end

-- Title, a function, inputs, and the VM on which plain Lua gives other results.
local differences = {
  { "% of an infinite divisor", function(d) d.out = d.x % d.y end,
    { { x = 1, y = huge }, { x = -1, y = huge } }, "luajit" },
  { "min of NaN", function(d) d.out = math.min(d.x, d.y) end,
    { { x = nan, y = 1 }, { x = 1, y = nan } }, "luajit" },
  { "max of NaN", function(d) d.out = math.max(d.x, d.y) end,
    { { x = nan, y = 1 }, { x = 1, y = nan } }, "luajit" },
  { "min of zeros", function(d) d.out = math.min(d.x, d.y) end, zeros,
    "luajit" },
  { "max of zeros", function(d) d.out = math.max(d.x, d.y) end, zeros,
    "luajit" },
  { "atan of two", function(d) d.out = math.atan(d.x, d.y) end,
    { { x = 1, y = 2 } }, "luajit" },
  { "floor of -0", function(d) d.out = math.floor(d.x) end, { zeros[2] },
    "luajit" },
  { "ceil above -1", function(d) d.out = math.ceil(d.x) end,
    { { x = -0.5 } }, "luajit" },
  { "products of integers that overflow",
    function(d) d.out = d.i * d.i * d.i end, { { i = 2147483647 } }, "lua54" },
  { "% of integers by 0", function(d) d.out = d.i % d.j end, { { i = 1 } },
    "lua54" },
  { "-0 from integers", function(d) d.out = -d.i end, { { i = 0 } },
    "lua54" },
}

-- Similar to those above, but with the same results everywhere.
local agreements = {
  { "% of small numbers", function(d) d.out = d.x % d.y end,
    { { x = 5.5, y = 2 }, { x = -5.5, y = 2 }, { x = 5.5, y = -2 } } },
  { "a whole power", function(d) d.out = d.x ^ d.y end, many },
  { "a square", function(d) d.out = d.x ^ 2 end, many },
  { "atan of one", function(d) d.out = math.atan(d.x) end, many },
  { "floor and ceil", function(d) d.out = math.floor(d.x) + math.ceil(d.y) end,
    { { x = -1.5, y = 2.5 }, { x = 1e300, y = -huge } } },
  { "min and max of numbers",
    function(d) d.out = math.min(d.x, d.y, 3) - math.max(d.x, d.y) end, many },
  { "sums of integers", function(d) d.out = d.i + d.j - d.i * d.j end,
    { { i = 2147483647, j = -2147483648 } } },
  { "fmod", function(d) d.out = math.fmod(d.x, d.y) end, many },
}

describe("the table of differences", function()
  for _, case in ipairs(differences) do
    it("has " .. case[1], function()
      local plain = outcome(case[2], false, case[3])
      local compiled = outcome(case[2], true, case[3])
      if case[4] == vm then
        assert.are_not.equal(plain, compiled)
      else
        assert.are.equal(plain, compiled)
      end
    end)
  end

  for _, case in ipairs(agreements) do
    it("has not " .. case[1], function()
      assert.are.equal(outcome(case[2], false, case[3]),
        outcome(case[2], true, case[3]))
    end)
  end
end)

describe("generated functions", function()
  it("give what plain Lua and the rounding reference give", function()
    assert.is_nil((driver.run(150, 900000)))
  end)

  it("are the same for the same seed", function()
    for seed = 1, 20 do
      assert.are.equal(write.text(generate.make(seed)),
        write.text(generate.make(seed)))
    end
  end)

  it("are made smaller and printed where they differ", function()
    local right = arithmetic.floor
    arithmetic.floor = function(x) return right(x) + 1 end
    local done, problem = pcall(driver.run, 300, 1)
    arithmetic.floor = right
    assert.is_true(done, problem)
    assert.truthy(problem:find("not ok function", 1, true))
    local small = problem:match("made smaller.-\nend, function")
    assert.truthy(small:find("math.floor", 1, true), problem)
    assert.is_true(#small < 600, problem)
    assert.truthy(problem:find(": compiled ", 1, true), problem)
  end)

  it("that lack something fail the run", function()
    local counts = {}
    count.add(counts, generate.make(1), 3)
    local missing = table.concat(count.missing(counts, 20000), "\n")
    assert.truthy(missing:find("op *: ", 1, true))
    assert.truthy(missing:find("value nan: 0 times, at least 80", 1, true))
  end)
end)
