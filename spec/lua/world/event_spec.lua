-- Events: ecs.event, world:emit, who meets them, in which order, and when they
-- end.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, dice = support.refuses, support.dice

local Position = dofile("spec/support/scene.lua").Position
local Hit = ecs.event("EventHit", { who = "entity", damage = "f64" })
local Noise = ecs.event("EventNoise", { loud = { "u8", 7 } })
local Reset = ecs.event "EventReset"
local Loud = ecs.tag("EventLoud", { storage = "sparse" })

local world, met
before_each(function()
  world, met = ecs.world {}, {}
end)

-- Defines a system that notes the damage of the hits that it meets.
local function meet(name, options)
  local spec = options or {}
  spec.name, spec.query = name, spec.query or { read = { Hit } }
  met[name] = {}
  function spec.batch(batch)
    local damage = batch.EventHit.damage
    for i = 1, batch.count do met[name][#met[name] + 1] = damage[i] end
  end
  world:system(spec)
end

local function emit(...)
  for _, damage in ipairs { ... } do world:emit(Hit { damage = damage }) end
end

-- What a system has met since the last question.
local function taken(name)
  local list = table.concat(met[name], " "):gsub("%.0", "")
  met[name] = {}
  return list
end

local function count() return world:query({ Hit }):count() end

for _, flush in ipairs { "system", "frame" } do
  describe("an event (flush = '" .. flush .. "')", function()
    before_each(function() world = ecs.world { flush = flush } end)

    it("is met once by each system that names it, and ends then", function()
      meet "a"
      meet("b", { phase = "last" })
      emit(1, 2, 3)
      assert.equal(3, count())
      world:progress(1)
      assert.equal("1 2 3", taken "a")
      assert.equal("1 2 3", taken "b")
      assert.equal(0, count())
      world:progress(1)
      assert.equal("", taken "a")
      emit(4)
      world:progress(1)
      assert.equal("4", taken "a")
      assert.equal("4", taken "b")
    end)

    it("is only what was emitted: what is spawned is met once, and stays",
      function()
        meet "a"
        local stays = world:spawner(Hit, "damage")(1)
        emit(2)
        world:spawn(Hit { damage = 3 })
        world:progress(1)
        table.sort(met.a) -- the order is that of tables
        assert.equal("1 2 3", taken "a")
        assert.is_true(world:alive(stays))
        world:progress(1)
        assert.equal("", taken "a")
        assert.equal(2, count())
      end)

    it("is met in the order of emission, also where others waited", function()
      local on = false
      meet "a"
      meet("b", { when = function() return on end })
      for k = 1, 6 do
        emit(2 * k - 1, 2 * k)
        on = k == 2 or k == 6
        world:progress(1)
      end
      assert.equal("1 2 3 4 5 6 7 8 9 10 11 12", taken "a")
      assert.equal("1 2 3 4 5 6 7 8 9 10 11 12", taken "b")
      assert.equal(0, count())
    end)

    it("that is emitted in a system is met at the next turn", function()
      local n = 0
      world:spawn(Position)
      meet("a", { phase = "first" })
      world:system { name = "emit", run = function()
        n = n + 1
        world:emit(Hit { damage = n })
      end }
      meet("b", { phase = "last" })
      for _ = 1, 3 do world:progress(1) end
      assert.equal("1 2", taken "a")
      assert.equal(flush == "frame" and "1 2" or "1 2 3", taken "b")
      assert.equal(1, count())
    end)

    it("that a system emits itself it meets later", function()
      local seen = {}
      emit(1)
      world:system { name = "s", query = { read = { Hit } }, compile = false,
        each = function(hit)
          seen[#seen + 1] = hit.damage
          if hit.damage < 4 then world:emit(Hit { damage = hit.damage + 1 }) end
        end }
      emit(1)
      for k = 1, 4 do
        world:progress(1)
        assert.equal(k, #seen)
      end
      world:progress(1)
      assert.same({ 1, 2, 3, 4 }, seen)
      assert.equal(0, count())
    end)

    it("is met step by step in a fixed phase", function()
      world = ecs.world { flush = flush,
        phases = { { "step", fixed = 0.25 }, "update" } }
      meet("a", { phase = "step" })
      emit(1)
      world:progress(0.75)
      assert.equal("1", taken "a")
      emit(2)
      world:progress(0.125)
      assert.equal("", taken "a")
      assert.equal(1, count())
      world:progress(0.125)
      assert.equal("2", taken "a")
    end)

    it("may be destroyed by those who meet it", function()
      meet("b", { phase = "last" })
      world:system { name = "a", query = { read = { Hit } }, compile = false,
        each = function(hit, _, e)
          if hit.damage == 2 then world:destroy(e) end
        end }
      emit(1, 2)
      world:progress(1)
      assert.equal(flush == "frame" and "1 2" or "1", taken "b")
      assert.equal(0, count())
      assert.equal(0, world:stats().dropped)
    end)

    it("is met once also by a system that fails", function()
      local seen = 0
      world:system { name = "s", query = { read = { Hit } },
        batch = function(batch)
          seen = seen + batch.count
          error "boom"
        end }
      emit(1)
      assert.is_false((pcall(world.progress, world, 1)))
      world:progress(1)
      assert.equal(1, seen)
      assert.equal(0, count())
    end)
  end)
end

describe("an event", function()
  it("is an entity with its component", function()
    local e = world:spawn()
    local hit = world:emit(Hit { who = e, damage = 3 })
    assert.same({ who = e, damage = 3 }, world:get(hit, Hit))
    assert.equal(2, world:stats().entities)
    assert.equal(hit, (world:query { Hit }:first()))
    assert.equal(7, world:get(world:emit(Noise), Noise, "loud"))
    assert.equal(9, world:get(world:emit(Noise, { loud = 9 }), Noise, "loud"))
    assert.is_true(world:has(world:emit(Reset), Reset))
  end)

  it("that nobody meets ends with the next frame", function()
    emit(1)
    world:progress(1)
    assert.equal(0, count())
    world:system { name = "s", run = function() emit(2) end }
    world:progress(1)
    assert.equal(1, count())
    world:remove_system "s"
    world:progress(1)
    assert.equal(0, count())
    assert.equal(0, world:stats().dropped_events)
  end)

  it("waits for systems that are kept off, not for disabled ones", function()
    world = ecs.world { states = { "menu", "play" } }
    meet("a", { in_state = "play" })
    meet("b", { every = 3 })
    meet("c", { enabled = false })
    emit(1)
    world:progress(1)
    world:progress(1)
    assert.equal(1, count())
    world:go "play"
    world:progress(1)
    assert.equal("1", taken "a")
    assert.equal("1", taken "b")
    assert.equal(0, count())
    world:enable("c", true)
    world:progress(1)
    assert.equal("", taken "c")
  end)

  it("is dropped and counted after 1,024 frames", function()
    meet("a", { when = function() return false end })
    emit(1, 2)
    for _ = 1, 1000 do world:progress(1) end
    emit(3)
    for _ = 1, 23 do world:progress(1) end
    assert.equal(3, count())
    world:progress(1)
    assert.equal(1, count())
    assert.equal(2, world:stats().dropped_events)
  end)

  it("is not met by a system that is defined or replaced later", function()
    meet("a", { enabled = false })
    emit(1)
    meet "b"
    emit(2)
    world:progress(1)
    assert.equal("2", taken "b")
    emit(3)
    meet "b"
    emit(4)
    world:progress(1)
    assert.equal("4", taken "b")
    world:remove_system "b"
    emit(5)
    meet "c"
    emit(6)
    world:progress(1)
    assert.equal("6", taken "c")
  end)

  it("is met by queries with more terms, which it need not match", function()
    meet("a", { query = { read = { Hit }, with = { Loud } } })
    emit(1)
    local loud = world:emit(Hit { damage = 2 })
    world:add(loud, Loud)
    world:progress(1)
    assert.equal("2", taken "a")
    assert.equal(0, count())
  end)

  it("is met by compiled functions, and by text of a tag", function()
    local e = world:spawn(Position)
    local total = world:sum "damage"
    world:system { name = "s", query = { read = { Hit } }, compile = "whole",
      each = function(hit) total:add(hit.damage) end }
    world:system { name = "r", query = { with = { Reset } },
      compile = "whole", phase = "last",
      each = function(_, reset) world:destroy(reset) end }
    emit(1, 2, 4)
    world:emit(Reset)
    world:progress(1)
    assert.equal(7, total:value())
    assert.equal(1, world:stats().entities)
    assert.is_true(world:alive(e))
  end)

  it("is emitted by compiled functions, in the order of rows", function()
    for k = 1, 100 do world:spawn(Position { x = k }) end
    world:system { name = "s", query = { read = { Position } },
      compile = "whole", each = function(p, _, e)
        if p.x % 3 == 0 then world:emit(Hit { who = e, damage = p.x }) end
        if p.x % 7 == 0 then world:emit(Noise) end
      end }
    meet("a", { phase = "last" })
    world:progress(1)
    local wanted = {}
    for k = 3, 100, 3 do wanted[#wanted + 1] = k end
    assert.equal(table.concat(wanted, " "), taken "a")
    assert.equal(14, world:query({ Noise }):count())
    assert.equal(0, world:stats("s").exits)
  end)

  it("is two in one frame for two kinds", function()
    meet "a"
    emit(1)
    world:emit(Noise)
    world:progress(1)
    assert.equal("1", taken "a")
    assert.equal(0, world:query({ Noise }):count())
  end)

  it("is in the hash, and so is who has met it", function()
    local function play(on)
      local made = ecs.world {}
      for _, name in ipairs { "a", "b" } do
        made:system { name = name, query = { read = { Hit } },
          when = function() return name == on end, batch = function() end }
      end
      made:emit(Hit { damage = 1 })
      made:progress(1)
      return made:hash()
    end
    assert.equal(play "a", play "a")
    assert.not_equal(play "a", play "b")
    assert.not_equal(play "a", play "")
  end)

  it("is over with a clear, and the world goes on", function()
    meet "a"
    emit(1)
    world:clear()
    emit(2)
    world:progress(1)
    assert.equal("2", taken "a")
  end)

  it("may be linked to", function()
    local Follows = ecs.component("EventFollows",
      { what = { "entity", link = "clear" } })
    meet "a"
    local hit = world:emit(Hit { damage = 1 })
    local e = world:spawn(Follows { what = hit })
    emit(2)
    world:progress(1)
    assert.equal("1 2", taken "a")
    assert.is_nil(world:get(e, Follows, "what"))
    assert.equal(0, count())
  end)

  it("makes no garbage but for its value", function()
    local n = 0
    world:spawn(Position)
    world:system { name = "s", query = { read = { Position } },
      compile = "whole",
      each = function(p) world:emit(Hit { damage = p.x }) end }
    world:system { name = "t", query = { read = { Hit } },
      batch = function(batch) n = n + batch.count end }
    local frames = 0
    local grown = support.garbage_of(function(rounds)
      for _ = 1, rounds do world:progress(1) end
      frames = frames + rounds
    end, 2000)
    assert.equal(0, grown)
    assert.equal(frames, n)
  end)
end)

describe("events in random programs", function()
  -- What each system must have met: all that was emitted and applied since it
  -- was defined, up to its last turn, in order.
  local function play(seed)
    local random = dice(seed)
    local flush = random(2) == 1 and "frame" or "system"
    local made = ecs.world { flush = flush, states = { "x", "y" },
      phases = { "first", { "step", fixed = 0.75, most = 3 }, "last" } }
    local phases = { "first", "step", "last" }
    local visible, pending, n, systems = {}, {}, 0, {}
    local function publish()
      for _, number in ipairs(pending) do visible[#visible + 1] = number end
      pending = {}
    end
    local function shoot()
      n = n + 1
      made:emit(Hit { damage = n })
      pending[#pending + 1] = n
    end
    local function define(k)
      local self = { from = #visible, seen = {}, enabled = true }
      systems[k] = self
      local emits = random(3) == 1
      local spec = { name = "s" .. k, phase = phases[random(3)],
        query = { read = { Hit } }, in_state = random(4) == 1 and "y" or nil,
        every = random(4) == 1 and 0.5 or nil }
      local function see(damage)
        local last = self.seen[#self.seen] or 0
        self.unordered = self.unordered or damage <= last
        self.seen[#self.seen + 1] = damage
        if emits and damage % 5 == 0 then shoot() end
      end
      if random(2) == 1 then
        function spec.batch(batch)
          for i = 1, batch.count do see(batch.EventHit.damage[i]) end
        end
      else
        spec.compile = false
        function spec.each(hit) see(hit.damage) end
      end
      made:system(spec)
    end
    for _ = 1, 60 do
      local what = random(10)
      if what <= 4 then
        for _ = 1, random(4) do shoot() end
        publish()
      elseif what == 5 then
        define(random(5))
      elseif what == 6 then
        made:go(random(2) == 1 and "x" or "y")
      elseif what == 7 and systems[1] then
        systems[1].enabled = random(2) == 1
        made:enable("s1", systems[1].enabled)
      else
        made:progress(random(4) / 4)
        publish()
      end
    end
    -- At the end everybody runs.
    for k = 1, 5 do if systems[k] then made:enable("s" .. k, true) end end
    made:go "y"
    for _ = 1, 8 do made:progress(0.75) publish() end
    for k = 1, 5 do
      local self = systems[k]
      local first = self and visible[self.from + 1]
      assert.is_falsy(self and self.unordered, seed)
      -- One that was never disabled has met all, but what was emitted last.
      if first and k > 1 and #self.seen > 0 then
        assert.equal(first, self.seen[1], seed)
        assert.equal(first + #self.seen - 1, self.seen[#self.seen], seed)
        assert.is_true(#self.seen >= #visible - self.from - 20, seed)
      end
    end
    local hash = made:hash()
    made:close()
    return hash
  end

  it("are met in order, once, and by everybody", function()
    for seed = 1, 150 do assert.equal(play(seed), play(seed)) end
  end)
end)

describe("mistakes with events", function()
  it("name what is wrong", function()
    refuses(function() world:emit() end, "emit takes an event", "not nil")
    refuses(function() world:emit(Position { x = 1 }) end,
      "emit takes an event")
    refuses(function() world:emit(Position) end, "not the component")
    refuses(function() world:emit("Hit") end, "not 'Hit'")
    refuses(function() world:emit(Hit, 3) end, "as a table, not 3")
    refuses(function() world:emit(Hit, { dmg = 3 }) end, "'dmg'")
    refuses(function() world.emit(Hit) end, "world:emit(...)")
    refuses(function() ecs.event("Position", { x = "f32" }) end,
      "there is a component 'Position' already")
    refuses(function() ecs.event() end, "ecs")
    refuses(function() ecs.event("EventHit", { who = "f32" }) end, "EventHit")
    refuses(function() ecs.event("EventNew", { who = "f33" }) end, "f33")
    refuses(function()
      world:system { name = "s", query = { Position, optional = { Hit } },
        batch = print }
    end, "system 's': optional names EventHit, which is an event")
    refuses(function() world:group { Position, Hit } end,
      "group: EventHit is an event")
    refuses(function() world:ungroup { Hit } end,
      "ungroup: EventHit is an event")
    assert.equal(0, world:stats().entities)
    assert.equal(0, world:stats().systems)
    assert.equal(Hit, ecs.event("EventHit",
      { who = "entity", damage = "f64" }))
    world:close()
    refuses(function() world:emit(Hit) end, "closed")
  end)

  it("in compiled functions say what to write", function()
    world:spawn(Position)
    local done, text = pcall(world.system, world, { name = "s",
      query = { Position }, compile = true,
      each = function() world:emit(Position { x = 1 }) end })
    assert.is_false(done)
    assert.truthy(text:find("world:emit of this form cannot be compiled: give "
      .. "it one event", 1, true), text)
  end)
end)
