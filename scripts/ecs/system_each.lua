--- system_each: how a system's each function runs: compiled, or as plain Lua.
--
--     world:system { name = "move", query = { Position, read = { Velocity } },
--       each = function(p, v, dt) p.x = p.x + v.x * dt end }
--
-- The function becomes a kernel program (compiler.lua) that ecs.core runs over
-- whole columns, on every VM alike. A function that cannot be compiled is
-- called row by row:
--
--     compile = nil     and fallback.lua reports it, once for each definition
--     compile = true    never: defining the system, or the frame, is an error;
--                       but see exit_run.lua
--     compile = "whole" the same, and no row may take a side exit
--     compile = false   always, without a report; so are all functions of a
--                       world with compile = false, whatever a system says
--
-- Rows that take a side exit run as plain Lua between others that are compiled
-- (exit_run.lua). A run is plain Lua, too, where tables of the script would
-- have to be copied for longer than that takes, or rows meet in arrays of the
-- world (worth.lua).
--
-- The values that the function uses from outside are read before every run.
-- Where one of them that is no number or boolean has changed, the function is
-- compiled anew, or runs as plain Lua until it changes again (specialize.lua).
--
-- This file adds to a system (system.lua):
--
--     code      of specialize.lua; nil with compile = false
--     plain     true: the world's compile is false
--     strict    compile = true
--     reported  true: it was reported that the system runs as plain Lua
--     source    of exit_run.lua; nil before the first run that needs one
--     scale     of worth.lua; nil before the first run that needs one
--     fixed     { program, values, count }: the program to run where dt is the
--               only value from outside, so that its plan holds for ever. The
--               count values are all dt. nil otherwise

local standard = require "ecs.standard"
local require = standard.inner "ecs.system_each"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"
local exit_run = require "ecs.exit_run"
local fallback = require "ecs.fallback"
local worth = require "ecs.worth"
local message = require "ecs.message"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, pcall, type = ipairs, pcall, type
local format, match = string.format, string.match
local gsub, concat = string.gsub, table.concat

local load_chunk = standard.load
local core = backend.core
local is_idle, run_program, run_each, find_state =
  backend.is_idle, backend.run_program, core.run_each, core.find_state
local choose_plan, current_plan = specialize.choose, specialize.current
local write_places, asks = specialize.write, worth.asks

local system_each = {}

--- How many plans a system keeps: that many sets of values from outside can
-- alternate without a compilation.
local PLANS = 4

--- How often a system may be compiled anew, or change its plan, before it is in
-- no pass any more.
local MISSES = 8

--- The function that a text defines; or nil and an error message.
local function load_text(text)
  if not load_chunk then
    return nil, "its each is a text, which needs load, and this Lua has none: "
      .. "give it as a function"
  end
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

--- The error in the options of a system; nil: there is none.
local function objection(kind, compile, precision)
  if kind ~= "each" then
    if compile == nil and precision == nil then return nil end
    return "compile and precision are for each"
  elseif compile ~= nil and type(compile) ~= "boolean"
    and compile ~= "whole" then
    return "compile is true, 'whole' or false, not "
      .. message.describe(compile)
  elseif precision ~= nil and precisions[precision] == nil then
    return "precision is 'fields' or 'double', not "
      .. message.describe(precision)
  elseif precision ~= nil and compile == false then
    return "precision is for compiled functions: plain Lua computes in doubles"
  end
end

--- How many numbers a plan reads, where all of them are dt and any number will
-- do; nil where it depends on anything else.
local function count_dts(plan)
  if #plan.guards > 0 or #plan.groups > 0 or #plan.arrays > 0
    or plan.places then
    return nil
  end
  for _, uniform in ipairs(plan.uniforms) do
    if not uniform.box or uniform.demand or uniform.kind == "bool" then
      return nil
    end
  end
  return #plan.uniforms
end

