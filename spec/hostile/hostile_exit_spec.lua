-- What rows that take a side exit do to break the run that they are in: it goes
-- on, or ends, as plain Lua would.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local Place = ecs.component("ExitPlace", { x = "f64", n = "i32" })
local Other = ecs.component("ExitOther", { a = "f64", b = "f64", c = "f64" })
local Made = ecs.component("ExitMade", { v = "f64" })

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

local attacks = {
  error = function() error("boom", 0) end,
  close = function(world) world:close() end,
  ["close, protected"] = function(world) pcall(world.close, world) end,
  progress = function(world) pcall(world.progress, world, 1) end,
  clear = function(world) pcall(world.clear, world) end,
  ["define again"] = function(world)
    pcall(world.system, world, { name = "s", query = { Place },
      each = function(p) p.x = 0 end })
  end,
  ["remove the system"] = function(world) pcall(world.remove_system, world, "s")
    collectgarbage()
  end,
  ["the same query"] = function(world, log)
    log[#log + 1] = select(2, pcall(function()
      world:query({ Place }):each(function(p) p.x = 1 end)
    end))
  end,
  ["spawn many"] = function(world) world:spawn_many(300, { Made }) end,
  ["destroy rows ahead"] = function(world, _, e)
    for k = 0, 30 do pcall(world.destroy, world, e + k) end
  end,
  ["add to rows ahead"] = function(world, _, e)
    for k = 0, 30 do pcall(world.add, world, e + k, Made) end
  end,
  group = function(world) pcall(world.group, world, { Place, Made }) end,
  yield = function() pcall(coroutine.yield) end,
  collect = function() collectgarbage() end,
}

-- What three frames do. Every third row spawns in C.
local function run(attack, compile)
  local world, log = ecs.world { precision = "double" }, {}
  for k = 1, 300 do world:spawn(Place { x = k, n = k }) end
  local sum = world:sum "hostile_exit"
  world:system { name = "s", query = { Place }, compile = compile,
    each = function(p, dt, e)
      p.x = p.x + dt
      sum:add(p.x)
      if p.n % 3 == 1 then world:spawn(Made { v = p.x }) end
      if p.n % 60 == 50 then
        log[#log + 1] = e
        attack(world, log, e)
      end
    end }
  for _ = 1, 3 do
    local _, problem = pcall(world.progress, world, 0.25)
    log[#log + 1] = tostring(problem):match "^[^\n]*"
  end
  log[#log + 1] = world:hash()
  log[#log + 1] = world:query({ Made }):count()
  log[#log + 1] = sum:value()
  world:close()
  return table.concat(log, "\n")
end

describe("a row that takes a side exit", function()
  for name, attack in pairs(attacks) do
    it("does to its run what it does in plain Lua: " .. name, function()
      assert.equal(run(attack, false), run(attack, true))
    end)
  end
end)

describe("the function behind side exits", function()
  local text = [[
column c0 "ExitPlace" "x" f64 write
v0 = load f64 c0
v1 = constant f64 50
v2 = eq f64 v0 v1
exit v2
store c0 v1
]]
  local world, query, program
  before_each(function()
    world = ecs.world {}
    for k = 1, 50 do world:spawn(Place { x = k % 2 * 50 }) end
    for k = 1, 50 do world:spawn(Other { c = k }) end
    query = core.query(world, { Place, "write" }, "q")
    program = core.program(world, query, text, {}, {})
  end)
  after_each(function() world:close() end)

  local function refused(wanted, f, source)
    local called, done, _, problem =
      pcall(core.run_exits, query, f, 1, source)
    assert.is_true(called)
    assert.is_false(done)
    assert.truthy(tostring(problem):find(wanted, 1, true), problem)
  end

  it("takes no program of another query", function()
    local others = core.query(world, { Other, "write" }, "others")
    local wrong = core.program(world, others, [[
column c0 "ExitOther" "c" f64 write
v0 = load f64 c0
v1 = lt f64 v0 v0
exit v1
store c0 v0
]], {}, {})
    refused("of another query", error, { "s", wrong, {}, false })
  end)

  it("keeps its program", function()
    local source, calls = { "s", program, {}, false }, 0
    program = nil
    assert.is_true(core.run_exits(query, function()
      calls = calls + 1
      source[2] = nil
      collectgarbage()
      collectgarbage()
    end, 1, source))
    assert.equal(25, calls)
  end)

  it("goes on as plain Lua where its program was dropped", function()
    for _, renew in ipairs { false, function() return program, {} end } do
      local calls = 0
      world:clear()
      for k = 1, 50 do world:spawn(Place { x = k % 2 * 50 }) end
      program = core.program(world, query, text, {}, {})
      assert.is_true(core.run_exits(query, function()
        calls = calls + 1
        core.drop_program(program)
      end, 1, { "s", program, {}, renew }))
      assert.equal(50, calls)
    end
  end)
end)
