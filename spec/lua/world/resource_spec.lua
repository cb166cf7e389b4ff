-- Resources: world:resource, rows that stay, and what systems see of them.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy
local Gravity = ecs.component("ResourceGravity",
  { x = "f32", y = { "f32", -9.8 } })
local Rules = ecs.component("ResourceRules", {
  most = { "i32", 7 }, on = { "bool", true }, leader = "entity",
  factor = "f64" })

local world
before_each(function() world = ecs.world {} end)

-- The message of an error, without its position.
local function message(f, ...)
  local done, text = pcall(f, ...)
  assert.is_false(done)
  return (tostring(text):gsub("^[^\n]-ecs: ", "ecs: "))
end

describe("a resource", function()
  it("is made with a value, and given by its component", function()
    local gravity, entity = world:resource(Gravity { y = -2 })
    assert.equal(-2, gravity.y)
    assert.equal(0, gravity.x)
    local again, same = world:resource(Gravity)
    assert.is_true(rawequal(gravity, again))
    assert.equal(entity, same)
    assert.equal("ecs.Row (ResourceGravity)", tostring(gravity))
  end)

  it("has the fields set that are given, and keeps the others", function()
    local rules = world:resource(Rules { factor = 2 })
    world:resource(Rules { most = 3 })
    world:resource(Rules, { on = false })
    assert.same({ 3, false, 2 }, { rules.most, rules.on, rules.factor })
    world:resource(Rules, {})
    assert.equal(3, rules.most)
  end)

  it("may be made of a component and a table, or of defaults", function()
    assert.equal(4, world:resource(Gravity, { y = 4 }).y)
    assert.equal(7, world:resource(Rules {}).most)
  end)

  it("is read and written by its row", function()
    local rules = world:resource(Rules {})
    local e = world:spawn()
    rules.most, rules.leader, rules.on = 12, e, false
    assert.equal(12, rules.most)
    assert.equal(e, rules.leader)
    assert.is_false(rules.on)
    rules.leader = nil
    assert.is_nil(rules.leader)
  end)

  it("stores strictly, and nothing where it refuses", function()
    local rules = world:resource(Rules {})
    refuses(function() rules.most = 1.5 end, "ResourceRules.most", "1.5")
    refuses(function() rules.most = "3" end, "ResourceRules.most")
    refuses(function() rules.on = 1 end, "ResourceRules.on")
    refuses(function() rules.mst = 1 end, "no field 'mst'", "most")
    refuses(function() return rules.mst end, "no field 'mst'", "most")
    refuses(function() return rules[1] end, "ResourceRules")
    refuses(function() rules[1] = 1 end, "ResourceRules")
    assert.equal(7, rules.most)
  end)

  it("is an entity: counted, hashed, found by queries", function()
    local before, state = world:hash(), world:state_hash()
    local _, e = world:resource(Gravity { y = 1 })
    assert.equal(1, world:stats().entities)
    assert.not_equal(before, world:hash())
    assert.not_equal(state, world:state_hash())
    assert.equal(1, world:query({ Gravity }):count())
    assert.equal(e, (world:query { with = { ecs.Resource } }:first()))
    local other = ecs.world {}
    other:spawn(Gravity { y = 1 }, ecs.Resource)
    assert.equal(other:hash(), world:hash())
    assert.equal(1, other:resource(Gravity).y)
  end)

  it("is beside other entities with its component", function()
    world:spawn(Gravity { y = 5 })
    refuses(function() world:resource(Gravity) end, "no ResourceGravity")
    local gravity = world:resource(Gravity { y = 6 })
    world:spawn(Gravity { y = 7 })
    assert.equal(6, world:resource(Gravity).y)
    assert.is_true(rawequal(gravity, world:resource(Gravity)))
  end)

  it("keeps its row while entities come and go, and groups change", function()
    local gravity, e = world:resource(Gravity { y = 6 })
    local list = {}
    for k = 1, 50 do list[k] = world:spawn(Gravity, Position) end
    world:add(e, Enemy)
    world:group { Gravity, Enemy }
    for k = 1, 50 do world:destroy(list[k]) end
    world:trim()
    world:optimize()
    assert.equal(6, gravity.y)
    gravity.y = 3
    assert.equal(3, world:get(e, Gravity, "y"))
  end)

  it("is over with its component, its entity, or a clear", function()
    for _, ends in ipairs {
      function(e) world:destroy(e) end,
      function(e) world:remove(e, Gravity) end,
      function() world:clear() end,
    } do
      local gravity, e = world:resource(Gravity { y = 6 })
      ends(e)
      refuses(function() return gravity.y end, "ResourceGravity is gone")
      refuses(function() gravity.y = 1 end, "ResourceGravity is gone")
      refuses(function() world:resource(Gravity) end, "has no ResourceGravity",
        "world:resource(ResourceGravity { ... })")
      local next_one = world:resource(Gravity { y = 2 })
      assert.equal(2, next_one.y)
      refuses(function() return gravity.y end, "ResourceGravity is gone")
      world:query({ with = { ecs.Resource } }):destroy()
    end
    local gravity = world:resource(Gravity {})
    world:close()
    refuses(function() return gravity.y end, "closed")
    refuses(function() gravity.y = 1 end, "closed")
    refuses(function() world:resource(Gravity) end, "closed")
  end)

  it("does not keep its world alive, nor the world its row", function()
    local held = setmetatable({}, { __mode = "k" })
    do
      local made = ecs.world {}
      held[made], held[made:resource(Gravity {})] = true, true
    end
    support.collect()
    assert.is_nil(next(held))
  end)

  it("cannot be made while changes are recorded, but set", function()
    world:spawn(Position)
    local hash = world:hash()
    world:query({ Position }):each(function()
      refuses(function() world:resource(Gravity { y = 1 }) end,
        "ResourceGravity cannot be made inside query")
      refuses(function() world:resource(Gravity) end, "has no ResourceGravity")
    end)
    assert.equal(hash, world:hash())
    local gravity = world:resource(Gravity { y = 1 })
    world:query({ Position }):each(function()
      gravity.y = 2
      world:resource(Gravity { x = 3 })
      assert.equal(3, world:resource(Gravity).x)
    end)
    assert.equal(2, gravity.y)
    world = ecs.world { flush = "frame" }
    world:system { name = "s", run = function()
      world:resource(Gravity { y = 1 })
    end }
    assert.truthy(message(world.progress, world, 1):find(
      "cannot be made inside a frame that records", 1, true))
  end)

  it("is locked where its component is", function()
    local gravity = world:resource(Gravity { y = 1 })
    world:query({ Gravity }):each(function()
      refuses(function() return gravity.y end, "ResourceGravity")
      refuses(function() gravity.y = 1 end, "ResourceGravity")
    end)
    world:query({ read = { Gravity } }):each(function()
      assert.equal(1, gravity.y)
      refuses(function() gravity.y = 1 end, "ResourceGravity")
      refuses(function() world:resource(Gravity { y = 1 }) end,
        "ResourceGravity")
    end)
  end)

  it("names mistakes at the caller's line", function()
    refuses(function() world:resource() end, "resource takes a component",
      "world:resource(Gravity { y = -9.8 })", "not nil")
    refuses(function() world:resource("Gravity") end, "not 'Gravity'")
    refuses(function() world:resource({}) end, "not a table")
    refuses(function() world:resource(Enemy) end, "is a tag")
    refuses(function() world:resource(Gravity, "y", 3) end, "as a table",
      "not 'y'")
    refuses(function() world:resource(Gravity, { z = 3 }) end, "'z'")
    refuses(function() world:resource(Gravity { y = 1 }, { y = 2 }) end, "ecs")
    refuses(function() world.resource(Gravity) end, "world:resource(...)")
    assert.equal(0, world:stats().entities)
    world:spawn(Gravity, ecs.Resource)
    world:spawn(Gravity, ecs.Resource)
    refuses(function() world:resource(Gravity) end,
      "2 entities have ResourceGravity and ecs.Resource")
    refuses(function() world:resource(Gravity {}) end, "2 entities")
  end)

  it("makes no garbage where its row is used", function()
    local rules = world:resource(Rules {})
    local grown = support.garbage_of(function(rounds)
      for k = 1, rounds do rules.most = rules.most * 0 + k end
    end, 20000)
    assert.equal(0, grown)
  end)
end)

