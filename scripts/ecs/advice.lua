--- advice: has a world choose how its components are stored.
--
--     world:optimize()   moves components to where they cost less
--     world:advise()     says which, and moves nothing
--
-- Both count what systems did so far: how often each ran, from the first frame
-- on, and which components came and went. What that costs in one layout or
-- another is computed by ecs.core, with the same result on every machine.

local require = require("ecs.standard").inner "ecs.advice"

local backend = require "ecs.backend"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, setmetatable, tostring = ipairs, setmetatable, tostring

local core = backend.core
local concat = table.concat
local format = string.format

local entry = {}

--- "Stunned: main group -> bits: adding and removing it costs less (12 ns)".
function entry.__tostring(self)
  local gain = self.gain == 0 and "" or format(" (%d ns a frame)", self.gain)
  return format("%s: %s -> %s: %s%s", self.component, self.from, self.to,
    self.reason, gain)
end

local list = {}

--- A line for each entry.
function list.__tostring(self)
  local lines = {}
  for k = 1, #self do lines[k] = tostring(self[k]) end
  return #lines == 0 and "nothing to gain" or concat(lines, "\n")
end

--- Tells a world's queries how often their systems ran; returns advice.
local function advice(world, moves)
  local state = system.state(world)
  for _, counted in ipairs(system.list(state)) do system.count_runs(counted) end
  local entries = core.advice(world, moves)
  for k = 1, #entries do setmetatable(entries[k], entry) end
  return setmetatable(entries, list)
end

local methods = {}

--- Stores components where a frame costs less, by what was counted since the
-- first frame, and halves counts of 512 frames or more. Returns a list of what
-- has moved: { component = name, from = place, to = place, reason = text,
-- gain = ns }; tostring makes text of it and of each entry. Raises an error
-- inside a callback, and while changes are recorded. Cost: milliseconds, and
-- that of world:group.
function methods.optimize(world)
  backend.check_world(world, "optimize")
  return advice(world, true)
end

--- The same, but nothing moves, and no count changes. Lists, too, which
-- components had better be a field of another, or a plain array.
function methods.advise(world)
  backend.check_world(world, "advise")
  return advice(world, false)
end

core.install("ecs.World", methods)

return true
