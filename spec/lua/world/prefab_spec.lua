-- ecs.prefab: what is spawned from one call, with its children. The oracle is
-- the same spawned by hand.

local ecs = require "ecs"

local Place = ecs.component("PrefabPlace", { x = "f32", y = { "f32", 2 } })
local Health = ecs.component("PrefabHealth",
  { hp = { "i32", 100 }, most = { "i32", 100 } })
local Far = ecs.component("PrefabFar", { v = "f64", on = "bool" },
  { storage = "sparse" })
local Tag = ecs.tag "PrefabTag"
local Lit = ecs.tag("PrefabLit", { storage = "bits" })
local Aims = ecs.component("PrefabAims",
  { at = { "entity", link = "clear" }, mark = "entity" })
local Needy = ecs.component("PrefabNeedy", { k = "u8" },
  { needs = { Place, Lit } })
local ChildOf = ecs.ChildOf

local world
before_each(function() world = ecs.world {} end)

local function fails(text, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.truthy(message:find(text, 1, true), message)
  return message
end

local count = 0
local function prefab(parts)
  count = count + 1
  return ecs.prefab("P" .. count, parts)
end

local function children(e)
  local list = {}
  for child in world:children(e) do list[#list + 1] = child end
  return list
end

--- What an entity has, and its children: { [component] = fields or true,
-- children ... }.
local function read(e)
  local list = {}
  for _, c in ipairs(world:components(e)) do
    if c ~= ChildOf then
      list[c.name] = #c.fields > 0 and world:get(e, c) or true
    end
  end
  for k, child in ipairs(children(e)) do list[k] = read(child) end
  return list
end

describe("the fields of a spawn from a prefab", function()
  local Humanoid = prefab { Health { hp = 70, most = 90 }, Place, { y = 5 } }
  local Orc = prefab { base = Humanoid, Health { hp = 50 }, Tag }
  local Chief = prefab { base = Orc, Place { x = 1 }, Health { most = 300 } }

  it("are those of the call, the prefab, its bases, and defaults", function()
    assert.same({ PrefabHealth = { hp = 70, most = 90 },
                  PrefabPlace = { x = 0, y = 5 } }, read(world:spawn(Humanoid)))
    assert.same({ PrefabHealth = { hp = 50, most = 90 }, PrefabTag = true,
                  PrefabPlace = { x = 0, y = 5 } }, read(world:spawn(Orc)))
    assert.same({ PrefabHealth = { hp = 50, most = 300 }, PrefabTag = true,
                  PrefabPlace = { x = 1, y = 5 } }, read(world:spawn(Chief)))
    assert.same({ PrefabHealth = { hp = 50, most = 1 }, PrefabTag = true,
                  PrefabPlace = { x = 3, y = 5 }, PrefabLit = true },
      read(world:spawn(Chief, Place { x = 3 }, Health, { most = 1 }, Lit)))
    assert.same(read(world:spawn(Chief)),
      read(world:spawn(Place, Chief, Health)))
  end)

  it("may be set to what the default is", function()
    local e = world:spawn(Health { hp = 100 }, Chief, Place { x = 0, y = 2 })
    assert.same({ PrefabHealth = { hp = 100, most = 300 }, PrefabTag = true,
                  PrefabPlace = { x = 0, y = 2 } }, read(e))
  end)

  it("are copied: nothing is shared", function()
    local value = Place { x = 8 }
    local fields = { hp = 1 }
    local parts = { value, Health, fields }
    local Own = prefab(parts)
    parts[1], fields.hp = nil, 2
    local a, b = world:spawn(Own), world:spawn(Own)
    world:set(a, Place, "x", 9)
    world:remove(a, Health)
    local expected = { PrefabHealth = { hp = 1, most = 100 },
                       PrefabPlace = { x = 8, y = 2 } }
    assert.same(expected, read(b))
    assert.same(expected, read(world:spawn(Own)))
    assert.same(expected, read(ecs.world {} and world:spawn(Own)))
  end)

  it("may be of every storage, and of many parts", function()
    local parts, by_hand = {}, {}
    for k = 1, 45 do
      local C = ecs.component("PrefabMany" .. k, { v = "i32", w = "i32" })
      parts[k], by_hand[k] = C { v = k }, C { v = k, w = 100 + k }
    end
    parts[46], by_hand[46] = Far { v = 0.1 }, Far { v = 0.1 }
    parts[47], by_hand[47] = Lit, Lit
    local Many = prefab(parts)
    local over = {}
    for k = 1, 45 do
      over[k] = ecs.component("PrefabMany" .. k) { w = 100 + k }
    end
    over[46] = Many
    assert.same(read(world:spawn((table.unpack or unpack)(by_hand))),
      read(world:spawn((table.unpack or unpack)(over))))
  end)

  it("bring what components need", function()
    local Wanting = prefab { Needy { k = 4 }, Place { x = 6 } }
    assert.same({ PrefabNeedy = { k = 4 }, PrefabPlace = { x = 6, y = 2 },
                  PrefabLit = true }, read(world:spawn(Wanting)))
  end)
end)

describe("children of a prefab", function()
  local Sword = prefab { Tag, Place { y = 1 } }
  local Arm = prefab { Health { hp = 5 }, children = { { base = Sword },
                                                       { Lit } } }
  local Orc = prefab { Health { hp = 50 }, Far, children = {
    { Sword, Place { x = 1 } },
    { base = Arm, Tag, children = { { Place { x = 9 } } } },
    {},
  } }

  --- The same as an Orc, by hand, member by member.
  local function by_hand(n, ...)
    local e, sword, arm, held, lit, extra, none = {}, {}, {}, {}, {}, {}, {}
    local function each(list, f) for k = 1, n do list[k] = f(k) end end
    local more = { ... }
    each(e, function()
      return world:spawn(Health { hp = 50 }, Far,
        (table.unpack or unpack)(more))
    end)
    each(sword, function(k)
      return world:spawn(Place { x = 1, y = 1 }, Tag,
        ChildOf { parent = e[k] })
    end)
    each(arm, function(k)
      return world:spawn(Tag, Health { hp = 5 }, ChildOf { parent = e[k] })
    end)
    each(held, function(k)
      return world:spawn(Tag, Place { y = 1 }, ChildOf { parent = arm[k] })
    end)
    each(lit, function(k)
      return world:spawn(Lit, ChildOf { parent = arm[k] })
    end)
    each(extra, function(k)
      return world:spawn(Place { x = 9 }, ChildOf { parent = arm[k] })
    end)
    each(none, function(k) return world:spawn(ChildOf { parent = e[k] }) end)
    return e[1]
  end

  it("are spawned with it, as by hand", function()
    local e = world:spawn(Orc, Place { x = 3 })
    local got, hash = read(e), world:state_hash()
    assert.same({
      PrefabHealth = { hp = 50, most = 100 }, PrefabPlace = { x = 3, y = 2 },
      PrefabFar = { v = 0, on = false },
      { PrefabTag = true, PrefabPlace = { x = 1, y = 1 } },
      { PrefabTag = true, PrefabHealth = { hp = 5, most = 100 },
        { PrefabTag = true, PrefabPlace = { x = 0, y = 1 } },
        { PrefabLit = true }, { PrefabPlace = { x = 9, y = 2 } } },
      {},
    }, got)
    assert.equal(7, world:stats().entities)
    world = ecs.world {}
    assert.same(got, read(by_hand(1, Place { x = 3 })))
    assert.equal(hash, world:state_hash())
  end)

  it("die with it", function()
    local e = world:spawn(Orc)
    world:spawn(Orc)
    world:destroy(e)
    assert.equal(7, world:stats().entities)
    world:destroy(world:query({ with = { Far } }):first() or 0)
    assert.equal(0, world:stats().entities)
  end)

  it("are spawned in callbacks, recorded", function()
    local twin = ecs.world {}
    local seed = world:spawn(Lit)
    twin:spawn(Lit)
    local e
    world:query({ with = { Lit } }):each(function()
      e = world:spawn(Orc, Place { x = 3 })
      assert.is_true(world:alive(e))
      assert.same({}, world:components(e))
      assert.equal(0, #children(e))
    end)
    assert.equal(8, world:stats().entities)
    twin:spawn(Orc, Place { x = 3 })
    assert.equal(twin:state_hash(), world:state_hash())
    pcall(function()
      world:query({ with = { Lit } }):each(function()
        world:spawn(Orc)
        error "stop"
      end)
    end)
    assert.equal(8, world:stats().entities)
    world:query({ with = { Lit } }):each(function(f)
      if f == seed then world:destroy(world:spawn(Orc)) end
    end)
    assert.equal(8, world:stats().entities)
  end)

  it("are told to observers, behind their parent", function()
    local told = {}
    world:on("add", Tag, function(e)
      told[#told + 1] = world:parent(e)
    end)
    world:on("add", Health, function(e, row)
      told[#told + 1] = row.hp
      assert.is_true(#children(e) > 0)
    end)
    local e = world:spawn(Orc)
    local arm = children(e)[2]
    assert.same({ 50, e, e, 5, arm }, told)
  end)

  it("are spawned by observers", function()
    world:on("add", Lit, function()
      if world:stats().entities < 20 then world:spawn(Orc) end
    end)
    world:spawn(Lit)
    assert.equal(22, world:stats().entities)
  end)

  it("are spawned many at once, as by hand", function()
    for _, n in ipairs { 0, 1, 2, 100 } do
      world = ecs.world {}
      world:spawn_many(n, { Orc, Place { x = 3 } })
      local hash, entities = world:state_hash(), world:stats().entities
      assert.equal(7 * n, entities)
      world = ecs.world {}
      by_hand(n, Place { x = 3 })
      assert.equal(world:state_hash(), hash)
    end
  end)

  it("are spawned many at once with a function for the parents", function()
    for _, recorded in ipairs { false, true } do
      world = ecs.world {}
      world:spawn(Lit)
      local function spawn()
        local n = 0
        world:spawn_many(5, { Orc, Place { y = 7 } }, function(batch)
          for i = 1, batch.count do
            n = n + 1
            assert.equal(50, batch[Health].hp[i])
            assert.equal(7, batch[Place].y[i])
            batch[Place].x[i] = n
          end
        end)
      end
      if recorded then
        world:query({ with = { Lit }, without = { ChildOf } }):each(spawn)
      else
        spawn()
      end
      assert.equal(36, world:stats().entities)
      local seen = 0
      for e, place in world:query({ Place, with = { Far } }):rows() do
        seen = seen + place.x
        assert.equal(7, place.y)
        local below = read(e)
        below.PrefabPlace = nil
        local first = read(world:spawn(Orc))
        assert.same(first, below)
      end
      assert.equal(15, seen)
    end
  end)

  it("stay where the function fails, which may be given nothing", function()
    fails("stop", function()
      world:spawn_many(3, { Orc }, function() error "stop" end)
    end)
    assert.equal(21, world:stats().entities)
    world:spawn_many(2, { Orc }, function(batch)
      for i = 1, batch.count do world:destroy(batch.entities[i]) end
    end)
    assert.equal(21, world:stats().entities)
  end)

  it("get the handle of spawn_as", function()
    assert.equal(1000, world:spawn_as(1000, Orc, Lit))
    assert.equal(3, #children(1000))
    local same, why = world:spawn_as(1000, Orc)
    assert.is_nil(same)
    assert.equal("the entity is alive", why)
    assert.equal(7, world:stats().entities)
    world:query({ with = { Tag } }):each(function(e)
      if world:alive(2000) then return end
      assert.equal(2000, world:spawn_as(2000, Orc))
      return e
    end)
    assert.equal(3, #children(2000))
  end)

  it("find room that was reserved", function()
    world:reserve(100, { Orc })
    local before = world:stats().bytes
    world:spawn_many(100, { Orc })
    assert.equal(before, world:stats().bytes)
  end)

  it("may have the parent below another entity", function()
    local root = world:spawn()
    local e = world:spawn(Orc, ChildOf { parent = root })
    assert.equal(root, world:parent(e))
    world:spawn_many(3, { ChildOf { parent = root }, Orc })
    assert.equal(4, #children(root))
    world:destroy(root)
    assert.equal(0, world:stats().entities)
  end)

  it("are cloned", function()
    local e = world:spawn(Orc)
    assert.same(read(e), read(world:clone(e)))
  end)

  it("may be 32 deep and 1024 in all", function()
    local parts = { Place { x = 32 } }
    for k = 31, 0, -1 do
      parts = { Place { x = k }, children = { parts } }
    end
    local e, depth = world:spawn(prefab(parts)), 0
    while e do
      assert.equal(depth, world:get(e, Place, "x"))
      e, depth = children(e)[1], depth + 1
    end
    assert.equal(33, depth)
    parts = { children = { parts } }
    fails("children inside of children more than 32 deep", prefab, parts)
    local list = {}
    for k = 1, 1023 do list[k] = { Place { x = k } } end
    local Wide = prefab { children = list }
    world = ecs.world {}
    world:spawn(Wide)
    world:spawn_many(2, { Wide })
    assert.equal(3 * 1024, world:stats().entities)
    list[1024] = {}
    fails("1024 entities are the most", prefab, { children = list })
    fails("1024 entities are the most", prefab,
      { children = { { base = Wide } } })
  end)

  it("that link to the dead are refused, with all of it", function()
    local aim, dead = world:spawn(), world:spawn()
    world:destroy(dead)
    local Bad = prefab { Tag, children = { { Aims { at = dead } } } }
    local Good = prefab { Aims { at = aim }, children = {
      { Aims { at = aim, mark = dead } } } }
    local hash = world:hash()
    fails("nothing can link to it", function() world:spawn(Bad) end)
    fails("nothing can link to it", function() world:spawn_many(3, { Bad }) end)
    fails("nothing can link to it", function()
      world:spawn_many(3, { Bad }, function() end)
    end)
    fails("nothing can link to it", function() world:spawn_as(900, Bad) end)
    fails("nothing can link to it", function()
      world:spawn(Good, Aims { at = dead })
    end)
    assert.equal(1, world:stats().entities)
    assert.is_false(world:alive(900))
    world:spawn(Good)
    world:spawn_many(2, { Good })
    world:spawn_many(2, { Good }, function() end)
    assert.equal(10, world:link_count(aim, Aims, "at"))
    assert.is_string(tostring(hash))
  end)
end)

describe("a prefab", function()
  it("has a name, and is the same when it is defined again", function()
    local A = ecs.prefab("PrefabAgain", { Tag, Health { hp = 1 } })
    assert.equal("PrefabAgain", A.name)
    assert.equal("PrefabAgain", tostring(A))
    assert.equal(A, ecs.prefab "PrefabAgain")
    assert.equal(A, ecs.prefab("PrefabAgain", { Health, { hp = 1 }, Tag }))
    local B = prefab { base = A, children = { { A }, { Lit } } }
    assert.equal(B, ecs.prefab(B.name,
      { A, children = { { base = A }, { Lit } } }))
    for _, parts in ipairs {
      { Tag }, { Tag, Health }, { Tag, Health { hp = 2 } }, {},
      { Tag, Health { hp = 1, most = 100 } }, { Tag, Health { hp = 1 }, Lit },
      { Tag, Health { hp = 1 }, children = { {} } },
    } do
      fails("PrefabAgain is already defined, with other parts", ecs.prefab,
        "PrefabAgain", parts)
    end
    fails("no prefab is called PrefabNone yet", ecs.prefab, "PrefabNone")
    ecs.tag "PrefabAgain" -- names of components are others
  end)

  it("is no component", function()
    local A = prefab { Tag }
    local e = world:spawn(A)
    for _, f in ipairs {
      function() world:add(e, A) end, function() world:set(e, A) end,
      function() world:get(e, A) end, function() world:has(e, A) end,
      function() world:remove(e, A) end,
      function() world:replace(e, Tag, A) end,
      function() ecs.tag("PrefabX", { needs = { A } }) end,
      function() world:on("add", A, function() end) end,
    } do
      fails("a prefab", f)
    end
    fails("not a ecs.Prefab", function() world:query { A } end)
    fails("resource takes a component", function() world:resource(A) end)
    fails("emit takes an event", function() world:emit(A) end)
    fails("takes no fields", function() return A { hp = 1 } end)
    fails("takes no fields", function() world:spawn(A, { hp = 1 }) end)
    fails("takes no fields", function() world:spawn(Place, A, { x = 1 }) end)
    fails("only the name can be read", function() return A.parts end)
    fails("cannot be changed", function() A.name = "x" end)
    assert.equal(1, world:stats().entities)
  end)

  it("is refused for wrong input, at the line of the caller", function()
    local A, B = prefab { Tag }, prefab { Tag }
    local deep = {}
    deep.children = { deep }
    local function refused(text, parts)
      local message = fails(text, function()
        local made = ecs.prefab("PrefabBad", parts)
        return made
      end)
      assert.truthy(message:find("prefab_spec", 1, true), message)
    end
    refused("prefab PrefabBad names PrefabTag twice", { Tag, Tag })
    refused("names PrefabHealth twice", { Health, {}, Health { hp = 2 } })
    refused("has no option 'bass' (there are base, children)", { bass = A })
    refused("has no option 'hp'", { Health, hp = 3 })
    refused("base is a prefab, not the component PrefabTag", { base = Tag })
    refused("base is a prefab, not a table", { base = {} })
    refused("base is a prefab, not a string", { base = "A" })
    refused("is based on " .. A.name .. " and on " .. B.name,
      { base = A, B })
    refused("is based on", { A, B })
    refused("entry 2 is nil", { Tag, nil, Lit })
    refused("entry 1 is nil", { [3] = Tag })
    refused("PrefabHealth has no field 'hq'", { Health, { hq = 1 } })
    refused("PrefabHealth.hp is i32", { Health, { hp = 1.5 } })
    refused("takes a component, a tag or a value", { 5 })
    refused("takes a component, a tag or a value", { "PrefabTag" })
    refused("a table of fields stands behind its component", { {} })
    refused("a table of fields stands behind its component",
      { Health { hp = 1 }, { hp = 2 } })
    refused("a table of fields stands behind its component", { A, {} })
    refused("is a tag", { Tag, {} })
    refused("is no entry of a list", { [1.5] = Tag })
    refused("is no entry of a list", { [true] = Tag })
    refused("children is a list", { children = Tag })
    refused("children is a list", { children = { Tag } })
    refused("children is a list", { children = { A } })
    refused("children is a list", { children = { x = {} } })
    refused("children is a list", { children = true })
    refused("a child has its parent from its place",
      { children = { { ChildOf } } })
    refused("has a parent of its own", { children = {
      { prefab { ChildOf } } } })
    refused("children inside of children more than 32 deep", deep)
    refused("takes one table of parts", Tag)
    refused("takes one table of parts", world)
    refused("takes one table of parts", nil)
    fails("takes one table of parts", ecs.prefab, "PrefabBad", {}, {})
    fails("the name of a prefab is a string, not a table", ecs.prefab, { Tag })
    fails("the name of a prefab is a string, not nothing", ecs.prefab)
    fails("1 to 255 bytes", ecs.prefab, "", {})
    fails("1 to 255 bytes", ecs.prefab, ("x"):rep(256), {})
    fails("1 to 255 bytes", ecs.prefab, "a\nb", {})
    fails("no prefab is called PrefabBad yet", ecs.prefab, "PrefabBad")
    assert.equal(0, world:stats().entities)
  end)

  it("is given once to a spawn", function()
    local A, B = prefab { Tag }, prefab { Tag }
    fails("spawn names " .. A.name .. " twice", function()
      world:spawn(A, A)
    end)
    fails("spawn takes one prefab, not", function() world:spawn(A, B) end)
    fails("spawn names PrefabTag twice", function()
      world:spawn(A, Tag, Tag)
    end)
    fails("spawn_many takes one prefab", function()
      world:spawn_many(2, { A, B })
    end)
    fails("spawn_many takes a list of parts", function()
      world:spawn_many(2, A)
    end)
    assert.equal(0, world:stats().entities)
  end)

  it("is a part of a spawner, of which arguments override it", function()
    local A = prefab { Health { hp = 7 }, Place { x = 1, y = 5 }, Tag }
    local B = prefab { base = A, children = { { Lit }, { Place { x = 9 } } } }
    for _, P in ipairs { A, B } do
      local shoot = world:spawner(Far, "on", P, Place { y = 6 }, "x", Lit)
      for k = 1, 3 do
        local e = shoot(k % 2 == 0, k)
        local expected = read(world:spawn(P, Far { on = k % 2 == 0 }, Lit,
          Place { x = k, y = 6 }))
        assert.same(expected, read(e))
        assert.equal(6, world:get(e, Place, "y"))
        assert.equal(P == B and 2 or 0, #children(e))
      end
      fails("PrefabPlace.x is f32", shoot, true, "x")
      fails("this spawner takes 2 arguments (PrefabFar.on, PrefabPlace.x)",
        shoot, true)
      local plain = world:spawner(P)
      assert.same(read(world:spawn(P)), read(plain()))
    end
    local entities = world:stats().entities
    world:query({ with = { Far }, without = { ChildOf } }):each(function(e)
      if e == world:query({ with = { Far } }):first() then
        world:spawner(B, Health, "hp")(3)
      end
    end)
    assert.equal(entities + 3, world:stats().entities)
    fails("spawner names " .. A.name .. " twice", function()
      world:spawner(A, A)
    end)
    fails("spawner takes one prefab", function() world:spawner(A, B) end)
    fails("takes no fields", function() world:spawner(A, "hp") end)
    fails("takes no fields", function() world:spawner(A, { hp = 1 }) end)
    fails("names PrefabTag twice", function() world:spawner(A, Tag, Tag) end)
    fails("names PrefabPlace.x twice", function()
      world:spawner(A, Place, "x", "x")
    end)
  end)

  it("serves several worlds, also one that is closed", function()
    local A = prefab { Tag, children = { { Lit } } }
    local other = ecs.world {}
    world:spawn(A)
    other:spawn(A)
    other:spawn(A)
    other:close()
    fails("closed", function() other:spawn(A) end)
    world:spawn(A)
    world:clear()
    world:spawn(A)
    assert.equal(2, world:stats().entities)
  end)
end)
