-- Lua 5.4 puts the value of `local name <const> = 5` into the code of functions
-- that use it, so there is neither an upvalue nor a global to read. The
-- compiler has to find the value in the text. LuaJIT has no such variables, so
-- it has no tests here.

local ecs = require "ecs"

local V = ecs.component("ConstantV", { x = "f32", y = "f32" })

local function load_text(text)
  return (rawget(_G, "loadstring") or load)(text)
end

--- The value that a chunk's function leaves in y, as plain Lua and compiled; or
-- the message.
local function run(text)
  local results = {}
  for k, compiled in ipairs { false, true } do
    local world = ecs.world {}
    local e = world:spawn(V { x = 2 })
    local done, problem = pcall(world.system, world, { name = "s",
      query = { V }, compile = compiled, each = assert(load_text(text))() })
    if not done then return problem end
    world:progress(1)
    results[k] = world:get(e, V, "y")
  end
  return results[1], results[2]
end

local known = {
  { "a number", "local K <const> = 5 return function(v) v.y = v.x * K end",
    10 },
  { "a negative one", [[local K <const> = -0x10
    return function(v) v.y = v.x + K end]], -14 },
  { "a boolean", [[local debug <const> = true
    return function(v) if debug then v.y = 1 end end]], 1 },
  { "an expression", [[local K <const> = -(2 + 3) * 0x10 // 7 ~ 3
    return function(v) v.y = K end]], -9 },
  { "a fraction", [[local K <const>, L <const> = 1, 2 local A <const> = 3 / 2
    return function(v) v.y = A end]], 1.5 },
  { "one of others", [[local A <const> = 5 do local A <const> = 1 end
    local B <const> = 0.5 local K <const> = A * 60 + B - A ^ 2
    return function(v) v.y = K end]], 275.5 },
  { "false", [[local debug <const> = false;
    return function(v) v.y = debug and 1 or 2 end]], 2 },
  { "nil", [[local missing <const> = nil
    return function(v) if missing == nil then v.y = 3 end end]], 3 },
  { "the innermost", [[local K <const> = 1
    do local K <const> = 2
      do local K <const> = 3 end
      if K then local K <const> = 4 else local K <const> = 5 end
      return function(v) v.y = K end
    end]], 2 },
  { "one of a block that is closed, which is a global then",
    [[do local ConstantK <const> = 1 end
    return function(v) if ConstantK then v.y = 1 else v.y = 7 end end]], 7 },
  { "one that a variable hides", [[local K <const> = 1
    return (function(K) return function(v) v.y = K end end)(8)]], 8 },
  { "a table, which is a variable like others", [[local t <const> = { k = 9 }
    return function(v) v.y = t.k end]], 9 },
  { "in a function that is called", [[local K <const> = 3
    local function twice(x) return x * 2 + K end
    return function(v) v.y = twice(v.x) end]], 7 },
  { "inside the function", [[return function(v)
    local K <const>, L = v.x, 1
    v.y = K + L end]], 3 },
}

local refused = {
  { "a string", [[local K <const> = "a" return function(v)
    if K < "b" then v.y = 1 end end]] },
  { "one of several", [[local J <const>, K <const> = 1, 2
    return function(v) v.y = K end]] },
}

if load_text("local x <const> = 1") then
  describe("a constant of Lua's own", function()
    for _, case in ipairs(known) do
      it("is understood: " .. case[1], function()
        local plain, compiled = run(case[2])
        assert.are.equal(case[3], plain)
        assert.are.equal(case[3], compiled)
      end)
    end

    for _, case in ipairs(refused) do
      it("is refused, not guessed: " .. case[1], function()
        local text = run(case[2])
        assert.truthy(tostring(text):find("leave out its <const>", 1, true),
          text)
      end)
    end

    it("may not be one that is closed", function()
      local text = run [[return function(v) local k <close> = nil v.y = 1 end]]
      assert.truthy(text:find("a variable that is to be closed", 1, true), text)
    end)
  end)
end
