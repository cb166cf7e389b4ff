-- Tables of tables that compiled functions read at two computed numbers: random
-- ones, of every shape that copies are made of, and that change between frames.

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
