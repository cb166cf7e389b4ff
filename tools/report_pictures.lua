-- report_pictures.lua: the plots of the report, from the rows of benchmarks.

local data = require "report_data"
local plot = require "report_plot"

-- Points of rows that differ in their size.
local function points(rows, name, side, program, title, where, sizes)
  local list = { name = name }
  for _, size in ipairs(sizes) do
    local row = data.find(rows, program, title, size, where)
    if row then list[#list + 1] = { size, row[side] } end
  end
  return list
end

local SIZES = { 10000, 100000, 1000000, 5000000 }

local function chain_points(rows, name, side, title, where)
  return points(rows, name, side, "derivatives", "N=12 " .. title, where, SIZES)
end

local function plot_chains(rows, pictures)
  local labels = { "entities", "ns per entity" }
  pictures["tick.svg"] = plot.lines("A tick at N = 12", labels, {
    chain_points(rows, "ours, native", "least", "tick, native", "by class"),
    chain_points(rows, "ours, compiled", "least", "tick, compiled", "by class"),
    chain_points(rows, "arrays by hand", "hand_least", "tick, native",
      "by class"),
    chain_points(rows, "pointers, as created", "hand_least",
      "tick, pointers as created", "by class"),
    chain_points(rows, "pointers, sorted", "hand_least",
      "tick, pointers sorted", "by class"),
    chain_points(rows, "pointers, shuffled", "hand_least",
      "tick, pointers shuffled", "by class"),
  })
  local series = {
    chain_points(rows, "push loop by hand", "hand_least", "set-up in bulk",
      "random"),
    chain_points(rows, "pointers by hand", "value",
      "set-up of pointers, by hand", "cold"),
  }
  for _, how in ipairs { "in bulk", "by bundles", "one by one",
    "recorded at once", "recorded in flushes" } do
    series[#series + 1] = chain_points(rows, how, "least", "set-up " .. how,
      "random")
  end
  pictures["setup.svg"] =
    plot.lines("Set-up at N = 12, on fresh memory", labels, series)
end

local function plot_removal(rows, pictures)
  local sizes = { 10000, 100000, 250000 }
  pictures["removal.svg"] = plot.lines("Removing everything in order",
    { "elements", "ns per element" }, {
      points(rows, "ours, one by one", "least", "removal", "remove", "in order",
        sizes),
      points(rows, "ours, by a query", "least", "removal", "query remove",
        "in order", sizes),
      points(rows, "sparse set by hand", "hand_least", "removal", "remove",
        "in order", sizes),
      points(rows, "list with shift", "value", "removal",
        "list with shift, by hand", "in order", sizes),
    })
end

-- One bar for each row that is found, false for the others.
local function bars(rows, name, side, wanted)
  local list = { name = name }
  for k, key in ipairs(wanted) do
    local row = data.find(rows, table.unpack(key))
    list[k] = row and row[side] or false
  end
  return list
end

local function plot_units(rows, pictures)
  local structs, columns = {}, {}
  for k, bytes in ipairs { 0, 32, 64, 128 } do
    local name = string.format("units -O3, %d bytes, beside ", bytes)
    structs[k] = { "units", name .. "structs", 100000, "in order" }
    columns[k] = { "units", name .. "columns", 100000, "in order" }
  end
  pictures["units.svg"] = plot.bars("Three updates at -O3", "ns per unit",
    { "0 bytes", "32 bytes", "64 bytes", "128 bytes" }, {
      bars(rows, "array of structs", "hand_least", structs),
      bars(rows, "arrays by hand", "hand_least", columns),
      bars(rows, "ours", "least", columns),
    })
end

local function plot_varkor(rows, pictures)
  local names = { "Create", "Add", "AddWriteDelete", "Distributed",
    "Relationship", "Random" }
  local sizes = { 1000000, 500000, 2000, 2000, 10, 50000 }
  local singly, bulk = {}, {}
  for k, name in ipairs(names) do
    local order = name == "Random" and "random" or "in order"
    singly[k] = { "varkor", name .. ", one by one", sizes[k], order }
    bulk[k] = { "varkor", name .. ", in bulk", sizes[k], order }
  end
  names[3], names[5] = "AddWrite..", "Relation.."
  pictures["varkor.svg"] = plot.bars("Six programs", "ns", names, {
    bars(rows, "sparse sets by hand", "hand_least", singly),
    bars(rows, "ours, one by one", "least", singly),
    bars(rows, "ours, in bulk", "least", bulk),
  })
end

local function plot_profiles(rows, pictures)
  local sizes = { 100, 10000, 100000, 1000000 }
  local series = {}
  for _, profile in ipairs { "A", "AA", "AAA" } do
    series[#series + 1] = points(rows, "ours, " .. profile, "least", "profiles",
      "create, 2 in " .. profile, "in order", sizes)
  end
  series[4] = points(rows, "arrays by hand", "hand_least", "profiles",
    "create, 2 in A", "in order", sizes)
  series[5] = points(rows, "ordered maps", "hand_least", "profiles",
    "create, 2 in A, map", "in order", sizes)
  pictures["profiles.svg"] = plot.lines("Creating entities of two components",
    { "entities", "ns per entity" }, series)
end

local report_pictures = {}

-- The plots' texts by the names of their files.
function report_pictures.all(rows)
  local pictures = {}
  plot_chains(rows, pictures)
  plot_removal(rows, pictures)
  plot_units(rows, pictures)
  plot_varkor(rows, pictures)
  plot_profiles(rows, pictures)
  return pictures
end

return report_pictures
