-- scene: the components of the gameplay functions, and worlds filled with them.
--
-- A schema gives each field its type and its values: one of a list, or a random
-- number in { low, high } named `from`, whole for fields of whole numbers. The
-- lists have the values at the edges of what the functions test.

local ecs = require "ecs"
local safe_pairs = require "ecs.safe_pairs"

local unpack = rawget(table, "unpack") or rawget(_G, "unpack")

local scene = {}

local function from(type, low, high) return { type, low = low, high = high } end

local function one_of(type, ...) return { type, list = { ... } } end

local flag = one_of("bool", true, false)
local entity = { "entity" }

local schemas = {
  Position = { x = from("f32", -200, 400), y = from("f32", -200, 250) },
  Velocity = { x = one_of("f32", 0, 0.05, -0.05, 3.7, -12.25, 41.1, -80, 1e-3),
               y = from("f32", -60, 60) },
  Target = { who = entity },
  Speed = { max = from("f32", 0, 40), force = from("f32", 1, 90) },
  Home = { x = from("f32", -100, 100), y = from("f32", -100, 100),
           radius = one_of("f32", 0, 5, 20.5, 300) },
  Body = { mass = from("f32", 0.5, 90), sail = from("f32", 0, 2) },
  Belt = { x = from("f32", -5, 5), y = from("f32", -5, 5), on = flag },
  Cell = { column = from("i32", -9, 9), row = from("i32", -9, 9), snap = flag },
  Camera = { target = entity, x = from("f32", 0, 900), y = from("f32", 0, 90),
             zoom = from("f32", 0.2, 2), speed = from("f32", 0.5, 9) },
  Turret = { angle = from("f32", -3, 3), rate = from("f32", 0.1, 9),
             target = entity, range = one_of("f32", 10, 150, 900),
             aimed = flag },
  Heading = { angle = from("f32", -3, 3), fuel = from("f32", -0.2, 3) },
  Orbit = { centre = entity, angle = from("f32", 0, 6),
            radius = from("f32", 1, 40), speed = from("f32", -2, 2) },
  Patrol = { ax = from("f32", -99, 99), ay = from("f32", -99, 99),
             bx = from("f32", -99, 99), by = from("f32", -99, 99),
             wait = one_of("f32", 0, -0.5, 0.01, 1.7), back = flag },
  Sprite = { flip = flag, visible = flag, frame = from("u16", 0, 9),
             alpha = one_of("f32", 0, 1, 0.3, 0.97, 0.004) },
  Pedals = { gas = flag, brake = flag, steer = one_of("f32", -1, 0, 1, 0.4) },
  Health = { hp = from("i32", -5, 120), max = one_of("i32", 50, 100, 101) },
  Poison = { damage = from("f32", 0.5, 20), left = from("f32", -0.1, 2),
             timer = from("f32", 0, 0.6) },
  Cooldown = { left = one_of("f32", 0, 0.01, 0.5, 2), time = from("f32", 0, 1),
               ready = flag, wanted = flag, used = from("u8", 250, 255) },
  Mind = { state = from("u8", 0, 5), timer = from("f32", -1, 1),
           target = entity, attacks = from("u16", 0, 9) },
  Lifetime = { left = from("f32", 0, 3) },
  Heat = { value = from("f64", -60, 140) },
  Knockback = { x = from("f32", -90, 90), y = from("f32", -90, 90),
                left = from("f32", -0.1, 0.3) },
  Shield = { value = from("f32", 0, 50), max = one_of("f32", 50, 60),
             hit = one_of("f32", 0, 0, 12.5, 70), armor = from("i16", -9, 120),
             delay = one_of("f32", 0, 0, 0.1, 2), rate = from("f32", 1, 20) },
  Weapon = { ammo = from("i16", 0, 30), clip = one_of("i16", 12, 30),
             reserve = from("i16", 0, 60), timer = from("f32", -0.1, 0.5),
             reloading = flag, trigger = flag },
  Blink = { left = from("f32", -0.1, 2) },
  Combo = { window = from("f32", -0.5, 0.5), hit = flag,
            count = from("u8", 0, 255), best = from("u8", 0, 30),
            points = from("f32", 0, 50), score = from("f64", 0, 1e6) },
  Animation = { time = from("f32", 0, 1), speed = from("f32", 0, 30),
                frame = from("u8", 0, 12), count = from("u8", 1, 12),
                loop = flag, done = flag },
  Fade = { out = flag, speed = from("f32", 0.1, 9) },
  Lamp = { hour = from("f64", 0, 24), on = flag, red = from("u8", 0, 255),
           green = from("u8", 0, 255), blue = from("u8", 0, 255),
           glow = from("f32", 0, 1) },
  Stamina = { value = from("f32", 0, 100), max = one_of("f32", 80, 100),
              running = flag, tired = flag },
  Hunger = { value = from("f32", 0, 130), active = flag,
             starving = from("f32", 0, 3) },
  Crop = { stage = from("u8", 0, 5), water = one_of("f32", 0, 0.01, 0.5, 1),
           growth = from("f32", 0, 5), dry = from("u8", 0, 4) },
  Warmth = { value = from("f64", 20, 42), leak = from("f64", 0, 2),
             shiver = flag, comfort = from("f32", 0, 1) },
  Door = { open = flag, pushed = flag, locked = flag,
           angle = one_of("f32", 0, 1, 45, 89.5, 90),
           timer = from("f32", -1, 5) },
  Level = { level = from("i32", 0, 50), xp = from("f64", 0, 3000),
            points = from("i32", 0, 9), progress = from("f32", 0, 1) },
  Spring = { x = from("f32", -9, 9), v = from("f32", -9, 9),
             rest = from("f32", -1, 1), k = from("f32", 1, 90),
             damping = from("f64", 0, 3) },
  Impact = { at = from("f32", -2, 2), force = from("f64", -90, 90),
             charge = from("i8", -128, 127), heat = from("u8", 0, 255),
             armor = from("i16", -32768, 32767), ammo = from("u16", 0, 65535),
             score = from("i32", -9e6, 2e6), hits = from("u32", 0, 4294967295),
             hard = flag, who = entity },
  Pond = { algae = from("f64", 0, 12), bugs = from("f64", 0, 12),
           mood = from("i8", 0, 2), turns = from("u32", 0, 9) },
}

