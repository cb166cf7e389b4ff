--- deferral: changes have the same result, whether made at once or recorded.
--
-- A script is a list of changes that name entities by their order of birth. It
-- is run in several ways: at once, and in callbacks that record. At the end
-- every entity must have the same components with the same values. Ids of new
-- entities and the order of rows may differ, so entities are compared by birth,
-- also in fields. A script reads nothing, because the results may differ, and
-- has no bulk forms, because they match when they are called.

local program = require "model_lua.program"
local numbers = require "model_lua.numbers"

local deferral = {}

local mix = program.mix
local components = program.components

-- The first component with links; they are the last ones.
local FIRST_LINK = #components - 2

-- Scripts --------------------------------------------------------------------

local ops = { "spawn", "spawn", "spawn_many", "destroy", "add", "add", "add",
              "remove", "remove", "set", "set", "set_field", "set_field",
              "nested" }

--- { seed, groups, steps = sections, each { steps = changes } }
function deferral.make(seed)
  local below = program.random(seed)
  for _ = 1, 5 do below(2) end
  local function changes(count, depth)
    local list = {}
    for k = 1, count do
      local op = ops[1 + below(#ops - (depth > 1 and 1 or 0))]
      list[k] = { op = op, e = below(1000000), c = below(1000000),
                  v = below(1000000) }
      if op == "nested" then list[k].steps = changes(below(5), depth + 1) end
    end
    return list
  end
  local made = { seed = seed, groups = program.groups(below), steps = {} }
  made.linked = below(2) == 0 or nil
  for k = 1, 1 + below(3) do made.steps[k] = { steps = changes(14, 0) } end
  return made
end

-- Running --------------------------------------------------------------------

local script = {}
script.__index = script

function script:entity(number)
  if #self.births == 0 then return nil end
  return self.births[number % #self.births + 1]
end

--- Remembers a new entity.
function script:born(id)
  self.births[#self.births + 1] = id
  self.birth_of[id] = #self.births
end

function script:field(field, number)
  if field.type == "entity" then return self:entity(number) end
  if field.type == "bool" then return number % 2 == 0 end
  if field.type == "f64" or field.type == "f32" then return number % 997 / 8 end
  return number % 100
end

--- A value with some fields, or the definition for all defaults.
function script:value(c, number)
  local given = {}
  if #components[c].fields == 0 or number % 4 == 0 then
    return self.definitions[c]
  end
  for k, field in ipairs(components[c].fields) do
    local salt = mix(number, k)
    if salt % 2 == 0 then
      given[field.name] = self:field(field, math.floor(salt / 2))
    end
  end
  return self.definitions[c](given)
end

function script:parts(number)
  local list, seen = {}, {}
  for k = 1, number % 5 do
    local c = mix(number, k) % self.last + 1
    if not seen[c] then list[#list + 1] = self:value(c, mix(number, k + 50)) end
    seen[c] = true
  end
  return list
end

local unpack = table.unpack or unpack -- luacheck: ignore
local change = {}

function change.spawn(self, step)
  self:born(self.world:spawn(unpack(self:parts(step.v))))
end

function change.spawn_many(self, step)
  local position = self.definitions[2]
  self.world:spawn_many(step.e % 4, { position, self.definitions[8] },
    function(batch)
      for i = 1, batch.count do
        self:born(batch.entities[i])
        batch[position].x[i] = step.v % 91 + i
      end
    end)
end

--- Nothing dies where there are links: at once, a link to what a rule has
-- killed is an error; recorded, it follows its own rule.
function change.destroy(self, step)
  if step.v % 3 == 0 and not self.linked then
    self.world:destroy(self:entity(step.e))
  end
end

function change.add(self, step)
  local c = step.c % self.last + 1
  self.world:add(self:entity(step.e), self:value(c, step.v))
end

function change.remove(self, step)
  local c = step.c % self.last + 1
  self.world:remove(self:entity(step.e), self.definitions[c])
end

function change.set(self, step)
  local c = step.c % self.last + 1
  self.world:set(self:entity(step.e), self:value(c, step.v))
end

function change.set_field(self, step)
  local c = step.c % 6 + 2
  if self.linked and step.c % 7 == 0 then c = FIRST_LINK + step.c % 3 end
  local field = components[c].fields[step.v % #components[c].fields + 1]
  self.world:set(self:entity(step.e), self.definitions[c], field.name,
    self:field(field, mix(step.v, 9)))
end

--- Runs changes inside one more callback, when one is open already.
function change.nested(self, step)
  if not self.deferred then return self:run(step.steps) end
  self.anchored:batch(function() self:run(step.steps) end)
end

--- Changes of dead entities: errors when made at once, ignored when recorded.
function script:run(list)
  for _, step in ipairs(list) do
    local ok, text = pcall(change[step.op], self, step)
    text = tostring(text)
    if not ok and not text:find("is not alive", 1, true)
      and not text:find("cannot link to", 1, true) then
      error(text, 0)
    end
  end
end

-- Ways to run a section ------------------------------------------------------

local ways = {}
deferral.ways = { "at once", "batch", "each", "system", "rows", "frame",
                  "frame rows" }

ways["at once"] = function(self, list) self:run(list) end

function ways.batch(self, list)
  self.anchored:batch(function() self:run(list) end)
end

function ways.each(self, list)
  self.anchored:each(function() self:run(list) end)
end

function ways.rows(self, list)
  for _ in self.anchored:rows() do self:run(list) end
end

function ways.system(self, list)
  self.world:system { name = "section", query = self.anchored,
                      batch = function() self:run(list) end }
  self.world:progress(1)
end

function ways.frame(self, list)
  local half = math.floor(#list / 2)
  local first, second = {}, {}
  for k, step in ipairs(list) do
    table.insert(k <= half and first or second, step)
  end
  self.world:system { name = "first", run = function() self:run(first) end }
  self.world:system { name = "second", run = function() self:run(second) end }
  self.world:progress(1)
end

ways["frame rows"] = function(self, list)
  self.world:system { name = "first", run = function()
    for _ in self.anchored:rows() do self:run(list) end
  end }
  self.world:progress(1)
end

local at_once = { ["at once"] = true, rows = true }

--- True if this library can run scripts in this way.
function deferral.possible(way, abilities)
  if way == "each" then return abilities.each end
  if way:find("rows") and not abilities.rows then return false end
  return not way:find("frame") or abilities.flush
end

-- Results --------------------------------------------------------------------

local function field_text(self, field, value)
  if field.type ~= "entity" then return numbers.text(value) end
  return value == nil and "nobody" or "#" .. self.birth_of[value]
end

local function entity_text(self, birth, id)
  if not self.world:alive(id) then return birth .. " is dead" end
  local out = { birth .. ":" }
  for c, component in ipairs(components) do
    if self.world:has(id, self.definitions[c]) then
      out[#out + 1] = component.name
      local values = #component.fields > 0
        and self.world:get(id, self.definitions[c])
      for _, field in ipairs(component.fields) do
        out[#out + 1] = field_text(self, field, program.read(values, field))
      end
    end
  end
  return table.concat(out, " ")
end

--- What links to an entity, in order.
local function links_text(self, id)
  local out = {}
  for c = FIRST_LINK, #components do
    for _, field in ipairs(components[c].fields) do
      if field.link then
        out[#out + 1] = " <- " .. field.name
        for e in self.world:links(id, self.definitions[c], field.name) do
          out[#out + 1] = "#" .. self.birth_of[e]
        end
      end
    end
  end
  return table.concat(out, " ")
end

local function outcome(self)
  local lines = {}
  for birth, id in ipairs(self.births) do
    lines[birth] = entity_text(self, birth, id) .. links_text(self, id)
  end
  return table.concat(lines, "\n")
end

--- Runs a script in one way. Returns every entity in the end, as text.
function deferral.run(ecs, definitions, made, way)
  local options = way:find("frame") and { flush = "frame" } or {}
  local self = setmetatable({
    world = ecs.world(options), definitions = definitions, births = {},
    birth_of = {}, deferred = not at_once[way], linked = made.linked,
    last = made.linked and #components or FIRST_LINK - 1,
  }, script)
  for k = 1, 8 do
    self:born(self.world:spawn(unpack(self:parts(mix(made.seed, k)))))
  end
  local anchor = ecs.tag "Anchor"
  self.world:spawn(anchor)
  self.anchored = self.world:query { with = { anchor } }
  for _, list in ipairs(made.groups) do
    local named = {}
    for k, c in ipairs(list) do named[k] = definitions[c] end
    self.world:group(named)
  end
  for _, section in ipairs(made.steps) do ways[way](self, section.steps) end
  local text = outcome(self)
  self.world:close()
  return text
end

--- Runs a script in all ways. Returns the difference or nil, and the number of
-- runs.
function deferral.compare(ecs, definitions, made, abilities)
  local wanted, runs = nil, 0
  for _, way in ipairs(deferral.ways) do
    if deferral.possible(way, abilities) then
      local ok, text = pcall(deferral.run, ecs, definitions, made, way)
      if not ok then return way .. ": " .. tostring(text), runs end
      wanted = wanted or text
      if text ~= wanted then
        return way .. ":\n" .. text .. "\nat once:\n" .. wanted, runs
      end
      runs = runs + 1
    end
  end
  return nil, runs
end

return deferral
