-- up: queries along a tree, as rows, batches, compiled functions, systems and
-- native kernels, for every storage, against plain tables.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

--- Does f raise an error with this text?
local function refuses(text, f)
  support.refuses(f, text)
end
local unpack = table.unpack or unpack
ecs.on_fallback = nil -- plain Lua is meant, too
assert(ecs.load_native "along")

--- The components of a scene, with storages of their own: their names end with
-- it.
local function components(suffix, storages)
  local made = { name = suffix }
  made.Local = ecs.component("UpLocal" .. suffix, { x = "f32", y = "f64" },
    { storage = storages[1] })
  made.Global = ecs.component("UpGlobal" .. suffix, { x = "f32", y = "f64" },
    { storage = storages[2] })
  made.Mark = ecs.component("UpMark" .. suffix, {}, { storage = storages[3] })
  made.Under = ecs.component("UpUnder" .. suffix, {
    node = { "entity", link = "destroy", tree = true } },
    { storage = storages[4] })
  return made
end

local storages = {
  components("A", {}),
  components("B", { "sparse" }),
  components("C", { nil, "sparse" }),
  components("D", { "sparse", "sparse", "sparse", "sparse" }),
  components("E", { nil, nil, "bits", "sparse" }),
}

--- A function of one row that compiles.
local function transform(g, l, up)
  if up then
    g.x = l.x + 2 * up.x
    g.y = l.y - up.y
  else
    g.x = l.x
    g.y = l.y
  end
end

--- What does not compile, and is called row by row.
local function one_row(g, l, up)
  local row = { g }
  transform(row[1], l, up)
end

local function describe_query(of)
  return { of.Global, read = { of.Local }, up = { of.Under,
    read = { of.Global } } }
end

--- Every way to run it over a query.
local ways = {
  each = function(world, of)
    world:query(describe_query(of)):each(transform)
  end,
  rows = function(world, of)
    for _, g, l, up in world:query(describe_query(of)):rows() do
      transform(g, l, up)
    end
  end,
  row = function(world, of)
    world:query(describe_query(of)):each(one_row)
  end,
  batch = function(world, of)
    world:query(describe_query(of)):batch(function(batch)
      local x, y = batch[of.Global].x, batch[of.Global].y
      local lx, ly = batch[of.Local].x, batch[of.Local].y
      local up = batch.up[of.Global]
      for i = 1, batch.count do
        x[i] = lx[i] + (up and 2 * up.x[i] or 0)
        y[i] = ly[i] - (up and up.y[i] or 0)
      end
    end)
  end,
  system = function(world, of)
    world:system { name = "transform", query = describe_query(of),
      each = transform }
    world:progress(0)
  end,
  compiled = function(world, of)
    world:system { name = "transform", query = describe_query(of),
      each = transform, compile = true }
    world:progress(0)
  end,
  native = function(world, of)
    world:system { name = "transform", query = describe_query(of),
      native = "along." .. of.name }
    world:progress(0)
  end,
}

