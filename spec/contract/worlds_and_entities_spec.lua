-- Worlds and entities: creating, changing and reading them, one at a time.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"
local garbage_of = dofile("spec/support/support.lua").garbage_of

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy, Stunned =
  scene.Position, scene.Velocity, scene.Enemy, scene.Stunned
local Target = ecs.component("Target", { who = "entity" })

local world, e
before_each(function()
  world = ecs.world {}
  e = world:spawn(Position { x = 1 }, Enemy)
end)

describe("a world", function()
  it("takes phases and a way to flush", function()
    local other = ecs.world { phases = { "think", "act" }, flush = "frame" }
    local order = {}
    for _, phase in ipairs { "act", "think" } do
      other:system { name = phase, phase = phase, run = function()
        order[#order + 1] = phase
      end }
    end
    other:progress(1)
    assert.same({ "think", "act" }, order)
  end)

  it("spawns from any number of parts, none of them twice", function()
    assert.is_true(world:has(e, Position, Enemy))
    assert.same({}, world:components(world:spawn()))
    refuses(function() world:spawn(Position { x = 1 }, Enemy, Position) end,
      "Position twice")
  end)

  it("has a component once, with a row that stays", function()
    local row, entity = world:resource(Velocity { x = 1 })
    assert.equal(1, row.x)
    world:resource(Velocity { y = 2 })
    row.x = 3
    assert.same({ 3, 2 }, { row.x, row.y })
    assert.is_true(world:has(entity, Velocity, ecs.Resource))
    assert.is_true(rawequal(row, world:resource(Velocity)))
    refuses(function() row.x = "a" end, "Velocity.x")
    refuses(function() world:resource(Target) end, "no Target")
    world:destroy(entity)
    refuses(function() return row.x end, "Velocity is gone")
  end)

  it("spawns with a given id, once", function()
    local given = 7 * 2^28 + 30
    assert.equal(given, world:spawn_as(given, Position { x = 5 }, Enemy))
    assert.equal(5, world:get(given, Position, "x"))
    local id, why = world:spawn_as(given)
    assert.is_nil(id)
    assert.is_string(why)
    world:destroy(given)
    assert.is_nil((world:spawn_as(given)))
    refuses(function() world:spawn_as(0) end, "spawn_as")
  end)

  it("reserves room, which changes nothing that is seen", function()
    local before = world:state_hash()
    world:reserve(100, { Position, Velocity { x = 1 } })
    assert.equal(before, world:state_hash())
    assert.equal(1, world:stats().entities)
    refuses(function() world:reserve(-1, { Position }) end, "reserve")
  end)

  it("spawns many from a list of parts", function()
    world:spawn_many(1000, { Position, Velocity { x = 1 } }, function(batch)
      for i = 1, batch.count do batch.Position.x[i] = i end
    end)
    assert.equal(1000, world:query({ Position, Velocity }):count())
  end)

  it("destroys entities, and knows which are alive", function()
    assert.is_true(world:alive(e))
    assert.is_true(world:destroy(e))
    assert.is_false(world:alive(e))
  end)

  it("takes a seed and a precision", function()
    local draws = {}
    local Drawn = ecs.component("ContractDrawn", { n = "f64" })
    for k, seed in ipairs { 1, 1, 2 } do
      local made = ecs.world { seed = seed, precision = "double" }
      local row = made:spawn(Drawn)
      made:system { name = "draw", query = { Drawn }, compile = true,
        each = function(drawn) drawn.n = ecs.random() end }
      made:progress(1)
      draws[k] = made:get(row, Drawn, "n")
    end
    assert.equal(draws[1], draws[2])
    assert.not_equal(draws[1], draws[3])
    refuses(function() ecs.world { seed = -1 } end, "seed")
    refuses(function() ecs.world { precision = "single" } end, "precision")
  end)

  it("keeps systems, queries and memory when it is cleared", function()
    local ran, query = 0, world:query { Position }
    world:system { name = "count", run = function() ran = ran + 1 end }
    world:spawn_many(10000, { Position })
    local bytes = world:stats().bytes
    world:clear()
    assert.is_true(world:stats().bytes > bytes - 10000)
    world:progress(1)
    world:spawn(Position)
    assert.equal(1, ran)
    assert.equal(1, query:count())
  end)

  it("is emptied by clear", function()
    world:clear()
    assert.is_false(world:alive(e))
    assert.equal(0, world:query({ Position }):count())
  end)

  it("has no method that works after close, nor have its objects", function()
    local arguments = {
      spawn_many = { 1, { Position } }, query = { { Position } },
      system = { { name = "a", run = print } }, run = { "update", 1 },
      enable = { "a", true }, remove_system = { "a" }, progress = { 1 },
      group = { { Position } }, sum = { "s" }, min = { "s" }, max = { "s" },
      spawn = { Position }, explain = {}, clear = {}, stats = {}, hash = {},
      state_hash = {}, batch = { print }, each = { print }, rows = {},
      count = {}, first = {}, destroy = { e }, value = {},
    }
    local objects = { world, world:query { Position }, world:sum "s" }
    world:close()
    local tried, unpack = 0, table.unpack or rawget(_G, "unpack")
    for _, object in ipairs(objects) do
      for name in pairs(debug.getmetatable(object).__index) do
        if name ~= "close" and not name:find "^_" then
          local given = arguments[name] or { e, Position }
          if object ~= world and #given == 2 then given = { Position } end
          if name == "destroy" and object ~= world then given = {} end
          local ok, text = pcall(object[name], object, unpack(given))
          assert.is_false(ok, name)
          assert.truthy(text:find("closed", 1, true), name .. ": " .. text)
          tried = tried + 1
        end
      end
    end
    assert.is_true(tried > 30)
  end)

  it("is over after close, which may be called again", function()
    world:close()
    world:close()
    refuses(function() world:spawn() end, "closed")
  end)
end)

describe("one entity", function()
  it("keeps a value that is there when it is added again", function()
    world:add(e, Position { x = 9, y = 9 })
    world:add(e, Enemy)
    assert.same({ x = 1, y = 0 }, world:get(e, Position))
  end)

  it("gets a component by set where it has none", function()
    world:set(e, Velocity { x = 3 })
    assert.same({ x = 3, y = 0 }, world:get(e, Velocity))
  end)

  it("keeps the fields that set does not name", function()
    world:set(e, Position { y = 3 })
    assert.same({ x = 1, y = 3 }, world:get(e, Position))
  end)

  it("has single fields set, without garbage", function()
    local function run(n)
      for i = 1, n do world:set(e, Position, "x", i) end
    end
    assert.equal(0, garbage_of(run, 10000))
    assert.equal(10000, world:get(e, Position, "x"))
  end)

  it("is read as a new table, or nil", function()
    local first = world:get(e, Position)
    assert.same({ x = 1, y = 0 }, first)
    assert.not_equal(first, world:get(e, Position))
    first.x = 9
    assert.equal(1, world:get(e, Position, "x"))
    assert.is_nil(world:get(e, Velocity))
  end)

  it("is read by the field", function()
    assert.equal(1, world:get(e, Position, "x"))
    assert.is_nil(world:get(e, Velocity, "x"))
  end)

  it("is read by several fields, without garbage", function()
    local sum, times = 0, 0
    local function run(n)
      for _ = 1, n do
        local x, y = world:get(e, Position, "x", "y")
        sum = sum + x + y
      end
      times = times + n
    end
    assert.equal(0, garbage_of(run, 10000))
    assert.equal(times, sum)
  end)

  it("has several components only if it has all of them", function()
    assert.is_true(world:has(e, Position, Enemy))
    assert.is_false(world:has(e, Position, Velocity, Enemy))
  end)

  it("loses a component by remove", function()
    world:remove(e, Position)
    assert.is_false(world:has(e, Position))
  end)

  it("gives lists that are the caller's own", function()
    local list = world:components(e)
    list[1] = nil
    assert.equal(2, #world:components(e))
    local counts = world:stats()
    counts.entities = 7
    assert.equal(1, world:stats().entities)
  end)

  it("lists its components", function()
    local names = {}
    for k, definition in ipairs(world:components(e)) do
      names[k] = definition.name
    end
    table.sort(names)
    assert.same({ "Enemy", "Position" }, names)
  end)
end)

describe("an entity", function()
  it("is one number of at most 52 bits, a key of tables, never 0", function()
    local seen = {}
    for _ = 1, 1000 do
      local made = world:spawn()
      assert.is_true(made > 0 and made < 2 ^ 52 and made % 1 == 0)
      assert.equal("number", type(made))
      assert.is_nil(seen[made])
      seen[made] = true
      if made % 2 == 0 then world:destroy(made) end
    end
    world:set(e, Target { who = e })
    assert.equal(e, world:get(e, Target, "who"))
  end)

  it("that was destroyed differs from later ones in its slot", function()
    local handles = {}
    for k = 1, 5000 do
      handles[k] = world:spawn(Position)
      world:destroy(handles[k])
    end
    local last = world:spawn(Position)
    for _, handle in ipairs(handles) do
      assert.not_equal(handle, last)
      assert.is_false(world:alive(handle))
    end
    assert.equal(0, world:stats().retired)
  end)

  it("that is null is nil in a field, and nil clears the field", function()
    assert.is_nil(world:get(world:spawn(Target), Target, "who"))
    world:set(e, Target { who = e })
    world:set(e, Target, "who", nil)
    assert.is_nil(world:get(e, Target, "who"))
    for _, target in world:query({ Target }):rows() do
      target.who = e
      target.who = nil
      assert.is_nil(target.who)
    end
  end)

  it("that is dead or null may be asked about", function()
    world:destroy(e)
    for _, gone in ipairs { e, 0 } do
      assert.is_nil(world:get(gone, Position))
      assert.is_nil(world:get(gone, Position, "x"))
      assert.is_false(world:has(gone, Position))
      assert.is_false(world:alive(gone))
    end
    assert.is_nil(world:get(nil, Position, "x"))
    assert.is_false(world:has(nil, Position))
    assert.is_false(world:alive(nil))
  end)

  it("that is dead cannot be changed, and the error names it", function()
    world:destroy(e)
    local name = string.format("entity %.0f", e)
    refuses(function() world:add(e, Enemy) end, name, "not alive")
    refuses(function() world:set(e, Position { x = 1 }) end, name)
    refuses(function() world:set(e, Position, "x", 1) end, name)
    refuses(function() world:remove(e, Position) end, name)
  end)

  it("that is dead is destroyed again with the answer false", function()
    world:destroy(e)
    assert.is_false(world:destroy(e))
    assert.is_false(world:destroy(nil))
  end)
end)

describe("calls that change", function()
  it("return nothing", function()
    local query = world:query { Position }
    local function nothing(...) assert.equal(0, select("#", ...)) end
    nothing(world:add(e, Velocity))
    nothing(world:set(e, Velocity { x = 1 }))
    nothing(world:set(e, Velocity, "x", 1))
    nothing(world:remove(e, Velocity))
    nothing(world:spawn_many(2, { Position }))
    nothing(query:batch(function() return 1 end))
    nothing(query:each(function() return 1 end))
    nothing(query:add(Enemy))
    nothing(query:set(Velocity))
    nothing(query:remove(Velocity))
    nothing(world:group { Position, Velocity })
    nothing(world:system { name = "a", run = function() return 1 end })
    nothing(world:progress(1))
    nothing(world:run("update", 1))
    nothing(world:enable("a", false))
    nothing(world:remove_system "a")
    nothing(query:destroy())
    nothing(world:clear())
    nothing(world:close())
    nothing(world:close())
  end)
end)

describe("spawn_many", function()
  it("gives its function batches of the new rows, and nothing back", function()
    local ids, count = {}, 0
    local results = select("#", world:spawn_many(300, { Position },
      function(batch)
        for i = 1, batch.count do ids[#ids + 1] = batch.entities[i] end
        count = count + batch.count
      end))
    assert.equal(0, results)
    assert.equal(300, count)
    for _, id in ipairs(ids) do assert.is_true(world:has(id, Position)) end
  end)

  it("keeps its entities when its function raises", function()
    local thing = {}
    local ok, raised = pcall(function()
      world:spawn_many(3, { Velocity }, function(batch)
        batch.Velocity.x[1] = 8
        world:add(batch.entities[1], Enemy)
        error(thing)
      end)
    end)
    assert.is_false(ok)
    assert.equal(thing, raised)
    local query = world:query { Velocity }
    assert.equal(3, query:count())
    assert.equal(8, world:get(query:first(), Velocity, "x"))
    assert.is_false(world:has(query:first(), Enemy))
  end)

  it("records changes in its function, as a system does", function()
    world:spawn_many(3, { Position }, function(batch)
      world:add(batch.entities[2], Stunned)
      assert.is_false(world:has(batch.entities[2], Stunned))
      refuses(function() world:clear() end, "clear is not possible inside")
    end)
    assert.equal(1, world:query({ Position, Stunned }):count())
  end)
end)

describe("get of a tag", function()
  it("is an error that recommends has", function()
    refuses(function() world:get(e, Enemy) end, "Enemy is a tag", "world:has")
    refuses(function() world:get(e, Stunned, "x") end, "world:has")
  end)
end)

describe("a prepared closure", function()
  it("means the method that it prepares", function()
    local dead, bare = world:spawn(Position), world:spawn()
    world:destroy(dead)
    local x_of, all_of = world:getter(Position, "x"), world:getter(Position)
    local is, place = world:tester(Position, Enemy),
      world:setter(Position, "x", "y")
    for _, entity in ipairs { e, dead, bare, 0, 2 ^ 52 } do
      assert.equal(world:get(entity, Position, "x"), x_of(entity))
      assert.same(world:get(entity, Position), all_of(entity))
      assert.equal(world:has(entity, Position, Enemy), is(entity))
    end
    place(bare, 3, 4)
    assert.same({ x = 3, y = 4 }, world:get(bare, Position))
    for _, entity in ipairs { 0, "e", {} } do
      assert.equal(
        refuses(function() world:set(entity, Position, "x", 1) end),
        refuses(function() place(entity, 1, 2) end))
    end
  end)

  it("sets all of its fields or none", function()
    local place = world:setter(Position, "y", "x")
    refuses(function() place(e, 5, "far") end, "Position.x is f32")
    refuses(function() place(e, 5) end, "lacks the new x of Position")
    assert.same({ x = 1, y = 0 }, world:get(e, Position))
  end)

  it("records and is refused where the method is", function()
    local place, x_of = world:setter(Position, "x"), world:getter(Position, "x")
    local other = world:spawn(Velocity)
    world:query({ Velocity }):each(function() place(other, 6) end)
    assert.equal(6, x_of(other))
    world:query({ Position }):each(function()
      refuses(function() x_of(e) end, "get cannot reach Position")
      refuses(function() place(e, 1) end, "set cannot reach Position")
    end)
  end)

  it("spawns its parts with the values of its arguments", function()
    local shoot = world:spawner(Position, "x", Velocity { x = 2 }, "y", Target,
      "who", Enemy)
    local shot = shoot(7, -4, e)
    assert.same({ x = 7, y = 0 }, world:get(shot, Position))
    assert.same({ x = 2, y = -4 }, world:get(shot, Velocity))
    assert.equal(e, world:get(shot, Target, "who"))
    assert.is_true(world:has(shot, Enemy))
    assert.is_nil(world:get(shoot(7, -4, nil), Target, "who"))
    local before = world:hash()
    refuses(function() shoot(7, -4) end, "this spawner takes 3 arguments")
    refuses(function() shoot(7, "up", e) end, "Velocity.y is f32")
    assert.equal(before, world:hash())
  end)

  it("changes nothing where it is made, and ends with its world", function()
    local before = world:hash()
    local New = ecs.component("ContractPrepared", { x = "f32" })
    local x_of, shoot = world:getter(New, "x"), world:spawner(New, "x")
    assert.is_nil(x_of(e))
    assert.equal(before, world:hash())
    assert.equal(3, x_of(shoot(3)))
    world:close()
    refuses(function() x_of(e) end, "this world is closed")
    refuses(function() shoot(3) end, "this world is closed")
  end)

  it("makes no garbage", function()
    local shoot, x_of = world:spawner(Position, "x", "y"),
      world:getter(Position, "x")
    local place, is = world:setter(Position, "x", "y"), world:tester(Position)
    local function run(rounds)
      for k = 1, rounds do
        local shot = shoot(k, k)
        place(shot, x_of(shot), 3)
        if is(shot) then world:destroy(shot) end
      end
    end
    assert.equal(0, garbage_of(run, 1000))
  end)
end)
