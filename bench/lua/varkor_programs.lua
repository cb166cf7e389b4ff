--- varkor_programs: programs that create, change and delete entities; see
-- bench_varkor. The file is loaded anew for each storage, so that LuaJIT
-- compiles each program for one.
--
-- A storage is { space, parts, write, has, relate, destroy }: space has the
-- methods spawn, add, remove and destroy of a world; parts are its components;
-- write[part](e, ...) sets all fields of one, has[part](e) asks for it;
-- relate(parent, child) and destroy(e), which takes descendants along, are for
-- families.

local PARTS, CHILDREN, GRANDCHILDREN = 4, 10, 20

--- Park and Miller's generator, exact in a double.
local function generator(seed)
  return function(limit)
    seed = seed * 16807 % 2147483647
    return seed % limit
  end
end

return function(storage)
  local space, parts = storage.space, storage.parts
  local write, has = storage.write, storage.has
  local first_part, write_first = parts[1], write[1]
  local programs = {}

  local function write_part(e, part, number)
    local v = number % 1024 + part * 8
    if part == 1 then
      write_first(e, v, v + 1, v + 2, v + 3, v + 4, v + 5)
    else
      write[part](e, v, v + 1, v + 2, v + 3)
    end
  end

  local function destroy_all(entities)
    for k = 1, #entities do space:destroy(entities[k]) end
  end

  --- Makes size entities with all parts.
  local function add_round(size)
    local entities = {}
    local a, b, c, d = first_part, parts[2], parts[3], parts[4]
    for k = 1, size do
      local e = space:spawn()
      entities[k] = e
      space:add(e, a)
      space:add(e, b)
      space:add(e, c)
      space:add(e, d)
    end
    return entities
  end

  function programs.Create(size)
    for _ = 1, size do space:spawn() end
  end

  function programs.Add(size) add_round(size) end

  function programs.AddWriteDelete(size, keep)
    local entities = add_round(size)
    for k = 1, size do
      for part = 1, PARTS do write_part(entities[k], part, k) end
    end
    if not keep then destroy_all(entities) end
  end

  function programs.Distributed(size, keep)
    local entities = {}
    for k = 1, size do
      local e, one, other = space:spawn(), k % PARTS + 1, (k + 1) % PARTS + 1
      entities[k] = e
      space:add(e, parts[one])
      space:add(e, parts[other])
    end
    for k = 1, size do
      write_part(entities[k], k % PARTS + 1, k)
      write_part(entities[k], (k + 1) % PARTS + 1, k)
    end
    for k = 1, size do
      space:remove(entities[k], parts[k % PARTS + 1])
      space:remove(entities[k], parts[(k + 1) % PARTS + 1])
    end
    for k = size, 1, -1 do
      space:add(entities[k], parts[(k + 2) % PARTS + 1])
      space:add(entities[k], parts[(k + 1) % PARTS + 1])
    end
    if not keep then destroy_all(entities) end
  end

  --- A child with one part.
  local function make_child(parent, part, family)
    local e = space:spawn()
    space:add(e, parts[part])
    storage.relate(parent, e)
    family[#family + 1] = e
    return e
  end

  local function make_family(root)
    local family = { root }
    space:add(root, first_part)
    space:add(root, parts[2])
    for _ = 1, CHILDREN do
      local child = make_child(root, 3, family)
      for _ = 1, GRANDCHILDREN do make_child(child, 4, family) end
    end
    return family
  end

  local function write_family(family)
    write_part(family[1], 1, 0)
    write_part(family[1], 2, 0)
    for k = 2, #family do
      local is_child = (k - 2) % (1 + GRANDCHILDREN) == 0
      write_part(family[k], is_child and 3 or 4, k)
    end
  end

  function programs.Relationship(size, keep)
    local families = {}
    for k = 1, size do families[k] = make_family(space:spawn()) end
    for k = 1, size do write_family(families[k]) end
    if keep then return end
    for k = 1, size do storage.destroy(families[k][1]) end
  end

  local random, list, count

  local function write_random()
    if count == 0 then return end
    local e, number = list[random(count) + 1], random(1000)
    for part = 1, PARTS do
      if has[part](e) then write_part(e, part, number) end
    end
  end

  local function create_random()
    local e, mask = space:spawn(), random(16)
    count = count + 1
    list[count] = e
    for part = 1, PARTS do
      if mask % 2 == 1 then space:add(e, parts[part]) end
      mask = math.floor(mask / 2)
    end
  end

  local function change_random()
    local way = random(3)
    if way == 0 or count == 0 then return write_random() end
    local e, part = list[random(count) + 1], random(PARTS) + 1
    if way == 1 then
      space:add(e, parts[part])
    else
      space:remove(e, parts[part])
    end
  end

  local function delete_random()
    if count == 0 then return end
    local k = random(count) + 1
    space:destroy(list[k])
    list[k] = list[count]
    list[count] = nil
    count = count - 1
  end

  function programs.Random(size)
    random, list, count = generator(21), {}, 0
    for k = 0, size - 1 do
      if random(size) >= k then create_random() else write_random() end
    end
    for _ = 1, 2 * size do change_random() end
    for k = 0, size - 1 do
      if random(size) < k then delete_random() else write_random() end
    end
  end

  return programs
end
