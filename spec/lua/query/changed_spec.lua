-- Queries with changed: what a system passes over, and what it must not.

local ecs = require "ecs"
local refuses = dofile("spec/support/support.lua").refuses

local Place = ecs.component("ChangedPlace", { x = "f32", y = "f32" })
local Copy = ecs.component("ChangedCopy", { x = "f32" })
local Probe = ecs.component("Probe", {
  dt = "f64", tick = "u32", who = "entity",
})
local Mark = ecs.tag "ChangedMark"
local Other = ecs.component("ChangedOther", { x = "f32" })

local ROWS, BLOCK = 4000, 1024

-- How the components of a world are stored.
local storages = {
  ["one group"] = function() end,
  ["sparse sets"] = function(world) world:ungroup { Place, Copy, Mark } end,
  ["two groups"] = function(world)
    world:ungroup { Place, Copy }
    world:group { Place, Other }
  end,
  ["tags as bits"] = function(world)
    world:group({ Mark }, { storage = "bits" })
  end,
}
local storage_names = { "one group", "sparse sets", "two groups",
                        "tags as bits" }

-- Systems that look at each Place that has changed; read returns how many they
-- have seen since, and the entities.
local kinds = {
  plain = function(world, seen)
    world:system { name = "look", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function(_, _, e) seen[e] = true end }
  end,
  batch = function(world, seen)
    world:system { name = "look",
      query = { read = { Place }, changed = { Place } },
      batch = function(batch)
        for i = 1, batch.count do seen[batch.entities[i]] = true end
      end }
  end,
  compiled = function(world, seen)
    world:system { name = "look", compile = "whole",
      query = { Copy, changed = { Place } },
      each = function(c) c.x = c.x + 1 end }
    world:system { name = "tell", after = "look", run = function()
      local copies = world:query { Copy }
      for e, c in copies:rows() do
        if c.x > 0 then
          seen[e] = true
          c.x = 0
        end
      end
    end }
  end,
}
local kind_names = { "plain", "batch", "compiled" }

