--- mistake: finds calls and fields that can only be mistakes.
--
-- A function that cannot be compiled runs as plain Lua, and some mistakes would
-- show only there, in the row that reaches them: a field that a component does
-- not have, world:get of a component that the system itself writes, and dt
-- where an entity is wanted. All are seen in the tokens of the function,
-- whatever else is in it:
--
--     function(p, dt)
--       p.speed = p.x            p is a parameter, and is never anything else:
--                                its component has no field speed
--       world:get(e, Position)   world is this world, and the system writes
--                                Position
--       world:destroy(dt)        the parameter behind the rows is dt, whatever
--                                its name is
--
-- What is not certain is left alone: a name that the function declares anew or
-- assigns to, a field in brackets, a function without a source.
-- Reading the names from outside runs no code of a script.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.mistake"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local allows = require "ecs.access"
local message = require "ecs.message"
local source = require "ecs.compile.source"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, type, rawget = ipairs, type, rawget
local concat, min = table.concat, math.min
local format, sub = string.format, string.sub
local get_upvalue = standard.debug.getupvalue
local get_environment = rawget(standard.globals, "getfenv")

local mistake = {}

-- Names from outside ---------------------------------------------------------

--- The value of an upvalue of f, and whether there is one of this name.
local function upvalue(f, name)
  local k = 1
  while get_upvalue do
    local known, value = get_upvalue(f, k)
    if not known then return nil, false end
    if known == name then return value, true end
    k = k + 1
  end
  return nil, false
end

--- The value that a path of names has outside of f; nil: it is not known.
local function value_of(f, path)
  local value, found = upvalue(f, path[1])
  if not found then
    local environment = get_environment and get_environment(f)
      or upvalue(f, "_ENV")
    value = type(environment) == "table" and rawget(environment, path[1])
  end
  for k = 2, #path do
    if type(value) ~= "table" then return nil end
    value = rawget(value, path[k])
  end
  return value
end

-- Tokens ----------------------------------------------------------------------

