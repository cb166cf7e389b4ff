--- read_expression: reads expressions, and notes what they do with rows and
-- batches; see source_reader.lua.

local require = require("ecs.standard").inner "ecs.compile.read_expression"

local reader = require "ecs.compile.source_reader"

local refuse, kind, accept = reader.refuse, reader.kind, reader.accept
local expect, name, replace = reader.expect, reader.name, reader.replace
local outside, OWN = reader.outside, reader.OWN

local expression, table_constructor

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

--- What a batch has under these names.
local batch_keys = { entities = "column", up = "up" }

--- The rest of a part of a batch. A part: { batch = true, chain }, of which
-- batch.Position, a component, is a part, of which x, a column, is one; and
-- batch.up is, which has components of its own; chain
-- is where the batch itself is named. Returns type and place as suffixed does;
-- place.part where it is a part itself.
local function read_part(state, scope, part, token)
  if state.depth > 0 then refuse() end
  local chain, level = part.chain, part.level
  if level == "batch" then
    chain = state.chains[token] or { token = token, stored = false }
    state.chains[token] = chain
    if accept(state, ".") then
      local key = name(state)
      if key == "count" then return "number", nil end
      level = batch_keys[key] or "component"
    else
      expect(state, "[")
      expression(state, scope)
      expect(state, "]")
      level = "component"
    end
  end
  if level == "up" and accept(state, ".") then
    name(state)
    level = "component"
  elseif level == "up" and accept(state, "[") then
    expression(state, scope)
    expect(state, "]")
    level = "component"
  end
  if level == "component" and accept(state, ".") then
    name(state)
    level = "column"
  end
  if level == "column" and accept(state, "[") then
    expression(state, scope)
    expect(state, "]")
    return nil, { chain = chain }
  end
  return nil, { part = { level = level, chain = chain } }
end

--- The rest of a name, or of an expression in parentheses, that begins at token
-- first. Returns its type; and what it is, where it can be assigned to:
-- { variable }, { column } with first and last, { chain } or
-- { element = true }; or where it is { call } or { part }.
local function suffixed(state, scope)
  local first, result, place = state.index, nil, nil
  if accept(state, "(") then
    result = expression(state, scope)
    expect(state, ")")
  else
    local found_name = name(state)
    local variable = scope[found_name] or outside(state, found_name)
    if variable.part then
      result, place = read_part(state, scope, variable.part, first)
      if place and place.part then return nil, place end
    elseif variable.row then
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
    return reader.function_body(state, scope)
  elseif word == "..." then
    if state.depth == 0 and not state.varied then refuse() end
    state.index = state.index + 1
    return nil
  end
  local result, place = suffixed(state, scope)
  if place and place.part then refuse() end
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


reader.expression, reader.expressions = expression, expressions
reader.suffixed, reader.use, reader.powers = suffixed, use, powers

return reader
