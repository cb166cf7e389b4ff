-- Messages about what cannot be compiled: they name the calls in which it
-- stands, and advise what works. query:each tells, too.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local P = ecs.component("MessageP", { x = "f64", y = "f64" })

local text = "a"
local function inner(x) return x + text end
local function middle(x) return inner(x) * 2 end
local function endless(x) return endless(x + 1) end
local function any(...) return ... end

--- The line of this file on which a function begins.
local function line_of(f) return debug.getinfo(f, "S").linedefined end
local FILE = debug.getinfo(1, "S").short_src

--- The message for a function.
local function message_of(each, compile)
  local world = ecs.world {}
  local done, message = pcall(world.system, world, { name = "s", each = each,
    query = { P }, compile = compile or "whole" })
  world:close()
  assert.is_false(done)
  return message
end

describe("a message", function()
  it("names the calls in which the cause stands", function()
    local function f(p) p.x = middle(p.x) end
    local message = message_of(f)
    assert.truthy(message:find(FILE .. ":" .. line_of(inner)
      .. ": '+' of 'text', which is a string, cannot be compiled: compute with "
      .. "numbers; it is called at " .. FILE .. ":" .. line_of(middle)
      .. ", and that at " .. FILE .. ":" .. line_of(f), 1, true), message)
    local function g(p) p.x = any(p.x) end
    message = message_of(g)
    assert.truthy(message:find(FILE .. ":" .. line_of(any) .. ": '...'", 1,
      true), message)
    assert.truthy(message:find("it is called at " .. FILE .. ":"
      .. line_of(g), 1, true), message)
    assert.is_nil(message_of(function(p) p.x = p.x + text end)
      :find("called", 1, true))
  end)

  it("names the calls of a recursion once", function()
    local function f(p) p.x = endless(p.x) end
    local message = message_of(f)
    assert.truthy(message:find("it is called at " .. FILE .. ":"
      .. line_of(endless) .. ", and that at " .. FILE .. ":" .. line_of(f), 1,
      true), message)
  end)

  it("advises what works", function()
    local host = { draw = print and string.rep }
    local function draw(p) p.x = host.draw(p.x) end
    local message = message_of(draw)
    assert.truthy(message:find("do it in a run system", 1, true), message)
    assert.is_nil(message:find("condition", 1, true))
    message = message_of(draw, true)
    assert.truthy(message:find("do it under a condition that few rows meet, or "
      .. "in a run system", 1, true), message)
    message = message_of(function(p) p.x = math.modf(p.x) end)
    assert.truthy(message:find("the other functions of math and ecs.math", 1,
      true), message)
  end)
end)

-- The first module that is loaded in a process hears of query:each.
describe("query:each", function()
  it("tells about a function that runs as plain Lua often", function()
    assert.equal("ok\n", support.printed "spec/programs/each_told_program.lua")
  end)
end)
