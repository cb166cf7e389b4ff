-- Sums and extremes of a world: what rows of each systems add gives the same
-- bits compiled and in plain Lua, and every run starts anew.

local ecs = require "ecs"

local V = ecs.component("TotalsV", { x = "f64", n = "i32" })
local W = ecs.component("TotalsW", { y = "f32" })
local S = ecs.component("TotalsS", { v = "f32" }, { storage = "sparse" })
local O = ecs.component("TotalsO", { v = "f32" })

local KINDS = { "sum", "min", "max" }
local NOTHING = { sum = 0, min = math.huge, max = -math.huge }

local function generator(seed)
  return function()
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
  end
end

local function fill(world, count)
  local random = generator(11)
  for k = 1, count do
    local x = (random() - 0.5) * 10 ^ (k % 9)
    local e = world:spawn(V { x = x, n = k }, W { y = random() })
    if k % 3 == 0 then world:add(e, S { v = x % 100 }) end
    if k % 4 == 0 then world:add(e, O { v = random() }) end
  end
end

--- The bits of three totals after a frame of a system.
local function play(count, compiled, each, query)
  local world = ecs.world {}
  fill(world, count)
  local totals = {}
  for k, kind in ipairs(KINDS) do totals[k] = world[kind](world, "t") end
  world:system {
    name = "s", each = each(totals[1], totals[2], totals[3]),
    query = query or { V, W }, compile = compiled,
    precision = compiled and "double" or nil,
  }
  world:progress(1)
  local texts = {}
  for k, total in ipairs(totals) do
    texts[k] = string.format("%.17g", total:value())
  end
  return texts, world
end

--- The sum that docs/programs.md prescribes for these numbers, one for each
-- row.
local function reference(numbers, join, start)
  local lanes, total = {}, start
  local function fold()
    local apart = 8
    while apart >= 1 do
      for k = 0, apart - 1 do lanes[k] = join(lanes[k], lanes[k + apart]) end
      apart = apart / 2
    end
    total = join(total, lanes[0])
  end
  for k = 0, 15 do lanes[k] = start end
  for row = 0, #numbers - 1 do
    lanes[row % 16] = join(lanes[row % 16], numbers[row + 1])
    if row % 1024 == 1023 then
      fold()
      for k = 0, 15 do lanes[k] = start end
    end
  end
  fold()
  return total
end

local function plain_each(sum, min, max)
  return function(v)
    sum:add(v.x)
    min:add(v.x)
    max:add(v.x)
  end
end

local shapes = {
  ["one of each a row"] = plain_each,
  ["several a row"] = function(sum, min, max)
    return function(v, w)
      sum:add(v.x)
      sum:add(w.y / 3)
      min:add(w.y)
      sum:add(-v.x / 7)
      max:add(v.x * w.y)
      min:add(-v.x)
    end
  end,
  ["under conditions"] = function(sum, min, max)
    return function(v, w)
      if v.x > 0 then
        sum:add(v.x)
        if w.y > 0.5 then min:add(w.y) else max:add(v.x) end
      end
      if v.n % 5 == 0 then return end
      sum:add(w.y)
    end
  end,
  ["in loops and functions"] = function(sum, _, max)
    local function note(x)
      if x > 1 then max:add(x) end
      sum:add(x)
    end
    return function(v, w)
      for k = 1, 3 do note(v.x * k) end
      w.y = w.y + 1
      note(w.y)
    end
  end,
  ["of numbers drawn"] = function(sum, min, max)
    return function(v)
      if v.n % 2 == 0 then sum:add(ecs.random()) end
      min:add(ecs.random())
      max:add(ecs.random() * v.x)
    end
  end,
}

