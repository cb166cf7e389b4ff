--- smoke: a program that uses all of ecs. alloc_host.c runs it while
-- allocations fail. Returns the program, and a function that must succeed
-- after any error in the program: no call may leave anything open, locked or
-- half done.

local live = {} -- worlds that the program has made

-- An extra argument that is text keeps query:each from compiling. On LuaJIT the
-- compiler cannot be tried here, because it calls string.sub, which loses its
-- caller's frame when memory runs out (the message is written to a stale top of
-- the stack). On Lua 5.4 the compiler is tried.
local plain = rawget(_G, "jit") and "plain" or nil

local function components(ecs, round)
  local Position = ecs.component("Position", { x = "f32", y = "f32" })
  -- A name that is new to the Lua state in every round.
  local Fresh = ecs.component("Fresh" .. round, {
    b = "bool", e = "entity", i = { "i32", 7 }, u = "u8", w = "f64",
  })
  local Far = ecs.component("Far", { v = "f64" }, { storage = "sparse" })
  return Position, Fresh, Far, ecs.tag "Enemy",
    ecs.tag("Stunned" .. round, { storage = "bits" })
end

local function entities(world, Position, Fresh, Far, Enemy, Stunned)
  local e = world:spawn(Position { x = 1 }, Fresh { i = 3, b = true }, Enemy)
  world:spawn_many(5, { Position { y = 2 }, Fresh }, function(batch)
    for k = 1, batch.count do batch.Position.x[k] = k end
    world:add(batch.entities[1], Far)
  end)
  world:add(e, Far { v = 2 })
  world:add(e, Stunned)
  world:set(e, Position, "x", 3)
  world:set(e, Position { y = 4 })
  local whole = world:get(e, Position)
  assert(whole.x == 3 and whole.y == 4)
  assert(world:get(e, Fresh, "i", "b") == 3)
  assert(world:has(e, Position, Stunned) and #world:components(e) == 5)
  world:remove(e, Enemy)
  world:group { Position, Fresh }
  assert(world:alive(e) and #tostring(world) > 5)
  assert(#world:hash() == 16 and #world:state_hash() == 16)
  return e
end

local function queries(world, Position, Fresh, Far, Enemy, Stunned)
  local query = world:query { Position, read = { Fresh }, optional = { Far } }
  query:batch(function(batch, more)
    local far = batch[Far]
    for k = 1, batch.count do
      batch.Position.x[k] = batch[Fresh].i[k] + more + (far and far.v[k] or 0)
    end
    world:add(batch.entities[1], Enemy)
  end, 1)
  query:each(function(p, f, far, more, _, e)
    p.x = f.i + more + (far and far.v or 0)
    world:add(e, Stunned)
  end, 1, plain)
  for e, p in query:rows() do
    p.y = p.x
    world:add(e, Enemy)
    for _, q in query:rows() do
      q.x = 1
      if q.x == 1 then break end
    end
  end
  assert(query:count() == 6 and query:first() and #query:explain() > 5)
  query:add(Stunned)
  query:set(Far { v = 1 })
  query:remove(Enemy)
  assert(#tostring(query) > 5)
  pcall(query.batch, query, function() error { "thrown" } end)
  pcall(query.each, query, function(p) p.x = "wrong" end, plain)
end

local function systems(world, Position, Fresh)
  local ecs_random = require("ecs").random
  world:system { name = "a", query = { Position }, batch = function(batch)
    batch.Position.x[1] = 2
    world:spawn(Position)
  end }
  local total = world:sum "total"
  local function each(f, dt, e)
    f.w = dt
    total:add(ecs_random())
    world:max("most"):add(f.w)
    world:destroy(e)
  end
  -- The library reads the source of what it is given. LuaJIT 2.1.0-beta3
  -- crashes where string.sub gets no memory, so the source is hidden from it.
  if rawget(_G, "jit") then
    each = assert(load("local f = ... "
      .. "return function(...) return f(...) end", "=hidden"))(each)
  end
  world:system { name = "b", query = { Fresh }, after = "a", compile = false,
    each = each }
  world:system { name = "c", run = function(of)
    of:spawn(Position)
    for _, p in of:query({ Position }):rows() do p.x = 1 end
  end }
  world:progress(1 / 60)
  world:enable("c", false)
  world:run("update", 1)
  assert(total:value() == 0 and #tostring(total) > 5)
  assert(#world:explain() > 5 and #world:explain "b" > 5)
  assert(world:stats().systems >= 3)
  world:remove_system "c"
end

local function arrays(ecs, world, round)
  local Trail = ecs.component("Trail" .. round, {
    past = { "f32", 1, count = 12 }, on = { "bool", count = 2 }, k = "u8",
  })
  local e = world:spawn(Trail { past = { 3, [12] = 4 }, on = true, k = 1 })
  world:spawn(Trail, { past = 2 })
  world:set(e, Trail, "past", { [2] = 5 })
  world:set(e, Trail { on = { false } })
  local past, on = world:get(e, Trail, "past", "on")
  assert(#past == 12 and past[2] == 5 and not on[1] and on[2])
  local query = world:query { Trail }
  for _, p in query:rows() do p.past[3] = p.past[12] + #p.on end
  query:batch(function(batch)
    batch[Trail].past[4][1] = batch[Trail].past[3][1]
  end)
  query:set(Trail, "past", 7)
  if not plain then
    world:system { name = "trail", query = { Trail }, each = function(p)
      p.past[p.k + 1] = p.past[12 - p.k] + 1
      p.k = p.past[p.k + 1] % 4
    end }
    world:progress(1)
  end
  assert(#tostring(Trail { past = { 1 } }) > 5 and #world:hash() == 16)
  pcall(Trail, { past = { [13] = 1 } })
  pcall(world.set, world, e, Trail, "past", { "x" })
end

local function natives(ecs, world)
  local Nan = ecs.component("Nan",
    { narrow = "f32", wide = "f64", offered = "u32" })
  assert(ecs.load_native "nan")
  assert(not ecs.load_native "there_is_no_such_library")
  world:spawn(Nan)
  world:system { name = "n", query = { Nan }, native = "nan.break" }
  world:progress(1)
end

local function program(round)
  local ecs = require "ecs"
  for _, flush in ipairs { "system", "frame" } do
    local world = ecs.world { flush = flush, phases = { "update", "draw" } }
    live[#live + 1] = world
    local parts = { components(ecs, round) }
    local unpack = table.unpack or unpack
    if flush == "system" then
      entities(world, unpack(parts))
      queries(world, unpack(parts))
      natives(ecs, world)
      arrays(ecs, world, round)
      pcall(parts[1], { z = 1 })
      pcall(world.get, world, 3, parts[1], "z")
      world:clear()
    end
    world:spawn(parts[1], parts[2])
    systems(world, unpack(parts))
    world:close()
  end
end

local function aftermath()
  -- LuaJIT leaves a mark in package.loaded when loading fails.
  if type(package.loaded.ecs) ~= "table" then return end
  local ecs = require "ecs"
  local Position = ecs.component("Position", { x = "f32", y = "f32" })
  live[#live + 1] = ecs.world {}
  for _, world in ipairs(live) do
    if tostring(world) ~= "ecs.World (closed)" then
      local e = world:spawn(Position { x = 5 })
      local query, seen = world:query { Position }, 0
      query:batch(function(batch) seen = seen + batch.Position.x[1] end)
      query:each(function(p) seen = seen + p.x end)
      for of, p in query:rows() do
        if of == e then assert(p.x == 5) end
      end
      world:destroy(e)
      assert(not world:alive(e) and #world:hash() == 16)
      world:close()
    end
  end
  live = {}
end

return program, aftermath
