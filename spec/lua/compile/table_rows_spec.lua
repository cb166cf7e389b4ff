-- Tables of tables that compiled functions read at two computed numbers: random
-- ones, of every shape that copies are made of, and that change between frames.

local ecs = require "ecs"
local scene = dofile "spec/support/table_scene.lua"

local alike = scene.alike

--- The same numbers on every VM.
local function generator(seed)
  return function(most)
    seed = (seed * 16807 + seed % 7) % 2147483647
    return seed % most + 1
  end
end

--- A row that mostly is a sequence from 0 or 1 on.
local function random_row(draw, value, width)
  local row, shape = {}, draw(10)
  local first = draw(2) - 1
  for k = first, draw(width) do row[k] = value() end
  if shape == 1 then row[draw(width)] = nil end
  if shape == 2 then row[-draw(3)] = value() end
  if shape == 3 then row[width + draw(9)] = value() end
  if shape == 4 then row.name, row[true] = "row", {} end
  if shape == 5 then row = {} end
  return row
end

--- A map and a function that changes it.
local function random_map(draw, value, height, width)
  local map, first = {}, draw(3) - 2
  for k = first, height do map[k] = random_row(draw, value, width) end
  return map, function()
    for _ = 1, 4 do
      local k, row = draw(height), nil
      if draw(3) > 1 then row = random_row(draw, value, width) end
      if draw(4) > 1 then map[k] = row end
      row = map[draw(height)]
      if row then row[draw(width + 1) - 1] = value() end
      if row and draw(3) == 1 then row[draw(width)] = nil end
      if draw(9) == 1 then map[-draw(4)] = random_row(draw, value, width) end
      if draw(9) == 1 then map[height + draw(9)] = {} end
    end
  end
end

local function random_case(seed, boolean, height, width)
  alike(function()
    local draw = generator(seed)
    local function value()
      if boolean then return draw(2) == 1 end
      return draw(1000) / 8 - 30
    end
    local map, change = random_map(draw, value, height, width)
    local most = height - 1
    if boolean then
      return function(p)
        local row = map[p.n]
        p.on = row ~= nil and row[p.k] == true
        row = map[(p.b * 7 + p.n) % most]
        if row and row[p.n + 2] then p.x = p.x + 1 end
        if map[p.k] and map[p.k][p.b * 3] == false then p.y = p.y + 0.5 end
      end, change
    end
    return function(p)
      local row = map[p.n]
      if row then p.x = row[p.k] or -1 end
      row = map[(p.b * 7 + p.n) % most]
      if row then p.y = row[p.n + 2] or p.y + 0.25 end
      if map[p.k] then p.x = p.x + (map[p.k][p.x] or map[p.k][p.b * 3] or 2) end
    end, change
  end)
end

describe("a table of tables", function()
  for _, size in ipairs { { 6, 8 }, { 60, 30 }, { 9, 400 } } do
    local name = size[1] .. " by " .. size[2]
    it("of numbers gives what plain Lua finds, " .. name, function()
      for seed = 1, 6 do random_case(seed, false, size[1], size[2]) end
    end)

    it("of booleans gives what plain Lua finds, " .. name, function()
      for seed = 1, 6 do random_case(seed + 50, true, size[1], size[2]) end
    end)
  end
end)

