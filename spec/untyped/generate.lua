--- generate: random functions in which any expression may stand anywhere.
--
-- Trees of text. A node is { class, parts... }, where a part is text or a node:
--
--     expression   what has a value; text of it alone is valid Lua
--     list         expressions with commas between them
--     statement    of a block; a block is a list of them, one a line
--
-- So what is made smaller (shrink.lua) needs to know no more of Lua than that.
--
-- Expressions are drawn for a kind (a number, boolean, entity, row, anything).
-- Mostly they are of that kind; now and then, and more often where Lua takes
-- anything, they are of another. Numbers are floats in Lua 5.4 too, since
-- compiled code has no integers: literals have a point, an integer field is
-- read with 0.0 added, and only functions that keep floats are called.

local random_of = require "differential.maker".seeded

local generate = {}

local Maker = {}
Maker.__index = Maker

function Maker:chance(share) return self.random() < share end

function Maker:one(list)
  return list[math.floor(self.random() * #list) + 1]
end

local function node(class, ...) return { class = class, ... } end
local function expression(...) return node("expression", ...) end
local function statement(...) return node("statement", ...) end

-- Expressions ---------------------------------------------------------------

local kinds = { "number", "number", "boolean", "entity", "row", "anything" }

--- What Lua takes in any kind is drawn in another more often.
local LOOSE, STRICT = 0.18, 0.006

--- Functions that every program has, made for one thing each: effects on the
-- way to a row, results on some paths only, none at all.
local ready = {
  { name = "step", parameters = { "row" }, results = { "row" },
    text = "local function step(q) q.x = q.x + 1.0 return q end" },
  { name = "turn", parameters = { "row" }, results = { "boolean", "number" },
    text = "local function turn(q) q.on = not q.on return q.on, q.x end" },
  { name = "two", parameters = { "number", "number" },
    results = { "number", "number" },
    text = "local function two(a, b) return b, a end" },
  { name = "pick", parameters = { "boolean", "anything" },
    results = { "anything" },
    text = "local function pick(a, b) if a then return b end end" },
  { name = "none", parameters = { "row", "anything" }, results = {},
    text = "local function none(q, a) if a then q.y = 0.5 return end "
      .. "q.on = true end" },
  { name = "some", parameters = { "anything", "anything" },
    results = { "anything", "anything" },
    text = "local function some(a, b) if a then return a, true end "
      .. "if b then return b end return nil, b end" },
}

local outside = {
  number = { "U1", "S.a", "N", "S.t.x" }, boolean = { "U2", "S.b", "S.t.on" },
  entity = { "U3", "S.c", "U3" },
  anything = { "U4", "S.d", "U1", "U2", "U3", "U4", "S.d", "S.t", "F", "W",
               "K" },
  row = {},
}

--- In a function that is called there are no names but its own.
local leaves = {
  number = { "0.0", "1.0", "2.5", "(-1.0)", "p.x", "p.y", "(p.i + 0.0)", "v.x",
             "v.y", "p.x", "p.y", "dt", "ecs.random()", "total:value()",
             "(0.0 / 0.0)" },
  boolean = { "true", "false", "p.on", "v.on", "p.on" },
  entity = { "e", "p.who", "v.who", "e" },
  row = { "p", "v", "p", "v", "p", "v", "p", "v", "o" },
  anything = { "nil", "nil", "true", "false", "p", "o", "e", "1.0", "H" },
}
local leaves_called = {
  number = { "0.0", "1.0", "2.5", "(-1.0)", "ecs.random()", "p.x", "p.x", "p.y",
             "(p.i + 0.0)" },
  boolean = { "true", "false", "p.on" }, entity = { "U3", "p.who" },
  row = { "p" },
  anything = { "nil", "nil", "true", "false", "1.0", "U1", "p" },
}

--- A name or literal of a kind; locals of that kind before all.
function Maker:leaf(kind)
  local near = {}
  for k = #self.scope, math.max(1, #self.scope - 7), -1 do
    local variable = self.scope[k]
    if variable.kind == kind or kind == "anything" then
      near[#near + 1] = variable.name
    end
  end
  if #near > 0 and self:chance(0.6) then return expression(self:one(near)) end
  if #outside[kind] > 0 and self:chance(0.25) then
    return expression(self:one(outside[kind]))
  end
  local list = (self.results and leaves_called or leaves)[kind]
  local leaf
  repeat
    leaf = self:one(list)
  until self.has_row or kind == "row" or not leaf:find "%f[%w]p%f[%W]"
  return expression(leaf)
end

--- An expression for a kind, and the kind it was made for; loose: where another
-- would do for Lua too.
function Maker:expression(kind, depth, loose)
  if loose and self:chance(0.12) then
    return expression(self.restless), "anything"
  end
  if self:chance(loose and LOOSE or STRICT) then kind = self:one(kinds) end
  if depth <= 0 or self:chance(0.25) then return self:leaf(kind), kind end
  return self[kind](self, depth - 1), kind
end

function Maker:list(wanted, depth, loose)
  local list = node "list"
  for k, kind in ipairs(wanted) do
    list[k], wanted[k] = self:expression(kind, depth, loose)
  end
  return list
end

--- A call of one of the functions above; nil when there is none.
function Maker:call(kind, depth)
  local f = self:one(self.functions)
  for _ = 1, 3 do
    if not f or f.results[1] == kind then break end
    f = self:one(self.functions)
  end
  if not f or kind ~= "anything" and f.results[1] ~= kind
    and self:chance(0.85) then
    return nil
  end
  local wanted = {}
  for k, parameter in ipairs(f.parameters) do wanted[k] = parameter end
  if self:chance(0.07) then wanted[#wanted] = nil end
  if self:chance(0.05) then wanted[#wanted + 1] = self:one(kinds) end
  local name = self:chance(0.015) and "U4" or self:chance(0.05) and "F"
    or f.name
  return expression(name .. "(", self:list(wanted, depth, self:chance(0.25)),
    ")")
end

--- The world, and a component: as the same for ever, or from outside.
local function worldly(self) return self:chance(0.15) and "W" or "world" end
local function component(self) return self:chance(0.15) and "K" or "H" end

--- What gives one of its operands.
function Maker:chosen(kind, depth)
  local draw = self.random()
  if draw < 0.4 then
    return expression("(", self:expression("boolean", depth, true), " and ",
      self:expression(kind, depth), " or ", self:expression(kind, depth), ")")
  elseif draw < 0.7 then
    return expression("(", self:expression("anything", depth, true), " or ",
      self:expression(kind, depth), ")")
  elseif draw < 0.74 then
    return expression("(", self:expression("anything", depth, true), " and ",
      self:expression(kind, depth), ")")
  end
  return self:call(kind, depth) or self:leaf(kind)
end

function Maker:number(depth)
  local draw = self.random()
  if draw < 0.4 then
    return expression("(", self:expression("number", depth), " "
      .. self:one { "+", "-", "*", "/" } .. " ",
      self:expression("number", depth), ")")
  elseif draw < 0.45 then
    return expression("(-", self:expression("number", depth), ")")
  elseif draw < 0.5 then
    return expression(self:one { "math.abs(", "math.sqrt(" },
      self:list({ "number" }, depth), ")")
  elseif draw < 0.6 then
    return expression("(" .. worldly(self) .. ":get(",
      self:expression("entity", depth), ", " .. component(self)
        .. ", 'n') or ", self:expression("number", depth), ")")
  elseif draw < 0.66 and not self.results then
    return expression("(o and o.x or ", self:expression("number", depth), ")")
  end
  return self:chosen("number", depth)
end

--- Of anything with what is of its kind, nil, or from outside.
function Maker:comparison(depth)
  local kind = self:one(kinds)
  local left = self:expression(kind, depth, true)
  local right = expression "nil"
  local draw = self.random()
  if draw > 0.8 then
    right = expression(self:one(self:one(
      { outside.number, outside.entity, outside.anything })))
  elseif draw > 0.65 then
    right = expression(self.restless)
  elseif draw > 0.3 then
    right = self:expression(kind, depth, true)
  elseif draw > 0.2 then
    left = expression(self.restless)
  elseif draw > 0.02 and not self.results then
    -- Entities that may be none, and what is one no more than they.
    left = expression(self:one { "p.who", "v.who", "v.who" })
    right = expression(self:one { "o", "o", "U1", "S.a", self.restless })
  end
  if self:chance(0.3) then left, right = right, left end
  return expression("(", left, self:one { " == ", " ~= " }, right, ")")
end

function Maker:boolean(depth)
  local draw = self.random()
  if draw < 0.2 then
    return expression("(not ", self:expression("boolean", depth, true), ")")
  elseif draw < 0.4 then
    return self:comparison(depth)
  elseif draw < 0.43 then
    return expression(worldly(self) .. ":get(",
      self:expression("entity", depth), ", " .. component(self) .. ", 'on')")
  elseif draw < 0.55 then
    return expression("(", self:expression("number", depth), " "
      .. self:one { "<", "<=", ">", ">=" } .. " ",
      self:expression("number", depth), ")")
  elseif draw < 0.75 then
    return expression("(", self:expression("boolean", depth, true),
      self:one { " and ", " or " }, self:expression("boolean", depth, true),
      ")")
  elseif draw < 0.82 then
    return expression(worldly(self) .. ":alive(",
      self:expression("entity", depth), ")")
  elseif draw < 0.9 then
    return expression("world:has(", self:expression("entity", depth),
      self:one { ", T)", ", H)", ", H, T)", ", O)", ", K)" })
  end
  return self:chosen("boolean", depth)
end

function Maker:entity(depth)
  if self:chance(0.2) then
    return expression("world:get(", self:expression("entity", depth),
      ", H, 'who')")
  end
  return self:chosen("entity", depth)
end

function Maker:row(depth)
  return self:chance(0.7) and self:leaf "row" or self:chosen("row", depth)
end

--- What is commonly nil, or false, or one of several.
function Maker:anything(depth)
  local draw = self.random()
  if draw < 0.2 then
    return expression("world:get(", self:expression("entity", depth), ", H, "
      .. self:one { "'n'", "'on'", "'who'", "'n', 'on'" } .. ")")
  elseif draw < 0.4 then
    return expression("(", self:expression("anything", depth, true),
      self:one { " and ", " or " }, self:expression("anything", depth, true),
      ")")
  elseif draw < 0.5 then
    return self:call("anything", depth) or self:leaf "anything"
  elseif draw < 0.55 then
    return expression("(", self:expression("row", depth), ").",
      self:one { "x", "on", "who" })
  end
  return self:expression(self:one(kinds), depth)
end

-- Statements ----------------------------------------------------------------

local statements = {}

--- A block in a scope of its own.
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

--- A target of an assignment, and the kind that belongs there.
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

--- A body that has a row guarded.
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
  local head = self:chance(0.2) and " = 2.0, 1.0, -1.0 do\n"
    or " = 1.0, " .. last .. " do\n"
  return statement("for " .. name .. head, body, "\nend")
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
  if self.results then return statements.assign(self, 2) end
  if self:chance(0.92) then whom = expression "e" end
  if draw < 0.2 then
    return statement("if ", self:expression("boolean", 2, true),
      " then total:add(", self:list({ "number" }, 1), ") end")
  elseif draw < 0.45 then
    return statement(self:one { "total", "total", "most" } .. ":add(",
      self:list({ "number" }, 2), ")")
  elseif draw < 0.7 then
    return statement(worldly(self) .. ":add(", whom,
      self:one { ", T)", ", H)", ", O)", ", K)" })
  elseif draw < 0.92 then
    return statement("world:remove(", whom, self:one { ", T)", ", H)", ", O)" })
  end
  return statement("world:destroy(", whom, ")")
end

local common = { "declare", "declare", "declare", "assign", "assign", "assign",
                 "assign", "assign", "call", "change" }
local deep = { "if", "if", "if", "guard", "for", "do", "return" }

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
  self.scope, self.has_row = {}, self:chance(0.88)
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

--- What changes most between frames: used where Lua takes anything.
function generate.restless(seed)
  local list = { "U1", "U2", "U3", "U4", "S.a", "S.b", "S.c", "S.d" }
  return list[seed % #list + 1]
end

--- The tree of a function and of those that it calls.
function generate.make(seed)
  local self = setmetatable({ random = random_of(seed), functions = {},
                              restless = generate.restless(seed),
                              scope = {} }, Maker)
  local tree = node "program"
  for k, f in ipairs(ready) do
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
