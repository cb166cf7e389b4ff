--- steps_walk: the loops: batch, each, rows, spawn_many, and views of rows.
--
-- A batch is read before it is written, because reading back what a batch has
-- assigned is where the VMs differ. A store that must be refused is therefore
-- also the only one of its batch, and the last thing its callback does.

local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local oracle = require "model_lua.oracle"
local run = require "model_lua.run"

local steps = run.steps

-- Batches --------------------------------------------------------------------

--- The columns of a batch: columns[t][field name], false for an optional term
-- that is not there.
local function columns_of(self, query, batch)
  local columns = {}
  for t, term in ipairs(query.shown) do
    local component = program.components[term.c]
    local proxy = batch[component.name]
    self:must(proxy == batch[self.definitions[term.c]], "two proxies")
    columns[t] = false
    if proxy ~= nil then
      columns[t] = {}
      for _, field in ipairs(component.fields) do
        columns[t][field.name] = proxy[field.name]
      end
    end
  end
  return columns
end

--- Compares row i with what the oracle has: values(entity, c).
local function check_columns(self, query, columns, i, entity, values)
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

--- Makes the one store that must be refused, if the query has a place for it.
local function store_badly(walk, columns, entity, values)
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

local function store_row(self, walk, columns, i, entity, values)
  self:each_store(walk, entity.birth, function(term, field, raw, held, t)
    local place = columns[t]
    if not place then return end
    values(entity, term.c)[field.name] = held
    place[field.name][i] = raw
  end)
end

local function of_entity(entity, c) return entity.has[c] end

--- One callback of a batch.
local function show(self, walk, batch)
  local query, count = walk.query, batch.count
  self:must(count >= 1, "an empty batch")
  local columns, entities = columns_of(self, query, batch), batch.entities
  if walk.step.bad and walk.n == 0 then
    local entity = self.oracle.entities[entities[1]]
    if store_badly(walk, columns, entity, of_entity) then return end
  end
  for i = 1, count do
    local entity = self:visit(walk, entities[i])
    check_columns(self, query, columns, i, entity, of_entity)
    self:bodies(walk, entity, {})
    store_row(self, walk, columns, i, entity, of_entity)
  end
end
run.show_batch_of = show

--- Everything of a loop that opens a scope: call is what the library is asked
-- to do with walk.
local function scoped(self, step, query, name, call)
  local model = self.oracle
  if model:is_contested(query.terms) then
    self:call(false, query.real, name, function()
      self:fail("a claimed component was walked over")
    end)
    return
  end
  local walk = self:begin_walk(step, query, model:matching(query.terms))
  self.calls = self.calls + 1
  if self.trace then
    self:note(string.format("%s:%s(function...)", self:text(query.real), name))
  end
  model:open(query.terms, true)
  local ok, thrown = self:protect(function() call(walk) end)
  if ok then self:all_came(walk) end
  model:close(ok)
  if self.trace then self:note(ok and "end" or "end -- an error") end
  self:settle(walk, ok, thrown)
end

function steps.batch(self, step)
  local query = self:query(step.q)
  scoped(self, step, query, "batch", function(walk)
    query.real:batch(function(batch, a, b)
      self:check_extras(step, a, b)
      show(self, walk, batch)
    end, self:extras(step))
  end)
end

-- Views of rows --------------------------------------------------------------

--- What a view must do. held: the values behind it, or nil where using it is an
-- error. A view of rows goes on while other callbacks claim its component.
local function behind(self, view)
  if view.direct then return view.entity.has[view.c] end
  if self.oracle:is_written(view.c) or view.entity.dead then return nil end
  return view.entity.has[view.c]
end

local function read(self, view, field)
  local held = behind(self, view)
  local ok, value = pcall(function() return view.row[field.name] end)
  self:check_failure()
  self:must(ok == (held ~= nil), "a view of %s: %s",
    program.components[view.c].name, tostring(value))
  if held and not numbers.same(field.type, value, held[field.name]) then
    self:fail("a view: %s.%s is %s, not %s", program.components[view.c].name,
      field.name, numbers.text(value), numbers.text(held[field.name]))
  end
end

--- Does what a store through a view does to the oracle; false: it is an error.
local function store_in_oracle(self, view, field, held)
  local values = behind(self, view)
  if view.access == "read" or not values then return false end
  if view.direct then
    values[field.name] = held
    return true
  end
  if held == nil then held = oracle.null end
  return self.oracle:set(view.entity.id, view.c, { [field.name] = held })
