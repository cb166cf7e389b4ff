-- Fields of rows, in each and in rows: what reads give, what stores convert,
-- and what stores refuse.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy
local Every = scene.Every
local Odd = ecs.component("Odd", {
  [("long"):rep(30)] = "f32", ["end"] = "i8", ["x y"] = "u8", ["1"] = "f64",
})

-- The two ways to rows. Both call f(row, entity) for every match of a query
-- with the columns of one component.
local ways = {
  each = function(query, f) query:each(f) end,
  rows = function(query, f)
    for entity, row in query:rows() do f(row, entity) end
  end,
}

local cases = {
  { "a", 1.5, 1.5 }, { "a", 2 ^ 24 + 1, 2 ^ 24 }, { "a", 1e39, 1 / 0 },
  { "a", -1 / 0, -1 / 0 }, { "b", 0.1, 0.1 }, { "b", 1e300, 1e300 },
  { "c", 1.9, 1 }, { "c", -1.9, -1 }, { "c", 200, 127 }, { "c", -200, -128 },
  { "d", -1, 0 }, { "d", -0.5, 0 }, { "d", 255.9, 255 }, { "d", 1e300, 255 },
  { "e", 40000, 32767 }, { "e", -1e9, -32768 }, { "f", 65536, 65535 },
  { "f", 65534.9, 65534 }, { "g", 2 ^ 31, 2 ^ 31 - 1 },
  { "g", -2 ^ 40, -2 ^ 31 }, { "g", -2147483647.5, -2147483647 },
  { "h", 2 ^ 32, 2 ^ 32 - 1 }, { "h", -1, 0 },
  { "h", 4294967294.5, 4294967294 }, { "h", 3000000000, 3000000000 },
  { "g", 1 / 0, 2 ^ 31 - 1 }, { "g", -1 / 0, -2 ^ 31 }, { "c", 0 / 0, 0 },
  { "d", 0 / 0, 0 }, { "e", 0 / 0, 0 }, { "f", 0 / 0, 0 }, { "g", 0 / 0, 0 },
  { "h", 0 / 0, 0 }, { "i", true, true }, { "i", false, false },
  { "i", 2, true }, { "i", 0, false }, { "i", 0 / 0, true }, { "j", 7, 7 },
  { "j", nil, nil }, { "j", -1, nil }, { "j", 0.5, nil }, { "j", 0 / 0, nil },
  { "j", 2 ^ 52, nil }, { "j", 2 ^ 52 - 1, 2 ^ 52 - 1 }, { "j", 0, nil },
}

