-- bench_game: one frame of a small shooter, written as the guide teaches,
-- beside the same game in plain Lua tables.
--
-- Every entity moves and turns round at the borders; a hundredth of them are
-- bullets shot in this frame, which live for 50 frames; monsters that a bullet
-- has reached (here: every eighth frame, those in a stripe) lose health and are
-- replaced when they have none. All numbers are exact, so both games agree.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs, DT = scene.ecs, scene.DT
local SIZES = { 1000, 10000 }
local WIDTH, LIFE = 64, 50
local FRAMES = 64 -- of a run: LuaJIT needs some until all paths are compiled

local Position, Velocity = scene.Position, scene.Velocity
local Bullet = ecs.component("GameBullet", { left = "i32" })
local Monster = ecs.component("GameMonster", { health = "i32" })

measure.open("lua game", arg)

--- The start of monster k, and of bullet k of a frame.
local function monster(k) return k % WIDTH, k % 32, k % 8 - 4, k % 4 + 1 end
local function bullet(k) return k % WIDTH, 0, 0, k % 16 + 4 end

local function by_hand(count)
  local monsters, bullets, shots = {}, {}, math.ceil(count / 100)
  local frames, hits = 0, 0

  local function move(list)
    for k = 1, #list do
      local one = list[k]
      one.x, one.y = one.x + one.vx * DT, one.y + one.vy * DT
      if one.x < 0 or one.x > WIDTH then one.vx = -one.vx end
      if one.y < 0 or one.y > WIDTH then one.vy = -one.vy end
    end
  end

  local function start()
    monsters, bullets, frames, hits = {}, {}, 0, 0
    for k = 1, count do
      local x, y, vx, vy = monster(k)
      monsters[k] = { x = x, y = y, vx = vx, vy = vy, health = 3 }
    end
  end
  start()

  local function frame()
    frames = frames + 1
    for k = 1, shots do
      local x, y, vx, vy = bullet(k)
      bullets[#bullets + 1] = { x = x, y = y, vx = vx, vy = vy, left = LIFE }
    end
    move(monsters)
    move(bullets)
    local k = 1
    while k <= #bullets do
      local one = bullets[k]
      one.left = one.left - 1
      if one.left <= 0 then
        bullets[k] = bullets[#bullets]
        bullets[#bullets] = nil
      else
        k = k + 1
      end
    end
    if frames % 8 == 0 then
      local stripe = frames % WIDTH
      for i = 1, #monsters do
        local one = monsters[i]
        if one.x >= stripe and one.x < stripe + 1 then
          one.health = one.health - 1
          if one.health <= 0 then
            hits = hits + 1
            monsters[i] = { x = 0, y = 0, vx = 1, vy = 1, health = 3 }
          end
        end
      end
    end
  end

  return {
    name = "by hand", reset = start, operations = count * FRAMES,
    run = function() for _ = 1, FRAMES do frame() end end,
    check = function()
      local sum = hits + #bullets * 1000
      for _, one in ipairs(monsters) do sum = sum + one.x + 3 * one.y end
      for _, one in ipairs(bullets) do sum = sum + one.x + 3 * one.y end
      return sum
    end,
  }
end

local function ours(count)
  local shots = math.ceil(count / 100)
  local world = ecs.world {}
  local frames, hits = 0, 0
  local shot = Bullet { left = LIFE }

  world:system { name = "shoot", run = function()
    frames = frames + 1
    for k = 1, shots do
      local x, y, vx, vy = bullet(k)
      world:spawn(Position { x = x, y = y }, Velocity { x = vx, y = vy }, shot)
    end
  end }
  world:system { name = "move", query = { Position, Velocity },
    each = function(p, v, dt)
      p.x = p.x + v.x * dt
      p.y = p.y + v.y * dt
      if p.x < 0 or p.x > WIDTH then v.x = -v.x end
      if p.y < 0 or p.y > WIDTH then v.y = -v.y end
    end }
  world:system { name = "expire", query = { Bullet },
    each = function(b, _, e)
      b.left = b.left - 1
      if b.left <= 0 then world:destroy(e) end
    end }
  world:system { name = "hit", run = function()
    if frames % 8 ~= 0 then return end
    local stripe = frames % WIDTH
    for e, m, p in world:query({ Monster, read = { Position } }):rows() do
      if p.x >= stripe and p.x < stripe + 1 then
        m.health = m.health - 1
        if m.health <= 0 then
          hits = hits + 1
          world:destroy(e)
          world:spawn(Position { x = 0, y = 0 }, Velocity { x = 1, y = 1 },
            Monster { health = 3 })
        end
      end
    end
  end }

  local function start()
    world:clear()
    frames, hits = 0, 0
    for k = 1, count do
      local x, y, vx, vy = monster(k)
      world:spawn(Position { x = x, y = y }, Velocity { x = vx, y = vy },
        Monster { health = 3 })
    end
  end
  start()

  return {
    name = "a world", reset = start, aim_ratio = 1,
    operations = count * FRAMES,
    run = function() for _ = 1, FRAMES do world:progress(DT) end end,
    check = function()
      local sum = hits + world:query({ with = { Bullet } }):count() * 1000
      for _, p in world:query({ read = { Position } }):rows() do
        sum = sum + p.x + 3 * p.y
      end
      return sum
    end,
  }
end

measure.contest("a frame of a shooter", SIZES, function(count)
  return { by_hand(count), ours(count) }
end)

measure.close()
