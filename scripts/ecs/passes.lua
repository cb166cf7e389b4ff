--- passes: systems that follow each other, and run in one call.
--
--     phase update:  move, spin, fade | hunt | draw
--                    one pass           changes structure: by itself
--
-- A pass is a run of compiled systems between which nothing of a script runs,
-- and none of which changes what another one's function reads outside. ecs.core
-- runs them one after the other, or, where they go over the same tables, block
-- by block (core/program/program_pass.h). What they leave is the same; only the
-- calls between them are saved, and the way to memory.
--
-- Which systems are a pass follows from their order and their plans alone, so
-- it is the same on every VM. Disabled ones stay in it, and do not run. It is
-- found again where a system is defined or removed, which has the order
-- planned anew, and where state.joins grows: where a system gets another plan,
-- and where the world begins or ends to profile or to write a trace.
--
-- A pass that finds something else outside than before reads it anew, as a
-- system does by itself. Where a plan does not hold any more, or a total is
-- new, each of its systems runs by itself this time. Which of them are idle is
-- known to the pass while it runs them (pass.ran), and otherwise to them.
--
-- This file adds:
--
--     to the entry of a phase in the plan (schedule.lua)
--       passes    index of a system -> the pass that begins there, or false
--       joins     of the state, when they were found
--     to a system
--       pass      that it is in; nil: it is in none
--       member    its number there
--       ends      why no pass goes on there, for explain; nil: there is no
--                 reason
--     to the state of a world
--       joins     changes with what passes are made of
--       alone     true: passes = false

local require = require("ecs.standard").inner "ecs.passes"

local backend = require "ecs.backend"
local system_each = require "ecs.system_each"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs = ipairs
local concat = table.concat

local core, run_native = backend.core, backend.run_pass
local pass_idle, pass_taken = core.pass_idle, core.pass_taken

local passes = {}

--- The most systems of a pass.
local MOST = 64

--- Counts what a pass has run of a system, whose runs are then what they should
-- be.
function passes.settle(system)
  local pass = system.pass
  if not pass then return end
  local frames, runs = pass_taken(pass.native, system.member)
  if frames > 0 then system_each.count(system, frames, runs) end
end

--- Takes a system out of its pass, which knows whether it is idle.
local function take_out(system)
  local pass = system.pass
  if not pass then return end
  passes.settle(system)
  if pass.ran then system.idle = pass_idle(pass.native, system.member) end
  system.pass = nil
end

--- Enables or disables a system, in its pass, too.
function passes.enable(system, enabled)
  local pass = system.pass
  system.enabled = enabled
  if pass then core.pass_enable(pass.native, system.member, enabled) end
end

-- Finding them ----------------------------------------------------------------

--- What a pass needs of a system, and its plan; nil and why it goes alone.
local function member_of(system)
  if system.kind ~= "each" then return nil, "it is no compiled each" end
  if system.run ~= system_each.run then
    return nil, "something is asked before it runs"
  elseif system.uses then
    return nil, "it uses a grid"
  elseif system.changes then
    return nil, "its query asks for changes"
  end
  return system_each.member(system)
end

--- Makes a pass of systems that follow each other; false: one is no pass, or a
-- hook or a finalizer has replaced one of them meanwhile.
local function close(open, joins)
  if #open.systems < 2 then return false end
  local native = core.pass(open.members)
  if not native then return false end
  open.native, open.joins, open.members = native, joins, nil
  for k, system in ipairs(open.systems) do
    core.pass_values(native, k, open.plans[k].values)
    core.pass_enable(native, k, system.enabled)
    system.pass, system.member = open, k
  end
  return open
end

--- Finds the passes of a phase.
local function find(state, entry)
  local found, open, joins = {}, nil, state.joins
  local function finish()
    if open then found[open.first] = close(open, joins) end
    open = nil
  end
  for k, system in ipairs(entry.systems) do
    take_out(system)
    found[k] = false
    local member, plan = member_of(system)
    system.ends = not member and plan or nil
    if member then
      if open and #open.systems == MOST then finish() end
      open = open or { first = k, systems = {}, plans = {}, members = {},
                       ran = false }
      local count = #open.systems + 1
      open.systems[count], open.plans[count] = system, plan
      open.members[count], open.last = member, k
    else
      finish()
    end
  end
  finish()
  entry.passes, entry.joins = found, joins
  return found
end

--- The passes of a phase of a plan: index of a system -> the pass that begins
-- there, or false. nil: there are none.
function passes.of(state, entry)
  if state.alone then return nil end
  if entry.joins == state.joins then return entry.passes end
  return find(state, entry)
end

-- Running them ----------------------------------------------------------------

--- Has a member of a pass read anew. False: its plan does not hold.
local function read_anew(pass, k, dt)
  local values = system_each.read_member(pass.systems[k], pass.plans[k], dt)
  if not values then return false end
  core.pass_values(pass.native, k, values)
  return true
end

--- Tells a pass which of its systems are idle, after they ran by themselves.
-- While it runs them, they do not know themselves.
local function take_over(pass)
  for k, system in ipairs(pass.systems) do
    pass_idle(pass.native, k, system.idle)
    system.idle = false
  end
  pass.ran = true
end

--- Leaves a pass to its systems. Returns nil. missed: the system of which what
-- it reads cannot be compared; nil: it is for another reason.
local function leave(pass, state, missed)
  for k, system in ipairs(pass.systems) do
    system.idle = pass_idle(pass.native, k)
  end
  pass.ran = false
  if missed then
    system_each.miss(missed)
    state.joins = state.joins + 1
  end
  return nil
end

--- Runs a pass. Returns true; nil where nothing was run, and each of its
-- systems has to run by itself; or false, whether the script raised the error,
-- the error, and the system that has failed.
function passes.run(pass, state, dt, clock)
  local runs = clock.runs
  local number = runs > 0 and runs or 1
  if not pass.ran then take_over(pass) end
  local done, second, third, fourth = run_native(pass.native, dt, number)
  local tries = #pass.systems
  while done == false do
    if second == 0 or not read_anew(pass, second, dt) then
      return leave(pass, state)
    elseif tries == 0 then
      return leave(pass, state, pass.systems[second])
    end
    tries = tries - 1
    done, second, third, fourth = run_native(pass.native, dt, number)
  end
  if done then
    if second and runs == 0 then clock.runs = 1 end
    return true
  end
  if fourth and runs == 0 then clock.runs = 1 end
  return false, false, second, pass.systems[third]
end

-- Describing them -------------------------------------------------------------

local function names_of(pass)
  local names = {}
  for k, system in ipairs(pass.systems) do names[k] = system.name end
  return concat(names, ", ")
end

--- A line for each pass of a phase, for explain.
function passes.describe(state, entry)
  local lines = {}
  for _, pass in ipairs(passes.of(state, entry) or {}) do
    if pass then lines[#lines + 1] = "  one pass: " .. names_of(pass) end
  end
  return lines
end

--- Which pass a system is in, or why in none: one line; nil: there is nothing
-- to say. The passes of its phase are found.
function passes.describe_system(system)
  if system.pass then return "in one pass: " .. names_of(system.pass) end
  return system.ends and "in no pass: " .. system.ends
end

return passes
