-- query:each with side exits: rows that reach one run as plain Lua, the others
-- compiled. What they do in which order is in spec/lua/compile/exit_spec.lua;
-- here is what systems have not: closures, arguments, calls within calls.
--
-- A row that is compiled computes in f32, and one that took an exit in doubles:
-- 16777216 + 1 is 16777216 in f32.

local ecs = require "ecs"

local V = ecs.component("QueryExitV", { x = "f32", n = "f32" })
local T = ecs.tag "QueryExitT"
local BIG = 16777216

local default = ecs.on_fallback

describe("q:each with side exits", function()
  local world, query, list, told
  before_each(function()
    world, list, told = ecs.world {}, {}, 0
    for k = 1, 6 do list[k] = world:spawn(V { x = BIG, n = k }) end
    query = world:query { V }
    ecs.on_fallback = function() told = told + 1 end
  end)
  after_each(function()
    ecs.on_fallback = default
    assert.equal(0, told)
  end)

  local function seen()
    local text = {}
    for _, v in query:rows() do
      text[#text + 1] = string.format("%.0f", v.x)
      v.x = BIG
    end
    return table.concat(text, " ")
  end

  it("runs only the rows that take one as plain Lua", function()
    local log = {}
    query:each(function(v, a)
      v.x = v.x + a - BIG
      if v.n == 3 or v.n == 5 then log[#log + 1] = v.n end
    end, 1)
    assert.equal("0 0 1 0 1 0", seen())
    assert.equal("3 5", table.concat(log, " "):gsub("%.0", ""))
  end)

  it("takes closures and arguments of the call", function()
    for k = 1, 6 do
      local log, more = {}, k
      query:each(function(v, a, _, flag)
        v.x = v.x + a + more - BIG
        if v.n == more and flag then log[1] = more end
      end, 2, nil, k ~= 4)
      assert.equal(k ~= 4 and k or nil, log[1])
      local wanted = {}
      for n = 1, 6 do
        -- Rounded to f32 after each sum.
        local x = BIG + 2 + k
        if n ~= k or k == 4 then x = x - x % 2 + (x % 4 == 3 and 2 or 0) end
        wanted[n] = string.format("%.0f", x - BIG)
      end
      assert.equal(table.concat(wanted, " "), seen())
    end
  end)

  it("goes on with its own arguments behind a call in a row", function()
    local looking, sum, log = world:query { read = { V } }, 0, {}
    local function step(v, a, deeper)
      sum = sum + a
      if v.n == 4 and deeper then
        log[#log + 1] = a
        looking:each(step, a * 10, a < 100)
      end
    end
    looking:each(step, 1, true)
    assert.equal("1 10 100", table.concat(log, " "))
    assert.equal(6666, sum)
  end)

  it("reads what a row has changed outside again", function()
    local factor, unit = 1, { by = 1 }
    query:each(function(v)
      v.x = v.n * factor * unit.by
      if v.n == 2 then
        factor = 10
      elseif v.n == 4 then
        unit = { by = 100 }
      end
    end)
    assert.equal("1 2 30 40 5000 6000", seen())
  end)

  it("is plain Lua behind a row that leaves no other way", function()
    local unit = { by = 1 }
    local odd = setmetatable({}, { __index = function() return 1 end })
    query:each(function(v)
      v.x = v.x + unit.by - BIG
      if v.n == 4 then unit = odd end
    end)
    assert.equal("0 0 0 1 1 1", seen())
  end)

  it("keeps numbers outside as rows have left them", function()
    local count, odd = 0, {}
    for _ = 1, 3 do
      query:each(function(v)
        count = count + 1
        if v.n % 3 == 0 then odd[#odd + 1] = count end
      end)
    end
    assert.equal(18, count)
    assert.equal("3 6 9 12 15 18", (table.concat(odd, " "):gsub("%.0", "")))
  end)

  it("records changes and applies them behind the last row", function()
    local counted
    query:each(function(v, e)
      if v.n == 1 then world:destroy(e) end
      if v.n == 2 then world:add(e, T) end
      if v.n > 4 then
        world:spawn(V { n = v.n + 10 })
        counted = query:count()
      end
    end)
    assert.equal(6, counted)
    assert.equal(7, query:count())
    assert.is_false(world:alive(list[1]))
    assert.is_true(world:has(list[2], T))
  end)

  it("compiles changes", function()
    query:each(function(v, e)
      v.x = v.x + 1 - BIG
      if v.n == 2 then world:destroy(e) end
      if v.n == 3 then world:add(e, T) end
      if v.n == 4 then world:spawn(V { x = v.x + 5 }) end
      if v.n == 5 then world:remove(e, V) end
    end)
    assert.truthy(seen():find "^[05 ]+$")
    assert.equal(6, world:stats().entities)
  end)

  it("raises what a row raises, and drops what was recorded", function()
    local thrown = { "thrown" }
    local done, problem = pcall(query.each, query, function(v, e)
      v.x = v.n
      world:add(e, T)
      if v.n == 4 then error(thrown) end
    end)
    assert.is_false(done)
    assert.equal(thrown, problem)
    assert.is_false(world:has(list[1], T))
    assert.equal("1 2 3 4 16777216 16777216", seen())
    done, problem = pcall(query.each, query, function(v)
      if v.n == 4 then error("text") end
    end)
    assert.is_false(done)
    assert.truthy(problem:match "query_exit_spec.lua:%d+: text")
    query:each(function(v) if v.n == 4 then v.x = tonumber "7" end end)
    assert.equal("7", seen():match " (7) ")
  end)

  it("may close its world, and remove what it walks over", function()
    local done, problem = pcall(query.each, query, function(v)
      if v.n == 3 then world:close() end
    end)
    assert.is_false(done)
    assert.truthy(problem:find("close", 1, true))
    query:each(function(v)
      v.x = v.n
      if v.n == 3 then query:destroy() end
    end)
  end)

  it("runs as plain Lua where many rows take one and no bit differs", function()
    world = ecs.world { precision = "double" }
    for k = 1, 2000 do world:spawn(V { n = k }) end
    query = world:query { V }
    local sum = 0
    local function each(v)
      v.x = v.x + 0.1
      if v.n % 2 == 0 then sum = sum + #tostring(v.n % 10) - 3 + 4 end
    end
    for _ = 1, 100 do query:each(each) end
    local wanted = 0
    for k = 2, 2000, 2 do wanted = wanted + #tostring(1.0 * k % 10) + 1 end
    assert.equal(100 * wanted, sum)
    local x = 0
    local V64 = ecs.world {}
    local e = V64:spawn(V {})
    for _ = 1, 100 do
      V64:set(e, V, "x", x + 0.1)
      x = V64:get(e, V, "x")
    end
    for _, v in query:rows() do assert.equal(x, v.x) end
  end)
end)
