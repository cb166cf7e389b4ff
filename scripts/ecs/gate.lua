--- gate: the options of a system that keep it off at times.
--
--     in_state = "play"              only in this state of the world
--     when = function(world) end     only while this returns true
--     every = 0.5                    once in a while
--
-- They are asked in this order, once in each frame or step in which the system
-- would run. `every` counts the time of those in which the others let it run:
-- for a system that is kept off no time passes.
--
-- The gate stands before the run of such a system; others do not know of it. It
-- adds to a system (system.lua):
--
--     work_run  what runs the system, behind the gate; nil: it has no gate
--     work_idle  idle, as the run behind the gate knows it. For the gate's own
--               the system is never idle: it has to be asked
--     kept_off  did the gate keep the system off, the last time?
--     in_state  name of the state; nil: any
--     ask       calls `when` and keeps its answer in asked; nil: no `when`
--     asked     did `when` return true, the last time?
--     every     length of the period; nil: every frame
--     rest      what has passed of the next period
--     since     what has passed since the last run, or the definition

local require = require("ecs.standard").inner "ecs.gate"

local backend = require "ecs.backend"
local message = require "ecs.message"
local period = require "ecs.period"
local states = require "ecs.states"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local type = type
local format = string.format

local core = backend.core
local live, call_traced, find_state =
  core.live, core.call_traced, core.find_state
local pass = period.pass

local gate = {}

--- Asks `when`. Returns as a system's run does.
local function ask(world, system)
  local done, text = call_traced(system.ask, world)
  if not done then return false, true, text end
  return live(world) or nil
end

--- The time that a system gets which runs once in a while; nil: not now.
local function wait(system, dt)
  local since = system.since
  local count, rest = pass(system.rest, dt, system.every)
  if dt > 0 then since = since + dt end
  system.rest, system.since = rest, count == 0 and since or 0.0
  return count > 0 and since or nil
end

--- Is a system still to run, after `when` could change the systems?
local function is_current(state, system)
  return system.enabled and state.named[system.name] == system
end

--- Runs a system, if nothing keeps it off. Returns as every run does.
local function run(world, system, dt, clock)
  local state = find_state(world)
  local open = not system.in_state or system.in_state == state.state
  system.kept_off, system.runs = true, system.runs - 1
  if open and system.ask then
    local done, thrown, text = ask(world, system)
    if not done then return done, thrown, text end
    open = system.asked and is_current(state, system)
  end
  if open and system.every then
    dt = wait(system, dt)
    open = dt ~= nil
  end
  if not open then return true end
  system.kept_off, system.runs = false, system.runs + 1
  system.idle = system.work_idle
  local done, thrown, text = system.work_run(world, system, dt, clock)
  system.work_idle, system.idle = system.idle, false
  return done, thrown, text
end

--- What is wrong with the options of a system that is being defined; nil:
-- nothing.
function gate.objection(state, spec)
  local every, when, in_state = spec.every, spec.when, spec.in_state
  if every ~= nil and not period.is_length(every) then
    return "every is the time from one run to the next, a number above 0, not "
      .. message.describe(every)
  elseif when ~= nil and type(when) ~= "function" then
    return "when is a function, as in when = function(world) return true end, "
      .. "not " .. message.describe(when)
  elseif in_state ~= nil then
    local problem = states.objection(state, in_state)
    if problem then return "in_state: " .. problem end
  end
end

--- Keeps a system that is being defined off by its options, which were checked.
-- Its run is as event.lua leaves it: what keeps a system off comes before what
-- it meets.
function gate.prepare(system, spec)
  local every, when, in_state = spec.every, spec.when, spec.in_state
  system.in_state = in_state
  if every then
    system.every, system.rest, system.since = every + 0.0, 0.0, 0.0
  end
  if when then
    system.ask = function(world) system.asked = when(world) and true end
  end
  if every or when or in_state then
    system.work_run, system.run, system.work_idle = system.run, run, false
  end
end

--- What keeps a system off, for explain; "" where nothing does.
function gate.describe(system)
  local text = ""
  if system.in_state then
    text = text .. ", in state '" .. system.in_state .. "'"
  end
  if system.ask then text = text .. ", when its function says so" end
  if system.every then
    text = text .. format(", every %.14g", system.every)
  end
  return text
end

return gate
