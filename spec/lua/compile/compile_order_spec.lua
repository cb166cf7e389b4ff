-- A compiled function evaluates in the order of plain Lua, stores to the fields
-- that plain Lua stores to, and compares the values that it has read.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local load_text = rawget(_G, "loadstring") or load

local P = ecs.component("OrderP", { x = "f64", y = "f64", who = "entity" })
local V = ecs.component("OrderV", { x = "f64", y = "f64" })
local H = ecs.component("OrderH", { n = "f64" })
local O = ecs.component("OrderO", { x = "f64" })

local head = [[
local world, H, outside = ...
local function step(row) row.x = row.x + 1 return row end
local function two(a, b) return b, a end
return function(p, v, o, dt, e) ]]

describe("a function", function()
  local told, forget = support.hear_fallbacks(before_each, after_each)

  --- Two entities after three frames of a system, compiled or not, as text.
  local function run(body, outside, compile)
    local world = ecs.world { precision = compile == nil and "double" or nil }
    local text, entities = head .. body .. " end", {}
    for k = 1, 2 do
      local e = world:spawn(P { x = 3 * k, y = 5 }, V { x = 7, y = 11 * k })
      world:add(e, H { n = k == 1 and e or 2 })
      world:set(e, P, "who", entities[1] or e)
      if k == 1 then world:add(e, O) end
      entities[k] = e
    end
    world:system { name = "s", query = { P, V, optional = { O } },
                   compile = compile,
                   each = load_text(text, text)(world, H, outside) }
    for _ = 1, 3 do world:progress(0.25) end
    local lines = {}
    for k, e in ipairs(entities) do
      local x, y, who = world:get(e, P, "x", "y", "who")
      lines[k] = ("%.17g %.17g %s %.17g %.17g"):format(x, y, tostring(who),
        world:get(e, V, "x", "y"))
    end
    return table.concat(lines, "\n")
  end

  --- Asserts that both ways agree. message: of a function that cannot be
  -- compiled; nil: it must compile.
  local function both(body, message, outside)
    forget()
    assert.equal(run(body, outside, false), run(body, outside), body)
    if message then
      assert.truthy(told() and told():find(message, 1, true), told() or body)
    else
      assert.is_nil(told(), body)
    end
  end

  it("assigns to the row that a name stood for before", function()
    both "p.x, p = 3, v"
    both "p, p.x = v, 3"
    both "p.x, p.y, p = p.y, p.x, v p.x = 9"
    both "local q = v q.x, q = 1, nil"
    both "p.x, p, v = v.x, v, p p.y = v.x"
  end)

  it("finds the row of a field before it computes values", function()
    both "step(p).x = p.x * 10"
    both "step(p).y = p.x"
    both "step(p).x, p.y = p.x, step(p).x"
    both "v.y, step(v).x = v.x, v.x"
  end)

  it("goes from left to right elsewhere", function()
    both "p.y = p.x + step(p).x + p.x"
    both "p.x, p.y = step(p).x, p.x"
    both "p.x, p.y = two(step(p).x, p.x)"
    both "if p.x < step(p).x and p.x > 4 then v.x = p.x end"
  end)

  it("does not tell entities from numbers, but from all else", function()
    local message = "a comparison of an entity with a computed number"
    both("local n = world:get(p.who, H, 'n') if n == e then v.x = 99 end",
      message)
    both("if e ~= world:get(p.who, H, 'n') then v.x = 99 end", message)
    for _, value in ipairs { true, "text", { "table" } } do
      both("local a, b if p.x > 4 then a, b = outside, e end "
        .. "if a == b then v.x = 99 end", nil, value)
    end
  end)

  it("takes an entity that is none and a row that is not there for nil",
    function()
      both "p.who = nil if p.who == o then v.x = 99 end"
      both "if p.x > 4 then p.who = nil end if o ~= p.who then v.x = 99 end"
      both "if p.who == o or e == v then v.x = 99 end"
      both "if p.who == p or o == nil then v.x = 99 end"
    end)

  if rawget(_G, "jit") and pcall(require, "ffi") then
    it("compares nothing with cdata, which may be equal to anything", function()
      local ffi = require "ffi"
      local message = "'outside', which is cdata"
      local five, null = ffi.new("int64_t", 5), ffi.cast("void *", 0)
      both("if p.y == outside then p.x = 50 end", message, five)
      both("if e ~= outside then p.x = 50 end", message, five)
      both("if outside == nil then p.x = 50 end", message, null)
      both("if outside then p.x = 50 end", message, null)
      both("if p.y == outside.five then p.x = 50 end",
        "'five', which is cdata", { five = five })
    end)
  end

  it("is told() what it is that cannot be compared", function()
    both("if (p.x > 3) == outside then p.x = 1 end", "a comparison of a table",
      {})
    both("if (p.x > 3) == outside then p.x = 1 end", nil, "text")
    both("if outside == (p.x > 3) then p.x = 1 end", "a comparison of a table",
      {})
  end)
end)
