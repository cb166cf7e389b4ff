-- bench_removal: removing every element of a set, one by one and at once, the
-- workload of an article on sparse sets, as bench/bench_removal.c has it: in
-- the order in which they came, in random order and in reverse. An element has
-- two numbers; in a world it is a sparse component of two f32, beside another
-- component. Filling the set again is not timed. A time is per element.
--
-- By hand (removal_by_hand.lua): a sparse set of arrays, a table of rows by id,
-- and for few elements a list whose elements move up (table.remove), of which
-- the place is known.
--
-- - remove: world:remove of each, and one q:remove.
-- - destroy: world:destroy of each, and one q:destroy.
--
-- What is checked: what remains after half of the removals one by one.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local measure = require "measure"
local scene = require "scene"
local by_hand = require "removal_by_hand"

local ecs = scene.ecs

local Element = ecs.component("Element", { a = "f32", b = "f32" },
  { storage = "sparse" })
local Other = ecs.component("OtherElement", { a = "f32", b = "f32" })

--- The numbers 1 to count in the order in which elements go.
local function order_of(count, order)
  local numbers = {}
  for k = 1, count do
    numbers[k] = order == "reverse" and count + 1 - k or k
  end
  return order == "random" and scene.shuffle(numbers) or numbers
end

-- Worlds -------------------------------------------------------------------

--- world, and the entities in the order in which elements go.
local function new_scene(numbers)
  local world, first, ids = ecs.world {}, {}, {}
  for k = 1, #numbers do first[k] = world:spawn(Other) end
  for k, number in ipairs(numbers) do ids[k] = first[number] end
  local add = world:setter(Element, "a", "b")
  return {
    world = world, ids = ids, query = world:query { read = { Element } },
    fill = function()
      for k = 1, #first do add(first[k], k, k + 1) end
    end,
    number = function(e) return e % 2 ^ 28 - first[1] % 2 ^ 28 + 1 end,
  }
end

local function sum_of(s)
  local sum = 0
  for e, row in s.query:rows() do
    sum = sum + s.number(e) % 7 * (row.a + 3 * row.b)
  end
  return sum
end

local function world_side(name, numbers, run)
  local s = new_scene(numbers)
  return {
    name = name, prepare = s.fill, run = function() run(s) end,
    check = function()
      local left = sum_of(s)
      s.fill()
      for k = 1, math.floor(#numbers / 2) do
        s.world:remove(s.ids[k], Element)
      end
      return ("%d %d"):format(left, sum_of(s))
    end,
  }
end

local function remove_each(s)
  local world, ids, component = s.world, s.ids, Element
  for k = 1, #ids do world:remove(ids[k], component) end
end

local function remove_at_once(s) s.query:remove(Element) end

--- Destroys what spawner makes anew before every run.
local function destroy_side(name, numbers, run)
  local world, ids, query
  local function fill()
    if world then world:close() end
    world, ids = ecs.world {}, {}
    query = world:query { read = { Element } }
    local spawn, first = world:spawner(Element, "a", "b"), {}
    for k = 1, #numbers do first[k] = spawn(k, k + 1) end
    for k, number in ipairs(numbers) do ids[k] = first[number] end
  end
  local function sum()
    local total = 0
    for e, row in query:rows() do
      total = total + (e % 2 ^ 28) % 7 * (row.a + 3 * row.b)
    end
    return total
  end
  return {
    name = name, prepare = fill,
    run = function() run(world, ids, query) end,
    check = function()
      local left, offset = sum(), 0
      fill()
      for _, e in ipairs(ids) do offset = math.max(offset, e % 2 ^ 28) end
      assert(offset == #numbers) -- so that numbers are those by hand
      for k = 1, math.floor(#numbers / 2) do world:destroy(ids[k]) end
      return ("%d %d"):format(left, sum())
    end,
  }
end

local function destroy_each(world, ids)
  for k = 1, #ids do world:destroy(ids[k]) end
end

local function destroy_at_once(_, _, query) query:destroy() end

measure.open("lua removal", arg)
for _, order in ipairs { "in order", "random", "reverse" } do
  measure.contest(order, { 1000, 10000, 100000 }, function(count)
    local numbers = order_of(count, order)
    local sides = {
      by_hand.sparse_set(numbers), by_hand.rows_by_id(numbers),
      world_side("remove", numbers, remove_each),
      world_side("q:remove", numbers, remove_at_once),
      destroy_side("destroy", numbers, destroy_each),
      destroy_side("q:destroy", numbers, destroy_at_once),
    }
    if count <= 1000 then sides[7] = by_hand.list(numbers, order) end
    return sides
  end, 7)
end
measure.close()
