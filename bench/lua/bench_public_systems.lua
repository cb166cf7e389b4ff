-- bench_public_systems: the 6 tests of systems of the public benchmark of ECS
-- libraries for Lua, under their own names, at its sizes; see bench_public.
--
-- They run in a world of N entities and time one frame. By hand a system is a
-- loop over all entities that tests whether each has the components. Where the
-- public benchmark starts with zeros, these tests start with other numbers, so
-- that their results differ from those of no work at all.
--
-- Where a test adds up, "each" adds to a table outside, as users of other
-- libraries would write it, and runs as plain Lua. "each, totals" adds to a
-- total of the world, as the guide says, and is compiled.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs, Position, Velocity = scene.ecs, scene.Position, scene.Velocity
local SIZES = { 100, 1000, 10000 }
local SYSTEMS, BUFFS, DT = 20, 20, scene.DT

local unpack = table.unpack or unpack -- luacheck: ignore

local NonExistent = ecs.component("NonExistent", { value = "f32" })

--- Adds components with one field to a table of them by name.
local function define(known, names, field)
  for _, name in ipairs(names) do
    known[name] = ecs.component(name, { [field] = "f32" })
  end
  return known
end

local function numbered(prefix, count)
  local names = {}
  for k = 1, count do names[k] = prefix .. k end
  return names
end

-- Systems that are not compiled print a line; one for all of them is enough.
local fallbacks = 0
if ecs.on_fallback then
  ecs.on_fallback = function() fallbacks = fallbacks + 1 end
end

measure.open("lua public systems", arg)

