--- steps_name: steps that name entities, find them, and clone them.

local run = require "model_lua.run"
require "model_lua.oracle_clone"

local steps = run.steps

-- Names ----------------------------------------------------------------------

local names = { "ada", "bob", "cy", "d\195\169", "eve", ("f"):rep(255) }
local wrong = { "", "a\nb", "\255", ("x"):rep(256), 7, true }

--- Names are read, given, and taken away.
function steps.name(self, step)
  local id, model = self:pick(step.e), self.oracle
  local kind, name = step.v % 8, names[step.c % #names + 1]
  if kind == 0 then
    self:call(false, self.world, "name", id, wrong[step.c % #wrong + 1])
  elseif kind < 3 then
    local read = self:call(true, self.world, "name", id)
    self:must(read == model:name(id), "name: %s, not %s", tostring(read),
      tostring(model:name(id)))
  else
    if kind == 3 then name = nil end
    self:call(model:give_name(id, name), self.world, "name", id, name)
  end
end

function steps.find(self, step)
  if step.v % 8 == 0 then
    self:call(false, self.world, "find", wrong[step.c % #wrong + 1])
    return
  end
  local name = names[step.c % #names + 1]
  local id = self:call(true, self.world, "find", name)
  self:must(id == self.oracle:named(name), "find %s: %s", name, self:text(id))
  self:digest(id or 7)
end

--- Compares all names.
function run:compare_names()
  for _, name in ipairs(names) do
    local id = self.oracle:named(name)
    self:must(self.world:find(name) == id, "the entity named %s", name)
    self:must(not id or self.world:name(id) == name, "the name %s", name)
  end
end

-- Clones ---------------------------------------------------------------------

--- The ids of a family's clones, found by their links.
local function clones_of(self, family, root)
  local ids = { root }
  for k = 2, #family do
    local parent, kind, nth = family[k][2], family[k][3], family[k][4]
    local n = 0
    for e in self.world:links(ids[parent], self.definitions[kind[1]],
      kind[2]) do
      n = n + 1
      if n == nth then ids[k] = e end
    end
    self:must(ids[k], "clone: child %d of %s is missing", nth,
      self:text(family[parent][1].id))
  end
  return ids
end

local function most(self) return self.program.large and 400 or 48 end

--- While changes are recorded, only entities without children: the clones of
-- these have no links yet, by which they could be found.
function steps.clone(self, step)
  local id, model = self:pick(step.e), self.oracle
  if not model:alive(id) then
    self:call(false, self.world, "clone", id)
    return
  end
  local family = model:family(id)
  if self:is_full() or #family > most(self)
    or model:deferring() and #family > 1 then
    return
  end
  local wanted = model:may_clone(family)
  local root = self:call(wanted, self.world, "clone", id)
  if not wanted then return end
  local ids = clones_of(self, family, root)
  self:must(model:clone(family, ids), "clone: %s is no new handle",
    self:text(root))
  for _, clone in ipairs(ids) do self:remember(clone) end
  self:digest(#ids)
end

return steps
