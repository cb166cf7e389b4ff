-- Random systems, for the promise that threads and passes change nothing.
--
--     random_schedules.lua FIRST COUNT
--
-- Each number is a program: components in random storages, up to 3,000 rows,
-- and a few systems that compute, draw numbers, look at other entities, add to
-- totals and variables outside, read and write arrays, change structure and
-- take side exits. It is played system by system, then with passes, on one
-- thread and on 2, 3, 4 and 8; each second one has precision = "double" and is
-- played as plain Lua, too. After every frame the hash, the totals, the
-- variables and what side exits did must be the same, and at the end what was
-- counted. A failure prints the text of the systems.

local ecs = require "ecs"
ecs.on_fallback = nil

local first, count = tonumber(arg[1]) or 1, tonumber(arg[2]) or 20
local load_text = loadstring or load

-- The same components in every program, in three storages each.
local STORAGES = { "table", "table", "sparse" }
local variants = {}
for k, storage in ipairs(STORAGES) do
  local how = { storage = storage }
  local function define(name, fields)
    return ecs.component("Random" .. name .. k, fields, how)
  end
  variants[k] = {
    A = define("A", { x = "f32", y = "f64" }),
    B = define("B", { v = "f32", n = "i32" }),
    C = define("C", { t = "entity", w = "f64", k = "u8" }),
    L = define("L", { past = { "f32", count = 4 } }),
    M = define("M", { n = "f64" }),
  }
end
local tags = { ecs.tag("RandomBit", { storage = "bits" }), ecs.tag "RandomTag" }

-- Drawing ---------------------------------------------------------------------

local state

local function draw(n)
  state = state * 16807 % 2147483647
  return state % n + 1
end

