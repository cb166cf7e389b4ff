-- The collector and finalizers at bad moments: they may run at any allocation,
-- and a finalizer may close the world that is being used.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local finalize = support.finalize

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

local function nothing() end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

describe("the collector", function()
  it("may run at any allocation", function()
    local pause = collectgarbage("setpause", 1)
    local step = collectgarbage("setstepmul", 10000)
    local world = ecs.world {}
    for k = 1, 100 do
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
    assert.equal(100, world:query({ Position }):count())
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
    support.collect()
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 4, left .. " are left")
  end)
end)

describe("a finalizer that closes the world", function()
  local ROUNDS = os.getenv "ECS_SPEC_SHORT" and 80 or 400
  local components = {}
  for k = 1, 60 do
    components[k] = ecs.component("Hostile" .. k, { x = "f32", y = "f64" })
  end
  local unpack = table.unpack or unpack

  local run, calm
  before_each(function() run, calm = support.at_allocations() end)
  after_each(function() calm() end)

  local tribe = { unpack(components) }
  tribe.children = { { unpack(components) }, { base = ecs.prefab("HostileChild",
    { components[7], children = { { components[8] } } }) } }
  local Tribe = ecs.prefab("HostileTribe", tribe)

  -- Each calls one function, which may raise that the world is closed.
  local calls = {
    spawn = function(world) world:spawn(unpack(components)) end,
    group = function(world) world:group { unpack(components) } end,
    query = function(world) world:query { unpack(components) } end,
    explain = function(_, query) query:explain() end,
    count = function(_, query) query:count() end,
    first = function(_, query) query:first() end,
    bulk_add = function(_, query) query:add(components[50]) end,
    bulk_set = function(_, query) query:set(components[50] { x = 1 }) end,
    bulk_remove = function(_, query) query:remove(components[1]) end,
    bulk_destroy = function(_, query) query:destroy() end,
    batch = function(_, query) query:batch(nothing) end,
    each = function(_, query) query:each(nothing) end,
    rows = function(_, query)
      for _, row in query:rows() do row.x = row.x + 1 end
    end,
    components = function(world, _, e) world:components(e) end,
    add = function(world, _, e) world:add(e, components[50]) end,
    set = function(world, _, e) world:set(e, components[50], "x", 1) end,
    get = function(world, _, e) world:get(e, components[1]) end,
    progress = function(world) world:progress(1) end,
    spawn_many = function(world)
      world:spawn_many(3, { unpack(components) }, nothing)
    end,
    spawn_as = function(world)
      world:spawn_as(40, unpack(components))
      world:spawn_as(3, unpack(components))
      world:spawn_as(3, unpack(components))
    end,
    reserve = function(world) world:reserve(30, { unpack(components) }) end,
    spawn_prefab = function(world)
      world:spawn(Tribe, components[1], { x = 1 })
    end,
    spawn_prefabs = function(world)
      world:spawn_many(3, { components[1] { y = 2 }, Tribe })
    end,
    spawn_prefabs_called = function(world)
      world:spawn_many(3, { Tribe }, nothing)
    end,
    spawn_prefab_as = function(world) world:spawn_as(40, Tribe) end,
    spawner_of_prefab = function(world)
      world:spawner(Tribe, components[1], "x")(3)
    end,
    reserve_prefab = function(world) world:reserve(3, { Tribe }) end,
    replace = function(world, _, e)
      world:replace(e, components[1], components[50], { x = 1 })
      world:replace(e, components[50], components[1])
    end,
    bulk_replace = function(_, query)
      query:replace(components[1], components[50] { x = 1 })
    end,
    ungroup = function(world) world:ungroup { unpack(components) } end,
    optimize = function(world) tostring(world:optimize()) end,
    advise = function(world) tostring(world:advise()) end,
    component_stats = function(world) world:stats(components[1]) end,
  }

  for name, call in pairs(calls) do
    it("may come at any moment of " .. name, function()
      -- Closes the world in the n-th finalizer, which may come after the call.
      local closed = 0
      local function close_at(n)
        local world = ecs.world {}
        local entity = world:spawn(components[1], components[2])
        local query = world:query { components[1] }
        world:system { name = "s", query = query, batch = nothing }
        local count, ok, text = run(function(k)
          if k == n and pcall(world.close, world) then closed = closed + 1 end
        end, call, world, query, entity)
        assert.is_true(ok or text:find("closed", 1, true) ~= nil, text)
        return count
      end
      local count = close_at(nil)
      for round = 1, ROUNDS do close_at(math.ceil(round * count / ROUNDS)) end
      assert.is_true(closed > 0)
    end)
  end

  -- A world of which ten tags had better be bits.
  local function world_to_optimize()
    local world, tags, ids = ecs.world {}, {}, {}
    for k = 1, 20 do ids[k] = world:spawn(Position) end
    for k = 1, 10 do
      tags[k] = ecs.tag("HostileTag" .. k)
      world:system { name = "s" .. k, batch = nothing,
        query = { Position, without = { tags[k] } } }
    end
    world:progress(1)
    for _, tag in ipairs(tags) do
      for k = 1, 20 do world:add(ids[k], tag) end
      for k = 1, 20 do world:remove(ids[k], tag) end
    end
    return world
  end

  -- One of them closes the world at any allocation between the first entry and
  -- the last.
  it("may come between two entries of what optimize returns", function()
    local ended = 0
    local function close_at(n)
      local world = world_to_optimize()
      local count, ok, text = run(function(k)
        if k == n then world:close() end
      end, world.optimize, world)
      assert.is_true(ok or text:find("closed", 1, true) ~= nil, text)
      if not ok then ended = ended + 1 end
      return count
    end
    local count = close_at(nil)
    for round = 1, 60 do close_at(math.ceil(round * count / 60)) end
    assert.is_true(ended > 0)
  end)

  it("is refused inside a walk", function()
    local world = ecs.world {}
    world:spawn(Position)
    local ran, refused = 0, 0
    world:query { Position }:batch(function(batch)
      finalize(function()
        ran = ran + 1
        if not pcall(world.close, world) then refused = refused + 1 end
      end)
      collectgarbage()
      collectgarbage()
      batch.Position.x[1] = 5
    end)
    assert.equal(1, ran)
    assert.equal(1, refused)
    assert.equal(1, world:query({ Position }):count())
  end)
end)

