--- batches: the checks and stores in a callback of a batch.
--
-- A batch is read before it is written, because reading back what a batch has
-- assigned is where the VMs differ. A store that must be refused is therefore
-- also the only one of its batch, and the last thing its callback does.

local entries = require "model_lua.entries"
local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local run = require "model_lua.run"

local batches = {}

--- The columns of a batch: columns[t][field name]; false for an absent optional
-- term.
function batches.columns_of(self, query, batch)
  local columns = {}
  for t, term in ipairs(query.shown) do
    local component = program.components[term.c]
    local proxy = batch[component.name]
    self:must(proxy == batch[self.definitions[term.c]], "two proxies")
    columns[t] = false
    if proxy ~= nil then
      columns[t] = {}
      for _, field in ipairs(component.fields) do
        columns[t][field.name] = program.read(proxy, field)
      end
    end
  end
  return columns
end

--- Compares row i with the oracle's values(entity, c).
function batches.check_columns(self, query, columns, i, entity, values)
  for t, term in ipairs(query.shown) do
    local held = values(entity, term.c)
    self:must((held ~= nil) == (columns[t] ~= false), "row %d: optional %s", i,
      program.components[term.c].name)
    if held then
      for _, field in ipairs(program.components[term.c].fields) do
        local read = columns[t][field.name][i]
        if not numbers.same(field.type, read, held[field.name]) then
          self:fail("row %d of a batch: %s.%s is %s, not %s", i,
            program.components[term.c].name, field.name, numbers.text(read),
            numbers.text(held[field.name]))
        end
      end
    end
  end
end

--- Makes the one store that must be refused, if the query has a column for it.
function batches.store_badly(walk, columns, entity, values)
  for t, term in ipairs(walk.query.shown) do
    local field = program.components[term.c].fields[1]
    if columns[t] and (term.access == "read") == (walk.step.bad == 2) then
      walk.must_fail = true
      columns[t][field.name][1] = walk.step.bad == 2
        and run.other(values(entity, term.c)[field.name]) or "wrong"
      return true
    end
  end
  return false
end

function batches.store_row(self, walk, columns, i, entity, values)
  self:each_store(walk, entity.birth, function(term, field, raw, held, t)
    local place = columns[t]
    if not place then return end
    values(entity, term.c)[field.name] = held
    place[field.name][i] = raw
  end)
end

--- Rows that a batch does not have, and a field that no component has.
local function check_outside(self, walk, columns, batch)
  for t, term in ipairs(walk.query.shown) do
    local place = columns[t]
    local name = program.components[term.c].fields[1].name
    for _, i in ipairs { 0, batch.count + 1, 1.5, -1 } do
      self:must(not place
        or not pcall(function() return place[name][i] end)
          and not pcall(function() place[name][i] = 1 end),
        "row %s of a batch of %d", numbers.text(i), batch.count)
    end
    self:must(not pcall(function() return batch[term.c] end)
      and not pcall(function() return batch.Nowhere end), "a strange key")
  end
end

local function of_entity(entity, c) return entity.has[c] end

--- One callback of a batch.
function batches.show(self, walk, batch)
  local query, count = walk.query, batch.count
  self:must(count >= 1, "an empty batch")
  local columns = batches.columns_of(self, query, batch)
  local entities = batch.entities
  if walk.n == 0 then check_outside(self, walk, columns, batch) end
  walk.batch, walk.columns = batch, columns
  if walk.step.bad and walk.n == 0 then
    local entity = self.oracle.entities[entities[1]]
    if batches.store_badly(walk, columns, entity, of_entity) then
      return
    end
  end
  for i = 1, count do
    local entity = self:visit(walk, entities[i])
    batches.check_columns(self, query, columns, i, entity, of_entity)
    self:bodies(walk, entity, {})
    batches.store_row(self, walk, columns, i, entity, of_entity)
  end
end

--- A batch that was kept beyond its loop raises an error. A column also raises
-- one, or is a table that is not read any more: stores there have no effect.
function batches.check_over(self, walk)
  local batch = walk.batch
  if not batch then return end
  self:must(not pcall(function() return batch.count end)
    and not pcall(function() return batch.entities end),
    "a batch can be used after its loop")
  for _, fields in ipairs(walk.columns) do
    for _, column in entries(fields or {}) do
      pcall(function() column[1] = 77 end)
    end
  end
end

return batches
