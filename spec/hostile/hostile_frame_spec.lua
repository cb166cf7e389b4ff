-- What a script does to break frames ends in plain errors.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local function nothing() end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy

describe("the functions behind frames", function()
  local world, entity
  before_each(function()
    world = ecs.world {}
    entity = world:spawn(Position)
    world:destroy(world:spawn(Enemy)) -- which makes it meet this definition
  end)

  -- Nothing is open in the world, and nothing is recorded.
  local function check_free()
    entity = world:spawn(Position)
    world:add(entity, Enemy)
    assert.is_true(world:has(entity, Enemy))
    world:remove(entity, Enemy)
    world:progress(1)
    world:clear()
    entity = world:spawn(Position)
  end

  it("close what they opened, whatever they call", function()
    local callees = {
      nothing,
      error,
      function() return true end,
      function() return false end,
      function() return nil, nil, {} end,
      function() return 1, 2, 3, 4, 5 end,
      function() coroutine.yield() end,
      function() error {} end,
      function() error(nil) end,
      function() local function deep() return 1 + deep() end deep() end,
      function() world:close() end,
      function() world:clear() end,
      function() core.record(world, nothing) end,
      function() core.frame(world, "inner", true, nothing) end,
      function() core.record(world, error) end,
      function()
        world:add(entity, Enemy)
        core.record(world, function()
          world:destroy(entity)
          error "inner"
        end)
        return true
      end,
    }
    for k, callee in ipairs(callees) do
      pcall(core.record, world, callee)
      if not core.live(world) then error("closed by record of " .. k) end
      check_free()
      pcall(core.frame, world, "test", true, callee, world, 1, {})
      check_free()
      if k ~= 11 then
        pcall(core.frame, world, "test", false, callee)
        check_free()
      end
    end
    -- Lua frees a grown stack in several collections.
    for _ = 1, 10 do collectgarbage() end
  end)

  it("apply what a callee that says true recorded, and nothing else", function()
    local results = { core.record(world, function()
      world:add(entity, Enemy)
      return true
    end) }
    assert.is_true(results[1])
    assert.is_true(world:has(entity, Enemy))
    for _, callee in ipairs { nothing, error, function() return false end } do
      core.record(world, function(...)
        world:destroy(entity)
        return callee(...)
      end)
      assert.is_true(world:alive(entity))
    end
  end)

  it("take no garbage", function()
    local things = { 0, "", true, {}, nothing, world, Position, entity,
      world:query { Position } }
    for _, a in ipairs(things) do
      for _, b in ipairs(things) do
        if b ~= nothing then
          assert.is_false((pcall(core.record, a, b)))
          assert.is_false((pcall(core.frame, a, "x", b)))
          assert.is_false((pcall(core.frame, a, "x", true, b)))
        end
      end
      if a ~= world then
        for _, name in ipairs { "record", "frame", "statistics", "storage" } do
          assert.is_false((pcall(core[name], a, nothing, true, nothing)))
        end
      end
    end
    check_free()
  end)

  it("nest to a named limit", function()
    local depth, message = 0, nil
    local function deeper()
      depth = depth + 1
      local done, _, text = core.record(world, deeper)
      if not done and not message then message = text end
      return done
    end
    core.record(world, deeper)
    assert.is_true(depth > 10 and depth < 1000)
    assert.truthy(message:find("limit", 1, true), message)
    check_free()
  end)

  it("make a state where there is none, as in a host's world", function()
    local bare = core.world()
    assert.truthy(bare:explain():find("phase update: 0 systems", 1, true))
    for _, call in ipairs {
      function(made) made:progress(1) end,
      function(made) made:run("update", 1) end,
      function(made) return made:stats() end,
      function(made) made:system { name = "s", run = nothing } end,
    } do
      bare = core.world()
      call(bare)
      assert.is_true(bare:stats().frames <= 1)
    end
    assert.equal(1, bare:stats().systems)
  end)

  it("find a state that a script has spoiled", function()
    for _, key in ipairs { "systems", "named", "phases", "ranks", "tick" } do
      for _, wrong in ipairs { false, 1, "x", { 1 } } do
        local spoiled = ecs.world {}
        spoiled:system { name = "s", run = nothing }
        core.state(spoiled)[key] = wrong
        pcall(spoiled.progress, spoiled, 1)
        pcall(spoiled.run, spoiled, "update", 1)
        pcall(spoiled.explain, spoiled)
        pcall(spoiled.stats, spoiled)
        spoiled:close()
      end
    end
    check_free()
  end)
end)

describe("a finalizer that closes the world", function()
  local ROUNDS = os.getenv "ECS_SPEC_SHORT" and 20 or 75
  local run, calm
  before_each(function() run, calm = support.at_allocations() end)
  after_each(function() calm() end)

  local calls = {
    explain = function(world) world:explain() end,
    ["explain of a system"] = function(world) world:explain("s") end,
    stats = function(world) world:stats() end,
    run = function(world) world:run("last", 1) end,
    progress = function(world) world:progress(1) end,
    system = function(world)
      world:system { name = "t", query = { Enemy }, batch = nothing }
    end,
    enable = function(world) world:enable("s", false) end,
    remove_system = function(world) world:remove_system("s") end,
  }

  for name, call in pairs(calls) do
    it("may come at any moment of " .. name, function()
      -- Closes the world in the n-th finalizer, which may come after the call.
      local closed = 0
      local function close_at(n, flush)
        local world = ecs.world { flush = flush }
        world:spawn(Position)
        world:system { name = "r", run = function()
          return { world:spawn(Position { x = 1 }) }
        end }
        world:system { name = "s", query = { Position }, batch = nothing }
        local count, ok, text = run(function(k)
          if k == n and pcall(world.close, world) then closed = closed + 1 end
        end, call, world)
        assert.is_true(ok or text:find("closed", 1, true) ~= nil, text)
        return count
      end
      for _, flush in ipairs { "system", "frame" } do
        local count = close_at(nil, flush)
        for round = 1, ROUNDS do
          close_at(math.ceil(round * count / ROUNDS), flush)
        end
      end
      assert.is_true(closed > 0)
    end)
  end
end)

