-- query:rows: which entities a loop visits, what it gives for each, and how it
-- can be left. In rows_change_spec.lua the world changes meanwhile, in
-- rows_callback_spec.lua loops run inside callbacks. rows_left_spec.lua looks
-- at what remains afterwards. What fields convert is in row_store_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy
local Sparse = ecs.component("RowsSparse", { n = "i32" },
  { storage = "sparse" })

describe("rows", function()
  local world, query, ids
  before_each(function()
    world, ids = ecs.world {}, {}
    for k = 1, 10 do
      ids[k] = world:spawn(Position { x = k }, Velocity { x = 10 * k })
    end
    query = world:query { Position, read = { Velocity } }
  end)

  it("visits every match once, the entity first", function()
    local k = 0
    for e, p, v, nothing in query:rows() do
      k = k + 1
      assert.equal(ids[k], e)
      assert.equal(k, p.x)
      assert.equal(10 * k, v.x)
      assert.is_nil(nothing)
      p.y = v.x + 1
      assert.equal(v.x + 1, world:get(e, Position, "y"))
    end
    assert.equal(10, k)
  end)

  it("gives array part, read, optional; nil for what is absent", function()
    local e = world:spawn(Position { x = 1 }, Sprite { frame = 2 },
      Sparse { n = 3 }, Enemy)
    local q = world:query { Enemy, Sparse, read = { Position },
      optional = { Velocity, Sprite } }
    local rounds = 0
    for who, sparse, p, v, sprite in q:rows() do
      rounds = rounds + 1
      assert.equal(e, who)
      assert.equal("ecs.Row (RowsSparse)", tostring(sparse))
      assert.equal(3 + 1, sparse.n + p.x)
      assert.is_nil(v)
      assert.equal(2, sprite.frame)
    end
    world:remove(e, Sprite)
    world:add(e, Velocity)
    for _, _, _, v, sprite in q:rows() do
      rounds = rounds + 1
      assert.equal(1, v.x)
      assert.is_nil(sprite)
    end
    assert.equal(2, rounds)
  end)

  it("visits entities of queries without columns", function()
    local count = 0
    for e, nothing in world:query({ with = { Position } }):rows() do
      assert.is_true(world:has(e, Position))
      assert.is_nil(nothing)
      count = count + 1
    end
    for _ in world:query({ all = true }):rows() do count = count + 1 end
    for _ in world:query({ Enemy }):rows() do error "called" end
    assert.equal(20, count)
  end)

  it("works on many rows", function()
    world:spawn_many(3000, { Position, Velocity })
    for _ = 1, 5 do
      for _, p, v in query:rows() do p.y = p.y + v.x * 0.5 end
    end
    local sum = 0
    for _, p in world:query({ read = { Position } }):rows() do
      sum = sum + p.y
    end
    assert.equal(5 * 0.5 * (3000 + 550), sum)
  end)

  it("can be left at any row, and needs no clean-up", function()
    for stop = 1, 10 do
      local n = 0
      for e, p in query:rows() do
        n = n + 1
        p.y = stop
        assert.is_true(world:alive(e))
        if n == stop then break end
      end
      assert.equal(stop, n)
      world:destroy(world:spawn(Position, Enemy))
      world:group { Enemy }
    end
    assert.equal(10, query:count())
    world:clear()
  end)

  it("can be left by an error at any row", function()
    for stop = 1, 10 do
      local n, thrown = 0, {}
      local ok, caught = pcall(function()
        for _, p in query:rows() do
          n = n + 1
          p.y = 100 + stop
          if n == stop then error(thrown) end
        end
      end)
      assert.is_false(ok)
      assert.equal(thrown, caught)
      local written = 0
      for _, p in query:rows() do
        if p.y == 100 + stop then written = written + 1 end
      end
      assert.equal(stop, written)
      assert.is_true(world:destroy(world:spawn(Position)))
    end
  end)

  it("can be nested, over the same query, too", function()
    local pairs_seen = 0
    for a, p in query:rows() do
      local before = p.x
      for b, q in query:rows() do
        if a == b then
          q.y = q.y + 1
          assert.equal(q.y, p.y)
          pairs_seen = pairs_seen + 1
        else
          assert.is_true(p.x ~= q.x)
        end
      end
      for _, q in query:rows() do
        if q.x > 3 then break end
      end
      assert.equal(before, p.x)
    end
    assert.equal(10, pairs_seen)
  end)

  it("can be yielded out of, and the coroutine dropped", function()
    local function visitor()
      return coroutine.wrap(function()
        for e, p in query:rows() do
          p.y = p.y + 1
          coroutine.yield(e)
        end
      end)
    end
    local a, b = visitor(), visitor()
    for k = 1, 10 do
      assert.equal(ids[k], a())
      if k <= 5 then assert.equal(ids[k], b()) end
      world:add(ids[k], Enemy)
    end
    assert.is_nil(a())
    b = nil -- luacheck: ignore
    collectgarbage()
    local sum = 0
    for _, p in query:rows() do sum = sum + p.y end
    assert.equal(15, sum)
    world:clear()
  end)

  it("is called on a query of an open world", function()
    refuses(function() query.rows(world) end,
      "is called with ':', as in query:rows")
    refuses(function() query.rows() end, "is called with ':', as in query:rows")
    world:close()
    refuses(function() for _ in query:rows() do error "called" end end,
      "closed")
  end)

  it("ends with an error when its world is closed in it", function()
    local n, kept = 0, nil
    refuses(function()
      for _, p in query:rows() do
        n, kept = n + 1, p
        world:close()
        refuses(function() return p.x end, "world of this query is closed")
        refuses(function() p.x = 1 end, "world of this query is closed")
      end
    end, "world of this query is closed")
    assert.equal(1, n)
    refuses(function() return kept.x end, "closed")
  end)
end)
