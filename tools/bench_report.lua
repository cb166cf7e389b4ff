-- bench_report.lua: measures what the sources of the workloads claim, and
-- writes the report.
--
--   lua5.4 tools/bench_report.lua [--smoke] [--rounds N] [--repetitions N]
--
-- Runs the C benchmarks, which `make bench-programs` has built, in N (2) rounds
-- and writes docs/report.md and the plots beside it, docs/report/*.svg.
-- With those in Lua it takes less than fifteen minutes. --smoke runs the C
-- benchmarks of the report once, at their smallest, and writes to build/report
-- instead.

package.path = "tools/?.lua;" .. package.path
local data = require "report_data"
local report_pictures = require "report_pictures"
local claims = require "report_claims"
local report_lua = require "report_lua"

local CLAIMED = {
  "units", "removal", "derivatives", "varkor", "profiles", "iterate", "access",
  "layout", "hierarchy", "managed",
}
local OTHERS = {
  "bulk", "change", "changed", "commit", "create", "game", "group", "link",
  "list", "memory", "observe", "partial", "program", "record", "replace",
  "rows", "sorted", "toggle", "types",
}

local smoke, rounds, repetitions = false, 2, 9
local folder = "docs"

local function read_arguments()
  local k = 1
  while arg[k] do
    if arg[k] == "--smoke" then
      smoke, rounds, folder = true, 1, "build/report"
    elseif arg[k] == "--rounds" then
      k, rounds = k + 1, assert(tonumber(arg[k + 1]), "--rounds: a number")
    elseif arg[k] == "--repetitions" then
      k = k + 1
      repetitions = assert(tonumber(arg[k]), "--repetitions: a number")
    else
      error("bench_report: not an option: " .. arg[k])
    end
    k = k + 1
  end
end

-- Numbers ------------------------------------------------------------------

local function figures(number)
  if number == 0 then return "0" end
  if number >= 1000 then return string.format("%.0f", number) end
  if number >= 99.95 then return string.format("%.0f", number) end
  return string.format(number >= 9.995 and "%.1f" or "%.2f", number)
end

local function times(ratio) return figures(ratio) .. "x" end

local function aim_text(row)
  local verdict, figure, aim = data.verdict(row)
  if not verdict then return "-" end
  local unit = (row.value or row.aim_ratio == 0) and (" " .. row.unit) or "x"
  if unit == " x" then unit = "x" end
  if verdict == "met" then return "met, aim " .. figures(aim) .. unit end
  return string.format("**missed**: %s, aim %s%s", figures(figure),
    figures(aim), unit)
end

local function verdict_text(row, faster)
  local ratio = data.ratio(row)
  if not (faster and ratio) then return aim_text(row) end
  local text = string.format("%s times as fast", figures(1 / ratio))
  if 1 / ratio >= faster then return "holds: " .. text end
  return "**does not hold**: " .. text
end

-- The page -----------------------------------------------------------------

local page = {}

local function say(...) page[#page + 1] = table.concat { ... } end

local function say_cells(...) say("| ", table.concat({ ... }, " | "), " |") end

-- Beside a program that was measured apart.
local function say_apart(row, claim)
  local ratio = row.least / claim.apart
  local verdict = "-"
  if claim.aim then
    verdict = (ratio <= claim.aim and "met, aim " or "**missed**, aim ")
      .. times(claim.aim)
  end
  say_cells(claim[1], claim[2], figures(claim.apart), figures(row.least),
    times(ratio), verdict)
end

local function say_row(rows, claim)
  local row = data.find(rows, table.unpack(claim[3]))
  if not row then
    -- Worlds are too small to count, or to be sure which side is faster.
    if smoke and (claim.counted or claim.compared) then return end
    error("no benchmark has the row " .. table.concat(claim[3], ", "))
  end
  if claim.apart then return say_apart(row, claim) end
  if row.value then
    say_cells(claim[1], claim[2], "", figures(row.value) .. " " .. row.unit, "",
      aim_text(row))
    return
  end
  local ratio = data.ratio(row)
  say_cells(claim[1], claim[2], ratio and figures(row.hand_least) or "-",
    figures(row.least), ratio and times(ratio) or "-",
    verdict_text(row, claim[4]))
end

local function say_section(rows, section)
  say("\n## ", section.title, "\n")
  say(section.text, "\n")
  for _, picture in ipairs(section.plots) do
    say("![", picture[2], "](report/", picture[1], ")")
  end
  say()
  say_cells("claim", "baseline", "measured", "ours", "ratio", "verdict")
  say("|---|---|--:|--:|--:|---|")
  for _, claim in ipairs(section) do say_row(rows, claim) end
end

-- Instructions across profiles, and misses of the physics example. -----------

local function say_profile_counts(counted)
  for _, work in ipairs { "create", "iterate", "create and destroy" } do
    for _, size in ipairs { 10000, 100000, 1000000 } do
      local least, most
      for _, profile in ipairs { "A", "AA", "AAA" } do
        local found = counted[work .. ", 2 in " .. profile .. "|" .. size]
        if not found then return end
        least = math.min(least or found.count, found.count)
        most = math.max(most or found.count, found.count)
      end
      local spread = (most / least - 1) * 100
      say_cells("instructions: " .. work .. ", A to AAA", size,
        figures(least / size), figures(most / size),
        string.format("%.2f %%", spread), spread <= 1 and "met, aim 1 %"
          or "**missed**, aim 1 %")
    end
  end
end

local function say_misses(counted)
  for _, size in ipairs { 10000, 100000 } do
    local found = counted["physics, 2 in AAA|" .. size]
    if found then
      local misses = found.misses / size
      say_cells("data cache misses of the physics example: the post has 2.08",
        size, "2.08", figures(misses), times(misses / 2.08),
        misses <= 0.3 and "met, aim 0.3" or "**missed**, aim 0.3")
    end
  end
end

local function say_counts(counted)
  if not next(counted) then
    say("\nInstructions and misses were not counted: there was no valgrind.")
    return
  end
  say("\nCounted by valgrind, per entity (`tools/count_misses`); of the ",
    "profiles the least and the most of the three:\n")
  say_cells("count", "entities", "baseline or least", "ours or most", "ratio",
    "verdict")
  say("|---|--:|--:|--:|--:|---|")
  say_profile_counts(counted)
  say_misses(counted)
end

-- The list's elements move up. -----------------------------------------------

local function say_lists(rows)
  say("\nA list whose elements move up, by hand:\n")
  say_cells("order", "size", "list, ns", "ours, ns", "verdict")
  say("|---|--:|--:|--:|---|")
  for _, order in ipairs { "in order", "random", "reverse" } do
    for _, size in ipairs { 10000, 100000 } do
      local list = data.find(rows, "removal", "list with shift, by hand", size,
        order)
      local ours = data.find(rows, "removal", "remove", size, order)
      local faster = list.value / ours.least
      say_cells(order, size, figures(list.value), figures(ours.least),
        faster >= 1 and "ours is " .. figures(faster) .. " times as fast"
          or "the list is " .. figures(1 / faster) .. " times as fast")
    end
  end
end

-- Every other aim ------------------------------------------------------------

local function say_aims(rows)
  local met, all = 0, 0
  say("\n## Every aim of the other benchmarks\n")
  say("Rows without an aim are left out; `make bench` prints them. Units are ",
    "ns unless they are named.\n")
  say_cells("benchmark", "row", "size", "where", "baseline", "ours", "verdict")
  say("|---|---|--:|---|--:|--:|---|")
  for _, row in ipairs(rows) do
    local verdict = data.verdict(row)
    if verdict then
      all = all + 1
      if verdict == "met" then met = met + 1 end
      local hand = not row.value and row.hand_least > 0
      say_cells(row.program, row.name, row.size,
        row.condition or row.order .. ", " .. row.memory,
        hand and figures(row.hand_least) or "-",
        row.value and figures(row.value) .. " " .. row.unit
          or figures(row.least), aim_text(row))
    end
  end
  say(string.format("\n%d of %d aims met.", met, all))
end

-- The machine ----------------------------------------------------------------

local function machine(rows)
  local info = io.open("/proc/cpuinfo")
  local text = info and info:read("a") or ""
  if info then info:close() end
  local model = text:match("model name%s*:%s*([^\n]+)") or "unknown processor"
  local _, cores = text:gsub("processor%s*:", "")
  local compiler = data.read_command("${CC:-gcc} --version"):match("[^\n]+")
  local first = data.find(rows, "iterate", "one field of eight", 65536,
    "in order")
  return string.format("%s, %d cores, %s; loops by hand are compiled for %s; a "
      .. "triad over 64k floats %.0f GB/s", model, cores, compiler,
    first.instruction_set, first.triad)
end

local HEAD = [[
# Report

What five public documents on entity component systems claim, measured: each
claim beside a baseline in C in the same run. `make bench-report` writes this
page and its plots.

Times are processor time in nanoseconds, the least of all repetitions of %d
rounds, one round of all programs after the other; a ratio is that of two such
times, ours to the baseline's: below 1 ours is faster. Sides are checked to have
the same results. An aim is what this library set out for. The machine is shared
with other programs: differences of a tenth mean nothing.

Machine: %s.]]

-- Everything -----------------------------------------------------------------

local function write_file(path, text)
  local file = assert(io.open(path, "w"))
  assert(file:write(text))
  assert(file:close())
end

local function write_pictures(rows)
  for name, text in pairs(report_pictures.all(rows)) do
    write_file(folder .. "/report/" .. name, text)
  end
end

local function say_page(rows, others, counted)
  say(string.format(HEAD, rounds, machine(rows)))
  for number, section in ipairs(claims.sections) do
    say_section(rows, section)
    if number == 2 then say_lists(rows) end
    if number == #claims.sections then say_counts(counted) end
  end
  if not smoke then report_lua.say(say, say_cells, figures) end
  say "\n## Shown by tests\n"
  for _, text in ipairs(claims.shown) do say("- ", text) end
  say_aims(others)
end

read_arguments()
local arguments = smoke and "--smoke" or "--repetitions " .. repetitions
assert(os.execute("mkdir -p " .. folder .. "/report"))
local rows = data.run(CLAIMED, rounds, arguments)
local others = smoke and {} or data.run(OTHERS, rounds, arguments)
local counted = smoke and {} or data.count("', 2 in'")
if not smoke then report_lua.run(3) end
write_pictures(rows)
say_page(rows, others, counted)
write_file(folder .. "/report.md", table.concat(page, "\n") .. "\n")
print("wrote " .. folder .. "/report.md")
