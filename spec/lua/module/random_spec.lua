-- ecs.random: what a row draws depends on the world's seed, the system's name,
-- how often its phase has run, the entity, and the draws before. It depends on
-- nothing else: not on the VM, nor on whether the system is compiled.

local ecs = require "ecs"

local N = ecs.component("RandomN", { a = "f64", b = "f64", n = "i32" })
local F = ecs.component("RandomF", { x = "f32" })
local S = ecs.component("RandomS", { v = "f32" }, { storage = "sparse" })
local T = ecs.tag "RandomT"

local function fill(world, count)
  local list = {}
  for k = 1, count do
    list[k] = world:spawn(N { n = k % 7 }, F)
    if k % 3 == 0 then world:add(list[k], S { v = k }) end
    if k % 5 == 0 then world:add(list[k], T) end
  end
  return list
end

--- Runs two frames of an each system in a new world, and returns the world.
local function play(each, options)
  options = options or {}
  local world = ecs.world { seed = options.seed }
  fill(world, options.count or 1300)
  world:system {
    name = options.name or "roll", each = each,
    query = options.query or { N, F, optional = { S } },
    compile = options.compile or false,
    precision = options.compile and "double" or nil,
  }
  for _ = 1, options.frames or 2 do world:progress(1) end
  return world
end

local function hash(each, options) return play(each, options):state_hash() end

