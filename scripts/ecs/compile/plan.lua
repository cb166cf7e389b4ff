--- plan: the two results of compiling a function, a plan or a problem.
--
-- A **plan** is a kernel program as text, with the values from outside that
-- must be read and compared before each of its runs. A **problem** is the
-- reason why a function has no plan, with the values that were read before:
-- while all of them are the same, compiling again would fail again.
--
-- The two constructors list every field. The other functions here are the only
-- code that changes a plan or a problem; every file may read their fields.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.plan"

local core = require "ecs.core"
local backend = require "ecs.backend"
local captures = require "ecs.compile.captures"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local find, gsub = string.find, string.gsub
local ipairs, next, type = ipairs, next, type
local rawequal, rawget, rawset = rawequal, rawget, rawset
local math_type, to_integer = rawget(math, "type"), rawget(math, "tointeger")
local set_upvalue = standard.debug.setupvalue

--- The largest integer that a program may begin to add to.
local MOST = 2 ^ 52
local get_metatable = standard.debug.getmetatable or getmetatable

local read_captured, holds = captures.read, captures.holds
local checks = backend.outside_checks
local array_fits = backend.core.array_fits
local copy_table, copy_wanted = backend.copy_table, backend.copy_wanted
local table_guess, array_shape = core.table_guess, core.array_shape

local plan = {}

--- Is nothing read outside but arguments, so that reading runs no code of a
-- script? Numbers that the program changes are read, and written, too.
local function is_quiet(fields)
  if fields.places then return false end
  for k = 1, #fields.uniforms do
    if not fields.uniforms[k].box then return false end
  end
  return #fields.guards == 0 and #fields.groups == 0
    and #fields.arrays == 0
end

local function count_lines(text)
  local _, count = gsub(text, "\n", "")
  return count
end

--- A new plan. fields: text, uniforms, guards, groups, totals, loops, grids,
-- main, looked, count, places, exits.
function plan.new(fields)
  return {
    -- The program, as ecs.core takes it.
    text = fields.text,
    -- How many instructions it has.
    operations = count_lines(fields.text),
    -- What to read before each run, in the order of the program's uniforms: a
    -- list of { reader, kind, demand, box, position } of captures.lua.
    uniforms = fields.uniforms,
    -- What must be as it was when the function was compiled: a list of guards
    -- of captures.lua.
    guards = fields.guards,
    -- The tables to copy before each run: a list of groups of
    -- captures_table.lua.
    groups = fields.groups,
    -- The arrays of the world that it reads in place: a list of slots of
    -- lower_array.lua.
    arrays = fields.arrays,
    -- The totals that the program's reductions go into, in their order; true:
    -- the reduction is the most numbers that a row has drawn; false: it is the
    -- next of the places.
    totals = fields.totals,
    -- Line of the text with a loop -> where the loop is in the script.
    loops = fields.loops,
    -- The grids that it asks, in the order of the program's.
    grids = fields.grids,
    -- Numbers outside that the program changes, in the order of its reductions:
    -- a list of { reader, kind, added, operation, table, field, flag, is_flag,
    -- before } of lower_total.lua, and before: the number of the last run; nil:
    -- there are none.
    places = fields.places,
    -- { f }: the function that the readers of upvalues use. f is set only while
    -- they read, and false otherwise, so that a plan keeps no closure.
    main = fields.main,
    -- Everything outside the function that the compiler looked at: a list of
    -- { reader, value, exact } of captures.lua.
    looked = fields.looked,
    -- How many arguments follow the rows.
    count = fields.count,
    -- true: reading it runs no code of a script.
    quiet = is_quiet(fields),
    -- Where rows leave the program, to run as plain Lua: a list of { file,
    -- line, construct }; nil: nowhere.
    exits = fields.exits,
    -- true: all that it reads are arguments, so it holds for ever. Set by
    -- system_each.lua.
    steady = false,
    -- true: plain Lua computes the same bits. Set when it gets a program.
    exact = false,
    -- How many of its operations may follow from what earlier rows have put in
    -- arrays of the world, and whether loops and keys do. Set when it gets a
    -- program.
    late = 0, late_loops = false, late_keys = false,
    -- The list of plan.outside; nil: not made yet.
    readers = nil,
    -- The numbers of the uniforms as they were read last, one for each, then
    -- those of the places.
    values = {},
    -- The copies of the groups, and arrays of the world, in the order of the
    -- program's arrays.
    copies = {},
    -- The program of ecs.core, where the plan belongs to one query; nil before
    -- it was made, after it was dropped, and for a plan that queries share.
    program = nil,
  }
