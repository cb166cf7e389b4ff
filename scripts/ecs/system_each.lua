--- system_each: how a system's each function runs: compiled, or as plain Lua.
--
--     world:system { name = "move", query = { Position, read = { Velocity } },
--       each = function(p, v, dt) p.x = p.x + v.x * dt end }
--
-- The function becomes a kernel program (compiler.lua) that ecs.core runs over
-- whole columns, on every VM alike; where it cannot, it is called row by row:
--
--     compile = nil     and fallback.lua says so, once for each system defined
--     compile = true    never: defining the system, or the frame, is an error
--     compile = false   always, and nothing is said
--
-- What the function reads outside is read before every run. When something else
-- than a number has changed there, it is compiled anew; or it runs as plain Lua
-- until that changes again (specialize.lua).
--
-- A system's code is one of specialize.lua; nil with compile = false. strict:
-- with compile = true. told: that it runs as plain Lua was said. fixed: the
-- plan, where it depends on nothing but dt and so holds for ever.

local native = require "ecs.backend"
local compiler = require "ecs.compile.compiler"
local codes = require "ecs.compile.specialize"
local fallback = require "ecs.fallback"
local message = require "ecs.message"

local core = native.core
local is_idle, run_program, run_each =
  core.is_idle, core.run_program, core.run_each
local choose_plan, read_plan = codes.choose, compiler.read

local each = {}

--- Plans that a system keeps: as many as alternate without being compiled anew.
local PLANS = 4

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

--- What is wrong with the options of a system; nil: nothing.
local function objection(kind, compile, precision)
  if kind ~= "each" then
    if compile == nil and precision == nil then return nil end
    return "compile and precision are for each"
  elseif compile ~= nil and type(compile) ~= "boolean" then
    return "compile is true or false, not " .. message.describe(compile)
  elseif precision ~= nil and precisions[precision] == nil then
    return "precision is 'fields' or 'double', not "
      .. message.describe(precision)
  elseif precision ~= nil and compile == false then
    return "precision is for compiled functions: plain Lua computes in doubles"
  end
end

--- How many numbers a plan reads, where all are arguments, of which a system's
-- function has one, and any number will do; nil where it depends on anything
-- else.
local function count_dts(plan)
  if #plan.guards > 0 then return nil end
  for _, uniform in ipairs(plan.uniforms) do
    if not uniform.box or uniform.handle or uniform.kind == "bool" then
      return nil
    end
  end
  return #plan.uniforms
end

--- The plan for the next run, with its program; or nil, the problem as
-- specialize.lua has it, and an error instead when it is no fault of the
-- function.
local function choose(system)
  local code = system.code
  local plan, problem = choose_plan(code, system.work, system.strict)
  if not plan or plan.program then return plan, problem end
  plan.dts = count_dts(plan)
  local text, failed
  plan.program, text, failed = core.program(code.world, system.query, plan.text,
    plan.totals)
  if plan.program then
    system.fixed = plan.dts and plan
    return plan
  end
  plan, problem = codes.refuse(code, system.work, plan, text)
  if failed then
    code.problem = nil
    return nil, nil, text
  end
  return plan, problem
end

--- Prepares a system that is being defined; returns what is wrong, or nil.
function each.prepare(world, system, spec, precision)
  local problem = objection(system.kind, spec.compile, spec.precision)
  if problem or system.kind ~= "each" then return problem end
  if type(system.work) == "string" then
    local work, text = load_text(system.work)
    if not work then return text end
    system.work = work
  end
  if spec.compile == false then return nil end
  system.strict = spec.compile == true
  system.code = codes.new(world, system.query,
    precisions[spec.precision or precision or "fields"], PLANS)
  system.code.system = true
  local extras = system.code.extras
  extras.count, extras[1] = 1, 0
  local plan, reason, text = choose(system)
  if text then return (text:gsub("^ecs: ", "")) end
  if not plan and system.strict then return codes.message(reason) end
end

--- Says, once, that a system runs as plain Lua. Returns as fallback.report.
local function tell(system, problem)
  if system.told then return nil end
  system.told = true
  return fallback.report(system.name, codes.where(problem), problem.text)
end

--- Says what there is to say about a system that was just defined.
function each.announce(system)
  local code = system.code
  if code and not code.now then return tell(system, code.problem) end
end

--- A system is gone: so is what it was compiled to.
function each.forget(system)
  system.fixed = nil
  if system.code then codes.drop(system.code) end
end

--- The plan that ran last, if it holds still; its values are read then. Reading
-- may run a script, which may have the program dropped.
local function last_plan(code, work)
  local plan = code.now
  if plan and read_plan(plan, plan.values, work) and plan.program then
    code.runs = code.runs + 1
    return plan
  end
end

--- Row by row.
local function run_plain(system, dt, turn)
  local done, second, text = run_each(system.query, system.work, system.name,
    turn, dt)
  if not done then return false, second, text end
  system.idle = second
  return true
end

--- What happens when no plan holds: an error, or plain Lua, which is said.
local function run_without(world, system, problem, text, dt, turn)
  if text then
    return false, false, text
  elseif system.strict then
    return false, false, "ecs: " .. codes.message(problem)
  end
  local thrown
  text, thrown = tell(system, problem)
  if text ~= nil then return false, thrown, text end
  if not core.live(world) then return true end -- the handler closed it
  return run_plain(system, dt, turn)
end

--- Runs a system as system.lua runs every kind: true; or false, whether the
-- error is the script's own, and the error. turn: how often its phase has run.
function each.run(world, system, dt, _, turn)
  if system.idle and is_idle(system.query) then return true end
  local plan, code = system.fixed, system.code
  if plan then
    for k = 1, plan.dts do plan.values[k] = dt end
  elseif not code then
    return run_plain(system, dt, turn)
  else
    local problem, text
    code.extras[1] = dt
    plan = last_plan(code, system.work)
    if not plan then plan, problem, text = choose(system) end
    if not plan then
      return run_without(world, system, problem, text, dt, turn)
    end
  end
  local done, second = run_program(plan.program, plan.values, system.name, turn)
  if not done then return false, false, second end
  system.idle = second
  return true
end

--- How a system's function runs, for people.
function each.explain(system)
  local code = system.code
  if not code then return "plain Lua, as compile = false says" end
  local plan = code.now
  if not plan or not plan.program then
    return code.problem and "plain Lua: " .. codes.message(code.problem)
      or "to be compiled"
  end
  local operations, read, written, slow, back_end =
    core.program_info(plan.program)
  local text = string.format("compiled (%s): %.0f %s, %.0f %s read and %.0f "
    .. "written a row", back_end, operations,
    operations == 1 and "operation" or "operations", read,
    read == 1 and "byte" or "bytes", written)
  if slow > 0 then
    text = text .. string.format("; %.0f %s the C library row by row", slow,
      slow == 1 and "operation calls" or "operations call")
  end
  return text
end

return each
