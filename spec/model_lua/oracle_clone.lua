--- oracle_clone: clones and names of entities in the oracle.

local entries = require "model_lua.entries"
local oracle = require "model_lua.oracle"

-- Clones ---------------------------------------------------------------------

--- The links that make an entity a part of its target: { c, name }.
local function kinds_of_children(self)
  local kinds = {}
  for c in ipairs(self.components) do
    for _, field in ipairs(self.components[c].fields) do
      if field.link == "destroy" and field.tree then
        kinds[#kinds + 1] = { c, field.name }
      end
    end
  end
  return kinds
end

--- An entity and all below it: a list of { entity, parent's place, kind, which
-- child of the parent by this kind }.
function oracle:family(id)
  local entity = self:find(id)
  local list, seen = { { entity } }, { [entity] = true }
  for place, member in ipairs(list) do
    for _, kind in ipairs(kinds_of_children(self)) do
      local nth = 0
      for _, child in ipairs(self:linked(member[1].id, kind[1], kind[2])) do
        if not child.doomed and not seen[child] then
          nth, seen[child] = nth + 1, true
          list[#list + 1] = { child, place, kind, nth }
        end
      end
    end
  end
  return list
end

--- Can these be cloned now?
function oracle:may_clone(family)
  local inside = {}
  for _, member in ipairs(family) do inside[member[1].id] = true end
  for _, member in ipairs(family) do
    for c, values in entries(member[1].has) do
      if self:is_written(c) and #self.components[c].fields > 0 then
        return false
      end
      for name in entries(self.links[c] or {}) do
        local target = values[name]
        if target and not inside[target] and not self:alive(target) then
          return false
        end
      end
    end
  end
  return true
end

--- The values of a clone, of which those in born are there; and once more all
-- those that lead to what is cloned, as { c, given }.
local function split(self, entity, clone_of, born)
  local parts, inner = {}, {}
  for c in ipairs(self.components) do
    local values = entity.has[c]
    if values and self.components[c].name ~= "ecs.Resource" then
      local given, within = {}, {}
      for _, field in ipairs(self.components[c].fields) do
        local value = values[field.name]
        local clone = field.type == "entity" and clone_of[value or 0]
        if clone then within[field.name] = clone end
        if clone and not born[clone] then value = nil end
        if clone and value then value = clone end
        given[field.name] = value == nil and oracle.null or value
      end
      parts[#parts + 1] = { c = c, values = given }
      if next(within) then inner[#inner + 1] = { c, within } end
    end
  end
  return parts, inner
end

--- Clones a family; ids: of the clones, in the same order. nil: one of them is
-- no new handle.
function oracle:clone(family, ids)
  local clone_of, later, born = {}, {}, {}
  for k, member in ipairs(family) do clone_of[member[1].id] = ids[k] end
  self:begin()
  for k, member in ipairs(family) do
    local parts, inner = split(self, member[1], clone_of, born)
    if not self:spawn(ids[k], parts, true) then return nil end
    born[ids[k]] = true
    for _, set in ipairs(inner) do later[#later + 1] = { ids[k], set } end
  end
  for _, entry in ipairs(later) do
    self:set(entry[1], entry[2][1], entry[2][2], true)
  end
  self:finish()
  return true
end

-- Names ----------------------------------------------------------------------

function oracle:name(id) return self:alive(id) and self.name_of[id] or nil end

--- The entity that has a name and is alive.
function oracle:named(name)
  local owner = self.owner_of[name]
  return owner and self:alive(owner) and owner or nil
end

--- False where it is an error. name: nil takes it away.
function oracle:give_name(id, name)
  if not self:alive(id) then return false end
  local owner = name and self.owner_of[name]
  if owner ~= id and self:named(name or "") then return false end
  if self.name_of[id] then self.owner_of[self.name_of[id]] = nil end
  if owner then self.name_of[owner] = nil end
  self.name_of[id] = name
  if name then self.owner_of[name] = id end
  return true
end

return oracle
