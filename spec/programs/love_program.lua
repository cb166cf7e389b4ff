-- A game for LÖVE without LÖVE: its files, ecs and its own main.lua, are in an
-- archive that only love.filesystem reads (spec/lua/module/love_spec.lua).

local loadlib, searchpath, open = package.loadlib, package.searchpath, io.open
local load_text = rawget(_G, "loadstring") or load
local native = assert(searchpath("ecs.core", package.cpath))

local function read_file(path)
  local file = path and open(path, "rb")
  local text = file and file:read "*a"
  if file then file:close() end
  return text
end

-- The archive: where each file of it comes from.
local function in_archive(path)
  if path == "ecs/core.lua" then return "bindings/love/core.lua" end
  if path == "ecs/native/Here-now.so" then return native end
  if path:find "^ecs/" then return "scripts/" .. path end
end

local MAIN = [[
  local ecs = require "ecs"
  local Ball = ecs.component("Ball", { x = "f32", v = { "f32", 2 } })
  local world = ecs.world {}
  world:spawn_many(1000, { Ball })
  world:system { name = "move", query = { Ball }, each = function(ball, dt)
    ball.x = ball.x + ball.v * dt
  end }
  for _ = 1, 100 do world:progress(1 / 64) end
  local ball = world:query({ read = { Ball } }):first()
  print(world:get(ball, Ball, "x"),
    world:explain("move"):find "compiled" and "compiled" or "plain")
]]

local saved = {}
love = { filesystem = {
  read = function(path)
    return saved[path] or path == "main.lua" and MAIN
      or read_file(in_archive(path))
  end,
  getRealDirectory = function(path)
    return read_file(in_archive(path)) and "/game.love" or nil
  end,
  getSaveDirectory = function() return "/save" end,
  createDirectory = function() return true end,
  remove = function() return false end,
  write = function(path, text) saved[path] = text return true end,
} }

-- LÖVE runs on LuaJIT. Here the system has a name of its own, and the code that
-- was written to the save directory is looked at and loaded from where it was.
jit = jit or {}
jit.os, jit.arch = "Here", "now"
package.loadlib = function(path, name)
  assert(path == "/save/ecs-native/Here-now.so")
  assert(saved["ecs-native/Here-now.so"] == read_file(native))
  return loadlib(native, name)
end

-- Nothing is found but by the searcher, which looks as LÖVE's does.
package.path, package.cpath = "", ""
table.insert(package.loaders or package.searchers, 2, function(module)
  local path = module:gsub("%.", "/")
  for _, name in ipairs { path .. ".lua", path .. "/init.lua" } do
    local text = love.filesystem.read(name)
    if text then return assert(load_text(text, "@" .. name)) end
  end
  return "\n\tno file for " .. module
end)

assert(load_text(MAIN, "@main.lua"))()
