--- peers: the program behind bench/peers, which see.
--
--     peers.lua DIR [--sizes N,N] [--repetitions N] [--smoke] [words]
--
-- Each library that DIR has is loaded from there, and its tests from
-- peers_NAME.lua beside this file. A test has one or several ways:
--
--     before(n) -> context      not timed
--     run(context)              timed
--     result(context)           a number that must be the same everywhere
--     after(context)            not timed; may be absent
--     steady                    before is called once, run again and again
--
--     operations     per run; absent: the number of entities
--
-- The results of a first run are compared before anything is timed: a library
-- that does no work is not fast. Then all ways run alternately. Each test has a
-- process of its own, so that what LuaJIT's compiler gave up in one is not
-- slow in the next. The time is the
-- processor time of this process, the median of the repetitions, once with the
-- collector stopped while the clock runs and once with it running. The best way
-- of each library counts, and whoever is within 5 % of the best is first.

local here = arg[0]:match("^(.-)[^/]*$")
package.path = here .. "?.lua;" .. package.path

local SIZES = { 100, 1000, 10000 }
local WITHIN = 1.05
local LEAST, MOST = 0.004, 0.06 -- seconds of a repetition: timed, and in all
local WARM = 0.1 -- seconds before the first: LuaJIT compiles

local clock, accelerated = os.clock, type(rawget(_G, "jit")) == "table"

local setting = { DT = 1 / 64, SYSTEMS = 20 }

--- Shuffles a list, in the same way each time.
function setting.shuffle(list)
  local seed = 20240229
  for k = #list, 2, -1 do
    seed = seed * 16807 % 2147483647
    local other = seed % k + 1
    list[k], list[other] = list[other], list[k]
  end
  return list
end

--- A sum of places in which the order counts.
function setting.sum()
  local sum, place = 0, 0
  return function(x, y)
    if x then
      place = place + 1
      sum = sum + (place % 97 + 1) * (x + 3 * y)
    end
    return sum
  end
end

local ORDER = {
  "entity/create_empty", "entity/create_with_components", "entity/destroy",
  "component/get", "component/set", "component/add", "component/remove",
  "tag/has", "tag/add", "tag/remove",
  "system/throughput", "system/overlap", "system/fragmented",
  "system/chained", "system/multi_20", "system/empty_systems",
  "structural_scaling/create", "structural_scaling/add_component",
  "structural_scaling/destroy",
  "row/spawn three", "row/move", "row/count i32",
  "row/query in the loop, 10 rows",
}
local PUBLIC = 19 -- of these are tests of the public benchmark

-- Arguments ------------------------------------------------------------------

local options = { sizes = SIZES, repetitions = 7, words = {} }

local function fail(text, ...)
  io.stderr:write("peers: ", text:format(...), "\n")
  os.exit(1)
end

