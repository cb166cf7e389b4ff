-- helper: functions that a compiled function calls, made anew while the program
-- runs. They are known by their code: what they read outside is read from the
-- closure that is there now.

local ecs = require "ecs"

local P = ecs.component("HelperP", { x = "f64", y = "f64" })

--- More frames than a function is compiled in that would be at each of them.
local FRAMES = 80

local function new_world()
  local world = ecs.world {}
  for k = 1, 5 do world:spawn(P { x = k, y = 0 }) end
  return world, world:query { P }
end

--- The sum of y over all rows.
local function sum_of(query)
  local sum = 0
  for _, p in query:rows() do sum = sum + p.y end
  return sum
end

describe("a helper that is made anew", function()
  --- Calls frame(query, k), which sets y to twice x and k more, for each frame.
  local function play(frame)
    local _, query = new_world()
    for k = 1, FRAMES do
      frame(query, k)
      assert.equal(30 + 5 * k, sum_of(query))
    end
  end

  it("is a local function of the frame", function()
    play(function(query, k)
      local function double(x) return x * 2 + k end
      query:each(function(p) p.y = double(p.x) end)
    end)
  end)

  it("is called by another one", function()
    play(function(query, k)
      local function add(x) return x + k end
      local function double(x) return add(x * 2) end
      query:each(function(p) p.y = double(p.x) end)
    end)
  end)

  it("is a field of a table that is made anew", function()
    play(function(query, k)
      local tools = { double = function(x) return x * 2 + k end }
      query:each(function(p) p.y = tools.double(p.x) end)
    end)
  end)

  it("is an element at a computed number", function()
    play(function(query, k)
      local tools = { function(x) return x * 2 + k end,
                      function(x) return k + x + x end }
      query:each(function(p) p.y = tools[p.x % 2 + 1](p.x) end)
    end)
  end)

  it("is tested first", function()
    play(function(query, k)
      local function double(x) return x * 2 + k end
      local list = { 2, 2 }
      query:each(function(p)
        if double then p.y = double(p.x) end
        if list then p.y = p.y - 2 + list[p.x % 2 + 1] end
      end)
    end)
    play(function(query, k)
      local double = k % 2 == 0 and function(x) return x * 2 + k end
      query:each(function(p) p.y = double and double(p.x) or p.x * 2 + k end)
    end)
  end)

  it("has two names", function()
    play(function(query, k)
      local function half(x) return x + k / 2 end
      local one, other = half, half
      query:each(function(p) p.y = one(p.x) + other(p.x) end)
    end)
  end)

  it("calls itself", function()
    play(function(query, k)
      local function turn(x, n)
        if n == 0 then return x + k end
        return turn(x + x / 2, n - 1) + 0.5 * x - x * 0.25 - x / 2 * 0.5
      end
      query:each(function(p) p.y = turn(p.x, 1) + p.x / 2 + p.x * 0.25 - 0.25
        * p.x end)
    end)
  end)

  it("has a table of its own", function()
    play(function(query, k)
      local list = { k, 2 * k }
      local function double(x) return x * 2 + list[x % 2 + 1] / (x % 2 + 1) end
      query:each(function(p) p.y = double(p.x) end)
    end)
  end)

  it("is an upvalue of a system, which stays compiled", function()
    local world, query = new_world()
    local double, tools, list, add
    local function make(k)
      add = function(x) return x + k end
      double = function(x) return add(x * 2) end
      tools = { same = function(x) return x + k - k end, double, double }
      list = { 1, 1 }
    end
    make(0)
    world:system { name = "s", query = query, compile = true,
                   each = function(p)
      if double and list then
        p.y = double(tools.same(p.x)) * (list[p.x % 2 + 1] or 0)
          + tools[p.x % 2 + 1](p.x)
      end
    end }
    for k = 1, FRAMES do
      make(k)
      world:progress(1)
      assert.equal(60 + 10 * k, sum_of(query))
    end
  end)

  it("was one function under two names, and is two now", function()
    local world, query = new_world()
    local one, other
    local function make(k) return function(x) return x + k end end
    one = make(1)
    other = one
    world:system { name = "s", query = query, compile = true,
                   each = function(p) p.y = one(p.x) * 100 + other(p.x) end }
    world:progress(1)
    assert.equal(15 * 101 + 5 * 101, sum_of(query))
    one, other = make(2), make(3)
    world:progress(1)
    assert.equal(15 * 101 + 10 * 100 + 15, sum_of(query))
    other = one
    world:progress(1)
    assert.equal(15 * 101 + 10 * 101, sum_of(query))
  end)

  it("is compiled anew where its code changes", function()
    local world, query = new_world()
    local step = function(x) return x + 1 end
    world:system { name = "s", query = query, compile = true,
                   each = function(p) p.y = step(p.x) end }
    world:progress(1)
    assert.equal(20, sum_of(query))
    step = function(x) return x - 1 end
    world:progress(1)
    assert.equal(10, sum_of(query))
  end)

  it("is chosen among two", function()
    local world, query = new_world()
    local function make(k) return function(x) return x + k end end
    local step, other = make(1), make(7)
    world:system { name = "s", query = query, compile = true,
                   each = function(p)
      local f = step or other
      if not step then f = other end
      p.y = f(p.x)
    end }
    for _, k in ipairs { 1, 2, 3 } do
      step = make(k)
      world:progress(1)
      assert.equal(15 + 5 * k, sum_of(query))
    end
    step = nil
    world:progress(1)
    assert.equal(15 + 35, sum_of(query))
    other = make(8)
    world:progress(1)
    assert.equal(15 + 40, sum_of(query))
  end)

  it("counts in a variable that it shares, or does not", function()
    for _, compile in ipairs { true, false } do
      local world, query = new_world()
      local counts = {}
      local function make(read)
        local count = 0
        counts[#counts + 1] = function() return count end
        return function(x) count = count + x; return x end,
          read and function() return count end
      end
      local one, other = make(), make()
      world:system { name = "s", query = query, compile = compile,
                     each = function(p) p.y = one(p.x) + other(p.x) end }
      world:progress(1)
      other = one -- both add to one variable
      world:progress(1)
      one = make() -- and now to two, of one code
      world:progress(1)
      assert.equal(15 + 30 + 15, counts[1]())
      assert.equal(15, counts[2]())
      assert.equal(15, counts[3]())
    end
  end)

  it("changes in the middle of a run, in a side exit", function()
    local results = {}
    for _, compile in ipairs { true, false } do
      local world, query = new_world()
      local list, double = {}, nil
      local function make(k)
        double = function(x) return x * 2 + k end
      end
      make(1)
      world:system { name = "s", query = query, compile = compile,
                   each = function(p)
        if p.x == 3 then
          list[#list + 1] = tostring(p.x)
          make(100)
        end
        if double then p.y = double(p.x) end
      end }
      for _ = 1, 3 do
        world:progress(1)
        results[#results + 1] = sum_of(query)
        make(1)
      end
      assert.equal(3, #list)
    end
    for k = 1, 3 do
      assert.equal(30 + 2 + 300, results[k])
      assert.equal(results[k], results[k + 3])
    end
  end)

  it("is not tried at each run where it cannot be compiled", function()
    local world, query = new_world()
    local text = function(x) return #(x .. "") end
    world:system { name = "s", query = query,
                   each = function(p) p.y = text(p.x) end }
    for k = 1, FRAMES do
      text = function(x) return #(x .. "" .. k) end
      pcall(world.progress, world, 1)
    end
    assert.truthy(world:explain("s"):find("joining strings", 1, true))
  end)

  it("reads as plain Lua does, in random programs", function()
    local seed = 7
    local function draw(n)
      seed = (seed * 16807) % 2147483647
      return seed % n + 1
    end
    local worlds, queries, set = {}, {}, {}
    for k, compile in ipairs { true, false } do
      local world, query = new_world()
      local a, b, tools
      set[k] = function(x, y, z) a, b, tools = x, y, z end
      local function one(x) return x end
      set[k](one, one, { c = one })
      world:system { name = "s", query = query, compile = compile,
                   each = function(p)
        local v = a(p.x) + b(p.x) * 3
        if p.x > 2 then v = v + tools.c(p.x) * 7 end
        p.y = v + p.y * 0.5
      end }
      worlds[k], queries[k] = world, query
    end
    local function leaf(k) return function(x) return x + k end end
    local function outer(f, k) return function(x) return f(x) * k end end
    local made = { leaf(1) }
    for _ = 1, 200 do
      made[#made + 1] = draw(2) == 1 and leaf(draw(9))
        or outer(made[draw(#made)], draw(3))
      if #made > 8 then made = { made[draw(8)], leaf(draw(5)) } end
      local x, y, z = made[draw(#made)], made[draw(#made)], made[draw(#made)]
      for k = 1, 2 do
        set[k](x, y, { c = z })
        worlds[k]:progress(1)
      end
      assert.equal(sum_of(queries[2]), sum_of(queries[1]))
    end
  end)
end)
