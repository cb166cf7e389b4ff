-- Functions at the limits of the compiler: very large ones are refused early
-- and run as plain Lua, and odd ones do what they do in plain Lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local P = ecs.component("LimitsP", { x = "f64", y = "f64", who = "entity" })

--- The fields x, y and who of an entity after two frames of a system: compiled
-- where possible, and as plain Lua.
local function both(text, outside)
  local seen = {}
  for k, way in ipairs { "default", "plain" } do
    local world = ecs.world { precision = "double" }
    local e = world:spawn(P { x = 3, y = 2 })
    local source = "local V = ... return function(p, dt, e) " .. text .. " end"
    local load_text = rawget(_G, "loadstring") or load
    world:system { name = "s", query = { P },
                   each = load_text(source, source)(outside),
                   compile = way ~= "plain" and nil }
    world:progress(1)
    world:progress(1)
    local values = world:get(e, P)
    seen[k] = string.format("%.17g %.17g %s", values.x, values.y,
      tostring(values.who))
  end
  assert.equal(seen[2], seen[1])
end

local function chain(count, line)
  local lines = {}
  for k = 1, count do lines[k] = line:format(k) end
  return table.concat(lines, "\n")
end

describe("a function", function()
  local told, forget = support.hear_fallbacks(before_each, after_each)

  it("may return early many times", function()
    both("for i = 1, 101 do if p.x == i then return end end p.x = 5")
    both(chain(150, "if p.x == %d then p.y = 7 return end") .. " p.x = 5")
    assert.is_nil(told())
  end)

  it("may have many branches", function()
    both("if p.x == 0 then p.y = 1 "
      .. chain(120, "elseif p.x == %d then p.y = p.y + 1") .. " end")
    assert.is_nil(told())
  end)

  it("of deep blocks is plain Lua", function()
    both(("if p.x > 0 then "):rep(99) .. "p.y = 1 " .. ("end "):rep(99))
    assert.truthy(told():find("nested deeper than 80", 1, true), told())
  end)

  it("of one endless expression is plain Lua, of a long one not", function()
    -- The row p and its field count as levels.
    both("p.x = p.x" .. (" + 1"):rep(998))
    both("if p.x > 0" .. (" or p.x > 0"):rep(900) .. " then p.x = 5 end")
    assert.is_nil(told())
    for _, text in ipairs {
      "p.x = p.x" .. (" + 1"):rep(999), "p.x = p.x" .. (" + 1"):rep(30000),
      "p.x = p.x" .. (" + p.y"):rep(8100),
      "if p.x > 0" .. (" or p.x > 0"):rep(7500) .. " then p.x = 5 end",
      chain(1000, "if p.x == %d then return end") .. " p.x = 5",
      "if p.x == 0 then p.y = 1 "
        .. chain(2900, "elseif p.x == %d then p.y = p.y + 1") .. " end",
    } do
      forget()
      both(text)
      assert.equal("code nested deeper than 1000 cannot be compiled: split "
        .. "the function, or its longest expression", told())
    end
  end)

  -- Counted in instructions of the VM, where a hook sees them all.
  it("that unrolls into too much is soon plain Lua", function()
    local thousands = 0
    debug.sethook(function() thousands = thousands + 1 end, "", 1000)
    both [[for i = 1, 200 do for j = 1, 200 do for k = 1, 2 do
      p.x = i
    end end end]]
    debug.sethook()
    assert.truthy(told():find("becomes this long", 1, true), told())
    if not jit then assert.is_true(thousands < 40000, thousands) end
  end)

  it("that is longer than a program may be is plain Lua", function()
    local many = {}
    for k = 1, 1100 do many["a" .. k] = k end
    local message = "a function that becomes this long cannot be compiled: "
      .. "split it: there is room for 8192 operations, and for 1024 fields "
      .. "and 1024 values from outside"
    both(chain(4200, "p.x = p.x * p.y + %d"))
    assert.equal(message, told())
    forget()
    both(chain(1100, "p.x = p.x + V.a%d"), many)
    assert.equal(message, told())
  end)

  it("may call what the VM has in Lua of its own, as plain Lua", function()
    both("if table.remove(V) then p.x = 5 end", { 1, 2, 3 })
    assert.truthy(told():find("a call of 'table.remove', which is written in C",
      1, true), told())
  end)

  --- The values of x after each frame of one system, for each step that its
  -- loop counts by; compiled or as plain Lua.
  local function count(text, values, compile)
    local load_code = rawget(_G, "loadstring") or load
    local world, n, seen = ecs.world { precision = "double" }, 0, {}
    local source = "local n = ... return function(p) " .. text .. " end, "
      .. "function(to) n = to end"
    local f, set = load_code(source, source)(n)
    local e = world:spawn(P)
    world:system { name = "s", query = { P }, each = f, compile = compile }
    for k, value in ipairs(values) do
      set(value)
      world:set(e, P, "x", 3)
      world:progress(1)
      local x = world:get(e, P, "x")
      -- LuaJIT's compiler and its interpreter disagree about nan.
      seen[k] = value == value and string.format("%.17g", x) or "nan"
    end
    return table.concat(seen, " "), world:explain "s"
  end

  it("counts by a number from outside, zeros of both signs apart", function()
    local minus = -1 / math.huge -- 5.4 has no whole -0
    local zeros = { 0.0, minus, 0.0, minus, minus, 0.0 }
    local text = "for i = n, n do p.x = 1 / i end"
    assert.equal("inf -inf inf -inf -inf inf", count(text, zeros, false))
    assert.equal("inf -inf inf -inf -inf inf", count(text, zeros, true))
    text = "for i = 0, n do p.x = p.x + 1 end"
    assert.equal(count(text, zeros, false), (count(text, zeros, true)))
  end)

  it("counts by what is no number as plain Lua, as the VM does", function()
    for text, values in pairs {
      ["for i = n, 5 do p.x = p.x + i end"] = { 0 / 0, 2, 0 / 0, 1 / 0, 3 },
      ["for i = 5, n do p.x = p.x + i end"] = { 0 / 0, 2, 0 / 0, -1 / 0, 7 },
      ["for i = n, -5, -1 do p.x = p.x - i end"] = { 0 / 0, 2, -1 / 0 },
      ["for i = 3, 1, n do p.x = 7 end"] = { 0 / 0, -1, 1, 0 / 0, -2 },
    } do
      forget()
      local plain = count(text, values, false)
      local compiled, how = count(text, values)
      assert.equal(plain, compiled)
      assert.truthy(told():find("a loop with step 0", 1, true)
        or told():find("a loop that counts with nan", 1, true), told())
      assert.truthy(how:find("compiled (", 1, true), how)
    end
  end)

  it("counts by constants that are computed, in any precision", function()
    for _, text in ipairs { "for i = 2 * 3, 10 / 5 + 5 do p.x = p.x + i end",
                            "for i = 1, 2 - 1, 1 / 4 do p.x = p.x + i end" } do
      local plain = count(text, { 1 }, false)
      assert.equal(plain, (count(text, { 1 }, true)))
    end
  end)

  it("counts to a number that changes", function()
    local text = "for i = 1, n do p.x = p.x + i end"
    local plain = count(text, { 1, 1000, 1000, 4 }, false)
    local compiled, how = count(text, { 1, 1000, 1000, 4 })
    assert.equal(plain, compiled)
    assert.truthy(how:find("compiled (", 1, true), how)
  end)

  it("compares entities with numbers as Lua does", function()
    for _, number in ipairs { 0, -1, 0.5, 1e300 } do
      both("if p.who == V then p.y = 1 else p.y = 5 end", number)
      both("if e == V then p.y = 1 else p.y = 5 end", number)
    end
    both("if e == V then p.y = 1 else p.y = 5 end", 0 / 0)
  end)

  it("assigns from right to left", function()
    both "p.x, p.x = 10, 20"
    both "local a = 1 a, a = p.x, p.y p.x = a"
    both "p.x, p.y = p.y, p.x"
  end)

  it("has no local _ENV", function()
    both("local _ENV = V p.x = z or 3", { z = 42 })
    if _VERSION ~= "Lua 5.1" then
      assert.truthy(told():find("_ENV", 1, true), told())
    end
  end)
end)

describe("a run inside of reading what another run of the same code needs",
  function()
    it("changes nothing of it", function()
      local world = ecs.world { precision = "double" }
      local e = world:spawn(P)
      local query, f = world:query { P }, nil
      local nested = false
      local environment = setmetatable({}, { __index = function(_, name)
        if name == "V" and not nested then
          nested = true
          query:each(f, 777)
          nested = false
        end
        return 1
      end })
      local text = "return function(p, extra) p.x = extra + V * 0 end"
      if setfenv then
        f = setfenv(loadstring(text, text)(), environment)
      else
        f = load(text, text, "t", environment)()
      end
      for _ = 1, 3 do
        query:each(f, 5)
        assert.equal(5, world:get(e, P, "x"))
      end
    end)
  end)
