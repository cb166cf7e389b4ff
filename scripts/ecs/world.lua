--- world: makes worlds.
--
--     ecs.world { phases = { "input", "update", "draw" }, flush = "frame",
--                 states = { "menu", "play" }, precision = "double",
--                 compile = false, memory_limit = "64M", threads = 2 }
--
-- The methods of a world are in ecs.core (entities, groups) and in the files
-- that add more: query, phases, states, system, frame, explain, hash.

local require = require("ecs.standard").inner "ecs.world"

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local plain_table = require "ecs.plain_table"
local message = require "ecs.message"
local phases = require "ecs.phases"
local states = require "ecs.states"
local system = require "ecs.system"
require "ecs.frame"
require "ecs.profile"
require "ecs.explain"
require "ecs.hash"
require "ecs.snapshot"
require "ecs.save"
require "ecs.pack"
require "ecs.advice"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, rawget, tonumber, type = error, rawget, tonumber, type

local core = backend.core
local match = string.match
local min = math.min

local known = { phases = true, flush = true, states = true, seed = true,
                precision = true, compile = true, memory_limit = true,
                threads = true, passes = true }

-- In this file, level says which line an error blames: it is the level that
-- error() would take inside the function that receives it.

--- Are changes applied at the end of the frame, rather than of each system?
local function read_flush(flush, level)
  if flush == nil or flush == "system" then return false end
  if flush == "frame" then return true end
  error("ecs: world: flush is 'system' or 'frame', not "
    .. message.describe(flush), level)
end

--- The seed of ecs.random in this world; 0 unless given.
local function read_seed(seed, level)
  if seed == nil then return 0 end
  if type(seed) == "number" and seed >= 0 and seed <= 2 ^ 53
    and seed % 1 == 0 then
    return seed
  end
  error("ecs: world: seed is a whole number from 0 to 2^53, not "
    .. message.describe(seed), level)
end

--- The precision of compiled functions, unless their system names another.
local function read_precision(precision, level)
  if precision == nil or precision == "fields" or precision == "double" then
    return precision
  end
  error("ecs: world: precision is 'fields' or 'double', not "
    .. message.describe(precision), level)
end

--- Are all functions of the world plain Lua?
local function read_compile(compile, level)
  if compile == nil or compile == false then return compile == false end
  error("ecs: world: compile is false, so that all functions run as plain Lua, "
    .. "or left out, not " .. message.describe(compile), level)
end

local units = { [""] = 1, k = 2 ^ 10, M = 2 ^ 20, G = 2 ^ 30 }
local LEAST_LIMIT, MOST_LIMIT = 64 * 2 ^ 10, 2 ^ 53

--- The most bytes that the world may hold; 0: any number.
local function read_memory_limit(limit, level)
  if limit == nil then return 0 end
  local bytes = limit
  if type(limit) == "string" then
    local number, unit = match(limit, "^(%d+)([kMG]?)$")
    bytes = number and tonumber(number) * units[unit]
  end
  if type(bytes) ~= "number" or bytes % 1 ~= 0 or bytes > MOST_LIMIT then
    error("ecs: world: memory_limit is a whole number of bytes, or a text such "
      .. "as '64M' (k, M, G are 2^10, 2^20, 2^30), not "
      .. message.describe(limit), level)
  elseif bytes < LEAST_LIMIT then
    error("ecs: world: memory_limit is at least 64k, not "
      .. message.describe(limit), level)
  end
  return bytes
end

local MOST_THREADS = 64

--- How many threads may run the systems of the world.
local function read_threads(threads, level)
  if threads == nil then return 1 end
  if threads == "auto" then return min(core.cores(), MOST_THREADS) end
  if type(threads) ~= "number" or threads % 1 ~= 0 or threads < 1
    or threads > MOST_THREADS then
    error("ecs: world: threads is a whole number from 1 to 64, or 'auto', not "
      .. message.describe(threads), level)
  end
  return threads
end

--- Does each system run by itself?
local function read_passes(given, level)
  if given == nil or given == false then return given == false end
  error("ecs: world: passes is false, so that each system runs by itself, "
    .. "or left out, not " .. message.describe(given), level)
end

--- A checked copy of a script's options.
local function copy(given, level)
  local options = {}
  given = plain_table(given, "world", "its table of options", known)
  for key, value in safe_pairs(given) do
    options[key] = value
    if not known[key] then
      error("ecs: world has no option " .. message.describe(key)
        .. " (there are phases, flush, states, seed, precision, "
        .. "compile, memory_limit, threads, passes)", level)
    end
  end
  return options
end

-- A world that a C host pushes gets the default phases.
core.on_push(function(pushed)
  system.prepare(pushed, nil, read_flush(nil, 2))
end)

local world = {}

--- Makes a world. options is a table, and may be left out:
--
--     phases    a list of names, in the order in which the phases run;
--               { "first", "update", "last" } unless given. A phase in fixed
--               steps is a table, { "simulate", fixed = 1 / 60, most = 5 }
--     flush     when the changes that systems record are applied: at the end
--               of each "system" (the default), or of the "frame"
--     states    a list of names, of which the first is the state at first; none
--               unless given
--     seed      a whole number from 0 to 2^53, from which ecs.random draws; 0
--               unless given
--     precision how compiled functions compute: in the types of the "fields"
--               (the default), or in "double"
--     compile   false: all functions of systems and of query:each run as plain
--               Lua, for debuggers; whatever a system says
--     threads   how many threads may run compiled functions and kernels, from 1
--               to 64; "auto": as many as there are cores; 1 unless given. The
--               results are the same with any number
--     passes    false: each system runs by itself; the results are the same
--     memory_limit  the most bytes that the world may hold, as a number or a
--               text with k, M or G; no limit unless given
--
-- Raises an error if an option has the wrong form or an unknown name.
function world.create(options)
  if options == nil then options = {} end
  if type(options) ~= "table" then
    error("ecs: world takes a table of options, as in ecs.world {}", 2)
  end
  if rawget(options, "_NAME") == "ecs" then -- ecs:world {}
    error("ecs: world is called with '.', as in ecs.world {}", 2)
  end
  options = copy(options, 3)
  local list = phases.read(options.phases, 3)
  local names, ranks = states.read(options.states, 3)
  local deferred = read_flush(options.flush, 3)
  local seed = read_seed(options.seed, 3)
  local precision = read_precision(options.precision, 3)
  local plain = read_compile(options.compile, 3)
  local limit = read_memory_limit(options.memory_limit, 3)
  local threads = read_threads(options.threads, 3)
  local alone = read_passes(options.passes, 3)
  local made = core.world(limit)
  core.set_seed(made, seed)
  core.set_threads(made, threads)
  system.prepare(made, list, deferred, names, ranks)
  local state = system.state(made)
  state.precision, state.plain, state.threads = precision, plain, threads
  state.alone = alone
  return made
end

return world
