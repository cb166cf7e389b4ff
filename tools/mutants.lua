-- mutants.lua: how many small errors in the core do the C tests catch?
--
--   lua5.4 tools/mutants.lua N SEED JOBS MODULE...     as query/cursor
--
-- Draws N one-line errors at random from the modules' files (mutations.lua
-- lists them all) and runs the C tests against each, with tiny and with normal
-- limits, asserts on. The same seed over the same text draws the same ones.
--
--   scratch/base     a copy of the sources, built once
--   scratch/<n>      base and one error: make builds what depends on the file
--
-- A mutant is caught when a test fails, crashes or takes ten times as long as
-- it should. One that does not compile, or compiles to the very same code, says
-- nothing about the tests: it is not counted and another is drawn.

package.path = "tools/?.lua;" .. package.path
local mutations = require "mutations"

local BUILDS = { "tiny", "checked" }
local OPERATIONS = 100000

local function run(command)
  local _, _, status = os.execute(command)
  return status
end

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  pipe:close()
  return text
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function now()
  return tonumber(output_of("date +%s.%N"))
end

-- Building and running ------------------------------------------------------

-- Swapped arguments of different types are no test of the tests: they do not
-- compile here. MAKEFLAGS is emptied: the make that started this has its own.
local STRICT = "-Werror=int-conversion -Werror=incompatible-pointer-types"
local function make(directory, targets)
  return run(("MAKEFLAGS= make -s -C %s CHECK_LEVEL=-O1 WARNINGS='%s' %s "
    .. ">%s/make.log 2>&1"):format(directory, STRICT, targets, directory))
end

local function archives()
  local paths = {}
  for i, build in ipairs(BUILDS) do
    paths[i] = "build/test/" .. build .. "/libecs.a"
  end
  return table.concat(paths, " ")
end

-- Exit status of a test program; 124 when it was stopped. Memory is bounded,
-- in KiB, because some mutants allocate for ever.
local function run_test(directory, program, seconds)
  return run(("cd %s && ulimit -v 4000000 && ECS_MODEL_OPERATIONS=%d "
    .. "timeout -k 1 %.0f %s >test.log 2>&1 </dev/null"):format(directory,
    OPERATIONS, seconds, program))
end

-- Judging one mutant: a process of its own, so that several run at once -----

-- The answer, scratch/<n>.answer: a word, and the program that caught it.
local function judge(scratch, n, file)
  local base, mine = scratch .. "/base", scratch .. "/" .. n
  local function answer(text)
    write(mine .. ".answer", text)
    run("rm -rf " .. mine)
  end
  run(("cp -a %s %s"):format(base, mine))
  run(("cp %s.text %s/%s"):format(mine, mine, file))
  if make(mine, archives()) ~= 0 then return answer("broken") end
  local same = true
  for path in archives():gmatch("%S+") do
    same = same and read(base .. "/" .. path) == read(mine .. "/" .. path)
  end
  if same then return answer("same") end
  local module = file:match("([%w_]+)%.[ch]$")
  local tests = {}
  for line in io.lines(scratch .. "/tests") do
    local program, seconds = line:match("(%S+) (%S+)")
    local own = program:find("/" .. module .. "_test", 1, true)
    table.insert(tests, own and 1 or #tests + 1,
      { program = program, seconds = tonumber(seconds) })
  end
  for _, test in ipairs(tests) do
    if make(mine, test.program) ~= 0 then return answer("broken") end
    local status = run_test(mine, test.program, test.seconds)
    if status ~= 0 then
      local word = (status == 124 or status == 137) and "endless" or "caught"
      return answer(word .. " " .. test.program)
    end
  end
  answer("survived")
end

-- Preparing -----------------------------------------------------------------

local function copy_sources(base)
  assert(run("mkdir -p " .. base) == 0)
  for _, path in ipairs { "Makefile", "core", "include", "spec",
                          "docs" } do
    run(("test ! -e %s || cp -R %s %s/"):format(path, path, base))
  end
end

