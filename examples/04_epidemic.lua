-- An epidemic: 100,000 people, and a plot of it in the terminal.
--
--     nothing  --infected-->  Exposed  --4 days-->  Sick  --6 days-->  Immune
--
-- The components of a person are the whole state. Few people are exposed or
-- sick on any day, so those components are sparse: adding and removing them
-- moves no other data. Immune has no fields and is one bit per person.
--
-- All pairs of people meet with the same probability. For this case a formula
-- gives the number of immune people at the end, and this program checks it.

local ecs = require "ecs"

local PEOPLE, DAYS = 100000, 120
local MEETINGS, CHANCE = 2, 0.2 -- a day; that one of them infects
local SICKNESS = 6 -- days

local Person = ecs.component("Person", { infected_by = "entity" })
local Exposed = ecs.component("Exposed", { days = { "i32", 4 } },
  { storage = "sparse" })
local Sick = ecs.component("Sick", { days = { "i32", SICKNESS } },
  { storage = "sparse" })
local Immune = ecs.tag("Immune", { storage = "bits" })

-- L'Ecuyer's generator of 1988, so that every Lua gives the same epidemic. With
-- a simpler one, the choice of a person would predict the next draw: infection.
local one, two = 2024, 12345
local function random()
  one, two = one * 40014 % 2147483563, two * 40692 % 2147483399
  return (one - two) % 2147483562 / 2147483562
end

local world = ecs.world {}
local people = {}
world:spawn_many(PEOPLE, { Person }, function(batch)
  for i = 1, batch.count do people[#people + 1] = batch.entities[i] end
end)
for k = 1, 20 do world:add(people[k], Sick) end

-- Sick people meet others. In a rows loop changes apply at once, so no person
-- is infected twice on one day.
local the_sick = world:query { with = { Sick } }
world:system { name = "infect", run = function()
  for e in the_sick:rows() do
    for _ = 1, MEETINGS do
      local other = people[1 + math.floor(random() * PEOPLE)]
      if random() < CHANCE and not world:has(other, Exposed)
        and not world:has(other, Sick) and not world:has(other, Immune) then
        world:add(other, Exposed)
        world:set(other, Person, "infected_by", e)
      end
    end
  end
end }

-- Counts the days. Changes that an each function makes apply after its last
-- row.
world:system {
  name = "recover",
  query = { Sick },
  each = function(sick, dt, e)
    sick.days = sick.days - dt
    if sick.days <= 0 then
      world:remove(e, Sick)
      world:add(e, Immune)
    end
  end,
}

world:system {
  name = "fall ill",
  query = { Exposed },
  each = function(exposed, dt, e)
    exposed.days = exposed.days - dt
    if exposed.days <= 0 then
      world:remove(e, Exposed)
      world:add(e, Sick)
    end
  end,
}

local the_exposed = world:query { with = { Exposed } }
local the_immune = world:query { with = { Immune } }
local history, peak = {}, 0
for day = 1, DAYS do
  world:progress(1)
  local ill = the_exposed:count() + the_sick:count()
  history[day] = { ill = ill, immune = the_immune:count() }
  peak = math.max(peak, ill)
end

-- The plot has a column for every second day.
print("# exposed or sick, . immune; 100,000 people, " .. DAYS .. " days")
for row = 16, 1, -1 do
  local line = {}
  for day = 2, DAYS, 2 do
    local now, level = history[day], (row - 0.5) / 16 * PEOPLE
    line[#line + 1] = now.ill > level and "#"
      or now.ill + now.immune > level and "." or " "
  end
  print("|" .. table.concat(line))
end
print("+" .. ("-"):rep(DAYS / 2))

-- The textbook formula for the share of people that were ever sick: a person
-- that was not escaped every one of them, so share = 1 - exp(-reproduction *
-- share).
local reproduction, share = MEETINGS * CHANCE * SICKNESS, 1
for _ = 1, 50 do share = 1 - math.exp(-reproduction * share) end
local last = history[DAYS]
print(string.format("%.1f %% became immune, the formula says %.1f %%",
  last.immune / PEOPLE * 100, share * 100))
assert(math.abs(last.immune / PEOPLE - share) < 0.01)
assert(last.ill < 100 and peak > PEOPLE / 5, "it came and went")
