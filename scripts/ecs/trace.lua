--- trace: what the next frames do, as a file for Perfetto and chrome://tracing.
--
--     world:trace("frames.json", 60)
--
-- The format is Trace Event Format: JSON, times in microseconds.
--
--     {"traceEvents":[
--     {"name":"frame 1","ph":"X","ts":0.000,"dur":912.250,"pid":1,"tid":1},
--     {"name":"move","cat":"update","ph":"X","ts":1.500,"dur":80.125,...
--     ]}
--
-- The file is complete after every frame: its last line is written again.
--
-- While a world writes a trace, frame.lua runs its systems through run, and
-- calls end_frame. This file adds to the state of a world (system.lua):
--
--     trace    { file, left, lines, start, frame }: what is being written; nil:
--              nothing

local standard = require("ecs.standard")
local require = standard.inner "ecs.trace"

local backend = require "ecs.backend"
local message = require "ecs.message"
local profile = require "ecs.profile"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, type = error, type
local find, format, gsub = string.find, string.format, string.gsub
local concat = table.concat
local open = standard.io.open

local core = backend.core
local seconds, change_count, rows_of =
  core.seconds, core.change_count, core.row_count

local FRAMES, MOST_FRAMES = 60, 1000000
local HEAD, TAIL = '{"displayTimeUnit":"ms","traceEvents":[\n', "\n]}\n"

-- Text ------------------------------------------------------------------------

--- A string of JSON. Names are UTF-8 without control characters.
local function quote(name) return '"' .. gsub(name, '["\\]', "\\%0") .. '"' end

--- A slice of time, from a moment to another.
local function slice(trace, name, category, from, to, arguments)
  return format('{"name":%s,"cat":%s,"ph":"X","ts":%.3f,"dur":%.3f,"pid":1,'
    .. '"tid":1%s}', quote(name), quote(category), (from - trace.start) * 1e6,
    (to - from) * 1e6, arguments)
end

-- Writing ---------------------------------------------------------------------

local function finish(state)
  local file = state.trace.file
  state.trace = nil
  profile.choose(state)
  file:close()
end

--- Runs a system as its run does, and notes when.
local function run(world, target, ...)
  local state = core.state(world)
  local trace = state.trace
  local rows = target.query and rows_of(target.query) or 0
  local changes, start = change_count(world), seconds()
  trace.began = trace.began or start
  local done, thrown, text = (state.profiling or target.run)(world, target, ...)
  local stop = seconds()
  if target.kept_off and done then return done, thrown, text end
  changes = (change_count(world) or changes) - changes
  trace.lines[#trace.lines + 1] = slice(trace, target.name, target.phase, start,
    stop, format(',"args":{"rows":%.0f,"changes":%.0f}', rows, changes))
  return done, thrown, text
end

local trace = {}

--- Writes what a frame has done; the last frame, or one in which the world was
-- closed, ends the trace, and so does a file that cannot be written. seen: is
-- the world still open?
function trace.end_frame(state, seen)
  local now = state.trace
  local stop = seconds()
  now.frame = now.frame + 1
  now.lines[#now.lines + 1] = slice(now, format("frame %.0f", now.frame),
    "frame", now.began or stop, stop, "")
  local text = (now.frame > 1 and ",\n" or "") .. concat(now.lines, ",\n")
  now.lines, now.began, now.left = {}, nil, now.left - 1
  local written = (now.frame == 1 or now.file:seek("end", -#TAIL))
    and now.file:write(text, TAIL) and now.file:flush()
  if not written or now.left == 0 or not seen then finish(state) end
end

local methods = {}

--- Has the next frames (60 unless given) written to a file: when each system
-- ran, how long, over how many rows, and how many changes it made. Returns
-- true; or nil and why, if the file cannot be written. Raises an error for
-- wrong arguments, and while another trace is being written.
function methods.trace(world, path, frames)
  backend.check_world(world, "trace")
  if frames == nil then frames = FRAMES end
  if type(path) ~= "string" or find(path, "\0", 1, true) then
    error("ecs: trace takes the path of a file, as in "
      .. "world:trace('frames.json', 60), not " .. message.describe(path), 2)
  elseif type(frames) ~= "number" or frames % 1 ~= 0 or frames < 1
    or frames > MOST_FRAMES then
    error(format("ecs: trace takes how many frames to write, from 1 to %d, "
      .. "not %s", MOST_FRAMES, message.describe(frames)), 2)
  end
  local state = system.state(world)
  if state.trace then error("ecs: trace: a trace is being written", 2) end
  if not open then return nil, "this Lua has no io.open" end
  local file, problem = open(path, "wb")
  if not file then return nil, problem end
  local done
  done, problem = file:write(HEAD)
  if not done then
    file:close()
    return nil, problem
  end
  state.trace = { file = file, left = frames, lines = {}, start = seconds(),
                  frame = 0, run = run }
  profile.choose(state)
  return true
end

core.install("ecs.World", methods)

return trace
