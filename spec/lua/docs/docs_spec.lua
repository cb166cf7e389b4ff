-- The documentation names what the module has, and nothing else. Its programs
-- are in docs_program_spec.lua. Compared are:
--
--     the module     names of fields and methods, options in error messages
--     reference.md   headings and tables        `world:get(e, component)`
--     types/ecs.lua  functions and classes      function World:get(...)

local ecs = require "ecs"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

--- Asserts that two sets are equal, and lists what only one of them has.
local function same_names(wanted, found, where)
  local missing, extra = {}, {}
  for name in pairs(wanted) do
    if not found[name] then missing[#missing + 1] = name end
  end
  for name in pairs(found) do
    if not wanted[name] then extra[#extra + 1] = name end
  end
  table.sort(missing)
  table.sort(extra)
  assert.equal("", table.concat(missing, " "), where .. " lacks these")
  assert.equal("", table.concat(extra, " "), where .. " alone has these")
  assert.is_not_nil((next(wanted)), where .. ": there is something to compare")
end

-- The module -----------------------------------------------------------------

local Position = ecs.component("DocsPosition", { x = "f32" })
local Flat = ecs.component("DocsFlat", { x = "f32", y = "f32" })

--- The methods of an object.
local function methods_of(object)
  local names = {}
  for name in pairs(debug.getmetatable(object).__index) do
    names[name] = true
  end
  return names
end

--- The names that the message of an error lists in its brackets.
local function listed(f, ...)
  local done, text = pcall(f, ...)
  assert.is_false(done)
  local list = assert(text:match("%(there [ai][rs]e? (.-)%)"), text)
  local names = {}
  for name in list:gmatch "[%w_]+" do names[name] = true end
  return names
end

--- The keys of a batch, without components.
local function batch_keys()
  local world, keys = ecs.world {}, {}
  world:spawn(Position)
  world:query({ Position, up = { ecs.ChildOf } }):batch(function(batch)
    assert(batch.count == 1 and batch.entities[1])
    for key in pairs(debug.getmetatable(batch).__index) do
      if type(key) == "string" and key ~= Position.name then
        keys[key] = true
      end
    end
  end)
  return keys
end

--- Everything that can be called, by its name in the reference.
local function public_functions()
  local names, world = {}, ecs.world {}
  for name, value in pairs(ecs) do
    if type(value) == "function" then names["ecs." .. name] = true end
  end
  for name in pairs(ecs.math) do names["ecs.math." .. name] = true end
  for name in pairs(methods_of(world)) do names["world:" .. name] = true end
  for name in pairs(methods_of(world:query { all = true })) do
    names["query:" .. name] = true
  end
  for name in pairs(methods_of(world:sum "docs")) do
    names["total:" .. name] = true
  end
  for name in pairs(debug.getmetatable(world:array("docs", "u8", 1)).methods) do
    names["array:" .. name] = true
  end
  local near = world:grid { query = { Flat }, at = { Flat, "x", "y" },
                            cell = 1 }
  for name in pairs(methods_of(near)) do names["near:" .. name] = true end
  return names
end

local function texts_of_module()
  local names = {}
  for name, value in pairs(ecs) do
    if type(value) == "string" then names[name] = true end
  end
  return names
end

-- The reference --------------------------------------------------------------

--- The names in backquotes in the first column of the table with this heading.
local function rows_of(text, heading)
  local names, inside = {}, false
  for line in text:gmatch "[^\n]*" do
    if line:find("| " .. heading .. " |", 1, true) == 1 then
      inside = true
    elseif line ~= "" and line:sub(1, 1) ~= "|" then
      inside = false
    end
    if inside then
      for name in (line:match "^| ([^|]*) |" or ""):gmatch "`([^`]+)`" do
        names[name] = true
      end
    end
  end
  return names
end

local function called(line)
  return line:match "`([%w_.]+:?[%w_]*)%("
end

local function documented_functions(text)
  local names = {}
  for line in text:gmatch "[^\n]+" do
    local name = (line:match "^### " or line:match "^| `ecs%.math") and
      called(line)
    if name and not name:match "^batch:" then names[name] = true end
  end
  return names
end

--- Names of the form owner.name in headings.
local function documented_fields(text, owner)
  local names = {}
  for line in text:gmatch "[^\n]+" do
    if line:match "^### " then
      for name in line:gmatch("`" .. owner .. "%.([%w_]+)`") do
        names[name] = true
      end
    end
  end
  return names
end

-- The types ------------------------------------------------------------------

local OWNERS = { World = "world:", Query = "query:", Total = "total:",
                 Array = "array:",
                 Grid = "near:", ecs = "ecs.",
                 ["ecs.math"] = "ecs.math." }

--- Functions by their names in the reference, and fields of classes.
local function read_types(text)
  local functions, classes, class = {}, {}, nil
  for line in text:gmatch "[^\n]+" do
    local owner, name = line:match "^function ([%w.]+)[.:]([%w_]+)%("
    if owner then functions[OWNERS[owner] .. name] = true end
    class = line:match "^%-%-%-@class ([%w.]+)" or class
    local field = line:match "^%-%-%-@field ([%w_]+)"
    if field then
      classes[class] = classes[class] or {}
      classes[class][field] = true
    end
  end
  return functions, classes
end

--- The alternatives that follow an alias, one in a line.
local function alternatives(text, alias)
  local names, inside = {}, false
  for line in text:gmatch "[^\n]*" do
    if line == "---@alias " .. alias then
      inside = true
    elseif inside and line:match "^%-%-%-|" then
      names[line:match '"(.-)"'] = true
    elseif line ~= "" then
      inside = false
    end
  end
  return names
end

describe("the reference", function()
  local text = read "docs/reference.md"

  it("has every function and nothing else", function()
    same_names(public_functions(), documented_functions(text), "reference.md")
  end)

  it("has the texts of the module", function()
    local found = documented_fields(text, "ecs")
    found.math, found.ChildOf, found.Name = nil, nil, nil -- no texts
    same_names(texts_of_module(), found, "ecs")
  end)

  it("has what batches and components have", function()
    same_names(batch_keys(), documented_fields(text, "batch"), "batch")
    same_names({ name = true, fields = true },
      documented_fields(text, "component"), "component")
    assert.equal("DocsPosition", Position.name)
  end)

  it("has the options that there are", function()
    local world = ecs.world {}
    same_names(listed(ecs.world, { wrong = 1 }),
      rows_of(text, "world option"), "ecs.world")
    same_names(listed(world.system, world, { name = "x", wrong = 1 }),
      rows_of(text, "system option"), "world:system")
    same_names(listed(world.query, world, { wrong = {} }),
      rows_of(text, "query list"), "world:query")
    same_names(listed(world.grid, world, { wrong = {} }),
      rows_of(text, "grid option"), "world:grid")
    same_names(listed(ecs.tag, "DocsTag", { wrong = 1 }),
      rows_of(text, "option"), "ecs.tag")
  end)

  it("has the types of fields", function()
    same_names(listed(ecs.component, "DocsWrong", { x = "wrong" }),
      rows_of(text, "type"), "ecs.component")
  end)

  it("has the statistics", function()
    local world = ecs.world {}
    world:system { name = "s", run = print }
    same_names(world:stats(), rows_of(text, "statistic"), "stats")
    same_names(world:stats "s", rows_of(text, "system statistic"), "stats")
  end)
end)

describe("the types", function()
  local text = read "types/ecs.lua" .. read "types/ecs_math.lua"
  local functions, classes = read_types(text)

  it("have every function and nothing else", function()
    same_names(public_functions(), functions, "types/ecs.lua")
  end)

  it("are a Lua file that gives a module like the real one", function()
    local types = dofile "types/ecs.lua"
    local wanted, found = {}, {}
    for name, value in pairs(ecs) do
      if type(value) ~= "string" then wanted[name] = true end
    end
    for name in pairs(types) do found[name] = true end
    same_names(wanted, found, "types/ecs.lua")
  end)

  it("have the fields that there are", function()
    local world = ecs.world {}
    same_names(texts_of_module(), classes.ecs, "ecs")
    same_names(batch_keys(), classes["ecs.Batch"], "ecs.Batch")
    same_names({ name = true, fields = true }, classes["ecs.Component"],
      "ecs.Component")
    local field = ecs.ChildOf.fields[1] -- a link, which has no default
    field.default = Position.fields[1].default
    field.count = ecs.component("DocsArray", { x = { "u8", count = 2 } })
      .fields[1].count
    same_names(field, classes["ecs.Field"], "ecs.Field")
    same_names(world:stats(), classes["ecs.Stats"], "ecs.Stats")
    same_names(listed(ecs.world, { wrong = 1 }), classes["ecs.WorldOptions"],
      "ecs.WorldOptions")
    same_names(listed(world.system, world, { name = "x", wrong = 1 }),
      classes["ecs.SystemOptions"], "ecs.SystemOptions")
    same_names(listed(world.query, world, { wrong = {} }),
      classes["ecs.QueryTerms"], "ecs.QueryTerms")
    same_names(listed(world.grid, world, { wrong = {} }),
      classes["ecs.GridOptions"], "ecs.GridOptions")
    same_names(listed(ecs.tag, "DocsTag", { wrong = 1 }),
      classes["ecs.ComponentOptions"], "ecs.ComponentOptions")
    same_names(listed(ecs.component, "DocsWrong", { x = "wrong" }),
      alternatives(text, "ecs.FieldType"), "ecs.FieldType")
  end)

  it("annotate every parameter by its name", function()
    local given = {}
    for line in text:gmatch "[^\n]+" do
      local parameter = line:match "^%-%-%-@param ([%w_.]+)"
      local arguments = line:match "^function [%w.:_]+%((.-)%)"
      if parameter then given[#given + 1] = parameter end
      if arguments then
        assert.equal(arguments, table.concat(given, ", "), line)
        given = {}
      end
    end
  end)
end)
