--- run: runs a program on the library and on the oracle, and compares.
--
--     program.steps --> step --> the library's answer --+--> the same?
--                        |                              |
--                        +-----> the oracle's answer ---+
--
-- Every call states whether the oracle expects success or an error. A
-- difference raises an error that passes through all open callbacks. It is also
-- kept in failure, so a library that swallows the error is found.
--
-- values.lua resolves the numbers in a step, steps_*.lua have the steps, and
-- walk.lua has what all loops share.

local program = require "model_lua.program"
local oracle = require "model_lua.oracle"
local numbers = require "model_lua.numbers"
local gates = require "model_lua.gates"

local run = {}
run.__index = run

--- op -> function(run, step); filled by the files of steps.
run.steps = {}

local EVERY = 40      -- steps between two comparisons of everything
local unpack = table.unpack or unpack -- luacheck: ignore

-- Failing --------------------------------------------------------------------

local mark = setmetatable({}, { __tostring = function() return "a mark" end })

function run:fail(text, ...)
  if not self.failure then
    self.failure = string.format(text, ...)
  end
  error(mark, 0)
end

--- Raises a failure again that a protected call caught.
function run:check_failure()
  if self.failure then error(mark, 0) end
end

function run:must(condition, text, ...)
  if not condition then self:fail(text, ...) end
end

--- Adds a result to the digest of all results.
function run:digest(number)
  self.sum = (self.sum * 31 + number % 1000003) % 2147483647
end

-- Text -----------------------------------------------------------------------

function run:text(value)
  local name = self.names[value]
  if name then return name end
  if type(value) == "table" then
    local parts = {}
    for k, entry in ipairs(value) do parts[k] = self:text(entry) end
    return "{ " .. table.concat(parts, ", ") .. " }"
  end
  if type(value) == "function" then return "function" end
  return numbers.expression(value)
end

