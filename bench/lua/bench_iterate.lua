-- bench_iterate: position += velocity * dt over every entity, in all the ways
-- that a script has, against C and against hand-written arrays and tables.
--
-- The baseline is C: a native kernel, called as a system. The hand-written Lua
-- is not a baseline; it is there for comparison.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs

local has_ffi, ffi = pcall(require, "ffi")

assert(ecs.load_native "bench_kernels")

-- Data in C ----------------------------------------------------------------

--- A world of count entities with a query; run(query, world) returns the
-- function that moves them.
local function in_world(name, kind, count, run)
  local Place, Speed = kind.Place, kind.Speed
  local world, ids = ecs.world {}, {}
  local function reset()
    for k = 1, count do
      local x, y = scene.start(k)
      world:set(ids[k], Place { x = x, y = y })
    end
  end
  for k = 1, count do
    local _, _, vx, vy = scene.start(k)
    ids[k] = world:spawn(Place, Speed { x = vx, y = vy })
  end
  reset()
  local query = world:query { Place, read = { Speed } }
  local move = run(query, world)
  return {
    name = name, reset = reset, absent = not move, run = move,
    check = function()
      local sum = scene.sum()
      for k = 1, count do sum(world:get(ids[k], Place, "x", "y")) end
      return sum()
    end,
  }
end

--- Defines a system and returns the function that runs it; nil where
-- world:system does not have this kind of system yet.
local function system(world, spec, dt)
  spec.name = "move"
  if spec.each and not pcall(world.system, world, spec) then return nil end
  if not spec.each then world:system(spec) end
  return function() world:progress(dt) end
end

local function move_row(p, v, dt)
  p.x = p.x + v.x * dt
  p.y = p.y + v.y * dt
end

local function ways_in_world(kind, count)
  local Place, Speed, DT = kind.Place, kind.Speed, kind.dt
  local function move_batch(batch, dt)
    local p, v = batch[Place], batch[Speed]
    local x, y, vx, vy = p.x, p.y, v.x, v.y
    for i = 1, batch.count do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end
  local native = in_world("C, native kernel", kind, count,
    function(query, world)
      return system(world, { query = query, native = kind.kernel }, DT)
    end)
  local each = in_world("each, compiled, in a system", kind, count,
    function(query, world)
      return system(world, { query = query, each = move_row, compile = true },
        DT)
    end)
  if not kind.whole then each.aim_ratio = 1.1 end
  local plain = in_world("each, plain Lua, in a system", kind, count,
    function(query, world)
      return system(world, { query = query, each = move_row, compile = false },
        DT)
    end)
  local batch = in_world("batch", kind, count, function(query)
    return function() query:batch(move_batch, DT) end
  end)
  if has_ffi and not kind.whole then
    batch.aim_ratio, batch.against = 1.4, "FFI arrays by hand"
  elseif not has_ffi then
    batch.aim = 50
  end
  if not has_ffi then plain.aim = 100 end
  local row_by_row = in_world("q:each, compiled", kind, count, function(query)
    if scene.lacks(query, "each") then return nil end
    return function() query:each(move_row, DT) end
  end)
  -- An extra argument that is not a number keeps the function in plain Lua.
  local in_lua = in_world("q:each, plain Lua", kind, count, function(query)
    if scene.lacks(query, "each") then return nil end
    return function() query:each(move_row, DT, "plain") end
  end)
  local rows = in_world("q:rows", kind, count, function(query)
    if scene.lacks(query, "rows") then return nil end
    return function()
      for _, p, v in query:rows() do move_row(p, v, DT) end
    end
  end)
  return { native, each, plain, batch, row_by_row, in_lua, rows }
end

-- Data written by hand -----------------------------------------------------

local function in_arrays(name, count, make, step)
  local arrays = scene.arrays(count, make)
  return {
    name = name,
    reset = function()
      for k = 1, count do arrays.x[k], arrays.y[k] = scene.start(k) end
    end,
    run = function()
      local x, y, dt = arrays.x, arrays.y, step -- upvalues would be slower
      local vx, vy = arrays.vx, arrays.vy
      for k = 1, count do
        x[k] = x[k] + vx[k] * dt
        y[k] = y[k] + vy[k] * dt
      end
    end,
    check = function()
      local sum = scene.sum()
      for k = 1, count do sum(arrays.x[k], arrays.y[k]) end
      return sum()
    end,
  }
end

local function in_tables(count, step)
  local list = scene.tables(count)
  return {
    name = "a table per entity by hand",
    reset = function()
      for k = 1, count do list[k].x, list[k].y = scene.start(k) end
    end,
    run = function()
      local entities, dt = list, step
      for k = 1, count do
        local entity = entities[k]
        entity.x = entity.x + entity.vx * dt
        entity.y = entity.y + entity.vy * dt
      end
    end,
    check = function()
      local sum = scene.sum()
      for k = 1, count do sum(list[k].x, list[k].y) end
      return sum()
    end,
  }
end

-- The contests -------------------------------------------------------------

local kinds = {}
for _, names in ipairs { { "Single", "f32", "float" },
                         { "Double", "f64", "double" },
                         { "Whole", "i32", "int32_t" } } do
  local name, scalar, number = names[1], names[2], names[3]
  local whole = scalar == "i32"
  kinds[#kinds + 1] = {
    scalar = scalar, whole = whole, number = number .. "[?]",
    dt = whole and 1 or scene.DT,
    counts = whole and { 10000 } or { 1000, 10000, 100000 },
    kernel = "bench_kernels." .. name:lower(),
    Place = ecs.component(name, { x = scalar, y = scalar }),
    Speed = ecs.component(name .. "Speed", { x = scalar, y = scalar }),
  }
end

measure.open("lua iterate", arg)
for _, kind in ipairs(kinds) do
  measure.contest("move " .. kind.scalar, kind.counts,
    function(count)
      local sides = ways_in_world(kind, count)
      if has_ffi then
        sides[#sides + 1] = in_arrays("FFI arrays by hand", count,
          function(length) return ffi.new(kind.number, length + 1) end,
          kind.dt)
      end
      sides[#sides + 1] = in_arrays("arrays by hand", count,
        function() return {} end, kind.dt)
      sides[#sides + 1] = in_tables(count, kind.dt)
      return sides
    end)
end
measure.close()
