-- Grids of random worlds, against a look at every row: the same entities, in
-- the same order, with the same bits. The digest of all answers is one number,
-- which has to be the same on every VM.

local ecs = require "ecs"

local floor, sqrt, huge = math.floor, math.sqrt, math.huge
local min, max = math.min, math.max

local Wide = ecs.component("GridWide", { x = "f64", y = "f64", z = "f64" })
local Narrow = ecs.component("GridNarrow", { x = "f32", y = "f32", z = "f32" })
local Whole = ecs.component("GridWhole", { x = "i32", y = "i32", z = "i32" })
local Mark = ecs.component("GridNote", { n = "u16" })

-- The digest is that of the first ones, which are all where time is short.
local FIRST = 160
local WORLDS = os.getenv "ECS_SPEC_SHORT" and FIRST or 2000

-- Numbers -------------------------------------------------------------------

local state = 1

--- A whole number from 0 to below n, the same on every VM.
local function draw(n)
  state = state * 16807 % 2147483647
  return floor(state / 128) % n
end

local function unit()
  return (draw(32768) * 32768 + draw(32768)) / 1073741824
end

local strange = { 0 / 0, huge, -huge, 0, 1, -3.5 }

--- Coordinates of a kind of world.
local kinds = {
  spread = function(cell) return (unit() - 0.5) * 8 * cell end,
  clustered = function(cell)
    return draw(10) == 0 and unit() * 9 * cell or unit() * cell
  end,
  borders = function(cell) return (draw(7) - 3) * cell end,
  equal = function(cell) return draw(3) * cell / 2 end,
  far_away = function()
    local x = unit() - 0.5
    for _ = 1, draw(300) do x = x * 10 end
    return x
  end,
  denormal = function() return (draw(7) - 3) * 5e-324 * draw(1000) end,
  strange = function() return strange[draw(6) + 1] end,
  few = function(cell) return (unit() - 0.5) * 1e5 * cell end,
}
local names = { "spread", "clustered", "borders", "equal", "far_away",
                "denormal", "strange", "few" }

local function radius_of(cell)
  local kind = draw(8)
  if kind == 0 then return ({ 0, huge, 1e200, 5e-324 })[draw(4) + 1] end
  if kind == 1 then return cell end
  return kind == 2 and cell * 30 * unit() or cell * 2 * unit()
end

-- The oracle ----------------------------------------------------------------

local axes = { "x", "y", "z" }

local function cell_of(x, inverse)
  return min(max(floor(x * inverse), -1073741824), 1073741824)
end

local function is_before(a, b)
  for d = 3, 1, -1 do
    if a.cells[d] ~= b.cells[d] then return a.cells[d] < b.cells[d] end
  end
  return a.number < b.number
end

