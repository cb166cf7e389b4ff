-- What may be nil, used where a number or a row is needed: the rows in which it
-- is nil take a side exit, and plain Lua raises its error there. assert is such
-- a use of its condition.

local ecs = require "ecs"
local exits = dofile "spec/support/exits.lua"

local P, V, Far, Odd = exits.P, exits.V, exits.Far, exits.Odd
local alike = exits.alike
-- busted replaces it.
local sure = (rawget(_G, "loadstring") or load) "return assert" ()

--- A build with an each made by make(world, log, ids).
local function with(make, optional)
  return function(world, log, ids)
    return { query = { P, read = { V }, optional = optional },
             each = make(world, log, ids) }
  end
end

local function raises(build, words, sizes)
  local _, seen = alike(build, sizes)
  assert.truthy(seen:find(words, 1, true), seen)
end

describe("nil in use", function()
  it("raises in its row what plain Lua raises", function()
    raises(with(function(world)
      return function(p)
        local hp, at = world:get(p.who, Far, "hp", "at")
        p.x = p.x + 1
        p.y = hp - p.y * at
      end
    end), "attempt to perform arithmetic on")
  end)

  it("is an exit only where it is reached", function()
    local taken, seen = alike(with(function(world)
      return function(p, v)
        local hp, at = world:get(p.who, Far, "hp", "at")
        p.x = p.x + 1
        if v.n % 5 == 3 and v.n % 11 ~= 3 and v.n > 3 then
          p.y = p.y + hp / 2
          if p.x < 30 then p.y = p.y - at end
        end
      end
    end))
    assert.truthy(seen:find "none$", seen)
    assert.equal(0, taken)
  end)

  it("may go on where plain Lua goes on", function()
    local taken, seen = alike(with(function(_, log)
      local meta = { __sub = function() log[#log + 1] = "sub" return 7 end }
      local odd = setmetatable({}, meta)
      local function choose(n) if n % 9 == 4 then return n end end
      local limit = odd
      return function(p, v)
        local n = choose(v.n)
        if v.n % 18 == 4 then p.x = n + p.x end
        if v.n % 9 == 3 then p.y = limit - 1 end
      end
    end))
    assert.truthy(seen:find "none$", seen)
    assert.is_true(taken > 50, taken)
  end)

  it("is known not to be nil behind its use", function()
    raises(with(function(world)
      return function(p)
        local hp = world:get(p.who, Far, "hp")
        p.x = hp * 2
        if hp then p.y = 1 else p.y = 2 end
        p.x = p.x + hp
      end
    end), "arithmetic")
  end)

  it("of an optional row is one of reading or writing it", function()
    raises(with(function()
      return function(p, v, o)
        p.x = p.x + v.x
        p.y = o.hp
      end
    end, { Far }), "attempt to index")
    raises(with(function()
      return function(p, v, o)
        p.x = p.x + v.x
        if v.n > 99 then o.hp = p.y end
      end
    end, { Far }), "attempt to index")
    local taken = alike(with(function()
      return function(p, v, o)
        if v.n % 5 == 0 then p.x = p.x + o.hp o.hp = 3 end
      end
    end, { Far }))
    assert.equal(0, taken)
  end)

  it("of a row that is nil on one path", function()
    local function find(row, n) if n % 3 > 0 then return row end end
    raises(with(function()
      return function(p, v)
        p.x = p.x + 1
        find(p, v.n).y = 4
      end
    end), "attempt to index")
    raises(with(function()
      return function(p, v)
        p.x = p.x + 1
        p.y = (v.n < 300 and p).x
      end
    end), "attempt to index")
  end)

  it("of false is one as well", function()
    raises(with(function()
      return function(p, v)
        p.x = p.x + 1
        p.y = 1 - (v.n < 300 and p.x)
      end
    end), "attempt to perform arithmetic on a boolean value")
  end)

  it("of a boolean is one where a field is to be true or false", function()
    raises(with(function(world)
      return function(p)
        p.x = p.x + 1
        p.on = world:get(p.who, Far, "on")
      end
    end), "nil")
  end)

  it("of a table outside is one while it is nil", function()
    local taken, seen = alike(function(_, log)
      local target
      return { query = { P, read = { V } }, each = function(p, v)
        p.x = p.x + 1
        if v.n == 40 then
          target = target or { x = 3 }
          log[#log + 1] = "made"
        end
        if v.n > 40 then p.x = target.x end
      end }
    end)
    assert.truthy(seen:find "none$", seen)
    -- The rows behind the first one of its block, and one for each frame.
    assert.is_true(taken >= 3 and taken < 500, taken)
    raises(with(function()
      local target -- luacheck: ignore
      return function(p, v)
        p.x = p.x + 1
        if v.n > 40 then p.x = target.x end
      end
    end), "attempt to index")
  end)

  it("can be compared with a number, and is not equal to one", function()
    local taken = alike(with(function(world)
      return function(p, v)
        local hp, at = world:get(p.who, Far, "hp", "at")
        local on = world:get(p.who, Far, "on")
        local far
        if v.n % 3 == 0 then far = 100 end
        if hp == v.n - 3 then p.x = 1 end
        if hp ~= far then p.y = p.y + 1 end
        if hp == at then p.y = p.y * 2 end
        if on == (v.n % 2 == 1) then p.x = p.x + 3 end
        if on == nil then p.x = p.x - 0.5 end
      end
    end))
    assert.equal(0, taken)
  end)

  it("is refused without side exits, with the words that name it", function()
    exits.refused(with(function(world)
      return function(p) p.x = p.x + world:get(p.who, Far, "hp") end
    end), "'+' of world:get of ExitsFar.hp in line ", "whole")
    exits.refused(with(function(world)
      return function(p)
        local hp = world:get(p.who, Far, "hp")
        p.x = p.x + hp
      end
    end), "'+' of 'hp', world:get of ExitsFar.hp in line ", "whole")
    exits.refused(with(function()
      return function(p)
        local far
        if p.x > 1 then far = 1 end
        p.x = p.x + far
      end
    end), "'+' of 'far', which may be nil here, cannot", "whole")
    exits.refused(with(function()
      return function(p, _, o) p.x = o.hp end
    end, { Far }), "'hp' of ExitsFar, which may be nil here", "whole")
    local nothing -- luacheck: ignore
    exits.refused(with(function()
      return function(p) p.x = p.x + nothing end
    end), "'+' of 'nothing', which is nil", true)
  end)
end)

describe("assert", function()
  it("raises its message in the first row in which it is false", function()
    for _, at in ipairs { 1, 254, 256, 257, 601 } do
      raises(with(function()
        return function(p, v)
          p.x = p.x + 1
          sure(v.n < at, "row " .. v.n .. " of " .. tostring(p.x)
            .. string.format(" %g %s", p.y, v.x))
          p.y = p.y + 1
        end
      end), "row " .. at .. " of ", { 700 })
    end
  end)

  it("costs no exit where it holds", function()
    local taken = alike(with(function(world, _, ids)
      return function(p, v, _, e)
        sure(world:alive(e))
        sure(v.n > 0, "n is not positive")
        local n = sure(v.n > 3 and v.n or 3, "none")
        p.x = n + 1
        if v.n % 5 == 3 and v.n % 11 ~= 3 and v.n > 3 then
          local hp, at = sure(world:get(p.who, Far, "hp", "at"))
          p.y = hp + at
        end
        sure(ids, "no ids")
      end
    end))
    assert.equal(0, taken)
  end)

  it("has the error value that was passed", function()
    raises(with(function()
      return function(p, v, _, e)
        p.x = p.x + 1
        sure(not (v.n == 30 and e), v.n)
      end
    end), "30", { 100 })
    raises(with(function()
      return function(p, v)
        p.x = p.x + 1
        sure(v.n ~= 30)
      end
    end), "assertion failed", { 100 })
  end)

  it("computes what its message computes", function()
    alike(with(function(world, log)
      local total = world:sum "unused"
      local function count(row) row.y = row.y + 1 return row.y end
      log[#log + 1] = tostring(total:value())
      return function(p, v)
        sure(p.x >= 0, count(p))
        if v.n == 77 then sure(false, "gone") end
      end
    end))
  end)

  it("is refused where its message may raise an error itself", function()
    local name -- luacheck: ignore
    exits.refused(with(function()
      return function(p) sure(p.x > 1, "name " .. name) end
    end), "'name', which is nil", true)
    exits.refused(with(function()
      return function(p) sure(p.x > 1, "on " .. (p.on == true)) end
    end), "'..' of a boolean", true)
    exits.refused(with(function()
      return function(p) sure(p.x > 1, string.format("%d", p.x)) end
    end), "'string.format'", true)
    exits.refused(with(function()
      return function(p) sure(p.x > 1) end
    end), "a call of 'assert'", "whole")
    exits.refused(with(function()
      return function(p) sure() p.x = 1 end
    end), "assert without a value", true)
  end)
end)

describe("a side exit", function()
  it("may be a part of an expression", function()
    local taken = alike(with(function(_, log)
      local function tell(x) log[#log + 1] = tostring(x) return x end
      return function(p, v)
        p.x = v.n % 50 == 7 and tell(p.y) or p.x + 1
        p.y = v.n % 60 ~= 8 and p.y or tell(4)
        local big = p.x > 1e9 and error "too big"
        if big then p.y = 1e9 end
      end
    end))
    assert.is_true(taken >= 14 + 12, taken)
  end)

  it("inside of another counts for itself alone", function()
    local world = ecs.world {}
    local log = {}
    for k = 1, 300 do world:spawn(P { x = k }, V { n = k }) end
    world:system { name = "s", query = { P, read = { V }, without = { Odd } },
      compile = true, each = function(p, v)
        if v.n % 100 == 1 then
          if v.n == 101 then log[#log + 1] = v.n end
          collectgarbage "count"
        end
        if v.n > 0 then p.x = p.x + 1 end
        if v.n > 1 then p.y = p.y + 1 end
      end }
    world:progress(1)
    assert.equal(3, world:stats("s").exits)
    assert.equal(1, #log)
  end)
end)
