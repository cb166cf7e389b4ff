-- Every public function with every wrong kind of argument at every position,
-- and everything that can be reached from the modules with garbage.
--
-- A call that works is written down for each public function; then each of its
-- arguments in turn is replaced by each thing a script can hold, or left out.
-- What comes of it is a result or an error of the library at the line of the
-- call, and after an error the world is as it was before.

local ecs = require "ecs"
local core = require "ecs.core"

-- A run under a sanitizer or valgrind is slow: fewer numbers do.
local short = os.getenv "ECS_SPEC_SHORT" ~= nil

-- What on_fallback prints would be in the way.
local shown = io.stderr
setup(function() rawset(io, "stderr", { write = function() end }) end)
teardown(function() rawset(io, "stderr", shown) end)

local function nothing() end
local function refuse() error("ecs: a script's own error", 0) end

local scene = dofile "spec/support/scene.lua"
local Position, Enemy = scene.Position, scene.Enemy
local Target = ecs.component("CallTarget", { who = "entity", on = "bool",
                                             level = { "u8", 3 } })
assert(ecs.load_native "nan")
ecs.component("Nan", { narrow = "f32", wide = "f64", offered = "u32" })

-- Numbers at and past every edge there is.
local edges = { 0, -0.0, 1, -1, 0.5, 2 ^ 24, 2 ^ 28 - 1, 2 ^ 28, 2 ^ 31 - 1,
  2 ^ 31, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 52 - 1, 2 ^ 52, 2 ^ 53, 2 ^ 63, -2 ^ 63,
  2 ^ 64, 1e308, -1e308, 5e-324, 1 / 0, -1 / 0, 0 / 0 }
