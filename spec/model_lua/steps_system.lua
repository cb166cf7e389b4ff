--- steps_system: steps that define, replace, remove and run systems.
--
-- The library calls systems, and the oracle has to follow. The first callback
-- of a system shows that the system before it has ended. A system without
-- matching rows is not called at all, and changes nothing.
--
--     frame    the places of the plan (gates.lua), and the position in it
--       arrive   ends the last system; the next that runs must be this one
--       leave    ends the system and its scope
--
-- With flush = "frame" the frame is a scope too, which keeps recorded changes
-- even when a system fails.

local oracle = require "model_lua.oracle"
local batches = require "model_lua.batches"
local gates = require "model_lua.gates"
local run = require "model_lua.run"

local steps = run.steps

local DT = 0.25

-- Definitions ----------------------------------------------------------------

local function find(self, name)
  for k, system in ipairs(self.systems) do
    if system.name == name then return system, k end
  end
end

local function name_at(number) return "s" .. number end

local function wishes(number)
  return number < 6 and { name_at(number) } or {}
end

local arrive, leave -- below

--- The function of a batch or each system: a walk begins at the first call.
local function walked(self, system)
  local function walk_of()
    if self.frame.current ~= system then arrive(self, system) end
    return self.frame.walk
  end
  if system.kind == "batch" then
    return function(batch, dt)
      local walk = walk_of()
      self:must(dt == system.dt, "dt is %s", tostring(dt))
      batches.show(self, walk, batch)
    end
  end
  return function(...)
    local walk = walk_of()
    local rows, id, dt = self:take_apart(walk, 1, ...)
    self:must(dt == system.dt, "dt is %s", tostring(dt))
    self:show_row(walk, id, rows, true)
  end
end

--- The function of a run system: all the steps of the program, once.
local function ran(self, system)
  return function(world, dt)
    arrive(self, system)
    self:must(world == self.world and dt == system.dt,
      "run got other arguments")
    for _, part in ipairs(system.step.parts) do self:execute(part.steps) end
    leave(self, true)
  end
end

local kinds = { [0] = "batch", "each", "run" }

