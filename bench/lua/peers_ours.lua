--- peers_ours: the tests of bench/peers as a user of this library writes them,
-- in the forms that the guide teaches.

local ecs = require "ecs"
local unpack = table.unpack or unpack -- luacheck: ignore

local Position = ecs.component("PeerPosition", { x = "f32", y = "f32" })
local Velocity = ecs.component("PeerVelocity", { x = "f32", y = "f32" })
local Health = ecs.component("PeerHealth", { current = "f32", max = "f32" })
local Name = ecs.component("PeerName", { value = "u32" })
local Alive, Aggro = ecs.tag "PeerAlive", ecs.tag "PeerAggro"
local Score = ecs.component("PeerScore", { points = "i32", gain = "i32" })
local NonExistent = ecs.component("PeerNone", { value = "f32" })
local Letter, Buff, Number = {}, {}, {}
for letter in ("ABCDE"):gmatch "." do
  Letter[letter] = ecs.component("Peer" .. letter, { v = "f32" })
end
for k = 1, 20 do
  Buff[k] = ecs.component("PeerBuff" .. k, { level = "f32" })
end
for k = 1, 10 do
  Number[k] = ecs.component("PeerNumber" .. k, { value = "f32" })
end
local parts = { Position = Position, Velocity = Velocity, Name = Name,
  Alive = Alive, Aggro = Aggro }

--- Has this version the method?
local function offers(method)
  local world = ecs.world {}
  return (pcall(function() return world[method] end))
end

