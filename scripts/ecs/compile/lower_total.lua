--- lower_total: numbers outside of the function that it only adds to.
--
--     kills = kills + 1                        a total
--     stats.damage = stats.damage - p.hp / 2
--     best = math.max(best, p.x)               a highest or lowest
--     if p.x < least then least = p.x end
--
-- Such a number is a reduction of the program, in the order of rows, that
-- begins with what the number is before the run; what it is then is written
-- back when the run ends or stops at a side exit. So it is what plain Lua makes
-- of it, bit for bit, and an integer where plain Lua keeps one (ir_kind.lua).
--
-- The number is an upvalue, a global, or a field of a table outside, which is
-- guarded. A function that uses the number in any other way is refused; so is a
-- field that is not in the table itself, where a metatable would count.
--
--     place  { key, line, name, operation, reduction, reader, number, sites,
--              table, field }: table and field: nil for an upvalue
--     site   { value, mask, line }: an addition

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_total"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, type, rawequal, rawget = ipairs, type, rawequal, rawget
local max, min = math.max, math.min
local math_type = rawget(math, "type")
local upvalue_id = standard.debug.upvalueid
local set_upvalue = standard.debug.setupvalue

local captures = require "ecs.compile.captures"
local ir_kind = require "ecs.compile.ir_kind"
local parser = require "ecs.compile.parser"

local outside = parser.outside

local lower_total = {}

-- The form of statements ------------------------------------------------------

--- Are two expressions the same names, fields, numbers and operations?
local function alike(a, b)
  while a[1] == "paren" do a = a.inner end
  while b[1] == "paren" do b = b.inner end
  if a[1] ~= b[1] then return false end
  local class = a[1]
  if class == "name" then return a.name == b.name end
  if class == "number" then return a.value == b.value end
  if class == "field" then
    return a.name == b.name and alike(a.object, b.object)
  elseif class == "binary" then
    return a.sign == b.sign and alike(a.left, b.left)
      and alike(a.right, b.right)
  elseif class == "unary" then
    return a.sign == b.sign and alike(a.operand, b.operand)
  end
  return false
end

