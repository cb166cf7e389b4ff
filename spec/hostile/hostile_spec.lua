-- What a script does to break things ends in plain errors: metatables that are
-- exchanged, functions of rows that are called by hand, and every function with
-- every kind of argument.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

local function nothing() end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

-- One of each kind of value that a script can hold.
local function everything()
  local world = ecs.world {}
  local entity = world:spawn(Position)
  local query = world:query { Position }
  local things = {
    world, query, Position, Position { x = 1 }, Enemy, entity,
    io.stdout, coroutine.create(nothing), nothing, {}, "no folder/text", true,
    0, -1, 1.5, 2 ^ 53, 0 / 0, 1 / 0, -- world:save writes none of these
  }
  query:batch(function(batch)
    things[#things + 1] = batch
    things[#things + 1] = batch.Position
    things[#things + 1] = batch.Position.x
    things[#things + 1] = batch.entities
  end)
  query:each(function(row) things[#things + 1] = row end)
  local step, loop = query:rows()
  things[#things + 1] = step
  things[#things + 1] = loop or step
  things[#things + 1] = select(2, step(loop))
  return things, world, query
end

describe("metatables", function()
  it("are hidden", function()
    local _, world, query = everything()
    for _, object in ipairs { world, query, Position } do
      assert.is_false(getmetatable(object))
    end
    -- LuaJIT says this of all C data.
    local of_value = getmetatable(Position {})
    assert.is_true(of_value == false or of_value == "ffi")
  end)

  it("put on another userdata make no world of it", function()
    local _, world, query = everything()
    local forged = io.tmpfile()
    local own = debug.getmetatable(forged)
    for _, object in ipairs { world, query, Position, Position {} } do
      debug.setmetatable(forged, debug.getmetatable(object))
      for _, method in ipairs { world.spawn, world.get, world.close,
          world.hash, query.count, query.batch, query.explain, query.add,
          query.remove, query.set, query.destroy, query.first, query.each,
          query.rows } do
        assert.is_false((pcall(method, forged, nothing)))
      end
      assert.is_false((pcall(world.spawn, world, forged)))
      pcall(debug.getmetatable(object).__gc or nothing, forged)
    end
    debug.setmetatable(forged, own)
    forged:close()
    assert.equal(1, query:count())
  end)

  it("exchanged between our objects make plain errors", function()
    local _, world, query = everything()
    local a, b = debug.getmetatable(world), debug.getmetatable(query)
    debug.setmetatable(world, b)
    debug.setmetatable(query, a)
    assert.is_false((pcall(b.__index.count, world)))
    assert.is_false((pcall(a.__index.spawn, query)))
    pcall(a.__gc, query)
    pcall(b.__gc, world)
    debug.setmetatable(world, a)
    debug.setmetatable(query, b)
    assert.equal(1, query:count())
  end)

  it("have finalizers that can be called at any time", function()
    local _, world, query = everything()
    local finish = debug.getmetatable(query).__gc
    finish(query)
    finish(query)
    assert.is_false((pcall(query.count, query)))
    query = world:query { Position }
    finish = debug.getmetatable(world).__gc
    finish(world)
    finish(world)
    assert.is_false((pcall(query.count, query)))
    assert.is_false((pcall(world.spawn, world)))
  end)

  it("have finalizers that can be called inside a walk", function()
    local _, world, query = everything()
    local ok, text = pcall(query.batch, query, function(batch)
      local x = batch.Position.x
      x[1] = 1
      debug.getmetatable(query).__gc(query)
      debug.getmetatable(world).__gc(world)
      x[1] = x[1] + 1
      world:spawn(Position)
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed inside", 1, true), text)
    assert.equal("ecs.World (closed)", tostring(world))
  end)
end)

describe("the functions of a row", function()
  it("serve that row alone", function()
    local _, _, query = everything()
    local first, other
    query:each(function(row)
      query = nil
      first = row
    end)
    for _, row in ecs.world {}:query({ Position }):rows() do other = row end
    assert.is_nil(other)
    local meta = debug.getmetatable(first)
    for _, name in ipairs { "__index", "__newindex", "__tostring" } do
      for _, thing in ipairs { io.stdout, {}, 0, "x" } do
        pcall(meta[name], thing, "x", 1)
      end
      pcall(meta[name])
    end
    assert.is_false((pcall(meta.__index, io.stdout, "x")))
    assert.is_false((pcall(meta.__index, first, "x")))
  end)

  it("survive other metatables", function()
    local _, _, query = everything()
    for _, row in query:rows() do
      local meta = debug.getmetatable(row)
      local forged = io.tmpfile()
      local own = debug.getmetatable(forged)
      debug.setmetatable(forged, meta)
      pcall(function() return forged.x end)
      pcall(function() forged.x = 1 end)
      debug.setmetatable(forged, own)
      forged:close()
      debug.setmetatable(row, nil)
      collectgarbage()
      pcall(meta.__index, row, "x")
      debug.setmetatable(row, meta)
      -- Generated code uses its own row, whatever row it is called with.
      assert.is_true(row.x == 0 or row.x == 1)
    end
    assert.equal(1, query:count())
  end)

  it("survive finalizers called by hand", function()
    local _, world, query = everything()
    world:spawn(Position)
    local steps = 0
    local ok, text = pcall(function()
      for _, row in query:rows() do
        steps = steps + 1
        debug.getmetatable(query).__gc(query)
        assert.equal(0, row.x) -- nothing has moved
        world:spawn(Position)
        assert.is_false((pcall(function() return row.x end)))
        debug.getmetatable(world).__gc(world)
        assert.is_false((pcall(function() return row.x end)))
        assert.is_false((pcall(function() row.x = 1 end)))
      end
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed", 1, true), text)
    assert.equal(1, steps)
    _, world, query = everything()
    ok, text = pcall(query.each, query, function(row)
      row.x = 1
      debug.getmetatable(query).__gc(query)
      debug.getmetatable(world).__gc(world)
      row.x = row.x + 1
      assert.equal(2, row.x)
    end)
    assert.is_false(ok)
    assert.truthy(text:find("closed inside", 1, true), text)
    assert.equal("ecs.World (closed)", tostring(world))
  end)
end)

describe("every function", function()
  -- A run under a sanitizer is slow, so it skips most third arguments.
  local stride = os.getenv "ECS_SPEC_SHORT" and 9 or 1

  -- Calls f with every combination of up to three things.
  local function assail(f, things, self)
    for at, a in ipairs(self and { self } or things) do
      pcall(f, a)
      for k, b in ipairs(things) do
        pcall(f, a, b)
        for third = (at + k) % stride + 1, #things, stride do
          pcall(f, a, b, things[third])
        end
      end
    end
  end

  it("of a world survives every kind of argument", function()
    for name, method in pairs(debug.getmetatable(ecs.world {}).__index) do
      if name ~= "progress" then
        local things, world = everything()
        assail(method, things, world)
        if pcall(world.hash, world) then world:progress(1) end
      end
    end
  end)

  it("of a query survives every kind of argument", function()
    local things, world, query = everything()
    for _, method in pairs(debug.getmetatable(query).__index) do
      assail(method, things, query)
      assail(method, things)
    end
    assert.is_true(pcall(world.hash, world))
  end)

  it("of the module survives every kind of argument", function()
    local things = everything()
    for _, f in pairs(ecs) do
      if type(f) == "function" then assail(f, things) end
    end
  end)

  it("of ecs.core survives every kind of argument", function()
    for name, f in pairs(core) do
      if type(f) == "function" and name ~= "share" and name ~= "install" then
        assail(f, (everything()))
      end
    end
    assert.is_false((pcall(core.share, "build", 3)))
    assert.is_false((pcall(core.share, "other", {})))
    assert.is_false((pcall(core.install, "ecs.View", {})))
    assert.is_false((pcall(core.share, "rows", 3)))
  end)

  it("of a closed world raises", function()
    local world = ecs.world {}
    world:close()
    for name, method in pairs(debug.getmetatable(world).__index) do
      if name ~= "close" then
        local ok, text = pcall(method, world, 1, Position, "x")
        assert.is_false(ok, name)
        assert.truthy(text:find("closed", 1, true), name .. ": " .. text)
      end
    end
  end)
end)
