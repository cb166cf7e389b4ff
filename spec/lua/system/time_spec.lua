-- Time: phases in fixed steps, and the same time in other frames. What keeps a
-- system off is in gate_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local schedule_scene = dofile "spec/support/schedule_scene.lua"

local refuses, dice = support.refuses, support.dice

local Position = ecs.component("TimePosition", { x = "f64" })

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

describe("a phase with a fixed step", function()
  before_each(function()
    define("in", { phase = "input" })
    define("move", { phase = "simulate" })
    define("show", { phase = "draw" })
  end)

  it("runs once for each step that has passed", function()
    assert.equal("in 0.125, show 0.125", frame(0.125))
    assert.equal("in 0.125, move 0.25, show 0.125", frame(0.125))
    assert.equal("in 0.625, move 0.25, move 0.25, show 0.625", frame(0.625))
    assert.equal("in 0.125, move 0.25, show 0.125", frame(0.125))
    assert.equal("in 0, show 0", frame(0))
  end)

  it("runs all of its systems in each step", function()
    define("turn", { phase = "simulate" })
    assert.equal("in 0.5, move 0.25, turn 0.25, move 0.25, turn 0.25, "
      .. "show 0.5", frame(0.5))
  end)

  it("tells what has passed of the next step", function()
    local seen
    define("look", { phase = "draw" }, function()
      seen = { world:phase "simulate" }
    end)
    frame(0.3125)
    assert.same({ 0.25, 0.0625, 0.25 }, seen)
    assert.same({ 0.25, 0.0625, 0.25 }, { world:phase "simulate" })
  end)

  it("drops and counts the steps beyond the most of a frame", function()
    assert.equal(0, world:stats().dropped_steps)
    local _, steps = frame(2.3125):gsub("move", "")
    assert.equal(4, steps)
    assert.equal(5, world:stats().dropped_steps)
    assert.same({ 0.25, 0.0625, 0.25 }, { world:phase "simulate" })
    assert.equal("in 0.1875, move 0.25, show 0.1875", frame(0.1875))
  end)

  it("has at most five steps in a frame unless told otherwise", function()
    world = ecs.world { phases = { { "update", fixed = 1 } } }
    define("s")
    frame(100)
    assert.equal(5, #ran)
    assert.equal(95, world:stats().dropped_steps)
  end)

  it("takes any time, and none that is negative", function()
    frame(1e300)
    local _, rest, part = world:phase "simulate"
    assert.is_true(rest >= 0 and rest < 0.25 and part >= 0 and part < 1)
    assert.equal(2 ^ 53 - 4, world:stats().dropped_steps)
    frame(1.7e308)
    frame(1.7e308)
    _, rest = world:phase "simulate"
    assert.is_true(rest >= 0 and rest < 0.25)
    world = ecs.world { phases = { { "update", fixed = 0.25 } } }
    define("s")
    frame(0.125)
    assert.equal("", frame(-100))
    assert.equal("s 0.25", frame(0.125))
    frame(5e-324)
    assert.equal(5e-324, (select(2, world:phase "update")))
  end)

  it("runs one step of the time given by run, and no time passes", function()
    frame(0.125)
    ran = {}
    world:run("simulate", 7)
    assert.same({ "move 7" }, ran)
    assert.equal(0.125, (select(2, world:phase "simulate")))
  end)

  it("loses the steps of a frame that fails, and not its rest", function()
    define("fail", { phase = "simulate" }, function() error "boom" end)
    refuses(function()
      local done, text = pcall(world.progress, world, 0.8125)
      error(done or "ecs: " .. text)
    end, "boom", "in system 'fail'")
    assert.equal(0.0625, (select(2, world:phase "simulate")))
    world:enable("fail", false)
    assert.equal("in 0.1875, move 0.25, show 0.1875", frame(0.1875))
  end)

  it("ends with the world", function()
    define("end", { phase = "simulate" }, function() world:close() end)
    frame(1)
    assert.same({ "in 1", "move 0.25", "end 0.25" }, ran)
  end)

  it("counts each step as a run of the phase", function()
    local function draw(dt, frames)
      local made = ecs.world { phases = { { "update", fixed = 0.25 } } }
      made:spawn(Position)
      made:system { name = "s", query = { Position },
        each = function(p) p.x = p.x * 2 + ecs.random() end }
      for _ = 1, frames do made:progress(dt) end
      return made:state_hash()
    end
    assert.equal(draw(0.25, 4), draw(1, 1))
    assert.equal(draw(0.5, 2), draw(1, 1))
    assert.not_equal(draw(0.25, 3), draw(1, 1))
  end)

  it("is given as { name, fixed = step, most = number }", function()
    local function phases(...)
      local list = { ... }
      return function() ecs.world { phases = list } end
    end
    for _, step in ipairs { 0, -1, 0 / 0, 1 / 0, 2 ^ 54, "1", false, {} } do
      refuses(phases { "a", fixed = step }, "world: phase 'a': fixed is")
    end
    for _, most in ipairs { 0, -1, 1.5, 0 / 0, 1 / 0, "1", false, {} } do
      refuses(phases { "a", fixed = 1, most = most }, "phase 'a': most is")
    end
    refuses(phases({ "a", fixed = 1 }, "a"), "names 'a' twice")
    refuses(phases { fixed = 1 }, "entry 1 is nil")
    refuses(phases("b", { 3, fixed = 1 }), "entry 2 is 3")
    refuses(phases { "a", "b", fixed = 1 }, "no option 2")
    refuses(phases { "a", fixed = 1, step = 2 }, "no option 'step'", "most")
    -- What would have no effect.
    refuses(phases { "a" }, "no fixed step", "name alone")
    refuses(phases { "a", most = 3 }, "no fixed step")
    assert.is_truthy(ecs.world { phases = { { "a", fixed = 2 ^ 53 } } })
  end)

  it("is copied", function()
    local entry = { "a", fixed = 1 }
    world = ecs.world { phases = { entry } }
    entry.fixed = 2
    assert.equal(1, (world:phase "a"))
  end)

  it("is the only kind that world:phase knows", function()
    refuses(function() world:phase "draw" end, "'draw' has no fixed step")
    refuses(function() world:phase "drew" end, "no phase 'drew'",
      "input, simulate, update, draw")
    refuses(function() world:phase() end, "takes the name of a phase")
    refuses(function() world:phase(3) end, "takes the name of a phase")
    refuses(function() world.phase "draw" end, "world:phase(...)")
    world:close()
    refuses(function() world:phase "simulate" end, "closed")
  end)
end)

describe("what has passed", function()
  local function hashes(phases, options, dts)
    local list = {}
    for k, dt in ipairs(dts) do
      local made = ecs.world { phases = phases }
      options.name, options.run = "s", function() end
      made:system(options)
      made:progress(dt)
      list[k] = made:hash()
    end
    return list
  end

  it("is in the hash of the world", function()
    local list = hashes({ { "update", fixed = 1 } }, {},
      { 0, 3, 0.5, 1.5, 0.25 })
    assert.equal(list[1], list[2])
    assert.not_equal(list[1], list[3])
    assert.equal(list[3], list[4])
    assert.not_equal(list[3], list[5])
    list = hashes(nil, { every = 1 }, { 0, 3, 0.5, 1.5, 0.25 })
    assert.equal(list[1], list[2])
    assert.not_equal(list[1], list[3])
    assert.not_equal(list[3], list[4]) -- the time since the last run
    assert.not_equal(list[3], list[5])
  end)

  it("is nothing where nothing counts it", function()
    local list = hashes(nil, { when = function() return true end },
      { 0, 3, 0.5 })
    assert.equal(ecs.world({}):hash(), list[1])
    assert.equal(list[1], list[2])
    assert.equal(list[1], list[3])
  end)
end)

describe("explain", function()
  it("names steps, periods and conditions", function()
    define("s", { phase = "simulate", every = 0.5, when = function() end })
    local text = world:explain()
    assert.truthy(text:find("phase simulate: 1 system, in steps of 0.25, at "
      .. "most 4 a frame", 1, true), text)
    assert.truthy(text:find("s: run, when its function says so, every 0.5", 1,
      true), text)
    assert.truthy(world:explain("s"):find("every 0.5", 1, true))
  end)
end)

describe("the same time in other frames", function()
  it("has the same number of steps, but for one", function()
    local least, most = math.huge, 0
    for seed = 1, 100 do
      local play = schedule_scene.play(seed)
      least = math.min(least, play.steps)
      most = math.max(most, play.steps)
      assert.equal(0, play.world:stats().dropped_steps)
      play.world:close()
    end
    assert.is_true(most - least <= 1, least .. " to " .. most)
    assert.is_true(least >= 119 and most <= 121)
  end)

  it("has the same number of periods, but for one", function()
    local random = dice(7)
    for round = 1, 50 do
      local made, runs, time = ecs.world {}, 0, 0
      local every = 0.3 + random(100) / 1000
      made:system { name = "s", every = every, run = function(_, dt)
        runs, time = runs + 1, time + dt
      end }
      local left = 10
      while left > 0 do
        local dt = math.min(left, random(250) / 1000)
        made:progress(dt)
        left = left - dt
      end
      assert.is_true(math.abs(runs - math.floor(10 / every)) <= 1, round)
      assert.is_true(time <= 10.001 and time > 10 - 2 * every, round)
    end
  end)

  it("makes no garbage", function()
    world = ecs.world { states = { "a", "b" },
      phases = { { "simulate", fixed = 0.25 }, "update" } }
    local n = 0
    local function count() n = n + 1 end
    local function even() return n % 2 == 0 end
    world:system { name = "a", phase = "simulate", run = count }
    world:system { name = "b", every = 0.3, run = count }
    world:system { name = "c", when = even, run = count }
    world:system { name = "d", in_state = "b", run = count }
    world:on("begin", "b", count)
    local grown = support.garbage_of(function(rounds)
      for k = 1, rounds do
        world:go(k % 2 == 0 and "a" or "b")
        world:progress(0.1)
      end
    end, 10000)
    assert.equal(0, grown)
    assert.is_true(n > 10000)
  end)
end)
