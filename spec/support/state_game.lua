-- A game that has something of everything that is state. A spec reads it with
-- dofile "spec/support/state_game.lua".

local ecs = require "ecs"

local Position = ecs.component("SnapshotPlace", { x = "f32", y = "f32" })
local Velocity = ecs.component("SnapshotSpeed", { x = "f32", y = "f32" })
local Health = ecs.component("SnapshotHealth", { hp = { "i32", 10 } })
local Aim = ecs.component("SnapshotAim", { at = { "entity", link = "clear" } })
local Gravity = ecs.component("SnapshotGravity", { y = "f64" })
local Burning = ecs.tag("SnapshotBurning", { storage = "bits" })
local Marked = ecs.tag("SnapshotMarked", { storage = "sparse" })
local Hit = ecs.event("SnapshotHit", { who = "entity", damage = "i32" })

--- A world with the game. options: of ecs.world, with others beside.
local function game(options)
  options = options or {}
  options.seed = 11
  options.phases = { "input", { "simulate", fixed = 1 / 50, most = 3 }, "last" }
  options.states = { "menu", "play" }
  local world = ecs.world(options)
  world:resource(Gravity { y = -1 })
  local first = world:spawn(Position, Health)
  world:name(first, "first")
  local score = world:sum "score"
  world:system { name = "spawn", phase = "input", every = 1 / 20,
    run = function()
      local count = world:query({ Health }):count()
      local e = world:spawn(Position { x = count }, Velocity { x = 1, y = 2 },
        Health { hp = 3 + count % 4 }, Aim { at = first })
      if count % 3 == 0 then world:add(e, Burning) end
      if count % 4 == 0 then world:add(e, Marked) end
      if count % 5 == 0 then world:set(e, ecs.ChildOf, { parent = first }) end
      if count % 11 == 10 then world:go(world:state() == "menu" and "play"
        or "menu") end
    end }
  world:system { name = "move", phase = "simulate",
    query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x = p.x + v.x * dt + ecs.random() * 0.01
      p.y = p.y + v.y * dt
      score:add(p.x)
    end }
  world:system { name = "burn", phase = "simulate", in_state = "play",
    query = { read = { Health }, with = { Burning } },
    each = function(h, dt, e) -- luacheck: ignore dt
      if h.hp > 0 then world:emit(Hit { who = e, damage = 1 }) end
    end }
  world:system { name = "hurt", phase = "last", query = { read = { Hit } },
    each = function(hit)
      if not world:alive(hit.who) then return end
      local hp = world:get(hit.who, Health, "hp") - hit.damage
      world:set(hit.who, Health, "hp", hp)
      if hp <= 0 then world:destroy(hit.who) end
    end }
  return world
end

local function run(world, frames)
  for k = 1, frames do world:progress(1 / 60 + k % 3 * 0.004) end
end

return { game = game, run = run, Position = Position, Velocity = Velocity,
         Health = Health, Aim = Aim, Gravity = Gravity, Burning = Burning,
         Marked = Marked, Hit = Hit }
