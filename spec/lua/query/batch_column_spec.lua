-- Columns of batches: which rows an index may name, and what a column gives
-- that a script has kept for the next batch or walk.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy = scene.Position, scene.Velocity, scene.Enemy
local Every = scene.Every

describe("an index", function()
  local query
  before_each(function()
    local world = ecs.world {}
    world:spawn_many(5, { Position, Every })
    query = world:query { Position, Every }
  end)

  it("that is no row of the batch is an error, to read and to write", function()
    for _, index in ipairs { 0, 6, -1, 1.5, 1 / 0, -1 / 0, "1", true, {},
        2 ^ 31, 2 ^ 31 + 1, 2 ^ 32 + 1, 2 ^ 53, 1 - 2 ^ 31, -2 ^ 31,
        1 - 2 ^ 32 } do
      query:batch(function(batch)
        local x, j = batch.Position.x, batch.Every.j
        refuses(function() return x[index] end, "Position.x has rows 1 to 5")
        refuses(function() x[index] = 1 end, "Position.x has rows 1 to 5")
        refuses(function() return j[index] end, "Every.j has rows 1 to 5")
        refuses(function() j[index] = nil end, "Every.j has rows 1 to 5")
        refuses(function() return batch.entities[index] end, "rows 1 to 5")
      end)
    end
    query:batch(function(batch)
      refuses(function() return batch.Position.x[0 / 0] end, "not nan")
      refuses(function() return batch.Position.x[nil] end, "not nil")
    end)
  end)

  it("of ipairs is refused behind the last row", function()
    -- LuaJIT's ipairs reads a column that is a table without its metatable.
    local jit = rawget(_G, "jit")
    local plain = jit and os.getenv "ECS_BACKEND" == "capi"
    query:batch(function(batch)
      local last
      local done, text = pcall(function()
        for i in ipairs(batch.Position.x) do last = i end
      end)
      if plain then return end
      assert.is_false(done)
      assert.equal(batch.count, last)
      assert.truthy(text:find("ecs: Position.x has rows 1 to " .. last
        .. ", not " .. last + 1, 1, true), text)
    end)
  end)

  it("says the length with #", function()
    query:batch(function(batch)
      assert.equal(5, #batch.entities)
      assert.equal(5, #batch.Position.x)
    end)
  end)

  it("of a batch shorter than the one before is checked, too", function()
    local world = ecs.world {}
    world:spawn_many(200, { Position })
    world:spawn_many(100, { Position, Enemy })
    local counts = {}
    world:query({ Position }):batch(function(batch)
      local x = batch.Position.x
      for i = 1, batch.count do x[i] = i end
      refuses(function() return x[batch.count + 1] end, "rows 1 to")
      counts[#counts + 1] = batch.count
    end)
    assert.equal(300, (counts[1] or 0) + (counts[2] or 0) + (counts[3] or 0))
  end)
end)

-- A column of the batch that was used last is compared with the batch's count,
-- any other column with its own.
describe("a column that was kept", function()
  local world, query, limits
  before_each(function()
    world = ecs.world {}
    world:spawn_many(1, { Position })
    world:spawn_many(900, { Position, Velocity })
    query, limits = world:query { Position }, {}
  end)

  local function last(column, wanted)
    assert.equal(0, column[wanted])
    refuses(function() return column[wanted + 1] end,
      "has rows 1 to " .. wanted)
  end

  it("from a batch is over in the next, whatever that touches", function()
    local kept
    query:batch(function(batch)
      local y = batch.Position.y
      last(y, batch.count)
      limits[#limits + 1] = batch.count
      if kept then
        local ok, number = pcall(function() return kept[2] end)
        assert.is_true(not ok or number == nil)
        -- A plain table takes the value, but it is never read.
        if type(kept) == "cdata" then
          refuses(function() return kept[2] end, "over")
          refuses(function() kept[2] = 7 end, "over")
        end
        last(y, batch.count)
      else
        kept = batch.Position.x
        last(kept, batch.count)
      end
    end)
    assert.same({ 1, 900 }, limits)
    query:batch(function(batch) last(batch.Position.x, batch.count) end)
  end)

  it("has its own rows inside another walk and after it", function()
    local other = world:query { read = { Position } }
    local walk = world:query { read = { Position } }
    walk:batch(function(batch)
      local x = batch.Position.x
      other:batch(function(inner)
        local inner_x = inner.Position.x
        last(inner_x, inner.count)
        last(x, batch.count)
        local y = batch.Position.y
        for _ = 1, 2 do
          last(y, batch.count)
          last(inner_x, inner.count)
          last(inner.Position.y, inner.count)
          last(x, batch.count)
        end
        limits[#limits + 1] = batch.count * 1000 + inner.count
      end)
      last(x, batch.count)
      last(batch.Position.y, batch.count)
    end)
    assert.same({ 1001, 1900, 900001, 900900 }, limits)
  end)
end)

-- On LuaJIT the columns that are alive are numbered, and those with large
-- numbers are of other types than the rest.
describe("columns beyond 65,535 that are alive at once", function()
  it("are like the others", function()
    if not rawget(_G, "jit") or os.getenv "ECS_BACKEND" == "capi" then
      return
    end
    local fields, wide, kept = {}, {}, {}
    for k = 1, 64 do fields["f" .. k] = "u8" end
    for k = 1, 64 do wide[k] = ecs.component("Wide" .. k, fields) end
    local function fill()
      local world = ecs.world {}
      world:spawn(unpack(wide))
      local query = world:query(wide)
      query:batch(function(batch) kept[#kept + 1] = batch.Wide64.f1 end)
      kept[#kept + 1] = query
    end
    for _ = 1, 17 do fill() end
    local world = ecs.world {}
    world:spawn_many(3, { Every })
    world:query({ Every }):batch(function(batch)
      local every = batch.Every
      for field, value in pairs { a = -1.5, b = 0.1, c = -7, d = 9,
          e = -300, f = 60000, g = -70000, h = 4e9, i = true, j = 5 } do
        local column = every[field]
        column[2] = value
        assert.equal(value, column[2])
        assert.is_true(column[1] ~= value and column[3] ~= value)
        refuses(function() column[2] = "x" end, "cannot hold")
        refuses(function() return column[4] end, "rows 1 to 3")
        kept[field] = column
      end
    end)
    refuses(function() return kept.g[1] end, "over")
    refuses(function() return kept[1][1] end, "over")
  end)
end)
