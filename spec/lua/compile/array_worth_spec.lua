-- array_worth: compiled functions that read arrays of the world in which they
-- write run as plain Lua where that is faster, and say so.

local ecs = require "ecs"

local F64 = ecs.component("ArrayWorthF64", { x = "f64", y = "f64",
                                             sum = "f64" })
local F32 = ecs.component("ArrayWorthF32", { x = "f32", y = "f32",
                                             sum = "f32" })

--- Does LuaJIT compile plain Lua, in which an element is no call?
local jit = rawget(_G, "jit")
local inlines = jit and jit.status()
  and os.getenv "ECS_BACKEND" ~= "capi" or false

local reports
local handler = ecs.on_fallback

local function note(system, where, why, compiled)
  reports[#reports + 1] = { system = system, where = where, why = why,
                            compiled = compiled }
end

local works = {}

--- A loop that reads what rows before have written.
function works.loop(map)
  return function(p)
    local sum = 0
    for k = 1, p.y do sum = sum + map[k] end
    map[p.x] = sum % 8 + 1
    p.sum = sum
  end
end

--- An index that follows from an element.
function works.key(map)
  return function(p)
    local at = map[p.x]
    map[at] = map[p.y] % 8 + 1
    p.sum = p.sum + at
  end
end

--- All rows meet at one element.
function works.meet(map)
  return function(p)
    map[3] = (map[3] + p.x) % 1024
    p.sum = map[3]
  end
end

--- Rows that do not meet.
function works.apart(map)
  return function(p)
    map[p.x] = map[p.x] % 64 + 1
    p.sum = p.sum + p.x
  end
end

local function new_world(component, rows)
  local world = ecs.world {}
  for k = 1, rows do
    world:spawn(component { x = k % 512 + 1, y = k % 23 + 1 })
  end
  local map = world:array("map", "f64", 512)
  for k = 1, 512 do map[k] = k % 13 + 1 end
  return world, map
end

