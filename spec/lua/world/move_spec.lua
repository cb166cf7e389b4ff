-- Tags that move into bits and out of them: queries, systems and compiled
-- functions that were made before go on as if nothing had moved.

local ecs = require "ecs"
local unpack = table.unpack or unpack

local P = ecs.component("MoveP", { x = "f64", n = "i32" })
local Slow = ecs.component("MoveSlow", { by = "f32" }, { storage = "sparse" })
local A, B = ecs.tag "MoveA", ecs.tag("MoveB", { storage = "bits" })
local C = ecs.tag("MoveC", { storage = "sparse" })
local tags = { A, B, C }
local bits = { storage = "bits" }

-- Where tags go in turns: a name of the way, and which of them.
local ways = {
  { "bits", A }, { "ungroup", B }, { "bits", C }, { "bits", A, B, C },
  { "group", A }, { "group", B, C }, { "bits", B }, { "ungroup", A, B, C },
  { "bits", C, A }, { "group", A, B, C }, { "bits", A, C }, { "group", C },
}

local function move(world, way)
  local list = { unpack(way, 2) }
  if way[1] == "bits" then
    world:group(list, bits)
  else
    world[way[1]](world, list)
  end
end

local function populate(count)
  local world = ecs.world { precision = "double" }
  local ids = {}
  for k = 1, count do
    local parts = { P { x = k % 9, n = k } }
    if k % 2 == 0 then parts[#parts + 1] = A end
    if k % 3 == 0 then parts[#parts + 1] = B end
    if k % 5 == 0 then parts[#parts + 1] = C end
    if k % 4 == 0 then parts[#parts + 1] = Slow { by = k % 7 } end
    ids[k] = world:spawn(unpack(parts))
  end
  return world, ids
end

local function systems(world, compile)
  world:system {
    name = "joined", compile = compile,
    query = { P, read = { Slow }, with = { A }, without = { B } },
    each = function(p, slow) p.x = p.x + slow.by end,
  }
  world:system {
    name = "turns", compile = compile, query = { P },
    each = function(p, _, e)
      p.n = p.n + 1
      if p.n % 3 == 0 then
        world:add(e, A)
        world:remove(e, C)
      elseif p.n % 3 == 1 then
        world:add(e, C)
        world:remove(e, B)
      else
        world:add(e, B)
        world:remove(e, A)
      end
    end,
  }
  world:system {
    name = "counted", compile = compile,
    query = { P, with = { C }, without = { A } },
    each = function(p) p.x = p.x * 0.5 end,
  }
end

-- Runs frames, with a move before each, and says what was seen.
local function run(compile, moves, count)
  local world, ids = populate(count)
  systems(world, compile)
  local query = world:query { P, with = { A }, without = { C } }
  local joined = world:query { P, read = { Slow }, with = { B } }
  local log = {}
  for frame = 1, 24 do
    if moves then
      local before = world:state_hash()
      move(world, ways[(frame * 5) % #ways + 1])
      assert.equal(before, world:state_hash())
    end
    world:progress(1)
    query:each(function(p) p.x = p.x + 1 end)
    world:add(ids[frame % count + 1], A)
    local rows = 0
    for _ in joined:rows() do rows = rows + 1 end
    log[#log + 1] = query:count() .. " " .. joined:count() .. " " .. rows
      .. " " .. world:state_hash()
  end
  local fallbacks = world:stats("joined").fallback_runs
    + world:stats("turns").fallback_runs
  world:close()
  return table.concat(log, "\n"), fallbacks
end

describe("tags that move", function()
  it("leave queries, systems and compiled functions as they were", function()
    for _, count in ipairs { 7, 256, 700 } do
      local wanted = run(false, false, count)
      for _, compile in ipairs { false, true } do
        for _, moves in ipairs { false, true } do
          local seen, fallbacks = run(compile, moves, count)
          assert.equal(wanted, seen)
          if compile then assert.equal(0, fallbacks) end
        end
      end
    end
  end)

  it("do not move inside of a callback", function()
    local world = populate(9)
    local state, hash = world:state_hash(), world:hash()
    local calls = 0
    world:query({ P }):batch(function()
      local ok, text = pcall(world.group, world, tags, bits)
      assert.is_false(ok)
      assert.truthy(text:find("group", 1, true), text)
      calls = calls + 1
    end)
    assert.is_true(calls > 0)
    assert.equal(state, world:state_hash())
    assert.equal(hash, world:hash())
  end)

  it("may move while rows are walked, as with group", function()
    local world = populate(40)
    local seen, met, wanted = {}, {}, 0
    for e in world:query({ P, with = { A } }):rows() do
      move(world, ways[#seen % #ways + 1])
      seen[#seen + 1], wanted = e, wanted + 1
      assert.is_true(world:has(e, A))
      assert.is_nil(met[e])
      met[e] = true
    end
    assert.equal(20, wanted)
  end)

  it("are tags, and the error is that of the caller's line", function()
    local world = populate(9)
    local hash = world:hash()
    local wrong = {
      { { A, P }, bits, "MoveP has fields: only tags can be" },
      { { Slow }, bits, "MoveSlow has fields: only tags can be" },
      { { A, A }, bits, "group names MoveA twice" },
      { { A }, { storage = "table" }, "storage is 'bits'" },
      { { A }, { storage = "bits", other = 1 }, "one option" },
      { { A }, { [1] = "bits" }, "one option" },
      { { A }, { storage = true }, "storage is 'bits'" },
      { { A }, 7, "takes options" },
    }
    for _, case in ipairs(wrong) do
      local line = debug.getinfo(1, "l").currentline + 1
      local ok, text = pcall(function() world:group(case[1], case[2]) end)
      assert.is_false(ok)
      assert.truthy(text:find(case[3], 1, true), text)
      assert.truthy(text:find("move_spec.lua:" .. line .. ":", 1, true), text)
    end
    assert.equal(hash, world:hash())
    world:group({}, bits)
    world:group({ A }, {})
    assert.not_equal(hash, world:hash())
  end)

  it("are a sparse set where one alone leaves bits", function()
    local world = populate(30)
    world:group({ A }, bits)
    world:group { A }
    world:group { B }
    local text = world:explain()
    assert.is_nil(text:find("bits of group", 1, true), text)
    assert.equal(15, world:query({ with = { A } }):count())
    assert.equal(10, world:query({ with = { B } }):count())
  end)
end)
