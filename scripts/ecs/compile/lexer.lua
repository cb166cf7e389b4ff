--- lexer: splits Lua text into arrays of tokens.
--
-- It reads whole chunks, because strings and comments are known only from the
-- start. For token k:
--
--     kinds[k]   "name", "number", "string", "end of text", or the keyword or
--                sign itself
--     values[k]  the name; the number (false: one that is no double); nil for
--                other kinds
--     lines[k]             its line
--     starts[k], stops[k]  positions of its first and last byte
--
-- The VM has loaded the text before, so it is known to be Lua. Text that this
-- file does not understand gives nil all the same.

if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local find, sub, byte = string.find, string.sub, string.byte
local tonumber, type = tonumber, type

local lexer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local
  nil not or repeat return then true until while]]):gmatch("%a+") do
  keywords[word] = word
end

--- Signs of two characters.
local pairs_of_signs = {}
for sign in ("== ~= <= >= // :: << >> .."):gmatch("%S+") do
  pairs_of_signs[sign] = true
end

--- The bytes that names start with. On LuaJIT they include all that are not
-- ASCII.
local is_letter = { [95] = true }
for code = 65, 90 do is_letter[code], is_letter[code + 32] = true, true end
for code = 128, 255 do is_letter[code] = true end

--- The position after a long bracket that opens at start, or nil.
local function skip_long(text, start)
  local _, open, level = find(text, "^%[(=*)%[", start)
  if not open then return nil end
  local _, stop = find(text, "]" .. level .. "]", open + 1, true)
  return stop and stop + 1
end

--- The position after a comment that begins at start with its dashes.
local function skip_comment(text, start)
  local next_start = skip_long(text, start + 2)
  if next_start then return next_start end
  return find(text, "[\r\n]", start) or #text + 1
end

--- The position after a quoted string that opens at start, or nil.
local function skip_quoted(text, start)
  local quote, position = sub(text, start, start), start + 1
  while true do
    local found = find(text, "[\\" .. quote .. "]", position)
    if not found then return nil end
    if sub(text, found, found) == quote then return found + 1 end
    position = found + 2
  end
end

--- The number that starts at start, and the position of its last byte. As in
-- Lua, every byte that could belong to a number does. false for a number that
-- is no double: 1LL, 2i.
local function number_at(text, start)
  local exponent = find(text, "^0[xX]", start) and "[pP]" or "[eE]"
  local stop = start - 1
  while true do
    local _, more = find(text, "^[0-9A-Za-z_.\128-\255]", stop + 1)
    if not more then break end
    stop = more
    if find(text, "^" .. exponent .. "[+-]", stop) then stop = stop + 1 end
  end
  local value = tonumber(sub(text, start, stop))
  return type(value) == "number" and value, stop
end

local function sign_at(text, start)
  local two = sub(text, start, start + 1)
  if not pairs_of_signs[two] then return sub(two, 1, 1) end
  if two == ".." and byte(text, start + 2) == 46 then return "..." end
  return two
end

