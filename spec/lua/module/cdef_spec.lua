-- The declarations for LuaJIT's FFI are those of the C headers.

--- The generator's output for a folder of the binding and the public header,
-- errors included.
local function generate(binding)
  local first = 0
  while arg[first - 1] do first = first - 1 end
  local pipe = assert(io.popen(string.format(
    "'%s' tools/generate_cdef.lua include/ecs.h '%s' 2>&1",
    arg[first]:gsub("'", ""), binding)))
  local made = pipe:read("*a")
  pipe:close()
  return made
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

describe("scripts/ecs/ffi/cdef.lua", function()
  it("is what tools/generate_cdef.lua makes of the headers", function()
    local made = generate("bindings/lua")
    assert.truthy(made:find("ecs_world_create", 1, true), "nothing was made")
    assert.truthy(made:find("RowLoop = ", 1, true), "no struct was made")
    assert.equal(made, read("scripts/ecs/ffi/cdef.lua"))
  end)
end)

describe("tools/generate_cdef.lua", function()
  local folder, shared
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("cp -r bindings/lua '" .. folder .. "'"))
    shared = folder .. "/query/batch_view.h"
  end)
  after_each(function() os.execute("rm -r '" .. folder .. "'") end)

  --- The generator's output after a change of the header that has the views.
  local function change(pattern, replacement)
    local text, count = read(shared):gsub(pattern, replacement)
    assert.equal(1, count)
    local file = assert(io.open(shared, "w"))
    file:write(text)
    file:close()
    return generate(folder)
  end

  it("follows a field that is new in C", function()
    local before = generate(folder)
    local after = change("(  int32_t slot;)", "  int64_t more;\n%1")
    assert.not_equal(before, after)
    assert.truthy(after:find("int64_t more;\n  int32_t slot;", 1, true), after)
  end)

  it("follows a number that is another in C", function()
    assert.truthy(change("(#define VIEW_FOCUS) 1", "%1 3")
      :find("VIEW_FOCUS = 3", 1, true))
  end)

  it("refuses a struct that is gone, and a type that no cdef knows", function()
    assert.truthy(change("struct ViewColumn {", "struct Other {")
      :find("no struct ViewColumn", 1, true))
    assert.truthy(change("struct Other {", "struct ViewColumn {\n Strange x;")
      :find("a field of type Strange", 1, true))
  end)

  it("refuses a function that returns bool: LuaJIT may crash", function()
    assert.truthy(change("struct ViewColumn {",
      "struct ViewColumn {\n  bool (*touch)(void *);")
      :find("returns bool: bool (*touch)(void *)", 1, true))
  end)
end)
