--- catalogue: the parts of generated functions, and how often each must occur.
--
-- rows has the parameters and their fields; calls has the functions of numbers
-- that can be compiled. Each part of a generated function has a name, under
-- which the driver counts it: an operator "op +", a type "field i8", a call
-- "call math.sin", a construct "if", an input "value nan", a size "rows 0". A
-- part that occurs less often than catalogue.least demands fails the run, so no
-- part can drop out of the test unnoticed.

local catalogue = {}

local is_jit = rawget(_G, "jit") ~= nil

--- The terms, in the order of parameters. The field who holds an entity.
catalogue.rows = {
  p = { { "a", "f32" }, { "b", "f32" }, { "c", "f64" }, { "i", "i32" },
        { "u", "u32" }, { "s", "i16" }, { "w", "u16" }, { "n", "u8" },
        { "m", "i8" }, { "flag", "bool" }, { "who", "entity" } },
  r = { { "r", "f32" }, { "g", "f64" }, { "k", "i16" } },
  v = { { "x", "f32" }, { "y", "f32" }, { "d", "f64" }, { "k", "i8" } },
  o = { { "x", "f32" }, { "d", "f64" }, { "n", "u8" } },
}

--- The components that are read through entities: l only so, v also as a row.
catalogue.looked = {
  l = { { "x", "f32" }, { "d", "f64" }, { "i", "i16" }, { "u", "u32" },
        { "to", "entity" } },
  v = catalogue.rows.v,
}

--- Fields of p of which few are greater than a number.
catalogue.rare = { { "a", 30 }, { "b", 30 }, { "c", 30 }, { "i", 1e9 },
                   { "u", 2e9 }, { "s", 15000 }, { "w", 36000 }, { "n", 150 },
                   { "m", 70 } }

local loaded = { f32 = "f32", i8 = "flex", u8 = "flex", i16 = "flex",
                 u16 = "flex" }

--- The type of a field in computations; flex: that of the other operand.
function catalogue.loaded(scalar)
  return loaded[scalar] or "f64"
end

function catalogue.is_number(scalar)
  return scalar ~= "bool" and scalar ~= "entity"
end

function catalogue.is_integer(scalar)
  return scalar ~= "f32" and scalar ~= "f64" and catalogue.is_number(scalar)
end

--- The type of each field by row and name.
catalogue.types = {}
for _, group in ipairs { catalogue.rows, catalogue.looked } do
  for _, row in ipairs { "p", "r", "v", "o", "l" } do
    for _, field in ipairs(group[row] or {}) do
      catalogue.types[row .. "." .. field[1]] = field[2]
    end
  end
end

catalogue.operators = { "+", "-", "*", "/", "//", "%", "^" }
catalogue.comparisons = { "<", "<=", ">", ">=", "==", "~=" }

--- Name, least and greatest number of arguments.
catalogue.calls = {
  { "math.abs", 1, 1 }, { "math.floor", 1, 1 }, { "math.ceil", 1, 1 },
  { "math.sqrt", 1, 1 }, { "math.sin", 1, 1 }, { "math.cos", 1, 1 },
  { "math.tan", 1, 1 }, { "math.asin", 1, 1 }, { "math.acos", 1, 1 },
  { "math.atan", 1, 2 }, { "math.exp", 1, 1 }, { "math.log", 1, 1 },
  { "math.fmod", 2, 2 }, { "math.min", 1, 3 }, { "math.max", 1, 3 },
  { "math.deg", 1, 1 }, { "math.rad", 1, 1 },
  { "ecs.math.sin", 1, 1 }, { "ecs.math.cos", 1, 1 },
  { "ecs.math.exp", 1, 1 }, { "ecs.math.log", 1, 1 },
  { "ecs.math.log10", 1, 1 }, { "ecs.math.floor", 1, 1 },
  { "ecs.math.ceil", 1, 1 }, { "ecs.math.pow", 2, 2 },
  { "ecs.math.atan2", 2, 2 }, { "ecs.math.mod", 2, 2 },
  { "ecs.math.min", 2, 2 }, { "ecs.math.max", 2, 2 },
  { "ecs.math.clamp", 3, 3 }, { "ecs.math.lerp", 3, 3 },
}
for _, name in ipairs { "math.pow", "math.atan2" } do
  if type(rawget(math, name:sub(6))) == "function" then
    table.insert(catalogue.calls, { name, 2, 2 })
  end
end

-- LuaJIT has no operator //.
if is_jit then table.remove(catalogue.operators, 5) end

local constructs = {
  "neg", "constant", "dt", "math.pi", "math.huge", "number upvalue",
  "boolean upvalue", "entity upvalue", "table upvalue", "nested table upvalue",
  "table boolean upvalue", "table element", "field of table element",
  "element of table of rows", "boolean table element", "table length",
  "element at a constant", "local alias", "and or", "get or", "call function",
  "call function of table", "several results", "nested call",
  "and", "or", "not", "true", "false", "bool comparison", "boolean variable",
  "self", "entity comparison", "entity nil test", "entity and or",
  "entity truth", "has", "has two", "alive", "get entity", "optional test",
  "optional nil test", "optional early return", "optional and",
  "local", "late local", "local bool", "local entity", "assign variable",
  "assign field", "multiple assignment", "assign bool", "assign entity",
  "if", "else", "elseif", "nested if", "early return", "for", "for down",
  "return in for", "turns for", "turns while", "turns repeat", "turns near",
  "leave", "do", "rare if",
  "lookup", "lookup else", "add", "remove", "replace",
  "destroy",
  "optional term", "gathered term", "optional and gathered term",
}

local values = { "nan", "inf", "-inf", "denormal", "-0", "0", "least integer",
                 "largest integer" }
local sizes = { "0", "1 to 16", "17 to 70", "1023 to 1025" }

--- The names of all parts that are counted, in the order of printing.
catalogue.names = {}
local function list(prefix, names)
  for _, name in ipairs(names) do
    local text = type(name) == "table" and name[1] or name
    table.insert(catalogue.names, prefix .. text)
  end
end
list("op ", catalogue.operators)
list("op ", catalogue.comparisons)
list("field ", { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "bool",
                 "entity" })
list("store ", { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "bool",
                 "entity" })
list("call ", catalogue.calls)
list("", constructs)
list("value ", values)
list("rows ", sizes)
list("by ", { "query:each", "a system alone" })

--- How often each part must occur among a number of functions.
function catalogue.least(functions)
  return math.floor(functions / 250)
end

return catalogue
