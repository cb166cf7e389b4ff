-- A component with a plain table of its fields behind it, wherever a value
-- stands: the same results and messages as with the value. And set of several
-- fields. Calls are repeated, so that LuaJIT compiles them.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, finalize = support.refuses, support.finalize

local scene = dofile "spec/support/access_scene.lua"
local kinds, values = scene.kinds, scene.values
local Every, Sparse, Place, Far = scene.Every, scene.Sparse, scene.Place,
  scene.Far
local Tag, BitTag, Never = scene.Tag, scene.BitTag, scene.Never

local ROUNDS = 70

-- Calls by a value and by a table: what they do to a world.
local forms = {
  spawn = function(world, _, part, ...) world:spawn(Tag, part, ...) end,
  spawn_first = function(world, _, part, fields)
    if fields then
      world:spawn(part, fields, Tag)
    else
      world:spawn(part, Tag)
    end
  end,
  spawn_many = function(world, _, ...) world:spawn_many(3, { Tag, ... }) end,
  set = function(world, e, ...) world:set(e, ...) end,
  add = function(world, e, ...) world:add(e, ...) end,
  query_set = function(world, _, ...) world:query({ Place }):set(...) end,
  query_add = function(world, _, ...) world:query({ Place }):add(...) end,
}

describe("a table of fields", function()
  local world, twin, e
  before_each(function()
    world, twin = ecs.world {}, ecs.world {}
    e = world:spawn(Place)
    assert.equal(e, twin:spawn(Place))
  end)

  for name, call in pairs(forms) do
    it("is taken and refused as a value is: " .. name, function()
      for _, definition in ipairs { Every, Sparse } do
        for f = 1, #kinds do
          for k = 1, #values do
            local fields = { ["v" .. f] = values[k], v1 = f > 1 and k or nil }
            local ok, text = pcall(call, world, e, definition, fields)
            local made, value = pcall(definition, fields)
            assert.equal(made, ok)
            if made then
              call(twin, e, value)
            else
              assert.equal(value, (text:gsub("^.-:%d+: ", "")))
            end
          end
        end
      end
      assert.equal(twin:hash(), world:hash())
    end)

    it("changes nothing where it is wrong: " .. name, function()
      local before = world:hash()
      for _ = 1, ROUNDS do
        refuses(function() call(world, e, Place, { z = 1 }) end,
          "AccessPlace has no field 'z' (it has x, y)")
        refuses(function() call(world, e, Place, { x = 1, z = 1 }) end, "'z'")
        refuses(function() call(world, e, Place, { x = 1, y = "1" }) end,
          "AccessPlace.y is f32", "not a string")
        refuses(function() call(world, e, Never, { x = 1, [1] = 2 }) end,
          "a field of AccessNever is named by a string, not by 1")
        refuses(function() call(world, e, BitTag, {}) end,
          "AccessBitTag is a tag: it has no fields, so leave out the {}")
        for _, p in world:query({ Place }):rows() do
          refuses(function() call(world, e, Place, p) end,
            "AccessPlace takes a table of fields, not a row")
        end
      end
      assert.equal(before, world:hash())
    end)
  end

  it("of get is taken by set, and nil fields are absent", function()
    for k = 1, ROUNDS do
      world:set(e, Every, { v1 = k, v9 = true, v10 = e })
      world:set(e, Every, world:get(e, Every))
      assert.equal(k, world:get(e, Every, "v1"))
      assert.equal(e, world:get(e, Every, "v10"))
      world:set(e, Every, "v10", nil)
      world:set(e, Every, world:get(e, Every))
      assert.is_nil(world:get(e, Every, "v10"))
      assert.is_true(world:get(e, Every, "v9"))
    end
  end)

  it("gives the fields behind __index, too, without a call", function()
    local function fails() error "called" end
    local strange = setmetatable({ x = 4 }, { __index = { y = 9, z = 5 },
      __pairs = fails, __len = fails, __newindex = fails, __eq = fails })
    for _ = 1, ROUNDS do
      local new = world:spawn(Place, strange)
      assert.same({ x = 4, y = 9 }, world:get(new, Place))
      world:set(e, Place, strange)
      world:add(e, Far, strange)
      assert.same({ x = 4, y = 9 }, world:get(e, Place))
      assert.same({ x = 4, y = 9 }, world:get(e, Far))
    end
  end)

  it("is neither kept nor changed", function()
    local fields = { x = 1 }
    for k = 1, ROUNDS do
      fields.x = k
      local new = world:spawn(Place, fields, Far, fields)
      world:set(e, Place, fields)
      fields.x = -1
      assert.equal(k, world:get(new, Place, "x"))
      assert.equal(k, world:get(new, Far, "x"))
      assert.equal(k, world:get(e, Place, "x"))
      assert.same({ x = -1 }, fields)
    end
  end)

  it("may be empty: spawn gives defaults, set adds what is absent", function()
    for _ = 1, ROUNDS do
      assert.same({ x = 0, y = 7 }, world:get(world:spawn(Place, {}), Place))
      world:set(e, Place, "x", 3)
      world:set(e, Place, {})
      assert.equal(3, world:get(e, Place, "x"))
      world:set(e, Far, {})
      assert.same({ x = 0, y = 0 }, world:get(e, Far))
      world:remove(e, Far)
    end
  end)

  it("is not for a dead entity", function()
    local dead = world:spawn(Place)
    world:destroy(dead)
    for _ = 1, ROUNDS do
      refuses(function() world:set(dead, Place, { x = 1 }) end, "set: entity",
        "is not alive")
      refuses(function() world:add(dead, Place, { x = 1 }) end, "add: entity",
        "is not alive")
      refuses(function() world:set(nil, Place, { x = 1 }) end, "not nil")
      refuses(function() world:set(dead, Place, "x", 1, "y", 2) end,
        "set: entity", "is not alive")
    end
  end)

  it("is refused by a world that was closed", function()
    for _ = 1, ROUNDS do
      local closed = ecs.world {}
      local gone = closed:spawn(Place, { x = 1 }, Far)
      closed:set(gone, Place, { x = 2 })
      closed:close()
      refuses(function() closed:spawn(Place, { x = 1 }, Far) end, "closed")
      refuses(function() closed:set(gone, Place, { x = 1 }) end, "closed")
      refuses(function() closed:add(gone, Place, { x = 1 }) end, "closed")
      refuses(function() closed:set(gone, Place, "x", 1, "y", 1) end, "closed")
    end
  end)

  it("is refused for what an open batch holds, and else recorded", function()
    local tagged = world:spawn(Tag, Place)
    for k = 1, ROUNDS do
      world:query({ with = { Tag }, read = { Place } }):batch(function()
        refuses(function() world:set(tagged, Place, { x = 1 }) end,
          "set cannot reach AccessPlace here")
        refuses(function() world:set(tagged, Place, "x", 1, "y", 1) end,
          "set cannot reach AccessPlace here")
        world:set(tagged, Far, { x = k })
        world:add(tagged, Every, { v1 = k })
        local born = world:spawn(Place, { x = k })
        assert.is_nil(world:get(born, Place))
        world:set(born, Far, { y = k })
        world:destroy(e)
        e = born
      end)
      assert.same({ x = k, y = 7 }, world:get(e, Place))
      assert.same({ x = 0, y = k }, world:get(e, Far))
      assert.equal(k, world:get(tagged, Far, "x"))
      assert.equal(1, world:get(tagged, Every, "v1"))
    end
  end)

  it("goes with up to any number of parts", function()
    local parts, expected = {}, {}
    for k = 1, 40 do
      parts[#parts + 1] = ecs.component("FieldPart" .. k,
        { a = "f64", b = "f64", c = "f64", d = "f64" })
      parts[#parts + 1] = { a = k, d = -k }
      expected[k] = { a = k, b = 0, c = 0, d = -k }
    end
    for count = 1, 40 do
      local new = world:spawn((table.unpack or unpack)(parts, 1, 2 * count))
      for k = 1, count do
        assert.same(expected[k], world:get(new, parts[2 * k - 1]))
      end
    end
    world:spawn_many(2, parts)
    assert.equal(3, world:query({ parts[79] }):count())
    refuses(function()
      world:spawn(Place, { x = 1 }, Far, { x = 1 }, Place, { x = 1 })
    end, "spawn names AccessPlace twice")
  end)
end)

describe("a value that is used again", function()
  it("is what it was, in every world and after others", function()
    local value, other = Place { x = 5 }, Every { v1 = 3, v9 = true }
    for _ = 1, 5 do
      local world, twin = ecs.world {}, ecs.world {}
      for k = 1, ROUNDS do
        local a = world:spawn(value, Tag, other)
        local b = twin:spawn(Place, { x = 5 }, Tag, Every,
          { v1 = 3, v9 = true })
        assert.equal(b, a)
        world:set(a, Place, "y", k)
        twin:set(b, Place, { y = k })
        world:set(a, value)
        twin:set(b, Place, { x = 5 })
        world:add(a, value)
        world:remove(a, Every)
        twin:remove(b, Every)
        world:add(a, other)
        twin:add(b, Every, { v1 = 3, v9 = true })
        assert.same({ x = 5, y = k }, world:get(a, Place))
        assert.is_true(world:get(a, Every, "v9"))
        if k % 3 == 0 then world:spawn(value) else world:spawn(Place) end
        twin:spawn(Place, k % 3 == 0 and { x = 5 } or {})
      end
      assert.equal(twin:hash(), world:hash())
    end
  end)

  it("does not live longer", function()
    local weak = setmetatable({}, { __mode = "k" })
    local world = ecs.world {}
    local e = world:spawn(Place)
    for k = 1, 30 do
      local value = Place { x = k }
      for _ = 1, 5 do
        world:set(e, value)
        world:spawn(value)
      end
      weak[value] = true
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 8, left .. " are left")
  end)

  it("is refused where it is wrong, however often", function()
    local world = ecs.world {}
    local value, e = Place { x = 1 }, world:spawn(Place)
    local dead = world:spawn()
    world:destroy(dead)
    for _ = 1, ROUNDS do
      refuses(function() world:spawn(value, Tag, value) end, "twice")
      refuses(function() world:spawn(value, "keep") end, "not a string")
      refuses(function() world:spawn("parts", value) end, "not a string")
      refuses(function() world:spawn("after") end, "not a string")
      refuses(function() world:spawn(value, nil) end, "not nil")
      refuses(function() world:spawn(value, 0 / 0) end, "not nan")
      refuses(function() world:spawn(value, { x = 1 }) end, "not a table")
      refuses(function() world:set(dead, value) end, "is not alive")
      refuses(function() world:add(dead, value) end, "is not alive")
      refuses(function() world:set(e, value, value) end, "once for each")
      refuses(function() world:get(e, value) end, "without fields")
      refuses(function() world:has(e, value) end, "without fields")
      refuses(function() world.spawn(value, Tag) end, "called with ':'")
      refuses(function() world.spawn() end, "called with ':'")
    end
    assert.equal(1, world:stats().entities)
    world:close()
    refuses(function() world:spawn(value) end, "closed")
    refuses(function() world:set(e, value) end, "closed")
    refuses(function() world:add(e, value) end, "closed")
  end)
end)

