-- Behind each row that takes a side exit the program asks whether what it
-- reads outside is as it was. LuaJIT compiles this question for the values that
-- it saw first, so each change comes late, when enough rows have left.

local exits = dofile "spec/support/exits.lua"
local P, V = exits.P, exits.V

--- build(log) returns the next x of a row, and what changes outside. Every
-- third row takes an exit; change is called in few of them, with the row's
-- number.
local function alike(build)
  local taken = exits.alike(function(_, log)
    local rule, change, after = build(log)
    return { query = { P, read = { V } }, after = after, each = function(p, v)
      p.x = rule(p.x)
      if v.n % 3 == 1 then
        log[#log + 1] = "x"
        if v.n % 199 == 10 then change(v.n) end
      end
    end }
  end, { 0, 7, 700 })
  assert.is_true(taken >= 600, taken .. " exits")
end

describe("what a program reads outside", function()
  it("is a variable that a row may change", function()
    alike(function()
      local step = 1
      return function(x) return x + step end, function() step = step * 2 end
    end)
  end)

  it("is a field, at any depth", function()
    alike(function()
      local options = { speed = { wind = { ["not a name"] = 2, [3] = 1 } } }
      return function(x)
        return x + options.speed.wind["not a name"] * options.speed.wind[3]
      end, function(n)
        if n % 2 == 0 then
          options.speed = { wind = { ["not a name"] = n, [3] = 3 } }
        else
          options.speed.wind[3] = n
        end
      end
    end)
  end)

  it("tells one zero from the other", function()
    alike(function()
      local zero = 0.0
      return function(x) return 1 / zero > 0 and x + 1 or x - 1 end,
        function() zero = zero * -1.0 end
    end)
  end)

  it("is another kind of value", function()
    alike(function()
      local options = { on = true, by = 1 }
      return function(x) return options.on and x + options.by or x - 1 end,
        function(n)
          if n % 2 == 0 then options.on = nil else options.on = n end
        end
    end)
  end)

  it("is NaN, which is not equal to itself", function()
    alike(function()
      local limit = 0 / 0
      return function(x) return x < limit and x + 1 or x - 1 end,
        function(n) limit = n end
    end)
  end)

  it("is a field that is nil, until it is not", function()
    alike(function()
      local options = { other = 1 }
      return function(x) return options.bonus and x + 2 or x + 1 end,
        function() options.bonus = true end
    end)
  end)

  it("is a field that is nil, until its table gets a metatable", function()
    alike(function()
      local options = { other = 1 }
      return function(x) return options.bonus and x + 2 or x + 1 end,
        function() setmetatable(options, { __index = { bonus = true } }) end
    end)
  end)

  it("is read through a function that it calls", function()
    alike(function()
      local by = 1
      local function more(x) return x + by end
      return function(x) return more(x) end, function(n) by = n end
    end)
  end)

  it("is a function that becomes another", function()
    alike(function()
      local function more(x) return x + 1 end
      local rules = { by = more }
      return function(x) return rules.by(x) end, function(n)
        rules.by = function(x) return x + n end
      end
    end)
  end)

  it("is that of the closure that runs", function()
    local ecs = require "ecs"
    local function sum(compile)
      local world = ecs.world { precision = "double" }
      for k = 1, 400 do world:spawn(P { x = 1 }, V { n = k }) end
      local query, seen = world:query { P, read = { V } }, 0
      for n = 1, 40 do
        local by = n
        local function body(p, v)
          p.x = p.x * 0.5 + by
          if v.n % 3 == 1 then
            seen = seen + 1
            if v.n == 301 then by = -by end
          end
        end
        if compile then
          query:each(body)
        else
          for _, p, v in query:rows() do body(p, v) end
        end
      end
      local hash = world:hash()
      world:close()
      return hash .. " " .. seen
    end
    assert.equal(sum(false), sum(true))
  end)

  it("may be too much to ask all at once", function()
    local name = os.tmpname()
    local names, file = {}, assert(io.open(name, "w"))
    for k = 1, 55 do
      names[k] = "a" .. k
      file:write("local a", k, " = ...\n")
    end
    file:write("return function(x) return x + ", table.concat(names, " + "),
      " end, function(n) a55 = n end\n")
    file:close()
    alike(function() return assert(loadfile(name))(1) end)
    os.remove(name)
  end)
end)
