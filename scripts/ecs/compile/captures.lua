--- captures: the values that a compiled function gets from outside.
--
-- They are upvalues, globals, extra arguments, and fields of tables found
-- there. A number or boolean becomes a uniform: it is read anew for every run,
-- so a change takes effect. Any other value that the code was compiled for (a
-- definition, a nil) becomes a guard: it is compared before every run, and
-- where it has changed the function is compiled anew. A function that was
-- inlined is guarded by its code: another closure of the code may stand in its
-- place, and its variables are read instead.
--
-- Reading runs no code of a script: a field behind an __index that is a
-- function is UNREADABLE, and no function that reads one is compiled. The
-- exceptions are globals, since strict modes, sandboxes and test runners put
-- such a function behind them, and rows of resources, whose function is ours.
--
--     reader   { key, root = function, path = { "speed" }, global, owner,
--              length }: how to read one value. path: names of fields, or other
--              keys, from root's result on. length: of the table there.
--              global: path begins with a global's name. owner: the reader of
--              the table that holds this field. Of an upvalue: holder, { f },
--              and its position
--     uniforms list of { reader, kind, demand, box, position }, in the order of
--              the program's uniforms. An argument is box[position], read
--              without a call. demand: a function of what it must be
--     guards   list of what must hold:
--              { reader, value }: the same value is read
--              { reader, some }: not nil
--              { reader, truth, value }: neither nil nor false; value: the last
--              { reader, table }: a table
--              { reader, value, holder, codes }: a function of this code, which
--              becomes the holder's
--              { reader, value, same }: the function of this holder
--     looked   list of { reader, value, exact } of everything that was read;
--              exact: a number, and its value matters. With a path: of what
--              captures_table.lua read

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.captures"

local parser = require "ecs.compile.parser"

local outside = parser.outside
local core = require "ecs.core"
local type_of = require("ecs.message").type
local find_resource = require("ecs.resource_row").find

-- Kept here: scripts replace functions of Lua, but programs must not change.
local ipairs, pcall, type = ipairs, pcall, type
local format, match, dump = string.format, string.match, string.dump
local same_code = core.same_code
local rawequal, rawget, setmetatable = rawequal, rawget, setmetatable
local math_type = rawget(math, "type")
local get_upvalue = standard.debug.getupvalue
local get_metatable = standard.debug.getmetatable or getmetatable
local get_environment = rawget(standard.globals, "getfenv")

local captures = {}
captures.__index = captures

local UNREADABLE = {}

--- How many __index tables a field may be behind.
local CHAIN_LIMIT = 32

--- New captures. emit: the writer of the program. main: { f }, the function
-- that is compiled. Closures made from one function share its plan, so plan.lua
-- puts another f there before it uses the plan's readers. constant(f, name):
-- the value of a constant that Lua folded into the code; see outline.lua.
function captures.new(emit, main, constant)
  return setmetatable({
    emit = emit, main = main, constant = constant, uniforms = {}, guards = {},
    looked = {},     -- { reader, value, exact }, in order
    groups = {},     -- of captures_table.lua, in order
    grouped = {},    -- key of a group -> the group
    arrays = {},     -- of lower_array.lua, in order
    array_slots = {}, -- key of a reader -> one of these
    slots = {},      -- key and kind of a reader -> name of its uniform
    guarded = {},    -- key of a reader -> true
    functions = {},  -- function -> { number, holder, name/ = index of the
                     -- upvalue, codes, first, fixed } of guard_code
    count = 0,       -- functions so far, each of which has a number
  }, captures)
end

--- The upvalues of a function: name and "/" -> index; its number and holder.
function captures:upvalues(f)
  local known = self.functions[f]
  if known then return known end
  known = { number = self.count,
            holder = f == self.main.f and self.main or { f = f } }
  self.count = self.count + 1
  local k = 1
  while get_upvalue do
    local name = get_upvalue(f, k)
    if not name then break end
    if name ~= "" then known[name .. "/"] = k end
    k = k + 1
  end
  self.functions[f] = known
  return known
end

local function plain_index(object, name) return object[name] end

--- The value of a field, as indexing gives it. called: indexing may call a
-- function, as it may for the row of a resource.
local function index(object, name, called)
  local first = object
  for _ = 1, CHAIN_LIMIT do
    local value = rawget(object, name)
    if value ~= nil then return value end
    local meta = get_metatable(object)
    if type(meta) ~= "table" then return nil end
    object = rawget(meta, "__index")
    if object == nil then return nil end
    if type(object) ~= "table" then break end
  end
  if not called and not find_resource(first) then return UNREADABLE end
  local done, value = pcall(plain_index, first, name)
  if done then return value end
  return UNREADABLE
