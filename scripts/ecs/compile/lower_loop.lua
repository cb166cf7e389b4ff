--- lower_loop: while, repeat, numeric for, and for over ipairs of a table from
-- outside.
--
-- A for that counts between constants is **unrolled**: each iteration is
-- lowered with its number as a constant. Every other loop becomes a loop of the
-- program (ir_loop.lua), of which one turn is lowered:
--
--     n = n + 1        carry n      what it was before the loop, then the next
--                      next         n + 1
--
-- What is carried, and in which type, is found by lowering the turn again and
-- again. At first nothing is, and the variables have their values from before
-- the loop. Each entry of the state that is something else at the end becomes a
-- carry, and the turn is lowered anew, until nothing is added. A number is
-- carried in the widest type that it has at the start or end of a turn: flex,
-- f32, f64 (ir_number.lua). Something that is nil at times is two carries.
--
-- A break, a return or a side exit ends the turn like an early return; what is
-- assigned before it stays:
--
--     broken      an entry of the state: the row has left the loop
--     returned    the same, for the function; it is carried, too
--     exit        the condition under which the row takes a side exit; carried

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_loop"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local max, ipairs, type, setmetatable = math.max, ipairs, type, setmetatable
local next, rawequal, select = next, rawequal, select
local each_of = ipairs

local ir_writer = require "ecs.compile.ir_writer"
local lower = require "ecs.compile.lower_near"
local parser = require "ecs.compile.parser"

local outside, run = parser.outside, lower.run
local NIL, EXIT = lower.NIL, lower.EXIT

--- The most iterations that are unrolled, and the most nodes of the tree that
-- they become together.
local UNROLL_LIMIT, UNROLL_NODES = 256, 6000

--- How deep loops may nest, and how often a turn is lowered.
local DEPTH_LIMIT, PASS_LIMIT = 16, 40

-- What is carried -------------------------------------------------------------

--- What a value needs to be carried: { base, rank, some }. base: number, bool,
-- entity or string; nil: it is always nil, or nothing yet. rank of a number: 0
-- flex, 1 f32, 2 f64. some: true: it may be nil. nil: it cannot be carried.
local function kind_of(self, value)
  local kind = value.type
  if kind == "none" then return {} end
  if kind == "nil" then return { some = true } end
  if kind == "bool" or kind == "entity" or kind == "string" then
    return { base = kind }
  end
  if lower.is_number(value) then
    return { base = "number",
             rank = value.flex and 0 or kind == "f32" and 1 or 2 }
  elseif kind == "maybe" then
    local inner = kind_of(self, value.value)
    if inner and inner.base ~= "entity" then inner.some = true end
    return inner
  end
  return nil
end

--- The kind of values of both kinds; nil: there is none.
local function join_kinds(a, b)
  if a.base and b.base and a.base ~= b.base then return nil end
  local base = a.base or b.base
  return { base = base, some = base ~= "entity" and (a.some or b.some) or nil,
           rank = base == "number" and max(a.rank or 0, b.rank or 0) or nil }
end

local function same_kind(a, b)
  return a.base == b.base and a.some == b.some and a.rank == b.rank
end

--- A value as kind_of takes it: `a and b` as something that may be nil, and a
-- number from outside as a number.
local function plain(self, value)
  local emit = self.emit
  value = self.context.captures:plain(self:unwrap(value))
  if value.type ~= "choice" then return value end
  local inner = plain(self, value.value)
  if value.other == NIL then
    if inner.type == "maybe" then
      return { type = "maybe", some = emit:both(value.test, inner.some),
               value = inner.value }
    end
    return { type = "maybe", some = value.test, value = inner }
  elseif value.other == emit.no and inner.type == "bool" then
    return emit:both(value.test, inner)
  end
  return value
end

--- Is the value known to be the one before?
local function is_unchanged(self, before, value)
  if before == value or ir_writer.same(before, value)
    and kind_of(self, before) then
    return true
  elseif before.type == "row" and value.type == "row" then
    return before.term == value.term
  elseif before.type == "object" and value.type == "object"
    and rawequal(before.value, value.value) then
    self.context.captures:guard(before)
    self.context.captures:guard(value)
    return true
  end
  return before.type == "nil" and value.type == "nil"
end

