--- system: defines systems, the named functions that run every frame.
--
--     world:system { name = "move", query = { Position },
--                    each = function(p, dt, e) ... end }
--     world:system { name = "wrap", query = { Position },
--                    batch = function(batch, dt) ... end }
--     world:system { name = "drag", query = { Velocity },
--                    native = "physics.drag" }
--     world:system { name = "waves", run = function(world, dt) ... end }
--     world:system { name = "show", phase = "last", after = "waves", ... }
--
-- A world's systems are in the table that core.state keeps for it:
--
--     phases      names of the phases, in order
--     ranks       phase -> index in phases
--     systems     in order of definition: { name, phase, before, after,
--                 enabled, kind, work, run, query, kernel, idle, runs,
--                 fallback_runs, index }, and the fields that system_each.lua
--                 and profile.lua add; nil where one was removed, until
--                 system.list closes the gaps
--     last        the index of the last of them
--     gaps        is there a nil among them?
--     named       name -> system
--     plan        of schedule.lua; nil: must be made
--     changes     number of definitions and removals of systems
--     deferred    flush = "frame"
--     precision   "fields" or "double", for systems that name none; nil:
--                 "fields"
--     profile     what runs a system while the world profiles; nil otherwise
--     profiles    how often profiling was begun; nil: never
--     tick        number of frames begun; nothing follows from it
--     clocks      phase -> { runs = n }, see frame.lua
--
-- Once a system is defined, only enabled, idle, what is counted and its
-- compiled code change. A new definition of the same name replaces the system
-- at its index in systems. systems, named and plan change together, and nothing
-- between may run a finalizer, because a finalizer may define and remove
-- systems, too.
--
-- idle: nothing matched the system's query when it ran last. A run while
-- nothing matches costs one check; a game has many systems that wait for
-- something.

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local message = require "ecs.message"
local query = require "ecs.query"
local native_library = require "ecs.native_library"
local system_each = require "ecs.system_each"

local core = backend.core
local live, is_idle, call_traced = core.live, backend.is_idle, core.call_traced
local run_batch, run_kernel = core.run_batch, core.run_kernel

local kinds = { "each", "batch", "native", "run" }
local options = { name = true, query = true, each = true, batch = true,
                  native = true, run = true, phase = true, before = true,
                  after = true, enabled = true, compile = true,
                  precision = true, parameters = true }

local DEFAULT_PHASE = "update"

local function fail(name, text, level)
  error("ecs: system '" .. name .. "': " .. text, level)
end

--- The kind of work that a spec names. Raises an error unless there is exactly
-- one.
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
  local expected = kind == "native" and "string" or "function"
  if kind == "each" and type(spec.each) == "string" then return kind end
  if type(spec[kind]) ~= expected then
    fail(spec.name, kind .. " is a " .. expected .. ", not a "
      .. message.type(spec[kind]), level + 1)
  end
  return kind
end

local function check_name(name, level)
  if type(name) ~= "string" or name == "" then
    error("ecs: a system has a name, as in { name = 'move' }", level)
  elseif not core.is_name(name) then
    error("ecs: the name of a system is 1 to 255 bytes of UTF-8 text "
      .. "without control characters", level)
  end
end

--- A checked copy of a script's spec, without its metatable.
local function copy(given, level)
  if type(given) ~= "table" then
    error("ecs: system takes a table, as in { name = 'move', query = "
      .. "{ Position }, batch = function(batch, dt) end }", level)
  end
  local spec = {}
  for key, value in safe_pairs(given) do spec[key] = value end
  check_name(spec.name, level + 1)
  for key in safe_pairs(spec) do
    if not options[key] then
      fail(spec.name, "has no option " .. message.describe(key)
        .. " (there are name, query, " .. table.concat(kinds, ", ")
        .. ", parameters, phase, before, after, enabled, compile, precision)",
        level + 1)
    end
  end
  if spec.enabled ~= nil and type(spec.enabled) ~= "boolean" then
    fail(spec.name, "enabled is true or false, not "
      .. message.describe(spec.enabled), level + 1)
  end
  return spec
