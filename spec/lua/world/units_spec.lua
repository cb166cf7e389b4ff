-- A talk on entity component systems has units of a position, a velocity and
-- hit points; tanks under construction; drivers that are a player or not; and a
-- listener who asks how positions in a hierarchy would be done. This plays such
-- units, with turrets and barrels, until one side is left, and compares with
-- what was computed by hand: for tables and sparse sets, compiled and as plain
-- Lua.
--
--     step       1   2   3   4     5   6     7   8     9    10     11
--     state      build       battle                                      over
--     Alpha at   0   0   1   2     3   4     5   6     7     8      9
--     Rex at    20  20  19.5 19 18.5  18  17.5  17  16.5 is gone
--     the jeep  18  18  22  21.5  21  20.5  20  19.5  19    21     23
--     shots                      both      both      both         Alpha
--
-- A step is half a second. Alpha is ready after two of them, drives 2 a second,
-- and hits for 3; Rex drives 1 a second and hits for 2. Guns reach 16 and fire
-- once a second. The jeep keeps 2 behind where Rex was, and flees at 4.

local ecs = require "ecs"

local BLUE, RED = 1, 2
local REACH, RELOAD, STEP = 16, 1, 0.5

--- The components, which are stored in one way.
local function make_parts(storage)
  local options = { storage = storage }
  local function component(name, fields, needs)
    return ecs.component("Units" .. name .. storage, fields,
      { storage = storage, needs = needs })
  end
  local c = { storage = storage }
  c.Position = component("Position", { x = "f32", y = "f32" }) -- in the world
  c.Place = component("Place", { x = "f32", y = "f32" }, { c.Position })
  c.Velocity = component("Velocity", { x = "f32" })
  c.Health = component("Health", { hp = "i32" })
  c.Side = component("Side", { team = "u8" })
  c.Construction = component("Construction", { left = "f32" })
  c.Aim = component("Aim", { at = { "entity", link = "clear" } })
  c.Gun = component("Gun", { wait = "f32", damage = "i32" })
  c.Follows = component("Follows", { whom = { "entity", link = "remove" } })
  c.Ai = ecs.tag("UnitsAi" .. storage, options)
  c.Player = ecs.tag("UnitsPlayer" .. storage, options)
  return c
end

local Hit = ecs.event("UnitsHit", { who = "entity", damage = "i32" })
local parts = { make_parts "table", make_parts "sparse" }

-- The systems ----------------------------------------------------------------

local function add_motion(world, c, compile)
  local function each(name, query, f, state)
    world:system { name = name, phase = "simulate", query = query, each = f,
                   compile = compile, in_state = state }
  end
  world:system { name = "construct", phase = "simulate", in_state = "build",
    query = { c.Construction },
    each = function(site, dt, e)
      site.left = site.left - dt
      if site.left <= 0 then
        world:replace(e, c.Construction, c.Velocity { x = 2 })
      end
    end }
  each("follow", { c.Place, read = { c.Follows } }, function(place, follows)
    local x = world:get(follows.whom, c.Position, "x")
    if x then place.x = x + 2 end
  end, "battle")
  each("drive", { c.Place, read = { c.Velocity } }, function(place, v, dt)
    place.x = place.x + v.x * dt
  end, "battle")
  each("place", { c.Position, read = { c.Place },
    up = { ecs.ChildOf, read = { c.Position } } },
    function(p, place, parent)
      p.x, p.y = place.x, place.y
      if parent then
        p.x = p.x + parent.x
        p.y = p.y + parent.y
      end
    end)
end

