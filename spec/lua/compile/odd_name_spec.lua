-- Names that are no identifiers, of fields and in tables, compile like others.

local ecs = require "ecs"

local ODD = { "a b", "é", "日本", "1", "a.b", "end", "nil", "goto", "-", "x]]",
              '"', "'", "\\", "%s%d", "[1]", "a/b", "" }

local load_text = rawget(_G, "loadstring") or load

local function load_with(text, ...)
  return assert(load_text("local world, Far, other, t = ...\nreturn function("
    .. "p)\n" .. text .. "\nend"))(...)
end

local made = 0

--- What a body leaves in a row, and in the row of another entity with another
-- component of the same fields, as a compiled function and as plain Lua.
local function both(fields, t, body)
  made = made + 1
  local Odd = ecs.component("Odd" .. made, fields)
  local Far = ecs.component("OddFar" .. made, fields)
  local results = {}
  for k, compile in ipairs { true, false } do
    local world = ecs.world { precision = "double" }
    local other, e = world:spawn(Far), world:spawn(Odd)
    world:system { name = "odd", compile = compile, query = { Odd },
      each = load_with(body, world, Far, other, t) }
    world:progress(1)
    results[k] = { world:get(e, Odd), world:get(other, Far) }
  end
  assert.same(results[2], results[1])
  return results[1]
end

describe("a field with an odd name", function()
  it("is read and written in compiled functions", function()
    for _, name in ipairs(ODD) do
      if name ~= "" then
        local row = both({ [name] = { "f64", 5 }, n = "f64" }, nil,
          ("p[%q] = p[%q] * 2 p.n = p[%q] + 1"):format(name, name, name))[1]
        assert.equal(10, row[name])
        assert.equal(11, row.n)
      end
    end
  end)

  it("is known by world:get and set, and in values", function()
    for _, name in ipairs(ODD) do
      if name ~= "" then
        local rows = both({ [name] = { "f64", 5 }, n = "f64" }, nil,
          ("p.n = world:get(other, Far, %q) or 0"):format(name))
        assert.equal(5, rows[1].n)
        rows = both({ [name] = { "f64", 5 }, n = "f64" }, nil,
          ("world:set(other, Far, %q, 7)"):format(name))
        assert.equal(7, rows[2][name])
        rows = both({ [name] = { "f64", 5 }, n = "f64" }, nil,
          ("world:set(other, Far, { [%q] = 8, n = 9 }) "):format(name))
        assert.equal(8, rows[2][name])
      end
    end
  end)

  it("may be written with escapes, or in long brackets", function()
    local row = both({ ["a b"] = "f64" }, nil,
      [[ p["a\32b"] = 2 p["a b"] = p[ [=[a b]=] ] + 1 ]])[1]
    assert.equal(3, row["a b"])
  end)
end)

describe("a key with an odd name", function()
  it("is told apart from every other way into a table", function()
    local t = {
      a = { b = 1, [1] = 2, c = { d = 3 } },
      ["a.b"] = 10, ["a[1]"] = 20, ["a.c"] = { d = 30 }, ["a.c.d"] = 40,
      ["a/b"] = 50, ['a["b"]'] = 60, ["a number"] = 70,
    }
    local row = both({ n = "f64" }, t, [[
      p.n = t.a.b + t["a.b"] * 2 + t.a[1] * 3 + t["a[1]"] * 5 + t.a.c.d * 7
        + t["a.c"].d * 11 + t["a.c.d"] * 13 + t["a/b"] * 17
        + t['a["b"]'] * 19 + t["a number"] * 23]])[1]
    assert.equal(1 + 20 + 6 + 100 + 21 + 330 + 520 + 850 + 1140 + 1610, row.n)
  end)

  it("is told apart in the elements of a table", function()
    local t = {
      { a = { b = 1 }, ["a.b"] = 10, ["a/b"] = 100, ["/stringb"] = 3 },
      { a = { b = 2 }, ["a.b"] = 20, ["a/b"] = 200, ["/stringb"] = 4 },
    }
    local row = both({ n = { "f64", 2 } }, t, [[
      p.n = t[p.n].a.b + t[p.n]["a.b"] + t[p.n]["a/b"] ]])[1]
    assert.equal(222, row.n)
  end)

  it("is one of a table of the function", function()
    local row = both({ n = "f64" }, nil, [[
      local r = { ["a b"] = 2, ["end"] = 3, ["[1]"] = 5, 7 }
      r["a b"] = r["a b"] + 1
      p.n = r["a b"] + r["end"] * 10 + r["[1]"] * 100 + r[1] * 1000 ]])[1]
    assert.equal(7533, row.n)
  end)
end)
