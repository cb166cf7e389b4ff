-- What has been read stays what it was, whatever is called next. LuaJIT for x64
-- would read it only where it is used, behind a call that has changed it, if
-- nothing kept it from that: see ffi/fence_ffi.lua. So each loop here reads,
-- calls, and uses what it has read once, as a right operand. Loops are texts,
-- so that each is compiled for one call.

local ecs = require "ecs"

local load = loadstring or load -- luacheck: ignore

local COUNT = 400

local Position = ecs.component("FencePosition", { x = "f64", y = "f64",
  n = "i32", z = "f32" })
local Velocity = ecs.component("FenceVelocity", { x = "f64", y = "f64" })
local Other = ecs.component("FenceOther", { v = "f32" })

--- What the texts use.
local function scene()
  local world, ids = ecs.world {}, {}
  for k = 1, COUNT do
    ids[k] = world:spawn(Position, { x = k, y = 2 * k, n = k, z = k },
      Velocity, { x = -k, y = -2 * k })
  end
  return {
    world = world, ids = ids, rows = world:query { Position }, COUNT = COUNT,
    Position = Position, Velocity = Velocity, Other = Other,
    none = Position { x = 0, y = 0, n = 0 }, zero = { x = 0, y = 0, n = 0 },
    other = Other { v = 3 }, fields = { v = 3 },
    get = world:getter(Position, "x", "y"),
    get_three = world:getter(Position, "x", "y", "n"),
    velocity = world:getter(Velocity, "x", "y"),
    velocities = world:getter(Velocity), place = world:setter(Position, "y"),
    place_all = world:setter(Position, "x", "y", "n"),
    spawn = world:spawner(Position, "x", "y", Velocity),
    spawn_none = world:spawner(Position, Velocity),
    clear = function(p) p.x, p.y, p.n = 0, 0, 0 end,
  }
end

-- Each changes what is stored of e, or where C puts what it reads.
local changes = {
  "world:get(e, Velocity, 'x', 'y')", "world:get(e, Velocity)", "velocity(e)",
  "velocities(e)", "world:set(e, Position, 'y', 0)",
  "world:set(e, Position, 'n', 0)",
  "world:set(e, Position, 'x', 0, 'y', 0)", "world:set(e, Position, zero)",
  "world:set(e, none)", "place(e, 0)", "place_all(e, 0, 0, 0)",
  "world:add(e, Other)", "world:add(e, other)", "world:add(e, Other, fields)",
  "world:remove(e, Velocity)", "world:replace(e, Velocity, Other)",
  "world:destroy(e)", "world:destroy(e) spawn(-5, -6)",
  "world:destroy(e) spawn_none()", "world:destroy(e) world:spawn(none)",
  "world:destroy(e) world:spawn(Position)",
}

local LOCALS = [[
local s = ...
local world, ids, rows, COUNT = s.world, s.ids, s.rows, s.COUNT
local Position, Velocity, Other = s.Position, s.Velocity, s.Other
local none, zero, other, fields = s.none, s.zero, s.other, s.fields
local get, get_three, velocity = s.get, s.get_three, s.velocity
local velocities, place, place_all = s.velocities, s.place, s.place_all
local spawn, spawn_none, clear = s.spawn, s.spawn_none, s.clear
local sum = 0
]]

-- Loops that use what they have read before CHANGE.
local reads = { [[
for k = 1, COUNT do
  local e = ids[k]
  local x, y = world:get(e, Position, "x", "y")
  CHANGE
  sum = sum + (1 - x) * (1 - y)
end
return sum]], [[
for k = 1, COUNT do
  local e = ids[k]
  local x, y = get(e)
  CHANGE
  sum = sum + (1 - x) * (1 - y)
end
return sum]], [[
for k = 1, COUNT do
  local e = ids[k]
  local x, y = get_three(e)
  CHANGE
  sum = sum + (1 - x) * (1 - y)
end
return sum]], [[
for e, p in rows:rows() do
  local y = p.y
  CHANGE
  sum = sum + (1 - y)
  CHANGE
end
return sum]], [[
for e, p in rows:rows() do
  local n = p.n
  CHANGE
  sum = sum + (1 - n)
  CHANGE
end
return sum]] }

-- What each of them returns.
local function product(k) return (1 - k) * (1 - 2 * k) end
local function y_of(k) return 1 - 2 * k end
local function n_of(k) return 1 - k end
local results = { product, product, product, y_of, n_of }

local function run(text, change)
  local s = scene()
  local sum = assert(load(LOCALS .. text:gsub("CHANGE", change)))(s)
  s.world:close()
  return sum
end

describe("what has been read", function()
  for number, read in ipairs(reads) do
    for _, change in ipairs(changes) do
      it(("stays: loop %d, then %s"):format(number, change), function()
        local expected = 0
        for k = 1, COUNT do expected = expected + results[number](k) end
        assert.equal(expected, run(read, change))
      end)
    end
  end

  it("stays while a compiled function changes all rows", function()
    assert.equal(-COUNT, run([[
local function grow(p) p.x = p.x + 1 end
for _, p in rows:rows() do
  local before = p.x
  rows:each(grow)
  local grown = p.x
  sum = sum + (before - grown)
end
return sum]], ""))
  end)

  it("stays over rows that are found anew", function()
    local expected = 0
    for k = 1, COUNT - 1 do expected = expected + 1 - k end
    assert.equal(expected, run([[
local before
for e, p in rows:rows() do
  local x = p.x
  world:add(e, Other)
  if before then sum = sum + (1 - before) end
  before = x
end
return sum]], ""))
  end)
end)
