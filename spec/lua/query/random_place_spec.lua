-- Where ecs.random is refused, and where it works although a reader may doubt
-- it.

local ecs = require "ecs"

local N = ecs.component("RandomN", { a = "f64", b = "f64", n = "i32" })
local F = ecs.component("RandomF", { x = "f32" })

describe("ecs.random is refused", function()
  local world = ecs.world {}
  world:spawn_many(3, { N, F })
  local query = world:query { N }

  local function refused(text, f)
    local done, message = pcall(f)
    assert.is_false(done)
    assert.is_truthy(
      message:match "spec/lua/query/random_place_spec.lua:%d+: ecs: ", message)
    assert.is_truthy(message:find(text, 1, true), message)
  end

  local function draw() local x = ecs.random() return x end

  it("where nothing runs", function()
    refused("call it in the each function of a system", draw)
  end)

  it("in the callbacks of queries and of spawn_many", function()
    local inside = "is for the each function of a system, and this is inside "
    refused(inside .. "query { RandomN }", function()
      query:each(function(n) n.a = draw() end)
    end)
    refused(inside .. "query { RandomN }", function()
      query:batch(function(batch) batch.RandomN.a[1] = draw() end)
    end)
    refused(inside .. "spawn_many", function()
      world:spawn_many(2, { N }, draw)
    end)
    refused("call it in the each", function()
      for _, n in query:rows() do n.a = draw() end
    end)
  end)

  it("in systems that are not each", function()
    local other = ecs.world {}
    other:spawn(N)
    other:system { name = "s", run = draw }
    refused("call it in the each", function() other:progress(1) end)
    other:system { name = "s", query = { N }, batch = draw }
    refused("inside system 's'", function() other:progress(1) end)
    other:system { name = "s", query = { read = { N } }, compile = false,
      each = function()
        other:query({ read = { N } }):each(draw)
      end }
    refused("inside query { read = { RandomN } }",
      function() other:progress(1) end)
    refused("call it in the each function of a system", draw)
  end)

  it("in the frame of another world inside a row", function()
    local outer, inner = ecs.world {}, ecs.world {}
    outer:spawn(N)
    inner:spawn(N)
    local before, after
    inner:system { name = "s", run = draw }
    outer:system { name = "o", query = { N }, compile = false,
      each = function(n)
        before = ecs.random()
        assert(not pcall(inner.progress, inner, 1))
        after = ecs.random()
        n.a = after
      end }
    outer:progress(1)
    local twin = ecs.world {}
    twin:spawn(N)
    twin:system { name = "o", query = { N }, compile = false,
      each = function(n) n.a, n.b = ecs.random(), ecs.random() end }
    twin:progress(1)
    local e = twin:query({ N }):first()
    assert.equal(twin:get(e, N, "a"), before)
    assert.equal(twin:get(e, N, "b"), after)
  end)

  it("with arguments that are no numbers, or too many", function()
    local other = ecs.world {}
    other:spawn(N)
    other:system { name = "s", query = { N }, compile = false,
      each = function(n) n.a = ecs.random "6" end }
    refused("takes whole numbers, not string",
      function() other:progress(1) end)
    other:system { name = "s", query = { N }, compile = false,
      each = function(n) n.a = ecs.random(1, nil) end }
    refused("takes whole numbers, not nil", function() other:progress(1) end)
    other:system { name = "s", query = { N }, compile = false,
      each = function(n) n.a = ecs.random(1, 2, 3) end }
    refused("takes no, one or two numbers", function() other:progress(1) end)
  end)

  it("as math.random, compiled, and says what to call", function()
    refused("call ecs.random()", function()
      world:system { name = "s", query = { N }, compile = true,
        each = function(n) n.a = math.random() end }
    end)
  end)

  it("after the walk that it was in, however that ended", function()
    local other = ecs.world {}
    other:spawn(N)
    other:system { name = "s", query = { N }, compile = false,
      each = function() error("ended", 0) end }
    pcall(other.progress, other, 1)
    refused("call it in the each function of a system", draw)
  end)

  it("with seeds that are none", function()
    for _, seed in ipairs { -1, 0.5, 2 ^ 53 + 2, 1 / 0, -1 / 0, 0 / 0, "1",
        true, {} } do
      refused("seed is a whole number from 0 to 2^53",
        function() local made = ecs.world { seed = seed } return made end)
    end
  end)
end)

describe("ecs.random works", function()
  it("in loops of rows and in coroutines inside a row", function()
    local world = ecs.world {}
    world:spawn(N)
    world:spawn(F)
    local others = world:query { read = { F } }
    world:system { name = "s", query = { N }, compile = false,
      each = function(n)
        for _ in others:rows() do n.a = ecs.random() end
        coroutine.wrap(function() n.b = ecs.random() end)()
      end }
    world:progress(1)
    local twin = ecs.world {}
    local e = twin:spawn(N)
    twin:system { name = "s", query = { N }, compile = true,
      each = function(n) n.a, n.b = ecs.random(), ecs.random() end }
    twin:progress(1)
    assert.same(twin:get(e, N), world:get(e, N))
  end)
end)
