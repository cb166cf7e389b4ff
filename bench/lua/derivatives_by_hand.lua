--- derivatives_by_hand: positions with a chain of derivatives, written by hand
-- in Lua. An entity of class k has numbers 0 (the position) to k; classes is
-- the list of the classes of all entities, in order of creation.
--
--      objects     a table for each, with a method of its class
--      lists       for each class an array for each number
--      columns     an array for each number, higher classes first, so that
--                  those that have a number are the first of its array

local load = loadstring or load -- luacheck: ignore

local by_hand = { DT = 1 / 4 }

--- Number d of the entity that is number k of its class: small, so that a few
-- ticks are exact in an f32.
function by_hand.value(k, d) return k % 32 + d end

--- A number that depends on all values. totals: the sum of each number.
function by_hand.mix(totals)
  local sum = 0
  for d = 0, #totals do sum = sum + (d + 1) * totals[d] end
  return sum
end

--- The text of a class of objects, as one writes it down who knows the number
-- of derivatives: a constructor from the first number, and a method.
local CLASS = [[
local Object = {}
Object.__index = Object
function Object.update(self, dt)
  %s
end
return function(n) return setmetatable({ %s }, Object) end]]

local function class_of(k)
  local steps, fields = {}, { "class = " .. k, "d0 = n" }
  for d = 1, k do
    steps[d] = ("self.d%d = self.d%d + self.d%d * dt"):format(d - 1, d - 1, d)
    fields[d + 2] = ("d%d = n + %d"):format(d, d)
  end
  local text = CLASS:format(table.concat(steps, "\n  "),
    table.concat(fields, ", "))
  return load(text)()
end

local constructors = {}
for k = 0, 12 do constructors[k] = class_of(k) end

--- One object for each entity.
function by_hand.objects(classes)
  local list, numbers = {}, {}
  for i = 1, #classes do
    local class = classes[i]
    local k = (numbers[class] or 0) + 1
    numbers[class] = k
    list[i] = constructors[class](k % 32)
  end
  return list
end

local names = {}
for d = 0, 12 do names[d] = "d" .. d end

function by_hand.objects_check(list, last)
  local totals = {}
  for d = 0, last do totals[d] = 0 end
  for _, object in ipairs(list) do
    for d = 0, object.class do
      totals[d] = totals[d] + object[names[d]]
    end
  end
  return by_hand.mix(totals)
end

--- The arrays of each class: lists[class][d][k]. make(count) makes one.
function by_hand.lists(classes, last, make)
  local lists, numbers = {}, {}
  for class = 0, last do
    lists[class], numbers[class] = {}, 0
    for d = 0, class do lists[class][d] = make(#classes) end
  end
  for i = 1, #classes do
    local class = classes[i]
    local arrays, k = lists[class], numbers[class] + 1
    numbers[class] = k
    for d = 0, class do arrays[d][k] = k % 32 + d end
  end
  return lists, numbers
end

function by_hand.lists_check(lists, numbers, last)
  local totals = {}
  for d = 0, last do
    totals[d] = 0
    for class = d, last do
      local array = lists[class][d]
      for k = 1, numbers[class] do totals[d] = totals[d] + array[k] end
    end
  end
  return by_hand.mix(totals)
end

--- The columns, and how many rows each has.
function by_hand.columns(classes, last, make)
  local columns, counts, sizes = {}, {}, {}
  for d = 0, last do columns[d], counts[d], sizes[d] = make(#classes), 0, 0 end
  for i = 1, #classes do sizes[classes[i]] = sizes[classes[i]] + 1 end
  for class = last, 0, -1 do
    for k = 1, sizes[class] do
      for d = 0, class do
        counts[d] = counts[d] + 1
        columns[d][counts[d]] = by_hand.value(k, d)
      end
    end
  end
  return columns, counts
end

local function accumulate(to, from, count, dt)
  for k = 1, count do to[k] = to[k] + from[k] * dt end
end

function by_hand.columns_tick(columns, counts, last, dt)
  for d = 1, last do accumulate(columns[d - 1], columns[d], counts[d], dt) end
end

function by_hand.columns_check(columns, counts, last)
  local totals = {}
  for d = 0, last do
    totals[d] = 0
    for k = 1, counts[d] do totals[d] = totals[d] + columns[d][k] end
  end
  return by_hand.mix(totals)
end

return by_hand
