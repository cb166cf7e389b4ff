-- getter, setter and tester: closures that mean exactly the method get, set or
-- has. That they read what the long calls read, for every type and storage and
-- any number as entity, is in access_spec.lua and access_life_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses, finalize = support.refuses, support.finalize

local scene = dofile "spec/support/access_scene.lua"
local kinds, values, agree = scene.kinds, scene.values, scene.agree
local Every, Sparse, Place, Far = scene.Every, scene.Sparse, scene.Place,
  scene.Far
local Tag, BitTag = scene.Tag, scene.BitTag

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

describe("a setter", function()
  it("takes and refuses what set does, with the same words", function()
    for _, definition in ipairs { Every, Sparse } do
      local a, b = world:spawn(definition), twin:spawn(definition)
      for f = 1, #kinds do
        local name = "v" .. f
        local set = world:setter(definition, name)
        for k = 0, #values do
          local value = values[k] -- nil, too
          local text
          for _ = 1, 3 do text = reason(set, a, value) end
          agree(text, reason(twin.set, twin, b, definition, name, value), name,
            tostring(value))
          assert.equal(twin:state_hash(), world:state_hash())
        end
      end
    end
  end)

  it("sets all fields or none", function()
    for _, definition in ipairs { Every, Sparse } do
      local a, b = world:spawn(definition), twin:spawn(definition)
      local names, given = {}, {}
      for f = #kinds, 1, -1 do names[#names + 1] = "v" .. f end
      local set = world:setter(definition, unpack(names))
      for round = 1, ROUNDS do
        for k, name in ipairs(names) do
          given[k] = round % 5 + k
          if name == "v9" then given[k] = round % 2 == 0 end
          if name == "v10" and round % 3 == 0 then given[k] = nil end
        end
        set(a, unpack(given, 1, #names))
        for k, name in ipairs(names) do
          twin:set(b, definition, name, given[k])
        end
        assert.equal(twin:state_hash(), world:state_hash())
        local wrong = round % #names + 1
        given[wrong] = "wrong"
        refuses(function() set(a, unpack(given, 1, #names)) end,
          "." .. names[wrong] .. " is", "not a string")
        given[wrong] = 1e300
        if names[wrong] ~= "v2" then
          refuses(function() set(a, unpack(given, 1, #names)) end,
            "." .. names[wrong] .. " is")
        end
        assert.equal(twin:state_hash(), world:state_hash())
      end
    end
  end)

  it("adds the component where it is absent", function()
    local place, far = world:setter(Place, "x"), world:setter(Far, "y", "x")
    for k = 1, ROUNDS do
      local e = world:spawn()
      place(e, k)
      far(e, k, -k)
      assert.same({ x = k, y = 7 }, world:get(e, Place))
      assert.same({ x = -k, y = k }, world:get(e, Far))
    end
  end)

  it("is recorded where set is, and refused where set is", function()
    local place = world:setter(Place, "x", "y")
    local set_x, set_far = world:setter(Place, "x"), world:setter(Far, "x")
    local e, bare = world:spawn(Place, Far), world:spawn(Tag)
    world:query({ Tag }):batch(function()
      for _ = 1, ROUNDS do
        place(bare, 1, 2)
        assert.is_false(world:has(bare, Place))
        place(e, 3, 4)
        assert.equal(3, world:get(e, Place, "x"))
      end
    end)
    assert.same({ x = 1, y = 2 }, world:get(bare, Place))
    world:query({ Place, read = { Far } }):batch(function()
      for _ = 1, ROUNDS do
        local text = refuses(function() place(e, 1, 2) end)
        agree(text:match "ecs: .*$", reason(world.set, world, e, Place, "x", 1))
        refuses(function() set_x(e, 1) end, "set cannot reach AccessPlace")
        refuses(function() set_far(e, 1) end, "set cannot reach AccessFar")
      end
    end)
    assert.same({ x = 3, y = 4 }, world:get(e, Place))
  end)

  it("wants a value for each field", function()
    local e = world:spawn(Place, Every)
    local place, who = world:setter(Place, "x", "y"), world:setter(Every, "v10")
    for _ = 1, ROUNDS do
      refuses(function() place(e, 1) end, "lacks the new y of AccessPlace")
      refuses(function() place(e) end, "lacks the new x of AccessPlace")
      refuses(function() place() end, "lacks the new x")
      refuses(function() place(e, 1, nil) end, "not nil")
      refuses(function() place(e, 1, 1e300) end, "AccessPlace.y is f32")
      assert.same({ x = 0, y = 7 }, world:get(e, Place))
      refuses(function() place(e, 1, 2, 3) end,
        "this setter sets x, y of AccessPlace", "2 values, not 3")
      refuses(function() who(e) end, "lacks the new v10")
      refuses(function() who(e, nil, nil) end, "1 value, not 2")
      who(e, nil)
    end
    refuses(function() world:setter(Place) end, "setter names the fields",
      "world:setter(AccessPlace, 'x')")
    refuses(function() world:setter(Place, "x", "y", "x") end,
      "setter names AccessPlace.x twice")
    refuses(function() world:setter(Tag, "x") end, "AccessTag is a tag")
    refuses(function() world:setter(Tag) end, "AccessTag is a tag")
    refuses(function() world:setter(Place, "z") end, "no field 'z'")
    refuses(function() world:setter(Place, 1) end, "not by 1")
    refuses(function() world:setter(nil, "x") end, "not nil")
    refuses(function() world:setter(Place { x = 1 }, "x") end, "without fields")
  end)
end)

describe("a getter", function()
  it("returns as many values as it has fields", function()
    local e, bare = world:spawn(Place, Every), world:spawn()
    local x_of, all_of = world:getter(Place, "x"), world:getter(Place)
    local two, three = world:getter(Place, "x", "x"),
      world:getter(Every, "v10", "v9", "v10")
    local function count(...) return select("#", ...) end
    for _ = 1, ROUNDS do
      for _, entity in ipairs { e, bare, 0, 2 ^ 52 } do
        assert.equal(1, count(x_of(entity)))
        assert.equal(1, count(all_of(entity)))
        assert.equal(2, count(two(entity)))
        assert.equal(3, count(three(entity)))
      end
      assert.equal(2, count(two(nil)))
      assert.equal(1, count(x_of()))
      assert.is_false(rawequal(all_of(e), all_of(e)))
    end
  end)

  it("refuses what get refuses, with the same words", function()
    local e = world:spawn(Place)
    local x_of, xy_of = world:getter(Place, "x"), world:getter(Place, "x", "y")
    for _ = 1, ROUNDS do
      for _, entity in ipairs { "5", {}, print, true, Place, world } do
        local wanted = reason(world.get, world, entity, Place, "x")
        assert.is_string(wanted)
        agree(wanted, reason(x_of, entity))
        agree(wanted, reason(xy_of, entity))
      end
      refuses(function() x_of(e, "y") end, "a getter takes one entity")
      refuses(function() xy_of(e, nil) end, "a getter takes one entity")
    end
    world:query({ Place }):batch(function()
      for _ = 1, ROUNDS do
        agree(reason(world.get, world, e, Place, "x"), reason(x_of, e))
        refuses(function() xy_of(e) end, "get cannot reach AccessPlace")
      end
    end)
    refuses(function() world:getter(Tag) end, "AccessTag is a tag",
      "world:tester(AccessTag)")
    refuses(function() world:getter(Place, "z") end, "no field 'z'")
    refuses(function() world:getter() end, "not nothing")
    refuses(function() world.getter(Place, "x") end, "world:getter")
  end)

  it("has up to 64 fields, of any names", function()
    local fields, names, given = {}, {}, {}
    for k = 1, 64 do
      names[k] = k == 7 and "end" or k == 8 and '"]] %d' or "f" .. k
      fields[names[k]] = kinds[k % 8 + 1]
      given[k] = k
    end
    local Wide = ecs.component("PreparedWide", fields)
    local e = world:spawn(Wide)
    local get, set = world:getter(Wide, unpack(names)),
      world:setter(Wide, unpack(names))
    local table_of = world:getter(Wide)
    for round = 1, ROUNDS do
      given[round % 64 + 1] = round
      set(e, unpack(given))
      assert.same(given, { get(e) })
      local copy = table_of(e)
      for k, name in ipairs(names) do assert.equal(given[k], copy[name]) end
    end
    names[65] = "f1"
    refuses(function() world:getter(Wide, unpack(names)) end, "64 fields")
    refuses(function() world:setter(Wide, unpack(names)) end, "64 fields")
  end)
end)

describe("a tester", function()
  it("refuses what has refuses, with the same words", function()
    local e = world:spawn(Place, BitTag)
    local is, are, alive = world:tester(Place), world:tester(Place, BitTag),
      world:tester()
    for _ = 1, ROUNDS do
      assert.is_true(is(e) and are(e) and alive(e))
      assert.is_false(is() or are(nil) or alive(0))
      agree(reason(world.has, world, "5", Place), reason(is, "5"))
      agree(reason(world.has, world, "5", Place), reason(are, "5"))
      agree(reason(world.has, world, "5"), reason(alive, "5"))
      refuses(function() is(e, e) end, "a tester takes one entity")
      refuses(function() alive(e, nil) end, "a tester takes one entity")
    end
    refuses(function() world:tester(Place, 5) end, "not 5")
    refuses(function() world:tester("Place") end, "not a string")
    refuses(function() world:tester(Place {}) end, "without fields")
  end)

  it("takes many components", function()
    local list = {}
    for k = 1, 120 do list[k] = ecs.tag("PreparedTag" .. k) end
    local e, all = world:spawn(unpack(list)), world:tester(unpack(list))
    for _ = 1, ROUNDS do assert.is_true(all(e)) end
    world:remove(e, list[100])
    for _ = 1, ROUNDS do assert.is_false(all(e)) end
  end)
end)

describe("a component that the world does not know", function()
  it("is left unknown, and found later", function()
    local New = ecs.component("PreparedNew", { x = "f32", y = "u8" })
    local e = world:spawn(Place)
    local before = world:hash()
    local get, set, is = world:getter(New, "x"), world:setter(New, "x", "y"),
      world:tester(Place, New)
    local table_of, two = world:getter(New), world:getter(New, "x", "y")
    for _ = 1, ROUNDS do
      assert.is_nil(get(e))
      assert.is_nil(table_of(e))
      assert.equal(2, select("#", two(e)))
      assert.is_false(is(e))
    end
    assert.equal(before, world:hash())
    for k = 1, ROUNDS do
      set(e, k, 2)
      assert.is_true(is(e) and get(e) == k and table_of(e).y == 2)
    end
  end)

  it("is refused inside a callback, where set refuses it", function()
    world:spawn(Tag)
    local e = world:spawn()
    world:query({ Tag }):batch(function()
      local New = ecs.component("PreparedLate", { x = "f32" })
      local set = world:setter(New, "x")
      agree(reason(world.set, world, e, New, "x", 1), reason(set, e, 1))
      refuses(function() set(e, 1) end, "PreparedLate is new to this world")
    end)
  end)
end)

describe("a compiled function", function()
  local Aim = ecs.component("PreparedAim", { who = "entity", sum = "f32" })

  --- A chain of entities, each of which aims at the one before.
  local function fill(of)
    local last
    for k = 1, 40 do
      last = of:spawn(Aim { who = last })
      if k % 3 > 0 then of:set(last, Place, "x", k) end
      if k % 4 > 0 then of:add(last, Tag) end
      if k % 5 > 0 then of:set(last, Far, "y", -k) end
      if k % 17 == 0 then of:destroy(last) end
    end
  end

  it("computes what the closures return", function()
    for k, of in ipairs { world, twin } do
      fill(of)
      local x_of, xy_of = of:getter(Place, "x"), of:getter(Far, "y", "x")
      local is, both, alive = of:tester(Tag), of:tester(Place, Far), of:tester()
      of:system { name = "s", query = { Aim }, compile = k == 1,
        each = function(aim, _, e)
          local y, x = xy_of(aim.who)
          if y then aim.sum = aim.sum + y + 2 * x end
          if is(aim.who) then aim.sum = aim.sum + (x_of(aim.who) or 100) end
          if both(e) and alive(aim.who) then aim.sum = aim.sum + 1000 end
        end }
      of:progress(1)
      of:progress(1)
    end
    assert.equal(twin:state_hash(), world:state_hash())
  end)

  it("refuses those of another world", function()
    local x_of = twin:getter(Place, "x")
    refuses(function()
      world:system { name = "s", query = { Aim }, compile = true,
        each = function(aim) aim.sum = x_of(aim.who) or 0 end }
    end, "a getter of another world", "make it of the system's world")
  end)
end)

describe("a prepared closure", function()
  local function make(of)
    return of:getter(Place, "x"), of:setter(Place, "x"), of:tester(Place),
      of:getter(Place, "x", "y"), of:setter(Place, "x", "y"),
      of:tester(Place, Far), of:getter(Place), of:tester()
  end

  it("is refused once its world is closed", function()
    for _ = 1, ROUNDS do
      local closed = ecs.world {}
      local e = closed:spawn(Place)
      local closures, given = { make(closed) }, { [2] = { 1 }, [5] = { 1, 2 } }
      for k, f in ipairs(closures) do f(e, unpack(given[k] or {})) end
      closed:close()
      for k, f in ipairs(closures) do
        refuses(function() f(e, unpack(given[k] or {})) end, "closed")
      end
      refuses(function() closed:getter(Place, "x") end, "closed")
      refuses(function() closed:setter(Place, "x") end, "closed")
      refuses(function() closed:tester() end, "closed")
    end
  end)

  it("keeps its world, and goes with it", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local kept = ecs.world {}
      weak[kept] = true
      local e = kept:spawn(Place { x = 5 })
      local list = { make(kept) }
      kept = nil -- luacheck: ignore
      collectgarbage()
      for _ = 1, 5 do assert.equal(5, list[1](e)) end
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 10, left .. " are left")
  end)

  it("follows growth, moves, other groups and clear", function()
    local x_of, set_x = world:getter(Place, "x"), world:setter(Place, "x")
    local is_far = world:tester(Far, Place)
    local entities = {}
    for k = 1, 600 do
      entities[k] = world:spawn(Place, Far)
      set_x(entities[k], k)
      if k % 3 == 0 then world:add(entities[k], BitTag) end
      if k % 5 == 0 then world:remove(entities[k], Far) end
      if k == 200 then world:group { Place, Far } end
      if k == 400 then world:group { Far, Every } end
      local at = k * 7 % k + 1
      assert.equal(at, x_of(entities[at]))
      assert.equal(at % 5 ~= 0, is_far(entities[at]))
    end
    world:clear()
    for k = 1, 600 do assert.is_nil(x_of(entities[k])) end
  end)

  it("meets a finalizer that closes the world", function()
    for round = 1, 10 do
      local ended = ecs.world {}
      local e = ended:spawn(Place { x = 3, y = 4 }, Far)
      local xy_of, place, is, copy = ended:getter(Place, "x", "y"),
        ended:setter(Place, "x", "y"), ended:tester(Place, Far),
        ended:getter(Place)
      local ok, text = pcall(function()
        for k = 1, 2000 do
          if k == round * 40 then finalize(function() ended:close() end) end
          local x, y = xy_of(e)
          assert(x == 3 and y == 4 and copy(e).x == 3 and is(e))
          place(e, 3, 4)
          if k == round * 40 + 90 then collectgarbage() end
        end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("closed", 1, true), text)
    end
  end)

  it("is of no other world", function()
    local e = world:spawn(Place { x = 1 })
    local other = twin:spawn(Place { x = 2 })
    for _ = 1, 5 do twin:spawn(Place) end
    local mine, theirs = world:getter(Place, "x"), twin:getter(Place, "x")
    for _ = 1, ROUNDS do assert.equal(3, mine(e) + theirs(other)) end
  end)

  it("does not use functions that a script has replaced", function()
    local e = world:spawn(Place { x = 2 })
    local x_of, place = world:getter(Place, "x"), world:setter(Place, "x", "y")
    local kept = { select = select, type = type }
    _G.select, _G.type = error, error -- luacheck: ignore
    local ok, x = pcall(function()
      place(e, 3, 4)
      return x_of(e)
    end)
    _G.select, _G.type = kept.select, kept.type -- luacheck: ignore
    assert.is_true(ok)
    assert.equal(3, x)
  end)

  -- What a world's systems refer to is kept by the world, prepared closures of
  -- this world among it. A trace of LuaJIT keeps the functions that it was
  -- compiled for, so some worlds stay as long as it does.
  it("keeps no world that nothing else refers to", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 40 do
      local fresh = ecs.world {}
      weak[fresh] = true
      local e = fresh:spawn(Place, { x = 1 })
      local get, place = fresh:getter(Place, "x"), fresh:setter(Place, "x")
      local has, shoot = fresh:tester(Place), fresh:spawner(Place, "x")
      fresh:system { name = "s", run = function()
        if has(e) then place(e, get(e) + 1) end
        shoot(2)
      end }
      for _ = 1, 3 do fresh:progress(1) end
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 10, left .. " are left")
  end)
end)
