--- lexer: Lua text as arrays of tokens.
--
-- Of the whole chunk, because only from its start is it known what is a string
-- or a comment. For token k:
--
--     kinds[k]   "name", "number", "string", "end of text", or the keyword or
--                sign itself
--     values[k]  the name, the number (false: one that is no double); nil
--                otherwise
--     lines[k], starts[k], stops[k]   where it stands
--
-- The text has been loaded by the VM before, so it is known to be Lua; what
-- this file does not understand gives nil all the same.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

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

--- The bytes that names start with: on LuaJIT all that are not ASCII, too.
local is_letter = { [95] = true }
for code = 65, 90 do is_letter[code], is_letter[code + 32] = true, true end
for code = 128, 255 do is_letter[code] = true end

--- The position behind a long bracket that opens at start, or nil.
local function skip_long(text, start)
  local _, open, level = find(text, "^%[(=*)%[", start)
  if not open then return nil end
  local _, stop = find(text, "]" .. level .. "]", open + 1, true)
  return stop and stop + 1
end

--- The position behind a comment whose dashes are at start.
local function skip_comment(text, start)
  local behind = skip_long(text, start + 2)
  if behind then return behind end
  return find(text, "[\r\n]", start) or #text + 1
end

--- The position behind a quoted string that opens at start, or nil.
local function skip_quoted(text, start)
  local quote, at = sub(text, start, start), start + 1
  while true do
    local found = find(text, "[\\" .. quote .. "]", at)
    if not found then return nil end
    if sub(text, found, found) == quote then return found + 1 end
    at = found + 2
  end
end

--- The number that starts at start, and where it stops: everything that could
-- belong to one does, as in Lua. false for one that is no double: 1LL, 2i.
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

--- One token that starts at start: kind, value, stop; nil where it is none.
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
    local behind = skip_quoted(text, start)
    return behind and "string", nil, behind and behind - 1
  elseif first == 91 then -- [
    local behind = skip_long(text, start)
    if behind then return "string", nil, behind - 1 end
  end
  local sign = sign_at(text, start)
  return sign, nil, start + #sign - 1
end

--- How many lines begin behind at and before behind, as Lua counts: two bytes
-- of which each breaks a line are one break, unless they are the same.
local function breaks_in(text, at, behind)
  local count = 0
  at = find(text, "[\r\n]", at)
  while at and at < behind do
    count = count + 1
    local one, other = byte(text, at, at + 1)
    local both = other ~= one and (other == 10 or other == 13)
    at = find(text, "[\r\n]", both and at + 2 or at + 1)
  end
  return count
end

--- The tokens of a text; nil when it is no Lua that this file knows.
function lexer.read(text)
  local kinds, values, lines, starts, stops = {}, {}, {}, {}, {}
  local at, line, count, length = 1, 1, 0, #text
  if sub(text, 1, 1) == "#" then
    at = find(text, "[\r\n]") or length + 1
  end
  while true do
    local from = at
    at = find(text, "[^ \t\v\f]", at) or length + 1
    if at > length then break end
    local first = byte(text, at)
    local behind
    if first == 10 or first == 13 then
      local _, last = find(text, first == 10 and "^\n\r?" or "^\r\n?", at)
      line = line + 1
      behind = last + 1
    elseif first == 45 and byte(text, at + 1) == 45 then
      behind = skip_comment(text, at)
    else
      local kind, value, stop = token_at(text, at)
      if not kind then return nil end
      count = count + 1
      kinds[count], values[count], lines[count] = kind, value, line
      starts[count], stops[count] = at, stop
      behind = stop + 1
    end
    -- Line breaks inside strings and comments: after - [ " and '.
    if first == 45 or first == 91 or first == 34 or first == 39 then
      line = line + breaks_in(text, at, behind)
    end
    at = behind
    if at <= from then return nil end
  end
  kinds[count + 1], lines[count + 1] = "end of text", line
  starts[count + 1], stops[count + 1] = length + 1, length + 1
  return { kinds = kinds, values = values, lines = lines, starts = starts,
           stops = stops, count = count, text = text }
end

local opens = { ["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1,
                ["end"] = -1, ["until"] = -1 }

--- The token that ends the function whose keyword is token first.
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

--- What would go on with a value that began before it.
local continues = {}
for sign in ("+ - * / // % ^ .. == ~= < <= > >= & | ~ << >> and or ,")
  :gmatch("%S+") do continues[sign] = true end

--- The token of name in `local name <const> =`, in a block that is open at
-- token first: the innermost one. Lua 5.4 takes such constants into the code,
-- so that a function has no upvalue for them. What follows until still sees the
-- block that it ends: where that had one and no other is found, true.
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

--- What a name that is no upvalue stands for at token first, as a constant that
-- Lua took in: true and its value; true, nil and true where the text does not
-- tell it; false when there is none.
function lexer.constant(tokens, first, name)
  local at = constant_at(tokens, first, name)
  if not at then return false end
  if at == true then return true, nil, true end
  local kinds, value = tokens.kinds, at + 5
  local sign = 1
  if kinds[at + 4] ~= "=" then return true, nil, true end
  if kinds[value] == "-" then sign, value = -1, value + 1 end
  local word = kinds[value]
  if continues[kinds[value + 1]] then return true, nil, true end
  if word == "number" then return true, sign * tokens.values[value] end
  if word == "nil" then return true, nil end
  if word == "true" or word == "false" then return true, word == "true" end
  return true, nil, true
end

return lexer
