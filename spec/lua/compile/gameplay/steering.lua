-- steering: turning, aiming, circling and coming back. Nine functions.

return function(ecs, world, c)
  local TAU = 2 * math.pi
  -- Lua 5.4 has atan with two arguments, LuaJIT has atan2.
  local atan2 = math.atan2 or math.atan
  local sin, cos, abs = math.sin, math.cos, math.abs

  local function clamp(value, low, high)
    if value < low then
      return low
    elseif value > high then
      return high
    end
    return value
  end

  local function turn_between(from, to)
    return (to - from + math.pi) % TAU - math.pi
  end

  -- The angle, and whether the target is reached.
  local function turn_towards(from, to, most)
    local turn = turn_between(from, to)
    if abs(turn) <= most then return to, true end
    return from + clamp(turn, -most, most), false
  end

  local function distance(ax, ay, bx, by)
    local dx, dy = bx - ax, by - ay
    return (dx * dx + dy * dy) ^ 0.5
  end

  local flags = { show_leash = false, soft = true }

  return {
    {
      name = "aim a tower",
      query = { c.Turret, read = { c.Position } },
      each = function(turret, pos, dt)
        turret.aimed = false
        if not turret.target then return end
        local x, y = world:get(turret.target, c.Position, "x", "y")
        if x == nil or distance(pos.x, pos.y, x, y) > turret.range then
          turret.target = nil
          return
        end
        local wanted = atan2(y - pos.y, x - pos.x)
        local angle, aimed = turn_towards(turret.angle, wanted,
          turret.rate * dt)
        turret.angle = angle
        turret.aimed = aimed
      end,
    },
    {
      name = "home in like a missile",
      query = { c.Velocity, c.Heading, read = { c.Position, c.Target } },
      each = function(vel, heading, pos, target, dt, e)
        heading.fuel = heading.fuel - dt
        if heading.fuel <= 0 then
          world:destroy(e)
          return
        end
        local x, y = world:get(target.who, c.Position, "x", "y")
        if x then
          heading.angle = turn_towards(heading.angle,
            atan2(y - pos.y, x - pos.x), 2.5 * dt)
        end
        vel.x = cos(heading.angle) * 80
        vel.y = sin(heading.angle) * 80
      end,
    },
    {
      name = "orbit", query = { c.Orbit, c.Velocity, read = { c.Position } },
      each = function(orbit, vel, pos, dt)
        orbit.angle = (orbit.angle + orbit.speed * dt) % TAU
        local cx, cy = world:get(orbit.centre, c.Position, "x", "y")
        cx, cy = cx or 0, cy or 0
        local x = cx + cos(orbit.angle) * orbit.radius
        local y = cy + sin(orbit.angle) * orbit.radius
        vel.x, vel.y = x - pos.x, y - pos.y
      end,
    },
    {
      name = "patrol between two points",
      query = { c.Patrol, c.Velocity, read = { c.Position } },
      each = function(patrol, vel, pos, dt)
        if patrol.wait > 0 then
          patrol.wait = patrol.wait - dt
          vel.x, vel.y = 0, 0
          return
        end
        local x = patrol.back and patrol.ax or patrol.bx
        local y = patrol.back and patrol.ay or patrol.by
        local dist = distance(pos.x, pos.y, x, y)
        if dist < 10 then
          patrol.back = not patrol.back
          patrol.wait = 2
        else
          vel.x = (x - pos.x) / dist * 20
          vel.y = (y - pos.y) / dist * 20
        end
      end,
    },
    {
      name = "a leash to a home",
      query = { c.Position, read = { c.Home } },
      each = function(pos, home)
        local dist = distance(pos.x, pos.y, home.x, home.y)
        local most = home.radius > 0 and home.radius or 10
        if dist <= most then return end
        local k = most / dist
        if flags.soft then k = (k + 1) / 2 end
        pos.x = home.x + (pos.x - home.x) * k
        pos.y = home.y + (pos.y - home.y) * k
        if flags.show_leash then pos.y = pos.y + 1 end
      end,
    },
    {
      name = "flip a sprite",
      query = { c.Sprite, read = { c.Velocity } },
      each = function(sprite, vel)
        if vel.x ~= 0 then sprite.flip = vel.x < 0 end
        local moving = vel.x ~= 0 or vel.y ~= 0
        sprite.frame = moving and sprite.frame + 1 or 0
        if sprite.frame >= 8 then sprite.frame = 0 end
      end,
    },
    {
      name = "turn with the velocity",
      query = { c.Heading, read = { c.Velocity } },
      each = function(heading, vel, dt)
        local vx, vy = vel.x, vel.y
        if vx * vx + vy * vy < 1e-3 then return end
        local wanted = atan2(vy, vx)
        heading.angle = heading.angle
          + turn_between(heading.angle, wanted) * math.min(1, 8 * dt)
      end,
    },
    {
      name = "drive a car",
      query = { c.Heading, c.Velocity, read = { c.Pedals } },
      each = function(heading, vel, pedals, dt)
        local speed = vel.x * cos(heading.angle) + vel.y * sin(heading.angle)
        if pedals.gas then
          speed = speed + 30 * dt
        elseif pedals.brake then
          speed = speed - 60 * dt
          if speed < -10 then speed = -10 end
        end
        speed = clamp(speed, -10, 100)
        local grip = 1 / (1 + (speed / 50) ^ 2)
        heading.angle = heading.angle + pedals.steer * grip * speed * 0.02 * dt
        vel.x = speed * cos(heading.angle)
        vel.y = speed * sin(heading.angle)
      end,
    },
    {
      name = "bob on the waves",
      query = { c.Position, c.Heading },
      each = function(pos, heading, dt)
        heading.fuel = heading.fuel + dt
        local y = 0
        for k = 1, 3 do
          y = y + ecs.math.sin(pos.x * 0.05 * k + heading.fuel) / k
        end
        pos.y = ecs.math.lerp(pos.y, y * 4, 0.5)
        heading.angle = ecs.math.clamp(y, -0.4, 0.4)
      end,
    },
  }
end
