--- generate_cdef: prints scripts/ecs/cdef.lua, made from include/ecs.h.
--
--     lua5.4 bindings/luajit/generate_cdef.lua include/ecs.h > FILE
--
-- An installed rock has no header at run time, so the declarations travel as a
-- Lua file; cdef_spec.lua fails when it is not what this prints. The header is
-- written for this: scalars, pointers and plain structs, no macros in
-- what is declared. Anything else is refused here, by name.

local path = arg[1] or "include/ecs.h"
local file = assert(io.open(path, "r"))
local text = file:read("*a")
file:close()

local header = text:gsub("/%*.-%*/", "")
header = header:gsub("#ifdef __cplusplus.-#endif", "")

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

io.write([[
--- cdef: what include/ecs.h declares, for LuaJIT's FFI.
--
-- Made by bindings/luajit/generate_cdef.lua; do not edit. Types cannot be
-- declared twice in one process, and are not.
-- luacheck: no max line length

local ffi = require "ffi"

if not pcall(ffi.typeof, "ecs_KernelLibrary") then
  ffi.cdef [=[
]], declarations, "\n]=]\nend\n")
