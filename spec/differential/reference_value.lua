--- reference_value: the values of expressions, rounded, for reference.lua.
--
-- A value is { text, type, constant }: Lua text, and for a number its type.
-- "f32" and "f64" are the types of compiled programs. A "flex" value is made of
-- constants, upvalues and fields of 8 and 16 bits alone, and takes the type of
-- the other operand.
--
--     state.types     type and constant of each variable at this point
--     state.by_name   the functions that can be called

local catalogue = require "differential.catalogue"
local write = require "differential.write"

local is_jit = rawget(_G, "jit") ~= nil

local State = {}
State.__index = State

function State:fresh(prefix)
  self.count = self.count + 1
  return prefix .. string.format("_%.0f", self.count)
end

-- A value is { text, type, constant }.

local function flex(text, constant)
  return { text = text, type = "flex", constant = constant }
end

--- The text of a value, converted to a type.
local function cast(value, wanted)
  if wanted == "f32" and value.type ~= "f32" then
    return "number.round(" .. value.text .. ")"
  end
  return value.text
end

local function meet(a, b)
  if a == "flex" then return b end
  if b == "flex" or a == b then return a end
  return "f64"
end

--- The result of an operation in a type.
local function rounded(text, type)
  if type == "f32" then text = "number.round(" .. text .. ")" end
  return { text = text, type = type }
end

local folds = {
  ["+"] = function(a, b) return a + b end,
  ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end,
}

local texts = {
  ["%"] = "number.mod(%s, %s)", ["^"] = "number.pow(%s, %s)",
  min = "number.min(%s, %s)", max = "number.max(%s, %s)",
}

local function binary(op, a, b)
  local type = meet(a.type, b.type)
  local form = texts[op] or op:find("^%a") and op .. "(%s, %s)"
    or "(%s " .. op .. " %s)"
  local result = rounded(form:format(cast(a, type), cast(b, type)), type)
  if type == "flex" and a.constant and b.constant and folds[op] then
    result.constant = folds[op](a.constant, b.constant)
  end
  -- A square is a product.
  if type == "flex" and a.constant and op == "^" and b.constant == 2 then
    result.constant = a.constant * a.constant
  end
  return result
end

local number, truth, entity = {}, {}, {}

function State:number(node) return number[node.k](self, node) end
function State:truth(node) return truth[node.k](self, node) end

function State:entity(node)
  return entity[node.k](self, node)
end

function State:values(list)
  local values = {}
  for k, node in ipairs(list) do values[k] = self:number(node) end
  return values
end

-- Numbers --------------------------------------------------------------------

function number.const(_, node)
  return flex(write.number(node.value, true), node.value + 0.0)
end

function number.field(_, node)
  local scalar = catalogue.types[node.row .. "." .. node.name]
  local text = node.row .. "." .. node.name
  if not is_jit and catalogue.is_integer(scalar) then
    text = "(" .. text .. " + 0.0)"
  end
  return { text = text, type = catalogue.loaded(scalar) }
end

function number.var(self, node)
  local known = self.types[node.name]
  return { text = node.name, type = known.type, constant = known.constant }
end

function number.outer(_, node)
  local text = node.name
  if text:sub(1, 1) == "#" then text = "(" .. text .. " + 0.0)" end
  return flex(text)
end

function number.neg(self, node)
  local a = self:number(node.a)
  return { text = "(-(" .. a.text .. "))", type = a.type,
           constant = a.constant and -a.constant }
end

function number.bin(self, node)
  return binary(node.op, self:number(node.a), self:number(node.b))
end

local function constant(value)
  return flex(write.number(value, true), value)
end

local calls = {}

calls["math.atan"] = function(values)
  return binary("number.atan", values[1], values[2] or constant(1))
end

local function extreme(op)
  return function(values)
    local result = values[1]
    for k = 2, #values do result = binary(op, result, values[k]) end
    return result
  end
end
calls["math.min"], calls["ecs.math.min"] = extreme "min", extreme "min"
calls["math.max"], calls["ecs.math.max"] = extreme "max", extreme "max"

calls["math.deg"] = function(values)
  return binary("*", values[1], constant(180 / math.pi))
end
calls["math.rad"] = function(values)
  return binary("*", values[1], constant(math.pi / 180))
end

calls["ecs.math.clamp"] = function(values)
  return binary("min", binary("max", values[1], values[2]), values[3])
end

calls["ecs.math.lerp"] = function(values)
  local a, b, t = values[1], values[2], values[3]
  return binary("+", a, binary("*", binary("-", b, a), t))
end

local names = { ["math.floor"] = "number.floor", ["math.ceil"] = "number.ceil",
                ["math.pow"] = "number.pow" }

function number.call(self, node)
  local values = self:values(node.list)
  local own = calls[node.name]
  if own then return own(values) end
  local name = names[node.name] or node.name
  if values[2] then return binary(name, values[1], values[2]) end
  return rounded(name .. "(" .. values[1].text .. ")", values[1].type)
end

