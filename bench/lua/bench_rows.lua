-- bench_rows: every way to loop over rows, for every field type, and what
-- surrounds such loops in a game: values made in line, and queries made where
-- they are used.
--
-- By hand an entity is a table, and its components are tables. Numbers are
-- computed as y - x, which stays in the range of every type.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local SIZES = { 10000 }
local NUMBERS = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32" }

measure.open("lua rows", arg)

-- Field types --------------------------------------------------------------

local function components(kind)
  return ecs.component("RowsTo" .. kind, { x = kind, y = kind }),
    ecs.component("RowsFrom" .. kind, { x = kind, y = kind })
end

--- Reads the fields of entity k: a number that differs where two are exchanged.
local function sum_of(count, read)
  local sum = 0
  for k = 1, count do
    local x, y = read(k)
    x = x == true and 1 or x == false and 0 or x
    y = y == true and 1 or y == false and 0 or y
    sum = sum + (k % 97 + 1) * (x + 3 * y)
  end
  return sum
end

--- Sides that do the same to every row. by_hand(list) is a loop over tables
-- { to = , from = }. first(k) and second(k) are the values of entity k.
local function loops(name, To, From, first, second, query, ways, by_hand)
  measure.contest(name, SIZES, function(count)
    local list = {}
    local function fill()
      for k = 1, count do
        list[k] = { to = { x = first(k), y = first(k + 1) },
          from = { x = second(k), y = second(k + 1) } }
      end
    end
    fill()
    local sides = { {
      name = "by hand", run = function() by_hand(list) end, reset = fill,
      check = function()
        return sum_of(count, function(k) return list[k].to.x, list[k].to.y end)
      end,
    } }
    for _, way in ipairs(ways) do
      local world, ids = ecs.world {}, {}
      local function start()
        world:clear()
        for k = 1, count do
          ids[k] = world:spawn(To { x = first(k), y = first(k + 1) },
            From { x = second(k), y = second(k + 1) })
        end
      end
      start()
      local found = world:query(query)
      sides[#sides + 1] = {
        name = way[1], aim = way.aim, reset = start,
        run = function() way[2](found) end,
        check = function()
          return sum_of(count, function(k)
            return world:get(ids[k], To, "x", "y")
          end)
        end,
      }
    end
    return sides
  end)
end

local runs = 0 -- counted by functions that are not to be compiled

local function subtract(p, v)
  p.x = v.x - p.x
  p.y = v.y - p.y
end

local function plain_subtract(p, v)
  runs = runs + 1
  p.x = v.x - p.x
  p.y = v.y - p.y
end

for _, kind in ipairs(NUMBERS) do
  local To, From = components(kind)
  local whole = kind:sub(1, 1) ~= "f"
  loops("rows/" .. kind, To, From, function(k) return k % 8 end,
    function() return 7 end, { To, read = { From } }, {
      { "each", function(query) query:each(subtract) end },
      { "each, plain", function(query) query:each(plain_subtract) end,
        aim = { lua = 100, jit = 2.5 } },
      { "batch", function(query)
        query:batch(function(batch)
          local p, v = batch[To], batch[From]
          local x, y, vx, vy = p.x, p.y, v.x, v.y
          for i = 1, batch.count do
            x[i] = vx[i] - x[i]
            y[i] = vy[i] - y[i]
          end
        end)
      end, aim = { lua = whole and 50 or 45, jit = whole and 3 or 1.9 } },
      { "rows", function(query)
        for _, p, v in query:rows() do
          p.x = v.x - p.x
          p.y = v.y - p.y
        end
      end, aim = { lua = 120, jit = 10 } },
    }, function(list)
      for k = 1, #list do
        local to, from = list[k].to, list[k].from
        to.x = from.x - to.x
        to.y = from.y - to.y
      end
    end)
end

local function exchange(p, v)
  p.x, v.x = v.x, p.x
  p.y, v.y = v.y, p.y
end

local function plain_exchange(p, v)
  runs = runs + 1
  p.x, v.x = v.x, p.x
  p.y, v.y = v.y, p.y
end

for _, kind in ipairs { "bool", "entity" } do
  local To, From = components(kind)
  local is_bool = kind == "bool"
  loops("rows/" .. kind, To, From,
    function(k) if is_bool then return k % 3 == 0 end return k % 5 + 1 end,
    function(k) if is_bool then return k % 4 == 0 end return k % 7 + 1 end,
    { To, From }, {
      { "each", function(query) query:each(exchange) end },
      { "each, plain", function(query) query:each(plain_exchange) end },
      { "batch", function(query)
        query:batch(function(batch)
          local p, v = batch[To], batch[From]
          local x, y, vx, vy = p.x, p.y, v.x, v.y
          for i = 1, batch.count do
            x[i], vx[i] = vx[i], x[i]
            y[i], vy[i] = vy[i], y[i]
          end
        end)
      end },
      { "rows", function(query)
        for _, p, v in query:rows() do exchange(p, v) end
      end },
    }, function(list)
      for k = 1, #list do exchange(list[k].to, list[k].from) end
    end)
