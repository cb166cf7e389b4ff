-- Mistakes of users that come from plain Lua tables or from other entity
-- component systems, and the whole message of each. mistake_spec.lua has the
-- mistakes that everybody makes.

local ecs = require "ecs"
ecs.on_fallback = nil -- plain Lua is meant here

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy
local Speed = ecs.component("NewcomerSpeed", { x = "f32" })

local world, entity, query
before_each(function()
  world = ecs.world {}
  entity = world:spawn(Position { x = 1 }, Enemy)
  query = world:query { Position }
end)

local methods_of_worlds = "(there are add, advise, alive, ancestors, apply, "
  .. "array, children, clear, clone, close, components, destroy, diff, dump, "
  .. "emit, enable, explain, find, get, getter, go, grid, group, has, hash, "
  .. "history, link_count, links, load, max, min, name, on, optimize, parent, "
  .. "phase, profile, progress, query, remove, remove_system, replace, "
  .. "reserve, resource, restore, run, save, set, setter, snapshot, spawn, "
  .. "spawn_as, spawn_many, spawner, state, state_hash, stats, sum, "
  .. "system, tester, trace, trim, ungroup, unpack)"
local methods_of_queries = "(there are add, batch, count, destroy, each, "
  .. "explain, first, pack, remove, replace, rows, set)"
local options_of_systems = "(there are name, query, each, batch, native, run, "
  .. "parameters, phase, before, after, enabled, every, when, in_state, "
  .. "compile, precision, uses)"

local function system(options)
  options.name = "move"
  world:system(options)
end

