-- A native kernel: the inner loop in C, everything else in Lua.
--
-- physics.c beside this file is compiled to physics.so. ecs.load_native finds
-- it on package.cpath, and systems name its kernels. The declaration of a
-- kernel is checked against the query when the system is defined.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Drag = ecs.component("Drag", { factor = "f32" })

local kernels, reason = ecs.load_native "physics"
if not kernels then
  print(reason)
  print("compile it with: cc -O3 -fPIC -shared -I<folder of ecs_kernel.h> "
    .. "-o physics.so physics.c")
  os.exit(1)
end
print("kernels: " .. table.concat(kernels, ", "))

local world = ecs.world {}
local stone = world:spawn(Position, { y = 10 }, Velocity)
local feather = world:spawn(Position, { y = 10 }, Velocity,
  Drag, { factor = 4 })

world:system {
  name = "gravity", query = { Position, Velocity }, native = "physics.gravity",
}
world:system {
  name = "drag", query = { Velocity, read = { Drag } }, native = "physics.drag",
}

-- A kernel may take arrays of the world, which the system lists: here the
-- metres above the ground, in which it counts bodies.
local metres = world:array("metres", "u16", 12)
world:system {
  name = "trace", query = { read = { Position } }, native = "physics.trace",
  uses = { metres },
}

-- A query that lacks a component of the kernel is an error at once.
local ok, text = pcall(world.system, world, {
  name = "wrong", query = { read = { Velocity } }, native = "physics.gravity",
})
assert(not ok and text:find("kernel gravity writes Position.y", 1, true), text)

for _ = 1, 60 do world:progress(1 / 60) end

local stone_y, feather_y = world:get(stone, Position, "y"),
  world:get(feather, Position, "y")
print(string.format("after a second the stone is at %.2f, the feather at %.2f",
  stone_y, feather_y))
assert(stone_y < 6 and feather_y > 8)

local frames = 0
for metre = 1, #metres do frames = frames + metres[metre] end
print(("of %d frames of bodies, %d were above 9 metres"):format(frames,
  metres[10] + metres[11]))
assert(frames == 2 * 60 and metres[10] > metres[1])
