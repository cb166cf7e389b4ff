-- Fields of type string and any: in components, as values, in rows and in
-- observers; what has no access to them; and when their values are let go.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses
local is_integer = math.type or function() return nil end

local Sprite = ecs.component("HeldSprite", {
  label = "string", image = "any", x = { "f32", 1 },
})
local Only = ecs.component("HeldOnly", { note = "any" })
local Sparse = ecs.component("HeldSparse", { text = "string" },
  { storage = "sparse" })

--- A value of every kind that a script can have.
local function one_of_each()
  local list = { "", "text", "a\0b\255", ("long"):rep(100), 0, -0.0, 1, 1.5,
    -7, 2 ^ 53, 1 / 0, -1 / 0, true, false, {}, print, function() end,
    coroutine.create(print), ecs.world {}, Sprite, io.stdout }
  return list
end

describe("the definition of a string and of any value", function()
  it("is in the list of fields", function()
    assert.same({ { name = "image", type = "any" },
                  { name = "label", type = "string", default = "" },
                  { name = "x", type = "f32", default = 1 } }, Sprite.fields)
    assert.equal(Sprite, ecs.component("HeldSprite", {
      label = { "string", "" }, image = { "any" }, x = { "f32", 1 },
    }))
  end)

  it("has no other default, and is no array and no link", function()
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "string", "orc" } })
    end, 'HeldBad.x is string, and has no other default than ""')
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "any", {} } })
    end, "HeldBad.x is any, and has no other default than nil")
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "string", 5 } })
    end, "HeldBad.x is string: it takes a string, not 5")
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "string", count = 2 } })
    end, "HeldBad.x: an array cannot have strings")
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "any", count = 2 } })
    end, "HeldBad.x: an array cannot have values of any type")
    refuses(function()
      local _ = ecs.component("HeldBad", { x = { "any", link = "clear" } })
    end, "only an entity field can be a link, not any")
    refuses(function()
      local _ = ecs.component("HeldBad", { x = "table" })
    end, "there is no type 'table'",
      "any value of Lua fits a field of type any")
  end)
end)

