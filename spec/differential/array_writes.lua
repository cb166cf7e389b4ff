--- array_writes: random functions that read and write arrays of the world, and
-- arrays in components.
--
--     writes.new(seed)   text of a function that makes the function of a system
--                        from what it uses: arrays, a list, a world
--     writes.run(text, compile)    what it leaves behind, as a text
--
-- All numbers are computed in f64, so a compiled function has to leave the same
-- as plain Lua: the same components, arrays and order of side effects, and the
-- same error in the same row. Some names are the same array.

local ecs = require "ecs"
local load = loadstring or load -- luacheck: ignore

local writes = {}

local Cell = ecs.component("WritesCell", { x = "f64", y = "f64", n = "f64",
                                           s = "f32", on = "bool",
  reals = { "f32", 2, count = 12 }, wide = { "f64", count = 9 },
  tiny = { "u8", count = 10 }, few = { "i16", 3, count = 3 },
  large = { "i32", count = 9 }, marks = { "bool", count = 9 } })

--- Name of a variable -> name, type and sizes of its array.
local ARRAYS = {
  bytes = { "bytes", "u8", 7 }, same = { "bytes", "u8", 7 },
  other = { "other", "u8", 7 }, small = { "small", "i8", 5 },
  shorts = { "shorts", "i16", 4, 2 }, words = { "words", "u16", 6 },
  flags = { "flags", "bool", 6 }, grid = { "grid", "i32", 5, 6 },
  twin = { "grid", "i32", 5, 6 }, counts = { "counts", "u32", 8 },
  heat = { "heat", "f32", 4, 3 }, cube = { "cube", "f64", 3, 4, 2 },
  ["p.reals"] = { nil, "f32", 12 }, reals = { nil, "f32", 12 },
  ["p.wide"] = { nil, "f64", 9 }, ["p.tiny"] = { nil, "u8", 10 },
  ["p.few"] = { nil, "i16", 3 }, ["p.large"] = { nil, "i32", 9 },
  ["p.marks"] = { nil, "bool", 9 },
}
local NAMES = { "bytes", "same", "other", "small", "shorts", "words", "flags",
                "grid", "twin", "counts", "heat", "cube" }
local FIELDS = { "reals", "wide", "tiny", "few", "large", "marks" }
--- Those of the row: reals is a variable for p.reals.
local ROWS = { "p.reals", "reals", "p.wide", "p.tiny", "p.few", "p.large",
               "p.reals", "p.wide" }

-- Texts -----------------------------------------------------------------------

local maker = {}
maker.__index = maker

function maker:below(n)
  self.state = (self.state * 16807) % 2147483647
  return self.state % n
end

function maker:chance(percent) return self:below(100) < percent end