end

--- The length of a table. A __len, which not every VM calls, is not read.
local function length_of(value)
  if type(value) ~= "table" then return UNREADABLE end
  local meta = get_metatable(value)
  if type(meta) == "table" and rawget(meta, "__len") ~= nil then
    return UNREADABLE
  end
  return #value
end

--- Reads a value now. UNREADABLE where that is not possible.
function captures.read(reader)
  local value, path = reader.root(), reader.path
  for k = 1, #path do
    if type(value) ~= "table" then return UNREADABLE end
    value = index(value, path[k], k == 1 and reader.global)
  end
  if reader.length then return length_of(value) end
  return value
end

--- Is what a reader reads a field of a resource, or behind one?
function captures.is_of_resource(reader)
  local owner = reader.owner
  while owner do
    if find_resource(captures.read(owner)) then return true end
    owner = owner.owner
  end
  return false
end

--- Do two values give the same code? The two zeros do not; NaN equals itself.
local function same(one, other)
  if type(one) ~= "number" or type(other) ~= "number" then
    return rawequal(one, other)
  end
  return one == other and 1 / one == 1 / other
    or one ~= one and other ~= other
end

--- Is a value the function of a holder, or another closure of its code, which
-- then becomes the holder's? Cost: of another closure, a comparison of its
-- dump.
local function takes_place(holder, codes, value)
  if rawequal(value, holder.f) then return true end
  if type(value) ~= "function" or not same_code(codes, value) then
    return false
  end
  holder.f = value
  return true
end

--- Would the compiler treat a value that it read the same now? It treats all
-- numbers alike, except those that guards compare. It treats all tables alike,
-- because it reads their fields separately.
function captures.alike(looked)
  local now, value = captures.read(looked.reader), looked.value
  if looked.path then return captures.alike_elements(looked, now) end
  if looked.exact then return same(now, value) end
  if looked.codes then
    return takes_place(looked.holder, looked.codes, now)
  end
  if rawequal(now, value) then return true end
  local kind = type(value)
  if type(now) ~= kind or rawequal(now, UNREADABLE)
    or rawequal(value, UNREADABLE) then
    return false
  end
  return kind == "number" or kind == "boolean" or kind == "table"
end

--- What to do where something is nil that may come later.
captures.late = "fill the table, or set the variable, before: the function is "
  .. "compiled as soon as that is done"

