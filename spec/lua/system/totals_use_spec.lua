-- Totals in scripts: their names, places where they are refused, runs that
-- fail, and worlds that are closed.

local ecs = require "ecs"

local V = ecs.component("TotalsV", { x = "f64", n = "i32" })
local W = ecs.component("TotalsW", { y = "f32" })

local KINDS = { "sum", "min", "max" }

describe("a total", function()
  local world, total

  before_each(function()
    world = ecs.world {}
    total = world:sum "t"
    for k = 1, 20 do world:spawn(V { n = k }) end
  end)

  local function refused(text, f, ...)
    local done, message = pcall(f, ...)
    assert.is_false(done)
    assert.is_truthy(message:find("ecs: ", 1, true), message)
    assert.is_truthy(message:find(text, 1, true), message)
  end

  it("is one object for one kind and name", function()
    assert.equal(total, world:sum "t")
    assert.not_equal(total, world:sum "u")
    assert.not_equal(total, world:min "t")
    assert.not_equal(total, ecs.world({}):sum "t")
    assert.equal("ecs.Total (sum 't')", tostring(total))
    assert.equal("ecs.Total (min 'a b')", tostring(world:min "a b"))
    total = nil
    world:system { name = "s", query = { V }, compile = false,
                   each = function() world:sum("t"):add(1) end }
    world:progress(1)
    collectgarbage()
    collectgarbage()
    assert.equal(20, world:sum("t"):value())
  end)

  it("keeps what it was when a run fails", function()
    local limit = 99
    world:system { name = "s", query = { V }, compile = false,
      each = function(v)
        total:add(1)
        if v.n > limit then error("ended", 0) end
      end }
    world:progress(1)
    limit = 10
    assert.is_false((pcall(world.progress, world, 1)))
    assert.equal(20, total:value())
    limit = 99
    world:progress(1)
    assert.equal(20, total:value())
  end)

  it("outlives its system's removal inside its own run", function()
    world:system { name = "s", query = { V }, compile = false,
      each = function(v)
        total:add(1)
        if v.n == 5 then world:remove_system "s" end
      end }
    world:progress(1)
    assert.equal(20, total:value())
    world:progress(1)
    assert.equal(20, total:value())
  end)

  it("takes numbers only", function()
    for _, thing in ipairs { "1", true, {}, print, total, world } do
      world:system { name = "s", query = { V }, compile = false,
                     each = function() total:add(thing) end }
      refused("add to sum 't' takes a number, not a ", world.progress, world, 1)
    end
    world:system { name = "s", query = { V }, compile = false,
                   each = function() total:add() end }
    refused("add to sum 't' takes a number, not no", world.progress, world, 1)
    assert.equal(0, total:value())
  end)

  it("is added to in each functions of systems alone", function()
    local query = world:query { read = { V } }
    local function add() total:add(1) end
    refused("nothing can be added to sum 't' here", add)
    refused("inside query { read = { TotalsV } }", query.each, query, add)
    refused("inside query { read = { TotalsV } }", query.batch, query, add)
    refused("inside spawn_many", world.spawn_many, world, 1, { W }, add)
    world:system { name = "s", run = add }
    refused("here", world.progress, world, 1)
    world:system { name = "s", query = { V }, batch = add }
    refused("inside system 's'", world.progress, world, 1)
    world:system { name = "s", query = query, compile = false,
                   each = function() query:each(add) end }
    refused("inside query", world.progress, world, 1)
    assert.equal(0, total:value())
  end)

  it("goes on after another walk inside the row", function()
    local query = world:query { read = { V } }
    world:system { name = "s", query = query, compile = false,
      each = function(v)
        total:add(v.n)
        local count = 0
        query:each(function() count = count + 1 end)
        for _ in query:rows() do count = count + 1 end
        total:add(count)
      end }
    world:progress(1)
    assert.equal(210 + 20 * 40, total:value())
  end)

  it("has a name", function()
    for _, kind in ipairs(KINDS) do
      for _, name in ipairs { "", ("x"):rep(256), "a\nb", "\255", "a\0b" } do
        refused("the name of a " .. kind .. " is 1 to 255 bytes",
          world[kind], world, name)
      end
      for _, thing in ipairs { 1, true, {}, total } do
        refused(kind .. " takes a name, as in world:" .. kind .. " 'score'",
          world[kind], world, thing)
      end
      refused("not nothing", world[kind], world)
      refused("called with ':'", world[kind], "t")
    end
  end)

  it("ends with its world", function()
    world:close()
    refused("this world is closed", total.value, total)
    refused("this world is closed", total.add, total, 1)
    refused("this world is closed", world.sum, world, "t")
    assert.equal("ecs.Total (sum 't')", tostring(total))
  end)

  it("is nothing but a total to scripts", function()
    assert.is_false(getmetatable(total))
    refused("add is called with ':'", total.add, 1)
    refused("value is called with ':'", total.value, world)
    assert.is_false((pcall(function() total.x = 1 end)))
    assert.is_false((pcall(function() return total.lanes end)))
    local forged = setmetatable({}, { __index = total })
    refused("value is called with ':'", total.value, forged)
  end)

  it("keeps its world alive", function()
    local alone = ecs.world({}):sum "alone"
    collectgarbage()
    collectgarbage()
    assert.equal(0, alone:value())
  end)

  it("is known to the compiler, which says what is not possible", function()
    local function compile(each)
      world:system { name = "s", query = { V }, compile = true, each = each }
    end
    refused("total:add without a number", compile, function() total:add() end)
    refused("the result of total:add", compile, function(v)
      v.x = total:add(1)
    end)
    refused("get it outside of the function", compile, function()
      world:sum("t"):add(1)
    end)
    refused("total:add of a boolean", compile, function(v)
      total:add(v.n > 1)
    end)
    refused("the method 'reset'", compile, function() total:reset() end)
  end)

  it("may be another one at the next run of a compiled system", function()
    local other, current = world:sum "u", total
    world:system { name = "s", query = { V }, compile = true,
                   each = function() current:add(1) end }
    world:progress(1)
    assert.same({ 20, 0 }, { total:value(), other:value() })
    current = other
    world:progress(1)
    assert.same({ 0, 20 }, { total:value(), other:value() })
  end)

  it("may alternate with another one", function()
    local other = world:sum "u"
    local current = total
    world:system { name = "s", query = { V }, compile = true,
                   each = function() current:add(1) end }
    for k = 1, 8 do
      current = k % 2 == 1 and total or other
      world:progress(1)
      local expected = k % 2 == 1 and { 20, 0 } or { 0, 20 }
      assert.same(expected, { total:value(), other:value() })
    end
  end)

  it("is left by a system that adds to others now", function()
    local other = world:sum "u"
    local function define(compile, target)
      world:system { name = "s", query = { V }, compile = compile,
                     each = function() target:add(1) end }
    end
    for k = 1, 8 do
      define(k % 3 ~= 0, k % 2 == 1 and total or other)
      for _ = 1, 3 do world:progress(1) end
      local expected = k % 2 == 1 and { 20, 0 } or { 0, 20 }
      assert.same(expected, { total:value(), other:value() })
    end
  end)
end)
