-- Entities whose numbers are so large that texts do not keep all digits: in
-- saves, and in messages.

local ecs = require "ecs"

local Link = ecs.component("SaveLink", { to = "entity", n = "u8" })
--- An entity with this index that has lived so often.
local function old(world, index, lives, ...)
  local e = index + lives * 2 ^ 28
  return assert(world:spawn_as((math.tointeger or function(n) return n end)(e),
    ...))
end

describe("a save", function()
  it("has entities with all digits of their numbers", function()
    local world, other = ecs.world {}, ecs.world {}
    local a = old(world, 7, 4000000, Link { n = 1 })
    local b = old(world, 8, 4000000, Link { n = 2, to = a })
    world:set(a, Link, "to", b)
    world:name(b, "b")
    assert.is_true(other:load { bytes = world:save() })
    assert.equal(2, other:stats().entities)
    assert.equal(b, other:get(a, Link, "to"))
    assert.equal(a, other:get(other:find "b", Link, "to"))
    assert.equal(world:hash(), other:hash())
  end)
end)

describe("the number of an entity as a text", function()
  it("has all of its digits by %d, and in messages", function()
    local world = ecs.world {}
    local e = old(world, 7, 4000001)
    local text = ("%d"):format(e)
    assert.equal(e, tonumber(text))
    world:destroy(e)
    local _, problem = pcall(world.set, world, e, Link, "n", 1)
    assert.truthy(problem:find("entity " .. text, 1, true), problem)
    for _, number in ipairs { 2 ^ 52, 2 ^ 52 + 1, 2 ^ 53 - 1 } do
      _, problem = pcall(world.spawn_as, world, number)
      assert.truthy(problem:find((" %.0f is no handle"):format(number), 1,
        true), problem)
    end
    assert.equal("SaveLink { n = 1, to = " .. text .. " }",
      tostring(Link { n = 1, to = e }))
    _, problem = pcall(ecs.world, { seed = -2 ^ 52 - 1 })
    assert.truthy(problem:find("not -4503599627370497", 1, true), problem)
  end)
end)
