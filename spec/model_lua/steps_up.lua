--- steps_up: loops along a tree.
--
-- Every entity comes after the one that it links to, its target, and is shown
-- the target's values of one component, which are not written.

local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local batches = require "model_lua.batches"
local entries = require "model_lua.entries"
local run = require "model_lua.run"

local steps = run.steps

--- The components with a tree: { place, field's name }.
local trees = {}
for c, component in ipairs(program.components) do
  for _, field in ipairs(component.fields) do
    if field.tree then trees[#trees + 1] = { c, field.name } end
  end
end

-- Targets --------------------------------------------------------------------

local function target_of(walk, entity)
  local values = entity.has[walk.tree[1]]
  return values and values[walk.tree[2]]
end

--- How many are above an entity.
local function depth_of(self, walk, entity)
  local depth = 0
  local target = target_of(walk, entity)
  while target do
    depth = depth + 1
    target = target_of(walk, self.oracle:find(target))
  end
  return depth
end

--- The values that an entity is shown of its target, or nil.
local function above(self, walk, entity)
  local target = self.oracle:find(target_of(walk, entity))
  return target and target.has[walk.above]
end

--- Rows come by depth. In a loop of rows links may change meanwhile.
local function check_order(self, walk, id)
  local depth = depth_of(self, walk, self.oracle:find(id))
  self:must(walk.loose or depth >= (walk.depth or 0),
    "up: %s, with %d above it, comes late", self:text(id), depth)
  walk.depth = depth
end

local function compare(self, walk, id, read, held)
  for _, field in ipairs(program.components[walk.above].fields) do
    if not numbers.same(field.type, read(field), held[field.name]) then
      self:fail("up of %s: %s.%s is %s, not %s", self:text(id),
        program.components[walk.above].name, field.name,
        numbers.text(read(field)), numbers.text(held[field.name]))
    end
  end
end

--- One row. up: the view of the target.
local function check_row(self, walk, id, up)
  local entity = self.oracle:find(id)
  self:must(entity, "up: %s is dead", self:text(id))
  check_order(self, walk, id)
  local held = above(self, walk, entity)
  self:must((up ~= nil) == (held ~= nil), "up of %s: %s", self:text(id),
    tostring(up))
  if not held then return end
  compare(self, walk, id, function(field)
    return program.read(up, field)
  end, held)
  local field = program.components[walk.above].fields[1]
  self:must(not pcall(function() up[field.name] = held[field.name] end),
    "a target was written")
end

local function check_batch(self, walk, batch)
  local up = batch.up[self.definitions[walk.above]]
  for i = 1, batch.count do
    local id = batch.entities[i]
    local entity = self.oracle:find(id)
    check_order(self, walk, id)
    local held = above(self, walk, entity)
    self:must((up ~= nil) == (held ~= nil), "up of a batch, %s", self:text(id))
    if held then
      compare(self, walk, id, function(field)
        return program.read(up, field)[i]
      end, held)
    end
  end
end

-- Loops ----------------------------------------------------------------------

local kinds = { [0] = "batch", "each" } -- and rows

--- The query of a step, its claims, and what a walk of it needs to know.
local function describe(self, step)
  local base = self:query(step.q)
  local tree, above_place = trees[step.tree + 1],
    self:field_component(step.c)
  local spec = {}
  for key, value in entries(base.spec) do spec[key] = value end
  spec.up = { self.definitions[tree[1]],
              read = { self.definitions[above_place] } }
  local query = { terms = base.terms, shown = base.shown,
                  real = self.world:query(spec) }
  self.names[query.real] = self:text(base.real) .. " up by "
    .. program.components[tree[1]].name .. " to "
    .. program.components[above_place].name
  local claims = { { c = above_place, access = "read" } }
  for _, term in ipairs(base.terms) do
    -- What the query writes, and reads of targets, is claimed once.
    if term.c == above_place and (term.access == "write"
      or term.access == "optional") then
      claims[1].access = "without"
    end
    claims[#claims + 1] = term
  end
  return query, claims, { tree = tree, above = above_place }
end

local function mark(walk, known)
  walk.tree, walk.above = known.tree, known.above
end

local function loop_rows(self, walk)
  local shown = #walk.query.shown
  for id, a, b, c, d, e, f in walk.query.real:rows() do
    local rows = { a, b, c, d, e, f }
    local up = rows[shown + 1]
    rows[shown + 1] = nil
    walk.loose = walk.n > 0 and walk.step.parts[1] ~= nil
    check_row(self, walk, id, up)
    self:show_row(walk, id, rows, false)
    if walk.step.leave == walk.n then return end
  end
  self:none_was_passed_over(walk)
end

local function rows(self, step, query, claims, known)
  if self.oracle:is_contested(claims) then
    self:call(false, query.real, "rows")
    return
  end
  local walk = self:begin_walk(step, query,
    self.oracle:matching(query.terms))
  mark(walk, known)
  local ok, thrown = self:protect(function() loop_rows(self, walk) end)
  self:settle(walk, ok, thrown)
end

local function take_apart(self, walk, count, ...)
  local all, shown = { ... }, #walk.query.shown
  self:must(select("#", ...) == shown + 1 + count + 1,
    "each got %d arguments", select("#", ...))
  local up, views = all[shown + 1], {}
  for t = 1, shown do views[t] = all[t] end
  return views, up, all[shown + 1 + count + 1]
end

function steps.up(self, step)
  local query, claims, known = describe(self, step)
  local kind = kinds[step.kind]
  if not kind then return rows(self, step, query, claims, known) end
  self:scoped(step, query, kind, function(walk)
    mark(walk, known)
    if kind == "batch" then
      query.real:batch(function(batch)
        check_batch(self, walk, batch)
        batches.show(self, walk, batch)
      end, self:extras(step))
    else
      query.real:each(function(...)
        local views, up, id = take_apart(self, walk, step.extras, ...)
        check_row(self, walk, id, up)
        self:show_row(walk, id, views, true)
      end, self:extras(step))
    end
  end, claims)
end

return steps
