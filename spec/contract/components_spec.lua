-- Components: what definitions and values promise.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position
local Health = ecs.component("Health",
  { hp = { "i32", 100 }, max = { "i32", 100 } })

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn()
end)

describe("a definition", function()
  it("is made from a name and named fields", function()
    world:add(e, Health)
    assert.same({ hp = 100, max = 100 }, world:get(e, Health))
  end)

  it("of a tag has no fields", function()
    local Enemy = ecs.tag "Enemy"
    world:add(e, Enemy)
    assert.is_true(world:has(e, Enemy))
    refuses(function() Enemy { x = 1 } end, "Enemy is a tag", "no fields")
  end)

  it("without any fields is a tag", function()
    local Bare = ecs.component("ContractBare", {})
    assert.equal(Bare, ecs.tag "ContractBare")
    assert.same({}, Bare.fields)
    refuses(function() world:get(world:spawn(Bare), Bare) end,
      "ContractBare is a tag")
  end)

  it("takes options, such as where it is stored", function()
    local Stunned = ecs.tag("Stunned", { storage = "sparse" })
    local entity = world:spawn(Stunned)
    assert.is_true(world:has(entity, Stunned))
    assert.truthy(world:explain():find("sparse set 1: Stunned", 1, true))
  end)

  it("serves every world of the Lua state", function()
    local other = ecs.world {}
    local there = other:spawn(Position { x = 2 })
    world:set(e, Position { x = 1 })
    assert.equal(1, world:get(e, Position, "x"))
    assert.equal(2, other:get(there, Position, "x"))
  end)

  it("knows ten types of fields", function()
    local values = {
      f32 = 0.5, f64 = 1 / 3, i8 = -128, u8 = 255, i16 = -32768, u16 = 65535,
      i32 = -2147483648, u32 = 4294967295, bool = true, entity = e,
    }
    local schema = {}
    for kind in pairs(values) do schema[kind] = kind end
    local Every = ecs.component("TenTypes", schema)
    world:set(e, Every(values))
    assert.same(values, world:get(e, Every))
  end)

  it("may give a field a default, which is else 0, false or nil", function()
    local Defaults = ecs.component("Defaults", {
      n = { "u8", 7 }, flag = { "bool", true }, zero = "f64", off = "bool",
      who = "entity",
    })
    world:add(e, Defaults)
    assert.same({ n = 7, flag = true, zero = 0, off = false },
      world:get(e, Defaults))
    assert.is_nil(world:get(e, Defaults, "who"))
  end)

  it("orders its fields by name", function()
    local Letters = ecs.component("Letters", { c = "u8", a = "u8", b = "u8" })
    world:add(e, Letters)
    assert.truthy(world:explain():find("Letters: a u8, b u8, c u8", 1, true))
    assert.equal("Letters { a = 1, b = 2, c = 3 }",
      tostring(Letters { c = 3, b = 2, a = 1 }))
  end)

  it("is not called count or entities", function()
    refuses(function() ecs.component("count", { x = "f32" }) end, "'count'")
    refuses(function() ecs.tag "entities" end, "'entities'")
  end)

  it("made twice in the same way is the same object", function()
    assert.equal(Position, ecs.component("Position", { y = "f32", x = "f32" }))
  end)

  it("made twice in different ways is an error", function()
    refuses(function() ecs.component("Position", { x = "f64" }) end,
      "Position is already defined, with x, y")
    refuses(function() ecs.tag "Position" end, "Position is already defined")
  end)
end)

describe("a value", function()
  it("remembers which fields it was given", function()
    world:set(e, Position { x = 5, y = 6 })
    world:set(e, Position { x = 1 })
    assert.same({ x = 1, y = 6 }, world:get(e, Position))
  end)

  it("gets defaults for the others when spawned or added", function()
    assert.same({ hp = 100, max = 9 },
      world:get(world:spawn(Health { max = 9 }), Health))
    world:add(e, Health { max = 8 })
    assert.same({ hp = 100, max = 8 }, world:get(e, Health))
  end)

  it("may be used any number of times, in any world", function()
    local value, other = Position { y = 7 }, ecs.world {}
    local there = other:spawn(value)
    world:add(e, value)
    for _ = 1, 3 do world:set(e, value) end
    other:set(there, Position { x = 1 })
    assert.same({ x = 0, y = 7 }, world:get(e, Position))
    assert.same({ x = 1, y = 7 }, other:get(there, Position))
    assert.equal("Position { y = 7 }", tostring(value))
  end)

  it("that is the definition alone stands for all defaults", function()
    world:set(e, Health { hp = 1, max = 2 })
    world:set(e, Health)
    assert.same({ hp = 100, max = 100 }, world:get(e, Health))
  end)

  it("refuses an unknown field and what its type cannot hold", function()
    refuses(function() Position { z = 1 } end, "has no field 'z'")
    refuses(function() Health { hp = 2 ^ 31 } end, "Health.hp is i32")
  end)
end)
