--- generate: makes random functions of the subset, as trees.
--
--     { seed, shape = { r = bool, o = bool },
--       functions = { { name, parameters, body, results, method } },
--       body = { statements } }
--
-- A node is a table with its kind in k; expressions have their type in t: "num",
-- "bool" or "ent". write.lua says how each looks in Lua. The tree is the
-- generator's own: the compiler's parser never sees it, nor this the parser's.
--
-- Precision makes one rule necessary. Which type a variable has after a branch
-- depends on which branches there are, and the compiler leaves out one whose
-- condition is settled by an outer condition. So that reference.lua need not know
-- everything the compiler can prove, a condition is never built from what an
-- earlier condition was built from: each comparison in one has a constant of its
-- own, and flags, tags and the like are used up (self.used).

local catalogue = require "differential.catalogue"
local entries = require "model_lua.entries"

local generate = {}
local Maker = {}
Maker.__index = Maker

local DEPTH = 2

-- Drawing ---------------------------------------------------------------------

--- Numbers in [0, 1), the same on every VM.
function generate.random(seed)
  local state = (seed * 7919 + 104729) % 2147483647
  if state == 0 then state = 1 end
  return function()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
end

function Maker:chance(p) return self.random() < p end

--- A whole number from 1 to n.
function Maker:pick(n) return math.floor(self.random() * n) + 1 end

