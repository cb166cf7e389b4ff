--- frame: runs systems, by world:progress and world:run.
--
--     progress(dt)        phase by phase, every system that is enabled
--     run("draw", dt)     one phase; a frame of its own
--
-- A phase with a fixed step runs once for each step that has passed
-- (phases.lua); run makes one step of it, with the dt that it gets. Before each
-- phase and step the state of the world changes, if world:go has said so
-- (states.lua).
--
-- The order is fixed when a frame starts, and systems may change the set of
-- systems meanwhile. Systems removed, disabled or moved to another phase since
-- are skipped; replaced ones run their new function; new ones wait for the next
-- frame.
--
-- With flush = "frame" the world records every change of structure until the
-- frame's end, separately for each system: a system that fails takes back its
-- own changes and no others (bindings/lua/world/frames.c).
--
-- Each phase has a clock, the number of its runs from the first one on in which
-- the number was needed: a row has drawn (ecs.random), or a native kernel ran,
-- which gets it as `tick`. Until then the clock stands at 0, however often the
-- phase runs, and the run that needs it first is run 1. So the clock can be in
-- world:hash(), and a machine that never runs a phase agrees with one that does
-- while nothing follows from the number.
--
-- A frame in which nothing is defined allocates no Lua memory.

local require = require("ecs.standard").inner "ecs.frame"

local backend = require "ecs.backend"
local event = require "ecs.event"
local passes = require "ecs.passes"
local phases = require "ecs.phases"
local states = require "ecs.states"
local system = require "ecs.system"
local schedule = require "ecs.schedule"
local tracing = require "ecs.trace"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs = error, ipairs
local concat = table.concat

local core, is_idle = backend.core, backend.is_idle
local find_state, record, run_in_frame, live =
  core.find_state, core.record, core.frame, core.live
local pass_phase, change_state = phases.pass, states.change
local passes_of, run_pass = passes.of, passes.run
local take_trace, trace_line = core.take_trace, core.trace_line
local mark_seen, grid_ready = core.mark_seen, core.grid_ready
local grid_step = core.grid_step
local find, sub = string.find, string.sub
local type = type
local huge = math.huge

--- The system to run in place of a planned one, where systems were defined or
-- removed since the plan was made; nil: none of this name is in this phase.
local function current(state, planned, phase)
  local found = state.named[planned.name]
  return found and found.phase == phase and found or nil
end

