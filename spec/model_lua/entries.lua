--- entries: for key, value in entries(t), used instead of pairs for the reason
-- given in scripts/ecs/safe_pairs.lua: no loop of the model may miss an entry.
-- Their order is another in each VM, and in each run of Lua 5.4: nothing that
-- is digested may depend on it.

local function keys_of(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  return keys
end

local jit = rawget(_G, "jit")
if jit then jit.off(keys_of) end

return function(t)
  local keys, k = keys_of(t), 0
  return function()
    k = k + 1
    if keys[k] ~= nil then return keys[k], t[keys[k]] end
  end
end
