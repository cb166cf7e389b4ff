-- late_table: tables that are made or filled after the systems that read them.
-- Such a function is compiled as soon as they are there.

local ecs = require "ecs"

local P = ecs.component("LateP", { x = "f64", y = "f64" })

local handler = ecs.on_fallback
local reports

local function level()
  local map = {}
  for i = 1, 9 do
    map[i] = {}
    for j = 1, 9 do map[i][j] = i * j end
  end
  return map
end

local function new_world(rows)
  local world = ecs.world {}
  for k = 1, rows do world:spawn(P { x = k % 9 + 1, y = k % 7 + 1 }) end
  return world
end

--- How many rows took a side exit in some frames.
local function exits_in(world, frames)
  local before = world:stats("s").exits
  for _ = 1, frames do world:progress(1) end
  return world:stats("s").exits - before
end

--- A table with an upvalue `map` and functions that read it in three ways.
local function scene()
  local made = { levels = {} }
  local map
  function made.set(value) map = value end
  function made.get() return map end
  made.each = {
    nested = function(p)
      if p.x > 0 then
        if map[math.floor(p.x)][math.floor(p.y)] then p.y = p.y % 7 + 1 end
      end
    end,
    field = function(p)
      if p.x > 0 then p.y = made.levels.map.width + p.x end
    end,
    flat = function(p)
      if p.x > 0 and map[p.x] then p.y = 3 end
    end,
  }
  return made
end

describe("a table that comes later", function()
  before_each(function()
    reports = {}
    ecs.on_fallback = function(_, where, why)
      reports[#reports + 1] = where .. ": " .. why
    end
  end)
  after_each(function() ecs.on_fallback = handler end)

  for _, first in ipairs { "nil", "empty" } do
    for _, how in ipairs { "filled", "replaced" } do
      if first == "empty" or how == "replaced" then
        for _, shape in ipairs { "nested", "flat" } do
          it(("is compiled: %s, %s first, then %s"):format(shape, first, how),
            function()
              local made = scene()
              if first == "empty" then made.set {} end
              local world = new_world(40)
              world:system { name = "s", query = { P },
                             each = made.each[shape] }
              pcall(world.progress, world, 1)
              if how == "replaced" then
                made.set(level())
              else
                for k, row in pairs(level()) do made.get()[k] = row end
              end
              assert.equal(0, exits_in(world, 3))
              assert.matches("compiled", world:explain())
              assert.equal(0, #reports)
            end)
        end
      end
    end
  end

  it("is compiled where it is a field that is nil at first", function()
    local made = scene()
    local world = new_world(40)
    world:system { name = "s", query = { P }, each = made.each.field }
    made.levels.map = { width = 5 }
    assert.equal(0, exits_in(world, 3))
    assert.equal(0, #reports)
  end)

  it("may go and come back", function()
    local made = scene()
    made.set(level())
    local world = new_world(40)
    world:system { name = "s", query = { P }, each = made.each.flat }
    for _ = 1, 3 do
      assert.equal(0, exits_in(world, 2))
      made.set {}
      assert.equal(0, exits_in(world, 2))
      made.set(level())
    end
    assert.equal(0, #reports)
  end)

  it("is told of when rows run without it, outside of a branch", function()
    local map
    local world = new_world(0)
    world:system { name = "s", query = { P }, each = function(p)
      p.y = map[p.x] and 1 or 2
    end }
    world:progress(1)
    assert.equal(0, #reports)
    world:spawn(P { x = 1 })
    assert.has_error(function() world:progress(1) end)
    assert.equal(1, #reports)
    assert.matches("an index of 'map', which is nil, cannot be compiled: fill "
      .. "the table, or set the variable, before", reports[1])
    map = { true }
    world:progress(1)
    assert.matches("compiled", world:explain())
  end)

  it("is named when it is read", function()
    local map
    local scenery = {}
    for name, each in pairs {
      ["map"] = function(p) p.y = map[p.x][p.x] and 1 or 2 end,
      ["scenery.map"] = function(p) p.y = scenery.map[p.x] and 1 or 2 end,
    } do
      local world = new_world(1)
      local count = #reports
      world:system { name = "s", query = { P }, each = each }
      assert.has_error(function() world:progress(1) end)
      assert.equal(count + 1, #reports)
      assert.truthy(reports[#reports]:find("an index of '" .. name
        .. "', which is nil, cannot be compiled", 1, true), reports[#reports])
    end
    map, scenery.map = {}, {}
    assert.same({}, map)
  end)

  it("gives what plain Lua gives, in every frame", function()
    local results = {}
    for k, compile in ipairs { false, true } do
      local made = scene()
      made.set {}
      local world = new_world(20)
      world:system { name = "s", query = { P }, compile = compile or nil,
                     each = made.each.flat }
      local seen = {}
      for frame = 1, 30 do
        if frame % 7 == 0 then
          made.set(frame % 2 == 0 and level() or {})
        elseif frame % 5 == 0 then
          made.get()[frame % 9 + 1] = {}
        end
        for _, p in world:query { P }:rows() do p.y = 0 end
        world:progress(1)
        for _, p in world:query { P }:rows() do seen[#seen + 1] = p.y end
      end
      results[k] = table.concat(seen, " ")
    end
    assert.equal(results[1], results[2])
  end)
end)
