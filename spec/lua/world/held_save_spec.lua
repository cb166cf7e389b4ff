-- Saves and diffs of fields of type string and any.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Sprite = ecs.component("SavedSprite", { label = "string", image = "any" })
local Tag = ecs.component("SavedSpriteTag", { text = "string" })

local world
before_each(function() world = ecs.world {} end)

--- A world that is loaded from a save of another one.
local function copy_of(from, options)
  local other = ecs.world {}
  local source = options or {}
  source.bytes = source.bytes or from:save()
  assert.same({ true, {} }, { other:load(source) })
  return other
end

--- What a value is after a save and a load.
local function back(value)
  local e = world:spawn(Sprite { image = value })
  local other = copy_of(world)
  world:destroy(e)
  return other:get(e, Sprite, "image")
end

--- The exclusive or of two numbers of eight bits.
local function differ(a, b)
  local result, place = 0, 1
  for _ = 1, 8 do
    if a % 2 ~= b % 2 then result = result + place end
    a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
  end
  return result
end

--- The CRC-32 of a text, as four bytes, the lowest first.
local function sum_of(text)
  local sum = { 255, 255, 255, 255 } -- the lowest first
  for k = 1, #text do
    sum[1] = differ(sum[1], text:byte(k))
    for _ = 1, 8 do
      local odd = sum[1] % 2 == 1
      for i = 1, 4 do
        sum[i] = math.floor(sum[i] / 2) + (sum[i + 1] or 0) % 2 * 128
      end
      if odd then
        for i, byte in ipairs { 0x20, 0x83, 0xb8, 0xed } do
          sum[i] = differ(sum[i], byte)
        end
      end
    end
  end
  for i = 1, 4 do sum[i] = 255 - sum[i] end
  return string.char(sum[1], sum[2], sum[3], sum[4])
end

local integers = math.type and math.type(1) == "integer"

