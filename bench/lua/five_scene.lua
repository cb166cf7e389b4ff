--- five_scene: the entities of bench_five.

local scene = require "scene"

local unpack = table.unpack or unpack -- luacheck: ignore

local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
local five = { names = {}, parts = {} }
local names = five.names
for letter in LETTERS:gmatch "." do names[#names + 1] = letter end
names[#names + 1] = "Data"
for _, name in ipairs(names) do
  five.parts[name] = scene.ecs.component("Five" .. name, { value = "f32" })
end

--- The first value of the component with this number of entity k.
function five.start(k, number) return k % 8 + number end

function five.number_of(name)
  for number, other in ipairs(names) do
    if other == name then return number end
  end
end

--- The entities of each test: groups of { count, component, ... }.
local groups = {
  packed_5 = { { 1000, "A", "B", "C", "D", "E" } },
  simple_iter = { { 1000, "A", "B" }, { 1000, "A", "B", "C" },
    { 1000, "A", "B", "C", "D" }, { 1000, "A", "B", "C", "E" } },
  frag_iter = {}, entity_cycle = { { 1000, "A" } },
  add_remove = { { 1000, "A" } },
}
for k = 1, 26 do groups.frag_iter[k] = { 100, names[k], "Data" } end

--- Calls make(k, names) for each entity of a test.
function five.populate(test, share, make)
  for _, group in ipairs(groups[test]) do
    local own = { unpack(group, 2) }
    for k = 1, math.ceil(group[1] * share) do make(k, own) end
  end
end

-- Tests whose second system undoes the first: what is checked is the sum in
-- between. It is that of all values, each by the number of its component.
five.halves = { entity_cycle = true, add_remove = true }

--- How many entities a test has.
function five.size(test)
  local size = 0
  for _, group in ipairs(groups[test]) do size = size + group[1] end
  return size
end

return five
