-- Creates and drops worlds, queries and systems. The memory of the process must
-- not grow with their number.
--
--   spec/programs/memory_program.lua [COUNT] of each kind, 20,000 unless given
--
-- In a first part the heaps of Lua and C reach their size; measured is the
-- growth during the rest. How much garbage there is at a moment depends on the
-- collector, so each part is measured ten times and its least counts: what
-- leaks is in all of them. Works on Linux only, which reports the memory.

local ecs = require "ecs"

local COUNT = tonumber((...)) or 20000
local ALLOWED = 1.05 -- of what the warm-up has left, and 2 MB

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Far = ecs.component("Far", { v = "f64" }, { storage = "sparse" })

local function resident()
  local status = io.open "/proc/self/status"
  if not status then return nil end
  local text = status:read "*a"
  status:close()
  return tonumber(text:match "VmRSS:%s*(%d+)")
end

local function nothing() end

local shared = ecs.world {}
shared:spawn_many(100, { Position, Far })

-- Creates and drops objects k times. Half of the worlds, and queries of a world
-- that stays, are left to the collector.
local kinds = {
  worlds = function(k)
    local world = ecs.world {}
    world:spawn(Position, Far)
    if k % 2 == 0 then world:close() end
  end,
  queries = function(k)
    local query = shared:query { Position, optional = { Far } }
    if k % 4 == 0 then query:batch(nothing) end
    if k % 4 == 1 then query:each(nothing) end
    if k % 4 == 2 then query:rows() end
  end,
  systems = function(k)
    shared:system { name = "s", query = { Position }, each = nothing }
    if k % 2 == 0 then shared:remove_system "s" end
    if k % 100 == 0 then shared:progress(0) end
  end,
}

if not resident() then
  print "skip: no /proc/self/status to ask"
  return
end

-- Makes `count` of a kind; the least memory after a tenth, two tenths, ...
local function least(make, count)
  local found = math.huge
  for part = 1, 10 do
    for k = (part - 1) * count / 10 + 1, part * count / 10 do make(k) end
    collectgarbage()
    collectgarbage()
    found = math.min(found, resident())
  end
  return found
end

local failed = false
for _, name in ipairs { "worlds", "queries", "systems" } do
  local make = kinds[name]
  for k = 1, COUNT / 2 do make(k) end
  local before = least(make, COUNT / 2)
  local after = least(make, COUNT)
  print(string.format("%s: %.0f kB, %.0f kB after %.0f more", name, before,
    after, COUNT))
  if after > before * ALLOWED + 2048 then
    print("not flat: " .. name)
    failed = true
  end
end
os.exit(not failed, true)
