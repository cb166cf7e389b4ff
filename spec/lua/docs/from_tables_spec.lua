-- docs/from_tables.md turns a game of plain tables into a program of the
-- library. After each of its steps the program prints the same.
--
-- A block of Lua is a part of the program, named in the line before it:
-- <!-- part: raiders -->. In a later step it takes the place of the part of
-- that name. Steps begin at headings.

local support = dofile "spec/support/support.lua"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

--- The programs of a page, one for each heading that has parts: a list of
-- { heading =, text = }. And the output that the page shows.
local function programs_of(page)
  local programs, order, parts, program = {}, {}, {}, nil
  local heading, part, lines, output, previous
  for line in page:gmatch "([^\n]*)\n" do
    if lines and line == "```" then
      local text = table.concat(lines, "\n") .. "\n"
      if not part then
        output = text
      else
        if not parts[part] then order[#order + 1] = part end
        parts[part] = text
        local texts = {}
        for k, name in ipairs(order) do texts[k] = parts[name] end
        program.text = table.concat(texts, "\n")
      end
      lines = nil
    elseif lines then
      lines[#lines + 1] = line
    elseif line == "```lua" then
      part = assert(previous:match "^<!%-%- part: (%l+) %-%->$", line)
      lines = {}
      if not program or program.heading ~= heading then
        program = { heading = heading }
        programs[#programs + 1] = program
      end
    elseif line == "```text" then
      part, lines = nil, {}
    else
      assert(not line:match "^```", line)
      heading = line:match "^## (.*)" or heading
    end
    previous = line
  end
  assert(not lines and #order == 7)
  return programs, output
end

describe("from tables to components", function()
  local programs, output = programs_of(read "docs/from_tables.md")
  local path = os.tmpname()

  teardown(function() os.remove(path) end)

  it("has a program of tables and five steps", function()
    assert.equal(6, #programs)
    assert.is_nil(programs[1].text:find("ecs", 1, true))
    for k = 2, 6 do assert.truthy(programs[k].text:find('require "ecs"')) end
    local _, lines = programs[1].text:gsub("\n", "")
    assert.is_true(lines >= 140 and lines <= 160, lines)
  end)

  for _, program in ipairs(programs) do
    it("prints the same: " .. program.heading, function()
      local file = assert(io.open(path, "wb"))
      file:write(program.text)
      file:close()
      assert.equal(output, support.printed(path))
    end)
  end

  it("ends with systems that are compiled where they can be", function()
    local file = assert(io.open(path, "wb"))
    file:write(programs[6].text, [[
      for _, name in ipairs { "move", "arrive", "mount", "burn", "hurt",
        "bars" } do
        assert(world:explain(name):find("compiled", 1, true), name)
      end
      print(world:hash() == world:hash() and world:stats().frames)
    ]])
    file:close()
    assert.equal(output .. "640\n", support.printed(path))
  end)
end)
