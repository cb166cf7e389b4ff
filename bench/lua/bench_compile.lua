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
measure.close()
