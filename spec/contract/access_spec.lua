-- Access: what a script may read and write of a component while a callback is
-- open that walks over it. Batches may be copies of the rows or the rows
-- themselves. No program can see a difference, because the rows cannot be
-- reached in any other way meanwhile.

local ecs = require "ecs"
ecs.on_fallback = nil -- plain Lua is meant here
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite = scene.Position, scene.Velocity, scene.Sprite

local world, a, all
before_each(function()
  world = ecs.world {}
  a = world:spawn(Position { x = 1 })
  world:spawn(Position { x = 2 })
  all = world:query { Position }
end)

describe("what an open callback writes", function()
  it("is reached through that callback alone", function()
    local calls = {
      function() world:get(a, Position, "x") end,
      function() world:set(a, Position, "x", 1) end,
      function() all:batch(function() end) end,
      function() world:query({ read = { Position } }):each(print) end,
      function() all:rows() end,
    }
    all:batch(function()
      for _, call in ipairs(calls) do
        local ok, text = pcall(call)
        assert.is_false(ok)
        assert.truthy(text:find("cannot reach Position", 1, true), text)
        assert.truthy(text:find("query { Position } is walking", 1, true),
          text)
      end
    end)
  end)

  it("may be read, and not written, if it only reads it", function()
    local reader = world:query { read = { Position } }
    reader:batch(function()
      assert.equal(1, world:get(a, Position, "x"))
      reader:each(function(p) assert.is_true(p.x > 0) end)
      refuses(function() world:set(a, Position, "x", 1) end,
        "cannot reach Position", "query { read = { Position } }")
      refuses(function() all:each(print) end, "cannot reach Position")
    end)
  end)
end)

describe("what an open callback writes or reads", function()
  it("is what is optional, too, and nothing that only filters", function()
    world:set(a, Velocity { x = 5 })
    world:query({ all = true, optional = { Velocity } }):batch(function()
      refuses(function() world:get(a, Velocity, "x") end,
        "cannot reach Velocity",
        "query { all = true, optional = { Velocity } }")
    end)
    world:query({ with = { Velocity }, without = { Sprite } }):batch(function()
      world:set(a, Velocity, "x", 6)
      assert.equal(6, world:get(a, Velocity, "x"))
    end)
  end)

  it("is that of a system as of a query, which the error names", function()
    world:system { name = "walker", query = { Position, read = { Velocity } },
      batch = function()
        assert.equal(1, world:get(a, Velocity, "x"))
        refuses(function() world:get(a, Position, "x") end,
          "cannot reach Position", "system 'walker' is walking")
        refuses(function() world:set(a, Velocity, "x", 1) end,
          "cannot reach Velocity", "system 'walker'")
        refuses(function()
          world:query({ Velocity }):set(Velocity { x = 2 })
        end, "cannot reach Velocity", "system 'walker'")
      end }
    world:add(a, Velocity)
    world:progress(1)
  end)
end)
