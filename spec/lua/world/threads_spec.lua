--- threads_spec: the threads of a world: what may be asked for, the results,
-- which do not depend on them, and what explain says.

local ecs = require "ecs"
local support = require "spec.support.support"

local COUNT = 9000

describe("ecs.world { threads = n }", function()
  it("takes whole numbers from 1 to 64, and 'auto'", function()
    for _, threads in ipairs { 1, 2, 64, "auto" } do
      ecs.world { threads = threads }:close()
    end
    for _, wrong in ipairs { 0, 65, 1.5, -1, 0 / 0, 1 / 0, "2", "all", true,
                             {} } do
      local made, text = pcall(function()
        local world = ecs.world { threads = wrong }
        return world
      end)
      assert.is_false(made)
      assert.matches("threads_spec.lua:%d+: ecs: world: threads is a whole "
        .. "number from 1 to 64, or 'auto', not ", text)
    end
  end)

  it("is not in the text of explain where there is one", function()
    for _, options in ipairs { {}, { threads = 1 } } do
      local world = ecs.world(options)
      assert.is_nil(world:explain():find("thread", 1, true))
      world:close()
    end
  end)
end)

local Position = ecs.component("ThreadsPosition", { x = "f32", y = "f32" })
local Velocity = ecs.component("ThreadsVelocity", { x = "f32", y = "f64" })
local Kind = ecs.component("ThreadsKind", { kind = "u8", friend = "entity" })
local Marked = ecs.component("ThreadsMarked", {})

--- Systems of many kinds, some of which threads share.
local function define(world)
  local count, walls = 0, world:array("walls", "u8", 16)
  local sum, highest = world:sum "sum", world:max "highest"
  for k = 1, 16 do walls[k] = k % 3 end
  world:system { name = "move", query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x = p.x + v.x * dt
      p.y = p.y + v.y * dt
    end }
  world:system { name = "bounce", query = { Velocity, read = { Position } },
    each = function(v, p)
      if p.x > 50 or p.x < 0 then v.x = -v.x + ecs.random() end
      if p.y > 300 then v.y = math.sin(p.y) * p.x end
      sum:add(v.x)
      highest:add(p.x)
    end }
  world:system { name = "follow", query = { Kind, optional = { Velocity } },
    each = function(k, v)
      local x = world:get(k.friend, Position, "x")
      if x and v then v.x = v.x * 0.5 + x * 0.125 end
    end }
  world:system { name = "look", query = { Kind },
    each = function(k) k.kind = walls[k.kind % 16 + 1] end }
  world:system { name = "mark",
    query = { read = { Position }, without = { Marked } },
    each = function(p, _, e)
      if p.x > 49 then world:add(e, Marked) end
    end }
  world:system { name = "count", query = { read = { Position } },
    each = function(p) count = count + p.x end }
  return function() return count, sum:value(), highest:value() end
end

local function fill(world, rows)
  local last
  for k = 1, rows do
    local e = world:spawn(Position, { x = k % 50, y = k % 311 },
      Velocity, { x = k % 7, y = k % 5 })
    if k % 3 == 0 then world:add(e, Kind, { kind = k % 256, friend = last }) end
    if k % 5 == 0 then world:remove(e, Velocity) end
    last = e
  end
end

local function play(threads, rows)
  local world = ecs.world { threads = threads, seed = 5 }
  local figures = define(world)
  fill(world, rows)
  for _ = 1, 6 do world:progress(0.25) end
  local query = world:query { Velocity }
  query:each(function(v) v.y = v.y * 0.75 + v.x end)
  local hash, count, sum, highest = world:hash(), figures()
  world:close()
  return hash, count, sum, highest
end

describe("threads", function()
  it("change no result", function()
    for _, rows in ipairs { 10, 1500, COUNT } do
      local want = { play(1, rows) }
      for _, threads in ipairs { 2, 3, 7 } do
        assert.same(want, { play(threads, rows) })
      end
    end
  end)

  it("are told by explain, last, with what keeps to one", function()
    local world = ecs.world { threads = 2 }
    define(world)
    fill(world, 10)
    world:progress(0.25)
    local text = world:explain()
    assert.matches("\nthreads: 2$", text)
    assert.matches("mark: [^\n]*; on one thread: it changes structure\n", text)
    assert.matches("count: [^\n]*; on one thread: it adds to numbers outside "
      .. "in the order of rows\n", text)
    assert.is_nil(text:match "move: [^\n]*on one thread")
    assert.is_nil(text:match "follow: [^\n]*on one thread")
    assert.matches("look: [^\n]*; on one thread: rows may need plain Lua\n",
      text)
    world:close()
  end)

  it("leave the world usable when a callback raises an error", function()
    local world = ecs.world { threads = 3 }
    define(world)
    fill(world, COUNT)
    local fails = true
    world:system { name = "fail", query = { Kind }, compile = false,
      after = "bounce", before = "follow",
      each = function() if fails then error "on purpose" end end }
    assert.error_matches(function() world:progress(0.25) end, "on purpose")
    fails = false
    world:progress(0.25)
    world:spawn(Position)
    world:close()
  end)

  it("may belong to many worlds at a time", function()
    local worlds, hashes = {}, {}
    for k = 1, 4 do
      worlds[k] = ecs.world { threads = k, seed = 5 }
      define(worlds[k])
      fill(worlds[k], 3000)
    end
    for frame = 1, 3 do
      for k = 1, 4 do worlds[k]:progress(0.25) end
      if frame == 2 then worlds[2]:close() end
      worlds[2] = frame == 2 and worlds[3] or worlds[2]
    end
    for k = 1, 4 do hashes[k] = worlds[k]:hash() end
    assert.equal(hashes[1], hashes[4])
    for _, k in ipairs { 1, 3, 4 } do worlds[k]:close() end
  end)
end)

--- A program that makes a world with threads, runs it, and ends in some way.
local program = [[
local ecs = require "ecs"
local P = ecs.component("P", { x = "f32" })
local world = ecs.world { threads = 4 }
world:spawn_many(20000, { P })
world:system { name = "move", query = { P },
  each = function(p) p.x = p.x + 1 end }
for _ = 1, 20 do world:progress(0) end
io.write "ran"
io.stdout:flush()
]]

describe("a process with threads", function()
  for what, ending in pairs {
    ["that ends with an open world"] = "",
    ["that calls os.exit"] = "os.exit(0)",
    ["that calls os.exit and closes its state"] = "os.exit(0, true)",
    ["that calls os.exit inside a frame"] =
      "world:system { name = 'leave', run = function() os.exit(0) end }\n"
      .. "world:progress(0)",
    ["that closes its state inside a frame"] =
      "world:system { name = 'leave', run = function() os.exit(0, true) end }\n"
      .. "world:progress(0)",
    ["that collects its world"] = "world = nil collectgarbage() "
      .. "collectgarbage()",
  } do
    it(what .. ", ends", function()
      local name = os.tmpname()
      local file = assert(io.open(name, "w"))
      file:write(program, ending)
      file:close()
      local output = support.printed(name .. "; echo , status $?")
      os.remove(name)
      assert.equal("ran, status 0\n", output)
    end)
  end
end)
