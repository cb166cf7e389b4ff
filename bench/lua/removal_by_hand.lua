--- removal_by_hand: sets of elements by hand in Lua, of which elements are
-- removed in an order; see bench_removal.

local by_hand = {}

--- fill() makes the elements; remove(k) removes element k; sum() adds up what
-- is left.
local function side(name, numbers, set)
  return {
    name = name, prepare = set.fill,
    run = function()
      local remove = set.remove
      for k = 1, #numbers do remove(numbers[k]) end
    end,
    check = function()
      local left = set.sum()
      set.fill()
      for k = 1, math.floor(#numbers / 2) do set.remove(numbers[k]) end
      return ("%d %d"):format(left, set.sum())
    end,
  }
end

function by_hand.sparse_set(numbers)
  local ids, place, a, b, count
  local set = {}
  function set.fill()
    ids, place, a, b, count = {}, {}, {}, {}, #numbers
    for k = 1, count do ids[k], place[k], a[k], b[k] = k, k, k, k + 1 end
  end
  function set.remove(k)
    local at, last = place[k], ids[count]
    ids[at], a[at], b[at], place[last] = last, a[count], b[count], at
    ids[count], a[count], b[count], place[k] = nil, nil, nil, nil
    count = count - 1
  end
  function set.sum()
    local sum = 0
    for k = 1, count do sum = sum + ids[k] % 7 * (a[k] + 3 * b[k]) end
    return sum
  end
  return side("sparse set", numbers, set)
end

function by_hand.rows_by_id(numbers)
  local rows
  local set = {}
  function set.fill()
    rows = {}
    for k = 1, #numbers do rows[k] = { a = k, b = k + 1 } end
  end
  function set.remove(k) rows[k] = nil end
  function set.sum()
    local sum = 0
    for k, row in pairs(rows) do sum = sum + k % 7 * (row.a + 3 * row.b) end
    return sum
  end
  return side("rows by id", numbers, set)
end

--- The places of the elements when it is their turn.
local function places_of(numbers, order)
  if order ~= "random" then return nil end
  local left, places = {}, {}
  for k = 1, #numbers do left[k] = k end
  for k = 1, #numbers do
    for at = 1, #left do
      if left[at] == numbers[k] then
        places[k] = at
        table.remove(left, at)
        break
      end
    end
  end
  return places
end

function by_hand.list(numbers, order)
  local list, turn
  local places = places_of(numbers, order)
  local set = {}
  function set.fill()
    list, turn = {}, 0
    for k = 1, #numbers do list[k] = { id = k, a = k, b = k + 1 } end
  end
  function set.remove()
    turn = turn + 1
    table.remove(list, places and places[turn] or order == "in order" and 1
      or #list)
  end
  function set.sum()
    local sum = 0
    for _, row in ipairs(list) do
      sum = sum + row.id % 7 * (row.a + 3 * row.b)
    end
    return sum
  end
  return side("list, table.remove", numbers, set)
end

return by_hand
