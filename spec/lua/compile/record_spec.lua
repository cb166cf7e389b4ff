-- Tables that a function makes and uses itself compile, as variables do: what
-- they hold, which names stand for the same one, and what branches change.
-- luacheck: ignore 241 314

local ecs = require "ecs"
local exits = dofile "spec/support/exits.lua"

local P, V, Far = exits.P, exits.V, exits.Far

--- Asserts that each function does what it does as plain Lua, without an exit.
local function alike(each, optional)
  assert.equal(0, (exits.alike(function()
    return { query = { P, read = { V }, optional = optional }, each = each }
  end, { 1, 7, 300 })))
end

local function refused(each, words)
  exits.refused(function()
    return { query = { P, read = { V } }, each = each }
  end, words, "whole")
end

local function add(a, b) return { x = a.x + b.x, y = a.y + b.y } end
local function scale(a, k) return { x = a.x * k, y = a.y * k } end
local function clamp(v, most)
  if v.x > most then return { x = most, y = v.y } end
  if v.y > most then v.y = most return v end
  local copy = { x = v.x, y = v.y }
  copy.y = copy.y + 1
  return copy
end

describe("a table of the function", function()
  it("has fields that are read and assigned", function()
    alike(function(p, v, dt)
      local goal = { x = 1, y = p.y, on = true, who = nil }
      goal.x = goal.x + p.x
      goal.z = goal.x * dt
      goal.y, goal.x = goal.x, goal.y
      p.x = goal.x - goal.y + goal.z
      p.y = goal.w and 1 or goal.on and v.x or 2
      p.who = goal.who
    end)
  end)

  it("has elements by constant indices", function()
    alike(function(p, v)
      local list = { v.x, p.x + 1, [4] = 7, ["z"] = v.n; 3 }
      list[2] = list[2] + list[1] + list[3.0] + list[4] + list["z"]
      local sum = #list
      for i = 1, 4 do sum = sum + list[i] * i end
      p.x = sum + list.z
      p.y = list[5] == nil and p.y or 0
    end)
  end)

  it("is one table by all its names", function()
    alike(function(p, v)
      local a = { x = p.x }
      local b, c = a, { x = p.x }
      b.x = b.x + 5
      c.x = c.x - 1
      p.x = a.x
      p.y = a == b and a ~= c and c.x or v.x
      local d = { inner = a, number = a.x }
      d.inner.x = 9
      p.y = p.y + a.x * d.number
      a = { x = 0 }
      p.y = p.y + b.x + a.x
    end)
  end)

  it("is made, passed and returned by functions in place", function()
    alike(function(p, v)
      local goal = scale(add(p, { x = v.x, y = 2 }), 0.5)
      p.x = clamp(goal, 20).x
      p.y = clamp(add(goal, p), v.n).y + goal.y
    end)
    local function fill(t, n)
      if n % 3 == 0 then t.x = 1 return end
      t.x, t.y = n, true
      if n % 2 == 0 then return t end
      t.x = t.x + 1
      return { x = -t.x }, t
    end
    alike(function(p, v)
      local t = { x = 5 }
      local one, two = fill(t, v.n)
      p.x = t.x + (one and one.x or 100) + (two and two.x or 1000)
      p.on = t.y == nil
      if one then one.x = 77 end
      p.y = t.x
    end)
  end)

  it("may be changed in branches", function()
    alike(function(p, v)
      local t = { x = 1, y = 2 }
      if v.n % 2 == 0 then
        t.x = p.x
        if v.n % 3 == 0 then t.y, t.z = t.x, 4 end
      elseif v.n % 5 == 0 then
        t = { x = 4, y = 5, z = 6 }
      else
        local u = t
        u.x = u.x * 3
      end
      p.x = t.x + t.y
      p.y = t.z or -1
      if v.n % 7 == 0 then
        t.x = v.n
        return
      end
      p.x = p.x + t.x
    end)
  end)

  it("may be one of two, and both names see what is assigned", function()
    alike(function(p, v)
      local a, b = { x = 1, y = 1 }, { x = 2 }
      local c = v.n % 2 == 0 and a or b
      c.x = c.x + 10
      p.x = a.x + b.x * 100 + c.x * 10000
      local d = v.n % 3 == 0 and c or a
      d.x, d.y = 7, 8
      p.y = a.x + b.x * 100 + c.x * 10000 + d.y + (b.y or 3)
      a.x = -1
      p.y = p.y + d.x + c.x
    end)
  end)

  it("may be one of a table and a row, or of two rows", function()
    alike(function(p, v)
      local q = v.n % 2 == 0 and p or v
      p.y = q.x
      local r = v.n % 3 == 0 and p or { x = 5, y = 6 }
      r.x, r.y = r.y, r.x + 1
      if q == nil or not r then p.x = -1 end
    end)
    alike(function(p, v, o)
      local far = o or { hp = 10, at = v.n }
      far.hp = far.hp - 1
      p.x = far.hp + far.at
      local other = v.n % 2 == 0 and o or v.n % 3 == 0 and { hp = 4 } or nil
      p.y = other and other.hp or 2
      p.on = other ~= nil
    end, { Far })
  end)

  it("is another one in each iteration of a loop", function()
    alike(function(p, v)
      local last, sum = { x = v.x }, 0
      for i = 1, 3 do
        local t = { x = last.x + i, before = last }
        t.before.x = t.x * 2
        sum = sum + last.x
        last = t
      end
      p.x, p.y = sum, last.x
    end)
  end)

  it("rounds as variables do", function()
    local F = ecs.component("RecordF", { x = "f32", y = "f32" })
    local function value(each)
      local world = ecs.world {}
      local e = world:spawn(F { x = 0.1, y = 0.7 })
      world:system { name = "s", query = { F }, each = each,
                     compile = "whole" }
      world:progress(0.3)
      return world:state_hash(), world:get(e, F, "x")
    end
    assert.equal(value(function(f, dt)
      local x, y = f.x * 3, 0.1
      x = x + y * dt
      f.x = x * f.y
    end), value(function(f, dt)
      local t = { x = f.x * 3, y = 0.1 }
      t.x = t.x + t.y * dt
      f.x = t.x * f.y
    end))
  end)

  it("is refused where it leaves the function or has computed keys",
    function()
      local outer = {}
      refused(function() outer.t = { x = 1 } end,
        "an assignment to a field of a table")
      refused(function(p) local t = { 1, 2 } p.x = t[p.y] end,
        "a key that is computed")
      refused(function(p, v) local t = {} t[v.n] = 1 p.x = 1 end,
        "a key that is computed")
      refused(function(p) local t = { [p.x] = 1 } p.x = t.x end,
        "a key that is computed")
      refused(function(p) local t = { p.x, math.abs(p.y) } p.x = t[1] end,
        "a call as the last element of a table")
      refused(function(p) local t = { x = 1, x = 2 } p.x = t.x end,
        "a table that has a key twice")
      refused(function(p) local t = { 1, nil, 3 } p.x = #t end,
        "the length of a table that may have holes")
      refused(function(p) p.x = { 1 } end,
        "an assignment to ExitsP.x of a table")
      refused(function(p) local t = { x = 1 } p.x = t + 1 end,
        "'+' of a table")
      refused(function(p)
        local t = { x = 1 }
        if p.x > 1 then t = 1 end
        p.x = t
      end, "'t' that is a number on one path and a table on another")
      refused(function(p) local t = { x = 1 } p.x = t.x + t.y end,
        "'+' of 't.y', which is nil")
    end)

  it("raises, where it is nil, what plain Lua raises", function()
    local _, seen = exits.alike(function()
      return { query = { P, read = { V } }, each = function(p, v)
        local t
        if v.n < 100 then t = { x = 1 } end
        p.x = p.x + 1
        p.x = p.x + t.x
      end }
    end)
    assert.truthy(seen:find("attempt to index", 1, true), seen)
  end)
end)
