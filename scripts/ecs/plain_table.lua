--- plain_table: tables of scripts with a metatable, read without a call.
--
--     list = plain_table(list, "world", "phases", nil, "list")
--
-- Every table that scripts/ecs takes from a script passes here first. A table
-- without a metatable comes back as it is. For another one ecs.core makes a new
-- table of the entries that are wanted, which it finds through __index as well
-- (bindings/lua/object/plain_table.h says how), or raises an error that blames
-- the script. So what follows reads tables raw, as safe_pairs does.
--
-- getmetatable shows that there is a metatable, even where a field __metatable
-- hides which one; ecs.core sees the true one.

local require = require("ecs.standard").inner "ecs.plain_table"

local core = require "ecs.core"

-- Kept here: a script may replace the globals.
local getmetatable, plain = getmetatable, core.plain

--- The table, or one without a metatable. call and argument are for messages:
-- "world: phases is a proxy". names: a set of the names that are wanted; nil:
-- none. how: "list", where elements are wanted; "all", where all names are, of
-- fields; or nil.
return function(t, call, argument, names, how)
  if getmetatable(t) == nil then return t end
  local made = plain(t, call, argument, names, how)
  return made
end
