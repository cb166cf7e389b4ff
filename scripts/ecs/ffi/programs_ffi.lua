--- programs_ffi: runs of programs, and looks at queries, as compiled FFI calls.
--
-- Both functions mean the one of the same name in ecs.core, take the same and
-- return the same. Each calls it for an object that is not known, and for
-- everything unusual; otherwise it makes one call that LuaJIT compiles. So a
-- frame's loop over its systems is compiled code throughout.
--
-- Objects are remembered once ecs.core has checked them, in weak tables that no
-- script can reach; C checks whether their world is open. A script that gets at
-- these functions can call them with anything.

local require = require("ecs.standard").inner "ecs.ffi.programs_ffi"

local ffi = require "ffi"
local layouts = require "ecs.ffi.cdef"
local core = require "ecs.core"
local fence = require "ecs.ffi.fence_ffi"

-- Functions that decide about memory are kept here: a script may replace the
-- globals.
local setmetatable = setmetatable
local cast, kind = ffi.cast, core.kind
local slow_run, slow_idle = core.run_program, core.is_idle
local numbers_of, failure = core.program_numbers, core.program_failure
local tell = core.program_tell

local calls_data, calls_bytes = core.program_calls()
local calls = cast(layouts.ProgramCalls .. " *", calls_data)
if ffi.sizeof(calls[0]) ~= calls_bytes then
  error("ecs: ecs.core and programs_ffi.lua disagree about their calls", 0)
end
local quick_run, quick_idle = calls.run, calls.idle
local pass_data, pass_bytes = core.pass_calls()
local pass_calls = cast(layouts.PassCalls .. " *", pass_data)
if ffi.sizeof(pass_calls[0]) ~= pass_bytes then
  error("ecs: ecs.core and programs_ffi.lua disagree about their calls", 0)
end
local quick_pass, slow_pass = pass_calls.run, core.run_pass
local pass_failure = core.pass_failure
local doubles = ffi.typeof "double *"

local weak = { __mode = "k" }
local programs = setmetatable({}, weak) -- Program -> { name, numbers, count }
local queries = setmetatable({}, weak) -- Query -> true
local passes = setmetatable({}, weak) -- Pass -> does it read nothing outside?

local function is_pass(pass)
  return kind(pass) == "ecs.Pass" and core.pass_is_quiet(pass)
end

--- As run_program of ecs.core.
local function run_program(program, values, name, runs, copies)
  local entry = programs[program]
  if entry and entry.name == name then
    local numbers = entry.numbers
    for k = 1, entry.count do numbers[k - 1] = values[k] end
    fence[0] = 0
    local answer = quick_run(program, runs)
    if answer > 8 then
      tell(program)
      answer = answer - 8
    end
    if answer > 0 then return true, answer % 4 == 3, answer > 4 end
    if answer < 0 then return failure(program, -answer) end
  end
  local done, second, drew = slow_run(program, values, name, runs, copies)
  if done and not entry then
    local data, count = numbers_of(program)
    programs[program] = data
      and { name = name, numbers = cast(doubles, data), count = count }
  end
  return done, second, drew
end

--- As run_pass of ecs.core.
local function run_pass(pass, dt, runs)
  if passes[pass] == nil then passes[pass] = is_pass(pass) end
  if passes[pass] then
    fence[0] = 0
    local answer = quick_pass(pass, dt, runs)
    if answer > 0 then return true, answer > 4 end
    if answer < 0 then return pass_failure(pass, -answer) end
  end
  return slow_pass(pass, dt, runs)
end

--- Remembers a query, before the loop over systems is compiled.
local function know_query(query)
  if kind(query) == "ecs.Query" then queries[query] = true end
end

--- As is_idle of ecs.core.
local function is_idle(query)
  if queries[query] then
    local answer = quick_idle(query)
    return answer == 1
  end
  return slow_idle(query)
end

return { run_program = run_program, run_pass = run_pass, is_idle = is_idle,
         know_query = know_query }
