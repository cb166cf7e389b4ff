--- message: texts of errors that more than one file raises.
--
-- Numbers are formatted here and not by tostring, which gives 3.0 on one VM and
-- 3 on another.

local require = require("ecs.standard").inner "ecs.message"

local core = require "ecs.core"
local kind_name, description = core.kind, core.description

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, tostring, type = ipairs, tostring, type
local concat, format = table.concat, string.format

--- Up to here numbers have all of their digits.
local EXACT = 2 ^ 53

local message = {}

--- The type of a value, by one name on every VM: on LuaJIT the values of
-- components are C data.
function message.type(value)
  local name = type(value)
  if name == "cdata" and kind_name(value) == "ecs.Value" then
    return "userdata"
  end
  return name
end

--- A value as error messages show it.
function message.describe(value)
  if type(value) == "number" then
    if value ~= value then return "nan" end
    -- A whole number may be an entity: with all of its digits.
    local is_whole = value % 1 == 0 and value >= -EXACT and value <= EXACT
    return format(is_whole and "%.0f" or "%.14g", value)
  elseif type(value) == "string" then
    return "'" .. value .. "'"
  elseif type(value) == "nil" or type(value) == "boolean" then
    return tostring(value)
  end
  return description(value)
end

--- The names of a component's fields, as core.fields has them: "x, y". Of an
-- array, its own.
function message.fields(fields)
  local names, last = {}, nil
  for _, field in ipairs(fields) do
    if not field.array then
      names[#names + 1] = field[1]
    elseif field.array ~= last then
      names[#names + 1] = field.array
    end
    last = field.array
  end
  return concat(names, ", ")
end

message.over = "ecs: this batch is over: its columns are valid only inside "
  .. "the callback that got it"

--- The error for an index that is no row of a column. count is the number of
-- rows; 0: the batch is over.
function message.row(label, count, index)
  if count == 0 then return message.over end
  return format("ecs: %s has rows 1 to %.0f, not %s", label, count,
    message.describe(index))
end

--- The error for a column of a field of type string or any.
function message.held(name, field, kind)
  return "ecs: " .. name .. "." .. field .. " is of type " .. kind
    .. ", which no batch has: read and write it in each or rows, or with "
    .. "world:get and world:set"
end

return message
