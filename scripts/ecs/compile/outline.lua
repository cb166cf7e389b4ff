--- outline: where the functions and the folded constants of a chunk are.
--
-- It is small, so it is kept where the tokens of a whole file would not be:
--
--     functions[line]   the functions that begin on a line, a list of
--                       { start, stop, last_line }, with the positions of the
--                       first byte and the last
--     constants[name]   what `local name <const> =` declares, in the order of
--                       the text: a list of { start, stop, over, ... }
--
-- Lua 5.4 folds such constants into the code, so that a function has no upvalue
-- for them. One is seen from start on to the end of its block, at stop. The
-- condition after until still sees the block that it ends: over says that this
-- one ends so.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.outline"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local load, pcall, error, type, next = load, pcall, error, type, next
local find, format, sub = string.find, string.format, string.sub
local gmatch = string.gmatch
local concat, huge, number_type = table.concat, math.huge, math.type
local lexer = require "ecs.compile.lexer"

local outline = {}

--- How a word changes the number of open blocks.
local opens = { ["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1,
                ["end"] = -1, ["until"] = -1 }
outline.opens = opens

--- Signs and words that continue an expression.
local continues = {}
for sign in gmatch("+ - * / // % ^ .. == ~= < <= > >= & | ~ << >> and or ,",
  "%S+") do continues[sign] = true end

--- Operators of expressions that Lua folds into a number.
local folds = {}
for sign in gmatch("+ - * / // % ^ & | ~ << >>", "%S+") do
  folds[sign] = true
end

--- The number of a constant that is open, as text; nil: there is none.
local function number_of(constants, name)
  local list = constants[name] or {}
  for k = #list, 1, -1 do
    if list[k].stop == huge then
      local value = list[k].value
      return type(value) == "number" and format(
        number_type(value) == "integer" and "(%d)" or "(%a)", value) or nil
    end
  end
end

--- The text of the expression of numbers, constants and operators that begins
-- at a token, with their values; nil: it is another expression.
local function fold_text(tokens, constants, at)
  local kinds, parts, depth, operand = tokens.kinds, {}, 0, true
  while true do
    local word, text = kinds[at], nil
    if operand then
      if word == "number" or word == "name" then
        operand = false
        text = word == "name" and number_of(constants, tokens.values[at])
          or word == "number" and sub(tokens.text, tokens.starts[at],
            tokens.stops[at])
      elseif word == "(" or word == "-" or word == "~" then
        text = word
        if word == "(" then depth = depth + 1 end
      end
    elseif word == ")" and depth > 0 then
      depth, text = depth - 1, word
    elseif folds[word] then
      operand, text = true, word
    elseif continues[word] or depth > 0 then
      return nil
    else
      return concat(parts, " ")
    end
    if not text then return nil end
    parts[#parts + 1] = text
    at = at + 1
  end
end

--- Reads the value of the constant that token k names. Its known says that the
-- text writes it out. constants: those before it.
local function read_value(constant, tokens, k, constants)
  local kinds, at = tokens.kinds, k + 5
  if kinds[k + 4] ~= "=" then return end
  local word = kinds[at]
  if word == "nil" or word == "true" or word == "false" then
    if continues[kinds[at + 1]] then return end
    constant.known = true
    if word ~= "nil" then constant.value = word == "true" end
    return
  end
  local text = fold_text(tokens, constants, at)
  local chunk = text and load("return " .. text, "=", "t", {})
  local done, value = pcall(chunk or error)
  if done and type(value) == "number" then
    constant.known, constant.value = true, value
  end
end

--- Closes the constants of a block that ends at a byte.
local function close(block, stop, over)
  for k = 1, #block do block[k].stop, block[k].over = stop, over end
end

local function append(lists, key, entry)
  local list = lists[key] or {}
  lists[key] = list
  list[#list + 1] = entry
end

--- The words that say something here; < may begin a constant.
local words = { ["else"] = "else", ["elseif"] = "elseif" }
for word in next, opens do words[word] = word end

local tells = { ["<"] = true }
for word in next, words do tells[word] = true end

--- Takes in token k, one of these. state: functions and constants, as above;
-- depth, the number of open blocks; blocks, the constants of each; begun, by
-- depth: the function that opened the block.
local function take(state, tokens, k, word)
  local kinds, starts, lines = tokens.kinds, tokens.starts, tokens.lines
  local blocks, begun, depth = state.blocks, state.begun, state.depth
  if opens[word] == 1 then
    depth = depth + 1
    blocks[depth], begun[depth], state.depth = {}, false, depth
    if word == "function" then
      begun[depth] = { start = starts[k] }
      append(state.functions, lines[k], begun[depth])
    end
  elseif opens[word] == -1 and depth > 0 then
    close(blocks[depth], starts[k], word == "until")
    local ended = begun[depth]
    if ended then
      ended.stop, ended.last_line = tokens.stops[k], lines[k]
    end
    state.depth = depth - 1
  elseif word == "else" or word == "elseif" then
    close(blocks[depth], starts[k], false)
    blocks[depth] = {}
  elseif word == "<" and tokens.values[k + 1] == "const"
    and kinds[k - 1] == "name" and kinds[k + 2] == ">" then
    local constant = { start = starts[k - 1], stop = huge }
    read_value(constant, tokens, k - 1, state.constants)
    append(state.constants, tokens.values[k - 1], constant)
    blocks[depth][#blocks[depth] + 1] = constant
  end
end

--- The outline of a whole chunk; nil where lexer.lua does not understand it.
function outline.read(text)
  local constant = find(text, "const", 1, true)
  local tokens = constant and lexer.read(text) or lexer.words(text, words)
  if not tokens then return nil end
  local kinds = tokens.kinds
  local state = { functions = {}, constants = {}, depth = 0,
                  blocks = { [0] = {} }, begun = {} }
  for k = 1, tokens.count do
    local word = kinds[k]
    if tells[word] then take(state, tokens, k, word) end
  end
  return { functions = state.functions, constants = state.constants }
end

--- The value, at a byte, of a name that is no upvalue, as a constant that Lua
-- folded into the code: true and the value; true, nil and true where the value
-- is not written out in the text; false where there is no such constant.
function outline.constant(chunk, start, name)
  local list, over = chunk.constants[name] or {}, false
  for k = #list, 1, -1 do
    local constant = list[k]
    if constant.start < start and constant.stop > start then
      return true, constant.value, not constant.known or nil
    end
    over = over or constant.over and constant.stop < start
  end
  if over then return true, nil, true end
  return false
end

return outline
