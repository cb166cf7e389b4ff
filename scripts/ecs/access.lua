--- access: what the access of a term says of it, by its name: the table of
-- core/base/access.h.
--
--     access.lists         names of the lists of a query, in their order
--     access.shown[a]      callbacks get them, or batches have them
--     access.written[a]    they may be stored into
--     access.optional[a]   they may be absent
--     access.own[a]        the term is about the row's own entity
--     access.there[a]      a row has the component
--     access.asks[a]       whether an entity matches depends on the term
--     access.filters[a]    it does, and nothing is shown

local require = require("ecs.standard").inner "ecs.access"
local core = require "ecs.core"

local access = { lists = {}, shown = {}, written = {}, optional = {}, own = {},
                 there = {}, asks = {}, filters = {} }

for _, kind in ipairs(core.access_kinds()) do
  local name = kind.name
  if kind.list then access.lists[#access.lists + 1] = name end
  access.shown[name] = kind.columns or nil
  access.written[name] = kind.writes or nil
  access.optional[name] = kind.optional or nil
  access.own[name] = kind.own or nil
  access.there[name] = kind.there or nil
  access.asks[name] = kind.asks or nil
  access.filters[name] = kind.asks and not kind.columns or nil
end

return access
