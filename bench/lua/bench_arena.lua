-- bench_arena: a frame of a game of up to 100,000 entities in ten systems,
-- written as its users would write it, whatever compiles: monsters that wander,
-- chase and shoot, bullets, fire and sparks (arena.lua). Beside it the same
-- game with plain Lua tables and, where ECS_PEERS names a folder with
-- evolved.lua, with that library.
--
-- How many of each kind there are is compared.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local arena = require "arena"
local ecs = require "ecs"

local SIZES = { 10000, 100000 }
local FRAMES = 8   -- of a run
local WARM = 100   -- before it: then there are as many of each kind as later

local plain = {}
ecs.on_fallback = function(name, where, why)
  plain[#plain + 1] = ("%s, %s: %s"):format(name, where, why)
end

local function find_evolved()
  local folder = os.getenv "ECS_PEERS"
  local path = folder and folder .. "/evolved.lua"
  local file = path and io.open(path)
  if not file then return nil end
  file:close()
  return dofile(path)
end

measure.open("lua arena", arg)

local evolved = find_evolved()

local function side(name, size, game, aim)
  local function start()
    math.randomseed(7)
    game.start()
    for _ = 1, WARM do game.frame() end
  end
  start()
  return {
    name = name, reset = start, check = game.counts, aim_ratio = aim,
    operations = size * FRAMES,
    run = function() for _ = 1, FRAMES do game.frame() end end,
  }
end

measure.contest("a frame of an arena", SIZES, function(size)
  local count = arena.nests(size)
  local sides = {
    side("by hand", size, require "arena_tables"(arena, count)),
    side("a world", size, require "arena_ours"(arena, count), 1),
  }
  if evolved then
    sides[3] = side("evolved.lua", size,
      require "arena_evolved"(arena, count, evolved))
  else
    sides[3] = { name = "evolved.lua", absent = true }
  end
  return sides
end)

for _, text in ipairs(plain) do io.stderr:write("plain Lua: ", text, "\n") end
if measure.wanted "runs as plain Lua" then
  measure.value { name = "runs as plain Lua", side = "a world", size = 10,
    unit = "systems", value = #plain / #SIZES, aim = 0 }
end

measure.close()