--- One test. known: the components by name. parts(k) returns the initial values
-- of entity k, as { name = { field = value } }. systems is a list of { names,
-- by_hand, batch, each, totals }, run in this order. Their sum, and the final
-- values of all fields, is the check.
local function frame(test, known, parts, systems)
  local total = { sum = 0 }

  local function hand(count)
    local all = {}
    local function fill() for k = 1, count do all[k] = parts(k) end end
    fill()
    return {
      name = "by hand",
      reset = function() total.sum = 0 fill() end,
      run = function()
        for _, system in ipairs(systems) do
          system.by_hand(all, count, DT, total)
        end
      end,
      check = function()
        local sum = total.sum
        for k = 1, count do
          for part, fields in pairs(all[k]) do
            for field, value in pairs(fields) do
              sum = sum + (#part + 2 * part:byte(-1) + field:byte()) * value
            end
          end
        end
        return sum
      end,
    }
  end

  --- how: "batch", "each" or "totals".
  local function ours(count, how)
    local world, ids = ecs.world {}, {}
    local added = how == "totals" and world:sum "added"
    local function fill()
      world:clear()
      for k = 1, count do
        local values = {}
        for part, fields in pairs(parts(k)) do
          values[#values + 1] = known[part](fields)
        end
        ids[k] = world:spawn(unpack(values))
      end
    end
    fill()
    local absent = false
    for k, system in ipairs(systems) do
      local query = {}
      for position_in_list, part in ipairs(system.names) do
        query[position_in_list] = known[part]
      end
      local done = system[how] and pcall(world.system, world, {
        name = "system " .. k, query = query, compile = added and true or nil,
        [added and "each" or how] = system[how](added or total, known),
      })
      absent = absent or not done
    end
    return {
      name = added and "each, totals" or how, absent = absent,
      reset = function() total.sum = 0 fill() end,
      run = function()
        world:progress(DT)
        if added then total.sum = total.sum + added:value() end
      end,
      check = function()
        local sum = total.sum
        for k = 1, count do
          for _, component in pairs(world:components(ids[k])) do
            local part = component.name
            for field, value in pairs(world:get(ids[k], component)) do
              sum = sum + (#part + 2 * part:byte(-1) + field:byte()) * value
            end
          end
        end
        return sum
      end,
    }
  end

  measure.contest(test, SIZES, function(count)
    local sides = { hand(count), ours(count, "each"), ours(count, "batch") }
    if systems[1].totals then sides[4] = ours(count, "totals") end
    return sides
  end)
end

-- The text of a compiled function names the field that is added up.
local totals = {
  level = function(sum) return function(row) sum:add(row.level) end end,
  value = function(sum) return function(row) sum:add(row.value) end end,
}

--- A system that adds up one field of one component.
local function summing(part, field)
  return {
    names = { part },
    by_hand = function(all, count, _, total)
      local sum = total.sum
      for k = 1, count do
        local row = all[k][part]
        if row then sum = sum + row[field] end
      end
      total.sum = sum
    end,
    batch = function(total, known)
      local component = known[part]
      return function(batch)
        local sum, column = total.sum, batch[component][field]
        for i = 1, batch.count do sum = sum + column[i] end
        total.sum = sum
      end
    end,
    each = function(total)
      return function(row) total.sum = total.sum + row[field] end
    end,
    totals = totals[field],
  }
end

--- A system that gives two components with a field v new values.
local function exchanging(from, to, both)
  return {
    names = { from, to },
    by_hand = function(all, count)
      for k = 1, count do
        local a, b = all[k][from], all[k][to]
        if a and b then
          if both then a.v, b.v = b.v, a.v else b.v = a.v end
        end
      end
    end,
    batch = function(_, known)
      local first, second = known[from], known[to]
      if both then
        return function(batch)
          local a, b = batch[first].v, batch[second].v
          for i = 1, batch.count do a[i], b[i] = b[i], a[i] end
        end
      end
      return function(batch)
        local a, b = batch[first].v, batch[second].v
        for i = 1, batch.count do b[i] = a[i] end
      end
    end,
    each = function()
      if both then return function(a, b) a.v, b.v = b.v, a.v end end
      return function(a, b) b.v = a.v end
    end,
  }
end

frame("system/throughput", { Position = Position, Velocity = Velocity },
  function(k)
    return { Position = { x = 0, y = 0 }, Velocity = { x = k % 8, y = 1 } }
  end, { {
    names = { "Position", "Velocity" },
    by_hand = function(all, count, dt)
      for k = 1, count do
        local p, v = all[k].Position, all[k].Velocity
        if p and v then
          p.x = p.x + v.x * dt
          p.y = p.y + v.y * dt
        end
      end
    end,
    batch = function()
      return function(batch, dt)
        local p, v = batch[Position], batch[Velocity]
        local x, y, vx, vy = p.x, p.y, v.x, v.y
        for i = 1, batch.count do
          x[i] = x[i] + vx[i] * dt
          y[i] = y[i] + vy[i] * dt
        end
      end
    end,
    each = function()
      return function(p, v, dt)
        p.x = p.x + v.x * dt
        p.y = p.y + v.y * dt
      end
    end,
  } })

local letters = define({}, { "A", "B", "C", "D", "E" }, "v")
local fourths = { {}, { "C" }, { "C", "D" }, { "C", "E" } }

frame("system/overlap", letters, function(k)
  local parts = { A = { v = 1 }, B = { v = 2 } }
  for place, letter in ipairs(fourths[k % 4 + 1]) do
    parts[letter] = { v = 2 + place }
  end
  return parts
end, { exchanging("A", "B", true), exchanging("C", "D", true),
       exchanging("C", "E", true) })

local fragments = define({ Position = Position }, numbered("Buff", BUFFS),
  "level")

frame("system/fragmented", fragments, function(k)
  local buff = (k - 1) % BUFFS + 1
  return { Position = { x = k % 8, y = k % 4 },
    ["Buff" .. buff] = { level = buff } }
end, { {
  names = { "Position" },
  by_hand = function(all, count, _, total)
    local sum = total.sum
    for k = 1, count do
      local p = all[k].Position
      if p then sum = sum + p.x + p.y end
    end
    total.sum = sum
  end,
  batch = function(total)
    return function(batch)
      local sum, p = total.sum, batch[Position]
      local x, y = p.x, p.y
      for i = 1, batch.count do sum = sum + x[i] + y[i] end
      total.sum = sum
    end
  end,
  each = function(total)
    return function(p) total.sum = total.sum + p.x + p.y end
  end,
  totals = function(sum)
    return function(p) sum:add(p.x + p.y) end
  end,
}, summing("Buff1", "level") })

frame("system/chained", letters, function()
  return { A = { v = 1 }, B = { v = 0 }, C = { v = 0 }, D = { v = 0 },
    E = { v = 0 } }
end, { exchanging("A", "B"), exchanging("B", "C"), exchanging("C", "D"),
       exchanging("D", "E") })

local ten = define({}, numbered("Comp", 10), "value")
local twenty = {}
for k = 1, 10 do
  twenty[2 * k - 1] = summing("Comp" .. k, "value")
  twenty[2 * k] = summing("Comp" .. k, "value")
end

frame("system/multi_20", ten, function(k)
  local parts = {}
  for c = 1, 10 do parts["Comp" .. c] = { value = c + k % 4 } end
  return parts
end, twenty)

local idle = {}
for k = 1, SYSTEMS do idle[k] = summing("NonExistent", "value") end

frame("system/empty_systems", { Position = Position,
  NonExistent = NonExistent }, function(k)
  return { Position = { x = k % 8, y = 0 } }
end, idle)

measure.close()
if fallbacks > 0 then
  io.stderr:write(fallbacks, " systems ran as plain Lua\n")
end
