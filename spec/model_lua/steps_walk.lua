--- steps_walk: steps with loops (batch, each, rows) and with views of rows.
--
-- A row of each or rows is read, its steps are run, then the row is written and
-- read again. Steps inside may use the views of all loops around them. A view
-- must be refused after its entity has died or lost the component.

local entries = require "model_lua.entries"
local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local oracle = require "model_lua.oracle"
local batches = require "model_lua.batches"
local run = require "model_lua.run"

local steps = run.steps

-- Loops ----------------------------------------------------------------------

--- Runs a loop that opens a scope: call(walk) makes the call of the library.
-- claims: the terms that the callback claims, where they are others.
function run:scoped(step, query, name, call, claims)
  local model = self.oracle
  claims = claims or query.terms
  if model:is_contested(claims) then
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
  model:open(claims, true)
  local ok, thrown = self:protect(function() call(walk) end)
  if ok then self:all_came(walk) end
  batches.check_over(self, walk)
  model:close(ok)
  if self.trace then self:note(ok and "end" or "end -- an error") end
  self:settle(walk, ok, thrown)
end

function steps.batch(self, step)
  local query = self:query(step.q)
  self:scoped(step, query, "batch", function(walk)
    query.real:batch(function(batch, a, b)
      self:check_extras(step, a, b)
      batches.show(self, walk, batch)
    end, self:extras(step))
  end)
end

-- Views of rows --------------------------------------------------------------

--- The expected behaviour of a view. held: the values behind the view, or nil
-- where its use is an error. A view of rows can be read while other callbacks
-- claim its component.
local function behind(self, view)
  if view.direct then return view.entity.has[view.c] end
  if self.oracle:is_written(view.c) or view.entity.dead then return nil end
  return view.entity.has[view.c]
end

local function read(self, view, field)
  local held = behind(self, view)
  local ok, value = pcall(function()
    return program.read(view.row, field)
  end)
  self:check_failure()
  self:must(ok == (held ~= nil), "a view of %s: %s",
    program.components[view.c].name, tostring(value))
  if held and not numbers.same(field.type, value, held[field.name]) then
    self:fail("a view: %s.%s is %s, not %s", program.components[view.c].name,
      field.name, numbers.text(value), numbers.text(held[field.name]))
  end
end

--- Makes a store through a view in the oracle; false where it is an error.
local function store_in_oracle(self, view, field, held)
  local values = behind(self, view)
  if view.access == "read" or not values or field.link then return false end
  if view.direct then
    values[field.name] = held
    return true
  end
  if held == nil then held = oracle.null end
  return self.oracle:set(view.entity.id, view.c, { [field.name] = held }, true)
end

local function write(self, view, field, raw, held, wrong)
  local wanted = not wrong and store_in_oracle(self, view, field, held)
  if self.trace then
    self:note(string.format("view of %s, %s: .%s = %s",
      self:text(view.entity.id), program.components[view.c].name, field.name,
      self:text(raw)))
  end
  local ok, text = pcall(function()
    program.write(view.row, field, raw)
  end)
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
  if step.k % 9 == 0 then
    self:must(not pcall(function() return view.row.nowhere end)
      and not pcall(function() view.row.nowhere = 1 end), "a strange field")
  elseif step.write then
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

--- One row of each or rows, given as a table of views. direct: of each, which
-- nothing can take away.
function run:show_row(walk, id, rows, direct)
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

--- A view that was kept beyond its loop.
local function check_over(self, walk)
  local view = walk.kept
  if not view then return end
  local name = program.components[view.c].fields[1].name
  self:must(not pcall(function() return view.row[name] end)
    and not pcall(function() view.row[name] = 1 end),
    "a view can be used after its loop")
end

--- The arguments of a callback of each: views, extras, entity.
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
  self:scoped(step, query, "each", function(walk)
    last = walk
    query.real:each(function(...)
      local rows, id, a, b = self:take_apart(walk, step.extras, ...)
      self:check_extras(step, step.extras > 0 and a or nil,
        step.extras > 1 and b or nil)
      self:show_row(walk, id, rows, true)
    end, self:extras(step))
  end)
  if last then check_over(self, last) end
end

--- Entities that matched all the time must have been visited.
function run:none_was_passed_over(walk)
  for entity, moves in entries(walk.left) do
    self:must(entity.moves ~= moves or entity.doomed or entity.staged,
      "rows passed over %s", self:text(entity.id))
  end
end

local function loop_rows(self, walk)
  local step, terms = walk.step, walk.query.terms
  for id, a, b, c, d, e in walk.query.real:rows() do
    local entity = self.oracle:find(id)
    self:must(entity and not entity.doomed and oracle.matches(entity, terms),
      "rows: %s is dead or does not match", self:text(id))
    self:show_row(walk, id, { a, b, c, d, e }, false)
    if step.leave == walk.n then return true end
  end
  return false
end

--- A loop of rows opens no scope, so none ends with it.
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
    self:none_was_passed_over(walk)
    check_over(self, walk)
  end
  self:settle(walk, ok, thrown)
end

--- A loop over what links to an entity; it opens no scope either.
function steps.links(self, step)
  local model, id = self.oracle, self:pick(step.e)
  local c, field = 1 + step.c % #program.components, nil
  while not model.links[c] do c = 1 + c % #program.components end
  for name, link in entries(model.links[c]) do
    if not field or link.tree then field = name end
  end
  self:compare_links(id, c, field, model:linked(id, c, field))
  local found, left = model:linked(id, c, field), false
  local walk = self:begin_walk(step, nil, found)
  if self.trace then
    self:note(string.format("for ... in world:links(%s, %s, %q) do",
      self:text(id), program.components[c].name, field))
  end
  local ok, thrown = self:protect(function()
    for e in self.world:links(id, self.definitions[c], field) do
      local entity = self:visit(walk, e)
      self:must(model:alive(e) and entity.has[c] and entity.has[c][field] == id,
        "links: %s does not link any more", self:text(e))
      self:bodies(walk, entity, {})
      if step.leave == walk.n then left = true break end
    end
  end)
  if self.trace then self:note(ok and "end" or "end -- an error") end
  for entity in entries(walk.left) do
    self:must(left or not ok or entity.doomed or not entity.has[c]
      or entity.has[c][field] ~= id, "links passed over %s",
      self:text(entity.id))
  end
  self:settle(walk, ok, thrown)
end

return steps
