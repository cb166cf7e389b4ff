-- query:rows: what it visits while anything changes, how rows follow their
-- entities, and what is left of them. What fields convert is in
-- row_store_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, once = support.refuses, support.once
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Sparse = ecs.component("RowsSparse", { n = "i32" },
  { storage = "sparse" })
local Seen = ecs.tag("RowsSeen", { storage = "bits" })

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
    for _ in world:query({}):rows() do count = count + 1 end
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

describe("a loop of rows", function()
  local world, query, ids
  before_each(function()
    world, ids = ecs.world {}, {}
    for k = 1, 8 do ids[k] = world:spawn(Position { x = k }) end
    query = world:query { Position, without = { Stunned } }
  end)

  local function visited(f)
    local seen = {}
    for e, p in query:rows() do
      seen[#seen + 1] = p.x
      if f then f(e, p) end
    end
    return table.concat(seen, " "):gsub("%.0", "")
  end

  it("passes over what was destroyed, at once", function()
    assert.equal("1 3 5 7", (visited(function(e)
      for k, id in ipairs(ids) do
        if id == e and ids[k + 1] then
          assert.is_true(world:destroy(ids[k + 1]))
          assert.is_false(world:alive(ids[k + 1]))
        end
      end
    end)))
    assert.equal(4, query:count())
  end)

  it("passes over what matches no more, for every storage", function()
    local n = 0
    visited(function()
      n = n + 1
      if n == 1 then
        world:add(ids[2], Stunned)
        world:remove(ids[3], Position)
        world:add(ids[4], Enemy)
      end
    end)
    assert.equal(6, n)
    assert.equal(6, query:count())
    local seen = 0
    for e in world:query({ Position, with = { Seen } }):rows() do
      error("matches " .. e)
    end
    for _, id in ipairs(ids) do world:add(id, Seen) end
    for e in world:query({ read = { Position }, with = { Seen } }):rows() do
      seen = seen + 1
      for _, id in ipairs(ids) do
        if id ~= e then world:remove(id, Seen) end
      end
    end
    assert.equal(1, seen)
  end)

  it("does not visit what came later", function()
    assert.equal("1 2 3 4 5 6 7 8", (visited(function()
      local new = world:spawn(Position { x = 100 })
      assert.equal(100, world:get(new, Position, "x"))
    end)))
    assert.equal(16, query:count())
  end)

  it("does not visit a new entity in the place of an old one", function()
    local n = 0
    visited(function()
      n = n + 1
      if n == 1 then
        for k = 2, 8 do world:destroy(ids[k]) end
        for _ = 2, 8 do world:spawn(Position { x = 50 }) end
      end
    end)
    assert.equal(1, n)
    assert.equal(8, query:count())
  end)

  it("visits one that left and came back", function()
    local n = 0
    visited(function()
      n = n + 1
      if n == 1 then
        world:remove(ids[5], Position)
        world:add(ids[5], Position { x = 55 })
      end
    end)
    assert.equal(8, n)
  end)

  it("lets structure change in every way at every step", function()
    local n = 0
    for _, p in query:rows() do
      n = n + 1
      local value = p.x
      world:spawn_many(200, { Position, Velocity })
      world:group(n % 2 == 0 and { Position } or { Velocity })
      assert.equal(value, p.x)
      p.y = value
      assert.equal(value, p.y)
    end
    assert.equal(8, n)
    for k, id in ipairs(ids) do
      assert.equal(k, world:get(id, Position, "y"))
    end
  end)

  it("may be cleared away", function()
    local n, kept = 0, nil
    for _, p in query:rows() do
      n, kept = n + 1, p
      world:clear()
      refuses(function() return p.x end, "is not alive")
    end
    assert.equal(1, n)
    refuses(function() return kept.x end, "this row is over")
  end)

  it("may walk over its own components", function()
    local n = 0
    for e, p in query:rows() do
      n = n + 1
      query:batch(function(batch)
        for i = 1, batch.count do
          if batch.entities[i] == e then batch.Position.y[i] = 7 end
        end
      end)
      assert.equal(7, p.y)
      world:set(e, Position, "y", 8)
      assert.equal(8, p.y)
    end
    assert.equal(8, n)
  end)

  it("may run systems and frames", function()
    world:system { name = "grow", query = { Position }, each = function(p)
      p.x = p.x + 1
    end }
    local n = 0
    for _, p in query:rows() do
      local before = p.x
      world:progress(1)
      assert.equal(before + 1, p.x)
      n = n + 1
    end
    assert.equal(8, n)
  end)
end)

describe("a row of rows", function()
  local world, entity, query
  before_each(function()
    world = ecs.world {}
    for _ = 1, 20 do world:spawn(Position) end
    entity = world:spawn(Position { x = 1 }, Sparse { n = 2 })
    query = world:query { Position, Sparse }
  end)

  it("follows its entity", function()
    local steps = 0
    for e, p, s in query:rows() do
      steps = steps + 1
      local changes = {
        function() world:add(e, Velocity) end,
        function() world:add(e, Enemy) end,
        function() world:remove(e, Velocity) end,
        function() world:spawn_many(300, { Position, Enemy }) end,
        function() world:spawn_many(300, { Sparse }) end,
        function() world:add(e, Stunned) end,
        function() world:group { Position, Sparse } end,
        function() for _ = 1, 40 do world:spawn(Position, Enemy) end end,
      }
      for k, change in ipairs(changes) do
        change()
        assert.equal(k, p.x)
        p.x = k + 1
        s.n = s.n + 1
        assert.equal(k + 1, world:get(e, Position, "x"))
        assert.equal(k + 2, world:get(e, Sparse, "n"))
      end
    end
    assert.equal(1, steps)
  end)

  it("follows it where it matches no more", function()
    local narrow, steps = world:query { Position, with = { Sparse } }, 0
    for e, p in narrow:rows() do
      steps = steps + 1
      world:remove(e, Sparse)
      assert.equal(1, p.x)
      p.x = 9
      assert.equal(9, world:get(e, Position, "x"))
    end
    assert.equal(1, steps)
  end)

  it("is an error when its component went, until it comes back", function()
    local steps = 0
    for e, p, s in query:rows() do
      steps = steps + 1
      world:remove(e, Position)
      refuses(function() return p.x end, "has no Position", "entity ")
      refuses(function() p.x = 1 end, "has no Position")
      refuses(function() return p.z end, "has no field 'z'")
      assert.equal(2, s.n)
      world:add(e, Position { x = 33 })
      assert.equal(33, p.x)
      world:remove(e, Sparse)
      refuses(function() return s.n end, "has no RowsSparse")
      assert.equal(33, p.x)
    end
    assert.equal(1, steps)
  end)

  it("is an error when its entity died", function()
    for e, p, s in query:rows() do
      world:destroy(e)
      refuses(function() return p.x end, "this row's entity", "is not alive")
      refuses(function() s.n = 1 end, "is not alive")
      world:spawn(Position { x = 77 }, Sparse) -- maybe in the same place
      refuses(function() return p.x end, "is not alive")
    end
    assert.is_false(world:alive(entity))
  end)

  it("is one view, whatever row the loop is at", function()
    local first, n = nil, 0
    for _, p in world:query({ Position }):rows() do
      n = n + 1
      first = first or p
      assert.is_true(rawequal(first, p))
      p.y = n
      assert.equal(n, first.y)
    end
    assert.equal(21, n)
  end)

  it("is over after the last step", function()
    local kept
    for _, p in query:rows() do kept = p end
    local before = world:hash()
    refuses(function() return kept.x end, "this row is over")
    refuses(function() kept.x = 5 end, "this row is over")
    refuses(function() return kept.nothing end, "this row is over")
    assert.equal(before, world:hash())
  end)

  it("that was kept when the loop was left goes on with its entity",
    function()
      local kept
      for _, p in query:rows() do -- luacheck: ignore 512
        kept = p
        break
      end
      -- Nobody can know that a loop was left.
      for _ = 1, 3 do
        for _, p in query:rows() do p.x = p.x + 1 end
      end
      assert.equal(4, kept.x)
      world:destroy(entity)
      refuses(function() return kept.x end, "is not alive")
      world:close()
      refuses(function() return kept.x end, "closed")
    end)

  it("of an optional component may come and go", function()
    local q = world:query { Position, optional = { Sprite },
      with = { Sparse } }
    for e, _, sprite in q:rows() do
      assert.is_nil(sprite)
      world:add(e, Sprite { frame = 4 })
    end
    for e, _, sprite in q:rows() do
      assert.equal(4, sprite.frame)
      world:remove(e, Sprite)
      refuses(function() return sprite.frame end, "has no Sprite")
      world:add(e, Sprite)
      sprite.frame = 70000
      assert.equal(65535, sprite.frame)
    end
  end)
end)

describe("rows inside a callback", function()
  local world, ids, positions, velocities
  before_each(function()
    world, ids = ecs.world {}, {}
    for k = 1, 3 do ids[k] = world:spawn(Position { x = k }, Velocity) end
    positions = world:query { read = { Position } }
    velocities = world:query { Velocity }
  end)

  it("reads what is only read, writes what nobody holds", function()
    local n = 0
    positions:each(function(outer)
      for e, p in positions:rows() do
        n = n + p.x
        refuses(function() p.x = 1 end, "Position is only read by")
        assert.is_true(world:alive(e))
      end
      for _, v in velocities:rows() do
        v.x = v.x + 1.5
        v.y = 0.1
        assert.equal("0.10000000149011612", ("%.17g"):format(v.y))
      end
      assert.is_true(outer.x > 0)
    end)
    assert.equal(18, n)
    for _, id in ipairs(ids) do
      assert.equal(5.5, world:get(id, Velocity, "x"))
    end
  end)

  it("cannot have what the callback holds", function()
    local writing = world:query { Position }
    once(velocities, function()
      refuses(function() velocities:rows() end,
        "query { Velocity } cannot reach Velocity here",
        "query { Velocity } is walking over it")
      for _, p in positions:rows() do assert.is_true(p.x > 0) end
    end)
    once(positions, function()
      refuses(function() writing:rows() end, "cannot reach Position here",
        "query { read = { Position } } is walking over it")
    end)
  end)

  it("loses its rows to a callback inside it, for as long as it lasts",
    function()
      local writing = world:query { Position }
      local n = 0
      for _, p in writing:rows() do
        local before = p.x
        once(writing, function(batch)
          refuses(function() return p.x end, "cannot reach Position here",
            "query { Position } is walking over it")
          refuses(function() p.x = 3 end, "cannot reach Position here")
          assert.is_true(batch.Position.x[1] > 0)
        end)
        once(positions, function()
          assert.equal(before, p.x)
          refuses(function() p.x = 3 end, "query { Position } cannot reach "
            .. "Position here", "query { read = { Position } } is walking")
        end)
        assert.equal(before, p.x)
        p.x = before + 1
        n = n + 1
      end
      assert.equal(3, n)
    end)

  it("may be stepped that began outside", function()
    local optional = world:query { read = { Velocity },
      optional = { Position } }
    local step, state = optional:rows()
    local e, v, p = step(state)
    assert.equal(ids[1], e)
    assert.equal(2, v.x + p.x)
    once(world:query { Position }, function()
      e, v, p = step(state)
      assert.equal(ids[2], e)
      assert.equal(1, v.x)
      refuses(function() return p.x end, "cannot reach Position here")
      refuses(function() p.x = 1 end, "cannot reach Position here")
    end)
    assert.equal(2, p.x)
    e, v, p = step(state)
    assert.equal(ids[3], e)
    assert.equal(4, v.x + p.x)
    assert.is_nil((step(state)))
    assert.is_nil((step(state)))
    refuses(function() return p.x end, "this row is over")
  end)

  it("records structure with the callback", function()
    once(positions, function()
      local n = 0
      for e, v in velocities:rows() do
        n = n + 1
        world:add(e, Enemy)
        world:spawn(Velocity)
        if n == 1 then
          world:remove(e, Velocity)
          world:destroy(ids[2])
          assert.is_true(world:has(e, Velocity))
          assert.equal(1, v.x)
        end
        assert.is_false(world:has(e, Enemy))
      end
      -- The second was destroyed when its turn came.
      assert.equal(2, n)
    end)
    assert.equal(2, world:query({ Enemy }):count())
    assert.is_false(world:alive(ids[2]))
    assert.equal(3, velocities:count())
  end)

  it("stores after what was recorded for the same entity", function()
    once(positions, function()
      for e, v in velocities:rows() do
        world:set(e, Velocity, "x", 5)
        world:add(e, Enemy)
        world:set(e, Velocity, "x", 6) -- recorded: it must not win
        v.x = 7
        v.y = 1e39
      end
    end)
    for _, id in ipairs(ids) do
      assert.same({ x = 7, y = 1 / 0 }, world:get(id, Velocity))
    end
  end)

  it("of spawn_many may run over the rest of the world", function()
    world:spawn_many(2, { Sprite }, function(batch)
      for _, p in positions:rows() do
        batch.Sprite.frame[1] = batch.Sprite.frame[1] + p.x
      end
    end)
    local sum = 0
    for _, s in world:query({ read = { Sprite } }):rows() do
      sum = sum + s.frame
    end
    assert.equal(6, sum)
  end)
end)

describe("what loops over rows leave behind", function()
  it("is no garbage once they run", function()
    local world = ecs.world {}
    world:spawn_many(100, { Position, Velocity })
    local query = world:query { Position, read = { Velocity } }
    local function add(p, v) p.x = p.x + v.x end
    local function frame()
      query:each(add)
      for _, p, v in query:rows() do p.y = p.y + v.x end
    end
    -- Compiled loops need a while until they are compiled.
    for _ = 1, 400 do frame() end
    local least
    for _ = 1, 20 do
      collectgarbage()
      collectgarbage "stop"
      local before = collectgarbage "count"
      for _ = 1, 10 do frame() end
      local grown = collectgarbage "count" - before
      collectgarbage "restart"
      if not least or grown < least then least = grown end
    end
    -- Less than one object per row and frame by far.
    assert.is_true(least * 1024 < 10 * 100, least .. " KB in ten frames")
  end)

  it("is collected, loops that were left included", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local world = ecs.world {}
      local query = world:query { Position }
      world:spawn(Position)
      local kept
      query:each(function(p) kept = p end)
      world:system { name = "s", query = query, each = function()
        return world, kept
      end }
      world:progress(1)
      for _, p in query:rows() do
        weak[p] = true
        if kept then break end
      end
      weak[world], weak[query] = true, true
    end
    collectgarbage()
    collectgarbage()
    collectgarbage()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 6, left .. " are left")
  end)

  it("has room for queries of any number of shapes", function()
    assert.equal("ok\n", support.printed "spec/programs/shapes_program.lua")
  end)

  it("is nothing to the hash", function()
    local world = ecs.world {}
    world:spawn_many(10, { Position })
    local before = world:hash()
    local query = world:query { Position }
    query:each(function() end)
    for _ in query:rows() do break end -- luacheck: ignore 512
    for _, p in query:rows() do assert.equal(0, p.x) end
    assert.equal(before, world:hash())
  end)
end)
