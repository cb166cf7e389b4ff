-- Rows behind a side exit are computed once, with those before it, and stored
-- when their turn comes. Whatever a row that takes the exit does, the rows
-- behind it are as in plain Lua.

local ecs = require "ecs"
local exits = dofile "spec/support/exits.lua"
local P, V, Far, Odd = exits.P, exits.V, exits.Far, exits.Odd

--- A system over P and V.
local function moving(body)
  return function(world, log, ids)
    return { query = { P, read = { V } }, each = body(world, log, ids) }
  end
end

--- As exits.alike, with many exits: at least a tenth of 700 rows, three times.
local function alike(build)
  local taken = exits.alike(build)
  assert.is_true(taken >= 210, taken .. " exits")
end

describe("rows behind a side exit", function()
  it("are stored once, each in its turn", function()
    for _, every in ipairs { 2, 3, 10 } do
      alike(moving(function(_, log)
        return function(p, v)
          p.x = p.x * 3 + 1
          if v.n % every == 1 then log[#log + 1] = p.x .. "" end
          p.y = p.y - p.x
        end
      end))
    end
  end)

  it("keep what only some of them store", function()
    alike(moving(function(_, log)
      return function(p, v)
        if v.n % 10 == 7 then log[#log + 1] = "" .. p.y end
        if p.x > 20 then p.x = p.x - 20 end
        if v.n % 4 == 0 then p.on = not p.on p.who = nil end
        if p.y > 300 then p.y = -p.y end
      end
    end))
  end)

  it("cannot be written by it", function()
    alike(moving(function(world, log, ids)
      return function(p, v)
        p.x = p.x + 1
        if v.n % 10 == 3 then
          local behind = ids[v.n + 1]
          local done, text = pcall(world.set, world, behind, P, "x", 1000)
          log[#log + 1] = tostring(done) .. tostring(text):sub(1, 30)
          done = pcall(world.set, world, behind, V, "x", 1000)
          log[#log + 1] = tostring(done)
        end
        p.y = p.y + v.x
      end
    end))
  end)

  it("are computed anew where it changes a variable", function()
    alike(function(_, log)
      local step, options = 1, { speed = 1 }
      return { query = { P, read = { V } }, each = function(p, v)
        p.x = p.x + step * options.speed
        if v.n % 10 == 3 then
          step = step + 1
          log[#log + 1] = step
        elseif v.n % 50 == 9 then
          options.speed = -options.speed
          log[#log + 1] = options.speed
        end
      end }
    end)
  end)

  it("take the exit by what the variable is then", function()
    alike(function(_, log)
      local limit = 100
      return { query = { P, read = { V } }, each = function(p, v)
        if v.n >= limit or v.n % 9 == 1 then
          limit = limit + 2
          log[#log + 1] = limit
        end
        p.x = p.x + limit
      end }
    end)
  end)

  it("add to totals in their turn", function()
    for _, kind in ipairs { "sum", "min", "max" } do
      alike(moving(function(world, log)
        local total = world[kind](world, "total")
        return function(p, v)
          total:add(p.x * 0.1)
          if p.x > 25 then total:add(v.n) end
          if v.n % 7 == 4 then
            log[#log + 1] = tostring(total:value())
            total:add(v.n * 0.3)
          end
          p.x = p.x + 1
        end
      end))
    end
  end)

  it("count in variables outside in their turn", function()
    alike(function(_, log)
      local sum, most = 0, -1
      return {
        query = { P, read = { V } }, after = function() return sum .. most end,
        each = function(p, v)
          p.x = p.x + 1
          sum = sum + p.x * 0.1
          if p.y > most then most = p.y end
          if v.n % 10 == 5 then
            log[#log + 1] = sum .. " " .. most
            sum = 0
          end
        end }
    end)
  end)

  it("record changes in their turn", function()
    alike(moving(function(world, log)
      return function(p, v, _, e)
        if v.n % 6 == 1 then world:destroy(e) end
        if v.n % 6 == 2 then world:add(e, Odd) end
        if v.n % 5 == 3 then
          log[#log + 1] = world:spawn(P { x = v.n }, V { n = v.n })
          world:add(e, Far { hp = v.n })
        end
        if v.n % 10 == 4 then
          world:destroy(e)
          log[#log + 1] = tostring(world:alive(e))
        end
        p.x = p.x + 1
      end
    end))
  end)

  it("look at other entities as they are then", function()
    alike(moving(function(world, log, ids)
      local boss = ids[5]
      return function(p, v)
        local hp = boss and world:get(boss, Far, "hp")
        p.x = p.x + (hp or 0)
        if boss and v.n % 8 == 3 then
          world:set(boss, Far, "hp", v.n)
          log[#log + 1] = v.n
        end
      end
    end))
  end)

  it("stay as they were where it raises an error", function()
    exits.alike(moving(function(_, log)
      return function(p, v)
        p.x = p.x + 1
        if v.n % 10 == 3 then
          log[#log + 1] = v.n
          if v.n > 300 then error("row " .. v.n, 0) end
        end
        p.y = p.y + 1
      end
    end))
  end)

  it("stay right where it walks other rows", function()
    alike(function(world, log)
      local far, same = world:query { Far }, world:query { read = { V } }
      return { query = { P, read = { V } }, each = function(p, v)
        p.x = p.x + v.x
        if v.n % 10 == 3 then
          local sum = 0.0
          far:each(function(f) f.hp = f.hp + 1 end)
          for _, other in same:rows() do sum = sum + other.n end
          log[#log + 1] = sum
          log[#log + 1] = tostring((pcall(function()
            world:query { P }:each(function(other) other.x = 0 end)
          end)))
        end
        p.y = p.y + 1
      end }
    end)
  end)

  it("draw their own random numbers", function()
    alike(moving(function(_, log)
      return function(p, v)
        p.x = ecs.random()
        if v.n % 9 == 2 then log[#log + 1] = "" .. ecs.random() end
        p.y = p.y + ecs.random()
      end
    end))
  end)
end)
