--- measure: times several ways to do the same work and compares them fairly.
--
-- A time alone means little, because machines are shared and clocks drift. So a
-- contest has sides, what a user would write by hand and what the library does,
-- and they run alternately in one process:
--
--     verify -> calibrate -> a b c, b c a, c a b ... -> verify -> the table
--        |                                                |
--     differ: error                                    differ: error
--
-- - Before the first and after the last repetition, every side is run from its
--   beginning and returns a number that depends on all of its results. If these
--   numbers differ between sides, the program ends with a message, without a
--   time.
-- - The collector is stopped while the clock runs, and collects in between.
-- - The clock is os.clock: the processor time of this process, in steps of
--   about a microsecond. A repetition has as many runs as last hundreds of
--   steps, and the cost of reading the clock is subtracted. Programs with
--   threads use a clock of real time (measure.use_clock).
-- - The table shows the median and the least over the repetitions, in
--   nanoseconds per entity. The ratio is the median of the ratios to the
--   baseline in the same repetition, which cancels slow drift. An aim is met by
--   the median.
--
-- Arguments of every program: --json (one line per result), --smoke (tiny
-- sizes, one repetition; only the results are checked), --repetitions N, and
-- words, one of which must occur in the name of a contest for it to run.

local measure = {}

local REPETITIONS = 11
local SMOKE_SIZE = 60       -- 5, 4 and 20 divide it: every share is whole
local STEPS = 1000          -- of the clock: the least that a repetition lasts
local PREPARED_STEPS = 250  -- the same, when every run has to be prepared
local MOST_SECONDS = 0.25   -- of one repetition, preparations included
local MOST_RUNS = 2 ^ 30

local clock = os.clock
local accelerated = type(rawget(_G, "jit")) == "table"

-- The arguments of the program, and its results so far.
local report = {
  title = "?", json = false, smoke = false, repetitions = REPETITIONS,
  words = {}, aims = 0, aims_met = 0, contests = 0, step = 1e-6, reading = 0,
}

--- "jit" or "lua": the keys of aims that differ between the VMs.
measure.vm = accelerated and "jit" or "lua"

-- The clock ----------------------------------------------------------------

--- Measures by another clock: a function that returns seconds. To be called
-- before measure.open.
function measure.use_clock(seconds) clock = seconds end

--- The smallest step of the clock seen, and the cost of reading it.
local function study_clock()
  local step = math.huge
  for _ = 1, 50 do
    local before, now = clock(), clock()
    while now == before do now = clock() end
    step = math.min(step, now - before)
  end
  local readings, start = 20000, clock()
  for _ = 1, readings do clock() end
  report.step = step
  report.reading = (clock() - start) / readings
end

--- The seconds that some runs of a side take, and the same with preparations.
local function time(side, runs)
  local run, prepare = side.run, side.prepare
  local begin = clock()
  if not prepare then
    for _ = 1, runs do run() end
    local total = clock() - begin - report.reading
    return total, total
  end
  local total = 0
  for _ = 1, runs do
    prepare()
    local start = clock()
    run()
    total = total + (clock() - start - report.reading)
  end
  return total, clock() - begin
end

--- The same with the collector stopped.
local function time_alone(side, runs)
  collectgarbage()
  collectgarbage("stop")
  local seconds, whole = time(side, runs)
  collectgarbage("restart")
  return seconds, whole
end

--- The number of runs of a side for a repetition that is long enough.
local function calibrate(side)
  local runs = 1
  local least = (side.prepare and PREPARED_STEPS or STEPS) * report.step
  if report.smoke then return runs end
  while runs < MOST_RUNS do
    local seconds, whole = time_alone(side, runs)
    if seconds >= least or whole > MOST_SECONDS then break end
    runs = runs * 2
  end
  return runs
end

-- Arguments ----------------------------------------------------------------

local function fail(text, ...)
  error(string.format(text, ...), 0)
end

local function machine()
  if not accelerated then return _VERSION end
  local state = jit.status() and "" or ", its compiler off"
  return jit.version .. state
end