--- The rows of a scene in the order of its cells.
local function points_of(scene)
  local points = {}
  for e, p, mark in scene.query:rows() do
    local point, finite = { id = e, at = {}, cells = { 0, 0, 0 } }, true
    for d = 1, scene.dimensions do
      local x = p[axes[d]] + 0.0
      finite = finite and x - x == 0
      point.at[d] = x
      if x - x == 0 then point.cells[d] = cell_of(x, 1 / scene.cell) end
    end
    point.mark, point.number = mark and mark.n, #points
    if finite then points[#points + 1] = point end
  end
  table.sort(points, is_before)
  return points
end

local function square_of(scene, at, point)
  local sum
  for d = 1, scene.dimensions do
    local off = at[d] - point.at[d]
    sum = d == 1 and off * off or sum + off * off
  end
  return sum
end

local function is_within(scene, at, radius, point)
  for d = 1, scene.dimensions do
    if not (at[d] - radius <= point.at[d] and point.at[d] <= at[d] + radius)
    then
      return false
    end
  end
  return square_of(scene, at, point) <= radius * radius
end

-- Asking --------------------------------------------------------------------

local digest

--- As assert.equal, which takes a thousand times as long.
local function same(expected, found)
  if expected ~= found then assert.equal(expected, found) end
end

local function note(number)
  digest = (digest * 31 + number % 65521) % 4294967291
end

--- The coordinates of a point, then what follows.
local function arguments(scene, at, ...)
  if scene.dimensions == 2 then return at[1], at[2], ... end
  return at[1], at[2], at[3], ...
end

local function check_row(scene, point, e, p, mark)
  same(point.id, e)
  for d = 1, scene.dimensions do
    same(point.at[d], p[axes[d]] + 0.0)
  end
  if point.mark then
    same(point.mark, mark.n)
  else
    same(nil, mark)
  end
  note(e)
end

local function check_within(scene, at, radius)
  local expected, k = {}, 0
  for _, point in ipairs(scene.points) do
    if is_within(scene, at, radius, point) then
      expected[#expected + 1] = point
    end
  end
  for e, p, mark in scene.near:within(arguments(scene, at, radius)) do
    k = k + 1
    check_row(scene, expected[k], e, p, mark)
  end
  same(#expected, k)
  same(k, scene.near:count(arguments(scene, at, radius)))
  same(k > 0, scene.near:any(arguments(scene, at, radius)))
  local first = expected[1] and expected[1].id
  same(k > (first and 1 or 0),
    scene.near:any(arguments(scene, at, radius, first)))
end

local function check_box(scene, low, high)
  local expected, k, given = {}, 0, {}
  for _, point in ipairs(scene.points) do
    local inside = true
    for d = 1, scene.dimensions do
      inside = inside and low[d] <= point.at[d] and point.at[d] <= high[d]
    end
    if inside then expected[#expected + 1] = point end
  end
  for d = 1, scene.dimensions do
    given[d], given[d + scene.dimensions] = low[d], high[d]
  end
  for e, p, mark in scene.near:box((table.unpack or unpack)(given)) do
    k = k + 1
    check_row(scene, expected[k], e, p, mark)
  end
  same(#expected, k)
end

local function check_nearest(scene, at, radius)
  local except = scene.points[1] and scene.points[draw(#scene.points) + 1].id
  local best, least
  for _, point in ipairs(scene.points) do
    if point.id ~= except and is_within(scene, at, radius, point) then
      local square = square_of(scene, at, point)
      if not best or square < least then best, least = point, square end
    end
  end
  local e, p, mark, distance =
    scene.near:nearest(arguments(scene, at, radius, except))
  if e and not scene.marked then mark, distance = nil, mark end
  if not best then
    same(nil, e)
    return
  end
  check_row(scene, best, e, p, mark)
  same(sqrt(least), distance)
end

local function check_pairs(scene, radius)
  local expected, k = {}, 0
  for i, a in ipairs(scene.points) do
    for j = i + 1, #scene.points do
      if is_within(scene, a.at, radius, scene.points[j]) then
        expected[#expected + 1] = { a, scene.points[j] }
      end
    end
  end
  for a, b, p, p_mark, q, q_mark in scene.near:each_pair(radius) do
    if not scene.marked then p_mark, q, q_mark = nil, p_mark, nil end
    k = k + 1
    check_row(scene, expected[k][1], a, p, p_mark)
    check_row(scene, expected[k][2], b, q, q_mark)
  end
  same(#expected, k)
end

-- Worlds --------------------------------------------------------------------

local function fits(x)
  return x > -1e9 and x < 1e9
end

local function make_scene(number)
  local place = ({ Wide, Narrow, Whole })[draw(3) + 1]
  local scene = {
    world = ecs.world {}, dimensions = number % 2 + 2,
    cell = ({ 1, 0.75, 4, 100 })[draw(4) + 1], marked = draw(2) == 0,
  }
  local kind = kinds[names[number % #names + 1]]
  scene.kind = kind
  for k = 1, draw(70) do
    local at = { kind(scene.cell), kind(scene.cell), kind(scene.cell) }
    for d = 1, 3 do
      if place == Whole then at[d] = fits(at[d]) and floor(at[d]) or 7 end
      if place == Narrow and at[d] - at[d] == 0 then
        at[d] = min(max(at[d], -3e38), 3e38)
      end
    end
    local e = scene.world:spawn(place { x = at[1], y = at[2], z = at[3] })
    if scene.marked and draw(3) == 0 then
      scene.world:add(e, Mark { n = k })
    end
  end
  local optional = scene.marked and { Mark } or nil
  scene.query = scene.world:query { read = { place }, optional = optional }
  scene.near = scene.world:grid {
    query = draw(2) == 0 and scene.query
      or { read = { place }, optional = optional },
    at = { place, "x", "y", number % 2 == 1 and "z" or nil },
    cell = scene.cell,
  }
  scene.points = points_of(scene)
  return scene
end

--- Somewhere, or where a row is.
local function point_of(scene)
  local at, count = {}, #scene.points
  for d = 1, 3 do
    local point = count > 0 and scene.points[draw(count) + 1]
    at[d] = draw(4) > 0 and point and point.at[d] or scene.kind(scene.cell)
  end
  return at
end

local function check_scene(scene)
  for _ = 1, 4 do
    local at = point_of(scene)
    check_within(scene, at, radius_of(scene.cell))
    check_nearest(scene, at, radius_of(scene.cell))
    check_nearest(scene, at, huge)
    check_box(scene, at, point_of(scene))
  end
  check_pairs(scene, scene.cell * unit())
  check_pairs(scene, radius_of(scene.cell))
end

describe("a grid", function()
  it("answers as a look at every row does", function()
    state, digest = 1, 7
    for number = 1, WORLDS do
      local scene = make_scene(number)
      check_scene(scene)
      scene.world:close()
      if number == FIRST then assert.equal(1427623032, digest) end
    end
  end)
end)
