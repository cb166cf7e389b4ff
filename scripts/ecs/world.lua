--- world: makes worlds.
--
--     ecs.world { phases = { "input", "update", "draw" }, flush = "frame",
--                 precision = "double" }
--
-- What a world does is in ecs.core (entities, hashes, groups) and in the files
-- that add methods: query, system, frame, explain.

local native = require "ecs.backend"
local entries = require "ecs.safe_pairs"
local message = require "ecs.message"
local query = require "ecs.query"
local system = require "ecs.system"
require "ecs.frame"
require "ecs.explain"

local core = native.core

local known = { phases = true, flush = true, seed = true, precision = true }
local later = { threads = true }

-- In this file, too, level is whom to blame: what error would take in the
-- function that gets it.

--- A list of the names of phases, checked and copied; nil: the usual ones.
local function read_phases(list, level)
  if list == nil then return nil end
  local phases, seen = {}, {}
  if type(list) ~= "table" or query.length(list) == 0 then
    error("ecs: world: phases is a list of names, as in phases = "
      .. "{ 'first', 'update', 'last' }", level)
  end
  for k = 1, query.length(list) do
    local phase = list[k]
    if type(phase) ~= "string" or not core.is_name(phase) then
      error("ecs: world: phases lists names: entry " .. k .. " is "
        .. message.describe(phase), level)
    elseif seen[phase] then
      error("ecs: world: phases names '" .. phase .. "' twice", level)
    end
    phases[k], seen[phase] = phase, true
  end
  return phases
end

--- Are changes to wait for the end of the frame?
local function read_flush(flush, level)
  if flush == nil or flush == "system" then return false end
  if flush == "frame" then return true end
  error("ecs: world: flush is 'system' or 'frame', not "
    .. message.describe(flush), level)
end

--- What all that ecs.random draws in the world follows from.
local function read_seed(seed, level)
  if seed == nil then return 0 end
  if type(seed) == "number" and seed >= 0 and seed <= 2 ^ 53
    and seed % 1 == 0 then
    return seed
  end
  error("ecs: world: seed is a whole number from 0 to 2^53, not "
    .. message.describe(seed), level)
end

--- How compiled functions compute, unless a system says it.
local function read_precision(precision, level)
  if precision == nil or precision == "fields" or precision == "double" then
    return precision
  end
  error("ecs: world: precision is 'fields' or 'double', not "
    .. message.describe(precision), level)
end

local function check_keys(options, level)
  for key in entries(options) do
    if later[key] then
      error("ecs: world: " .. key .. " is not here yet: leave it out", level)
    elseif not known[key] then
      error("ecs: world has no option " .. message.describe(key)
        .. " (there are phases, flush, seed, precision)", level)
    end
  end
end

-- A world that a C host pushes gets the default phases.
core.on_push(function(pushed)
  system.prepare(pushed, read_phases(nil, 2), read_flush(nil, 2))
end)

local world = {}

--- Makes a world. options is a table, and may be left out:
--
--     phases    names, in the order in which they run;
--               { "first", "update", "last" } unless given
--     flush     when what systems record is applied: "system", at the end of
--               each system, or "frame"
--     seed      a whole number that ecs.random goes by; 0 unless given
--     precision how compiled functions compute: "fields", or "double"
function world.create(options)
  if options == nil then options = {} end
  if type(options) ~= "table" then
    error("ecs: world takes a table of options, as in ecs.world {}", 2)
  end
  if rawget(options, "_NAME") == "ecs" then -- ecs:world {}
    error("ecs: world is called with '.', as in ecs.world {}", 2)
  end
  check_keys(options, 3)
  local phases = read_phases(options.phases, 3)
  local deferred = read_flush(options.flush, 3)
  local seed = read_seed(options.seed, 3)
  local precision = read_precision(options.precision, 3)
  local made = core.world()
  core.set_seed(made, seed)
  system.prepare(made, phases, deferred)
  system.state(made).precision = precision
  return made
end

return world
