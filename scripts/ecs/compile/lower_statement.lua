--- lower_statement: applies statements to the state of a row.
--
-- A list of statements is lowered in order. A statement that may return gives
-- the condition under which it does; the statements after it are lowered as a
-- branch where the condition is false:
--
--     if a then return end       ended = a
--     p.x = 1                    a branch, where not a
--
-- Loops are in lower_loop.lua. A call of a function in Lua is inlined: its body
-- is lowered in a scope of its own, and its results are variables. Limits keep
-- the code from becoming larger than a program can be.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_statement"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local max, ipairs = math.max, ipairs
local rawset, setmetatable = rawset, setmetatable

local lower = require "ecs.compile.lower_expression"
local lower_total = require "ecs.compile.lower_total"
local parser = require "ecs.compile.parser"

local outside = parser.outside
local NIL, NONE, EXIT = lower.NIL, lower.NONE, lower.EXIT

--- How deep calls and blocks may nest.
local CALL_LIMIT, BLOCK_LIMIT = 32, 80

--- By the kind of a statement: lowers it.
local run = {}
lower.run = run

--- Lowers a list of statements in a scope of its own. Returns the condition
-- under which the function returned in it, or nil: never. So do the other
-- functions for statements.
function lower:block(list, scope)
  local line = list[1] and list[1].line or 0
  self:count(line)
  if self.blocks == BLOCK_LIMIT then
    self:too_large(line, "blocks nested deeper than " .. BLOCK_LIMIT,
      "split the function")
  end
  self.blocks = self.blocks + 1
  local ended = self:statements(list, 1, setmetatable({}, { __index = scope }))
  self.blocks = self.blocks - 1
  return ended
end

--- Lowers the statements of a list from index k on.
function lower:statements(list, k, scope)
  for index = k, #list do
    local node = list[index]
    local ended = run[node[1]](self, node, scope)
    if ended then
      if ended == EXIT or ended.constant == true or index == #list then
        if node[1] == "if" and index < #list and self.results
          and ended ~= EXIT then
          -- The rest would give other results.
          return self:widen_entries(self.emit.yes, true, function()
            return self:statements(list, index + 1, scope)
          end, function() return ended end)
        end
        return ended
      end
      local rest = self:conditional(self.emit:opposite(ended), node,
        self:exitable(node, "rest", function()
          return self:statements(list, index + 1, scope)
        end))
      if rest == EXIT then return ended end
      return rest and self.emit:either(ended, rest) or ended
    end
  end
  return nil
end

--- A new local variable. One from outside of a loop matters behind a jump out
-- of it; so does any of a repeat loop, for the test behind its body.
function lower:variable(name)
  return { name = name, level = self.level, home = self.home,
           jump = self.loop and self.loop.keeps }
end

local function refuse_environment(name, line)
  if name ~= "_ENV" then return end
  outside(line, "a local _ENV", "name the table otherwise")
end
lower.refuse_environment = refuse_environment