if math.maxinteger then
  edges[#edges + 1] = math.maxinteger
  edges[#edges + 1] = math.mininteger
end

-- Userdata that only the debug library gets at: of views, loops, accesses.
local function dig(found, object, depth)
  if depth == 0 or found[object] then return end
  local kind = type(object)
  if kind ~= "table" and kind ~= "function" and kind ~= "userdata" then
    return
  end
  found[object] = true
  if kind == "userdata" then found[#found + 1] = object end
  local meta = debug.getmetatable(object)
  if meta then dig(found, meta, depth - 1) end
  for k = 1, kind == "function" and 60 or 0 do
    local name, value = debug.getupvalue(object, k)
    if not name then break end
    dig(found, value, depth - 1)
  end
  if kind ~= "table" then return end
  for key, value in next, object do
    dig(found, key, depth - 1)
    dig(found, value, depth - 1)
  end
end

-- One of everything, and what calls that work are made from.
local function new_scene()
  local world, other, closed = ecs.world {}, ecs.world {}, ecs.world {}
  local entity = world:spawn(Position { x = 1 }, Target)
  local stale = world:spawn(Position)
  world:destroy(stale)
  local query = world:query { Position, read = { Target } }
  other:spawn()
  local foreign = other:spawn(Position) + 2 ^ 29
  local own = { world = world, entity = entity, query = query,
                total = world:sum "total" }
  local closed_query, closed_total = closed:query { Position }, closed:max "m"
  closed:close()
  local pool = {
    true, false, "", "x", "Position", "no such", ("long"):rep(100), "\0",
    {}, { 1 }, { Position }, { x = 1 }, setmetatable({}, { __index = refuse }),
    nothing, type, coroutine.create(nothing), io.stdout,
    world, other, closed, query, other:query { Position }, closed_query,
    own.total, other:min "m", closed_total,
    entity, stale, foreign, Position, Enemy, Position { x = 1 },
    Target { who = entity },
  }
  for _, number in ipairs(edges) do pool[#pool + 1] = number end
  query:batch(function(batch)
    pool[#pool + 1] = batch
    pool[#pool + 1] = batch.Position
    pool[#pool + 1] = batch.Position.x
    pool[#pool + 1] = batch.entities
  end)
  query:each(function(row) pool[#pool + 1] = row end)
  local step, loop = query:rows()
  pool[#pool + 1] = step
  local _, row = step(loop)
  pool[#pool + 1] = row
  if rawget(_G, "jit") and pcall(require, "ffi") then
    local ffi = require "ffi"
    pool[#pool + 1] = ffi.new "int64_t"
    pool[#pool + 1] = ffi.new "int[3]"
    pool[#pool + 1] = ffi.cast("void *", 0)
  end
  local native = world:query { ecs.component("Nan",
    { narrow = "f32", wide = "f64", offered = "u32" }) }
  own.kernel = core.kernel(native, "nan", "break")
  local inner = { core.access(world, Position), core.access(world),
                  own.kernel, loop }
  local found = {}
  for _, thing in ipairs { pool[#pool], row, step, query } do
    dig(found, thing, 7)
  end
  for k = 1, #pool do dig(found, pool[k], 5) end
  for _, thing in ipairs(found) do
    if thing ~= io.stdout then inner[#inner + 1] = thing end
  end
  for _, thing in ipairs(inner) do pool[#pool + 1] = thing end
  local seen, distinct = {}, {}
  for _, thing in ipairs(pool) do
    if thing ~= thing or not seen[thing] then
      distinct[#distinct + 1] = thing
      if thing == thing then seen[thing] = true end
    end
  end
  own.pool = distinct
  return own
end

-- Calls that work: arguments of methods, without the object itself.
local calls = {
  world = {
    spawn = function() return Position { x = 2 }, Enemy end,
    spawn_many = function() return 3, { Position, Target }, nothing end,
    destroy = function(s) return s.entity end,
    alive = function(s) return s.entity end,
    add = function(s) return s.entity, Enemy end,
    remove = function(s) return s.entity, Position end,
    set = function(s) return s.entity, Position, "x", 4 end,
    get = function(s) return s.entity, Position, "x", "y" end,
    has = function(s) return s.entity, Position, Enemy end,
    components = function(s) return s.entity end,
    close = function() end,
    clear = function() end,
    hash = function() end,
    state_hash = function() end,
    group = function() return { Position, Enemy } end,
    query = function() return { Position, read = { Target } } end,
    system = function()
      return { name = "s", query = { Position }, each = nothing }
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
    explain = function(s)
      s.world:system { name = "s", query = { Position }, batch = nothing }
      return "s"
    end,
    stats = function() end,
    sum = function() return "total" end,
    min = function() return "low" end,
    max = function() return "high" end,
  },
  total = {
    value = function() end,
    add = function() return 1 end,
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
    set = function() return Position { y = 4 } end,
    destroy = function() end,
  },
  module = {
    component = function() return "CallNew", { x = { "f32", 1 } }, {} end,
    tag = function() return "CallTag", { storage = "bits" } end,
    world = function() return { phases = { "a" }, flush = "frame" } end,
    load_native = function() return "nan" end,
    random = function() end,
    on_fallback = function() return "s", "here:1", "because" end,
  },
}

local unpack = table.unpack or unpack
local function pack(...) return { n = select("#", ...), ... } end

-- Errors of the library, and those that a callee of the pool raises.
local function is_plain(text)
  return type(text) == "string" and text:find("ecs: ", 1, true) ~= nil
    and #text < 2000
end

-- Calls f with arguments; after an error, nothing has changed.
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

-- These call back: a function that raises something else is not for them.
local calls_back = { batch = true, each = true, spawn_many = true }

-- These work in a system's row alone.
local function in_row(where, name)
  return where == "total" and name == "add"
    or where == "module" and name == "random"
end

describe("every public function", function()
  it("has a call here that works", function()
    local s = new_scene()
    local listed = {
      world = debug.getmetatable(s.world).__index,
      query = debug.getmetatable(s.query).__index, module = {},
      total = debug.getmetatable(s.total).__index,
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

  -- Making a scene costs more than a call: a world serves many calls, and is
  -- made anew when a call has changed it.
  for _, where in ipairs { "world", "query", "total", "module" } do
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
            if not called then
              local arguments = pack(full(s))
              arguments.n = math.max(arguments.n, k)
              arguments[k] = thing
              if try(name .. ", argument " .. k, f, s, arguments) then
                s = new_scene()
              end
            end
          end
          -- Left out: nil in its place, and nothing from there on.
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

-- Functions that can be reached from what the modules return: through tables,
-- and through metatables as the debug library sees them.
local function reachable()
  local seen, found = {}, {}
  local function visit(object, path)
    if seen[object] then return end
    local kind = type(object)
    if kind == "function" then
      found[#found + 1] = { path = path, f = object }
    end
    if kind ~= "table" and kind ~= "userdata" and kind ~= "function" then
      return
    end
    seen[object] = true
    local meta = kind ~= "function" and debug.getmetatable(object)
    if meta then visit(meta, path .. "<meta>") end
    if kind ~= "table" then return end
    local keys = {}
    for key in next, object do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
      visit(object[key], path .. "." .. tostring(key))
    end
  end
  local names = {}
  for name in pairs(package.loaded) do
    if name:match "^ecs" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do visit(package.loaded[name], name) end
  -- Metatables of the kinds, which hang from no module.
  local s = new_scene()
  for k, thing in ipairs(s.pool) do
    if type(thing) == "userdata" and thing ~= io.stdout then
      visit(thing, "userdata " .. k)
    end
  end
  return found
end

-- These end the modules' work for good, as they are meant to, or are not ours.
local spared = { ["ecs.core.share"] = true, ["ecs.core.install"] = true }

-- A generator of its own: the same numbers on every VM.
local seed = 1
local function roll(n)
  seed = seed * 16807 % 2147483647
  return seed % n + 1
end

describe("everything in reach of the modules", function()
  local functions = reachable()

  local function is_worldly(s)
    return pcall(s.world.hash, s.world)
  end

  it("is a good deal", function()
    assert.is_true(#functions > 80, #functions)
  end)

  it("survives one and two arguments of every kind", function()
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene()
        local step = short and 11 or 5
        pcall(entry.f)
        for a = 1, #s.pool do
          pcall(entry.f, s.pool[a])
          for b = (a - 1) % step + 1, #s.pool, step do
            pcall(entry.f, s.pool[a], s.pool[b])
          end
        end
      end
    end
  end)

  it("survives more arguments of any kind", function()
    local rounds = short and 60 or 300
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene()
        for round = 1, rounds do
          local arguments, count = {}, 2 + roll(4)
          for k = 1, count do arguments[k] = s.pool[roll(#s.pool)] end
          pcall(entry.f, unpack(arguments, 1, count))
          if round % 100 == 0 and not is_worldly(s) then s = new_scene() end
        end
      end
    end
  end)

  it("survives it while something is open", function()
    for _, entry in ipairs(functions) do
      if not spared[entry.path] then
        local s = new_scene()
        local function assail(...)
          local more = { ... }
          for _ = 1, short and 20 or 75 do
            local a, b = s.pool[roll(#s.pool)], s.pool[roll(#s.pool)]
            local c = more[roll(#more + 1)]
            pcall(entry.f, a, b, c)
            pcall(entry.f, c, a, b)
            pcall(entry.f, s.world, a, b)
          end
        end
        pcall(s.query.batch, s.query, assail)
        if is_worldly(s) then pcall(s.query.each, s.query, assail) end
        if is_worldly(s) then
          pcall(function()
            for e, p, t in s.query:rows() do assail(e, p, t) end
          end)
        end
        if is_worldly(s) then
          -- Some have spoiled the table where its systems are.
          pcall(s.world.system, s.world, { name = "assail", run = assail })
          pcall(s.world.progress, s.world, 0)
        end
      end
    end
  end)

  it("leaves worlds that work", function()
    local world = ecs.world {}
    local e = world:spawn(Position { x = 3 })
    local query, sum = world:query { Position }, 0
    query:batch(function(batch) sum = sum + batch.Position.x[1] end)
    query:each(function(p) sum = sum + p.x end)
    for _, p in query:rows() do sum = sum + p.x end
    assert.equal(9, sum)
    assert.equal(3, world:get(e, Position, "x"))
  end)
end)
