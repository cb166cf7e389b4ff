-- A shooter for LÖVE: copy the folder build/love/ecs, made by `make love`, to
-- this one. Left and right steer, space shoots, F5 saves, F9 loads, return
-- begins again. With --frames 600 the ship steers itself for so many frames.

local game = require "game"

local world, Position, Colour = game.world, game.Position, game.Colour
local frames, spent = nil, 0

function love.load(words)
  frames = tonumber((table.concat(words, " "):match "%-%-frames (%d+)"))
end

local function steer()
  local down = love.keyboard.isDown
  game.input.x = (down "right" and 1 or 0) - (down "left" and 1 or 0)
  game.input.fire = down "space"
end

-- Steers below the raider that has come furthest.
local function steer_itself()
  local x, lowest, target = world:get(game.ship, Position, "x"), -1e9, 0
  for _, p in game.raiders:rows() do
    if p.y > lowest then lowest, target = p.y, p.x end
  end
  game.input.x = math.max(-1, math.min(1, (target - x) / 20))
  game.input.fire = true
end

function love.update(dt)
  if frames then dt, frames = 1 / 60, frames - 1 end
  if frames then steer_itself() else steer() end
  local before = love.timer.getTime()
  world:progress(dt) -- as many steps of 1/60 as have passed
  spent = spent + love.timer.getTime() - before
  if frames == 0 then
    print(("wave %d, score %d, %d entities, hash %s, %.2f ms a frame"):format(
      game.round.wave, game.round.score, world:stats().entities, world:hash(),
      1000 * spent / world:stats().frames))
    love.event.quit()
  end
end

function love.keypressed(key)
  if key == "return" then world:restore(game.begun) end
  if key == "f5" then love.filesystem.write("shooter.save", world:save()) end
  local saved = key == "f9" and love.filesystem.read "shooter.save"
  if saved and world:load { bytes = saved } then
    game.ship = world:find "ship"
  end
end

if not love.graphics then return end

-- Dust and sparks are vertices of one mesh: six columns of the world.
local ROOM, BYTES = 150000, 12
local mesh = love.graphics.newMesh({ { "VertexPosition", "float", 2 },
  { "VertexColor", "byte", 4 } }, ROOM, "points", "stream")
local data = love.data.newByteData(ROOM * BYTES)
local memory, used = require("ffi").cast("uint8_t *", data:getFFIPointer()), 0

local function copy(batch)
  used = used + batch:copy(memory + used, ROOM * BYTES - used,
    Position, "x", "y", Colour, "r", "g", "b", "a")
end

local function each_box(query, width, height)
  for _, p in query:rows() do
    love.graphics.rectangle("fill", p.x - width / 2, p.y - height / 2, width,
      height)
  end
end

function love.draw()
  used = 0
  game.points:batch(copy)
  mesh:setVertices(data)
  mesh:setDrawRange(1, used / BYTES)
  love.graphics.draw(mesh)
  each_box(game.shots, 2, 10)
  love.graphics.setColor(1, 0.3, 0.3)
  each_box(game.raiders, 20, 12)
  each_box(game.turrets, 6, 10)
  each_box(game.shells, 4, 4)
  love.graphics.setColor(0.5, 0.9, 1)
  local x, y = world:get(game.ship, Position, "x", "y")
  love.graphics.polygon("fill", x - 14, y + 12, x, y - 16, x + 14, y + 12)
  love.graphics.print(("wave %d   score %d   lives %d   %s"):format(
    game.round.wave, game.round.score, world:get(game.ship, game.Ship, "lives"),
    world:state()), 10, 10)
  love.graphics.setColor(1, 1, 1)
end
