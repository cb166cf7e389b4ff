-- Arrays of the world in the hands of finalizers and of the debug library: what
-- is not possible raises an error of the library, and nothing crashes.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local Place = ecs.component("HostileArrayPlace", { x = "f64", y = "f64" })

local ROUNDS = os.getenv "ECS_SPEC_SHORT" and 10 or 60

-- on_fallback would print lines.
support.silence_stderr(setup, teardown)

--- Has the collector call f at some time.
local function finalize(f)
  if rawget(_G, "newproxy") then
    getmetatable(newproxy(true)).__gc = f
  else
    setmetatable({}, { __gc = f })
  end
end

--- Calls f, which may raise an error of the library alone.
local function try(f, ...)
  local done, text = pcall(f, ...)
  assert.is_true(done or tostring(text):find("ecs: ", 1, true) ~= nil, text)
  return done
end

describe("an array of the world", function()
  it("gets other sizes, and loses its world, in finalizers", function()
    local used = 0
    for round = 1, ROUNDS do
      local world = ecs.world {}
      local flat = world:array("flat", "u8", 20, 20)
      local cube = world:array("cube", "f64", 3, 4, 5)
      world:spawn_many(50, { Place, { x = 1, y = 1 } })
      world:system { name = "look", query = { Place }, each = function(p)
        p.y = flat[p.x][p.x] + cube[p.x][2][p.x]
      end }
      for k = 1, 20 do
        finalize(function() pcall(flat.resize, flat, k % 7 + 1, k % 11 + 1) end)
        finalize(function()
          pcall(cube.resize, cube, k % 3 + 1, k % 4 + 1, k % 5 + 1)
        end)
        if k == 15 and round % 2 == 0 then
          finalize(function() pcall(world.close, world) end)
        end
        try(function()
          for x = 1, 20 do
            for y = 1, 20 do
              flat[x][y] = (flat[x][y] + 1) % 256
              used = used + #{ {}, {} }
            end
          end
        end)
        try(function() cube:set { { { 1, 2 } } } end)
        try(function()
          for x = 1, #cube do
            for y = 1, #cube[x] do
              for z = 1, #cube[x][y] do cube[x][y][z] = x + y + z end
            end
          end
        end)
        try(world.progress, world, 1)
        try(function() world:array("more " .. k, "u8", k, k)[1][1] = 3 end)
        if k % 7 == 0 then collectgarbage() end
      end
    end
    assert.is_true(used > 0)
  end)

  it("is let go of by its finalizer, whoever calls that", function()
    local world = ecs.world {}
    local walls = world:array("walls", "u8", 3, 4)
    local row = walls[2]
    world:spawn(Place { x = 2, y = 3 })
    world:system { name = "look", query = { Place },
      each = function(p) p.y = walls[p.x][3] end }
    world:progress(1)
    local release = debug.getmetatable(walls).__gc
    release(walls)
    release(walls)
    pcall(release, row)
    pcall(release, world)
    assert.is_false(try(function() return walls[1] end))
    assert.is_false(try(function() row[1] = 1 end))
    assert.is_false(try(walls.size, walls))
    try(world.progress, world, 1)
    try(world.clear, world)
  end)

  it("gives its functions to nobody else", function()
    local world = ecs.world {}
    local walls = world:array("walls", "u8", 3, 4)
    local things = { 1, "x", true, {}, print, world, io.stdout,
      world:query { Place }, coroutine.create(print) }
    local names = { "__index", "__newindex", "__len", "__tostring" }
    local objects = { walls }
    -- Rows of LuaJIT are cdata, whose metatable is LuaJIT's own.
    if type(walls[1]) == "userdata" then objects[2] = walls[1] end
    for _, object in ipairs(objects) do
      local meta = debug.getmetatable(object)
      for _, name in ipairs(names) do
        for _, thing in ipairs(things) do
          assert.is_false((pcall(meta[name], thing, 1, 1)))
        end
      end
    end
  end)
end)