--- A world with 60 random nodes, some of which lack a component.
local function scene(of, seed)
  local dice = support.dice(seed)
  local world, nodes = ecs.world {}, {}
  for k = 1, 60 do
    local parts = {}
    if dice(10) > 1 then
      parts[#parts + 1] = of.Local { x = dice(9), y = dice(9) }
    end
    if dice(10) > 1 then
      parts[#parts + 1] = of.Global { x = dice(9), y = dice(9) }
    end
    if dice(3) == 1 then parts[#parts + 1] = of.Mark end
    if k > 1 and dice(8) > 1 then
      parts[#parts + 1] = of.Under { node = nodes[dice(k - 1)] }
    end
    nodes[k] = world:spawn(unpack(parts))
  end
  return world, nodes
end

--- What Global has after the function, by plain tables. Parents are older.
local function expected(world, of, nodes)
  local out = {}
  for _, e in ipairs(nodes) do
    local has = world:has(e, of.Global)
    local x, y = nil, nil
    if has then
      x, y = world:get(e, of.Global, "x"), world:get(e, of.Global, "y")
    end
    if has and world:has(e, of.Local) then
      local node = world:has(e, of.Under) and world:get(e, of.Under, "node")
      local up = node and out[node] or { 0, 0 }
      x = world:get(e, of.Local, "x") + 2 * (up[1] or 0)
      y = world:get(e, of.Local, "y") - (up[2] or 0)
    end
    out[e] = { x, y }
  end
  return out
end

describe("a query along a tree", function()
  for name, way in pairs(ways) do
    it("shows targets before sources, in every storage: " .. name, function()
      for seed = 1, 4 do
        for _, of in ipairs(storages) do
          local world, nodes = scene(of, seed)
          local values = expected(world, of, nodes)
          way(world, of)
          for _, e in ipairs(nodes) do
            if values[e][1] then
              assert.equal(values[e][1], world:get(e, of.Global, "x"))
              assert.equal(values[e][2], world:get(e, of.Global, "y"))
            end
          end
        end
      end
    end)
  end
end)

describe("up", function()
  local of = storages[1]
  local Local, Global, Mark, Under = of.Local, of.Global, of.Mark, of.Under
  local world, root, child, leaf
  before_each(function()
    world = ecs.world {}
    leaf = world:spawn(Local { x = 1 }, Global, Mark)
    child = world:spawn(Local { x = 2 }, Global, Under)
    root = world:spawn(Local { x = 4 }, Global)
    world:set(leaf, Under { node = child })
    world:set(child, Under { node = root })
  end)

  it("gives the order of the tree", function()
    local seen = {}
    for e in world:query { Local, up = { Under } }:rows() do
      seen[#seen + 1] = e
    end
    assert.same({ root, child, leaf }, seen)
    assert.equal(root, world:query { Local, up = { Under } }:first())
    world:set(leaf, Under, "node", nil)
    world:set(root, Under { node = leaf })
    seen = {}
    for e in world:query { Local, up = { Under } }:rows() do
      seen[#seen + 1] = e
    end
    assert.same({ leaf, root, child }, seen)
  end)

  it("is nil at a root and where the target lacks the component", function()
    local seen = {}
    local query = world:query { read = { Local }, up = { Under,
      read = { Global } } }
    world:remove(child, Global)
    query:each(function(l, up) seen[#seen + 1] = { l.x, up ~= nil } end)
    assert.same({ { 4, false }, { 2, true }, { 1, false } }, seen)
    query:batch(function(batch)
      assert.equal(batch.UpLocalA.x[1] == 2, batch.up.UpGlobalA ~= nil)
    end)
  end)

  it("follows links that change in a loop of rows", function()
    local seen = {}
    for e, l, up in world:query { Local, up = { Under, read = { Local } } }
      :rows() do
      if e == root then world:set(leaf, Under { node = root }) end
      seen[#seen + 1] = up and up.x or 0
      if e == leaf then
        world:set(leaf, Under, "node", nil)
        refuses("links to nothing", function() return up.x end)
      end
      assert.is_truthy(l)
    end
    assert.same({ 0, 4, 4 }, seen)
  end)

  it("only reads targets", function()
    local query = world:query { Local, up = { Under, read = { Local } } }
    refuses("UpLocalA is only read by", function()
      for _, _, up in query:rows() do if up then up.x = 1 end end
    end)
    refuses("UpLocalA is only read by", function()
      query:batch(function(batch)
        if batch.up.UpLocalA then batch.up.UpLocalA.x[1] = 1 end
      end)
    end)
    refuses("of the entity that the row links to", function()
      world:system { name = "wrong", query = { Local, up = { Under,
        read = { Local } } }, compile = "whole",
        each = function(_, up) if up then up.x = 1 end end }
    end)
  end)

  it("says what is wrong with its description", function()
    local Follows = ecs.component("UpFollows", {
      whom = { "entity", link = "clear" } })
    local Pair = ecs.component("UpPair", {
      left = { "entity", link = "clear", tree = true },
      right = { "entity", link = "clear", tree = true } })
    for text, up in pairs {
      ["up is a table, as in up = { ecs.ChildOf, read = { Position } }"] = true,
      ["up goes along a link that is a tree, and UpFollows has none: its "
        .. "links may lead in a circle (a link is a tree with tree = true)"] =
        { Follows },
      ["up goes along a link that is a tree, and UpLocalA has no link"] =
        { Local },
      ["up goes along a link that is a tree, and UpPair has several"] =
        { Pair },
      ["up: entry 1 is nil: is its variable defined?"] = {},
      ["up has no 'write' (it has a component with a link, and read: targets "
        .. "are only read)"] = { Under, write = { Local } },
      ["up has no 2 (it has a component with a link, and read: targets are "
        .. "only read), as in up = { ecs.ChildOf, read = { Position } }"] =
        { Under, Local },
      ["up: read is empty"] = { Under, read = {} },
      ["up: names UpLocalA twice"] = { Under, read = { Local, Local } },
      ["up: read: UpMarkA is a tag: a target has nothing of it to read"] =
        { Under, read = { Mark } },
    } do
      refuses(text, function() world:query { Local, up = up } end)
    end
    refuses("up has an order of its own", function()
      world:query { Local, up = { Under }, sort = { Local, "x" } }
    end)
    refuses("up has an order of its own", function()
      world:query { Local, up = { Under }, changed = { Local } }
    end)
  end)

  it("says what a batch has", function()
    world:query { Local, up = { Under, read = { Global } } }:batch(
      function(batch)
        refuses("does not read 'UpLocalA' of targets (up has UpGlobalA)",
          function() return batch.up.UpLocalA end)
        refuses("does not name 'UpGlobalA' (there are count, entities, "
          .. "UpLocalA, up)", function() return batch.UpGlobalA end)
      end)
    refuses("there are count, entities, UpLocalA)", function()
      world:query { Local }:batch(function(batch) return batch.up end)
    end)
  end)

  it("names the query in messages, and is one query", function()
    local query = world:query(describe_query(of))
    assert.equal("ecs.Query (query { UpGlobalA, read = { UpLocalA }, "
      .. "up = { UpUnderA, read = { UpGlobalA } } })", tostring(query))
    assert.equal(query, world:query(describe_query(of)))
    assert.not_equal(query, world:query { Global, read = { Local } })
    assert.equal("ecs.Query (query { all = true, up = { UpUnderA } })",
      tostring(world:query { all = true, up = { Under } }))
  end)

  it("is explained", function()
    local text = world:query(describe_query(of)):explain()
    assert.truthy(text:find("tree plan, 3 rows match", 1, true))
    assert.truthy(text:find("along UpUnderA.node by depth, targets first: "
      .. "3 depths", 1, true))
  end)

  it("goes along ecs.ChildOf", function()
    local parent = world:spawn(Local { x = 7 }, Global)
    local one = world:spawn(Local { x = 1 }, Global,
      ecs.ChildOf { parent = parent })
    world:query { Global, read = { Local }, up = { ecs.ChildOf,
      read = { Global } } }:each(transform)
    assert.equal(15, world:get(one, Global, "x"))
  end)
end)