--- A plan with its program, made where it has none. Otherwise as choose.
local function link(system, plan)
  if plan.program then return plan end
  local program, problem, text = specialize.link(system.code, system.work, plan,
    system.query)
  if not program then return nil, problem, text end
  local count = count_dts(plan)
  plan.steady = count ~= nil
  system.fixed = count and not plan.exits
    and { program = program, values = {}, count = count }
  return plan
end

--- The plan for the next run, with its program. Otherwise nil and the problem
-- (plan.lua); or nil, nil and an error message, where the failure is no fault
-- of the function.
local function choose(system)
  local plan, problem = choose_plan(system.code, system.work, system.strict)
  if not plan then return nil, problem end
  return link(system, plan)
end

--- Checks the options of a system that is being defined, and loads a function
-- given as text. Returns nil, or an error message.
function system_each.read(system, spec)
  local problem = objection(system.kind, spec.compile, spec.precision)
  if problem or type(system.work) ~= "string" or system.kind ~= "each" then
    return problem
  end
  local work, text = load_text(system.work)
  if not work then return text end
  system.work = work
end

--- Compiles the function of a system that is being defined, for a query with
-- these terms: the query itself need not be there, so that what is refused
-- defines no component. state: of the world. Returns nil, or an error message.
function system_each.compile(world, system, spec, state, terms)
  if system.kind ~= "each" then return nil end
  if spec.compile == false or state.plain then
    system.plain = state.plain
    return specialize.mistake(system.work, { world = world, terms = terms })
  end
  system.threads = state.threads or 1
  system.strict = spec.compile == true or spec.compile == "whole"
  system.code = specialize.new { world = world, terms = terms,
    double = precisions[spec.precision or state.precision or "fields"],
    system = true, most = PLANS, exits = spec.compile ~= "whole" }
  specialize.pass(system.code, 1, 0)
  local plan, reason = choose_plan(system.code, system.work, system.strict)
  if not plan and system.strict then return specialize.message(reason) end
  -- Of a compiled function, too: in code that is never reached the compiler
  -- sees no mistake, and plain Lua would be refused for the same source.
  return specialize.mistake(system.work, { world = world,
    code = system.code })
end

--- Makes the program of a system that is being defined, and has its query.
-- Returns nil, or an error message.
function system_each.prepare(system)
  local chosen = system.code and system.code.last
  if not chosen then return nil end
  local plan, reason, text = link(system, chosen)
  if text then return (gsub(text, "^ecs: ", "")) end
  if not plan and system.strict then return specialize.message(reason) end
end

--- Reports, once, that a system runs as plain Lua. Returns as fallback.report.
local function report(system, problem)
  if system.reported then return nil end
  system.reported = true
  return fallback.report(system.name, specialize.where(problem), problem.text)
end

--- Reports a system that was just defined and runs as plain Lua, unless that
-- may only be for what comes later. Returns as fallback.report.
function system_each.announce(system)
  local code = system.code
  if code and not code.last and not code.problem.early then
    return report(system, code.problem)
  end
end

--- What a pass needs of a system: { program, work, readers, arguments }, see
-- bindings/lua/program/lua_pass.c, and the plan. Otherwise nil, and why a pass
-- ends before the system.
function system_each.member(system)
  local code = system.code
  local plan = code and code.last
  local program = plan and plan.program
  if not program then return nil, "it runs as plain Lua" end
  local hindrance = core.pass_hindrance(program)
  if hindrance then return nil, hindrance end
  if plan.places then return nil, "it changes numbers outside" end
  local resource, global = specialize.reads_others(plan, system.work)
  if resource then return nil, "it reads a resource" end
  if global then
    return nil, "it reads globals: keep functions and numbers in locals"
  elseif system.misses > MISSES then
    return nil, "what it reads outside was something else, or behind a "
      .. "metatable, too often"
  end
  local readers = specialize.outside(plan)
  if not readers then
    return nil, "what it reads outside has to be looked at before each run"
  end
  return { program, system.work, readers, specialize.arguments(plan) },
    plan
end

