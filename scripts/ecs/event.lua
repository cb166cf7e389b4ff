--- event: what happens once, and is met once by each system that asks for it.
--
--     local Hit = ecs.event("Hit", { who = "entity", damage = "f32" })
--     world:emit(Hit { who = e, damage = 3 })
--     world:system { name = "hurt", query = { read = { Hit } }, each = ... }
--
-- An event is an entity with a component of its own kind, and ecs.Event. It is
-- met by every enabled system that names its component; then it is destroyed.
-- A system notes what it has met in a tag of its own, stored as bits, which its
-- query asks for:
--
--     query = { read = { Hit } }    becomes    { read = { Hit },
--                                                without = { ecs.Met 1 } }
--
--     begin of a frame    every event is a frame older
--     run of a system     rows without its tag; then all of its events get it
--     end of a frame      events with the tags of all systems are destroyed, in
--                         order, so that the others stay in theirs
--
-- The tag is given at once, also in a frame that records its changes, before
-- what the run recorded is applied: what the system has emitted it meets later.
--
-- In the world's state (system.lua):
--
--     events    nil: not used yet; { kinds, numbers, most, version, dropped,
--               all }:
--               kinds    definition -> kind
--               numbers  number of a tag -> the system that has it; most: the
--                        highest so far
--               version  grows when other systems meet events
--               dropped  events that no system met for too long
--               all      the query of all events
--     kind      { live, old, over, version, done }: three queries for its
--               events: all, all with their age, and those with the tag
--               ecs.Over; and the query for those that all enabled systems have
--               met, as of a version; nil: no system meets them
--
-- A system that meets events has
--
--     events    definitions, in the order of its query
--     met       its tag; number: of the tag
--     marked    a query for what has the tag
--     unmet     queries for the events of each definition without the tag
--     met_run   what runs the system, behind this file's run

local require = require("ecs.standard").inner "ecs.event"

local backend = require "ecs.backend"
local message = require "ecs.message"
local plain_table = require "ecs.plain_table"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, tostring = error, tostring

local core, is_idle = backend.core, backend.is_idle
local find_state, record = core.find_state, core.record
local mark_all, destroy_in_order = core.mark_all, core.destroy_in_order
local ipairs, next, pcall, type = ipairs, next, pcall, type

local event = {}

--- Frames after which an event is dropped.
local MOST_FRAMES = 1024

-- position -> definition: all events of the Lua state, which the compiler looks
-- up, too; and name -> position.
local known, positions = core.known "events", core.known "event positions"

--- What all events have, beside the component of their kind.
event.component = core.component("ecs.Event", { age = "u16" })

local over_tag = core.tag("ecs.Over", { storage = "bits" })

--- Is there an event of this name?
function event.is_name(name) return positions[name] ~= nil end

--- Are there events at all?
function event.exist() return known[1] ~= nil end

-- definition -> true: events that were asked for, of which the name need not be
-- looked up again.
local met_before = {}

local function is_event(definition)
  if met_before[definition] then return true end
  local is = known[positions[definition.name]] == definition
  if is then met_before[definition] = true end
  return is
end

local function define(name, fields)
  if fields == nil or type(fields) == "table" and next(fields) == nil then
    return core.tag(name)
  end
  return core.component(name, fields)
end

--- Room for one more comes first, so that what fails has defined nothing.
local function define_new(name, fields, position)
  known[position], positions[name] = false, position
  known[position] = define(name, fields)
end

--- Defines a kind of events, as ecs.component and ecs.tag define components.
-- Raises an error if there is a component of that name which is none.
function event.define(name, fields)
  if type(fields) == "table" and type(name) == "string" then
    fields = plain_table(fields, name, "its table of fields", nil, "all")
  end
  local found, definition = pcall(core.component, name)
  if found and not is_event(definition) then
    error("ecs: event: there is a component " .. message.describe(name)
      .. " already, which is no event", 2)
  end
  if found or type(name) ~= "string" then return define(name, fields) end
  if definition == "not enough memory" then error(definition, 0) end
  local position = #known + 1
  local done, problem = pcall(define_new, name, fields, position)
  if done then return known[position] end
  known[position], positions[name] = nil, nil
  error(problem, 0)
end

--- The events of a world's state, made at their first use.
function event.use(world, state)
  if state.events then return state.events end
  state.events = {
    kinds = {}, numbers = {}, most = 0, version = 0, dropped = 0,
    all = world:query { event.component },
  }
  backend.know_query(state.events.all)
  return state.events
end

--- What a world keeps of a kind of events, made at its first use.
local function kind_of(world, events, definition)
  local kind = events.kinds[definition]
  if kind then return kind end
  kind = {
    live = world:query { with = { definition, event.component } },
    old = world:query { read = { event.component }, with = { definition } },
    over = world:query { with = { definition, over_tag } },
  }
  backend.know_query(kind.live)
  events.kinds[definition] = kind
  return kind
end

-- Systems ---------------------------------------------------------------------

local meets = { write = true, read = true, with = true }

--- Gives the matches of a query a tag, at once if it is stored as bits.
local function mark(query, tag)
  if not mark_all(query, tag) then query:add(tag) end
end

--- Runs a system that meets events, and marks these as met. Returns as every
-- run does (system.lua).
local function turn(world, system, dt, clock)
  local done, thrown, text = system.met_run(world, system, dt, clock)
  system.idle = false
  for k = 1, #system.unmet do mark(system.unmet[k], system.met) end
  return done, thrown, text
end

--- Runs such a system, where there is something that it has not met.
local function run(world, system, dt, clock)
  local unmet, all_met = system.unmet, true
  for k = 1, #unmet do
    if not is_idle(unmet[k]) then all_met = false end
  end
  if all_met then return true end
  if find_state(world).deferred then return turn(world, system, dt, clock) end
  return record(world, turn, world, system, dt, clock)
