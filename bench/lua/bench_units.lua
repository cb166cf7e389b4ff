-- bench_units: three updates that use some of what a unit has, the workload of
-- a talk on data-oriented design, as bench/bench_units.c has it: 100,000 units
-- of a position and a velocity (three numbers each), hp (a whole number), and 0
-- or 128 bytes that no update uses. All units move; each loses an hp; those in
-- a box are counted. A time is per unit, for all three updates.
--
-- By hand (units_by_hand.lua): a table for each unit, whose 128 bytes are 16
-- numbers more; arrays of numbers; on LuaJIT also FFI structs and arrays.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local by_hand = require "units_by_hand"

local unpack = table.unpack or unpack -- luacheck: ignore

local ecs = scene.ecs
local start, mix, DT, BOX = by_hand.start, by_hand.mix, by_hand.DT, by_hand.BOX
local SIZE = 100000

local Position = ecs.component("UnitPosition", { x = "f32", y = "f32",
  z = "f32" })
local Velocity = ecs.component("UnitVelocity", { x = "f32", y = "f32",
  z = "f32" })
local Hp = ecs.component("UnitHp", { hp = "i32" })
local rest = {}
for k = 1, 16 do rest["unused" .. k] = "f64" end
local Rest = ecs.component("UnitRest", rest)

-- Worlds -------------------------------------------------------------------

local function define_systems(world, drawn)
  world:system { name = "move", compile = true,
    query = { Position, read = { Velocity } },
    each = function(p, v, dt)
      p.x = p.x + v.x * dt
      p.y = p.y + v.y * dt
      p.z = p.z + v.z * dt
    end }
  world:system { name = "damage", compile = true, query = { Hp },
    each = function(unit) unit.hp = unit.hp - 1 end }
  world:system { name = "draw", compile = true, query = { read = { Position } },
    each = function(p)
      if p.x > 0 and p.x < BOX and p.y > 0 and p.y < BOX and p.z > 0
        and p.z < BOX
      then
        drawn:add(1)
      end
    end }
end

local function in_world(count, padding)
  local world, get, ids = ecs.world {}, {}, {}
  local drawn = world:sum "drawn"
  define_systems(world, drawn)
  local terms = { Position, "x", "y", "z", Velocity, "x", "y", "z", Hp, "hp" }
  if padding > 0 then terms[#terms + 1] = Rest end
  local spawn = world:spawner(unpack(terms))
  local function reset()
    world:clear()
    for i = 1, count do ids[i] = spawn(start(i)) end
  end
  reset()
  get.position = world:getter(Position, "x", "y", "z")
  get.velocity = world:getter(Velocity, "x", "y", "z")
  return {
    name = "compiled systems", reset = reset, against = "a table per unit",
    run = function() world:progress(DT) end,
    check = function()
      return mix(count, drawn:value(), function(i)
        local x, y, z = get.position(ids[i])
        local vx, vy, vz = get.velocity(ids[i])
        return x, y, z, vx, vy, vz, world:get(ids[i], Hp, "hp")
      end)
    end,
  }
end

measure.open("lua units", arg)
for _, padding in ipairs { 0, 128 } do
  measure.contest(padding .. " bytes unused", { SIZE }, function(count)
    local sides = by_hand.sides(count, padding)
    table.insert(sides, 3, in_world(count, padding))
    return sides
  end, 7)
end
measure.close()
