--- steps_entity: steps that read or change one entity, or all that match.
--
-- Each step resolves its numbers, gets the expected result from the oracle, and
-- makes the call with that expectation. The oracle is changed before the call,
-- and the library is not called in between.

local entries = require "model_lua.entries"
local program = require "model_lua.program"
local oracle = require "model_lua.oracle"
local numbers = require "model_lua.numbers"
local run = require "model_lua.run"

local steps = run.steps
local mix = program.mix

-- One entity -----------------------------------------------------------------

local function answer(self, got, wanted, what)
  if got ~= wanted then
    self:fail("%s: %s, not %s", what, numbers.text(got), numbers.text(wanted))
  end
  self:digest(got and 3 or 4)
end

function steps.destroy(self, step)
  local id = self:pick(step.e)
  local wanted = self.oracle:destroy(id)
  answer(self, self:call(true, self.world, "destroy", id), wanted, "destroy")
end

function steps.add(self, step)
  local id, c = self:pick(step.e), self:component(step.c)
  local value, given, fields = self:make_value(c, step.v)
  if value == nil then return end
  local wanted = self.oracle:add(id, c, given)
  if fields then
    self:call(wanted, self.world, "add", id, value, fields)
  else
    self:call(wanted, self.world, "add", id, value)
  end
end

function steps.remove(self, step)
  local id, c = self:pick(step.e), self:component(step.c)
  local wanted = self.oracle:remove(id, c)
  self:call(wanted, self.world, "remove", id, self.definitions[c])
end

function steps.set(self, step)
  local id, c = self:pick(step.e), self:component(step.c)
  local value, given, fields = self:make_value(c, step.v)
  if value == nil then return end
  local wanted
  if #program.components[c].fields == 0 then
    wanted = self.oracle:add(id, c)
  else
    wanted = self.oracle:set(id, c, given)
  end
  if fields then
    self:call(wanted, self.world, "set", id, value, fields)
  else
    self:call(wanted, self.world, "set", id, value)
  end
end

--- The second of its changes may be refused, the first only for a dead entity.
function steps.replace(self, step)
  local id, gone = self:pick(step.e), self:component(mix(step.c, 3))
  local c = self:component(step.c)
  if gone == c then
    self:call(false, self.world, "replace", id, self.definitions[c],
      self.definitions[c])
    return
  end
  local value, given, fields
  if step.v % 2 == 0 then
    value, given, fields = self:make_value(c, step.v)
    if value == nil then return end
    -- The component alone, or with an empty table, has no values here, unlike
    -- in set.
    if value == self.definitions[c] and not (fields and next(fields)) then
      given = nil
    end
  end
  if #program.components[c].fields == 0 then given = nil end
  local wanted = self.oracle:replace(id, gone, c, given)
  value = value or self.definitions[c]
  if fields then
    self:call(wanted, self.world, "replace", id, self.definitions[gone], value,
      fields)
  else
    self:call(wanted, self.world, "replace", id, self.definitions[gone], value)
  end
end

