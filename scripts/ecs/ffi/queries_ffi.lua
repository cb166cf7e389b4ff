--- queries_ffi: world:query as compiled code, for a query that the world was
-- asked for lately.
--
-- The method replaces that of ecs.core. What a table describes is looked up in
-- a tree, one step a component:
--
--     roots[world] = {
--       tree      the node of a table without anything
--       count     nodes
--       queries   slot -> query, with weak values: ecs.core keeps it
--     }
--     node = {
--       after     component -> the node of one more in the list that is read
--       read, optional, with, without, any, all
--                 the node where this list begins; all: of all = true
--       slot      0: no query ends here. Otherwise its slot in the list of
--                 recent queries (world/recent_queries.h) when it was asked for
--       stamp     that of the slot then: the slot may have another query now
--     }
--
-- One FFI call says whether the slot still has the query, and makes it the one
-- that was asked for last. So the same 256 queries are recent on every VM, and
-- nothing here keeps a query or a world. Everything unusual goes to the method
-- of ecs.core as a tail call, which raises every error and blames the same
-- line: lists of more than LONGEST components, tables with a metatable,
-- mistakes. A tree has no path for a mistake, because ecs.core makes no query
-- of it.
--
-- next shows that nothing else is in a table. While it is read nothing is
-- allocated, so no finalizer can change it.

local standard = require "ecs.standard"
local require = standard.inner "ecs.ffi.queries_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local allows = require "ecs.access"

local calls_data, calls_bytes, slow = core.query_calls()
-- When the file is loaded again, the method is there already.
if not calls_data then return true end

-- Kept here: a script may replace the globals.
local ipairs, next, type, assert = ipairs, next, type, assert
local load_text = standard.load
local getmetatable, setmetatable, rawget = getmetatable, setmetatable, rawget
local concat, format, rep = table.concat, string.format, string.rep
local recent_query, query_terms = core.recent_query, core.query_terms
local kind = core.kind
local gsub = string.gsub

