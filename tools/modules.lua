-- modules.lua: keeps docs/modules.md true: what each file is for.
--
--   lua5.4 tools/modules.lua check MODULE... -- FILE...
--   lua5.4 tools/modules.lua write MODULE... -- FILE...
--
-- The modules of the core and of the binding, in the Makefile's order, and
-- those of scripts/, each with the first sentence of its header, or of its only
-- file.

local PAGE = "docs/modules.md"

local HEAD = [[
# Every file, and what it is for

Made by `make modules` from the first sentence of each file. Those in C stand
bottom up: they include and call only what stands before them. [How it is
built](design.md) is the way in.
]]

local broken = 0

local function complain(path, what)
  print(path .. ": " .. what)
  broken = broken + 1
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

-- The first comment of a file, without its marks and in one line for each
-- paragraph.
local function first_paragraph(text)
  local comment = text:match("^/%*(.-)%*/")
  if comment then
    comment = comment:gsub("\n %*", "\n")
  else
    local lines = {}
    for line in text:gmatch("([^\n]*)\n") do
      local rest = line:match("^%-%-%-?(.*)")
      if not rest then break end
      lines[#lines + 1] = rest
    end
    comment = table.concat(lines, "\n")
  end
  return (comment .. "\n\n"):match("^(.-)\n%s*\n"):gsub("%s+", " ")
end

-- What a file says that it is: "x.h: what." is "what".
local function purpose(path, name)
  local text = first_paragraph(read(path))
  local file, said = text:match("^ ?([%w_.]+): (.*)$")
  if not file or file:gsub("%.[ch]$", "") ~= name:match("[^/]*$") then
    complain(path, "does not begin with its name and what it is for")
    return "?"
  end
  return ((said .. " "):match("^(.-)%. ") or said):gsub("|", "\\|")
end

local function row(name, path)
  return ("| %s | %s |"):format(name, purpose(path, name))
end

-- The file that says what a C module is: its header, if it has one.
local function speaker(folder, name)
  for _, path in ipairs { folder .. name .. ".h", "include/" .. name .. ".h",
                          folder .. name .. ".c" } do
    if read(path) then return path end
  end
end

local function c_table(folder, names)
  local lines = {}
  for _, name in ipairs(names) do
    lines[#lines + 1] = row(name, speaker(folder, name))
  end
  return lines
end

-- Of the same folder, ecs/init.lua stands first: it is the module ecs.
local function script_table()
  local lines, pipe = {}, assert(io.popen("find scripts/ecs -name '*.lua'"))
  local paths = {}
  for path in pipe:lines() do paths[#paths + 1] = path end
  pipe:close()
  table.sort(paths, function(a, b)
    local _, deep = a:gsub("/", "")
    local _, other = b:gsub("/", "")
    if deep ~= other then return deep < other end
    return a < b
  end)
  for _, path in ipairs(paths) do
    local name = path:match("^scripts/ecs/(.*)%.lua$")
    lines[#lines + 1] = ("| %s | %s |"):format(name,
      purpose(path, name == "init" and "ecs" or name))
  end
  return lines
end

local function section(title, lines)
  return "\n## " .. title .. "\n\n| module | what it is |\n|---|---|\n"
    .. table.concat(lines, "\n") .. "\n"
end

local function main(action, ...)
  local lists, mine = { {}, {} }, 1
  for _, word in ipairs { ... } do
    if word == "--" then mine = 2 else table.insert(lists[mine], word) end
  end
  assert(#lists[1] > 0 and #lists[2] > 0, "modules: a list is empty")
  local page = HEAD .. section("The core, in C", c_table("core/", lists[1]))
    .. section("The binding, in C", c_table("bindings/lua/", lists[2]))
    .. section("The scripts, in Lua", script_table())
  if action == "write" then
    assert(io.open(PAGE, "wb")):write(page):close()
  elseif read(PAGE) ~= page then
    complain(PAGE, "is not what the files say: `make modules` mends it")
  end
  if broken > 0 then os.exit(1) end
  print(("modules: %d files of the core, %d of the binding are on the page")
    :format(#lists[1], #lists[2]))
end

main(...)
