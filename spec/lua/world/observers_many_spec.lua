-- Many observers of many components: each is told of its own components, and
-- of no others, whatever their numbers are. Changes are compared with what an
-- entity had before and has afterwards.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local TAGS = 150
local Needed = ecs.tag "ManyNeeded"
local Needing = ecs.tag("ManyNeeding", { needs = { Needed } })
local tags = { Needing, Needed }
for k = #tags + 1, TAGS do
  tags[k] = ecs.tag("Many" .. k,
    { storage = k % 3 == 0 and "sparse" or "table" })
end

--- A world with two observers of each tag, and queries of two tags that are far
-- from each other. told: what they were called with since it was cleared.
local function make()
  local world, told = ecs.world {}, {}
  local function note(...)
    local text = table.concat({ ... }, " ")
    return function(e) told[#told + 1] = text .. " " .. e end
  end
  for k, tag in ipairs(tags) do
    world:on("add", tag, note("add", k))
    world:on("remove", tag, note("remove", k))
  end
  for k = 1, TAGS - 64 do
    local query = world:query { with = { tags[k] }, without = { tags[k + 64] } }
    world:on("enter", query, note("enter", k))
    world:on("leave", query, note("leave", k))
  end
  return world, told
end

local function had(world, e)
  local set = {}
  for k, tag in ipairs(tags) do set[k] = world:has(e, tag) end
  return set
end

--- What is to be told of an entity, in the order of the observers.
local function expected(e, before, after)
  local list = {}
  for k = 1, TAGS do
    if before[k] ~= after[k] then
      list[#list + 1] = (after[k] and "add " or "remove ") .. k .. " " .. e
    end
  end
  for k = 1, TAGS - 64 do
    local was = before[k] and not before[k + 64]
    local is = after[k] and not after[k + 64]
    if was ~= is then
      list[#list + 1] = (is and "enter " or "leave ") .. k .. " " .. e
    end
  end
  return table.concat(list, "\n")
end

local function clear(told) for k = #told, 1, -1 do told[k] = nil end end

describe("150 components with observers", function()
  it("have theirs told, of changes at once", function()
    local world, told = make()
    local dice, e = support.dice(5), world:spawn()
    for _ = 1, 400 do
      local before, tag = had(world, e), tags[dice(TAGS)]
      clear(told)
      if world:has(e, tag) then world:remove(e, tag) else world:add(e, tag) end
      assert.equal(expected(e, before, had(world, e)), table.concat(told, "\n"))
    end
  end)

  it("have theirs told, of recorded changes", function()
    local world, told = make()
    local Host = ecs.tag "ManyHost"
    local dice, e, host = support.dice(6), world:spawn(), world:spawn(Host)
    for _ = 1, 100 do
      local before = had(world, e)
      clear(told)
      world:query({ with = { Host } }):batch(function(batch)
        assert.equal(host, batch.entities[1])
        for _ = 1, dice(6) do
          local tag = tags[dice(TAGS)]
          if dice(2) == 1 then world:add(e, tag) else world:remove(e, tag) end
        end
      end)
      assert.equal(expected(e, before, had(world, e)), table.concat(told, "\n"))
    end
  end)

  it("have theirs told, of spawns and destructions", function()
    local world, told = make()
    local none = {}
    for k = 1, TAGS do none[k] = false end
    local e = world:spawn(tags[1], tags[70], tags[134])
    local after = had(world, e)
    assert.equal(expected(e, none, after), table.concat(told, "\n"))
    clear(told)
    world:destroy(e)
    assert.equal(expected(e, after, none), table.concat(told, "\n"))
  end)
end)
