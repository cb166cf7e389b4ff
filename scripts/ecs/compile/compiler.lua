--- compiler: a function of one row as a kernel program.
--
--     source -> parser -> lower* (emitter*) -> text    ecs.core runs it
--
-- What comes out depends on the function, on the terms of its query and on what
-- it sees outside (captures.lua). It is a plan:
--
--     text       the program
--     uniforms   what to read before each run, in order
--     guards     what has to be as it was
--     totals     what its reductions go into, in order
--     main       { f }: whose upvalues are read
--     looked     everything outside that was looked at
--
-- or nil, where and why not.

local source = require "ecs.compile.source"
local parser = require "ecs.compile.parser"
local emitter = require "ecs.compile.ir_number"
local roots = require "ecs.compile.captures"
local lower = require "ecs.compile.lower_statement"
local lower_call = require "ecs.compile.lower_call"
local lexer = require "ecs.compile.lexer"

-- Taken now: scripts replace what Lua gave them, and programs must not change.
local error, ipairs, pcall, type = error, ipairs, pcall, type
local find, max = string.find, math.max

local get_info = debug and debug.getinfo

local read_root, holds = roots.read, roots.holds

local compiler = {}

local calls = lower_call.calls()

--- Functions that look into a program or stop it, and are taken out again.
local debugging = {}
for _, f in ipairs { print, error, assert, io and io.write } do
  debugging[f] = true
end

--- Trees of functions that were proved, by the function.
local trees = setmetatable({}, { __mode = "k" })

--- The tree of a function and where it stands; raises. name: what it is called
-- by, where it is called.
local function tree_of(f, line, name)
  local known = trees[f]
  if not known then
    local found, why = source.find(f)
    if not found then
      if source.is_foreign(f) then
        parser.outside(line, "a call of '" .. (name or "it") .. "', which is "
          .. "written in C", debugging[f] and "fine while debugging, as plain "
          .. "Lua runs it; take it out when that is over"
          or "call functions written in Lua, and those of math and ecs.math")
      end
      parser.outside(line, (name and "a call of '" .. name .. "', "
        or "a function ") .. "whose " .. why,
        "give the system's function as text, or ship the file that it was "
        .. "loaded from, as it was")
    end
    known = { place = found }
    local done, text = pcall(parser.read, found.tokens, found.first)
    if not done then
      if type(text) == "table" then text.blamed = f end
      error(text, 0)
    end
    known.tree = text
    trees[f] = known
  end
  return known
end

--- The terms that are parameters, as lower_expression.lua wants them.
local function read_rows(emit, terms)
  local rows = {}
  for k, term in ipairs(terms) do
    local types = {}
    for _, field in ipairs(term.fields) do types[field[1]] = field[2] end
    rows[k] = { index = k, name = term.name, fields = term.fields,
                types = types, access = term.access, columns = {} }
    if term.access == "optional" then
      local first = term.fields[1]
      local column = emit:column(term.name, first[1], first[2], "optional")
      rows[k].columns[first[1]] = column
      rows[k].present = emit:value("present " .. column, "bool")
    end
  end
  return rows
end

--- Binds the parameters: rows, then what comes from outside, then the entity.
local function bind(state, tree, rows, extras)
  local scope, count = {}, #rows
  for k, name in ipairs(tree.parameters) do
    local variable = { name = name }
    scope[name] = variable
    local value = lower.NIL
    if k <= count then
      value = { type = "row", term = rows[k] }
    elseif k <= count + extras.count then
      value = state.context.roots:argument(k - count, extras)
    elseif k == count + extras.count + 1 then
      value = state.emit:value("self", "entity")
    end
    state:set(variable, value)
  end
  return scope
end

--- Stores of what was written, with the values that fields have at the end.
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
end

--- What a name stands for in a function whose tree is known; see lexer.lua.
local function constant(f, name)
  local place = trees[f].place
  return lexer.constant(place.tokens, place.first, name)
end

