-- get, set, has and alive, called in the ways that are faster on LuaJIT: what
-- they take and return, and what they refuse.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/access_scene.lua"
local kinds, all, numbers, values = scene.kinds, scene.all, scene.numbers,
  scene.values
local agree, dice, compare = scene.agree, scene.dice, scene.compare
local Every, Sparse, Place, Far = scene.Every, scene.Sparse, scene.Place,
  scene.Far
local Tag, SparseTag, BitTag, Never = scene.Tag, scene.SparseTag, scene.BitTag,
  scene.Never

describe("a field of one entity", function()
  local world, twin
  before_each(function() world, twin = ecs.world {}, ecs.world {} end)

  it("is read in every type and storage as the long way reads it", function()
    local e = world:spawn(Every, Sparse, Place { x = 3 }, Far, Tag, SparseTag,
      BitTag)
    local bare = world:spawn()
    for _ = 1, 120 do
      compare(world, e)
      compare(world, bare)
    end
  end)

  it("takes and refuses what a value does", function()
    for _, definition in ipairs { Every, Sparse } do
      local a, b = world:spawn(definition), twin:spawn(definition)
      for f = 1, #kinds do
        local name = "v" .. f
        for k = 0, #values do
          local value = values[k] -- nil, too
          local set, text
          for _ = 1, 3 do
            set, text = pcall(world.set, world, a, definition, name, value)
          end
          local made, other
          if value ~= nil then
            made, other = pcall(definition, { [name] = value })
            if made then twin:set(b, other) end
          else
            made = kinds[f] == "entity"
            if made then twin:set(b, definition, name, 0) end
          end
          agree(set, made, name, tostring(value))
          if not made and value ~= nil then agree(text, other) end
          agree(world:get(a, definition, name),
            (twin:get(b, definition, name, name, name)), name,
            tostring(value))
          assert.equal(twin:state_hash(), world:state_hash())
        end
      end
    end
  end)

  it("takes a difference as the number it is", function()
    local e, half = world:spawn(Every), 0.6
    local refused = 0
    for k = 1, 200 do
      local high = k + 0.5
      if not pcall(world.set, world, e, Every, "v7", high - half) then
        refused = refused + 1
      end
      world:set(e, Every, "v2", high - half)
      agree(world:get(e, Every, "v2"), high - half)
    end
    assert.equal(200, refused)
    assert.equal(0, world:get(e, Every, "v7"))
  end)

  it("is set to the one NaN there is", function()
    local a = world:spawn(Every, Place)
    local b = twin:spawn(Every, Place)
    for _, nan in ipairs { 0 / 0, -(0 / 0), math.huge - math.huge } do
      for _ = 1, 80 do
        world:set(a, Every, "v1", nan)
        world:set(a, Every, "v2", nan)
        world:set(a, Place, "x", nan)
      end
      twin:set(b, Every { v1 = 0 / 0, v2 = 0 / 0 })
      twin:set(b, Place { x = 0 / 0 })
      assert.equal(twin:hash(), world:hash())
      compare(world, a)
    end
  end)

  it("adds the component where it is absent", function()
    for k = 1, 100 do
      local e = world:spawn()
      world:set(e, Place, "x", k)
      assert.equal(7, world:get(e, Place, "y"))
      assert.equal(k, world:get(e, Place, "x"))
    end
  end)

  it("may be called anything", function()
    local Odd = ecs.component("AccessOdd", { ["end"] = "f32",
      ["a b"] = "bool", ['"]]'] = "i8", ["\\n%d"] = "entity", access = "u8",
      alive = "u8", ["\195\169"] = "f64" })
    local e = world:spawn(Odd { ["end"] = 2, ["a b"] = true, ['"]]'] = -3,
      ["\\n%d"] = 9, access = 4, alive = 5, ["\195\169"] = 0.25 })
    for _ = 1, 100 do
      assert.equal(2, world:get(e, Odd, "end"))
      assert.same({ ["end"] = 2, ["a b"] = true, ['"]]'] = -3,
        ["\\n%d"] = 9, access = 4, alive = 5, ["\195\169"] = 0.25 },
        world:get(e, Odd))
    end
  end)

  it("is one value, also of no entity", function()
    local e = world:spawn(Every { v9 = false })
    for _ = 1, 120 do
      assert.equal(1, select("#", world:get(e, Every, "v10")))
      assert.equal(1, select("#", world:get(e, Every, "v9")))
      assert.equal(1, select("#", world:get(e, Every)))
      assert.equal(1, select("#", world:get(e, Place, "x")))
      assert.equal(1, select("#", world:get(e, Never, "x")))
      assert.equal(2, select("#", world:get(e, Every, "v9", "v10")))
      assert.equal(2, select("#", world:get(e, Place, "x", "y")))
    end
  end)

  it("is a nil for each that is absent", function()
    local function count(...) return select("#", ...) end
    local e, bare, dead = world:spawn(Every, Place), world:spawn(),
      world:spawn(Every, Place)
    world:destroy(dead)
    for _ = 1, 120 do
      for _, absent in ipairs { bare, dead } do
        assert.equal(1, count(world:get(absent, Place, "x")))
        assert.equal(2, count(world:get(absent, Place, "x", "y")))
        assert.equal(2, count(world:get(absent, Every, "v9", "v10")))
        assert.equal(3, count(world:get(absent, Place, "x", "y", "x")))
        assert.same({}, { world:get(absent, Place, "x", "y") })
      end
      assert.equal(2, count(world:get(e, Never, "x", "x")))
    end
  end)

  it("is named, or the call is refused", function()
    local e = world:spawn(Place, Tag)
    for _ = 1, 70 do
      refuses(function() world:get(e, Place, "z") end, "no field 'z'")
      refuses(function() world:get(e, Place, nil) end, "not by nil")
      refuses(function() world:get(e, Place, 1) end, "not by 1")
      refuses(function() world:get(e, Place, "x", nil) end, "not by nil")
      refuses(function() world:get(e, Tag) end, "world:has")
      refuses(function() world:get(e, Tag, "x") end, "world:has")
      refuses(function() world:get(e, nil) end, "not nil")
      refuses(function() world:get(e) end, "not nothing")
      for _, word in ipairs { "alive", "keep", "access", "index", "x" } do
        refuses(function() world:get(e, word, "x") end, "not a string")
        refuses(function() world:has(e, word) end, "not a string")
      end
      refuses(function() world:get(e, Place {}, "x") end, "without fields")
      refuses(function() world:set(e, Place, "x") end, "lacks")
      refuses(function() world:set(e, Place, "x", 1, 2) end, "not by 2")
      refuses(function() world:set(e, Place, "x", 1, "y") end, "new y")
      refuses(function() world:set(e, Place, "x", 1, "x", 2) end, "twice")
      refuses(function() world:set(e, Place, "x", "5") end, "not a string")
      refuses(function() world:set(e, Tag, "x", 1) end, "tag")
      refuses(function() world:has(e, 5) end, "not 5")
    end
  end)
end)