function Maker:one(list) return list[self:pick(#list)] end

--- One of { weight, method } pairs.
function Maker:weighted(list)
  local total = 0
  for _, entry in ipairs(list) do total = total + entry[1] end
  local at = self.random() * total
  for _, entry in ipairs(list) do
    at = at - entry[1]
    if at < 0 then return entry[2] end
  end
  return list[1][2]
end

function Maker:name(prefix)
  self.names = self.names + 1
  return prefix .. string.format("%.0f", self.names)
end

-- Scopes ----------------------------------------------------------------------

--- Runs make in a scope of its own: variables made there end with it.
function Maker:scoped(make)
  local outer = self.scope
  self.scope = {}
  for kind, list in entries(outer) do
    local copy = {}
    for k, name in ipairs(list) do copy[k] = name end
    self.scope[kind] = copy
  end
  local made = make()
  self.scope = outer
  return made
end

function Maker:declare(kind, name)
  table.insert(self.scope[kind], name)
  return name
end

-- Numbers ---------------------------------------------------------------------

local edges = {
  0, 1, 2, 3, 0.5, 0.1, 0.25, 10, 100, 127, 128, 255, 256, 32767, 65535, 65536,
  16777216, 16777217, 2147483647, 2147483648, 4294967295, 4294967296, 1e-3,
  1e10, 1e-40, 1e38, 3.5e38, 1e-46, 1e300, 5e-324, 0.30000001192092896,
  1.0000000596046448, 1 / 3,
}

local function constant(value) return { k = "const", t = "num", value = value } end

--- A constant with as many digits as there are.
function Maker:fine()
  local value = self.random() + self.random() / 2147483648
  return constant(value * self:one { 0.01, 1, 1, 10, 1000 })
end

function Maker:leaf_constant()
  local node = self:chance(0.5) and constant(self:one(edges)) or self:fine()
  if self:chance(0.25) then return { k = "neg", t = "num", a = node } end
  return node
end

--- A field of a row that may be read here.
function Maker:leaf_field()
  if #self.scope.rows == 0 then return self:leaf_variable() end
  local row = self:one(self.scope.rows)
  local field
  repeat field = self:one(catalogue.rows[row])
  until catalogue.is_number(field[2])
  return { k = "field", t = "num", row = row, name = field[1] }
end

function Maker:leaf_variable()
  if #self.scope.numbers == 0 then return self:leaf_constant() end
  return { k = "var", t = "num", name = self:one(self.scope.numbers) }
end

function Maker:leaf_outer()
  local list = { "u1", "u2", "cfg.a", "cfg.deep.b", "math.pi", "math.huge" }
  if #self.scope.rows > 0 then list[#list + 1] = "dt" end
  return { k = "outer", t = "num", name = self:one(list) }
end

local leaves = { { 45, "leaf_field" }, { 18, "leaf_constant" },
                 { 27, "leaf_variable" }, { 10, "leaf_outer" } }

function Maker:binary(depth)
  return { k = "bin", t = "num", op = self:one(catalogue.operators),
           a = self:number(depth - 1), b = self:number(depth - 1) }
end

--- A square: written often, and an operation of its own.
function Maker:square(depth)
  return { k = "bin", t = "num", op = "^", a = self:number(depth - 1),
           b = constant(self:one { 2, 2, 0.5, 3, -1 }) }
end

function Maker:negative(depth)
  return { k = "neg", t = "num", a = self:number(depth - 1) }
end

function Maker:call(depth)
  local known, list = self:one(catalogue.calls), {}
  local count = known[2] + self:pick(known[3] - known[2] + 1) - 1
  for k = 1, count do list[k] = self:number(depth - 1) end
  return { k = "call", t = "num", name = known[1], list = list,
           alias = known[1] == "math.sin" and self:chance(0.3) }
end

function Maker:choice(depth)
  local test = self:condition(1)
  return { k = "choice", t = "num", test = test, a = self:number(depth - 1),
           b = self:number(depth - 1) }
end

function Maker:get_or(depth)
  if #self.scope.rows == 0 then return self:call(depth) end
  local row = self:one { "l", "v" }
  if not self:use { "has " .. row } then return self:call(depth) end
  local field
  repeat field = self:one(catalogue.looked[row])
  until catalogue.is_number(field[2])
  return { k = "getor", t = "num", ent = self:entity(0), row = row,
           name = field[1], b = self:number(depth - 1) }
end

--- A call of a function that was written before; its first result.
function Maker:call_function(depth)
  local f = not self.no_calls and #self.functions > 0
    and self:one(self.functions)
  if not f then return self:call(depth) end
  local list = {}
  for k = 1, #f.parameters do list[k] = self:number(depth - 1) end
  return { k = "fcall", t = "num", f = f.name, list = list }
end

local operations = { { 42, "binary" }, { 6, "square" }, { 6, "negative" },
                     { 30, "call" }, { 7, "choice" }, { 3, "get_or" },
                     { 6, "call_function" } }

function Maker:number(depth)
  if depth <= 0 or self:chance(0.25) then
    return self[self:weighted(leaves)](self)
  end
  return self[self:weighted(operations)](self, depth)
end

-- Truths ----------------------------------------------------------------------

--- May this be part of a condition? Uses it up. keys: a list.
function Maker:use(keys)
  for _, key in ipairs(keys) do
    if self.used[key] or not self.sound[key] and self.sound[key] ~= nil then
      return false
    end
  end
  for _, key in ipairs(keys) do self.used[key] = true end
  return true
end

--- What stands behind a name: itself and what it was made of.
function Maker:behind(key)
  local keys = { key }
  for _, other in ipairs(self.made_of[key] or {}) do keys[#keys + 1] = other end
  return keys
end

--- Notes that a variable or field was made of what was collected. Where a key
-- comes twice, a condition could be settled by itself: that is not sound.
function Maker:made(key, collected)
  local list, seen = {}, {}
  local function note(other)
    if seen[other] then self.sound[key] = false end
    if not seen[other] then list[#list + 1] = other end
    seen[other] = true
  end
  for _, other in ipairs(self.made_of[key] or {}) do note(other) end
  for _, other in ipairs(collected) do
    note(other)
    if self.sound[other] == false then self.sound[key] = false end
    for _, more in ipairs(other ~= key and self.made_of[other] or {}) do
      note(more)
    end
  end
  self.made_of[key] = list
end

--- Something that is true or false by itself, and its key; or nil.
function Maker:atom()
  local kind = self:pick(9)
  if kind == 1 then
    local name = self:one { "b1", "b2", "cfg.flag" }
    return { k = "outerbool", t = "bool", name = name }, name
  elseif kind == 2 and #self.scope.bools > 0 then
    local name = self:one(self.scope.bools)
    return { k = "var", t = "bool", name = name }, name
  elseif #self.scope.rows == 0 then
    return nil
  elseif kind == 3 then
    return { k = "field", t = "bool", row = "p", name = "flag" }, "p.flag"
  elseif kind == 4 and not self.destroys then
    self.asks = true
    local ent = self:entity(0)
    return { k = "alive", t = "bool", ent = ent }, "alive"
  elseif kind == 5 or kind == 6 then
    local tags = { self:one { "T", "S", "L", "V", "O" } }
    if self:chance(0.3) then tags[2] = self:one { "T", "S", "L" } end
    local node = { k = "has", t = "bool", ent = self:entity(0), tags = tags }
    for _, tag in ipairs(tags) do
      if not self:use { "has " .. tag:lower() } then return nil end
    end
    return node, self:name "has"
  elseif kind == 7 then
    return { k = "enteq", t = "bool", op = self:one { "==", "~=" },
             a = self:entity(0), b = self:entity(1) }, "entity"
  elseif kind == 8 then
    return { k = "entnil", t = "bool", op = self:one { "==", "~=" },
             a = self:some_entity() }, "entity nil"
  end
  return { k = "enttrue", t = "bool", a = self:some_entity() }, "entity nil"
end

--- A comparison that stands in no other condition.
function Maker:comparison(depth)
  local a, b = self:number(depth), self:fine()
  if self:chance(0.4) then
    b = { k = "bin", t = "num", op = self:one { "+", "-", "*" },
          a = self:number(depth - 1), b = b }
  end
  local op = self:one(catalogue.comparisons)
  if self:chance(0.35) then
    local field, edge = self:leaf_field(), constant(self:one(edges))
    local key = (field.row or "") .. (field.name or "constant") .. edge.value
    if self:use { key } then a, b = field, edge end
  end
  if self:chance(0.5) then a, b = b, a end
  return { k = "cmp", t = "bool", op = op, a = a, b = b }
end

--- A condition: nothing in it was in one before.
function Maker:condition(depth)
  if depth > 0 and self:chance(0.3) then
    if self:chance(0.3) then
      return { k = "not", t = "bool", a = self:condition(depth - 1) }
    end
    return { k = self:one { "and", "or" }, t = "bool",
             a = self:condition(depth - 1), b = self:condition(depth - 1) }
  end
  if self:chance(0.4) then
    local atom, key = self:atom()
    if atom and self:use(self:behind(key)) then return atom end
  end
  return self:comparison(1)
end

--- Any boolean, to be kept. collected: the keys of what is in it.
function Maker:boolean(depth, collected)
  if depth > 0 and self:chance(0.4) then
    local kind = self:one { "and", "or", "not", "eqbool" }
    local a = self:boolean(depth - 1, collected)
    if kind == "not" then return { k = "not", t = "bool", a = a } end
    return { k = kind, t = "bool", op = self:one { "==", "~=" }, a = a,
             b = self:boolean(depth - 1, collected) }
  end
  if self:chance(0.1) then
    return { k = "bool", t = "bool", value = self:chance(0.5) }
  end
  if self:chance(0.5) then
    local atom, key = self:atom()
    if atom then
      collected[#collected + 1] = key
      return atom
    end
  end
  return self:comparison(1)
end

-- Entities --------------------------------------------------------------------

function Maker:entity(depth)
  local kind = self:pick(depth > 0 and 8 or 6)
  if kind <= 2 then return { k = "who", t = "ent" } end
  if kind == 3 then return { k = "self", t = "ent" } end
  if kind == 4 then return { k = "outerent", t = "ent", name = "w1" } end
  if kind == 5 and #self.scope.entities > 0 then
    return { k = "var", t = "ent", name = self:one(self.scope.entities) }
  elseif kind <= 6 then
    return { k = "who", t = "ent" }
  elseif kind == 7 then
    return { k = "getent", t = "ent", ent = self:entity(0) }
  end
  return { k = "entchoice", t = "ent", test = self:condition(0),
           a = self:entity(0), b = self:some_entity() }
end

--- One from a field, or e: an upvalue is known not to be nil.
function Maker:some_entity()
  local kind = self:pick(4)
  if kind == 1 then return { k = "self", t = "ent" } end
  if kind == 2 and #self.scope.entities > 0 then
    return { k = "var", t = "ent", name = self:one(self.scope.entities) }
  end
  return { k = "who", t = "ent" }
end

-- Statements ------------------------------------------------------------------

local statements = {}

function statements:locals()
  local names, values = {}, {}
  for k = 1, self:chance(0.25) and 2 or 1 do
    values[k], names[k] = self:number(DEPTH), self:name "x"
  end
  for _, name in ipairs(names) do self:declare("numbers", name) end
  return { k = "local", names = names, values = values }
end

function statements:late()
  local node = { k = "late", test = self:condition(1), name = self:name "x",
                 a = self:number(2), b = self:number(2) }
  self:declare("numbers", node.name)
  return node
end

function statements:local_bool()
  local collected = {}
  local value, name = self:boolean(2, collected), self:name "t"
  self:made(name, collected)
  self:declare("bools", name)
  return { k = "local", names = { name }, values = { value } }
end

function statements:local_entity()
  local value, name = self:entity(1), self:name "q"
  if value.k ~= "outerent" then self:declare("entities", name) end
  return { k = "local", names = { name }, values = { value } }
end

--- A number field that may be written, or a variable.
function Maker:target()
  if #self.scope.numbers > 0 and (#self.scope.rows == 0 or self:chance(0.3))
  then
    return { k = "var", t = "num", name = self:one(self.scope.numbers) }
  end
  local row
  repeat row = self:one(self.scope.rows) until row ~= "v"
  local field
  repeat field = self:one(catalogue.rows[row])
  until catalogue.is_number(field[2])
  return { k = "field", t = "num", row = row, name = field[1] }
end

local function key_of(target)
  return (target.row or "") .. "." .. target.name
end

function statements:assign()
  if #self.scope.rows == 0 and #self.scope.numbers == 0 then
    return statements.locals(self)
  end
  local targets, values, seen = {}, {}, {}
  for _ = 1, self:chance(0.25) and self:pick(2) + 1 or 1 do
    local target = self:target()
    if not seen[key_of(target)] then
      seen[key_of(target)] = true
      targets[#targets + 1] = target
      values[#values + 1] = self:number(DEPTH)
    end
  end
  return { k = "assign", targets = targets, values = values }
end

function statements:assign_bool()
  local target = { k = "field", t = "bool", row = "p", name = "flag" }
  if #self.scope.rows == 0 or #self.scope.bools > 0 and self:chance(0.4) then
    if #self.scope.bools == 0 then return statements.local_bool(self) end
    target = { k = "var", t = "bool", name = self:one(self.scope.bools) }
  end
  local collected = {}
  local value = self:boolean(2, collected)
  self:made(target.row and "p.flag" or target.name, collected)
  return { k = "assign", targets = { target }, values = { value } }
end

function statements:assign_entity()
  local value = self:chance(0.2) and { k = "null", t = "ent" }
    or self:entity(1)
  return { k = "assign", values = { value },
           targets = { { k = "who", t = "ent" } } }
end

--- A block in a scope of its own; last is put at its end.
function Maker:block(least, most, last)
  return self:scoped(function()
    local list = {}
    for k = 1, least + self:pick(most - least + 1) - 1 do
      list[k] = self:statement()
    end
    if last then list[#list + 1] = last() end
    return list
  end)
end

function Maker:ending()
  if not self.looping and self:chance(self.results and 0.4 or 0.2) then
    return function() return self:result() end
  end
  return nil
end

function statements:branch()
  if self.nesting >= 3 then return statements.assign(self) end
  self.nesting = self.nesting + 1
  local node = { k = "if", tests = {}, bodies = {} }
  for k = 1, self:chance(0.25) and 2 or 1 do
    node.tests[k] = self:condition(2)
    node.bodies[k] = self:block(1, 2, self:ending())
  end
  if self:chance(0.5) then node.other = self:block(1, 2) end
  self.nesting = self.nesting - 1
  return node
end

function statements:loop()
  if self.nesting >= 2 then return statements.assign(self) end
  self.nesting = self.nesting + 2
  self.looping = true
  local bounds = self:one { { 1, 2 }, { 1, 3 }, { 0, 1 }, { 3, 1, -1 },
                            { 1, 0 }, { 0.5, 1, 0.25 } }
  local node = { k = "for", name = self:name "i", first = bounds[1],
                 last = bounds[2], step = bounds[3] }
  node.body = self:scoped(function()
    self:declare("fixed", node.name)
    local list = self:block(1, 2)
    local target = self:target()
    list[#list + 1] = { k = "assign", targets = { target }, values = {
      { k = "bin", t = "num", op = self:one { "+", "*", "-" },
        a = target, b = { k = "var", t = "num", name = node.name } } } }
    if self:chance(0.3) then
      -- Each turn has a condition of its own.
      local turn = { k = "bin", t = "num", op = "+", b = self:fine(),
                     a = { k = "var", t = "num", name = node.name } }
      list[#list + 1] = { k = "if", bodies = { { self:result() } }, tests = {
        { k = "cmp", t = "bool", op = self:one(catalogue.comparisons),
          a = self:leaf_field(), b = turn } } }
    end
    return list
  end)
  self.looping = false
  self.nesting = self.nesting - 2
  return node
end

function statements:lookup()
  if self.nesting >= 3 then return statements.assign(self) end
  local row = self:one { "l", "v" }
  if not self:use { "has " .. row } then return statements.assign(self) end
  self.nesting = self.nesting + 1
  local fields = row == "l" and { "x", "d", "i", "u" }
    or { "x", "y", "d", "k" }
  local node = { k = "lookup", ent = self:entity(1), row = row,
                 names = { self:name "x" }, fields = { self:one(fields) } }
  if self:chance(0.6) then
    node.names[2], node.fields[2] = self:name "x", self:one(fields)
  end
  node.body = self:scoped(function()
    for _, name in ipairs(node.names) do self:declare("numbers", name) end
    return self:block(1, 3)
  end)
  if self:chance(0.5) then node.other = self:block(1, 1) end
  self.nesting = self.nesting - 1
  return node
end

--- The optional row, once: in a branch, or for all that follows.
function statements:optional()
  if not self.shape.o or not self:use { "o" } then
    return statements.assign(self)
  end
  local node = { k = "opt", form = self:one { "then", "nil", "and", "return" } }
  if node.form == "return" and self.top then
    self:declare("rows", "o")
    return node
  elseif node.form == "return" then
    node.form = "then"
  end
  self.nesting = self.nesting + 1
  self:scoped(function()
    self:declare("rows", "o")
    -- reference.lua puts calls before the statement, where o may be nil.
    self.no_calls = true
    if node.form == "and" then node.test = self:condition(1) end
    self.no_calls = false
    node.body = self:block(1, 3)
  end)
  if self:chance(0.4) then node.other = self:block(1, 2) end
  self.nesting = self.nesting - 1
  return node
end

function statements:structure()
  local op = self:one { "add", "add", "remove", "remove", "destroy" }
  if op == "destroy" and self.asks then op = "add" end
  if op == "destroy" then self.destroys = true end
  local what = self:one { "T", "S", "L" }
  if op == "remove" then what = self:one { "T", "S", "L", "O", "V" } end
  local node = { k = "change", op = op, what = what }
  if self.nesting == 0 then
    return { k = "if", tests = { self:condition(1) }, bodies = { { node } } }
  end
  return node
end

--- All results of a function, into variables or fields.
function statements:results()
  local call = self:call_function(2)
  local f = call.k == "fcall" and self.by_name[call.f]
  if not f or f.results < 2 then return statements.assign(self) end
  local count = self:pick(f.results)
  if self:chance(0.5) then
    local names = {}
    for k = 1, count do names[k] = self:name "x" end
    for _, name in ipairs(names) do self:declare("numbers", name) end
    return { k = "local", names = names, values = { call } }
  end
  local targets, seen = {}, {}
  for _ = 1, count do
    local target = self:target()
    if not seen[key_of(target)] then targets[#targets + 1] = target end
    seen[key_of(target)] = true
  end
  return { k = "assign", targets = targets, values = { call } }
end

function statements:enclosed()
  return { k = "do", body = self:block(1, 2) }
end

local inner = { { 25, "locals" }, { 8, "late" }, { 6, "local_bool" },
                { 25, "assign" }, { 14, "branch" }, { 6, "results" } }
local outer = { { 22, "locals" }, { 5, "late" }, { 5, "local_bool" },
                { 3, "local_entity" }, { 34, "assign" }, { 4, "assign_bool" },
                { 4, "assign_entity" }, { 16, "branch" }, { 5, "loop" },
                { 5, "lookup" }, { 6, "optional" }, { 3, "structure" },
                { 5, "results" }, { 2, "enclosed" } }

function Maker:statement()
  local list = self.results and inner or outer
  return statements[self:weighted(list)](self)
end

--- return, with as many values as the function has results.
function Maker:result()
  local node = { k = "return", values = {} }
  for k = 1, self.results or 0 do node.values[k] = self:number(2) end
  return node
end

-- Functions -------------------------------------------------------------------

local function empty_scope()
  return { numbers = {}, fixed = {}, bools = {}, entities = {}, rows = {} }
end

function Maker:make_function(k)
  local f = { name = k == 2 and "lib.f2" or "f" .. string.format("%.0f", k),
              results = self:pick(3), parameters = {} }
  self.scope, self.results, self.nesting = empty_scope(), f.results, 1
  for j = 1, self:pick(2) do
    f.parameters[j] = self:declare("numbers", self:name "a")
  end
  f.body = self:block(0, 2, function() return self:result() end)
  self.functions[#self.functions + 1] = f
  self.by_name[f.name] = f
end

--- The function of a seed.
function generate.make(seed)
  local self = setmetatable({ random = generate.random(seed), names = 0,
    used = {}, sound = {}, made_of = {}, functions = {}, by_name = {} }, Maker)
  self.shape = { r = self:chance(0.25), o = self:chance(0.5) }
  for k = 1, self:chance(0.35) and self:pick(3) or 0 do
    self:make_function(k)
  end
  self.scope, self.results, self.nesting = empty_scope(), nil, 0
  self.scope.rows = { "p", "p", "v" }
  if self.shape.r then table.insert(self.scope.rows, "r") end
  local body = {}
  for k = 1, self:pick(3) do
    self.top = true
    body[k] = self:top_statement()
  end
  return { seed = seed, shape = self.shape, functions = self.functions,
           body = body }
end

--- A statement of the function itself: only here may a return of where the
-- optional row is missing make it known for what follows.
function Maker:top_statement()
  local list = outer
  local kind = self:weighted(list)
  if kind ~= "optional" then self.top = false end
  local made = statements[kind](self)
  self.top = false
  return made
end

return generate
