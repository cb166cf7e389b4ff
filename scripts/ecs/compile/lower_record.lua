--- lower_record: tables that a function makes and uses itself.
--
--     local goal = { x = 1, y = p.y }     two variables, goal.x and goal.y
--     goal.x = goal.x + 1
--     local same = goal                   the same two variables
--     return { x = 1, y = 2 }             to the function that called this one
--
-- A table with keys that are all known while the function is lowered needs no
-- table: it is a **record**, and each of its keys is an entry of the state, as
-- a variable is. Its identity is that of the record, so all names of one table
-- share its entries. What two branches chose between is an **either**: reading
-- selects, and assigning changes the one that was chosen, so that the other
-- names of both see it. Rows can be chosen between in this way, too.
--
--     record  { type = "record", entries = key -> entry, keys = list }
--     either  { type = "either", test = bool, one, other }: of records and rows
--
-- A table that leaves the function, or has computed keys, is refused.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_record"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, type, format = ipairs, type, string.format
local abs, subtype = math.abs, math.type -- nil where numbers have none

local lower = require "ecs.compile.lower"
local parser = require "ecs.compile.parser"

local outside = parser.outside
local NIL, NONE = lower.NIL, lower.NONE

--- Values that have fields.
local holders = { row = true, record = true, either = true }

--- Does a value have fields?
function lower.is_holder(value) return holders[value.type] == true end

--- The value of a key of a record.
function lower:get_entry(record, key)
  local value = self.state[record.entries[key] or record]
  return value and self:unwrap(value) or NIL
end

--- Assigns to a key of a record. before: the value of a key that the record has
-- not yet.
local function set_entry(self, record, key, value, before)
  local entry = record.entries[key]
  if not entry then
    -- It is kept where a branch has ended: the table may be known outside.
    entry = { name = type(key) == "string" and key
                or "[" .. format("%.14g", key) .. "]", kept = true,
              level = record.level }
    record.entries[key] = entry
    record.keys[#record.keys + 1] = key
    self.state[entry] = before
  end
  self:set(entry, value)
end

--- Assigns to a key of a record.
function lower:set_entry(record, key, value)
  set_entry(self, record, key, value, NIL)
end

--- The value of a table constructor. Lua assigns in the order of the text.
function lower:record(node, scope)
  local record = { type = "record", entries = {}, keys = {},
                   level = self.level }
  local position = 0
  for k, item in ipairs(node.items) do
    local class = item.value[1]
    if k == #node.items and not item.key
      and (class == "call" or class == "method") then
      outside(node.line, "a call as the last element of a table",
        "keep its result in a local variable")
    end
    local key = item.key and self:key(item.key, scope)
    local value = self:value(item.value, scope)
    if not key then
      position = position + 1
      key = position
    end
    if record.entries[key] then
      outside(node.line, "a table that has a key twice", "write it once")
    end
    -- Behind the branch in which it was made, the table is known only where the
    -- branch was taken: there is nothing to select.
    set_entry(self, record, key, value, NONE)
  end
  return record
end

--- A constant number as Lua joins it to a string; nil where VMs differ in that:
-- 1.0 is "1.0" in some.
local function digits_of(value)
  local number = value.type == "f64" and not value.apart and value.constant
  local known = number and number % 1 == 0 and abs(number) < 2 ^ 31
    and (number ~= 0 or 1 / number > 0)
    and (not subtype or value.kind == "integer")
  return known and format("%d", number) or nil
end

--- What the parts of a joined string say, "x" .. k; nil where it is not known.
local function join(self, node, scope)
  while node[1] == "paren" do node = node.inner end
  if node[1] == "string" then return node.value end
  if node[1] == "binary" and node.sign == ".." then
    local left = join(self, node.left, scope)
    local right = join(self, node.right, scope)
    return left and right and left .. right
  end
  local value = self:value(node, scope)
  if value.type == "object" and type(value.value) == "string" then
    self.context.captures:guard(value)
    return value.value
  end
  return digits_of(value)
end

--- The string that an expression is which joins constants; nil where it is
-- another expression, or not known.
function lower:joined(node, scope)
  while node[1] == "paren" do node = node.inner end
  if node[1] ~= "binary" or node.sign ~= ".." then return nil end
  return join(self, node, scope)
end

--- The key that an expression is: a constant number, or the name of a field.
-- Refuses any other.
function lower:key(node, scope)
  while node[1] == "paren" do node = node.inner end
  if node[1] == "field_name" then return node.name end
  if node[1] == "string" and node.value then return node.value end
  local joined = self:joined(node, scope)
  if joined then return joined end
  local value = self.context.captures:plain(self:value(node, scope))
  local number = value.type == "f64" and value.constant
  if not number or number ~= number then
    outside(node.line, "a key that is computed", "write t.x or t[1], or use an "
      .. "if for each case")
  end
  return number
end

--- How many elements a record has, where that is certain.
function lower:length(record, line)
  local count = 0
  for _, key in ipairs(record.keys) do
    local kind = self:get_entry(record, key).type
    if type(key) == "number" and kind ~= "nil" then
      if kind == "maybe" or kind == "choice" or kind == "object" then
        count = -1
        break
      end
      count = count + 1
    end
  end
  for k = 1, count do
    local entry = record.entries[k]
    if not entry or self.state[entry].type == "nil" then count = -1 break end
  end
  if count < 0 then
    outside(line, "the length of a table that may have holes",
      "keep the number in a variable")
  end
  return self.emit:constant(count, "integer")
end

--- Runs body(one) or body(other) for an either, as its test tells. Returns the
-- selected result; nil where body has none.
function lower:each_of(either, node, body)
  local one, other
  local known = self:known(either.test)
  if known ~= nil then
    local taken = known and either.one or either.other
    local left = known and either.other or either.one
    one = body(taken)
    return one and self:widen(one, (self:dry(either.test, not known, function()
      return body(left)
    end)))
  end
  self:conditional(either.test, node,
    function() one = body(either.one) end,
    function() other = body(either.other) end)
  if not one or not other then return one or other end
  return self:merge(either.test, one, other, node)
end

--- Selects between two values with fields.
function lower.merge_holders(test, x, y)
  if x.term and x.term == y.term then return x end
  return { type = "either", test = test, one = x, other = y }
end

return lower
