-- Saves of every version of the format: they load, and are written as the same
-- bytes.

local ecs = require "ecs"

local Place = ecs.component("SamplePlace", { x = "f32", n = { "i16", 7 } },
  { storage = "sparse" })
local Dead = ecs.tag("SampleDead", { storage = "bits" })
local Skin = ecs.component("SampleSkin", { name = "string", image = "any" })

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

--- A world of a sample, and the sample.
local function load(version, options)
  local bytes, world = read("spec/samples/version" .. version .. ".save"),
    ecs.world {}
  options = options or {}
  options.bytes = bytes
  assert.same({ true, {} }, { world:load(options) })
  return world, bytes
end

describe("a sample", function()
  it("of version 1 has what was saved", function()
    local world, bytes = load(1)
    local a = world:find "first"
    assert.same({ 1.5, 7 }, { world:get(a, Place, "x"),
      world:get(a, Place, "n") })
    local b = world:query({ read = { Place }, with = { Dead } }):first()
    assert.same({ -2, -3 }, { world:get(b, Place, "x"),
      world:get(b, Place, "n") })
    local child = world:query({ read = { ecs.ChildOf } }):first()
    assert.equal(a, world:parent(child))
    assert.equal(4, world:array("walls", "u8", 2, 3)[2][3])
    assert.equal(bytes, world:save())
  end)

  it("of version 2 has strings and any values, too", function()
    local function decode(name) return _G[name] end
    local world, bytes = load(2, { decode = { any = decode } })
    local a = world:find "first"
    assert.equal("orc", world:get(a, Skin, "name"))
    assert.same({ file = "orc.png", size = { 16, 16.5 } },
      world:get(a, Skin, "image"))
    local images = {}
    for _, skin in world:query({ read = { Skin } }):rows() do
      images[#images + 1] = skin.image
    end
    assert.equal(3, #images)
    assert.equal(bytes, world:save { encode = { any = function(value)
      return value == print and "print" or nil
    end } })
    local found = {}
    for _, image in ipairs(images) do found[image] = true end
    assert.is_true(found[print] and found["orc"])
  end)
end)
