-- mutations.lua: every small error one line of a C file could have.
--
--   list(text) --> { { line, first, last, new, kind }, ... }
--
-- first and last are positions in the text; what stands there is replaced by
-- new. Only code inside functions is touched: comments, strings, preprocessor
-- lines, asserts and the functions that check invariants are blanked out before
-- looking, each character by a space, so that positions stay true. There is no
-- parser: it leans on the house style, which puts spaces round binary operators
-- and one statement on a line. What does not compile is drawn again.

local mutations = {}

local function blanks(text)
  return (text:gsub("[^\n]", " "))
end

-- Blanks text from first to last.
local function blank(text, first, last)
  return text:sub(1, first - 1) .. blanks(text:sub(first, last))
    .. text:sub(last + 1)
end

-- Where a comment or literal that starts at a position ends.
local function end_of_token(text, at)
  local two = text:sub(at, at + 1)
  if two == "/*" then
    return select(2, text:find("*/", at + 2, true)) or #text
  elseif two == "//" then
    return (text:find("\n", at, true) or #text + 1) - 1
  end
  local quote = text:sub(at, at)
  local i = at + 1
  while i <= #text and text:sub(i, i) ~= quote do
    i = i + (text:sub(i, i) == "\\" and 2 or 1)
  end
  return i
end

local function blank_comments_and_literals(text)
  local at = 1
  while true do
    local found = text:find("[/\"']", at)
    if not found then return text end
    local last = found
    if text:find("^/[*/]", found) or text:find("^[\"']", found) then
      last = end_of_token(text, found)
      text = blank(text, found, last)
    end
    at = last + 1
  end
end

-- Directives with their continuation lines, and what only checked builds have.
local function blank_directives(text)
  local lines, depth, continued = {}, 0, false
  for line in text:gmatch("([^\n]*)\n") do
    local directive = line:match("^%s*#%s*(%a+)")
    if depth > 0 then
      if directive and directive:find("^if") then depth = depth + 1 end
      if directive == "endif" or depth == 1 and directive == "else" then
        depth = depth - 1
      end
    elseif directive == "ifdef" and line:find("ECS_CHECKED", 1, true) then
      depth = 1
    end
    local skip = directive or continued or depth > 0
    continued = (directive or continued) and line:find("\\$") ~= nil
    lines[#lines + 1] = (skip and blanks(line) or line) .. "\n"
  end
  return table.concat(lines)
end

local function blank_asserts(text)
  local at = 1
  while true do
    local first, paren = text:find("ASSERT%s*%(", at)
    if not first then
      first, paren = text:find("_Static_assert%s*%(", at)
    end
    if not first then return text end
    local _, last = text:find("%b()", paren)
    while text:find("^[%w_]", first - 1) do first = first - 1 end
    text = blank(text, first, last or #text)
    at = paren
  end
end

-- Keeps the bodies of functions and blanks everything else. A body is a block
-- in the outermost level after a closing parenthesis.
local function blank_outside_functions(text)
  local parts, at = {}, 1
  while true do
    local first, last = text:find("%b{}", at)
    if not first then break end
    local head = text:sub(at, first - 1):match("[^;]*$")
    local name = head:match("([%w_]+)%s*%(")
    local body = text:sub(first, last)
    parts[#parts + 1] = blanks(text:sub(at, first - 1))
    if head:find("%)%s*$") and name and not name:find("^check_")
        and not name:find("check_invariants", 1, true) then
      parts[#parts + 1] = " " .. body:sub(2, -2) .. " "
    else
      parts[#parts + 1] = blanks(body)
    end
    at = last + 1
  end
  return table.concat(parts) .. blanks(text:sub(at))
end

function mutations.code_of(text)
  local code = blank_comments_and_literals(text)
  return blank_outside_functions(blank_asserts(blank_directives(code)))
end

-- Kinds of errors. Each is called with a line of code and add(first, last,
-- new), whose positions are in the line.

local OPERATORS = {
  relational = {
    [" < "] = { " <= ", " >= " }, [" <= "] = { " < ", " > " },
    [" > "] = { " >= ", " <= " }, [" >= "] = { " > ", " < " },
    [" == "] = { " != " }, [" != "] = { " == " },
  },
  arithmetic = {
    [" + "] = { " - " }, [" - "] = { " + " }, [" * "] = { " + " },
    [" / "] = { " * " }, [" % "] = { " / " }, [" & "] = { " | " },
    [" | "] = { " & " }, [" << "] = { " >> " }, [" >> "] = { " << " },
    [" += "] = { " -= " }, [" -= "] = { " += " }, [" |= "] = { " &= " },
    [" &= "] = { " |= " }, ["++"] = { "--" }, ["--"] = { "++" },
  },
  logical = { [" && "] = { " || " }, [" || "] = { " && " } },
}

local function swap_operators(line, add, swaps)
  -- An operator may end or begin a line: then a space is lent to it.
  local padded = " " .. line .. " "
  for operator, others in pairs(swaps) do
    local at = 1
    while true do
      local first, last = padded:find(operator, at, true)
      if not first then break end
      for _, other in ipairs(others) do
        local from, to = math.max(first - 1, 1), math.min(last - 1, #line)
        if first == 1 then other = other:sub(2) end
        if last == #padded then other = other:sub(1, -2) end
        add(from, to, other)
      end
      at = last
    end
  end
end

local function move_constants(line, add)
  for first, digits, last in line:gmatch("%f[%w_]()(%d+)()[uU]?%f[^%w_]") do
    local value = math.tointeger(tonumber(digits))
    -- 1.0 is no integer, and its parts are none either.
    local float = line:sub(last, last) == "." or line:sub(first - 1, first - 1)
      == "."
    if value and not float then
      add(first, last - 1, tostring(value + 1))
      if value > 0 then add(first, last - 1, tostring(value - 1)) end
    end
  end
end

local function negate_conditions(line, add)
  for _, word in ipairs { "if", "while" } do
    local first, last = line:find("%f[%w_]" .. word .. " %b()")
    if first then
      local paren = first + #word + 1
      add(paren, last, "(!" .. line:sub(paren, last) .. ")")
    end
  end
  local first, value, last = line:match("return ()([^;?]+)();")
  if value and (value:find("[=!<>]=") or value:find(" [<>&|]+ ")
      or value:find("^!")) and not value:find(" [&|] ") then
    add(first, last - 1, "!(" .. value .. ")")
  end
end

-- A whole statement on one line after a complete one. Returns of values stay:
-- without them the compiler may do anything. (A deleted declaration does not
-- compile and is drawn again.)
local function delete_statement(line, add, previous)
  local first, statement, last = line:match("^%s*()([^;{}]*;)()%s*$")
  if not first or not previous:find("[;{}:)]%s*$") then return end
  if statement:find("^return .") then return end
  if statement:find("^[%a_]") or statement:find("^[%+%-%*%(]") then
    add(first, last - 1, ";")
  end
end

-- Two neighbours in a call, each without spaces.
local function swap_arguments(line, add)
  local argument = "([%w_%.%*&%->%[%]]+)"
  local pattern = "[%( ]()" .. argument .. ", ()" .. argument .. "()[,%)]"
  local at = 1
  while true do
    local first, one, middle, two, last = line:match(pattern, at)
    if not first then return end
    local before = line:sub(1, first - 1)
    if one ~= two and (before:find("%w%($") or before:find(", $")) then
      add(first, last - 1, two .. ", " .. one)
    end
    at = middle - 1
  end
end

local KINDS = {
  { "relational", function(line, add)
    swap_operators(line, add, OPERATORS.relational)
  end },
  { "arithmetic", function(line, add)
    swap_operators(line, add, OPERATORS.arithmetic)
  end },
  { "logical", function(line, add)
    swap_operators(line, add, OPERATORS.logical)
  end },
  { "constant", move_constants },
  { "condition", negate_conditions },
  { "statement", delete_statement },
  { "arguments", swap_arguments },
}

-- Sorted, so that the same text gives the same list everywhere.
local function sort(found)
  table.sort(found, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if a.kind ~= b.kind then return a.kind < b.kind end
    return a.new < b.new
  end)
  return found
end

function mutations.list(text)
  local code = mutations.code_of(text)
  assert(#code == #text, "positions moved")
  local found, at, number, previous = {}, 1, 0, ""
  for line in code:gmatch("([^\n]*)\n") do
    number = number + 1
    for _, kind in ipairs(KINDS) do
      kind[2](line, function(first, last, new)
        found[#found + 1] = {
          line = number, first = at + first - 1, last = at + last - 1,
          new = new, kind = kind[1],
        }
      end, previous)
    end
    at = at + #line + 1
    if line:find("%S") then previous = line end
  end
  return sort(found)
end

return mutations
