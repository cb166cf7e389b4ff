-- get, set, has and alive, asked in the ways that LuaJIT gets faster answers
-- to. What they answer is compared with the ways that have no such path: three
-- fields, two components, a value; and with a second world that is changed by
-- values only.

local ecs = require "ecs"
local core = require "ecs.core"

local kinds = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "bool",
                "entity" }

-- Every type in every storage that has fields, and every storage of tags.
local every = {}
for f, kind in ipairs(kinds) do every["v" .. f] = kind end
local Every = ecs.component("AccessEvery", every)
local Sparse = ecs.component("AccessSparse", every, { storage = "sparse" })
local Place = ecs.component("AccessPlace", { x = "f32", y = { "f32", 7 } })
local Far = ecs.component("AccessFar", { x = "f32", y = "f32" },
  { storage = "sparse" })
local Tag = ecs.tag "AccessTag"
local SparseTag = ecs.tag("AccessSparseTag", { storage = "sparse" })
local BitTag = ecs.tag("AccessBitTag", { storage = "bits" })
local Never = ecs.component("AccessNever", { x = "f32" })

local holders = { Every, Sparse, Place, Far }
local all = { Every, Sparse, Place, Far, Tag, SparseTag, BitTag, Never }
local unpack = table.unpack or unpack

local function fields_of(definition)
  if definition == Place or definition == Far then return { "x", "y" } end
  local names = {}
  for f = 1, #kinds do names[f] = "v" .. f end
  return names
end

local function same(a, b)
  return a == b or (a ~= a and b ~= b)
end

-- Not so called that a test runner takes it for its own.
local function agree(a, b, ...)
  if not same(a, b) then
    error(string.format("%s and %s differ: %s", tostring(a), tostring(b),
      table.concat({ ... }, " ")), 2)
  end
end

local function refuses(f, ...)
  local ok, text = pcall(f)
  assert.is_false(ok, "no error was raised")
  assert.truthy(text:match("access_spec.lua:%d+: ecs: "), text)
  for _, wanted in ipairs { ... } do
    assert.truthy(text:find(wanted, 1, true), text)
  end
end

