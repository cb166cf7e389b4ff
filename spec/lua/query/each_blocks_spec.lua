-- Functions that run as plain Lua mean the same in blocks of rows, where the VM
-- has them (Lua 5.4), as called row by row. Each case runs both ways: a
-- function that hands on its arguments is never read as a block.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/scene.lua"

local Position, Velocity, Every, Enemy =
  scene.Position, scene.Velocity, scene.Every, scene.Enemy
local BLOCKS = not rawget(_G, "jit")
local ROWS = 1400 -- in two tables, one of which has more than a block

--- Worlds that are equal, and their entities.
local function new_world()
  local world, ids = ecs.world { seed = 7 }, {}
  world:spawn_many(ROWS, { Position, Velocity, Every }, function(batch)
    local p, v, a = batch.Position, batch.Velocity, batch.Every
    for k = 1, batch.count do
      ids[k] = batch.entities[k]
      p.x[k], p.y[k] = k / 3, -k
      v.x[k], v.y[k] = k % 7 - 3, 0.1
      a.a[k], a.b[k], a.c[k], a.d[k] = k / 7, k / 9, k % 100 - 50, k % 256
      a.e[k], a.f[k], a.g[k], a.h[k] = -k, k, k * 1000, k * 1001
      a.i[k], a.j[k] = k % 3 == 0, ids[k - 1]
    end
  end)
  for k = 5, ROWS, 5 do world:add(ids[k], Enemy) end
  return world, ids
end

--- What Lua calls a field in its own messages, the frames below a message, and
-- the line of a stack overflow, which LuaJIT may not know, are all that may
-- differ.
local function text_of(value)
  if type(value) == "table" then return "a table" end
  return (tostring(value):gsub("\ninside the system:.*", "")
    :gsub("%(%a+ '[^']*'%)", "(name)")
    :gsub("^%S+:%d+: stack overflow", "stack overflow"))
end

