-- Native kernels give the same bits on machines with and without fused
-- multiply-add, because ecs_kernel.h keeps the compiler from using it.

-- The assembly of C code, compiled for x86-64-v3, which has fused multiply-add.
local function assembly(compiler, code)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(code)
  file:close()
  local pipe = assert(io.popen(compiler .. " -O3 -march=haswell -Iinclude "
    .. "-x c -S -o - " .. name .. " 2>/dev/null"))
  local text = pipe:read("*a")
  pipe:close()
  os.remove(name)
  return text
end

local multiply_add = [[
void multiply_add(float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * b[i] + c[i];
}
]]

local function fuses(text)
  return text:find("vfn?m%a+") ~= nil
end

describe("code after ecs_kernel.h", function()
  for _, compiler in ipairs { "gcc -std=gnu11", "gcc -std=gnu11 "
      .. "-ffp-contract=fast", "clang -std=gnu11" } do
    it("has no fused multiply-add from " .. compiler, function()
      local without = assembly(compiler, multiply_add)
      if not fuses(without) then
        pending(compiler .. " is not here, or does not fuse")
        return
      end
      local with = assembly(compiler, "#include <ecs_kernel.h>\n"
        .. multiply_add)
      assert.truthy(with:find("multiply_add", 1, true))
      assert.is_false(fuses(with))
    end)
  end

  it("has none in the kernels of the examples", function()
    if not fuses(assembly("gcc -std=gnu11", multiply_add)) then
      pending "no compiler here fuses"
      return
    end
    for _, path in ipairs { "examples/05_native_kernel/physics.c",
        "spec/kernels/many.c" } do
      local code = "#include \"" .. path .. "\""
      local text = assembly("gcc -std=gnu11 -I.", code)
      assert.truthy(text:find("ecs_kernel_library", 1, true), path)
      assert.is_false(fuses(text), path)
    end
  end)
end)
