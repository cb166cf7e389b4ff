-- bench_change: adding and removing one component, and destroying: entity by
-- entity in random order, and over a query in one operation.
--
-- By hand a component is a field of the entity's table. An entity is destroyed
-- by removing its table from a list; the last table takes its place.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local Position, Velocity = scene.Position, scene.Velocity
local SIZES = { 10000 }

local function holders(world, component)
  return world:query { with = { component } }:count()
end

--- The entities as tables, with or without the component.
local function by_hand(count, run, with)
  local list = scene.shuffle(scene.tables(count))
  return {
    name = "a table per entity",
    prepare = function()
      for k = 1, count do
        local x, y = list[k].x, list[k].y
        list[k] = { x = x, y = y, vx = 0, vy = 0 }
        if with then list[k].burning = { left = 1, heat = 2 } end
      end
    end,
    run = function() run(list) end,
    check = function()
      local found = 0
      for k = 1, count do if list[k].burning then found = found + 1 end end
      return found
    end,
  }
end

--- The entities in a world; when a run begins, all of them have the component,
-- or none has.
local function in_world(name, aim, count, component, with, make)
  local world, ids = scene.world(count)
  scene.shuffle(ids)
  local query = world:query(with and { with = { component } }
    or { with = { Position, Velocity }, without = { component } })
  local run = make(world, ids, query)
  return {
    name = name, aim = aim, run = run, absent = not run,
    prepare = function()
      for k = 1, count do
        local change = with and world.add or world.remove
        change(world, ids[k], component)
      end
    end,
    check = function() return holders(world, component) end,
  }
end

local aims = { lua = 120, jit = 60 }

local components = {
  { name = "a component", part = scene.Burning, aim = aims },
  { name = "a tag", part = scene.Enemy, aim = aims },
  { name = "a sparse tag", part = scene.Marked, aim = aims },
}

measure.open("lua change", arg)

measure.contest("add", SIZES, function(count)
  local sides = { by_hand(count, function(list)
    for k = 1, count do list[k].burning = { left = 1, heat = 2 } end
  end, false) }
  for _, what in ipairs(components) do
    local part = what.part
    sides[#sides + 1] = in_world(what.name, what.aim, count, part, false,
      function(world, ids)
        return function()
          local w, list, component = world, ids, part
          for k = 1, count do w:add(list[k], component) end
        end
      end)
    sides[#sides + 1] = in_world(what.name .. ", q:add", 3, count, part, false,
      function(_, _, query)
        if scene.lacks(query, "add") then return nil end
        return function() query:add(part) end
      end)
  end
  return sides
end)

measure.contest("remove", SIZES, function(count)
  local sides = { by_hand(count, function(list)
    for k = 1, count do list[k].burning = nil end
  end, true) }
  for _, what in ipairs(components) do
    local part = what.part
    sides[#sides + 1] = in_world(what.name, what.aim, count, part, true,
      function(world, ids)
        return function()
          local w, list, component = world, ids, part
          for k = 1, count do w:remove(list[k], component) end
        end
      end)
    sides[#sides + 1] = in_world(what.name .. ", q:remove", 3, count, part,
      true, function(_, _, query)
        if scene.lacks(query, "remove") then return nil end
        return function() query:remove(part) end
      end)
  end
  return sides
end)

measure.contest("set over a query", SIZES, function(count)
  local value = Position { x = 5, y = 6 }
  local function side(name, make)
    local world, ids = scene.world(count)
    local run = make(world, ids, world:query { Position })
    return {
      name = name, run = run, absent = not run,
      check = function() return scene.check(world, ids) end,
    }
  end
  return {
    side("one by one", function(world, ids)
      return function()
        local w, list, part = world, ids, value
        for k = 1, count do w:set(list[k], part) end
      end
    end),
    side("q:set", function(_, _, query)
      if scene.lacks(query, "set") then return nil end
      return function() query:set(value) end
    end),
  }
end)

measure.contest("set", SIZES, function(count)
  local value = Position { x = 5, y = 6 }
  local function side(name, aim, make)
    local world, ids = scene.world(count)
    scene.shuffle(ids)
    return {
      name = name, aim = aim, run = make(world, ids),
      check = function() return scene.check(world, ids) end,
    }
  end
  local function by_table(name, run)
    local list = scene.shuffle(scene.tables(count))
    return {
      name = name, run = function() run(list) end,
      check = function()
        local sum = scene.sum()
        for k = 1, count do sum(list[k].x, list[k].y) end
        return sum()
      end,
    }
  end
  return {
    by_table("two fields of a table", function(list)
      for k = 1, count do
        local entity = list[k]
        entity.x, entity.y = 5, 6
      end
    end),
    side("a value in line", { lua = 260, jit = 150 }, function(world, ids)
      return function()
        local w, list, p = world, ids, Position
        for k = 1, count do w:set(list[k], p { x = 5, y = 6 }) end
      end
    end),
    side("a component and a table", { lua = 200, jit = 50 },
      function(world, ids)
        return function()
          local w, list, p = world, ids, Position
          for k = 1, count do w:set(list[k], p, { x = 5, y = 6 }) end
        end
      end),
    side("two fields", nil, function(world, ids)
      return function()
        local w, list, p = world, ids, Position
        for k = 1, count do w:set(list[k], p, "x", 5, "y", 6) end
      end
    end),
    side("a value that is kept", { lua = 60, jit = 12 }, function(world, ids)
      return function()
        local w, list, part = world, ids, value
        for k = 1, count do w:set(list[k], part) end
      end
    end),
  }
end)

--- A world that is filled anew before every run, with 3 components per entity.
local function mortal(name, aim, count, make)
  local world, ids = scene.ecs.world {}, {}
  local parts = { Position, Velocity, scene.Health }
  local query = world:query { with = { Position } }
  local function collect(batch)
    for i = 1, batch.count do ids[#ids + 1] = batch.entities[i] end
  end
  local run = make(world, ids, query)
  return {
    name = name, aim = aim, run = run, absent = not run,
    prepare = function()
      world:clear()
      for k = #ids, 1, -1 do ids[k] = nil end
      world:spawn_many(count, parts, collect)
      scene.shuffle(ids)
    end,
    check = function() return query:count() end,
  }
end

measure.contest("destroy", SIZES, function(count)
  local list, order = {}, {}
  for k = 1, count do order[k] = k end
  scene.shuffle(order)
  local victims = {}
  return {
    {
      name = "a table per entity",
      prepare = function()
        for k = 1, count do
          local entity = { x = k, y = k, place = k }
          list[k], victims[order[k]] = entity, entity
        end
      end,
      run = function()
        local last = count
        for k = 1, count do
          local place, other = victims[k].place, list[last]
          list[place], other.place = other, place
          list[last] = nil
          last = last - 1
        end
      end,
      check = function() return #list end,
    },
    mortal("one by one", { lua = 80, jit = 50 }, count, function(world, ids)
      return function()
        local w, handles = world, ids
        for k = 1, count do w:destroy(handles[k]) end
      end
    end),
    mortal("q:destroy", 3, count, function(_, _, query)
      if scene.lacks(query, "destroy") then return nil end
      return function() query:destroy() end
    end),
    mortal("clear", nil, count, function(world)
      return function() world:clear() end
    end),
  }
end)

measure.close()
