-- query:each is compiled where it can be. Where it cannot, it runs as plain Lua
-- and ecs.on_fallback is not called for a few calls (message_spec.lua).

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local V = ecs.component("FallbackV", { x = "f32", y = "f32" })
local T = ecs.tag "FallbackT"

local default = ecs.on_fallback

describe("q:each", function()
  local world, query, e, told
  before_each(function()
    world, told = ecs.world {}, 0
    e = world:spawn(V { x = 16777216 })
    query = world:query { V }
    ecs.on_fallback = function() told = told + 1 end
  end)
  after_each(function()
    ecs.on_fallback = default
    assert.equal(0, told)
  end)

  local function add(v, a) v.x = v.x + a - 16777216 end

  it("is compiled in the precision of the world", function()
    query:each(add, 1)
    assert.equal(0, world:get(e, V, "x"))
    world = ecs.world { precision = "double" }
    e = world:spawn(V { x = 16777216 })
    world:query({ V }):each(add, 1)
    assert.equal(1, world:get(e, V, "x"))
  end)

  it("is plain Lua, in doubles, outside the subset", function()
    local count = 0
    query:each(function(v, a)
      count = 1 * count + 1
      v.x = v.x + a - 16777216
    end, 1)
    assert.equal(1, world:get(e, V, "x"))
    assert.equal(1, count)
    world:set(e, V, "x", 16777216)
    query:each(add, 1, "an extra that is no number")
    assert.equal(1, world:get(e, V, "x"))
  end)

  it("reads the closure of the call", function()
    world:set(e, V, "x", 0)
    for k = 1, 10 do
      local more = { by = k }
      query:each(function(v, b) v.x = v.x + more.by * b end, 2)
    end
    assert.equal(110, world:get(e, V, "x"))
  end)

  it("distinguishes functions that begin on one line", function()
    local make = (rawget(_G, "loadstring") or load)(
      "return function(v) v.x = 1 end, function(v) v.x = 2 end")
    local one, two = make()
    for _ = 1, 3 do
      query:each(one)
      assert.equal(1, world:get(e, V, "x"))
      query:each(two)
      assert.equal(2, world:get(e, V, "x"))
    end
    local same = (rawget(_G, "loadstring") or load)(
      "return function(v) v.x = 3 end, function(v) v.x = 4 end")
    query:each((same()))
    assert.equal(3, world:get(e, V, "x"))
  end)

  it("takes other extras at each call", function()
    local function f(v, a, b)
      if a then v.x = 1 else v.x = 2 end
      if b ~= nil then v.y = 1 else v.y = 2 end
    end
    for _ = 1, 2 do
      for _, case in ipairs {
        { 1, 1, true, 5 }, { 2, 1, false, 5 }, { 1, 1, 7, 5 }, { 2, 1, nil, 0 },
      } do
        query:each(f, case[3], case[4])
        assert.same({ x = case[1], y = case[2] }, world:get(e, V))
      end
      query:each(f) -- a is the entity now
      assert.same({ x = 1, y = 2 }, world:get(e, V))
    end
  end)

  it("records changes, inside another loop as well", function()
    local other = world:spawn(V)
    local function mark(_, id) world:add(id, T) end
    query:each(mark)
    assert.is_true(world:has(e, T) and world:has(other, T))
    local seen
    world:query({ with = { V } }):batch(function()
      query:each(function(_, id) world:remove(id, T) end)
      seen = world:has(e, T)
    end)
    assert.is_true(seen)
    assert.is_false(world:has(e, T) or world:has(other, T))
  end)

  it("is refused what an open loop owns, as plain Lua is", function()
    local texts = {}
    for k, f in ipairs { add, function() texts.none = 1 end } do
      local done
      query:batch(function()
        done, texts[k] = pcall(query.each, query, f, 1)
      end)
      assert.is_false(done)
    end
    assert.equal(texts[2], texts[1])
  end)

  it("blames the caller's line when the world is closed", function()
    query:each(add, 1)
    world:close()
    local done, text = pcall(function() query:each(add, 1) end)
    assert.is_false(done)
    assert.truthy(text:match "query_each_spec.lua:%d+: ecs: ", text)
    world = ecs.world {}
  end)

  it("makes no garbage for a function it knows", function()
    if rawget(_G, "jit") and not rawget(_G, "jit").status() then return end
    local count = 0
    local function outside() count = 1 * count + 1 end
    local function frames(rounds)
      for _ = 1, rounds do
        query:each(add, 1)
        query:each(outside, 2)
      end
    end
    local heard = ecs.on_fallback
    ecs.on_fallback = nil
    frames(300)
    ecs.on_fallback = heard
    assert.equal(0, support.garbage_of(frames, 1000, 0))
  end)

  it("does not keep closures alive", function()
    local gone = setmetatable({}, { __mode = "k" })
    for k = 1, 20 do
      local f = function(v) v.x = k end
      gone[f] = true
      query:each(f)
    end
    support.collect()
    local left = 0
    for _ in pairs(gone) do left = left + 1 end
    assert.is_true(left <= 2, left)
  end)
end)
