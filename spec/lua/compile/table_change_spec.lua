-- Tables that compiled functions read at computed numbers, and that change:
-- each run reads what is there then, and of a large table what rows look at.

local ecs = require "ecs"
local scene = dofile "spec/support/table_scene.lua"

local P, populate, dump, alike = scene.P, scene.populate, scene.dump,
  scene.alike

describe("a table that changes", function()
  it("between frames is read again", function()
    alike(function()
      local T = { 1, 2, 3 }
      return function(p) p.x = T[p.n] or -1 end, function(frame)
        T[frame] = -frame
        T[4 - frame] = nil
        T[frame - 4] = frame * 2
      end
    end)
  end)

  it("may grow and shrink", function()
    alike(function()
      local T, M = {}, {}
      return function(p)
        p.x = T[p.x] or T[p.k] or -1
        if M[p.n] then p.y = M[p.n][p.b] or -2 end
      end, function(frame)
        local size = ({ 3, 30, 2, 90, 0 })[frame]
        for k = #T + 1, size do T[k] = k end
        for k = #T, size + 1, -1 do T[k] = nil end
        M = {}
        for y = 1, size do
          M[y] = {}
          for x = 1, (y * 7) % (size + 1) do M[y][x] = x * y + frame end
        end
      end
    end)
  end)

  it("may be another table", function()
    alike(function()
      local T = { 1, 2 }
      return function(p) p.x = T[p.n] or -1 end, function(frame)
        if frame % 2 == 0 then T = { [frame] = 5, 6, 7 } end
      end
    end)
  end)

  it("may get other kinds of elements", function()
    alike(function()
      local T = { 1, 2, 3 }
      return function(p)
        if T[p.n] then p.x = p.x + 1 end
        if T[p.n] == true then p.x = p.x + 10 end
      end, function(frame)
        if frame == 2 then T = { true, false, true } end
        if frame == 3 then T = {} end
        if frame == 4 then T = { {}, {} } end
        if frame == 5 then T = { 4 } end
      end
    end)
  end)

  it("may lose the field that all elements had", function()
    alike(function()
      local T = { { x = 1 }, { x = 2 } }
      return function(p)
        if T[p.n] then p.x = T[p.n].x or -1 end
      end, function(frame)
        if frame == 2 then T[1].x = nil end
        if frame == 4 then T[1].x = 8 end
      end
    end)
  end)

  it("in a side exit is read again behind it", function()
    alike(function()
      local T, M, log = { 1, 2, 3, 4 }, { { 1 }, { 2, 3 } }, {}
      return function(p)
        p.x = T[p.n] or -1
        if M[p.b] then p.y = M[p.b][1] end
        if p.k == 3 then
          log[#log + 1] = "row"
          T[2] = T[2] + 1
          T[#T + 1] = 0.5
          M[1][1] = #log
          M[#M + 1] = { #log }
        end
        p.y = p.y + #T
      end
    end, true, 700)
  end)

  it("by another system of the frame is read again", function()
    local function frame_of(compile)
      local world, ids = populate("double")
      local T = { 1, 2, 3 }
      world:system { name = "change", run = function()
        T[1], T[#T + 1] = T[1] + 1, 7
      end }
      world:system { name = "s", query = { P }, compile = compile,
        each = function(p) p.x = T[p.n] or -1 end }
      world:system { name = "again", run = function() T[2] = nil end }
      world:system { name = "t", query = { P }, compile = compile,
        each = function(p) p.y = T[p.n] or -1 end }
      world:progress(1)
      world:progress(1)
      local seen = dump(world, ids)
      world:close()
      return seen
    end
    assert.equal(frame_of(false), frame_of(true))
  end)

  it("into what cannot be copied runs as plain Lua until it changes back",
    function()
      local T = { 1, 2, 3 }
      local world, ids = populate("double")
      world:system { name = "s", query = { P }, each = function(p)
        if T[p.n] then p.x = p.x + 1 end
      end }
      local on_fallback = ecs.on_fallback
      ecs.on_fallback = function() end
      world:progress(1)
      assert.equal(0, world:stats("s").fallback_runs)
      T[2] = "text"
      world:progress(1)
      assert.equal(1, world:stats("s").fallback_runs)
      assert.truthy(world:explain("s"):find("no numbers, booleans", 1, true))
      T[2] = 5
      world:progress(1)
      assert.equal(1, world:stats("s").fallback_runs)
      T[1.5] = 3
      world:progress(1)
      assert.equal(2, world:stats("s").fallback_runs)
      T[1.5] = nil
      setmetatable(T, { __index = function() return 1 end })
      world:progress(1)
      assert.equal(3, world:stats("s").fallback_runs)
      setmetatable(T, nil)
      world:progress(1)
      assert.equal(3, world:stats("s").fallback_runs)
      ecs.on_fallback = on_fallback
      local rows = 0
      for _, id in ipairs(ids) do rows = rows + world:get(id, P, "x") end
      assert.is_true(rows > 0)
      world:close()
    end)
end)

describe("a number that a function adds to", function()
  it("is no field of elements that it reads", function()
    local W = { { n = 1 }, { n = 2 } }
    local first, other = W[1], { m = 0 }
    assert.truthy(scene.refused(function(p)
      first.n = first.n + 1
      p.x = W[p.k] and W[p.k].n or 0
    end):find("'n', which elements of a table may have, too", 1, true))
    alike(function()
      return function(p)
        other.m = other.m + 1.0
        p.x = W[p.k] and W[p.k].n or 0
      end
    end)
  end)
end)

describe("a query's each", function()
  it("reads tables at computed numbers", function()
    local world, ids = populate("double", 3000)
    local plain = populate("double", 3000)
    local T, runs = { 5, 6, 7 }, 0
    local query, other = world:query { P }, plain:query { P }
    local function f(p) p.x = p.x + (T[p.n] or 0.5) end
    for round = 1, 3 do
      T[round] = round * 10
      query:each(f)
      other:each(function(p)
        runs = runs + 1 -- so it is not compiled
        p.x = p.x + (T[p.n] or 0.5)
      end)
    end
    assert.equal(9000, runs)
    assert.equal(dump(plain, ids), dump(world, ids))
    world:close()
    plain:close()
  end)
end)

describe("a table that is larger than its rows are many", function()
  local function large(element)
    local T = {}
    for k = 1, 5000 do T[k] = element(k) end
    return T
  end

  it("gives what rows look at, through changes", function()
    alike(function()
      local T, U = large(function(k) return k * 0.5 end), {}
      for k = 1, 300 do U[k] = k % 3 == 0 end
      return function(p)
        p.x = T[p.k] or T[p.n * 50] or -1
        p.y = (T[p.x * 2] or 0) + (T[#T] or 7)
        p.on = U[p.n] == true
        p.n = p.n * 3
      end, function(frame)
        T[frame] = nil
        T[frame * 3], T[frame * 50] = -frame, frame
        for k = 1, frame * 40 do U[k] = not U[k] end
        if frame == 3 then T = large(function(k) return -k end) end
        if frame == 4 then for k = 3000, 5000 do T[k] = nil end end
      end
    end)
  end)

  it("has other keys than those of a sequence", function()
    for _, key in ipairs { 0, -1, -2, 5002, 65536 } do
      alike(function()
        local T = large(function(k) return k end)
        return function(p)
          p.x = T[p.k] or T[p.n] or T[p.b + 5000] or -1
        end, function(frame)
          T[key] = frame % 2 == 0 and 0.25 or nil
        end
      end)
    end
  end)

  it("has fields, entities and rows", function()
    alike(function(_, ids)
      local T = large(function(k)
        return { x = k, on = k % 2 == 0, at = { y = -k }, odd = k % 7 }
      end)
      local E = large(function(k) return ids[k % #ids + 1] end)
      local M = large(function(k) return { k, k + 1, k + 2 } end)
      return function(p, _, e)
        local w = T[p.n + 3]
        if w then p.x = w.x + w.at.y * 2 + (w.odd or 100) end
        p.on = w ~= nil and w.on
        p.who = E[p.k]
        if E[p.n] == e then p.y = 3 end
        if M[p.b] then p.y = p.y + (M[p.b][p.n] or 0.5) end
      end, function(frame)
        T[frame + 2].x, T[frame + 2].odd = 1000 * frame, nil
        E[frame] = ids[1]
      end
    end)
  end)

  it("is indexed by its own elements, and those of others", function()
    alike(function()
      local T = large(function(k) return (k * 7) % 5000 + 1 end)
      local U = large(function(k) return (k * 3) % 6000 - 20 end)
      return function(p)
        p.x = T[T[p.n] or 1] or -1
        p.y = T[U[p.k] or 5] or U[T[p.b] or 0] or -2
      end, function(frame) T[frame], U[frame] = 4000 + frame, frame end
    end)
  end)

  it("is indexed by what rows destroyed and draw", function()
    alike(function(world)
      local T = large(function(k) return k % 2 end)
      return function(p, _, e)
        local key = world:alive(p.who or e) and 2 or 3
        p.x = T[key] or -1
        p.y = T[key + 400] or 5
        if p.n == 1 and p.y == 1 then world:destroy(e) end
      end
    end)
    local world, ids = populate("double")
    local T = large(function(k) return k end)
    world:system { name = "s", query = { P }, compile = "whole",
      each = function(p)
        p.x = ecs.random()
        p.y = T[math.floor(p.x * 5000) + 1] or -1
      end }
    for _ = 1, 3 do
      world:progress(1)
      for _, id in ipairs(ids) do
        local x, y = world:get(id, P, "x", "y")
        assert.equal(math.floor(x * 5000) + 1, y)
      end
    end
    world:close()
  end)

  it("in a side exit is read again behind it", function()
    alike(function()
      local T, log = large(function(k) return k end), {}
      return function(p)
        p.x = T[p.n * 10] or -1
        if p.k == 3 then
          log[#log + 1] = "row"
          T[10] = T[10] + 1
        end
      end
    end, true, 300)
  end)

  it("may have elements of other kinds that no row looks at", function()
    local T = large(function(k) return k end)
    local world, ids = populate("double")
    world:system { name = "s", query = { P },
      each = function(p) p.x = T[p.n + 3] or -1 end }
    world:progress(1)
    T[4000] = "text"
    world:progress(1)
    assert.equal(0, world:stats("s").fallback_runs)
    local heard = ecs.on_fallback
    ecs.on_fallback = function() end
    T[3] = true
    local done = pcall(world.progress, world, 1)
    ecs.on_fallback = heard
    assert.is_false(done) -- as in plain Lua, x takes no boolean
    assert.is_true(#ids > 0)
    world:close()
  end)
end)
