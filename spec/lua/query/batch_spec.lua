-- Batches: columns, their bounds, what is not in them, and what is left of them
-- when the callback has returned. What stores convert is in store_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Every = scene.Every

describe("a batch", function()
  local world
  before_each(function()
    world = ecs.world {}
    for k = 1, 10 do world:spawn(Position { x = k, y = -k }, Velocity) end
  end)

  it("has count, entities and columns", function()
    local calls = 0
    world:query({ Position }):batch(function(batch)
      calls = calls + 1
      assert.equal(10, batch.count)
      for i = 1, batch.count do
        local x = batch[Position].x[i]
        assert.equal(i, x)
        assert.equal(x, batch.Position.x[i])
        assert.is_true(world:alive(batch.entities[i]))
      end
    end)
    assert.equal(1, calls)
  end)

  it("is not shown when nothing matches", function()
    world:query({ Position, Enemy }):batch(function() error "called" end)
  end)

  it("hands on extra arguments", function()
    local seen
    world:query({ Position }):batch(function(_, ...)
      seen = { select("#", ...), ... }
    end, 1, nil, "three", nil)
    assert.same({ 4, 1, nil, "three", nil }, seen)
  end)

  it("writes what is assigned", function()
    local query = world:query { Position, read = { Velocity } }
    query:batch(function(batch, dt)
      local p, v = batch[Position], batch[Velocity]
      for i = 1, batch.count do
        p.x[i] = p.x[i] + v.x[i] * dt
        p.y[i] = 2 * i
      end
    end, 0.5)
    local k = 0
    query:batch(function(batch)
      for i = 1, batch.count do
        k = k + 1
        assert.equal(k + 0.5, batch.Position.x[i])
        assert.equal(2 * k, world:get(batch.entities[i], Velocity, "x") * 2 * k)
      end
    end)
    assert.equal(10, k)
  end)

  it("reads columns that nothing else was read of", function()
    local sum = 0
    world:query({ read = { Velocity } }):batch(function(batch)
      for i = 1, batch.count do sum = sum + batch.Velocity.x[i] end
    end)
    assert.equal(10, sum)
  end)

  it("gives the same columns for every partition into groups", function()
    local function total()
      local sum = 0
      world:query({ Position, read = { Velocity } }):batch(function(batch)
        for i = 1, batch.count do
          batch.Position.y[i] = batch.Position.x[i] + batch.Velocity.x[i]
          sum = sum + batch.Position.x[i]
        end
      end)
      return sum
    end
    assert.equal(55, total())
    local before = world:state_hash()
    world:group { Position }
    assert.equal(55, total())
    assert.equal(before, world:state_hash())
    world:group { Velocity }
    assert.equal(55, total())
    assert.equal(before, world:state_hash())
  end)

  it("shows an optional component for all rows or for none", function()
    for k = 1, 300 do
      local entity = world:spawn(Position)
      if k % 3 == 0 then world:add(entity, Sprite { frame = k }) end
    end
    local with, without = 0, 0
    world:query({ Position, optional = { Sprite } }):batch(function(batch)
      local sprite = batch[Sprite]
      assert.equal(sprite, batch.Sprite)
      for i = 1, batch.count do
        if sprite then
          with = with + 1
          sprite.frame[i] = sprite.frame[i] + 1
        else
          without = without + 1
        end
      end
    end)
    assert.equal(100, with)
    assert.equal(210, without)
    local sum = 0
    world:query({ read = { Sprite } }):batch(function(batch)
      for i = 1, batch.count do sum = sum + batch.Sprite.frame[i] end
    end)
    assert.equal(3 * 100 * 101 / 2 + 100, sum)
  end)

  it("works inside another batch", function()
    local pairs_seen = 0
    local outer, inner = world:query { read = { Position } },
      world:query { read = { Position, Velocity } }
    outer:batch(function(a)
      inner:batch(function(b)
        outer:batch(function(c)
          assert.equal(a.count, c.count)
          assert.equal(a.Position.x[3], c.Position.x[3])
        end)
        for i = 1, a.count do
          for j = 1, b.count do
            if a.Position.x[i] == b.Position.x[j] then
              pairs_seen = pairs_seen + 1
            end
          end
        end
      end)
    end)
    assert.equal(10, pairs_seen)
  end)
end)