end

-- Values -------------------------------------------------------------------

local Position, Velocity, Health = scene.Position, scene.Velocity, scene.Health

--- Does a form of this version work?
local function works(f)
  return (pcall(f, ecs.world {}))
end

measure.contest("spawn of three", SIZES, function(count)
  local list = {}
  local sides = { {
    name = "by hand", prepare = function() list = {} end,
    run = function()
      for k = 1, count do
        list[k] = { Position = { x = k, y = 1 }, Velocity = { x = 1, y = 2 },
          Health = { current = k, max = 100 } }
      end
    end,
    check = function() return #list end,
  } }
  local function side(name, aim, form, run)
    local world = ecs.world {}
    sides[#sides + 1] = {
      name = name, aim = aim, absent = not works(form),
      prepare = function() world:clear() end,
      run = function() run(world) end,
      check = function() return world:stats().entities end,
    }
  end
  side("values in line", { lua = 600, jit = 300 }, function() end,
    function(world)
      for k = 1, count do
        world:spawn(Position { x = k, y = 1 }, Velocity { x = 1, y = 2 },
          Health { current = k })
      end
    end)
  side("component and table", { lua = 450, jit = 120 },
    function(world) world:spawn(Position, { x = 1 }) end, function(world)
      for k = 1, count do
        world:spawn(Position, { x = k, y = 1 }, Velocity, { x = 1, y = 2 },
          Health, { current = k })
      end
    end)
  local p, v, h = Position { x = 1 }, Velocity { x = 1 }, Health { max = 9 }
  side("kept values", { lua = 85, jit = 45 }, function() end, function(world)
    for _ = 1, count do world:spawn(p, v, h) end
  end)
  side("spawner", { lua = 75, jit = 12 },
    function(world) return world:spawner(Position, "x") end, function(world)
      local spawn = world:spawner(Position, "x", "y", Velocity, "x", "y",
        Health, "current")
      for k = 1, count do spawn(k, 1, 1, 2, k) end
    end)
  return sides
end)

-- Queries made where they are used -------------------------------------------

--- A contest of a query that is kept with one that is made in each loop.
-- loop(query): the way to loop over its rows.
local function made_in_the_loop(name, loop)
  measure.contest(name .. " over 10 rows", { 10 }, function(count)
    local sides = {}
    local function side(title, aim, start_loop)
      local world, ids = ecs.world {}, {}
      local function start()
        world:clear()
        for k = 1, count do
          ids[k] = world:spawn(Position { x = k, y = 1 }, Velocity { x = 1 })
        end
      end
      start()
      sides[#sides + 1] = {
        name = title, aim_ratio = aim, reset = start,
        run = start_loop(world),
        check = function() return scene.check(world, ids) end,
      }
    end
    side("a kept query", nil, function(world)
      local query = world:query { Position, read = { Velocity } }
      return function() loop(query) end
    end)
    side("a query made in the loop", { lua = 1.5, jit = 2 }, function(world)
      return function() loop(world:query { Position, read = { Velocity } }) end
    end)
    return sides
  end)
end

made_in_the_loop("rows", function(query)
  for _, position, velocity in query:rows() do
    position.x = velocity.x - position.x
  end
end)

local function move(position, velocity)
  position.x = velocity.x - position.x
end
made_in_the_loop("each", function(query) query:each(move) end)
made_in_the_loop("each in line", function(query)
  query:each(function(position, velocity)
    position.x = velocity.x - position.x
  end)
end)

local seen = 0
local function look(position, velocity, entity)
  position.x = velocity.x - position.x
  seen = entity
end
made_in_the_loop("plain each", function(query) query:each(look) end)
made_in_the_loop("plain each in line", function(query)
  query:each(function(position, velocity, entity)
    position.x = velocity.x - position.x
    seen = entity
  end)
end)

local function move_batch(batch)
  local x, velocity_x = batch[Position].x, batch[Velocity].x
  for i = 1, batch.count do x[i] = velocity_x[i] - x[i] end
end
made_in_the_loop("batch", function(query) query:batch(move_batch) end)
assert(seen)

measure.close()
