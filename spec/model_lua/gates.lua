--- gates: what the model knows of time: fixed steps, periods and states.
--
-- Times are whole eighths, so the model may compute as it likes.
--
--     places   the plan of a frame as it is run: { system }, or { phase },
--              where one begins or makes a step

local gates = {}

gates.states = { "calm", "wild" }
gates.most = 2

--- The options of a run's world. Its phase update has fixed steps where the
-- program says so, in whole eighths.
function gates.prepare(self, options)
  local eighths = self.program.eighths
  options.states, self.state_now = gates.states, gates.states[1]
  if not eighths then return end
  self.fixed_phase, self.fixed, self.fixed_rest = "update", eighths / 8, 0
  options.phases = {}
  for k, phase in ipairs(self.phases) do
    options.phases[k] = phase == "update"
      and { phase, fixed = self.fixed, most = gates.most } or phase
  end
end

--- Lets dt pass; returns the number of whole periods, and the rest.
local function pass(rest, dt, length)
  local count = 0
  rest = rest + dt
  while rest >= length do count, rest = count + 1, rest - length end
  return count, rest
end

--- The options of a system from its step, for the library; the model keeps its
-- own account in the system.
function gates.describe(system, step, spec)
  system.every = step.every and (1 + step.every) / 8
  system.state = step.state and gates.states[1 + step.state]
  system.rest, system.since, system.asked = 0, 0, 0
  system.when = step.when
  spec.every, spec.in_state = system.every, system.state
  if step.when then
    local asked = 0
    function spec.when()
      asked = asked + 1
      return asked % 3 ~= 0
    end
  end
end

--- Does a system run now? Sets the time that it gets.
function gates.opens(self, system, dt)
  if system.state and system.state ~= self.state_now then return false end
  if system.when then
    system.asked = system.asked + 1
    if system.asked % 3 == 0 then return false end
  end
  system.dt = dt
  if not system.every then return true end
  local count
  count, system.rest = pass(system.rest, dt, system.every)
  system.since = system.since + dt
  if count == 0 then return false end
  system.dt, system.since = system.since, 0
  return true
end

--- The places of a frame of all phases, or of the one given.
function gates.places(plan, phases, phase)
  local places = {}
  for _, name in ipairs(phases) do
    if not phase or phase == name then
      places[#places + 1] = { phase = name }
      for _, system in ipairs(plan) do
        if system.phase == name then
          places[#places + 1] = { system = system, name = system.name,
                                  phase = name }
        end
      end
    end
  end
  return places
end

--- A phase begins, at the place frame.at: the state changes, and of a phase
-- with fixed steps as many are put behind this place as are due.
function gates.begin(self, frame, place)
  self.state_now = self.state_next or self.state_now
  self.state_next = nil
  if place.step or place.phase ~= self.fixed_phase or frame.single then
    frame.dt = place.step or frame.whole
    return
  end
  local steps
  steps, self.fixed_rest = pass(self.fixed_rest, frame.whole, self.fixed)
  local systems = {}
  local at = frame.at + 1
  while frame.places[at] and frame.places[at].system do
    systems[#systems + 1] = table.remove(frame.places, at)
  end
  for _ = 1, math.min(steps, gates.most) do
    table.insert(frame.places, at, { phase = place.phase, step = self.fixed })
    at = at + 1
    for _, entry in ipairs(systems) do
      table.insert(frame.places, at, entry)
      at = at + 1
    end
  end
end

return gates