--- The definition of a system for the library, and for the oracle.
local function describe(self, step)
  local kind = kinds[step.kind]
  if kind == "each" and not self.abilities.each then kind = "batch" end
  local system = { name = name_at(step.name), kind = kind, step = step,
                   phase = "update", before = {}, after = {}, enabled = true }
  local spec = { name = system.name }
  if kind ~= "run" then
    system.query = self:query(step.q)
    spec.query = step.extras == 0 and system.query.spec or system.query.real
  end
  if self.abilities.phases then
    system.phase = self.phases[step.phase % #self.phases + 1]
    system.before, system.after = wishes(step.before), wishes(step.after)
    system.enabled = not step.disabled
    spec.phase, spec.before, spec.after = system.phase, system.before[1],
      system.after
    if step.disabled then spec.enabled = false end
    gates.describe(system, step, spec)
  end
  spec[kind] = (kind == "run" and ran or walked)(self, system)
  return system, spec
end

function steps.system(self, step)
  local system, spec = describe(self, step)
  if self.trace then
    self.names[spec] = string.format("{ %s %s of %s, phase = %s, before = %s, "
      .. "after = %s, enabled = %s }", system.kind, system.name,
      system.query and self:text(system.query.real) or "nothing", system.phase,
      tostring(system.before[1]), tostring(system.after[1]),
      tostring(system.enabled))
  end
  local wanted = not self.oracle:walking()
  self:call(wanted, self.world, "system", spec)
  if not wanted then return end
  local _, place = find(self, system.name)
  self.systems[place or #self.systems + 1] = system
end

--- Defines a system that shows where each step of the fixed phase begins.
function run:define_step()
  local system = { name = "step", kind = "run", phase = self.fixed_phase,
                   before = {}, after = {}, enabled = true,
                   step = { parts = {} } }
  local spec = { name = system.name, phase = system.phase }
  gates.describe(system, system.step, spec)
  spec.run = ran(self, system)
  self:call(true, self.world, "system", spec)
  self.systems[1] = system
end

function steps.enable(self, step)
  if not self.abilities.phases then return end
  local system = find(self, name_at(step.name))
  if system then system.enabled = step.enabled end
  self:call(system ~= nil, self.world, "enable", name_at(step.name),
    step.enabled)
end

function steps.remove_system(self, step)
  if not self.abilities.phases then return end
  local _, place = find(self, name_at(step.name))
  if place then table.remove(self.systems, place) end
  self:call(place ~= nil, self.world, "remove_system", name_at(step.name))
end

-- Frames ---------------------------------------------------------------------

--- Ends the system that is running, and keeps or discards its changes.
function leave(self, keep)
  local frame = self.frame
  if not frame.current then return end
  if keep and frame.walk then self:all_came(frame.walk) end
  if frame.scope then self.oracle:close(keep) end
  frame.last = frame.current
  frame.must_fail = frame.walk and frame.walk.must_fail
  frame.current, frame.walk, frame.scope = nil, nil, false
  if self.trace then self:note("-- end of system " .. frame.last.name) end
end

--- The next system of the plan that will call back; nil: there is none.
local function next_system(self)
  local frame = self.frame
  while frame.at < #frame.places do
    frame.at = frame.at + 1
    local place = frame.places[frame.at]
    if not place.system then gates.begin(self, frame, place) end
    local system = place.system and find(self, place.name)
    if system and system.enabled and system.phase == place.phase
      and gates.opens(self, system, frame.dt)
      and (system.kind == "run"
           or #self.oracle:matching(system.query.terms) > 0) then
      return system
    end
  end
end

function arrive(self, system)
  local frame = self.frame
  self:must(frame, "a system runs outside of frames")
  leave(self, true)
  local wanted = next_system(self)
  self:must(wanted == system, "system %s runs, not %s", system.name,
    wanted and wanted.name or "none")
  if self.trace then self:note("-- system " .. system.name) end
  frame.current = system
  if system.kind ~= "run" then
    frame.walk = self:begin_walk(system.step, system.query,
      self.oracle:matching(system.query.terms))
    self.oracle:open(system.query.terms, true)
    frame.scope = true
  elseif self.flush == "frame" then
    self.oracle:open({}, false)
    frame.scope = true
  end
  self:digest(#system.name + frame.at)
end

--- Runs a frame that may begin: f is the call of the library. single: of one
-- phase alone.
local function run_frame(self, step, places, single, f)
  local frame = { places = places, at = 0, whole = DT, single = single }
  self.frame, self.calls = frame, self.calls + 1
  if self.trace then self:note("-- a frame") end
  if self.flush == "frame" then self.oracle:open({}, false) end
  local ok, thrown = self:protect(f)
  leave(self, ok)
  if ok then
    local left = next_system(self)
    self:must(not left, "system %s did not run", left and left.name)
  end
  if self.flush == "frame" then self.oracle:close(true) end
  self.frame = nil
  if self.trace then self:note(ok and "-- end" or "-- end: an error") end
  self:settle({ step = step, name = frame.last and frame.last.name,
                must_fail = frame.must_fail }, ok, thrown)
end

local function try_frame(self, step, method, phase, ...)
  local plan = oracle.plan(self.systems, self.phases)
  if self.frame or self.oracle:walking() or not plan then
    self:call(false, self.world, method, ...)
    return
  end
  local a, b = ...
  run_frame(self, step, gates.places(plan, self.phases, phase), phase ~= nil,
    function() self.world[method](self.world, a, b) end)
end

function steps.progress(self, step)
  try_frame(self, step, "progress", nil, DT)
end

function steps.phase(self, step)
  if not self.abilities.phases then return end
  local phase = self.phases[step.v % #self.phases + 1]
  try_frame(self, step, "run", phase, phase, DT)
end

function steps.go(self, step)
  if not self.abilities.phases then return end
  self.state_next = gates.states[step.v % 2 + 1]
  self:call(true, self.world, "go", self.state_next)
  self:must(self.world:state() == self.state_now, "the state is another")
end

return steps
