-- Systems: kinds, options, order, and frames.

local ecs = require "ecs"
ecs.on_fallback = nil -- plain Lua is meant here
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position, Velocity = scene.Position, scene.Velocity
local Probe = ecs.component("Probe", {
  dt = "f64", tick = "u32", who = "entity",
})

local world, e, order
before_each(function()
  world, order = ecs.world {}, {}
  e = world:spawn(Position, Velocity)
end)

--- Defines a system that appends its name to a list when it runs.
local function note(name, options)
  local spec = { name = name, run = function() order[#order + 1] = name end }
  for key, value in pairs(options or {}) do spec[key] = value end
  world:system(spec)
end

local function ran()
  order = {}
  world:progress(1)
  return table.concat(order, " ")
end

describe("a system", function()
  it("of kind each is called with rows, dt and the entity", function()
    world:system {
      name = "move", query = { Position, read = { Velocity } },
      each = function(p, v, dt, entity)
        p.x = p.x + v.x * dt
        assert.equal(e, entity)
      end,
    }
    world:progress(0.5)
    assert.equal(0.5, world:get(e, Position, "x"))
  end)

  it("of kind each takes the text of a function, too", function()
    world:system {
      name = "move", query = { Position }, compile = true,
      each = "function(p, dt) p.x = p.x + dt end",
    }
    world:progress(0.5)
    assert.equal(0.5, world:get(e, Position, "x"))
  end)

  it("of kind each that cannot be compiled says so, once", function()
    local told = {}
    ecs.on_fallback = function(...) told[#told + 1] = { ... } end
    local function each(p) p.x = #tostring(p.x) end
    world:system { name = "odd", query = { Position }, each = each }
    world:progress(1)
    world:progress(1)
    world:query({ Position }):each(each)
    world:system { name = "silent", query = { Position }, each = each,
      compile = false }
    world:progress(1)
    ecs.on_fallback = nil
    assert.equal(1, #told)
    assert.equal("odd", told[1][1])
    assert.truthy(told[1][2]:find "systems_spec.lua:%d+$")
    assert.equal("string", type(told[1][3]))
    assert.is_false(told[1][4])
    assert.equal(4, #told[1])
    refuses(function()
      world:system { name = "x", query = { Position }, each = each,
        compile = true }
    end, "system 'x'")
    assert.equal(2, world:stats().systems)
  end)

  it("of kind batch is called with a batch and dt", function()
    world:system {
      name = "wrap", query = { Position },
      batch = function(batch, dt, ...)
        batch.Position.x[1] = dt
        assert.equal(0, select("#", ...))
      end,
    }
    world:progress(0.25)
    assert.equal(0.25, world:get(e, Position, "x"))
  end)

  it("of kind native calls a function of a loaded library", function()
    assert(ecs.load_native "probe")
    local probe = world:spawn(Probe)
    world:system { name = "tell", query = { Probe }, native = "probe.tell" }
    world:progress(0.25)
    assert.same({ dt = 0.25, tick = 1, who = probe }, world:get(probe, Probe))
  end)

  it("of kind run has no query and gets the world and dt", function()
    world:system {
      name = "waves",
      run = function(same, dt, ...)
        assert.equal(world, same)
        assert.equal(0.25, dt)
        assert.equal(0, select("#", ...))
        order[1] = "ran"
      end,
    }
    world:progress(0.25)
    assert.equal("ran", order[1])
    refuses(function()
      world:system { name = "x", query = { Position }, run = print }
    end, "run takes no query")
  end)

  it("has one kind, and only options that there are", function()
    refuses(function() world:system { name = "x" } end, "nothing to do")
    refuses(function()
      world:system { name = "x", run = print, batch = print }
    end, "both batch and run")
    refuses(function() world:system { name = "x", run = print, where = 1 } end,
      "no option 'where'")
  end)

  it("runs in its phase: first, update or last unless told", function()
    note("c", { phase = "last" })
    note "b"
    note("a", { phase = "first" })
    assert.equal("a b c", ran())
    refuses(function()
      world:system { name = "d", phase = "draw", run = print }
    end, "no phase 'draw'", "first, update, last")
  end)

  it("runs before and after others, one name or a list", function()
    note("a", { after = { "c", "b" } })
    note "b"
    note("c", { before = "b" })
    assert.equal("c b a", ran())
  end)

  it("runs only while it is enabled", function()
    note("a", { enabled = false })
    assert.equal("", ran())
    world:enable("a", true)
    assert.equal("a", ran())
    world:enable("a", false)
    assert.equal("", ran())
  end)

  it("does not run any more when it is removed", function()
    note "a"
    note "b"
    world:remove_system "a"
    assert.equal("b", ran())
  end)

  it("takes the place of the one of its name", function()
    note "a"
    note "b"
    world:system { name = "a", run = function() order[#order + 1] = "A" end }
    assert.equal("A b", ran())
  end)
end)

describe("the order", function()
  it("is always the earliest defined that may run now", function()
    note("d", { after = "b" })
    note "c"
    note "b"
    note "a"
    assert.equal("c b d a", ran())
  end)

  it("names the systems of a circle at the next frame", function()
    note("a", { after = "b" })
    note("b", { after = "a" })
    refuses(function() world:progress(1) end, "'a'", "'b'", "wait for each")
    assert.equal(0, #order)
  end)

  it("names systems that are not there at the next frame", function()
    note("a", { before = "nobody" })
    refuses(function() world:progress(1) end, "'a'", "'nobody'")
    refuses(function() world:run("update", 1) end, "'nobody'")
    note "nobody"
    assert.equal("a nobody", ran())
  end)
end)

describe("a frame", function()
  it("is every phase with progress, one phase with run", function()
    note("a", { phase = "first" })
    note "b"
    assert.equal("a b", ran())
    order = {}
    world:run("update", 1)
    assert.same({ "b" }, order)
  end)
end)

describe("time", function()
  it("is cut into steps for a phase that has a fixed one", function()
    world = ecs.world {
      phases = { { "step", fixed = 0.25, most = 2 }, "draw" },
    }
    note("s", { phase = "step" })
    note("d", { phase = "draw" })
    local seen = {}
    for k, dt in ipairs { 0.125, 0.375, 1.125 } do
      order = {}
      world:progress(dt)
      seen[k] = table.concat(order, " ")
    end
    assert.same({ "d", "s s d", "s s d" }, seen)
    local step, rest, part = world:phase "step"
    assert.same({ 0.25, 0.125, 0.5 }, { step, rest, part })
    assert.equal(2, world:stats().dropped_steps)
  end)

  it("passes for a system with every while nothing keeps it off", function()
    local times, on = {}, true
    world:system { name = "s", every = 0.5, when = function() return on end,
      run = function(_, dt) times[#times + 1] = dt end }
    for k = 1, 6 do
      on = k ~= 2
      world:progress(0.375)
    end
    assert.same({ 0.75, 0.375, 0.375 }, times)
  end)
end)

describe("a state", function()
  it("changes before the next phase, and those who listen are told", function()
    world = ecs.world { states = { "menu", "play" } }
    note("m", { in_state = "menu" })
    note("p", { in_state = "play", phase = "last" })
    world:on("end", "menu", function() order[#order + 1] = "end" end)
    local watch = world:on("begin", "play", function()
      order[#order + 1] = "begin"
    end)
    world:system { name = "go", phase = "first", run = function()
      world:go "play"
    end }
    assert.equal("end begin p", ran())
    assert.equal("play", world:state())
    watch:off()
    assert.equal("p", ran())
  end)
end)

describe("load_native", function()
  it("finds a library on package.cpath, and else says so", function()
    assert.equal("probe.tell", ecs.load_native("probe")[1])
    local names, text = ecs.load_native "nowhere_at_all"
    assert.is_nil(names)
    assert.truthy(text:find("nowhere_at_all.so", 1, true), text)
  end)
end)