--- Reads anew what the plan of a member reads outside. Returns its values; nil
-- where another plan holds now. The run is counted when it comes.
function system_each.read_member(system, plan, dt)
  local code = system.code
  local runs = code.runs
  local now = current_plan(code, system.work, dt)
  code.runs = runs
  return now == plan and specialize.outside(plan) and plan.values or nil
end

--- Counts frames in which a system was to run in a pass, and runs of them, as
-- run does.
function system_each.count(system, frames, runs)
  local code = system.code
  system.runs = system.runs + frames
  if not system.fixed then code.runs = code.runs + runs end
end

--- A system could not run in its pass, or has another plan. Returns whether
-- passes are to be found again; not for a system that is in none any more.
function system_each.miss(system)
  system.misses = system.misses + 1
  return system.misses <= MISSES + 1
end

--- Drops the compiled code of a system that was replaced or removed.
function system_each.forget(system)
  system.fixed = nil
  if system.code then specialize.drop(system.code) end
end

--- Calls the function row by row. Returns as system_each.run.
local function run_plain(system, dt, clock)
  local done, second, third, drew = run_each(system.query, system.work,
    system.name, clock.runs > 0 and clock.runs or 1, dt)
  if not done then
    if drew and clock.runs == 0 then clock.runs = 1 end
    return false, second, third
  end
  if third and clock.runs == 0 then clock.runs = 1 end
  system.idle = second
  return true
end

--- Runs a system for which no plan holds: an error, or plain Lua with a report.
-- Returns as system_each.run.
local function run_without(world, system, problem, text, dt, clock)
  if text then
    return false, false, text
  elseif system.strict then
    return false, false, "ecs: " .. specialize.message(problem)
  end
  -- What is missing may come before there are rows.
  if problem.early and is_idle(system.query) then return true end
  local thrown
  text, thrown = report(system, problem)
  if text ~= nil then return false, thrown, text end
  if not core.live(world) then return true end -- the handler closed it
  system.fallback_runs = system.fallback_runs + 1
  return run_plain(system, dt, clock)
end

--- How many rows took a side exit in the last run.
local function exits_of(system)
  local source = system.source
  return source and source.exits or 0
end

--- Is the next run to be plain Lua, which is expected to be faster? Reports,
-- once, that the function is slow. Otherwise nil, whether a script raised it,
-- and an error.
local function is_plain(system, plan)
  system.scale = system.scale or worth.new_scale(system.strict)
  local plain, reason = worth.weigh(system.scale, plan, system.work,
    system.query, exits_of(system), plan.program)
  if not reason then return plain end
  local text, thrown = fallback.report(system.name,
    specialize.place(system.work), reason, not plain)
  if text ~= nil then return nil, thrown, text end
  return plain
end

--- As choose of a source (exit_run.lua).
local function choosing(system)
  return function()
    local code, work = system.code, system.work
    local plan, problem, text = current_plan(code, work, code.extras[1])
    if not plan then plan, problem, text = choose(system) end
    if plan then return plan, plan.program end
    return nil, nil, text
      or system.strict and "ecs: " .. specialize.message(problem)
  end
end

--- Runs a program with side exits. Results are those of system_each.run.
local function run_exits(system, plan, dt, clock)
  -- A hook may replace the system at any point, which drops the program.
  local program, source = plan.program, system.source
  if not source then
    source = exit_run.new(system.name, choosing(system))
    system.source = source
  end
  if not program or exit_run.is_plain(source) then
    return run_plain(system, dt, clock)
  end
  local done, second, third, fourth = exit_run.run(source, system.query,
    system.work, clock.runs > 0 and clock.runs or 1, plan, program,
    plan.steady, dt)
  if not done then
    if fourth and clock.runs == 0 then clock.runs = 1 end
    return false, second, third
  end
  if third and clock.runs == 0 then clock.runs = 1 end
  system.exits = system.exits + fourth
  system.idle = second
  return true
end

