--- five_by_hand: the tests of bench_five with tables.

local five = require "five_scene"

local names, start, number_of = five.names, five.start, five.number_of
local halves, populate = five.halves, five.populate

local function doubling(name)
  return function(lists)
    for _, e in ipairs(lists[name]) do
      local part = e[name]
      part.value = part.value * 2
    end
  end
end

local function swapping(one, other)
  local both = one .. other
  return function(lists)
    for _, e in ipairs(lists[both]) do
      local a, b = e[one], e[other]
      a.value, b.value = b.value, a.value
    end
  end
end

local steps = {
  packed_5 = { doubling "A", doubling "B", doubling "C", doubling "D",
    doubling "E" },
  simple_iter = { swapping("A", "B"), swapping("C", "D"), swapping("C", "E") },
  frag_iter = { doubling "Data", doubling "Z" },
  entity_cycle = { function(lists)
    local made = lists.B
    for k = 1, #lists.A do made[k] = { B = { value = 1 } } end
  end, function(lists)
    local made = lists.B
    for k = #made, 1, -1 do made[k] = nil end
  end },
  add_remove = { function(lists)
    for _, e in ipairs(lists.A) do e.B = { value = 1 } end
  end, function(lists)
    for _, e in ipairs(lists.A) do e.B = nil end
  end },
}

return function(test, share)
  local lists, all
  local function reset()
    lists, all = {}, {}
    for _, name in ipairs(names) do lists[name] = {} end
    lists.AB, lists.CD, lists.CE = {}, {}, {}
    populate(test, share, function(k, own)
      local e = {}
      all[#all + 1] = e
      for _, name in ipairs(own) do
        e[name] = { value = start(k, number_of(name)) }
        table.insert(lists[name], e)
      end
      for _, pair in ipairs { "AB", "CD", "CE" } do
        if e[pair:sub(1, 1)] and e[pair:sub(2)] then
          table.insert(lists[pair], e)
        end
      end
    end)
  end
  reset()
  return {
    name = "tables", reset = reset, operations = #all,
    run = function() for _, step in ipairs(steps[test]) do step(lists) end end,
    check = function()
      local sum, kept = 0, halves[test]
      if kept then steps[test][1](lists) end
      local function add(e)
        for name, part in pairs(e) do
          sum = sum + number_of(name) * part.value
        end
      end
      for _, e in ipairs(all) do add(e) end
      for _, e in ipairs(test == "entity_cycle" and lists.B or {}) do add(e) end
      if kept then steps[test][2](lists) end
      return ("%d"):format(sum)
    end,
  }
end