run["local"] = function(self, node, scope)
  local values = self:list(node.values, #node.names, scope)
  for k, name in ipairs(node.names) do
    refuse_environment(name, node.line)
    local variable = self:variable(name)
    rawset(scope, name, variable)
    self:set(variable, values[k])
  end
end

run["local function"] = function(self, node, scope)
  refuse_environment(node.name, node.line)
  local variable = self:variable(node.name)
  rawset(scope, node.name, variable)
  self:set(variable, self:value(node.body, scope))
end

--- Assigns to a variable; or to a field, where object is the value that has it
-- and key its key. expression: that of the value; nil: not known.
local function assign(self, target, object, key, value, scope, expression)
  if object and object.type == "place" then
    return self:array_assign(object, key, value, target, expression)
  elseif object and object.type == "elements" then
    return self:assign_element(object, key, value, target, expression)
  elseif object then
    return self:assign_field(target, object, key, value, expression)
  end
  local variable = scope[target.name]
  if not variable then
    outside(target.line, "an assignment to '" .. target.name
      .. "', which is no local variable",
      "keep it in a field of the row, or " .. parser.TOTAL, true)
  end
  return self:set(variable, value)
end

--- The objects of fields that are assigned to, and the keys, by index of the
-- target.
local function objects_of(self, targets, scope)
  local objects, keys = {}, {}
  for k, target in ipairs(targets) do
    if target[1] == "field" then
      objects[k], keys[k] = self:value(target.object, scope), target.name
    elseif target[1] == "index" then
      if target.object[1] == "index" then target.object.leads = true end
      self:refuse_rows(target, scope)
      local object = self:value(target.object, scope)
      local place = self:place_of(object)
        or self:as_elements(object, target.line)
      objects[k] = place or object
      keys[k] = place and self:value(target.key, scope)
        or self:own_key(target, object, scope)
    elseif target[1] ~= "name" then
      outside(target.line, "an assignment to this", "assign to fields of rows "
        .. "and to local variables")
    end
  end
  return objects, keys
end

--- In Lua's order: the objects of the targets, then the values, then the
-- assignments from the last target to the first.
function run.assign(self, node, scope)
  local targets, values = node.targets, node.values
  local count = #targets
  if count == 1 and #values == 1
    and lower_total.assign(self, targets[1], values[1], scope) then
    return nil
  end
  local objects, keys = objects_of(self, targets, scope)
  if count > 1 and #values == count then
    values = lower_total.assign_many(self, node, scope)
  else
    values = self:list(values, count, scope)
  end
  for k = count, 1, -1 do
    if values[k] ~= false then
      assign(self, targets[k], objects[k], keys[k], values[k], scope,
        node.values[k])
    end
  end
end

--- Lowers an if from its test k on.
local function if_from(self, node, k, scope)
  if k > #node.tests then
    return node.other and self:block(node.other, scope)
  end
  local test = self:truth(self:value(node.tests[k], scope))
  return self:conditional(test, node,
    self:exitable(node, k, function()
      return self:block(node.bodies[k], scope)
    end),
    self:exitable(node, -k, function()
      return if_from(self, node, k + 1, scope)
    end))
end

run["if"] = function(self, node, scope)
  if lower_total.extreme(self, node, scope) then return nil end
  return if_from(self, node, 1, scope)
end

run["do"] = function(self, node, scope) return self:block(node.body, scope) end

run["return"] = function(self, node, scope)
  local results = self.results
  if self.loop then self:set(self.frame.returned, self.emit.yes) end
  if not results then
    if #node.values > 0 then
      outside(node.line, "a value returned from the system's function",
        "return nothing: write to fields")
    end
    return self.emit.yes
  end
  local count = #node.values
  local last = node.values[count]
  if last and (last[1] == "call" or last[1] == "method") then
    count = max(results.wanted, count)
  end
  local values = self:list(node.values, count, scope)
  for k = 1, results.wanted do
    local before = self.state[results[k]]
    self:set(results[k], self:widen(values[k] or NIL, before.hint))
  end
  return self.emit.yes
end

function run.call(self, node, scope)
  self:call(node.call, 0, scope)
end

--- What the parser refused, in a branch that is no exit.
function run.refused(_, node)
  local problem = node.problem
  outside(problem.line, problem.construct, problem.remedy, problem.final)
end

-- Calls of functions in Lua -------------------------------------------------

--- Lowers a call in place. tree: of the function; values: its arguments;
-- wanted: how many results. outer_scope: of a function inside; nil: there is
-- none. Returns the list of results.
function lower:inline(tree, values, wanted, node, outer_scope)
  if self.depth >= CALL_LIMIT then
    outside(node.line, "calls nested deeper than " .. CALL_LIMIT
      .. ", or a function that calls itself", "write it without recursion")
  end
  local scope = setmetatable({}, { __index = outer_scope })
  local context, home = self.context, self.home
  local frame, loop = self.frame, self.loop
  context.homes = (context.homes or 0) + 1
  self.home = context.homes
  self.frame, self.loop = { returned = self:variable("return") }, nil
  self.frame.returned.jump = true
  for k, name in ipairs(tree.parameters) do
    local variable = self:variable(name)
    rawset(scope, name, variable)
    self:set(variable, values[k] or NIL)
  end
  local outer = self.results
  local results = { wanted = wanted }
  for k = 1, wanted do
    results[k] = self:variable("result")
    results[k].kept = true
    self:set(results[k], NONE)
  end
  self.results, self.depth = results, self.depth + 1
  local place = self:enter(node)
  local ended = self:block(tree.body, scope)
  self:leave(place)
  self.results, self.depth, self.home = outer, self.depth - 1, home
  self.frame, self.loop = frame, loop
  if ended == EXIT then
    outside(node.line, "a call of a function that only has side exits here",
      "call it under a condition")
  end
  local list = {}
  for k = 1, wanted do
    -- A function that reaches its end without a return gives nil.
    local value = ended and self.state[results[k]] or NIL
    list[k] = ended and self:merge(ended, value, NIL, node) or NIL
  end
  return list
end

return lower
