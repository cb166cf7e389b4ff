-- Loops over the rows of a grid that are near, compiled: they compute what
-- plain Lua computes.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local Position = ecs.component("NearPosition", { x = "f32", y = "f32" })
local Depth = ecs.component("NearDepth", { x = "f64", y = "i16", z = "f32" })
local Kind = ecs.component("NearKind", { n = "u8", f = "f64", b = "bool",
                                         e = "entity" })
local Sum = ecs.component("NearSum", { n = "f64", x = "f64", y = "f64",
                                       e = "entity", b = "bool" })

support.silence_stderr(setup, teardown)

--- Numbers that are the same on all VMs.
local function draws(seed)
  return function(below)
    seed = (seed * 16807) % 2147483647
    return seed % below
  end
end

--- A world with entities in a square, some at the same places.
local function make(count)
  local scene = { world = ecs.world(), ids = {} }
  local draw = draws(12345)
  for k = 1, count do
    local e = scene.world:spawn(
      Position { x = draw(200) / 8 - 9, y = draw(200) / 16 },
      Depth { x = draw(90) / 10, y = draw(9), z = draw(40) / 8 },
      Kind { n = draw(250), f = draw(1000) / 7, b = draw(2) == 1 }, Sum {})
    scene.ids[k] = e
    if k > 1 then scene.world:set(e, Kind, "e", scene.ids[1 + draw(k - 1)]) end
  end
  scene.near = scene.world:grid {
    query = { read = { Position, Kind } }, at = { Position, "x", "y" },
    cell = 1.5,
  }
  scene.deep = scene.world:grid {
    query = { read = { Depth, Kind } }, at = { Depth, "x", "y", "z" }, cell = 1,
  }
  return scene
end

--- Everything that systems computed, as text: all bits of all numbers.
local function sums(scene)
  local list = {}
  for k, e in ipairs(scene.ids) do
    local n, x, y, other, b = scene.world:get(e, Sum, "n", "x", "y", "e", "b")
    list[k] = string.format("%.17g %.17g %.17g %.17g %s", n, x, y, other or 0,
      tostring(b))
  end
  return table.concat(list, "\n")
end

--- Runs a function, compiled and not, over two equal scenes, and compares.
-- build(scene): the function.
local function compare(build, count, precision)
  local texts = {}
  for k, compile in ipairs { true, false } do
    local scene = make(count or 90)
    local system = { name = "near", query = { Sum, read = { Position, Depth,
      Kind } }, each = build(scene), uses = { scene.near, scene.deep } }
    if compile then
      system.compile, system.precision = "whole", precision or "double"
    else
      system.compile = false
    end
    scene.world:system(system)
    for _ = 1, 2 do scene.world:progress(0.5) end
    texts[k] = sums(scene)
  end
  assert.equal(texts[2], texts[1])
  return texts[1]
end

