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
-- All of Lua 5.4 is read. What is not understood is refused, and the function
-- is called row by row.
--
-- The type of an expression: "number"; "boolean"; "either", a number, nil or
-- false; nil, anything.

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, next = error, ipairs, next
local pcall, setmetatable, type = pcall, setmetatable, type
local concat, sort = table.concat, table.sort
local find, format = string.find, string.format
local rep, sub = string.rep, string.sub

local lexer = require "ecs.compile.lexer"

local constant = lexer.constant

local block_text = {}

--- Names that the loop adds begin with this; no function that has one is read.
local OWN = "ecs__"

--- The most names from outside, rows and fields together: a function has 200
-- variables.
local NAMES_LIMIT = 120

local REFUSED = {}

local function refuse() error(REFUSED, 0) end

local expression, block, function_body, table_constructor

-- Tokens ---------------------------------------------------------------------

local function kind(state) return state.kinds[state.index] end

local function accept(state, wanted)
  if state.kinds[state.index] ~= wanted then return false end
  state.index = state.index + 1
  return true
end

local function expect(state, wanted)
  if not accept(state, wanted) then refuse() end
end

local function name(state)
  local value = state.values[state.index]
  expect(state, "name")
  return value
end

-- Edits ----------------------------------------------------------------------

--- The line breaks in the text of some tokens, so that lines stay.
local function breaks(state, first, last)
  return rep("\n", state.lines[last] - state.lines[first])
end

--- Replaces the tokens first to last.
local function replace(state, first, last, text)
  local edits = state.edits
  edits[#edits + 1] = {
    start = state.starts[first], stop = state.stops[last],
    text = text .. breaks(state, first, last), number = #edits,
  }
end

--- Inserts text before a byte; before what replaces it, too.
local function insert(state, start, text)
  local edits = state.edits
  edits[#edits + 1] = { start = start, stop = start - 1, text = text,
                        number = -1 }
end

