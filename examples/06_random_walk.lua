-- A random walk: 50,000 walkers on a line, and how far they get.
--
-- ecs.random decides the direction of each step: the number depends on the
-- seed, the system, the step and the walker. The walkers add their distances to
-- totals of the world. This program checks that after n steps the mean square
-- of the distance is near n, as theory has it; and that the same seed gives the
-- same walk, compiled or as plain Lua.

local ecs = require "ecs"

local WALKERS, STEPS = 50000, 100

local Walker = ecs.component("Walker", { x = "f64" })

local function walk(seed, compiled)
  local world = ecs.world { seed = seed }
  world:spawn_many(WALKERS, { Walker })
  local squares, sum = world:sum "squares", world:sum "places"
  local left, right = world:min "left", world:max "right"
  world:system {
    name = "step", query = { Walker }, compile = compiled,
    each = function(walker)
      local x = walker.x + (ecs.random() < 0.5 and -1 or 1)
      walker.x = x
      squares:add(x * x)
      sum:add(x)
      left:add(x)
      right:add(x)
    end,
  }
  for _ = 1, STEPS do world:progress(1) end
  return squares:value() / WALKERS, sum:value() / WALKERS, left:value(),
    right:value(), world
end

local mean_square, mean, left, right, world = walk(1, true)
local places = {}
world:query({ read = { Walker } }):batch(function(batch)
  local x = batch.Walker.x
  for i = 1, batch.count do places[x[i]] = (places[x[i]] or 0) + 1 end
end)
for x = -32, 32, 4 do
  local here = (places[x] or 0) + (places[x + 2] or 0)
  print(string.format("%4d %s", x, ("#"):rep(math.floor(here / 160 + 0.5))))
end
print(string.format("after %d steps: on average at %.2f, mean square %.1f, "
  .. "from %d to %d", STEPS, mean, mean_square, left, right))

-- Both bounds are three standard deviations of such means.
assert(math.abs(mean) < 0.27 and math.abs(mean_square - STEPS) < 3.8)
assert(left < -30 and right > 30 and left >= -STEPS and right <= STEPS)

local _, _, _, _, again = walk(1, false)
local _, _, _, _, other = walk(2, true)
assert(again:hash() == world:hash(), "a seed is a walk")
assert(other:hash() ~= world:hash(), "another seed is another")
