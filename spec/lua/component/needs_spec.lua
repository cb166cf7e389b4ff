-- needs: an entity that gets a component gets what this needs, in every way.

local ecs = require "ecs"

local Place = ecs.component("NeedPlace", { x = "f32", y = { "f32", 2 } })
local Speed = ecs.component("NeedSpeed", { v = { "i32", 7 } },
  { storage = "sparse", needs = { Place } })
local Lit = ecs.tag("NeedLit", { storage = "bits" })
local Car = ecs.component("NeedCar", { fuel = { "f64", 5 } },
  { needs = { Speed, Lit } })
local Fast = ecs.tag("NeedFast", { needs = { Car } })
local Plain = ecs.component("NeedPlain", { n = "i32" })
-- Two that need each other, by name.
local Left = ecs.tag("NeedLeft", { needs = { "NeedRight" } })
local Right = ecs.component("NeedRight", { r = { "u8", 3 } },
  { needs = { Left, "NeedRight" } })

local world
before_each(function() world = ecs.world {} end)

local function check(e, x)
  assert.is_true(world:has(e, Place, Speed, Car, Lit))
  assert.equal(x or 0, world:get(e, Place, "x"))
  assert.equal(2, world:get(e, Place, "y"))
  assert.equal(7, world:get(e, Speed, "v"))
end

--- Every way in which an entity gets Car.
local ways = {
  spawn = function() return world:spawn(Car) end,
  ["spawn with a value"] = function() return world:spawn(Car { fuel = 1 }) end,
  spawn_many = function()
    world:spawn_many(3, { Car, Plain })
    assert.equal(3, world:query({ Car, Place, Speed, Lit }):count())
    return world:query({ Car }):first()
  end,
  ["spawn_many with a function"] = function()
    world:spawn_many(3, { Car, Plain }, function(batch)
      for i = 1, batch.count do batch.NeedPlain.n[i] = i end
    end)
    assert.equal(3, world:query({ Car, Place, Speed, Lit }):count())
    return world:query({ Car }):first()
  end,
  spawner = function()
    return world:spawner(Plain, "n", Car, "fuel")(1, 2)
  end,
  spawn_as = function()
    local e = world:spawn()
    world:destroy(e)
    local other = ecs.world {}
    local saved = world
    world = other
    other:spawn_as(e, Car)
    assert.is_true(other:has(e, Place))
    world = saved
    return world:spawn(Car)
  end,
  add = function()
    local e = world:spawn(Plain)
    world:add(e, Car)
    return e
  end,
  ["add a value"] = function()
    local e = world:spawn(Plain)
    world:add(e, Car { fuel = 9 })
    assert.equal(9, world:get(e, Car, "fuel"))
    return e
  end,
  set = function()
    local e = world:spawn(Plain)
    world:set(e, Car, "fuel", 4)
    assert.equal(4, world:get(e, Car, "fuel"))
    return e
  end,
  ["set a value"] = function()
    local e = world:spawn()
    world:set(e, Car { fuel = 4 })
    return e
  end,
  ["needs of needs"] = function()
    local e = world:spawn()
    world:add(e, Fast)
    assert.is_true(world:has(e, Fast))
    return e
  end,
  replace = function()
    local e = world:spawn(Plain)
    world:replace(e, Plain, Car { fuel = 3 })
    assert.is_false(world:has(e, Plain))
    assert.equal(3, world:get(e, Car, "fuel"))
    return e
  end,
  ["query:add"] = function()
    local e = world:spawn(Plain)
    world:query({ Plain }):add(Car)
    return e
  end,
  ["query:set"] = function()
    local e = world:spawn(Plain)
    world:query({ Plain }):set(Car { fuel = 2 })
    assert.equal(2, world:get(e, Car, "fuel"))
    return e
  end,
  ["query:replace"] = function()
    local e = world:spawn(Plain)
    world:query({ Plain }):replace(Plain, Car)
    return e
  end,
  recorded = function()
    local e, f, g = world:spawn(Plain), nil, nil
    world:query({ Plain }):batch(function()
      world:add(e, Car)
      f = world:spawn(Car)
      g = world:spawn(Plain)
      world:set(g, Car, "fuel", 8)
      assert.is_false(world:has(e, Place))
    end)
    check(f)
    check(g)
    assert.equal(8, world:get(g, Car, "fuel"))
    return e
  end,
  ["recorded for many"] = function()
    for _ = 1, 100 do world:spawn(Plain) end
    world:query({ Plain }):batch(function(batch)
      for i = 1, batch.count do world:add(batch.entities[i], Fast) end
    end)
    assert.equal(100, world:query({ Fast, Car, Place, Speed, Lit }):count())
    return world:query({ Fast }):first()
  end,
  ["recorded spawn_many"] = function()
    world:spawn(Plain)
    world:query({ Plain }):batch(function() world:spawn_many(20, { Car }) end)
    assert.equal(20, world:query({ Car, Place, Speed, Lit }):count())
    return world:query({ Car }):first()
  end,
  compiled = function()
    for i = 1, 600 do world:spawn(Plain { n = i }) end
    world:system { name = "grow", query = { read = { Plain } }, compile = true,
      each = function(p, dt, e)
        if p.n > 300 then world:add(e, Car) end
        if p.n == 1 then world:spawn(Car { fuel = 6 }, Plain { n = -1 }) end
        if p.n == 2 then world:set(e, Car, "fuel", dt) end
      end }
    world:progress(1)
    assert.equal(302, world:query({ Car, Place, Speed, Lit }):count())
    return world:query({ Car }):first()
  end,
}

