-- Queries with sort: the order of every walk, and who notices it.

local ecs = require "ecs"
local refuses = dofile("spec/support/support.lua").refuses

local Place = ecs.component("SortPlace", { x = "f32", y = "f32" })
local Rank = ecs.component("SortRank", {
  a = "i8", b = "u32", c = "f64", d = "bool", e = "entity",
})
local Note = ecs.component("SortNote", { n = "u32" })
local Extra = ecs.component("SortExtra", { x = "f32" })
local Mark = ecs.tag "SortMark"

local storages = {
  ["one group"] = function() end,
  ["sparse sets"] = function(world) world:ungroup { Place, Note, Extra } end,
  ["two groups"] = function(world)
    world:ungroup { Place, Note }
    world:group { Place, Extra }
  end,
  ["tags as bits"] = function(world)
    world:group({ Mark }, { storage = "bits" })
  end,
}
local storage_names = { "one group", "sparse sets", "two groups",
                        "tags as bits" }

local function random(seed)
  return function(n)
    seed = (seed * 16807) % 2147483647
    return seed % n + 1
  end
end

--- Entities in several tables, with values of which some are equal.
local function populate(world, count, draw)
  local entities = {}
  for k = 1, count do
    local e = world:spawn(Place { x = draw(200) - 100, y = draw(5) },
      Note { n = k })
    if draw(3) == 1 then world:add(e, Extra) end
    if draw(4) == 1 then world:add(e, Mark) end
    entities[k] = e
  end
  return entities
end

--- The entities of a walk over each kind of loop.
local walks = {}

