-- Compiled functions read arrays of the world in place.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Place = ecs.component("ArrayPlace", { x = "f64", y = "f64", z = "f64",
                                            seen = "f64", on = "bool" })

local TYPES = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "bool" }

-- An element that each type holds, of a seed.
local values = {
  f32 = function(k) return k * 0.1 - 3 end,
  f64 = function(k) return k * 0.1 - 3 end,
  i8 = function(k) return k % 256 - 128 end,
  u8 = function(k) return k % 256 end,
  i16 = function(k) return k * 331 % 65536 - 32768 end,
  u16 = function(k) return k * 331 % 65536 end,
  i32 = function(k) return k * 33100331 % 2 ^ 32 - 2 ^ 31 end,
  u32 = function(k) return k * 33100331 % 2 ^ 32 end,
  bool = function(k) return k % 3 == 0 end,
}

describe("a compiled function", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    query = world:query { Place }
  end)
  after_each(function() world:close() end)

  local function spawn(x, y, z)
    return world:spawn(Place { x = x, y = y or 0, z = z or 0 })
  end

  --- What rows have seen after a run of a system with these functions, which
  -- have the same text, one compiled and one plain.
  local function both(compiled, plain, precision)
    local function run(each, compile)
      world:system { name = "look", query = { Place }, each = each,
        compile = compile, precision = compile and precision or nil }
      world:progress(1)
      local seen = {}
      for e, p in query:rows() do
        seen[#seen + 1] = e .. ": " .. ("%.17g"):format(p.seen)
          .. tostring(p.on)
        p.seen, p.on = 0, false
      end
      return seen
    end
    local one = run(compiled, true)
    assert.truthy(world:explain "look":find("compiled (block VM)", 1, true))
    assert.same(run(plain, false), one)
  end

  for _, name in ipairs(TYPES) do
    it("reads " .. name .. " as plain Lua does", function()
      local one = world:array("one", name, 60)
      local two = world:array("two", name, 4, 15)
      local three = world:array("three", name, 5, 3, 4)
      local k = 0
      for x = 1, 5 do
        for y = 1, 3 do
          for z = 1, 4 do
            k = k + 1
            local value = values[name](k * 7)
            one[k], three[x][y][z] = value, value
            two[(k - 1) % 4 + 1][math.floor((k - 1) / 4) + 1] = value
            spawn(x, y, z)
          end
        end
      end
      if name == "bool" then
        local function each(p)
          p.on = three[p.x][p.y][p.z]
          if two[p.x % 4 + 1][p.y * p.z] then p.seen = 1 end
          if one[p.x * p.y * p.z] ~= p.on then p.seen = p.seen + 2 end
        end
        return both(each, function(p)
          p.on = three[p.x][p.y][p.z]
          if two[p.x % 4 + 1][p.y * p.z] then p.seen = 1 end
          if one[p.x * p.y * p.z] ~= p.on then p.seen = p.seen + 2 end
        end, "double")
      end
      both(function(p)
        local row = two[p.x % 4 + 1]
        p.seen = three[p.x][p.y][p.z] * 3 + row[p.y * p.z] / 7
          - one[p.x * p.y * p.z] + #one + #two
      end, function(p)
        local row = two[p.x % 4 + 1]
        p.seen = three[p.x][p.y][p.z] * 3 + row[p.y * p.z] / 7
          - one[p.x * p.y * p.z] + #one + #two
      end, "double")
    end)
  end

  it("computes with elements as with fields of their type", function()
    local Field = ecs.component("ArrayField", { narrow = "f32", short = "u8",
      long = "i32", wide = "f64", out = "f32", other = "f64" })
    local narrow = world:array("narrow", "f32", 3)
    local short = world:array("short", "u8", 3)
    local long = world:array("long", "i32", 3)
    local wide = world:array("wide", "f64", 3)
    narrow[2], short[2], long[2], wide[2] = 0.1, 201, 123456789, 0.1
    local e = world:spawn(Field { narrow = 0.1, short = 201, long = 123456789,
                                  wide = 0.1 })
    world:system { name = "fields", query = { Field }, compile = true,
      each = function(f)
        f.out = f.narrow * 0.3 + f.short / 7 + f.narrow * f.wide
        f.other = f.long * 0.3 + f.narrow * f.short
      end }
    world:progress(1)
    local out, other = world:get(e, Field, "out", "other")
    world:system { name = "fields", query = { Field }, compile = true,
      each = function(f)
        f.out = narrow[2] * 0.3 + short[2] / 7 + narrow[2] * wide[2]
        f.other = long[2] * 0.3 + narrow[2] * short[2]
      end }
    world:progress(1)
    assert.same({ out, other }, { world:get(e, Field, "out", "other") })
  end)

  it("sees what was written since, other sizes, and another array", function()
    local walls = world:array("walls", "u8", 3, 4)
    local e = spawn(2, 3)
    world:system { name = "look", query = { Place }, compile = true,
      each = function(p) p.seen = walls[p.x][p.y] end }
    local function seen()
      world:progress(1)
      assert.truthy(world:explain "look":find("compiled (block VM)", 1, true))
      return world:get(e, Place, "seen")
    end
    assert.equal(0, seen())
    walls[2][3] = 7
    assert.equal(7, seen())
    walls:fill(9)
    assert.equal(9, seen())
    walls:resize(50, 3)
    walls[2][3] = 5
    assert.equal(5, seen())
    walls = world:array("other", "u8", 2, 3)
    walls[2][3] = 200
    assert.equal(200, seen())
    walls = world:array("third", "f32", 2, 3)
    walls[2][3] = 0.5
    assert.equal(0.5, seen())
    walls = world:array("flat", "f32", 2)
    refuses(seen, "an index of a number cannot be compiled")
  end)

  it("leaves rows with an index outside to plain Lua", function()
    local one = world:array("one", "f64", 12)
    local walls = world:array("walls", "u8", 3, 4)
    local cube = world:array("cube", "u8", 3, 4, 5)
    local NAN = 0 / 0
    for _, bad in ipairs { { 0, 1 }, { 4, 1 }, { 1, 0 }, { 1, 5 }, { 1.5, 2 },
                           { 2, 1.5 }, { NAN, 1 }, { 1, NAN }, { -1, 1 },
                           { 1 / 0, 1 }, { 1, -1 / 0 }, { 2 ^ 53, 1 },
                           { 1, 2 ^ 31 }, { 4, -3 }, { 0, 5 } } do
      local fine = spawn(3, 4)
      local e = spawn(bad[1], bad[2])
      world:system { name = "look", query = { Place }, compile = true,
        each = function(p) p.seen = walls[p.x][p.y] + 1 end }
      local done, text = pcall(world.progress, world, 1)
      assert.is_false(done)
      assert.truthy(text:find("array 'walls': the ", 1, true), text)
      assert.truthy(text:find("array_read_spec.lua:%d+:"), text)
      assert.equal(1, world:get(fine, Place, "seen"))
      world:system { name = "look", query = { Place }, compile = true,
        each = function(p) p.seen = cube[p.x][p.y][3] end }
      assert.is_false(pcall(world.progress, world, 1))
      world:system { name = "look", query = { Place }, compile = true,
        each = function(p) p.seen = cube[2][p.x][p.y] end }
      local inside = bad[1] == 4 and bad[2] == 1 or bad[1] == 1 and bad[2] == 5
      assert.equal(inside, (pcall(world.progress, world, 1)))
      world:system { name = "look", query = { Place }, compile = true,
        each = function(p) p.seen = one[p.x * p.y] end }
      local k = bad[1] * bad[2]
      assert.equal(k >= 1 and k <= 12 and k % 1 == 0,
        (pcall(world.progress, world, 1)))
      -- A row that is only looked up raises, too.
      world:system { name = "look", query = { Place }, compile = true,
        each = function(p)
          local row = walls[p.x]
          if p.z > 0 then p.seen = row[p.y] end
        end }
      local x = bad[1]
      assert.equal(x >= 1 and x <= 3 and x % 1 == 0,
        (pcall(world.progress, world, 1)))
      world:remove_system "look"
      world:destroy(fine)
      world:destroy(e)
    end
  end)

  it("has rows see what side exits before them have written", function()
    local marks = world:array("marks", "i32", 40)
    for k = 1, 400 do spawn(k % 40 + 1, k) end
    local function run(each, compile)
      marks:fill(0)
      world:system { name = "mark", query = { Place }, each = each,
        compile = compile, precision = compile and "double" or nil }
      world:progress(1)
      local text = {}
      for _, p in query:rows() do text[#text + 1] = p.seen end
      for k = 1, 40 do text[#text + 1] = marks[k] end
      return text
    end
    local one = run(function(p)
      p.seen = marks[p.x] + marks[1]
      if p.y % 7 == 0 then marks[p.x] = tonumber(p.y) end
      if p.y == 200 then marks:resize(41) end
    end, true)
    assert.truthy(world:explain "mark":find("compiled (block VM)", 1, true))
    assert.truthy(world:stats "mark".exits > 50)
    marks:resize(40)
    assert.same(run(function(p)
      p.seen = marks[p.x] + marks[1]
      if p.y % 7 == 0 then marks[p.x] = tonumber(p.y) end
      if p.y == 200 then marks:resize(41) end
    end, false), one)
  end)

  it("reads arrays in loops and in query:each", function()
    local costs = world:array("costs", "f32", 8, 8)
    for x = 1, 8 do for y = 1, 8 do costs[x][y] = x * 10 + y end end
    for x = 1, 8 do spawn(x, 8) end
    both(function(p)
      local sum = 0
      for y = 1, p.y do sum = sum + costs[p.x][y] end
      p.seen = sum
    end, function(p)
      local sum = 0
      for y = 1, p.y do sum = sum + costs[p.x][y] end
      p.seen = sum
    end, "double")
    query:each(function(p) p.seen = costs[p.x][p.y] end)
    for _, p in query:rows() do assert.equal(p.x * 10 + 8, p.seen) end
  end)

  it("does not read an array of another world", function()
    local other = ecs.world {}
    local walls = other:array("walls", "u8", 3, 4)
    walls[2][3] = 9
    local e = spawn(2, 3)
    local before, told = ecs.on_fallback, nil
    finally(function() ecs.on_fallback = before end)
    ecs.on_fallback = function(_, _, why) told = why end
    world:system { name = "look", query = { Place },
      each = function(p) p.seen = walls[p.x][p.y] end }
    world:progress(1)
    assert.equal(9, world:get(e, Place, "seen"))
    assert.truthy(told:find("an index of an array of another world", 1, true),
      told)
    other:close()
    refuses(function() world:progress(1) end, "closed")
  end)
end)
