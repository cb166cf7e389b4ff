-- Calls with a wrong argument define no component in the world: a component is
-- a change that stats, explain and world:components show.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

local Old = ecs.component("OldInWorld", { x = "f32" })
local Happened = ecs.event("HappenedToNobody", { much = "f32" })
local made = 0

--- A component that no world has.
local function fresh(options)
  made = made + 1
  return ecs.component("NewToWorld" .. made,
    { x = "f32", y = "f32", z = "u8" }, options)
end

--- Makes a call in a new world with a component that is new to it; "gone" is an
-- entity that is dead. check gets what the call returned, as of pcall.
local function changes_nothing(call, check)
  local world = ecs.world {}
  local e, gone = world:spawn(Old), world:spawn()
  world:destroy(gone)
  local query, new = world:query { Old }, fresh()
  local before = world:stats()
  local text = check(pcall(call, world, new, e, gone, query))
  local after = world:stats()
  for _, what in ipairs { "components", "groups", "entities", "queries",
      "systems", "grids" } do
    assert.equal(before[what], after[what], what .. ": " .. text)
  end
end

--- A call that raises.
local function defines(call)
  changes_nothing(call, function(ok, text)
    assert.is_false(ok)
    assert.truthy(text:find("unchanged_spec.lua:%d+: ecs: "), text)
    return text
  end)
end

--- A call that returns nil and why.
local function defines_refused(call)
  changes_nothing(call, function(ok, entity, why)
    assert.is_true(ok, entity)
    assert.is_nil(entity)
    assert.is_string(why)
    return why
  end)
end

--- A name that no component has.
local NOBODY = "NobodyDefinesThis"

local function system(world, query, options)
  options.name, options.query = "s", query
  options.each = options.each or not options.native and function() end or nil
  world:system(options)
end

local calls = {
  ["a group with a number"] = function(w, C) w:group { C, 5 } end,
  ["a group that names one twice"] = function(w, C) w:group { C, C } end,
  ["a query with a number"] = function(w, C) w:query { C, read = { 5 } } end,
  ["a spawn with a number"] = function(w, C) w:spawn(C, 5) end,
  ["spawn_many with a number"] = function(w, C) w:spawn_many(2, { C, 5 }) end,
  ["reserve with a number"] = function(w, C) w:reserve(2, { C, 5 }) end,
  ["spawn_as with a number"] = function(w, C) w:spawn_as(2 ^ 28 + 7, C, 5) end,
  ["a spawner with a wrong field"] = function(w, C) w:spawner(C, "q") end,
  ["an add to what is dead"] = function(w, C, _, gone) w:add(gone, C) end,
  ["an add to 0"] = function(w, C) w:add(0, C) end,
  ["an add to a fraction"] = function(w, C) w:add(1.5, C) end,
  ["a set of what is dead"] = function(w, C, _, gone) w:set(gone, C) end,
  ["a set of a field of what is dead"] = function(w, C, _, gone)
    w:set(gone, C, "x", 1)
  end,
  ["a set of fields of what is dead"] = function(w, C, _, gone)
    w:set(gone, C, { x = 1 })
  end,
  ["a replace of what is dead"] = function(w, C, _, gone)
    w:replace(gone, Old, C)
  end,
  ["a setter for what is dead"] = function(w, C, _, gone)
    w:setter(C, "x")(gone, 1)
  end,
  ["a resource with a wrong field"] = function(w, C)
    w:resource(C, { q = 1 })
  end,
  ["an observer that is no function"] = function(w, C) w:on("add", C, 5) end,
  ["an add to all with a wrong field"] = function(_, C, _, _, q)
    q:add(C, { q = 1 })
  end,
  ["a grid at a wrong field"] = function(w, C)
    w:grid { query = { C }, at = { C, "x", "q" }, cell = 1 }
  end,
  ["a system with every = -1"] = function(w, C)
    system(w, { C }, { every = -1 })
  end,
  ["a system in an unknown state"] = function(w, C)
    system(w, { C }, { in_state = "no" })
  end,
  ["a system with when = 5"] = function(w, C)
    system(w, { C }, { when = 5 })
  end,
  ["a system with compile = 5"] = function(w, C)
    system(w, { C }, { compile = 5 })
  end,
  ["a system with precision = 5"] = function(w, C)
    system(w, { C }, { precision = 5 })
  end,
  ["a system whose text is no function"] = function(w, C)
    system(w, { C }, { each = "function(" })
  end,
  ["a system whose kernel has no library"] = function(w, C)
    system(w, { C }, { native = "drag" })
  end,
  ["a resource that is not there"] = function(w, C) w:resource(C) end,
  ["a system that does not compile"] = function(w, C)
    system(w, { C }, { compile = true, each = function(c)
      for _ in pairs(c) do c.x = 1 end
    end })
  end,
  ["a system that would leave rows"] = function(w, C)
    system(w, { C }, { compile = "whole", each = function(c)
      if c.x > 1 then print(c.x) end
    end })
  end,
  ["a system with a certain mistake"] = function(w, C)
    system(w, { C }, { each = function(c) c.q = 1 end })
  end,
  ["a plain system with a certain mistake"] = function(w, C)
    system(w, { C }, { compile = false, each = function(c) c.q = 1 end })
  end,
  ["a system that has an optional event"] = function(w, C)
    system(w, { C, optional = { Happened } }, {})
  end,
  ["a system that has events in an order"] = function(w, C)
    system(w, { C, read = { Happened }, sort = { Happened, "much" } }, {})
  end,
}

