-- A program as hosts run it: with a strict table of globals, or without some of
-- Lua's functions.
--
--   strict        globals that were not declared raise, read or written
--   late          all functions are taken away when ecs has been loaded
--   methods       strings have no methods
--   NAME...       these are taken away before, each as "load" or "string.dump"
--   each NAME...  each of these is taken away alone, and what require "ecs"
--                 raises is printed
--   way NAME...   each of these modules is somebody else's, likewise
--
-- Prints "ok", two hashes, and how the systems run; or "refused" and what
-- require "ecs" raised. The numbers are whole, so that plain Lua computes the
-- same.

local pcall, tostring, error, assert, setmetatable, next =
  pcall, tostring, error, assert, setmetatable, next
local gsub, match, rawget = string.gsub, string.match, rawget
local globals, require, loaded_modules = _G, require, package.loaded
local output = io.stdout

-- LuaJIT's print calls tostring.
local function print(text) output:write(text, "\n") end

local function take_away(name)
  local library, field = match(name, "^(%w+)%.(%w+)$")
  if library then
    if globals[library] then globals[library][field] = nil end
  else
    globals[name] = nil
    if name ~= "_G" then loaded_modules[name] = nil end
  end
end

local function take_all_away()
  local libraries = "string table math os io debug coroutine utf8 bit jit"
  for name in string.gmatch(libraries .. " package", "%w+") do
    local library = rawget(globals, name) or {}
    for field in next, library do library[field] = nil end
  end
  for name in next, globals do globals[name] = nil end
end

local function be_strict()
  setmetatable(globals, {
    __index = function(_, name)
      error("undeclared global '" .. tostring(name) .. "' is read", 2)
    end,
    __newindex = function(_, name)
      error("undeclared global '" .. tostring(name) .. "' is written", 2)
    end,
    __metatable = false,
  })
end

--- Requires ecs anew, and prints what that raises.
local function print_failure(name)
  local done, text = pcall(require, "ecs")
  print(name .. ": " .. (done and "loaded" or tostring(text)))
  for module in next, loaded_modules do
    if match(module, "^ecs") then loaded_modules[module] = nil end
  end
end

local mode = arg[1]
if mode == "each" then
  for k = 2, #arg do
    local library, field = match(arg[k], "^(%w+)%.(%w+)$")
    local from = library and globals[library] or globals
    local kept = rawget(from, field or arg[k])
    from[field or arg[k]] = nil
    print_failure(arg[k])
    from[field or arg[k]] = kept
  end
  return
elseif mode == "way" then
  for k = 2, #arg do
    local kept = package.preload[arg[k]]
    package.preload[arg[k]] = function() return { create = print } end
    print_failure(arg[k])
    package.preload[arg[k]] = kept
  end
  return
end

if mode == "strict" then
  be_strict()
elseif mode == "methods" then
  getmetatable("").__index = nil
elseif mode ~= "late" then
  for k = 1, #arg do take_away(arg[k]) end
end

local loaded, ecs = pcall(require, "ecs")
if not loaded then
  print("refused " .. tostring(ecs))
  return
end
ecs.on_fallback = nil
if mode == "late" then take_all_away() end

-- What runs ------------------------------------------------------------------

local Position = ecs.component("Position", { x = "f64", n = "i32" })
local Link = ecs.component("Link", { to = { "entity", link = "clear" } })
local Tag = ecs.tag "Tag"

local function scene()
  local world = ecs.world { states = { "menu", "play" } }
  local first = world:spawn(Position { x = 1 }, Tag)
  world:spawn_many(200, { Position }, function(batch)
    for i = 1, batch.count do batch.Position.n[i] = i end
  end)
  for k = 1, 20 do world:spawn(Position, { x = k }, Link, { to = first }) end
  return world, first
end

local function define(world, first)
  world:system { name = "move", query = { Position }, each = function(p, dt)
    p.x = p.x + dt * 2
    if p.n > 190 then p.n = p.n % 7 end
  end }
  world:system { name = "far", query = { Position }, each = function(p, _, e)
    if p.x > 22 then world:destroy(e) end
  end }
  world:system { name = "batch", query = { Position },
    batch = function(batch, dt)
      local x = batch.Position.x
      for i = 1, batch.count do x[i] = x[i] + dt end
    end }
  world:system { name = "whom", query = { read = { Link } }, after = "move",
    each = function(link)
      if world:get(link.to, Position, "x") then
        world:set(first, Position, "n", 5)
      end
    end }
  world:system { name = "run", run = function() end }
end

local function use(world, first)
  world:progress(1)
  world:progress(1)
  for _, p in world:query({ Position }):rows() do p.x = p.x + 1 end
  for _ = 1, 3 do
    world:query({ Position }):each(function(p, by) p.x = p.x + by end, 2)
  end
  world:query({ Position, with = { Tag } }):set(Position, "n", 3)
  world:set(first, Position, "x", 40)
  world:set(first, Position { n = 9 })
  assert(world:get(first, Position, "x") == 40)
  local near = world:grid { query = { read = { Position } },
    at = { Position, "x", "n" }, cell = 4 }
  local count = 0
  for _ in near:within(10, 10, 8) do count = count + 1 end
  local total = world:sum "total"
  world:system { name = "add", query = { read = { Position } },
    each = function(p) total:add(p.n) end }
  world:emit(ecs.event("Hit", { by = "f32" }) { by = 2 })
  world:clone(first)
  world:progress(1)
  assert(total:value() > 0 and count > 0)
end

local function look(world)
  world:explain()
  world:profile(true)
  world:progress(1)
  world:stats "move"
  world:advise()
  world:optimize()
  world:trim()
  assert(not pcall(world.get, world, 1, Position, "y"))
  assert(not pcall(world.system, world, { name = "odd" }))
  assert(not pcall(ecs.world, { odd = true }))
  assert(not ecs.load_native "nothing")
  return world:explain "move"
end

local function rows()
  local world, first = scene()
  define(world, first)
  use(world, first)
  local hash = world:hash()
  local how = look(world)
  return hash .. " " .. world:hash() .. " "
    .. (match(how, "slow: plain Lua[^\n]*") or "compiled")
end

local done, text = pcall(rows)
if not done then
  print("failed " .. gsub(tostring(text), "\n.*", ""))
  return
end
if mode == "strict" then
  -- A name that is misspelt is called by its name.
  local world = ecs.world {}
  local _, problem = pcall(world.system, world, { name = "typo",
    compile = true, query = { Position }, each = function(p)
      p.x = p.x * sped -- luacheck: ignore
    end })
  text = text .. "\n" .. problem
end
print("ok " .. text)
