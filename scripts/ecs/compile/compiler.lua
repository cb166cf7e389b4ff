--- compiler: turns a function of one row into a kernel program.
--
--     source -> lexer -> parser -> lower* -> ir_* -> text    ecs.core runs it
--
-- The result depends on the function, on the terms of its query and on the
-- values that it uses from outside (captures.lua). It is a plan or a problem:
-- see plan.lua.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.compiler"

local allows = require "ecs.access"
local source = require "ecs.compile.source"
local parser = require "ecs.compile.parser"
local ir_writer = require "ecs.compile.ir_loop"
local captures = require "ecs.compile.captures"
local lower_elements = require "ecs.compile.lower_elements"
local lower = require "ecs.compile.lower_loop"
local lower_call = require "ecs.compile.lower_call"
local lower_total = require "ecs.compile.lower_total"
local outline = require "ecs.compile.outline"
local plans = require "ecs.compile.plan"
local safe_pairs = require "ecs.safe_pairs"
local core = require "ecs.core"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local setmetatable = setmetatable
local error, ipairs, next, pcall, type = error, ipairs, next, pcall, type
local find, max, min, sort = string.find, math.max, math.min, table.sort
local sub = string.sub

local get_info = standard.debug.getinfo

local compiler = {}

local calls = lower_call.calls()

--- Functions that are called while debugging and removed afterwards.
local debugging = {}
for _, f in safe_pairs { error = error, assert = assert,
    print = rawget(standard.globals, "print"), write = standard.io.write } do
  debugging[f] = true
end

--- Functions of math, of which compiled code calls most.
local mathematical = {}
for _, f in safe_pairs(math) do mathematical[f] = true end

--- Function -> { outline, start, tree, problem }, for functions that source.lua
-- found: the outline of the text and where they begin in it. problem: why some
-- statements are refused; nil: none is.
local weak = { __mode = "k" }
local trees = setmetatable({}, weak)

--- The function that was read last -> its text, as source.lua gives it. Tokens
-- are large, so others have been forgotten.
local latest = setmetatable({}, weak)

--- Raises a problem in a function.
local function refuse_in(f, problem)
  error({ line = problem.line, construct = problem.construct,
          remedy = problem.remedy, final = problem.final, blamed = f }, 0)
end

--- What to do for a function that is called and has no source.
local HELPER = "write its lines in the system's function, or keep it in a file "
  .. "that is shipped as it was; where load makes it of a text, pass the text "
  .. "without a name for it"

--- The tree of a function and its place in the source. Refuses a function that
-- has no source or is outside the subset, unless it may have side exits. line
-- and name: of the call, where the function is called by another; name is nil
-- otherwise.
local function tree_of(f, exits, line, name)
  local known = trees[f]
  if not known then
    local found, why, remedy = source.find(f)
    if not found then
      if source.is_foreign(f) then
        parser.outside(line, "a call of '" .. (name or "it") .. "', which is "
          .. "written in C", debugging[f] and "fine while debugging, as plain "
          .. "Lua runs it; take it out when that is over"
          or mathematical[f] and "compute it with the other functions of math "
          .. "and ecs.math" or not exits and "do it in a run system"
          or "do it under a condition that few rows meet, or in a run system")
      end
      parser.outside(line, (name and "a call of '" .. name .. "', " or "")
        .. "a function with " .. why, remedy or name and HELPER
        or "give the system's function as text, or ship the file that it was "
        .. "loaded from, as it was")
    end
    latest = setmetatable({ [f] = found }, weak)
    known = { outline = found.outline,
              start = found.tokens.starts[found.first] }
    local done, tree, problem = pcall(parser.read, found.tokens, found.first)
    if not done then
      if type(tree) == "table" then refuse_in(f, tree) end
      error(tree, 0)
    end
    known.tree, known.problem = tree, problem
    trees[f] = known
  end
  if known.problem and not exits then refuse_in(f, known.problem) end
  return known
end

--- The first field that a program can have a column of.
local function first_plain(fields)
  for _, field in ipairs(fields) do
    if field[2] ~= "any" then return field end
  end
end

