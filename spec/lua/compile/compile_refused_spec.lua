-- Functions that cannot be compiled: with compile = true the error says what is
-- outside the subset, and at which line.

local ecs = require "ecs"

local V = ecs.component("CompileV", { x = "f32", y = "f32" })

local list, count = { 1, 2 }, 0
local text = "a"
local function recursive(x) return recursive(x - 1) end

local outside = {
  { function(v) for _, x in next, list do v.x = x end end, "iterator" },
  { function(v) for k = 1, v do v.y = k end end, "a loop of a row" },
  { function(v) for k = 1, 9, 0 do v.y = k end end, "a loop with step 0" },
  { function(v) local t = {} v.x = t[v.x] end, "a key that is computed" },
  { function(v) local t = {} v.x = t.x end, "of 't.x', which is nil" },
  { function(v) local f = function() end v.x = f end, "of a function" },
  { function() function list.f() end end, "a function that is no local one" },
  { function(v) list[1] = v.x end, "'list', which is a table" },
  { function(v) v.x = #text end, "the length of a string" },
  { function(v) v.x = tostring(v.x) .. "a" end, "joining strings" },
  { function(v) v.x = "a" end, "an assignment to CompileV.x of a string" },
  { function() count = 1 * count + 1 end, "no local variable" },
  { function(v) v.x = recursive(v.x) end, "calls itself" },
  { function(v) v.z = 1 end, "'z' of CompileV, which has no such field, " },
  { function(v) v.x = true end, "an assignment to CompileV.x of a boolean" },
  { function(v) v.x = v.x + nil end, "of nil" },
  { function(v) print(v.x) end, "written in C" },
  { function(v) v.x = math.random() end, "math.random" },
  { function(v) v.x = text + 1 end,
    "'+' of 'text', which is a string" },
  { function(v) return v.x end, "a value returned" },
  { function(v) local x if v.x > 1 then x = 1 end v.y = x + 1 end,
    "may be nil", "whole" },
  { function(v) local x = 1 if v.x > 1 then x = true end v.y = x end,
    "a boolean on one path and a number on another" },
  { function(v) v.x = "a" + 1 end, "'+' of a string" },
  { function(v, _, e) local x = e and v.x > 0 and v.y
    if x == nil then v.x = 1 end end, "that may be false" },
  { function(v) v.x = math.log(v.x, 2) end, "math.log with a base" },
  { function(...) local v = ... v.x = 1 end, "..." },
}

describe("what cannot be compiled", function()
  for k, case in ipairs(outside) do
    it(k .. ": says " .. case[2], function()
      local world = ecs.world {}
      local done, message = pcall(function()
        world:system { name = "s", query = { V }, compile = case[3] or true,
                       each = case[1] }
      end)
      assert.is_false(done)
      assert.truthy(message:find "refused_spec.lua:%d+: ecs: system 's': ",
        message)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find("cannot be compiled: ", 1, true), message)
      assert.are.equal(0, world:stats().systems)
    end)
  end

  it("says why a function's source is not known", function()
    local loads = rawget(_G, "loadstring") or load
    local function told(f, words, remedy)
      local done, message = pcall(function()
        ecs.world({}):system { name = "s", query = { V }, compile = true,
                               each = f }
      end)
      assert.is_false(done)
      assert.truthy(message:find(words .. " cannot be compiled: "
        .. (remedy or "give the system's function as text, or ship the file "
        .. "that it was loaded from, as it was"), 1, true), message)
    end
    local known = "return function(v) v.x = 1 end"
    told(loads(known, "=nowhere")(),
      "a function with a source that cannot be read")
    told(loads(known, "@/no/such/file.lua")(),
      "a function with a source that cannot be read")
    told(loads(known, "return function(v) v.x = 2 end")(),
      "a function with a source that is not what was loaded")
    local inner = loads("return function(v) return 1 end", "=nowhere")()
    told(function(v) v.x = inner(v) end,
      "a call of 'inner', a function with a source that cannot be read,",
      "write its lines in the system's function, or keep it in a file that is "
      .. "shipped as it was; where load makes it of a text, pass the text "
      .. "without a name for it")
    -- What the remedy says works.
    local named = loads("return function(n) return n + 1 end")()
    local world = ecs.world {}
    world:system { name = "s", query = { V }, compile = "whole",
                   each = function(v) v.x = named(v.x) end }
    world:close()
  end)

  it("is a function from a file that has changed", function()
    local path = os.tmpname()
    local function write(source)
      local file = assert(io.open(path, "w"))
      file:write(source)
      file:close()
    end
    local source = "return function(v)\n  local k = 2\n"
      .. "  v.x = v.x * k + 1\nend\n"
    local tried = 0
    for at = 1, #source do
      write(source)
      local f = assert(loadfile(path))()
      local old = source:sub(at, at)
      local new = old == "2" and "3" or old == "*" and "+" or old == "\n"
        and "\n\n" or old == "x" and "y" or old == "1" and "4" or old == "k"
        and "v" or old == "+" and "-"
      if new then
        tried = tried + 1
        write(source:sub(1, at - 1) .. new .. source:sub(at + 1))
        local world = ecs.world {}
        local e = world:spawn(V { x = 5 })
        local done = pcall(world.system, world, { name = "s", query = { V },
          compile = true, each = f })
        -- After any edit, either the loaded function runs or none does.
        if done then
          world:progress(1)
          assert.are.equal(11, world:get(e, V, "x"))
        end
      end
    end
    os.remove(path)
    assert.is_true(tried > 10)
  end)
end)
