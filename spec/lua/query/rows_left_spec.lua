-- What loops over rows leave behind: no garbage, no world that is kept alive,
-- and no change of the hash.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Velocity = scene.Position, scene.Velocity

describe("what loops over rows leave behind", function()
  it("is no garbage once they run", function()
    local world = ecs.world {}
    world:spawn_many(100, { Position, Velocity })
    local query = world:query { Position, read = { Velocity } }
    local function add(p, v) p.x = p.x + v.x end
    local function frames(rounds)
      for _ = 1, rounds do
        query:each(add)
        for _, p, v in query:rows() do p.y = p.y + v.x end
      end
    end
    -- LuaJIT needs some rounds until it has compiled the loops.
    local least = support.garbage_of(frames, 10, 400)
    -- That is far less than one object per row and frame.
    assert.is_true(least * 1024 < 10 * 100, least .. " KB in ten frames")
  end)

  it("is collected, loops that were left included", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local world = ecs.world {}
      local query = world:query { Position }
      world:spawn(Position)
      local kept
      query:each(function(p) kept = p end)
      world:system { name = "s", query = query, each = function()
        return world, kept
      end }
      world:progress(1)
      for _, p in query:rows() do
        weak[p] = true
        if kept then break end
      end
      weak[world], weak[query] = true, true
    end
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 6, left .. " are left")
  end)

  it("has room for queries of any number of shapes", function()
    assert.equal("ok\n", support.printed "spec/programs/shapes_program.lua")
  end)

  it("is nothing to the hash", function()
    local world = ecs.world {}
    world:spawn_many(10, { Position })
    local before = world:hash()
    local query = world:query { Position }
    query:each(function() end)
    for _ in query:rows() do break end -- luacheck: ignore 512
    for _, p in query:rows() do assert.equal(0, p.x) end
    assert.equal(before, world:hash())
  end)
end)