--- Reads the arguments and prints the head of the table.
function measure.open(title, arguments)
  report.title = title
  local k = 1
  while arguments[k] do
    local word = arguments[k]
    if word == "--json" then
      report.json = true
    elseif word == "--smoke" then
      report.smoke, report.repetitions = true, 1
    elseif word == "--repetitions" then
      k = k + 1
      report.repetitions = tonumber(arguments[k]) or 0
      if report.repetitions < 1 or report.repetitions % 1 ~= 0 then
        fail("--repetitions takes a whole number from 1 on")
      end
    elseif word:sub(1, 1) == "-" then
      fail("there is no %s (there are --json, --smoke, --repetitions N)", word)
    else
      report.words[#report.words + 1] = word
    end
    k = k + 1
  end
  study_clock()
  if report.json or report.smoke then return end
  print(string.format("%s: %s; the clock has steps of %.2f us and takes %.2f "
    .. "us to read", title, machine(), report.step * 1e6,
    report.reading * 1e6))
  print(string.format("nanoseconds for one entity, median and least of up to "
    .. "%d; ratio: to the side without one", report.repetitions))
  print(string.format("%-48s %7s %8s %8s %7s %-9s", "", "size", "median",
    "least", "ratio", "aim"))
end

--- Will a contest of this name run?
function measure.wanted(name)
  for _, word in ipairs(report.words) do
    if name:find(word, 1, true) then return true end
  end
  return #report.words == 0
end

--- The size to use: a tiny one with --smoke.
function measure.size(size)
  return report.smoke and SMOKE_SIZE or size
end

-- The table ----------------------------------------------------------------

--- A number with three significant figures.
local function figures(number)
  local format = number < 9.995 and "%.2f" or number < 99.95 and "%.1f"
    or "%.0f"
  return format:format(number)
end

--- A table as one line of JSON, its keys in the order of names.
local function print_json(names, values)
  local parts = {}
  for _, name in ipairs(names) do
    local value = values[name]
    if type(value) == "number" then
      value = ("%.10g"):format(value)
    elseif type(value) == "string" then
      value = ("%q"):format(value)
    end
    if value ~= nil then
      parts[#parts + 1] = ('"%s":%s'):format(name, tostring(value))
    end
  end
  print("{" .. table.concat(parts, ",") .. "}")
end

--- Counts an aim; returns its text and the verdict.
local function judge(found, aim, suffix)
  if not aim then return "", nil end
  local met = found <= aim
  report.aims = report.aims + 1
  if met then report.aims_met = report.aims_met + 1 end
  return ("<= %g%s"):format(aim, suffix), met
end

local function verdict_text(met)
  if met == nil then return "" end
  return met and "met" or "MISSED"
end

local json_names = { "program", "vm", "name", "side", "size", "unit", "median",
  "least", "ratio", "against", "value", "aim", "aim_ratio", "met",
  "repetitions", "runs", "check" }

local function print_side(name, size, side, check)
  local aim, met
  if side.aim_ratio then
    aim, met = judge(side.ratio, side.aim_ratio, "x")
  else
    aim, met = judge(side.median, side.aim, "")
  end
  if report.json then
    print_json(json_names, {
      program = report.title, vm = machine(), name = name, side = side.name,
      size = size, unit = "ns", median = side.median, least = side.least,
      ratio = side.ratio, against = side.against, aim = side.aim,
      aim_ratio = side.aim_ratio, met = met,
      repetitions = #side.times, runs = side.runs, check = tostring(check),
    })
    return
  end
  print((("%-48s %7d %8s %8s %7s %-9s %s"):format(name .. ": " .. side.name,
    size, figures(side.median), figures(side.least),
    side.ratio and figures(side.ratio) or "", aim, verdict_text(met))
    :gsub("%s+$", "")))
end

--- Prints that there is nothing to measure for this side.
local function print_absent(name, size, side)
  if report.json or report.smoke then return end
  print(("%-48s %7d not here"):format(name .. ": " .. side, size))
end

--- Prints a number that is not a time, such as bytes for an entity. spec: name,
-- side, size, unit, value (nil: not available here), and aim, if there is one.
function measure.value(spec)
  report.contests = report.contests + 1
  if not spec.value then
    print_absent(spec.name, spec.size, spec.side)
    return
  elseif report.smoke then
    return
  end
  local aim, met = judge(spec.value, spec.aim, "")
  if report.json then
    spec.program, spec.vm, spec.met = report.title, machine(), met
    print_json(json_names, spec)
    return
  end
  print((("%-48s %7d %8s %-16s %-9s %s"):format(spec.name .. ": " .. spec.side,
    spec.size, figures(spec.value), spec.unit, aim, verdict_text(met))
    :gsub("%s+$", "")))
end

-- Contests -----------------------------------------------------------------

--- Runs every side from its beginning and compares the results. Returns what
-- all of them have.
local function verify(name, sides)
  local expected, author
  for _, side in ipairs(sides) do
    for _ = 1, side.prepare and 1 or 3 do
      if side.prepare then side.prepare() end
      side.run()
    end
    local found = side.check()
    if side.reset then side.reset() end
    if author and found ~= expected then
      fail("%s: the results differ: %s has %s, %s has %s", name, author,
        tostring(expected), side.name, tostring(found))
    end
    expected, author = found, author or side.name
  end
  return expected
end

local function median_of(numbers)
  local sorted = {}
  for k, number in ipairs(numbers) do sorted[k] = number end
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1]
end

--- Runs every side once per repetition, starting with another side each time.
local function repeat_all(sides, size, repetitions)
  for _, side in ipairs(sides) do
    side.runs, side.times = calibrate(side), {}
  end
  for k = 1, repetitions do
    for turn = 1, #sides do
      local side = sides[(k + turn) % #sides + 1]
      local divisor = side.runs * (side.operations or size) * 1e-9
      side.times[k] = time_alone(side, side.runs) / divisor
    end
  end
end

--- Medians, least times, and the ratios to the baseline of each side.
local function summarize(sides)
  local named = {}
  for _, side in ipairs(sides) do named[side.name] = side end
  for _, side in ipairs(sides) do
    side.median = median_of(side.times)
    side.least = math.huge
    for _, seconds in ipairs(side.times) do
      side.least = math.min(side.least, seconds)
    end
    local baseline = named[side.against] or sides[1]
    side.against = baseline.name
    if baseline ~= side then
      local ratios = {}
      for k, seconds in ipairs(side.times) do
        ratios[k] = seconds / baseline.times[k]
      end
      side.ratio = median_of(ratios)
    end
  end
end

--- Replaces aims that differ between VMs by the aims of this VM.
local function choose_aims(side)
  if type(side.aim) == "table" then side.aim = side.aim[measure.vm] end
  if type(side.aim_ratio) == "table" then
    side.aim_ratio = side.aim_ratio[measure.vm]
  end
end

--- Measures the sides that build(size) makes, for each size.
--
-- A side has
--   name
--   run()        once over all entities; timed
--   check()      returns a number or text that must be the same for all sides
-- and may have
--   prepare()    called before every run; not timed
--   reset()      goes back to the beginning, for a side that prepares nothing
--                and accumulates over its runs
--   operations   per run; default: the size
--   aim          in nanoseconds, or aim_ratio; a number or { lua = , jit = }
--   against      the name of its baseline; default: the first side
-- A side with absent = true does not exist yet and is only mentioned. most: of
-- the repetitions, for work that takes long; default: no limit.
function measure.contest(name, sizes, build, most)
  if not measure.wanted(name) then return end
  if report.smoke then sizes = { SMOKE_SIZE } end
  for _, size in ipairs(sizes) do
    if accelerated and jit.status() then jit.flush() end
    local sides, absent = {}, {}
    for _, side in ipairs(build(size)) do
      choose_aims(side)
      local list = side.absent and absent or sides
      list[#list + 1] = side
    end
    verify(name, sides)
    repeat_all(sides, size, math.min(report.repetitions, most or math.huge))
    for _, side in ipairs(sides) do
      if side.reset then side.reset() end
    end
    local found = verify(name, sides)
    report.contests = report.contests + 1
    if not report.smoke then
      summarize(sides)
      for _, side in ipairs(sides) do
        print_side(name, size, side, found)
      end
    end
    for _, side in ipairs(absent) do print_absent(name, size, side.name) end
    io.stdout:flush()
    collectgarbage()
    collectgarbage()
  end
end

--- Prints how many aims were met.
function measure.close()
  if report.contests == 0 then fail("no contest is called that") end
  if report.smoke then
    print(("%s: %d contests ran, and their sides agree"):format(report.title,
      report.contests))
  elseif not report.json then
    print(("%d of %d aims met"):format(report.aims_met, report.aims))
  end
end

return measure