describe("a spawn", function()
  it("is the same in many shapes and worlds", function()
    local tags = {}
    for k = 1, 12 do tags[k] = ecs.tag("ShapeTag" .. k) end
    for seed = 1, 4 do
      local world, twin = ecs.world {}, ecs.world {}
      local roll = scene.dice(seed)
      for _ = 1, 400 do
        local parts, alike, seen = {}, {}, {}
        for _ = 1, roll(11) do
          local tag = tags[roll(#tags)]
          if not seen[tag] then
            seen[tag] = true
            parts[#parts + 1], alike[#alike + 1] = tag, tag
          end
        end
        local at = roll(#parts + 1)
        table.insert(parts, at, Place)
        table.insert(parts, at + 1, { x = at })
        table.insert(alike, at, Place { x = at })
        local unpack = table.unpack or unpack
        assert.equal(twin:spawn(unpack(alike)), world:spawn(unpack(parts)))
      end
      assert.equal(twin:hash(), world:hash())
    end
  end)
end)

describe("set of several fields", function()
  local world, e
  before_each(function()
    world = ecs.world {}
    e = world:spawn(Place)
  end)

  it("changes all of them", function()
    for k = 1, ROUNDS do
      world:set(e, Place, "x", k, "y", -k)
      world:set(e, Every, "v9", k % 2 == 0, "v10", e, "v8", k)
      assert.same({ x = k, y = -k }, world:get(e, Place))
      assert.equal(e, world:get(e, Every, "v10"))
      assert.equal(k, world:get(e, Every, "v8"))
      assert.equal(k % 2 == 0, world:get(e, Every, "v9"))
      world:set(e, Every, "v10", nil, "v1", 1, "v2", 2, "v3", 3, "v4", 4)
      assert.is_nil(world:get(e, Every, "v10"))
      assert.equal(4, world:get(e, Every, "v4"))
    end
  end)

  it("changes none where one is wrong", function()
    local before = world:hash()
    for _ = 1, ROUNDS do
      refuses(function() world:set(e, Place, "x", 1, "y", "2") end,
        "AccessPlace.y is f32")
      refuses(function() world:set(e, Place, "x", 1, "z", 2) end,
        "no field 'z'")
      refuses(function() world:set(e, Place, "x", 1, "x", 2) end,
        "set names AccessPlace.x twice")
      refuses(function() world:set(e, Place, "x", 1, "y") end,
        "set lacks the new y of AccessPlace")
      refuses(function() world:set(e, Far, "x", 1, "y", 1e300) end, "1e+300")
      refuses(function() world:set(e, Place { x = 1 }, "x", 1, "y", 2) end,
        "without fields")
    end
    assert.equal(before, world:hash())
  end)

  it("is one change for every match of a query", function()
    local query = world:query { with = { Place } }
    world:spawn(Place, Far)
    query:set(Place, "x", 4)
    query:set(Far, "x", 5, "y", 6)
    query:each(function(entity)
      assert.same({ x = 4, y = 7 }, world:get(entity, Place))
      assert.same({ x = 5, y = 6 }, world:get(entity, Far))
    end)
    refuses(function() query:set(Place, "x") end, "set lacks the new x")
    refuses(function() query:set(Place, "x", 1, "x", 1) end, "twice")
  end)
end)

describe("a finalizer", function()
  it("may change a table or close the world at any moment", function()
    for round = 1, 4 do
      local world, closed = ecs.world {}, 0
      local e, fields = world:spawn(Place), { x = 1, y = 2 }
      local function meddle()
        fields.x, fields.y = "wrong", nil
        fields[{}] = 1
        fields = { x = 1, y = 2 }
        if not pcall(world.spawn, world, Place, { x = 9 }, Far) then return end
        if closed == round * 5 then world:close() end
        closed = closed + 1
      end
      -- A table that changes while it is read may be refused.
      local function try(call, ...)
        local done, result = pcall(call, world, ...)
        if done then return result end
        if result:find("closed", 1, true) then error(result, 0) end
      end
      local ok, text = pcall(function()
        for k = 1, 4000 do
          if k % 40 == 0 then finalize(meddle) end
          try(world.set, e, Place, fields)
          world:set(e, Place, { x = 1, y = 2 })
          local other = try(world.spawn, Place, fields, Far, { x = k }, Tag)
          if other then world:destroy(other) end
          local x, y = world:get(e, Place, "x", "y")
          assert(x == 1 and y == 2)
          if k % 100 == 0 then collectgarbage() end
        end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("closed", 1, true), text)
    end
  end)
end)

