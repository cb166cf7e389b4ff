-- Systems with compile = true: with precision = "double" they give, bit for
-- bit, what the same function gives as plain Lua; what cannot be compiled says
-- why.

local ecs = require "ecs"

local unpack = rawget(table, "unpack") or rawget(_G, "unpack")

local P = ecs.component("CompileP", {
  x = "f32", y = "f32", hp = "i32", alive = "bool", who = "entity", n = "u8",
  d = "f64", s = "i16",
})
local V = ecs.component("CompileV", { x = "f32", y = "f32" })
local O = ecs.component("CompileO", { v = "f32" })
local T = ecs.tag "CompileT"
local S = ecs.tag("CompileS", { storage = "sparse" })
local R = ecs.component("CompileR", { r = "f32" }, { storage = "sparse" })

local function generator(seed)
  return function()
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
  end
end

--- Rows in several tables, more than one block of them, some with a sparse
-- component.
local function fill(world)
  local random, list = generator(7), {}
  for k = 1, 1300 do
    local parts = {
      P { x = random() * 40 - 20, y = random() * 40 - 20,
          hp = math.floor(random() * 20) - 5, alive = random() < 0.5,
          n = math.floor(random() * 255), d = random(),
          s = math.floor(random() * 60000) - 30000 },
      V { x = random() * 4 - 2, y = k % 7 == 0 and 0 or random() * 4 - 2 },
    }
    if k % 3 == 0 then parts[#parts + 1] = O { v = random() } end
    if k % 5 == 0 then parts[#parts + 1] = R { r = random() } end
    list[k] = world:spawn(unpack(parts))
    if k % 4 == 0 then world:set(list[k], P, "who", list[k]) end
    if k % 9 == 0 then world:set(list[k], P, "who", list[k - 1]) end
    if k % 11 == 0 then world:destroy(list[k - 1]) end
  end
  return list
end

local terms = { P, V, optional = { O } }

--- Runs f as plain Lua and compiled, three frames each; the same must come out.
local function check(make, query, precision)
  local worlds = {}
  for k, compiled in ipairs { false, true } do
    local world = ecs.world {}
    fill(world)
    world:system {
      name = "s", query = query or terms, each = make(world),
      compile = compiled, precision = compiled and precision or nil,
    }
    for _ = 1, 3 do world:progress(1 / 60) end
    worlds[k] = world
  end
  assert.are.equal(worlds[1]:state_hash(), worlds[2]:state_hash())
end

local bounce, speed = 0.8, 3
local config = { drag = 0.1, deep = { k = 2.5 }, flag = true }
local CHASE, FLEE = 1, 2

local function length(x, y) return math.sqrt(x * x + y * y) end

local function normal(x, y)
  local l = length(x, y)
  if l == 0 then return 0, 0 end
  return x / l, y / l
end

local function clamp(x, low, high)
  if x < low then return low elseif x > high then return high end
  return x
end

local functions = {
  ["moves"] = function(p, v, _, dt)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end,
  ["falls and bounces"] = function(p, v, _, dt)
    local vy = v.y - 9.8 * dt
    local y = p.y + vy * dt
    if y < 0 then y, vy = -y, -vy * bounce end
    p.y, v.y = y, vy
  end,
  ["calls functions with several results"] = function(p, v)
    local nx, ny = normal(v.x, v.y)
    p.x = clamp(p.x + nx * speed, -20, 20)
    p.y = clamp(p.y + ny * speed, -20, 20)
  end,
  ["returns early"] = function(p)
    if p.hp <= 0 then
      p.alive = false
      return
    end
    p.hp = p.hp - 7
    p.n = p.n + 100
  end,
  ["tests what may not be there"] = function(p, _, o)
    if o then
      o.v = o.v + 1
      p.x = o.v
    end
    if not o then return end
    p.y = o.v
  end,
  ["has states"] = function(p, v)
    if p.n == CHASE then
      v.x = v.x + 1
    elseif p.n == FLEE or not p.alive then
      v.x = v.x - 1
    else
      v.x = 0
      p.n = p.hp > 3 and CHASE or FLEE
    end
  end,
  ["reads tables from outside"] = function(p)
    p.x = config.flag and p.x * config.deep.k or 0
    p.y = p.y * (1 - config.drag)
  end,
  ["calls math"] = function(p, v)
    p.d = math.sin(p.x) + math.max(p.y, v.x, 2) + math.abs(v.y) ^ 0.5
      + v.y ^ 2 + math.sqrt(math.abs(p.x)) + math.cos(p.y) * math.pi
    p.x = math.floor(p.x) + math.ceil(p.y + 0.25)
    p.y = ecs.math.sin(p.y) + ecs.math.atan2(p.x, v.x) + ecs.math.mod(p.x, 3)
  end,
  ["repeats what is counted"] = function(p)
    for i = 1, 4 do p.x = p.x * 0.5 + i end
    for t = 0, 1, 0.1 do p.d = p.d + t * t end
    for i = 3, 1, -1 do
      if p.hp > i then p.hp = p.hp - i end
    end
  end,
  ["compares entities"] = function(p, _, _, _, e)
    if p.who == e then
      p.x = -1
    elseif p.who ~= nil then
      p.x = 1
      p.who = nil
    else
      p.x = 2
      p.who = e
    end
  end,
  ["stores what does not fit"] = function(p, v)
    p.n = p.x * 100
    p.s = p.y * 1e6
    p.hp = v.x * 1e10
    p.d = 0 / 0
    if p.hp < 0 then p.hp = p.d end
  end,
  ["assigns in turn"] = function(p, v)
    p.x, p.y = p.y, p.x
    local a, b = v.x, v.y
    if a > b then a, b = b, a end
    v.x, v.y = a, b
  end,
  ["chooses among several with and and or"] = function(p, v, o)
    p.x = p.x < 0 and -1 or p.x > 5 and 2 or p.y > 0 and v.x or v.y
    p.y = o and o.v or p.alive and 3 or p.hp > 3 and 4 or 5
    local some, yes = o and o.v, p.alive and p.hp > 2 and p.x
    if some ~= nil then p.d = some end
    if yes ~= nil then p.n = 1 end
    if yes then p.s = yes * 2 end
    local either
    if p.hp > 4 then either = o and v.x elseif p.hp > 2 then either = v.y end
    p.hp = (either or -1) + (p.alive and o and o.v or 7)
    p.alive = p.alive and v.x > 0 or o and o.v > 0.5 or false
  end,
  ["nests its tests"] = function(p, v)
    local t = 0
    if p.x > 0 then
      if p.y > 0 then t = 1 else t = 2 end
      if v.x > 1 and (v.y > 0 or p.alive) then return end
    elseif not (p.hp < 3 and p.alive) then
      t = 3
    end
    p.n = t
    p.alive = t == 1 or p.y ~= p.y
  end,
}

describe("a compiled system", function()
  for name, f in pairs(functions) do
    it(name .. " as plain Lua does", function()
      check(function() return f end, nil, "double")
    end)
  end

  it("gathers components that are stored apart", function()
    check(function() return function(p, r, v)
      r.r = r.r + p.x * v.y
      p.x = r.r
    end end, { P, R, read = { V } }, "double")
  end)

  it("destroys, adds and removes, under any condition", function()
    check(function(world) return function(p, _, _, _, e)
      if p.hp <= 0 then
        world:destroy(e)
        return
      elseif p.x > 5 then
        world:add(e, T)
        world:add(e, S)
      end
      if p.y < 0 then world:remove(e, O) end
      p.hp = p.hp - 1
    end end, nil, "double")
  end)

  it("changes nothing where conditions rule each other out", function()
    check(function(world) return function(p, _, _, _, e)
      for _ = 1, 3 do
        if p.who then
          world:add(e, T)
          return
        end
      end
      if not p.alive then return end
      if not p.alive and p.who ~= e then world:destroy(e) end
    end end, nil, "double")
  end)

  it("sees whom it has destroyed, in rows before and in its own", function()
    check(function(world) return function(p, _, _, _, e)
      local before = world:alive(p.who)
      if p.hp < 2 or p.x > 15 then
        world:destroy(e)
        if world:alive(e) then p.n = 9 end
        if p.alive then return end
      end
      if world:has(e) then p.s = 7 end
      p.d = before and world:alive(p.who) and 1 or 2
      if not world:alive(p.who) then
        p.x = p.x + 1
        world:destroy(e)
      end
    end end, { P, V, optional = { O } }, "double")
  end)

  it("reads through entities, also dead ones", function()
    check(function(world) return function(p)
      local x, y = world:get(p.who, V, "x", "y")
      if x then p.x = x + y end
      if world:alive(p.who) then p.n = 1 else p.n = 2 end
      if world:has(p.who, V, R) then p.s = 3 end
      p.d = world:get(p.who, R, "r") or -1
    end end, { P, without = { T } }, "double")
  end)

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

  --- One row of W after f, with the precision of its fields.
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

  it("squares in the type in which both meet", function()
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

  it("hands on all results of a call at the end", function()
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
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(text:find("more than 256 iterations", 1, true), text)
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

-- Outside the subset ---------------------------------------------------------

local list, count = { 1, 2 }, 0
local text = "a"
local function recursive(x) return recursive(x - 1) end

local outside = {
  { function(v) while v.x > 0 do v.x = v.x - 1 end end, "a while loop" },
  { function(v) repeat v.x = v.x - 1 until v.x < 0 end, "a repeat loop" },
  { function(v) for _, x in ipairs(list) do v.x = x end end, "iterator" },
  { function(v) for k = 1, v.x do v.y = k end end, "bounds are not constant" },
  { function(v, dt) for k = 1, dt do v.y = k end end, "are not constant" },
  { function(v) for k = 1, math.huge do v.y = k end end, "256 iterations" },
  { function(v) local t = {} v.x = t.x end, "a table constructor" },
  { function(v) local f = function() end f(v) end, "function inside" },
  { function(v) v.x = list[1] end, "index in brackets" },
  { function(v) v.x = #list end, "length operator" },
  { function(v) v.x = tostring(v.x) .. "a" end, "joining strings" },
  { function(v) if v.x == "a" then v.x = 1 end end, "a string" },
  { function() count = count + 1 end, "no local variable" },
  { function(v) v.x = recursive(v.x) end, "calls itself" },
  { function(v) v.z = 1 end, "'z' of CompileV, which has no such field, " },
  { function(v) v.x = true end, "an assignment to CompileV.x of a boolean" },
  { function(v) v.x = v.x + nil end, "of nil" },
  { function(v) print(v.x) end, "written in C" },
  { function(v) v.x = math.random() end, "math.random" },
  { function(v) v.x = text + 1 end, "of a string" },
  { function(v) return v.x end, "a value returned" },
  { function(v) local x if v.x > 1 then x = 1 end v.y = x + 1 end,
    "may be nil" },
  { function(v) local x = 1 if v.x > 1 then x = true end v.y = x end,
    "a boolean on one path and a number on another" },
  { function() if list == "one two" then count() end end, "a string" },
  { function(v, _, e) local x = e and v.x > 0 and v.y
    if x == nil then v.x = 1 end end, "that may be false" },
  { function(v) v.x = math.log(v.x, 2) end, "math.log with a base" },
  { function(...) local v = ... v.x = 1 end, "..." },
}

describe("the precision", function()
  -- How many rows find a field equal to what was stored there.
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
end)

describe("what cannot be compiled", function()
  for k, case in ipairs(outside) do
    it(k .. ": says " .. case[2], function()
      local world = ecs.world {}
      local done, message = pcall(function()
        world:system { name = "s", query = { V }, compile = true,
                       each = case[1] }
      end)
      assert.is_false(done)
      assert.truthy(message:find("compile_spec.lua:%d+: ecs: system 's': "),
        message)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find("cannot be compiled: ", 1, true), message)
      assert.are.equal(0, world:stats().systems)
    end)
  end

  it("says why a function's source is not known", function()
    local loads = rawget(_G, "loadstring") or load
    local function told(f, words)
      local done, message = pcall(function()
        ecs.world({}):system { name = "s", query = { V }, compile = true,
                               each = f }
      end)
      assert.is_false(done)
      assert.truthy(message:find(words .. " cannot be compiled: give the "
        .. "system's function as text, or ship the file that it was loaded "
        .. "from, as it was", 1, true), message)
    end
    local known = "return function(v) v.x = 1 end"
    told(loads(known, "=nowhere")(), "a function whose source cannot be read")
    told(loads(known, "@/no/such/file.lua")(),
      "a function whose source cannot be read")
    told(loads(known, "return function(v) v.x = 2 end")(),
      "a function whose source is not what was loaded")
    local inner = loads("return function(v) return 1 end", "=nowhere")()
    told(function(v) v.x = inner(v) end,
      "a call of 'inner', whose source cannot be read,")
  end)

  it("is a function whose file has changed", function()
    local path = os.tmpname()
    local function write(source)
      local file = assert(io.open(path, "w"))
      file:write(source)
      file:close()
    end
    local source = "return function(v)\n  local k = 2\n"
      .. "  v.x = v.x * k + 1\nend\n"
    local tried = 0
    for at = 1, #source do
      write(source)
      local f = assert(loadfile(path))()
      local old = source:sub(at, at)
      local new = old == "2" and "3" or old == "*" and "+" or old == "\n"
        and "\n\n" or old == "x" and "y" or old == "1" and "4" or old == "k"
        and "v" or old == "+" and "-"
      if new then
        tried = tried + 1
        write(source:sub(1, at - 1) .. new .. source:sub(at + 1))
        local world = ecs.world {}
        local e = world:spawn(V { x = 5 })
        local done = pcall(world.system, world, { name = "s", query = { V },
          compile = true, each = f })
        -- Whatever was edited: what was loaded runs, or nothing does.
        if done then
          world:progress(1)
          assert.are.equal(11, world:get(e, V, "x"))
        end
      end
    end
    os.remove(path)
    assert.is_true(tried > 10)
  end)
end)
