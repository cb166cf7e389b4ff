--- oracle: the results that a world must give, computed with plain tables in
-- the obvious way.
--
--     entities   handle -> { id, birth, has, since, staged, doomed, pending,
--                            moves }
--     has        component's place -> its values by field name; of a tag {}
--     since      name of a link -> when it was made, for all components
--     scopes     open callbacks and frames: the components that each claims,
--                and the index in changes at which it began
--     changes    recorded, in order; applied when the last scope ends
--
-- The oracle follows from the contract and knows nothing about storage. A dead
-- entity stays in entities, so that a handle that is issued twice is found.
-- Cost: reading is a table access; matching visits all entities.

-- Compiled, it would take the traces that the library's callers need.
if jit then jit.off(true, true) end

local entries = require "model_lua.entries"

local GENERATION = 268435456 -- 2^28, between the generations of an index

local oracle = {}
oracle.__index = oracle

--- The links among the fields of each component, by place and then by name.
local function links_of(components)
  local links = {}
  for c, component in ipairs(components) do
    for _, field in ipairs(component.fields) do
      if field.link then
        links[c] = links[c] or {}
        links[c][field.name] = field
      end
    end
  end
  return links
end

--- components: list of { name, fields = { { name, type, default }, ... } }; a
-- field that is a link has link and tree.
function oracle.new(components)
  return setmetatable({
    components = components, entities = {}, order = {}, births = 0, time = 0,
    links = links_of(components),
    scopes = {}, changes = {}, sets = {}, dropped = 0,
    readers = {}, writers = {},
    newest = {}, highest = 0, -- id by index; the highest index
    name_of = {}, owner_of = {}, -- name by id; id by name
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
  local chooses, offered = false, false
  for k = 1, #terms do
    local term = terms[k]
    local access, there = term.access, has[term.c] ~= nil
    if access == "any" then
      chooses, offered = true, offered or there
    elseif access ~= "optional" and there == (access == "without") then
      return false
    end
  end
  return offered or not chooses
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
  self:touch(entity)
  for c in entries(entity.has) do self:lose(entity, c) end
  entity.dead, entity.staged, entity.doomed = true, false, false
  entity.has, entity.since, entity.moves = {}, {}, entity.moves + 1
  self.untidy = true
end

-- Links ----------------------------------------------------------------------

--- The names of a component's links, in order.
local function link_names(self, c)
  local names = {}
  for _, field in ipairs(self.components[c].fields) do
    if field.link then names[#names + 1] = field.name end
  end
  return names
end

--- All links, as { place of a component, name }.
local function list_links(self)
  local all = {}
  for c in ipairs(self.components) do
    for _, name in ipairs(link_names(self, c)) do
      all[#all + 1] = { c, name }
    end
  end
  return all
end

--- Calls f(entity, place of a component, name) for the links that lead to one
-- of these ids.
local function each_link_to(self, ids, f)
  for _, entity in ipairs(self:living()) do
    for _, link in ipairs(self.all_links) do
      local c, name = link[1], link[2]
      local target = entity.has[c] and entity.has[c][name]
      if target and ids[target] then f(entity, c, name) end
    end
  end
end

--- What becomes of an entity whose link leads to a dead one.
local function follow(self, entity, c, name)
  local rule = self.links[c][name].link
  if rule == "remove" then
    self:lose(entity, c)
    entity.has[c], entity.moves = nil, entity.moves + 1
  elseif rule == "destroy" then
    self:kill(entity)
  else
    entity.has[c][name] = nil
  end
end

--- Kills an entity. What its death takes along is collected first.
function oracle:kill(entity)
  if entity.dead then return end
  self.all_links = self.all_links or list_links(self)
  local dying, ids, count = { entity }, { [entity.id] = true }, 0
  while count < #dying do
    count = count + 1
    each_link_to(self, { [dying[count].id] = true }, function(other, c, name)
      if self.links[c][name].link == "destroy" and not ids[other.id] then
        dying[#dying + 1], ids[other.id] = other, true
      end
    end)
  end
  for _, one in ipairs(dying) do self:die(one) end
  each_link_to(self, ids, function(other, c, name)
    follow(self, other, c, name)
  end)
end

--- Is an entity the source, or above it? target_of(entity): what one links to.
local function is_above(self, source, target, target_of)
  while target and target ~= source.id do
    local entity = self:find(target)
    target = entity and target_of(entity)
  end
  return target ~= nil
end

--- Links an entity, which has the component, to another one, or to nothing. If
-- that has died by a rule, the link follows its own. A circle that rules alone
-- have made possible is not closed.
local function link(self, entity, c, name, target)
  local values, field = entity.has[c], self.links[c][name]
  if values[name] == target then return end
  if target and field.tree and is_above(self, entity, target, function(other)
    return other.has[c] and other.has[c][name]
  end) then
    return
  end
  self.time = self.time + 1
  values[name], entity.since[c .. name] = target, self.time
  if target and not self:find(target) then follow(self, entity, c, name) end
end

--- The link of an entity when what is recorded has been applied, if no rule
-- takes anything away.
local function named_target(self, entity, c, name)
  if entity.doomed then return nil end
  local there = entity.has[c] ~= nil
  local target = there and entity.has[c][name] or nil
  for k = 1, entity.pending > 0 and #self.changes or 0 do
    local change = self.changes[k]
    if change.entity == entity and change.c == c then
      if not there or change.kind == "remove" then target = nil end
      local given = change.values and change.values[name]
      if given ~= nil and (change.kind == "set" or not there) then
        target = given ~= oracle.null and given or nil
      end
      there = change.kind ~= "remove"
    end
  end
  return target
end

--- May an entity, nil for one that is to be spawned, get these links?
function oracle:may_link(entity, c, given)
  for name, field in entries(self.links[c] or {}) do
    local target = given and given[name]
    if target ~= nil and target ~= oracle.null then
      if not self:alive(target) then return false end
      if entity and field.tree
        and is_above(self, entity, target, function(other)
          return named_target(self, other, c, name)
        end) then
        return false
      end
    end
  end
  return true
end

--- The same for a list of parts that are to be spawned.
function oracle:may_spawn(parts)
  for _, part in ipairs(parts) do
    if not self:may_link(nil, part.c, part.values) then return false end
  end
  return true
end

--- Is a link among the fields that are given, be it nil or not?
function oracle:names_link(c, given)
  for name in entries(self.links[c] or {}) do
    if given[name] ~= nil then return true end
  end
  return false
end

--- The entities that link by a field, in the order of linking: for each id that
-- they link to a list.
function oracle:links_by(c, name)
  local all, found, key = {}, {}, c .. name
  for _, entity in ipairs(self:living()) do
    local values = entity.has[c]
    if values and values[name] then all[#all + 1] = entity end
  end
  table.sort(all, function(a, b) return a.since[key] < b.since[key] end)
  for _, entity in ipairs(all) do
    local id = entity.has[c][name]
    found[id] = found[id] or {}
    table.insert(found[id], entity)
  end
  return found
end

--- The entities that link to one, in the order of linking.
function oracle:linked(id, c, name)
  return self:alive(id) and self:links_by(c, name)[id] or {}
end

-- Applying changes -----------------------------------------------------------

local carry = {}

function carry.spawn(self, change)
  self:touch(change.entity)
  change.entity.staged = false
end

function carry.destroy(self, change) self:kill(change.entity) end

--- Makes the links among these values, as long as the component stays.
local function carry_links(self, entity, c, given)
  local values = entity.has[c]
  for _, name in ipairs(self.links[c] and link_names(self, c) or {}) do
    local target = given[name]
    if target ~= nil and entity.has[c] == values and not entity.dead then
      if target == oracle.null then target = nil end
      link(self, entity, c, name, target)
    end
  end
end

--- Fields other than links.
local function carry_fields(self, entity, c, given)
  local plain = {}
  for name, value in entries(given) do
    if not (self.links[c] and self.links[c][name]) then plain[name] = value end
  end
  assign(entity.has[c], plain)
end

function carry.add(self, change)
  local entity, c = change.entity, change.c
  if entity.has[c] then return end
  local given = change.values or self:defaults(c)
  self:touch(entity)
  entity.has[c] = {}
  carry_fields(self, entity, c, given)
  carry_links(self, entity, c, given)
  if change.part then return end
  for _, need in ipairs(self.components[c].needs or {}) do
    carry.add(self, { entity = entity, c = need })
  end
end

function carry.remove(self, change)
  if change.entity.has[change.c] then self:lose(change.entity, change.c) end
  change.entity.has[change.c] = nil
end

function carry.set(self, change)
  local entity, c = change.entity, change.c
  carry.add(self, { entity = entity, c = c })
  carry_fields(self, entity, c, change.values)
  carry_links(self, entity, c, change.values)
end

--- Applies a change, or records it. part: of a spawn, which has all that its
-- parts need.
function oracle:change(kind, entity, c, values, part)
  local change = { kind = kind, entity = entity, c = c, values = values,
                   part = part }
  if #self.scopes > 0 then
    self.changes[#self.changes + 1] = change
    entity.pending = entity.pending + 1
  else
    entity.moves = entity.moves + 1
    self:begin()
    carry[kind](self, change)
    self:finish()
  end
end

--- Can a world be asked for this id? Not when its index is in use, nor when it
-- had this generation.
function oracle:may_give(id)
  local newest = self.newest[id % GENERATION]
  return not newest or newest < id and self.entities[newest].dead == true
end

--- The parts and what they need.
function oracle:with_needs(parts)
  local all, seen = {}, {}
  for k, part in ipairs(parts) do all[k], seen[part.c] = part, true end
  for _, part in ipairs(all) do
    for _, need in ipairs(self.components[part.c].needs or {}) do
      if not seen[need] then all[#all + 1] = { c = need } end
      seen[need] = true
    end
  end
  return all
end

--- parts: list of { c, values }; false when the handle was issued before.
-- exact: without what they need.
function oracle:spawn(id, parts, exact)
  if type(id) ~= "number" or id <= 0 or self.entities[id] then return false end
  self.births = self.births + 1
  local entity = { id = id, birth = self.births, has = {}, since = {},
                   staged = true, pending = 0, moves = 0, staging = {} }
  self.entities[id] = entity
  local index = id % GENERATION
  self.newest[index] = id
  self.highest = math.max(self.highest, index)
  self.order[#self.order + 1] = entity
  self:begin()
  self:change("spawn", entity)
  for _, part in ipairs(exact and parts or self:with_needs(parts)) do
    local values = self:filled(part.c, part.values)
    entity.staging[part.c] = values
    self:change("add", entity, part.c, values, true)
  end
  self:finish()
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
  if not self:may_link(entity, c, values) then return false end
  local known = entity.has[c] and entity.pending == 0
  -- A rule may have taken a component with links away by then.
  if known and not (self.links[c] and self:deferring()) then return true end
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

--- quiet: observers are not told.
function oracle:set(id, c, given, quiet)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  local waits = self:names_link(c, given)
  if entity.has[c] and not waits and self:is_held(c) then return false end
  if not self:may_link(entity, c, given) then return false end
  self:begin()
  if not quiet then self:note_set(entity, c) end
  if entity.has[c] and entity.pending == 0 and not waits then
    assign(entity.has[c], given)
  else
    self:change("set", entity, c, given)
  end
  self:finish()
  return true
end

--- given: nil: no values.
function oracle:replace(id, gone, c, given)
  local entity, drop = self:subject(id)
  if not entity then return drop end
  if given then
    local waits = self:names_link(c, given)
    if entity.has[c] and not waits and self:is_held(c) then return false end
    if not self:may_link(entity, c, given) then return false end
  end
  self:begin()
  self:remove(id, gone)
  local done = given and self:set(id, c, given, true)
  if not given then done = self:add(id, c) end
  self:finish()
  return done
end

--- The entities of a bulk change, in the order in which it changes them.
local function subjects(self, terms)
  local found = self:matching(terms)
  table.sort(found, function(a, b)
    return a.id % GENERATION > b.id % GENERATION
  end)
  return found
end

--- May all of these get these links? Those to which nothing happens are passed
-- over.
local function may_link_all(self, found, c, given)
  for _, entity in ipairs(found) do
    if not entity.doomed and not self:may_link(entity, c, given) then
      return false
    end
  end
  return true
end

--- The bulk forms match when they are called. These two return false where the
-- call is an error.
function oracle:add_all(terms, c, values)
  local found = subjects(self, terms)
  if not may_link_all(self, found, c, values) then return false end
  self:begin()
  for _, entity in ipairs(found) do self:add(entity.id, c, values) end
  self:finish()
  return true
end

function oracle:set_all(terms, c, given)
  local found = subjects(self, terms)
  if not may_link_all(self, found, c, given) then return false end
  local waits = self:names_link(c, given)
  for _, entity in ipairs(found) do
    if entity.has[c] and not entity.doomed and not waits
      and self:is_held(c) then
      return false
    end
  end
  self:begin()
  for _, entity in ipairs(found) do self:set(entity.id, c, given) end
  self:finish()
  return true
end

function oracle:remove_all(terms, c)
  self:begin()
  for _, entity in ipairs(subjects(self, terms)) do
    self:remove(entity.id, c)
  end
  self:finish()
end

function oracle:replace_all(terms, gone, c)
  self:begin()
  for _, entity in ipairs(subjects(self, terms)) do
    self:replace(entity.id, gone, c)
  end
  self:finish()
end

function oracle:destroy_all(terms)
  self:begin()
  for _, entity in ipairs(subjects(self, terms)) do self:destroy(entity.id) end
  self:finish()
end

function oracle:clear()
  if #self.scopes > 0 then return false end
  self:begin()
  for _, entity in ipairs(self:living()) do self:die(entity) end
  self:finish()
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
    sets = #self.sets,
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
  for k = #self.sets, scope.sets + 1, -1 do self.sets[k] = nil end
end

local function carry_out_all(self)
  local changes = self.changes
  self.changes = {}
  self:begin()
  for _, change in ipairs(changes) do
    change.entity.pending = change.entity.pending - 1
    change.entity.moves = change.entity.moves + 1
    -- A rule may have killed it.
    if not change.entity.dead then carry[change.kind](self, change) end
  end
  self:finish()
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
