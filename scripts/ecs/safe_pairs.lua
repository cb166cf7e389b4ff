--- safe_pairs: the loop over all entries of a table, as in
--
--     for key, value in safe_pairs(t) do ... end
--
-- in place of pairs, which scripts/ does not use; luacheck looks after that.
-- LuaJIT's compiler loses entries of some tables: once it has translated or
-- given up a loop over pairs or next, others may pass entries over from then on
-- (its issue 1510), and a query would lose a component. So the keys are listed
-- by a function that is never compiled. Costs a list of the keys.

local pairs = pairs

local function keys_of(t)
  local keys, count = {}, 0
  for key in pairs(t) do
    count = count + 1
    keys[count] = key
  end
  return keys
end

local jit = rawget(_G, "jit")
if jit then jit.off(keys_of) end

return function(t)
  local keys, k = keys_of(t), 0
  return function()
    k = k + 1
    local key = keys[k]
    if key ~= nil then return key, t[key] end
  end
end
