--- message: the sentences of errors that more than one file raises.
--
-- Numbers are written here and not by tostring, which says 3.0 on one VM and 3
-- on another.

local message = {}

--- What a value is, for people.
function message.describe(value)
  if type(value) == "number" then
    if value ~= value then return "nan" end
    return string.format("%.14g", value)
  elseif type(value) == "string" then
    return "'" .. value .. "'"
  elseif type(value) == "nil" or type(value) == "boolean" then
    return tostring(value)
  end
  return "a " .. type(value)
end

message.over = "ecs: this batch is over: its columns are valid only inside "
  .. "the callback that got it"

--- For an index that is no row; count 0: there is no batch any more.
function message.row(label, count, index)
  if count == 0 then return message.over end
  return string.format("ecs: %s has rows 1 to %.0f, not %s", label, count,
    message.describe(index))
end

return message
