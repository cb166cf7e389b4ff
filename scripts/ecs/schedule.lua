--- schedule: the order in which systems run; plans it, and runs nothing.
--
--     phases   { "first", "update", "last" }
--     systems  { { name = "move", phase = "update", before = { ... },
--                  after = { ... } }, ... }         in order of definition
--
--     plan     { { phase = "first", names = {} },
--                { phase = "update", names = { "move", ... } }, ... }
--
-- Phase by phase; within one, repeatedly the earliest-defined system that waits
-- for nobody any more. before and after may name a system of another phase: it
-- is in order when the phases say the same, and an error when they contradict.
-- A disabled system has its place like any other.
--
-- The same systems give the same plan and the same error on every VM: nothing
-- here depends on the order of a table's keys. A plan is never changed, so a
-- frame may go on with one while the next is made.

local schedule = {}

local function quote(name) return "'" .. name .. "'" end

--- name -> place, of systems or phases.
local function places(list, key)
  local found = {}
  for k, entry in ipairs(list) do found[key and entry[key] or entry] = k end
  return found
end

--- Why a system cannot have this constraint; nil when it can.
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

--- waits[k]: the places, in order of mention, of the systems of the same phase
-- that k waits for. Or nil and what is wrong.
local function constraints(phases, systems)
  local place, rank, waits = places(systems, "name"), places(phases), {}
  for k in ipairs(systems) do waits[k] = {} end
  for k, system in ipairs(systems) do
    for _, word in ipairs { "before", "after" } do
      for _, name in ipairs(system[word] or {}) do
        local other = place[name]
        local text = objection(system, word, name, systems[other], rank)
        if text then return nil, text end
        if systems[other].phase == system.phase then
          local first, second = k, other
          if word == "after" then first, second = other, k end
          table.insert(waits[second], first)
        end
      end
    end
  end
  return waits
end

--- The systems of a phase wait for each other: names some that do, in a circle.
-- Whoever is left waits for somebody who is left.
local function circle(systems, waits, left, start)
  local path, seen, at = {}, {}, start
  while not seen[at] do
    path[#path + 1] = at
    seen[at] = #path
    for _, other in ipairs(waits[at]) do
      if left[other] then
        at = other
        break
      end
    end
  end
  -- The path leads back in time: turned round, the earliest-defined first.
  local around, names, earliest = {}, {}, 1
  for k = #path, seen[at], -1 do around[#around + 1] = path[k] end
  for k, other in ipairs(around) do
    if other < around[earliest] then earliest = k end
  end
  for k = 0, #around - 1 do
    local other = around[(earliest + k - 1) % #around + 1]
    names[k + 1] = quote(systems[other].name)
  end
  return "systems wait for each other: " .. table.concat(names, " before ")
    .. " before " .. names[1]
end

local function is_free(waits, left)
  for _, other in ipairs(waits) do
    if left[other] then return false end
  end
  return true
end

--- The names of one phase's systems in order, or nil and what is wrong.
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
-- and what is wrong, naming the systems. Cost: constant per system and
-- constraint where most come in order of definition, quadratic at worst.
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
