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

local native = require "ecs.native"
local system = require "ecs.system"
local schedule = require "ecs.schedule"

local core = native.core
local live, record = core.live, core.record
local run = system.run

--- Runs the systems of one phase of a plan. Returns as they do: true; or false,
-- whether the error is the script's own, and the error.
local function run_phase(world, state, phase, dt)
  local names, deferred, tick = phase.names, state.deferred, state.tick
  local turn = state.turns[phase.phase] + 1
  state.turns[phase.phase] = turn
  for k = 1, #names do
    local wanted = state.named[names[k]]
    if wanted and wanted.enabled and wanted.phase == phase.phase then
      local work = run[wanted.kind]
      local done, thrown, text
      if deferred then
        done, thrown, text = record(world, work, world, wanted, dt, tick,
          turn)
      else
        done, thrown, text = work(world, wanted, dt, tick, turn)
      end
      if not done then
        if type(text) == "string" then
          text = text .. " (in system '" .. wanted.name .. "')"
        end
        return false, thrown, text
      end
      if not live(world) then return true end
    end
  end
  return true
end

--- Runs the phases from first to last of a plan.
local function run_phases(world, state, plan, first, last, dt)
  state.tick = state.tick + 1
  for k = first, last do
    local done, thrown, text = run_phase(world, state, plan[k], dt)
    if not done then return false, thrown, text end
    if not live(world) then return true end
  end
  return true
end

local frame = {}

--- The plan for a world's systems, made when they have changed; or nil and what
-- is wrong with them.
function frame.plan(state)
  local text
  if not state.plan then
    state.plan, text = schedule.plan(state.phases, state.systems)
  end
  return state.plan, text
end

local function is_duration(dt)
  return type(dt) == "number" and dt == dt and math.abs(dt) < math.huge
end

--- Runs phases; errors are for the caller of the method that calls this.
local function run_frame(world, state, call, phase, dt)
  local plan, problem = frame.plan(state)
  if not plan then error("ecs: " .. problem, 3) end
  local first, last = phase or 1, phase or #plan
  local done, thrown, text = core.frame(world, call, state.deferred, run_phases,
    world, state, plan, first, last, dt)
  if not done then error(text, thrown and 0 or 3) end
end

local methods = {}

--- Runs one frame: every phase, in order. dt is the time since the last.
function methods.progress(world, dt)
  native.check_world(world, "progress")
  if not is_duration(dt) then
    error("ecs: progress takes the seconds since the last frame, as in "
      .. "world:progress(1 / 60)", 2)
  end
  run_frame(world, system.state(world), "progress", nil, dt)
end

--- Runs one phase, as a frame of its own.
function methods.run(world, phase, dt)
  native.check_world(world, "run")
  local state = system.state(world)
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
