-- query:rows while the world changes: which entities the loop still visits, and
-- how a row follows its entity.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Sparse = ecs.component("RowsSparse", { n = "i32" },
  { storage = "sparse" })
local Seen = ecs.tag("RowsSeen", { storage = "bits" })

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

  -- Rows that follow each other are located together.
  it("passes over what went while it was in the middle of many", function()
    local many, present, visits = {}, {}, {}
    for k = 1, 500 do
      many[k] = world:spawn(Position { x = k, y = k }, k % 2 == 0 and Velocity
        or Enemy)
      present[many[k]] = true
    end
    local place = { [many[1]] = 1 }
    for k = 2, 500 do place[many[k]] = k end
    local function leave(id, way)
      if not id or visits[id] then return end
      present[id] = nil
      if way == 1 then world:destroy(id)
      elseif way == 2 then world:add(id, Stunned)
      else world:remove(id, Position) end
    end
    local n = 0
    for e, p in query:rows() do
      assert.is_nil(visits[e])
      visits[e], n = true, n + 1
      if place[e] then assert.equal(place[e], p.y) end
      -- The next ones of the table, without a look at this row afterwards.
      if n % 37 == 0 then
        leave(many[(place[e] or 0) + 2], n % 3 + 1)
        leave(many[(place[e] or 0) + 4], (n + 1) % 3 + 1)
      end
      if n % 53 == 0 then world:spawn(Position) end
    end
    local left = 0
    for id in pairs(present) do
      left = left + 1
      assert.is_true(visits[id])
    end
    assert.is_true(left < 490)
    assert.equal(left + 8, n)
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
      -- The library cannot know that a loop was left.
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