end

--- The phase of a system.
local function phase_of(state, spec, level)
  local phase = spec.phase
  if phase == nil then phase = DEFAULT_PHASE end
  if type(phase) == "string" and state.ranks[phase] then return phase end
  local phases = " (there are " .. table.concat(state.phases, ", ") .. ")"
  if spec.phase == nil then
    fail(spec.name, "name its phase, since this world has no phase '"
      .. DEFAULT_PHASE      .. "'" .. phases, level + 1)
  end
  fail(spec.name, "there is no phase " .. message.describe(phase) .. phases,
    level + 1)
end

--- The names in before or after, as a new list. The spec may give one name or a
-- list of names.
local function names_of(spec, key, level)
  local value, names = spec[key], {}
  if type(value) == "string" then return { value } end
  if value ~= nil and type(value) ~= "table" then
    fail(spec.name, key .. " is the name of a system or a list of names, not "
      .. message.describe(value), level + 1)
  end
  for k = 1, query.length(value or {}) do
    names[k] = rawget(value, k)
    if type(names[k]) ~= "string" then
      fail(spec.name, key .. " lists names of systems: entry " .. k .. " is "
        .. message.describe(names[k]), level + 1)
    end
  end
  return names
end

--- The query of a system, which is its own: what its walks keep, and how
-- messages call it. nil for run.
local function query_of(world, spec, kind, level)
  local label = "system '" .. spec.name .. "'"
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
    return core.system_query(spec.query, label)
  end
  local made = query.ensure(world, spec.query, label, level + 1)
  return core.system_query(made, label)
end

local function kernel_of(spec, made, level)
  local library_name, kernel_name = native_library.split(spec.native)
  if not library_name then
    fail(spec.name, "native names a library and a kernel, as in "
      .. "'physics.drag', not '" .. spec.native .. "'", level + 1)
  end
  local parameters = spec.parameters
  if parameters == nil then parameters = {} end
  if type(parameters) ~= "table" then
    fail(spec.name, "parameters is a table, as in parameters = { radius = 4 }, "
      .. "not " .. message.describe(parameters), level + 1)
  end
  local kernel, text = core.kernel(made, library_name, kernel_name, parameters)
  if not kernel then fail(spec.name, (text:gsub("^ecs: ", "")), level + 1) end
  return kernel
end

--- How systems run, by kind. Each function returns true; nil where the world is
-- closed now; or false, whether the script raised the error, and the error. A
-- script can close the world and go on only outside of walks over a query.
local run = {}

function run.batch(_, system, dt)
  if system.idle and is_idle(system.query) then return true end
  local done, second, text = run_batch(system.query, system.work, dt)
  if not done then return false, second, text end
  system.idle = second
  return true
end

run.each = system_each.run

function run.native(_, system, dt, clock)
  if clock.runs == 0 then clock.runs = 1 end
  local done, text = run_kernel(system.kernel, dt, clock.runs)
  if done then return true end
  return false, false, text
end

function run.run(world, system, dt)
  local done, text = call_traced(system.work, world, dt)
  if not done then return false, true, text end
  return live(world) or nil
end

--- Makes the state of a new world. phases is a list of names; nil: first,
-- update, last. deferred: flush = "frame".
local function prepare(world, phases, deferred)
  local state, ranks, clocks = core.state(world), {}, {}
  phases = phases or { "first", "update", "last" }
  for k, phase in ipairs(phases) do
    ranks[phase], clocks[phase] = k, { runs = 0 }
  end
  state.phases, state.ranks, state.deferred = phases, ranks, deferred
  state.systems, state.named, state.tick, state.clocks = {}, {}, 0, clocks
  state.last, state.gaps, state.changes = 0, false, 0
end

--- The state of a world. A world that a host made gets its state here.
local function state_of(world)
  local state = core.state(world)
  if not state.systems then prepare(world, nil, false) end
  return state
end

local methods = {}

