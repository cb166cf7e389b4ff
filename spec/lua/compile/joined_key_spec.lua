-- Keys that join constants, "x" .. k in an unrolled loop, are names of fields.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local definition = { n = "f64" }
for k = 1, 9 do definition["x" .. k] = "f64" end
local Joined = ecs.component("JoinedKeys", definition)

--- The hash after three frames.
local function outcome(f, compile)
  local world = ecs.world {}
  for n = 1, 20 do world:spawn(Joined { x1 = n, x3 = -n, n = n / 3 }) end
  world:system { name = "s", query = { Joined }, each = f, compile = compile }
  for _ = 1, 3 do world:progress(1) end
  return world:hash()
end

--- Is a function compiled, and does it do what plain Lua does?
local function agrees(f) assert.equal(outcome(f, false), outcome(f, true)) end

describe("a key that joins constants", function()
  it("names a field of a row", function()
    agrees(function(p)
      for k = 9, 2, -1 do p["x" .. k] = p["x" .. (k - 1)] + 1 end
      p.x1 = p.n
    end)
    agrees(function(p)
      for k = 1, 9, 2 do p.n = p.n + p[("x") .. k] * k end
    end)
  end)

  it("may have parts from outside, which are guarded", function()
    local prefix, other = "x", {}
    for k = 1, 9 do other["a" .. k] = k * 3 end
    local function f(p)
      for k = 1, 3 do
        p[prefix .. k .. ""] = other["a" .. k] + p["x" .. k * 3]
      end
    end
    agrees(f)
    local world = ecs.world {}
    local e = world:spawn(Joined { n = 5 })
    world:system { name = "s", query = { Joined }, each = function(p)
      p[prefix .. 1] = p.n
    end }
    world:progress(1)
    assert.equal(5, world:get(e, Joined, "x1"))
    prefix = "x2"
    support.refuses(function() world:progress(1) end, "x21")
  end)

  it("names a key of a table of the function", function()
    agrees(function(p)
      local t = { a1 = p.n, a2 = 2 }
      for k = 1, 2 do t["a" .. k] = t["a" .. k] + k end
      p.x1, p.x2 = t.a1, t["a" .. 2]
    end)
  end)

  it("that names no field raises as in plain Lua", function()
    local world = ecs.world {}
    world:spawn(Joined)
    world:system { name = "s", query = { Joined }, each = function(p)
      for k = 8, 10 do p["x" .. k] = 1 end
    end }
    support.refuses(function() world:progress(1) end, "x10")
  end)

  it("of floats is what the VM makes of them", function()
    local world = ecs.world {}
    local e = world:spawn(Joined)
    world:system { name = "s", query = { Joined }, each = function(p)
      for k = 1.0, 2.0 do p["x" .. k] = k end
    end }
    if "x" .. 1.0 == "x1" then
      world:progress(1)
      assert.equal(2, world:get(e, Joined, "x2"))
    else
      support.refuses(function() world:progress(1) end, "x1.0")
    end
  end)
end)
