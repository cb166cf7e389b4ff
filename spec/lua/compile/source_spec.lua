-- The source of a compiled function is the text that it was loaded from, read
-- from a regular file as Lua reads it. Otherwise the function is not compiled.
-- The answer depends neither on the collector nor on the VM.

local ecs = require "ecs"
local core = require "ecs.core"

local load_text = rawget(_G, "loadstring") or load
local is_jit = rawget(_G, "jit") ~= nil

local V = ecs.component("SourceV", { x = "f64", y = "f64" })

--- A row after a frame of a function with this option compile; or the error of
-- a system with compile = true that cannot be compiled.
local function run(f, compile)
  local world = ecs.world { precision = compile ~= false and "double" or nil }
  local e = world:spawn(V { x = 3, y = 4 })
  local done, problem = pcall(world.system, world, { name = "s", query = { V },
    each = f, compile = compile })
  if not done then return problem end
  world:progress(0.5)
  local x, y = world:get(e, V, "x", "y")
  world:close()
  return ("%.17g %.17g"):format(x, y)
end

--- Asserts that a function compiles, and does what it does as plain Lua.
local function compiles(f)
  assert.equal(run(f, false), run(f, true))
end

--- Asserts that a function does not compile, with this message.
local function refused(f, text)
  local problem = run(f, true)
  assert.truthy(problem:find(text, 1, true), problem)
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local path
before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

--- Writes a text to a file, and loads the file.
local function load_file(text)
  write(path, text)
  return assert(loadfile(path))()
end

describe("a file that was edited after it was loaded", function()
  local TWO = "return function(v) v.x = v.x + 1 end,\n"
    .. "function(v) v.y = v.y * 2 end\n"

  for _, size in ipairs { 0, 100000 } do
    for _, collected in ipairs { false, true } do
      it("is read anew, " .. (collected and "" or "not ")
        .. "collected, with " .. size .. " bytes more", function()
        local padding = ("-- long\n"):rep(size / 8)
        write(path, TWO .. padding)
        local f, g = loadfile(path)()
        compiles(f)
        if collected then
          -- The cache now holds another file's chunk.
          compiles(load_text "return function(v) v.x = 7 end"())
          collectgarbage()
          collectgarbage()
        end
        write(path, TWO:gsub("y %* 2", "y * 3") .. padding)
        refused(g, "a source that is not what was loaded")
        os.remove(path)
        refused(g, "a source that cannot be read")
        write(path, TWO)
        compiles(g)
      end)
    end
  end

  it("and what is known of a function stays", function()
    local step = load_file "return function(x) return x + 1 end"
    local f = load_text "local s = ... return function(v) v.x = s(v.x) end"(
      step)
    compiles(f)
    write(path, "return function(x) return x + 9 end")
    collectgarbage()
    compiles(f)
  end)

  it("may have a name changed in two places", function()
    local text = "local function make()\n  local speed, turn = 5, 6\n"
      .. "  return function(v) if speed then v.x = speed + ecs_source end end, "
      .. "turn\nend\nreturn make()\n"
    rawset(_G, "ecs_source", 1)
    local f = load_file(text)
    write(path, (text:gsub("speed", "other")))
    refused(f, "a source that is not what was loaded")
    write(path, (text:gsub("speed", "turn_"):gsub("turn,", "speed,")))
    refused(f, "a source that is not what was loaded")
    write(path, text)
    compiles(f)
    rawset(_G, "ecs_source", nil)
  end)
end)

