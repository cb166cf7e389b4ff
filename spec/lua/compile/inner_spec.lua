-- Functions inside of a function compile, in place: they see its variables, and
-- change them.

local exits = dofile "spec/support/exits.lua"

local P, V = exits.P, exits.V

--- Asserts that a function does what it does as plain Lua, without an exit.
local function alike(each)
  assert.equal(0, (exits.alike(function()
    return { query = { P, read = { V } }, each = each }
  end, { 1, 7, 300 })))
end

describe("a function inside of the function", function()
  it("is called, and sees the variables around it", function()
    alike(function(p, v, dt)
      local scale = dt * 2
      local function step(x, y)
        return x * scale + (y or v.x)
      end
      local twice = function(x) return step(step(x)) end
      scale = scale + 1
      p.x, p.y = step(p.x, 3), twice(p.y)
    end)
  end)

  it("changes them, also where it returns early", function()
    alike(function(p, v)
      local n, last = 0, nil
      local function add(x)
        if x < 0 then
          last = x
          return
        elseif x > 30 then
          n = n - 1
          return n
        end
        n = n + x
        local function again()
          if x > 3 then n = n + 100 return end
          n = n * 2
        end
        again()
        return n, again
      end
      local a = add(p.x)
      local b, f = add(p.y - 40)
      if f and v.n % 2 == 0 then f() end
      p.x = n + (a or 0.5) + (b or 0.25)
      p.y = last or 7
    end)
  end)

  it("is another one in each iteration of a loop", function()
    alike(function(p, v)
      local f, g = nil, nil
      for k = 1, 3 do
        local n = k
        local function count() n = n + v.x return n end
        if k == 1 then f = count else g = count end
        count()
      end
      f()
      p.x, p.y = f() * 10 + g(), g()
    end)
  end)

  it("is passed to functions in place, and returned from them", function()
    local function apply(f, a, b) return f(a, b) end
    local function adder(n) return function(x) n = n + x return n end end
    alike(function(p, v)
      local function less(a, b) if a < b then return a end return b end
      p.x = apply(less, p.x, v.n) + apply(math.max, p.y, 3)
      local one, other = adder(1), adder(p.y)
      one(2)
      p.y = one(3) + other(4)
      local t = { f = one, n = 2 }
      p.y = p.y + t.f(t.n)
    end)
  end)

  it("reads names outside of the function that it is in", function()
    local speed, settings = 3, { limit = 40 }
    alike(function(p)
      local function limited(x)
        if x > settings.limit then return settings.limit end
        return x
      end
      p.x = limited(p.x + speed)
    end)
  end)

  it("may have side exits in it", function()
    local taken = exits.alike(function(_, log)
      return { query = { P, read = { V } }, each = function(p, v)
        local n = v.n
        local function tell(x)
          if n % 50 == 7 then log[#log + 1] = x .. "" end
          n = n + 1
        end
        tell(p.x)
        tell(p.y)
        p.x = n
      end }
    end)
    assert.is_true(taken > 20)
  end)

  it("that is nil in a row raises there what plain Lua raises", function()
    local _, seen = exits.alike(function()
      return { query = { P, read = { V } }, each = function(p, v)
        local f
        if v.n < 300 then f = function() p.y = p.y + 1 end end
        p.x = p.x + 1
        f()
      end }
    end)
    assert.truthy(seen:find("attempt to call", 1, true), seen)
  end)

  it("is refused where it is stored or calls itself", function()
    local list = {} -- luacheck: ignore
    local function refused(each, words)
      exits.refused(function()
        return { query = { P, read = { V } }, each = each }
      end, words, "whole")
    end
    refused(function() list.f = function() end end,
      "an assignment to a field of a table")
    refused(function(p)
      local function endless(n) return endless(n + 1) end
      p.x = endless(1)
    end, "a function that calls itself")
    refused(function(p)
      local f = function() return 1 end
      if p.x > 1 then f = function() return 2 end end
      p.x = f()
    end, "'f' that is a function on one path and a function on another")
    refused(function(p)
      local function any(...) return ... end
      p.x = any(1)
    end, "'...'")
  end)
end)
