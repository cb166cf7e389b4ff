--- system: named functions that run every frame, in order of definition.
--
--     world:system { name = "move", query = { Position },
--                    each = function(p, dt, e) ... end }
--     world:system { name = "wrap", query = { Position },
--                    batch = function(batch, dt) ... end }
--     world:system { name = "drag", query = { Velocity },
--                    native = "physics.drag" }
--     world:system { name = "waves", run = function(world, dt) ... end }
--     world:progress(1 / 60)
--
-- A world's systems are in the table that core.state keeps for it:
--
--     systems    in order: { name, kind, work, query, kernel }
--     places     name -> position in systems
--     tick       how many frames were begun
--     running    a frame is in progress

local native = require "ecs.native"
local query = require "ecs.query"
local library = require "ecs.library"

local core = native.core

local kinds = { "each", "batch", "native", "run" }
local options = { name = true, query = true, each = true, batch = true,
                  native = true, run = true }

local function fail(name, text, level)
  error("ecs: system '" .. name .. "': " .. text, level)
end

--- The one kind of work that a spec names.
local function kind_of(spec, level)
  local kind
  for _, candidate in ipairs(kinds) do
    if spec[candidate] ~= nil then
      if kind then
        fail(spec.name, "has both " .. kind .. " and " .. candidate, level + 1)
      end
      kind = candidate
    end
  end
  if not kind then
    fail(spec.name, "has nothing to do: give it each, batch, native or run",
      level + 1)
  end
  local wanted = kind == "native" and "string" or "function"
  if type(spec[kind]) ~= wanted then
    fail(spec.name, kind .. " is a " .. wanted .. ", not a "
      .. type(spec[kind]), level + 1)
  end
  return kind
end

local function check(spec, level)
  if type(spec) ~= "table" then
    error("ecs: system takes a table, as in { name = 'move', query = "
      .. "{ Position }, batch = function(batch, dt) end }", level)
  end
  if type(spec.name) ~= "string" or spec.name == "" then
    error("ecs: a system has a name, as in { name = 'move' }", level)
  end
  for key in pairs(spec) do
    if not options[key] then
      fail(spec.name, "has no option '" .. tostring(key)
        .. "' (there are name, query, each, batch, native, run)", level + 1)
    end
  end
end

--- The query of a system: one that was made before, or a new one.
local function query_of(world, spec, kind, level)
  if kind == "run" then
    if spec.query == nil then return nil end
    fail(spec.name, "run takes no query: use world:query inside it", level + 1)
  elseif spec.query == nil then
    fail(spec.name, kind .. " needs a query, as in query = { Position }",
      level + 1)
  elseif core.kind(spec.query) == "ecs.Query" then
    if core.query_world(spec.query) ~= world then
      fail(spec.name, "its query belongs to another world", level + 1)
    end
    return spec.query
  end
  local label = "system '" .. spec.name .. "'"
  local made = query.create(world, spec.query, label, level + 1)
  return made
end

local function kernel_of(spec, made, level)
  local library_name, kernel_name = library.split(spec.native)
  if not library_name then
    fail(spec.name, "native names a library and a kernel, as in "
      .. "'physics.drag', not '" .. spec.native .. "'", level + 1)
  end
  local kernel, text = core.kernel(made, library_name, kernel_name)
  if not kernel then error(text, level) end
  return kernel
end

--- How each kind runs. Each returns true; or false, whether the error is the
-- script's own, and the error.
local run = {}

function run.batch(_, system, dt)
  return core.run_batch(system.query, system.work, dt)
end

--- One row at a time, as plain Lua. Whatever makes a function faster takes the
-- place of this one.
function run.each(_, system, dt)
  return core.run_each(system.query, system.work, dt)
end

function run.native(_, system, dt, tick)
  local done, text = core.run_kernel(system.kernel, dt, tick)
  if done then return true end
  return false, false, text
end

function run.run(world, system, dt)
  local done, text = pcall(system.work, world, dt)
  if done then return true end
  return false, true, text
end

--- Runs every system once. An error ends the frame; state.blame says that it
-- is for the caller of progress.
local function frame(world, state, dt)
  local systems = state.systems
  for k = 1, #systems do
    local system = systems[k]
    local done, thrown, text = run[system.kind](world, system, dt, state.tick)
    if not done then
      state.blame = not thrown
      if type(text) == "string" then
        text = text .. " (in system '" .. system.name .. "')"
      end
      error(text, 0)
    end
    if not core.live(world) then return end
  end
end

local function state_of(world)
  local state = core.state(world)
  if not state.systems then
    state.systems, state.places, state.tick = {}, {}, 0
  end
  return state
end

local methods = {}

--- Defines a system, or replaces the one of this name in its place.
function methods.system(world, spec)
  native.check_world(world, "system")
  local state = state_of(world)
  check(spec, 3)
  local open = core.open(world)
  if open then fail(spec.name, "cannot be defined inside " .. open, 3) end
  local kind = kind_of(spec, 3)
  local system = { name = spec.name, kind = kind, work = spec[kind] }
  system.query = query_of(world, spec, kind, 3)
  if kind == "native" then system.kernel = kernel_of(spec, system.query, 3) end
  local place = state.places[spec.name] or #state.systems + 1
  state.systems[place] = system
  state.places[spec.name] = place
end

--- Runs one frame: every system, in order. dt is the time since the last.
function methods.progress(world, dt)
  native.check_world(world, "progress")
  local state = state_of(world)
  if type(dt) ~= "number" or dt ~= dt or math.abs(dt) == math.huge then
    error("ecs: progress takes the seconds since the last frame, as in "
      .. "world:progress(1 / 60)", 2)
  end
  local open = core.open(world)
  if open then error("ecs: progress is not possible inside " .. open, 2) end
  if state.running then
    error("ecs: progress is running already: a system cannot call it", 2)
  end
  state.running, state.blame = true, false
  state.tick = state.tick + 1
  local done, text = core.protect(frame, world, state, dt)
  state.running = false
  if not done then error(text, state.blame and 2 or 0) end
end

core.install("ecs.World", methods)

return {}