--- The terms that are parameters, in the form that lower_expression.lua takes.
local function read_rows(emit, terms, line)
  local rows = {}
  for k, term in ipairs(terms) do
    local types, links = {}, {}
    for _, field in ipairs(term.fields) do
      types[field[1]], links[field[1]] = field[2], field[3]
    end
    rows[k] = { prefix = k .. ".", name = term.name, fields = term.fields,
                types = types, links = links, access = term.access,
                arrays = lower_elements.arrays_of(term.fields), columns = {} }
    if allows.optional[term.access] then
      local first = first_plain(term.fields)
      if not first then
        parser.outside(line, term.name .. ", which may be absent and has no "
          .. "other fields than those of type any",
          "use a system of its own for it")
      end
      local column = emit:column(term.name, first[1], first[2],
        term.access)
      rows[k].columns[first[1]] = column
      rows[k].present = emit:value("present " .. column, "bool")
    end
  end
  return rows
end

--- Binds the parameters: the rows, the arguments that follow them, the entity.
local function bind(state, tree, rows, extras)
  local scope, count = {}, #rows
  for k, name in ipairs(tree.parameters) do
    local variable = { name = name, home = 0, level = 0 }
    scope[name] = variable
    local value = lower.NIL
    if k <= count then
      value = { type = "row", term = rows[k] }
    elseif k <= count + extras.count then
      value = state.context.captures:argument(k - count, extras)
    elseif k == count + extras.count + 1 then
      value = state.emit:value("self", "entity")
    end
    state:set(variable, value)
  end
  return scope
end

--- Emits the stores: every field that was written, with its final value, and
-- the elements of arrays that computed keys number.
local function store(state, written)
  local emit = state.emit
  for _, field in ipairs(written) do
    local term = field.term
    local column = term.columns[field.name]
    if not column then
      column = emit:column(term.name, field.name, term.types[field.name],
        term.access)
      term.columns[field.name] = column
    end
    emit:effect("store " .. column, emit:kept(state.state[field.entry]))
  end
  lower_elements.store(emit, state.context.keyed)
end

--- The value of a constant in a function that has a tree; see outline.lua.
local function constant(f, name)
  local known = trees[f]
  return outline.constant(known.outline, known.start, name)
end