describe("a save of fields of type string and any", function()
  it("gives every plain value back", function()
    for _, value in ipairs { true, false, 0, 1, -1, 31, -32, -33, 127, 128, 255,
      256, 65535, 65536, 4294967295, 4294967296, -128, -129, -32768, -32769,
      -2147483648, -2147483649, 2 ^ 53, -2 ^ 53, 2 ^ 63, -2 ^ 63, 0.5, -1.5,
      1e300, math.huge, -math.huge, "", "a", ("x"):rep(31), ("x"):rep(32),
      ("x"):rep(255), ("x"):rep(256), ("x"):rep(65536), "\0", "\255\254",
      "\195\164", ("\128"):rep(256), ("\128"):rep(65536) } do
      assert.equal(value, back(value))
    end
    assert.equal(-math.huge, 1 / back(-0.0))
    local nan = back(0 / 0)
    assert.is_true(nan ~= nan)
    if integers then
      local most = math.tointeger "9223372036854775807"
      assert.equal(most, back(most))
      assert.equal("integer", math.type(back(most)))
      assert.equal("integer", math.type(back(3)))
    end
  end)

  it("gives every plain table back, keys of all kinds", function()
    local long, many = {}, {}
    for k = 1, 70000 do long[k] = k % 7 end
    for k = 1, 300 do many["key" .. k] = { k } end
    local deep = {}
    for _ = 1, 99 do deep = { deep } end
    for _, value in ipairs { {}, { 1, 2, 3 }, { a = 1, b = { c = "d" } },
      { [0] = 1 }, { [2] = 1 }, { 1, nil, 3 }, { 1, 2, x = 3 },
      { [true] = false, [1.5] = "half", [-3] = "minus", [2 ^ 40] = 1 },
      { { {} } }, long, many, deep } do
      assert.same(value, back(value))
    end
  end)

  it("is the same for equal tables, whatever their order", function()
    local one, other = ecs.world {}, ecs.world {}
    local first, second = {}, {}
    for k = 1, 100 do first["k" .. k] = k end
    for k = 100, 1, -1 do second["k" .. k] = k end
    one:spawn(Sprite { image = first })
    other:spawn(Sprite { image = second })
    assert.equal(one:save(), other:save())
  end)

  it("does not depend on what else the state holds", function()
    local one, other = ecs.world {}, ecs.world {}
    for _, at in ipairs { one, other } do
      at:spawn(Sprite { label = "orc", image = "orc" })
      at:spawn(Tag { text = "elf" })
      world:spawn(Sprite { label = "more", image = {} })
      at:spawn(Sprite { label = "elf", image = 3 })
      at:spawn(Sprite { image = 3.0 })
    end
    assert.equal(one:hash(), other:hash())
    assert.equal(one:save(), other:save())
  end)

  it("keeps hash, dump and bytes, and who shares a table", function()
    local shared = { hp = 3 }
    local a = world:spawn(Sprite { label = "orc", image = shared }, Tag)
    local b = world:spawn(Sprite { label = "orc", image = shared })
    local c = world:spawn(Sprite { label = "elf", image = { hp = 3 } })
    world:spawn(Sprite, Tag { text = "orc" })
    local other = copy_of(world)
    assert.equal(world:hash(), other:hash())
    assert.equal(world:state_hash(), other:state_hash())
    assert.equal(world:dump(), other:dump())
    assert.equal(world:save(), other:save())
    local one = other:get(a, Sprite, "image")
    assert.equal(one, other:get(b, Sprite, "image"))
    assert.not_equal(one, other:get(c, Sprite, "image"))
    assert.not_equal(one, shared)
    assert.same(shared, one)
    assert.equal("", other:get(a, Tag, "text"))
  end)

  it("is an archive with the values as MessagePack", function()
    world:spawn(Sprite { label = "orc", image = { x = 1 } })
    local bytes = world:save()
    assert.truthy(bytes:find("ecs-save 2\n", 1, true))
    assert.truthy(bytes:find("values 2\nend\n", 1, true))
    assert.truthy(bytes:find("\129\161x\1\163orc", 1, true))
    assert.truthy(ecs.world {}:save():find("ecs-save 1\n", 1, true))
  end)

  it("defines components that the program does not have", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local file = assert(io.open(path, "w"))
    file:write [[
      local ecs = require "ecs"
      local W = ecs.component("SaveOnly", { name = "string", data = "any" })
      local w = ecs.world {}
      w:spawn(W { name = "it", data = { 1, 2 } })
      io.write((w:save():gsub(".", function(c)
        return ("%02x"):format(c:byte())
      end)))]]
    file:close()
    local bytes = support.printed(path):gsub("%x%x", function(digits)
      return string.char(tonumber(digits, 16))
    end)
    local other = ecs.world {}
    assert.is_true(other:load { bytes = bytes })
    local Only = ecs.component "SaveOnly"
    local e = other:query({ read = { Only } }):first()
    assert.equal("it", other:get(e, Only, "name"))
    assert.same({ 1, 2 }, other:get(e, Only, "data"))
    assert.equal(bytes, other:save())
  end)

  it("refuses what is no plain data, and names it", function()
    local circle = {}
    circle[1] = circle
    local e = world:spawn(Sprite { image = print }, Tag)
    local who = "SavedSprite%.image of entity " .. string.format("%.0f", e)
      .. " %(.-%)"
    local rest = ": only plain data is saved, or what the option encode makes "
      .. "of a value"
    for why, value in pairs {
      ["is a function"] = print,
      ["has a metatable"] = setmetatable({}, {}),
      ["has a function in it"] = { { print } },
      ["is a coroutine"] = coroutine.create(print),
      ["has a table with a metatable in it"] = { a = setmetatable({}, {}) },
      ["has a key that is no string, number or boolean"] = { [{}] = 1 },
      ["has tables more than 100 deep in each other, or in a circle"] = circle,
      ["is no table of Lua"] = io.stdout,
    } do
      world:set(e, Sprite, "image", value)
      local done, problem = pcall(world.save, world)
      assert.is_false(done)
      assert.truthy(problem:find("ecs: save: " .. who .. " "
        .. why:gsub("%p", "%%%0") .. rest), problem)
    end
    world:name(e, "hero")
    local done, problem = pcall(world.save, world)
    assert.is_false(done)
    assert.truthy(problem:find(" 'hero' ", 1, true))
    world:set(e, Sprite, "image", nil)
    assert.is_string(world:save())
  end)
end)

