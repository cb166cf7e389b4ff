-- Tables with a metatable, in every place of the API that takes a table. What
-- is behind an __index that is a table is read; what only a function could have
-- is an error that changes nothing; and nothing of a script is called.

local refuses = require "spec.contract.refusal"
local ecs = require "ecs"

local PROXY = "is a proxy: pass the table behind it"
local ROUNDS = 200 -- for LuaJIT's compiler

local A = ecs.component("MetaA", { x = "f32", y = { "f32", 7 } })
local B, C = ecs.tag "MetaB", ecs.tag "MetaC"
local Hit = ecs.event("MetaHit", { damage = "f32" })

local function evil() error("called by ecs", 0) end

-- What every metatable below has besides its __index.
local function meta(index, pairs_of)
  return { __index = index, __newindex = evil, __len = evil, __eq = evil,
           __call = evil, __tostring = evil, __concat = evil, __ipairs = evil,
           __metatable = "hidden", __pairs = pairs_of }
end

local function copy(t)
  local made = {}
  for key, value in pairs(t) do made[key] = value end
  return made
end

-- The ways in which a script gives the entries of a table. Those of `read` are
-- as the table itself; those of `refused` are an error.
local read = {
  ["a read-only proxy of a table"] = function(t)
    return setmetatable({}, meta(t))
  end,
  ["a proxy with __pairs, too"] = function(t)
    return setmetatable({}, meta(t, evil))
  end,
  ["a chain of two"] = function(t)
    local own, one, two, k = {}, {}, {}, 0
    for key, value in pairs(t) do
      k = k + 1
      local to = k % 3 == 0 and own or k % 3 == 1 and one or two
      to[key] = value
    end
    return setmetatable(own, meta(setmetatable(one, meta(two))))
  end,
  ["a chain of a hundred"] = function(t)
    for _ = 1, 99 do t = setmetatable({}, meta(t)) end
    return t
  end,
  ["its own entries before those behind"] = function(t)
    return setmetatable(copy(t), meta(copy(t)))
  end,
  ["a table that only refuses stores"] = function(t)
    return setmetatable(copy(t), meta(nil))
  end,
}

local refused = {
  ["a function"] = function() return setmetatable({}, meta(evil)) end,
  ["a function behind a table"] = function()
    return setmetatable({}, meta(setmetatable({}, meta(evil))))
  end,
  ["an object that is no table"] = function()
    return setmetatable({}, meta(io.stdout))
  end,
  ["__pairs without __index"] = function()
    return setmetatable({}, meta(nil, evil))
  end,
}

local world, entity, before

--- What can be seen of the world.
local function state()
  local stats = world:stats()
  return world:hash() .. " " .. stats.entities .. " " .. stats.groups
end

--- To be called right before a call, where something else is done before it.
local function ready() before = state() end

local named = 0
local function new_name()
  named = named + 1
  return "Meta" .. named
end