-- Rows allocate nothing themselves, so the loop does: a finalizer may run
-- between any two of its accesses.
describe("a finalizer that moves rows", function()
  local jit, calm = rawget(_G, "jit"), nil
  before_each(function() calm = support.hurry_collector() end)
  after_each(function() calm() end)

  for _, compiled in ipairs { false, true } do
    it("leaves a loop of rows at its entity, "
      .. (compiled and "compiled" or "interpreted"), function()
      local world, ids, moved = ecs.world {}, {}, 0
      for k = 1, 300 do ids[k] = world:spawn(Position { x = k, y = k }) end
      local query, current, kept = world:query { Position }, nil, nil
      local function walk()
        for entity, row in query:rows() do
          current = entity
          kept = { row.x }
          row.x = kept[1] + 1
          kept = { row.y, row.x }
          row.y = kept[1] + kept[2]
        end
      end
      if jit and not compiled then jit.off(walk, true) end
      local armed = true
      local function arm()
        if not armed then return end
        finalize(function()
          if current and pcall(world.add, world, current, Enemy) then
            moved = moved + 1
          end
          arm()
        end)
      end
      for _ = 1, 20 do arm() end
      local rounds = 0
      while rounds < 10 or (moved < 200 and rounds < 200) do
        walk()
        rounds = rounds + 1
        world:query({ with = { Enemy } }):remove(Enemy)
      end
      armed = false
      -- When the collector came to them is chance. Now they run at each
      -- allocation.
      collectgarbage()
      local run, restore = support.at_allocations()
      finally(restore)
      moved = 0
      for _ = 1, 3 do
        local _, ok, text = run(function()
          if pcall(world.add, world, current, Enemy) then moved = moved + 1 end
        end, walk)
        assert.is_true(ok, text)
        rounds = rounds + 1
        world:query({ with = { Enemy } }):remove(Enemy)
      end
      assert.is_true(moved > 0)
      for k = 1, 300 do
        local x, y = world:get(ids[k], Position, "x", "y")
        assert.equal(k + rounds, x)
        assert.equal(k + rounds * k + rounds * (rounds + 1) / 2, y)
      end
    end)
  end
end)

describe("a finalizer that changes tables behind __index", function()
  local Nine = ecs.component("HostileNine", {
    a = "f32", b = "f32", c = "f32", d = "f32", e = "f32", f = "f32", g = "f32",
    h = "f32", i = "f32",
  })
  local run, calm
  before_each(function() run, calm = support.at_allocations() end)
  after_each(function() calm() end)

  --- A chain of tables that ends in one with every entry.
  local function chain()
    local last = { Position, Enemy, a = 1, i = 9, x = 1, y = 1, seed = 4,
                   with = { Enemy } }
    local first = setmetatable({}, { __index = last })
    return setmetatable({}, { __index = first }), first, last
  end

  it("is met by an error or by what was there", function()
    local world = ecs.world {}
    local e = world:spawn(Nine)
    local changed = 0
    -- The n-th finalizer of the first calls, and of the second, changes what is
    -- being read, and the tenth after it once more.
    local function change_at(n)
      local t, first, last = chain()
      local function change(k)
        if k ~= n and k ~= n + 10 then return end
        changed = changed + 1
        for key in pairs(last) do last[key] = nil end
        for i = 1, 30 do last[i], last["n" .. i] = Enemy, i end
        setmetatable(first, changed % 2 == 0 and { __index = t } or nil)
      end
      last[1], last[2] = nil, nil
      local before = run(change, function()
        pcall(world.set, world, e, Nine, t)
        pcall(Nine, t)
      end)
      last[1], last[2] = Position, Enemy
      local after = run(change, function()
        pcall(world.query, world, t)
        pcall(world.group, world, t)
        pcall(world.spawn_many, world, 1, t)
        pcall(ecs.component, "HostileNine", t)
      end)
      local a, i = world:get(e, Nine, "a", "i")
      assert.is_true((a == 0 or a == 1) and (i == 0 or i == 9))
      return math.max(before, after)
    end
    change_at(-10) -- in which the world meets what is new to it
    local count = change_at(-10)
    for round = 1, 100 do change_at(math.ceil(round * count / 100)) end
    assert.is_true(changed > 50, changed)
    assert.same({ 0, 0 }, { world:get(e, Nine, "b", "h") })
    world:close()
  end)
end)
