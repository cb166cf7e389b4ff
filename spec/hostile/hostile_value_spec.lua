-- Values under attack: whatever a script does to one, with the debug library or
-- without, is an error or harmless. On LuaJIT a value is C data, and so is much
-- that is no value. Everything is repeated, so that LuaJIT compiles it.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local ROUNDS = 60

local Few = ecs.component("HostileFew", { x = "f32", y = "f32" })
local Some = ecs.component("HostileSome", {
  a = "f64", b = "f64", c = "f64", d = "f64", e = "f64", f = "f64",
})
local many = {}
for k = 1, 40 do many["f" .. k] = "f64" end
local Most = ecs.component("HostileMost", many)
local Tag = ecs.tag "HostileTag"

local load = rawget(_G, "loadstring") or load

-- What can be tried with a value by the operators and functions of Lua. Those
-- that a VM cannot read are left out.
local attempts = {}
for _, text in ipairs {
  "v + 1", "1 + v", "v + v", "v - v", "v * 2", "v / v", "v % 3", "v ^ 2", "-v",
  "v .. 'x'", "'x' .. v", "v .. v", "#v", "v()", "v(1, v)", "v{}", "v < v",
  "v < 1", "1 <= v", "v > 'x'", "v == 1", "v ~= nil", "v == v", "v + 1LL",
  "1LL == v", "v < 1ULL", "v // 1", "v & 1", "v << v", "~v",
  "next(v)", "pairs(v)", "ipairs(v)", "rawget(v, 1)", "rawset(v, 1, 2)",
  "rawequal(v, 1)", "setmetatable(v, {})", "getmetatable(v)", "tonumber(v)",
  "tonumber(v, 10)", "tostring(v)", "select(v, 1)", "unpack(v)", "load(v)",
  "error(v)", "type(v)", "assert(v)", "pcall(v)", "math.floor(v)",
  "math.max(1, v)", "string.rep('x', v)", "string.format('%d', v)",
  "string.format('%s', v)", "string.format('%g', v)", "string.format('%q', v)",
  "string.byte(v)", "table.concat { v }", "table.concat({ 1, 2 }, v)",
  "table.insert({}, v, 1)", "table.sort { v, v, v }", "bit.band(v, 1)",
  "bit.tobit(v)", "bit.lshift(1, v)", "coroutine.wrap(v)", "os.date(v)",
  "io.write(v)", "(function() for i = v, 2 do return i end end)()",
  "(function() for x in v do return x end end)()", "{ [v] = 1 }[v]",
  "v[1]", "v[0]", "v[-1]", "v[1e9]", "v[1LL]", "v[v]", "v[nil]", "v[{}]",
  "v.x", "v.image", "v['']", "v['\\0']", "v.__index", "v:x()",
  "(function() v.x = 1 end)()", "(function() v[1] = 1 end)()",
  "(function() v[''] = nil end)()", "debug.setmetatable(v, nil)",
  "debug.getuservalue(v)", "debug.setuservalue(v, {})", "debug.getfenv(v)",
  "debug.setfenv(v, {})", "debug.getinfo(v)", "collectgarbage(v)",
} do
  local chunk = load("local v = ... return " .. text)
  -- These would stay changed, or end the values' metatables.
  if not text:find("debug.setmetatable", 1, true) and chunk then
    attempts[#attempts + 1] = chunk
  end
end

--- Calls with a value where it has no place, and with C data in place of one.
local function call_all(world, e, thing)
  pcall(world.spawn, world, thing)
  pcall(world.spawn, world, Tag, thing)
  pcall(world.spawn, world, Few, thing)
  pcall(world.spawn, world, thing, { x = 1 })
  pcall(world.spawn, world, thing, thing)
  pcall(world.spawn_many, world, 2, { thing })
  pcall(world.set, world, e, thing)
  pcall(world.set, world, e, thing, "x", 1)
  pcall(world.set, world, e, Few, thing)
  pcall(world.set, world, e, Few, "x", thing)
  pcall(world.set, world, thing, Few, "x", 1)
  pcall(world.add, world, e, thing)
  pcall(world.add, world, e, Few, thing)
  pcall(world.get, world, e, thing)
  pcall(world.get, world, thing, Few)
  pcall(world.has, world, e, thing)
  pcall(world.remove, world, e, thing)
  pcall(world.destroy, world, thing)
  pcall(world.query, world, thing)
  pcall(world.query, world, { thing })
  pcall(world.query, world, { [thing] = 1 })
  pcall(world.getter, world, thing)
  pcall(world.setter, world, thing, "x")
  pcall(world.tester, world, thing)
  pcall(world.spawner, world, thing)
  pcall(Few, thing)
  pcall(Few, { x = thing })
  pcall(Few, { [thing] = 1 })
  pcall(ecs.component, thing)
  pcall(ecs.world, thing)
  pcall(tostring, thing)
end

--- Are worlds and values as they should be?
local function works(world)
  local e = world:spawn(Few { x = 3 }, Some { f = 4 }, Most { f9 = 5 })
  assert.equal(3, world:get(e, Few, "x"))
  assert.equal(4, world:get(e, Some, "f"))
  assert.equal(5, world:get(e, Most, "f9"))
  world:set(e, Few { y = 2 })
  assert.same({ x = 3, y = 2 }, world:get(e, Few))
  world:destroy(e)
end

describe("a value", function()
  it("survives every operator and function", function()
    local world = ecs.world {}
    assert.is_true(#attempts > 80)
    for _, value in ipairs { Few { x = 1 }, Some { a = 1 }, Most { f1 = 1 } } do
      local text = tostring(value)
      for _, attempt in ipairs(attempts) do
        for _ = 1, ROUNDS do pcall(attempt, value) end
      end
      assert.equal(text, tostring(value))
    end
    works(world)
  end)

  it("survives calls where it has no place", function()
    local world = ecs.world {}
    for _ = 1, ROUNDS do
      local e = world:spawn(Few)
      for _, value in ipairs { Few { x = 1 }, Some {}, Most {} } do
        call_all(world, e, value)
      end
    end
    works(world)
    world:close()
    call_all(world, 1, Few {})
  end)

  it("that is not finished is none", function()
    -- A hook sees every variable of the library, a struct that is empty too.
    local world, caught = ecs.world {}, {}
    local function grab()
      for level = 2, 4 do
        if not debug.getinfo(level, "l") then return end
        for k = 1, 30 do
          local name, value = debug.getlocal(level, k)
          if not name then break end
          local kind = type(value)
          if kind == "cdata" or kind == "userdata" then
            caught[#caught + 1] = value
          end
        end
      end
    end
    for _ = 1, 3 do
      debug.sethook(grab, "", 1)
      local few, most = Few { x = 1 }, Most { f1 = 1 }
      pcall(Few, { x = "no" })
      pcall(Most, { f1 = "no" })
      debug.sethook()
      assert.truthy(few and most)
    end
    local seen, e = {}, world:spawn(Few)
    for k, thing in ipairs(caught) do
      local key = type(thing) == "cdata" and k % 50 or thing
      if not seen[key] then
        seen[key] = true
        call_all(world, e, thing)
      end
    end
    works(ecs.world {})
  end)

  it("is whole though a hook makes others in between", function()
    local world, hooks = ecs.world {}, 0
    local e, busy = world:spawn(Few), false
    local function interfere()
      if busy then return end
      busy, hooks = true, hooks + 1
      world:spawn(Some { a = hooks }, Few, { x = hooks }, Most {})
      world:set(e, Few { x = hooks })
      world:set(e, Few, { y = hooks })
      collectgarbage "step"
      busy = false
    end
    for _ = 1, 8 do
      debug.sethook(interfere, "", 5)
      local value = Few { x = 1 }
      local made = world:spawn(value, Some { f = 4 }, Most { f9 = 5 }, Tag)
      local table_made = world:spawn(Few, { y = 6 }, Tag, Some, { f = 7 })
      world:set(made, value)
      debug.sethook()
      assert.equal("HostileFew { x = 1 }", tostring(value))
      assert.equal(1, world:get(made, Few, "x"))
      assert.is_true(world:has(table_made, Tag))
    end
    assert.is_true(hooks > 20)
    works(world)
  end)

  it("has its own numbers wherever a hook sets others", function()
    local world, hooks, busy = ecs.world {}, 0, false
    local e = world:spawn(Few)
    local function set()
      if busy then return end
      busy, hooks = true, hooks + 1
      world:set(e, Few, { x = 7 })
      world:set(e, Few, "x", 8, "y", 9)
      busy = false
    end
    for instructions = 1, 40 do
      debug.sethook(set, "", instructions)
      local value = Few { x = 1, y = 2 }
      debug.sethook()
      assert.equal("HostileFew { x = 1, y = 2 }", tostring(value))
    end
    assert.is_true(hooks > 0)
  end)

  it("cannot be made by another's functions", function()
    local core = package.loaded["ecs.core"]
    local world = ecs.world {}
    for _, thing in ipairs { false, true, print, {}, Few {}, 1 } do
      pcall(core.values_by, thing, thing)
      pcall(core.values_by, print, function() return 64 end)
      pcall(core.value_calls, thing)
    end
    assert.is_nil((core.values_by(print, print)))
    assert.is_nil((core.value_calls()))
    works(world)
  end)

  it("is not made of what upvalues of its maker take", function()
    local meta = debug.getmetatable(Few)
    local make = meta.__call
    for k = 1, 30 do
      local name, f = debug.getupvalue(make, k)
      if not name then break end
      if type(f) == "function" then
        for _, thing in ipairs { Few {}, Some {}, Most {}, io.stdout, {}, 1 } do
          pcall(f, Few, { x = 1 }, thing)
          pcall(f, Most, { f1 = 1 }, thing)
          pcall(f, Tag, { f1 = 1 }, thing)
          pcall(f, thing, { f1 = 1 }, thing)
          pcall(f, thing)
        end
      end
    end
    works(ecs.world {})
  end)
end)

describe("C data that is no value", function()
  local ffi = rawget(_G, "jit") and select(2, pcall(require, "ffi"))
  local is_there = type(ffi) == "table"

  --- Things of LuaJIT that are C data.
  local function foreign()
    local list = { load("return 1LL")(), load("return 2ULL")(),
      load("return 1i")(), ffi.new "char", ffi.new("char[3]"),
      ffi.new "struct { int x; }", ffi.new "struct { int64_t v[9]; }",
      ffi.new "void *", ffi.cast("void *", 8), ffi.typeof "int",
      ffi.typeof "struct { int64_t v[9]; }", ffi.C }
    for words = 1, 20 do
      list[#list + 1] = ffi.new("int64_t[?]", words)
      list[#list + 1] = ffi.new("struct {" .. ("int32_t :32;"):rep(2 * words)
        .. "}")
    end
    return list
  end

  it("is refused as anything else is", function()
    if not is_there then return end
    local world = ecs.world {}
    local e = world:spawn(Few)
    for _, thing in ipairs(foreign()) do
      local word = type(thing)
      for _ = 1, ROUNDS do
        support.refuses(function() world:spawn(thing) end,
          "spawn takes a component, a tag or a value", "not a " .. word)
        support.refuses(function() world:spawn(Few {}, thing) end,
          "not a " .. word)
        support.refuses(function() world:set(e, thing) end, "not a " .. word)
        support.refuses(function() world:add(e, thing) end, "not a " .. word)
      end
      call_all(world, e, thing)
    end
    works(world)
  end)

  it("is refused with any metatable", function()
    if not is_there then return end
    local number = load("return 1LL")()
    local meta = debug.getmetatable(number)
    local index, call = meta.__index, meta.__call
    local world = ecs.world {}
    local e = world:spawn(Few)
    local value = Few { x = 1 }
    meta.__index = function() return value end
    for _ = 1, ROUNDS do
      call_all(world, e, number)
      call_all(world, e, value)
    end
    meta.__index, meta.__call = index, call
    works(world)
  end)
end)
