-- bench_access: get, has and set of one entity after the other, in random
-- order, against hand-written tables and arrays.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local Position, Velocity, Enemy = scene.Position, scene.Velocity, scene.Enemy
local SIZES = { 10000, 100000 }

--- The three ways to store the entities: in a world, as tables, in arrays; each
-- with a list of what a script keeps of an entity, in the same random order.
local function ways(count)
  local world, ids = scene.world(count, Enemy)
  local tables = scene.tables(count)
  local arrays = scene.arrays(count, function() return {} end)
  local places = {}
  arrays.enemy = {}
  for k = 1, count do
    tables[k].enemy, arrays.enemy[k], places[k] = true, true, k
  end
  return world, scene.shuffle(ids), scene.shuffle(tables), arrays,
    scene.shuffle(places)
end

--- A contest in which each side adds up what it reads; the sum is the check.
-- make(...) gets the ways and returns a function for each, and perhaps one more
-- for a prepared closure. aim: by side.
local function reading(name, aim, make)
  measure.contest(name, SIZES, function(count)
    local functions = { make(count, ways(count)) }
    local names = { "a table per entity", "arrays", "ecs", "prepared" }
    local sides = {}
    for k, read in ipairs(functions) do
      local sum = 0
      sides[k] = {
        name = names[k],
        run = function() sum = read() end,
        check = function() return sum end,
        aim = aim and count == 10000 and aim[k] or nil,
      }
    end
    return sides
  end)
end

measure.open("lua access", arg)

-- The cost of a C function of the VM that checks its argument, and that LuaJIT
-- does not compile: no call of ours can be faster without the FFI.
measure.contest("a C function", { 10000 }, function(count)
  local found = 0
  return { {
    name = "io.type(file)",
    run = function()
      local ask, file, open = io.type, io.stdout, 0
      for _ = 1, count do if ask(file) == "file" then open = open + 1 end end
      found = open
    end,
    check = function() return found end,
  } }
end)

reading("get one field",
  { [3] = { lua = 60, jit = 5 }, [4] = { lua = 28, jit = 5 } },
  function(count, world, ids, tables, arrays, places)
    return function()
      local list, sum = tables, 0
      for k = 1, count do sum = sum + list[k].x end
      return sum
    end, function()
      local x, list, sum = arrays.x, places, 0
      for k = 1, count do sum = sum + x[list[k]] end
      return sum
    end, function()
      local w, list, component, sum = world, ids, Position, 0
      for k = 1, count do sum = sum + w:get(list[k], component, "x") end
      return sum
    end, function()
      local x_of, list, sum = world:getter(Position, "x"), ids, 0
      for k = 1, count do sum = sum + x_of(list[k]) end
      return sum
    end
  end)

reading("get two fields",
  { [3] = { lua = 90, jit = 8 }, [4] = { lua = 30, jit = 7 } },
  function(count, world, ids, tables, arrays, places)
    return function()
      local list, sum = tables, 0
      for k = 1, count do
        local entity = list[k]
        sum = sum + entity.x + 3 * entity.y
      end
      return sum
    end, function()
      local x, y, list, sum = arrays.x, arrays.y, places, 0
      for k = 1, count do
        local place = list[k]
        sum = sum + x[place] + 3 * y[place]
      end
      return sum
    end, function()
      local w, list, component, sum = world, ids, Position, 0
      for k = 1, count do
        local x, y = w:get(list[k], component, "x", "y")
        sum = sum + x + 3 * y
      end
      return sum
    end, function()
      local xy_of, list, sum = world:getter(Position, "x", "y"), ids, 0
      for k = 1, count do
        local x, y = xy_of(list[k])
        sum = sum + x + 3 * y
      end
      return sum
    end
  end)

reading("get a new table", nil,
  function(count, world, ids, tables, arrays, places)
    return function()
      local list, sum = tables, 0
      for k = 1, count do
        local entity = list[k]
        local copy = { x = entity.x, y = entity.y }
        sum = sum + copy.x + 3 * copy.y
      end
      return sum
    end, function()
      local x, y, list, sum = arrays.x, arrays.y, places, 0
      for k = 1, count do
        local place = list[k]
        local copy = { x = x[place], y = y[place] }
        sum = sum + copy.x + 3 * copy.y
      end
      return sum
    end, function()
      local w, list, component, sum = world, ids, Position, 0
      for k = 1, count do
        local copy = w:get(list[k], component)
        sum = sum + copy.x + 3 * copy.y
      end
      return sum
    end
  end)

