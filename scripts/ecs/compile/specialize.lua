--- specialize: compiled forms of one function, and which of them holds now.
--
-- A code stands for a function (or all closures of one text), the terms of a
-- query and a precision. What is outside decides what it is compiled to, so it
-- has several plans, each good for what it was compiled for:
--
--     choose  -->  a plan whose guards hold            the usual way
--             -->  nobody's: is it known to fail?      nothing it looked at
--             |                                        has changed: plain Lua
--             -->  compile: one more plan, or the problem
--
-- So what alternates is not compiled again and again, and what cannot be
-- compiled costs a look at what its compiler looked at. A code that would be
-- compiled at nearly every run stays plain Lua for good: see worn_out.
--
--     world, terms, double    for whom
--     system                  a system's: its rows draw and add to totals
--     extras                  { count, ... } what follows the rows
--     plans                   newest last; each with values and count of extras
--     most, shared            as many plans as are kept; whether the code is
--                             for all queries of these terms
--     problem                 of the last failure: { file, line, text, ... }
--     now                     the plan chosen last; nil: none held
--     runs, attempts          how often it was asked, and compiled

local native = require "ecs.backend"
local compiler = require "ecs.compile.compiler"

local core = native.core
local read = compiler.read

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local ipairs, format = ipairs, string.format
local find, gsub = string.find, string.gsub
local remove = table.remove

local codes = {}

--- The first compilations are free; from then on there have to be that many
-- runs for each.
local FREE_ATTEMPTS, RUNS_FOR_ONE = 8, 16

--- What the compiler asks about values from outside.
local function describe(value)
  if core.kind(value) ~= "ecs.Component" then return nil end
  local name, fields = core.fields(value)
  local types = {}
  for _, field in ipairs(fields) do types[field[1]] = field[2] end
  return { name = name, types = types }
end

--- The terms of a query that are parameters of the function.
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

--- A code for a query like asked. most: plans to keep.
function codes.new(world, asked, double, most)
  return { world = world, terms = rows_of(asked), double = double, most = most,
           extras = { count = 0 }, plans = {}, runs = 0, attempts = 0 }
end

--- A problem as whoever reads it wants it: where, and why.
function codes.where(problem)
  return format("%s:%d", problem.file, problem.line)
end

function codes.message(problem)
  return codes.where(problem) .. ": " .. problem.text
end

--- Compiles f as it is now. Returns a plan, or nil and the problem.
local function compile(code, f)
  local world = code.world
  local plan, problem = compiler.compile(f, {
    terms = code.terms, extras = code.extras, double = code.double,
    describe = describe, system = code.system,
    methods = function(object)
      if object.value == world then return compiler.world_methods end
      return core.total_kind(object.value, world) and compiler.total_methods
    end,
    total_kind = function(object)
      return core.total_kind(object.value, world)
    end,
  })
  if not plan then
    -- A clause that says more of the construct ends with a comma.
    local comma = (find(problem.what, ", which ", 1, true)
      or find(problem.what, ", whose ", 1, true)) and "," or ""
    problem.text = problem.what .. comma .. " cannot be compiled: "
      .. problem.remedy
    return nil, problem
  end
  plan.values, plan.count = {}, code.extras.count
  return plan
end

--- Would it be compiled at nearly every run? Plans that are shared by queries
-- are never given up, so there are only so many.
local function worn_out(code)
  if code.shared and code.attempts >= code.most then return true end
  return code.attempts >= FREE_ATTEMPTS
    and code.attempts * RUNS_FOR_ONE > code.runs
end

local function drop(plan)
  if plan.program then core.drop_program(plan.program) end
  plan.program = nil
end

--- Lets go of what was compiled: the code is not used any more.
function codes.drop(code)
  for _, plan in ipairs(code.plans) do drop(plan) end
  code.plans, code.now = {}, nil
end

local function wear_out(code, f)
  local file, line = compiler.place(f)
  codes.drop(code)
  code.problem = { file = file, line = line, looked = {}, main = {},
    text = "it would be compiled at nearly every run: keep the functions and "
      .. "definitions that it uses in locals that stay the same" }
  return nil, code.problem
end

--- Why no program could be made, given what ecs.core says of it.
local function refusal(text)
  if find(text, "program is too long", 1, true) then
    return "a function that becomes this long cannot be compiled: split it: "
      .. "there is room for 8192 operations, and for 1024 fields and 1024 "
      .. "values from outside"
  end
  return (gsub(text, "^ecs: ", ""))
end

--- Notes that a plan is no program after all.
function codes.refuse(code, f, plan, text)
  local file, line = compiler.place(f)
  text = refusal(text)
  for k = #code.plans, 1, -1 do
    if code.plans[k] == plan then remove(code.plans, k) end
  end
  code.now = nil
  code.problem = { file = file, line = line, text = text, main = plan.main,
                   looked = plan.looked }
  return nil, code.problem
end

--- The plan that holds for f now, its values read; or nil and the problem.
-- stubborn: compile, however often that was.
function codes.choose(code, f, stubborn)
  local plans, count, now = code.plans, code.extras.count, code.now
  code.runs = code.runs + 1
  -- Each plan that holds is right, and most often it is the last one again.
  if now and now.count == count and read(now, now.values, f) then return now end
  for k = #plans, 1, -1 do
    local plan = plans[k]
    if plan.count == count and read(plan, plan.values, f) then
      code.now = plan
      return plan
    end
  end
  code.now = nil
  local problem = code.problem
  if problem and (problem.count or count) == count
    and compiler.unchanged(problem, f) then
    return nil, problem
  end
  if not stubborn and worn_out(code) then return wear_out(code, f) end
  code.attempts = code.attempts + 1
  local plan
  plan, problem = compile(code, f)
  if not plan then
    problem.count, code.problem = count, problem
    return nil, problem
  end
  if #plans == code.most then drop(remove(plans, 1)) end
  plans[#plans + 1] = plan
  if not read(plan, plan.values, f) then
    return codes.refuse(code, f, plan, "what it reads outside is something "
      .. "else each time: keep it in a local variable")
  end
  code.now = plan
  return plan
end

return codes
