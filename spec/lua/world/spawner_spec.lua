-- spawner: a closure that spawns the same parts each time, with other values.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, finalize = support.refuses, support.finalize

local scene = dofile "spec/support/access_scene.lua"
local kinds, values, agree = scene.kinds, scene.values, scene.agree
local Every, Sparse, Place, Far = scene.Every, scene.Sparse, scene.Place,
  scene.Far
local Tag, SparseTag, BitTag = scene.Tag, scene.SparseTag, scene.BitTag

local unpack = table.unpack or unpack

-- Enough calls for LuaJIT to compile them.
local ROUNDS = 70

local world, twin
before_each(function() world, twin = ecs.world {}, ecs.world {} end)

--- What f raised, without its line.
local function reason(f, ...)
  local ok, text = pcall(f, ...)
  return not ok and (text:match "ecs: .*$" or text) or nil
end

--- Asserts that both worlds have the same entities with the same values.
local function same_worlds()
  assert.equal(twin:state_hash(), world:state_hash())
end

describe("a spawner", function()
  it("spawns what spawn does", function()
    local shoot = world:spawner(Place, "y", Far { y = 5 }, "x", Tag, SparseTag,
      BitTag, Every, { v1 = 3, v9 = true }, "v10", "v2")
    for k = 1, ROUNDS do
      local target = k % 3 > 0 and k or nil
      local a = shoot(k, -k, target, k / 3)
      local b = twin:spawn(Place { y = k }, Far { x = -k, y = 5 }, Tag,
        SparseTag, BitTag,
        Every { v1 = 3, v9 = true, v10 = target, v2 = k / 3 })
      assert.equal(b, a)
      same_worlds()
    end
  end)

  it("has any parts without arguments, and none at all", function()
    local nothing, tags, parts = world:spawner(), world:spawner(Tag, BitTag),
      world:spawner(Place { x = 3 }, Far, { y = 1 }, Sparse)
    for _ = 1, ROUNDS do
      assert.equal(twin:spawn(), nothing())
      assert.equal(twin:spawn(Tag, BitTag), tags())
      assert.equal(twin:spawn(Place { x = 3 }, Far { y = 1 }, Sparse), parts())
    end
    same_worlds()
  end)

  it("takes and refuses what values do, with the same words", function()
    for _, definition in ipairs { Every, Sparse } do
      for f = 1, #kinds do
        local name = "v" .. f
        local shoot = world:spawner(definition, name)
        for k = 0, #values do
          local value = values[k] -- nil, too
          local made, text = pcall(definition, { [name] = value })
          if value == nil then
            made = kinds[f] == "entity"
            text = reason(twin.set, twin, 0, definition, name, nil)
          end
          for _ = 1, 3 do
            local other = reason(shoot, value)
            agree(other == nil, made, name, tostring(value))
            if made then
              twin:spawn(definition { [name] = value })
            else
              agree(other, text:match "ecs: .*$", name)
            end
          end
          same_worlds()
        end
      end
    end
  end)

  it("wants a value for each argument", function()
    local shoot = world:spawner(Place, "x", Tag, Far, "y")
    local tag = world:spawner(Tag)
    for _ = 1, ROUNDS do
      refuses(function() shoot(1) end, "this spawner takes 2 arguments "
        .. "(AccessPlace.x, AccessFar.y), not 1")
      refuses(function() shoot(1, 2, 3) end, "2 arguments", "not 3")
      refuses(function() shoot(1, nil) end, "AccessFar.y is f32", "not nil")
      refuses(function() shoot("1", 2) end, "AccessPlace.x is f32")
      refuses(function() tag(1) end, "takes 0 arguments, not 1")
    end
    assert.equal(0, world:stats().entities)
    refuses(function() world:spawner(Place, "x")() end,
      "takes 1 argument (AccessPlace.x), not 0")
  end)

  it("refuses parts that make no sense", function()
    local refused = {
      { "spawner names AccessPlace twice", Place, Tag, Place { x = 1 } },
      { "spawner names AccessPlace.x twice", Place, "x", "y", "x" },
      { "spawner names AccessPlace.x twice", Place { x = 1 }, "x" },
      { "spawner names AccessPlace.x twice", Place, { x = 1 }, "x" },
      { "the table of AccessPlace stands behind", Place, "x", { y = 1 } },
      { "the table of AccessPlace stands behind", Place, {}, { y = 1 } },
      { "the table of AccessPlace stands behind", Place { x = 1 }, { y = 1 } },
      { "no field 'z'", Place, "z" },
      { "no field 'z'", Place, { z = 1 } },
      { "AccessPlace.x is f32", Place, { x = "1" } },
      { "AccessTag is a tag", Tag, "x" },
      { "AccessTag is a tag", Tag, {} },
      { "not a string", "x", Place },
      { "not 5", Place, 5 },
      { "not nil: is its variable defined?", Place, nil, Tag, count = 4 },
      { "write the component before the braces", { x = 1 }, Place },
      { "without braces", { Place, Tag } },
    }
    for _, case in ipairs(refused) do
      local count = case.count or #case
      refuses(function() world:spawner(unpack(case, 2, count)) end, case[1])
    end
    world:spawn(Place)
    for _, p in world:query({ Place }):rows() do
      refuses(function() world:spawner(Place, p) end, "not a row")
      refuses(function() world:spawner(p) end, "not a row")
    end
    refuses(function() world.spawner(Place, "x") end, "world:spawner")
  end)

  it("keeps no table", function()
    local fields = { x = 1 }
    local shoot = world:spawner(Place, fields, "y")
    fields.x, fields.z = 2, 3
    local e = shoot(5)
    assert.same({ x = 1, y = 5 }, world:get(e, Place))
    assert.same({ x = 2, z = 3 }, fields)
  end)

  it("spawns defaults where nothing is given, also after a wrong call",
    function()
      local shoot = world:spawner(Place, "x")
      for k = 1, ROUNDS do
        assert.is_false((pcall(shoot, "no")))
        assert.same({ x = k, y = 7 }, world:get(shoot(k), Place))
      end
    end)

  it("has many parts and many arguments", function()
    local parts, given, fields = {}, {}, {}
    for k = 1, 40 do fields["f" .. k] = "i16" end
    for k = 1, 5 do
      parts[#parts + 1] = ecs.component("SpawnerWide" .. k, fields)
      for f = 1, 40 do parts[#parts + 1] = "f" .. f end
    end
    for k = 1, 200 do given[k] = k end
    for k = 1, 50 do parts[#parts + 1] = ecs.tag("SpawnerTag" .. k) end
    local shoot = world:spawner(unpack(parts))
    for _ = 1, 5 do
      local e = shoot(unpack(given))
      assert.equal(55, #world:components(e))
      assert.equal(200, world:get(e, parts[1 + 4 * 41], "f40"))
    end
    -- 64 arguments: the most that LuaJIT compiles.
    local most = world:spawner(unpack(parts, 1, 41 + 25))
    for _ = 1, ROUNDS do
      local e = most(unpack(given, 1, 64))
      assert.equal(64, world:get(e, parts[42], "f24"))
    end
  end)
end)

describe("a spawner's world", function()
  it("is changed by the first call, and not before", function()
    local New = ecs.component("SpawnerNew", { x = "f32" })
    world:spawn(Place)
    local before = world:hash()
    local shoot = world:spawner(New, "x", Place)
    assert.equal(before, world:hash())
    refuses(function() shoot("x") end, "SpawnerNew.x is f32")
    refuses(function() shoot() end, "takes 1 argument")
    assert.equal(before, world:hash())
    assert.equal(4, world:get(shoot(4), New, "x"))
  end)

  it("records the spawn where something is open", function()
    world:spawn(Tag)
    local shoot = world:spawner(Place, "x", Far)
    local born = {}
    world:query({ Tag }):batch(function()
      for k = 1, ROUNDS do
        born[k] = shoot(k)
        assert.is_true(world:alive(born[k]))
        assert.is_false(world:has(born[k], Place))
      end
      local Late = ecs.component("SpawnerLate", { x = "f32" })
      local late = world:spawner(Late, "x")
      refuses(function() late(1) end, "SpawnerLate is new to this world")
    end)
    for k = 1, ROUNDS do
      assert.same({ x = k, y = 7 }, world:get(born[k], Place))
    end
    assert.equal(ROUNDS + 1, world:stats().entities)
  end)

  it("may be cleared and grouped anew", function()
    local shoot = world:spawner(Place, "x", Far, "y", Every, "v3")
    for round = 1, 6 do
      for k = 1, 30 do
        local e = shoot(k, -k, round)
        assert.equal(k, world:get(e, Place, "x"))
        assert.equal(-k, world:get(e, Far, "y"))
        assert.equal(round, world:get(e, Every, "v3"))
      end
      if round % 2 == 0 then world:clear() end
      if round == 3 then world:group { Place, Far } end
      if round == 5 then world:group { Far, Every } end
    end
  end)

  it("is kept by it, and refused once it is closed", function()
    for _ = 1, 20 do
      local closed = ecs.world {}
      local shoot, fresh = closed:spawner(Place, "x"), closed:spawner(Far)
      shoot(1)
      closed:close()
      for _ = 1, 3 do
        refuses(function() shoot(1) end, "closed")
        refuses(function() shoot("wrong") end, "closed")
        refuses(function() fresh() end, "closed")
      end
    end
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local kept = ecs.world {}
      weak[kept] = true
      local shoot = kept:spawner(Place, "x")
      kept = nil -- luacheck: ignore
      collectgarbage()
      assert.is_true(shoot(1) ~= shoot(2))
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 8, left .. " are left")
  end)

  it("may be closed by a finalizer", function()
    for round = 1, 8 do
      local ended = ecs.world {}
      local shoot = ended:spawner(Place, "x", "y", Far)
      local ok, text = pcall(function()
        for k = 1, 2000 do
          if k == round * 40 then
            finalize(function()
              shoot(9, 9)
              ended:close()
            end)
          end
          local x, y = ended:get(shoot(k, -k), Place, "x", "y")
          assert(x == k and y == -k)
          if k == round * 40 + 90 then collectgarbage() end
        end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("closed", 1, true), text)
    end
  end)

  -- The first call allocates.
  it("gets the values of the call, whatever a finalizer spawns", function()
    local met = 0
    local run, calm = support.at_allocations()
    finally(calm)
    local function spawn_at(n, k)
      local fresh = ecs.world {}
      local shoot = fresh:spawner(Place, "x", Sparse, "v2")
      local e, inside
      local count, ok, text = run(function(i)
        if i == n and pcall(shoot, -1, -2) and inside then met = met + 1 end
      end, function()
        inside = true
        e = shoot(k, k + 1)
        inside = false
      end)
      assert.is_true(ok, text)
      assert.equal(k, fresh:get(e, Place, "x"))
      assert.equal(k + 1, fresh:get(e, Sparse, "v2"))
      return count
    end
    for n = 1, spawn_at(nil, 1) do spawn_at(n, n) end
    assert.is_true(met > 0)
  end)
end)
