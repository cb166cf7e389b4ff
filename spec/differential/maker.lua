--- maker: draws the expressions of random functions, for generate.lua.
--
-- A node is a table with its kind in k; expressions have their type in t:
-- "num", "bool" or "ent". write.lua has the Lua text of each.
--
-- Precision makes one rule necessary. The type of a variable after a branch
-- depends on the branches that exist, and the compiler leaves out a branch when
-- an outer condition decides its condition. reference.lua does not know all
-- that the compiler can prove. So no condition is built from parts of an
-- earlier condition: each comparison has a new constant, and flags, tags and
-- the like are used only once (used).
--
--     scope    names that can be used here: numbers, bools, entities, rows
--     used     key -> true, of the parts of conditions
--     made_of  key of a boolean -> keys of the parts it was made of
--     sound    key -> false, where a boolean may decide itself

local catalogue = require "differential.catalogue"
local entries = require "model_lua.entries"

local Maker = {}
Maker.__index = Maker

-- Drawing --------------------------------------------------------------------

--- A random number in [0, 1), the same on every VM.
function Maker.seeded(seed)
  local state = (seed * 7919 + 104729) % 2147483647
  if state == 0 then state = 1 end
  return function()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
end

function Maker:chance(p) return self.random() < p end

--- A random whole number from 1 to n.
function Maker:pick(n) return math.floor(self.random() * n) + 1 end

