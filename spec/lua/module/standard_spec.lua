-- ecs in hosts of other kinds: with a strict table of globals, without some of
-- Lua's functions, with another Lua, and beside modules with its names. Each is
-- a process of its own (spec/programs/host_program.lua).

local support = dofile "spec/support/support.lua"

local function run(words)
  return support.printed("spec/programs/host_program.lua " .. words)
end

--- What may be gone when ecs is loaded: all runs as before.
local SPARE = [[
  load loadstring string.dump os bit ffi io debug debug.getinfo debug.getupvalue
  debug.setupvalue debug.upvalueid debug.upvaluejoin debug.getmetatable
  coroutine utf8 collectgarbage setfenv getfenv print _VERSION pairs
  package.searchpath package.config math.atan
]]

--- What may not.
local NEEDED = [[
  _G assert error getmetatable ipairs next pcall rawequal rawget rawset select
  setmetatable tonumber tostring type package package.loaded
  string string.byte string.find string.format string.gmatch string.gsub
  string.match string.rep string.sub string.upper table table.concat
  table.insert table.remove table.sort math math.abs math.ceil math.floor
  math.fmod math.huge math.max math.min math.pi
]] .. (rawget(_G, "jit") and "jit.off jit.status" or "math.type")

describe("a host", function()
  local hashes = run("none"):match "^ok (%x+ %x+) compiled\n$"

  it("may raise an error where a global is not declared", function()
    local output = run "strict"
    assert.equal(hashes, output:match "^ok (%x+ %x+) compiled\n")
    assert.truthy(output:find("the unknown global 'sped' cannot be compiled: "
      .. "check its spelling, or declare it", 1, true), output)
  end)

  it("may take all functions away once ecs is loaded", function()
    assert.equal("ok " .. tostring(hashes) .. " compiled\n", run "late")
  end)

  it("may take the methods of strings away", function()
    assert.equal("ok " .. tostring(hashes) .. " compiled\n", run "methods")
  end)

  it("may lack what sandboxes take away", function()
    for name in SPARE:gmatch "%S+" do
      local output = run(name)
      assert.equal(hashes, output:match "^ok (%x+ %x+) ", name .. ": "
        .. output)
    end
  end)

  it("is told what else is missing", function()
    local output, count = run("each " .. NEEDED:gsub("%s+", " ")), 0
    for name, text in output:gmatch "(%S+): ([^\n]*)" do
      -- Without error, the text begins with the line that raised it.
      assert.truthy(text:find("ecs: this Lua has no [%w._]+, which ecs needs "
        .. "when it is loaded: take it away after require \"ecs\"$"), name
        .. ": " .. text)
      count = count + 1
    end
    local _, names = NEEDED:gsub("%S+", "")
    assert.equal(names, count)
  end)

  it("gets plain Lua, and the reason, where no source can be read", function()
    for _, name in ipairs { "debug.getinfo", "string.dump",
        "load loadstring" } do
      local output = run(name)
      local first = name:match "^%S+"
      assert.truthy(output:find("a function with a source that is not known "
        .. "without " .. first .. " cannot be compiled: require ecs before it "
        .. "is taken away", 1, true), output)
    end
  end)
end)

-- Other Luas, and other modules ----------------------------------------------

local REQUIRE = "'print(select(2, pcall(require, [[ecs]])))'"

--- What a Lua prints that requires ecs; nil where it is not installed.
local function required(vm, path, cpath)
  local pipe = io.popen(("command -v %s >/dev/null && LUA_PATH='%s' "
    .. "LUA_CPATH='%s' %s -e %s 2>&1"):format(vm:match "^%S+", path, cpath, vm,
    REQUIRE))
  local output = pipe:read "*a"
  pipe:close()
  return output ~= "" and output or nil
end

local is_luajit = rawget(_G, "jit") ~= nil
local this = is_luajit and "LuaJIT" or "Lua 5.4"
local other = is_luajit and "Lua 5.4" or "LuaJIT"

describe("another Lua", function()
  for _, version in ipairs { "5.1", "5.2", "5.3" } do
    it("of version " .. version .. " is refused", function()
      local output = required("lua" .. version, package.path, package.cpath)
      if not output then return pending("it is not installed") end
      assert.equal("ecs: ecs runs on Lua 5.4 and LuaJIT; this is Lua "
        .. version .. "\n", output)
    end)
  end

  it("has an ecs.core of its own, which is called by its name", function()
    local built = { ["Lua 5.4"] = "lua54", LuaJIT = "luajit" }
    local cpath = package.cpath:gsub("build/" .. built[this],
      "build/" .. built[other])
    local vm = is_luajit and "luajit" or "lua5.4"
    local core = package.searchpath("ecs.core", cpath)
    if not core or core == package.searchpath("ecs.core", package.cpath) then
      return pending("it is not built")
    end
    assert.equal("ecs: this ecs.core was built for " .. other .. ", and this "
      .. "is " .. this .. ": build or install it for " .. this .. "\n",
      required(vm, package.path, cpath))
  end)
end)

describe("a game's own folder ecs", function()
  local folder
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir -p " .. folder .. "/ecs/compile")
  end)
  after_each(function() os.execute("rm -r " .. folder) end)

  -- Every module of the library, standard itself among them.
  local function modules()
    local names, pipe = {}, io.popen "cd scripts && find ecs -name '*.lua'"
    for path in pipe:lines() do
      local name = path:gsub("%.lua$", ""):gsub("/", ".")
      if name ~= "ecs.init" then names[#names + 1] = name end
    end
    pipe:close()
    return names
  end

  local function with(name, text)
    os.execute("mkdir -p " .. folder .. "/" .. name:match "^(.*)/")
    local path = folder .. "/" .. name .. ".lua"
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local vm = not is_luajit and "lua5.4"
      or rawget(_G, "jit").status() and "luajit" or "luajit -joff"
    local output = required(vm, folder .. "/?.lua;" .. package.path,
      package.cpath)
    os.remove(path)
    return output, path
  end

  it("is said to be in the way", function()
    for _, text in ipairs { "", "return { create = function() end }" } do
      for _, name in ipairs { "ecs/world", "ecs/system", "ecs/query",
          "ecs/core" } do
        local output, path = with(name, text)
        assert.equal("ecs: another module '" .. name:gsub("/", ".") .. "', "
          .. path .. ", is in the way of the library's own: the folder ecs "
          .. "belongs to the library, so give it another name\n", output)
      end
    end
  end)

  it("is seen whichever module it has", function()
    local names = modules()
    local output, count = run("way " .. table.concat(names, " ")), 0
    for name, text in output:gmatch "(%S+): ([^\n]*)" do
      count = count + 1
      -- Some VMs do without some files.
      assert.truthy(text:find("ecs: another module '" .. name .. "'", 1, true)
        or text == "loaded" and (name:find "ffi" or name:find "columns"), text)
    end
    assert.equal(#names, count)
  end)
end)
