-- A script replaces functions of Lua's libraries. None of its functions gets
-- what only ecs may hold, and loops work as before.

local ecs = require "ecs"

--- Runs body while library[name] is wrapped. Returns how often the wrapper was
-- given cdata, or returned it.
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

-- A script may replace functions that the compiler has used with others that
-- behave differently. Compiled functions stay the same.
describe("the compiler", function()
  local P = ecs.component("ReplacedP", { x = "f64", n = "i16" })

  local function run()
    local world = ecs.world {}
    local e, k = world:spawn(P { x = 2, n = 7 }), 3
    local function twice(x) return x * 2, 5 end
    world:system { name = "s", query = { P }, compile = true,
      each = function(p, dt)
        local a, b = twice(p.x)
        if a > 3 and p.n ~= 8 then p.x = a + b * 3 + 0.1 end
        for i = 1, k do p.x = p.x + math.min(p.n, i * 2.5) * dt end
      end }
    world:progress(0.5)
    local x = world:get(e, P, "x")
    world:close()
    return x
  end

  it("takes nothing from where scripts put their own functions", function()
    local expected = run()
    local function wrong() return 3 end
    for _, library in ipairs { "math", "string", "table" } do
      local names, own = {}, _G[library]
      for name in pairs(own) do names[#names + 1] = name end
      for _, name in ipairs(names) do
        local real = own[name]
        -- The functions that this test uses, and the one that loads modules.
        if type(real) == "function" and real ~= math.min then
          own[name] = wrong
          local done, x = pcall(run)
          own[name] = real
          assert.is_true(done, library .. "." .. name .. ": " .. tostring(x))
          assert.equal(expected, x, library .. "." .. name)
        end
      end
    end
    for _, name in ipairs { "pairs", "tostring", "tonumber", "rawequal",
                            "next", "unpack" } do
      local real = rawget(_G, name)
      rawset(_G, name, wrong)
      local done, x = pcall(run)
      rawset(_G, name, real)
      assert.is_true(done, name .. ": " .. tostring(x))
      assert.equal(expected, x, name)
    end
  end)
end)
