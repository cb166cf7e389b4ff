-- Links: entity fields that know what links to an entity, and what happens when
-- it dies.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Orbits = ecs.component("LinkOrbits", {
  around = { "entity", link = "clear" }, speed = { "f32", 1 },
})
local Docked = ecs.component("LinkDocked",
  { at = { "entity", link = "remove" } }, { storage = "sparse" })
local Owned = ecs.component("LinkOwned",
  { by = { "entity", link = "destroy" } })
local Pair = ecs.component("LinkPair", {
  a = { "entity", link = "clear", tree = true },
  b = { "entity", link = "destroy" }, c = "entity",
})
local Held = ecs.component("LinkHeld",
  { by = { "entity", link = "remove" }, since = "f32" })
local Other, Enemy = ecs.component("LinkOther", { x = "f32" }),
  ecs.tag "LinkEnemy"
local Here = ecs.tag "LinkHere"

local world
before_each(function() world = ecs.world {} end)

--- Calls f once in a callback, where changes are recorded.
local function inside(f)
  local here = world:spawn(Here)
  world:query { with = { Here } }:each(function() f() end)
  world:destroy(here)
end

--- What a loop gives, as a list.
local function list(...)
  local found = {}
  for e in ... do found[#found + 1] = e end
  return found
end

local function links(target, component, field)
  return list(world:links(target, component, field))
end

describe("the field of a component", function()
  it("says that it is a link", function()
    assert.same({
      { name = "a", type = "entity", link = "clear", tree = true },
      { name = "b", type = "entity", link = "destroy", tree = false },
      { name = "c", type = "entity" },
    }, Pair.fields)
  end)

  it("is refused where it says it wrongly", function()
    local count = 0
    local function bad(field, ...)
      count = count + 1
      local name = "LinkBad" .. count
      refuses(function() ecs.component(name, { f = field }) end, name .. ".f: ",
        ...)
    end
    bad({ "entity", link = "kill" }, "'clear'", "'remove'", "'destroy'")
    bad({ "entity", link = true }, "'clear'")
    bad({ "entity", tree = true }, "link = 'clear'")
    bad({ "entity", link = "clear", tree = 1 }, "tree is true or false")
    bad({ "u32", link = "clear" }, "only an entity field", "u32")
    bad({ "entity", links = "clear" }, "a field is a type")
  end)

  it("belongs to the definition", function()
    assert.equal(Docked, ecs.component("LinkDocked",
      { at = { "entity", link = "remove", tree = false } },
      { storage = "sparse" }))
    for _, field in ipairs { "entity", { "entity", link = "clear" },
      { "entity", link = "remove", tree = true } } do
      refuses(function()
        ecs.component("LinkDocked", { at = field }, { storage = "sparse" })
      end, "LinkDocked is already defined", "links")
    end
  end)
end)

describe("links", function()
  it("are listed in the order of linking", function()
    local sun, moon = world:spawn(), world:spawn()
    local made = {}
    for k = 1, 200 do made[k] = world:spawn(Orbits { around = sun }) end
    assert.same(made, links(sun, Orbits, "around"))
    assert.equal(200, world:link_count(sun, Orbits, "around"))
    assert.equal(0, world:link_count(moon, Orbits))
    world:set(made[3], Orbits, "around", sun) -- keeps its place
    assert.same(made, links(sun, Orbits))
    world:set(made[3], Orbits, "around", moon)
    world:set(made[3], Orbits, "around", sun)
    table.insert(made, table.remove(made, 3))
    assert.same(made, links(sun, Orbits))
    world:set(made[1], Orbits, "around", nil)
    world:remove(made[2], Orbits)
    world:destroy(made[4])
    assert.same({ made[3], made[5] },
      { links(sun, Orbits)[1], links(sun, Orbits)[2] })
    assert.equal(197, world:link_count(sun, Orbits))
  end)

  it("of several fields are independent", function()
    local x, y = world:spawn(), world:spawn()
    local e = world:spawn(Pair { a = x, b = y, c = x })
    local f = world:spawn(Pair { a = y, b = y })
    assert.same({ e }, links(x, Pair, "a"))
    assert.same({ e, f }, links(y, Pair, "b"))
    assert.same({}, links(x, Pair, "b"))
    refuses(function() world:links(x, Pair) end, "links", "a, b", "name one")
    refuses(function() world:link_count(x, Pair, "c") end, "link_count",
      "a, b, not 'c'")
  end)

  it("of what has none are empty", function()
    local e = world:spawn()
    local dead = world:spawn()
    world:destroy(dead)
    assert.same({}, links(e, Orbits))
    assert.same({}, links(dead, Orbits))
    assert.same({}, links(nil, Orbits))
    assert.equal(0, world:link_count(dead, Orbits))
    world:spawn(Orbits { around = e })
    assert.same({}, links(dead, Orbits))
    assert.equal(0, world:link_count(dead, Orbits))
  end)

  it("are asked for with an entity, a component and a link of it", function()
    local e = world:spawn()
    refuses(function() world:links("sun", Orbits) end, "links", "a string")
    refuses(function() world:links(e, "Orbits") end, "links")
    refuses(function() world:links(e, Other) end, "LinkOther has no link")
    refuses(function() world:link_count(e, Enemy) end, "LinkEnemy has no link")
    refuses(function() world:links(e, Orbits, "speed") end,
      "LinkOrbits has the link around, not 'speed'")
    refuses(function() world:links(e, Orbits, 1) end, "around, not 1")
    refuses(function() world.links(e, e, Orbits) end, "world:links(...)")
    refuses(function() world.link_count() end, "world:link_count(...)")
  end)

  it("that lead to the dead are cleared, removed or destroy", function()
    local sun = world:spawn()
    local a = world:spawn(Orbits { around = sun, speed = 3 })
    local b = world:spawn(Docked { at = sun }, Other { x = 5 })
    local c = world:spawn(Owned { by = sun })
    local d = world:spawn(Owned { by = c }, Docked { at = a })
    local e = world:spawn(Docked { at = d }, Orbits { around = c })
    world:destroy(sun)
    assert.same({ nil, 3 }, { world:get(a, Orbits, "around", "speed") })
    assert.is_false(world:has(b, Docked))
    assert.equal(5, world:get(b, Other, "x"))
    assert.is_false(world:alive(c))
    assert.is_false(world:alive(d))
    assert.is_true(world:alive(e))
    assert.is_false(world:has(e, Docked))
    assert.is_nil(world:get(e, Orbits, "around"))
    assert.same({}, links(a, Docked))
  end)

  it("may lead to oneself and in circles, but for trees", function()
    local a, b = world:spawn(Owned), world:spawn(Owned)
    world:set(a, Owned, "by", a)
    assert.same({ a }, links(a, Owned))
    world:destroy(a)
    assert.is_false(world:alive(a))
    local c = world:spawn(Owned { by = b })
    world:set(b, Owned { by = c })
    world:destroy(c)
    assert.is_false(world:alive(b))
  end)

  it("end with the world's entities", function()
    local sun = world:spawn()
    local e = world:spawn(Orbits { around = sun })
    world:clear()
    assert.same({}, links(sun, Orbits))
    assert.same({}, links(e, Orbits))
    sun = world:spawn()
    assert.same({}, links(sun, Orbits))
  end)
end)

-- Ways to link an entity to a target, and the call that errors name.
local ways = {
  set_value = { "set", function(e, sun)
    world:set(e, Orbits { around = sun })
  end },
  set_table = { "set", function(e, sun)
    world:set(e, Orbits, { around = sun })
  end },
  set_field = { "set", function(e, sun)
    world:set(e, Orbits, "around", sun)
  end },
  setter = { "set", function(e, sun)
    world:setter(Orbits, "around")(e, sun)
  end },
  setters = { "set", function(e, sun)
    world:setter(Orbits, "speed", "around")(e, 4, sun)
  end },
  add = { "add", function(e, sun)
    world:remove(e, Orbits)
    world:add(e, Orbits { around = sun })
  end },
  add_table = { "add", function(e, sun)
    world:remove(e, Orbits)
    world:add(e, Orbits, { around = sun })
  end },
  replace = { "replace", function(e, sun)
    world:remove(e, Orbits)
    world:replace(e, Other, Orbits { around = sun })
  end },
  query_set = { "set", function(_, sun)
    world:query { Orbits }:set(Orbits { around = sun })
  end },
  query_set_field = { "set", function(_, sun)
    world:query { Orbits }:set(Orbits, "around", sun)
  end },
  query_add = { "add", function(e, sun)
    world:remove(e, Orbits)
    world:query { Other }:add(Orbits { around = sun })
  end },
  query_replace = { "replace", function(e, sun)
    world:remove(e, Orbits)
    world:query { Other }:replace(Other, Orbits { around = sun })
  end },
}

-- Ways to spawn an entity that links.
local births = {
  spawn = { "spawn", function(sun)
    world:spawn(Other, Orbits { around = sun })
  end },
  spawn_table = { "spawn", function(sun)
    world:spawn(Orbits, { around = sun }, Enemy)
  end },
  spawn_as = { "spawn_as", function(sun)
    world:spawn_as(4000, Orbits { around = sun })
  end },
  spawner = { "spawn", function(sun)
    world:spawner(Orbits, "around")(sun)
  end },
  fixed_spawner = { "spawn", function(sun)
    world:spawner(Orbits { around = sun }, Other, "x")(3)
  end },
  spawn_many = { "spawn_many", function(sun)
    world:spawn_many(1, { Other, Orbits { around = sun } })
  end },
  spawn_many_shown = { "spawn_many", function(sun)
    world:spawn_many(1, { Other, Orbits { around = sun } }, function(batch)
      batch[Other].x[1] = 7
    end)
  end },
}

local function sorted(ways_by_name)
  local names = {}
  for name in pairs(ways_by_name) do names[#names + 1] = name end
  table.sort(names)
  return ipairs(names)
end

describe("a link is made", function()
  for _, name in sorted(ways) do
    local call, link = ways[name][1], ways[name][2]
    it("by " .. name, function()
      for _ = 1, 70 do
        local sun, moon = world:spawn(), world:spawn()
        local e = world:spawn(Other, Orbits { around = moon })
        link(e, sun)
        assert.equal(sun, world:get(e, Orbits, "around"))
        assert.same({ e }, links(sun, Orbits))
        assert.same({}, links(moon, Orbits))
        world:destroy(e)
      end
    end)

    it("later by " .. name .. " in a callback", function()
      local sun, moon = world:spawn(), world:spawn()
      local e = world:spawn(Other, Orbits { around = moon })
      inside(function()
        link(e, sun)
        assert.equal(moon, world:get(e, Orbits, "around"))
        assert.same({ e }, links(moon, Orbits))
        assert.same({}, links(sun, Orbits))
      end)
      assert.same({ e }, links(sun, Orbits))
      assert.equal(sun, world:get(e, Orbits, "around"))
    end)

    it("not to the dead by " .. name, function()
      local dead = world:spawn()
      world:destroy(dead)
      local e = world:spawn(Other)
      if call == "set" then world:add(e, Orbits) end
      local before = world:state_hash()
      refuses(function() link(e, dead) end, call .. ": entity " .. dead .. " (",
        "is not alive: nothing can link to it")
      assert.equal(before, world:state_hash())
      assert.same({}, links(e, Orbits))
    end)
  end

  for _, name in sorted(births) do
    local call, spawn = births[name][1], births[name][2]
    it("by " .. name, function()
      for _ = 1, name == "spawn_as" and 1 or 70 do
        local sun = world:spawn()
        spawn(sun)
        assert.equal(1, world:link_count(sun, Orbits))
        local e = links(sun, Orbits)[1]
        assert.equal(sun, world:get(e, Orbits, "around"))
        world:destroy(e)
      end
    end)

    it("later by " .. name .. " in a callback", function()
      local sun, moon = world:spawn(), world:spawn()
      inside(function()
        spawn(sun)
        assert.equal(0, world:link_count(sun, Orbits))
      end)
      assert.equal(1, world:link_count(sun, Orbits))
      world:query { Orbits }:destroy()
      inside(function()
        if name == "spawn_as" then return end
        spawn(moon)
        world:destroy(moon)
      end)
      assert.equal(0, world:link_count(moon, Orbits))
      assert.is_nil(world:get(world:query { Orbits }:first(), Orbits, "around"))
    end)

    it("not to the dead by " .. name, function()
      local dead = world:spawn()
      world:destroy(dead)
      world:spawn(Orbits)
      local before = world:state_hash()
      refuses(function() spawn(dead) end, call .. ": entity " .. dead .. " (",
        "is not alive: nothing can link to it")
      assert.equal(before, world:state_hash())
    end)
  end
end)

describe("spawn_many with links", function()
  it("refuses more than Lua can copy, in words of its own", function()
    local sun = world:spawn()
    refuses(function()
      world:spawn_many(2^28 - 1, { Owned { by = sun } }, function() end)
    end, "spawn_many: the allocator refused memory")
    assert.equal(1, world:stats().entities)
  end)

  it("shows rows that do not link yet", function()
    local sun = world:spawn()
    world:spawn_many(3, { Owned { by = sun } }, function(batch)
      assert.equal(3, batch.count)
      assert.is_nil(batch.LinkOwned.by[2])
      assert.equal(0, world:link_count(sun, Owned))
      world:set(batch.entities[1], Owned, "by", nil) -- after the links
    end)
    local made = links(sun, Owned)
    assert.equal(2, #made)
    for _, e in ipairs(made) do
      assert.equal(sun, world:get(e, Owned, "by"))
    end
  end)

  it("follows the rule of a target that dies in the callback", function()
    local sun = world:spawn()
    world:spawn_many(3, { Owned { by = sun } }, function()
      world:destroy(sun)
    end)
    assert.equal(0, world:query { Owned }:count())
  end)

  it("follows the rules of all links of a new entity at once", function()
    local Kin = ecs.component("LinksKin", {
      friend = { "entity", link = "remove" }, of = { "entity", link = "clear" },
    })
    for _, many in ipairs { true, false } do
      world = ecs.world {}
      local made
      local house, other = world:spawn(Orbits), world:spawn()
      local guest = world:spawn(ecs.ChildOf { parent = house })
      world:query({ Orbits }):batch(function()
        world:destroy(house) -- and the guest with it
        local kin = Kin { friend = guest, of = other }
        if many then
          world:spawn_many(1, { kin }, function(new) made = new.entities[1] end)
        else
          made = world:spawn(kin)
        end
      end)
      assert.is_true(world:alive(made))
      assert.is_false(world:has(made, Kin))
      assert.equal(0, world:link_count(other, Kin, "of"))
    end
  end)

  it("keeps the links of what a failing callback leaves", function()
    local sun = world:spawn()
    local ok, text = pcall(world.spawn_many, world, 3, { Owned { by = sun } },
      function()
        world:destroy(sun)
        error("boom", 0)
      end)
    assert.same({ false, "boom" }, { ok, text })
    assert.equal(3, world:query { Owned }:count())
    assert.equal(3, world:link_count(sun, Owned))
  end)
end)

describe("a recorded link", function()
  it("follows its rule where its target dies, too", function()
    local sun, moon = world:spawn(), world:spawn()
    local a = world:spawn(Orbits { around = moon })
    local b, c = world:spawn(Docked), world:spawn(Owned)
    inside(function()
      world:set(a, Orbits, "around", sun)
      world:set(b, Docked, "at", sun)
      world:set(c, Owned, "by", sun)
      world:destroy(sun)
      assert.is_false(world:alive(sun))
      assert.is_true(world:alive(c)) -- until it is applied
      refuses(function() world:set(a, Orbits, "around", sun) end,
        "is not alive")
    end)
    assert.is_nil(world:get(a, Orbits, "around"))
    assert.is_false(world:has(b, Docked))
    assert.is_false(world:alive(c))
    assert.same({}, links(moon, Orbits))
  end)

  it("may lead to what is recorded to be spawned", function()
    local a, b
    inside(function()
      a = world:spawn()
      b = world:spawn(Owned { by = a })
      world:set(a, Owned { by = b })
    end)
    assert.same({ b }, links(a, Owned))
    assert.same({ a }, links(b, Owned))
  end)

  it("is taken back with the changes of a failing callback", function()
    local sun, e = world:spawn(), world:spawn(Orbits)
    local ok = pcall(function()
      world:query { Orbits }:each(function()
        world:set(e, Orbits, "around", sun)
        error "boom"
      end)
    end)
    assert.is_false(ok)
    assert.is_nil(world:get(e, Orbits, "around"))
    assert.same({}, links(sun, Orbits))
  end)
end)

describe("a loop over links", function()
  it("may change anything, and passes over what links no more", function()
    local sun, moon = world:spawn(), world:spawn()
    local made = {}
    for k = 1, 8 do made[k] = world:spawn(Orbits { around = sun }) end
    local met = {}
    for e in world:links(sun, Orbits) do
      met[#met + 1] = e
      if e == made[1] then
        world:destroy(made[2])
        world:remove(made[4], Orbits)
        world:set(made[5], Orbits, "around", moon)
        world:set(made[6], Orbits, "around", nil)
        world:set(made[7], Orbits, "around", nil)
        world:set(made[7], Orbits, "around", sun)
        world:spawn(Orbits { around = sun }) -- after the copy
      end
      world:destroy(e)
    end
    assert.same({ made[1], made[3], made[7], made[8] }, met)
    assert.equal(1, world:link_count(sun, Orbits))
  end)

  it("ends where its target dies", function()
    local sun = world:spawn()
    for _ = 1, 4 do world:spawn(Orbits { around = sun }) end
    local count = 0
    for _ in world:links(sun, Orbits) do
      count = count + 1
      world:destroy(sun)
    end
    assert.equal(1, count)
  end)

  it("may be inside of another, and left", function()
    local sun, moon = world:spawn(), world:spawn()
    for _ = 1, 3 do
      world:spawn(Orbits { around = sun })
      world:spawn(Orbits { around = moon })
    end
    local count = 0
    for _ in world:links(sun, Orbits) do
      for e in world:links(moon, Orbits) do
        count = count + 1
        if e == links(moon, Orbits)[2] then break end
      end
      assert.same(3, #links(sun, Orbits))
    end
    assert.equal(6, count)
  end)

  it("is no garbage once it ran", function()
    local sun = world:spawn()
    for _ = 1, 100 do world:spawn(Orbits { around = sun }) end
    local leaf = world:spawn(ecs.ChildOf { parent = sun })
    local function loop(rounds)
      for _ = 1, rounds do
        local count = 0
        for _ in world:links(sun, Orbits) do count = count + 1 end
        for _ in world:children(sun) do count = count + 1 end
        for _ in world:ancestors(leaf) do count = count + 1 end
        assert(count == 102 and world:parent(leaf) == sun)
        assert(world:link_count(sun, Orbits, "around") == 100)
      end
    end
    assert.equal(0, support.garbage_of(loop, 2000))
  end)

  it("raises once its world is closed", function()
    local sun = world:spawn()
    for _ = 1, 3 do world:spawn(Orbits { around = sun }) end
    refuses(function()
      for _ in world:links(sun, Orbits) do world:close() end
    end, "closed")
    refuses(function() world:links(sun, Orbits) end, "closed")
  end)

  it("stays at its end", function()
    local step = world:links(world:spawn(), Orbits)
    assert.is_nil(step())
    assert.is_nil(step())
    local one, two = world:links(nil, Orbits), world:links(nil, Orbits)
    assert.are_not.equal(one, two)
  end)
end)

describe("a link is only read", function()
  local e, sun
  before_each(function()
    sun = world:spawn()
    e = world:spawn(Orbits { around = sun }, Pair)
  end)
  local said = "LinkOrbits.around is a link, which rows and batches only read"

  it("by rows", function()
    for _ = 1, 70 do
      for _, o in world:query { Orbits }:rows() do
        assert.equal(sun, o.around)
        o.speed = o.speed + 1
      end
    end
    assert.equal(71, world:get(e, Orbits, "speed"))
    refuses(function()
      for _, o in world:query { Orbits }:rows() do o.around = e end
    end, said)
    refuses(function()
      for _, _, p in world:query { Orbits, Pair }:rows() do
        p.c = sun
        p.b = nil
      end
    end, "LinkPair.b is a link")
    assert.equal(sun, world:get(e, Pair, "c"))
  end)

  it("by rows of each", function()
    local seen
    world:query { Orbits }:each(function(o) seen = o.around end)
    assert.equal(sun, seen)
    refuses(function()
      world:query { Orbits }:each(function(o) o.around = e end)
    end, said)
    refuses(function()
      world:query { Orbits }:each(function(o)
        o.speed = 5
        o.around = nil
      end)
    end, said)
  end)

  it("by batches", function()
    world:query { Orbits }:batch(function(batch)
      assert.equal(sun, batch.LinkOrbits.around[1])
      batch.LinkOrbits.speed[1] = 9
    end)
    assert.equal(9, world:get(e, Orbits, "speed"))
    refuses(function()
      world:query { Orbits }:batch(function(batch)
        batch.LinkOrbits.around[1] = e
      end)
    end, said)
    refuses(function()
      world:query { Orbits }:batch(function(batch)
        batch.LinkOrbits.around[1] = nil
      end)
    end, said)
    refuses(function()
      world:spawn_many(1, { Orbits }, function(batch)
        batch.LinkOrbits.around[1] = sun
      end)
    end, said)
    assert.same({ e }, links(sun, Orbits))
  end)
end)

describe("a system of each", function()
  local reason = support.hear_fallbacks(before_each, after_each)

  --- Runs f over rows of Orbits, compiled and as plain Lua.
  local function run(f, count)
    world:system { name = "run", query = { Orbits }, each = f }
    for _ = 1, count or 1 do world:progress(1) end
    return reason()
  end

  it("reads links compiled", function()
    local sun, moon = world:spawn(Other { x = 3 }), world:spawn(Other { x = 5 })
    for k = 1, 40 do
      world:spawn(Orbits { around = k % 2 > 0 and sun or moon })
    end
    world:spawn(Orbits)
    local why = run(function(o)
      if o.around then o.speed = world:get(o.around, Other, "x") or 0 end
    end)
    assert.is_nil(why)
    local total = 0
    for _, o in world:query { Orbits }:rows() do total = total + o.speed end
    assert.equal(20 * 3 + 20 * 5 + 1, total)
  end)

  it("makes links with set, add and spawn", function()
    local sun, moon = world:spawn(), world:spawn()
    for _ = 1, 40 do world:spawn(Orbits { around = moon }) end
    run(function(o, _, e)
      if o.around == moon then
        world:set(e, Orbits, "around", sun)
        world:add(e, Owned { by = sun })
        world:spawn(Docked { at = e })
      end
    end, 3)
    assert.equal(40, world:link_count(sun, Orbits))
    assert.equal(40, world:link_count(sun, Owned))
    assert.equal(40, world:query { Docked }:count())
    for _, e in ipairs(links(sun, Orbits)) do
      assert.equal(1, world:link_count(e, Docked))
    end
    world:destroy(sun)
    assert.equal(0, world:query { with = { Docked } }:count())
  end)

  it("adds again what a rule takes away, compiled or not", function()
    for _, compiled in ipairs { true, false } do
      local sky = ecs.world { flush = "frame" }
      local port = sky:spawn()
      for k = 1, 40 do sky:spawn(Other { x = k }, Held { by = port }) end
      sky:system { name = "storm", query = { Other }, each = function(o)
        if o.x == 1 then sky:destroy(port) end
      end }
      sky:system { name = "hold", query = { Other }, compile = compiled,
                   after = "storm", each = function(o, _, e)
        sky:add(e, Held { since = o.x })
      end }
      sky:progress(1)
      local sum = 0
      for _, h in sky:query({ Held }):rows() do sum = sum + h.since end
      assert.equal(820, sum)
      sky:close()
    end
  end)

  it("is told of links that change, by changed", function()
    local sun = world:spawn()
    local e = world:spawn(Orbits { around = sun }, Docked { at = sun })
    local seen = {}
    for _, component in ipairs { Orbits, Docked } do
      world:system { name = component.name, query = {
        read = { component }, changed = { component } },
        each = function() seen[component] = (seen[component] or 0) + 1 end }
    end
    local function told()
      seen = {}
      world:progress(1)
      return { seen[Orbits] or 0, seen[Docked] or 0 }
    end
    assert.same({ 1, 1 }, told())
    assert.same({ 0, 0 }, told())
    world:set(e, Orbits, "around", e)
    assert.same({ 1, 0 }, told())
    world:set(e, Orbits { around = sun })
    assert.same({ 1, 0 }, told())
    world:destroy(sun)
    assert.same({ 1, 0 }, told())
    sun = world:spawn()
    world:set(e, Orbits { around = sun })
    assert.same({ 1, 0 }, told())
    world:destroy(sun) -- at once, without a rule that removes
    assert.same({ 1, 0 }, told())
  end)

  it("destroys what is linked to, compiled", function()
    local owners = {}
    for k = 1, 100 do
      owners[k] = world:spawn(Orbits { speed = k })
      world:spawn(Owned { by = owners[k] })
    end
    local why = run(function(o, _, e)
      if o.speed > 60 then world:destroy(e) end
    end)
    assert.is_nil(why)
    assert.equal(60, world:query { Orbits }:count())
    assert.equal(60, world:query { Owned }:count())
  end)
end)

describe("a hierarchy", function()
  local ChildOf = ecs.ChildOf
  local root, a, b, c
  before_each(function()
    root = world:spawn()
    a = world:spawn(ChildOf { parent = root })
    b = world:spawn(ChildOf { parent = a })
    c = world:spawn(ChildOf { parent = root })
  end)

  it("has parents, children and ancestors", function()
    assert.is_nil(world:parent(root))
    assert.equal(root, world:parent(a))
    assert.equal(a, world:parent(b))
    assert.same({ a, c }, list(world:children(root)))
    assert.same({}, list(world:children(b)))
    assert.same({ a, root }, list(world:ancestors(b)))
    assert.same({}, list(world:ancestors(root)))
    assert.same({ a, c }, links(root, ChildOf))
    world:set(b, ChildOf { parent = c })
    world:set(a, ChildOf, "parent", nil)
    assert.same({ c, root }, list(world:ancestors(b)))
    assert.is_nil(world:parent(a))
    assert.is_true(world:has(a, ChildOf))
  end)

  it("is only asked by parent, children and ancestors", function()
    for _, call in ipairs { "parent", "children", "ancestors" } do
      refuses(function() world[call](world, b, c) end,
        call .. " takes one entity: a parent is set by world:set(e, "
        .. "ecs.ChildOf { parent = p })")
    end
    assert.equal(a, world:parent(b))
  end)

  it("of the dead is empty", function()
    world:destroy(a)
    for _, e in ipairs { a, b } do
      assert.is_false(world:alive(e))
      assert.is_nil(world:parent(e))
      assert.same({}, list(world:children(e)))
      assert.same({}, list(world:ancestors(e)))
    end
    assert.is_nil(world:parent(nil))
    assert.same({ c }, list(world:children(root)))
    world:destroy(root)
    assert.equal(0, world:query { all = true }:count())
  end)

  it("passes over ancestors that die in the loop", function()
    local met = {}
    local d = world:spawn(ChildOf { parent = b })
    for e in world:ancestors(d) do
      met[#met + 1] = e
      if e == b then
        world:set(b, ChildOf { parent = c })
        world:destroy(a)
      end
    end
    assert.same({ b, root }, met)
  end)

  it("has no circles", function()
    refuses(function() world:set(root, ChildOf { parent = b }) end, "set: ",
      "entity " .. root .. " (", "cannot link to entity " .. b .. " (",
      "circle")
    refuses(function() world:set(a, ChildOf, "parent", a) end,
      "entity " .. a .. " (", "cannot link to itself")
    refuses(function() world:add(root, ChildOf { parent = root }) end,
      "add: ", "cannot link to itself")
    world:query { ChildOf }:each(function(_, e)
      if e == a then
        world:set(c, ChildOf { parent = b }) -- recorded
        refuses(function() world:set(a, ChildOf { parent = c }) end,
          "entity " .. a .. " (", "entity " .. c .. " (", "circle")
        world:set(b, ChildOf { parent = root })
        world:set(a, ChildOf { parent = c })
      end
    end)
    assert.same({ c, b, root }, list(world:ancestors(a)))
  end)

  it("is a component with a reserved name", function()
    assert.equal("ChildOf", ChildOf.name)
    assert.equal(ChildOf, ecs.component("ChildOf",
      { parent = { "entity", link = "destroy", tree = true } }))
    refuses(function() ecs.component("ChildOf", { parent = "entity" }) end,
      "ChildOf is already defined")
    refuses(function() ecs.tag "ChildOf" end, "ChildOf is already defined")
  end)
end)
