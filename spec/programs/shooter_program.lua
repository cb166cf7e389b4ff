-- Plays examples/love without LÖVE: shooter_program.lua FRAMES [draw | save].
--
-- Stand-ins for what main.lua uses of love let the ship steer itself. It prints
-- what the game prints in its last frame, without the time, as tools/check_love
-- sees it in LÖVE. With "draw", on LuaJIT, each frame is drawn and the vertices
-- are compared with the world; with "save" the player saves and loads.

local frames, task = assert(tonumber(arg[1])), arg[2]

package.path = "examples/love/?.lua;" .. package.path
local seconds, quit, saved, shown = 0, false, {}, print
love = {
  timer = { getTime = function() seconds = seconds + 0.001 return seconds end },
  event = { quit = function() quit = true end },
  filesystem = {
    read = function(name) return saved[name] end,
    write = function(name, bytes) saved[name] = bytes return true end,
  },
}

-- The game's own lines.
function print(text)
  shown((text:gsub(", [%d.]+ ms a frame$", "")))
end

-- What is drawn: the memory that the mesh was given, and counts.
local memory, vertices, boxes, ships, texts = nil, 0, 0, 0, 0
if task == "draw" then
  love.data = { newByteData = function(bytes)
    memory = require("ffi").new("uint8_t[?]", bytes)
    return { getFFIPointer = function() return memory end }
  end }
  local mesh = {
    setVertices = function() end,
    setDrawRange = function(_, first, count)
      assert(first == 1 and count > 0)
      vertices = count
    end,
  }
  love.graphics = {
    newMesh = function(format, room, mode, usage)
      assert(format[1][3] * 4 + format[2][3] == 12 and room == 150000)
      assert(mode == "points" and usage == "stream")
      return mesh
    end,
    draw = function(what) assert(what == mesh) end,
    setColor = function() end,
    rectangle = function() boxes = boxes + 1 end,
    polygon = function() ships = ships + 1 end,
    print = function(text)
      assert(text:find "^wave %d+   score %d+   lives %d   play$", text)
      texts = texts + 1
    end,
  }
end

dofile "examples/love/main.lua"
local game = require "game"
local world = game.world

--- The vertices are the points of the world, in the order of its rows.
local function check_vertices()
  local ffi = require "ffi"
  assert(vertices == game.points:count() and vertices >= 100000)
  local places, colours = ffi.cast("float *", memory), memory
  local at = 0
  for _, p, colour in game.points:rows() do
    assert(places[at * 3] == p.x and places[at * 3 + 1] == p.y)
    local byte = at * 12 + 8
    assert(colours[byte] == colour.r and colours[byte + 1] == colour.g)
    assert(colours[byte + 2] == colour.b and colours[byte + 3] == colour.a)
    at = at + 1
  end
  assert(at == vertices)
end

--- Every turret is at its raider's side.
local function check_turrets()
  local count = 0
  for turret, p, mount in game.turrets:rows() do
    local x, y = world:get(world:parent(turret), game.Position, "x", "y")
    assert(math.abs(p.x - x - mount.dx) < 0.001 and p.y == y + mount.dy)
    count = count + 1
  end
  assert(count == 2 * game.raiders:count())
end

love.load { "--frames", tostring(frames) }
for frame = 1, frames do
  assert(not quit)
  love.update(1 / 50)
  check_turrets()
  if love.graphics then love.draw() end
  if task == "save" and frame == frames - 50 then
    love.keypressed "f5"
    local hash, score = world:hash(), game.round.score
    assert(score > 0)
    love.keypressed "return"
    assert(game.round.score == 0 and game.round.wave == 0)
    for _ = 1, 30 do world:progress(1 / 60) end
    assert(world:hash() ~= hash)
    love.keypressed "f9"
    assert(world:hash() == hash and game.round.score == score)
    assert(world:get(game.ship, game.Ship, "lives") > 0)
  end
end
assert(quit)

if task == "draw" then
  check_vertices()
  assert(ships == frames and texts == frames and boxes > frames)
elseif task == "save" then
  game.input.fire = false
  for _ = 1, 4000 do
    world:progress(1 / 60)
    if world:state() == "over" then break end
  end
  assert(world:state() == "over")
  assert(world:get(game.ship, game.Ship, "lives") == 0)
  love.keypressed "return"
  assert(world:state() == "play" and game.round.wave == 0)
end
for line in world:explain():gmatch "[^\n]+" do
  assert(not line:find ": each," or line:find ", compiled ", line)
end
