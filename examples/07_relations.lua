-- Relations: friendships, inventories and ships at a port, by links.
--
-- A link in a component is a relation to one entity: an item has one owner. A
-- relation that has values, or leads to several entities, is an entity itself,
-- with two links: two people have one friendship, which has a strength, and
-- either of them may have more. Both its links destroy it, so that no
-- friendship outlives a friend.

local ecs = require "ecs"

local Name = ecs.component("Name", { letter = "u8" })

-- Inventories ----------------------------------------------------------------

-- An item that nobody holds lies on the ground: the link is cleared.
local Item = ecs.component("Item",
  { owner = { "entity", link = "clear" }, weight = "f32" })

--- What an entity carries.
local function burden(world, e)
  local sum = 0
  for item in world:links(e, Item) do
    sum = sum + world:get(item, Item, "weight")
  end
  return sum
end

-- Friendships ----------------------------------------------------------------

local Friends = ecs.component("Friends", {
  one = { "entity", link = "destroy" },
  other = { "entity", link = "destroy" },
  strength = { "f32", 1 },
})

--- A loop over the friendships of an entity: the friendship, the friend.
local function friendships(world, e)
  return coroutine.wrap(function()
    for f in world:links(e, Friends, "one") do
      coroutine.yield(f, world:get(f, Friends, "other"))
    end
    for f in world:links(e, Friends, "other") do
      coroutine.yield(f, world:get(f, Friends, "one"))
    end
  end)
end

-- Docking --------------------------------------------------------------------

-- A berth is part of its port and lost with it. Where a ship docks is a
-- component of the ship, which a berth that is gone takes away.
local Docked = ecs.component("Docked", { at = { "entity", link = "remove" } })
local Fuel = ecs.component("Fuel", { tons = "f32" })

--- The first berth of a port where no ship lies.
local function free_berth(world, port)
  for berth in world:children(port) do
    if world:link_count(berth, Docked) == 0 then return berth end
  end
end

-- A world with all of it -----------------------------------------------------

local world = ecs.world {}

local function person(letter) return world:spawn(Name { letter = letter }) end
local ann, ben, cid = person(65), person(66), person(67)
for _, weight in ipairs { 2, 3, 0.5 } do
  world:spawn(Item { owner = ann, weight = weight })
end
local sword = world:spawn(Item { owner = ben, weight = 4 })
assert(burden(world, ann) == 5.5 and burden(world, cid) == 0)
world:set(sword, Item, "owner", cid) -- given away
assert(burden(world, ben) == 0 and burden(world, cid) == 4)

world:spawn(Friends { one = ann, other = ben })
world:spawn(Friends { one = cid, other = ann, strength = 5 })
local best, strongest
for f, friend in friendships(world, ann) do
  local strength = world:get(f, Friends, "strength")
  if not strongest or strength > strongest then
    best, strongest = friend, strength
  end
end
assert(best == cid)

-- Friendships fade, all of them in one compiled system.
world:system {
  name = "fade", query = { Friends },
  each = function(f, dt, e)
    f.strength = f.strength - dt
    if f.strength <= 0 then world:destroy(e) end
  end,
}
world:progress(1)
assert(world:query({ Friends }):count() == 1) -- that with Cid is strong

-- Whoever dies drops what they carry, and is nobody's friend any more.
world:destroy(cid)
assert(world:query({ Friends }):count() == 0)
assert(world:get(sword, Item, "owner") == nil)

local port = world:spawn()
for _ = 1, 2 do world:spawn(ecs.ChildOf { parent = port }) end
local ships = {}
for k = 1, 3 do
  ships[k] = world:spawn(Fuel { tons = 10 * k })
  local berth = free_berth(world, port)
  if berth then world:add(ships[k], Docked { at = berth }) end
end
assert(world:has(ships[2], Docked) and not world:has(ships[3], Docked))
assert(world:parent(world:get(ships[1], Docked, "at")) == port)

-- The port's storm takes its berths, and with these what ships had to do there.
world:destroy(port)
assert(world:query({ Docked }):count() == 0)
assert(world:query({ Fuel }):count() == 3)

print(string.format("Ann carries %.1f kg; %d items lie on the ground; %d ships "
  .. "are at sea", burden(world, ann), 1, world:query({ Fuel }):count()))
