-- States of a world: world:state, world:go, in_state, world:on.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Position = dofile("spec/support/scene.lua").Position

local world, ran
before_each(function()
  ran = {}
  world = ecs.world { states = { "menu", "play", "over" } }
end)

local function note(text)
  return function() ran[#ran + 1] = text end
end

-- Defines a system that appends its name to ran and calls during.
local function define(name, options, during)
  local spec = options or {}
  spec.name = name
  spec.run = function(...)
    ran[#ran + 1] = name
    if during then during(...) end
  end
  world:system(spec)
end

-- What one frame runs.
local function frame()
  ran = {}
  world:progress(1)
  return table.concat(ran, " ")
end

-- Notes every change of the state.
local function watch(of)
  for _, state in ipairs { "menu", "play", "over" } do
    of:on("begin", state, function(_, from)
      ran[#ran + 1] = "begin " .. of:state() .. " from " .. from
    end)
    of:on("end", state, function(_, to)
      ran[#ran + 1] = "end " .. of:state() .. " to " .. to
    end)
  end
end

describe("a state", function()
  it("is the first of the list at first", function()
    watch(world)
    assert.equal("menu", world:state())
    assert.equal("", frame())
  end)

  it("changes before the next phase", function()
    watch(world)
    define("a", { phase = "first" }, function() world:go "play" end)
    define("b", nil, function() ran[#ran] = "b in " .. world:state() end)
    assert.equal("menu", world:state())
    assert.equal("a end menu to play begin play from menu b in play", frame())
    assert.equal("a b in play", frame())
    world:go "over"
    assert.equal("play", world:state())
    ran = {}
    world:run("last", 1)
    assert.same({ "end play to over", "begin over from play" }, ran)
  end)

  it("changes within a phase for its later steps alone", function()
    world = ecs.world { states = { "menu", "play" },
      phases = { { "update", fixed = 0.25 } } }
    define("a", nil, function() world:go "play" end)
    define("b", { in_state = "play" })
    define("c", { in_state = "menu" })
    assert.equal("a c a b a b a b", frame())
  end)

  it("is what the last call before the phase says", function()
    watch(world)
    world:go "play"
    world:go "over"
    assert.equal("end menu to over begin over from menu", frame())
    world:go "menu"
    world:go "over"
    assert.equal("", frame())
    assert.equal("over", world:state())
  end)

  it("changes once before a phase, though functions go on", function()
    watch(world)
    world:on("begin", "play", function() world:go "over" end)
    world:on("begin", "over", function() world:go "play" end)
    define("a", { phase = "first" })
    define("b")
    world:go "play"
    assert.equal("end menu to play begin play from menu a "
      .. "end play to over begin over from play b "
      .. "end over to play begin play from over", frame())
    assert.equal("play", world:state())
  end)

  it("may be left by what its end calls", function()
    world:on("end", "menu", function() world:go "menu" end)
    world:go "play"
    world:run("first", 1)
    assert.equal("play", world:state())
    world:run("first", 1)
    assert.equal("menu", world:state())
  end)

  it("can be changed in a callback, and by a compiled system's exit", function()
    world:spawn(Position)
    world:query({ Position }):each(function() world:go "play" end)
    frame()
    assert.equal("play", world:state())
    world:query({ Position }):batch(function() world:go "over" end)
    frame()
    assert.equal("over", world:state())
  end)

  it("is in the hash", function()
    local one, other = ecs.world { states = { "a", "b", "c" } }, ecs.world {}
    assert.equal(one:hash(), other:hash())
    local seen = { [one:hash()] = true }
    for _, where in ipairs { "b", "c" } do
      one:go(where)
      assert.is_nil(seen[one:hash()])
      seen[one:hash()] = true
      one:progress(1)
      assert.is_nil(seen[one:hash()])
      seen[one:hash()] = true
    end
    one:go "c"
    assert.is_true(seen[one:hash()])
    one:go "a"
    one:progress(1)
    assert.equal(one:hash(), other:hash())
  end)

  it("is explained", function()
    define("s", { in_state = "play" })
    assert.truthy(world:explain():find("state: menu, of menu, play, over\n", 1,
      true))
    assert.truthy(world:explain():find("s: run, in state 'play'", 1, true))
    assert.falsy(ecs.world({}):explain():find("state", 1, true))
  end)
end)

describe("a system with in_state", function()
  it("runs in this state only", function()
    define("m", { in_state = "menu" })
    define("p", { in_state = "play" })
    define("a")
    assert.equal("m a", frame())
    world:go "play"
    assert.equal("p a", frame())
    world:go "over"
    assert.equal("a", frame())
  end)

  it("asks when, and lets time pass, in this state only", function()
    local function asks() ran[#ran + 1] = "asked" return true end
    define("s", { in_state = "play", when = asks, every = 2 })
    assert.equal("", frame())
    world:go "play"
    assert.equal("asked", frame())
    world:go "menu"
    assert.equal("", frame())
    world:go "play"
    assert.equal("asked s", frame())
  end)
end)

describe("world:on with begin and end", function()
  it("calls in the order of registration, until off", function()
    local first = world:on("begin", "play", note "1")
    local second = world:on("begin", "play", note "2")
    world:on("begin", "play", note "3")
    world:go "play"
    assert.equal("1 2 3", frame())
    second:off()
    world:go "menu"
    frame()
    world:go "play"
    assert.equal("1 3", frame())
    first:off()
    first:off()
    world:go "menu"
    frame()
    world:go "play"
    assert.equal("3", frame())
  end)

  it("need not have its handle kept", function()
    world:on("begin", "play", note "1")
    collectgarbage()
    collectgarbage()
    world:go "play"
    assert.equal("1", frame())
  end)

  it("may change who is called", function()
    local later
    local own
    own = world:on("begin", "play", function()
      ran[#ran + 1] = "1"
      own:off()
      later:off()
      world:on("begin", "play", note "3")
    end)
    later = world:on("begin", "play", note "2")
    world:go "play"
    assert.equal("1", frame())
    world:go "menu"
    frame()
    world:go "play"
    assert.equal("3", frame())
  end)

  it("passes the world and the other state", function()
    local got
    world:on("end", "menu", function(...) got = { ... } end)
    world:go "play"
    frame()
    assert.equal(2, #got)
    assert.equal(world, got[1])
    assert.equal("play", got[2])
  end)

  for _, flush in ipairs { "system", "frame" } do
    it("raises an error, and the state has changed (flush = '" .. flush
      .. "')", function()
        world = ecs.world { states = { "menu", "play" }, flush = flush }
        define("s")
        world:on("end", "menu", function(of)
          of:spawn(Position)
        end)
        world:on("end", "menu", function(of)
          of:spawn(Position)
          error "boom"
        end)
        world:on("end", "menu", note "never")
        world:on("begin", "play", note "never")
        world:go "play"
        ran = {}
        local done, text = pcall(world.progress, world, 1)
        assert.is_false(done)
        assert.truthy(text:find("states_spec.lua:%d+: boom %(in end of state "
          .. "'menu'%)"), text)
        assert.same({}, ran)
        assert.equal("play", world:state())
        assert.equal(flush == "frame" and 1 or 2,
          world:query({ Position }):count())
        assert.equal("s", frame())
      end)

    it("may change systems and the world (flush = '" .. flush .. "')",
      function()
        world = ecs.world { states = { "menu", "play" }, flush = flush }
        define("s", nil, function()
          assert.equal(flush == "frame" and 0 or 1,
            world:query({ Position }):count())
        end)
        world:on("begin", "play", function(of)
          of:spawn(Position)
          define("t")
          world:remove_system "s"
        end)
        define("r")
        world:go "play"
        assert.equal("r", frame())
        assert.equal("r t", frame())
        assert.equal(1, world:query({ Position }):count())
        refuses(function()
          world:on("begin", "menu", function() world:progress(1) end)
          world:go "menu"
          world:progress(1)
        end, "a frame is running")
      end)
  end

  it("may close the world", function()
    define("s")
    world:on("end", "menu", function() world:close() end)
    world:on("end", "menu", note "never")
    world:on("begin", "play", note "never")
    world:go "play"
    assert.equal("", frame())
    refuses(function() world:state() end, "closed")
    refuses(function() world:go "menu" end, "closed")
    refuses(function() world:on("begin", "menu", print) end, "closed")
  end)

  it("passes errors on that are no strings, and cannot yield", function()
    world:on("begin", "play", function() error() end)
    world:go "play"
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.is_nil(text)
    world:on("end", "play", coroutine.yield)
    support.cannot_yield(function()
      world:go "menu"
      world:progress(1)
    end)
  end)
end)

describe("mistakes with states", function()
  it("name what is wrong", function()
    for _, states in ipairs { {}, "menu", 3, { 1 }, { "a", 2 }, { "" },
        { n = "a" }, { [2] = "b" }, { "a", "\255" }, { "a", { "b" } } } do
      refuses(function() ecs.world { states = states } end, "world: states")
    end
    refuses(function() ecs.world { states = { "a", "b", "a" } } end,
      "states names 'a' twice")
    refuses(function() world:go "playing" end, "go: there is no state "
      .. "'playing' (there are menu, play, over)")
    refuses(function() world:go() end, "no state nil")
    refuses(function() world:go(1) end, "no state 1")
    refuses(function() world.go "play" end, "world:go(...)")
    refuses(function() world.state() end, "world:state(...)")
    refuses(function() world:state "play" end,
      "state tells the state of the world: world:go leaves it for another")
    refuses(function() define("s", { in_state = "playing" }) end,
      "system 's': in_state: there is no state 'playing'")
    refuses(function() define("s", { in_state = { "play" } }) end,
      "system 's': in_state: there is no state a table")
    refuses(function() world:on("begin", "playing", print) end,
      "on: there is no state 'playing'")
    refuses(function() world:on("begin", print) end, "no state a function")
    refuses(function() world:on("begin", "play") end, "on takes a function",
      "world:on('begin', 'play', function(world) end), not nil")
    refuses(function() world:on("begin", "play", {}) end, "not a table")
    refuses(function() world:on("begins", "play", print) end,
      "not 'begins' (there are add, remove, "
      .. "set, enter, leave, destroy, begin, end)")
    refuses(function() world:on() end, "not nil (there are")
    refuses(function() world.on("begin", "play", print) end,
      "world:on(...)")
    assert.equal(0, world:stats().systems)
    assert.equal("menu", world:state())
  end)

  it("say that the world has no states", function()
    world = ecs.world {}
    local text = "this world has no states: make it with ecs.world { states ="
    refuses(function() world:state() end, "state: " .. text)
    refuses(function() world:go "play" end, "go: " .. text)
    refuses(function() world:on("begin", "play", print) end, "on: " .. text)
    refuses(function() define("s", { in_state = "play" }) end,
      "in_state: " .. text)
  end)

  it("leave the list alone: it is copied", function()
    local list = { "a", "b" }
    world = ecs.world { states = list }
    list[1] = "x"
    assert.equal("a", world:state())
  end)
end)
