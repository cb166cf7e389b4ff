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
-- Values that are no numbers of the program (emitter.lua):
--
--   nil      { type = "nil" }
--   maybe    { type = "maybe", some = bool, value }: nil where some is false
--   choice   { type = "choice", test = bool, value, other }: `a and b` before
--            its `or`; other is what it is where test is false: nil, false,
--            or not known which (then it is absent)
--   row      { type = "row", term }           a parameter of the function
--   object   { type = "object", value, reader }   from outside: roots.lua
--   none     not returned yet: a result, where the function goes on
--
-- Expressions are in lower_expression.lua, which adds to this table.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local max, remove, ipairs, type = math.max, table.remove, ipairs, type
local rawequal, rawset, setmetatable = rawequal, rawset, setmetatable

local parser = require "ecs.parser"

local outside = parser.outside

local lower = {}
lower.__index = lower

local NIL, NONE = { type = "nil" }, { type = "none" }
lower.NIL = NIL

--- How far loops are unrolled and calls nested.
local UNROLL_LIMIT, CALL_LIMIT = 256, 32

--- How deep blocks are nested, and how many expressions and blocks there are
-- when loops are unrolled and calls inlined.
local BLOCK_LIMIT, WORK_LIMIT = 80, 50000

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

-- Values --------------------------------------------------------------------

local function is_number(value)
  return value.type == "f32" or value.type == "f64"
end
lower.is_number = is_number

local words = {
  f32 = "a number", f64 = "a number", bool = "a boolean", entity = "an entity",
  ["nil"] = "nil", maybe = "something that may be nil",
  choice = "something that may be false or nil", row = "a row",
  object = "an object",
}

--- What a value is, for people.
function lower.word(value)
  local kind = type(value.value)
  if value.type ~= "object" then return words[value.type] end
  return kind == "userdata" and "an object" or kind == "nil" and "nil"
    or "a " .. kind
end

--- Is the value true, as far as `if` cares? A bool.
function lower:truth(value)
  value = self.context.roots:plain(value)
  local emit, kind = self.emit, value.type
  if kind == "bool" then return value end
  if kind == "nil" then return emit.no end
  if kind == "entity" then
    return emit:opposite(emit:op("eq entity", "bool", value, emit.null()))
  elseif kind == "maybe" then
    return emit:both(value.some, self:truth(value.value))
  elseif kind == "choice" then
    return emit:both(value.test, self:truth(value.value))
  elseif kind == "row" then
    return value.term.present or emit.yes
  end
  if value.type == "object" then self.context.roots:guard(value) end
  return emit.yes
end

--- Is it something rather than nil? A bool. node is whom to blame.
function lower:some(value, node)
  local emit = self.emit
  if value.type == "maybe" then
    return emit:both(value.some, self:some(value.value, node))
  elseif value.type == "choice" then
    if not value.other then
      outside(node.line, "a comparison with nil of what may be false too",
        "test it without one: if x then ... end")
    end
    local some = self:some(value.value, node)
    if value.other == NIL then return emit:both(value.test, some) end
    return emit:either(emit:opposite(value.test), some)
  end
  if value.type == "nil" or value.type == "entity" or value.type == "row" then
    return self:truth(value)
  end
  return self.emit.yes
end

--- A value that is known not to be nil here as what it is.
function lower:settled(value)
  local some = value.type == "maybe" and self:known(value.some)
  return some and value.value or value
end

--- x where test holds, else y. node is whom to blame.
function lower:merge(test, x, y, node, name)
  local emit = self.emit
  x, y = self:settled(x), self:settled(y)
  if x == y or y.type == "none" then return x end
  if x.type == "none" then return y end
  local known = self:known(test)
  if known ~= nil then return known and x or y end
  if x.type == "maybe" or y.type == "maybe" or
    (x.type == "nil") ~= (y.type == "nil") and x.type ~= "entity"
    and y.type ~= "entity" then
    return self:merge_maybe(test, x, y, node, name)
  end
  if x.type == "object" or y.type == "object" then
    x = self.context.roots:plain(x, y.type)
    y = self.context.roots:plain(y, x.type)
  end
  if is_number(x) and is_number(y) or x.type == "bool" and y.type == "bool"
  then
    return emit:select(test, x, y)
  elseif x.type == "entity" or y.type == "entity" then
    local a, b = self:entity(x, true), self:entity(y, true)
    if a and b then return emit:select(test, a, b) end
  elseif x.type == "row" and y.type == "row" and x.term == y.term then
    return x
  elseif x.type == "nil" and y.type == "nil" then
    return NIL
  elseif x.type == "object" and y.type == "object"
    and rawequal(x.value, y.value) then
    self.context.roots:guard(x)
    self.context.roots:guard(y)
    return x
  end
  return outside(node.line, (name and "'" .. name .. "' " or "a value ")
    .. "that is " .. lower.word(x) .. " on one path and " .. lower.word(y)
    .. " on another", "give it one kind of value on every path")