--- Emits the most numbers that a row has drawn, for a function that draws: the
-- phase of a system counts its runs from the first draw on. It is the last
-- reduction, with true in place of a total.
local function count_draws(state, context)
  if not context.draws then return end
  local emit, totals = context.emit, context.totals
  totals[#totals + 1] = true
  emit:effect("max " .. emit:reduction("max"),
    emit:cast(state.state.draws, "f64"))
end

--- The problem of the first side exit. demands: of lower_exit.lua.
local function first_of(exits, demands)
  local first
  for branch in next, exits do first = min(first or branch, branch) end
  return first and exits[first] or demands[1]
end

--- Line of the program's text with a loop -> the place of the loop, as messages
-- show it.
local function place_loops(emit, loops)
  local places = {}
  for line, number in next, emit:loop_lines() do
    local file, at = compiler.place(loops[number].blamed, loops[number].line)
    places[line] = file .. ":" .. at
  end
  return places
end

--- Lowers a function. exits: number of a branch -> the problem for which it is
-- a side exit; nil: there are no exits. causes: of such a problem, what was
-- looked at outside and may have made it one. numbers: where branches have
-- theirs.
-- modes: of lower_elements.lua.
local function lower_all(f, options, outer, exits, numbers, modes)
  local emit = outer.emit
  local context = {
    -- Of lower.lua: the side exits, the numbers of branches, the innermost one,
    -- and the condition under which a row takes an exit.
    exits = exits or {}, branches = numbers, branch = nil, exit = emit.no,
    -- Of lower_exit.lua: are there exits, and where values are needed that
    -- only some rows have.
    may_exit = exits ~= nil, demands = {},
    emit = emit, captures = outer, func = f, written = {},
    calls = calls, describe = options.describe, methods = options.methods,
    describe_value = options.describe_value,
    describe_prefab = options.describe_prefab,
    loops = {}, -- those of the program: { line, blamed }
    grids = {}, -- those that it asks, in the order of the program's
    grid_slots = {}, -- of lower_near.lua: grid -> what is known of it
    describe_grid = options.describe_grid,
    describe_array = options.describe_array,
    system = options.system, totals = {}, total_kind = options.total_kind,
    places = {}, -- of lower_total.lua
    puts = {}, -- of lower_array.lua: elements that are stored, in order
    -- Of lower_elements.lua: elements that are stored, in order; which arrays
    -- are keyed; and what is found out about that for the next time.
    keyed = {}, is_keyed = lower_elements.choose(modes), modes = modes,
    prepared = options.prepared, call_prepared = lower_call.prepared,

    tree = function(called, node, name)
      local inner = tree_of(called, exits, node.line, name)
      return inner.tree, called
    end,
  }
  local known = tree_of(f, exits, 0)
  outer.context = context
  local rows = read_rows(emit, options.terms, known.tree.line or 0)
  function context.writes(name)
    for _, row in ipairs(rows) do
      if row.name == name and allows.written[row.access] then return true end
    end
    return false
  end
  local state = lower.new(context)
  local scope = bind(state, known.tree, rows, options.extras)
  local ended = state:block(known.tree.body, scope)
  if ended == lower.EXIT or context.exit.constant == true then
    error(first_of(exits, context.demands), 0)
  end
  store(state, context.written)
  local places = lower_total.finish(context)
  count_draws(state, context)
  if context.exit ~= emit.no then
    if context.exit.late then error(first_of(exits, context.demands), 0) end
    emit:exit(context.exit)
  end
  outer:guard_owners()
  return { text = emit:text(), totals = context.totals,
           demands = context.demands, may_stop = context.may_stop,
           places = places, loops = place_loops(emit, context.loops),
           grids = context.grids }
end

--- May a branch be a side exit for the value that was looked at, and not for
-- another one? So it is with objects of this library, prepared closures, and
-- functions of scripts; other objects and functions of C are never compiled.
local function is_cause(one, prepared)
  local value = one.value
  if type(value) == "function" then return one.codes or prepared(value) end
  return type(value) == "userdata" and sub(core.kind(value), 1, 4) == "ecs."
end

--- What may have made a branch a side exit, of all that was looked at; of what
-- was nil, or a table without elements, the last.
local function causes_of(looked, prepared)
  local causes, missing = {}, false
  for k = #looked, 1, -1 do
    local one = looked[k]
    local lacks = one.value == nil or one.kind == "nothing"
    if lacks and not missing or is_cause(one, prepared) then
      causes[#causes + 1], missing = one, missing or lacks
    end
  end
  return causes
end

--- The most side exits of a function.
local EXIT_LIMIT = 32

--- Lowers a function anew for each side exit that it needs. Returns true, the
-- result, what it takes from outside, and the exits as lower_all takes them; or
-- false, the problem and what it looked at.
local function lower_with_exits(f, options)
  local exits, count = options.exits and {} or nil, 0
  local main, numbers = { f = f }, { count = 0 }
  local modes = lower_elements.modes()
  while true do
    local outer = captures.new(ir_writer.new(options.double), main, constant)
    local done, result = pcall(lower_all, f, options, outer, exits,
      numbers, modes)
    -- Else it is lowered anew, with other arrays keyed.
    if not lower_elements.changed(modes) then
      if done then return true, result, outer, exits end
      local branch = exits and outer.context and outer.context.branch
      if not branch or type(result) ~= "table" or not result.construct
        or exits[branch] or count == EXIT_LIMIT then
        return false, result, outer
      end
      result.blamed = result.blamed or outer.context.func
      result.causes = causes_of(outer.looked, options.prepared)
      -- Branches inside of this one are not lowered any more: their numbers are
      -- those of others then.
      for inner in next, exits do
        if inner > branch then exits[inner] = nil end
      end
      exits[branch], count = result, count + 1
    end
  end
end

--- Adds the side exits of a list to another, for people. known: file, line and
-- construct of those that are there.
local function add_exits(list, exits, known)
  for _, problem in next, exits do
    local file, line = compiler.place(problem.blamed, problem.line)
    local key = file .. ":" .. line .. ":" .. problem.construct
    if not known[key] then
      known[key] = true
      list[#list + 1] = { file = file, line = line,
                          construct = problem.construct }
    end
  end
end

--- The side exits, for people: a list of { file, line, construct } in the order
-- of lines; nil: there are none.
local function list_exits(exits, demands)
  local list, known = {}, {}
  add_exits(list, exits or {}, known)
  add_exits(list, demands, known)
  if #list == 0 then return nil end
  sort(list, function(one, other)
    if one.file ~= other.file then return one.file < other.file end
    if one.line ~= other.line then return one.line < other.line end
    return one.construct < other.construct
  end)
  return list
end

--- The most calls that a message names.
local CALLS_SHOWN = 4

--- The calls in which a problem stands, for people: "; it is called at
-- game.lua:3, and that at game.lua:9"; nothing where it is in the function
-- itself.
local function chain_of(call)
  local text, count, before = "", 0, nil
  while call and count < CALLS_SHOWN do
    local file, line = compiler.place(call.func, call.line)
    local place = file .. ":" .. line
    if place ~= before then -- else a function calls itself
      text = text .. (count == 0 and "; it is called at " or ", and that at ")
        .. place
      count, before = count + 1, place
    end
    call = call.outer
  end
  return text .. (call and " and so on" or "")
end

--- The call around a problem that lowering has raised. context: as it is then.
local function caller_of(context, problem)
  if not context then return nil end
  return problem.blamed and context.calling or context.caller
end

--- The text of a problem. A clause about the construct that begins with a comma
-- ends with one, too.
local function explain(construct, remedy)
  local comma = (find(construct, ", which ", 1, true)
    or find(construct, ", a function with ", 1, true)) and "," or ""
  return construct .. comma .. " cannot be compiled: " .. remedy
end

--- The text of f (source.lua) where it is the function that was read last; nil
-- otherwise.
function compiler.found(f) return latest[f] end

--- Compiles f. options:
--
--     terms         a list of { name, fields, access }: the rows it is given
--     extras        { count, [k] = value }: the arguments that follow the rows,
--                   which are read anew for every run
--     double        true: everything is computed in f64
--     system        true: a system's function: its rows draw numbers and add
--                   to totals
--     exits         true: rows may take side exits
--     describe(value)      a definition's name and types of fields, or nil
--     describe_value(value)    the same of a value's definition, and the list
--                              of its fields and numbers, or nil
--     describe_prefab(value)   see lower_change.lua; nil for other values
--     describe_grid(value)     see lower_near.lua; nil for other values
--     describe_array(value)    of an array of the world: { world, type,
--                              dimensions, name }; nil for other values
--     methods(object)      see lower_expression.lua
--     total_kind(object)   "sum", "min" or "max" of such a total, or nil
--
-- Returns a plan, or nil and the problem: see plan.lua.
function compiler.compile(f, options)
  local done, result, outer, exits = lower_with_exits(f, options)
  local main = outer.main
  if done then
    return plans.new { text = result.text, uniforms = outer.uniforms,
      guards = outer.guards, groups = outer.groups, arrays = outer.arrays,
      totals = result.totals,
      loops = result.loops, grids = result.grids,
      main = main,
      looked = outer.looked, count = options.extras.count,
      places = result.places,
      exits = list_exits(exits, result.demands) or result.may_stop and {} }
  elseif type(result) == "string"
    and find(result, "stack overflow", 1, true) then
    result = { line = 0, construct = "a function this large",
               remedy = "split it, or its longest expression" }
  elseif type(result) ~= "table" or not result.construct then
    error(result, 0) -- a bug in the compiler
  end
  local context = outer.context
  local file, line = compiler.place(
    result.blamed or context and context.func or f, result.line)
  return nil, plans.problem { file = file, line = line, final = result.final,
    text = explain(result.construct, result.remedy)
      .. chain_of(caller_of(context, result)), main = main,
    looked = outer.looked, count = options.extras.count,
    early = result.remedy == captures.late }
end

--- The file of a function, as messages show it, and a line: the given one, or
-- where the function begins if line is nil or 0.
function compiler.place(f, line)
  local info = get_info and get_info(f, "S")
  if not info then return "?", line or 0 end
  if not line or line == 0 then line = max(info.linedefined, 0) end
  return info.short_src, line
end

compiler.world_methods = lower_call.methods
compiler.total_methods = lower_call.totals
compiler.grid_methods = lower.grid_methods

return compiler
