---@meta ecs.math
-- luacheck: ignore 212
--- ecs_math: types of ecs.math, for language servers. Programs never load it.
--
-- The functions give the same bits on every VM and machine. Arguments are
-- numbers (any other value raises an error), angles are in radians, and results
-- are numbers, floats on Lua 5.4. Cost: a call each; one operation where
-- compiled.

---@class ecs.math
local ecs = { math = {} }

---The sine; off by at most 1 unit in the last place.
---@param a number
---@return number
function ecs.math.sin(a) end

---The cosine; off by at most 1 unit in the last place.
---@param a number
---@return number
function ecs.math.cos(a) end

---The angle of the point (x, y), from -pi to pi; off by at most 3 units in the
---last place.
---@param y number
---@param x number
---@return number
function ecs.math.atan2(y, x) end

---e to the power of a; off by at most 1 unit in the last place.
---@param a number
---@return number
function ecs.math.exp(a) end

---The natural logarithm; off by at most 1 unit in the last place.
---@param a number
---@return number
function ecs.math.log(a) end

---The logarithm to base 10; off by at most 2 units in the last place.
---@param a number
---@return number
function ecs.math.log10(a) end

---a to the power of b; off by at most 1 unit in the last place.
---@param a number
---@param b number
---@return number
function ecs.math.pow(a, b) end

---The smaller number; a where neither is smaller.
---@param a number
---@param b number
---@return number
function ecs.math.min(a, b) end

---The larger number; a where neither is larger.
---@param a number
---@param b number
---@return number
function ecs.math.max(a, b) end

---The largest whole number that is not above a.
---@param a number
---@return number
function ecs.math.floor(a) end

---The smallest whole number that is not below a.
---@param a number
---@return number
function ecs.math.ceil(a) end

---The remainder of a divided by b, with the sign of b.
---@param a number
---@param b number
---@return number
function ecs.math.mod(a, b) end

---a, raised to low or lowered to high where it is outside of them.
---@param a number
---@param low number
---@param high number
---@return number
function ecs.math.clamp(a, low, high) end

---Interpolates linearly: a at t = 0, b at t = 1; extrapolates beyond.
---@param a number
---@param b number
---@param t number
---@return number
function ecs.math.lerp(a, b, t) end

return ecs.math
