-- A script puts its own functions where ecs might look for Lua's: none of them
-- is handed what only ecs may hold, and loops go on as before.

local ecs = require "ecs"

--- Runs body while library[name] is wrapped: how often the wrapper was given,
-- or gave, cdata.
local function watching(library, name, body)
  local real, seen = library[name], 0
  local function look(...)
    for k = 1, select("#", ...) do
      if type((select(k, ...))) == "cdata" then seen = seen + 1 end
    end
    return ...
  end
  library[name] = function(...)
    look(...)
    local results = { real(...) }
    if type(results[1]) == "function" then
      local chunk = results[1]
      results[1] = function(...)
        look(...)
        return chunk(...)
      end
    end
    return look((table.unpack or unpack)(results))
  end
  local done, text = pcall(body)
  library[name] = real
  assert(done, text)
  return seen
end

describe("a global that a script has replaced", function()
  local count = 0
  for _, where in ipairs { { _G, "loadstring" }, { table, "concat" },
                           { string, "format" }, { string, "gsub" },
                           { _G, "ipairs" }, { _G, "assert" } } do
    it("shows no pointer: " .. where[2], function()
      if not where[1][where[2]] then return end
      local seen = watching(where[1], where[2], function()
        count = count + 1
        local P = ecs.component("Replaced" .. count, { x = "f64", y = "f32" })
        local world = ecs.world {}
        local e = world:spawn(P { x = 1 })
        for _ = 1, 3 do
          world:query { P }:each(function(p) p.x = p.x + #tostring(p) end)
          for _, p in world:query({ P }):rows() do p.y = p.x end
          world:get(e, P)
          world:get(e, P, "x", "y")
        end
      end)
      assert.equal(0, seen)
    end)
  end
end)
