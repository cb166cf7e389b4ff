-- world:name and world:find.

local ecs = require "ecs"

local Tag = ecs.tag "NameTag"
local Seen = ecs.component("NameSeen", { yes = "bool" })

local world
before_each(function() world = ecs.world {} end)

local function fails(text, f)
  local ok, message = pcall(f)
  assert.is_false(ok)
  assert.truthy(message:find(text, 1, true), message)
  assert.truthy(message:find("name_spec", 1, true), message)
end

describe("a name", function()
  it("is given, read, found and taken away", function()
    local e, f = world:spawn(Tag), world:spawn()
    assert.is_nil(world:name(e))
    assert.is_nil(world:find "player")
    assert.equal(0, select("#", world:name(e, "player")))
    assert.equal("player", world:name(e))
    assert.equal(e, world:find "player")
    assert.is_nil(world:name(f))
    world:name(e, "player")
    world:name(e, "hero")
    assert.equal("hero", world:name(e))
    assert.is_nil(world:find "player")
    world:name(f, "player")
    assert.equal(f, world:find "player")
    world:name(e, nil)
    world:name(e, nil)
    assert.is_nil(world:name(e))
    assert.is_nil(world:find "hero")
  end)

  it("belongs to one entity that is alive", function()
    local e, f = world:spawn(), world:spawn()
    world:name(e, "gate")
    fails("name: entity", function() world:name(f, "gate") end)
    fails("has the name 'gate' already", function() world:name(f, "gate") end)
    assert.is_nil(world:name(f))
    world:destroy(e)
    assert.is_nil(world:find "gate")
    assert.is_nil(world:name(e))
    world:name(f, "gate")
    assert.equal(f, world:find "gate")
    -- An entity that has the same place in memory has no name.
    local g = world:spawn()
    assert.is_nil(world:name(g))
    world:name(g, "wall")
    assert.equal(g, world:find "wall")
  end)

  it("is lost however the entity dies", function()
    for _, kill in ipairs {
      function(e) world:destroy(e) end,
      function() world:query({ Tag }):destroy() end,
      function()
        world:query({ Tag }):each(function(e) world:destroy(e) end)
      end,
      function() world:clear() end,
    } do
      local e = world:spawn(Tag)
      world:name(e, "x")
      local hash = world:state_hash()
      kill(e)
      assert.is_nil(world:find "x")
      assert.are_not.equal(hash, world:state_hash())
      local f = world:spawn(Tag)
      assert.is_nil(world:name(f))
      world:name(f, "x")
      world:clear()
    end
  end)

  it("changes at once in callbacks", function()
    local e = world:spawn(Tag)
    world:name(e, "old")
    local born
    world:query({ Tag }):each(function()
      born = world:spawn(Tag)
      world:name(born, "born")
      assert.equal(born, world:find "born")
      world:destroy(e)
      assert.is_nil(world:find "old")
      assert.is_nil(world:name(e))
      world:name(born, "old")
    end)
    assert.equal(born, world:find "old")
    assert.is_nil(world:find "born")
  end)

  it("comes back with what a callback that fails had recorded", function()
    local e, born = world:spawn(Tag), nil
    world:name(e, "old")
    pcall(function()
      world:query({ Tag }):each(function()
        born = world:spawn(Tag)
        world:name(born, "born")
        world:destroy(e)
        error "stop"
      end)
    end)
    assert.equal(e, world:find "old")
    assert.is_nil(world:find "born")
    assert.is_nil(world:name(born))
  end)

  for _, flush in ipairs { "system", "frame" } do
    --- A system that calls f once, while changes are recorded.
    local function system(name, after, f)
      local done = false
      world:system { name = name, after = after, query = { read = { Seen } },
        batch = function()
          if not done then
            done = true
            f()
          end
        end }
    end

    it("changes at once in systems (flush = '" .. flush .. "')", function()
      world = ecs.world { flush = flush }
      local e, f = world:spawn(Tag), world:spawn(Tag)
      world:spawn(Seen)
      world:name(e, "old")
      local born, twin
      system("one", nil, function()
        born, twin = world:spawn(Tag), world:spawn(Tag)
        world:name(born, "born")
        assert.equal(born, world:find "born")
        assert.equal("born", world:name(born))
        -- Two ask for one name: the first has it.
        fails("has the name 'born' already", function()
          world:name(twin, "born")
        end)
        assert.is_nil(world:name(twin))
        assert.equal(born, world:find "born")
        -- What is taken away is free in the next line.
        world:name(born, nil)
        assert.is_nil(world:find "born")
        assert.is_nil(world:name(born))
        world:name(twin, "born")
        fails("has the name 'born' already", function()
          world:name(born, "born")
        end)
        -- And so is the name of what is destroyed.
        fails("has the name 'old' already", function() world:name(f, "old") end)
        world:destroy(e)
        assert.is_nil(world:find "old")
        assert.is_nil(world:name(e))
        fails("is not alive", function() world:name(e, "new") end)
        world:name(f, "old")
        assert.equal(f, world:find "old")
      end)
      system("two", "one", function()
        assert.equal(twin, world:find "born")
        assert.equal(f, world:find "old")
        world:destroy(twin)
        assert.is_nil(world:find "born")
        world:name(born, "born")
      end)
      system("three", "two", function()
        assert.equal(born, world:find "born")
        fails("is not alive", function() world:name(twin, nil) end)
      end)
      world:progress(1)
      assert.equal(born, world:find "born")
      assert.equal(f, world:find "old")
      assert.is_nil(world:name(twin))
      local found = {}
      for one in world:query({ with = { ecs.Name } }):rows() do
        found[one] = true
      end
      assert.same({ [born] = true, [f] = true }, found)
    end)

    it("stays with a child until its parent's death is applied (flush = '"
        .. flush .. "')", function()
      world = ecs.world { flush = flush }
      local parent, other = world:spawn(), world:spawn(Seen)
      local child = world:spawn(ecs.ChildOf { parent = parent })
      world:name(parent, "parent")
      world:name(child, "child")
      system("one", nil, function()
        world:destroy(parent)
        assert.is_nil(world:find "parent")
        assert.equal(child, world:find "child")
        fails("has the name 'child' already", function()
          world:name(other, "child")
        end)
        world:name(other, "parent")
      end)
      world:progress(1)
      assert.is_nil(world:find "child")
      assert.is_nil(world:name(child))
      assert.equal(other, world:find "parent")
      world:name(other, "child")
      assert.equal(other, world:find "child")
    end)

    it("comes back with what a system that fails had recorded (flush = '"
        .. flush .. "')", function()
      world = ecs.world { flush = flush }
      local e, f, g = world:spawn(Tag), world:spawn(Tag), world:spawn(Seen)
      world:name(e, "e")
      world:name(f, "f")
      local born
      system("one", nil, function()
        born = world:spawn(Tag)
        world:name(born, "born")
        world:destroy(e)
        world:destroy(f)
        world:name(g, "f")
        error "stop"
      end)
      assert.is_false((pcall(world.progress, world, 1)))
      assert.equal(e, world:find "e")
      assert.equal("e", world:name(e))
      assert.equal(g, world:find "f")
      assert.is_nil(world:name(f))
      assert.is_true(world:alive(f))
      assert.is_false(world:alive(born))
      assert.is_nil(world:find "born")
    end)
  end

  it("is part of what a world is", function()
    local other = ecs.world {}
    local e, f = world:spawn(Tag), other:spawn(Tag)
    assert.equal(world:hash(), other:hash())
    world:name(e, "a")
    assert.are_not.equal(world:hash(), other:hash())
    assert.are_not.equal(world:state_hash(), other:state_hash())
    other:name(f, "b")
    assert.are_not.equal(world:state_hash(), other:state_hash())
    other:name(f, "a")
    assert.equal(world:hash(), other:hash())
    assert.equal(world:state_hash(), other:state_hash())
  end)

  it("is kept among many that come and go", function()
    local alive = {}
    for round = 1, 4000 do
      local e = world:spawn(Tag)
      world:name(e, "e" .. round)
      alive[e] = "e" .. round
      if round % 3 > 0 then
        local old = next(alive)
        if round % 6 == 1 then world:name(old, nil) else world:destroy(old) end
        alive[old] = nil
      end
    end
    for e, name in pairs(alive) do
      assert.equal(name, world:name(e))
      assert.equal(e, world:find(name))
    end
  end)

  it("is refused where it is none, and for what is no entity", function()
    local e = world:spawn()
    local dead = world:spawn()
    world:destroy(dead)
    for _, bad in ipairs { "", ("x"):rep(256), "a\nb", "\255" } do
      fails("name: a name is 1 to 255 bytes", function() world:name(e, bad) end)
      fails("find: a name is 1 to 255 bytes", function() world:find(bad) end)
    end
    for _, bad in ipairs { 1, true, {}, Tag } do
      fails("name takes a name, which is a string, and not", function()
        world:name(e, bad)
      end)
      fails("find takes a name", function() world:find(bad) end)
    end
    fails("find takes a name", function() world:find() end)
    fails("is not alive", function() world:name(dead, "x") end)
    fails("is not alive", function() world:name(dead, nil) end)
    fails("name takes an entity, not nil", function() world:name(nil, "x") end)
    fails("name takes an entity", function() world:name("x", "y") end)
    fails("name takes no more than 2", function() world:name(e, "a", "b") end)
    assert.is_nil(world:name(dead))
    assert.is_nil(world:name(nil))
    world:name(e, ("x"):rep(255))
    assert.equal(e, world:find(("x"):rep(255)))
    world:close()
    fails("closed", function() world:name(e) end)
    fails("closed", function() world:find "x" end)
  end)
end)