local function pick(list) return list[draw(#list)] end

local function chance(n) return draw(n) == 1 end

-- Systems ---------------------------------------------------------------------

--- Statements, by the rows that they need. NUM: a number that is drawn.
local statements = {
  { "A", "a.x = a.x * 0.5 + dt * NUM" },
  { "A", "a.y = a.y - a.x * 0.125" },
  { "A", "a.y = a.y * 0.5 + gain * dt" },
  { "A", "if loud then a.x = a.x * 0.5 + set.level end" },
  { "A", "a.x = a.x * 0.25 + bend(a.y)" },
  { "A", "if a.x > NUM then a.y = a.y + 0.25 else a.y = a.y * 0.75 end" },
  { "A", "a.x = a.x + ecs.random() * 0.5" },
  { "A", "sum:add(a.x)" },
  { "A", "if a.y > NUM then high:add(a.y) end low:add(a.x)" },
  { "A", "total = total + a.y" },
  { "A", "if a.x > most then most = a.x end" },
  { "A", "for k = 1, 3 do a.x = a.x * 0.9 + k * 0.125 end" },
  { "AB", "a.x = a.x * 0.25 + b.v" },
  { "AB", "b.v = ecs.math.sin(a.y) + b.v * 0.5" },
  { "B", "b.n = (b.n * 5 + NUM) % 1009" },
  { "B", "b.v = (b.v * 0.5 + heat[b.n % 16 + 1]) % 32" },
  { "B", "local k = b.n % 16 + 1 heat[k] = (heat[k] * 0.5 + b.v) % 64" },
  { "B", "count = count + 1" },
  { "B", "if b.n % 61 == NUM then add(e, Tag) end" },
  { "B", "if b.n % 61 == NUM then remove(e, Tag) end" },
  { "B", "if b.n % 67 == NUM then world:add(e, Bit) end" },
  { "B", "if b.n % 131 == NUM then world:destroy(e) end" },
  { "B", "if b.n % 127 == NUM then world:spawn(A { x = b.v }, B) end" },
  { "B", "if b.n % 257 == NUM then seen[#seen + 1] = b.n end" },
  { "B", "if world:has(e, Tag) then b.n = (b.n + 1) % 1009 end" },
  { "C", "c.w = c.w * 0.5 + c.k" },
  { "C", "local x = world:get(c.t, A, 'x') if x then c.w = c.w + x end",
    apart = "A" }, -- not where A is walked
  { "C", "if world:alive(c.t) then c.k = (c.k + 3) % 200 end" },
  { "C", "if c.t and world:has(c.t, Bit) then c.k = (c.k + 7) % 200 end" },
  { "C", "if c.k == NUM then world:set(e, M { n = c.w }) end" },
  { "BC", "c.k = b.n % 200 b.v = b.v * 0.5 + c.w % 3" },
  { "L", "l.past[1] = l.past[1] * 0.5 + NUM" },
  { "BL", "l.past[b.n % 4 + 1] = b.v b.v = l.past[NUM % 4 + 1] * 0.5" },
}

local ROWS = { "A", "B", "C", "L" }
local KINDS = { "A", "B", "C", "L", "M" }

--- The text of a system's function with its query: of what its statements need.
local function system_text(number)
  local lines, has = {}, {}
  local apart = {}
  for _ = 1, draw(4) do
    local statement = pick(statements)
    local rows, fits = statement[1], not has[statement.apart]
    for row in rows:gmatch "." do fits = fits and not apart[row] end
    if fits then
      for row in rows:gmatch "." do has[row] = true end
      if statement.apart then apart[statement.apart] = true end
      lines[#lines + 1] = "    " .. statement[2]:gsub("NUM", function()
        return tostring(draw(40) - 1)
      end)
    end
  end
  local list, names = {}, {}
  for _, row in ipairs(ROWS) do
    if has[row] then
      list[#list + 1], names[#names + 1] = row, row:lower()
    end
  end
  local filter = ""
  if chance(4) then
    filter = ", " .. pick { "with", "without" } .. " = { "
      .. pick { "Tag", "Bit" } .. " }"
  end
  return ("world:system { name = 's%d', query = { %s%s },\n"
    .. "  each = function(%s, dt, e)\n%s\n  end }\n"):format(number,
    table.concat(list, ", "), filter, table.concat(names, ", "),
    table.concat(lines, "\n"))
end

local HEAD = [[
local ecs, world, A, B, C, L, M, Tag, Bit, seen = ...
local heat = world:array("heat", "f32", 16)
local sum, low, high = world:sum "sum", world:min "low", world:max "high"
local total, most, count = 0, 0, 0
local gain, loud, set, frames = 0.5, true, { level = 2 }, 0
local function bend(x) return x * 0.5 + set.level end
local function add(e, tag) world:add(e, tag) end
local function remove(e, tag) world:remove(e, tag) end
]]

local TAIL = [[
world:system { name = "turn", run = function()
  frames = frames + 1
  if frames % 2 == 0 then gain = gain + 0.25 end
  if frames % 3 == 0 then loud = not loud end
  if frames == 4 then set.level = 3 end
  if frames == 5 then set = { level = 4 } end
  if frames == 6 then bend = function(x) return x * 0.25 + frames end end
end, before = WHERE }
return function()
  return total, most, count, sum:value(), low:value(), high:value(), #seen,
    table.concat(seen, " ")
end
]]

--- A program: the text of its systems, and how its world is made.
local function new_program(number)
  state = number * 7919 + 17
  for _ = 1, 3 do draw(2) end
  local program = { seed = draw(1000), kinds = {}, double = number % 2 == 0,
    rows = pick { 0, 1, 5, 100, 1023, 1025, 2000, 3000 },
    flush = pick { "system", "frame" }, grouped = chance(4) }
  for k, row in ipairs(KINDS) do program.kinds[k] = variants[draw(3)][row] end
  local parts = {}
  for k = 1, 2 + draw(5) do parts[k] = system_text(k) end
  program.systems = #parts
  program.text = HEAD .. table.concat(parts)
    .. TAIL:gsub("WHERE", "'s" .. draw(#parts) .. "'")
  return program
end

-- Playing ---------------------------------------------------------------------

--- Rows with all kinds of components, in many tables.
local function fill(world, program)
  local A, B, C, L = (table.unpack or unpack)(program.kinds)
  local last
  for k = 1, program.rows do
    local e = world:spawn(A { x = k % 50, y = k % 31 },
      B { v = k % 7, n = k % 1009 })
    if k % 3 == 0 then world:add(e, C { t = last, w = k % 11, k = k % 200 }) end
    if k % 4 == 0 then world:add(e, L { past = { k % 5, 1, 2, 3 } }) end
    if k % 11 == 0 then world:remove(e, A) end
    if k % 5 == 0 then world:add(e, tags[1]) end
    if k % 13 == 0 then world:add(e, tags[2]) end
    last = e
  end
  if program.grouped then world:group { A, B } end
end

local FRAMES = 7

-- What has run in passes, so that this is seen to be about them.
local worlds, joined = 0, 0

--- What can be seen of a program after each frame, and how many runs fell back.
local function play(program, options)
  options.seed, options.flush = program.seed, program.flush
  options.precision = program.double and "double" or nil
  local world, seen = ecs.world(options), {}
  fill(world, program)
  local kinds = program.kinds
  local made = assert(load_text(program.text))
  local figures = made(ecs, world, kinds[1], kinds[2], kinds[3], kinds[4],
    kinds[5], tags[2], tags[1], seen)
  local lines = {}
  for frame = 1, FRAMES do
    world:progress(0.25)
    lines[frame] = world:hash() .. " " .. table.concat({ figures() }, " ")
    if frame == 3 then world:enable("s2", false) end
    if frame == 5 then world:enable("s2", true) end
  end
  for k = 1, program.systems do
    lines[FRAMES] = lines[FRAMES] .. " " .. world:stats("s" .. k).runs
  end
  local _, found = world:explain():gsub("one pass", "")
  if options.passes == nil then
    worlds, joined = worlds + 1, joined + math.min(found, 1)
  end
  world:close()
  return lines
end

local function compare(number, program, options, what)
  local expected = program.expected
  local lines = play(program, options)
  for frame = 1, FRAMES do
    if lines[frame] ~= expected[frame] then
      print(program.text)
      print(("not ok %s of program %d, frame %d of %d rows:\n%s\n%s"):format(
        what, number, frame, program.rows, expected[frame], lines[frame]))
      os.exit(1)
    end
  end
end

for number = first, first + count - 1 do
  local program = new_program(number)
  program.expected = play(program, { passes = false })
  compare(number, program, {}, "passes")
  for _, threads in ipairs { 2, 3, 4, 8 } do
    compare(number, program, { threads = threads }, threads .. " threads")
  end
  if program.double then
    compare(number, program, { compile = false }, "plain Lua")
  end
end
if count > 9 and joined * 10 < worlds then
  print(("not ok: %d of %d worlds have passes"):format(joined, worlds))
  os.exit(1)
end
print(("ok %d programs, from %d on"):format(count, first))
