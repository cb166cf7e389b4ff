-- The components that most specs use. A definition is the same object wherever
-- it is made again, so specs that read this file share them:
--
--     local scene = dofile "spec/support/scene.lua"
--     local Position, Enemy = scene.Position, scene.Enemy

local ecs = require "ecs"

return {
  Position = ecs.component("Position", { x = "f32", y = "f32" }),
  Velocity = ecs.component("Velocity", { x = { "f32", 1 }, y = "f32" }),
  Sprite = ecs.component("Sprite", { frame = "u16" }),
  Enemy = ecs.tag "Enemy",
  Stunned = ecs.tag("Stunned", { storage = "sparse" }),
}
