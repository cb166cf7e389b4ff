-- Compiled functions write arrays of the world in place, as plain Lua does.

local ecs = require "ecs"
local load = loadstring or load -- luacheck: ignore

local Cell = ecs.component("ArrayCell", { x = "f64", y = "f64", n = "f64",
                                          on = "bool", s = "f32" })

-- Type -> a number that it holds, as text in terms of p; numbers that it does
-- not hold.
local TYPES = {
  f32 = { "p.n * 0.5", { 1e39, -2 ^ 128 } },
  f64 = { "p.n * 0.1", {} },
  i8 = { "p.n % 256 - 128", { -129, 128, 0.5, 0 / 0, 1 / 0 } },
  u8 = { "p.n % 256", { -1, 256, 1.5, 0 / 0, -1 / 0 } },
  i16 = { "p.n * 331 % 65536 - 32768", { -32769, 32768, 0.25, 0 / 0 } },
  u16 = { "p.n * 331 % 65536", { -1, 65536, 1e300, 0 / 0 } },
  i32 = { "p.n * 33100331 % 2 ^ 32 - 2 ^ 31",
          { -2 ^ 31 - 1, 2 ^ 31, 1.5, 0 / 0 } },
  u32 = { "p.n * 33100331 % 2 ^ 32", { -1, 2 ^ 32, 0.5, 1 / 0 } },
}