function walks.rows(_, query)
  local list = {}
  for e in query:rows() do list[#list + 1] = e end
  return list
end

function walks.each(_, query)
  local list = {}
  query:each(function(_, e) list[#list + 1] = e end)
  return list
end

function walks.batch(_, query)
  local list = {}
  query:batch(function(batch)
    for i = 1, batch.count do list[#list + 1] = batch.entities[i] end
  end)
  return list
end

function walks.system(world)
  local list = {}
  world:system { name = "walk", compile = false,
    query = { read = { Place }, sort = { Place, "y", "down" } },
    each = function(_, _, e) list[#list + 1] = e end }
  world:progress(1)
  world:remove_system "walk"
  return list
end

--- A stable sort of a list by insertion; before(a, b): a comes first.
local function sort(list, before)
  for k = 2, #list do
    local entry, at = list[k], k
    while at > 1 and before(entry, list[at - 1]) do
      list[at] = list[at - 1]
      at = at - 1
    end
    list[at] = entry
  end
  return list
end

--- What walks over Place by y, from the largest down, must give.
local function expected(world)
  local list = walks.rows(world, world:query { read = { Place } })
  return sort(list, function(a, b)
    return world:get(a, Place, "y") > world:get(b, Place, "y")
  end)
end

for _, storage in ipairs(storage_names) do
  describe("a sorted query in " .. storage, function()
    local world, entities, draw, query
    before_each(function()
      draw, world = random(7), ecs.world {}
      storages[storage](world)
      entities = populate(world, 150, draw)
      query = world:query { read = { Place }, sort = { Place, "y", "down" } }
    end)

    for _, kind in ipairs { "rows", "each", "batch", "system" } do
      it("is walked over in order by " .. kind, function()
        assert.same(expected(world), walks[kind](world, query))
        for turn = 1, 40 do
          local e = entities[draw(#entities)]
          local change = turn % 8
          if not world:alive(e) or change == 0 then
            entities[#entities + 1] = world:spawn(Place { y = draw(9) })
          elseif change == 1 then world:set(e, Place, "y", draw(9))
          elseif change == 2 then world:destroy(e)
          elseif change == 3 then world:remove(e, Extra)
          elseif change == 4 then world:add(e, Mark)
          elseif change == 5 then world:setter(Place, "y")(e, draw(9))
          elseif change == 6 then
            world:query({ Place }):each(function(p) p.y = p.y * 3 % 7 end)
          else
            for _, p in world:query({ Place }):rows() do
              p.y = 8 - p.y
              if draw(9) == 1 then break end
            end
          end
          assert.same(expected(world), walks[kind](world, query), turn)
        end
      end)
    end

    it("writes through the order", function()
      local other = world:query { Place, Note, sort = { Place, "x" } }
      local turn = 0
      other:each(function(_, note)
        turn = turn + 1
        note.n = turn
      end)
      local last = 0
      for e, p in world:query({ read = { Place }, sort = { Note, "n" } }):rows()
      do
        assert.equal(last + 1, world:get(e, Note, "n"))
        last = last + 1
        assert.equal(world:get(e, Place, "x"), p.x)
      end
      local before
      for _, p in world:query({ read = { Place }, sort = { Note, "n" } }):rows()
      do
        assert.is_true(not before or before <= p.x)
        before = p.x
      end
    end)

    it("moves no rows", function()
      local plain = world:query { read = { Place } }
      local order, hash = walks.rows(world, plain), world:hash()
      walks.batch(world, query)
      walks.rows(world, query)
      assert.same(order, walks.rows(world, plain))
      assert.equal(hash, world:hash())
    end)

    it("may be written by a compiled function", function()
      world:system { name = "count", compile = true,
        query = { Note, read = { Place }, sort = { Place, "x" } },
        each = function(note, p) note.n = note.n + p.y end }
      local sum = 0
      for _, note, p in world:query({ read = { Note, Place } }):rows() do
        sum = sum + note.n + p.y
      end
      world:progress(1)
      local now = 0
      for _, note in world:query({ read = { Note } }):rows() do
        now = now + note.n
      end
      assert.equal(sum, now)
    end)
  end)
end

describe("an order", function()
  local world
  before_each(function() world = ecs.world {} end)

  local function order(field, down)
    local list = {}
    for e in world:query({ sort = { Rank, field, down } }):rows() do
      list[#list + 1] = e
    end
    return list
  end

  it("is that of the field's numbers, then the order of rows", function()
    local nan, inf = 0 / 0, 1 / 0
    local given = { 3, nan, -0.0, -inf, 0, 3, inf, 1e-300, nan, -2 }
    local e = {}
    for k, c in ipairs(given) do e[k] = world:spawn(Rank { c = c }) end
    assert.same({ e[4], e[10], e[3], e[5], e[8], e[1], e[6], e[7], e[2], e[9] },
      order "c")
    assert.same({ e[7], e[1], e[6], e[8], e[3], e[5], e[10], e[4], e[2], e[9] },
      order("c", "down"))
  end)

  it("is that of whole numbers, booleans and entities", function()
    local a = world:spawn(Rank { a = 5, b = 4000000000, d = true })
    local b = world:spawn(Rank { a = -5, b = 7, e = a })
    local c = world:spawn(Rank { a = 0, b = 4000000001, d = true, e = b })
    assert.same({ b, c, a }, order "a")
    assert.same({ a, c, b }, order("a", "down"))
    assert.same({ b, a, c }, order "b")
    assert.same({ b, a, c }, order "d")
    assert.same({ a, c, b }, order("d", "down"))
    assert.same({ a, b, c }, order "e")
  end)

  it("is brought up to date within a frame", function()
    local a = world:spawn(Rank { a = 1 })
    local b = world:spawn(Rank { a = 2 })
    local seen
    world:system { name = "turn", query = { Rank },
      each = function(r) r.a = 0 - r.a end }
    world:system { name = "look", after = "turn", compile = false,
      query = { read = { Rank }, sort = { Rank, "a" } },
      each = function(_, _, e) seen[#seen + 1] = e end }
    for _, wanted in ipairs { { b, a }, { a, b }, { b, a } } do
      seen = {}
      world:progress(1)
      assert.same(wanted, seen)
    end
  end)

  it("goes with changed", function()
    local entities, seen = {}, {}
    for k = 1, 3000 do
      entities[k] = world:spawn(Rank { b = 7919 * k % 3001 })
    end
    world:system { name = "look", compile = false,
      query = { read = { Rank }, changed = { Rank }, sort = { Rank, "b" } },
      each = function(r) seen[#seen + 1] = r.b end }
    world:progress(1)
    assert.equal(3000, #seen)
    for k = 1, 3000 do assert.equal(k, seen[k]) end
    seen = {}
    world:set(entities[1500], Rank, "b", 5)
    world:progress(1)
    assert.equal(1024, #seen)
    for k = 2, #seen do assert.is_true(seen[k - 1] <= seen[k]) end
    seen = {}
    world:progress(1)
    assert.equal(0, #seen)
  end)

  it("cannot be made while the component is being written", function()
    world:spawn(Rank)
    local query = world:query { with = { Rank }, sort = { Rank, "a" } }
    world:query({ Rank }):each(function()
      refuses(function() query:each(function() end) end, "SortRank")
      refuses(function() local _ = query:first() end,
        "first cannot reach SortRank here")
      assert.equal(1, query:count())
    end)
    assert.truthy(query:first())
    query:each(function() end)
  end)

  it("is that of the query that a loop asks for again", function()
    local first = world:query { Rank, sort = { Rank, "a" } }
    assert.equal(first, world:query { Rank, sort = { Rank, "a" } })
    assert.not_equal(first, world:query { Rank })
    assert.not_equal(first, world:query { Rank, sort = { Rank, "b" } })
    assert.not_equal(first, world:query { Rank, sort = { Rank, "a", "down" } })
    assert.equal("ecs.Query (query { SortRank, sort = { SortRank, 'a', "
      .. "'down' } })", tostring(world:query { Rank,
        sort = { Rank, "a", "down" } }))
    assert.truthy(first:explain():find("sorted by SortRank.a", 1, true))
  end)

  it("gives the first row, and all for changes in bulk", function()
    world:spawn(Rank { a = 2 })
    local least = world:spawn(Rank { a = 1 })
    local query = world:query { Rank, sort = { Rank, "a" } }
    assert.equal(least, query:first())
    assert.equal(2, query:count())
    query:set(Rank, "a", 9)
    query:add(Mark)
    assert.equal(2, world:query({ with = { Mark } }):count())
    assert.equal(9, world:get(least, Rank, "a"))
    query:destroy()
    assert.equal(0, query:count())
  end)

  it("refuses what it cannot mean", function()
    local function try(spec, text)
      refuses(function() world:query(spec) end, text)
    end
    try({ Rank, sort = Rank }, "query: sort is a component and one of its "
      .. "fields, as in sort = { Position, 'y' }")
    try({ Rank, sort = {} }, "query: sort: entry 1 is nil: is its variable "
      .. "defined?")
    try({ Rank, sort = { Rank, "z" } }, "query: sort: SortRank has no field "
      .. "'z' (it has a, b, c, d, e)")
    try({ Rank, sort = { Rank } }, "query: sort: the field of SortRank is a "
      .. "name, as in sort = { SortRank, 'a' }, not nil")
    try({ Rank, sort = { Mark, "a" } }, "query: sort: SortMark is a tag: it "
      .. "has no fields")
    try({ Rank, sort = { Rank, "a", "up" } }, "query: sort: behind the field "
      .. "stands 'down' or nothing, not 'up'")
    try({ Rank, sort = { Rank, "a", down = true } }, "query: sort has a "
      .. "component, a field and maybe 'down', and nothing under 'down'")
    try({ Rank, optional = { Place }, sort = { Place, "x" } }, "query: sort: "
      .. "SortPlace is in optional, so a row may be without it")
    try({ Rank, without = { Place }, sort = { Place, "x" } }, "query: sort: "
      .. "SortPlace is in without")
  end)
end)
