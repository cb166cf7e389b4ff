--- kept_batches: finds out what functions of batches store, for ecs.core.
--
-- Where columns are tables, a function is read (compile/batch_text.lua), and
-- written anew so that it tells which columns it may store into: it gets two
-- batches, one to store into and one to read. What it reads is neither compared
-- nor stored back after the call, and its tables are kept (kept_columns.h). A
-- function that cannot be read so is called as it is.

local require = require("ecs.standard").inner "ecs.kept_batches"

local backend = require "ecs.backend"
local specialize = require "ecs.compile.specialize"
local rewrite = require "ecs.rewrite"

local core = backend.core

local getmetatable, setmetatable = getmetatable, setmetatable

local weak = { __mode = "k" }

--- What makes functions for those with the code of f: { chunk, joins }; nil:
-- there is none.
local function new_template(f)
  local upvalues, values = rewrite.read_upvalues(f)
  if not upvalues then return nil end
  local chunk = rewrite.load(specialize.batch_text(f, { upvalues = upvalues,
    values = values }))
  local joins = chunk and rewrite.joins(chunk, f)
  return joins and { chunk = chunk, joins = joins } or nil
end

--- Has a component of the query an array? There the text does not tell what a
-- column is.
local function has_arrays(query)
  local terms = core.query_terms(query)
  for k = 1, #terms, 2 do
    local _, fields = core.fields(terms[k])
    if fields.arrays then return true end
  end
  return false
end

--- The function to call in place of f, with one batch more; false: there is
-- none. known: the query's, by function, in which ecs.core looks first.
local function find(query, known, f)
  if not getmetatable(known) then setmetatable(known, weak) end
  local world = core.query_world(query)
  local template = not has_arrays(query)
    and rewrite.template(world, rewrite.place(world, "batch"), f, new_template)
  known[f] = template
    and rewrite.instantiate(template.chunk, template.joins, f) or false
  return known[f]
end

core.share("batches", rewrite.wanted and find or false)

return true
