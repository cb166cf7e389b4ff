-- bench_hierarchy: global positions of a tree of 100,000 nodes in 6 levels,
-- from the local ones and those of the parents.
--
-- The baseline, flat, computes global positions without parents, by a compiled
-- system over the same components. Nodes are spawned level by level, in the
-- order of their parents or with random ones.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs

local Local = ecs.component("Local", { x = "f32", y = "f32" })
local Global = ecs.component("Global", { x = "f32", y = "f32" })
local ChildOf = ecs.ChildOf

local SHARES = { 100, 900, 5000, 14000, 30000, 50000 }

--- A fixed sequence of whole numbers from 1 to most.
local function dice(seed)
  return function(most)
    seed = (seed * 16807) % 2147483647
    return seed % most + 1
  end
end

--- The numbers of the parents of count nodes; false: a root.
local function parents_of(count, random)
  local parents, draw, first, above = {}, dice(7), 1, 0
  for level, share in ipairs(SHARES) do
    local rows = math.max(1, math.floor(share * count / 100000))
    if level == #SHARES then rows = count - #parents end
    for i = 0, rows - 1 do
      parents[#parents + 1] = level > 1 and first - above
        + (random and draw(above) - 1 or math.floor(i * above / rows))
    end
    first, above = first + rows, rows
  end
  return parents
end

local function flat(g, l)
  g.x = l.x * 0.5 + 1
  g.y = l.y * 0.5 + 2
end

local function up(g, l, above)
  if above then
    g.x = l.x + above.x
    g.y = l.y + above.y
  else
    g.x = l.x
    g.y = l.y
  end
end

--- The same without a branch.
local function sum(g, l, above)
  g.x = l.x + (above and above.x or 0)
  g.y = l.y + (above and above.y or 0)
end

local function up_batch(batch)
  local g, l, above = batch.Global, batch.Local, batch.up.Global
  local x, y, lx, ly = g.x, g.y, l.x, l.y
  if not above then
    for i = 1, batch.count do x[i], y[i] = lx[i], ly[i] end
    return
  end
  local px, py = above.x, above.y
  for i = 1, batch.count do
    x[i] = lx[i] + px[i]
    y[i] = ly[i] + py[i]
  end
end

local described = { Global, read = { Local },
  up = { ChildOf, read = { Global } } }

--- A world of its own for each side. run(world) returns what runs.
local function in_world(name, parents, along, run)
  local world, nodes = ecs.world {}, {}
  for k, parent in ipairs(parents) do
    nodes[k] = world:spawn(Local { x = k % 8, y = k % 9 }, Global,
      ChildOf { parent = parent and nodes[parent] or nil })
  end
  return {
    name = name, run = run(world),
    check = function()
      local x, y, wrong = {}, {}, 0
      for k, parent in ipairs(parents) do
        x[k], y[k] = k % 8, k % 9
        if not along then
          x[k], y[k] = x[k] * 0.5 + 1, y[k] * 0.5 + 2
        elseif parent then
          x[k], y[k] = x[k] + x[parent], y[k] + y[parent]
        end
        local gx, gy = world:get(nodes[k], Global, "x", "y")
        if gx ~= x[k] or gy ~= y[k] then wrong = wrong + 1 end
      end
      return wrong
    end,
  }
end

local function system(query, each)
  return function(world)
    world:system { name = "move", query = query, each = each, compile = true }
    return function() world:progress(0) end
  end
end

local function contest(name, random, aim)
  measure.contest(name, { 100000 }, function(count)
    local parents = parents_of(count, random)
    local branch = in_world("up, compiled, in a system", parents, true,
      system(described, up))
    branch.aim_ratio = aim
    return {
      in_world("flat, compiled, in a system", parents, false,
        system({ Global, read = { Local } }, flat)),
      branch,
      in_world("up, compiled, without a branch", parents, true,
        system(described, sum)),
      in_world("batch", parents, true, function(world)
        local query = world:query(described)
        return function() query:batch(up_batch) end
      end),
      in_world("q:rows", parents, true, function(world)
        local query = world:query(described)
        return function()
          for _, g, l, above in query:rows() do up(g, l, above) end
        end
      end),
    }
  end)
end

measure.open("lua hierarchy", arg)
contest("parents in order", false, 2.2)
contest("random parents", true, 3)
measure.close()
