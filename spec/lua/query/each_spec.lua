-- query:each: arguments, errors, what is recorded, and which components can be
-- reached meanwhile. Systems with an each are in system_each_spec.lua; what
-- fields convert is in row_store_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Target = ecs.component("Target", { who = "entity" })

local function pack(...)
  return { n = select("#", ...), ... }
end

describe("each", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    for k = 1, 10 do
      world:spawn(Position { x = k }, Velocity { x = 10 * k })
    end
    query = world:query { Position, read = { Velocity } }
  end)

  it("calls a function for every row, in the order of batches", function()
    local ids, k = {}, 0
    query:batch(function(batch)
      for i = 1, batch.count do ids[#ids + 1] = batch.entities[i] end
    end)
    query:each(function(p, v, e)
      k = k + 1
      assert.equal(ids[k], e)
      assert.equal(10 * p.x, v.x)
      p.y = v.x + 1
    end)
    assert.equal(10, k)
    for i, e in ipairs(ids) do
      assert.equal(10 * i + 1, world:get(e, Position, "y"))
    end
  end)

  it("hands on the array part, read, optional, extras, the entity", function()
    local e = world:spawn(Target, Sprite { frame = 3 }, Velocity { x = 7 },
      Position { x = 5 }, Enemy, Stunned)
    local q = world:query { Position, Enemy, Velocity,
      read = { Sprite, Stunned }, optional = { Target } }
    local seen
    q:each(function(...) seen = pack(...) end, "a", nil, 3, nil)
    assert.equal(9, seen.n)
    assert.equal("ecs.Row (Position)", tostring(seen[1]))
    assert.equal("ecs.Row (Velocity)", tostring(seen[2]))
    assert.equal("ecs.Row (Sprite)", tostring(seen[3]))
    assert.equal("ecs.Row (Target)", tostring(seen[4]))
    assert.same({ "a", nil, 3, nil, e }, { seen[5], seen[6], seen[7], seen[8],
      seen[9] })
    world:remove(e, Target)
    q:each(function(...) seen = pack(...) end)
    assert.equal(5, seen.n)
    assert.is_nil(seen[4])
    assert.equal(e, seen[5])
  end)

  it("gives no row for tags and filters", function()
    local q = world:query { with = { Position }, without = { Enemy } }
    local count = 0
    q:each(function(...)
      assert.equal(1, select("#", ...))
      assert.is_true(world:alive((...)))
      count = count + 1
    end)
    assert.equal(10, count)
    world:query({ Enemy }):each(function() error "called" end)
    count = 0
    world:query({ all = true }):each(function() count = count + 1 end)
    assert.equal(10, count)
  end)

  it("hands on any number of extras up to a limit", function()
    local unpack = table.unpack or unpack
    for _, n in ipairs { 0, 1, 2, 7, 50, 100 } do
      local extras, calls = {}, 0
      for k = 1, n do extras[k] = k end
      query:each(function(...)
        calls = calls + 1
        assert.equal(n + 3, select("#", ...))
        if n > 0 then assert.equal(n, (select(n + 2, ...))) end
      end, unpack(extras, 1, n))
      assert.equal(10, calls)
    end
    local extras = {}
    for k = 1, 101 do extras[k] = k end
    refuses(function() query:each(print, unpack(extras)) end, "at most 100")
  end)

  it("works on many rows, and for many functions", function()
    world:spawn_many(3000, { Position, Velocity })
    for round = 1, 20 do
      query:each(function(p, v, dt) p.y = p.y + v.x * dt + round * 0 end, 0.5)
    end
    local sum = 0
    world:query({ read = { Position }, with = { Velocity } }):each(
      function(p) sum = sum + p.y end)
    assert.equal(20 * 0.5 * (3000 + 550), sum)
  end)

  it("has a limit of rows, which says so", function()
    local terms, spawned = {}, {}
    for k = 1, 101 do
      terms[k] = ecs.component("EachMany" .. k, { x = "f32" })
      spawned[k] = terms[k]
    end
    local unpack = table.unpack or unpack
    world:spawn(unpack(spawned))
    refuses(function() world:query(terms):each(print) end, "at most 100")
    refuses(function() world:query(terms):rows() end, "at most 100")
    terms[101] = nil
    local q, calls = world:query(terms), 0
    q:each(function(...)
      calls = calls + 1
      assert.equal(101, select("#", ...))
      select(100, ...).x = 4
    end)
    for e, first in q:rows() do
      calls = calls + 1
      first.x = 3
      assert.equal(4, world:get(e, terms[100], "x"))
      assert.equal(3, world:get(e, terms[1], "x"))
    end
    assert.equal(2, calls)
  end)

  it("takes a function", function()
    refuses(function() query:each() end, "each takes a function")
    refuses(function() query:each {} end, "each takes a function")
    refuses(function() query.each(nil, print) end,
      "is called with ':', as in query:each")
  end)

  it("works inside itself and inside batches", function()
    local reading, pairs_seen = world:query { read = { Position } }, 0
    reading:each(function(a)
      reading:each(function(b)
        reading:batch(function(batch)
          assert.equal(10, batch.count)
        end)
        if a.x == b.x then pairs_seen = pairs_seen + 1 end
      end)
      assert.is_true(a.x > 0)
    end)
    assert.equal(10, pairs_seen)
    local rows = 0
    reading:batch(function(batch)
      reading:each(function(p)
        rows = rows + 1
        assert.equal(batch.Position.x[rows], p.x)
      end)
    end)
    assert.equal(10, rows)
  end)

  it("keeps views of outer loops apart from inner ones", function()
    local reading, checked = world:query { read = { Position } }, 0
    reading:each(function(outer, e)
      local before = outer.x
      reading:each(function() end)
      assert.equal(before, outer.x)
      assert.equal(before, world:get(e, Position, "x"))
      checked = checked + 1
    end)
    assert.equal(10, checked)
  end)

  it("may nest until a limit says stop", function()
    local reading = world:query { read = { Position } }
    support.nests_to_a_limit(reading, "each")
    world:spawn(Position)
    assert.equal(11, reading:count())
  end)
end)

