-- world:trim(): what it gives back, and what it leaves as it was.

local ecs = require "ecs"

local parts = {}
for k = 1, 6 do parts[k] = ecs.component("Trim" .. k, { x = "f32" }) end
local Sparse = ecs.tag("TrimSparse", { storage = "sparse" })
local Kept = ecs.component("TrimKept", { n = "i32" })

--- A world in which all combinations of six components have met once.
local function crowd()
  local world, entities = ecs.world {}, {}
  for k = 0, 63 do
    local e = world:spawn(Kept { n = k })
    for bit = 1, 6 do
      if math.floor(k / 2 ^ (bit - 1)) % 2 == 1 then
        world:add(e, parts[bit] { x = k })
      end
    end
    if k % 3 == 0 then world:add(e, Sparse) end
    if k % 8 == 0 then entities[#entities + 1] = e else world:destroy(e) end
  end
  return world, entities
end

describe("world:trim", function()
  it("returns the bytes of what it gives back", function()
    local world = crowd()
    local before, state = world:stats(), world:state_hash()
    local bytes = world:trim()
    local after = world:stats()
    assert.is_true(bytes > 0)
    assert.equal(before.bytes - bytes, after.bytes)
    assert.is_true(after.tables < before.tables / 2)
    assert.equal(state, world:state_hash())
    assert.equal(0, world:trim())
  end)

  it("keeps entities, values and the order of rows", function()
    local world, entities = crowd()
    local query = world:query { Kept, optional = { parts[4] } }
    local function list()
      local found = {}
      for e, kept in query:rows() do
        found[#found + 1] = e .. " " .. kept.n
      end
      return table.concat(found, ",")
    end
    local before = list()
    world:trim()
    assert.equal(before, list())
    for k, e in ipairs(entities) do
      assert.equal(8 * (k - 1), world:get(e, Kept, "n"))
      world:set(e, Kept, "n", k)
      world:add(e, parts[1])
      world:remove(e, parts[6])
      assert.equal(k, world:get(e, Kept, "n"))
    end
    assert.equal(#entities, query:count())
  end)

  it("changes the hash only where there were empty tables", function()
    local world = crowd()
    local before = world:hash()
    world:trim()
    local after = world:hash()
    assert.not_equal(before, after)
    world:query({ Kept }):count()
    world:trim()
    assert.equal(after, world:hash())
  end)

  it("may come between any two calls", function()
    local world, entities = crowd()
    local seen = 0
    local rows = world:query { Kept }
    for _, kept in rows:rows() do
      world:trim()
      kept.n = kept.n + 1
      seen = seen + 1
    end
    assert.equal(#entities, seen)
    for _ = 1, 3 do
      world:spawn_many(10, { Kept { n = 5 }, parts[2] })
      world:trim()
    end
    world:system { name = "add", query = { Kept },
      each = function(kept) kept.n = kept.n + 100 end }
    world:progress(1)
    world:trim()
    world:progress(1)
    assert.equal(201, world:get(entities[1], Kept, "n"))
    assert.equal(#entities + 30, rows:count())
    world:system { name = "trim", run = function(same) same:trim() end }
    world:progress(1)
  end)

  it("is refused inside callbacks and while changes are recorded", function()
    local world = crowd()
    local query = world:query { Kept }
    local done, message = pcall(query.each, query, function()
      world:trim()
    end)
    assert.is_false(done)
    assert.is_truthy(message:find("ecs: trim is not possible inside query",
      1, true))
    local later = ecs.world { flush = "frame" }
    later:system { name = "trim", run = function(same) same:trim() end }
    done, message = pcall(later.progress, later, 1)
    assert.is_false(done)
    assert.is_truthy(message:find("ecs: trim is not possible inside a frame "
      .. "that records its changes", 1, true))
  end)
end)
