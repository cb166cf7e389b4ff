--- parser: turns a function's tokens into a tree, for the subset that compiles.
--
-- A node is a table with its kind in [1], the line in line, and:
--
--   function   parameters (names), body
--   local      names, values            assign   targets, values
--   if         tests, bodies, other     for      name, first, last, step, body
--   return     values                   do       body
--   while      test, body               repeat   body, test
--   break                               continue (to the end of a loop's body)
--   call       (a statement) call       refused  problem
--   local function   name, body (a function)
--
-- A loop has breaks = true if its body has a break or continue of it.
--
--   number     value, kind              true  false  nil
--   table      items ({ key, value })   index   object, key
--   name       name                     field    object, name
--   call       callee, arguments        method   object, name, arguments
--   binary     sign, left, right        unary    sign, operand
--   and or     left, right              paren    inner
--
-- Lua that is outside of the subset is refused: an error { line, construct,
-- remedy, final } is raised, which compiler.lua catches. Where it stands in a
-- block, the rest of the block becomes one statement, refused: lowering it
-- raises the error, unless it can be a side exit.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.parser"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, pcall, tostring, type = error, pcall, tostring, type
local match, sub, ipairs = string.match, string.sub, ipairs
local load_text = standard.load
local math_type = rawget(math, "type")
local opens = require("ecs.compile.outline").opens

local parser = {}

--- Refuses a construct, named as the message begins. remedy: advice, the end of
-- the message. final: true where no value from outside would help.
function parser.outside(line, construct, remedy, final)
  error({ line = line, construct = construct, remedy = remedy,
          final = final }, 0)
end

local outside = parser.outside

--- The remedy for combining numbers of many rows.
parser.TOTAL = "add to a total (local total = world:sum 'name'), which every "
  .. "run begins anew: add total:value() to your own sum after the frame"

local function kind(state) return state.kinds[state.index] end

local function line_of(state) return state.lines[state.index] end

local function skip(state) state.index = state.index + 1 end

local function accept(state, wanted)
  local index = state.index
  if state.kinds[index] ~= wanted then return false end
  state.index = index + 1
  return true
end

local function expect(state, wanted)
  if accept(state, wanted) then return end
  outside(line_of(state), "'" .. tostring(kind(state)) .. "'",
    "'" .. wanted .. "' was expected here")
end

local function name(state)
  local index = state.index
  if state.kinds[index] ~= "name" then expect(state, "name") end
  state.index = index + 1
  return state.values[index]
end

local expression, block, function_body

-- Expressions ---------------------------------------------------------------

local remedies = {
  ["function"] = { "a function that is no local one",
    "make it local, or define it outside" },
  ["..."] = { "'...'", "name the parameters" },
}

local RARE = "fine for rare events, as plain Lua runs it; else keep what is to "
  .. "change in fields of the row, and do this in a run system"

--- Methods that take values.
local rare = { spawn = true, spawn_many = true, set = true, add = true }

--- Refuses a node of kind method if it calls one of these.
function parser.refuse_rare(node)
  if rare[node.name] and node.object[1] == "name" then
    outside(node.line, node.object.name .. ":" .. node.name
      .. (node.name == "add" and " of a value" or ""), RARE)
  end
end

--- What a string says, with its quotes; nil where that is unknown.
local function said(written)
  local inner = match(written, "^[\"']([^\\]*)[\"']$")
  if inner then return inner end
  local chunk = load_text and load_text("return " .. written)
  return chunk and chunk()
end

--- A string may be a key, as in p["x"], or name a field, as in get(e, Position,
-- "x"). written: with its quotes.
local function text(state)
  local line = line_of(state)
  local index = state.index
  local written = sub(state.text, state.starts[index], state.stops[index])
  skip(state)
  return { "string", line = line, written = written, value = said(written) }
end

--- Refuses LuaJIT's 64-bit integers and complex numbers: 1LL, 1ULL, 2i.
local function number(state)
  local line, value = line_of(state), state.values[state.index]
  if not value then
    outside(line, "the number " .. sub(state.text, state.starts[state.index],
      state.stops[state.index]), "write a number without a suffix")
  end
  skip(state)
  return { "number", line = line, value = value + 0.0,
           kind = math_type and math_type(value) }
end

--- A table constructor. The key of an item is an expression, or a node of kind
-- field_name; nil: the item has none.
local function constructor(state)
  local line, items = line_of(state), {}
  skip(state)
  while not accept(state, "}") do
    local item, index = {}, state.index
    if accept(state, "[") then
      item.key = expression(state)
      expect(state, "]")
      expect(state, "=")
    elseif kind(state) == "name" and state.kinds[index + 1] == "=" then
      item.key = { "field_name", line = line_of(state), name = name(state) }
      skip(state)
    end
    item.value = expression(state)
    items[#items + 1] = item
    if not accept(state, ",") then accept(state, ";") end
  end
  return { "table", line = line, items = items }
end

local function primary(state)
  local index = state.index
  local line, word = state.lines[index], state.kinds[index]
  if word == "name" then
    state.index = index + 1
    return { "name", line = line, name = state.values[index] }
  elseif word == "(" then
    skip(state)
    local inner = expression(state)
    expect(state, ")")
    return { "paren", line = line, inner = inner }
  elseif word == "number" then
    return number(state)
  elseif word == "string" then
    return text(state)
  elseif word == "{" then
    return constructor(state)
  elseif word == "function" then
    skip(state)
    return function_body(state, line)
  elseif word == "true" or word == "false" or word == "nil" then
    skip(state)
    return { word, line = line }
  end
  local known = remedies[word] or { "'" .. tostring(word) .. "'",
    "this is not part of what can be compiled" }
  return outside(line, known[1], known[2])
end

local function arguments(state)
  local list = {}
  local word = kind(state)
  if word == "string" or word == "{" then return { primary(state) } end
  skip(state)
  if accept(state, ")") then return list end
  repeat list[#list + 1] = expression(state) until not accept(state, ",")
  expect(state, ")")
  return list
end

--- What an expression that has a value may go on with.
local suffixes = { ["."] = true, [":"] = true, ["("] = true, ["["] = true,
                   ["{"] = true, string = true }

local function suffixed(state)
  local node = primary(state)
  while true do
    local word, line = state.kinds[state.index], state.lines[state.index]
    if not suffixes[word] then return node end
    if word == "." then
      skip(state)
      node = { "field", line = line, object = node, name = name(state) }
    elseif word == ":" then
      skip(state)
      node = { "method", line = line, object = node, name = name(state) }
      node.arguments = arguments(state)
    elseif word == "[" then
      skip(state)
      node = { "index", line = line, object = node, key = expression(state) }
      expect(state, "]")
    else
      node = { "call", line = line, callee = node,
               arguments = arguments(state) }
    end
  end
end

--- Left and right binding power, as in Lua's manual.
local powers = {
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 },
  ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 },
  ["~="] = { 3, 3 }, ["=="] = { 3, 3 },
  ["|"] = { 4, 4 }, ["~"] = { 5, 5 }, ["&"] = { 6, 6 },
  ["<<"] = { 7, 7 }, [">>"] = { 7, 7 }, [".."] = { 9, 8 },
  ["+"] = { 10, 10 }, ["-"] = { 10, 10 },
  ["*"] = { 11, 11 }, ["/"] = { 11, 11 }, ["//"] = { 11, 11 },
  ["%"] = { 11, 11 }, ["^"] = { 14, 13 },
}

local UNARY_POWER = 12
local function unary(state)
  local sign = state.kinds[state.index]
  if sign == "-" or sign == "not" or sign == "#" or sign == "~" then
    local line = line_of(state)
    skip(state)
    return { "unary", line = line, sign = sign,
             operand = expression(state, UNARY_POWER) }
  end
  return suffixed(state)
end

function expression(state, limit)
  local left = unary(state)
  while true do
    local sign = state.kinds[state.index]
    local power = powers[sign]
    if not power or power[1] <= (limit or 0) then return left end
    local line = line_of(state)
    skip(state)
    local right = expression(state, power[2])
    local class = (sign == "and" or sign == "or") and sign or "binary"
    left = { class, line = line, sign = sign, left = left, right = right }
  end
end

local function expressions(state)
  local list = { expression(state) }
  while accept(state, ",") do list[#list + 1] = expression(state) end
  return list
end

-- Statements ----------------------------------------------------------------

local function local_statement(state, line)
  if accept(state, "function") then
    local known = name(state)
    return { "local function", line = line, name = known,
             body = function_body(state, line) }
  end
  local names = {}
  repeat
    names[#names + 1] = name(state)
    -- Lua has checked that a <const> is not assigned to.
    if accept(state, "<") and name(state) ~= "const" then
      outside(line, "a variable that is to be closed", "leave out <close>")
    elseif kind(state) == ">" then
      skip(state)
    end
  until not accept(state, ",")
  local values = accept(state, "=") and expressions(state) or {}
  return { "local", line = line, names = names, values = values }
end

local ends = { ["end"] = true, ["else"] = true, ["elseif"] = true,
               ["until"] = true, ["end of text"] = true }

local function if_statement(state, line)
  local tests, bodies, other = { expression(state) }, {}, nil
  expect(state, "then")
  bodies[1] = block(state)
  while true do
    if accept(state, "elseif") then
      tests[#tests + 1] = expression(state)
      expect(state, "then")
      bodies[#bodies + 1] = block(state)
    elseif accept(state, "else") then
      other = block(state)
      expect(state, "end")
      break
    else
      expect(state, "end")
      break
    end
  end
  return { "if", line = line, tests = tests, bodies = bodies, other = other }
end

--- Reads the body of a loop into its node.
local function loop_body(state, node)
  local loops = state.loops
  node.continues, node.labels, node.depth = {}, {}, state.depth + 1
  loops[#loops + 1] = node
  node.body = block(state)
  loops[#loops] = nil
  for _, jump in ipairs(node.continues) do
    if not node.labels[jump.name] then
      outside(jump.line, "a goto out of its loop's body", "use break, or a "
        .. "goto to the end of the body of the innermost loop")
    end
  end
end

--- Reads `for variable, ... in iterator do`, from behind the first variable.
local function iteration(state, line, variable)
  local names = { variable }
  while accept(state, ",") do names[#names + 1] = name(state) end
  expect(state, "in")
  local values = expressions(state)
  expect(state, "do")
  local node = { "for in", line = line, names = names, values = values }
  loop_body(state, node)
  expect(state, "end")
  return node
end

local function for_statement(state, line)
  local variable = name(state)
  if kind(state) ~= "=" then return iteration(state, line, variable) end
  skip(state)
  local first = expression(state)
  expect(state, ",")
  local last = expression(state)
  local step = accept(state, ",") and expression(state) or nil
  expect(state, "do")
  local node = { "for", line = line, name = variable, first = first,
                 last = last, step = step }
  loop_body(state, node)
  expect(state, "end")
  return node
end

local function while_statement(state, line)
  local node = { "while", line = line, test = expression(state) }
  expect(state, "do")
  loop_body(state, node)
  expect(state, "end")
  return node
end

local function repeat_statement(state, line)
  local node = { "repeat", line = line }
  loop_body(state, node)
  expect(state, "until")
  node.test = expression(state)
  return node
end

--- The innermost loop that a jump is in.
local function own_loop(state, line, construct)
  local loop = state.loops[#state.loops]
  if not loop then outside(line, construct, "use if and return") end
  loop.breaks = true
  return loop
end

local function break_statement(state, line)
  own_loop(state, line, "break")
  return { "break", line = line }
end

--- A goto to the end of the body of its loop; others are refused there.
local function goto_statement(state, line)
  local loop = own_loop(state, line, "goto")
  local label = name(state)
  loop.continues[#loop.continues + 1] = { name = label, line = line }
  return { "continue", line = line }
end

--- A label. It has to be the last of its loop's body.
local function label_statement(state, line)
  local label = name(state)
  expect(state, "::")
  local loop = state.loops[#state.loops]
  while accept(state, ";") do end
  if not loop or state.depth ~= loop.depth
    or not ends[kind(state)] and kind(state) ~= "::" then
    outside(line, "a label inside a block", "jump to the end of a loop's body, "
      .. "or use if and return")
  end
  loop.labels[label] = true
  return { "do", line = line, body = {} }
end

local function return_statement(state, line)
  local values = {}
  local word = kind(state)
  if not ends[word] and word ~= ";" then values = expressions(state) end
  accept(state, ";")
  return { "return", line = line, values = values }
end

--- An assignment or a call.
local function plain_statement(state, line)
  local first = suffixed(state)
  if kind(state) ~= "=" and kind(state) ~= "," then
    if first[1] ~= "call" and first[1] ~= "method" then
      outside(line, "an expression that is no call", "assign it to something")
    end
    return { "call", line = line, call = first }
  end
  local targets = { first }
  while accept(state, ",") do targets[#targets + 1] = suffixed(state) end
  expect(state, "=")
  return { "assign", line = line, targets = targets,
           values = expressions(state) }
end

local function do_statement(state, line)
  local body = block(state)
  expect(state, "end")
  return { "do", line = line, body = body }
end

--- Statements, by their first word: functions that read the rest.
local statements = {
  ["local"] = local_statement, ["if"] = if_statement, ["for"] = for_statement,
  ["return"] = return_statement, ["do"] = do_statement,
  ["while"] = while_statement, ["repeat"] = repeat_statement,
  ["break"] = break_statement, ["goto"] = goto_statement,
  ["::"] = label_statement,
}

local refused_statements = { ["function"] = remedies["function"] }

local function statement(state)
  local line, word = line_of(state), kind(state)
  local read, known = statements[word], refused_statements[word]
  if known then outside(line, known[1], known[2]) end
  if not read then return plain_statement(state, line) end
  skip(state)
  return read(state, line)
end

--- Notes the label of the next token, in a block that is refused, where it is
-- the last of its loop's body.
local function note_label(state)
  local loop, after = state.loops[#state.loops], state.index + 3
  while state.kinds[after] == ";" do after = after + 1 end
  if loop and state.depth == loop.depth and ends[state.kinds[after]] then
    loop.labels[state.values[state.index + 1]] = true
  end
end

--- Goes to the token that ends the block of the next token.
local function skip_block(state)
  local depth = 0
  while depth > 0 or not ends[kind(state)] do
    if depth == 0 and kind(state) == "::" then note_label(state) end
    depth = depth + (opens[kind(state)] or 0)
    skip(state)
  end
end

function block(state)
  local list, depth = {}, state.depth + 1
  state.depth = depth
  while true do
    while accept(state, ";") do end
    if ends[kind(state)] then break end
    local problem = state.refused[state.index]
    if problem then
      list[#list + 1] = { "refused", line = problem.line, problem = problem }
      skip_block(state)
      break
    end
    state.begun[depth] = state.index
    list[#list + 1] = statement(state)
  end
  state.depth = depth - 1
  return list
end

--- Parameters and body of a function, behind its keyword and name.
function function_body(state, line)
  expect(state, "(")
  local parameters = {}
  while kind(state) ~= ")" do
    if kind(state) == "..." then
      outside(line_of(state), "'...'", "name the parameters")
    end
    parameters[#parameters + 1] = name(state)
    accept(state, ",")
  end
  skip(state)
  local body = block(state)
  expect(state, "end")
  return { "function", line = line, parameters = parameters, body = body }
end

local function read_function(state)
  local line = line_of(state)
  expect(state, "function")
  -- The name of `function vec.length(v)`, which is not needed.
  while kind(state) ~= "(" do
    if kind(state) == ":" then
      outside(line, "a method as a function", "write self as a parameter")
    end
    skip(state)
  end
  return function_body(state, line)
end

--- So many statements of a function may be refused.
local REFUSED_LIMIT = 64

--- The tree of the function that begins at token first; and the first problem,
-- where statements are refused.
function parser.read(tokens, first)
  local refused, first_problem = {}, nil
  for _ = 1, REFUSED_LIMIT do
    local state = {
      kinds = tokens.kinds, values = tokens.values, lines = tokens.lines,
      starts = tokens.starts, stops = tokens.stops, text = tokens.text,
      index = first,
      -- How many blocks are open; by depth, where the statement begins; where
      -- a statement begins, the problem for which it is refused.
      depth = 0, begun = {}, refused = refused,
      loops = {}, -- the nodes of the loops that are open
    }
    local done, result = pcall(read_function, state)
    if done then return result, first_problem end
    if type(result) ~= "table" or state.depth == 0 then error(result, 0) end
    first_problem = first_problem or result
    refused[state.begun[state.depth]] = result
  end
  error(first_problem, 0)
end

return parser
