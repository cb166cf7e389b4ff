-- Prefabs in compiled functions: one without children is its parts; one with
-- children runs as plain Lua. The oracle is the same function, not compiled.

local ecs = require "ecs"

local Place = ecs.component("CompiledPlace", { x = "f32", y = { "f32", 2 } })
local Kind = ecs.component("CompiledKind",
  { a = { "i32", 4 }, b = "bool", e = "entity" })
local Tag, Go = ecs.tag "CompiledTag", ecs.tag "CompiledGo"
local Base = ecs.prefab("CompiledBase", { Kind { b = true, a = 5 }, Tag })
local Orc = ecs.prefab("CompiledOrc", { base = Base, Place { x = 1, y = 9 } })
local Tank = ecs.prefab("CompiledTank", { Orc, children = { { Tag } } })

--- A world after one frame of a system that spawns.
local function run(each, compile)
  local world = ecs.world {}
  for k = 1, 20 do world:spawn(Go, Place { x = k }) end
  world:system {
    name = "spawn", compile = compile,
    query = { read = { Place }, with = { Go } }, each = each(world),
  }
  world:progress(1)
  return world
end

describe("a prefab in a compiled function", function()
  local forms = {
    alone = function(world) return function() world:spawn(Orc) end end,
    overridden = function(world)
      return function(p) world:spawn(Orc, Place { x = p.x }) end
    end,
    ["behind other parts"] = function(world)
      return function(p)
        world:spawn(Place, { y = p.x }, Kind { a = 8 }, Orc)
      end
    end,
    ["in a branch"] = function(world)
      return function(p)
        if p.x > 10 then world:spawn(Orc, Go) else world:spawn(Base) end
      end
    end,
    ["of a spawner"] = function(world)
      local shoot = world:spawner(Orc, Place, "x", Kind, "b")
      return function(p) shoot(p.x + 0.5, p.x > 3) end
    end,
  }
  for name, form in pairs(forms) do
    it("is its parts: " .. name, function()
      local compiled, plain = run(form, true), run(form, false)
      assert.equal(40, compiled:stats().entities)
      assert.equal(plain:state_hash(), compiled:state_hash())
    end)
  end

  it("with children runs as plain Lua, and says why", function()
    local why
    local before = ecs.on_fallback
    ecs.on_fallback = function(_, _, text) why = text end
    finally(function() ecs.on_fallback = before end)
    local function form(world)
      return function(p) world:spawn(Tank, Place { x = p.x }) end
    end
    local world = run(form)
    assert.equal(60, world:stats().entities)
    assert.truthy(why:find("a spawn of a prefab that has children cannot be "
      .. "compiled", 1, true), why)
    why = nil
    local function prepared(world_of)
      local spawn = world_of:spawner(Tank, Place, "x")
      return function(p) spawn(p.x) end
    end
    assert.equal(run(form, false):state_hash(), run(prepared):state_hash())
    assert.truthy(why:find("has children", 1, true), why)
  end)

  it("with children may be spawned in a branch that few rows take", function()
    local function form(world)
      return function(p)
        if p.x > 19 then world:spawn(Tank, Place { x = p.x }) end
      end
    end
    local compiled = run(form, true)
    assert.equal(22, compiled:stats().entities)
    assert.equal(run(form, false):state_hash(), compiled:state_hash())
  end)

  it("is refused where it is no part", function()
    local function form(world)
      return function(_, _, e) world:add(e, Orc) end
    end
    local ok, message = pcall(run, form, true)
    assert.is_false(ok)
    assert.truthy(message:find("argument 2 of world:add, which is no part", 1,
      true), message)
  end)
end)
