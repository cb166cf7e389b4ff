--- each_blocks: runs functions of one row in blocks, where each access to a
-- field would be a call of C; for ecs.core.
--
-- A function that runs as plain Lua (compile = false, or because it cannot be
-- compiled) is read, and becomes a loop over a block of rows: see
-- compile/block_text.lua. It means the same and shares the upvalues of the
-- function. A function that cannot become one is called row by row.
--
--     query --loops--> extras --> function -> plan, or false: row by row
--                                 1 -> kinds of extras -> its templates' place
--     world --rewrite.lua--> extras and terms -> template of the plan
--
--     plan   { loop, columns, guards... }, for block_loop.c:
--            loop     called as loop(row, count, entities, tables, ..., extras)
--            columns  a letter for each column: "n" not used, "r" read, "w"
--                     read and stored; and one for the entities: "n" or "r"
--            guards   k: upvalue k of the function must be a number; -k:
--                     argument k that follows the rows must be one. Otherwise
--                     the walk is done row by row

local standard = require "ecs.standard"
local require = standard.inner "ecs.each_blocks"

local allows = require "ecs.access"
local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"
local rewrite = require "ecs.rewrite"

local core = backend.core

-- Kept here: scripts replace functions of Lua, but programs must not change.
local concat, type, select = table.concat, type, select
local getmetatable, setmetatable, ipairs = getmetatable, setmetatable, ipairs
local unpack = standard.unpack

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
    if allows.shown[access] and #list > 0 then
      local columns, links = {}, {}
      for f, field in ipairs(list) do
        scalars[#scalars + 1] = field[2]
        fields[#scalars] = { terms[k], f }
        -- C holds the values of others, and hands them out row by row.
        if field[2] ~= "string" and field[2] ~= "any" then
          columns[field[1]], links[#scalars] = #scalars, field[3]
        end
      end
      rows[#rows + 1] = { columns = columns, links = links,
                          writable = allows.written[access] == true,
                          optional = allows.optional[access] == true }
    end
  end
  return concat(names, "\n"), rows, scalars, fields
end

--- What is the same for all closures of one code: { chunk, joins, converters,
-- columns, guards }; nil: they are called row by row.
local function new_template(f, query, ...)
  local upvalues, values = rewrite.read_upvalues(f)
  if not upvalues then return nil end
  local extras = {}
  for k = 1, select("#", ...) do
    extras[k] = type((select(k, ...))) == "number" and "number" or false
  end
  local _, rows, scalars, fields = read_terms(query)
  local made = specialize.block_text(f, { rows = rows, scalars = scalars,
    extras = extras, upvalues = upvalues, values = values })
  local chunk = rewrite.load(made)
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
  local joins = rewrite.joins(chunk, f, unpack(converters))
  return joins and { chunk = chunk, joins = joins, converters = converters,
                     columns = concat(letters), guards = guards }
end

--- Where templates are for these kinds of extra arguments; known: see find.
local function place_of(query, known, world, kinds)
  local places = known[1]
  if not places then
    places = {}
    known[1] = places
  end
  local place = places[kinds]
  if not place then
    place = rewrite.place(world, kinds .. "\n" .. read_terms(query))
    places[kinds] = place
  end
  return place
end

--- The plan for a function over a query's rows with these extra arguments, and
-- false where it has to be called row by row. known: the query's plans for so
-- many arguments, in which ecs.core looks first.
local function find(query, known, f, ...)
  if not getmetatable(known) then setmetatable(known, weak) end
  local world, kinds = core.query_world(query), ""
  for k = 1, select("#", ...) do
    kinds = kinds .. (type((select(k, ...))) == "number" and "n" or "?")
  end
  local place = place_of(query, known, world, kinds)
  local template = rewrite.template(world, place, f, new_template, query, ...)
  local plan = template and { rewrite.instantiate(template.chunk,
    template.joins, f, unpack(template.converters)), template.columns,
    unpack(template.guards) } or false
  known[f] = plan
  return plan
end

core.share("blocks", rewrite.wanted and find or false)

return true