return function(setting)
  local DT, SYSTEMS, shuffle = setting.DT, setting.SYSTEMS, setting.shuffle

  -- One world for the structural tests with so many systems, as a game has one,
  -- and as there is one in evolved.lua: memory that a test wants is there.
  local worlds = {}
  local function world_with(systems)
    if worlds[systems] then return worlds[systems] end
    local world = ecs.world {}
    for k = 1, systems do
      world:system { name = "idle " .. k, query = { Position, Velocity },
        batch = function() end }
    end
    worlds[systems] = world
    return world
  end

  --- What was made goes; the world stays.
  local function after(context) context.world:clear() end

  --- The world of the structural tests: 4 n that fill it and n shuffled ones.
  local function populated(n, systems)
    local world, ids = world_with(systems or 0), {}
    world:spawn_many(4 * n, { Health { current = 100, max = 100 },
      Name { value = 7 }, Aggro })
    world:spawn_many(n, { Position, Velocity, Alive }, function(batch)
      local x, y, entities = batch[Position].x, batch[Position].y,
        batch.entities
      for i = 1, batch.count do
        x[i], y[i], ids[i] = i % 8, i % 4, entities[i]
      end
    end)
    return { world = world, ids = shuffle(ids), n = n,
      query = world:query { with = { Position } } }
  end

  local function count(context, ...)
    local with = {}
    for k, name in ipairs { ... } do with[k] = parts[name] end
    return context.world:query({ with = with }):count()
  end

  local function sum(context)
    local add = setting.sum()
    for _, id in ipairs(context.ids) do
      add(context.world:get(id, Position, "x", "y"))
    end
    return add()
  end

  --- prepare(world) makes what a program makes once, beside its world.
  local function test(run, result, systems, prepare)
    return { run = run, result = result, after = after, before = function(n)
      local context = populated(n, systems)
      context.prepared = prepare and prepare(context.world)
      return context
    end }
  end

  local tests = {}

  local function all(context) return context.world:stats().entities end
  tests["entity/create_empty"] = {
    ["one by one"] = test(function(c)
      local world, created = c.world, {}
      for k = 1, c.n do created[k] = world:spawn() end
      c.created = created
    end, all),
    bulk = test(function(c) c.world:spawn_many(c.n, {}) end, all),
  }

  local function placed(c) return count(c, "Position", "Alive") end
  local function create(systems)
    return {
      ["one by one"] = test(function(c)
        local world, created, value = c.world, {}, Position { x = 0, y = 0 }
        for k = 1, c.n do created[k] = world:spawn(value, Alive) end
        c.created = created
      end, placed, systems),
      bulk = test(function(c)
        c.world:spawn_many(c.n, { Position { x = 0, y = 0 }, Alive })
      end, placed, systems),
    }
  end
  tests["entity/create_with_components"] = create()
  tests["structural_scaling/create"] = create(SYSTEMS)

  local function destroy(systems)
    return {
      ["one by one"] = test(function(c)
        local world, ids = c.world, c.ids
        for k = 1, c.n do world:destroy(ids[k]) end
      end, all, systems),
      bulk = test(function(c) c.query:destroy() end, all, systems),
    }
  end
  tests["entity/destroy"] = destroy()
  tests["structural_scaling/destroy"] = destroy(SYSTEMS)

  local function add(systems)
    local function named(c) return count(c, "Position", "Name") end
    return {
      ["one by one"] = test(function(c)
        local world, ids, name = c.world, c.ids, Name { value = 7 }
        for k = 1, c.n do world:add(ids[k], name) end
      end, named, systems),
      bulk = test(function(c) c.query:add(Name { value = 7 }) end, named,
        systems),
    }
  end
  tests["component/add"] = add()
  tests["structural_scaling/add_component"] = add(SYSTEMS)

  tests["component/get"] = {
    method = test(function(c)
      local world, ids, total = c.world, c.ids, 0
      for k = 1, c.n do
        local x, y = world:get(ids[k], Position, "x", "y")
        total = total + x + y
      end
      c.total = total
    end, function(c) return c.total end),
    getter = offers "getter" and test(function(c)
      local ids, total, get = c.ids, 0, c.prepared
      for k = 1, c.n do
        local x, y = get(ids[k])
        total = total + x + y
      end
      c.total = total
    end, function(c) return c.total end, 0, function(world)
      return world:getter(Position, "x", "y")
    end),
  }

  tests["component/set"] = {
    ["kept value"] = test(function(c)
      local world, ids, value = c.world, c.ids, Position { x = 1, y = 1 }
      for k = 1, c.n do world:set(ids[k], value) end
    end, sum),
    fields = test(function(c)
      local world, ids = c.world, c.ids
      for k = 1, c.n do
        world:set(ids[k], Position, "x", 1)
        world:set(ids[k], Position, "y", 1)
      end
    end, sum),
    setter = offers "setter" and test(function(c)
      local ids, place = c.ids, c.prepared
      for k = 1, c.n do place(ids[k], 1, 1) end
    end, sum, 0, function(world)
      return world:setter(Position, "x", "y")
    end),
  }

  tests["component/remove"] = {
    ["one by one"] = test(function(c)
      local world, ids = c.world, c.ids
      for k = 1, c.n do world:remove(ids[k], Velocity) end
    end, function(c) return count(c, "Velocity") end),
    bulk = test(function(c) c.query:remove(Velocity) end,
      function(c) return count(c, "Velocity") end),
  }

  tests["tag/has"] = {
    method = test(function(c)
      local world, ids, found = c.world, c.ids, 0
      for k = 1, c.n do
        if world:has(ids[k], Alive) then found = found + 1 end
      end
      c.total = found
    end, function(c) return c.total end),
    tester = offers "tester" and test(function(c)
      local ids, has, found = c.ids, c.prepared, 0
      for k = 1, c.n do
        if has(ids[k]) then found = found + 1 end
      end
      c.total = found
    end, function(c) return c.total end, 0, function(world)
      return world:tester(Alive)
    end),
  }

  tests["tag/add"] = {
    ["one by one"] = test(function(c)
      local world, ids = c.world, c.ids
      for k = 1, c.n do world:add(ids[k], Aggro) end
    end, function(c) return count(c, "Position", "Aggro") end),
    bulk = test(function(c) c.query:add(Aggro) end,
      function(c) return count(c, "Position", "Aggro") end),
  }
  tests["tag/remove"] = {
    ["one by one"] = test(function(c)
      local world, ids = c.world, c.ids
      for k = 1, c.n do world:remove(ids[k], Alive) end
    end, function(c) return count(c, "Alive") end),
    bulk = test(function(c) c.query:remove(Alive) end,
      function(c) return count(c, "Alive") end),
  }

  -- Systems ----------------------------------------------------------------

  --- A test of one frame. fill(world, k) spawns entity k; register(world,
  -- added) makes the systems; added is a total. read(world, id) is the check.
  local function frame(fill, register, read)
    return { each = {
      steady = true,
      before = function(n)
        local world, ids = ecs.world {}, {}
        for k = 1, n do ids[k] = fill(world, k) end
        local added = world:sum "added"
        register(world, added)
        return { world = world, ids = ids, added = added, total = 0 }
      end,
      run = function(c)
        c.world:progress(DT)
        c.total = c.total + c.added:value()
      end,
      result = function(c)
        local total = c.total
        for k, id in ipairs(c.ids) do
          total = total + (k % 7 + 1) * read(c.world, id)
        end
        return total
      end,
    } }
  end

  local function move(p, v, dt)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end

  local function place_of(world, id)
    local x, y = world:get(id, Position, "x", "y")
    return x + 3 * y
  end

  tests["system/throughput"] = frame(function(world, k)
    return world:spawn(Position, Velocity { x = k % 8, y = 1 })
  end, function(world)
    world:system { name = "move", query = { Position, read = { Velocity } },
      each = move }
  end, place_of)

  local function letters_of(world, id)
    local total = 0
    for weight, letter in ipairs { "A", "B", "C", "D", "E" } do
      local v = world:get(id, Letter[letter], "v")
      if v then total = total + weight * v end
    end
    return total
  end

  local function exchange(world, from, to)
    world:system { name = from .. to, query = { Letter[from], Letter[to] },
      each = function(a, b) a.v, b.v = b.v, a.v end }
  end

  local function copy(world, from, to)
    world:system { name = from .. to,
      query = { Letter[to], read = { Letter[from] } },
      each = function(b, a) b.v = a.v end }
  end

  local fourths = { {}, { "C" }, { "C", "D" }, { "C", "E" } }
  tests["system/overlap"] = frame(function(world, k)
    local values = { Letter.A { v = 1 }, Letter.B { v = 2 } }
    for place, letter in ipairs(fourths[k % 4 + 1]) do
      values[#values + 1] = Letter[letter] { v = 2 + place }
    end
    return world:spawn(unpack(values))
  end, function(world)
    exchange(world, "A", "B")
    exchange(world, "C", "D")
    exchange(world, "C", "E")
  end, letters_of)

  tests["system/chained"] = frame(function(world)
    return world:spawn(Letter.A { v = 1 }, Letter.B, Letter.C, Letter.D,
      Letter.E)
  end, function(world)
    copy(world, "A", "B")
    copy(world, "B", "C")
    copy(world, "C", "D")
    copy(world, "D", "E")
  end, letters_of)

  tests["system/fragmented"] = frame(function(world, k)
    local buff = (k - 1) % 20 + 1
    return world:spawn(Position { x = k % 8, y = k % 4 },
      Buff[buff] { level = buff })
  end, function(world, added)
    world:system { name = "positions", query = { read = { Position } },
      each = function(p) added:add(p.x + p.y) end }
    world:system { name = "buffs", query = { read = { Buff[1] } },
      each = function(b) added:add(b.level) end }
  end, function() return 0 end)

  tests["system/multi_20"] = frame(function(world, k)
    local values = {}
    for c = 1, 10 do values[c] = Number[c] { value = c + k % 4 } end
    return world:spawn(unpack(values))
  end, function(world, added)
    for k = 1, 20 do
      world:system { name = "sum " .. k,
        query = { read = { Number[(k + 1 - (k + 1) % 2) / 2] } },
        each = function(row) added:add(row.value) end }
    end
  end, function() return 0 end)

  tests["system/empty_systems"] = frame(function(world, k)
    return world:spawn(Position { x = k % 8, y = 0 })
  end, function(world)
    for k = 1, 20 do
      world:system { name = "none " .. k, query = { NonExistent },
        each = function(row, dt) row.value = row.value + dt end }
    end
  end, place_of)

  -- Rows: what surrounds the loops of a game --------------------------------

  local function fresh(n) return { world = ecs.world {}, n = n, ids = {} } end
  local function born(c) return c.world:stats().entities end

  tests["row/spawn three"] = {
    ["values in line"] = { before = fresh, result = born, run = function(c)
      local world = c.world
      for k = 1, c.n do
        world:spawn(Position { x = k, y = 1 }, Velocity { x = 1, y = 2 },
          Health { current = k })
      end
    end },
    ["component and table"] = { before = fresh, result = born,
      run = function(c)
        local world = c.world
        for k = 1, c.n do
          world:spawn(Position, { x = k, y = 1 }, Velocity, { x = 1, y = 2 },
            Health, { current = k })
        end
      end },
    spawner = offers "spawner" and {
      before = function(n)
        local context = fresh(n)
        context.spawn = context.world:spawner(Position, "x", "y", Velocity,
          "x", "y", Health, "current")
        return context
      end,
      run = function(c)
        local spawn = c.spawn
        for k = 1, c.n do spawn(k, 1, 1, 2, k) end
      end,
      result = born,
    },
  }
  -- Versions without this form: a table behind a component is refused.
  if not pcall(function() ecs.world({}):spawn(Position, { x = 1 }) end) then
    tests["row/spawn three"]["component and table"] = nil
  end

  tests["row/query in the loop, 10 rows"] = { rows = {
    steady = true, operations = 10,
    before = function()
      local world, ids = ecs.world {}, {}
      for k = 1, 10 do
        ids[k] = world:spawn(Position { x = k, y = 1 }, Velocity { x = 1 })
      end
      return { world = world, ids = ids }
    end,
    run = function(c)
      for _, p, v in c.world:query({ Position, read = { Velocity } }):rows() do
        p.x = p.x + v.x * DT
      end
    end,
    result = sum,
  } }

  --- Loops over rows with something outside of the compiled subset.
  local calls = 0
  local function loops(name, Moved, fill, step, read)
    local function before(n)
      local world, ids = ecs.world {}, {}
      for k = 1, n do ids[k] = fill(world, k) end
      return { world = world, ids = ids, query = world:query(Moved) }
    end
    local function result(c)
      local total = 0
      for k, id in ipairs(c.ids) do
        total = total + (k % 7 + 1) * read(c.world, id)
      end
      return total
    end
    tests[name] = {}
    for way, run in pairs(step) do
      tests[name][way] = { steady = true, before = before, run = run,
        result = result }
    end
  end

  local function plain_move(p, v, dt)
    calls = calls + 1
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end

  local function batch_move(batch)
    local p, v = batch[Position], batch[Velocity]
    local x, y, vx, vy = p.x, p.y, v.x, v.y
    for i = 1, batch.count do
      x[i] = x[i] + vx[i] * DT
      y[i] = y[i] + vy[i] * DT
    end
  end

  loops("row/move", { Position, read = { Velocity } }, function(world, k)
    return world:spawn(Position, Velocity { x = k % 8, y = 1 })
  end, {
    compiled = function(c) c.query:each(move, DT) end,
    ["plain each"] = function(c) c.query:each(plain_move, DT) end,
    batch = function(c) c.query:batch(batch_move) end,
    rows = function(c)
      for _, p, v in c.query:rows() do
        p.x = p.x + v.x * DT
        p.y = p.y + v.y * DT
      end
    end,
  }, place_of)

  local function score(s) s.points = s.points + s.gain end

  local function plain_score(s)
    calls = calls + 1
    s.points = s.points + s.gain
  end

  local function batch_score(batch)
    local points, gain = batch[Score].points, batch[Score].gain
    for i = 1, batch.count do points[i] = points[i] + gain[i] end
  end

  loops("row/count i32", { Score }, function(world, k)
    return world:spawn(Score { points = k, gain = k % 8 - 4 })
  end, {
    compiled = function(c) c.query:each(score) end,
    ["plain each"] = function(c) c.query:each(plain_score) end,
    batch = function(c) c.query:batch(batch_score) end,
    rows = function(c)
      for _, s in c.query:rows() do s.points = s.points + s.gain end
    end,
  }, function(world, id) return (world:get(id, Score, "points")) end)

  return tests
end
