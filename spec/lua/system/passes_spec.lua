-- Systems that run in one call: no script can see a difference, but explain
-- says which they are.

local ecs = require "ecs"

local Place = ecs.component("PassPlace", { x = "f64", y = "f64" })
local Speed = ecs.component("PassSpeed", { x = "f64", y = "f64" })
local Target = ecs.component("PassTarget", { who = "entity", x = "f64" })
local Rules = ecs.component("PassRules", { pull = "f64" })

local world

local function define(name, query, each, options)
  local spec = { name = name, query = query, each = each, compile = true }
  for key, value in pairs(options or {}) do spec[key] = value end
  world:system(spec)
end

--- Three systems, each of which reads what the one before has written.
local function define_three()
  define("turn", { Speed }, function(s, dt) s.x = s.x * 0.5 + dt end)
  define("move", { Place, read = { Speed } },
    function(p, s, dt) p.x = p.x + s.x * dt end)
  define("lift", { Place }, function(p, dt) p.y = p.y + p.x * dt end)
end

local function explained(name)
  return world:explain(name):match "in one pass: ([^\n]*)"
    or world:explain(name):match "in no pass: ([^\n]*)"
end

local function passes()
  local list = {}
  for names in world:explain():gmatch "one pass: ([^\n]*)" do
    list[#list + 1] = names
  end
  return table.concat(list, " | ")
end

local function frames(count)
  for _ = 1, count do world:progress(0.25) end
end

describe("systems that follow each other", function()
  before_each(function() world = ecs.world {} end)
  after_each(function() world:close() end)

  it("are one pass where they are compiled", function()
    define_three()
    assert.equal("turn, move, lift", passes())
    assert.equal("turn, move, lift", explained "move")
    local e = world:spawn(Place, Speed { x = 1 })
    frames(2)
    -- 0.75 and 0.625; 0.1875 and 0.34375
    assert.equal(0.625, world:get(e, Speed, "x"))
    assert.equal(0.34375, world:get(e, Place, "x"))
    assert.equal(0.1328125, world:get(e, Place, "y"))
    assert.equal(2, world:stats("lift").runs)
  end)

  it("leave the same where rows go through them together", function()
    local hashes = {}
    for k, options in ipairs { { passes = false }, {}, { flush = "frame" } } do
      world = ecs.world(options)
      define_three()
      for i = 1, 5000 do
        local e = world:spawn(Place { x = i % 7 }, Speed { x = i % 5 })
        if i % 3 == 0 then world:remove(e, Speed) end
      end
      frames(3)
      hashes[k] = world:hash()
      world:close()
    end
    assert.equal(hashes[1], hashes[2])
    assert.equal(hashes[1], hashes[3])
    world = ecs.world {}
  end)

  it("are none with passes = false", function()
    world = ecs.world { passes = false }
    define_three()
    assert.equal("", passes())
    frames(1)
    assert.equal(1, world:stats("move").runs)
  end)

  it("are not one where a script runs between them", function()
    define("one", { Place }, function(p) p.x = p.x + 1 end)
    define("two", { Place }, function(p) p.x = p.x + 2 end)
    world:system { name = "script", run = function() end }
    define("three", { Place }, function(p) p.x = p.x + 3 end)
    define("four", { Place }, function(p) p.x = p.x + 4 end)
    define("plain", { Place }, function(p) p.x = p.x + 5 end,
      { compile = false })
    define("five", { Place }, function(p) p.x = p.x + 6 end)
    assert.equal("one, two | three, four", passes())
    assert.equal("it runs as plain Lua", explained "plain")
    assert.is_nil(explained "five")
    local e = world:spawn(Place)
    frames(1)
    assert.equal(21, world:get(e, Place, "x"))
  end)

  it("say why they are in no pass", function()
    local total, grid = 0, world:grid { query = { Place }, at = { Place,
      "x", "y" }, cell = 8 }
    local heat = world:array("heat", "f64", 8)
    local rules = world:resource(Rules { pull = 2 })
    define("changes", { Place }, function(p, _, e)
      if p.x < 0 then world:destroy(e) end
    end)
    define("counts", { Place }, function(p) total = total + p.x end)
    define("stores", { Place }, function(p) heat[1] = p.x end)
    define("once", { Place }, function(p) p.y = 0 end, { every = 2 })
    define("pulls", { Place }, function(p) p.x = p.x * rules.pull end)
    define("asks", { Place, changed = { Place } }, function(p) p.y = p.x end)
    define("builds", { Place }, function(p) p.y = p.x end, { uses = { grid } })
    assert.equal("", passes())
    assert.equal("it changes structure", explained "changes")
    assert.equal("it changes numbers outside", explained "counts")
    assert.equal("it reads or writes arrays", explained "stores")
    assert.equal("something is asked before it runs", explained "once")
    assert.equal("it reads a resource", explained "pulls")
    assert.equal("its query asks for changes", explained "asks")
    assert.equal("it uses a grid", explained "builds")
  end)

  it("find what is outside as it is then", function()
    local gain, set, loud = 1, { level = 2 }, true
    local function bend(x) return x * 2 end
    define("one", { Place }, function(p) p.x = p.x + gain end)
    define("two", { Place }, function(p) p.x = bend(p.x) + set.level end)
    define("three", { Place }, function(p) if loud then p.y = p.x end end)
    assert.equal("one, two, three", passes())
    local e = world:spawn(Place)
    local function step()
      frames(1)
      return world:get(e, Place, "x"), world:get(e, Place, "y")
    end
    assert.same({ 4, 4 }, { step() })
    gain = 2
    assert.same({ 14, 14 }, { step() })
    set.level, loud = 0, false
    assert.same({ 32, 14 }, { step() })
    set = { level = 1 }
    assert.same({ 69, 14 }, { step() })
    bend = function(x) return x + 1 end -- other code: compiled anew
    loud = true
    assert.same({ 73, 73 }, { step() })
    gain = 0
    assert.same({ 75, 75 }, { step() })
    assert.equal("one, two, three", passes())
    assert.equal(6, world:stats("two").runs)
  end)

  it("show others what they have written", function()
    define("lead", { Target }, function(t, dt) t.x = t.x + dt end)
    define("follow", { Place, read = { Target } }, function(p, t)
      p.x = world:get(t.who, Target, "x") or -1
    end)
    assert.equal("lead, follow", passes())
    local first, list = nil, {}
    for k = 1, 3000 do
      list[k] = world:spawn(Place, Target { x = k })
      first = first or list[k]
    end
    -- Each follows one that comes behind it.
    for k = 1, 3000 do
      world:set(list[k], Target, "who", list[k % 3000 + 1])
    end
    for frame = 1, 3 do
      frames(1)
      for k = 1, 3000 do
        assert.equal(k % 3000 + 1 + frame * 0.25,
          world:get(list[k], Place, "x"))
      end
    end
  end)

  it("show it where rows go through them together", function()
    local fields, each = {}, {}
    for k = 1, 8 do
      fields["x" .. k] = "f64"
      each[k] = "b.x" .. k .. " = b.x" .. k .. " + dt"
    end
    local Large = ecs.component("PassLarge", fields)
    local first = world:spawn(Place, Large)
    world:spawn_many(250000, { Place, Large })
    local last = world:spawn(Place, Large)
    define("lead", { Large },
      "function(b, dt) " .. table.concat(each, " ") .. " end")
    define("follow", { Place, with = { Large } }, function(p)
      p.x = world:get(last, Large, "x8") or -1
    end)
    assert.equal("lead, follow", passes())
    for frame = 1, 4 do
      frames(1)
      assert.equal(frame * 0.25, world:get(first, Large, "x1"))
      assert.equal(frame * 0.25, world:get(last, Large, "x8"))
      assert.equal(frame * 0.25, world:get(first, Place, "x"))
      assert.equal(frame * 0.25, world:get(last, Place, "x"))
    end
  end)

  it("add to totals", function()
    local sum = world:sum "pass"
    define("one", { Place }, function(p) p.x = p.x + 1 sum:add(p.x) end)
    define("two", { Speed }, function(s) sum:add(s.x) end)
    local later
    define("three", { Place }, function(p) p.y = p.x end)
    local e = world:spawn(Place, Speed { x = 10 })
    frames(2)
    assert.equal(12, sum:value())
    later = world:sum "later"
    define("three", { Place }, function(p) later:add(p.x) end)
    frames(1)
    assert.same({ 13, 3 }, { sum:value(), later:value() })
    world:remove(e, Speed)
    frames(2) -- what is idle adds nothing any more
    assert.same({ 5, 5 }, { sum:value(), later:value() })
    assert.equal("one, two, three", passes())
  end)

  it("are not idle for what each has done by itself meanwhile", function()
    local sum, wanted = world:sum "pass", nil
    define("one", { Place }, function(p) p.x = p.x + 1 end)
    define("two", { Speed }, function(s) sum:add(s.x) end)
    -- Where one adds for the first time, each runs by itself in the next frame.
    for k, name in ipairs { "three", "four", "five" } do
      local later = world:sum(name)
      define(name, { Place },
        function() if wanted == k then later:add(1) end end,
        { compile = false })
    end
    assert.equal("one, two", passes())
    world:spawn(Place)
    local function step(speed, now)
      wanted = now
      local e = speed and world:spawn(Speed { x = speed })
      frames(1)
      if e then world:destroy(e) end
      return sum:value()
    end
    assert.equal(0, step()) -- by themselves: the first run
    assert.equal(0, step()) -- likewise: two has a number of its own in the sum
    assert.equal(0, step(nil, 1))
    assert.equal(10, step(10)) -- by themselves
    assert.equal(0, step())
    assert.equal(0, step(nil, 2))
    assert.equal(0, step()) -- by themselves
    assert.equal(10, step(10, 3))
    assert.equal(0, step()) -- by themselves
  end)

  it("do not look outside for a system without rows", function()
    local p, bend = { v = 1 }, function(x) return x + 1 end
    define("one", { Place }, function(place) place.x = place.x + p.v end)
    define("two", { Place }, function(place) place.x = bend(place.x) end)
    define("three", { Speed }, function(s) s.x = s.x + 1 end)
    local late, wanted = world:sum "late", false
    define("four", { Speed }, function() if wanted then late:add(1) end end,
      { compile = false })
    assert.equal("one, two, three", passes())
    local e = world:spawn(Speed)
    frames(3)
    p.v, bend = "text", function(x) return tonumber(x) end
    frames(2)
    wanted = true -- the next time, each runs by itself
    frames(3)
    assert.equal(8, world:get(e, Speed, "x"))
    assert.same({ 8, 0 }, { world:stats("one").runs,
      world:stats("one").fallback_runs })
    p.v, bend = 2, function(x) return x + 3 end
    e = world:spawn(Place)
    frames(1)
    assert.equal(5, world:get(e, Place, "x"))
  end)

  it("are given up for plain Lua when each would be", function()
    local figures, report = {}, ecs.on_fallback
    for k, options in ipairs { { passes = false }, {} } do
      world = ecs.world(options)
      local bend, gain, told = nil, 0, 0
      ecs.on_fallback = function() told = told + 1 end
      for number, name in ipairs { "one", "two" } do
        local query = { number == 1 and Place or Speed }
        world:system { name = name, query = query, each = function(row)
          row.x = bend(row.x) + gain
        end }
      end
      world:spawn(Place, Speed)
      for frame = 1, 200 do
        gain = frame % 7
        if frame % 12 == 1 then
          bend = (loadstring or load)("return function(x) return x * 0.5 + "
            .. frame .. " end")()
        end
        frames(1)
      end
      figures[k] = { told, world:hash(), world:stats("one").fallback_runs,
        world:stats("two").fallback_runs }
      world:close()
      ecs.on_fallback = report
    end
    assert.same(figures[1], figures[2])
    assert.is_true(figures[1][3] > 0)
    world = ecs.world {}
  end)

  it("are none where a function may stand behind a global", function()
    local keys = { "one", "two" }
    for _, name in ipairs(keys) do
      define(name, { Place }, function(p) p.x = math.floor(p.x + 1.5) end)
    end
    assert.equal("", passes())
    assert.equal("it reads globals: keep functions and numbers in locals",
      explained "two")
  end)

  it("go on without one that reads behind metatables", function()
    local set = setmetatable({}, { __index = { speed = 2 } })
    define("one", { Place }, function(p) p.x = p.x + set.speed end)
    define("two", { Place }, function(p) p.x = p.x + 1 end)
    define("three", { Place }, function(p) p.y = p.x end)
    local e = world:spawn(Place)
    frames(20)
    assert.equal(60, world:get(e, Place, "y"))
    assert.equal("two, three", passes())
    assert.truthy(explained("one"):find("behind a metatable", 1, true))
    assert.same({ 20, 20 }, { world:stats("one").runs,
      world:stats("two").runs })
  end)

  it("cost nothing where plans alternate", function()
    local function f(x) return x + 1 end
    local function g(x) return x * 2 end
    local bend = f
    define("one", { Place }, function(p) p.x = bend(p.x) % 64 end)
    define("two", { Place }, function(p) p.y = p.x end)
    world:spawn(Place)
    local function alternate(count)
      for _ = 1, count do
        bend = bend == f and g or f
        frames(1)
      end
    end
    alternate(30)
    assert.equal("", passes())
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    alternate(100)
    local grown = collectgarbage("count") - before
    collectgarbage("restart")
    assert.is_true(grown < 40, grown) -- of which the test makes some
  end)

  it("count what they have run, whatever they run in", function()
    define_three()
    world:spawn(Place, Speed)
    frames(3)
    world:profile(true)
    frames(2)
    world:profile(false)
    frames(4)
    world:enable("move", false)
    assert.equal("turn, move, lift", passes())
    frames(5)
    world:enable("move", true)
    frames(1)
    assert.same({ 15, 10, 15 }, { world:stats("turn").runs,
      world:stats("move").runs, world:stats("lift").runs })
    assert.same({ 2, 2 }, { world:stats("turn").profiled_runs,
      world:stats("move").profiled_runs })
  end)

  it("end with the one that fails", function()
    local most = 1e9
    define("one", { Place }, function(p) p.x = p.x + 1 end)
    define("endless", { Place }, function(p)
      local k = 0
      while k < most do k = k + 1 end
      p.y = k
    end)
    define("three", { Place }, function(p) p.x = p.x + 100 end)
    assert.equal("one, endless, three", passes())
    local e = world:spawn(Place)
    local done, text = pcall(frames, 1)
    assert.is_false(done)
    assert.truthy(text:find("does not end", 1, true), text)
    assert.truthy(text:find("(in system 'endless')", 1, true), text)
    assert.equal(1, world:get(e, Place, "x"))
    assert.same({ 1, 1, 0 }, { world:stats("one").runs,
      world:stats("endless").runs, world:stats("three").runs })
    most = 3
    frames(1)
    assert.same({ 102, 3 }, { world:get(e, Place, "x"),
      world:get(e, Place, "y") })
  end)

  it("begin again where one is replaced or removed", function()
    define_three()
    local e = world:spawn(Place, Speed)
    frames(2)
    define("move", { Place }, function(p) p.x = 7 end)
    frames(1)
    assert.equal(7, world:get(e, Place, "x"))
    assert.equal("turn, move, lift", passes())
    world:remove_system "move"
    frames(1)
    assert.equal("turn, lift", passes())
    assert.equal(4, world:stats("turn").runs)
  end)

  it("draw the numbers that each draws by itself", function()
    local seen = {}
    for k, options in ipairs { { passes = false }, {} } do
      options.seed = 5
      world = ecs.world(options)
      define("one", { Place }, function(p) p.y = p.y + 1 end)
      define("two", { Place }, function(p)
        if p.y > 2 then p.x = ecs.random() end
      end)
      define("three", { Place }, function(p) p.y = p.y + ecs.random() end)
      world:spawn(Place)
      frames(5)
      seen[k] = world:hash()
      world:close()
    end
    assert.equal(seen[1], seen[2])
    world = ecs.world {}
  end)

  it("go back to snapshots with their counts", function()
    define_three()
    world:spawn(Place, Speed)
    frames(2)
    local kept = world:snapshot()
    local hash = world:hash()
    world:enable("move", false)
    frames(3)
    world:restore(kept)
    assert.equal(hash, world:hash())
    assert.equal("turn, move, lift", passes())
    frames(1)
    assert.equal(3, world:stats("move").runs)
  end)
end)

describe("the option passes", function()
  it("is false or left out", function()
    for _, wrong in ipairs { true, 1, "no" } do
      local done, text = pcall(ecs.world, { passes = wrong })
      assert.is_false(done)
      assert.truthy(text:find("passes is false", 1, true), text)
    end
  end)
end)
