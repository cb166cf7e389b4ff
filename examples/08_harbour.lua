-- A harbour: merchants bring cargo, pirates raid them at night, and two guard
-- ships keep the pirates off. It uses what the library has for games: links, a
-- hierarchy, `up`, observers, events, prefabs, resources, fixed steps, states.
--
-- A line of the map is the sea, with the harbour on the left: M is a merchant,
-- G a guard, P a pirate. Everything follows from the seed: it prints the same
-- on every machine.

local ecs = require "ecs"

-- Components -----------------------------------------------------------------

local Position = ecs.component("Position", { x = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32" })
local Letter = ecs.component("Letter", { code = "u8" }) -- on the map
-- Whatever has a hull has a place, too, and moves.
local Hull = ecs.component("Hull", { planks = { "i32", 12 } },
  { needs = { Position, Velocity, Letter } })
local Cargo = ecs.component("Cargo", { number = "u32", worth = "i32" })
local Insured = ecs.component("Insured", { planks = "i32" }) -- known in port
local Pirate, Guard = ecs.tag "Pirate", ecs.tag "Guard"
local Burning = ecs.tag("Burning", { storage = "sparse" })
local Leaking = ecs.tag("Leaking", { storage = "sparse" })
-- When a quarry is gone, its hunter has none; an escort ends with its ship.
local Hunts = ecs.component("Hunts",
  { quarry = { "entity", link = "clear" }, speed = { "f32", 4 } })
local Escorts = ecs.component("Escorts",
  { whom = { "entity", link = "remove" } })
-- Cannons are parts of their ship and lie dx before its middle.
local Cannon = ecs.component("Cannon",
  { dx = "f32", wait = "f32", damage = "i32" }, { needs = { Position } })

local Shot = ecs.event("Shot", { at = "entity", damage = "i32" })
local Wind = ecs.component("Wind", { x = "f32" })
local Purse = ecs.component("Purse", { gold = "i32" })

-- The world ------------------------------------------------------------------

local world = ecs.world {
  states = { "day", "night" }, seed = 7,
  phases = { { "simulate", fixed = 1 / 4 }, "report" },
}
local wind = world:resource(Wind { x = -0.5 })
local purse = world:resource(Purse {})
local merchants = world:query { read = { Position, Cargo },
  sort = { Position, "x", "down" } } -- the farthest out first
local pirates = world:query { read = { Position }, with = { Pirate } }
local hunters = world:query { read = { Hunts, Position } }
local idle = world:query { with = { Guard }, without = { Escorts } }
local distress = world:query { with = { Hull }, any = { Burning, Leaking } }

local time = 0
local count = { sailed = 0, docked = 0, lost = 0, distress = 0, freed = 0,
                noted = 0 }

local function tell(...)
  print(string.format("%5.2f  %s", time, string.format(...)))
end

-- Ships of a kind, with their cannons.
local Ship = ecs.prefab("Ship", { Hull, Position { x = 60 },
  Letter { code = string.byte "M" } })
local Merchant = ecs.prefab("Merchant", { base = Ship, Hull { planks = 8 },
  Velocity { x = -2 }, Cargo, Insured })
local Warship = ecs.prefab("Warship", { base = Ship, Hunts,
  children = { { Cannon { dx = -1, damage = 2 } } } })
local Raider = ecs.prefab("Raider", { base = Warship, Pirate,
  Letter { code = string.byte "P" } })

-- The Swan has one cannon more, and its sister the same.
local swan = world:spawn(Warship, Guard, Position { x = 10 },
  Hull { planks = 40 }, Letter { code = string.byte "G" })
world:spawn(Cannon { dx = 1, damage = 1 }, ecs.ChildOf { parent = swan })
world:name(swan, "the Swan")
world:name(world:clone(swan), "the Gull")

-- Observers ------------------------------------------------------------------

world:on("set", Hull, function(e, hull) -- by a shot or a fire
  if hull.planks <= 0 then
    world:destroy(e)
  elseif hull.planks < 3 then
    world:add(e, Leaking)
  end
end)
world:on("leave", world:query { read = { Hull, Cargo } },
  function(_, hull, cargo) -- the last values: has it docked, or sunk?
    if hull.planks > 0 then return end
    count.lost = count.lost + 1
    tell("merchant %d is lost", cargo.number)
  end)
world:on("enter", distress, function() count.distress = count.distress + 1 end)
world:on("leave", distress, function() count.distress = count.distress - 1 end)
world:on("add", Burning, function(e)
  if world:name(e) then tell("%s is on fire", world:name(e)) end
end)
world:on("remove", Escorts, function(e)
  count.freed = count.freed + 1
  tell("%s is free", world:name(e))
end)
world:on("begin", "night", function() tell "night falls" end)
world:on("begin", "day", function() tell("day breaks, %d gold", purse.gold) end)

-- What comes and goes --------------------------------------------------------

--- Defines a system of the simulation.
local function system(name, options)
  options.name, options.phase = name, "simulate"
  world:system(options)
end

system("sun", { every = 15, run = function()
  world:go(world:state() == "day" and "night" or "day")
end })

system("launch", { every = 5, run = function()
  count.sailed = count.sailed + 1
  local e = world:spawn(Merchant,
    Cargo { number = count.sailed, worth = 10 + count.sailed % 3 })
  world:name(e, "merchant " .. count.sailed)
  local guard = idle:first()
  if guard then world:add(guard, Escorts { whom = e }) end
end })

-- Pirates come at night, and only where there is something to be had.
system("raid", { every = 4, in_state = "night",
  when = function() return merchants:count() > 0 end,
  run = function() world:spawn(Raider) end })

system("dock", { run = function()
  for e, p, cargo in merchants:rows() do
    if p.x <= 0 then
      count.docked, purse.gold = count.docked + 1, purse.gold + cargo.worth
      world:destroy(e)
    end
  end
end })

-- Ships ----------------------------------------------------------------------

-- Pirates hunt the last merchant, guards the nearest pirate.
system("look", { run = function()
  for e, hunts, here in hunters:rows() do
    local best, nearest = nil, math.huge
    if world:has(e, Pirate) then best = merchants:first() end
    for pirate, there in pirates:rows() do
      local distance = math.abs(there.x - here.x)
      if distance < nearest and world:has(e, Guard) then
        best, nearest = pirate, distance
      end
    end
    if best ~= hunts.quarry then world:set(e, Hunts, "quarry", best) end
  end
end })

system("steer", { compile = true,
  query = { Velocity, read = { Hunts, Position }, optional = { Escorts } },
  each = function(v, hunts, p, escorts)
    local goal = hunts.quarry
    if not goal and escorts then goal = escorts.whom end
    local x = world:get(goal, Position, "x")
    v.x = -wind.x -- stays where it is
    if x and math.abs(x - p.x) > 1 then
      v.x = x > p.x and hunts.speed or -hunts.speed
    end
  end })

system("sail", { compile = true, query = { Position, read = { Velocity } },
  each = function(p, v, dt) p.x = p.x + (v.x + wind.x) * dt end })

-- From a ship to its cannons.
system("rig", { compile = true, query = { Position, read = { Cannon },
    up = { ecs.ChildOf, read = { Position } } },
  each = function(p, cannon, ship)
    if ship then p.x = ship.x + cannon.dx end
  end })

system("fire", { compile = true, query = { Cannon, read = { Position },
    up = { ecs.ChildOf, read = { Hunts } } },
  each = function(cannon, p, ship, dt)
    cannon.wait = cannon.wait - dt
    local x = ship and world:get(ship.quarry, Position, "x")
    if x and math.abs(x - p.x) < 3 and cannon.wait <= 0 then
      cannon.wait = 1
      world:emit(Shot { at = ship.quarry, damage = cannon.damage })
    end
  end })

-- One shot in eight sets fire to what it hits.
system("hit", { compile = true, query = { read = { Shot } },
  each = function(shot)
    local planks = world:get(shot.at, Hull, "planks")
    if planks then
      world:set(shot.at, Hull, "planks", planks - shot.damage)
      if ecs.random(8) == 1 then world:add(shot.at, Burning) end
    end
  end })

system("suffer", { every = 1,
  query = { with = { Hull }, any = { Burning, Leaking } },
  each = function(_, e)
    world:set(e, Hull, "planks", world:get(e, Hull, "planks") - 1)
    if ecs.random(3) == 1 then world:remove(e, Burning) end
  end })

-- The port -------------------------------------------------------------------

world:system { name = "insure", phase = "report", -- when a hull has changed
  query = { Insured, read = { Hull }, changed = { Hull } },
  each = function(insured, hull)
    insured.planks = hull.planks
    count.noted = count.noted + 1
  end }

world:system { name = "map", phase = "report", every = 5, run = function()
  local sea = {}
  for x = 0, 60 do sea[x] = "." end
  for _, p, letter in world:query { read = { Position, Letter } }:rows() do
    sea[math.max(0, math.floor(p.x))] = string.char(letter.code)
  end
  tell("%s", table.concat(sea, "", 0, 60))
end }

-- Two days and two nights, in frames of different lengths --------------------

for frame = 1, 720 do
  local dt = frame % 3 == 0 and 0.125 or 0.0625
  time = time + dt
  world:progress(dt)
end
print(string.format("%d merchants sailed, %d came in, %d were lost: %d gold",
  count.sailed, count.docked, count.lost, purse.gold))

assert(count.lost > 0 and count.docked > 0, "some come in, some do not")
assert(count.docked + count.lost + merchants:count() == count.sailed)
assert(count.distress == distress:count(), "observers and query agree")
assert(world:link_count(world:find "the Gull", ecs.ChildOf) == 2)
local hulls, ships = world:query { read = { Hull, Insured } }, 0
for _, hull, insured in hulls:rows() do
  assert(insured.planks == hull.planks, "the port knows")
  ships = ships + 1
end
assert(count.noted < 720 * ships / 4, "and has looked when something changed")
