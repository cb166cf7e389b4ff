--- lower_call: the functions and methods that compiled code may call.
--
-- calls: the functions, by the function itself, so it may have any name. Each
-- is called as calls[f](lower, node, wanted, scope) and returns a list of
-- values. methods: the methods of worlds, by name; totals: those of totals.
-- Both get the object as a fifth argument.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_call"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local pi, mathematics = math.pi, standard.math
local abs, max, huge = math.abs, math.max, math.huge
local assert, ipairs, type = assert, ipairs, type

local lower = require "ecs.compile.lower"
local lower_bits = require "ecs.compile.lower_bits"
local lower_exit = require "ecs.compile.lower_exit"
local parser = require "ecs.compile.parser"
local core = require "ecs.core"
local portable_math = require "ecs.portable_math"
local ir_writer = require "ecs.compile.ir_writer"
local lower_change = require "ecs.compile.lower_change"
local lower_parts = require "ecs.compile.lower_parts"
local safe_pairs = require "ecs.safe_pairs"

local outside = parser.outside
local quote = ir_writer.quote
local NIL = lower.NIL

local lower_call = {}

-- Numbers -------------------------------------------------------------------

--- The arguments as numbers: from least to most of them. A call as the last
-- argument gives all its results. Refuses other numbers and other values.
local function numbers(self, node, scope, least, most, name)
  local written = #node.arguments
  local values = self:list(node.arguments, max(written, most), scope)
  for k = #values, written + 1, -1 do
    if values[k].type ~= "nil" then break end
    values[k] = nil
  end
  if #values < least or #values > most then
    outside(node.line, name .. " with " .. #values
      .. (#values == 1 and " argument" or " arguments"),
      "it takes " .. least .. (most > least and " or more" or ""))
  end
  for k, value in ipairs(values) do
    values[k] = self:number(value, node, name, node.arguments[k])
  end
  return values
end

local function unary(operation, name)
  return function(self, node, _, scope)
    local values = numbers(self, node, scope, 1, 1, name)
    return { self.emit:unary(operation, values[1]) }
  end
end

local function binary(operation, name)
  return function(self, node, _, scope)
    local values = numbers(self, node, scope, 2, 2, name)
    return { self.emit:binary(operation, values[1], values[2]) }
  end
end

--- min and max take any number of arguments.
local function extreme(operation, name)
  return function(self, node, _, scope)
    local values = numbers(self, node, scope, 1, 64, name)
    local result = values[1]
    for k = 2, #values do
      result = self.emit:binary(operation, result, values[k])
    end
    return { result }
  end
end

--- The argument times a constant.
local function scaled(factor, name)
  return function(self, node, _, scope)
    local values = numbers(self, node, scope, 1, 1, name)
    local emit = self.emit
    return { emit:binary("mul", values[1], emit:inner_constant(factor)) }
  end
end

--- Lua 5.4's atan of y / x; x is 1 unless given.
local function arc(self, node, _, scope)
  local values = numbers(self, node, scope, 1, 2, "math.atan")
  return { self.emit:binary("atan2", values[1],
    values[2] or self.emit:inner_constant(1)) }
end

--- The natural logarithm. With a base, VMs differ.
local function logarithm(self, node, _, scope)
  local values = numbers(self, node, scope, 1, 2, "math.log")
  if values[2] then
    outside(node.line, "math.log with a base",
      "divide: math.log(x) / math.log(base)")
  end
  return { self.emit:unary("log", values[1]) }
end

local function own_log10(self, node, _, scope)
  local emit = self.emit
  local value = numbers(self, node, scope, 1, 1, "ecs.math.log10")[1]
  local wide = emit:unary("xlog", emit:cast(value, "f64"))
  wide = emit:binary("mul", wide,
    emit:cast(emit:inner_constant(0.4342944819032518), "f64"))
  if value.flex then wide = { type = "f64", id = wide.id, flex = true } end
  return { value.type == "f32" and emit:cast(wide, "f32") or wide }
end

local function own_clamp(self, node, _, scope)
  local emit = self.emit
  local values = numbers(self, node, scope, 3, 3, "ecs.math.clamp")
  local a = emit:binary("max", values[1], values[2])
  return { emit:binary("min", a, values[3]) }
end

local function own_lerp(self, node, _, scope)
  local emit = self.emit
  local values = numbers(self, node, scope, 3, 3, "ecs.math.lerp")
  local a, b, t = values[1], values[2], values[3]
  return { emit:binary("add", a,
    emit:binary("mul", emit:binary("sub", b, a), t)) }
end

-- Whole numbers up to here, and sums of two of them, are exact.
local LARGEST = 2 ^ 53

--- Refuses bounds of ecs.random that are constant and wrong. first: nil: 1.
local function check_interval(node, first, last)
  local a, b = first and first.constant or 1, last.constant
  for _, number in ipairs { a, b or a } do
    if not (number % 1 == 0 and abs(number) <= LARGEST) then
      outside(node.line, "ecs.random of a number that is not whole",
        "give it whole numbers")
    end
  end
  if first and not first.constant or not b then return false end
  if a > b or b - a >= LARGEST then
    outside(node.line, "ecs.random of an empty or too large interval",
      "the first number is the least one, the last one the largest")
  end
  return true
end

--- The bool: is a number whole, and one of those that are exact?
local function is_whole(emit, value)
  if value.constant then return emit.yes end
  local most = emit:cast(emit:inner_constant(LARGEST), value.type)
  return emit:both(emit:compare("eq", emit:unary("floor", value), value),
    emit:compare("le", emit:unary("abs", value), most))
end

--- The least number of an interval of ecs.random, and how many there are, as
-- f64. Rows in which it is not right take a side exit: plain Lua raises the
-- error.
local function interval(self, node, scope)
  local emit = self.emit
  local values = numbers(self, node, scope, 1, 2, "ecs.random")
  local first, last = values[2] and values[1], values[2] or values[1]
  local sure = check_interval(node, first, last)
  first = emit:cast(first or emit:inner_constant(1), "f64")
  last = emit:cast(last, "f64")
  if sure then
    local size = last.constant - first.constant + 1
    return first, emit:cast(emit:inner_constant(size), "f64")
  end
  local one = emit:cast(emit:inner_constant(1), "f64")
  local apart = emit:binary("sub", last, first)
  local right = emit:both(is_whole(emit, first), is_whole(emit, last))
  right = emit:both(right, emit:compare("le", first, last))
  right = emit:both(right, emit:compare("lt", apart,
    emit:cast(emit:inner_constant(LARGEST), "f64")))
  self:demand(right, node.line, "ecs.random of numbers that may give no "
    .. "interval", "give it constants, or let rows take side exits: "
    .. "compile = true")
  return first, emit:binary("add", apart, one)
end

--- ecs.random. The number of draws of the row is a value of the state, so after
-- an if it is selected like a variable, and only draws that happened count. The
-- result stays f64: rounded to f32 it could be 1. With arguments it is a whole
-- number between them.
local function draw(self, node, _, scope)
  if not self.context.system then
    outside(node.line, "ecs.random outside of a system", "use it in the each "
      .. "function of a system, or math.random")
  end
  local emit, first, size = self.emit, nil, nil
  if #node.arguments > 0 then first, size = interval(self, node, scope) end
  local count = self.state.draws
  self.context.draws = true
  self:set("draws", emit:binary("add", count, emit:inner_constant(1)))
  local drawn = emit:op("random", "f64", emit:cast(count, "f64"))
  if not first then return { drawn } end
  drawn = emit:unary("floor", emit:binary("mul", drawn, size))
  return { emit:binary("add", first, drawn) }
end

local function refuse(name, remedy)
  return function(_, node) return outside(node.line, name, remedy) end
end

--- A new table of calls.
function lower_call.calls()
  local calls = {}
  local function known(library, name, call)
    if type(library[name]) == "function" then calls[library[name]] = call end
  end
  for name, operation in safe_pairs {
    abs = "abs", ceil = "ceil", floor = "floor", sqrt = "sqrt", sin = "sin",
    cos = "cos", tan = "tan", asin = "asin", acos = "acos", exp = "exp",
  } do
    known(mathematics, name, unary(operation, "math." .. name))
  end
  known(mathematics, "log", logarithm)
  known(mathematics, "fmod", binary("fmod", "math.fmod"))
  known(mathematics, "pow", binary("pow", "math.pow"))
  known(mathematics, "atan2", binary("atan2", "math.atan2"))
  known(mathematics, "atan", arc)
  known(mathematics, "min", extreme("min", "math.min"))
  known(mathematics, "max", extreme("max", "math.max"))
  known(mathematics, "deg", scaled(180 / pi, "math.deg"))
  known(mathematics, "rad", scaled(pi / 180, "math.rad"))
  known(mathematics, "random", refuse("math.random", "call ecs.random(), which "
    .. "gives a number from 0 up to 1, or ecs.random(n): the same on every run "
    .. "and machine"))
  known(core, "random", draw)
  known({ assert = assert }, "assert", lower_exit.assert)
  for name, operation in safe_pairs {
    sin = "xsin", cos = "xcos", exp = "xexp", log = "xlog", floor = "floor",
    ceil = "ceil",
  } do
    known(portable_math, name, unary(operation, "ecs.math." .. name))
  end
  for name, operation in safe_pairs {
    pow = "xpow", atan2 = "xatan2", mod = "mod", min = "min", max = "max",
  } do
    known(portable_math, name, binary(operation, "ecs.math." .. name))
  end
  lower_bits.add_calls(known)
  known(portable_math, "log10", own_log10)
  known(portable_math, "clamp", own_clamp)
  known(portable_math, "lerp", own_lerp)
  return calls
end

-- Worlds --------------------------------------------------------------------

--- Refuses a method's call with more than most arguments, which would not be
-- computed.
local function limit_count(node, most)
  local count = #node.arguments
  if count <= most then return end
  outside(node.line, (node.object.name or "world") .. ":" .. node.name
    .. " with " .. count .. (count == 1 and " argument" or " arguments"),
    "it takes " .. (most == 0 and "none" or most == 1 and "one"
      or most == 2 and "two" or "three"))
end

--- The same, and refuses a call as the last argument, which may give any number
-- of them.
local function limit(node, most)
  local count = #node.arguments
  local last = node.arguments[count]
  local name = node.object.name or "world"
  limit_count(node, most)
  if last and (last[1] == "call" or last[1] == "method") then
    local value = last.arguments[1]
    if value and value[1] == "table" then parser.refuse_rare(node) end
    outside(node.line, "a call as the last argument of " .. name .. ":"
      .. node.name, "keep its result in a local variable")
  end
end

--- Argument k as a definition: its name and types. Guards it; refuses any other
-- value.
local function definition(self, node, k, scope)
  local argument = node.arguments[k]
  local value = argument and self:value(argument, scope)
  local known = value and value.type == "object"
    and self.context.describe(value.value)
  if not known then
    outside(node.line, "world:" .. node.name .. " without a component",
      "name it as a component or tag that was defined before")
  end
  self.context.captures:guard(value)
  return known
end

local function plain_statement(node, wanted)
  if wanted > 0 then
    outside(node.line, "the result of world:" .. node.name,
      "call it as a statement")
  end
end

local BEHIND = "note it in a local variable, and do it behind the loop"

local methods = {}

--- The first argument as an entity, any one. Refuses any other value.
local function entity_argument(self, node, scope, name)
  local first = node.arguments[1]
  local value = first and self:entity(self:value(first, scope), "id")
  if not value then
    outside(node.line, (name or "world:" .. node.name) .. " of something that "
      .. "is no entity", "give it e, or a field of type entity")
  end
  return value
end

--- Is an entity certainly the one of the row?
local function is_own(self, entity)
  return entity.id == self.emit:value("self", "entity").id
end

function methods.destroy(self, node, wanted, scope)
  plain_statement(node, wanted)
  limit(node, 1)
  local entity = entity_argument(self, node, scope)
  self:refuse_in_loop(node.line, "world:destroy", BEHIND)
  if not is_own(self, entity) then
    return lower_change.destroy(self, node, entity)
  end
  self.emit:effect("destroy", nil, self:mask())
  self:set("doomed", self.emit.yes)
  return {}
end

function methods.add(self, node, wanted, scope)
  plain_statement(node, wanted)
  limit_count(node, 3)
  local entity, part = entity_argument(self, node, scope), node.arguments[2]
  local alone = part and #node.arguments == 2 and part[1] ~= "call"
  local value = alone and self:value(part, scope)
  local known = value and value.type == "object"
    and self.context.describe(value.value)
  if not known or not is_own(self, entity) then
    return lower_change.add(self, node, entity, scope)
  end
  lower_parts.refuse_name(known, node)
  self.context.captures:guard(value)
  self:refuse_in_loop(node.line, "world:add", BEHIND)
  self.emit:effect("add " .. quote(known.name), nil, self:mask())
  return {}
end

function methods.remove(self, node, wanted, scope)
  plain_statement(node, wanted)
  limit(node, 2)
  local entity = entity_argument(self, node, scope)
  local known = definition(self, node, 2, scope)
  lower_parts.refuse_name(known, node)
  if not is_own(self, entity) then
    return lower_change.remove(self, node, entity, known)
  end
  self:refuse_in_loop(node.line, "world:remove", BEHIND)
  self.emit:effect("remove " .. quote(known.name), nil, self:mask())
  return {}
end

function methods.replace(self, node, wanted, scope)
  plain_statement(node, wanted)
  local entity = entity_argument(self, node, scope)
  local gone = definition(self, node, 2, scope)
  lower_parts.refuse_name(gone, node)
  return lower_change.replace(self, node, entity, gone, scope)
end

function methods.set(self, node, wanted, scope)
  plain_statement(node, wanted)
  return lower_change.set(self, node, entity_argument(self, node, scope), scope)
end

function methods.spawn(self, node, wanted, scope)
  return lower_change.spawn(self, node, wanted, scope)
end

function methods.emit(self, node, _, scope)
  return lower_change.emit(self, node, scope)
end

--- The bool: is an entity alive? The operation includes destructions by earlier
-- rows; the state has whether this row destroyed its own entity.
local function alive(self, entity, line)
  local emit, doomed = self.emit, self.state.doomed
  if self.context.destroys_others then
    outside(line, "a question whether an entity is alive, behind the "
      .. "destruction of another", "ask before")
  end
  local there = emit:op("alive", "bool", entity)
  if doomed.constant == false then return there end
  local own = emit:op("eq entity", "bool", entity, emit:value("self", "entity"))
  return emit:both(there, emit:opposite(emit:both(doomed, own)))
end

function methods.alive(self, node, _, scope)
  limit(node, 1)
  return { alive(self, entity_argument(self, node, scope), node.line) }
end

--- The bool: all, and the entity has the component.
local function has(self, all, entity, known)
  local emit = self.emit
  local there = emit:value("has " .. emit:name(entity) .. " "
    .. quote(known.name), "bool")
  there.late = entity.late
  return emit:both(all, there)
end

function methods.has(self, node, _, scope)
  limit(node, huge)
  local emit, entity = self.emit, entity_argument(self, node, scope)
  if #node.arguments < 2 then return { alive(self, entity, node.line) } end
  local all = emit.yes
  for k = 2, #node.arguments do
    all = has(self, all, entity, definition(self, node, k, scope))
  end
  return { all }
end

--- The value of a field of any entity: a maybe, or an entity.
local function look(self, node, entity, known, name)
  local emit = self.emit
  local scalar = known.types[name]
  if known.arrays and known.arrays[name] then
    outside(node.line, "all of " .. known.name .. "." .. name
      .. ", which is an array", "read its elements one by one, as in world:get("
      .. "e, " .. known.name .. ", '" .. name .. "[1]')")
  elseif not scalar then
    outside(node.line, "'" .. name .. "' of " .. known.name
      .. ", which has no such field", "look at its definition")
  end
  self.refuse_held(node.line, known.name, name, scalar)
  local label = emit:name(entity) .. " " .. quote(known.name)
  local value = emit:get(label .. " " .. quote(name), scalar)
  local some = emit:value("has " .. label, "bool")
  value.late, some.late = entity.late, entity.late
  if value.type == "entity" then return value end
  return { type = "maybe", value = value, some = some,
           origin = "world:get of " .. known.name .. "." .. name .. " in line "
             .. node.line }
end

--- Refuses a get that is outside; count: of the component and its fields.
local function check_get(self, node, known, count)
  local sets = self.context.sets
  if sets and sets[known.name] then
    outside(node.line, "world:get of " .. known.name .. " behind world:set of "
      .. "it", "keep the value in a local variable")
  end
  if self.context.writes(known.name) then
    outside(node.line, "world:get of " .. known.name
      .. ", which this system writes", "write another component here, and "
      .. known.name .. " in another system")
  elseif count < 2 then
    outside(node.line, "world:get of a whole component",
      "name the fields: world:get(e, " .. known.name .. ", 'x', 'y')")
  end
end

function methods.get(self, node, wanted, scope)
  local entity = entity_argument(self, node, scope)
  local known = definition(self, node, 2, scope)
  check_get(self, node, known, #node.arguments - 1)
  local values = {}
  for k = 3, max(#node.arguments, wanted + 2) do
    local argument = node.arguments[k]
    if argument and (argument[1] ~= "string" or not argument.value) then
      outside(argument.line, "a field that is not written as a string",
        "write its name in quotes")
    end
    values[#values + 1] = argument
      and look(self, node, entity, known, argument.value) or NIL
  end
  return values
end

-- Prepared closures ---------------------------------------------------------

local instead = {
  set = "a setter", spawn = "a spawner", get = "a getter", has = "a tester",
}

--- The results of a closure of world:getter or tester, called as a function:
-- those of the method. prepared: see prepared_of of specialize.lua. The caller
-- guards the closure, which never changes.
function lower_call.prepared(self, node, wanted, scope, prepared)
  local method, list = prepared[1], prepared[3]
  if not self.context.methods { value = prepared[2] } then
    outside(node.line, instead[method] .. " of another world",
      "make it of the system's world")
  elseif method == "spawn" then
    lower_parts.refuse_children(node, prepared[5])
    return lower_change.spawner(self, node, scope, list, prepared[4])
  elseif method == "set" then
    local entity = entity_argument(self, node, scope, "a setter")
    return lower_change.setter(self, node, entity, scope, list)
  elseif #node.arguments ~= 1 then
    outside(node.line, instead[method] .. " with " .. #node.arguments
      .. " arguments", "it takes one entity")
  end
  local call = { "method", line = node.line, name = method, object = {},
                 arguments = node.arguments }
  limit(call, 1)
  local entity = entity_argument(self, call, scope)
  if method == "has" then
    if #list == 0 then return { alive(self, entity, node.line) } end
    local all = self.emit.yes
    for k = 1, #list do
      all = has(self, all, entity, self.context.describe(list[k]))
    end
    return { all }
  end
  local known = self.context.describe(list[1])
  check_get(self, node, known, #list)
  local values = {}
  for k = 2, max(#list, wanted + 1) do
    values[#values + 1] = list[k] and look(self, node, entity, known, list[k])
      or NIL
  end
  return values
end

local function get_total(_, node)
  return outside(node.line, "world:" .. node.name, "get it outside of the "
    .. "function: local total = world:" .. node.name .. " 'name'")
end

methods.sum, methods.min, methods.max = get_total, get_total, get_total

lower_call.methods = methods

-- Totals ----------------------------------------------------------------------

local totals = {}

--- The reduction of a total, declared at its first use.
local function reduction(self, total)
  local list = self.context.totals
  if not list[total.value] then
    list[#list + 1] = total.value
    list[total.value] = self.emit:reduction(self.context.total_kind(total))
  end
  return list[total.value]
end

function totals.add(self, node, wanted, scope, total)
  if not self.context.system then
    outside(node.line, "add to a total outside of a system",
      "count in a local variable")
  elseif wanted > 0 then
    outside(node.line, "the result of total:add", "call it as a statement")
  elseif #node.arguments < 1 then
    outside(node.line, "total:add without a number", "give it one")
  end
  self:refuse_in_loop(node.line, "total:add", "add up in a local variable, and "
    .. "add that behind the loop")
  local emit = self.emit
  local values = self:list(node.arguments, nil, scope)
  local number = emit:cast(self:number(values[1], node, "total:add"), "f64")
  emit:effect(self.context.total_kind(total) .. " " .. reduction(self, total),
    number, self:mask())
  return {}
end

--- The value of a total before this run; read anew for each run.
function totals.value(self, node, _, _, total)
  limit(node, 0)
  local value = total.value
  return { self.context.captures:plain { type = "object",
    value = core.total_value(value),
    reader = { key = total.reader.key .. ":value()", path = {},
               root = function() return core.total_value(value) end },
  } }
end

lower_call.totals = totals

return lower_call
