--- source: finds the text of a function, and proves that it is the text.
--
-- debug.getinfo gives the chunk and the lines in which a function was defined.
-- The text of the chunk is in the file that the chunk names, or is the chunk's
-- name itself. But a file may have been edited since it was loaded. So the text
-- is loaded again, without running it, and dumped: the function's code must
-- occur in the dump, with its lines and the names of its variables. The file is
-- read anew for each function; only results that depend on its text alone are
-- kept.
--
-- That some function of the text has this code is not enough, because another
-- function may have the same code. So the function on the right lines is marked
-- (a local string is put into it) and the text is dumped again: one occurrence
-- must be gone. This is left out where dumped code has its lines, as on all VMs
-- but LuaJIT, and only one function of the text is on them.
--
-- A function without this proof is not compiled, and no message quotes a file
-- that was not proved.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.source"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

local core = require "ecs.core"
local lexer = require "ecs.compile.lexer"
local outline = require "ecs.compile.outline"

-- Kept here: a sandbox may be set up after ecs was loaded.
local rawget = rawget
local debug_getinfo = standard.debug.getinfo
local find, sub, byte = string.find, string.sub, string.byte
local dump, globals = standard.string.dump, standard.globals
local min, pcall, type, setmetatable = math.min, pcall, type, setmetatable
local ipairs = ipairs
local load_text = standard.load
local read_regular = standard.io.open and core.read_file

local source = {}

--- The largest file that is read, in bytes.
local BYTES_LIMIT = 4 * 1024 * 1024

--- The most functions on the same lines that are tried. Each try loads the
-- text.
local CANDIDATE_LIMIT = 64

--- What to do where a function is missing that this file calls.
local EARLIER = "require ecs before it is taken away"

local BYTE_ORDER_MARK = "\239\187\191"


local MARK = " do local _ = 'ecs.source: the function that is meant' end;"

--- Dumped code without its header and the chunk's name after it, neither of
-- which inner functions have. The rest of the header is the same for all
-- functions of a VM: signature, version, sizes. On 5.4 its last byte is the
-- number of upvalues.
local function code_of(dumped)
  if sub(dumped, 2, 3) == "LJ" then
    -- Signature, version and flags; the length of the name, its lowest seven
    -- bits first and the last byte less than 128; at the end a zero.
    local length, scale, position = 0, 1, 6
    repeat
      local digit = byte(dumped, position)
      length, scale = length + digit % 128 * scale, scale * 128
      position = position + 1
    until digit < 128
    return sub(dumped, position + length, -2)
  end
  -- One more than the length, its highest seven bits first, the last byte 128
  -- or more.
  local length, position = 0, 33
  repeat
    local digit = byte(dumped, position)
    length, position = length * 128 + digit % 128, position + 1
  until digit >= 128
  return sub(dumped, position + length - 1)
end

--- Does dumped code have the lines of its functions?
local HAS_LINES = load_text and dump
  and code_of(dump(load_text "return function() end" ()))
  ~= code_of(dump(load_text "\nreturn function() end" ()))

local function occurrences(text, code)
  local count, position = 0, 1
  while true do
    local found = find(text, code, position, true)
    if not found then return count end
    count, position = count + 1, found + 1
  end
end

local function dump_text(text, name)
  if sub(text, 1, 1) == "\27" then return nil end -- code, not text
  local chunk = load_text(text, name)
  if not chunk then return nil end
  local done, dumped = pcall(dump, chunk)
  return done and dumped or nil
end

--- The text of a regular file, or nil; known itself, a text or nil, where this
-- is its text. A host with a file system of its own (LÖVE) is asked first.
local function read_file(path, known)
  local love = rawget(globals, "love")
  if type(love) == "table" and type(love.filesystem) == "table"
    and love.filesystem.read then
    local done, text = pcall(love.filesystem.read, path)
    if done and type(text) == "string" then
      return #text <= BYTES_LIMIT and text or nil
    end
  end
  return read_regular and read_regular(path, BYTES_LIMIT, known)
end

--- The text of a chunk with this name, or nil. known: see read_file.
local function text_of(name, known)
  local first = sub(name, 1, 1)
  if first == "@" then return read_file(sub(name, 2), known) end
  return first ~= "=" and name or nil
end

--- Name of a chunk -> { name, read, text, outline, dump, shift, at }, which
-- holds as long as what was read is the same. The collector may free all of
-- them but the last one that is not large, from which a program is defining its
-- systems.
local chunks = setmetatable({}, { __mode = "v" })
local KEPT_BYTES = 1024 * 1024

