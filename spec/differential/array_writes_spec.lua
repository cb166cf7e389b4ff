-- Random functions that read and write arrays, of the world and in components,
-- leave the same when they are compiled as when they run as plain Lua.

package.path = "./spec/?.lua;" .. package.path

local writes = require "differential.array_writes"

local function from_environment(name, otherwise)
  return tonumber(os.getenv(name) or "") or otherwise
end

describe("random functions that write arrays", function()
  it("leave the same compiled and as plain Lua", function()
    local first = from_environment("WRITES_SEED", 1)
    local count = from_environment("WRITES_COUNT",
      os.getenv "ECS_SPEC_SHORT" and 40 or 400)
    local compiled = 0
    for seed = first, first + count - 1 do
      local text = writes.new(seed)
      local want = writes.run(text, false, seed)
      local have, why = writes.run(text, true, seed)
      assert(want == have, ("seed %d (WRITES_SEED): %s\n%s"):format(seed,
        why or "compiled", text))
      compiled = compiled + (why and 0 or 1)
    end
    assert.truthy(compiled > count * 0.9)
  end)
end)
