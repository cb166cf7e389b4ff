-- The collector is asked for room before a limit refuses, and told of what
-- worlds hold.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Load = ecs.component("CollectLoad", { a = "f64", b = "f64", c = "f64",
  d = "f64", e = "f64", f = "f64", g = "f64", h = "f64" })

local MB = 1048576

--- So many kilobytes, in bytes, beside those of what the process defines: every
--- component has an entry in every world. At least what a limit has to be.
local function room(kilobytes)
  local world = ecs.world { compile = false }
  world:spawn(Position)
  world:query({ Position, with = { ecs.tag "CollectLast" } }):each(print)
  local bytes = world:stats().bytes
  world:close()
  return math.max(bytes + kilobytes * 1024, 65536)
end

--- A field of a query that no other query of the world has.
local function new_query(world, k)
  local terms = {}
  for bit = 0, 15 do
    if math.floor(k / 2 ^ bit) % 2 == 1 then
      terms[#terms + 1] = ecs.tag("CollectTag" .. bit)
    end
  end
  return world:query { Position, with = terms }
end

--- An object that calls f when it is collected.
local function when_collected(f)
  local proxy = rawget(_G, "newproxy")
  if not proxy then return setmetatable({}, { __gc = f }) end
  local object = proxy(true)
  getmetatable(object).__gc = f
  return object
end

describe("a world with a limit", function()
  it("takes the room of queries that nothing refers to", function()
    local world = ecs.world { memory_limit = room(226) }
    world:spawn(Position)
    for k = 1, 5000 do
      assert.equal(0, new_query(world, k):count())
    end
  end)

  it("takes that of the queries that it was asked for lately", function()
    local world = ecs.world { memory_limit = room(482) }
    for k = 1, 200 do new_query(world, k) end
    collectgarbage()
    collectgarbage()
    local held = world:stats().queries
    local count = 0
    while pcall(world.spawn, world, Load) do count = count + 1 end
    assert.is_true(world:stats().queries < held)
    assert.equal(count, world:query({ Load }):count())
  end)

  it("is refused what it has no room for, once it was asked", function()
    local world = ecs.world { memory_limit = "1M" }
    local before = world:hash()
    for _ = 1, 3 do
      local done, problem = pcall(world.spawn_many, world, 1e6, { Position })
      assert.is_false(done)
      assert.truthy(problem:find("the memory limit of this world is reached: "
        .. "1048576 bytes", 1, true), problem)
    end
    assert.is_true(world:stats().bytes < MB)
    world:query { Position }
    assert.equal(before, world:hash())
  end)

  -- Collections are counted by what they finalize.
  it("is not collected for again while nothing has changed", function()
    local world = ecs.world { memory_limit = room(35) }
    local runs = 0
    local function mark()
      local proxy = rawget(_G, "newproxy")
      local gone = { __gc = function() runs = runs + 1 end }
      if not proxy then return setmetatable({}, gone) end
      local object = proxy(true)
      getmetatable(object).__gc = gone.__gc
      return object
    end
    collectgarbage()
    pcall(function() while true do world:spawn(Load) end end)
    for _ = 1, 50 do
      mark()
      assert.is_false(pcall(world.spawn_many, world, 1000, { Load }))
    end
    assert.is_true(runs < 25, runs)
  end)

  it("may be closed by a finalizer that runs meanwhile", function()
    for _ = 1, 3 do
      ecs.world({}):close() -- so that the collector is asked again
      local world = ecs.world { memory_limit = room(35) }
      local object = { __gc = function() world:close() end }
      local proxy = rawget(_G, "newproxy")
      if proxy then
        local made = proxy(true)
        getmetatable(made).__gc = object.__gc
        made = nil -- luacheck: ignore
      else
        setmetatable({}, object)
      end
      local done, problem = pcall(function()
        while true do world:spawn(Load) end
      end)
      assert.is_false(done)
      assert.truthy(problem:find("closed", 1, true), problem)
    end
  end)
end)

describe("a finalizer that walks a query", function()
  -- The walk asks for memory for its order, after all else was made ready.
  it("does not disturb a walk of it that has asked the collector", function()
    local met = 0
    for kilobytes = 170, 230, 30 do
      ecs.world({}):close()
      local world = ecs.world { memory_limit = room(kilobytes),
        compile = false }
      local sorted = world:query { Position, sort = { Position, "x" } }
      world:query({ read = { Position } }):each(function() end)
      for _ = 1, 100 do world:spawn(Position { x = 1 }) end
      collectgarbage "stop"
      local inner, outer = 0, 0
      local object = when_collected(function() -- luacheck: ignore
        pcall(sorted.each, sorted, function(p, a, b)
          if p.x > 0 then p.y, inner = a + b, inner + 1 end
        end, 1, 2)
      end)
      for k = 1, 600 do
        if not pcall(new_query, world, k) then break end
      end
      local count = 512
      while count >= 1 do
        if not pcall(world.spawn_many, world, count, { Load }) then
          count = math.floor(count / 2)
        end
      end
      object = nil -- luacheck: ignore
      collectgarbage "restart"
      local done, problem = pcall(sorted.each, sorted, function(p, word)
        assert.equal("word", word)
        p.x, outer = p.x + 1, outer + 1
      end, "word")
      assert.is_true(done, problem)
      assert.equal(100, outer)
      if inner > 0 then met = met + 1 end
      world:close()
    end
    -- In which order finalizers run, and so which find room, is Lua's.
    if rawget(_G, "newproxy") then assert.is_true(met > 0) end
  end)
end)

describe("worlds that nothing refers to", function()
  --- A level of a game, with systems and queries of its own.
  local function play(bytes)
    local world = ecs.world { memory_limit = bytes }
    world:system { name = "move", query = { Position },
      each = function(p) p.x = p.x + 1 end }
    world:spawn_many(20000, { Load, Position })
    world:progress(1)
    world:query({ Position }):each(function(p) p.y = p.x end)
    return world
  end

  it("are closed as others grow", function()
    collectgarbage()
    collectgarbage()
    local lives = ecs.world({}):stats().state_bytes
    local most = 0
    for _ = 1, 100 do
      most = math.max(most, play():stats().state_bytes)
    end
    -- All of them hold 160 MB.
    local bound = lives + math.max(64 * MB, lives) + 16 * MB
    assert.is_true(most < bound, most)
  end)
end)

describe("worlds that nothing refers to, after large ones have gone",
function()
  it("are closed as others grow", function()
    local large, much = {}, {}
    for k = 1, 1e6 do much[k] = {} end -- a cycle of the collector takes long
    for k = 1, 5 do
      large[k] = ecs.world {}
      large[k]:spawn_many(500000, { Load })
    end
    local lived = large[1]:stats().state_bytes
    assert.is_true(lived > 150 * MB)
    for _, world in ipairs(large) do world:close() end
    local most = 0
    for _ = 1, 100 do
      local world = ecs.world {}
      world:spawn_many(20000, { Load })
      most = math.max(most, world:stats().state_bytes)
    end
    assert.is_true(most < lived / 2 + 16 * MB, most)
    assert.equal(1e6, #much)
  end)
end)

describe("recorded changes that there is no room for", function()
  local wide = {}
  for i = 1, 64 do wide["f" .. i] = "f64" end
  local Wide = ecs.component("CollectWide", wide)
  local Other = ecs.tag "CollectOther"

  after_each(function() collectgarbage "restart" end)

  --- A world with 500 entities, in which queries leave no room for Wide. They
  -- are garbage unless they are kept in a list. The collector is stopped.
  local function crowded(options, kept)
    ecs.world({}):close() -- so that the collector is asked again
    options = options or { compile = false }
    options.memory_limit = room(870)
    local world = ecs.world(options)
    local query = world:query { Position }
    world:spawn_many(500, { Position, Load })
    world:query({ Load, Wide, Other }):count()
    query:each(function() end)
    collectgarbage()
    collectgarbage "stop"
    local k = 0
    while world:stats().bytes < options.memory_limit - 200 * 1024 do
      k = k + 1
      local made = new_query(world, k)
      if kept then kept[k] = made end
    end
    return world, query
  end

  --- Adds Wide to all, and lets the last row release what is held.
  local function widen(world, query, held)
    local count = 0
    query:each(function(_, e)
      world:add(e, Wide)
      count = count + 1
      if count < 500 then return end
      if held then held[1] = nil end
      collectgarbage "restart"
    end)
  end

  local function check_wide(world)
    assert.equal(500, world:query({ Wide }):count())
    assert.is_true(world:stats().bytes < room(870))
    world:close()
  end

  it("are made behind each", function()
    local world, query = crowded()
    widen(world, query)
    check_wide(world)
  end)

  it("are made behind batch", function()
    local world, query = crowded()
    query:batch(function(batch)
      for i = 1, batch.count do world:add(batch.entities[i], Wide) end
      collectgarbage "restart"
    end)
    check_wide(world)
  end)

  it("are made behind spawn_many", function()
    local world, query = crowded()
    world:spawn_many(1, { Other }, function()
      query:add(Wide)
      collectgarbage "restart"
    end)
    check_wide(world)
  end)

  it("are made behind a system, and behind a frame", function()
    for _, flush in ipairs { "system", "frame" } do
      local world = crowded { flush = flush, compile = false }
      world:system { name = "widen", query = { Position },
        each = function(_, _, e) world:add(e, Wide) end }
      world:system { name = "again", query = { Position },
        batch = function(batch)
          for i = 1, batch.count do world:add(batch.entities[i], Other) end
        end }
      collectgarbage "restart"
      world:progress(1)
      assert.equal(500, world:query({ Other }):count())
      check_wide(world)
    end
  end)

  it("are made behind compiled functions", function()
    local world, query = crowded {}
    local least = 1
    local function f(p, e)
      if p.x >= least then world:add(e, Wide) end
    end
    query:each(f)
    query:each(f)
    least = 0
    collectgarbage "restart"
    query:each(f)
    check_wide(world)
  end)

  -- LuaJIT runs a program that has run before in another way.
  it("are made behind compiled systems", function()
    local world = crowded {}
    world:system { name = "widen", query = { Position, without = { Other } },
      each = function(p, dt, e)
        p.x = p.x + 1
        if dt > 1 then world:add(e, Wide) end
      end }
    for step = 1, 3 do
      if step == 3 then collectgarbage "restart" end
      world:progress(step == 3 and 2 or 1)
    end
    assert.equal(3, world:get(1, Position, "x"))
    check_wide(world)
  end)

  it("are made behind observers", function()
    local world, query = crowded()
    world:on("add", Other, function()
      query:add(Wide)
      collectgarbage "restart"
    end)
    world:spawn(Other)
    check_wide(world)
  end)

  it("are told of once", function()
    local world, query = crowded()
    local told, set = 0, 0
    world:on("add", Wide, function() told = told + 1 end)
    world:on("set", Load, function() set = set + 1 end)
    query:each(function(_, e)
      world:set(e, Load, "a", 3)
      world:add(e, Wide)
      if e == 500 then collectgarbage "restart" end
    end)
    assert.equal(500, told)
    assert.equal(500, set)
    check_wide(world)
  end)

  it("are lost where a collection gives too little", function()
    local kept = {}
    local world, query = crowded(nil, kept)
    local before = world:hash()
    collectgarbage "restart"
    local function by_batch()
      query:batch(function(batch)
        for i = 1, batch.count do world:add(batch.entities[i], Wide) end
      end)
    end
    local function by_each() widen(world, query) end
    for _, run in ipairs { by_each, by_batch } do
      local done, problem = pcall(run)
      assert.is_false(done)
      assert.truthy(problem:find("memory limit of this world", 1, true),
        problem)
      assert.equal(before, world:hash())
    end
    query:each(function(p) p.x = 1 end)
    world:close()
  end)

  it("wait for what a finalizer records", function()
    local ran = 0
    local problem, world, query
    local held = { when_collected(function()
      ran = ran + 1
      world:add(1, Other)
      problem = select(2, pcall(world.progress, world, 1))
    end) }
    world, query = crowded()
    widen(world, query, held)
    collectgarbage()
    assert.equal(1, ran)
    assert.truthy(problem:find("progress is not possible inside", 1, true),
      problem)
    assert.is_true(world:has(1, Other))
    check_wide(world)
  end)

  it("are made where a finalizer would close the world", function()
    local done, problem, world, query
    local held = { when_collected(function()
      done, problem = pcall(world.close, world)
    end) }
    world, query = crowded()
    widen(world, query, held)
    assert.is_false(done)
    assert.truthy(problem:find("cannot be closed inside", 1, true),
      problem)
    check_wide(world)
  end)

  it("are made where a finalizer raises", function()
    local ran = false
    local held = { when_collected(function()
      ran = true
      error "a finalizer"
    end) }
    local world, query = crowded()
    widen(world, query, held)
    assert.is_true(ran)
    check_wide(world)
  end)

  it("are made where a finalizer walks by the same loop", function()
    local met = 0
    local world, query
    local held = { when_collected(function()
      query:each(function() met = met + 1 end)
      query:batch(function(batch) met = met + batch.count end)
    end) }
    world, query = crowded()
    widen(world, query, held)
    assert.equal(1000, met)
    check_wide(world)
  end)

  it("are not collected for while the script has stopped that", function()
    if rawget(_G, "newproxy") then return end -- LuaJIT does not say
    local world, query = crowded()
    local done = pcall(query.each, query,
      function(_, e) world:add(e, Wide) end)
    assert.is_false(done)
    assert.equal(0, world:query({ Wide }):count())
    widen(world, query)
    check_wide(world)
  end)
end)
