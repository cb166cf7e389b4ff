--- phases: the phases of a world, and those that run in fixed steps.
--
--     ecs.world { phases = { "input", { "simulate", fixed = 1 / 60, most = 5 },
--                            "draw" } }
--
-- A phase with a fixed step runs as often in a frame as steps have passed, and
-- its systems get the step as dt. What has passed of the next step stays:
--
--     frames    |---------------|---------------|--------
--     steps     |------|------|------|------|------|-----
--     rest                    |-|           |---|
--
-- Each phase has a clock, in the world's state (system.lua):
--
--     runs      see frame.lua
--     step      length of a step; nil: the phase runs once a frame
--     most      steps of one frame; whole steps beyond are dropped
--     rest      what has passed of the next step, less than step
--     dropped   whole steps that were dropped so far

local require = require("ecs.standard").inner "ecs.phases"

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local plain_table = require "ecs.plain_table"
local message = require "ecs.message"
local period = require "ecs.period"
local query = require "ecs.query"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, rawget, type = error, ipairs, rawget, type
local concat, format = table.concat, string.format

local core = backend.core

local phases = {}

local DEFAULT = { { name = "first" }, { name = "update" }, { name = "last" } }

--- The most steps of a frame, unless its phase says otherwise.
local DEFAULT_MOST = 5
local MOST_STEPS = 2 ^ 31

local keys = { [1] = true, fixed = true, most = true }

local function fail(text, level) error("ecs: world: " .. text, level) end

--- The name in entry k of the list. Raises an error if it is none.
local function check_name(name, k, level)
  if type(name) == "string" and core.is_name(name) then return name end
  fail("phases lists names: entry " .. k .. " is " .. message.describe(name),
    level + 1)
end

--- Entry k of the list, which is a table, as { name, step, most }.
local function read_fixed(entry, k, level)
  entry = plain_table(entry, "world", "entry " .. k .. " of phases", keys,
    "list")
  local name = check_name(rawget(entry, 1), k, level + 1)
  local step, most = rawget(entry, "fixed"), rawget(entry, "most")
  local label = "phase '" .. name .. "'"
  for key in safe_pairs(entry) do
    if not keys[key] then
      fail(label .. " has no option " .. message.describe(key)
        .. " (there are fixed, most)", level + 1)
    end
  end
  if step == nil then
    fail(label .. " has no fixed step: write its name alone, or fixed = 1 / 60",
      level + 1)
  elseif not period.is_length(step) then
    fail(label .. ": fixed is the length of a step, a number above 0, not "
      .. message.describe(step), level + 1)
  end
  if most == nil then most = DEFAULT_MOST end
  if type(most) ~= "number" or most % 1 ~= 0 or most < 1
    or most > MOST_STEPS then
    fail(label .. ": most is the number of steps that a frame may have, at "
      .. "least 1, not " .. message.describe(most), level + 1)
  end
  return { name = name, step = step + 0.0, most = most }
end

--- A checked copy of the list of phases, as a list of { name, step, most }; nil
-- for nil, which stands for the default phases. level: as in world.lua.
function phases.read(list, level)
  if list == nil then return nil end
  local read, seen = {}, {}
  if type(list) == "table" then
    list = plain_table(list, "world", "phases", nil, "list")
  end
  if type(list) ~= "table" or query.length(list) == 0 then
    fail("phases is a list of names, as in phases = "
      .. "{ 'first', 'update', 'last' }", level + 1)
  end
  for key in safe_pairs(list) do
    if type(key) ~= "number" then
      fail("phases has no option " .. message.describe(key) .. ": a step "
        .. "stands in braces with its phase, as in phases = { { 'simulate', "
        .. "fixed = 1 / 60 }, 'draw' }", level + 1)
    end
  end
  for k = 1, query.length(list) do
    local entry = rawget(list, k)
    if type(entry) == "table" then
      read[k] = read_fixed(entry, k, level + 1)
    else
      read[k] = { name = check_name(entry, k, level + 1) }
    end
    local name = read[k].name
    if seen[name] then
      fail("phases names '" .. name .. "' twice", level + 1)
    end
    seen[name] = true
  end
  return read
end

--- Gives the state of a new world its phases: what read returns.
function phases.prepare(state, list)
  local names, ranks, clocks = {}, {}, {}
  for k, phase in ipairs(list or DEFAULT) do
    names[k], ranks[phase.name] = phase.name, k
    clocks[phase.name] = { runs = 0 }
    if phase.step then
      local clock = clocks[phase.name]
      clock.step, clock.most, clock.rest = phase.step, phase.most, 0.0
      clock.dropped = 0
    end
  end
  state.phases, state.ranks, state.clocks = names, ranks, clocks
end

--- Lets dt pass for a phase with a fixed step. Returns how many steps to run.
function phases.pass(clock, dt)
  local count, rest = period.pass(clock.rest, dt, clock.step)
  clock.rest = rest
  if count <= clock.most then return count end
  clock.dropped = clock.dropped + (count - clock.most)
  return clock.most
end

--- The number of steps that were dropped in all phases.
function phases.dropped(state)
  local count = 0
  for _, name in ipairs(state.phases) do
    count = count + (state.clocks[name].dropped or 0)
  end
  return count
end

--- How a phase runs, for explain; "" for one that runs once a frame.
function phases.describe(clock)
  if not clock.step then return "" end
  return format(", in steps of %.14g, at most %.0f a frame", clock.step,
    clock.most)
end

local methods = {}

--- The step of a phase that has one, what has passed of the next step, and that
-- as a part of the step, from 0 up to 1. Raises an error for any other phase.
function methods.phase(world, name)
  backend.check_world(world, "phase")
  local state = core.state(world)
  local clock = state.clocks and state.clocks[name]
  if type(name) ~= "string" then
    error("ecs: phase takes the name of a phase, not "
      .. message.describe(name), 2)
  elseif not clock and state.phases then
    error("ecs: phase: there is no phase '" .. name .. "' (there are "
      .. concat(state.phases, ", ") .. ")", 2)
  elseif not clock or not clock.step then
    error("ecs: phase: '" .. name .. "' has no fixed step, as phases = { { '"
      .. name .. "', fixed = 1 / 60 } } gives it", 2)
  end
  return clock.step, clock.rest, clock.rest / clock.step
end

core.install("ecs.World", methods)

return phases