local mistakes = {
  -- Objects taken for tables.
  { "a misspelt method of a world", function() world:spwan(Position) end,
    "a world has no method 'spwan' " .. methods_of_worlds },
  { "reading the entities from the world", function()
    return world.entities
  end, "a world has no method 'entities' " .. methods_of_worlds },
  { "a method that queries do not have", function() query:foreach(print) end,
    "a query has no method 'foreach' " .. methods_of_queries },
  { "a query taken for a list", function() return query[1] end,
    "a query is no list: loop over it with query:rows(), query:each(f) or "
    .. "query:batch(f)" },
  { "a query taken for an iterator", function()
    for e in query do world:destroy(e) end
  end,
    "a query is no function: loop over it with query:rows(), query:each(f) or "
    .. "query:batch(f)" },
  { "the length of a query", function() return #query end,
    "a query has no length: query:count() says how many entities match" },
  { "keeping things in the world", function() world.score = 1 end,
    "nothing can be stored in an object of ecs: keep 'score' in a variable or "
    .. "a table of your own" },
  { "keeping things in a query", function() query.name = "all" end,
    "nothing can be stored in an object of ecs: keep 'name' in a variable or "
    .. "a table of your own" },
  { "reading a component as if it were a row", function()
    return Position.x
  end, "Position is a component, not an entity's value: read one with "
    .. "world:get(e, Position)" },
  { "writing a component as if it were a row", function()
    Position.x = 1
  end, "Position is a component, not an entity's value: write one with "
    .. "world:set(e, Position { ... })" },
  { "reading a value", function()
    local value = Position { x = 1 }
    return value.x
  end, "a value of Position cannot be read: it says what to store; what an "
    .. "entity has, world:get(e, Position) gives" },
  { "changing a value", function()
    local value = Position { x = 1 }
    value.x = 2
  end, "a value of Position cannot be changed: make another, as in "
    .. "Position { ... }" },
  { "a misspelt method of a total", function() world:sum("score"):get() end,
    "a total has no method 'get' (there are add, value)" },

  -- Arguments.
  { "a component by its name", function() world:get(entity, "Position") end,
    "get takes a component or tag, not a string: ecs.component gives the "
    .. "component of a name" },
  { "spawning by names", function() world:spawn("Position") end,
    "spawn takes a component, a tag or a value such as Position { x = 1 }, not "
    .. "a string: ecs.component gives the component of a name" },
  { "a query of names", function() world:query { "Position" } end,
    "query: takes components and tags, not a string: ecs.component gives the "
    .. "component of a name" },
  { "adding a list", function() world:add(entity, { Speed, Enemy }) end,
    "add takes a component, a tag or a value such as Position { x = 1 }, not a "
    .. "table: call it once for each, without braces" },
  { "adding nothing", function() world:add(entity) end,
    "add takes a component, a tag or a value such as Position { x = 1 }, not "
    .. "nothing" },
  { "two components in one get", function()
    world:get(entity, Position, Speed)
  end, "a field of Position is named by a string, not by the component "
    .. "NewcomerSpeed: call it once for each component" },
  { "the field before the component", function()
    world:set(entity, "x", Position, 1)
  end, "set takes the component before the field, as in world:set(e, Position, "
    .. "'x', 1)" },
  { "a value before the entity", function()
    world:set(Position { x = 1 }, entity)
  end, "set takes an entity, not a value of Position" },
  { "destroying several at once", function() world:destroy(entity, entity) end,
    "destroy takes one entity: call it once for each" },
  { "the world where an entity belongs", function()
    world:get(world, Position)
  end, "get takes an entity, not a world" },
  { "parts before how many", function()
    world:spawn_many({ Position }, 10)
  end, "spawn_many takes how many: a whole number from 0 to 268435455" },
  { "ecs with ':'", function() ecs:world {} end,
    "world is called with '.', as in ecs.world {}" },
  { "a component without a name", function()
    ecs.component { x = "f32" }
  end, "the name of a component is a string, not a table: it comes first, as "
    .. "in ecs.component(\"Name\", { x = \"f32\" })" },
  { "a tag without a name", function() ecs.tag() end,
    "the name of a tag is a string, not nothing: it comes first, as in "
    .. "ecs.tag(\"Name\")" },
  { "too few numbers", function() return (ecs.math.max(1)) end,
    "ecs.math.max takes numbers, not nil" },
  { "text for a number", function() return (ecs.math.sin("1")) end,
    "ecs.math.sin takes numbers, not a string" },

  { "a field of tables", function()
    ecs.component("NewcomerBag", { items = "table" })
  end, "NewcomerBag.items: there is no type 'table' (there are f32 f64 i8 u8 "
    .. "i16 u16 i32 u32 bool entity string any): any value of Lua fits a field "
    .. "of type any" },
  { "a total without a name", function() world:sum() end,
    "sum takes a name, as in world:sum 'score', not nothing" },

  -- Loops.
  { "the entity last in a loop of rows", function()
    for p, e in query:rows() do world:set(e, Position, "x", p) end
  end, "set takes an entity, not a row: loops over rows give the entity first, "
    .. "callbacks of each last" },
  { "the entity first in a callback of each", function()
    query:each(function(e) world:destroy(e) end)
  end, "destroy takes an entity, not a row: loops over rows give the entity "
    .. "first, callbacks of each last" },
  { "storing a row", function()
    for e, p in query:rows() do world:set(e, p) end
  end, "set takes a component, a tag or a value such as Position { x = 1 }, "
    .. "not a row: to copy one, name its fields in a value" },
  { "a value of a row", function()
    for _, p in query:rows() do world:spawn(Position(p)) end
  end, "Position takes a table of fields, not a row: name them, as in "
    .. "Position { x = ... }" },
  { "a value of the columns of a batch", function()
    query:batch(function(batch) world:spawn(Position(batch.Position)) end)
  end, "Position takes a table of fields, not a batch: name them, as in "
    .. "Position { x = ... }" },
  { "setting from a table", function()
    world:set(entity, { x = 1 })
  end, "set takes a component, a tag or a value such as Position { x = 1 }, "
    .. "not a table: write the component before the braces" },
  { "a component through a row", function()
    for _, p in query:rows() do p.x = Position end
  end, "Position.x is f32 and cannot hold the component Position" },
  { "a row through a row", function()
    for _, p in query:rows() do p.x = p end
  end, "Position.x is f32 and cannot hold a row" },
  { "a batch taken for a row", function()
    query:batch(function(p) return p.x end)
  end, "the query of this batch does not name 'x' (there are count, entities, "
    .. "Position)" },
  { "a row of all components of a batch", function()
    query:batch(function(batch) return batch[1].Position end)
  end, "the query of this batch does not name 1 (there are count, entities, "
    .. "Position)" },
  { "text through a row", function()
    for _, p in query:rows() do p.x = "1" end
  end, "Position.x is f32 and cannot hold a string" },

  -- Queries and systems.
  { "a filter of another name", function()
    world:query { Position, exclude = { Enemy } }
  end, "query: has no 'exclude' (there are read, optional, with, without, "
    .. "any, changed, sort, up, all)" },
  { "one component where a list belongs", function()
    world:query { Position, without = Enemy }
  end, "query: without is a list, as in without = { Position }" },
  { "several arguments to query", function()
    world:query(Position, Speed)
  end, "query: takes a table, as in { Position, read = { Velocity } }" },
  { "a misspelt option of a system", function()
    system { qeury = { Position }, each = print }
  end, "system 'move': has no option 'qeury' " .. options_of_systems },
  { "a function without a name in a system", function()
    system { query = { Position }, print }
  end, "system 'move': has no option 1 " .. options_of_systems },
  { "a function that was called, not given", function()
    system { query = { Position }, each = nil }
  end, "system 'move': has nothing to do: give it each, batch, native or run" },
  { "the query of another world", function()
    system { query = ecs.world({}):query { Position }, each = print }
  end, "system 'move': its query belongs to another world" },
  { "text for true", function()
    system { query = { Position }, each = print, compile = "yes" }
  end, "system 'move': compile is true, 'whole' or false, not 'yes'" },
  { "an enable that does not say which", function()
    system { run = print }
    world:enable "move"
  end, "enable takes true or false, as in world:enable('move', false), not "
    .. "nil" },
  { "progress inside a system", function()
    system { run = function(same, dt) same:progress(dt) end }
    world:progress(1)
  end, "progress is not possible here: a frame is running already, and a "
    .. "system cannot begin another (in system 'move')" },
  { "a system for a phase", function()
    system { run = print }
    world:run("move", 1)
  end, "run: there is no phase 'move' (there are first, update, last)" },
  { "systems that wait for each other", function()
    world:system { name = "a", run = print, after = "b" }
    world:system { name = "b", run = print, after = "a" }
    world:progress(1)
  end, "systems wait for each other: 'a' before 'b' before 'a'" },
  { "a kernel of no library", function()
    system { query = { Position }, native = "drag" }
  end, "system 'move': native names a library and a kernel, as in "
    .. "'physics.drag', not 'drag'" },
}