end

local function parts(value, emit)
  if value.type == "nil" then return emit.no, nil end
  if value.type == "maybe" then return value.some, value.value end
  return emit.yes, value
end

function lower:merge_maybe(test, x, y, node, name)
  local emit = self.emit
  local some_x, inner_x = parts(x, emit)
  local some_y, inner_y = parts(y, emit)
  local some = emit:select(test, some_x, some_y)
  if not inner_x or not inner_y then
    return { type = "maybe", some = some, value = inner_x or inner_y }
  end
  return { type = "maybe", some = some,
           value = self:merge(test, inner_x, inner_y, node, name) }
end

--- A value as a number, or the error that it is none. what it is for: "-".
function lower:number(value, node, what)
  value = self.context.roots:plain(value, "number")
  if is_number(value) then return value end
  if value.type == "maybe" and self:known(value.some) then
    return self:number(value.value, node, what)
  elseif value.type == "choice" and self:known(value.test) then
    return self:number(value.value, node, what)
  end
  if value.type == "maybe" or value.type == "choice" then
    outside(node.line, what .. " of a number that may be nil here",
      "test it first: if x then ... end")
  end
  return outside(node.line, what .. " of " .. lower.word(value),
    "compute with numbers")
end

--- A value as an entity, or nil when it is none. Numbers of the program are
-- none: only fields, e and what is read from outside are.
-- chosen: as in roots.lua.
function lower:entity(value, chosen)
  if value.type == "entity" then return value end
  if value.type == "nil" then return self.emit.null() end
  if value.type == "maybe" and value.value.type == "entity" then
    return self.emit:select(value.some, value.value, self.emit.null())
  end
  return self.context.roots:entity(value, chosen)
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

-- Statements ----------------------------------------------------------------

local run = {}

--- Runs a list of statements in a scope of its own.
function lower:block(list, scope)
  local line = list[1] and list[1].line or 0
  self:count(line)
  if self.blocks == BLOCK_LIMIT then
    outside(line, "blocks nested deeper than " .. BLOCK_LIMIT,
      "split the function")
  end
  self.blocks = self.blocks + 1
  local ended = self:statements(list, 1, setmetatable({}, { __index = scope }))
  self.blocks = self.blocks - 1
  return ended
end

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

--- Runs statements from number k on. Returns when the function ended in them.
function lower:statements(list, k, scope)
  for at = k, #list do
    local node = list[at]
    local ended = run[node[1]](self, node, scope)
    if ended then
      if ended.constant == true or at == #list then return ended end
      local rest = self:conditional(self.emit:opposite(ended), node,
        function() return self:statements(list, at + 1, scope) end)
      return rest and self.emit:either(ended, rest) or ended
    end
  end
  return nil
end

local function refuse_environment(name, line)
  if name ~= "_ENV" then return end
  outside(line, "a local _ENV", "name the table otherwise")
end

