-- Components, tags and values: what ecs.component, ecs.tag and
-- Position { x = 1 } accept and refuse.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

describe("a component", function()
  it("is called by its name", function()
    local Position = ecs.component("Position", { x = "f32", y = "f32" })
    assert.equal("Position", tostring(Position))
    assert.equal("Position", Position.name)
  end)

  it("tells its fields, their types and defaults, by name", function()
    local All = ecs.component("ToldFields", {
      z = "f32", a = { "f64", 0.1 }, m = { "i8", -3 }, n = { "u32", 7 },
      on = { "bool", true }, off = "bool", who = "entity",
    })
    assert.same({
      { name = "a", type = "f64", default = 0.1 },
      { name = "m", type = "i8", default = -3 },
      { name = "n", type = "u32", default = 7 },
      { name = "off", type = "bool", default = false },
      { name = "on", type = "bool", default = true },
      { name = "who", type = "entity" },
      { name = "z", type = "f32", default = 0 },
    }, All.fields)
    assert.same({}, ecs.tag("ToldTag").fields)
  end)

  it("cannot be changed through the fields it tells", function()
    local Kept = ecs.component("KeptFields", { x = { "f32", 2 } })
    local told = Kept.fields
    told[1].name, told[1].default, told[2] = "y", 9, {}
    assert.same({ { name = "x", type = "f32", default = 2 } }, Kept.fields)
    local world = ecs.world {}
    assert.equal(2, world:get(world:spawn(Kept), Kept, "x"))
    assert.has_error(function() Kept.fields = {} end)
    refuses(function() return Kept.feilds end, "is a component", "world:get")
  end)

  it("is the same object when defined the same again", function()
    local a = ecs.component("Position", { x = "f32", y = "f32" })
    local b = ecs.component("Position", { y = "f32", x = { "f32" } })
    assert.equal(a, b)
  end)

  it("is found by its name alone, once it is defined", function()
    local Found = ecs.component("Found", { x = "f32" })
    local Bare = ecs.tag("Bare", { storage = "bits" })
    assert.equal(Found, ecs.component "Found")
    assert.equal(Bare, ecs.component "Bare")
    refuses(function() ecs.component "Never" end,
      "no component is called Never yet", "{ x = 'f32' }", "ecs.tag")
    -- An undefined variable is not the same as no argument.
    refuses(function() ecs.component("Found", nil) end, "has fields")
  end)

  it("is refused under a name that has another schema", function()
    ecs.component("Twice", { a = "f32" })
    refuses(function() ecs.component("Twice", { a = "f64" }) end,
      "Twice is already defined", "other types")
    refuses(function() ecs.component("Twice", { a = "f32", b = "f32" }) end,
      "Twice is already defined, with a")
    refuses(function() ecs.component("Twice", { a = { "f32", 1 } }) end)
    refuses(function()
      ecs.component("Twice", { a = "f32" }, { storage = "sparse" })
    end, "storage")
    refuses(function() ecs.tag "Twice" end, "already defined")
  end)

  it("takes every scalar type", function()
    local Every = ecs.component("Every", {
      a = "f32", b = "f64", c = "i8", d = "u8", e = "i16", f = "u16",
      g = "i32", h = "u32", i = "bool", j = "entity",
    })
    local world = ecs.world {}
    local entity = world:spawn(Every)
    assert.same({ a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0,
      i = false }, world:get(entity, Every))
  end)

  it("refuses what is no type, and says which there are", function()
    refuses(function() ecs.component("Bad1", { x = "float" }) end,
      "Bad1.x", "'float'", "f32 f64")
    refuses(function() ecs.component("Bad1", { x = 3 }) end, "Bad1.x")
    refuses(function() ecs.component("Bad1", { x = {} }) end, "Bad1.x")
    refuses(function() ecs.component("Bad1", { "f32" }) end, "named")
    refuses(function() ecs.component("Bad1") end, "ecs.tag")
  end)

  it("refuses a default that does not fit", function()
    refuses(function() ecs.component("Bad2", { n = { "u8", 256 } }) end,
      "Bad2.n is u8", "256")
    refuses(function() ecs.component("Bad2", { n = { "i32", 0.5 } }) end, "0.5")
    refuses(function() ecs.component("Bad2", { n = { "bool", 1 } }) end,
      "true or false")
    refuses(function() ecs.component("Bad2", { n = { "f32", "1" } }) end,
      "a string")
  end)

  it("refuses a default for an entity, and no loop ever meets it", function()
    refuses(function() ecs.component("Bad5", { by = { "entity", 3 } }) end,
      "Bad5.by: an entity has no default")
    refuses(function() ecs.component("Bad5", { by = { "entity", 1.5 } }) end,
      "Bad5.by")
    local Nobody = ecs.component("Nobody", { by = { "entity", 0 } })
    local world, visited = ecs.world {}, 0
    world:spawn(Nobody)
    world:query({ Nobody }):each(function(row)
      visited = visited + 1
      assert.is_nil(row.by)
    end)
    assert.equal(1, visited)
  end)

  it("refuses names that are no names", function()
    refuses(function() ecs.component("", { x = "f32" }) end, "1 to 255 bytes")
    refuses(function() ecs.component(("n"):rep(256), { x = "f32" }) end)
    refuses(function() ecs.component("a\0b", { x = "f32" }) end)
    refuses(function() ecs.component("\255", { x = "f32" }) end)
    refuses(function() ecs.component(7, { x = "f32" }) end, "string")
    refuses(function() ecs.component("Bad3", { [""] = "f32" }) end)
    refuses(function() ecs.component("count", { x = "f32" }) end, "'count'")
    refuses(function() ecs.tag "entities" end, "'entities'")
    refuses(function() ecs.tag "up" end, "'up'")
  end)

  it("takes names of 255 bytes and of other alphabets", function()
    local long = ("n"):rep(255)
    assert.equal(long, tostring(ecs.tag(long)))
    local Size = ecs.component("Größe", { ["x̂"] = "f32" })
    assert.equal("Größe", tostring(Size))
  end)

  it("takes 64 fields and no more", function()
    local fields = {}
    for k = 1, 64 do fields["f" .. k] = "f32" end
    local Wide = ecs.component("Wide", fields)
    local world = ecs.world {}
    local entity = world:spawn(Wide { f64 = 64, f1 = 1 })
    assert.equal(64, world:get(entity, Wide, "f64"))
    fields.f65 = "f32"
    refuses(function() ecs.component("Wider", fields) end, "64 fields")
  end)

  it("refuses options that there are not", function()
    refuses(function() ecs.component("Bad4", { x = "f32" }, { store = 1 }) end,
      "'store'")
    refuses(function()
      ecs.component("Bad4", { x = "f32" }, { storage = "bits" })
    end, "only a tag")
    refuses(function() ecs.tag("Bad4", { storage = "array" }) end, "'sparse'")
  end)
end)

