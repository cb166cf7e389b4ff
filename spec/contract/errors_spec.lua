-- Errors: what they say, where they point, and what they leave behind.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local Position = ecs.component("Position", { x = "f32", y = "f32" })

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn(Position { x = 1 })
end)

it("misuse is blamed on the caller's line and names the thing", function()
  assert.equal("ecs: Position has no field 'z' (it has x, y)",
    refuses(function() Position { z = 1 } end))
  assert.equal("ecs: Position has no field 'z' (it has x, y)",
    refuses(function() world:set(e, Position, "z", 1) end))
  assert.equal("ecs: Position has no field 'z' (it has x, y)",
    refuses(function() local _ = world:get(e, Position, "z") end))
  assert.equal("ecs: Position has no field 'z' (it has x, y)",
    refuses(function()
      for _, p in world:query({ Position }):rows() do p.z = 1 end
    end))
end)

it("misuse changes nothing", function()
  local before = world:hash()
  refuses(function() world:spawn(Position { x = 1 }, Position) end)
  refuses(function() world:set(e, Position, "x", "one") end)
  refuses(function() world:add(e, Position, Position) end)
  refuses(function() world:spawn_many(-1, { Position }) end)
  assert.equal(before, world:hash())
end)

it("what may fail in normal use gives nil and a message", function()
  local library, text = ecs.load_native "no_such_library"
  assert.is_nil(library)
  assert.truthy(text:find("ecs: no library 'no_such_library'", 1, true), text)
end)

it("too much is an error that changes nothing", function()
  local before, entities = world:hash(), world:stats().entities
  refuses(function() world:spawn_many(268435455, { Position }) end,
    "spawn_many")
  assert.equal(before, world:hash())
  assert.equal(entities, world:stats().entities)
end)
