-- The thermostat of the house in host.c, which runs this script with its world
-- as the argument and then calls for frame after frame.

local ecs = require "ecs"

local world = ...

-- The host's component, by its name; what fields it has is the host's affair.
local Room = ecs.component "Room"

-- A component of this script. The host's kernel reads its power, and so does
-- the host when it writes the bill.
local Heater = ecs.component("Heater", {
  power = "f32", -- watts, now
  target = { "f32", 20 },
})

-- A heater for every room that the host has made.
local rooms = world:query { read = { Room } }
for e in rooms:rows() do world:add(e, Heater) end

-- The colder the room, the more power, up to 2000 watts.
world:system {
  name = "thermostat",
  query = { Heater, read = { Room } },
  each = function(heater, room)
    local missing = heater.target - room.temperature
    heater.power = math.max(0, math.min(2000, missing * 2000))
  end,
}

-- What heat does to a room is computed in C.
world:system {
  name = "exchange",
  query = { Room, read = { Heater } },
  native = "house.exchange",
}

local function coldest()
  local lowest = math.huge
  for _, room in rooms:rows() do lowest = math.min(lowest, room.temperature) end
  return lowest
end

assert(coldest() == 10, "the house is cold in the morning")

-- For the host, which calls this when it is too late; see there.
_G.coldest = coldest
