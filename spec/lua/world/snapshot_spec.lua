-- Snapshots, and how a world goes back to one.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local scene = dofile "spec/support/state_game.lua"
local game, run = scene.game, scene.run
local Position, Velocity = scene.Position, scene.Velocity
local Health, Aim, Gravity = scene.Health, scene.Aim, scene.Gravity
local Burning, Marked = scene.Burning, scene.Marked

local world
before_each(function() world = ecs.world {} end)

describe("a snapshot", function()
  it("is the state, to which the world goes back", function()
    local a = world:spawn(Position { x = 1 }, Marked)
    local b = world:spawn(Position { x = 2 }, Burning)
    world:name(a, "a")
    world:set(b, Aim { at = a })
    local before, hash = world:snapshot(), world:hash()
    world:destroy(a)
    world:set(b, Position, "x", 9)
    world:remove(b, Burning)
    local c = world:spawn(Position, Velocity, Health)
    world:name(c, "a")
    world:group { Position, Velocity }
    assert.not_equal(hash, world:hash())
    world:restore(before)
    assert.equal(hash, world:hash())
    assert.is_true(world:alive(a) and not world:alive(c))
    assert.equal(a, world:find "a")
    assert.equal(a, world:get(b, Aim, "at"))
    assert.equal(2, world:get(b, Position, "x"))
    assert.is_true(world:has(b, Burning) and world:has(a, Marked))
    assert.equal(1, world:link_count(a, Aim))
    world:clear()
    world:restore(before)
    assert.equal(hash, world:hash())
    assert.equal(1, world:get(a, Position, "x"))
  end)

  it("can be taken again into the same object", function()
    local e = world:spawn(Position { x = 1 })
    local state = world:snapshot()
    world:set(e, Position, "x", 2)
    assert.equal(state, world:snapshot(state))
    world:set(e, Position, "x", 3)
    world:restore(state)
    assert.equal(2, world:get(e, Position, "x"))
  end)

  it("says how much it holds, and has no fields", function()
    world:spawn_many(1000, { Position })
    local text = tostring(world:snapshot())
    assert.truthy(text:match "^ecs%.Snapshot %(%d%d%d%d+ bytes%)$", text)
    refuses(function() return world:snapshot().bytes end, "snapshot")
    refuses(function() world:snapshot().bytes = 1 end, "snapshot")
  end)

  it("counts as memory of the world until it is collected", function()
    world:spawn_many(5000, { Position })
    local before = world:stats().bytes
    local kept = { world:snapshot() }
    assert.is_true(world:stats().bytes > before + 5000 * 8, tostring(kept[1]))
    kept[1] = nil
    collectgarbage()
    collectgarbage()
    assert.is_true(world:stats().bytes < before + 4096)
  end)

  it("is refused where memory is, and nothing has changed", function()
    local small = ecs.world { memory_limit = "1M" }
    small:spawn_many(20000, { Position })
    local first = small:snapshot()
    local hash = small:hash()
    refuses(function()
      local all = {}
      for k = 1, 20 do all[k] = small:snapshot() end
      return #all
    end, "snapshot", "memory limit")
    assert.equal(hash, small:hash())
    small:clear()
    small:restore(first)
    assert.equal(hash, small:hash())
  end)
end)