--- The token that starts at start: kind, value, position of its last byte; nil
-- where there is none.
local function token_at(text, start)
  local first = byte(text, start)
  if is_letter[first] then
    local _, stop = find(text, "^[0-9A-Za-z_\128-\255]*", start)
    local word = sub(text, start, stop)
    if keywords[word] then return word, nil, stop end
    return "name", word, stop
  elseif (first == 46 or first >= 48 and first <= 57)
    and find(text, "^%.?%d", start) then
    local value, stop = number_at(text, start)
    return "number", value, stop
  elseif first == 34 or first == 39 then -- quotes
    local next_start = skip_quoted(text, start)
    return next_start and "string", nil, next_start and next_start - 1
  elseif first == 91 then -- [
    local next_start = skip_long(text, start)
    if next_start then return "string", nil, next_start - 1 end
  end
  local sign = sign_at(text, start)
  return sign, nil, start + #sign - 1
end

--- The number of line breaks from start to before stop, as Lua counts them:
-- \r\n and \n\r are one break each.
local function breaks_in(text, start, stop)
  local count = 0
  local position = find(text, "[\r\n]", start)
  while position and position < stop do
    count = count + 1
    local one, other = byte(text, position, position + 1)
    local both = other ~= one and (other == 10 or other == 13)
    position = find(text, "[\r\n]", both and position + 2 or position + 1)
  end
  return count
end

--- The tokens of a text: { kinds, values, lines, starts, stops, count, text };
-- nil where it is no Lua that this file understands.
function lexer.read(text)
  local kinds, values, lines, starts, stops = {}, {}, {}, {}, {}
  local start, line, count, length = 1, 1, 0, #text
  if sub(text, 1, 1) == "#" then
    start = find(text, "[\r\n]") or length + 1
  end
  while true do
    local before = start
    start = find(text, "[^ \t\v\f]", start) or length + 1
    if start > length then break end
    local first = byte(text, start)
    local next_start
    if first == 10 or first == 13 then
      local _, last = find(text, first == 10 and "^\n\r?" or "^\r\n?", start)
      line = line + 1
      next_start = last + 1
    elseif first == 45 and byte(text, start + 1) == 45 then
      next_start = skip_comment(text, start)
    else
      local kind, value, stop = token_at(text, start)
      if not kind then return nil end
      count = count + 1
      kinds[count], values[count], lines[count] = kind, value, line
      starts[count], stops[count] = start, stop
      next_start = stop + 1
    end
    -- Line breaks inside strings and comments, which begin with - [ " or '.
    if first == 45 or first == 91 or first == 34 or first == 39 then
      line = line + breaks_in(text, start, next_start)
    end
    start = next_start
    if start <= before then return nil end
  end
  kinds[count + 1], lines[count + 1] = "end of text", line
  starts[count + 1], stops[count + 1] = length + 1, length + 1
  return { kinds = kinds, values = values, lines = lines, starts = starts,
           stops = stops, count = count, text = text }
end

local opens = { ["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1,
                ["end"] = -1, ["until"] = -1 }

--- The index of the token that ends the function that begins at token first.
function lexer.function_end(tokens, first)
  local kinds, depth = tokens.kinds, 0
  for k = first, tokens.count do
    local step = opens[kinds[k]]
    if step then
      depth = depth + step
      if depth == 0 then return k end
    end
  end
  return nil
end

--- Signs and words that continue an expression.
local continues = {}
for sign in ("+ - * / // % ^ .. == ~= < <= > >= & | ~ << >> and or ,")
  :gmatch("%S+") do continues[sign] = true end

--- The index of name in `local name <const> =`, in the innermost block that is
-- open at token first. Lua 5.4 folds such constants into the code, so that a
-- function has no upvalue for them. The condition after until still sees the
-- block that it ends: true, where that block has such a constant and no other
-- is found.
local function constant_at(tokens, first, name)
  local kinds, depth, open, ended = tokens.kinds, 0, {}, nil
  for k = 1, first - 1 do
    local word = kinds[k]
    depth = depth + (opens[word] or 0)
    if opens[word] == -1 then
      if word == "until" then ended = ended or open[depth + 1] end
      open[depth + 1] = nil
    end
    if word == "else" or word == "elseif" then open[depth] = nil end
    if tokens.values[k] == name and kinds[k + 1] == "<"
      and tokens.values[k + 2] == "const" and kinds[k + 3] == ">" then
      open[depth] = k
    end
  end
  while depth >= 0 and not open[depth] do depth = depth - 1 end
  return open[depth] or ended and true
end

--- The value, at token first, of a name that is no upvalue, as a constant that
-- Lua folded into the code: true and the value; true, nil and true where the
-- value is not written out in the text; false where there is no such constant.
function lexer.constant(tokens, first, name)
  local declared = constant_at(tokens, first, name)
  if not declared then return false end
  if declared == true then return true, nil, true end
  local kinds, value = tokens.kinds, declared + 5
  local sign = 1
  if kinds[declared + 4] ~= "=" then return true, nil, true end
  if kinds[value] == "-" then sign, value = -1, value + 1 end
  local word = kinds[value]
  if continues[kinds[value + 1]] then return true, nil, true end
  if word == "number" then return true, sign * tokens.values[value] end
  if word == "nil" then return true, nil end
  if word == "true" or word == "false" then return true, word == "true" end
  return true, nil, true
end

return lexer
