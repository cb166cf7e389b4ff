--- each: how a system's each function runs: as plain Lua, or compiled.
--
--     world:system { name = "move", query = { Position, read = { Velocity } },
--       compile = true,
--       each = function(p, v, dt) p.x = p.x + v.x * dt end }
--
-- With compile = true the function becomes a kernel program (compiler.lua) that
-- ecs.core runs over whole columns, on every VM alike; where it cannot,
-- defining the system is an error that says why. Without it the function is
-- called row by row.
--
-- What the function reads outside is read before every run. When something else
-- than a number has changed there, it is compiled anew; a change after which it
-- cannot be compiled any more is an error of the frame.
--
-- A compiled system's code: { plan, program, values, options }.

local native = require "ecs.native"
local compiler = require "ecs.compiler"

local core = native.core

local each = {}

--- What the compiler asks about values from outside.
local function describe(value)
  if core.kind(value) ~= "ecs.Component" then return nil end
  local name, fields = core.fields(value)
  local types = {}
  for _, field in ipairs(fields) do types[field[1]] = field[2] end
  return { name = name, types = types }
end

--- The terms that are parameters of the function.
local function rows_of(asked)
  local terms, rows = core.query_terms(asked), {}
  for k = 1, #terms, 2 do
    local name, fields = core.fields(terms[k])
    local access = terms[k + 1]
    local shown = access == "write" or access == "read" or access == "optional"
    if shown and #fields > 0 then
      rows[#rows + 1] = { name = name, fields = fields, access = access }
    end
  end
  return rows
end

local function message(problem)
  return string.format("%s:%d: %s cannot be compiled: %s",
    problem.file or "?", problem.line, problem.what, problem.remedy)
end

--- Compiles work for a query. Returns its code, or nil and why not.
local function compile(world, asked, work, options)
  local plan, problem = compiler.compile(work, {
    terms = rows_of(asked), extras = options.extras, double = options.double,
    describe = describe, system = options.system,
    methods = function(object)
      if object.value == world then return compiler.world_methods end
      return core.total_kind(object.value, world) and compiler.total_methods
    end,
    total_kind = function(object)
      return core.total_kind(object.value, world)
    end,
  })
  if not plan then return nil, message(problem) end
  local program, text = core.program(world, asked, plan.text, plan.totals)
  if not program then return nil, (text:gsub("^ecs: ", "")) end
  return { plan = plan, program = program, values = {}, options = options }
end

--- The function that a text stands for.
local function load_text(text)
  local load_chunk = rawget(_G, "loadstring") or load
  local chunk, problem = load_chunk("return " .. text)
  if not chunk then
    return nil, "its each is no function: " .. problem
  end
  local done, work = pcall(chunk)
  if not done or type(work) ~= "function" then
    return nil, "its each is text that is no function, as in "
      .. "'function(p, dt) p.x = p.x + dt end'"
  end
  return work
end

local precisions = { fields = false, double = true }

--- Prepares a system that is being defined; returns what is wrong, or nil.
function each.prepare(world, system, spec)
  local wanted, precision = spec.compile, spec.precision
  if system.kind ~= "each" then
    if wanted ~= nil or precision ~= nil then
      return "compile and precision are for each"
    end
    return nil
  elseif wanted ~= nil and type(wanted) ~= "boolean" then
    return "compile is true or false"
  elseif precision ~= nil and (not wanted or precisions[precision] == nil) then
    return "precision is 'fields' or 'double', and goes with compile = true"
  end
  if type(system.work) == "string" then
    local work, problem = load_text(system.work)
    if not work then return problem end
    system.work = work
  end
  if not wanted then return nil end
  local code, problem = compile(world, system.query, system.work,
    { extras = { count = 1, 0 }, double = precisions[precision] or false,
      system = true })
  system.code = code
  return problem
end

--- Reads what the code depends on; compiles it anew when that has changed.
local function refresh(world, system)
  local code = system.code
  if compiler.read(code.plan, code.values) then return code end
  local fresh, problem = compile(world, system.query, system.work,
    code.options)
  if not fresh then return nil, "ecs: " .. problem end
  core.drop_program(code.program)
  system.code = fresh
  compiler.read(fresh.plan, fresh.values)
  return fresh
end

--- Runs a system as system.lua runs every kind: true; or false, whether the
-- error is the script's own, and the error. turn: how often its phase has run.
function each.run(world, system, dt, _, turn)
  local known = system.code
  if not known then
    return core.run_each(system.query, system.work, system.name, turn, dt)
  end
  known.options.extras[1] = dt
  local code, problem = refresh(world, system)
  if not code then return false, false, problem end
  local done, text = core.run_program(code.program, code.values, system.name,
    turn)
  if done then return true end
  return false, false, text
end

--- How a system's function runs, for people.
function each.explain(system)
  local code = system.code
  if not code then return "calls a Lua function for each row" end
  local operations, read, written, slow, back_end =
    core.program_info(code.program)
  local text = string.format("compiled (%s): %.0f operations, "
    .. "%.0f bytes read and %.0f written a row", back_end, operations, read,
    written)
  if slow > 0 then
    text = text .. string.format("; %.0f operations call the C library row by "
      .. "row", slow)
  end
  return text
end

return each