--- Splits `target + a - b` into a list of { expression, minus }; nil: the value
-- is not of this form.
local function terms_of(target, value)
  local terms = {}
  while value[1] == "paren" do value = value.inner end
  while value[1] == "binary" and (value.sign == "+" or value.sign == "-") do
    if alike(value.left, target) then
      terms[#terms + 1] = { value.right, value.sign == "-" }
      return terms
    elseif value.sign == "+" and #terms == 0 and alike(value.right, target) then
      return { { value.left, false } }
    end
    terms[#terms + 1] = { value.right, value.sign == "-" }
    value = value.left
    while value[1] == "paren" do value = value.inner end
  end
  return nil
end

--- Of the value math.max(target, a) or math.min: the callee and a.
local function extreme_of(target, value)
  if value[1] == "call" and #value.arguments == 2
    and alike(value.arguments[1], target) then
    return value.callee, value.arguments[2]
  end
end

-- Places ----------------------------------------------------------------------

--- Where a number from outside is: the identity of an upvalue, or a table and a
-- field. nil: it is an argument, or the VM does not tell.
local function locate(reader)
  if reader.owner then
    return captures.read(reader.owner), reader.path[#reader.path]
  elseif reader.position and reader.holder and upvalue_id then
    return upvalue_id(reader.holder.f, reader.position), nil
  end
end

--- Are both the same variable?
local function same_place(one, other)
  local a, field = locate(one)
  local b, second = locate(other)
  return a ~= nil and rawequal(a, b) and rawequal(field, second)
end

--- The value of a target that is no local variable, and no field of a row or of
-- a table of the function; nil for these.
local function outer_value(self, target, scope)
  local outer = self.context.captures
  if target[1] == "name" then
    if scope[target.name] then return nil end
    return outer:lookup(self.context.func, target.name, target)
  end
  local object = self:value(target.object, scope)
  if object.type ~= "object" or type(object.value) ~= "table" then
    return nil
  end
  return outer:field(object, target.name, target.line)
end

--- The place of a target, for an operation; nil where it cannot be one.
local function find_place(self, target, operation, scope)
  local value = outer_value(self, target, scope)
  local reader = value and value.reader
  if not reader or type(value.value) ~= "number" then return nil end
  local list = self.context.places
  value.looked.place = true
  for _, place in ipairs(list) do
    if same_place(place.reader, reader) then
      if place.operation == operation then return place end
      outside(target.line, "'" .. place.name .. "', which is changed in two "
        .. "ways", "use one variable for each")
    end
  end
  local owner, field = locate(reader)
  if not owner then return nil end
  if field and rawget(owner, field) == nil or not field and not set_upvalue
  then
    return nil
  end
  local place = { line = target.line, name = target.name, reader = reader,
                  operation = operation, number = value.value, sites = {},
                  table = field and owner, field = field }
  if field then
    self.context.captures:guard { reader = reader.owner, value = owner }
  end
  place.reduction = self.emit:reduction(operation)
  list[#list + 1] = place
  self.context.totals[#self.context.totals + 1] = false
  return place
end

-- Statements ------------------------------------------------------------------

--- Adds the value of an expression to a place. minus: subtracts it.
local function add(self, place, node, minus, scope)
  local emit, count = self.emit, #place.sites
  self:refuse_in_loop(node.line, "an addition to '" .. place.name .. "'",
    "add up in a local variable, and add that behind the loop")
  local number = self:number(self:value(node, scope), node, "'+'", node)
  if #place.sites ~= count then
    outside(node.line, "'" .. place.name .. "', which is changed in between",
      "call the function first, and keep its result in a local variable")
  end
  if minus then number = emit:unary("neg", number) end
  local apart = number.apart
  number = emit:cast(number, "f64")
  local mask = self:mask()
  place.sites[count + 1] = { value = number, mask = mask, line = node.line,
                             float = apart }
  emit:effect(place.operation .. " " .. place.reduction, number, mask)
end

--- Is a target a local variable or a field of a row, as most are?
local function is_inside(self, target, scope)
  local base = target[1] == "field" and target.object or target
  local variable = base[1] == "name" and scope[base.name]
  if not variable or base == target then return variable end
  local value = self.state[variable]
  return value and value.type == "row"
end

--- Lowers the assignment of an expression to a target, where it only changes a
-- number outside. Returns its place; false: it is another assignment.
function lower_total.assign(self, target, value, scope)
  if target[1] ~= "name" and target[1] ~= "field"
    or is_inside(self, target, scope) then
    return false
  end
  local terms = terms_of(target, value)
  if terms then
    local place = find_place(self, target, "total", scope)
    if not place then return false end
    for k = #terms, 1, -1 do
      add(self, place, terms[k][1], terms[k][2], scope)
    end
    return place
  end
  local callee, other = extreme_of(target, value)
  local called = callee and self:value(callee, scope)
  local operation = called and called.type == "object"
    and (rawequal(called.value, max) and "highest"
         or rawequal(called.value, min) and "lowest")
  local place = operation and find_place(self, target, operation, scope)
  if not place then return false end
  self.context.captures:guard(called)
  add(self, place, other, false, scope)
  return place
end

--- As assign for each target and value of an assignment to several, where it
-- can be; other values are lowered in between, in the order of Lua. Returns the
-- list of values: false for numbers outside, which have changed.
function lower_total.assign_many(self, node, scope)
  local values, places = {}, {}
  for k, value in ipairs(node.values) do
    local place = lower_total.assign(self, node.targets[k], value, scope)
    if place then
      places[#places + 1] = { place, #place.sites }
    end
    values[k] = not place and self:value(value, scope)
  end
  for _, changed in ipairs(places) do
    local place = changed[1]
    if #place.sites ~= changed[2] then
      outside(node.line, "'" .. place.name .. "', which is changed twice in "
        .. "one assignment", "write two statements")
    end
  end
  return values
end

--- Lowers `if a > best then best = a end`. Returns true where it was one.
function lower_total.extreme(self, node, scope)
  local body, test = node.bodies[1], node.tests[1]
  local set = body[1]
  while test[1] == "paren" do test = test.inner end
  if #node.tests > 1 or node.other or #body ~= 1 or set[1] ~= "assign"
    or #set.targets ~= 1 or #set.values ~= 1
    or test[1] ~= "binary" or test.sign ~= "<" and test.sign ~= ">" then
    return false
  end
  local target, value = set.targets[1], set.values[1]
  local first = alike(test.left, target) and alike(test.right, value)
  if not first and not (alike(test.right, target) and alike(test.left, value))
    or target[1] ~= "name" and target[1] ~= "field" then
    return false
  end
  local operation = first == (test.sign == "<") and "highest" or "lowest"
  local place = find_place(self, target, operation, scope)
  if not place then return false end
  add(self, place, value, false, scope)
  return true
end

-- The end of a function -------------------------------------------------------

--- Refuses a function that uses the number of a place in another way. Fields of
-- the same name are guarded, so that they stay others.
local function check_reads(self, place)
  local outer = self.captures
  for _, group in ipairs(outer.groups) do
    if place.field and rawequal(group.path[#group.path], place.field) then
      outside(place.line, "'" .. place.name .. "', which elements of a table "
        .. "may have, too", "give one of the fields another name")
    end
  end
  for _, looked in ipairs(outer.looked) do
    local reader = looked.reader
    if not looked.place and same_place(reader, place.reader) then
      outside(place.line, "'" .. place.name .. "', which is read elsewhere in "
        .. "the function", "only add to it here, or keep it in a field of the "
        .. "row")
    elseif reader.owner and place.field
      and rawequal(reader.path[#reader.path], place.field) then
      outer:guard { reader = reader.owner, value = captures.read(reader.owner) }
    end
  end
  -- Another closure of the code may share variables with functions in place.
  if not place.field then outer:fix_functions() end
  if not self.system and not place.field and outer.count > 1 then
    outside(place.line, "'" .. place.name .. "', beside functions with "
      .. "variables of their own", "add to it in a system")
  end
end

--- The most that a row may add to an integer: a world has at most 2^28 rows, an
-- integer begins below 2^52 (plan.lua), and sums up to 2^53 are exact.
local MOST_ADDED, MOST_EXACT = 2 ^ 24, 2 ^ 53

--- The kind that the numbers of all sites have in Lua 5.4: "integer" or
-- "float". Refuses what is not certain, and sums that may be inexact.
local function kind_of(place, find)
  local sums, integer, most = place.operation == "total", nil, 0
  for _, site in ipairs(place.sites) do
    local kind = site.float and { integer = false } or find(site.value.id)
    if not kind or integer ~= nil and kind.integer ~= integer then
      outside(site.line, "'" .. place.name .. "', which becomes an integer or "
        .. "a float", sums and "begin with a float: 0.0"
        or "add 0.0 to what is compared")
    end
    integer = kind.integer
    most = sums and most + (kind.most or 0) or max(most, kind.most or 0)
  end
  if integer and most > (sums and MOST_ADDED or MOST_EXACT) then
    outside(place.line, "'" .. place.name .. "', an integer to which large "
      .. "numbers are added", "begin with a float: 0.0")
  end
  return integer and "integer" or "float"
end

--- Emits a reduction that tells whether anything was added.
local function emit_flag(self, place)
  local emit = self.emit
  local flag = emit:reduction "max"
  local one = emit:cast(emit:inner_constant(1), "f64")
  self.totals[#self.totals + 1] = false
  for _, site in ipairs(place.sites) do
    emit:effect("max " .. flag, one, site.mask)
  end
end

--- Ends the places of a function. Returns them in the form that plan.lua takes,
-- in the order of their reductions; nil: there are none. context: of
-- lower_expression.lua.
function lower_total.finish(context)
  local list, flags = {}, {}
  if #context.places == 0 then return nil end
  local find = math_type and ir_kind.of(context.emit)
  for k, place in ipairs(context.places) do
    check_reads(context, place)
    local kind = math_type and math_type(place.number)
    local added
    if kind == "integer" or kind and place.operation ~= "total" then
      added = kind_of(place, find)
    end
    list[k] = { reader = place.reader, kind = kind, added = added,
                operation = place.operation, table = place.table,
                field = place.field }
    if added == "float" and place.operation == "total" then
      emit_flag(context, place)
      flags[#flags + 1] = list[k]
    end
  end
  -- The flags come behind all places, as their reductions do.
  local count = #list
  for k, outer in ipairs(flags) do
    outer.flag = count + k
    list[count + k] = { is_flag = true }
  end
  return list
end

return lower_total
