--- reference: a generated function as Lua text that rounds every operation.
--
-- The slow reference for the default precision. It follows from the rules alone
-- (types follow fields; constants and integers of 8 and 16 bits take the type
-- of the other operand), reads the generator's tree, and shares no code with
-- the compiler. The result is plain Lua with a rounding around every f32
-- operation.
--
-- After a branch a variable has the common type of its values from both sides,
-- and a side that was flex (reference_value.lua) is rounded at its end. So
-- types are found in the order of the text, with loops unrolled and functions
-- in place, where each round and each call may have other types. Constants are
-- found likewise, because a condition that is made of constants alone makes no
-- branch. A side that always returns does not count. A return sets a variable,
-- done, and the statements after it stand under `if not done`, as another
-- branch.

local catalogue = require "differential.catalogue"
local entries = require "model_lua.entries"
local State = require "differential.reference_value"
local write = require "differential.write"

local reference = {}

local cast, meet, get = State.cast, State.meet, State.get

local function add(state, ...)
  state.lines[#state.lines + 1] = table.concat { ... }
end

-- Branches -------------------------------------------------------------------

--- Runs body with a copy of the types. Returns its result, the types and lines.
function State:side(body)
  local types, lines, copy = self.types, self.lines, {}
  for key, value in entries(types) do copy[key] = value end
  self.types, self.lines = copy, {}
  local side = { ended = body() or false }
  side.types, side.lines = self.types, self.lines
  self.types, self.lines = types, lines
  return side
end

local function is_kept(name) return name:find("^[%.#]") or name == "p.flag" end

--- One variable after both sides of a branch; rounds a side that was flex.
local function join_one(name, one, other)
  local a, b = one.types[name], other.types[name]
  if name == "p.flag" and not (a and b) then return nil end
  if a == b or not b then return a end
  if not a then return b end
  if not is_kept(name) then
    if one.ended == "always" then return b end
    if other.ended == "always" then return a end
  end
  local joined = { constant = nil, type = a.type and meet(a.type, b.type) }
  if a.type == b.type and a.constant == b.constant
    and (type(a.constant) ~= "number" or 1 / a.constant == 1 / b.constant)
  then
    joined.constant = a.constant
  end
  for _, side in ipairs { one, other } do
    local held = side.types[name]
    if held.type == "flex" and joined.type == "f32" then
      local plain = name:gsub("^#", "")
      side.lines[#side.lines + 1] = plain .. " = number.round_some("
        .. plain .. ")"
    end
  end
  return joined
end

local function join(self, one, other)
  local names_known = {}
  for name in entries(self.types) do names_known[name] = true end
  for _, side in ipairs { one, other } do
    for name in entries(side.types) do
      if is_kept(name) then names_known[name] = true end
    end
  end
  for name in entries(names_known) do
    self.types[name] = join_one(name, one, other)
  end
end

local function nothing() end

--- A branch of which the side is known. A variable that the other side would
-- change has the common type of both, as behind a branch that is not known.
local function known_branch(self, taken, other)
  local before, beside = {}, self:side(other)
  for name, value in entries(self.types) do before[name] = value end
  add(self, "do")
  local ended = taken()
  for name, old in entries(before) do
    local held, far = self.types[name], beside.types[name]
    if not is_kept(name) and far ~= old and beside.ended ~= "always"
      and held and held.type and far.type then
      local type = meet(held.type, far.type)
      if held.type == "flex" and type == "f32" then
        add(self, name, " = number.round_some(", name, ")")
      end
      if type ~= held.type then self.types[name] = { type = type } end
    end
  end
  add(self, "end")
  return ended
end

--- A branch with two bodies; the condition is text, and its value where known.
function State:branch(test, yes, no)
  no = no or nothing
  if test.constant == true then return known_branch(self, yes, no) end
  if test.constant == false then return known_branch(self, no, yes) end
  local one, other = self:side(yes), self:side(no)
  join(self, one, other)
  add(self, "if ", test.text, " then")
  for _, line in ipairs(one.lines) do add(self, line) end
  add(self, "else")
  for _, line in ipairs(other.lines) do add(self, line) end
  add(self, "end")
  if one.ended == "always" and other.ended == "always" then return "always" end
  return (one.ended or other.ended) and "perhaps" or nil
end

-- Statements -----------------------------------------------------------------

local statement = {}

--- Writes statements from k on. Returns whether they return: "always",
-- "perhaps", or nil for never.
function State:statements(list, k)
  for at = k or 1, #list do
    local node = list[at]
    local ended = statement[node.k](self, node)
    if ended == "always" or ended and at == #list then return ended end
    if ended then
      local always = false
      local rest = self:branch({ text = "not " .. self.done }, function()
        local last = self:statements(list, at + 1)
        always = last == "always"
        return last
      end)
      return always and "always" or rest or ended
    end
  end
  return nil
end

function State:block(list)
  add(self, "do")
  local ended = self:statements(list)
  add(self, "end")
  return ended
end

--- The first wanted values of a list of expressions.
function State:list(nodes, wanted)
  local first = nodes[1]
  if #nodes == 1 and first.k == "fcall" then
    return self:inline(first, wanted)
  end
  local values = {}
  for k, node in ipairs(nodes) do
    if node.t == "num" then
      values[k] = self:number(node)
    elseif node.t == "bool" then
      values[k] = self:truth(node)
    else
      values[k] = { text = self:entity(node) }
    end
  end
  return values
end

local function text_list(values)
  local list = {}
  for k, value in ipairs(values) do list[k] = value.text end
  return table.concat(list, ", ")
end

function State:note(name, value)
  self.types[name] = { type = value.type, constant = value.constant }
end

statement["local"] = function(self, node)
  local values = self:list(node.values, #node.names)
  add(self, "local ", table.concat(node.names, ", "), " = ",
    text_list(values))
  for k, name in ipairs(node.names) do self:note(name, values[k]) end
end

function statement.late(self, node)
  add(self, "local ", node.name)
  self.types[node.name] = { type = "f64" }
  return self:branch(self:truth(node.test), function()
    local value = self:number(node.a)
    add(self, node.name, " = ", value.text)
    self:note(node.name, value)
  end, function()
    local value = self:number(node.b)
    add(self, node.name, " = ", value.text)
    self:note(node.name, value)
  end)
end

--- A value as a field takes it: an f32 field rounds it, an integer field takes
-- a flex value as a double.
local function fit(target, value)
  if not value.type then return value.text end
  local scalar = catalogue.types[target.row .. "." .. target.name]
  return cast(value, scalar == "f32" and "f32" or value.type)
end

function statement.assign(self, node)
  local values = self:list(node.values, #node.targets)
  local targets, list = {}, {}
  for k, target in ipairs(node.targets) do
    if target.k == "var" then
      targets[k], list[k] = target.name, values[k].text
      self:note(target.name, values[k])
    elseif target.k == "who" then
      targets[k], list[k] = "p.who", values[k].text
    else
      targets[k] = target.row .. "." .. target.name
      list[k] = fit(target, values[k])
      if target.t == "bool" then self:note("p.flag", values[k]) end
    end
  end
  add(self, table.concat(targets, ", "), " = ", table.concat(list, ", "))
end

local function if_from(self, node, k)
  if k > #node.tests then
    return node.other and self:block(node.other)
  end
  return self:branch(self:truth(node.tests[k]),
    function() return self:block(node.bodies[k]) end,
    function() return if_from(self, node, k + 1) end)
end

statement["if"] = function(self, node) return if_from(self, node, 1) end

statement["for"] = function(self, node)
  local step, turns = node.step or 1, {}
  for k = 0, math.floor((node.last - node.first) / step) do
    turns[#turns + 1] = { k = "turn", name = node.name, body = node.body,
                          value = node.first + k * step }
  end
  return self:block(turns)
end

function statement.turn(self, node)
  add(self, "do local ", node.name, " = ", write.number(node.value, true))
  self.types[node.name] = { type = "flex", constant = node.value + 0.0 }
  local ended = self:statements(node.body)
  add(self, "end")
  return ended
end

--- Only fields are assigned to in the body, so types are those of any turn.
function statement.turns(self, node)
  local name = node.name
  local least, most = write.number(node.least, true),
    write.number(node.most, true)
  self.types[name] = { type = "flex" }
  local function count() add(self, name, " = ", name, " + 1.0") end
  if node.form == "near" then
    local x, y = self:number(node.x).text, self:number(node.y).text
    add(self, "for _, ", name, "_row in near:within(", x, ", (", y, "), ",
      write.number(node.radius, true), ") do")
    add(self, "local ", name, " = ", name, "_row.", node.field[1],
      catalogue.is_integer(node.field[2]) and " + 0.0" or "")
    self.types[name] = { type = catalogue.loaded(node.field[2]) }
  elseif node.form == "for" then
    add(self, "for ", name, " = 1.0, (", self:truth(node.test).text, ") and ",
      most, " or ", least, " do")
  else
    add(self, "local ", name, " = 0.0")
    add(self, "while true do")
    if node.form == "while" then
      add(self, "if ", name, " >= ", most, " then break end")
      add(self, "if not (", self:truth(node.test).text, ") then break end")
    end
    count()
  end
  self:statements(node.body)
  if node.form == "repeat" then
    add(self, "if ", name, " > ", least, " then break end")
    add(self, "if ", self:truth(node.test).text, " then break end")
  end
  add(self, "end")
end

function statement.leave(self, node)
  add(self, "if ", self:truth(node.test).text, " then break end")
end

function statement.lookup(self, node)
  add(self, "local ", table.concat(node.names, ", "), " = ",
    get(self, node, node.fields))
  for k, name in ipairs(node.names) do
    self.types[name] = { type = catalogue.loaded(
      catalogue.types[node.row .. "." .. node.fields[k]]) }
  end
  return self:branch({ text = node.names[1] },
    function() return self:block(node.body) end,
    function() return node.other and self:block(node.other) end)
end

function statement.opt(self, node)
  if node.form == "return" then
    return self:branch({ text = "not o" }, function()
      add(self, self.done, " = true")
      return "always"
    end)
  end
  local text, known = "o", nil
  if node.test then
    local test = self:truth(node.test)
    text = "o and " .. test.text
    if test.constant == false then known = false end
  end
  return self:branch({ text = text, constant = known },
    function() return self:block(node.body) end,
    function() return node.other and self:block(node.other) end)
end

function statement.change(self, node)
  add(self, "world:", node.op, "(e",
    node.op ~= "destroy" and ", " .. node.what or "", ")")
end

statement["do"] = function(self, node) return self:block(node.body) end

statement["return"] = function(self, node)
  local values = self.results and self:list(node.values, 1) or {}
  for k, name in ipairs(self.results or {}) do
    add(self, name, " = ", values[k].text)
    self:note("#" .. name, values[k])
  end
  add(self, self.done, " = true")
  return "always"
end

-- Functions ------------------------------------------------------------------

--- Writes a function in place of its call. Returns its first results, as
-- values.
function State:inline(node, wanted)
  local f = self.by_name[node.f]
  local values, arguments = self:values(node.list), {}
  for k in ipairs(f.parameters) do arguments[k] = values[k].text end
  local types, results, done = self.types, self.results, self.done
  self.types, self.results, self.done = {}, {}, self:fresh "done"
  for k = 1, wanted do self.results[k] = self:fresh "result" end
  local names_of_results = table.concat(self.results, ", ")
  add(self, "local ", self.done, ", ", names_of_results)
  add(self, "do local ", table.concat(f.parameters, ", "), " = ",
    table.concat(arguments, ", "))
  for k, name in ipairs(f.parameters) do self:note(name, values[k]) end
  self:statements(f.body)
  add(self, "end")
  local list = {}
  for k, name in ipairs(self.results) do
    local held = self.types["#" .. name]
    list[k] = { text = name, type = held.type, constant = held.constant }
  end
  self.types, self.results, self.done = types, results, done
  return list
end

--- The whole chunk, as write.text gives it.
function reference.text(made)
  local state = setmetatable({ lines = { "local done" }, types = {},
    done = "done", count = 0, by_name = {} }, State)
  for _, f in ipairs(made.functions) do state.by_name[f.name] = f end
  state:statements(made.body)
  return write.chunk(made, {}, state.lines)
end

return reference
