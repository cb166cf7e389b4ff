-- Changes: when values and structure change, and which calls are errors before.

local ecs = require "ecs"
ecs.on_fallback = nil -- plain Lua is meant here
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy

local world, a, b, all
before_each(function()
  world = ecs.world {}
  a = world:spawn(Position { x = 1 })
  b = world:spawn(Position { x = 2 })
  all = world:query { Position }
end)

--- Calls f once inside each kind of callback that records changes.
local function inside(f)
  local calls = 0
  local function once()
    calls = calls + 1
    f()
  end
  world:query({ Position, with = { Enemy } }):batch(once)
  world:query({ Position, with = { Enemy } }):each(once)
  world:system { name = "b", query = { Position, with = { Enemy } },
    batch = once }
  world:system { name = "e", query = { Position, with = { Enemy } },
    each = once }
  world:progress(1)
  world:remove_system "b"
  world:remove_system "e"
  return calls
end

describe("values", function()
  it("change at once, everywhere", function()
    world:add(a, Enemy)
    world:set(a, Sprite { frame = 1 })
    local frame = 1
    assert.equal(4, inside(function()
      frame = frame + 1
      world:set(a, Sprite, "frame", frame)
      assert.equal(frame, world:get(a, Sprite, "frame"))
    end))
  end)
end)

