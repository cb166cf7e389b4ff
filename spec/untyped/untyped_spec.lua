-- Generated functions in which any expression may stand anywhere, with outside
-- values that change their kind. Compiled functions do what plain Lua does, or
-- run as plain Lua. spec/untyped/driver.lua runs many more.

package.path = "./spec/?.lua;" .. package.path

local driver = require "untyped.driver"
local generate = require "untyped.generate"
local run = require "untyped.run"

local FUNCTIONS = os.getenv "ECS_SPEC_SHORT" and 100 or 500

describe("functions of any expressions", function()
  it("do what plain Lua does", function()
    local problem, seen = driver.run(FUNCTIONS, 1)
    assert.is_nil(problem)
    local frames = seen.compiled + seen.plain + seen.raised
    assert.is_true(seen.compiled > frames / 3, seen.compiled .. " compiled")
    assert.is_true(seen.plain > frames / 20, seen.plain .. " plain")
    assert.is_true(seen.raised > frames / 20, seen.raised .. " raised")
  end)

  it("are the same for the same seed", function()
    for seed = 1, 20 do
      assert.equal(generate.text(generate.make(seed)),
        generate.text(generate.make(seed)))
    end
  end)

  it("are made smaller and printed where they differ", function()
    local right = run.planted
    function run.planted(text) return (text:gsub("not p%.on", "p.on")) end
    local done, problem = pcall(driver.run, 500, 1)
    run.planted = right
    assert.is_true(done, problem)
    assert.truthy(problem:find("not ok function", 1, true))
    local small = problem:match("made smaller:\n(.-)\nframe ")
    assert.is_true(#small < 300, problem)
    assert.truthy(problem:find("plain Lua: ", 1, true), problem)
  end)
end)