-- A generator of its own: the same numbers on every VM.
local function dice(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

-- Every short question about an entity against the long one.
local function compare(world, e)
  agree(world:alive(e), world:has(e), "alive")
  for _, definition in ipairs(all) do
    agree(world:has(e, definition), world:has(e, definition, definition),
      "has", tostring(definition))
  end
  for _, definition in ipairs(holders) do
    local names = fields_of(definition)
    local whole = world:get(e, definition)
    agree(whole ~= nil, world:has(e, definition), "whole")
    for f, name in ipairs(names) do
      local other = names[f % #names + 1]
      local value = world:get(e, definition, name, name, name)
      agree(world:get(e, definition, name), value, "get", name)
      local a, b = world:get(e, definition, other, name)
      agree(b, value, "second of two", name)
      agree(a, (world:get(e, definition, other, other, other)), "first", other)
      if whole then agree(whole[name], value, "of all", name) end
    end
  end
end

local numbers = { 0, 1, -1, 0.5, -0.0, 127, 128, -128, -129, 255, 256, 32767,
  32768, -32768, -32769, 65535, 65536, 2 ^ 31 - 1, 2 ^ 31, -2 ^ 31,
  -2 ^ 31 - 1, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 52 - 1, 2 ^ 52, 2 ^ 53, 1e300, -1e300,
  1 / 0, -1 / 0, 0 / 0, -(0 / 0), 3.4028234663852886e38, 3.4028235677973366e38,
  3.4028235e38, -3.5e38, 1e-45, 1e-310, 16777217, 0.1 }

local values = { true, false, "5", "x", {}, print }
for _, number in ipairs(numbers) do values[#values + 1] = number end

describe("a field of one entity", function()
  local world, twin
  before_each(function() world, twin = ecs.world {}, ecs.world {} end)

  it("is read in every type and storage as the long way reads it", function()
    local e = world:spawn(Every, Sparse, Place { x = 3 }, Far, Tag, SparseTag,
      BitTag)
    local bare = world:spawn()
    for _ = 1, 120 do
      compare(world, e)
      compare(world, bare)
    end
  end)

  it("takes and refuses what a value does", function()
    for _, definition in ipairs { Every, Sparse } do
      local a, b = world:spawn(definition), twin:spawn(definition)
      for f = 1, #kinds do
        local name = "v" .. f
        for k = 0, #values do
          local value = values[k] -- nil, too
          local set, text
          for _ = 1, 3 do
            set, text = pcall(world.set, world, a, definition, name, value)
          end
          local made, other
          if value ~= nil then
            made, other = pcall(definition, { [name] = value })
            if made then twin:set(b, other) end
          else
            made = kinds[f] == "entity"
            if made then twin:set(b, definition, name, 0) end
          end
          agree(set, made, name, tostring(value))
          if not made and value ~= nil then agree(text, other) end
          agree(world:get(a, definition, name),
            (twin:get(b, definition, name, name, name)), name,
            tostring(value))
          assert.equal(twin:state_hash(), world:state_hash())
        end
      end
    end
  end)

  it("takes a difference as the number it is", function()
    local e, half = world:spawn(Every), 0.6
    local refused = 0
    for k = 1, 200 do
      local high = k + 0.5
      if not pcall(world.set, world, e, Every, "v7", high - half) then
        refused = refused + 1
      end
      world:set(e, Every, "v2", high - half)
      agree(world:get(e, Every, "v2"), high - half)
    end
    assert.equal(200, refused)
    assert.equal(0, world:get(e, Every, "v7"))
  end)

  it("is set to the one NaN there is", function()
    local a = world:spawn(Every, Place)
    local b = twin:spawn(Every, Place)
    for _, nan in ipairs { 0 / 0, -(0 / 0), math.huge - math.huge } do
      for _ = 1, 80 do
        world:set(a, Every, "v1", nan)
        world:set(a, Every, "v2", nan)
        world:set(a, Place, "x", nan)
      end
      twin:set(b, Every { v1 = 0 / 0, v2 = 0 / 0 })
      twin:set(b, Place { x = 0 / 0 })
      assert.equal(twin:hash(), world:hash())
      compare(world, a)
    end
  end)

  it("adds the component where it is absent", function()
    for k = 1, 100 do
      local e = world:spawn()
      world:set(e, Place, "x", k)
      assert.equal(7, world:get(e, Place, "y"))
      assert.equal(k, world:get(e, Place, "x"))
    end
  end)

  it("may be called anything", function()
    local Odd = ecs.component("AccessOdd", { ["end"] = "f32",
      ["a b"] = "bool", ['"]]'] = "i8", ["\\n%d"] = "entity", access = "u8",
      alive = "u8", ["\195\169"] = "f64" })
    local e = world:spawn(Odd { ["end"] = 2, ["a b"] = true, ['"]]'] = -3,
      ["\\n%d"] = 9, access = 4, alive = 5, ["\195\169"] = 0.25 })
    for _ = 1, 100 do
      assert.equal(2, world:get(e, Odd, "end"))
      assert.same({ ["end"] = 2, ["a b"] = true, ['"]]'] = -3,
        ["\\n%d"] = 9, access = 4, alive = 5, ["\195\169"] = 0.25 },
        world:get(e, Odd))
    end
  end)

  it("is named, or the call is refused", function()
    local e = world:spawn(Place, Tag)
    for _ = 1, 70 do
      refuses(function() world:get(e, Place, "z") end, "no field 'z'")
      refuses(function() world:get(e, Place, nil) end, "not by nil")
      refuses(function() world:get(e, Place, 1) end, "not by 1")
      refuses(function() world:get(e, Place, "x", nil) end, "not by nil")
      refuses(function() world:get(e, Tag) end, "world:has")
      refuses(function() world:get(e, Tag, "x") end, "world:has")
      refuses(function() world:get(e, nil) end, "not nil")
      refuses(function() world:get(e) end, "not a no value")
      for _, word in ipairs { "alive", "keep", "access", "index", "x" } do
        refuses(function() world:get(e, word, "x") end, "not a string")
        refuses(function() world:has(e, word) end, "not a string")
      end
      refuses(function() world:get(e, Place {}, "x") end, "without fields")
      refuses(function() world:set(e, Place, "x") end, "lacks")
      refuses(function() world:set(e, Place, "x", 1, 2) end, "no more")
      refuses(function() world:set(e, Place, "x", "5") end, "not a string")
      refuses(function() world:set(e, Tag, "x", 1) end, "tag")
      refuses(function() world:has(e, 5) end, "not 5")
    end
  end)
end)

describe("an entity that is none", function()
  it("is answered and refused as the long way does", function()
    local world = ecs.world {}
    local dead, e = world:spawn(Place, Far), world:spawn(Place, Far)
    world:destroy(dead)
    local heir = world:spawn(Place { x = 5 }, Far)
    assert.equal(dead % 2 ^ 28, heir % 2 ^ 28)
    local strange = { dead, e + 0.5, e + 2 ^ 28, e + 2 ^ 51, e + 2 ^ 52, -e,
      heir + 2 ^ 28 }
    for _, number in ipairs(numbers) do strange[#strange + 1] = number end
    for _ = 1, 30 do
      for _, entity in ipairs(strange) do
        compare(world, entity)
        assert.is_false(world:alive(entity))
        assert.is_nil(world:get(entity, Place, "x"))
        assert.is_nil(world:get(entity, Far, "x"))
        refuses(function() world:set(entity, Place, "x", 1) end, "not alive")
      end
    end
    for _ = 1, 70 do
      assert.is_nil(world:get(nil, Place, "x"))
      assert.is_false(world:alive(nil))
      refuses(function() world:get("5", Place, "x") end, "not a string")
      refuses(function() world:alive(tostring(e)) end, "not a string")
      refuses(function() world:has({}, Place) end, "not a table")
      refuses(function() world:set(nil, Place, "x", 1) end, "not nil")
    end
    assert.equal(5, world:get(heir, Place, "x"))
  end)
end)

describe("a self that is no open world", function()
  it("is refused", function()
    local world = ecs.world {}
    local e = world:spawn(Place)
    local query = world:query { Place }
    for _ = 1, 70 do
      world:get(e, Place, "x")
      for _, self in ipairs { query, Place, Place {}, io.stdout, {}, "w", 5,
          0 / 0, true } do
        refuses(function() world.get(self, e, Place, "x") end, "on a world")
        refuses(function() world.set(self, e, Place, "x", 1) end, "on a world")
        refuses(function() world.has(self, e, Place) end, "on a world")
        refuses(function() world.alive(self, e) end, "on a world")
      end
      refuses(function() world.get(nil, e, Place, "x") end, "on a world")
    end
  end)

  it("is refused when it was closed after it was used", function()
    for _ = 1, 70 do
      local world = ecs.world {}
      local e = world:spawn(Place, Far)
      compare(world, e)
      world:close()
      refuses(function() world:get(e, Place, "x") end, "closed")
      refuses(function() world:get(e, Place, "x", "y") end, "closed")
      refuses(function() world:get(e, Far) end, "closed")
      refuses(function() world:set(e, Place, "x", 1) end, "closed")
      refuses(function() world:has(e, Place) end, "closed")
      refuses(function() world:alive(e) end, "closed")
    end
  end)

  it("is refused with the metatable of a world, and a world without", function()
    local world = ecs.world {}
    local e, forged = world:spawn(Place), io.tmpfile()
    local own, metatable = debug.getmetatable(forged),
      debug.getmetatable(world)
    assert.equal(0, world:get(e, Place, "x"))
    debug.setmetatable(forged, metatable)
    local ok = pcall(world.get, forged, e, Place, "x")
    debug.setmetatable(forged, own)
    forged:close()
    assert.is_false(ok)
    assert.equal(0, world:get(e, Place, "x"))
  end)
end)

describe("what is remembered of a world", function()
  it("goes with it", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 30 do
      local world = ecs.world {}
      compare(world, world:spawn(Every, Place, Far))
      weak[world] = true
    end
    for _ = 1, 4 do collectgarbage() end
    local left = 0
    for _ in pairs(weak) do left = left + 1 end
    assert.is_true(left <= 2, left .. " are left")
  end)

  it("is of no other world", function()
    local worlds, entities = {}, {}
    for k = 1, 12 do
      worlds[k] = ecs.world {}
      for _ = 1, k do worlds[k]:spawn(Far, all[5 + k % 3]) end
      entities[k] = worlds[k]:spawn(Place { x = k })
    end
    for _ = 1, 30 do
      for k = 1, 12 do
        assert.equal(k, worlds[k]:get(entities[k], Place, "x"))
        compare(worlds[k], entities[k])
      end
    end
  end)

  it("does not outlive growth, moves and other groups", function()
    local world, entities = ecs.world {}, {}
    local roll = dice(11)
    for k = 1, 3000 do
      entities[k] = world:spawn(Place { x = k }, Far { x = -k })
      local e = entities[roll(k)]
      if k % 3 == 0 then world:add(e, all[roll(#all)]) end
      if k % 5 == 0 then world:remove(e, all[4 + roll(4)]) end
      if k == 1000 then world:group { Place, Far } end
      if k == 2000 then world:group { Far, Every } end
      local at = roll(k)
      agree(world:get(entities[at], Place, "x"), at)
      agree(world:get(entities[at], Far, "x"), -at)
      if k % 50 == 0 then compare(world, e) end
    end
    world:clear()
    for k = 1, 200 do assert.is_nil(world:get(entities[k], Place, "x")) end
  end)

  it("learns of components that are met later", function()
    for _ = 1, 20 do
      local world = ecs.world {}
      local e = world:spawn(Place)
      for _ = 1, 5 do
        assert.is_false(world:has(e, Never))
        assert.is_nil(world:get(e, Never, "x"))
        assert.is_nil(world:get(e, Never))
      end
      world:set(e, Never, "x", 4)
      for _ = 1, 5 do assert.equal(4, world:get(e, Never, "x")) end
    end
  end)
end)

-- The same random life for two worlds; only the first is asked the short way.
local function live(seed, steps, act)
  local world, twin, entities = ecs.world {}, ecs.world {}, {}
  local roll = dice(seed)
  local function both(name, ...)
    local ok, a = pcall(world[name], world, ...)
    local made, b = pcall(twin[name], twin, ...)
    agree(ok, made, name, tostring(a), tostring(b))
    if ok then agree(a, b, name) end
    return a
  end
  local changes = {
    function() entities[#entities + 1] = both("spawn", all[roll(#all)]) end,
    function(e) both("add", e, all[roll(#all)]) end,
    function(e) both("remove", e, all[roll(#all)]) end,
    function(e) if roll(4) == 1 then both("destroy", e) end end,
    function(e)
      local definition = holders[roll(#holders)]
      local names = fields_of(definition)
      local name, value = names[roll(#names)], values[roll(#values)]
      local ok = pcall(world.set, world, e, definition, name, value)
      local made = pcall(function()
        twin:set(e, definition { [name] = value })
      end)
      agree(ok, made, "set", name, tostring(value))
    end,
  }
  for _ = 1, 20 do changes[1]() end
  for step = 1, steps do
    act(world, twin, function()
      local e = entities[roll(#entities)]
      changes[roll(#changes)](e)
      compare(world, entities[roll(#entities)])
      compare(world, e)
    end, step)
    assert.equal(twin:hash(), world:hash())
  end
end

describe("a random life", function()
  it("is the same, asked the short way and the long way", function()
    for seed = 1, 3 do
      live(seed, 400, function(_, _, change) change() end)
    end
  end)

  it("is the same where changes are recorded", function()
    local Walked = ecs.tag "AccessWalked"
    for seed = 1, 3 do
      live(seed, 40, function(world, twin, change, step)
        if step == 1 then
          world:spawn(Walked)
          twin:spawn(Walked)
        end
        world:query({ Walked }):batch(function()
          twin:query({ Walked }):batch(function()
            for _ = 1, 10 do change() end
          end)
        end)
      end)
    end
  end)
end)

describe("inside a batch", function()
  it("what is walked over can be reached through the batch alone", function()
    local world = ecs.world {}
    local e = world:spawn(Place { x = 1 }, Far { x = 2 })
    for _ = 1, 3 do compare(world, e) end
    world:query({ Place, read = { Far } }):batch(function()
      for _ = 1, 70 do
        refuses(function() world:get(e, Place, "x") end, "get", "AccessPlace",
          "query { AccessPlace, read = { AccessFar } }")
        refuses(function() world:get(e, Place, "x", "y") end, "AccessPlace")
        refuses(function() world:get(e, Place) end, "AccessPlace")
        refuses(function() world:set(e, Place, "x", 9) end, "set",
          "AccessPlace", "query")
        refuses(function() world:set(e, Far, "x", 9) end, "set", "AccessFar")
        assert.equal(2, world:get(e, Far, "x"))
        assert.is_true(world:has(e, Place))
        assert.is_true(world:alive(e))
      end
    end)
    assert.equal(1, world:get(e, Place, "x"))
  end)

  it("a change follows what is recorded for its entity", function()
    for _ = 1, 70 do
      local world = ecs.world {}
      local walked = world:spawn(Tag)
      local e = world:spawn(Place { x = 1 })
      local gone = world:spawn(Place { x = 2 })
      world:query({ with = { Tag } }):batch(function()
        world:remove(e, Place)
        world:set(e, Place, "x", 5)
        assert.equal(1, world:get(e, Place, "x"))
        world:destroy(gone)
        assert.is_false(world:alive(gone))
        assert.is_true(world:alive(walked))
        local born = world:spawn(Place { x = 3 })
        assert.is_true(world:alive(born))
        assert.is_nil(world:get(born, Place, "x"))
        assert.is_false(world:has(born, Place))
      end)
      assert.same({ x = 5, y = 7 }, world:get(e, Place))
      assert.is_nil(world:get(gone, Place, "x"))
    end
  end)
end)

describe("a finalizer", function()
  local function finalize(f)
    if newproxy then
      debug.getmetatable(newproxy(true)).__gc = f
    else
      setmetatable({}, { __gc = f })
    end
  end

  it("may change or close the world at any moment", function()
    local closed = 0
    for round = 1, 60 do
      local world, kept = ecs.world {}, {}
      local e = world:spawn(Place { x = 3, y = 4 }, Far)
      local function meddle()
        if not pcall(world.spawn, world, Place { x = 9 }, Every) then return end
        world:get(e, Every)
        if #kept > round * 20 then
          world:close()
          closed = closed + 1
        end
      end
      local ok, text = pcall(function()
        for k = 1, 2000 do
          if k % 40 == 0 then finalize(meddle) end
          local place = world:get(e, Place)
          kept[k] = place
          assert(place.x == 3 and place.y == 4)
          local x, y = world:get(e, Place, "x", "y")
          assert(x == 3 and y == 4 and world:get(e, Far, "x") == 0)
          world:set(e, Place, "y", 4)
          assert(world:has(e, Far) and world:alive(e))
          if k % 100 == 0 then collectgarbage "step" end
        end
      end)
      assert.is_true(ok or text:find("closed", 1, true) ~= nil, text)
    end
    assert.is_true(closed > 0)
  end)
end)

describe("the accelerator", function()
  it("is in reach of nobody", function()
    local loaded = package.loaded["ecs.access_ffi"]
    assert.is_true(loaded == nil or loaded == true)
    local world = ecs.world {}
    world:spawn(Place)
    local access = core.access(world, Place)
    assert.equal("userdata", type(access))
    assert.is_nil(getmetatable(access))
    assert.is_false((pcall(function() return access.world end)))
    assert.is_false((pcall(world.get, access, 1, Place, "x")))
    assert.is_nil(core.access(world, Never))
    assert.is_nil(core.access(Place, world))
    assert.is_nil(core.access())
  end)

  it("takes no place twice", function()
    if not package.loaded["ecs.access_ffi"] then return end
    assert.is_nil((core.access_calls()))
    local world = ecs.world {}
    local get = world.get
    package.loaded["ecs.access_ffi"] = nil
    assert.is_true((require "ecs.access_ffi"))
    assert.equal(get, world.get)
  end)

  it("does not look for its means where a script put others", function()
    if not package.loaded["ecs.access_ffi"] then return end
    local world = ecs.world {}
    local e = world:spawn(Place { x = 2 })
    local environment = getfenv(world.get)
    setfenv(world.get, { select = error, type = error })
    local x = world:get(e, Place, "x")
    setfenv(world.get, environment)
    assert.equal(2, x)
    assert.equal(2, (unpack { world:get(e, Place, "x") }))
  end)
end)
