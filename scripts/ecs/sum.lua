--- sum: sums and extremes over the rows of a system.
--
--     local alive = world:sum "alive"
--     world:system { name = "count", query = { Health },
--       each = function(h) if h.hp > 0 then alive:add(1) end end }
--     world:progress(1 / 60)
--     print(alive:value())
--
-- A sum belongs to a world and has a name; world:min and world:max likewise. It
-- begins anew with every run of a system, or of q:each, that adds to it.
--
-- The order in which numbers are added is fixed, because rounding depends on it,
-- and is the one of compiled systems: what one row adds comes together first;
-- row n of the walk goes to lane n % 16; after 1024 rows, and at the end, lanes
-- are added in pairs, and their sum to the total.

local native = require "ecs.native"
local current = require "ecs.current"
local message = require "ecs.message"

local core = native.core

local LANES, ROWS = 16, 1024

local steps = {
  sum = function(a, b) return a + b end,
  min = function(a, b) if b < a then return b end return a end,
  max = function(a, b) if b > a then return b end return a end,
}
local starts = { sum = 0.0, min = 1 / 0, max = -1 / 0 }

local sum = {}

--- What a script holds is an empty table; this leads to what it stands for.
local insides = setmetatable({}, { __mode = "k" })

local methods = {}
local face = { __index = methods, __metatable = false,
               __newindex = function()
                 error("ecs: a sum has no fields: call add and value", 2)
               end,
               __tostring = function(object)
                 local self = insides[object]
                 return "ecs." .. self.kind .. " (" .. self.name .. ")"
               end }

local function check(object, call)
  local self = insides[object]
  if self then return self end
  return error("ecs: " .. call .. " is called on a sum, as in total:" .. call
    .. "(): use ':'", 3)
end

local function clear(self)
  for k = 0, LANES - 1 do self.lanes[k] = starts[self.kind] end
end

local function fold(self)
  local lanes, step, apart = self.lanes, steps[self.kind], LANES / 2
  while apart >= 1 do
    for k = 0, apart - 1 do lanes[k] = step(lanes[k], lanes[k + apart]) end
    apart = apart / 2
  end
  self.total = step(self.total, lanes[0])
  clear(self)
end

--- Brings what the last row added into its lane. Rows between two that add, add
-- nothing: only the ends of blocks among them matter.
local function settle(self)
  local row = self.row
  if row < 0 then return end
  local lane = row % LANES
  self.lanes[lane] = steps[self.kind](self.lanes[lane], self.pending)
  self.pending, self.row = starts[self.kind], -1
end

--- Everything before row is in the total, as far as whole blocks go.
local function advance(self, row)
  settle(self)
  local block = (row - row % ROWS) / ROWS
  if block ~= self.block then
    fold(self)
    self.block = block
  end
end

local function begin(self)
  self.total, self.pending = starts[self.kind], starts[self.kind]
  self.row, self.block, self.run = -1, 0, current.run
  clear(self)
end

--- Adds a number, from inside an each function.
function methods.add(object, number)
  local self = check(object, "add")
  if type(number) ~= "number" then
    error("ecs: add takes a number, not " .. message.describe(number), 2)
  end
  local _, row = current.place(self.world)
  if self.run ~= current.run then begin(self) end
  if row ~= self.row then
    advance(self, row)
    self.row = row
  end
  self.pending = steps[self.kind](self.pending, number * 1.0)
end

--- What the last run that added to it came to; of no run: 0, or for min and max
-- an infinity.
function methods.value(object)
  local self = check(object, "value")
  if self.row >= 0 then
    settle(self)
    fold(self)
  elseif self.open then
    fold(self)
  end
  return self.total
end

--- For compiled code: what a run came to.
function sum.put(object, total)
  local self = insides[object]
  begin(self)
  self.total = total
end

--- The kind of a sum: "sum", "min" or "max"; nil for anything else.
function sum.kind(object)
  local self = insides[object]
  return self and self.kind
end

local function maker(kind)
  return function(world, name)
    native.check_world(world, kind)
    if type(name) ~= "string" or name == "" then
      error("ecs: " .. kind .. " takes a name, as in world:" .. kind
        .. " 'total'", 2)
    end
    local state = core.state(world)
    state.sums = state.sums or {}
    local key = kind .. " " .. name
    local object = state.sums[key]
    if not object then
      object = setmetatable({}, face)
      insides[object] = { kind = kind, name = name, world = world, lanes = {} }
      begin(insides[object])
      state.sums[key] = object
    end
    return object
  end
end

core.install("ecs.World", { sum = maker "sum", min = maker "min",
                            max = maker "max" })

return sum
