--- arena_tables: the game of arena.lua with plain Lua tables: a list of each
-- kind, a table for each object.

local random, sqrt, cos, sin, min, max = math.random, math.sqrt, math.cos,
  math.sin, math.min, math.max

return function(arena, count)
  local WIDTH, DT = arena.WIDTH, arena.DT
  local SPEED, PULL, BULLET_SPEED = arena.SPEED, arena.PULL, arena.BULLET_SPEED
  local nests, monsters, bullets, sparks = {}, {}, {}, {}
  local points, died = 0, 0

  local function new_monster(x, y, reload, home, target)
    return { x = x, y = y, vx = 0, vy = 0, angle = 0, left = 0, wait = reload,
      reload = reload, shots = 0, points = arena.POINTS, rest = arena.REST,
      burning = 0, home = home, target = target }
  end

  local function wander()
    for k = 1, #monsters do
      local m = monsters[k]
      m.left = m.left - 1
      if m.left <= 0 then
        m.left = 20 + math.floor(random() * 40)
        m.angle = m.angle + (random() - 0.5) * math.pi
        m.vx, m.vy = cos(m.angle) * SPEED, sin(m.angle) * SPEED
      end
    end
  end

  local function chase()
    for k = 1, #monsters do
      local m = monsters[k]
      local prey = m.target.monster
      local dx, dy = prey.x - m.x, prey.y - m.y
      local distance = sqrt(dx * dx + dy * dy)
      if distance > 1 then
        m.vx = m.vx + dx / distance * PULL * DT
        m.vy = m.vy + dy / distance * PULL * DT
      end
    end
  end

  local function move(list)
    for k = 1, #list do
      local one = list[k]
      one.x = one.x + one.vx * DT
      one.y = one.y + one.vy * DT
    end
  end

  local function walls()
    for k = 1, #monsters do
      local m = monsters[k]
      if m.x < 0 then m.x, m.vx = 0, -m.vx end
      if m.x > WIDTH then m.x, m.vx = WIDTH, -m.vx end
      if m.y < 0 then m.y, m.vy = 0, -m.vy end
      if m.y > WIDTH then m.y, m.vy = WIDTH, -m.vy end
    end
  end

  local function shoot()
    for k = 1, #monsters do
      local m = monsters[k]
      m.wait = m.wait - 1
      if m.wait <= 0 then
        m.wait = m.reload
        m.shots = m.shots + 1
        local prey = m.target.monster
        local dx, dy = prey.x - m.x, prey.y - m.y
        local distance = max(sqrt(dx * dx + dy * dy), 1)
        bullets[#bullets + 1] = { x = m.x, y = m.y,
          vx = dx / distance * BULLET_SPEED, vy = dy / distance * BULLET_SPEED,
          left = arena.FLIGHT, nest = m.target, fire = m.shots % 2 == 0 }
      end
    end
  end

  local function fly()
    local k, last = 1, #bullets
    while k <= last do
      local b = bullets[k]
      b.left = b.left - 1
      if b.left <= 0 then
        local monster = b.nest.monster
        monster.points = monster.points - 1
        if b.fire and monster.burning == 0 then
          monster.burning = arena.FIRE
        end
        bullets[k] = bullets[last]
        bullets[last] = nil
        last = last - 1
      else
        k = k + 1
      end
    end
  end

  local function burn()
    for k = 1, #monsters do
      local m = monsters[k]
      if m.burning > 0 then
        m.burning = m.burning - 1
        if m.burning % 4 == 0 then m.points = m.points - 1 end
      end
    end
  end

  local function rest()
    points = 0
    for k = 1, #monsters do
      local m = monsters[k]
      m.rest = m.rest - 1
      if m.rest <= 0 then
        m.rest = arena.REST
        if m.points > 0 then m.points = min(m.points + 1, arena.POINTS) end
      end
      points = points + m.points
    end
  end

  local function die()
    for k = 1, #monsters do
      local m = monsters[k]
      if m.points <= 0 then
        died = died + 1
        for _ = 1, arena.SPARKS do
          local angle = random() * 2 * math.pi
          sparks[#sparks + 1] = { x = m.x, y = m.y,
            vx = cos(angle) * arena.SPARK_SPEED,
            vy = sin(angle) * arena.SPARK_SPEED, left = arena.GLOW }
        end
        local child = new_monster(random() * WIDTH, random() * WIDTH,
          m.reload, m.home, m.target)
        monsters[k], m.home.monster = child, child
      end
    end
  end

  local function fade()
    local k, last = 1, #sparks
    while k <= last do
      local s = sparks[k]
      s.left = s.left - 1
      if s.left <= 0 then
        sparks[k] = sparks[last]
        sparks[last] = nil
        last = last - 1
      else
        k = k + 1
      end
    end
  end

  local game = {}

  function game.start()
    nests, monsters, bullets, sparks, died = {}, {}, {}, {}, 0
    local rival = arena.rivals(count)
    for k = 1, count do nests[k] = {} end
    for k = 1, count do
      local x, y, reload, wait, left, rested = arena.start(k)
      local m = new_monster(x, y, reload, nests[k], nests[rival(k)])
      m.wait, m.points, m.rest = wait, left, rested
      monsters[k], nests[k].monster = m, m
    end
  end

  function game.frame()
    wander()
    chase()
    move(monsters)
    move(bullets)
    move(sparks)
    walls()
    shoot()
    fly()
    burn()
    rest()
    die()
    fade()
  end

  function game.counts()
    local burning = 0
    for _, m in ipairs(monsters) do
      if m.burning > 0 then burning = burning + 1 end
    end
    return arena.describe(#monsters, #bullets, #sparks, burning, points, died)
  end

  return game
end
