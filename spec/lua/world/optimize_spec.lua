-- world:optimize and world:advise: what they say, and that no world changes.

local ecs = require "ecs"
local support = require "spec.support.support"

local Position = ecs.component("OptimizePosition", { x = "f32", y = "f32" })
local Velocity = ecs.component("OptimizeVelocity", { x = "f32", y = "f32" })
local Armour = ecs.component("OptimizeArmour", { left = "i32" })
local Stunned = ecs.tag "OptimizeStunned"

-- A crowd that moves, unless stunned; a fifth of it changes in each frame.
local function crowd(count)
  local world = ecs.world()
  local ids = {}
  for k = 1, count do
    ids[k] = world:spawn(Position { x = k }, Velocity { x = 1, y = k % 3 })
  end
  world:system {
    name = "move", query = { Position, read = { Velocity },
                             without = { Stunned } },
    each = function(p, v) p.x, p.y = p.x + v.x, p.y + v.y end,
  }
  world:system {
    name = "harm", query = { Armour }, each = function(a)
      a.left = a.left - 1
    end,
  }
  return world, ids
end

local function play(world, ids, frames, component)
  for frame = 1, frames do
    for k = frame % 5 + 1, #ids, 5 do
      if world:has(ids[k], component) then
        world:remove(ids[k], component)
      else
        world:add(ids[k], component)
      end
    end
    world:progress(1 / 60)
  end
end

