-- observers: functions that are called behind changes of a world.

local ecs = require "ecs"

local Position = ecs.component("ObsPosition", { x = "f32", y = "i32" })
local Health = ecs.component("ObsHealth", { hp = "u16" },
  { storage = "sparse" })
local Friend = ecs.component("ObsFriend", { who = "entity", near = "bool" })
local Enemy = ecs.tag "ObsEnemy"

describe("observers", function()
  local world, log

  before_each(function() world, log = ecs.world {}, {} end)
  after_each(function() world:close() end)

  local function note(name)
    return function(e, p)
      local values = p and (" " .. p.x .. " " .. p.y) or ""
      log[#log + 1] = name .. " " .. e .. values
    end
  end

  local function noted()
    local text = table.concat(log, ", "):gsub("%.0", "")
    log = {}
    return text
  end

  it("are called with what was added, set and removed", function()
    world:on("add", Position, note "add")
    world:on("set", Position, note "set")
    world:on("remove", Position, note "remove")
    local e = world:spawn(Position { x = 1 })
    assert.equal("add 1 1 0", noted())
    world:set(e, Position, "y", 2)
    world:set(e, Position { x = 3 })
    world:set(e, Position, { x = 4 })
    world:set(e, Position, "x", 5, "y", 6)
    world:setter(Position, "x")(e, 7)
    assert.equal("set 1 1 2, set 1 3 2, set 1 4 2, set 1 5 6, set 1 7 6",
      noted())
    world:remove(e, Position)
    world:remove(e, Position)
    assert.equal("remove 1 7 6", noted())
    world:set(e, Position { y = 1 })
    world:add(e, Position)
    world:replace(e, Position, Enemy)
    assert.equal("add 1 0 1, remove 1 0 1", noted())
  end)

  it("of a tag get the entity alone", function()
    local count
    world:on("add", Enemy, function(...) count = select("#", ...) end)
    world:spawn(Enemy)
    assert.equal(1, count)
    assert.error_matches(function() world:on("set", Enemy, print) end,
      "ObsEnemy is a tag and is never set")
  end)

  it("are told of deaths last", function()
    world:on("destroy", function(e) log[#log + 1] = "gone " .. e end)
    world:on("remove", Position, note "remove")
    local e = world:spawn(Position { x = 2 }, Enemy)
    world:destroy(e)
    assert.equal("remove 1 2 0, gone 1", noted())
    world:spawn(Position)
    world:clear()
    assert.equal(3, #log + 1)
  end)

  it("show the last values of every type of field", function()
    local seen
    local who = world:spawn()
    world:on("remove", Friend, function(_, friend)
      seen = { friend.who, friend.near }
    end)
    local e = world:spawn(Friend { who = who, near = true })
    world:remove(e, Friend)
    assert.same({ who, true }, seen)
  end)

  it("may store in the row of what is there, which is not told", function()
    world:on("set", Position, note "set")
    world:on("add", Position, function(_, p) p.x = p.x * 2 end)
    local e = world:spawn(Position { x = 4 })
    assert.equal(8, world:get(e, Position, "x"))
    assert.equal("", noted())
  end)

  it("only read what has left", function()
    world:on("remove", Position, function(_, p) p.x = 1 end)
    local e = world:spawn(Position)
    assert.error_matches(function() world:remove(e, Position) end,
      "ObsPosition has left, and its last values are only read %(x%)")
    assert.is_false(world:has(e, Position))
  end)

  it("have rows that end with the call", function()
    local kept, gone
    world:on("add", Position, function(_, p) kept = p end)
    world:on("remove", Position, function(_, p) gone = p end)
    world:destroy(world:spawn(Position))
    assert.error_matches(function() return kept.x end, "this row is over")
    assert.error_matches(function() return gone.x end, "this row is over")
  end)

  it("show what came by the change by which an entity left a query", function()
    local Plain = ecs.tag "ObsPlain"
    local Memo = ecs.component("ObsMemo", { k = "f64" }, { needs = { Plain } })
    local e, seen = world:spawn(), nil
    world:on("leave", world:query { optional = { Memo }, without = { Plain } },
      function(_, memo) seen = memo and memo.k end)
    world:set(e, Memo, "k", 5)
    assert.equal(5, seen)
  end)

  it("tell who enters a query, and who leaves it", function()
    local query = world:query { Position, optional = { Health },
      without = { Enemy } }
    world:on("enter", query, function(e, p, health)
      log[#log + 1] = "enter " .. e .. " " .. p.x .. " "
        .. (health and health.hp or "no")
    end)
    world:on("leave", query, function(e, p, health)
      log[#log + 1] = "leave " .. e .. " " .. p.x .. " "
        .. (health and health.hp or "no")
    end)
    local e = world:spawn(Position { x = 1 })
    world:add(e, Health { hp = 3 })
    world:add(e, Enemy)
    world:remove(e, Health)
    world:remove(e, Enemy)
    world:destroy(e)
    assert.equal("enter 1 1 no, leave 1 1 3, enter 1 1 no, leave 1 1 no",
      noted())
  end)

  it("are told the net change of a walk, behind it", function()
    world:on("add", Enemy, note "enemy")
    world:on("set", Position, note "set")
    local inside
    for k = 1, 3 do world:spawn(Position { x = k }) end
    world:query { Position }:each(function(_, e)
      world:add(e, Enemy)
      if e == 2 then world:remove(e, Enemy) end
      inside = #log
    end)
    assert.equal(0, inside)
    assert.equal("enemy 1, enemy 3", noted())
    for e in world:query { Position }:rows() do
      if e == 3 then world:set(e, Position { y = 1 }) end
      inside = #log
    end
    assert.equal(1, inside)
    assert.equal("set 3 3 1", noted())
    world:query { Position }:batch(function()
      world:add(2, Enemy)
      world:remove(2, Position)
      world:remove(1, Enemy)
      world:add(1, Enemy)
    end)
    assert.equal("enemy 2", noted())
  end)

  it("are told by systems, compiled or not", function()
    for _, compile in ipairs { true, false } do
      local w = ecs.world {}
      w:on("add", Enemy, note "enemy")
      w:system { name = "mark", query = { Position }, compile = compile,
        each = function(p, _, e) if p.x > 1 then w:add(e, Enemy) end end }
      for k = 1, 3 do w:spawn(Position { x = k }) end
      for _ = 1, 3 do w:progress(1) end
      assert.equal("enemy 2, enemy 3", noted())
      w:close()
    end
  end)

  it("are told of sets that compiled functions make", function()
    world:on("set", Position, note "set")
    local place = world:setter(Position, "x")
    local friends = world:query { Friend }
    for k = 1, 2 do world:spawn(Position { x = k }) end
    for k = 1, 2 do world:spawn(Friend { who = k }) end
    for _, each in ipairs {
      function(f) world:set(f.who, Position, "y", 5) end,
      function(f) place(f.who, 7) end,
    } do
      for _, compile in ipairs { true, false } do
        world:system { name = "set", query = { Friend }, compile = compile,
          each = each }
        world:progress(1)
        world:remove_system "set"
      end
      friends:each(each)
    end
    assert.equal(("set 1 1 5, set 2 2 5, "):rep(3)
      .. ("set 1 7 5, set 2 7 5, "):rep(3):sub(1, -3), noted())
  end)

  it("are called behind a frame that records", function()
    local w = ecs.world { flush = "frame" }
    w:on("add", Enemy, note "enemy")
    w:system { name = "mark", run = function()
      w:spawn(Enemy)
      log[#log + 1] = "run"
    end }
    w:progress(1)
    assert.equal("run, enemy 1", noted())
    w:close()
  end)

  it("are told of changes of many", function()
    world:on("add", Position, note "add")
    world:on("remove", Position, note "remove")
    world:on("set", Position, note "set")
    world:spawn_many(2, { Position { x = 1 } })
    world:spawn_many(1, { Position }, function(b) b.ObsPosition.x[1] = 5 end)
    assert.equal("add 1 1 0, add 2 1 0, add 3 5 0", noted())
    local query = world:query { Position }
    query:set(Position, "y", 4)
    assert.equal("set 3 5 4, set 2 1 4, set 1 1 4", noted())
    query:replace(Position, Enemy)
    assert.equal("remove 3 5 4, remove 2 1 4, remove 1 1 4", noted())
    world:query { with = { Enemy } }:add(Position)
    assert.equal("add 3 0 0, add 2 0 0, add 1 0 0", noted())
    query:destroy()
    assert.equal("remove 3 0 0, remove 2 0 0, remove 1 0 0", noted())
  end)

  it("are told of many behind the function that fills them", function()
    local told = {}
    world:on("add", Position, function(e, p) told[#told + 1] = { e, p.x } end)
    world:on("add", Position, function(batch)
      for i = 1, batch.count do
        told[#told + 1] = batch.ObsPosition.x[i]
      end
    end, { batch = true })
    local e, f
    world:spawn_many(2, { Position { x = 1 } }, function(batch)
      for i = 1, 2 do batch.ObsPosition.x[i] = 10 + i end
      e, f = batch.entities[1], batch.entities[2]
      world:add(e, Health)
      world:set(e, Health { hp = 3 })
      assert.same({}, told)
    end)
    assert.same({ { e, 11 }, { f, 12 }, 11, 12 }, told)
  end)

  it("are told of what is left of many, not of what the function undoes",
    function()
      local both = world:query { Position, Health }
      for _, what in ipairs { "add", "remove" } do
        world:on(what, Position, note(what))
        world:on(what, Enemy, note(what .. " enemy"))
      end
      world:on("set", Health, note "set")
      world:on("enter", both, note "enter")
      world:on("leave", both, note "leave")
      world:on("destroy", note "destroy")
      local first
      world:spawn_many(5, { Position, Health }, function(batch)
        local e = batch.entities
        first = e[1]
        world:destroy(e[1])
        world:remove(e[2], Health)
        world:remove(e[3], Position)
        world:add(e[4], Enemy)
        world:remove(e[5], Position)
        world:add(e[5], Position)
      end)
      assert.equal("add 2 0 0, add 4 0 0, enter 4 0 0, add 5 0 0, "
        .. "enter 5 0 0, add enemy 4", noted())
      pcall(world.spawn_many, world, 1, { Position }, function(batch)
        world:destroy(batch.entities[1])
        error "stop"
      end)
      assert.is_false(world:alive(first))
      assert.matches("^add %d+ 0 0$", noted())
      world:destroy(2)
      assert.equal("remove 2 0 0, destroy 2", noted())
    end)

  it("show last values after a trim", function()
    world:on("remove", Position, note "gone")
    local e = world:spawn(Position { x = 1, y = 2 })
    world:trim()
    world:remove(e, Position)
    assert.equal("gone " .. e .. " 1 2", noted())
  end)

  it("are told of clones, behind the call that makes them", function()
    local told, entered = {}, 0
    world:on("add", Position, function(e, p)
      told[#told + 1] = { e, p.x }
    end)
    world:on("enter", world:query { Position }, function(batch)
      entered = entered + batch.count
    end, { batch = true })
    local e = world:spawn(Position { x = 3 })
    world:spawn(ecs.ChildOf { parent = e }, Position { x = 4 })
    told, entered = {}, 0
    local twin = world:clone(e)
    local child = world:children(twin)()
    assert.same({ { twin, 3 }, { child, 4 } }, told)
    assert.equal(2, entered)
  end)

  it("are told of prepared spawns and given handles", function()
    world:on("add", Position, note "add")
    local shoot = world:spawner(Position, "x")
    for k = 1, 3 do shoot(k) end
    world:spawn_as(9, Position { x = 9 })
    assert.equal("add 1 1 0, add 2 2 0, add 3 3 0, add 9 9 0", noted())
  end)

  it("are told of spawned entities although the callback fails", function()
    world:on("add", Position, note "add")
    assert.error_matches(function()
      world:spawn_many(1, { Position }, function() error "stop" end)
    end, "stop")
    assert.equal("add 1 0 0", noted())
  end)

  it("change things after all of them were called", function()
    world:on("add", Position, function(e)
      world:add(e, Enemy)
      log[#log + 1] = tostring(world:has(e, Enemy))
    end)
    world:on("add", Position, note "second")
    world:on("add", Enemy, note "enemy")
    world:spawn(Position)
    assert.equal("false, second 1 0 0, enemy 1", noted())
  end)

  it("are not called for what was there before", function()
    world:spawn(Position)
    world:on("add", Position, note "add")
    world:spawn(Position)
    assert.equal("add 2 0 0", noted())
  end)

  it("end by off, also inside of a call", function()
    local first, second
    first = world:on("add", Position, function()
      log[#log + 1] = "first"
      first:off()
      second:off()
    end)
    second = world:on("add", Position, note "second")
    assert.equal("ecs.Observer ('add' of ObsPosition)", tostring(second))
    world:spawn(Position)
    world:spawn(Position)
    first:off()
    assert.equal("first", noted())
  end)

  it("need no one to keep their handle", function()
    world:on("add", Position, note "add")
    collectgarbage()
    collectgarbage()
    world:spawn(Position)
    assert.equal("add 1 0 0", noted())
  end)

  it("raise their error from the call, and the change stays", function()
    world:on("add", Position, function(e)
      world:add(e, Enemy)
      error({ "mine" })
    end)
    world:on("add", Position, note "second")
    local done, problem = pcall(function() world:spawn(Position) end)
    assert.is_false(done)
    assert.same({ "mine" }, problem)
    assert.is_true(world:has(1, Position))
    assert.is_false(world:has(1, Enemy)) -- what it has recorded is dropped
    assert.equal("", noted())
    world:progress(1) -- nothing is open
  end)

  it("raise their error from the frame", function()
    world:on("add", Enemy, function() error("boom", 0) end)
    world:spawn(Position)
    world:system { name = "mark", query = { Position },
      each = function(_, _, e) world:add(e, Enemy) end }
    assert.error_matches(function() world:progress(1) end, "boom")
    assert.is_true(world:has(1, Enemy))
  end)

  it("that go round in a circle are named", function()
    local w = ecs.world {}
    w:on("add", Position, function(e) w:remove(e, Position) end)
    w:on("remove", Position, function(e) w:add(e, Position) end)
    assert.error_matches(function() w:spawn(Position) end,
      "ecs: observers go on and on, 64 calls deep, which is a circle: "
      .. "'remove' of ObsPosition %-> 'add' of ObsPosition %-> "
      .. "'remove' of ObsPosition")
    local _, problem = pcall(function() w:spawn(Position) end)
    assert.matches("observer_spec.lua:%d+: ecs: observers go on", problem)
    w:close()
  end)

  it("call each other less deep than that", function()
    local left = 63
    world:on("add", Position, function()
      left = left - 1
      if left > 0 then world:spawn(Position) end
    end)
    world:spawn(Position)
    assert.equal(0, left)
  end)

  it("change neither the hash of the world nor its future", function()
    local function play(w)
      for k = 1, 20 do w:spawn(Position { x = k }, Health) end
      for e = 1, 20, 3 do w:remove(e, Position) end
      for e = 2, 20, 5 do w:destroy(e) end
      w:query { Position }:add(Enemy)
      w:query { Position }:set(Position, "y", 3)
      w:spawn_many(4, { Position, Enemy })
      w:query { Health, without = { Position } }:destroy()
      return w:hash()
    end
    local plain = ecs.world {}
    local expected = play(plain)
    plain:close()
    for _, what in ipairs { "add", "remove", "set" } do
      world:on(what, Position, function() end)
    end
    world:on("destroy", function() end)
    assert.equal(expected, play(world))
  end)

  it("get batches where they ask for them", function()
    local function note_batch(name)
      return function(b)
        local text = name
        for i = 1, b.count do
          text = text .. " " .. b.entities[i] .. ":" .. b.ObsPosition.x[i]
        end
        log[#log + 1] = text
      end
    end
    world:on("add", Position, note_batch "add", { batch = true })
    world:on("remove", Position, note_batch "remove", { batch = true })
    world:on("enter", world:query { Position, with = { Enemy } },
      note_batch "enter", { batch = true })
    world:on("destroy", function(b) log[#log + 1] = "gone " .. b.count end,
      { batch = true })
    world:on("add", Position, note "one")
    world:spawn_many(3, { Position { x = 2 } })
    assert.equal("one 1 2 0, one 2 2 0, one 3 2 0, add 1:2 2:2 3:2", noted())
    world:query { Position }:add(Enemy)
    assert.equal("enter 3:2 2:2 1:2", noted())
    world:clear()
    assert.equal("remove 1:2 2:2 3:2, gone 3", noted())
    world:spawn_many(600, { Position })
    assert.equal(603, #log) -- 600 of one, and 256 + 256 + 88
    local _, count = log[603]:gsub(":", "")
    assert.equal(88, count)
  end)

  it("only read the columns of their batches", function()
    world:on("add", Position, function(b) b.ObsPosition.x[1] = 3 end,
      { batch = true })
    assert.error_matches(function() world:spawn(Position) end,
      "ObsPosition is only read in batches of observers %(x, row 1%)")
    assert.equal(0, world:get(1, Position, "x"))
    world:spawn_many(2, {}) -- nothing is open or collected
  end)

  it("are called when an event is over", function()
    local Hit = ecs.event("ObsHit", { damage = "i32" })
    local given = {}
    world:on("add", Hit, function(_, hit) given[#given + 1] = hit.damage end)
    world:on("remove", Hit, function(_, hit)
      given[#given + 1] = -hit.damage
    end)
    world:system { name = "meet", compile = false, query = { read = { Hit } },
      each = function(hit) given[#given + 1] = hit.damage * 10 end }
    for k = 1, 3 do world:emit(Hit { damage = k }) end
    assert.equal("1 2 3", table.concat(given, " "))
    world:progress(1)
    table.sort(given)
    assert.equal("-3 -2 -1 1 2 3 10 20 30", table.concat(given, " "))
  end)

  it("are called with what others need", function()
    local Ship = ecs.component("ObsShip", { crew = "i32" },
      { needs = { "ObsHull" } })
    local Hull = ecs.component("ObsHull", { x = "f32", y = "i32" },
      { needs = { Position } })
    world:on("add", Position, note "add")
    world:on("enter", world:query { read = { Hull }, without = { Enemy } },
      note "enter")
    world:on("remove", Position, note "remove")
    world:spawn(Ship)
    assert.equal("add 1 0 0, enter 1 0 0", noted())
    local e = world:spawn()
    world:add(e, Ship)
    assert.equal("add 2 0 0, enter 2 0 0", noted())
    world:remove(e, Position)
    assert.equal("remove 2 0 0", noted())
    world:add(e, Ship) -- it has it: nothing comes with it
    world:set(e, Ship, { crew = 3 })
    assert.equal("", noted())
    world:query({ with = { Ship }, without = { Position } }):each(function(f)
      world:remove(f, Ship)
      world:remove(f, Hull)
      world:add(f, Ship)
    end)
    assert.equal("add 2 0 0", noted())
    world:query({ with = { Ship } }):each(function(f)
      world:remove(f, Ship)
      world:remove(f, Position)
      world:set(f, Ship, { crew = 2 })
      world:remove(f, Position)
    end)
    assert.equal("remove 1 0 0, remove 2 0 0", noted())
  end)

  it("refuse wrong arguments", function()
    local function refuses(pattern, what, of, f)
      assert.error_matches(function() world:on(what, of, f) end,
        "ecs: " .. pattern)
    end
    refuses("on takes what happens, not 'change' %(there are add, remove, "
      .. "set, enter, leave, destroy, begin, end%)", "change", Position, print)
    refuses("on takes", nil)
    refuses("on takes a component", "add", nil, print)
    refuses("on takes a function, not nil", "add", Position)
    refuses("on 'enter' takes a query, not", "enter", Position, print)
    refuses("on takes a function", "destroy", Position, print)
    assert.error_matches(function()
      world:on("destroy", print, { batch = 1 })
    end, "on knows one option, as in { batch = true }")
    assert.error_matches(function()
      world:on("add", Position, print, { batch = true }, 5)
    end, "on 'add' takes no more than 4 arguments")
    refuses("on: query { ObsEnemy, up = { ChildOf } } goes along a tree",
      "enter", world:query { Enemy, up = { ecs.ChildOf } }, print)
    refuses("on: .* asks for changes", "leave",
      world:query { Position, changed = { Position } }, print)
    local other = ecs.world {}
    refuses("on: query { ObsPosition } is of another world", "leave",
      other:query { Position }, print)
    other:close()
  end)
end)
