--- steps_spawn: steps that spawn entities, one at a time or many.
--
-- Only the library knows the handle of a new entity. The oracle gets the handle
-- and checks that it is new. Where changes are recorded, the callback of
-- spawn_many gets its rows before they are in the world: they are not claimed,
-- and their entities have no components yet.

local entries = require "model_lua.entries"
local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local oracle = require "model_lua.oracle"
local batches = require "model_lua.batches"
local run = require "model_lua.run"

local steps = run.steps
local mix = program.mix

-- One ------------------------------------------------------------------------

--- Some different components with their values, as arguments for the library
-- and for the oracle; nil when a value was refused.
function run:parts(number, count)
  local real, held, seen = {}, {}, {}
  for k = 1, count do
    local salt = mix(number, k)
    local c = self:component(salt)
    if not seen[c] then
      seen[c] = true
      local value, given, fields = self:make_value(c, mix(number, k + 100))
      if value == nil then return nil end
      real[#real + 1] = value
      if fields then real[#real + 1] = fields end
      held[#held + 1] = { c = c, values = given }
    end
  end
  return real, held
end

local unpack = table.unpack or unpack -- luacheck: ignore

--- Adds an entity that the library made to the oracle.
function run:born(id, held, what)
  local entity = self.oracle:spawn(id, held)
  self:must(entity, "%s: %s is no new handle", what, numbers.text(id))
  self:remember(id)
  return entity
end

--- The same spawn by a spawner: of each component, some of the given fields are
-- its arguments, the others fixed.
local function spawn_prepared(self, number, held)
  local parts, given = {}, { n = 0 }
  for k, part in ipairs(held) do
    local fixed, names = {}, {}
    for f, field in ipairs(program.components[part.c].fields) do
      local value = part.values and part.values[field.name]
      if value == oracle.null then value = nil end
      if part.values and part.values[field.name] ~= nil then
        if mix(number, 64 * k + f) % 3 == 0 then
          fixed[field.name] = value
        else
          names[#names + 1], given.n = field.name, given.n + 1
          given[given.n] = value
        end
      end
    end
    parts[#parts + 1] = self.definitions[part.c]
    if next(fixed) then
      if number % 2 == 0 then
        parts[#parts + 1] = fixed
      else
        parts[#parts] = parts[#parts](fixed)
      end
    end
    for _, name in ipairs(names) do parts[#parts + 1] = name end
  end
  local shoot = self:call(true, self.world, "spawner", unpack(parts))
  return self:call(self.oracle:may_spawn(held), { shoot = function(_, ...)
    return shoot(...)
  end }, "shoot", unpack(given, 1, given.n))
end

function steps.spawn(self, step)
  if self:is_full() then return steps.destroy(self, { e = step.v }) end
  local real, held = self:parts(step.v, step.count)
  if not real then return end
  local id
  if step.v % 3 == 0 then
    id = spawn_prepared(self, step.v, held)
  else
    id = self:call(self.oracle:may_spawn(held), self.world, "spawn",
      unpack(real))
  end
  if not self.oracle:may_spawn(held) then return end
  self:born(id, held, "spawn")
  if self.trace then self:note("  --> " .. self.names[id]) end
end

local GENERATION = 268435456 -- 2^28

--- An id of an index that is in use, free, or a few above all others; mostly
-- the next of its index.
local function make_id(self, number)
  local index = 1 + number % (self.oracle.highest + 5)
  local newest = self.oracle.newest[index]
  local newer = number % 7 == 0 and 0 or number % 7 == 1 and 2 or 1
  if not newest then return index + math.floor(newer / 2) * GENERATION end
  return newest + newer * GENERATION
end

function steps.spawn_as(self, step)
  if self:is_full() then return end
  local real, held = self:parts(step.v, step.count)
  if not real then return end
  local id = make_id(self, step.e)
  local possible = self.oracle:may_give(id)
  local wanted = not possible or self.oracle:may_spawn(held)
  local given, why = self:call(wanted, self.world, "spawn_as", id, unpack(real))
  if not wanted then return end
  self:digest(given or 3)
  self:must(given == (possible and id or nil),
    "spawn_as gives %s instead of %s", tostring(given),
    possible and numbers.text(id) or "nil")
  if not possible then
    self:must(type(why) == "string", "no reason but %s", tostring(why))
  else
    self:born(id, held, "spawn_as")
  end
end

-- Many -----------------------------------------------------------------------

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

--- The values of an entity that may not be in the world yet.
local function of_newborn(entity, c)
  return entity.has[c] or entity.staging[c]
end

--- Parts without the links that they give; and those links, as list of { c,
-- values }.
local function without_links(self, held)
  local plain, links = {}, {}
  for k, part in ipairs(held) do
    local given, linked = {}, {}
    for name, value in entries(part.values or {}) do
      local is_link = self.oracle.links[part.c]
        and self.oracle.links[part.c][name]
      if is_link then linked[name] = value else given[name] = value end
    end
    plain[k] = { c = part.c, values = given }
    if next(linked) then links[#links + 1] = { c = part.c, values = linked } end
  end
  return plain, links
end

--- Links what spawn_many has made, before its callback changes anything.
local function link_newborn(self, walk)
  for _, part in ipairs(walk.links) do
    for _, entity in ipairs(walk.born) do
      self.oracle:set(entity.id, part.c, part.values)
    end
  end
end

--- One callback. The steps of rows wait until all entities are known.
local function show_newborn(self, walk, held, batch)
  local columns = batches.columns_of(self, walk.query, batch)
  local entities = batch.entities
  local born = {}
  for i = 1, batch.count do
    born[i] = self:born(entities[i], held, "spawn_many")
    walk.born[#walk.born + 1] = born[i]
    batches.check_columns(self, walk.query, columns, i, born[i], of_newborn)
  end
  walk.batch, walk.columns = batch, columns
  walk.seen = walk.seen + batch.count
  if walk.seen == walk.step.n then
    walk.deferring = self.oracle:deferring()
    self.oracle:open(walk.deferring and {} or walk.query.terms, true)
    walk.opened = true
    link_newborn(self, walk)
    if walk.step.bad and batch.count == walk.step.n
      and batches.store_badly(walk, columns, born[1], of_newborn) then
      return
    end
  end
  for i = 1, batch.count do
    walk.n = walk.n + 1
    -- Observers are told what the rows have when the call is over.
    if walk.opened and not self.oracle.watchers then
      self:bodies(walk, born[i], {})
    end
    batches.store_row(self, walk, columns, i, born[i], of_newborn)
  end
end

local function spawn_with(self, step, real, held)
  local walk = self:begin_walk(step, bundle(self, real, held), {})
  local plain
  walk.seen, walk.born = 0, {}
  plain, walk.links = without_links(self, held)
  if self.trace then
    self:note(string.format("world:spawn_many(%d, %s, function...)", step.n,
      self:text(real)))
  end
  self.oracle:begin()
  local ok, thrown = self:protect(function()
    self.world:spawn_many(step.n, real, function(batch)
      show_newborn(self, walk, plain, batch)
    end)
  end)
  if ok then self:must(walk.seen == step.n, "%d were spawned", walk.seen) end
  batches.check_over(self, walk)
  if walk.opened then self.oracle:close(ok) end
  if not ok then link_newborn(self, walk) end
  self.oracle:finish()
  if self.trace then self:note(ok and "end" or "end -- an error") end
  self:settle(walk, ok, thrown)
end

--- Sorts new entities in the order in which they were linked, where they were.
local function sort_by_links(self, found, held)
  for _, part in ipairs(held) do
    for name in entries(self.oracle.links[part.c] or {}) do
      local target = part.values and part.values[name]
      if target ~= nil and target ~= oracle.null then
        local rank, count = {}, 0
        for e in self.world:links(target, self.definitions[part.c], name) do
          count = count + 1
          rank[e] = count
        end
        table.sort(found, function(a, b)
          return (rank[a] or 0) < (rank[b] or 0)
        end)
        return
      end
    end
  end
end

--- Without a function, a query for all entities finds the new ones.
local function spawn_without(self, step, real, held)
  self:call(true, self.world, "spawn_many", step.n, real)
  local found = {}
  self.everybody = self.everybody or self.world:query { all = true }
  self.everybody:batch(function(batch)
    for i = 1, batch.count do
      local id = batch.entities[i]
      if not self.oracle:find(id) then found[#found + 1] = id end
    end
  end)
  self:must(#found == step.n, "%d were spawned", #found)
  sort_by_links(self, found, held)
  self.oracle:begin()
  for _, id in ipairs(found) do self:born(id, held, "spawn_many") end
  self.oracle:finish()
end

function steps.spawn_many(self, step)
  if self:is_full() then return end
  local real, held = self:parts(step.v, step.count)
  if not real then return end
  if not self.oracle:may_spawn(held) then
    self:call(false, self.world, "spawn_many", step.n, real,
      step.call and print or nil)
    return
  end
  self.calls = self.calls + 1
  if step.call or self.oracle:deferring() then
    spawn_with(self, step, real, held)
  else
    spawn_without(self, step, real, held)
  end
end

return steps