describe("a resource in a system", function()
  local e
  before_each(function() e = world:spawn(Position { x = 1 }) end)

  it("that is compiled is read before each run", function()
    local rules = world:resource(Rules { factor = 2 })
    local config = { rules = rules }
    world:system { name = "s", query = { Position }, compile = "whole",
      each = function(p)
        if config.rules.on then p.x = p.x + rules.factor end
      end }
    world:progress(1)
    assert.equal(3, world:get(e, Position, "x"))
    rules.factor = 10
    world:progress(1)
    assert.equal(13, world:get(e, Position, "x"))
    rules.on = false
    world:progress(1)
    assert.equal(13, world:get(e, Position, "x"))
    assert.equal(0, world:stats("s").fallback_runs)
  end)

  it("that is compiled follows an entity, and one that is none", function()
    local rules = world:resource(Rules {})
    local leader = world:spawn(Position { x = 5 })
    world:system { name = "s", query = { Position }, compile = true,
      each = function(p, _, me)
        if rules.leader == nil then
          p.y = -1
        elseif rules.leader == me then
          p.y = 1
        else
          p.y = 0
        end
      end }
    world:progress(1)
    assert.equal(-1, world:get(e, Position, "y"))
    rules.leader = leader
    world:progress(1)
    assert.equal(0, world:get(e, Position, "y"))
    assert.equal(1, world:get(leader, Position, "y"))
  end)

  it("gives the same as plain Lua, also to query:each", function()
    local gravity = world:resource(Gravity { x = 0.1, y = 0.3 })
    local function fall(p) p.x = p.x * gravity.y + gravity.x end
    local hashes = {}
    for k, compile in ipairs { true, false } do
      world:set(e, Position, "x", 1)
      world:system { name = "s", query = { Position }, compile = compile,
        precision = compile and "double" or nil, each = fall }
      for _ = 1, 5 do world:progress(1) end
      hashes[k] = world:state_hash()
    end
    assert.equal(hashes[1], hashes[2])
    for _ = 1, 200 do
      world:query({ Position }):each(fall)
      gravity.x = gravity.x + 1
    end
    assert.equal(200.1, math.floor(gravity.x * 10 + 0.5) / 10)
  end)

  it("that writes its component uses the row of the query", function()
    local gravity = world:resource(Gravity { y = 1 })
    local function sink(g) g.y = g.y + gravity.y end
    local text = message(function()
      world:system { name = "s", query = { Gravity }, compile = true,
        each = sink }
    end)
    assert.truthy(text:find("a field of the resource ResourceGravity, which "
      .. "this system writes", 1, true), text)
  end)

  it("that finds it gone raises the error of plain Lua", function()
    local kept = ecs.on_fallback
    ecs.on_fallback = nil
    local gravity, g = world:resource(Gravity { y = 1 })
    world:system { name = "s", query = { Position },
      each = function(p) p.x = p.x + gravity.y end }
    world:progress(1)
    world:destroy(g)
    assert.truthy(message(world.progress, world, 1):find(
      "ResourceGravity is gone", 1, true))
    world:system { name = "s", query = { Position }, compile = true,
      each = function(p) p.x = p.x + 1 end }
    world:progress(1)
    local done, text = pcall(world.system, world, { name = "t",
      query = { Position }, compile = true,
      each = function(p) p.x = p.x + gravity.y end })
    assert.is_false(done)
    assert.truthy(text:find("'y' of a resource that is gone", 1, true), text)
    ecs.on_fallback = kept
  end)

  it("does not count in what a compiled function adds up", function()
    local kept = ecs.on_fallback
    ecs.on_fallback = nil
    local rules = world:resource(Rules { factor = 1 })
    world:spawn(Position)
    world:system { name = "s", query = { Position },
      each = function() rules.factor = rules.factor + 1 end }
    world:progress(1)
    assert.equal(3, rules.factor)
    assert.is_nil(rawget(rules, "factor"))
    ecs.on_fallback = kept
  end)
end)

