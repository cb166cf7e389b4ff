-- any: a query's choice among components, however these are stored.

local ecs = require "ecs"

local Value = ecs.component("AnyValue", { n = "i32" })
local Main = ecs.component("AnyMain", { n = "f32" })
local Other = ecs.component("AnyOther", { n = "f32" })
local Sparse = ecs.component("AnySparse", { n = "f32" }, { storage = "sparse" })
local Far = ecs.tag("AnyFar", { storage = "sparse" })
local Lit = ecs.tag("AnyLit", { storage = "bits" })
local Seen = ecs.tag("AnySeen", { storage = "bits" })
local parts = { Main, Other, Sparse, Far, Lit, Seen }

-- Choices by the places of their components: in tables, in bits, in both, in
-- one set, and in several groups.
local choices = {
  { 1 }, { 1, 2 }, { 5 }, { 5, 6 }, { 1, 5 }, { 1, 2, 5, 6 }, { 3 }, { 3, 4 },
  { 1, 3 }, { 5, 3 }, { 2, 4, 6 }, { 1, 2, 3, 4, 5, 6 },
}

local function is_in(set, k) return math.floor(set / 2 ^ (k - 1)) % 2 == 1 end

--- A world with two entities for every combination of the parts.
local function make()
  local world, of = ecs.world {}, {}
  for round = 0, 1 do
    for set = 0, 63 do
      local e = world:spawn(Value { n = set })
      for k = 1, #parts do if is_in(set, k) then world:add(e, parts[k]) end end
      of[e] = set
      if round == 0 then world:spawn(Main) end
    end
  end
  return world, of
end

local function list(places)
  local found = {}
  for k, place in ipairs(places) do found[k] = parts[place] end
  return found
end

local function has_any(set, places)
  for _, place in ipairs(places) do
    if is_in(set, place) then return true end
  end
  return false
end

--- The entities that a query must match.
local function expected(of, places, fits)
  local found = {}
  for e, set in pairs(of) do
    if has_any(set, places) and (not fits or fits(set)) then found[e] = set end
  end
  return found
end

local function count(found)
  local n = 0
  for _ in pairs(found) do n = n + 1 end
  return n
end

--- Every way to walk over a query gives the same entities.
local function check(world, query, wanted)
  local each, batches, rows = {}, {}, {}
  query:each(function(value, e) each[e] = value.n end)
  query:batch(function(batch)
    for i = 1, batch.count do
      batches[batch.entities[i]] = batch.AnyValue.n[i]
    end
  end)
  for e, value in query:rows() do rows[e] = value.n end
  assert.same(wanted, each)
  assert.same(wanted, batches)
  assert.same(wanted, rows)
  assert.equal(count(wanted), query:count())
  if next(wanted) then assert.truthy(wanted[query:first()]) end
  if not next(wanted) then assert.is_nil(query:first()) end
  query:set(Value, "n", -1)
  for e in world:query({ Value }):rows() do
    assert.equal(wanted[e] and -1 or world:get(e, Value, "n"),
      world:get(e, Value, "n"))
  end
end

describe("any", function()
  it("asks for at least one of its components", function()
    for _, places in ipairs(choices) do
      local world, of = make()
      check(world, world:query { Value, any = list(places) },
        expected(of, places))
    end
  end)

  it("goes with components that must and must not be there", function()
    for _, places in ipairs(choices) do
      for k = 1, #parts do
        local free = {}
        for _, place in ipairs(places) do
          if place ~= k then free[#free + 1] = place end
        end
        if #free > 0 then
          local world, of = make()
          check(world, world:query { Value, with = { parts[k] },
                                     any = list(free) },
            expected(of, free, function(set) return is_in(set, k) end))
          check(world, world:query { Value, without = { parts[k] },
                                     any = list(free) },
            (function()
              local left = expected(of, free, function(set)
                return not is_in(set, k)
              end)
              for e in pairs(left) do left[e] = world:get(e, Value, "n") end
              return left
            end)())
        end
      end
    end
  end)

  it("follows what is added, removed and stored elsewhere", function()
    for _, places in ipairs(choices) do
      local world, of = make()
      local query = world:query { read = { Value }, any = list(places) }
      local before = query:count()
      for e, set in pairs(of) do
        if set == 0 then world:add(e, parts[places[#places]]) end
      end
      assert.equal(before + 2, query:count())
      world:group { Main, Other, Sparse }
      assert.equal(before + 2, query:count())
      world:ungroup { Main, Other, Sparse, Far, Lit, Seen }
      assert.equal(before + 2, query:count())
      for _, place in ipairs(places) do
        world:query({ with = { parts[place] } }):remove(parts[place])
      end
      assert.equal(0, query:count())
    end
  end)

  it("chooses for changes of every match", function()
    for _, places in ipairs(choices) do
      for k = 1, #parts do
        local world, of = make()
        world:query({ with = { Value }, any = list(places) }):add(parts[k])
        for e, set in pairs(of) do
          assert.equal(is_in(set, k) or has_any(set, places),
            world:has(e, parts[k]))
        end
      end
      local world, of = make()
      world:query({ with = { Value }, any = list(places) }):destroy()
      for e, set in pairs(of) do
        assert.equal(not has_any(set, places), world:alive(e))
      end
    end
  end)

  it("stands in a system that is compiled", function()
    for _, places in ipairs(choices) do
      local world, of = make()
      world:system { name = "count", compile = true,
        query = { Value, any = list(places) },
        each = function(value) value.n = value.n + 1000 end }
      world:progress(0)
      for e, set in pairs(of) do
        assert.equal(set + (has_any(set, places) and 1000 or 0),
          world:get(e, Value, "n"))
      end
    end
  end)

  it("gives no argument, and may stand alone", function()
    local world = make()
    world:query({ any = { Main, Sparse } }):each(function(...)
      assert.equal(1, select("#", ...))
    end)
    assert.equal(160, world:query({ any = { Main, Sparse } }):count())
  end)

  it("is the same query in any order", function()
    local world = make()
    assert.equal(world:query { any = { Main, Sparse } },
      world:query { any = { Sparse, Main } })
    assert.are_not.equal(world:query { any = { Main, Sparse } },
      world:query { with = { Main, Sparse } })
    assert.truthy(world:query({ any = { Main, Lit } }):explain():find(
      "any AnyLit (bits)", 1, true))
  end)

  it("is refused where it names nothing, or something twice", function()
    local world = make()
    local function fails(text, terms)
      local ok, message = pcall(function() world:query(terms) end)
      assert.is_false(ok)
      assert.truthy(message:find(text, 1, true), message)
      assert.truthy(message:find("any_spec", 1, true), message)
    end
    fails("any is empty", { any = {} })
    fails("any is a list", { any = Main })
    fails("query: any: names AnyMain twice", { any = { Main, Main } })
    fails("query: any: names AnyMain twice", { Main, any = { Main } })
    fails("any: entry 1 is nil", { any = { nil, Main } })
    fails("any: takes components and tags", { any = { "Main" } })
    fails("stands alone", { all = true, any = { Main } })
  end)
end)
