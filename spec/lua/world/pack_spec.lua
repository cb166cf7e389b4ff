-- Rows that are packed, and worlds into which they are unpacked.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/state_game.lua"
local refuses = support.refuses
local game, run = scene.game, scene.run
local Position, Health, Aim = scene.Position, scene.Health, scene.Aim
local Burning, Marked = scene.Burning, scene.Marked

local Note = ecs.component("PackNote", { who = "entity", n = { "i16", 4 } })
local Ghost = ecs.tag "PackGhost"

local function everything(world)
  return world:query({ all = true }):pack()
end

describe("packed rows", function()
  it("leave the world with its hash, which goes on as it did", function()
    for frames = 5, 60, 5 do
      local world, other = game(), game()
      run(world, frames)
      run(other, frames)
      local hash = world:hash()
      local bytes = everything(world)
      assert.equal(bytes, everything(world))
      assert.equal(hash, world:hash())
      local entities, told = world:unpack(bytes, { as = "same" })
      assert.equal(world:stats().entities, #entities)
      assert.same({}, told)
      assert.equal(hash, world:hash())
      run(world, 20)
      run(other, 20)
      assert.equal(other:hash(), world:hash())
    end
  end)

  it("make an empty world what theirs was", function()
    for frames = 5, 60, 5 do
      local world = game()
      run(world, frames)
      local other = ecs.world {}
      assert.truthy(other:unpack(everything(world), { as = "same" }))
      assert.equal(world:state_hash(), other:state_hash())
      assert.equal(world:dump(), other:dump())
      assert.equal(everything(world), everything(other))
      assert.equal(world:find "first", other:find "first")
    end
  end)

  it("know which systems have met an event", function()
    local Cry = ecs.event("PackCry", { n = "i32" })
    local phases = { phases = { "one", "two" } }
    local world, other = ecs.world(phases), ecs.world(phases)
    local plain = ecs.world {}
    local function hears(of, name, phase)
      local sum = of:sum(name)
      of:system { name = name, phase = phase, query = { read = { Cry } },
        each = function(c) sum:add(c.n) end }
      return sum
    end
    hears(world, "first", "one")
    hears(world, "second", "two")
    world:emit(Cry { n = 4 })
    world:run("one", 1)
    assert.equal(4, world:sum("first"):value())
    local bytes = everything(world)
    local second = hears(other, "second", "two")
    local first = hears(other, "first", "one")
    assert.truthy(other:unpack(bytes, { as = "same" }))
    assert.equal(1, other:query({ Cry }):count())
    other:progress(1)
    assert.equal(0, first:value())
    assert.equal(4, second:value())
    assert.truthy(plain:unpack(bytes, { as = "same" }))
    assert.equal(1, plain:query({ Cry }):count())
  end)

  it("keep the order of links", function()
    local world, other = ecs.world {}, ecs.world {}
    local top, list = world:spawn(), {}
    for k = 1, 20 do list[k] = world:spawn(Aim { at = top }) end
    for k = 1, 20, 3 do
      world:set(list[k], Aim, "at", nil)
      world:set(list[k], Aim, { at = list[20] })
      world:set(list[k], Aim, { at = top })
    end
    local function links(of)
      local found = {}
      for e in of:links(top, Aim) do found[#found + 1] = e end
      return table.concat(found, " ")
    end
    assert.truthy(other:unpack(everything(world), { as = "same" }))
    assert.equal(links(world), links(other))
    assert.equal(world:state_hash(), other:state_hash())
    local entities = world:query({ all = true }):pack()
    local new = other:unpack(entities, { as = "new" })
    assert.equal(20, other:link_count(new[1], Aim))
  end)

  it("set what was packed, and leave what is there beside", function()
    local world = ecs.world {}
    local e = world:spawn(Position { x = 1, y = 2 }, Health { hp = 3 }, Marked)
    local gone = world:spawn(Position { x = 4 }, Burning)
    local bytes = world:query({ Position }):pack { Position, Burning }
    world:set(e, Position, { x = 7 })
    world:set(e, Health, { hp = 8 })
    world:add(e, Ghost)
    world:remove(gone, Position)
    world:remove(gone, Burning)
    assert.same({ e, gone }, (world:unpack(bytes, { as = "same" })))
    assert.equal(1, world:get(e, Position, "x"))
    assert.equal(8, world:get(e, Health, "hp"))
    assert.is_true(world:has(e, Marked, Ghost))
    assert.is_true(world:has(gone, Position, Burning))
    local other = ecs.world {}
    assert.truthy(other:unpack(bytes, { as = "same" }))
    assert.is_false(other:has(e, Health))
    assert.is_true(other:has(gone, Burning))
  end)

  it("are refused together where one id is", function()
    local world, other = ecs.world {}, ecs.world {}
    local list = {}
    for k = 1, 10 do list[k] = world:spawn(Position { x = k }) end
    local bytes = everything(world)
    world:destroy(list[7])
    local hash = world:hash()
    local done, why = world:unpack(bytes, { as = "same" })
    assert.is_nil(done)
    assert.equal("the rows do not fit: the id 7 cannot be given: its "
      .. "generation is over", why)
    assert.equal(hash, world:hash())
    for _ = 1, 3 do other:spawn() end
    other:destroy(2)
    local again = other:spawn()
    hash = other:hash()
    done, why = other:unpack(bytes, { as = "same" })
    assert.is_nil(done)
    assert.truthy(why:find("another entity has its index", 1, true), why)
    other:destroy(again)
    assert.is_true(other:hash() ~= hash)
    -- Where the last one is refused, those before it have been given.
    local third = ecs.world {}
    assert.truthy(third:spawn_as(10))
    third:destroy(10)
    hash = third:hash()
    done, why = third:unpack(bytes, { as = "same" })
    assert.is_nil(done)
    assert.truthy(why:find("the id 10 cannot be given", 1, true), why)
    assert.equal(hash, third:hash())
  end)

  it("are refused where they link to what is not there", function()
    local world, other = ecs.world {}, ecs.world {}
    local top = world:spawn()
    local e = world:spawn(Aim { at = top }, Note { who = top })
    local bytes = world:query({ Aim }):pack()
    local hash = other:hash()
    local done, why = other:unpack(bytes, { as = "same" })
    assert.is_nil(done)
    assert.truthy(why:find("SnapshotAim.at links to an entity that is not "
      .. "among the rows and not alive", 1, true), why)
    assert.equal(hash, other:hash())
    other:spawn()
    assert.truthy(other:unpack(bytes, { as = "same" }))
    assert.equal(top, other:get(e, Aim, "at"))
    assert.equal(top, other:get(e, Note, "who"))
  end)

  it("are refused where a tree would have a circle", function()
    local world = ecs.world {}
    local a, b, c = world:spawn(), world:spawn(), world:spawn()
    world:set(b, ecs.ChildOf, { parent = a })
    local bytes = world:query({ ecs.ChildOf }):pack()
    local both = everything(world)
    world:remove(b, ecs.ChildOf)
    world:set(c, ecs.ChildOf, { parent = b })
    world:set(a, ecs.ChildOf, { parent = c })
    local hash = world:hash()
    for _, text in ipairs { bytes, both } do
      local done, why = world:unpack(text, { as = "same" })
      assert.is_nil(done)
      assert.equal("the rows do not fit: its links close a circle", why)
      assert.equal(hash, world:hash())
    end
    world:remove(a, ecs.ChildOf)
    assert.truthy(world:unpack(both, { as = "same" }))
    assert.equal(a, world:parent(b))
    -- A parent and its child change places.
    world:set(b, ecs.ChildOf, "parent", nil)
    world:remove(c, ecs.ChildOf)
    world:add(a, ecs.ChildOf { parent = b })
    hash = world:hash()
    assert.is_nil((world:unpack(bytes, { as = "same" })))
    assert.equal(hash, world:hash())
  end)

  it("may exchange a parent and its child", function()
    local world = ecs.world {}
    local a, b = world:spawn(), world:spawn()
    world:add(a, ecs.ChildOf)
    world:add(b, ecs.ChildOf { parent = a })
    local bytes, hash = everything(world), world:hash()
    world:set(b, ecs.ChildOf, "parent", nil)
    world:set(a, ecs.ChildOf, { parent = b })
    assert.truthy(world:unpack(bytes, { as = "same" }))
    assert.equal(a, world:parent(b))
    assert.equal(hash, world:hash())
  end)

  it("take names along, and exchange them", function()
    local world, other = ecs.world {}, ecs.world {}
    local a, b = world:spawn(Position), world:spawn(Position)
    world:name(a, "a")
    world:name(b, "b")
    local bytes = everything(world)
    local nameless = world:query({ Position }):pack { Position }
    local named = world:query({ Position }):pack { ecs.Name }
    world:name(a, nil)
    world:name(b, "a")
    world:name(a, "b")
    assert.truthy(world:unpack(nameless, { as = "same" }))
    assert.equal(b, world:find "a")
    assert.truthy(world:unpack(bytes, { as = "same" }))
    assert.equal(a, world:find "a")
    assert.equal(b, world:find "b")
    assert.equal(2, world:query({ with = { ecs.Name } }):count())
    assert.truthy(other:unpack(named, { as = "same" }))
    assert.equal(b, other:find "b")
    assert.is_true(other:has(b, ecs.Name))
    assert.is_false(other:has(b, Position))
    local third = ecs.world {}
    third:spawn()
    third:spawn()
    local owner = third:spawn()
    third:name(owner, "b")
    local hash = third:hash()
    local done, why = third:unpack(bytes, { as = "same" })
    assert.is_nil(done)
    assert.equal("the rows do not fit: another entity has the name 'b'", why)
    assert.equal(hash, third:hash())
    local new = third:unpack(bytes, { as = "new" })
    assert.is_nil(third:name(new[1]))
    assert.is_false(third:has(new[1], ecs.Name))
    assert.equal(owner, third:find "b")
  end)

  it("become new entities that lead to each other", function()
    local world, other = ecs.world {}, ecs.world {}
    local outside, lost = world:spawn(), world:spawn()
    local tank = world:spawn(Health { hp = 9 })
    local turret = world:spawn(ecs.ChildOf { parent = tank }, Marked)
    local crew = world:spawn(ecs.ChildOf { parent = turret },
      Note { who = tank }, Burning)
    local scout = world:spawn(Note { who = outside }, Aim { at = outside })
    local stray = world:spawn(Note { who = lost }, Position)
    world:destroy(lost)
    local bytes = world:query({
      any = { Health, ecs.ChildOf, Note } }):pack()
    local index = {}
    local same = world:unpack(bytes, { as = "same" })
    for k, e in ipairs(same) do index[e] = k end
    local new = world:unpack(bytes, { as = "new", with = Ghost })
    assert.equal(#same, #new)
    local function of(e) return new[index[e]] end
    assert.equal(of(tank), world:parent(of(turret)))
    assert.equal(of(turret), world:parent(of(crew)))
    assert.equal(of(tank), world:get(of(crew), Note, "who"))
    assert.equal(outside, world:get(of(scout), Note, "who"))
    assert.equal(outside, world:get(of(scout), Aim, "at"))
    assert.is_nil(world:get(of(stray), Note, "who"))
    assert.is_true(world:has(of(crew), Burning, Ghost))
    assert.is_true(world:has(of(turret), Marked, Ghost))
    assert.is_false(world:has(tank, Ghost))
    assert.equal(9, world:get(of(tank), Health, "hp"))
    local far = other:unpack(bytes, { as = "new" })
    assert.is_nil(other:get(far[index[scout]], Aim, "at"))
    assert.equal(far[index[tank]], other:get(far[index[crew]], Note, "who"))
    world:destroy(of(tank))
    assert.is_false(world:alive(of(crew)))
    assert.is_true(world:alive(crew))
  end)

  it("get a component, a tag or a value besides", function()
    local world = ecs.world {}
    local top = world:spawn()
    for k = 1, 3 do world:spawn(Position { x = k, y = k }) end
    local bytes = world:query({ Position }):pack()
    local function unpack(with)
      return assert(world:unpack(bytes, { as = "new", with = with }))
    end
    local new = unpack(Position { y = 9 })
    assert.equal(2, world:get(new[2], Position, "x"))
    assert.equal(9, world:get(new[2], Position, "y"))
    assert.equal(10, world:get(unpack(Health)[3], Health, "hp"))
    new = unpack(ecs.ChildOf { parent = top })
    assert.equal(3, world:link_count(top, ecs.ChildOf))
    assert.equal(top, world:parent(new[1]))
    assert.is_true(world:has(unpack(Burning)[1], Burning))
    assert.truthy(world:unpack(bytes, { as = "same", with = Note { n = 2 } }))
    assert.equal(3, world:query({ Position, Note }):count())
    local dead = world:spawn()
    world:destroy(dead)
    local hash = world:hash()
    refuses(function()
      world:unpack(bytes, { as = "new", with = Aim { at = dead } })
    end, "alive")
    refuses(function()
      world:unpack(world:query({ ecs.ChildOf }):pack(),
        { as = "same", with = ecs.ChildOf { parent = new[2] } })
    end, "unpack")
    assert.equal(hash, world:hash())
  end)

  it("are told to observers", function()
    local world, seen = ecs.world {}, {}
    local e = world:spawn(Position { x = 1 })
    world:spawn(Position { x = 2 })
    local bytes = everything(world)
    world:remove(e, Position)
    world:on("add", Position, function(who, p)
      seen[#seen + 1] = ("add %d %d"):format(who, p.x)
    end)
    world:on("set", Position, function(who, p)
      seen[#seen + 1] = ("set %d %d"):format(who, p.x)
    end)
    assert.truthy(world:unpack(bytes, { as = "same" }))
    table.sort(seen)
    assert.equal("add 1 1,set 2 2", table.concat(seen, ","))
  end)

  it("lack what they lacked, be it needed", function()
    local Fuel = ecs.component("PackFuel", { amount = { "f32", 3 } })
    local Motor = ecs.tag("PackMotor", { needs = { Fuel } })
    local world = ecs.world {}
    local e, f = world:spawn(Motor), world:spawn(Motor)
    world:remove(f, Fuel)
    local whole = world:query({ Motor }):pack()
    local part = world:query({ Motor }):pack { Motor }
    local one, other = ecs.world {}, ecs.world {}
    assert.truthy(one:unpack(whole, { as = "same" }))
    assert.equal(world:state_hash(), one:state_hash())
    assert.truthy(other:unpack(part, { as = "same" }))
    assert.equal(3, other:get(e, Fuel, "amount"))
    assert.is_true(other:has(f, Fuel))
    world:remove(f, Motor)
    assert.truthy(world:unpack(whole, { as = "same" }))
    assert.is_false(world:has(f, Fuel))
    assert.is_true(world:has(f, Motor))
  end)

  it("carry components that this program does not define, and others' fields",
    function()
      local world = ecs.world {}
      for k = 1, 3 do
        world:spawn(Position { x = k, y = -k }, Note { n = k })
      end
      local bytes = world:query({ Position }):pack()
      local path = os.tmpname()
      local file = assert(io.open(path, "wb"))
      file:write(bytes)
      file:close()
      local script = ([[
        local ecs = require "ecs"
        local Note = ecs.component("PackNote",
          { n = "f64", more = { "u8", 6 } })
        local world = ecs.world {}
        local file = assert(io.open(%q, "rb"))
        local bytes = file:read "*a"
        file:close()
        local entities, told = world:unpack(bytes, { as = "new" })
        local Place = ecs.component "SnapshotPlace"
        local n, more = world:get(entities[3], Note, "n", "more")
        io.write(("%%d %%d %%d %%d\n"):format(#entities, n, more,
          world:get(entities[2], Place, "y")))
        table.sort(told)
        io.write(table.concat(told, "\n"), "\n")
      ]]):format(path)
      local name = os.tmpname()
      file = assert(io.open(name, "w"))
      file:write(script)
      file:close()
      local text = support.printed(name)
      os.remove(name)
      os.remove(path)
      assert.equal("3 3 6 -2\n"
        .. "PackNote.more is new: it has its default\n"
        .. "PackNote.n has another type: it was converted\n"
        .. "PackNote.who is gone: its values were dropped\n", text)
    end)

  it("are refused where they are damaged", function()
    local world = game()
    run(world, 30)
    local bytes, other = everything(world), ecs.world {}
    local hash = other:hash()
    local function refused(text, as)
      local done, why = other:unpack(text, { as = as })
      assert.is_nil(done)
      assert.truthy(why:find("the rows are damaged: ", 1, true), why)
    end
    local times = os.getenv "ECS_SPEC_SHORT" and 150 or 3000
    local dice = support.dice(5)
    for k = 1, times do
      local as = k % 2 == 0 and "new" or "same"
      refused(bytes:sub(1, k <= 100 and k - 1 or dice(#bytes) - 1), as)
      local at, bit = dice(#bytes), 2 ^ (dice(8) - 1)
      local byte = bytes:byte(at)
      byte = byte % (bit * 2) < bit and byte + bit or byte - bit
      refused(bytes:sub(1, at - 1) .. string.char(byte) .. bytes:sub(at + 1),
        as)
    end
    refused("", "same")
    refused(bytes .. "\0", "new")
    refused(bytes .. bytes, "new")
    refused(world:save(), "new")
    assert.is_nil((other:load { bytes = bytes }))
    assert.equal(hash, other:hash())
    assert.truthy(other:unpack(bytes, { as = "same" }))
  end)

  it("are refused with evil numbers in the heads of their entries", function()
    local world = ecs.world {}
    local e = world:spawn(Position { x = 1 }, Burning)
    world:spawn(Aim { at = e })
    local bytes = everything(world)
    local hash = world:hash()
    local evil = { "", "\0", "\1", "\127", "\128", "\255", "\0\128", "\255\255",
      "\0\0\1", "\255\255\255\127", "\0\0\0\128", "\254\255\255\255",
      "\255\255\255\255" }
    local function attack(at, size)
      for _, number in ipairs(evil) do
        number = (number .. ("\0"):rep(size)):sub(1, size)
        local forged = bytes:sub(1, at - 1) .. number .. bytes:sub(at + size)
        if forged ~= bytes then
          local done, why = world:unpack(forged, { as = "new" })
          assert.is_nil(done)
          assert.truthy(why:find("the rows are damaged: ", 1, true), why)
        end
      end
    end
    -- Sizes of the fields of a ZIP file: an entry, its part of the directory,
    -- the directory's end.
    local heads = {
      ["PK\3\4"] = { 4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2 },
      ["PK\1\2"] = { 4, 2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4 },
      ["PK\5\6"] = { 4, 2, 2, 2, 2, 4, 4, 2 },
    }
    local found = 0
    for head, sizes in pairs(heads) do
      local at = bytes:find(head, 1, true)
      while at do
        found = found + 1
        local field = at
        for _, size in ipairs(sizes) do
          attack(field, size)
          field = field + size
        end
        at = bytes:find(head, at + 1, true)
      end
    end
    assert.equal(2 * 10 + 1, found)
    assert.equal(hash, world:hash())
    assert.truthy(world:unpack(bytes, { as = "same" }))
  end)

  it("are asked for by right arguments, outside of callbacks", function()
    local world = game()
    run(world, 5)
    local query = world:query { Position }
    local bytes, hash, calls = query:pack(), world:hash(), 0
    refuses(function() query:pack(Position) end, "pack takes a list",
      "not the component " .. Position.name)
    refuses(function()
      query:pack(ecs.prefab("PackBare", { Position }))
    end, "pack takes a list", "not a prefab")
    refuses(function() query:pack { Position, Position { x = 1 } } end,
      "entry 2 is a value of " .. Position.name)
    refuses(function()
      world:unpack(bytes, { as = "new", with = { Position, Ghost } })
    end, "with is one component, tag or value, not a table")
    refuses(function()
      world:unpack(bytes, { as = "new",
        with = ecs.prefab("PackWith", { Position }) })
    end, "with is one component, tag or value, not a prefab")
    for _, wrong in ipairs { 1, "x", Position, true } do
      refuses(function() query:pack(wrong) end, "pack takes a list")
      refuses(function() world:unpack(bytes, wrong) end, "unpack takes")
    end
    refuses(function() query:pack {} end, "is empty")
    refuses(function() query:pack { Position, 3 } end, "entry 2")
    refuses(function() query:pack { Position { x = 1 } } end, "entry 1")
    refuses(function() query:pack { Position, Position } end, "twice")
    refuses(function() query:pack { with = Position } end, "pack takes a list")
    refuses(function() world:unpack(bytes) end, "unpack takes")
    refuses(function() world:unpack(1, { as = "new" }) end, "unpack takes")
    refuses(function() world:unpack(bytes, {}) end, "as is")
    refuses(function() world:unpack(bytes, { as = "old" }) end, "as is")
    refuses(function() world:unpack(bytes, { as = "new", to = 1 }) end,
      "no option")
    for _, wrong in ipairs { 1, "x", {}, world } do
      refuses(function()
        world:unpack(bytes, { as = "new", with = wrong })
      end, "with is")
    end
    refuses(function()
      world:unpack(bytes, { as = "new", with = ecs.Name })
    end, "unpack")
    query:each(function()
      calls = calls + 1
      if calls > 1 then return end
      refuses(function() query:pack() end, "inside")
      refuses(function() world:unpack(bytes, { as = "new" }) end, "inside")
    end)
    local before = calls
    for _, flush in ipairs { "system", "frame" } do
      local framed = ecs.world { flush = flush }
      local all = framed:query { all = true }
      framed:system { name = "pack", run = function()
        calls = calls + 1
        refuses(function() all:pack() end, "inside")
        for _, rows in ipairs { bytes, "damaged" } do
          refuses(function() framed:unpack(rows, { as = "new" }) end,
            "unpack is not possible inside a frame")
        end
      end }
      framed:progress(1)
    end
    assert.equal(before + 2, calls)
    assert.equal(hash, world:hash())
    world:close()
    refuses(function() query:pack() end, "closed")
    refuses(function() world:unpack(bytes, { as = "new" }) end, "closed")
  end)
end)
