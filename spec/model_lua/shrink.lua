--- shrink: makes a failing program smaller, as long as it still fails.
--
-- Steps are removed from every list: halves first, then ever smaller pieces
-- down to single steps. Parts of loops, terms of queries, groups and options
-- are removed likewise. The rest fails, and would not without any one of its
-- steps. Costs some hundred runs of a program.

local shrink = {}

local ATTEMPTS = 3000

--- All lists of steps, parts and groups in a program, outermost first.
local function lists_of(made)
  local lists = { made.steps, made.groups }
  local at = 1
  while at <= #lists do
    for _, entry in ipairs(lists[at]) do
      if type(entry) == "table" then
        if entry.parts then lists[#lists + 1] = entry.parts end
        if entry.steps then lists[#lists + 1] = entry.steps end
      end
    end
    at = at + 1
  end
  return lists
end

local function take_out(list, first, count)
  local taken = {}
  for k = 1, count do taken[k] = table.remove(list, first) end
  return taken
end

local function put_back(list, first, taken)
  for k = #taken, 1, -1 do table.insert(list, first, taken[k]) end
end

--- Tries to remove pieces of one list. Returns true if some were removed.
local function thin(list, fails)
  local changed, size = false, #list
  while size >= 1 do
    local first = 1
    while first <= #list do
      local taken = take_out(list, first, math.min(size, #list - first + 1))
      if fails() then
        changed = true
      else
        put_back(list, first, taken)
        first = first + size
      end
    end
    size = math.floor(size / 2)
  end
  return changed
end

-- Optional keys of a step, and their replacements.
local optional = {
  { "w" }, { "bad" }, { "catch" }, { "leave" }, { "disabled" },
  { "every" }, { "when" }, { "state" },
  { "extras", 0 }, { "n", 1 }, { "count", 0 }, { "count", 1 },
}

--- Tries to remove the optional keys of a step.
local function simplify(list, fails)
  local changed = false
  for _, step in ipairs(list) do
    local options = type(step) == "table" and step.op and optional or {}
    for _, option in ipairs(options) do
      local key, less = option[1], option[2]
      local old = step[key]
      if old ~= nil and (less == nil or old > less) then
        step[key] = less
        if fails() then changed = true else step[key] = old end
      end
    end
  end
  return changed
end

--- Changes made. failure(made) runs the program and returns a failure or nil.
function shrink.shrink(made, failure)
  local attempts = 0
  local function fails()
    attempts = attempts + 1
    return attempts <= ATTEMPTS and failure(made) ~= nil
  end
  local changed
  repeat
    changed = false
    for _, list in ipairs(lists_of(made)) do
      if thin(list, fails) then changed = true end
    end
    for _, list in ipairs(lists_of(made)) do
      if simplify(list, fails) then changed = true end
    end
  until not changed or attempts > ATTEMPTS
  return made
end

return shrink