--- A new system from its spec. Raises an error if the spec has the wrong form.
local function read(world, state, spec, level)
  local kind = kind_of(spec, level + 1)
  local system = {
    name = spec.name, kind = kind, work = spec[kind], run = run[kind],
    phase = phase_of(state, spec, level + 1),
    before = names_of(spec, "before", level + 1),
    after = names_of(spec, "after", level + 1),
    enabled = spec.enabled ~= false, idle = false, runs = 0,
    fallback_runs = 0, exits = 0,
  }
  if spec.parameters ~= nil and kind ~= "native" then
    fail(spec.name, "parameters are for native", level + 1)
  end
  system.query = query_of(world, spec, kind, level + 1)
  backend.know_query(system.query)
  if kind == "native" then
    system.kernel = kernel_of(spec, system.query, level + 1)
  end
  local problem = system_each.prepare(world, system, spec, state.precision)
  if problem then fail(spec.name, problem, level + 1) end
  return system
end

--- A world's systems in order of definition, borrowed until one is defined or
-- removed. Removing leaves a gap, so that many are removed in linear time.
local function list(state)
  local systems = state.systems
  if not state.gaps then return systems end
  local kept = 0
  for k = 1, state.last do
    local system = systems[k]
    if system then
      kept = kept + 1
      systems[k] = nil
      systems[kept], system.index = system, kept
    end
  end
  state.last, state.gaps = kept, false
  return systems
end

--- A world's state and a system. Raises an error if there is none of this name.
local function find(world, call, name, level)
  if type(name) ~= "string" then
    error("ecs: " .. call .. " takes the name of a system, not "
      .. message.describe(name), level)
  end
  local state = state_of(world)
  local system = state.named[name]
  if not system then
    error("ecs: " .. call .. ": there is no system '" .. name .. "'", level)
  end
  return state, system
end

--- Tells the world's query how often the system has run since it was told, for
-- world:optimize (advice.lua).
local function count_runs(counted)
  if not counted.query then return end
  core.count_runs(counted.query, counted.runs - (counted.counted or 0))
  counted.counted = counted.runs
end

--- Defines a system, or replaces the system of this name, keeping its position.
-- Raises an error if the spec has the wrong form or a callback is open; then
-- nothing has changed. An error of on_fallback is raised last, when the system
-- is defined.
function methods.system(world, given)
  backend.check_world(world, "system")
  local spec = copy(given, 3)
  local open = core.open(world)
  if open then fail(spec.name, "cannot be defined inside " .. open, 3) end
  local state = state_of(world)
  local system = read(world, state, spec, 3)
  local replaced = state.named[system.name]
  local index = replaced and replaced.index or state.last + 1
  core.forget_totals(world, system.name)
  if replaced then count_runs(replaced) end
  if not replaced then state.last = index end
  state.systems[index], system.index = system, index
  state.named[system.name] = system
  state.plan, state.changes = nil, state.changes + 1
  if replaced then system_each.forget(replaced) end
  local text, thrown = system_each.announce(system)
  if text ~= nil then error(text, thrown and 0 or 2) end
end

--- Enables or disables a system; it keeps its position. Raises an error if
-- there is no such system.
function methods.enable(world, name, enabled)
  backend.check_world(world, "enable")
  local _, system = find(world, "enable", name, 3)
  if type(enabled) ~= "boolean" then
    error("ecs: enable takes true or false, as in world:enable('" .. name
      .. "', false), not " .. message.describe(enabled), 2)
  end
  system.enabled = enabled
end

--- Removes a system. Raises an error if there is no such system. Cost:
-- constant; the next frame plans anew.
function methods.remove_system(world, name)
  backend.check_world(world, "remove_system")
  local state, removed = find(world, "remove_system", name, 3)
  core.forget_totals(world, name)
  count_runs(removed)
  state.systems[removed.index] = nil
  if removed.index == state.last then
    state.last = state.last - 1
  else
    state.gaps = true
  end
  state.named[name] = nil
  state.plan, state.changes = nil, state.changes + 1
  system_each.forget(removed)
end

core.install("ecs.World", methods)

return { count_runs = count_runs, find = find, list = list, prepare = prepare,
         state = state_of }