describe("a compiled loop over what is near", function()
  it("sums up in the order of the loop", function()
    local text = compare(function(scene)
      local near = scene.near
      return function(s, p)
        local n, x, y = 0, 0, 0
        for _, q, k in near:within(p.x, p.y, 2.5) do
          n = n + 1
          x = x * 0.7 + q.x * k.f
          y = y + k.n / 3
        end
        s.n, s.x, s.y = n, x, y
      end
    end)
    assert.is_nil(text:find("^0 0 0", 1))
  end)

  it("gives entities and fields of all types", function()
    compare(function(scene)
      local near = scene.near
      return function(s, p, _, _, _, e)
        local n, last, any = 0, nil, false
        for other, _, k in near:within(p.x, p.y, 2) do
          if other ~= e then
            n = n + k.n
            last = k.e
            any = any or k.b
          end
        end
        s.n, s.e, s.b = n, last, any
      end
    end)
  end)

  it("breaks, goes on and finds the best with its values", function()
    compare(function(scene)
      local near = scene.near
      return function(s, p, _, _, _, e)
        local best, x, who = 1e9, 0, nil
        local n = 0
        for other, q, k in near:within(p.x, p.y, 3) do
          n = n + 1
          if n > 7 then break end
          local dx, dy = q.x - p.x, q.y - p.y
          local square = dx * dx + dy * dy
          if other ~= e and k.n > 40 and square < best then
            best, x, who = square, k.f, other
          end
        end
        s.n, s.x, s.e = best, x, who
      end
    end)
  end)

  it("is reached under a condition, and may be in another loop", function()
    compare(function(scene)
      local near, deep = scene.near, scene.deep
      return function(s, p, d, k)
        local n, x = 0, 0
        if k.b then
          for _, q in near:within(p.x, p.y, 1 + k.n / 100) do
            n = n + 1
            for _, _, l in deep:within(d.x, d.y, d.z, (q.x + 9) / 9) do
              x = x + l.f
            end
          end
        else
          for i = 1, k.n % 5 do
            for _ in near:within(p.x + i, p.y, 1) do n = n + i end
          end
        end
        s.n, s.x = n, x
      end
    end)
  end)

  it("finds nothing within a radius below 0", function()
    local scene = make(20)
    local near = scene.near
    scene.world:system { name = "near", query = { Sum, read = { Position } },
      compile = "whole", each = function(s, p)
        s.n = 7
        for _ in near:within(p.x, p.y, p.x - 100) do s.n = s.n + 1 end
      end }
    scene.world:progress(1)
    assert.equal(7, scene.world:get(scene.ids[3], Sum, "n"))
  end)

  it("builds the grid before the system runs, once a frame", function()
    local scene = make(30)
    local near, world = scene.near, scene.world
    world:system { name = "near", query = { Sum, Position }, compile = "whole",
      each = function(s, p)
        local n = 0
        for _ in near:within(p.x, p.y, 0.001) do n = n + 1 end
        s.n = n
        p.x = p.x + 100
      end }
    for _ = 1, 3 do world:progress(1) end
    -- Each row is near itself, so the grid shows where it is now.
    for _, e in ipairs(scene.ids) do
      assert.is_true(world:get(e, Sum, "n") >= 1)
    end
  end)

  it("is compiled anew for another grid", function()
    local scene = make(40)
    local near, world = scene.near, scene.world
    local other = world:grid { query = { read = { Position, Kind },
      without = { ecs.tag "NearMark" } }, at = { Position, "x", "y" },
      cell = 5 }
    world:system { name = "near", query = { Sum, read = { Position } },
      compile = "whole", each = function(s, p)
        local n = 0
        for _, _, k in near:within(p.x, p.y, 2) do n = n + k.n end
        s.n = n
      end }
    world:progress(1)
    local before = sums(scene)
    near = other
    world:progress(1)
    assert.equal(before, sums(scene))
  end)

  it("works in rows that take side exits, too", function()
    local texts = {}
    for k, compile in ipairs { true, false } do
      local scene = make(60)
      local near = scene.near
      local seen = {}
      scene.world:system { name = "near", compile = compile,
        uses = { near },
        precision = compile and "double" or nil,
        query = { Sum, read = { Position, Kind } },
        each = function(s, p, kind)
          local n = 0
          for _, _, l in near:within(p.x, p.y, 2) do n = n * 2 + l.n end
          if kind.n > 200 then seen[#seen + 1] = "x" end
          s.n = n
        end }
      scene.world:progress(1)
      texts[k] = sums(scene) .. #seen
    end
    assert.equal(texts[2], texts[1])
  end)

  it("counts, asks for any and finds the nearest", function()
    compare(function(scene)
      local near, deep = scene.near, scene.deep
      return function(s, p, d, k, _, e)
        s.n = near:count(p.x, p.y, 2) + deep:count(d.x, d.y, d.z, 1) / 8
        s.b = near:any(p.x, p.y, 0.3, e) and k.b
        local other, q, l, distance = near:nearest(p.x, p.y, 1.25, e)
        if other then
          s.e, s.x, s.y = other, q.x * l.f, distance
        else
          s.x = -1
        end
        if k.n > 99 then
          local _, _, kind, away = deep:nearest(d.x, d.y, d.z, 2, e)
          if kind then s.y = s.y + away * kind.n end
        end
      end
    end)
  end)

  it("says why it cannot be compiled", function()
    local scene = make(5)
    local near, world = scene.near, scene.world
    local function refused(text, each)
      local done, problem = pcall(world.system, world, { name = "near",
        query = { Sum, read = { Position } }, compile = "whole", each = each })
      assert.is_false(done)
      assert.is_truthy(problem:find(text, 1, true), problem)
    end
    refused("an assignment to NearPosition.x of a row of a grid", function(_, p)
      for _, q in near:within(p.x, p.y, 1) do q.x = 1 end
    end)
    refused("near:within with 2 arguments", function(s, p)
      for _ in near:within(p.x, p.y) do s.n = 1 end
    end)
    refused("'kept' that is nil before the loop and a row", function(s, p)
      local kept
      for _, q in near:within(p.x, p.y, 1) do kept = q end
      if kept then s.n = 1 end
    end)
  end)
end)
