-- Systems with an each that run as plain Lua: arguments, errors, when their
-- changes are applied, and how they are replaced.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Sprite =
  scene.Position, scene.Velocity, scene.Sprite

describe("a system of kind each", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("gets rows, dt and the entity", function()
    local first = world:spawn(Position, Velocity { x = 4 })
    local second = world:spawn(Position { x = 1 }, Velocity { x = 8 }, Sprite)
    local seen = {}
    world:system {
      name = "move",
      query = { Position, read = { Velocity }, optional = { Sprite } },
      each = function(p, v, sprite, dt, e)
        p.x = p.x + v.x * dt
        seen[e] = sprite ~= nil
      end,
    }
    world:progress(0.5)
    world:progress(0.25)
    assert.equal(3, world:get(first, Position, "x"))
    assert.equal(7, world:get(second, Position, "x"))
    assert.same({ [first] = false, [second] = true }, seen)
  end)

  it("takes a query that was made before", function()
    world:spawn(Position)
    local query, count = world:query { Position }, 0
    world:system { name = "count", query = query, each = function()
      count = count + 1
    end }
    world:progress(1)
    query:each(function() count = count + 10 end)
    assert.equal(11, count)
  end)

  it("needs a query and a function, and no other kind beside it", function()
    refuses(function() world:system { name = "a", each = print } end,
      "system 'a'", "each needs a query")
    refuses(function()
      world:system { name = "a", query = { Position }, each = "x" }
    end, "its each is text that is no function")
    refuses(function()
      world:system { name = "a", query = { Position }, each = print,
        batch = print }
    end, "has both each and batch")
  end)

  it("has its changes applied when it ends", function()
    world:spawn(Position)
    local counts = {}
    world:system { name = "spawn", query = { Position }, each = function()
      world:spawn(Position)
    end }
    world:system { name = "count", run = function()
      counts[#counts + 1] = world:query({ Position }):count()
    end }
    world:progress(1)
    world:progress(1)
    assert.same({ 2, 4 }, counts)
  end)

  it("is named by its errors", function()
    world:spawn(Position)
    world:system { name = "wrong", query = { read = { Position } },
      each = function(p) p.x = 1 end }
    local ok, text = pcall(world.progress, world, 1)
    assert.is_false(ok)
    assert.truthy(text:match("^%S*system_each_spec.lua:%d+: ecs: Position is "
      .. "only read by system 'wrong'.*%(in system 'wrong'%)\n"), text)
    local thrown = {}
    world:system { name = "wrong", query = { Position },
      each = function() error(thrown) end }
    local _, caught = pcall(world.progress, world, 1)
    assert.equal(thrown, caught)
    world:system { name = "wrong", query = { Position },
      each = function(p) p.x = {} end }
    ok, text = pcall(world.progress, world, 1)
    assert.is_false(ok)
    assert.truthy(text:find("Position.x is f32 and cannot hold a table", 1,
      true), text)
    assert.truthy(text:find("(in system 'wrong')", 1, true), text)
  end)

  it("drops what it recorded when it fails, and the frame ends", function()
    local e, later = world:spawn(Position), 0
    world:spawn(Position)
    world:system {
      name = "fail", query = { Position },
      each = function(p, _, id)
        p.x = 5
        world:destroy(id)
        if id ~= e then error "stop" end
      end,
    }
    world:system { name = "later", run = function() later = later + 1 end }
    assert.is_false((pcall(world.progress, world, 1)))
    assert.equal(0, later)
    assert.equal(2, world:query({ Position }):count())
    assert.equal(5, world:get(e, Position, "x"))
  end)

  it("is replaced in its place, also while the frame runs", function()
    world:spawn(Position)
    local order = {}
    local function each(mark)
      return function() order[#order + 1] = mark end
    end
    world:system { name = "change", run = function()
      world:system { name = "work", query = { Position }, each = each "B" }
    end }
    world:system { name = "work", query = { Position }, each = each "A" }
    world:system { name = "last", query = { Position }, each = each "Z" }
    world:progress(1)
    world:progress(1)
    assert.equal("BZBZ", table.concat(order))
  end)

  it("cannot replace itself while it runs", function()
    world:spawn(Position)
    local text
    world:system { name = "self", query = { Position }, each = function()
      text = select(2, pcall(world.system, world, { name = "self",
        query = { Position }, each = print }))
    end }
    world:progress(1)
    assert.truthy(text:find("cannot be defined inside system 'self'", 1,
      true), text)
  end)

  it("cannot be yielded out of", function()
    world:spawn(Position)
    world:system { name = "yields", query = { Position }, each = function()
      coroutine.yield()
    end }
    support.cannot_yield(function() world:progress(1) end)
    assert.equal(1, world:query({ Position }):count())
  end)
end)
