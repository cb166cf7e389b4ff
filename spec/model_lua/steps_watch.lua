--- steps_watch: steps of a system whose query has changed or sort.
--
-- A program has one such system, in a phase of its own, and it is enabled only
-- while it looks. What it is shown must be in order, and must hold everything
-- that matches and did not, or had other values, when it looked last:
--
--     seen    entity -> component's place -> a copy of its values
--     shown   the entities of this look, in their order

local entries = require "model_lua.entries"
local oracle = require "model_lua.oracle"
local program = require "model_lua.program"
local run = require "model_lua.run"

local steps = run.steps

local DT = 0.25

-- Definitions ----------------------------------------------------------------

--- The components to ask for changes of.
local function choose_asked(query, number)
  local asked = {}
  for k, term in ipairs(query.terms) do
    if term.access ~= "without" and program.mix(number, k) % 3 > 0 then
      asked[#asked + 1] = term.c
    end
  end
  return asked
end

--- The order { c, field, down }, or nil.
local function choose_order(query, number)
  for k, term in ipairs(query.shown) do
    local fields = program.components[term.c].fields
    local field = fields[program.mix(number, k) % #fields + 1]
    if term.access ~= "optional" and field.type ~= "entity"
      and program.mix(number, 7 * k) % 2 == 0 then
      return { c = term.c, field = field, down = number % 2 == 0 }
    end
  end
end

local function describe(self, watch)
  local spec, order = {}, watch.order
  for key, value in entries(watch.query.spec) do spec[key] = value end
  for k, c in ipairs(watch.asked) do
    spec.changed = spec.changed or {}
    spec.changed[k] = self.definitions[c]
  end
  spec.sort = order and { self.definitions[order.c], order.field.name,
                          order.down and "down" or nil }
  return spec
end

--- The system's function: notes what it is shown.
local function looks(watch, batches)
  if not batches then
    return function(...)
      watch.shown[#watch.shown + 1] = select(select("#", ...), ...)
    end
  end
  return function(batch)
    for i = 1, batch.count do
      watch.shown[#watch.shown + 1] = batch.entities[i]
    end
  end
end

function steps.watch(self, step)
  if not self.program.watched or self.frame or self.oracle:walking() then
    return
  end
  local query = self:query(step.q)
  local watch = { query = query, asked = choose_asked(query, step.v),
                  order = choose_order(query, step.v), seen = {}, shown = {} }
  local batches = step.c % 2 == 0 or not self.abilities.each
  self:call(true, self.world, "system", {
    name = "watch", phase = "watch", enabled = false,
    query = describe(self, watch), compile = not batches and false or nil,
    [batches and "batch" or "each"] = looks(watch, batches),
  })
  self.watch = watch
end

-- Looking --------------------------------------------------------------------

--- Does a value come before another? NaNs are the last.
local function comes_before(order, a, b)
  if a == true or a == false then a, b = a and 1 or 0, b and 1 or 0 end
  if a ~= a or b ~= b then return a == a and b ~= b end
  if order.down then return a > b end
  return a < b
end

--- Are two values of the oracle the same, zeros and NaNs, too?
local function same(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then return a == b end
  return a == b and (a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b
end

local function differs(watch, entity)
  local seen = watch.seen[entity]
  if not seen or #watch.asked == 0 then return true end
  for _, c in ipairs(watch.asked) do
    local held = entity.has[c]
    if held and not seen[c] then return true end
    for _, field in ipairs(program.components[c].fields) do
      if held and not same(held[field.name], seen[c][field.name]) then
        return true
      end
    end
  end
  return false
end

--- Checks what was shown; the set of it.
local function check_shown(self, watch)
  local order, set, last = watch.order, {}, nil
  for _, id in ipairs(watch.shown) do
    local entity = self.oracle:find(id)
    self:must(entity and not set[entity]
      and oracle.matches(entity, watch.query.terms),
      "the watch is shown %s, which comes twice or does not match",
      self:text(id))
    set[entity] = true
    local value = order and entity.has[order.c][order.field.name]
    self:must(not order or last == nil or not comes_before(order, value, last),
      "the watch is shown %s behind %s", tostring(value), tostring(last))
    last = value
    self:digest(id)
  end
  return set
end

local function remember(self, watch)
  watch.seen = {}
  for _, entity in ipairs(self.oracle:matching(watch.query.terms)) do
    local copies = {}
    for _, c in ipairs(watch.asked) do
      if entity.has[c] then
        copies[c] = {}
        for name, value in entries(entity.has[c]) do
          copies[c][name] = value
        end
      end
    end
    watch.seen[entity] = copies
  end
end

local function look(self, watch)
  watch.shown = {}
  self:call(true, self.world, "enable", "watch", true)
  self:call(true, self.world, "run", "watch", DT)
  self.state_now, self.state_next = self.state_next or self.state_now, nil
  self:call(true, self.world, "enable", "watch", false)
  return check_shown(self, watch)
end

function steps.look(self)
  local watch = self.watch
  if not watch or self.frame or self.oracle:walking()
    or not oracle.plan(self.systems, self.phases) then return end
  local set = look(self, watch)
  for _, entity in ipairs(self.oracle:matching(watch.query.terms)) do
    self:must(set[entity] or not differs(watch, entity),
      "the watch passes over %s", self:text(entity.id))
  end
  remember(self, watch)
  if #watch.asked > 0 then
    self:must(next(look(self, watch)) == nil, "the watch is shown %s again",
      self:text(watch.shown[1]))
  end
end

return steps
