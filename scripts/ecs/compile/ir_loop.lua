--- ir_loop: the loops of kernel programs, which they call cycles.
--
-- A value belongs to the innermost open loop that one of its operands belongs
-- to, and is written there: what is the same in every turn stands in front of
-- the loop. A value of a loop is forgotten when the loop is closed, but for its
-- carries, which then belong to the loop around it.
--
--     open    a loop begins; its carries are made, then the values of a turn
--     stay    `while`: rows where the bool is false leave
--     close   it is written where it was opened
--     drop    it is not: the same loop will be lowered again
--
-- So values are not written in the order of their numbers, and get new ones
-- when the text is made. This file adds methods to ir_writer.

local standard = require "ecs.standard"
local require = standard.inner "ecs.compile.ir_loop"
local jit = standard.jit
if jit then jit.off(true, true) end -- runs too seldom to be worth compiling

-- Kept here: scripts replace functions of Lua, but programs must not change.
local concat, gmatch, gsub = table.concat, string.gmatch, string.gsub
local ipairs, tonumber, find = ipairs, tonumber, string.find
local match, format, max = string.match, string.format, math.max

local ir_writer = require "ecs.compile.ir_number"

--- The text of an operation without the names in it, which may hold anything.
local function without_names(text)
  return (gsub(text, '"[^"]*"', '""'))
end

--- Adds a new value to the innermost loop that it depends on. Returns the lines
-- to write it to.
function ir_writer:place_value(value, text)
  local level = 0
  for id in gmatch(without_names(text), "%f[%w]v(%d+)") do
    local of = self.levels[tonumber(id)]
    if of and of > level then level = of end
  end
  if level == 0 then return self.lines end
  local loop = self.loops[level]
  self.levels[value.id] = level
  loop.known[#loop.known + 1] = text
  return loop.lines
end

--- Opens a loop.
function ir_writer:open()
  self.loops[#self.loops + 1] = { lines = {}, known = {}, carries = {} }
end

--- A new carry of the innermost loop, of a type. Its values are given later.
function ir_writer:carry(type)
  local value = { type = type, id = self.values }
  self.values = self.values + 1
  self.levels[value.id] = #self.loops
  local carries = self.loops[#self.loops].carries
  carries[#carries + 1] = value
  return value
end

--- Rows where the bool is false leave the innermost loop here.
function ir_writer:stay(test)
  local lines, name = self.loops[#self.loops].lines, self:name(test)
  lines[#lines + 1] = "while " .. name
end

--- Forgets the innermost loop, and what depends on its turns.
function ir_writer:drop()
  local loop = self.loops[#self.loops]
  for _, text in ipairs(loop.known) do self.known[text] = nil end
  self.loops[#self.loops] = nil
  return loop
end

--- Writes the innermost loop. starts, ends: of each carry, the value before the
-- first turn and the one behind each turn, of its type. mask: the rows that
-- make turns; nil: all. go: the bool of another turn; nil: true. label: a
-- number that tells this loop from others.
function ir_writer:close(starts, ends, mask, go, label)
  local depth = #self.loops
  local loop, lines = self.loops[depth], { "repeat" }
  local carries, nexts = loop.carries, {}
  if mask then lines[1] = "repeat " .. self:name(mask) end
  lines[1] = lines[1] .. " ; loop " .. format("%d", label)
  for k, carry in ipairs(carries) do
    lines[#lines + 1] = "v" .. carry.id .. " = carry "
      .. ir_writer.carried(carry.type) .. " " .. self:name(starts[k])
    nexts[k] = "next v" .. carry.id .. " " .. self:name(ends[k])
  end
  local again = go and "again " .. self:name(go) or "again"
  for _, line in ipairs(loop.lines) do lines[#lines + 1] = line end
  for _, line in ipairs(nexts) do lines[#lines + 1] = line end
  lines[#lines + 1] = again
  self:drop()
  for _, carry in ipairs(carries) do
    self.levels[carry.id] = depth > 1 and depth - 1 or nil
  end
  local outer = depth > 1 and self.loops[depth - 1].lines or self.lines
  outer[#outer + 1] = concat(lines, "\n")
  self.has_loops = true
end

-- Text ------------------------------------------------------------------------

--- Is an entry of lines a value or a loop? Others are effects, and so is what
-- depends on an entity that is spawned. late: the numbers of such values.
local function is_computed(line, late)
  if match(line, "^repeat[ \n]") then return true end
  local made = match(line, "^v(%d+) = ")
  if not made then return false end
  local is_late = find(line, " = spawn", 1, true)
  for id in gmatch(without_names(line), "%f[%w]v(%d+)") do
    is_late = is_late or late[id]
  end
  late[made] = is_late and true or nil
  return not is_late
end

--- One line with the numbers of values replaced.
local function renumber(line, numbers)
  local made = match(line, "^v(%d+) = ")
  if made then
    numbers.count = numbers.count + 1
    numbers[made] = "v" .. numbers.count - 1
  end
  -- Between quotes are names, in every second piece.
  local pieces, outside = {}, true
  for piece, quote in gmatch(line, '([^"]*)("?)') do
    if outside then
      piece = gsub(piece, "%f[%w]v(%d+)", numbers)
    end
    pieces[#pieces + 1] = piece .. quote
    if quote ~= "" then outside = not outside end
  end
  return concat(pieces)
end

--- The lines of a program with loops, in which effects come last and values
-- have numbers in their order.
function ir_writer:ordered_lines()
  local all, numbers = {}, { count = 0 }
  local function add(line)
    for each in gmatch(line, "[^\n]+") do
      all[#all + 1] = renumber(each, numbers)
    end
  end
  local effects, late = {}, {}
  for _, line in ipairs(self.lines) do
    if is_computed(line, late) then
      add(line)
    else
      effects[#effects + 1] = line
    end
  end
  for _, line in ipairs(effects) do add(line) end
  self.loop_text = all
  return all
end

--- Line of the text with a repeat -> the label of its loop. Call it behind
-- text.
function ir_writer:loop_lines()
  local found = {}
  for line, text in ipairs(self.loop_text or {}) do
    local label = match(text, "^repeat.* ; loop (%d+)$")
    if label then found[line + max(#self.declarations, 1)] = tonumber(label) end
  end
  return found
end

return ir_writer