describe("a large table of tables", function()
  local function large(element, height, width)
    local map = {}
    for y = 0, height or 59 do
      map[y] = {}
      for x = 0, width or 40 do map[y][x] = element(y, x) end
    end
    return map
  end

  it("has fields before and behind rows", function()
    alike(function()
      local levels = {}
      for y = 1, 40 do
        local cells = {}
        for x = 1, 30 do
          cells[x] = { cost = x * y, at = { k = x - y }, odd = x % 7,
            open = (x + y) % 2 == 0 }
        end
        levels[y] = { cells = cells, n = y }
      end
      return function(p)
        local level = levels[p.n]
        if level then
          local cell = level.cells[p.b]
          if cell and cell.open then
            p.x = cell.cost + level.n + cell.at.k + (cell.odd or 100)
          end
          if not cell then p.y = p.y - 1 end
        end
      end, function(frame)
        levels[frame].cells[frame].odd = nil
        levels[frame].cells[frame + 1] = nil
        levels[frame + 2].cells[0] = levels[1].cells[9]
        if frame == 3 then levels[9] = nil end
      end
    end)
  end)

  it("is indexed by elements of other tables, and of itself", function()
    alike(function()
      local T, U = {}, {}
      for k = 1, 5000 do T[k], U[k] = k % 50, (k * 7) % 41 end
      local map = large(function(y, x) return (y * 31 + x * 7) % 40 end)
      local other = large(function(y, x) return (y + x) % 40 end)
      return function(p)
        local row = map[T[p.k] or 3]
        if row then p.x = row[p.b] or -1 end
        row = map[p.n]
        if row then p.y = row[U[p.b + 5] or 2] or -2 end
        local key = other[p.n + 5] and other[p.n + 5][p.b]
        local second = key and map[key]
        if second then p.x = p.x + (second[p.n] or 0.5) end
      end, function(frame)
        T[frame], U[frame], map[frame][frame] = 50 - frame, frame, frame * 100
        other[frame][frame] = frame * 3
      end
    end)
  end)

  it("has elements where no sequence has them", function()
    for _, key in ipairs { -1, -2, 44, 50, 4000 } do
      alike(function()
        local map = large(function(y, x) return y * 100 + x end)
        return function(p)
          local row = map[p.n]
          if row then p.x = row[p.k] or row[p.b + 40] or row[p.b - 3] or -1 end
          row = map[p.k]
          if row then p.y = row[p.n] or row[44] or -2 end
        end, function(frame)
          for y = 0, 8 do map[y][key] = frame % 2 == 0 and frame or nil end
          if frame == 3 and key < 100 then map[key] = { 5, 6, 7 } end
          if frame == 5 then for x = 10, 40 do map[2][x] = nil end end
        end
      end)
    end
  end)

  it("has no more elements than an array", function()
    alike(function()
      local map = large(function(y, x) return y * 1000 + x end, 255, 255)
      return function(p)
        local row = map[p.n * 31 + 100]
        if row then p.x = row[p.k] or -1 end
        row = map[p.b * 40]
        if row then p.y = row[p.b * 42] or -1 end
      end
    end)
  end)

  it("in a side exit is read again behind it", function()
    alike(function()
      local map = large(function(y, x) return y + x / 8 end)
      local log = {}
      return function(p)
        local row = map[p.n]
        if row then p.x = row[p.b] or -1 end
        if p.k == 3 then
          log[#log + 1] = "row"
          map[2][3] = map[2][3] + 1
          map[3] = { #log }
        end
      end
    end, true, 300)
  end)

  --- What the frames of a system give where its map may be one that cannot be
  -- copied.
  local function frames_of(compile, element, change)
    local world, ids = scene.populate "double"
    local map = large(element)
    local on_fallback = ecs.on_fallback
    ecs.on_fallback = function() end
    world:system { name = "s", query = { scene.P }, compile = compile,
      each = function(p)
        local row = map[p.n]
        if row then
          if row[p.b] then p.x = p.x + 1 else p.y = p.y + 1 end
        end
      end }
    local seen = {}
    for frame = 1, 6 do
      change(map, frame)
      seen[frame] = tostring(pcall(world.progress, world, 1))
        .. scene.dump(world, ids)
    end
    ecs.on_fallback = on_fallback
    world:close()
    return table.concat(seen, "\n")
  end

  it("may be one that cannot be copied, and again one that can", function()
    local function number(y, x) return y + x end
    local function truth(y, x) return (y + x) % 3 == 0 end
    local changes = {
      function(map, frame) map[2][3] = frame % 2 == 0 and "text" or 5 end,
      function(map, frame) map[2] = frame % 2 == 0 and 7 or { 5 } end,
      function(map, frame)
        setmetatable(map[2], frame % 2 == 0 and { __index = function()
          return 1
        end } or nil)
        map[2][1] = nil
      end,
      function(map, frame)
        setmetatable(map, frame % 2 == 0 and { __index = { [-1] = { 1 } } }
          or {})
      end,
      function(map, frame) map[1][1.5] = frame % 2 == 0 and 1 or nil end,
      function(map, frame)
        for k = 1, 70000 do map[3][k] = frame % 2 == 0 and 1 or nil end
      end,
    }
    for k, change in ipairs(changes) do
      for _, element in ipairs { number, truth } do
        -- Elements of another kind, which no row looks at, change nothing.
        assert.equal(frames_of(false, element, change),
          frames_of(nil, element, change), "change " .. k)
      end
    end
  end)

  it("is not copied as a whole", function()
    local world = scene.populate "double"
    local map = large(function(y, x) return y + x end)
    world:system { name = "s", query = { scene.P }, compile = "whole",
      each = function(p)
        local row = map[p.n]
        if row then p.x = row[p.b] or 0 end
      end }
    for _ = 1, 3 do world:progress(1) end
    local copied = world:explain("s"):match "(%d+) elements of tables copied"
    assert.is_true(tonumber(copied) < 200, copied)
    world:close()
  end)
end)

describe("a large table from 0 on", function()
  it("is not copied as a whole", function()
    local world, ids = scene.populate "double"
    local T = {}
    for k = 0, 5000 do T[k] = k / 2 end
    world:system { name = "s", query = { scene.P }, compile = "whole",
      each = function(p) p.x = T[p.b] or -1 end }
    for _ = 1, 3 do world:progress(1) end
    local copied = world:explain("s"):match "(%d+) elements of tables copied"
    assert.equal("7", copied)
    for _, id in ipairs(ids) do
      local b, x = world:get(id, scene.P, "b", "x")
      assert.equal(b / 2, x)
    end
    world:close()
  end)
end)
