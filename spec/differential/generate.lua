--- generate: makes random functions that can be compiled, as trees.
--
--     { seed, shape = { r = bool, o = bool }, has_rare = bool,
--       functions = { { name, parameters, body, results } },
--       body = { statements } }
--
-- shape has the terms beside p and v. has_rare: a branch is for few rows. This
-- file draws the statements, maker.lua the expressions in them. The tree is
-- independent of the tree of the compiler's parser.

local catalogue = require "differential.catalogue"
local Maker = require "differential.maker"

local generate = { random = Maker.seeded }

local DEPTH = 2

-- Statements -----------------------------------------------------------------

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

--- A number field that may be assigned, or a variable.
function Maker:target()
  if not self.turning and #self.scope.numbers > 0
    and (#self.scope.rows == 0 or self:chance(0.3)) then
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

--- Assigns a sum with the variable of this name.
function Maker:assign_fused(name)
  return { k = "assign", targets = { self:target() },
           values = { self:fused(name) } }
end

--- A branch that few rows take, with values from outside in its sums: in
-- compiled code these are computed together with a product. Sometimes a heavy
-- value is used in it and in a sum behind it.
function statements:rare()
  if self.nesting >= 2 or #self.scope.rows == 0 then
    return statements.assign(self)
  end
  self.nesting = self.nesting + 1
  self.has_rare = true
  local node = { k = "do", body = self:scoped(function()
    local test, shared = self:name "t", nil
    local list = { { k = "local", names = { test },
                     values = { self:rare_test() } },
                   statements.locals(self) }
    local branch = { k = "if", rare = true,
                     tests = { { k = "var", t = "bool", name = test } } }
    if self:chance(0.4) then
      shared = self:name "h"
      list[3] = { k = "local", names = { shared }, values = { self:heavy() } }
      self:declare("fixed", shared)
    end
    branch.bodies = { self:scoped(function()
      local name = self:declare("fixed", self:name "h")
      local body = { { k = "local", names = { name },
                       values = { self:heavy() } } }
      for _ = 1, self:pick(3) do body[#body + 1] = self:assign_fused(name) end
      if shared then body[#body + 1] = self:assign_fused(shared) end
      return body
    end) }
    if self:chance(0.3) then branch.other = self:block(1, 1) end
    list[#list + 1] = branch
    if shared then list[#list + 1] = self:assign_fused(shared) end
    return list
  end) }
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
      -- Each round of the loop has another condition.
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

--- A loop of the program: it is not unrolled. In its body only fields are
-- assigned to: their type is the same in every turn.
function statements:turns()
  if self.nesting >= 2 or #self.scope.rows == 0 then
    return statements.assign(self)
  end
  self.nesting = self.nesting + 2
  local looping, turning = self.looping, self.turning
  self.looping, self.turning = true, true
  local node = { k = "turns", name = self:name "i", test = self:condition(1),
                 form = self:one { "for", "while", "repeat", "near" },
                 most = self:pick(4), least = self:pick(3) - 1 }
  if node.form == "near" then
    node.x, node.y = self:number(1), self:number(1)
    node.radius = self:one { 0, 0.5, 2, 2, 60, 1e300 }
    repeat node.field = self:one(catalogue.rows.p)
    until catalogue.is_number(node.field[2])
  end
  node.body = self:scoped(function()
    self:declare("fixed", node.name)
    local list = self:block(1, 3)
    if self:chance(0.5) then
      local turn = { k = "bin", t = "num", op = "+", b = self:fine(),
                     a = { k = "var", t = "num", name = node.name } }
      table.insert(list, self:pick(#list + 1), { k = "leave",
        test = { k = "cmp", t = "bool", op = self:one(catalogue.comparisons),
                 a = self:leaf_field(), b = turn } })
    end
    local target = self:target()
    list[#list + 1] = { k = "assign", targets = { target }, values = {
      { k = "bin", t = "num", op = self:one { "+", "*", "-" },
        a = target, b = { k = "var", t = "num", name = node.name } } } }
    return list
  end)
  self.looping, self.turning = looping, turning
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

--- A test of the optional row, once: for a branch, or for all that follows.
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
    -- reference.lua moves calls before the statement, where o may be nil.
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
  local op = self:one { "add", "add", "remove", "remove", "replace",
                        "destroy" }
  local what = self:one { "T", "S", "L" }
  if op == "remove" then what = self:one { "T", "S", "L", "O", "V" } end
  if op == "replace" then
    local gone = self:one { "T", "S", "L", "O" }
    if gone == what then gone = "V" end
    what = gone .. ", " .. what
  end
  local node = { k = "change", op = op, what = what }
  if self.nesting == 0 then
    return { k = "if", tests = { self:condition(1) }, bodies = { { node } } }
  end
  return node
end

--- Assigns all results of a function to variables or fields.
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
                { 6, "turns" },
                { 5, "lookup" }, { 6, "optional" }, { 3, "structure" },
                { 5, "results" }, { 2, "enclosed" }, { 7, "rare" } }

local turned = { { 20, "locals" }, { 8, "late" }, { 30, "assign" },
                 { 14, "branch" }, { 10, "turns" } }

function Maker:statement()
  local list = self.turning and turned or self.results and inner or outer
  return statements[self:weighted(list)](self)
end

--- return, with as many values as the function has results.
function Maker:result()
  local node = { k = "return", values = {} }
  for k = 1, self.results or 0 do node.values[k] = self:number(2) end
  return node
end

-- Functions ------------------------------------------------------------------

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
           body = body, has_rare = self.has_rare }
end

--- A statement of the function itself. Only here may `if not o then return end`
-- make the optional row known for what follows.
function Maker:top_statement()
  local list = outer
  local kind = self:weighted(list)
  if kind ~= "optional" then self.top = false end
  local made = statements[kind](self)
  self.top = false
  return made
end

return generate
