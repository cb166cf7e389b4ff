--- fence_ffi: where a call of C stands that no load may pass.
--
--     fence[0] = 0
--     local answer = load_pair(access, entity, 0, 1, values)
--
-- LuaJIT for x64 computes with an operand straight from memory where it is used
-- only once, even if a call by the FFI stands between the load and the use:
--
--     local x, y = values[0], values[1]    no load: the operands of the sum
--     load_pair(access, other, ...)        stores into values
--     sum = sum + x * y                    the numbers of the other entity
--
-- It looks for stores in between, but not for calls. So each call that may
-- change what Lua has read by the FFI (arrays that C fills, fields of rows) has
-- such a store before it. A store is kept behind a call, so that there is one
-- between any load and the next call. In compiled code it costs 0.3 ns.
-- (spec/lua/world/fence_spec.lua)

local require = require("ecs.standard").inner "ecs.ffi.fence_ffi"

return require("ffi").new("int32_t[1]")
