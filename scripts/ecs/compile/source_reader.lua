--- source_reader: reads all of Lua 5.4, to write functions anew with changes.
--
-- For functions that stay plain Lua: block_text.lua and batch_text.lua change
-- what reaches rows and batches, and leave the rest of the text as it is, line
-- by line. The parts: this file has the tokens, the edits and the variables;
-- read_expression.lua and read_statement.lua read. They share a **state**, the
-- table of source_reader.new.
--
-- The type of an expression: "number"; "boolean"; "either", a number, nil or
-- false; nil, anything.

local require = require("ecs.standard").inner "ecs.compile.source_reader"

local constant = require("ecs.compile.outline").constant

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, next, pcall = error, ipairs, next, pcall
local setmetatable, type = setmetatable, type
local concat, sort = table.concat, table.sort
local find, format = string.find, string.format
local rep, sub = string.rep, string.sub

local reader = {}

--- Names that are added begin with this; no function that has one is read.
local OWN = "ecs__"
reader.OWN = OWN

--- The error for a function that is not understood, or not to be changed.
local REFUSED = {}
reader.REFUSED = REFUSED

local function refuse() error(REFUSED, 0) end

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

--- A variable: { type, number, row, part }. Its type is a guess until the whole
-- function was read: an assignment of another type notes its number as one that
-- holds anything, and the function is read again. row: of block_text.lua; part:
-- of batch_text.lua.
local function declare(state, scope, variable_name, kind_of, row, part)
  state.declared = state.declared + 1
  local number = state.declared
  if state.any[number] then kind_of = nil end
  scope[variable_name] = { type = kind_of, number = number, row = row,
                           part = part }
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
    local folded, value, hidden = constant(state.outline, state.starts[1],
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

--- A new state to read a function with. options: place, upvalues and values, as
-- block_text.lua takes them. any: the numbers of variables that hold anything.
-- pure: it is a guess that no code of others runs.
function reader.new(options, any, pure)
  local place = options.place
  local tokens = place.tokens
  return {
    -- Of lexer.lua, and the index of the next token.
    tokens = tokens, kinds = tokens.kinds, values = tokens.values,
    lines = tokens.lines, starts = tokens.starts, stops = tokens.stops,
    text = tokens.text, index = place.first, outline = place.outline,
    edits = {},
    -- How many functions are open inside of this one.
    depth = 0,
    -- Variables so far, and those of the second kind by number; true: the
    -- guesses were wrong.
    declared = 0, any = any, again = false,
    -- Code of others may run, or a loop may go back.
    pure = pure, impure = false, loops = false,
    upvalues = options.upvalues, values_of = options.values,
    -- Names from outside; upvalues that must be numbers; folded constants.
    outside = {}, guards = {}, constants = {},
  }
end

--- Has the function a name that this folder adds?
function reader.has_own(place)
  local values = place.tokens.values
  for k = place.first, place.last do
    local value = values[k]
    if type(value) == "string" and find(value, OWN, 1, true) then
      return true
    end
  end
  return false
end

--- The declarations of the names from outside, which are to become upvalues of
-- the new function: text, and how many.
function reader.outside_text(state)
  local upvalues, parts = {}, {}
  for name_of_upvalue in next, state.upvalues do
    if name_of_upvalue ~= "_ENV" then
      upvalues[#upvalues + 1] = name_of_upvalue
    end
  end
  sort(upvalues)
  if #upvalues > 0 then
    parts[1] = "local " .. concat(upvalues, ", ") .. " "
  end
  for _, folded in ipairs(state.constants) do
    parts[#parts + 1] = "local " .. folded[1] .. " <const> = "
      .. format("%q", folded[2]) .. " "
  end
  return concat(parts), #upvalues + #state.constants
end

--- The result of write(options), nil where it refuses the function.
function reader.try(write, options)
  local done, result = pcall(write, options)
  if done then return result end
  if result == REFUSED or type(result) == "string"
    and find(result, "stack overflow", 1, true) then
    return nil
  end
  error(result, 0)
end

reader.refuse, reader.kind, reader.accept = refuse, kind, accept
reader.expect, reader.name = expect, name
reader.replace, reader.insert, reader.edited = replace, insert, edited
reader.declare, reader.inner, reader.outside = declare, inner, outside
reader.assign_variable = assign_variable

return reader
