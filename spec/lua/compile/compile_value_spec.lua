-- Systems with compile = true: the type in which each value is computed, what
-- the function reads from outside, and where the precision makes a difference.

local ecs = require "ecs"

local P = ecs.component("CompileTarget", { x = "f32" })
local V = ecs.component("CompileV", { x = "f32", y = "f32" })
local R = ecs.component("CompileR", { r = "f32" }, { storage = "sparse" })

describe("a compiled system", function()
  it("rounds every operation to f32 where all fields are f32", function()
    local world = ecs.world {}
    local e = world:spawn(V { x = 16777216, y = 0.1 })
    world:system { name = "s", query = { V }, compile = true,
      each = function(v) v.x, v.y = v.x + 1 - 16777216, v.y * 0.1 end }
    world:progress(1)
    assert.are.equal(0, world:get(e, V, "x"))
    assert.are.equal("0.010000000707805157",
      string.format("%.17g", world:get(e, V, "y")))
  end)

  local W = ecs.component("CompileW", { a = "f32", b = "f32", c = "f64",
    d = "f64", i = "i32", u = "u32" })

  --- One row of W after a frame of f, in the precision of its fields.
  local function one_row(f, values)
    local world = ecs.world {}
    local e = world:spawn(W(values or {}))
    world:system { name = "s", query = { W }, compile = true, each = f(world) }
    world:progress(1)
    return world:get(e, W)
  end

  it("rounds a constant when an f32 field takes it, and once", function()
    local row = one_row(function() return function(w)
      w.a = 0.1
      w.c = w.a
    end end)
    assert.are.equal(row.a, row.c)
    assert.are_not.equal(0.1, row.c)
  end)

  it("squares in the common type of base and exponent", function()
    local row = one_row(function() return function(w)
      w.c = 2
      w.d = w.a ^ w.c
    end end, { a = 0.1 })
    assert.are.equal(row.a * row.a, row.d)
  end)

  it("gives a value the type of a field though constants are alike", function()
    local row = one_row(function() return function(w)
      local x = 0.1
      if w.a > 0 then
        w.c = 0.1
        x = w.c
      end
      w.d = x * w.a
    end end, { a = 0.3 })
    assert.are.equal(0.1 * row.a, row.d)
  end)

  it("knows the edges of i32 and u32 in f32, too", function()
    local row = one_row(function() return function(w)
      w.i, w.u = w.a, w.a
      w.c, w.d = w.i, w.u
    end end, { a = 2.0 ^ 40 })
    assert.are.equal(2147483647, row.c)
    assert.are.equal(4294967295, row.d)
  end)

  it("uses all results of a call at the end of a list", function()
    local function two(x) return x, x * 2 end
    local function three(x) return x, two(x + 1) end
    local function difference(x, y) return x - y end
    local row = one_row(function() return function(w)
      w.a = difference(two(3))
      w.b = math.max(1, two(3))
      w.c, w.d, w.i = three(w.i)
      w.u = math.max(1, (two(3)))
    end end)
    assert.are.equal(-3, row.a)
    assert.are.equal(6, row.b)
    assert.are.same({ 0, 1, 2 }, { row.c, row.d, row.i })
    assert.are.equal(3, row.u)
  end)

  it("knows what is not nil, wherever that is used", function()
    local target
    local row = one_row(function(world)
      target = world:spawn(V { x = 3, y = 4 })
      return function(w)
        local x, y = world:get(target, V, "x", "y")
        if x then
          if w.a > 1 then x = 7 end
          w.b = x + 1
          w.c = (world:get(target, R, "r") or y) * 2
        end
      end
    end, { a = 2 })
    assert.are.equal(8, row.b)
    assert.are.equal(8, row.c)
  end)

  it("sees what has changed outside since the last run", function()
    local factor, settings = 2, { add = 1 }
    local function one(x) return x * factor + settings.add end
    local function other(x) return x - 1 end
    local step = one
    local world = ecs.world {}
    local e = world:spawn(V { x = 1 })
    world:system { name = "s", query = { V }, compile = true,
      each = function(v) v.x = step(v.x) end }
    world:progress(1)
    assert.are.equal(3, world:get(e, V, "x"))
    factor, settings.add = 10, 5
    world:progress(1)
    assert.are.equal(35, world:get(e, V, "x"))
    settings = { add = 7 }
    world:progress(1)
    assert.are.equal(357, world:get(e, V, "x"))
    step = other
    world:progress(1)
    assert.are.equal(356, world:get(e, V, "x"))
    step = nil
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(text:find("a call of 'step'", 1, true), text)
    assert.are.equal(356, world:get(e, V, "x"))
  end)

  it("counts to a variable from outside, also when it changes", function()
    local steps, world = 2, ecs.world {}
    local e = world:spawn(V { x = 1 })
    world:system { name = "s", query = { V }, compile = true,
      each = function(v) for _ = 1, steps do v.x = v.x * 2 end end }
    world:progress(1)
    assert.are.equal(4, world:get(e, V, "x"))
    steps = 3
    world:progress(1)
    assert.are.equal(32, world:get(e, V, "x"))
    steps = 1000
    world:progress(1)
    assert.are.equal(math.huge, world:get(e, V, "x"))
  end)

  it("may be given as text", function()
    local world = ecs.world {}
    local e = world:spawn(V { x = 1 })
    world:system { name = "s", query = { V }, compile = true,
      each = "function(v, dt) v.x = v.x + dt end" }
    world:progress(0.5)
    assert.are.equal(1.5, world:get(e, V, "x"))
  end)

  it("says how it runs", function()
    local world = ecs.world {}
    world:system { name = "s", query = { V }, compile = true,
      each = function(v, dt) v.x = v.x + v.y * dt end }
    local text = world:explain "s"
    assert.truthy(text:find(
      "operation, 8 bytes read and 4 written a row", 1, true), text)
  end)

  it("respects what an open callback owns", function()
    local world = ecs.world {}
    world:spawn(P {}, V {})
    local target = world:spawn(V { x = 2 })
    world:system { name = "s", query = { P }, compile = true,
      each = function(p) p.x = world:get(target, V, "x") or 0 end }
    world:progress(1)
    assert.are.equal(2, world:get(world:query { P }:first(), P, "x"))
  end)
end)

