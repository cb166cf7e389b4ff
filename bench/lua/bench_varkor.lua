-- bench_varkor: six programs that create, change and delete entities, the
-- workloads of the Varkor post on refactoring an ECS, as bench/bench_varkor.c
-- has them, with fewer rounds. Four components of 6, 4, 4 and 4 numbers (f32).
-- Every run begins with an empty storage. A time is per entity created, and for
-- Random per operation.
--
-- "one by one": the program as it is, a call for each step. "in bulk": what one
-- writes where many entities change alike. By hand (varkor_by_hand.lua): tables
-- of fields by id, and sparse sets of such tables. The collector does not run
-- while the clock does, so what freeing the tables costs is not in the numbers
-- but of "tables, collected", where it does.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local by_hand = require "varkor_by_hand"

local ecs = scene.ecs
local folder = arg[0]:match("^(.-)[^/]*$")

local parts = {
  ecs.component("VarkorA", { a = "f32", b = "f32", c = "f32", d = "f32",
    e = "f32", f = "f32" }),
}
for k = 2, 4 do
  parts[k] = ecs.component("Varkor" .. ("ABCD"):sub(k, k),
    { a = "f32", b = "f32", c = "f32", d = "f32" })
end
local Family = ecs.component("VarkorFamily", { first = "entity",
  next = "entity" })

-- A world ------------------------------------------------------------------

local function sum_of(world, part)
  local sum, count = 0, 0
  world:query({ read = { part } }):batch(function(batch)
    local p = batch[part]
    local a, b, c, d = p.a, p.b, p.c, p.d
    for i = 1, batch.count do
      sum = sum + a[i] + 2 * b[i] + 3 * c[i] + 4 * d[i]
    end
    count = count + batch.count
  end)
  return ("%d %d"):format(sum, count)
end

--- Children are a list linked by fields; the child becomes the first one.
local function add_families(storage, world)
  local first, next_of = world:getter(Family, "first"),
    world:getter(Family, "next")
  local set_first = world:setter(Family, "first")
  local is_parent = world:tester(Family)
  local fields = { next = nil }
  function storage.relate(parent, child)
    if not is_parent(parent) then world:add(parent, Family) end
    fields.next = first(parent)
    world:add(child, Family, fields)
    set_first(parent, child)
  end
  local function destroy(e)
    local child = first(e)
    while child do
      local sibling = next_of(child)
      destroy(child)
      child = sibling
    end
    world:destroy(e)
  end
  storage.destroy = destroy
end

local function in_world()
  local world, write, has = ecs.world {}, {}, {}
  write[1] = world:setter(parts[1], "a", "b", "c", "d", "e", "f")
  has[1] = world:tester(parts[1])
  for k = 2, 4 do
    write[k] = world:setter(parts[k], "a", "b", "c", "d")
    has[k] = world:tester(parts[k])
  end
  local storage = { space = world, parts = parts, write = write, has = has }
  function storage.sums()
    local sums = { world:stats().entities }
    for k = 1, 4 do sums[k + 1] = sum_of(world, parts[k]) end
    return table.concat(sums, ", ")
  end
  function storage.close() world:close() end
  add_families(storage, world)
  return storage
end

-- In bulk ------------------------------------------------------------------

--- Writes a part of all that have it; first and step: the numbers of its rows.
local function write_rows(batch, part, first, step)
  local p, offset = batch[parts[part]], part * 8
  local a, b, c, d = p.a, p.b, p.c, p.d
  for i = 1, batch.count do
    local v = (first + (i - 1) * step) % 1024 + offset
    a[i], b[i], c[i], d[i] = v, v + 1, v + 2, v + 3
  end
  if part > 1 then return end
  local e, f = p.e, p.f
  for i = 1, batch.count do e[i], f[i] = a[i] + 4, a[i] + 5 end
end

local bulk = {}

function bulk.Create(world, size) world:spawn_many(size, {}) end

function bulk.Add(world, size) world:spawn_many(size, parts) end

function bulk.AddWriteDelete(world, size, keep)
  world:spawn_many(size, parts)
  for part = 1, 4 do
    local done = 1
    world:query({ parts[part] }):batch(function(batch)
      write_rows(batch, part, done, 1)
      done = done + batch.count
    end)
  end
  if not keep then world:query({ all = true }):destroy() end
end

-- Sides --------------------------------------------------------------------

--- The same side with the collector running.
local function collected(one)
  local run = one.run
  function one.run()
    collectgarbage("restart")
    run()
    collectgarbage("stop")
  end
  return one
end

--- run(storage, keep) is one round.
local function side(name, make, rounds, run_with)
  local storage, run
  local function fresh()
    if storage and storage.close then storage.close() end
    storage = make()
    run = run_with(storage)
  end
  return {
    name = name, prepare = fresh,
    run = function() for _ = 1, rounds do run(false) end end,
    check = function()
      fresh()
      for round = 1, math.min(rounds, 2) do
        run(round == math.min(rounds, 2))
      end
      return storage.sums()
    end,
  }
end

local function bench(name, size, rounds, each)
  measure.contest(name, { size }, function(count)
    local turns = count == size and rounds or math.min(rounds, 2)
    local function one_by_one(storage)
      local programs = dofile(folder .. "varkor_programs.lua")(storage)
      return function(keep) programs[name](count, keep) end
    end
    local function in_bulk(storage)
      return function(keep) bulk[name](storage.space, count, keep) end
    end
    local sides = {
      side("tables", by_hand.tables, turns, one_by_one),
      side("sparse sets", by_hand.sparse_sets, turns, one_by_one),
      side("one by one", in_world, turns, one_by_one),
    }
    if bulk[name] then
      sides[4] = side("in bulk", in_world, turns, in_bulk)
    end
    sides[#sides + 1] = collected(side("tables, collected", by_hand.tables,
      turns, one_by_one))
    for _, one in ipairs(sides) do
      one.operations = each * count * turns
    end
    return sides
  end, 5)
end

measure.open("lua varkor", arg)
bench("Create", 200000, 1, 1)
bench("Add", 100000, 1, 1)
bench("AddWriteDelete", 2000, 30, 1)
bench("Distributed", 2000, 30, 1)
bench("Relationship", 10, 30, 211)
bench("Random", 50000, 1, 4)
measure.close()