describe("an entity that is made of a resource", function()
  it("is none as a clone, nor are clones below it", function()
    local _, entity = world:resource(Gravity { y = -3 })
    world:add(entity, Enemy)
    local below = world:spawn(Rules, ecs.ChildOf { parent = entity })
    world:add(below, ecs.Resource)
    local clone = world:clone(entity)
    assert.is_false(world:has(clone, ecs.Resource))
    assert.is_true(world:has(clone, Gravity, Enemy))
    assert.equal(-3, world:get(clone, Gravity, "y"))
    assert.equal(1, world:link_count(clone, ecs.ChildOf))
    assert.equal(entity, select(2, world:resource(Gravity)))
    assert.equal(below, select(2, world:resource(Rules)))
    world:query({ Enemy }):batch(function(batch)
      for k = 1, batch.count do world:clone(batch.entities[k]) end
    end)
    assert.equal(4, world:query({ Enemy }):count())
    assert.equal(entity, select(2, world:resource(Gravity)))
  end)

  it("is none as a new entity of packed rows", function()
    local _, entity = world:resource(Gravity { y = -3 })
    world:resource(Rules { most = 2 })
    local bytes = world:query({ with = { ecs.Resource } }):pack()
    local entities, told = world:unpack(bytes, { as = "new" })
    assert.equal(2, #entities)
    assert.same({}, told)
    for _, e in ipairs(entities) do
      assert.is_false(world:has(e, ecs.Resource))
    end
    assert.equal(-3, world:get(entities[1], Gravity, "y"))
    assert.equal(entity, select(2, world:resource(Gravity)))
    assert.equal(2, world:resource(Rules).most)
    local other = ecs.world {}
    assert.equal(2, #other:unpack(bytes, { as = "new" }))
    refuses(function() other:resource(Gravity) end, "has no")
  end)

  it("is one under its own id", function()
    local _, entity = world:resource(Gravity { y = -3 })
    local bytes = world:query({ with = { ecs.Resource } }):pack()
    local other = ecs.world {}
    assert.same({ entity }, (other:unpack(bytes, { as = "same" })))
    local row, found = other:resource(Gravity)
    assert.equal(-3, row.y)
    assert.equal(entity, found)
    assert.equal(world:state_hash(), other:state_hash())
    assert.same({ entity }, (world:unpack(bytes, { as = "same" })))
    assert.equal(entity, select(2, world:resource(Gravity)))
  end)
end)

describe("a resource as the parameters of a kernel", function()
  local Flock = ecs.component("ResourceFlock", {
    radius = { "f32", 4 }, most = { "i32", 7 }, weight = { "f64", 0.5 },
    tight = { "bool", true }, leader = "entity", other = "f32" })

  it("is read before each run", function()
    assert(ecs.load_native "many")
    local Own = ecs.component("Place", { x = "f32", y = "f32", z = "f32" })
    local e = world:spawn(Own)
    local flock, f = world:resource(Flock { leader = e })
    world:system { name = "s", query = { Own }, native = "many.flock",
      parameters = flock }
    world:progress(1)
    assert.same({ x = 2, y = 7, z = e }, world:get(e, Own))
    flock.radius, flock.tight, flock.leader = 8, false, nil
    world:progress(1)
    assert.same({ x = 4, y = -1, z = 0 }, world:get(e, Own))
    world:destroy(f)
    assert.truthy(message(world.progress, world, 1):find(
      "ResourceFlock is gone", 1, true))
    refuses(function()
      world:system { name = "t", query = { Own }, native = "many.flock",
        parameters = flock }
    end, "system 't'", "ResourceFlock is gone")
    refuses(function()
      world:system { name = "t", query = { Own }, native = "many.flock",
        parameters = world:resource(Gravity {}) }
    end, "system 't'", "parameter radius")
  end)
end)
