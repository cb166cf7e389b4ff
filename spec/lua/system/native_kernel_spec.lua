-- Native kernels: loading libraries, matching kernels with queries, and the
-- arguments of kernels. The libraries are spec/kernels/*.c and
-- examples/05_native_kernel.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity = scene.Position, scene.Velocity
local Probe = ecs.component("Probe", {
  dt = "f64", tick = "u32", who = "entity",
})
local Beat = ecs.event("ProbeBeat", {
  damage = "f64", heard = "f64", who = "entity",
})
local Extra = ecs.component("Extra", { value = "f32" }, { storage = "sparse" })

describe("load_native", function()
  it("gives the names of a library's kernels, every time", function()
    local names = assert(ecs.load_native "probe")
    assert.same({ "probe.tell", "probe.choose", "probe.deepen",
      "probe.beat", "probe.mistype", "probe.paint", "probe.wild",
      "probe.slide" }, names)
    assert.same(names, (ecs.load_native "probe"))
  end)

  it("says where it looked for what is not there", function()
    local names, text = ecs.load_native "no_such_library"
    assert.is_nil(names)
    assert.truthy(text:find("ecs: no library 'no_such_library'", 1, true), text)
    assert.truthy(text:find("no_such_library.so", 1, true), text)
  end)

  it("refuses a library built against another header", function()
    local names, text = ecs.load_native "outdated"
    assert.is_nil(names)
    assert.truthy(text:find("another ecs.h", 1, true), text)
  end)

  it("refuses a file that is no library of kernels", function()
    local path = package.cpath
    package.cpath = "./spec/lua/system/?.lua;" .. path
    local names, text = ecs.load_native "native_kernel_spec"
    package.cpath = path
    assert.is_nil(names)
    assert.truthy(text:find("could not be loaded", 1, true), text)
    names, text = ecs.load_native "ecs.core"
    assert.is_nil(names)
    assert.equal("string", type(text))
  end)

  describe("of a file that has changed", function()
    local folder, path
    before_each(function()
      folder, path = os.tmpname(), package.cpath
      assert(os.remove(folder))
      assert(os.execute("mkdir " .. folder))
      package.cpath = folder .. "/?.so;" .. path
    end)
    after_each(function()
      package.cpath = path
      assert(os.execute("rm -r " .. folder))
    end)

    --- Builds a library anew, as a linker does: a new file takes the name.
    local function put(source, name)
      local made = ("%s/%s.so"):format(folder, name)
      assert(os.execute(("cp build/kernels/%s.so %s.new && mv %s.new %s")
        :format(source, made, made, made)))
      return made
    end

    it("says so, and that the program must be started again", function()
      local made = put("physics", "rebuilt")
      local names = assert(ecs.load_native "rebuilt")
      assert.same(names, (ecs.load_native "rebuilt"))
      put("probe", "rebuilt")
      for _ = 1, 2 do
        local listed, text = ecs.load_native "rebuilt"
        assert.is_nil(listed)
        assert.equal("ecs: " .. made .. " has changed on disk since 'rebuilt' "
          .. "was loaded from it: restart the program", text)
      end
    end)

    it("sees a file that was written in place", function()
      local made = put("physics", "touched")
      assert(ecs.load_native "touched")
      assert(os.execute("touch -d '2001-02-03 04:05:06' " .. made))
      local listed, text = ecs.load_native "touched"
      assert.is_nil(listed)
      assert.truthy(text:find("touched.so has changed on disk", 1, true), text)
    end)

    it("goes on with the kernels of a file that is gone", function()
      local made = put("physics", "removed")
      local names = assert(ecs.load_native "removed")
      assert(os.remove(made))
      assert.same(names, (ecs.load_native "removed"))
    end)

    it("goes on in systems that use its kernels", function()
      put("physics", "kept")
      local names = assert(ecs.load_native "kept")
      put("probe", "kept")
      assert.is_nil((ecs.load_native "kept"))
      local world = ecs.world {}
      local entity = world:spawn(Position { y = 5 }, Velocity { y = 2 })
      world:system { name = "fall", query = { Position, Velocity },
                     native = names[1] }
      world:progress(1)
      assert.not_equal(2, (world:get(entity, Velocity, "y")))
    end)
  end)

  it("takes a name", function()
    refuses(function() ecs.load_native() end, "name")
    refuses(function() ecs.load_native(3) end, "name")
  end)
end)

describe("a native system", function()
  local world
  before_each(function()
    world = ecs.world {}
    assert(ecs.load_native "probe")
    assert(ecs.load_native "physics")
  end)

  it("gets dt, the tick and the entities of its rows", function()
    local entities = {}
    for k = 1, 100 do entities[k] = world:spawn(Probe) end
    world:system { name = "t", query = { Probe }, native = "probe.tell" }
    world:progress(0.25)
    world:progress(0.5)
    for _, entity in ipairs(entities) do
      assert.same({ dt = 0.5, tick = 2, who = entity },
        world:get(entity, Probe))
    end
  end)

  it("gets how often its phase has begun since one ran in it", function()
    local entity = world:spawn(Probe)
    world:progress(1)
    world:system { name = "t", query = { Probe }, native = "probe.tell",
      phase = "last" }
    world:progress(1)
    world:run("first", 1)
    assert.equal(1, world:get(entity, Probe, "tick"))
    world:run("last", 0.25)
    assert.same({ dt = 0.25, tick = 2, who = entity },
      world:get(entity, Probe))
  end)

  it("gets no column for an optional component that is absent", function()
    local with, without = world:spawn(Probe, Extra), world:spawn(Probe)
    world:system {
      name = "c", query = { Probe, optional = { Extra } },
      native = "probe.choose",
    }
    world:progress(1)
    assert.equal(1, world:get(with, Probe, "dt"))
    assert.equal(2, world:get(without, Probe, "dt"))
  end)

  it("gets the columns of targets, which are computed before", function()
    local nodes = {}
    for k = 1, 50 do nodes[k] = world:spawn(Probe) end
    for k = 1, 49 do
      world:set(nodes[k], ecs.ChildOf { parent = nodes[k + 1] })
    end
    world:system { name = "d", native = "probe.deepen", query = { Probe,
      up = { ecs.ChildOf, read = { Probe } } } }
    world:progress(1)
    for k = 1, 50 do assert.equal(51 - k, world:get(nodes[k], Probe, "dt")) end
    refuses(function()
      world:system { name = "e", query = { Probe }, native = "probe.deepen" }
    end, "kernel deepen reads of targets Probe.dt")
  end)

  for _, flush in ipairs { "system", "frame" } do
    it("meets each event once (flush = '" .. flush .. "')", function()
      world = ecs.world { flush = flush }
      local met = {}
      world:system { name = "beat", query = { Beat }, native = "probe.beat" }
      world:system { name = "note", after = "beat", phase = "last",
        query = { read = { Beat } }, batch = function(batch)
          local row = batch.ProbeBeat
          for i = 1, batch.count do
            met[#met + 1] = { batch.entities[i], row.who[i], row.damage[i],
              row.heard[i] }
          end
        end }
      local function emit(damage)
        return world:emit(Beat { damage = damage, heard = 0 })
      end
      local function same(expected)
        assert.same(expected, met)
        met = {}
      end
      local a, b, c = emit(1), emit(2), emit(3)
      world:progress(1)
      same { { a, a, 1, 1 }, { b, b, 2, 2 }, { c, c, 3, 3 } }
      assert.equal(0, world:query({ Beat }):count())
      -- What a later system emits is met by the kernel in the next frame, and
      -- then by that system, if it did not run between.
      local d, e
      world:system { name = "late", phase = "last", after = "note",
        when = function() return not d end,
        run = function() d = emit(4) end }
      world:progress(1)
      same {}
      e = emit(5)
      world:progress(1)
      same { { d, d, 4, 4 }, { e, e, 5, 5 } }
      -- One that has met an event does not meet it again while others wait.
      local waits = true
      world:system { name = "slow", phase = "last", after = "late",
        query = { read = { Beat } }, when = function() return not waits end,
        each = function() end }
      local f = emit(6)
      for _ = 1, 3 do world:progress(1) end
      assert.equal(6, (world:get(f, Beat, "heard")))
      waits = false
      world:progress(1)
      assert.is_false(world:alive(f))
      -- A thousand: more than a chunk has rows.
      local sum = 0
      for k = 1, 3000 do emit(k) end
      met = {}
      world:progress(1)
      for k, row in ipairs(met) do
        assert.is_true(row[3] == k and row[4] == k and row[1] == row[2])
        sum = sum + row[4]
      end
      assert.equal(3000 * 3001 / 2, sum)
    end)
  end

  it("must be allowed to write the event that its kernel writes", function()
    refuses(function()
      world:system { name = "s", query = { read = { Beat } },
        native = "probe.beat" }
    end, "kernel beat writes ProbeBeat.heard", "system 's'")
  end)

  it("computes what the same loop in Lua computes", function()
    local a = world:spawn(Position { y = 3 }, Velocity { y = 0.1 })
    world:system {
      name = "g", query = { Position, Velocity }, native = "physics.gravity",
    }
    for _ = 1, 100 do world:progress(1 / 64) end
    local native = { world:get(a, Position, "y"), world:get(a, Velocity, "y") }

    local other = ecs.world {}
    local f32 = other:spawn(Position)
    local function round(number)
      other:set(f32, Position, "x", number)
      return (other:get(f32, Position, "x"))
    end
    local y, speed, g, dt = 3, round(0.1), round(9.8), 1 / 64
    for _ = 1, 100 do
      local faster = round(speed - round(g * dt))
      local lower = round(y + round(faster * dt))
      if lower < 0 then y, speed = -lower, -faster
      else y, speed = lower, faster end
    end
    assert.same({ y, speed }, native)
  end)

  it("must fit its query", function()
    refuses(function()
      world:system { name = "s", query = { read = { Probe } },
        native = "probe.tell" }
    end, "kernel tell writes Probe.dt", "system 's'")
    refuses(function()
      world:system { name = "s", query = { Position }, native = "probe.tell" }
    end, "Probe.dt")
    refuses(function()
      world:system { name = "s", query = { Probe }, native = "probe.mistype" }
    end, "Probe.dt as f32")
    world:progress(1)
  end)

  it("must exist", function()
    refuses(function()
      world:system { name = "s", query = { Probe }, native = "probe.none" }
    end, "no kernel 'none'")
    refuses(function()
      world:system { name = "s", query = { Probe }, native = "absent.tell" }
    end, "ecs.load_native")
    refuses(function()
      world:system { name = "s", query = { Probe }, native = "tell" }
    end, "'physics.drag'")
    refuses(function()
      world:system { name = "s", query = { Probe }, native = print }
    end, "native is a string")
    refuses(function()
      world:system { name = "s", native = "probe.tell" }
    end, "needs a query")
  end)
end)