--- Reads a value for the compiler and records it in looked. line: where the
-- function names it.
function captures:object(reader, line)
  local value = captures.read(reader)
  local looked = { reader = reader, value = value }
  self.looked[#self.looked + 1] = looked
  if rawequal(value, UNREADABLE) and reader.length then
    outside(line, "the length of a table with a __len",
      "keep the number in a variable")
  elseif rawequal(value, UNREADABLE) and reader.owner
    and find_resource(captures.read(reader.owner)) then
    outside(line, "'" .. reader.path[#reader.path] .. "' of a resource that is "
      .. "gone, or has no such field", "make it before, and look at its "
      .. "definition")
  elseif rawequal(value, UNREADABLE) and reader.global
    and #reader.path == 1 then
    outside(line, "the unknown global '" .. reader.path[1] .. "'",
      "check its spelling, or declare it (to read it raises an error)")
  elseif rawequal(value, UNREADABLE) then
    outside(line, "'" .. reader.path[#reader.path] .. "' behind a metatable "
      .. "with an __index that is a function", "read it from a plain table")
  elseif type_of(value) == "cdata" then -- it may equal a number, or nil
    outside(line, "'" .. match(reader.key, "[^/.]*$") .. "', which is cdata",
      "keep numbers in variables and tables of Lua")
  end
  return { type = "object", reader = reader, value = value, looked = looked }
end

local function upvalue_root(holder, position)
  return function()
    local _, value = get_upvalue(holder.f, position)
    return value
  end
end

local function upvalue_reader(holder, position, key)
  return { key = key, path = {}, holder = holder, position = position,
           root = upvalue_root(holder, position) }
end

--- A constant that Lua folded into the code, as a value; nil: there is none.
local function constant_value(self, f, name, node)
  local found, value, unknown = self.constant(f, name)
  if not found then return nil end
  if unknown then
    outside(node.line, "'" .. name .. "', which is not written out as a "
      .. "number or a boolean", "leave out its <const>")
  end
  if type(value) == "number" then
    return self.emit:constant(value + 0.0, math_type and math_type(value))
  end
  if value == nil then return { type = "nil" } end
  return self.emit:truth(value)
end

--- The value of a name that is no local variable of the function f.
function captures:lookup(f, name, node)
  local known = self:upvalues(f)
  local holder, position = known.holder, known[name .. "/"]
  local key = known.number .. "/"
  if position then
    return self:object(upvalue_reader(holder, position, key .. name),
      node.line)
  end
  local constant = constant_value(self, f, name, node)
  if constant then return constant end
  -- Where functions have environments, _ENV is a name like any other.
  local environment = not get_environment and known["_ENV/"]
  local reader = environment
    and upvalue_reader(holder, environment, key .. "_ENV")
    or get_environment and { key = key .. "/", path = {}, root = function()
      return get_environment(holder.f)
    end }
  if not reader then
    outside(node.line, "'" .. name .. "', which is not known here",
      "make it a local variable above the function")
  end
  reader.global = true
  return self:field(self:object(reader, node.line), name, node.line)
end

--- An argument that follows the rows: box[position].
function captures:argument(position, box)
  return self:object { key = "argument " .. position, path = {},
                       argument = true, box = box, position = position,
                       root = function() return box[position] end }
end

--- A step from a table to its field, in the key of a reader: one that no other
-- steps give together. name: or a number.
function captures.step(name)
  if type(name) == "number" then return format("[%.17g]", name) end
  if match(name, "^[%a_][%w_]*$") then return "." .. name end
  return format("[%q]", name)
end

--- The value of a field of a table from outside. name: or a number.
function captures:field(value, name, line)
  if type(value.value) ~= "table" then
    if value.value == nil then
      outside(line, "'." .. name .. "' of nil", captures.late)
    end
    outside(line, "'." .. name .. "' of a " .. type_of(value.value),
      "only fields of rows and of tables can be read")
  end
  local path = {}
  for k, part in ipairs(value.reader.path) do path[k] = part end
  path[#path + 1] = name
  local reader = value.reader
  return self:object({ key = reader.key .. captures.step(name), path = path,
                       root = reader.root, global = reader.global,
                       holder = reader.holder, position = reader.position,
                       owner = reader }, line)
end

--- Guards the tables of fields that are read and then not used: such a table
-- must stay a table, since plain Lua would raise an error. Called last.
function captures:guard_owners()
  local covered = {}
  for _, list in ipairs { self.uniforms, self.guards, self.groups,
                         self.arrays } do
    for _, known in ipairs(list) do covered[known.reader.key] = true end
  end
  for k = #self.looked, 1, -1 do
    local reader = self.looked[k].reader
    local owner = reader.owner
    if owner and not covered[reader.key] and not covered[owner.key] then
      self.guards[#self.guards + 1] = { reader = owner, table = true }
    end
    if owner then covered[owner.key] = true end
  end
end

--- Adds a guard: the code is valid while this value reads the same.
function captures:guard(value)
  local reader = value.reader
  if value.looked then
    local kind = type(value.value)
    value.looked.exact = kind == "number" or kind == "boolean"
  end
  if not reader or self.guarded[reader.key] then return end
  self.guarded[reader.key] = true
  self.guards[#self.guards + 1] = { reader = reader, value = value.value,
                                    elements = value.elements }
end

--- Adds a guard that is no other one.
local function add_guard(self, key, guard)
  if self.guarded[key] then return end
  self.guarded[key] = true
  self.guards[#self.guards + 1] = guard
end

--- Adds a guard: the code is valid while this value, a function of a script
-- that is inlined, is of the same code. Its variables are read from the closure
-- that is there. What reads the same function now has to read that one, too.
function captures:guard_code(callee)
  local reader, f = callee.reader, callee.value
  local known = self:upvalues(f)
  local holder, key = known.holder, reader.key
  if self.guarded[key] or known.fixed then
    known.fixed = true
    return self:guard(callee)
  end
  if not known.codes and holder ~= self.main then
    local done, code = pcall(dump, f)
    if not done then return self:guard(callee) end
    known.codes, known.first = { { code } }, key
  end
  if callee.looked and known.codes then
    callee.looked.holder, callee.looked.codes = holder, known.codes
  end
  add_guard(self, key .. "()", key == known.first
    and { reader = reader, value = f, holder = holder, codes = known.codes }
    or { reader = reader, value = f, same = holder })
end

--- Adds a guard of other captures, of functions that a dry run has called.
function captures:keep_guard(guard)
  if not guard.holder and not guard.same then return self:guard(guard) end
  add_guard(self, guard.reader.key .. "()", guard)
end

--- Has functions that are inlined stay the ones that they are: others of their
-- code may have variables in common.
function captures:fix_functions()
  for _, guard in ipairs(self.guards) do
    guard.holder, guard.codes, guard.same = nil, nil, nil
  end
end

--- Adds a guard: the code is valid while this value is nil, or while it is not,
-- as it is now.
function captures:guard_some(value)
  local reader = value.reader
  if value.value == nil then return self:guard(value) end
  add_guard(self, reader.key .. "?", { reader = reader, some = true })
end

--- Adds a guard: the code is valid while this value, which is neither nil nor
-- false, is neither.
function captures:guard_true(value)
  local reader = value.reader
  if self.guarded[reader.key] then return end
  add_guard(self, reader.key .. "!", { reader = reader, truth = true,
    value = value.value })
end

--- Adds guards for a side exit: its branch may be compiled as soon as what an
-- earlier attempt looked at is another, is not nil, or has elements. causes: a
-- list of that, as looked has it. number: of the exit.
function captures:guard_causes(causes, number)
  for k, looked in ipairs(causes) do
    local reader, root = looked.reader, looked.reader.root
    local holder = reader.holder
    if holder and holder ~= self.main then
      holder = self:upvalues(holder.f).holder
      root = upvalue_root(holder, reader.position)
    end
    local key = "exit " .. number .. "/" .. k
    add_guard(self, key, { value = looked.value, elements = looked.path,
      holder = looked.holder, codes = looked.codes,
      reader = { key = key, path = reader.path, root = root,
                 global = reader.global, holder = holder,
                 position = reader.position } })
  end
end

--- Does a guard hold?
function captures.holds(guard)
  local now = captures.read(guard.reader)
  if guard.table then
    return type(now) == "table" and not rawequal(now, UNREADABLE)
  end
  if guard.holder then return takes_place(guard.holder, guard.codes, now) end
  if guard.same then return rawequal(now, guard.same.f) end
  if guard.truth then
    guard.value = now
    return now and not rawequal(now, UNREADABLE)
  end
  if guard.some then return now ~= nil and not rawequal(now, UNREADABLE) end
  if guard.elements then return captures.lacks_elements(now, guard.elements) end
  return same(now, guard.value)
end

--- Is a number the handle of an entity, which a program does not read as null?
function captures.is_handle(number)
  return number >= 1 and number < 2 ^ 52 and number % 1 == 0
end

--- Is a number one that calls which take an entity do not refuse?
function captures.is_id(number)
  return number >= 0 and number < 2 ^ 53 and number % 1 == 0
end

local demands = { handle = captures.is_handle, id = captures.is_id }

--- The value of a uniform for a value from outside, made at the first use.
-- kind is number, bool or entity; demanded: what an entity must be, "handle" or
-- "id".
function captures:uniform(value, kind, demanded)
  local emit = self.emit
  local key = value.reader.key .. " " .. kind .. (demanded or "")
  local slot = self.slots[key]
  if not slot then
    slot = emit:uniform_slot(kind, value.reader.argument)
    self.slots[key] = slot
    self.uniforms[#self.uniforms + 1] = { reader = value.reader, kind = kind,
      demand = demands[demanded], box = value.reader.box,
      position = value.reader.position }
  end
  local computed = kind == "number" and "f64" or kind
  local read = emit:value("uniform " .. computed .. " " .. slot, computed)
  return { type = computed, id = read.id, slot = slot, reader = value.reader,
           number = value.number or value.value, looked = value.looked,
           flex = kind == "number" and not emit.double or nil }
end

--- A value from outside as a value of the program. Returns other values, and
-- objects that no program has, as they are.
function captures:plain(value)
  if value.type ~= "object" then return value end
  local kind = type(value.value)
  if kind == "number" then
    return self:uniform(value, "number")
  elseif kind == "boolean" then
    return self:uniform(value, "bool")
  elseif kind == "nil" then
    self:guard(value)
    return { type = "nil" }
  end
  return value
end

--- A value from outside as an entity; nil where it is none. demanded: what it
-- must be. "handle": a condition chooses between it and another value, so a
-- number must not read as null: in Lua, no number is false. "id": a call or a
-- store takes it, which refuse numbers that are none.
function captures:entity(value, demanded)
  if value.type == "object" and type(value.value) == "number"
    or value.slot and value.type ~= "bool" then
    if not demanded then return self:uniform(value, "entity") end
    if demands[demanded](value.number or value.value) then
      return self:uniform(value, "entity", demanded)
    end
    if value.looked then value.looked.exact = true end
    return nil
  elseif value.type == "object" and value.value == nil then
    self:guard(value)
    return self.emit.null()
  end
  return nil
end

return captures
