--- walk: what all loops over rows share.
--
--     begin_walk   the entities that must be visited; then for every row
--       visit      checks that the entity is expected, and its values
--       bodies     the steps that the program has for this row
--     protect      calls the library; settle checks how the loop ended
--
-- An error that a step raises passes through the library's loops up to the
-- first one that catches it. At every level the library must pass it on
-- unchanged.

local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local run = require "model_lua.run"

local mix = program.mix

local extras = { 11, "extra" }

--- Extra arguments for a loop, and a check that the callback got them.
function run.extras(_, step)
  if step.extras == 0 then return end
  if step.extras == 1 then return extras[1] end
  return extras[1], extras[2]
end

function run:check_extras(step, a, b)
  local wanted_a = step.extras > 0 and extras[1] or nil
  local wanted_b = step.extras > 1 and extras[2] or nil
  self:must(a == wanted_a and b == wanted_b, "extra arguments: %s, %s",
    tostring(a), tostring(b))
end

-- Visited entities -----------------------------------------------------------

--- found: the entities that match, all visited unless the loop ends early.
function run:begin_walk(step, query, found)
  local walk = { step = step, query = query, left = {}, total = #found, n = 0,
                 targets = {} }
  for _, entity in ipairs(found) do walk.left[entity] = entity.moves end
  for k, part in ipairs(step.parts or {}) do
    if part.target then walk.targets[k] = self:pick(part.target) end
  end
  return walk
end

--- The entity of a row; it must be one that was not visited yet.
function run:visit(walk, id)
  local entity = self.oracle.entities[id]
  self:must(entity and walk.left[entity], "row %d: %s comes twice or does not "
    .. "match", walk.n + 1, self:text(id))
  walk.left[entity] = nil
  walk.n = walk.n + 1
  self.rows = self.rows + 1
  self:digest(id)
  if self.trace then self:note("-- row " .. walk.n .. ": " .. self:text(id)) end
  return entity
end

--- Runs the steps that the program has for this row. views: of this row, for
-- steps that use them.
function run:bodies(walk, entity, views)
  local parts = walk.step.parts
  if not parts then return end
  local open = #self.views
  for k, part in ipairs(parts) do
    local target = walk.targets[k]
    if part.at == walk.n or target and target == entity.id then
      for j = 1, #views do self.views[open + j] = views[j] end
      self:execute(part.steps)
      for j = #self.views, open + 1, -1 do self.views[j] = nil end
    end
  end
end

function run:all_came(walk)
  self:must(next(walk.left) == nil, "%d of %d rows came", walk.n, walk.total)
end

-- Errors ---------------------------------------------------------------------

--- Calls f, and closes what f left open in this run.
function run:protect(f)
  local depth, open = self.depth, #self.views
  self.depth = depth + 1
  local ok, thrown = pcall(f)
  self:check_failure()
  self.depth = depth
  for j = #self.views, open + 1, -1 do self.views[j] = nil end
  return ok, thrown
end

--- True if the error is the one that a step raised, or an expected one. A
-- system's name may have been added to text.
local function judge(self, walk, thrown)
  local wanted = self.thrown
  if walk.must_fail and not wanted then
    self:must(type(thrown) == "string" and thrown:find("ecs: ", 1, true),
      "not an error of ecs: %s", tostring(thrown))
    self.errors = self.errors + 1
    self.thrown = { value = thrown }
  elseif not wanted then
    self:fail("unexpected error: %s", tostring(thrown))
  elseif wanted.misuse then
    self:must(type(thrown) == "string"
      and thrown:find("ecs: ModelPlain is a tag", 1, true),
      "a misuse became %s", tostring(thrown))
    self.thrown = { value = thrown }
  elseif walk.name and type(wanted.value) == "string" then
    self:must(type(thrown) == "string"
      and thrown:find(wanted.value, 1, true)
      and thrown:find("'" .. walk.name .. "'", 1, true),
      "%s became %s", wanted.value, tostring(thrown))
    wanted.value = thrown
  else
    self:must(rawequal(thrown, wanted.value), "%s became %s",
      tostring(wanted.value), tostring(thrown))
  end
end

--- After a loop: true when it ended without an error, false when its error was
-- caught. An error that is not caught is raised again.
function run:settle(walk, ok, thrown)
  if ok then
    self:must(not self.thrown, "an error was swallowed")
    self:must(not walk.must_fail, "a wrong store was not refused")
    self:digest(5)
    return true
  end
  judge(self, walk, thrown)
  self:digest(6)
  if walk.step.catch or self.depth == 0 then
    self.thrown = nil
    return false
  end
  error(thrown, 0)
end

--- Raises text, a table, a number, false, nil, or the error of a misuse.
function run.steps.throw(self, step)
  if self.depth == 0 then return end
  if step.kind == 5 then
    self:note("an error of ecs")
    self.thrown = { misuse = true }
    self.world:get(self:pick(1000), self.definitions[8]) -- ModelPlain
  end
  local values = { "thrown on purpose", {}, 7.5, false }
  local value = values[step.kind + 1]
  if self.trace then self:note("error(" .. self:text(value) .. ", 0)") end
  self.thrown = { value = value }
  error(value, 0)
end

--- Programs run in a coroutine, but no callback can yield.
function run.steps.yield(self)
  if not self.frame and not self.oracle:walking() then return end
  self:must(not pcall(coroutine.yield, "out"), "a callback yielded")
end

-- Values ---------------------------------------------------------------------

--- A value that a row or column takes, and the value that it holds then. Whole
-- numbers are likelier than edges.
function run:storable(field, number)
  local rest = math.floor(number / 4)
  local raw
  if field.type == "entity" and number % 4 > 0 then
    raw = self:pick(rest)
  elseif number % 4 > 1 then
    raw = field.type == "bool" and rest % 2 == 0 or rest % 101
  else
    raw = numbers.at(rest)
  end
  local ok, held = numbers.convert(field.type, raw)
  if ok then return raw, held end
  local _, one = numbers.convert(field.type, 1)
  return 1, one
end

--- Calls store(term, field, raw, held) for some fields of the terms that may be
-- written; w: of the loop, salt: of the row.
function run:each_store(walk, salt, store)
  local w = walk.step.w
  if not w then return end
  for t, term in ipairs(walk.query.shown) do
    if term.access ~= "read" then
      for f, field in ipairs(program.components[term.c].fields) do
        local number = mix(mix(w, salt), t * 10 + f)
        if number % 3 > 0 and not field.link then
          store(term, field, self:storable(field, math.floor(number / 3)), t)
        end
      end
    end
  end
end

--- A number other than the stored one.
function run.other(held)
  if type(held) == "boolean" then return not held end
  return (held == 0 or held == nil) and 1 or 0
end

return run
