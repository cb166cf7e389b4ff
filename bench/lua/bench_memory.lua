-- bench_memory: bytes for an entity of 3 components with 2 fields each, and the
-- garbage that a frame leaves in a steady state.
--
-- Bytes are the growth of the process as Linux reports it: the same measure for
-- tables, FFI arrays and worlds. Each store is built in a process of its own, a
-- second run of this program, so that none reuses memory that another freed.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs
local has_ffi, ffi = pcall(require, "ffi")

-- Bytes --------------------------------------------------------------------

--- The resident memory of the process, in bytes; nil where it cannot be read.
local function resident()
  collectgarbage()
  collectgarbage()
  local file = io.open("/proc/self/statm")
  if not file then return nil end
  local _, pages = file:read("*n", "*n")
  file:close()
  return pages * 4096
end

local function world_of(scalar, in_bulk)
  return function(count)
    local fields = { a = scalar, b = scalar }
    local parts = {}
    for k = 1, 3 do
      parts[k] = ecs.component("Part" .. k, fields) { a = k, b = k }
    end
    local world = ecs.world {}
    if in_bulk then
      world:spawn_many(count, parts)
    else
      for _ = 1, count do world:spawn(parts[1], parts[2], parts[3]) end
    end
    assert(world:query({ all = true }):count() == count)
    return world
  end
end

local function tables(count)
  local list = {}
  for k = 1, count do
    list[k] = { x = k, y = k, vx = k, vy = k, current = k, max = k }
  end
  return list
end

local function arrays_of(make)
  return function(count)
    local arrays = {}
    for f = 1, 6 do
      arrays[f] = make(count)
      for k = 1, count do arrays[f][k] = k end
    end
    return arrays
  end
end

local stores = {
  { name = "a table per entity", build = tables },
  { name = "arrays", build = arrays_of(function() return {} end) },
  { name = "FFI arrays of f64", absent = not has_ffi,
    build = arrays_of(function(count)
      return ffi.new("double[?]", count + 1)
    end) },
  { name = "ecs f64, one by one", build = world_of("f64", false), aim = 68 },
  { name = "ecs f64, in bulk", build = world_of("f64", true), aim = 68 },
  { name = "ecs f32, one by one", build = world_of("f32", false), aim = 44 },
  { name = "ecs f32, in bulk", build = world_of("f32", true), aim = 44 },
}

--- The child process: builds one store and prints the bytes that it took.
if arg[1] == "--store" then
  local before = resident()
  local kept = stores[tonumber(arg[2])].build(tonumber(arg[3]))
  if before then print(resident() - before) end
  assert(kept)
  os.exit(0)
end

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function bytes_of(store, count)
  local child = io.popen(("%s %s --store %d %d"):format(quote(arg[-1]),
    quote(arg[0]), store, count))
  local bytes = child:read("*n")
  child:close()
  return bytes
end

-- Garbage ------------------------------------------------------------------

local Position, Velocity = scene.Position, scene.Velocity
local FRAMES, ROUNDS = 300, 8

--- Defines a system, or says that there is no such kind of system yet.
local function try_system(world, spec)
  spec.name = "work"
  return (pcall(world.system, world, spec))
end

