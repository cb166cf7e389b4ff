--- source: the text of a function, and the proof that it is.
--
-- debug.getinfo tells in which chunk a function was defined and on which lines;
-- the text of the chunk is in the file it names, or was the chunk's name
-- itself. But a file may have been edited since it was loaded. So the text is
-- loaded again, not run, and dumped: the function's code has to occur in it,
-- with its lines and the names of its variables, which tell what is outside of
-- it. What a file says now is what counts, so it is read for each function;
-- only what follows from its text is kept.
--
-- That some function of the text has this code is not enough, because a twin
-- may stand elsewhere. The one on the right lines is marked (a local string is
-- put into it) and the text dumped again: one occurrence has to be gone. (Not
-- where code says its lines, as all but LuaJIT's does, and only one function of
-- the text has them.)
--
-- What cannot be proved is not compiled, and no message quotes a file that was
-- not.

if jit then jit.off(true, true) end -- too seldom run to be worth compiling

local core = require "ecs.core"
local lexer = require "ecs.compile.lexer"

-- Taken now: a sandbox may be put up after ecs was loaded.
local debug_getinfo = debug and debug.getinfo
local dump, find, sub, byte = string.dump, string.find, string.sub, string.byte
local min, pcall, type, setmetatable = math.min, pcall, type, setmetatable
local load_text = rawget(_G, "loadstring") or load
local read_regular = io and io.open and core.read_file

local source = {}

--- Larger files are not read.
local BYTES_LIMIT = 4 * 1024 * 1024

--- Functions on the same lines that are tried: each costs a load of the text.
local CANDIDATE_LIMIT = 64

local BYTE_ORDER_MARK = "\239\187\191"

--- Does dumped code say on which lines a function stands?
local TELLS_LINES = not rawget(_G, "jit")

local MARK = " do local _ = 'ecs.source: the function that is meant' end;"

--- Dumped code without its header and the chunk's name behind it, which inner
-- functions do not have. What else stands there is the same for all functions
-- of a VM: signature, version, sizes; on 5.4 also the number of upvalues, which
-- is the last byte of it.
local function code_of(dumped)
  if sub(dumped, 2, 3) == "LJ" then
    -- Signature, version and flags; the length of the name, its lowest seven
    -- bits first and the last byte less than 128; at the end a zero.
    local length, scale, at = 0, 1, 6
    repeat
      local digit = byte(dumped, at)
      length, scale, at = length + digit % 128 * scale, scale * 128, at + 1
    until digit < 128
    return sub(dumped, at + length, -2)
  end
  -- One more than the length, its highest seven bits first, the last byte 128
  -- or more.
  local length, at = 0, 33
  repeat
    local digit = byte(dumped, at)
    length, at = length * 128 + digit % 128, at + 1
  until digit >= 128
  return sub(dumped, at + length - 1)
end

local function occurrences(text, code)
  local count, at = 0, 1
  while true do
    local found = find(text, code, at, true)
    if not found then return count end
    count, at = count + 1, found + 1
  end
end

local function dump_text(text, name)
  if sub(text, 1, 1) == "\27" then return nil end -- code, not text
  local chunk = load_text(text, name)
  if not chunk then return nil end
  local done, dumped = pcall(dump, chunk)
  return done and dumped or nil
end

--- A regular file's text, or nil. Where the program runs inside a host with a
-- file system of its own (LÖVE), that is asked first.
local function read_file(path)
  local love = rawget(_G, "love")
  if type(love) == "table" and type(love.filesystem) == "table"
    and love.filesystem.read then
    local done, text = pcall(love.filesystem.read, path)
    if done and type(text) == "string" then
      return #text <= BYTES_LIMIT and text or nil
    end
  end
  return read_regular and read_regular(path, BYTES_LIMIT)
end

