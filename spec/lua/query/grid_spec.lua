-- Grids: what they show and when they are built. What they answer is the
-- business of grid_oracle_spec.lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Place = ecs.component("GridPlace", { x = "f32", y = "f32" })
local Speed = ecs.component("GridSpeed", { x = "f32" })
local Odd = ecs.component("GridOdd", { x = "f32", b = "bool", e = "entity" })
local Mark = ecs.tag "GridMark"

support.silence_stderr(setup, teardown)

--- A world with ten entities at (1, 0) to (10, 0), and a grid over them.
local function make(options)
  local scene = { world = ecs.world(options or {}), ids = {} }
  for k = 1, 10 do
    scene.ids[k] = scene.world:spawn(Place { x = k }, Speed { x = 10 * k })
  end
  scene.near = scene.world:grid {
    query = { read = { Place, Speed } }, at = { Place, "x", "y" }, cell = 2,
  }
  return scene
end

--- The entities within a radius of a point on the line.
local function found(scene, x, radius)
  local list = {}
  for e in scene.near:within(x, 0, radius) do list[#list + 1] = e end
  return list
end

describe("a grid", function()
  it("shows rows of its query in the order of cells", function()
    local scene = make()
    local ids = scene.ids
    assert.same({ ids[3], ids[4], ids[5] }, found(scene, 4, 1))
    for e, p, s in scene.near:within(4, 0, 1) do
      assert.equal(ids[p.x], e)
      assert.equal(10 * p.x, s.x)
    end
    assert.equal(3, scene.near:count(4, 0, 1))
    assert.is_true(scene.near:any(4, 0, 0))
    assert.is_false(scene.near:any(4, 0, 0, ids[4]))
    local e, p, s, distance = scene.near:nearest(4.25, 0, 1, ids[4])
    assert.equal(ids[5], e)
    assert.equal(5, p.x)
    assert.equal(50, s.x)
    assert.equal(0.75, distance)
    assert.is_nil((scene.near:nearest(20, 0, 1)))
    assert.equal(ids[10], (scene.near:nearest(20, 0)))
  end)

  it("takes a query that a script has, in its order", function()
    local scene = make()
    local near = scene.world:grid {
      query = scene.world:query { Place, sort = { Speed, "x", "down" } },
      at = { Place, "x", "y" }, cell = 100,
    }
    local first
    for _, p in near:within(0, 0, 50) do first = first or p.x end
    assert.equal(10, first)
  end)

  it("shows what a row lacks as nil", function()
    local scene = make()
    local bare = scene.world:spawn(Place { x = 3.5 })
    local near = scene.world:grid {
      query = { Place, optional = { Speed } }, at = { Place, "x", "y" },
      cell = 1,
    }
    local seen = {}
    for e, _, s in near:within(3, 0, 0.5) do seen[e] = s and s.x or "none" end
    assert.same({ [scene.ids[3]] = 30, [bare] = "none" }, seen)
    local e, _, s, distance = near:nearest(3.6, 0, 9)
    assert.equal(bare, e)
    assert.is_nil(s)
    assert.is_true(distance < 0.2)
  end)

  it("shows what its rows link to", function()
    local world = ecs.world {}
    local parent = world:spawn(Speed { x = 7 })
    world:spawn(Place {}, ecs.ChildOf { parent = parent })
    world:spawn(Place { x = 1 })
    local near = world:grid {
      query = { read = { Place }, up = { ecs.ChildOf, read = { Speed } } },
      at = { Place, "x", "y" }, cell = 1,
    }
    local list = {}
    for _, p, s in near:within(0, 0, 5) do
      list[#list + 1] = { p.x, s and s.x or false }
    end
    assert.same({ { 0, 7 }, { 1, false } }, list)
  end)

  it("leaves out what has no finite position", function()
    local scene = make()
    scene.world:set(scene.ids[1], Place, "x", 0 / 0)
    scene.world:set(scene.ids[2], Place, "y", 1 / 0)
    assert.equal(8, scene.near:count(0, 0, 1e30))
  end)

  it("goes over each pair once", function()
    local scene = make()
    local pairs_seen = {}
    for a, b, p, s, q, t in scene.near:each_pair(1) do
      assert.equal(10 * p.x, s.x)
      assert.equal(10 * q.x, t.x)
      pairs_seen[#pairs_seen + 1] = { a, b }
    end
    assert.equal(9, #pairs_seen)
    assert.same({ scene.ids[1], scene.ids[2] }, pairs_seen[1])
  end)

  it("can be asked inside loops over it", function()
    local scene = make()
    local count = 0
    for _, p in scene.near:within(5, 0, 1) do
      for _, q in scene.near:within(p.x, 0, 1) do
        for e in scene.near:box(q.x, 0, q.x, 0) do
          count = count + (scene.near:nearest(q.x, 0) == e and 1 or 0)
        end
      end
    end
    assert.equal(9, count)
  end)

  it("can be left early, by break and by an error", function()
    local scene = make()
    for _ = 1, 200 do
      for e in scene.near:within(5, 0, 3) do
        if e == scene.ids[3] then break end
      end
      for _, _, p in scene.near:each_pair(3) do
        if p.x == 2 then break end
      end
      pcall(function()
        for _ in scene.near:box(0, 0, 9, 0) do error "out" end
      end)
    end
    assert.equal(7, #found(scene, 5, 3))
  end)

  it("makes no garbage", function()
    local scene = make()
    local near = scene.near
    local function ask(rounds)
      local sum = 0
      for k = 1, rounds do
        for _, p, s in near:within(k % 10, 0, 2) do sum = sum + p.x + s.x end
        local _, p = near:nearest(k % 10, 0, 2)
        sum = sum + p.x + near:count(5, 0, 1)
      end
      return sum
    end
    assert.equal(0, support.garbage_of(ask, 2000))
  end)
end)

describe("rows of a grid", function()
  it("are copies, and only read", function()
    local scene = make()
    for _, p in scene.near:within(4, 0, 0) do
      refuses(function() p.x = 3 end, "rows of a grid are copies",
        "world:set(e, GridPlace, 'x', value)")
      refuses(function() return p.z end, "GridPlace has no field 'z'")
      scene.world:set(scene.ids[4], Place, "x", 9)
      assert.equal(4, p.x)
    end
  end)

  it("are over with the next step", function()
    local scene = make()
    local kept
    for _, p in scene.near:within(4, 0, 1) do kept = kept or p end
    refuses(function() return kept.x end, "this row is over")
    local _, first = scene.near:nearest(1, 0, 1)
    assert.equal(1, first.x)
    scene.near:nearest(2, 0, 1)
    refuses(function() return first.x end, "this row is over")
  end)

  it("are over when the grid is built again", function()
    local scene = make()
    local _, p = scene.near:nearest(1, 0, 1)
    scene.near:build()
    refuses(function() return p.x end, "its grid was built again")
    scene.near:nearest(1, 0, 1)
    _, p = scene.near:nearest(1, 0, 1)
    scene.world:close()
    refuses(function() return p.x end, "the world of its grid is closed")
  end)
end)

describe("outside of frames", function()
  it("a question builds where something changed", function()
    local scene = make()
    local world, ids = scene.world, scene.ids
    assert.equal(10, scene.near:count(0, 0, 100))
    world:destroy(ids[1])
    assert.equal(9, scene.near:count(0, 0, 100))
    world:set(ids[2], Place, "y", 5000)
    assert.equal(8, scene.near:count(0, 0, 100))
    world:spawn(Place {}, Speed {})
    world:remove(ids[3], Speed)
    assert.equal(8, scene.near:count(0, 0, 100))
    world:ungroup { Place }
    assert.equal(8, scene.near:count(0, 0, 100))
    world:group { Place, Speed }
    for _, p in world:query { Place }:rows() do p.x = p.x + 1000 end
    assert.equal(0, scene.near:count(0, 0, 100))
    world:query { Place }:each(function(p) p.x = 0 end)
    assert.equal(8, scene.near:count(0, 0, 100))
    world:query { Place }:set(Place, "x", 7000)
    assert.equal(0, scene.near:count(0, 0, 100))
    world:query { Place }:batch(function(b)
      for i = 1, b.count do b.GridPlace.x[i] = 0 end
    end)
    assert.equal(8, scene.near:count(0, 0, 100))
    world:clear()
    assert.equal(0, scene.near:count(0, 0, 100))
  end)

  it("a loop shows what was built when it began", function()
    local scene = make()
    local seen = 0
    for e in scene.near:within(5, 0, 2) do
      seen = seen + 1
      scene.world:destroy(e)
      assert.is_false(scene.world:alive(e))
    end
    assert.equal(5, seen)
    refuses(function()
      for e in scene.near:within(5, 0, 4) do
        scene.world:destroy(e)
        scene.near:count(5, 0, 1)
      end
    end, "the grid was built again inside this loop")
  end)

  it("columns that a callback writes cannot be copied", function()
    local scene = make()
    local q = scene.world:query { Place }
    scene.near:build()
    q:each(function(p) p.x = p.x + scene.near:count(p.x, 0, 1) end)
    refuses(function()
      q:batch(function() scene.near:count(1, 0, 1) end)
    end, "a grid cannot reach GridPlace here", "call near:build() before")
    refuses(function()
      q:batch(function() scene.near:build() end)
    end, "build cannot reach GridPlace here")
    q:batch(function() end)
    scene.near:build()
    scene.world:query { read = { Place } }:batch(function()
      scene.near:build()
    end)
  end)
end)

describe("in frames", function()
  it("a grid is built once, before the first system that uses it", function()
    local scene = make()
    local world, near, counts = scene.world, scene.near, {}
    local function count() counts[#counts + 1] = near:count(0, 0, 100) end
    world:system { name = "away", query = { Place },
      each = function(p) p.x = p.x + 1000 end }
    world:system { name = "first", uses = { near }, run = count }
    world:system { name = "back", query = { Place },
      each = function(p) p.x = p.x - 1000 end }
    world:system { name = "second", uses = { near }, run = count }
    world:system { name = "third", run = count }
    world:progress(1)
    assert.same({ 0, 0, 0 }, counts)
    assert.equal(10, near:count(0, 0, 100))
    world:progress(1)
    assert.same({ 0, 0, 0, 0, 0, 0 }, counts)
  end)

  it("and once a step of a phase with fixed steps", function()
    local scene = make {
      phases = { { "simulate", fixed = 1 }, "draw" },
    }
    local world, near, seen = scene.world, scene.near, {}
    world:system { name = "move", phase = "simulate", query = { Place },
      each = function(p) p.x = p.x + 1000 end }
    world:system { name = "look", phase = "simulate", uses = { near },
      run = function() seen[#seen + 1] = near:nearest(1e9, 0) and
        select(2, near:nearest(1e9, 0)).x end }
    world:system { name = "show", phase = "draw", uses = { near },
      run = function() seen[#seen + 1] = near:count(0, 0, 1e9) end }
    world:progress(3)
    assert.same({ 1010, 2010, 3010, 10 }, seen)
    world:progress(0.5)
    assert.same({ 1010, 2010, 3010, 10, 10 }, seen)
  end)

  it("systems of every kind may ask", function()
    for _, flush in ipairs { "system", "frame" } do
      local scene = make { flush = flush }
      local world, near, sum = scene.world, scene.near, 0
      world:system { name = "each", query = { Place }, uses = { near },
        each = function(p, _, e)
          for other, q in near:within(p.x, p.y, 1) do
            if other ~= e then sum = sum + q.x end
          end
          p.y = 1
        end }
      world:system { name = "batch", query = { Place }, uses = { near },
        batch = function(b) sum = sum + near:count(0, 0, 100) * b.count end }
      world:progress(1)
      assert.equal(99 + 100, sum)
    end
  end)

  it("a question in a system that does not say so names uses", function()
    local scene = make()
    scene.world:system { name = "ask", query = { Place },
      batch = function() scene.near:count(1, 0, 1) end }
    refuses(function() scene.world:progress(1) end,
      "a grid cannot reach GridPlace here", "uses = { near }", "system 'ask'")
  end)

  it("what cannot be built is an error of the system", function()
    local world = ecs.world { memory_limit = "300k" }
    local near = world:grid { query = { Place }, at = { Place, "x", "y" },
                              cell = 1 }
    world:spawn_many(2000, { Place })
    world:system { name = "look", uses = { near }, run = function() end }
    local ok, text = pcall(function()
      for _ = 1, 20 do
        world:progress(1)
        world:spawn_many(1000, { Place })
      end
    end)
    assert.is_false(ok)
    assert.truthy(text:find("a grid: ", 1, true)
      or text:find("spawn_many", 1, true), text)
  end)

  it("a function with a loop over box is plain Lua and says so", function()
    local scene = make()
    local near, reason = scene.near, nil
    local kept = ecs.on_fallback
    ecs.on_fallback = function(_, _, why) reason = why end
    scene.world:system { name = "ask", query = { Speed, read = { Place } },
      uses = { near },
      each = function(s, p)
        s.x = 0
        for _ in near:box(p.x - 1, p.y - 1, p.x + 1, p.y + 1) do
          s.x = s.x + 1
        end
      end }
    scene.world:progress(1)
    ecs.on_fallback = kept
    assert.truthy(reason)
    assert.equal(2, scene.world:get(scene.ids[1], Speed, "x"))
    assert.equal(3, scene.world:get(scene.ids[2], Speed, "x"))
  end)
end)

describe("the end of a grid", function()
  it("comes with its world", function()
    local scene = make()
    local near = scene.near
    local step = near:within(5, 0, 3)
    step()
    scene.world:close()
    refuses(function() near:count(1, 0, 1) end, "the world of this grid is")
    refuses(function() near:build() end, "the world of this grid is closed")
    refuses(function() step() end, "the world of this grid is closed")
  end)

  it("comes with its last reference, and frees its memory", function()
    local scene = make()
    scene.near:count(1, 0, 1)
    assert.equal(1, scene.world:stats().grids)
    assert.is_true(scene.world:stats().grid_bytes > 100)
    scene.near = nil
    for _ = 1, 4 do collectgarbage() end
    assert.equal(0, scene.world:stats().grids)
    assert.equal(0, scene.world:stats().grid_bytes)
  end)

  it("does not come with the query that a script had", function()
    local scene = make()
    local near = scene.world:grid {
      query = scene.world:query { Place, without = { Mark } },
      at = { Place, "x", "y" }, cell = 1,
    }
    for k = 1, 300 do -- a world keeps 256 of them
      scene.world:query { with = { ecs.tag("GridTag" .. k) } }
    end
    for _ = 1, 4 do collectgarbage() end
    assert.equal(10, near:count(5, 0, 100))
  end)

  it("changes no hash", function()
    local scene = make()
    local other = make()
    other.near:count(1, 0, 1)
    scene.near = nil
    assert.equal(scene.world:hash(), other.world:hash())
  end)
end)

describe("grid", function()
  local world = ecs.world {}
  local good = { query = { Place }, at = { Place, "x", "y" }, cell = 1 }
  local function refused(change, ...)
    local spec, wanted = {}, { ... }
    for key, value in pairs(good) do spec[key] = value end
    for key, value in pairs(change) do spec[key] = value end
    local text = refuses(function() world:grid(spec) end)
    for _, part in ipairs(wanted) do
      assert.truthy(text:find(part, 1, true), text)
    end
  end

  it("says what is wrong with its table", function()
    refuses(function() world:grid() end, "grid: takes a table")
    refused({ size = 3 }, "has no option 'size'", "query, at, cell")
    refuses(function() world:grid { at = good.at, cell = 1 } end,
      "grid: needs a query")
    refused({ query = { Place, changed = { Place } } }, "has changed")
    refused({ query = { Placee = 1 } }, "grid: query: has no 'Placee'")
    refused({ query = {} }, "grid: query: is empty")
    refused({ query = ecs.world {}:query { Place } },
      "its query belongs to another world")
    refused({ query = { Speed } }, "the query does not read GridPlace")
    refused({ query = { Speed, with = { Place } } }, "does not read GridPlace")
    refused({ at = 3 }, "at is a component and its fields")
    refused({ at = { "x", "y" } }, "at begins with a component")
    refused({ at = { Place, "x" } }, "at names two fields", "not 1")
    refused({ at = { Place, "x", "y", "z", "w" } }, "at names two fields")
    refused({ at = { Place, "x", "q" } }, "GridPlace has no field 'q'")
    refused({ at = { Place, "x", 2 } }, "the fields of GridPlace are names")
    refused({ at = { Place, "x", "y", cell = 1 } }, "an entry under 'cell'")
    refused({ at = { Mark, "x", "y" }, query = { with = { Mark } } },
      "GridMark is a tag")
    refused({ query = { Odd }, at = { Odd, "x", "b" } }, "GridOdd.b is bool")
    refused({ query = { Odd }, at = { Odd, "x", "e" } }, "GridOdd.e is entity")
    for _, cell in ipairs { 0, -1, 0 / 0, 1 / 0, 1e-310, "4", false } do
      refused({ cell = cell }, "cell is the length of a cell's sides")
    end
    refuses(function() world.grid({}, good) end, "grid is called with ':'")
  end)

  it("says what is wrong with a question", function()
    local near = world:grid(good)
    refuses(function() near:within(1, 2) end, "within takes x, y, radius")
    refuses(function() near:within(1, 2, 3, 4) end, "not 4 arguments")
    refuses(function() near:within(1, nil, 3) end, "within: y is a number")
    refuses(function() near:within(1, 2, -1) end, "from 0 on, not -1")
    refuses(function() near:count(1, 2, 0 / 0) end, "count: radius is")
    refuses(function() near:any(1, 2, 3, "e") end, "any: except, an entity,")
    refuses(function() near:nearest("1", 2, 3) end, "nearest: x is a number")
    refuses(function() near:box(1, 2, 3) end, "box takes x0, y0, x1, y1")
    refuses(function() near:each_pair() end, "each_pair takes a radius")
    refuses(function() near.within(1, 2, 3) end, "is called with ':'")
    refuses(function() near:around(1, 2, 3) end, "a grid has no method",
      "within")
    refuses(function() near.cell = 3 end, "nothing can be stored")
    local deep = world:grid { query = { read = { ecs.component("GridDeep", {
      x = "f32", y = "f32", z = "f32" }) } }, at = { ecs.component("GridDeep", {
      x = "f32", y = "f32", z = "f32" }), "x", "y", "z" }, cell = 1 }
    refuses(function() deep:within(1, 2, 3) end, "takes x, y, z, radius")
    assert.equal(0, deep:count(1, 2, 3, 4))
  end)

  it("says what is wrong with uses", function()
    local near = world:grid(good)
    local function define(uses)
      world:system { name = "s", run = function() end, uses = uses }
    end
    refuses(function() define(near) end, "uses is a list of grids")
    refuses(function() define { 3 } end, "uses lists grids", "entry 1 is 3")
    refuses(function() define { near, ecs.world {} } end, "entry 2")
    local other = ecs.world {}
    refuses(function()
      other:system { name = "s", run = function() end, uses = { near } }
    end, "is a grid of another world")
    define {}
    define { near }
  end)

  it("explains what is in it", function()
    local scene = make()
    scene.near:count(1, 0, 3)
    local text = scene.near:explain()
    assert.truthy(text:find("10 rows in 6 cells", 1, true), text)
    assert.truthy(text:find("a cell of 3 suits it", 1, true), text)
    assert.equal("ecs.Grid (a grid)", tostring(scene.near))
  end)
end)