--- The bytes from start to stop, edited.
local function edited(state, start, stop)
  local parts, edits = {}, state.edits
  sort(edits, function(one, other)
    if one.start ~= other.start then return one.start < other.start end
    return one.number < other.number
  end)
  for _, edit in ipairs(edits) do
    parts[#parts + 1] = sub(state.text, start, edit.start - 1)
    parts[#parts + 1] = edit.text
    start = edit.stop + 1
  end
  parts[#parts + 1] = sub(state.text, start, stop)
  return concat(parts)
end

-- Variables ------------------------------------------------------------------

--- A variable: { type, row, changing }. row: a term. Its type is a guess until
-- the whole function was read: an assignment of another type makes the state's
-- types "any" from its declaration on, and the function is read again.
local function declare(state, scope, variable_name, kind_of, row)
  state.declared = state.declared + 1
  local number = state.declared
  if state.any[number] then kind_of = nil end
  scope[variable_name] = { type = kind_of, row = row, number = number }
end

local function inner(scope) return setmetatable({}, { __index = scope }) end

--- Notes that a variable is assigned a value of this type.
local function assign_variable(state, variable, value)
  if variable.type == nil or variable.type == value then return end
  state.any[variable.number] = true
  state.again = true
end

--- The variable of an upvalue, which is known by its number where no other code
-- runs, and so cannot change it, during a block.
local function outside(state, upvalue_name)
  local variable = state.outside[upvalue_name]
  if variable then
    if variable.global then state.impure = true end
    return variable
  end
  local index = state.upvalues[upvalue_name]
  if not index then
    local folded, value, hidden = constant(state.tokens, state.first,
      upvalue_name)
    if hidden then refuse() end
    variable = {}
    if folded then
      variable.type = type(value) == "number" and "number"
        or value and "boolean" or "either"
      state.constants[#state.constants + 1] = { upvalue_name, value }
    else
      state.impure = true -- a global: its table may have a metatable
      variable.global = true
    end
    state.outside[upvalue_name] = variable
    return variable
  end
  state.declared = state.declared + 1
  local number = state.declared
  variable = { number = number, index = index }
  if state.pure and type(state.values_of[upvalue_name]) == "number"
    and not state.any[number] then
    variable.type = "number"
    state.guards[index] = true
  end
  state.outside[upvalue_name] = variable
  return variable
end

-- Expressions ----------------------------------------------------------------

--- What fields read as; all others are numbers.
local types_of_fields = { bool = "boolean", entity = "either" }

--- The field of a row at the tokens first to last: its column.
local function field_of(state, row)
  expect(state, ".")
  local field = name(state)
  local column = row.columns[field]
  if not column or state.depth > 0 or row.optional then refuse() end
  return column
end

local function use(state, column)
  local used = state.used[column]
  if not used then
    used = { reads = 0, first_store = nil, last_read = 0 }
    state.used[column] = used
  end
  return used
end

--- A read of a column by the tokens first to last.
local function read_column(state, column, first, last)
  local used = use(state, column)
  used.reads, used.last_read = used.reads + 1, first
  replace(state, first, last, OWN .. "c" .. column .. "[" .. OWN .. "i]")
  return types_of_fields[state.scalars[column]] or "number"
end

local function arguments(state, scope)
  state.impure = true
  if accept(state, "string") then return end
  if kind(state) == "{" then
    table_constructor(state, scope)
    return
  end
  expect(state, "(")
  if accept(state, ")") then return end
  repeat expression(state, scope) until not accept(state, ",")
  expect(state, ")")
end

function table_constructor(state, scope)
  state.impure = true
  expect(state, "{")
  while not accept(state, "}") do
    if accept(state, "[") then
      expression(state, scope)
      expect(state, "]")
      expect(state, "=")
      expression(state, scope)
    elseif kind(state) == "name" and state.kinds[state.index + 1] == "=" then
      state.index = state.index + 2
      expression(state, scope)
    else
      expression(state, scope)
    end
    if not accept(state, ",") and not accept(state, ";")
      and kind(state) ~= "}" then
      refuse()
    end
  end
end

--- The rest of a name, or of an expression in parentheses, that begins at token
-- first. Returns its type; and what it is, where it can be assigned to:
-- { variable }, { column } or { element = true }, with first and last.
local function suffixed(state, scope)
  local first, result, place = state.index, nil, nil
  if accept(state, "(") then
    result = expression(state, scope)
    expect(state, ")")
  else
    local found_name = name(state)
    local variable = scope[found_name] or outside(state, found_name)
    if variable.row then
      local column = field_of(state, variable.row)
      place = { column = column, first = first, last = state.index - 1,
                row = variable.row }
    else
      result = variable.type
      place = variable.number and { variable = variable } or { element = true }
    end
  end
  while true do
    local word = kind(state)
    local suffix = word == "." or word == "[" or word == ":" or word == "("
      or word == "string" or word == "{"
    if not suffix then return result, place end
    if place and place.column then
      read_column(state, place.column, place.first, place.last)
    end
    state.impure, result = true, nil
    if accept(state, ".") then
      name(state)
      place = { element = true }
    elseif accept(state, "[") then
      expression(state, scope)
      expect(state, "]")
      place = { element = true }
    else
      if accept(state, ":") then name(state) end
      arguments(state, scope)
      place = { call = true }
    end
  end
end

local literals = {
  number = "number", ["true"] = "boolean", ["false"] = "either",
  ["nil"] = "either",
}

local function primary(state, scope)
  local word = kind(state)
  local literal = literals[word]
  if literal then
    state.index = state.index + 1
    return literal
  elseif word == "string" then
    state.index = state.index + 1
    return nil
  elseif word == "{" then
    return table_constructor(state, scope)
  elseif word == "function" then
    state.index = state.index + 1
    return function_body(state, scope)
  elseif word == "..." then
    if state.depth == 0 then refuse() end
    state.index = state.index + 1
    return nil
  end
  local result, place = suffixed(state, scope)
  if place and place.column then
    result = read_column(state, place.column, place.first, place.last)
  end
  return result
end

--- Left and right binding power, as in Lua's manual.
local powers = {
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 },
  ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 },
  ["~="] = { 3, 3 }, ["=="] = { 3, 3 },
  ["|"] = { 4, 4 }, ["~"] = { 5, 5 }, ["&"] = { 6, 6 },
  ["<<"] = { 7, 7 }, [">>"] = { 7, 7 }, [".."] = { 9, 8 },
  ["+"] = { 10, 10 }, ["-"] = { 10, 10 },
  ["*"] = { 11, 11 }, ["/"] = { 11, 11 }, ["//"] = { 11, 11 },
  ["%"] = { 11, 11 }, ["^"] = { 14, 13 },
}
local UNARY_POWER = 12
local compares = { ["<"] = true, [">"] = true, ["<="] = true, [">="] = true }
local unary_signs = { ["-"] = true, ["not"] = true, ["#"] = true, ["~"] = true }

local function unary(state, scope)
  local sign = kind(state)
  if not unary_signs[sign] then return primary(state, scope) end
  state.index = state.index + 1
  local operand = expression(state, scope, UNARY_POWER)
  if sign == "not" then return "boolean" end
  if sign == "#" or operand ~= "number" then state.impure = true end
  return sign == "-" and operand == "number" and "number" or nil
end

--- The type of left and right, joined by and, or.
local function joined(sign, left, right)
  if sign == "or" then
    if left == "number" then return "number" end
    if left == right then return left end
    return left == "either" and right == "number" and "number" or nil
  end
  if left == "number" then return right end
  if left == nil or right == nil then return nil end
  if left == "boolean" and right == "boolean" then return "boolean" end
  return right ~= "boolean" and "either" or nil
end

--- The type of left and right, combined by any other sign.
local function combined(state, sign, left, right)
  local numbers = left == "number" and right == "number"
  if sign == "==" or sign == "~=" then
    if left == nil and right == nil then state.impure = true end
    return "boolean"
  elseif compares[sign] then
    if not numbers then state.impure = true end
    return numbers and "boolean" or nil
  elseif sign == ".." or not numbers then
    state.impure = true
    return nil
  end
  return "number"
end

function expression(state, scope, limit)
  local left = unary(state, scope)
  while true do
    local sign = kind(state)
    local power = powers[sign]
    if not power or power[1] <= (limit or 0) then return left end
    state.index = state.index + 1
    local right = expression(state, scope, power[2])
    if sign == "and" or sign == "or" then
      left = joined(sign, left, right)
    else
      left = combined(state, sign, left, right)
    end
  end
end

--- Reads a list of expressions: the list of their types.
local function expressions(state, scope)
  local list, count = {}, 0
  repeat
    count = count + 1
    list[count] = expression(state, scope) or false
  until not accept(state, ",")
  return list, count
end

-- Statements -----------------------------------------------------------------

--- The body of a function inside the function, from its parameters on.
function function_body(state, scope, self)
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
  local types, count = {}, 0
  if accept(state, "=") then types, count = expressions(state, scope) end
  for k, variable in ipairs(names) do
    declare(state, scope, variable,
      k <= count and types[k] or k > count and count == 0 and "either" or nil)
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
  if variable.row then refuse() end
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
    refuse()
  else
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
  if not place.row.writable then refuse() end
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
    if place.column then
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
    if each.call then refuse() end
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

-- The whole ------------------------------------------------------------------

--- Reads the function once. options: see block_text.write.
local function read(options, any, pure)
  local place = options.place
  local tokens = place.tokens
  local state = {
    kinds = tokens.kinds, values = tokens.values, lines = tokens.lines,
    starts = tokens.starts, stops = tokens.stops, text = tokens.text,
    tokens = tokens, first = place.first, constants = {},
    index = place.first, edits = {}, depth = 0, declared = 0, any = any,
    pure = pure, upvalues = options.upvalues, values_of = options.values,
    outside = {}, guards = {}, scalars = options.scalars, used = {},
    stores = {}, parameters = {}, extras = {},
  }
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
  block(state, inner(scope))
  state.stop = state.index
  expect(state, "end")
  if state.stop ~= place.last then refuse() end
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
--     rows         a list of { columns = name -> number, writable, optional }
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
  for k = place.first, place.last do
    local value = tokens.values[k]
    if type(value) == "string" and find(value, OWN, 1, true) then refuse() end
  end
  local state = settle(options, true)
  if state.impure then state = settle(options, false) end
  local converted = sorted(convert(state))
  local columns, stored = sorted(state.used), {}
  for k, column in ipairs(columns) do
    stored[k] = state.used[column].first_store ~= nil
  end
  local upvalues = {}
  for upvalue in next, options.upvalues do
    if upvalue ~= "_ENV" then upvalues[#upvalues + 1] = upvalue end
  end
  sort(upvalues)
  if #upvalues + #state.constants + #columns + #converted
    + #state.parameters > NAMES_LIMIT then
    refuse()
  end
  local parts, own = {}, {}
  local function add(...) parts[#parts + 1] = concat { ... } end
  add(rep("\n", tokens.lines[place.first] - 1))
  for k, column in ipairs(converted) do own[k] = OWN .. "s" .. column end
  if #own > 0 then add("local ", concat(own, ", "), " = ... ") end
  if #upvalues > 0 then add("local ", concat(upvalues, ", "), " ") end
  for _, folded in ipairs(state.constants) do
    add("local ", folded[1], " <const> = ", format("%q", folded[2]), " ")
  end
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

--- As write, but nil instead of an error where the function is refused.
function block_text.try(options)
  local done, result = pcall(block_text.write, options)
  if done then return result end
  if result == REFUSED or type(result) == "string"
    and find(result, "stack overflow", 1, true) then
    return nil
  end
  error(result, 0)
end

return block_text
