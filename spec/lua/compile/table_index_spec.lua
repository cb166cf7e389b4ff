-- Tables from outside at computed numbers: T[i], T[i].x, T[i][j], #T. What a
-- compiled function finds there is what plain Lua finds, at every key.

local ecs = require "ecs"
local scene = dofile "spec/support/table_scene.lua"

local P, alike, refused = scene.P, scene.alike, scene.refused
local F = ecs.component("TableF", { k = "f32", x = "f32" })
local zero = 0.0

describe("a table at a computed number", function()
  it("gives what is there, and nil elsewhere", function()
    alike(function()
      local T = { 10, 20, 30.5, -1 * zero, zero / zero }
      return function(p)
        p.x = T[p.k] or -7
        if T[p.k] then p.y = T[p.k] + 1 end
        p.on = T[p.n] == nil
      end
    end)
  end)

  it("has bounds on both sides, of any size", function()
    for _, size in ipairs { 0, 1, 2, 15, 16, 17, 40 } do
      for _, first in ipairs { 1, 0, -5 } do
        alike(function()
          local T = { [0.5] = nil }
          for k = first, first + size - 1 do T[k] = k * 1.5 end
          return function(p)
            p.x = T[p.x] or -100
            p.y = T[p.n + p.b] or -200
            if T[p.n - 1] then p.who = nil end
          end, function() end
        end, nil, 90)
      end
    end
  end)

  it("may have holes", function()
    alike(function()
      local T = { 1, nil, 3, nil, nil, 6, [-2] = -2, [40] = 9 }
      return function(p)
        p.x = T[p.k] or p.x * 2
        p.y = p.y + (T[p.n] or 0.25)
      end
    end)
  end)

  it("may have booleans", function()
    alike(function()
      local T = { true, false, true, [0] = false, [-1] = true }
      return function(p)
        p.on = T[p.n] == true
        if T[p.k] then p.x = 5 end
        if T[p.k] == false then p.y = 6 end
        if T[p.n] == nil then p.y = p.y + 1 end
        p.on = p.on or not T[p.b]
      end
    end)
  end)

  it("may have entities", function()
    alike(function(_, ids)
      local T = { ids[3], ids[5], ids[1], [0] = ids[7] }
      return function(p, _, e)
        p.who = T[p.k]
        if T[p.n] == e then p.x = -3 end
        local other = T[p.b] or e
        if other == p.who then p.y = 9 end
      end
    end)
  end)

  it("that is no handle is no entity, not even nil", function()
    alike(function(_, ids)
      local T = { 2.5, -1, ids[3], [0] = 0 }
      return function(p, _, e)
        if p.who == T[p.n] then p.x = -1 end
        if T[p.k] == e then p.y = -2 end
        if T[p.b] ~= p.who then p.y = p.y + 4 end
      end
    end)
  end)

  it("that is nil equals nil alone", function()
    alike(function()
      local T = { true, 4 }
      local U = { missing = nil }
      return function(p)
        if T[7] == true or T[7] == 4 or U.missing == p.on then p.x = -1 end
        if T[7] == nil and T[2] == 4 and T[1] == true then p.y = 5 end
      end
    end)
  end)

  it("of numbers that are no handles is no choice of entities", function()
    local T = { 0.5, 2 }
    assert.truthy(refused(function(p, _, e) p.who = T[p.k] or e end)
      :find("one path", 1, true))
  end)

  it("may have fields", function()
    alike(function()
      local T = { { x = 1, y = 2, on = true, at = { z = 7, 8 } },
        { x = -1.5, y = 2, on = false, at = { z = 5, 9 } },
        nil, { x = 4, y = 0, on = true, at = { z = 1 } }, name = "points" }
      return function(p)
        local w = T[p.k]
        if w then
          p.x = w.x + w.y * p.x
          p.on = w.on
          p.y = w.at.z + (w.at[1] or 100)
        end
        if not T[p.n] then return end
        p.y = p.y + T[p.n].at["z"]
      end
    end)
  end)

  it("may lack some fields", function()
    alike(function()
      local T = { { x = 1 }, { y = 3 }, { x = 5, y = 6 }, {} }
      return function(p)
        local w = T[p.k]
        if w then p.x, p.y = w.x or -1, w.y or -2 end
      end
    end)
  end)

  it("finds fields behind an __index that is a table", function()
    alike(function()
      local Base = { speed = 3, deep = { a = 1 } }
      local Kind = setmetatable({ power = 4 }, { __index = Base })
      local T = { setmetatable({}, { __index = Kind }),
        setmetatable({ speed = 9 }, { __index = Kind }), { speed = 1, power = 0,
        deep = { a = 2 } } }
      return function(p)
        local w = T[p.k]
        if w then p.x = w.speed + w.power * 10 + w.deep.a end
      end, function(frame)
        if frame == 2 then Base.speed = 8 end
        if frame == 3 then Kind.power = 7 end
      end
    end)
  end)

  it("is indexed again", function()
    for _, first in ipairs { 1, 0, -1 } do
      alike(function()
        local map = {}
        for y = first, 5 do
          map[y] = {}
          for x = first, 3 + y do map[y][x] = y * 10 + x end
        end
        map[2] = { [3] = 99, [-2] = 5 }
        map[4] = {}
        return function(p)
          local row = map[p.n]
          if row then p.x = row[p.k] or -1 end
          if map[p.b] then p.y = map[p.b][p.n + 1] or p.y + 0.5 end
          if map[p.k] then p.y = map[p.k][2] or p.y end
        end
      end)
    end
  end)

  it("is indexed again behind a field, and has fields there", function()
    alike(function()
      local levels = {}
      for y = 1, 4 do
        levels[y] = { cells = {}, n = y }
        for x = 1, 5 do
          levels[y].cells[x] = { cost = x * y, open = (x + y) % 2 == 0 }
        end
      end
      levels[3].cells[2] = nil
      return function(p)
        local level = levels[p.n]
        if not level then return end
        local cell = level.cells[p.b]
        if cell and cell.open then p.x = cell.cost + level.n end
        if not cell then p.y = p.y - 1 end
      end
    end)
  end)

  it("is chosen by conditions", function()
    alike(function()
      local T = { { x = 1 }, { x = 2 }, { x = 3 } }
      local U = { { x = 5 } }
      return function(p)
        local w
        if p.on then w = T[1 + p.b % 3] else w = T[p.n] end
        if w then p.x = w.x end
        local v = T[p.k] or T[p.n]
        if v then p.y = v.x + 0.5 end
        if U[p.n] then p.y = U[p.n].x end
      end
    end)
  end)

  it("may be a field, a global, or at a constant key", function()
    local G = rawget(_G, "_G")
    G.TableIndexGlobal = { list = { 4, 5, 6 } }
    alike(function()
      local settings = { speeds = { 1.5, 2.5, 3.5 }, [2] = { 7, 8 } }
      return function(p)
        p.x = settings.speeds[p.n] or _G.TableIndexGlobal.list[p.b] or 0
        p.y = settings[2][1] + settings["speeds"][3]
        p.y = p.y + (settings[2][p.b] or 0)
        for k = 1, 3 do p.y = p.y + settings.speeds[k] end
      end, function(frame)
        settings.speeds[2] = frame
        settings[2][1] = -frame
      end
    end)
    G.TableIndexGlobal = nil
  end)

  it("takes what may be nil as its key", function()
    alike(function(world, ids)
      local T = { 3, 1, 2 }
      for k = 1, 5 do world:set(ids[k], P, "who", ids[k + 1]) end
      return function(p)
        local n = T[p.n]
        p.x = T[n] or -1
        p.y = T[T[p.b] or 0] or p.y
      end
    end)
  end)

  it("has the length that it has now", function()
    alike(function()
      local T, settings = { 1, 2, 3 }, { list = {} }
      return function(p)
        p.x = #T + #settings.list / 8
        p.y = T[#T] or -1
        if p.n > #T then p.n = #T end
      end, function(frame)
        T[#T + 1] = frame
        if frame == 3 then settings.list = { 1, 2 } end
        if frame == 4 then T = {} end
      end
    end)
  end)
end)

describe("what cannot be a computed index", function()
  it("is refused with the table's name", function()
    local mixed, strings = { 1, true }, { "a" }
    local far, fraction = { [1] = 1, [70000] = 2 }, { [1.5] = 1 }
    local host = { list = setmetatable({}, { __index = function() end }) }
    local calls = { function() end }
    local huge = {}
    for k = 1, 65537 do huge[k] = k end
    local deep = { { { 1 } } }
    for _, case in ipairs {
      { function(p) p.x = mixed[p.n] end, "'mixed', which has elements of" },
      { function(p) p.x = strings[p.n] end, "which has elements that are no" },
      { function(p) p.x = far[p.n] end, "'far', which has more than 65536" },
      { function(p) p.x = huge[p.n] end, "'huge', which has more than 65536" },
      { function(p) p.x = fraction[p.n] end, "'fraction', which has a number" },
      { function(p) p.x = host.list[p.n] end,
        "host.list', which has a metatable" },
      { function(p) p.x = calls[p.n] end, "may be nil" },
      { function(p) p.x = deep[p.n] end, "may be nil" },
      { function(p) if deep[p.n] and deep[p.n][p.n] then
        p.x = deep[p.n][p.n][p.n] end end, "a third computed index of 'deep" },
      { function(p) p.x = mixed[p.on] end, "an index" },
      { function(p) p.x = mixed[nil] end, "nil as an index" },
      { function(p) p.x = p[p.n] end, "a key that is computed" },
      { function(p) p.x = P[p.n] end, "an index of" },
      { function(p) mixed[p.n] = p.x end, "which is a table" },
      { function(p) p.x = #p end, "the length" },
      { function(p) p.x = #strings[p.n] end, "elements that are no" },
    } do
      local text = refused(case[1])
      assert.truthy(text:find(case[2], 1, true), case[2] .. ": " .. text)
    end
  end)

  it("is the number of a nil without a test", function()
    local T = { 1, 2 }
    local W = { { x = 1 } }
    assert.truthy(refused(function(p) p.x = T[p.n] end)
      :find("may be nil", 1, true))
    assert.truthy(refused(function(p) p.x = W[p.n].x end)
      :find("'.x' of an element that may be nil here", 1, true))
  end)

  it("is a length that a metatable gives", function()
    local T = setmetatable({}, { __len = function() return 5 end })
    assert.truthy(refused(function(p) p.x = #T end):find("__len", 1, true))
    local U = setmetatable({ 1, 2 }, {})
    alike(function() return function(p) p.x = #U end end)
  end)

  it("has as many elements as an array may have", function()
    local T, M = {}, {}
    for k = 1, 65536 do T[k] = k end
    for y = 1, 256 do
      M[y] = {}
      for x = 1, 256 do M[y][x] = y * 1000 + x end
    end
    alike(function()
      return function(p)
        p.x = T[p.k] or -1
        if M[p.n] then p.y = M[p.n][p.k] or -2 end
      end
    end)
    M[256][257] = 1
    assert.truthy(refused(function(p)
      if M[p.n] then p.x = M[p.n][p.n] or 0 end
    end):find("more than 65536", 1, true))
  end)
end)

describe("a large table", function()
  local function numbers(value)
    local made = {}
    for k = 1, 300 do made[k] = value end
    return made
  end

  -- On LuaJIT only the elements that rows look at are copied and looked at.
  it("may get elements of another kind, where nothing came of them", function()
    for _, compile in ipairs { true, false } do
      local world = ecs.world { precision = "double" }
      local e = world:spawn(F { k = 3 })
      local A = numbers(true)
      world:system { name = "s", query = { F }, compile = compile,
        each = function(p)
          p.x = 0
          if A[p.k] == 1.0 then p.x = 1 end
        end }
      local seen = {}
      for _, value in ipairs { true, 1.0, false, 2.0, "text", 1.0 } do
        A = numbers(value)
        local done = pcall(world.progress, world, 1)
        seen[#seen + 1] = done and string.format("%.0f", world:get(e, F, "x"))
          or "refused"
      end
      assert.equal(compile and "0 1 0 0 refused 1" or "0 1 0 0 0 1",
        table.concat(seen, " "))
      world:close()
    end
  end)
end)

describe("an element", function()
  local function one(f, key)
    local world = ecs.world {}
    local e = world:spawn(F { k = key or 1, x = 0.1 })
    world:system { name = "s", query = { F }, compile = true, each = f }
    world:progress(1)
    local x = world:get(e, F, "x")
    world:close()
    return x
  end

  it("adapts to the type that it is computed in, rounded once", function()
    local T = { 0.1, 16777217, 1e300 }
    assert.equal(one(function(f) f.x = f.x end),
      one(function(f) f.x = T[f.k] or 0 end))
    assert.equal(16777216, one(function(f)
      f.x = 0
      f.x = f.x + (T[f.k] or 0)
    end, 2))
    assert.equal(1 / 0, one(function(f) f.x = T[f.k] or 0 end, 3))
    -- As constants do, and values from outside.
    local u = 0.1
    assert.equal(one(function(f) f.x = f.x * 3 + u end),
      one(function(f) f.x = f.x * 3 + (T[f.k] or 0) end))
  end)

  it("is found by a key of any type", function()
    local T = { 5, 6, 7, 8 }
    alike(function()
      return function(p)
        p.x = T[p.b] or T[p.n] or T[p.k] or T[p.b / 2] or T[p.n * 1] or -1
        p.y = T[math.floor(p.x / 2)] or T[p.n % 4] or -3
      end
    end)
  end)
end)
