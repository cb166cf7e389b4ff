--- generate_cdef: prints scripts/ecs/ffi/cdef.lua, made from the C headers.
--
--     lua5.4 tools/generate_cdef.lua include/ecs.h bindings/lua > FILE
--
-- An installed rock has no headers at run time, so what LuaJIT's FFI must know
-- of them travels as a Lua file. cdef_spec.lua fails when the file is not what
-- this prints. Two things are in it:
--
--   * everything that ecs.h declares. The header is written for this: scalars,
--     pointers and plain structs, no macros in declarations;
--   * the layout of the structs below, which the binding shares with
--     scripts/ecs/ffi. Each is looked for by its name in the files of the given
--     folder, wherever it stands there.
--
-- What cannot be said in a cdef is refused here, by name.

--- Structs of the binding, in order: a struct may point to those before it.
-- name: in C. key: in the Lua file. last: the last field that is needed, or
-- false: all are.
local STRUCTS = {
  { name = "ViewColumn", key = "ViewColumn", last = false },
  { name = "View", key = "View", last = "columns" },
  { name = "RowLoop", key = "RowLoop", last = "query" },
  { name = "Calls", key = "Calls", last = false },
  { name = "PreparedCalls", key = "PreparedCalls", last = false },
  { name = "ValueCalls", key = "ValueCalls", last = false },
  { name = "ProgramCalls", key = "ProgramCalls", last = false },
  { name = "PassCalls", key = "PassCalls", last = false },
  { name = "QueryCalls", key = "QueryCalls", last = false },
  { name = "GridCalls", key = "GridCalls", last = false },
}

--- Numbers that the binding defines, as #define NAME 1.
local NUMBERS = { "VIEW_FOCUS", "SPAWN_PARTS", "TABLE_FIELDS" }

local function read(path)
  local file = assert(io.open(path, "r"))
  local text = file:read("*a")
  file:close()
  return (text:gsub("/%*.-%*/", ""))
end

-- The public header ---------------------------------------------------------

--- The declarations of the header at path, one line for each of its lines.
local function public_declarations(path)
  local header = read(path):gsub("#ifdef __cplusplus.-#endif", "")
  local lines = {}
  for line in header:gmatch("[^\n]+") do
    if not line:match("^%s*#") and line:match("%S") then
      lines[#lines + 1] = (line:gsub("ECS_API ", ""):gsub("%s+$", ""))
    end
  end
  local declarations = table.concat(lines, "\n")
  local strange = declarations:match("%f[%w_](ECS_[A-Z]+)%s*%(")
    or declarations:match("%f[%w_](__%w+)") or declarations:match("%.%.%.")
  if strange then error("ecs.h declares what a cdef cannot: " .. strange) end
  return declarations
end

-- The binding ---------------------------------------------------------------

--- The text of all C files of a folder, in order of their paths.
local function read_folder(folder)
  local paths, texts = {}, {}
  local pipe = assert(io.popen("find '" .. folder .. "' -name '*.[ch]'"))
  for path in pipe:lines() do paths[#paths + 1] = path end
  pipe:close()
  table.sort(paths)
  for k, path in ipairs(paths) do texts[k] = read(path) end
  return table.concat(texts, "\n")
end

--- The text between the braces of a struct, each of whose fields ends with ;.
local function body_of(binding, name)
  local body = binding:match("%f[%w]struct%s+" .. name .. "%s*(%b{})")
  if not body then error("the binding defines no struct " .. name) end
  return body:sub(2, -2)
end

--- A type of the binding as the FFI may know it. pointed: a pointer to it.
local function foreign(word, pointed, known)
  if pointed then return known[word] and "$" or "void" end
  -- The answers of functions are enums, which are ints.
  if word:match("Answer$") then return "int" end
  error("a field of type " .. word .. " is shared: no cdef can tell it")
end

--- One field of a struct. A handle has 52 bits: as a signed integer it is the
-- same number, and LuaJIT converts it faster.
local function field_of(text, binding, known)
  text = text:gsub("%s+", " "):gsub("^ ", "")
  -- For a call that returns bool, LuaJIT takes a snapshot while the stack of
  -- Lua is moved; where that is one too many for the trace, the process
  -- crashes.
  if text:match("^bool %(%*") then
    error("a function that compiled code calls returns bool: " .. text)
  end
  if text:match("^Header ") then
    return (body_of(binding, "Header"):gsub("%s+", " "):gsub("^ ", "")
      :gsub("; ?$", ""))
  end
  text = text:gsub("%f[%w_]ecs_Entity%f[^%w_]", "int64_t")
    :gsub("%f[%w_]struct (%u)", "%1")
  return (text:gsub("%f[%w_](%u[%w_]*)(%s*%*?)", function(word, star)
    return foreign(word, star:find("*", 1, true), known) .. star
  end))
end

--- A struct as text for ffi.typeof: $ stands for each pointed-to struct that
-- was generated before it.
local function layout_of(binding, struct, known)
  local lines, found = { "struct {" }, false
  for text in body_of(binding, struct.name):gmatch("([^;]+);") do
    lines[#lines + 1] = "  " .. field_of(text, binding, known) .. ";"
    found = text:match("([%w_]+)%s*$") == struct.last
    if found then break end
  end
  if struct.last and not found then
    error("struct " .. struct.name .. " has no field " .. struct.last)
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n")
end

local function layouts(folder)
  local binding, known, parts = read_folder(folder), {}, {}
  for _, struct in ipairs(STRUCTS) do
    parts[#parts + 1] = "  " .. struct.key .. " = [[\n"
      .. layout_of(binding, struct, known) .. "]],\n"
    known[struct.name] = true
  end
  for _, name in ipairs(NUMBERS) do
    local number = binding:match("#define%s+" .. name .. "%s+(%d+)")
    if not number then error("the binding defines no number " .. name) end
    parts[#parts + 1] = "  " .. name .. " = " .. number .. ",\n"
  end
  return table.concat(parts)
end

io.write([[
--- cdef: what include/ecs.h declares, and structs of the binding.
--
-- Made by tools/generate_cdef.lua (make cdef); do not edit. Types cannot be
-- declared twice in one process, and are not.
-- luacheck: no max line length

local require = require("ecs.standard").inner "ecs.ffi.cdef"

local ffi = require "ffi"

if not pcall(ffi.typeof, "ecs_KernelLibrary") then
  ffi.cdef [=[
]], public_declarations(arg[1] or "include/ecs.h"), [[

]=]
end

--- Structs that bindings/lua shares, as texts for ffi.typeof; $ stands for a
-- struct above.
return {
]], layouts(arg[2] or "bindings/lua"), "}\n")
