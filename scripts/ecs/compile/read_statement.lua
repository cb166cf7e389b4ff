--- read_statement: reads statements; see source_reader.lua.

local require = require("ecs.standard").inner "ecs.compile.read_statement"

local reader = require "ecs.compile.read_expression"

local ipairs = ipairs
local refuse, kind, accept = reader.refuse, reader.kind, reader.accept
local expect, name, replace = reader.expect, reader.name, reader.replace
local declare, inner, outside = reader.declare, reader.inner, reader.outside
local assign_variable, use = reader.assign_variable, reader.use
local expression, expressions = reader.expression, reader.expressions
local suffixed, OWN = reader.suffixed, reader.OWN

local block

--- The body of a function inside the function, from its parameters on.
local function function_body(state, scope, self)
  local parameters = inner(scope)
  state.impure, state.inner = true, true
  if self then declare(state, parameters, "self") end
  expect(state, "(")
  while not accept(state, ")") do
    if not accept(state, "...") then declare(state, parameters, name(state)) end
    if not accept(state, ",") and kind(state) ~= ")" then refuse() end
  end
  state.depth = state.depth + 1
  block(state, parameters)
  state.depth = state.depth - 1
  expect(state, "end")
  return nil
end

local statements = {}

--- The part of a batch that the next expression is, if it is one and no more.
local function initial_part(state, scope)
  local variable = kind(state) == "name" and scope[state.values[state.index]]
  if not variable or not variable.part then return nil end
  local first = state.index
  local _, place = suffixed(state, scope)
  if place and place.part then
    if reader.powers[kind(state)] then refuse() end
    return place.part
  end
  state.index = first -- it is more, and read again
end

--- Reads what local variables begin with: types, parts, and how many.
local function initial(state, scope)
  local types, parts, count = {}, {}, 0
  repeat
    count = count + 1
    parts[count] = initial_part(state, scope)
    types[count] = not parts[count] and expression(state, scope) or false
  until not accept(state, ",")
  return types, parts, count
end

statements["local"] = function(state, scope)
  if accept(state, "function") then
    declare(state, scope, name(state))
    return function_body(state, scope)
  end
  local names = {}
  repeat
    names[#names + 1] = name(state)
    if names[#names] == "_ENV" then refuse() end
    if accept(state, "<") then
      if name(state) ~= "const" then refuse() end
      expect(state, ">")
    end
  until not accept(state, ",")
  local types, parts, count = {}, {}, 0
  if accept(state, "=") then types, parts, count = initial(state, scope) end
  for k, variable in ipairs(names) do
    declare(state, scope, variable, k <= count and types[k]
      or k > count and count == 0 and "either" or nil, nil, parts[k])
  end
end

statements["if"] = function(state, scope)
  repeat
    expression(state, scope)
    expect(state, "then")
    block(state, inner(scope))
  until not accept(state, "elseif")
  if accept(state, "else") then block(state, inner(scope)) end
  expect(state, "end")
end

statements["do"] = function(state, scope)
  block(state, inner(scope))
  expect(state, "end")
end

statements["while"] = function(state, scope)
  state.loops = true
  expression(state, scope)
  expect(state, "do")
  block(state, inner(scope))
  expect(state, "end")
end

statements["repeat"] = function(state, scope)
  local body = inner(scope)
  state.loops = true
  block(state, body)
  expect(state, "until")
  expression(state, body)
end

statements["for"] = function(state, scope)
  local names, body = { name(state) }, inner(scope)
  state.loops = true
  if accept(state, "=") then
    local types = expressions(state, scope)
    for k = 1, #types do
      if types[k] ~= "number" then state.impure = true end
    end
    declare(state, body, names[1], "number")
  else
    while accept(state, ",") do names[#names + 1] = name(state) end
    state.impure = true
    expect(state, "in")
    expressions(state, scope)
    for _, variable in ipairs(names) do declare(state, body, variable) end
  end
  expect(state, "do")
  block(state, body)
  expect(state, "end")
end

statements["function"] = function(state, scope)
  local found = name(state)
  local variable = scope[found] or outside(state, found)
  if variable.row or variable.part then refuse() end
  local self = false
  if kind(state) ~= "(" then
    while accept(state, ".") do name(state) end
    if accept(state, ":") then
      name(state)
      self = true
    end
  elseif variable.number then
    assign_variable(state, variable, nil)
  end
  return function_body(state, scope, self)
end

local ends = { ["end"] = true, ["else"] = true, ["elseif"] = true,
               ["until"] = true, ["end of text"] = true }

statements["return"] = function(state, scope)
  local word, token = kind(state), state.index - 1
  if state.depth > 0 then
    if not ends[word] and word ~= ";" then expressions(state, scope) end
  elseif not ends[word] and word ~= ";" then
    if not state.chains then refuse() end
    expressions(state, scope)
  elseif not state.chains then
    replace(state, token, token, "goto " .. OWN .. "next")
  end
  accept(state, ";")
  if not ends[kind(state)] then refuse() end
end

statements["break"] = function() end

statements["goto"] = function(state)
  state.loops = true
  name(state)
end

statements["::"] = function(state)
  state.loops = true
  name(state)
  expect(state, "::")
end

--- Is it certain that a field takes a value of this type?
local function fits(scalar, value)
  return value == "number" or scalar == "bool" and value == "boolean"
end

--- Stores into one column; its value is at the tokens first to last.
local function store_column(state, place, value, first, last)
  local column = place.column
  local used = use(state, column)
  if not place.row.writable or place.row.links[column] then refuse() end
  -- The value has been read, so what it reads comes before the store.
  used.first_store = used.first_store or state.index - 1
  replace(state, place.first, place.last,
    OWN .. "c" .. column .. "[" .. OWN .. "i]")
  state.stores[#state.stores + 1] = {
    column = column, first = first, last = last,
    fits = fits(state.scalars[column], value),
  }
end

--- An assignment to several places; fields among them take sure values only.
local function assign_many(state, scope, places)
  local first = state.index
  local types, count = expressions(state, scope)
  for k, place in ipairs(places) do
    local value = types[k]
    if place.chain then
      place.chain.stored = true
    elseif place.column then
      if count ~= #places or not fits(state.scalars[place.column], value) then
        refuse()
      end
      store_column(state, place, value, first, nil)
    elseif place.variable then
      assign_variable(state, place.variable,
        k <= count and value or k > count and count == 0 and "either" or nil)
    end
  end
end

--- An assignment or a call.
local function plain_statement(state, scope)
  local _, place = suffixed(state, scope)
  if kind(state) ~= "=" and kind(state) ~= "," then
    if not place or not place.call then refuse() end
    return
  end
  local places = { place }
  while accept(state, ",") do
    local _, other = suffixed(state, scope)
    places[#places + 1] = other or refuse()
  end
  for _, each in ipairs(places) do
    if each.call or each.part then refuse() end
    if each.element then state.impure = true end
  end
  expect(state, "=")
  if #places > 1 then return assign_many(state, scope, places) end
  local first = state.index
  local value = expression(state, scope)
  if place.column then
    if kind(state) == "," then refuse() end
    store_column(state, place, value, first, state.index - 1)
  else
    if place.variable then assign_variable(state, place.variable, value) end
    if place.chain then place.chain.stored = true end
    while accept(state, ",") do expression(state, scope) end
  end
end

function block(state, scope)
  while true do
    while accept(state, ";") do end
    local word = kind(state)
    if ends[word] then return end
    local read = statements[word]
    if read then
      state.index = state.index + 1
      read(state, scope)
    else
      plain_statement(state, scope)
    end
  end
end


reader.function_body, reader.block = function_body, block

return reader
