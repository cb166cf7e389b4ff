--- query_each: runs query:each compiled, where it can be; ecs.core asks.
--
-- A function that was seen runs at once; so does a closure of code that was
-- seen, and what cannot be compiled is known as well:
--
--     query --known--> 1        -> the world's codes for its terms
--                      function -> entry { code, programs }, or false: plain
--                      code     -> entry
--     world --codes--> terms -> line -> codes with this code, by their dump
--
-- So a closure made anew for each call, and a query made anew, cost a look at
-- the dump and no compilation. Plans belong to the world; programs belong to
-- their query and end with it, each made when it is first wanted.
--
-- Nobody is told when a call runs as plain Lua.

local native = require "ecs.backend"
local codes = require "ecs.compile.specialize"

local core = native.core
local choose, refuse = codes.choose, codes.refuse
local dump = string.dump
local error, pcall = error, pcall

--- Plans of a code; codes of a world: what comes after that is plain Lua.
local PLANS, CODES = 32, 1024

local weak = { __mode = "k" }

--- The terms of a query as a key; names have no control characters.
local function key_of(asked)
  local parts = core.query_terms(asked)
  for k = 1, #parts, 2 do parts[k] = parts[k].name end
  return table.concat(parts, "\n")
end

--- A table's table under a key, made when it is missing.
local function under(parent, key)
  local child = parent[key]
  if not child then
    child = {}
    parent[key] = child
  end
  return child
end

--- The code of a world for f, where it has one or may have one more.
local function code_of(asked, known, f)
  local line = core.line_of(f)
  if not line or not dump then return nil end
  local world = core.query_world(asked)
  local state = core.state(world)
  known[1] = known[1] or under(under(state, "codes"), key_of(asked))
  local list = under(known[1], line)
  local code = core.same_code(list, f)
  if code then return code end
  local done, text = pcall(dump, f)
  state.code_count = (state.code_count or 0) + 1
  if not done or state.code_count > CODES then return nil end
  code = codes.new(world, asked, state.precision == "double", PLANS)
  code.shared, code[1] = true, text
  list[#list + 1] = code
  return code
end

--- What a query has for a function that it did not know.
local function meet(asked, known, f)
  if not getmetatable(known) then setmetatable(known, weak) end
  local code = code_of(asked, known, f)
  if not code or code.final then return false end
  known[code] = known[code] or { code = code, programs = {} }
  return known[code]
end

--- Notes what is handed on; false when a compiled function cannot take it.
local function fill(extras, count, ...)
  extras.count = count
  for k = 1, count do
    local value = select(k, ...)
    local kind = type(value)
    if kind ~= "number" and kind ~= "boolean" and kind ~= "nil" then
      return false
    end
    extras[k] = value
  end
  return true
end

--- Is it plain Lua for good? Where nothing outside was looked at, or whatever
-- was seen there would not help.
local function is_final(problem)
  return problem.final or #problem.looked == 0
end

--- Runs f over a query's rows: true; nil when it is to be called row by row; or
-- false and an error.
local function run(asked, known, f, ...)
  local entry = known[f]
  if entry == nil then
    entry = meet(asked, known, f)
    known[f] = entry
  end
  if not entry then return nil end
  local code = entry.code
  -- Reading globals may run a script's code, and that may come here again.
  if code.busy or not fill(code.extras, select("#", ...), ...) then
    return nil
  end
  code.busy = true
  -- A debug hook may raise in there, and memory may be short.
  local done, plan, problem = pcall(choose, code, f)
  code.busy = false
  if not done then error(plan, 0) end
  if not plan then
    if is_final(problem) then code.final, known[f] = true, false end
    return nil
  end
  local program = entry.programs[plan]
  if not program then
    local text, failed
    program, text, failed = core.program(code.world, asked, plan.text,
      plan.totals)
    if failed then return false, text end
    if not program then
      refuse(code, f, plan, text)
      return nil
    end
    entry.programs[plan] = program
  end
  plan.main.f = nil -- the closure may go
  local ran, text = core.run_program(program, plan.values, "", 0)
  if ran then return true end
  return false, text
end

core.share("each", run)

return true
