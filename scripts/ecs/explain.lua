--- explain: describes a world and its systems, in text and in numbers.
--
--     world:explain()          storage, then the systems in the order they run
--     world:explain("move")    one system: its kind, its query, bytes per row
--     world:stats()            numbers, in a new table
--
--     world:stats("move")      numbers about a system, in a new table
--     world:stats(Position)    the same about a component
--
-- The texts are the same on every VM and machine: they depend on the program
-- alone. What is slow by nature says so. Times are in stats only.

local require = require("ecs.standard").inner "ecs.explain"

local allows = require "ecs.access"
local backend = require "ecs.backend"
local query = require "ecs.query"
local message = require "ecs.message"
local system = require "ecs.system"
local frame = require "ecs.frame"
local gate = require "ecs.gate"
local passes = require "ecs.passes"
local phases = require "ecs.phases"
local system_each = require "ecs.system_each"
local profile = require "ecs.profile"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, type = error, ipairs, type
local concat, format, gsub = table.concat, string.format, string.gsub

local core = backend.core

local bytes_of = { f32 = 4, f64 = 8, i8 = 1, u8 = 1, i16 = 2, u16 = 2, i32 = 4,
                   u32 = 4, bool = 1, entity = 8, string = 4, any = 4 }

--- How the kinds of systems run, except each: see system_each.explain.
local ways = {
  batch = "calls a Lua function for each batch of rows",
  native = "calls a kernel of a native library for all rows at once",
  run = "calls a Lua function once a frame",
}

--- "1 row", "2 rows"
local function count(number, noun)
  return format("%.0f %s%s", number, noun, number == 1 and "" or "s")
end

--- "batch", "native physics.drag, disabled"
local function describe(target)
  local text = target.kind
  if target.kind == "native" then text = text .. " " .. target.work end
  text = text .. gate.describe(target)
  if not target.enabled then text = text .. ", disabled" end
  return text
end

--- The same, with how an each function runs.
local function describe_all(target)
  local text = describe(target)
  if target.kind ~= "each" then return text end
  return text .. ", " .. system_each.explain(target)
end

-- Systems of a world --------------------------------------------------------

