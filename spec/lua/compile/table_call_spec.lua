-- Calls of functions in tables from outside, at computed numbers:
-- STATES[p.state](p). Compiled, they do what plain Lua does; rows that find no
-- function take a side exit, where plain Lua raises its error.

local ecs = require "ecs"
local scene = dofile "spec/support/table_scene.lua"

local P, alike, refused = scene.P, scene.alike, scene.refused

describe("a call of a function in a table", function()
  it("is that of the function at the number", function()
    alike(function()
      local states = {
        [0] = function(p, dt) p.x = p.x + dt end,
        function(p) p.x, p.n = p.x * 2, 2 end,
        function(p, dt) if p.on then p.y = dt return end p.n = 3 end,
        function(p) p.n = 0 p.on = not p.on end,
      }
      return function(p, dt)
        if p.n >= 0 and p.n <= 3 then states[p.n](p, dt) end
        if p.k == 2 then states[p.k](p, 0.5) end
      end
    end, true)
  end)

  it("gives its results", function()
    alike(function()
      local shapes = { [-1] = function(x) return x * x, true end,
        function(x, y) return x + y end, function() return end,
        [4] = function(x) if x > 3 then return x, x > 5 end end }
      return function(p)
        local known = p.n == -1 or p.n == 1 or p.n == 2 or p.n == 4
        if known then
          local area, large = shapes[p.n](p.x, p.b)
          p.x, p.on = area or -1, large == true
          p.y = p.y + (shapes[p.n](p.y, 1) or 0.5)
        end
      end
    end, true)
  end)

  it("computes its arguments once", function()
    alike(function()
      local function step(p) p.y = p.y + 1 return p.y end
      local ops = { function(a, b) return a - b end,
                    function(a, b) return a * b end }
      return function(p)
        if p.n == 1 or p.n == 2 then p.x = ops[p.n](step(p), step(p)) end
      end
    end, true)
  end)

  it("follows changes of the table", function()
    alike(function()
      local states = { function(p) p.x = 1 end, function(p) p.x = 2 end }
      return function(p)
        if states[p.n] then states[p.n](p) end
        if p.b == 1 then states[p.b](p) end
      end, function(frame)
        if frame == 2 then states[2] = function(p) p.x = p.x + 5 end end
        if frame == 3 then states[3] = function(p) p.y = 7 end end
        if frame == 4 then states[1] = states[3] end
        if frame == 5 then states[2] = nil end
      end
    end, true)
    alike(function()
      local states = { function(p) p.x = 1 end, function(p) p.x = 2 end }
      return function(p)
        if p.b == 1 or p.b == 2 then states[p.b](p) end
      end, function(frame)
        if frame == 2 then states[2] = function(p) p.x = p.x + 5 end end
        if frame == 3 then states[3] = function(p) p.y = 7 end end
        if frame == 4 then states[1] = states[3] end
      end
    end, true)
  end)

  it("is that of what a variable has, or a field of an element", function()
    alike(function()
      local states = { function(p) p.x = p.x + 1 end, function(p) p.y = 3 end }
      local kinds = { { cost = 2, act = function(p, c) p.x = p.x - c end },
                      { cost = 0.5, act = function(p) return p.y end } }
      return function(p)
        local state = states[p.n]
        if state then state(p) end
        local kind = kinds[p.b]
        if kind then
          local got = kind.act(p, kind.cost)
          p.y = got and got + 1 or p.y
        end
        if not states[p.k] then p.on = true end
      end, function(frame)
        if frame == 3 then kinds[2].act = kinds[1].act end
        if frame == 4 then states[4] = states[2] end
      end
    end, true)
  end)

  it("of no function is the error of plain Lua", function()
    alike(function()
      local states = { function(p) p.x = p.x + 1 end }
      return function(p) if p.k == 1 or p.b == 5 then states[p.k](p) end end
    end, true)
  end)

  it("is refused where there are many, or others than functions", function()
    local many, mixed = {}, { function() end, 2 }
    for k = 1, 17 do many[k] = function(p) p.x = k end end
    assert.truthy(refused(function(p) many[p.n](p) end)
      :find("a call of one of more than 16 functions", 1, true))
    assert.truthy(refused(function(p) mixed[p.n](p) end)
      :find("'mixed', which has elements", 1, true))
    assert.truthy(refused(function(p) if p.on then many[1](p) end end)
      :find("it is compiled", 1, true))
  end)

  it("needs side exits", function()
    local one = { function(p) p.x = 1 end }
    assert.truthy(refused(function(p) one[p.n](p) end)
      :find("a call of an element that may be nil", 1, true))
    local world = ecs.world {}
    local e = world:spawn(P { n = 1 })
    world:system { name = "s", query = { P }, compile = true,
                   each = function(p) one[p.n](p) end }
    world:progress(1)
    assert.equal(1, world:get(e, P, "x"))
    assert.equal(0, world:stats("s").exits)
    world:close()
  end)
end)
