--- states: what a world is in the middle of: a menu, a level, its end.
--
--     ecs.world { states = { "menu", "play", "over" } }
--     world:go "play"         the state changes before the next phase
--     world:state()           "menu" until then
--     world:on("begin", "play", function(world, from) ... end)
--
-- A change of the state, before a phase or a step of one:
--
--     every function on the end of menu   f(world, "play")    state() is menu
--     the state changes
--     every function on the begin of play  f(world, "menu")   state() is play
--
-- Only one change is made before a phase. The first state has begun when the
-- world is made: no function is told.
--
-- In the world's state (system.lua):
--
--     states        names, in order; nil: the world has none
--     state_ranks   name -> index in states
--     state         name of the state that the world is in
--     next_state    where world:go has said last; nil: nowhere
--     state_calls   { begin = {}, ["end"] = {} }, name -> list of { f = f }. A
--                   list is never changed, so a change of the state may go on
--                   with one while the next is made; f nil: off

local require = require("ecs.standard").inner "ecs.states"

local backend = require "ecs.backend"
local message = require "ecs.message"
local on = require "ecs.on"
local plain_table = require "ecs.plain_table"
local query = require "ecs.query"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, ipairs, rawget, type = error, ipairs, rawget, type
local concat = table.concat

local core = backend.core
local live, call_traced, record = core.live, core.call_traced, core.record

local states = {}

--- A checked copy of the list of states; nil for nil. level: as in world.lua.
function states.read(list, level)
  if list == nil then return nil end
  local read, seen = {}, {}
  if type(list) == "table" then
    list = plain_table(list, "world", "states", nil, "list")
  end
  if type(list) ~= "table" or query.length(list) == 0 then
    error("ecs: world: states is a list of names, as in states = "
      .. "{ 'menu', 'play' }", level)
  end
  for k = 1, query.length(list) do
    local name = rawget(list, k)
    if type(name) ~= "string" or not core.is_name(name) then
      error("ecs: world: states lists names: entry " .. k .. " is "
        .. message.describe(name), level)
    elseif seen[name] then
      error("ecs: world: states names '" .. name .. "' twice", level)
    end
    read[k], seen[name] = name, k
  end
  return read, seen
end

--- Gives the state of a new world its states: what read returns.
function states.prepare(state, list, ranks)
  if not list then return end
  state.states, state.state_ranks, state.state = list, ranks, list[1]
  state.state_calls = { begin = {}, ["end"] = {} }
end

--- Why a name is no state; nil where it is one.
function states.objection(state, name)
  if not state.states then
    return "this world has no states: make it with ecs.world { states = "
      .. "{ 'menu', 'play' } }"
  elseif type(name) ~= "string" or not state.state_ranks[name] then
    return "there is no state " .. message.describe(name) .. " (there are "
      .. concat(state.states, ", ") .. ")"
  end
end

--- The places of the state and of the next one in the list, for the hash; 0
-- where nothing follows from them.
function states.ranks(state)
  if not state.states then return 0, 0 end
  local rank = state.state_ranks[state.state]
  local next_rank = state.state_ranks[state.next_state] or rank
  return rank - 1, next_rank ~= rank and next_rank or 0
end

--- Calls a function. Returns as a system's run does (system.lua).
local function call(world, f, other)
  local done, text = call_traced(f, world, other)
  if not done then return false, true, text end
  return live(world) or nil
end

--- Calls the functions on what happens to a state. Returns as call.
local function tell(world, state, what, name, other)
  local calls = state.state_calls[what][name]
  for k = 1, calls and #calls or 0 do
    local f, done, thrown, text = calls[k].f, true, nil, nil
    if f and state.deferred then
      done, thrown, text = record(world, call, world, f, other)
    elseif f then
      done, thrown, text = call(world, f, other)
    end
    if not done then return done, thrown, text end
  end
  return true
end

--- Changes the state to where world:go said last. The state is another also
-- where a function fails; those after it are not called. Returns as call, and
-- after an error what to add to its text.
function states.change(world, state)
  local from, to = state.state, state.next_state
  state.next_state = nil
  if from == to then return true end
  local what, name = "end", from
  local done, thrown, text = tell(world, state, what, name, to)
  state.state = to
  if done then
    what, name = "begin", to
    done, thrown, text = tell(world, state, what, name, from)
  end
  return done, thrown, text, what .. " of state '" .. name .. "'"
end

local function register(world, what, level, name, f)
  local state = core.state(world)
  local problem = states.objection(state, name)
  if problem then error("ecs: on: " .. problem, level) end
  on.check_function(what, "'" .. name .. "', ", f, level + 1)
  local calls, added = state.state_calls[what], { f = f }
  local list = { added }
  for k, entry in ipairs(calls[name] or {}) do
    list[k], list[k + 1] = entry, added
  end
  calls[name] = list
  return function()
    if not added.f then return end
    local left = {}
    added.f = nil
    for _, entry in ipairs(calls[name]) do
      if entry.f then left[#left + 1] = entry end
    end
    calls[name] = left
  end
end

on.add("begin", register)
on.add("end", register)

local methods = {}

--- The name of the state that the world is in. Raises an error in a world
-- without states.
function methods.state(world, name)
  backend.check_world(world, "state")
  if name ~= nil then
    error("ecs: state tells the state of the world: world:go leaves it for "
      .. "another", 2)
  end
  local state = core.state(world)
  if not state.states then
    error("ecs: state: " .. states.objection(state), 2)
  end
  return state.state
end

--- Has the state change before the next phase, or step of one. The last call
-- before it counts; to go where the world is changes nothing. Raises an error
-- for what is no state.
function methods.go(world, name)
  backend.check_world(world, "go")
  local state = core.state(world)
  local problem = states.objection(state, name)
  if problem then error("ecs: go: " .. problem, 2) end
  state.next_state = name
end

core.install("ecs.World", methods)

return states
