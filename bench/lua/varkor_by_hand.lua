--- varkor_by_hand: two storages of components by hand in Lua, with the methods
-- that varkor_programs calls.
--
--      tables        for each component a table: of an entity's fields by id
--      sparse sets   for each component the fields of all that have it, in a
--                    list without holes, and where in it an entity stands
--
-- Ids are given again. Nothing is checked: not that an entity is alive, nor
-- that it has what is written; only what is added twice stays.

local by_hand = {}

local makers = {
  function() return { a = 0, b = 0, c = 0, d = 0, e = 0, f = 0 } end,
}
for k = 2, 4 do
  makers[k] = function() return { a = 0, b = 0, c = 0, d = 0 } end
end

-- Entities -----------------------------------------------------------------

local function new_space(sets)
  return { sets = sets, last = 0, free = {}, free_count = 0, living = 0 }
end

local function spawn(self)
  self.living = self.living + 1
  local n = self.free_count
  if n > 0 then
    local e = self.free[n]
    self.free_count = n - 1
    return e
  end
  local e = self.last + 1
  self.last = e
  return e
end

local function release(self, e)
  self.living = self.living - 1
  local n = self.free_count + 1
  self.free[n], self.free_count = e, n
end

-- Tables -------------------------------------------------------------------

local Tables = {}
Tables.__index = Tables
Tables.spawn = spawn

function Tables.add(_, e, set)
  if not set.rows[e] then set.rows[e] = set.make() end
end

function Tables.remove(_, e, set) set.rows[e] = nil end

function Tables.destroy(self, e)
  local sets = self.sets
  sets[1].rows[e], sets[2].rows[e] = nil, nil
  sets[3].rows[e], sets[4].rows[e] = nil, nil
  release(self, e)
end

-- Sparse sets --------------------------------------------------------------

local Sets = {}
Sets.__index = Sets
Sets.spawn = spawn

function Sets.add(_, e, set)
  if set.place[e] then return end
  local n = set.count + 1
  set.count, set.place[e] = n, n
  set.ids[n], set.rows[n] = e, set.make()
end

--- The last row takes the place of the one that goes.
function Sets.remove(_, e, set)
  local place = set.place[e]
  if not place then return end
  local n, ids, rows = set.count, set.ids, set.rows
  local last = ids[n]
  ids[place], rows[place], set.place[last] = last, rows[n], place
  ids[n], rows[n], set.place[e] = nil, nil, nil
  set.count = n - 1
end

function Sets.destroy(self, e)
  for k = 1, 4 do Sets.remove(self, e, self.sets[k]) end
  release(self, e)
end

-- Storages -----------------------------------------------------------------

--- Writes of a part; at(e) is the row of an entity.
local function writer(part, at)
  if part > 1 then
    return function(e, a, b, c, d)
      local row = at(e)
      row.a, row.b, row.c, row.d = a, b, c, d
    end
  end
  return function(e, a, b, c, d, x, y)
    local row = at(e)
    row.a, row.b, row.c, row.d, row.e, row.f = a, b, c, d, x, y
  end
end

--- Children are in lists.
local function add_families(storage, space)
  local children = {}
  function storage.relate(parent, child)
    local list = children[parent]
    if list then
      list[#list + 1] = child
    else
      children[parent] = { child }
    end
  end
  local function destroy(e)
    local list = children[e]
    for k = 1, list and #list or 0 do destroy(list[k]) end
    children[e] = nil
    space:destroy(e)
  end
  storage.destroy = destroy
end

local function sum_of(set)
  local sum, count = 0, 0
  for _, row in pairs(set.rows) do
    sum, count = sum + row.a + 2 * row.b + 3 * row.c + 4 * row.d, count + 1
  end
  return ("%d %d"):format(sum, count)
end

local function storage_of(class, make_set)
  local sets, write, has = {}, {}, {}
  local space = setmetatable(new_space(sets), class)
  for k = 1, 4 do
    local set = make_set(makers[k])
    local rows, place = set.rows, set.place
    sets[k] = set
    if place then
      write[k] = writer(k, function(e) return rows[place[e]] end)
      has[k] = function(e) return place[e] ~= nil end
    else
      write[k] = writer(k, function(e) return rows[e] end)
      has[k] = function(e) return rows[e] ~= nil end
    end
  end
  local storage = { space = space, parts = sets, write = write, has = has }
  function storage.sums()
    local sums = { space.living }
    for k = 1, 4 do sums[k + 1] = sum_of(sets[k]) end
    return table.concat(sums, ", ")
  end
  add_families(storage, space)
  return storage
end

function by_hand.tables()
  return storage_of(Tables, function(make)
    return { make = make, rows = {} }
  end)
end

function by_hand.sparse_sets()
  return storage_of(Sets, function(make)
    return { make = make, rows = {}, ids = {}, place = {}, count = 0 }
  end)
end

return by_hand
