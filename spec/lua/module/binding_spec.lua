-- The C module caches the last objects that it has found. It must never take
-- one object for another because of the cache.

local ecs = require "ecs"

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position
local Drift = ecs.component("Drift", { x = "f32", y = "f32" })

describe("the world that was found last", function()
  it("is told apart from the one before", function()
    local a, b = ecs.world {}, ecs.world {}
    local in_a, in_b = a:spawn(Position { x = 1 }), b:spawn(Position { x = 2 })
    for _ = 1, 3 do
      assert.equal(1, a:get(in_a, Position, "x"))
      assert.equal(2, b:get(in_b, Position, "x"))
    end
    a:close()
    assert.is_false((pcall(a.spawn, a)))
    assert.equal(2, b:get(in_b, Position, "x"))
    assert.is_false((pcall(a.alive, a, in_a)))
  end)

  it("may go, and others come where it was", function()
    for round = 1, 20 do
      local world = ecs.world {}
      local id = world:spawn(Position { x = round })
      assert.equal(round, world:get(id, Position, "x"))
      world, id = nil, nil -- luacheck: ignore
      collectgarbage()
      local files = {}
      for k = 1, 3 do
        files[k] = io.tmpfile()
        assert.is_false((pcall(ecs.world {}.alive, files[k], 1)))
      end
      for _, file in ipairs(files) do file:close() end
    end
  end)

  it("is not remembered after its finalizer has run", function()
    local other = ecs.world {}
    local method = other.alive
    for _ = 1, 10 do
      local world = ecs.world {}
      local id = world:spawn()
      debug.getmetatable(world).__gc(world)
      assert.is_false((pcall(method, world, id)))
      assert.is_false((pcall(method, world, id)))
      world = nil -- luacheck: ignore
      collectgarbage()
      local file = io.tmpfile()
      assert.is_false((pcall(method, file, id)))
      file:close()
      assert.is_false(method(other, 12345))
    end
  end)

  it("can lose its metatable and its memory without a word", function()
    local method = ecs.world {}.alive
    for _ = 1, 10 do
      local world = ecs.world {}
      local id = world:spawn()
      assert.is_true(method(world, id))
      world:close()
      debug.setmetatable(world, nil)
      assert.is_false((pcall(method, world, id)))
      world = nil -- luacheck: ignore
      collectgarbage()
      local after = {}
      for k = 1, 5 do after[k] = ecs.world {} end
      for k = 1, 5 do
        local other = after[k]:spawn(Position { x = k })
        assert.equal(k, after[k]:get(other, Position, "x"))
      end
      local file = io.tmpfile()
      assert.is_false((pcall(method, file, id)))
      file:close()
    end
  end)

  it("is the caller's also in coroutines", function()
    local world = ecs.world {}
    local id = world:spawn(Position { x = 7 })
    local found = coroutine.wrap(function()
      coroutine.yield(world:get(id, Position, "x"))
    end)()
    assert.equal(7, found)
  end)
end)

describe("definitions that were found before", function()
  it("are told apart, however many there are", function()
    local world, parts, ids = ecs.world {}, {}, {}
    for k = 1, 80 do
      parts[k] = ecs.component("Found" .. k, { value = "u32" })
      ids[k] = world:spawn(parts[k] { value = k })
    end
    for _ = 1, 2 do
      for k = 1, 80 do
        assert.equal(k, world:get(ids[k], parts[k], "value"))
        assert.is_false(world:has(ids[k], parts[k % 80 + 1]))
      end
    end
  end)

  it("are not made by a definition that was refused", function()
    local world = ecs.world {}
    for k = 1, 20 do
      assert.is_false((pcall(ecs.component, "Position", { z = "f64" })))
      assert.equal(Position, ecs.component("Position",
        { x = "f32", y = "f32" }))
      assert.is_false((pcall(ecs.component, "Broken", { z = "f31" })))
      if k % 10 == 0 then collectgarbage() end
      local file = io.tmpfile()
      assert.is_false((pcall(world.has, world, 1, file)))
      assert.is_false((pcall(world.spawn, world, file)))
      file:close()
    end
  end)

  it("are no values, and values no definitions", function()
    local world = ecs.world {}
    local value = Position { x = 3 }
    for _ = 1, 3 do
      local id = world:spawn(value, Drift)
      assert.is_true(world:has(id, Position))
      assert.is_false((pcall(world.has, world, id, value)))
      assert.is_false((pcall(world.get, world, id, value, "x")))
      assert.is_false((pcall(world.remove, world, id, value)))
      assert.equal(3, world:get(id, Position, "x"))
    end
  end)
end)

describe("fields", function()
  local long = ("a name that no VM keeps as one object "):rep(1)
    :gsub(" ", "_") .. ("z"):rep(20)
  local Mixed = ecs.component("Mixed", {
    [long] = "u16", flag = "bool", far = "f64", near = "i8",
    target = "entity",
  })

  it("are found by what they are called, not by which string it is", function()
    local world = ecs.world {}
    local id = world:spawn(Mixed { [long] = 9, near = -3 })
    local made = table.concat { long:sub(1, 20), long:sub(21) }
    assert.equal(9, world:get(id, Mixed, made))
    assert.equal(9, (world:get(id, Mixed, made, "near")))
    world:set(id, Mixed, table.concat { "n", "ear" }, 5)
    assert.equal(5, world:get(id, Mixed, "near"))
    assert.is_false((pcall(world.get, world, id, Mixed, made .. "z")))
    assert.is_false((pcall(world.get, world, id, Mixed, "near\0")))
  end)

  it("come in the order they were asked for, as often as they were", function()
    local world = ecs.world {}
    local other = world:spawn()
    local id = world:spawn(Mixed { far = 0.1, flag = true, target = other })
    assert.same({ other, true, 0.1, 0, 0.1, n = 5 }, (function(...)
      return { n = select("#", ...), ... }
    end)(world:get(id, Mixed, "target", "flag", "far", "near", "far")))
  end)

  it("of an entity that is dead or lacks them are as many nils", function()
    local world = ecs.world {}
    local id = world:spawn(Drift)
    assert.equal(3, select("#", world:get(id, Position, "x", "y", "x")))
    assert.equal(3, select("#", world:get(id, Mixed, "far", "near", "far")))
    world:destroy(id)
    assert.equal(2, select("#", world:get(id, Drift, "x", "y")))
    assert.is_nil((world:get(id, Drift, "x", "y")))
    local ok, text = pcall(world.get, world, id, Drift, "x", "z")
    assert.is_false(ok)
    assert.truthy(text:find("ecs: Drift has no field 'z'", 1, true), text)
  end)
end)