reading("has",
  { [3] = { lua = 30, jit = 4 }, [4] = { lua = 28, jit = 4 } },
  function(count, world, ids, tables, arrays, places)
    return function()
      local list, found = tables, 0
      for k = 1, count do if list[k].enemy then found = found + 1 end end
      return found
    end, function()
      local enemy, list, found = arrays.enemy, places, 0
      for k = 1, count do if enemy[list[k]] then found = found + 1 end end
      return found
    end, function()
      local w, list, tag, found = world, ids, Enemy, 0
      for k = 1, count do if w:has(list[k], tag) then found = found + 1 end end
      return found
    end, function()
      local is_enemy, list, found = world:tester(Enemy), ids, 0
      for k = 1, count do if is_enemy(list[k]) then found = found + 1 end end
      return found
    end
  end)

reading("alive", nil,
  function(count, world, ids, tables, arrays, places)
    return function()
      local list, found = tables, 0
      for k = 1, count do if not list[k].dead then found = found + 1 end end
      return found
    end, function()
      local enemy, list, found = arrays.enemy, places, 0
      for k = 1, count do if enemy[list[k]] then found = found + 1 end end
      return found
    end, function()
      local w, list, found = world, ids, 0
      for k = 1, count do if w:alive(list[k]) then found = found + 1 end end
      return found
    end
  end)

--- A contest in which each side writes values that depend on the place in the
-- list; the sum over all values, in this order, is the check. aim: of the
-- prepared closure, if there is one.
local function writing(name, aim, make)
  measure.contest(name, SIZES, function(count)
    local world, ids, tables, arrays, places = ways(count)
    local by_table, by_array, by_world, prepared =
      make(count, world, ids, tables, arrays, places)
    local sides = { {
      name = "a table per entity", run = by_table,
      check = function()
        local sum = scene.sum()
        for k = 1, count do sum(tables[k].x, tables[k].y) end
        return sum()
      end,
    }, {
      name = "arrays", run = by_array,
      check = function()
        local sum = scene.sum()
        for k = 1, count do sum(arrays.x[places[k]], arrays.y[places[k]]) end
        return sum()
      end,
    }, {
      name = "ecs", run = by_world,
      check = function() return scene.check(world, ids) end,
    } }
    if prepared then
      sides[4] = {
        name = "ecs, prepared", run = prepared,
        check = function() return scene.check(world, ids) end,
        aim = aim and count == 10000 and aim or nil,
      }
    end
    return sides
  end)
end

writing("set one field", { lua = 32, jit = 6 },
  function(count, world, ids, tables, arrays, places)
  return function()
    local list = tables
    for k = 1, count do list[k].x = k end
  end, function()
    local x, list = arrays.x, places
    for k = 1, count do x[list[k]] = k end
  end, function()
    local w, list, component = world, ids, Position
    for k = 1, count do w:set(list[k], component, "x", k) end
  end, function()
    local set_x, list = world:setter(Position, "x"), ids
    for k = 1, count do set_x(list[k], k) end
  end
end)

writing("set to a value made before", nil,
  function(count, world, ids, tables, arrays, places)
    return function()
      local list = tables
      for k = 1, count do
        local entity = list[k]
        entity.x, entity.y = 5, 6
      end
    end, function()
      local x, y, list = arrays.x, arrays.y, places
      for k = 1, count do
        local place = list[k]
        x[place], y[place] = 5, 6
      end
    end, function()
      local w, list, value = world, ids, Position { x = 5, y = 6 }
      for k = 1, count do w:set(list[k], value) end
    end
  end)

writing("set to new values", { lua = 40, jit = 8 },
  function(count, world, ids, tables, arrays, places)
  return function()
    local list = tables
    for k = 1, count do
      local entity = list[k]
      entity.x, entity.y = k, -k
    end
  end, function()
    local x, y, list = arrays.x, arrays.y, places
    for k = 1, count do
      local place = list[k]
      x[place], y[place] = k, -k
    end
  end, function()
    local w, list, component = world, ids, Position
    for k = 1, count do w:set(list[k], component { x = k, y = -k }) end
  end, function()
    local place, list = world:setter(Position, "x", "y"), ids
    for k = 1, count do place(list[k], k, -k) end
  end
end)

writing("get two, set two", { lua = 80, jit = 15 },
  function(count, world, ids, tables, arrays, places)
  return function()
    local list = tables
    for k = 1, count do
      local entity = list[k]
      entity.x, entity.y = entity.vy, entity.vx
    end
  end, function()
    local x, y, list = arrays.x, arrays.y, places
    local vx, vy = arrays.vx, arrays.vy
    for k = 1, count do
      local place = list[k]
      x[place], y[place] = vy[place], vx[place]
    end
  end, function()
    local w, list, to, from = world, ids, Position, Velocity
    for k = 1, count do
      local id = list[k]
      local vx, vy = w:get(id, from, "x", "y")
      w:set(id, to, "x", vy)
      w:set(id, to, "y", vx)
    end
  end, function()
    local of, place = world:getter(Velocity, "x", "y"),
      world:setter(Position, "x", "y")
    local list = ids
    for k = 1, count do
      local id = list[k]
      local vx, vy = of(id)
      place(id, vy, vx)
    end
  end
end)

measure.close()
