--- query_each: runs query:each compiled, where that is possible; for ecs.core.
--
-- A function that was seen before runs at once. So does a new closure of code
-- that was seen; and a function that cannot be compiled is known as well. A
-- **family** is all functions with the same code, byte for byte:
--
--     query --known--> 1        -> the world's families for its terms
--                      function -> entry, or false: plain Lua for good
--                      family   -> entry
--     world --families--> terms -> line -> list of families, by their dump
--
--     entry    { family, code, programs, source, scale }: programs, by plan,
--              for this query; a source of exit_run.lua while no run uses it,
--              or nil; a scale of worth.lua, or nil
--     family   see new_family
--
-- So a closure made anew for each call, and a query made anew, cost a look at
-- the dump and no compilation. Plans belong to the world. Programs belong to
-- their query and end with it, and each is made when it is first needed.
--
-- A family that has run as plain Lua a number of times is reported, once: calls
-- of a loop are, those made once are not.

local standard = require "ecs.standard"
local require = standard.inner "ecs.query_each"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"
local exit_run = require "ecs.exit_run"
local fallback = require "ecs.fallback"
local worth = require "ecs.worth"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local getmetatable, setmetatable = getmetatable, setmetatable
local concat = table.concat

local core = backend.core
local choose, quiet = specialize.choose, specialize.quiet
local link, pass = specialize.link, specialize.pass
local is_final, run_program = specialize.is_final, core.run_program
local write_places = specialize.write
local dump = string.dump
local error, pcall, select = error, pcall, select
local unpack = standard.unpack

--- The most plans of a family, and families of a world. Beyond them, functions
-- run as plain Lua.
local PLANS, FAMILIES = 32, 1024

--- So many calls of a family run as plain Lua before that is reported.
local CALLS_UNTOLD = 64

local weak = { __mode = "k" }

--- The terms of a query as a key; names have no control characters.
local function key_of(query)
  local parts = core.query_terms(query)
  for k = 1, #parts, 2 do parts[k] = parts[k].name end
  return concat(parts, "\n")
end

--- A table's table under a key, made when it is missing.
local function under(parent, key)
  local child = parent[key]
  if not child then
    child = {}
    parent[key] = child
  end
  return child
end

--- A family for functions with this dump, which core.same_code looks for at
-- [1]. Only this file changes it.
local function new_family(text, code)
  return {
    text,
    -- The code of specialize.lua.
    code = code,
    -- A plan is being chosen.
    busy = false,
    -- It runs as plain Lua for good. It was reported.
    final = false, told = false,
    -- How many calls ran as plain Lua, and why the last one did.
    plain = 0, problem = nil,
  }
end

