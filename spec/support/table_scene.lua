--- table_scene: systems that read tables from outside at computed numbers,
-- compiled and as plain Lua, over rows of which k is a key.

local ecs = require "ecs"
local assert = require "luassert"

local P = ecs.component("TableP", { k = "f64", x = "f64", y = "f64", n = "i32",
  b = "u8", on = "bool", who = "entity" })

local zero = 0.0
local KEYS = { 1, 2, 3, 4, 5, 6, 7, 0, -1, -2, -3, 1.5, 2.5, -0.5, -1 * zero,
  zero / zero, 1 / zero, -1 / zero, 2 ^ 31, -2 ^ 31, 2 ^ 32 + 1, 2 ^ 53,
  1e300, 1e-300, 1 + 2 ^ -52, 3 - 2 ^ -51, 65536, 65537, 5e-324 }

--- A world with a row for each key, and more rows than a block has.
local function populate(precision, least)
  local world, ids = ecs.world { precision = precision }, {}
  local count = math.max(#KEYS, least or 0)
  for k = 1, count do
    local key = KEYS[(k - 1) % #KEYS + 1]
    ids[k] = world:spawn(P { k = key, x = k, n = k % 9 - 3, b = k % 7,
      on = k % 2 == 0 })
  end
  return world, ids
end

local function dump(world, ids)
  local seen = {}
  for k, id in ipairs(ids) do
    local row = world:get(id, P)
    seen[k] = row and string.format("%.17g %.17g %.17g %s %s", row.x, row.y,
      row.n, tostring(row.on), tostring(row.who)) or "gone"
  end
  return (table.concat(seen, "\n"):gsub("%-?nan", "nan"))
end

local function observe(build, compile, precision, rows)
  local world, ids = populate(precision, rows)
  local f, change = build(world, ids)
  local seen = {}
  world:system { name = "s", query = { P }, each = f, compile = compile }
  for frame = 1, 5 do
    if change then change(frame) end
    local done, problem = pcall(world.progress, world, 1)
    seen[#seen + 1] = done and "done" or tostring(problem):match "^[^\n]*"
    seen[#seen + 1] = dump(world, ids)
  end
  local stats = world:stats "s"
  world:close()
  return table.concat(seen, "\n"), stats
end

--- Asserts that build(world, ids) returns a function that compiles and does
-- what it does as plain Lua, through all changes. The second result is called
-- before each frame.
local function alike(build, mode, rows)
  local wanted = observe(build, false, nil, rows)
  for _, precision in ipairs { "double", "fields" } do
    local seen, stats = observe(build, mode or "whole", precision, rows)
    local lines = wanted:gmatch "[^\n]+"
    local number = 0
    for line in seen:gmatch "[^\n]+" do
      number = number + 1
      assert.equal(number .. ": " .. tostring(lines()), number .. ": " .. line)
    end
    assert.is_nil(lines())
    assert.equal(0, stats.fallback_runs)
  end
end

--- The problem for which a function is refused.
local function refused(f)
  local world = ecs.world {}
  local done, problem = pcall(world.system, world,
    { name = "s", query = { P }, each = f, compile = "whole" })
  world:close()
  return done and "it is compiled" or tostring(problem)
end

return { P = P, populate = populate, dump = dump, alike = alike,
         refused = refused }