local function add_combat(world, c, compile)
  local turrets = world:query { read = { c.Aim, c.Position } }
  local targets = world:query { read = { c.Side, c.Position },
    with = { c.Health }, any = { c.Player, c.Ai },
    sort = { c.Position, "x" } }
  world:system { name = "aim", phase = "simulate", in_state = "battle",
    run = function()
      for turret, aim, here in turrets:rows() do
        local team = world:get(world:parent(turret), c.Side, "team")
        local nearest = not aim.at and REACH or -1
        for e, side, there in targets:rows() do
          local distance = math.abs(there.x - here.x)
          if side.team ~= team and distance < nearest then
            nearest = distance
            world:set(turret, c.Aim, "at", e)
          end
        end
      end
    end }
  world:system { name = "fire", phase = "simulate", in_state = "battle",
    compile = compile,
    query = { c.Gun, up = { ecs.ChildOf, read = { c.Aim } } },
    each = function(gun, aim, dt)
      gun.wait = gun.wait - dt
      if aim and aim.at and gun.wait <= 0 then
        gun.wait = RELOAD
        world:emit(Hit { who = aim.at, damage = gun.damage })
      end
    end }
  world:system { name = "hurt", phase = "simulate", compile = compile,
    query = { read = { Hit } },
    each = function(hit)
      local hp = world:get(hit.who, c.Health, "hp")
      if hp then world:set(hit.who, c.Health, "hp", hp - hit.damage) end
    end }
end

-- The battle -----------------------------------------------------------------

local function add_tank(world, c, team, x, toward, damage, ...)
  local tank = world:spawn(c.Place { x = x }, c.Side { team = team }, ...)
  local turret = world:spawn(c.Place { y = 1 }, c.Aim,
    ecs.ChildOf { parent = tank })
  local barrel = world:spawn(c.Place { x = toward }, c.Gun { damage = damage },
    ecs.ChildOf { parent = turret })
  return tank, turret, barrel
end