run["local"] = function(self, node, scope)
  local values = self:list(node.values, #node.names, scope)
  for k, name in ipairs(node.names) do
    refuse_environment(name, node.line)
    local variable = { name = name }
    rawset(scope, name, variable)
    self:set(variable, values[k])
  end
end

local function assign(self, target, value, scope)
  if target[1] == "field" then
    return self:assign_field(target, value, scope)
  elseif target[1] ~= "name" then
    outside(target.line, "an assignment to this", "assign to fields of rows "
      .. "and to local variables")
  end
  local variable = scope[target.name]
  if not variable then
    outside(target.line, "an assignment to '" .. target.name
      .. "', which is no local variable",
      "keep it in a field of the row, or " .. parser.TOTAL, true)
  end
  return self:set(variable, value)
end

function run.assign(self, node, scope)
  local values = self:list(node.values, #node.targets, scope)
  for k = #node.targets, 1, -1 do -- as Lua does it: the first wins
    assign(self, node.targets[k], values[k], scope)
  end
end

--- Test k of an if, and all behind it.
local function if_from(self, node, k, scope)
  if k > #node.tests then
    return node.other and self:block(node.other, scope)
  end
  local test = self:truth(self:value(node.tests[k], scope))
  return self:conditional(test, node,
    function() return self:block(node.bodies[k], scope) end,
    function() return if_from(self, node, k + 1, scope) end)
end

run["if"] = function(self, node, scope) return if_from(self, node, 1, scope) end

run["do"] = function(self, node, scope) return self:block(node.body, scope) end

run["return"] = function(self, node, scope)
  local results = self.results
  if not results then
    if #node.values > 0 then
      outside(node.line, "a value returned from the system's function",
        "return nothing: write to fields")
    end
    return self.emit.yes
  end
  local count = #node.values
  local last = node.values[count]
  if last and (last[1] == "call" or last[1] == "method") then
    count = max(results.wanted, count)
  end
  local values = self:list(node.values, count, scope)
  for k = 1, results.wanted do
    if results[k] then self:set(results[k], values[k] or NIL) end
  end
  return self.emit.yes
end

--- A bound of a loop: a constant, or a number from outside, which is then one:
-- when it changes, the function is compiled anew.
local function bound(self, node, scope)
  local value = self:value(node, scope)
  local number = value.constant
  if value.type == "object" and type(value.value) == "number"
    and not value.reader.argument then
    self.context.roots:guard(value)
    number = value.value * 1.0 -- a float, of either zero
  elseif not number or value.type ~= "f64" then
    -- A constant kept in an f32 field is known before it was rounded.
    outside(node.line, "a loop whose bounds are not constant",
      "count to a number or a variable from outside, with an if inside")
  end
  if number ~= number then -- VMs do not agree on what it does
    outside(node.line, "a loop that counts with nan", "give it numbers")
  end
  return number
end

run["for"] = function(self, node, scope)
  refuse_environment(node.name, node.line)
  local first, last = bound(self, node.first, scope),
    bound(self, node.last, scope)
  local step = node.step and bound(self, node.step, scope) or 1
  if step == 0 then outside(node.line, "a loop with step 0",
      "give it another step") end
  -- Every turn as a statement: one may return. Added up as Lua does.
  local list, number = {}, first
  while step > 0 and number <= last or step < 0 and number >= last do
    if #list == UNROLL_LIMIT then
      outside(node.line, "a loop of more than " .. UNROLL_LIMIT .. " turns",
        "write it with fewer turns")
    end
    list[#list + 1] = { "turn", line = node.line, node = node,
                        number = number }
    number = number + step
  end
  return self:statements(list, 1, scope)
end

function run.turn(self, node, scope)
  local inner = setmetatable({}, { __index = scope })
  local variable = { name = node.node.name }
  inner[node.node.name] = variable
  self:set(variable, self.emit:constant(node.number))
  return self:block(node.node.body, inner)
end

function run.call(self, node, scope)
  self:call(node.call, 0, scope)
end

-- Calls of functions in Lua -------------------------------------------------

--- Runs a function in place: its tree, its arguments, how many results are
-- wanted. Returns a list of values.
function lower:inline(tree, values, wanted, node)
  if self.depth >= CALL_LIMIT then
    outside(node.line, "calls nested deeper than " .. CALL_LIMIT
      .. ", or a function that calls itself", "write it without recursion")
  end
  local scope = {}
  for k, name in ipairs(tree.parameters) do
    local variable = { name = name }
    scope[name] = variable
    self:set(variable, values[k] or NIL)
  end
  local outer = self.results
  local results = { wanted = wanted }
  for k = 1, wanted do
    results[k] = { name = "result", kept = true }
    self:set(results[k], NONE)
  end
  self.results, self.depth = results, self.depth + 1
  local ended = self:block(tree.body, scope)
  self.results, self.depth = outer, self.depth - 1
  local list = {}
  for k = 1, wanted do
    -- Where the function came to its end without a return, it gave nil.
    local value = ended and self.state[results[k]] or NIL
    list[k] = ended and self:merge(ended, value, NIL, node) or NIL
  end
  return list
end

return lower