--- A world of a storage with a system of a kind that has seen everything.
local function prepare(storage, kind)
  local world, seen = ecs.world {}, {}
  storages[storage](world)
  world:spawn_many(ROWS, { Place, Copy }, function() end)
  local entities = {}
  for e in world:query({ Place }):rows() do entities[#entities + 1] = e end
  kinds[kind](world, seen)
  local function frame()
    for e in pairs(seen) do seen[e] = nil end
    world:progress(1)
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    return count, seen
  end
  assert.equal(ROWS, (frame()))
  assert.equal(0, (frame()))
  return world, entities, frame
end

-- Every way to write a Place, or to give one: each says which entity it was.
local writers = {
  ["set with a value"] = function(world, e)
    world:set(e, Place { x = 1 })
  end,
  ["set of a field"] = function(world, e) world:set(e, Place, "x", 2) end,
  ["set of two fields"] = function(world, e)
    world:set(e, Place, "x", 2, "y", 3)
  end,
  ["set with a table"] = function(world, e) world:set(e, Place, { y = 3 }) end,
  ["a setter"] = function(world, e) world:setter(Place, "x")(e, 4) end,
  ["add"] = function(world, e)
    world:remove(e, Place)
    world:add(e, Place { x = 5 })
  end,
  ["rows"] = function(world, e)
    for found, p in world:query({ Place }):rows() do
      if found == e then
        p.x = 6
        break
      end
    end
  end,
  ["each"] = function(world)
    world:query({ Place }):each(function(p) p.x = 7 end)
  end,
  ["each as plain Lua"] = function(world)
    world:query({ Place }):each(function(p)
      assert(tostring(p))
      p.x = 7
    end)
  end,
  ["batch"] = function(world)
    world:query({ Place }):batch(function(batch)
      for i = 1, batch.count do batch.ChangedPlace.x[i] = 8 end
    end)
  end,
  ["query:set"] = function(world) world:query({ Place }):set(Place, "x", 9) end,
  ["a recorded set"] = function(world, e)
    world:query({ read = { Copy } }):each(function(_, found)
      if found == e then world:set(e, Place, "x", 10) end
    end)
  end,
  ["a recorded remove and add"] = function(world, e)
    world:query({ read = { Copy } }):each(function(_, found)
      if found == e then
        world:remove(e, Place)
        world:add(e, Place { x = 11 })
      end
    end)
  end,
  ["replace"] = function(world, e)
    world:remove(e, Place)
    world:add(e, Other)
    world:replace(e, Other, Place { x = 12 })
  end,
  ["query:add"] = function(world, e)
    world:remove(e, Place)
    world:query({ with = { Copy }, without = { Place } }):add(Place { x = 13 })
  end,
  ["another component"] = function(world, e) world:add(e, Mark) end,
}
local writer_names = {}
for name in pairs(writers) do writer_names[#writer_names + 1] = name end
table.sort(writer_names)

for _, storage in ipairs(storage_names) do
  for _, kind in ipairs(kind_names) do
    describe("a " .. kind .. " system in " .. storage, function()
      it("sees every way to write", function()
        local world, entities, frame = prepare(storage, kind)
        for k, name in ipairs(writer_names) do
          local e = entities[(k * 977) % ROWS + 1]
          writers[name](world, e)
          local _, seen = frame()
          if name ~= "another component" then
            assert.is_true(seen[e], name)
          end
          assert.equal(0, (frame()), name)
        end
      end)

      it("sees what is spawned, and no more than a few blocks", function()
        local world, entities, frame = prepare(storage, kind)
        local born = world:spawn(Place, Copy)
        local count, seen = frame()
        assert.is_true(seen[born])
        assert.is_true(count <= BLOCK, count)
        world:set(entities[2000], Place, "x", 3)
        count = frame()
        assert.is_true(count >= 1 and count <= BLOCK, count)
      end)
    end)
  end
end

describe("a system whose query has changed", function()
  local world, a, seen
  before_each(function()
    world, seen = ecs.world {}, 0
    a = world:spawn(Place, Copy)
    world:spawn(Place, Copy)
  end)

  local function frame()
    seen = 0
    world:progress(1)
    return seen
  end

  it("does not see what it writes itself", function()
    world:system { name = "s", compile = false,
      query = { Place, changed = { Place } },
      each = function(p)
        p.x = p.x + 1
        seen = seen + 1
      end }
    assert.equal(2, frame())
    assert.equal(0, frame())
    world:set(a, Place, "x", 5)
    assert.equal(2, frame()) -- of one block
    assert.equal(0, frame())
  end)

  it("does not see what it sets in other entities", function()
    world:system { name = "s", compile = false,
      query = { read = { Copy }, changed = { Copy, Place } },
      each = function()
        world:set(a, Place, "x", seen)
        seen = seen + 1
      end }
    assert.equal(2, frame())
    assert.equal(0, frame())
  end)

  it("sees what it has recorded", function()
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function()
        seen = seen + 1
        if seen == 1 and world:query({ Place }):count() < 4 then
          world:spawn(Place, Copy)
        end
      end }
    assert.equal(2, frame())
    assert.equal(3, frame())
    assert.equal(4, frame())
    assert.equal(0, frame())
  end)

  it("sees what other systems write, whatever their order", function()
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function() seen = seen + 1 end }
    world:system { name = "before", before = "s", query = { Place },
      each = function(p) p.x = p.x + 1 end }
    assert.equal(2, frame())
    assert.equal(2, frame())
    world:remove_system "before"
    assert.equal(0, frame())
    world:system { name = "after", after = "s", query = { Place },
      each = function(p) p.x = p.x + 1 end }
    assert.equal(0, frame())
    assert.equal(2, frame())
  end)

  it("sees rows of each of several components", function()
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place, Copy } },
      each = function() seen = seen + 1 end }
    frame()
    world:set(a, Copy, "x", 1)
    assert.equal(2, frame())
    world:set(a, Place, "x", 1)
    assert.equal(2, frame())
    assert.equal(0, frame())
  end)

  it("sees a tag that is added", function()
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Mark } },
      each = function(_, _, e)
        assert.equal(a, e)
        seen = seen + 1
      end }
    assert.equal(0, frame())
    world:add(a, Mark)
    assert.equal(1, frame())
    assert.equal(0, frame())
  end)

  it("sees what begins to match because something else has gone", function()
    for _, components in ipairs { {}, { Mark } } do
      world = ecs.world {}
      if components[1] then world:ungroup(components) end
      a = world:spawn(Place, Mark)
      world:system { name = "s", compile = false,
        query = { read = { Place }, without = { Mark }, changed = { Place } },
        each = function() seen = seen + 1 end }
      assert.equal(0, frame())
      world:remove(a, Mark)
      assert.equal(1, frame())
      assert.equal(0, frame())
    end
  end)

  it("sees again what a run that failed has seen", function()
    local fails = true
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function()
        seen = seen + 1
        if fails then error("no", 0) end
      end }
    assert.is_false(pcall(world.progress, world, 1))
    fails = false
    assert.equal(2, frame())
    assert.equal(0, frame())
  end)

  it("sees rows whose view was kept over its run", function()
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function() seen = seen + 1 end }
    local step, state, start = world:query({ Place }):rows()
    local _, p = step(state, start)
    p.x = 1
    world:progress(1)
    p.x = 2
    assert.equal(2, frame())
    assert.equal(0, frame())
  end)

  it("runs a native kernel over what changed", function()
    assert(ecs.load_native "probe")
    world = ecs.world {}
    local entities = {}
    for k = 1, ROWS do entities[k] = world:spawn(Probe) end
    world:system { name = "s", query = { Probe, changed = { Probe } },
      native = "probe.tell" }
    local function told(dt)
      world:progress(dt)
      local count = 0
      for _, p in world:query({ read = { Probe } }):rows() do
        if p.dt == dt then count = count + 1 end
      end
      return count
    end
    assert.equal(ROWS, told(1))
    assert.equal(0, told(2))
    world:set(entities[3000], Probe, "dt", 9)
    assert.equal(BLOCK, told(3))
    assert.equal(3, world:get(entities[3000], Probe, "dt"))
    assert.equal(0, told(4))
  end)

  it("sees with flush = 'frame' what the frame has recorded", function()
    world = ecs.world { flush = "frame" }
    a = world:spawn(Copy)
    world:system { name = "s", compile = false,
      query = { read = { Place }, changed = { Place } },
      each = function() seen = seen + 1 end }
    world:system { name = "give", after = "s", query = { read = { Copy } },
      each = function(_, _, e) world:add(e, Place) end }
    assert.equal(0, frame())
    assert.equal(1, frame())
    assert.equal(0, frame())
  end)