local calls = ffi.cast(layouts.QueryCalls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and queries_ffi.lua disagree about their calls", 0)
end
local touch = calls.touch

-- The longest list that is read here; and the most nodes of a world, beyond
-- which its tree is made anew.
local LONGEST, MOST_NODES = 8, 4096

local roots = setmetatable({}, { __mode = "k" })

-- Remembering ----------------------------------------------------------------

--- All nodes are made here: with the same layout, compiled code finds a field
-- of each at the same place.
local function new_node(root)
  root.count = root.count + 1
  return { after = {}, read = false, optional = false, with = false,
           without = false, any = false, all = false, slot = 0, stamp = 0 }
end

local function new_root()
  local root = { tree = false, count = 0,
                 queries = setmetatable({}, { __mode = "v" }) }
  root.tree = new_node(root)
  return root
end

local lists, is_filter, asks = allows.lists, allows.filters, allows.asks

--- Adds the components of a list to a path.
local function add_list(path, list)
  for k = 1, LONGEST do
    local part = rawget(list, k)
    if kind(part) ~= "ecs.Component" then return end
    path[#path + 1] = part
  end
end

--- The way through the tree for a table: components, and the names of the lists
-- that they are in.
local function path_of(spec)
  local path = {}
  add_list(path, spec)
  for k = 1, #lists do
    local list = rawget(spec, lists[k])
    if type(list) == "table" then
      path[#path + 1] = lists[k]
      add_list(path, list)
    end
  end
  if rawget(spec, "all") then path[#path + 1] = "all" end
  return path
end

--- The filters among the terms of a query: component -> "with", "without" or
-- "any".
local function filters_of(terms)
  local filters = {}
  for k = 1, #terms, 2 do
    local access = terms[k + 1]
    if is_filter[access] then
      filters[terms[k]] = access
    end
  end
  return filters
end

--- Does a path say just what the terms of a query say? Filters come in any
-- order.
local function says(path, terms)
  local filters, access, seen, demands = filters_of(terms), "write", 0, false
  for k = 1, #path do
    local part = path[k]
    if type(part) == "string" then
      access = part
    else
      local at = 2 * seen + 1
      if is_filter[access] then
        if filters[part] ~= access then return false end
        filters[part] = nil
      elseif terms[at] ~= part or terms[at + 1] ~= access then
        return false
      end
      seen, demands = seen + 1, demands or asks[access]
    end
  end
  return 2 * seen == #terms and demands ~= (access == "all")
end

--- Remembers the query of a table, if the world has just been asked for it. A
-- finalizer may change the table meanwhile: the path is compared with what the
-- query is. A path that is too long ends at a node without a query, so that it
-- is not tried again.
local function remember(world, spec)
  local query, slot, stamp = recent_query(world, spec)
  if not query or getmetatable(spec) ~= nil then return end
  local path, terms = path_of(spec), query_terms(query)
  local root = roots[world]
  if not root or root.count >= MOST_NODES then
    root = new_root()
    roots[world] = root
  end
  local node = root.tree
  for k = 1, #path do
    local part = path[k]
    local from = type(part) == "string" and node or node.after
    from[part] = from[part] or new_node(root)
    node = from[part]
  end
  if not says(path, terms) then return end
  root.queries[slot] = query
  -- A finalizer may have given the slot to another query by now.
  if touch(world, query, slot, stamp) == 1 then
    node.slot, node.stamp = slot, stamp
  else
    root.queries[slot] = nil
  end
end

-- The method -----------------------------------------------------------------

-- The code has no loops: one would be an inner loop of every loop that asks.

--- Code for one entry: node and the next key. K: its number.
local ENTRY = [[
if key ~= K then return nil end
node = node.after[part]
if not node then return nil, true end
key, part = next(list, K)
]]

--- A function that returns the node after a list; or nil, and whether the list
-- should be remembered.
local function list_code()
  local code = { [[
local next, type, getmetatable = ...
return function(node, list)
if not node then return nil, true end
if type(list) ~= "table" or getmetatable(list) ~= nil then return nil end
local key, part = next(list)]] }
  for k = 1, LONGEST do
    code[#code + 1] = gsub(ENTRY, "K", k)
    code[#code + 1] = "if key == nil then return node end"
  end
  code[#code + 1] = "return nil\nend"
  return concat(code, "\n")
end

-- Reads a list of the table.
local NAMED = [[
if LIST ~= nil then
  node, is_new = read_list(node.LIST, LIST)
  if not node then return nil, is_new end
end]]

--- The function that finds the query of a table; it returns nil otherwise, and
-- whether the table should be remembered. It has a fixed number of parameters:
-- LuaJIT compiles it by itself, too, for callers that are interpreted.
local function find_code()
  local code = { [[
local roots, read_list, touch, next, type, getmetatable = ...
return function(world, list)
if type(list) ~= "table" or getmetatable(list) ~= nil then return nil end
local root = roots[world]
if not root then return nil, true end
local node, is_new = root.tree, nil
local key, part = next(list)
local all, LISTS]] }
  for k = 1, LONGEST do
    code[#code + 1] = format("if key == %d then", k)
    code[#code + 1] = gsub(ENTRY, "K", k)
  end
  code[#code + 1] = rep("end ", LONGEST)
  for _ = 1, #lists + 1 do
    code[#code + 1] = [[
if key ~= nil then
  if key == "all" then all = part
TAKEN
  else return nil end
  key, part = next(list, key)]]
  end
  code[#code + 1] = "if key ~= nil then return nil end"
  code[#code + 1] = rep("end ", #lists + 1)
  for k = 1, #lists do code[#code + 1] = gsub(NAMED, "LIST", lists[k]) end
  code[#code + 1] = [[
if all ~= nil then
  if all ~= true then return nil end
  node = node.all
  if not node then return nil, true end
end
local slot = node.slot
local query = root.queries[slot]
if query and touch(world, query, slot, node.stamp) == 1 then
  return query
end
return nil, true
end]]
  local taken = {}
  for k, name in ipairs(lists) do
    taken[k] = format("  elseif key == %q then %s = part", name, name)
  end
  return (gsub(concat(code, "\n"), "%u%u%u%u%u", {
    LISTS = concat(lists, ", "), TAKEN = concat(taken, "\n") }))
end

local read_list = assert(load_text(list_code(), "=ecs.query"))(next, type,
  getmetatable)
local find = assert(load_text(find_code(), "=ecs.query"))(roots, read_list,
  touch, next, type, getmetatable)

local methods = {}

function methods.query(world, spec)
  local query, is_new = find(world, spec)
  if query then return query end
  if is_new then remember(world, spec) end
  return slow(world, spec)
end

core.install("ecs.World", methods)

return true
