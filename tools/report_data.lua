-- report_data.lua: runs the C benchmarks and keeps what they print.
--
-- Each program runs in several rounds, one round of all programs after the
-- other, because the machine is shared: a time is the least of all repetitions
-- of all rounds, and a ratio that of two such times.

local data = {}

local function read_command(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  assert(pipe:close(), command .. " failed")
  return text
end

data.read_command = read_command

-- A line of --json: an object of strings and numbers.
local function parse_line(line)
  local row = {}
  for key, text in line:gmatch('"([%w_]+)":"([^"]*)"') do row[key] = text end
  for key, number in line:gmatch('"([%w_]+)":(-?[%d.e+-]+)') do
    row[key] = tonumber(number)
  end
  return row
end

data.parse_line = parse_line

local function key_of(program, name, size, where, memory)
  return table.concat({ program, name, size, where, memory or "" }, "|")
end

local function least(a, b) return a and b and math.min(a, b) or a or b end

-- Joins a row with that of an earlier round.
local function merge(rows, row)
  local where = row.order or row.condition
  local key = key_of(row.program, row.name, row.size, where, row.memory)
  local old = rows[key]
  if not old then
    rows[key] = row
    rows[#rows + 1] = row
    return
  end
  if row.value then
    old.value = math.min(old.value, row.value)
    return
  end
  old.least = least(old.least, row.least)
  old.hand_least = least(old.hand_least, row.hand_least)
end

-- Runs these programs, without "bench_", and returns their rows, also by key.
function data.run(names, rounds, arguments)
  local rows = {}
  for _ = 1, rounds do
    for _, name in ipairs(names) do
      local text = read_command("build/bench/bench_" .. name .. " --json "
        .. arguments)
      for line in text:gmatch("[^\n]+") do merge(rows, parse_line(line)) end
    end
  end
  return rows
end

-- The row of that name, size and order (or condition, of a value). memory may
-- be nil where there is one row alone.
function data.find(rows, program, name, size, where, memory)
  local row = rows[key_of(program, name, size, where, memory)]
  if row or memory then return row end
  for _, kind in ipairs { "warm", "cold", "new", "resv" } do
    row = rows[key_of(program, name, size, where, kind)]
    if row then return row end
  end
end

-- Ours to the baseline's time; nil without a baseline.
function data.ratio(row)
  if row.value or row.hand_least <= 0 then return nil end
  return row.least / row.hand_least
end

-- "met" or "missed", for a row with an aim; nil otherwise.
function data.verdict(row)
  local figure, aim
  if row.value then
    figure, aim = row.value, row.aim
  elseif row.aim_ratio > 0 then
    figure, aim = data.ratio(row), row.aim_ratio
  else
    figure, aim = row.least, row.aim
  end
  if not aim or aim <= 0 or not figure then return nil end
  return figure <= aim and "met" or "missed", figure, aim
end

-- Instructions and misses of each row of bench_profiles, by name and size; an
-- empty table without valgrind.
function data.count(words)
  local found = {}
  if not os.execute("command -v valgrind >/dev/null 2>&1") then return found end
  local text = read_command("tools/count_misses profiles " .. words)
  for count, misses, name, size in
    text:gmatch("(%d+) (%d+) [^|]*| ([^|]*) | (%d+) |[^\n]*")
  do
    found[name .. "|" .. size] =
      { count = tonumber(count), misses = tonumber(misses) }
  end
  return found
end

return data
