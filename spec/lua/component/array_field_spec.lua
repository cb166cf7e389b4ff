-- Fields with a count: arrays in components, as values, in rows, in batches and
-- in what is kept of a world.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Trail = ecs.component("ArrayTrail", {
  past = { "f32", 1, count = 10 }, on = { "bool", count = 3 }, hp = "u8",
})
local TYPES = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32" }

local function list(world, e, name) return world:get(e, Trail, name) end

describe("the definition of an array", function()
  it("is in the list of fields as it was defined", function()
    assert.same({
      { name = "hp", type = "u8", default = 0 },
      { name = "on", type = "bool", default = false, count = 3 },
      { name = "past", type = "f32", default = 1, count = 10 },
    }, Trail.fields)
  end)

  it("is the same when it is given again", function()
    assert.equal(Trail, ecs.component("ArrayTrail", {
      past = { "f32", 1, count = 10 }, on = { "bool", count = 3 }, hp = "u8",
    }))
    refuses(function()
      local _ = ecs.component("ArrayTrail", {
        past = { "f32", 1, count = 9 }, on = { "bool", count = 3 }, hp = "u8" })
    end, "ArrayTrail is already defined, with hp, on, past")
  end)

  it("takes a count from 1 to what is left of 64 fields", function()
    for _, count in ipairs { 0, -1, 65, 1.5, 0 / 0, 1e300, "3", true } do
      refuses(function()
        local _ = ecs.component("ArrayBad", { x = { "f32", count = count } })
      end, "ArrayBad.x: count is a whole number from 1 to 64, not")
    end
    refuses(function()
      local _ = ecs.component("ArrayBad", {
        x = { "f32", count = 60 }, y = { "f32", count = 5 } })
    end, "more than 64 fields: each element of an array counts as one")
    assert.equal(64, ecs.component("ArrayMost",
      { x = { "u8", count = 64 } }).fields[1].count)
  end)

  it("has no entities, and no name that an element has", function()
    refuses(function()
      local _ = ecs.component("ArrayBad", { x = { "entity", count = 2 } })
    end, "ArrayBad.x: an array cannot have entities")
    refuses(function()
      local _ = ecs.component("ArrayBad", { ["x[1]"] = "f32" })
    end, "'x[1]' would be the name of an element of an array")
    refuses(function()
      local _ = ecs.component("ArrayBad",
        { [("x"):rep(253)] = { "f32", count = 10 } })
    end, "the name of an array is at most 251 bytes")
    refuses(function()
      local _ = ecs.component("ArrayBad", { x = { "f32", {}, count = 2 } })
    end, "ArrayBad.x is f32: it takes", "not a table")
  end)
end)

