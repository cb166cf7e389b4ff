-- Hashes: what of a world they depend on, and what they leave out.

local ecs = require "ecs"

local scene = dofile "spec/support/scene.lua"
local Position, Enemy, Stunned = scene.Position, scene.Enemy, scene.Stunned

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn(Position { x = 1 }, Enemy)
end)

describe("a hash", function()
  -- The same two entities, with their rows in either order.
  local function pair(swapped)
    local made = ecs.world {}
    local a, b = made:spawn(), made:spawn()
    if swapped then a, b = b, a end
    made:set(a, Position { x = swapped and 2 or 1 })
    made:set(b, Position { x = swapped and 1 or 2 })
    return made
  end

  it("is of everything, the order of rows included", function()
    assert.equal(pair(false):hash(), pair(false):hash())
    assert.not_equal(pair(false):hash(), pair(true):hash())
    local before = world:hash()
    world:set(e, Position, "y", 1)
    assert.not_equal(before, world:hash())
  end)

  it("sees whatever an entity may have, wherever it is stored", function()
    local Part = ecs.component("ContractPart", { n = "u8", of = "entity" },
      { storage = "sparse" })
    local Lit = ecs.tag("ContractLit", { storage = "bits" })
    local changes = {
      function(made) made:spawn() end,
      function(made, a) made:destroy(a) end,
      function(made, a) made:add(a, Enemy) end,
      function(made, a) made:add(a, Stunned) end,
      function(made, a) made:add(a, Lit) end,
      function(made, a) made:add(a, Part) end,
      function(made, a) made:add(a, Part { n = 1 }) end,
      function(made, a, b) made:add(a, Part { of = b }) end,
      function(made, a) made:remove(a, Position) end,
    }
    local seen, states = {}, {}
    for number, change in ipairs(changes) do
      local made = ecs.world {}
      local a, b = made:spawn(Position), made:spawn(Position)
      local hash, state = made:hash(), made:state_hash()
      seen[hash], states[state] = seen[hash] or 0, states[state] or 0
      change(made, a, b)
      hash, state = made:hash(), made:state_hash()
      assert.is_nil(seen[hash], number)
      assert.is_nil(states[state], number)
      seen[hash], states[state] = number, number
    end
  end)

  it("leaves systems and frames out", function()
    local before = world:hash()
    world:system { name = "idle", run = function() end }
    world:system { name = "move", query = { Position },
      each = function(p, dt) p.x = p.x + dt * 0 end }
    world:progress(1)
    world:run("last", 1)
    assert.equal(before, world:hash())
    world:remove_system "move"
    assert.equal(before, world:hash())
  end)

  it("leaves out what decides nothing", function()
    local function game(name, options)
      local made = ecs.world(options)
      made:system { name = name, query = { Position },
        each = function(p) p.x = p.x + 1 end }
      made:spawn(Position)
      return made
    end
    local plain = game("move", {})
    local other = game("walk", { flush = "frame", precision = "double",
      phases = { "input", "update" }, memory_limit = "64M" })
    other:query { Position, without = { Stunned } }
    other:profile(true)
    for _ = 1, 3 do
      plain:progress(1)
      other:progress(1)
      assert.equal(plain:hash(), other:hash())
    end
    other:profile(false)
    assert.equal(3, other:stats("walk").profiled_runs)
    assert.equal(plain:hash(), other:hash())
    assert.equal(plain:state_hash(), other:state_hash())
  end)

  it("is not changed by looking", function()
    local before = world:hash()
    local query = world:query { Position, optional = { Stunned } }
    local Later = ecs.component("ContractLater", { x = "f32" },
      { storage = "sparse" })
    local function look()
      query:count()
      for _ in query:rows() do assert.equal(before, world:hash()) end
      query:each(function() assert.equal(before, world:hash()) end)
      query:batch(function() assert.equal(before, world:hash()) end)
      query:explain()
      world:explain()
      world:stats()
      world:state_hash()
      world:get(e, Position, "x")
      world:has(e, Later)
      world:get(e, Later)
      world:sum "ContractSum":value()
      pcall(world.destroy, world, 12345)
      world:query({ Later, with = { Enemy } }):first()
    end
    look()
    assert.equal(before, world:hash())
  end)

  -- Each pair of functions makes two worlds with the same entities and values.
  local function none() end
  local function differ(first, second, options)
    local a, b = ecs.world {}, ecs.world(options or {})
    first(a)
    second(b)
    assert.equal(a:state_hash(), b:state_hash())
    assert.not_equal(a:hash(), b:hash())
  end
  local function meet(...)
    local parts = { ... }
    return function(made)
      for _, part in ipairs(parts) do made:destroy(made:spawn(part)) end
    end
  end

  it("sees the order of tables, empty ones included", function()
    differ(meet(Position, Enemy), meet(Enemy, Position))
    differ(meet(Position), meet(Enemy))
  end)

  it("sees which handles come next", function()
    local function free(swapped)
      return function(made)
        local a, b = made:spawn(), made:spawn()
        made:destroy(swapped and b or a)
        made:destroy(swapped and a or b)
      end
    end
    differ(free(false), free(true))
    differ(none, free(false))
  end)

  it("sees what is stored together", function()
    differ(none, function(made) made:group { Position, Enemy } end)
    differ(function(made) made:group { Position } end,
      function(made) made:group { Position, Enemy } end)
  end)

  it("sees the seed", function()
    differ(none, none, { seed = 1 })
  end)

  it("sees which systems are disabled", function()
    local function systems(off)
      return function(made)
        made:system { name = "a", run = none }
        made:system { name = "b", run = none }
        if off then made:enable(off, false) end
      end
    end
    differ(systems(), systems "a")
    differ(systems "b", systems "a")
    local made = ecs.world {}
    systems "a"(made)
    made:enable("a", true)
    assert.equal(ecs.world {}:hash(), made:hash())
  end)

  for _, compiled in ipairs { true, false } do
    local how = compiled and ", compiled" or ", plain"

    it("sees what a total was in the last run" .. how, function()
      local function add(number, kind, name)
        return function(made)
          local total = made[kind or "sum"](made, "score")
          made:system { name = "z", run = none }
          made:system { name = name or "add", query = { Position },
            compile = compiled, each = function(p)
              if p.x >= 0 then total:add(p.x + number) end
            end }
          made:spawn(Position)
          made:progress(1)
        end
      end
      differ(add(1), add(2))
      differ(add(0), add(1))
      differ(add(1), add(1, "min"))
      differ(add(1, "sum", "other"), add(1)) -- another system has added it
      local a, b = ecs.world {}, ecs.world {}
      a:system { name = "a", run = none } -- systems go by their names
      add(1)(a)
      add(1)(b)
      assert.equal(a:hash(), b:hash())
      a, b = ecs.world {}, ecs.world {}
      add(1)(a)
      a:query({ Position }):set(Position { x = -1 })
      b:spawn(Position { x = -1 })
      assert.not_equal(a:hash(), b:hash())
      a:progress(1) -- a run that adds nothing
      assert.equal(a:hash(), b:hash())
    end)

    it("sees how far a phase has drawn" .. how, function()
      local function draw(first, more)
        return function(made)
          made:system { name = "roll", query = { Position }, compile = compiled,
            each = function(p)
              if p.x == 0 and ecs.random() < 2 then p.y = 1 end
            end }
          local rolled = made:spawn(Position { x = first and 0 or 1, y = 1 })
          for _ = 1, more or 0 do made:progress(1) end
          made:set(rolled, Position { x = 0, y = 1 })
        end
      end
      differ(draw(true, 1), draw(true, 2))
      differ(draw(true, 0), draw(true, 1))
      local a, b = ecs.world {}, ecs.world {}
      draw(false, 0)(a)
      draw(false, 7)(b) -- it ran and drew nothing
      assert.equal(a:hash(), b:hash())
      a:progress(1)
      b:progress(1)
      assert.equal(a:hash(), b:hash())
      assert.not_equal(a:hash(), ecs.world {}:hash())
    end)
  end

  it("agrees where one machine never draws its screen", function()
    local function machine(screen)
      local made = ecs.world { phases = { "update", "draw" } }
      for k = 1, 5 do made:spawn(Position { x = k }) end
      made:system { name = "step", query = { Position },
        each = function(p) p.x = p.x + ecs.random() end }
      made:system { name = "show", phase = "draw", run = function(same)
        same:query({ read = { Position } }):count()
      end }
      for _ = 1, 4 do
        made:run("update", 1)
        if screen then made:run("draw", 1) end
      end
      return made
    end
    assert.equal(machine(true):hash(), machine(false):hash())
  end)

  it("sees changes that are recorded", function()
    local function hashes(change)
      local made = ecs.world { flush = "frame" }
      local a = made:spawn(Position)
      made:system { name = "change", run = function(same) change(same, a) end }
      local hash
      made:system { name = "look", run = function(same)
        hash = same:hash()
      end }
      made:progress(1)
      return hash
    end
    local seen = {}
    for number, change in ipairs {
      none,
      function(made, a) made:add(a, Enemy) end,
      function(made, a) made:remove(a, Position) end,
      function(made, a) made:destroy(a) end,
      function(made, a) made:set(a, scene.Velocity { x = 1 }) end,
      function(made, a) made:set(a, scene.Velocity { x = 2 }) end,
      function(made) made:spawn(Position) end,
      function(made) made:spawn(Position { x = 1 }) end,
      function(made) made:spawn(Position { x = 1 }, Enemy) end,
    } do
      local hash = hashes(change)
      assert.is_nil(seen[hash], number)
      assert.equal(hash, hashes(change))
      seen[hash] = number
    end
  end)

  it("of the state leaves the order of rows out", function()
    assert.equal(pair(false):state_hash(), pair(true):state_hash())
    local before = world:state_hash()
    world:set(e, Position, "y", 1)
    assert.not_equal(before, world:state_hash())
  end)
end)
