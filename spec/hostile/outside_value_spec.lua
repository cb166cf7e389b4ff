-- Values outside a compiled function change their type between its runs: from a
-- number to nil, a table, a function. The next run does what plain Lua does
-- with the new value, whatever value the function was compiled for: it stores
-- the same numbers, or raises an error where plain Lua raises one.

local ecs = require "ecs"

local load_text = rawget(_G, "loadstring") or load

local P = ecs.component("OutsideP", {
  x = "f64", y = "f64", on = "bool", who = "entity",
})

--- The values that V takes one after the other, for an entity.
local function values_for(e)
  return { 1, true, false, e, "s", { a = 1 }, { a = true },
           function(x) return x end, math.floor, 2.5, n = 11 } -- one is nil
end

local bodies = {
  "if V then p.y = 1 else p.y = 2 end",
  "if not V then p.y = 1 else p.y = 0 end",
  "if V and V ~= 1 then p.y = 1 else p.y = 0 end",
  "if p.on and V then p.y = 1 else p.y = 2 end",
  "if p.on or V then p.y = 1 end",
  "p.y = V and 1 or 2",
  "p.y = V or 5",
  "p.y = V and V or 7",
  "p.y = V == 1 and 1 or 2",
  "p.y = V == nil and 1 or 2",
  "p.y = V ~= false and 1 or 2",
  "p.y = V == 's' and 1 or 2",
  "p.y = p.on == V and 1 or 2",
  "p.y = e == V and 1 or 2",
  "p.y = p.x == V and 1 or 2",
  "p.y = (p.on and p.x) == V and 1 or 2",
  "p.y = V",
  "p.y = V + 1",
  "p.y = V(p.x)",
  "p.y = V.a",
  "p.y = V.a and 3 or 4",
  "p.on = V",
  "p.who = V",
  "local t = V if p.on then t = 3 end p.y = t",
  "local t if p.on then t = V end if t then p.y = 1 else p.y = 2 end",
  "local t = p.on and V or p.x if t then p.y = 1 else p.y = 2 end",
  "p.y = e == S.V and 1 or 2",
  "p.y = S.V ~= p.who and 1 or 2",
  "local t if p.on then t = V end if t ~= nil then p.y = 1 else p.y = 2 end",
  "local t if p.on then t = S.V end if t ~= nil then p.y = 1 end",
  "local t = S.V if p.x > 5 then t = nil end if t == nil then p.y = 1 end",
  "local t if p.on then t = V end if t == e then p.y = 1 else p.y = 2 end",
  "local t = V if p.x > 5 then t = p.who end if t then p.y = 1 end",
  "local t = S.V if p.x > 5 then t = p.who end if not t then p.y = 1 end",
  "local w = p.who if p.on then w = nil end if w == (V or 7) then p.y = 1 end",
  "local w = p.who if p.on then w = nil end p.y = (S.V or 7) ~= w and 1 or 2",
  "local t = pick(p.on, S.V) if t == nil then p.y = 1 else p.y = 2 end",
  "local t = pick(p.on, V) or S.V p.y = t == e and 1 or 2",
  "local t = V.a p.y = 1",
  "local t, w = S.V.a, 2 p.y = w",
}

--- The result of one frame or one query:each, as text.
local function run(world, query, f, e, way)
  local ok
  if way == "query" then
    ok = pcall(query.each, query, f, 1)
  else
    ok = pcall(world.progress, world, 1)
  end
  local seen = string.format("%s %s %s %s", tostring(ok),
    tostring(world:get(e, P, "y")), tostring(world:get(e, P, "on")),
    tostring(world:get(e, P, "who")))
  world:set(e, P { x = 3, y = 0, on = true, who = e })
  return seen
end

--- The results of three runs for each pair of values.
local function runs(body, way)
  local world = ecs.world { precision = "double" }
  local e = world:spawn(P { x = 3, on = true })
  world:set(e, P, "who", e)
  local query, values = world:query { P }, values_for(e)
  local text = "local V = ... local S = { V = V } "
    .. "local function pick(a, b) if a then return b end end "
    .. "return function(p, dt, e) " .. body
    .. " end, function(v) V, S.V = v, v end"
  local seen = {}
  for i = 1, values.n do
    for j = 1, values.n do
      local f, put = load_text(text, text)(values[i])
      if way ~= "query" then
        world:system { name = "s", query = query, each = f,
                       compile = way ~= "plain" and nil }
      end
      for _, k in ipairs { i, j, i } do
        put(values[k])
        seen[#seen + 1] = i .. " " .. j .. " " .. run(world, query, f, e, way)
      end
    end
  end
  return seen
end

describe("a value outside a function", function()
  local heard
  setup(function() heard, ecs.on_fallback = ecs.on_fallback, nil end)
  teardown(function() ecs.on_fallback = heard end)

  for _, body in ipairs(bodies) do
    it("may become anything: " .. body, function()
      local plain = runs(body, "plain")
      for _, way in ipairs { "system", "query" } do
        local compiled = runs(body, way)
        for k = 1, #plain do assert.equal(plain[k], compiled[k]) end
      end
    end)
  end

  it("that calls something else each time is left to plain Lua", function()
    local calls = 0
    local environment = setmetatable({}, { __index = function()
      calls = calls + 1
      return calls % 2 == 0 and calls or nil
    end })
    local text = "return function(p) if Z then p.y = 1 else p.y = 2 end end"
    local f
    if setfenv then
      f = setfenv(load_text(text, text), environment)()
    else
      f = load(text, text, "t", environment)()
    end
    local world = ecs.world {}
    local e = world:spawn(P)
    world:system { name = "s", query = { P }, each = f }
    for _ = 1, 20 do world:progress(1) end
    assert.is_true(world:get(e, P, "y") >= 1)
  end)
end)

describe("a comparison", function()
  local function both(body)
    local seen = {}
    for k, compile in ipairs { true, false } do
      local world = ecs.world { precision = "double" }
      local e = world:spawn(P { x = 3, on = true })
      world:set(e, P, "who", e)
      world:system { name = "s", query = { P }, compile = compile
        and nil, each = "function(p, dt, e) " .. body .. " end" }
      world:progress(1)
      seen[k] = world:get(e, P, "y")
    end
    assert.equal(seen[2], seen[1], body)
  end

  it("of what may be false or a number is as in Lua", function()
    local heard = ecs.on_fallback
    ecs.on_fallback = nil
    both "if (p.on and p.x) == 3 then p.y = 1 else p.y = 2 end"
    both "local t = p.on and p.x if t == 3 then p.y = 1 else p.y = 2 end"
    both "if 3 ~= (p.on and p.x) then p.y = 1 else p.y = 2 end"
    both "if (p.on and p.who) == e then p.y = 1 else p.y = 2 end"
    both "if e == 1 then p.y = 1 else p.y = 2 end"
    both "if e == p.x - 2 then p.y = 1 else p.y = 2 end"
    ecs.on_fallback = heard
  end)
end)
