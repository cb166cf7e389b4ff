--- specialize: compiled forms of one function, and which of them holds now.
--
-- The files outside of scripts/ecs/compile require no other file of it.
--
-- A **code** stands for a function, or for all closures of one text, together
-- with the terms of a query and a precision. The result of compiling depends on
-- values outside of the function, so a code has several plans (plan.lua), each
-- valid for the values that it was compiled for:
--
--     choose  -->  a plan that holds: the usual case
--             -->  no plan, and nothing has changed since compiling failed:
--             |    plain Lua
--             -->  compile: a new plan, or a problem
--
-- So values that alternate do not cause a compilation each time. A function
-- that cannot be compiled costs a comparison of the values that the compiler
-- used. A code that would be compiled at nearly every run stays plain Lua for
-- good: see worn_out.

local require = require("ecs.standard").inner "ecs.compile.specialize"

local allows = require "ecs.access"
local backend = require "ecs.backend"
local plans = require "ecs.compile.plan"
local compiler = require "ecs.compile.compiler"
local source = require "ecs.compile.source"
local reader = require "ecs.compile.source_reader"
local block_text = require "ecs.compile.block_text"
local batch_text = require "ecs.compile.batch_text"
local mistake = require "ecs.compile.mistake"

local core = backend.core
local float_mode = core.float_mode
local read, drop_program = plans.read, plans.drop_program

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, pcall, type, select = error, ipairs, pcall, type, select
local format = string.format
local find, gsub = string.find, string.gsub
local remove = table.remove
local arrays_of = require("ecs.compile.lower_elements").arrays_of

local specialize = {}

--- The first compilations are free; every further one needs this many runs.
local FREE_ATTEMPTS, RUNS_FOR_ONE = 8, 16

--- The name and types of a definition from outside; nil for other values.
local function describe(value)
  if core.kind(value) ~= "ecs.Component" then return nil end
  local name, fields = core.fields(value)
  local types, links = {}, {}
  for _, field in ipairs(fields) do
    types[field[1]], links[field[1]] = field[2], field[3]
  end
  return { name = name, types = types, links = links,
           arrays = arrays_of(fields) }
end

--- The name and types of the component of a value from outside, and the fields
-- that it gives: a list of name, number, name ...; nil for anything else.
local function describe_value(value)
  if core.kind(value) ~= "ecs.Value" then return nil end
  local definition, list = core.value_parts(value)
  return describe(definition), list
end

--- What a prefab from outside is: a list of its parts, each { component,
-- fields and numbers in turns }, and whether it has children; nil for anything
-- else.
local function describe_prefab(value)
  if core.kind(value) ~= "ecs.Prefab" then return nil end
  return core.describe_prefab(value)
end

--- What a prepared closure means: { method, world, arguments }, of a spawner {
-- method, world, parts, arguments, has it children }; nil for other values.
local function prepared_of(value)
  local method, world, arguments, places, children = core.prepared_of(value)
  return method and { method, world, arguments, places, children }
end

