-- The thermostat of the house in host.c. The host runs this script with its
-- world as the argument, and then runs the frames.

local ecs = require "ecs"

local world = ...

-- The host's component, by its name. The host has defined its fields.
local Room = ecs.component "Room"

-- A component of this script. The host's kernel reads its power, and so does
-- the host when it writes the bill.
local Heater = ecs.component("Heater", {
  power = "f32", -- watts, now
  target = { "f32", 20 },
})

-- Adds a heater to every room that the host has made.
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

-- The effect of heat on a room is computed in C.
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

-- The host calls this after the world is closed: see host.c.
_G.coldest = coldest
