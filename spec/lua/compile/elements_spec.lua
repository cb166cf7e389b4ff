-- Compiled functions on arrays of rows do what plain Lua does, at constant and
-- at computed indices.

local ecs = require "ecs"

local Data = ecs.component("ElementsData", {
  f = { "f32", 1, count = 7 }, d = { "f64", count = 5 },
  i = { "i16", count = 4 }, u = { "u8", count = 3 },
  on = { "bool", count = 3 }, k = "f64",
})
local Other = ecs.component("ElementsOther", {
  g = { "f32", 2, count = 12 }, at = "u8",
})

--- With arrays so large that a computed index is one operation.
local Wide = ecs.component("ElementsWide", {
  f = { "f32", 1, count = 9 }, d = { "f64", count = 9 },
  i = { "i16", count = 9 }, u = { "u8", count = 10 },
  on = { "bool", count = 9 }, w = { "u32", count = 9 }, k = "f64",
})

local function fill(world)
  for n = 1, 200 do
    world:spawn(
      Data { f = { n / 3, -n, n * n }, d = { n / 7, [4] = n }, i = { n, -n },
             u = { n % 5, n % 3 }, on = { n % 2 == 0 }, k = n % 9 },
      Other { g = { n, [12] = -n }, at = n % 14 },
      Wide { f = { n / 3, -n, [9] = n }, d = { n / 7, [4] = n }, i = { n, -n },
             u = { n % 5, n % 3, [10] = 7 }, on = { n % 2 == 0 },
             w = { n * 7 }, k = n % 9 + 1 })
  end
end

--- The hash after some frames of one system; and the first error, with which
-- the frame ended, without its place.
local function outcome(f, compile, precision)
  local world = ecs.world { precision = precision }
  fill(world)
  world:system { name = "s", query = { Data, Other, Wide }, each = f,
                 compile = compile }
  local text
  for _ = 1, 3 do
    local done, problem = pcall(world.progress, world, 1 / 60)
    text = not done and tostring(problem):match "ecs: [^\n]*" or text
  end
  return { world:hash(), text }, world
end

--- Does a function do the same compiled and as plain Lua? single: not in single
-- precision, where sums of f32 have other bits.
local function agrees(f, wanted, single)
  for k, precision in ipairs { "double", "fields" } do
    if k == 2 and single == false then break end
    local plain = outcome(f, false, precision)
    local compiled, world = outcome(f, wanted ~= "plain" or nil, precision)
    assert.same(plain, compiled)
    if wanted == "error" then assert.truthy(plain[2]) end
    if not wanted then assert.is_nil(plain[2]) end
    if wanted ~= "plain" then
      assert.truthy(world:explain():find("s: each, compiled", 1, true))
    end
  end
end

