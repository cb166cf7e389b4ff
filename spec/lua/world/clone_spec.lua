-- world:clone: another entity like one that exists, with its children.

local ecs = require "ecs"

local Place = ecs.component("ClonePlace", { x = "f32", n = { "i32", 4 } })
local Far = ecs.component("CloneFar", { v = "f64", on = "bool" },
  { storage = "sparse" })
local Tag = ecs.tag "CloneTag"
local Lit = ecs.tag("CloneLit", { storage = "bits" })
local Seen = ecs.tag("CloneSeen", { storage = "sparse" })
local Aims = ecs.component("CloneAims",
  { at = { "entity", link = "clear" }, mark = "entity" })
local Needy = ecs.component("CloneNeedy", { k = "u8" },
  { needs = { Place, Lit } })
local ChildOf = ecs.ChildOf

local world
before_each(function() world = ecs.world {} end)

local function fails(text, f)
  local ok, message = pcall(f)
  assert.is_false(ok)
  assert.truthy(message:find(text, 1, true), message)
  assert.truthy(message:find("clone_spec", 1, true), message)
end

local function children(e)
  local list = {}
  for child in world:children(e) do list[#list + 1] = child end
  return list
end

describe("a clone", function()
  it("has the same components and values, in every storage", function()
    local e = world:spawn(Place { x = 1, n = -5 }, Far { v = 0.1, on = true },
      Tag, Lit, Seen)
    world:name(e, "first")
    local f = world:clone(e)
    assert.are_not.equal(e, f)
    assert.same(world:components(e), world:components(f))
    assert.equal(1, world:get(f, Place, "x"))
    assert.equal(-5, world:get(f, Place, "n"))
    assert.equal(0.1, world:get(f, Far, "v"))
    assert.is_true(world:get(f, Far, "on"))
    assert.is_nil(world:name(f))
    world:set(f, Place, "x", 2)
    assert.equal(1, world:get(e, Place, "x"))
    assert.same({}, world:components(world:clone(world:spawn())))
  end)

  it("lacks what the entity lacks, whatever its components need", function()
    local e = world:spawn(Needy { k = 3 })
    world:remove(e, Place)
    local f = world:clone(e)
    assert.equal(3, world:get(f, Needy, "k"))
    assert.is_true(world:has(f, Lit))
    assert.is_false(world:has(f, Place))
  end)

  it("has clones of the children, in their order", function()
    local tank = world:spawn(Place { x = 10 })
    local turret = world:spawn(ChildOf { parent = tank }, Place { x = 11 })
    world:spawn(ChildOf { parent = turret }, Place { x = 12 })
    world:spawn(ChildOf { parent = tank }, Place { x = 13 })
    world:name(turret, "turret")
    local twin = world:clone(tank)
    local below = children(twin)
    assert.equal(2, #below)
    assert.equal(11, world:get(below[1], Place, "x"))
    assert.equal(13, world:get(below[2], Place, "x"))
    assert.equal(12, world:get(children(below[1])[1], Place, "x"))
    assert.is_nil(world:name(below[1]))
    assert.equal(8, world:stats().entities)
    assert.equal(2, #children(tank))
    world:destroy(twin)
    assert.equal(4, world:stats().entities)
  end)

  it("is a sibling of the entity", function()
    local root = world:spawn()
    local a = world:spawn(ChildOf { parent = root })
    local b = world:spawn(ChildOf { parent = root })
    local c = world:clone(a)
    assert.equal(root, world:parent(c))
    assert.same({ a, b, c }, children(root))
  end)

  it("has links within what is cloned, and the same ones outside", function()
    local out = world:spawn()
    local e = world:spawn(Place)
    local child = world:spawn(ChildOf { parent = e },
      Aims { at = out, mark = e })
    world:add(e, Aims { at = child, mark = out })
    world:spawn(ChildOf { parent = child }, Aims { at = child })
    local f = world:clone(e)
    local copy = children(f)[1]
    assert.equal(copy, world:get(f, Aims, "at"))
    assert.equal(out, world:get(f, Aims, "mark"))
    assert.equal(out, world:get(copy, Aims, "at"))
    assert.equal(f, world:get(copy, Aims, "mark"))
    assert.equal(copy, world:get(children(copy)[1], Aims, "at"))
    assert.equal(2, world:link_count(out, Aims, "at"))
    local own = world:spawn(Aims)
    world:set(own, Aims, "mark", own, "at", own)
    local twin = world:clone(own)
    assert.equal(twin, world:get(twin, Aims, "at"))
    assert.equal(twin, world:get(twin, Aims, "mark"))
  end)

  it("is recorded in callbacks, as the entity is", function()
    local e = world:spawn(Tag, Place { x = 1 })
    world:spawn(ChildOf { parent = e }, Place { x = 2 })
    local f
    world:query({ with = { Tag } }):each(function()
      world:set(e, Place, "x", 7)
      world:add(e, Seen)
      f = world:clone(e)
      assert.is_true(world:alive(f))
      assert.same({}, world:components(f))
    end)
    assert.equal(7, world:get(f, Place, "x"))
    assert.is_false(world:has(f, Seen))
    assert.equal(2, world:get(children(f)[1], Place, "x"))
    pcall(function()
      world:query({ with = { Tag } }):each(function()
        world:clone(e)
        error "stop"
      end)
    end)
    assert.equal(4, world:stats().entities)
  end)

  it("is refused for the dead, and for what a callback writes", function()
    local e = world:spawn(Tag, Place)
    local dead = world:spawn()
    world:destroy(dead)
    fails("clone: entity", function() world:clone(dead) end)
    fails("clone takes an entity, not nil", function() world:clone() end)
    fails("clone takes an entity", function() world:clone "x" end)
    fails("clone takes no more than 1 argument:",
      function() world:clone(e, Tag) end)
    world:query({ Place }):batch(function()
      fails("clone cannot reach ClonePlace", function() world:clone(e) end)
    end)
    assert.equal(1, world:stats().entities)
    world:query({ with = { Tag } }):each(function()
      world:destroy(e)
      fails("is not alive", function() world:clone(e) end)
    end)
  end)

  it("is made of a chain as long as may be", function()
    local root = world:spawn(Place { x = 0 })
    local last = root
    for k = 1, 2000 do
      last = world:spawn(ChildOf { parent = last }, Place { n = k })
    end
    local e, depth = world:clone(root), 0
    while e do
      local below = children(e)
      assert.is_true(#below <= 1)
      e, depth = below[1], depth + 1
      if e then assert.equal(depth, world:get(e, Place, "n")) end
    end
    assert.equal(2001, depth)
  end)
end)
