--- safe_pairs: a loop over all entries of a table, read raw.
--
--     for key, value in safe_pairs(t) do ... end
--
-- scripts/ uses it in place of pairs; luacheck enforces that. For two reasons.
-- Tables come from scripts: their metamethods would run in the middle of this
-- module, differently on each VM, and raise errors that blame it. And LuaJIT's
-- compiler loses entries of some tables: once it has compiled or aborted a loop
-- over pairs or next, later loops may skip entries (LuaJIT issue 1510), and a
-- query would lose a component. So a function that is never compiled lists the
-- keys first. Cost: one list of the keys for each loop.

require("ecs.standard").inner "ecs.safe_pairs"

local next, rawget = next, rawget

local function keys_of(t)
  local keys, count = {}, 0
  for key in next, t do
    count = count + 1
    keys[count] = key
  end
  return keys
end

local jit = require("ecs.standard").jit
if jit then jit.off(keys_of) end

return function(t)
  local keys, k = keys_of(t), 0
  return function()
    k = k + 1
    local key = keys[k]
    if key ~= nil then return key, rawget(t, key) end
  end
end