describe("needs", function()
  for name, way in pairs(ways) do
    it("holds for " .. name, function() check(way()) end)
  end

  it("leaves what is given and what is there as it is", function()
    check(world:spawn(Car, Place { x = 4 }), 4)
    check(world:spawn(Place { x = 4 }, Car), 4)
    local e = world:spawn(Place { x = 5 })
    world:add(e, Car)
    check(e, 5)
    local f
    world:query({ Place }):batch(function()
      f = world:spawn(Car, Place { x = 6 })
      world:set(f, Plain, "n", 1)
    end)
    check(f, 6)
  end)

  it("is the same recorded and at once", function()
    local function play(e)
      world:add(e, Car)
      world:add(e, Place { x = 9 })
      world:set(e, Speed, "v", 1)
      world:remove(e, Place)
      world:add(e, Fast)
      world:remove(e, Car)
      world:set(e, Car, "fuel", 2)
    end
    local function state(e)
      local text = {}
      for _, part in ipairs(world:components(e)) do
        text[#text + 1] = tostring(part)
      end
      return table.concat(text, " ") .. " " .. world:get(e, Speed, "v") .. " "
        .. world:get(e, Car, "fuel") .. " "
        .. tostring(world:get(e, Place, "x"))
    end
    local e, f, g = world:spawn(Plain), world:spawn(Plain), nil
    play(e)
    world:query({ Plain }):batch(function()
      play(f)
      g = world:spawn(Plain)
      play(g)
    end)
    assert.equal(state(e), state(f))
    assert.equal(state(e), state(g))
  end)

  it("may be removed later, and comes back with an addition alone", function()
    local e = world:spawn(Car)
    world:remove(e, Place)
    world:remove(e, Lit)
    assert.is_true(world:has(e, Car))
    assert.is_false(world:has(e, Place))
    world:add(e, Car)
    world:set(e, Car, "fuel", 1)
    assert.is_false(world:has(e, Place))
    world:remove(e, Car)
    world:add(e, Car)
    -- Speed was there all the time, so nothing that it needs comes back.
    assert.is_false(world:has(e, Place))
    assert.is_true(world:has(e, Lit))
  end)

  it("may go in a circle", function()
    local e = world:spawn(Left)
    assert.equal(3, world:get(e, Right, "r"))
    local f = ecs.world {}:spawn(Right)
    assert.truthy(f)
    local g = world:spawn()
    world:add(g, Right { r = 1 })
    assert.is_true(world:has(g, Left))
    assert.equal(1, world:get(g, Right, "r"))
  end)

  it("is part of what a definition says", function()
    assert.equal(Car, ecs.component("NeedCar", { fuel = { "f64", 5 } },
      { needs = { Lit, "NeedSpeed" } }))
    local function fails(text, ...)
      local ok, message = pcall(function(...)
        local made = ecs.component(...)
        return made
      end, ...)
      assert.is_false(ok)
      assert.truthy(message:find(text, 1, true), message)
      assert.truthy(message:find("needs_spec", 1, true), message)
    end
    fails("NeedCar is already defined, and needs other components", "NeedCar",
      { fuel = { "f64", 5 } })
    fails("needs is a list", "NeedBad", { x = "f32" }, { needs = Place })
    fails("needs is a list", "NeedBad", { x = "f32" },
      { needs = { a = Place } })
    fails("needs names NeedPlace twice", "NeedBad", { x = "f32" },
      { needs = { Place, "NeedPlace" } })
    fails("needs lists components, or their names, and not", "NeedBad",
      { x = "f32" }, { needs = { 1 } })
    fails("needs lists components, or their names, and not", "NeedBad",
      { x = "f32" }, { needs = { Place { x = 1 } } })
    fails("there are storage, needs", "NeedBad", { x = "f32" }, { need = {} })
  end)

  it("names a component that is defined by the first use", function()
    local Early = ecs.tag("NeedEarly", { needs = { "NeedLate" } })
    local ok, message = pcall(function() world:spawn(Early) end)
    assert.is_false(ok)
    assert.truthy(message:find("NeedEarly needs NeedLate, and no component is "
      .. "called so yet", 1, true), message)
    assert.equal(0, world:stats().entities)
    local Late = ecs.tag "NeedLate"
    assert.is_true(world:has(world:spawn(Early), Late))
  end)
end)