describe("what a world goes back to", function()
  it("is all that decides what it does next", function()
    for _, options in ipairs { {}, { flush = "frame" }, { compile = false } } do
      local played = game(options)
      local all = {}
      for k = 1, 12 do
        all[k] = { state = played:snapshot(), hash = played:hash() }
        run(played, 7)
        if k == 5 then played:group { Position, Velocity } end
        if k == 7 then played:trim() end
        if k == 8 then played:enable("move", false) end
        if k == 10 then played:enable("move", true) end
      end
      local last = played:hash()
      for _, k in ipairs { 12, 11, 9, 12, 2, 6, 11, 1 } do
        played:restore(all[k].state)
        assert.equal(all[k].hash, played:hash())
        if k >= 11 then
          for _ = k, 12 do run(played, 7) end
          assert.equal(last, played:hash())
        end
      end
    end
  end)

  it("is seen by rows, queries and grids that were there before", function()
    local query = world:query { Position }
    local near = world:grid { query = { read = { Position } },
      at = { Position, "x", "y" }, cell = 4 }
    local a = world:spawn(Position { x = 1, y = 1 })
    local state, row = world:snapshot(), nil
    world:spawn(Position { x = 2, y = 1 })
    assert.equal(2, near:count(1, 1, 3))
    for e, p in query:rows() do
      row = row or p
      if e == a then p.x = 100 end
    end
    world:restore(state)
    assert.equal(1, query:count())
    assert.equal(1, near:count(1, 1, 3))
    query:each(function(p) assert.equal(1, p.x) end)
    assert.is_false((pcall(function() return row.x end)))
  end)

  it("has all rows changed, for queries that ask for changes", function()
    world:spawn_many(10, { Position })
    local seen = 0
    world:system { name = "look", query = { read = { Position },
      changed = { Position } }, each = function() seen = seen + 1 end }
    world:progress(0)
    world:progress(0)
    assert.equal(10, seen)
    local state = world:snapshot()
    world:restore(state)
    world:progress(0)
    assert.equal(20, seen)
    world:spawn(Velocity)
    world:restore(state)
    world:progress(0)
    assert.equal(30, seen)
  end)

  it("has the values of a resource, or none", function()
    local without = world:snapshot()
    local gravity = world:resource(Gravity { y = -1 })
    local with = world:snapshot()
    gravity.y = -2
    world:restore(with)
    assert.equal(-1, gravity.y)
    world:restore(without)
    refuses(function() world:resource(Gravity) end, "no SnapshotGravity")
    assert.is_false((pcall(function() return gravity.y end)))
    world:restore(with)
    assert.equal(-1, world:resource(Gravity).y)
  end)

  it("can be chosen inside of a loop over rows, which goes on", function()
    local a = world:spawn(Position { x = 1 })
    local state, seen = world:snapshot(), {}
    local b = world:spawn(Position { x = 2 })
    for e, p in world:query({ Position }):rows() do
      seen[#seen + 1] = e
      p.x = 5
      world:restore(state)
    end
    assert.same({ a }, seen)
    assert.is_false(world:alive(b))
    assert.equal(1, world:get(a, Position, "x"))
  end)

  it("has the arrays, with their sizes", function()
    local walls = world:array("walls", "u8", 3, 4)
    walls[2][3] = 7
    local state, hash, row = world:snapshot(), world:hash(), walls[3]
    walls[2][3] = 1
    row[1] = 5
    world:array("later", "f32", 2)[1] = 1
    world:restore(state)
    assert.equal(hash, world:hash())
    assert.equal(7, walls[2][3])
    assert.equal(0, row[1])
    assert.equal(0, world:array("later", "f32", 2)[1])
    walls:resize(2, 2)
    walls:fill(9)
    world:restore(state)
    assert.equal(hash, world:hash())
    assert.same({ 3, 4 }, { walls:size() })
    assert.same({ 7, 0 }, { walls[2][3], row[4] })
  end)

  it("tells no observer", function()
    local told = 0
    local state = world:snapshot()
    local e = world:spawn(Position)
    for _, what in ipairs { "add", "remove", "set" } do
      world:on(what, Position, function() told = told + 1 end)
    end
    world:on("destroy", function() told = told + 1 end)
    world:restore(state)
    assert.is_false(world:alive(e))
    assert.equal(0, told)
    world:spawn(Position)
    assert.equal(1, told)
  end)

  it("leaves components and systems that came later", function()
    local state = world:snapshot()
    local Late = ecs.component("SnapshotLate", { n = "u8" },
      { storage = "sparse" })
    world:system { name = "late", query = { Late },
      each = function(late) late.n = late.n + 1 end }
    local e = world:spawn(Late { n = 1 })
    world:restore(state)
    assert.is_false(world:alive(e))
    e = world:spawn(Late { n = 5 })
    world:progress(0)
    assert.equal(6, world:get(e, Late, "n"))
  end)
end)

describe("a history", function()
  it("goes back as far as it holds", function()
    local e = world:spawn(Position)
    local past = world:history(3)
    for x = 1, 5 do
      world:set(e, Position, "x", x)
      past:take()
    end
    world:set(e, Position, "x", 6)
    assert.equal(3, past:count())
    past:rewind(1)
    assert.equal(5, world:get(e, Position, "x"))
    past:rewind(2)
    assert.equal(4, world:get(e, Position, "x"))
    assert.equal(2, past:count())
    refuses(function() past:rewind(3) end, "holds 2 states")
    past:rewind(2)
    assert.equal(3, world:get(e, Position, "x"))
    refuses(function() past:rewind(2) end, "holds 1 state,")
    past:take()
    assert.equal(2, past:count())
  end)

  it("keeps two peers equal that guess each other's inputs", function()
    local DELAY, FRAMES = 4, 40
    local function peer()
      local own = game()
      return { world = own, past = own:history(16), inputs = {} }
    end
    --- What the other one does in a frame.
    local function input(frame) return frame % 7 == 0 and 1 or 0 end
    local function step(one, frame, pressed)
      one.past:take()
      if pressed == 1 then
        one.world:spawn(Position { x = frame }, Velocity, Health, Burning)
      end
      run(one.world, 1)
    end
    local sure, guessing = peer(), peer()
    for frame = 1, FRAMES + DELAY do
      if frame <= FRAMES then step(sure, frame, input(frame)) end
      -- The input of `known` arrives: back to it, and again with what was true.
      local known = frame - DELAY
      if known >= 1 and input(known) == 1 then
        guessing.past:rewind(frame - known)
        for again = known, frame - 1 do
          step(guessing, again, again <= known and input(again) or 0)
        end
      end
      if frame <= FRAMES + DELAY then step(guessing, frame, 0) end
    end
    guessing.past:rewind(DELAY)
    assert.equal(sure.world:hash(), guessing.world:hash())
  end)
end)

describe("snapshots refuse", function()
  it("what is none", function()
    local other = ecs.world {}
    local state = other:snapshot()
    refuses(function() world:restore(state) end, "another world")
    refuses(function() world:snapshot(state) end, "of this world")
    for _, wrong in ipairs { 1, "s", {}, world, print } do
      refuses(function() world:restore(wrong) end, "restore takes")
      refuses(function() world:snapshot(wrong) end, "snapshot takes")
    end
    refuses(function() world:restore() end, "restore takes")
    for _, wrong in ipairs { 0, -1, 1.5, 0 / 0, 1e9, "8", {} } do
      refuses(function() world:history(wrong) end, "history takes")
      refuses(function() world:history(2):rewind(wrong) end, "rewind")
    end
    refuses(function() world:history(2):rewind(1) end, "holds 0 states")
  end)

  it("callbacks, frames and closed worlds", function()
    local state, past = world:snapshot(), world:history(2)
    past:take()
    world:spawn(Position)
    local function all()
      refuses(function() world:snapshot() end, "inside")
      refuses(function() world:restore(state) end, "inside")
      refuses(function() past:take() end, "inside")
      refuses(function() past:rewind(1) end, "inside")
    end
    local calls = 0
    local function inside()
      calls = calls + 1
      all()
    end
    world:query({ Position }):each(inside)
    world:query({ Position }):batch(inside)
    world:system { name = "run", run = inside }
    world:progress(0)
    world:on("add", Velocity, inside)
    world:spawn(Velocity)
    assert.equal(4, calls)
    world:close()
    refuses(function() world:restore(state) end, "closed")
    refuses(function() past:take() end, "closed")
    refuses(function() past:rewind(1) end, "closed")
    assert.equal("ecs.Snapshot (0 bytes)", tostring(state))
  end)
end)
