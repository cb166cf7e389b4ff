-- world:explain, world:explain("name") and world:stats.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Stunned =
  scene.Position, scene.Velocity, scene.Stunned
local Tall = ecs.component("Tall", { a = "f64", b = "u8", c = "u16",
  d = "entity", e = "bool", f = "i32" })
local Seen = ecs.tag("Seen", { storage = "bits" })

local function says(text, ...)
  for _, wanted in ipairs { ... } do
    assert.truthy(text:find(wanted, 1, true), text)
  end
end

local function nothing() end

local world
before_each(function() world = ecs.world {} end)

describe("world:explain", function()
  it("of an empty world tells all of it", function()
    assert.equal(table.concat({
      "0 entities in 1 group with 1 table, 0 bytes of rows",
      "main group 0: no components",
      "  table {}: 0 rows of 0, 0 bytes",
      "flush: recorded changes are applied after each system",
      "phase first: 0 systems",
      "phase update: 0 systems",
      "phase last: 0 systems",
    }, "\n"), world:explain())
  end)

  it("tells groups, tables and components, with their storage and bytes",
    function()
      world:spawn_many(100, { Position, Velocity })
      world:spawn_many(3, { Position, Stunned, Seen })
      assert.equal(table.concat({
        "103 entities in 2 groups with 4 tables, 3672 bytes of rows",
        "main group 0: Position, Velocity, Seen (bits)",
        "  table {}: 0 rows of 0, 0 bytes",
        "  table { Position, Velocity }: 100 rows of 112, 2968 bytes",
        "  table { Position }: 3 rows of 16, 448 bytes",
        "sparse set 1: Stunned",
        "  table { Stunned }: 3 rows of 16, 256 bytes",
        "component Position: x f32, y f32; group 0, 103 entities, 824 bytes",
        "component Velocity: x f32, y f32; group 0, 100 entities, 800 bytes",
        "tag Stunned: group 1, 3 entities",
        "tag Seen: bits of group 0, 3 entities",
        "flush: ",
      }, "\n"), world:explain():match("^.-\nflush: "))
    end)

  it("shows what grouping changes", function()
    world:spawn(Position, Velocity, Stunned)
    world:group { Velocity, Stunned }
    says(world:explain(), "main group 0: Position\n",
      "group 1: Velocity, Stunned\n  table { Velocity, Stunned }: 1 row of 16",
      "component Velocity: x f32, y f32; group 1, 1 entity, 8 bytes")
  end)

  it("tells systems in the order in which they run", function()
    assert(ecs.load_native "physics")
    world = ecs.world { flush = "frame" }
    world:system { name = "show", phase = "last", run = nothing }
    world:system { name = "move", query = { Position }, batch = nothing }
    world:system { name = "fall", query = { Position, Velocity },
      native = "physics.gravity", before = "move", enabled = false }
    says(world:explain(), table.concat({
      "flush: recorded changes are applied after each frame",
      "phase first: 0 systems",
      "phase update: 2 systems",
      "  fall: native physics.gravity, disabled",
      "  move: batch",
      "phase last: 1 system",
      "  show: run",
    }, "\n"))
    world:enable("fall", true)
    world:remove_system("show")
    says(world:explain(), "fall: native physics.gravity\n",
      "phase last: 0 systems")
  end)

  it("tells systems as they were defined when they have no order", function()
    world:system { name = "a", run = nothing, after = "b" }
    world:system { name = "b", run = nothing, after = "a", enabled = false }
    says(world:explain(), table.concat({
      "2 systems without an order: systems wait for each other: "
        .. "'a' before 'b' before 'a'",
      "  a: run, phase update",
      "  b: run, disabled, phase update",
    }, "\n"))
    says(world:explain("b"), "system b: run, disabled; phase update\n")
  end)

  it("is the same for the same program, whatever else was made", function()
    local texts = {}
    for k = 1, 2 do
      local other = ecs.world {}
      for _ = 1, k * 50 do other:query { Position } end
      collectgarbage()
      for _ = 1, 20 * k do texts[{}] = k end
      world = ecs.world {}
      for i = 1, 40 do
        local e = world:spawn(Position)
        if i % 3 == 0 then world:add(e, Velocity) end
        if i % 5 == 0 then world:add(e, Seen) end
        if i % 7 == 0 then world:destroy(e) end
      end
      texts[k] = world:explain()
    end
    assert.equal(texts[1], texts[2])
  end)

  it("can be asked inside a callback, and changes nothing", function()
    world:spawn(Position)
    local query = world:query { Position }
    local hash, inside = world:hash(), nil
    query:batch(nothing) -- which makes it meet all definitions
    local text = world:explain()
    query:batch(function() inside = world:explain() end)
    assert.equal(text, inside)
    assert.equal(hash, world:hash())
  end)
end)

