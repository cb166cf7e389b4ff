-- Two hundred systems with periods, conditions, states and phases in fixed
-- steps, and two seconds of time that are cut into frames.
--
-- play(seed) plays it in frames that follow from the seed. It returns the
-- world, the number of steps of a phase, and a digest of which system ran when,
-- and with how much time.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local schedule_scene = {}

local SYSTEMS, TIME, STEP = 200, 2, 1 / 60

local states = { "menu", "play", "pause", "over" }
local phases = { "input", { "simulate", fixed = STEP, most = 12 }, "update",
                 { "slow", fixed = 0.21, most = 3 }, "draw" }
local names = { "input", "simulate", "update", "slow", "draw" }

--- Defines the systems, the same for every seed. seen(system, dt) is called by
-- each run.
local function define(world, seen)
  local random = support.dice(12345)
  for k = 1, SYSTEMS do
    local spec = { name = "s" .. k, phase = names[random(#names)] }
    local runs, asked = 0, 0
    if random(3) == 1 then spec.every = random(400) / 1000 end
    if random(3) == 1 then spec.in_state = states[random(#states)] end
    if random(4) == 1 then
      local period = random(5) + 1
      spec.when = function()
        asked = asked + 1
        return asked % period ~= 0
      end
    end
    local goes = random(8) == 1 and states[random(#states)]
    local turn = random(7) + 3
    local toggles = random(20) == 1 and "s" .. random(SYSTEMS)
    spec.run = function(of, dt)
      runs = runs + 1
      seen(k, dt)
      if goes and runs % turn == 0 then of:go(goes) end
      if toggles and runs % turn == 1 then
        of:enable(toggles, runs % 3 ~= 0)
      end
    end
    world:system(spec)
  end
end

function schedule_scene.play(seed)
  local world = ecs.world { phases = phases, states = states }
  local digest, steps, left = 1, 0, TIME
  local function add(number)
    digest = (digest * 31 + number) % 2147483647
  end
  define(world, function(system, dt)
    add(system)
    add(math.floor(dt * 2 ^ 30) % 2147483647)
  end)
  world:system { name = "count", phase = "simulate", run = function()
    steps = steps + 1
  end }
  for k, state in ipairs(states) do
    world:on("begin", state, function() add(1000 + k) end)
    world:on("end", state, function() add(2000 + k) end)
  end
  local random = support.dice(seed)
  local longest = 10 + random(170)
  while left > 0 do
    local dt = math.min(left, random(longest) / 1000)
    world:progress(dt)
    left = left - dt
  end
  return { world = world, steps = steps, digest = digest }
end

return schedule_scene
