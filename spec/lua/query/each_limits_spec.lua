-- A loop over rows may have up to 100 components with fields and 100 extra
-- arguments, in any mixture and on every VM. More are a clear error at the
-- script's line.

local ecs = require "ecs"

local unpack = rawget(_G, "unpack") or table.unpack

local MOST = 100

local definitions = {}
for k = 1, MOST + 1 do
  definitions[k] = ecs.component("EachLimits" .. k, { x = "f64" })
end

local function list(count, value)
  local made = {}
  for k = 1, count do made[k] = value(k) end
  return made
end

--- A world with one entity that has all components, and one that has every
-- other component.
local function world_of(terms)
  local world, all, odd = ecs.world {}, {}, {}
  for k = 1, terms do
    all[k] = definitions[k] { x = k }
    if k % 2 == 1 then odd[#odd + 1] = all[k] end
  end
  world:spawn(unpack(all))
  world:spawn(unpack(odd))
  return world
end

local function query_of(terms, optional)
  local asked = list(terms, function(k) return definitions[k] end)
  return optional and { all = true, optional = asked } or asked
end

--- Calls a loop with a function that checks its arguments: a row for each term,
-- the extra arguments 1, 2, 3 ..., and an entity.
local function check(terms, extras, optional, run)
  local calls = 0
  run(function(...)
    calls = calls + 1
    assert(select("#", ...) == terms + extras + 1)
    for k = 1, terms do
      local row = (select(k, ...))
      if calls == 1 or k % 2 == 1 then
        assert(row.x == k)
        row.x = k + 0.5
        assert(row.x == k + 0.5)
        row.x = k
      else
        assert(row == nil)
      end
    end
    for k = 1, extras do
      -- A nil among the extra arguments keeps its place.
      assert((select(terms + k, ...)) == (k ~= 7 and k or nil))
    end
    assert(type((select(terms + extras + 1, ...))) == "number")
  end)
  assert.equal(optional and 2 or 1, calls)
end

local function extras_of(count)
  local extras = list(count, function(k) return k end)
  extras[7] = nil
  return extras
end

describe("a loop over rows", function()
  for _, optional in ipairs { false, true } do
    it("may be as wide as 100 components and 100 extra arguments"
      .. (optional and ", all optional" or ""), function()
      for _, terms in ipairs { 2, 20, 39, 40, 41, 60, 61, MOST } do
        local world = world_of(terms)
        for _, extras in ipairs { 0, 1, 19, 20, 60, 99, MOST } do
          check(terms, extras, optional, function(f)
            local query = world:query(query_of(terms, optional))
            query:each(f, unpack(extras_of(extras), 1, extras))
          end)
        end
        world:close()
      end
    end)

    it("of a system and of rows, too" .. (optional and ", all optional" or ""),
      function()
        local world = world_of(MOST)
        check(MOST, 1, optional, function(f)
          world:system { name = "wide", query = query_of(MOST, optional),
                         each = f, compile = false }
          world:progress(1)
        end)
        check(MOST, 0, optional, function(f)
          local function call(e, ...)
            local values = { ... }
            values[MOST + 1] = e
            f(unpack(values, 1, MOST + 1))
          end
          local loop = { world:query(query_of(MOST, optional)):rows() }
          local step = loop[1]
          local function go(e, ...)
            if e == nil then return false end
            call(e, ...)
            return true
          end
          repeat until not go(step(loop[2]))
        end)
      end)
  end

  it("that is compiled is as wide", function()
    local world = world_of(MOST + 1)
    local names, lines = {}, {}
    for k = 1, MOST + 1 do
      names[k] = "p" .. k
      lines[k] = "p" .. k .. ".x = p" .. k .. ".x * 2 + dt"
    end
    world:system { name = "wide", query = query_of(MOST + 1), compile = true,
      each = "function(" .. table.concat(names, ", ") .. ", dt)\n"
        .. table.concat(lines, "\n") .. "\nend" }
    world:progress(0.5)
    local seen = 0
    world:query(query_of(MOST + 1)):batch(function(batch)
      for k = 1, MOST + 1 do
        assert.equal(2 * k + 0.5, batch[definitions[k]].x[1])
        seen = seen + 1
      end
    end)
    assert.equal(MOST + 1, seen)
  end)

  local function refused(text, f)
    local done, problem = pcall(f)
    assert.is_false(done)
    assert.truthy(problem:find("^[^:]*each_limits_spec.lua:%d+: ecs: ")
      and problem:find(text, 1, true), problem)
  end

  it("past its limits is an error at the script's line", function()
    local world, outside = world_of(MOST + 1), 0
    local query = world:query(query_of(MOST + 1))
    local function f() outside = 1 * outside + 1 end
    local limit = "a loop over rows has at most 100 components with fields"
    refused(limit, function() query:each(f) end)
    refused(limit, function() for _ in query:rows() do f() end end)
    world:system { name = "wide", query = query_of(MOST + 1), each = f,
                   compile = false }
    refused(limit, function() world:progress(1) end)
    world:remove_system "wide"
    refused("each hands on at most 100 extra arguments", function()
      world:query(query_of(1)):each(f, unpack(extras_of(MOST), 1, MOST + 1))
    end)
    assert.equal(0, outside)
  end)
end)
