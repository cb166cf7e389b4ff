--- arena: the rules of a game that bench_arena plays in several ways: with this
-- library (arena_ours), with plain Lua tables (arena_tables), and with
-- evolved.lua (arena_evolved). Each is written as its users would write it.
--
-- Every nest has one monster. Monsters wander, are drawn to the monster of
-- another nest, and shoot at it. A bullet flies for a while and then takes a
-- point from the monster that the nest has by then; every second bullet also
-- sets it on fire. A monster without points dies: sparks fly, and its nest has
-- a new one. So entities are born and die all the time, and there are always
-- about as many of each kind.
--
-- Where they are is random, and differs between the ways. How many there are is
-- not: it follows from counters alone, and must be the same.

local arena = {
  DT = 1 / 64,
  WIDTH = 1024,
  SPEED = 30, PULL = 20, BULLET_SPEED = 200, SPARK_SPEED = 90,
  POINTS = 4,         -- of a new monster
  RELOAD = 20,        -- frames from shot to shot, at least
  FLIGHT = 30,        -- frames of a bullet
  FIRE = 8,           -- frames of a fire: it takes a point every fourth
  REST = 100,         -- frames until a point comes back
  SPARKS = 4, GLOW = 10,
}

--- The number of nests for about this many entities: there is a monster and a
-- bullet for each, and half of that in sparks.
function arena.nests(entities) return math.ceil(entities * 0.28) end

local function divisor(a, b)
  while b > 0 do a, b = b, a % b end
  return a
end

--- A function from a nest to the nest that its monsters shoot at; each nest is
-- shot at from one.
function arena.rivals(count)
  local step = 7919
  while divisor(step, count) > 1 do step = step + 1 end
  return function(k) return k * step % count + 1 end
end

--- The first monster of nest k: its place; frames from shot to shot, which
-- those after it inherit, and until the first; points, and frames until a point
-- comes back.
function arena.start(k)
  local reload = arena.RELOAD + k * 7 % 21
  return k * 37 % arena.WIDTH, k * 101 % arena.WIDTH, reload, k % reload + 1,
    k % arena.POINTS + 1, k % arena.REST + 1
end

--- What is compared.
function arena.describe(monsters, bullets, sparks, burning, points, deaths)
  return ("%d monsters, %d bullets, %d sparks, %d on fire, %d points, %d died")
    :format(monsters, bullets, sparks, burning, points, deaths)
end

return arena
