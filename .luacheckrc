-- scripts/ keep to what Lua 5.1 and 5.4 share; the union of the standards
-- knows the names of both, so that a guarded use of either is no warning.
std = "lua51+lua54+luajit"
max_line_length = 80
include_files = { "**/*.lua", "rockspec/*.rockspec", ".luacheckrc", ".busted" }
exclude_files = { "build" }
files["scripts"].not_globals = { "pairs" } -- safe_pairs.lua says why
files["scripts/ecs/safe_pairs.lua"].globals = { "pairs" }
files["spec"].std = "+busted"
files["examples/love"].globals = { "love" }
files["spec/hosts/love"].globals = { "love" }
files["spec/programs/love_program.lua"].globals = { "love", "jit", "package" }
files["spec/programs/shooter_program.lua"].globals = { "love", "print" }
files["rockspec"].std = "+rockspec"
files["rockspec"].max_line_length = false -- as tools/rockspec.lua has it
files["scripts/ecs/ffi/cdef.lua"].max_line_length = false -- as ecs.h has it
