--- block_text: turns a function of one row into a loop over a block of rows.
--
-- For Lua without a compiler, where each access to a field of a row is a call
-- of C. The text of the function stays as it is, line by line, but for fields
-- of rows, which become elements of tables:
--
--     function(p, v, dt)                  function(..., row, n, ...)
--       p.x = p.x + v.x * dt      -->       for i = 1, n do ...
--     end                                     c1[i] = c1[i] + c3[i] * dt
--
-- ecs.core fills the tables before a block and stores them back after it. What
-- the loop does has to be what calling the function for each row does:
--
--   * a row may only be used as row.field, in the function itself: a function
--     that hands a row on, keeps it, or uses it in an inner function is refused
--   * a value that is not sure to be of the field's type goes through a call
--     of ecs.core, which raises the error at its line; so does a value that is
--     read again before the row is over, because a field converts
--   * where code of others may run (a call, a metamethod, a finalizer), the
--     loop notes which row it is at; ecs.random and totals ask for it
--
-- What is not understood is refused, and the function is called row by row.

local require = require("ecs.standard").inner "ecs.compile.block_text"

local reader = require "ecs.compile.read_statement"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, next = ipairs, next
local concat, sort, rep = table.concat, table.sort, string.rep
local refuse, kind, accept = reader.refuse, reader.kind, reader.accept
local expect, name, declare = reader.expect, reader.name, reader.declare
local insert, edited, OWN = reader.insert, reader.edited, reader.OWN

--- The most names from outside, columns and parameters together: a function has
-- 200 variables.
local NAMES_LIMIT = 120

local block_text = {}

--- Reads the function once. options: see block_text.write.
local function read(options, any, pure)
  local state = reader.new(options, any, pure)
  -- By column: names of types, and { reads, last_read, first_store }.
  state.scalars, state.used = options.scalars, {}
  -- Values that are stored; names; extra arguments by number.
  state.stores, state.parameters, state.extras = {}, {}, {}
  expect(state, "function")
  while kind(state) ~= "(" do
    if kind(state) == ":" then refuse() end
    state.index = state.index + 1
  end
  expect(state, "(")
  local scope, rows = {}, options.rows
  local extras = options.extras
  while not accept(state, ")") do
    local k = #state.parameters + 1
    local parameter = name(state)
    if parameter == "_ENV" then refuse() end
    state.parameters[k] = parameter
    local extra = k - #rows
    if extra <= 0 then
      declare(state, scope, parameter, nil, rows[k])
    elseif extra <= #extras then
      declare(state, scope, parameter, extras[extra])
      state.extras[extra] = scope[parameter]
    elseif extra == #extras + 1 then
      declare(state, scope, parameter, "number")
      state.entity = parameter
    else
      declare(state, scope, parameter, "either")
    end
    if not accept(state, ",") and kind(state) ~= ")" then refuse() end
  end
  state.body = state.index
  reader.block(state, reader.inner(scope))
  state.stop = state.index
  expect(state, "end")
  if state.stop ~= options.place.last then refuse() end
  return state
end

--- Reads the function until the types that it was read with are right.
local function settle(options, pure)
  local any = {}
  while true do
    local state = read(options, any, pure)
    if not state.again then return state end
  end
end

--- Wraps the values that have to be converted.
local function convert(state)
  local converted = {}
  for _, store in ipairs(state.stores) do
    local used = state.used[store.column]
    local again = used.reads > 0
      and (state.loops or used.last_read > used.first_store)
    if again or not store.fits then
      if not store.last then refuse() end
      insert(state, state.starts[store.first],
        OWN .. "s" .. store.column .. "(")
      insert(state, state.stops[store.last] + 1, ")")
      converted[store.column] = true
    end
  end
  return converted
end

local function sorted(set)
  local list = {}
  for key in next, set do list[#list + 1] = key end
  sort(list)
  return list
end

--- The text of the loop; nil where the function is refused. options:
--
--     place        of source.lua
--     rows         a list of { columns = name -> number, links = number ->
--                  true, writable, optional }
--     scalars      column -> name of its type
--     extras       the types of the arguments that follow the rows: "number" or
--                  false
--     upvalues     name -> index of the function's upvalues
--     values       name -> their values
--
-- Returns { text, columns, stored, converted, guards, arguments, entity, own }:
-- lists of columns that are used, of those that are stored and of those that
-- need a converter; of indices of upvalues and numbers of arguments that have
-- to be numbers; whether entities are used.
function block_text.write(options)
  local tokens, place = options.place.tokens, options.place
  if reader.has_own(place) then refuse() end
  local state = settle(options, true)
  if state.impure then state = settle(options, false) end
  local converted = sorted(convert(state))
  local columns, stored = sorted(state.used), {}
  for k, column in ipairs(columns) do
    stored[k] = state.used[column].first_store ~= nil
  end
  local outer, count = reader.outside_text(state)
  if count + #columns + #converted + #state.parameters > NAMES_LIMIT then
    refuse()
  end
  local parts, own = {}, {}
  local function add(...) parts[#parts + 1] = concat { ... } end
  add(rep("\n", tokens.lines[place.first] - 1))
  for k, column in ipairs(converted) do own[k] = OWN .. "s" .. column end
  if #own > 0 then add("local ", concat(own, ", "), " = ... ") end
  add(outer)
  add("return function(", OWN, "r, ", OWN, "n, ", OWN, "e")
  for _, column in ipairs(columns) do add(", ", OWN, "c", column) end
  for k = 1, #options.extras do add(", ", OWN, "x", k) end
  add(") for ", OWN, "i = 1, ", OWN, "n do ")
  if state.impure then add(OWN, "r[1] = ", OWN, "i ") end
  for k, parameter in ipairs(state.parameters) do
    local extra = k - #options.rows
    if extra > 0 then
      add("local ", parameter, " = ", extra <= #options.extras
        and OWN .. "x" .. extra or extra == #options.extras + 1
        and OWN .. "e[" .. OWN .. "i]" or "nil", " ")
    end
  end
  -- The parameters may be on lines of their own.
  add(rep("\n", tokens.lines[state.body] - tokens.lines[place.first]))
  add("do ", edited(state, state.starts[state.body],
    state.starts[state.stop] - 1), " end ::", OWN, "next:: end end")
  local numbers = {}
  for k = 1, #options.extras do
    local variable = state.extras[k]
    if variable and variable.type == "number" then
      numbers[#numbers + 1] = k
    end
  end
  return { text = concat(parts), columns = columns, stored = stored,
           converted = converted, guards = sorted(state.guards),
           arguments = numbers, entity = state.entity ~= nil }
end

return block_text
