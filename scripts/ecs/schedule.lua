--- schedule: plans the order in which systems run; runs nothing.
--
--     phases   { "first", "update", "last" }
--     systems  { { name = "move", phase = "update", before = { ... },
--                  after = { ... } }, ... }         in order of definition
--
--     plan     { { phase = "first", names = {} },
--                { phase = "update", names = { "move", ... } }, ... }
--
-- Phases run in their order. Within a phase, the next system is always the
-- earliest-defined one with all its predecessors placed. before and
-- after may name a system of another phase: nothing follows from it where the
-- order of the phases agrees, and it is an error where that order contradicts.
-- A disabled system is placed like any other.
--
-- The same systems give the same plan and the same error on every VM: nothing
-- here depends on the order of a table's keys. A plan is never changed, so a
-- frame may go on with one while the next is made.

-- Kept here: scripts replace functions of Lua, but programs must not change.
require("ecs.standard").inner "ecs.schedule"

local ipairs = ipairs
local concat, insert = table.concat, table.insert

local schedule = {}

local function quote(name) return "'" .. name .. "'" end

--- The index of each entry, by the entry or by its field key.
local function indices(list, key)
  local found = {}
  for k, entry in ipairs(list) do found[key and entry[key] or entry] = k end
  return found
end

--- Why a system cannot have this constraint; nil where it can. word is "before"
-- or "after"; rank is the index of each phase.
local function objection(system, word, other_name, other, rank)
  local wish = "system " .. quote(system.name) .. " is to run " .. word .. " "
    .. quote(other_name)
  if not other then return wish .. ", but there is no such system" end
  if other == system then return wish .. ", which is itself" end
  local here, there = rank[system.phase], rank[other.phase]
  if word == "before" and here > there or word == "after" and here < there then
    return wish .. ", but phase " .. quote(system.phase) .. " comes " ..
      (here > there and "after" or "before") .. " phase " .. quote(other.phase)
  end
end

--- For each system k the list waits[k]: the indices of the systems of the same
-- phase that must run before k, in order of mention. Or nil and an error
-- message.
local function constraints(phases, systems)
  local index, rank, waits = indices(systems, "name"), indices(phases), {}
  for k in ipairs(systems) do waits[k] = {} end
  for k, system in ipairs(systems) do
    for _, word in ipairs { "before", "after" } do
      for _, name in ipairs(system[word] or {}) do
        local other = index[name]
        local text = objection(system, word, name, systems[other], rank)
        if text then return nil, text end
        if systems[other].phase == system.phase then
          local first, second = k, other
          if word == "after" then first, second = other, k end
          insert(waits[second], first)
        end
      end
    end
  end
  return waits
end

--- The error for systems of a phase that wait for each other, with the names of
-- one circle. left is the set of systems that cannot be placed: each waits for
-- another of the set, so following them from start must come back.
local function circle(systems, waits, left, start)
  local path, seen, index = {}, {}, start
  while not seen[index] do
    path[#path + 1] = index
    seen[index] = #path
    for _, other in ipairs(waits[index]) do
      if left[other] then
        index = other
        break
      end
    end
  end
  -- The path leads from later systems to earlier ones: reverse it, and begin
  -- with the earliest-defined system.
  local around, names, earliest = {}, {}, 1
  for k = #path, seen[index], -1 do around[#around + 1] = path[k] end
  for k, other in ipairs(around) do
    if other < around[earliest] then earliest = k end
  end
  for k = 0, #around - 1 do
    local other = around[(earliest + k - 1) % #around + 1]
    names[k + 1] = quote(systems[other].name)
  end
  return "systems wait for each other: " .. concat(names, " before ")
    .. " before " .. names[1]
end

local function is_free(waits, left)
  for _, other in ipairs(waits) do
    if left[other] then return false end
  end
  return true
end

--- The names of the systems of a phase in order, or nil and an error message.
local function order(systems, waits, phase)
  local names, left, first = {}, {}, 1
  for k, system in ipairs(systems) do
    if system.phase == phase then left[k] = true end
  end
  while true do
    while first <= #systems and not left[first] do first = first + 1 end
    if first > #systems then return names end
    local chosen
    for k = first, #systems do
      if left[k] and is_free(waits[k], left) then
        chosen = k
        break
      end
    end
    if not chosen then return nil, circle(systems, waits, left, first) end
    left[chosen] = nil
    names[#names + 1] = systems[chosen].name
  end
end

--- The plan for these systems, each of which is in one of these phases; or nil
-- and an error message that names the systems at fault. Cost: linear in systems
-- and constraints where most systems run in order of definition, quadratic in
-- systems at worst.
function schedule.plan(phases, systems)
  local waits, text = constraints(phases, systems)
  if not waits then return nil, text end
  local plan = {}
  for k, phase in ipairs(phases) do
    local names
    names, text = order(systems, waits, phase)
    if not names then return nil, text end
    plan[k] = { phase = phase, names = names }
  end
  return plan
end

return schedule
