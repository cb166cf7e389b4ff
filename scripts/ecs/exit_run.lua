--- exit_run: runs compiled functions of which rows may take side exits.
--
-- A side exit is a branch with something that cannot be compiled in it. The
-- program stops before a row that reaches one; this row runs as plain Lua, and
-- the program goes on behind it, with everything from outside read again. All
-- is one walk, in the order of rows (bindings/lua/program/exit_loop.c).
--
-- A **source** is what such a walk takes from here, and what it asks behind the
-- rows that left it:
--
--     [1] to [8]   see exit_loop.c
--     choose       choose(source): the plan for the next rows, its values read,
--                  and its program. nil: the other rows run as plain Lua; nil,
--                  nil and an error message: the run fails
--     f, plan      the function that runs, and the plan of the last part
--     same         for the loop that LuaJIT compiles: a function that answers
--                  whether all that the plan reads is as it was; false, when a
--                  run begins: this run does not ask
--     same_f, same_plan  what same is for
--     failure      the message, until the failed run has ended
--     exits, rows  of the last run: how many rows took an exit, of how many;
--                  nil: there was none
--     plain_runs   so many runs to come are plain Lua: too many took exits
--
-- One source is for one run at a time.

local standard = require "ecs.standard"
local require = standard.inner "ecs.exit_run"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error = error
local format = string.format

local core, jit = backend.core, standard.jit
local run_exits = core.run_exits
local write_places, outside_of = specialize.write, specialize.outside
local check_of = specialize.check

local exit_run = {}

--- One row in so many that takes a side exit costs as much as the others save
-- by being compiled. Where plain Lua gives the same bits, a function with more
-- of them runs as plain Lua, so many times; then it is tried again.
local CROWD, PLAIN_RUNS = jit and jit.status() and 64 or 4, 63

--- For fewer rows it makes no difference.
local CROWD_ROWS = 1024

--- So many rows that take an exit pay for making same anew in each run.
local WORTH = 32

local function never() return false end

--- Makes same, unless it is there: code that was compiled knows the closure.
-- query:each keeps none, as it keeps no function.
local function set_same(source, plan)
  if source[1] == "" and (source.exits or 0) < WORTH then return end
  if source.same_plan ~= plan or source.same_f ~= source.f then
    source.same = check_of(plan, source.f) or source.same and never
    source.same_f, source.same_plan = source.f, plan
  end
end

--- For the walk: the program, the values, what was read, and the copies to go
-- on with; nil: the other rows are plain Lua.
local function renewal(source)
  return function()
    local plan, program, text = source.choose(source)
    if plan then
      source.plan = plan
      local outside = outside_of(plan)
      set_same(source, plan)
      return program, plan.values, outside, plan.copies
    elseif text then
      source.failure = text
      error(text, 0)
    end
  end
end

--- A new source. name: of the system; "": query:each.
function exit_run.new(name, choose)
  local source = { name, choose = choose, plain_runs = 0 }
  source.renew = renewal(source)
  source[5] = function() write_places(source.plan, source.f) end
  return source
end

--- Did too many rows of the last run take an exit?
local function is_crowded(source)
  return source.rows >= CROWD_ROWS and source.exits * CROWD > source.rows
end

--- Ends a run: the results of exit_run.run.
local function finish(source, done, second, third, fourth, rows)
  local failure = source.failure
  source.f, source[7] = false, false
  if source[1] == "" then source.same, source.same_f = false, nil end
  if not done then
    source.failure = nil
    if failure then return false, false, failure, fourth end
    return false, second, third, fourth
  end
  source.exits, source.rows = fourth, rows
  if source.plan.exact and is_crowded(source) then
    source.plain_runs = PLAIN_RUNS
  end
  return true, second, third, fourth
end

--- Runs f over the rows of a query, with arguments behind them. runs: of the
-- phase. steady: nothing outside can change what the plan reads. Returns true,
-- whether nothing matched, whether a row has drawn a number, and how many rows
-- took an exit; or false, whether the script raised the error, the error, and
-- whether a row has drawn.
function exit_run.run(source, query, f, runs, plan, program, steady, ...)
  local renew = not steady and source.renew
  source.f, source.plan = f, plan
  source[2], source[3], source[4] = program, plan.values, renew
  source[6], source[7] = renew and outside_of(plan), f
  if renew then
    set_same(source, plan)
  else
    source.same, source.same_f = false, nil
  end
  source[8] = plan.copies
  return finish(source, run_exits(query, f, runs, source, ...))
end

--- Is the next run to be plain Lua? Asked once for each run.
function exit_run.is_plain(source)
  local runs = source.plain_runs
  source.plain_runs = runs > 0 and runs - 1 or 0
  return runs > 0
end

--- What the last run cost, for people: lines that follow those of the exits.
-- A change that would be an error is an exit that has no line of its own.
function exit_run.explain(source)
  if not source or not source.rows then return "" end
  local text = format("\n  %.0f of %.0f rows took a side exit in the "
    .. "last compiled run", source.exits, source.rows)
  if source.plain_runs > 0 then
    return text .. "; that is slow, so it runs as plain Lua, which computes "
      .. "the same, for some frames"
  elseif is_crowded(source) then
    return text .. "; that is slow: with precision = 'double' it would run as "
      .. "plain Lua meanwhile"
  end
  return text
end

return exit_run
