-- floors.lua: fails where a file uses what stands above it.
--
--   lua5.4 tools/floors.lua MODULE... -- FILE...
--
--   core <- bindings <- scripts <- { spec, examples, bench }
--
-- MODULE is the Makefile's CORE, bottom up: `ecs`, `storage/table`. FILE is its
-- BINDING, likewise: `object/object`. Both lists are held in the same way:
--
--   * every file of core/ and of bindings/lua is listed, and a folder's modules
--     stand together, so that a folder, too, sees only the folders before it;
--   * a file includes only what stands before it or bears its own name, the
--     binding also the headers of core/api, and the core no header of Lua;
--   * an object refers to no symbol that a later one defines: what the compiler
--     believes of a declaration, the symbol table does not (`nm`);
--   * a header declares only what its own .c defines;
--   * a type is defined once, and the name of a file occurs once;
--   * a header names no type that a later folder defines, not even to point to
--     it: what later folders keep with an object is theirs.
--
-- No function of scripts/ reads a global, not even a function of Lua, and no
-- string is asked for a method: hosts and scripts may take functions away after
-- the files were loaded (standard.lua), and the methods of strings before. The
-- first is read off LuaJIT's code.
--
-- Scripts require only what the rock ships. A file in scripts/ecs/compile or
-- ffi is required by the files of its folder; by others only as DOORS allows.
-- Takes the objects under build/.

local OBJECTS = { core = "build/core/", binding = "build/lua54/objects/" }
-- The modules in folders of scripts/ecs that files outside of the folder may
-- require, and those files. Every other module is for its own folder.
local DOORS = {
  ["ecs.compile.specialize"] = { ["ecs.system_each"] = true,
    ["ecs.query_each"] = true, ["ecs.each_blocks"] = true,
    ["ecs.kept_batches"] = true, ["ecs.exit_run"] = true,
    ["ecs.worth_arrays"] = true, ["ecs.worth"] = true },
  ["ecs.ffi.access_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.columns_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.prepared_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.queries_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.array_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.programs_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.arrays_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.wanted_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.outside_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.rows_ffi"] = { ["ecs.backend"] = true },
  ["ecs.ffi.grid_ffi"] = { ["ecs.backend"] = true },
}
-- Modules that come with Lua or LuaJIT, or are the C module itself.
local FOREIGN = { ffi = true, bit = true, ["ecs.core"] = true,
                  ["table.new"] = true, ["table.clear"] = true }
local LUA_HEADER = { ["lua.h"] = true, ["lualib.h"] = true,
                     ["lauxlib.h"] = true, ["luajit.h"] = true,
                     ["luaconf.h"] = true, ["lua.hpp"] = true }

local broken, looked_at = 0, 0

local function complain(place, form, ...)
  print(place .. ": " .. form:format(...))
  broken = broken + 1
end

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