describe("structure", function()
  it("changes at once in run systems and loops of rows", function()
    local done
    world:system { name = "run", run = function(same)
      done = same:spawn(Sprite)
      assert.is_true(same:has(done, Sprite))
      same:remove(done, Sprite)
      assert.is_false(same:has(done, Sprite))
    end }
    world:progress(1)
    assert.is_true(world:alive(done))
    for e in all:rows() do
      world:add(e, Enemy)
      assert.is_true(world:has(e, Enemy))
    end
  end)

  it("is recorded in batch and each, of queries and systems", function()
    world:add(a, Enemy)
    local count = 0
    assert.equal(4, inside(function()
      local made = world:spawn(Sprite)
      assert.is_false(world:has(made, Sprite))
      count = count + 1
      assert.equal(count - 1, world:query({ Sprite }):count())
    end))
    assert.equal(4, world:query({ Sprite }):count())
  end)

  it("is applied when the outermost query call ends", function()
    all:batch(function()
      world:query({ without = { Enemy } }):batch(function(batch)
        world:add(batch.entities[1], Enemy)
      end)
      assert.is_false(world:has(a, Enemy))
    end)
    assert.is_true(world:has(a, Enemy))
  end)

  it("is applied when a system ends", function()
    local seen
    world:system { name = "b", query = { Position },
      each = function(_, _, e) world:add(e, Enemy) end }
    world:system { name = "next", run = function(same)
      seen = same:query({ Enemy }):count()
    end }
    world:progress(1)
    assert.equal(2, seen)
  end)

  it("waits for the system around a query call, unless that runs", function()
    local seen = {}
    world:system { name = "runs", run = function()
      all:batch(function() world:add(a, Enemy) end)
      seen[1] = world:has(a, Enemy)
    end }
    world:system { name = "walks", query = { with = { Enemy } },
      batch = function()
        all:each(function(_, e) world:add(e, Sprite) end)
        seen[2] = world:has(a, Sprite)
      end }
    world:progress(1)
    assert.same({ true, false }, seen)
    assert.is_true(world:has(a, Sprite))
  end)

  it("is applied at the end of the frame where a world says so", function()
    local late = ecs.world { flush = "frame" }
    local e = late:spawn(Position)
    local seen
    late:system { name = "b", query = { Position }, batch = function()
      late:add(e, Enemy)
    end }
    late:system { name = "r", run = function()
      for each in late:query({ Position }):rows() do late:add(each, Sprite) end
      seen = late:has(e, Enemy) or late:has(e, Sprite)
    end }
    late:system { name = "fails", run = function() error "out" end }
    assert.is_false((pcall(late.progress, late, 1)))
    assert.is_false(seen)
    assert.is_true(late:has(e, Enemy, Sprite))
  end)

  it("is applied in order of first records, each entity moved once", function()
    local c = world:spawn(Position)
    all:batch(function(batch)
      if batch.entities[1] ~= a then return end
      world:add(c, Enemy)
      world:add(a, Enemy)
      world:add(c, Sprite)
      world:add(a, Sprite)
    end)
    local order = {}
    for e in world:query({ Enemy, Sprite }):rows() do
      order[#order + 1] = e
    end
    assert.same({ c, a }, order)
  end)

  it("ends as the same calls would have left it at once", function()
    local worlds = {}
    for k = 1, 2 do
      local made = ecs.world {}
      local x, y = made:spawn(Position), made:spawn(Velocity)
      made:spawn(Enemy)
      local function change()
        made:add(x, Velocity { y = 5 })
        made:set(x, Velocity { x = 3 })
        made:remove(y, Velocity)
        made:set(y, Sprite { frame = 1 })
        made:remove(y, Sprite)
        made:add(y, Sprite)
      end
      if k == 1 then
        change()
      else
        made:query({ Enemy }):batch(change)
      end
      worlds[k] = made:state_hash()
    end
    assert.equal(worlds[1], worlds[2])
  end)

  it("that is recorded takes later sets of the same entity along", function()
    local seen
    world:add(b, Enemy)
    world:query({ read = { Enemy } }):batch(function()
      world:remove(a, Position)
      world:set(a, Position { x = 7 })
      seen = world:get(a, Position, "x")
    end)
    assert.equal(1, seen)
    assert.same({ x = 7, y = 0 }, world:get(a, Position))
  end)
end)

describe("until changes are applied", function()
  before_each(function() world:add(b, Enemy) end)

  it("queries, has and get answer as before", function()
    local query = world:query { Position, without = { Enemy } }
    world:query({ read = { Enemy } }):batch(function()
      world:add(a, Enemy)
      world:remove(a, Position)
      assert.equal(1, query:count())
      assert.is_false(world:has(a, Enemy))
      assert.equal(1, world:get(a, Position, "x"))
    end)
    assert.equal(0, query:count())
  end)

  it("a spawned entity is alive, has nothing yet, takes changes", function()
    local made
    world:query({ Enemy }):batch(function()
      made = world:spawn(Position { x = 3 })
      assert.is_true(world:alive(made))
      assert.is_false(world:has(made, Position))
      assert.is_nil(world:get(made, Position))
      world:set(made, Position { y = 4 })
      world:add(made, Sprite)
    end)
    assert.same({ x = 3, y = 4 }, world:get(made, Position))
    assert.is_true(world:has(made, Sprite))
  end)

  it("a destroyed entity is dead, and changes to it are dropped", function()
    world:query({ Enemy }):batch(function()
      assert.is_true(world:destroy(a))
      assert.is_false(world:alive(a))
      assert.is_false(world:destroy(a))
      world:add(a, Sprite)
      world:set(a, Position { x = 1 })
    end)
    assert.equal(2, world:stats().dropped)
    assert.is_false(world:alive(a))
  end)

  it("a destroyed entity is found by has, get and queries", function()
    world:query({ Enemy }):batch(function()
      world:destroy(a)
      assert.is_true(world:has(a, Position))
      assert.equal(1, world:get(a, Position, "x"))
      assert.equal(2, all:count())
    end)
    assert.is_false(world:has(a, Position))
    assert.is_nil(world:get(a, Position, "x"))
    assert.equal(1, all:count())
  end)

  it("a spawned entity may be destroyed again", function()
    local before, made = world:stats().entities
    world:query({ Enemy }):batch(function()
      made = world:spawn(Sprite)
      assert.is_true(world:destroy(made))
      assert.is_false(world:alive(made))
      assert.is_false(world:destroy(made))
      world:add(made, Enemy)
    end)
    assert.is_false(world:alive(made))
    assert.equal(before, world:stats().entities)
    assert.equal(1, world:stats().dropped)
  end)

  it("spawn_many hands its rows to its function at once", function()
    local made = {}
    world:query({ Enemy }):batch(function()
      world:spawn_many(3, { Position, Sprite }, function(batch)
        for i = 1, batch.count do
          made[#made + 1] = batch.entities[i]
          batch.Sprite.frame[i] = #made
        end
      end)
      assert.equal(3, #made)
      assert.is_true(world:alive(made[1]))
      assert.is_false(world:has(made[1], Sprite))
    end)
    for k = 1, 3 do assert.equal(k, world:get(made[k], Sprite, "frame")) end
  end)

  it("bulk forms match when they are called", function()
    local c
    world:query({ Enemy }):batch(function()
      c = world:spawn(Position)
      all:add(Sprite)
      world:remove(a, Position)
    end)
    assert.is_true(world:has(a, Sprite))
    assert.is_true(world:has(b, Sprite))
    assert.is_false(world:has(c, Sprite))
  end)
end)

describe("calls that change everything", function()
  it("are errors in callbacks", function()
    local number = 0
    world:add(a, Enemy)
    assert.equal(4, inside(function()
      refuses(function() world:clear() end, "clear is not possible inside")
      refuses(function() world:close() end, "close")
      refuses(function() world:group { Sprite } end, "group")
      refuses(function() world:group({ Enemy }, { storage = "bits" }) end,
        "group")
      refuses(function() world:ungroup { Sprite } end, "ungroup")
      refuses(function() world:optimize() end, "optimize")
      refuses(function() world:reserve(3, { Sprite }) end, "reserve")
      refuses(function() world:progress(1) end, "progress")
      refuses(function() world:run("update", 1) end, "run")
      refuses(function() world:system { name = "x", run = print } end,
        "system 'x'", "inside")
      number = number + 1
      local New = ecs.component("ContractNew" .. number, { x = "f32" })
      refuses(function() world:add(b, New) end, New.name .. " is new")
    end))
    assert.equal(2, all:count())
  end)
end)

describe("an error of a script", function()
  it("discards what its call had recorded, and keeps values", function()
    local made
    pcall(all.batch, all, function(batch)
      batch.Position.x[1] = 9
      made = world:spawn(Sprite)
      world:add(a, Enemy)
      error "out"
    end)
    assert.is_false(world:alive(made))
    assert.is_false(world:has(a, Enemy))
    assert.equal(9, world:get(a, Position, "x"))
    assert.not_equal(made, world:spawn())
  end)

  it("leaves the world unlocked", function()
    pcall(all.each, all, error)
    world:clear()
    assert.equal(0, all:count())
  end)

  it("ends the frame and is raised with the system's name", function()
    local later = false
    world:system { name = "bad", query = { Position },
      batch = function() error "out" end }
    world:system { name = "later", run = function() later = true end }
    local ok, text = pcall(world.progress, world, 1)
    assert.is_false(ok)
    assert.truthy(text:find "changes_spec.lua:%d+: out %(in system 'bad'%)\n",
      text)
    assert.is_false(later)
  end)

  it("that is no string passes through unchanged", function()
    local thing = {}
    for _, kind in ipairs { "batch", "each" } do
      local ok, got = pcall(all[kind], all, function() error(thing) end)
      assert.is_false(ok)
      assert.equal(thing, got)
      world:system { name = "bad", query = { Position },
        [kind] = function() error(thing) end }
      ok, got = pcall(world.progress, world, 1)
      assert.is_false(ok)
      assert.equal(thing, got)
    end
  end)
end)
