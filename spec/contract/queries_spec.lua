-- Queries: what they match, what their loops give, and what loops allow.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Mark = ecs.component("ContractMark", { n = "i32" },
  { storage = "sparse" })

local world, a, b, all
before_each(function()
  world = ecs.world {}
  a = world:spawn(Position { x = 1 }, Velocity { x = 10 }, Enemy)
  b = world:spawn(Position { x = 2 }, Velocity { x = 20 }, Sprite { frame = 7 })
  all = world:query { Position }
end)

describe("a query", function()
  it("counts what matches and gives the first of it", function()
    assert.equal(2, all:count())
    assert.equal(a, all:first())
    assert.is_nil(world:query({ Mark }):first())
  end)

  it("reads and writes what its array part names", function()
    all:each(function(p) p.x = p.x + 1 end)
    assert.equal(2, world:get(a, Position, "x"))
  end)

  it("only reads what read names", function()
    local sum = 0
    local query = world:query { Position, read = { Velocity } }
    query:each(function(_, v) sum = sum + v.x end)
    assert.equal(30, sum)
    refuses(function()
      query:each(function(_, v) v.x = 0 end)
    end, "Velocity is only read")
  end)

  it("passes over what has not changed since its system ran", function()
    local seen = 0
    world:system { name = "look", compile = false,
      query = { read = { Position }, changed = { Position } },
      each = function() seen = seen + 1 end }
    world:progress(1)
    assert.equal(2, seen)
    world:progress(1)
    assert.equal(2, seen)
    world:set(a, Position, "x", 5)
    world:progress(1)
    assert.is_true(seen > 2)
  end)

  it("gives rows in the order of a field", function()
    local c = world:spawn(Position { x = 1.5 })
    local list = {}
    for e in world:query({ sort = { Position, "x", "down" } }):rows() do
      list[#list + 1] = e
    end
    assert.same({ b, c, a }, list)
  end)

  it("only filters by with and without", function()
    local with = world:query { Position, with = { Enemy, Velocity } }
    assert.equal(1, with:count())
    assert.equal(a, with:first())
    with:each(function(...) assert.equal(2, select("#", ...)) end)
    assert.equal(b, world:query({ without = { Enemy } }):first())
  end)

  it("reads and writes what optional names where it is", function()
    local seen = {}
    local query = world:query { Position, optional = { Sprite } }
    query:each(function(_, sprite, e)
      if sprite then sprite.frame = sprite.frame + 1 end
      seen[e] = sprite ~= nil
    end)
    assert.same({ [a] = false, [b] = true }, seen)
    assert.equal(8, world:get(b, Sprite, "frame"))
  end)

  it("passes its array part, read, optional, and no tag", function()
    local query = world:query {
      optional = { Sprite }, read = { Velocity }, Enemy, Position,
    }
    query:each(function(p, v, sprite, e, ...)
      assert.same({ 1, 10, a, 0 }, { p.x, v.x, e, select("#", ...) })
      assert.is_nil(sprite)
    end)
    for e, p, v, sprite in query:rows() do
      assert.same({ 1, 10, a }, { p.x, v.x, e })
      assert.is_nil(sprite)
    end
    assert.equal(1, query:count())
  end)

  it("hands extra arguments on, before the entity", function()
    local calls = 0
    world:query({ Position, with = { Enemy } }):each(function(p, k, t, e)
      assert.same({ 1, 5, "t", a }, { p.x, k, t, e })
      calls = calls + 1
    end, 5, "t")
    all:batch(function(batch, k, t)
      assert.same({ 5, "t" }, { k, t })
      calls = calls + batch.count
    end, 5, "t")
    assert.equal(3, calls)
  end)

  it("lets nothing be written through a term that it only reads", function()
    local query = world:query { read = { Position } }
    local before = world:hash()
    refuses(function()
      for _, p in query:rows() do p.x = 9 end
    end, "Position is only read")
    refuses(function() query:each(function(p) p.y = 9 end) end, "only read")
    local ok, text = pcall(query.batch, query, function(batch)
      batch.Position.x[1] = 9
    end)
    assert.is_false(ok)
    assert.truthy(text:find("ecs: Position is only read", 1, true), text)
    assert.equal(before, world:hash())
  end)

  it("has an optional component for a whole batch or for none", function()
    local rows = { [true] = 0, [false] = 0 }
    world:spawn_many(50, { Position })
    world:spawn_many(70, { Position, Sprite })
    world:spawn_many(20, { Position, Mark })
    local query = world:query { Position, optional = { Sprite } }
    query:batch(function(batch)
      local sprite = batch[Sprite]
      for i = 1, batch.count do
        assert.equal(world:has(batch.entities[i], Sprite), sprite ~= nil)
      end
      local there = sprite ~= nil
      rows[there] = rows[there] + batch.count
    end)
    assert.same({ [true] = 71, [false] = 71 }, rows)
  end)

  it("explains how it will run, as text", function()
    assert.equal("string", type(all:explain()))
    assert.truthy(all:explain():find("2 rows match", 1, true))
  end)
end)

describe("a row", function()
  it("moves on at the next step of its loop, and ends with it", function()
    local kept
    for e, p in all:rows() do
      kept = kept or p
      assert.equal(world:get(e, Position, "x"), kept.x)
    end
    refuses(function() kept.x = 1 end, "this row is over")
    all:each(function(p) kept = p end)
    refuses(function() local _ = kept.x end, "this row is over")
  end)

  it("follows its entity when that moves", function()
    for e, p in all:rows() do
      world:add(e, Sprite)
      world:add(e, Mark)
      p.y = 5
      assert.equal(5, world:get(e, Position, "y"))
    end
  end)

  it("is an error once its component went", function()
    for e, p in all:rows() do
      world:remove(e, Position)
      refuses(function() p.x = 1 end, "Position")
    end
    assert.equal(0, all:count())
  end)
end)

describe("rows", function()
  it("copies the matching ids first", function()
    local steps = 0
    for _ in all:rows() do
      world:spawn(Position)
      steps = steps + 1
    end
    assert.equal(2, steps)
    assert.equal(4, all:count())
  end)

  it("skips entities that died or match no more", function()
    local c = world:spawn(Position)
    local seen = {}
    for e in all:rows() do
      seen[#seen + 1] = e
      world:destroy(b)
      world:remove(c, Position)
    end
    assert.same({ a }, seen)
  end)

  it("lets anything change inside, at once", function()
    for e, p in all:rows() do
      p.x = 4
      assert.equal(4, world:get(e, Position, "x"))
      assert.is_true(world:has(world:spawn(Mark), Mark))
      world:set(e, Mark { n = 2 })
      assert.equal(2, world:get(e, Mark, "n"))
      world:query({ Velocity }):add(Stunned)
      assert.is_true(world:has(e, Stunned))
      all:batch(function(batch) batch.Position.x[1] = 6 end)
      world:destroy(e)
      assert.is_false(world:alive(e))
    end
    world:spawn(Position)
    for _ in all:rows() do world:clear() end
    assert.equal(0, all:count())
  end)

  it("can be broken out of", function()
    for k = 1, 1000 do
      for e in all:rows() do
        if e == (k % 2 == 0 and a or b) then break end
      end
    end
    world:clear()
    assert.equal(0, all:count())
  end)
end)

describe("a loop", function()
  it("never leaves the world locked", function()
    for _, loop in ipairs { "batch", "each" } do
      pcall(all[loop], all, function() error "out" end)
      pcall(all[loop], all, function() all[loop](all, error) end)
    end
    pcall(function() for _ in all:rows() do error "out" end end)
    world:spawn(Position)
    world:clear()
    assert.equal(0, all:count())
  end)

  it("cannot be yielded out of", function()
    for _, loop in ipairs { "batch", "each" } do
      local thread = coroutine.create(function()
        all[loop](all, function() coroutine.yield() end)
      end)
      local ok, text = coroutine.resume(thread)
      assert.is_false(ok)
      assert.truthy(tostring(text):find("yield", 1, true), text)
    end
    world:clear()
  end)
end)

describe("a bulk form", function()
  it("changes all that match in one operation", function()
    local moving = world:query { Velocity }
    world:spawn_many(100, { Velocity })
    moving:add(Stunned)
    moving:add(Mark { n = 3 })
    assert.equal(102, world:query({ Stunned, Mark }):count())
    moving:remove(Stunned)
    assert.equal(0, world:query({ Stunned }):count())
    moving:set(Velocity { y = 9 })
    assert.same({ x = 10, y = 9 }, world:get(a, Velocity))
    moving:destroy()
    assert.equal(0, all:count())
  end)

  it("takes definitions for all defaults, values for some", function()
    all:add(Velocity { y = 3 })
    assert.same({ x = 10, y = 0 }, world:get(a, Velocity))
    local c = world:spawn(Position { x = 5 })
    all:add(Velocity { y = 3 })
    assert.same({ x = 1, y = 3 }, world:get(c, Velocity))
    all:set(Velocity)
    assert.same({ x = 1, y = 0 }, world:get(a, Velocity))
    all:set(Enemy)
    assert.is_true(world:has(c, Enemy))
  end)

  it("of set adds where a component is missing", function()
    all:set(Sprite { frame = 3 })
    assert.equal(3, world:get(a, Sprite, "frame"))
    assert.equal(3, world:get(b, Sprite, "frame"))
  end)
end)
