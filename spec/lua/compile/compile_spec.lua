-- Systems with compile = true: with precision = "double" they give, bit for
-- bit, what the same function gives as plain Lua. The values that they compute
-- with are in compile_value_spec.lua, functions that cannot be compiled in
-- compile_refused_spec.lua.

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

--- Asserts that f as plain Lua and compiled gives the same state after three
-- frames.
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

  it("sees what it has destroyed, in rows before and in its own", function()
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
end)
