-- Observers that try to break their world.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local Position = ecs.component("HobPosition", { x = "f32" })
local Health = ecs.component("HobHealth", { hp = "i32" },
  { storage = "sparse" })
local Enemy = ecs.tag "HobEnemy"

describe("hostile observers", function()
  local world

  before_each(function() world = ecs.world {} end)
  after_each(function() world:close() end)

  --- The world works and nothing is open in it.
  local function check()
    local count = world:query({ all = true }):count()
    local e = world:spawn(Enemy)
    world:clear()
    assert.is_false(world:alive(e))
    world:progress(1)
    assert.is_true(count >= 0)
  end

  local function refused(pattern, attack)
    local watch = world:on("add", Position, attack)
    assert.error_matches(function() world:spawn(Position) end, pattern)
    watch:off()
    check()
  end

  it("cannot close their world", function()
    refused("a world cannot be closed inside an observer",
      function() world:close() end)
  end)

  it("cannot clear it, run a frame or group", function()
    refused("clear", function() world:clear() end)
    refused("progress is not possible inside an observer",
      function() world:progress(1) end)
    refused("run is not possible inside an observer",
      function() world:run("update", 1) end)
    refused("group", function() world:group { Position } end)
  end)

  it("cannot yield", function()
    world:on("add", Position, function() coroutine.yield(1) end)
    local thread = coroutine.create(function() world:spawn(Position) end)
    local done, problem = coroutine.resume(thread)
    assert.is_false(done)
    assert.matches("attempt to yield across", problem)
    check()
  end)

  it("may be called in a coroutine", function()
    local seen
    world:on("add", Position, function(_, p) seen = p.x end)
    local thread = coroutine.wrap(function()
      world:spawn(Position { x = 3 })
      coroutine.yield()
      world:spawn(Position { x = 4 })
    end)
    thread()
    thread()
    assert.equal(4, seen)
  end)

  it("may raise anything", function()
    for _, problem in ipairs { false, 5, {}, print, "text" } do
      local watch = world:on("add", Position, function() error(problem, 0) end)
      local done, raised = pcall(world.spawn, world, Position)
      assert.is_false(done)
      assert.equal(problem, raised)
      watch:off()
    end
    local watch = world:on("add", Position, function() error() end)
    assert.is_false((pcall(world.spawn, world, Position)))
    watch:off()
    check()
  end)

  it("may collect garbage, and be garbage", function()
    for _ = 1, 20 do
      world:on("add", Position, function(e, p)
        collectgarbage()
        p.x = p.x + 1
        world:add(e, Health)
        collectgarbage()
      end)
    end
    local e = world:spawn(Position)
    assert.equal(20, world:get(e, Position, "x"))
    assert.is_true(world:has(e, Health))
    check()
  end)

  it("may end each other and make others", function()
    local watches, calls = {}, 0
    for k = 1, 8 do
      watches[k] = world:on("add", Position, function()
        calls = calls + 1
        for _, other in pairs(watches) do other:off() end
        world:on("remove", Position, function() calls = calls + 10 end)
      end)
    end
    local e = world:spawn(Position)
    assert.equal(1, calls)
    world:remove(e, Position)
    assert.equal(11, calls)
  end)

  it("may walk, spawn many and change everything", function()
    local query = world:query { Position }
    local rounds = 0
    world:on("add", Position, function(e, p)
      rounds = rounds + 1
      if rounds > 20 then return end
      query:each(function(q) q.x = q.x + 1 end)
      for other, q in query:rows() do
        q.x = q.x + 1
        world:add(other, Health)
      end
      query:batch(function(b)
        for i = 1, b.count do b.HobPosition.x[i] = i end
      end)
      p.x = 100
      query:add(Enemy)
      world:spawn_many(2, { Position { x = 1 } })
      query:set(Position, "x", 7)
      if rounds == 9 then query:destroy() end
      world:destroy(e)
      p.x = 8 -- it is there until all of this is applied
    end)
    world:spawn(Position)
    assert.is_true(rounds > 20)
    check()
  end)

  it("may observe what they cause, of a query", function()
    local left = 0
    local query = world:query { Position, without = { Enemy } }
    world:on("enter", query, function(e) world:add(e, Enemy) end)
    world:on("leave", query, function(e, p)
      left = left + p.x
      world:destroy(e)
    end)
    for k = 1, 10 do world:spawn(Position { x = k }) end
    assert.equal(55, left)
    assert.equal(0, world:query({ all = true }):count())
  end)

  it("may change other worlds, which have observers", function()
    local other = ecs.world {}
    local calls = 0
    other:on("add", Position, function() calls = calls + 1 end)
    world:on("add", Position, function(_, p)
      other:spawn(Position { x = p.x })
      assert.equal(1, calls) -- nothing is open there
      other:close()
    end)
    world:spawn(Position)
    assert.equal(1, calls)
    assert.error_matches(function() other:spawn() end, "closed")
  end)

  it("keep neither a closed world nor a lost one", function()
    local kept = setmetatable({}, { __mode = "k" })
    do
      local lost = ecs.world {}
      kept[lost] = true
      lost:on("add", Position, function() return lost end)
      lost:spawn(Position)
    end
    support.collect()
    assert.is_nil(next(kept))
    local closed = ecs.world {}
    local watch = closed:on("add", Position, print)
    closed:close()
    watch:off()
    assert.error_matches(function() closed:on("add", Position, print) end,
      "closed")
  end)

  it("have batches that end with the call", function()
    local kept
    world:on("add", Position, function(b) kept = b end, { batch = true })
    world:spawn_many(3, { Position })
    assert.error_matches(function() return kept.count end, "over")
    world:on("add", Position, function(b)
      assert.equal(1, b.count)
      error "in a batch"
    end, { batch = true })
    assert.error_matches(function() world:spawn(Position) end, "in a batch")
    check()
  end)

  it("cannot be called on other values", function()
    local watch = world:on("add", Position, print)
    assert.error_matches(function() watch.off() end, "off")
    assert.error_matches(function() watch.off(world) end, "off")
    assert.error_matches(function() return watch.of end, "of")
    assert.is_false(debug.getmetatable(watch).__metatable)
  end)
end)
