--- batch_text: tells, in a function of a batch, what it only reads.
--
-- For Lua without FFI, where columns are tables that ecs.core fills before the
-- function and stores back after it. The function stays as it is, but for one
-- name: where it stores into a column, the batch is another one.
--
--     function(batch, dt)                  function(ecs__w, batch, dt)
--       local x = batch.Position.x           local x = ecs__w.Position.x
--       local dx = batch[Velocity].x         local dx = batch[Velocity].x
--       for i = 1, batch.count do            for i = 1, batch.count do
--         x[i] = x[i] + dx[i] * dt             x[i] = x[i] + dx[i] * dt
--
-- So what is read through the batch alone is not stored to, whatever Velocity
-- is at that time. This holds because the function is refused where it does
-- anything else with a batch, a component or a column: where it hands one on,
-- keeps one, assigns one to another variable, or uses one in an inner function.
-- For the same reason nothing but the function sees these columns, and they may
-- be kept for the next run.

local require = require("ecs.standard").inner "ecs.compile.batch_text"

local reader = require "ecs.compile.read_statement"

local next = next
local concat, rep = table.concat, string.rep
local refuse, kind, accept = reader.refuse, reader.kind, reader.accept
local expect, name, declare = reader.expect, reader.name, reader.declare
local OWN = reader.OWN

--- As block_text.lua: a function has 200 variables.
local NAMES_LIMIT = 120

local batch_text = {}

--- Reads the parameters. Returns the scope that they are in.
local function parameters(state)
  local scope, count = {}, 0
  expect(state, "(")
  state.open = state.index
  while not accept(state, ")") do
    if accept(state, "...") then
      state.varied = true
    else
      local parameter = name(state)
      if parameter == "_ENV" then refuse() end
      count = count + 1
      declare(state, scope, parameter, nil, nil,
        count == 1 and { level = "batch" } or nil)
    end
    if not accept(state, ",") and kind(state) ~= ")" then refuse() end
  end
  if count == 0 then refuse() end
  return scope, count
end

--- The text of the function; refused where it is not sure what it stores.
-- options: place, upvalues and values, as in block_text.lua. Returns { text }.
function batch_text.write(options)
  local place = options.place
  if reader.has_own(place) then refuse() end
  local state = reader.new(options, {}, false)
  state.chains = {}
  expect(state, "function")
  while kind(state) ~= "(" do
    if kind(state) == ":" then refuse() end
    state.index = state.index + 1
  end
  local open = state.index
  local scope, count = parameters(state)
  reader.block(state, reader.inner(scope))
  if state.index ~= place.last then refuse() end
  for _, chain in next, state.chains do
    if chain.stored then
      reader.replace(state, chain.token, chain.token, OWN .. "w")
    end
  end
  local outer, names = reader.outside_text(state)
  if names + count > NAMES_LIMIT then refuse() end
  local lines, starts = state.lines, state.starts
  return { text = concat { rep("\n", lines[place.first] - 1), outer,
    "return function", rep("\n", lines[open] - lines[place.first]),
    "(" .. OWN .. "w, ", rep("\n", lines[open + 1] - lines[open]),
    reader.edited(state, starts[open + 1], state.stops[place.last]) } }
end

return batch_text
