-- query:rows inside the callback of another query: which components its rows
-- reach, and what happens to changes of structure.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, once = support.refuses, support.once
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy

describe("rows inside a callback", function()
  local world, ids, positions, velocities
  before_each(function()
    world, ids = ecs.world {}, {}
    for k = 1, 3 do ids[k] = world:spawn(Position { x = k }, Velocity) end
    positions = world:query { read = { Position } }
    velocities = world:query { Velocity }
  end)

  it("reads what the callback reads, writes what it does not name", function()
    local n = 0
    positions:each(function(outer)
      for e, p in positions:rows() do
        n = n + p.x
        refuses(function() p.x = 1 end, "Position is only read by")
        assert.is_true(world:alive(e))
      end
      for _, v in velocities:rows() do
        v.x = v.x + 1.5
        v.y = 0.1
        assert.equal("0.10000000149011612", ("%.17g"):format(v.y))
      end
      assert.is_true(outer.x > 0)
    end)
    assert.equal(18, n)
    for _, id in ipairs(ids) do
      assert.equal(5.5, world:get(id, Velocity, "x"))
    end
  end)

  it("is refused components that the callback writes", function()
    local writing = world:query { Position }
    once(velocities, function()
      refuses(function() velocities:rows() end,
        "query { Velocity } cannot reach Velocity here",
        "query { Velocity } is walking over it")
      for _, p in positions:rows() do assert.is_true(p.x > 0) end
    end)
    once(positions, function()
      refuses(function() writing:rows() end, "cannot reach Position here",
        "query { read = { Position } } is walking over it")
    end)
  end)

  it("loses its rows to a callback inside it, for as long as it lasts",
    function()
      local writing = world:query { Position }
      local n = 0
      for _, p in writing:rows() do
        local before = p.x
        once(writing, function(batch)
          refuses(function() return p.x end, "cannot reach Position here",
            "query { Position } is walking over it")
          refuses(function() p.x = 3 end, "cannot reach Position here")
          assert.is_true(batch.Position.x[1] > 0)
        end)
        once(positions, function()
          assert.equal(before, p.x)
          refuses(function() p.x = 3 end, "query { Position } cannot reach "
            .. "Position here", "query { read = { Position } } is walking")
        end)
        assert.equal(before, p.x)
        p.x = before + 1
        n = n + 1
      end
      assert.equal(3, n)
    end)

  it("may be stepped that began outside", function()
    local optional = world:query { read = { Velocity },
      optional = { Position } }
    local step, state = optional:rows()
    local e, v, p = step(state)
    assert.equal(ids[1], e)
    assert.equal(2, v.x + p.x)
    once(world:query { Position }, function()
      e, v, p = step(state)
      assert.equal(ids[2], e)
      assert.equal(1, v.x)
      refuses(function() return p.x end, "cannot reach Position here")
      refuses(function() p.x = 1 end, "cannot reach Position here")
    end)
    assert.equal(2, p.x)
    e, v, p = step(state)
    assert.equal(ids[3], e)
    assert.equal(4, v.x + p.x)
    assert.is_nil((step(state)))
    assert.is_nil((step(state)))
    refuses(function() return p.x end, "this row is over")
  end)

  it("records structure with the callback", function()
    once(positions, function()
      local n = 0
      for e, v in velocities:rows() do
        n = n + 1
        world:add(e, Enemy)
        world:spawn(Velocity)
        if n == 1 then
          world:remove(e, Velocity)
          world:destroy(ids[2])
          assert.is_true(world:has(e, Velocity))
          assert.equal(1, v.x)
        end
        assert.is_false(world:has(e, Enemy))
      end
      -- The second entity was destroyed before the loop came to it.
      assert.equal(2, n)
    end)
    assert.equal(2, world:query({ Enemy }):count())
    assert.is_false(world:alive(ids[2]))
    assert.equal(3, velocities:count())
  end)

  it("stores after what was recorded for the same entity", function()
    once(positions, function()
      for e, v in velocities:rows() do
        world:set(e, Velocity, "x", 5)
        world:add(e, Enemy)
        world:set(e, Velocity, "x", 6) -- recorded: it must not win
        v.x = 7
        v.y = 1e39
      end
    end)
    for _, id in ipairs(ids) do
      assert.same({ x = 7, y = 1 / 0 }, world:get(id, Velocity))
    end
  end)

  it("of spawn_many may run over the rest of the world", function()
    world:spawn_many(2, { Sprite }, function(batch)
      for _, p in positions:rows() do
        batch.Sprite.frame[1] = batch.Sprite.frame[1] + p.x
      end
    end)
    local sum = 0
    for _, s in world:query({ read = { Sprite } }):rows() do
      sum = sum + s.frame
    end
    assert.equal(6, sum)
  end)
end)