describe("compiled elements", function()
  it("at constant indices are fields", function()
    agrees(function(a, b)
      a.f[1] = a.f[2] + b.g[12]
      a.d[5], a.d[4] = a.d[4], a.d[5]
      a.on[3] = not a.on[1]
      a.i[4] = a.i[1] * 3
      a.u[3] = #a.f + #b.g
    end)
  end)

  it("in loops between constants and lengths", function()
    agrees(function(a, b)
      for k = #b.g, 2, -1 do b.g[k] = b.g[k - 1] end
      local sum = 0
      for k = 1, #a.f do sum = sum + a.f[k] end
      b.g[1] = sum
      local d = a.d
      for k = 1, 5 do d[k] = d[k] + k end
    end, nil, false)
    agrees(function(a, b)
      local sum = 0
      for k = 1, #a.d do sum = sum + a.d[k] end
      for k = 1, 5 do a.d[k], b.g[k + 1] = a.d[6 - k] + sum, b.g[k] end
    end)
  end)

  it("at computed indices", function()
    agrees(function(a, b)
      local n = a.k % 7 + 1
      a.f[n] = a.f[8 - n] * 0.5 + n
      a.d[a.u[1] + 1] = a.f[n]
      a.i[a.u[2] + 1] = a.i[a.u[2] + 2] - 7
      a.on[a.u[2] + 1] = a.on[3 - a.u[2]]
      if a.on[a.u[2] + 1] then b.g[n + 1] = b.g[n] else b.g[n] = 0 end
    end)
  end)

  it("in loops that are not unrolled", function()
    agrees(function(a, b)
      local n = a.k % 7 + 1
      for k = 1, n do a.f[k] = a.f[k] + b.g[k + 1] end
      local k = 1
      while k < n and a.f[k] < 100 do k = k + 1 end
      a.d[k % 5 + 1] = k
    end)
  end)

  it("that convert what they hold", function()
    agrees(function(a)
      local n = a.u[1] % 3 + 1
      a.i[n] = 70000.7
      a.u[n] = -1
      a.i[n + 1] = a.i[n] + 0.5
      a.f[n] = 1 / 3
      a.d[n] = a.f[n]
      a.i[n] = 0 / 0
    end)
  end)

  it("may be read and written in one statement", function()
    agrees(function(a)
      local x, y = a.u[1] + 1, a.u[2] + 1
      a.f[x], a.f[y] = a.f[y], a.f[x]
      a.f[x] = a.f[a.u[2] + 1] + a.f[x]
    end)
  end)

  it("outside raise as in plain Lua, with all before them done", function()
    agrees(function(a, b) a.f[b.at] = 3 end, "error")
    agrees(function(a, b) a.d[1] = b.g[b.at + 0.5] end, "error")
    agrees(function(a, b) a.d[1] = b.g[a.k / 0] end, "error")
    agrees(function(a, b) if b.at > 0 then a.k = b.g[b.at] end end, "error")
  end)

  it("outside under a condition that keeps them inside are no error", function()
    agrees(function(a, b)
      if b.at >= 1 and b.at <= 7 then a.f[b.at] = a.f[b.at] + 1 end
    end)
  end)

  it("at a constant outside, and arrays as a whole, run as plain Lua",
    function()
      agrees(function(a) a.f[8] = 1 end, "plain")
      agrees(function(a) a.f = 1 end, "plain")
      agrees(function(a) local _ = a.f.x end, "plain")
    end)

  it("are given in values, sets and spawns", function()
    local Made = ecs.component("ElementsMade", {
      past = { "f32", 1, count = 4 }, on = { "bool", count = 2 } })
    local function run(compile)
      local world = ecs.world {}
      fill(world)
      world:system { name = "s", query = { Data }, compile = compile,
        each = function(a, _, e)
          world:spawn(Made { past = { a.k, [3] = 2 }, on = true })
          world:spawn(Made, { past = a.f[2] })
          world:set(e, Made, "past", a.k, "on", { true })
        end }
      world:progress(1)
      return world:hash()
    end
    assert.equal(run(false), run(true))
  end)

  it("of large arrays at computed indices, in any order", function()
    agrees(function(a, _, c)
      local k, n = c.k, c.k % 4 + 1
      c.f[k] = c.f[10 - k] * 0.5 + 1
      c.f[3] = c.f[k] + c.f[n]
      c.f[n], c.f[k] = c.f[k], c.f[n]
      c.d[k] = c.f[3] + c.d[4]
      c.i[k] = c.u[k] * 1000 + c.i[1]
      c.u[k + 1] = c.i[k] % 300
      c.w[n] = c.w[k] - 5
      c.on[k] = not c.on[n]
      if c.on[3] then c.w[3] = c.w[n] + c.u[2] end
      a.k = c.d[k] % 8
    end)
  end)

  it("of large arrays under conditions", function()
    agrees(function(_, b, c)
      local k = c.k
      if c.u[1] > 2 then
        c.d[k] = c.d[k] + 1
        if k == 3 then c.d[3] = 7 return end
      elseif c.on[k] then
        c.d[10 - k] = c.d[1]
        c.d[1] = 3
      else
        c.d[k] = -1
      end
      c.d[2] = c.d[k] + c.d[1] + c.d[2]
      if b.at > 12 then c.on[b.at - 4] = true end
    end)
  end)

  it("of large arrays in loops: read, and written", function()
    agrees(function(_, _, c)
      local sum, n = 0, c.k % 5
      for k = 1, n do sum = sum + c.d[k] + c.f[k + 1] end
      c.d[n + 1] = sum % 1000
      for k = 1, 3 do c.w[(n + k) % 9 + 1] = c.w[k] + k end
    end)
    agrees(function(_, _, c)
      local n = c.k % 5
      c.d[c.k] = 2
      for k = 1, n do c.d[k] = c.d[c.k] + c.d[k + 1] + k end
      c.d[n + 1] = c.d[c.k] % 100
    end)
  end)

  it("of large arrays through other names of them", function()
    agrees(function(_, _, c)
      local d, k = c.d, c.k
      local function put(array, value) array[k] = value end
      put(d, 5)
      put(c.f, d[k])
      local either = c.on[k] and c or c
      either.d[k % 4 + 1] = either.d[k] + #d
    end)
  end)

  it("of large arrays outside raise as in plain Lua", function()
    agrees(function(_, b, c) c.d[b.at] = 3 end, "error")
    agrees(function(a, b, c) a.d[1] = c.f[b.at] end, "error")
    agrees(function(_, b, c) c.on[b.at + 0.25] = true end, "error")
    agrees(function(_, _, c) c.w[c.k / 0] = 1 end, "error")
  end)

  it("of large arrays cost one operation for each access", function()
    local world = select(2, outcome(function(_, _, c)
      c.d[c.k] = c.d[c.k] + 1
    end))
    local least = tonumber(world:explain():match "(%d+) operations")
    assert.truthy(least and least < 16, world:explain())
  end)

  it("of large arrays in rows that some entities lack", function()
    local Up = ecs.component("ElementsUp", { to = "entity", sum = "f64" })
    local function run(compile)
      local world = ecs.world { precision = "double" }
      for n = 1, 60 do
        local e = world:spawn(Up)
        if n % 3 > 0 then
          world:add(e, Wide { d = { n, n / 2 }, k = n % 9 + 1 })
        end
      end
      world:system { name = "s", query = { Up, optional = { Wide } },
        compile = compile, each = function(up, c)
          if c then
            c.d[c.k] = c.d[c.k % 3 + 1] + 1
            up.sum = up.sum + c.d[c.k]
          end
        end }
      for _ = 1, 3 do world:progress(1) end
      return world:hash()
    end
    assert.equal(run(false), run(true))
  end)

  it("of near rows are read", function()
    local Spot = ecs.component("ElementsSpot", { x = "f32", y = "f32" })
    local Sum = ecs.component("ElementsSum", { of = { "f64", count = 2 } })
    local function run(compile)
      local world = ecs.world { precision = "double" }
      for n = 1, 60 do
        world:spawn(Spot { x = n % 8, y = n % 7 },
          Other { g = { n, n / 3 }, at = n % 2 }, Sum)
      end
      local grid = world:grid { cell = 2, at = { Spot, "x", "y" },
        query = { read = { Spot, Other } } }
      world:system { name = "s", query = { Sum, read = { Other, Spot } },
        compile = compile, uses = { grid },
        each = function(s, o, p)
          local sum = 0
          for _, q, other in grid:within(p.x, p.y, 1.5) do
            sum = sum + other.g[2] + other.g[o.at + 1] + q.x
          end
          s.of[o.at + 1] = sum
        end }
      for _ = 1, 3 do world:progress(1) end
      return world:hash()
    end
    assert.equal(run(false), run(nil))
  end)
end)
