-- Systems that run once in a while, and systems that a function keeps off. What
-- states keep off is in spec/lua/world/states_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Position = ecs.component("GatePosition", { x = "f64" })

local world, ran
before_each(function()
  ran = {}
  world = ecs.world { phases = { "input",
    { "simulate", fixed = 0.25, most = 4 }, "update", "draw" } }
end)

-- Defines a system that appends its name and the time it gets to ran.
local function define(name, options, during)
  local spec = options or {}
  spec.name = name
  spec.run = function(of, dt)
    ran[#ran + 1] = name .. " " .. string.format("%g", dt)
    if during then during(of, dt) end
  end
  world:system(spec)
end

-- What one frame runs.
local function frame(dt)
  ran = {}
  world:progress(dt)
  return table.concat(ran, ", ")
end

describe("a system with every", function()
  it("runs when a period has passed, with the time since its run", function()
    define("s", { every = 0.5 })
    assert.equal("", frame(0.25))
    assert.equal("s 0.5", frame(0.25))
    assert.equal("", frame(0.375))
    assert.equal("s 0.75", frame(0.375))
    assert.equal("s 0.25", frame(0.25))
    assert.equal(3, world:stats("s").runs)
  end)

  it("runs at most once a frame", function()
    define("s", { every = 0.5 })
    assert.equal("s 1.75", frame(1.75))
    assert.equal("s 0.25", frame(0.25))
    assert.equal("s 1e+300", frame(1e300))
  end)

  it("counts the steps of a fixed phase, and the runs of one phase", function()
    define("s", { every = 0.5, phase = "simulate" })
    define("t", { every = 2, phase = "draw" })
    assert.equal("s 0.5", frame(0.75))
    assert.equal("s 0.5, s 0.5", frame(1))
    ran = {}
    world:run("draw", 1)
    assert.same({ "t 2.75" }, ran)
  end)

  it("lets no time pass while it is kept off", function()
    local on = true
    define("s", { every = 0.5, when = function() return on end })
    frame(0.25)
    on = false
    assert.equal("", frame(7))
    on = true
    assert.equal("s 0.5", frame(0.25))
    frame(0.25)
    world:enable("s", false)
    frame(7)
    world:enable("s", true)
    assert.equal("s 0.5", frame(0.25))
    assert.equal("", frame(-3))
    frame(0.25)
    assert.equal("s 0.5", frame(0.25))
  end)

  it("begins anew where it is replaced", function()
    define("s", { every = 0.5 })
    frame(0.375)
    define("s", { every = 0.5 })
    assert.equal("", frame(0.375))
    assert.equal("s 0.5", frame(0.125))
  end)

  it("may be of any kind", function()
    local e = world:spawn(Position)
    world:system { name = "each", query = { Position }, every = 0.5,
      compile = true, each = function(p, dt) p.x = p.x + dt end }
    world:system { name = "batch", query = { Position }, every = 0.5,
      batch = function(batch, dt)
        for i = 1, batch.count do
          batch.GatePosition.x[i] = batch.GatePosition.x[i] + 100 * dt
        end
      end }
    for _ = 1, 3 do world:progress(0.375) end
    assert.equal(1.125 * 101, world:get(e, Position, "x"))
  end)

  it("lets time pass while nothing matches", function()
    local times, asked = {}, 0
    world:system { name = "s", query = { Position }, every = 0.5,
      when = function() asked = asked + 1 return true end,
      batch = function(_, dt) times[#times + 1] = dt end }
    for _ = 1, 7 do frame(0.25) end
    assert.equal(3, world:stats("s").runs)
    assert.equal(7, asked)
    world:spawn(Position)
    frame(0.25)
    frame(0.25)
    frame(0.25)
    assert.same({ 0.5, 0.5 }, times)
  end)

  it("is profiled where it runs", function()
    define("s", { every = 0.5 })
    world:profile(true)
    for _ = 1, 4 do frame(0.25) end
    local stats = world:stats "s"
    assert.equal(2, stats.runs)
    assert.equal(2, stats.profiled_runs)
  end)

  it("is a number above 0", function()
    for _, every in ipairs { 0, -1, 0 / 0, 1 / 0, 2 ^ 54, "1", false, {} } do
      refuses(function() define("s", { every = every }) end,
        "system 's': every is")
    end
    assert.equal(0, world:stats().systems)
  end)
end)

describe("a system with when", function()
  it("asks once a frame, or step, whether it runs", function()
    local asked = 0
    local function odd(of)
      assert.equal(world, of)
      asked = asked + 1
      return asked % 2 == 1
    end
    define("s", { when = odd })
    assert.equal("s 1", frame(1))
    assert.equal("", frame(1))
    assert.equal(2, asked)
    assert.equal(1, world:stats("s").runs)
    define("s", { when = odd, phase = "simulate" })
    assert.equal("s 0.25, s 0.25", frame(1))
    assert.equal(6, asked)
  end)

  it("is not asked while it is disabled", function()
    define("s", { when = error, enabled = false })
    assert.equal("", frame(1))
  end)

  it("runs for any value but false and nil", function()
    local answer
    define("s", { when = function() return answer end })
    for _, value in ipairs { 0, "", {} } do
      answer = value
      assert.equal("s 1", frame(1))
    end
    answer = false
    assert.equal("", frame(1))
    answer = nil
    assert.equal("", frame(1))
  end)

  it("is a function", function()
    for _, when in ipairs { 1, "x", false, true, {} } do
      refuses(function() define("s", { when = when }) end,
        "system 's': when is a function")
    end
  end)

  it("raises its error as that of the system", function()
    define("s", { when = function() error "boom" end })
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(text:find("gate_spec.lua:%d+: boom %(in system 's'%)"), text)
    assert.truthy(text:find("inside the system:\n.*gate_spec.lua:%d+:"),
      text)
    define("s", { when = function() error() end })
    done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.is_nil(text)
    support.cannot_yield(function()
      define("s", { when = coroutine.yield })
      world:progress(1)
    end)
  end)

  for _, flush in ipairs { "system", "frame" } do
    describe("may change the systems (flush = '" .. flush .. "'):",
      function()
        before_each(function() world = ecs.world { flush = flush } end)

        it("remove, disable, move or replace itself", function()
          local function removes() world:remove_system "s" return true end
          define("s", { when = removes })
          assert.equal("", frame(1))
          local function disables() world:enable("s", false) return true end
          define("s", { when = disables })
          assert.equal("", frame(1))
          local function moves() define("s", { phase = "last" }) return true end
          define("s", { when = moves })
          assert.equal("", frame(1))
          assert.equal("s 1", frame(1))
          local function replaces() define("s") return true end
          define("s", { when = replaces })
          assert.equal("", frame(1))
          assert.equal("s 1", frame(1))
        end)

        it("define others, and forget others", function()
          define("s", { when = function()
            if not ran[1] then define("t") end
            return true
          end })
          assert.equal("s 1", frame(1))
          assert.equal("s 1, t 1", frame(1))
          define("s", { when = function()
            world:remove_system "t"
            return true
          end })
          assert.equal("s 1", frame(1))
        end)

        it("begin no frame", function()
          define("s", { when = function() world:progress(1) end })
          refuses(function() world:progress(1) end, "a frame is running")
        end)
      end)
  end

  it("may close the world", function()
    define("s", { when = function() world:close() return true end })
    define("t")
    assert.equal("", frame(1))
    refuses(function() world:progress(1) end, "closed")
  end)

  it("has its changes applied as those of a system", function()
    world:system { name = "s", when = function(of) of:spawn(Position) end,
      run = function() end }
    frame(1)
    assert.equal(1, world:query({ Position }):count())
    world = ecs.world { flush = "frame" }
    world:system { name = "s", run = function() end, when = function(of)
      of:spawn(Position)
      error "boom"
    end }
    world:system { name = "r", phase = "first", run = function(of)
      of:spawn(Position)
    end }
    assert.is_false((pcall(world.progress, world, 1)))
    assert.equal(1, world:query({ Position }):count())
  end)
end)