-- The text with comments and the contents of strings blanked, lines kept.
local function bare(text)
  text = text:gsub("/%*.-%*/", function(comment)
    return (comment:gsub("[^\n]", " "))
  end)
  text = text:gsub("//[^\n]*", ""):gsub("__attribute__%s*%b()", "")
  return (text:gsub('"([^"\n]*)"', function(inside)
    return '"' .. (" "):rep(#inside) .. '"'
  end))
end

local function line_at(text, position)
  local _, count = text:sub(1, position):gsub("\n", "\n")
  return count + 1
end

-- The lists ---------------------------------------------------------------

-- A list of modules: floor says how high each stands, folder where it lies.
local function read_list(names, folder)
  local list = { names = names, floor = {}, folder = folder }
  local last, left = nil, {}
  for i, name in ipairs(names) do
    local room = name:match("^(.*)/") or ""
    if list.floor[name] then
      complain("Makefile", "%s is listed twice", name)
    end
    list.floor[name] = i
    if room ~= last and left[room] then
      complain("Makefile", "the modules of %s do not stand together", room)
    end
    if last and last ~= "" then left[last] = true end
    last = room
  end
  return list
end

-- The files of a list's folder, each with the module it belongs to. Headers of
-- include/ are the core's.
local function files_of(list, extra)
  local files = {}
  for _, path in ipairs(lines_of("find " .. list.folder .. " " .. (extra or "")
                                 .. " -type f ! -name '*.o' | sort")) do
    local name = path:gsub("^" .. list.folder, ""):gsub("^include/", "")
    local module, kind = name:match("^(.*)%.([ch])$")
    if not module then
      complain(path, "is neither .c nor .h")
    elseif not list.floor[module] then
      complain(path, "is in no list of the Makefile")
    else
      files[#files + 1] = { path = path, module = module, kind = kind,
                            text = read(path) }
    end
  end
  return files
end

-- Includes ----------------------------------------------------------------

local function judge_core_include(core, file, line, target)
  local place = file.path .. ":" .. line
  local module = target:gsub("%.[ch]$", "")
  if LUA_HEADER[target:match("[^/]*$")] then
    complain(place, "the core includes %s", target)
  elseif not core.floor[module] then
    complain(place, "includes %s, which is no module of the core", target)
  elseif core.floor[module] > core.floor[file.module] then
    complain(place, "%s includes %s, which is above it", file.module, target)
  end
end

local function judge_binding_include(core, binding, file, line, target)
  local place = file.path .. ":" .. line
  local module = target:gsub("%.[ch]$", "")
  if binding.floor[module] then
    if binding.floor[module] > binding.floor[file.module] then
      complain(place, "%s includes %s, which is above it", file.module, target)
    end
  elseif LUA_HEADER[target] then
    return
  elseif not core.floor[module] then
    complain(place, "includes %s, neither of the core nor of the binding",
      target)
  elseif module:find("/") and not module:find("^api/") then
    complain(place, "includes %s, which is below the core's border", target)
  end
end

local function each_include(file, judge)
  local number = 0
  for line in (file.text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local rest = line:match("^%s*#%s*include%s*(.*)")
    local mark, target = (rest or ""):match('^([<"])([^>"]*)[>"]')
    if rest and not mark then
      complain(file.path .. ":" .. number, "an include that cannot be judged")
    elseif mark == '"' or (mark and LUA_HEADER[target]) then
      judge(number, target)
    end
  end
end

-- Symbols -----------------------------------------------------------------

-- What the objects of a list define and want, from nm.
local function symbols_of(list, objects)
  local defined, wanted, paths = {}, {}, {}
  for _, module in ipairs(list.names) do
    local path = objects .. module .. ".o"
    if not read(list.folder .. module .. ".c") then
      path = nil
    elseif not read(path) then
      complain(path, "is not there: run `make lua54` first")
      path = nil
    end
    paths[#paths + 1] = path
  end
  for _, line in ipairs(lines_of("nm -A " .. table.concat(paths, " "))) do
    local path, class, name = line:match("^(.-)%.o:.*(%a) ([^%s@]+)$")
    local module = path and path:sub(#objects + 1)
    if class == "U" then
      wanted[#wanted + 1] = { module = module, name = name }
    elseif class and class:find("[TDRBVWC]") then
      defined[name] = module
    end
  end
  return defined, wanted
end

local function judge_symbols(list, defined, wanted)
  for _, use in ipairs(wanted) do
    local owner = defined[use.name]
    if owner and list.floor[owner] > list.floor[use.module] then
      complain(list.folder .. use.module .. ".c", "uses %s of %s, above it",
        use.name, owner)
    end
  end
end

-- Declarations ------------------------------------------------------------

-- Names of functions and objects that a header declares, with their lines.
local function each_declaration(text, found)
  for _, mark in ipairs { "ECS_INTERNAL", "BIND_INTERNAL", "extern" } do
    for position, statement in text:gmatch("%f[%w_]()" .. mark
                                           .. "%f[^%w_]([^;{]*);") do
      local before = statement:match("^(.-)%(") -- a function's name
      if before then
        found(before:match("([%w_]+)%s*$"), position)
      else -- objects, and functions declared by their type
        for part in (statement .. ","):gmatch("([^,]*),") do
          found(part:gsub("%b[]", ""):match("([%w_]+)%s*$"), position)
        end
      end
    end
  end
end

local function judge_declarations(list, files, defined)
  for _, file in ipairs(files) do
    local text = bare(file.text):gsub("#[^\n]*", "")
    each_declaration(text, function(name, position)
      local owner = name and defined[name]
      if owner and owner ~= file.module then
        complain(("%s:%d"):format(file.path, line_at(text, position)),
          "declares %s, which %s%s.c defines", name, list.folder, owner)
      end
    end)
  end
end

-- Types -------------------------------------------------------------------

-- Every type that a file defines: by a body, or as a name for another type.
local function each_type(text, found)
  for position, word, name in text:gmatch("%f[%w_]()(%a+)%s+([%w_]+)%s*{") do
    if word == "struct" or word == "union" or word == "enum" then
      found(name, position)
    end
  end
  for position, body in text:gmatch("%f[%w_]()typedef%f[^%w_]([^;{]*);") do
    local name = body:match("%(%s*%*%s*([%w_]+)%s*%)")
        or body:match("([%w_]+)%s*%(") or body:gsub("%b[]", "")
        :match("([%w_]+)%s*$")
    if not body:match("^%s*struct%s+" .. name .. "%s+" .. name .. "%s*$") then
      found(name, position)
    end
  end
end

-- The types of a list's files: where each is defined.
local function judge_types(...)
  local first = {}
  for _, files in ipairs { ... } do
    for _, file in ipairs(files) do
      local text = bare(file.text):gsub("#[^\n]*", "")
      each_type(text, function(name, position)
        local place = ("%s:%d"):format(file.path, line_at(text, position))
        if first[name] and first[name].path ~= file.path then
          complain(place, "defines the type %s, as %s does", name,
            first[name].place)
        end
        first[name] = first[name]
            or { path = file.path, place = place, module = file.module }
      end)
    end
  end
  return first
end

-- The headers of a list's folders. What begins with ecs_ is declared in
-- include/ and for everybody.
local function judge_type_floors(list, files, types)
  local rank, count = {}, 0
  local function folder(module) return module:match("^(.*)/") end
  for _, name in ipairs(list.names) do
    local room = folder(name)
    if room and not rank[room] then
      count = count + 1
      rank[room] = count
    end
  end
  for _, file in ipairs(files) do
    local mine = file.kind == "h" and rank[folder(file.module)]
    local text = mine and bare(file.text):gsub("#[^\n]*", "") or ""
    for position, name in text:gmatch("%f[%w_]()([%a_][%w_]*)") do
      local home = types[name] and not name:find("^ecs_")
          and rank[folder(types[name].module)]
      if home and home > mine then
        complain(("%s:%d"):format(file.path, line_at(text, position)),
          "names %s, a type of the later %s", name, types[name].path)
      end
    end
  end
end

-- Names of files ----------------------------------------------------------

local function judge_names()
  local first = {}
  for _, path in ipairs(lines_of("find core include bindings scripts tools "
                                 .. "-type f ! -name '*.o' | sort")) do
    local name = path:match("[^/]*$")
    if first[name] then complain(path, "has the name of %s", first[name]) end
    first[name] = first[name] or path
  end
end

-- Scripts -----------------------------------------------------------------

local function module_name(path)
  return (path:gsub("^scripts/", ""):gsub("%.lua$", ""):gsub("/init$", "")
    :gsub("/", "."))
end

local function judge_require(shipped, place, from, name)
  if FOREIGN[name] or name:find("^jit%.") then return end
  if not shipped[name] then
    return complain(place, "requires %s, which the rock does not ship", name)
  end
  local folder = name:match("^(ecs%..*)%.[^.]*$")
  if folder and from:match("^(.*)%.[^.]*$") ~= folder
    and not (DOORS[name] and DOORS[name][from]) then
    complain(place, "requires %s, which is for others", name)
  end
end

-- The bytecode of each file after its path, as luajit -bl shows it.
local LISTER = [[echo 'local dump = require("jit.bc").dump
  for i = 1, #arg do
    print("FILE " .. arg[i])
    dump(assert(loadfile(arg[i])), io.stdout, true)
  end' | luajit - ]]

-- Main chunks, which run when a file is loaded, begin in line 0.
local function judge_globals(paths)
  local path, main, listed = nil, true, 0
  for _, line in ipairs(lines_of(LISTER .. table.concat(paths, " "))) do
    path = line:match("^FILE (.*)") or path
    local first = line:match("^%-%- BYTECODE %-%- .*:(%d+)%-%d+$")
    if first then
      main = first == "0"
      if main then listed = listed + 1 end
    end
    local global = line:match("G[GS]ET .*\"(.*)\"")
    if global and not main then
      complain(path, "has a function that reads the global %s", global)
    end
  end
  if listed ~= #paths then
    complain(path or "luajit", "cannot be listed by luajit's jit.bc")
  end
end

local METHODS = { "byte", "find", "format", "gmatch", "gsub", "len", "lower",
                  "match", "rep", "reverse", "sub", "upper" }

local function judge_methods(path, number, line)
  if not line:find(":", 1, true) or line:find("^%s*%-%-")
    or line:find("^function ") then
    return
  end
  for _, method in ipairs(METHODS) do
    if line:find("%f[:]:" .. method .. "[ %(\"'%[{]") then
      complain(path .. ":" .. number, "calls the method %s: string.%s may be "
        .. "gone", method, method)
    end
  end
end

local function judge_scripts()
  local paths, shipped = lines_of("find scripts -name '*.lua' | sort"), {}
  for _, path in ipairs(paths) do shipped[module_name(path)] = true end
  for _, path in ipairs(paths) do
    local number = 0
    for line in io.lines(path) do
      number = number + 1
      judge_methods(path, number, line)
      for name in line:gmatch("require[ (]*[\"']([^\"']*)[\"']") do
        judge_require(shipped, path .. ":" .. number, module_name(path), name)
      end
    end
  end
  judge_globals(paths)
  looked_at = looked_at + #paths
end

-- All of it ---------------------------------------------------------------

local function judge_list(list, files, objects, judge_include)
  for _, file in ipairs(files) do
    each_include(file, function(line, target)
      judge_include(file, line, target)
    end)
  end
  local defined, wanted = symbols_of(list, objects)
  judge_symbols(list, defined, wanted)
  judge_declarations(list, files, defined)
  looked_at = looked_at + #files
end

local function main(...)
  local lists, mine = { {}, {} }, 1
  for _, word in ipairs { ... } do
    if word == "--" then mine = 2 else table.insert(lists[mine], word) end
  end
  assert(#lists[1] > 0 and #lists[2] > 0, "floors: a list is empty")
  local core = read_list(lists[1], "core/")
  local binding = read_list(lists[2], "bindings/lua/")
  local core_files = files_of(core, "include/")
  local binding_files = files_of(binding)
  judge_list(core, core_files, OBJECTS.core, function(...)
    judge_core_include(core, ...)
  end)
  judge_list(binding, binding_files, OBJECTS.binding, function(...)
    judge_binding_include(core, binding, ...)
  end)
  local types = judge_types(core_files, binding_files)
  judge_type_floors(core, core_files, types)
  judge_type_floors(binding, binding_files, types)
  judge_names()
  judge_scripts()
  if broken > 0 then
    print(("floors: %d broken"):format(broken))
    os.exit(1)
  end
  print(("floors: %d files stand on their floors"):format(looked_at))
end

main(...)
