-- Names and arguments that do not mean what they seem to: compiled functions do
-- what plain Lua does, or run as plain Lua.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local load_text = rawget(_G, "loadstring") or load
local set_environment = rawget(_G, "setfenv")

local V = ecs.component("NamesV", { x = "f64", y = "f64" })
local T, U = ecs.tag "NamesT", ecs.tag "NamesU"

describe("a function", function()
  local told, forget = support.hear_fallbacks(before_each, after_each)

  --- Some entities after two frames of a system, compiled or not, as text.
  local function run(text, compile)
    local world = ecs.world { precision = compile == nil and "double" or nil }
    local globals = { ecs = ecs, world = world, V = V, T = T, U = U, k = 7,
                      total = world:sum "total" }
    local chunk
    if set_environment then
      chunk = set_environment(assert(load_text(text, text)), globals)
    else
      chunk = assert(load(text, text, "t", globals))
    end
    local entities, lines = {}, {}
    for k = 1, 3 do entities[k] = world:spawn(V { x = k - 2, y = k }) end
    world:add(entities[2], T)
    world:system { name = "s", query = { V }, each = chunk(),
                   compile = compile }
    for _ = 1, 2 do
      local done, problem = pcall(world.progress, world, 0.25)
      lines[#lines + 1] = done and "done" or problem:match "ecs: [^(]*"
      for _, e in ipairs(entities) do
        local x, y = world:get(e, V, "x", "y")
        lines[#lines + 1] = ("%.17g %.17g %s %s"):format(x, y,
          tostring(world:has(e, T)), tostring(world:has(e, U)))
      end
    end
    return table.concat(lines, "\n")
  end

  --- Asserts that both ways agree. message: of a function that cannot be
  -- compiled; nil: it must compile.
  local function both(body, message, head)
    forget()
    local text = (head or "") .. " return function(v, dt, e) " .. body .. " end"
    assert.equal(run(text, false), run(text))
    if message then
      assert.truthy(told() and told():find(message, 1, true), told())
    else
      assert.is_nil(told())
    end
  end

  it("has globals, whatever is called _ENV", function()
    both("v.x = k v.y = _ENV.k", nil, "local _ENV = { k = 5 }")
    both("v.x = k", nil, "local _ENV = { k = 5 }")
    both("v.x = v.y + k", nil)
    both("for _ENV = 1, 2 do v.x = 3 end v.y = k", "a local _ENV")
    both("local _ENV = 1 v.x = 3", "a local _ENV")
  end)

  it("may choose between an entity and a number from outside", function()
    local E = ecs.component("NamesE", { who = "entity", x = "f64" })
    local seen = {}
    for way, compile in ipairs { true, false } do
      local world, n = ecs.world {}, nil
      local e, boss = world:spawn(E), world:spawn()
      world:system { name = "s", query = { E }, compile = compile and nil,
        each = function(v)
          if v.who or n then v.x = 1 else v.x = 2 end
          v.who = v.who or n
          v.who = nil
        end }
      local list = {}
      for k, value in ipairs { boss, 0, boss, 2.5, 1e300, 0 / 0, -1, boss } do
        n = value
        world:progress(1)
        list[k] = world:get(e, E, "x")
      end
      seen[way] = table.concat(list, " ")
      if compile then
        assert.truthy(world:explain("s"):find("compiled (", 1, true))
      end
    end
    assert.equal(seen[2], seen[1])
    assert.truthy(told():find("an entity on one path", 1, true), told())
  end)

  it("looks whether dt could be an entity, before every run", function()
    local E = ecs.component("NamesF", { who = "entity", x = "f64" })
    local seen = {}
    for way, compile in ipairs { false, 0 } do -- plain Lua; left out
      local world = ecs.world {}
      local e = world:spawn(E)
      world:system {
        name = "s", query = { E }, compile = compile and nil,
        each = function(v, dt)
          v.x = v.x + ((v.who or dt) and 1 or 100)
        end,
      }
      for _, dt in ipairs { 1, 2, 0, 0.5, 3, -1 } do world:progress(dt) end
      seen[way] = world:get(e, E, "x")
    end
    assert.equal(6, seen[1])
    assert.equal(seen[1], seen[2])
  end)

  it("computes all arguments of a method, or is plain Lua", function()
    local draw = "v.x = ecs.random() "
    both("world:add(e, U, T)", "world:add with 3 arguments")
    both("world:remove(e, U, T)", "world:remove with 3 arguments")
    both("world:replace(e, U, U)", "world:replace of")
    both("world:replace(e, U)", "world:replace with 2 arguments")
    both(draw .. "world:add(e, U, ecs.random())", "argument 3 of world:add")
    both("world:destroy(e, 1)", "world:destroy with 2 arguments")
    both("local a = world:alive(e, ecs.random()) " .. draw,
      "world:alive with 2 arguments")
    both("v.y = total:value(ecs.random()) " .. draw,
      "total:value with 1 argument cannot")
    both(draw .. "if world:alive(e) then v.y = total:value() + 1 end")
  end)

  it("gives a method all results of a call, or is plain Lua", function()
    local last = "a call as the last argument of world:has"
    local head = "local function two(a) return a or U, T end"
    both("v.x = world:has(two(e)) and 1 or 2", last, head)
    both("v.x = world:has(e, two()) and 1 or 2", last, head)
    both("v.x = world:has(e, (two())) and 1 or 2", nil, head)
    both("local c = two() v.x = world:has(e, c, T) and 1 or 2", nil, head)
    both("world:add(e, two())", "a call as the last argument of world:add",
      head)
  end)
end)
