--- frame: runs systems, by world:progress and world:run.
--
--     progress(dt)        phase by phase, every system that is enabled
--     run("draw", dt)     one phase; a frame of its own
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

local backend = require "ecs.backend"
local system = require "ecs.system"
local schedule = require "ecs.schedule"

local core, is_idle = backend.core, backend.is_idle
local find_state, record, run_in_frame =
  core.find_state, core.record, core.frame
local take_trace, trace_line = core.take_trace, core.trace_line
local find, sub = string.find, string.sub
local type = type
local huge = math.huge

--- The system to run in place of a planned one, where systems were defined or
-- removed since the plan was made; nil: none of this name is in this phase.
local function current(state, planned, phase)
  local found = state.named[planned.name]
  return found and found.phase == phase and found or nil
end

--- A system's message: the text, the system's name, and from a line of its own
-- on where inside of the system it was raised. A frame within it, of another
-- world, may have added such lines already.
local function blame(text, system_now)
  local trace = take_trace(text)
  local first = find(text, trace_line, 1, true)
  local inner = first and sub(text, first) or ""
  if first then trace = sub(trace, #trace_line + 1) end
  return sub(text, 1, (first or 0) - 1) .. " (in system '" .. system_now.name
    .. "')" .. inner .. trace
end

--- Runs the systems of a phase of a plan. Returns as a system's run does: true;
-- nil where the world is closed; or false, whether the script raised the error,
-- and the error.
local function run_systems(world, state, plan, index, dt)
  local phase, deferred = plan[index].phase, state.deferred
  local systems, clock = plan[index].systems, state.clocks[phase]
  for k = 1, #systems do
    local system_now = systems[k]
    if state.plan ~= plan then
      system_now = current(state, system_now, phase)
    end
    if system_now and system_now.enabled then
      local done, thrown, text
      local profile = state.profile
      local run = profile or system_now.run
      system_now.runs = system_now.runs + 1
      if system_now.idle and not profile and is_idle(system_now.query) then
        done = true -- as its run would find, in fewer steps
      elseif deferred then
        done, thrown, text = record(world, run, world, system_now, dt, clock)
      else
        done, thrown, text = run(world, system_now, dt, clock)
      end
      if not done then
        if type(text) == "string" then text = blame(text, system_now) end
        return done, thrown, text
      end
    end
  end
  return true
end

--- Runs the phases first to last of a plan. Returns as run_systems, but true
-- where a system closed the world: no systems are left to run, and that is no
-- error.
local function run_phases(world, state, plan, first, last, dt)
  local clocks = state.clocks
  state.tick = state.tick + 1
  for k = first, last do
    local entry = plan[k]
    local clock = clocks[entry.phase]
    if clock.runs > 0 then clock.runs = clock.runs + 1 end
    if #entry.systems > 0 then
      local done, thrown, text = run_systems(world, state, plan, k, dt)
      if not done then return done == nil, thrown, text end
    end
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
  local first, last = phase or 1, phase or #plan
  local done, thrown, text = run_in_frame(world, call, state.deferred,
    run_phases, world, state, plan, first, last, dt)
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

--- Runs one phase, as a frame of its own. Raises an error if there is no such
-- phase, and the error of a system that fails.
function methods.run(world, phase, dt)
  local state = state_for(world, "run")
  local index = state.ranks[phase]
  if type(phase) ~= "string" or not is_duration(dt) then
    error("ecs: run takes a phase and the seconds since the last frame, as in "
      .. "world:run('" .. state.phases[1] .. "', 1 / 60)", 2)
  elseif not index then
    error("ecs: run: there is no phase '" .. phase .. "' (there are "
      .. table.concat(state.phases, ", ") .. ")", 2)
  end
  run_frame(world, state, "run", index, dt)
end

core.install("ecs.World", methods)

return frame
