-- The compiled code that query:each keeps: on every VM the same functions share
-- code, and as many are compiled.

local ecs = require "ecs"

local load_text = rawget(_G, "loadstring") or load
-- Hooks count the work of finding globals, too.
local error, pcall, set_hook = error, pcall, debug.sethook

local V = ecs.component("CodesV", { x = "f32" })

describe("a world", function()
  local world, query, e
  before_each(function()
    world = ecs.world {}
    query = world:query { V }
    e = world:spawn(V)
  end)

  -- In f32 the 1 is lost, in double, as plain Lua computes, it is not.
  local TEXT = "return function(v) v.x = v.x + 1 - 16777216 end"

  local function is_compiled(f)
    world:set(e, V, "x", 16777216)
    query:each(f)
    return world:get(e, V, "x") == 0
  end

  it("compiles 1024 functions for query:each", function()
    for k = 1, 1024 do
      assert.is_true(is_compiled(load_text(TEXT .. " -- " .. k)()))
    end
    local one_more = load_text(TEXT .. " -- more")()
    assert.is_false(is_compiled(one_more))
    assert.is_false(is_compiled(one_more))
    -- Functions that are known stay compiled.
    assert.is_true(is_compiled(load_text(TEXT .. " -- 1")()))
    assert.is_true(is_compiled(load_text(TEXT .. " -- 1024")()))
    world = ecs.world {}
    query, e = world:query { V }, world:spawn(V)
    assert.is_true(is_compiled(one_more))
  end)

  it("counts those of another name or other lines, not closures", function()
    for k = 1, 3000 do
      assert.is_true(is_compiled(load_text(TEXT)()), k)
    end
    local texts = {
      function(k) return (TEXT:gsub("v", "v" .. k)) end,
      function(k) return ("\n"):rep(k) .. TEXT end,
    }
    for k = 1, 1023 do
      assert.is_true(is_compiled(load_text(texts[k % 2 + 1](k))()), k)
    end
    assert.is_false(is_compiled(load_text(TEXT .. " -- more")()))
  end)

  it("compiles what a hook has stopped from being compiled", function()
    local stopped = 0
    for count = 50, 2000, 150 do
      local f = load_text(TEXT .. " -- " .. count)()
      set_hook(function()
        set_hook()
        error("stop", 0)
      end, "", count)
      local done, problem = pcall(query.each, query, f)
      set_hook()
      if not done then
        assert.equal("stop", problem)
        stopped = stopped + 1
      end
      assert.is_true(is_compiled(f), count)
    end
    assert.is_true(stopped > 5)
  end)
end)
