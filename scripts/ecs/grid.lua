--- grid: world:grid, which makes an index over space of a query.
--
--     local near = world:grid {
--       query = { read = { Position, Velocity }, with = { Boid } },
--       at = { Position, "x", "y" },   -- and "z": three dimensions
--       cell = 4,
--     }
--     for other, p, v in near:within(x, y, 4) do ... end
--
-- The query is described as that of a system, or is one that a script has; a
-- grid only reads. This file checks the table; what a grid does is in C
-- (bindings/lua/query/lua_grid.c and grid_loop.c). It also says which grids a
-- system uses, and builds them before it runs.

local require = require("ecs.standard").inner "ecs.grid"

local allows = require "ecs.access"
local backend = require "ecs.backend"
local safe_pairs = require "ecs.safe_pairs"
local plain_table = require "ecs.plain_table"
local message = require "ecs.message"
local query = require "ecs.query"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, tostring = error, ipairs, tostring
local concat = table.concat

local core = backend.core
local rawget, type = rawget, type
local huge = math.huge

local options = { query = true, at = true, cell = true }

local function fail(text, level)
  error("ecs: grid: " .. text, level)
end

--- The description without a metatable, its keys checked.
local function check_keys(spec, level)
  if type(spec) ~= "table" then
    fail("takes a table, as in { query = { read = { Position } }, "
      .. "at = { Position, 'x', 'y' }, cell = 4 }", level + 1)
  end
  spec = plain_table(spec, "grid", "its table of options", options)
  for key in safe_pairs(spec) do
    if not options[key] then
      fail("has no option " .. message.describe(key)
        .. " (there are query, at, cell)", level + 1)
    end
  end
  return spec
end

--- The query of a grid.
local function query_of(world, spec, level)
  local given, made = rawget(spec, "query"), nil
  if given == nil then
    fail("needs a query, as in query = { read = { Position } }", level + 1)
  elseif core.kind(given) == "ecs.Query" then
    if core.query_world(given) ~= world then
      fail("its query belongs to another world", level + 1)
    end
    made = given
  else
    made = query.ensure(world, given, "grid: query", level + 1)
  end
  if core.asks_changes(made) then
    fail("its query has changed, and a grid shows all rows: leave it out",
      level + 1)
  end
  return made
end

--- Raises unless rows of the query have the component themselves, always or
-- where it is present.
local function check_read(made, definition, level)
  local terms, access = core.query_terms(made), nil
  for t = 1, #terms, 2 do
    local its = terms[t + 1]
    if terms[t] == definition and allows.own[its] then access = its end
  end
  if access and allows.shown[access] then return end
  fail("at: the query does not read " .. tostring(definition)
    .. ": name it there in read", level + 1)
end

local is_number = { f32 = true, f64 = true, i8 = true, u8 = true, i16 = true,
                    u16 = true, i32 = true, u32 = true }

--- The number of a field that is a coordinate.
local function coordinate(name, fields, field, level)
  local names = {}
  for k, known in ipairs(fields) do
    if known[1] == field then
      if is_number[known[2]] then return k end
      fail("at: " .. name .. "." .. field .. " is " .. known[2]
        .. ", and a coordinate is a number", level + 1)
    end
    names[k] = known[1]
  end
  if type(field) ~= "string" then
    fail("at: the fields of " .. name .. " are names, as in at = { " .. name
      .. ", 'x', 'y' }, not " .. message.describe(field), level + 1)
  end
  fail("at: " .. name .. " has no field '" .. field .. "' (it has "
    .. concat(names, ", ") .. ")", level + 1)
end

--- The component with the position, and the numbers of two or three fields.
local function place_of(spec, level)
  local at = rawget(spec, "at")
  if type(at) ~= "table" then
    fail("at is a component and its fields, as in at = { Position, 'x', 'y' }, "
      .. "not " .. message.describe(at), level + 1)
  end
  at = plain_table(at, "grid", "at", nil, "list")
  local definition, count = rawget(at, 1), query.length(at)
  if core.kind(definition) ~= "ecs.Component" then
    fail("at begins with a component, as in at = { Position, 'x', 'y' }, not "
      .. message.describe(definition), level + 1)
  end
  for key in safe_pairs(at) do
    if type(key) ~= "number" or key % 1 ~= 0 or key < 1 then
      fail("at is a list, and has an entry under " .. message.describe(key),
        level + 1)
    end
  end
  if count ~= 3 and count ~= 4 then
    fail("at names two fields, or three for three dimensions, not "
      .. count - 1, level + 1)
  end
  local name, fields = core.fields(definition)
  if #fields == 0 then
    fail("at: " .. name .. " is a tag: it has no fields", level + 1)
  end
  local x = coordinate(name, fields, rawget(at, 2), level + 1)
  local y = coordinate(name, fields, rawget(at, 3), level + 1)
  if count == 3 then return definition, x, y end
  return definition, x, y, coordinate(name, fields, rawget(at, 4), level + 1)
end

local function cell_of(spec, level)
  local cell = rawget(spec, "cell")
  if type(cell) == "number" and cell > 0 and cell < huge
    and 1 / cell < huge then
    return cell + 0.0
  end
  fail("cell is the length of a cell's sides, a number above 0, not "
    .. message.describe(cell), level + 1)
end

--- Makes a grid from the arguments of core.grid.
local function make(world, made, cell, ...)
  local own = core.system_query(made, "a grid")
  local near, text = core.grid(own, cell, ...)
  if not near then error(text, 3) end
  core.state(world).grids = true
  backend.know_grid(near)
  return near
end

local methods = {}

--- Makes a grid: an index over space of the rows of a query. Raises an error if
-- the description has the wrong form.
function methods.grid(world, spec)
  backend.check_world(world, "grid")
  spec = check_keys(spec, 3)
  local cell = cell_of(spec, 3)
  -- What needs no query comes first: a query defines its components.
  local definition, x, y, z = place_of(spec, 3)
  local made = query_of(world, spec, 3)
  check_read(made, definition, 3)
  system.state(world)
  local near = z and make(world, made, cell, definition, x, y, z)
    or make(world, made, cell, definition, x, y)
  return near
end

core.install("ecs.World", methods)
