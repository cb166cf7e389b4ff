-- table_worth: compiled functions that read large tables for few rows run as
-- plain Lua where that is faster, and say so.

local ecs = require "ecs"

local F64 = ecs.component("WorthF64", { x = "f64", y = "f64", sum = "f64",
                                        turns = { "f64", 1 } })
local F32 = ecs.component("WorthF32", { x = "f32", y = "f32", sum = "f32",
                                        turns = { "f32", 1 } })

local reports
local handler = ecs.on_fallback

local function note(system, where, why, compiled)
  reports[#reports + 1] = { system = system, where = where, why = why,
                            compiled = compiled }
end

--- A map of side x side numbers, from `first` on.
local function new_map(side, first)
  local map = {}
  for i = first, first + side - 1 do
    map[i] = {}
    for j = first, first + side - 1 do map[i][j] = (i * 7 + j * 3) % 11 end
  end
  return map
end

local function new_world(component, rows)
  local world = ecs.world {}
  for k = 1, rows do
    world:spawn(component { x = k % 37 + 1, y = k % 23 + 1 })
  end
  return world
end

local function sums(world, component)
  local list = {}
  for _, row in world:query { component }:rows() do
    list[#list + 1] = row.sum
  end
  return table.concat(list, " ")
end

--- A function of which the keys are not known before a run, as they are in a
-- loop, so that the whole map is copied.
local function walking(map)
  return function(p)
    for _ = 1, p.turns do
      local column = map[math.floor(p.x)]
      local tile = column and column[math.floor(p.y)] or 0
      p.sum = p.sum + tile
      p.x = (p.x + tile) % 50 + 1
      p.y = (p.y + 1) % 50 + 1
    end
  end
end

--- What a system has summed up after some frames, and the world.
local function run(component, rows, frames, options)
  local world = new_world(component, rows)
  local each = options.each or walking(options.map)
  world:system { name = "walk", query = { component }, each = each,
                 compile = options.compile, precision = options.precision }
  for _ = 1, frames do world:progress(1) end
  return sums(world, component), world
end

describe("large tables and few rows", function()
  before_each(function()
    reports = {}
    ecs.on_fallback = note
  end)
  after_each(function() ecs.on_fallback = handler end)

  for first = 0, 1 do
    it("run as plain Lua, with the same bits, from " .. first, function()
      local map = new_map(50, first)
      local compiled, world = run(F64, 5, 40, { map = map })
      local plain = run(F64, 5, 40, { map = map, compile = false })
      assert.equal(plain, compiled)
      assert.equal(1, #reports)
      assert.equal("walk", reports[1].system)
      assert.is_false(reports[1].compiled)
      assert.matches("table_worth_spec.lua:%d+$", reports[1].where)
      assert.matches("tables of 2%d%d%d elements are read for 5 rows",
        reports[1].why)
      assert.matches("so it runs as plain Lua", world:explain())
    end)
  end

  it("stay compiled where plain Lua has other bits, and say so", function()
    local map = new_map(50, 1)
    local _, world = run(F32, 5, 40, { map = map })
    assert.equal(1, #reports)
    assert.is_true(reports[1].compiled)
    assert.matches("precision = 'double'", reports[1].why)
    assert.matches("2%d%d%d elements of tables copied", world:explain())
    reports = {}
    local double = run(F32, 5, 40, { map = map, precision = "double" })
    local plain = run(F32, 5, 40, { map = map, compile = false })
    assert.equal(plain, double)
    assert.is_false(reports[1].compiled)
  end)

  it("stay compiled with compile = true, and say so", function()
    local map = new_map(50, 1)
    local compiled, world = run(F64, 5, 40, { map = map, compile = true })
    assert.equal(run(F64, 5, 40, { map = map, compile = false }), compiled)
    assert.equal(1, #reports)
    assert.is_true(reports[1].compiled)
    assert.matches("without compile = true", reports[1].why)
    assert.matches("2%d%d%d elements of tables copied", world:explain())
  end)

  it("say nothing in a system that is to be plain, nor for a few runs",
    function()
      run(F64, 5, 40, { map = new_map(50, 1), compile = false })
      run(F64, 5, 8, { map = new_map(50, 1) })
      assert.equal(0, #reports)
    end)

  it("are compiled for many rows", function()
    local map = new_map(20, 1)
    local compiled, world = run(F64, 4000, 3, { map = map })
    assert.equal(run(F64, 4000, 3, { map = map, compile = false }), compiled)
    assert.not_matches("slow", world:explain())
    assert.equal(0, #reports)
  end)

  it("are asked about again and again", function()
    local map = new_map(50, 1)
    local _, world = run(F64, 5, 2, { map = map })
    assert.matches("runs as plain Lua", world:explain())
    for k = 1, 100000 do world:spawn(F64 { x = k % 50 + 1 }) end
    for _ = 1, 9 do world:progress(1) end
    assert.not_matches("runs as plain Lua", world:explain())
  end)

  it("count for each row that takes a side exit", function()
    local map, seen = new_map(50, 1), {}
    local step = walking(map)
    local function each(p, e)
      step(p)
      if p.sum % 64 == 1 then seen[#seen + 1] = e end
    end
    local mixed, world = run(F64, 3000, 12, { each = each })
    local count = #seen
    seen = {}
    assert.equal(run(F64, 3000, 12, { each = each, compile = false }), mixed)
    assert.equal(count, #seen)
    assert.is_true(count > 100)
    assert.matches("copying them takes longer", world:explain())
  end)

  it("are read by query:each with the same result", function()
    local map = new_map(50, 1)
    local results = {}
    for k, rows in ipairs { 5, 4000 } do
      local world, other = new_world(F64, rows), new_world(F64, rows)
      local query, step = world:query { F64 }, walking(map)
      for _ = 1, 70 do query:each(step) end
      other:system { name = "walk", query = { F64 }, each = step,
                     compile = false }
      for _ = 1, 70 do other:progress(1) end
      results[k] = sums(world, F64) == sums(other, F64)
    end
    assert.same({ true, true }, results)
    assert.equal(0, #reports)
  end)

  it("may be reported to a handler that fails or closes the world", function()
    local map = new_map(50, 1)
    ecs.on_fallback = function() error("no reports, please", 0) end
    local world = new_world(F64, 5)
    world:system { name = "walk", query = { F64 }, each = walking(map) }
    local failures = 0
    for _ = 1, 40 do
      local done, problem = pcall(world.progress, world, 1)
      if not done then
        failures = failures + 1
        assert.matches("no reports, please", problem)
      end
    end
    assert.equal(1, failures)
    ecs.on_fallback = function() world:close() end
    world = new_world(F64, 5)
    world:system { name = "walk", query = { F64 }, each = walking(map) }
    assert.has_error(function()
      for _ = 1, 40 do world:progress(1) end
    end)
  end)

  it("may be behind globals, metatables and in any shape", function()
    local map = new_map(40, 1)
    local odd = { setmetatable({}, { __len = function() error "asked" end }),
                  {}, { {} }, { [0] = {} }, { { false } }, new_map(40, -3) }
    for _, table in ipairs(odd) do
      local source = map
      local function each(p)
        local column = source[math.floor(p.x)]
        p.sum = p.sum + (column and column[math.floor(p.y)] or 1)
      end
      local world = new_world(F64, 4)
      world:system { name = "odd", query = { F64 }, each = each }
      world:progress(1)
      source = table
      pcall(world.progress, world, 1)
      source = map
      world:progress(1)
      assert.equal(4, world:query { F64 }:count())
    end
  end)
end)
