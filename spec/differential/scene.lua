--- scene: worlds with rows for a generated function, made alike many times.
--
-- A scene is data: entities, their components and values. It fills any number
-- of worlds, in which the entities have the same handles. It has targets to
-- read (some dead), and rows in several tables and sparse sets, some of which
-- the query does not match. A third of the numbers are edges of their type.

local ecs = require "ecs"
local catalogue = require "differential.catalogue"
local generate = require "differential.generate"

local scene = {}

local huge = math.huge

local function fields_of(list)
  local fields = {}
  for _, field in ipairs(list) do fields[field[1]] = field[2] end
  return fields
end

local P = ecs.component("DifferentialP", fields_of(catalogue.rows.p))
local V = ecs.component("DifferentialV", fields_of(catalogue.rows.v))
local O = ecs.component("DifferentialO", fields_of(catalogue.rows.o))
local L = ecs.component("DifferentialL", fields_of(catalogue.looked.l))
local R = ecs.component("DifferentialR", fields_of(catalogue.rows.r),
  { storage = "sparse" })
local T = ecs.tag "DifferentialT"
local S = ecs.tag("DifferentialS", { storage = "sparse" })
scene.definitions = { P = P, V = V, O = O, L = L, R = R, T = T, S = S }

local edges = {
  f32 = { 0, -1 / huge, 1, -1, 0.5, 2, 1e-40, -1e-42, 1.4012984643248171e-45,
          3.4028234663852886e38, -3.4028234663852886e38, 1.1754943508222875e-38,
          huge, -huge, 0 / 0, 16777216, 16777217, 255.5, -128.5, 2147483648,
          4294967296, 0.99999994039535522, 0.1, 127, 0 / 0, -1 / huge },
  f64 = { 0, -1 / huge, 1, -1, 0.5, 2, 1e-310, -5e-324, 1e308, -1e308, huge,
          -huge, 0 / 0, 9007199254740992, 3.5e38, 1e-46, 2147483647.5,
          0.30000000000000004, 0.1, 4294967296, 0 / 0, -1 / huge },
  i8 = { -128, 127, 0, 1, -1 }, u8 = { 0, 255, 1, 2, 128 },
  i16 = { -32768, 32767, 0, -1, 1 }, u16 = { 0, 65535, 1, 32768 },
  i32 = { -2147483648, 2147483647, 0, 1, -1, 16777217, 2147483583 },
  u32 = { 0, 4294967295, 1, 2147483648, 16777217, 4294967040 },
}

local least = { i8 = -128, u8 = 0, i16 = -32768, u16 = 0, i32 = -2147483648,
                u32 = 0 }
local most = { i8 = 127, u8 = 255, i16 = 32767, u16 = 65535, i32 = 2147483647,
               u32 = 4294967295 }

--- The name under which a special input is counted; nil for others.
local function class_of(value, scalar)
  if value ~= value then return "value nan" end
  if value == huge then return "value inf" end
  if value == -huge then return "value -inf" end
  if value == 0 then return 1 / value < 0 and "value -0" or "value 0" end
  if least[scalar] == value then return "value least integer" end
  if most[scalar] == value then return "value largest integer" end
  local tiny = scalar == "f32" and 1.1754943508222875e-38
    or 2.2250738585072014e-308
  if math.abs(value) < tiny then return "value denormal" end
  return nil
end

