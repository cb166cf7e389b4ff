-- The type in which a number is computed does not depend on what the compiler
-- happens to know: the same source gives the same bits where a boolean outside
-- is a boolean, which the program reads, and where it is a table or nil, which
-- is compiled into it.

local ecs = require "ecs"

local N = ecs.component("KnownTypeN", { x = "f32", y = "f32", wide = "f64",
  out = "f64", small = "u8" })
local M = ecs.component("KnownTypeM", { x = "f64", y = "f64" })

local flag, other

local function wide_of(row) return row.wide end
local function narrow_of(row) return row.x * 3 end
local function chosen(row)
  if flag then return row.x * 3 end
  return row.wide
end
local function chosen_late(row)
  if not flag then return row.wide, 1 end
  local y = row.y
  return y * 3, 2
end
local function twice(row)
  if flag then if flag then return row.x end return 1 end
  do return row.wide end
end

--- Functions with a choice between numbers of two types.
local functions = {
  function(n)
    local x = 0.1
    if flag then
      x = n.x
      if x > 100 then return end
      return
    end
    n.out = x * 0.1
  end,
  function(n)
    local x = 0.1
    if not flag then n.out = x * 0.1 else x = n.x return end -- luacheck: ignore
    n.out = x * 0.7
  end,
  function(n)
    local x = 0.1
    if flag then
      x = n.x
      if x > 100 then return end
    end
    n.out = x * 0.1
  end,
  function(n) n.out = (flag and n.x or n.wide) * 0.1 end,
  function(n) n.out = (flag and n.wide or n.x) * 0.1 end,
  function(n) n.out = (not flag and n.x * 3 or n.wide) * 0.1 end,
  function(n) n.out = (flag and n.x or 0.1) * 0.1 end,
  function(n) n.out = (flag and 0.1 or n.x) * 0.7 end,
  function(n) n.out = (flag and n.small or n.x) / 3 end,
  function(n) n.out = (flag and 0.3 or n.small / 7) / 3 + n.wide end,
  function(n) n.out = (flag and n.x or other and n.y or n.wide) * 0.1 end,
  function(n) n.out = (flag and other and n.x or n.wide) * 0.1 end,
  function(n)
    n.out = (flag and (other and n.wide or 0.1) or n.x) * 0.1 * n.y
  end,
  function(n) n.out = ((flag and n.wide or n.x) + n.x) * 0.1 end,
  function(n) n.out = (flag and wide_of(n) or n.x) * 0.1 end,
  function(n) n.out = (flag and narrow_of(n) or wide_of(n)) * 0.1 end,
  function(n)
    local x = 0.1 -- luacheck: ignore
    if flag then x = n.x else x = n.wide end
    n.out = x * 0.1
  end,
  function(n)
    local x, y = 0.1, n.x
    if flag then x = n.x end
    if not flag then y = n.wide end
    n.out = x * 0.1 + y * 0.7
  end,
  function(n)
    local x
    if flag then x = n.x * 3 elseif other then x = n.wide else x = 0.1 end
    n.out = x * 0.1
  end,
  function(n)
    local x
    if flag then x = n.x * 3 end
    n.out = (x or n.wide) * 0.1
  end,
  function(n)
    local x = 0.1
    if flag then
      if flag then x = n.x else x = n.wide end
    end
    n.out = x * 0.3
  end,
  function(n) n.out = chosen(n) * 0.1 end,
  function(n) n.out = chosen_late(n) * 0.1 end,
  function(n)
    local x, k = chosen_late(n)
    n.out = x * 0.1 + k
  end,
  function(n) n.out = twice(n) * 0.1 end,
  function(n, m)
    local row = flag and n or m
    n.out = row.x * 0.1
    row.y = n.out
  end,
  function(n)
    local t = { x = n.x }
    if flag then t.x = n.wide end
    n.out = t.x * 0.1
  end,
  function(n)
    local x = 0.3
    for k = 1, 3 do
      if k == 2 then x = n.x else x = x + n.wide end
    end
    local function pick() if flag then return x end return 0.1 end
    n.out = pick() * n.x
  end,
}

--- The hash after two frames of a function.
local function run(f, one, two, precision)
  local world = ecs.world { precision = precision }
  for k = 1, 40 do
    world:spawn(N { x = k / 7, y = 1 / k, wide = k / 3, small = k },
      M { x = k / 9, y = -k })
  end
  flag, other = one, two
  world:system { name = "s", query = { N, M }, each = f, compile = "whole" }
  world:progress(0.1)
  world:progress(0.7)
  local hash = world:state_hash()
  world:close()
  return hash
end

describe("a choice between numbers", function()
  for k, f in ipairs(functions) do
    it(k .. " rounds alike, whether it is known or not", function()
      for _, two in ipairs { false, true } do
        local table_two = two and {} or nil
        for _, truth in ipairs { false, true } do
          local table_one = truth and { x = 1 } or nil
          local wanted = run(f, truth, two)
          assert.equal(wanted, run(f, table_one, two))
          assert.equal(wanted, run(f, truth, table_two))
          assert.equal(wanted, run(f, table_one, table_two))
        end
      end
    end)
  end

  it("rounds nothing in double precision", function()
    for _, f in ipairs(functions) do
      local wanted = run(f, true, true, "double")
      assert.equal(wanted, run(f, {}, {}, "double"))
    end
  end)

  it("has the type of the function that would be called", function()
    local pick = wide_of
    local function f(n) n.out = (flag and n.x or pick(n)) * 0.1 end
    local wanted = run(f, true)
    assert.equal(wanted, run(f, {}))
    pick = narrow_of
    assert.are_not.equal(wanted, run(f, true))
    assert.equal(run(f, true), run(f, {}))
  end)
end)