--- The text of a chunk, without what Lua skips where a file begins.
local function text_of(name)
  local first = sub(name, 1, 1)
  if first == "@" then
    local text = read_file(sub(name, 2))
    return text and find(text, BYTE_ORDER_MARK, 1, true) == 1
      and sub(text, #BYTE_ORDER_MARK + 1) or text
  end
  return first ~= "=" and name or nil
end

--- What follows from a chunk's text: its tokens and dump. Kept by its name for
-- the functions that follow, as long as its text is the same. The collector may
-- take it, but for the last one that is not large.
local chunks = setmetatable({}, { __mode = "v" })
local KEPT_BYTES = 64 * 1024

local function read_chunk(name)
  local text = text_of(name)
  if not text then return nil, "source cannot be read" end
  local chunk = chunks[name]
  local loadable = find(text, "^#") and "--" .. text or text
  if chunk and chunk.text == loadable then return chunk end
  local dumped = dump_text(loadable, name)
  local tokens = dumped and lexer.read(text)
  if not tokens then return nil, "source is not what was loaded" end
  chunk = { name = name, text = loadable, tokens = tokens, dump = dumped,
            shift = #loadable - #text }
  chunks[name] = chunk
  if #text <= KEPT_BYTES then source.kept = chunk end
  return chunk
end

--- The function keywords on these lines: a list of { first, last } tokens.
local function candidates(tokens, first_line, last_line)
  local found = {}
  for k = 1, tokens.count do
    if tokens.lines[k] > first_line then break end
    if tokens.kinds[k] == "function" and tokens.lines[k] == first_line then
      local last = lexer.function_end(tokens, k)
      if last and tokens.lines[last] == last_line then
        found[#found + 1] = { first = k, last = last }
      end
    end
  end
  return found
end

--- The token of the parenthesis that ends the parameters.
local function parameters_end(tokens, first)
  local k = first
  while tokens.kinds[k] ~= ")" do
    if k > tokens.count then return nil end
    k = k + 1
  end
  return k
end

--- Is it this candidate that has the code?
local function is_meant(chunk, candidate, code, count)
  local close = parameters_end(chunk.tokens, candidate.first)
  if not close then return false end
  local at = chunk.tokens.stops[close] + chunk.shift
  local marked = sub(chunk.text, 1, at) .. MARK .. sub(chunk.text, at + 1)
  local dumped = dump_text(marked, chunk.name)
  return dumped ~= nil and occurrences(dumped, code) == count - 1
end

local function prove(chunk, info, code)
  local count = occurrences(chunk.dump, code)
  if count == 0 then return nil end
  local found = candidates(chunk.tokens, info.linedefined,
    info.lastlinedefined)
  if TELLS_LINES and #found == 1 then return found[1] end
  for k = 1, min(#found, CANDIDATE_LIMIT) do
    local candidate = found[k]
    if is_meant(chunk, candidate, code, count) then return candidate end
  end
  return nil
end

--- Is a function not of a script? LuaJIT has some of its own in Lua, and none
-- of these stands on a line.
function source.is_foreign(f)
  local info = debug_getinfo and debug_getinfo(f, "S")
  return info and info.linedefined < 0
end

--- Where a function's text is: { tokens, first, last, name, line }, its keyword
-- and its end among the tokens; or nil and why not, as it follows "whose".
function source.find(f)
  local info = debug_getinfo and debug_getinfo(f, "S")
  if not info then return nil, "source is not known without debug.getinfo" end
  if source.is_foreign(f) then return nil, "source is C" end
  local done, dumped = pcall(dump, f)
  if not done then return nil, "code cannot be read" end
  local code = code_of(dumped)
  local chunk, why = read_chunk(info.source)
  local candidate = chunk and prove(chunk, info, code)
  if not candidate then
    return nil, why or "source is not what was loaded"
  end
  return { tokens = chunk.tokens, first = candidate.first,
           last = candidate.last, name = info.short_src,
           line = info.linedefined }
end

return source
