-- Changes of every match of a query, and the first of them.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, once = support.refuses, support.once

local scene = dofile "spec/support/scene.lua"
local Position, Enemy, Stunned = scene.Position, scene.Enemy, scene.Stunned
local Health = ecs.component("Health",
  { hp = { "i32", 100 }, max = { "i32", 100 } })
local Fuel = ecs.component("Fuel", { left = { "f64", 0.5 } })
local Burning = ecs.tag("Burning", { storage = "bits" })

describe("a bulk change", function()
  local world, plain, strong, enemy, positions
  before_each(function()
    world = ecs.world {}
    plain = world:spawn(Position { x = 1, y = 1 })
    strong = world:spawn(Position { x = 2, y = 2 }, Health { hp = 9 })
    enemy = world:spawn(Enemy)
    positions = world:query { Position }
  end)

  it("adds where absent, and leaves values alone", function()
    positions:add(Health { hp = 50 })
    assert.same({ hp = 50, max = 100 }, world:get(plain, Health))
    assert.same({ hp = 9, max = 100 }, world:get(strong, Health))
    assert.is_false(world:has(enemy, Health))
    positions:add(Health)
    assert.equal(50, world:get(plain, Health, "hp"))
  end)

  it("removes where present", function()
    positions:remove(Health)
    assert.is_false(world:has(strong, Health))
    assert.same({ x = 2, y = 2 }, world:get(strong, Position))
    positions:remove(Health)
    positions:remove(Position)
    assert.equal(0, positions:count())
    assert.is_true(world:alive(plain))
  end)

  it("sets the fields given, and adds where absent", function()
    positions:set(Position { y = 0 })
    assert.same({ x = 1, y = 0 }, world:get(plain, Position))
    assert.same({ x = 2, y = 0 }, world:get(strong, Position))
    positions:set(Health { max = 30 })
    assert.same({ hp = 100, max = 30 }, world:get(plain, Health))
    assert.same({ hp = 9, max = 30 }, world:get(strong, Health))
    positions:set(Health)
    assert.same({ hp = 100, max = 100 }, world:get(strong, Health))
    assert.is_false(world:has(enemy, Health))
  end)

  it("destroys", function()
    positions:destroy()
    assert.is_false(world:alive(plain))
    assert.is_false(world:alive(strong))
    assert.is_true(world:alive(enemy))
    assert.equal(0, positions:count())
    positions:destroy()
    world:query({ all = true }):destroy()
    assert.is_false(world:alive(enemy))
  end)

  it("gives back indices in an order that tells nothing of rows", function()
    local many = {}
    for k = 1, 50 do many[k] = world:spawn(Position, k % 3 == 0 and Enemy
      or Health) end
    for k = 1, 50, 4 do world:add(many[k], Fuel) end
    positions:destroy()
    local before = 0
    for _ = 1, 52 do
      local index = world:spawn() % 2 ^ 28
      assert.truthy(index > before)
      before = index
    end
  end)

  it("returns nothing", function()
    for _, method in ipairs { "add", "remove", "set" } do
      assert.equal(0, select("#", positions[method](positions, Fuel)))
    end
    assert.equal(0, select("#", positions:destroy()))
  end)

  it("works on what the world has not met", function()
    local New = ecs.component("BulkNew", { n = { "i8", 1 } })
    positions:remove(New)
    assert.is_false(world:has(plain, New))
    positions:add(New)
    assert.equal(1, world:get(strong, New, "n"))
  end)

  it("follows optional terms and filters", function()
    local query = world:query { Position, optional = { Health },
      without = { Stunned } }
    world:add(strong, Stunned)
    query:add(Burning)
    assert.is_true(world:has(plain, Burning))
    assert.is_false(world:has(strong, Burning))
    world:query({ with = { Burning } }):remove(Burning)
    assert.is_false(world:has(plain, Burning))
    query:add(Stunned)
    assert.equal(0, query:count())
    world:query({ with = { Stunned } }):remove(Stunned)
    assert.equal(2, query:count())
  end)
end)