describe("the precision", function()
  -- How many rows find their field equal to the value that was stored there.
  local function hits(options)
    local world = ecs.world {}
    world:spawn(V { x = 0.1 })
    local total = world:sum "hits"
    options.name, options.query = "s", { V }
    options.each = function(v) if v.x == 0.1 then total:add(1) end end
    world:system(options)
    world:progress(1)
    return total:value()
  end

  it("is that of the fields, and that of Lua where a system falls back",
    function()
      assert.are.equal(1, hits { compile = true })
      assert.are.equal(0, hits { compile = false })
      assert.are.equal(0, hits { compile = true, precision = "double" })
    end)

  it("of whole numbers in plain Lua is the VM's own", function()
    local world = ecs.world {}
    local N = ecs.component("CompileWhole", { n = "i32", zero = "i32" })
    world:spawn(N { n = 2147483647 })
    for _, n in world:query({ N }):rows() do
      local product = 1
      for _ = 1, 3 do product = product * n.n end
      local done = pcall(function() return n.n % n.zero end)
      local integers = rawget(math, "type") ~= nil
      assert.are.equal(not integers, done)
      assert.are.equal(not integers, product > 9e27)
    end
  end)

  it("takes false outside for nothing beside or", function()
    local override, heard = false, ecs.on_fallback
    ecs.on_fallback = nil
    local function run(compile)
      local world, seen = ecs.world { precision = "double" }, {}
      local e = world:spawn(V { x = 1, y = 2 })
      override = false
      world:system { name = "s", query = { V }, compile = compile,
        each = function(v)
          v.x = v.x + (override or 3)
          v.y = (override or v.y) * 2
        end }
      for _, value in ipairs { false, 5, false, true, false, 0.5, "4", false }
      do
        override = value
        seen[#seen + 1] = tostring(pcall(world.progress, world, 1))
          .. world:get(e, V, "x") .. " " .. world:get(e, V, "y")
      end
      return table.concat(seen, "\n"), world:stats("s").fallback_runs
    end
    local wanted = run(false)
    local seen, plain_runs = run(nil)
    ecs.on_fallback = heard
    assert.equal(wanted, seen)
    assert.equal(2, plain_runs) -- of true and "4"
  end)
end)
