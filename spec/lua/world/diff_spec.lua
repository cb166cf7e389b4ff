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

  it("knows nothing of what the program defined later", function()
    local host, guest = ecs.world { seed = 3 }, ecs.world {}
    for k = 1, 50 do host:spawn(scene.Position { x = k }) end
    assert.is_true(guest:load { bytes = host:save() })
    local one, saved, hash = host:snapshot(), host:save(), host:hash()
    local Late = ecs.component("DiffLate", { z = "f64" })
    local Loose = ecs.tag("DiffLoose", { storage = "sparse" })
    local Event = ecs.event("DiffEvent", { n = "i32" })
    local function extend(world)
      local sum = world:sum "heard"
      world:system { name = "hear", query = { read = { Event } },
        each = function(event) sum:add(event.n) end }
    end
    host:emit(Event { n = 3 })
    extend(host)
    for k = 1, 20 do host:spawn(Late { z = k }, Loose) end
    host:array("late", "i16", 5)[2] = 3
    host:emit(Event { n = 5 })
    local other, after = host:snapshot(), host:hash()
    local bytes = host:diff(one, other)
    extend(guest)
    assert.is_true(guest:apply(bytes))
    assert.equal(after, guest:hash())
    assert.equal(host:save(), guest:save())
    host:progress(1)
    guest:progress(1)
    assert.equal(host:hash(), guest:hash())
    host:restore(one)
    assert.equal(hash, host:hash())
    assert.equal(saved, host:save())
    assert.is_true(host:apply(bytes))
    assert.equal(after, host:hash())
  end)

  it("has the seed that the world had", function()
    local world = ecs.world { seed = 11 }
    local one, hash = world:snapshot(), world:hash()
    world:spawn(scene.Position)
    local other, after = world:snapshot(), world:hash()
    assert.is_true(world:load { bytes = ecs.world({ seed = 5 }):save() })
    assert.not_equal(hash, world:hash())
    local bytes = world:diff(one, other)
    world:restore(one)
    assert.equal(hash, world:hash())
    assert.is_true(world:apply(bytes))
    assert.equal(after, world:hash())
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
    local times = os.getenv "ECS_SPEC_SHORT" and 100 or 3000
    local dice = support.dice(5)
    for k = 1, times do
      refused(bytes:sub(1, k <= 200 and k - 1 or dice(#bytes) - 1))
      local at, bit = dice(#bytes), 2 ^ (dice(8) - 1)
      local byte = bytes:byte(at)
      byte = byte % (bit * 2) < bit and byte + bit or byte - bit
      refused(bytes:sub(1, at - 1) .. string.char(byte) .. bytes:sub(at + 1))
    end
    refused(bytes .. "\0")
    refused(bytes .. bytes)
    refused(world:save())
    assert.is_true(world:apply(bytes))
  end)

  it("is refused with evil numbers in the heads of its entries", function()
    local world = game()
    run(world, 10)
    local one = world:snapshot()
    run(world, 5)
    local bytes = world:diff(one, world:snapshot())
    world:restore(one)
    local hash = world:hash()
    local evil = { "", "\0", "\1", "\127", "\128", "\255", "\0\128", "\255\255",
      "\0\0\1", "\255\255\255\127", "\0\0\0\128", "\254\255\255\255",
      "\255\255\255\255" }
    local function attack(at, size)
      for _, number in ipairs(evil) do
        number = (number .. ("\0"):rep(size)):sub(1, size)
        local forged = bytes:sub(1, at - 1) .. number .. bytes:sub(at + size)
        if forged ~= bytes then
          local done, why = world:apply(forged)
          assert.is_nil(done)
          assert.truthy(why:find("the diff does not fit: ", 1, true), why)
          assert.equal(hash, world:hash())
        end
      end
    end
    -- Sizes of the fields of a ZIP file: an entry, its part of the directory,
    -- the directory's end.
    local heads = {
      ["PK\3\4"] = { 4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2 },
      ["PK\1\2"] = { 4, 2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4 },
      ["PK\5\6"] = { 4, 2, 2, 2, 2, 4, 4, 2 },
    }
    local found = 0
    for head, sizes in pairs(heads) do
      local at = bytes:find(head, 1, true)
      while at do
        found = found + 1
        local field = at
        for _, size in ipairs(sizes) do
          attack(field, size)
          field = field + size
        end
        at = bytes:find(head, at + 1, true)
      end
    end
    assert.is_true(found >= 5) -- some are of the save, inside of the delta
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
    local records = ecs.world { flush = "frame" }
    local empty = records:snapshot()
    bytes = records:diff(empty, empty)
    records:system { name = "apply", run = function()
      calls = calls + 1
      refuses(function() records:diff(empty, empty) end, "inside")
      refuses(function() records:apply(bytes) end, "inside")
    end }
    records:progress(1)
    assert.equal(2, calls)
    assert.is_true(records:apply(records:diff(empty, empty)))
    world:close()
    refuses(function() world:diff(one, one) end, "closed")
    refuses(function() world:apply(bytes) end, "closed")
  end)
end)