--- The message of a system, or of a function that a change of the state calls:
-- the text, its place, and from a line of its own on where inside of it the
-- error was raised. A frame within it, of another world, may have added such
-- lines already.
local function blame(text, place)
  if type(text) ~= "string" then return text end
  local trace = take_trace(text)
  local first = find(text, trace_line, 1, true)
  local inner = first and sub(text, first) or ""
  if first then trace = sub(trace, #trace_line + 1) end
  return sub(text, 1, (first or 0) - 1) .. " (in " .. place .. ")" .. inner
    .. trace
end

--- Builds the grids that a system uses, unless they were built in this frame or
-- step. Returns as run_systems.
local function build_grids(grids)
  for k = 1, #grids do
    local done, thrown, text = grid_ready(grids[k])
    if not done then return done, thrown, text end
  end
  return true
end

--- Runs a system. Returns as its run does.
local function run_one(world, state, system_now, run, dt, clock)
  if system_now.uses then
    local done, thrown, text = build_grids(system_now.uses)
    if not done then return done, thrown, text end
  end
  if state.deferred then
    return record(world, run, world, system_now, dt, clock)
  end
  return run(world, system_now, dt, clock)
end

--- Runs the systems of a phase of a plan. Returns as a system's run does: true;
-- nil where the world is closed; or false, whether the script raised the error,
-- and the error.
local function run_systems(world, state, plan, index, dt)
  local phase, deferred = plan[index].phase, state.deferred
  local systems, clock = plan[index].systems, state.clocks[phase]
  local joined = passes_of(state, plan[index])
  local behind = 0 -- systems up to this one ran in a pass
  for k = 1, #systems do
    local system_now = systems[k]
    local pass = joined and joined[k]
    if pass and pass.joins == state.joins and state.plan == plan
      and not state.profile then
      local done, thrown, text, failed = run_pass(pass, state, dt, clock)
      if done then
        behind = pass.last
      elseif done == false then
        return done, thrown, blame(text, "system '" .. failed.name .. "'")
      end
    end
    if k <= behind then
      system_now = nil
    elseif state.plan ~= plan then
      system_now = current(state, system_now, phase)
    end
    if system_now and system_now.enabled then
      local done, thrown, text
      local profile = state.profile
      local run = profile or system_now.run
      system_now.runs = system_now.runs + 1
      if system_now.idle and not profile and is_idle(system_now.query) then
        done = true -- as its run would find, in fewer steps
      elseif system_now.uses then
        done, thrown, text = run_one(world, state, system_now, run, dt, clock)
      elseif deferred then
        done, thrown, text = record(world, run, world, system_now, dt, clock)
      else
        done, thrown, text = run(world, system_now, dt, clock)
      end
      if not done then
        return done, thrown, blame(text, "system '" .. system_now.name .. "'")
      end
      if system_now.changes then mark_seen(system_now.query) end
    end
  end
  return true
end

--- Runs one phase of a plan once, as a frame or a step does. Returns as
-- run_systems.
local function run_phase(world, state, plan, index, dt)
  local entry = plan[index]
  local clock = state.clocks[entry.phase]
  if clock.runs > 0 then clock.runs = clock.runs + 1 end
  if #entry.systems == 0 then return true end
  return run_systems(world, state, plan, index, dt)
end

--- Changes the state of the world, where world:go has said so. Returns as
-- run_systems.
local function change(world, state)
  local done, thrown, text, place = change_state(world, state)
  if done then return true end
  return done, thrown, blame(text, place)
end

--- Runs a phase with a fixed step as often as steps have passed. Returns as
-- run_systems.
local function run_steps(world, state, plan, index, dt)
  local clock = state.clocks[plan[index].phase]
  local step = clock.step
  for k = 1, pass_phase(clock, dt) do
    local done, thrown, text = true, nil, nil
    if k > 1 and state.next_state then
      done, thrown, text = change(world, state)
    end
    if done then
      if state.grids then grid_step(world, true) end
      done, thrown, text = run_phase(world, state, plan, index, step)
    end
    if not done then return done, thrown, text end
  end
  if state.grids then grid_step(world, false) end
  return true
end

--- Runs the phases of a plan, or only the one with the index alone. Returns as
-- run_systems, but true where a system closed the world: no systems are left to
-- run, and that is no error.
local function run_phases(world, state, plan, alone, dt)
  local clocks = state.clocks
  state.tick = state.tick + 1
  if event.exist() then event.age(world, state) end
  for k = alone or 1, alone or #plan do
    local done, thrown, text = true, nil, nil
    if state.next_state then done, thrown, text = change(world, state) end
    if not done then return done == nil, thrown, text end
    if not alone and clocks[plan[k].phase].step then
      done, thrown, text = run_steps(world, state, plan, k, dt)
    else
      done, thrown, text = run_phase(world, state, plan, k, dt)
    end
    if not done then return done == nil, thrown, text end
  end
  return true
end

--- Counts for world:optimize begin with the first frame that has a system with
-- a query: what came before it was setting up.
local function begin_counting(state, systems)
  for k = 1, #systems do
    if systems[k].query and not state.counts then
      core.count_runs(systems[k].query, 0)
      state.counts = true
    end
  end
end

local frame = {}

--- The plan for a world's systems, made anew where they have changed; or nil
-- and an error message. A finalizer may change the systems while the plan is
-- made: then the plan is used once and not kept.
function frame.plan(state)
  if state.plan then return state.plan end
  local systems, named, changes = {}, {}, state.changes
  local all = system.list(state)
  for k = 1, state.last do
    local planned = all[k] -- nil: a finalizer has just removed it
    if planned then
      systems[#systems + 1], named[planned.name] = planned, planned
    end
  end
  if not state.counts then begin_counting(state, systems) end
  local plan, text = schedule.plan(state.phases, systems)
  for _, phase in ipairs(plan or {}) do
    phase.systems = {}
    for k, name in ipairs(phase.names) do phase.systems[k] = named[name] end
  end
  if state.changes == changes then state.plan = plan end
  return plan, text
end

--- Is dt a finite number? Every comparison with NaN is false.
local function is_duration(dt)
  return type(dt) == "number" and dt > -huge and dt < huge
end

--- Runs all phases, or the one with the index phase. Errors blame the caller of
-- the method that calls this.
local function run_frame(world, state, call, phase, dt)
  local plan = state.plan
  if not plan then
    local problem
    plan, problem = frame.plan(state)
    if not plan then error("ecs: " .. problem, 3) end
  end
  local frames = state.tick
  local done, thrown, text = run_in_frame(world, call, state.deferred,
    run_phases, world, state, plan, phase, dt)
  if state.tick > frames and state.events and live(world) then
    event.sweep(world, state)
  end
  if state.trace then tracing.end_frame(state, live(world)) end
  if not done then error(text, thrown and 0 or 3) end
end

--- The state of the world that a method was called on. Costs one lookup where
-- all is well; otherwise finds the error and raises it.
local function state_for(world, call)
  local state = find_state(world)
  if state and state.systems then return state end
  backend.check_world(world, call, 4)
  return system.state(world)
end

local methods = {}

--- Runs one frame: every phase, in order. dt is the time since the last frame,
-- a finite number. Raises the error of a system that fails.
function methods.progress(world, dt)
  local state = state_for(world, "progress")
  if not is_duration(dt) then
    error("ecs: progress takes the seconds since the last frame, as in "
      .. "world:progress(1 / 60)", 2)
  end
  run_frame(world, state, "progress", nil, dt)
end

--- Runs one phase, as a frame of its own. Of a phase with a fixed step this is
-- one step, and what has passed of the next one stays as it is. Raises an error
-- if there is no such phase, and the error of a system that fails.
function methods.run(world, phase, dt)
  local state = state_for(world, "run")
  local index = state.ranks[phase]
  if type(phase) ~= "string" or not is_duration(dt) then
    error("ecs: run takes a phase and the seconds since the last frame, as in "
      .. "world:run('" .. state.phases[1] .. "', 1 / 60)", 2)
  elseif not index then
    error("ecs: run: there is no phase '" .. phase .. "' (there are "
      .. concat(state.phases, ", ") .. ")", 2)
  end
  run_frame(world, state, "run", index, dt)
end

core.install("ecs.World", methods)

return frame