describe("a field of type string or any", function()
  local world
  before_each(function() world = ecs.world {} end)

  it("has its default until something is stored", function()
    local e = world:spawn(Sprite)
    assert.same({ "", nil, 1 }, { world:get(e, Sprite, "label", "image", "x") })
    assert.same({ label = "", x = 1 }, world:get(e, Sprite))
    world:add(e, Only)
    assert.is_nil(world:get(e, Only, "note"))
  end)

  it("holds every value as it is", function()
    local e = world:spawn(Only)
    for _, value in ipairs(one_of_each()) do
      world:set(e, Only, "note", value)
      local found = world:get(e, Only, "note")
      assert.is_true(rawequal(value, found), tostring(value))
      assert.equal(is_integer(value), is_integer(found))
      if value == 0 then assert.equal(1 / value, 1 / found) end
      local other = world:spawn(Only { note = value })
      assert.is_true(rawequal(value, world:get(other, Only).note))
    end
    world:set(e, Only, "note", 0 / 0)
    local nan = world:get(e, Only, "note")
    assert.is_true(nan ~= nan)
    world:set(e, Only, "note", nil)
    assert.is_nil(world:get(e, Only, "note"))
  end)

  it("holds only strings where it is a string", function()
    local e = world:spawn(Sprite { label = "orc" })
    for _, wrong in ipairs { 5, true, {}, print } do
      refuses(function() world:set(e, Sprite, "label", wrong) end,
        "HeldSprite.label is string: it takes a string, not")
      refuses(function() world:spawn(Sprite { label = wrong }) end,
        "HeldSprite.label is string: it takes a string, not")
      refuses(function()
        for _, p in world:query { Sprite }:rows() do p.label = wrong end
      end, "HeldSprite.label is string and cannot hold")
    end
    refuses(function() world:set(e, Sprite, "label", nil) end,
      "HeldSprite.label is string: it takes a string, not nil")
    assert.equal("orc", world:get(e, Sprite, "label"))
  end)

  it("is set by values, tables and pairs, and read back", function()
    local image = { 7 }
    local e = world:spawn(Sprite { label = "a", image = image, x = 2 })
    assert.same({ label = "a", image = image, x = 2 }, world:get(e, Sprite))
    world:set(e, Sprite { label = "b" })
    assert.equal(image, world:get(e, Sprite, "image"))
    world:set(e, Sprite, { image = "c" })
    assert.same({ label = "b", image = "c", x = 2 }, world:get(e, Sprite))
    world:set(e, Sprite, "x", 3, "image", image, "label", "d")
    assert.same({ label = "d", image = image, x = 3 }, world:get(e, Sprite))
    local f = world:spawn(Only, { note = 1 }, Sprite, { label = "e" })
    assert.equal(1, world:get(f, Only, "note"))
    world:replace(f, Only, Sparse { text = "f" })
    assert.equal("f", world:get(f, Sparse, "text"))
    world:remove(f, Sprite)
    world:add(f, Sprite, { image = print })
    assert.same({ label = "", image = print, x = 1 }, world:get(f, Sprite))
    assert.equal('HeldSprite { image = a table, label = "g" }',
      tostring(Sprite { label = "g", image = {} }))
  end)

  it("is set for all rows of a query", function()
    local image = {}
    for _ = 1, 100 do world:spawn(Sprite) end
    local query = world:query { Sprite }
    query:set(Sprite, "label", "one", "image", image)
    query:add(Sparse { text = "two" })
    query:add(Only, { note = image })
    local count = 0
    for e, p in query:rows() do
      assert.equal("one", p.label)
      assert.equal(image, p.image)
      assert.equal("two", world:get(e, Sparse, "text"))
      assert.equal(image, world:get(e, Only, "note"))
      count = count + 1
    end
    assert.equal(100, count)
  end)

  it("comes from spawn_many, prefabs and spawners", function()
    local image = {}
    world:spawn_many(3, { Sprite { label = "many", image = image } })
    local Orc = ecs.prefab("HeldOrc", {
      Sprite, { label = "orc", image = image },
      children = { { Only { note = "child" } } } })
    collectgarbage()
    world:spawn(Orc, Sprite { x = 5 })
    world:spawn_many(2, { Orc })
    local shoot = world:spawner(Sprite, { label = "shot", image = image }, "x")
    collectgarbage()
    shoot(4)
    local counts = {}
    for _, p in world:query { Sprite }:rows() do
      counts[p.label] = (counts[p.label] or 0) + 1
      assert.equal(image, p.image)
    end
    assert.same({ many = 3, orc = 3, shot = 1 }, counts)
    local notes = 0
    for _, p in world:query { Only }:rows() do
      assert.equal("child", p.note)
      notes = notes + 1
    end
    assert.equal(3, notes)
    assert.equal(Orc, ecs.prefab("HeldOrc", {
      Sprite, { label = "orc", image = image },
      children = { { Only { note = "child" } } } }))
  end)

  it("is got and set by prepared closures", function()
    local get, set = world:getter(Sprite, "label", "image"),
      world:setter(Sprite, "image", "label")
    local one, all = world:getter(Sprite, "image"), world:getter(Sprite)
    local put = world:setter(Sprite, "image")
    local e = world:spawn(Sprite)
    for _ = 1, 200 do
      set(e, 7, "seven")
      assert.same({ "seven", 7 }, { get(e) })
      put(e, get)
      assert.equal(get, one(e))
      assert.same({ label = "seven", image = get, x = 1 }, all(e))
    end
    refuses(function() set(e, 7, 8) end, "it takes a string, not 8")
    refuses(function() world:spawner(Sprite, "label") end,
      "HeldSprite.label is of type string, and cannot be an argument")
  end)

  it("is a field of resources", function()
    local row = world:resource(Sprite { label = "score", image = world })
    assert.equal("score", row.label)
    assert.equal(world, row.image)
    row.label, row.image = "more", nil
    assert.equal("more", row.label)
    assert.is_nil(row.image)
  end)

  it("is read and stored by rows and each", function()
    local image = {}
    for k = 1, 50 do world:spawn(Sprite { label = "s" .. k }, Only) end
    local query = world:query { Sprite, optional = { Only } }
    for _ = 1, 3 do
      query:each(function(p, o)
        p.image = p.label
        p.label = p.label .. "!"
        if o then o.note = image end
        p.x = p.x + 1
      end)
      for _, p, o in query:rows() do
        assert.equal(p.label, p.image .. "!")
        assert.equal(image, o.note)
        p.label = p.image
      end
    end
    local read = world:query { read = { Sprite } }
    refuses(function()
      for _, p in read:rows() do p.label = "x" end
    end, "HeldSprite is only read by")
    refuses(function()
      for _, p in read:rows() do local _ = p.nothing end
    end, "HeldSprite has no field 'nothing' (it has image, label, x)")
  end)

  it("waits while changes are recorded", function()
    local e = world:spawn(Sprite { label = "before" })
    world:query { Sprite }:each(function(p)
      for k = 1, 3000 do world:spawn(Only { note = { k } }) end
      world:set(e, Sparse, { text = "added" })
      p.label = "after"
    end)
    assert.equal("after", world:get(e, Sprite, "label"))
    assert.equal("added", world:get(e, Sparse, "text"))
    local seen = {}
    for _, p in world:query { Only }:rows() do seen[p.note[1]] = true end
    assert.equal(3000, #seen)
  end)

  it("is shown to observers, also when it leaves", function()
    local told = {}
    world:on("set", Sprite, function(_, p)
      told[#told + 1] = "set " .. p.label
    end)
    world:on("remove", Sprite, function(_, p)
      told[#told + 1] = "remove " .. p.label .. tostring(p.image)
    end)
    local e = world:spawn(Sprite { label = "a", image = 1 })
    world:set(e, Sprite, "label", "b")
    world:remove(e, Sprite)
    assert.same({ "set b", "remove b1" },
      { told[#told - 1], told[#told] })
  end)
end)

describe("what has no access to strings and any values", function()
  local world
  before_each(function()
    world = ecs.world {}
    world:spawn(Sprite { label = "orc" })
  end)

  it("is a batch, which names the field and the other ways", function()
    local query = world:query { Sprite }
    query:batch(function(b)
      assert.equal(1, b.HeldSprite.x[1])
      refuses(function() local _ = b.HeldSprite.label end,
        "HeldSprite.label is of type string, which no batch has",
        "in each or rows, or with world:get and world:set")
      refuses(function() local _ = b[Sprite].image end,
        "HeldSprite.image is of type any, which no batch has")
      refuses(function() b:copy(Sprite) end, "which no batch has")
      refuses(function() b:copy(Sprite, "label") end, "which no batch has")
      assert.equal(4, #b:copy(Sprite, "x"))
    end)
    world:spawn_many(2, { Sprite { label = "new" } }, function(b)
      refuses(function() local _ = b.HeldSprite.label end, "no batch has")
    end)
    for _, p in query:rows() do assert.is_true(#p.label == 3) end
  end)

  it("is a grid, an order and an array", function()
    local query = world:query { Sprite }
    refuses(function()
      world:grid { query = query, cell = 1, at = { Sprite, "x", "label" } }
    end, "HeldSprite.label is string, and a coordinate is a number")
    local Place = ecs.component("HeldPlace", { x = "f32", y = "f32" })
    refuses(function()
      world:grid { query = world:query { Sprite, Place }, cell = 1,
                   at = { Place, "x", "y" } }
    end, "HeldSprite.", "a grid copies the columns")
    refuses(function() world:query { Sprite, sort = { Sprite, "label" } } end,
      "sort: HeldSprite.label is of type string")
    refuses(function() world:array("held", "string", 3) end,
      "array 'held' has elements of type f32")
    refuses(function() world:array("held", "any", 3) end,
      "array 'held' has elements of type f32")
  end)

  it("is no save of a world without such a component", function()
    local empty, other = ecs.world {}, ecs.world {}
    local bytes = assert(empty:save())
    other:spawn(Sprite { label = "there" })
    assert.is_true(other:load { bytes = bytes })
    assert.equal(0, other:query { Sprite }:count())
    assert.equal("again",
      other:get(other:spawn(Sprite { label = "again" }), Sprite, "label"))
  end)
end)

describe("a system of one row", function()
  local world
  before_each(function() world = ecs.world {} end)

  local fallbacks = support.hear_fallbacks(before_each, after_each)

  it("compiles where it uses other fields of the component", function()
    local e = world:spawn(Sprite { label = "orc" })
    world:system { name = "move", query = { Sprite }, each = function(p, dt)
      p.x = p.x + dt
    end }
    world:progress(1)
    assert.matches("compiled", world:explain("move"), 1, true)
    assert.equal(2, world:get(e, Sprite, "x"))
    assert.equal("orc", world:get(e, Sprite, "label"))
  end)

  it("runs as plain Lua where it uses a string, and says so", function()
    local e = world:spawn(Sprite { label = "orc", image = "elf" })
    world:system { name = "name", query = { Sprite }, each = function(p)
      p.label, p.image = p.image, p.label
    end }
    local other = world:spawn(Only { note = "n" }, Sprite { image = "q" })
    world:system { name = "copy", query = { Sprite, Only },
                   each = function(p, o) p.image = o.note end }
    world:progress(1)
    world:progress(1)
    world:progress(1)
    assert.equal("elf", world:get(e, Sprite, "label"))
    assert.equal("n", world:get(other, Sprite, "image"))
    assert.matches("'image' of HeldSprite, a field of type any",
      world:explain("name"), 1, true)
    assert.matches("a field of type any", world:explain("copy"), 1, true)
  end)

  it("compiles around a branch that few rows take", function()
    for k = 1, 100 do world:spawn(Sprite { x = k }) end
    world:system { name = "mark", query = { Sprite }, each = function(p)
      if p.x == 50 then p.label = "half" end
      p.x = p.x + 1
    end }
    world:progress(1)
    local found = 0
    for _, p in world:query { Sprite }:rows() do
      if p.label == "half" then
        found = found + 1
        assert.equal(51, p.x)
      end
    end
    assert.equal(1, found)
    assert.is_nil(fallbacks())
  end)

  it("may have it as optional", function()
    local Mark = ecs.component("HeldMark", { x = "f32" })
    local e = world:spawn(Mark)
    local f = world:spawn(Mark, Sprite)
    local g = world:spawn(Mark, Only)
    world:system { name = "a", query = { Mark, optional = { Sprite } },
      each = function(m, s) if s then m.x = m.x + s.x end end }
    world:system { name = "b", query = { Mark, optional = { Only } },
      each = function(m, o) if o then m.x = m.x + 10 end end }
    world:progress(1)
    assert.equal(0, world:get(e, Mark, "x"))
    assert.equal(1, world:get(f, Mark, "x"))
    assert.equal(10, world:get(g, Mark, "x"))
  end)
end)

describe("hashes and dumps", function()
  local function world_of(label, image)
    local world = ecs.world {}
    world:spawn(Sprite { label = label, image = image })
    return world
  end

  it("count strings, numbers and booleans by value", function()
    local seen = {}
    for _, value in ipairs { "", "text", "a\0b", "a", 0, -0.0, 1.5, 2 ^ 53,
                             true, false, "1.5", "true" } do
      local busy = ecs.world {} -- other numbers for the same values
      for k = 1, 100 do busy:spawn(Only { note = "n" .. k }) end
      local one, other = world_of("l", value), world_of("l", value)
      assert.equal(one:hash(), other:hash())
      assert.equal(one:state_hash(), other:state_hash())
      assert.equal(one:dump(), other:dump())
      assert.is_nil(seen[one:hash()])
      assert.is_nil(seen[one:state_hash()])
      assert.is_nil(seen[one:dump()])
      seen[one:hash()], seen[one:state_hash()], seen[one:dump()] = 1, 1, 1
    end
    assert.not_equal(world_of("a", nil):hash(), world_of("b", nil):hash())
  end)

  it("count everything else by its kind", function()
    assert.equal(world_of("", {}):hash(), world_of("", { 1 }):hash())
    assert.equal(world_of("", {}):dump(), world_of("", { 1 }):dump())
    assert.not_equal(world_of("", {}):hash(), world_of("", print):hash())
    assert.not_equal(world_of("", {}):state_hash(),
      world_of("", nil):state_hash())
    assert.matches("image=<table> label=\"a\\x00\\x22b\"",
      world_of("a\0\"b", {}):dump(), 1, true)
    assert.matches("image=nil label=\"\"", world_of("", nil):dump(), 1, true)
  end)

  it("count objects of ecs as one kind, whatever they are on a VM", function()
    local world, kept = ecs.world {}, {}
    local grid = world:array("grid", "f32", 2, 2)
    world:spawn(Only { note = "n" })
    world:query({ Only }):batch(function(batch)
      kept[1], kept[2] = batch, batch.entities
    end)
    for _, row in world:query({ Only }):rows() do kept[3] = row end
    world:query({ Only }):each(function(row) kept[4] = row end)
    kept[5], kept[6], kept[7] = world, world:query { Only }, Only
    kept[8], kept[9] = Only { note = "x" }, ecs.prefab("HeldKind", { Only })
    kept[10], kept[11], kept[12] = grid, grid[1], world:snapshot()
    kept[13] = ecs.component("HeldKindPlain", { x = "f32" }) { x = 1 }
    for k = 1, 13 do
      local of = world_of("", kept[k])
      assert.matches("image=<ecs> ", of:dump(), 1, true)
      assert.equal("a259b48bf587c891", of:hash()) -- on every VM
    end
    assert.matches("image=<userdata>", world_of("", io.stdout):dump(), 1, true)
  end)

  it("count a whole number once, as an integer and as a float", function()
    assert.equal(world_of("", 1):hash(), world_of("", 1.0):hash())
    assert.equal(world_of("", 1):dump(), world_of("", 1.0):dump())
  end)

  it("are the same on every VM", function()
    local world = ecs.world {}
    world:spawn(Sprite { label = "orc", image = 3 })
    world:spawn(Sprite { label = "\255\0", image = true },
      Sparse { text = "x" })
    assert.equal("a9c60fd4fd630f63", world:state_hash())
  end)

  it("count what is recorded", function()
    local hashes = {}
    for k, text in ipairs { "a", "b", "a" } do
      local world = ecs.world {}
      world:spawn(Only)
      world:query { Only }:each(function(_, e)
        world:add(e, Sparse { text = text })
        hashes[k] = world:hash()
      end)
    end
    assert.equal(hashes[1], hashes[3])
    assert.not_equal(hashes[1], hashes[2])
  end)
end)

describe("snapshots", function()
  it("keep values, and bring them back", function()
    local world = ecs.world {}
    local image = { 1 }
    local e = world:spawn(Sprite { label = "old", image = image }, Sparse
      { text = "sparse" })
    local hash, snapshot = world:hash(), world:snapshot()
    local past = world:history(3)
    past:take()
    world:clear()
    for k = 1, 5000 do
      local f = world:spawn(Only { note = { k } }, Sparse { text = "t" .. k })
      world:destroy(f)
    end
    collectgarbage()
    for k = 1, 3000 do world:destroy(world:spawn(Only { note = "u" .. k })) end
    world:restore(snapshot)
    assert.equal(hash, world:hash())
    assert.equal("old", world:get(e, Sprite, "label"))
    assert.equal("sparse", world:get(e, Sparse, "text"))
    assert.is_true(rawequal(image, world:get(e, Sprite, "image")))
    image[1] = 2
    past:rewind(1)
    assert.equal(2, world:get(e, Sprite, "image")[1])
  end)
end)

describe("values that nothing refers to", function()
  --- Has values held and let go until what is weak is gone.
  local function churn(world)
    local e = world:spawn(Only)
    for round = 1, 4 do
      for k = 1, 3000 do world:set(e, Only, "note", round .. "." .. k) end
      collectgarbage()
      collectgarbage()
    end
    world:destroy(e)
  end

  it("are let go", function()
    local world = ecs.world {}
    local weak = setmetatable({}, { __mode = "v" })
    local e = world:spawn(Only { note = { "gone" } })
    local kept = world:spawn(Only { note = { "kept" } })
    weak.gone, weak.kept = world:get(e, Only, "note"),
      world:get(kept, Only, "note")
    churn(world)
    assert.is_table(weak.gone)
    world:destroy(e)
    churn(world)
    assert.is_nil(weak.gone)
    assert.equal("kept", weak.kept[1])
    assert.equal("kept", world:get(kept, Only, "note")[1])
    assert.is_true(core.held_count() < 8000)
  end)

  it("are let go with their snapshot, and with their world", function()
    local world = ecs.world {}
    local weak = setmetatable({}, { __mode = "v" })
    local e = world:spawn(Only { note = {} })
    weak.snapshot = world:get(e, Only, "note")
    local snapshots = { world:snapshot() }
    world:destroy(e)
    churn(world)
    assert.is_table(weak.snapshot)
    assert.is_truthy(snapshots[1])
    snapshots[1] = nil
    churn(world)
    assert.is_nil(weak.snapshot)
    local other = ecs.world {}
    other:spawn(Only { note = function() return weak end })
    weak.other = other:get(1, Only, "note")
    churn(world)
    assert.is_function(weak.other)
    other:close()
    churn(world)
    assert.is_nil(weak.other)
  end)

  it("stay with a value, whatever is read meanwhile", function()
    local world = ecs.world {}
    local value = Sprite { label = "value", image = { "v" } }
    churn(world)
    local e = world:spawn(value)
    assert.equal("value", world:get(e, Sprite, "label"))
    assert.equal("v", world:get(e, Sprite, "image")[1])
    -- Finalizers hold others and have them let go while fields are read.
    local busy, ran = false, 0
    local function disturb()
      if busy then return end
      busy, ran = true, ran + 1
      local f = world:spawn(Only)
      for k = 1, 1100 do world:set(f, Only, "note", { ran, k }) end
      world:destroy(f)
      busy = false
    end
    for k = 1, 40 do
      for _ = 1, 3 do support.finalize(disturb) end
      local f = world:spawn(Sprite, { label = "l" .. k, image = { k } }, Only,
        { note = { "only" } })
      world:set(e, Sprite, { label = "s" .. k, image = { k } })
      local t = world:get(f, Sprite)
      assert.same({ "l" .. k, k }, { t.label, t.image[1] })
      assert.equal("only", world:get(f, Only, "note")[1])
      assert.equal("s" .. k, world:get(e, Sprite, "label"))
      assert.equal(k, world:get(e, Sprite, "image")[1])
      if k % 10 == 0 then collectgarbage() end
    end
    assert.is_true(ran > 0)
  end)

  it("are let go by frames in which systems hold others", function()
    local world = ecs.world {}
    world:spawn(Only)
    local n = 0
    world:system { name = "note", query = { Only }, compile = false,
      each = function(p)
        n = n + 1
        p.note = { n }
      end }
    collectgarbage()
    collectgarbage()
    for _ = 1, 12000 do world:progress(1) end
    assert.is_true(core.held_count() < 11000)
    for _, p in world:query { Only }:rows() do assert.equal(n, p.note[1]) end
  end)
end)
