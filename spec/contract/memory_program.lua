-- A world in a process with little memory: errors_spec.lua runs this program in
-- a process of its own, under a limit. A call that runs out of memory changes
-- nothing, and calls that need less succeed afterwards.

local ecs = require "ecs"

local Wide = ecs.component("Wide", { a = "f64", b = "f64", c = "f64",
                                     d = "f64" })
local world = ecs.world {}
local e = world:spawn(Wide { a = 1 })
local hash = world:hash()

local ok, text = pcall(function() world:spawn_many(30000000, { Wide }) end)
assert(not ok, "there was memory enough")
assert(text:find "memory_program.lua:%d+: ecs: spawn_many: .*memory", text)
assert(world:hash() == hash and world:stats().entities == 1)
world:spawn_many(1000, { Wide })
assert(world:query({ Wide }):count() == 1001)
assert(world:get(e, Wide, "a") == 1)

print "nothing changed"
