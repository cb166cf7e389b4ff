-- An each system is compiled where it can be; where it cannot, it runs as plain
-- Lua and ecs.on_fallback is called. query:each is in query_each_spec.lua.

local ecs = require "ecs"

local V = ecs.component("FallbackV", { x = "f32", y = "f32" })
local T = ecs.tag "FallbackT"

local default = ecs.on_fallback

describe("a system that is not compiled", function()
  local world, e, told
  before_each(function()
    world, told = ecs.world {}, {}
    e = world:spawn(V { x = 16777216 })
    ecs.on_fallback = function(system, where, why)
      told[#told + 1] = system .. " " .. where .. " " .. why
    end
  end)
  after_each(function() ecs.on_fallback = default end)

  local function define(each, more)
    local spec = { name = "s", query = { V }, each = each }
    for key, value in pairs(more or {}) do spec[key] = value end
    world:system(spec)
  end

  -- The 1 is lost in f32, but not in double.
  local function add(v) v.x = v.x + 1 - 16777216 end

  local function x_after_a_frame()
    world:progress(1)
    return world:get(e, V, "x")
  end

  it("is reported once, with line and reason, and runs", function()
    local count = 0
    define(function() count = 1 * count + 1 end)
    assert.equal(1, #told)
    assert.truthy(told[1]:match "^s [^ ]*fallback_spec.lua:%d+ an assignment "
      and told[1]:find("cannot be compiled: ", 1, true), told[1])
    world:progress(1)
    world:progress(1)
    assert.equal(2, count)
    assert.equal(1, #told)
    define(function() count = 1 * count + 1 end)
    assert.equal(2, #told)
  end)

  it("is reported where dt is taken for a tag's row, and e for dt", function()
    define(function(v, _, dt) v.x = v.x + dt end, { query = { V, T } })
    assert.equal(1, #told)
    assert.truthy(told[1]:find("'+' of an entity cannot be compiled: compute "
      .. "with numbers; what comes after the rows is dt, then the entity, and "
      .. "a tag gives no row", 1, true), told[1])
  end)

  it("is the exception: other systems are compiled, silently", function()
    define(add)
    assert.same({}, told)
    assert.truthy(world:explain("s"):find("compiled (", 1, true))
    assert.truthy(world:explain():find("s: each, compiled (", 1, true))
    assert.equal(0, x_after_a_frame())
  end)

  it("with compile = false computes in doubles, silently", function()
    define(add, { compile = false })
    assert.same({}, told)
    assert.truthy(world:explain("s"):find("plain Lua", 1, true))
    assert.equal(1, x_after_a_frame())
  end)

  it("computes in doubles, as precision = 'double' does", function()
    define(add, { precision = "double" })
    assert.equal(1, x_after_a_frame())
    world = ecs.world { precision = "double" }
    e = world:spawn(V { x = 16777216 })
    define(add)
    assert.truthy(world:explain("s"):find("compiled (", 1, true))
    assert.equal(1, x_after_a_frame())
    define(add, { precision = "fields" })
    world:set(e, V, "x", 16777216)
    assert.equal(0, x_after_a_frame())
    assert.has_error(function()
      define(add, { compile = false, precision = "double" })
    end)
  end)

  it("is explained with line and reason", function()
    define(function(v) for _ in pairs { 1 } do v.x = -v.x end end)
    local text = world:explain "s"
    assert.truthy(text:match "plain Lua: [^ ]*fallback_spec.lua:%d+: a loop",
      text)
    assert.truthy(world:explain():match "s: each, slow: plain Lua: ")
  end)

  it("is one with compile = true only as an error", function()
    local work, step = nil, function(x) return x + 1 end
    assert.has_error(function()
      define(function(v) v.x = work.x end, { compile = true })
    end)
    assert.equal(0, world:stats().systems)
    define(function(v) v.x = step(v.x) end, { compile = true })
    step = nil
    assert.has_error(function() world:progress(1) end)
    step = function(x) return x * 2 end
    assert.equal(33554432, x_after_a_frame())
    assert.same({}, told)
  end)

  it("is tried again when what it looked at has changed", function()
    local step
    local function one(x) return x + 1 end
    define(function(v) if step then v.x = step(v.x) end end)
    assert.same({}, told)
    world:set(e, V, "x", 1)
    step = one
    assert.equal(2, x_after_a_frame())
    step = math.random -- cannot be compiled
    for _ = 1, 50 do world:progress(1) end
    assert.equal(1, #told)
    assert.truthy(told[1]:find("math.random", 1, true), told[1])
    assert.truthy(world:explain("s"):find("plain Lua", 1, true))
    world:set(e, V, "x", 1)
    step = one
    assert.equal(2, x_after_a_frame())
    assert.truthy(world:explain("s"):find("compiled (", 1, true))
    step = math.random
    pcall(world.progress, world, 1)
    assert.equal(1, #told)
  end)

  it("reads its source once", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "local t return function(v) v.x = t.x end, function(u) t = u end"
    file:close()
    local each, set = loadfile(path)()
    define(each)
    os.remove(path)
    pcall(world.progress, world, 1)
    assert.equal(1, #told)
    assert.truthy(world:explain("s"):find("'.x' of nil", 1, true))
    set { x = 1 }
    world:progress(1)
    assert.truthy(world:explain("s"):find("compiled (", 1, true))
  end)

  it("is one that would be compiled at nearly every run", function()
    local step
    world:set(e, V, "x", 0)
    define(function(v) if step then v.x = step(v.x) end end)
    for k = 1, 40 do
      local text = "return function(x) return x + " .. k .. " end"
      step = (rawget(_G, "loadstring") or load)(text)()
      world:progress(1)
    end
    assert.truthy(world:explain("s"):find("nearly every run", 1, true))
    assert.equal(820, world:get(e, V, "x"))
  end)

  it("keeps its forms where things alternate", function()
    local steps = { function(x) return x + 1 end, function(x) return x - 1 end }
    local step = steps[1]
    define(function(v) v.x = step(v.x) end)
    world:set(e, V, "x", 0)
    for k = 1, 101 do
      step = steps[k % 2 + 1]
      world:progress(1)
    end
    assert.truthy(world:explain("s"):find("compiled (", 1, true))
    assert.equal(-1, world:get(e, V, "x"))
  end)

  it("does not run an __index, but follows plain ones", function()
    local called, base = 0, { speed = 3 }
    local config = setmetatable({}, { __index = base })
    define(function(v) v.x = config.speed end)
    assert.same({}, told)
    assert.equal(3, x_after_a_frame())
    setmetatable(config, { __index = function()
      called = called + 1
      return 4
    end })
    assert.equal(4, x_after_a_frame())
    assert.equal(1, #told)
    assert.equal(1, called)
  end)

  it("is text as well", function()
    define "function(v) v.x = v.x + 1 - 16777216 end"
    assert.equal(0, x_after_a_frame())
    define "function(v) for _, k in ipairs { 1, 5 } do v.x = k end end"
    assert.equal(1, #told)
    assert.equal(5, x_after_a_frame())
  end)
end)

describe("on_fallback", function()
  local world
  before_each(function()
    world = ecs.world {}
    world:spawn(V)
  end)
  after_each(function() ecs.on_fallback = default end)

  local ran
  local function define()
    ran = 0
    world:system { name = "s", query = { V },
                   each = function() ran = 1 * ran + 1 end }
  end

  it("prints a line in the beginning", function()
    local stream, text = io.stderr, ""
    rawset(io, "stderr", { write = function(_, ...)
      text = text .. table.concat { ... }
    end })
    local done = pcall(define)
    rawset(io, "stderr", stream)
    assert.is_true(done)
    assert.truthy(text:match "^ecs: system 's' runs as plain Lua, which takes "
      .. "[%d. to]+us a row: [^\n]+\n$",
      text)
    assert.has_error(function() default("s", 1, "x") end)
  end)

  it("is silent as nil or false", function()
    for _, value in ipairs { false, nil } do
      ecs.on_fallback = value
      define()
    end
    ecs.on_fallback = nil
    define()
    world:progress(1)
    assert.equal(1, ran)
  end)

  it("that is something else is an error, the system defined", function()
    ecs.on_fallback = "print"
    local done, text = pcall(define)
    assert.is_false(done)
    assert.truthy(text:match "fallback_spec.lua:%d+: ecs: on_fallback", text)
    world:progress(1)
    assert.equal(1, ran)
  end)

  it("may raise, the system defined; at a run it ends the frame", function()
    local own = {}
    ecs.on_fallback = function() error(own) end
    local done, thrown = pcall(define)
    assert.is_false(done)
    assert.equal(own, thrown)
    world:progress(1)
    assert.equal(1, ran)
    local step = function(x) return x + 1 end
    world:system { name = "t", query = { V },
                   each = function(v) v.x = step(v.x) end }
    step = tonumber
    done, thrown = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.equal(own, thrown)
    world:progress(1)
    assert.equal(3, ran)
  end)

  --- Runs a frame in which a compiled system falls back to plain Lua.
  local function stumble(handler, flush)
    local step = function(x) return x + 1 end
    world = ecs.world { flush = flush }
    world:spawn(V { x = 1 })
    world:system { name = "t", query = { V },
                   each = function(v) v.x = step(v.x) end }
    step = tonumber
    ecs.on_fallback = handler
    return pcall(function() world:progress(1) end)
  end

  it("may close the world, which ends the frame", function()
    assert.is_true(stumble(function() world:close() end))
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(text:find("ecs: this world is closed", 1, true), text)
  end)

  it("blames the line of the script, whatever goes wrong", function()
    local cases = {
      { "closed", function() world:close() world:progress(1) end },
      { "a frame is running", function() world:progress(1) end },
      { "a frame is running", function() world:run("update", 1) end },
      { "raised nil", function() error(nil) end },
      { "spawn takes", function() world:spawn(3) end },
      { "cannot be closed", function() world:close() end, "frame" },
      { "clear is not possible", function() world:clear() end, "frame" },
    }
    for _, case in ipairs(cases) do
      local done, text = stumble(case[2], case[3])
      assert.is_false(done)
      assert.truthy(text:match "^[^:]*fallback_spec.lua:%d+: ecs: "
        and text:find(case[1], 1, true), text)
    end
  end)

  it("and a world that is closed while a run reads what is outside", function()
    local closing = false
    local environment = setmetatable({}, { __index = function()
      if closing then world:close() end
      return 1
    end })
    local text = "return function(v) v.x = v.x + number end"
    local f
    if setfenv then
      f = setfenv(loadstring(text, text)(), environment)
    else
      f = load(text, text, "t", environment)()
    end
    world:system { name = "t", query = { V }, each = f, compile = true }
    world:progress(1)
    closing = true
    local done, problem = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(problem:match "^[^:]*fallback_spec.lua:%d+: ecs: the world",
      problem)
  end)

  it("may define systems itself", function()
    ecs.on_fallback = function(name)
      if name == "s" then
        world:system { name = "s", query = { V }, compile = false,
                       each = function() ran = ran + 10 end }
      end
    end
    define()
    world:progress(1)
    assert.equal(10, ran)
  end)
end)
