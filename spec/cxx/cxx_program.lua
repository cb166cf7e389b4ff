-- Runs the kernel of cxx_kernel.cpp, whose library is named by the argument.

local ecs = require "ecs"

local library = assert(arg[1])
local Speed = ecs.component("Speed", { x = "f32" })
local world = ecs.world {}
local first, second = world:spawn(Speed { x = 8 }), world:spawn(Speed { x = 4 })

local names = assert(ecs.load_native(library))
assert(#names == 1 and names[1] == library .. ".slow", names[1])
world:system { name = "slow", query = { Speed }, native = names[1],
               parameters = { factor = 0.5, most = 1 } }
world:progress(1)
assert(world:get(first, Speed, "x") == 5)
assert(world:get(second, Speed, "x") == 2)
