-- world:array: elements of one type by one to three indices.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Position = ecs.component("ArrayPosition", { x = "f64", y = "f64" })

-- What each type holds: values that come back as they are, and some that do not
-- fit.
local types = {
  f32 = { keeps = { 0, -1.5, 0.25, 2 ^ 24, 3.4028234663852886e38, 1 / 0,
                    -1 / 0 },
          refused = { 1e39, -1e300, true, "1" } },
  f64 = { keeps = { 0, -1.5, 0.1, 2 ^ 53, 1e308, 1 / 0, -1 / 0, 5e-324 },
          refused = { true, "1" } },
  i8 = { keeps = { 0, -128, 127 }, refused = { -129, 128, 0.5, 0 / 0, true } },
  u8 = { keeps = { 0, 255, 1 },
         refused = { -1, 256, 0.5, 0 / 0, 1 / 0, false } },
  i16 = { keeps = { -32768, 32767 }, refused = { -32769, 32768, 0.5, 0 / 0 } },
  u16 = { keeps = { 0, 65535 }, refused = { -1, 65536, 1.5, 0 / 0, "2" } },
  i32 = { keeps = { -2 ^ 31, 2 ^ 31 - 1 },
          refused = { -2 ^ 31 - 1, 2 ^ 31, 0.5 } },
  u32 = { keeps = { 0, 2 ^ 32 - 1, 2 ^ 31 },
          refused = { -1, 2 ^ 32, 0.5, 0 / 0 } },
  bool = { keeps = { true, false }, refused = { 0, 1, "true" } },
}

