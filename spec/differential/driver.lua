--- driver: compiles many generated functions and compares them with plain Lua.
--
--     lua5.4 spec/differential/driver.lua [functions] [first seed]
--
-- Prints how often each operator, type, call, construct and kind of input
-- occurred, and the digest of all worlds. A function that fails is made smaller
-- and printed with the rows in which the two differ; then the run fails. A run
-- also fails when a part of the catalogue occurred too rarely.

package.path = "./spec/?.lua;" .. package.path

-- Most generated functions run once: compiling them to machine code costs more
-- than it saves, so the command turns LuaJIT's compiler off.
local jit = rawget(_G, "jit")

local catalogue = require "differential.catalogue"
local count = require "differential.count"
local generate = require "differential.generate"
local run = require "differential.run"
local scene = require "differential.scene"
local shrink = require "differential.shrink"

local driver = {}

--- A failing function, made smaller, as lines.
function driver.report(made, options, failure)
  local lines = { "not ok function " .. string.format("%.0f", made.seed)
    .. ": " .. failure.kind .. ": " .. failure.text }
  shrink.shrink(made, options, failure.kind, run.run)
  options.tell = true
  local least = run.run(made, options) or failure
  local texts = least.texts or {}
  lines[#lines + 1] = string.format("made smaller, with %.0f rows: %s: %s",
    options.rows, least.kind, least.text)
  lines[#lines + 1] = texts.source or ""
  if least.precision then
    lines[#lines + 1] = "its reference:"
    lines[#lines + 1] = texts[least.precision]
  end
  for k, now in ipairs(least.frames or {}) do
    lines[#lines + 1] = string.format("frame %d: u1=%.17g u2=%.17g b1=%s "
      .. "b2=%s w1=%.0f cfg.a=%.17g cfg.deep.b=%.17g cfg.flag=%s dt=%.17g", k,
      now.u1, now.u2, tostring(now.b1), tostring(now.b2), now.w1, now.a,
      now.b, tostring(now.flag), now.dt)
  end
  for _, line in ipairs(least.rows or {}) do lines[#lines + 1] = line end
  return table.concat(lines, "\n")
end

--- Runs a number of functions. Returns nil or a description of the failure,
-- then the counts, the digest, and how many functions were run.
function driver.run(functions, seed)
  local counts, digest = {}, 0
  for k = 0, functions - 1 do
    local made = generate.make(seed + k)
    local rows = scene.size(made)
    count.add(counts, made, rows, run.is_by_each(made))
    local options = { rows = rows }
    local failure, hashes = run.run(made, options, counts)
    if failure then
      return driver.report(made, options, failure), counts, digest, k + 1
    end
    for _, hash in ipairs(hashes) do
      digest = (digest * 31 + tonumber(hash:sub(1, 7), 16)) % 2147483647
    end
  end
  return nil, counts, digest, functions
end

local function print_counts(counts)
  local line = ""
  for _, name in ipairs(catalogue.names) do
    local text = string.format("%s %.0f", name, counts[name] or 0)
    if #line + #text > 76 then
      print(line)
      line = ""
    end
    line = line == "" and text or line .. ", " .. text
  end
  print(line)
end

local function main(functions, seed)
  run.each = true
  local problem, counts, digest, done = driver.run(functions, seed)
  if problem then
    print(problem)
    print(string.format("found with function number %.0f", done))
    return 1
  end
  print_counts(counts)
  local missing = count.missing(counts, functions)
  for _, line in ipairs(missing) do print("not ok " .. line) end
  if #missing > 0 then return 1 end
  print(string.format("ok differential: %.0f functions, both precisions, "
    .. "two frames each: digest %08x", functions, digest))
  return 0
end

local arguments = rawget(_G, "arg")
if arguments and tostring(arguments[0]):find("differential/driver.lua", 1, true)
then
  if jit then jit.off() end
  os.exit(main(tonumber(arguments[1] or 20000), tonumber(arguments[2] or 1)))
end

return driver
