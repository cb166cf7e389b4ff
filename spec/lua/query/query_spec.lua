-- Queries: what they match, what they refuse, and what explain says of them.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Sprite, scene.Enemy, scene.Stunned
local Seen = ecs.tag("Seen", { storage = "bits" })

-- How often a query shows each entity.
local function shown(query)
  local seen = {}
  query:batch(function(batch)
    for i = 1, batch.count do
      local entity = batch.entities[i]
      seen[entity] = (seen[entity] or 0) + 1
    end
  end)
  return seen
end

describe("a query", function()
  local world, plain, moving, stunned, enemy
  before_each(function()
    world = ecs.world {}
    plain = world:spawn(Position)
    moving = world:spawn(Position, Velocity)
    stunned = world:spawn(Position, Velocity, Stunned)
    enemy = world:spawn(Position, Enemy, Seen)
    world:spawn(Velocity)
  end)

  it("matches entities that have all its terms", function()
    assert.same({ [plain] = 1, [moving] = 1, [stunned] = 1, [enemy] = 1 },
      shown(world:query { Position }))
    assert.same({ [moving] = 1, [stunned] = 1 },
      shown(world:query { Position, read = { Velocity } }))
  end)

  it("is filtered by with and without", function()
    assert.same({ [stunned] = 1 },
      shown(world:query { Position, with = { Stunned } }))
    assert.same({ [plain] = 1, [moving] = 1, [enemy] = 1 },
      shown(world:query { Position, without = { Stunned } }))
    assert.same({ [enemy] = 1 },
      shown(world:query { with = { Seen }, without = { Velocity } }))
    assert.same({ [plain] = 1, [moving] = 1, [stunned] = 1 },
      shown(world:query { read = { Position }, without = { Seen } }))
  end)

  it("of everything matches every entity", function()
    assert.equal(5, world:query({ all = true }):count())
  end)

  it("counts what it would show", function()
    for _, spec in ipairs {
      { Position }, { Position, Velocity }, { Enemy }, { all = true },
      { read = { Position }, with = { Stunned } },
      { Position, without = { Velocity, Seen } },
      { Velocity, optional = { Sprite } },
    } do
      local query, total = world:query(spec), 0
      for _, times in pairs(shown(query)) do
        assert.equal(1, times)
        total = total + 1
      end
      assert.equal(total, query:count())
    end
  end)

  it("sees entities that come and go", function()
    local query = world:query { Position, with = { Enemy } }
    world:add(plain, Enemy)
    assert.same({ [plain] = 1, [enemy] = 1 }, shown(query))
    world:destroy(enemy)
    assert.same({ [plain] = 1 }, shown(query))
  end)

  it("explains how it runs", function()
    local full = world:query { Position, read = { Velocity } }:explain()
    assert.truthy(full:find("full", 1, true), full)
    assert.truthy(full:find("Position", 1, true), full)
    local partial = world:query { Position, Velocity, Stunned }:explain()
    assert.truthy(partial:find("partial", 1, true), partial)
    assert.not_equal("\n", full:sub(-1))
  end)

  it("says what it asks for", function()
    assert.equal("ecs.Query (query { Position, read = { Velocity }, "
      .. "without = { Enemy, Stunned } })", tostring(world:query {
        Position, read = { Velocity }, without = { Stunned, Enemy } }))
    assert.equal("ecs.Query (query { all = true })",
      tostring(world:query { all = true }))
  end)

  it("refuses what is no query", function()
    refuses(function() world:query(Position) end, "table")
    refuses(function() world:query() end, "table")
    refuses(function() world:query { Position, Position } end,
      "names Position twice")
    refuses(function() world:query { Position, with = { Position } } end,
      "names Position twice")
    refuses(function() world:query { reads = { Position } } end, "'reads'",
      "read, optional")
    refuses(function() world:query { read = Position } end, "list")
    refuses(function() world:query { "Position" } end, "string")
    refuses(function() world:query { Position { x = 1 } } end,
      "without fields, not Position { x = 1 }")
    refuses(function() world:query { nil, Position } end, "entry 1 is nil",
      "variable")
  end)

  it("is dropped when nothing uses it", function()
    for _ = 1, 2000 do world:query { Position } end
    collectgarbage()
    collectgarbage()
    assert.equal(4, world:query({ Position }):count())
  end)
end)
