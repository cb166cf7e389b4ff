-- Frames make no garbage: only the callback of a system allocates. Calls make
-- garbage only where the reference says so.

local ecs = require "ecs"
local garbage_of = dofile("spec/support/support.lua").garbage_of

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy = scene.Position, scene.Velocity, scene.Enemy

-- Kilobytes that a thousand frames allocate.
local function garbage(frame)
  return garbage_of(function(rounds)
    for _ = 1, rounds do frame() end
  end, 1000, 200)
end

for _, flush in ipairs { "system", "frame" } do
  describe("a frame (flush = '" .. flush .. "')", function()
    local world
    before_each(function()
      world = ecs.world { flush = flush }
      world:spawn_many(100, { Position, Velocity })
      world:spawn_many(100, { Position, Velocity, Enemy })
    end)

    local function progress() world:progress(1 / 64) end

    it("that allocates is seen here", function()
      local kept
      world:system { name = "s", run = function() kept = {} end }
      assert.is_true(garbage(progress) > 10)
      assert.same({}, kept)
    end)

    it("of no systems makes no garbage", function()
      assert.equal(0, garbage(progress))
    end)

    it("of run systems makes no garbage", function()
      local sum = 0
      for k = 1, 5 do
        world:system { name = "s" .. k, phase = k == 5 and "last" or "update",
          run = function(_, dt) sum = sum + dt end }
      end
      assert.equal(0, garbage(progress))
      assert.equal(0, garbage(function() world:run("last", 1) end))
      assert.is_true(sum > 0)
    end)

    it("of batch systems makes no garbage", function()
      world:system {
        name = "move", query = { Position, read = { Velocity } },
        batch = function(batch, dt)
          local p, v = batch.Position, batch[Velocity]
          local px, vx = p.x, v.x
          for i = 1, batch.count do px[i] = px[i] + vx[i] * dt end
        end,
      }
      world:system { name = "none", query = { Enemy }, batch = function() end }
      assert.equal(0, garbage(progress))
    end)

    it("of each systems makes no garbage", function()
      world:system {
        name = "move", query = { Position, read = { Velocity } },
        each = function(p, v, dt) p.x = p.x + v.x * dt end,
      }
      world:system { name = "none", query = { Enemy }, each = function() end }
      assert.equal(0, garbage(progress))
    end)

    it("of each systems that draw and add up makes no garbage", function()
      local sum, low = world:sum "sum", world:min "low"
      for k, compiled in ipairs { false, true } do
        world:system {
          name = "s" .. k, query = { read = { Position } }, compile = compiled,
          each = function(p)
            sum:add(ecs.random())
            if p.x < 1 then low:add(p.x) end
          end,
        }
      end
      assert.equal(0, garbage(progress))
      assert.is_true(sum:value() > 0 and low:value() < 2)
    end)

    it("of run systems with loops of rows or queries makes no garbage",
      function()
        local query = world:query { Position, read = { Velocity } }
        local function add(p, v) p.x = p.x + v.x end
        local function touch(batch) batch.Position.y[1] = 1 end
        world:system { name = "s", run = function(of)
          for e, p in query:rows() do
            p.y = p.x
            if not of:alive(e) then error "dead" end
          end
          query:batch(touch)
          query:each(add)
        end }
        assert.equal(0, garbage(progress))
      end)

    it("of native systems makes no garbage", function()
      assert(ecs.load_native "physics")
      world:system { name = "g", query = { Position, Velocity },
        native = "physics.gravity" }
      assert.equal(0, garbage(progress))
    end)

    it("of systems that change entities makes no garbage", function()
      local entity = world:spawn(Position)
      world:system { name = "s", run = function()
        world:add(entity, Enemy)
        world:set(entity, Position, "x", 3)
        world:remove(entity, Enemy)
        world:destroy(world:spawn(Velocity))
      end }
      assert.equal(0, garbage(progress))
    end)

    it("of systems that read entities makes no garbage", function()
      local entity, seen = world:spawn(Position, Velocity), 0
      world:system { name = "s", run = function(of, dt)
        local x, y = of:get(entity, Position, "x", "y")
        if of:alive(entity) and of:has(entity, Velocity) then
          of:set(entity, Position, "x", x + y + dt)
          seen = seen + 1
        end
      end }
      assert.equal(0, garbage(progress))
      assert.is_true(seen > 0)
    end)

    it("of disabled systems makes no garbage", function()
      world:system { name = "s", enabled = false, run = function() end }
      world:system { name = "t", run = function()
        world:enable("s", true)
        world:enable("s", false)
      end }
      assert.equal(0, garbage(progress))
    end)
  end)
