--- outside_ffi: asks whether what a program reads outside is as it was, for
-- LuaJIT.
--
-- Between two rows that leave a program (exit_run.lua) everything outside is
-- compared with what was read before. ecs.core does it by Lua's C API, at some
-- ten nanoseconds for each value (bindings/lua/program/outside.c); this file
-- writes a function for it that LuaJIT compiles into the loop of such rows:
--
--     the function that is compiled      the check
--     upvalue 2: config          <-----  upvalue u1, the same variable
--     reads config.speed                 rawget(u1, "speed") is list[5]?
--
-- It answers false where this is not certain, as ecs.core does. No value of a
-- list is nil, so what only a metatable could have is certainly not the same.

-- Kept here: a script may replace the globals.
local standard = require "ecs.standard"
standard.inner "ecs.ffi.outside_ffi"

local join, name_of = standard.debug.upvaluejoin, standard.debug.getupvalue
local rawget, rawequal = rawget, rawequal
local load_text = standard.load
local type, concat, format = type, table.concat, string.format
local find = string.find
local gsub, max, tonumber, match = string.gsub, math.max, tonumber, string.match

local outside_ffi = {}

--- A function has at most 60 upvalues; some are needed for more than variables.
local MOST = 50

local head = [[
local rawget, rawequal, type = ...
return function(list)
local VARIABLES
local function same()
  local v, n
]]

-- A number that is equal may still be the other zero.
local compare = [[
  n = list[%d]
  if not rawequal(v, n) or type(v) == "number" and v == 0 and 1 / v ~= 1 / n
  then return false end
]]

local step = [[
  if type(v) ~= "table" then return false end
  v = rawget(v, %s)
]]

--- The code of a key: in line, where its text is certainly that of the value.
local function key_code(list, at)
  local key = list[at]
  if type(key) == "string" and find(key, "^[%w_]*$") then
    return format("%q", key)
  end
  return format("list[%d]", at)
end

--- The text of a check for a list of plan.outside, and which variables it has:
-- a list of function or false, number of the upvalue, and so on. nil: there are
-- too many.
local function write(list)
  local lines, variables, numbers, at = {}, {}, {}, 1
  while at < #list do
    local holder, position, keys = list[at], list[at + 1], list[at + 2]
    local known = numbers[holder] or {}
    numbers[holder] = known
    if not known[position] then
      variables[#variables + 1] = holder
      variables[#variables + 1] = position
      known[position] = #variables / 2
    end
    lines[#lines + 1] = "  v = u" .. known[position] .. "\n"
    for k = at + 3, at + 2 + keys do
      lines[#lines + 1] = format(step, key_code(list, k))
    end
    lines[#lines + 1] = format(compare, at + 3 + keys)
    at = at + 4 + keys
  end
  local count, names = #variables / 2, {}
  if count > MOST then return nil end
  for k = 1, max(count, 1) do names[k] = "u" .. k end
  return gsub(head, "VARIABLES", concat(names, ", ")) .. concat(lines)
    .. "  return true\nend\nreturn same\nend\n", variables
end

--- What makes checks of a list of plan.outside; nil: there is none. Cost:
-- compiles its code.
function outside_ffi.prepare(list)
  local text, variables = write(list)
  local code = join and text and load_text(text, "=ecs.outside")
  return code and {
    list = list, variables = variables,
    make = code(rawget, rawequal, type),
  }
end

--- A new check, for the function f: true where everything is as the list says.
-- It is for f as it is: compiled code knows its variables by their addresses.
function outside_ffi.check(prepared, f)
  local same, variables = prepared.make(prepared.list), prepared.variables
  local k, name = 1, name_of(same, 1)
  while name do
    local number = tonumber(match(name, "^u(%d+)$"))
    if number and variables[2 * number] then
      join(same, k, variables[2 * number - 1] or f, variables[2 * number])
    end
    k = k + 1
    name = name_of(same, k)
  end
  return same
end

return outside_ffi
