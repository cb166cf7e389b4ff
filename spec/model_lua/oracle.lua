--- oracle: the results that a world must give, computed with plain tables in
-- the obvious way.
--
--     entities   handle -> { id, birth, has, staged, doomed, pending, moves }
--     has        component's place -> its values by field name; of a tag {}
--     scopes     open callbacks and frames: the components that each claims,
--                and the index in changes at which it began
--     changes    recorded, in order; applied when the last scope ends
--
-- The oracle follows from the contract and knows nothing about storage. A dead
-- entity stays in entities, so that a handle that is issued twice is found.
-- Cost: reading is a table access; matching visits all entities.

local entries = require "model_lua.entries"

local GENERATION = 268435456 -- 2^28, between the generations of an index

local oracle = {}
oracle.__index = oracle

--- components: list of { name, fields = { { name, type, default }, ... } }.
function oracle.new(components)
  return setmetatable({
    components = components, entities = {}, order = {}, births = 0,
    scopes = {}, changes = {}, readers = {}, writers = {}, dropped = 0,
    newest = {}, highest = 0, -- id by index; the highest index
  }, oracle)
end

-- Reading --------------------------------------------------------------------

function oracle:find(id)
  local entity = id ~= nil and id == id and self.entities[id]
  return entity and not entity.dead and entity or nil
end

function oracle:alive(id)
  local entity = self:find(id)
  return entity ~= nil and not entity.doomed
end

function oracle:deferring() return #self.scopes > 0 end

--- True if a callback is open, and not just a frame that records.
function oracle:walking()
  for _, scope in ipairs(self.scopes) do
    if scope.walk then return true end
  end
  return false
end