describe("a total is the same compiled and in plain Lua", function()
  for name, each in pairs(shapes) do
    it(name, function()
      for _, count in ipairs { 0, 1, 15, 16, 17, 511, 513, 1023, 1024, 1025,
          3000 } do
        assert.same(play(count, false, each), play(count, true, each))
      end
    end)
  end

  it("over rows that are gathered and rows of several tables", function()
    local function optional(sum, min)
      return function(v, _, o)
        if o then sum:add(o.v) end
        min:add(v.x)
      end
    end
    local query = { V, W, optional = { O } }
    assert.same(play(2500, false, optional, query),
      play(2500, true, optional, query))
    for _, terms in ipairs { { V, W, S }, { V, without = { S } },
        { V, with = { S, O } } } do
      assert.same(play(2500, false, plain_each, terms),
        play(2500, true, plain_each, terms))
    end
  end)

  it("and is what the documentation says", function()
    for _, count in ipairs { 1, 40, 1024, 2100 } do
      local found, world = play(count, true, plain_each)
      local numbers, naive = {}, 0
      world:query({ V, W }):each(function(v)
        numbers[#numbers + 1] = v.x
        naive = naive + v.x
      end)
      local sum = reference(numbers, function(a, b) return a + b end, 0)
      assert.same({
        string.format("%.17g", sum),
        string.format("%.17g", reference(numbers, math.min, math.huge)),
        string.format("%.17g", reference(numbers, math.max, -math.huge)),
      }, found)
      if count == 2100 then assert.not_equal(naive, sum) end
    end
  end)
end)

for _, compiled in ipairs { false, true } do
  local path = compiled and "compiled" or "plain"

  describe("a total, " .. path .. ",", function()
    local world, total, switch

    local function system(name, each, extra)
      local spec = { name = name, query = { V }, each = each,
                     compile = compiled }
      for key, value in pairs(extra or {}) do spec[key] = value end
      world:system(spec)
    end

    before_each(function()
      world = ecs.world {}
      total, switch = world:sum "t", { on = true, step = 1 }
      for k = 1, 20 do world:spawn(V { n = k }) end
    end)

    it("is nothing before anything was added", function()
      for _, kind in ipairs(KINDS) do
        local made = world[kind](world, "nothing")
        assert.equal(NOTHING[kind], made:value())
        system(kind, function(v) if v.n > 99 then made:add(v.n) end end)
        world:progress(1)
        assert.equal(NOTHING[kind], made:value())
      end
    end)

    it("begins anew with every run", function()
      system("s", function() if switch.on then total:add(2) end end)
      for _ = 1, 3 do
        world:progress(1)
        assert.equal(40, total:value())
      end
      switch.on = false
      world:progress(1)
      assert.equal(0, total:value())
      switch.on = true
      world:progress(1)
      assert.equal(40, total:value())
      world:clear()
      world:progress(1)
      assert.equal(0, total:value())
    end)

    it("shows the run before, in its own function too", function()
      local seen = world:max "seen"
      system("s", function()
        seen:add(total:value())
        total:add(switch.step)
      end)
      local expected = { 0, 20, 60, 100 }
      for k = 1, 4 do
        switch.step = 2 * k - 1
        world:progress(1)
        assert.equal(expected[k], seen:value())
        assert.equal(20 * switch.step, total:value())
      end
    end)

    it("is of all the systems that add to it together", function()
      system("b", function() total:add(1) end)
      system("a", function() total:add(0.5) end)
      system("c", function() if switch.on then total:add(0.25) end end)
      world:progress(1)
      assert.equal(35, total:value())
      switch.on = false
      world:progress(1)
      assert.equal(30, total:value())
      world:enable("b", false)
      world:progress(1)
      assert.equal(30, total:value())
      world:remove_system "b"
      assert.equal(10, total:value())
      system("a", function() end)
      assert.equal(0, total:value())
      system("a", function() total:add(2) end)
      world:progress(1)
      assert.equal(40, total:value())
    end)

    it("takes the sum of systems in an order of their names", function()
      local big, texts = { 1e17, 1, -1e17, 0.5 }, {}
      for turn, order in ipairs { { 1, 2, 3, 4 }, { 4, 2, 1, 3 } } do
        world = ecs.world {}
        world:spawn(V { n = 1 })
        local sum = world:sum "t"
        for _, k in ipairs(order) do
          local number = big[k]
          system("system " .. k, function() sum:add(number) end)
        end
        world:progress(1)
        texts[turn] = string.format("%.17g", sum:value())
      end
      assert.equal(texts[1], texts[2])
    end)

    it("takes NaN as the reference says", function()
      local nan = 0 / 0
      local low, high = world:min "l", world:max "h"
      system("s", function(v)
        local x = v.n
        if v.n == 7 or v.n == 15 then x = nan end
        total:add(x)
        low:add(x)
        high:add(x)
      end)
      world:progress(1)
      assert.is_true(total:value() ~= total:value())
      assert.equal(1, low:value())
      assert.equal(20, high:value())
    end)

    it("takes infinities and zeros", function()
      local low, high = world:min "l", world:max "h"
      system("s", function(v)
        if v.n == 3 then low:add(-math.huge) high:add(math.huge) end
        total:add(-0.0)
      end)
      world:progress(1)
      assert.equal(-math.huge, low:value())
      assert.equal(math.huge, high:value())
      assert.equal(1 / 0, 1 / total:value())
    end)

    it("is read by other systems of the frame", function()
      local share = world:max "share"
      system("count", function() total:add(1) end)
      system("use", function(v) share:add(v.n / total:value()) end)
      world:progress(1)
      assert.equal(1, share:value())
    end)

    it("counts where changes wait for the end of the frame", function()
      world = ecs.world { flush = "frame" }
      total = world:sum "t"
      for k = 1, 3 do world:spawn(V { n = k }) end
      system("s", function(v, _, e)
        total:add(v.n)
        world:destroy(e)
      end)
      world:progress(1)
      assert.equal(6, total:value())
      world:progress(1)
      assert.equal(0, total:value())
    end)

    it("of another world is refused", function()
      local other = ecs.world {}:sum "t"
      local done, message = pcall(function()
        system("s", function(v) other:add(v.n) end)
        world:progress(1)
      end)
      assert.is_false(done)
      assert.is_truthy(message:find(compiled and "cannot be compiled"
        or "ecs: sum 't' is of another world than query", 1, true)
        or message:find("ecs: sum 't' is of another world than system 's'", 1,
        true), message)
      assert.equal(0, other:value())
    end)
  end)
end
