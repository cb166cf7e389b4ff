--- hash: world:hash(), one number for all that decides what a world does next.
--
--     hash of the core          entities, values, tables, what is recorded
--     seed, totals, clocks,  \__ bindings/lua/world/script_hash.c
--     systems, the state     /
--
-- What follows from the program is left out: functions, queries, phases, names.
-- So is what counts cost or keeps results for the next time.

local require = require("ecs.standard").inner "ecs.hash"

local backend = require "ecs.backend"
local states = require "ecs.states"
local system = require "ecs.system"

local core = backend.core

local methods = {}

--- The hash of a world: sixteen hexadecimal digits.
function methods.hash(world)
  backend.check_world(world, "hash")
  local state = system.state(world)
  return core.hash(world, system.list(state), state.phases, state.clocks,
    states.ranks(state))
end

core.install("ecs.World", methods)

return true
