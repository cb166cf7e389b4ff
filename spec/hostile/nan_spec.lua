-- Every upper half that an f32 can have, stored in every way there is.
--
-- A NaN with a payload must not reach a column, because LuaJIT takes some of
-- them for pointers. A kernel (kernels/nan.c) reads the columns, since a number
-- may change its bits on the way through Lua.

local ecs = require "ecs"

assert(ecs.load_native "nan")
local Nan = ecs.component("Nan",
  { narrow = "f32", wide = "f64", offered = "u32" })
local Words = ecs.component("Words",
  { narrow = "u32", high = "u32", low = "u32" })
local QUIET, QUIET_HIGH = 0x7fc00000, 0x7ff80000

local ffi_found, ffi = false, nil
if rawget(_G, "jit") then ffi_found, ffi = pcall(require, "ffi") end

-- Conversions of two words to a double and back, and of a word to an f32.
local join, words_of, narrow_of
if ffi_found then
  local wide = ffi.new("union { uint32_t bits[2]; double value[1]; }")
  local narrow = ffi.new("union { uint32_t bits[1]; float value[1]; }")
  function join(high, low)
    wide.bits[0], wide.bits[1] = low, high
    return wide.value[0]
  end
  function words_of(number)
    wide.value[0] = number
    return wide.bits[1], wide.bits[0]
  end
  function narrow_of(bits)
    narrow.bits[0] = bits
    return narrow.value[0]
  end
else
  function join(high, low)
    return (string.unpack("<d", string.pack("<I4I4", low, high)))
  end
  function words_of(number)
    local low, high = string.unpack("<I4I4", string.pack("<d", number))
    return high, low
  end
  function narrow_of(bits)
    return (string.unpack("<f", string.pack("<I4", bits)))
  end
end

-- The number that becomes an f32 with these bits; nil where Lua cannot hold it:
-- LuaJIT reads doubles above 0xfff8ffff.ffffffff as values of other types.
local function number_of(bits)
  local fraction = bits % 2 ^ 23
  if bits % 2 ^ 31 < 0x7f800000 or fraction == 0 then return narrow_of(bits) end
  local sign = bits >= 2 ^ 31 and 0x80000000 or 0
  local high = sign + 0x7ff00000 + math.floor(fraction / 8)
  if ffi_found and high > 0xfff8ffff then return nil end
  return join(high, fraction % 8 * 2 ^ 29)
end

