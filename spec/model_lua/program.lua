--- program: makes random programs for a world, as plain data.
--
--     { seed = 7, flush = "frame", phases = {...}, eighths = 1,
--       groups = { {1, 2} },
--       queries = { { write = {1}, read = {2}, ... }, ... },
--       steps = { { op = "add", e = 12, c = 3, v = 55 },
--                 { op = "each", q = 2, w = 9, parts = {
--                   { at = 2, steps = { { op = "destroy", e = 4 } } } } } } }
--
-- The numbers in a step get their meaning when the step runs: e is the place of
-- a handle among those that were issued so far, c of a component, q of a query,
-- v of values. So shrinking can remove any step, and the rest is a program too.

-- Compiled, it would take the traces that the library's callers need.
if jit then jit.off(true, true) end

local entries = require "model_lua.entries"

local program = {}

--- The components of every program, by place, with their fields in order. No
-- other spec uses these names, because a Lua state has one definition of a
-- name. needs: places; some go in a circle.
program.components = {
  { name = "ecs.Resource", storage = "sparse", fields = {} }, -- the first one
  { name = "ModelPosition", fields = {
    { name = "x", type = "f32", default = 0 },
    { name = "y", type = "f32", default = 1.5 } } },
  { name = "ModelVelocity", fields = {
    { name = "n", type = "i32", default = 100 },
    { name = "v", type = "f64", default = 0 } } },
  { name = "ModelSmall", fields = { { name = "a", type = "i8", default = 0 },
                               { name = "b", type = "u8", default = 0 },
                               { name = "c", type = "i16", default = -3 },
                               { name = "d", type = "u16", default = 7 } } },
  { name = "ModelLink", storage = "sparse", fields = {
    { name = "sure", type = "bool", default = false },
    { name = "who", type = "entity" },
    { name = "word", type = "u32", default = 4294967295 } } },
  { name = "ModelHeat", storage = "sparse", needs = { 6 }, fields = {
    { name = "t", type = "f32", default = 0 } } },
  { name = "ModelMemo", needs = { 8 }, fields = {
    { name = "k", type = "bool", default = true },
    { name = "w", type = "entity" } } },
  { name = "ModelPlain", fields = {} },
  { name = "ModelRare", storage = "sparse", needs = { 5, 9 }, fields = {} },
  { name = "ModelSeen", storage = "bits", fields = {} },
  { name = "ModelLit", storage = "bits", fields = {} },
  { name = "ModelFollows", fields = {
    { name = "at", type = "entity", link = "clear" },
    { name = "n", type = "u8", default = 3 } } },
  { name = "ModelTied", storage = "sparse", fields = {
    { name = "to", type = "entity", link = "remove", tree = true } } },
  { name = "ModelKin", fields = {
    { name = "friend", type = "entity", link = "remove" },
    { name = "of", type = "entity", link = "destroy", tree = true },
    { name = "rank", type = "i16", default = 0 } } },
  { name = "ModelTrail", fields = { { name = "n", type = "u8", default = 0 },
    { name = "past[1]", type = "f32", default = 2, array = "past", index = 1 },
    { name = "past[2]", type = "f32", default = 2, array = "past", index = 2 },
    { name = "past[3]", type = "f32", default = 2, array = "past", index = 3 },
  } },
}