describe("a newcomer's mistake of", function()
  for number, mistake in ipairs(mistakes) do
    it(number .. ": " .. mistake[1], function()
      local before = world:hash()
      local ok, text = pcall(function()
        mistake[2]() -- not a tail call, so that its line is known
      end)
      assert.is_false(ok, "no error was raised")
      assert.truthy(text:find "newcomer_spec.lua:%d+: ecs: ", text)
      assert.equal("ecs: " .. mistake[3],
        (text:gsub("^.-newcomer_spec.lua:%d+: ", ""):gsub("\n.*", "")))
      assert.equal(before, world:hash())
    end)
  end
end)

describe("what is found in objects", function()
  it("is what was there before, methods and nothing else", function()
    for _, object in ipairs { world, query, world:sum "score" } do
      local methods = debug.getmetatable(object).__index
      for name in pairs(methods) do
        assert.equal("function", type(object[name]))
      end
      assert.is_false(getmetatable(methods))
      assert.is_false((pcall(function() return object[{}] end)))
      assert.is_false((pcall(function() return object[0 / 0] end)))
    end
  end)

  if _VERSION == "Lua 5.4" then
    it("is no table's", function()
      local ok, text = pcall(function()
        for key in pairs(query) do error(key) end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("ecs: a query is no table: loop over it with",
        1, true), text)
      ok, text = pcall(function()
        for key in ipairs(query) do error(key) end
      end)
      assert.is_false(ok)
      assert.truthy(text:find("ecs: a query is no list", 1, true), text)
    end)
  end
end)

describe("a library of another ecs.h", function()
  it("is said to be one, once", function()
    local names, text = ecs.load_native "outdated"
    assert.is_nil(names)
    assert.truthy(text:find ("^ecs: .*outdated.so: the native library was "
      .. "built against another ecs.h$"), text)
  end)
end)
