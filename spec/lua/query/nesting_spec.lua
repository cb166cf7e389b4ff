-- Loops in loops and callbacks in callbacks, up to a limit that the error
-- names. Nothing is left open after the error.

local ecs = require "ecs"

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position

describe("nesting", function()
  local world, reading
  before_each(function()
    world = ecs.world {}
    world:spawn(Position { x = 1 })
    reading = world:query { read = { Position } }
  end)

  local function check_free()
    world:spawn(Position)
    assert.equal(2, reading:count())
    world:progress(0)
    world:clear()
    world:close()
  end

  -- How deep they nest until an error names the limit.
  local function dive(enter)
    local depth, message = 0, nil
    local function deeper()
      depth = depth + 1
      if depth > 1000 then return end
      local ok, text = pcall(enter, deeper)
      if not ok and not message then message = text end
    end
    deeper()
    return depth, message
  end

  local ways = {
    batch = function(deeper) reading:batch(deeper) end,
    each = function(deeper) reading:each(deeper) end,
    spawn_many = function(deeper) world:spawn_many(1, {}, deeper) end,
  }
  local names = { "batch", "each", "spawn_many" }

  for _, name in ipairs(names) do
    it("of " .. name .. " stops at a limit that is named", function()
      local depth, message = dive(ways[name])
      assert.is_true(depth >= 32 and depth <= 65, depth)
      assert.truthy(message:find("^ecs: ") or message:find(": ecs: "), message)
      assert.truthy(message:find("limit", 1, true), message)
      world:clear()
      world:spawn(Position)
      check_free()
    end)
  end

  it("of one in the other, too", function()
    local turn = 0
    local depth, message = dive(function(deeper)
      turn = turn + 1
      ways[names[turn % #names + 1]](deeper)
    end)
    assert.is_true(depth >= 32 and depth <= 65, depth)
    assert.truthy(message:find("limit", 1, true), message)
    world:clear()
    world:spawn(Position)
    check_free()
  end)

  it("of loops of rows has only Lua's own limit, and holds nothing", function()
    local depth = 0
    local function deeper()
      depth = depth + 1
      if depth == 500 then error "deep enough" end
      for _ in reading:rows() do deeper() end
    end
    assert.is_false((pcall(deeper)))
    assert.equal(500, depth)
    check_free()
  end)

  it("of frames is refused", function()
    local message
    world:system { name = "s", run = function()
      local ok, text = pcall(world.progress, world, 0)
      assert.is_false(ok)
      message = text
    end }
    world:progress(0)
    assert.truthy(message:find("ecs: progress", 1, true), message)
    world:remove_system "s"
    check_free()
  end)
end)
