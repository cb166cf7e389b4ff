--- lower_exit: side exits that are no branches: what a row must be to go on.
--
--     local x = world:get(target, Position, "x")
--     p.x = p.x - x              needs x: rows in which it is nil take an exit
--     assert(p.x > 0, "left")    rows in which p.x <= 0 take an exit
--
-- Where a value is needed that may be nil, the rows in which it is nil take a
-- side exit, and plain Lua raises its error there, or goes on. Behind that
-- place the value is known not to be nil. Without exits such a use is refused.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_exit"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local gsub, find, format = string.gsub, string.find, string.format
local ipairs, max, rawequal, tostring = ipairs, math.max, rawequal, tostring
local assert, type = assert, type

local lower = require "ecs.compile.lower"
local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower_exit = {}

--- Has the rows that reach this point take a side exit where test is false;
-- behind it test is true. Refuses the construct where there are no exits, and
-- where no row could go on.
function lower:demand(test, line, construct, remedy)
  local known, context = self:known(test), self.context
  if known then return end
  if known == false or not context.may_exit then
    outside(line, construct, remedy)
  end
  local emit = self.emit
  local mask = self:mask(self.turns and self.turns.base) or emit.yes
  local list = context.demands
  list[#list + 1] = { line = line, construct = construct, remedy = remedy,
                      blamed = context.func }
  self:add_exit(emit:both(mask, emit:opposite(test)))
  self:assume(test, true)
end

--- The value inside of one that may be nil or false, which is demanded not to
-- be. Any other value as it is.
function lower:settle(value, line, construct, remedy)
  while value.type == "maybe" or value.type == "choice" do
    self:demand(value.some or value.test, line, construct, remedy)
    value = value.value
  end
  return value
end

-- assert ---------------------------------------------------------------------

--- Kind of a node -> computes it as pass_over does; true: that was all.
local compute = {}

--- Computes a part of a message that is never shown, where that could do
-- something or raise an error. joined: it is joined to a string. Refuses what
-- is not certain.
local function pass_over(self, node, scope, joined)
  local known = compute[node[1]]
  if known and known(self, node, scope, joined) then return end
  local value = self:value(node, scope)
  if not joined then return end
  if value.type == "object" and type(value.value) == "string" then
    return self.context.captures:guard(value)
  end
  if value.type ~= "entity" then self:number(value, node, "'..'", node) end
end

function compute.string() return true end

function compute.paren(self, node, scope, joined)
  pass_over(self, node.inner, scope, joined)
  return true
end

function compute.binary(self, node, scope)
  if node.sign ~= ".." then return false end
  pass_over(self, node.left, scope, true)
  pass_over(self, node.right, scope, true)
  return true
end

--- Is a text a format for which any numbers will do?
local function is_tolerant(text, count)
  local wanted = 0
  local rest = gsub(gsub(text, "%%%%", ""), "%%%d*%.?%d*([sgfe])", function()
    wanted = wanted + 1
    return ""
  end)
  return not find(rest, "%", 1, true) and wanted <= count
end

--- tostring(x), or string.format with a format that is written out.
function compute.call(self, node, scope)
  local callee, arguments = self:value(node.callee, scope), node.arguments
  local first = arguments[1]
  local pure = rawequal(callee.value, tostring) and #arguments == 1
    or rawequal(callee.value, format) and first and first[1] == "string"
    and is_tolerant(first.written, #arguments - 1)
  if not pure then return false end
  self.context.captures:guard(callee)
  for _, argument in ipairs(arguments) do
    pass_over(self, argument, scope, true)
  end
  return true
end

--- Lowers a call of assert: rows in which it raises take an exit.
function lower_exit.assert(self, node, wanted, scope)
  local context, arguments = self.context, node.arguments
  if not context.may_exit then
    return context.tree(assert, node, "assert") -- which refuses it
  elseif #arguments == 0 then
    outside(node.line, "assert without a value", "give it a condition")
  end
  local values
  if #arguments == 1 or wanted > 1 then
    values = self:list(arguments, max(#arguments, wanted), scope)
  else
    values = { self:value(arguments[1], scope) }
    for k = 2, #arguments do pass_over(self, arguments[k], scope) end
  end
  self:demand(self:truth(values[1]), node.line, "assert of what may be false",
    "leave it out, or let rows take side exits: compile = true")
  values[1] = self:unwrap(values[1])
  return values
end

return lower_exit