--- The family of f in the world of a query, where there is one or room for one
-- more.
local function family_of(query, known, f)
  local line = core.line_of(f)
  if not line or not dump then return nil end
  local world = core.query_world(query)
  local state = core.state(world)
  known[1] = known[1] or under(under(state, "families"), key_of(query))
  local list = under(known[1], line)
  local family = core.same_code(list, f)
  if family then return family end
  local done, text = pcall(dump, f)
  state.family_count = (state.family_count or 0) + 1
  if not done or state.family_count > FAMILIES then return nil end
  family = new_family(text, specialize.new { world = world,
    terms = core.query_terms(query), double = state.precision == "double",
    shared = true, exits = true, most = PLANS })
  list[#list + 1] = family
  return family
end

--- The entry of a query for a function that it did not know; false: plain Lua
-- for good.
local function find_entry(query, known, f)
  if not getmetatable(known) then setmetatable(known, weak) end
  if core.state(core.query_world(query)).plain then return false end
  local family = family_of(query, known, f)
  if not family or family.final and family.told then return false end
  known[family] = known[family]
    or { family = family, code = family.code, programs = {} }
  return known[family]
end

--- Is the plan that was chosen last to run as plain Lua, which computes the
-- same and is expected to be faster?
local function is_slow(entry, query, f)
  local code, source = entry.code, entry.source
  local plan = code.last
  if not plan or not plan.exact or not worth.asks(plan)
    or plan.count ~= code.extras.count then
    return false
  end
  entry.scale = entry.scale or worth.new_scale()
  local plain = worth.weigh(entry.scale, plan, f, query,
    source and source.exits or 0, entry.programs[plan])
  return plain
end

--- As choose of specialize.lua; or nil alone, for is_slow. The family is busy
-- meanwhile.
local function choose_busy(entry, query, f)
  local family, plan, problem = entry.family, nil, nil
  family.busy = true
  if not is_slow(entry, query, f) then
    plan, problem = choose(entry.code, f)
  end
  family.busy = false
  return plan, problem
end

--- The plan for f, with count arguments that code has been passed; nil when it
-- is to be called row by row, and whether a problem is the reason.
local function choose_plan(entry, query, f)
  local family = entry.family
  -- A debug hook may raise in there, at any point, and memory may be short.
  local done, plan, problem = pcall(choose_busy, entry, query, f)
  if not done then
    family.busy = false
    error(plan, 0)
  elseif problem then
    family.problem, family.final = problem, is_final(problem)
  end
  return plan, problem ~= nil
end

--- Notes that a call runs as plain Lua, and reports it where that is due.
-- Returns nil, or false and an error.
local function note_plain(family, known, f)
  family.plain = family.plain + 1
  if family.plain == CALLS_UNTOLD then
    family.told = true
    local problem = family.problem
    local text, thrown = fallback.report(fallback.EACH,
      specialize.where(problem), problem.text)
    if thrown then error(text, 0) end
    if text ~= nil then return false, text end
  end
  if family.final and family.told then known[f] = false end
end

--- The program of a plan for a query. nil: there is none; nil and an error.
local function program_of(entry, f, plan, query)
  local program = entry.programs[plan]
  if program then return program end
  local made, _, text = link(entry.code, f, plan, query)
  entry.programs[plan] = made
  return made, text
end

--- As choose of a source (exit_run.lua). A row may have run the same code with
-- other arguments.
local function choosing(entry, query)
  return function(source)
    local code, f, count = entry.code, source.f, source.count
    if entry.family.busy then return nil end
    pass(code, count, unpack(source.arguments, 1, count))
    local plan = quiet(code, f, count) or choose_plan(entry, query, f)
    if not plan then return nil end
    local program, text = program_of(entry, f, plan, query)
    if not program then return nil, nil, text end
    return plan, program
  end
end

--- Runs a program with side exits; nil: it is to be plain Lua. Results are
-- otherwise those of run. While a row runs the same code again, that run has a
-- source of its own.
local function run_exits(entry, query, f, plan, program, count, ...)
  local source = entry.source or exit_run.new("", choosing(entry, query))
  if exit_run.is_plain(source) then return nil end
  entry.source = nil
  local arguments = source.arguments or {}
  for k = 1, count do arguments[k] = (select(k, ...)) end
  source.arguments, source.count = arguments, count
  local done, thrown, text = exit_run.run(source, query, f, 0, plan, program,
    false, ...)
  entry.source = source
  if done then return true end
  return false, text, thrown
end

--- Runs f over the rows of a query, with count arguments more: true; nil when
-- it is to be called row by row; or false, an error, and whether the script
-- raised it.
local function run(query, known, f, count, ...)
  local entry = known[f]
  if entry == nil then
    entry = find_entry(query, known, f)
    known[f] = entry
  end
  if not entry then return nil end
  local code = entry.code
  -- Reading globals may run a script's code, and that may come here again.
  if entry.family.busy or not pass(code, count, ...) then return nil end
  local family = entry.family
  if family.final then return note_plain(family, known, f) end
  local plan, refused = quiet(code, f, count), false
  if not plan then plan, refused = choose_plan(entry, query, f) end
  if refused then return note_plain(family, known, f) end
  if not plan then return nil end
  local program, text = program_of(entry, f, plan, query)
  if text then return false, text end
  if not program then return nil end
  if plan.exits then
    return run_exits(entry, query, f, plan, program, count, ...)
  end
  local ran
  ran, text = run_program(program, plan.values, "", 0, plan.copies)
  if ran == false then return nil end -- dropped by a hook or a finalizer
  if plan.places then write_places(plan, f) end
  if ran then return true end
  return false, text
end

core.share("each", run)

return true
