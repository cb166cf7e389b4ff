-- What the specs of get, set, has and alive share: components of every type and
-- storage, strange numbers, and a comparison of short calls and prepared ones
-- with long ones. Short calls have a faster way on LuaJIT. Long calls, with
-- three fields or two components, have none.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local dice = support.dice

local kinds = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "bool",
                "entity" }

-- Every type in every storage that has fields, and every storage of tags.
local every = {}
for f, kind in ipairs(kinds) do every["v" .. f] = kind end
local Every = ecs.component("AccessEvery", every)
local Sparse = ecs.component("AccessSparse", every, { storage = "sparse" })
local Place = ecs.component("AccessPlace", { x = "f32", y = { "f32", 7 } })
local Far = ecs.component("AccessFar", { x = "f32", y = "f32" },
  { storage = "sparse" })
local Tag = ecs.tag "AccessTag"
local SparseTag = ecs.tag("AccessSparseTag", { storage = "sparse" })
local BitTag = ecs.tag("AccessBitTag", { storage = "bits" })
local Never = ecs.component("AccessNever", { x = "f32" })

local holders = { Every, Sparse, Place, Far }
local all = { Every, Sparse, Place, Far, Tag, SparseTag, BitTag, Never }

local function fields_of(definition)
  if definition == Place or definition == Far then return { "x", "y" } end
  local names = {}
  for f = 1, #kinds do names[f] = "v" .. f end
  return names
end

local function same(a, b)
  return a == b or (a ~= a and b ~= b)
end

-- Not named assert, which is the test runner's.
local function agree(a, b, ...)
  if not same(a, b) then
    error(string.format("%s and %s differ: %s", tostring(a), tostring(b),
      table.concat({ ... }, " ")), 2)
  end
end

-- The prepared calls of one world. They keep their world, so those of the world
-- before are dropped.
local prepared, prepared_world

-- Calls what world[maker](world, ...) returns, made once for the arguments.
local function call(world, maker, e, ...)
  local parts = { maker, ... }
  for k = 2, #parts do parts[k] = tostring(parts[k]) end
  local key = table.concat(parts, " ")
  if world ~= prepared_world then prepared, prepared_world = {}, world end
  prepared[key] = prepared[key] or world[maker](world, ...)
  return prepared[key](e)
end

-- Compares every prepared call about an entity with the long one.
local function compare_prepared(world, e)
  agree(call(world, "tester", e), world:has(e), "tester of nothing")
  for k, definition in ipairs(all) do
    local other = all[k % #all + 1]
    agree(call(world, "tester", e, definition),
      world:has(e, definition, definition), "tester", tostring(definition))
    agree(call(world, "tester", e, definition, other, Tag),
      world:has(e, definition, other, Tag), "tester of three")
  end
  for _, definition in ipairs(holders) do
    local names = fields_of(definition)
    local whole = world:get(e, definition)
    local copy = call(world, "getter", e, definition)
    agree(copy ~= nil, whole ~= nil, "getter of all")
    for f, name in ipairs(names) do
      local other, third = names[f % #names + 1], names[(f + 1) % #names + 1]
      local x, y, z = world:get(e, definition, name, other, third)
      agree(call(world, "getter", e, definition, name), x, "getter", name)
      local a, b = call(world, "getter", e, definition, name, other)
      agree(a, x, "getter of two", name)
      agree(b, y, "getter of two", other)
      local c
      a, b, c = call(world, "getter", e, definition, third, name, other)
      agree(a, z, "getter of three", third)
      agree(b, x, "getter of three", name)
      agree(c, y, "getter of three", other)
      if copy then agree(copy[name], x, "getter of all", name) end
    end
  end
end

-- Compares every short call about an entity with the long one.
local function compare(world, e)
  compare_prepared(world, e)
  agree(world:alive(e), world:has(e), "alive")
  for _, definition in ipairs(all) do
    agree(world:has(e, definition), world:has(e, definition, definition),
      "has", tostring(definition))
  end
  for _, definition in ipairs(holders) do
    local names = fields_of(definition)
    local whole = world:get(e, definition)
    agree(whole ~= nil, world:has(e, definition), "whole")
    for f, name in ipairs(names) do
      local other = names[f % #names + 1]
      local value = world:get(e, definition, name, name, name)
      agree(world:get(e, definition, name), value, "get", name)
      local a, b = world:get(e, definition, other, name)
      agree(b, value, "second of two", name)
      agree(a, (world:get(e, definition, other, other, other)), "first", other)
      if whole then agree(whole[name], value, "of all", name) end
    end
  end
end

local numbers = { 0, 1, -1, 0.5, -0.0, 127, 128, -128, -129, 255, 256, 32767,
  32768, -32768, -32769, 65535, 65536, 2 ^ 31 - 1, 2 ^ 31, -2 ^ 31,
  -2 ^ 31 - 1, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 52 - 1, 2 ^ 52, 2 ^ 53, 1e300, -1e300,
  1 / 0, -1 / 0, 0 / 0, -(0 / 0), 3.4028234663852886e38, 3.4028235677973366e38,
  3.4028235e38, -3.5e38, 1e-45, 1e-310, 16777217, 0.1 }

local values = { true, false, "5", "x", {}, print }
for _, number in ipairs(numbers) do values[#values + 1] = number end

return {
  kinds = kinds, holders = holders, all = all, numbers = numbers,
  values = values, fields_of = fields_of, agree = agree, dice = dice,
  compare = compare, Every = Every, Sparse = Sparse, Place = Place, Far = Far,
  Tag = Tag, SparseTag = SparseTag, BitTag = BitTag, Never = Never,
}
