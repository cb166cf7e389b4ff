-- The same terms are the same query; and what tables of scripts may be.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local Position = ecs.component("SamePosition", { x = "f32", y = "f32" })
local Velocity = ecs.component("SameVelocity", { x = "f32" })
local A, B, C = ecs.tag "SameA", ecs.tag "SameB", ecs.tag "SameC"

local world

before_each(function() world = ecs.world {} end)
after_each(function() world:close() end)

local function message(f, ...)
  local done, text = pcall(f, ...)
  assert.is_false(done)
  return (text:gsub("^[^:]+:%d+: ", ""))
end

describe("the same terms", function()
  it("are the same query", function()
    local query = world:query { Position, read = { Velocity } }
    assert.equal(query, world:query { Position, read = { Velocity } })
    assert.not_equal(query, world:query { Velocity, read = { Position } })
    assert.not_equal(query, world:query { Position, Velocity })
    assert.not_equal(query, world:query { Position, optional = { Velocity } })
    assert.not_equal(query, world:query { Position })
    local list = {}
    list[2], list[1] = Velocity, Position -- not in order in memory
    assert.equal(world:query { Position, Velocity }, world:query(list))
  end)

  it("have filters in any order", function()
    local query = world:query { with = { C, A }, without = { B, Position } }
    assert.equal(query,
      world:query { without = { Position, B }, with = { A, C } })
    assert.not_equal(query,
      world:query { without = { C, A }, with = { B, Position } })
    assert.equal("ecs.Query (query { with = { SameA, SameC }, "
      .. "without = { SamePosition, SameB } })", tostring(query))
  end)

  it("are the same query along a tree", function()
    local ChildOf = ecs.ChildOf
    local function up() return { ChildOf, read = { Position } } end
    local query = world:query { Position, up = up() }
    assert.equal(query, world:query { Position, up = up() })
    assert.not_equal(query, world:query { Position, up = { ChildOf } })
    assert.not_equal(query,
      world:query { Position, up = { ChildOf, read = { Velocity } } })
    assert.not_equal(query, world:query { Position })
    assert.not_equal(query, world:query { read = { Position }, up = up() })
    query = world:query { Velocity, with = { C, A }, without = { B },
      up = up() }
    assert.equal(query,
      world:query { up = up(), without = { B }, with = { A, C }, Velocity })
    assert.equal(query, world:query { Velocity, with = { C, A },
      without = { B }, up = { read = { Position }, ChildOf } })
    query = world:query { all = true, up = up() }
    assert.equal(query, world:query { all = true, up = up() })
    assert.equal(7, world:stats().queries)
  end)

  it("are found along a tree without making anything", function()
    local spec = { Position, up = { ecs.ChildOf, read = { Position } } }
    local query = world:query(spec)
    local function find(rounds)
      for _ = 1, rounds do assert(world:query(spec) == query) end
    end
    assert.equal(0, support.garbage_of(find, 200))
  end)

  it("make mistakes along a tree that are told each time", function()
    local ChildOf = ecs.ChildOf
    world:query { Position, up = { ChildOf, read = { Position } } }
    for _, up in ipairs {
      { ChildOf, read = {} }, { read = { Position } }, { ChildOf, ChildOf },
      { ChildOf, read = { Position }, write = { Position } },
      { Position, read = { Position } }, { ChildOf, read = Position },
    } do
      assert.is_false(pcall(world.query, world, { Position, up = up }))
    end
  end)

  it("are counted once, in each world", function()
    local other = ecs.world {}
    local query = other:query { Position }
    for _ = 1, 300 do world:query { Position } end
    assert.not_equal(query, world:query { Position })
    assert.equal(1, world:stats().queries)
    other:close()
    assert.is_false(pcall(query.count, query))
    assert.equal(0, world:query({ Position }):count())
  end)

  it("are kept, the last 256 of a world, and what is referred to", function()
    local tags = {}
    for k = 1, 300 do tags[k] = ecs.tag("SameKept" .. k) end
    local held = { world:query { tags[1] } }
    for k = 2, 300 do world:query { tags[k] } end
    local function left()
      for _ = 1, 3 do collectgarbage() end
      return world:stats().queries
    end
    assert.equal(257, left())
    for k = 45, 300 do world:query { tags[k] } end
    assert.equal(257, left())
    assert.equal(held[1], world:query { tags[1] })
    assert.equal(256, left()) -- the oldest went
    held[1] = nil
    for k = 2, 300 do world:query { tags[k] } end
    assert.equal(256, left())
  end)

  it("do not change the hash of the world", function()
    world:spawn(Position)
    local before = world:state_hash()
    world:query { Position, optional = { Velocity }, without = { A } }
    assert.equal(before, world:state_hash())
  end)

  it("can be many", function()
    local definitions = {}
    for k = 1, 100 do definitions[k] = ecs.tag("SameMany" .. k) end
    local query = world:query(definitions)
    assert.equal(query, world:query(definitions))
    assert.equal(1, world:stats().queries)
  end)

  it("walk within each other", function()
    for k = 1, 3 do world:spawn(Position { x = k }) end
    local function ask() return world:query { read = { Position } } end
    local pairs_seen, sum = 0, 0
    for e, p in ask():rows() do
      for other, q in ask():rows() do
        if e ~= other then pairs_seen, sum = pairs_seen + 1, sum + p.x * q.x end
      end
    end
    assert.equal(6, pairs_seen)
    assert.equal(22, sum)
    local seen = {}
    ask():each(function(p)
      ask():batch(function(batch)
        ask():each(function(q) seen[#seen + 1] = p.x * q.x end)
        assert.equal(3, batch.count)
      end)
    end)
    assert.equal(9, #seen)
  end)

  it("of systems keep what belongs to the system", function()
    world:progress(1) -- which asks for events, if there are any in this state
    local before = world:stats().queries
    for k = 1, 3 do world:spawn(Position { x = k }, Velocity) end
    local inner = {}
    for _, name in ipairs { "one", "two" } do
      world:system { name = name, compile = false,
        query = { read = { Position } }, each = function(p, _, e)
          assert.equal(p.x, world:get(e, Position, "x"))
          inner[name] = message(function() p.x = 1 end)
        end }
    end
    world:progress(1)
    for _, name in ipairs { "one", "two" } do
      assert.equal("ecs: SamePosition is only read by system '" .. name
        .. "': name it in the array part of the query to write it (x)",
        inner[name])
    end
    assert.equal(before + 1, world:stats().queries)
    world:system { name = "three", query = world:query { Position },
      batch = function(batch)
        inner.three = message(world.system, world, { name = "four",
          run = function() end })
        inner.get = message(world.get, world, batch.entities[1], Position, "x")
      end }
    world:progress(1)
    assert.equal("ecs: system 'four': cannot be defined inside system 'three'",
      inner.three)
    assert.truthy(inner.get:find("system 'three' is walking", 1, true))
    assert.truthy(world:explain("three"):find("query { SamePosition }", 1,
      true))
    world:remove_system "one"
    collectgarbage()
    collectgarbage()
    world:progress(1)
  end)

  it("can be asked for while they are walked, collected and closed", function()
    local tags, count = {}, 0
    for k = 1, 300 do tags[k] = ecs.tag("SameChurn" .. k) end
    world:spawn(Position)
    world:query({ Position }):each(function()
      for k = 1, 300 do
        world:query { Position, with = { k % 2 == 0 and A or B },
                      without = { tags[k] } }
      end
      collectgarbage()
      count = count + world:query({ Position }):count()
    end)
    assert.equal(1, count)
  end)
end)

-- Asked for often, so that a VM with a compiler has compiled the asking.
local OFTEN = 120

describe("a query that is asked for often", function()
  it("is found by every table that says the same", function()
    local long = {}
    for k = 1, 9 do long[k] = ecs.tag("SameLong" .. k) end
    local forms = {
      { function() return { Position, A } end },
      { function() return { A, Position } end },
      { function() return { read = { Position, A } } end },
      { function() return { read = { Position }, with = { A } } end,
        function() return { with = { A }, read = { Position } } end },
      { function() return { with = { C, A }, without = { B } } end,
        function() return { without = { B }, with = { A, C } } end,
        function() return { with = setmetatable({ C, A }, { __len = error }),
                            without = { B } } end },
      { function() return { all = true } end },
      { function() return { all = true, optional = { A } } end,
        function() return { optional = { A }, all = true } end },
      { function() return { A, B, C, read = { Position },
          optional = { Velocity } } end },
      { function() return { Position, with = long } end },
      { function() return long end },
      { function() return { Position, long[1], long[2], long[3], long[4],
          long[5], long[6], long[7] } end },
    }
    local seen = {}
    for k, same in ipairs(forms) do
      local query = world:query(same[1]())
      for _ = 1, OFTEN do
        for _, form in ipairs(same) do
          if world:query(form()) ~= query then error("another query", 0) end
        end
      end
      assert.is_nil(seen[query])
      seen[query] = k
    end
    assert.equal(#forms, world:stats().queries)
  end)

  it("is not found by a mistake that looks like it", function()
    local query = world:query { Position, read = { A }, with = { B } }
    local read = world:query { read = { A } }
    local function ask(make)
      for _ = 1, OFTEN do
        world:query { Position, read = { A }, with = { B } }
        world:query { read = { A } }
        world:query { optional = { A }, all = true }
      end
      local done, text = pcall(world.query, world, make())
      assert.is_false(done)
      return text
    end
    for _, make in ipairs {
      function() return { Position, read = { A }, with = { B }, x = 1 } end,
      function() return { Position, read = { A }, with = { B }, [0] = A } end,
      function() return { Position, read = { A }, with = { B }, [3] = A } end,
      function() return { Position, read = { A }, with = { B, n = 1 } } end,
      function() return { Position, read = { A, [0] = C }, with = { B } } end,
      function() return { Position, read = { A, [3] = C }, with = { B } } end,
      function() return { Position, read = { A }, with = {} } end,
      function() return { Position, read = { A }, with = B } end,
      function() return { Position, read = { A }, with = "B" } end,
      function() return { Position, read = { A }, with = { B },
                          all = true } end,
      function() return { Position, read = { A }, with = { B },
                          all = false } end,
      function() return { "read", A } end,
      function() return { "after" } end,
      function() return { optional = { A } } end,
      function() return { read = { A, A } } end,
      function() return { read = { world } } end,
      function() return { 0 / 0 } end,
      function() return {} end,
      function() return Position end,
      function() return "read" end,
      function() return nil end,
    } do
      assert.truthy(ask(make):find("ecs: query", 1, true))
    end
    assert.equal(query, world:query { Position, read = { A }, with = { B } })
    assert.equal(read, world:query { read = { A } })
    assert.equal(3, world:stats().queries)
  end)

  it("blames the line that asks", function()
    local function ask(spec) return (world:query(spec)) end
    for _ = 1, OFTEN do ask { A, read = { B } } end
    local line = debug.getinfo(ask, "S").linedefined
    for _, wrong in ipairs { { A, read = { B }, 1 }, { A, read = { nil, B } },
                             { A, read = {} } } do
      local done, text = pcall(ask, wrong)
      assert.is_false(done)
      assert.truthy(text:find("same_query_spec.lua:" .. line .. ": ", 1, true),
        text)
    end
    world:close()
    local done, text = pcall(ask, { A, read = { B } })
    assert.is_false(done)
    assert.truthy(text:find("same_query_spec.lua:" .. line
      .. ": ecs: this world is closed", 1, true), text)
    done, text = pcall(world.query, { A })
    assert.is_false(done)
    assert.truthy(text:find("ecs: query is called with ':', as in "
      .. "world:query(...); in place of the world it got: table", 1, true))
    world = ecs.world {}
  end)

  it("is one of the last 256, whatever asks for it and when", function()
    local tags, recent = {}, {} -- recent: oldest first
    local alive = setmetatable({}, { __mode = "v" })
    for k = 1, 290 do tags[k] = ecs.tag("SameRecent" .. k) end
    local function ask(k)
      local query = world:query { with = { tags[k] } }
      if alive[k] then assert(alive[k] == query) end
      alive[k] = query
      for at = 1, #recent do
        if recent[at] == k then
          table.remove(recent, at)
          break
        end
      end
      recent[#recent + 1] = k
      if #recent > 256 then table.remove(recent, 1) end
    end
    local state = 7
    for round = 1, 4 do
      for _ = 1, 700 do
        state = (state * 16807) % 2147483647
        -- Some are asked for much more often than others.
        ask(1 + math.floor((state / 2147483647) ^ 3 * 290))
      end
      for k = 1, 290, round do ask(k) end
      for _ = 1, 3 do collectgarbage() end
      local kept, count = {}, 0
      for _, k in ipairs(recent) do kept[k] = true end
      for k = 1, 290 do
        if alive[k] then count = count + 1 end
        assert.equal(kept[k] or false, alive[k] ~= nil)
      end
      assert.equal(count, world:stats().queries)
    end
  end)

  it("keeps neither its world nor itself", function()
    local weak = setmetatable({}, { __mode = "k" })
    do
      local other = ecs.world {}
      for _ = 1, OFTEN do weak[other:query { A, with = { B } }] = true end
      weak[other] = true
    end
    support.collect()
    assert.is_nil(next(weak))
  end)

  it("can be asked for while globals are replaced", function()
    local query = world:query { A, read = { B } }
    local names = { "next", "rawget", "type", "getmetatable", "pairs", "ipairs",
                    "rawequal", "select", "setmetatable" }
    local kept, calls, wrong = {}, 0, 0
    for _, name in ipairs(names) do
      kept[name] = _G[name]
      _G[name] = function(...)
        calls = calls + 1
        return kept[name](...)
      end
    end
    local done, text = pcall(function()
      for _ = 1, OFTEN do
        if world:query { A, read = { B } } ~= query then wrong = wrong + 1 end
        if world:query { B, with = { C } } == query then wrong = wrong + 1 end
      end
    end)
    for _, name in kept.ipairs(names) do _G[name] = kept[name] end
    assert.is_true(done, text)
    assert.equal(0, wrong)
    assert.is_true(calls < OFTEN)
  end)

  it("stands while a finalizer changes the table that asks", function()
    local spec, with = { Position }, { A }
    local finalize = support.finalize
    for k = 1, 60 do
      spec.with = k % 2 == 0 and with or nil
      finalize(function() spec.with = nil end)
      collectgarbage "step"
      local query = world:query(spec)
      local text = tostring(query)
      assert.is_true(text == "ecs.Query (query { SamePosition })"
        or text == "ecs.Query (query { SamePosition, with = { SameA } })")
    end
    assert.is_true(world:stats().queries <= 2)
  end)
end)

describe("a query of everything", function()
  it("is asked for by name", function()
    for k = 1, 3 do world:spawn(k > 1 and A or B) end
    assert.equal(3, world:query({ all = true }):count())
    assert.equal(world:query { all = true }, world:query { all = true })
    local query = world:query { all = true, optional = { Position } }
    assert.equal(3, query:count())
    assert.equal(query, world:query { all = true, optional = { Position } })
    assert.equal(2, world:query({ without = { B } }):count())
  end)

  it("is not what a mistake gives", function()
    local Enmey = nil
    for text, spec in pairs {
      ["ecs: query: is empty: is the variable of its component defined? (To "
        .. "match every entity, write all = true)"] = { Enmey },
      ["ecs: query: names optional components only: is the variable of its "
        .. "component defined? (To match every entity, write all = true)"] =
        { optional = { A } },
      ["ecs: query: with is empty: is the variable of its component defined? "
        .. "(Without components, leave with out)"] = { with = { Enmey } },
      ["ecs: query: read is empty: is the variable of its component defined? "
        .. "(Without components, leave read out)"] = { A, read = {} },
      ["ecs: query: without is empty: is the variable of its component "
        .. "defined? (Without components, leave without out)"] =
        { A, without = {} },
      ["ecs: query: optional is empty: is the variable of its component "
        .. "defined? (Without components, leave optional out)"] =
        { all = true, optional = { Enmey } },
      ["ecs: query: all = true asks for every entity: it stands alone, or "
        .. "with optional or up"] = { A, all = true },
      ["ecs: query: all is true, or left out"] = { A, all = false },
      ["ecs: query: with is a list, and has an entry under 'x'"] =
        { with = { x = A } },
      ["ecs: query: with is a list, and has an entry under 0"] =
        { with = { [0] = A } },
      ["ecs: query: has no 0 (there are read, optional, with, without, any, "
        .. "changed, sort, up, all)"] =
        { [0] = A },
      ["ecs: query: entry 1 is nil: is its variable defined?"] = { Enmey, A },
      ["ecs: query: with: names SameA twice"] = { A, with = { A } },
    } do
      for _ = 1, 2 do assert.equal(text, message(world.query, world, spec)) end
    end
    world:spawn(A)
    assert.is_false(pcall(function() world:query { Enmey }:destroy() end))
    assert.equal(1, world:stats().entities)
    assert.equal("ecs: system 's': is empty: is the variable of its component "
      .. "defined? (To match every entity, write all = true)",
      message(world.system, world, { name = "s", query = { Enmey },
        each = function() end }))
  end)
end)

describe("a table with metamethods", function()
  local function evil(index)
    local function fail() error "evil" end
    return { __index = index or {}, __pairs = fail, __len = fail,
             __ipairs = fail, __newindex = fail, __metatable = false,
             __eq = fail, __tostring = fail, __call = fail }
  end

  it("has none called as a query, a system and options", function()
    local query = world:query { Position, with = { A } }
    local list = setmetatable({ A }, evil())
    assert.equal(query,
      world:query(setmetatable({ Position, with = list }, evil())))
    assert.equal("ecs: query: is empty: is the variable of its component "
      .. "defined? (To match every entity, write all = true)",
      message(world.query, world, setmetatable({}, evil())))
    assert.equal("ecs: query: entry 1 is nil: is its variable defined?",
      message(world.query, world, setmetatable({ nil, A }, evil())))
    world:system(setmetatable({ name = "s", run = function() end,
      before = setmetatable({ "t" }, evil()) }, evil()))
    world:system(setmetatable({ name = "t", each = function() end,
      query = setmetatable({ Position }, evil()) }, evil()))
    assert.equal("ecs: a system has a name, as in { name = 'move' }",
      message(world.system, world, setmetatable({}, evil())))
    local phases = setmetatable({ "a", "b" }, evil())
    local other = ecs.world(setmetatable({ phases = phases, seed = 3 },
      evil()))
    other:system { name = "x", phase = "b", run = function() end }
    other:progress(1)
    other:close()
    assert.equal("ecs: world: phases is a list of names, as in phases = "
      .. "{ 'first', 'update', 'last' }",
      message(ecs.world, { phases = setmetatable({}, evil()) }))
    local text = " is a proxy: pass the table behind it"
    local proxy = setmetatable({ A }, evil(evil))
    assert.equal("ecs: query: its table" .. text,
      message(world.query, world, proxy))
    assert.equal("ecs: query: with" .. text,
      message(world.query, world, { with = proxy }))
    assert.equal("ecs: world: phases" .. text,
      message(ecs.world, { phases = proxy }))
  end)
end)
