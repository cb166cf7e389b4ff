--- oracle_told: what observers must be told, by comparing what was there with
-- what is there, entity by entity.
--
--     watchers   { what, c or terms, active } in order of registration
--     before     entity -> { there, has } as it was before this application
--     lost       in these: a component's place -> the values it had last
--     sets       { entity, c }: what was set, in callbacks that are open, too
--     told       groups of notices { k, id, values }, one for each application,
--                whose order within is not that of the calls
--
-- The library's calls are compared with the groups in order, and sorted within.

local entries = require "model_lua.entries"
local oracle = require "model_lua.oracle"

--- begin and finish enclose what is one change for observers; they nest.
function oracle:begin()
  self.nested = (self.nested or 0) + 1
end

--- Remembers what an entity was before this application.
function oracle:touch(entity)
  if not self.watchers or self.before[entity] then return end
  local has = {}
  for c, values in entries(entity.has) do has[c] = values end
  self.before[entity] = { there = not entity.staged and not entity.dead,
                          has = has, lost = {} }
  self.touched[#self.touched + 1] = entity
end

--- An entity loses a component.
function oracle:lose(entity, c)
  if not self.watchers then return end
  self:touch(entity)
  self.before[entity].lost[c] = entity.has[c]
end

function oracle:note_set(entity, c)
  if self.watchers then self.sets[#self.sets + 1] = { entity, c } end
end

-- Notices --------------------------------------------------------------------

local function copy(values)
  local same = {}
  for name, value in entries(values or {}) do same[name] = value end
  return same
end

local function matched(state, terms)
  return state.there and oracle.matches({ has = state.has }, terms)
end

--- The values that a call shows, by place of the component.
local function shown(watcher, has)
  local values = {}
  for _, c in ipairs(watcher.shows) do
    values[c] = has[c] and copy(has[c])
  end
  return values
end

--- Is a watcher told of what became of an entity? now: as before.
local function is_told(watcher, before, now, set)
  local what, c = watcher.what, watcher.c
  local had, has = before.has[c], now.has[c]
  if what == "add" then return not had and has end
  if what == "remove" then return had and not has end
  if what == "set" then return had and has and set and set[c] end
  if what == "destroy" then return before.there and not now.there end
  local was, is = matched(before, watcher.terms), matched(now, watcher.terms)
  if what == "enter" then return is and not was end
  return was and not is
end

local function tell(self, group, entity, before, set)
  local now = { there = not entity.dead, has = entity.has }
  -- What came by the same change that made it leave is shown, too.
  local last = copy(now.there and now.has or {})
  for c, values in entries(before.has) do last[c] = values end
  for c, values in entries(before.lost) do last[c] = values end
  if before.there == now.there and not now.there then return end
  for k, watcher in ipairs(self.watchers) do
    if watcher.active and is_told(watcher, before, now, set) then
      local gone = watcher.what == "remove" or watcher.what == "leave"
      group[#group + 1] = { k = k, id = entity.id,
                            values = shown(watcher, gone and last or now.has) }
    end
  end
end

--- Forgets what there was before.
local function start_anew(self)
  self.before, self.touched, self.sets = {}, {}, {}
end

--- Ends what begin began. Where nothing records, observers are told.
function oracle:finish()
  self.nested = self.nested - 1
  if self.nested > 0 or #self.scopes > 0 or not self.watchers then return end
  local group, set = {}, {}
  for _, pair in ipairs(self.sets) do
    local entity, c = pair[1], pair[2]
    set[entity] = set[entity] or {}
    set[entity][c] = true
    if not entity.dead then self:touch(entity) end
  end
  for _, entity in ipairs(self.touched) do
    tell(self, group, entity, self.before[entity], set[entity])
  end
  start_anew(self)
  if #group > 0 then self.told[#self.told + 1] = group end
end

--- Adds an observer: shows are the places of the components with a row.
function oracle:watch(what, c, terms, shows)
  if not self.watchers then
    self.watchers, self.told = {}, {}
    start_anew(self)
  end
  local watcher = { what = what, c = c, terms = terms, shows = shows,
                    active = true }
  self.watchers[#self.watchers + 1] = watcher
  return watcher
end

return oracle