local defaults = {
  bool = function(emit) return emit.no end,
  number = function(emit) return emit:inner_constant(0) end,
  entity = function(emit) return emit.null() end,
  string = function(emit) return emit.string(0) end,
}

--- The type of a kind in the program.
local function type_of(kind)
  if kind.base ~= "number" then return kind.base end
  return kind.rank == 1 and "f32" or "f64"
end

--- The values that carry a value of a kind.
local function split(self, value, kind)
  local emit, some, inner = self.emit, self.emit.yes, value
  if value.type == "maybe" then some, inner = value.some, value.value end
  if value.type == "nil" or value.type == "none" then
    some, inner = emit.no, defaults[kind.base](emit)
  end
  if kind.base == "entity" then
    inner = self:entity(value.type == "none" and inner or value)
  elseif kind.base == "number" then
    inner = emit:cast(inner, type_of(kind))
  end
  if kind.some then return some, inner end
  return inner
end

--- New carries of a kind, and the value that they make.
local function carry(self, kind)
  local emit = self.emit
  local some = kind.some and emit:carry("bool")
  local value = emit:carry(type_of(kind))
  if kind.base == "number" and kind.rank == 0 then value.flex = true end
  if not some then return value end
  return { type = "maybe", some = some, value = value }
end

--- Notes that an entry which was `before` the loop is `value` behind a turn.
-- Returns true if it is to be carried in another way than it was.
local function note(self, loop, entry, before, value)
  local known = loop.kinds[entry]
  if not known and is_unchanged(self, before, value) then return false end
  before, value = plain(self, before), plain(self, value)
  local first, last = kind_of(self, before), kind_of(self, value)
  local kind = first and last and join_kinds(first, last)
  if kind and known then kind = join_kinds(kind, known) end
  if not kind and before.type == "none" then
    outside(loop.node.line, lower.word(value) .. " that is returned from a "
      .. "loop", "return numbers, booleans or entities from it")
  elseif not kind then
    outside(loop.node.line, (entry.name and "'" .. entry.name .. "' "
      or "a value ") .. "that is " .. lower.word(before)
      .. " before the loop and " .. lower.word(value) .. " in it",
      "give it one kind of value")
  end
  if before.type == "none" and value.type == "nil" then
    loop.nils[entry] = true -- returned in the loop, and nothing else yet
  end
  if not kind.base or known and same_kind(kind, known) then return false end
  if not known then loop.order[#loop.order + 1] = entry end
  loop.kinds[entry] = kind
  return true
end

-- Turns -----------------------------------------------------------------------

--- An entry for having left a loop, which exists in the loop only.
local function new_break(self)
  return { name = "break", jump = true, level = self.level + 1 }
end

--- The condition, in this turn, under which the row has left the loop.
local function left(self, loop)
  return self.emit:either(self.state[loop.broken],
    self.state[self.frame.returned])
end

--- Lowers the body behind the test of a turn.
local function body(self, loop, parts)
  parts.body()
  if not parts.test_last then return end
  -- The test of a repeat is not reached behind a break.
  local gone = left(self, loop)
  self:conditional(self.emit:opposite(gone), loop.node, function()
    local test = parts.test_last()
    self:set(loop.broken, self.emit:either(self.state[loop.broken], test))
  end)
end

--- Lowers one turn of the loop. Sets loop.never if there is none, and loop.go,
-- the condition of the next turn.
local function turn(self, loop, parts)
  local emit = self.emit
  self:set(loop.broken, emit.no)
  self:set(self.frame.returned, emit.no)
  local changes = self.changes
  local test = parts.test and parts.test() or emit.yes
  local known = self:known(test)
  -- Rows that leave before the end of a turn keep what they had, and take no
  -- side exit of this turn.
  local pure = self.changes == changes and loop.exit.constant == false
  if known == false and pure then
    loop.never = true
    return
  elseif known == false then
    self:set(loop.broken, emit.yes)
  elseif known == true then
    body(self, loop, parts)
  elseif pure then
    emit:stay(test)
    loop.test = test
    self:assume(test, true)
    body(self, loop, parts)
  else
    -- What the test changes stays changed where it fails.
    self:conditional(test, loop.node,
      function() body(self, loop, parts) end,
      function() self:set(loop.broken, emit.yes) end)
  end
  loop.go = emit:opposite(emit:either(left(self, loop), loop.exit))
end

--- Lowers a turn with what is carried as far as that is known. Returns the
-- entries that it changed, and their values behind it.
local function pass(self, loop, parts)
  local frame_loop, turns = self.loop, self.turns
  loop.exit, loop.never, loop.heads = self.emit.no, false, {}
  self.emit:open()
  local _, entries, changed = self:branch(self.emit.yes, true, function()
    loop.base = #self.path
    self.loop, self.turns = loop, loop
    self.level = self.level + 1
    for _, entry in ipairs(loop.order) do
      loop.heads[entry] = carry(self, loop.kinds[entry])
      self:set(entry, loop.heads[entry])
    end
    turn(self, loop, parts)
    self.level = self.level - 1
    self.loop, self.turns = frame_loop, turns
  end)
  return entries, changed
end

--- Is an entry from outside of the loop? Its level is that of the loop around.
local function is_outer(self, entry)
  return type(entry) == "string"
    or entry ~= self.frame.returned and (entry.level or 0) <= self.level
end

--- Compares the state behind a turn with the one before the loop. Returns true
-- if more must be carried.
local function grows(self, loop, entries, changed)
  local more = false
  for _, entry in ipairs(entries) do
    if is_outer(self, entry) and
      note(self, loop, entry, self.state[entry], changed[entry]) then
      more = true
    end
  end
  return more
end

--- Adds an exit for rows where the condition holds.
function lower:add_exit(taken)
  local place = self.turns or self.context
  place.exit = self.emit:either(place.exit, taken)
end

--- The rows that reach a loop; nil: all.
local function reached(self)
  local emit, place = self.emit, self.turns or self.context
  local mask = self:mask(self.turns and self.turns.base) or emit.yes
  mask = emit:both(mask, emit:opposite(place.exit))
  return mask.constant ~= true and mask or nil
end

--- Refuses a loop in which an entity matters that the row spawns: programs have
-- their loops before all changes.
local function check_early(loop, values)
  for _, value in ipairs(values) do
    if value.late then
      outside(loop.node.line, "a loop with an entity that was spawned in the "
        .. "same row", "spawn behind the loop")
    end
  end
end

--- Writes the loop, which a pass has lowered, and sets the state behind it.
-- Returns the condition under which the function returned in it; nil: never.
local function finish(self, loop, entries, changed)
  local emit = self.emit
  local starts, ends = {}, {}
  local function append(list, ...)
    for k = 1, select("#", ...) do list[#list + 1] = (select(k, ...)) end
  end
  for _, entry in ipairs(loop.order) do
    local kind = loop.kinds[entry]
    append(starts, split(self, plain(self, self.state[entry]), kind))
    append(ends, split(self, plain(self, changed[entry] or self.state[entry]),
      kind))
  end
  local flags = {}
  for k, flag in ipairs { changed[self.frame.returned], loop.exit } do
    if flag.constant ~= false then
      flags[k] = emit:carry("bool")
      append(starts, emit.no)
      append(ends, flag)
    end
  end
  local go = loop.go.constant ~= true and loop.go or nil
  self.context.loops[#self.context.loops + 1] = { line = loop.node.line,
                                                  blamed = self.context.func }
  local mask = reached(self)
  check_early(loop, starts)
  check_early(loop, ends)
  check_early(loop, { loop.go, mask or loop.go, loop.test or loop.go })
  emit:close(starts, ends, mask, go, #self.context.loops)
  for _, entry in ipairs(entries) do
    if loop.heads[entry] or loop.nils[entry] then
      self:set(entry, loop.heads[entry] or NIL)
    end
  end
  if flags[2] then self:add_exit(flags[2]) end
  if flags[1] then self:set(self.frame.returned, flags[1]) end
  return flags[1]
end

--- Lowers a loop. parts:
--
--     test         gives the condition of a turn, before it; nil: true
--     body         lowers the body
--     test_last    gives the condition behind a turn under which it was the
-- last;
--                  nil: false
local function lower_loop(self, node, parts)
  if self.level >= DEPTH_LIMIT then
    self:too_large(node.line, "loops nested deeper than " .. DEPTH_LIMIT,
      "split the function")
  end
  local loop = { node = node, order = {}, kinds = {}, nils = {},
                 broken = new_break(self), keeps = node[1] == "repeat" }
  self:nest(node.line)
  for _ = 1, PASS_LIMIT do
    local entries, changed = pass(self, loop, parts)
    if loop.never then
      self.emit:drop()
      self.nesting = self.nesting - 1
      return nil
    end
    if not grows(self, loop, entries, changed) then
      self.nesting = self.nesting - 1
      return finish(self, loop, entries, changed)
    end
    self.emit:drop()
  end
  return self:too_large(node.line, "a loop with variables that change in so "
    .. "many ways", "use fewer variables in it")
end

-- Loops -----------------------------------------------------------------------

run["while"] = function(self, node, scope)
  return lower_loop(self, node, {
    test = function() return self:truth(self:value(node.test, scope)) end,
    body = function() self:block(node.body, scope) end,
  })
end

run["repeat"] = function(self, node, scope)
  local inner
  return lower_loop(self, node, {
    -- The test sees the variables of the body.
    body = function()
      inner = setmetatable({}, { __index = scope })
      self:count(node.line)
      self:statements(node.body, 1, inner)
    end,
    test_last = function()
      return self:truth(self:value(node.test, inner))
    end,
  })
end

run["break"] = function(self)
  self:set(self.loop.broken, self.emit.yes)
  return self.emit.yes
end

function run.continue(self) return self.emit.yes end

-- Counting --------------------------------------------------------------------

--- The number of nodes of a tree.
local function weigh(node)
  if node.weight then return node.weight end
  local weight = 1
  for key, inner in next, node do
    if type(inner) == "table" and key ~= "problem" then
      weight = weight + weigh(inner)
    end
  end
  node.weight = weight
  return weight
end

--- A bound of a loop as a constant: a number, or one from outside, which has to
-- be guarded; nil where it is neither.
local function constant_bound(value)
  if value.type == "object" and type(value.value) == "number"
    and not value.reader.argument then
    return value.value * 1.0 -- a float, of either zero
  elseif value.constant and value.type == "f64" then
    -- A constant of another type was rounded since it was known.
    return value.constant
  end
end

--- The numbers of the iterations between constants; nil: too many to unroll.
-- The number is summed up as Lua does it.
local function count_up(node, first, last, step)
  local numbers, number = {}, first
  local most = UNROLL_NODES / weigh(node.body)
  while step > 0 and number <= last or step < 0 and number >= last do
    if #numbers == UNROLL_LIMIT or #numbers >= most and #numbers > 0 then
      return nil
    end
    numbers[#numbers + 1] = number
    number = number + step
  end
  return numbers
end

--- The kind of a bound that is written out, such as 9 or -1; nil: not known.
local function written_kind(node)
  if node[1] == "unary" and node.sign == "-" then node = node.operand end
  return node[1] == "number" and node.kind or nil
end

--- Lowers each iteration as a statement, because it may return.
local function unroll(self, node, numbers, scope)
  -- Integers, where the first one and the step are; see ir_kind.lua.
  local list, kind = {}, written_kind(node.first)
  if node.step and kind == "integer" then kind = written_kind(node.step) end
  for k, number in ipairs(numbers) do
    list[k] = { "iteration", line = node.line, node = node, number = number,
                kind = kind }
  end
  if not node.breaks then return self:statements(list, 1, scope) end
  local outer = self.loop
  self.loop = { broken = new_break(self) }
  self:set(self.loop.broken, self.emit.no)
  self:set(self.frame.returned, self.emit.no)
  self.level = self.level + 1
  local ended = self:statements(list, 1, scope)
  self.level = self.level - 1
  self.loop = outer
  if ended == EXIT then return EXIT end
  local returned = self.state[self.frame.returned]
  return returned.constant ~= false and returned or nil
end

function run.iteration(self, node, scope)
  local inner = setmetatable({}, { __index = scope })
  local variable = self:variable(node.node.name)
  inner[node.node.name] = variable
  self:set(variable, self.emit:constant(node.number, node.kind))
  local place = self:enter(node.node, node.number)
  local ended = self:block(node.node.body, inner)
  self:leave(place)
  if not node.node.breaks or ended == EXIT then return ended end
  local gone = left(self, self.loop)
  return gone.constant ~= false and gone or nil
end

--- The bounds and step of a for, as values.
local function bounds(self, node, scope)
  local first, last = self:value(node.first, scope),
    self:value(node.last, scope)
  local step = node.step and self:value(node.step, scope)
    or self.emit:constant(1, "integer")
  return first, last, step
end

--- Lowers a for that is unrolled. Returns true, and what a statement returns;
-- or false where it cannot be.
local function try_unrolled(self, node, scope, first, last, step)
  local a, b, c = constant_bound(first), constant_bound(last),
    constant_bound(step)
  local odd = c == 0 or a and a ~= a or b and b ~= b or c and c ~= c
  local numbers = not odd and a and b and c and count_up(node, a, b, c)
  if not odd and not numbers then return false end
  for _, value in ipairs { first, last, step } do
    if value.type == "object" then self.context.captures:guard(value) end
  end
  if c == 0 then
    outside(node.line, "a loop with step 0", "give it another step")
  elseif odd then
    -- VMs differ in what such a loop does.
    outside(node.line, "a loop that counts with nan", "give it numbers")
  end
  return true, unroll(self, node, numbers, scope)
end

run["for"] = function(self, node, scope)
  lower.refuse_environment(node.name, node.line)
  local emit = self.emit
  local first, last, step = bounds(self, node, scope)
  local done, ended = try_unrolled(self, node, scope, first, last, step)
  if done then return ended end
  first = self:number(first, node, "a loop", node.first)
  last = self:number(last, node, "a loop", node.last)
  step = self:number(step, node, "a loop", node.step)
  local counter = self:variable("for")
  self:set(counter, first)
  return lower_loop(self, node, {
    test = function()
      local number = self.state[counter]
      local below = emit:compare("le", number, last)
      if step.constant and step.constant > 0 then return below end
      local above = emit:compare("le", last, number)
      if step.constant then return above end
      local up = emit:compare("lt", emit:inner_constant(0), step)
      return emit:select(up, below, above)
    end,
    body = function()
      local inner = setmetatable({}, { __index = scope })
      local variable = self:variable(node.name)
      inner[node.name] = variable
      self:set(variable, self.state[counter])
      self:block(node.body, inner)
      self:set(counter, emit:binary("add", self.state[counter], step))
    end,
  })
end

--- The table that a for goes over, where its iterator is ipairs(table). Refuses
-- all others.
local function list_of(self, node, scope)
  local call = node.values[1]
  if #node.values == 1 and call[1] == "call" and #call.arguments == 1 then
    local callee = self:value(call.callee, scope)
    if callee.type == "object" and callee.value == each_of then
      self.context.captures:guard(callee)
      return self:value(call.arguments[1], scope), call
    end
  end
  outside(node.line, "a loop over pairs or another iterator", "go over ipairs "
    .. "of a table, count (for i = 1, 4 do), or go over others in a run system")
end

--- The scope of a turn, of which the variables have these values.
local function turn_scope(self, node, scope, values)
  local inner = setmetatable({}, { __index = scope })
  for k, name in ipairs(node.names) do
    inner[name] = self:variable(name)
    self:set(inner[name], values[k] or NIL)
  end
  return inner
end

--- A loop over rows of a grid that are near.
local function lower_near(self, node, scope, asked)
  local counter = self:variable("for")
  self:set(counter, self.emit:constant(0, "integer"))
  return lower_loop(self, node, {
    test = function()
      return self.emit:compare("lt", self.state[counter], asked.near)
    end,
    body = function()
      self:block(node.body, turn_scope(self, node, scope,
        self:neighbour(asked, self.state[counter])))
      self:set(counter, self.emit:binary("add", self.state[counter],
        self.emit:constant(1, "integer")))
    end,
  })
end

--- The loop reads the element of each number until there is none.
run["for in"] = function(self, node, scope)
  local emit = self.emit
  for _, variable in ipairs(node.names) do
    lower.refuse_environment(variable, node.line)
  end
  local asked = self:within(node, scope)
  if asked then return lower_near(self, node, scope, asked) end
  local list, call = list_of(self, node, scope)
  local counter = self:variable("for")
  self:set(counter, emit:constant(1, "integer"))
  local element
  return lower_loop(self, node, {
    test = function()
      element = self:index(list, self.state[counter], call)
      return self:some(element, node)
    end,
    body = function()
      self:block(node.body, turn_scope(self, node, scope,
        { self.state[counter], element }))
      self:set(counter, emit:binary("add", self.state[counter],
        emit:constant(1, "integer")))
    end,
  })
end

return lower
