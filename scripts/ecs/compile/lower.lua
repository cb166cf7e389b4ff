--- lower: turns a function's tree into straight-line code, for one row.
--
-- Both sides of every branch are computed, and the values that they assign are
-- selected afterwards. Four means make the result the same as Lua's:
--
--   state     variable or field -> its value at this point. A branch changes
--             the state, and its changes are undone at its end; after both
--             branches each changed entry becomes select(test, one, other).
--   return    The statements after an if with a return in it run under the
--             condition that the function has not returned.
--   facts     bools that are known at this point: inside `if x then` x is not
--             nil. Only there may a number that can be nil be computed with.
--   path      the conditions of the enclosing branches, for effects that cannot
--             be undone: changes of structure, and additions to totals.
--
-- A branch with something outside of the subset in it becomes a **side exit**:
-- rows that reach it run as plain Lua, so nothing of it is lowered, and behind
-- it its condition is false. See compiler.lua.
--
--     lower             the state, and how branches change it
--       lower_value       kinds of values, and the selection between two
--         lower_expression  the value of an expression
--           lower_statement   statements, inlined calls
--             lower_near        what is near, by a grid
--               lower_loop        loops
--
-- Each file adds its methods to the table of the one before. This file has the
-- methods that all of them use. Cost of a branch: the entries that it changes,
-- not those that exist.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local type = type
local remove, ipairs, setmetatable = table.remove, ipairs, setmetatable
local error = error

local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower = {}
lower.__index = lower

--- Two kinds of values with one value each; see lower_value.lua.
local NIL = { type = "nil" }
lower.NIL, lower.NONE = NIL, { type = "none" }

--- The result of a body that always ends in a side exit.
local EXIT = {}
lower.EXIT = EXIT

--- The largest number of expressions and blocks, counted after loops were
-- unrolled and calls inlined.
local WORK_LIMIT = 50000

--- How deep expressions and conditions may nest. The statements after an else
-- or a return count as nested in it. Every VM has enough stack for this.
local NESTING_LIMIT = 1000

--- A new state for the code of one row. context: see lower_expression.lua.
function lower.new(context)
  return setmetatable({
    context = context, emit = context.emit,
    -- Variable or field -> value; how many numbers the row has drawn, and
    -- whether it has destroyed its entity.
    state = { draws = context.emit:inner_constant(0),
              doomed = context.emit.no },
    saved = nil,     -- innermost branch: entry -> value before; nil: no branch
    order = nil,     -- entries of saved, in order of their first change
    changes = 0,     -- how often an entry was assigned to
    facts = {},      -- id of a bool -> true or false, where it is known
    trail = {},      -- { id, before }: changes of facts, to be undone
    blocks = 0,      -- number of enclosing blocks
    nesting = 0,     -- number of enclosing expressions and conditions
    path = {},       -- conditions of the enclosing branches, outermost first
    depth = 0,       -- number of enclosing inlined calls
    home = 0,        -- the number of the inlined call; 0: none
    place = context.branches, -- where branches have their numbers
    -- Of lower_loop.lua: the number of enclosing loops that are not unrolled or
    -- have jumps; the innermost of these in the function at hand; the innermost
    -- that is not unrolled; and whether that function has returned in a loop.
    level = 0, loop = nil, turns = nil,
    frame = { returned = { name = "return", jump = true } },
  }, lower)
end

-- State ---------------------------------------------------------------------