-- A finalizer may run wherever Lua allocates. Here its work is done at the n-th
-- call of a function of these files, for every n, so that no place is missed.
describe("a finalizer that changes the systems", function()
  local files = { "schedule", "compile/specialize", "explain" }

  -- Machine code of LuaJIT calls no hooks.
  local jit = rawget(_G, "jit")
  local compiles = jit and jit.status()
  before_each(function()
    if compiles then
      jit.off()
      jit.flush()
    end
  end)
  after_each(function() if compiles then jit.on() end end)

  local calls = {
    progress = function(world) world:progress(1) end,
    explain = function(world) world:explain() end,
    ["explain of a system"] = function(world) world:explain("moves") end,
    system = function(world)
      world:system { name = "moves", query = { Position }, batch = nothing }
    end,
    remove_system = function(world) world:remove_system("moves") end,
  }

  local ran
  local function define(world, name)
    world:system { name = name, after = "first", run = function()
      ran[name] = (ran[name] or 0) + 1
    end }
  end

  local function move(p, dt) p.x = p.x + dt end

  local function make_world()
    local world = ecs.world {}
    world:system { name = "first", run = nothing }
    world:system { name = "moves", query = { Position }, each = move }
    for k = 1, 3 do define(world, "r" .. k) end
    return world
  end

  --- Calls f, and meddle at the n-th call in one of the files. Returns whether
  -- meddle was called, and the results of f.
  local function call_with(n, meddle, f, world)
    local function hook()
      local source = debug.getinfo(2, "S").source
      for _, file in ipairs(files) do
        if source:find("ecs/" .. file .. ".lua", 1, true) then n = n - 1 end
      end
      if n > 0 then return end
      debug.sethook()
      meddle(world)
    end
    debug.sethook(hook, "c")
    local ok, text = pcall(f, world)
    debug.sethook()
    return n <= 0, ok, text
  end

  local function check_call(call, meddle, wanted)
    local n = 1
    while true do
      local world = make_world()
      ran = {}
      local came, ok, text = call_with(n, meddle, call, world)
      assert.is_true(ok or text:find("ecs: ", 1, true) ~= nil, text)
      ran = {}
      world:progress(1)
      assert.same(came and wanted or { r1 = 1, r2 = 1, r3 = 1 }, ran)
      if not came then break end
      n = n + 1
    end
    assert.is_true(n > 1)
  end

  for name, call in pairs(calls) do
    it("may come at any moment of " .. name, function()
      check_call(call, function(world)
        world:remove_system("r2")
        define(world, "new")
      end, { r1 = 1, r3 = 1, new = 1 })
      if name == "system" then return end -- whichever is last
      check_call(call, function(world)
        pcall(world.remove_system, world, "moves")
        define(world, "moves")
      end, { r1 = 1, r2 = 1, r3 = 1, moves = 1 })
    end)
  end
end)

-- The program of a system that is defined anew is dropped. Where its run has
-- begun, the function runs as plain Lua.
describe("a hook that defines the running system anew", function()
  local jit = rawget(_G, "jit")
  local compiles = jit and jit.status()
  before_each(function()
    if compiles then
      jit.off()
      jit.flush()
    end
  end)
  after_each(function() if compiles then jit.on() end end)

  local speed, count, log = 1, 0.0, {}
  local functions = {
    ["without values from outside"] = function(p, dt) p.x = p.x + dt end,
    ["with a number from outside"] = function(p, dt) p.x = p.x + dt * speed end,
    ["with a sum outside"] = function(p, dt)
      p.x = p.x + dt
      count = count + 1
    end,
    ["with side exits"] = function(p, dt)
      p.x = p.x + dt
      if p.y % 7 == 3 then log[#log + 1] = p.y end
    end,
    ["with side exits and a number from outside"] = function(p, dt)
      p.x = p.x + dt * speed
      if p.y % 7 == 3 then log[#log + 1] = p.y end
    end,
  }

  local function define(world, f, name)
    world:system { name = name or "moves", query = { Position }, each = f,
      compile = true }
  end

  --- The other system of a pass.
  local function stay(p) p.y = p.y + 0 end

  --- A frame of 20 rows, with the hook after so many instructions. Returns
  -- whether there were as many.
  local function run(f, instructions)
    local world = ecs.world {}
    for k = 1, 20 do world:spawn(Position { x = k, y = k }) end
    define(world, f)
    define(world, stay, "stays")
    count, log = 0.0, {}
    local came = false
    debug.sethook(function()
      debug.sethook()
      came = true
      pcall(define, world, f) -- refused while rows are gone over
    end, "", instructions)
    local ok, text = pcall(world.progress, world, 1)
    debug.sethook()
    assert.is_true(ok, text)
    for _, p in world:query({ Position }):rows() do
      assert.equal(p.y + 1, p.x)
    end
    if f == functions["with a sum outside"] then assert.equal(20, count) end
    world:progress(1)
    world:close()
    return came
  end

  for name, f in pairs(functions) do
    it("lets it run " .. name, function()
      local instructions = 1
      while run(f, instructions) do instructions = instructions + 2 end
      assert.is_true(instructions > 100)
    end)
  end
end)