describe("a value of an array", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("is a table of some of its elements, or one value for all", function()
    local e = world:spawn(Trail { past = { 5, 6, [10] = 7 }, on = true })
    assert.same({ 5, 6, 1, 1, 1, 1, 1, 1, 1, 7 }, list(world, e, "past"))
    assert.same({ true, true, true }, list(world, e, "on"))
    e = world:spawn(Trail, { past = 2.5 })
    assert.same({ 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5 },
      world:get(e, Trail).past)
    assert.equal("ArrayTrail { on[2] = true }",
      tostring(Trail { on = { [2] = true } }))
  end)

  it("sets what it names and leaves the others", function()
    local e = world:spawn(Trail { past = { 5 } })
    for _ = 1, 100 do -- LuaJIT compiles it
      world:set(e, Trail, { past = { [3] = 8 } })
      world:set(e, Trail, "past", { [4] = 9 })
      world:set(e, Trail, "hp", 3, "on", { true })
      world:set(e, Trail, "past[10]", 4)
      world:set(e, Trail { past = { [9] = 2 } })
    end
    assert.same({ 5, 1, 8, 9, 1, 1, 1, 1, 2, 4 }, list(world, e, "past"))
    assert.equal(4, list(world, e, "past[10]"))
    assert.same({ true, false, false }, list(world, e, "on"))
    world:query({ Trail }):set(Trail, "past", 0)
    assert.same({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, list(world, e, "past"))
  end)

  it("is given by get as a new table", function()
    local e = world:spawn(Trail)
    for _ = 1, 100 do
      local all = world:get(e, Trail)
      all.past[1] = 5
      local hp, past, on = world:get(e, Trail, "hp", "past", "on")
      assert.same({ 0, 10, 3 }, { hp, #past, #on })
      past[2] = 6
    end
    assert.same({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, list(world, e, "past"))
    assert.is_nil(list(world, 0, "past"))
    assert.equal(2, select("#", world:get(0, Trail, "past", "on")))
  end)

  it("may stand behind __index", function()
    local base = { past = { 3 }, hp = 4 }
    local value = setmetatable({ on = true }, { __index = base })
    local e = world:spawn(Trail, value)
    assert.equal(3, list(world, e, "past[1]"))
    assert.equal(4, list(world, e, "hp"))
  end)

  it("is refused where it does not fit, and nothing is changed", function()
    local e = world:spawn(Trail)
    local hash = world:hash()
    for given, text in pairs {
      [{ past = { [11] = 1 } }] = "past has elements 1 to 10, not 11",
      [{ past = { [0] = 1 } }] = "past has elements 1 to 10, not 0",
      [{ past = { [1.5] = 1 } }] = "past has elements 1 to 10, not 1.5",
      [{ past = { x = 1 } }] = "past has elements 1 to 10, not a string",
      [{ past = { 1, "x" } }] = "ArrayTrail.past[2] is f32: it takes",
      [{ past = { 1e300 } }] = "ArrayTrail.past[1] is f32: it takes",
      [{ past = "x" }] = "ArrayTrail.past is an array of 10: it takes a table",
      [{ past = false }] = "ArrayTrail.past is an array of 10: it takes",
      [{ on = 1 }] = "ArrayTrail.on is an array of 3: it takes a table",
      [{ past = { 1, 2 }, ["past[2]"] = 1 }] = "ArrayTrail.past is given twice",
    } do
      refuses(function() local _ = Trail(given) end, text)
      refuses(function() world:set(e, Trail, given) end, text)
      refuses(function() world:spawn(Trail, given) end, text)
    end
    refuses(function() world:set(e, Trail, "past", nil) end, "an array of 10")
    refuses(function() world:set(e, Trail, "past", 1, "past[2]", 3) end,
      "set names ArrayTrail.past[2] twice")
    refuses(function() world:set(e, Trail, "past[2]", 1, "past", 3) end,
      "set names ArrayTrail.past twice")
    assert.equal(hash, world:hash())
    assert.equal(1, world:query({ Trail }):count())
  end)

  it("is refused as a whole by what is prepared", function()
    local text = "ArrayTrail.past is an array of 10: name one element"
    refuses(function() world:getter(Trail, "past") end, text)
    refuses(function() world:setter(Trail, "past") end, text)
    refuses(function() world:spawner(Trail, "past") end, text)
    refuses(function() world:getter(Trail) end,
      "getter: ArrayTrail.on is an array: name the fields")
    local e = world:spawner(Trail, "past[2]")(7)
    world:setter(Trail, "past[3]")(e, 8)
    assert.equal(7, world:getter(Trail, "past[2]")(e))
    assert.equal(8, world:getter(Trail, "past[3]")(e))
  end)

  it("has every type but entity", function()
    for _, kind in ipairs(TYPES) do
      local All = ecs.component("ArrayOf" .. kind,
        { a = { kind, 3, count = 5 } })
      local e = world:spawn(All { a = { [2] = 100 } })
      for _, p in world:query({ All }):rows() do
        p.a[4] = p.a[2] + p.a[1]
        p.a[5] = 0 / 0
      end
      local found = world:get(e, All, "a")
      assert.same({ 3, 100, 3, 103 },
        { found[1], found[2], found[3], found[4] })
      assert.equal(kind:find "f" == nil, found[5] == found[5])
    end
  end)
end)

describe("an array in a row", function()
  local world, query, e
  before_each(function()
    world = ecs.world {}
    query = world:query { Trail }
    e = world:spawn(Trail { past = { 5, 6 } })
  end)

  local function in_every_loop(f)
    for _ = 1, 80 do
      for _, p in query:rows() do f(p) end
      query:each(f)
    end
  end

  it("reads and writes its elements, and has a length", function()
    in_every_loop(function(p)
      p.past[3] = p.past[2] + p.past[1]
      for k = 4, #p.past do p.past[k] = k end
      p.on[2] = not p.on[1]
      local past = p.past
      past[1] = past[1]
    end)
    assert.same({ 5, 6, 11, 4, 5, 6, 7, 8, 9, 10 }, list(world, e, "past"))
    assert.same({ false, true, false }, list(world, e, "on"))
  end)

  it("refuses other keys and values, and its own name", function()
    local ran = { 0 }
    in_every_loop(function(p)
      ran[1] = ran[1] + 1
      if ran[1] % 20 > 1 then return end
      for _, key in ipairs { 0, 11, 1.5, -1, 0 / 0, 1e300, "x", {} } do
        refuses(function() local _ = p.past[key] end,
          "ArrayTrail.past has elements 1 to 10, not")
        refuses(function() p.past[key] = 1 end,
          "ArrayTrail.past has elements 1 to 10, not")
      end
      refuses(function() local _ = p.past[nil] end, "elements 1 to 10, not nil")
      refuses(function() p.past[1] = "x" end,
        "ArrayTrail.past[1] is f32 and cannot hold a string")
      refuses(function() p.past = 1 end, "ArrayTrail.past is an array of 10")
      refuses(function() local _ = p.pest end, "(it has hp, on, past)")
    end)
    assert.is_true(ran[1] > 20)
    local shown
    for _, p in query:rows() do shown = tostring(p.past) end
    assert.equal("ecs.Row (ArrayTrail.past)", shown)
  end)

  it("is over with its row", function()
    local kept
    for _, p in query:rows() do kept = p.past end
    for _ = 1, 2 do
      refuses(function() local _ = kept[1] end, "this row is over")
      refuses(function() kept[1] = 1 end, "this row is over")
      refuses(function() local _ = #kept end, "this row is over")
      query:each(function(p) kept = p.past end)
    end
    for _, p in query:rows() do
      kept = p.past
      world:destroy(e)
      refuses(function() local _ = kept[1] end, "is not alive")
    end
    world:close()
    refuses(function() local _ = kept[1] end)
  end)

  it("is only read where its row is", function()
    for _, p in world:query({ read = { Trail } }):rows() do
      assert.equal(5, p.past[1])
      refuses(function() p.past[1] = 2 end, "is only read by")
    end
  end)

  it("of an optional component is there where that is", function()
    local Tag = ecs.tag "ArrayTag"
    local bare = world:spawn(Tag)
    world:add(e, Tag)
    local seen = {}
    for id, p in world:query({ with = { Tag }, optional = { Trail } }):rows() do
      seen[id] = p and p.past[2] or "none"
    end
    assert.same({ [e] = 6, [bare] = "none" }, seen)
  end)

  -- On LuaJIT code that is not compiled makes a pointer for each access.
  if type(rawget(_G, "jit")) ~= "table" then
    it("makes no garbage", function()
      assert.equal(0, support.garbage_of(function(rounds)
        for _ = 1, rounds do
          for _, p in query:rows() do p.past[2] = p.past[1] + #p.past end
        end
      end, 1000, 200))
    end)
  end

  -- The same code, compiled.
  local jit = rawget(_G, "jit")
  if type(jit) == "table" and jit.status() then
    it("makes no garbage where it is compiled", function()
      assert.equal(0, support.garbage_of(function(rounds)
        local k = 1
        for _ = 1, rounds do
          for _, p in query:rows() do
            p.past[k] = p.past[11 - k] + #p.past
            k = k % 10 + 1
          end
        end
      end, 1000))
    end)
  end

  it("is in rows of what has left, of resources and of grids", function()
    local gone
    world:on("remove", Trail, function(_, p) gone = p.past[2] + #p.past end)
    world:destroy(e)
    assert.equal(16, gone)
    local row = world:resource(Trail { past = 2 })
    row.past[3] = row.past[1] + 4
    assert.same({ 6, 10 }, { row.past[3], #row.past })
    refuses(function() local _ = row.past[11] end, "elements 1 to 10, not 11")
    refuses(function() row.past[0] = 1 end, "elements 1 to 10, not 0")
    refuses(function() row.past = 1 end, "ArrayTrail.past is an array")
  end)
end)

describe("an array in a native kernel", function()
  it("is a column for each element", function()
    assert(ecs.load_native "probe")
    local Slid = ecs.component("ProbeTrail", {
      past = { "f32", count = 4 }, n = "f64" })
    local world = ecs.world {}
    local one = world:spawn(Slid { past = { 5, 6, 7, 8 } })
    local two = world:spawn(Slid { past = 1 })
    world:system { name = "s", query = { Slid }, native = "probe.slide" }
    world:progress(1)
    assert.same({ 0, 5, 6, 7 }, world:get(one, Slid, "past"))
    assert.same({ 1, 1, 1, 1 }, world:get(two, Slid, "past"))
    assert.equal(18, world:get(one, Slid, "n"))
    assert.equal(4, world:get(two, Slid, "n"))
    world:progress(1)
    assert.same({ 0, 0, 5, 6 }, world:get(one, Slid, "past"))
    refuses(function()
      world:system { name = "t", query = { read = { Slid } },
                     native = "probe.slide" }
    end, "past[1]")
  end)
end)

describe("an array in a batch", function()
  local world
  before_each(function()
    world = ecs.world {}
    for i = 1, 20 do world:spawn(Trail { past = { i, i * 2 } }) end
  end)

  local function shift(b)
    local past = b.ArrayTrail.past
    for k = #past, 2, -1 do
      local to, from = past[k], past[k - 1]
      for i = 1, b.count do to[i] = from[i] end
    end
    for i = 1, b.count do b[Trail].past[1][i] = i end
  end

  it("is a column for each element", function()
    world:query({ Trail }):batch(shift)
    world:system { name = "shift", query = { Trail }, batch = shift }
    world:progress(1)
    local e = world:query({ Trail }):first()
    assert.same({ 1, 1, 1, 2, 1, 1, 1, 1, 1, 1 }, list(world, e, "past"))
  end)

  it("refuses other keys, stores and use after the callback", function()
    local kept
    world:query({ Trail }):batch(function(b)
      kept = b.ArrayTrail.past
      for _, key in ipairs { 0, 11, 1.5, "x" } do
        refuses(function() local _ = kept[key] end,
          "ArrayTrail.past has elements 1 to 10, not")
      end
      refuses(function() b.ArrayTrail.past = 1 end, "cannot be assigned to")
      refuses(function() b.ArrayTrail.past[1] = 1 end, "cannot be assigned to")
      local _ = kept[2][1]
    end)
    refuses(function() local _ = kept[1] end, "this batch is over")
    refuses(function() local _ = kept[2] end, "this batch is over")
  end)

  it("is copied with all its elements, or one", function()
    world:query({ Trail }):batch(function(b)
      assert.equal(b.count * 40, #b:copy(Trail, "past"))
      assert.equal(b.count * 4, #b:copy(Trail, "past[2]"))
      assert.equal(b.count * 44, #b:copy(Trail))
    end)
  end)

  it("is filled by spawn_many", function()
    world:spawn_many(5, { Trail { past = 3 } }, function(b)
      for i = 1, b.count do b.ArrayTrail.past[10][i] = i end
    end)
    local sum = 0
    for _, p in world:query({ Trail }):rows() do sum = sum + p.past[10] end
    assert.equal(20 * 1 + 15, sum)
  end)
end)

describe("an array in what is kept of a world", function()
  local function fill(world)
    for i = 1, 9 do
      world:spawn(Trail { past = { i, [10] = -i }, on = true })
    end
    return world:hash()
  end

  it("comes back from snapshots, saves and prefabs", function()
    local world = ecs.world {}
    local hash = fill(world)
    local snapshot, bytes = world:snapshot(), world:save()
    for _, p in world:query({ Trail }):rows() do p.past[5] = 9 end
    assert.not_equal(hash, world:hash())
    world:restore(snapshot)
    assert.equal(hash, world:hash())
    local other = ecs.world {}
    assert(other:load { bytes = bytes })
    assert.equal(hash, other:hash())
    local Old = ecs.prefab("ArrayOld", { Trail { past = { 4 } } })
    local e = world:spawn(Old)
    assert.same({ 4, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, list(world, e, "past"))
    local clone = world:clone(e)
    assert.same(world:get(e, Trail), world:get(clone, Trail))
    assert.truthy(world:dump():find("past%5B10%5D=-9", 1, true))
  end)

  it("is a table for migrate", function()
    local world = ecs.world {}
    fill(world)
    local bytes, olds = world:save(), {}
    local other = ecs.world {}
    assert(other:load { bytes = bytes, migrate = { ArrayTrail = function(old)
      olds[#olds + 1] = old
      return { past = { old.past[10], old.past[1] }, on = old.on, hp = 3 }
    end } })
    assert.same({ 10, 3, 0 }, { #olds[1].past, #olds[1].on, olds[1].hp })
    local e = other:query({ Trail }):first()
    assert.same({ -1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, list(other, e, "past"))
  end)
end)
