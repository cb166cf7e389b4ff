-- bench_compile: from a Lua function to code that has run once.
--
-- Inside the timer: one system is defined, with a function that was loaded just
-- before, and one frame runs it over one entity. This includes source, proof,
-- parsing, lowering, verification and the first run: all that a script pays for
-- defining a system.
--
-- - plain Lua: the same with compile = false.
-- - compiled: from a file from which another function was compiled before.
-- - the first of a file: the file is read, split into tokens and dumped first.
--
-- Then a file of many systems of ten lines, each defined once: what one costs
-- must not depend on how many there are.
--
-- Then a function that is compiled and called in each frame: what it calls
-- stays the same, or is made anew in each frame, as local functions are.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"

local ecs = scene.ecs

local Place = ecs.component("CompilePlace", { x = "f32", y = "f32" })
local Speed = ecs.component("CompileSpeed", { x = "f32", y = "f32" })

local path = arg[0]:match("^(.-)[^/]*$") .. "aims.lua"

local seen = 0

--- The functions of the file, loaded now. fresh: as from a file not read
-- before.
local function load_aims(fresh)
  if not fresh then return assert(loadfile(path)) end
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  local load_text = rawget(_G, "loadstring") or load
  seen = seen + 1
  return assert(load_text("-- " .. seen .. "\n" .. text))
end

local function side(name, which, compile, fresh)
  local world = ecs.world {}
  local entity = world:spawn(Place, Speed)
  local total = world:sum "length"
  local query = world:query { Place, Speed }
  local f
  return {
    name = name, operations = 1,
    prepare = function()
      if compile and not fresh then
        local other = load_aims()()(total)
        world:system { name = "other", query = query, each = other.another }
        world:remove_system "other"
      end
      f = load_aims(fresh)()(total)[which]
      world:set(entity, Place { x = 1, y = 2 })
      world:set(entity, Speed { x = 3, y = 4 })
    end,
    run = function()
      world:system { name = "s", query = query, each = f, compile = compile }
      world:progress(0.5)
    end,
    check = function()
      local x, y = world:get(entity, Place, "x", "y")
      return string.format("%.3f %.3f %.3f", x, y, total:value() or 0)
    end,
  }
end

measure.open("lua compile", arg)
for _, which in ipairs { "move", "fall", "normalise" } do
  measure.contest("from function to running code, " .. which, { 1 },
    function()
      local compiled = side("compiled", which, true)
      if measure.vm == "lua" then compiled.aim = 300000 end
      return { side("plain Lua", which, false), compiled,
               side("the first of a file", which, true, true) }
    end)
end

local SYSTEM = [[
world:system { name = "system NUMBER", compile = compile,
  query = { Place, read = { Speed } }, each = function(p, v, dt)
    local square = v.x * v.x + v.y * v.y
    if square > NUMBER then
      p.x = p.x + v.x * dt * 0.5
      p.y = p.y + v.y * dt * 0.5
    else
      p.x = p.x + v.x * dt
      p.y = p.y + v.y * dt
    end
  end }
]]

local file_name = os.tmpname()

local function file_side(name, count, compile)
  local parts = { "local world, Place, Speed, compile = ...\n" }
  for k = 1, count do
    parts[#parts + 1] = SYSTEM:gsub("NUMBER", tostring(k))
  end
  local text, chunk, world = table.concat(parts), nil, nil
  return {
    name = name, operations = count,
    prepare = function()
      if world then world:close() end
      world = ecs.world {}
      world:spawn(Place, Speed { x = 1 })
      seen = seen + 1
      local file = assert(io.open(file_name, "w"))
      file:write("-- ", seen, "\n", text)
      file:close()
      chunk = assert(loadfile(file_name))
    end,
    run = function() chunk(world, Place, Speed, compile) end,
    check = function()
      world:progress(0.5)
      local x = world:get(world:query({ Place }):first(), Place, "x")
      return string.format("%.3f", x)
    end,
  }
end

measure.contest("systems defined in one file, each", { 30, 300 },
  function(count)
    local compiled = file_side("compiled", count, true)
    compiled.aim = 300000
    return { file_side("plain Lua", count, false), compiled }
  end)
os.remove(file_name)

local HELPED = 50

--- Frames over some rows. make(k): the helper of a frame.
local function helper_side(name, count, make, compile)
  local world = ecs.world { precision = "double" }
  for k = 1, count do world:spawn(Place { x = k }) end
  local helper = make(0)
  world:system { name = "s", query = { Place }, compile = compile,
                 each = function(p) p.y = helper(p.x) + 1 end }
  return {
    name = name, operations = HELPED,
    run = function()
      for k = 1, HELPED do
        helper = make(k)
        world:progress(1)
      end
    end,
    check = function()
      local sum = 0
      for _, p in world:query({ Place }):rows() do sum = sum + p.y end
      return string.format("%.3f", sum)
    end,
  }
end

local last
local function kept(k)
  last = last or function(x) return x * 0.5 + k end
  return last
end
local function anew() return function(x) return x * 0.5 end end

measure.contest("a frame that makes its helper, of so many rows",
  { 100, 1000, 10000 }, function(count)
    last = nil
    local compiled = helper_side("made anew", count, anew, true)
    compiled.aim_ratio = 1.2
    return { helper_side("kept", count, kept, true), compiled,
             helper_side("plain Lua", count, anew, false) }
  end)
measure.close()
