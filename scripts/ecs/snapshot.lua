--- snapshot: copies of the state of a world, and how it goes back to one.
--
--     local before = world:snapshot()    world:restore(before)
--     local past = world:history(8)      past:take()    past:rewind(3)
--
-- A snapshot has two parts, which are taken and put back together:
--
--     ecs.core     entities, values, storage, links, names
--     here         the seed; clocks of phases; which systems are disabled, and
--                  their time; totals; the state that the world is in
--
-- What is here goes by the names of phases and systems.

local require = require("ecs.standard").inner "ecs.snapshot"

local backend = require "ecs.backend"
local event = require "ecs.event"
local message = require "ecs.message"
local passes = require "ecs.passes"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, next, type = error, ipairs, next, type
local format, setmetatable = string.format, setmetatable

local core = backend.core

-- snapshot -> what is here of it
local parts = setmetatable({}, { __mode = "k" })

-- The part that is here -------------------------------------------------------

local function read_systems(state)
  local systems = {}
  for _, entry in ipairs(system.list(state)) do
    system.count_runs(entry)
    systems[entry.name] = {
      enabled = entry.enabled, rest = entry.rest, since = entry.since,
    }
  end
  return systems
end

--- Names of the systems with a tag that an event has, by the numbers of tags.
local function read_met(state)
  local met, events = {}, state.events
  for number = 1, events and events.most or 0 do
    local entry = events.numbers[number]
    if entry and entry.marked:count() > 0 then met[number] = entry.name end
  end
  return met
end

local function read(world, state)
  local clocks = {}
  for name, clock in next, state.clocks do
    clocks[name] = { runs = clock.runs, rest = clock.rest }
  end
  return {
    seed = core.seed(world), clocks = clocks, systems = read_systems(state),
    totals = core.tallies(world), met = read_met(state), state = state.state,
    next_state = state.next_state,
  }
end

--- Systems that came later begin anew.
local function put_systems(state, systems)
  for _, entry in ipairs(system.list(state)) do
    local was = systems[entry.name]
    if was then passes.enable(entry, was.enabled) end
    if entry.rest then
      entry.rest = was and was.rest or 0.0
      entry.since = was and was.since or 0.0
    end
    passes.settle(entry)
    entry.counted = entry.runs -- what waits to be counted has not been
  end
  event.change(state)
end

local function put(world, state, part)
  core.set_seed(world, part.seed)
  for name, clock in next, state.clocks do
    local was = part.clocks[name]
    clock.runs = was and was.runs or 0
    if clock.step then clock.rest = was and was.rest or 0.0 end
  end
  put_systems(state, part.systems)
  core.put_tallies(world, part.totals)
  state.state, state.next_state = part.state, part.next_state
end

-- Snapshots -------------------------------------------------------------------

local function take(world, snapshot, level)
  local state = system.state(world)
  local part = read(world, state)
  local taken, problem = core.take(snapshot)
  if not taken then error(problem, level + 1) end
  parts[snapshot] = part
end

local function create(world, level)
  local snapshot, problem = core.snapshot(world)
  if not snapshot then error(problem, level + 1) end
  return snapshot
end

local function restore(world, snapshot, level)
  local state = system.state(world)
  local done, problem = core.restore(snapshot)
  if not done then error(problem, level + 1) end
  put(world, state, parts[snapshot])
end

local methods = {}

--- Copies the state of the world. into: a snapshot of it to be used again; it
-- then holds the new state, and is returned. Raises an error inside callbacks
-- and frames, and where memory is refused; then a snapshot that was given holds
-- what it held.
function methods.snapshot(world, into)
  backend.check_world(world, "snapshot")
  if into ~= nil and (core.kind(into) ~= "ecs.Snapshot"
    or core.snapshot_world(into) ~= world) then
    error("ecs: snapshot takes nothing, or a snapshot of this world to use "
      .. "again, not " .. message.describe(into), 2)
  end
  core.check_idle(world, "snapshot")
  local snapshot = into or create(world, 2)
  take(world, snapshot, 2)
  return snapshot
end

--- Puts the state of a snapshot back. Raises an error inside callbacks and
-- frames, and where memory is refused; then nothing has changed.
function methods.restore(world, snapshot)
  backend.check_world(world, "restore")
  if core.kind(snapshot) ~= "ecs.Snapshot" then
    error("ecs: restore takes what world:snapshot gave, not "
      .. message.describe(snapshot), 2)
  elseif core.snapshot_world(snapshot) ~= world then
    error("ecs: restore: the snapshot is of another world", 2)
  elseif not parts[snapshot] then
    error("ecs: restore: the snapshot holds no state", 2)
  end
  core.check_idle(world, "restore")
  restore(world, snapshot, 2)
end

-- Histories -------------------------------------------------------------------

--- The most states of a history.
local MOST = 4096

local function is_count(value, most)
  return type(value) == "number" and value % 1 == 0 and value >= 1
    and value <= most
end

local function refuse_back(back, held, level)
  if not is_count(back, MOST) then
    error("ecs: rewind takes how many states to go back, 1 for the last one "
      .. "that was taken, not " .. message.describe(back), level + 1)
  elseif back > held then
    error("ecs: rewind: the history holds " .. held
      .. (held == 1 and " state" or " states") .. ", so there is none "
      .. format("%.0f", back) .. " back", level + 1)
  end
end

--- Begins a history of the world: the last `most` states that were taken. Their
-- memory is used again and again.
function methods.history(world, most)
  backend.check_world(world, "history")
  if not is_count(most, MOST) then
    error("ecs: history takes how many states it may hold, from 1 to " .. MOST
      .. ", not " .. message.describe(most), 2)
  end
  -- ring[1] to ring[most]: the newest state is at `last`, `held` are in use.
  local ring, last, held, past = {}, 0, 0, {}

  --- Copies the state; the oldest one is forgotten where there is no room.
  function past.take()
    backend.check_world(world, "take")
    core.check_idle(world, "take")
    local place = last % most + 1
    ring[place] = ring[place] or create(world, 2)
    take(world, ring[place], 2)
    last = place
    if held < most then held = held + 1 end
  end

  --- Puts the state back that was taken `back` times ago; 1: the last one.
  -- Later ones are forgotten.
  function past.rewind(_, back)
    backend.check_world(world, "rewind")
    refuse_back(back, held, 2)
    core.check_idle(world, "rewind")
    local place = (last - back) % most + 1
    restore(world, ring[place], 2)
    last, held = place, held - (back - 1)
  end

  --- How many states there are to go back to.
  function past.count() return held end

  return past
end

core.install("ecs.World", methods)

--- What is here of a snapshot; nil: it holds no state.
local function part_of(snapshot) return parts[snapshot] end

return { part_of = part_of, put = put, read = read }
