--- aims: the functions by which the compiler is measured, as scripts write
-- them.

local GRAVITY, DRAG, BOUNCE = -9.8, 0.999, -0.8
local sqrt = math.sqrt

--- total: a sum of the world.
return function(total)
  local aims = {}

  function aims.move(p, v, dt)
    p.x = p.x + v.x * dt
    p.y = p.y + v.y * dt
  end

  function aims.fall(p, v, dt)
    local speed = (v.y + GRAVITY * dt) * DRAG
    local height = p.y + speed * dt
    if height < 0 then height, speed = -height, speed * BOUNCE end
    p.y, v.y = height, speed
  end

  function aims.normalise(_, v)
    local length = sqrt(v.x * v.x + v.y * v.y)
    if length > 0 then v.x, v.y = v.x / length, v.y / length end
    total:add(length)
  end

  function aims.another(p) p.x = -p.x end

  return aims
end
