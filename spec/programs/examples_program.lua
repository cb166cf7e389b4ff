-- Runs the example named on the command line up to its first frame. For each
-- system that works on one entity after the other (each, or batch with a loop)
-- prints its name and whether its function compiles. examples_spec.lua counts
-- these lines.

local ecs = require "ecs"

local world = ecs.world {}
local methods = debug.getmetatable(world).__index
local define = methods.system

function methods.system(self, spec)
  if (spec.native or ""):find "^house%." then return end -- the host has it
  define(self, spec)
  if not spec.each and not spec.batch then return end
  local done, text = false, "a loop over a batch"
  if spec.each then
    done, text = pcall(define, self, { name = "compiled", query = spec.query,
                                       phase = spec.phase, each = spec.each,
                                       compile = true })
    if done then self:remove_system "compiled" end
  end
  print(spec.name .. ": " .. (done and "compiles" or text))
end

local function stop() error "the first frame" end
methods.progress, methods.run = stop, stop

-- The script of a C host gets the objects that the host has made.
if arg[1]:find("embed", 1, true) then
  world:spawn(ecs.component("Room", { temperature = "f32" }) {
    temperature = 10,
  })
end

local chunk = assert(loadfile(arg[1]))
local done, text = pcall(chunk, world)
if not done and not tostring(text):find "the first frame" then
  error(text, 0)
end