function steps.set_field(self, step)
  local id, c = self:pick(step.e), self:field_component(step.c)
  local fields = program.components[c].fields
  local field = fields[step.v % #fields + 1]
  local raw = self:raw(field, mix(step.v, 1))
  local fits, kept = numbers.strict(field.type, raw)
  local wanted = false
  if fits then
    if kept == nil then kept = oracle.null end
    wanted = self.oracle:set(id, c, { [field.name] = kept })
  end
  self:call(wanted, self.world, "set", id, self.definitions[c], field.name, raw)
end

--- Two fields at once, all or nothing.
function steps.set_fields(self, step)
  local id, c = self:pick(step.e), self:field_component(step.c)
  local fields = program.components[c].fields
  local first = step.v % #fields + 1
  local a, b = fields[first], fields[first % #fields + 1]
  local one = self:raw(a, mix(step.v, 1))
  local other = self:raw(b, mix(step.v, 2))
  local fits, kept = numbers.strict(a.type, one)
  local fits_too, kept_too = numbers.strict(b.type, other)
  local wanted = false
  if fits and fits_too and a ~= b then
    if kept == nil then kept = oracle.null end
    if kept_too == nil then kept_too = oracle.null end
    wanted = self.oracle:set(id, c, { [a.name] = kept, [b.name] = kept_too })
  end
  self:call(wanted, self.world, "set", id, self.definitions[c], a.name, one,
    b.name, other)
end

function steps.get(self, step)
  local id, c = self:pick(step.e), self:component(step.c)
  local ok, held = self.oracle:get(id, c)
  local read = self:call(ok, self.world, "get", id, self.definitions[c])
  if not ok then return end
  self:must((read ~= nil) == (held ~= nil), "get: %s", tostring(read))
  if held then
    self:compare_values(c, read, held, "get")
    local wanted = #program.components[c].fields
    for _, value in entries(read) do
      wanted = wanted - (type(value) == "table" and #value or 1)
    end
    for _, field in ipairs(program.components[c].fields) do
      if held[field.name] == nil then wanted = wanted - 1 end
    end
    self:must(wanted == 0, "get: the table has other fields")
  end
end

function steps.get_fields(self, step)
  local id, c = self:pick(step.e), self:field_component(step.c)
  local fields = program.components[c].fields
  local first = fields[step.v % #fields + 1]
  local second = fields[mix(step.v, 2) % #fields + 1]
  local ok, held = self.oracle:get(id, c)
  local a, b = self:call(ok, self.world, "get", id, self.definitions[c],
    first.name, second.name)
  if not ok then return end
  held = held or {}
  self:must(numbers.same(first.type, a, held[first.name])
    and numbers.same(second.type, b, held[second.name]),
    "get: %s, %s, not %s, %s", numbers.text(a), numbers.text(b),
    numbers.text(held[first.name]), numbers.text(held[second.name]))
end

function steps.has(self, step)
  local id, c = self:pick(step.e), self:component(step.c)
  local other = self:component(step.v)
  local model = self.oracle
  if step.v % 2 == 0 then
    answer(self, self:call(true, self.world, "has", id, self.definitions[c]),
      model:has(id, c), "has")
  else
    answer(self, self:call(true, self.world, "has", id, self.definitions[c],
      self.definitions[other]), model:has(id, c) and model:has(id, other),
      "has of two")
  end
end

function steps.alive(self, step)
  local id = self:pick(step.e)
  answer(self, self:call(true, self.world, "alive", id), self.oracle:alive(id),
    "alive")
end

--- components: a list in order of definition; nil for a dead entity.
function steps.components(self, step)
  local id = self:pick(step.e)
  local list = self:call(true, self.world, "components", id)
  local alive = self.oracle:alive(id)
  self:must((list ~= nil) == alive, "components: %s", tostring(list))
  if not alive then return end
  local entity, at = self.oracle:find(id), 0
  for c = 1, #program.components do
    if entity.has[c] then
      at = at + 1
      self:must(list[at] == self.definitions[c], "components: entry %d", at)
    end
  end
  self:must(#list == at, "components: too many")
end

-- Misuse ---------------------------------------------------------------------

--- Makes a value and drops it.
function steps.value(self, step)
  self:make_value(self:field_component(step.c), step.v)
end

local wrong = {
  function(self, id, definition)
    self:call(false, self.world, "get", id, definition, "nowhere")
  end,
  function(self, id, definition)
    self:call(false, self.world, "set", id, definition, "nowhere", 1)
  end,
  function(self, id) self:call(false, self.world, "add", id, "Position") end,
  function(self, _, definition)
    self:call(false, self.world, "spawn", definition, definition)
  end,
  function(self) self:call(false, self.world, "spawn", 7) end,
  function(self, _, definition)
    self:call(false, self.world, "spawn_many", -1, { definition })
  end,
  function(self, _, definition)
    self:call(false, self.world, "get", {}, definition)
  end,
  function(self, id) self:call(false, self.world, "has", id, "Position") end,
  function(self, _, definition)
    self:call(false, self.world, "query", { definition, read = { definition } })
  end,
  function(self, _, definition)
    self:call(false, self.world, "query", { reads = { definition } })
  end,
  function(self) self:call(false, self.queries[1].real, "batch", 7) end,
  function(self) self:call(false, self.world, "progress", 0 / 0) end,
  function(self) self:call(false, self.world, "group", { 7 }) end,
}

--- A call that is an error in every state of the world.
function steps.misuse(self, step)
  local id, c = self:pick(step.e), self:field_component(step.c)
  wrong[step.v % #wrong + 1](self, id, self.definitions[c])
end

-- The world ------------------------------------------------------------------

function steps.clear(self)
  if self.depth > 0 and self.ops % 4 > 0 then return end
  self:call(self.oracle:clear(), self.world, "clear")
end

function steps.trim(self)
  self:call(not self.oracle:deferring(), self.world, "trim")
end

--- Groups or ungroups up to four components, tags stored as bits among them;
-- where all are tags, they may become bits.
function steps.group(self, step)
  local list, seen, fields = {}, {}, 0
  for k = 1, 1 + step.v % 4 do
    local c = self:component(mix(step.v, k))
    if not seen[c] then
      list[#list + 1] = self.definitions[c]
      fields = fields + #self.oracle.components[c].fields
    end
    seen[c] = true
  end
  local kept = not self.oracle:deferring()
  if fields == 0 and mix(step.v, 8) % 2 == 0 then
    self:call(kept, self.world, "group", list, { storage = "bits" })
  else
    self:call(kept, self.world,
      mix(step.v, 9) % 4 == 0 and "ungroup" or "group", list)
  end
end

--- Components are stored as the counted changes and runs say.
function steps.optimize(self, step)
  if step.v % 2 == 0 then self:call(true, self.world, "advise") end
  self:call(not self.oracle:deferring(), self.world, "optimize")
end

function steps.hash(self)
  local before = self:call(true, self.world, "state_hash")
  self:must(before == self.world:state_hash(), "two hashes of one state")
  self:must(self.world:dump() == self.world:dump(), "two texts of one state")
  self:digest(tonumber(self:call(true, self.world, "hash"):sub(1, 8), 16))
end

function steps.statistics(self)
  if not self.abilities.stats then return end
  local stats = self:call(true, self.world, "stats")
  local alive = 0
  for _, entity in ipairs(self.oracle:living()) do
    if not entity.doomed then alive = alive + 1 end
  end
  self:must(stats.dropped == self.oracle.dropped, "stats.dropped: %s, not %d",
    tostring(stats.dropped), self.oracle.dropped)
  if not self.oracle:deferring() then
    self:must(stats.entities == alive, "stats.entities: %s, not %d",
      tostring(stats.entities), alive)
  end
  self:must(stats.systems == #self.systems + (self.watch and 1 or 0),
    "stats.systems")
end

--- explain depends on the program alone, so its text is part of the digest.
function steps.explain(self, step)
  local text = self:call(true, self:query(step.q).real, "explain")
  if self.abilities.stats then
    text = text .. self:call(true, self.world, "explain")
  end
  for k = 1, #text, 3 do self:digest(text:byte(k)) end
end

--- Runs the collector, which may run at any time.
function steps.collect(_, step)
  if step.v % 16 == 0 then collectgarbage() else collectgarbage("step", 10) end
end

--- Closing is an error where changes are recorded.
function steps.close(self)
  if self.oracle:walking() or self.flush == "frame" and self.frame then
    self:call(false, self.world, "close")
  end
end

-- All that match -------------------------------------------------------------

function steps.count(self, step)
  local query = self:query(step.q)
  local count = self:call(true, query.real, "count")
  local wanted = #self.oracle:matching(query.terms)
  self:must(count == wanted, "count: %s, not %d", tostring(count), wanted)
end

function steps.first(self, step)
  if not self.abilities.first then return end
  local query = self:query(step.q)
  local id = self:call(true, query.real, "first")
  local entity = self.oracle:find(id)
  if not entity then
    self:must(id == nil and #self.oracle:matching(query.terms) == 0,
      "first: %s", tostring(id))
  else
    self:must(oracle.matches(entity, query.terms), "first does not match")
  end
end

function steps.query(self, step)
  self.queries[step.q % #self.queries + 1] = self:make_query(step.spec)
end

function steps.add_all(self, step)
  if not self.abilities.add_all then return end
  local query, c = self:query(step.q), self:component(step.c)
  local value, given, fields = self:make_value(c, step.v)
  if value == nil then return end
  local wanted = self.oracle:add_all(query.terms, c, given)
  if fields then
    self:call(wanted, query.real, "add", value, fields)
  else
    self:call(wanted, query.real, "add", value)
  end
end

function steps.remove_all(self, step)
  if not self.abilities.add_all then return end
  local query, c = self:query(step.q), self:component(step.c)
  self.oracle:remove_all(query.terms, c)
  self:call(true, query.real, "remove", self.definitions[c])
end

function steps.replace_all(self, step)
  if not self.abilities.add_all then return end
  local query, c = self:query(step.q), self:component(step.c)
  local gone = self:component(mix(step.v, 5))
  if gone == c then return end
  self.oracle:replace_all(query.terms, gone, c)
  self:call(true, query.real, "replace", self.definitions[gone],
    self.definitions[c])
end

function steps.set_all(self, step)
  if not self.abilities.add_all then return end
  local query, c = self:query(step.q), self:component(step.c)
  local value, given, fields = self:make_value(c, step.v)
  if value == nil then return end
  local wanted
  if #program.components[c].fields == 0 then
    wanted = self.oracle:add_all(query.terms, c)
  else
    wanted = self.oracle:set_all(query.terms, c, given)
  end
  if fields then
    self:call(wanted, query.real, "set", value, fields)
  else
    self:call(wanted, query.real, "set", value)
  end
end

--- Destroys all that match; rarely when many do, so that entities are left.
function steps.destroy_all(self, step)
  local query = self:query(step.q)
  local many = #self.oracle:matching(query.terms) > 12
  if not self.abilities.add_all or many and step.q % 4 > 0 then return end
  self.oracle:destroy_all(query.terms)
  self:call(true, query.real, "destroy")
end

return steps
