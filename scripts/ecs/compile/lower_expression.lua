--- lower_expression: computes the values of expressions, for one row.
--
-- The context that lower.new takes:
--
--     emit            the writer of the program (ir_writer.lua)
--     captures        the values from outside (captures.lua)
--     func            the function or inlined function that is lowered
--     tree(f, node, name)  the tree of a called function, and the function;
--                     refuses one that cannot be compiled
--     calls           function -> how to lower a call of it (lower_call.lua)
--     methods(value)  name -> how to lower a method of this object; or nil
--     describe(value) a definition's name and the types of its fields; or nil
--     writes(name)    may fields of the term with this name be assigned to?
--     written         { entry, term, name } of fields assigned to, in order;
--                     and entry -> true
--     system          true: for a system: rows draw numbers and add to totals
--     totals          totals that are added to, in the order of the program's
--                     reductions; and total -> its reduction
--     total_kind(value)    "sum", "min" or "max"; nil: the object is no total

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_expression"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local rawget = rawget
local max, min, ipairs, type =
  math.max, math.min, ipairs, type
local core = require "ecs.core"
local captures = require "ecs.compile.captures"
local lower = require "ecs.compile.lower_table"
local lower_bits = require "ecs.compile.lower_bits"
local find_resource = require("ecs.resource_row").find
local message = require "ecs.message"
require "ecs.compile.lower_elements"
local parser = require "ecs.compile.parser"

local outside = parser.outside
local quote = require("ecs.compile.ir_writer").quote
local NIL = lower.NIL

local value_of = {}

local WORK_LIMIT, NESTING_LIMIT = lower.WORK_LIMIT, lower.NESTING_LIMIT

--- The value of an expression; of a call, the first result. Counts as
-- lower:count and lower:nest do.
function lower:value(node, scope)
  local context, nesting = self.context, self.nesting + 1
  local work = (context.work or 0) + 1
  if work > WORK_LIMIT then self:count(node.line or 0) end
  if nesting > NESTING_LIMIT then self:nest(node.line or 0) end
  context.work, self.nesting = work, nesting
  local value = value_of[node[1]](self, node, scope)
  self.nesting = nesting - 1
  return value
end

--- The most values that anything in a function takes: Lua allows 255 of them.
local MOST_VALUES = 255