--- The parameters of the function that begins at token first: a list of
-- names, and the token after them. nil where a method has one more.
local function parameters(tokens, first)
  local names, k = {}, first
  while tokens.kinds[k] ~= "(" do
    if tokens.kinds[k] == ":" or k > tokens.count then return nil, first end
    k = k + 1
  end
  while tokens.kinds[k] ~= ")" and k < tokens.count do
    if tokens.kinds[k] == "name" then names[#names + 1] = tokens.values[k] end
    k = k + 1
  end
  return names, k
end

--- Words that declare names.
local declares = { ["local"] = true, ["for"] = true, ["function"] = true }

--- Adds the names that token k, one of these words, declares.
local function declare(tokens, k, names)
  local kind = tokens.kinds[k]
  if kind == "function" then
    for _, name in ipairs((parameters(tokens, k)) or {}) do
      names[name] = true
    end
  else
    k = k + 1
    if tokens.kinds[k] == "function" then k = k + 1 end
    while tokens.kinds[k] == "name" do
      names[tokens.values[k]] = true
      k = k + 1
      if tokens.kinds[k] == "<" then k = k + 3 end
      if tokens.kinds[k] ~= "," then break end
      k = k + 1
    end
  end
end

--- Adds the names that the assignment with its sign at token k sets. Returns
-- false where it cannot tell.
local function assign(tokens, k, names)
  local kinds = tokens.kinds
  repeat
    k = k - 1
    if kinds[k] ~= "name" then return false end
    if kinds[k - 1] ~= "." then names[tokens.values[k]] = true end
    while kinds[k - 1] == "." and kinds[k - 2] == "name" do k = k - 2 end
    k = k - 1
  until kinds[k] ~= ","
  return true
end

--- The names that the body declares, which are no values from outside; and
-- those that it assigns to, or false where it cannot tell.
local function names_of(tokens, first, last)
  local kinds, declared, changed = tokens.kinds, {}, {}
  for k = first, last do
    local kind = kinds[k]
    if declares[kind] then
      declare(tokens, k, declared)
    elseif kind == "=" and changed then
      local before = kinds[k - 1]
      if before ~= "]" and before ~= ">" and not assign(tokens, k, changed) then
        changed = false
      end
    end
  end
  return declared, changed
end

--- The path of names a.b.c that begins at token k, and the token after it.
local function path_at(tokens, k)
  local path = { tokens.values[k] }
  k = k + 1
  while tokens.kinds[k] == "." and tokens.kinds[k + 1] == "name" do
    path[#path + 1] = tokens.values[k + 1]
    k = k + 2
  end
  return path, k
end

local opening = { ["("] = 1, ["{"] = 1, ["["] = 1,
                  [")"] = -1, ["}"] = -1, ["]"] = -1 }

--- The token after the first comma of a call with its parenthesis at token k;
-- nil: there is none.
local function second_argument(tokens, k, last)
  local depth = 0
  for position = k, last do
    local kind = tokens.kinds[position]
    depth = depth + (opening[kind] or 0)
    if depth == 0 or kind == "function" then return nil end
    if depth == 1 and kind == "," then return position + 1 end
  end
end

-- Near misses -----------------------------------------------------------------

--- How many letters must change to make one name of the other.
local function distance(one, other)
  local row = {}
  for j = 0, #other do row[j] = j end
  for i = 1, #one do
    local corner = row[0]
    row[0] = i
    for j = 1, #other do
      local cost = sub(one, i, i) == sub(other, j, j) and 0 or 1
      corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + cost)
    end
  end
  return row[#other]
end

--- The field with the name nearest to this one; nil: none is near.
local function nearest(fields, name)
  local best, least
  for _, field in ipairs(fields) do
    local known = field.array or field[1]
    local away = distance(known, name)
    if away <= 2 and away < #name and (not least or away < least) then
      best, least = known, away
    end
  end
  return best
end

-- Mistakes --------------------------------------------------------------------

local function refuse_field(term, name)
  local near = nearest(term.fields, name)
  return format("%s has no field '%s' (it has %s)%s", term.name, name,
    message.fields(term.fields),
    near and ": did you mean '" .. near .. "'?" or "")
end

--- The mistake of a field of a term's row at token k; nil: there is none.
local function wrong_field(tokens, k, term)
  if tokens.kinds[k + 1] ~= "." then return nil end
  local name = tokens.values[k + 2]
  if tokens.kinds[k + 2] ~= "name" then return nil end
  for _, field in ipairs(term.fields) do
    if (field.array or field[1]) == name then return nil end
  end
  return refuse_field(term, name)
end

--- Methods of a world that take an entity first.
local of_entity = { add = true, alive = true, clone = true, destroy = true,
                    get = true, has = true, remove = true, replace = true,
                    set = true }

--- The mistake of a call with dt for an entity, of which the parenthesis is at
-- token k; nil: there is none. dt: the name of that parameter, and what all are
-- called.
local function wrong_entity(tokens, k, method, dt)
  local behind = tokens.kinds[k + 2]
  if not dt or not of_entity[method] or tokens.kinds[k + 1] ~= "name"
    or tokens.values[k + 1] ~= dt.name or behind ~= "," and behind ~= ")" then
    return nil
  end
  return format("world:%s of %s, which is dt and no entity: the entity comes "
    .. "after dt, as in function(%s)", method, dt.name, dt.right)
end

--- The mistake of a call of a method of the world at token k, which begins a
-- variable from outside: of dt, or world:get(e, Component, ...).
local function wrong_call(tokens, k, last, options, f, declared, dt)
  local path, after = path_at(tokens, k)
  local method = tokens.values[after + 1]
  if tokens.kinds[after] ~= ":" or not of_entity[method]
    or tokens.kinds[after + 2] ~= "(" then
    return nil
  end
  if value_of(f, path) ~= options.world then return nil end
  local text = wrong_entity(tokens, after + 2, method, dt)
  if text or method ~= "get" then return text end
  local second = second_argument(tokens, after + 2, last)
  if not second or tokens.kinds[second] ~= "name"
    or declared[tokens.values[second]] then
    return nil
  end
  local component, stop = path_at(tokens, second)
  if tokens.kinds[stop] ~= "," and tokens.kinds[stop] ~= ")" then return nil end
  local known = options.describe(value_of(f, component))
  for _, term in ipairs(options.terms) do
    if known and term.name == known.name and allows.written[term.access] then
      return format("world:get of %s, which this system writes: read the row, "
        .. "or write another component here, and %s in another system",
        known.name, known.name)
    end
  end
end

--- The parameters that are rows, and nothing else anywhere in the function: by
-- name.
local function rows_of(names, terms, declared, changed)
  local rows, seen = {}, {}
  for k, name in ipairs(names) do
    if seen[name] or declared[name] or changed[name] then
      rows[name] = nil
    elseif terms[k] then
      rows[name] = terms[k]
    end
    seen[name] = true
  end
  return rows
end

--- The parameter behind the rows, if it is never anything else: its name, and
-- how the parameters of a function with an entity are called.
local function dt_of(names, terms, declared, changed)
  local name = names[#terms + 1]
  if not name or declared[name] or changed[name] then return nil end
  local right = {}
  for k = 1, #terms do
    if names[k] == name then return nil end
    right[k] = names[k]
  end
  right[#right + 1], right[#right + 2] = "dt", "e"
  return { name = name, right = concat(right, ", ") }
end

--- The first mistake in f, the function of a system: { file, line, text }; nil:
-- none was found. options: world, terms (as in compiler.lua), describe(value),
-- and found, the text of f (source.lua), where it is known. Cost: otherwise
-- reads the file.
function mistake.find(f, options)
  local found = options.found or source.find(f)
  if not found then return nil end
  local tokens, last = found.tokens, found.last
  local names, body = parameters(tokens, found.first)
  if not names then return nil end
  local declared, changed = names_of(tokens, body, last)
  local rows = changed and rows_of(names, options.terms, declared, changed)
    or {}
  local dt = changed and dt_of(names, options.terms, declared, changed)
  for _, name in ipairs(names) do declared[name] = true end
  local kinds, values = tokens.kinds, tokens.values
  for k = body, last do
    if kinds[k] == "name" then
      local before, name, text = kinds[k - 1], values[k], nil
      if before == "." or before == ":" then -- the name of a field
        text = nil
      elseif rows[name] then
        text = wrong_field(tokens, k, rows[name])
      elseif not declared[name] then
        text = wrong_call(tokens, k, last, options, f, declared, dt)
      end
      if text then
        return { file = found.name, line = tokens.lines[k], text = text }
      end
    end
  end
end

return mistake
