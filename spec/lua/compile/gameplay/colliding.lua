-- colliding: what happens to few in a frame. Ten functions.
--
-- Their branches are heavy and rarely taken. In them products are added to
-- values that were there before the branch: fields of each type, and variables.
-- Some such values are heavy themselves, and needed behind the branch, too.

return function(ecs, world, c)
  local sin, cos, exp, sqrt = math.sin, math.cos, math.exp, math.sqrt
  local atan2 = math.atan2 or math.atan
  local arena = { right = 390, low = -190, drag = 0.25 }

  local function falloff(distance, reach)
    return exp(-distance / reach) * cos(distance)
  end

  return {
    {
      name = "bounce off the wall",
      query = { c.Position, c.Velocity, c.Impact },
      each = function(pos, vel, hit, dt)
        local ahead = pos.x + vel.x * dt
        local slide = vel.y * arena.drag
        if pos.x > arena.right then
          local loss = cos(atan2(vel.y, vel.x)) * sin(hit.at)
          pos.x = ahead - loss * hit.at
          vel.x = slide - loss * vel.x
          vel.y = loss * vel.y + ahead
          hit.hits = hit.hits + 1
        end
      end,
    },
    {
      name = "crash with a heavy body",
      query = { c.Velocity, c.Impact, read = { c.Body, c.Position } },
      each = function(vel, hit, body, pos)
        local push = vel.x * 0.5 + pos.y
        if body.mass > 80 then
          local turn = sin(hit.at) + cos(body.sail)
          vel.x = turn * body.mass + push
          vel.y = pos.x - turn * vel.y
          hit.force = turn * hit.force + body.mass
          hit.score = turn * 10 * hit.armor + hit.score
        end
      end,
    },
    {
      name = "a critical hit",
      query = { c.Health, c.Impact, read = { c.Combo } },
      each = function(health, hit, combo)
        local base = hit.force * 0.5 + combo.points
        if combo.count > 220 then
          local luck = sin(combo.points) * cos(hit.at) + exp(-hit.at * hit.at)
          health.hp = health.hp - luck * base
          hit.force = luck * base + hit.force
          hit.armor = luck * hit.charge + hit.armor
          hit.charge = hit.charge - luck * hit.heat
        end
        hit.score = hit.score + 1
      end,
    },
    {
      name = "shrapnel of a blast",
      query = { c.Velocity, c.Impact, read = { c.Position, c.Target } },
      each = function(vel, hit, pos, target)
        local drift, lift = vel.x + pos.x, vel.y - pos.y
        if hit.charge > 100 then
          local x, y = world:get(target.who, c.Position, "x", "y")
          if x then
            local dx, dy = x - pos.x, y - pos.y
            local force = falloff(sqrt(dx * dx + dy * dy), 40)
            vel.x = force * dx + drift
            vel.y = lift - force * dy
            hit.hits = force * 1000 * hit.heat + hit.hits
          end
        end
      end,
    },
    {
      name = "overheat",
      query = { c.Impact, c.Weapon },
      each = function(hit, weapon, dt)
        local cooled = hit.heat - 20 * dt
        if hit.heat > 220 then
          local jam = sin(weapon.timer) + cos(hit.at) * exp(-weapon.timer)
          hit.heat = jam * weapon.clip + cooled
          weapon.timer = jam * weapon.timer + hit.at
          weapon.reserve = weapon.reserve - jam * weapon.ammo
          hit.ammo = hit.ammo - jam * hit.heat
        else
          hit.heat = cooled
        end
      end,
    },
    {
      name = "a cooldown that jumps",
      query = { c.Cooldown, c.Impact },
      each = function(cooldown, hit, dt)
        local left = cooldown.left - dt
        local pace = cooldown.time * arena.drag + hit.at
        if hit.ammo > 60000 then
          local wave = sin(hit.at * 3) * cos(cooldown.time) + exp(-hit.at)
          cooldown.left = wave * cooldown.time + left
          cooldown.time = pace - wave * cooldown.time
          cooldown.used = wave * hit.charge + cooldown.used
          hit.at = left - wave * pace
        end
      end,
    },
    {
      name = "steer clear",
      query = { c.Velocity, c.Impact, read = { c.Position, c.Home } },
      each = function(vel, hit, pos, home)
        local dx, dy = home.x - pos.x, home.y - pos.y
        if pos.y < arena.low then
          local angle = atan2(dy, dx)
          local s, q = sin(angle), cos(angle)
          vel.x = q * vel.x - vel.y
          vel.y = s * vel.x + dy
          hit.at = dx - s * hit.at
          hit.force = hit.force - q * home.radius
        end
      end,
    },
    {
      name = "a wave that few ride",
      query = { c.Velocity, c.Impact, read = { c.Position } },
      each = function(vel, hit, pos, dt)
        -- Heavy, and few need most of it, but a sum in all rows does, too.
        local rides = hit.armor > 25000
        local wave = sin(pos.x * 0.1) + cos(pos.y * 0.1) * exp(-hit.at)
        if rides then
          vel.y = wave * vel.y + pos.y
          hit.armor = wave * hit.armor - hit.charge
        end
        vel.x = vel.x * dt + wave
      end,
    },
    {
      name = "a rare wound, and its ache",
      query = { c.Health, c.Impact, c.Stamina },
      each = function(health, hit, stamina)
        local wounded = health.hp < 0
        local ache = ecs.math.sin(hit.at) * ecs.math.exp(-hit.at * hit.at)
        local breath = stamina.value - ache
        if wounded then
          local cry = ecs.math.cos(hit.at + ache) + sqrt(stamina.max)
          stamina.value = cry * ache + breath
          health.max = cry * health.hp + health.max
          hit.score = hit.score - cry * hit.armor
        end
        hit.force = hit.force * arena.drag - ache
      end,
    },
    {
      name = "the hard and the soft",
      query = { c.Impact, c.Spring },
      each = function(hit, spring, dt)
        local pull = spring.k * spring.x
        if hit.hard and hit.who and hit.score > 1000000 then
          local ring = sin(spring.v) * cos(spring.x)
          spring.v = ring * spring.v - pull
          spring.damping = ring * hit.force + spring.damping
          hit.hits = hit.hits - ring * hit.ammo
          hit.hard = ring * spring.rest + spring.v > pull
        elseif hit.hits > 4000000000 then
          local ring = cos(spring.v) * exp(-spring.x * spring.x)
          spring.x = pull - ring * dt
          hit.charge = ring * hit.charge + spring.rest
          hit.who = nil
        end
      end,
    },
  }
end