end)

describe("a query with changed", function()
  local world, a, query
  before_each(function()
    world = ecs.world {}
    a = world:spawn(Place)
    query = world:query { Place, changed = { Place } }
  end)

  local function have()
    world:system { name = "s", query = query, each = function(p) p.y = 1 end }
  end

  it("cannot be used while no system has it", function()
    local message = "no system has this query: changed means since its system "
      .. "last ran"
    refuses(function() query:count() end, message)
    refuses(function() query:each(function() end) end, message)
    refuses(function() query:batch(function() end) end, message)
    refuses(function() for _ in query:rows() do error("a row") end end, message)
    refuses(function() query:set(Place, "x", 1) end, message)
    have()
    assert.equal(1, query:count())
    world:remove_system "s"
    refuses(function() query:count() end, message)
  end)

  it("changes nothing by counting and walking", function()
    have()
    world:progress(1)
    world:set(a, Place, "x", 1)
    for _ = 1, 2 do
      assert.equal(1, query:count())
      query:each(function() end)
      for _ in query:rows() do end
      query:batch(function() end)
    end
    world:progress(1)
    assert.equal(0, query:count())
  end)

  it("has one system", function()
    have()
    refuses(function()
      world:system { name = "t", query = query, each = function() end }
    end, "system 't': its query has changed, which means since its system last "
      .. "ran, and system 's' has it")
    have() -- again
    assert.equal(1, query:count())
    world:remove_system "s"
    world:system { name = "t", query = query, each = function() end }
  end)

  it("is never that of another description", function()
    assert.not_equal(query, world:query { Place, changed = { Place } })
    assert.equal(world:query { Place }, world:query { Place })
    assert.equal("ecs.Query (query { ChangedPlace, changed = "
      .. "{ ChangedPlace } })", tostring(query))
  end)

  it("changes in bulk what it would show", function()
    have()
    world:spawn_many(3 * BLOCK, { Place }, function() end)
    world:progress(1)
    world:set(a, Place, "x", 5)
    query:set(Place, "x", 7)
    local count = 0
    for _, p in world:query({ read = { Place } }):rows() do
      if p.x == 7 then count = count + 1 end
    end
    assert.equal(BLOCK, count)
  end)

  it("refuses what it cannot mean", function()
    refuses(function() world:query { Place, changed = {} } end,
      "query: changed is empty")
    refuses(function() world:query { Place, changed = Place } end,
      "query: changed is a list, as in changed = { Position }")
    refuses(function() world:query { Place, changed = { Place, Place } } end,
      "query: changed: names ChangedPlace twice")
    refuses(function() world:query { Place, changed = { "Place" } } end,
      "query: changed: takes components and tags, not a string")
    refuses(function()
      world:query { Copy, without = { Place }, changed = { Place } }
    end, "query: names ChangedPlace in changed and in without")
  end)

  it("is explained", function()
    have()
    assert.truthy(world:explain("s"):find(
      "changes of ChangedPlace, by blocks of 1024 rows", 1, true))
  end)
end)

