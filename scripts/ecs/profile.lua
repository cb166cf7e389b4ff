--- profile: counts what systems do.
--
--     world:profile(true)     figures begin at 0
--     world:stats("move")     { runs = 60, rows = 6000, seconds = 0.01, ... }
--     world:profile(false)    figures stay as they are
--
-- runs and fallback_runs of a system are always counted (frame.lua,
-- system_each.lua); they cost an addition. The others need a look at the query
-- and at the world before each run, and the time: while the world profiles,
-- frame.lua runs every system through profile.run.
--
-- This file adds to a system (system.lua):
--
--     profiled    { runs, rows, changes, seconds } since profiling began; nil:
--                 it has not run since
--     profile     the number of the profiling that profiled belongs to

local require = require("ecs.standard").inner "ecs.profile"

local backend = require "ecs.backend"
local message = require "ecs.message"
local passes = require "ecs.passes"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, type = error, type

local core = backend.core
local seconds, change_count, rows_of =
  core.seconds, core.change_count, core.row_count

local profile = {}

--- The figures of a system, made or reset at its first run of a profiling.
local function figures_of(state, target)
  if target.profile ~= state.profiles then
    target.profile = state.profiles
    target.profiled = { runs = 0, rows = 0, changes = 0, seconds = 0 }
  end
  return target.profiled
end

--- Runs a system as its run does, and counts.
local function run(world, target, ...)
  local figures = figures_of(core.state(world), target)
  local rows = target.query and rows_of(target.query) or 0
  local changes, start = change_count(world), seconds()
  local done, thrown, text = target.run(world, target, ...)
  local stop = seconds()
  if target.kept_off then return done, thrown, text end
  figures.runs = figures.runs + 1
  figures.rows = figures.rows + rows
  figures.seconds = figures.seconds + (stop - start)
  -- nil where the system has closed the world.
  figures.changes = figures.changes + ((change_count(world) or changes)
    - changes)
  return done, thrown, text
end

--- The figures of a system, in a new table.
function profile.figures(state, target)
  local known = target.profile == state.profiles and target.profiled or {}
  passes.settle(target)
  return {
    runs = target.runs, fallback_runs = target.fallback_runs,
    exits = target.exits,
    profiled_runs = known.runs or 0, rows = known.rows or 0,
    changes = known.changes or 0, seconds = known.seconds or 0,
  }
end

--- Sets through what frame.lua runs systems: to note when (trace.lua), to
-- count, or, with nil, neither.
function profile.choose(state)
  state.profile = state.trace and state.trace.run or state.profiling
  state.joins = state.joins + 1 -- systems run by themselves, or in passes again
end

local methods = {}

--- Begins to count what systems do, from 0 on; or stops.
function methods.profile(world, on)
  backend.check_world(world, "profile")
  if type(on) ~= "boolean" then
    error("ecs: profile takes true or false, as in world:profile(true), not "
      .. message.describe(on), 2)
  end
  local state = system.state(world)
  if on then state.profiles = (state.profiles or 0) + 1 end
  state.profiling = on and run or nil
  profile.choose(state)
end

core.install("ecs.World", methods)

return profile
