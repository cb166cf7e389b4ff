--- trace_spec: world:trace writes what frames do, by the rules of the format.

local ecs = require "ecs"
local json = require "spec.support.json"

local Part = ecs.component("TracePart", { x = "f32" })

local path = os.tmpname()

local function read_file()
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

--- The slices of a trace, once they are seen to be right: times that begin at 0
-- or later; systems in their frame, one after the other.
local function slices()
  local trace = json.read(read_file())
  assert.equal("ms", trace.displayTimeUnit)
  local from, behind = 0, 0
  for _, event in ipairs(trace.traceEvents) do
    assert.equal("X", event.ph)
    assert.equal("string", type(event.name))
    assert.is_true(event.ts >= 0 and event.dur >= 0)
    assert.is_true(event.pid == 1 and event.tid == 1)
    if event.cat == "frame" then
      assert.is_true(event.ts <= from + 0.01)
      assert.is_true(event.ts + event.dur >= behind - 0.01)
      from, behind = event.ts + event.dur, event.ts + event.dur
    else
      assert.is_true(event.ts >= behind - 0.01)
      if behind == from then from = event.ts end
      behind = event.ts + event.dur
    end
  end
  return trace.traceEvents
end

local function names()
  local list = {}
  for _, event in ipairs(slices()) do list[#list + 1] = event.name end
  return table.concat(list, " ")
end

local function make()
  local world = ecs.world { phases = { "update", "draw" } }
  world:spawn_many(30, { Part })
  world:system { name = "move", query = { Part },
    each = function(p) p.x = p.x + 1 end }
  world:system { name = "kill", query = { Part }, compile = false,
    each = function(p, _, e) if p.x == 2 then world:destroy(e) end end }
  world:system { name = "show", phase = "draw", run = function() end }
  world:system { name = "off", enabled = false, run = function() end }
  world:system { name = "seldom", every = 10, run = function() end }
  return world
end

describe("world:trace", function()
  teardown(function() os.remove(path) end)

  it("writes when systems ran, over how many rows, and what changed", function()
    local world = make()
    assert.is_true(world:trace(path, 2))
    world:progress(0)
    world:progress(0)
    local list = slices()
    assert.equal("move kill show frame 1 move kill show frame 2", names())
    assert.equal("update", list[1].cat)
    assert.equal("draw", list[3].cat)
    assert.equal(30, list[1].args.rows)
    assert.equal(0, list[1].args.changes)
    assert.is_true(list[6].args.changes > 0)
    world:close()
  end)

  it("ends with the last frame", function()
    local world = make()
    assert.is_true(world:trace(path, 1))
    world:progress(0)
    local text = read_file()
    world:progress(0)
    world:run("draw", 0)
    assert.equal(text, read_file())
    assert.is_true(world:trace(path, 1))
    world:run("draw", 0)
    assert.equal("show frame 1", names())
    world:close()
  end)

  it("is complete after each frame, and when the world closes", function()
    local world = make()
    assert.is_true(world:trace(path))
    for frame = 1, 5 do
      world:progress(0)
      assert.matches("frame " .. frame .. "$", names())
    end
    local text = read_file()
    world:close()
    assert.equal(text, read_file())
  end)

  it("ends with a frame that closes the world", function()
    local world = make()
    world:system { name = "close", run = function(same) same:close() end,
      before = "kill", after = "move" }
    assert.is_true(world:trace(path, 10))
    world:progress(0)
    assert.equal("move close frame 1", names())
  end)

  it("has the system that raises an error", function()
    local world = make()
    world:system { name = "fail", run = function() error "on purpose" end,
      after = "move", before = "kill" }
    assert.is_true(world:trace(path, 2))
    assert.has_error(function() world:progress(0) end)
    world:remove_system "fail"
    world:progress(0)
    assert.equal("move fail frame 1 move kill show frame 2", names())
    world:close()
  end)

  it("goes on beside a profile", function()
    local world = make()
    world:profile(true)
    assert.is_true(world:trace(path, 1))
    world:progress(0)
    assert.equal(1, world:stats("move").profiled_runs)
    world:progress(0)
    assert.equal(2, world:stats("move").profiled_runs)
    world:profile(false)
    world:progress(0)
    assert.equal(2, world:stats("move").profiled_runs)
    assert.equal("move kill show frame 1", names())
    world:close()
  end)

  it("writes any name", function()
    local world = ecs.world {}
    world:system { name = 'a "b" \\ /', run = function() end }
    world:system { name = "gr\195\188n", run = function() end, phase = "last" }
    assert.is_true(world:trace(path, 1))
    world:progress(0)
    local list = slices()
    assert.equal('a "b" \\ /', list[1].name)
    assert.equal("gr\195\188n", list[2].name)
    world:close()
  end)

  it("answers nil and why where the file cannot be written", function()
    local world = make()
    local done, why = world:trace("/nowhere/at/all.json", 1)
    assert.is_nil(done)
    assert.matches("nowhere", why)
    world:progress(0)
    world:close()
  end)

  it("refuses wrong arguments, and a second trace", function()
    local world = make()
    for _, wrong in ipairs { {}, { 5 }, { "a\0b", 1 }, { path, 0 },
      { path, 1.5 }, { path, 0 / 0 }, { path, "many" }, { path, 1e7 } } do
      local ok, text = pcall(function()
        local done = world:trace(wrong[1], wrong[2])
        return done
      end)
      assert.is_false(ok)
      assert.matches("trace_spec.lua:%d+: ecs: trace takes ", text)
    end
    assert.is_true(world:trace(path, 5))
    assert.error_matches(function() world:trace(path, 5) end,
      "ecs: trace: a trace is being written")
    world:close()
    assert.error_matches(function() world:trace(path, 5) end, "closed")
  end)
end)
