-- bench_create: new entities with 3 components of 2 fields, one by one and many
-- at a time, in a world that has held as many entities before.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local Position, Velocity, Health = scene.Position, scene.Velocity, scene.Health
local has_ffi, ffi = pcall(require, "ffi")

--- The sum of all fields of all entities: the check, equal on every side.
local function expect(count, x, y)
  return count * (x + 3 * y + 1 + 2 + 100 + 100)
end

--- A world that is empty before every run. x and y: the positions to store.
local function in_world(name, aim, run)
  local world = scene.ecs.world {}
  local query = world:query { read = { Position, Velocity, Health } }
  return {
    name = name, aim = aim,
    prepare = function() world:clear() end,
    run = function() run(world) end,
    check = function()
      local sum = 0
      query:batch(function(batch)
        local p, v, h = batch[Position], batch[Velocity], batch[Health]
        for i = 1, batch.count do
          sum = sum + p.x[i] + 3 * p.y[i] + v.x[i] + v.y[i] + h.current[i]
            + h.max[i]
        end
      end)
      return sum
    end,
  }
end

local function in_tables(count)
  local list = {}
  return {
    name = "a table per entity",
    prepare = function() list = {} end,
    run = function()
      local entities = list
      for k = 1, count do
        entities[k] = { x = 5, y = 6, vx = 1, vy = 2, current = 100,
          max = 100 }
      end
    end,
    check = function()
      local sum = 0
      for k = 1, count do
        local e = list[k]
        sum = sum + e.x + 3 * e.y + e.vx + e.vy + e.current + e.max
      end
      return sum
    end,
  }
end

local names = { "x", "y", "vx", "vy", "current", "max" }

local function in_arrays(name, count, make)
  local arrays = {}
  return {
    name = name,
    prepare = function()
      for _, field in ipairs(names) do arrays[field] = make() end
    end,
    run = function()
      local x, y, vx, vy = arrays.x, arrays.y, arrays.vx, arrays.vy
      local current, max = arrays.current, arrays.max
      for k = 1, count do
        x[k], y[k], vx[k], vy[k], current[k], max[k] = 5, 6, 1, 2, 100, 100
      end
    end,
    check = function()
      local a, sum = arrays, 0
      for k = 1, count do
        sum = sum + a.x[k] + 3 * a.y[k] + a.vx[k] + a.vy[k] + a.current[k]
          + a.max[k]
      end
      return sum
    end,
  }
end

measure.open("lua create", arg)

local position = Position { x = 5, y = 6 }
local velocity = Velocity { x = 1, y = 2 }

measure.contest("3 components", { 10000 }, function(count)
  local sides = {
    in_tables(count),
    in_arrays("arrays", count, function() return {} end),
    in_world("spawn, values made before", { lua = 400, jit = 200 },
      function(world)
        local w, p, v, h = world, position, velocity, Health
        for _ = 1, count do w:spawn(p, v, h) end
      end),
    in_world("spawn, new values", nil, function(world)
      local w, p, v, h = world, Position, Velocity, Health
      for _ = 1, count do
        w:spawn(p { x = 5, y = 6 }, v { x = 1, y = 2 }, h)
      end
    end),
    in_world("spawner, new values", { lua = 75, jit = 12 }, function(world)
      local create = world:spawner(Position, "x", "y", Velocity, "x", "y",
        Health)
      for _ = 1, count do create(5, 6, 1, 2) end
    end),
    in_world("spawn_many", 6, function(world)
      world:spawn_many(count, { position, velocity, Health })
    end),
    in_world("spawn_many, filled by a function", nil, function(world)
      world:spawn_many(count, { Position, velocity, Health }, function(batch)
        local x, y = batch[Position].x, batch[Position].y
        for i = 1, batch.count do x[i], y[i] = 5, 6 end
      end)
    end),
  }
  if has_ffi then
    sides[#sides + 1] = in_arrays("FFI arrays", count,
      function() return ffi.new("float[?]", count + 1) end)
  end
  sides[1].check = (function(check)
    return function()
      assert(check() == expect(count, 5, 6))
      return check()
    end
  end)(sides[1].check)
  return sides
end)

--- Three tables for each entity, and the check of in_world.
local function in_nested_tables(count)
  local list = {}
  return {
    name = "three tables per entity",
    prepare = function() list = {} end,
    run = function()
      local entities = list
      for k = 1, count do
        entities[k] = { position = { x = 5, y = 6 },
          velocity = { x = 1, y = 2 },
          health = { current = 100, max = 100 } }
      end
    end,
    check = function()
      local sum = 0
      for k = 1, count do
        local p, v, h = list[k].position, list[k].velocity, list[k].health
        sum = sum + p.x + 3 * p.y + v.x + v.y + h.current + h.max
      end
      assert(sum == expect(count, 5, 6))
      return sum
    end,
  }
end

-- The numbers are known before, but no table and no value is.
measure.contest("3 values", { 10000 }, function(count)
  local health = Health { current = 100, max = 100 }
  return {
    in_nested_tables(count),
    in_world("values in line", { lua = 600, jit = 300 }, function(world)
      local w, p, v, h = world, Position, Velocity, Health
      for _ = 1, count do
        w:spawn(p { x = 5, y = 6 }, v { x = 1, y = 2 },
          h { current = 100, max = 100 })
      end
    end),
    in_world("components and tables", { lua = 450, jit = 120 }, function(world)
      local w, p, v, h = world, Position, Velocity, Health
      for _ = 1, count do
        w:spawn(p, { x = 5, y = 6 }, v, { x = 1, y = 2 },
          h, { current = 100, max = 100 })
      end
    end),
    in_world("values that are kept", { lua = 85, jit = 45 }, function(world)
      local w, p, v, h = world, position, velocity, health
      for _ = 1, count do w:spawn(p, v, h) end
    end),
  }
end)

measure.contest("empty", { 10000 }, function(count)
  local list = {}
  local world = scene.ecs.world {}
  local first, last = 0, 0
  return {
    {
      name = "a table per entity",
      prepare = function() list = {} end,
      run = function()
        local entities = list
        for k = 1, count do entities[k] = {} end
      end,
      check = function() return #list end,
    },
    {
      name = "spawn",
      prepare = function() world:clear() end,
      run = function()
        local w = world
        first = w:spawn()
        for _ = 2, count do last = w:spawn() end
      end,
      check = function()
        assert(world:alive(first) and world:alive(last))
        return world:query({ all = true }):count()
      end,
    },
  }
end)

measure.close()
