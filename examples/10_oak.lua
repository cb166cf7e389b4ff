-- A tree in the wind: twenty-odd limbs, each where the one below it ends. Birds
-- sit on twigs and apples hang from them; then comes a storm.
--
--     ground  --ChildOf--  trunk  --ChildOf--  bough  --ChildOf--  twig
--                                                                  |   |
--     a bird sits on it: its link is cleared when the twig is gone -+   |
--     an apple hangs from it: the component is removed, and it falls ---+

local ecs = require "ecs"

local WIDTH, HEIGHT, LEFT, RIGHT = 78, 16, 21, 56

-- Components -----------------------------------------------------------------

-- Where something ends, and the angle at which it does, from straight up.
local Tip = ecs.component("Tip", { x = "f32", y = "f32", angle = "f32" })
local Limb = ecs.component("Limb", { length = "f32", bend = "f32" },
  { needs = { Tip } })
local Place = ecs.component("Place", { x = "f32", y = "f32" })
local Sits = ecs.component("Sits", { on = { "entity", link = "clear" } },
  { needs = { Place } })
local Hangs = ecs.component("Hangs", { from = { "entity", link = "remove" } },
  { needs = { Place } })
local Apple = ecs.tag("Apple", { needs = { Place } })
local Wind = ecs.component("Wind", { strength = "f32" })

-- An oak is a prefab ---------------------------------------------------------

local Wood = ecs.prefab("Wood", { Limb { length = 3 } })
local Twig = ecs.prefab("Twig", { base = Wood, Limb { length = 2.5 } })
local Bough = ecs.prefab("Bough", { base = Wood,
  children = { { Twig, Limb { bend = -0.55 } }, { Twig, Limb { bend = 0.3 } } },
})
local Oak = ecs.prefab("Oak", { Tip, children = {
  { Wood, Limb { length = 5 }, children = {
    { Bough, Limb { length = 6, bend = -0.95 } },
    { Bough, Limb { length = 5, bend = -0.3 } },
    { Bough, Limb { length = 5, bend = 0.4 } },
    { Bough, Limb { length = 6, bend = 1 } },
  } },
} })

-- What moves -----------------------------------------------------------------

local world = ecs.world { seed = 3, phases = { { "simulate", fixed = 1 / 8 } } }
local wind = world:resource(Wind { strength = 0.05 })

--- Defines a system of the simulation, which compiles.
local function system(name, query, each)
  world:system { name = name, phase = "simulate", query = query, each = each,
                 compile = true }
end

-- From the ground to the twigs: a limb begins where its parent ends. Twigs are
-- short and bend the most.
system("sway", { Tip, read = { Limb }, up = { ecs.ChildOf, read = { Tip } } },
  function(tip, limb, below)
    if below then
      local gust = wind.strength * (0.5 + ecs.random()) / limb.length
      tip.angle = below.angle + limb.bend + gust
      tip.x = below.x + limb.length * ecs.math.sin(tip.angle) * 1.6
      tip.y = below.y + limb.length * ecs.math.cos(tip.angle)
    end
  end)

system("hang", { Place, read = { Hangs } }, function(place, hangs)
  place.x = world:get(hangs.from, Tip, "x") or place.x
  place.y = (world:get(hangs.from, Tip, "y") or place.y) - 1
end)

system("sit", { Place, read = { Sits } }, function(place, sits)
  place.x = world:get(sits.on, Tip, "x") or place.x
  place.y = (world:get(sits.on, Tip, "y") or place.y) + 1
end)

system("fall", { Place, with = { Apple }, without = { Hangs } },
  function(place, dt) place.y = math.max(0, place.y - 12 * dt) end)

