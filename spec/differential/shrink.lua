--- shrink: makes a failing function smaller, as long as it fails in the same
-- way.
--
-- Statements are removed one by one, a branch is replaced by one of its bodies,
-- an expression by one of its operands or a number, and rows are removed. A
-- change after which the tree is invalid (a variable without its declaration),
-- runs well or fails in another way is undone. Costs some hundred runs of a
-- function.

local entries = require "model_lua.entries"

local shrink = {}

local ATTEMPTS = 1500

--- All tables of a tree that hold nodes, outermost first: lists and nodes.
local function places_of(made)
  local list, seen = {}, {}
  local function visit(place)
    if seen[place] then return end
    seen[place] = true
    list[#list + 1] = place
    for _, value in entries(place) do
      if type(value) == "table" then visit(value) end
    end
  end
  visit(made.body)
  for _, f in ipairs(made.functions) do visit(f.body) end
  return list
end

--- The expressions under a node that could replace it.
local function parts_of(node)
  local parts = {}
  local function offer(value)
    if type(value) == "table" and value.t == node.t then
      parts[#parts + 1] = value
    end
  end
  for _, value in entries(node) do
    offer(value)
    if type(value) == "table" and not value.k then
      for _, inner in ipairs(value) do offer(inner) end
    end
  end
  if node.t == "num" and node.k ~= "const" then
    parts[#parts + 1] = { k = "const", t = "num", value = 1 }
  end
  return parts
end

--- Tries to remove statements of a list, or to make one smaller.
local function thin(list, fails)
  local changed, at = false, #list
  while at >= 1 do
    local node = table.remove(list, at)
    if fails() then
      changed = true
    else
      table.insert(list, at, node)
      for _, body in ipairs { node.body or false, node.other or false,
                              node.bodies and node.bodies[1] or false } do
        if body and list[at] == node then
          list[at] = { k = "do", body = body }
          if fails() then changed = true else list[at] = node end
        end
      end
      if list[at] == node and node.other then
        local other = node.other
        node.other = nil
        if fails() then changed = true else node.other = other end
      end
    end
    at = at - 1
  end
  return changed
end

--- Tries smaller expressions in one place.
local function simplify(place, fails)
  local changed = false
  for key, node in entries(place) do
    if type(node) == "table" and node.t then
      for _, part in ipairs(parts_of(node)) do
        if place[key] == node then
          place[key] = part
          if fails() then changed = true else place[key] = node end
        end
      end
    end
  end
  return changed
end

local function is_statements(place)
  return type(place[1]) == "table" and place[1].k and not place[1].t
end

--- Tries fewer rows.
local function fewer(options, fails)
  local changed = false
  for _, count in ipairs { 0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 512 } do
    local old = options.rows
    if count < old then
      options.rows = count
      if fails() then return true end
      options.rows = old
    end
  end
  return changed
end

--- Changes made and options (those of run.lua). failure(made, options) runs the
-- function and gives the failure, or nil; only failures of this kind count.
function shrink.shrink(made, options, kind, failure)
  local attempts = 0
  local function fails()
    attempts = attempts + 1
    if attempts > ATTEMPTS then return false end
    local found = failure(made, options)
    return found ~= nil and found.kind == kind
  end
  local changed
  repeat
    changed = fewer(options, fails)
    for _, place in ipairs(places_of(made)) do
      if is_statements(place) and thin(place, fails) then changed = true end
    end
    for _, place in ipairs(places_of(made)) do
      if simplify(place, fails) then changed = true end
    end
  until not changed or attempts > ATTEMPTS
  return made
end

return shrink