describe("ecs.Name", function()
  local Name = ecs.Name

  local function named()
    local found = {}
    for e in world:query({ with = { Name } }):rows() do found[e] = true end
    return found
  end

  it("is the tag of entities with a name", function()
    local e, f = world:spawn(Tag), world:spawn(Tag)
    assert.is_false(world:has(e, Name))
    world:name(e, "player")
    assert.is_true(world:has(e, Name))
    assert.same({ [e] = true }, named())
    assert.equal(1, world:query({ with = { Tag, Name } }):count())
    assert.equal(f, world:query({ with = { Tag }, without = { Name } }):first())
    world:name(e, "hero")
    world:name(f, "player")
    assert.same({ [e] = true, [f] = true }, named())
    world:name(e, nil)
    assert.same({ [f] = true }, named())
    world:destroy(f)
    assert.same({}, named())
  end)

  it("is called ecs.Name, and leaves the name Name to games", function()
    assert.equal("ecs.Name", Name.name)
    assert.equal(Name, ecs.component "ecs.Name")
    local Own = ecs.component("Name", { letter = "u8" })
    local e = world:spawn(Own { letter = 65 })
    world:name(e, "A")
    assert.equal(65, world:get(e, Own, "letter"))
  end)

  it("gives no row", function()
    local e = world:spawn(Tag)
    world:name(e, "player")
    for one, more in world:query({ with = { Name } }):rows() do
      assert.same({ e }, { one, more })
    end
  end)

  it("comes and goes with names that a callback gives, at its end", function()
    local e, f, born = world:spawn(Tag), world:spawn(), nil
    world:name(f, "old")
    world:query({ with = { Tag } }):each(function()
      born = world:spawn(Tag)
      world:name(born, "born")
      world:name(e, "new")
      world:name(f, nil)
      assert.is_false(world:has(e, Name))
      assert.is_true(world:has(f, Name))
    end)
    assert.same({ [e] = true, [born] = true }, named())
  end)

  it("agrees with names behind a callback that fails", function()
    local e, f, g = world:spawn(Tag), world:spawn(), world:spawn()
    world:name(f, "f")
    world:name(g, "g")
    pcall(function()
      world:query({ with = { Tag } }):each(function()
        world:name(e, "e")
        world:name(f, nil)
        world:destroy(g)
        world:name(world:spawn(Tag), "born")
        world:name(f, "g") -- is free
        error "stop"
      end)
    end)
    assert.same({ [e] = true, [f] = true }, named())
    assert.equal("g", world:name(f))
    assert.is_nil(world:name(g))
    assert.is_true(world:alive(g))
  end)

  it("is told to observers", function()
    local told = {}
    world:on("add", Name, function(e) told[#told + 1] = world:name(e) end)
    world:on("remove", Name, function(e)
      told[#told + 1] = world:alive(e) and "gone" or "dead"
    end)
    local e = world:spawn(Tag)
    world:name(e, "player")
    world:name(e, "hero")
    world:query({ with = { Tag } }):each(function()
      world:name(e, nil)
      world:name(e, "again")
    end)
    world:name(e, nil)
    world:name(e, "last")
    world:destroy(e)
    assert.same({ "player", "gone", "last", "dead" }, told)
  end)

  it("is no part of a clone, nor of what can be spawned", function()
    local e = world:spawn(Tag)
    world:name(e, "player")
    assert.same({ Tag }, world:components(e))
    assert.is_false(world:has(world:clone(e), Name))
  end)

  it("is given and taken away by world:name alone", function()
    local e = world:spawn(Tag)
    world:name(e, "player")
    local before = world:state_hash()
    local query = world:query { with = { Tag } }
    for call, f in pairs {
      add = function() world:add(e, Name) end,
      remove = function() world:remove(e, Name) end,
      replace = function() world:replace(e, Name, Tag) end,
      spawn = function() world:spawn(Name) end,
      spawn_many = function() world:spawn_many(2, { Tag, Name }) end,
      spawner = function() world:spawner(Name) end,
      ["prefab NameBad"] = function() ecs.prefab("NameBad", { Name }) end,
      NameNeeds = function() ecs.tag("NameNeeds", { needs = { Name } }) end,
      NameText = function() ecs.tag("NameText", { needs = { "ecs.Name" } }) end,
    } do
      fails(call .. ": ecs.Name comes and goes with a name", f)
    end
    fails("replace: ecs.Name comes", function()
      world:replace(e, Tag, Name)
    end)
    fails("add: ecs.Name comes", function() query:add(Name) end)
    fails("remove: ecs.Name comes", function() query:remove(Name) end)
    fails("replace: ecs.Name comes", function() query:replace(Name, Tag) end)
    assert.equal(before, world:state_hash())
  end)

  it("is asked for by compiled functions, which do not change it", function()
    local e, f = world:spawn(Seen), world:spawn(Seen)
    world:name(e, "player")
    world:system { name = "see", query = { Seen }, compile = "whole",
      each = function(seen, dt, one)
        seen.yes = world:has(one, Name) and dt > 0
      end }
    world:progress(1)
    assert.is_true(world:get(e, Seen, "yes"))
    assert.is_false(world:get(f, Seen, "yes"))
    for _, change in ipairs {
      function(_, _, one) world:add(one, Name) end,
      function(_, _, one) world:remove(one, Name) end,
      function(_, _, one) world:replace(one, Name, Tag) end,
      function() world:spawn(Name) end,
    } do
      local ok, text = pcall(world.system, world, { name = "change",
        query = { Seen }, compile = "whole", each = change })
      assert.is_false(ok)
      assert.truthy(text:find("a change of ecs.Name", 1, true), text)
    end
  end)
end)