local function lower_all(f, options, outer)
  local emit = outer.emit
  local known = tree_of(f, 0)
  local context = {
    emit = emit, roots = outer, func = f, written = {},
    calls = calls, describe = options.describe, methods = options.methods,
    system = options.system, totals = {}, total_kind = options.total_kind,

    tree = function(called, node, name)
      local inner = tree_of(called, node.line, name)
      return inner.tree, called
    end,
  }
  outer.context = context
  local rows = read_rows(emit, options.terms)
  function context.writes(name)
    for _, row in ipairs(rows) do
      if row.name == name and row.access ~= "read" then return true end
    end
    return false
  end
  local state = lower.new(context)
  local scope = bind(state, known.tree, rows, options.extras)
  state:block(known.tree.body, scope)
  store(state, context.written)
  outer:guard_owners()
  return { text = emit:text(), uniforms = outer.uniforms,
           guards = outer.guards, totals = context.totals }
end

--- Compiles f. options: terms, a list of { name, fields, access } of the rows
-- it is given; extras, { count, [k] = value } what follows them, read anew for
-- every run; double; describe(value), of a definition its name and types, else
-- nil; methods(object), see lower_expression.lua; system: it is a system's,
-- whose rows draw numbers and add to totals; total_kind(object), of such a
-- total: "sum", "min" or "max".
-- Returns a plan; or nil and { file, line, what, remedy, looked, main }, which
-- compiler.unchanged understands.
function compiler.compile(f, options)
  local main = { f = f }
  local outer = roots.new(emitter.new(options.double), main, constant)
  local done, result = pcall(lower_all, f, options, outer)
  if not done and type(result) == "string"
    and find(result, "stack overflow", 1, true) then
    result = { line = 0, what = "a function this large",
               remedy = "split it, or its longest expression" }
  elseif not done and (type(result) ~= "table" or not result.what) then
    error(result, 0) -- a mistake of ours
  end
  result.main, result.looked = main, outer.looked
  if done then return result end
  local blamed = result.blamed or outer.context and outer.context.func or f
  result.file, result.line = compiler.place(blamed, result.line)
  return nil, result
end

--- Where a function stands, as messages say it; line unless it is 0.
function compiler.place(f, line)
  local info = get_info and get_info(f, "S")
  if not info then return "?", line or 0 end
  if not line or line == 0 then line = max(info.linedefined, 0) end
  return info.short_src, line
end

--- After a problem: is everything that was looked at as it was, so that the
-- same would come of compiling f again?
function compiler.unchanged(problem, f)
  local looked = problem.looked
  problem.main.f = f
  for k = 1, #looked do
    if not roots.alike(looked[k]) then return false end
  end
  return true
end

--- The uniforms of a plan, read now into values; false when the code does not
-- hold any more. f is the function that runs: the one that was compiled, or
-- another closure of the same code.
function compiler.read(plan, values, f)
  local guards, uniforms = plan.guards, plan.uniforms
  plan.main.f = f
  for k = 1, #guards do
    if not holds(guards[k]) then return false end
  end
  for k = 1, #uniforms do
    local uniform = uniforms[k]
    local box, value = uniform.box
    if box then
      value = box[uniform.position]
    else
      value = read_root(uniform.reader)
    end
    if uniform.kind == "bool" then
      if type(value) ~= "boolean" then return false end
      value = value and 1 or 0
    elseif type(value) ~= "number"
      or uniform.handle and not roots.is_handle(value) then
      return false
    end
    values[k] = value
  end
  return true
end

compiler.world_methods = lower_call.methods
compiler.total_methods = lower_call.totals

-- The parts trust what they are given, and what they keep is for the compiler
-- alone. So package.loaded loses them: a script that requires one loads a copy
-- of its own, which shares nothing with this compiler. They are plain Lua, and
-- ecs.core checks every program: garbage given to a copy may keep it busy for
-- ever, as any loop can, and no more.
for _, part in ipairs { "source", "lexer", "parser", "ir_writer",
                        "ir_number", "captures", "lower", "lower_value",
                        "lower_expression", "lower_statement",
                        "lower_call" } do
  package.loaded["ecs.compile." .. part] = nil
end

return compiler
