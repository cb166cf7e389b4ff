-- What specs share: how they ask for an error, a first batch, garbage with a
-- finalizer, a restless collector, and numbers that every VM makes alike. A
-- spec reads it with dofile "spec/support/support.lua".

local assert = require "luassert"

local support = {}

--- Asserts that f raises, at a line of the file that it stands in, what starts
-- with "ecs: " and contains every given text. Returns the whole message.
function support.refuses(f, ...)
  local ok, text = pcall(f)
  assert.is_false(ok, "no error was raised")
  local file = debug.getinfo(f, "S").short_src:gsub("%p", "%%%0")
  assert.truthy(tostring(text):match(file .. ":%d+: ecs: "), text)
  for _, wanted in ipairs { ... } do
    assert.truthy(text:find(wanted, 1, true), text)
  end
  return text
end

--- Runs f, which gets the batch, in the callback of the query's first batch.
function support.once(query, f)
  local done
  query:batch(function(batch)
    if not done then
      done = true
      f(batch)
    end
  end)
  assert.is_true(done)
end

--- Makes garbage whose finalizer calls f.
function support.finalize(f)
  local newproxy = rawget(_G, "newproxy")
  if newproxy then
    debug.getmetatable(newproxy(true)).__gc = f
  else
    setmetatable({}, { __gc = f })
  end
end

--- Lets the collector run all the time, in small steps. Returns a function that
-- gives it back its leisure.
function support.hurry_collector()
  local pause = collectgarbage("setpause", 1)
  local step = collectgarbage("setstepmul", 400)
  if _VERSION == "Lua 5.4" then collectgarbage("incremental", 0, 100, 8) end
  return function()
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    if _VERSION == "Lua 5.4" then
      collectgarbage("incremental", pause, step, 13)
    end
  end
end

--- Hears, in the tests of a describe, what ecs.on_fallback is called with.
-- Takes the functions of the test runner. Returns two functions: one gives the
-- last reason in the running test, or nil; the other forgets the reason.
function support.hear_fallbacks(before_each, after_each)
  local ecs = require "ecs"
  local kept, reason
  before_each(function()
    kept, reason = ecs.on_fallback, nil
    ecs.on_fallback = function(_, _, why) reason = why end
  end)
  after_each(function() ecs.on_fallback = kept end)
  return function() return reason end, function() reason = nil end
end

--- How many KB of garbage f makes when it is called with so many rounds, after
-- one call with 1000 rounds that warms up.
function support.garbage_of(f, rounds)
  f(1000)
  collectgarbage()
  collectgarbage "stop"
  local before = collectgarbage "count"
  f(rounds)
  local grown = collectgarbage "count" - before
  collectgarbage "restart"
  return grown
end

--- A generator: its calls give 1 to n, the same on every VM.
function support.dice(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

--- What a program prints that runs in a Lua of its own, the same as this one.
function support.printed(program)
  local jit = rawget(_G, "jit")
  local vm = not jit and "lua5.4" or jit.status() and "luajit"
    or "luajit -joff"
  local pipe = io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s %s 2>&1"):format(
    package.path, package.cpath, vm, program))
  local output = pipe:read("*a")
  pipe:close()
  return output
end

return support
