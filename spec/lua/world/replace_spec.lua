-- world:replace and query:replace: one component for another in one move.

local ecs = require "ecs"
local support = require "spec.support.support"

local Place = ecs.component("ReplacePlace", { x = "f32", y = "f64", z = "i16",
  w = "u8" })
local Site = ecs.component("ReplaceSite", { since = "f32", left = "i8" })
local House = ecs.component("ReplaceHouse", { floors = { "u8", 1 },
  area = "f64" })
local Built, Sold = ecs.tag "ReplaceBuilt", ecs.tag "ReplaceSold"
local Light = ecs.component("ReplaceLight", { v = "f32" },
  { storage = "sparse" })
local Seen = ecs.tag("ReplaceSeen", { storage = "bits" })
local all = { Site, House, Built, Sold, Light, Seen }

local function crowd(count)
  local world, ids = ecs.world(), {}
  for k = 1, count do
    ids[k] = world:spawn(Place { x = k, y = k / 3, z = -k, w = k % 256 },
      Site { since = k, left = k % 100 })
  end
  return world, ids
end

describe("replace", function()
  it("takes one component and gives another", function()
    local world, ids = crowd(20)
    for k, e in ipairs(ids) do
      world:replace(e, Site, House { floors = k })
      assert.is_false(world:has(e, Site))
      assert.same({ k, 0 }, { world:get(e, House, "floors", "area") })
      assert.same({ k, k / 3, -k, k },
        { world:get(e, Place, "x", "y", "z", "w") })
    end
    for _, e in ipairs(ids) do world:replace(e, House, Site) end
    assert.equal(0, world:get(ids[7], Site, "since"))
  end)

  it("is a removal and an addition, from any storage to any other", function()
    for _, gone in ipairs(all) do
      for _, part in ipairs(all) do
        if gone ~= part then
          local one, ids = crowd(9)
          local other, others = crowd(9)
          for turn = 1, 2 do
            for k = 1, 9 do
              if k % 2 == turn % 2 then
                one:add(ids[k], gone)
                other:add(others[k], gone)
              end
              one:replace(ids[k], gone, part)
              other:remove(others[k], gone)
              other:add(others[k], part)
            end
          end
          assert.equal(other:state_hash(), one:state_hash())
        end
      end
    end
  end)

  it("leaves what is present as it is, or sets what is given", function()
    local world = ecs.world()
    local e = world:spawn(Site, House { floors = 4, area = 8 })
    world:replace(e, Site, House)
    assert.same({ 4, 8 }, { world:get(e, House, "floors", "area") })
    world:replace(e, Site, House { area = 9 })
    assert.same({ 4, 9 }, { world:get(e, House, "floors", "area") })
    world:replace(e, Built, House, { floors = 2 })
    assert.same({ 2, 9 }, { world:get(e, House, "floors", "area") })
  end)

  it("is recorded inside callbacks", function()
    local world = crowd(5)
    world:query({ Place, with = { Site } }):batch(function(b)
      for k = 1, b.count do
        world:replace(b.entities[k], Site, House { floors = 3 })
        assert.is_true(world:has(b.entities[k], Site))
      end
    end)
    assert.equal(5, world:query({ with = { House } }):count())
    assert.equal(0, world:query({ with = { Site } }):count())
  end)

  it("changes all matches of a query", function()
    local world, ids = crowd(50)
    local plots = world:query { Place, with = { Site } }
    world:query({ with = { Site } }):rows()
    plots:replace(Site, House { floors = 5 })
    assert.equal(0, plots:count())
    assert.equal(5, world:get(ids[50], House, "floors"))
    world:query({ Place }):replace(House, Built)
    assert.equal(50, world:query({ with = { Built } }):count())
    world:query({ Place }):replace(House, Built)
    assert.equal(50, world:query({ with = { Built } }):count())
  end)

  it("refuses what makes no sense, and changes nothing", function()
    local world, ids = crowd(2)
    local e, state = ids[1], world:state_hash()
    local query = world:query { Place }
    local function refused(text, f) support.refuses(f, text) end
    refused("replace: ReplaceSite cannot be replaced by itself",
      function() world:replace(e, Site, Site) end)
    refused("replace: ReplaceSite cannot be replaced by itself",
      function() query:replace(Site, Site { since = 1 }) end)
    refused("call it once for each component",
      function() world:replace(e, Site, House, Built) end)
    refused("replace", function() world:replace(e, Site) end)
    refused("replace", function() world:replace(e, 7, Site) end)
    refused("floors",
      function() world:replace(e, Site, House, { floors = 1000 }) end)
    refused("not alive", function() world:replace(999, Site, House) end)
    assert.equal(state, world:state_hash())
  end)
end)
