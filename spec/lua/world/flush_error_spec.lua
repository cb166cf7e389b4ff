-- flush = "frame": which changes an error discards, and finalizers that run
-- during the frame.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local dice = support.dice

local scene = dofile "spec/support/scene.lua"
local Position, Enemy, Stunned = scene.Position, scene.Enemy, scene.Stunned

local world, first, second
before_each(function()
  world = ecs.world { flush = "frame" }
  first = world:spawn(Position { x = 1 })
  second = world:spawn(Position { x = 2 })
end)

local function run(f, name, phase)
  world:system { name = name or "s", phase = phase, run = f }
end

describe("an error", function()
  local new, earlier
  before_each(function()
    run(function()
      earlier = world:spawn(Enemy)
      world:add(first, Stunned)
    end, "earlier")
    run(function() world:destroy(second) end, "later", "last")
  end)

  local function check(text)
    local ok, caught = pcall(world.progress, world, 1)
    assert.is_false(ok)
    if text then
      assert.truthy(caught:find(text, 1, true), caught)
      assert.truthy(caught:find("(in system 'bad')", 1, true), caught)
    end
    -- The changes of earlier systems are applied ...
    assert.is_true(world:has(earlier, Enemy))
    assert.is_true(world:has(first, Stunned))
    -- ... those of the failing system are not, and later systems did not run.
    assert.is_false(world:has(first, Enemy))
    assert.is_true(world:has(first, Position))
    assert.is_true(world:alive(second))
    assert.is_false(world:alive(new))
    world:remove_system "bad"
    world:progress(1)
    assert.is_false(world:alive(second))
    assert.is_false(world:alive(new))
    return caught
  end

  local function change()
    new = world:spawn(Position)
    world:add(first, Enemy)
    world:remove(first, Position)
    world:destroy(second)
    world:add(second, Enemy) -- dropped, and so is that
  end

  it("in a run system takes back what it recorded alone", function()
    run(function()
      change()
      error "boom"
    end, "bad")
    check "boom"
    assert.equal(0, world:stats().dropped)
  end)

  it("in a batch system, too", function()
    world:system { name = "bad", query = { read = { Position } },
      batch = function()
        change()
        error "boom"
      end }
    check "boom"
  end)

  it("that is no string passes unchanged", function()
    local thrown = {}
    run(function()
      change()
      error(thrown)
    end, "bad")
    assert.equal(thrown, check())
  end)

  it("of a walk inside takes all of its system back", function()
    run(function()
      change()
      world:query({ read = { Position } }):batch(function()
        world:add(second, Stunned)
        error "boom"
      end)
    end, "bad")
    check "boom"
  end)

  it("of a misuse of columns, too", function()
    world:system { name = "bad", query = { read = { Position } },
      batch = function(batch)
        change()
        batch.Position.x[1] = 5
      end }
    check "Position is only read"
    assert.equal(1, world:get(first, Position, "x"))
  end)

  it("of a system that yields, too", function()
    run(function()
      change()
      coroutine.yield()
    end, "bad")
    check "yield"
  end)

  it("that a system catches takes back the walk alone", function()
    run(function()
      world:add(first, Enemy)
      pcall(function()
        world:query({ read = { Position } }):batch(function()
          world:destroy(second)
          error "boom"
        end)
      end)
      assert.is_true(world:alive(second))
    end, "bad")
    world:remove_system "later"
    world:progress(1)
    assert.is_true(world:has(first, Enemy))
    assert.is_true(world:alive(second))
  end)

  it("keeps the values written so far", function()
    local third = world:spawn(Position)
    run(function()
      world:set(third, Position, "x", 9)
      change()
      world:destroy(third)
      error "boom"
    end, "bad")
    check "boom"
    assert.equal(9, world:get(third, Position, "x"))
  end)
end)

describe("a finalizer", function()
  it("of the world that runs inside closes it when the frame ends", function()
    local later = false
    run(function()
      debug.getmetatable(world).__gc(world)
      world:add(first, Enemy)
    end)
    run(function() later = true end, "later")
    world:progress(1)
    assert.is_true(later)
    assert.equal("ecs.World (closed)", tostring(world))
    world:close()
  end)

  it("of the world that runs inside a walk inside, too", function()
    run(function()
      world:query({ Position }):batch(function(batch)
        debug.getmetatable(world).__gc(world)
        batch.Position.x[1] = 3
      end)
      assert.equal(3, world:get(first, Position, "x"))
    end)
    world:progress(1)
    assert.equal("ecs.World (closed)", tostring(world))
  end)

  it("cannot close the world, and records what it changes", function()
    local ran, refused = false, false
    run(function()
      local function finish()
        ran, refused = true, not pcall(world.close, world)
        world:add(first, Enemy)
      end
      support.finalize(finish)
      collectgarbage()
      collectgarbage()
      assert.is_false(world:has(first, Enemy))
    end)
    world:progress(1)
    assert.is_true(ran and refused)
    assert.is_true(world:has(first, Enemy))
  end)
end)

describe("a frame in which a system fails", function()
  -- Five systems make random changes, up to the one with number failing. That
  -- one raises an error at its end; with leave_out it does nothing instead.
  local function program(seed, failing, leave_out)
    local random, entities = dice(seed), {}
    world = ecs.world { flush = "frame" }
    for k = 1, 10 do
      entities[k] = world:spawn(Position { x = k })
      if k % 3 == 0 then world:add(entities[k], Enemy) end
    end
    local before = world:state_hash()
    local function change()
      assert.equal(before, world:state_hash())
      for step = 1, 10 do
        local entity, what = entities[random(10)], random(6)
        if not world:alive(entity) then what = 0 end
        if what == 1 then world:add(entity, Stunned)
        elseif what == 2 then world:remove(entity, Enemy)
        elseif what == 3 then world:add(entity, Enemy)
        elseif what == 4 then world:remove(entity, Position)
        elseif what == 5 then world:add(entity, Position { y = step })
        elseif what == 6 and random(2) == 1 then world:destroy(entity) end
      end
    end
    for k = 1, 5 do
      run(function()
        if k < failing then change() end
        if k == failing and not leave_out then
          change()
          error "at random"
        end
      end, "s" .. k)
    end
    local ok = pcall(world.progress, world, 1)
    assert.equal(leave_out or false, ok)
    return world:state_hash() .. " dropped " .. world:stats().dropped
  end

  it("comes to what the systems before it come to alone", function()
    for seed = 1, 200 do
      local failing = seed % 5 + 1
      assert.equal(program(seed, failing, true), program(seed, failing),
        "seed " .. seed)
    end
  end)
end)
