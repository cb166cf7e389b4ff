-- Runs systems with side exits both ways, compiled and as plain Lua, and
-- compares everything that can be seen.

local assert = require "luassert"
local ecs = require "ecs"

local exits = {
  P = ecs.component("ExitsP", { x = "f64", y = "f64", on = "bool",
                                who = "entity" }),
  V = ecs.component("ExitsV", { x = "f64", n = "i32" }),
  Far = ecs.component("ExitsFar", { hp = "f64", on = "bool", at = "f64" },
    { storage = "sparse" }),
  Odd = ecs.tag "ExitsOdd",
}
local P, V, Far, Odd = exits.P, exits.V, exits.Far, exits.Odd

--- A world with so many rows, in some tables: every fifth has a Far, every P
-- names another entity, or none, or a dead one.
local function populate(count, precision)
  local world, ids = ecs.world { precision = precision }, {}
  local dead = world:spawn(V {})
  for k = 1, count do
    local parts = { P { x = k % 50, y = k, on = k % 4 == 0,
                        who = k % 11 == 3 and dead or ids[k - 3] },
                    V { x = 1, n = k } }
    if k % 3 == 0 then parts[#parts + 1] = Odd end
    if k % 5 == 0 then
      parts[#parts + 1] = Far { hp = k, on = k % 2 == 0, at = -k }
    end
    ids[k] = world:spawn((table.unpack or unpack)(parts))
  end
  world:destroy(dead)
  return world, ids
end

--- What a program does: build(world, log, ids) returns a system, and in after a
-- function for a text to be seen in the end. Returns a text of all that can
-- be seen, and the stats of the system.
local function run(build, count, compile, precision)
  local world, ids = populate(count, precision)
  local log = {}
  local system = build(world, log, ids)
  local after = system.after
  system.name, system.compile, system.after = "s", compile, nil
  world:system(system)
  local problem = "none"
  for _ = 1, 3 do
    local done, text = pcall(world.progress, world, 0.25)
    if not done then problem = tostring(text):match "^[^\n]*" break end
  end
  if after then log[#log + 1] = after() end
  local seen = { table.concat(log, " "), world:hash(), problem }
  local stats = world:stats "s"
  world:close()
  return table.concat(seen, "\n"), stats
end

--- Asserts that a program compiles with side exits, and does what it does as
-- plain Lua, in both precisions: all fields are f64. Returns how many rows took
-- exits, and what was seen last.
function exits.alike(build, sizes)
  local taken, seen
  for _, count in ipairs(sizes or { 0, 1, 7, 255, 256, 257, 700 }) do
    local wanted = run(build, count, false)
    for _, precision in ipairs { "fields", "double" } do
      local stats
      seen, stats = run(build, count, true, precision)
      assert.equal(wanted, seen, count .. " rows")
      assert.equal(0, stats.fallback_runs)
      taken = stats.exits
    end
  end
  return taken, seen
end

--- Asserts that defining a system raises an error with these words.
function exits.refused(build, words, compile)
  local world, ids = populate(7)
  local system = build(world, {}, ids)
  system.name, system.compile = "s", compile
  local done, text = pcall(world.system, world, system)
  world:close()
  assert.is_false(done)
  assert.truthy(text:find(words, 1, true), text)
end

return exits
