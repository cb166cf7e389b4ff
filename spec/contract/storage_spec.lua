-- Storage: where components are kept. Only explain shows a difference.

local ecs = require "ecs"

local scene = dofile "spec/support/scene.lua"
local Position, Velocity, Enemy = scene.Position, scene.Velocity, scene.Enemy
local Burn = ecs.component("ContractBurn", { n = "i32" },
  { storage = "sparse" })
local Seen = ecs.tag("ContractSeen", { storage = "bits" })

local world
before_each(function() world = ecs.world {} end)

local function explained(...)
  local text = world:explain()
  for _, words in ipairs { ... } do
    assert.truthy(text:find(words, 1, true), text)
  end
end

describe("components", function()
  it("live together in a table for each combination", function()
    world:spawn(Position, Velocity)
    world:spawn(Velocity, Position)
    world:spawn(Position)
    explained("table { Position, Velocity }: 2 rows",
      "table { Position }: 1 row")
    local sizes = {}
    world:query({ Position, Velocity }):batch(function(batch)
      sizes[#sizes + 1] = batch.count
    end)
    assert.same({ 2 }, sizes)
  end)

  it("that are sparse have a set of their own", function()
    local e = world:spawn(Position)
    world:add(e, Burn { n = 4 })
    explained("sparse set 1: ContractBurn", "table { Position }: 1 row")
    assert.equal(4, world:get(e, Burn, "n"))
    world:remove(e, Burn)
    assert.is_false(world:has(e, Burn))
  end)

  it("that are bits are toggled without moving anything", function()
    local entities = {}
    for k = 1, 100 do entities[k] = world:spawn(Position { x = k }) end
    for k = 1, 100, 3 do world:add(entities[k], Seen) end
    explained("bits of group 0, 34 entities")
    local order = {}
    for e in world:query({ Position }):rows() do order[#order + 1] = e end
    assert.same(entities, order)
    assert.equal(34, world:query({ Position, Seen }):count())
    world:remove(entities[1], Seen)
    assert.equal(67, world:query({ Position, without = { Seen } }):count())
  end)
end)

describe("group", function()
  --- The same world, grouped or not.
  local function sample(grouped)
    local made = ecs.world {}
    if grouped then made:group { Position, Velocity } end
    for k = 1, 60 do
      local e = made:spawn(Position { x = k })
      if k % 2 == 0 then made:add(e, Velocity) end
      if k % 3 == 0 then made:add(e, Enemy) end
      if k % 5 == 0 then made:add(e, Burn { n = k }) end
      if k % 7 == 0 then made:destroy(e) end
    end
    return made
  end

  it("names components that belong together", function()
    world:group { Position, Velocity }
    world:spawn(Position, Velocity, Enemy)
    explained("group 1: Position, Velocity")
  end)

  it("changes no value and no match, before or after", function()
    local plain, grouped, late = sample(false), sample(true), sample(false)
    late:group { Position, Velocity }
    for _, terms in ipairs { { Position }, { Position, Velocity },
        { Velocity, without = { Enemy } }, { Burn, with = { Enemy } } } do
      assert.equal(plain:query(terms):count(), grouped:query(terms):count())
      assert.equal(plain:query(terms):count(), late:query(terms):count())
    end
    assert.equal(plain:state_hash(), grouped:state_hash())
    assert.equal(plain:state_hash(), late:state_hash())
  end)

  it("of one is a sparse set, and leaves bits what they are", function()
    local e = world:spawn(Position { x = 3 }, Velocity, Seen)
    world:group { Position }
    world:group { Velocity, Seen }
    explained("sparse set 1: Position",
      "tag ContractSeen: bits of group 2, 1 entity")
    assert.equal(3, world:get(e, Position, "x"))
    assert.is_true(world:has(e, Seen, Velocity))
  end)

  it("makes bits of tags, which ungroup undoes", function()
    local e = world:spawn(Position { x = 3 }, Seen)
    local state = world:state_hash()
    world:ungroup { Seen }
    explained "tag ContractSeen: group 0, 1 entity"
    assert.equal(state, world:state_hash())
    world:group({ Seen }, { storage = "bits" })
    explained "tag ContractSeen: bits of group 0, 1 entity"
    assert.equal(state, world:state_hash())
    assert.is_true(world:has(e, Seen))
    local bits = { storage = "bits" }
    assert.has_error(function() world:group({ Position }, bits) end,
      "ecs: group: Position has fields: only tags can be stored as bits")
    for _, wrong in ipairs { { storage = "sparse" }, { storage = 1 } } do
      assert.has_error(function() world:group({ Seen }, wrong) end,
        "ecs: group: storage is 'bits' where it is given; components apart "
          .. "from others need no option")
    end
    assert.has_error(function() world:group({ Seen }, { bits = true }) end,
      "ecs: group knows one option, as in { storage = 'bits' }")
    assert.has_error(function() world:group({ Seen }, "bits") end,
      "ecs: group takes options, as in { storage = 'bits' }")
    assert.equal(state, world:state_hash())
  end)

  it("is undone by ungroup, which takes sparse components too", function()
    local plain, late = sample(false), sample(true)
    late:ungroup { Velocity, Burn }
    late:ungroup { Position }
    assert.equal(plain:state_hash(), late:state_hash())
    for _, terms in ipairs { { Position, Velocity }, { Burn, Position } } do
      assert.equal(plain:query(terms):count(), late:query(terms):count())
      assert.truthy(late:query(terms):explain():find("full plan", 1, true))
    end
    late:ungroup { Position }
    assert.equal(plain:state_hash(), late:state_hash())
    assert.has_error(function() late:ungroup(Position) end,
      "ecs: ungroup takes a list, as in world:ungroup { A, B }")
  end)

  it("shows in how a query runs", function()
    local query = world:query { Position, Velocity }
    local before = query:explain()
    world:group { Position, Velocity }
    world:spawn(Position, Velocity)
    assert.not_equal(before, query:explain())
  end)
end)