end

--- A new problem. fields: file, line, text, final, main, looked, count, early.
function plan.problem(fields)
  return {
    -- Where the cause stands: a file's name as messages show it, and a line.
    file = fields.file,
    line = fields.line,
    -- What is wrong and what to do about it: one line for people.
    text = fields.text,
    -- true: whatever values are outside, the function cannot be compiled.
    final = fields.final,
    -- { f } and everything outside that the compiler looked at, as in a plan.
    main = fields.main,
    looked = fields.looked,
    -- How many arguments followed the rows; nil: any number has the problem.
    count = fields.count,
    -- true: something that is nil, or a table without elements, may come yet.
    early = fields.early or false,
  }
end

--- Reads the numbers that a plan changes into its values. Returns as plan.read.
local function read_places(self)
  local places, values, count = self.places, self.values, #self.uniforms
  for k = 1, #places do
    local place = places[k]
    local number = not place.is_flag and read_captured(place.reader) or 0
    if type(number) ~= "number" or math_type and not place.is_flag
      and math_type(number) ~= place.kind
      or place.table and rawget(place.table, place.field) == nil
      or place.kind == "integer" and (number > MOST or number < -MOST) then
      return false
    end
    place.before = number
    values[count + k] = number
  end
  return true
end

--- A table with more elements than so many for each row of the program, and
-- with so many at least, is not copied as a whole, but the elements that rows
-- look at. On LuaJIT copying all is that much faster. How many elements a table
-- of tables has is guessed.
local TIMES, LARGE = backend.copies_fast and 4 or 1, 256

local function is_plain_table(value)
  return type(value) == "table" and get_metatable(value) == nil
end