function run:note(text)
  if self.trace then
    self.trace[#self.trace + 1] = string.rep("  ", self.depth) .. text
  end
end

local function note_call(self, object, method, ...)
  local parts = {}
  for k = 1, select("#", ...) do parts[k] = self:text((select(k, ...))) end
  self:note(string.format("%s:%s(%s)", self:text(object), method,
    table.concat(parts, ", ")))
end

-- Calling --------------------------------------------------------------------

--- Calls the closure that a maker of the world returns for these parts, made
-- once, with the entity and the values.
local function call_prepared(self, maker, parts, ...)
  local key = maker
  for k = 1, parts.n do key = key .. " " .. tostring(parts[k]) end
  local closure = self.prepared[key]
  if not closure then
    closure = self.world[maker](self.world, unpack(parts, 1, parts.n))
    self.prepared[key] = closure
  end
  return closure(...)
end

-- Methods that have a prepared form: each calls it with its arguments.
local prepared = {}

function prepared.get(self, entity, ...)
  return call_prepared(self, "getter", { n = select("#", ...), ... }, entity)
end

function prepared.has(self, entity, ...)
  return call_prepared(self, "tester", { n = select("#", ...), ... }, entity)
end

--- set(e, Position, "x", 1, "y", 2)
function prepared.set(self, entity, definition, ...)
  local names, values = { definition, n = 1 }, { n = 0 }
  for k = 1, select("#", ...), 2 do
    names.n, values.n = names.n + 1, values.n + 1
    names[names.n], values[values.n] = select(k, ...)
  end
  return call_prepared(self, "setter", names, entity,
    unpack(values, 1, values.n))
end

--- Is a call one of get that takes all fields, and arrays among them? A getter
-- takes their elements one by one.
local function takes_arrays(method, count, definition)
  return method == "get" and count == 2
    and definition.name == program.arrays.name
end

--- Calls a method, or, for half of the entities, the prepared form of the call:
-- that does not depend on the other steps, so programs can be made smaller.
local function call_method(self, object, method, ...)
  local entity = ...
  if prepared[method] and object == self.world
    and type(entity) == "number" and entity % 2 == 0
    and not (method == "set" and select("#", ...) < 4)
    and not takes_arrays(method, select("#", ...), (select(2, ...))) then
    if self.trace then self:note("  prepared") end
    return prepared[method](self, ...)
  end
  return object[method](object, ...)
end

--- Calls a method that the oracle expects to succeed, or to fail. Returns up to
-- four results.
function run:call(expected, object, method, ...)
  self.calls = self.calls + 1
  if self.trace then note_call(self, object, method, ...) end
  local ok, a, b, c, d = pcall(call_method, self, object, method, ...)
  self:check_failure()
  if ok ~= expected then
    self:fail("%s: %s", method, ok and "no error was raised"
      or "unexpected error: " .. tostring(a))
  end
  if not ok then
    self.errors = self.errors + 1
    self:must(type(a) == "string" and a:find("ecs: ", 1, true),
      "%s: not an error of ecs: %s", method, tostring(a))
  end
  self:digest(ok and 1 or 2)
  return a, b, c, d
end

-- Comparing ------------------------------------------------------------------

--- True if these are the values of a component.
function run:compare_values(c, read, held, what)
  for _, field in ipairs(program.components[c].fields) do
    local value = program.read(read, field)
    if not numbers.same(field.type, value, held[field.name]) then
      self:fail("%s: %s.%s is %s, not %s", self.names[what] or what,
        program.components[c].name, field.name, numbers.text(value),
        numbers.text(held[field.name]))
    end
  end
end

local function compare_entity(self, entity)
  local world, model, id = self.world, self.oracle, entity.id
  if world:alive(id) == entity.doomed then self:fail("alive(e)") end
  for c = 1, #program.components do
    local definition = self.definitions[c]
    local held = entity.has[c]
    if world:has(id, definition) ~= (held ~= nil) then
      self:fail("%s: has(%s): not %s", self:text(id),
        program.components[c].name, tostring(held ~= nil))
    end
    if #program.components[c].fields > 0 and not model:is_written(c) then
      local read = world:get(id, definition)
      self:must((read ~= nil) == (held ~= nil), "get(e)")
      if held then self:compare_values(c, read, held, id) end
    end
  end
end

--- Compares what links to an entity, in order, with what the oracle has. What
-- is to be destroyed still counts, but loops pass over it.
function run:compare_links(id, c, field, all)
  local definition, count, wanted = self.definitions[c], 0, {}
  for _, entity in ipairs(all) do
    if not entity.doomed then wanted[#wanted + 1] = entity end
  end
  for e in self.world:links(id, definition, field) do
    count = count + 1
    if not wanted[count] or wanted[count].id ~= e then
      self:fail("links to %s by %s: %s is out of order", self:text(id), field,
        self:text(e))
    end
    self:digest(e)
  end
  if count ~= #wanted then
    self:fail("links to %s by %s: %d, not %d", self:text(id), field, count,
      #wanted)
  end
  self:must(self.world:link_count(id, definition, field) == #all,
    "link_count")
end

--- Compares all components of all entities with the oracle.
function run:compare()
  local living = self.oracle:living()
  for _, entity in ipairs(living) do compare_entity(self, entity) end
  for c, component in ipairs(program.components) do
    for _, field in ipairs(component.fields) do
      local found = field.link and self.oracle:links_by(c, field.name)
      for _, entity in ipairs(found and living or {}) do
        self:compare_links(entity.id, c, field.name, found[entity.id] or {})
      end
    end
  end
  for k = math.max(1, #self.attic - 20), #self.attic do
    local id = self.attic[k]
    self:must(self.world:alive(id) == self.oracle:alive(id),
      "alive of an old handle")
  end
  for _, query in ipairs(self.queries) do
    self:must(query.real:count() == #self.oracle:matching(query.terms),
      "count of %s", self:text(query.real))
  end
  self:compare_names()
  local text = self.world:hash() .. self.world:state_hash()
  for k = 1, #text, 4 do self:digest(tonumber(text:sub(k, k + 3), 16)) end
end

-- Queries --------------------------------------------------------------------

local lists = { "write", "read", "optional", "with", "without", "any" }

--- A query of the program: the library's query, its terms, and the terms with
-- columns in the order of arguments.
function run:make_query(spec)
  local real, terms, shown = {}, {}, {}
  real.all = not (spec.write or spec.read or spec.with or spec.without
    or spec.any) or nil
  for _, access in ipairs(lists) do
    local list = access == "write" and real or {}
    for k, c in ipairs(spec[access] or {}) do
      list[k] = self.definitions[c]
      local term = { c = c, access = access }
      terms[#terms + 1] = term
      if access ~= "with" and access ~= "without" and access ~= "any"
        and #program.components[c].fields > 0 then
        shown[#shown + 1] = term
      end
    end
    if access ~= "write" and spec[access] then real[access] = list end
  end
  local query = { real = self.world:query(real), terms = terms, shown = shown,
                  spec = real }
  self.made = self.made + 1
  self.names[query.real] = "q" .. self.made
  if self.trace then
    local text = {}
    for _, access in ipairs(lists) do
      if spec[access] then
        local names = {}
        for k, c in ipairs(spec[access]) do
          names[k] = program.components[c].name
        end
        text[#text + 1] = access .. " " .. table.concat(names, " ")
      end
    end
    self:note(string.format("q%d = query { %s }", self.made,
      table.concat(text, "; ")))
  end
  return query
end

-- Running --------------------------------------------------------------------

function run:execute(list)
  for k = 1, #list do
    if self.ops >= self.limit then return end
    self.ops = self.ops + 1
    local step = list[k]
    run.steps[step.op](self, step)
  end
end

--- Defines the components of programs; the list of definitions.
function run.define(ecs)
  local definitions = {}
  for c, component in ipairs(program.components) do
    local fields = {}
    for _, field in ipairs(component.fields) do
      fields[field.name] = field.default == nil and field.type
        or { field.type, field.default }
      if field.link then
        fields[field.name] = { "entity", link = field.link, tree = field.tree }
      elseif field.array then
        fields[field.name] = nil
        fields[field.array] = { field.type, field.default,
                                count = field.index }
      end
    end
    local options = { storage = component.storage }
    for k, need in ipairs(component.needs or {}) do
      options.needs = options.needs or {}
      options.needs[k] = program.components[need].name
    end
    if next(fields) then
      definitions[c] = ecs.component(component.name, fields, options)
    else
      definitions[c] = ecs.tag(component.name, options)
    end
  end
  return definitions
end

local function names_of(self, list)
  local definitions = {}
  for k, c in ipairs(list) do definitions[k] = self.definitions[c] end
  return definitions
end

local function begin(self, ecs)
  self.definitions = run.define(ecs)
  for c, definition in ipairs(self.definitions) do
    self.names[definition] = program.components[c].name
  end
  local options = {}
  if self.abilities.flush then
    options.flush, options.phases = self.program.flush, self.program.phases
  end
  self.phases = options.phases or { "first", "update", "last" }
  gates.prepare(self, options)
  if self.program.watched then
    options.phases = { "watch", unpack(options.phases or self.phases) }
  end
  self.world = ecs.world(options)
  self.names[self.world] = "world"
  self.flush = options.flush or "system"
  self:note("-- flush = " .. self.flush)
  if self.fixed then self:define_step() end
  for _, list in ipairs(self.program.groups) do
    self:call(true, self.world, "group", names_of(self, list))
  end
  for k, spec in ipairs(self.program.queries) do
    self.queries[k] = self:make_query(spec)
  end
end

local function all(self)
  for k, step in ipairs(self.program.steps) do
    self:execute { step }
    self:compare_told()
    if k % EVERY == 0 then self:compare() end
  end
  self:compare()
  self:must(#self.oracle.scopes == 0, "something is still open")
  self.state = self.world:state_hash()
end

--- Closes the world twice, after which every call must be an error.
local function check_closed(self)
  self:call(true, self.world, "close")
  self:call(true, self.world, "close")
  self:call(false, self.world, "alive", self.registers[1])
  self:call(false, self.world, "spawn")
  self:call(false, self.queries[1].real, "count")
  self:call(false, self.queries[1].real, "batch", print)
end

--- abilities: the parts of the library that exist. options: limit of
-- operations; trace: a list that calls are appended to.
function run.new(ecs, made, options)
  local self = setmetatable({
    program = made, names = {}, queries = {},
    registers = {}, attic = {}, births = 0, made = 0, depth = 0, views = {},
    systems = {}, prepared = {}, ops = 0, calls = 0,
    errors = 0, rows = 0, sum = made.seed, told_sum = 0,
    limit = options.limit or 4000, trace = options.trace,
    abilities = options.abilities,
  }, run)
  self.oracle = oracle.new(program.components)
  local thread = coroutine.create(function() begin(self, ecs) all(self) end)
  local ok, thrown = coroutine.resume(thread)
  if not ok and thrown ~= mark then
    thrown = debug.traceback(thread, tostring(thrown))
  elseif ok and coroutine.status(thread) ~= "dead" then
    thrown = "a yield passed through everything"
  end
  self.failure = self.failure or (thrown ~= mark and thrown) or nil
  return self
end

--- Runs a program. Returns the run; its failure is nil when none was found.
function run.run(ecs, made, options)
  local done = run.new(ecs, made, options)
  if not done.failure then pcall(check_closed, done) end
  return done
end

return run
