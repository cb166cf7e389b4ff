-- rockspec.lua: keeps the rockspec's lists of files true.
--
--   lua5.4 tools/rockspec.lua check MODULE... -- FILE...
--   lua5.4 tools/rockspec.lua write MODULE... -- FILE...
--   lua5.4 tools/rockspec.lua version
--   lua5.4 tools/rockspec.lua release
--
-- A rockspec cannot look into folders: it names every file. This program makes
-- those lists from the Makefile's (the core's modules, the binding's files) and
-- from what lies in scripts/, and compares them with the rockspec or writes
-- them there, between the lines `-- begin` and `-- end`.
--
-- The version of the library is that of include/ecs.h, and stands nowhere else
-- but in scripts/ecs/backend.lua, which refuses a C module of another one:
-- check compares them. `version` prints it, and `release` the rockspec of this
-- version, whose source is an archive beside it (tools/pack_rock).

local ROCKSPEC = "rockspec/ecs-scm-1.rockspec"

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function listing(command)
  local paths = {}
  local pipe = assert(io.popen(command))
  for path in pipe:lines() do paths[#paths + 1] = path end
  pipe:close()
  table.sort(paths)
  return paths
end

-- The core's files in the Makefile's order, then the binding's.
local function c_sources(modules)
  local sources, folder = {}, "core/"
  for _, name in ipairs(modules) do
    local path = folder .. name .. ".c"
    if name == "--" then
      folder = "bindings/lua/"
    elseif exists(path) then
      sources[#sources + 1] = path
    end
  end
  return sources
end

-- scripts/ecs/x.lua is ecs.x, and scripts/ecs/init.lua is ecs.
local function module_name(path)
  local name = path:gsub("^scripts/", "")
  return (name:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

local function module_lines(modules)
  local lines = { '    ["ecs.core"] = {', "      sources = {" }
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  for _, path in ipairs(c_sources(modules)) do add("        %q,", path) end
  add("      },")
  add('      incdirs = { "include", "core", "bindings/lua" },')
  add("    },")
  local scripts = listing("find scripts -name '*.lua'")
  for _, path in ipairs(scripts) do
    add("    [%q] = %q,", module_name(path), path)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- The version of the library.
local function version()
  local found = read("include/ecs.h"):match(
    '\n#define ECS_VERSION "([%d.]+)"\n')
  local known = read("scripts/ecs/backend.lua"):match(
    '\nlocal VERSION = "(.-)"\n')
  if not found or found ~= known then
    error("include/ecs.h is of version " .. tostring(found)
      .. ", and scripts/ecs/backend.lua of " .. tostring(known), 0)
  end
  return found
end

local function replaced(text, old, new)
  local first, last = text:find(old, 1, true)
  assert(first, ROCKSPEC .. " has lost " .. old)
  return text:sub(1, first - 1) .. new .. text:sub(last + 1)
end

-- The rockspec of a version.
local function released(text, number)
  local name = "ecs-" .. number
  text = text:gsub("^%-%-.-\nrockspec_format", "rockspec_format")
  text = replaced(text, 'version = "scm-1"',
    ('version = "%s-1"'):format(number))
  return replaced(text, 'source = { url = "." }',
    ('source = { url = "%s.tar.gz", dir = "%s" }'):format(name, name))
end

local function main(mode, ...)
  local text = read(ROCKSPEC)
  if mode == "version" then
    return print(version())
  elseif mode == "release" then
    return io.write(released(text, version()))
  end
  local head, _, tail = text:match("^(.-%-%- begin\n)(.*)(    %-%- end\n.*)$")
  assert(head, ROCKSPEC .. " has lost its marks")
  local wanted = head .. module_lines({ ... }) .. tail
  if mode == "write" then
    local file = assert(io.open(ROCKSPEC, "w"))
    assert(file:write(wanted))
    assert(file:close())
  elseif mode ~= "check" then
    error("check, write, version or release?", 0)
  elseif version() and wanted ~= text then
    error(ROCKSPEC .. " lacks or misnames files; see `make rockspec`", 0)
  else
    print("rockspec: its lists are true; the version is " .. version())
  end
end

local ok, message = pcall(main, ...)
if not ok then
  io.stderr:write("rockspec: ", message, "\n")
  os.exit(1)
end
