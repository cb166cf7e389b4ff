-- Values of components of every size, made in line and kept. Where LuaJIT
-- compiles, they are structs of its FFI in three sizes, and calls are repeated
-- so that it does; on every VM they do and say the same.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
local unpack = rawget(_G, "unpack") or table.unpack

local ROUNDS = 80

local jit = rawget(_G, "jit")
local is_compiling = type(jit) == "table" and jit.status()

--- A component of so many fields of a type, and what a value gives of the first
-- and of the last.
local function sized(count, type)
  local fields = {}
  for k = 1, count do fields[("f%02d"):format(k)] = { type, k } end
  return ecs.component("Sized" .. type .. count, fields), "f01",
    ("f%02d"):format(count)
end

describe("values of a component", function()
  -- Images of 1 to 64 words of 8 bytes, with those around each limit.
  for type, counts in pairs {
    u8 = { 12, 13, 64 }, f32 = { 8, 9, 12, 13, 22, 23, 24, 25, 64 },
    f64 = { 1, 4, 5, 11, 12, 13, 64 },
  } do
    for _, count in ipairs(counts) do
      it("of " .. count .. " fields of " .. type .. " are stored", function()
        local Sized, first, last = sized(count, type)
        local world = ecs.world {}
        local e = world:spawn(Sized)
        for k = 1, ROUNDS do
          local made = world:spawn(Sized { [last] = k })
          assert.equal(k, world:get(made, Sized, last))
          if count > 1 then
            assert.equal(1, world:get(made, Sized, first))
          end
          world:set(e, Sized { [first] = 100 + k })
          assert.equal(100 + k, world:get(e, Sized, first))
          if count > 1 then
            assert.equal(count, world:get(e, Sized, last))
          end
          local bare = world:spawn()
          world:add(bare, Sized { [first] = k, [last] = k })
          assert.equal(k, world:get(bare, Sized, last))
          world:destroy(bare)
        end
      end)
    end
  end

  it("are checked, however often", function()
    local Sized = sized(13, "u8")
    local Small = sized(3, "u8")
    for _ = 1, ROUNDS do
      refuses(function() Sized { f01 = 256 } end, "Sizedu813.f01 is u8", "256")
      refuses(function() Small { f01 = 256 } end, "Sizedu83.f01 is u8", "256")
      refuses(function() Small { f01 = 0.5 } end, "not 0.5")
      refuses(function() Small { f01 = "1" } end, "not a string")
      refuses(function() Small { f09 = 1 } end, "no field 'f09'")
      refuses(function() Sized { f99 = 1 } end, "no field 'f99'")
      refuses(function() Small { f01 = Small {} } end, "not a value of Sized")
      refuses(function() Small({}, nil) end, "one table of fields")
      refuses(function() Small() end, "one table of fields")
      refuses(function() Small(Small {}) end, "one table of fields")
    end
  end)

  it("take tables that metatables lie about", function()
    local Sized = sized(5, "f32")
    local world = ecs.world {}
    for k = 1, ROUNDS do
      local lying = setmetatable({ f01 = k }, {
        __index = { f02 = 9 }, __pairs = error, __len = error,
      })
      assert.equal("Sizedf325 { f01 = " .. k .. ", f02 = 9 }",
        tostring(Sized(lying)))
      local e = world:spawn(Sized(lying))
      assert.same({ k, 9 }, { world:get(e, Sized, "f01", "f02") })
    end
  end)

  it("show what was given", function()
    local Mixed = ecs.component("MixedValue", {
      a = "bool", b = "entity", c = "i16", d = "f64",
    })
    for _ = 1, ROUNDS do
      assert.equal("MixedValue {}", tostring(Mixed {}))
      assert.equal("MixedValue { a = true, b = 7, c = -3, d = 0.5 }",
        tostring(Mixed { d = 0.5, c = -3, b = 7, a = true }))
      assert.equal("MixedValue { a = false }", tostring(Mixed { a = false }))
    end
  end)

  it("can be kept, compared and used as keys, each for itself", function()
    local Sized = sized(3, "f32")
    local kept, list = Sized { f01 = 1 }, {}
    for k = 1, ROUNDS do
      local other = Sized { f01 = 1 }
      list[kept] = k
      list[other] = -k
      assert.is_true(kept == kept and kept ~= other)
      assert.is_false(rawequal(kept, other))
      assert.is_false(kept == nil or kept == 1 or kept == "x" or kept == list)
      assert.equal(k, list[kept])
      assert.equal(-k, list[other])
    end
  end)

  it("hold nothing that a script can read or change", function()
    local Sized = sized(3, "f32")
    local value = Sized { f01 = 1 }
    for _ = 1, ROUNDS do
      refuses(function() return value.f01 end, "a value of Sizedf323",
        "cannot be read", "world:get(e, Sizedf323)")
      refuses(function() return value[1] end, "cannot be read")
      refuses(function() return value[nil] end, "cannot be read")
      refuses(function() return value[""] end, "cannot be read")
      refuses(function() return value.__index end, "cannot be read")
      refuses(function() value.f01 = 2 end, "cannot be changed")
      refuses(function() value[0] = 2 end, "cannot be changed")
    end
    assert.equal("Sizedf323 { f01 = 1 }", tostring(value))
    assert.is_false((pcall(setmetatable, value, {})))
  end)

  it("are spawned a million times in line", function()
    local Place = ecs.component("LinePlace", { x = "f64", y = "f64" })
    local Speed = ecs.component("LineSpeed", { dx = "f32" })
    local world, sum = ecs.world {}, 0
    local rounds = is_compiling and 1e6 or 1e4
    local e = world:spawn(Place, Speed)
    for k = 1, rounds do
      world:set(e, Place { x = k, y = -k })
      local made = world:spawn(Place { x = k }, Speed { dx = 1 })
      sum = sum + world:get(made, Place, "x") + world:get(e, Place, "y")
      world:destroy(made)
    end
    assert.equal(0, sum)
    assert.equal(1, world:stats().entities)
  end)

  it("are garbage afterwards", function()
    local Sized = sized(13, "f64")
    local Small = sized(3, "f64")
    local weak = setmetatable({}, { __mode = "k" })
    local world = ecs.world {}
    for k = 1, ROUNDS do
      local one, other = Sized { f01 = k }, Small { f01 = k }
      world:spawn(one, other)
      weak[one], weak[other] = true, true
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 4, left .. " are left")
  end)

  it("are the same objects when the module is loaded again", function()
    local Small = sized(3, "f64")
    local before = Small { f02 = 5 }
    local saved = {}
    for name, loaded in pairs(package.loaded) do
      if name:match "^ecs%f[%W]" then saved[name] = loaded end
    end
    for name in pairs(saved) do package.loaded[name] = nil end
    local ok, again = pcall(require, "ecs")
    for name in pairs(package.loaded) do
      if name:match "^ecs%f[%W]" then package.loaded[name] = nil end
    end
    for name, loaded in pairs(saved) do package.loaded[name] = loaded end
    assert.is_true(ok, tostring(again))
    local world, Same = again.world {}, again.component "Sizedf643"
    assert.equal(Small, Same)
    for k = 1, ROUNDS do
      local e = world:spawn(before)
      assert.equal(5, world:get(e, Small, "f02"))
      world:set(e, Same { f01 = k })
      assert.same({ k, 5 }, { world:get(e, Same, "f01", "f02") })
    end
  end)

  it("are named alike in messages of every VM", function()
    local Small = sized(3, "f64")
    local value, world = Small { f01 = 1 }, ecs.world {}
    local e = world:spawn()
    local function says(wanted, f, ...)
      local arguments, count = { ... }, select("#", ...)
      refuses(function() return (f(unpack(arguments, 1, count))) end, wanted)
    end
    local methods = world
    says("got: ecs.Value", methods.spawn, value)
    says("got: ecs.Value", methods.progress, value)
    says("get takes a component: pass Sizedf643 itself", methods.get, world, e,
      value)
    says("not a value of Sizedf643", methods.destroy, world, value)
    says("a field of Sizedf643 is named by a string, not by a value of "
      .. "Sizedf643", methods.get, world, e, Small, value)
    says("set takes one component", methods.set, world, e, Small, value)
    says("takes components without fields, not Sizedf643 { f01 = 1 }",
      methods.query, world, { value })
    says("not a userdata", ecs.math.sin, value)
    says("not a userdata", ecs.math.floor, value)
    says("not a userdata", methods.system, world, { name = "s", each = value,
      query = { Small } })
    says("not a value of Sizedf643", methods.profile, world, value)
    says("add to sum 'valued' takes a number, not a userdata",
      world:sum("valued").add, world:sum "valued", value)
    says("a list", methods.spawn_many, world, 1, value)
  end)

  it("leave functions that name one as they are on every VM", function()
    local Small = sized(3, "f64")
    local value, world, seen = Small { f01 = 1 }, ecs.world {}, 0
    local list = { start = value }
    world:spawn(Small)
    world:system { name = "named", query = { Small }, compile = false,
      each = function(s)
        if list.start == value and s.f01 == 1 then seen = seen + 1 end
      end }
    world:progress(1)
    assert.equal(1, seen)
    local text = refuses(function()
      world:system { name = "compiled", query = { Small }, compile = true,
        each = function(s) s.f01 = value end }
    end)
    assert.is_nil(text:find "cdata", text)
    assert.truthy(text:find("an object", 1, true), text)
  end)
end)
