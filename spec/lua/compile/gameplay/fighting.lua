-- fighting: health, weapons, states and death. Eleven functions.

return function(_, world, c)
  local IDLE, CHASE, ATTACK, FLEE = 0, 1, 2, 3
  local POISON_TICK = 0.5
  local stats = { sight = 60, reach = 8, courage = 0.25, debug = false }

  local function clamp(x, low, high) return math.max(low, math.min(high, x)) end

  local function is_dead(health) return health.hp <= 0 end

  local function damage_after_armor(damage, armor)
    if armor >= 100 then
      return 0
    elseif armor <= 0 then
      return damage
    end
    return damage * (100 - armor) / 100
  end

  return {
    {
      name = "poison over time",
      query = { c.Health, c.Poison },
      each = function(health, poison, dt, e)
        if is_dead(health) then return end
        poison.left = poison.left - dt
        poison.timer = poison.timer + dt
        if poison.timer >= POISON_TICK then
          poison.timer = poison.timer - POISON_TICK
          health.hp = health.hp - poison.damage
        end
        if poison.left <= 0 then
          world:remove(e, c.Poison)
        end
        if is_dead(health) then
          health.hp = 0
          world:add(e, c.Dead)
        end
      end,
    },
    {
      name = "cool down", query = { c.Cooldown },
      each = function(cooldown, dt)
        if cooldown.left > 0 then
          cooldown.left = math.max(0, cooldown.left - dt)
        end
        cooldown.ready = cooldown.left == 0
        if cooldown.ready and cooldown.wanted then
          cooldown.left = cooldown.time
          cooldown.wanted = false
          cooldown.used = cooldown.used + 1
        end
      end,
    },
    {
      name = "a state machine",
      query = { c.Mind, c.Velocity, read = { c.Position, c.Health } },
      each = function(mind, vel, pos, health, dt)
        mind.timer = mind.timer - dt
        local alive = world:alive(mind.target)
        local tx, ty = world:get(mind.target, c.Position, "x", "y")
        local dist
        if tx then
          local dx, dy = tx - pos.x, ty - pos.y
          dist = math.sqrt(dx * dx + dy * dy)
        end
        if mind.state == IDLE then
          vel.x, vel.y = 0, 0
          if dist and dist < stats.sight then mind.state = CHASE end
        elseif mind.state == CHASE then
          if not alive or not dist then
            mind.state = IDLE
          elseif health.hp < health.max * stats.courage then
            mind.state, mind.timer = FLEE, 3
          elseif dist < stats.reach then
            mind.state = ATTACK
            mind.timer = 0.5
          elseif dist > 0 then
            vel.x = (tx - pos.x) / dist * 25
            vel.y = (ty - pos.y) / dist * 25
          end
        elseif mind.state == ATTACK then
          vel.x, vel.y = vel.x * 0.5, vel.y * 0.5
          if mind.timer <= 0 then
            mind.state = alive and CHASE or IDLE
            mind.attacks = mind.attacks + 1
          end
        elseif mind.state == FLEE then
          if tx and dist > 0 then
            vel.x = -(tx - pos.x) / dist * 40
            vel.y = -(ty - pos.y) / dist * 40
          end
          if mind.timer < 0 then mind.state = IDLE end
        else
          mind.state = IDLE
        end
        if stats.debug then mind.timer = 0 end
      end,
    },
    {
      name = "bullets end", query = { c.Lifetime, read = { c.Position } },
      each = function(life, pos, dt, e)
        life.left = life.left - dt
        local outside = pos.x < -150 or pos.x > 150 or pos.y < -150
          or pos.y > 150
        if life.left <= 0 or outside then world:destroy(e) end
      end,
    },
    {
      name = "burn and freeze",
      query = { c.Heat, optional = { c.Health } },
      each = function(heat, health, _, e)
        if heat.value > 80 then
          world:add(e, c.Burning)
          world:remove(e, c.Frozen)
        elseif heat.value < 0 then
          world:add(e, c.Frozen)
          world:remove(e, c.Burning)
        else
          world:remove(e, c.Burning)
          world:remove(e, c.Frozen)
          return
        end
        if health and not is_dead(health) then health.hp = health.hp - 1 end
      end,
    },
    {
      name = "knock back", query = { c.Knockback, c.Position },
      each = function(knock, pos, dt, e)
        if knock.left <= 0 then
          world:remove(e, c.Knockback)
          return
        end
        local t = knock.left / 0.3
        local strength = t * t * (3 - 2 * t)
        pos.x = pos.x + knock.x * strength * dt
        pos.y = pos.y + knock.y * strength * dt
        knock.left = knock.left - dt
      end,
    },
    {
      name = "a shield comes back",
      query = { c.Shield, c.Health },
      each = function(shield, health, dt)
        local damage = damage_after_armor(shield.hit, shield.armor)
        shield.hit = 0
        if damage > 0 then
          shield.delay = 3
          local absorbed = math.min(shield.value, damage)
          shield.value = shield.value - absorbed
          health.hp = health.hp - math.ceil(damage - absorbed)
        elseif shield.delay > 0 then
          shield.delay = shield.delay - dt
        else
          shield.value = clamp(shield.value + shield.rate * dt, 0, shield.max)
        end
      end,
    },
    {
      name = "reload", query = { c.Weapon },
      each = function(weapon, dt)
        if weapon.reloading then
          weapon.timer = weapon.timer - dt
          if weapon.timer > 0 then return end
          local need = weapon.clip - weapon.ammo
          local taken = math.min(need, weapon.reserve)
          weapon.ammo = weapon.ammo + taken
          weapon.reserve = weapon.reserve - taken
          weapon.reloading = false
        elseif weapon.trigger and weapon.ammo > 0 then
          weapon.ammo = weapon.ammo - 1
        elseif weapon.ammo == 0 and weapon.reserve > 0 then
          weapon.reloading = true
          weapon.timer = 1.5
        end
      end,
    },
    {
      name = "blink while invulnerable",
      query = { c.Sprite, c.Blink },
      each = function(sprite, blink, dt, e)
        blink.left = blink.left - dt
        if blink.left <= 0 then
          sprite.visible = true
          world:remove(e, c.Blink)
        else
          sprite.visible = math.floor(blink.left * 10) % 2 == 0
        end
        sprite.alpha = sprite.visible and 1 or 0.25
      end,
    },
    {
      name = "heal at a campfire",
      query = { c.Health, read = { c.Position, c.Target } },
      each = function(health, pos, target)
        local fire = target.who
        if not fire or not world:has(fire, c.Burning) then return end
        local x, y = world:get(fire, c.Position, "x", "y")
        if not x then return end
        local near = (x - pos.x) ^ 2 + (y - pos.y) ^ 2 < 100 ^ 2
        if near and health.hp < health.max then
          local dose = math.floor(health.max / 10)
          health.hp = math.min(health.hp + dose, health.max)
        end
      end,
    },
    {
      name = "a combo counter",
      query = { c.Combo },
      each = function(combo, dt)
        combo.window = combo.window - dt
        if combo.hit then
          combo.hit = false
          combo.count = combo.window > 0 and combo.count + 1 or 1
          combo.window = 1.2 / (1 + combo.count * 0.1)
        elseif combo.window <= 0 then
          combo.count = 0
        end
        local multiplier
        if combo.count >= 20 then
          multiplier = 4
        elseif combo.count >= 10 then
          multiplier = 2
        elseif combo.count >= 5 then
          multiplier = 1.5
        end
        combo.score = combo.score + combo.points * (multiplier or 1)
        combo.best = math.max(combo.best, combo.count)
      end,
    },
  }
end
