-- Bitwise operators of Lua 5.4 and LuaJIT's bit, compiled: what rows hold
-- afterwards is what plain Lua leaves in them.

local ecs = require "ecs"
local has_jit = rawget(_G, "jit") ~= nil

local B = ecs.component("BitsB", { i = "i32", u = "u32", b = "u8", s = "i16",
  x = "f64", f = "f32", out = "f64" })

local huge = math.huge
local NUMBERS = { 0, 1, -1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 127, 255, -256, 0.5,
  -1.5, 32767, 65535, 65536, -65536, 2147483647, -2147483648, 2147483648,
  4294967295, 4294967296, 2 ^ 50 - 1, 2 ^ 50, -2 ^ 50, 2 ^ 52 + 2, -1 / huge }

local function within(number, low, high)
  return math.floor(math.max(low, math.min(high, number)))
end

--- Runs a function on all pairs of numbers, row by row in worlds of their own
-- where an error could hide the rows behind it. Returns all results as text.
local function run(f, compile, alone, precision)
  local lines, world = {}, nil
  local function frame()
    world:system { name = "s", query = { B }, each = f, compile = compile }
    local done = pcall(world.progress, world, 1)
    for _, b in world:query({ B }):rows() do
      lines[#lines + 1] = ("%.17g %.17g %d"):format(b.out, b.x, b.i)
    end
    lines[#lines + 1] = tostring(done)
    local exits = world:stats("s").exits
    world:close()
    world = nil
    return exits
  end
  local exits = 0
  for j, a in ipairs(NUMBERS) do
    for k = alone and j % 7 + 1 or 1, #NUMBERS, alone and 7 or 1 do
      local c = NUMBERS[k]
      world = world or ecs.world { precision = precision }
      world:spawn(B { i = within(a, -2 ^ 31, 2 ^ 31 - 1),
        u = within(c, 0, 2 ^ 32 - 1), b = within(c, 0, 255), s = k - 9,
        x = a, f = c })
      if alone then exits = exits + frame() end
    end
  end
  if world then exits = exits + frame() end
  return (table.concat(lines, "\n"):gsub("-?nan", "nan")), exits
end

local count = 0

--- The function of a body, from a file, as a program's functions are.
local function load_body(body)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  count = count + 1
  file:write("local bit = ... return function(p, dt, e) " .. body .. " end")
  file:close()
  local f = assert(loadfile(path))(has_jit and require "bit" or nil)
  return f, path
end

--- Asserts that a body compiles, as a whole unless exits is true, and does what
-- it does as plain Lua.
local function alike(body, exits)
  local f, path = load_body(body)
  local wanted = run(f, false, exits)
  local seen, taken = run(f, exits and true or "whole", exits, "double")
  assert.equal(wanted, seen, body)
  os.remove(path)
  return taken
end

if has_jit then
  describe("LuaJIT's bit, compiled,", function()
    it("has all its functions", function()
      for _, name in ipairs { "band", "bor", "bxor" } do
        alike("p.out = bit." .. name .. "(p.i, p.u)")
        alike("p.out = bit." .. name .. "(p.s, p.b, 12)")
        alike("p.out = bit." .. name .. "(p.u)")
      end
      for _, name in ipairs { "bnot", "tobit" } do
        alike("p.out = bit." .. name .. "(p.u) + bit." .. name .. "(p.i)")
      end
      for _, name in ipairs { "lshift", "rshift", "arshift" } do
        for _, bits in ipairs { 0, 1, 5, 30, 31 } do
          alike(("p.out = bit.%s(p.i, %d) p.x = bit.%s(p.u, %d)"):format(name,
            bits, name, bits))
        end
      end
      alike "p.out = bit.band(bit.rshift(p.u, 8), 255) + bit.bnot(p.b)"
    end)

    it("leaves other rows to plain Lua", function()
      for _, name in ipairs { "band", "bor", "bxor" } do
        assert.is_true(alike("p.out = bit." .. name .. "(p.x, p.u)", true) > 0)
      end
      alike("p.out = bit.tobit(p.x) + bit.bnot(p.f)", true)
      for _, name in ipairs { "lshift", "rshift", "arshift" } do
        assert.is_true(alike("p.out = bit." .. name .. "(p.i, p.b)", true) > 0)
        alike("p.out = bit." .. name .. "(p.x, 7)", true)
      end
      assert.equal(0, (alike("p.out = bit.lshift(1, bit.band(p.b, 31))", true)))
    end)
  end)
else
  describe("a bitwise operator, compiled,", function()
    it("takes integers", function()
      for _, sign in ipairs { "&", "|", "~" } do
        alike("p.out = p.i " .. sign .. " p.u")
        alike("p.out = p.s " .. sign .. " p.b " .. sign .. " 12")
        alike("p.out = (p.u " .. sign .. " -1) + (p.i " .. sign .. " 5.0)")
      end
      alike "p.out = ~p.i + ~p.u * ~p.b"
      alike "p.out = p.i & 255 | p.u >> 3 ~ p.b << 4"
      for _, bits in ipairs { 0, 1, 5, 20 } do
        alike(("p.out = (p.i << %d) + (p.b << %d)"):format(bits, bits))
        alike(("p.out = (p.u >> %d) + (p.b >> %d)"):format(bits, bits))
      end
      alike "if p.b & 4 ~= 0 then p.out = p.b & ~4 end"
    end)

    it("leaves other rows to plain Lua", function()
      for _, sign in ipairs { "&", "|", "~" } do
        assert.is_true(alike("p.out = p.x " .. sign .. " p.u", true) > 0)
        alike("p.out = p.f " .. sign .. " p.x", true)
      end
      alike("p.out = ~p.x", true)
      assert.is_true(alike("p.out = p.i << p.b", true) > 0)
      assert.is_true(alike("p.out = p.i >> 2", true) > 0)
      assert.is_true(alike("p.out = p.i << p.s", true) > 0)
      alike("p.out = p.x << 3", true)
      alike("p.out = p.u >> p.b", true)
      alike("p.out = p.u << 45", true)
      assert.equal(0, (alike("p.out = 1 << (p.b & 31)", true)))
    end)

    it("gives integers to numbers outside", function()
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      file:write [[
        local n, m, l = 0, 0, 0
        return function(p)
          n = n + (p.b & 7) m = m + (p.b >> 1) l = l + (p.s << 2)
        end, function() return n, m, l end]]
      file:close()
      local each, read = assert(loadfile(path))()
      local world = ecs.world {}
      for k = 1, 300 do world:spawn(B { b = k % 256, s = 3 - k }) end
      world:system { name = "s", query = { B }, each = each, compile = true }
      world:progress(1)
      local seen = {}
      for k, number in ipairs { read() } do
        seen[k] = math.type(number) .. " " .. number
      end
      local other, plain = assert(loadfile(path))()
      world = ecs.world {}
      for k = 1, 300 do world:spawn(B { b = k % 256, s = 3 - k }) end
      world:system { name = "s", query = { B }, each = other, compile = false }
      world:progress(1)
      for k, number in ipairs { plain() } do
        assert.equal(math.type(number) .. " " .. number, seen[k])
      end
      os.remove(path)
    end)
  end)
end
