-- world:profile and world:stats of a system; what is slow, in explain.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Position = ecs.component("ProfilePosition", { x = "f32" })
local Angle = ecs.component("ProfileAngle", { x = "f32" }, { storage =
  "sparse" })
local Dead = ecs.tag "ProfileDead"

local world

before_each(function() world = ecs.world {} end)
after_each(function() ecs.on_fallback = nil end)

describe("world:stats of a system", function()
  it("counts runs and fallback runs always", function()
    local spoken = 0
    ecs.on_fallback = function() spoken = spoken + 1 end
    world:spawn_many(10, { Position })
    world:system { name = "a", query = { Position },
      each = function(p) p.x = p.x + 1 end }
    world:system { name = "b", query = { Position },
      each = function(p) p.x = #tostring(p.x) end }
    world:system { name = "c", query = { Position }, compile = false,
      each = function(p) p.x = p.x + 1 end }
    for _ = 1, 3 do world:progress(1) end
    for name, runs in pairs { a = 0, b = 3, c = 0 } do
      assert.same({ runs = 3, fallback_runs = runs, exits = 0,
        profiled_runs = 0,
        rows = 0, changes = 0, seconds = 0 }, world:stats(name))
    end
    world:enable("a", false)
    world:progress(1)
    assert.equal(3, world:stats("a").runs)
    world:system { name = "a", run = print }
    assert.equal(0, world:stats("a").runs)
    assert.equal(1, spoken)
  end)

  it("counts rows, changes and seconds while the world profiles", function()
    for _, flush in ipairs { "system", "frame" } do
      world = ecs.world { flush = flush }
      world:spawn_many(10, { Position })
      world:system { name = "move", query = { Position },
        each = function(p) p.x = p.x + 1 end }
      world:system { name = "kill", query = { Position, without = { Dead } },
        batch = function(batch)
          world:add(batch.entities[1], Dead)
          world:add(batch.entities[2], Dead)
        end }
      world:system { name = "spawn", run = function()
        world:spawn(Position)
      end }
      world:progress(1)
      local hash = world:hash()
      world:profile(true)
      assert.equal(hash, world:hash())
      for _ = 1, 2 do world:progress(1) end
      world:profile(false)
      local move, kill, spawn = world:stats "move", world:stats "kill",
        world:stats "spawn"
      assert.equal(3, move.runs)
      assert.equal(2, move.profiled_runs)
      assert.equal(11 + 12, move.rows)
      assert.equal(0, move.changes)
      assert.equal(9 + 8, kill.rows)
      assert.equal(4, kill.changes)
      assert.is_true(spawn.changes >= 2 and spawn.changes <= 4)
      assert.equal(0, spawn.rows)
      assert.is_true(move.seconds >= 0)
      world:progress(1)
      move.runs = 4
      assert.same(move, world:stats "move")
      world:profile(true)
      assert.equal(0, world:stats("move").rows)
      world:progress(1)
      assert.equal(1, world:stats("move").profiled_runs)
      for _, name in ipairs { "move", "kill", "spawn" } do
        for _, value in pairs(world:stats(name)) do
          assert.equal("number", type(value))
        end
      end
    end
  end)

  it("counts a change once for each group, table and growth", function()
    local Set = ecs.tag("ProfileSet", { storage = "sparse" })
    local Bit = ecs.tag("ProfileBit", { storage = "bits" })
    for flush, column in pairs { system = 2, frame = 3 } do
      world = ecs.world { flush = flush }
      local e, change = world:spawn(Position), nil
      world:spawn(Set)
      world:spawn(Bit)
      world:system { name = "s", run = function(same) change(same) end }
      for _, case in ipairs {
        { function() end, 0, 0 },
        { function() world:set(e, Position, "x", 1) end, 0, 0 },
        { function() world:spawn(Position) end, 1, 2 },
        { function() world:spawn(Position, Set) end, 2, 3 },
        { function() world:add(e, Set) end, 1, 1 },
        { function() world:add(e, Set) end, 0, 0 }, -- has it
        { function() world:add(e, Bit) end, 1, 1 },
        { function() world:add(e, Dead) end, 3, 1 }, -- its table is made
        { function() world:remove(e, Dead) end, 1, 1 },
        { function() world:add(e, Dead) end, 1, 1 },
        { function() world:destroy(e) end, 2, 1 }, -- e is in two groups
      } do
        change = case[1]
        world:profile(true)
        world:progress(1)
        assert.equal(case[column], world:stats("s").changes)
      end
    end
  end)

  it("goes on where systems fail and close their world", function()
    world:profile(true)
    world:system { name = "s", run = function() error "no" end }
    assert.is_false((pcall(world.progress, world, 1)))
    assert.equal(1, world:stats("s").profiled_runs)
    world:system { name = "s", run = function() world:close() end }
    world:progress(1)
    assert.is_false((pcall(world.stats, world, "s")))
  end)

  it("is refused where it makes no sense", function()
    refuses(function() world:stats "x" end, "stats", "'x'")
    refuses(function() world:stats(3) end, "stats", "not 3")
    refuses(function() world:profile() end,
      "profile takes true or false, as in world:profile(true), not nil")
    refuses(function() world:profile("yes") end, "not 'yes'")
  end)

  it("is not changed by what scripts do with the table", function()
    world:system { name = "s", run = print }
    world:stats("s").runs = 7
    assert.equal(0, world:stats("s").runs)
  end)
end)

describe("what is slow by nature", function()
  local function explains(text)
    local found = world:explain "s"
    assert.truthy(found:find(text, 1, true), found)
    assert.is_nil(found:find("AVX", 1, true), found)
  end

  it("is told of functions", function()
    world:spawn(Position, Angle)
    world:system { name = "s", query = { Position },
      each = function(p) p.x = math.sin(p.x) end }
    explains("slow: 1 operation calls the C library row by row, as most "
      .. "functions of math do (those of ecs.math do not)")
    world:system { name = "s", query = { Position },
      each = function(p) p.x = ecs.math.sin(p.x) end }
    assert.is_nil(world:explain("s"):find("slow", 1, true))
    world:system { name = "s", query = { Position },
      each = function(p) p.x = p.x % 800 + math.fmod(p.x, 3) end }
    assert.is_nil(world:explain("s"):find("slow", 1, true))
    explains("compiled (block VM): ")
    world:system { name = "s", query = { Position },
      each = function(p) p.x = #tostring(p.x) end }
    explains("slow: plain Lua: ")
    world:system { name = "s", query = { Position }, compile = false,
      each = function(p) p.x = 1 end }
    explains("slow: plain Lua, as compile = false says")
  end)

  it("is told of row lists", function()
    local e = world:spawn(Position, Angle)
    world:system { name = "s", query = { Position, Angle },
      batch = function() end }
    explains("made 1 times: anew after every change of these groups")
    for _ = 1, 3 do
      world:progress(1)
      world:remove(e, Angle)
      world:add(e, Angle)
    end
    explains("made 4 times: anew")
    explains("made 4 times: anew")
  end)
end)
