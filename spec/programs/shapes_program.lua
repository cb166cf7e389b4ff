-- Loops over rows of more shapes than LuaJIT has room for types. LuaJIT never
-- frees a type, so rows_left_spec.lua runs this program in a process of its
-- own.

local ecs = require "ecs"

-- A shape is an order of field types: 64 fields, 10 of which make it unique.
local function fields(number)
  local types = {}
  for f = 1, 64 do
    types[("f%02d"):format(f)] = number % 2 == 0 and "f32" or "f64"
    number = math.floor(number / 2)
  end
  return types
end

local world = ecs.world {}
for shape = 0, 1023 do
  local Wide = ecs.component("Shape" .. shape, fields(shape))
  world:spawn_many(3, { Wide { f01 = 1, f64 = 2 } })
  local query, sum = world:query { Wide }, 0.0
  query:each(function(row) -- not compiled: it changes what is outside
    row.f01 = row.f01 + row.f64
    sum = sum + row.f01
  end)
  for _, row in query:rows() do sum = sum + row.f01 end
  assert(sum == 18, shape)
end
print "ok"