end

local function write(self, view, field, raw, held, wrong)
  local wanted = not wrong and store_in_oracle(self, view, field, held)
  if self.trace then
    self:note(string.format("view of %s, %s: .%s = %s",
      self:text(view.entity.id), program.components[view.c].name, field.name,
      self:text(raw)))
  end
  local ok, text = pcall(function() view.row[field.name] = raw end)
  self:check_failure()
  self:must(ok == wanted, "a store through a view: %s", tostring(text))
  if not ok then
    self.errors = self.errors + 1
    self:must(tostring(text):find("ecs: ", 1, true), "%s", tostring(text))
  end
  read(self, view, field)
end

--- Reads and writes a view of one of the loops around this step.
function steps.view(self, step)
  if #self.views == 0 then return end
  local view = self.views[step.k % #self.views + 1]
  local fields = program.components[view.c].fields
  local field = fields[step.v % #fields + 1]
  if step.write then
    local raw, held = self:storable(field, program.mix(step.v, 3))
    write(self, view, field, raw, held)
  else
    read(self, view, field)
  end
end

--- The views of one row: rows[t] is what the loop gave for term t.
local function views_of(self, walk, entity, rows, direct)
  local views, by_term = {}, {}
  for t, term in ipairs(walk.query.shown) do
    local there = entity.has[term.c] ~= nil
    self:must((rows[t] ~= nil) == there, "row %d: optional %s", walk.n,
      program.components[term.c].name)
    if there then
      by_term[t] = { row = rows[t], c = term.c, access = term.access,
                     entity = entity, direct = direct }
      views[#views + 1] = by_term[t]
    end
  end
  return views, by_term
end

local function read_all(self, views)
  for _, view in ipairs(views) do
    for _, field in ipairs(program.components[view.c].fields) do
      read(self, view, field)
    end
  end
end

--- One row of each or rows, given as a table of views.
local function show_row(self, walk, id, rows, direct)
  local entity = self:visit(walk, id)
  local views, by_term = views_of(self, walk, entity, rows, direct)
  read_all(self, views)
  self:bodies(walk, entity, views)
  self:each_store(walk, entity.birth, function(_, field, raw, held, t)
    if by_term[t] then write(self, by_term[t], field, raw, held) end
  end)
  for _, view in ipairs(views) do
    if walk.step.bad and walk.n == 1 then
      local field = program.components[view.c].fields[1]
      write(self, view, field, "wrong", nil, true)
    end
  end
  read_all(self, views)
  walk.kept = views[1] or walk.kept
end

--- One row of an each system.
function run:show_row_of(walk, id, rows)
  show_row(self, walk, id, rows, true)
end

--- A view that was kept beyond its loop.
local function check_over(self, walk)
  local view = walk.kept
  if not view then return end
  local name = program.components[view.c].fields[1].name
  self:must(not pcall(function() return view.row[name] end)
    and not pcall(function() view.row[name] = 1 end),
    "a view can be used after its loop")
end

--- What a callback of each got, taken apart: views, extras, entity.
function run:take_apart(walk, count, ...)
  local rows, shown = {}, #walk.query.shown
  self:must(select("#", ...) == shown + count + 1, "each got %d arguments",
    select("#", ...))
  local all = { ... }
  for t = 1, shown do rows[t] = all[t] end
  return rows, all[shown + count + 1], all[shown + 1], all[shown + 2]
end

function steps.each(self, step)
  if not self.abilities.each then return end
  local query, last = self:query(step.q), nil
  scoped(self, step, query, "each", function(walk)
    last = walk
    query.real:each(function(...)
      local rows, id, a, b = self:take_apart(walk, step.extras, ...)
      self:check_extras(step, step.extras > 0 and a or nil,
        step.extras > 1 and b or nil)
      show_row(self, walk, id, rows, true)
    end, self:extras(step))
  end)
  if last then check_over(self, last) end
end

--- Who matched all the time must have come.
local function none_was_passed_over(self, walk)
  for entity, moves in pairs(walk.left) do
    self:must(entity.moves ~= moves or entity.doomed or entity.staged,
      "rows passed over %s", self:text(entity.id))
  end
end

local function loop_rows(self, walk)
  local step, terms = walk.step, walk.query.terms
  for id, a, b, c, d in walk.query.real:rows() do
    local entity = self.oracle:find(id)
    self:must(entity and not entity.doomed and oracle.matches(entity, terms),
      "rows: %s is dead or does not match", self:text(id))
    show_row(self, walk, id, { a, b, c, d }, false)
    if step.leave == walk.n then return true end
  end
  return false
end

--- Nothing is open meanwhile, so nothing ends with it.
function steps.rows(self, step)
  if not self.abilities.rows then return end
  local query, model, left = self:query(step.q), self.oracle, nil
  if model:is_contested(query.terms) then
    self:call(false, query.real, "rows")
    return
  end
  local walk = self:begin_walk(step, query, model:matching(query.terms))
  self.calls = self.calls + 1
  if self.trace then self:note("for ... in " .. self:text(query.real)
    .. ":rows() do") end
  local ok, thrown = self:protect(function() left = loop_rows(self, walk) end)
  if self.trace then self:note(ok and "end" or "end -- an error") end
  if ok and not left then
    none_was_passed_over(self, walk)
    check_over(self, walk)
  end
  self:settle(walk, ok, thrown)
end

-- Many new ones --------------------------------------------------------------

--- The terms of a walk over new rows, all of which are written.
local function bundle(self, real, held)
  local terms, shown = {}, {}
  for k, part in ipairs(held) do
    local term = { c = part.c, access = "write" }
    terms[k] = term
    if #program.components[part.c].fields > 0 then shown[#shown + 1] = term end
  end
  return { real = self.world, terms = terms, shown = shown, parts = real }
end

--- Where the values of an entity are that may not be there yet.
local function of_newborn(entity, c)
  return entity.has[c] or entity.staging[c]
end

--- One callback. The steps of rows wait until everybody is known.
local function show_newborn(self, walk, held, batch)
  local columns, entities = columns_of(self, walk.query, batch), batch.entities
  local born = {}
  for i = 1, batch.count do
    born[i] = self:born(entities[i], held, "spawn_many")
    check_columns(self, walk.query, columns, i, born[i], of_newborn)
  end
  walk.seen = walk.seen + batch.count
  if walk.seen == walk.step.n then
    walk.deferring = self.oracle:deferring()
    self.oracle:open(walk.deferring and {} or walk.query.terms, true)
    walk.opened = true
    if walk.step.bad and batch.count == walk.step.n
      and store_badly(walk, columns, born[1], of_newborn) then
      return
    end
  end
  for i = 1, batch.count do
    walk.n = walk.n + 1
    if walk.opened then self:bodies(walk, born[i], {}) end
    store_row(self, walk, columns, i, born[i], of_newborn)
  end
end

local function spawn_with(self, step, real, held)
  local walk = self:begin_walk(step, bundle(self, real, held), {})
  walk.seen = 0
  if self.trace then
    self:note(string.format("world:spawn_many(%d, %s, function...)", step.n,
      self:text(real)))
  end
  local ok, thrown = self:protect(function()
    self.world:spawn_many(step.n, real, function(batch)
      show_newborn(self, walk, held, batch)
    end)
  end)
  if ok then self:must(walk.seen == step.n, "%d were spawned", walk.seen) end
  if walk.opened then self.oracle:close(ok) end
  if self.trace then self:note(ok and "end" or "end -- an error") end
  self:settle(walk, ok, thrown)
end

--- Without a function the new ones are found by a query for everybody.
local function spawn_without(self, step, real, held)
  self:call(true, self.world, "spawn_many", step.n, real)
  local found = {}
  self.everybody = self.everybody or self.world:query {}
  self.everybody:batch(function(batch)
    for i = 1, batch.count do
      local id = batch.entities[i]
      if not self.oracle:find(id) then found[#found + 1] = id end
    end
  end)
  self:must(#found == step.n, "%d were spawned", #found)
  for _, id in ipairs(found) do self:born(id, held, "spawn_many") end
end

function steps.spawn_many(self, step)
  if self:is_full() then return end
  local real, held = self:parts(step.v, step.count)
  if not real then return end
  self.calls = self.calls + 1
  if step.call or self.oracle:deferring() then
    spawn_with(self, step, real, held)
  else
    spawn_without(self, step, real, held)
  end
end

return steps