--- What happens is written to the log of the battle.
local function listen(battle)
  local world, c, log = battle.world, battle.c, {}
  battle.log = log
  local function note(...) log[#log + 1] = table.concat({ ... }, " ") end
  local function name(e) return battle.names[e] end

  world:on("remove", c.Construction, function(e, site)
    note(name(e), "is built, left", string.format("%g", site.left))
    world:go "battle"
  end)
  world:on("add", c.Velocity, function(e, v)
    note(name(e), "drives at", string.format("%g", v.x))
  end)
  world:on("set", c.Health, function(e, health)
    note(name(e), "has", string.format("%d", health.hp))
    if health.hp <= 0 then world:destroy(e) end
  end)
  world:on("remove", c.Follows, function(e, follows)
    note(name(e), "followed", name(follows.whom))
    if world:alive(e) then world:add(e, c.Velocity { x = 4 }) end
  end)
  local reds = world:query { with = { c.Health, c.Ai } }
  world:on("leave", reds, function(e)
    note(name(e), "is no enemy now")
    if reds:count() == 0 then world:go "over" end
  end)
  world:on("enter", world:query { with = { c.Health, c.Player } },
    function(e) note(name(e), "has a player") end)
  world:on("destroy", function(e)
    if name(e) then note(name(e), "dies") end
  end)
  for _, state in ipairs { "battle", "over" } do
    world:on("begin", state, function(_, other) note(other, "->", state) end)
  end
end

local function start(c, compile)
  local world = ecs.world { states = { "build", "battle", "over" },
    phases = { { "simulate", fixed = STEP } } }
  local battle = { world = world, c = c, names = {} }
  battle.alpha, battle.turret, battle.barrel = add_tank(world, c, BLUE, 0, 2, 3,
    c.Health { hp = 10 }, c.Construction { left = 1 })
  battle.rex, battle.rex_turret, battle.rex_barrel = add_tank(world, c, RED, 20,
    -2, 2, c.Health { hp = 7 }, c.Velocity { x = -1 }, c.Ai)
  battle.jeep = world:spawn(c.Place { x = 18, y = -1 }, c.Health { hp = 2 },
    c.Side { team = RED }, c.Ai, c.Follows { whom = battle.rex })
  for _, key in ipairs { "alpha", "turret", "barrel", "rex", "rex_turret",
    "rex_barrel", "jeep" } do
    battle.names[battle[key]] = key
  end
  add_motion(world, c, compile)
  add_combat(world, c, compile)
  listen(battle)
  return battle
end

local function place(battle, e)
  return { battle.world:get(e, battle.c.Position, "x", "y") }
end

--- What has been written to the log since it was last asked for.
local function news(battle)
  local log = battle.log
  local text = table.concat(log, "\n")
  for k = #log, 1, -1 do log[k] = nil end
  return text
end

local function run_to(battle, step)
  while battle.world:stats().frames < step do battle.world:progress(STEP) end
end

--- The whole battle, with what is expected on the way.
local function play(battle)
  local world, c = battle.world, battle.c
  world:name(battle.alpha, "Alpha")
  world:add(world:find "Alpha", c.Player)
  assert.equal("alpha has a player", news(battle))
  run_to(battle, 1)
  assert.equal("", news(battle))
  assert.same({ 2, 1 }, place(battle, battle.barrel))
  assert.same({ 18, 1 }, place(battle, battle.rex_barrel))
  run_to(battle, 2)
  assert.equal("alpha is built, left 0\nalpha drives at 2", news(battle))
  assert.equal("build", world:state())

  run_to(battle, 4)
  assert.equal("build -> battle", news(battle))
  assert.same({ 4, 1 }, place(battle, battle.barrel))
  assert.same({ 17, 1 }, place(battle, battle.rex_barrel))
  assert.same({ 21.5, -1 }, place(battle, battle.jeep))
  assert.is_nil((world:get(battle.turret, c.Aim, "at")))

  run_to(battle, 5)
  assert.equal("rex has 4\nalpha has 8", news(battle))
  assert.equal(battle.rex, (world:get(battle.turret, c.Aim, "at")))
  assert.equal(1, world:link_count(battle.alpha, c.Aim))
  run_to(battle, 8)
  assert.equal("rex has 1\nalpha has 6", news(battle))
  run_to(battle, 9)
  assert.equal("rex has -2\nalpha has 4\njeep followed rex\n"
    .. "rex is no enemy now\nrex dies\nrex_turret dies\nrex_barrel dies\n"
    .. "jeep drives at 4", news(battle))
  assert.is_nil((world:get(battle.turret, c.Aim, "at")))
  assert.is_false(world:alive(battle.rex_barrel))

  run_to(battle, 10)
  assert.same({ 21, -1 }, place(battle, battle.jeep))
  assert.equal(battle.jeep, (world:get(battle.turret, c.Aim, "at")))
  run_to(battle, 11)
  assert.equal("jeep has -1\njeep is no enemy now\njeep dies", news(battle))
  run_to(battle, 12)
  assert.equal("battle -> over", news(battle))
  run_to(battle, 20)
  assert.same({ 9, 0 }, place(battle, battle.alpha))
  assert.same({ 11, 1 }, place(battle, battle.barrel))
  assert.equal(3, world:stats().entities)
  world:clear()
  assert.is_nil(world:find "Alpha")
end

describe("the units of the talk", function()
  for _, c in ipairs(parts) do
    for _, compile in ipairs { true, false } do
      it(("fight as computed by hand: %s, %s"):format(c.storage,
        compile and "compiled" or "plain Lua"), function()
        play(start(c, compile))
      end)
    end
  end

  it("are cloned with turret and barrel, which then fight for themselves",
    function()
      local battle = start(parts[1], true)
      local world, c = battle.world, battle.c
      world:name(battle.alpha, "Alpha")
      local bravo = world:clone(battle.alpha)
      world:set(bravo, c.Place, "y", 5)
      local turret
      for e in world:children(bravo) do turret = e end
      assert.equal(1, world:link_count(turret, ecs.ChildOf))
      assert.is_nil(world:name(bravo))
      battle.names[bravo] = "bravo"
      run_to(battle, 2)
      assert.equal("alpha is built, left 0\nalpha drives at 2\n"
        .. "bravo is built, left 0\nbravo drives at 2", news(battle))
      for barrel in world:children(turret) do
        assert.same({ 2, 6 }, place(battle, barrel))
      end
      run_to(battle, 7) -- both fire twice; two shots of 3 a second end Rex
      assert.is_false(world:alive(battle.rex))
    end)
end)