describe("an array", function()
  local world
  before_each(function() world = ecs.world {} end)
  after_each(function() world:close() end)

  it("begins with zeros, by one to three indices from 1", function()
    local one = world:array("one", "f32", 5)
    local two = world:array("two", "u8", 3, 4)
    local three = world:array("three", "i16", 2, 3, 4)
    local flags = world:array("flags", "bool", 2)
    for x = 1, 5 do assert.equal(0, one[x]) end
    for x = 1, 3 do for y = 1, 4 do assert.equal(0, two[x][y]) end end
    for x = 1, 2 do
      for y = 1, 3 do
        for z = 1, 4 do assert.equal(0, three[x][y][z]) end
      end
    end
    assert.is_false(flags[2])
    assert.same({ 5 }, { one:size() })
    assert.same({ 3, 4 }, { two:size() })
    assert.same({ 2, 3, 4 }, { three:size() })
    assert.same({ 5, 3, 2 }, { #one, #two, #three })
    assert.same({ 4, 3, 4 }, { #two[1], #three[2], #three[2][3] })
  end)

  it("keeps each element for itself", function()
    local three = world:array("three", "i32", 3, 4, 5)
    for x = 1, 3 do
      for y = 1, 4 do
        for z = 1, 5 do three[x][y][z] = x * 100 + y * 10 + z end
      end
    end
    for x = 1, 3 do
      for y = 1, 4 do
        for z = 1, 5 do
          assert.equal(x * 100 + y * 10 + z, three[x][y][z])
        end
      end
    end
  end)

  it("has an object for each index, made once", function()
    local walls = world:array("walls", "u8", 3, 4)
    local cube = world:array("cube", "u8", 3, 4, 5)
    assert.is_true(rawequal(walls[1], walls[1]))
    assert.is_false(rawequal(walls[1], walls[2]))
    assert.is_true(rawequal(cube[1][2], cube[1][2]))
    assert.is_false(rawequal(cube[1][2], cube[2][2]))
    walls[1][3], walls[2][3] = 5, 7
    walls[1][3], walls[2][3] = walls[2][3], walls[1][3]
    assert.same({ 7, 5 }, { walls[1][3], walls[2][3] })
    local first, second = walls[1], walls[2]
    first[1], second[1] = 1, 2
    assert.same({ 1, 2 }, { first[1], second[1] })
  end)

  it("is one for each name", function()
    local walls = world:array("walls", "u8", 3, 4)
    assert.is_true(rawequal(walls, world:array("walls", "u8", 3, 4)))
    assert.is_false(rawequal(walls, world:array("other", "u8", 3, 4)))
    walls[1][1] = 3
    assert.equal(3, world:array("walls", "u8", 3, 4)[1][1])
    refuses(function() world:array("walls", "i8", 3, 4) end,
      "there is an array 'walls' (u8, 3 x 4) already", "i8, 3 x 4")
    refuses(function() world:array("walls", "u8", 4, 3) end, "u8, 4 x 3")
    refuses(function() world:array("walls", "u8", 12) end, "u8, 12")
    assert.equal("ecs.Array ('walls': u8, 3 x 4)", tostring(walls))
    assert.equal("ecs.ArrayRow ('walls'[2])", tostring(walls[2]))
  end)

  it("refuses what no array can be", function()
    refuses(function() world:array() end, "takes a name", "nothing")
    refuses(function() world:array(1, "u8", 1) end, "takes a name", "not 1")
    refuses(function() world:array({}, "u8", 1) end, "not a table")
    refuses(function() world:array("", "u8", 1) end, "1 to 255 bytes")
    refuses(function() world:array("a\0b", "u8", 1) end, "control characters")
    refuses(function() world:array(("x"):rep(256), "u8", 1) end, "255")
    for _, name in ipairs { "entity", "string", "U8", "" } do
      refuses(function() world:array("a", name, 1) end, "'" .. name .. "'",
        "i32")
    end
    refuses(function() world:array("a") end, "type", "nothing")
    refuses(function() world:array("a", "u8") end, "one to three sizes")
    refuses(function() world:array("a", "u8", 1, 1, 1, 1) end, "not 4")
    for _, size in ipairs { 0, -1, 0.5, 0 / 0, 1 / 0, 2 ^ 31, 2 ^ 53 } do
      refuses(function() world:array("a", "u8", size) end,
        "the first size of array 'a' is a whole number from 1")
      refuses(function() world:array("a", "u8", 2, size) end, "second size")
    end
    refuses(function() world:array("a", "u8", "3") end, "not a string")
    refuses(function() world:array("a", "u8", 2, nil, 2) end, "second size")
    refuses(function() world:array("a", "u8", 2 ^ 16, 2 ^ 16) end,
      "1073741824 elements")
    refuses(function() world.array("a", "u8", 1) end, "called with ':'")
    assert.equal(world:hash(), ecs.world {}:hash())
  end)

  for name, type in pairs(types) do
    it("keeps " .. name .. " and refuses what does not fit", function()
      for dimensions = 1, 3 do
        local sizes = { 3, dimensions > 1 and 2 or nil,
                        dimensions > 2 and 2 or nil }
        local array = world:array(name .. dimensions, name,
          (table.unpack or unpack)(sizes))
        local row = dimensions == 1 and array or dimensions == 2 and array[2]
          or array[2][1]
        for _ = 1, 60 do -- LuaJIT compiles it
          for _, value in ipairs(type.keeps) do
            row[2] = value
            assert.equal(value, row[2])
          end
        end
        for _, value in ipairs(type.refused) do
          local before = row[2]
          refuses(function() row[2] = value end,
            "array '" .. name .. dimensions .. "' is " .. name .. ": it takes")
          refuses(function() array:fill(value) end, "it takes")
          assert.equal(before, row[2])
        end
        refuses(function() row[2] = nil end, "not nil")
        refuses(function() row[2] = {} end, "not a table")
        assert.equal(type.keeps[#type.keeps], row[2])
        local zero = 0
        if name == "bool" then zero = false end
        assert.equal(zero, (row[1]))
      end
    end)
  end

  it("keeps one kind of NaN, and the sign of zero", function()
    for _, name in ipairs { "f32", "f64" } do
      local array = world:array(name, name, 2)
      array[1] = 0 / 0
      local first = world:hash()
      array[1] = -(0 / 0)
      assert.is_true(array[1] ~= array[1])
      assert.equal(first, world:hash())
      array[1] = -0.0
      assert.equal(-1 / 0, 1 / array[1])
    end
  end)

  it("says in which range an index is", function()
    local one = world:array("one", "u8", 200)
    local two = world:array("two", "u8", 3, 200)
    local three = world:array("three", "u8", 3, 4, 5)
    local bad = { 0, -1, 201, 1.5, 0 / 0, 1 / 0, -1 / 0, 2 ^ 31, 2 ^ 32 + 1,
                  -2 ^ 31, 2 ^ 53, 1e300, {}, true, print }
    for _, x in ipairs(bad) do
      refuses(function() return one[x] end, "array 'one'", "from 1 to 200")
      refuses(function() one[x] = 1 end, "from 1 to 200")
      refuses(function() return two[x] end, "first index", "from 1 to 3")
      refuses(function() two[x] = 1 end, "first index", "from 1 to 3")
      refuses(function() return two[2][x] end, "second index", "from 1 to 200")
      refuses(function() two[2][x] = 1 end, "second index", "from 1 to 200")
      refuses(function() return three[x] end, "first index", "from 1 to 3")
      refuses(function() return three[1][x] end, "second index", "from 1 to 4")
      refuses(function() return three[1][2][x] end, "third index",
        "from 1 to 5")
      refuses(function() three[1][2][x] = 1 end, "third index", "from 1 to 5")
    end
    refuses(function() return one[nil] end, "not nil")
    refuses(function() return two[1]["2"] end, "not a string")
    refuses(function() return two[1].fill end, "not a string")
    refuses(function() return one.x end, "no method 'x'", "fill", "resize",
      "set", "size")
    refuses(function() one.x = 1 end, "not a string")
    refuses(function() two[1] = 5 end, "2 indices", "walls[x][y] = 1")
    refuses(function() three[1] = 5 end, "3 indices")
    refuses(function() three[1][1] = 5 end, "3 indices")
  end)

  it("fills all elements", function()
    local walls = world:array("walls", "i16", 7, 9)
    walls:fill(-3)
    for x = 1, 7 do for y = 1, 9 do assert.equal(-3, walls[x][y]) end end
    refuses(function() walls:fill() end, "not nothing")
    refuses(function() walls.fill(0) end, "called with ':'")
    refuses(function() walls.fill(world, 0) end, "called with ':'")
    assert.equal(-3, walls[7][9])
  end)

  it("is set from lists as it is indexed", function()
    local one = world:array("one", "f64", 3)
    one:set { 1, 2.5, -3 }
    assert.same({ 1, 2.5, -3 }, { one[1], one[2], one[3] })
    local two = world:array("two", "u8", 2, 3)
    two:set { { 1, 2, 3, name = "extra" }, setmetatable({ 4, 5, 6 }, {}) }
    assert.same({ 1, 2, 3 }, { two[1][1], two[1][2], two[1][3] })
    assert.same({ 4, 5, 6 }, { two[2][1], two[2][2], two[2][3] })
    local three = world:array("three", "bool", 1, 2, 2)
    three:set { { { true, false }, { false, true } } }
    assert.same({ true, false, false, true }, { three[1][1][1], three[1][1][2],
      three[1][2][1], three[1][2][2] })
  end)

  it("stores nothing of lists that do not fit", function()
    local two = world:array("two", "u8", 2, 3)
    two:set { { 1, 2, 3 }, { 4, 5, 6 } }
    local before = world:hash()
    local function fails(elements, ...)
      refuses(function() two:set(elements) end, "array 'two'", ...)
      assert.equal(before, world:hash())
    end
    fails(nil, "not nil")
    fails(7, "not 7")
    fails({}, "[1]", "not nil")
    fails({ { 9, 9, 9 } }, "[2]", "not nil")
    fails({ { 9, 9, 9 }, { 9, 9 } }, "[2][3]", "not nil")
    fails({ { 9, 9, 9 }, { 9, nil, 9 } }, "[2][2]", "not nil")
    fails({ { 9, 9, 9 }, { 9, 9, 9, 9 } }, "an element [2][4]")
    fails({ { 9, 9, 9 }, { 9, 9, 9 }, {} }, "an element [3]")
    fails({ { 9, 9, 9 }, { 9, 9, 256 } }, "[2][3]", "from 0 to 255, not 256")
    fails({ { 9, 9, 9 }, { 9, 9, "9" } }, "[2][3]", "not a string")
    fails({ { 9, 9, 9 }, 5 }, "[2]", "not 5")
    -- Lists are read raw: nothing of a script runs in between.
    local liar = setmetatable({}, { __index = function() return 9 end,
      __len = function() return 3 end })
    fails({ liar, liar }, "[1][1]", "not nil")
    fails(liar, "[1]", "not nil")
    refuses(function() two.set({ 1 }) end, "called with ':'")
  end)

  it("gets other sizes, and stays the same object", function()
    local walls = world:array("walls", "u8", 3, 4)
    local kept, gone = walls[2], walls[3]
    walls:fill(7)
    walls:resize(2, 6)
    assert.is_true(rawequal(walls, world:array("walls", "u8", 2, 6)))
    assert.is_true(rawequal(kept, walls[2]))
    assert.same({ 2, 6 }, { walls:size() })
    for x = 1, 2 do for y = 1, 6 do assert.equal(0, walls[x][y]) end end
    kept[6] = 5
    assert.equal(5, walls[2][6])
    assert.equal(6, #kept)
    refuses(function() return gone[1] end, "first index", "from 1 to 2, not 3")
    refuses(function() gone[1] = 1 end, "from 1 to 2, not 3")
    refuses(function() return #gone end, "from 1 to 2, not 3")
    refuses(function() return walls[3] end, "from 1 to 2")
    refuses(function() world:array("walls", "u8", 3, 4) end, "u8, 2 x 6")
    walls:resize(3, 4)
    assert.equal(0, gone[4])
    local cube = world:array("cube", "f32", 3, 4, 5)
    local deep = cube[3][4]
    deep[5] = 1
    cube:resize(4, 4, 2)
    assert.equal(0, deep[2])
    refuses(function() return deep[5] end, "third index", "from 1 to 2")
    cube:resize(3, 3, 9)
    refuses(function() return deep[1] end, "second index", "from 1 to 3, not 4")
    cube:resize(2, 9, 9)
    refuses(function() deep[1] = 1 end, "first index", "from 1 to 2, not 3")
    refuses(function() return #deep end, "from 1 to 2, not 3")
  end)

  it("refuses sizes that it cannot have, and stays as it was", function()
    local walls = world:array("walls", "u8", 3, 4)
    walls:fill(7)
    local before = world:hash()
    refuses(function() walls:resize(3) end, "has 2 indices")
    refuses(function() walls:resize(3, 4, 5) end, "has 2 indices")
    refuses(function() walls:resize() end, "one to three sizes")
    refuses(function() walls:resize(0, 4) end, "first size")
    refuses(function() walls:resize(3, -4) end, "second size")
    refuses(function() walls:resize(3, "4") end, "not a string")
    refuses(function() walls:resize(2 ^ 20, 2 ^ 20) end, "1073741824 elements")
    refuses(function() walls.resize(3, 4) end, "called with ':'")
    assert.equal(before, world:hash())
    assert.same({ 3, 4 }, { walls:size() })
  end)

  it("may get other sizes inside any loop", function()
    local walls = world:array("walls", "u8", 40, 40)
    local count = 0
    for x = 1, 40 do
      if x == 20 then walls:resize(30, 10) end
      count = count + #walls[math.min(x, #walls)]
    end
    assert.equal(19 * 40 + 21 * 10, count)
    world:spawn_many(100, { Position })
    local row = 0
    world:system { name = "move", query = { Position }, compile = false,
      each = function(p)
        row = row + 1
        if row == 50 then walls:resize(2, 2) end
        p.x = row < 50 and walls[row % 30 + 1][10] or walls[2][2]
        walls[1][1] = 9
      end }
    world:progress(1)
    assert.same({ 2, 2, 9 }, { #walls, #walls[1], walls[1][1] })
  end)

  it("raises after its world was closed", function()
    local made = ecs.world {}
    local walls = made:array("walls", "u8", 3, 4)
    local flat, cube = made:array("flat", "f32", 3), made:array("cube", "bool",
      2, 2, 2)
    local row, deep = walls[2], cube[1][2]
    local function all()
      for _, f in ipairs {
        function() return walls[1] end, function() return walls[1][1] end,
        function() walls[1] = 1 end, function() return row[1] end,
        function() row[1] = 1 end, function() return flat[1] end,
        function() flat[1] = 1 end, function() return deep[1] end,
        function() deep[1] = true end, function() return cube[1] end,
        function() return #walls end, function() return #row end,
        function() return #deep end, function() local _ = walls:size() end,
        function() walls:fill(1) end, function() walls:set { 1 } end,
        function() walls:resize(3, 4) end,
      } do
        refuses(f, "closed")
      end
    end
    for _ = 1, 100 do assert.equal(0, row[1] + flat[1]) end
    made:close()
    all()
    assert.equal("ecs.Array ('walls', closed)", tostring(walls))
    refuses(function() made:array("walls", "u8", 3, 4) end, "closed")
    all()
  end)

  it("stays with the world that is cleared, with zeros", function()
    local walls = world:array("walls", "u8", 3, 4)
    local row = walls[2]
    walls:fill(5)
    world:clear()
    assert.equal(0, row[3])
    assert.is_true(rawequal(walls, world:array("walls", "u8", 3, 4)))
  end)

  it("counts in both hashes", function()
    local function hashes(change)
      local made = ecs.world {}
      local walls = made:array("walls", "f32", 2, 3)
      change(walls, made)
      local both = { made:hash(), made:state_hash() }
      made:close()
      return both
    end
    local same = hashes(function() end)
    assert.same(same, hashes(function(walls)
      walls[1][1] = 1
      walls[1][1] = 0
    end))
    assert.same(same, hashes(function(walls) return walls[1][2] end))
    -- One that is as it was made is as if it had not been made.
    assert.same(same, hashes(function(_, made) made:array("more", "u8", 2) end))
    local seen = { [same[1]] = true, [same[2]] = true }
    for k, change in ipairs {
      function(walls) walls[1][1] = 1 end,
      function(walls) walls[2][3] = 1 end,
      function(walls) walls[2][3] = -0.0 end,
      function(walls) walls:resize(3, 2) end,
      function(walls) walls:resize(2, 4) end,
      function(_, made) made:array("more", "f32", 2, 3):fill(1) end,
      function(_, made) made:array("more", "u8", 2, 3):fill(1) end,
    } do
      local other = hashes(change)
      assert.is_nil(seen[other[1]], k)
      assert.is_nil(seen[other[2]], k)
      seen[other[1]], seen[other[2]] = true, true
    end
  end)

  it("takes of the memory of its world", function()
    local small = ecs.world { memory_limit = "1M" }
    local walls = small:array("walls", "u8", 100, 100)
    local before = small:stats().bytes
    walls:resize(200, 200)
    assert.equal(30000, small:stats().bytes - before)
    walls[200][200] = 7
    local hash = small:hash()
    refuses(function() walls:resize(2000, 2000) end, "memory limit", "1048576")
    refuses(function() small:array("more", "f64", 1000, 1000) end,
      "memory limit")
    assert.equal(hash, small:hash())
    assert.equal(7, walls[200][200])
    small:array("more", "u8", 100, 100)
    small:close()
  end)

  it("makes no garbage when it is read and written", function()
    local walls = world:array("walls", "f64", 30, 30)
    local cube = world:array("cube", "u8", 5, 6, 7)
    local function use()
      for x = 1, 30 do
        for y = 1, 30 do walls[x][y] = walls[x][y] + 0.5 end
      end
      for x = 1, 5 do
        for y = 1, 6 do
          for z = 1, 7 do cube[x][y][z] = (cube[x][y][z] + 1) % 256 end
        end
      end
    end
    for _ = 1, 100 do use() end
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 100 do use() end
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown < 16, grown .. " KB")
  end)

  it("is collected with its world", function()
    local weak = setmetatable({}, { __mode = "v" })
    for k = 1, 20 do
      local made = ecs.world {}
      local walls = made:array("walls", "u8", 10, 10)
      walls[3][3] = 1
      weak[2 * k - 1], weak[2 * k] = made, walls
    end
    for _ = 1, 4 do collectgarbage() end
    assert.is_nil(next(weak))
  end)

  it("outlives references to its world", function()
    local walls
    do
      local made = ecs.world {}
      walls = made:array("walls", "u8", 10, 10)
    end
    for _ = 1, 4 do collectgarbage() end
    walls[10][10] = 5
    assert.equal(5, walls[10][10])
  end)

  it("is not moved by what is recorded or taken back", function()
    local walls = world:array("walls", "u8", 2, 2)
    world:spawn_many(3, { Position })
    assert.is_false(pcall(function()
      world:query({ Position }):each(function()
        walls[1][1] = walls[1][1] + 1
        error "over"
      end)
    end))
    assert.equal(1, walls[1][1])
  end)

  it("is as plain tables are under random accesses", function()
    local pick = support.dice(7)
    local names = { "f64", "u8", "i16", "f32", "bool" }
    for round = 1, os.getenv "ECS_SPEC_SHORT" and 20 or 100 do
      local name = names[round % #names + 1]
      local a, b, c = pick(6), pick(6), pick(6)
      local array = world:array("a" .. round, name, a, b, c)
      local model = {}
      local nothing = 0
      if name == "bool" then nothing = false end
      local function zero()
        model = {}
        for x = 1, a do
          model[x] = {}
          for y = 1, b do
            model[x][y] = {}
            for z = 1, c do model[x][y][z] = nothing end
          end
        end
      end
      local function value()
        if name == "bool" then return pick(2) == 1 end
        return pick(100)
      end
      zero()
      local rows = {}
      for _ = 1, 200 do
        local what, x, y, z = pick(20), pick(7), pick(7), pick(7)
        local inside = x <= a and y <= b and z <= c
        if what <= 8 then
          local v = value()
          local ok = pcall(function() array[x][y][z] = v end)
          assert.equal(inside, ok)
          if inside then model[x][y][z] = v end
        elseif what <= 16 then
          local ok, v = pcall(function() return array[x][y][z] end)
          assert.equal(inside, ok)
          if inside then assert.equal(model[x][y][z], v) end
        elseif what == 17 and x <= a and y <= b then
          rows[#rows + 1] = { x, y, array[x][y] }
        elseif what == 18 and #rows > 0 then
          local row = rows[pick(#rows)]
          local ok, v = pcall(function() return row[3][z] end)
          local there = row[1] <= a and row[2] <= b and z <= c
          assert.equal(there, ok)
          if there then assert.equal(model[row[1]][row[2]][z], v) end
        elseif what == 19 then
          a, b, c = pick(6), pick(6), pick(6)
          array:resize(a, b, c)
          zero()
        elseif what == 20 then
          array:set(model)
        end
      end
      for x = 1, a do
        for y = 1, b do
          for z = 1, c do assert.equal(model[x][y][z], array[x][y][z]) end
        end
      end
    end
  end)
end)
