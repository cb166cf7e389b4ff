-- Saves of other versions of a program, whose values a function makes anew.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local refuses = support.refuses

local Health = ecs.component("MigrateHealth", { hp = { "i32", 10 },
  most = { "i32", 10 }, hurt = "bool", by = { "entity", link = "clear" } })
local Other = ecs.component("MigrateOther", { x = "f32" })
local Flag = ecs.tag "MigrateFlag"

local world
before_each(function() world = ecs.world {} end)

--- A world of ten, of which each has hurt the next.
local function fight()
  local made = ecs.world {}
  local last
  for k = 1, 10 do
    last = made:spawn(Health { hp = k, hurt = k % 2 == 0, by = last }, Other)
  end
  made:spawn(Flag)
  return made, last
end

local function load(bytes, migrate)
  return world:load { bytes = bytes, migrate = migrate }
end

describe("migrate", function()
  it("gets the old fields of each row and gives new ones", function()
    local from, last = fight()
    local rows = 0
    local done, told = load(from:save(), { MigrateHealth = function(old)
      rows = rows + 1
      assert.equal(old.hp % 2 == 0, old.hurt)
      assert.equal(old.hp == 1, old.by == nil)
      assert.equal(10, old.most)
      return { hp = old.hp * 2, by = old.by }
    end })
    assert.is_true(done)
    assert.same({ "MigrateHealth has new values" }, told)
    assert.equal(10, rows)
    assert.equal(20, world:get(last, Health, "hp"))
    assert.equal(10, world:get(last, Health, "most"))
    assert.is_false(world:get(last, Health, "hurt"))
    assert.equal(from:get(last, Health, "by"), world:get(last, Health, "by"))
    local before = world:get(last, Health, "by")
    world:destroy(before) -- the link is one: it is cleared
    assert.is_nil(world:get(last, Health, "by"))
  end)

  it("of the same values is the same state", function()
    local from = fight()
    assert.is_true(load(from:save(), { MigrateHealth = function(old)
      return old
    end,
      MigrateOther = function(old) return old end }))
    assert.equal(from:hash(), world:hash())
  end)

  it("is not called where the save has none", function()
    local from = ecs.world {}
    from:spawn(Flag)
    assert.is_true(load(from:save(), {
      MigrateHealth = function() error "never" end }))
    assert.equal(from:hash(), world:hash())
  end)

  it("may do what it likes meanwhile", function()
    local from = fight()
    world:spawn(Other)
    assert.is_true(load(from:save(), { MigrateOther = function(old)
      world:spawn(Health)
      world:load { bytes = ecs.world {}:save() }
      collectgarbage()
      return old
    end }))
    assert.equal(from:hash(), world:hash())
    refuses(function()
      load(from:save(), { MigrateOther = function(old)
        world:close()
        return old
      end })
    end, "closed")
  end)

  it("refuses the save by nil and why, and nothing has changed", function()
    local bytes, e = fight():save(), world:spawn(Health { hp = 3, by = nil })
    local hash = world:hash()
    local done, why = load(bytes, { MigrateHealth = function(old)
      if old.hp == 7 then return nil, "7 is no health" end
      return old
    end })
    assert.is_nil(done)
    assert.equal("the save does not fit: MigrateHealth: 7 is no health", why)
    done, why = load(bytes, { MigrateHealth = function() end })
    assert.is_nil(done)
    assert.equal("the save does not fit: MigrateHealth: migrate refused a "
      .. "value", why)
    done, why = load(bytes, { MigrateHealth = function()
      return { by = 77 } -- which is not alive there
    end })
    assert.is_nil(done)
    assert.equal("the save does not fit: its links are wrong", why)
    assert.equal(hash, world:hash())
    assert.equal(3, world:get(e, Health, "hp"))
  end)

  it("raises what it raises, and for what is no value", function()
    local bytes = fight():save()
    world:spawn(Health)
    local hash = world:hash()
    local mark = {}
    local done, why = pcall(load, bytes, { MigrateHealth = function()
      error(mark)
    end })
    assert.is_false(done)
    assert.equal(mark, why)
    for _, wrong in ipairs { 7, true, "text", { hp = 1.5 }, { hp = "x" },
      { none = 1 }, { hp = 2 ^ 40 } } do
      done, why = pcall(load, bytes, { MigrateHealth = function()
        return wrong
      end })
      assert.is_false(done)
      assert.truthy(why:find("MigrateHealth", 1, true), why)
      assert.truthy(why:find("migrate_spec.lua", 1, true), why)
    end
    assert.equal(hash, world:hash())
  end)

  it("is a table of functions by names of components", function()
    local bytes = fight():save()
    for _, wrong in ipairs { 1, true, "x", { MigrateHealth = 1 }, { 1 },
      { MigrateNone = print }, { [Health] = print } } do
      refuses(function()
        world:load { bytes = bytes, migrate = wrong }
      end, "migrate")
    end
  end)
end)