--- value where test holds, else other. Both sides count for the type, also
-- where the test is known.
function number.choice(self, node)
  local test = self:truth(node.test)
  local a, b = self:number(node.a), self:number(node.b)
  local type = meet(a.type, b.type)
  if test.constant ~= nil then
    local chosen = test.constant and a or b
    if chosen.type == type then return chosen end
    return { text = cast(chosen, type), type = type }
  end
  return { text = "(" .. test.text .. " and " .. cast(a, type) .. " or "
    .. cast(b, type) .. ")", type = type }
end

function State.get(self, node, fields)
  local quoted = {}
  for k, name in ipairs(fields) do quoted[k] = ", \"" .. name .. "\"" end
  return "number.float(world:get(" .. self:entity(node.ent) .. ", "
    .. (node.row == "l" and "L" or "V") .. table.concat(quoted) .. "))"
end

function number.getor(self, node)
  local type = catalogue.loaded(catalogue.types[node.row .. "." .. node.name])
  local text, b = State.get(self, node, { node.name }), self:number(node.b)
  local both = meet(type, b.type)
  return { text = "(" .. text .. " or " .. cast(b, both) .. ")", type = both }
end

function number.element(self, node)
  local element = node.name .. "[" .. self:number(node.key).text .. "]"
  local inner = element
  if node.form == "field" then inner = element .. ".x" end
  if node.form == "rows" then
    inner = element .. "[" .. self:number(node.second).text .. "]"
  end
  local b = self:number(node.b)
  local type = meet("flex", b.type)
  return { type = type, text = "(" .. element .. " and " .. inner .. " and "
    .. cast(flex(inner), type) .. " or " .. cast(b, type) .. ")" }
end

function number.fcall(self, node)
  return self:inline(node, 1)[1]
end

-- Truths ---------------------------------------------------------------------

State.cast, State.meet = cast, meet

local function bool(text, known) return { text = text, constant = known } end

function truth.bool(_, node) return bool(tostring(node.value), node.value) end
function truth.outerbool(_, node) return bool(node.name) end

function truth.flagat(self, node)
  return bool("(cfg.flags[" .. self:number(node.key).text .. "] == true)")
end

function truth.var(self, node)
  return bool(node.name, self.types[node.name].constant)
end

function truth.field(self)
  local known = self.types["p.flag"]
  return bool("p.flag", known and known.constant)
end

truth["not"] = function(self, node)
  local a, known = self:truth(node.a), nil
  if a.constant ~= nil then known = not a.constant end
  return bool("not (" .. a.text .. ")", known)
end

truth["and"] = function(self, node)
  local a, b = self:truth(node.a), self:truth(node.b)
  local known
  if a.constant == false or b.constant == false then known = false end
  if a.constant and b.constant then known = true end
  return bool("(" .. a.text .. " and " .. b.text .. ")", known)
end

truth["or"] = function(self, node)
  local a, b = self:truth(node.a), self:truth(node.b)
  local known
  if a.constant or b.constant then known = true end
  if a.constant == false and b.constant == false then known = false end
  return bool("(" .. a.text .. " or " .. b.text .. ")", known)
end

function truth.eqbool(self, node)
  local a, b = self:truth(node.a), self:truth(node.b)
  local known
  if a.constant ~= nil and b.constant ~= nil then
    known = (a.constant == b.constant) == (node.op == "==")
  end
  return bool("(" .. a.text .. " " .. node.op .. " " .. b.text .. ")", known)
end

local comparisons = {
  ["<"] = function(a, b) return a < b end,
  ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end,
  [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end,
  ["~="] = function(a, b) return a ~= b end,
}

function truth.cmp(self, node)
  local a, b = self:number(node.a), self:number(node.b)
  local type, known = meet(a.type, b.type), nil
  if a.constant and b.constant then
    known = comparisons[node.op](a.constant, b.constant)
  end
  return bool("(" .. cast(a, type) .. " " .. node.op .. " " .. cast(b, type)
    .. ")", known)
end

function truth.enteq(self, node)
  return bool("(" .. self:entity(node.a) .. " " .. node.op .. " "
    .. self:entity(node.b) .. ")")
end

function truth.entnil(self, node)
  return bool("(" .. self:entity(node.a) .. " " .. node.op .. " nil)")
end

function truth.enttrue(self, node)
  return bool("(" .. self:entity(node.a) .. " ~= nil)")
end

function truth.alive(self, node)
  return bool("world:alive(" .. self:entity(node.ent) .. ")")
end

function truth.has(self, node)
  return bool("world:has(" .. self:entity(node.ent) .. ", "
    .. table.concat(node.tags, ", ") .. ")")
end

-- Entities: no types, only text ----------------------------------------------

function entity.who() return "p.who" end
function entity.self() return "e" end
function entity.null() return "nil" end
function entity.outerent(_, node) return node.name end
function entity.var(_, node) return node.name end

function entity.getent(self, node)
  return "world:get(" .. self:entity(node.ent) .. ", L, \"to\")"
end

function entity.entchoice(self, node)
  local test = self:truth(node.test)
  if test.constant == false then return self:entity(node.b) end
  return "(" .. test.text .. " and " .. self:entity(node.a) .. " or "
    .. self:entity(node.b) .. ")"
end

return State