describe("a row of each", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    for k = 1, 5 do world:spawn(Position { x = k }) end
    query = world:query { Position }
  end)

  it("is over when the loop is", function()
    local kept, before
    query:each(function(p) kept = p end)
    before = world:hash()
    refuses(function() return kept.x end, "this row is over")
    refuses(function() kept.x = 1 end, "this row is over")
    assert.equal(before, world:hash())
    pcall(query.each, query, function(p)
      kept = p
      error "stop"
    end)
    refuses(function() return kept.x end, "this row is over")
  end)

  it("is over when its query and world are gone", function()
    local kept
    query:each(function(p) kept = p end)
    world:close()
    refuses(function() return kept.x end, "this row is over")
    query, world = nil, nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    refuses(function() return kept.x end, "this row is over")
    refuses(function() kept.x = 1 end, "this row is over")
  end)

  it("of an optional component is nothing in a row that lacks it", function()
    local with = world:spawn(Sprite { frame = 8 }, Enemy)
    local without = world:spawn(Enemy)
    local kept, frames, refused = nil, 0, 0
    local q = world:query { optional = { Sprite }, with = { Enemy } }
    -- In either order, one of two rounds keeps the row before the other entity.
    for _ = 1, 2 do
      q:each(function(s, e)
        if s then
          assert.equal(with, e)
          kept, frames = s, frames + s.frame
        elseif kept then
          assert.equal(without, e)
          local ok, text = pcall(function() return kept.frame end)
          assert.is_false(ok)
          refused = refused + 1
          assert.truthy(text:find("has no Sprite", 1, true)
            or text:find("over", 1, true), text)
          assert.is_false((pcall(function() kept.frame = 1 end)))
        end
      end)
    end
    assert.equal(16, frames)
    assert.is_true(refused >= 1)
    assert.equal(8, world:get(with, Sprite, "frame"))
  end)
end)