describe("an entity that is none", function()
  it("is answered and refused as the long way does", function()
    local world = ecs.world {}
    local dead, e = world:spawn(Place, Far), world:spawn(Place, Far)
    world:destroy(dead)
    local heir = world:spawn(Place { x = 5 }, Far)
    assert.equal(dead % 2 ^ 28, heir % 2 ^ 28)
    local strange = { dead, e + 0.5, e + 2 ^ 28, e + 2 ^ 51, e + 2 ^ 52, -e,
      heir + 2 ^ 28 }
    for _, number in ipairs(numbers) do strange[#strange + 1] = number end
    for _ = 1, 30 do
      for _, entity in ipairs(strange) do
        if entity >= 0 and entity < 2 ^ 53 and entity % 1 == 0 then
          compare(world, entity)
          assert.is_false(world:alive(entity))
          assert.is_nil(world:get(entity, Place, "x"))
          assert.is_nil(world:get(entity, Far, "x"))
          refuses(function() world:set(entity, Place, "x", 1) end, "not alive")
        else
          for _, method in ipairs { "alive", "get", "has", "set" } do
            refuses(function() world[method](world, entity, Place, "x", 1) end,
              method .. " takes an entity, not")
          end
        end
      end
    end
    for _ = 1, 70 do
      assert.is_nil(world:get(nil, Place, "x"))
      assert.is_false(world:alive(nil))
      refuses(function() world:get("5", Place, "x") end, "not a string")
      refuses(function() world:alive(tostring(e)) end, "not a string")
      refuses(function() world:has({}, Place) end, "not a table")
      refuses(function() world:set(nil, Place, "x", 1) end, "not nil")
    end
    assert.equal(5, world:get(heir, Place, "x"))
  end)
end)

describe("a self that is no open world", function()
  local wrong_self = "is called with ':', as in world:"

  it("is refused", function()
    local world = ecs.world {}
    local e = world:spawn(Place)
    local query = world:query { Place }
    for _ = 1, 70 do
      world:get(e, Place, "x")
      for _, self in ipairs { query, Place, Place {}, io.stdout, {}, "w", 5,
          0 / 0, true } do
        refuses(function() world.get(self, e, Place, "x") end, wrong_self)
        refuses(function() world.set(self, e, Place, "x", 1) end, wrong_self)
        refuses(function() world.has(self, e, Place) end, wrong_self)
        refuses(function() world.alive(self, e) end, wrong_self)
      end
      refuses(function() world.get(nil, e, Place, "x") end, wrong_self)
    end
  end)

  it("is refused when it was closed after it was used", function()
    for _ = 1, 70 do
      local world = ecs.world {}
      local e = world:spawn(Place, Far)
      compare(world, e)
      world:close()
      refuses(function() world:get(e, Place, "x") end, "closed")
      refuses(function() world:get(e, Place, "x", "y") end, "closed")
      refuses(function() world:get(e, Far) end, "closed")
      refuses(function() world:set(e, Place, "x", 1) end, "closed")
      refuses(function() world:has(e, Place) end, "closed")
      refuses(function() world:alive(e) end, "closed")
    end
  end)

  it("is refused with the metatable of a world, and a world without", function()
    local world = ecs.world {}
    local e, forged = world:spawn(Place), io.tmpfile()
    local own, metatable = debug.getmetatable(forged),
      debug.getmetatable(world)
    assert.equal(0, world:get(e, Place, "x"))
    debug.setmetatable(forged, metatable)
    local ok = pcall(world.get, forged, e, Place, "x")
    debug.setmetatable(forged, own)
    forged:close()
    assert.is_false(ok)
    assert.equal(0, world:get(e, Place, "x"))
  end)
end)

describe("what is remembered of a world", function()
  it("goes with it", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 30 do
      local world = ecs.world {}
      compare(world, world:spawn(Every, Place, Far))
      weak[world] = true
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 8, left .. " are left")
  end)

  it("is of no other world", function()
    local worlds, entities = {}, {}
    for k = 1, 12 do
      worlds[k] = ecs.world {}
      for _ = 1, k do worlds[k]:spawn(Far, all[5 + k % 3]) end
      entities[k] = worlds[k]:spawn(Place { x = k })
    end
    for _ = 1, 30 do
      for k = 1, 12 do
        assert.equal(k, worlds[k]:get(entities[k], Place, "x"))
        compare(worlds[k], entities[k])
      end
    end
  end)

  it("does not outlive growth, moves and other groups", function()
    local world, entities = ecs.world {}, {}
    local roll = dice(11)
    for k = 1, 3000 do
      entities[k] = world:spawn(Place { x = k }, Far { x = -k })
      local e = entities[roll(k)]
      if k % 3 == 0 then world:add(e, all[roll(#all)]) end
      if k % 5 == 0 then world:remove(e, all[4 + roll(4)]) end
      if k == 1000 then world:group { Place, Far } end
      if k == 2000 then world:group { Far, Every } end
      local at = roll(k)
      agree(world:get(entities[at], Place, "x"), at)
      agree(world:get(entities[at], Far, "x"), -at)
      if k % 50 == 0 then compare(world, e) end
    end
    world:clear()
    for k = 1, 200 do assert.is_nil(world:get(entities[k], Place, "x")) end
  end)

  it("includes components that the world sees later", function()
    for _ = 1, 20 do
      local world = ecs.world {}
      local e = world:spawn(Place)
      for _ = 1, 5 do
        assert.is_false(world:has(e, Never))
        assert.is_nil(world:get(e, Never, "x"))
        assert.is_nil(world:get(e, Never))
      end
      world:set(e, Never, "x", 4)
      for _ = 1, 5 do assert.equal(4, world:get(e, Never, "x")) end
    end
  end)
end)
