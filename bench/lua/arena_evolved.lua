--- arena_evolved: the game of arena.lua with evolved.lua: a fragment for each
-- number, systems over chunks. What changes the structure inside of a system
-- happens when it has ended; so does evolved.set.

local random, sqrt, cos, sin, min, max = math.random, math.sqrt, math.cos,
  math.sin, math.min, math.max

local unpack = table.unpack or unpack -- luacheck: ignore

return function(arena, count, evolved)
  local WIDTH, DT = arena.WIDTH, arena.DT
  local SPEED, PULL, BULLET_SPEED = arena.SPEED, arena.PULL, arena.BULLET_SPEED
  local get, set, spawn = evolved.get, evolved.set, evolved.spawn

  local X, Y, VX, VY, MONSTER, ANGLE, TURN = evolved.id(7)
  local TARGET, HOME, WAIT, RELOAD, SHOTS, POINTS, REST = evolved.id(7)
  local FLIGHT, NEST, FIRE, BURNING, GLOW = evolved.id(5)
  local stage = evolved.id()
  local points, died = 0, 0

  local function system(fragments, execute)
    return evolved.builder():group(stage):include(unpack(fragments))
      :execute(execute):build()
  end

  local function monster(x, y, reload, wait, left, rest, home, target)
    return spawn { [X] = x, [Y] = y, [VX] = 0, [VY] = 0, [ANGLE] = 0,
      [TURN] = 0, [WAIT] = wait, [RELOAD] = reload, [SHOTS] = 0,
      [POINTS] = left, [REST] = rest, [HOME] = home, [TARGET] = target }
  end

  local systems = {
    system({ VX, VY, ANGLE, TURN }, function(chunk, _, n)
      local vx, vy, angle, turn = chunk:components(VX, VY, ANGLE, TURN)
      for i = 1, n do
        turn[i] = turn[i] - 1
        if turn[i] <= 0 then
          turn[i] = 20 + math.floor(random() * 40)
          angle[i] = angle[i] + (random() - 0.5) * math.pi
          vx[i], vy[i] = cos(angle[i]) * SPEED, sin(angle[i]) * SPEED
        end
      end
    end),
    system({ X, Y, VX, VY, TARGET }, function(chunk, _, n)
      local x, y, vx, vy, target = chunk:components(X, Y, VX, VY, TARGET)
      for i = 1, n do
        local px, py = get(get(target[i], MONSTER), X, Y)
        local dx, dy = px - x[i], py - y[i]
        local distance = sqrt(dx * dx + dy * dy)
        if distance > 1 then
          vx[i] = vx[i] + dx / distance * PULL * DT
          vy[i] = vy[i] + dy / distance * PULL * DT
        end
      end
    end),
    system({ X, Y, VX, VY }, function(chunk, _, n)
      local x, y, vx, vy = chunk:components(X, Y, VX, VY)
      for i = 1, n do
        x[i] = x[i] + vx[i] * DT
        y[i] = y[i] + vy[i] * DT
      end
    end),
    system({ X, Y, VX, VY, POINTS }, function(chunk, _, n)
      local x, y, vx, vy = chunk:components(X, Y, VX, VY)
      for i = 1, n do
        if x[i] < 0 then x[i], vx[i] = 0, -vx[i] end
        if x[i] > WIDTH then x[i], vx[i] = WIDTH, -vx[i] end
        if y[i] < 0 then y[i], vy[i] = 0, -vy[i] end
        if y[i] > WIDTH then y[i], vy[i] = WIDTH, -vy[i] end
      end
    end),
    system({ X, Y, WAIT, RELOAD, SHOTS, TARGET }, function(chunk, _, n)
      local x, y, wait, reload, shots, target = chunk:components(X, Y, WAIT,
        RELOAD, SHOTS, TARGET)
      for i = 1, n do
        wait[i] = wait[i] - 1
        if wait[i] <= 0 then
          wait[i] = reload[i]
          shots[i] = shots[i] + 1
          local px, py = get(get(target[i], MONSTER), X, Y)
          local dx, dy = px - x[i], py - y[i]
          local distance = max(sqrt(dx * dx + dy * dy), 1)
          spawn { [X] = x[i], [Y] = y[i], [VX] = dx / distance * BULLET_SPEED,
            [VY] = dy / distance * BULLET_SPEED, [FLIGHT] = arena.FLIGHT,
            [NEST] = target[i], [FIRE] = shots[i] % 2 == 0 }
        end
      end
    end),
    system({ FLIGHT, NEST, FIRE }, function(chunk, entities, n)
      local flight, nest, fire = chunk:components(FLIGHT, NEST, FIRE)
      for i = 1, n do
        flight[i] = flight[i] - 1
        if flight[i] <= 0 then
          local prey = get(nest[i], MONSTER)
          set(prey, POINTS, get(prey, POINTS) - 1)
          if fire[i] and not evolved.has(prey, BURNING) then
            set(prey, BURNING, arena.FIRE)
          end
          evolved.destroy(entities[i])
        end
      end
    end),
    system({ BURNING, POINTS }, function(chunk, entities, n)
      local burning, left = chunk:components(BURNING, POINTS)
      for i = 1, n do
        burning[i] = burning[i] - 1
        if burning[i] % 4 == 0 then left[i] = left[i] - 1 end
        if burning[i] <= 0 then evolved.remove(entities[i], BURNING) end
      end
    end),
    evolved.builder():group(stage):include(POINTS, REST)
      :prologue(function() points = 0 end)
      :execute(function(chunk, _, n)
        local left, rest = chunk:components(POINTS, REST)
        for i = 1, n do
          rest[i] = rest[i] - 1
          if rest[i] <= 0 then
            rest[i] = arena.REST
            if left[i] > 0 then left[i] = min(left[i] + 1, arena.POINTS) end
          end
          points = points + left[i]
        end
      end):build(),
    system({ X, Y, POINTS, HOME, TARGET, RELOAD }, function(chunk, entities, n)
      local x, y, left, home, target, reload = chunk:components(X, Y, POINTS,
        HOME, TARGET, RELOAD)
      for i = 1, n do
        if left[i] <= 0 then
          died = died + 1
          evolved.destroy(entities[i])
          for _ = 1, arena.SPARKS do
            local angle = random() * 2 * math.pi
            spawn { [X] = x[i], [Y] = y[i],
              [VX] = cos(angle) * arena.SPARK_SPEED,
              [VY] = sin(angle) * arena.SPARK_SPEED, [GLOW] = arena.GLOW }
          end
          set(home[i], MONSTER, monster(random() * WIDTH, random() * WIDTH,
            reload[i], reload[i], arena.POINTS, arena.REST, home[i],
            target[i]))
        end
      end
    end),
    system({ GLOW }, function(chunk, entities, n)
      local glow = chunk:components(GLOW)
      for i = 1, n do
        glow[i] = glow[i] - 1
        if glow[i] <= 0 then evolved.destroy(entities[i]) end
      end
    end),
  }

  local game, kinds = { systems = systems }, { MONSTER, POINTS, FLIGHT, GLOW }

  local function number(fragment)
    local query, found = evolved.builder():include(fragment):build(), 0
    for _, _, n in evolved.execute(query) do found = found + n end
    evolved.destroy(query)
    return found
  end

  function game.start()
    for _, fragment in ipairs(kinds) do
      local query = evolved.builder():include(fragment):build()
      evolved.batch_destroy(query)
      evolved.destroy(query)
    end
    died = 0
    local nests, rival = {}, arena.rivals(count)
    for k = 1, count do nests[k] = spawn { [MONSTER] = stage } end
    for k = 1, count do
      local x, y, reload, wait, left, rest = arena.start(k)
      set(nests[k], MONSTER, monster(x, y, reload, wait, left, rest, nests[k],
        nests[rival(k)]))
    end
  end

  function game.frame() evolved.process_with(stage, DT) end

  function game.counts()
    return arena.describe(number(POINTS), number(FLIGHT), number(GLOW),
      number(BURNING), points, died)
  end

  return game
end