describe("the text of a function", function()
  it("may begin as files do", function()
    for _, head in ipairs { "", "#!/usr/bin/lua\n", "#\n", "\239\187\191",
                            "\239\187\191#!/usr/bin/lua\n" } do
      compiles(load_file(head .. "local k = 5 return function(v)\n"
        .. "v.x = v.y + k end"))
    end
  end)

  it("may break lines as any system does", function()
    for _, line in ipairs { "\n", "\r", "\r\n", "\n\r", "\n\n\r\n",
                            "\r\r" } do
      local text = [[
-- a comment
--[==[ a long
one ]==] local text = [=[
and
another ]=]
local one = function(v) v.x = 1 end, text
local two = function(v) -- comment
  v.x = 2 -- comment
  v.y = v.x + 1
end
local three = function(v) v.x = 3 end
return one, two, three]]
      if #line == 1 or line == "\r\n" or line == "\n\r" then
        text = 'local other = "a \\\n\'break"\n' .. text
      end
      local one, two, three = load_file((text:gsub("\n", line)))
      compiles(one)
      compiles(two)
      compiles(three)
    end
    compiles(load_file("\rreturn (function() local f = function(v) v.x = 1 "
      .. "end,\nfunction(v) v.x = 2 end return f end)()"))
    compiles(load_file "return function(v)\f v.x = \v 1\t end")
  end)

  it("may have other letters where the VM takes them", function()
    local text = "local n\195\169 = 2 return function(v) v.x = 1 "
      .. "local end\195\169 = n\195\169 v.x = 2 + end\195\169 end"
    if load_text(text) then compiles(load_file(text)) end
  end)

  it("may have numbers in every form", function()
    for _, number in ipairs { "0.5", ".5", "5.", "3e2", "3E+2", "3e-2", "0x10",
        "0XfF", "0x.8p1", "0xA.8", "0x1P+4", "0x1p-2", "0xe-1", "0xe+1",
        "1e1-1", "7 .. 0", "0b101", "0xep1", "1e309", "0x7fffffff" } do
      local text = "return function(v) v.x = " .. number .. " end"
      if load_text(text) and not number:find("..", 1, true) then
        compiles(load_file(text))
      end
    end
  end)

  it("may not have numbers that are no doubles", function()
    for _, number in ipairs { "1LL", "1ULL", "0x1fll", "2i", "0.5I" } do
      local text = "return function(v) local k = " .. number
        .. " v.x = 1 end, function(v) v.x = 2 end"
      if is_jit then
        local f, g = load_file(text)
        refused(f, "the number " .. number .. " cannot be compiled: write a "
          .. "number without a suffix")
        compiles(g)
      else
        assert.is_nil(load_text(text))
      end
    end
  end)

  it("has constants from inside a repeat", function()
    local text = "local f\nrepeat local k <const> = 7\n"
      .. "until (function() f = function(v) v.x = k + ecs_source end "
      .. "return true end)()\nreturn f"
    if load_text(text) then
      rawset(_G, "ecs_source", 1)
      rawset(_G, "k", 100)
      local f = load_file(text)
      assert.equal("8 4", run(f, false))
      refused(f, "leave out its <const>")
      rawset(_G, "ecs_source", nil)
      rawset(_G, "k", nil)
    end
  end)
end)

describe("the file of a function", function()
  local TEXT = "return function(v) v.x = v.x + 1 end"

  --- A function with a chunk name that names this file.
  local function from(name) return load_text(TEXT, "@" .. name)() end

  it("may be reached through links", function()
    write(path, TEXT)
    assert.equal(0, (os.execute("ln -s " .. path .. " " .. path .. ".link")
      and 0))
    compiles(from(path .. ".link"))
    os.remove(path .. ".link")
  end)

  it("is a regular file: what is none is never waited for", function()
    local pipe = path .. ".pipe"
    os.execute("mkfifo " .. pipe)
    os.execute("ln -s " .. pipe .. " " .. path .. ".link")
    for _, name in ipairs { pipe, path .. ".link", "/dev/zero", "/dev/null",
                            "/dev/stdin", "/dev/tty", "/", ".", "" } do
      refused(from(name), "a source that cannot be read")
      assert.is_nil(core.read_file(name, 1000))
    end
    os.remove(path .. ".link")
    os.remove(pipe)
    refused(from(path .. ".gone"), "a source that cannot be read")
    refused(from(path .. "/below"), "a source that cannot be read")
    write(path, TEXT)
    assert.is_nil(core.read_file(path .. "\0.lua", 1000))
  end)

  it("has up to 4 MiB", function()
    local most = 4 * 1024 * 1024
    local padding = "\n--" .. ("x"):rep(most - #TEXT - 3)
    write(path, TEXT .. padding)
    compiles(from(path))
    write(path, TEXT .. padding .. "x")
    refused(from(path), "a source that cannot be read")
    assert.equal(most + 1, #core.read_file(path, most + 1))
    assert.is_nil(core.read_file(path, most))
    assert.is_nil(core.read_file(path, 0 / 0))
  end)

  it("is told from a text that it had before", function()
    for _, size in ipairs { 0, 1, 16383, 16384, 16385, 40000 } do
      local text = ("0123456789"):rep(4000):sub(1, size)
      write(path, text)
      for _, known in ipairs { "", text, text .. "x", text:sub(1, -2),
                               text:sub(1, -2) .. "x", "x" .. text:sub(2) } do
        assert.equal(text, core.read_file(path, size, known))
      end
      assert.is_nil(core.read_file(path, size - 1, text))
    end
    os.remove(path)
    assert.is_nil(core.read_file(path, 10, "text"))
  end)
end)
