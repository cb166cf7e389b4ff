--- game: a program that uses links, trees, observers, events and the like.
-- alloc_host.c runs it while allocations fail, as it runs smoke.lua. Returns
-- the program, and a function that must succeed after any error in it.

local live = {} -- worlds that the program has made

-- See smoke.lua.
local plain = rawget(_G, "jit") and "plain" or nil

local function components(ecs, round)
  local Place = ecs.component("Place", { x = "f32" })
  local Aims = ecs.component("Aims" .. round, {
    at = { "entity", link = "clear" }, by = { "entity", link = "remove" } })
  return Place, Aims, ecs.event("Bang", { n = "u8" }), ecs.tag "Far"
end

--- Observers of all kinds, one of which changes things, and one that ends.
local function observe(world, Place, Aims)
  local counts = { add = 0, gone = 0, rows = 0 }
  world:on("add", Place, function(e, p)
    counts.add = counts.add + 1
    if p.x == 7 then world:destroy(e) end
  end)
  world:on("remove", Aims, function() counts.gone = counts.gone + 1 end)
  world:on("leave", world:query { Place }, function(batch)
    for k = 1, batch.count do counts.rows = counts.rows + batch.Place.x[k] end
  end, { batch = true })
  local handle = world:on("destroy", function() end)
  world:on("destroy", function() handle:off() end)
  return counts
end

local function families(ecs, world, Place, Aims, counts)
  local root = world:spawn(Place { x = 1 })
  local child = world:spawn(Place { x = 2 }, ecs.ChildOf { parent = root })
  world:spawn(Aims { at = root, by = child }, ecs.ChildOf { parent = child })
  world:name(child, "child")
  local twin = world:clone(root)
  assert(world:link_count(twin, ecs.ChildOf) == 1 and counts.add == 4)
  assert(not pcall(world.set, world, root, ecs.ChildOf { parent = child }))
  world:query({ Place }):each(function(_, _, e)
    if e == root then world:destroy(root) end
  end, plain)
  assert(not world:find "child" and not world:alive(child))
  assert(counts.gone == 1 and counts.rows == 3)
  world:spawn(Place { x = 7 })
  world:spawn_many(3, { Place { x = 5 }, ecs.ChildOf { parent = twin } })
  return twin
end

local function walks(ecs, world, Place, twin)
  local last, above = 0, 0
  for _, p in world:query({ Place, sort = { Place, "x", "down" } }):rows() do
    assert(last == 0 or p.x <= last)
    last = p.x
  end
  world:query({ Place, up = { ecs.ChildOf, read = { Place } } }):batch(
    function(batch)
      if batch.up.Place then above = above + batch.count end
    end)
  assert(above == 4 and world:parent(world:children(twin)()) == twin)
end

local function systems(ecs, world, Place, Bang, Far)
  local met, seen = 0, 0
  world:system { name = "meet", query = { read = { Bang } },
    batch = function(batch) met = met + batch.count end }
  world:system { name = "see", every = 0.5, in_state = "on",
    query = { read = { Place }, any = { Far, ecs.Resource },
      changed = { Place } },
    batch = function(batch) seen = seen + batch.count end }
  world:resource(Place { x = 9 }).x = 8
  world:emit(Bang { n = 1 })
  world:go "on"
  world:progress(0.5)
  world:progress(0.5)
  assert(met == 1 and seen > 0 and world:state() == "on")
  assert(world:resource(Place).x == 8 and ecs.Resource)
end

local function program(round)
  local ecs = require "ecs"
  local world = ecs.world { states = { "off", "on" } }
  live[#live + 1] = world
  local Place, Aims, Bang, Far = components(ecs, round)
  local counts = observe(world, Place, Aims)
  local twin = families(ecs, world, Place, Aims, counts)
  walks(ecs, world, Place, twin)
  systems(ecs, world, Place, Bang, Far)
  world:clear()
  world:close()
end

local function aftermath()
  if type(package.loaded.ecs) ~= "table" then return end
  local ecs = require "ecs"
  local Place = ecs.component("Place", { x = "f32" })
  live[#live + 1] = ecs.world {}
  for _, world in ipairs(live) do
    if tostring(world) ~= "ecs.World (closed)" then
      local told = 0
      world:on("add", Place, function() told = told + 1 end)
      local e = world:spawn(Place { x = 5 })
      world:spawn(ecs.ChildOf { parent = e })
      assert(world:link_count(e, ecs.ChildOf) == 1 and told == 1)
      world:destroy(e)
      assert(not world:alive(e) and #world:hash() == 16)
      world:close()
    end
  end
  live = {}
end

return program, aftermath
