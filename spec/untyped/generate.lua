--- generate: random functions in which any expression may stand anywhere.
--
-- Trees of text. A node is { class, parts... }, where a part is text or a node:
--
--     expression   has a value; its text alone is valid Lua
--     list         expressions with commas between them
--     statement    of a block; a block is a list of statements, one a line
--
-- shrink.lua needs to know no more of Lua than these classes. expression.lua
-- draws the expressions, this file statements and functions.

local Maker = require "untyped.expression"
local random_of = require "differential.maker".seeded

local generate = {}

local node, kinds = Maker.node, Maker.kinds
local function expression(...) return node("expression", ...) end
local function statement(...) return node("statement", ...) end

-- Statements ----------------------------------------------------------------

local statements = {}

--- A block in a new scope.
function Maker:block(depth)
  local block, mark = node "block", #self.scope
  for k = 1, math.floor(self.random() * 3) + 1 do
    block[k] = self:statement(depth)
  end
  for k = #self.scope, mark + 1, -1 do self.scope[k] = nil end
  return block
end

local names = { "a", "b", "c", "d", "a", "b", "c", "d", "a", "b", "c", "d", "p",
                "v", "e", "f1", "dt" }
local shadowed = { p = "row", v = "row", e = "entity", dt = "number" }

function statements:declare(depth)
  local wanted, list = {}, node "list"
  local count = self:one { 1, 1, 1, 2, 2, 3 }
  for k = 1, count do
    local name = self:one(names)
    wanted[k] = shadowed[name] or self:one(kinds)
    list[k] = expression(name)
  end
  local made, values = statement("local ", list), nil
  if count > 1 and self:chance(0.4) then
    wanted[count] = nil
    local last = self:call(self:one { "number", "anything" }, 1)
    values = self:list(wanted, depth, true)
    if self:chance(0.4) then
      last = expression("world:get(", self:expression("entity", 1),
        ", H, 'n', 'who', 'on')")
    end
    values[#values + 1] = last
  elseif not self:chance(0.15) then
    if self:chance(0.1) then wanted[count + 1] = "number" end
    values = self:list(wanted, depth, true)
  else
    wanted = {}
  end
  if values then made[3], made[4] = " = ", values end
  for k = 1, count do
    self.scope[#self.scope + 1] = { name = list[k][1],
                                    kind = wanted[k] or "anything" }
  end
  return made
end

--- A target of an assignment, and its kind.
function Maker:target()
  if #self.scope > 0 and (not self.has_row or self:chance(0.35)) then
    local variable = self:one(self.scope)
    return expression(variable.name), variable.kind, true
  end
  local field = self:one { "x", "x", "y", "on", "who", "i" }
  local row = self.results and "p" or self:one { "p", "p", "v" }
  local object = expression(row)
  if self:chance(0.15) then object = self:call("row", 1) or object end
  local kind = field == "on" and "boolean" or field == "who" and "entity"
    or "number"
  return expression(object, "." .. field), kind
end

function statements:assign(depth)
  if not self.has_row and #self.scope == 0 then
    return statements.declare(self, depth)
  end
  local targets, values = node "list", node "list"
  local count = self:one { 1, 1, 1, 1, 2, 2, 3 }
  for k = 1, count do
    local kind, loose
    targets[k], kind, loose = self:target()
    loose = loose and self:chance(0.3)
    values[k] = self:expression(kind, depth, loose)
  end
  if count > 1 and self:chance(0.06) then values[count] = nil end
  if self:chance(0.05) then values[#values + 1] = self:leaf "number" end
  return statement(targets, " = ", values)
end

statements["if"] = function(self, depth)
  local made = statement("if ", self:expression("boolean", 2, true),
    " then\n", self:block(depth - 1))
  if self:chance(0.25) then
    made[#made + 1] = "\nelseif "
    made[#made + 1] = self:expression("boolean", 2, true)
    made[#made + 1] = " then\n"
    made[#made + 1] = self:block(depth - 1)
  end
  if self:chance(0.5) then
    made[#made + 1] = "\nelse\n"
    made[#made + 1] = self:block(depth - 1)
  end
  made[#made + 1] = "\nend"
  return made
end

--- A body with a test of the optional row.
statements.guard = function(self, depth)
  if self.results then return statements["do"](self, depth) end
  local mark = #self.scope
  local made = statement("if o then\no.", self:one { "x", "x", "who" }, " = ",
    self:expression("number", 1), "\n", self:block(depth - 1), "\nend")
  if made[2] == "who" then made[4] = self:expression("entity", 1) end
  for k = #self.scope, mark + 1, -1 do self.scope[k] = nil end
  return made
end

statements["for"] = function(self, depth)
  local name = self:one { "k", "a", "b" }
  local last = self:one { "2.0", "3.0", "N", "0.0", "N" }
  if self:chance(0.6) then last = "2.0" end
  self.scope[#self.scope + 1] = { name = name, kind = "number" }
  local body = self:block(depth - 1)
  self.scope[#self.scope] = nil
  if self:chance(0.3) then
    return statement("for _, " .. name .. " in ipairs(" .. self:one { "A", "A",
      "M[1.0]", "Q" } .. ") do\n", body, "\nend")
  end
  local head = self:chance(0.2) and " = 2.0, 1.0, -1.0 do\n"
    or " = 1.0, " .. last .. " do\n"
  return statement("for " .. name .. head, body, "\nend")
end

--- The name of a counter that no other statement knows: every loop ends.
function Maker:counter()
  self.loops = (self.loops or 0) + 1
  return "w" .. ("%.0f"):format(self.loops)
end

--- The body of a loop, in which jumps may stand. label: of its end; nil: none.
function Maker:loop_body(depth, label)
  local outer = self.jumps
  self.jumps = { "do break end", "do break end", label and "goto " .. label }
  local body = self:block(depth - 1)
  self.jumps = outer
  return body
end

--- A while that makes a few turns at most, and so do the other loops.
statements["while"] = function(self, depth)
  local counter = self:counter()
  local made = statement("local " .. counter .. " = 0.0\nwhile " .. counter
    .. " < " .. self:one { "1.0", "2.0", "4.0", "N", "p.i" } .. " and ",
    self:expression("boolean", 2, true), " do\n" .. counter .. " = " .. counter
    .. " + 1.0\nif " .. counter .. " > 6.0 then break end\n")
  local label = self:chance(0.4) and counter .. "_" or nil
  made[#made + 1] = self:loop_body(depth, label)
  made[#made + 1] = label and "\n::" .. label .. "::\nend" or "\nend"
  return made
end

statements["repeat"] = function(self, depth)
  local counter = self:counter()
  local body = self:loop_body(depth)
  return statement("local " .. counter .. " = 0.0\nrepeat\n" .. counter
    .. " = " .. counter .. " + 1.0\n", body, "\nuntil "
    .. counter .. " > " .. self:one { "0.0", "2.0", "3.0" } .. " or ",
    (self:expression("boolean", 2, true)))
end

statements.range = function(self, depth)
  local counter, name = self:counter(), self:one { "k", "a", "b" }
  local from, to = counter .. "a", counter .. "b"
  -- VMs differ in loops that count with nan.
  local made = statement("local " .. counter .. ", " .. from .. ", " .. to
    .. " = 0.0, ", (self:expression("number", 1)), ", ",
    (self:expression("number", 1)), "\nif " .. from .. " ~= " .. from
    .. " then "
    .. from .. " = 0.0 end\nif " .. to .. " ~= " .. to .. " then " .. to
    .. " = 3.0 end\nfor " .. name .. " = " .. from .. ", " .. to
    .. self:one { "", "", ", -1.0", ", 0.5" } .. " do\n" .. counter .. " = "
    .. counter .. " + 1.0\nif " .. counter .. " > 5.0 then break end\n")
  local label = self:chance(0.3) and counter .. "_" or nil
  self.scope[#self.scope + 1] = { name = name, kind = "number" }
  made[#made + 1] = self:loop_body(depth, label)
  self.scope[#self.scope] = nil
  made[#made + 1] = label and "\n::" .. label .. "::\nend" or "\nend"
  return made
end

--- A jump out of the innermost loop, or to the end of its body.
statements.jump = function(self, depth)
  if not self.jumps then return statements["if"](self, depth) end
  return statement("if ", self:expression("boolean", 2, true), " then "
    .. (self:one(self.jumps) or "do break end") .. " end")
end

statements["do"] = function(self, depth)
  return statement("do\n", self:block(depth - 1), "\nend")
end

--- A return stands at the end of a block.
statements["return"] = function(self)
  local list = node "list"
  for k, kind in ipairs(self.results or {}) do
    list[k] = self:expression(kind, 2, self:chance(0.4))
  end
  if self.results and self:chance(0.05) then list[#list] = nil end
  if self.results and self:chance(0.05) then
    list[#list + 1] = self:leaf "anything"
  end
  return statement("do return ", list, " end")
end

function statements:call()
  local call = self:call("number", 2)
  if not call then return statements.assign(self, 2) end
  return statement(call)
end

function statements:change()
  local draw = self.random()
  local whom = self:expression("entity", self:chance(0.1) and 1 or 0)
  if self.results or self.jumps and self:chance(0.8) then
    return statements.assign(self, 2)
  end
  if draw < 0.04 then
    return statement("assert(", self:expression("boolean", 2, true), ", p.x)")
  end
  if self:chance(0.92) then whom = expression "e" end
  if draw < 0.2 then
    return statement("if ", self:expression("boolean", 2, true),
      " then total:add(", self:list({ "number" }, 1), ") end")
  elseif draw < 0.26 then
    local key = self:key(0)
    return statement("if ", self:expression("boolean", 2, true), " then A[",
      key, "] = ", self:expression(self:one { "number", "anything" }, 0),
      " end")
  elseif draw < 0.45 then
    return statement(self:one { "total", "total", "most" } .. ":add(",
      self:list({ "number" }, 2), ")")
  elseif draw < 0.7 then
    return statement(self:worldly() .. ":add(", whom,
      self:one { ", T)", ", H)", ", O)", ", K)" })
  elseif draw < 0.92 then
    return statement("world:remove(", whom, self:one { ", T)", ", H)", ", O)" })
  end
  return statement("world:destroy(", whom, ")")
end

local common = { "declare", "declare", "declare", "assign", "assign", "assign",
                 "assign", "assign", "call", "change", "count" }
local deep = { "if", "if", "if", "guard", "for", "do", "return", "while",
               "repeat", "range", "jump", "jump" }

function Maker:statement(depth)
  if depth > 0 and self:chance(0.4) then
    local kind = self:one(deep)
    if kind == "return" and not self:chance(0.4) then kind = "if" end
    return statements[kind](self, depth)
  end
  if self:chance(0.08) and #self.scope > 0 then
    return statements["return"](self)
  end
  return statements[self:one(common)](self, self:one { 1, 2, 2, 3 })
end

-- Functions -----------------------------------------------------------------

function Maker:called(name)
  local parameters, results, list = {}, {}, node "list"
  local f = { name = name, parameters = parameters, results = results }
  self.scope, self.has_row, self.jumps = {}, self:chance(0.88), nil
  local least = self.has_row and 1 or 0
  for k = 1, self:one { least, 1, 2, 2, 3 } do
    parameters[k] = k == 1 and self.has_row and "row" or self:one(kinds)
    local parameter = k == 1 and self.has_row and "p"
      or ("abc"):sub(k, k)
    list[k] = expression(parameter)
    self.scope[k] = { name = parameter, kind = parameters[k] }
  end
  for k = 1, self:one { 0, 1, 1, 1, 2, 3 } do results[k] = self:one(kinds) end
  self.results = results
  local body = node "block"
  for k = 1, self:one { 0, 1, 1, 2 } do
    body[k] = self:statement(2)
  end
  body[#body + 1] = statements["return"](self)
  self.functions[#self.functions + 1] = f
  return node("function", "local function " .. name .. "(", list, ")\n", body,
    "\nend\n")
end

--- The outside name that changes most often: used where Lua accepts anything.
function generate.restless(seed)
  local list = { "U1", "U2", "U3", "U4", "S.a", "S.b", "S.c", "S.d" }
  return list[seed % #list + 1]
end

--- An addition to a number outside.
function statements:count()
  local draw = self.random()
  if draw < 0.3 then
    return statement "I = I + 1"
  elseif draw < 0.5 then
    return statement("D.n = D.n - ", (self:expression("number", 2)))
  elseif draw < 0.7 and self.has_row then
    local field = self:one { "p.x", "p.y" }
    return statement("if " .. field .. " > B then B = " .. field .. " end")
  end
  return statement("C = C + ", (self:expression("number", 2)))
end

--- The tree of a function and of the functions that it calls.
function generate.make(seed)
  local self = setmetatable({ random = random_of(seed), functions = {},
                              restless = generate.restless(seed),
                              scope = {} }, Maker)
  local tree = node "program"
  for k, f in ipairs(Maker.ready) do
    self.functions[k] = f
    tree[k] = node("function", f.text .. "\n")
  end
  for k = 1, self:one { 0, 1, 1, 2 } do
    tree[#tree + 1] = self:called("f" .. ("123"):sub(k, k))
  end
  self.scope, self.results, self.has_row = {}, nil, true
  local body = node "block"
  for k = 1, self:one { 1, 2, 3, 4 } do body[k] = self:statement(2) end
  tree[#tree + 1] = node("function", "return function(p, v, o, dt, e)\n", body,
    "\nend")
  return tree
end

local function put(part, out)
  if type(part) == "string" then
    out[#out + 1] = part
    return
  end
  local between = part.class == "list" and ", "
    or part.class == "block" and "\n" or ""
  for k = 1, #part do
    if k > 1 then out[#out + 1] = between end
    put(part[k], out)
  end
end

--- A tree as text.
function generate.text(tree)
  local out = {}
  put(tree, out)
  return table.concat(out)
end

return generate