-- A copy of what others write, brought up to date where it changed, is what it
-- would be if it were always brought up to date.
describe("a program", function()
  local function random(seed)
    return function(n)
      seed = (seed * 16807) % 2147483647
      return seed % n + 1
    end
  end

  local function run(storage, changed, compile, seed)
    local world, draw, entities = ecs.world {}, random(seed), {}
    storages[storage](world)
    world:system { name = "copy", compile = compile,
      query = { Copy, read = { Place }, without = { Mark },
                changed = changed and { Place, Copy } or nil },
      each = function(c, p) c.x = p.x * 2 + p.y end }
    world:system { name = "move", compile = compile, after = "copy",
      query = { Place, with = { Other } },
      each = function(p) p.x = p.x + 1 end }
    for k = 1, 40 do entities[k] = world:spawn(Place { x = k }, Copy) end
    for _ = 1, 300 do
      local k, kind = draw(#entities), draw(9)
      local e = entities[k]
      if not world:alive(e) or kind == 1 then
        entities[k] = world:spawn(Place { y = k }, Copy)
      elseif kind == 2 then world:set(e, Place, "x", draw(100))
      elseif kind == 3 then world:add(e, Mark)
      elseif kind == 4 then world:remove(e, Mark)
      elseif kind == 5 then world:add(e, Other)
      elseif kind == 6 then world:remove(e, Other)
      elseif kind == 7 then world:remove(e, Place)
      elseif kind == 8 then world:add(e, Place { x = draw(9) })
      else world:destroy(e) end
      if draw(3) == 1 then world:progress(1) end
    end
    world:query({ with = { Mark } }):remove(Mark)
    world:progress(1)
    local sum, rows = 0, 0
    for _, c, p in world:query({ read = { Copy, Place } }):rows() do
      sum, rows = sum + c.x * 3 + p.x, rows + 1
    end
    return sum, rows
  end

  for seed = 1, 6 do
    it("has the same result without changed: " .. seed, function()
      local sum, rows = run("one group", false, true, seed)
      for _, storage in ipairs(storage_names) do
        for _, compile in ipairs { true, false } do
          local found, count = run(storage, true, compile, seed)
          assert.equal(sum, found, storage)
          assert.equal(rows, count)
        end
      end
    end)
  end
end)
