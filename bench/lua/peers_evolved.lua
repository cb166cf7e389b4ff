--- peers_evolved: the tests of bench/peers as a user of evolved.lua writes
-- them: a fragment for each number, builders, batches over queries, and systems
-- over chunks.

local unpack = table.unpack or unpack -- luacheck: ignore

return function(setting, evolved)
  local DT, SYSTEMS, shuffle = setting.DT, setting.SYSTEMS, setting.shuffle
  local id, spawn, get, set = evolved.id, evolved.spawn, evolved.get,
    evolved.set
  local builder = evolved.builder

  local X, Y, VX, VY, CURRENT, MAX, NAME = id(7)
  local ALIVE, AGGRO = builder():tag():build(), builder():tag():build()
  local NONE, POINTS, GAIN = id(3)
  local letters, buffs, numbers = {}, {}, {}
  for letter in ("ABCDE"):gmatch "." do letters[letter] = id() end
  for k = 1, 20 do buffs[k] = id() end
  for k = 1, 10 do numbers[k] = id() end
  local parts = { Position = X, Velocity = VX, Name = NAME, Alive = ALIVE,
    Aggro = AGGRO }

  local function system(stage, fragments, execute)
    return builder():group(stage):include(unpack(fragments)):execute(execute)
      :build()
  end

  local function populated(n, systems)
    local context = { n = n, others = {}, ids = {}, systems = {},
      stage = id() }
    for k = 1, systems or 0 do
      context.systems[k] = system(context.stage, { X, Y, VX, VY },
        function() end)
    end
    context.others = evolved.multi_spawn(4 * n, { [CURRENT] = 100,
      [MAX] = 100, [NAME] = 7, [AGGRO] = true })
    for k = 1, n do
      context.ids[k] = spawn { [X] = k % 8, [Y] = k % 4, [VX] = 0, [VY] = 0,
        [ALIVE] = true }
    end
    shuffle(context.ids)
    context.query = builder():include(X):build()
    return context
  end

  --- There is one world, so what a test made has to be destroyed.
  local function after(context)
    for _, list in ipairs { context.ids, context.others or {},
        context.created or {}, context.systems or {} } do
      for _, entity in ipairs(list) do evolved.destroy(entity) end
    end
    if context.query then evolved.destroy(context.query) end
    if context.stage then evolved.destroy(context.stage) end
  end

  --- How many of the test's entities are alive and have all of these.
  local function count(context, ...)
    local fragments, found = {}, 0
    for k, name in ipairs { ... } do fragments[k] = parts[name] end
    for _, list in ipairs { context.ids, context.others,
        context.created or {} } do
      for _, entity in ipairs(list) do
        if evolved.alive(entity)
            and evolved.has_all(entity, unpack(fragments)) then
          found = found + 1
        end
      end
    end
    return found
  end

  local function sum(context)
    local add = setting.sum()
    for _, entity in ipairs(context.ids) do add(get(entity, X, Y)) end
    return add()
  end

  local function test(run, result, systems)
    return { run = run, result = result, after = after,
      before = function(n) return populated(n, systems) end }
  end

  local tests = {}

  tests["entity/create_empty"] = {
    ["one by one"] = test(function(c)
      local created = {}
      for k = 1, c.n do created[k] = id() end
      c.created = created
    end, count),
    bulk = test(function(c)
      c.created = evolved.multi_spawn(c.n, {})
    end, count),
  }

  local function placed(c) return count(c, "Position", "Alive") end
  local function create(systems)
    return {
      ["one by one"] = test(function(c)
        local created = {}
        local prepared = builder():set(X, 0):set(Y, 0):set(ALIVE)
        for k = 1, c.n do created[k] = prepared:build() end
        c.created = created
      end, placed, systems),
      bulk = test(function(c)
        c.created = evolved.multi_spawn(c.n, { [X] = 0, [Y] = 0,
          [ALIVE] = true })
      end, placed, systems),
    }
  end
  tests["entity/create_with_components"] = create()
  tests["structural_scaling/create"] = create(SYSTEMS)

  local function destroy(systems)
    return {
      ["one by one"] = test(function(c)
        local ids, remove = c.ids, evolved.destroy
        for k = 1, c.n do remove(ids[k]) end
      end, count, systems),
      bulk = test(function(c) evolved.batch_destroy(c.query) end, count,
        systems),
    }
  end
  tests["entity/destroy"] = destroy()
  tests["structural_scaling/destroy"] = destroy(SYSTEMS)

  local function add(systems)
    local function named(c) return count(c, "Position", "Name") end
    return {
      ["one by one"] = test(function(c)
        local ids = c.ids
        for k = 1, c.n do set(ids[k], NAME, 7) end
      end, named, systems),
      bulk = test(function(c) evolved.batch_set(c.query, NAME, 7) end, named,
        systems),
    }
  end
  tests["component/add"] = add()
  tests["structural_scaling/add_component"] = add(SYSTEMS)

  tests["component/get"] = { get = test(function(c)
    local ids, total = c.ids, 0
    for k = 1, c.n do
      local x, y = get(ids[k], X, Y)
      total = total + x + y
    end
    c.total = total
  end, function(c) return c.total end) }

  tests["component/set"] = { set = test(function(c)
    local ids = c.ids
    for k = 1, c.n do
      set(ids[k], X, 1)
      set(ids[k], Y, 1)
    end
  end, sum) }

  local function moving(c) return count(c, "Velocity") end
  tests["component/remove"] = {
    ["one by one"] = test(function(c)
      local ids, remove = c.ids, evolved.remove
      for k = 1, c.n do remove(ids[k], VX, VY) end
    end, moving),
    bulk = test(function(c) evolved.batch_remove(c.query, VX, VY) end,
      moving),
  }

  tests["tag/has"] = { has = test(function(c)
    local ids, found, has = c.ids, 0, evolved.has
    for k = 1, c.n do
      if has(ids[k], ALIVE) then found = found + 1 end
    end
    c.total = found
  end, function(c) return c.total end) }

  local function angry(c) return count(c, "Position", "Aggro") end
  tests["tag/add"] = {
    ["one by one"] = test(function(c)
      local ids = c.ids
      for k = 1, c.n do set(ids[k], AGGRO) end
    end, angry),
    bulk = test(function(c) evolved.batch_set(c.query, AGGRO) end, angry),
  }
  local function alive(c) return count(c, "Alive") end
  tests["tag/remove"] = {
    ["one by one"] = test(function(c)
      local ids, remove = c.ids, evolved.remove
      for k = 1, c.n do remove(ids[k], ALIVE) end
    end, alive),
    bulk = test(function(c) evolved.batch_remove(c.query, ALIVE) end, alive),
  }

  -- Systems ----------------------------------------------------------------

  local function frame(fill, register, read)
    return { execute = {
      steady = true, after = after,
      before = function(n)
        local context = { ids = {}, stage = id(), total = 0 }
        for k = 1, n do context.ids[k] = spawn(fill(k)) end
        context.systems = register(context.stage, context)
        return context
      end,
      run = function(c) evolved.process_with(c.stage, DT) end,
      result = function(c)
        local total = c.total
        for k, entity in ipairs(c.ids) do
          total = total + (k % 7 + 1) * read(entity)
        end
        return total
      end,
    } }
  end

  local function move(chunk, _, n, dt)
    local x, y, vx, vy = chunk:components(X, Y, VX, VY)
    for i = 1, n do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end

  local function place_of(entity)
    local x, y = get(entity, X, Y)
    return x + 3 * y
  end

  local function nothing() return 0 end

  local function velocity(k)
    return { [X] = 0, [Y] = 0, [VX] = k % 8, [VY] = 1 }
  end

  tests["system/throughput"] = frame(velocity, function(stage)
    return { system(stage, { X, Y, VX, VY }, move) }
  end, place_of)

  local function letters_of(entity)
    local total = 0
    for weight, letter in ipairs { "A", "B", "C", "D", "E" } do
      total = total + weight * (get(entity, letters[letter]) or 0)
    end
    return total
  end

  local function exchange(stage, from, to)
    local first, second = letters[from], letters[to]
    return system(stage, { first, second }, function(chunk, _, n)
      local a, b = chunk:components(first, second)
      for i = 1, n do a[i], b[i] = b[i], a[i] end
    end)
  end

  local function copy(stage, from, to)
    local first, second = letters[from], letters[to]
    return system(stage, { first, second }, function(chunk, _, n)
      local a, b = chunk:components(first, second)
      for i = 1, n do b[i] = a[i] end
    end)
  end

  local fourths = { {}, { "C" }, { "C", "D" }, { "C", "E" } }
  tests["system/overlap"] = frame(function(k)
    local values = { [letters.A] = 1, [letters.B] = 2 }
    for place, letter in ipairs(fourths[k % 4 + 1]) do
      values[letters[letter]] = 2 + place
    end
    return values
  end, function(stage)
    return { exchange(stage, "A", "B"), exchange(stage, "C", "D"),
      exchange(stage, "C", "E") }
  end, letters_of)

  tests["system/chained"] = frame(function()
    return { [letters.A] = 1, [letters.B] = 0, [letters.C] = 0,
      [letters.D] = 0, [letters.E] = 0 }
  end, function(stage)
    return { copy(stage, "A", "B"), copy(stage, "B", "C"),
      copy(stage, "C", "D"), copy(stage, "D", "E") }
  end, letters_of)

  --- A system that adds up one fragment.
  local function adding(stage, context, fragment)
    return system(stage, { fragment }, function(chunk, _, n)
      local values, total = chunk:components(fragment), context.total
      for i = 1, n do total = total + values[i] end
      context.total = total
    end)
  end

  tests["system/fragmented"] = frame(function(k)
    local buff = (k - 1) % 20 + 1
    return { [X] = k % 8, [Y] = k % 4, [buffs[buff]] = buff }
  end, function(stage, context)
    return { system(stage, { X, Y }, function(chunk, _, n)
      local x, y = chunk:components(X, Y)
      local total = context.total
      for i = 1, n do total = total + x[i] + y[i] end
      context.total = total
    end), adding(stage, context, buffs[1]) }
  end, nothing)

  tests["system/multi_20"] = frame(function(k)
    local values = {}
    for c = 1, 10 do values[numbers[c]] = c + k % 4 end
    return values
  end, function(stage, context)
    local systems = {}
    for k = 1, 20 do
      systems[k] = adding(stage, context, numbers[(k + 1 - (k + 1) % 2) / 2])
    end
    return systems
  end, nothing)

  tests["system/empty_systems"] = frame(function(k)
    return { [X] = k % 8, [Y] = 0 }
  end, function(stage)
    local systems = {}
    for k = 1, 20 do
      systems[k] = system(stage, { NONE }, function(chunk, _, n, dt)
        local values = chunk:components(NONE)
        for i = 1, n do values[i] = values[i] + dt end
      end)
    end
    return systems
  end, place_of)

  -- Rows ---------------------------------------------------------------------

  local function fresh(n) return { n = n, ids = {}, others = {} } end
  tests["row/spawn three"] = {
    spawn = { before = fresh, after = after, result = count,
      run = function(c)
        local created = {}
        for k = 1, c.n do
          created[k] = spawn { [X] = k, [Y] = 1, [VX] = 1, [VY] = 2,
            [CURRENT] = k }
        end
        c.created = created
      end },
    builder = { before = fresh, after = after, result = count,
      run = function(c)
        local created, made = {}, builder()
        for k = 1, c.n do
          created[k] = made:set(X, k):set(Y, 1):set(VX, 1):set(VY, 2)
            :set(CURRENT, k):build()
        end
        c.created = created
      end },
  }

  local function over(stage_query, f, ...)
    for chunk, entities, n in evolved.execute(stage_query) do
      f(chunk, entities, n, ...)
    end
  end

  tests["row/query in the loop, 10 rows"] = { execute = {
    steady = true, operations = 10, after = after, result = sum,
    before = function()
      local ids = {}
      for k = 1, 10 do
        ids[k] = spawn { [X] = k, [Y] = 1, [VX] = 1, [VY] = 0 }
      end
      return { ids = ids }
    end,
    run = function()
      local query = builder():include(X, VX):build()
      over(query, function(chunk, _, n)
        local x, vx = chunk:components(X, VX)
        for i = 1, n do x[i] = x[i] + vx[i] * DT end
      end)
      evolved.destroy(query)
    end,
  } }

  local function loop(fill, fragments, f, read)
    return { execute = {
      steady = true, after = after,
      before = function(n)
        local ids = {}
        for k = 1, n do ids[k] = spawn(fill(k)) end
        return { ids = ids,
          query = builder():include(unpack(fragments)):build() }
      end,
      run = function(c) over(c.query, f, DT) end,
      result = function(c)
        local total = 0
        for k, entity in ipairs(c.ids) do
          total = total + (k % 7 + 1) * read(entity)
        end
        return total
      end,
    } }
  end

  tests["row/move"] = loop(velocity, { X, Y, VX, VY }, move, place_of)
  tests["row/count i32"] = loop(function(k)
    return { [POINTS] = k, [GAIN] = k % 8 - 4 }
  end, { POINTS, GAIN }, function(chunk, _, n)
    local points, gain = chunk:components(POINTS, GAIN)
    for i = 1, n do points[i] = points[i] + gain[i] end
  end, function(entity) return (get(entity, POINTS)) end)

  return tests
end
