-- The state of a world as text.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/state_game.lua"
local game, run = scene.game, scene.run

local Numbers = ecs.component("DumpNumbers", { a = "f32", b = "f64", c = "i8",
  d = "u32", e = "bool", f = "entity" })
local Aim = ecs.component("DumpAim", { at = { "entity", link = "destroy" } })
local Odd = ecs.tag("Dump odd", { storage = "bits" })

local world
before_each(function() world = ecs.world {} end)

--- The lines of a text that begin with something.
local function lines_of(text, with)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    if line:sub(1, #with) == with then lines[#lines + 1] = line end
  end
  return lines
end

describe("the text of a world", function()
  it("has entities with their components, in order", function()
    local e = world:spawn(Aim, Odd)
    local one, other = world:spawn(Aim { at = e }), world:spawn(Aim { at = e })
    world:set(one, Aim, "at", other) -- and back: it links last then
    world:set(one, Aim, "at", e)
    world:name(e, "a b")
    local grid = world:array("dump grid", "i16", 2, 2)
    grid[2][1] = -5
    world:array("dump unused", "f32", 3)
    assert.equal(table.concat({ "ecs-dump 1",
      "component Dump%20odd", "component DumpAim at:entity:destroy",
      "component ecs%2EName",
      "array dump%20grid i16 2 2", "  0 0", "  -5 0",
      "entity 1 a%20b", "  Dump%20odd", "  DumpAim at=0", "  ecs%2EName",
      "entity 2", "  DumpAim at=1", "entity 3", "  DumpAim at=1",
      "links DumpAim.at 1: 3 2", "" }, "\n"), world:dump())
  end)

  it("has numbers as short as they can be", function()
    world:spawn(Numbers { a = 0.1, b = 0.1, c = -128, d = 4294967295,
      e = true })
    world:spawn(Numbers { a = 16777216, b = 1 / 3, d = 0 })
    world:spawn(Numbers { a = 1 / 0, b = -1 / 0 })
    world:spawn(Numbers { a = 0 / 0, b = -0.0 })
    assert.same({
      "  DumpNumbers a=0.1 b=0.1 c=-128 d=4294967295 e=true f=0",
      "  DumpNumbers a=16777216 b=0.3333333333333333 c=0 d=0 e=false f=0",
      "  DumpNumbers a=inf b=-inf c=0 d=0 e=false f=0",
      "  DumpNumbers a=nan b=-0 c=0 d=0 e=false f=0",
    }, lines_of(world:dump(), "  DumpNumbers"))
  end)

  it("is equal exactly where state_hash is", function()
    local one, other = game(), game()
    run(one, 30)
    run(other, 30)
    assert.equal(one:dump(), other:dump())
    for _ = 1, 20 do
      local hash, text = one:state_hash(), one:dump()
      assert.equal(text, one:dump())
      run(one, 1)
      assert.equal(hash == one:state_hash(), text == one:dump())
    end
    for _ = 1, 20 do run(other, 1) end
    other:group { scene.Position, scene.Velocity }
    assert.equal(one:dump(), other:dump())
    assert.not_equal(one:hash(), other:hash())
    other:optimize()
    assert.equal(one:dump(), other:dump())
  end)

  it("has what was before inside a callback", function()
    world:spawn(Odd)
    local text, inside = world:dump(), nil
    world:query({ Odd }):each(function(e)
      world:add(e or world:query({ Odd }):first(), Aim)
      inside = world:dump()
    end)
    assert.equal(text, inside)
    assert.not_equal(text, world:dump())
  end)

  it("is not there for a world that is closed", function()
    world:close()
    support.refuses(function() world:dump() end, "closed")
    support.refuses(function() world.dump() end, "dump")
  end)
end)
