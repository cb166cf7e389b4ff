-- Numbers outside of a function that it only adds to: compiled, they become
-- what plain Lua makes of them, bit for bit, in order, and of the same kind.

local ecs = require "ecs"
local exits = dofile "spec/support/exits.lua"

local P, V = exits.P, exits.V

--- A number with all its bits, and whether it is an integer.
local function show(number)
  if number ~= number then return "nan" end
  return tostring(number) .. string.format("=%.17g", number)
    .. (1 / number < 0 and "-" or "")
end

--- Asserts that a program does what plain Lua does. make(world, log) returns
-- each, and a function that gives the numbers. Returns how many exits were
-- taken, and the text of the numbers.
local function alike(make, sizes)
  local taken, seen = exits.alike(function(world, log)
    local each, numbers = make(world, log)
    return { query = { P, read = { V } }, each = each, after = function()
      local list = { numbers() }
      for k = 1, #list do list[k] = show(list[k]) end
      return table.concat(list, " ")
    end }
  end, sizes)
  return taken, seen:match "^[^\n]*"
end

local function refused(make, words)
  exits.refused(function()
    return { query = { P, read = { V } }, each = (make()) }
  end, words, "whole")
end

describe("a number outside that is only added to", function()
  it("is counted", function()
    local taken, seen = alike(function()
      local rows, odd, far = 0, 0.0, 5
      return function(p, v)
        rows = rows + 1
        if v.n % 2 == 1 then odd = odd + 1 end
        if v.x > 1e9 then far = far + 1 end
        p.x = p.x + 1
      end, function() return rows, odd, far end
    end)
    assert.equal(0, taken)
    assert.truthy(seen:find("2100", 1, true), seen)
  end)

  it("is one of several that a statement assigns to", function()
    local taken, seen = alike(function()
      local rows, sum, best, all = 0, 0.5, 0.0, { n = 1 }
      return function(p, v)
        local own, half = { x = 1, y = 2 }, v.n / 2
        rows, own.y = rows + 1, 100
        own.x, sum, half = half, sum + half - own.x, own.x
        best, p.x, all.n = math.max(best, v.n), p.x + own.y, all.n - 2
        p.y = own.x + half
      end, function() return rows, sum, best, all.n end
    end)
    assert.equal(0, taken)
    assert.truthy(seen:find("2100", 1, true), seen)
  end)

  it("is refused where one statement changes it twice", function()
    refused(function()
      local one = { n = 0 }
      local other = one
      return function(v) one.n, other.n = one.n + 1, other.n + v.x end
    end, "'n', which is changed twice in one assignment")
    refused(function()
      local n = 0
      local function more(v) n = n + v.x return 1 end
      return function(v) n, v.y = n + 1, more(v) end
    end, "'n', which is changed twice in one assignment")
  end)

  it("is summed in the order of rows", function()
    local _, one = alike(function()
      local sum, less, product = 0, 0.1, 1e16
      return function(p, v, dt)
        sum = sum + p.x * 0.1
        less = less - p.y / 3
        product = product + (v.n % 7 == 0 and dt or p.y * dt)
        p.x = p.x + 0.7
      end, function() return sum, less, product end
    end)
    assert.truthy(one:find("%.%d%d%d%d%d"), one)
  end)

  it("may be added to several times in a row", function()
    alike(function()
      local sum, n = 0.0, 0
      local function count(k) n = n + k end
      return function(p, v)
        sum = sum + p.x * 0.1
        if v.n % 3 == 0 then
          sum = sum - 1e9 + p.y
        elseif v.n % 5 == 0 then
          sum = (0.3 + p.x) + sum
        end
        sum = sum + p.x / 7 - v.x - 0.01
        for _ = 1, 3 do n = n + 2 - 1 end
        count(10)
        if v.n % 4 == 0 then return end
        count(-3)
        p.y = p.y + 1
      end, function() return sum, n end
    end)
  end)

  it("may be the largest or least", function()
    alike(function()
      local high, low, most, best = -math.huge, math.huge, 7, 0
      local never, worst, least = 1e9, 0, -2
      return function(p, v)
        high = math.max(high, p.y * 0.3)
        low = math.min(low, p.x - 20)
        if v.n > most then most = v.n end
        if best < p.x then best = p.x end
        if (v.x > never) then never = v.x end
        if p.y * 2 - 40 < worst then worst = p.y * 2 - 40 end
        if v.n < 5 then least = math.max(least, -(v.n)) end
        p.x = p.x + 0.7
      end, function() return high, low, most, best, never, worst, least end
    end)
  end)

  it("is NaN or a zero as in plain Lua", function()
    alike(function()
      local nan, high, low, zero, sum = 0 / 0, -1.0, 0.0, -0.0, -0.0
      return function(p, v)
        local odd = v.n % 9 == 5 and 0 / (p.x - p.x) or -0.0 * p.y
        if odd > nan then nan = odd end
        if odd > high then high = odd end
        if odd < low then low = odd end
        if odd > zero then zero = odd end
        if v.n % 9 ~= 5 then sum = sum + odd end
      end, function() return nan, high, low, zero, sum end
    end)
  end)

  it("is an integer where plain Lua keeps one", function()
    local N = ecs.component("TotalN", { i8 = "i8", u16 = "u16", f32 = "f32",
      i32 = "i32" })
    local function numbers(compile)
      local world = ecs.world { precision = "double" }
      for k = 1, 300 do
        world:spawn(N { i8 = k % 90, u16 = k * 2, f32 = k / 2, i32 = k })
      end
      local a, b, c, d, e, f, g, h = 0, 0, 0, 0, 0, 0, 1, 2
      local none, most = 0, -1
      world:system { name = "s", query = { N }, compile = compile,
        each = function(n)
          a = a + n.i8
          b = b + n.u16 * 3 - 1
          c = c + n.f32
          d = d + (n.i8 > 3 and n.i8 or 1)
          e = e + n.i8 / 1
          f = f - n.i8
          g = g + 4.0
          h = h + n.i8 ^ 2
          if n.f32 < 0 then none = none + 1.5 end
          if n.i32 > most then most = n.i32 end
          n.f32 = 1
          n.i8 = n.i8 + n.f32
        end }
      world:progress(1)
      world:progress(1)
      local list = { a, b, c, d, e, f, g, h, none, most }
      for k = 1, #list do list[k] = show(list[k]) end
      return table.concat(list, " ")
    end
    assert.equal(numbers(false), numbers "whole")
  end)

  it("is a field of a table, or a global", function()
    local taken = alike(function()
      local stats = { kills = 0, deep = { damage = 0.5 } }
      local same = stats.deep
      local environment = setmetatable({ score = 3 }, { __index = _G })
      local function each(p, v)
        stats.kills = stats.kills + 1
        stats.deep.damage = stats.deep.damage + p.x * 0.1
        if v.n % 2 == 0 then same.damage = same.damage - 0.3 end
        p.x = p.x + 1
      end
      local text = "return function(p) score = score + 2.5 "
        .. "p.x = p.x + 1 end"
      local global
      if rawget(_G, "setfenv") then
        global = setfenv(loadstring(text, text), environment)()
      else
        global = load(text, text, "t", environment)()
      end
      return function(p, v)
        each(p, v)
        global(p)
      end, function()
        return stats.kills, stats.deep.damage, environment.score
      end
    end)
    assert.equal(0, taken)
  end)

  it("is written before an exit, and read again behind it", function()
    local taken = alike(function(_, log)
      local count, sum, high = 0, 0.0, -5.0
      local stats = { n = 1 }
      return function(p, v)
        count = count + 1
        sum = sum + p.x * 0.1
        stats.n = stats.n + 1
        if p.y > high then high = p.y end
        if v.n % 50 == 7 then
          log[#log + 1] = show(count) .. show(sum) .. show(high)
            .. show(stats.n)
          if v.n % 100 == 7 then count = count + 100 end
          if v.n == 407 then sum = "7" + 0 stats.n = 2.5 end
          if v.n == 457 then sum = 3 stats.n = 4 end
        end
        p.x = p.x + 1
      end, function() return count, sum, high, stats.n end
    end)
    assert.is_true(taken >= 14, taken)
  end)

  it("is what the rows before an error made it", function()
    local _, seen = alike(function()
      local count, sum = 0, 0.0
      return function(p, v)
        count = count + 1
        sum = sum + p.x * 0.1
        if v.n == 301 then error "stop" end
        p.x = p.x + 1
      end, function() return count, sum end
    end)
    assert.truthy(seen:find("201", 1, true), seen)
  end)

  it("is compiled anew where it becomes a float", function()
    local world, count = ecs.world {}, 0
    for _ = 1, 10 do world:spawn(P { x = 0.5 }) end
    world:system { name = "s", query = { P }, compile = true,
      each = function(p) count = count + p.x end }
    for k = 1, 5 do
      world:progress(1)
      assert.equal(5 * k, count)
    end
    count = 3
    world:progress(1)
    assert.equal("8", (tostring(count):gsub("%.0$", "")))
    assert.equal(0, world:stats("s").fallback_runs)
  end)

  it("counts in query:each, for each closure its own", function()
    local world = ecs.world {}
    for k = 1, 300 do world:spawn(P { x = k }) end
    local query = world:query { P }
    local function count()
      local n, sum = 0, 0.5
      local function add(p)
        n = n + 1
        sum = sum + p.x
      end
      query:each(add)
      query:each(add)
      return n, sum
    end
    for _ = 1, 3 do
      local n, sum = count()
      assert.equal(600, n)
      assert.equal(90300.5, sum)
    end
  end)

  it("is refused where the function uses it otherwise", function()
    refused(function()
      local n = 0
      return function(p) n = n + 1 p.x = n end
    end, "'n', which is read elsewhere in the function")
    refused(function()
      local stats = { n = 0 }
      local other = stats
      return function(p) stats.n = stats.n + 1 p.x = other.n end
    end, "'n', which is read elsewhere in the function")
    refused(function()
      local n = 0
      local function more(x) return n + x end
      return function(p) n = n + 1 p.x = more(3) end
    end, "'n', which is read elsewhere in the function")
    refused(function()
      local n = 0
      return function(p) n = n + 1 if p.x > n then n = p.x end end
    end, "'n', which is changed in two ways")
    refused(function()
      local n = 0
      local function more() n = n + 1 return 2 end
      return function(p) n = n + more() p.x = 1 end
    end, "'n', which is changed in between")
    refused(function()
      local n = 0
      return function(p) n = n + 1 n = 3 p.x = 1 end
    end, "an assignment to 'n', which is no local variable")
    refused(function()
      local n -- luacheck: ignore
      return function(p) n = n + p.x end
    end, "'+' of 'n', which is nil")
  end)

  it("is refused where a metatable counts", function()
    local stored = { n = 0 }
    refused(function()
      local proxy = setmetatable({}, { __index = stored,
        __newindex = function(_, key, value) stored[key] = value end })
      return function(p) proxy.n = proxy.n + p.x end
    end, "an assignment to a field of a table")
    refused(function()
      local locked = setmetatable({}, { __index = stored,
        __newindex = function() error "locked" end })
      return function(p) locked.n = locked.n + p.x end
    end, "an assignment to a field of a table")
  end)

  it("stays another one than a field of the same name", function()
    local world = ecs.world {}
    local e = world:spawn(P { x = 1 })
    local stats, other = { n = 0 }, { n = 100 }
    world:system { name = "s", query = { P },
      each = function(p)
        stats.n = stats.n + 1
        p.x = other.n
      end }
    local heard = ecs.on_fallback
    ecs.on_fallback = nil
    world:progress(1)
    assert.equal(100, (world:get(e, P, "x")))
    assert.equal(0, world:stats("s").fallback_runs)
    other = stats
    world:progress(1)
    assert.equal(2, (world:get(e, P, "x")))
    assert.equal(2, stats.n)
    ecs.on_fallback = heard
  end)
end)
