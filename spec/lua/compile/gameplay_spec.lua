-- Fifty functions as games have them (gameplay/*.lua), written without regard
-- to what compiles. Each compiles. With precision = "double" it leaves the
-- world as plain Lua does, bit for bit. By default it leaves the world as plain
-- Lua does with numbers that round as compiled ones should
-- (gameplay/rounding.lua).

local ecs = require "ecs"
local safe_pairs = require "ecs.safe_pairs"

local scene = dofile "spec/lua/compile/gameplay/scene.lua"
local rounding = dofile "spec/lua/compile/gameplay/rounding.lua"

local ROWS, STEPS = 500, { 1 / 60, 0.5, 0, 0.1, 1 / 30, 0.25 }
if os.getenv "ECS_SPEC_SHORT" then STEPS = { 1 / 60, 0 } end

local names = {}
for name, component in safe_pairs(scene.components) do
  names[component] = name
end

local function types_of(component) return scene.fields[names[component]] end

--- The components that a system's query requires.
local function wanted(query)
  local list = {}
  for _, part in ipairs { query, query.read or {}, query.with or {} } do
    for _, component in ipairs(part) do list[#list + 1] = names[component] end
  end
  return list
end

--- Runs system k of a file for some frames. Returns the world's hash after
-- each, and how many rows matched in the beginning.
local function run(path, k, options)
  local world = ecs.world {}
  local systems
  if options.rounding then
    systems = rounding.load(path, ecs, world, scene.components, types_of)
  else
    systems = dofile(path)(ecs, world, scene.components)
  end
  local system = systems[k]
  scene.fill(world, wanted(system.query), ROWS, k)
  local count = world:query(system.query):count()
  world:system { name = system.name, query = system.query, each = system.each,
                 compile = options.compile, precision = options.precision }
  local hashes = { world:state_hash() }
  for frame, dt in ipairs(STEPS) do
    world:progress(dt)
    hashes[frame + 1] = world:state_hash()
  end
  return hashes, count
end

-- Before any describe, which run in any order.
local files = { "movement", "steering", "fighting", "living", "colliding" }
local total = 0
local systems_of = {}
for _, file in ipairs(files) do
  local path = "spec/lua/compile/gameplay/" .. file .. ".lua"
  systems_of[file] = dofile(path)(ecs, ecs.world {}, scene.components)
  total = total + #systems_of[file]
end

for _, file in ipairs(files) do
  local path = "spec/lua/compile/gameplay/" .. file .. ".lua"
  describe("of " .. file .. ", compiled", function()
    for k, system in ipairs(systems_of[file]) do
      it("'" .. system.name .. "' gives what plain Lua gives", function()
        local plain, count = run(path, k, { compile = false })
        assert.is_true(count >= 300, "few rows: " .. count)
        assert.are_not.equal(plain[1], plain[#plain])
        assert.are.same(plain,
          (run(path, k, { compile = true, precision = "double" })))
      end)

      it("'" .. system.name .. "' rounds every operation", function()
        assert.are.same((run(path, k, { compile = false, rounding = true })),
          (run(path, k, { compile = true })))
      end)
    end
  end)
end

describe("the gameplay functions", function()
  it("are fifty at least", function() assert.is_true(total >= 50) end)

  it("are rounded by a reference that differs from plain Lua", function()
    local path = "spec/lua/compile/gameplay/movement.lua"
    assert.are_not.same((run(path, 1, { compile = false })),
      (run(path, 1, { compile = false, rounding = true })))
  end)
end)