describe("world:explain of a system", function()
  it("tells its plan and its bytes", function()
    world:spawn_many(100, { Position, Velocity })
    world:system { name = "first", run = nothing }
    world:system { name = "move", query = { Position, read = { Velocity } },
      batch = nothing }
    assert.equal(table.concat({
      "system move: batch; 2 of 2 in phase update",
      "  calls a Lua function for each batch of rows",
      "  query { Position, read = { Velocity } }",
      "  16 bytes a row, 8 of them written; 1600 bytes in 100 rows",
      "  full plan, 100 rows match",
      "    main group 0: 1 of 2 tables, 100 rows",
      "      write Position",
      "      read Velocity",
      "    columns in place, a batch per table",
    }, "\n"), world:explain("move"))
    assert.equal("system first: run; 1 of 2 in phase update\n"
      .. "  calls a Lua function once a frame", world:explain("first"))
  end)

  it("counts what may be read and written, filters and tags not", function()
    world:spawn(Tall, Position, Stunned, Seen)
    world:system { name = "s", query = { Seen, read = { Tall },
      optional = { Velocity }, with = { Position }, without = { Stunned } },
      batch = nothing }
    says(world:explain("s"),
      "32 bytes a row, 8 of them written; 0 bytes in 0 rows", "partial plan")
  end)

  it("tells the kernel of a native one", function()
    assert(ecs.load_native "physics")
    world:system { name = "g", query = { Position, Velocity },
      native = "physics.gravity" }
    says(world:explain("g"), "system g: native physics.gravity; 1 of 1",
      "calls a kernel of a native library")
  end)

  it("is refused where there is none", function()
    refuses(function() world:explain("x") end, "explain", "'x'")
    refuses(function() world:explain(3) end, "explain", "not 3")
    refuses(function() world.explain("x") end, "world:explain(...)")
  end)
end)

describe("world:stats", function()
  it("has numbers of these names and no others", function()
    local names = {}
    for name, value in pairs(world:stats()) do
      assert.equal("number", type(value))
      names[#names + 1] = name
    end
    table.sort(names)
    assert.same({ "bytes", "components", "dropped", "dropped_events",
      "dropped_steps",
      "entities", "frames", "grid_bytes", "grids", "groups", "memory_limit",
      "peak_bytes", "queries",
      "retired", "state_bytes", "state_memory_limit", "systems", "tables" },
      names)
  end)

  it("counts what there is", function()
    local first = world:spawn(Position)
    world:spawn(Position, Stunned)
    local query = world:query { Position }
    world:system { name = "a", query = query, batch = nothing }
    world:system { name = "b", enabled = false, run = nothing }
    local stats = world:stats()
    assert.equal(2, stats.entities)
    assert.equal(2, stats.components)
    assert.equal(2, stats.groups)
    assert.equal(3, stats.tables)
    assert.equal(1, stats.queries)
    assert.equal(2, stats.systems)
    assert.equal(0, stats.frames)
    assert.equal(0, stats.dropped)
    assert.equal(0, stats.retired)
    assert.is_true(stats.bytes > 0 and stats.peak_bytes >= stats.bytes)
    world:destroy(first)
    world:progress(1)
    world:run("last", 1)
    pcall(world.run, world, "none", 1)
    assert.equal(1, world:stats().entities)
    assert.equal(2, world:stats().frames)
    assert.equal(2, stats.entities) -- a table of its own
  end)

  it("counts changes that were dropped, not those taken back", function()
    local query = world:query { read = { Position } }
    local first, second = world:spawn(Position), world:spawn(Position)
    query:batch(function()
      world:destroy(first)
      world:add(first, Stunned)
      world:set(first, Velocity, "x", 1)
    end)
    assert.equal(2, world:stats().dropped)
    assert.is_false((pcall(query.batch, query, function()
      world:destroy(second)
      world:add(second, Stunned)
      assert.equal(3, world:stats().dropped)
      error "stop"
    end)))
    assert.equal(2, world:stats().dropped)
  end)

  it("counts one query for the same terms, whoever has it", function()
    world:progress(1) -- which asks for events, if there are any in this state
    local before = world:stats().queries
    for _ = 1, 1000 do
      world:system { name = "s", query = { Position }, batch = nothing }
      world:query { Position }
    end
    world:progress(1)
    assert.equal(before + 1, world:stats().queries)
    world:remove_system("s")
    collectgarbage()
    collectgarbage()
    assert.equal(before + 1, world:stats().queries)
    assert.equal(0, world:stats().systems)
  end)

  it("keeps 256 queries, and others while something refers to them", function()
    local tags, kept = {}, {}
    for k = 1, 20 do tags[k] = ecs.tag("ExplainQuery" .. k) end
    local function ask(k)
      return world:query { with = { tags[k % 20 + 1] },
                           without = { tags[(k % 20 + math.floor(k / 20)) % 20
                             + 1] } }
    end
    for k = 20, 339 do kept[k] = ask(k) end
    collectgarbage()
    collectgarbage()
    local full = world:stats()
    assert.equal(320, full.queries)
    for k = 20, 339 do assert.equal(kept[k], ask(k)) end
    kept = nil
    collectgarbage()
    collectgarbage()
    assert.equal(256, world:stats().queries)
    assert.is_true(world:stats().bytes < full.bytes)
    assert.is_true(world:stats().peak_bytes >= full.bytes)
    assert.equal(0, ask(20):count())
    assert.is_nil(kept)
  end)
end)
