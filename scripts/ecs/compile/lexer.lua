--- lexer: splits Lua text into arrays of tokens.
--
-- A chunk is read from its start, because strings and comments are known only
-- from there; a function in it from the byte where it is known to begin. For
-- token k:
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

--- A name or keyword, with the blanks before it. On LuaJIT names may have all
-- bytes that are not ASCII.
local WORD = "^[ \t\v\f]*([A-Za-z_\128-\255][0-9A-Za-z_\128-\255]*)"

--- The token, no word, that starts at start: kind, value, position of its last
-- byte; nil where there is none.
local function token_at(text, start)
  local first = byte(text, start)
  if (first == 46 or first >= 48 and first <= 57)
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

--- What is at start and is neither a word nor a blank: the position after it,
-- the line breaks in it, and its kind and value if it is a token; nil where it
-- is no Lua.
local function other_at(text, start)
  local first = byte(text, start)
  if first == 10 or first == 13 then
    local _, last = find(text, first == 10 and "^\n\r?" or "^\r\n?", start)
    return last + 1, 1
  end
  local kind, value, stop, following
  if first == 45 and byte(text, start + 1) == 45 then
    following = skip_comment(text, start)
  else
    kind, value, stop = token_at(text, start)
    if not kind then return nil end
    following = stop + 1
  end
  -- Line breaks inside strings and comments, which begin with - [ " or '.
  if first == 45 or first == 91 or first == 34 or first == 39 then
    return following, breaks_in(text, start, following), kind, value
  end
  return following, 0, kind, value
end

--- The tokens of a text: { kinds, values, lines, starts, stops, count, text };
-- nil where it is no Lua that this file understands. start, line and length, if
-- given: only those from this byte, which is on this line, to byte length.
function lexer.read(text, start, line, length)
  local kinds, values, lines, starts, stops = {}, {}, {}, {}, {}
  local count = 0
  if not start then
    start, line, length = 1, 1, #text
    if sub(text, 1, 1) == "#" then
      start = find(text, "[\r\n]") or length + 1
    end
  end
  while start <= length do
    local _, stop, word = find(text, WORD, start)
    local kind, value, breaks
    if word then
      kind = keywords[word]
      if not kind then kind, value = "name", word end
      start, breaks = stop - #word + 1, 0
    else
      start = find(text, "[^ \t\v\f]", start) or length + 1
      if start > length then break end
      stop, breaks, kind, value = other_at(text, start)
      if not stop then return nil end
      stop = stop - 1
    end
    if kind then
      count = count + 1
      kinds[count], values[count], lines[count] = kind, value, line
      starts[count], stops[count] = start, stop
    end
    start, line = stop + 1, line + breaks
  end
  kinds[count + 1], lines[count + 1] = "end of text", line
  starts[count + 1], stops[count + 1] = length + 1, length + 1
  return { kinds = kinds, values = values, lines = lines, starts = starts,
           stops = stops, count = count, text = text }
end

return lexer
