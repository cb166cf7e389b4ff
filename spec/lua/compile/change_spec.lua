-- Changes of structure and of other entities in compiled functions: they do
-- what they do in plain Lua, in the order of rows, down to the new entities'
-- numbers and the order of rows afterwards.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local P = ecs.component("ChangeP", { x = "f64", y = "f64", n = "i32" })
local Aim = ecs.component("ChangeAim", { at = "entity", made = "entity" })
local Shot = ecs.component("ChangeShot", { by = "entity", left = { "f64", 2 } })
local Hp = ecs.component("ChangeHp", { hp = "i16", on = { "bool", true } })
local Slow = ecs.component("ChangeSlow", { by = "f32" },
  { storage = "sparse" })
local Wide = ecs.component("ChangeWide", { a = "i8", b = "u8", c = "i16",
  d = "u16", e = "i32", f = "u32", g = "f32", h = "f64", i = "bool",
  j = "entity" })
local Tag, Bit = ecs.tag "ChangeTag", ecs.tag("ChangeBit",
  { storage = "bits" })
local all = { P, Aim, Shot, Hp, Slow, Wide }

--- A world of rows that aim at each other, at dead ones and at nothing.
local function populate(count)
  local world, ids = ecs.world { precision = "double" }, {}
  local dead = world:spawn(P {})
  for k = 1, count do
    local parts = { P { x = k % 9, y = k % 7, n = k }, Aim {} }
    if k % 3 ~= 0 then parts[#parts + 1] = Hp { hp = k % 20 } end
    if k % 4 == 0 then parts[#parts + 1] = Slow { by = k / 8 } end
    if k % 5 == 0 then parts[#parts + 1] = Tag end
    ids[k] = world:spawn((table.unpack or unpack)(parts))
  end
  world:destroy(dead)
  for k = 1, count do
    local at = ids[k * 7 % count + 1]
    if k % 17 == 5 then at = dead end
    if k % 17 == 6 then at = nil end
    world:set(ids[k], Aim, "at", at)
  end
  return world, ids, dead
end

--- Everything in a world, in the order of rows.
local function dump(world)
  local lines = {}
  for _, component in ipairs(all) do
    for e in world:query({ read = { component } }):rows() do
      local values = world:get(e, component)
      local line = { e, component.name }
      for _, field in ipairs(component.fields) do
        line[#line + 1] = tostring(values[field.name or field])
      end
      lines[#lines + 1] = table.concat(line, " ")
    end
  end
  for _, tag in ipairs { Tag, Bit } do
    for e in world:query({ with = { tag } }):rows() do
      lines[#lines + 1] = e .. " " .. tag.name
    end
  end
  return table.concat(lines, "\n")
end

--- What a program does, and the stats of its system. build(world, log, dead)
-- returns the function.
local function run(build, count, compile)
  local world, _, dead = populate(count)
  local log = {}
  local terms = { P, Aim, without = { Shot } }
  local each = build(world, log, dead)
  if compile == "query" then
    local query = world:query(terms)
    world:system { name = "s", run = function(_, dt) query:each(each, dt) end }
  else
    world:system { name = "s", compile = compile, query = terms, each = each }
  end
  local problem = "none"
  for _ = 1, 3 do
    local done, text = pcall(world.progress, world, 0.25)
    if not done then problem = tostring(text):match "^[^\n]*" end
  end
  local seen = table.concat({ table.concat(log, " "), problem, world:hash(),
    dump(world) }, "\n")
  local stats = world:stats "s"
  world:close()
  return seen, stats, problem
end

--- Asserts that a program compiles, and does what it does as plain Lua. Returns
-- how many rows took exits, and the error.
local function alike(build, sizes, whole)
  local exits, problem
  for _, count in ipairs(sizes or { 0, 1, 40, 255, 256, 257, 600 }) do
    local wanted, _, error_text = run(build, count, false)
    for _, compile in ipairs { true, whole ~= false and "whole" or nil } do
      local seen, stats = run(build, count, compile)
      for line in (seen .. "\n"):gmatch "[^\n]*\n" do
        assert.truthy((wanted .. "\n"):find(line, 1, true),
          count .. " rows: " .. line)
      end
      assert.truthy(wanted == seen, count .. " rows: the order is another")
      assert.equal(0, stats.fallback_runs)
      exits, problem = stats.exits, error_text
    end
    local seen = run(build, count, "query")
    if not seen:find("is for the each function of a system", 1, true) then
      assert.equal(wanted, (seen:gsub("query %b{} is walking",
        "system 's' is walking")))
    end
  end
  return exits, problem
end

describe("a compiled spawn", function()
  it("takes parts in every form", function()
    alike(function(world)
      local kept = Hp { hp = 7 }
      local V = Slow
      return function(p, _, dt, e)
        p.x = p.x + dt
        if p.y == 1 then
          world:spawn(P { x = p.x, n = p.n }, Tag, Shot { by = e })
        elseif p.y == 2 then
          world:spawn(Shot, { by = e, left = p.x * 2 }, kept, Bit)
        elseif p.y == 3 then
          local at = { by = p.x }
          at.by = at.by + 1
          world:spawn(V, at)
          world:spawn()
        elseif p.y == 4 then
          world:spawn(Hp { on = p.x > 3 }, P, Aim { at = nil, made = e })
        end
      end
    end)
  end)

  it("gives the entity that plain Lua gives", function()
    alike(function(world)
      return function(p, aim)
        if p.n % 3 == 0 then
          local one = world:spawn(Shot)
          local other = world:spawn(Shot { by = one })
          aim.made = other
          world:add(one, Hp { hp = 2 })
          world:set(other, Shot, "left", p.x)
          if world:alive(one) and not world:has(one, Shot) then p.y = 11 end
        elseif p.n % 3 == 1 then
          aim.made = world:spawn(Shot { by = aim.made })
        end
      end
    end)
  end)

  it("may be by a spawner", function()
    alike(function(world)
      local shoot = world:spawner(Shot, "by", P { y = 3 }, "x", Hp { hp = 9 },
        Tag)
      local none = world:spawner(Bit)
      return function(p, aim, dt, e)
        p.y = p.y + dt
        if p.y > 4 and p.y < 6 then
          aim.made = shoot(p.n % 2 == 0 and e or aim.at, math.abs(p.x))
        elseif p.y > 6 then
          none()
        end
      end
    end)
  end)

  it("fills fields of every type", function()
    alike(function(world)
      return function(p, _, _, e)
        world:spawn(Shot, Wide { a = p.n % 100, b = p.n % 200, c = -p.n,
          d = p.n, e = -p.n, f = p.n, g = p.x / 8, h = p.x / 3,
          i = p.n % 2 == 0, j = e })
      end
    end)
  end)

  it("is refused by a number that does not fit, as in plain Lua", function()
    for _, field in ipairs { "a", "b", "c", "d", "e", "f" } do
      for _, value in ipairs { "p.x / 2", "p.n * 1e9 - 5e9", "0 / 0 * p.x" } do
        local _, problem = alike(function(world)
          local code = "local world, Wide, Shot = ... "
            .. "return function(p, aim, dt) p.y = p.y + dt "
            .. "world:spawn(Shot, Wide { " .. field .. " = " .. value
            .. " }) end"
          local chunk = (loadstring or load)(code)
          return chunk(world, Wide, Shot)
        end, { 40 })
        assert.truthy(problem:find("ChangeWide." .. field, 1, true), problem)
      end
    end
  end)

  it("is in the order of rows with exits in between", function()
    local exits = alike(function(world, log)
      return function(p, aim)
        if p.n % 2 == 0 then aim.made = world:spawn(Shot { left = p.n }) end
        if p.n % 5 == 0 then
          log[#log + 1] = tostring(world:spawn(Shot, Tag))
        end
        p.x = p.x + 1
      end
    end, { 0, 1, 40, 600 }, false)
    assert.truthy(exits > 100)
  end)
end)

describe("a compiled change of another entity", function()
  it("is recorded in the order of rows", function()
    alike(function(world, _, dead)
      return function(p, aim)
        local at = aim.at
        if at and at ~= dead and p.y > 2 then
          if p.y == 3 then world:add(at, Shot { left = p.n }) end
          if p.y == 4 then world:remove(at, Hp) end
          if p.y == 5 then world:add(at, Hp { hp = p.n % 100 }) end
          if p.y == 6 then world:remove(at, Slow) world:add(at, Tag) end
        end
        p.y = (p.y + 1) % 7
      end
    end)
  end)

  it("may replace one component by another", function()
    alike(function(world, _, dead)
      return function(p, aim, _, e)
        local at = aim.at
        if at and at ~= dead then
          if p.y == 1 then world:replace(at, Hp, Tag) end
          if p.y == 2 then world:replace(at, Slow, Shot { left = p.n }) end
          if p.y == 3 then world:replace(at, Tag, Hp, { hp = p.n % 50 }) end
          if p.y == 4 then world:replace(at, Shot, Hp) end
        end
        if p.y == 5 then world:replace(e, Tag, Slow { by = p.x }) end
        if p.y == 6 then world:replace(e, Hp, Bit) end
        p.y = (p.y + 1) % 7
      end
    end)
  end)

  it("raises the error of plain Lua for a dead entity and for nil", function()
    for _, change in ipairs { "world:add(aim.at, Tag)",
                              "world:remove(aim.at, Hp)",
                              "world:replace(aim.at, Hp, Tag)",
                              "world:replace(aim.at, Tag, Hp { hp = 3 })",
                              "world:set(aim.at, Hp, 'hp', 3)",
                              "world:set(aim.at, Hp { hp = 3 })",
                              "hurt(aim.at, 3)" } do
      for _, way in ipairs { 5, 6 } do
        local _, problem = alike(function(world)
          local code = "local world, Tag, Hp, hurt = ... "
            .. "return function(p, aim, dt) p.y = p.y + dt "
            .. "if p.n % 17 == " .. way .. " or p.n % 4 == 1 and p.n % 17 < 5 "
            .. "then " .. change .. " end end"
          return (loadstring or load)(code)(world, Tag, Hp,
            world:setter(Hp, "hp"))
        end, { 40 })
        assert.not_equal("none", problem)
      end
    end
  end)

  it("may destroy what another row destroys", function()
    alike(function(world)
      return function(p, aim, _, e)
        if p.n % 3 == 0 and aim.at then world:destroy(aim.at) end
        if p.n % 7 == 0 then world:destroy(e) world:add(e, Tag) end
      end
    end)
    alike(function(world)
      return function(p, aim)
        if p.n % 3 == 0 then world:destroy(aim.at) end
      end
    end, { 40 })
  end)

  it("may ask before whether it is alive", function()
    alike(function(world)
      return function(p, aim)
        if p.n % 3 == 0 and world:alive(aim.at) then
          p.x = 100
          world:destroy(aim.at)
        end
      end
    end)
  end)

  it("sets what is there at once, and adds what is not", function()
    alike(function(world)
      local hp_of, hurt = world:getter(Hp, "hp"), world:setter(Hp, "hp", "on")
      return function(p, aim)
        if not world:alive(aim.at) then return end
        local hp = hp_of(aim.at)
        if hp then
          hurt(aim.at, hp - 1, p.n % 2 == 0)
        elseif p.y > 3 then
          world:set(aim.at, Hp, { hp = 3 })
        else
          world:set(aim.at, Slow, "by", p.x)
        end
        p.x = hp or -1
      end
    end)
  end)

  it("may be of the row's own entity", function()
    alike(function(world)
      return function(p, _, _, e)
        if p.y == 1 then world:set(e, Hp, "hp", 5) end
        if p.y == 2 then world:add(e, Slow { by = p.x }) end
        if p.y == 3 then world:set(e, Slow { by = p.x }) world:add(e, Bit) end
        if p.y == 4 then world:remove(e, Slow) world:add(e, Shot) end
        p.y = (p.y + 1) % 7
      end
    end)
  end)

  it("is an error where the query reads the component, as in plain Lua",
    function()
      local _, problem = alike(function(world)
        return function(p, aim)
          if p.n % 3 == 0 and world:alive(aim.at) then
            world:set(aim.at, P, "x", 1)
          end
          p.y = 3
        end
      end, { 40 })
      assert.truthy(problem:find("ChangeP", 1, true), problem)
    end)
end)

describe("a change that is not compiled", function()
  local told = support.hear_fallbacks(before_each, after_each)

  local function refused(build, words)
    local world = populate(10)
    local done, text = pcall(world.system, world, { name = "s",
      query = { P, Aim }, compile = true, each = build(world) })
    assert.is_false(done)
    assert.truthy(text:find(words, 1, true), text)
    world:close()
  end

  it("depends on what the row spawns", function()
    refused(function(world)
      return function(p)
        local one = world:spawn(Shot)
        local other = p.x > 1 and one or nil
        world:spawn(Shot { by = other })
      end
    end, "depends on what was spawned in the same row")
  end)

  it("has parts that are none, or fields that are not there", function()
    refused(function(world)
      return function(p) world:spawn(p.x) end
    end, "argument 1 of world:spawn")
    refused(function(world)
      return function() world:spawn(Shot { speed = 1 }) end
    end, "'speed' of ChangeShot")
    refused(function(world)
      return function() world:spawn(Tag, Tag) end
    end, "ChangeTag as a part twice")
    refused(function(world)
      return function(_, _, _, e) world:set(e, Hp) end
    end, "world:set of this form")
  end)

  it("asks behind the destruction of others whether they are alive", function()
    refused(function(world)
      return function(p, aim)
        world:destroy(aim.at)
        if world:alive(aim.at) then p.x = 1 end
      end
    end, "behind the destruction of another")
    refused(function(world)
      return function(p, aim)
        world:set(aim.at, Hp, "hp", 1)
        p.x = world:get(aim.at, Hp, "hp") or 0
      end
    end, "behind world:set of it")
  end)

  it("is in query:each, and does what it does there", function()
    for _, compiles in ipairs { true, false } do
      local world = populate(50)
      world:query({ P, Aim }):each(function(p)
        if p.n % 2 == 0 then world:spawn(Shot { left = p.n }) end
        if not compiles then p.x = #tostring(p.x) * 0 + p.x end
      end)
      assert.equal(25, world:query({ Shot }):count())
    end
    assert.is_nil(told())
  end)
end)
