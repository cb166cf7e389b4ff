-- ecs.world { compile = false }: all functions run as plain Lua.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"

local V = ecs.component("PlainV", { x = "f32", y = "f64" })

--- The lines of this file that f runs, by a line hook, counted.
local function lines_of(f)
  local seen, jit = {}, rawget(_G, "jit")
  local compiles = jit and jit.status()
  if compiles then jit.off() end
  local function hook(_, line)
    local source = debug.getinfo(2, "S").short_src
    if source:find "plain_world_spec" then
      seen[line] = (seen[line] or 0) + 1
    end
  end
  debug.sethook(hook, "l")
  local done, text = pcall(f)
  debug.sethook()
  if compiles then jit.on() end
  assert(done, text)
  return seen
end

describe("a world with compile = false", function()
  local reason = support.hear_fallbacks(before_each, after_each)

  local function scene(options, compile)
    local world = ecs.world(options)
    for k = 1, 3 do world:spawn(V { x = 16777216, y = k }) end
    world:system { name = "s", query = { V }, compile = compile,
      each = function(v, dt)
        v.x = v.x + 1 - 16777216
        if v.y > 2 then v.y = v.x + dt end
      end }
    world:progress(0.1)
    world:query({ V }):each(function(v, by) v.x = v.x * 3 + by end, 0.1)
    return world:hash()
  end

  it("computes what compile = false in each system gives", function()
    local hash = scene({ compile = false })
    assert.equal(hash, scene({ compile = false }, true))
    assert.equal(hash, scene({ compile = false }, "whole"))
    assert.equal(hash, scene({ compile = false, precision = "double" }))
    assert.equal(hash, scene({ precision = "double" }))
    assert.are_not.equal(hash, scene {})
    assert.is_nil(reason())
  end)

  it("says so", function()
    local world = ecs.world { compile = false }
    world:system { name = "a", query = { V }, compile = true,
      each = function(v) v.x = tostring(1) + 1 end }
    world:system { name = "b", query = { V }, precision = "double",
      each = function(v) v.x = 1 end }
    for _, name in ipairs { "a", "b" } do
      assert.truthy(world:explain(name):find(
        "slow: plain Lua, as compile = false of the world says", 1, true))
    end
    assert.truthy(world:explain():find("a: each, slow: plain Lua", 1, true))
    assert.is_nil(reason())
  end)

  it("lets hooks see every line of every function", function()
    local here = debug.getinfo(1, "l").currentline
    local function body(options)
      local world = ecs.world(options)
      for k = 1, 3 do world:spawn(V { x = k }) end
      world:system { name = "s", query = { V }, each = function(v)
        v.x = v.x + 1 -- here + 5
      end }
      world:progress(1)
      world:query({ V }):each(function(v)
        v.x = v.x + 1 -- here + 9
      end)
      world:query({ V }):batch(function(batch)
        local x = batch.PlainV.x
        for i = 1, batch.count do
          x[i] = x[i] + 1 -- here + 14
        end
      end)
    end
    local seen = lines_of(function() body { compile = false } end)
    -- LuaJIT comes to a line again behind a metamethod.
    for _, line in ipairs { 5, 9, 14 } do
      assert.is_true((seen[here + line] or 0) >= 3)
    end
    seen = lines_of(function() body {} end)
    assert.same({ n = 0 }, { seen[here + 5], seen[here + 9], n = 0 })
  end)

  it("is asked for by false alone", function()
    for _, wrong in ipairs { true, 0, "whole" } do
      support.refuses(function() ecs.world { compile = wrong } end,
        "world: compile is false")
    end
  end)
end)
