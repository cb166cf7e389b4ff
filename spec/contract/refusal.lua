-- What every file of spec/contract expects of misuse: an error at a line of the
-- function that made the mistake. After the position, its message starts with
-- "ecs: " and contains the given words.
--
-- Each file there tests one section of what the library promises, and each test
-- one promise: the title states the promise, the body demonstrates it.

--- Returns the message without its position.
return function(f, ...)
  local ok, text = pcall(f)
  if ok then error("nothing was refused", 2) end
  local line, message = tostring(text):match "^[^\n]-:(%d+): (ecs: .*)$"
  local own = debug.getinfo(f, "S")
  line = tonumber(line)
  if not line or line < own.linedefined or line > own.lastlinedefined then
    error("not blamed on its own line: " .. tostring(text), 2)
  end
  for _, words in ipairs { ... } do
    if not message:find(words, 1, true) then
      error("no '" .. words .. "' in: " .. message, 2)
    end
  end
  return message
end