-- All upper halves; those with the exponent of NaN also with a lower half. Most
-- of these are signaling NaNs, which arithmetic would have made quiet.
local patterns, numbers = {}, {}
for upper = 0, 0xffff do
  local signal = upper % 0x8000 >= 0x7f80
  for lower = 0, signal and 1 or 0 do
    local bits = upper * 0x10000 + lower
    local number = number_of(bits)
    if number ~= nil then
      patterns[#patterns + 1], numbers[#numbers + 1] = bits, number
    end
  end
end
local COUNT = #patterns

local function is_nan(bits)
  return bits % 0x80000000 > 0x7f800000
end

local function make(count)
  local world = ecs.world {}
  world:spawn_many(count, { Nan, Words })
  return world, world:query { Nan }
end

-- The words of every row, in the order of rows.
local function watch(world)
  world:system { name = "bits", query = { read = { Nan }, Words },
    native = "nan.bits" }
  local words = world:query { read = { Words } }
  return function(each)
    world:progress(0)
    local k = 0
    words:batch(function(batch)
      local narrow = batch.Words.narrow
      local high, low = batch.Words.high, batch.Words.low
      for i = 1, batch.count do
        k = k + 1
        each(k, narrow[i], high[i], low[i])
      end
    end)
    return k
  end
end

-- The words of a row after the k-th number was stored in both columns.
local wrong
local function judge(k, narrow, high, low)
  local bits = patterns[k]
  local right
  if is_nan(bits) then
    right = narrow == QUIET and high == QUIET_HIGH and low == 0
  else
    local expected_high, expected_low = words_of(numbers[k])
    right = narrow == bits and high == expected_high and low == expected_low
  end
  if not right then
    wrong = wrong or string.format("%08x became %08x, %08x %08x", bits, narrow,
      high, low)
  end
end

local function check_all(world)
  wrong = nil
  assert.equal(COUNT, watch(world)(judge))
  assert.is_nil(wrong)
end

describe("every upper half of an f32", function()
  it("is offered, NaNs of both signs included", function()
    local nans, negative = 0, 0
    for k = 1, COUNT do
      if is_nan(patterns[k]) then
        nans = nans + 1
        if patterns[k] >= 0x80000000 then negative = negative + 1 end
        assert(numbers[k] ~= numbers[k])
      end
    end
    assert.is_true(COUNT > 0xff00 and nans > 250 and negative > 0)
    if not ffi_found then
      assert.equal(0x10000 + 256, COUNT)
      assert.equal(510, nans)
    end
  end)

  it("through set of a field, and of a value", function()
    for _, by_value in ipairs { false, true } do
      local world = ecs.world {}
      for k = 1, COUNT do
        local e = world:spawn(Nan, Words)
        if by_value then
          world:set(e, Nan { narrow = numbers[k], wide = numbers[k] })
        else
          world:set(e, Nan, "narrow", numbers[k])
          world:set(e, Nan, "wide", numbers[k])
        end
      end
      check_all(world)
    end
  end)

  it("through values that are spawned or added", function()
    for _, added in ipairs { false, true } do
      local world = ecs.world {}
      for k = 1, COUNT do
        local value = Nan { narrow = numbers[k], wide = numbers[k] }
        if added then
          world:add(world:spawn(Words), value)
        else
          world:spawn(value, Words)
        end
      end
      check_all(world)
    end
  end)

  it("through values that are set while changes are recorded", function()
    local world, _ = make(COUNT)
    local Walked = ecs.tag "NanWalked"
    world:spawn(Walked)
    local ids = {}
    for e in world:query({ read = { Nan } }):rows() do ids[#ids + 1] = e end
    world:query({ with = { Walked } }):batch(function()
      for k = 1, COUNT do
        world:remove(ids[k], Nan)
        world:add(ids[k], Nan { narrow = numbers[k], wide = numbers[k] })
      end
    end)
    check_all(world)
  end)

  it("through columns of a batch, also if the callback raises", function()
    for _, raised in ipairs { false, true } do
      local world, query = make(COUNT)
      local k = 0
      local done = pcall(query.batch, query, function(batch)
        local narrow, wide = batch.Nan.narrow, batch.Nan.wide
        for i = 1, batch.count do
          k = k + 1
          narrow[i], wide[i] = numbers[k], numbers[k]
        end
        if raised then error "enough" end
      end)
      assert.equal(not raised, done)
      check_all(world)
    end
  end)

  it("through rows of each, and of rows", function()
    for _, loop in ipairs { "each", "rows" } do
      local world, query = make(COUNT)
      local k = 0
      local function store(row)
        k = k + 1
        row.narrow, row.wide = numbers[k], numbers[k]
      end
      if loop == "each" then
        query:each(store)
      else
        for _, row in query:rows() do store(row) end
      end
      check_all(world)
    end
  end)

  it("through the new rows of spawn_many", function()
    local world, k = ecs.world {}, 0
    world:spawn_many(COUNT, { Nan, Words }, function(batch)
      local narrow, wide = batch.Nan.narrow, batch.Nan.wide
      for i = 1, batch.count do
        k = k + 1
        narrow[i], wide[i] = numbers[k], numbers[k]
      end
    end)
    check_all(world)
  end)

  it("through values given to spawn_many, to set of a query and to add",
    function()
      local world, query = make(1)
      local without = world:query { with = { Words } }
      local look = watch(world)
      for k = 1, COUNT do
        -- Neighbouring numbers behave alike: take all NaNs, a few of the rest.
        if is_nan(patterns[k]) or k % 64 == 0 then
          wrong = nil
          local function check_one(_, ...) judge(k, ...) end
          query:set(Nan { narrow = numbers[k], wide = numbers[k] })
          assert.equal(1, look(check_one))
          query:remove(Nan)
          without:add(Nan { narrow = numbers[k], wide = numbers[k] })
          assert.equal(1, look(check_one))
          query:destroy()
          world:spawn_many(1, { Words, Nan { narrow = numbers[k],
            wide = numbers[k] } })
          assert.equal(1, look(check_one))
          assert.is_nil(wrong)
        end
      end
    end)

  it("through defaults", function()
    local count = 0
    for k = 1, COUNT do
      if is_nan(patterns[k]) then
        -- All of these are the same definition.
        local Same = ecs.component("NanDefault",
          { x = { "f32", numbers[k] }, y = { "f64", numbers[k] } })
        assert.equal(Same, ecs.component("NanDefault",
          { x = { "f32", 0 / 0 }, y = { "f64", 0 / 0 } }))
        count = count + 1
      end
    end
    assert.is_true(count > 0)
  end)
end)

-- A checked build reports a kernel that stores such a NaN; see tools/suite.
if os.getenv "ECS_SPEC_BUILD" == "checked" then
  describe("a kernel that stores every upper half", function()
    it("is reported, and its NaNs are made the quiet one", function()
      local world = ecs.world {}
      for upper = 0, 0xffff do
        world:spawn(Nan { offered = upper * 0x10000 }, Words)
        if upper % 0x8000 >= 0x7f80 then
          world:spawn(Nan { offered = upper * 0x10000 + 1 }, Words)
        end
      end
      world:system { name = "break", query = { Nan }, native = "nan.break" }
      local ok, text = pcall(world.progress, world, 0)
      assert.is_false(ok)
      assert.truthy(text:find("NaN that carries a payload", 1, true), text)
      world:remove_system "break"
      local offered = {}
      world:query({ read = { Nan } }):batch(function(batch)
        for i = 1, batch.count do
          offered[#offered + 1] = batch.Nan.offered[i]
        end
      end)
      local seen, bad = 0, 0
      watch(world)(function(k, narrow)
        local expected = is_nan(offered[k]) and QUIET or offered[k]
        seen = seen + 1
        if narrow ~= expected then bad = bad + 1 end
      end)
      assert.equal(0x10000 + 256, seen)
      assert.equal(0, bad)
    end)
  end)
end
