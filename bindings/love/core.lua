--- core: loads the C module of ecs in a game for LÖVE.
--
-- In the folder ecs of a game this file is ecs/core.lua, which is where require
-- "ecs.core" looks. Beside it is the C module for each system that it was built
-- for, by the names that LuaJIT has for systems (jit.os and jit.arch):
--
--     ecs/native/Linux-x64.so
--
-- A system loads code from files alone. In a folder the module is one, and is
-- loaded where it lies. In an archive (game.love, or a program that was fused
-- with one) it is none. So it is written to the save directory of the game, is
-- loaded from there, and stays; it is written again when the game's is another.

local love = rawget(_G, "love")
local filesystem = type(love) == "table" and love.filesystem
local error, match, concat = error, string.match, table.concat

--- In the save directory. The game has no such folder: what is in the save
-- directory would hide what has the same name in the game.
local KEPT = "ecs-native"

local function fail(text, ...) error("ecs: " .. text:format(...), 0) end

if not filesystem then
  fail "this folder ecs is for LÖVE, and here is no love.filesystem"
end

--- The folder that this file is in, with a slash at its end.
local function own_folder()
  local source = debug.getinfo(1, "S").source
  return match(source, "^@(.*/)core%.lua$") or "ecs/"
end

--- Writes the module to the save directory. A copy that is there may be in use,
-- so it is removed and not written over.
local function write(copy, code)
  filesystem.remove(copy)
  filesystem.createDirectory(KEPT)
  local done, why = filesystem.write(copy, code)
  if not done then
    fail("the C module cannot be written to %s/%s: %s",
      filesystem.getSaveDirectory(), copy, tostring(why))
  end
end

--- The path of the module as a file of the system.
local function file_of(folder, name)
  local path = folder .. name
  local real = filesystem.getRealDirectory(path)
  if not real then
    fail("there is no C module for this system, %s, but these: %s", path,
      concat(filesystem.getDirectoryItems(folder), ", "))
  end
  local file = io.open(real .. "/" .. path, "rb")
  if file then
    file:close()
    return real .. "/" .. path
  end
  local copy, code = KEPT .. "/" .. name, filesystem.read(path)
  if not code then fail("the C module %s cannot be read", path) end
  if filesystem.read(copy) ~= code then write(copy, code) end
  return filesystem.getSaveDirectory() .. "/" .. copy
end

local extension = jit.os == "Windows" and ".dll" or ".so"
local file = file_of(own_folder() .. "native/",
  jit.os .. "-" .. jit.arch .. extension)
local open, why = package.loadlib(file, "luaopen_ecs_core")
if not open then fail("the C module cannot be loaded: %s", tostring(why)) end
return open "ecs.core"
