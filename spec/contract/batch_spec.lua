-- Batches: columns, their bounds, and how long they are valid.

local ecs = require "ecs"
local refuses = dofile "spec/contract/refusal.lua"

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

local world, a, query
before_each(function()
  world = ecs.world {}
  a = world:spawn(Position { x = 1 })
  world:spawn(Position { x = 2 })
  query = world:query { Position }
end)

-- True where columns are plain Lua tables, converted when a callback returns.
local copied
do
  local probe = ecs.world {}
  probe:spawn(Position)
  probe:query({ Position }):batch(function(batch)
    copied = type(batch.Position.x) == "table"
  end)
end

it("a batch has a count, entities, and columns by component", function()
  query:batch(function(batch)
    assert.equal(2, batch.count)
    assert.equal(a, batch.entities[1])
    assert.equal(1, batch[Position].x[1])
    assert.equal(2, batch.Position.x[2])
  end)
end)

it("a row outside of 1..count is an error", function()
  query:batch(function(batch)
    local x, entities = batch.Position.x, batch.entities
    for _, i in ipairs { 0, 3, -1, 1.5, 2 ^ 40 } do
      refuses(function() local _ = x[i] end, "Position.x has rows 1 to 2")
      refuses(function() x[i] = 1 end, "Position.x has rows 1 to 2")
      refuses(function() local _ = entities[i] end, "rows 1 to 2")
    end
  end)
end)

it("no pointer or address can be reached through a column", function()
  query:batch(function(batch)
    for _, column in ipairs { batch.Position.x, batch.entities } do
      assert.equal(copied, tostring(column):find "^table: " ~= nil)
      if not copied then
        local meta = getmetatable(column)
        assert.is_true(meta == false or meta == "ffi")
        assert.is_nil(tostring(column):find("0x", 1, true))
        refuses(function() local _ = column.data end, "rows 1 to 2")
        assert.is_false((pcall(function() return column + 1 end)))
        assert.is_nil(tonumber(column))
      end
    end
  end)
end)

it("a column is one reused plain table, or a view", function()
  local seen, count = {}, 0
  for _ = 1, 300 do
    query:batch(function(batch)
      local x = batch.Position.x
      if not seen[x] then seen[x], count = true, count + 1 end
      x[1] = x[1] + 1
    end)
  end
  assert.equal(301, world:get(a, Position, "x"))
  if copied then assert.equal(1, count) end
end)

-- True where this VM has a compiler and reads columns without calling C.
local compiler = rawget(_G, "jit")
if compiler and compiler.status() and not copied then
  it("a loop over columns compiles", function()
    local info = require("jit.util").traceinfo
    local loops = 0
    local function watch(what, trace)
      if what == "stop" and info(trace).linktype == "loop" then
        loops = loops + 1
      end
    end
    world:spawn_many(2000, { Position })
    local function sweep(batch)
      local x, y = batch.Position.x, batch.Position.y
      for i = 1, batch.count do x[i] = x[i] + y[i] * 0.5 end
    end
    compiler.flush()
    compiler.attach(watch, "trace")
    for _ = 1, 20 do query:batch(sweep) end
    compiler.attach(watch)
    assert.is_true(loops > 0)
  end)
end

it("what was assigned is kept, error or not", function()
  pcall(query.batch, query, function(batch)
    batch.Position.x[1] = 8
    error "out"
  end)
  assert.equal(8, world:get(a, Position, "x"))
end)

it("a column that is only read is not copied back", function()
  local before = world:hash()
  pcall(function()
    world:query({ read = { Position } }):batch(function(batch)
      rawset(copied and batch.Position.x or {}, 1, 77)
      error "out"
    end)
  end)
  assert.equal(before, world:hash())
end)

it("a view kept after its callback changes nothing, or raises", function()
  local kept, x, y
  query:batch(function(batch)
    kept, x, y = batch, batch.Position.x, batch.Position.y
    local _ = y[1]
  end)
  local before = world:hash()
  local read, text = pcall(function() return x[1] end)
  if copied then
    assert.is_true(not read or text == 1)
  else
    assert.is_false(read)
    assert.truthy(text:find("this batch is over", 1, true), text)
  end
  pcall(function() y[1] = 4 end)
  if not copied then
    refuses(function() local _ = kept.entities[1] end, "this batch is over")
    refuses(function() kept.Position.x[1] = 1 end, "this batch is over")
  end
  query:batch(function() end)
  assert.equal(before, world:hash())
end)

it("wrong kinds are refused at the store, or at the callback's end", function()
  local after = false
  local ok, text = pcall(query.batch, query, function(batch)
    batch.Position.x[2] = "text"
    after = true
  end)
  assert.is_false(ok)
  assert.truthy(text:find("ecs: Position.x is f32", 1, true), text)
  assert.truthy(text:find("row 2", 1, true), text)
  assert.equal(copied, after)
end)

it("wrong kinds leave their row as it was, others as assigned", function()
  local before = world:get(a, Position)
  for _, wrong in ipairs { "text", {}, true, print } do
    assert.is_false((pcall(query.batch, query, function(batch)
      batch.Position.y[2] = 8
      batch.Position.x[1] = wrong
    end)))
    assert.same(before, world:get(a, Position))
  end
  local second
  query:batch(function(batch) second = batch.entities[2] end)
  assert.same({ x = 2, y = 8 }, world:get(second, Position))
end)

it("a tag and what the query does not name have no columns", function()
  world:add(a, Enemy)
  world:query({ Position, Enemy }):batch(function(batch)
    refuses(function() local _ = batch.Enemy end, "Enemy is a tag")
    refuses(function() local _ = batch.Sprite end, "does not name 'Sprite'")
  end)
end)
