-- What a script does to break things ends in plain errors.

local ecs = require "ecs"
local core = require "ecs.core"

local function nothing() end

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Enemy = ecs.tag "Enemy"

-- One of everything that a script can hold.
local function everything()
  local world = ecs.world {}
  local entity = world:spawn(Position)
  local query = world:query { Position }
  local things = {
    world, query, Position, Position { x = 1 }, Enemy, entity,
    io.stdout, coroutine.create(nothing), nothing, {}, "text", true, 0, -1, 1.5,
    2 ^ 53, 0 / 0, 1 / 0,
  }
  query:batch(function(batch)
    things[#things + 1] = batch
    things[#things + 1] = batch.Position
    things[#things + 1] = batch.Position.x
    things[#things + 1] = batch.entities
  end)
  return things, world, query
end

describe("metatables", function()
  it("are hidden", function()
    local _, world, query = everything()
    for _, object in ipairs { world, query, Position, Position {} } do
      assert.is_false(getmetatable(object))
    end
  end)

  it("put on another userdata make no world of it", function()
    local _, world, query = everything()
    local forged = io.tmpfile()
    local own = debug.getmetatable(forged)
    for _, object in ipairs { world, query, Position, Position {} } do
      debug.setmetatable(forged, debug.getmetatable(object))
      for _, method in ipairs { world.spawn, world.get, world.close,
          world.hash, query.count, query.batch, query.explain } do
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

describe("every function", function()
  -- Calls f with every combination of up to three things.
  local function assail(f, things, self)
    for _, a in ipairs(self and { self } or things) do
      pcall(f, a)
      for _, b in ipairs(things) do
        pcall(f, a, b)
        for _, c in ipairs(things) do pcall(f, a, b, c) end
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

describe("the collector", function()
  it("may run at any allocation", function()
    local pause = collectgarbage("setpause", 1)
    local step = collectgarbage("setstepmul", 10000)
    local world = ecs.world {}
    for k = 1, 300 do
      world:spawn(Position { x = k }, Enemy)
      local query = world:query { Position, with = { Enemy } }
      query:batch(function(batch)
        collectgarbage("step")
        batch.Position.x[1] = batch.Position.x[1] + 1
      end)
      if k % 50 == 0 then collectgarbage() end
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    assert.equal(300, world:query({ Position }):count())
  end)

  it("finds worlds, queries and the batches that scripts kept", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 20 do
      local world = ecs.world {}
      world:spawn(Position)
      local query, kept = world:query { Position }, nil
      query:batch(function(batch) kept = { batch, batch.Position.x } end)
      world:system { name = "s", query = query, batch = function()
        return world, kept
      end }
      world:progress(1)
      weak[world], weak[query] = true, true
    end
    collectgarbage()
    collectgarbage()
    collectgarbage()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 4, left .. " are left")
  end)
end)

describe("loading the module again", function()
  it("gives one that knows the definitions of the first", function()
    local world, loaded = ecs.world {}, {}
    world:spawn(Position { x = 3 })
    for name, module in pairs(package.loaded) do
      if name:match "^ecs" then loaded[name] = module end
    end
    for name in pairs(loaded) do package.loaded[name] = nil end
    local again = require "ecs"
    assert.equal(Position, again.component("Position",
      { x = "f32", y = "f32" }))
    local sum = 0
    world:query({ read = { Position } }):batch(function(batch)
      sum = sum + batch.Position.x[1]
    end)
    assert.equal(3, sum)
    for name, module in pairs(loaded) do package.loaded[name] = module end
  end)
end)
