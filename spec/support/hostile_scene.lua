-- What the specs of hostile calls share: one of each kind of value that a
-- script can hold, and the objects for calls that work.
--
--     local hostile = dofile "spec/support/hostile_scene.lua"
--     local s = hostile.new_scene()
--
-- A scene has a world, an entity, a query, a total, a kernel, and a pool: the
-- list of different values to be used as arguments.

local ecs = require "ecs"
local core = require "ecs.core"

local function nothing() end
local function refuse() error("ecs: a script's own error", 0) end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy
local Target = ecs.component("CallTarget", { who = "entity", on = "bool",
                                             level = { "u8", 3 } })
assert(ecs.load_native "nan")
ecs.component("Nan", { narrow = "f32", wide = "f64", offered = "u32" })

-- Numbers at and past the limits of all types.
local edges = { 0, -0.0, 1, -1, 0.5, 2 ^ 24, 2 ^ 28 - 1, 2 ^ 28, 2 ^ 31 - 1,
  2 ^ 31, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 52 - 1, 2 ^ 52, 2 ^ 53, 2 ^ 63, -2 ^ 63,
  2 ^ 64, 1e308, -1e308, 5e-324, 1 / 0, -1 / 0, 0 / 0 }
if math.maxinteger then
  edges[#edges + 1] = math.maxinteger
  edges[#edges + 1] = math.mininteger
end

-- Appends to found the userdata that only the debug library can reach: those of
-- views, loops and accelerators.
local function dig(found, object, depth)
  if depth == 0 or found[object] then return end
  local kind = type(object)
  if kind ~= "table" and kind ~= "function" and kind ~= "userdata" then
    return
  end
  found[object] = true
  if kind == "userdata" then found[#found + 1] = object end
  local meta = debug.getmetatable(object)
  if meta then dig(found, meta, depth - 1) end
  for k = 1, kind == "function" and 60 or 0 do
    local name, value = debug.getupvalue(object, k)
    if not name then break end
    dig(found, value, depth - 1)
  end
  if kind ~= "table" then return end
  for key, value in next, object do
    dig(found, key, depth - 1)
    dig(found, value, depth - 1)
  end
end

-- A scene as described above. limit: of the memory of its worlds; nil: none.
local function new_scene(limit)
  local world, other, closed = ecs.world {
    phases = { "first", "update", { "last", fixed = 1 / 60 } },
    states = { "menu", "play" }, memory_limit = limit,
  }, ecs.world { memory_limit = limit }, ecs.world {}
  local entity = world:spawn(Position { x = 1 }, Target)
  local stale = world:spawn(Position)
  world:destroy(stale)
  local query = world:query { Position, read = { Target } }
  other:spawn()
  local foreign = other:spawn(Position) + 2 ^ 29
  local own = { world = world, entity = entity, query = query,
                total = world:sum "total", near = world:grid {
                  query = { Position }, at = { Position, "x", "y" }, cell = 2,
                }, walls = world:array("walls", "u8", 2, 2) }
  local closed_query, closed_total = closed:query { Position }, closed:max "m"
  local closed_near = closed:grid { query = { Position },
    at = { Position, "x", "y" }, cell = 2 }
  local closed_state = closed:snapshot()
  local closed_walls = closed:array("walls", "f32", 2, 2)
  local closed_row = closed_walls[1]
  closed:close()
  local pool = {
    true, false, "", "x", "Position", "no such", ("long"):rep(100), "\0",
    {}, { 1 }, { Position }, { x = 1 }, setmetatable({}, { __index = refuse }),
    nothing, type, coroutine.create(nothing), io.stdout,
    world, other, closed, query, other:query { Position }, closed_query,
    own.total, other:min "m", closed_total, own.near, closed_near,
    world:snapshot(), other:snapshot(), closed_state,
    entity, stale, foreign, Position, Enemy, Position { x = 1 },
    Target { who = entity },
  }
  for _, number in ipairs(edges) do pool[#pool + 1] = number end
  query:batch(function(batch)
    pool[#pool + 1] = batch
    pool[#pool + 1] = batch.Position
    pool[#pool + 1] = batch.Position.x
    pool[#pool + 1] = batch.entities
  end)
  query:each(function(row) pool[#pool + 1] = row end)
  local step, loop = query:rows()
  pool[#pool + 1] = step
  local _, row = step(loop)
  pool[#pool + 1] = row
  local near_step, _, _, near_loop = own.near:within(1, 0, 5)
  local _, near_row = near_step()
  pool[#pool + 1] = own.walls
  pool[#pool + 1] = own.walls[2]
  pool[#pool + 1] = closed_walls
  pool[#pool + 1] = closed_row
  pool[#pool + 1] = near_step
  pool[#pool + 1] = near_row
  pool[#pool + 1] = near_loop
  pool[#pool + 1] = own.near:each_pair(5)
  if rawget(_G, "jit") and pcall(require, "ffi") then
    local ffi = require "ffi"
    pool[#pool + 1] = ffi.new "int64_t"
    pool[#pool + 1] = ffi.new "int[3]"
    pool[#pool + 1] = ffi.cast("void *", 0)
  end
  local native = world:query { ecs.component("Nan",
    { narrow = "f32", wide = "f64", offered = "u32" }) }
  own.kernel = core.kernel(native, "nan", "break", {})
  local inner = { core.access(world, Position), core.access(world),
                  own.kernel, loop, world:getter(Position, "x"),
                  world:setter(Position, "x"), world:tester(Enemy),
                  world:spawner(Position, "x") }
  local found = {}
  for _, thing in ipairs { inner[8], pool[#pool], row, step, query } do
    dig(found, thing, 7)
  end
  for k = 1, #pool do dig(found, pool[k], 5) end
  for _, thing in ipairs(found) do
    if thing ~= io.stdout then inner[#inner + 1] = thing end
  end
  for _, thing in ipairs(inner) do pool[#pool + 1] = thing end
  local seen, distinct = {}, {}
  for _, thing in ipairs(pool) do
    if thing ~= thing or not seen[thing] then
      distinct[#distinct + 1] = thing
      if thing == thing then seen[thing] = true end
    end
  end
  own.pool = distinct
  return own
end

return {
  new_scene = new_scene, nothing = nothing, Position = Position, Enemy = Enemy,
  Target = Target,
}
