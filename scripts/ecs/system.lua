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
--     clocks      phase -> clock, see phases.lua
--     states ...  see states.lua
--     systems     in order of definition: { name, phase, before, after,
--                 enabled, kind, work, run, query, kernel, row, values, idle,
--                 runs, fallback_runs, index, changes, shared, uses }, and the
--                 fields that gate.lua, system_each.lua and profile.lua add;
--                 nil where one was removed, until system.list closes the gaps
--     last        the index of the last of them
--     gaps        is there a nil among them?
--     grids       true once there was a grid
--     named       name -> system
--     plan        of schedule.lua; nil: must be made
--     changes     number of definitions and removals of systems
--     deferred    flush = "frame"
--     precision   "fields" or "double", for systems that name none; nil:
--                 "fields"
--     plain       true: compile = false, for all systems and query:each
--     profile     what runs a system while the world profiles or writes a
--                 trace; nil otherwise
--     profiling   the same while it profiles
--     profiles    how often profiling was begun; nil: never
--     joins       see passes.lua
--     tick        number of frames begun; nothing follows from it
--
-- Once a system is defined, only enabled, idle, what is counted, the time of
-- its gate and its compiled code change. A new definition of the same name
-- replaces the system at its index in systems. systems, named and plan change
-- together, and nothing between may run a finalizer, because a finalizer may
-- define and remove systems, too.
--
-- changes: the system's query asks for changes since the system last ran. After
-- each run that succeeds, what it walked over has been seen. The query, shared,
-- has no other system, and cannot be walked over while it has none.
--
-- idle: nothing matched the system's query when it ran last. A run while
-- nothing matches costs one check; a game has many systems that wait for
-- something.

local require = require("ecs.standard").inner "ecs.system"

local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local plain_table = require "ecs.plain_table"
local message = require "ecs.message"
local query = require "ecs.query"
local native_library = require "ecs.native_library"
local resource_row = require "ecs.resource_row"
local phases = require "ecs.phases"
local states = require "ecs.states"
local event = require "ecs.event"
local gate = require "ecs.gate"
local system_each = require "ecs.system_each"
local passes = require "ecs.passes"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, rawget, type = error, ipairs, rawget, type
local concat = table.concat
local gsub, sub = string.gsub, string.sub

local core = backend.core
local live, is_idle, call_traced = core.live, backend.is_idle, core.call_traced
local run_batch, run_kernel = core.run_batch, core.run_kernel

local kinds = { "each", "batch", "native", "run" }
local options = { name = true, query = true, each = true, batch = true,
                  native = true, run = true, phase = true, before = true,
                  after = true, enabled = true, every = true, when = true,
                  in_state = true, compile = true, precision = true,
                  parameters = true, uses = true }

local DEFAULT_PHASE = "update"

