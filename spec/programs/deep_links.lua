-- Hierarchies that are as deep, or as wide, as no game has them: with a small
-- stack of C nothing may recurse.
--
--   ulimit -s 256; lua5.4 spec/programs/deep_links.lua [DEEP [WIDE]]
--
-- DEEP entities are a chain, 100,000 unless given, which is built from above
-- and from below, at once and recorded; WIDE, 1,000,000 unless given, are the
-- children of one parent. Random graphs follow, with links of all kinds. Prints
-- a line for each, the same on every VM.

local ecs = require "ecs"
ecs.on_fallback = nil -- it is not about speed

local DEEP, WIDE = tonumber((...)) or 100000, tonumber((select(2, ...)))
  or 1000000
local ChildOf = ecs.ChildOf
local Here = ecs.tag "DeepHere"
local Follows = ecs.component("DeepFollows",
  { at = { "entity", link = "clear" } })
local Held = ecs.component("DeepHeld", { by = { "entity", link = "remove" } })

--- A chain: its root and its leaf. upwards: each gets its parent last.
local function chain(world, upwards)
  local first = world:spawn()
  local last = first
  for _ = 2, DEEP do
    local e
    if upwards then
      e = world:spawn()
      world:set(last, ChildOf { parent = e })
    else
      e = world:spawn(ChildOf { parent = last })
    end
    last = e
  end
  if upwards then return last, first end
  return first, last
end

--- Calls f at once, or in a callback that records.
local function within(world, recorded, f)
  if not recorded then return f() end
  local here = world:spawn(Here)
  world:query { with = { Here } }:each(function() f() end)
  world:destroy(here)
end

local function count(...)
  local n = 0
  for _ in ... do n = n + 1 end
  return n
end

--- Clones the chain below root: the copy's length, before it is destroyed.
local function clone(world, root, recorded)
  local copy, length
  within(world, recorded, function() copy = world:clone(root) end)
  local at = copy
  length = 0
  while at do
    length, at = length + 1, world:children(at)()
  end
  world:destroy(copy)
  return length
end

for _, recorded in ipairs { false, true } do
  for _, upwards in ipairs { false, true } do
    local world = ecs.world {}
    local root, leaf
    within(world, recorded, function() root, leaf = chain(world, upwards) end)
    assert(count(world:ancestors(leaf)) == DEEP - 1)
    assert(not pcall(world.set, world, root, ChildOf { parent = leaf }))
    assert(clone(world, root, recorded) == DEEP)
    local follower = world:spawn(Follows { at = leaf }, Held { by = leaf })
    within(world, recorded, function() world:destroy(root) end)
    assert(not world:alive(leaf) and world:query { all = true }:count() == 1)
    assert(not world:get(follower, Follows, "at"))
    assert(not world:has(follower, Held))
    print("chain", DEEP, recorded, upwards, world:state_hash())
    world:close()
  end
end

for _, recorded in ipairs { false, true } do
  local world = ecs.world {}
  local root = world:spawn()
  within(world, recorded, function()
    world:spawn_many(WIDE, { ChildOf { parent = root } })
  end)
  assert(world:link_count(root, ChildOf) == WIDE)
  assert(count(world:children(root)) == WIDE)
  within(world, recorded, function() world:destroy(root) end)
  assert(world:query { all = true }:count() == 0)
  print("children", WIDE, recorded, world:state_hash())
  world:close()
end

-- A random graph, with circles and links to oneself, against plain tables.
--
--     target     kind -> entity -> the one that it links to
--     since      the same: when it was linked, for the order

local Owned = ecs.component("DeepOwned",
  { by = { "entity", link = "destroy" } })
local kinds = {
  { Follows, "at", "clear" }, { Held, "by", "remove" },
  { Owned, "by", "destroy" }, { ChildOf, "parent", "destroy", tree = true },
}
local SIZE, ROUNDS = 300, 120

