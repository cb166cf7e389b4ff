-- The order of systems: phases, before and after, and changes of the set of
-- systems between frames. Changes during a frame are in frame_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, dice = support.refuses, support.dice

local world, ran
before_each(function()
  world, ran = ecs.world {}, {}
end)

-- Defines a system that appends its name to ran and calls during. options:
-- other options of the system; nil: none.
local function define(name, options, during)
  local spec = options or {}
  spec.name = name
  spec.run = function(...)
    ran[#ran + 1] = name
    if during then during(...) end
  end
  world:system(spec)
end

-- The names of the systems that one frame or one phase runs.
local function frame(phase)
  ran = {}
  if phase then world:run(phase, 1) else world:progress(1) end
  return table.concat(ran, " ")
end

describe("phases", function()
  it("are first, update, last unless told otherwise", function()
    define("c", { phase = "last" })
    define("b")
    define("a", { phase = "first" })
    define("d", { phase = "update" })
    assert.equal("a b d c", frame())
  end)

  it("are the world's own, in their order", function()
    world = ecs.world { phases = { "input", "update", "draw" } }
    define("show", { phase = "draw" })
    define("move")
    define("keys", { phase = "input" })
    assert.equal("keys move show", frame())
    assert.equal("show", frame "draw")
  end)

  it("have to be named where there is no update", function()
    world = ecs.world { phases = { "one", "two" } }
    refuses(function() define("s") end, "'s'", "name its phase", "one, two")
    define("s", { phase = "two" })
    assert.equal("s", frame())
  end)

  it("that there are not are errors that list those there are", function()
    for _, phase in ipairs { "lst", 3, true, {} } do
      refuses(function() define("s", { phase = phase }) end, "'s'",
        "no phase", "first, update, last")
    end
    assert.equal("", frame())
  end)

  it("are a list of different names", function()
    for _, phases in ipairs { {}, "update", 3, { 1 }, { "a", 2 }, { "" },
        { n = "a" }, { [2] = "b" }, { "a", "\255" }, { "a\nb" } } do
      refuses(function() ecs.world { phases = phases } end, "phases")
    end
    refuses(function() ecs.world { phases = { "a", "b", "a" } } end,
      "'a' twice")
    refuses(function() ecs.world { phases = { "a", "b", fixed = 1 / 60 } } end,
      "phases has no option 'fixed'", "{ { 'simulate', fixed = 1 / 60 }")
    local Undefined -- luacheck: ignore
    refuses(function() ecs.world { phases = { "a", Undefined, "b" } } end,
      "entry 2 is nil")
  end)

  it("are copied", function()
    local phases = { "a", "b" }
    world = ecs.world { phases = phases }
    phases[1], phases[2], phases[3] = "x", nil, "z"
    define("one", { phase = "b" })
    define("two", { phase = "a" })
    assert.equal("two one", frame())
    refuses(function() define("s", { phase = "z" }) end, "a, b")
  end)
end)

describe("run", function()
  it("runs one phase", function()
    define("a", { phase = "first" })
    define("b", { phase = "last" })
    assert.equal("b", frame "last")
    assert.equal("a", frame "first")
    assert.equal("", frame "update")
    assert.equal("a b", frame())
    assert.equal(4, world:stats().frames)
  end)

  it("hands on dt", function()
    local seen
    world:system { name = "s", run = function(_, dt) seen = dt end }
    world:run("update", 0.25)
    assert.equal(0.25, seen)
  end)

  it("takes a phase of this world and a finite number", function()
    refuses(function() world:run() end, "phase", "seconds", "'first'")
    refuses(function() world:run("update") end, "seconds")
    refuses(function() world:run("update", 0 / 0) end, "seconds")
    refuses(function() world:run("update", 1 / 0) end, "seconds")
    refuses(function() world:run(1, 1) end, "phase")
    refuses(function() world:run("draw", 1) end, "'draw'",
      "first, update, last")
    refuses(function() world.run("update", 1) end, "world:run(...)")
    assert.equal(0, world:stats().frames)
  end)
end)

describe("before and after", function()
  it("take a name or a list, of what is defined before or later", function()
    define("a", { after = { "b", "c" } })
    define("b")
    define("c")
    define("d", { before = "b" })
    assert.equal("c d b a", frame())
  end)

  it("leave the order of definition where they can", function()
    define("e")
    define("d")
    define("c", { after = "a" })
    define("b")
    define("a")
    assert.equal("e d b a c", frame())
  end)

  it("may say the same thing twice", function()
    define("a", { after = { "b", "b" } })
    define("b", { before = "a" })
    assert.equal("b a", frame())
  end)

  it("may name a system of another phase that runs there anyway", function()
    define("a", { phase = "last", after = "b" })
    define("b", { before = "a" })
    define("c", { before = "b", phase = "first" })
    assert.equal("c b a", frame())
  end)

  it("are errors where they contradict the phases", function()
    define("a", { phase = "first", after = "b" })
    define("b")
    refuses(function() frame() end, "'a' is to run after 'b'",
      "phase 'first' comes before phase 'update'")
    define("a", { phase = "first" })
    define("b", { before = "a" })
    refuses(function() frame() end, "'b' is to run before 'a'",
      "phase 'update' comes after phase 'first'")
  end)

  it("are errors at the next frame where the name is unknown", function()
    define("a", { after = "nobody" })
    refuses(function() frame() end, "'a'", "'nobody'", "no such system")
    refuses(function() frame "last" end, "'nobody'")
    assert.same({}, ran)
    assert.equal(0, world:stats().frames)
    define("nobody")
    assert.equal("nobody a", frame())
  end)

  it("are errors where a system names itself", function()
    define("a", { before = "a" })
    refuses(function() frame() end, "'a'", "itself")
  end)

  it("that go round in a circle are errors that name it", function()
    define("x")
    define("a", { after = "c" })
    define("b", { after = "a" })
    define("c", { after = "b" })
    define("z", { after = "a" })
    local text = refuses(function() frame() end, "wait for each other",
      "'a' before 'b' before 'c' before 'a'")
    assert.is_nil(text:find("'x'", 1, true))
    assert.is_nil(text:find("'z'", 1, true))
    assert.same({}, ran)
    define("c")
    assert.equal("x c a b z", frame())
    define("one", { before = "two", phase = "last" })
    define("two", { before = "one", phase = "last" })
    refuses(function() frame() end, "'one' before 'two' before 'one'")
  end)

  it("take nothing else", function()
    for _, wrong in ipairs { 3, true, print } do
      refuses(function() define("s", { before = wrong }) end, "'s'", "before")
      refuses(function() define("s", { after = { "a", wrong } }) end, "after",
        "entry 2")
    end
    local Undefined -- luacheck: ignore
    refuses(function() define("s", { after = { Undefined, "a" } }) end,
      "entry 1 is nil")
    define("s", { before = {}, after = {} })
    assert.equal("s", frame())
  end)
end)

-- The rule of the reference, applied to every pair of systems.
local function oracle(systems, phases)
  local result = {}
  local function allows(x, done)
    for _, y in ipairs(systems) do
      if y ~= x and y.phase == x.phase and not done[y.name] then
        for _, name in ipairs(x.after) do
          if name == y.name then return false end
        end
        for _, name in ipairs(y.before) do
          if name == x.name then return false end
        end
      end
    end
    return true
  end
  for _, phase in ipairs(phases) do
    local done, left = {}, 0
    for _, x in ipairs(systems) do
      if x.phase == phase then left = left + 1 end
    end
    while left > 0 do
      local found
      for _, x in ipairs(systems) do
        if not found and x.phase == phase and not done[x.name]
          and allows(x, done) then
          found = x.name
        end
      end
      if not found then return nil end
      done[found] = true
      result[#result + 1] = found
      left = left - 1
    end
  end
  return table.concat(result, " ")
end

describe("any set of systems", function()
  it("runs in the order of the rule, or is refused for a circle", function()
    local phases, ordered, circular = { "first", "update", "last" }, 0, 0
    for seed = 1, 400 do
      local random, systems = dice(seed * 7919), {}
      world = ecs.world {}
      for k = 1, random(12) do
        systems[k] = { name = "s" .. k, phase = phases[random(2)],
          before = {}, after = {} }
      end
      for _ = 1, random(10) do
        local a, b = systems[random(#systems)], systems[random(#systems)]
        if a ~= b and a.phase == b.phase then
          local list = random(2) == 1 and a.before or a.after
          list[#list + 1] = b.name
        end
      end
      for _, system in ipairs(systems) do
        define(system.name, { phase = system.phase, before = system.before,
          after = system.after })
      end
      local expected = oracle(systems, phases)
      local ok, got = pcall(frame)
      assert.equal(expected ~= nil, ok, "seed " .. seed)
      if ok then
        ordered = ordered + 1
        assert.equal(expected, got, "seed " .. seed)
      else
        circular = circular + 1
        assert.truthy(got:find("wait for each other", 1, true), got)
      end
    end
    assert.is_true(ordered > 100 and circular > 50)
  end)
end)

describe("a system", function()
  it("is replaced in its place, with all it was", function()
    define("a", { before = "c", phase = "last" })
    define("b", { enabled = false })
    define("c", { phase = "last" })
    define("b")
    define("a", { phase = "last" })
    assert.equal("b a c", frame())
    define("c", { phase = "first" })
    assert.equal("c b a", frame())
    assert.equal(3, world:stats().systems)
  end)

  it("stays as it was when its replacement is refused", function()
    define("a")
    refuses(function() define("a", { phase = "lst" }) end, "lst")
    refuses(function()
      world:system { name = "a", query = { "x" }, batch = print }
    end, "'a'")
    assert.equal("a", frame())
  end)

  it("is disabled and enabled", function()
    define("a")
    define("b", { enabled = false })
    define("c", { after = "b" })
    assert.equal("a c", frame())
    world:enable("b", true)
    world:enable("a", false)
    assert.equal("b c", frame())
    world:enable("a", true)
    assert.equal("a b c", frame())
    refuses(function() define("d", { enabled = 1 }) end, "'d'", "enabled")
    refuses(function() world:enable("x", true) end, "enable", "'x'")
    refuses(function() world:enable(3, true) end, "enable", "3")
    for _, wrong in ipairs { 1, "yes", {} } do
      refuses(function() world:enable("a", wrong) end, "true or false")
    end
    refuses(function() world:enable("a") end, "true or false", "nil")
    assert.equal("a b c", frame())
  end)

  it("is removed, and a new one of its name comes last", function()
    define("a")
    define("b")
    define("c", { after = "a" })
    assert.is_nil(world:remove_system("b"))
    assert.equal("a c", frame())
    define("b")
    assert.equal("a c b", frame())
    refuses(function() world:remove_system("x") end, "remove_system", "'x'")
    refuses(function() world:remove_system() end, "remove_system", "nil")
    world:remove_system("a")
    refuses(function() frame() end, "'c'", "'a'", "no such system")
    world:remove_system("c")
    assert.equal("b", frame())
    world:remove_system("b")
    assert.equal("", frame())
  end)

  it("keeps its place when any others are removed and defined", function()
    local random, expected, number = 7, {}, 0
    local function draw(n)
      random = (random * 1103515245 + 12345) % 2147483648
      return math.floor(random / 65536) % n + 1
    end
    for _ = 1, 300 do
      local kind = draw(5)
      if kind <= 3 or #expected == 0 then
        number = number + 1
        expected[#expected + 1] = "s" .. number
        define("s" .. number)
      elseif kind == 4 then
        world:remove_system(table.remove(expected, draw(#expected)))
      else
        define(expected[draw(#expected)])
      end
      if draw(4) == 1 then
        assert.equal(table.concat(expected, " "), frame())
        assert.equal(#expected, world:stats().systems)
      end
    end
  end)

  it("has a name of text", function()
    for _, name in ipairs { "a\255", "\237\160\128", "a\0b", "a\nb",
        ("x"):rep(256) } do
      refuses(function() define(name) end, "name", "255")
    end
    define(("x"):rep(255))
    define("Größe 速度")
    world:progress(1)
    assert.equal("Größe 速度", ran[2])
  end)

  it("has options for each alone, and none that are unknown", function()
    for _, option in ipairs { "compile", "precision" } do
      refuses(function() define("s", { [option] = true }) end, "'s'",
        "compile and precision are for each")
    end
    refuses(function() define("s", { afer = "x" }) end, "'afer'", "after")
    refuses(function() define("s", { "x" }) end, "option 1")
    assert.equal("", frame())
  end)
end)
