-- The programs of the documentation run, and its links lead somewhere.
--
-- A block ```lua is part of its page's program. The blocks of a page run in
-- order, except where the line before a block says why not:
-- <!-- not run: ... -->

local support = dofile "spec/support/support.lua"

local PAGES = { "README.md", "docs/guide.md", "docs/cookbook.md",
                "docs/reference.md" }

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Programs -------------------------------------------------------------------

--- The blocks of one language of a page that run, as one text with the line
-- numbers of the page; and the number of blocks.
local function program_of(text, language)
  local lines, count, inside, skipped, previous = {}, 0, nil, false, ""
  for line in text:gmatch "([^\n]*)\n" do
    local fence, kept = line:match "^```(.*)", ""
    if fence and inside then
      inside = nil
    elseif fence then
      inside, skipped = fence, previous:match "^<!%-%- not run: %S" ~= nil
      if inside == language and not skipped then count = count + 1 end
    elseif inside == language and not skipped then
      kept = line
    end
    lines[#lines + 1], previous = kept, line
  end
  assert.is_nil(inside)
  return table.concat(lines, "\n") .. "\n", count
end

describe("the programs of the documentation", function()
  local folder = os.tmpname()
  os.remove(folder)

  setup(function() assert(os.execute("mkdir " .. folder)) end)
  teardown(function() os.execute("rm -r " .. folder) end)

  for _, page in ipairs(PAGES) do
    it("run, those of " .. page, function()
      local text = read(page)
      local kernel, libraries = program_of(text, "c")
      if libraries > 0 then
        write(folder .. "/forces.c", kernel)
        local pipe = assert(io.popen(("%s -std=c11 -Wall -Wextra -Werror -O3 "
          .. "-fPIC -shared -Iinclude -o %s/forces.so %s/forces.c 2>&1"):format(
          os.getenv "CC" or "cc", folder, folder)))
        assert.equal("", pipe:read("*a"))
        pipe:close()
      end
      local program, count = program_of(text, "lua")
      assert.is_true(count >= 4)
      local path = folder .. "/" .. page:gsub("%W", "_") .. ".lua"
      write(path, program .. "print 'the end'\n")
      local output = support.printed(path, folder)
      assert.truthy(output:match "the end\n$", output)
    end)
  end

  it("print what README.md shows, its first two", function()
    local text = read "README.md"
    local programs = {}
    for block in text:gmatch "\n```lua\n(.-)```" do
      programs[#programs + 1] = block
    end
    local shown = { text:match "\n```text\n(.-)```",
      text:match "It prints `([^`]+)`":gsub("%s+", " ") .. "\n" }
    for k = 1, 2 do
      write(folder .. "/shown.lua", programs[k])
      assert.equal(shown[k], support.printed(folder .. "/shown.lua", folder))
    end
  end)

  -- Frames of the game, after the warm-up that LuaJIT needs, with the collector
  -- stopped. It prints the kilobytes of the best of some rounds.
  local MEASURE = [[
    start()
    local least = math.huge
    for _ = 1, 12 do
      for _ = 1, 100 do world:progress(1 / 60) end
      collectgarbage()
      collectgarbage("stop")
      for _ = 1, 10 do world:progress(1 / 60) end -- stacks have shrunk
      local before = collectgarbage("count")
      for _ = 1, 100 do world:progress(1 / 60) end
      least = math.min(least, collectgarbage("count") - before)
      collectgarbage("restart")
    end
    print("garbage", string.format("%g", least))
  ]]

  it("make no garbage in a frame, those of the guide", function()
    local game = assert(read("docs/guide.md"):match "^(.-\n)start%(%)\n")
    local path = folder .. "/guide_frames.lua"
    write(path, (program_of(game .. "```\n", "lua")) .. MEASURE)
    assert.equal("0", support.printed(path, folder):match "garbage%s+(%S+)\n$")
  end)

  -- A stand-in for what the block uses of LÖVE, at 50 frames a second.
  it("run in LÖVE, that of the guide", function()
    local block = read("docs/guide.md"):match
      "<!%-%- not run: this is for LÖVE %-%->\n```lua\n(.-)```"
    local path = folder .. "/love.lua"
    write(path, [[
      love = { timer = { getDelta = function() return 1 / 50 end } }
      love.graphics = { circle = function(mode, x, y, radius)
        assert(mode == "fill" and y == 100 and radius == 10)
        print(string.format("%.1f", x))
      end }
      ]] .. block .. " for _ = 1, 4 do love.draw() end")
    assert.equal("0.2\n1.4\n2.6\n3.8\n", support.printed(path, folder))
  end)

  -- The page about LÖVE is one main.lua. This stands in for what it uses: each
  -- frame draws the points and the ship, half a step after the last one.
  local LOVE_BEFORE = [[
    local saved, drawn = {}, 0
    love = { graphics = {}, data = {}, filesystem = {} }
    local files = love.filesystem
    function files.write(name, text) saved[name] = text return true end
    function files.read(name) return saved[name] end
    function files.getInfo(name) return saved[name] and {} or nil end
    local floats
    function love.data.newByteData(bytes)
      floats = require("ffi").new("float[?]", bytes / 4)
      return { getFFIPointer = function() return floats end }
    end
    local mesh = { setVertices = function() end }
    function mesh:setDrawRange(first, last) assert(first == 1) drawn = last end
    function love.graphics.newMesh() return mesh end
    function love.graphics.draw(what) assert(what == mesh) end
    function love.graphics.polygon(_, x, y, ...)
      assert(select("#", ...) == 4)
      print(string.format("%d points, ship at %.2f %.2f", drawn, x + 9, y - 9))
    end
  ]]
  local LOVE_AFTER = [[
    for _ = 1, 3 do love.update(1.5 / 60) love.draw() end
    local before = world:hash()
    love.keypressed "f5"
    love.update(1)
    assert(world:hash() ~= before)
    love.keypressed "f9"
    assert(world:hash() == before)
    local first = points:first()
    local x, y = world:get(first, Drawn, "x", "y")
    assert(floats[0] == x and floats[1] == y and x ~= 0)
    for _, name in ipairs { "remember", "move", "between" } do
      assert(world:explain(name):find("compiled", 1, true), name)
    end
  ]]

  it("run in LÖVE, those of the page about it", function()
    local program, count = program_of(read "docs/love.md", "lua")
    assert.equal(5, count)
    assert((loadstring or load)(program)) -- luacheck: ignore 113
    if not rawget(_G, "jit") or os.getenv "ECS_BACKEND" == "capi" then
      return -- there is no FFI
    end
    local path = folder .. "/love_page.lua"
    write(path, LOVE_BEFORE .. program .. LOVE_AFTER)
    assert.equal("50000 points, ship at 400.42 500.00\n"
      .. "50000 points, ship at 401.67 500.00\n"
      .. "50000 points, ship at 402.92 500.00\n", support.printed(path, folder))
  end)

  it("are skipped in two places only", function()
    local skipped = 0
    for _, page in ipairs(PAGES) do
      for _ in read(page):gmatch "<!%-%- not run:" do skipped = skipped + 1 end
    end
    assert.equal(2, skipped)
  end)
end)

describe("the programs that are not run", function()
  it("compile", function()
    local text = read "docs/guide.md"
    for block in text:gmatch "<!%-%- not run:.-%-%->\n```lua\n(.-)```" do
      assert((loadstring or load)(block)) -- luacheck: ignore 113
    end
  end)
end)

-- Links ----------------------------------------------------------------------

--- The anchor of a heading, as GitHub and GitLab make it.
local function anchor_of(heading)
  return (heading:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-"))
end

local function has_anchor(path, anchor)
  for line in read(path):gmatch "[^\n]+" do
    local heading = line:match "^#+ (.*)"
    if heading and anchor_of(heading) == anchor then return true end
  end
  return false
end

describe("links", function()
  local pages = { "README.md", "docs/guide.md", "docs/reference.md",
                  "docs/systems.md", "docs/design.md", "docs/reasons.md",
                  "docs/testing.md", "docs/modules.md", "docs/numbers.md",
                  "docs/outside.md", "docs/programs.md", "docs/report.md",
                  "docs/from_tables.md", "docs/cookbook.md", "docs/love.md" }
  it("lead to files and headings", function()
    local count = 0
    for _, page in ipairs(pages) do
      for target in read(page):gmatch "%]%(([^)%s]+)%)" do
        local path, anchor = target:match "^([^#]*)#?(.*)$"
        path = path == "" and page
          or (page:match "^.*/" or "") .. path
        local file = io.open(path, "rb")
        assert.is_truthy(file, page .. " links " .. target)
        file:close()
        if anchor ~= "" then
          assert.is_true(has_anchor(path, anchor), page .. " links " .. target)
        end
        count = count + 1
      end
    end
    assert.is_true(count > 20)
  end)
end)