local refused = {
  ["an entity that is alive"] = function(w, C, e) return w:spawn_as(e, C) end,
  ["an id that is over"] = function(w, C, _, gone)
    return w:spawn_as(gone, C { x = 2 }, Old)
  end,
  ["an id that is out of reach"] = function(w, C)
    return w:spawn_as(2 ^ 28 - 2, C, { x = 2 })
  end,
  ["a prefab, to what is alive"] = function(w, C, e)
    return w:spawn_as(e, ecs.prefab(C.name .. "s", {
      C, children = { { fresh() } } }))
  end,
}

-- B needs what is not defined; so does D, behind a component that is.
local B = ecs.component("NeedsNobody", { x = "f32" }, { needs = { NOBODY } })
local D = ecs.component("NeedsOne", { x = "f32" }, { needs = { B } })
local Pair = ecs.prefab("PairOfNeeds", { Old, children = { { D } } })

local needs = {
  ["a spawn"] = function(w, C) w:spawn(C, D) end,
  ["an add"] = function(w, _, e) w:add(e, D) end,
  ["a list"] = function(w, C) w:spawn_many(2, { C, B }) end,
  ["a query"] = function(w, C) w:query { C, with = { D } } end,
  ["a group"] = function(w, C) w:group { C, B } end,
  ["a spawner"] = function(w, C) w:spawner(C, "x", D)(1) end,
  ["a spawner of a prefab"] = function(w, C) w:spawner(C, "x", Pair)(1) end,
  ["a prefab's child"] = function(w, C) w:spawn(C, Pair) end,
}

describe("a call that raises defines no component:", function()
  for name, call in pairs(calls) do
    it(name, function() defines(call) end)
  end
end)

describe("spawn_as that is refused defines no component for", function()
  for name, call in pairs(refused) do
    it(name, function() defines_refused(call) end)
  end
end)

describe("what a component needs is looked for before any is defined, by",
  function()
    for name, call in pairs(needs) do
      it(name, function() defines(call) end)
    end
  end)

describe("a component that needs what is not defined", function()
  it("is nothing to worlds that do not use it", function()
    local world, met = ecs.world {}, 0
    world:spawn(Old)
    world:system { name = "meet", query = { Old }, compile = false,
      each = function() met = met + 1 end }
    world:progress(1)
    world:query { Old }:each(function() met = met + 1 end)
    for _ in world:query({ Old }):rows() do met = met + 1 end
    assert.equal(3, met)
  end)

  it("can be used in a callback once that is defined", function()
    local Waits = ecs.component("WaitsForLate", { x = "f32" },
      { needs = { "LateNeed" } })
    local world = ecs.world {}
    local e = world:spawn(Old)
    world:query({ Old }):batch(function() end)
    local Late = ecs.component("LateNeed", { x = "f32" })
    world:query({ Old }):batch(function() world:add(e, Waits) end)
    assert.is_true(world:has(e, Waits, Late))
  end)
end)

describe("what was refused", function()
  it("can be defined by the call that is right", function()
    local world, C = ecs.world {}, fresh()
    assert.is_false(pcall(world.group, world, { C, 5 }))
    world:group { C, Old }
    local e = world:spawn(Old, C { x = 3 })
    assert.equal(3, world:get(e, C, "x"))
    assert.equal(2, world:stats().components)
  end)
end)