describe("a bulk change inside a callback", function()
  local world, plain, enemy, positions, enemies
  before_each(function()
    world = ecs.world {}
    plain = world:spawn(Position { x = 1 })
    enemy = world:spawn(Enemy)
    positions = world:query { Position }
    enemies = world:query { with = { Enemy } }
    world:query { Health, Fuel }
    positions:count()
  end)

  it("is seen when it has ended", function()
    once(enemies, function()
      positions:add(Stunned)
      positions:set(Health { hp = 3 })
      positions:remove(Position)
      assert.is_false(world:has(plain, Stunned))
      assert.is_true(world:has(plain, Position))
      assert.equal(1, positions:count())
    end)
    assert.is_true(world:has(plain, Stunned))
    assert.equal(3, world:get(plain, Health, "hp"))
    assert.is_false(world:has(plain, Position))
  end)

  it("matches when it is called", function()
    local late
    once(enemies, function()
      world:remove(plain, Position)
      late = world:spawn(Position)
      positions:add(Stunned)
      world:add(enemy, Position)
    end)
    assert.is_true(world:has(plain, Stunned))
    assert.is_false(world:has(late, Stunned))
    assert.is_false(world:has(enemy, Stunned))
  end)

  it("destroys once", function()
    once(enemies, function()
      positions:destroy()
      assert.is_false(world:alive(plain))
      assert.is_false(world:destroy(plain))
      positions:destroy()
      positions:add(Stunned)
    end)
    assert.is_false(world:alive(plain))
    assert.equal(0, positions:count())
  end)

  it("may destroy what is walked over", function()
    positions:batch(function() positions:destroy() end)
    assert.is_false(world:alive(plain))
  end)

  it("cannot set what the callback's query has", function()
    once(positions, function()
      refuses(function() positions:set(Position { y = 0 }) end,
        "Position", "query { Position }")
      enemies:set(Position { x = 8 })
      positions:set(Health { hp = 1 })
    end)
    assert.equal(1, world:get(plain, Position, "x"))
    assert.equal(8, world:get(enemy, Position, "x"))
    assert.equal(1, world:get(plain, Health, "hp"))
  end)

  it("is dropped with the rest after an error", function()
    local ok = pcall(positions.batch, positions, function()
      enemies:destroy()
      positions:add(Stunned)
      error("no")
    end)
    assert.is_false(ok)
    assert.is_true(world:alive(enemy))
    assert.is_false(world:has(plain, Stunned))
  end)
end)

describe("a bulk change in a system", function()
  it("happens when a batch system ends, and at once in a run system",
    function()
      local world = ecs.world {}
      local entity = world:spawn(Position)
      local query = world:query { Position }
      local seen = {}
      world:system { name = "burn", query = { read = { Position } },
        batch = function()
          query:add(Enemy)
          seen[#seen + 1] = world:has(entity, Enemy)
        end }
      world:system { name = "cool", run = function()
        seen[#seen + 1] = world:has(entity, Enemy)
        query:remove(Enemy)
        seen[#seen + 1] = world:has(entity, Enemy)
        query:destroy()
        seen[#seen + 1] = world:alive(entity)
      end }
      world:progress(1)
      assert.same({ false, true, false, false }, seen)
    end)
end)

describe("the first of a query", function()
  it("is the entity of the first row, or nil", function()
    local world = ecs.world {}
    local query = world:query { Position }
    local stunned = world:query { Position, with = { Stunned } }
    assert.is_nil(query:first())
    assert.is_nil(stunned:first())
    local a = world:spawn(Position)
    local b = world:spawn(Position, Stunned)
    assert.equal(a, query:first())
    assert.equal(b, stunned:first())
    assert.equal(1, select("#", query:first()))
    world:destroy(a)
    assert.equal(b, query:first())
    query:batch(function(batch)
      assert.equal(batch.entities[1], query:first())
      assert.equal(b, stunned:first())
    end)
  end)
end)

describe("a bulk call refuses", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    world:spawn(Position { x = 1 })
    query = world:query { Position }
  end)

  it("what is no component", function()
    for _, method in ipairs { "add", "set", "remove" } do
      local call = query[method]
      refuses(function() call(query) end, method)
      refuses(function() call(query, 7) end, method)
      refuses(function() call(query, {}) end, method)
      refuses(function() call(query, "Position") end, method)
      refuses(function() call(query, world) end, method)
    end
    refuses(function() query:remove(Position { x = 1 }) end, "remove")
  end)

  it("more than it takes", function()
    refuses(function() query:add(Enemy, Stunned) end, "once for each")
    refuses(function() query:remove(Enemy, Stunned) end, "once for each")
    refuses(function() query:set(Position, Enemy) end, "one value")
    refuses(function() query:set(Position, { x = 1 }, Enemy) end, "one value")
    refuses(function() query:set(Position { x = 1 }, Enemy) end, "one value")
    refuses(function() query:set(Position, "x", 3, 4) end, "string, not by 4")
    refuses(function() query:add(Position, { x = 1 }, Enemy) end,
      "once for each")
    refuses(function() query:destroy(query:first()) end, "world:destroy")
    assert.equal(1, query:count())
  end)

  it("what is no query", function()
    for _, method in ipairs { "add", "set", "remove", "destroy", "first" } do
      local call = query[method]
      refuses(function() call(world, Enemy) end, "query")
      refuses(function() call(nil, Enemy) end, "query")
    end
  end)

  it("a closed world", function()
    world:close()
    for _, method in ipairs { "add", "set", "remove", "destroy", "first" } do
      local part = method ~= "destroy" and Enemy or nil
      refuses(function() query[method](query, part) end, "closed")
    end
  end)

  it("what is new to the world inside a callback", function()
    local New = ecs.component("BulkLate", { n = "i8" })
    query:batch(function()
      local Newer = ecs.component("BulkLater", { n = "i8" })
      query:add(New)
      refuses(function() query:add(Newer) end, "BulkLater")
    end)
  end)
end)