--- The chunk with this name; or nil and why there is none. shift: the bytes
-- that were put before the text, to make a first line with # a comment. at:
-- where in the dump the last function was found.
local function read_chunk(name)
  local chunk = chunks[name]
  local read = text_of(name, chunk and chunk.read)
  if not read then return nil, "a source that cannot be read" end
  if chunk and chunk.read == read then return chunk end
  local text = read
  if sub(name, 1, 1) == "@" and sub(read, 1, 3) == BYTE_ORDER_MARK then
    text = sub(read, 4) -- Lua skips it
  end
  local loadable = find(text, "^#") and "--" .. text or text
  local dumped = dump_text(loadable, name)
  local known = dumped and outline.read(text)
  if not known then return nil, "a source that is not what was loaded" end
  chunk = { name = name, read = read, text = text, loadable = loadable,
            outline = known, dump = dumped,
            shift = #loadable - #text, at = 1 }
  chunks[name] = chunk
  if #text <= KEPT_BYTES then source.kept = chunk end
  return chunk
end

--- The functions from first_line to last_line.
local function candidates(chunk, first_line, last_line)
  local found = {}
  for _, candidate in ipairs(chunk.outline.functions[first_line] or {}) do
    if candidate.last_line == last_line then
      found[#found + 1] = candidate
    end
  end
  return found
end

--- The tokens of a candidate, from its keyword to its end. Those of the last
-- one stay: a function that is defined is asked for several times.
local function tokens_of(chunk, candidate, line)
  if chunk.last ~= candidate then
    chunk.tokens = lexer.read(chunk.text, candidate.start, line,
      candidate.stop)
    chunk.last = candidate
  end
  return chunk.tokens
end

--- The position of the parenthesis that ends the parameters.
local function parameters_end(tokens)
  local k = 1
  while tokens.kinds[k] ~= ")" do
    if k > tokens.count then return nil end
    k = k + 1
  end
  return tokens.stops[k]
end

--- Is this candidate the function with the code, which occurs count times?
local function is_meant(chunk, candidate, line, code, count)
  local close = parameters_end(tokens_of(chunk, candidate, line))
  if not close then return false end
  local stop = close + chunk.shift
  local marked = sub(chunk.loadable, 1, stop) .. MARK
    .. sub(chunk.loadable, stop + 1)
  local dumped = dump_text(marked, chunk.name)
  return dumped ~= nil and occurrences(dumped, code) == count - 1
end

--- Does the code occur in the dump? Functions are mostly asked for in the order
-- of the text.
local function occurs(chunk, code)
  local found = find(chunk.dump, code, chunk.at, true)
    or find(chunk.dump, code, 1, true)
  chunk.at = found or 1
  return found ~= nil
end

--- The candidate that is proved to be the function; nil: none.
local function prove(chunk, info, code)
  if not occurs(chunk, code) then return nil end
  local line = info.linedefined
  local found = candidates(chunk, line, info.lastlinedefined)
  if HAS_LINES and #found == 1 then return found[1] end
  local count = occurrences(chunk.dump, code)
  for k = 1, min(#found, CANDIDATE_LIMIT) do
    local candidate = found[k]
    if is_meant(chunk, candidate, line, code, count) then return candidate end
  end
  return nil
end

--- Is a function no script's? It is in C, or one of LuaJIT's own in Lua, which
-- have no lines.
function source.is_foreign(f)
  local info = debug_getinfo and debug_getinfo(f, "S")
  return info and info.linedefined < 0
end

--- Finds a function's text: { tokens, first, last, name, chunk, line,
-- outline }: chunk is the name that the text was loaded with; tokens are those
-- of the function, first and last the indices of its keyword and its end. Or
-- nil, why not, as a phrase that follows "a function with", and what to do, nil
-- being the usual. Cost: reads the file; where it has changed, also loads it.
function source.find(f)
  local info = debug_getinfo and debug_getinfo(f, "S")
  if not info then
    return nil, "a source that is not known without debug.getinfo", EARLIER
  elseif not (load_text and dump) then
    return nil, "a source that is not known without "
      .. (dump and "load" or "string.dump"), EARLIER
  end
  if source.is_foreign(f) then return nil, "a source in C" end
  local done, dumped = pcall(dump, f)
  if not done then return nil, "code that cannot be read" end
  local code = code_of(dumped)
  local chunk, why = read_chunk(info.source)
  local candidate = chunk and prove(chunk, info, code)
  if not candidate then
    return nil, why or "a source that is not what was loaded"
  end
  local tokens = tokens_of(chunk, candidate, info.linedefined)
  return { tokens = tokens, first = 1, last = tokens.count,
           name = info.short_src, chunk = chunk.name, line = info.linedefined,
           outline = chunk.outline }
end

return source