--- Runs make(note)'s function both ways over equal worlds, as a system, and
-- asserts that values, notes and errors are the same. blocks: it runs in blocks
-- where there are any.
local function same(make, blocks)
  local results = {}
  for way = 1, 2 do
    local world, ids = new_world()
    local notes, running = {}, nil
    local function note(...)
      running = debug.getinfo(2, "f").func
      for k = 1, select("#", ...) do
        notes[#notes + 1] = tostring((select(k, ...)))
      end
    end
    local f = make(note, world, ids)
    local total = world:sum "each_blocks"
    world:system { name = "s", compile = false,
      query = { Position, Every, read = { Velocity } },
      each = way == 1 and f or function(...) return f(...) end }
    local done, text = true, nil
    for _ = 1, 2 do
      if done then done, text = pcall(world.progress, world, 0.25) end
    end
    if way == 1 and BLOCKS and running then
      assert.equal(blocks ~= false, running ~= f)
    end
    results[way] = table.concat({ tostring(done), text_of(text),
      tostring(total:value()), table.concat(notes, " "),
      tostring(world:hash()) }, "\n")
  end
  assert.is_true(results[1] == results[2],
    results[1]:sub(1, 400) .. "\n-- is not --\n" .. results[2]:sub(1, 400))
  return results[1]
end

-- Lua 5.4 folds constants into the code; other VMs have none.
local with_constants = BLOCKS and _VERSION == "Lua 5.4" and load [[
  local LIMIT <const> = 40.5
  local ON <const> = true
  local NONE <const> = nil
  local BIG <const> = -9007199254740993
  return function(note)
    return function(p, a, v)
      local x <const> = a.a
      if p.x > LIMIT and ON then p.x = LIMIT - 1 end
      if a.f == 7 then note(NONE, BIG, x) end
      p.y = NONE or x
    end
  end]]
local upvalue = 3

describe("a function in blocks", function()
  it("stores what rows store", function()
    same(function()
      return function(p, a, v, dt)
        p.x = p.x + v.x * dt
        p.y = p.y + v.y * dt
        a.g = a.g + v.x
        a.b = a.b / 3
      end
    end)
  end)

  it("reads what a field holds after a store", function()
    same(function(note)
      return function(p, a, _, dt)
        p.x = p.x + 1 / 3
        a.b = p.x
        a.c = a.c * 3.7
        a.d = a.c + a.d
        a.e = -a.e * 1e6 * dt
        a.h = a.e - 1e12
        a.i = 3
        a.j = a.j or 0
        note(p.x, a.c, a.d, a.e, a.h, a.i, a.j)
        a.i = a.c > 3
        a.f = a.i and 1 or 2
      end
    end)
  end)

  it("reads again in loops, jumps and inner blocks", function()
    same(function(note)
      return function(p, a)
        for k = 1, 3 do
          if k > 1 then note(p.x) end
          p.x = p.x / 3
        end
        local n = 0
        ::again::
        a.g = a.g / 2
        n = n + 1
        if n < 3 then goto again end
        repeat
          local done = a.f > 700
          a.f = a.f * 1.5 + 1
        until done
        while a.c > 3 do a.c = a.c - 1.5 end
        do p.y = 1 / 3 end
      end
    end)
  end)

  it("exchanges fields, and stores several at once", function()
    same(function()
      return function(p, a)
        p.x, p.y = p.y, p.x
        a.a, a.b, a.g = a.b, a.a, 3
        local x, y = p.x, p.y
        if x > y then p.x, x = y, x end
        a.a = x
      end
    end)
  end)

  it("refuses values at their line, with the rows before it stored", function()
    for _, wrong in ipairs { "text", true, {}, print, "5" } do
      local text = same(function()
        return function(p, a, _, _, e)
          p.y = 5
          p.x = a.f == 1300 and wrong or 7
          a.h = e
        end
      end)
      assert.truthy(text:find "each_blocks_spec.lua:%d+: ecs: Position.x is "
        .. "f32 and cannot hold", text:sub(1, 300))
    end
  end)

  it("raises what the function raises, at the same line", function()
    for _, kind in ipairs { "error", "table", "nil", "field" } do
      same(function()
        return function(
            p,
            a -- over several lines
          )

          p.x = 1
          if a.f == 1200 then
            if kind == "error" then error "stop" end
            if kind == "table" then error({}, 2) end
            if kind == "nil" then upvalue = upvalue + nil end
            if kind == "field" then a.g = a.j + a.i end
          end
          p.y = 2
        end
      end)
    end
  end)

  it("returns early", function()
    same(function(note)
      return function(p, a, v)
        if a.f % 3 == 0 then return end
        p.x = 1
        if a.f % 5 == 0 then
          local seen = a.f
          note(seen)
          return;
        end
        for k = 1, 4 do
          if k + v.x > 3 then return end
          p.y = p.y + k
        end
      end
    end)
  end)

  it("makes closures with variables of their own", function()
    same(function(note)
      local kept = {}
      return function(p, a, _, dt, e)
        local x = p.x
        if a.f % 400 == 0 then
          dt = dt + a.f
          kept[#kept + 1] = function(more)
            x, dt = x + more, dt + more
            return x, dt, e
          end
          for _, f in ipairs(kept) do note(f(1)) end
        end
        p.y = x
      end
    end)
  end)

  it("shares upvalues, which may change their type", function()
    same(function(note)
      local count, factor = 0, 2
      return function(p, a)
        count = count + 1
        p.x = p.x * factor
        if count == 1100 then
          local function change() factor = 0.5 end
          change()
          note(factor)
        end
        a.g = count
      end
    end)
    same(function(note)
      local factor = 2
      local function change() factor = "text" end
      return function(p, a)
        if a.f == 1100 then note(change()) end
        p.x = factor
        p.y = 9
      end
    end)
    same(function()
      local best = 3
      return function(p, a)
        if a.f == 1200 then best = "text" end
        p.x = best
      end
    end)
    same(function()
      local sum = 0
      return function(p, a)
        sum = sum + p.x
        a.b = sum
      end
    end)
  end)

  it("runs as before when an upvalue is no number any more", function()
    local scale = 2
    local function grow(p) p.x = p.x * scale end
    local world = ecs.world {}
    local e = world:spawn(Position { x = 3 })
    world:system { name = "grow", compile = false, query = { Position },
                   each = grow }
    world:progress(0)
    assert.equal(6, world:get(e, Position, "x"))
    scale = setmetatable({}, { __mul = function(_, _) return 5 end,
                               __rmul = true })
    world:progress(0)
    assert.equal(5, world:get(e, Position, "x"))
    scale = {}
    assert.is_false((pcall(world.progress, world, 0)))
    scale = 3
    world:progress(0)
    assert.equal(15, world:get(e, Position, "x"))
  end)

  it("knows constants, globals and shadows", function()
    same(function(note)
      return function(p, a)
        local x = a.a
        if a.f == 7 then note(math.abs(a.g)) end
        do
          local a, p = { f = 3 }, { x = 5 } -- luacheck: ignore
          a.f = p.x
          note(a.f)
        end
        p.y = math.floor(x)
      end
    end)
    if with_constants then same(with_constants()) end
  end)

  it("sees entities, and nil for the null entity", function()
    same(function(note)
      return function(_, a, _, _, e)
        if a.j == nil then note "none" end
        if a.j and a.f > 1390 then note(a.j, e) end
        if a.f % 2 == 0 then a.j = nil else a.j = e end
      end
    end)
  end)

  it("draws, and adds to totals, for its row", function()
    same(function(_, world)
      local total = world:sum "each_blocks"
      return function(p, a)
        if a.f % 4 ~= 0 then p.x = ecs.random() end
        if a.f % 7 == 0 then p.y = ecs.random() + ecs.random() end
        total:add(a.f / 3)
      end
    end)
  end)

  it("runs inside of others of its kind, in coroutines too", function()
    same(function(note, world)
      local speeds = world:query { read = { Velocity }, with = { Enemy } }
      local rng = ecs.random
      return function(p, a)
        if a.f % 500 ~= 0 then return end
        local sum = 0
        speeds:each(function(v) sum = sum + v.x end, "plain")
        coroutine.wrap(function() sum = sum + rng() end)()
        p.x = sum + rng()
        note(p.x)
        local other = ecs.world { seed = 3 }
        local e = other:spawn(Position {})
        other:system { name = "inner", query = { Position }, compile = false,
                       each = function(q) q.x = rng() + 1 end }
        other:progress(0)
        note(other:get(e, Position, "x"), rng())
        other:close()
      end
    end)
  end)

  it("records changes, and keeps what it walks over locked", function()
    same(function(note, world, ids)
      return function(p, a, _, _, e)
        if a.f == 600 then
          note(pcall(world.set, world, ids[3], Position, "x", 1))
          note(pcall(world.get, world, ids[3], Every, "a"))
          note(pcall(world.set, world, ids[3], Velocity, "x", 1))
          note(world:get(ids[3], Velocity, "x"))
          note(pcall(world.close, world))
          note(#ids, world:spawn(Position { x = 3 }) ~= nil)
        elseif a.f == 1300 then
          world:remove(e, Enemy)
        end
        p.x = 3
      end
    end)
  end)

  it("leaves functions alone that do more with a row", function()
    local kept
    for _, make in ipairs {
      function(note) return function(p) kept = p; note(p.x) end end,
      function(note) return function(p) note(p.x); (function() p.x = 1 end)()
        end end,
      function(note) return function(p) local k = "x"; p[k] = 4; note() end end,
      function(note) return function(p, ...) p.x = ...; note(...) end end,
      function(note) return function(p)
        note(p.x)
        p = nil
        note(p)
      end end,
      function(note) return function(p) note(rawequal(p, 3)) end end,
      function(note) return function(p) note(p.x); return p.x end end,
    } do
      same(make, false)
    end
    assert.is_false((pcall(function() return kept.x end)))
    for _, make in ipairs {
      function() return function(_, _, v) v.x = 1 end end,
      function() return function(p) local q = p; q.z = 1 end end,
      function() return function(p) local q = p; return q.z end end,
      function() return function(p) p:x() end end,
    } do
      assert.truthy(same(make):find("^false"))
    end
  end)

  it("is not what a file says that was changed", function()
    local name = os.tmpname()
    local function write(text)
      local file = assert(io.open(name, "w"))
      file:write(text)
      file:close()
    end
    write "return function(p) p.x = 5 end"
    local f = dofile(name)
    write "return function(p) p.x = 6 end"
    local world = ecs.world {}
    local e = world:spawn(Position)
    world:system { name = "s", query = { Position }, each = f,
                   compile = false }
    world:progress(0)
    os.remove(name)
    assert.equal(5, world:get(e, Position, "x"))
  end)

  it("makes no garbage", function()
    local world = new_world()
    world:system { name = "s", compile = false,
      query = { Position, Every, read = { Velocity } },
      each = function(p, a, v, dt, e)
        p.x = p.x + v.x * dt
        a.j = e
        a.g = a.g + 1
      end }
    local query = world:query { Position }
    local function f(p) p.x = 1 end
    local function frames(rounds)
      for _ = 1, rounds do
        world:progress(1)
        query:each(f, "plain")
      end
    end
    local made = support.garbage_of(frames, 5, 3)
    if BLOCKS then assert.equal(0, made) end
  end)

  it("stores a block when memory or the stack runs out in it", function()
    same(function()
      local function deep(n) return n + deep(n + 1) end
      return function(p, a)
        p.x = 4
        if a.f == 1100 then p.x = deep(1) end
      end
    end)
    support.cannot_yield(function()
      local world = new_world()
      world:query({ Position }):each(function(p)
        p.x = 1
        coroutine.yield()
      end, "plain")
    end)
  end)
end)
