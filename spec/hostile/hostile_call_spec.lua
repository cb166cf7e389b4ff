-- Every public function with every wrong kind of argument at every position.
--
-- The table has a call that works for each public function. Each argument in
-- turn is replaced by each thing that a script can hold, or left out. The
-- result is a value, or an error of the library at the line of the call. After
-- an error the world is as it was before.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local hostile = dofile "spec/support/hostile_scene.lua"
local new_scene, nothing = hostile.new_scene, hostile.nothing
local Position, Enemy, Target =
  hostile.Position, hostile.Enemy, hostile.Target

local Call = ecs.event "CallOf"

-- on_fallback would print a line for most systems.
support.silence_stderr(setup, teardown)

-- The names of what the calls of the module define. Those that must work have
-- names of their own: the others define any other thing by theirs.
local prefix = "Call"
local function name_of(kind) return prefix .. kind end

-- Calls that work: arguments of methods, without the object itself.
local calls = {
  world = {
    spawn = function() return Position { x = 2 }, Enemy end,
    spawn_many = function() return 3, { Position, Target }, nothing end,
    spawn_as = function() return 50, Position { x = 2 }, Enemy end,
    emit = function() return Call end,
    resource = function() return Position { x = 2 } end,
    reserve = function() return 3, { Position, Target } end,
    destroy = function(s) return s.entity end,
    alive = function(s) return s.entity end,
    add = function(s) return s.entity, Enemy end,
    remove = function(s) return s.entity, Position end,
    replace = function(s) return s.entity, Position, Enemy end,
    set = function(s) return s.entity, Position, "x", 4 end,
    get = function(s) return s.entity, Position, "x", "y" end,
    has = function(s) return s.entity, Position, Enemy end,
    components = function(s) return s.entity end,
    getter = function() return Position, "x", "y" end,
    setter = function() return Position, "x", "y" end,
    tester = function() return Position, Enemy end,
    spawner = function() return Position, "x", Target { level = 1 }, "who" end,
    close = function() end,
    clear = function() end,
    trim = function() end,
    hash = function() end,
    state_hash = function() end,
    dump = function() end,
    diff = function(s) return s.world:snapshot(), s.world:snapshot() end,
    unpack = function(s)
      return s.world:query({ Position }):pack(),
        { as = "new", with = Enemy }
    end,
    apply = function(s)
      local now = s.world:snapshot()
      return s.world:diff(now, now)
    end,
    snapshot = function() end,
    restore = function(s) return s.world:snapshot() end,
    history = function() return 4 end,
    save = function() end,
    load = function(s) return { bytes = s.world:save() } end,
    group = function() return { Position, Enemy } end,
    ungroup = function() return { Position, Enemy } end,
    optimize = function() end,
    advise = function() end,
    query = function() return { Position, read = { Target } } end,
    system = function()
      return { name = "s", query = { Position }, each = nothing, every = 1,
               when = nothing, in_state = "play" }
    end,
    enable = function(s)
      s.world:system { name = "s", run = nothing }
      return "s", false
    end,
    remove_system = function(s)
      s.world:system { name = "s", run = nothing }
      return "s"
    end,
    progress = function(s)
      s.world:system { name = "s", query = { Position }, batch = nothing }
      return 1 / 60
    end,
    run = function() return "update", 1 / 60 end,
    phase = function() return "last" end,
    state = function() end,
    go = function() return "play" end,
    on = function() return "begin", "play", nothing end,
    name = function() return 1, "hero" end,
    find = function() return "hero" end,
    clone = function() return 1 end,
    explain = function(s)
      s.world:system { name = "s", query = { Position }, batch = nothing }
      return "s"
    end,
    stats = function(s)
      s.world:system { name = "s", query = { Position }, batch = nothing }
      return "s"
    end,
    profile = function() return true end,
    trace = function() return "/dev/null", 1 end,
    links = function() return 1, ecs.ChildOf, "parent" end,
    link_count = function() return 1, ecs.ChildOf end,
    parent = function() return 1 end,
    children = function() return 1 end,
    ancestors = function() return 1 end,
    sum = function() return "total" end,
    min = function() return "low" end,
    max = function() return "high" end,
    array = function() return "map", "u8", 3, 4 end,
    grid = function()
      return { query = { Position }, at = { Position, "x", "y" }, cell = 1 }
    end,
  },
  near = {
    within = function() return 1, 0, 5 end,
    box = function() return 0, 0, 5, 5 end,
    each_pair = function() return 5 end,
    nearest = function(s) return 1, 0, 5, s.entity end,
    count = function() return 1, 0, 5 end,
    any = function(s) return 1, 0, 5, s.entity end,
    build = function() end,
    explain = function() end,
  },
  total = {
    value = function() end,
    add = function() return 1 end,
  },
  walls = {
    fill = function() return 1 end,
    set = function() return { { 1, 2 }, { 3, 4 } } end,
    size = function() end,
    resize = function() return 3, 5 end,
  },
  query = {
    count = function() end,
    first = function() end,
    explain = function() end,
    batch = function() return nothing, 1 end,
    each = function() return nothing, 1 end,
    rows = function() end,
    add = function() return Enemy end,
    remove = function() return Position end,
    replace = function() return Position, Enemy end,
    set = function() return Position { y = 4 } end,
    pack = function() return { Position, Enemy } end,
    destroy = function() end,
  },
  module = {
    component = function() return name_of "New", { x = { "f32", 1 } }, {} end,
    tag = function() return name_of "Tag", { storage = "bits" } end,
    prefab = function()
      return name_of "Prefab",
        { Enemy, children = { { Position, { x = 2 } } } }
    end,
    world = function()
      return { phases = { "a", { "b", fixed = 1, most = 2 } },
               states = { "c" }, flush = "frame" }
    end,
    load_native = function() return "nan" end,
    random = function() end,
    event = function() return name_of "Event", { x = "f32" } end,
    on_fallback = function() return "s", "here:1", "because" end,
  },
}