describe("a compiled function", function()
  local world, query
  before_each(function()
    world = ecs.world {}
    query = world:query { Cell }
  end)
  after_each(function() world:close() end)

  --- The function of rows that a text is, which may use these values by name.
  local function make(text, values)
    local names, list = {}, {}
    for name, value in pairs(values) do
      names[#names + 1], list[#list + 1] = name, value
    end
    return assert(load("local " .. table.concat(names, ", ")
      .. " = ... return function(p, dt, e) " .. text .. " end"))(
      (unpack or table.unpack)(list)) -- luacheck: ignore
  end

  --- Defines and runs a system with this function. Returns the error.
  local function run(text, values, options)
    options.name, options.query = "write", { Cell }
    options.each = make(text, values)
    world:system(options)
    local done, problem = pcall(world.progress, world, 1)
    return not done and tostring(problem):gsub("\n.*", "") or nil
  end

  local function elements(array, ...)
    local text = {}
    for k = 1, #array do
      local value = array[k]
      text[k] = type(value) == "userdata" and elements(value, ...)
        or type(value) == "number" and ("%.17g"):format(value)
        or tostring(value)
    end
    return table.concat(text, " ")
  end

  --- Runs a text compiled and plain, from the same start. Returns what explain
  -- says of the first, and the error. before: makes the start.
  local function both(text, values, before, precision)
    local function all(options)
      before()
      local left = { run(text, values, options) or "no error" }
      for _, p in query:rows() do
        left[#left + 1] = ("%.17g %.17g"):format(p.n, p.s) .. tostring(p.on)
      end
      for name, value in pairs(values) do
        if type(value) == "userdata" and tostring(value):find "array" then
          left[#left + 1] = name .. ": " .. elements(value)
        end
      end
      table.sort(left)
      return left
    end
    local one = all { compile = true, precision = precision or "double" }
    local told = world:explain "write"
    assert.truthy(told:find("compiled (block VM)", 1, true))
    assert.same(all { compile = false }, one)
    return told, one
  end

  local function spawn(count, values)
    for k = 1, count do world:spawn(Cell(values(k))) end
  end

  describe("whose variable held an array", function()
    local cases = {
      { "nil", function() return nil end, "which is nil, cannot" },
      { "a Lua table", function() return { { 1 } } end,
        "which is a table, cannot" },
      { "a number", function() return 3 end, "which is a number, cannot" },
      { "an array of another world",
        function(other) return other:array("map", "f64", 3, 3) end,
        "which is an array of another world, cannot",
        "make it with the world of the system" },
    }
    for _, case in ipairs(cases) do
      it("is told its name, and that it is now " .. case[1], function()
        local other = ecs.world {}
        local map = world:array("map", "f64", 3, 3)
        local line = world:array("line", "f64", 3)
        spawn(1, function() return { x = 1 } end)
        world:system { name = "map", query = { Cell },
          each = function(p) map[p.x][1] = 1 end }
        world:system { name = "line", query = { Cell },
          each = function(p) line[p.x] = 1 end }
        world:progress(1)
        map, line = case[2](other), case[2](other)
        for _, name in ipairs { "map", "line" } do
          assert.truthy(world:explain(name):find("compiled (block VM)", 1,
            true))
        end
        pcall(world.progress, world, 1)
        local told = world:explain "map"
        assert.truthy(told:find("an assignment to an element of 'map', "
          .. case[3] .. " be compiled", 1, true), told)
        world:system { name = "map", query = { Cell }, each = function() end }
        pcall(world.progress, world, 1)
        local text = world:explain "line"
        assert.truthy(text:find("an assignment to an element of 'line', "
          .. case[3] .. " be compiled", 1, true), text)
        assert.truthy(text:find(case[4] or "", 1, true), text)
        other:close()
      end)
    end
  end)

  it("names an array once, which two of its variables are", function()
    local map = world:array("map", "f64", 3)
    local same = map
    spawn(2, function() return { x = 1 } end)
    world:system { name = "write", query = { Cell },
      each = function(p) map[p.x] = same[p.x] + 1 end }
    world:progress(1)
    assert.equal(2, map[1])
    local text = world:explain "write"
    assert.truthy(text:find("; reads array 'map'; writes array 'map'\n", 1,
      true), text)
    world:system { name = "both", query = { Cell },
      each = function(p) map[p.x] = 1 same[p.x + 1] = 2 end }
    world:progress(1)
    text = world:explain "both"
    assert.truthy(text:find("; writes array 'map'\n", 1, true), text)
  end)

  for name, about in pairs(TYPES) do
    it("writes " .. name .. " as plain Lua does", function()
      local one = world:array("one", name, 60)
      local two = world:array("two", name, 4, 15)
      local three = world:array("three", name, 5, 3, 4)
      spawn(700, function(k) return { x = k * 7 % 60, y = k % 4, n = k } end)
      both(([[
        one[p.x + 1] = %s
        two[p.y + 1][p.x %% 15 + 1] = %s
        three[p.x %% 5 + 1][p.x %% 3 + 1][p.y + 1] = one[p.x + 1]
        p.n = one[60 - p.x] - two[p.y + 1][15 - p.x %% 15]
      ]]):format(about[1], about[1]),
        { one = one, two = two, three = three }, function()
          one:fill(0)
          two:fill(1)
          three:fill(2)
          for _, p in query:rows() do p.n = p.x * 3 + p.y end
        end)
    end)

    it("raises for a number that no " .. name .. " can hold", function()
      local one = world:array("one", name, 8)
      spawn(8, function(k) return { x = k } end)
      for _, bad in ipairs(about[2]) do
        local _, left = both("p.n = 7 one[p.x] = p.x p.n = p.y one[p.x] = p.y",
          { one = one }, function()
            one:fill(0)
            for _, p in query:rows() do
              p.n, p.y = 0, p.x == 5 and bad or 1
            end
          end)
        assert.truthy(table.concat(left, "\n"):find "array 'one'")
        assert.equal("1 1 1 1 5 0 0 0", elements(one))
      end
    end)
  end

  it("writes booleans, and raises for anything else", function()
    local flags = world:array("flags", "bool", 6)
    spawn(600, function(k) return { x = k % 6 + 1, y = k % 7, n = k } end)
    both("if flags[p.x] then p.n = 0 end flags[p.x] = p.y > 3 "
      .. "p.on = flags[p.x % 6 + 1]", { flags = flags }, function()
      flags:fill(true)
      for _, p in query:rows() do p.n, p.on = p.y, false end
    end)
    for _, bad in ipairs { "p.n", "nil", "1" } do
      flags:fill(false)
      assert.truthy(run("flags[p.x] = " .. bad, { flags = flags }, {})
        :find("bool", 1, true))
    end
  end)

  it("counts each row that meets at an element", function()
    local walls = world:array("walls", "u16", 20, 20)
    local hits = world:array("hits", "u32", 2)
    spawn(3000, function(k) return { x = k % 20 + 1, y = k * k % 20 + 1 } end)
    local told = both("walls[p.x][p.y] = walls[p.x][p.y] + 1 "
      .. "p.n = walls[p.x][p.y] hits[1] = hits[1] + 1", {
      walls = walls, hits = hits }, function()
        walls:fill(0)
        hits:fill(0)
        for _, p in query:rows() do p.n = 0 end
      end)
    assert.equal(3000, hits[1])
    assert.truthy(told:find("reads arrays 'walls', 'hits'; writes arrays "
      .. "'walls', 'hits'", 1, true), told)
  end)

  it("has the last row win, and sees what the row itself has written",
    function()
      local one = world:array("one", "i32", 9)
      spawn(600, function(k) return { x = k % 3, y = k } end)
      both([[
        one[p.x + 1] = p.y
        one[p.x + 2], one[p.x + 3] = one[p.x + 3], one[p.x + 1]
        for k = 1, 3 do one[k + 6] = one[k] - one[k + 5] % 100 end
        if one[p.x + 1] % 2 == 0 then one[5] = one[5] + 1 else one[6] = 4 end
        p.n = one[5] + one[p.x + 7]
      ]], { one = one }, function()
        one:fill(1)
        for _, p in query:rows() do p.n = 0 end
      end)
      assert.truthy(one[5] > 100)
    end)

  it("knows when two names are one array", function()
    local first = world:array("first", "f64", 7)
    local second = world:array("second", "f64", 7)
    spawn(300, function(k) return { x = k % 7 + 1, y = k * 3 % 7 + 1 } end)
    local function start()
      first:fill(1)
      second:fill(2)
      for _, p in query:rows() do p.n = 0 end
    end
    local text = "one[p.x] = two[p.y] + 1 p.n = two[p.x] - one[p.y]"
    both(text, { one = first, two = first }, start)
    both(text, { one = first, two = second }, start)
    -- The same function, of which the variables change between frames.
    local now, next = first, second
    local function step(p) next[p.x] = now[p.x] + now[p.y] p.n = next[p.y] end
    local function swap() now, next = next, now end
    local function frames(compile)
      start()
      now, next = first, second
      world:system { name = "step", query = { Cell }, each = step,
        compile = compile, precision = compile and "double" or nil }
      local seen = {}
      for k = 1, 6 do
        world:progress(1)
        seen[k] = elements(first) .. elements(second)
        if k == 4 then next = now end
        swap()
      end
      assert.truthy(world:explain "step":find(compile and "compiled (block VM)"
        or "plain Lua", 1, true))
      return seen
    end
    assert.same(frames(false), frames(true))
  end)

  it("stores nothing behind a row with an index outside", function()
    local one = world:array("one", "u8", 6)
    local two = world:array("two", "u8", 3, 4)
    spawn(8, function(k) return { x = k, y = k } end)
    for _, bad in ipairs { 0, 7, 1.5, 0 / 0, -1, 1 / 0, 2 ^ 40 } do
      for _, text in ipairs { "p.n = 1 one[p.y] = 9 one[p.x] = 1",
                              "p.n = 1 two[p.y % 3 + 1][p.x] = 1",
                              "p.n = 1 two[p.x][p.y % 4 + 1] = 1" } do
        local _, left = both(text, { one = one, two = two }, function()
          one:fill(0)
          two:fill(0)
          for _, p in query:rows() do
            p.n, p.x = 0, p.y == 5 and bad or 1
          end
        end)
        assert.truthy(table.concat(left, "\n"):find("'one'", 1, true)
          or table.concat(left, "\n"):find("'two'", 1, true))
      end
    end
  end)

  it("leaves what rows before a side exit wrote, and sees what it writes",
    function()
      local marks = world:array("marks", "i32", 40)
      local log = {}
      spawn(400, function(k) return { x = k % 40 + 1, y = k } end)
      local told = both([[
        marks[p.x] = marks[p.x] + p.y
        if p.y % 31 == 0 then
          log[#log + 1] = marks[p.x]
          marks[p.x % 40 + 1] = -5
        end
        p.n = marks[p.x % 40 + 1]
        marks[41 - p.x] = p.n
      ]], { marks = marks, log = log }, function()
        marks:fill(0)
        for _, p in query:rows() do p.n = 0 end
      end)
      assert.truthy(told:find("side exit", 1, true))
      for k = 1, 12 do assert.equal(log[k], log[k + 12]) end
    end)

  it("writes in rows that are destroyed and that spawn", function()
    local marks = world:array("marks", "u32", 9)
    local function fresh(compile)
      query:destroy()
      marks:fill(0)
      spawn(100, function(k) return { x = k % 9 + 1, y = k } end)
      assert.is_nil(run([[
        marks[p.x] = marks[p.x] + 1
        if p.y % 3 == 0 then world:destroy(e) end
        if marks[p.x] % 4 == 0 then
          marks[10 - p.x] = 0
          world:spawn(Cell { x = 1, y = marks[p.x] })
        end
      ]], { marks = marks, world = world, Cell = Cell }, {
        compile = compile, precision = compile and "double" or nil }))
      local seen = { elements(marks) }
      for _, p in query:rows() do seen[#seen + 1] = p.y end
      return seen
    end
    assert.same(fresh(false), fresh(true))
  end)

  it("reads in loops what it writes behind them", function()
    local heat = world:array("heat", "f64", 12)
    spawn(200, function(k) return { x = k % 12 + 1, y = k % 5 } end)
    both([[
      local sum, k = 0, 1
      while k <= p.y do sum = sum + heat[k] k = k + 1 end
      heat[p.x] = sum % 10 + 1
      for i = 1, p.y do p.n = p.n + heat[i] end
    ]], { heat = heat }, function()
      heat:fill(1)
      for _, p in query:rows() do p.n = 0 end
    end)
  end)

  it("follows elements to others", function()
    local link = world:array("link", "u16", 30)
    spawn(300, function(k) return { x = k % 30 + 1, y = k * 7 % 30 + 1 } end)
    both([=[
      local next = link[p.x]
      link[link[next]] = p.y
      p.n = link[p.y]
    ]=], { link = link }, function()
      for k = 1, 30 do link[k] = k * 11 % 30 + 1 end
      for _, p in query:rows() do p.n = 0 end
    end)
  end)

  it("computes with what it has stored as with fields of the type", function()
    local warm = world:array("warm", "f32", 5)
    local Warm = ecs.component("ArrayWarm", { at = "f32", s = "f32" })
    for k = 1, 5 do world:spawn(Warm { at = k * 0.3, s = 0.7 }) end
    local at = 0
    world:system { name = "field", query = { Warm }, compile = true,
      each = function(w) w.at = w.at * 1.1 w.s = w.s / 3 + w.at end }
    world:progress(1)
    local fields = {}
    for _, w in world:query({ Warm }):rows() do
      at = at + 1
      fields[at], w.at, w.s = w.s, at * 0.3, 0.7
    end
    world:remove_system "field"
    world:system { name = "array", query = { Warm }, compile = true,
      each = function(w)
        warm[1] = w.at
        warm[1] = warm[1] * 1.1
        w.s = w.s / 3 + warm[1]
      end }
    world:progress(1)
    at = 0
    for _, w in world:query({ Warm }):rows() do
      at = at + 1
      assert.equal(fields[at], w.s)
    end
    assert.truthy(at == 5)
  end)

  it("without side exits has constant indices and values that fit", function()
    local best = world:array("best", "f64", 3)
    local bytes = world:array("bytes", "u8", 2, 2)
    spawn(9, function(k) return { x = k, y = 10 - k } end)
    local function try(text)
      return pcall(function()
        world:system { name = "whole", query = { Cell }, compile = "whole",
          precision = "double",
          each = make(text, { best = best, bytes = bytes }) }
      end)
    end
    assert.is_true(try("best[1] = math.max(best[1], p.x) bytes[2][1] = 3 "
      .. "for k = 2, 3 do best[k] = p.y end"))
    world:progress(1)
    assert.equal("9 1 1", elements(best))
    assert.equal(3, bytes[2][1])
    -- Sizes are compared before each run.
    best:resize(2)
    local before = ecs.on_fallback
    finally(function() ecs.on_fallback = before end)
    ecs.on_fallback = function() end
    local fits, problem = pcall(world.progress, world, 1)
    assert.is_false(fits)
    assert.truthy(tostring(problem):find("'best', which may be", 1, true))
    best:resize(5)
    assert.is_true((pcall(world.progress, world, 1)))
    assert.equal("9 1 1 0 0", elements(best))
    for _, text in ipairs { "best[p.x] = 1", "bytes[1][1] = p.x",
                            "best[4] = 1 best[6] = 1" } do
      local done, why = try(text)
      assert.is_false(done)
      assert.truthy(why:find "array 'b")
    end
  end)

  it("does not write in loops that are not unrolled", function()
    local heat = world:array("heat", "f64", 12)
    local done, why = pcall(function()
      world:system { name = "loop", query = { Cell }, compile = true,
        each = make("for k = 1, p.x do heat[k] = 1 end", { heat = heat }) }
    end)
    assert.is_false(done)
    assert.truthy(why:find("'heat' in a loop", 1, true), why)
  end)

  it("writes arrays in query:each", function()
    local heat = world:array("heat", "f64", 12)
    spawn(24, function(k) return { x = k % 12 + 1 } end)
    query:each(function(p) heat[p.x] = heat[p.x] + 0.5 end)
    assert.equal(("1 "):rep(12), elements(heat) .. " ")
  end)
end)
