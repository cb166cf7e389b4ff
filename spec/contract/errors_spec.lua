-- Errors: what they say, where they point, and what they leave behind.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position

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

-- The address sanitizer needs more memory than any useful limit allows.
if not (os.getenv "LD_PRELOAD" or ""):find("asan", 1, true) then
  it("running out of memory is an error that changes nothing", function()
    local compiler = rawget(_G, "jit")
    local vm = not compiler and "lua5.4" or compiler.status() and "luajit"
      or "luajit -joff"
    local pipe = assert(io.popen(string.format("ulimit -v 600000 && "
      .. "LUA_PATH='%s' LUA_CPATH='%s' %s %s 2>&1",
      package.path, package.cpath, vm, "spec/contract/memory_program.lua")))
    local output = pipe:read "*a"
    pipe:close()
    assert.equal("nothing changed\n", output)
  end)
end

it("too many entities are an error that changes nothing", function()
  local before, entities = world:hash(), world:stats().entities
  refuses(function() world:spawn_many(268435455, { Position }) end,
    "spawn_many")
  assert.equal(before, world:hash())
  assert.equal(entities, world:stats().entities)
end)