--- Raises an error about a system. text may name it already, as messages of
-- ecs.core about its query do.
local function fail(name, text, level)
  local label = "system '" .. name .. "': "
  if sub(text, 1, #label) == label then text = sub(text, #label + 1) end
  error("ecs: " .. label .. text, level)
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
  elseif kind == "native" and not native_library.split(spec.native) then
    fail(spec.name, "native names a library and a kernel, as in "
      .. "'physics.drag', not '" .. spec.native .. "'", level + 1)
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

--- A checked copy of a script's spec.
local function copy(given, level)
  if type(given) ~= "table" then
    error("ecs: system takes a table, as in { name = 'move', query = "
      .. "{ Position }, batch = function(batch, dt) end }", level)
  end
  local spec = {}
  given = plain_table(given, "system", "its table of options", options)
  for key, value in safe_pairs(given) do spec[key] = value end
  check_name(spec.name, level + 1)
  for key in safe_pairs(spec) do
    if not options[key] then
      fail(spec.name, "has no option " .. message.describe(key)
        .. " (there are name, query, " .. concat(kinds, ", ")
        .. ", parameters, phase, before, after, enabled, every, when, "
        .. "in_state, compile, precision, uses)", level + 1)
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
  local all = " (there are " .. concat(state.phases, ", ") .. ")"
  if spec.phase == nil then
    fail(spec.name, "name its phase, since this world has no phase '"
      .. DEFAULT_PHASE .. "'" .. all, level + 1)
  end
  fail(spec.name, "there is no phase " .. message.describe(phase) .. all,
    level + 1)
end

--- The names in before or after, as a new list. The spec may give one name or a
-- list of names.
local function names_of(spec, key, level)
  local value, names = spec[key], {}
  if type(value) == "string" then return { value } end
  if type(value) == "table" then
    value = plain_table(value, "system '" .. spec.name .. "'", key, nil, "list")
  end
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

--- Is an array one of this world, which is open?
local function is_of_world(world, array)
  local kind, dimensions = core.array_shape(array)
  return core.array_fits(array, world, kind, dimensions)
end

--- The grids that a system says it uses, as a new list, and the arrays; nil:
-- none. kind: of the system.
local function used_by(world, kind, spec, level)
  local given, grids, arrays = spec.uses, {}, {}
  if given == nil then return nil end
  if type(given) ~= "table" then
    fail(spec.name, "uses is a list of grids and arrays, as in uses = { near "
      .. "}, not " .. message.describe(given), level + 1)
  end
  given = plain_table(given, "system '" .. spec.name .. "'", "uses", nil,
    "list")
  for k = 1, query.length(given) do
    local one = rawget(given, k)
    local what = core.kind(one)
    if what ~= "ecs.Grid" and what ~= "ecs.Array" then
      fail(spec.name, "uses lists grids, as world:grid gives them, and arrays "
        .. "of the world: entry " .. k .. " is " .. message.describe(one),
        level + 1)
    elseif what == "ecs.Grid" and core.grid_world(one) ~= world then
      fail(spec.name, "uses: entry " .. k .. " is a grid of another world",
        level + 1)
    elseif what == "ecs.Array" and not is_of_world(world, one) then
      fail(spec.name, "uses: entry " .. k .. " is an array of another world",
        level + 1)
    elseif what == "ecs.Array" and kind ~= "native" then
      fail(spec.name, "arrays in uses are for native: a function in Lua reads "
        .. "and writes them without", level + 1)
    end
    local list = what == "ecs.Grid" and grids or arrays
    list[#list + 1] = one
  end
  return #grids > 0 and grids or nil, #arrays > 0 and arrays or nil
end

--- Raises an error where a query that asks for changes has a system already,
-- unless that is the one that is being replaced.
local function check_taker(world, spec, level)
  if not core.asks_changes(spec.query) then return end
  for name, other in safe_pairs(core.state(world).named) do
    if other.changes and other.shared == spec.query and name ~= spec.name then
      fail(spec.name, "its query has changed, which means since its system "
        .. "last ran, and system '" .. name .. "' has it: describe it again",
        level + 1)
    end
  end
end

local function label_of(spec) return "system '" .. spec.name .. "'" end

--- Reads the query of a spec, and defines nothing. Returns what there is of it:
-- made, the query itself; or what query.read returns: terms, changed and order.
-- Both have terms. nil for run.
local function read_query(world, kind, spec, level)
  local given = spec.query
  if kind == "run" then
    if given == nil then return nil end
    fail(spec.name, "run takes no query: use world:query inside it", level + 1)
  elseif given == nil then
    fail(spec.name, kind .. " needs a query, as in query = { Position }",
      level + 1)
  elseif core.kind(given) ~= "ecs.Query" then
    local terms, changed, order =
      query.read(given, label_of(spec), level + 1)
    return { terms = terms, changed = changed, order = order }
  elseif core.query_world(given) ~= world then
    fail(spec.name, "its query belongs to another world", level + 1)
  end
  check_taker(world, spec, level + 1)
  return { made = given, terms = core.query_terms(given),
           changed = core.asks_changes(given), order = core.asks_order(given) }
end

--- The query of a system, which is its own: what its walks keep, and how
-- messages call it; and the one that it shares. asked: of read_query.
local function query_of(world, state, system, spec, asked, level)
  local label = label_of(spec)
  local made = asked.made or query.make(world, asked.terms, asked.changed,
    asked.order, label, level + 1)
  local own = event.prepare(world, state, system, made)
  return core.system_query(own, label), made
end

--- The kernel of a native system, with the arrays that it takes. Where its
-- parameters are the row of a resource, also the row, and the table into which
-- it is copied for each run.
local function kernel_of(spec, made, arrays, level)
  local library_name, kernel_name = native_library.split(spec.native)
  local parameters = spec.parameters
  if parameters == nil then parameters = {} end
  if type(parameters) ~= "table" then
    fail(spec.name, "parameters is a table, as in parameters = { radius = 4 }, "
      .. "not " .. message.describe(parameters), level + 1)
  end
  local row = resource_row.find(parameters) and parameters
  if row then
    parameters = {}
    local done, text = resource_row.copy(row, parameters)
    if not done then fail(spec.name, gsub(text, "^.-ecs: ", ""), level + 1) end
  end
  local kernel, text = core.kernel(made, library_name, kernel_name, parameters,
    row and true, arrays)
  if not kernel then fail(spec.name, (gsub(text, "^ecs: ", "")), level + 1) end
  return kernel, row, parameters
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
  if system.row then
    local done, text = resource_row.copy(system.row, system.values)
    if not done then return false, false, (gsub(text, "^.-ecs: ", "ecs: ")) end
  end
  local done, text = run_kernel(system.kernel, dt, clock.runs)
  if done then return true end
  return false, false, text
end

function run.run(world, system, dt)
  local done, text = call_traced(system.work, world, dt)
  if not done then return false, true, text end
  return live(world) or nil
end

--- Makes the state of a new world. list: of phases.read. deferred: flush =
-- "frame". names, ranks: of states.read.
local function prepare(world, list, deferred, names, ranks)
  local state = core.state(world)
  phases.prepare(state, list)
  states.prepare(state, names, ranks)
  state.deferred, state.systems, state.named, state.tick = deferred, {}, {}, 0
  state.last, state.gaps, state.changes, state.joins = 0, false, 0, 0
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
    fallback_runs = 0, exits = 0, changes = false, misses = 0,
  }
  local arrays
  system.uses, arrays = used_by(world, kind, spec, level + 1)
  if spec.parameters ~= nil and kind ~= "native" then
    fail(spec.name, "parameters are for native", level + 1)
  end
  -- What needs no query comes first: a query defines its components.
  local problem = gate.objection(state, spec)
    or system_each.read(system, spec)
  if problem then fail(spec.name, problem, level + 1) end
  local asked = read_query(world, kind, spec, level + 1)
  if asked then
    problem = event.read(system, asked.terms, asked.changed or asked.order)
      or system_each.compile(world, system, spec, state, asked.terms)
    if problem then fail(spec.name, problem, level + 1) end
    system.query, system.shared =
      query_of(world, state, system, spec, asked, level + 1)
    system.changes = core.asks_changes(system.query)
    backend.know_query(system.query)
  end
  if kind == "native" then
    system.kernel, system.row, system.values =
      kernel_of(spec, system.query, arrays, level + 1)
  end
  gate.prepare(system, spec)
  problem = system_each.prepare(system)
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
  passes.settle(counted)
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
  event.begin(system)
  core.forget_totals(world, system.name)
  if replaced then
    count_runs(replaced)
    event.forget(state, replaced)
    if replaced.changes then core.query_taken(replaced.query, false) end
  end
  event.keep(state, system)
  if system.changes then core.query_taken(system.query, true) end
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
  local state, system = find(world, "enable", name, 3)
  if type(enabled) ~= "boolean" then
    error("ecs: enable takes true or false, as in world:enable('" .. name
      .. "', false), not " .. message.describe(enabled), 2)
  end
  passes.enable(system, enabled)
  event.change(state)
end

--- Removes a system. Raises an error if there is no such system. Cost:
-- constant; the next frame plans anew.
function methods.remove_system(world, name)
  backend.check_world(world, "remove_system")
  local state, removed = find(world, "remove_system", name, 3)
  core.forget_totals(world, name)
  event.forget(state, removed)
  count_runs(removed)
  if removed.changes then core.query_taken(removed.query, false) end
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