--- One number of each entity, in the order of entities.
local function numbers(world, field)
  local list = {}
  for _, row in world:query({ N }):rows() do list[#list + 1] = row[field] end
  return list
end

local function one(n) n.a = ecs.random() end

local function twice() return ecs.random() + ecs.random() * 10 end

local function maybe(n)
  if n < 3 then return 0 end
  return ecs.random()
end

local functions = {
  ["one"] = one,
  ["several"] = function(n)
    n.a = ecs.random() - ecs.random()
    n.b = ecs.random()
  end,
  ["into f32 fields"] = function(_, f)
    f.x = f.x + ecs.random() * 2 - 1
  end,
  ["whole numbers"] = function(n)
    n.a = ecs.random(6) * 100 + ecs.random(1)
    n.b = ecs.random(-3, 3) + ecs.random(2 ^ 52, 2 ^ 53)
    n.n = ecs.random(n.n, n.n * 2)
  end,
  ["whole numbers in loops"] = function(n)
    for k = 1, n.n do n.a = n.a * 7 + ecs.random(k) + ecs.random(-k, k) end
  end,
  ["in branches"] = function(n)
    if n.n > 2 then
      n.a = ecs.random()
      if ecs.random() < 0.5 then n.b = ecs.random() * 3 end
    elseif n.n == 1 then
      n.a = ecs.random() + ecs.random() + ecs.random()
    end
    n.b = n.b + ecs.random()
  end,
  ["after early returns"] = function(n)
    if n.n == 2 then return end
    n.a = ecs.random()
    if n.a < 0.25 then
      n.b = ecs.random()
      return
    end
    n.b = ecs.random() + ecs.random() * 2
  end,
  ["in loops"] = function(n)
    for k = 1, 4 do
      if n.n > k then n.a = n.a + ecs.random() * k end
    end
    n.b = ecs.random()
  end,
  ["in functions that are called"] = function(n)
    n.a = twice() - maybe(n.n)
    n.b = maybe(n.n - 2) + ecs.random()
  end,
  ["behind and and or"] = function(n)
    if n.n > 3 and ecs.random() < 0.5 or ecs.random() < 0.1 then n.a = 1 end
    local b = n.n > 4 and ecs.random() or -1
    n.b = b + ecs.random()
  end,
  ["where a component is optional"] = function(n, _, s)
    if s then s.v = ecs.random() end
    n.a = ecs.random()
  end,
  ["as far as a number drawn says"] = function(n)
    local count = 0
    for _ = 1, 8 do
      if ecs.random() < 0.3 then count = count + ecs.random() end
    end
    n.a = count
    n.b = ecs.random()
  end,
}

describe("ecs.random, compiled and in plain Lua, is the same", function()
  for name, each in pairs(functions) do
    it(name, function()
      local plain = hash(each, { seed = 3 })
      assert.equal(plain, hash(each, { seed = 3, compile = true }))
      assert.not_equal(plain, hash(function() end))
      assert.not_equal(plain, hash(each, { seed = 4 }))
    end)
  end

  it("over rows that are gathered from several places", function()
    for _, query in ipairs { { N, F, S }, { N, F, with = { T } },
        { N, F, without = { S } }, { S, N, with = { T } } } do
      local function each(n, f)
        f.x = ecs.random()
        if n.n and n.n > 2 then n.a = ecs.random() end
        f.x = f.x + ecs.random()
      end
      if query[1] == S then
        each = function(s, n)
          s.v, n.a = ecs.random(), ecs.random()
        end
      end
      assert.equal(hash(each, { query = query }),
        hash(each, { query = query, compile = true }))
    end
  end)

  it("for every number of rows around a block's end", function()
    for _, count in ipairs { 0, 1, 2, 15, 17, 511, 512, 513, 1023, 1025 } do
      assert.equal(hash(one, { count = count }),
        hash(one, { count = count, compile = true }))
    end
  end)
end)

describe("ecs.random with bounds", function()
  --- What a function stores in a for one row with n; the error of the frame.
  local function try(each, compile, n)
    local world = ecs.world { seed = 9 }
    local e = world:spawn(N { n = n })
    world:system { name = "s", query = { N }, each = each, compile = compile,
                   precision = compile and "double" or nil }
    local done, text = pcall(world.progress, world, 1)
    return world:get(e, N, "a"), not done and text
  end

  it("draws each number of the interval, and no other", function()
    local world, seen = play(function(n) n.a = ecs.random(2, 6) end,
      { frames = 1 }), {}
    for _, a in ipairs(numbers(world, "a")) do seen[a] = (seen[a] or 0) + 1 end
    for k = 2, 6 do assert.truthy(seen[k] > 180 and seen[k] < 340) end
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    assert.equal(5, count)
  end)

  it("is an integer in plain Lua on 5.4", function()
    if not rawget(math, "type") then return end
    local kind
    try(function() kind = math.type(ecs.random(3)) end, false, 1)
    assert.equal("integer", kind)
  end)

  local wrong = {
    { function(n) n.a = ecs.random(n.n) end, 0, "from 1 to 0: the interval is "
      .. "empty" },
    { function(n) n.a = ecs.random(5, n.n) end, 4, "from 5 to 4: the interval "
      .. "is empty" },
    { function(n) n.a = ecs.random(n.n / 2) end, 3, "takes whole numbers" },
    { function(n) n.a = ecs.random(n.n * 2 ^ 60) end, 1, "up to 2^53" },
    { function(n) n.a = ecs.random(n.n / 0, 3) end, -1, "up to 2^53" },
    { function(n) n.a = ecs.random(n.n, 2 ^ 53) end, -1, "is too large" },
    { function(n) n.a = ecs.random((n.n - n.n) / 0, 3) end, -1, "up to 2^53" },
  }
  for k, case in ipairs(wrong) do
    it("raises an error where a row has wrong ones, " .. k, function()
      for _, compile in ipairs { false, true } do
        local _, text = try(case[1], compile, case[2])
        assert.truthy(text and text:find(case[3], 1, true), text)
        assert.truthy(text:find("random_spec.lua:", 1, true), text)
      end
    end)
  end

  it("is refused with bounds that are always wrong", function()
    for text, each in pairs {
      ["a number that is not whole"] = function(n) n.a = ecs.random(1.5) end,
      ["an empty or too large"] = function(n) n.a = ecs.random(3, 2) end,
      ["interval cannot be compiled"] = function(n) n.a = ecs.random(0) end,
      ["with 3 arguments"] = function(n) n.a = ecs.random(1, 2, 3) end,
      ["of a boolean"] = function(n) n.a = ecs.random(true) end,
    } do
      local world = ecs.world {}
      world:spawn(N)
      local done, message = pcall(world.system, world, { name = "s",
        query = { N }, compile = true, each = each })
      assert.is_false(done)
      assert.truthy(message:find(text, 1, true), message)
      assert.truthy(select(2, try(each, false, 1)), text)
    end
  end)

  it("is compiled whole with constants, and not with others", function()
    local world = ecs.world {}
    world:system { name = "s", query = { N }, compile = "whole",
                   each = function(n) n.a = ecs.random(6) end }
    local done, message = pcall(world.system, world, { name = "t",
      query = { N }, compile = "whole",
      each = function(n) n.a = ecs.random(n.n) end })
    assert.is_false(done)
    assert.truthy(message:find("may give no interval", 1, true), message)
  end)
end)

describe("ecs.random", function()
  it("is the same on every machine", function()
    local world = ecs.world { seed = 12345 }
    local a, b = world:spawn(N), world:spawn(N)
    world:system { name = "roll", query = { N }, compile = false,
      each = function(n) n.a, n.b = ecs.random(), ecs.random() end }
    world:progress(1)
    local found = {}
    for _, e in ipairs { a, b } do
      for _, field in ipairs { "a", "b" } do
        found[#found + 1] = string.format("%.17g", world:get(e, N, field))
      end
    end
    -- What core/math/random.c gives for these entities, computed separately.
    assert.same({ "0.50265417631899956", "0.80077744827803421",
      "0.76115387183129801", "0.72788270533339694" }, found)
  end)

  it("goes by seed, name, frame and entity", function()
    local seen = {}
    local function note(world)
      for _, number in ipairs(numbers(world, "a")) do
        assert.is_nil(seen[number])
        seen[number] = true
        assert.is_true(number >= 0 and number < 1)
      end
    end
    for _, seed in ipairs { 0, 1, 2, 2 ^ 32, 2 ^ 53 - 1, 2 ^ 53 } do
      note(play(one, { seed = seed, frames = 1 }))
    end
    note(play(one, { name = "rolk", frames = 1 }))
    note(play(one, { name = "rolls", frames = 1 }))
    note(play(one, { frames = 2 }))
    note(play(one, { frames = 3 }))
    assert.equal(hash(one), hash(one, { seed = 0 }))
    assert.equal(hash(one), hash(function(n) n.a = ecs.random() end))
  end)

  it("can be played again", function()
    local world = play(one)
    world:progress(1)
    assert.equal(world:state_hash(), hash(one, { frames = 3 }))
  end)

  it("does not depend on other rows, systems and storage", function()
    local world = ecs.world {}
    local list = fill(world, 100)
    world:destroy(list[10])
    world:group { N }
    world:query({ N, with = { T } }):add(S)
    world:system { name = "before", query = { N }, phase = "first",
                   each = one, compile = false }
    world:system { name = "roll", query = { N }, each = one, compile = false }
    world:progress(1)
    local twin = play(one, { count = 100, frames = 1, query = { N } })
    for k, e in ipairs(list) do
      if k ~= 10 then
        assert.equal(twin:get(e, N, "a"), world:get(e, N, "a"))
      end
    end
  end)

  it("goes on where its own phase goes on", function()
    local function run(draws, compiled)
      local world = ecs.world { phases = { "update", "draw" } }
      fill(world, 20)
      world:system { name = "roll", query = { N }, each = one,
                     compile = compiled }
      world:system { name = "shake", query = { F }, phase = "draw",
        compile = compiled, each = function(f) f.x = ecs.random() end }
      for _ = 1, 3 do
        world:run("update", 1)
        for _ = 1, draws do world:run("draw", 1) end
      end
      return numbers(world, "a"), world
    end
    for _, compiled in ipairs { false, true } do
      local once, world = run(1, compiled)
      assert.same(once, run(5, compiled))
      assert.same(once, run(0, compiled))
      local whole = ecs.world { phases = { "update", "draw" } }
      fill(whole, 20)
      whole:system { name = "roll", query = { N }, each = one }
      for _ = 1, 3 do whole:progress(1) end
      assert.same(once, numbers(whole, "a"))
      assert.not_equal(0, world:get(world:query({ F }):first(), F, "x"))
    end
  end)

  -- Frames in which nothing draws come before, between or not at all.
  it("counts the beginnings of a phase from the first draw on", function()
    for _, compiled in ipairs { true, false } do
      local function roll(before, between)
        local world = ecs.world {}
        fill(world, 3)
        for _ = 1, before do world:progress(1) end
        world:system { name = "roll", query = { N, without = { T } },
          compile = compiled, each = function(n)
            if n.n > 0 then n.a = ecs.random() end
          end }
        world:system { name = "other", run = function() end }
        world:query({ N }):set(N { n = 0 })
        for _ = 1, before do world:progress(1) end -- it runs and draws nothing
        world:query({ N }):set(N { n = 1 })
        world:progress(1)
        world:query({ N }):add(T)
        for _ = 1, between do world:progress(1) end
        world:query({ N }):remove(T)
        world:run("update", 1)
        return numbers(world, "a")
      end
      local first = roll(0, 0)
      assert.same(first, roll(2, 0))
      assert.not_same(first, roll(0, 1))
      assert.same(roll(0, 1), roll(3, 1))
      assert.same(numbers(play(one, { count = 3 }), "a"), first)
      assert.same(numbers(play(one, { count = 3, frames = 3 }), "a"),
        roll(0, 1))
    end
  end)

  it("counts a run in which rows drew before an error", function()
    local world, fails = ecs.world {}, true
    fill(world, 3)
    world:system { name = "roll", query = { N }, compile = false,
      each = function(n)
        n.a = ecs.random()
        if fails then error("ended", 0) end
      end }
    pcall(world.progress, world, 1)
    fails = false
    world:progress(1)
    assert.same(numbers(play(one, { count = 3 }), "a"), numbers(world, "a"))
  end)

  it("does not begin anew when a system is defined anew or fails", function()
    local world = ecs.world {}
    fill(world, 3)
    local function define()
      world:system { name = "roll", query = { N }, each = one,
                     compile = false }
    end
    define()
    world:progress(1)
    define()
    world:system { name = "z", run = function() error("ended", 0) end }
    pcall(world.progress, world, 1)
    world:remove_system "z"
    assert.same(numbers(play(one, { count = 3 }), "a"), numbers(world, "a"))
    world:remove_system "roll"
    world:progress(1) -- a phase without systems begins all the same
    define()
    world:progress(1)
    assert.same(numbers(play(one, { count = 3, frames = 4 }), "a"),
      numbers(world, "a"))
  end)

  it("is as even as chance is", function()
    local world = play(function(n)
      n.a = ecs.random()
      n.b = ecs.random()
    end, { count = 20000, compile = true, frames = 1 })
    local a, b = numbers(world, "a"), numbers(world, "b")
    local count, buckets, cells = #a, {}, {}
    local sum, squares, mixed, next_one = 0, 0, 0, 0
    for k = 0, 99 do buckets[k], cells[k] = 0, 0 end
    for k = 1, count do
      local x, y = a[k], b[k]
      sum, squares, mixed = sum + x, squares + x * x, mixed + x * y
      next_one = next_one + x * a[k % count + 1]
      local at = math.floor(x * 100)
      buckets[at] = buckets[at] + 1
      at = math.floor(x * 10) * 10 + math.floor(y * 10)
      cells[at] = cells[at] + 1
    end
    -- Each count is within about five standard deviations of the expected one.
    assert.is_true(math.abs(sum / count - 1 / 2) < 0.0105)
    assert.is_true(math.abs(squares / count - 1 / 3) < 0.011)
    assert.is_true(math.abs(mixed / count - 1 / 4) < 0.008)
    assert.is_true(math.abs(next_one / count - 1 / 4) < 0.008)
    for _, counts in ipairs { buckets, cells } do
      local chi = 0
      for k = 0, 99 do
        chi = chi + (counts[k] - count / 100) ^ 2 / (count / 100)
      end
      assert.is_true(chi > 45 and chi < 175, chi) -- 99 on average
    end
  end)
end)

describe("ecs.random is found", function()
  it("under another name and after it was put elsewhere", function()
    local roll, box = ecs.random, { dice = { roll = ecs.random } }
    assert.equal(hash(one, { compile = true }),
      hash(function(n) n.a = roll() end, { compile = true }))
    assert.equal(hash(one), hash(function(n) n.a = box.dice.roll() end,
      { compile = true }))
  end)
end)