--- Park and Miller's: exact on every VM.
local function dice(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

local function new_oracle()
  local self = { alive = {}, target = {}, since = {}, time = 0 }
  for k = 1, #kinds do self.target[k], self.since[k] = {}, {} end
  return self
end

local function is_above(self, k, e, target)
  while target and target ~= e do target = self.target[k][target] end
  return target ~= nil
end

--- False where it is an error.
local function link(self, k, e, target)
  if kinds[k].tree and is_above(self, k, e, target) then return false end
  if self.target[k][e] == target then return true end
  self.time = self.time + 1
  self.target[k][e], self.since[k][e] = target, self.time
  return true
end

local function sources(self, k, target)
  local list, since = {}, self.since[k]
  for e, to in pairs(self.target[k]) do
    if to == target and self.alive[e] then list[#list + 1] = e end
  end
  table.sort(list, function(a, b) return since[a] < since[b] end)
  return list
end

local function destroy(self, e)
  local dying = { e }
  self.alive[e] = nil
  for _, one in ipairs(dying) do
    for k, kind in ipairs(kinds) do
      for _, source in ipairs(sources(self, k, one)) do
        if kind[3] == "destroy" then
          self.alive[source], dying[#dying + 1] = nil, source
        else
          self.target[k][source] = nil
        end
      end
    end
  end
  for _, one in ipairs(dying) do
    for k = 1, #kinds do self.target[k][one] = nil end
  end
end

local function compare(self, world, everybody)
  for _, e in ipairs(everybody) do
    assert(world:alive(e) == (self.alive[e] == true))
    for k, kind in ipairs(kinds) do
      local wanted, n = sources(self, k, e), 0
      assert(world:get(e, kind[1], kind[2]) == self.target[k][e])
      if not self.alive[e] then wanted = {} end
      for source in world:links(e, kind[1], kind[2]) do
        n = n + 1
        assert(source == wanted[n])
      end
      assert(n == #wanted and world:link_count(e, kind[1], kind[2]) == n)
    end
  end
end

--- Entities that are alive, in the order of their spawn.
local function living(self, everybody)
  local list = {}
  for _, e in ipairs(everybody) do
    if self.alive[e] then list[#list + 1] = e end
  end
  return list
end

--- Links and clears at random, then destroys two.
local function round(self, world, everybody, draw, recorded)
  local list = living(self, everybody)
  local steps = {}
  for _ = 1, 30 do
    local k, e, to = draw(#kinds), list[draw(#list)], list[draw(#list)]
    if draw(8) == 1 then to = e end
    if draw(6) == 1 then to = nil end
    steps[#steps + 1] = { k, e, to, link(self, k, e, to) }
  end
  within(world, recorded, function()
    for _, step in ipairs(steps) do
      local kind = kinds[step[1]]
      local ok = pcall(world.set, world, step[2], kind[1], kind[2], step[3])
      assert(ok == step[4])
    end
  end)
  local one, other = list[draw(#list)], list[draw(#list)]
  within(world, recorded, function()
    world:destroy(one)
    if one ~= other then world:destroy(other) end
  end)
  if self.alive[one] then destroy(self, one) end
  if self.alive[other] then destroy(self, other) end
end

for seed = 1, 3 do
  local counts = {}
  for _, recorded in ipairs { false, true } do
    local world, self, draw = ecs.world {}, new_oracle(), dice(seed)
    local everybody = {}
    for r = 1, ROUNDS do
      for _ = #living(self, everybody), SIZE - 1 do
        local e = world:spawn()
        everybody[#everybody + 1], self.alive[e] = e, true
      end
      round(self, world, everybody, draw, recorded)
      if r % 20 == 0 then compare(self, world, everybody) end
    end
    compare(self, world, everybody)
    counts[#counts + 1] = #living(self, everybody)
    print("graph", seed, recorded, #everybody, world:state_hash())
    world:close()
  end
  assert(counts[1] == counts[2])
end