local function read_arguments(arguments)
  local k = 1
  while arguments[k] do
    local word = arguments[k]
    if word == "--smoke" then
      options.smoke, options.sizes, options.repetitions = true, { 60 }, 1
    elseif word == "--repetitions" then
      k = k + 1
      options.repetitions = tonumber(arguments[k])
        or fail "--repetitions takes a number"
    elseif word == "--sizes" then
      k, options.sizes = k + 1, {}
      for size in (arguments[k] or ""):gmatch "%d+" do
        options.sizes[#options.sizes + 1] = tonumber(size)
      end
    elseif word == "--only" then -- a process of one test
      k = k + 1
      options.only = arguments[k]
    elseif word:sub(1, 1) == "-" then
      fail("there is no %s", word)
    elseif not options.folder then
      options.folder = word
    else
      options.words[#options.words + 1] = word
    end
    k = k + 1
  end
  if not options.folder then fail "which folder has the libraries?" end
end

local function wanted(name)
  for _, word in ipairs(options.words) do
    if name:find(word, 1, true) then return true end
  end
  return #options.words == 0
end

-- Libraries ------------------------------------------------------------------

--- The libraries that are there, this one first.
local function load_libraries()
  local libraries = {
    { name = "ecs", tests = require("peers_ours")(setting) },
  }
  for _, known in ipairs { { "evolved", "evolved.lua" },
      { "tiny", "tiny.lua" } } do
    local path = options.folder .. "/" .. known[2]
    local file = io.open(path)
    if file then
      file:close()
      libraries[#libraries + 1] = { name = known[1],
        tests = require("peers_" .. known[1])(setting, dofile(path)) }
    end
  end
  return libraries
end

--- The ways of a test, of all libraries.
local function ways_of(libraries, name)
  local ways = {}
  for _, library in ipairs(libraries) do
    local names = {}
    for way in pairs(library.tests[name] or {}) do names[#names + 1] = way end
    table.sort(names)
    for _, way in ipairs(names) do
      local test = library.tests[name][way]
      if test then
        ways[#ways + 1] = { library = library.name, name = way, test = test }
      end
    end
  end
  return ways
end

-- Measuring ------------------------------------------------------------------

--- Runs a way once, or steady ones three times, and returns the result.
local function result_of(way, size)
  local test = way.test
  local context = test.before(size)
  for _ = 1, test.steady and 3 or 1 do test.run(context) end
  local result = test.result(context)
  if test.after then test.after(context) end
  return result
end

local function verify(name, ways, size)
  local expected, author
  for _, way in ipairs(ways) do
    local result = result_of(way, size)
    if author and result ~= expected then
      fail("%s with %d: %s (%s) has %s, %s has %s", name, size, way.library,
        way.name, tostring(result), author, tostring(expected))
    end
    expected, author = result, author or way.library
  end
end

local reading = 0 -- seconds that reading the clock costs

local function study_clock()
  local start = clock()
  for _ = 1, 20000 do clock() end
  reading = (clock() - start) / 20000
end

--- The timed seconds of some runs, and the seconds in all.
local function time(way, size, runs)
  local test, run, total = way.test, way.test.run, 0
  local begin = clock()
  if test.steady then
    local context = way.context
    for _ = 1, runs do run(context) end
    total = clock() - begin - reading
    return total, total
  end
  for _ = 1, runs do
    local context = test.before(size)
    local start = clock()
    run(context)
    total = total + (clock() - start - reading)
    if test.after then test.after(context) end
  end
  return total, clock() - begin
end

local function time_alone(way, size, runs, running)
  collectgarbage()
  if not running then collectgarbage "stop" end
  local seconds, whole = time(way, size, runs)
  collectgarbage "restart"
  return seconds, whole
end

local function calibrate(way, size)
  local test = way.test
  if test.steady then
    way.context = test.before(size)
    for _ = 1, 3 do test.run(way.context) end
  end
  local begin = clock()
  while not options.smoke and clock() - begin < WARM do
    time(way, size, 1)
  end
  way.runs = 1
  while not options.smoke and way.runs < 2 ^ 24 do
    local seconds, whole = time_alone(way, size, way.runs)
    if seconds >= LEAST or whole >= MOST then break end
    way.runs = way.runs * 2
  end
end

local function median(numbers)
  table.sort(numbers)
  return numbers[math.floor(#numbers / 2) + 1]
end

--- Sets ns, the median time for an entity, of each way.
local function measure(ways, size, running)
  for _, way in ipairs(ways) do way.times = {} end
  for k = 1, options.repetitions do
    for turn = 1, #ways do
      local way = ways[(k + turn) % #ways + 1]
      way.times[k] = time_alone(way, size, way.runs, running)
        / way.runs / (way.test.operations or size) * 1e9
    end
  end
  for _, way in ipairs(ways) do way.ns = median(way.times) end
end

--- The best way of each library, and the time of the best of all.
local function best_of(ways)
  local best, least = {}, math.huge
  for _, way in ipairs(ways) do
    local known = best[way.library]
    if not known or way.ns < known.ns then best[way.library] = way end
    least = math.min(least, way.ns)
  end
  return best, least
end

-- The table ------------------------------------------------------------------

local function figures(number)
  local format = number < 9.995 and "%.2f" or number < 99.95 and "%.1f"
    or "%.0f"
  return format:format(number)
end

--- Prints one line, and returns whether this library is first.
local function print_row(name, libraries, ways)
  local best, least = best_of(ways)
  local cells, first = {}, {}
  for k, library in ipairs(libraries) do
    local way = best[library.name]
    cells[k] = ("%22s"):format(way and ("%s %s"):format(figures(way.ns),
      way.name) or "-")
    if way and way.ns <= least * WITHIN then
      first[#first + 1] = library.name
    end
  end
  print(("%-36s %s  %s"):format(name, table.concat(cells),
    table.concat(first, ", ")))
  local others = {}
  for _, way in ipairs(ways) do
    if best[way.library] ~= way then
      others[#others + 1] = ("%s %s %s"):format(way.library, way.name,
        figures(way.ns))
    end
  end
  if #others > 0 then print("    " .. table.concat(others, ", ")) end
  return best.ecs and best.ecs.ns <= least * WITHIN
end

local function print_head(libraries, size, running)
  local cells = {}
  for k, library in ipairs(libraries) do
    cells[k] = ("%22s"):format(library.name)
  end
  print(("\n%s, %d entities, collector %s, ns for one entity"):format(
    accelerated and require("jit").version or _VERSION, size,
    running and "running" or "stopped"))
  print(("%-36s %s  first"):format("", table.concat(cells)))
end

-- Processes ------------------------------------------------------------------

--- Measures one test at one size and prints a line for each way and state of
-- the collector, for the process that started this one.
local function run_test(name, size)
  local ways = ways_of(load_libraries(), name)
  verify(name, ways, size)
  for _, way in ipairs(ways) do calibrate(way, size) end
  for state = 1, options.smoke and 1 or 2 do
    measure(ways, size, state == 2)
    for _, way in ipairs(ways) do
      print(("%d\t%s\t%s\t%.6g"):format(state, way.library, way.name, way.ns))
    end
  end
end

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

--- The results of one test: for each state of the collector a list of ways.
local function measure_apart(name, size)
  local command = table.concat({ arg[-1] or "lua", quoted(arg[0]),
    quoted(options.folder), options.smoke and "--smoke" or "", "--sizes", size,
    "--repetitions", options.repetitions, "--only", quoted(name) }, " ")
  local states, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do
    local state, library, way, ns = line:match "^(%d)\t(.-)\t(.-)\t(.+)$"
    if not state then fail("%s: %s", name, line) end
    local ways = states[tonumber(state)] or {}
    ways[#ways + 1] = { library = library, name = way, ns = tonumber(ns) }
    states[tonumber(state)] = ways
  end
  pipe:close()
  if not states[1] then fail("%s with %d: no results", name, size) end
  return states
end

--- All tests at one size. Prints a table for each state of the collector.
local function run_size(libraries, size)
  local tables = { {}, {} }
  for number, name in ipairs(ORDER) do
    if wanted(name) then
      for state, ways in ipairs(measure_apart(name, size)) do
        table.insert(tables[state], { name, ways, number <= PUBLIC })
      end
    end
  end
  if options.smoke then return end
  for state, rows in ipairs(tables) do
    print_head(libraries, size, state == 2)
    local firsts, public = 0, 0
    for _, row in ipairs(rows) do
      local first = print_row(row[1], libraries, row[2])
      if row[3] then
        public = public + 1
        if first then firsts = firsts + 1 end
      end
    end
    print(("ecs is first in %d of %d public tests"):format(firsts, public))
  end
end

read_arguments(arg)
study_clock()
if options.only then
  run_test(options.only, options.sizes[1])
else
  local libraries = load_libraries()
  for _, size in ipairs(options.sizes) do run_size(libraries, size) end
  if options.smoke then
    print(("peers: the results of %d libraries agree"):format(#libraries))
  end
end