local function result(world, map, component)
  local list = {}
  for _, row in world:query { component }:rows() do
    list[#list + 1] = row.sum
  end
  for k = 1, #map do list[#list + 1] = map[k] end
  return table.concat(list, " ")
end

--- What a system has computed after some frames, and the world.
local function run(work, component, frames, options)
  options = options or {}
  local world, map = new_world(component, 1024)
  world:system { name = "work", query = { component }, each = works[work](map),
                 compile = options.compile, precision = options.precision }
  for _ = 1, frames do world:progress(1) end
  return result(world, map, component), world
end

describe("rows that meet in arrays", function()
  before_each(function()
    reports = {}
    ecs.on_fallback = note
  end)
  after_each(function() ecs.on_fallback = handler end)

  --- Work -> what is told of it, and whether plain Lua is faster here.
  local cases = {
    loop = { "a loop reads array 'map', in which the function writes", true },
    key = { "an index follows from an element of array 'map'", inlines },
    meet = { "its rows meet at elements of array 'map'", inlines },
  }

  for work, case in pairs(cases) do
    it("run as plain Lua where that is faster, with the same bits: " .. work,
      function()
        local chosen, world = run(work, F64, 40)
        local plain = run(work, F64, 40, { compile = false })
        assert.equal(plain, chosen)
        local told = world:explain "work"
        if not case[2] then
          assert.equal(0, #reports)
          assert.not_matches("slow", told)
          return
        end
        assert.equal(1, #reports)
        assert.equal("work", reports[1].system)
        assert.is_false(reports[1].compiled)
        assert.matches("array_worth_spec.lua:%d+$", reports[1].where)
        assert.matches(case[1], reports[1].why, 1, true)
        assert.matches("times as long as plain Lua: %l", reports[1].why)
        assert.matches(case[1], told, 1, true)
        assert.matches("so it runs as plain Lua", told)
      end)

    it("stay compiled with compile = true, and say so: " .. work, function()
      local compiled, world = run(work, F64, 40, { compile = true })
      assert.equal(run(work, F64, 40, { compile = false }), compiled)
      assert.not_matches("runs as plain Lua, which", world:explain "work")
      if not case[2] then return assert.equal(0, #reports) end
      assert.equal(1, #reports)
      assert.is_true(reports[1].compiled)
      assert.matches("without compile = true", reports[1].why)
      assert.matches("\n +slow: ", world:explain "work")
    end)

    it("stay compiled where plain Lua has other bits, and say so: " .. work,
      function()
        local _, world = run(work, F32, 40)
        assert.not_matches("so it runs as plain Lua", world:explain "work")
        if not case[2] then return assert.equal(0, #reports) end
        assert.equal(1, #reports)
        assert.is_true(reports[1].compiled)
        assert.matches("precision = 'double'", reports[1].why)
        reports = {}
        local double = run(work, F32, 40, { precision = "double" })
        assert.equal(run(work, F32, 40, { compile = false }), double)
        assert.equal(1, #reports)
        assert.is_false(reports[1].compiled)
      end)

    it("have the same result in query:each: " .. work, function()
      local results = {}
      for k, compile in ipairs { true, false } do
        local world, map = new_world(F64, 1024)
        local f = works[work](map)
        if compile then
          local query = world:query { F64 }
          for _ = 1, 30 do query:each(f) end
        else
          world:system { name = "work", query = { F64 }, each = f,
                         compile = false }
          for _ = 1, 30 do world:progress(1) end
        end
        results[k] = result(world, map, F64)
      end
      assert.equal(results[2], results[1])
      assert.equal(0, #reports)
    end)
  end

  it("stay compiled where few meet, and where the array is another",
    function()
      local apart, world = run("apart", F64, 40)
      assert.equal(run("apart", F64, 40, { compile = false }), apart)
      assert.not_matches("slow", world:explain "work")
      assert.equal(0, #reports)
      local other, one = new_world(F64, 1024)
      local two = other:array("two", "f64", 512)
      other:system { name = "work", query = { F64 }, each = function(p)
        local sum = 0
        for k = 1, p.y do sum = sum + one[k] end
        two[one[p.x]] = sum
        p.sum = p.sum + sum
      end }
      for _ = 1, 20 do other:progress(1) end
      assert.not_matches("slow", other:explain "work")
      assert.equal(0, #reports)
    end)

  it("are asked about again when an array is replaced", function()
    local world, map = new_world(F64, 1024)
    local two = world:array("two", "f64", 512)
    local read = map
    local function each(p)
      local sum = 0
      for k = 1, p.y do sum = sum + read[k] end
      map[p.x] = sum % 8 + 1
      p.sum = sum
    end
    local plain, plain_map = new_world(F64, 1024)
    local plain_two = plain:array("two", "f64", 512)
    local plain_read = plain_map
    plain:system { name = "plain", query = { F64 }, compile = false,
      each = function(p)
        local sum = 0
        for k = 1, p.y do sum = sum + plain_read[k] end
        plain_map[p.x] = sum % 8 + 1
        p.sum = sum
      end }
    world:system { name = "work", query = { F64 }, each = each }
    for turn = 1, 3 do
      read, plain_read = turn == 2 and two or map,
        turn == 2 and plain_two or plain_map
      for _ = 1, 20 do
        world:progress(1)
        plain:progress(1)
      end
      local told = world:explain "work"
      assert.equal(turn ~= 2, told:find("in which the function writes", 1, true)
        ~= nil)
      assert.equal(result(plain, plain_map, F64), result(world, map, F64))
    end
    assert.equal(1, #reports)
  end)

  it("say nothing in a system that is to be plain, nor for a few runs",
    function()
      for work in pairs(cases) do
        run(work, F64, 40, { compile = false })
      end
      run("loop", F64, 8)
      assert.equal(0, #reports)
    end)
end)
