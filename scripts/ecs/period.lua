--- period: counts the whole periods of a time that passes in pieces.
--
--     rest  |----length----|----length----|--rest--|
--       count, rest = period.pass(rest, dt, length)
--
-- What is left over is kept, so that nothing is lost between the pieces: the
-- same time has the same number of periods however it is cut, but for one where
-- rounding decides. The results are the same bits on every VM: `%` is not.

require("ecs.standard").inner "ecs.period"

local floor, min = math.floor, math.min
local type = type

local period = {}

--- Periods are counted up to this number; every whole number up to it has a
-- double of its own.
local MOST = 2 ^ 53

--- The longest period: with it no sum of times is infinite.
local LONGEST = 2 ^ 53

--- Lets dt pass after rest, which is a float. Returns how many periods have
-- ended, and what has passed of the next one: at least 0, and less than length.
-- A negative dt is no time.
function period.pass(rest, dt, length)
  if dt > 0 then rest = rest + dt end
  if rest < length then return 0, rest end
  local count = min(floor(rest / length), MOST)
  rest = rest - count * length
  -- Rounding may leave a little too much or too little.
  if not (rest >= 0 and rest < length) then rest = 0.0 end
  return count, rest
end

--- Is this the length of a period: a number above 0, and not too large?
function period.is_length(value)
  return type(value) == "number" and value > 0 and value <= LONGEST
end

return period