local unpack = table.unpack or unpack
local function pack(...) return { n = select("#", ...), ... } end

-- True for an error of the library, or of a function of the pool.
local function is_plain(text)
  return type(text) == "string" and text:find("ecs: ", 1, true) ~= nil
    and #text < 2000
end

-- Calls f with arguments. After an error, the world must not have changed.
local function try(name, f, s, arguments)
  local before = pcall(s.world.hash, s.world) and s.world:hash()
  local ok, text = pcall(f, unpack(arguments, 1, arguments.n))
  if ok then return true end
  if not is_plain(text) then
    error(name .. ": " .. tostring(text), 0)
  end
  if before and s.world:hash() ~= before then
    error(name .. " changed the world and raised " .. text, 0)
  end
  return false
end

-- These call their argument, which may raise anything: no functions for them.
local calls_back = { batch = true, each = true, spawn_many = true }

-- True for functions that work only in a row of a system.
local function in_row(where, name)
  return where == "total" and name == "add"
    or where == "module" and name == "random"
end

describe("every public function", function()
  it("has a call here that works", function()
    prefix = "CallWorks"
    finally(function() prefix = "Call" end)
    local s = new_scene()
    local listed = {
      world = debug.getmetatable(s.world).__index,
      query = debug.getmetatable(s.query).__index, module = {},
      total = debug.getmetatable(s.total).__index,
      near = debug.getmetatable(s.near).__index,
      walls = debug.getmetatable(s.walls).methods,
    }
    for name, value in pairs(ecs) do
      if type(value) == "function" then listed.module[name] = value end
    end
    for where, functions in pairs(listed) do
      for name in pairs(functions) do
        assert.is_truthy(calls[where][name], name)
      end
      for name, make in pairs(calls[where]) do
        assert.is_function(functions[name], name)
        local fresh = new_scene()
        local arguments = pack(make(fresh))
        if in_row(where, name) then
          fresh.world:system { name = "row", query = { Position },
            compile = false, each = function()
              if where == "total" then
                functions[name](fresh.total, unpack(arguments, 1, arguments.n))
              else
                functions[name](unpack(arguments, 1, arguments.n))
              end
            end }
          fresh.world:progress(1)
        elseif where == "module" then
          functions[name](unpack(arguments, 1, arguments.n))
        else
          functions[name](fresh[where], unpack(arguments, 1, arguments.n))
        end
      end
    end
  end)

  -- A scene costs more than a call, so it serves many calls. After a call that
  -- may have changed it, the next call gets a new scene.
  for _, where in ipairs { "world", "query", "total", "near", "walls",
    "module" } do
    for name, make in pairs(calls[where]) do
      it("takes any argument: " .. where .. " " .. name, function()
        local s = new_scene()
        local f = where == "module" and ecs[name] or s[where][name]
        local function full(of)
          if where == "module" then return make(of) end
          return of[where], make(of)
        end
        local count = pack(full(s)).n
        for k = 1, count + 1 do
          for index = 1, #s.pool do
            local thing = s.pool[index]
            local called = calls_back[name] and type(thing) == "function"
              and thing ~= nothing
            local writes = (name == "save" or name == "trace")
              and type(thing) == "string"
            if not called and not writes then
              local arguments = pack(full(s))
              arguments.n = math.max(arguments.n, k)
              arguments[k] = thing
              if try(name .. ", argument " .. k, f, s, arguments) then
                s = new_scene()
              end
            end
          end
          -- Argument k left out: nil in its place, or no arguments from k on.
          for cut = 0, 1 do
            local arguments = pack(full(s))
            arguments.n = cut == 1 and k - 1 or math.max(arguments.n, k)
            arguments[k] = nil
            if try(name .. " without " .. k, f, s, arguments) then
              s = new_scene()
            end
          end
        end
      end)
    end
  end
end)
