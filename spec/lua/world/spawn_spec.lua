-- Spawning: one entity, many at once.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Enemy, scene.Stunned
local Seen = ecs.tag("Seen", { storage = "bits" })

describe("spawn", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("takes values, components and tags", function()
    local entity = world:spawn(Position { x = 1 }, Velocity, Enemy)
    assert.same({ x = 1, y = 0 }, world:get(entity, Position))
    assert.same({ x = 1, y = 0 }, world:get(entity, Velocity))
    assert.is_true(world:has(entity, Enemy))
  end)

  it("takes nothing", function()
    assert.is_true(world:alive(world:spawn()))
  end)

  it("takes forty parts", function()
    local parts = {}
    for k = 1, 40 do
      local Part = ecs.component("Part" .. k, { v = "f64" })
      parts[k] = Part { v = k }
    end
    local entity = world:spawn((table.unpack or unpack)(parts))
    assert.equal(40, world:get(entity, ecs.component("Part40", { v = "f64" }),
      "v"))
    assert.equal(40, #world:components(entity))
  end)

  it("refuses a part twice and changes nothing", function()
    local before = world:hash()
    refuses(function() world:spawn(Position, Position { x = 1 }) end,
      "Position twice")
    assert.equal(before, world:hash())
  end)

  it("refuses what is no part", function()
    refuses(function() world:spawn(nil) end, "nil")
    refuses(function() world:spawn { x = 1 } end, "Position { x = 1 }")
    refuses(function() world:spawn("Position") end, "string")
  end)

  it("is the same for every storage", function()
    local entity = world:spawn(Position, Stunned, Seen)
    assert.is_true(world:has(entity, Position, Stunned, Seen))
    assert.is_false(world:has(entity, Position, Enemy))
  end)
end)

describe("spawn_many", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("spawns with the values given and defaults for the rest", function()
    world:spawn_many(100, { Position { y = 3 }, Velocity, Enemy })
    assert.equal(100, world:query({ Position, with = { Enemy } }):count())
    world:query({ Position, Velocity }):batch(function(batch)
      for i = 1, batch.count do
        assert.equal(0, batch[Position].x[i])
        assert.equal(3, batch[Position].y[i])
        assert.equal(1, batch[Velocity].x[i])
      end
    end)
  end)

  it("returns nothing and hands the new rows to its function", function()
    local ids, total = {}, 0
    local results = select("#", world:spawn_many(50, { Position { x = 1 } },
      function(batch)
        for i = 1, batch.count do
          ids[#ids + 1] = batch.entities[i]
          batch[Position].x[i] = batch[Position].x[i] + #ids
        end
        total = total + batch.count
      end))
    assert.equal(0, results)
    assert.equal(50, total)
    for k, entity in ipairs(ids) do
      assert.equal(k + 1, world:get(entity, Position, "x"))
    end
  end)

  it("spawns none when asked for none", function()
    world:spawn_many(0, { Position }, function() error "called" end)
    assert.equal(0, world:query({ all = true }):count())
  end)

  it("refuses a number that is no count", function()
    for _, count in ipairs { -1, 0.5, 2 ^ 28, 0 / 0, 1 / 0, "3", {} } do
      refuses(function() world:spawn_many(count, { Position }) end, "how many")
    end
    refuses(function() world:spawn_many(1, Position) end, "list")
    refuses(function() world:spawn_many(1, { Position, Position }) end,
      "Position twice")
    refuses(function() world:spawn_many(1, { Position }, {}) end, "function")
    refuses(function() world:spawn_many(1, { 3 }) end, "3")
  end)

  it("can be used inside its own function", function()
    local depth = 0
    local function more(batch)
      batch[Position].x[1] = depth
      if depth == 3 then return end
      depth = depth + 1
      world:spawn_many(1, { Position }, more)
      assert.equal(1, batch.count)
    end
    world:spawn_many(1, { Position }, more)
    assert.equal(4, world:query({ Position }):count())
  end)
end)

describe("spawn_many with values", function()
  local Assorted = ecs.component("Assorted", {
    a = "u8", b = "i16", c = "f32", d = "f64", e = "bool",
    f = { "u8", 77 },
  })

  it("gives every row all of them, whatever their size", function()
    for _, count in ipairs { 0, 1, 2, 3, 4, 5, 7, 64, 1000, 5001 } do
      local world, rows = ecs.world {}, 0
      world:spawn_many(count, {
        Assorted { a = 200, b = -2000, c = 1.5, d = 1 / 3, e = true },
      })
      world:query({ read = { Assorted } }):batch(function(batch)
        local w = batch.Assorted
        for i = 1, batch.count do
          rows = rows + 1
          if w.a[i] ~= 200 or w.b[i] ~= -2000 or w.c[i] ~= 1.5
            or w.d[i] ~= 1 / 3 or w.e[i] ~= true or w.f[i] ~= 77 then
            error("row " .. i .. " of " .. count .. " differs")
          end
        end
      end)
      assert.equal(count, rows)
    end
  end)
end)
