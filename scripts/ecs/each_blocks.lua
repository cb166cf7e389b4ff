--- each_blocks: runs functions of one row in blocks, where each access to a
-- field would be a call of C; for ecs.core.
--
-- A function that runs as plain Lua (compile = false, or because it cannot be
-- compiled) is read, and becomes a loop over a block of rows: see
-- compile/block_text.lua. It means the same and shares the upvalues of the
-- function. A function that cannot become one is called row by row.
--
--     query --loops--> extras --> function -> plan, or false: row by row
--     world --blocks-> terms --> extras --> line -> list of { dump, template }
--
--     plan   { loop, columns, guards... }, for block_loop.c:
--            loop     called as loop(row, count, entities, tables, ..., extras)
--            columns  a letter for each column: "n" not used, "r" read, "w"
--                     read and stored; and one for the entities: "n" or "r"
--            guards   k: upvalue k of the function must be a number; -k:
--                     argument k that follows the rows must be one. Otherwise
--                     the walk is done row by row

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"

local core = backend.core

-- Kept here: scripts replace functions of Lua, but programs must not change.
local get_upvalue = debug and debug.getupvalue
local join_upvalues = debug and debug.upvaluejoin
local dump, concat = string.dump, table.concat
local pcall, load, type, select = pcall, load, type, select
local setmetatable, ipairs = setmetatable, ipairs
local unpack = table.unpack or rawget(_G, "unpack")

--- The most functions of a world that become loops.
local FUNCTIONS = 1024

local weak = { __mode = "k" }

--- The terms of a query as a key, and as block_text.lua takes them: the rows
-- and, by column, types and what a converter is made from.
local function read_terms(query)
  local terms, rows, scalars, fields = core.query_terms(query), {}, {}, {}
  local names = {}
  for k = 1, #terms, 2 do
    local name, list = core.fields(terms[k])
    local access = terms[k + 1]
    names[#names + 1], names[#names + 2] = name, access
    local shown = access == "write" or access == "read" or access == "optional"
    if shown and #list > 0 then
      local columns = {}
      for f, field in ipairs(list) do
        scalars[#scalars + 1] = field[2]
        fields[#scalars] = { terms[k], f }
        columns[field[1]] = #scalars
      end
      rows[#rows + 1] = { columns = columns, writable = access ~= "read",
                          optional = access == "optional" }
    end
  end
  return concat(names, "\n"), rows, scalars, fields
end

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
local function upvalues_of(f)
  local upvalues, values, k = {}, {}, 1
  while true do
    local name, value = get_upvalue(f, k)
    if not name then return upvalues, values end
    if name == "" or name == "(no name)" or name == "(*no name)" then
      return nil
    end
    upvalues[name], values[name] = k, value
    k = k + 1
  end
end

--- What is the same for all closures of one code: { chunk, converters,
-- columns, guards }; nil: they are called row by row.
local function new_template(query, f, extras)
  local upvalues, values = upvalues_of(f)
  if not upvalues then return nil end
  local _, rows, scalars, fields = read_terms(query)
  local made = specialize.block_text(f, { rows = rows, scalars = scalars,
    extras = extras, upvalues = upvalues, values = values })
  if not made then return nil end
  local chunk = load(made.text, made.name, "t")
  if not chunk then return nil end
  local letters, converters, guards = {}, {}, {}
  for k = 1, #scalars do letters[k] = "n" end
  for k, column in ipairs(made.columns) do
    letters[column] = made.stored[k] and "w" or "r"
  end
  letters[#letters + 1] = made.entity and "r" or "n"
  for k, column in ipairs(made.converted) do
    converters[k] = core.field_converter(fields[column][1], fields[column][2])
  end
  for k, index in ipairs(made.guards) do guards[k] = index end
  for _, argument in ipairs(made.arguments) do
    guards[#guards + 1] = -argument
  end
  return { chunk = chunk, converters = converters, columns = concat(letters),
           guards = guards }
end

--- The plan of a template for one closure; false where the two do not fit.
local function instantiate(template, f)
  local upvalues = upvalues_of(f)
  local loop = template.chunk(unpack(template.converters))
  local k = 1
  while true do
    local name = get_upvalue(loop, k)
    if not name then break end
    if upvalues[name] then
      join_upvalues(loop, k, f, upvalues[name])
    elseif name:sub(1, 5) ~= "ecs__" then
      return false -- a name that is not what the text made of it
    end
    k = k + 1
  end
  return { loop, template.columns, unpack(template.guards) }
end

--- The template for a function; nil: there is none, and no room for one.
local function template_of(query, f, ...)
  local world = core.query_world(query)
  local state, line = core.state(world), core.line_of(f)
  if not line then return nil end
  local count, extras, kinds = select("#", ...), {}, {}
  for k = 1, count do
    extras[k] = type((select(k, ...))) == "number" and "number" or false
    kinds[k] = extras[k] and "n" or "?"
  end
  local key = read_terms(query) .. "\n" .. concat(kinds)
  local list = under(under(under(state, "blocks"), key), line)
  local known = core.same_code(list, f)
  if not known then
    state.block_count = (state.block_count or 0) + 1
    if state.block_count > FUNCTIONS then return nil end
    local done, text = pcall(dump, f)
    if not done then return nil end
    known = { text, template = new_template(query, f, extras) }
    list[#list + 1] = known
  end
  return known.template
end

--- The plan for a function over a query's rows with these extra arguments, and
-- false where it has to be called row by row. known: the query's plans for so
-- many arguments, in which ecs.core looks first.
local function find(query, known, f, ...)
  if not getmetatable(known) then setmetatable(known, weak) end
  local template = template_of(query, f, ...)
  known[f] = template and instantiate(template, f) or false
  return known[f]
end

-- LuaJIT has no need of blocks: rows_ffi.lua reads memory.
local wanted = get_upvalue and join_upvalues and not rawget(_G, "jit")
core.share("blocks", wanted and find or false)

return true
