--- explain: what a world and its systems are, in words and in numbers.
--
--     world:explain()          storage, then the systems in the order they run
--     world:explain("move")    one system: its kind, its plan, its bytes
--     world:stats()            numbers, in a new table
--
-- The texts are the same on every VM. They depend on the program alone, but for
-- the machine's vector instructions, which a compiled function's line names.

local backend = require "ecs.backend"
local query = require "ecs.query"
local system = require "ecs.system"
local frame = require "ecs.frame"
local system_each = require "ecs.system_each"

local core = backend.core

local bytes_of = { f32 = 4, f64 = 8, i8 = 1, u8 = 1, i16 = 2, u16 = 2, i32 = 4,
                   u32 = 4, bool = 1, entity = 8 }

-- How each kind runs, but for each.
local ways = {
  batch = "calls a Lua function for each batch of rows",
  native = "calls a kernel of a native library for all rows at once",
  run = "calls a Lua function once a frame",
}

local function count(number, what)
  return string.format("%.0f %s%s", number, what, number == 1 and "" or "s")
end

--- "batch", "native physics.drag, disabled"
local function describe(wanted)
  local text = wanted.kind
  if wanted.kind == "native" then text = text .. " " .. wanted.work end
  if not wanted.enabled then text = text .. ", disabled" end
  return text
end

--- The same, and how an each function runs.
local function describe_all(wanted)
  local text = describe(wanted)
  if wanted.kind ~= "each" then return text end
  return text .. ", " .. system_each.explain(wanted)
end

-- Systems of a world --------------------------------------------------------

local function add_planned(lines, plan)
  for _, phase in ipairs(plan) do
    lines[#lines + 1] = "phase " .. phase.phase .. ": "
      .. count(#phase.names, "system")
    for k, name in ipairs(phase.names) do
      lines[#lines + 1] = "  " .. name .. ": "
        .. describe_all(phase.systems[k])
    end
  end
end

--- For systems that have no order: as they were defined.
local function add_defined(lines, state, problem)
  lines[#lines + 1] = count(#state.systems, "system") .. " without an order: "
    .. problem
  for _, wanted in ipairs(state.systems) do
    lines[#lines + 1] = "  " .. wanted.name .. ": " .. describe(wanted)
      .. ", phase " .. wanted.phase
  end
end

local function explain_world(world)
  local state = system.state(world)
  local lines = { (core.storage(world):gsub("\n$", "")) }
  lines[2] = "flush: recorded changes are applied after each "
    .. (state.deferred and "frame" or "system")
  local plan, problem = frame.plan(state)
  if plan then
    add_planned(lines, plan)
  else
    add_defined(lines, state, problem)
  end
  return table.concat(lines, "\n")
end

-- One system ----------------------------------------------------------------

--- Bytes of a row that a query's callbacks or kernels may read, and write.
local function traffic(terms)
  local seen, written = 0, 0
  for t = 1, #terms, 2 do
    local access = terms[t + 1]
    if access == "write" or access == "read" or access == "optional" then
      local _, fields = core.fields(terms[t])
      for _, field in ipairs(fields) do
        local bytes = bytes_of[field[2]]
        seen = seen + bytes
        if access ~= "read" then written = written + bytes end
      end
    end
  end
  return seen, written
end

local function add_query(lines, asked)
  local terms = core.query_terms(asked)
  local seen, written = traffic(terms)
  local rows = asked:count()
  lines[#lines + 1] = query.describe(terms)
  lines[#lines + 1] = count(seen, "byte") .. " a row, "
    .. string.format("%.0f of them written; ", written)
    .. count(seen * rows, "byte") .. " in " .. count(rows, "row")
  lines[#lines + 1] = asked:explain()
end

--- "2 of 3 in phase update", or the phase alone when there is no order.
local function place(state, wanted)
  for _, phase in ipairs(frame.plan(state) or {}) do
    for k, name in ipairs(phase.names) do
      if name == wanted.name then
        return k .. " of " .. #phase.names .. " in phase " .. phase.phase
      end
    end
  end
  return "phase " .. wanted.phase
end

local function explain_system(state, wanted)
  local lines = {
    "system " .. wanted.name .. ": " .. describe(wanted) .. "; "
      .. place(state, wanted),
    ways[wanted.kind] or system_each.explain(wanted),
  }
  if wanted.query then add_query(lines, wanted.query) end
  return (table.concat(lines, "\n"):gsub("\n", "\n  "))
end

local methods = {}

--- How a world stores what it has and which systems it runs in which order; or,
-- given its name, how one system runs. Text for people.
function methods.explain(world, name)
  backend.check_world(world, "explain")
  if name == nil then return explain_world(world) end
  local state, at = system.find(world, "explain", name, 3)
  return explain_system(state, state.systems[at])
end

--- Numbers about a world, in a new table:
--
--     entities     alive, recorded spawns included
--     retired      indices that will never be issued again
--     dropped      changes to entities whose destruction was recorded before
--     groups, tables, components, queries
--     bytes        that the world holds, and peak_bytes the most it ever held
--     systems      defined, disabled ones included
--     frames       begun: calls of progress and of run
function methods.stats(world)
  backend.check_world(world, "stats")
  local stats, state = core.statistics(world), system.state(world)
  stats.systems = #state.systems
  stats.frames = state.tick
  return stats
end

core.install("ecs.World", methods)

return true
