-- Likely mistakes, and the messages that say what to do instead.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

local world, entity
before_each(function()
  world = ecs.world {}
  entity = world:spawn(Position { x = 1 })
end)

-- What a newcomer is likely to write, and the whole message.
local newcomers = {
  { "a '.' where a ':' belongs", function()
    world.spawn(Position)
  end, "spawn is called with ':', as in world:spawn(...); in place of the "
    .. "world it got: ecs.Component" },

  { "a misspelt field", function()
    world:spawn(Position { X = 1 })
  end, "Position has no field 'X' (it has x, y)" },

  { "text where a number belongs", function()
    world:set(entity, Position, "x", "12")
  end, "Position.x is f32: it takes a number no larger than "
    .. "3.4028234663853e+38, not a string" },

  { "spawning with a plain table", function()
    world:spawn({ x = 1, y = 2 })
  end, "spawn takes a component, a tag or a value such as "
    .. "Position { x = 1 }, not a table: write the component before the "
    .. "braces" },

  { "a misspelt field in a table", function()
    world:set(entity, Position, { X = 1 })
  end, "Position has no field 'X' (it has x, y)" },

  { "a table of fields behind a tag", function()
    world:spawn(Enemy, { x = 1 })
  end, "Enemy is a tag: it has no fields, so leave out the {}" },

  { "a row where a table of fields belongs", function()
    for e, p in world:query({ Position }):rows() do
      world:set(e, Position, p)
    end
  end, "Position takes a table of fields, not a row: name them, as in "
    .. "Position { x = ... }" },

  { "a link without what happens when its target dies", function()
    ecs.component("MistakeTree", { up = { "entity", tree = true } })
  end, "MistakeTree.up: a tree is made of links: say what happens when their "
    .. "target dies, as in { 'entity', link = 'clear', tree = true }" },

  { "a link to be deleted", function()
    ecs.component("MistakeLink", { to = { "entity", link = "delete" } })
  end, "MistakeLink.to: link says what happens when the target dies: 'clear' "
    .. "(the field), 'remove' (the component) or 'destroy' (the entity)" },

  { "linking in a row", function()
    world:add(entity, ecs.ChildOf)
    for _, c in world:query({ ecs.ChildOf }):rows() do c.parent = entity end
  end, "ChildOf.parent is a link, which rows and batches only read: link with "
    .. "world:set(e, ChildOf, 'parent', target)" },

  { "a child of the dead", function()
    world:destroy(entity)
    world:spawn(ecs.ChildOf { parent = entity })
  end, "spawn: entity 1 (index 1, generation 0) is not alive: nothing can "
    .. "link to it" },

  { "a parent below its child", function()
    local child = world:spawn(ecs.ChildOf { parent = entity })
    world:set(entity, ecs.ChildOf { parent = child })
  end, "set: entity 1 (index 1, generation 0) cannot link to entity 2 (index "
    .. "2, generation 0), which is below it: that would close a circle" },

  { "a table behind a value", function()
    world:spawn(Position { x = 1 }, { y = 1 })
  end, "spawn takes a component, a tag or a value such as "
    .. "Position { x = 1 }, not a table: write the component before the "
    .. "braces" },

  { "a field without its value among several", function()
    world:set(entity, Position, "x", 1, "y")
  end, "set lacks the new y of Position" },

  { "a misspelt variable in spawn", function()
    local Positon -- luacheck: ignore
    world:spawn(Positon)
  end, "spawn takes a component, a tag or a value such as "
    .. "Position { x = 1 }, not nil: is its variable defined?" },

  { "a misspelt variable in a query", function()
    local Positon -- luacheck: ignore
    world:query { Positon, Enemy }
  end, "query: entry 1 is nil: is its variable defined?" },

  { "a component where a query's table belongs", function()
    world:query(Position)
  end, "query: takes a table, as in { Position, read = { Velocity } }" },

  { "two components in one call", function()
    world:add(entity, Position, Enemy)
  end, "add takes no more than 2 arguments: call it once for each component" },

  { "two values in one call", function()
    world:set(entity, Position { x = 1 }, Enemy)
  end, "set takes one component: call it once for each" },

  { "the component before the entity", function()
    world:get(Position, entity)
  end, "get takes an entity, not the component Position" },

  { "get of a tag", function()
    world:get(entity, Enemy)
  end, "Enemy is a tag and has no values: ask with world:has(e, Enemy)" },

  { "changing what was destroyed", function()
    world:destroy(entity)
    world:add(entity, Enemy)
  end, function()
    return string.format("add: entity %.0f (index 1, generation 0) is not "
      .. "alive", entity)
  end },

  { "writing through a term that is only read", function()
    for _, p in world:query({ read = { Position } }):rows() do p.x = 1 end
  end, "Position is only read by query { read = { Position } }: name it in "
    .. "the array part of the query to write it (x)" },

  { "counting the rows of a batch from 0", function()
    world:query({ Position }):batch(function(batch)
      for i = 0, batch.count - 1 do batch.Position.x[i] = 0 end
    end)
  end, "Position.x has rows 1 to 1, not 0" },

  { "counting past the rows of a batch", function()
    world:query({ Position }):batch(function(batch)
      for i = 1, 100 do batch.Position.x[i] = 0 end
    end)
  end, "Position.x has rows 1 to 1, not 2" },

  { "a column of what the query does not name", function()
    world:query({ Position }):batch(function(batch)
      batch.Velocity.x[1] = 0
    end)
  end, "the query of this batch does not name 'Velocity' (there are count, "
    .. "entities, Position)" },

  { "assigning to a column as a whole", function()
    world:query({ Position }):batch(function(batch) batch.Position.x = 0 end)
  end, "'x' of a batch cannot be assigned to: assign to the rows of a column, "
    .. "as in batch.Position.x[i] = 1" },

  { "a row that is kept after its loop", function()
    local kept
    for _, p in world:query({ Position }):rows() do kept = p end
    kept.x = 0
  end, "this row is over: a row is valid until the next step of the loop that "
    .. "gave it" },

  { "asking the world for what an open batch holds", function()
    world:query({ Position }):batch(function(batch)
      world:destroy(batch.entities[1])
      world:get(batch.entities[1], Position, "x")
    end)
  end, "get cannot reach Position here: query { Position } is walking over it; "
    .. "use its batch, or do this after it" },

  { "asking the world for what an each changes", function()
    world:query({ Position }):each(function(_, e)
      world:destroy(e)
      world:get(e, Position, "x")
    end)
  end, "get cannot reach Position here: query { Position } is walking over it; "
    .. "write another component there, and this one in another system, or do "
    .. "this after it" },

  { "a list of parts in spawn", function()
    world:spawn { Position, Enemy }
  end, "spawn takes a component, a tag or a value such as "
    .. "Position { x = 1 }, not a table: write spawn(A, B), without braces" },

  { "parts without a list in spawn_many", function()
    world:spawn_many(10, Position, Enemy)
  end, "spawn_many takes a list of parts, as in "
    .. "world:spawn_many(100, { Position, Enemy })" },

  { "each without a function, as if it were rows", function()
    for _, p in world:query({ Position }):each() do p.x = 1 end
  end, "each takes a function, not nothing" },

  { "progress without the time", function()
    world:progress()
  end, "progress takes the seconds since the last frame, as in "
    .. "world:progress(1 / 60)" },

  { "a system without a query", function()
    world:system { name = "move", each = function() end }
  end, "system 'move': each needs a query, as in query = { Position }" },

  { "a system without a name", function()
    world:system { query = { Position }, each = function() end }
  end, "a system has a name, as in { name = 'move' }" },

  { "a phase that there is not", function()
    world:system { name = "draw", phase = "draw", run = print }
  end, "system 'draw': there is no phase 'draw' (there are first, update, "
    .. "last)" },

  { "after a system that there is not", function()
    world:system { name = "draw", after = "moev", run = print }
    world:progress(1)
  end, "system 'draw' is to run after 'moev', but there is no such system" },

  { "a type that there is not", function()
    ecs.component("Speed", { x = "float" })
  end, "Speed.x: there is no type 'float' (there are f32 f64 i8 u8 i16 u16 "
    .. "i32 u32 bool entity string any)" },

  { "default values where types belong", function()
    ecs.component("Speed", { x = 0, y = 0 })
  end, "Speed.x: a field is a type such as 'f32', or { type, default }" },

  { "a default for an entity", function()
    ecs.component("Speed", { of = { "entity", entity } })
  end, "Speed.of: an entity has no default: leave it out, and set the field "
    .. "when you spawn" },

  { "clearing the world while it is walked over", function()
    world:query({ Position }):batch(function() world:clear() end)
  end, "clear is not possible inside query { Position }" },
}

describe("the mistake of", function()
  for number, mistake in ipairs(newcomers) do
    it(number .. ": " .. mistake[1], function()
      local ok, text = pcall(mistake[2])
      assert.is_false(ok, "no error was raised")
      local wanted = mistake[3]
      if type(wanted) == "function" then wanted = wanted() end
      assert.equal("ecs: " .. wanted, (text:gsub("^.-mistake_spec.lua:%d+: ",
        "")))
      assert.truthy(text:find "mistake_spec.lua:%d+: ecs: ", text)
    end)
  end
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

describe("a table without its component", function()
  it("is told what belongs before it", function()
    refuses(function() world:set(entity, { x = 1 }) end,
      "write the component before the braces")
    refuses(function() world:add(entity, { x = 1 }) end,
      "write the component before the braces")
    refuses(function() world:spawn({ x = 1 }) end,
      "write the component before the braces")
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
  it("of precision is one of two", function()
    refuses(function() ecs.world { precision = 1 } end, "precision",
      "'fields' or 'double'", "not 1")
  end)

  it("that there is not is an error that lists those there are", function()
    refuses(function() ecs.world { phase = {} } end, "'phase'",
      "phases, flush, states, seed")
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
