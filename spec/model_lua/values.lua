--- values: the meaning of the numbers in a step when it runs.
--
-- Of the numbers of entities, 1 in 16 is a handle that was never issued and 2
-- in 16 a handle that was issued long ago, mostly of a dead entity. The others
-- are in registers, where a new handle takes the place of a dead one.
--
--     registers   e3 e9 e1 ...    the entities of most steps
--     attic       e2 e4 ...       every handle that lost its register

local program = require "model_lua.program"
local oracle = require "model_lua.oracle"
local numbers = require "model_lua.numbers"
local run = require "model_lua.run"

local REGISTERS = 24
local POPULATION = 48 -- spawning waits when so many are alive

-- Entities -------------------------------------------------------------------

--- Whole numbers that no entity has; the last may be issued later.
local function nobody(self, number)
  local kind = number % 7
  if kind == 0 then return 0 end
  if kind == 1 then return nil end
  if kind == 2 then return 268435455 end
  if kind == 3 then return 2.0 ^ 52 end
  if kind == 4 then return 2.0 ^ 53 - 1 end
  if kind == 5 then return 2.0 ^ 51 + 1 end
  local last = self.registers[number % REGISTERS + 1]
  return last and last + 268435456 or 4503599627370495
end

function run:pick(number)
  local kind = number % 16
  local rest = math.floor(number / 16)
  if kind == 0 then return nobody(self, rest) end
  if kind < 3 and #self.attic > 0 then
    return self.attic[rest % #self.attic + 1]
  end
  for k = 0, REGISTERS - 1 do
    local handle = self.registers[(rest + k) % REGISTERS + 1]
    if handle then return handle end
  end
  return nobody(self, rest)
end

--- Adds a new handle, in the place of a dead one where there is one.
function run:remember(handle)
  self.births = self.births + 1
  local at = self.births % REGISTERS + 1
  for _ = 1, REGISTERS do
    if not self.oracle:alive(self.registers[at]) then break end
    at = at % REGISTERS + 1
  end
  local old = self.registers[at]
  if old then self.attic[#self.attic + 1] = old end
  self.registers[at] = handle
  self.names[handle] = "e" .. self.births
  self:digest(handle)
end

function run:is_full()
  return #self.oracle:living() >= (self.program.large and 4000 or POPULATION)
end

-- Components -----------------------------------------------------------------

function run.component(_, number)
  return number % #program.components + 1
end

function run.field_component(_, number)
  local c = run.component(nil, number)
  while #program.components[c].fields == 0 do
    c = c % #program.components + 1
  end
  return c
end

function run:query(number) return self.queries[number % #self.queries + 1] end

--- A raw value for a field: of one in eight of the pool of edges.
function run:raw(field, number)
  local rest = math.floor(number / 16)
  if field.type == "entity" and number % 16 > 0 then return self:pick(rest) end
  if field.type == "bool" and number % 16 > 0 then return rest % 2 == 0 end
  if number % 16 > 1 then return rest % 101 end
  return numbers.at(rest)
end

--- Some fields of a component and their raw values; the values that the oracle
-- stores, nil when a value is refused; and whether they are all defaults.
function run:given(c, number)
  local fields = program.components[c].fields
  if number % 5 == 0 then return nil, self.oracle:defaults(c), true end
  local raw, stored = {}, {}
  for k, field in ipairs(fields) do
    local salt = program.mix(number, k)
    if salt % 3 > 0 then
      local value = self:raw(field, math.floor(salt / 3))
      local fits, kept = numbers.strict(field.type, value)
      raw[field.name] = value
      if not fits then
        stored = nil
      elseif stored and value ~= nil then
        stored[field.name] = kept == nil and oracle.null or kept
      end
      if stored == nil then break end
    end
  end
  return raw, stored, false
end

--- The same table with its elements in tables, one for each array.
local function with_arrays(c, raw)
  local given = {}
  for _, field in ipairs(program.components[c].fields) do
    if field.array then given[field.array] = given[field.array] or {} end
    program.write(given, field, raw[field.name])
  end
  return given
end

local function describe(self, c, raw)
  local out = {}
  for _, field in ipairs(program.components[c].fields) do
    if raw[field.name] ~= nil then
      out[#out + 1] = field.name .. " = " .. self:text(raw[field.name])
    end
  end
  return " { " .. table.concat(out, ", ") .. " }"
end

--- A value of a component as scripts write it, and the fields that it gives:
-- all fields when it stands for all defaults. nil where making the value is an
-- error, as expected. Half of the values are made here; for the others the
-- third result is the table of fields, and the first the component alone.
function run:make_value(c, number)
  local definition = self.definitions[c]
  if #program.components[c].fields == 0 then return definition, {} end
  local raw, stored, whole = self:given(c, number)
  if whole then
    for _, field in ipairs(program.components[c].fields) do
      if stored[field.name] == nil then stored[field.name] = oracle.null end
    end
    return definition, stored
  end
  self.calls = self.calls + 1
  local text = self.trace and describe(self, c, raw)
  local name = program.components[c].name
  if number % 3 > 0 then raw = with_arrays(c, raw) end
  local ok, value = pcall(definition, raw)
  if not stored then
    self:note(name .. (text or ""))
    self:must(not ok and tostring(value):find("ecs: ", 1, true),
      "a value was not refused")
    self.errors = self.errors + 1
    return nil
  end
  self:must(ok, "a value was refused: %s", tostring(value))
  if number % 2 == 0 then
    if text then self.names[raw] = text end
    return definition, stored, raw
  end
  if text then self.names[value] = name .. text end
  return value, stored
end

return run
