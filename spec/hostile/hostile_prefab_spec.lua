-- What a script may do to prefabs: tables that change while they are read, that
-- lie, or that contain themselves; worlds that are full.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local Place = ecs.component("HostilePlace", { x = "f32", y = "f32" })
local Mark = ecs.tag "HostileMark"
local count = 0

local function name()
  count = count + 1
  return "HostilePrefab" .. count
end

describe("a table of parts", function()
  it("may change while it is read, by a finalizer", function()
    local run, calm = support.at_allocations()
    finally(calm)
    local changed = 0
    local function change_at(n)
      local children, parts = {}, {}
      for k = 1, 20 do children[k] = { Place { x = k }, Mark } end
      parts[1], parts[2], parts.children = Place, { x = 1 }, children
      local made
      local places, ok, text = run(function(k)
        if k ~= n then return end
        changed = changed + 1
        parts[1], parts[2], parts[3] = nil, n, Mark
        children[10], children[12] = nil, 5
        children[3] = { children = children }
        parts.children = nil
      end, function() made = ecs.prefab(name(), parts) end)
      if ok then
        local world = ecs.world {}
        world:spawn(made)
        assert.is_true(world:stats().entities >= 1)
        world:close()
      else
        assert.truthy(text:find("ecs: ", 1, true)
          or text:find("next", 1, true), text)
      end
      return places
    end
    local all = change_at(nil)
    for round = 1, 300 do change_at(math.ceil(round * all / 300)) end
    assert.is_true(changed > 0)
  end)

  it("has no metamethod called", function()
    local function never() error "called" end
    local meta = { __index = { false, Mark }, __newindex = never,
      __len = never, __pairs = never, __call = never, __eq = never }
    local sly = setmetatable({ Mark, children = setmetatable({}, meta) }, meta)
    assert.is_false((pcall(ecs.prefab, name(), sly))) -- Mark twice
    meta.__index = { children = { { Mark } } }
    sly.children = nil
    local world = ecs.world {}
    local e = world:spawn(ecs.prefab(name(), sly))
    assert.is_true(world:has(e, Mark))
    assert.equal(1, world:link_count(e, ecs.ChildOf, "parent"))
    meta.__index = never
    local ok, text = pcall(ecs.prefab, name(), sly)
    assert.is_false(ok)
    assert.truthy(text:find("is a proxy", 1, true), text)
  end)

  it("may contain itself, or name itself in the course", function()
    local parts = { Mark }
    parts.children = { parts, parts }
    assert.is_false((pcall(ecs.prefab, name(), parts)))
    parts.children = parts
    assert.is_false((pcall(ecs.prefab, name(), parts)))
    parts.children, parts.base = nil, parts
    assert.is_false((pcall(ecs.prefab, name(), parts)))
    local own = name()
    assert.is_false((pcall(ecs.prefab, own,
      { base = ecs.tag "HostileMark" })))
    assert.is_false((pcall(ecs.prefab, own)))
  end)

  it("is refused where it claims to be long", function()
    local list = {}
    for k = 1, 5000 do list[k] = {} end
    local ok, text = pcall(ecs.prefab, name(), { children = list })
    assert.is_false(ok)
    assert.truthy(text:find("at most 4096", 1, true), text)
    for k = 1, 5000 do list[k] = Mark end
    assert.is_false((pcall(ecs.prefab, name(), list)))
  end)
end)

describe("a prefab", function()
  it("cannot be forged", function()
    local world = ecs.world {}
    local P = ecs.prefab(name(), { Mark })
    for _, thing in ipairs { {}, io.stdout, world, Mark, Place { x = 1 } } do
      local shape = debug.getmetatable(P)
      local before = debug.getmetatable(thing)
      if type(thing) == "table" then
        debug.setmetatable(thing, shape)
        assert.is_false((pcall(world.spawn, world, thing)))
        assert.is_false((pcall(ecs.prefab, name(), { base = thing })))
        debug.setmetatable(thing, before)
      else
        assert.is_false((pcall(ecs.prefab, name(), { base = thing })))
      end
    end
    assert.is_false(debug.getmetatable(P).__metatable)
    assert.is_false(getmetatable(P))
  end)

  it("is spawned whole or not at all where memory is short", function()
    local P = ecs.prefab(name(), { Place { x = 1 }, children = {
      { Place { x = 2 }, children = { { Mark } } }, { Mark } } })
    local world = ecs.world { memory_limit = "128k" }
    world:spawn(Mark, Place)
    local function state()
      return world:state_hash(), world:stats().entities
    end
    local refused = 0
    local ways = {
      function(n) world:spawn_many(n, { P }) end,
      function(n) world:spawn_many(n, { P }, function() end) end,
      function() world:spawn(P) end,
      function() world:spawner(P, Place, "x")(3) end,
      function(n) world:reserve(n, { P }) end,
      function() world:spawn_as(1e6, P) end,
      function(n)
        world:query({ read = { Place }, with = { Mark } }):batch(function()
          world:spawn_many(n, { P })
        end)
      end,
    }
    for round = 1, 400 do
      local n = round * 37 % 700
      local hash, entities = state()
      local ok = pcall(ways[round % #ways + 1], n)
      local now, more = state()
      if not ok then
        refused = refused + 1
        assert.equal(hash, now)
        assert.equal(entities, more)
      end
      assert.equal(0, (more - 1) % 4)
      if more > 1000 then
        world:clear()
        world:spawn(Mark, Place)
      end
    end
    assert.is_true(refused > 20, refused)
  end)

  it("is refused in numbers that no world has room for", function()
    local P = ecs.prefab(name(), { Mark, children = { {}, {} } })
    local world = ecs.world {}
    for _, n in ipairs { 2 ^ 27, 2 ^ 28 - 1 } do
      for _, f in ipairs { false, function() end } do
        local ok, text = pcall(world.spawn_many, world, n, { P }, f or nil)
        assert.is_false(ok)
        assert.truthy(text:find("would be too many, with 2 children each", 1,
          true), text)
      end
    end
    assert.equal(0, world:stats().entities)
  end)
end)
