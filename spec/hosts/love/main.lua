-- A game of a few frames, by which tools/check_love sees that ecs is found and
-- compiles. Its lines are the same wherever it lies.
--
-- With the word lib as its argument, the folder ecs is in the folder lib.

function love.load(arguments)
  if arguments[1] == "lib" then
    love.filesystem.setRequirePath("lib/?.lua;lib/?/init.lua")
  end
  local ecs = require "ecs"
  local Ball = ecs.component("Ball", { x = "f32", v = { "f32", 2 } })
  local world = ecs.world {}
  world:spawn_many(1000, { Ball })
  world:system {
    name = "move", query = { Ball }, compile = true,
    each = function(ball, dt) ball.x = ball.x + ball.v * dt end,
  }
  for _ = 1, 100 do world:progress(1 / 64) end
  local saved = world:save()
  assert(love.filesystem.write("game.save", saved))
  local other = ecs.world {}
  assert(other:load { bytes = love.filesystem.read "game.save" })
  local x = other:get(other:query({ read = { Ball } }):first(), Ball, "x")
  print(x, other:hash() == world:hash())
  love.event.quit(0)
end