--- The twigs: limbs that bear no others.
local function twigs()
  local found = {}
  for e in world:query({ read = { Limb } }):rows() do
    if world:link_count(e, ecs.ChildOf) == 0 then found[#found + 1] = e end
  end
  return found
end

-- A bird that sits nowhere takes the first twig without a bird.
local birds = world:query { read = { Sits } }
world:system { name = "fly", phase = "simulate", run = function()
  local free = {}
  for _, twig in ipairs(twigs()) do
    if world:link_count(twig, Sits) == 0 then free[#free + 1] = twig end
  end
  for bird, sits in birds:rows() do
    if not sits.on and free[1] then
      world:set(bird, Sits, "on", table.remove(free, 1))
    end
  end
end }

-- Drawing --------------------------------------------------------------------

local function draw(title)
  local sky = {}
  for y = 0, HEIGHT do
    sky[y] = {}
    for x = 1, WIDTH do sky[y][x] = y == 0 and "_" or " " end
  end
  local function plot(x, y, letter)
    x, y = math.floor(x + 0.5), math.floor(y + 0.5)
    if sky[y] and sky[y][x] then sky[y][x] = letter end
  end
  for e, _, tip in world:query({ read = { Limb, Tip } }):rows() do
    local x, y, angle = world:get(world:parent(e), Tip, "x", "y", "angle")
    angle = (angle + tip.angle) / 2
    local letter = tip.angle < -0.35 and "\\" or tip.angle > 0.35 and "/" or "|"
    if math.abs(angle) > 1 then letter = "_" end
    for k = 0, 12 do
      plot(x + (tip.x - x) * k / 12, y + (tip.y - y) * k / 12, letter)
    end
  end
  for _, twig in ipairs(twigs()) do
    local x, y = world:get(twig, Tip, "x", "y")
    for k = -2, 2 do plot(x + k, y, "*") end
    for k = -1, 1 do plot(x + k, y + 1, "*") end
  end
  for _, place in world:query({ read = { Place }, with = { Apple } }):rows() do
    plot(place.x, place.y, "o")
  end
  for _, place in world:query({ read = { Place }, with = { Sits } }):rows() do
    plot(place.x, place.y, "v")
  end
  print(title)
  for y = HEIGHT, 0, -1 do
    print((table.concat(sky[y]):gsub("%s+$", "")))
  end
end

local function let_pass(seconds)
  for _ = 1, seconds * 8 do world:progress(1 / 8) end
end

-- What happens ---------------------------------------------------------------

local oak = world:spawn(Oak, Tip { x = LEFT })
world:name(oak, "the old oak")
for k, twig in ipairs(twigs()) do
  if k % 2 == 0 then world:spawn(Apple, Hangs { from = twig }) end
end
world:spawn_many(3, { Sits })
let_pass(1)
assert(birds:count() == 3 and not world:find "the young oak")

-- Another one grows: it has the same limbs, but no bird and no apple, as these
-- are not parts of a tree.
local young = world:clone(oak)
world:set(young, Tip, "x", RIGHT)
world:name(young, "the young oak")
let_pass(1)
draw "At noon:"
assert(#twigs() == 16 and world:name(oak) == "the old oak")

-- Lightning strikes the last twig of the old oak, and follows it down: of its
-- ancestors, the last two are the trunk and the ground.
wind.strength = 0.6
local path = {}
for twig in world:query({ read = { Limb } }):rows() do
  local above = {}
  for e in world:ancestors(twig) do above[#above + 1] = e end
  if above[#above] == world:find "the old oak" and #above > #path then
    path = above
  end
end
local trunk = path[#path - 1]
local struck = 0
for bough in world:children(trunk) do
  struck = struck + 1
  if struck % 2 == 1 then world:destroy(bough) end -- with its twigs
end
local apples = world:query { with = { Apple }, without = { Hangs } }
assert(#twigs() == 12 and apples:count() == 2)
world:progress(1 / 8)
draw "\nThe storm:"

-- The birds have found other twigs, and the apples lie on the ground.
wind.strength = 0.05
let_pass(3)
for _, sits in birds:rows() do assert(world:alive(sits.on)) end
for _, place in world:query({ read = { Place }, with = { Apple },
  without = { Hangs } }):rows() do assert(place.y == 0) end
draw "\nThe evening:"