--- All entities that are alive, in order of birth.
function oracle:living()
  local list = self.order
  if not self.untidy then return list end
  local kept = {}
  for k = 1, #list do
    if not list[k].dead then kept[#kept + 1] = list[k] end
  end
  self.order, self.untidy = kept, false
  return kept
end

function oracle:is_written(c) return (self.writers[c] or 0) > 0 end

--- True if an open callback reads or writes the component.
function oracle:is_held(c) return (self.readers[c] or 0) > 0 end

--- Returns true and the values or nil; false where get is an error.
function oracle:get(id, c)
  if #self.components[c].fields == 0 or self:is_written(c) then return false end
  local entity = self:find(id)
  return true, entity and entity.has[c]
end

function oracle:has(id, c)
  local entity = self:find(id)
  return entity ~= nil and entity.has[c] ~= nil
end

function oracle.matches(entity, terms)
  if entity.staged or entity.dead then return false end
  local has = entity.has
  for k = 1, #terms do
    local term = terms[k]
    local access = term.access
    if access ~= "optional"
      and (has[term.c] ~= nil) == (access == "without") then
      return false
    end
  end
  return true
end

function oracle:matching(terms)
  local list, found = self:living(), {}
  for k = 1, #list do
    if oracle.matches(list[k], terms) then found[#found + 1] = list[k] end
  end
  return found
end

-- Changes --------------------------------------------------------------------

function oracle:defaults(c)
  local values = {}
  for _, field in ipairs(self.components[c].fields) do
    values[field.name] = field.default
  end
  return values
end

-- Stands for nil in the fields given to set, where an entity field is cleared.
oracle.null = setmetatable({}, { __tostring = function() return "null" end })

local function assign(values, given)
  for name, value in entries(given) do
    if value == oracle.null then value = nil end
    values[name] = value
  end
end

--- All values of a component: the given fields, and defaults for the others.
function oracle:filled(c, given)
  local values = self:defaults(c)
  if given then assign(values, given) end
  return values
end

function oracle:die(entity)
  entity.dead, entity.staged, entity.doomed = true, false, false
  entity.has, entity.moves = {}, entity.moves + 1
  self.untidy = true
end

local carry = {}

function carry.spawn(_, change) change.entity.staged = false end

function carry.destroy(self, change) self:die(change.entity) end

function carry.add(self, change)
  local has = change.entity.has
  has[change.c] = has[change.c] or change.values or self:defaults(change.c)
end

function carry.remove(_, change) change.entity.has[change.c] = nil end

function carry.set(self, change)
  carry.add(self, { entity = change.entity, c = change.c })
  assign(change.entity.has[change.c], change.values)
end

--- Applies a change, or records it.
function oracle:change(kind, entity, c, values)
  local change = { kind = kind, entity = entity, c = c, values = values }
  if #self.scopes > 0 then
    self.changes[#self.changes + 1] = change
    entity.pending = entity.pending + 1
  else
    entity.moves = entity.moves + 1
    carry[kind](self, change)
  end
end

--- Can a world be asked for this id? Not when its index is in use, nor when it
-- had this generation.
function oracle:may_give(id)
  local newest = self.newest[id % GENERATION]
  return not newest or newest < id and self.entities[newest].dead == true
end

--- parts: list of { c, values }; false when the handle was issued before.
function oracle:spawn(id, parts)
  if type(id) ~= "number" or id <= 0 or self.entities[id] then return false end
  self.births = self.births + 1
  local entity = { id = id, birth = self.births, has = {}, staged = true,
                   pending = 0, moves = 0, staging = {} }
  self.entities[id] = entity
  local index = id % GENERATION
  self.newest[index] = id
  self.highest = math.max(self.highest, index)
  self.order[#self.order + 1] = entity
  self:change("spawn", entity)
  for _, part in ipairs(parts) do
    local values = self:filled(part.c, part.values)
    entity.staging[part.c] = values
    self:change("add", entity, part.c, values)
  end
  return entity
end

function oracle:destroy(id)
  if not self:alive(id) then return false end
  local entity = self.entities[id]
  entity.doomed, entity.moves = true, entity.moves + 1
  self:change("destroy", entity)
  return true
end

--- The entity of a change; or nil, and whether the change is dropped without an
-- error.
function oracle:subject(id)
  local entity = self:find(id)
  if not entity then return nil, false end
  if not entity.doomed then return entity end
  self.dropped = self.dropped + 1
  return nil, true
end

--- These three return false where the call is an error.
function oracle:add(id, c, values)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  if entity.has[c] and entity.pending == 0 then return true end
  self:change("add", entity, c, self:filled(c, values))
  return true
end

function oracle:remove(id, c)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  if entity.has[c] or entity.pending > 0 then
    self:change("remove", entity, c)
  end
  return true
end

function oracle:set(id, c, given)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  if entity.has[c] and self:is_held(c) then return false end
  if entity.has[c] and entity.pending == 0 then
    assign(entity.has[c], given)
  else
    self:change("set", entity, c, given)
  end
  return true
end

--- given: nil: no values.
function oracle:replace(id, gone, c, given)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  if given and entity.has[c] and self:is_held(c) then return false end
  self:remove(id, gone)
  if given then return self:set(id, c, given) end
  return self:add(id, c)
end

--- The bulk forms match when they are called.
function oracle:add_all(terms, c, values)
  for _, entity in ipairs(self:matching(terms)) do
    self:add(entity.id, c, values)
  end
  return true
end

function oracle:remove_all(terms, c)
  for _, entity in ipairs(self:matching(terms)) do
    self:remove(entity.id, c)
  end
  return true
end

function oracle:replace_all(terms, gone, c)
  for _, entity in ipairs(self:matching(terms)) do
    self:replace(entity.id, gone, c)
  end
  return true
end

function oracle:destroy_all(terms)
  for _, entity in ipairs(self:matching(terms)) do self:destroy(entity.id) end
  return true
end

function oracle:set_all(terms, c, given)
  local found = self:matching(terms)
  for _, entity in ipairs(found) do
    if entity.has[c] and not entity.doomed and self:is_held(c) then
      return false
    end
  end
  for _, entity in ipairs(found) do self:set(entity.id, c, given) end
  return true
end

function oracle:clear()
  if #self.scopes > 0 then return false end
  for _, entity in ipairs(self:living()) do self:die(entity) end
  return true
end

-- Scopes ---------------------------------------------------------------------

local reads = { read = true, write = true, optional = true }

--- True if a walk with these terms conflicts with claims of an open callback.
function oracle:is_contested(terms)
  for _, term in ipairs(terms) do
    if reads[term.access] and #self.components[term.c].fields > 0
      and (term.access == "read" and self:is_written(term.c)
           or term.access ~= "read" and self:is_held(term.c)) then
      return true
    end
  end
  return false
end

local function count(self, terms, step)
  for _, term in ipairs(terms) do
    if reads[term.access] and #self.components[term.c].fields > 0 then
      self.readers[term.c] = (self.readers[term.c] or 0) + step
      if term.access ~= "read" then
        self.writers[term.c] = (self.writers[term.c] or 0) + step
      end
    end
  end
end

--- Opens a scope. walk: true for a callback over rows, false for a frame or a
-- system.
function oracle:open(terms, walk)
  count(self, terms, 1)
  self.scopes[#self.scopes + 1] = {
    terms = terms, walk = walk, first = #self.changes, dropped = self.dropped,
  }
end

--- Discards the changes that the scope recorded.
local function forget(self, scope)
  for k = #self.changes, scope.first + 1, -1 do
    local change = self.changes[k]
    local entity = change.entity
    self.changes[k] = nil
    entity.pending = entity.pending - 1
    if change.kind == "spawn" then self:die(entity) end
    if change.kind == "destroy" then entity.doomed = false end
  end
  self.dropped = scope.dropped
end

local function carry_out_all(self)
  local changes = self.changes
  self.changes = {}
  for _, change in ipairs(changes) do
    change.entity.pending = change.entity.pending - 1
    change.entity.moves = change.entity.moves + 1
    carry[change.kind](self, change)
  end
end

function oracle:close(keep)
  local scope = table.remove(self.scopes)
  count(self, scope.terms, -1)
  if not keep then forget(self, scope) end
  if #self.scopes == 0 then carry_out_all(self) end
end

-- Systems --------------------------------------------------------------------

local function ranks(list)
  local rank = {}
  for k, value in ipairs(list) do rank[value] = k end
  return rank
end

--- For each system the set of systems that must run before it; nil when that is
-- impossible.
local function predecessors(systems, rank)
  local named, before = {}, {}
  for _, system in ipairs(systems) do
    named[system.name], before[system] = system, {}
  end
  local function wish(first, second)
    if not first or not second or first == second then return false end
    if rank[first.phase] > rank[second.phase] then return false end
    before[second][first] = true
    return true
  end
  for _, system in ipairs(systems) do
    for _, name in ipairs(system.before) do
      if not wish(system, named[name]) then return nil end
    end
    for _, name in ipairs(system.after) do
      if not wish(named[name], system) then return nil end
    end
  end
  return before
end

--- The order in which systems run, or nil when there is none: phase by phase,
-- always the earliest defined system that may run now.
function oracle.plan(systems, phases)
  local rank, plan, done = ranks(phases), {}, {}
  local before = predecessors(systems, rank)
  if not before then return nil end
  local function is_free(system)
    for other in entries(before[system]) do
      if not done[other] then return false end
    end
    return true
  end
  for _, phase in ipairs(phases) do
    local again
    repeat
      again = false
      for _, system in ipairs(systems) do
        if system.phase == phase and not done[system] and is_free(system) then
          done[system], again = true, true
          plan[#plan + 1] = system
          break
        end
      end
    until not again
  end
  return #plan == #systems and plan or nil
end

return oracle
