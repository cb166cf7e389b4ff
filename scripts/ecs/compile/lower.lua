--- lower: a function's tree as straight-line code, for one row.
--
-- Both sides of every branch are computed, and what they assign is chosen
-- afterwards. So that this gives what Lua gives:
--
--   state     variable or field -> its value at this point. A branch works on
--             the state and its changes are taken back; after both branches
--             each changed entry becomes select(test, one, other).
--   return    What follows an if with a return in it happens under the
--             condition that there was none.
--   facts     what is known where we are: inside `if x then` x is not nil. A
--             number that may be nil can be computed with only there.
--   path      the conditions we are under, for what cannot be taken back:
--             changes of structure, and what is added to totals.
--
--     lower             the state, and what a branch does to it
--       lower_value       what a value is, and the choice between two
--         lower_expression  the value of an expression
--           lower_statement   statements, loops, calls put in place
--
-- Each adds its methods to the table of the one before it. Here is what all of
-- them stand on. A branch costs what it changes, not what there is.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local remove, ipairs, setmetatable = table.remove, ipairs, setmetatable

local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower = {}
lower.__index = lower

--- Values of which there is one each; lower_value.lua says what they are.
local NIL = { type = "nil" }
lower.NIL, lower.NONE = NIL, { type = "none" }

--- How many expressions and blocks there are when loops are unrolled and calls
-- inlined.
local WORK_LIMIT = 50000

--- How deep expressions and conditions are nested: what of an else or a return
-- follows is inside of it. All VMs have stack for that.
local NESTING_LIMIT = 1000

--- A state for the code of one row. context: what lower_expression.lua says.
function lower.new(context)
  return setmetatable({
    context = context, emit = context.emit,
    -- Variable or field -> value; how many numbers the row has drawn, and
    -- whether it has destroyed its entity.
    state = { draws = context.emit:constant(0), doomed = context.emit.no },
    saved = nil,     -- of the innermost branch: entry -> value before
    order = nil,     -- its entries in order
    facts = {},      -- number of a bool -> what it is known to be
    trail = {},      -- the numbers, in order, and what was known before
    blocks = 0,      -- that we are in
    nesting = 0,     -- of expressions and conditions
    path = {},       -- conditions we are under
    depth = 0,       -- of inlined calls
  }, lower)
end

-- State ---------------------------------------------------------------------

--- entry: a variable's table, or the key of a field.
function lower:set(entry, value)
  if self.saved and self.saved[entry] == nil then
    self.saved[entry] = self.state[entry] or NIL
    self.order[#self.order + 1] = entry
  end
  self.state[entry] = value
end

--- Runs body as a branch: returns what it returned, and its changes as a list
-- of entries and their values, taken back.
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

--- Notes what a test proves.
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

--- true, false, or nil when it depends on the row.
function lower:known(test)
  if test.constant ~= nil then return test.constant end
  local fact = self.facts[test.id]
  if fact == nil and test.sign == "not" then
    local inner = self:known(test.left)
    if inner ~= nil then return not inner end
  end
  return fact
end

--- The condition under which this point is reached; nil: always. It may be the
-- constant false, where conditions rule each other out.
function lower:mask()
  local mask = self.emit.yes
  for _, test in ipairs(self.path) do mask = self.emit:both(mask, test) end
  return mask.constant ~= true and mask or nil
end

-- Branches ------------------------------------------------------------------

--- After two branches: each changed entry is chosen. ended: the branch that
-- returned for good, whose locals are of no interest any more.
function lower:join(test, first, second, node)
  local entries = first.entries
  for _, entry in ipairs(second.entries) do
    if first.changed[entry] == nil then entries[#entries + 1] = entry end
  end
  for _, entry in ipairs(entries) do
    local before = self.state[entry] or NIL
    local x, y = first.changed[entry] or before,
      second.changed[entry] or before
    local kept = type(entry) == "string" or entry.kept
    if not kept and first.ended then
      self:set(entry, y)
    elseif not kept and second.ended then
      self:set(entry, x)
    else
      self:set(entry, self:merge(test, x, y, node, entry.name))
    end
  end
end

local function nothing() return nil end

--- Runs one body where test holds and the other where it does not. A body
-- returns when the function ended in it: nil (never), or a bool. So does this.
function lower:conditional(test, node, yes, no)
  local known = self:known(test)
  if known == true then return yes() end
  if known == false then return (no or nothing)() end
  local emit = self.emit
  local first, second = {}, {}
  local r1, r2
  self:nest(node.line)
  r1, first.entries, first.changed = self:branch(test, true, yes)
  r2, second.entries, second.changed = self:branch(test, false, no or nothing)
  self.nesting = self.nesting - 1
  first.ended = r1 and r1.constant == true
  second.ended = r2 and r2.constant == true
  self:join(test, first, second, node)
  if not r1 and not r2 then return nil end
  return emit:either(emit:both(test, r1 or emit.no),
    emit:both(emit:opposite(test), r2 or emit.no))
end

-- Limits -------------------------------------------------------------------

--- Counts what is lowered: what unrolls into too much ends here.
function lower:count(line)
  local context = self.context
  context.work = (context.work or 0) + 1
  if context.work > WORK_LIMIT then
    outside(line, "a function that becomes this long", "its loops are unrolled "
      .. "and its calls inlined: do less of both, or split it")
  end
end

--- Counts one more level of nesting.
function lower:nest(line)
  self.nesting = self.nesting + 1
  if self.nesting > NESTING_LIMIT then
    outside(line, "what is nested deeper than " .. NESTING_LIMIT,
      "split the function, or its longest expression")
  end
end

return lower