--- Assigns to an entry: a variable's table, or the key of a field.
function lower:set(entry, value)
  self.changes = self.changes + 1
  if self.saved and self.saved[entry] == nil then
    self.saved[entry] = self.state[entry] or NIL
    self.order[#self.order + 1] = entry
  end
  self.state[entry] = value
end

--- Runs body as the branch where test has the given truth. Returns the result
-- of body, the list of entries that it changed, and their new values by entry.
-- The changes are undone.
function lower:branch(test, truth, body)
  local saved, order, mark = self.saved, self.order, #self.trail
  self.saved, self.order = {}, {}
  self:assume(test, truth)
  self.path[#self.path + 1] = truth and test or self.emit:opposite(test)
  local result = body()
  self.path[#self.path] = nil
  local changed, entries = {}, self.order
  for _, entry in ipairs(entries) do
    changed[entry] = self.state[entry]
    self.state[entry] = self.saved[entry]
  end
  self.saved, self.order = saved, order
  for _ = mark + 1, #self.trail do
    local fact = remove(self.trail)
    self.facts[fact.id] = fact.before
  end
  return result, entries, changed
end

--- Adds the facts that follow from a test having the given truth.
function lower:assume(test, truth)
  if test.id then
    self.trail[#self.trail + 1] = { id = test.id, before = self.facts[test.id] }
    self.facts[test.id] = truth
  end
  if test.sign == "not" then
    self:assume(test.left, not truth)
  elseif (test.sign == "and" and truth) or (test.sign == "or" and not truth)
  then
    self:assume(test.left, truth)
    self:assume(test.right, truth)
  end
end

--- The value of a test at this point: true, false, or nil: it depends on the
-- row.
function lower:known(test)
  if test.constant ~= nil then return test.constant end
  local fact = self.facts[test.id]
  if fact == nil and test.sign == "not" then
    local inner = self:known(test.left)
    if inner ~= nil then return not inner end
  end
  return fact
end

--- The condition under which this point is reached; nil: always. It is the
-- constant false where conditions exclude each other. base: conditions up to
-- this number hold; nil: 0.
function lower:mask(base)
  local mask, path = self.emit.yes, self.path
  for k = (base or 0) + 1, #path do mask = self.emit:both(mask, path[k]) end
  return mask.constant ~= true and mask or nil
end

-- Branches ------------------------------------------------------------------

--- Is what a branch has changed needed after it where it has ended, which
-- means returned or left the loop's body on every path? Local variables are
-- not, except those from outside of the loop, and unless the function is inside
-- of theirs.
function lower:outlives(entry)
  return type(entry) == "string" or entry.jump
    or entry.kept and self.depth > 0
    or entry.home and entry.home ~= self.home
    or (entry.level or 0) < self.level
end

--- Joins two branches: selects the value of each entry that one of them
-- changed.
function lower:join(test, first, second, node)
  local entries = first.entries
  for _, entry in ipairs(second.entries) do
    if first.changed[entry] == nil then entries[#entries + 1] = entry end
  end
  for _, entry in ipairs(entries) do
    local before = self.state[entry] or NIL
    local x, y = first.changed[entry] or before,
      second.changed[entry] or before
    local kept = self:outlives(entry)
    if not kept and first.ended then
      self:set(entry, y)
    elseif not kept and second.ended then
      self:set(entry, x)
    else
      local name = type(entry) == "table" and entry.name or nil
      self:set(entry, self:merge(test, x, y, node, name))
    end
  end
end

local function nothing() return nil end

--- Joins two branches of which one is a side exit: what is behind them is
-- reached on the other's path only.
local function join_exit(self, test, first, second, one, other)
  local kept = one == EXIT and second or first
  for _, entry in ipairs(kept.entries) do
    self:set(entry, kept.changed[entry])
  end
  self:assume(test, one ~= EXIT)
  if one == EXIT then return other end
  return one
end

--- Runs the body yes where test holds and the body no where it does not. A body
-- returns the condition under which the function returned in it: a bool, or
-- nil: never; or EXIT. So does this method.
function lower:conditional(test, node, yes, no)
  local known = self:known(test)
  if known ~= nil then
    return self:widen_entries(test, not known, known and no or not known and yes
      or nothing, known and yes or no or nothing)
  end
  local emit = self.emit
  local first, second = {}, {}
  local r1, r2
  self:nest(node.line)
  r1, first.entries, first.changed = self:branch(test, true, yes)
  r2, second.entries, second.changed = self:branch(test, false, no or nothing)
  self.nesting = self.nesting - 1
  if r1 == EXIT or r2 == EXIT then
    return join_exit(self, test, first, second, r1, r2)
  end
  first.ended = r1 and r1.constant == true
  second.ended = r2 and r2.constant == true
  self:join(test, first, second, node)
  if not r1 and not r2 then return nil end
  return emit:either(emit:both(test, r1 or emit.no),
    emit:both(emit:opposite(test), r2 or emit.no))
end

-- Side exits -----------------------------------------------------------------

--- The entry of a table in which entries are tables.
local function inside(places, key)
  local place = places[key]
  if not place then
    place = {}
    places[key] = place
  end
  return place
end

--- Enters an inlined call, or an iteration of an unrolled loop: branches in it
-- are others than those of the same source elsewhere. Returns what to give to
-- leave.
function lower:enter(node, number)
  local outer = self.place
  self.place = inside(inside(outer, node), number or 0)
  return outer
end

function lower:leave(outer) self.place = outer end

--- The number of the branch of a statement, the same each time: that of the
-- order in which branches were lowered first.
local function branch_number(self, node, part)
  local key = node.node or node -- an iteration is made anew each time
  local numbers = inside(inside(self.place, key), node.number or 0)
  local context = self.context
  if not numbers[part] then
    context.branches.count = context.branches.count + 1
    numbers[part] = context.branches.count
  end
  return numbers[part]
end

--- The body of a branch that may become a side exit: of a statement, and of
-- which part of it.
function lower:exitable(node, part, body)
  local outer = #self.path
  return function()
    local context = self.context
    if #self.path == outer then return body() end -- its condition is known
    local number, enclosing = branch_number(self, node, part), context.branch
    local problem = context.exits[number]
    if problem then
      local mask = self:mask(self.turns and self.turns.base)
      if not mask then error(problem, 0) end
      context.captures:guard_causes(problem.causes, number)
      self:add_exit(mask)
      return EXIT
    end
    context.branch = number
    local result = body()
    context.branch = enclosing
    return result
  end
end

--- Refuses something that is done for each turn of a loop: it would have to be
-- kept for each.
function lower:refuse_in_loop(line, construct, remedy)
  if self.turns then outside(line, construct .. " in a loop", remedy) end
end

-- Limits -------------------------------------------------------------------

--- Refuses a function for its size. No side exit makes it smaller.
function lower:too_large(line, construct, remedy)
  self.context.branch = nil
  outside(line, construct, remedy)
end

lower.WORK_LIMIT, lower.NESTING_LIMIT = WORK_LIMIT, NESTING_LIMIT

--- Counts an expression or block, and refuses a function that has too many.
function lower:count(line)
  local context = self.context
  context.work = (context.work or 0) + 1
  if context.work > WORK_LIMIT then
    self:too_large(line, "a function that becomes this long", "its loops are "
      .. "unrolled and its calls inlined: do less of both, or split it")
  end
end

--- Counts one more level of nesting, and refuses too many.
function lower:nest(line)
  self.nesting = self.nesting + 1
  if self.nesting > NESTING_LIMIT then
    self:too_large(line, "code nested deeper than " .. NESTING_LIMIT,
      "split the function, or its longest expression")
  end
end

return lower
