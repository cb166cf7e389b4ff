-- query:batch: what a batch has, what it lacks, and how a callback ends. The
-- bounds of columns are in batch_column_spec.lua, what stores convert is in
-- store_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned

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
    -- Plain tables may still give an old number, and ignore a new one.
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
    support.passes_errors_on(function(f) query:batch(f) end)
  end)

  it("cannot yield", function()
    support.cannot_yield(function()
      query:batch(function() coroutine.yield(1) end)
    end)
    world:spawn(Position)
    assert.equal(7, query:count())
  end)

  it("may nest until a limit says stop", function()
    local reading = world:query { read = { Position } }
    support.nests_to_a_limit(reading, "batch")
    world:spawn(Position)
    assert.equal(7, query:count())
  end)
end)

describe("batch:copy", function()
  local Point = ecs.component("CopyPoint", { x = "f32", y = "f64", n = "u8" })
  local Shade = ecs.component("CopyShade", { on = "bool", of = "entity" })
  local copied = ecs.world {}
  local query = copied:query { Point, optional = { Shade } }
  local bare = copied:query { Point, without = { Shade } }
  local first = copied:spawn(Point { x = 1, y = 2, n = 3 })
  copied:spawn(Point { x = -1, y = 0.5, n = 255 })

  --- The bytes of numbers, little-endian: a list of { number, bytes }.
  local function whole(number, bytes)
    local text = ""
    for _ = 1, bytes do
      text = text .. string.char(number % 256)
      number = math.floor(number / 256)
    end
    return text
  end
  local ONE, MINUS = whole(0x3f800000, 4), whole(0xbf800000, 4)
  local TWO, HALF = whole(0, 4) .. whole(0x40000000, 4),
    whole(0, 4) .. whole(0x3fe00000, 4)

  local function in_batch(of, f)
    local calls = 0
    of:batch(function(batch)
      calls = calls + 1
      f(batch)
    end)
    assert.equal(1, calls)
  end

  it("gives rows one after the other, as they are named", function()
    in_batch(query, function(batch)
      assert.equal(ONE .. "\3" .. MINUS .. "\255", batch:copy(Point, "x", "n"))
      assert.equal("\3" .. TWO .. "\255" .. HALF, batch:copy(Point, "n", "y"))
      local all = batch:copy(Point)
      assert.equal(26, #all)
      local fields = {}
      for k, field in ipairs(Point.fields) do fields[k] = field.name end
      assert.equal(all, batch:copy(Point, fields[1], fields[2], fields[3]))
    end)
  end)

  it("sees what the callback has stored, and changes nothing", function()
    in_batch(query, function(batch)
      local x = batch[Point].x
      x[1] = 0
      assert.equal(("\0"):rep(4) .. MINUS, batch:copy(Point, "x"))
      x[1] = 1
      assert.equal(ONE .. MINUS, batch:copy(Point, "x"))
    end)
    assert.equal(1, copied:get(first, Point, "x"))
  end)

  it("takes several components, bool and entity fields", function()
    local lit = copied:spawn(Point { n = 7 }, Shade { on = true, of = first })
    in_batch(copied:query { read = { Point, Shade } }, function(batch)
      assert.equal("\7\1" .. whole(first, 8),
        batch:copy(Point, "n", Shade, "on", "of"))
    end)
    in_batch(bare, function(batch)
      assert.equal("\3\255", batch:copy(Point, "n"))
    end)
    copied:destroy(lit)
  end)

  it("writes to memory of LuaJIT's FFI", function()
    if not rawget(_G, "jit") or os.getenv "ECS_BACKEND" then return end
    local ffi = require "ffi"
    local buffer = ffi.new "float[4]"
    in_batch(query, function(batch)
      assert.equal(8, batch:copy(buffer, 16, Point, "x"))
      assert.same({ 1, -1, 0 }, { buffer[0], buffer[1], buffer[2] })
      refuses(function() batch:copy(buffer, 7, Point, "x") end, "do not fit")
      assert.equal(1, buffer[0])
    end)
  end)

  it("refuses what a batch does not have", function()
    local kept
    in_batch(query, function(batch)
      kept = batch
      refuses(function() batch:copy() end, "copy takes components")
      refuses(function() batch:copy "x" end, "copy takes components")
      refuses(function() batch:copy(Point, "z") end, "no field 'z'")
      refuses(function() batch:copy(Point, 1) end, "copy takes components")
      refuses(function() batch:copy(Shade) end, "lack a component")
      refuses(function() batch:copy(ecs.tag "CopyTag") end, "does not name")
      refuses(function() batch.copy(Point) end, "':'")
      refuses(function() batch.copy = 1 end, "'copy'")
    end)
    refuses(function() kept:copy(Point) end, "over")
    refuses(function() ecs.component("copy", { x = "f32" }) end, "'copy'")
  end)
end)