describe("an encoder", function()
  it("makes what a load gives", function()
    local image = setmetatable({ file = "orc.png" }, {})
    local calls = {}
    local a = world:spawn(Sprite { label = "a", image = image })
    local b = world:spawn(Sprite { label = "b", image = image })
    local c = world:spawn(Sprite { label = "c", image = print })
    local d = world:spawn(Sprite { label = "d", image = { 1 } })
    local bytes = world:save { encode = { any = function(value, entity, field)
      calls[#calls + 1] = { value, entity, field }
      if value == print then return nil end
      return { file = value.file }
    end } }
    assert.same({ { image, a, "SavedSprite.image" },
      { print, c, "SavedSprite.image" } }, calls)
    local other = copy_of(world, { bytes = bytes })
    assert.same({ file = "orc.png" }, other:get(a, Sprite, "image"))
    assert.is_nil(getmetatable(other:get(a, Sprite, "image")))
    assert.equal(other:get(a, Sprite, "image"), other:get(b, Sprite, "image"))
    assert.is_nil(other:get(c, Sprite, "image"))
    assert.same({ 1 }, other:get(d, Sprite, "image"))
  end)

  it("is turned back by a decoder", function()
    local image = setmetatable({ file = "orc.png" }, {})
    local a = world:spawn(Sprite { image = image })
    world:spawn(Sprite { image = "orc.png" })
    local bytes = world:save { encode = { any = function(value)
      return value.file
    end } }
    local seen = {}
    local other = copy_of(world, { bytes = bytes, decode = { any = function(v)
      seen[#seen + 1] = v
      return v == "orc.png" and image or error "another"
    end } })
    assert.same({ "orc.png" }, seen)
    assert.equal(image, other:get(a, Sprite, "image"))
    assert.equal(world:hash(), other:hash())
    local plain = copy_of(world, { bytes = bytes })
    assert.equal("orc.png", plain:get(a, Sprite, "image"))
  end)

  it("writes to a file as well", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local e = world:spawn(Sprite { image = print })
    assert.is_true(world:save(path, { encode = { any = function()
      return "print"
    end } }))
    local other = ecs.world {}
    assert.is_true(other:load { path = path, decode = { any = function(name)
      return _G[name]
    end } })
    assert.equal(print, other:get(e, Sprite, "image"))
  end)

  it("may do what it likes", function()
    local e = world:spawn(Sprite { image = print })
    local function saved(any) return pcall(world.save, world,
      { encode = { any = any } }) end
    assert.same({ false, "boom" }, { saved(function() error("boom", 0) end) })
    local done, problem = saved(function() return print end)
    assert.is_false(done)
    assert.truthy(problem:find("what encode.any returned for "
      .. "SavedSprite.image of entity", 1, true))
    done, problem = saved(function()
      world:spawn(Sprite { label = "new" })
      return 1
    end)
    assert.is_false(done)
    assert.truthy(problem:find("values of the world changed meanwhile", 1,
      true))
    assert.is_true(saved(function()
      for k = 1, 5000 do world:set(e, Sprite, "label", "l" .. k) end
      world:set(e, Sprite, "label", "")
      return 1
    end))
    done = saved(function()
      world:close()
      return 1
    end)
    assert.is_false(done)
  end)

  it("and its options are checked", function()
    refuses(function() world:save("path", 7) end,
      "save takes the path of a file and { encode = }, not 7")
    refuses(function() world:save { encoder = {} } end,
      "save has no option 'encoder' (there is encode)")
    refuses(function() world:save { encode = print } end,
      "save: encode is a table { any = function }, not a function")
    refuses(function() world:save { encode = { string = print } } end,
      "save: encode has no entry 'string' (there is any)")
    refuses(function() world:load { bytes = "", decode = { any = 1 } } end,
      "load: decode.any is a function, not 1")
  end)
end)

describe("a load of fields of type string and any", function()
  it("gives migrate their values, and takes others", function()
    local e = world:spawn(Sprite { label = "orc", image = { 1, 2 } })
    local f = world:spawn(Sprite { label = "elf" })
    local bytes, other = world:save(), ecs.world {}
    assert.is_true(other:load { bytes = bytes, migrate = {
      SavedSprite = function(old)
        for k = 1, 3000 do -- more than are held without letting go
          other:spawn(Tag { text = "t" .. k })
        end
        other:clear()
        collectgarbage()
        return { label = old.label .. "!", image = { old.image } }
      end,
    } })
    assert.equal("orc!", other:get(e, Sprite, "label"))
    assert.same({ { 1, 2 } }, other:get(e, Sprite, "image"))
    assert.equal("elf!", other:get(f, Sprite, "label"))
    assert.same({}, other:get(f, Sprite, "image"))
  end)

  it("refuses every flipped bit and every end", function()
    world:spawn(Sprite { label = "orc", image = { x = 1, y = { 2, "z" } } })
    world:spawn(Sprite { label = "elf", image = 1.5 }, Tag { text = "orc" })
    local bytes, other = world:save(), ecs.world {}
    other:spawn(Sprite { label = "here", image = 1 })
    local hash, step = other:hash(), os.getenv "ECS_SPEC_SHORT" and 7 or 1
    for at = 1, #bytes, step do
      local flipped = bytes:sub(1, at - 1)
        .. string.char((bytes:byte(at) + 2 ^ (at % 8)) % 256)
        .. bytes:sub(at + 1)
      assert.is_nil((other:load { bytes = flipped }))
      assert.is_nil((other:load { bytes = bytes:sub(1, at - 1) }))
    end
    assert.equal(hash, other:hash())
  end)

  it("refuses forged values, or saves them as the same bytes", function()
    local e = world:spawn(Sprite { label = "orc", image = { 1, "a", false,
      { x = 0.5, y = { z = 300 }, [7] = -70000, [true] = "\255" } } })
    local bytes = world:save()
    local before, values, behind =
      bytes:match "^(.-)(\148\1\161a.-)(\163orc.*)$"
    local old = sum_of(values .. "\163orc")
    local loaded = 0
    for at = 1, #values do
      for step = 1, 255, os.getenv "ECS_SPEC_SHORT" and 37 or 1 do
        local forged = values:sub(1, at - 1)
          .. string.char((values:byte(at) + step) % 256) .. values:sub(at + 1)
        local new = sum_of(forged .. "\163orc")
        local function mend(part)
          return (part:gsub(old:gsub("%p", "%%%0"), (new:gsub("%%", "%%%%"))))
        end
        local whole = mend(before) .. forged .. mend(behind)
        local other = ecs.world {}
        if other:load { bytes = whole } then
          loaded = loaded + 1
          assert.equal(whole, other:save())
          assert.equal("orc", other:get(e, Sprite, "label"))
        end
      end
    end
    assert.is_true(loaded > 0)
  end)

  it("takes no integer that LuaJIT has no number for", function()
    local e = world:spawn(Sprite { image = { 2 ^ 53 } })
    local bytes = world:save()
    local values = "\145\207\0\32\0\0\0\0\0\0"
    local at = assert(bytes:find(values, 1, true))
    local forged = values:sub(1, -2) .. "\1"
    local old, new = sum_of(values), sum_of(forged)
    local other = ecs.world {}
    bytes = bytes:sub(1, at - 1) .. forged .. bytes:sub(at + #forged)
    local first = assert(bytes:find(old, 1, true))
    local second = assert(bytes:find(old, first + 1, true))
    bytes = bytes:sub(1, first - 1) .. new .. bytes:sub(first + 4, second - 1)
      .. new .. bytes:sub(second + 4)
    local done, why = other:load { bytes = bytes }
    if integers then
      assert.is_true(done)
      assert.equal("9007199254740993",
        tostring(other:get(e, Sprite, "image")[1]))
    else
      assert.is_nil(done)
      assert.equal("the save does not fit: it has an integer that no number of "
        .. "this Lua equals", why)
    end
  end)

  it("lets values go afterwards", function()
    local core = require "ecs.core"
    for k = 1, 100 do world:spawn(Sprite { label = "k" .. k, image = {} }) end
    local bytes, other = world:save(), ecs.world {}
    for _ = 1, 40 do
      assert.is_true(other:load { bytes = bytes })
      collectgarbage()
    end
    other:clear()
    world:clear()
    for k = 1, 5000 do
      other:spawn(Sprite { image = { k } })
      if k % 500 == 0 then
        other:clear()
        collectgarbage()
      end
    end
    assert.is_true(core.held_count() < 6000)
  end)

  it("lets values go between saves and loads, however often", function()
    local core = require "ecs.core"
    for k = 1, 100 do world:spawn(Sprite { label = "k" .. k, image = {} }) end
    local other, sprites = ecs.world {}, world:query { Sprite }
    local before = core.held_count()
    collectgarbage "stop"
    for k = 1, 100 do
      for _, sprite in sprites:rows() do sprite.image = { k } end
      assert.is_true(other:load { bytes = world:save() })
    end
    collectgarbage "restart"
    assert.is_true(core.held_count() < before + 6000)
  end)
end)

describe("tables that share tables", function()
  --- A table with 2^depth tables in it, of which few are different.
  local function shared(depth)
    local top = {}
    for _ = 1, depth do top = { top, top } end
    return top
  end

  it("are saved as so many as they are places", function()
    local same = back(shared(8))
    for _ = 1, 8 do
      assert.equal(2, #same)
      assert.not_equal(same[1], same[2])
      same = same[1]
    end
    assert.same({}, same)
  end)

  it("are refused where they have more values than there is memory", function()
    local e = world:spawn(Sprite { image = shared(60) })
    world:name(e, "deep")
    refuses(function() world:save() end, "ecs: save: SavedSprite.image of",
      "'deep' has more than 16777216 values in it", "the option encode")
    assert.truthy(world:save { encode = { any = function() return 1 end } })
    refuses(function()
      world:save { encode = { any = function() return shared(60) end } }
    end, "encode.any returned", "has more than 16777216 values")
    local at = world:snapshot()
    refuses(function() world:diff(at, at) end, "ecs: diff: SavedSprite.image",
      "has more than 16777216 values in it", "diff and apply take plain data")
  end)

  it("are refused where they have more bytes than memory_limit", function()
    local text = ("x"):rep(1e5)
    for _, image in ipairs { shared(60), { text, { text, { text } } },
                             { [text] = { [text] = { text } } } } do
      local small = ecs.world { memory_limit = "256k" }
      local e = small:spawn(Sprite { image = image })
      refuses(function() small:save() end, "ecs: save: SavedSprite.image of",
        "has more bytes than memory_limit allows")
      -- A text has no more bytes in a save than Lua holds already.
      small:set(e, Sprite, { image = text:rep(5), label = text:rep(6) })
      assert.equal(text:rep(6), copy_of(small):get(e, Sprite, "label"))
      small:set(e, Sprite, "image", { text, text })
      assert.same({ text, text }, copy_of(small):get(e, Sprite, "image"))
    end
  end)
end)

describe("a diff of fields of type string and any", function()
  it("is applied in another world", function()
    local e = world:spawn(Sprite { label = "orc", image = { 1 } })
    local far = copy_of(world)
    local before = world:snapshot()
    world:set(e, Sprite, "label", "elf")
    world:spawn(Sprite { label = "orc", image = { x = { 2 } } })
    local after = world:snapshot()
    local bytes = world:diff(before, after)
    assert.is_true(far:apply(bytes))
    assert.equal(world:hash(), far:hash())
    assert.equal(world:save(), far:save())
    assert.is_nil((far:apply(bytes)))
  end)

  it("refuses what is no plain data", function()
    world:spawn(Sprite { image = print })
    local at = world:snapshot()
    local done, problem = pcall(world.diff, world, at, at)
    assert.is_false(done)
    assert.truthy(problem:find("ecs: diff: SavedSprite.image of entity", 1,
      true))
    assert.truthy(problem:find("is a function: diff and apply take plain data",
      1, true))
    assert.is_nil(problem:find("encode", 1, true))
    refuses(function() world:apply "x" end, "ecs: apply: SavedSprite.image",
      "diff and apply take plain data")
  end)
end)
