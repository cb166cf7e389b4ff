--- steps_observe: observers, which note what they are told.
--
-- Their notes are compared with what the oracle expects (oracle_told.lua) after
-- each step that is in no loop: all that was applied by then has been told. The
-- order of calls is part of the digest: it is the same on every VM, and in
-- every partition.

local program = require "model_lua.program"
local run = require "model_lua.run"
require "model_lua.oracle_told"

local steps = run.steps

local MOST = 6 -- observers of a program

-- Noting ---------------------------------------------------------------------

local function note(self, k, id, values)
  self.heard[#self.heard + 1] = { k = k, id = id, values = values }
end

local function copy_row(c, row)
  local values = {}
  for _, field in ipairs(program.components[c].fields) do
    values[field.name] = program.read(row, field)
  end
  return values
end

local function notes_rows(self, k, shows)
  return function(id, ...)
    local values = {}
    for t, c in ipairs(shows) do
      local row = (select(t, ...))
      values[c] = row and copy_row(c, row)
    end
    note(self, k, id, values)
  end
end

local function notes_batches(self, k, shows)
  return function(batch)
    for i = 1, batch.count do
      local values = {}
      for _, c in ipairs(shows) do
        values[c] = {}
        local columns = batch[self.definitions[c]]
        for _, field in ipairs(program.components[c].fields) do
          values[c][field.name] = program.read(columns, field)[i]
        end
      end
      note(self, k, batch.entities[i], values)
    end
  end
end

-- Observers ------------------------------------------------------------------

local occasions = { "add", "remove", "set", "enter", "leave", "destroy" }

--- The components with a row; only those that always have one.
local function rows_of(query, always)
  local shows = {}
  for _, term in ipairs(query.shown) do
    if not always or term.access ~= "optional" then
      shows[#shows + 1] = term.c
    end
  end
  return shows
end

--- What it observes: the definition or query, the component's place, the terms
-- and the components shown.
local function choose(self, step, what, batches)
  if what == "enter" or what == "leave" then
    local query = self:query(step.q)
    return query.real, nil, query.terms, rows_of(query, batches)
  end
  local c = what == "set" and self:field_component(step.c)
    or self:component(step.c)
  local fields = #program.components[c].fields > 0
  return self.definitions[c], c, nil, fields and { c } or {}
end

function steps.observe(self, step)
  local watchers = self.oracle.watchers
  if not self.program.observed or self.depth > 0 or self.oracle:deferring()
    or self.frame or watchers and #watchers >= MOST then
    return
  end
  self.heard, self.handles = self.heard or {}, self.handles or {}
  local what, k = occasions[step.v % 6 + 1], #self.handles + 1
  local batches = program.mix(step.v, 4) % 3 == 0
  if what == "destroy" then
    self.oracle:watch(what, nil, nil, {})
    self.handles[k] = self:call(true, self.world, "on", what,
      notes_rows(self, k, {}))
    return
  end
  local of, c, terms, shows = choose(self, step, what, batches)
  self.oracle:watch(what, c, terms, shows)
  if batches then
    self.handles[k] = self:call(true, self.world, "on", what, of,
      notes_batches(self, k, shows), { batch = true })
  else
    self.handles[k] = self:call(true, self.world, "on", what, of,
      notes_rows(self, k, shows))
  end
end

function steps.unobserve(self, step)
  if not self.handles or self.depth > 0 or self.oracle:deferring() then
    return
  end
  local k = step.v % #self.handles + 1
  self.oracle.watchers[k].active = false
  self:call(true, self.handles[k], "off")
end

-- Comparing ------------------------------------------------------------------

local function before(a, b)
  if a.k ~= b.k then return a.k < b.k end
  return a.id < b.id
end

local function compare(self, got, wanted)
  self:must(got and got.k == wanted.k and got.id == wanted.id,
    "observer %d is told of %s, not %d of %s", got and got.k or 0,
    self:text(got and got.id), wanted.k, self:text(wanted.id))
  for _, c in ipairs(self.oracle.watchers[wanted.k].shows) do
    local read, held = got.values[c], wanted.values[c]
    self:must((read ~= nil) == (held ~= nil), "observer %d: row of %s",
      wanted.k, program.components[c].name)
    if held then
      self:compare_values(c, read, held, "observer " .. wanted.k)
    end
  end
end

--- Compares what was told since the last time.
function run:compare_told()
  local heard, place = self.heard, 0
  if not heard then return end
  for _, group in ipairs(self.oracle.told) do
    local part = {}
    for k = 1, #group do
      part[k] = heard[place + k]
      self:must(part[k], "observer %d is not told of %s", group[k].k,
        self:text(group[k].id))
      local number = part[k].id * 8 + part[k].k
      self:digest(number)
      self.told_sum = (self.told_sum * 31 + number % 1000003) % 2147483647
    end
    table.sort(part, before)
    table.sort(group, before)
    for k, wanted in ipairs(group) do compare(self, part[k], wanted) end
    place = place + #group
  end
  self:must(place == #heard, "observer %d is told of %s", heard[place + 1]
    and heard[place + 1].k or 0,
    self:text(heard[place + 1] and heard[place + 1].id))
  self.heard, self.oracle.told = {}, {}
end

return steps
