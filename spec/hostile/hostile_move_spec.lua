-- Tags that are moved into bits with strange lists and options, and by programs
-- that do something else on the way: an error or a move, never a crash.

local ecs = require "ecs"

local P = ecs.component("HostileMoveP", { x = "f64" })
local A = ecs.tag "HostileMoveA"
local B = ecs.tag("HostileMoveB", { storage = "bits" })

local function populate()
  local world = ecs.world {}
  for k = 1, 300 do
    local e = world:spawn(P { x = k })
    if k % 2 == 0 then world:add(e, A) end
    if k % 3 == 0 then world:add(e, B) end
  end
  return world
end

local function loud() error "a metamethod was called" end
local traps = { __index = loud, __newindex = loud, __len = loud, __pairs = loud,
  __eq = loud, __tostring = loud, __call = loud }

local function values()
  local cyclic = {}
  cyclic.storage, cyclic[1] = cyclic, cyclic
  return {
    1, 0 / 0, "bits", true, print, coroutine.create(print), cyclic,
    setmetatable({}, traps), setmetatable({ storage = "bits" }, traps),
    { storage = "bits\0" }, { storage = ("bits"):rep(1e5) },
    { storage = 0 / 0 },
    { [0 / 1] = "bits" }, { [print] = "bits" }, { [A] = "bits" },
    { A }, { B, A }, { A, A }, { P }, { [2] = A }, { A, nil, B }, { {} },
    setmetatable({ A }, traps), A, P, populate(),
  }
end

describe("strange arguments of group", function()
  it("are errors or moves, and lose nothing", function()
    local world = populate()
    local query = world:query { P, with = { A }, without = { B } }
    local state = world:state_hash()
    local all = values()
    for _, list in ipairs(all) do
      for _, options in ipairs(all) do
        pcall(world.group, world, list, options)
        pcall(world.ungroup, world, list, options)
        pcall(world.group, list, world, options)
      end
      assert.equal(state, world:state_hash())
      assert.equal(100, query:count())
    end
    pcall(world.group)
    pcall(world.group, world)
    assert.equal(state, world:state_hash())
  end)
end)

-- Leaves garbage that closes the world when it is collected.
local function leave_closer(world)
  local function close() pcall(world.close, world) end
  if newproxy then
    getmetatable(newproxy(true)).__gc = close
  else
    setmetatable({}, { __gc = close })
  end
end

describe("a world that a finalizer closes", function()
  it("is not moved any more", function()
    for step = 1, 40 do
      local world = populate()
      leave_closer(world)
      for _ = 1, step do
        pcall(world.group, world, { A, B }, { storage = "bits" })
        pcall(world.group, world, { A })
      end
      collectgarbage()
      assert.is_false((pcall(world.group, world, { A, B },
        { storage = "bits" })))
    end
  end)
end)
