--- run: one generated function, compiled and as plain Lua, in worlds alike.
--
-- For each precision two worlds are made of one scene. One runs the compiled
-- function, the other its reference: the plain text of write.lua for "double",
-- that of reference.lua for "fields". There are two frames, and every upvalue
-- changes between them. Half of the functions may run by query:each instead of
-- a system, where they are compiled for "fields". After each frame the hashes
-- of the worlds must be equal. Hashes depend on every bit but the sign and
-- payload of a NaN.

local ecs = require "ecs"
local arithmetic = require "differential.arithmetic"
local generate = require "differential.generate"
local reference = require "differential.reference"
local scene = require "differential.scene"
local write = require "differential.write"

local run = {}

local load_text = rawget(_G, "loadstring") or load
local definitions = scene.definitions

local outer = { 0.0, 1.0, -1.0, 0.1, 2.0, 3.7, 1e-3, 255.0, 1e38, 1e-40, 1e300,
                -0.3333333333333333, 16777217.0, 1 / 0, 0 / 0, -1 / (1 / 0) }

local function outer_number(random)
  if random() < 0.5 then return outer[math.floor(random() * #outer) + 1] end
  return (random() * 2 - 1) * 10
end

--- A table with numbers as keys, made by element(key): from -1, 0 or 1 on, with
-- a hole now and then.
local function tabled(random, element)
  local made, first = {}, math.floor(random() * 3) - 1
  for k = first, first + math.floor(random() * 8) do
    if k == first or random() < 0.95 then made[k] = element(k) end
  end
  return made
end

--- The tables of one frame.
local function tables(random)
  local function number() return outer_number(random) end
  local function point()
    return { x = random() < 0.95 and number() or nil, y = 1.0 }
  end
  local made = {
    l1 = {}, l2 = tabled(random, number), l3 = tabled(random, number),
    points = tabled(random, point), places = tabled(random, point),
    map = tabled(random, function() return tabled(random, number) end),
    flags = tabled(random, function() return random() < 0.6 end),
  }
  for k = 1, math.floor(random() * 7) + 1 do made.l1[k] = number() end
  -- Of tables as large as these only what rows look at is copied.
  if random() < 0.15 then
    for k = 1, 300 do made.l2[k], made.points[k] = number(), point() end
  end
  return made
end

--- Puts the values of a frame into the table that functions use.
local function put(cfg, now)
  cfg.a, cfg.deep.b, cfg.flag = now.a, now.b, now.flag
  for name, value in next, now.tables do cfg[name] = value end
end

--- The values outside the function in one frame: five upvalues, tables, dt.
local function frame(seed, number, handles)
  local random = generate.random(seed * 11 + number * 7 + 3)
  local made = tables(generate.random(seed * 13 + number * 5 + 1))
  return {
    u1 = outer_number(random), u2 = outer_number(random),
    b1 = random() < 0.5, b2 = random() < 0.5,
    w1 = handles[math.floor(random() * #handles) + 1],
    a = outer_number(random), b = outer_number(random),
    flag = random() < 0.5, dt = random() < 0.5 and 1 / 60 or random(),
    tables = made,
  }
end

--- Runs a chunk with its world and table. Returns the function and its setter.
local function instance(text, world, cfg, near)
  local chunk, problem = load_text(text)
  if not chunk then error("the text does not load: " .. problem, 0) end
  return chunk(ecs, world, definitions.T, definitions.S, definitions.L,
    definitions.V, definitions.O, cfg, arithmetic, near)
end

local precisions = { "double", "fields" }

--- true: half of the functions run by query:each. It belongs to the module that
-- the process has loaded first, and busted loads another for each file: there
-- it would not know the functions of ecs.math.
run.each = false

--- Does query:each run the function? By its seed, so that it is so again.
function run.is_by_each(made) return run.each and made.seed % 2 == 1 end

--- Two worlds for a precision: { compiled, plain }, each { world, set }.
local function pair(made, place, texts, precision, cfg, results)
  local sides = {}
  for k, name in ipairs { "compiled", "plain" } do
    local world = scene.world(place)
    results.worlds[#results.worlds + 1] = world
    local text = name == "compiled" and texts.source or texts[precision]
    local side = name == "compiled" and results.shared
    if not side then
      side = {}
      side.near = text:find("near:", 1, true) and scene.grid(world)
      side.work, side.set = instance(text, world, cfg, side.near)
    end
    -- A function that does not use its world serves both precisions.
    if name == "compiled" and not text:find("world:", 1, true)
      and not side.near then
      results.shared = side
    end
    sides[k] = { world = world, set = side.set, work = side.work,
                 near = side.near }
  end
  for k, side in ipairs(sides) do
    local now = results.frames[1]
    side.set(now.u1, now.u2, now.b1, now.b2, now.w1)
    if k == 1 and precision == "fields" and run.is_by_each(made) then
      side.query = side.world:query(scene.query(made.shape))
    else
      side.world:system {
        name = "s", query = scene.query(made.shape), each = side.work,
        compile = k == 1, precision = k == 1 and precision or nil,
        uses = k == 2 and side.near and { side.near } or nil,
      }
    end
  end
  return sides
end

local function step(side, now)
  side.set(now.u1, now.u2, now.b1, now.b2, now.w1)
  if side.query then return side.query:each(side.work, now.dt) end
  side.world:progress(now.dt)
end

--- Runs one precision. Returns nil or a failure: { kind, text }.
local function try(made, place, texts, precision, cfg, results)
  local first = results.frames[1]
  put(cfg, first)
  local done, sides = pcall(pair, made, place, texts, precision, cfg, results)
  if not done then
    -- The kind has the reason, so that shrinking keeps the same failure.
    local why = tostring(sides):match("([^:']*) cannot be compiled")
    return { kind = "refused" .. (why or ""), text = tostring(sides) }
  end
  for number, now in ipairs(results.frames) do
    put(cfg, now)
    local fine, problem = pcall(step, sides[2], now)
    if not fine then return { kind = "plain", text = tostring(problem) } end
    fine, problem = pcall(step, sides[1], now)
    if not fine then return { kind = "compiled", text = tostring(problem) } end
    local a, b = sides[1].world:state_hash(), sides[2].world:state_hash()
    if a ~= b then
      return { kind = "differs", precision = precision, frame = number,
               sides = sides, text = precision .. ", frame "
                 .. string.format("%.0f", number) }
    end
    results.hash = a
  end
  return nil
end

--- The texts of a function; raises an error for an invalid tree.
function run.texts(made)
  return { source = write.text(made), double = write.text(made, true),
           fields = reference.text(made) }
end

--- Runs a function over rows; options: rows, frames (1 or 2), precision (only
-- this), tell (rows that differ). Returns nil or a failure, and the hashes.
function run.run(made, options, counts)
  local done, texts = pcall(run.texts, made)
  if not done then return { kind = "tree", text = tostring(texts) } end
  local place = scene.make(made.seed, options.rows, counts or {})
  local results = { frames = {}, worlds = {} }
  for k = 1, options.frames or 2 do
    results.frames[k] = frame(made.seed, k, place.handles)
  end
  local failure, hashes, cfg = nil, {}, { deep = {} }
  for _, precision in ipairs(precisions) do
    if not failure and (not options.precision
      or options.precision == precision) then
      failure = try(made, place, texts, precision, cfg, results)
      hashes[#hashes + 1] = results.hash
    end
  end
  if failure and options.tell then
    failure.texts, failure.frames = texts, results.frames
    if failure.sides then
      failure.rows = scene.compare(place, scene.world(place),
        failure.sides[1].world, failure.sides[2].world,
        { "compiled", "plain" })
    end
  end
  for _, world in ipairs(results.worlds) do world:close() end
  return failure, hashes
end

return run
