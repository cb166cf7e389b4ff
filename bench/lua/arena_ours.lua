--- arena_ours: the game of arena.lua with this library, on one thread or more.

local ecs = require "ecs"

return function(arena, count, threads)
  local WIDTH, DT = arena.WIDTH, arena.DT

  local Position = ecs.component("ArenaPosition", { x = "f32", y = "f32" })
  local Velocity = ecs.component("ArenaVelocity", { x = "f32", y = "f32" })
  local Nest = ecs.component("ArenaNest", { monster = "entity" })
  local Wander = ecs.component("ArenaWander", { angle = "f32", left = "i32" })
  local Target = ecs.component("ArenaTarget", { nest = "entity" })
  local Home = ecs.component("ArenaHome", { nest = "entity" })
  local Weapon = ecs.component("ArenaWeapon", {
    wait = "i32", reload = "i32", shots = "i32",
  })
  local Health = ecs.component("ArenaHealth", {
    points = { "i32", arena.POINTS }, rest = { "i32", arena.REST },
  })
  local Bullet = ecs.component("ArenaBullet", {
    left = { "i32", arena.FLIGHT }, nest = "entity", fire = "bool",
  })
  local Burning = ecs.component("ArenaBurning", {
    left = { "i32", arena.FIRE },
  })
  local Spark = ecs.component("ArenaSpark", { left = { "i32", arena.GLOW } })

  local world = ecs.world { seed = 1, threads = threads }
  local points, deaths, died = world:sum "points", world:sum "deaths", 0

  world:system { name = "wander", query = { Velocity, Wander },
    each = function(v, w)
      w.left = w.left - 1
      if w.left <= 0 then
        w.left = 20 + math.floor(ecs.random() * 40)
        w.angle = w.angle + (ecs.random() - 0.5) * math.pi
        v.x = math.cos(w.angle) * arena.SPEED
        v.y = math.sin(w.angle) * arena.SPEED
      end
    end }

  world:system { name = "chase",
    query = { Velocity, read = { Position, Target } },
    each = function(v, p, t, dt)
      local prey = world:get(t.nest, Nest, "monster")
      local x, y = world:get(prey, Position, "x", "y")
      if x then
        local dx, dy = x - p.x, y - p.y
        local distance = math.sqrt(dx * dx + dy * dy)
        if distance > 1 then
          v.x = v.x + dx / distance * arena.PULL * dt
          v.y = v.y + dy / distance * arena.PULL * dt
        end
      end
    end }

  world:system { name = "move", query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x = p.x + v.x * dt
      p.y = p.y + v.y * dt
    end }

  world:system { name = "walls",
    query = { Position, Velocity, with = { Health } },
    each = function(p, v)
      if p.x < 0 then p.x, v.x = 0, -v.x end
      if p.x > WIDTH then p.x, v.x = WIDTH, -v.x end
      if p.y < 0 then p.y, v.y = 0, -v.y end
      if p.y > WIDTH then p.y, v.y = WIDTH, -v.y end
    end }

  world:system { name = "shoot",
    query = { Weapon, read = { Position, Target } },
    each = function(w, p, t)
      w.wait = w.wait - 1
      if w.wait > 0 then return end
      w.wait = w.reload
      w.shots = w.shots + 1
      local x, y = world:get(world:get(t.nest, Nest, "monster"), Position,
        "x", "y")
      local dx, dy = x - p.x, y - p.y
      local distance = math.max(math.sqrt(dx * dx + dy * dy), 1)
      world:spawn(Position { x = p.x, y = p.y },
        Velocity { x = dx / distance * arena.BULLET_SPEED,
          y = dy / distance * arena.BULLET_SPEED },
        Bullet { nest = t.nest, fire = w.shots % 2 == 0 })
    end }

  world:system { name = "fly", query = { Bullet },
    each = function(b, _, e)
      b.left = b.left - 1
      if b.left > 0 then return end
      local monster = world:get(b.nest, Nest, "monster")
      world:set(monster, Health, "points",
        world:get(monster, Health, "points") - 1)
      if b.fire then world:add(monster, Burning) end
      world:destroy(e)
    end }

  world:system { name = "burn", query = { Burning, Health },
    each = function(burning, h, _, e)
      burning.left = burning.left - 1
      if burning.left % 4 == 0 then h.points = h.points - 1 end
      if burning.left <= 0 then world:remove(e, Burning) end
    end }

  world:system { name = "rest", query = { Health },
    each = function(h)
      h.rest = h.rest - 1
      if h.rest <= 0 then
        h.rest = arena.REST
        if h.points > 0 then
          h.points = math.min(h.points + 1, arena.POINTS)
        end
      end
      points:add(h.points)
    end }

  world:system { name = "die",
    query = { read = { Health, Position, Home, Target, Weapon } },
    each = function(h, p, home, target, weapon, _, e)
      if h.points > 0 then return end
      world:destroy(e)
      deaths:add(1)
      for _ = 1, arena.SPARKS do
        local angle = ecs.random() * 2 * math.pi
        world:spawn(Spark, Position { x = p.x, y = p.y },
          Velocity { x = math.cos(angle) * arena.SPARK_SPEED,
            y = math.sin(angle) * arena.SPARK_SPEED })
      end
      local child = world:spawn(Health, Wander, Velocity,
        Position { x = ecs.random() * WIDTH, y = ecs.random() * WIDTH },
        Weapon { wait = weapon.reload, reload = weapon.reload },
        Home { nest = home.nest }, Target { nest = target.nest })
      world:set(home.nest, Nest, "monster", child)
    end }

  world:system { name = "fade", query = { Spark },
    each = function(s, _, e)
      s.left = s.left - 1
      if s.left <= 0 then world:destroy(e) end
    end }

  local game = { world = world }

  function game.start()
    world:clear()
    died = 0
    local nests, rival = {}, arena.rivals(count)
    for k = 1, count do nests[k] = world:spawn(Nest) end
    for k = 1, count do
      local x, y, reload, wait, left, rest = arena.start(k)
      world:set(nests[k], Nest, "monster", world:spawn(Wander, Velocity,
        Position { x = x, y = y }, Health { points = left, rest = rest },
        Weapon { wait = wait, reload = reload },
        Home { nest = nests[k] }, Target { nest = nests[rival(k)] }))
    end
  end

  function game.frame()
    world:progress(DT)
    died = died + deaths:value()
  end

  local function number(...) return world:query({ with = { ... } }):count() end

  function game.counts()
    return arena.describe(number(Health), number(Bullet), number(Spark),
      number(Burning), points:value(), died)
  end

  return game
end