-- Each entry: a good table, and a function that gives it to the API and returns
-- what it did. hot: a call that LuaJIT compiles.
local entries = {
  { "options of ecs.world", { seed = 3, memory_limit = "1M" }, function(t)
    local made = ecs.world(t)
    local limit, hash = made:stats().memory_limit, made:hash()
    made:close()
    return limit .. hash
  end },
  { "phases", { "one", "two" }, function(t)
    return ecs.world({ phases = t }):explain()
  end },
  { "a phase in fixed steps", { "one", fixed = 0.5, most = 3 }, function(t)
    local made = ecs.world { phases = { t } }
    made:progress(9.25)
    return (made:phase "one") .. " " .. made:explain()
  end },
  { "states", { "menu", "play" }, function(t)
    local made = ecs.world { states = t }
    made:go "play"
    made:progress(0)
    return made:state()
  end },
  { "fields of ecs.component", { x = "f32", b = "bool" }, function(t)
    local fields = ecs.component(new_name(), t).fields
    return tostring(ecs.component("MetaSame", t)) .. #fields .. fields[1].name
      .. fields[1].type .. fields[2].name
  end },
  { "the table of a field", { "i32", 5 }, function(t)
    local made = ecs.component("MetaField", { n = t })
    return world:get(world:spawn(made), made, "n")
  end },
  { "the table of a link", { "entity", link = "destroy", tree = true },
    function(t)
      local made = ecs.component("MetaLink", { to = t })
      world:spawn(made, { to = world:spawn() })
      return tostring(made.fields[1].link)
    end },
  { "options of ecs.component", { storage = "sparse", needs = { B } },
    function(t)
      local made = ecs.component("MetaOption", { x = "f32" }, t)
      return world:has(world:spawn(made), B)
    end },
  { "needs", { B, "MetaC" }, function(t)
    local made = ecs.component("MetaNeeds", { x = "f32" }, { needs = t })
    local e = world:spawn(made)
    return tostring(world:has(e, B)) .. tostring(world:has(e, C))
  end },
  { "options of ecs.tag", { storage = "bits", needs = { B } }, function(t)
    return world:has(world:spawn(ecs.tag("MetaBits", t)), B)
  end },
  { "fields of ecs.event", { damage = "f32" }, function(t)
    local made = ecs.event("MetaEvent", t)
    return #made.fields .. made.fields[1].name
  end },
  { "parts of a prefab", { A, { x = 4 }, children = { { B } } }, function(t)
    local e = world:spawn(ecs.prefab("MetaPrefab", t))
    return world:get(e, A, "x") .. world:link_count(e, ecs.ChildOf, "parent")
  end },
  { "the base of a prefab", { B, base = ecs.prefab("MetaBase", { C }) },
    function(t)
      return world:has(world:spawn(ecs.prefab("MetaBased", t)), C)
    end },
  { "children of a prefab", { { B }, { C } }, function(t)
    local e = world:spawn(ecs.prefab("MetaChildren", { B, children = t }))
    return world:link_count(e, ecs.ChildOf, "parent")
  end },
  { "a child of a prefab", { A, { x = 6 } }, function(t)
    local e = world:spawn(ecs.prefab("MetaChild", { B, children = { t } }))
    local child = world:children(e)()
    return world:get(child, A, "x")
  end },
  { "fields in a prefab", { x = 4, y = 5 }, function(t)
    local e = world:spawn(ecs.prefab("MetaFields", { A, t }))
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end },
  { "fields of a value", { x = 4, y = 5 }, function(t)
    local e = world:spawn(A(t))
    return tostring(A(t)) .. world:get(e, A, "x") .. world:get(e, A, "y")
  end, hot = true },
  { "fields of spawn", { x = 4, y = 5 }, function(t)
    local e = world:spawn(A, t, B)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end, hot = true },
  { "fields of spawn_as", { x = 4, y = 5 }, function(t)
    local e = world:spawn()
    world:destroy(e)
    ready()
    local other = ecs.world {}
    other:spawn_as(e, A, t)
    return other:get(e, A, "x") .. other:get(e, A, "y")
  end },
  { "fields of spawner", { x = 4 }, function(t)
    local e = world:spawner(A, t, "y")(9)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end },
  { "fields of add", { x = 4, y = 5 }, function(t)
    local e = world:spawn()
    ready()
    world:add(e, A, t)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end, hot = true },
  { "fields of set", { x = 4, y = 5 }, function(t)
    world:set(entity, A, t)
    return world:get(entity, A, "x") .. world:get(entity, A, "y")
  end, hot = true },
  { "fields of replace", { x = 4, y = 5 }, function(t)
    local e = world:spawn(C)
    ready()
    world:replace(e, C, A, t)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end },
  { "fields of a resource", { x = 4, y = 5 }, function(t)
    world:query { read = { A }, with = { ecs.Resource } }
    ready()
    local row = world:resource(A, t)
    return row.x .. row.y
  end },
  { "fields of emit", { damage = 3 }, function(t)
    return world:get(world:emit(Hit, t), Hit, "damage")
  end },
  { "fields of query:set", { x = 4, y = 5 }, function(t)
    world:query({ A }):set(A, t)
    return world:get(entity, A, "x") .. world:get(entity, A, "y")
  end },
  { "fields of query:add", { x = 4, y = 5 }, function(t)
    local e = world:spawn(C)
    ready()
    world:query({ with = { C } }):add(A, t)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end },
  { "fields of query:replace", { x = 4, y = 5 }, function(t)
    local e = world:spawn(C)
    ready()
    world:query({ with = { C } }):replace(C, A, t)
    return world:get(e, A, "x") .. world:get(e, A, "y")
  end },
  { "parts of spawn_many", { A, { x = 4 }, B }, function(t)
    world:spawn_many(3, t)
    local e = world:query({ A, with = { B } }):first()
    return world:get(e, A, "x")
  end },
  { "parts of reserve", { A, B }, function(t)
    world:reserve(300, t)
    return world:explain()
  end },
  { "components of group", { B, C }, function(t)
    world:group(t)
    return world:explain()
  end },
  { "components of ungroup", { B, C }, function(t)
    world:group { B, C }
    ready()
    world:ungroup(t)
    return tostring(before == state())
  end },
  { "options of group", { storage = "bits" }, function(t)
    world:group({ C }, t)
    return world:explain()
  end },
  { "options of on", { batch = true }, function(t)
    local kind
    world:on("add", C, function(got) kind = tostring(got) end, t)
    world:spawn(C)
    return kind:match "%a+%.?%a*"
  end },
  { "a query", { A, with = { B }, without = { C } }, function(t)
    assert.equal(world:query { A, with = { B }, without = { C } },
      world:query(t))
    return tostring(world:query(t))
  end, hot = true },
  { "a list of a query", { B, C }, function(t)
    assert.equal(world:query { A, with = { B, C } },
      world:query { A, with = t })
    return tostring(world:query { A, read = t })
  end, hot = true },
  { "changed", { A }, function(t)
    return tostring(world:query { B, changed = t })
  end },
  { "sort", { A, "y", "down" }, function(t)
    return tostring(world:query { A, sort = t })
  end },
  { "up", { ecs.ChildOf, read = { A } }, function(t)
    return tostring(world:query { B, up = t })
  end, hot = true },
  { "read of up", { A }, function(t)
    return tostring(world:query { B, up = { ecs.ChildOf, read = t } })
  end, hot = true },
  { "options of system", { name = "MetaSystem", query = { A }, phase = "last",
                           each = function() end, enabled = false },
    function(t)
      world:system(t)
      local text = world:explain "MetaSystem"
      world:remove_system "MetaSystem"
      return text
    end },
  { "the query of a system", { A, with = { B } }, function(t)
    world:system { name = "s", query = t, each = function() end }
    local text = world:explain "s"
    world:remove_system "s"
    return text
  end },
  { "before", { "late" }, function(t)
    world:system { name = "late", run = function() end }
    ready()
    world:system { name = "early", run = function() end, before = t }
    local text = world:explain()
    world:remove_system "early"
    world:remove_system "late"
    return text
  end },
  { "uses", "grid", function(t)
    world:system { name = "s", query = { A }, each = function() end, uses = t }
    local text = world:explain "s"
    world:remove_system "s"
    return text
  end },
  { "options of grid", { query = { read = { A } }, at = { A, "x", "y" },
                         cell = 4 }, function(t)
    return world:grid(t):explain()
  end },
  { "at of a grid", { A, "x", "y" }, function(t)
    return world:grid({ query = { read = { A } }, at = t, cell = 2 }):explain()
  end },
  { "the query of a grid", { read = { A }, with = { B } }, function(t)
    return world:grid({ query = t, at = { A, "x", "y" }, cell = 2 }):explain()
  end },
}

