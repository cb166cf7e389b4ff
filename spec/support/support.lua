-- What specs share: expecting errors, a query's first batch, garbage with a
-- finalizer, a collector that runs all the time, a silent stderr, and random
-- numbers that are the same on every VM. A spec reads it with
-- dofile "spec/support/support.lua".

local assert = require "luassert"

local support = {}

--- Asserts that f raises an error at a line of the file that f is in, and that
-- the message starts with "ecs: " and contains every given text. Returns the
-- whole message.
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

--- Calls f(batch) in the callback of the query's first batch.
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

--- Asserts that f cannot yield, directly or in a callback: it fails with an
-- error that says so.
function support.cannot_yield(f)
  local ok, text = coroutine.resume(coroutine.create(f))
  assert.is_false(ok)
  assert.truthy(tostring(text):find("yield", 1, true), text)
end

--- Asserts that callbacks of a query's method, "each" or "batch", can be nested
-- at least 16 and fewer than 1000 deep, and that the next one is an error.
function support.nests_to_a_limit(query, method)
  local deepest = 0
  local function deeper(_, depth)
    if depth > deepest then deepest = depth end
    if depth < 1000 then query[method](query, deeper, depth + 1) end
  end
  assert.is_false((pcall(query[method], query, deeper, 1)))
  assert.is_true(deepest >= 16 and deepest < 1000)
end

--- Asserts that call(f) raises what f raises: text without a line, and nil.
function support.passes_errors_on(call)
  local ok, text = pcall(call, function() error("boom", 0) end)
  assert.is_false(ok)
  assert.equal("boom", text)
  ok, text = pcall(call, function() error() end)
  assert.is_false(ok)
  assert.is_nil(text)
end

--- Makes garbage with a finalizer that calls f.
function support.finalize(f)
  local newproxy = rawget(_G, "newproxy")
  if newproxy then
    debug.getmetatable(newproxy(true)).__gc = f
  else
    setmetatable({}, { __gc = f })
  end
end

--- Lets the collector run all the time, in small steps. Returns a function that
-- restores the settings from before.
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

-- Finalizers that wait at once, and the fewest with which a call begins.
local WAITING, FEWEST = 20000, 5000

--- Lets finalizers run at each place where a call allocates, whatever the heap
-- and the phase of the collector are: it is stopped where only finalizers are
-- left of its cycle, and runs a few of them at each step, which is at each
-- allocation. Returns two functions. The first, run(f, call, ...), calls
-- pcall(call, ...), and f(n) in the n-th finalizer meanwhile; it returns the
-- number of finalizers and what pcall returned. An object is made before and
-- after the call, so there is at least one. The second lets the collector run
-- again as before. Until then LuaJIT does not compile: machine code runs no
-- finalizers, but is left for each, and compiled anew for that place.
function support.at_allocations()
  local waiting, heard, n = 0, nil, 0
  local function finish()
    waiting = waiting - 1
    if heard then
      n = n + 1
      heard(n)
    end
  end
  local pause = collectgarbage("setpause", 100)
  local step = collectgarbage("setstepmul", 10)
  local jit = rawget(_G, "jit")
  local compiles = jit and jit.status()
  if compiles then
    jit.off()
    jit.flush()
  end
  local is_54 = _VERSION == "Lua 5.4"
  if is_54 then collectgarbage("incremental", 100, 100, 4) end
  local function wait()
    collectgarbage "restart"
    collectgarbage()
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, WAITING do support.finalize(finish) end
    waiting = WAITING
    while waiting == WAITING do collectgarbage("step", 0) end
    collectgarbage "stop"
    if is_54 then return end
    -- LuaJIT pays its debt in steps of a KB, one at each allocation.
    collectgarbage "restart"
    local size = #("x"):rep(2 ^ 24)
    assert.is_table { size } -- an object more, which takes it down
    collectgarbage "stop"
  end
  local function call_between(call, ...)
    local made = {} -- luacheck: ignore
    call(...)
    made = { made }
    return made
  end
  local function run(f, call, ...)
    if waiting < FEWEST then wait() end
    n, heard = 0, f
    collectgarbage "restart"
    local done, problem = pcall(call_between, call, ...)
    collectgarbage "stop"
    heard = nil
    return n, done, problem
  end
  return run, function()
    collectgarbage "restart"
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    if is_54 then collectgarbage("incremental", pause, step, 13) end
    if compiles then jit.on() end
    collectgarbage()
  end
end

--- Discards what the tests of a file or a describe write to io.stderr. Takes
-- the functions of the test runner.
function support.silence_stderr(setup, teardown)
  local shown = io.stderr
  setup(function() rawset(io, "stderr", { write = function() end }) end)
  teardown(function() rawset(io, "stderr", shown) end)
end

--- Records what ecs.on_fallback is called with in the tests of a describe.
-- Takes the functions of the test runner. Returns two functions: the first
-- gives the last reason in the running test, or nil; the second forgets the
-- reason.
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

--- The KB of garbage that f(rounds) makes, after f(warm) has warmed up; warm is
-- 1000 where it is nil. It is the least of many measurements, as many as it
-- takes to find none: what LuaJIT compiles, and when, is chance, and its code
-- and its lists of code are memory, too. What f itself makes is in each one.
function support.garbage_of(f, rounds, warm)
  local least = math.huge
  f(warm or 1000)
  for measured = 1, 100 do
    collectgarbage()
    collectgarbage() -- what finalizers let go
    collectgarbage "stop"
    f(10) -- Lua's own stacks have shrunk
    local before = collectgarbage "count"
    f(rounds)
    least = math.min(least, collectgarbage "count" - before)
    collectgarbage "restart"
    -- Code becomes rare: where each of so many made more, f made it.
    if least == 0 or measured > 30 and least > 20 then break end
  end
  return least
end

--- Collects all that nothing refers to, in as many rounds as finalizers may
-- need. Traces of LuaJIT keep the functions that they were compiled for, and
-- which these are is chance: they go first.
function support.collect()
  local jit = rawget(_G, "jit")
  if jit then jit.flush() end
  for _ = 1, 4 do collectgarbage() end
end

--- A random generator: random(n) gives 1 to n, the same on every VM.
function support.dice(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

--- What a program prints that runs in a process of its own, in a Lua like this
-- one. Libraries are looked for in folder first; nil: only where this Lua does.
-- settings: of the environment, as "NAME=value"; nil: none more.
function support.printed(program, folder, settings)
  local jit = rawget(_G, "jit")
  local vm = not jit and "lua5.4" or jit.status() and "luajit"
    or "luajit -joff"
  local pipe = io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s %s %s 2>&1"):format(
    package.path, folder and folder .. "/?.so;" .. package.cpath
      or package.cpath, settings or "", vm, program))
  local output = pipe:read("*a")
  pipe:close()
  return output
end

return support