describe("an error in each", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    for k = 1, 6 do world:spawn(Position { x = k }) end
    query = world:query { Position }
  end)

  it("at any row keeps what was written, drops what was recorded", function()
    for stop = 1, 6 do
      local before, thrown, n = query:count(), {}, 0
      local ok, caught = pcall(query.each, query, function(p, e)
        n = n + 1
        p.y = 100 * stop + n
        world:spawn(Position)
        world:add(e, Enemy)
        if n == stop then error(thrown) end
      end)
      assert.is_false(ok)
      assert.equal(thrown, caught)
      assert.equal(stop, n)
      assert.equal(before, query:count())
      assert.equal(0, world:query({ Enemy }):count())
      local written = 0
      query:each(function(p)
        if p.y > 100 * stop then written = written + 1 end
      end)
      assert.equal(stop, written)
      assert.is_true(world:destroy(world:spawn(Position)))
    end
  end)

  it("passes as it was", function()
    support.passes_errors_on(function(f) query:each(f) end)
  end)

  it("blames the line of the callback", function()
    local ok, text = pcall(query.each, query, function(p) return p.z end)
    assert.is_false(ok)
    assert.truthy(text:match("^%S*each_spec.lua:%d+: ecs: Position has no "
      .. "field 'z'"), text)
  end)

  it("is raised by a yield", function()
    support.cannot_yield(function()
      query:each(function() coroutine.yield(1) end)
    end)
    world:spawn(Position)
    assert.equal(7, query:count())
  end)

  it("is raised by closing the world", function()
    query:each(function()
      refuses(function() world:close() end, "closed inside query { Position }")
    end)
    assert.equal(6, query:count())
  end)
end)

describe("inside each", function()
  local world, query, ids
  before_each(function()
    world, ids = ecs.world {}, {}
    for k = 1, 4 do ids[k] = world:spawn(Position { x = k }, Velocity) end
    query = world:query { Position, read = { Velocity } }
  end)

  it("structure is recorded, and applied at the end", function()
    local n = 0
    query:each(function(p, _, e)
      n = n + 1
      world:spawn(Position { x = 50 + n }, Velocity)
      world:add(e, Enemy)
      assert.is_false(world:has(e, Enemy))
      if n == 2 then
        world:destroy(e)
        assert.is_false(world:alive(e))
        p.x = 99
        assert.equal(99, p.x)
      elseif n == 3 then
        world:remove(e, Position)
        assert.equal(3, p.x)
        assert.is_true(world:has(e, Position))
      end
    end)
    assert.equal(4, n)
    assert.equal(6, query:count())
    assert.equal(3, world:query({ Enemy }):count())
    assert.is_false(world:has(ids[3], Position))
    assert.is_false(world:alive(ids[2]))
  end)

  it("the query's components are reached through its rows alone", function()
    local label = "query { Position, read = { Velocity } }"
    local reading = world:query { read = { Position } }
    local writing = world:query { Velocity }
    query:each(function(_, _, e)
      for _, f in ipairs {
        function() local _ = world:get(e, Position) end,
        function() local _ = world:get(e, Position, "x") end,
        function() world:set(e, Position, "x", 1) end,
        function() reading:each(print) end,
        function() reading:rows() end,
        function() reading:batch(print) end,
        function() query:each(print) end,
        function() query:rows() end,
      } do
        refuses(f, "cannot reach Position here", label)
      end
      for _, f in ipairs {
        function() world:set(e, Velocity, "x", 1) end,
        function() writing:each(print) end,
        function() writing:rows() end,
      } do
        refuses(f, "cannot reach Velocity here", label)
      end
      assert.equal(1, world:get(e, Velocity, "x"))
    end)
  end)

  it("a new definition or a system is an error", function()
    query:each(function()
      refuses(function() world:clear() end, "not possible inside query {")
      refuses(function() world:group { Position } end, "not possible inside")
      refuses(function()
        world:system { name = "late", run = print }
      end, "cannot be defined inside query {")
      refuses(function() world:progress(1) end, "not possible inside query {")
    end)
  end)
end)