end

describe("outside of frames", function()
  local world = ecs.world {}
  local Set = ecs.component("GarbageSet", { n = "i32" }, { storage = "sparse" })
  local e = world:spawn(Position)
  for k = 1, 20 do world:spawn(Position { x = k }) end
  local all, moving = world:query { Position }, world:query { Velocity }
  local position, velocity = Position { x = 1 }, Velocity { x = 2 }
  local parts, seen = { Position, Velocity }, 0
  local xy_of, y_of = world:getter(Position, "x", "y"),
    world:getter(Position, "y")
  local place, set_y = world:setter(Position, "x", "y"),
    world:setter(Position, "y")
  local is_there, is_foe = world:tester(Position), world:tester(Position, Enemy)
  local shoot = world:spawner(Position, "x", Velocity, { y = 2 }, "x", Set, "n")
  local fields = { x = 1, y = 2 }
  local function nothing() end

  -- Each call leaves the world as it was.
  local calls = {
    { "spawn and destroy", function()
      world:destroy(world:spawn(Position, velocity, Set))
    end },
    { "spawners", function() world:destroy(shoot(1, 2, 3)) end },
    { "add and remove", function()
      world:add(e, velocity)
      world:add(e, Set)
      world:remove(e, Velocity)
      world:remove(e, Set)
    end },
    { "set", function()
      world:set(e, position)
      world:set(e, Position, "y", 3)
      world:set(e, Position, "y", 3, "x", 4)
    end },
    { "spawn of values that are kept", function()
      world:destroy(world:spawn(position, velocity, Enemy))
      world:destroy(world:spawn())
    end },
    { "spawn, set and add of tables that are kept", function()
      world:destroy(world:spawn(Position, fields, Velocity, fields))
      world:set(e, Position, fields)
      world:add(e, Position, fields)
    end },
    { "get of fields", function()
      local x, y, again = world:get(e, Position, "x", "y", "x")
      seen = seen + x + y + again + world:get(e, Position, "x")
    end },
    { "has and alive", function()
      seen = seen + (world:has(e, Position, Enemy) and 1 or 2)
      seen = seen + (world:alive(e) and 1 or 2)
    end },
    { "getters, setters and testers", function()
      local x, y = xy_of(e)
      place(e, y, x)
      set_y(e, y_of(e))
      seen = seen + (is_there(e) and 1 or 2) + (is_foe(e) and 1 or 2)
    end },
    { "count and first", function()
      seen = seen + all:count() + all:first()
    end },
    { "add, set and remove of a query", function()
      all:add(velocity)
      all:set(position)
      all:remove(Velocity)
    end },
    { "spawn_many and destroy of a query", function()
      world:spawn_many(10, parts, nothing)
      moving:destroy()
    end },
    { "batch", function() all:batch(nothing, 1, 2) end },
    { "each", function() all:each(nothing, 1, 2) end },
    { "rows", function() for _, p in all:rows() do seen = seen + p.x end end },
  }
  for _, call in ipairs(calls) do
    it(call[1] .. " makes no garbage", function()
      assert.equal(0, garbage(call[2]))
      assert.equal(21, all:count())
      assert.equal(0, moving:count())
    end)
  end

  it("a loop of rows that is left leaves its copy of the entities", function()
    local function leave()
      for at in all:rows() do
        if at > 0 then break end
      end
    end
    local made = garbage(leave)
    assert.is_true(made > 21 * 8 * 1000 / 1024)
    local least = math.huge -- while LuaJIT compiles, its code counts, too
    for _ = 1, 20 do
      collectgarbage()
      collectgarbage()
      local before = collectgarbage "count"
      for _ = 1, 1000 do leave() end
      collectgarbage()
      collectgarbage()
      least = math.min(least, collectgarbage "count" - before)
      if least < made / 10 then break end
    end
    assert.is_true(least < made / 10, least .. " KB are left")
  end)
end)

describe("a collector that a script stopped", function()
  it("stays stopped while worlds are made", function()
    local kept = {}
    local weak = setmetatable({ {} }, { __mode = "v" })
    collectgarbage()
    weak[1] = {}
    collectgarbage "stop"
    for k = 1, 50 do
      kept[k] = ecs.world {}
      kept[k]:spawn_many(1000, { Position })
    end
    local there, running = weak[1] ~= nil, collectgarbage "isrunning"
    collectgarbage "restart"
    assert.is_true(there)
    assert.is_false(running)
    collectgarbage()
    assert.is_nil(weak[1])
  end)
end)
