-- Packed rows with fields of type string and any.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Sprite = ecs.component("PackedSprite", { label = "string", image = "any",
  x = "f32" })
local Plain = ecs.component("PackedPlain", { n = "i32" })
local Text = ecs.component("PackedText", { text = "string" },
  { storage = "sparse" })
local Next = ecs.component("PackedNext", { to = { "entity", link = "clear" },
  words = "any" })

local function everything(world)
  return world:query({ all = true }):pack()
end

local function made(world)
  local e = {}
  for k = 1, 40 do
    e[k] = world:spawn(Sprite { label = "s" .. k % 5, x = k,
      image = k % 3 == 0 and { k, name = "n" .. k, deep = { true, k / 2 } }
        or k % 3 == 1 and k or nil })
    if k % 2 == 0 then world:add(e[k], Plain { n = k }) end
    if k % 4 == 0 then world:add(e[k], Text { text = ("x"):rep(k) }) end
    if k > 1 and k % 5 == 0 then
      world:add(e[k], Next { to = e[k - 1], words = "to " .. k - 1 })
    end
  end
  world:spawn(Text) -- "" is no value
  return e
end

describe("packed rows with fields of type string and any", function()
  it("give every plain value back", function()
    for _, value in ipairs { true, false, 0, -1, 255, 65536, 2 ^ 53, 2 ^ 63,
      0.5, -math.huge, "", "a", ("x"):rep(300), "\0\255\128" } do
      local world, other = ecs.world {}, ecs.world {}
      world:spawn(Sprite { image = value })
      local e = assert(other:unpack(everything(world), { as = "new" }))[1]
      assert.equal(value, other:get(e, Sprite, "image"))
      assert.equal("", other:get(e, Sprite, "label"))
      assert.equal(world:state_hash(), other:state_hash())
      world:close()
      other:close()
    end
  end)

  it("leave a world with its hash, and make an empty one the same", function()
    local world, other = ecs.world {}, ecs.world {}
    made(world)
    local hash, bytes = world:hash(), everything(world)
    assert.equal(bytes, everything(world))
    local entities, told = world:unpack(bytes, { as = "same" })
    assert.equal(41, #entities)
    assert.same({}, told)
    assert.equal(hash, world:hash())
    assert.truthy(other:unpack(bytes, { as = "same" }))
    assert.equal(world:state_hash(), other:state_hash())
    assert.equal(world:dump(), other:dump())
    assert.equal(bytes, everything(other))
  end)

  it("are some of the components, or some of the entities", function()
    local world, other = ecs.world {}, ecs.world {}
    local e = made(world)
    local bytes = world:query({ Text }):pack { Text, Plain }
    local entities = assert(other:unpack(bytes, { as = "same" }))
    assert.equal(11, #entities)
    assert.equal(("x"):rep(8), other:get(e[8], Text, "text"))
    assert.is_false(other:has(e[8], Sprite))
    -- Without such a field, they are what they were before there were any.
    local plain = world:query({ Plain }):pack { Plain }
    assert.truthy(plain:find("ecs-rows 1\n", 1, true))
    assert.truthy(bytes:find("ecs-rows 2\n", 1, true))
    assert.is_nil(plain:find("values.msgpack", 1, true))
  end)

  it("have equal values once, and strings as they are", function()
    local world, other = ecs.world {}, ecs.world {}
    local long = ("long "):rep(100)
    for _ = 1, 50 do world:spawn(Sprite { label = long, image = long }) end
    local bytes = everything(world)
    local _, times = bytes:gsub(long, "")
    assert.equal(1, times)
    local entities = assert(other:unpack(bytes, { as = "new" }))
    for _, e in ipairs(entities) do
      local label, image = other:get(e, Sprite, "label", "image")
      assert.equal(long, label)
      assert.equal(long, image)
    end
    -- A table is a new one for each value, not for each row.
    local shared = { 1 }
    world:clear()
    world:spawn(Sprite { image = shared })
    world:spawn(Sprite { image = shared })
    entities = assert(other:unpack(everything(world), { as = "new" }))
    local one = other:get(entities[1], Sprite, "image")
    assert.same({ 1 }, one)
    assert.is_true(rawequal(one, other:get(entities[2], Sprite, "image")))
    assert.is_false(rawequal(one, shared))
  end)

  it("are set where an entity is alive, and told to observers", function()
    local world = ecs.world {}
    local e = world:spawn(Sprite { label = "old", image = "old" })
    local bytes, seen = everything(world), {}
    world:set(e, Sprite { label = "new", image = {} })
    world:on("set", Sprite, function(_, sprite)
      seen[#seen + 1] = sprite.label
    end)
    assert.truthy(world:unpack(bytes, { as = "same" }))
    assert.equal("old", world:get(e, Sprite, "image"))
    assert.same({ "old" }, seen)
  end)

  it("let values go, however often there are some", function()
    local core = require "ecs.core"
    local world, other = ecs.world {}, ecs.world {}
    for k = 1, 100 do
      world:spawn(Sprite { label = "k" .. k, image = { k } })
    end
    local bytes, sprites = everything(world), world:query { Sprite }
    local before = core.held_count()
    for k = 1, 200 do
      assert.equal(100, #assert(other:unpack(bytes, { as = "new" })))
      other:clear()
      for _, sprite in sprites:rows() do sprite.image = { k } end
      assert(#sprites:pack() > 0)
    end
    assert.is_true(core.held_count() < before + 6000)
  end)

  it("are refused where a value is no plain data", function()
    local world = ecs.world {}
    local e = world:spawn(Sprite { label = "s", image = print })
    world:name(e, "hero")
    local hash, query = world:hash(), world:query { Sprite }
    refuses(function() query:pack() end, "pack", "function",
      "PackedSprite.image", "'hero'", "only plain data is packed")
    local own = { }
    own.own = own
    world:set(e, Sprite, "image", own)
    refuses(function() query:pack() end, "PackedSprite.image")
    world:set(e, Sprite, "image", print)
    assert.equal(hash, world:hash())
    -- What is not asked for does not matter.
    assert.truthy(query:pack { Plain })
  end)

  it("are refused where they are damaged, and nothing changes", function()
    local world, other = ecs.world {}, ecs.world {}
    made(world)
    local bytes, hash = everything(world), other:hash()
    local dice = support.dice(7)
    local function refused(text, as)
      local done, why = other:unpack(text, { as = as })
      assert.is_nil(done)
      assert.truthy(why:find("the rows are damaged: ", 1, true), why)
    end
    for k = 1, os.getenv "ECS_SPEC_SHORT" and 150 or 3000 do
      local as = k % 2 == 0 and "new" or "same"
      refused(bytes:sub(1, k <= 100 and k - 1 or dice(#bytes) - 1), as)
      local at, bit = dice(#bytes), 2 ^ (dice(8) - 1)
      local byte = bytes:byte(at)
      byte = byte % (bit * 2) < bit and byte + bit or byte - bit
      refused(bytes:sub(1, at - 1) .. string.char(byte) .. bytes:sub(at + 1),
        as)
    end
    assert.equal(hash, other:hash())
    assert.truthy(other:unpack(bytes, { as = "same" }))
  end)
end)
