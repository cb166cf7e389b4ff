-- observer_model: random programs with observers, against a model that runs the
-- queue of calls naively.
--
-- A program is drawn once and played twice: in a world, and in the model, where
-- a recording is a list of what becomes of each entity, and an application
-- compares that with what was there. Observers spawn, destroy, link, change,
-- end themselves and raise errors. Entities are known by the number of their
-- spawn. Both write a log of all calls with the values that they were shown.

local ecs = require "ecs"

local A = ecs.component("OmA", { v = "i32" })
local B = ecs.component("OmB", { v = "i32" }, { storage = "sparse" })
local T = ecs.tag("OmT", { storage = "bits" })
local parts = { a = A, b = B, t = T }
local names = { "a", "b", "t" }

-- Drawing --------------------------------------------------------------------

local state

--- A whole number from 1 to n.
local function draw(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return math.floor(state / 65536) % n + 1
end

--- An action of a step or of an observer. Entities are drawn when it is played,
-- from those that are alive: pick says which.
local function draw_action(inside)
  local kind = draw(inside and 14 or 9)
  return { kind = kind, pick = draw(1000), part = names[draw(3)],
    value = draw(99), set = draw(7) }
end

local occasions = { "add", "remove", "set", "enter", "leave", "destroy" }

local function draw_program(seed)
  state = seed
  local program = { observers = {}, steps = {} }
  for k = 1, 2 + draw(5) do
    local what = occasions[draw(6)]
    local part = names[draw(what == "set" and 2 or 3)]
    local observer = { what = what, part = part, plan = {} }
    for p = 1, 4 do
      observer.plan[p] = draw(3) == 1 and draw_action(true) or false
    end
    program.observers[k] = observer
  end
  for k = 1, 40 do
    local step = { walk = draw(4) == 1 }
    for a = 1, step.walk and draw(5) or 1 do step[a] = draw_action(false) end
    program.steps[k] = step
  end
  return program
end

--- Plays an action by the calls of a side: a world's or the model's.
local function play(side, action, observer)
  local kind, labels = action.kind, side.labels()
  local label = labels[(action.pick - 1) % math.max(#labels, 1) + 1]
  if kind <= 2 then
    if #labels < 20 then side.spawn(action.set, action.value, nil) end
  elseif kind == 3 then
    if #labels < 20 then side.spawn(action.set, action.value, label) end
  elseif kind == 10 then
    side.off(observer)
  elseif kind == 11 then
    error("raised by " .. observer, 0)
  elseif not label or kind > 11 then
    return
  elseif kind == 4 then
    side.destroy(label)
  elseif kind <= 6 then
    side.add(label, action.part, action.value)
  elseif kind == 7 then
    side.remove(label, action.part)
  elseif action.part ~= "t" then
    side.set(label, action.part, action.value)
  end
end

local function has_part(set, k)
  return math.floor(set / 2 ^ (k - 1)) % 2 == 1
end

-- The world ------------------------------------------------------------------

local function new_world(program, log)
  local world = ecs.world {}
  local ids, label_of, count, handles, spawning = {}, {}, 0, {}, 0
  local side = { world = world }
  local function know(e, label)
    ids[label], label_of[e] = e, label
    return label
  end
  function side.labels()
    local list = {}
    for label = 1, count do
      if side.applied[label] and world:alive(ids[label]) then
        list[#list + 1] = label
      end
    end
    return list
  end
  function side.spawn(set, value, parent)
    local given = {}
    for k, name in ipairs(names) do
      if has_part(set, k) then
        given[#given + 1] = name == "t" and T or parts[name] { v = value }
      end
    end
    if parent then given[#given + 1] = ecs.ChildOf { parent = ids[parent] } end
    count = count + 1
    local label = count -- observers are called before it is known whose it is
    spawning = label
    know(world:spawn((table.unpack or unpack)(given)), label)
  end
  function side.destroy(label) world:destroy(ids[label]) end
  function side.add(label, part, value)
    if part == "t" then world:add(ids[label], T)
    else world:add(ids[label], parts[part] { v = value }) end
  end
  function side.remove(label, part) world:remove(ids[label], parts[part]) end
  function side.set(label, part, value)
    world:set(ids[label], parts[part], "v", value)
  end
  function side.off(k) handles[k]:off() end
  --- Labels that are there, not only recorded.
  function side.settle()
    side.applied = {}
    for label = 1, count do side.applied[label] = world:alive(ids[label]) end
  end
  side.settle()
  local walked = world:query { all = true }
  function side.walk(f)
    local first = true
    walked:each(function()
      if first then f() end
      first = false
    end)
    return not first
  end
  function side.text()
    local lines = {}
    for label = 1, count do
      local e = ids[label]
      if world:alive(e) then
        lines[#lines + 1] = label .. ":" .. tostring(world:get(e, A, "v"))
          .. "," .. tostring(world:get(e, B, "v")) .. ","
          .. tostring(world:has(e, T))
      end
    end
    return table.concat(lines, " "):gsub("%.0", "")
  end
  local query = world:query { A, without = { T } }
  for k, observer in ipairs(program.observers) do
    local calls = 0
    local function f(e, p)
      calls = calls + 1
      local label = label_of[e] or know(e, spawning)
      log[#log + 1] = ("%d %s %d %s"):format(k, observer.what, label,
        p and tostring(math.floor(p.v)) or "-")
      local action = observer.plan[(calls - 1) % 4 + 1]
      side.settle_labels()
      if action then play(side, action, k) end
    end
    if observer.what == "destroy" then
      handles[k] = world:on("destroy", f)
    elseif observer.what == "enter" or observer.what == "leave" then
      handles[k] = world:on(observer.what, query, f)
    else
      handles[k] = world:on(observer.what, parts[observer.part], f)
    end
  end
  --- Inside of an observer an entity is there if it has a row: what was spawned
  -- since is only recorded. So the walk of a query is asked, which sees rows.
  function side.settle_labels()
    side.applied = {}
    for e in walked:rows() do side.applied[label_of[e] or 0] = true end
  end
  return side
end

-- The model ------------------------------------------------------------------

local function copy(being)
  local same = {}
  for key, value in pairs(being) do same[key] = value end
  return same
end

local function new_model(program, log)
  local alive, count = {}, 0   -- label -> { a =, b =, t =, parent = }
  local recording              -- nil: changes are made at once
  local queue, active, calls = {}, {}, {}
  local side = {}
  for k in ipairs(program.observers) do active[k], calls[k] = true, 0 end

  local function entry_of(label)
    local entry = recording.by[label]
    if not entry then
      entry = { label = label, after = copy(alive[label] or {}) }
      recording.by[label] = entry
      recording[#recording + 1] = entry
    end
    return entry
  end

  local function matches(being) return being and being.a and not being.t end

  --- Is an observer told of what becomes of one entity?
  local function is_told(observer, before, after, sets)
    local part = observer.part
    local had, has = before and before[part], after and after[part]
    if observer.what == "add" then return not had and has end
    if observer.what == "remove" then return had and not has end
    if observer.what == "set" then return had and has and sets[part] end
    if observer.what == "enter" then
      return not matches(before) and matches(after)
    end
    if observer.what == "leave" then
      return matches(before) and not matches(after)
    end
    return before and not after
  end

  --- What the observers are told of one entity; last: with the last values.
  local function tell(label, before, after, last, sets)
    for _, deaths in ipairs { false, true } do
      for k, observer in ipairs(program.observers) do
        if active[k] and (observer.what == "destroy") == deaths
          and is_told(observer, before, after, sets) then
          queue[#queue + 1] = { k = k, label = label, last = copy(last) }
        end
      end
    end
  end

  --- The children of one that dies, which die now, too.
  local function follow_children(dying)
    for _, one in ipairs(dying) do
      for label = 1, count do
        local entry = recording.by[label]
        local being = entry and entry.after or alive[label]
        if being and being.parent == one and not (entry and entry.dies) then
          entry_of(label).dies = true
          dying[#dying + 1] = label
        end
      end
    end
  end

  --- What dies with what is destroyed: with the first of these, with the second
  -- and so on.
  local function follow_links()
    local destroyed = {}
    for _, entry in ipairs(recording) do
      if entry.dies then destroyed[#destroyed + 1] = entry.label end
    end
    for _, label in ipairs(destroyed) do follow_children { label } end
  end

  local function sets_of(label)
    local sets = {}
    for _, set in ipairs(recording.sets) do
      if set.label == label then sets[set.part] = true end
    end
    return sets
  end

  local function apply()
    follow_links()
    local told = {}
    for pass = 1, 2 do
      for _, entry in ipairs(recording) do
        if not entry.dies and (entry.born or false) == (pass == 1) then
          tell(entry.label, alive[entry.label], entry.after, entry.last
            or alive[entry.label] or {}, sets_of(entry.label))
          told[entry.label] = true
        end
      end
    end
    for _, set in ipairs(recording.sets) do
      local entry = recording.by[set.label]
      if alive[set.label] and not told[set.label] and not (entry and entry.dies)
        and not set.again then
        tell(set.label, alive[set.label], alive[set.label], {},
          { [set.part] = true })
      end
    end
    for _, entry in ipairs(recording) do
      if entry.dies and not entry.born then
        tell(entry.label, alive[entry.label], nil, entry.last
          or alive[entry.label], {})
      end
    end
    for _, entry in ipairs(recording) do
      alive[entry.label] = not entry.dies and entry.after or nil
    end
    recording = nil
  end

  local function begin() recording = { by = {}, sets = {} } end

  --- Keeps what a component had, if it goes later.
  local function note_last(entry, part)
    entry.last = entry.last or copy(entry.born and {} or alive[entry.label])
    entry.last[part] = entry.after[part] or entry.last[part]
  end

  local ops = {}
  function ops.spawn(set, value, parent)
    count = count + 1
    local being = { parent = parent }
    for k, name in ipairs(names) do
      if has_part(set, k) then being[name] = name == "t" or value end
    end
    local entry = { label = count, after = being, born = true }
    recording.by[count], recording[#recording + 1] = entry, entry
  end
  function ops.destroy(label) entry_of(label).dies = true end
  local function is_dying(label)
    return recording.by[label] and recording.by[label].dies
  end
  function ops.add(label, part, value)
    if is_dying(label) then return end
    if not recording.by[label] and alive[label][part] then return end
    local entry = entry_of(label)
    if not entry.after[part] then entry.after[part] = part == "t" or value end
    note_last(entry, part)
  end
  function ops.remove(label, part)
    if is_dying(label) then return end
    if not recording.by[label] and not alive[label][part] then return end
    local entry = entry_of(label)
    note_last(entry, part)
    entry.after[part] = nil
  end
  function ops.set(label, part, value)
    if is_dying(label) then return end
    if recording.by[label] or not alive[label][part] then
      local entry = entry_of(label)
      entry.after[part] = value
      note_last(entry, part)
    else
      alive[label][part] = value
    end
    local set = { label = label, part = part }
    for _, other in ipairs(recording.sets) do
      set.again = set.again or other.label == label and other.part == part
    end
    recording.sets[#recording.sets + 1] = set
  end

  --- Calls one observer, whose recording is dropped where it fails.
  local function call(notice)
    local k = notice.k
    local observer = program.observers[k]
    local gone = observer.what == "remove" or observer.what == "leave"
    local part = (observer.what == "enter" or observer.what == "leave") and "a"
      or observer.part
    local being = gone and notice.last or alive[notice.label]
    local value = observer.what ~= "destroy" and part ~= "t" and being[part]
    calls[k] = calls[k] + 1
    log[#log + 1] = ("%d %s %d %s"):format(k, observer.what, notice.label,
      value and tostring(value) or "-")
    local action = observer.plan[(calls[k] - 1) % 4 + 1]
    if not action then return end
    local before = { by = {}, sets = {} }
    for i, entry in ipairs(recording) do
      before[i] = copy(entry)
      before[i].after = copy(entry.after)
      before[i].last = entry.last and copy(entry.last)
      before.by[entry.label] = before[i]
    end
    for i, set in ipairs(recording.sets) do before.sets[i] = set end
    local done, problem = pcall(play, side, action, k)
    if done then return end
    recording = before
    error(problem, 0)
  end

  local function run_queue()
    for _ = 1, 64 do
      local round = queue
      queue = {}
      if #round == 0 then return end
      begin()
      local done, problem = pcall(function()
        for _, notice in ipairs(round) do
          if active[notice.k] then call(notice) end
        end
      end)
      apply()
      if not done then
        queue = {}
        error(problem, 0)
      end
    end
    if #queue > 0 then
      queue = {}
      error("circle", 0)
    end
  end

  for name, op in pairs(ops) do
    side[name] = function(...)
      if recording then return op(...) end
      begin()
      op(...)
      apply()
      run_queue()
    end
  end
  function side.off(k) active[k] = false end
  function side.labels()
    local list = {}
    for label = 1, count do
      if alive[label] and not (recording and is_dying(label)) then
        list[#list + 1] = label
      end
    end
    return list
  end
  function side.settle() end
  function side.walk(f)
    if next(alive) == nil then return false end
    begin()
    f()
    apply()
    run_queue()
    return true
  end
  function side.text()
    local lines = {}
    for label = 1, count do
      local being = alive[label]
      if being then
        lines[#lines + 1] = label .. ":" .. tostring(being.a) .. ","
          .. tostring(being.b) .. "," .. tostring(being.t or false)
      end
    end
    return table.concat(lines, " ")
  end
  return side
end

-- Playing --------------------------------------------------------------------

--- Plays a program on one side; adds the outcome of each step to the log.
local function run(side, program, log)
  for _, step in ipairs(program.steps) do
    side.settle()
    local done, problem = pcall(function()
      if not step.walk then return play(side, step[1], 0) end
      side.walk(function()
        for _, action in ipairs(step) do play(side, action, 0) end
      end)
    end)
    if not done then
      log[#log + 1] = problem:find "circle" and "circle" or problem
    end
    log[#log + 1] = "= " .. side.text()
  end
end

describe("random programs with observers", function()
  it("are told what the model is told", function()
    local told, raised = 0, 0
    for seed = 1, 300 do
      local program = draw_program(seed)
      local expected, found = {}, {}
      run(new_model(program, expected), program, expected)
      local world = new_world(program, found)
      run(world, program, found)
      world.world:close()
      for k, line in ipairs(expected) do
        if found[k] ~= line then
          error("seed " .. seed .. ", line " .. k .. ": expected "
            .. tostring(line) .. ", found " .. tostring(found[k])
            .. "\nafter\n" .. table.concat(found, "\n", math.max(1, k - 6),
              k - 1))
        end
        if line:sub(1, 1) ~= "=" then told = told + 1 end
        if line:find "raised" then raised = raised + 1 end
      end
      assert.equal(#expected, #found)
    end
    assert.is_true(told > 2500 and raised > 25)
  end)
end)
