--- worth: whether a compiled run is expected to take longer than plain Lua.
--
-- A program reads tables of the script from copies. They are made before each
-- run, and again behind each row that takes a side exit, because Lua does not
-- say when a table was written. For a large table and few rows, plain Lua is
-- faster:
--
--     compiled     copies x elements + rows x (arrays + operations)
--     plain        rows x (a call + operations)
--
-- Rows that meet in arrays of the world may be faster in plain Lua, too
-- (worth_arrays.lua).
--
-- All of these are counts; what each of them costs are constants, so that the
-- same program runs in the same way on every machine. Plain Lua runs instead
-- where it computes the same bits (plan.exact).

local standard = require "ecs.standard"
local require = standard.inner "ecs.worth"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"
local worth_arrays = require "ecs.worth_arrays"

local format, min = string.format, math.min

local jit = standard.jit
local row_count, elements_of = backend.core.row_count, specialize.elements

local worth = {}

--- Tables with fewer elements are not asked about.
local FEW = 256

--- So many runs are plain Lua after one that was found slow, before it is asked
-- again: for a few rows the question takes as long as they do.
local PLAIN_RUNS = 7

--- The same where side exits or rows that meet make it slow, which is known
-- after a compiled run only: the first time, and at most; it doubles each time.
local EXIT_RUNS, MOST_RUNS = 63, 4095

--- After so many slow runs that is told, once.
local UNTOLD = 16

-- In nanoseconds, measured with functions of 21, 42 and 88 operations: to copy
-- an element of a whole table, to copy one that a row looks at, to call a
-- function for a row, an operation there, and in a program a look at an array
-- and an operation.
local costs = { whole = 30, wanted = 50, call = 50, step = 5,
                look = 0.9, compiled = 0.1 }
if jit and jit.status() then
  costs = { whole = 5, wanted = 30, call = 0, step = 0.2,
            look = 0.9, compiled = 0.1 }
end

--- Is the next run of a plan expected to take longer compiled, for the function
-- f? exits: how many rows took a side exit in the last run. Returns true, the
-- elements of tables and the rows; or false. Cost: the length of each table.
local function is_heavy(plan, f, query, exits)
  if #plan.groups == 0 then return false end
  local whole, wanted, groups, arrays = elements_of(plan, f)
  if whole + wanted < FEW then return false end
  local rows = row_count(query)
  local looked = min(rows * groups, wanted)
  local copy = whole * costs.whole + looked * costs.wanted
  if wanted * costs.whole < looked * costs.wanted then
    copy = (whole + wanted) * costs.whole
  end
  local operations = plan.operations
  local compiled = arrays * costs.look + operations * costs.compiled
  if copy * (1 + exits) + rows * compiled
    <= rows * (costs.call + operations * costs.step) then
    return false
  end
  return true, whole + wanted, rows
end

--- What is told of a plan that is slow for this reason: one line for people.
local function reason(plan, strict, text)
  if not plan.exact then
    text = text .. "; with precision = 'double' it would run as plain Lua "
      .. "meanwhile"
  elseif strict then
    text = text .. "; without compile = true it would run as plain Lua "
      .. "meanwhile"
  end
  return text
end

--- The reason of a plan the tables of which are heavy.
local function heavy_reason(elements, rows)
  return format("its tables of %.0f elements are read for %.0f rows, and "
    .. "copying them takes longer than plain Lua: keep what rows look at in "
    .. "components or in smaller tables", elements, rows)
end

--- Is there anything that may make a plan slow?
function worth.asks(plan)
  return plan.groups[1] ~= nil or plan.late > 0
end

--- What is known of the runs of one function over one query. strict: none of
-- them is to be plain Lua.
function worth.new_scale(strict)
  return {
    strict = strict or false,
    -- So many of the next runs are plain Lua.
    left = 0,
    -- How many runs were slow, or plain for that reason.
    slow = 0,
    -- So many runs will be plain where a compiled one was seen to be slow.
    patience = EXIT_RUNS,
    -- true: they did, so the next question leaves that out.
    forgives = false,
    -- What worth_arrays.lua knows of the runs.
    record = worth_arrays.new_record(),
    -- Of worth_arrays.lua, where the last run that was asked about was slow for
    -- that reason: a kind and the name of an array; nil otherwise.
    kind = nil, name = nil,
  }
end

--- Notes that a run is slow, and how many are plain. by_run: a compiled run has
-- shown it.
local function note_slow(scale, plan, by_run)
  local left = by_run and scale.patience or PLAIN_RUNS
  if by_run then
    scale.patience = min(2 * left + 1, MOST_RUNS)
  end
  scale.forgives = by_run
  scale.left = plan.exact and not scale.strict and left or 0
  scale.slow = scale.slow + 1 + scale.left
end

--- Is the next run to be plain Lua, for the function f? exits: how many rows
-- took a side exit in the last compiled run. program: of that run; nil: there
-- was none. Returns that and, once, what to tell people of runs that are slow.
-- Cost: a comparison in most runs that are plain; otherwise the length of each
-- table.
function worth.weigh(scale, plan, f, query, exits, program)
  if scale.left > 0 then
    scale.left = scale.left - 1
    return true
  end
  if scale.forgives then exits = 0 end
  local heavy, elements, rows = is_heavy(plan, f, query, exits)
  local kind, name
  if not heavy and plan.late > 0 then
    kind, name = worth_arrays.weigh(plan, f, scale.record, program)
  end
  if not heavy and not kind then
    if not scale.forgives then
      scale.patience, scale.kind = EXIT_RUNS, nil
    end
    scale.forgives = false
    return false
  end
  local before = scale.slow
  scale.kind, scale.name = kind, name
  note_slow(scale, plan, kind == "rows"
    or heavy and exits > 0 and not is_heavy(plan, f, query, 0))
  if before >= UNTOLD or scale.slow < UNTOLD then return scale.left > 0 end
  return scale.left > 0, reason(plan, scale.strict,
    kind and worth_arrays.reason(kind, name) or heavy_reason(elements, rows))
end

--- The line of explain for a plan; "" where it is not slow. Also returns
-- whether it runs as plain Lua. scale: of its runs; nil: there were none. As
-- weigh.
function worth.explain(scale, plan, strict, f, query, exits)
  local heavy, elements, rows = is_heavy(plan, f, query, exits)
  local text = heavy and heavy_reason(elements, rows)
  if not heavy and plan.late > 0 then
    local kind, name = worth_arrays.weigh(plan, f)
    if not kind and scale and scale.kind == "rows" then
      kind, name = scale.kind, scale.name
    end
    text = kind and worth_arrays.reason(kind, name)
  end
  if not text then return "", false end
  local plain = plan.exact and not strict
  return "\n  slow: " .. reason(plan, strict, text)
    .. (plain and "; so it runs as plain Lua, which computes the same" or ""),
    plain
end

return worth
