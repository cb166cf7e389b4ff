-- Stores through columns of batches: what they convert and what they refuse.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position
local Every = scene.Every

describe("a store through a column", function()
  local world, entity, query
  before_each(function()
    world = ecs.world {}
    entity = world:spawn(Every, Position)
    query = world:query { Every }
  end)

  local function stored(field, value)
    query:batch(function(batch) batch.Every[field][1] = value end)
    return (world:get(entity, Every, field))
  end

  it("truncates towards zero and saturates for integers", function()
    local cases = {
      { "c", 1.9, 1 }, { "c", -1.9, -1 }, { "c", 200, 127 },
      { "c", -200, -128 }, { "d", -1, 0 }, { "d", -0.5, 0 },
      { "d", 255.9, 255 }, { "d", 1e300, 255 }, { "e", 40000, 32767 },
      { "e", -1e9, -32768 }, { "f", 65536, 65535 }, { "f", 65534.9, 65534 },
      { "g", 2 ^ 31, 2 ^ 31 - 1 }, { "g", -2 ^ 40, -2 ^ 31 },
      { "g", -2147483647.5, -2147483647 }, { "h", 2 ^ 32, 2 ^ 32 - 1 },
      { "h", -1, 0 }, { "h", 4294967294.5, 4294967294 },
      { "h", 3000000000, 3000000000 }, { "g", 1 / 0, 2 ^ 31 - 1 },
      { "g", -1 / 0, -2 ^ 31 },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[3], stored(case[1], case[2]))
    end
  end)

  it("converts the result of a computation, not its parts", function()
    local many = ecs.world {}
    many:spawn_many(200, { Every { g = 100, c = 50 }, Position })
    many:query({ Every }):batch(function(batch)
      local every = batch.Every
      for i = 1, batch.count do
        every.g[i] = every.g[i] - 11.29
        every.c[i] = 0.75 * every.c[i] + (i % 2) / 2
        every.h[i] = 2 ^ 32 - 1.5 - i / 4
        -- The product is whole, though its factors are not.
        local row = (i + 0.75) - (0.5 + 0.25)
        every.a[row] = every.a[row] + 1
      end
    end)
    local k = 0
    many:query({ read = { Every } }):batch(function(batch)
      local every = batch.Every
      for i = 1, batch.count do
        k = k + 1
        assert.equal(88, every.g[i])
        assert.equal(k % 2 == 1 and 38 or 37, every.c[i])
        assert.equal(math.floor(2 ^ 32 - 1.5 - k / 4), every.h[i])
        assert.equal(1, every.a[i])
      end
    end)
    assert.equal(200, k)
  end)

  it("makes 0 of a NaN for integers, and one NaN for floats", function()
    for _, field in ipairs { "c", "d", "e", "f", "g", "h" } do
      assert.equal(0, stored(field, 0 / 0))
    end
    local fresh = ecs.world {}
    local other = fresh:spawn(Every { a = 0 / 0, b = 0 / 0 }, Position)
    assert.is_true(fresh:alive(other))
    for _, nan in ipairs { 0 / 0, -(0 / 0), math.huge - math.huge } do
      for _, field in ipairs { "a", "b" } do
        local value = stored(field, nan)
        assert.is_true(value ~= value)
      end
      assert.equal(fresh:state_hash(), world:state_hash())
    end
  end)

  it("rounds to f32, overflowing to infinity", function()
    assert.equal("0.10000000149011612", string.format("%.17g",
      stored("a", 0.1)))
    assert.equal(1 / 0, stored("a", 1e39))
    assert.equal(0.1, stored("b", 0.1))
  end)

  it("takes booleans and numbers for bool", function()
    assert.is_true(stored("i", true))
    assert.is_false(stored("i", false))
    assert.is_true(stored("i", 2))
    assert.is_false(stored("i", 0))
  end)

  it("takes entities and nil for entity", function()
    assert.equal(entity, stored("j", entity))
    query:batch(function(batch) assert.equal(entity, batch.Every.j[1]) end)
    assert.is_nil(stored("j", nil))
    query:batch(function(batch) assert.is_nil(batch.Every.j[1]) end)
    assert.is_nil(stored("j", -1))
    assert.is_nil(stored("j", 0.5))
  end)

  it("reads integers as integers and bool as boolean", function()
    world:set(entity, Every { c = -5, h = 4294967295, i = true })
    query:batch(function(batch)
      assert.equal("-5", tostring(batch.Every.c[1]))
      assert.equal("4294967295", tostring(batch.Every.h[1]))
      assert.is_true(batch.Every.i[1])
    end)
  end)

  it("of a wrong kind is an error that says what was stored", function()
    local wrong = { a = "1", b = {}, c = true, d = print, e = "x",
      f = false, g = {}, h = "7", i = "true", j = true }
    for field, value in pairs(wrong) do
      local before = world:hash()
      refuses(function() stored(field, value) end,
        "Every." .. field, "cannot hold", "row 1")
      assert.equal(before, world:hash())
    end
    refuses(function() stored("a", nil) end, "Every.a is f32")
  end)

  it("through a read-only term is an error and changes nothing", function()
    local before = world:hash()
    local reading = world:query { read = { Every }, with = { Position } }
    for field, value in pairs { a = 1, c = 1, i = true, j = entity, b = "x" } do
      refuses(function()
        reading:batch(function(batch) batch.Every[field][1] = value end)
      end, "Every is only read by query { read = { Every }, "
        .. "with = { Position } }", field .. ", row 1")
      assert.equal(before, world:hash())
    end
    refuses(function()
      reading:batch(function(batch) batch.entities[1] = 99 end)
    end, "batch.entities cannot be assigned")
    assert.equal(before, world:hash())
  end)
end)
