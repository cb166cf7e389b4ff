-- Loops of rows with random changes in them, compared with a model made of
-- tables.
--
-- The model holds the components of each entity and their values. Before a loop
-- the order of entities is read from batches. At every step, rows must give the
-- next entity that is alive and matches in the model.

local ecs = require "ecs"

local A = ecs.component("ModelA", { v = "f64" })
local B = ecs.component("ModelB", { v = "i32" })
local S = ecs.component("ModelS", { v = "f64" }, { storage = "sparse" })
local T = ecs.tag("ModelT", { storage = "bits" })
local U = ecs.tag "ModelU"
local parts = { A, B, S, T, U }
local valued = { [A] = true, [B] = true, [S] = true }

local seed = 20177
local function random(n)
  seed = seed * 16807 % 2147483647
  return seed % n + 1
end

-- A world and its model: model[entity][component] = value.
local function populate(count)
  local world, model, list = ecs.world {}, {}, {}
  local function spawn()
    local e = world:spawn()
    model[e], list[#list + 1] = {}, e
    for _, part in ipairs(parts) do
      if random(2) == 1 then
        local value = valued[part] and random(1000)
        world:add(e, value and part { v = value } or part)
        model[e][part] = value or true
      end
    end
  end
  for _ = 1, count do spawn() end
  return world, model, list, spawn
end

local function matches(model, e, spec)
  local has = model[e]
  if not has then return false end
  for _, part in ipairs(spec.without or {}) do
    if has[part] then return false end
  end
  for _, list in ipairs { spec, spec.read or {}, spec.with or {} } do
    for _, part in ipairs(list) do
      if not has[part] then return false end
    end
  end
  return true
end

-- One random change, to the world and to the model.
local function change(world, model, list, spawn)
  local e, part, what = list[random(#list)], parts[random(#parts)], random(12)
  if what == 1 then
    spawn()
  elseif what == 2 then
    assert.equal(model[e] ~= nil, world:destroy(e))
    model[e] = nil
  elseif not model[e] then
    assert.is_false(world:alive(e))
  elseif what < 7 then
    world:remove(e, part)
    model[e][part] = nil
  elseif what < 9 and valued[part] then
    local value = random(1000)
    world:set(e, part, "v", value)
    model[e][part] = value
  elseif what == 9 and random(10) == 1 then
    world:group { A, random(2) == 1 and S or B }
  elseif not model[e][part] then
    world:add(e, part)
    model[e][part] = valued[part] and 0 or true
  end
end

local function order_of(query)
  local order = {}
  query:batch(function(batch)
    for i = 1, batch.count do order[#order + 1] = batch.entities[i] end
  end)
  return order
end

-- Compares a row with the model, and perhaps writes to it. A row that was
-- absent when the step began stays nil.
local function check(model, e, part, row, writes)
  local expected = model[e] and model[e][part]
  if not row then return end
  if not expected then
    assert.is_false((pcall(function() return row.v end)))
    assert.is_false((pcall(function() row.v = 1 end)))
    return
  end
  assert.equal(expected, row.v)
  if writes and random(3) == 1 then
    row.v = random(2000)
    model[e][part] = row.v
  end
end

local specs = {
  { A },
  { A, B, without = { U } },
  { S, optional = { A } },
  { A, read = { S }, with = { T } },
  { B, optional = { S }, without = { T } },
  { with = { U }, optional = { A, S } },
  { S, read = { B } },
}

local function columns(spec)
  local list = {}
  for _, from in ipairs { spec, spec.read or {}, spec.optional or {} } do
    for _, part in ipairs(from) do
      list[#list + 1] = { part, from ~= spec.read }
    end
  end
  return list
end

local function run(spec, rounds)
  local world, model, list, spawn = populate(40)
  local query, shown = world:query(spec), columns(spec)
  for _ = 1, rounds do
    local order, at, visited = order_of(query), 0, 0
    for e, a, b in query:rows() do
      repeat at = at + 1 until matches(model, order[at], spec)
      visited = visited + 1
      assert.equal(order[at], e)
      local rows = { a, b }
      for k, column in ipairs(shown) do
        assert.equal(model[e][column[1]] ~= nil, rows[k] ~= nil)
      end
      for _ = 1, 3 do
        for k, column in ipairs(shown) do
          check(model, e, column[1], rows[k], column[2])
        end
        change(world, model, list, spawn)
      end
    end
    for k = at + 1, #order do
      assert.is_false(matches(model, order[k], spec))
    end
    assert.is_true(visited <= #order)
  end
  for _, e in ipairs(list) do
    assert.equal(model[e] ~= nil, world:alive(e))
    for part in pairs(valued) do
      assert.equal(model[e] and model[e][part], (world:get(e, part, "v")))
    end
  end
end

describe("loops of rows with random changes", function()
  for k, spec in ipairs(specs) do
    it("do what the model does, query " .. k, function() run(spec, 12) end)
  end
end)
