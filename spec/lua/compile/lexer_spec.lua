-- Tokens: all of a text and in order, whatever the text is. The outline of a
-- file is the same from its tokens and from its words.

local core = require "ecs.core"
local lexer = require "ecs.compile.lexer"
local outline = require "ecs.compile.outline"

local function read_all(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

--- As assert, which is too slow for every token.
local function check(true_here, where)
  if not true_here then error(where, 2) end
end

--- What stands between tokens: blanks and comments alone.
local function assert_blank(text, where)
  if not text:find("-", 1, true) then
    return check(not text:find("%S"), where)
  end
  local rest = text:gsub("%-%-%[(=*)%[.-%]%1%]", "")
  rest = rest:gsub("%-%-[^\r\n]*", "")
  check(rest:find("^%s*$"), where .. ": " .. text)
end

--- The number of line breaks in a text.
local function count_breaks(text)
  if not text:find("[\r\n]") then return 0 end
  local both = "\1"
  text = text:gsub("\r\n", both):gsub("\n\r", both)
  return select(2, text:gsub("[\1\r\n]", ""))
end

local function assert_tokens(text, where)
  local tokens = assert(lexer.read(text), where)
  local stop, line = 0, 1
  for k = 1, tokens.count do
    local kind, value = tokens.kinds[k], tokens.values[k]
    local start = tokens.starts[k]
    local own = text:sub(start, tokens.stops[k])
    check(start > stop and tokens.stops[k] >= start, where)
    assert_blank(text:sub(stop + 1, start - 1), where)
    line = line + count_breaks(text:sub(stop + 1, start - 1))
    check(line == tokens.lines[k], where)
    line = line + count_breaks(own)
    stop = tokens.stops[k]
    if kind == "name" then
      check(own == value, own)
    elseif kind == "number" then
      check(tonumber(own) == value, own)
    elseif kind == "string" then
      check(own:find("^[\"'%[].*[\"'%]]$"), own)
    else
      check(own == kind and value == nil, own)
    end
  end
  assert_blank(text:sub(stop + 1), where)
  assert.equal("end of text", tokens.kinds[tokens.count + 1])
  assert.equal(#text + 1, tokens.starts[tokens.count + 1])
end

local files = {}
for _, folder in ipairs { "scripts/ecs", "scripts/ecs/compile",
                          "spec/lua/compile" } do
  local list = assert(io.popen("ls " .. folder .. "/*.lua"))
  for path in list:lines() do files[#files + 1] = path end
  list:close()
end

describe("the tokens of a text", function()
  it("are all of it, in order", function()
    assert.is_true(#files > 50)
    for _, path in ipairs(files) do assert_tokens(read_all(path), path) end
  end)

  it("are these", function()
    local text = "local a<const> =0x1p-2 ..'\\'\\\n'--[==[ \n ]] ]==]"
      .. "x.y1~=[=[\n]]]=]...<<>>//::>=<= goto end2 5..--"
    local tokens = lexer.read(text)
    local kinds = { "local", "name", "<", "name", ">", "=", "number", "..",
      "string", "name", ".", "name", "~=", "string", "...", "<<", ">>", "//",
      "::", ">=", "<=", "goto", "name", "number", "end of text" }
    local lines = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 4 }
    assert.are.same(kinds, tokens.kinds)
    for k, line in ipairs(lines) do assert.equal(line, tokens.lines[k]) end
    assert.equal(0.25, tokens.values[7])
    assert.is_false(tokens.values[24])
  end)

  it("are none where a string or a text does not end", function()
    for _, text in ipairs { "'", '"a', "x = 'a\\'", "'\\", '"\\"' } do
      assert.is_nil(lexer.read(text))
    end
    assert.equal("[", lexer.read("[==[ ]=]").kinds[1])
    assert.equal(0, lexer.read("--[[ \n ").count)
    assert.equal(0, lexer.read("").count)
    assert.equal(0, lexer.read("# x = 1").count)
  end)

  it("are those of a part, with the lines of the whole", function()
    local text = read_all "scripts/ecs/compile/lexer.lua"
    local all = lexer.read(text)
    for first = 1, all.count, 7 do
      local last = math.min(first + 20, all.count)
      local part = lexer.read(text, all.starts[first], all.lines[first],
        all.stops[last])
      check(last - first + 1 == part.count, first)
      for k = 1, part.count do
        for _, what in ipairs { "kinds", "values", "lines", "starts", "stops" }
        do
          check(all[what][first + k - 1] == part[what][k], first)
        end
      end
    end
  end)

  it("may be of any bytes", function()
    local seed = 12345
    local function random(most)
      seed = seed * 16807 % 2147483647
      return seed % most + 1
    end
    local odd = "[]=-\"'\\\n\r.0xe+<>~/: \t\0\128\255aP1;"
    local source = read_all "spec/lua/compile/source_spec.lua"
    for _ = 1, 3000 do
      local start = random(#source - 200)
      local text = source:sub(start, start + random(150))
      for _ = 1, random(5) - 1 do
        local at, byte = random(#text), random(#odd)
        text = text:sub(1, at - 1) .. odd:sub(byte, byte)
          .. text:sub(at + random(2) - 1)
      end
      local tokens = lexer.read(text)
      local stop = 0
      for k = 1, tokens and tokens.count or 0 do
        check(tokens.starts[k] > stop, text)
        stop = tokens.stops[k]
        check(stop >= tokens.starts[k] and stop <= #text, text)
      end
    end
  end)

  it("refuse arguments of the wrong kind", function()
    for _, wrong in ipairs { { 1, 1, 1 }, { "x", 0, 1, 1, {}, tonumber },
        { "x", {}, 1, 1, {}, tonumber }, { "x", 1, 1, 1, 5, tonumber },
        { "5", 1, 1, 1, {}, "no function" } } do
      assert.is_false((pcall(core.read_tokens, wrong[1], wrong[2], wrong[3],
        wrong[4], wrong[5], wrong[6])))
    end
    assert.is_true((pcall(core.read_tokens, "x", 5, 1, 99, {}, tonumber)))
    assert.is_true((pcall(core.read_tokens, "x", 1, 1, -5, {}, tonumber)))
  end)
end)

describe("the outline of a text", function()
  it("is the same by its words and by its tokens", function()
    for _, path in ipairs(files) do
      local text = read_all(path)
      if not text:find("const", 1, true) then
        assert.are.same(outline.read(text), outline.read(text .. "\n--const"))
      end
    end
    local text = "local s = 'end function' --[[ do ]] x = 0xend\n"
      .. "function f() return [==[\nfunction]==] end repeat until x\n"
    local functions = outline.read(text).functions
    assert.are.same(functions, outline.read(text .. "--const").functions)
    assert.equal(1, #functions[2])
    assert.equal(3, functions[2][1].last_line)
  end)
end)
