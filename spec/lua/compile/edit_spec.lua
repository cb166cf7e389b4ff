-- The compiler never takes a file that was edited after it was loaded for the
-- function that was loaded. Each single character of a function is replaced by
-- others, removed and doubled, and line breaks are inserted. After each edit
-- the compiled function does what the loaded one does, to the last bit, or the
-- function is not compiled.

local ecs = require "ecs"

local V = ecs.component("EditV", { x = "f64", y = "f64" })

-- Operators, constants, names (of fields, locals, upvalues, functions), line
-- breaks, an if, and a twin of the function that differs in one number.
local TEXT = [[
local k, kk, t = 2, 7, { a = 1.5, b = 3 }
local function ff(x) return x + 12 end
local function fg(x) return x - 12 end
local twin = function(v)
  v.x = v.x * k + 11.25
end
return function(v)
  local n, m = v.x * k - 10 / t.a, v.y
  if n <= m and not (m == 8) then
    n = ff(n) % 5
  elseif m > -k then n = -n ^ 2 end
  v.x, v.y = n, m // 3 + t.b end, twin, fg, kk
]]
-- LuaJIT has no floor division.
if not (rawget(_G, "loadstring") or load)("return 1 // 1") then
  TEXT = TEXT:gsub("m // 3", "m / 3")
end

local START = TEXT:find("return function", 1, true)

local CHARACTERS = { "1", "9", ".", "x", "m", "k", "g", "-", "*", "<", "=",
  " ", "\n" }

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local STARTS = { { 5, 8 }, { -3, 4 }, { 9, 100 }, { 0, 0 }, { -50, -60 } }

--- Some rows after a frame of a function; nil where it is not compiled.
local function run(f, compiled)
  local world, list = ecs.world {}, {}
  for k, at in ipairs(STARTS) do
    list[k] = world:spawn(V { x = at[1], y = at[2] })
  end
  if not pcall(world.system, world, { name = "s", query = { V }, each = f,
      compile = compiled, precision = compiled and "double" or nil }) then
    return nil
  end
  world:progress(1)
  local numbers = {}
  for k, e in ipairs(list) do
    local x, y = world:get(e, V, "x", "y")
    numbers[k] = ("%.17g %.17g"):format(x, y)
  end
  world:close()
  return table.concat(numbers, ", ")
end

describe("an edited file", function()
  local path, expected = os.tmpname(), nil

  setup(function()
    write(path, TEXT)
    expected = run((assert(loadfile(path))()), false)
    assert.are.equal(expected, run((assert(loadfile(path))()), true))
  end)

  teardown(function() os.remove(path) end)

  --- Loads the text from a file, edits the file, and compiles what was loaded.
  -- Each file has another name, because the library may cache files by name.
  local count = 0
  local function try(edited)
    count = count + 1
    local here = path .. "." .. count
    write(here, edited)
    local f = assert((rawget(_G, "loadstring") or load)(TEXT, "@" .. here))()
    local result = run(f, true)
    os.remove(here)
    if result then
      assert.are.equal(expected, result, edited)
    end
    return result and 1 or 0
  end

  it("is not what was loaded: a character is another", function()
    local tried, compiled = 0, 0
    for at = START, #TEXT do
      local old = TEXT:sub(at, at)
      for _, new in ipairs(CHARACTERS) do
        if new ~= old then
          tried = tried + 1
          compiled = compiled
            + try(TEXT:sub(1, at - 1) .. new .. TEXT:sub(at + 1))
        end
      end
    end
    assert.is_true(tried > 2000, tostring(tried))
    -- Between tokens, blanks and line breaks change nothing.
    assert.is_true(compiled > 20 and compiled < tried / 4, tostring(compiled))
  end)

  it("is not what was loaded: a character is gone, or there twice", function()
    for at = START, #TEXT do
      local old = TEXT:sub(at, at)
      try(TEXT:sub(1, at - 1) .. TEXT:sub(at + 1))
      try(TEXT:sub(1, at) .. old .. TEXT:sub(at + 1))
    end
  end)

  it("is not what was loaded: there is a line break more", function()
    for at = START, #TEXT do
      try(TEXT:sub(1, at - 1) .. "\n" .. TEXT:sub(at))
    end
  end)

  it("is not what was loaded: a character above it is another", function()
    for at = 1, START - 1 do
      for _, new in ipairs { "k", "2", "\n" } do
        try(TEXT:sub(1, at - 1) .. new .. TEXT:sub(at + 1))
      end
    end
  end)
end)
