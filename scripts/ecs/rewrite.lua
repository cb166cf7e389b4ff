--- rewrite: functions that are written anew, and mean the same.
--
-- each_blocks.lua and kept_batches.lua have the text of a script's function
-- changed (compile/source_reader.lua). The new function shares the upvalues of
-- the old one. Closures of one code have one **template**, which is made once;
-- each gets a function of its own.
--
--     world --key--> line -> list of { dump, template }

local standard = require "ecs.standard"
local require = standard.inner "ecs.rewrite"

local backend = require "ecs.backend"

local core = backend.core

-- Kept here: scripts replace functions of Lua, but programs must not change.
local get_upvalue = standard.debug.getupvalue
local join_upvalues = standard.debug.upvaluejoin
local dump, sub = string.dump, string.sub
local load, pcall = standard.load, pcall

local rewrite = {}

--- The most functions of a world that are written anew, of each kind.
local FUNCTIONS = 1024

--- Can functions be written anew, and is there a need for it? LuaJIT has none:
-- it reads memory (ecs.ffi).
rewrite.wanted = get_upvalue and join_upvalues and dump
  and standard.load and not standard.jit

--- A table's table under a key, made when it is missing.
local function under(parent, key)
  local child = parent[key]
  if not child then
    child = {}
    parent[key] = child
  end
  return child
end

--- The upvalues of a function: name -> index, and name -> value. nil where one
-- has no name.
function rewrite.read_upvalues(f)
  local upvalues, values, k = {}, {}, 1
  while true do
    local name, value = get_upvalue(f, k)
    if not name then return upvalues, values end
    if name == "" or sub(name, 1, 1) == "(" then return nil end
    upvalues[name], values[name] = k, value
    k = k + 1
  end
end

--- Where a world keeps the templates of a kind: line -> list. Callers that ask
-- often keep it.
function rewrite.place(world, key)
  return under(under(core.state(world), "rewritten"), key)
end

--- The template for the code of a function, from a place of its world: what
-- make(f, ...) returns for the first one; nil: there is none, or no room for
-- one more, or functions are to stay as debuggers know them (compile = false).
function rewrite.template(world, place, f, make, ...)
  local line = core.line_of(f)
  if not line or core.state(world).plain then return nil end
  local list = under(place, line)
  local known = core.same_code(list, f)
  if not known then
    local state = core.state(world)
    if (state.rewritten_count or 0) >= FUNCTIONS then return nil end
    local done, text = pcall(dump, f)
    if not done then return nil end
    state.rewritten_count = (state.rewritten_count or 0) + 1
    known = { text, template = make(f, ...) }
    list[#list + 1] = known
  end
  return known.template
end

--- The chunk of a text, or nil.
function rewrite.load(made)
  return made and load(made.text, made.name, "t")
end

--- Which upvalues the function that a chunk makes, called with values, shares
-- with f: a list of its own and those of f, in turns; nil where the two do not
-- fit. It is the same for all functions with the code of f.
function rewrite.joins(chunk, f, ...)
  local upvalues, made, joins, k = rewrite.read_upvalues(f), chunk(...), {}, 1
  while true do
    local name = get_upvalue(made, k)
    if not name then return joins end
    if upvalues[name] then
      joins[#joins + 1], joins[#joins + 2] = k, upvalues[name]
    elseif sub(name, 1, 5) ~= "ecs__" then
      return nil -- a name that is not what the text made of it
    end
    k = k + 1
  end
end

--- The function that a chunk makes, called with values, with the upvalues of f.
function rewrite.instantiate(chunk, joins, f, ...)
  local made = chunk(...)
  for k = 1, #joins, 2 do
    join_upvalues(made, joins[k], f, joins[k + 1])
  end
  return made
end

return rewrite
