-- Two hundred systems over the same time in a hundred ways of cutting it into
-- frames. What is printed must be the same on every VM (tools/suite).

local schedule_scene = dofile "spec/support/schedule_scene.lua"

for seed = 1, 100 do
  local play = schedule_scene.play(seed)
  print(string.format("%d: %.0f steps, digest %.0f, %s", seed, play.steps,
    play.digest, play.world:hash()))
  play.world:close()
end