describe("a value", function()
  local Health = ecs.component("Health", {
    hp = { "i32", 100 }, max = { "i32", 100 },
  })
  local Typed = ecs.component("Typed", {
    u8 = "u8", i8 = "i8", u16 = "u16", i16 = "i16", u32 = "u32", i32 = "i32",
    f32 = "f32", f64 = "f64", bool = "bool", entity = "entity",
  })

  it("remembers the fields that were given", function()
    local world = ecs.world {}
    local entity = world:spawn(Health { hp = 5 })
    assert.same({ hp = 5, max = 100 }, world:get(entity, Health))
    world:set(entity, Health { max = 9 })
    assert.same({ hp = 5, max = 9 }, world:get(entity, Health))
  end)

  it("does not change with the table it was made from", function()
    local fields = { hp = 1 }
    local value = Health(fields)
    fields.hp = 2
    local world = ecs.world {}
    assert.equal(1, world:get(world:spawn(value), Health, "hp"))
  end)

  it("says what it is", function()
    assert.equal("Health { hp = 5 }", tostring(Health { hp = 5 }))
    assert.equal("Health {}", tostring(Health {}))
  end)

  it("refuses an unknown field and names those there are", function()
    refuses(function() Health { hpp = 1 } end, "Health has no field 'hpp'",
      "hp, max")
    refuses(function() Health { [1] = 1 } end, "Health")
  end)

  it("refuses anything but a table", function()
    refuses(function() Health(3) end, "Health")
    refuses(function() Health() end, "Health")
    refuses(function() Health({}, {}) end, "Health")
    refuses(function() ecs.tag "Mark" {} end, "Mark is a tag")
  end)

  it("takes the ends of every range and nothing past them", function()
    local ranges = {
      u8 = { 0, 255 }, i8 = { -128, 127 }, u16 = { 0, 65535 },
      i16 = { -32768, 32767 }, u32 = { 0, 4294967295 },
      i32 = { -2147483648, 2147483647 },
    }
    local world = ecs.world {}
    for name, range in pairs(ranges) do
      for _, number in ipairs(range) do
        local entity = world:spawn(Typed { [name] = number })
        assert.equal(number, world:get(entity, Typed, name))
      end
      for _, number in ipairs { range[1] - 1, range[2] + 1, 0.5, 0 / 0,
          1 / 0, -1 / 0 } do
        refuses(function() Typed { [name] = number } end,
          "Typed." .. name .. " is " .. name)
      end
      for _, wrong in ipairs { "1", {}, true, print } do
        refuses(function() Typed { [name] = wrong } end, "Typed." .. name)
      end
    end
  end)

  it("rounds to f32, and refuses what is too large for one", function()
    local world = ecs.world {}
    local entity = world:spawn(Typed { f32 = 0.1, f64 = 0.1 })
    local narrow, wide = world:get(entity, Typed, "f32", "f64")
    assert.equal("0.10000000149011612", string.format("%.17g", narrow))
    assert.equal(0.1, wide)
    refuses(function() Typed { f32 = 1e39 } end, "Typed.f32", "1e+39")
    assert.equal(1 / 0, world:get(world:spawn(Typed { f32 = 1 / 0 }), Typed,
      "f32"))
  end)

  it("keeps a NaN as a NaN", function()
    local world = ecs.world {}
    local entity = world:spawn(Typed { f32 = 0 / 0, f64 = -(0 / 0) })
    local narrow, wide = world:get(entity, Typed, "f32", "f64")
    assert.is_true(narrow ~= narrow and wide ~= wide)
  end)

  it("takes booleans for bool, entities and nil for entity", function()
    local world = ecs.world {}
    local other = world:spawn()
    local entity = world:spawn(Typed { bool = true, entity = other })
    local bool, who = world:get(entity, Typed, "bool", "entity")
    assert.is_true(bool)
    assert.equal(other, who)
    refuses(function() Typed { bool = 1 } end, "true or false")
    refuses(function() Typed { entity = 0.5 } end, "an entity or nil")
    refuses(function() Typed { entity = -1 } end, "an entity or nil")
    refuses(function() Typed { entity = 2 ^ 52 } end, "an entity or nil")
  end)
end)