local function number_for(scalar, random)
  local list = edges[scalar]
  if random() < 0.33 then
    return list[math.floor(random() * #list) + 1]
  elseif least[scalar] then
    local near = random() < 0.5
    local low = near and math.max(least[scalar], -20) or least[scalar]
    local high = near and 20 or most[scalar]
    return low + math.floor(random() * (high - low + 1))
  end
  return (random() * 2 - 1) * (random() < 0.5 and 2 or 100)
end

--- Values for the fields of a component; the field who gets handles.
local function values_for(list, random, handles, counts)
  local values = {}
  for _, field in ipairs(list) do
    local name, scalar = field[1], field[2]
    if scalar == "bool" then
      values[name] = random() < 0.5
    elseif scalar == "entity" then
      local at = math.floor(random() * (#handles + 3)) + 1
      values[name] = handles[at]
    else
      local value = number_for(scalar, random)
      values[name] = value
      local class = class_of(value, scalar)
      if class then counts[class] = (counts[class] or 0) + 1 end
    end
  end
  return values
end

--- The plan of one entity: a list of parts.
local function target_parts(random, handles, counts)
  local parts = { L(values_for(catalogue.looked.l, random, handles, counts)) }
  if random() < 0.5 then
    parts[2] = V(values_for(catalogue.rows.v, random, handles, counts))
  end
  if random() < 0.3 then parts[#parts + 1] = T end
  if random() < 0.3 then parts[#parts + 1] = S end
  return parts
end

local function row_parts(random, handles, counts)
  local rows = catalogue.rows
  local parts = { P(values_for(rows.p, random, handles, counts)) }
  if random() < 0.95 then
    parts[2] = V(values_for(rows.v, random, handles, counts))
  end
  if random() < 0.6 then
    parts[#parts + 1] = O(values_for(rows.o, random, handles, counts))
  end
  if random() < 0.7 then
    parts[#parts + 1] = R(values_for(rows.r, random, handles, counts))
  end
  if random() < 0.25 then
    parts[#parts + 1] = L(values_for(catalogue.looked.l, random, handles,
      counts))
  end
  if random() < 0.3 then parts[#parts + 1] = T end
  if random() < 0.25 then parts[#parts + 1] = S end
  return parts
end

local spread = rawget(table, "unpack") or rawget(_G, "unpack")
local TARGETS = 6

--- The number of rows for a generated function. One with a branch for few rows
-- has more of them often: few is one in four of a table.
function scene.size(made)
  local random = generate.random(made.seed * 3 + 1)
  local kind = random()
  if made.has_rare and kind > 0.4 then return 30 + math.floor(random() * 41) end
  if kind < 0.008 then return 1023 + math.floor(random() * 3) end
  if kind < 0.04 then return 0 end
  if kind < 0.15 then return 17 + math.floor(random() * 54) end
  return 1 + math.floor(random() * 16)
end

--- A scene with a number of rows, and its first world.
function scene.make(seed, count, counts)
  local random = generate.random(seed * 5 + 2)
  local made, handles, world = { parts = {} }, {}, ecs.world {}
  for k = 1, TARGETS + count do
    local parts = k <= TARGETS and target_parts(random, handles, counts)
      or row_parts(random, handles, counts)
    made.parts[k] = parts
    handles[k] = world:spawn(spread(parts))
  end
  world:destroy(handles[2])
  made.handles, made.first = handles, world
  return made
end

--- A world with the scene in it.
function scene.world(made)
  local world = made.first
  made.first = nil
  if world then return world end
  world = ecs.world {}
  for k, parts in ipairs(made.parts) do
    assert(world:spawn(spread(parts)) == made.handles[k])
  end
  world:destroy(made.handles[2])
  return world
end

--- The query of a function.
function scene.query(shape)
  return { P, shape.r and R or nil, read = { V },
           optional = shape.o and { O } or nil }
end

--- A grid over all rows of a world.
function scene.grid(world)
  return world:grid { query = { read = { P } }, at = { P, "a", "b" },
                      cell = 1.5 }
end

-- Reports --------------------------------------------------------------------

local function show(value)
  if type(value) ~= "number" then return tostring(value) end
  if value ~= value then return "nan" end
  return string.format("%.17g", value)
end

local order = { "P", "R", "V", "O", "L" }
local lists = { P = catalogue.rows.p, R = catalogue.rows.r,
                V = catalogue.rows.v, O = catalogue.rows.o,
                L = catalogue.looked.l }

--- The components of an entity, as a list of { name, text }.
function scene.tell(world, handle)
  if not world:alive(handle) then return { { "alive", "false" } } end
  local list = {}
  for _, name in ipairs(order) do
    local values = world:get(handle, scene.definitions[name])
    for _, field in ipairs(lists[name]) do
      list[#list + 1] = { name .. "." .. field[1],
        values and show(values[field[1]]) or "-" }
    end
  end
  for _, name in ipairs { "T", "S" } do
    list[#list + 1] = { name,
      tostring(world:has(handle, scene.definitions[name])) }
  end
  return list
end

--- The first rows that differ, with their values before, as lines.
function scene.compare(made, before, one, other, names)
  local lines = {}
  for k, handle in ipairs(made.handles) do
    local first, second = scene.tell(one, handle), scene.tell(other, handle)
    local old, found = scene.tell(before, handle), {}
    for j = 1, math.max(#first, #second) do
      local a, b = first[j] or { "?", "?" }, second[j] or { "?", "?" }
      if a[1] ~= b[1] or a[2] ~= b[2] then
        found[#found + 1] = string.format("  %s: %s %s, %s %s", a[1],
          names[1], a[2], names[2], b[2])
      end
    end
    if #found > 0 and #lines < 40 then
      local texts = {}
      for j, pair in ipairs(old) do texts[j] = pair[1] .. "=" .. pair[2] end
      lines[#lines + 1] = string.format("entity %.0f (%s)", k,
        table.concat(texts, " "))
      for _, line in ipairs(found) do lines[#lines + 1] = line end
    end
  end
  return lines
end

return scene
