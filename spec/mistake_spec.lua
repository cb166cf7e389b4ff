-- Mistakes that are likely, and messages that say what to do instead.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Enemy = ecs.tag "Enemy"

local function refuses(f, ...)
  local ok, text = pcall(f)
  assert.is_false(ok, "no error was raised")
  assert.truthy(text:match("mistake_spec.lua:%d+: ecs: "), text)
  for _, wanted in ipairs { ... } do
    assert.truthy(text:find(wanted, 1, true), text)
  end
end

local world, entity
before_each(function()
  world = ecs.world {}
  entity = world:spawn(Position { x = 1 })
end)

describe("a '.' where a ':' belongs", function()
  it("is named with the method that was called", function()
    for name, method in pairs(debug.getmetatable(world).__index) do
      if not name:find "^_" then
        refuses(function()
          method(Position)
        end, name .. " is called with ':', as in world:" .. name .. "(...)",
          "in place of the world it got: ecs.Component")
      end
    end
    local query = world:query { Position }
    for name, method in pairs(debug.getmetatable(query).__index) do
      refuses(function()
        method(world)
      end, name .. " is called with ':', as in query:" .. name .. "(...)",
        "in place of the query it got: ecs.World")
    end
  end)

  it("is found without arguments, too", function()
    refuses(function() world.close() end, "world:close(...)")
    refuses(function() world.progress() end, "world:progress(...)")
    refuses(function() world.progress(1 / 60) end, "it got: number")
    refuses(function() world.spawn {} end, "it got: table")
  end)
end)

describe("a table where a value belongs", function()
  it("is told how a value is written", function()
    refuses(function() world:set(entity, Position, { x = 1 }) end,
      "world:set(e, Position { x = ... })")
    refuses(function() world:add(entity, Position, { x = 1 }) end,
      "world:add(e, Position { x = ... })")
    refuses(function() world:spawn({ x = 1 }) end, "Position { x = 1 }")
    assert.same({ x = 1, y = 0 }, world:get(entity, Position))
  end)
end)

describe("an undefined variable in a list", function()
  local Undefined -- luacheck: ignore

  it("is found unless it is the last", function()
    refuses(function() world:query { Undefined, Position } end,
      "entry 1 is nil")
    refuses(function() world:query { read = { Undefined, Position } } end,
      "read: entry 1 is nil", "is its variable defined?")
    refuses(function()
      world:query { Position, without = { Enemy, Undefined, Enemy } }
    end, "without: entry 2 is nil")
    refuses(function() world:group { Undefined, Position } end,
      "group: entry 1 is nil")
    refuses(function() world:spawn_many(3, { Undefined, Position }) end,
      "spawn_many: entry 1 is nil")
    assert.equal(1, world:stats().entities)
  end)

  it("is found where no list is", function()
    refuses(function() world:spawn(Undefined) end, "spawn", "not nil")
    refuses(function() world:get(entity, Undefined) end, "get", "not nil")
    refuses(function() world:query(Undefined) end, "query", "table")
  end)
end)

describe("an option", function()
  it("that is not here yet is said to be", function()
    for _, option in ipairs { "precision", "seed", "threads" } do
      refuses(function() ecs.world { [option] = 1 } end, option,
        "not here yet")
    end
  end)

  it("that there is not is an error that lists those there are", function()
    refuses(function() ecs.world { phase = {} } end, "'phase'",
      "phases, flush")
    refuses(function() ecs.world { "frame" } end, "option 1")
    refuses(function() ecs.world { [{}] = 1 } end, "option a table")
    refuses(function() ecs.world("frame") end, "table of options")
  end)
end)

describe("too many entities", function()
  it("are refused with the limit", function()
    refuses(function() world:spawn_many(268435455, { Position }) end,
      "spawn_many: 268435455 more", "at most 268435455 entities")
    refuses(function() world:spawn_many(268435456, {}) end,
      "from 0 to 268435455")
    assert.equal(1, world:stats().entities)
  end)
end)

describe("a name", function()
  it("that is no UTF-8 is refused", function()
    local broken = {
      "\128", "a\255", "\192\128", "\193\191", "\224\128\128", "\224\159\191",
      "\237\160\128", "\237\191\191", "\240\128\128\128", "\240\143\191\191",
      "\244\144\128\128", "\245\128\128\128", "\195", "\226\130", "\226\40\161",
      "\240\144\128", "a\nb", "a\0", "\127", "",
    }
    for _, name in ipairs(broken) do
      refuses(function() ecs.tag(name) end, "UTF-8")
      refuses(function() ecs.component(name, { x = "f32" }) end, "UTF-8")
      refuses(function() ecs.component("Broken", { [name] = "f32" }) end,
        "UTF-8")
    end
  end)

  it("that is UTF-8 is fine", function()
    for _, name in ipairs { "Größe", "速度", "\224\160\128",
        "\237\159\191", "\238\128\128", "\239\191\191", "\240\144\128\128",
        "\244\143\191\191", "\194\128" } do
      local fine = "fine " .. name
      assert.equal(fine, ecs.tag(fine).name)
    end
  end)
end)

describe("a library that is nowhere", function()
  it("is told with a line for each place", function()
    local names, text = ecs.load_native "no_such_library"
    assert.is_nil(names)
    assert.truthy(text:find("^ecs: no library 'no_such_library' on "
      .. "package.cpath:\n\tno file '"), text)
    local places = 0
    for template in package.cpath:gmatch "[^;]+" do
      local path = template:gsub("%?", "no_such_library")
      assert.truthy(text:find("\n\tno file '" .. path .. "'", 1, true), text)
      places = places + 1
    end
    assert.is_true(places > 1)
  end)
end)

describe("closing", function()
  it("happens once, however often it is asked for", function()
    world:close()
    world:close()
    assert.equal("ecs.World (closed)", tostring(world))
  end)

  if _VERSION == "Lua 5.4" then
    it("comes with the end of a block that declared it", function()
      local load = rawget(_G, "load")
      local outer = assert(load([[
        local ecs, Position = ...
        local outer
        do
          local world <close> = ecs.world {}
          world:spawn(Position)
          outer = world
          assert(tostring(world) == "ecs.World (1 entity)")
        end
        return outer
      ]]))(ecs, Position)
      assert.equal("ecs.World (closed)", tostring(outer))
      local caught
      local ok, text = pcall(assert(load([[
        local ecs, keep = ...
        local world <close> = ecs.world {}
        keep(world)
        error "boom"
      ]])), ecs, function(made) caught = made end)
      assert.is_false(ok)
      assert.truthy(text:find("boom", 1, true), text)
      assert.equal("ecs.World (closed)", tostring(caught))
    end)
  end
end)
