-- Loads ecs, and has functions compiled, where another library has changed how
-- the process computes before (spec/kernels/coarse.c). All numbers of this file
-- are exact. Prints a hash.

local path = assert(package.searchpath("coarse", package.cpath))
assert(package.loadlib(path, "*"))

local ecs = require "ecs"

local Faint = ecs.component("Faint", { a = "f32", b = "f64", n = "i32" })
local world = ecs.world {}
local spawn = world:spawner(Faint, "a", "b", "n")
for k = 1, 300 do spawn(k, k * 0x1p-1060, k % 5) end

local weights = { 3, 0x1.fffffffffffffp-1022, 0x123456789abcdp20 }
world:system { name = "compiled", query = { Faint }, compile = true,
  each = function(d, dt)
    local t = d.b * 7
    for k = 1, 3 do t = t + weights[k] * 0x1p-900 / 3 end
    if d.n == 0 then t = t - 4294967297 / 7 else t = t + 0x1.8p-1030 end
    d.a, d.b = d.a / 3 + dt, t + ecs.math.sin(d.a)
  end }
world:system { name = "exits", query = { Faint }, compile = true,
  each = function(d, _, e)
    if d.n == 4 and d.a < 0x1p-20 then tostring(e) end
    d.a = d.a / 7
  end }
world:system { name = "plain", query = { Faint }, compile = false,
  each = function(d) d.b = d.b / 3 end }
for _ = 1, 3 do world:progress(0.5) end
world:query({ Faint }):each(function(d, by) d.b = d.b / by end, 3)
for e, d in world:query({ Faint }):rows() do
  if d.n == 3 then world:set(e, Faint, "n", d.n - 3) end
end
print(world:hash())
