--- steps_resource: a resource is the one entity that has a component and the
-- tag ecs.Resource, however it came by them.

local program = require "model_lua.program"
local numbers = require "model_lua.numbers"
local run = require "model_lua.run"

local steps = run.steps
local RESOURCE = 1 -- its place among the components

--- Makes a resource: not while changes are recorded.
local function make(self, c, value, given, fields)
  if self.oracle:deferring() or self:is_full() then
    if self.oracle:deferring() then
      self:call(false, self.world, "resource", value, fields)
    end
    return nil
  end
  local row, id = self:call(true, self.world, "resource", value, fields)
  self:born(id, { { c = c, values = given }, { c = RESOURCE } }, "resource")
  return row, id
end

--- A row shows what its entity has.
local function check_row(self, c, row, id)
  local ok, held = self.oracle:get(id, c)
  for _, field in ipairs(program.components[c].fields) do
    local done, value = pcall(function() return program.read(row, field) end)
    self:must(done == ok, "a resource: %s", tostring(value))
    if ok then
      self:must(numbers.same(field.type, value, held[field.name]),
        "a resource: %s is %s, not %s", field.name, numbers.text(value),
        numbers.text(held[field.name]))
    end
  end
end

local function has_links(c)
  for _, field in ipairs(program.components[c].fields) do
    if field.link then return true end
  end
end

function steps.resource(self, step)
  local c = self:field_component(step.c)
  while has_links(c) do c = self:field_component(c + 1) end
  local value, given, fields = self:make_value(c, step.v)
  if value == nil then return end
  local alone = value == self.definitions[c] and fields == nil
  local found = self.oracle:matching { { c = c, access = "read" },
    { c = RESOURCE, access = "with" } }
  local row, id
  if #found == 1 then
    local wanted = alone or self.oracle:set(found[1].id, c, given)
    row, id = self:call(wanted, self.world, "resource", value, fields)
    self:must(not wanted or id == found[1].id, "another resource")
  elseif #found == 0 and not alone then
    row, id = make(self, c, value, given, fields)
  else
    self:call(false, self.world, "resource", value, fields)
  end
  if id then check_row(self, c, row, id) end
end

return steps