local function reset()
  world = ecs.world {}
  entity = world:spawn(A, B)
end

local function good_of(entry)
  local good = entry[2]
  if good == "grid" then
    return { world:grid { query = { read = { A } }, at = { A, "x", "y" },
                          cell = 4 } }
  end
  return good
end

describe("a table with a metatable", function()
  before_each(reset)
  after_each(function() world:close() end)

  for _, entry in ipairs(entries) do
    local name, use = entry[1], entry[3]

    it("is read through __index: " .. name, function()
      for way, make in pairs(read) do
        reset()
        local expected = use(good_of(entry))
        for _ = 1, entry.hot and ROUNDS or 1 do
          reset()
          local good = good_of(entry)
          local given = make(good)
          assert.equal(expected, use(given), way)
        end
      end
    end)

    it("is refused where a function could have it: " .. name, function()
      for _, make in pairs(refused) do
        reset()
        local given = make()
        ready()
        for _ = 1, entry.hot and ROUNDS or 1 do
          local done, text = pcall(use, given)
          assert.is_false(done)
          assert.is_truthy(text:find(PROXY, 1, true), text)
          local line = tonumber(text:match ":(%d+): ecs: ")
          local about = debug.getinfo(use, "S")
          assert.is_true(line >= about.linedefined
            and line <= about.lastlinedefined, text)
          assert.equal(before, state())
        end
      end
    end)
  end

  it("needs no metatable where all fields are its own", function()
    for _ = 1, ROUNDS do
      for _, make in ipairs { evil, function() end } do
        local full = setmetatable({ x = 1, y = 2 }, meta(make, evil))
        assert.equal("MetaA { x = 1, y = 2 }", tostring(A(full)))
        world:set(entity, A, full)
        assert.same({ x = 1, y = 2 }, world:get(entity, A))
        assert.same({ x = 1, y = 2 }, world:get(world:spawn(A, full), A))
      end
    end
  end)

  it("may have methods, or a class, behind it", function()
    local Vector = { y = 9 }
    Vector.__index = Vector
    function Vector.length() evil() end
    for _ = 1, ROUNDS do
      local v = setmetatable({ x = 4 }, Vector)
      assert.same({ x = 4, y = 9 }, world:get(world:spawn(A, v), A))
      assert.equal("MetaA { x = 4, y = 9 }", tostring(A(v)))
    end
    local Fields = { x = "f32", length = function() evil() end }
    Fields.__index = Fields
    local made = ecs.component(new_name(),
      setmetatable({ y = "f32" }, Fields))
    assert.equal(2, #made.fields)
  end)

  it("has its own entries refused as ever", function()
    local chain = setmetatable({ z = 1 }, { __index = { x = 1 } })
    refuses(function() world:set(entity, A, chain) end, "no field 'z'")
    refuses(function() world:spawn(A, chain) end, "no field 'z'")
    refuses(function()
      world:set(entity, A, setmetatable({}, { __index = { x = "no" } }))
    end, "MetaA.x is f32")
    refuses(function()
      ecs.world(setmetatable({ sed = 1 }, { __index = { seed = 1 } }))
    end, "no option 'sed'")
    refuses(function()
      world:query(setmetatable({ B }, { __index = { with = { B } } }))
    end, "names MetaB twice")
    refuses(function()
      ecs.component(new_name(), setmetatable({}, { __index = { x = "f33" } }))
    end, "no type 'f33'")
  end)

  it("keeps the length of a list with nil in it", function()
    local holed = setmetatable({ A, nil, B }, { __index = {} })
    local text = "entry 2 is nil"
    refuses(function() world:spawn_many(2, holed) end, text)
    refuses(function() world:group(holed) end, text)
    refuses(function() world:query(holed) end, text)
    refuses(function() world:query { with = holed } end, text)
  end)

  it("has a bound: a circle is refused", function()
    local long = "more than 100 tables"
    local circle = {}
    setmetatable(circle, { __index = circle })
    local chain = { x = 1, seed = 1, A }
    for _ = 1, 100 do chain = setmetatable({}, { __index = chain }) end
    for _, t in ipairs { circle, chain } do
      refuses(function() world:set(entity, A, t) end, long)
      refuses(function() A(t) end, long)
      refuses(function() ecs.world(t) end, long)
      refuses(function() ecs.component(new_name(), t) end, long)
      refuses(function() world:query(t) end, long)
      refuses(function() world:group(t) end, long)
    end
  end)
end)