for way, visit in pairs(ways) do
  describe("a field of a row of " .. way, function()
    local world, entity, query
    before_each(function()
      world = ecs.world {}
      entity = world:spawn(Every, Position)
      query = world:query { Every }
    end)

    it("converts the result of a computation, not its parts", function()
      local many, seen = ecs.world {}, 0
      many:spawn_many(200, { Every { g = 100, c = 50 }, Position })
      visit(many:query { Every }, function(row)
        seen = seen + 1
        row.g = row.g - 11.29
        row.c = (seen % 2 * 2 - 1) * 0.75 * row.c - (seen % 2) / 2
        assert.equal(88, row.g)
        assert.equal(seen % 2 == 1 and 37 or -37, row.c)
      end)
      assert.equal(200, seen)
    end)

    it("converts what is stored and reads it back at once", function()
      for k, case in ipairs(cases) do
        local field, value, expected = case[1], case[2], case[3]
        local seen = 0
        visit(query, function(row)
          row[field] = value
          seen = seen + 1
          assert.equal(expected, row[field], "case " .. k)
        end)
        assert.equal(1, seen)
        assert.equal(expected, (world:get(entity, Every, field)), "case " .. k)
      end
    end)

    it("does so in compiled loops, too", function()
      local many = ecs.world {}
      many:spawn_many(300, { Every, Position })
      local all = many:query { Every }
      for _, case in ipairs(cases) do
        local field, value, expected = case[1], case[2], case[3]
        local wrong, count = 0, 0
        visit(all, function(row)
          row[field] = value
          count = count + 1
          if row[field] ~= expected then wrong = wrong + 1 end
        end)
        assert.equal(300, count)
        assert.equal(0, wrong, field .. " = " .. tostring(value))
      end
    end)

    it("converts the result of a computation, not its parts", function()
      local many, k = ecs.world {}, 0
      many:spawn_many(200, { Every { g = 100, c = 50 } })
      visit(many:query { Every }, function(row)
        k = k + 1
        row.g = row.g - 11.29
        row.c = 0.75 * row.c + (k % 2) / 2
        row.h = 2 ^ 32 - 1.5 - k / 4
      end)
      k = 0
      visit(many:query { read = { Every } }, function(row)
        k = k + 1
        assert.equal(88, row.g)
        assert.equal(k % 2 == 1 and 38 or 37, row.c)
        assert.equal(math.floor(2 ^ 32 - 1.5 - k / 4), row.h)
      end)
      assert.equal(200, k)
    end)

    it("holds one NaN", function()
      local fresh = ecs.world {}
      fresh:spawn(Every { a = 0 / 0, b = 0 / 0 }, Position)
      for _, nan in ipairs { 0 / 0, -(0 / 0), math.huge - math.huge } do
        visit(query, function(row)
          row.a, row.b = nan, nan
          assert.is_true(row.a ~= row.a and row.b ~= row.b)
        end)
        assert.equal(fresh:state_hash(), world:state_hash())
      end
    end)

    it("reads integers as integers and bool as boolean", function()
      world:set(entity, Every { c = -5, h = 4294967295, i = true, j = entity })
      visit(query, function(row, e)
        assert.equal("-5", tostring(row.c))
        assert.equal("4294967295", tostring(row.h))
        assert.equal("0", tostring(row.g))
        assert.is_true(row.i)
        assert.equal(tostring(entity), tostring(row.j))
        assert.equal(entity, e)
      end)
    end)

    it("of a wrong kind is an error, and nothing changes", function()
      local wrong = { a = "1", b = {}, c = true, d = print, e = "x",
        f = false, g = {}, h = "7", i = "true", j = true }
      for field, value in pairs(wrong) do
        local before = world:hash()
        refuses(function()
          visit(query, function(row) row[field] = value end)
        end, "Every." .. field .. " is ", "cannot hold "
          .. (type(value) == "boolean" and tostring(value)
            or "a " .. type(value)))
        assert.equal(before, world:hash())
      end
      for _, field in ipairs { "a", "c", "h", "i" } do
        refuses(function()
          visit(query, function(row) row[field] = nil end)
        end, "Every." .. field .. " is ", "cannot hold nil")
      end
    end)

    it("of a wrong kind is one after many right ones, too", function()
      local many, k = ecs.world {}, 0
      many:spawn_many(400, { Position })
      refuses(function()
        visit(many:query { Position }, function(row)
          k = k + 1
          row.x = k
          row.y = k < 390 and k or "x"
        end)
      end, "Position.y is f32 and cannot hold a string")
      assert.equal(390, k)
      local sum = 0
      visit(many:query { read = { Position } }, function(row)
        sum = sum + row.y
      end)
      assert.equal(389 * 390 / 2, sum)
    end)

    it("that is not there is an error that names those that are", function()
      visit(query, function(row)
        refuses(function() return row.z end,
          "Every has no field 'z' (it has a, b, c, d, e, f, g, h, i, j)")
        refuses(function() row.z = 1 end, "Every has no field 'z'")
        refuses(function() return row["a\0"] end, "has no field")
        for _, key in ipairs { 1, true, {}, 0.5 } do
          refuses(function() return row[key] end,
            "a field of Every is named by a string")
          refuses(function() row[key] = 1 end,
            "a field of Every is named by a string")
        end
        refuses(function() return row[nil] end, "not by nil")
      end)
    end)

    it("has any name that a field may have", function()
      local long = ("long"):rep(30)
      local odd = world:spawn(Odd, Enemy)
      visit(world:query { Odd, with = { Enemy } }, function(row)
        row[long], row["end"], row["x y"], row["1"] = 1, 2, 3, 4
        assert.equal(10, row[("long"):rep(30)] + row["end"] + row["x y"]
          + row["1"])
        refuses(function() return row[long .. "r"] end, "has no field")
      end)
      assert.same({ [long] = 1, ["end"] = 2, ["x y"] = 3, ["1"] = 4 },
        world:get(odd, Odd))
    end)

    it("of a read-only term cannot be stored", function()
      local reading = world:query { read = { Every }, with = { Position } }
      local before = world:hash()
      for field, value in pairs { a = 1, c = 1, i = true, j = entity,
          b = "x" } do
        refuses(function()
          visit(reading, function(row) row[field] = value end)
        end, "Every is only read by query { read = { Every }, "
          .. "with = { Position } }", "(" .. field .. ")")
        assert.equal(before, world:hash())
      end
      refuses(function()
        visit(reading, function(row) row.z = 1 end)
      end, "Every has no field 'z'")
    end)

    it("is that of an optional component where it is there", function()
      for k = 1, 150 do
        local e = world:spawn(Enemy)
        if k % 3 == 0 then world:add(e, Position { x = k }) end
      end
      local sum, without = 0, 0
      visit(world:query { optional = { Position }, with = { Enemy } },
        function(row, e)
          -- The argument of an absent row is nil.
          assert.equal(row ~= nil, world:has(e, Position))
          if row then
            sum = sum + row.x
            row.x = -1
          else
            without = without + 1
          end
        end)
      assert.equal(3 * 50 * 51 / 2, sum)
      assert.equal(100, without)
      sum = 0
      visit(world:query { read = { Position }, with = { Enemy } },
        function(row) sum = sum + row.x end)
      assert.equal(-50, sum)
    end)

    it("is the same whatever the storage", function()
      local function total()
        local sum = 0
        visit(world:query { Position, with = { Every } }, function(row)
          row.y = row.y + 1
          sum = sum + row.x + row.y
        end)
        return sum
      end
      for k = 1, 40 do world:spawn(Position { x = k }, Every) end
      assert.equal(820 + 41, total())
      world:group { Every }
      assert.equal(820 + 82, total())
      world:group { Position }
      assert.equal(820 + 123, total())
    end)

    it("is a view that hides what it is made of", function()
      local kept
      visit(query, function(row)
        kept = row
        assert.is_false(getmetatable(row))
        assert.equal("ecs.Row (Every)", tostring(row))
        assert.is_false((pcall(setmetatable, row, {})))
      end)
      refuses(function() return kept.a end, "this row is over")
      refuses(function() kept.a = 1 end, "this row is over")
      refuses(function() return kept.z end, "this row is over")
      assert.equal("ecs.Row (Every)", tostring(kept))
    end)
  end)
end
