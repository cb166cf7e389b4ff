-- Side exits: a branch with something that cannot be compiled does not make the
-- function plain Lua. Rows that reach it run as plain Lua, all others compiled,
-- and what happens, in which order, is what happens row by row.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local P = ecs.component("ExitP", { x = "f64", y = "f64" })
local V = ecs.component("ExitV", { x = "f64", n = "i32" })
local Far = ecs.component("ExitFar", { hp = "f64" }, { storage = "sparse" })
local Odd, Bit = ecs.tag "ExitOdd", ecs.tag("ExitBit", { storage = "bits" })
local Mark = ecs.component("ExitMark", { n = "f64" })

-- Rows of a block, and some more and less.
local SIZES = { 0, 1, 2, 255, 256, 257, 700 }

--- A world with so many rows, in three tables.
local function populate(count, precision)
  local world, ids = ecs.world { precision = precision or "double" }, {}
  for k = 1, count do
    local parts = { P { x = k % 50, y = k }, V { x = 1, n = k } }
    if k % 3 == 0 then parts[#parts + 1] = Odd end
    if k % 7 == 0 then parts[#parts + 1] = Far { hp = k } end
    if k % 2 == 0 then parts[#parts + 1] = Bit end
    ids[k] = world:spawn((table.unpack or unpack)(parts))
  end
  return world, ids
end

--- A system that does by query:each what another one does.
local function by_query(world, system)
  local query, each = world:query(system.query), system.each
  return { name = system.name, phase = system.phase, run = function(_, dt)
    query:each(each, dt)
  end }
end

--- What a program does: build(world, log, ids) returns a system. Returns a text
-- of all that can be seen, the stats of the system, and the error of a frame.
local function run(build, count, compile, frames)
  local world, ids = populate(count)
  local log = {}
  local system = build(world, log, ids)
  system.name, system.compile = "s", compile
  world:system(compile == "query" and by_query(world, system) or system)
  local problem = false
  for _ = 1, frames or 3 do
    local done, text = pcall(world.progress, world, 0.25)
    if not done then problem = tostring(text):match "^[^\n]*" break end
  end
  local seen = { table.concat(log, " "), world:hash(),
    world:stats().entities, tostring(problem) }
  local stats = world:stats "s"
  world:close()
  return table.concat(seen, "\n"), stats, problem
end

--- Asserts that a program compiles, and does what it does as plain Lua. Returns
-- how many rows took exits, of the largest size.
local function alike(build, sizes, frames)
  local exits
  for _, count in ipairs(sizes or SIZES) do
    local wanted = run(build, count, false, frames)
    local seen, stats = run(build, count, true, frames)
    assert.equal(wanted, seen, count .. " rows")
    assert.equal(0, stats.fallback_runs)
    exits = stats.exits
    local by_each = run(build, count, "query", frames)
      :gsub("query %b{} is walking", "system 's' is walking")
    if not by_each:find("is for the each function of a system", 1, true) then
      assert.equal(wanted, by_each, count .. " rows by query:each")
    end
  end
  return exits
end

local function move(body, terms)
  return function(world, log, ids)
    return { query = terms or { P, read = { V } },
             each = body(world, log, ids) }
  end
end

describe("a side exit", function()
  it("is taken by the rows that reach it, in their order", function()
    local exits = alike(move(function(_, log)
      return function(p, v, dt, e)
        p.x = p.x + v.x * dt
        if p.x > 49 then
          log[#log + 1] = e
          p.x = 0
        end
        p.y = p.y + 1
      end
    end))
    assert.equal(14, exits)
  end)

  it("may be at any row", function()
    for _, at in ipairs { 1, 2, 255, 256, 257, 512, 513, 600 } do
      local exits = alike(move(function(_, log)
        return function(p, v)
          if v.n == at then log[#log + 1] = tostring(p.x) .. v.n end
          p.x = p.x + v.n
        end
      end), { 600 }, 1)
      assert.equal(1, exits)
    end
  end)

  it("may be taken by all rows, or by none", function()
    for _, limit in ipairs { -1, 1000 } do
      alike(move(function(_, log)
        return function(p)
          if p.y > limit then log[#log + 1] = "#" .. p.y end
          p.y = p.y + 0.5
        end
      end, { P }))
    end
  end)

  it("is where a part of a condition, loop or call cannot be compiled",
    function()
      local function tell(log, x)
        if x > 40 then log[#log + 1] = "told" .. x return 1 end
        return x
      end
      alike(move(function(_, log)
        return function(p, v)
          for k = 1, 3 do
            if p.x == k then
              local text = "a" .. k
              log[#log + 1] = text
              break
            end
          end
          p.y = tell(log, p.x) + v.x
          if v.n % 11 == 0 then
            while p.x < 5 do p.x = p.x + 1 end
          elseif v.n % 13 == 0 then
            local list = { p.x, p.y }
            for _, number in ipairs(list) do log[#log + 1] = "" .. number end
          else
            p.x = p.x + 1
          end
        end
      end))
    end)

  it("is a method of a table outside, wherever it stands", function()
    for _, text in ipairs {
      "if p.x > 40 then push:width() end",
      "if p.x > 40 then p.y = 1 - push:width() * 2 end",
      "if p.x > 40 and push:width() > 2 then p.y = 1 end",
      "p.y = (p.x < 40 or push:width()) and 1 or 2",
      "local n = p.x > 40 and push:width() or 3 p.y = n",
      "if p.x > 40 then for k = 1, push:width() do p.y = p.y + k end end",
      "for k = 1, (p.x > 40 and push:width() or 3) do p.y = p.y + k end",
      "local k = 0 while k < p.x do k = k + 1 "
        .. "if k > 40 then p.y = push:width() end end",
      "local function f(q) if q.x > 40 then return push:width() end "
        .. "return 2 end p.y = f(p) + 1",
      "local t = { n = math.max(p.x > 40 and push:width() or 3, 2) } p.y = t.n",
    } do
      local taken = alike(function(_, log)
        local push = {}
        function push.width()
          log[#log + 1] = "width"
          return 4
        end
        local each = (rawget(_G, "loadstring") or load)(
          "local push = ... return function(p) " .. text .. " end")(push)
        return { query = { P }, each = each }
      end)
      assert.is_true(taken > 0, text)
    end
  end)

  it("may stand behind a return", function()
    alike(move(function(_, log)
      return function(p, v)
        p.x = p.x + 1
        if v.n % 20 ~= 3 then return end
        log[#log + 1] = "" .. v.n
        p.y = 7
      end
    end))
  end)

  it("is an error or an assertion under a condition", function()
    local wanted, _, problem = run(move(function()
      return function(p, v)
        p.x = p.x + 1
        if v.n == 300 then error("row " .. v.n, 0) end
      end
    end), 700, false)
    assert.truthy(problem:find("row 300", 1, true))
    local seen = run(move(function()
      return function(p, v)
        p.x = p.x + 1
        if v.n == 300 then error("row " .. v.n, 0) end
      end
    end), 700, true)
    assert.equal(wanted, seen)
  end)

  it("leaves, with an error, what row by row leaves", function()
    local build = move(function(world, log)
      return function(p, v, dt, e)
        p.x = p.x + 100
        if v.n % 50 == 0 then world:destroy(e) end
        if v.n == 333 then
          p.y = -1
          log[#log + 1] = "here"
          error "stop"
        end
        p.y = p.y + dt
      end
    end)
    local wanted, _, problem = run(build, 700, false, 1)
    assert.truthy(problem:find("stop", 1, true))
    assert.equal(wanted, (run(build, 700, true, 1)))
  end)

  it("records changes in the order of rows", function()
    alike(move(function(world, log)
      return function(p, v, _, e)
        if v.n % 10 == 1 then world:destroy(e) end
        if v.n % 10 == 2 then
          log[#log + 1] = world:spawn(Mark { n = v.n }, P { x = p.x })
        end
        if v.n % 10 == 3 then world:add(e, Odd) end
        if v.n % 10 == 4 then world:remove(e, Odd) end
        if v.n % 10 == 5 then world:set(e, P, "x", 9) end
        p.y = p.y + 1
      end
    end), nil, 2)
  end)

  it("sees what earlier rows have recorded and stored", function()
    alike(move(function(world, log, ids)
      local target = ids[1]
      return function(p, v, _, e)
        if v.n % 5 == 0 then world:destroy(e) end
        if v.n % 40 == 7 then
          log[#log + 1] = tostring(world:alive(target))
          world:destroy(target)
          local before = ids[v.n - 1]
          log[#log + 1] = tostring(world:alive(before))
        end
        p.y = p.x
      end
    end), nil, 2)
  end)

  it("has values from outside read again behind it", function()
    local step = 1
    local exits = alike(function(_, log)
      step = 1
      local options = { speed = 2, list = {} }
      return { query = { P, read = { V } }, each = function(p, v)
        p.x = p.x + step * options.speed
        if v.n % 100 == 50 then
          step = step + 1
          options.speed = options.speed * 2
          log[#log + 1] = step
        end
      end }
    end)
    assert.equal(21, exits)
  end)

  it("has the function compiled anew where it breaks a guard", function()
    local function double(x) return x * 2 end
    local function half(x) return x / 2 end
    alike(function(world, log)
      local change = double
      local component = Odd
      return { query = { P, read = { V } }, each = function(p, v, _, e)
        p.x = change(p.x)
        if world:has(e, component) then p.y = p.y + 1 end
        if v.n % 60 == 30 then
          change = change == double and half or double
          component = component == Odd and Bit or Odd
          log[#log + 1] = "changed"
        end
      end }
    end)
  end)

  -- What a variable held when the system was defined decides nothing: the world
  -- of the level before, say.
  describe("is none where a variable has, by the first run,", function()
    local Single = ecs.component("ExitSingle", { x = "f32" })

    local function finds(what, make)
      it(what, function()
        local before, world = ecs.world {}, ecs.world {}
        for k = 1, 300 do world:spawn(Single { x = k }) end
        local each, choose = make(before, world)
        world:system { name = "s", query = { Single }, each = each }
        choose()
        world:progress(0)
        world:progress(0)
        local stats = world:stats "s"
        assert.same({ 2, 0, 0 },
          { stats.runs, stats.fallback_runs, stats.exits })
        before:close()
        world:close()
      end)
    end

    finds("the world", function(before, world)
      local own = before
      return function(p, _, e)
        p.x = p.x * 0.1
        if p.x > 2 then own:add(e, Bit) end
      end, function() own = world end
    end)

    finds("the world, where a helper asks it", function(before, world)
      local own = before
      local function mark(e) own:set(e, Mark, "n", 2) end
      return function(p, _, e)
        p.x = p.x * 0.1
        if p.x > 2 then mark(e) end
      end, function() own = world end
    end)

    finds("the tag", function(before, world)
      local tag = before
      return function(p, _, e)
        p.x = p.x * 0.1
        if p.x > 2 then world:add(e, tag) end
      end, function() tag = Bit end
    end)

    finds("a setter of the world", function(before, world)
      local set = before:setter(Mark, "n")
      return function(p, _, e)
        p.x = p.x * 0.1
        if p.x > 2 then set(e, 3) end
      end, function() set = world:setter(Mark, "n") end
    end)

    finds("an array of the world", function(before, world)
      local heat = before:array("heat", "f32", 9)
      return function(p)
        p.x = p.x * 0.1
        if p.x > 2 then heat[1] = p.x end
      end, function() heat = world:array("heat", "f32", 9) end
    end)

    finds("a table with the world", function(before, world)
      local game = { world = before }
      return function(p, _, e)
        p.x = p.x * 0.1
        if p.x > 2 then game.world:add(e, Bit) end
      end, function() game = { world = world } end
    end)
  end)

  it("stays one where what no code can call is another in each run", function()
    local world, file, wrapped = ecs.world {}, nil, nil
    local Single = ecs.component("ExitSingle", { x = "f32" })
    for k = 1, 300 do world:spawn(Single { x = k }) end
    world:system { name = "s", query = { Single }, each = function(p)
      p.x = p.x * 0.5
      if p.x > 1e9 then file:seek() end
      if p.x > 1e8 then wrapped() end
    end }
    for _ = 1, 40 do
      file, wrapped = io.tmpfile(), coroutine.wrap(print)
      world:progress(0)
      file:close()
    end
    assert.equal(0, world:stats("s").fallback_runs)
  end)

  it("has entities looked up again behind it", function()
    alike(function(world, _, ids)
      local boss = ids[7]
      return { query = { P, read = { V } }, each = function(p, v)
        local hp = boss and world:get(boss, Far, "hp")
        if hp then p.x = hp end
        if v.n % 90 == 45 and boss then
          world:set(boss, Far, "hp", v.n .. "" == "45" and 3 or 4)
        end
      end }
    end)
  end)

  it("adds to totals what plain Lua adds", function()
    for _, kind in ipairs { "sum", "min", "max" } do
      alike(function(world, log)
        local total = world[kind](world, "total")
        return { query = { P, read = { V } }, each = function(p, v)
          p.x = p.x + 1
          if v.n % 9 == 4 then
            log[#log + 1] = tostring(total:value())
            total:add(v.n * 0.1)
          end
        end }
      end)
    end
  end)

  it("draws the numbers that plain Lua draws", function()
    alike(move(function(_, log)
      return function(p, v)
        p.x = ecs.random()
        if v.n % 30 == 2 then log[#log + 1] = "" .. ecs.random() end
        p.y = p.y + ecs.random()
      end
    end))
  end)

  it("works over partial plans, groups and optional components", function()
    local function log_far(_, log)
      return function(p, f)
        p.x = p.x + f.hp
        if f.hp % 4 == 1 then log[#log + 1] = "far" .. f.hp end
      end
    end
    alike(move(log_far, { read = { Far }, P }))
    alike(move(function(_, log)
      return function(p, v, o)
        if o then p.x = p.x + o.hp end
        if v.n % 5 == 1 then log[#log + 1] = "" .. v.n end
      end
    end, { P, read = { V }, optional = { Far }, with = { Bit } }))
    alike(function(world, log)
      world:group { P, V }
      return { query = { P, read = { V }, without = { Odd } },
        each = function(p, v)
          p.x = p.x - v.x
          if v.n % 6 == 1 then log[#log + 1] = "" .. v.n end
        end }
    end)
  end)

  it("keeps f32 fields of other rows as compiled code stores them", function()
    local F = ecs.component("ExitF", { x = "f32" })
    local function value(take)
      local world = ecs.world {}
      local kept = world:spawn(F { x = 0.1 })
      world:spawn(F { x = 5 })
      local log = {}
      world:system { name = "s", query = { F }, compile = true,
        each = function(f)
          if f.x > take then log[#log + 1] = "" .. f.x end
          f.x = f.x * 3 - 0.2
        end }
      world:progress(1)
      return world:get(kept, F, "x"), #log
    end
    local without, none = value(10)
    local with, one = value(4)
    assert.equal(without, with)
    assert.equal(0, none)
    assert.equal(1, one)
  end)
end)

describe("a system with side exits", function()
  local told = support.hear_fallbacks(before_each, after_each)

  local function world_of(compile)
    local world, log = populate(100), {}
    world:system { name = "s", query = { P, read = { V } }, compile = compile,
      each = function(p, v)
        p.x = p.x + 1
        if v.n == 50 then
          log[#log + 1] = v.n
        end
      end }
    return world, log
  end

  it("is no fallback, and its stats and explain tell", function()
    local world = world_of(true)
    world:progress(1)
    world:progress(1)
    assert.is_nil(told())
    local stats = world:stats "s"
    assert.equal(2, stats.exits)
    assert.equal(0, stats.fallback_runs)
    local text = world:explain "s"
    local line = debug.getinfo(world_of, "S").linedefined + 6
    assert.truthy(text:find("side exit at " .. debug.getinfo(1, "S").short_src
      .. ":" .. line .. ": an assignment to an element of", 1, true), text)
  end)

  it("is refused with compile = 'whole'", function()
    local done, text = pcall(world_of, "whole")
    assert.is_false(done)
    assert.truthy(text:find("an element of 'log', which is a table, "
      .. "cannot be compiled", 1, true), text)
  end)

  it("needs no compile = true", function()
    local world = world_of()
    world:progress(1)
    assert.is_nil(told())
    assert.equal(1, world:stats("s").exits)
  end)

  it("runs as plain Lua while too many rows take exits, in doubles", function()
    for _, precision in ipairs { "double", "fields" } do
      local F = ecs.component("ExitCrowd" .. precision,
        { x = "f32", y = "f32" })
      local world, plain = ecs.world {}, ecs.world {}
      local last = {}
      for _, each in ipairs { world, plain } do
        for k = 1, 1300 do each:spawn(F { x = k / 7, y = 0.1 }) end
        each:system { name = "s", query = { F },
          compile = each == world, precision = each == world and precision
          or nil, each = function(f)
            if f.x > 100 then last[f.y] = f.x end
            f.y = f.y * 1.01 + f.x
          end }
      end
      for _ = 1, 10 do
        world:progress(1)
        plain:progress(1)
      end
      local crowded = precision == "double"
      assert.equal(crowded and 600 or 6000, world:stats("s").exits)
      assert.truthy(next(last))
      if crowded then assert.equal(plain:hash(), world:hash()) end
      local text = world:explain "s"
      assert.truthy(text:find("600 of 1300 rows took a side exit", 1, true),
        text)
      assert.equal(crowded, text:find("so it runs as plain Lua", 1, true)
        ~= nil, text)
    end
  end)

  it("is refused where each row reaches it", function()
    local world, log = populate(10), {}
    local done, text = pcall(world.system, world, { name = "s", query = { P },
      compile = true, each = function(p)
        if p.x > 3 then p.y = 1 end
        log[#log + 1] = p.x
      end })
    assert.is_false(done)
    assert.truthy(text:find("'log', which is a table", 1, true), text)
    local both = { query = { P }, name = "t", compile = true,
      each = function(p)
        if p.x > 3 then log[1] = 1 else log[2] = 1 end
      end }
    done, text = pcall(world.system, world, both)
    assert.is_false(done)
    assert.truthy(text:find("which is a table", 1, true), text)
  end)

  it("adds to totals with the bits of plain Lua, wherever exits are", function()
    local sizes = { 15, 16, 17, 1023, 1024, 1025, 2500 }
    for _, every in ipairs { 1, 2, 3, 16, 511, 1023, 1024 } do
      alike(function(world, log)
        local sum, least = world:sum "sum", world:min "least"
        local rest = world:sum "rest"
        return { query = { P, read = { V } }, each = function(p, v)
          sum:add(p.y * 0.1)
          if v.n % every == 0 then
            log[#log + 1] = tostring(rest:value() + least:value())
            rest:add(0.3)
          end
          if p.x > 3 then least:add(p.x / 7) rest:add(p.y / 9) end
          p.y = p.y + 0.7
        end }
      end, sizes)
    end
  end)

  it("may begin to add to totals in the middle of a run", function()
    alike(function(world, log)
      local total = world:sum "total"
      local step
      local function count(x) total:add(x) end
      local function rare(x)
        if x == 50 then
          log[#log + 1] = tostring(total:value())
          step = count
        end
      end
      step = rare
      return { query = { P, read = { V } }, each = function(p, v)
        step(v.n)
        p.x = p.x + 1
      end }
    end)
  end)

  it("draws the numbers of plain Lua", function()
    alike(function(_, log)
      return { query = { P, read = { V } }, each = function(p, v)
        p.x = ecs.random()
        if v.n % 40 == 7 then log[#log + 1] = tostring(ecs.random()) end
        if p.x > 0.5 then p.y = ecs.random() end
      end }
    end)
  end)

  it("is plain Lua behind a row that made it impossible to compile", function()
    local heard = {}
    ecs.on_fallback = function(name) heard[#heard + 1] = name end
    local function outcome(compile)
      local world, log = populate(100), {}
      local step = function(x) return x + 1 end
      world:system { name = "s", query = { P, read = { V } },
        compile = compile, each = function(p, v)
          if v.n == 50 then
            log[#log + 1] = v.n
            step = function(x) log[#log + 1] = x return x + 2 end
          end
          p.x = step(p.x)
        end }
      local done, text = pcall(world.progress, world, 1)
      return world:hash() .. #log, done, text
    end
    local wanted = outcome(false)
    assert.equal(wanted, (outcome(nil)))
    local _, done, text = outcome(true)
    assert.is_false(done)
    assert.truthy(text:find("'log', which is a table", 1, true), text)
  end)

  it("is refused for the first of its exits, on every VM", function()
    local log = {}
    for _ = 1, 3 do
      local world = populate(10)
      local total = world:sum "t"
      local done, text = pcall(world.system, world, { name = "s",
        query = { P }, compile = true, each = function(p)
          total:add(1)
          if p.x == 1 then
            print(p.x)
          elseif p.x == 2 then
            log[1] = 1
          else
            log[2] = 1
          end
        end })
      assert.is_false(done)
      assert.truthy(text:find("a call of 'print'", 1, true), text)
      assert.is_nil(log[1])
    end
  end)

  it("can neither close its world nor begin a frame in one", function()
    for _, call in ipairs { "close", "progress" } do
      local build = function(world)
        return { query = { P, read = { V } }, each = function(p, v)
          p.x = p.x + 1
          if v.n == 20 then world[call](world) end
        end }
      end
      local wanted, _, problem = run(build, 100, false, 1)
      assert.truthy(problem)
      assert.equal(wanted, (run(build, 100, true, 1)))
    end
  end)
end)
