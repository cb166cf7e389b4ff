-- movement: how things move, as a game would write it. Eleven functions.
--
-- A file of this folder returns a function. The function takes ecs (the
-- module), a world and its components (scene.lua), and returns a list of
-- systems. Above the systems is what a game has there: constants, settings,
-- small functions.

return function(_, world, c)
  local GRAVITY, BOUNCE = -9.81, 0.7
  local WIDTH, HEIGHT = 320, 180

  local settings = {
    drag = 0.15,
    wind = { x = 3, y = -0.5, gusts = true },
    grid = 16,
  }

  local vec = {}

  function vec.length(x, y)
    return math.sqrt(x * x + y * y)
  end

  function vec.normalize(x, y)
    local length = vec.length(x, y)
    if length == 0 then return 0, 0 end
    return x / length, y / length
  end

  function vec.limit(x, y, most)
    local length = vec.length(x, y)
    if length > most then
      local nx, ny = vec.normalize(x, y)
      return nx * most, ny * most
    end
    return x, y
  end

  local function sign(x)
    if x > 0 then return 1 end
    if x < 0 then return -1 end
    return 0
  end

  local function lerp(a, b, t) return a + (b - a) * t end

  return {
    {
      name = "movement", query = { c.Position, read = { c.Velocity } },
      each = function(pos, vel, dt)
        pos.x = pos.x + vel.x * dt
        pos.y = pos.y + vel.y * dt
      end,
    },
    {
      name = "gravity with a bounce", query = { c.Position, c.Velocity },
      each = function(pos, vel, dt)
        vel.y = vel.y + GRAVITY * dt
        pos.y = pos.y + vel.y * dt
        if pos.y < 0 then
          pos.y = -pos.y
          vel.y = -vel.y * BOUNCE
          if math.abs(vel.y) < 0.1 then vel.y = 0 end
        end
      end,
    },
    {
      name = "seek a target",
      query = { c.Velocity, read = { c.Position, c.Target, c.Speed } },
      each = function(vel, pos, target, speed, dt)
        local tx, ty = world:get(target.who, c.Position, "x", "y")
        if not tx then return end
        local dx, dy = vec.normalize(tx - pos.x, ty - pos.y)
        local wantx, wanty = dx * speed.max, dy * speed.max
        local fx, fy = vec.limit(wantx - vel.x, wanty - vel.y, speed.force)
        vel.x, vel.y = vec.limit(vel.x + fx * dt, vel.y + fy * dt, speed.max)
      end,
    },
    {
      name = "flee from a target",
      query = { c.Velocity, read = { c.Position, c.Target, c.Speed } },
      each = function(vel, pos, target, speed)
        if target.who == nil or not world:alive(target.who) then
          vel.x, vel.y = 0, 0
          return
        end
        local x = world:get(target.who, c.Position, "x")
        local y = world:get(target.who, c.Position, "y")
        if x and y then
          local dx, dy = pos.x - x, pos.y - y
          local dist = (dx ^ 2 + dy ^ 2) ^ 0.5
          if dist > 0 and dist < 50 then
            vel.x = dx / dist * speed.max
            vel.y = dy / dist * speed.max
          end
        end
      end,
    },
    {
      name = "arrive and stop",
      query = { c.Velocity, read = { c.Position, c.Home, c.Speed } },
      each = function(vel, pos, home, speed)
        local dx, dy = home.x - pos.x, home.y - pos.y
        local dist = vec.length(dx, dy)
        local wanted = speed.max
        if dist < 0.5 then
          wanted = 0
        elseif dist < home.radius then
          wanted = speed.max * (dist / home.radius)
        end
        local nx, ny = vec.normalize(dx, dy)
        vel.x = nx * wanted
        vel.y = ny * wanted
      end,
    },
    {
      name = "wrap round the screen", query = { c.Position },
      each = function(pos)
        pos.x = pos.x % WIDTH
        if pos.y < 0 then
          pos.y = pos.y + HEIGHT
        elseif pos.y >= HEIGHT then
          pos.y = pos.y - HEIGHT
        end
      end,
    },
    {
      name = "drag and friction", query = { c.Velocity, with = { c.Grounded } },
      each = function(vel, dt)
        local k = 1 - settings.drag * dt
        vel.x = vel.x * k
        vel.y = vel.y * k
        local stop = 4 * dt
        if math.abs(vel.x) <= stop then
          vel.x = 0
        else
          vel.x = vel.x - sign(vel.x) * stop
        end
      end,
    },
    {
      name = "wind", query = { c.Velocity, read = { c.Body },
                               without = { c.Grounded } },
      each = function(vel, body, dt)
        local wind = settings.wind
        local fx, fy = wind.x, wind.y
        if wind.gusts and body.sail > 1 then fx = fx * 2 end
        vel.x = vel.x + (fx - vel.x) * body.sail / body.mass * dt
        vel.y = vel.y + fy * body.sail / body.mass * dt
      end,
    },
    {
      name = "conveyor belt",
      query = { c.Position, read = { c.Belt }, optional = { c.Body } },
      each = function(pos, belt, body, dt)
        if belt.on and (body == nil or body.mass < 50) then
          local grip = body and 1 / body.mass or 1
          pos.x = pos.x + belt.x * math.min(grip, 1) * dt
          pos.y = pos.y + belt.y * math.min(grip, 1) * dt
        end
      end,
    },
    {
      name = "snap to a grid", query = { c.Position, c.Cell },
      each = function(pos, cell)
        local size = settings.grid
        cell.column = math.floor(pos.x / size)
        cell.row = math.floor(pos.y / size)
        if cell.snap then
          pos.x = math.floor(pos.x / size + 0.5) * size
          pos.y = math.floor(pos.y / size + 0.5) * size
        end
      end,
    },
    {
      name = "follow with a camera",
      query = { c.Camera },
      each = function(camera, dt)
        local x, y = world:get(camera.target, c.Position, "x", "y")
        local zoom = 1
        if x then
          local t = 1 - math.exp(-camera.speed * dt)
          camera.x = lerp(camera.x, x, t)
          camera.y = lerp(camera.y, y, t)
        else
          zoom = 0.5
        end
        local half = WIDTH / 2 / zoom
        camera.x = math.max(half, math.min(1000 - half, camera.x))
        camera.zoom = lerp(camera.zoom, zoom, 0.1)
      end,
    },
  }
end
