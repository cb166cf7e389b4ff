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
  batches.check_over(self, walk)
  model:close(ok)
  if self.trace then self:note(ok and "end" or "end -- an error") end
  self:settle(walk, ok, thrown)
end

function steps.batch(self, step)
  local query = self:query(step.q)
  scoped(self, step, query, "batch", function(walk)
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
  local ok, value = pcall(function() return view.row[field.name] end)
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

--- Entities that matched all the time must have been visited.
local function none_was_passed_over(self, walk)
  for entity, moves in entries(walk.left) do
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
    none_was_passed_over(self, walk)
    check_over(self, walk)
  end
  self:settle(walk, ok, thrown)
end

return steps
