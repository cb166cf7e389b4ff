--- frame: runs systems: progress and run.
--
--     progress(dt)        phase by phase, every system that is enabled
--     run("draw", dt)     one phase; a frame of its own
--
-- A frame follows the plan it began with. When its turn comes, a system is what
-- its name stands for then: removed, disabled or moved to another phase
-- meanwhile, it is skipped; replaced, its replacement runs; and one whose name
-- is new waits for the next frame. So systems may change the set of systems.
--
-- With flush = "frame" the world records every change of structure until the
-- frame's end, system by system, so that one which fails takes back what it
-- recorded and nothing else (bindings/lua/frames.c).
--
-- A frame in which nothing is defined allocates no Lua memory.

local backend = require "ecs.backend"
local system = require "ecs.system"
local schedule = require "ecs.schedule"

local core = backend.core
local find_state, record, run_in_frame =
  core.find_state, core.record, core.frame
local type = type
local huge = math.huge

--- What the place of a system in a plan stands for, when systems were defined
-- or removed since the plan was made; nil: nothing that runs here.
local function current(state, planned, phase)
  local wanted = state.named[planned.name]
  return wanted and wanted.phase == phase and wanted or nil
end

--- Runs the systems of one phase of a plan. Returns as they do: true; nil: the
-- world is closed; or false, whether the error is the script's own, and the
-- error.
local function run_systems(world, state, plan, place, dt)
  local phase, deferred, tick = plan[place].phase, state.deferred, state.tick
  local systems, run_number = plan[place].systems, state.phase_runs[phase]
  for k = 1, #systems do
    local wanted = systems[k]
    if state.plan ~= plan then wanted = current(state, wanted, phase) end
    if wanted and wanted.enabled then
      local done, thrown, text
      if deferred then
        done, thrown, text = record(world, wanted.run, world, wanted, dt, tick,
          run_number)
      else
        done, thrown, text = wanted.run(world, wanted, dt, tick, run_number)
      end
      if not done then
        if type(text) == "string" then
          text = text .. " (in system '" .. wanted.name .. "')"
        end
        return done, thrown, text
      end
    end
  end
  return true
end

--- Runs the phases from first to last of a plan. A world that is closed on the
-- way has no more systems to run, which is no error.
local function run_phases(world, state, plan, first, last, dt)
  local runs = state.phase_runs
  state.tick = state.tick + 1
  for k = first, last do
    local entry = plan[k]
    runs[entry.phase] = runs[entry.phase] + 1
    if #entry.systems > 0 then
      local done, thrown, text = run_systems(world, state, plan, k, dt)
      if not done then return done == nil, thrown, text end
    end
  end
  return true
end

local frame = {}

--- The plan for a world's systems, made when they have changed; or nil and what
-- is wrong with them. A finalizer may change them while it is made: then it is
-- good for what began, and not kept.
function frame.plan(state)
  if state.plan then return state.plan end
  local systems, named, changes = {}, {}, state.changes
  for k, planned in ipairs(state.systems) do
    systems[k], named[planned.name] = planned, planned
  end
  local plan, text = schedule.plan(state.phases, systems)
  for _, phase in ipairs(plan or {}) do
    phase.systems = {}
    for k, name in ipairs(phase.names) do phase.systems[k] = named[name] end
  end
  if state.changes == changes then state.plan = plan end
  return plan, text
end

--- Not for NaN, which no comparison holds for.
local function is_duration(dt)
  return type(dt) == "number" and dt > -huge and dt < huge
end

--- Runs phases; errors are for the caller of the method that calls this.
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

--- The state of the world that a method was called on. One look when all is
-- well, and what is wrong otherwise.
local function state_for(world, call)
  local state = find_state(world)
  if state and state.systems then return state end
  backend.check_world(world, call, 4)
  return system.state(world)
end

local methods = {}

--- Runs one frame: every phase, in order. dt is the time since the last.
function methods.progress(world, dt)
  local state = state_for(world, "progress")
  if not is_duration(dt) then
    error("ecs: progress takes the seconds since the last frame, as in "
      .. "world:progress(1 / 60)", 2)
  end
  run_frame(world, state, "progress", nil, dt)
end

--- Runs one phase, as a frame of its own.
function methods.run(world, phase, dt)
  local state = state_for(world, "run")
  local place = state.ranks[phase]
  if type(phase) ~= "string" or not is_duration(dt) then
    error("ecs: run takes a phase and the seconds since the last frame, as in "
      .. "world:run('" .. state.phases[1] .. "', 1 / 60)", 2)
  elseif not place then
    error("ecs: run: there is no phase '" .. phase .. "' (there are "
      .. table.concat(state.phases, ", ") .. ")", 2)
  end
  run_frame(world, state, "run", place, dt)
end

core.install("ecs.World", methods)

return frame