describe("an index", function()
  local query
  before_each(function()
    local world = ecs.world {}
    world:spawn_many(5, { Position, Every })
    query = world:query { Position, Every }
  end)

  it("that is no row of the batch is an error, to read and to write", function()
    for _, index in ipairs { 0, 6, -1, 1.5, 1 / 0, -1 / 0, "1", true, {},
        2 ^ 31, 2 ^ 31 + 1, 2 ^ 32 + 1, 2 ^ 53, 1 - 2 ^ 31, -2 ^ 31,
        1 - 2 ^ 32 } do
      query:batch(function(batch)
        local x, j = batch.Position.x, batch.Every.j
        refuses(function() return x[index] end, "Position.x has rows 1 to 5")
        refuses(function() x[index] = 1 end, "Position.x has rows 1 to 5")
        refuses(function() return j[index] end, "Every.j has rows 1 to 5")
        refuses(function() j[index] = nil end, "Every.j has rows 1 to 5")
        refuses(function() return batch.entities[index] end, "rows 1 to 5")
      end)
    end
    query:batch(function(batch)
      refuses(function() return batch.Position.x[0 / 0] end, "not nan")
      refuses(function() return batch.Position.x[nil] end, "not nil")
    end)
  end)

  it("of ipairs is refused behind the last row", function()
    -- LuaJIT's ipairs looks at a column that is a table, and at no metatable.
    local jit = rawget(_G, "jit")
    local plain = jit and os.getenv "ECS_BACKEND" == "capi"
    query:batch(function(batch)
      local last
      local done, text = pcall(function()
        for i in ipairs(batch.Position.x) do last = i end
      end)
      if plain then return end
      assert.is_false(done)
      assert.equal(batch.count, last)
      assert.truthy(text:find("ecs: Position.x has rows 1 to " .. last
        .. ", not " .. last + 1, 1, true), text)
    end)
  end)

  it("says the length with #", function()
    query:batch(function(batch)
      assert.equal(5, #batch.entities)
      assert.equal(5, #batch.Position.x)
    end)
  end)

  it("of a batch shorter than the one before is checked, too", function()
    local world = ecs.world {}
    world:spawn_many(200, { Position })
    world:spawn_many(100, { Position, Enemy })
    local counts = {}
    world:query({ Position }):batch(function(batch)
      local x = batch.Position.x
      for i = 1, batch.count do x[i] = i end
      refuses(function() return x[batch.count + 1] end, "rows 1 to")
      counts[#counts + 1] = batch.count
    end)
    assert.equal(300, (counts[1] or 0) + (counts[2] or 0) + (counts[3] or 0))
  end)
end)

describe("what a batch does not have", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    world:spawn(Position, Velocity, Enemy)
    query = world:query { Position, with = { Enemy, Velocity } }
  end)

  it("is an error that says why", function()
    query:batch(function(batch)
      refuses(function() return batch[Sprite] end, "does not name Sprite")
      refuses(function() return batch.Sprite end, "does not name 'Sprite'")
      refuses(function() return batch[Enemy] end, "Enemy is a tag")
      refuses(function() return batch.Velocity end, "only matches Velocity")
      refuses(function() return batch[Position].z end,
        "Position has no field 'z' (it has x, y)")
      refuses(function() return batch[1] end, "does not name 1")
    end)
  end)

  it("cannot be assigned", function()
    query:batch(function(batch)
      refuses(function() batch.count = 3 end, "'count'")
      refuses(function() batch.Position = {} end, "'Position'")
      refuses(function() batch.Position.x = {} end, "'x'")
      assert.equal(1, batch.count)
      assert.equal(0, batch.Position.x[1])
      refuses(function() batch.Position.x = {} end, "'x'")
    end)
  end)

  it("is everything when the callback has returned", function()
    local kept, columns, x, entities
    query:batch(function(batch)
      kept, columns = batch, batch.Position
      x, entities = batch.Position.x, batch.entities
      assert.equal(1, batch.count)
      assert.equal(0, x[1] * entities[1])
    end)
    local before = world:hash()
    refuses(function() return kept.count end, "over")
    refuses(function() return kept.entities end, "over")
    refuses(function() return columns.x end, "over")
    refuses(function() return kept.Position.y end, "over")
    refuses(function() return x[2] end, "over")
    refuses(function() return x[0] end, "over")
    -- Plain tables may still give an old number, and take one in vain.
    local ok, number = pcall(function() return x[1] end)
    assert.is_true(not ok or number == 0)
    pcall(function() x[1] = 99 end)
    pcall(function() entities[1] = 99 end)
    assert.equal(before, world:hash())
    query:batch(function(batch) assert.equal(0, batch.Position.x[1]) end)
  end)

  it("hides its metatables", function()
    query:batch(function(batch)
      assert.is_false(getmetatable(batch))
      assert.is_false(getmetatable(batch.Position))
      local meta = getmetatable(batch.Position.x)
      assert.is_true(meta == false or meta == "ffi")
    end)
  end)
end)

-- Only the columns of the batch that was touched last are compared with its
-- count; the others with their own.
describe("a column that was kept", function()
  local world, query, limits
  before_each(function()
    world = ecs.world {}
    world:spawn_many(1, { Position })
    world:spawn_many(900, { Position, Velocity })
    query, limits = world:query { Position }, {}
  end)

  local function last(column, wanted)
    assert.equal(0, column[wanted])
    refuses(function() return column[wanted + 1] end,
      "has rows 1 to " .. wanted)
  end

  it("from a batch is over in the next, whatever that touches", function()
    local kept
    query:batch(function(batch)
      local y = batch.Position.y
      last(y, batch.count)
      limits[#limits + 1] = batch.count
      if kept then
        local ok, number = pcall(function() return kept[2] end)
        assert.is_true(not ok or number == nil)
        -- A plain table takes what nobody will read.
        if type(kept) == "cdata" then
          refuses(function() return kept[2] end, "over")
          refuses(function() kept[2] = 7 end, "over")
        end
        last(y, batch.count)
      else
        kept = batch.Position.x
        last(kept, batch.count)
      end
    end)
    assert.same({ 1, 900 }, limits)
    query:batch(function(batch) last(batch.Position.x, batch.count) end)
  end)

  it("has its own rows inside another walk and after it", function()
    local other = world:query { read = { Position } }
    local walk = world:query { read = { Position } }
    walk:batch(function(batch)
      local x = batch.Position.x
      other:batch(function(inner)
        local inner_x = inner.Position.x
        last(inner_x, inner.count)
        last(x, batch.count)
        local y = batch.Position.y
        for _ = 1, 2 do
          last(y, batch.count)
          last(inner_x, inner.count)
          last(inner.Position.y, inner.count)
          last(x, batch.count)
        end
        limits[#limits + 1] = batch.count * 1000 + inner.count
      end)
      last(x, batch.count)
      last(batch.Position.y, batch.count)
    end)
    assert.same({ 1001, 1900, 900001, 900900 }, limits)
  end)
end)

describe("a callback", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    world:spawn_many(3, { Position })
    world:spawn_many(3, { Position, Stunned })
    query = world:query { Position }
  end)

  it("is a function", function()
    refuses(function() query:batch() end, "function")
    refuses(function() query:batch {} end, "function")
    refuses(function() query.batch(nil, print) end, "query:batch(...)")
  end)

  it("that raises ends the walk, keeps what was written, and its error",
    function()
      local thrown = {}
      local ok, caught = pcall(query.batch, query, function(batch)
        batch.Position.x[1] = 5
        error(thrown)
      end)
      assert.is_false(ok)
      assert.equal(thrown, caught)
      local most = 0
      query:batch(function(batch)
        most = math.max(most, batch.Position.x[1])
      end)
      assert.equal(5, most)
      assert.is_true(world:alive(world:spawn(Position)))
    end)

  it("that raises a string has it raised as it was", function()
    local ok, text = pcall(query.batch, query, function() error("boom", 0) end)
    assert.is_false(ok)
    assert.equal("boom", text)
    ok, text = pcall(query.batch, query, function() error() end)
    assert.is_false(ok)
    assert.is_nil(text)
  end)

  it("cannot yield", function()
    local thread = coroutine.create(function()
      query:batch(function() coroutine.yield(1) end)
    end)
    local ok, text = coroutine.resume(thread)
    assert.is_false(ok)
    assert.truthy(tostring(text):find("yield", 1, true), text)
    world:spawn(Position)
    assert.equal(7, query:count())
  end)

  it("may nest until a limit says stop", function()
    local reading, deepest = world:query { read = { Position } }, 0
    local function deeper(_, depth)
      deepest = depth
      if depth < 1000 then reading:batch(deeper, depth + 1) end
    end
    assert.is_false((pcall(reading.batch, reading, deeper, 1)))
    assert.is_true(deepest >= 16 and deepest < 1000)
    world:spawn(Position)
    assert.equal(7, query:count())
  end)
end)
