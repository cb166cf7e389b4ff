-- The components that most specs use. Defining a component again gives the same
-- object, so all specs that read this file share them:
--
--     local scene = dofile "spec/support/scene.lua"
--     local Position, Enemy = scene.Position, scene.Enemy

local ecs = require "ecs"

local scene = {
  Position = ecs.component("Position", { x = "f32", y = "f32" }),
  Velocity = ecs.component("Velocity", { x = { "f32", 1 }, y = "f32" }),
  Sprite = ecs.component("Sprite", { frame = "u16" }),
  Every = ecs.component("Every", { -- a field of each type
    a = "f32", b = "f64", c = "i8", d = "u8", e = "i16", f = "u16",
    g = "i32", h = "u32", i = "bool", j = "entity",
  }),
  Enemy = ecs.tag "Enemy",
  Stunned = ecs.tag("Stunned", { storage = "sparse" }),
}

--- Eight entities with a Position, every other one with a Velocity.
function scene.populate(world)
  local entities = {}
  for k = 1, 8 do
    entities[k] = world:spawn(scene.Position { x = k })
    if k % 2 == 0 then world:add(entities[k], scene.Velocity { x = k }) end
  end
  return entities
end

--- Makes a number of random changes of these entities; random(n) gives 1 to n.
function scene.change(world, entities, random, steps)
  local Velocity, Stunned = scene.Velocity, scene.Stunned
  for step = 1, steps do
    local entity, kind = entities[random(8)], random(6)
    if not world:alive(entity) then kind = 0 end
    if kind == 1 then world:add(entity, Velocity { x = step })
    elseif kind == 2 then world:remove(entity, Velocity)
    elseif kind == 3 then world:set(entity, Velocity, "y", step)
    elseif kind == 4 then world:add(entity, Stunned)
    elseif kind == 5 then world:remove(entity, Stunned)
    elseif kind == 6 and random(4) == 1 then world:destroy(entity) end
  end
end

return scene
