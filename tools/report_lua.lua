-- report_lua.lua: the section of the report about the workloads through Lua,
-- and beside libraries of JavaScript where these can be installed.

local data = require "report_data"

local report_lua = {}

local PROGRAMS = {
  "derivatives", "units", "varkor", "removal", "profiles", "five",
}
local VMS = { "Lua 5.4", "LuaJIT" }
local COMMANDS = { ["Lua 5.4"] = "tools/with_rock lua54 lua5.4 ",
  LuaJIT = "tools/with_rock luajit luajit " }

-- The least time of each side: found[program][name|size].sides[side][vm], in
-- the order in which they were printed.
local found = {}

local function contest_of(row)
  local program = row.program:gsub("^%a+ ", "")
  found[program] = found[program] or {}
  local list, key = found[program], row.name .. "|" .. row.size
  if not list[key] then
    list[key] = { name = row.name, size = row.size, sides = {},
      check = row.check, of = row.vm }
    list[#list + 1] = list[key]
  end
  return list[key]
end

local function keep(row, vm)
  local contest = contest_of(row)
  if row.check ~= contest.check and row.program:find "five" then
    error(("report: %s: %s has %s, %s has %s"):format(row.name, contest.of,
      contest.check, vm, row.check), 0)
  end
  local side = contest.sides[row.side]
  if not side then
    side = { name = row.side, against = row.against }
    contest.sides[row.side] = side
    contest.sides[#contest.sides + 1] = side
  end
  side[vm] = math.min(side[vm] or math.huge, row.least)
end

local function run(command, vm)
  for line in data.read_command(command):gmatch "[^\n]+" do
    if line:sub(1, 1) == "{" then keep(data.parse_line(line), vm) end
  end
end

--- Measures the programs; some minutes.
function report_lua.run(repetitions)
  for _, program in ipairs(PROGRAMS) do
    for _, vm in ipairs(VMS) do
      run(("%s bench/lua/bench_%s.lua --json --repetitions %d"):format(
        COMMANDS[vm], program, repetitions), vm)
    end
  end
  run("tools/bench_js --json", "node")
end

local function say_contest(say_cells, figures, contest)
  for _, side in ipairs(contest.sides) do
    local cells = { contest.name .. ": " .. side.name, contest.size }
    for _, vm in ipairs(VMS) do
      local base = contest.sides[side.against]
      local ratio = side[vm] and base and base ~= side and base[vm]
        and side[vm] / base[vm]
      cells[#cells + 1] = side[vm] and figures(side[vm]) or "-"
      cells[#cells + 1] = ratio and figures(ratio) .. "x" or "-"
    end
    if not side.node then say_cells(table.unpack(cells)) end
  end
end

--- A library of JavaScript for each column.
local function say_javascript(say, say_cells, figures)
  local libraries = { "objects", "bitecs", "miniplex", "wolf-ecs" }
  if not found.five[1].sides.objects then
    say("\nThe libraries of JavaScript were not here.")
    return
  end
  say("\nThe five beside libraries of JavaScript (`make bench-js`), which are ",
    "checked to have the same sums; collectors run in JavaScript:\n")
  say_cells("test", "ours, Lua 5.4", "ours, LuaJIT", table.unpack(libraries))
  say("|---|--:|--:|--:|--:|--:|--:|")
  for _, contest in ipairs(found.five) do
    local ours = contest.sides.systems
    local cells = { contest.name, figures(ours[VMS[1]]), figures(ours[VMS[2]]) }
    for _, library in ipairs(libraries) do
      cells[#cells + 1] = figures(contest.sides[library].node)
    end
    say_cells(table.unpack(cells))
  end
end

--- Writes the section with the functions of the page.
function report_lua.say(say, say_cells, figures)
  say("\n## Through Lua\n")
  say("The same workloads as a script writes them, and five of a public\n",
    "benchmark, beside plain Lua in the same run: ns for one entity, the\n",
    "least of several; a ratio is to the side without one. The collector is\n",
    "stopped while the clock runs, so plain tables do not pay for their\n",
    "garbage, but for those that are \"collected\".")
  for _, program in ipairs(PROGRAMS) do
    say("\n`bench/lua/bench_", program, ".lua`:\n")
    say_cells("row", "size", "Lua 5.4", "ratio", "LuaJIT", "ratio")
    say("|---|--:|--:|--:|--:|--:|")
    for _, contest in ipairs(found[program] or {}) do
      say_contest(say_cells, figures, contest)
    end
  end
  say_javascript(say, say_cells, figures)
end

return report_lua
