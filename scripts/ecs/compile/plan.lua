--- plan: the two results of compiling a function, a plan or a problem.
--
-- A **plan** is a kernel program as text, with the values from outside that
-- must be read and compared before each of its runs. A **problem** is the
-- reason why a function has no plan, with the values that were read before:
-- while all of them are the same, compiling again would fail again.
--
-- The two constructors list every field. The other functions here are the only
-- code that changes a plan or a problem; every file may read their fields.

local core = require "ecs.core"
local captures = require "ecs.compile.captures"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local type = type

local read_captured, holds, is_handle =
  captures.read, captures.holds, captures.is_handle

local plan = {}

--- Is nothing read outside but arguments, so that reading runs no code of a
-- script?
local function is_quiet(fields)
  for k = 1, #fields.uniforms do
    if not fields.uniforms[k].box then return false end
  end
  return #fields.guards == 0
end

--- A new plan. fields: text, uniforms, guards, totals, main, looked, count,
-- exits.
function plan.new(fields)
  return {
    -- The program, as ecs.core takes it.
    text = fields.text,
    -- What to read before each run, in the order of the program's uniforms: a
    -- list of { reader, kind, handle, box, position } of captures.lua.
    uniforms = fields.uniforms,
    -- What must be as it was when the function was compiled: a list of guards
    -- of captures.lua.
    guards = fields.guards,
    -- The totals that the program's reductions go into, in their order; true:
    -- the reduction is the most numbers that a row has drawn.
    totals = fields.totals,
    -- { f }: the function that the readers of upvalues use. f is set only while
    -- they read, and false otherwise, so that a plan keeps no closure.
    main = fields.main,
    -- Everything outside the function that the compiler looked at: a list of
    -- { reader, value, exact } of captures.lua.
    looked = fields.looked,
    -- How many arguments follow the rows.
    count = fields.count,
    -- true: reading it runs no code of a script.
    quiet = is_quiet(fields),
    -- Where rows leave the program, to run as plain Lua: a list of { file,
    -- line, construct }; nil: nowhere.
    exits = fields.exits,
    -- true: all that it reads are arguments, so it holds for ever. And: plain
    -- Lua computes the same bits. Set by system_each.lua.
    steady = false,
    exact = false,
    -- The numbers of the uniforms as they were read last, one for each.
    values = {},
    -- The program of ecs.core, where the plan belongs to one query; nil before
    -- it was made, after it was dropped, and for a plan that queries share.
    program = nil,
  }
end

--- A new problem. fields: file, line, text, final, main, looked, count.
function plan.problem(fields)
  return {
    -- Where the cause stands: a file's name as messages show it, and a line.
    file = fields.file,
    line = fields.line,
    -- What is wrong and what to do about it: one line for people.
    text = fields.text,
    -- true: whatever values are outside, the function cannot be compiled.
    final = fields.final,
    -- { f } and everything outside that the compiler looked at, as in a plan.
    main = fields.main,
    looked = fields.looked,
    -- How many arguments followed the rows; nil: any number has the problem.
    count = fields.count,
  }
end

--- Reads the uniforms of a plan into its values. Returns true, or false where
-- the plan does not hold now: a guard is broken, or a uniform is of another
-- type. f is the function that runs: the one that was compiled, or another
-- closure of the same code. Reading a global may run code of a script. Cost: a
-- table access for an argument, a call for any other uniform or guard.
function plan.read(self, f)
  local main, guards, uniforms = self.main, self.guards, self.uniforms
  local values = self.values
  main.f = f
  for k = 1, #guards do
    if not holds(guards[k]) then return false end
  end
  for k = 1, #uniforms do
    local uniform = uniforms[k]
    local box, value = uniform.box
    if box then
      value = box[uniform.position]
    else
      value = read_captured(uniform.reader)
    end
    if uniform.kind == "bool" then
      if type(value) ~= "boolean" then return false end
      value = value and 1 or 0
    elseif type(value) ~= "number"
      or uniform.handle and not is_handle(value) then
      return false
    end
    values[k] = value
  end
  main.f = false -- not nil: a key that stays is faster to set again
  return true
end

--- Keeps the program that ecs.core made of a plan.
function plan.keep_program(self, program)
  self.program = program
end

--- Destroys the program of a plan, where there is one.
function plan.drop_program(self)
  if self.program then core.drop_program(self.program) end
  self.program = nil
end

--- Is everything that was looked at before the problem as it was, so that
-- compiling f again would give the same problem? Cost: one read for each.
function plan.unchanged(problem, f)
  local looked = problem.looked
  problem.main.f = f
  for k = 1, #looked do
    if not captures.alike(looked[k]) then return false end
  end
  return true
end

return plan
