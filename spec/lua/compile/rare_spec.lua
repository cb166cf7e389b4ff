-- What few rows need is computed for these rows alone. How many rows that are,
-- and which, changes nothing: it is what plain Lua computes.

local ecs = require "ecs"
local exits = require "spec.support.exits"

local P, V, Far, Odd = exits.P, exits.V, exits.Far, exits.Odd
local SIZES = { 1, 16, 17, 255, 511, 512, 513, 1100 }

--- Asserts that functions made by build(every) do what they do as plain Lua,
-- where every row, one of two and so on, and no row meets their condition.
local function alike(build, optional)
  for _, every in ipairs { 1, 2, 3, 4, 5, 17, 300, 5000 } do
    local name = "every " .. every
    local taken = exits.alike(function(world, log, ids)
      return { query = { P, V, optional = optional },
               each = build(every, world, log, ids) }
    end, SIZES)
    assert.equal(0, taken, name)
  end
end

describe("what few rows need", function()
  it("is computed for these", function()
    alike(function(every)
      return function(p, v)
        v.x = v.x + 0.1
        if v.n % every == 0 then
          local angle = ecs.math.sin(p.x * 3) + math.cos(v.x)
          p.x = math.sqrt(math.abs(angle)) / (p.y + 1)
          p.y = p.y % 3
        end
        if v.n % every ~= 0 then return end
        v.x = ecs.math.atan2(p.x, p.y) - v.n
      end
    end)
  end)

  it("may be nested, and on either side", function()
    alike(function(every)
      return function(p, v)
        if v.n % every == 0 then
          local s = math.sin(p.y)
          if p.x > 20 then
            p.x = math.exp(s) - math.floor(p.y % 7)
          else
            p.x = math.log(s * s + 1) + v.x
          end
          if p.on then v.x = math.cos(p.x) * math.tan(s) end
        else
          v.x = v.x + (v.n % 5 == 1 and math.sin(v.x) or 1)
        end
      end
    end)
  end)

  it("adds products to values from outside", function()
    alike(function(every)
      return function(p, v)
        local moved = p.x + v.x
        if v.n % every == 0 then
          local s = math.sin(v.x) + ecs.math.cos(p.y)
          p.x = s * p.y + v.x
          p.y = moved - s * p.y
          v.x = s * p.x - moved
        end
      end
    end)
  end)

  it("is computed for all where a sum behind the branch needs it", function()
    alike(function(every)
      return function(p, v)
        local rare = v.n % every == 0
        local wave = math.sin(v.x) + ecs.math.cos(p.y)
        if rare then p.x = wave * p.x + v.x end
        v.x = v.x * p.y + wave
        p.y = wave - v.x * p.y
      end
    end)
  end)

  it("draws numbers and looks at others", function()
    alike(function(every, world)
      return function(p, v)
        if v.n % every == 0 then
          local angle = ecs.random() * 6
          p.x = math.cos(angle) * ecs.random()
          local hp, at = world:get(p.who, Far, "hp", "at")
          if hp then p.y = hp + at + math.sin(hp) end
          if world:has(p.who, Odd) and world:alive(p.who) then
            v.x = ecs.random()
          end
        end
        p.y = p.y + (ecs.random() > 0.9 and ecs.math.exp(-p.y) or 0)
      end
    end)
  end)

  it("is stored, added up, and changes others", function()
    alike(function(every, world)
      local sum = world:sum "rare"
      return function(p, v, far, _, e)
        if v.n % every == 0 and far then
          far.hp = math.sin(far.hp) + math.cos(p.x)
          sum:add(far.hp * math.exp(-p.x))
          world:spawn(P { x = math.sin(p.y), who = e },
            Far { hp = ecs.math.cos(p.x) * far.at })
          if p.x > 40 then world:destroy(e) end
        end
      end
    end, { Far })
  end)

  it("is known where one row sees what another changes", function()
    alike(function(every, world)
      return function(p, v, _, e)
        local who = p.who
        if v.n % every == 0 and who and world:alive(who) then
          p.x = math.sin(p.x) + (world:get(who, Far, "at") or 1)
          if v.n % 2 == 0 then world:destroy(who) end
        elseif v.n % 7 == 3 then
          world:destroy(e)
        end
      end
    end)
  end)

  it("stands beside exits of later rows, and takes none itself", function()
    local told
    local taken = exits.alike(function(world, log)
      told = log
      return { query = { P, V }, each = function(p, v, _, e)
        if v.n % 9 == 4 and world:alive(p.who) then world:destroy(e) end
        if v.n % 11 == 6 then log[#log + 1] = tostring(p.x) end
        p.x = p.x + 1
      end }
    end, { 17, 512, 700 })
    assert.truthy(taken > 100)
    assert.equal(#told, taken)
  end)
end)
