-- query:each tells on_fallback, once, about a function of which many calls run
-- as plain Lua. A program of its own: the handler is that of the first module
-- that a process loads.

local ecs = require "ecs"

local P = ecs.component("EachToldP", { x = "f64" })
local world, list = ecs.world {}, {}
world:spawn(P { x = 1 })
local query = world:query { P }

local told = {}
local function hear(system, where, why)
  told[#told + 1] = system .. " " .. where .. " " .. why
end
ecs.on_fallback = hear

--- Asserts that so many functions were told about, the last with these words.
local function heard(count, words)
  assert(#told == count, "told: " .. #told)
  assert(not words or told[count]:find(words, 1, true), told[count])
end

-- 64 calls of one function; compiled ones do not count.
local function note(p) list[1] = p.x end
for _ = 1, 63 do query:each(note) end
for _ = 1, 200 do query:each(function(p) p.x = p.x + 1 end) end
heard(0)
query:each(note)
heard(1, "query:each spec/programs/each_told_program.lua:25 an assignment to an "
  .. "element of 'list', which is a table, cannot be compiled")
for _ = 1, 200 do query:each(note) end
heard(1)
assert(list[1] == 201)

-- Closures made anew.
for k = 1, 63 do query:each(function(p) list[k] = p.x end) end
heard(1)
for k = 1, 70 do query:each(function(p) list[k] = p.x + 1 end) end
heard(2, "cannot be compiled")
assert(list[70] == 202)

-- An error of the handler, and one in its place.
ecs.on_fallback = function() error("no fallbacks", 0) end
local function other(p) list[2] = p.x end
for _ = 1, 63 do query:each(other) end
local done, problem = pcall(query.each, query, other)
assert(not done and problem == "no fallbacks", problem)
query:each(other)
ecs.on_fallback = 5
local function third(p) list[3] = p.x end
for _ = 1, 63 do query:each(third) end
done, problem = pcall(function() query:each(third) end)
assert(not done and problem:find("each_told_program.lua:%d+: ecs: on_fallback "
  .. "is a function"), problem)

-- Silence; and what comes and goes: told where it was plain often enough.
ecs.on_fallback = nil
for _ = 1, 100 do query:each(function(p) list[4] = p.x * 2 end) end
ecs.on_fallback = hear
local step = math.random
local function walk(p) p.x = p.x + step(1) end
for _ = 1, 64 do query:each(walk) end
heard(3, "math.random cannot be compiled")
step = math.abs
query:each(walk)
heard(3)

print "ok"