--- Runs a system as system.lua runs every kind. Returns true; or false, whether
-- the script raised the error, and the error. clock: of the phase (frame.lua).
function system_each.run(world, system, dt, clock)
  if system.idle and is_idle(system.query) then return true end
  local program, values, places, copies
  local fixed, code = system.fixed, system.code
  if fixed then
    program, values = fixed.program, fixed.values
    for k = 1, fixed.count do values[k] = dt end
  elseif not code then
    return run_plain(system, dt, clock)
  else
    local last = code.last
    if last and asks(last) then
      local plain, thrown, failure = is_plain(system, last)
      if plain == nil then return false, thrown, failure end
      if not core.live(world) then return true end -- the handler closed it
      if plain then return run_plain(system, dt, clock) end
    end
    local plan, problem, text = current_plan(code, system.work, dt)
    if not plan then
      plan, problem, text = choose(system)
      local state = system_each.miss(system) and find_state(world)
      if state then state.joins = state.joins + 1 end -- see passes.lua
    end
    if not plan then
      return run_without(world, system, problem, text, dt, clock)
    end
    if plan.exits then return run_exits(system, plan, dt, clock) end
    program, values, places = plan.program, plan.values, plan.places and plan
    copies = plan.copies
  end
  local runs = clock.runs
  local done, second, drew = false, nil, nil
  if program then
    done, second, drew = run_program(program, values, system.name,
      runs > 0 and runs or 1, copies)
  end
  -- A hook or a finalizer has replaced the system, which drops its program.
  if done == false then return run_plain(system, dt, clock) end
  if places then write_places(places, system.work) end
  if not done then return false, false, second end
  if drew and runs == 0 then clock.runs = 1 end
  system.idle = second
  return true
end

--- "; reads arrays 'a', 'b'": what a plan does with arrays of the world. use:
-- reads or writes.
local function describe_arrays(plan, use)
  local names, known = {}, {}
  for _, slot in ipairs(plan.arrays) do
    if slot[use] then
      local _, _, name = core.array_shape(plan.copies[slot.at])
      name = "'" .. (name or slot.label) .. "'"
      if not known[name] then
        known[name], names[#names + 1] = true, name
      end
    end
  end
  if #names == 0 then return "" end
  return "; " .. use .. (#names == 1 and " array " or " arrays ")
    .. concat(names, ", ")
end

--- Describes how a system's function runs: one line for people.
function system_each.explain(system)
  local code = system.code
  if not code then
    return "slow: plain Lua, as compile = false "
      .. (system.plain and "of the world says" or "says")
  end
  local plan = code.last
  if not plan or not plan.program then
    return code.problem and "slow: plain Lua: "
      .. specialize.message(code.problem) or "to be compiled"
  end
  local operations, read, written, slow, back_end, alone =
    core.program_info(plan.program)
  local exits = plan.exits
  local out = ""
  for k = 1, exits and #exits or 0 do
    local exit = exits[k]
    out = format("%s\n  side exit at %s:%d: %s", out, exit.file,
      exit.line, exit.construct)
  end
  -- Which instructions the loops use depends on the machine.
  local text = format("compiled (%s): %.0f %s, %.0f %s read and %.0f "
    .. "written a row", match(back_end, "^[^,]*"), operations,
    operations == 1 and "operation" or "operations", read,
    read == 1 and "byte" or "bytes", written)
  if slow > 0 then
    text = text .. format("; slow: %.0f %s the C library row by row, as "
      .. "most functions of math do (those of ecs.math do not)", slow,
      slow == 1 and "operation calls" or "operations call")
  end
  local copied = core.copied_elements(plan.copies)
  local slow_runs, plain = worth.explain(system.scale, plan, system.strict,
    system.work, system.query, exits_of(system))
  out = out .. slow_runs
  if copied > 0 and not plain then
    text = text .. format("; %.0f %s of tables copied before each run",
      copied, copied == 1 and "element" or "elements")
  end
  text = text .. describe_arrays(plan, "reads")
    .. describe_arrays(plan, "writes")
  if alone and system.threads > 1 then
    text = text .. "; on one thread: " .. alone
  end
  return text .. out .. exit_run.explain(system.source)
end

return system_each
