--- write: a generated function as Lua text.
--
-- The "source" is what a user would write, and is compiled: whole constants
-- have no point, and there are no parentheses that Lua does not need. "plain"
-- is the same function to be run by the VM, with every number a float
-- (arithmetic.lua): the reference for precision = "double".
--
-- A chunk takes the outside values by name. It returns the function, and a
-- setter to change its upvalues between runs.

local catalogue = require "differential.catalogue"

local write = {}

local is_jit = rawget(_G, "jit") ~= nil

local definitions = { l = "L", v = "V" }

--- The text of a number that Lua reads back as the same number.
function write.number(value, plain)
  local text = string.format("%.17g", value)
  if plain and not text:find("[%.en]") then text = text .. ".0" end
  return text
end

-- Binding powers: of the operator, and those needed on its left and right.
local powers = {
  ["or"] = { 1, 1, 2 }, ["and"] = { 2, 2, 3 },
  ["<"] = { 3, 3, 4 }, [">"] = { 3, 3, 4 }, ["<="] = { 3, 3, 4 },
  [">="] = { 3, 3, 4 }, ["=="] = { 3, 3, 4 }, ["~="] = { 3, 3, 4 },
  ["+"] = { 5, 5, 6 }, ["-"] = { 5, 5, 6 },
  ["*"] = { 6, 6, 7 }, ["/"] = { 6, 6, 7 }, ["//"] = { 6, 6, 7 },
  ["%"] = { 6, 6, 7 }, ["^"] = { 9, 10, 7 },
}
local UNARY = 7

local expression = {}

--- The text of an expression in a place that needs this binding power.
local function text_of(node, plain, least)
  local text, power = expression[node.k](node, plain)
  if (power or 10) < (least or 0) then return "(" .. text .. ")" end
  return text
end

local function operator(sign, a, b, plain)
  local power = powers[sign]
  return text_of(a, plain, power[2]) .. " " .. sign .. " "
    .. text_of(b, plain, power[3]), power[1]
end

local function list_of(list, plain)
  local texts = {}
  for k, node in ipairs(list) do texts[k] = text_of(node, plain) end
  return table.concat(texts, ", ")
end

function expression.const(node, plain)
  return write.number(node.value, plain)
end

