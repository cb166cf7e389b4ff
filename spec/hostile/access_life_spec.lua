-- get, set, has and alive during random changes, while batches are open, and
-- with finalizers that run at any moment. A script cannot reach the accelerator
-- that makes these calls fast.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local refuses, finalize = support.refuses, support.finalize

local scene = dofile "spec/support/access_scene.lua"
local holders, all, values = scene.holders, scene.all, scene.values
local fields_of, agree, dice, compare = scene.fields_of, scene.agree,
  scene.dice, scene.compare
local Every, Place, Far = scene.Every, scene.Place, scene.Far
local Tag, Never = scene.Tag, scene.Never

-- A run under a sanitizer or valgrind is slow, so it makes fewer lives.
local short = os.getenv "ECS_SPEC_SHORT" ~= nil
local SEEDS, ROUNDS = short and 1 or 3, short and 6 or 60

-- The same random changes of two worlds; short calls are made in the first
-- only.
local function live(seed, steps, act)
  local world, twin, entities = ecs.world {}, ecs.world {}, {}
  local roll = dice(seed)
  local function both(name, ...)
    local ok, a = pcall(world[name], world, ...)
    local made, b = pcall(twin[name], twin, ...)
    agree(ok, made, name, tostring(a), tostring(b))
    if ok then agree(a, b, name) end
    return a
  end
  local changes = {
    function() entities[#entities + 1] = both("spawn", all[roll(#all)]) end,
    function(e) both("add", e, all[roll(#all)]) end,
    function(e) both("remove", e, all[roll(#all)]) end,
    function(e) if roll(4) == 1 then both("destroy", e) end end,
    function(e)
      local definition = holders[roll(#holders)]
      local names = fields_of(definition)
      local name, value = names[roll(#names)], values[roll(#values)]
      local ok = pcall(world.set, world, e, definition, name, value)
      local made = pcall(function()
        twin:set(e, definition { [name] = value })
      end)
      agree(ok, made, "set", name, tostring(value))
    end,
  }
  for _ = 1, 20 do changes[1]() end
  for step = 1, steps do
    act(world, twin, function()
      local e = entities[roll(#entities)]
      changes[roll(#changes)](e)
      compare(world, entities[roll(#entities)])
      compare(world, e)
    end, step)
    assert.equal(twin:hash(), world:hash())
  end
end

describe("a random life", function()
  it("is the same, asked the short way and the long way", function()
    for seed = 1, SEEDS do
      live(seed, 400, function(_, _, change) change() end)
    end
  end)

  it("is the same where changes are recorded", function()
    local Walked = ecs.tag "AccessWalked"
    for seed = 1, SEEDS do
      live(seed, 40, function(world, twin, change, step)
        if step == 1 then
          world:spawn(Walked)
          twin:spawn(Walked)
        end
        world:query({ Walked }):batch(function()
          twin:query({ Walked }):batch(function()
            for _ = 1, 10 do change() end
          end)
        end)
      end)
    end
  end)
end)

describe("inside a batch", function()
  it("what is walked over can be reached through the batch alone", function()
    local world = ecs.world {}
    local e = world:spawn(Place { x = 1 }, Far { x = 2 })
    for _ = 1, 3 do compare(world, e) end
    world:query({ Place, read = { Far } }):batch(function()
      for _ = 1, 70 do
        refuses(function() world:get(e, Place, "x") end, "get", "AccessPlace",
          "query { AccessPlace, read = { AccessFar } }")
        refuses(function() world:get(e, Place, "x", "y") end, "AccessPlace")
        refuses(function() world:get(e, Place) end, "AccessPlace")
        refuses(function() world:set(e, Place, "x", 9) end, "set",
          "AccessPlace", "query")
        refuses(function() world:set(e, Far, "x", 9) end, "set", "AccessFar")
        assert.equal(2, world:get(e, Far, "x"))
        assert.is_true(world:has(e, Place))
        assert.is_true(world:alive(e))
      end
    end)
    assert.equal(1, world:get(e, Place, "x"))
  end)

  it("a change follows what is recorded for its entity", function()
    for _ = 1, 70 do
      local world = ecs.world {}
      local walked = world:spawn(Tag)
      local e = world:spawn(Place { x = 1 })
      local gone = world:spawn(Place { x = 2 })
      world:query({ with = { Tag } }):batch(function()
        world:remove(e, Place)
        world:set(e, Place, "x", 5)
        assert.equal(1, world:get(e, Place, "x"))
        world:destroy(gone)
        assert.is_false(world:alive(gone))
        assert.is_true(world:alive(walked))
        local born = world:spawn(Place { x = 3 })
        assert.is_true(world:alive(born))
        assert.is_nil(world:get(born, Place, "x"))
        assert.is_false(world:has(born, Place))
      end)
      assert.same({ x = 5, y = 7 }, world:get(e, Place))
      assert.is_nil(world:get(gone, Place, "x"))
    end
  end)
end)

describe("a finalizer", function()
  -- A full collection at one step of each round runs all finalizers, so that
  -- the world is closed by then at the latest.
  it("may change or close the world at any moment", function()
    local spawned, closed = 0, 0
    for round = 1, ROUNDS do
      local world, kept = ecs.world {}, {}
      local e = world:spawn(Place { x = 3, y = 4 }, Far)
      local function meddle()
        if not pcall(world.spawn, world, Place { x = 9 }, Every) then return end
        spawned = spawned + 1
        world:get(e, Every)
        if #kept > round * 20 then
          world:close()
          closed = closed + 1
        end
      end
      local ok, text = pcall(function()
        for k = 1, 2000 do
          if k % 40 == 0 then finalize(meddle) end
          local place = world:get(e, Place)
          kept[k] = place
          assert(place.x == 3 and place.y == 4)
          local x, y = world:get(e, Place, "x", "y")
          assert(x == 3 and y == 4 and world:get(e, Far, "x") == 0)
          world:set(e, Place, "y", 4)
          assert(world:has(e, Far) and world:alive(e))
          if k % 100 == 0 then collectgarbage "step" end
          if k == round * 20 + 90 then collectgarbage() end
        end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("closed", 1, true), text)
      assert.equal(round, closed)
    end
    assert.is_true(spawned >= ROUNDS)
  end)
end)

describe("the accelerator", function()
  it("cannot be reached by scripts", function()
    local loaded = package.loaded["ecs.ffi.access_ffi"]
    assert.is_true(loaded == nil or loaded == true)
    local world = ecs.world {}
    world:spawn(Place)
    local access = core.access(world, Place)
    assert.equal("userdata", type(access))
    assert.is_nil(getmetatable(access))
    assert.is_false((pcall(function() return access.world end)))
    assert.is_false((pcall(world.get, access, 1, Place, "x")))
    assert.is_nil(core.access(world, Never))
    assert.is_nil(core.access(Place, world))
    assert.is_nil(core.access())
  end)

  it("takes no place twice", function()
    if not package.loaded["ecs.ffi.access_ffi"] then return end
    assert.is_nil((core.access_calls()))
    local world = ecs.world {}
    local get = world.get
    package.loaded["ecs.ffi.access_ffi"] = nil
    assert.is_true((require "ecs.ffi.access_ffi"))
    assert.equal(get, world.get)
  end)

  it("does not use functions that a script has replaced", function()
    if not package.loaded["ecs.ffi.access_ffi"] then return end
    local world = ecs.world {}
    local e = world:spawn(Place { x = 2 })
    local environment = getfenv(world.get)
    setfenv(world.get, { select = error, type = error })
    local x = world:get(e, Place, "x")
    setfenv(world.get, environment)
    assert.equal(2, x)
    assert.equal(2, (world:get(e, Place, "x")))
  end)
end)
