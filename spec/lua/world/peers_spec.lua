-- Peers: two play one game with inputs that come late, and go back for them; a
-- third joins in the middle from a saved string.
--
-- Each peer plays every frame at once, guesses that the other does what it did
-- last, and goes back when it hears of something else. ECS_PEERS=100000 plays
-- with as many entities and prints the time of going back and again.

local ecs = require "ecs"

local Place = ecs.component("PeerPlace", { x = "f32", y = "f32" })
local Speed = ecs.component("PeerSpeed", { x = "f32", y = "f32" })
local Push = ecs.component("PeerPush", { one = "i32", other = "i32" })

local most = tonumber(os.getenv "ECS_PEERS")
local entities = most or 500
local DELAY = 8

--- What a player does in a frame: something else every eleven frames or so.
local function input_of(player, frame)
  return math.floor((frame + player * 5) / (11 + player)) * (player + 2) % 7
end

local function game()
  local world = ecs.world { seed = 5 }
  world:resource(Push { one = 0 })
  world:system { name = "move", query = { Place, read = { Speed } },
    each = function(p, s, dt)
      p.x = p.x + s.x * dt
      p.y = p.y + s.y * dt + ecs.random() * 0.1
    end }
  world:system { name = "spawn", run = function()
    local push = world:resource(Push)
    world:spawn(Place { x = push.one, y = push.one * 3 },
      Speed { x = push.other, y = 1 })
  end }
  return world
end

local function step(world, one, other)
  local push = world:resource(Push)
  push.one, push.other = one, other
  world:progress(1 / 60)
end

--- A peer that knows its own inputs at once, and the other's DELAY frames late.
local function peer(player)
  local self = { world = game(), back = 0, time = 0 }
  local world, guesses = self.world, {}
  local past = world:history(DELAY + 1)
  for k = 1, entities do
    world:spawn(Place { x = k }, Speed { x = 1, y = k % 9 })
  end

  local function play(frame, known)
    local theirs = input_of(1 - player, math.min(frame, known))
    guesses[frame] = theirs
    past:take()
    local mine = input_of(player, frame)
    if player == 0 then
      step(world, mine, theirs)
    else
      step(world, theirs, mine)
    end
  end

  --- Plays a frame, where the other's inputs are known up to another one.
  function self.frame(frame, known)
    if guesses[known] and guesses[known] ~= input_of(1 - player, known) then
      local begin = os.clock()
      past:rewind(frame - known)
      for again = known, frame - 1 do play(again, known) end
      self.back, self.time = self.back + 1, self.time + os.clock() - begin
    end
    play(frame, known)
  end

  --- Hears of all that is still on its way.
  function self.settle(last)
    for known = last - DELAY + 1, last do
      if guesses[known] ~= input_of(1 - player, known) then
        past:rewind(last + 1 - known)
        for again = known, last do play(again, known) end
      end
    end
  end

  return self
end

describe("peers", function()
  it("end with one hash, and so does one that joins in the middle", function()
    local frames, peers = most and 60 or 120, { [0] = peer(0), peer(1) }
    for frame = 1, frames do
      for player = 0, 1 do peers[player].frame(frame, frame - DELAY) end
    end
    for player = 0, 1 do
      assert.is_true(peers[player].back > 3)
      if most then
        print(("%d entities, %d frames back and again: %.1f ms"):format(
          entities, DELAY, peers[player].time / peers[player].back * 1000))
      end
      peers[player].settle(frames)
    end
    local host, guest = peers[0].world, game()
    assert.equal(host:hash(), peers[1].world:hash())
    assert.is_true(guest:load { bytes = host:save() })
    assert.equal(host:hash(), guest:hash())
    for frame = frames + 1, frames + (most and 20 or 200) do
      local one, other = input_of(0, frame), input_of(1, frame)
      step(host, one, other)
      step(guest, one, other)
      assert.equal(host:hash(), guest:hash())
    end
  end)
end)
