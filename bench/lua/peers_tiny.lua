--- peers_tiny: the tests of bench/peers as a user of tiny-ecs writes them:
-- entities are tables of components, systems filter them.

local unpack = table.unpack or unpack -- luacheck: ignore

return function(setting, tiny)
  local DT, SYSTEMS, shuffle = setting.DT, setting.SYSTEMS, setting.shuffle

  local function system(world, names, process)
    local made = tiny.processingSystem { process = process }
    made.filter = tiny.requireAll(unpack(names))
    return tiny.addSystem(world, made)
  end

  local function populated(n, systems)
    local world, ids = tiny.world(), {}
    for _ = 1, systems or 0 do
      system(world, { "Position", "Velocity" }, function() end)
    end
    for _ = 1, 4 * n do
      tiny.addEntity(world, { Health = { current = 100, max = 100 },
        Name = { value = 7 }, Aggro = true })
    end
    for k = 1, n do
      ids[k] = tiny.addEntity(world, { Position = { x = k % 8, y = k % 4 },
        Velocity = { x = 0, y = 0 }, Alive = true })
    end
    tiny.refresh(world)
    return { world = world, ids = shuffle(ids), n = n }
  end

  local function count(context, ...)
    local found, names = 0, { ... }
    for _, entity in ipairs(context.world.entities) do
      local all = true
      for _, name in ipairs(names) do all = all and entity[name] ~= nil end
      if all then found = found + 1 end
    end
    return found
  end

  local function sum(context)
    local add = setting.sum()
    for _, entity in ipairs(context.ids) do
      add(entity.Position.x, entity.Position.y)
    end
    return add()
  end

  local function test(run, result, systems)
    return { table = { run = run, result = result,
      before = function(n) return populated(n, systems) end } }
  end

  local tests = {}

  tests["entity/create_empty"] = test(function(c)
    local world = c.world
    for _ = 1, c.n do tiny.addEntity(world, {}) end
    tiny.refresh(world)
  end, count)

  local function create(c)
    local world = c.world
    for _ = 1, c.n do
      tiny.addEntity(world, { Position = { x = 0, y = 0 }, Alive = true })
    end
    tiny.refresh(world)
  end
  local function placed(c) return count(c, "Position", "Alive") end
  tests["entity/create_with_components"] = test(create, placed)
  tests["structural_scaling/create"] = test(create, placed, SYSTEMS)

  local function destroy(c)
    local world, ids = c.world, c.ids
    for k = 1, c.n do tiny.removeEntity(world, ids[k]) end
    tiny.refresh(world)
  end
  tests["entity/destroy"] = test(destroy, count)
  tests["structural_scaling/destroy"] = test(destroy, count, SYSTEMS)

  local function change(key, value)
    return function(c)
      local world, ids = c.world, c.ids
      for k = 1, c.n do
        local entity = ids[k]
        entity[key] = value and value()
        tiny.addEntity(world, entity)
      end
      tiny.refresh(world)
    end
  end
  local function named(c) return count(c, "Position", "Name") end
  local add = change("Name", function() return { value = 7 } end)
  tests["component/add"] = test(add, named)
  tests["structural_scaling/add_component"] = test(add, named, SYSTEMS)
  tests["component/remove"] = test(change("Velocity"),
    function(c) return count(c, "Velocity") end)
  tests["tag/add"] = test(change("Aggro", function() return true end),
    function(c) return count(c, "Position", "Aggro") end)
  tests["tag/remove"] = test(change("Alive"),
    function(c) return count(c, "Alive") end)

  tests["component/get"] = test(function(c)
    local ids, total = c.ids, 0
    for k = 1, c.n do
      local position = ids[k].Position
      total = total + position.x + position.y
    end
    c.total = total
  end, function(c) return c.total end)

  tests["component/set"] = test(function(c)
    local ids = c.ids
    for k = 1, c.n do
      local position = ids[k].Position
      position.x, position.y = 1, 1
    end
  end, sum)

  tests["tag/has"] = test(function(c)
    local ids, found = c.ids, 0
    for k = 1, c.n do
      if ids[k].Alive then found = found + 1 end
    end
    c.total = found
  end, function(c) return c.total end)

  -- Systems ----------------------------------------------------------------

  local function frame(fill, register, read)
    return { process = {
      steady = true,
      before = function(n)
        local world, ids = tiny.world(), {}
        for k = 1, n do ids[k] = tiny.addEntity(world, fill(k)) end
        local context = { world = world, ids = ids, total = 0 }
        register(world, context)
        tiny.refresh(world)
        return context
      end,
      run = function(c) tiny.update(c.world, DT) end,
      result = function(c)
        local total = c.total
        for k, entity in ipairs(c.ids) do
          total = total + (k % 7 + 1) * read(entity)
        end
        return total
      end,
    } }
  end

  local function place_of(entity)
    return entity.Position.x + 3 * entity.Position.y
  end
  local function nothing() return 0 end

  local function velocity(k)
    return { Position = { x = 0, y = 0 }, Velocity = { x = k % 8, y = 1 } }
  end
  local function move(_, entity, dt)
    local position, speed = entity.Position, entity.Velocity
    position.x = position.x + speed.x * dt
    position.y = position.y + speed.y * dt
  end
  tests["system/throughput"] = frame(velocity, function(world)
    system(world, { "Position", "Velocity" }, move)
  end, place_of)

  local function letters_of(entity)
    local total = 0
    for weight, letter in ipairs { "A", "B", "C", "D", "E" } do
      if entity[letter] then total = total + weight * entity[letter].v end
    end
    return total
  end

  local function exchange(world, from, to)
    system(world, { from, to }, function(_, entity)
      local a, b = entity[from], entity[to]
      a.v, b.v = b.v, a.v
    end)
  end

  local function copy(world, from, to)
    system(world, { from, to }, function(_, entity)
      entity[to].v = entity[from].v
    end)
  end

  local fourths = { {}, { "C" }, { "C", "D" }, { "C", "E" } }
  tests["system/overlap"] = frame(function(k)
    local entity = { A = { v = 1 }, B = { v = 2 } }
    for place, letter in ipairs(fourths[k % 4 + 1]) do
      entity[letter] = { v = 2 + place }
    end
    return entity
  end, function(world)
    exchange(world, "A", "B")
    exchange(world, "C", "D")
    exchange(world, "C", "E")
  end, letters_of)

  tests["system/chained"] = frame(function()
    return { A = { v = 1 }, B = { v = 0 }, C = { v = 0 }, D = { v = 0 },
      E = { v = 0 } }
  end, function(world)
    copy(world, "A", "B")
    copy(world, "B", "C")
    copy(world, "C", "D")
    copy(world, "D", "E")
  end, letters_of)

  tests["system/fragmented"] = frame(function(k)
    local buff = (k - 1) % 20 + 1
    return { Position = { x = k % 8, y = k % 4 },
      ["Buff" .. buff] = { level = buff } }
  end, function(world, context)
    system(world, { "Position" }, function(_, entity)
      local position = entity.Position
      context.total = context.total + position.x + position.y
    end)
    system(world, { "Buff1" }, function(_, entity)
      context.total = context.total + entity.Buff1.level
    end)
  end, nothing)

  tests["system/multi_20"] = frame(function(k)
    local entity = {}
    for c = 1, 10 do entity["Number" .. c] = { value = c + k % 4 } end
    return entity
  end, function(world, context)
    for k = 1, 20 do
      local name = "Number" .. ("%d"):format((k + 1 - (k + 1) % 2) / 2)
      system(world, { name }, function(_, entity)
        context.total = context.total + entity[name].value
      end)
    end
  end, nothing)

  tests["system/empty_systems"] = frame(function(k)
    return { Position = { x = k % 8, y = 0 } }
  end, function(world)
    for _ = 1, 20 do
      system(world, { "None" }, function(_, entity, dt)
        entity.None.value = entity.None.value + dt
      end)
    end
  end, place_of)

  -- Rows ---------------------------------------------------------------------

  tests["row/spawn three"] = { table = {
    before = function(n) return { world = tiny.world(), n = n } end,
    result = count,
    run = function(c)
      local world = c.world
      for k = 1, c.n do
        tiny.addEntity(world, { Position = { x = k, y = 1 },
          Velocity = { x = 1, y = 2 }, Health = { current = k, max = 0 } })
      end
      tiny.refresh(world)
    end,
  } }
  tests["row/move"] = frame(velocity, function(world)
    system(world, { "Position", "Velocity" }, move)
  end, place_of)
  tests["row/count i32"] = frame(function(k)
    return { Score = { points = k, gain = k % 8 - 4 } }
  end, function(world)
    system(world, { "Score" }, function(_, entity)
      local score = entity.Score
      score.points = score.points + score.gain
    end)
  end, function(entity) return entity.Score.points end)

  return tests
end