local function add_planned(lines, state, plan)
  local clocks = state.clocks
  for _, phase in ipairs(plan) do
    lines[#lines + 1] = "phase " .. phase.phase .. ": "
      .. count(#phase.names, "system") .. phases.describe(clocks[phase.phase])
    for k, name in ipairs(phase.names) do
      lines[#lines + 1] = "  " .. name .. ": "
        .. describe_all(phase.systems[k])
    end
    for _, line in ipairs(passes.describe(state, phase)) do
      lines[#lines + 1] = line
    end
  end
end

--- Systems in order of definition, where no order of running can be planned.
local function add_defined(lines, state, problem)
  local systems = system.list(state)
  lines[#lines + 1] = count(#systems, "system") .. " without an order: "
    .. problem
  for _, target in ipairs(systems) do
    lines[#lines + 1] = "  " .. target.name .. ": " .. describe(target)
      .. ", phase " .. target.phase
  end
end

--- The only line that may depend on the machine.
local function describe_threads(world, wanted)
  local threads = core.threads(world)
  local text = "threads: " .. format("%.0f", threads)
  if threads == wanted then return text end
  return text .. format(", of %.0f that were asked for", wanted)
end

local function explain_world(world)
  local state = system.state(world)
  local lines = { (gsub(core.storage(world), "\n$", "")) }
  lines[2] = "flush: recorded changes are applied after each "
    .. (state.deferred and "frame" or "system")
  if state.states then
    lines[3] = "state: " .. state.state .. ", of "
      .. concat(state.states, ", ")
  end
  local plan, problem = frame.plan(state)
  if plan then
    add_planned(lines, state, plan)
  else
    add_defined(lines, state, problem)
  end
  if (state.threads or 1) > 1 then
    lines[#lines + 1] = describe_threads(world, state.threads)
  end
  return concat(lines, "\n")
end

-- One system ----------------------------------------------------------------

--- Bytes of one row that a query's callbacks or kernels may read, and bytes
-- that they may write.
local function traffic(terms)
  local seen, written = 0, 0
  for t = 1, #terms, 2 do
    local access = terms[t + 1]
    if allows.shown[access] then
      local _, fields = core.fields(terms[t])
      for _, field in ipairs(fields) do
        local bytes = bytes_of[field[2]]
        seen = seen + bytes
        if allows.written[access] then written = written + bytes end
      end
    end
  end
  return seen, written
end

local function add_query(lines, described)
  local terms = core.query_terms(described)
  local seen, written = traffic(terms)
  local rows = described:count()
  lines[#lines + 1] = query.describe(terms)
  lines[#lines + 1] = count(seen, "byte") .. " a row, "
    .. format("%.0f of them written; ", written)
    .. count(seen * rows, "byte") .. " in " .. count(rows, "row")
  lines[#lines + 1] = described:explain()
end

--- "2 of 3 in phase update"; the phase alone where no order can be planned.
local function position(state, target)
  for _, phase in ipairs(frame.plan(state) or {}) do
    for k, name in ipairs(phase.names) do
      if name == target.name then
        return k .. " of " .. #phase.names .. " in phase " .. phase.phase
      end
    end
  end
  return "phase " .. target.phase
end

local function explain_system(state, target)
  local lines = {
    "system " .. target.name .. ": " .. describe(target) .. "; "
      .. position(state, target),
    ways[target.kind] or system_each.explain(target),
  }
  for _, phase in ipairs(frame.plan(state) or {}) do passes.of(state, phase) end
  lines[#lines + 1] = target.kind == "each"
    and passes.describe_system(target) or nil
  if target.query then add_query(lines, target.query) end
  return (gsub(concat(lines, "\n"), "\n", "\n  "))
end

local methods = {}

--- Describes how a world stores its components, and its systems in the order in
-- which they run; given the name of a system, describes how that system runs.
-- Returns text for people. Raises an error if there is no such system.
function methods.explain(world, name)
  backend.check_world(world, "explain")
  if name == nil then return explain_world(world) end
  return explain_system(system.find(world, "explain", name, 3))
end

--- Numbers about a world, in a new table:
--
--     entities     entities alive, recorded spawns included
--     retired      entity indices that will never be issued again
--     dropped      changes that were ignored, because the destruction of their
--                  entity had been recorded before
--     groups, tables, components, queries
--     bytes        memory that the world holds; peak_bytes, the most it held;
--                  memory_limit, the most it may hold; 0: no limit
--     state_bytes  memory of all worlds that scripts have made;
--                  state_memory_limit, the most it may be
--     systems      systems defined, disabled ones included
--     frames       frames begun: calls of progress and of run
--     dropped_steps  steps of phases beyond the most of a frame
--     dropped_events events that were not met for 1,024 frames
--
-- Given the name of a system: runs and fallback_runs of it so far, and the
-- profiled_runs, rows, changes and seconds since profiling began (profile.lua).
-- Raises an error if there is no such system. Given a component: changes, how
-- many entities got it or lost it (see world:optimize), and where it is stored;
-- nil before the world has used it.
function methods.stats(world, name)
  backend.check_world(world, "stats")
  if core.kind(name) == "ecs.Component" then
    return core.component_statistics(world, name)
  elseif name ~= nil and type(name) ~= "string" then
    error("ecs: stats takes the name of a system, or a component, not "
      .. message.describe(name), 2)
  elseif name ~= nil then
    return profile.figures(system.find(world, "stats", name, 3))
  end
  local stats, state = core.statistics(world), system.state(world)
  stats.systems = #system.list(state)
  stats.frames = state.tick
  stats.dropped_steps = phases.dropped(state)
  stats.dropped_events = state.events and state.events.dropped or 0
  return stats
end

core.install("ecs.World", methods)

return true