--- The kinds of frames: each function gets a world, its ids and its query, and
-- returns the function of one frame; nil: not available here.
local frames = {
  { name = "native system", make = function(world)
    return try_system(world, { query = { scene.Single, read = { scene.Speed } },
      native = "bench_kernels.single" })
      and function() world:progress(scene.DT) end
  end },
  { name = "batch system", make = function(world)
    local done = try_system(world, {
      query = { Position, read = { Velocity } },
      batch = function(batch, dt)
        local p, v = batch[Position], batch[Velocity]
        local x, vx = p.x, v.x
        for i = 1, batch.count do x[i] = x[i] + vx[i] * dt end
      end,
    })
    return done and function() world:progress(scene.DT) end
  end },
  { name = "each system", make = function(world)
    local done = try_system(world, {
      query = { Position, read = { Velocity } },
      each = function(p, v, dt) p.x = p.x + v.x * dt end,
    })
    return done and function() world:progress(scene.DT) end
  end },
  { name = "run system: get, set, has, alive", make = function(world, ids)
    local done = try_system(world, { run = function(w, dt)
      for k = 1, #ids do
        local id = ids[k]
        local x = w:get(id, Position, "x")
        if w:alive(id) and w:has(id, Position) then
          w:set(id, Position, "x", x + w:get(id, Velocity, "x") * dt)
        end
      end
    end })
    return done and function() world:progress(scene.DT) end
  end },
  { name = "run system: spawn, add, remove, destroy", make = function(world)
    local value = Position { x = 1 }
    local done = try_system(world, { run = function(w)
      for _ = 1, 10 do
        local id = w:spawn(value, Velocity)
        w:add(id, scene.Enemy)
        w:remove(id, Velocity)
        w:destroy(id)
      end
    end })
    return done and function() world:progress(scene.DT) end
  end },
  { name = "q:each", make = function(_, _, query)
    if scene.lacks(query, "each") then return nil end
    local function move(p, v, dt) p.x = p.x + v.x * dt end
    return function() query:each(move, scene.DT) end
  end },
  { name = "q:rows", make = function(_, _, query)
    if scene.lacks(query, "rows") then return nil end
    return function()
      for _, p, v in query:rows() do p.x = p.x + v.x * scene.DT end
    end
  end },
}

--- Bytes of garbage per frame, after enough frames to be warm, and bytes that
-- were allocated once.
--
-- A full collection shrinks Lua's own stacks, and LuaJIT may compile one more
-- trace. So the first frames after it allocate some hundred bytes that are not
-- garbage of a frame, but would look like it when divided by the frames.
-- Therefore frames run in rounds, without a collection in between. The garbage
-- of every frame is in the round that allocates least too; the rest of all
-- rounds is reported separately, so that what is allocated now and then is not
-- lost.
local function garbage_of(frame, count)
  local world, ids = scene.world(count, scene.Single, scene.Speed)
  local run = frame.make(world, ids, world:query { Position,
    read = { Velocity } })
  if not run then return nil end
  local function run_all() for _ = 1, FRAMES do run() end end
  for _ = 1, 5 do run_all() end
  collectgarbage()
  collectgarbage("stop")
  local least, all = math.huge, 0
  for _ = 1, ROUNDS do
    local before = collectgarbage("count")
    run_all()
    local made = (collectgarbage("count") - before) * 1024
    least, all = math.min(least, made), all + made
  end
  collectgarbage("restart")
  return least / FRAMES, all - ROUNDS * least
end

-- The tables ---------------------------------------------------------------

measure.open("lua memory", arg)

scene.Single = ecs.component("Single", { x = "f32", y = "f32" })
scene.Speed = ecs.component("SingleSpeed", { x = "f32", y = "f32" })
assert(ecs.load_native "bench_kernels")

for _, entities in ipairs { 200000, 1000000 } do
  local size = measure.size(entities)
  for k, store in ipairs(stores) do
    if measure.wanted("bytes") and not store.absent then
      local bytes = bytes_of(k, size)
      measure.value { name = "bytes", side = store.name, size = size,
        unit = "for one entity", value = bytes and bytes / size,
        aim = store.aim }
    end
  end
end

for _, frame in ipairs(frames) do
  if measure.wanted("garbage") then
    local count = measure.size(1000)
    local each, once = garbage_of(frame, count)
    measure.value { name = "garbage", side = frame.name, size = count,
      unit = "bytes a frame", value = each, aim = 0 }
    measure.value { name = "allocated once", side = frame.name, size = count,
      unit = "bytes", value = once }
  end
end

measure.close()
