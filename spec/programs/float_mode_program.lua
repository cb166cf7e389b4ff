-- Computes with numbers near 0, and with roundings, before and after a library
-- has changed how the process computes (spec/kernels/coarse.c). Prints the mode
-- in which the process computes then, and "same" or the hashes that differ.

local ecs = require "ecs"

local Faint = ecs.component("Faint", { a = "f32", b = "f64" })

local function third(d) d.a, d.b = d.a / 3, d.b / 3 end

local function many(options)
  local world = ecs.world(options)
  for k = 1, 300 do
    world:spawn(Faint { a = k * 1e-38, b = k * 2 ^ -1020 })
  end
  return world
end

-- Numbers are made before the mode changes.
local worlds = {}

local function hashes(round)
  local list = {}
  for name, define in pairs {
    compiled = function(world)
      world:system { name = "s", query = { Faint }, compile = true,
        each = third }
    end,
    plain = function(world)
      world:system { name = "s", query = { Faint }, compile = false,
        each = third }
    end,
    batch = function(world)
      world:system { name = "s", query = { Faint }, batch = function(batch)
        local a, b = batch.Faint.a, batch.Faint.b
        for i = 1, batch.count do a[i], b[i] = a[i] / 3, b[i] / 3 end
      end }
    end,
    exits = function(world)
      world:system { name = "s", query = { Faint }, compile = true,
        each = function(d)
          d.a, d.b = d.a / 3, d.b / 3
          if d.b > 1 then tostring(d) end
        end }
    end,
    run = function(world)
      world:system { name = "s", run = function()
        for _, d in world:query({ Faint }):rows() do third(d) end
      end }
    end,
    total = function(world)
      local total = world:sum "total"
      world:system { name = "s", query = { Faint }, compile = true,
        each = function(d) total:add(d.b * 0.1) end }
    end,
  } do
    local world = worlds[round .. name]
    define(world)
    for _ = 1, 3 do world:progress(1) end
    list[name] = world:hash()
  end
  -- Outside of frames compiled functions compute so as well.
  local world = worlds[round .. "each"]
  for _ = 1, 3 do world:query({ Faint }):each(third) end
  list.each = world:hash()
  return list
end

for round = 1, 2 do
  for _, name in ipairs { "compiled", "plain", "batch", "exits", "run", "total",
      "each", "kernel" } do
    worlds[round .. name] = many {}
  end
end

local tiny, one = 2 ^ -1020, 1
local function mode()
  return (tiny / 2 ^ 10 == 0 and "flushes" or "keeps")
    .. (one / 3 * 3 == one and one + 2 ^ -60 == one and " nearest"
      or " directed")
end

local first = hashes(1)
print(mode())
assert(ecs.load_native "coarse")
print(mode())
local second, different = hashes(2), {}
for name, hash in pairs(first) do
  if second[name] ~= hash then different[#different + 1] = name end
end
-- And the kernel of that library.
local kernel = worlds["2kernel"]
kernel:system { name = "s", query = { Faint }, native = "coarse.third" }
for _ = 1, 3 do kernel:progress(1) end
if kernel:state_hash() ~= worlds["1compiled"]:state_hash() then
  different[#different + 1] = "kernel"
end
table.sort(different)
print(#different == 0 and "same" or table.concat(different, " "))
print(mode())