--- The text of arguments. A call at the end gets parentheses: it would give all
-- of its results, but the tree means one.
local function arguments_of(list, plain)
  local text = list_of(list, plain)
  local last = list[#list]
  if last.k ~= "fcall" then return text end
  local call = text_of(last, plain)
  return text:sub(1, #text - #call) .. "(" .. call .. ")"
end

local function is_whole(row, name)
  local scalar = catalogue.types[row .. "." .. name]
  return not is_jit and catalogue.is_integer(scalar)
end

function expression.field(node, plain)
  local text = node.row .. "." .. node.name
  if plain and is_whole(node.row, node.name) then
    return text .. " + 0.0", 5
  end
  return text
end

function expression.var(node) return node.name end
function expression.outer(node, plain)
  local text = node.name
  if text:sub(1, 1) ~= "#" then return text end
  if plain then return text .. " + 0.0", 5 end
  return text, UNARY
end
function expression.outerbool(node) return node.name end
function expression.outerent(node) return node.name end
function expression.bool(node) return tostring(node.value) end
function expression.self() return "e" end
function expression.who() return "p.who" end
function expression.null() return "nil" end

function expression.neg(node, plain)
  local text = text_of(node.a, plain, UNARY)
  -- Two dashes would be a comment.
  if text:sub(1, 1) == "-" then text = "(" .. text .. ")" end
  return "-" .. text, UNARY
end

local plain_operators = { ["%"] = "mod", ["^"] = "pow" }

function expression.bin(node, plain)
  if plain and is_jit and plain_operators[node.op] then
    return "number." .. plain_operators[node.op] .. "("
      .. arguments_of({ node.a, node.b }, plain) .. ")"
  end
  return operator(node.op, node.a, node.b, plain)
end

local plain_calls = {
  ["math.floor"] = "number.floor", ["math.ceil"] = "number.ceil",
  ["math.min"] = "number.min", ["math.max"] = "number.max",
  ["math.atan"] = "number.atan", ["math.pow"] = "number.pow",
}

function expression.call(node, plain)
  local name = node.alias and "sine" or node.name
  if plain then name = plain_calls[node.name] or name end
  return name .. "(" .. arguments_of(node.list, plain) .. ")"
end

function expression.fcall(node, plain)
  return node.f .. "(" .. arguments_of(node.list, plain) .. ")"
end

function expression.choice(node, plain)
  return text_of(node.test, plain, 3) .. " and " .. text_of(node.a, plain, 3)
    .. " or " .. text_of(node.b, plain, 2), 1
end
expression.entchoice = expression.choice

local function get(node, plain, names)
  local quoted = {}
  for k, name in ipairs(names) do quoted[k] = ", \"" .. name .. "\"" end
  local text = "world:get(" .. text_of(node.ent, plain) .. ", "
    .. definitions[node.row] .. table.concat(quoted) .. ")"
  return plain and "number.float(" .. text .. ")" or text
end

function expression.getor(node, plain)
  return get(node, plain, { node.name }) .. " or "
    .. text_of(node.b, plain, 2), 1
end

function expression.element(node, plain)
  local element = node.name .. "[" .. text_of(node.key, plain) .. "]"
  local rest = " or " .. text_of(node.b, plain, 2)
  if node.form == "list" then return element .. rest, 1 end
  local inner = node.form == "field" and ".x"
    or "[" .. text_of(node.second, plain) .. "]"
  return element .. " and " .. element .. inner .. rest, 1
end

function expression.flagat(node, plain)
  return "cfg.flags[" .. text_of(node.key, plain) .. "] == true", 3
end

function expression.getent(node, plain)
  return "world:get(" .. text_of(node.ent, plain) .. ", L, \"to\")"
end

expression["and"] = function(node, plain)
  return operator("and", node.a, node.b, plain)
end
expression["or"] = function(node, plain)
  return operator("or", node.a, node.b, plain)
end
expression["not"] = function(node, plain)
  return "not " .. text_of(node.a, plain, UNARY), UNARY
end
function expression.cmp(node, plain)
  return operator(node.op, node.a, node.b, plain)
end
expression.enteq, expression.eqbool = expression.cmp, expression.cmp

function expression.entnil(node, plain)
  return text_of(node.a, plain, 3) .. " " .. node.op .. " nil", 3
end

--- An entity as a boolean; without `not not` it would stay an entity.
function expression.enttrue(node, plain)
  return "not not " .. text_of(node.a, plain, UNARY), UNARY
end

function expression.alive(node, plain)
  return "world:alive(" .. text_of(node.ent, plain) .. ")"
end

function expression.has(node, plain)
  return "world:has(" .. text_of(node.ent, plain) .. ", "
    .. table.concat(node.tags, ", ") .. ")"
end

-- Statements -----------------------------------------------------------------

local statement = {}

local function block(lines, list, plain)
  for _, node in ipairs(list) do statement[node.k](lines, node, plain) end
end

local function add(lines, ...) lines[#lines + 1] = table.concat { ... } end

statement["local"] = function(lines, node, plain)
  add(lines, "local ", table.concat(node.names, ", "), " = ",
    list_of(node.values, plain))
end

function statement.late(lines, node, plain)
  add(lines, "local ", node.name)
  add(lines, "if ", text_of(node.test, plain), " then ", node.name, " = ",
    text_of(node.a, plain), " else ", node.name, " = ",
    text_of(node.b, plain), " end")
end

function statement.assign(lines, node, plain)
  local targets = {}
  for k, target in ipairs(node.targets) do targets[k] = text_of(target) end
  add(lines, table.concat(targets, ", "), " = ", list_of(node.values, plain))
end

local function finish(lines, other, plain)
  if other then
    add(lines, "else")
    block(lines, other, plain)
  end
  add(lines, "end")
end

statement["if"] = function(lines, node, plain)
  for k, test in ipairs(node.tests) do
    local text = test.k == "enttrue" and text_of(test.a, plain)
      or text_of(test, plain)
    add(lines, k == 1 and "if " or "elseif ", text, " then")
    block(lines, node.bodies[k], plain)
  end
  finish(lines, node.other, plain)
end

statement["for"] = function(lines, node, plain)
  add(lines, "for ", node.name, " = ", write.number(node.first, plain), ", ",
    write.number(node.last, plain),
    node.step and ", " .. write.number(node.step, plain) or "", " do")
  block(lines, node.body, plain)
  add(lines, "end")
end

function statement.turns(lines, node, plain)
  local name, test = node.name, text_of(node.test, plain)
  local least, most = write.number(node.least, plain),
    write.number(node.most, plain)
  if node.form == "near" then
    add(lines, "for _, ", name, "_row in near:within(", text_of(node.x, plain),
      ", (", text_of(node.y, plain), "), ", write.number(node.radius, plain),
      ") do")
    add(lines, "local ", name, " = ", name, "_row.", node.field[1],
      plain and catalogue.is_integer(node.field[2]) and " + 0.0" or "")
  elseif node.form == "for" then
    add(lines, "for ", name, " = ", write.number(1, plain), ", (", test,
      ") and ", most, " or ", least, " do")
  elseif node.form == "while" then
    add(lines, "local ", name, " = ", write.number(0, plain))
    add(lines, "while ", name, " < ", most, " and (", test, ") do")
  else
    add(lines, "local ", name, " = ", write.number(0, plain))
    add(lines, "repeat")
  end
  if node.form == "while" or node.form == "repeat" then
    add(lines, name, " = ", name, " + ", write.number(1, plain))
  end
  block(lines, node.body, plain)
  add(lines, node.form == "repeat"
    and "until " .. name .. " > " .. least .. " or (" .. test .. ")" or "end")
end

function statement.leave(lines, node, plain)
  add(lines, "if ", text_of(node.test, plain), " then break end")
end

function statement.lookup(lines, node, plain)
  add(lines, "local ", table.concat(node.names, ", "), " = ",
    get(node, plain, node.fields))
  add(lines, "if ", node.names[1], " then")
  block(lines, node.body, plain)
  finish(lines, node.other, plain)
end

local forms = { ["then"] = "if o then", ["nil"] = "if o ~= nil then" }

function statement.opt(lines, node, plain)
  if node.form == "return" then
    return add(lines, "if not o then return end")
  end
  add(lines, forms[node.form] or "if o and "
    .. text_of(node.test, plain, 3) .. " then")
  block(lines, node.body, plain)
  finish(lines, node.other, plain)
end

function statement.change(lines, node)
  add(lines, "world:", node.op, "(e",
    node.op ~= "destroy" and ", " .. node.what or "", ")")
end

statement["return"] = function(lines, node, plain)
  add(lines, "return ", list_of(node.values, plain))
end

statement["do"] = function(lines, node, plain)
  add(lines, "do")
  block(lines, node.body, plain)
  add(lines, "end")
end

-- Chunks ---------------------------------------------------------------------

--- The arguments of every chunk, in this order.
write.given = "ecs, world, T, S, L, V, O, cfg, number, near"

--- The parameters of the function.
function write.parameters(made)
  return "p, " .. (made.shape.r and "r, " or "") .. "v, "
    .. (made.shape.o and "o, " or "") .. "dt, e"
end

--- A chunk around the lines of the called functions and of the function.
function write.chunk(made, functions, lines)
  return "local " .. write.given .. " = ...\n"
    .. "local u1, u2, b1, b2, w1\nlocal sine, lib = math.sin, {}\n"
    .. table.concat(functions, "\n") .. "\nreturn function("
    .. write.parameters(made) .. ")\n" .. table.concat(lines, "\n")
    .. "\nend, function(a, b, c, d, f) u1, u2, b1, b2, w1 = a, b, c, d, f end, "
    .. "function() return u1, u2, b1, b2, w1, cfg, number, sine, lib end\n"
end

--- The text of the whole chunk; plain: as described above.
function write.text(made, plain)
  local functions, lines = {}, {}
  for _, f in ipairs(made.functions) do
    add(functions, f.name:find(".", 1, true) and "function " or
      "local function ", f.name, "(", table.concat(f.parameters, ", "), ")")
    block(functions, f.body, plain)
    add(functions, "end")
  end
  block(lines, made.body, plain)
  return write.chunk(made, functions, lines)
end

return write
