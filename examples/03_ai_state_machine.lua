-- A state machine: guards patrol a corridor, chase thieves and search for those
-- they have lost.
--
--             sees a thief              close enough
--     PATROL --------------> CHASE --------------------> GRAB
--        ^                     | the thief is gone         |
--        |     patience ends   v                           |
--        +----------------- SEARCH <-----------------------+
--
-- A state is a number in a component, a timer is a number that counts down, and
-- the target of a guard is a field of type entity. When another guard has
-- caught the thief, it is not alive any more, and `get` returns nil for it.

local ecs = require "ecs"

local PATROL, CHASE, GRAB, SEARCH = 1, 2, 3, 4
local names = { "patrol", "chase", "grab", "search" }

local Position = ecs.component("Position", { x = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32" })
local Guard = ecs.component("Guard", {
  state = { "u8", PATROL },
  timer = "f32", -- seconds that are left to search
  target = "entity", -- nil: none
  caught = "i32", lost = "i32", -- thieves
})
local Thief = ecs.tag "Thief"

local SIGHT, REACH, PATIENCE = 12, 0.5, 2
local world = ecs.world {}

for _, x in ipairs { 0, 3, 40, 43 } do -- in pairs
  world:spawn(Position, { x = x }, Velocity, { x = 2 }, Guard)
end
for k = 1, 6 do
  local speed = k % 2 == 0 and 1.5 or -1.5
  world:spawn(Position, { x = k * 13 }, Velocity, { x = speed }, Thief)
end

-- Patrolling guards look for the nearest thief: a loop inside a loop.
local guards = world:query { Guard, read = { Position } }
local thieves = world:query { read = { Position }, with = { Thief } }
world:system { name = "look", run = function()
  for _, guard, here in guards:rows() do
    local nearest = SIGHT
    if guard.state == PATROL then
      for e, there in thieves:rows() do
        local distance = math.abs(there.x - here.x)
        if distance < nearest then
          nearest, guard.state, guard.target = distance, CHASE, e
        end
      end
    end
  end
end }

-- The state machine.
world:system {
  name = "think",
  query = { Guard, Velocity, read = { Position } },
  each = function(guard, v, p, dt)
    if guard.state == CHASE then
      local x = world:get(guard.target, Position, "x") -- nil when it is gone
      if not x then
        guard.lost = guard.lost + 1
        guard.state, guard.timer, guard.target = SEARCH, PATIENCE, nil
      elseif math.abs(x - p.x) < REACH then
        guard.state = GRAB
      else
        v.x = x > p.x and 4 or -4
      end
    elseif guard.state == SEARCH then
      guard.timer = guard.timer - dt
      v.x = 0
      if guard.timer <= 0 then guard.state, v.x = PATROL, 2 end
    end
  end,
}

-- Two guards may grab the same thief in one frame: the first one catches it.
world:system { name = "grab", run = function()
  for _, guard in guards:rows() do
    if guard.state == GRAB then
      if world:destroy(guard.target) then
        guard.caught = guard.caught + 1
      else
        guard.lost = guard.lost + 1
      end
      guard.state, guard.timer, guard.target = SEARCH, PATIENCE, nil
    end
  end
end }

-- Guards and thieves turn back at the ends of the corridor.
world:system {
  name = "move",
  query = { Position, Velocity },
  each = function(p, v, dt)
    p.x = p.x + v.x * dt
    if p.x < 0 and v.x < 0 or p.x > 80 and v.x > 0 then v.x = -v.x end
  end,
}

local seen = { 0, 0, 0, 0 }
for _ = 1, 60 * 30 do
  world:progress(1 / 60)
  for _, guard in guards:rows() do seen[guard.state] = seen[guard.state] + 1 end
end

local caught, lost = 0, 0
for e, guard in guards:rows() do
  print(string.format("guard %d has caught %d and lost %d, now: %s", e,
    guard.caught, guard.lost, names[guard.state]))
  caught, lost = caught + guard.caught, lost + guard.lost
  assert(guard.state == PATROL and guard.target == nil)
end
assert(caught == 6 and thieves:count() == 0, "every thief is caught once")
assert(lost > 0, "two guards were after the same thief")
assert(seen[PATROL] * seen[CHASE] * seen[SEARCH] > 0, "all were in use")
assert(seen[GRAB] == 0, "nobody holds on for longer than a frame")