--- Copies a group of a plan. Returns false where the table has not the elements
-- that the plan was made for.
local function copy_group(self, group)
  local from, program, done = read_captured(group.reader), self.program, nil
  if program and is_plain_table(from)
    and (#from >= LARGE or #group.names > 1) and group.names[1] then
    done = copy_wanted(from, group.path, group.kind, self.copies, group.at,
      group.whole, program, self.values, TIMES, LARGE, "__index")
    group.is_whole = done == nil
  end
  if done ~= nil then return done end
  return copy_table(from, group.path, group.kind, group.copies or self.copies,
    group.at, group.whole)
end

--- About how many elements of tables the next run of a plan copies, by the
-- length of each table and of its first row; of how many more only those that
-- rows look at; of how many groups these are; and how many arrays there are in
-- all. f: the function that runs. Reading a global may run code of a script.
-- Cost: a call for each table.
function plan.elements(self, f)
  local whole, wanted, groups, arrays = 0, 0, 0, 0
  self.main.f = f
  for k = 1, #self.groups do
    local group = self.groups[k]
    local count = table_guess(read_captured(group.reader), group.path)
    arrays = arrays + #group.names
    if self.program and count >= LARGE and not group.is_whole then
      wanted, groups = wanted + count, groups + 1
    else
      whole = whole + count
    end
  end
  self.main.f = false
  return whole, wanted, groups, arrays
end

--- Copies the tables of a plan. Returns as copy_group.
local function copy_tables(self)
  local groups = self.groups
  for k = 1, #groups do
    if not copy_group(self, groups[k]) then return false end
  end
  return true
end

--- Finds the arrays of the world that a plan reads; false: one is of another
-- kind now.
local function find_arrays(self)
  local arrays, copies = self.arrays, self.copies
  for k = 1, #arrays do
    local slot = arrays[k]
    local array = read_captured(slot.reader)
    if not array_fits(array, slot.world, slot.type, slot.dimensions) then
      return false
    end
    copies[slot.at] = array
  end
  return true
end

--- Reads the uniforms of a plan into its values, and its tables into copies.
-- Returns true, or false where the plan does not hold now: a guard is broken, a
-- uniform is of another type, or elements of a table are. f is the function
-- that runs: the one that was compiled, or another closure of the same code.
-- Reading a global may run code of a script. Cost: a table access for an
-- argument, a call for any other uniform or guard, a walk over each table that
-- is copied.
function plan.read(self, f)
  local main, guards, uniforms = self.main, self.guards, self.uniforms
  local values = self.values
  main.f = f
  for k = 1, #guards do
    if not holds(guards[k]) then return false end
  end
  for k = 1, #uniforms do
    local uniform = uniforms[k]
    local box, value = uniform.box
    if box then
      value = box[uniform.position]
    else
      value = read_captured(uniform.reader)
    end
    if uniform.kind == "bool" then
      if type(value) ~= "boolean" then return false end
      value = value and 1 or 0
    elseif type(value) ~= "number"
      or uniform.demand and not uniform.demand(value) then
      return false
    end
    values[k] = value
  end
  if self.places and not read_places(self) then return false end
  if #self.arrays > 0 and not find_arrays(self) then return false end
  if #self.groups > 0 and not copy_tables(self) then return false end
  main.f = false -- not nil: a key that stays is faster to set again
  return true
end

--- What a place has to hold after a run that gave this result.
local function result_of(place, values, count, result)
  local before = place.before
  if place.operation ~= "total" then
    -- Only another number has replaced the first one.
    if result == before or result ~= result then return before end
  elseif place.flag and values[count + place.flag] ~= 1 then
    return before
  end
  return place.added == "integer" and to_integer(result) or result
end

--- Writes the numbers that the program of a plan has changed, which core put
-- into its values, for the function f. Runs no code of a script.
function plan.write(self, f)
  local places, values, count = self.places, self.values, #self.uniforms
  self.main.f = f
  for k = 1, #places do
    local place = places[k]
    if not place.is_flag then
      local number = result_of(place, values, count, values[count + k])
      if place.table then
        rawset(place.table, place.field, number)
      else
        local reader = place.reader
        set_upvalue(reader.holder.f, reader.position, number)
      end
    end
  end
  self.main.f = false
end

--- Appends a reader and the value that it has now to a list; false: a reader of
-- this kind cannot be in one.
local function append_reader(list, holders, reader, main, value)
  if not reader.holder or value == nil or reader.length then return false end
  list[#list + 1] = reader.holder ~= main and reader.holder.f
  if reader.holder ~= main then holders[#list] = reader.holder end
  list[#list + 1] = reader.position
  list[#list + 1] = #reader.path
  for k = 1, #reader.path do list[#list + 1] = reader.path[k] end
  list[#list + 1] = value
  return true
end

--- The list for plan.outside, and where in it the values of the uniforms are,
-- functions of holders, and values that are only true. false: it cannot be
-- made.
local function list_readers(self)
  local list, places, main, values = {}, {}, self.main, self.values
  local holders, truths = {}, {}
  if self.places or #self.groups > 0 or #self.arrays > 0 then return false end
  for k, uniform in ipairs(self.uniforms) do
    if not uniform.box then
      if not append_reader(list, holders, uniform.reader, main, values[k])
      then
        return false
      end
      places[#places + 1] = { k, #list, uniform.kind == "bool" }
    end
  end
  for _, guard in ipairs(self.guards) do
    local holder = guard.holder or guard.same
    if guard.table or guard.some or guard.elements or holder == main
      or not append_reader(list, holders, guard.reader, main,
        holder and holder.f or guard.value) then
      return false
    end
    if holder then holders[#list] = holder end
    if guard.truth then truths[#list] = guard end
  end
  return { list = list, places = places, holders = holders, truths = truths,
           check = nil }
end

--- What a plan reads, as it was read last. run_exits of ecs.core asks whether
-- it has changed (bindings/lua/program/outside.c). For each reader: the
-- function, or false for the one that was compiled; the number of an upvalue;
-- how many keys of tables follow; these; and the value. false where not all of
-- it fits into such a list. Arguments do not change in a run. Cost: makes the
-- list once; then one step for each uniform.
function plan.outside(self)
  local readers = self.readers
  if readers == nil then
    readers = list_readers(self)
    self.readers = readers
  end
  if not readers then return false end
  local list, values = readers.list, self.values
  for _, place in ipairs(readers.places) do
    local value = values[place[1]]
    if place[3] then value = value == 1 end
    list[place[2]] = value
  end
  for at, holder in next, readers.holders do
    if list[at] ~= holder.f then list[at], readers.check = holder.f, nil end
  end
  for at, guard in next, readers.truths do
    if not rawequal(list[at], guard.value) then
      list[at], readers.check = guard.value, nil
    end
  end
  return list
end

--- The numbers of the uniforms that are arguments, in a new list.
function plan.arguments(self)
  local list = {}
  for k, uniform in ipairs(self.uniforms) do
    if uniform.box then list[#list + 1] = k end
  end
  return list
end

--- Does a plan read a field of a resource, for the function f, which systems
-- may write through rows? And does it read globals, which may call a function?
function plan.reads_others(self, f)
  local resource, global = false, false
  self.main.f = f
  for _, list in ipairs { self.uniforms, self.guards } do
    for _, one in ipairs(list) do
      resource = resource or captures.is_of_resource(one.reader)
      global = global or one.reader.global or false
    end
  end
  self.main.f = false
  return resource, global
end

--- A function that answers whether all that a plan reads is as plan.outside
-- said last, for the function f: true, or false where that is not certain.
-- Returns false where only ecs.core can answer it. Cost: a few closures.
function plan.check(self, f)
  local readers = self.readers
  if not readers or not checks then return false end
  if readers.check == nil then
    readers.check = checks.prepare(readers.list) or false
  end
  return readers.check and checks.check(readers.check, f)
end

--- Notes whether plain Lua computes the same bits as the program of a plan.
-- double: everything is computed in f64.
function plan.note_exact(self, double)
  self.exact = double or not find(self.text, " f32", 1, true)
end

--- Notes what of a plan may follow from what earlier rows have put in arrays.
-- program: any that ecs.core made of it.
function plan.note_meetings(self, program)
  local late, loops, keys = core.program_meetings(program)
  self.late, self.late_loops, self.late_keys = late or 0, loops, keys
end

--- The name of an array of the world that the plan both reads and writes, for
-- the function f; nil: there is none. Cost: a read for each array.
function plan.met_array(self, f)
  local arrays = self.arrays
  self.main.f = f
  local name
  for k = 1, #arrays do
    local array = arrays[k].writes and read_captured(arrays[k].reader)
    for other = 1, array and #arrays or 0 do
      if arrays[other].reads
        and rawequal(read_captured(arrays[other].reader), array) then
        local _, _, now = array_shape(array)
        name = now or arrays[k].label
      end
    end
  end
  self.main.f = false
  return name
end

--- Keeps the program that ecs.core made of a plan.
function plan.keep_program(self, program)
  self.program = program
end

--- Destroys the program of a plan, where there is one.
function plan.drop_program(self)
  if self.program then core.drop_program(self.program) end
  self.program = nil
end

--- Is everything that was looked at before the problem as it was, so that
-- compiling f again would give the same problem? Cost: one read for each.
function plan.unchanged(problem, f)
  local looked = problem.looked
  problem.main.f = f
  for k = 1, #looked do
    if not captures.alike(looked[k]) then return false end
  end
  return true
end

return plan
