--- json: a strict reader of JSON, for tests of what others are to read.
--
--     local value = json.read(text)   raises an error where text is no JSON

local json = {}

local escapes = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f",
                  n = "\n", r = "\r", t = "\t" }

local function fail(text, at)
  error(("no JSON at byte %d: %q"):format(at, text:sub(at, at + 20)), 0)
end

local function space(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local plain = text:match('^[^%c"\\]+', at) or ""
    parts[#parts + 1], at = plain, at + #plain
    local c = text:sub(at, at)
    if c == '"' then return table.concat(parts), at + 1 end
    if c ~= "\\" then fail(text, at) end
    local code = text:match("^\\u(%x%x%x%x)", at)
    if code then
      parts[#parts + 1], at = "<" .. code .. ">", at + 6
    else
      parts[#parts + 1] = escapes[text:sub(at + 1, at + 1)] or fail(text, at)
      at = at + 2
    end
  end
end

local read

--- Reads members up to a closing bracket. read_one(at) returns what is behind.
local function read_list(text, at, close, read_one)
  at = space(text, at + 1)
  if text:sub(at, at) == close then return at + 1 end
  while true do
    at = space(text, read_one(at))
    local c = text:sub(at, at)
    if c == close then return at + 1 end
    if c ~= "," then fail(text, at) end
    at = space(text, at + 1)
  end
end

local function read_object(text, at)
  local object = {}
  return object, read_list(text, at, "}", function(from)
    if text:sub(from, from) ~= '"' then fail(text, from) end
    local name, behind = read_string(text, from)
    behind = space(text, behind)
    if text:sub(behind, behind) ~= ":" or object[name] ~= nil then
      fail(text, behind)
    end
    object[name], behind = read(text, space(text, behind + 1))
    return behind
  end)
end

local function read_array(text, at)
  local array = {}
  return array, read_list(text, at, "]", function(from)
    array[#array + 1], from = read(text, from)
    return from
  end)
end

function read(text, at)
  local c = text:sub(at, at)
  if c == "{" then return read_object(text, at) end
  if c == "[" then return read_array(text, at) end
  if c == '"' then return read_string(text, at) end
  local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
  if not number or not tonumber(number) or number:find "^-?0%d" then
    fail(text, at)
  end
  return tonumber(number), at + #number
end

function json.read(text)
  local value, at = read(text, space(text, 1))
  if space(text, at) <= #text then fail(text, at) end
  return value
end

return json
