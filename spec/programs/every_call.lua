-- One program that makes every public call and prints the results, numbers with
-- %.17g. Its output must be the same on every VM, to the byte: that of the
-- others is compared with that of Lua 5.4 (see tools/suite).
--
-- The list of calls comes from the library: the functions of the module and of
-- ecs.math, and the methods of worlds and of queries. A name that the program
-- does not call is an error at its end, so a new one cannot be forgotten here.

local ecs = require "ecs"

-- The collector frees unused queries at another time on each VM, which would
-- show in stats.
collectgarbage "stop"

-- Which calls there are, and which were made -------------------------------

local public, called = {}, {}

-- Compiled systems call the original function, not the one that takes note.
local random = ecs.random

--- Replaces each function of a table by one that records the call.
local function watch(prefix, functions)
  for name, original in pairs(functions) do
    if type(original) == "function" then
      local full = prefix .. name
      public[#public + 1] = full
      functions[name] = function(...)
        called[full] = true
        return original(...)
      end
    end
  end
end

do
  local scene = ecs.world {}
  local Any = ecs.tag "Any"
  watch("world:", debug.getmetatable(scene).__index)
  watch("query:", debug.getmetatable(scene:query { Any }).__index)
  watch("total:", debug.getmetatable(scene:sum "any").__index)
  watch("array:", debug.getmetatable(scene:array("any", "u8", 1)).methods)
  local Flat = ecs.component("Flat", { x = "f32", y = "f32" })
  watch("near:", debug.getmetatable(scene:grid { query = { Flat },
    at = { Flat, "x", "y" }, cell = 1 }).__index)
  watch("ecs.", ecs)
  watch("ecs.math.", ecs.math)
end

-- Printing -------------------------------------------------------------------

local text_of

--- A table as text, by sorted keys; a list in its own order.
local function text_of_table(object)
  local keys, parts = {}, {}
  for key in pairs(object) do keys[#keys + 1] = key end
  table.sort(keys)
  for k, key in ipairs(keys) do
    parts[k] = text_of(key) .. " = " .. text_of(object[key])
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

function text_of(value)
  if type(value) == "number" then
    return value ~= value and "nan" or string.format("%.17g", value)
  elseif type(value) == "table" then
    return text_of_table(value)
  end
  return tostring(value)
end

local function show(label, ...)
  local parts = {}
  for k = 1, select("#", ...) do parts[k] = text_of((select(k, ...))) end
  print(label .. ": " .. table.concat(parts, " "))
end

--- The message of an error, without its position.
local function refused(label, f)
  local ok, text = pcall(f)
  text = tostring(text):match "[^\n]*" -- frames below differ between VMs
  show(label, ok, text:match "ecs: .*$" or text)
end

-- Components and values ------------------------------------------------------

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local Velocity = ecs.component("Velocity", { x = "f32", y = "f32" })
local Drag = ecs.component("Drag", { factor = "f32" })
local Body = ecs.component("Body", {
  a = "f32", b = "f64", c = "i8", d = "u8", e = "i16", f = "u16", g = "i32",
  h = { "u32", 4294967295 }, i = { "bool", true }, j = "entity",
})
local Burning = ecs.component("Burning", { heat = { "f64", 0.1 } },
  { storage = "sparse" })
local Enemy = ecs.tag "Enemy"
local Stunned = ecs.tag("Stunned", { storage = "sparse" })
local Seen = ecs.tag("Seen", { storage = "bits" })

show("definitions", Position, Enemy, Body.name, Position ==
  ecs.component("Position", { y = "f32", x = "f32" }))
show("value", Position { x = 0.1 }, Body { b = 1 / 3 })
for _, field in ipairs(Body.fields) do
  show("field", field.name, field.type, field.default)
end
show("no field", #Enemy.fields)
refused("field", function() Position { z = 1 } end)
refused("range", function() Body { c = 128 } end)
refused("schema", function() ecs.component("Position", { x = "f64" }) end)
refused("name", function() ecs.tag "count" end)

-- ecs.math -------------------------------------------------------------------

local numbers = { 0, 1, -1, 0.5, -2.75, 1e-7, 3, 100.25, 12345.678, -1e10,
                  1e300, 1 / 0, -1 / 0, 0 / 0 }
local unary = { "sin", "cos", "exp", "log", "log10", "floor", "ceil" }
for _, name in ipairs(unary) do
  for _, x in ipairs(numbers) do show(name, x, ecs.math[name](x)) end
end
for _, name in ipairs { "pow", "atan2", "mod", "min", "max" } do
  for k, x in ipairs(numbers) do
    local y = numbers[#numbers + 1 - k]
    show(name, x, y, ecs.math[name](x, y), ecs.math[name](x, 2.5))
  end
end
for _, x in ipairs(numbers) do
  show("clamp, lerp", x, ecs.math.clamp(x, -2, 2.5), ecs.math.lerp(x, 3, 0.1))
end

-- One entity -----------------------------------------------------------------

local world = ecs.world { phases = { "first", "update", "draw" } }
show("world", world, world:hash(), world:state_hash())

local a = world:spawn(Position { x = 0.1 }, Enemy)
local b = world:spawn(Position, Velocity { x = 1 / 3, y = -1 }, Seen)
local c = world:spawn(Body { a = 1e-3, b = 1e-3, j = a }, Burning)
show("spawned", a, b, c, world)
show("alive", world:alive(a), world:alive(0), world:alive(nil))
show("get", world:get(a, Position), world:get(c, Body))
show("get fields", world:get(c, Body, "a"), world:get(c, Body, "h", "i", "j"))
show("get nothing", world:get(a, Velocity), world:get(0, Position, "x"))
show("has", world:has(a, Position, Enemy), world:has(a, Seen), world:has(a))
world:set(a, Position { y = 2 / 3 })
world:set(a, Position, "x", 1e-40)
world:set(a, Burning { heat = 0 / 0 })
world:set(c, Body, "j", nil)
show("set", world:get(a, Position), world:get(a, Burning, "heat"))
world:set(a, Position, { x = 3, y = 4 })
world:set(c, Body, world:get(c, Body))
world:set(c, Body, "a", 7, "b", 8, "j", a)
show("set", world:get(a, Position), world:get(c, Body))
world:set(a, Position)
show("reset", world:get(a, Position), world:get(c, Body, "j"))
local kinds_of, place = world:getter(Body, "h", "i", "j"),
  world:setter(Body, "c", "i", "j")
show("getter", kinds_of(c), world:getter(Position, "x")(a),
  world:getter(Position)(a), kinds_of(a))
place(c, -7, false, b)
show("setter", world:get(c, Body), world:tester(Position, Enemy)(a),
  world:tester(Seen)(a), world:tester()(a))
refused("setter", function() place(c, 128, true, nil) end)
refused("setter of less", function() place(c, 1) end)
refused("setter of more", function() place(c, 1, true, nil, 2) end)
refused("getter", function() kinds_of("a") end)
refused("getter of nothing", function() world:getter(Position, "z") end)
place(c, 0, true, nil)
local shoot = world:spawner(Position, "x", Velocity { x = 3 }, "y", Body, "j",
  "i", Enemy, Stunned, Seen, Burning, { heat = 7 })
local shot = shoot(0.1, -4, a, false)
show("spawner", shot, world:get(shot, Position), world:get(shot, Velocity),
  world:get(shot, Body), world:get(shot, Burning), world:components(shot))
show("destroyed", world:destroy(shot), world:destroy(world:spawner()()))
refused("spawner", function() shoot("a", 1, nil, true) end)
refused("spawner of less", function() shoot(1, 2, a) end)
refused("spawner of what", function() world:spawner("x") end)
refused("spawner of two", function() world:spawner(Position { x = 1 }, "x") end)
world:add(a, Stunned)
world:add(a, Burning { heat = 5 })
world:add(a, Drag { factor = 0.3 })
show("add", world:components(a), world:get(a, Burning, "heat"))
local Torch = ecs.prefab("Torch", { Burning { heat = 3 }, Position { x = 1 },
  children = { { Enemy, Position { y = 2 } } } })
local lit = world:spawn(Torch, Position { y = 5 })
show("prefab", Torch.name, world:get(lit, Position), world:get(lit, Burning),
  world:link_count(lit, ecs.ChildOf), Torch == ecs.prefab "Torch")
world:destroy(lit)
refused("prefab", function() world:spawn(Torch, Torch) end)
refused("prefab of what", function() ecs.prefab("Torch", { Enemy }) end)
show("clone", world:components(world:clone(a)))
world:name(a, "torch")
show("name", world:name(a), world:find "torch" == a, world:find "lamp",
  world:has(a, ecs.Name), world:query({ with = { ecs.Name } }):count())
refused("named", function() world:remove(a, ecs.Name) end)
world:remove(a, Burning)
world:remove(a, Enemy)
show("remove", world:components(a))
show("destroy", world:destroy(b), world:destroy(b), world:alive(b))
refused("dead", function() world:add(b, Enemy) end)
refused("tag", function() world:get(a, Enemy) end)
refused("spawn twice", function() world:spawn(Position, Position) end)
refused("strict", function() world:set(a, Position, "x", "1") end)
show("hashes", world:hash(), world:state_hash())

-- Links ----------------------------------------------------------------------

local Orbits = ecs.component("Orbits",
  { around = { "entity", link = "clear" } })
for _, field in ipairs(ecs.ChildOf.fields) do
  show("link", field.name, field.type, field.default, field.link, field.tree)
end
local sun = world:spawn()
local planet = world:spawn(Orbits { around = sun })
local moon = world:spawn(Orbits { around = planet },
  ecs.ChildOf { parent = planet })
for e in world:links(sun, Orbits, "around") do show("links", e) end
for e in world:children(planet) do show("children", e) end
for e in world:ancestors(moon) do show("ancestors", e) end
show("parent", world:parent(moon), world:parent(sun),
  world:link_count(planet, Orbits))
local along = world:query { read = { Orbits },
  up = { ecs.ChildOf, read = { Orbits } } }
for e, orbits, above in along:rows() do
  show("up, rows", e, orbits.around, above and above.around)
end
along:each(function(orbits, above, e)
  show("up, each", e, orbits.around, above and above.around)
end)
along:batch(function(batch)
  local above = batch.up.Orbits
  show("up, batch", batch.count, above and above.around[1])
end)
show("up, query", tostring(along), along:count())
refused("circle", function()
  world:set(planet, ecs.ChildOf { parent = moon })
end)
world:destroy(sun)
refused("dead target", function() world:set(moon, Orbits, "around", sun) end)
show("cleared", world:get(planet, Orbits, "around"), world:destroy(planet),
  world:alive(moon))

-- Often enough for LuaJIT to compile the loop.
local found = 0
for k = 1, 300 do
  world:set(c, Body, "a", k / 7)
  world:set(c, Body, "j", k % 3 == 0 and a or nil)
  world:set(a, Position { y = -k / 3 })
  world:set(a, Position, { x = k / 9 })
  world:set(c, Body, "b", k / 3, "j", k % 2 == 0 and c or nil)
  world:destroy(world:spawn(Position, { x = k }, Velocity, Body, { b = k / 7 }))
  local single, whole = world:get(c, Body, "a", "d")
  local nothing = select("#", world:get(c, Body, "j"))
  local both = world:has(c, Body, Burning) and world:has(c, Body)
  if both and world:alive(c) and not world:alive(b) then found = found + 1 end
  if k % 50 == 0 then
    show("often", single, whole, nothing, world:get(c, Body),
      world:get(a, Position, "x", "y"))
  end
end
show("found", found)

-- Events ----------------------------------------------------------------------

do
  local made = ecs.world {}
  local Hit = ecs.event("Hit", { who = "entity", damage = "f32" })
  local total = made:sum "damage"
  made:system { name = "hurt", query = { read = { Hit } }, compile = true,
    each = function(hit) total:add(hit.damage) end }
  made:system { name = "shoot", query = { read = { Position } }, compile = true,
    each = function(p, _, e) made:emit(Hit { who = e, damage = p.x }) end }
  made:spawn(Position { x = 0.1 })
  show("event", made:emit(Hit { damage = 3 }), made:state_hash())
  for _ = 1, 3 do
    made:progress(1)
    show("event", total:value(), made:stats().entities, made:hash())
  end
  refused("event", function() made:emit(Position { x = 1 }) end)
end

-- Resources -------------------------------------------------------------------

do
  local made = ecs.world {}
  local row, e = made:resource(Body { a = 0.1, j = 1 })
  show("resource", row, e, row.a, row.h, row.j, made:hash(), made:state_hash())
  row.b = 1 / 3
  made:resource(Body, { c = -7 })
  show("resource", row.b, row.c, made:resource(Body) == row)
  made:spawn(Position { x = 1 })
  made:system { name = "s", query = { Position }, compile = true,
    each = function(p) p.x = p.x * row.c + row.b end }
  made:progress(1)
  show("resource", made:state_hash(), made:components(e))
  refused("resource", function() made:resource(Drag) end)
  refused("resource", function() row.c = 200 end)
end

-- Many entities and queries --------------------------------------------------

show("spawn_many", world:spawn_many(500, { Position, Velocity { x = 0.7 } },
  function(batch)
    for i = 1, batch.count do
      batch[Position].x[i] = i / 7
      batch.Velocity.y[i] = 1e10 / i
    end
  end))
world:reserve(50, { Position, Stunned })
show("spawn_as", world:spawn_as(4 * 2^28 + 900, Position { x = 0.3 }, Burning))
world:replace(a, Burning, Position { x = 1 })
show("replace", world:has(a, Burning), world:get(a, Position, "x"))
world:replace(a, Enemy, Burning)
show("spawn_as refused", world:spawn_as(900), world:spawn_as(2^27))
show("jumped over", world:spawn(), world:spawn())
local moving = world:query { Position, read = { Velocity },
                             optional = { Burning }, without = { Stunned } }
show("query", moving, moving:count(), moving:first())
show("explain", moving:explain())
local sum, rows = 0, 0
moving:batch(function(batch, factor)
  local p, v, burning = batch.Position, batch[Velocity], batch[Burning]
  for i = 1, batch.count do
    p.x[i] = p.x[i] * factor + v.y[i]
    if burning then burning.heat[i] = p.y[i] end
    sum, rows = sum + batch.entities[i], rows + 1
  end
end, 0.3)
show("batch", sum, rows)
moving:each(function(p, v, burning, factor, word, e)
  p.y = p.x / factor - v.x
  if e % 3 == 0 and not burning then world:add(e, Burning { heat = p.y }) end
  if e % 7 == 0 then world:destroy(e) end
  if e % 50 == 0 then
    show("each", tostring(p), tostring(v), burning ~= nil, factor, word, e, p.x)
  end
end, 0.9, "word")
for e, p, v, burning in moving:rows() do
  p.x = p.x - v.x
  if burning then burning.heat = burning.heat + p.x end
  if e % 5 == 0 then world:remove(e, Velocity) end
  if e % 60 == 0 then show("rows", e, p.x, p.y, burning and burning.heat) end
end
local burning = world:query { Burning, with = { Position } }
burning:add(Drag { factor = 0.25 })
burning:add(Seen)
burning:set(Position { y = 1 / 3 })
burning:set(Position, { x = 2 / 3 })
burning:set(Position, "y", 5 / 3)
burning:replace(Enemy, Velocity { x = 1 / 9 })
show("replaced", world:query({ Velocity }):count(), world:state_hash())
burning:add(Position, { x = 1 })
show("bulk", burning:count(), world:query({ Drag, Seen }):count())
burning:remove(Drag)
show("bulk", world:query({ Drag }):count(), world:state_hash())
world:query({ Seen, without = { Velocity } }):destroy()
show("bulk", burning:count(), world:hash(), world:state_hash())
refused("read", function()
  for _, p in world:query({ read = { Position } }):rows() do p.x = 1 end
end)
refused("row", function()
  moving:batch(function(batch) batch.Position.x[0] = 1 end)
end)
refused("open", function() moving:each(function() world:clear() end) end)
refused("open", function() moving:each(function() world:trim() end) end)

-- Systems --------------------------------------------------------------------

refused("on_fallback", function() ecs.on_fallback(1, "here:1", "because") end)
ecs.on_fallback = function(...) show("on_fallback", ...) end
show("load_native", ecs.load_native "physics")
show("load_native", ecs.load_native "no_such_library" == nil)
world:group { Position, Velocity }
world:ungroup { Velocity }
world:group({ Enemy }, { storage = "bits" })
show("advise", tostring(world:advise()))
show("optimize", tostring(world:optimize()), tostring(world:optimize()))
world:system { name = "gravity", query = { Position, Velocity },
               native = "physics.gravity", phase = "first" }
world:system {
  name = "move", after = "wait", query = { Position, read = { Velocity } },
  each = function(p, v, dt, e)
    p.x = p.x + v.x * dt
    if e % 11 == 0 then world:spawn(Position { x = p.x }, Enemy) end
  end,
}
world:system {
  name = "wait", query = { Velocity },
  batch = function(batch, dt)
    local x = batch.Velocity.x
    for i = 1, batch.count do x[i] = x[i] * (1 - dt) end
  end,
}
world:system { name = "tell", phase = "draw", run = function(same, dt)
  show("run", same, dt, same:query({ Enemy }):count())
end }
world:system { name = "gone", run = error }
world:system { name = "off", run = error }
world:remove_system "gone"
world:enable("off", false)
for _ = 1, 5 do world:progress(1 / 60) end
world:run("draw", 0.1)
show("frames", world:hash(), world:state_hash())
for e, p, v in world:query({ Position, Velocity }):rows() do
  if e % 40 == 0 then show("row", e, p.x, p.y, v.x, v.y) end
end
show("explain", world:explain())
for _, name in ipairs { "gravity", "move", "wait", "tell", "off" } do
  show("explain", world:explain(name))
end
show("stats", world:stats())
do
  local file = os.tmpname()
  show("trace", world:trace(file, 1))
  world:run("update", 0)
  show("no trace", (world:trace("/nowhere/frames.json")))
  os.remove(file)
end
world:profile(true)
world:progress(1 / 60)
world:profile(false)
local figures = world:stats "move"
assert(figures.seconds > 0)
figures.seconds = nil
show("stats of a system", figures)
world:enable("off", true)
world:system { name = "off", run = function() error("ended", 0) end }
refused("failed", function() world:progress(1) end)
refused("no phase", function() world:run("paint", 1) end)

-- Grids ----------------------------------------------------------------------

do
  local space = ecs.world { seed = 3 }
  for k = 1, 60 do
    space:spawn(Position { x = k * 7 % 13, y = k * 5 % 11 })
  end
  local near = space:grid { query = { read = { Position } },
                            at = { Position, "x", "y" }, cell = 1.5 }
  near:build()
  for e, p in near:within(6, 5, 2.5) do show("within", e, p.x, p.y) end
  for e, p in near:box(0, 0, 2, 3) do show("box", e, p.x, p.y) end
  for one, other, p, q in near:each_pair(1) do
    show("pair", one, other, p.x - q.x)
  end
  local e, p, distance = near:nearest(6.3, 5.4, 4, 17)
  show("nearest", e, p.x, p.y, distance)
  show("near", near:count(3, 3, 3), near:any(3, 3, 0), near:any(3, 3, 9, 2))
  show("explain", near:explain())
  space:system { name = "ask", query = { Position }, uses = { near },
    each = function(own, _, self)
      own.x = own.x + near:count(own.x, own.y, 1) + self / 100
    end }
  space:progress(1)
  show("asked", space:state_hash(), near:count(6, 5, 3))
end

-- Observers ------------------------------------------------------------------

local watched = ecs.world {}
local function tell(what)
  return function(e, p)
    if type(e) == "number" then return show(what, e, p and p.x) end
    show(what, e.count, e.entities[1], e.Position.x[e.count])
  end
end
watched:on("add", Position, tell "added")
watched:on("set", Position, tell "set")
watched:on("remove", Position, tell "removed", { batch = true })
watched:on("enter", watched:query { Position, with = { Enemy } },
  tell "entered")
local leaving = watched:on("leave", watched:query { with = { Enemy } },
  tell "left")
watched:on("destroy", tell "destroyed")
watched:spawn_many(3, { Position { x = 0.1 } })
watched:set(2, Position { x = 0.7 })
watched:query({ Position }):add(Enemy)
leaving:off()
watched:clear()
show("observer", leaving)
watched:on("add", Position, function(e) watched:remove(e, Position) end)
watched:on("remove", Position, function(e) watched:add(e, Position) end)
refused("circle", function() watched:spawn(Position) end)

-- Time and states ------------------------------------------------------------

local timed = ecs.world { states = { "menu", "play" },
  phases = { { "step", fixed = 1 / 60, most = 3 }, "update" } }
local half = timed:on("begin", "play", function(same, from)
  show("begin", same:state(), from)
end)
timed:on("end", "menu", function(same, to) show("end", same:state(), to) end)
timed:system { name = "step", phase = "step", run = function(_, dt)
  show("step", dt)
end }
timed:system { name = "seldom", every = 0.1, in_state = "play",
  when = function(same) return same:stats().frames % 2 == 0 end,
  run = function(_, dt) show("seldom", dt) end }
for k = 1, 12 do
  if k == 2 then timed:go "play" end
  timed:progress(1 / 45)
end
timed:progress(1)
show("phase", timed:phase "step")
show("time", timed:hash(), timed:stats().dropped_steps, timed:explain())
half:off()
refused("state", function() timed:go "over" end)
refused("phase", function() timed:phase "update" end)

-- Random numbers and totals --------------------------------------------------

local lucky = ecs.world { seed = 5, phases = { "update", "draw" } }
lucky:spawn_many(3000, { Position, Drag })
local luck, least, most = lucky:sum "luck", lucky:min "luck", lucky:max "luck"
show("totals", luck, least, most, luck:value(), least:value(), most:value())
for k, compiled in ipairs { false, true } do
  local roll = compiled and random or ecs.random
  lucky:system {
    name = "draw " .. k, query = { Position, read = { Drag } },
    compile = compiled, precision = compiled and "double" or nil,
    each = function(p, drag)
      p.x = roll() * 8
      if p.x > 4 then p.y = p.y + roll() + drag.factor end
      luck:add(p.x)
      if p.y > 0.5 then least:add(p.y) end
      most:add(roll() + roll(6) * roll(-2, 2))
    end,
  }
  lucky:progress(1)
  lucky:run("update", 1)
  show("drawn", luck:value(), least:value(), most:value(), lucky:state_hash())
end
refused("no row", function() ecs.random() end)
refused("no row", function() luck:add(1) end)
refused("no name", function() lucky:sum() end)

-- Arrays ---------------------------------------------------------------------

local mapped = ecs.world {}
local walls = mapped:array("walls", "u8", 3, 4)
walls:set { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } }
walls[1][3], walls[2][3] = walls[2][3], walls[1][3]
show("array", walls, walls:size(), #walls, #walls[2], walls[1][3], walls[2][3],
  mapped:hash(), mapped:state_hash())
refused("outside", function() return walls[4][1] end)
refused("outside", function() walls[1][0] = 1 end)
refused("a value", function() walls[1][1] = 256 end)
refused("no table", function() walls:set { { 1 } } end)
walls:fill(9)
show("filled", walls[3][4])
walls:resize(2, 2)
show("resized", walls, walls[2][2])
refused("other sizes", function() mapped:array("walls", "u8", 3, 4) end)
mapped:close()
refused("closed", function() return walls[1][1] end)

-- Changes applied at the end of a frame --------------------------------------

local late = ecs.world { flush = "frame" }
late:spawn_many(100, { Position, Burning })
late:system { name = "record", run = function(same)
  for e, p in same:query({ Position }):rows() do
    p.x = e / 3
    if e % 2 == 0 then same:destroy(e) else same:add(e, Enemy) end
    same:set(e, Velocity { x = p.x })
  end
  show("recorded", same:query({ Enemy }):count(), same:stats().entities)
end }
late:progress(1)
show("flushed", late:query({ Enemy, Velocity }):count(), late:stats(),
  late:hash(), late:state_hash())

-- The state ------------------------------------------------------------------

local kept = ecs.world { seed = 3 }
kept:name(kept:spawn(Position { x = 1 }, Burning), "kept")
kept:system { name = "move", query = { Position }, each = function(p)
  p.x = p.x + ecs.random()
end }
local before, past = kept:snapshot(), kept:history(2)
local saved = kept:save()
kept:progress(1)
past:take()
show("kept", kept:hash(), kept:state_hash(), #saved, kept:dump())
kept:clear()
kept:restore(before)
kept:progress(1)
show("restored", kept:hash(), past:count(), kept:find "kept")
past:rewind(1)
show("diff", kept:apply(kept:diff(kept:snapshot(), before)), kept:hash())
local packed = kept:query({ Position }):pack()
local new = kept:unpack(packed, { as = "new", with = Position { y = 2 } })
show("packed", #packed, #new, kept:get(new[1], Position, "x", "y"))
kept:destroy(new[1])
show("unpacked", #kept:unpack(packed, { as = "same" }), kept:hash(),
  kept:unpack(packed:sub(2), { as = "same" }))
kept:progress(1)
show("rewound", kept:hash(), kept:load { bytes = saved })
show("loaded", kept:hash(), kept:save() == saved,
  kept:load { bytes = saved:sub(2) })
kept:close()

-- The end --------------------------------------------------------------------

world:clear()
show("clear", world, world:hash(), world:stats())
show("trim", world:trim() > 0, world:hash(), world:stats().tables)
world:close()
show("close", world, moving)
refused("closed", function() world:spawn() end)

table.sort(public)
for _, name in ipairs(public) do
  if not called[name] then error(name .. " is never called here") end
end
show("every call", #public, public)
