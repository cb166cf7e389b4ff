-- Limits of memory, and how messages name them and other limits.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Enemy = ecs.tag "Enemy"

local MB = 1048576

-- A limit of so many bytes beside those of a world that has walked, by which it
-- defines all components that the Lua state has, of other files as well.
local function limit_beside(bytes)
  local world = ecs.world {}
  world:spawn(Position)
  world:query({ Position }):batch(function() end)
  local limit = world:stats().bytes + bytes
  world:close()
  return limit
end

local function refused(text, f, ...)
  local done, problem = pcall(f, ...)
  assert.is_false(done)
  assert.is_truthy(tostring(problem):find(text, 1, true), problem)
end

describe("memory_limit", function()
  it("is a number of bytes or a text", function()
    for limit, bytes in pairs {
      [64 * 1024] = 65536, ["64k"] = 65536, ["65536"] = 65536,
      ["3M"] = 3 * MB, ["2G"] = 2048 * MB, [2 ^ 53] = 2 ^ 53,
    } do
      local world = ecs.world { memory_limit = limit }
      assert.equal(bytes, world:stats().memory_limit)
    end
    assert.equal(0, ecs.world {}:stats().memory_limit)
  end)

  it("is refused in any other form", function()
    for _, wrong in ipairs { 0.5, 2 ^ 54, 1 / 0, 0 / 0, "", "M", "64 M",
      "64m", "64MB", "1.5M", "-64M", "0x10000", "999999999999G", true, {} } do
      refused("memory_limit is a whole number of bytes, or a text such as "
        .. "'64M'", ecs.world, { memory_limit = wrong })
    end
    for _, small in ipairs { 0, -1, 1, 65535, "63k", "0G" } do
      refused("memory_limit is at least 64k, not", ecs.world,
        { memory_limit = small })
    end
  end)

  it("ends what needs more with its name and value, nothing changed",
    function()
      local world = ecs.world { memory_limit = "1M" }
      local entity = world:spawn(Position { x = 1 })
      local hash, most = world:hash(), world:stats().bytes
      refused("ecs: spawn_many: the memory limit of this world is reached: "
        .. "1048576 bytes", world.spawn_many, world, 1e8, { Position })
      refused("memory limit", world.spawn_many, world, 1e6,
        { Position { x = 2 }, Enemy }, function() end)
      assert.equal(hash, world:hash())
      assert.is_true(world:stats().bytes <= MB)
      assert.is_true(world:stats().bytes >= most)
      world:spawn_many(1000, { Position })
      local query = world:query { Position }
      assert.equal(1001, query:count())
      -- One by one, until no more fit.
      local message
      for _ = 1, 1e6 do
        local done, problem = pcall(world.spawn, world, Position)
        if not done then
          message = problem
          break
        end
      end
      assert.is_truthy(message:find("ecs: spawn: the memory limit of this "
        .. "world is reached: 1048576 bytes", 1, true))
      assert.equal(1, world:get(entity, Position, "x"))
      world:query({ Position }):destroy()
      assert.is_true(world:alive(world:spawn(Position)))
    end)

  it("names itself where the changes of a frame are lost", function()
    local world = ecs.world { memory_limit = "256k", flush = "frame" }
    world:system { name = "many", run = function(same)
      for _ = 1, 700 do same:spawn(Position { x = 1 }) end
    end }
    local message
    for _ = 1, 100 do
      local done, problem = pcall(world.progress, world, 1)
      if not done then
        message = problem
        break
      end
    end
    assert.is_truthy(message:find(
      "the memory limit of this world is reached: 262144 bytes", 1, true))
  end)

  it("ends compiled systems at some row, with none of their changes",
    function()
      -- Large enough that there is no room to record all of them.
      local fields = {}
      for k = 1, 16 do fields["f" .. k] = "f64" end
      local Load = ecs.component("LimitLoad", fields)
      local limit = limit_beside(240 * 1024)
      for _, compile in ipairs { true, false } do
        local world = ecs.world { memory_limit = limit }
        for _ = 1, 2000 do world:spawn(Position { x = 1 }) end
        world:system { name = "s", query = { Position }, compile = compile,
          each = function(p)
            p.x = p.x + 1
            world:spawn(Load, { f1 = p.x })
          end }
        local done, problem = pcall(world.progress, world, 1)
        assert.is_false(done)
        assert.is_truthy(problem:find((compile and "^ecs: system 's'"
          or "%.lua:%d+: ecs: spawn") .. ": the memory limit of this world is "
          .. "reached: " .. limit .. " bytes"), problem)
        local stored, rows = 0, 0
        for _, p in world:query({ Position }):rows() do
          if p.x == 2 and stored == rows then stored = stored + 1 end
          rows = rows + 1
          assert.equal(rows <= stored and 2 or 1, p.x)
        end
        assert.is_true(stored > 0 and stored < rows)
        assert.equal(2000, rows)
        assert.equal(2000, world:stats().entities)
      end
    end)

  it("is raised where the script asks for a resource", function()
    local Rule = ecs.component("LimitRule", { x = "f32" })
    local world = ecs.world { memory_limit = "64k" }
    world:resource(ecs.component("LimitOther", { x = "f32" }) { x = 1 })
    local tags, kept = {}, {}
    for k = 1, 16 do tags[k] = ecs.tag("LimitTag" .. k) end
    kept[1] = world:query { with = tags } -- which defines them
    pcall(function() while true do world:spawn(Rule) end end)
    -- No room is left for a query of two terms, then for one of one term. All
    -- are kept: where the limit refuses a call, other queries may be dropped.
    assert.is_false(pcall(function()
      for _, tag in ipairs(tags) do
        for _, other in ipairs(tags) do
          if tag ~= other then
            kept[#kept + 1] = world:query {
              with = { tag }, without = { other },
            }
          end
        end
      end
    end))
    for k, tag in ipairs(tags) do
      kept[-k] = select(2, pcall(world.query, world, { with = { tag } }))
    end
    local ok, text = pcall(function() local _ = world:resource(Rule) end)
    assert.is_false(ok)
    assert.matches("^%S*memory_limit_spec%.lua:%d+: ecs: query .* 65536 bytes",
      text)
  end)

  it("names a system once that it stops", function()
    local limit = limit_beside(60 * 1024)
    local world = ecs.world { memory_limit = limit }
    local ok, text = pcall(function()
      for k = 1, 1000 do
        world:system { name = "s" .. k, query = { Position },
          each = function(p) p.x = k end }
      end
    end)
    assert.is_false(ok)
    assert.matches("^%S*memory_limit_spec%.lua:%d+: ecs: system 's%d+': the "
      .. "memory limit of this world is reached: " .. limit .. " bytes$", text)
  end)

  it("counts queries, as the reference says", function()
    local world, kept = ecs.world {}, {}
    for k = 1, 100 do world:spawn(ecs.tag("LimitTerm" .. k)) end
    local before = world:stats().bytes
    for k = 1, 100 do
      kept[k] = world:query { with = { ecs.tag("LimitTerm" .. k) } }
    end
    local each = (world:stats().bytes - before) / #kept
    assert.is_true(each > 600 and each < 1200, each)
  end)

  it("holds for each world alone", function()
    local small, large = ecs.world { memory_limit = "64k" }, ecs.world {}
    refused("65536 bytes", small.spawn_many, small, 100000, { Position })
    large:spawn_many(100000, { Position })
    assert.is_true(small:stats().state_bytes
      >= large:stats().bytes + small:stats().bytes)
    assert.equal(0, small:stats().state_memory_limit)
    local before = large:stats().state_bytes
    large:close()
    assert.is_true(small:stats().state_bytes < before)
  end)
end)

describe("a limit that is reached", function()
  it("is named with its value", function()
    local world = ecs.world {}
    local query = world:query { read = { Position } }
    world:spawn(Position)
    local function down() query:batch(down) end
    refused("the limit of a world is reached: 40 cursors and deferrals", down)
    assert.equal(1, query:count())
  end)
end)
