-- Mistakes that are found where a system is defined, compiled or not.

local ecs = require "ecs"

local Position = ecs.component("FoundPosition", { x = "f32", speed = "f32" })
local Home = ecs.component("FoundHome", { x = "f32" })

local world, problems
local c = { Position = Position, Home = Home }

before_each(function()
  world, problems = ecs.world {}, {}
  ecs.on_fallback = function(_, _, why) problems[#problems + 1] = why end
end)
after_each(function()
  world:close()
  ecs.on_fallback = nil
end)

--- Defines a system each way; returns the messages, or true.
local function define(f, query)
  local results = {}
  for k, compile in ipairs { "if possible", true, false } do
    if compile == "if possible" then compile = nil end
    local done, text = pcall(world.system, world, { name = "s",
      query = query or { Position }, each = f, compile = compile })
    results[k] = done or text
  end
  return results[1], results[3], results[2]
end

--- Checks the message of a mistake that is in the line after f begins.
local function finds(text, f, query)
  local line = debug.getinfo(f, "S").linedefined + 1
  for k = 1, 2 do
    local message = (select(k, define(f, query)))
    assert.equal("string", type(message), "nothing was found")
    assert.equal("ecs: system 's': spec/lua/compile/mistake_found_spec.lua:"
      .. line .. ": " .. text, (message:gsub("^%./", "")
        :gsub("^[^:]*mistake_found_spec.lua:%d+: ", "")
        :gsub("%./spec", "spec")))
  end
  assert.equal(0, #problems)
end

local function finds_nothing(f, query)
  local lenient, plain = define(f, query)
  assert.is_true(lenient)
  assert.is_true(plain)
end

describe("a field that a component does not have", function()
  it("is found whatever else is in the function", function()
    finds("FoundPosition has no field 'spede' (it has speed, x): did you mean "
      .. "'speed'?", function(p)
        p.spede = 1
      end)
    finds("FoundPosition has no field 'y' (it has speed, x)", function(p, dt)
        local text = ("x"):rep(3) .. p.y
        if dt > 100 then print(text) end
      end)
    finds("FoundHome has no field 'z' (it has x)", function(_, h)
        for _, name in ipairs {} do print(h.z, name) end
      end, { Position, optional = { Home } })
  end)

  it("is not seen where the row may be something else", function()
    finds_nothing(function(p) -- luacheck: ignore
      local t = { print }
      p = t
      t[1] = p.y
    end)
    finds_nothing(function(p) -- luacheck: ignore
      for _, q in ipairs { {} } do
        p, q.z = q, 1
        print(p.y)
      end
    end)
    finds_nothing(function(p)
      local function inner(p) return p.y end -- luacheck: ignore
      print(inner {}, p.x)
    end)
    finds_nothing(function(p)
      local t = { p = { y = 1 } }
      print(t.p.y, p.x, t.p:y())
    end)
    finds_nothing("function(p) print(p.x) end")
    finds_nothing(print)
  end)
end)

describe("world:get of what the system writes", function()
  local text = "world:get of FoundPosition, which this system writes: read "
    .. "the row, or write another component here, and FoundPosition in "
    .. "another system"

  it("is found whatever else is in the function", function()
    finds(text, function(_, _, e)
        print(world:get(e, Position, "x"))
      end)
    local game = { world = world }
    finds(text, function(_, _, e)
        if #c > 0 then print(game.world:get(({ e })[1], c.Position)) end
      end)
    finds(text, function(_, _, _, e)
        return world:get(e, Position)
      end, { Home, optional = { Position } })
  end)

  it("is not seen where it is something else", function()
    local other = ecs.world {}
    finds_nothing(function(_, _, e) print(other:get(e, Position, "x")) end)
    finds_nothing(function(_, _, e) print(world:get(e, Home, "x")) end)
    finds_nothing(function(_, _, e) print(world:get(e, Position, "x")) end,
      { read = { Position } })
    finds_nothing(function(_, _, e)
      local world = other -- luacheck: ignore
      print(world:get(e, Position, "x"))
    end)
    finds_nothing(function(_, _, e)
      local Position = Home -- luacheck: ignore
      print(world:get(e, Position, "x"))
    end)
    finds_nothing(function(_, _, e)
      print(world.get, world:has(e, Position), c:get(e, Position))
    end)
    other:close()
  end)
end)

describe("a value that is nil", function()
  local game = {}

  it("is named, where it can be", function()
    for text, f in pairs {
      ["'*' of 'sped', which is nil"] =
        function(p) p.x = p.x * sped end, -- luacheck: ignore
      ["'+' of 'game.speed', which is nil"] =
        function(p) p.x = game.speed + 1 end,
      ["'-' of 'game.speed', which is nil"] =
        function(p) p.x = -game.speed end,
      ["math.abs of 'game.speed', which is nil"] =
        function(p) p.x = math.abs(game.speed) end,
      ["an assignment to FoundPosition.x of 'game.speed', which is nil"] =
        function(p) p.x = game.speed end,
      ["'*' of 'speed', which is nil"] =
        function(p) local speed = nil; p.x = p.x * speed end,
    } do
      local _, _, strict = define(f)
      assert.truthy(strict:find(text .. ", cannot be compiled: is it defined "
        .. "before the system?", 1, true), strict)
    end
    local _, _, strict = define(function(p) p.x = p.x * nil end)
    assert.truthy(strict:find("'*' of nil cannot be compiled", 1, true))
  end)
end)

describe("dt where an entity is wanted", function()
  it("is found where the system is defined", function()
    finds("world:destroy of e, which is dt and no entity: the entity comes "
      .. "after dt, as in function(p, dt, e)", function(p, e)
      if p.x < 0 then world:destroy(e) end
    end)
    finds("world:add of dt, which is dt and no entity: the entity comes after "
      .. "dt, as in function(h, q, dt, e)", function(h, q, dt)
      if h.x + q.x < 0 then world:add(dt, c.Home) end
    end, { Position, Home })
  end)

  it("is left alone where it is something else", function()
    for _, f in ipairs {
      function(p, _, e) if p.x < 0 then world:destroy(e) end end,
      function(p, e)
        if e > 1 then e = world:query({ Position }):first() end
        if p.x < 0 then world:destroy(e) end
      end,
      function(_, dt) return dt end,
    } do
      assert.is_true((define(f)))
    end
  end)

  it("is an error at the call, too, as every number that is no id", function()
    local e = world:spawn(Position)
    local calls = {
      get = function(id) return world:get(id, Position) end,
      field = function(id) return world:get(id, Position, "x") end,
      pair = function(id) return world:get(id, Position, "x", "speed") end,
      has = function(id) return world:has(id, Position) end,
      alive = function(id) return world:alive(id) end,
      destroy = function(id) return world:destroy(id) end,
      set = function(id) return world:set(id, Position, "x", 1) end,
      add = function(id) return world:add(id, Home) end,
      remove = function(id) return world:remove(id, Position) end,
      components = function(id) return world:components(id) end,
    }
    for name, call in pairs(calls) do
      for _ = 1, 2 do
        for _, id in ipairs { 1 / 60, 0.5, -1, 2 ^ 53, 1 / 0, 0 / 0, -0.5 } do
          local done, text = pcall(call, id)
          assert.is_false(done, name .. " of " .. id)
          assert.truthy(text:find("takes an entity, not", 1, true), text)
        end
      end
    end
    local _, text = pcall(calls.destroy, 1 / 60)
    assert.truthy(text:find("destroy takes an entity, not 0.016666666666667: "
      .. "each passes dt before the entity", 1, true), text)
    for _, id in ipairs { 0, 12345, 2 ^ 52, 2 ^ 53 - 1 } do
      assert.is_false(world:alive(id))
      assert.is_false(world:destroy(id))
      assert.is_nil((world:get(id, Position)))
      assert.is_false(world:has(id, Position))
    end
    assert.is_true(world:alive(e))
  end)
end)
