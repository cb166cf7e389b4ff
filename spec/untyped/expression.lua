--- expression: random expressions, any of which may stand anywhere.
--
-- Expressions are drawn for a kind (a number, boolean, entity, row, anything).
-- Mostly they are of that kind; sometimes, and more often where Lua accepts
-- anything, they are of another. Numbers are floats in Lua 5.4 too, since
-- compiled code has no integers: literals have a point, an integer field is
-- read with 0.0 added, and only functions that keep floats are called.
--
-- A Maker draws expressions; generate.lua adds statements to it:
--
--     random       gives numbers in [0, 1)
--     functions    { name, parameters, results }: functions to be called
--     scope        { name, kind }: local variables, the innermost last
--     results      kinds of the results, in a function that is called
--     has_row      p is a row
--     restless     the outside name that changes most often

local Maker = {}
Maker.__index = Maker

function Maker:chance(share) return self.random() < share end

function Maker:one(list)
  return list[math.floor(self.random() * #list) + 1]
end

function Maker.node(class, ...) return { class = class, ... } end
local node = Maker.node

local function expression(...) return node("expression", ...) end

-- Expressions ---------------------------------------------------------------

local kinds = { "number", "number", "boolean", "entity", "row", "anything" }
Maker.kinds = kinds

--- Where Lua accepts any kind, other kinds are drawn more often.
local LOOSE, STRICT = 0.18, 0.006

--- Functions that every program has: one with effects on the way to a row, one
-- with results on some paths only, one without results.
Maker.ready = {
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
               "K", "A[1.0]", "G[2.0]" },
  row = {},
}

--- A function that is called can use only its own names.
local leaves = {
  number = { "0.0", "1.0", "2.5", "(-1.0)", "p.x", "p.y", "(p.i + 0.0)", "v.x",
             "v.y", "p.x", "p.y", "dt", "ecs.random()", "total:value()",
             "(ecs.random(6) + 0.0)", "(ecs.random(p.i, 9) + 0.0)",
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

--- A name or literal of a kind; mostly a local variable of that kind.
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

--- An expression for a kind, and its kind. loose: true where Lua accepts other
-- kinds too.
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

--- The world, and a component: by a name that never changes, or from outside.
function Maker:worldly() return self:chance(0.15) and "W" or "world" end
local function component(self) return self:chance(0.15) and "K" or "H" end

--- An operation that gives one of its operands.
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

--- A key of a table outside: mostly a number that it may have.
function Maker:key(depth)
  if self:chance(0.05) then return self:expression("anything", depth) end
  local near = { "1.0", "2.0", "0.0", "3.0" }
  if self.has_row then
    near = { "p.x", "p.x", "p.x", "(p.i + 0.0)", "(p.x + 1.0)", "(p.y / 2.5)",
             "(#A + 0.0)", "1.0" }
  end
  return self:chance(0.8) and expression(self:one(near))
    or self:expression("number", depth)
end

--- An element of a table outside: of any kind, and often nil.
function Maker:element(depth)
  local draw = self.random()
  if draw < 0.5 then return expression("A[", self:key(depth), "]") end
  if draw < 0.7 then
    return expression("G[", self:key(depth), "]", self:one { "", ".x", ".on" })
  elseif draw < 0.85 then
    local key = self:key(0)
    return expression("(G[", key, "] and G[", key, "]", self:one { ".x", ".on",
      ".who", ".x" }, ")")
  end
  local row = self:key(0)
  return expression("(M[", row, "] and M[", row, "][", self:key(depth), "])")
end

function Maker:number(depth)
  if self:chance(0.12) then
    return expression("(", self:element(depth), " or ",
      self:expression("number", depth), ")")
  elseif self:chance(0.02) then
    return expression "(#A + 0.0)"
  elseif self:chance(0.03) then
    local key = self:key(0)
    return expression("(Q[", key, "] and Q[", key, "](", self:list({ "number",
      "number" }, depth), ") or ", self:leaf "number", ")")
  end
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
    local get = expression(self:worldly() .. ":get(",
      self:expression("entity", depth), ", " .. component(self) .. ", 'n')")
    if self:chance(0.1) then return get end -- nil where a number is needed
    return expression("(", get, " or ", self:expression("number", depth), ")")
  elseif draw < 0.61 then
    return expression("assert(", self:expression("number", depth, true), ")")
  elseif draw < 0.66 and not self.results then
    return expression("(o and o.x or ", self:expression("number", depth), ")")
  end
  return self:chosen("number", depth)
end

--- A comparison of anything with a value of its kind, nil, or from outside.
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
    -- Entities that may be nil or dead, and values of other kinds.
    left = expression(self:one { "p.who", "v.who", "v.who" })
    right = expression(self:one { "o", "o", "U1", "S.a", self.restless })
  end
  if self:chance(0.3) then left, right = right, left end
  return expression("(", left, self:one { " == ", " ~= " }, right, ")")
end

function Maker:boolean(depth)
  if self:chance(0.05) then
    return expression("(", self:element(depth), " == ",
      self:expression(self:one(kinds), depth, true), ")")
  end
  local draw = self.random()
  if draw < 0.2 then
    return expression("(not ", self:expression("boolean", depth, true), ")")
  elseif draw < 0.4 then
    return self:comparison(depth)
  elseif draw < 0.43 then
    return expression(self:worldly() .. ":get(",
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
    return expression(self:worldly() .. ":alive(",
      self:expression("entity", depth), ")")
  elseif draw < 0.9 then
    return expression("world:has(", self:expression("entity", depth),
      self:one { ", T)", ", H)", ", H, T)", ", O)", ", K)" })
  end
  return self:chosen("boolean", depth)
end

function Maker:entity(depth)
  if self:chance(0.08) then return self:element(0) end
  if self:chance(0.2) then
    return expression("world:get(", self:expression("entity", depth),
      ", H, 'who')")
  end
  return self:chosen("entity", depth)
end

--- A row, or a table that the function makes, with some of a row's fields.
function Maker:row(depth)
  if self:chance(0.15) then
    local made = expression("({ x = ", (self:expression("number", depth)))
    for _, field in ipairs { "on", "who", "y", "i" } do
      if not self:chance(0.3) then
        made[#made + 1] = ", " .. field .. " = "
        made[#made + 1] = (self:expression(field == "on" and "boolean"
          or field == "who" and "entity" or "number", depth))
      end
    end
    made[#made + 1] = " })"
    return made
  end
  return self:chance(0.7) and self:leaf "row" or self:chosen("row", depth)
end

--- An expression that is often nil, or false, or one of several.
function Maker:anything(depth)
  if self:chance(0.1) then return self:element(depth) end
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

return Maker
