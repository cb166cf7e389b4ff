-- Every function that can be reached from the modules is called with garbage:
-- none crashes, and worlds made later work.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

-- Any number may be the size of an array, and snapshots copy arrays.
local LIMIT = "64M"

local hostile = dofile "spec/support/hostile_scene.lua"
local new_scene, Position = hostile.new_scene, hostile.Position

local unpack = table.unpack or unpack

-- A run under a sanitizer or valgrind is slow, so it makes fewer calls.
local short = os.getenv "ECS_SPEC_SHORT" ~= nil

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

-- These write files, and any text is a path: save_spec and trace_spec call
-- them.
local writes = { save = true, save_file = true, trace = true }

-- Functions that can be reached from what the modules return, through tables
-- and through the metatables that the debug library gives.
local function reachable()
  local seen, found = {}, {}
  local function visit(object, path)
    if seen[object] then return end
    local kind = type(object)
    if kind == "function" and not writes[path:match "[%w_]+$"] then
      found[#found + 1] = { path = path, f = object }
    end
    if kind ~= "table" and kind ~= "userdata" and kind ~= "function" then
      return
    end
    seen[object] = true
    local meta = kind ~= "function" and debug.getmetatable(object)
    if meta then visit(meta, path .. "<meta>") end
    if kind ~= "table" then return end
    local keys = {}
    for key in next, object do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
      visit(object[key], path .. "." .. tostring(key))
    end
  end
  local names = {}
  for name in pairs(package.loaded) do
    if name:match "^ecs" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do visit(package.loaded[name], name) end
  -- Metatables of userdata, which cannot be reached from a module.
  local s = new_scene(LIMIT)
  for k, thing in ipairs(s.pool) do
    if type(thing) == "userdata" and thing ~= io.stdout then
      visit(thing, "userdata " .. k)
    end
  end
  return found
end

-- These replace parts of the library, so nothing would work after them.
local spared = { ["ecs.core.share"] = true, ["ecs.core.install"] = true }

-- A generator of its own: the same numbers on every VM.
local seed = 1
local function roll(n)
  seed = seed * 16807 % 2147483647
  return seed % n + 1
end

describe("everything in reach of the modules", function()
  local functions = reachable()

  local function is_worldly(s)
    return pcall(s.world.hash, s.world)
  end

  it("is more than 80 functions", function()
    assert.is_true(#functions > 80, #functions)
  end)

  it("survives one and two arguments of every kind", function()
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene(LIMIT)
        local step = short and 11 or 5
        pcall(entry.f)
        for a = 1, #s.pool do
          pcall(entry.f, s.pool[a])
          for b = (a - 1) % step + 1, #s.pool, step do
            pcall(entry.f, s.pool[a], s.pool[b])
          end
        end
      end
    end
  end)

  it("survives more arguments of any kind", function()
    local rounds = short and 60 or 300
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene(LIMIT)
        for round = 1, rounds do
          local arguments, count = {}, 2 + roll(4)
          for k = 1, count do arguments[k] = s.pool[roll(#s.pool)] end
          pcall(entry.f, unpack(arguments, 1, count))
          if round % 100 == 0 and not is_worldly(s) then
            s = new_scene(LIMIT)
          end
        end
      end
    end
  end)

  it("survives it while something is open", function()
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene(LIMIT)
        local function assail(...)
          local more = { ... }
          for _ = 1, short and 20 or 75 do
            local a, b = s.pool[roll(#s.pool)], s.pool[roll(#s.pool)]
            local c = more[roll(#more + 1)]
            pcall(entry.f, a, b, c)
            pcall(entry.f, c, a, b)
            pcall(entry.f, s.world, a, b)
          end
        end
        pcall(s.query.batch, s.query, assail)
        if is_worldly(s) then pcall(s.query.each, s.query, assail) end
        if is_worldly(s) then
          pcall(function()
            for e, p, t in s.query:rows() do assail(e, p, t) end
          end)
        end
        if is_worldly(s) then
          -- Some calls have broken the table of its systems.
          pcall(s.world.system, s.world, { name = "assail", run = assail })
          pcall(s.world.progress, s.world, 0)
        end
      end
    end
  end)

  it("leaves worlds that work", function()
    local world = ecs.world {}
    local e = world:spawn(Position { x = 3 })
    local query, sum = world:query { Position }, 0
    query:batch(function(batch) sum = sum + batch.Position.x[1] end)
    query:each(function(p) sum = sum + p.x end)
    for _, p in query:rows() do sum = sum + p.x end
    assert.equal(9, sum)
    assert.equal(3, world:get(e, Position, "x"))
  end)
end)
