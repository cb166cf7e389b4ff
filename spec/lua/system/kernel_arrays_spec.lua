-- kernel_arrays: native systems name the arrays of the world that they take.

local ecs = require "ecs"

local Probe = ecs.component("Probe", { dt = "f64", tick = "u32",
                                       who = "entity" })
local Lone = ecs.tag "KernelArraysLone"

--- Asserts that f raises an error that has a text. Returns the error.
local function refuses(f, text)
  local done, problem = pcall(f)
  assert.is_false(done)
  assert.truthy(tostring(problem):find(text, 1, true), problem)
  return problem
end

local function tiles(walls)
  local list = {}
  for x = 1, #walls do
    for y = 1, #walls[1] do list[#list + 1] = walls[x][y] end
  end
  return table.concat(list, " ")
end

describe("a native system with arrays", function()
  local world, walls, heat
  before_each(function()
    assert(ecs.load_native "probe")
    world = ecs.world {}
    walls = world:array("walls", "u8", 2, 3)
    heat = world:array("warmth", "f32", 4)
  end)
  after_each(function() world:close() end)

  local function define(uses, more)
    local options = { name = "paint", query = { Probe },
                      native = "probe.paint", uses = uses }
    for key, value in pairs(more or {}) do options[key] = value end
    return world:system(options)
  end

  it("reads and writes them in place", function()
    local one = world:spawn(Probe { dt = 1 })
    local two = world:spawn(Probe { dt = 1 })
    world:spawn(Probe { dt = 2 })
    heat[1] = 7.5
    define { walls, heat }
    world:progress(1)
    assert.equal("7 0 1 7 0 2", tiles(walls))
    assert.equal(1, world:get(one, Probe, "tick"))
    assert.equal(2, world:get(two, Probe, "tick"))
    assert.equal(7.5, heat[1])
    walls[2][3], heat[1] = 40, 8
    world:progress(1)
    assert.equal("8 0 2 8 0 42", tiles(walls))
  end)

  it("gets them as they are now, when they were resized", function()
    world:spawn(Probe { dt = 2 })
    define { walls, heat }
    world:progress(1)
    assert.equal("0 0 1 0 0 0", tiles(walls))
    walls:resize(3, 2)
    heat:resize(40000)
    heat[1] = 5
    world:progress(1)
    assert.equal("5 0 0 0 0 1", tiles(walls))
    walls:resize(1, 1)
    world:progress(1)
    assert.equal("5", tiles(walls))
    world:clear()
    world:progress(1)
    assert.equal("0", tiles(walls))
  end)

  it("gets them in queries of gathered rows, too", function()
    for k = 1, 300 do
      local e = world:spawn(Probe { dt = k % 2 })
      if k % 3 == 0 then world:add(e, Lone) end
    end
    define({ walls, heat }, { query = { Probe, without = { Lone } } })
    world:progress(1)
    assert.equal(100, walls[1][3])
    assert.equal(100, walls[2][3])
  end)

  it("counts in the hash", function()
    world:spawn(Probe { dt = 1 })
    define { walls, heat }
    local before = world:hash()
    local saved = world:snapshot()
    world:progress(1)
    assert.not_equal(before, world:hash())
    world:restore(saved)
    assert.equal(before, world:hash())
    world:progress(1)
    assert.equal("0 0 0 0 0 1", tiles(walls))
  end)

  it("has to list what the kernel declares, in its order", function()
    local form = "takes 2 arrays (walls, heat), and uses lists "
    refuses(function() define() end, form .. "0")
    refuses(function() define {} end, form .. "0")
    refuses(function() define { walls } end, form .. "1")
    refuses(function() define { walls, heat, heat } end, form .. "3")
    refuses(function() define { heat, walls } end,
      "takes walls as u8 with 2 indices, which array 'warmth' is not")
    refuses(function() define { walls, world:array("line", "f64", 4) } end,
      "takes heat as f32 with 1 index, which array 'line' is not")
    refuses(function() define { walls, world:array("deep", "f32", 4, 2) } end,
      "which array 'deep' is not")
    refuses(function()
      world:system { name = "t", query = { Probe }, native = "probe.tell",
                     uses = { walls } }
    end, "kernel tell takes no arrays, and uses lists 1")
    refuses(function()
      world:system { name = "t", query = { Probe }, native = "probe.wild",
                     uses = { heat } }
    end, "kernel wild declares arrays that no world has")
    assert.has_error(function() world:explain "paint" end)
  end)

  it("takes arrays of its world alone, which is open", function()
    local other = ecs.world {}
    local theirs = other:array("walls", "u8", 2, 3)
    refuses(function() define { theirs, heat } end,
      "uses: entry 1 is an array of another world")
    other:close()
    refuses(function() define { theirs, heat } end, "entry 1 is an array")
    refuses(function() define { walls[1], heat } end, "uses lists grids")
    refuses(function() define { walls, "heat" } end, "uses lists grids")
    refuses(function() define(walls) end, "uses is a list of grids and arrays")
    for _, kind in ipairs { "each", "batch", "run" } do
      local problem = refuses(function()
        world:system { name = "s", [kind] = function() end, uses = { walls },
                       query = kind ~= "run" and { Probe } or nil }
      end, "arrays in uses are for native")
      assert.truthy(problem:find("kernel_arrays_spec.lua", 1, true))
    end
  end)

  it("keeps them while it is defined, and may be replaced", function()
    world:spawn(Probe { dt = 1 })
    define { walls, heat }
    local other = world:array("others", "u8", 2, 2)
    define { other, heat }
    world:progress(1)
    assert.equal("0 0 0 0 0 0", tiles(walls))
    assert.equal("0 0 0 1", tiles(other))
    walls, other = nil, nil -- luacheck: ignore
    collectgarbage()
    world:progress(1)
    assert.equal("0 0 0 2", tiles(world:array("others", "u8", 2, 2)))
  end)

  it("may use grids beside them", function()
    world:spawn(Probe { dt = 1 })
    local Place = ecs.component("KernelArraysPlace", { x = "f64", y = "f64" })
    local near = world:grid { query = { read = { Place } },
                              at = { Place, "x", "y" }, cell = 4 }
    define { walls, near, heat }
    world:progress(1)
    assert.equal(1, walls[2][3])
  end)
end)
