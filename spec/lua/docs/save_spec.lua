-- save and restore of the guide, by way of a text, with entities whose numbers
-- are so large that texts do not keep all digits.

local ecs = require "ecs"

local load_text = rawget(_G, "loadstring") or load

local Link = ecs.component("SaveLink", { to = "entity", n = "u8" })
local Tag = ecs.tag "SaveTag"

--- The two functions of the guide, for a world.
local function guide(world)
  local file = assert(io.open("docs/guide.md", "rb"))
  local text = file:read "*a"
  file:close()
  local code = assert(text:match("(%-%- Returns the list, and the places.-)"
    .. "\nlocal entities, saved"))
  return assert(load_text("local ecs, world = ...\n" .. code
    .. "\nreturn save, restore"))(ecs, world)
end

--- A value as a text, and back.
local function write(value, number)
  if type(value) == "number" then return number(value) end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for key, element in pairs(value) do
    parts[#parts + 1] = "[" .. write(key, number) .. "]="
      .. write(element, number)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function through_text(value, number)
  return assert(load_text("return " .. write(value, number)))()
end

--- An entity with this index that has lived so often.
local function old(world, index, lives, ...)
  local e = index + lives * 2 ^ 28
  return assert(world:spawn_as((math.tointeger or function(n) return n end)(e),
    ...))
end

local function short(number) return ("%.14g"):format(number) end

describe("what the guide saves", function()
  it("survives a text that keeps 14 digits of a number", function()
    for _, number in ipairs { tostring, short } do
      local world = ecs.world {}
      local a = old(world, 7, 4000000, Link { n = 1 })
      local b = old(world, 8, 4000000, Link { n = 2, to = a }, Tag)
      local c = old(world, 9, 4000000, Link { n = 3, to = b })
      world:set(a, Link, "to", c)
      local save, restore = guide(world)
      local list, places = save()
      local new = restore(through_text(list, number))
      assert.equal(3, world:stats().entities)
      local found = {}
      for e, link in world:query({ read = { Link } }):rows() do
        found[link.n] = { e = e, to = world:get(link.to, Link, "n") }
      end
      assert.same({ 3, 1, 2 }, { found[1].to, found[2].to, found[3].to })
      assert.equal(found[2].e, new[places[b]])
      assert.is_true(world:has(new[places[b]], Tag))
    end
  end)

  it("has nil where an entity is dead", function()
    local world = ecs.world {}
    local dead = world:spawn()
    world:spawn(Link { n = 1, to = dead })
    world:destroy(dead)
    local save, restore = guide(world)
    local new = restore(through_text(save(), tostring))
    assert.equal(1, #new)
    assert.is_nil(world:get(new[1], Link, "to"))
  end)
end)

describe("the number of an entity as a text", function()
  it("has all of its digits by %d, and in messages", function()
    local world = ecs.world {}
    local e = old(world, 7, 4000001)
    local text = ("%d"):format(e)
    assert.equal(e, tonumber(text))
    world:destroy(e)
    local _, problem = pcall(world.set, world, e, Link, "n", 1)
    assert.truthy(problem:find("entity " .. text, 1, true), problem)
    for _, number in ipairs { 2 ^ 52, 2 ^ 52 + 1, 2 ^ 53 - 1 } do
      _, problem = pcall(world.spawn_as, world, number)
      assert.truthy(problem:find((" %.0f is no handle"):format(number), 1,
        true), problem)
    end
    assert.equal("SaveLink { n = 1, to = " .. text .. " }",
      tostring(Link { n = 1, to = e }))
    _, problem = pcall(ecs.world, { seed = -2 ^ 52 - 1 })
    assert.truthy(problem:find("not -4503599627370497", 1, true), problem)
  end)
end)
