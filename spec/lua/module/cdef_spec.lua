-- The declarations for LuaJIT's FFI are those of the public header.

describe("scripts/ecs/ffi/cdef.lua", function()
  it("is what tools/generate_cdef.lua makes of ecs.h", function()
    local first = 0
    while arg[first - 1] do first = first - 1 end
    local interpreter = arg[first]
    local pipe = assert(io.popen(string.format(
      "'%s' tools/generate_cdef.lua include/ecs.h",
      interpreter:gsub("'", ""))))
    local made = pipe:read("*a")
    pipe:close()
    local file = assert(io.open("scripts/ecs/ffi/cdef.lua"))
    local stored = file:read("*a")
    file:close()
    assert.truthy(made:find("ecs_world_create", 1, true), "nothing was made")
    assert.equal(made, stored)
  end)
end)