end

--- The lowest number that no system has.
local function free_number(numbers)
  local number = 1
  while numbers[number] do number = number + 1 end
  return number
end

--- Reads the terms of the query of a system that is being defined, and notes
-- the events that it meets. special: the query has changed or sort. Returns
-- nil, or an error message.
function event.read(system, terms, special)
  local list = {}
  for k = 1, #terms, 2 do
    if is_event(terms[k]) and meets[terms[k + 1]] then
      list[#list + 1] = terms[k]
    elseif is_event(terms[k]) and terms[k + 1] ~= "without" then
      return terms[k + 1] .. " names " .. tostring(terms[k]) .. ", which is an "
        .. "event: systems meet events that they read, or name in with"
    end
  end
  if #list == 0 then return nil end
  if special then
    return "its query names events, which are met once each, in the order in "
      .. "which they were emitted: it has neither changed nor sort"
  end
  system.events = list
end

--- The query to use for a system that is being defined: the same, or for a
-- system that meets events another one.
function event.prepare(world, state, system, query)
  local list = system.events
  if not list then return query end
  local terms = core.query_terms(query)
  local number = free_number(event.use(world, state).numbers)
  system.number = number
  system.met = core.tag("ecs.Met " .. number, { storage = "bits" })
  system.marked = world:query { with = { system.met } }
  system.unmet = {}
  for k, definition in ipairs(list) do
    system.unmet[k] = world:query {
      with = { definition }, without = { system.met },
    }
    backend.know_query(system.unmet[k])
  end
  terms[#terms + 1], terms[#terms + 2] = system.met, "without"
  system.met_run, system.run = system.run, run
  return core.query(world, core.sort_terms(terms), tostring(query))
end

--- A system is defined: it meets what is emitted from now on. To be called
-- before the system is in the world's state.
function event.begin(system)
  for k = 1, #(system.unmet or {}) do mark(system.unmet[k], system.met) end
end

--- Notes that other systems meet events now.
function event.change(state)
  if state.events then state.events.version = state.events.version + 1 end
end

--- Notes the tag of a system that was defined.
function event.keep(state, system)
  local number = system.number
  if not number then return end
  state.events.numbers[number] = system
  if number > state.events.most then state.events.most = number end
  event.change(state)
end

--- Takes the tag from a system that was replaced or removed.
function event.forget(state, system)
  if not system.number then return end
  state.events.numbers[system.number] = nil
  event.change(state)
end

-- Frames ----------------------------------------------------------------------

local function grow(batch)
  local age = batch[event.component].age
  for i = 1, batch.count do
    if age[i] < MOST_FRAMES then age[i] = age[i] + 1 end
  end
end

--- A frame begins.
function event.age(world, state)
  local all = event.use(world, state).all
  if not is_idle(all) then all:batch(grow) end
end

--- The query for events of a kind that all enabled systems have met; nil: no
-- enabled system meets them.
local function done_of(world, events, kind, definition)
  if kind.version == events.version then return kind.done end
  local tags = {}
  for number = 1, events.most do
    local system = events.numbers[number]
    for k = 1, system and system.enabled and #system.events or 0 do
      if system.events[k] == definition then tags[#tags + 1] = system.met end
    end
  end
  kind.version, kind.done = events.version, nil
  if #tags > 0 then
    tags[#tags + 1], tags[#tags + 2] = definition, event.component
    kind.done = world:query { with = tags }
  end
  return kind.done
end

--- Destroys the events of a kind that have lived so many frames. Returns their
-- number.
local function drop(world, kind, most)
  kind.old:batch(function(batch)
    local age = batch[event.component].age
    for i = 1, batch.count do
      if age[i] >= most then world:add(batch.entities[i], over_tag) end
    end
  end)
  local count = kind.over:count()
  return destroy_in_order(kind.over) and count or 0
end

--- A frame has ended: destroys events that are over.
function event.sweep(world, state)
  local events = state.events
  if is_idle(events.all) or core.busy(world) then return end
  for _, definition in ipairs(known) do
    local kind = kind_of(world, events, definition)
    if not is_idle(kind.live) then
      local done = done_of(world, events, kind, definition)
      if done then
        destroy_in_order(done)
        local oldest = kind.old:first()
        if oldest
          and world:get(oldest, event.component, "age") >= MOST_FRAMES then
          events.dropped = events.dropped + drop(world, kind, MOST_FRAMES)
        end
      else
        drop(world, kind, 1)
      end
    end
  end
end

local methods = {}

--- Raises an error for what cannot be emitted.
local function refuse(part, fields, level)
  local definition = core.definition_of(part)
  if definition and is_event(definition) then
    error("ecs: emit takes fields as a table, not " .. message.describe(fields),
      level + 1)
  end
  local text = message.describe(part)
  if definition then
    text = (definition == part and "the component " or "") .. tostring(part)
  end
  error("ecs: emit takes an event, as in world:emit(Hit { damage = 3 }) of "
    .. "Hit = ecs.event('Hit', { damage = 'f32' }), not " .. text, level + 1)
end

--- Emits an event: an entity that each enabled system which names its component
-- meets once, and that is destroyed then. Takes a value, or a component and a
-- table of fields. Returns the entity. Raises an error for what is no event.
function methods.emit(world, part, fields)
  backend.check_world(world, "emit")
  local definition = core.definition_of(part)
  if definition and is_event(definition) then
    if fields == nil then return world:spawn(part, event.component) end
    if type(fields) == "table" then
      return world:spawn(part, fields, event.component)
    end
  end
  refuse(part, fields, 2)
end

core.install("ecs.World", methods)

return event
