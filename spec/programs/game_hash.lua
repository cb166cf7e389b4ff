-- One game in many worlds, which all play it alike: links, trees, prefabs,
-- names, observers, events, orders and what has changed do not depend on how
-- components are stored and grouped, nor on what is compiled, nor on when
-- storage is optimized.
--
--     variant    storages of the components, groups, compiled or not, and a
--                seed for the moments at which world:optimize is called
--     digest     of all that observers are told, in order, of the events that
--                systems meet, in order, and of components, values, links,
--                children and names of every entity at the end
--
-- Prints the digest of each seed of the game, which is the same on every VM.

local ecs = require "ecs"
ecs.on_fallback = nil

local SEEDS, FRAMES = 8, 40

--- Park and Miller's: exact on every VM.
local function dice(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

--- The components, with storages of their own; their names end with suffix.
local function components(suffix, storages)
  local made = {}
  local function add(k, name, fields, needs)
    made[name] = ecs.component("Game" .. name .. suffix, fields,
      { storage = storages[k], needs = needs })
    made[k] = made[name]
  end
  add(1, "Local", { v = "i32" })
  add(2, "Global", { v = "i32" })
  add(3, "Copy", { v = "i32" })
  add(4, "Under", { node = { "entity", link = "destroy", tree = true } })
  add(5, "Aims", { at = { "entity", link = "clear" } })
  add(6, "Held", { by = { "entity", link = "remove" }, n = "u8" },
    { made.Copy })
  local base = ecs.prefab("GameBase" .. suffix, { made.Local { v = 5 },
    made.Global, children = { { made.Global, made.Local { v = 2 } } } })
  made.Squad = ecs.prefab("GameSquad" .. suffix, { base = base,
    made.Local { v = 8 }, made.Held { n = 3 },
    children = { { made.Aims, children = { { base, made.Copy } } } } })
  made.Hit = ecs.event("GameHit" .. suffix, { at = "entity", n = "i32" })
  return made
end

local S = "sparse"
local storages = { components("A", {}), components("B", { S, nil, S, nil, S }),
  components("C", { nil, S, nil, S, nil, S }),
  components("D", { S, S, S, S, S, S }) }
local groups = { {}, { { 1, 2, 3 } }, { { 1, 4 }, { 2, 5, 6 } } }
local names = { "Local", "Global", "Copy", "Under", "Aims", "Held" }
local fields = { "v", "v", "v", "node", "at", "by" }

-- The game -------------------------------------------------------------------

local function note(game, number)
  game.digest = (game.digest * 31 + number % 1000003) % 2147483647
end

--- Observers that note, and that spawn, set, link and destroy.
local function observe(game)
  local world, of = game.world, game.of
  for k, name in ipairs(names) do
    for j, what in ipairs { "add", "remove", "set" } do
      world:on(what, of[name], function(e, row)
        local value = row[fields[k]]
        note(game, e * 32 + k * 4 + j)
        note(game, value or 7)
        if what == "remove" and name == "Held" and world:alive(e) then
          world:set(e, of.Local, "v", 77)
        end
      end)
    end
  end
  world:on("enter", world:query { of.Local, without = { of.Held } },
    function(e, row) note(game, e * 32 + row.v) end)
  world:on("leave", world:query { of.Local, without = { of.Held } },
    function(batch)
      for i = 1, batch.count do
        note(game, batch.entities[i] * 32 + batch[of.Local].v[i])
      end
    end, { batch = true })
  world:on("destroy", function(e)
    note(game, e)
    if e % 3 == 0 then game.born[#game.born + 1] = world:spawn(of.Local) end
  end)
end

local function define(game, compiled)
  local world, of = game.world, game.of
  world:system { name = "place", compile = compiled,
    query = { of.Global, read = { of.Local },
      up = { of.Under, read = { of.Global } } },
    each = function(g, l, up)
      g.v = l.v % 1000
      if up then g.v = g.v + up.v % 1000 end
    end }
  world:system { name = "below", compile = compiled, -- from a parent
    query = { of.Global, up = { ecs.ChildOf, read = { of.Local } } },
    each = function(g, parent)
      if parent then g.v = (g.v + parent.v) % 1000 end
    end }
  world:system { name = "copy", compile = compiled,
    query = { of.Copy, read = { of.Local }, changed = { of.Local } },
    each = function(c, l) c.v = l.v + 1 end }
  world:system { name = "count", compile = compiled,
    query = { of.Local, read = { of.Held } },
    each = function(l, held, dt) l.v = (l.v + held.n + dt) % 5000 end }
  local Hit, Local = of.Hit, of.Local
  world:system { name = "shout", compile = compiled,
    query = { read = { Local }, sort = { Local, "v", "down" } },
    each = function(l)
      if l.v % 50 == 7 then world:emit(Hit { n = l.v }) end
    end }
  world:system { name = "hurt", compile = compiled, query = { read = { Hit } },
    each = function(hit)
      local v = world:get(hit.at, Local, "v")
      if v then world:set(hit.at, Local, "v", (v * 3 + hit.n) % 5000) end
    end }
  world:system { name = "hear", query = { read = { Hit } }, compile = false,
    each = function(hit) note(game, hit.n) end }
  world:system { name = "rank", after = "hear",
    query = { read = { Local }, without = { of.Held },
              sort = { Local, "v" } },
    batch = function(batch)
      for i = 1, batch.count do note(game, batch[Local].v[i]) end
    end }
end

--- Names an entity, at once or in a callback, and notes what was refused.
local function name_one(game, e, draw)
  local world, label = game.world, "name " .. draw(9)
  local here, inside = world:spawn(game.of.Copy), draw(2) == 1
  local ok
  local function give() ok = pcall(world.name, world, e, label) end
  if inside then
    world:query({ game.of.Copy }):each(function(_, one)
      if one == here then give() end
    end)
  else
    give()
  end
  world:destroy(here)
  note(game, ok and 8 or 9)
  note(game, world:find(label) or 10)
end

--- One random change; what a link refuses is noted.
local function change(game, draw)
  local world, of, born = game.world, game.of, game.born
  local e, other = born[draw(#born)], born[draw(#born)]
  local what, k = draw(16), draw(6)
  if what <= 3 then
    born[#born + 1] = world:spawn(of.Local { v = draw(99) }, of.Global, of.Copy)
  elseif what == 4 then
    note(game, world:destroy(e) and 1 or 2)
  elseif not world:alive(e) then
    return
  elseif what == 5 then
    world:remove(e, of[names[k]])
  elseif what == 6 then
    world:add(e, of[names[k]])
  elseif what == 7 then
    world:clone(e)
  elseif what == 8 then
    born[#born + 1] = world:spawn(of.Squad, of.Copy { v = draw(99) })
  elseif what == 9 then
    world:spawn_many(draw(3), { of.Squad, of.Local { v = draw(99) } })
  elseif what <= 11 then
    name_one(game, e, draw)
  elseif what == 12 then
    world:emit(of.Hit { at = e, n = k })
    world:emit(of.Hit { at = e, n = draw(99) })
  elseif k <= 3 then
    world:set(e, of[names[k]], "v", draw(999))
  else
    local ok = pcall(world.set, world, e, of[names[k]], fields[k], other)
    note(game, ok and 3 or 4)
  end
end

--- Components, values, links, children and names of all that live.
local function read_all(game)
  local world, of = game.world, game.of
  for e in world:query({ all = true }):rows() do
    game.all[#game.all + 1] = e
  end
  table.sort(game.all)
  for _, e in ipairs(game.all) do
    note(game, e)
    note(game, tonumber((world:name(e) or "name 0"):match "%d+"))
    for child in world:children(e) do note(game, child) end
    for k, name in ipairs(names) do
      local value = world:get(e, of[name], fields[k])
      note(game, value or world:has(e, of[name]) and 5 or 6)
      if k > 3 then
        for source in world:links(e, of[name], fields[k]) do
          note(game, source)
        end
      end
    end
  end
end

local function play(seed, variant)
  local of = storages[variant.storage]
  local game = { world = ecs.world { flush = variant.flush }, of = of,
    digest = seed, born = {}, all = {} }
  local draw, moment = dice(seed), dice(variant.moments)
  for _, list in ipairs(groups[variant.group]) do
    local together = {}
    for k, c in ipairs(list) do together[k] = of[c] end
    game.world:group(together)
  end
  observe(game)
  define(game, variant.compiled)
  for _ = 1, 30 do
    game.born[#game.born + 1] = game.world:spawn(of.Local, of.Global, of.Copy)
  end
  for _ = 1, FRAMES do
    for _ = 1, draw(8) do change(game, draw) end
    game.world:progress(1)
    if moment(4) == 1 then
      if moment(2) == 1 then game.world:advise() end
      game.world:optimize()
    end
  end
  read_all(game)
  game.world:close()
  return game.digest, #game.all
end

for seed = 1, SEEDS do
  local wanted, entities
  for storage = 1, #storages do
    for group = 1, #groups do
      for moments = 1, 2 do
        local digest, left = play(seed, { storage = storage, group = group,
          compiled = (storage + group + moments) % 2 == 0, moments = moments,
          flush = "system" })
        wanted, entities = wanted or digest, left
        assert(left > 0)
        assert(digest == wanted, ("seed %d: storages %d, groups %d, %d: %.0f, "
          .. "not %.0f"):format(seed, storage, group, moments, digest, wanted))
      end
    end
  end
  print(("game %d: %.0f, %d entities"):format(seed, wanted, entities))
end