describe("optimize", function()
  it("moves what comes and goes, and says why", function()
    local world, ids = crowd(500)
    play(world, ids, 30, Stunned)
    local state, hash = world:state_hash(), world:hash()
    local advice = world:advise()
    assert.equal(hash, world:hash())
    local done = world:optimize()
    assert.equal(1, #done)
    assert.equal(tostring(done[1]), tostring(advice[1]))
    assert.equal("OptimizeStunned", done[1].component)
    assert.equal("main group", done[1].from)
    assert.equal("bits", done[1].to)
    assert.equal("adding and removing it costs less", done[1].reason)
    assert.is_true(done[1].gain > 1000)
    assert.equal("OptimizeStunned: main group -> bits: adding and removing it "
      .. "costs less (" .. string.format("%d", done[1].gain) .. " ns a frame)",
      tostring(done))
    assert.equal(state, world:state_hash())
    assert.truthy(world:explain():find("tag OptimizeStunned: bits", 1, true))
    assert.equal("nothing to gain", tostring(world:optimize()))
    play(world, ids, 5, Stunned)
    assert.equal(0, #world:optimize())
  end)

  it("gives a set of its own to fields that come and go", function()
    local world, ids = crowd(500)
    play(world, ids, 30, Armour)
    local done = world:optimize()
    assert.equal("OptimizeArmour", done[1].component)
    assert.equal("sparse set", done[1].to)
  end)

  it("counts from the first frame on", function()
    local world, ids = crowd(200)
    for _ = 1, 3 do
      for _, e in ipairs(ids) do world:add(e, Stunned) end
      for _, e in ipairs(ids) do world:remove(e, Stunned) end
    end
    world:progress(1)
    world:progress(1)
    assert.equal(0, #world:optimize())
  end)

  it("counts where the first frames have no queries", function()
    local world = ecs.world()
    world:system { name = "clock", run = function() end }
    world:progress(1)
    local ids = {}
    for k = 1, 500 do ids[k] = world:spawn(Position, Velocity) end
    world:system {
      name = "move", query = { Position, read = { Velocity } },
      each = function(p, v) p.x = p.x + v.x end,
    }
    play(world, ids, 30, Stunned)
    assert.equal("bits", world:optimize()[1].to)
  end)

  it("counts the runs of systems that are gone", function()
    local world, ids = crowd(500)
    play(world, ids, 30, Stunned)
    local gain = world:advise()[1].gain
    world:remove_system "move"
    assert.equal(gain, world:advise()[1].gain)
  end)

  it("does not count what a script walks by hand", function()
    local world, ids = crowd(500)
    play(world, ids, 30, Stunned)
    local before = tostring(world:advise())
    local query = world:query { Position, with = { Stunned } }
    for _ = 1, 100 do
      for _, p in query:rows() do p.x = p.x + 1 end
      query:count()
    end
    assert.equal(before, tostring(world:advise()))
  end)

  it("counts what stats shows, on every machine", function()
    local world, ids = crowd(100)
    assert.same({ changes = 0, stored = "main group" }, world:stats(Armour))
    play(world, ids, 10, Stunned)
    assert.same({ changes = 180, stored = "main group" }, world:stats(Stunned))
    world:optimize()
    assert.same({ changes = 180, stored = "bits" }, world:stats(Stunned))
    for _ = 1, 502 do world:progress(1 / 60) end
    world:optimize()
    assert.equal(90, world:stats(Stunned).changes)
    world:group { Position, Velocity }
    assert.equal("group with OptimizeVelocity", world:stats(Position).stored)
    world:group { Velocity }
    assert.equal("sparse set", world:stats(Position).stored)
    for _ = 1, 3 do world:query({ Position }):add(Armour) end
    assert.equal(100, world:stats(Armour).changes)
  end)

  it("leaves results as they are", function()
    local one, ids = crowd(300)
    local other, others = crowd(300)
    for _ = 1, 12 do
      play(one, ids, 5, Stunned)
      play(one, ids, 5, Armour)
      one:optimize()
      play(other, others, 5, Stunned)
      play(other, others, 5, Armour)
    end
    assert.equal(one:state_hash(), other:state_hash())
  end)

  -- A world that a seed draws: few frames, so that counts are small and odd.
  local function drawn_world(seed)
    local draw = seed
    local function random(n)
      for _ = 1, 3 do draw = draw * 16807 % 2147483647 end
      return draw % n + 1
    end
    local parts, ids, world = {}, {}, ecs.world()
    for k = 1, 6 do
      parts[k] = ecs.component("OptimizeDrawn" .. k, { x = "f32", y = "f64" })
      parts[k + 6] = ecs.tag("OptimizeDrawnTag" .. k)
    end
    for k = 1, random(300) do
      ids[k] = world:spawn()
      for i = 1, 12 do
        if random(3) == 1 then world:add(ids[k], parts[i]) end
      end
    end
    for k = 1, random(4) do
      local written, read = random(6), random(6)
      world:system { name = "s" .. k, batch = function() end, query = {
        parts[written], read = written ~= read and { parts[read] } or nil,
        without = { parts[6 + random(6)] } } }
    end
    for _ = 1, random(6) do
      world:progress(1)
      for _ = 1, random(12) do
        local id, part = ids[random(#ids)], parts[random(12)]
        if world:has(id, part) then
          world:remove(id, part)
        else
          world:add(id, part)
        end
      end
    end
    return world
  end

  it("moves nothing when it is asked again, however often", function()
    local moved = 0
    for seed = 1, 60 do
      local world = drawn_world(seed * 7919)
      if #world:optimize() > 0 then moved = moved + 1 end
      for _ = 1, 5 do assert.equal(0, #world:optimize(), "seed " .. seed) end
    end
    assert.is_true(moved > 30)
  end)

  it("sees the kinds of entities that are spawned in turns", function()
    local world = ecs.world()
    world:system { name = "move", query = { Position, read = { Velocity } },
      batch = function() end }
    for _ = 1, 12000 do
      world:spawn(Position)
      world:spawn(Position)
      world:spawn(Position, Velocity)
    end
    world:progress(1)
    for _, entry in ipairs(world:advise()) do
      assert.is_nil(entry.to:find("field of", 1, true))
    end
  end)

  it("may undo what a script has grouped", function()
    local world, ids = crowd(300)
    world:group { Stunned }
    play(world, ids, 30, Armour)
    local moved = false
    for _, entry in ipairs(world:optimize()) do
      moved = moved or entry.component == Stunned.name
    end
    assert.is_true(moved)
  end)

  it("has numbers of systems and components alone", function()
    local world = crowd(5)
    for _, wrong in ipairs { 5, true, { Position }, Position { x = 1 } } do
      support.refuses(function() world:stats(wrong) end,
        "stats takes the name of a system, or a component, not ")
    end
  end)

  it("is refused inside callbacks, and in closed worlds", function()
    local world = crowd(5)
    local query = world:query { Position }
    query:batch(function()
      support.refuses(function() world:optimize() end, "optimize")
      assert.equal(0, #world:advise())
    end)
    world:close()
    for _, name in ipairs { "optimize", "advise" } do
      support.refuses(function() world[name](world) end, "closed")
    end
  end)
end)