--- The component with an array.
program.arrays = program.components[#program.components]

--- What a row, a batch, a table from get or one of the model has for a field.
-- Elements of arrays are fields of their own in the model.
function program.read(holder, field)
  local array = field.array and holder[field.array]
  if array then return array[field.index] end
  return holder[field.name]
end

function program.write(holder, field, value)
  if field.array then
    holder[field.array][field.index] = value
  else
    holder[field.name] = value
  end
end

local COMPONENTS = #program.components

-- The generator --------------------------------------------------------------

local MODULUS = 2147483647

--- Park and Miller's: exact in doubles and in integers, so that every VM draws
-- the same. below(n) gives 0 to n - 1.
function program.random(seed)
  local state = seed % (MODULUS - 1) + 1
  return function(n)
    state = state * 16807 % MODULUS
    return state % n
  end
end

--- A number made of two, used where one drawn number serves several purposes.
function program.mix(number, salt)
  return (number * 16807 + salt * 48271 + 12345) % MODULUS
end

-- Steps ----------------------------------------------------------------------

local ANY = 1000000

local make = {} -- op -> function(below, depth, options) that fills in a step

local function choose(below, weights)
  local at = below(weights.total)
  for k = 1, #weights do
    at = at - weights[k][2]
    if at < 0 then return weights[k][1] end
  end
end

local function weigh(list)
  list.total = 0
  for _, entry in ipairs(list) do list.total = list.total + entry[2] end
  return list
end

-- The operations of a program, with their weights.
local anywhere = weigh {
  { "spawn", 110 }, { "spawn_as", 25 }, { "spawn_many", 25 },
  { "destroy", 55 }, { "add", 110 },
  { "remove", 75 }, { "set", 80 }, { "set_field", 55 }, { "set_fields", 25 },
  { "replace", 45 }, { "replace_all", 8 },
  { "get", 60 }, { "get_fields", 50 }, { "has", 50 }, { "alive", 30 },
  { "components", 20 }, { "trim", 5 },
  { "value", 15 }, { "misuse", 25 }, { "clear", 2 },
  { "group", 10 }, { "optimize", 4 }, { "resource", 20 },
  { "count", 15 }, { "first", 15 }, { "query", 3 }, { "hash", 3 },
  { "statistics", 8 }, { "explain", 2 }, { "collect", 4 }, { "close", 2 },
  { "batch", 22 }, { "each", 22 }, { "rows", 26 },
  { "add_all", 10 }, { "remove_all", 10 }, { "set_all", 14 },
  { "destroy_all", 5 }, { "links", 20 },
  { "system", 24 }, { "enable", 8 }, { "remove_system", 3 },
  { "progress", 24 }, { "phase", 14 }, { "go", 8 },
  { "watch", 8 }, { "look", 30 },
  { "name", 24 }, { "find", 8 }, { "clone", 14 }, { "up", 24 },
  { "observe", 14 }, { "unobserve", 3 },
}

-- Operations that are useful mostly inside a loop or a system.
local within = weigh { { "throw", 20 }, { "view", 80 }, { "yield", 5 },
                       { "system", 15 }, { "enable", 5 }, { "go", 5 } }

-- Operations without steps, used where loops would nest too deep.
local is_loop = { batch = true, each = true, rows = true, spawn_many = true,
                  system = true, links = true, up = true }

local function step(below, depth, options)
  local op
  repeat
    op = choose(below, depth > 0 and below(8) == 0 and within or anywhere)
  until (depth < 3 or not is_loop[op])
    and not (options.without and options.without[op])
  local made = { op = op }
  make[op](made, below, depth, options)
  return made
end

local function steps(below, depth, options, count)
  local list = {}
  for k = 1, count do list[k] = step(below, depth, options) end
  return list
end

local function entity(made, below) made.e = below(ANY) end

local function component(made, below)
  entity(made, below)
  made.c = below(ANY)
end

local function value(made, below)
  component(made, below)
  made.v = below(ANY)
end

local function query(made, below) made.q = below(ANY) end

local function query_value(made, below)
  query(made, below)
  made.c, made.v = below(ANY), below(ANY)
end

local function nothing() end

--- The steps at some rows of a loop: at the row with a number, or at the row of
-- an entity.
local function parts(made, below, depth, options)
  made.parts = {}
  local many = below(4)
  if options.by_entity then many = below(2) end
  for k = 1, many do
    local part = { steps = steps(below, depth + 1, options, 1 + below(6)) }
    if options.by_entity then
      part.target = below(ANY)
    else
      part.at = 1 + below(3)
    end
    made.parts[k] = part
  end
end

local function loop(made, below, depth, options)
  query(made, below)
  made.extras = below(3)
  made.catch = below(2) == 0 or nil
  if below(3) > 0 then made.w = 1 + below(ANY) end
  if below(12) == 0 and not options.by_entity then made.bad = 1 + below(2) end
  parts(made, below, depth, options)
  if options.by_entity and #made.parts > 0 then made.w = nil end
end

make.spawn = function(made, below)
  made.v, made.count = below(ANY), below(8)
end
make.spawn_as = function(made, below)
  made.e, made.v, made.count = below(ANY), below(ANY), below(5)
end
make.spawn_many = function(made, below, depth, options)
  made.v, made.count, made.n = below(ANY), below(6), below(6)
  if options.large and below(6) == 0 then made.n = 900 + below(700) end
  made.call = below(2) == 0 or nil
  if made.call then loop(made, below, depth, options) end
end
make.destroy, make.alive, make.components = entity, entity, entity
make.add, make.remove, make.set, make.set_field = value, component, value, value
make.set_fields, make.replace = value, value
make.get, make.get_fields, make.has = component, value, value
make.resource = value
make.value, make.misuse, make.group, make.optimize = value, value, value, value
make.clear, make.hash, make.statistics = nothing, nothing, nothing
make.trim = nothing
make.close, make.yield = nothing, nothing
make.collect, make.explain = value, query
make.count, make.first = query, query
make.query = function(made, below)
  made.q, made.spec = below(ANY), program.query(below)
end
make.batch, make.each = loop, loop
make.rows = function(made, below, depth, options)
  loop(made, below, depth, options)
  if below(5) == 0 and not options.by_entity then
    made.leave = 1 + below(4)
  end
end
make.links = function(made, below, depth, options)
  component(made, below)
  made.catch = below(2) == 0 or nil
  if below(5) == 0 then made.leave = 1 + below(3) end
  parts(made, below, depth, options)
end
make.add_all, make.set_all = query_value, query_value
make.replace_all = query_value
make.remove_all, make.destroy_all = query_value, query
make.throw = function(made, below) made.kind = below(6) end
make.view = function(made, below)
  made.k, made.v, made.write = below(ANY), below(ANY), below(2) == 0 or nil
end
make.system = function(made, below, depth, options)
  made.name, made.kind = below(6), below(3)
  made.phase = below(4)
  made.before, made.after = below(70), below(70)
  made.disabled = below(8) == 0 or nil
  made.every = below(6) == 0 and below(6) or nil
  made.when = below(8) == 0 or nil
  made.state = below(6) == 0 and below(2) or nil
  loop(made, below, depth, options)
  made.catch = nil
end
make.enable = function(made, below)
  made.name, made.enabled = below(7), below(2) == 0
end
make.remove_system = function(made, below) made.name = below(7) end
make.progress, make.phase, make.go = value, value, value
make.watch, make.look = query_value, nothing
make.name, make.find, make.clone = value, value, entity
make.observe, make.unobserve = query_value, value
make.up = function(made, below, depth, options)
  made.c, made.kind, made.tree = below(ANY), below(3), below(2)
  loop(made, below, depth, options)
end

-- Programs -------------------------------------------------------------------

local lists = { "write", "read", "optional", "with", "without", "any" }

--- The components of a query by access: few, so that entities match.
function program.query(below)
  local spec, seen = {}, {}
  for _ = 1, 1 + below(below(5) + 1) do
    local c, access = 1 + below(COMPONENTS), lists[1 + below(#lists)]
    if access == "with" and below(2) > 0 then access = "write" end
    if not seen[c] then
      seen[c] = true
      spec[access] = spec[access] or {}
      table.insert(spec[access], c)
    end
  end
  return spec
end

local function groups(below)
  local list, free = {}, {}
  for c = 1, COMPONENTS do free[c] = c end
  for k = 1, below(4) do
    list[k] = {}
    for _ = 1, 1 + below(4) do
      if #free > 0 then
        table.insert(list[k], table.remove(free, 1 + below(#free)))
      end
    end
  end
  return list
end
program.groups = groups

--- A random program. options: count of steps; without: set of ops; large,
-- by_entity, flush.
function program.make(seed, options)
  local below = program.random(seed)
  for _ = 1, 5 do below(2) end
  local made = { seed = seed, queries = {} }
  made.flush = below(3) == 0 and "frame" or "system"
  if below(3) == 0 then made.phases = { "early", "update", "late", "end" } end
  made.watched = below(2) == 0 or nil
  made.observed = below(3) == 0 or nil
  made.eighths = made.phases and 1 + below(4) or nil
  made.groups = groups(below)
  for k = 1, 12 do made.queries[k] = program.query(below) end
  local setting = { without = options.without, by_entity = options.by_entity,
                    large = options.large and below(40) == 0 }
  made.large = setting.large or nil
  made.steps = steps(below, 0, setting, options.count)
  for k = 1, 14 do
    made.steps[k] = { op = "spawn" }
    make.spawn(made.steps[k], below)
  end
  return made
end

-- Printing -------------------------------------------------------------------

local function is_list(table_) return #table_ > 0 or next(table_) == nil end

local function sorted_keys(table_)
  local keys = {}
  for key in entries(table_) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local write

local function write_pairs(value_, indent, out)
  for _, key in ipairs(sorted_keys(value_)) do
    out[#out + 1] = key .. " = "
    write(value_[key], indent, out)
    out[#out + 1] = ", "
  end
end

function write(value_, indent, out)
  if type(value_) ~= "table" then
    out[#out + 1] = type(value_) == "string" and string.format("%q", value_)
      or type(value_) == "number" and string.format("%.0f", value_)
      or tostring(value_)
  elseif is_list(value_) then
    out[#out + 1] = "{"
    for _, entry in ipairs(value_) do
      if type(entry) == "table" then out[#out + 1] = "\n" .. indent .. "  " end
      write(entry, indent .. "  ", out)
      out[#out + 1] = ", "
    end
    out[#out + 1] = "}"
  else
    out[#out + 1] = "{ "
    write_pairs(value_, indent, out)
    out[#out + 1] = "}"
  end
end

--- A program as a Lua script that runs it again with a function of the driver.
function program.script(made, kind)
  local out = {
    "-- Run it in the checkout's root, with the paths that the driver had.\n",
    "package.path = \"./spec/?.lua;\" .. package.path\n",
    "require(\"model_lua.driver\")." .. kind .. " ",
  }
  write(made, "", out)
  return table.concat(out) .. "\n"
end

return program