--- Those terms of a query that are parameters of the function. terms: the
-- sequence { component, access, ... }.
local function rows_of(terms)
  local rows = {}
  for k = 1, #terms, 2 do
    local name, fields = core.fields(terms[k])
    local access = terms[k + 1]
    if allows.shown[access] and #fields > 0 then
      rows[#rows + 1] = { name = name, fields = fields, access = access }
    end
  end
  return rows
end

--- What an array of the world is; nil for anything else.
local function describe_array(world, value)
  local kind, dimensions, name = core.array_shape(value)
  if not kind or not core.array_fits(value, world, kind, dimensions) then
    return nil
  end
  return { world = world, type = kind, dimensions = dimensions, name = name }
end

--- What a grid of the world is: its dimensions, its rows as rows_of gives
-- them, and where the position is: the name of a component, and the fields with
-- their types; nil for anything else.
local function describe_grid(world, value)
  if core.kind(value) ~= "ecs.Grid" or core.grid_world(value) ~= world then
    return nil
  end
  local query, dimensions, place = core.grid_parts(value)
  local name, fields = core.fields(place[1])
  local at = {}
  for k = 2, #place do at[k - 1] = fields[place[k]] end
  local rows = rows_of(core.query_terms(query))
  return { dimensions = dimensions, rows = rows, name = name, at = at }
end

--- A new code. options: world, double, most, system, shared, exits; terms: of
-- the query, which need not be there yet.
function specialize.new(options)
  return {
    -- The world: the function may use its entities and totals.
    world = options.world,
    -- The rows that the function is given: a list of { name, fields, access }.
    terms = rows_of(options.terms),
    -- true: everything is computed in f64.
    double = options.double,
    -- true: the function of a system. Its rows draw numbers and add to totals,
    -- and its plans keep their programs.
    system = options.system,
    -- true: its rows may take side exits.
    exits = options.exits,
    -- true: for all queries of these terms, which keep programs themselves.
    shared = options.shared,
    -- How many plans are kept.
    most = options.most,
    -- The arguments that follow the rows: { count = 1, dt }.
    extras = { count = 0 },
    -- The plans, the newest one last.
    plans = {},
    -- The plan that was chosen last; nil where none held.
    last = nil,
    -- The problem of the last failure; nil before the first one.
    problem = nil,
    -- How often a plan was asked for, and how often the function was compiled.
    runs = 0,
    attempts = 0,
  }
end

--- Sets the arguments that follow the rows. Returns false where a compiled
-- function cannot take one of them.
function specialize.pass(code, count, ...)
  local extras = code.extras
  extras.count = count
  for k = 1, count do
    local value = select(k, ...)
    local kind = type(value)
    if kind ~= "number" and kind ~= "boolean" and kind ~= "nil" then
      return false
    end
    extras[k] = value
  end
  return true
end

--- Where a problem is, for people: "file:line".
function specialize.where(problem)
  return format("%s:%d", problem.file, problem.line)
end

--- Where a function begins, for people: "file:line".
function specialize.place(f)
  return format("%s:%d", compiler.place(f))
end

--- A problem in one line, for people: "file:line: text".
function specialize.message(problem)
  return specialize.where(problem) .. ": " .. problem.text
end

--- Will the function stay plain Lua whatever changes outside? It will, where no
-- value would help, and where its compiler looked at nothing outside.
function specialize.is_final(problem)
  return problem.final or #problem.looked == 0
end

--- Calls f, which returns up to two values, while the process computes as it
-- does by default: in other rounding modes 1 - 1 is -0, and 2^32 inexact.
local function settled(f, first, second)
  float_mode(true)
  local done, one, two = pcall(f, first, second)
  float_mode(false)
  if not done then error(one, 0) end
  return one, two
end

--- Compiles f as it is now. Returns a plan, or nil and the problem.
local function compile(code, f)
  local world = code.world
  return settled(compiler.compile, f, {
    terms = code.terms, extras = code.extras, double = code.double,
    describe = describe, describe_value = describe_value,
    describe_prefab = describe_prefab,
    describe_grid = function(value) return describe_grid(world, value) end,
    describe_array = function(value) return describe_array(world, value) end,
    system = code.system, prepared = prepared_of,
    exits = code.exits,
    methods = function(object)
      if object.value == world then return compiler.world_methods end
      if describe_grid(world, object.value) then
        return compiler.grid_methods
      end
      return core.total_kind(object.value, world) and compiler.total_methods
    end,
    total_kind = function(object)
      return core.total_kind(object.value, world)
    end,
  })
end

--- What is certainly wrong in f, whether it can be compiled or not, as one line
-- for people; nil: nothing was found. options: world, and the terms of a query
-- or the code that there is for it. Cost: reads the file of the function,
-- unless it was compiled last.
function specialize.mistake(f, options)
  local code = options.code
  local found = settled(mistake.find, f, { world = options.world,
    terms = code and code.terms or rows_of(options.terms), describe = describe,
    found = compiler.found(f) })
  return found and specialize.message(found)
end

--- Would the function be compiled at nearly every run? Plans that queries share
-- are never given up, so there are only so many of them.
local function worn_out(code)
  if code.shared and code.attempts >= code.most then return true end
  return code.attempts >= FREE_ATTEMPTS
    and code.attempts * RUNS_FOR_ONE > code.runs
end

--- Drops everything that was compiled: the code is not used any more.
function specialize.drop(code)
  for _, plan in ipairs(code.plans) do drop_program(plan) end
  code.plans, code.last = {}, nil
end

local function wear_out(code, f)
  local file, line = compiler.place(f)
  specialize.drop(code)
  code.problem = plans.problem { file = file, line = line, looked = {},
    main = {}, text = "it would be compiled at nearly every run: keep the "
      .. "functions and definitions that it uses in locals that stay the same" }
  return nil, code.problem
end

--- The text of the problem, from the error of ecs.core for a program.
local function refusal(text)
  if find(text, "program is too long", 1, true) then
    return "a function that becomes this long cannot be compiled: split it: "
      .. "there is room for 8192 operations, and for 1024 fields and 1024 "
      .. "values from outside"
  end
  return (gsub(text, "^ecs: ", ""))
end

--- Removes a plan that has no use.
local function withdraw(code, plan)
  for k = #code.plans, 1, -1 do
    if code.plans[k] == plan then remove(code.plans, k) end
  end
  code.last = nil
end

--- Removes a plan of f, and takes the text for the problem. Returns nil and the
-- problem.
local function refuse(code, f, plan, text)
  local file, line = compiler.place(f)
  withdraw(code, plan)
  code.problem = plans.problem { file = file, line = line,
    text = refusal(text), main = plan.main, looked = plan.looked }
  return nil, code.problem
end

--- The plan that was chosen last, where it still holds for f and has a program;
-- its values are read then. nil otherwise: call choose. dt is the argument that
-- follows the rows. For codes of systems, which run this before every run.
function specialize.current(code, f, dt)
  local plan = code.last
  code.extras[1] = dt
  -- Reading may run a script, which may have the program dropped.
  if plan and read(plan, f) and plan.program then
    code.runs = code.runs + 1
    return plan
  end
end

--- Writes the numbers outside that a plan's program has changed, for f.
specialize.write = plans.write
--- About how many elements of tables a run copies: see plan.lua.
specialize.elements = plans.elements
--- Which array a run both reads and writes: see plan.lua.
specialize.met_array = plans.met_array
--- What the plan reads, for run_exits of ecs.core: see plan.lua.
specialize.outside = plans.outside
--- The same for the loop of rows that LuaJIT compiles.
specialize.check = plans.check
--- Which numbers of a plan are arguments, and whether it reads resources or
-- globals.
specialize.arguments, specialize.reads_others =
  plans.arguments, plans.reads_others

--- The plan that was chosen last, its values read, where it holds for f and
-- reading it runs no code of a script. nil otherwise: call choose.
function specialize.quiet(code, f, count)
  local plan = code.last
  if plan and plan.quiet and plan.count == count
    and (#plan.uniforms == 0 or read(plan, f)) then
    code.runs = code.runs + 1
    return plan
  end
end

--- The plan that holds for f now, its values read; or nil and the problem.
-- stubborn: compile, however often that was. Cost: a read of each plan until
-- one holds; a compilation where none does and something has changed.
function specialize.choose(code, f, stubborn)
  local list, count, last = code.plans, code.extras.count, code.last
  code.runs = code.runs + 1
  -- Each plan that holds is right, and most often it is the last one again.
  if last and last.count == count and read(last, f) then return last end
  for k = #list, 1, -1 do
    local plan = list[k]
    if plan.count == count and read(plan, f) then
      code.last = plan
      return plan
    end
  end
  code.last = nil
  local problem = code.problem
  if problem and (problem.count or count) == count
    and plans.unchanged(problem, f) then
    return nil, problem
  end
  if not stubborn and worn_out(code) then return wear_out(code, f) end
  code.attempts = code.attempts + 1
  local plan
  plan, problem = compile(code, f)
  if not plan then
    code.problem = problem
    return nil, problem
  end
  if #list == code.most then drop_program(remove(list, 1)) end
  list[#list + 1] = plan
  if not read(plan, f) then
    return refuse(code, f, plan, "what it reads outside is something "
      .. "else each time: keep it in a local variable")
  end
  code.last = plan
  return plan
end

--- The program of a plan for a query, made now: a system's code keeps it in the
-- plan. Otherwise nil and the problem; or nil, nil and an error message, where
-- the failure is no fault of the function.
function specialize.link(code, f, plan, query)
  local program, text, failed = core.program(code.world, query, plan.text,
    plan.totals, plan.loops, plan.grids)
  if program then
    plans.note_exact(plan, code.double)
    plans.note_meetings(plan, program)
    if code.system then plans.keep_program(plan, program) end
    return program
  elseif not failed then
    return refuse(code, f, plan, text)
  end
  if code.system then
    withdraw(code, plan)
    code.problem = nil
  end
  return nil, nil, text
end

--- The text of another function for f that means the same, and the name to load
-- it with; nil where there is none. For functions that run as plain Lua. As a
-- loop over blocks of rows, and for batches: see block_text and batch_text.
local function written(writer, f, options)
  local place = source.find(f)
  if not place then return nil end
  options.place = place
  local made = settled(reader.try, writer, options)
  if made then made.name = place.chunk end
  return made
end
function specialize.block_text(f, options)
  return written(block_text.write, f, options)
end
function specialize.batch_text(f, options)
  return written(batch_text.write, f, options)
end

-- The parts trust their arguments, and their state is for the compiler alone.
-- So they are removed from package.loaded: a script that requires one loads a
-- copy of its own, which shares nothing with this compiler. The parts are plain
-- Lua, and ecs.core checks every program; so garbage given to a copy can at
-- most make it run for ever, as any loop can.
for _, part in ipairs { "compiler", "plan", "mistake", "source", "lexer",
                        "outline", "parser", "captures", "captures_table",
                        "ir_writer", "ir_number", "ir_kind", "ir_loop", "lower",
                        "lower_exit", "lower_record", "lower_total",
                        "lower_type", "lower_value", "lower_table",
                        "lower_expression", "lower_statement", "lower_near",
                        "lower_loop", "lower_change",
                        "lower_call", "source_reader", "read_expression",
                        "read_statement", "block_text", "batch_text" } do
  package.loaded["ecs.compile." .. part] = nil
end

return specialize
