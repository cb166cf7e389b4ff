-- A player who joins late: one VM plays and saves, another loads and goes on.
--
--     late_joiner.lua host FILE     plays 80 frames, saves into FILE, goes on
--     late_joiner.lua guest FILE    loads FILE, and goes on
--
-- Prints the hash after each of the 1,000 frames behind the save, and the text
-- of the state at the end: the same for both, whichever VM each is.

local ecs = require "ecs"
ecs.on_fallback = nil

local scene = dofile "spec/support/state_game.lua"

local role, path = ...
local world = scene.game()
if role == "host" then
  scene.run(world, 80)
  assert(world:save(path))
else
  scene.run(world, 7) -- which the load puts away
  local loaded, told = world:load(path)
  if not loaded then error(told) end
  assert(#told == 0)
end
print("joined", world:hash())
for frame = 1, 1000 do
  world:progress(1 / 60 + frame % 3 * 0.004)
  print(frame, world:hash())
end
io.write(world:dump())