function maker:one_of(list) return list[self:below(#list) + 1] end

--- An array of this kind: of numbers, or of booleans.
function maker:array(flags)
  if flags then return self:one_of { "flags", "p.marks" } end
  local name
  repeat name = self:one_of(self.favourites)
  until ARRAYS[name][2] ~= "bool"
  return name
end

--- The indices of an element, mostly inside.
function maker:element(name)
  local about, text = ARRAYS[name], name
  for d = 3, #about do
    local index
    if self:chance(30) then
      index = tostring(self:below(about[d]) + 1)
    elseif self:chance(4) then
      index = self:number(1)
    else
      index = ("math.floor(%s) %% %d + 1"):format(self:number(1), about[d])
    end
    text = text .. "[" .. index .. "]"
  end
  return text
end

function maker:number(depth)
  local kind = self:below(depth > 2 and 5 or 12)
  if kind < 3 then return self:one_of { "p.x", "p.y", "p.n", "p.s" } end
  if kind < 4 and self.locals > 0 then
    return "v" .. self:below(self.locals) + 1
  end
  if kind < 5 then return tostring(self:below(9)) end
  if kind < 8 then return self:element(self:array(false)) end
  if kind < 9 then
    return ("math.%s(%s, %s)"):format(self:one_of { "min", "max" },
      self:number(depth + 1), self:number(depth + 1))
  end
  if kind < 10 then return "#" .. self:array(false) end
  -- The remainder of a number from 2^53 on depends on the VM, as -0 does.
  if kind < 11 then
    return ("(%s * %d)"):format(self:number(depth + 1), self:below(3) + 2)
  end
  return ("(%s %s %s)"):format(self:number(depth + 1),
    self:one_of { "+", "-" }, self:number(depth + 1))
end

function maker:truth(depth)
  if depth < 2 and self:chance(20) then
    return ("(%s %s %s)"):format(self:truth(depth + 1),
      self:one_of { "and", "or" }, self:truth(depth + 1))
  elseif self:chance(25) then
    return self:element(self:array(true))
  elseif self:chance(15) then
    return "p.on"
  end
  return ("%s %s %s"):format(self:number(1),
    self:one_of { "<", "<=", "==", "~=" }, self:number(1))
end

--- A value that an array can mostly hold.
function maker:value(name)
  local type = ARRAYS[name][2]
  if type == "bool" then return self:truth(1) end
  if type:sub(1, 1) == "f" then return self:number(0) .. " % 997" end
  if self:chance(3) then return self:number(0) end
  if self:chance(30) then
    return ("(%s + %d) %% 100"):format(self:element(name), self:below(3) + 1)
  end
  return ("math.floor(%s) %% 100"):format(self:number(0))
end

function maker:add(line)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. line
end

function maker:block(count)
  local locals = self.locals
  self.depth = self.depth + 1
  for _ = 1, count do self:statement() end
  self.depth, self.locals = self.depth - 1, locals
end

function maker:statement()
  local kind = self:below(self.depth > 3 and 60 or 100)
  if kind < 32 then
    local name = self:array(self:chance(15))
    self:add(self:element(name) .. " = " .. self:value(name))
  elseif kind < 40 then
    local name = self:array(false)
    local one, two = self:element(name), self:element(name)
    self:add(("%s, %s = %s, %s"):format(one, two, two, one))
  elseif kind < 50 then
    self:add(("p.%s = %s %% 997"):format(self:one_of { "x", "y", "n", "s" },
      self:number(0)))
  elseif kind < 55 then
    self:add("p.on = " .. self:truth(0))
  elseif kind < 60 then
    self:add(("local v%d = %s"):format(self.locals + 1, self:number(0)))
    self.locals = self.locals + 1
  elseif kind < 80 then
    self:add("if " .. self:truth(0) .. " then")
    self:block(1 + self:below(3))
    if self:chance(8) then self:add "  return" end
    if self:chance(40) and not self.lines[#self.lines]:find "return" then
      self:add "else"
      self:block(1 + self:below(2))
    end
    self:add "end"
  elseif kind < 86 then
    self:add(("for k = 1, %d do"):format(1 + self:below(3)))
    self:block(1 + self:below(2))
    self:add "end"
  elseif kind < 90 then
    self:add(("for k = 1, %s %% 4 do"):format(self:number(0)))
    self:add(("  p.n = p.n + %s"):format(self:number(1)))
    if self:chance(25) then
      self:add(("  p.wide[k + %d] = %s %% 997"):format(self:below(3),
        self:number(1)))
    end
    self:add "end"
  elseif kind < 94 then
    self:add(("if p.x == %d then log[#log + 1] = %s end"):format(
      self:below(12), self:number(1)))
  elseif kind < 96 then
    self:add(("if %s then world:destroy(e) end"):format(self:truth(0)))
  else
    self:add(("put(%s, %s)"):format(self:number(1), self:number(1)))
  end
end

--- The text of a chunk that takes arrays, log and world, and returns a function
-- of rows.
function writes.new(seed)
  local self = setmetatable({ state = seed * 7919 % 2147483646 + 1, lines = {},
    depth = 0, locals = 0, favourites = {} }, maker)
  for _ = 1, 10 do self:below(2) end
  for k = 1, 2 + self:below(4) do
    self.favourites[k] = self:one_of(self:chance(50) and ROWS or NAMES)
  end
  if self.favourites[1] == "flags" then self.favourites[1] = "bytes" end
  for _, name in ipairs(NAMES) do
    self:add(("local %s = arrays.%s"):format(name, name))
  end
  self:add "local function put(i, v)"
  self:add(("  %s[math.floor(i) %% 5 + 1] = v"):format(
    self:one_of { "small", "bytes", "words" }))
  self:add "end"
  self:add "local _ = put"
  self:add "return function(p, dt, e)"
  self:add "  local reals = p.reals"
  self:block(2 + self:below(5))
  self:add "end"
  return "local arrays, log, world = ...\n" .. table.concat(self.lines, "\n")
end

-- Runs ------------------------------------------------------------------------

--- Fills everything with numbers that follow from a seed.
local function fill(world, seed)
  local arrays, random = {}, setmetatable({ state = seed + 1 }, maker)
  for _, name in ipairs(NAMES) do
    local about = ARRAYS[name]
    local array = world:array(about[1], about[2],
      (unpack or table.unpack)(about, 3)) -- luacheck: ignore
    if about[2] == "bool" then
      array:fill(random:chance(50))
    else
      array:fill(random:below(20))
    end
    arrays[name] = array
  end
  for _ = 1, 40 + random:below(100) do
    world:spawn(Cell { x = random:below(12), y = random:below(40),
      n = random:below(7) - 3, s = random:below(9) / 4,
      on = random:chance(50) })
  end
  return arrays
end

local function shown(value)
  return type(value) == "number" and ("%.17g"):format(value) or tostring(value)
end

--- Adds everything that a world holds to a text.
local function show(world, arrays, text)
  for e, p in world:query({ read = { Cell } }):rows() do
    text[#text + 1] = ("%d %.17g %.17g %.17g %.17g %s"):format(e, p.x, p.y, p.n,
      p.s, tostring(p.on))
    for _, name in ipairs(FIELDS) do
      local array = p[name]
      for k = 1, #array do
        text[#text + 1] = name .. " " .. k .. " " .. shown(array[k])
      end
    end
  end
  local function list(array, dimensions, label)
    for k = 1, #array do
      if dimensions > 1 then
        list(array[k], dimensions - 1, label .. " " .. k)
      else
        local value = array[k]
        text[#text + 1] = label .. " " .. k .. " " .. shown(value)
      end
    end
  end
  for _, name in ipairs(NAMES) do
    list(arrays[name], #ARRAYS[name] - 2, name)
  end
end

--- Runs the function of a chunk for a few frames, compiled if it can be.
-- Returns what it leaves behind, and why it is not compiled.
function writes.run(text, compile, seed)
  local world = ecs.world {}
  local arrays, log = fill(world, seed), {}
  local each = assert(load(text))(arrays, log, world)
  local function define(way)
    world:system { name = "write", query = { Cell }, compile = way,
      precision = way and "double" or nil, each = each }
  end
  local compiled, why = pcall(define, compile)
  if not compiled then define(false) end
  local left = {}
  for _ = 1, 3 do
    local done, problem = pcall(world.progress, world, 1)
    left[#left + 1] = done and "done" or tostring(problem):gsub("\n.*", "")
    show(world, arrays, left)
  end
  for _, value in ipairs(log) do left[#left + 1] = ("%.17g"):format(value) end
  if compile and compiled
    and not world:explain "write":find("compiled (block VM)", 1, true) then
    compiled, why = false, "it runs as plain Lua"
  end
  world:close()
  return table.concat(left, "\n"), not compiled and why or nil
end

return writes