--- The values of a list of expressions. wanted: how many, filled with NIL; nil:
-- one for each expression.
function lower:list(nodes, wanted, scope)
  local values, count = {}, #nodes
  wanted = wanted or count
  for k, node in ipairs(nodes) do
    local class = node[1]
    if k == count and wanted > count and (class == "call" or class == "method")
    then
      for _, value in ipairs(self:call(node, wanted - count + 1, scope)) do
        values[#values + 1] = value
      end
    else
      values[k] = self:value(node, scope)
    end
  end
  for k = #values + 1, min(wanted, MOST_VALUES) do values[k] = NIL end
  return values
end

-- Leaves --------------------------------------------------------------------

function value_of.number(self, node)
  return self.emit:constant(node.value, node.kind)
end

value_of["true"] = function(self) return self.emit.yes end
value_of["false"] = function(self) return self.emit.no end
value_of["nil"] = function() return NIL end

function value_of.string(self, node)
  if not node.value then
    return outside(node.line, "a string with '\\'",
      "keep it in a variable outside")
  end
  return self.emit.string(core.held_string(node.value))
end

function value_of.paren(self, node, scope)
  return self:value(node.inner, scope)
end

function value_of.name(self, node, scope)
  local variable = scope[node.name]
  if variable then return self:unwrap(self.state[variable]) end
  local value = self.context.captures:lookup(self.context.func, node.name, node)
  if type(value.value) == "boolean" or value.value == nil then
    return self.context.captures:plain(value)
  end
  return value
end

-- Fields of rows ------------------------------------------------------------

--- Refuses a field of type any. Returns false for others.
local function refuse_held(line, component, name, scalar)
  if scalar ~= "any" then return false end
  outside(line, "'" .. name .. "' of " .. component .. ", a field of type "
    .. scalar, "use it in a branch that few rows take, or in a system of its "
    .. "own, which runs as plain Lua")
end
lower.refuse_held = refuse_held

--- The key of a row's field in the state, and its type. Refuses a field that
-- does not exist and a row that may be nil.
function lower:field_entry(row, node, name)
  local term = row.term
  local scalar = term.types[name]
  if not scalar then
    outside(node.line, "'" .. name .. "' of " .. term.name
      .. ", which has no such field", "it has " .. message.fields(term.fields))
  elseif refuse_held(node.line, term.name, name, scalar) then
    return nil
  elseif term.present then
    self:demand(term.present, node.line, "'" .. name .. "' of "
      .. term.name .. ", which may be nil here",
      "test it first: if it then ... end")
  end
  return term.prefix .. name, scalar
end

--- The value that a field held before the program ran.
local function load_field(self, term, name, scalar)
  local emit = self.emit
  local column = term.columns[name]
  if not column then
    column = emit:column(term.name, name, scalar, term.access)
    if not self.context.dry then term.columns[name] = column end
  end
  return emit:load(column, scalar)
end

--- The same of a row of a grid (lower_near.lua).
local function found_field(self, term, name, scalar)
  return self.emit:found(term.found .. " " .. quote(term.name) .. " "
    .. quote(name), scalar)
end

local function row_field(self, row, node, name)
  local elements = self:elements_of(row, node, name)
  if elements then return elements end
  local entry, scalar = self:field_entry(row, node, name)
  if row.term.found then
    if scalar == "string" then
      outside(node.line, "'" .. name .. "' of a row of a grid, a string",
        "look at it with world:get")
    end
    return found_field(self, row.term, name, scalar)
  end
  if not self.state[entry] then
    self.state[entry] = load_field(self, row.term, name, scalar)
  end
  return self.state[entry]
end

lower.row_field = row_field

--- The value as one that has fields; false where it has none. key: what is
-- looked for in it.
local function as_holder(self, value, node, key)
  local inner = value
  while inner.type == "maybe" or inner.type == "choice" do
    inner = inner.value
  end
  if not lower.is_holder(inner) then return false end
  return self:settle(value, node.line, "'" .. key .. "' of a row or a table "
    .. "that may be nil here", "test it first: if it then ... end")
end

--- A key of a row or a table of the function.
local function holder_field(self, holder, key, node)
  if holder.type == "record" then return self:get_entry(holder, key) end
  if holder.type == "row" then return row_field(self, holder, node, key) end
  return self:each_of(holder, node, function(chosen)
    return holder_field(self, chosen, key, node)
  end)
end

--- A field of a table from outside, or of an element.
local function table_field(self, value, name, node)
  if value.type == "object" then
    local resource = find_resource(value.value)
    if resource and self.context.writes(resource) then
      outside(node.line, "a field of the resource " .. resource
        .. ", which this system writes", "use its row")
    end
    return self.context.captures:field(value, name, node.line)
  elseif lower.is_element(value) then
    value = self:settle(value, node.line, "'." .. name .. "' of an element "
      .. "that may be nil here", "test it first: if x then ... end")
    return self:element_field(value, name, node.line)
  end
  return outside(node.line, "'." .. name .. "' of " .. lower.word(value),
    "only fields of rows and of tables can be read")
end

function value_of.field(self, node, scope)
  local value = self:value(node.object, scope)
  local holder = as_holder(self, value, node, node.name)
  if holder then return holder_field(self, holder, node.name, node) end
  return table_field(self, value, node.name, node)
end

-- Tables and functions of the function ---------------------------------------

value_of["function"] = function(self, node, scope)
  return { type = "closure", node = node, scope = scope,
           func = self.context.func }
end

function value_of.table(self, node, scope) return self:record(node, scope) end

--- Refuses an assignment to an element of something that has none, by the name
-- of the variable. node: of the index.
local function refuse_element(self, node, scope)
  local root = node.object
  while root[1] == "index" or root[1] == "field" do root = root.object end
  local held = root[1] == "name" and self:value(root, scope) or {}
  if held.type ~= "object" and held.type ~= "nil" then
    outside(node.line, "an index in brackets that is assigned to",
      "assign to fields of rows and to local variables")
  end
  local label = "an assignment to an element of '" .. root.name
    .. "', which is "
  if core.array_shape(held.value) then
    outside(node.line, label .. "an array of another world",
      "make it with the world of the system")
  elseif held.value == nil then
    outside(node.line, label .. "nil", captures.late)
  end
  outside(node.line, label .. lower.word(held), "assign to fields of rows and "
    .. "to local variables, or to an array of the world: world:array")
end

--- Refuses an assignment to an element of a row, map[x][y], where the variable
-- holds nothing that has rows. node: of the index.
function lower:refuse_rows(node, scope)
  local root = node.object
  while root[1] == "index" do root = root.object end
  if root == node.object or root[1] ~= "name" then return end
  local held = self:value(root, scope)
  if held.type == "nil" or held.type == "object" and type(held.value) ~= "table"
    and not self:place_of(held) then
    refuse_element(self, node, scope)
  end
end

--- The key of an index of this value, which has to be one of the function's own
-- rows or tables.
function lower:own_key(node, object, scope)
  local inner = object
  while inner.type == "maybe" or inner.type == "choice" do
    inner = inner.value
  end
  if not lower.is_holder(inner) then
    refuse_element(self, node, scope)
  end
  return self:key(node.key, scope)
end

function value_of.index(self, node, scope)
  if node.object[1] == "index" then node.object.leads = true end
  local value = self:value(node.object, scope)
  local name = node.key[1] == "string" and node.key.value or nil
  if not lower.is_holder(lower.inner_of(value)) then
    name = name or self:joined(node.key, scope)
    if name then return table_field(self, value, name, node) end
    return self:index(value, self:value(node.key, scope), node)
  end
  local key = self:own_key(node, value, scope)
  return holder_field(self, as_holder(self, value, node, key), key, node)
end

--- What messages tell to assign.
local advice = { bool = "assign true or false",
                 entity = "assign e, nil or a field of type entity",
                 string = "assign a string that is written out, a variable "
                   .. "outside or a field of type string" }

--- A value in the form in which a field of this type stores it, or a refusal.
-- expression: as for lower:number.
function lower:fit(value, scalar, node, label, expression)
  if scalar == "entity" then
    local entity = self:entity(value, "id")
    if entity then return entity end
  elseif scalar == "bool" then
    value = self.context.captures:plain(value)
    if value.type == "maybe" and value.value.type == "bool" then
      value = self:settle(value, node.line, "an assignment to " .. label
        .. " of a boolean that may be nil here", "assign true or false")
    end
    if value.type == "bool" then return value end
  elseif scalar == "string" then
    local text = self:string(value)
    if text then return text end
  else
    return self.emit:stored(scalar,
      self:number(value, node, "an assignment to " .. label, expression))
  end
  return outside(node.line, "an assignment to " .. label .. " of "
    .. lower.word(value), advice[scalar])
end

--- Assigns to a field. object: the value of node.object. key: that of an index,
-- else the field's name. expression: that of the value, where it is known.
function lower:assign_field(node, object, key, value, expression)
  local holder = as_holder(self, object, node, key)
  if not holder then
    outside(node.line, "an assignment to a field of " .. lower.word(object),
      "assign to fields of rows and to local variables, or " .. parser.TOTAL)
  elseif holder.type == "record" then
    return self:set_entry(holder, key, value)
  elseif holder.type == "either" then
    return self:each_of(holder, node, function(chosen)
      return self:assign_field(node, chosen, key, value, expression)
    end)
  end
  return self:assign_row(node, holder, key, value, expression)
end

--- The key in the state of a row's field that may be assigned to, its type and
-- what messages call it.
function lower:writable_entry(node, row, key)
  local term = row.term
  if term.arrays and term.arrays[key] then
    outside(node.line, "an assignment to " .. term.name .. "." .. key
      .. ", which is an array", "assign to its elements")
  end
  local entry, scalar = self:field_entry(row, node, key)
  local label = term.name .. "." .. key
  if term.found then
    outside(node.line, "an assignment to " .. label .. " of a row of a grid",
      "rows of a grid are copies: assign to the row itself")
  end
  if term.access == "up" then
    outside(node.line, "an assignment to " .. label .. " of the entity that "
      .. "the row links to", "assign to the row itself: its own values are "
      .. "there when those that link to it are reached")
  end
  if term.access == "read" then
    outside(node.line, "an assignment to " .. label
      .. ", which the query only reads",
      "name " .. term.name .. " in the array part of the query")
  end
  if term.links[key] then
    outside(node.line, "an assignment to " .. label .. ", which is a link",
      "link with world:set(e, " .. term.name .. ", '" .. key .. "', target)")
  end
  return entry, scalar, label
end

--- The same of one that is assigned to.
function lower:written_entry(node, row, key)
  local entry, scalar, label = self:writable_entry(node, row, key)
  -- Undoing a branch needs the value before.
  if not self.state[entry] then row_field(self, row, node, key) end
  local written = self.context.written
  if not written[entry] then
    written[entry] = true
    written[#written + 1] = { entry = entry, term = row.term, name = key }
  end
  return entry, scalar, label
end

--- Assigns to a field of a row.
function lower:assign_row(node, row, key, value, expression)
  local entry, scalar, label = self:written_entry(node, row, key)
  self:set(entry, self:fit(value, scalar, node, label, expression))
end

-- Operators -----------------------------------------------------------------

local arithmetic = {
  ["+"] = "add", ["-"] = "sub", ["*"] = "mul", ["/"] = "div",
  ["//"] = "floordiv", ["%"] = "mod", ["^"] = "pow",
}

local equal

--- The bool: are two values equal, one of which may be nil? They are where both
-- are nil.
local function equal_maybe(self, a, b, node)
  local emit = self.emit
  local some_a, some_b = self:some(a, node), self:some(b, node)
  local same = equal(self, a.some and a.value or a, b.some and b.value or b,
    node)
  return emit:either(
    emit:both(emit:opposite(some_a), emit:opposite(some_b)),
    emit:both(emit:both(some_a, some_b), same))
end

--- The bool: are two values equal?
function equal(self, a, b, node)
  local emit, outer = self.emit, self.context.captures
  if a.type == "nil" then a, b = b, a end
  if b.type == "nil" then
    if a.type == "object" then
      outer:guard_some(a)
      return emit:truth(a.value == nil)
    end
    return emit:opposite(self:some(a, node))
  end
  for _, x in ipairs { a, b } do
    if x.type == "choice" then
      outside(node.line, "a comparison of a value that may be false or nil",
        "test it first: if x then ... end")
    elseif x.type == "object" and type(x.value) ~= "number"
      and type(x.value) ~= "boolean" then
      outer:guard(x)
    end
  end
  if a.type == "record" and b.type == "record" then
    return emit:truth(a == b)
  end
  if a.type == "maybe" and lower.is_number(a.value)
    or b.type == "maybe" and lower.is_number(b.value) then
    return equal_maybe(self, a, b, node)
  elseif (a.type == "entity" or b.type == "entity") and not lower.is_string(a)
    and not lower.is_string(b) then
    local x, y = self:entity(a), self:entity(b)
    if x and y then
      local same = emit:op("eq entity", "bool", x, y)
      -- A number that is no handle reads as null, but does not equal null.
      for _, side in ipairs { a, b } do
        if lower.is_number(side)
          or side.type == "object" and side.value ~= nil then
          same = emit:both(same, emit:opposite(emit:op("eq entity", "bool",
            self:entity(side), emit.null())))
        end
      end
      return same
    end
    if lower.is_number(a) or lower.is_number(b) then
      outside(node.line, "a comparison of an entity with a computed number",
        "compare it with e, a field of type entity or a variable from outside")
    end
    if a.type ~= "maybe" and b.type ~= "maybe" then
      outer:plain(a.type == "entity" and b or a) -- guards that it is a boolean
      if a.type ~= "row" and b.type ~= "row" then return emit.no end
      -- Equal where both are nil.
      return emit:opposite(emit:either(self:some(a, node), self:some(b, node)))
    end
  end
  a, b = outer:plain(a), outer:plain(b)
  local one, other = lower.is_string(a), lower.is_string(b)
  if one and other then
    local x, y = self:string(a), self:string(b)
    if x and y then return emit:same_string(x, y) end
  elseif (one or other) and a.type ~= "maybe" and b.type ~= "maybe" then
    return emit.no
  end
  if a.type == "nil" or b.type == "nil" then return equal(self, a, b, node) end
  if a.type == "bool" and b.type == "bool" then
    if a.constant ~= nil then a, b = b, a end
    if b.constant ~= nil then return b.constant and a or emit:opposite(a) end
    return emit:op("eq bool", "bool", a, b)
  elseif a.type == "maybe" or b.type == "maybe" then
    return equal_maybe(self, a, b, node)
  elseif lower.is_number(a) and lower.is_number(b) then
    return emit:compare("eq", a, b)
  elseif lower.is_number(a) ~= lower.is_number(b)
    or lower.is_element(a) and b.type == "bool"
    or lower.is_element(b) and a.type == "bool" then
    return emit.no
  end
  local odd = a.type == "bool" and b or a
  return outside(node.line, "a comparison of " .. lower.word(odd),
    "compare numbers, booleans and entities")
end

local ordered = {
  ["<"] = { "lt", false }, ["<="] = { "le", false },
  [">"] = { "lt", true }, [">="] = { "le", true },
}

--- A sign, as messages show it.
local quoted = {}
for sign in string.gmatch("+ - * / // % ^ < <= > >= & | ~ << >>", "%S+") do
  quoted[sign] = "'" .. sign .. "'"
end

function value_of.binary(self, node, scope)
  local emit, sign = self.emit, node.sign
  if sign == ".." then
    outside(node.line, "joining strings", "compute with numbers")
  end
  local a, b = self:value(node.left, scope), self:value(node.right, scope)
  if sign == "==" then return equal(self, a, b, node) end
  if sign == "~=" then return emit:opposite(equal(self, a, b, node)) end
  local use = quoted[sign]
  a = self:number(a, node, use, node.left)
  b = self:number(b, node, use, node.right)
  local order = ordered[sign]
  if arithmetic[sign] then return emit:binary(arithmetic[sign], a, b) end
  if not order then return lower_bits.binary(self, sign, a, b, node) end
  if order[2] then a, b = b, a end
  return emit:compare(order[1], a, b)
end

function value_of.unary(self, node, scope)
  local value = self:value(node.operand, scope)
  if node.sign == "not" then return self.emit:opposite(self:truth(value)) end
  if node.sign == "#" then
    if value.type == "record" then return self:length(value, node.line) end
    local elements = self:as_elements(value, node.line)
    if elements then
      return self.emit:constant(elements.array[3], "integer")
    end
    local place = lower.place_of(self, value)
    if place then return self:array_length(place, node.line) end
    if value.type == "object" then
      local outer = self.context.captures
      return outer:plain(outer:length(value, node.line))
    end
    outside(node.line, "the length operator", "keep the number in a variable")
  end
  if node.sign == "~" then
    return lower_bits.complement(self,
      self:number(value, node, "'~'", node.operand), node)
  end
  return self.emit:unary("neg", self:number(value, node, "'-'", node.operand))
end

--- The value of an expression that is computed only where test has this truth;
-- nil: it is a side exit.
local function under(self, test, truth, node, scope)
  local value
  self:conditional(truth and test or self.emit:opposite(test), node,
    self:exitable(node, truth and "yes" or "no",
      function() value = self:value(node, scope) end))
  return value
end

--- The value of `a and b` where a is not true: NIL, false, or nil: not known.
local function falsehood(self, a)
  if a.type == "bool" then return self.emit.no end
  local inner = a
  while inner.type == "choice" or inner.type == "maybe" do
    inner = inner.value
  end
  if a.type == "choice" then
    return (inner.type ~= "bool" or a.other == self.emit.no) and a.other or nil
  end
  return inner.type ~= "bool" and NIL or nil
end

value_of["and"] = function(self, node, scope)
  local emit, outer = self.emit, self.context.captures
  local a = outer:plain(self:value(node.left, scope))
  local test = self:truth(a)
  local known = self:known(test)
  if known == true then return self:value(node.right, scope) end
  if known == false then
    return self:widen_beside(a, test, true, node.right, scope)
  end
  local b = under(self, test, true, node.right, scope)
  if not b then return falsehood(self, a) or a end
  b = outer:plain(b)
  if a.type == "bool" and b.type == "bool" then return emit:both(a, b) end
  local other = falsehood(self, a)
  if other == NIL and (lower.is_number(b) or b.type == "bool") then
    return { type = "maybe", some = test, value = b }
  end
  return { type = "choice", test = test, value = b, other = other }
end

value_of["or"] = function(self, node, scope)
  local emit, outer = self.emit, self.context.captures
  local a = outer:plain(self:value(node.left, scope))
  local test = self:truth(a)
  local known = self:known(test)
  if known == true then
    return self:widen_beside(a, test, false, node.right, scope)
  elseif known == false then
    return self:widen(self:value(node.right, scope), a)
  end
  local b = under(self, test, false, node.right, scope)
  if not b then
    while a.type == "choice" or a.type == "maybe" do a = a.value end
    return a
  end
  b = outer:plain(b)
  if a.type == "bool" and b.type == "bool" then return emit:either(a, b) end
  if a.slot and a.type == "bool" then
    -- `override or 3`: false stands for nothing, so its value is guarded.
    outer:guard { reader = a.reader, value = a.number, looked = a.looked }
    return a.number and emit.yes or b
  end
  while a.type == "choice" or a.type == "maybe" do a = a.value end
  -- Where a is true, a boolean is true.
  if a.type == "bool" then a = emit.yes end
  if b.type == "choice" then
    -- b is the middle of `x and 1 or y and 2 or 3`.
    return { type = "choice", test = emit:either(test, b.test),
             value = self:merge(test, a, b.value, node), other = b.other }
  end
  return self:merge(test, a, b, node)
end

-- Calls ---------------------------------------------------------------------

function value_of.call(self, node, scope)
  return self:call(node, 1, scope)[1] or NIL
end
value_of.method = value_of.call

local function function_name(node)
  if node[1] == "name" then return node.name end
  if node[1] == "field" then
    return function_name(node.object) .. "." .. node.name
  end
  return "this"
end

-- What to write instead of a method: of these, and of others.
local REMEDIES = {
  parent = "write world:get(e, ecs.ChildOf, 'parent'), or let up in the query "
    .. "give the rows of parents",
}
local REMEDY = "call spawn, emit, destroy, add, remove, replace, set, alive, "
  .. "has or get of the system's world, or add or value of its totals; do "
  .. "others in a run system, and write methods as functions"

local function call_method(self, node, wanted, scope)
  local object = self:value(node.object, scope)
  local methods = object.type == "object" and self.context.methods(object)
  local method = methods and methods[node.name]
  if not method then
    parser.refuse_rare(node)
    return outside(node.line, "the method '" .. node.name .. "'",
      methods and rawget(REMEDIES, node.name) or REMEDY)
  end
  self.context.captures:guard(object)
  return method(self, node, wanted, scope, object)
end

--- The results of a call of a value, at least as many as wanted.
function lower:call_value(callee, node, wanted, scope)
  callee = self:settle(callee, node.line, "a call of '"
    .. function_name(node.callee) .. "', which may be nil here",
    "test it first: if f then ... end")
  if callee.type == "closure" then
    local values = self:list(node.arguments,
      max(#node.arguments, #callee.node.parameters), scope)
    return self:inline_in(callee.func, callee.node, values, wanted, node,
      callee.scope)
  end
  if callee.type ~= "object" or type(callee.value) ~= "function" then
    outside(node.line, "a call of '" .. function_name(node.callee)
      .. "', which is " .. lower.word(callee),
      "call a function that is defined above, by its name")
  end
  local context = self.context
  local known = context.calls[callee.value]
  local prepared = not known and context.prepared(callee.value)
  if known or prepared then
    context.captures:guard(callee)
  else
    context.captures:guard_code(callee)
  end
  if known then return known(self, node, wanted, scope) end
  if prepared then
    return context.call_prepared(self, node, wanted, scope, prepared)
  end
  context.calling = { func = context.func, line = node.line,
                      outer = context.caller }
  local tree, func = context.tree(callee.value, node,
    function_name(node.callee))
  context.calling = nil
  -- A call as the last argument fills the remaining parameters.
  local values = self:list(node.arguments,
    max(#node.arguments, #tree.parameters), scope)
  return self:inline_in(func, tree, values, wanted, node)
end

--- As lower:inline, for a function that has the names of func from outside.
-- The calls around it are in the context, for messages.
function lower:inline_in(func, tree, values, wanted, node, scope)
  local context = self.context
  local outer = context.func
  context.caller = { func = outer, line = node.line, outer = context.caller }
  context.func = func
  local results = self:inline(tree, values, wanted, node, scope)
  context.func, context.caller = outer, context.caller.outer
  return results
end

local function call_any(self, callee, node, wanted, scope)
  local element = lower.callable(callee)
  if element then return self:call_element(element, node, wanted, scope) end
  return self:call_value(callee, node, wanted, scope)
end

--- The results of a call, at least as many as wanted.
function lower:call(node, wanted, scope)
  local callee = node.callee
  if node[1] == "method" then return call_method(self, node, wanted, scope) end
  if callee[1] ~= "index" then
    return call_any(self, self:value(callee, scope), node, wanted, scope)
  end
  local holder = self:value(callee.object, scope)
  local key = self:value(callee.key, scope)
  local results = self:call_index(holder, key, node, wanted, scope)
  if results then return results end
  return call_any(self, self:index(holder, key, callee), node, wanted, scope)
end

return lower
