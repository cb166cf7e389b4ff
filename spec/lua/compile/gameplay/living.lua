-- living: growth, needs, weather, and how they look. Thirteen functions.

return function(ecs, world, c)
  local DAY = 24
  local sky = { hours = 6.5, dawn = 6, dusk = 18.5, night = 0.15 }
  local farm = { thirst = 0.2, stages = 4 }
  local debug_view = nil
  local total_health, wounded = world:sum "health", world:sum "wounded"
  local weakest, richest = world:min "weakest", world:max "richest"

  local function clamp01(x)
    return x < 0 and 0 or x > 1 and 1 or x
  end

  local function smoothstep(low, high, x)
    local t = clamp01((x - low) / (high - low))
    return t * t * (3 - 2 * t)
  end

  local function round(x) return math.floor(x + 0.5) end

  local function daylight(hour)
    if hour < sky.dawn or hour > sky.dusk + 1 then
      return sky.night
    elseif hour < sky.dawn + 1 then
      return sky.night + (1 - sky.night) * (hour - sky.dawn)
    elseif hour > sky.dusk then
      return 1 - (1 - sky.night) * (hour - sky.dusk)
    end
    return 1
  end

  local function experience_for(level)
    if level <= 1 then
      return 100
    elseif level == 2 then
      return 250
    elseif level == 3 then
      return 500
    elseif level < 10 then
      return 500 + (level - 3) * 300
    end
    return 100 * level ^ 2
  end

  return {
    {
      name = "animate", query = { c.Animation, c.Sprite },
      each = function(animation, sprite, dt)
        if animation.done then return end
        animation.time = animation.time + dt * animation.speed
        if animation.time >= 1 then
          animation.time = animation.time - 1
          animation.frame = animation.frame + 1
          if animation.frame >= animation.count then
            if animation.loop then
              animation.frame = 0
            else
              animation.frame = animation.count - 1
              animation.done = true
            end
          end
        end
        sprite.frame = animation.frame
      end,
    },
    {
      name = "fade in and out",
      query = { c.Sprite, read = { c.Fade } },
      each = function(sprite, fade, dt)
        local goal = fade.out and 0 or 1
        local step = fade.speed * dt
        if sprite.alpha < goal then
          sprite.alpha = math.min(sprite.alpha + step, goal)
        elseif sprite.alpha > goal then
          sprite.alpha = math.max(sprite.alpha - step, goal)
        end
        sprite.visible = sprite.alpha > 0
      end,
    },
    {
      name = "day and night", query = { c.Lamp },
      each = function(lamp, dt)
        lamp.hour = (lamp.hour + dt + sky.hours) % DAY
        local light = daylight(lamp.hour)
        lamp.on = light < 0.5
        lamp.red = round(255 * light)
        lamp.green = round(220 * light)
        lamp.blue = round(80 + 100 * (1 - light))
        lamp.glow = smoothstep(0.2, 0.9, light)
      end,
    },
    {
      name = "stamina", query = { c.Stamina, optional = { c.Speed } },
      each = function(stamina, speed, dt)
        local running = stamina.running and not stamina.tired
        if running then
          stamina.value = stamina.value - 20 * dt
          if stamina.value <= 0 then
            stamina.value = 0
            stamina.tired = true
          end
        else
          stamina.value = math.min(stamina.max, stamina.value + 12.5 * dt)
          if stamina.tired and stamina.value > stamina.max * 0.3 then
            stamina.tired = false
          end
        end
        if speed then
          speed.max = running and 40 or stamina.tired and 10 or 20
        end
      end,
    },
    {
      name = "hunger", query = { c.Hunger, c.Health },
      each = function(hunger, health, dt)
        hunger.value = hunger.value + dt * (hunger.active and 2 or 0.5)
        if hunger.value > 100 then
          hunger.value = 100
          hunger.starving = hunger.starving + dt
          local bites = math.floor(hunger.starving)
          if bites >= 1 then
            health.hp = health.hp - bites
            hunger.starving = hunger.starving - bites
          end
        else
          hunger.starving = 0
        end
        health.hp = health.hp > health.max and health.max or health.hp
      end,
    },
    {
      name = "crops grow", query = { c.Crop },
      each = function(crop, dt, e)
        if crop.stage >= farm.stages then return end
        crop.water = math.max(0, crop.water - farm.thirst * dt)
        local rate = 0
        if crop.water > 0.6 then
          rate = 1
        elseif crop.water > 0.2 then
          rate = 0.5
        elseif crop.water <= 0 then
          crop.dry = crop.dry + 1
          if crop.dry > 3 then
            world:destroy(e)
            return
          end
        end
        crop.growth = crop.growth + rate * dt
        local needed = 1.5 ^ crop.stage
        if crop.growth >= needed then
          crop.growth = crop.growth - needed
          crop.stage = crop.stage + 1
        end
        if debug_view ~= nil then crop.growth = 0 end
      end,
    },
    {
      name = "exchange warmth",
      query = { c.Warmth, read = { c.Target, c.Body } },
      each = function(warmth, target, body, dt)
        local outside = world:get(target.who, c.Heat, "value") or 15
        local flow = (outside - warmth.value) * warmth.leak
        warmth.value = warmth.value + flow / body.mass * dt
        if warmth.value ~= warmth.value then warmth.value = 37 end
        warmth.shiver = warmth.value < 35.5
        warmth.comfort = clamp01(1 - math.abs(warmth.value - 37) / 10)
      end,
    },
    {
      name = "doors open and shut", query = { c.Door },
      each = function(door, dt)
        local goal = 0
        if door.open then
          door.timer = door.timer - dt
          if door.timer <= 0 then door.open = false end
          goal = 90
        elseif door.pushed and not door.locked then
          door.open, door.pushed = true, false
          door.timer = 5
        end
        local diff = goal - door.angle
        local step = 180 * dt
        if math.abs(diff) < step then
          door.angle = goal
        elseif diff > 0 then
          door.angle = door.angle + step
        else
          door.angle = door.angle - step
        end
      end,
    },
    {
      name = "experience and levels", query = { c.Level },
      each = function(level)
        for _ = 1, 3 do
          local needed = experience_for(level.level)
          if level.xp >= needed and level.level < 50 then
            level.xp = level.xp - needed
            level.level = level.level + 1
            level.points = level.points + (level.level % 5 == 0 and 3 or 1)
          end
        end
        level.progress = level.xp / experience_for(level.level)
      end,
    },
    {
      name = "a spring with a damper", query = { c.Spring },
      each = function(spring, dt)
        local steps = 4
        local h = dt / steps
        for _ = 1, steps do
          local force = -spring.k * (spring.x - spring.rest)
            - spring.damping * spring.v
          spring.v = spring.v + force * h
          spring.x = spring.x + spring.v * h
        end
      end,
    },
    {
      name = "chemistry in a pond",
      query = { c.Pond },
      each = function(pond, dt)
        local a, b = pond.algae, pond.bugs
        local eaten = 0.5 * a * b / (1 + a)
        a = a + (a * (1 - a / 10) - eaten) * dt
        b = b + (eaten * 0.6 - 0.2 * b) * dt
        pond.algae, pond.bugs = math.max(a, 0.001), math.max(b, 0.001)
        local ratio = ecs.math.log(a + 1) - ecs.math.log(b + 1)
        pond.mood = ratio > 1 and 2 or ratio < -1 and 0 or 1
        if not (pond.mood == 1 or ratio == 0) and pond.algae == pond.algae then
          pond.turns = pond.turns + 1
        end
      end,
    },
    {
      name = "wander at random",
      query = { c.Velocity, c.Heading, optional = { c.Home } },
      each = function(vel, heading, home, dt)
        heading.fuel = heading.fuel - dt
        if heading.fuel > 0 then return end
        heading.fuel = 0.5 + ecs.random() * 2
        heading.angle = heading.angle + (ecs.random() - 0.5) * math.pi
        local speed = 5
        if home and ecs.random() < 0.3 then speed = 12 end
        vel.x = math.cos(heading.angle) * speed
        vel.y = math.sin(heading.angle) * speed
      end,
    },
    {
      name = "sums for a display",
      query = { c.Health, optional = { c.Level } },
      each = function(health, level)
        if health.hp > 0 then
          total_health:add(health.hp)
          weakest:add(health.hp / health.max)
          if health.hp < health.max / 2 then wounded:add(1) end
        end
        if level then richest:add(level.points) end
        -- The total of the frame before is shared out.
        if wounded:value() > 10 and health.hp < weakest:value() + 30 then
          health.hp = health.hp + 1
        end
      end,
    },
  }
end