-- Builds the tests, runs each once, and lists them from fast to slow with the
-- time each will be allowed. They must pass as they are.
local function prepare(scratch, jobs)
  local base = scratch .. "/base"
  copy_sources(base)
  local targets = archives()
  for _, build in ipairs(BUILDS) do targets = targets .. " test-" .. build end
  if make(base, ("-j%d %s"):format(jobs, targets)) ~= 0 then
    error("the tests do not build:\n" .. read(base .. "/make.log"), 0)
  end
  local tests = {}
  local programs = output_of(
    ("cd %s && find build/test -name '*_test' | sort"):format(base))
  for program in programs:gmatch("%S+") do
    local start = now()
    if run_test(base, program, 600) ~= 0 then
      error(program .. " fails without any mutant:\n"
        .. read(base .. "/test.log"), 0)
    end
    tests[#tests + 1] = { program = program, seconds = now() - start }
  end
  assert(#tests > 0, "no tests")
  table.sort(tests, function(a, b) return a.seconds < b.seconds end)
  local lines = {}
  for i, test in ipairs(tests) do
    lines[i] = ("%s %.0f\n"):format(test.program, 10 + test.seconds * 10)
  end
  write(scratch .. "/tests", table.concat(lines))
end

-- Drawing -------------------------------------------------------------------

-- Park-Miller: the same numbers on every machine.
local function generator(seed)
  local state = seed % 2147483646 + 1
  return function(limit)
    state = state * 16807 % 2147483647
    return state % limit + 1
  end
end

-- All mutants of the modules in random order.
local function draw(modules, seed)
  local all, random = {}, generator(seed)
  for _, module in ipairs(modules) do
    assert(read("core/" .. module .. ".c") or read("core/" .. module .. ".h"),
      "there is no module " .. module)
    for _, suffix in ipairs { ".c", ".h" } do
      local file = "core/" .. module .. suffix
      local text = read(file)
      for _, mutant in ipairs(text and mutations.list(text) or {}) do
        mutant.file, mutant.text = file, text
        all[#all + 1] = mutant
      end
    end
  end
  for i = #all, 2, -1 do
    local j = random(i)
    all[i], all[j] = all[j], all[i]
  end
  return all
end

local function mutated(mutant)
  return mutant.text:sub(1, mutant.first - 1) .. mutant.new
    .. mutant.text:sub(mutant.last + 1)
end

local function line_of(text, number)
  for line in text:gmatch("([^\n]*)\n") do
    number = number - 1
    if number == 0 then return (line:gsub("^%s+", "")) end
  end
end

-- Judging many --------------------------------------------------------------

-- A batch of mutants, as many at once as there are jobs.
local function judge_batch(scratch, batch, jobs)
  local lines = {}
  for i, mutant in ipairs(batch) do
    write(("%s/%d.text"):format(scratch, mutant.number), mutated(mutant))
    lines[i] = ("%d %s\n"):format(mutant.number, mutant.file)
  end
  write(scratch .. "/batch", table.concat(lines))
  run(("xargs -P %d -n 2 lua5.4 tools/mutants.lua judge %s <%s/batch")
    :format(jobs, scratch, scratch))
  for _, mutant in ipairs(batch) do
    local answer = read(("%s/%d.answer"):format(scratch, mutant.number))
    assert(answer, "a mutant was not judged")
    mutant.answer, mutant.program = answer:match("^(%S+) ?(%S*)$")
  end
end

-- Until n are caught or survive. Each batch is as large as what is missing, so
-- which mutants are counted depends on nothing but their order.
local function judge_many(scratch, all, n, jobs)
  local judged, counted, next_one = {}, 0, 1
  while counted < n and next_one <= #all do
    local batch = {}
    while #batch < n - counted and next_one <= #all do
      all[next_one].number = next_one
      batch[#batch + 1] = all[next_one]
      next_one = next_one + 1
    end
    judge_batch(scratch, batch, jobs)
    for _, mutant in ipairs(batch) do
      judged[#judged + 1] = mutant
      if mutant.answer ~= "broken" and mutant.answer ~= "same" then
        counted = counted + 1
      end
    end
    print(("%d of %d judged"):format(counted, n))
  end
  return judged
end

-- Reporting -----------------------------------------------------------------

local function count_by(judged, key)
  local rows, order = {}, {}
  for _, mutant in ipairs(judged) do
    local name = mutant[key]
    if not rows[name] then
      rows[name] = { caught = 0, endless = 0, survived = 0, broken = 0,
        same = 0 }
      order[#order + 1] = name
    end
    rows[name][mutant.answer] = rows[name][mutant.answer] + 1
  end
  table.sort(order)
  return rows, order
end

local function print_table(title, rows, order)
  local form = "%-24s %8s %8s %9s | %11s %9s"
  print()
  print(form:format(title, "caught", "endless", "survived", "not compiled",
    "same code"))
  for _, name in ipairs(order) do
    local row = rows[name]
    print(form:format(name, row.caught, row.endless, row.survived, row.broken,
      row.same))
  end
end

local function print_survivors(judged)
  for _, mutant in ipairs(judged) do
    if mutant.answer == "survived" then
      print(("\n%s:%d (%s)"):format(mutant.file, mutant.line, mutant.kind))
      print("- " .. line_of(mutant.text, mutant.line))
      print("+ " .. line_of(mutated(mutant), mutant.line))
    end
  end
end

-- Which program was first to notice: says which tests carry the weight.
local function print_catchers(judged)
  local counts, order = {}, {}
  for _, mutant in ipairs(judged) do
    local program = mutant.program
    if program ~= "" then
      if not counts[program] then order[#order + 1] = program end
      counts[program] = (counts[program] or 0) + 1
    end
  end
  table.sort(order, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  print("\nFirst to notice:")
  for _, program in ipairs(order) do
    print(("%5d  %s"):format(counts[program], program))
  end
end

local function report(judged, seed)
  print_table("file", count_by(judged, "file"))
  print_table("kind of error", count_by(judged, "kind"))
  print_catchers(judged)
  print_survivors(judged)
  local caught, survived = 0, 0
  for _, mutant in ipairs(judged) do
    if mutant.answer == "survived" then survived = survived + 1 end
    if mutant.program ~= "" then caught = caught + 1 end
  end
  print(("\nseed %d: %d of %d mutants caught, %d survived"):format(seed, caught,
    caught + survived, survived))
end

local function main(n, seed, jobs, ...)
  n, seed, jobs = tonumber(n), tonumber(seed), tonumber(jobs)
  local scratch = output_of("mktemp -d"):match("%S+")
  local ok, message = pcall(function(...)
    prepare(scratch, jobs)
    local all = draw({ ... }, seed)
    print(("%d mutants to draw from"):format(#all))
    report(judge_many(scratch, all, n, jobs), seed)
  end, ...)
  run("rm -rf " .. scratch)
  if not ok then
    io.stderr:write("mutants: ", tostring(message), "\n")
    os.exit(1)
  end
end

if ... == "judge" then
  judge(select(2, ...))
else
  main(...)
end