local tags = {
  Grounded = {}, Dead = {}, Burning = {},
  Frozen = { storage = "sparse" },
}

--- The names, sorted, so that their order is the same on every VM.
local function sorted(list)
  local names = {}
  for name in safe_pairs(list) do names[#names + 1] = name end
  table.sort(names)
  return names
end

scene.fields, scene.components = {}, {}
local names, tag_names = sorted(schemas), sorted(tags)

for _, name in ipairs(names) do
  local types = {}
  for field, known in safe_pairs(schemas[name]) do types[field] = known[1] end
  scene.fields[name] = types
  scene.components[name] = ecs.component("Gameplay" .. name, types,
    name == "Blink" and { storage = "sparse" } or nil)
end
for _, name in ipairs(tag_names) do
  scene.components[name] = ecs.tag("Gameplay" .. name, tags[name])
end

local function generator(seed)
  return function(low, high)
    seed = seed * 16807 % 2147483647
    return low + (high - low) * (seed / 2147483647)
  end
end

local function pick(random, list)
  return list[math.floor(random(1, #list + 0.999))]
end

local function value(random, known, others)
  local type = known[1]
  if type == "entity" then return pick(random, others) or nil end
  if known.list then return pick(random, known.list) end
  local drawn = random(known.low, known.high)
  -- A third of the numbers are edges, and whole numbers are common.
  if random(0, 1) < 0.15 then drawn = known.low end
  if random(0, 1) < 0.15 then drawn = known.high end
  if type ~= "f32" and type ~= "f64" or random(0, 1) < 0.2 then
    return math.floor(drawn)
  end
  return drawn
end

local function make(random, name, others)
  local values = {}
  for _, field in ipairs(sorted(schemas[name])) do
    values[field] = value(random, schemas[name][field], others)
  end
  return scene.components[name](values)
end

--- Fills a world: count entities with the named components; half of them have
-- these alone, in one table, and half have some others.
-- Targets are entities without any component but a Position, with none, rows
-- themselves, dead ones and none.
function scene.fill(world, wanted, count, seed)
  local random, c = generator(seed), scene.components
  local others, dead = {}, {}
  for k = 1, 40 do
    local parts = {}
    if k % 4 > 0 then parts[1] = make(random, "Position", {}) end
    if k % 2 == 0 then parts[#parts + 1] = make(random, "Heat", {}) end
    if k % 3 == 0 then parts[#parts + 1] = c.Burning end
    others[k] = world:spawn(unpack(parts))
    if k % 5 == 0 then dead[#dead + 1] = others[k] end
  end
  for k = 41, 60 do others[k] = false end -- no target
  for k = 1, count do
    local parts, has, other = {}, {}, k % 2
    for _, name in ipairs(wanted) do has[name] = true end
    for _, name in ipairs(names) do
      if has[name] or random(0, 1) < 0.1 * other then
        parts[#parts + 1] = make(random, name, others)
      end
    end
    for _, name in ipairs(tag_names) do
      if has[name] or random(0, 1) < 0.2 * other then
        parts[#parts + 1] = c[name]
      end
    end
    others[#others + 1] = world:spawn(unpack(parts))
  end
  for _, e in ipairs(dead) do world:destroy(e) end
end

return scene
