-- How a game for LÖVE finds ecs: bindings/love/core.lua with a stand-in for
-- love.filesystem, and the whole library through a searcher like LÖVE's.
-- tools/check_love does it with LÖVE itself.

local support = dofile "spec/support/support.lua"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local CODE = read "bindings/love/core.lua"

--- A host: what a game has (source), and where; what is in the save directory
-- (saved); which of these are files of the system (files).
local function new_host()
  local host = { source = {}, saved = {}, files = {}, log = {},
                 root = "/games/game.love", os = "Linux", arch = "x64" }
  local filesystem = {}
  function filesystem.getRealDirectory(path)
    return host.saved[path] and "/save" or host.source[path] and host.root
      or nil
  end
  function filesystem.getSaveDirectory() return "/save" end
  function filesystem.read(path)
    local text = host.saved[path] or not host.unreadable and host.source[path]
    if text then return text, #text end
    return nil, "Could not open file " .. path
  end
  function filesystem.getDirectoryItems(folder)
    local names = {}
    for path in pairs(host.source) do
      if path:sub(1, #folder) == folder then
        names[#names + 1] = path:sub(#folder + 1)
      end
    end
    table.sort(names)
    return names
  end
  function filesystem.createDirectory(path)
    host.log[#host.log + 1] = "folder " .. path
    return true
  end
  function filesystem.remove(path)
    if not host.saved[path] then return false end
    host.log[#host.log + 1] = "remove " .. path
    host.saved[path] = nil
    return true
  end
  function filesystem.write(path, text)
    if host.full then return false, "the disk is full" end
    host.log[#host.log + 1] = "write " .. path
    host.saved[path] = text
    return true
  end
  host.love = { filesystem = filesystem }
  return host
end

--- Runs core.lua in a host, as the file at path. Returns what it returns, and
-- the path that the C module was loaded from.
local function load_core(host, path)
  local loaded
  local environment = setmetatable({
    love = host.love, jit = { os = host.os, arch = host.arch },
    io = { open = function(file)
      return host.files[file] and { close = function() end } or nil
    end },
    package = { loadlib = function(file, name)
      loaded = file
      assert(name == "luaopen_ecs_core")
      if host.refused then return nil, host.refused, "open" end
      return function(module) return { module = module } end
    end },
  }, { __index = _G })
  environment._G = environment
  local chunk
  if rawget(_G, "setfenv") then
    chunk = setfenv(assert(loadstring(CODE, "@" .. path)), environment)
  else
    chunk = assert(load(CODE, "@" .. path, "t", environment))
  end
  return chunk "ecs.core", loaded
end

local function says(text, host)
  local done, problem = pcall(load_core, host, "ecs/core.lua")
  assert.is_false(done)
  assert.equal(text, problem)
end

describe("the C module of a game for LÖVE", function()
  local host

  before_each(function()
    host = new_host()
    host.source["ecs/native/Linux-x64.so"] = "code for Linux"
  end)

  it("is loaded where it lies, if that is a file", function()
    host.root = "/games/mine"
    host.files["/games/mine/ecs/native/Linux-x64.so"] = true
    local core, file = load_core(host, "ecs/core.lua")
    assert.equal("ecs.core", core.module)
    assert.equal("/games/mine/ecs/native/Linux-x64.so", file)
    assert.same({}, host.log)
  end)

  it("is written to the save directory from an archive, once", function()
    local core, file = load_core(host, "ecs/core.lua")
    assert.equal("ecs.core", core.module)
    assert.equal("/save/ecs-native/Linux-x64.so", file)
    assert.same({ "folder ecs-native", "write ecs-native/Linux-x64.so" },
      host.log)
    assert.equal("code for Linux", host.saved["ecs-native/Linux-x64.so"])
    host.log = {}
    core, file = load_core(host, "ecs/core.lua")
    assert.equal("ecs.core", core.module)
    assert.equal("/save/ecs-native/Linux-x64.so", file)
    assert.same({}, host.log)
  end)

  it("takes the place of another one, which is not written over", function()
    host.saved["ecs-native/Linux-x64.so"] = "code of a version before"
    load_core(host, "ecs/core.lua")
    assert.same({ "remove ecs-native/Linux-x64.so", "folder ecs-native",
                  "write ecs-native/Linux-x64.so" }, host.log)
    assert.equal("code for Linux", host.saved["ecs-native/Linux-x64.so"])
  end)

  it("is the one for the system, beside the file that looks", function()
    host.os, host.arch = "Windows", "x86"
    host.source["lib/ecs/native/Windows-x86.dll"] = "code for Windows"
    local _, file = load_core(host, "lib/ecs/core.lua")
    assert.equal("/save/ecs-native/Windows-x86.dll", file)
    assert.equal("code for Windows", host.saved["ecs-native/Windows-x86.dll"])
  end)

  it("is missing for a system, and the message says for which it is there",
    function()
      host.os, host.arch = "OSX", "arm64"
      host.source["ecs/native/Windows-x64.dll"] = "code"
      says("ecs: there is no C module for this system, ecs/native/OSX-arm64.so"
        .. ", but these: Linux-x64.so, Windows-x64.dll", host)
    end)

  it("cannot be written, read or loaded, and the message says why", function()
    host.full = true
    says("ecs: the C module cannot be written to "
      .. "/save/ecs-native/Linux-x64.so: the disk is full", host)
    host.full, host.unreadable = false, true
    says("ecs: the C module ecs/native/Linux-x64.so cannot be read", host)
    host.unreadable, host.refused = false, "wrong ELF class"
    says("ecs: the C module cannot be loaded: wrong ELF class", host)
  end)

  it("is looked for in LÖVE alone", function()
    host.love = nil
    says("ecs: this folder ecs is for LÖVE, and here is no love.filesystem",
      host)
  end)
end)

describe("a game for LÖVE", function()
  it("loads all of ecs by love.filesystem, and compiles", function()
    assert.equal("3.125\tcompiled\n",
      support.printed "spec/programs/love_program.lua")
  end)
end)
