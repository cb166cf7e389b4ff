--- lower_type: numbers keep their type, whatever the compiler knows.
--
--     local x = flag and p.x or p.wide
--
-- Where flag depends on the row, x is what a selection between an f32 and an
-- f64 is: an f64. It is that, too, where flag is known while the function is
-- compiled, as a table outside is true and nil is not; else the same source
-- would round differently when flag changes from a boolean to a table. So the
-- side that is not taken is lowered as well, **dry**: into a program that is
-- thrown away, only to see of which type its numbers are. The side that is
-- taken is widened to the common type.
--
-- What cannot be lowered has no type. A value that is not a number passes the
-- type of the other side on, as its hint: `x and a` is nil, but of a's type.
-- In double precision all numbers are f64, and nothing is lowered dry.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lower_type"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, pcall, setmetatable, type = error, ipairs, pcall,
  setmetatable, type

local captures = require "ecs.compile.captures"
local lower = require "ecs.compile.lower"
local safe_pairs = require "ecs.safe_pairs"

--- How deep dry runs may be inside of dry runs: each calls pcall.
local DRY_LIMIT = 16

--- The name of a value in a program that is thrown away. Values of the other
-- program are not changed.
local function dry_name(self, value)
  if value.id then return "v" .. value.id end
  local name = self.names[value]
  if not name then
    name = "v" .. self:value("unnamed " .. #self.lines, value.type).id
    self.names[value] = name
  end
  return name
end

--- Everything that lowering changes, in a form that is thrown away.
local function dry_fields(self)
  local context, emit = self.context, self.emit
  local apart = setmetatable({ lines = {}, declarations = {}, known = {},
    names = {}, literals = {}, got = {}, mixed = {}, name = dry_name,
    loops = {}, levels = setmetatable({}, { __index = emit.levels }) },
    { __index = emit })
  for k = 1, #emit.loops do
    apart.loops[k] = { lines = {}, known = {}, carries = {} }
  end
  local outer = captures.new(apart, context.captures.main,
    context.captures.constant)
  outer.functions, outer.count = context.captures.functions,
    context.captures.count
  local puts = {}
  for k, put in ipairs(context.puts) do puts[k] = put end
  local keyed = {}
  for k, item in ipairs(context.keyed) do keyed[k] = item end
  local inner = setmetatable({ emit = apart, puts = puts, keyed = keyed,
    captures = outer, totals = {},
    places = {}, demands = {}, written = {}, exits = {}, exit = emit.no,
    branches = { count = 0 }, func = context.func,
    dry = (context.dry or 0) + 1 },
    { __index = context })
  return {
    context = inner, emit = apart, saved = {}, order = {}, trail = {},
    state = setmetatable({}, { __index = self.state }),
    facts = setmetatable({}, { __index = self.facts }), path = {},
    blocks = self.blocks, nesting = self.nesting, depth = self.depth,
    home = self.home, results = self.results or false, place = {},
    level = self.level, loop = self.loop or false, turns = false,
    frame = self.frame, changes = self.changes,
  }
end

--- The code stays valid only while the functions that a dry run has called are
-- the same: others may have results of another type.
local function keep_guards(outer, guards)
  for _, guard in ipairs(guards) do
    if type(guard.value) == "function" then outer:keep_guard(guard) end
  end
end

--- Runs body dry, as where test has this truth. Returns its result and the
-- fields of the dry run; nil where it cannot be lowered, or has no use.
function lower:dry(test, truth, body)
  local context = self.context
  if self.emit.double or (context.dry or 0) >= DRY_LIMIT then return nil end
  local fields, before = dry_fields(self), {}
  for name, value in safe_pairs(fields) do
    before[name] = self[name] or false
    self[name] = value
  end
  local done, result = pcall(function()
    self:assume(test, truth)
    return body()
  end)
  for name, value in safe_pairs(before) do self[name] = value end
  local outer = context.captures
  outer.count = fields.context.captures.count
  if not done and type(result) ~= "table" then error(result, 0) end
  keep_guards(outer, fields.context.captures.guards)
  if done then return result, fields end
end

--- The number or row inside a value that may be nil; else nil, or the hint.
local function inner_of(value)
  while value and (value.type == "maybe" or value.type == "choice") do
    value = value.value
  end
  if not value or value.hint then return value and value.hint end
  return (lower.is_number(value) or value.type == "row") and value or nil
end

--- A value that is not taken for other, which would have been the value.
local function hinted(value, other)
  local copy = {}
  for key, content in safe_pairs(value) do copy[key] = content end
  copy.hint = other
  return copy
end

--- The common type's form of a number.
local function widen_number(self, value, other)
  local emit = self.emit
  if emit.double or other.flex or not value.flex and value.type == other.type
  then
    return value
  end
  return emit:cast(value, value.flex and other.type or "f64")
end

--- A value, in the type that it has beside another value that it could have
-- been. other: nil: it is not known.
function lower:widen(value, other)
  other = inner_of(other)
  if not other or self.emit.double then return value end
  local kind = value.type
  if kind == "maybe" then
    local inner = self:widen(value.value, other)
    return inner == value.value and value
      or { type = "maybe", some = value.some, value = inner }
  elseif lower.is_number(value) and lower.is_number(other) then
    return widen_number(self, value, other)
  elseif kind == "row" and other.type == "row" and value.term ~= other.term then
    return { type = "either", test = self.emit.yes, one = value, other = other }
  elseif kind == "nil" or kind == "none" or value.constant == false then
    return hinted(value, value.hint
      and self:widen(value.hint, other) or other)
  end
  return value
end

--- The same, where the other value is that of an expression, computed only
-- where test has this truth.
function lower:widen_beside(value, test, truth, node, scope)
  local inner = inner_of(value)
  if not inner and value.type ~= "nil" and value.constant ~= false then
    return value
  end
  return self:widen(value, (self:dry(test, truth, function()
    return self:value(node, scope)
  end)))
end

--- Widens entries of the state that body, which is not taken, would change, as
-- join would. run: lowers what is taken; its result is returned.
function lower:widen_entries(test, truth, body, run)
  local ended, fields = self:dry(test, truth, body)
  ended = ended and ended.constant == true
  local result = run()
  for _, entry in ipairs(fields and result ~= lower.EXIT and fields.order or {})
  do
    local value = self.state[entry]
    if value and type(entry) == "table"
      and not (ended and not self:outlives(entry)) then
      local wide = self:widen(value, fields.state[entry])
      if wide ~= value then self:set(entry, wide) end
    end
  end
  return result
end

return lower
