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
-- ecs.core reads them: bindings/lua/object/tokens.c. The VM has loaded the text
-- before, so it is known to be Lua. Text that is not understood gives nil all
-- the same.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.lexer"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local core = require "ecs.core"

local find, gmatch, sub = string.find, string.gmatch, string.sub
local tonumber = tonumber
local read_tokens = core.read_tokens

local lexer = {}

local keywords = {}
for word in gmatch([[and break do else elseif end false for function goto if in
  local nil not or repeat return then true until while]], "%a+") do
  keywords[word] = word
end

--- Where a text begins: behind a first line with # on it.
local function start_of(text)
  if sub(text, 1, 1) ~= "#" then return 1 end
  return find(text, "[\r\n]") or #text + 1
end

local function tokens_of(text, start, line, length, words, convert)
  local kinds, values, lines, starts, stops, last, count =
    read_tokens(text, start, line, length, words, convert)
  if not kinds then return nil end
  kinds[count + 1], lines[count + 1] = "end of text", last
  starts[count + 1], stops[count + 1] = length + 1, length + 1
  return { kinds = kinds, values = values, lines = lines, starts = starts,
           stops = stops, count = count, text = text }
end

--- The tokens of a text: { kinds, values, lines, starts, stops, count, text };
-- nil where it is no Lua that ecs.core understands. start, line and length, if
-- given: only those from this byte, which is on this line, to byte length.
function lexer.read(text, start, line, length)
  return tokens_of(text, start or start_of(text), line or 1, length or #text,
    keywords, tonumber)
end

--- Only those tokens of a text that are words of a set, word -> word.
function lexer.words(text, words)
  return tokens_of(text, start_of(text), 1, #text, words)
end

return lexer