function Maker:one(list) return list[self:pick(#list)] end

--- Calls the method of one of { weight, method } pairs.
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

-- Scopes ---------------------------------------------------------------------

--- Runs make in a new scope, which ends with it.
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

-- Numbers --------------------------------------------------------------------

local edges = {
  0, 1, 2, 3, 0.5, 0.1, 0.25, 10, 100, 127, 128, 255, 256, 32767, 65535, 65536,
  16777216, 16777217, 2147483647, 2147483648, 4294967295, 4294967296, 1e-3,
  1e10, 1e-40, 1e38, 3.5e38, 1e-46, 1e300, 5e-324, 0.30000001192092896,
  1.0000000596046448, 1 / 3,
}

local function constant(value)
  return { k = "const", t = "num", value = value }
end

--- A constant with as many digits as a double has.
function Maker:fine()
  local value = self.random() + self.random() / 2147483648
  return constant(value * self:one { 0.01, 1, 1, 10, 1000 })
end

function Maker:leaf_constant()
  local node = self:chance(0.5) and constant(self:one(edges)) or self:fine()
  if self:chance(0.25) then return { k = "neg", t = "num", a = node } end
  return node
end

--- A field of a row that is known here.
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
  local list = { "u1", "u2", "cfg.a", "cfg.deep.b", "math.pi", "math.huge",
                 "#cfg.l1", "cfg.l1[1]" }
  if #self.scope.rows > 0 then list[#list + 1] = "dt" end
  return { k = "outer", t = "num", name = self:one(list) }
end

local leaves = { { 45, "leaf_field" }, { 18, "leaf_constant" },
                 { 27, "leaf_variable" }, { 10, "leaf_outer" } }

function Maker:binary(depth)
  return { k = "bin", t = "num", op = self:one(catalogue.operators),
           a = self:number(depth - 1), b = self:number(depth - 1) }
end

--- A square: common in functions, and one operation in compiled code.
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

--- A key of a table: often a small whole number, which the table may have. It
-- depends on a row: an element at a constant is known to be there, or not.
function Maker:key(depth)
  local draw = self.random()
  if draw < 0.25 then
    return { k = "bin", t = "num", op = "+", a = self:number(depth),
             b = self:leaf_field() }
  end
  local near = { k = "bin", t = "num", op = "%", a = self:leaf_field(),
                 b = constant(self:one { 3, 5, 8 }) }
  if draw < 0.7 then
    return { k = "call", t = "num", name = "math.floor", list = { near } }
  end
  return self:leaf_field()
end

--- An element of a table, or another number. Each table occurs once: whether it
-- has an element is a condition.
function Maker:element(depth)
  local form = self:one { "list", "list", "field", "rows" }
  local name = form == "list" and self:one { "l1", "l2", "l3" }
    or form == "field" and self:one { "points", "places" } or "map"
  if #self.scope.rows == 0 or not self:use { "at " .. name } then
    return self:call(depth)
  end
  return { k = "element", t = "num", form = form, name = "cfg." .. name,
           key = self:key(depth - 1), second = self:key(0),
           b = self:number(depth - 1) }
end

--- The first result of a call of an earlier function.
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
                     { 5, "element" },
                     { 6, "call_function" } }

function Maker:number(depth)
  if depth <= 0 or self:chance(0.25) then
    return self[self:weighted(leaves)](self)
  end
  return self[self:weighted(operations)](self, depth)
end

-- Rare branches --------------------------------------------------------------

--- A comparison that about one row in six passes, as scene.lua draws fields.
function Maker:rare_test()
  local field = self:one(catalogue.rare)
  local edge = field[2] + self.random() + self.random() / 2147483648
  return { k = "cmp", t = "bool", op = self:one { ">", ">=" },
           a = { k = "field", t = "num", row = "p", name = field[1] },
           b = constant(edge) }
end

--- A value of calls that are worth being left out, between -1 and 1.
function Maker:heavy()
  local node = self:leaf_field()
  for _ = 1, 3 do
    node = { k = "call", t = "num", list = { node },
             name = self:one { "ecs.math.sin", "ecs.math.cos" } }
  end
  return node
end

--- A sum of a product and a value from outside. The variable of this name is in
-- the product, or is the other value.
function Maker:fused(name)
  local known = { k = "var", t = "num", name = name }
  local product = { k = "bin", t = "num", op = "*", a = known,
                    b = self:leaf_field() }
  local outside = self:chance(0.6) and self:leaf_field()
    or self:leaf_variable()
  if self:chance(0.3) then product.a, outside = outside, known end
  if self:chance(0.3) then product.a, product.b = product.b, product.a end
  if self:chance(0.4) then product, outside = outside, product end
  return { k = "bin", t = "num", op = self:one { "+", "-" }, a = product,
           b = outside }
end

-- Truths ---------------------------------------------------------------------

--- True if these keys are sound and in no condition yet; marks them as used.
function Maker:use(keys)
  for _, key in ipairs(keys) do
    if self.used[key] or not self.sound[key] and self.sound[key] ~= nil then
      return false
    end
  end
  for _, key in ipairs(keys) do self.used[key] = true end
  return true
end

--- The keys behind a name: itself and the keys it was made of.
function Maker:behind(key)
  local keys = { key }
  for _, other in ipairs(self.made_of[key] or {}) do keys[#keys + 1] = other end
  return keys
end

--- Records the keys that a variable or field was made of. A value in which a
-- key occurs twice is not sound: as a condition it could decide itself.
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

--- A flag, tag or the like that is a boolean by itself, and its key; or nil.
function Maker:atom()
  local kind = #self.scope.bools > 0 and self:chance(0.3) and 2
    or self:pick(9)
  if kind == 1 then
    local name = self:one { "b1", "b2", "cfg.flag", "flags" }
    if name == "flags" and #self.scope.rows == 0 then return nil end
    if name == "flags" then
      return { k = "flagat", t = "bool", key = self:key(1) }, name
    end
    return { k = "outerbool", t = "bool", name = name }, name
  elseif kind == 2 and #self.scope.bools > 0 then
    local name = self:one(self.scope.bools)
    return { k = "var", t = "bool", name = name }, name
  elseif #self.scope.rows == 0 then
    return nil
  elseif kind == 3 then
    return { k = "field", t = "bool", row = "p", name = "flag" }, "p.flag"
  elseif kind == 4 then
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

--- A comparison that occurs in no other condition.
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

--- A condition; none of its parts was in a condition before.
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

--- Any boolean, to be stored. collected: gets the keys of its parts.
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

-- Entities -------------------------------------------------------------------

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

--- An entity from a field, or e; no upvalue, which is known not to be nil.
function Maker:some_entity()
  local kind = self:pick(4)
  if kind == 1 then return { k = "self", t = "ent" } end
  if kind == 2 and #self.scope.entities > 0 then
    return { k = "var", t = "ent", name = self:one(self.scope.entities) }
  end
  return { k = "who", t = "ent" }
end

return Maker
