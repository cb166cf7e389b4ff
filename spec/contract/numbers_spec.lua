-- Numbers: what fields accept, convert, refuse and give back.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local Measure = ecs.component("Measure", {
  small = "i8", byte = "u8", whole = "i32", single = "f32", double = "f64",
  flag = "bool",
})

local world, e, query
before_each(function()
  world = ecs.world {}
  e = world:spawn(Measure { small = 3, single = 0.5, flag = true })
  query = world:query { Measure }
end)

--- Stores through a row and through a column.
local function store(field, value)
  for _, row in query:rows() do row[field] = value end
  local stored = world:get(e, Measure, field)
  query:batch(function(batch) batch.Measure[field][1] = value end)
  local again = world:get(e, Measure, field)
  assert.equal(tostring(stored), tostring(again))
  return stored
end

describe("set, values and spawn", function()
  --- All three calls refuse the value, and the row stays as it was.
  local function strict(field, value)
    local before = world:get(e, Measure)
    refuses(function() world:set(e, Measure, field, value) end,
      "Measure." .. field)
    refuses(function() world:set(e, Measure { [field] = value }) end,
      "Measure." .. field)
    refuses(function() world:spawn(Measure { [field] = value }) end,
      "Measure." .. field)
    assert.same(before, world:get(e, Measure))
    assert.equal(1, query:count())
  end

  it("refuse a value of the wrong kind", function()
    strict("single", "1")
    strict("small", true)
    strict("flag", 1)
    strict("double", {})
  end)

  it("refuse a fraction for a field of whole numbers", function()
    strict("small", 0.5)
    strict("whole", -1e-9)
  end)

  it("refuse a number out of the range of a field", function()
    strict("small", 128)
    strict("byte", -1)
    strict("whole", 2 ^ 31)
    strict("whole", 1 / 0)
    strict("whole", 0 / 0)
  end)

  it("refuse a finite number too large for an f32", function()
    strict("single", 1e39)
    world:set(e, Measure, "single", 1 / 0)
    assert.equal(1 / 0, world:get(e, Measure, "single"))
  end)
end)

describe("rows and columns", function()
  it("cut fractions off towards zero", function()
    assert.equal(2, store("small", 2.9))
    assert.equal(-2, store("small", -2.9))
  end)

  it("end at the bounds of a type", function()
    assert.equal(127, store("small", 1e9))
    assert.equal(-128, store("small", -1 / 0))
    assert.equal(0, store("byte", -1))
    assert.equal(2147483647, store("whole", 1 / 0))
  end)

  it("take NaN for 0 in fields of whole numbers", function()
    assert.equal(0, store("small", 0 / 0))
    assert.equal(0, store("whole", 0 / 0))
  end)

  it("mean the same in functions that are compiled", function()
    local source = { 2.9, -2.9, 1e9, -1 / 0, -1, 1 / 0, 0 / 0, 300 }
    local Source = ecs.component("ContractSource", { n = "f64" })
    for _, number in ipairs(source) do
      for _, field in ipairs { "small", "byte", "whole", "single", "double" } do
        world:set(e, Source { n = number })
        world:system {
          name = "store", query = { Measure, read = { Source } },
          compile = true, precision = "double",
          each = "function(row, source) row." .. field .. " = source.n end",
        }
        world:progress(1)
        local compiled = world:get(e, Measure, field)
        assert.equal(tostring(store(field, number)), tostring(compiled))
      end
    end
  end)

  it("refuse what is neither a number nor, for a bool, a boolean", function()
    local before = world:get(e, Measure)
    for field, value in pairs { small = "1", double = true, flag = "x" } do
      refuses(function()
        for _, row in query:rows() do row[field] = value end
      end, "Measure." .. field)
      local ok, text = pcall(query.batch, query, function(batch)
        batch.Measure[field][1] = value
      end)
      assert.is_false(ok)
      assert.truthy(text:find("ecs: Measure." .. field, 1, true), text)
    end
    assert.same(before, world:get(e, Measure))
  end)
end)

describe("a field", function()
  it("reads as what was stored, an f32 rounded at once", function()
    local rounded = 0.100000001490116119384765625
    world:set(e, Measure, "single", 0.1)
    assert.equal(rounded, world:get(e, Measure, "single"))
    for _, row in query:rows() do
      row.single = 0.2
      row.single = 0.1
      assert.equal(rounded, row.single)
    end
  end)

  if math.type then
    it("of whole numbers reads as an integer where Lua has them", function()
      world:set(e, Measure, "whole", 7.0)
      assert.equal("integer", math.type(world:get(e, Measure, "whole")))
      assert.equal("integer", math.type(world:get(e, Measure).small))
      for _, row in query:rows() do
        row.whole = 3.7
        assert.equal("integer", math.type(row.whole))
      end
      query:batch(function(batch)
        assert.equal("integer", math.type(batch.Measure.whole[1]))
      end)
    end)
  end

  it("holds one NaN, whatever NaN came", function()
    local nans = { 0 / 0, -(0 / 0), 1 / 0 - 1 / 0 }
    if string.unpack then
      for _, bits in ipairs { 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF,
          0x7FFC0000DEADBEEF, 0xFFF8123400000000 } do
        nans[#nans + 1] = string.unpack("<d", string.pack("<I8", bits))
      end
    end
    local function hash_after(change)
      local made = ecs.world {}
      local entity = made:spawn(Measure)
      change(made, entity)
      return made:hash()
    end
    local hashes, count = {}, 0
    for _, nan in ipairs(nans) do
      for _, field in ipairs { "single", "double" } do
        local doors = {
          function(made, entity) made:set(entity, Measure, field, nan) end,
          function(made, entity)
            made:set(entity, Measure { [field] = nan })
          end,
          function(made)
            for _, row in made:query({ Measure }):rows() do row[field] = nan end
          end,
          function(made)
            made:query({ Measure }):batch(function(batch)
              batch.Measure[field][1] = nan
            end)
          end,
          function(made)
            made:query({ Measure }):set(Measure { [field] = nan })
          end,
        }
        for _, door in ipairs(doors) do
          local hash = hash_after(door)
          hashes[field] = hashes[field] or hash
          assert.equal(hashes[field], hash)
          count = count + 1
        end
      end
    end
    assert.equal(#nans * 10, count)
  end)
end)
