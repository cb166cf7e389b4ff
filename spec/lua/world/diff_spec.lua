-- Differences of two snapshots, and worlds to which they are applied.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/state_game.lua"
local refuses = support.refuses
local game, run = scene.game, scene.run

describe("a diff", function()
  it("brings another world from one state to the next", function()
    local host, guest = game(), game()
    run(host, 40)
    assert.is_true(guest:load { bytes = host:save() })
    local before = host:snapshot()
    for _ = 1, 12 do
      run(host, 3)
      local after = host:snapshot()
      local hash = host:hash()
      local bytes = host:diff(before, after)
      assert.equal(hash, host:hash())
      assert.is_true(guest:apply(bytes))
      assert.equal(hash, guest:hash())
      assert.equal(host:save(), guest:save())
      before = after
    end
    run(host, 40)
    run(guest, 40)
    assert.equal(host:hash(), guest:hash())
  end)

  it("leaves the world and both snapshots as they are", function()
    local world = game()
    run(world, 20)
    local one = world:snapshot()
    local first = world:hash()
    run(world, 20)
    local other = world:snapshot()
    local second = world:hash()
    run(world, 20)
    local now = world:save()
    assert.equal(world:diff(one, other), world:diff(one, other))
    assert.equal(now, world:save())
    world:restore(one)
    assert.equal(first, world:hash())
    world:restore(other)
    assert.equal(second, world:hash())
    assert.is_true(world:apply(world:diff(other, one)))
    assert.equal(first, world:hash())
  end)

  it("is small where little changed", function()
    local world, last = ecs.world {}, nil
    for k = 1, 2000 do last = world:spawn(scene.Position { x = k, y = -k }) end
    local one = world:snapshot()
    world:set(last, scene.Position, "x", 7)
    world:spawn(scene.Health)
    local other = world:snapshot()
    assert.is_true(#world:diff(one, other) < 3000)
    assert.is_true(#world:save() > 30000)
  end)

  it("is refused elsewhere, and where it is damaged", function()
    local world = game()
    run(world, 10)
    local one = world:snapshot()
    run(world, 5)
    local bytes = world:diff(one, world:snapshot())
    local hash = world:hash()
    local done, why = world:apply(bytes)
    assert.is_nil(done)
    assert.equal("the diff does not fit: it begins with another state", why)
    assert.equal(hash, world:hash())
    world:restore(one)
    hash = world:hash()
    local function refused(text)
      done, why = world:apply(text)
      assert.is_nil(done)
      assert.truthy(why:find("the diff does not fit: ", 1, true), why)
      assert.equal(hash, world:hash())
    end
    local step = os.getenv "ECS_SPEC_SHORT" and 61 or 3
    for k = 0, #bytes - 1, step do refused(bytes:sub(1, k)) end
    for k = 1, #bytes, step do
      refused(bytes:sub(1, k - 1)
        .. string.char((bytes:byte(k) + 1) % 256) .. bytes:sub(k + 1))
    end
    refused(world:save())
    assert.is_true(world:apply(bytes))
  end)

  it("takes two snapshots of its world, outside of callbacks", function()
    local world, other = game(), ecs.world {}
    local one = world:snapshot()
    for _, wrong in ipairs { 1, "x", {}, other:snapshot() } do
      refuses(function() world:diff(one, wrong) end, "diff takes")
      refuses(function() world:diff(wrong, one) end, "diff takes")
    end
    refuses(function() world:diff(one) end, "diff takes")
    refuses(function() world:apply(1) end, "apply takes")
    local bytes, calls = world:diff(one, one), 0
    world:spawn(scene.Marked)
    world:query({ scene.Marked }):each(function()
      calls = calls + 1
      refuses(function() world:diff(one, one) end, "inside")
      refuses(function() world:apply(bytes) end, "inside")
    end)
    assert.equal(1, calls)
    world:close()
    refuses(function() world:diff(one, one) end, "closed")
    refuses(function() world:apply(bytes) end, "closed")
  end)
end)
