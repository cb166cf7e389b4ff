--- run: one generated function, compiled and as plain Lua, in worlds alike.
--
-- Both worlds have the same entities. Before every frame the values outside of
-- the function change: numbers become nil, a table, an entity. After the frame
-- both worlds must have the same hash and total, and either both frames raised
-- the same error or none did. A third world, in which rows may take side exits,
-- goes with them as long as its function compiles.

local ecs = require "ecs"
local generate = require "untyped.generate"
local entries = require "model_lua.entries"
local random_of = require "differential.maker".seeded

local run = { FRAMES = 4 }

local load_text = rawget(_G, "loadstring") or load
local set_environment = rawget(_G, "setfenv")

local row = { x = "f64", y = "f64", i = "i32", on = "bool", who = "entity" }
local P = ecs.component("UntypedP", row)
local V = ecs.component("UntypedV", row)
local O = ecs.component("UntypedO", row)
local H = ecs.component("UntypedH", { n = "f64", on = "bool", who = "entity" })
local T = ecs.tag "UntypedT"

local HEAD = "local ecs, world, T, H, O, total, most = ...\n"
  .. "local U1, U2, U3, U4, N, W, K, F, A, G, M, Q\nlocal S = { t = {} }\n"
  .. "local C, I, B, D = 0.5, 0, -1.5, { n = 0.0 }\n"
local TAIL = "\n, function(x) U1, U2, U3, U4, N = x.U1, x.U2, x.U3, x.U4, x.N "
  .. "S.a, S.b, S.c, S.d, S.t, W, K, F = x.a, x.b, x.c, x.d, x.t, x.W(world), "
  .. "x.K, x.F A, G, M, Q = x.A, x.G, x.M, x.Q end, "
  .. "function() return C, I, B, D.n end"

local ROWS = 5

--- A world with rows, and its entities.
local function scene()
  local world = ecs.world { precision = "double" }
  local list = {}
  for k = 1, ROWS + 3 do
    if k > ROWS then
      list[k] = world:spawn(H { n = k, on = k % 2 == 0 })
    else
      list[k] = world:spawn(P { x = k - 3, y = 2.5 * k, i = k - 2,
        on = k % 2 == 0 }, V { x = 1 / k, y = -k, on = k % 3 == 0 })
    end
  end
  for k = 1, ROWS do
    world:set(list[k], P, "who", list[(k * 3) % 8 + 1])
    if k % 2 == 1 then world:set(list[k], V, "who", list[ROWS + 1 + k % 3]) end
    if k % 2 == 1 then world:add(list[k], O { x = k, who = list[k] }) end
    if k % 3 == 1 then world:add(list[k], T) end
    if k > 3 then world:add(list[k], H { n = -k, who = list[1] }) end
  end
  world:set(list[ROWS + 1], H, "who", list[ROWS + 2])
  world:destroy(list[ROWS + 3])
  return world, list
end

-- Values outside of the function ---------------------------------------------

local zero = 0.0
local numbers = { 1.0, 2.5, 0.0, -1.0, 3.0, -1.0 * zero, zero / zero, 1e9 }

--- A value of the usual kind, or of any. Entities are floats here, unlike e.
local function something(random, kind, list, wild)
  local function one(of) return of[math.floor(random() * #of) + 1] end
  if random() < wild then
    kind = one { "nil", "nil", "false", "true", "number", "entity", "entity",
                 "table", "text", "digits", "tag", "function" }
  end
  if kind == "number" then return one(numbers) end
  if kind == "boolean" then return random() < 0.5 end
  if kind == "entity" then return one(list) + 0.0 end
  if kind == "table" then return { x = 2.0, on = true, own = true } end
  if kind == "text" then return "text" end
  if kind == "digits" then return "2.0" end
  if kind == "tag" then return T end
  if kind == "function" then return run.double end
  if kind == "nil" then return nil end
  return kind == "true"
end

local function same(world) return world end
local function nothing() return nil end
local function other() return T end

--- Names that rarely change kind: a table, a world, a definition, a function.
local function rarely(random, now, first)
  local function odd() return not first and random() < 0.06 end
  now.t = { x = random() < 0.5 and 2.0 or 3.0, on = random() < 0.5, own = true }
  if odd() then now.t.x = nil end
  if odd() then now.t.on = 1.0 end
  if odd() then now.t = nil end
  now.W = odd() and nothing or odd() and other or same
  now.K = random() < 0.2 and T or random() < 0.2 and O or H
  if odd() then now.K = nil end
  if odd() then now.K = 2.0 end
  now.F = random() < 0.3 and math.abs or random() < 0.3 and run.swap
    or run.double
  if odd() then now.F = nil end
end

--- A table with numbers as keys, made by element(key).
local function tabled(random, element)
  local made, first = {}, 1
  if random() < 0.4 then first = math.floor(random() * 5) - 3 end
  for k = first, first + math.floor(random() * 6) - 1 do
    if random() < 0.93 then made[k] = element(k) end
  end
  if random() < 0.1 then made[1.5] = element(1) end
  if random() < 0.2 then made.name = "text" end
  return made
end

--- Tables that are read at computed keys: of values of one kind, mostly; of
-- tables with fields; of rows.
local function tables_of(random, now, before, list)
  local kind = random() < 0.6 and "number" or random() < 0.6 and "entity"
    or "boolean"
  local wild = random() < 0.85 and 0 or 0.4
  now.A = before and random() < 0.4 and before.A or tabled(random, function()
    return something(random, kind, list, wild)
  end)
  local lack = random() < 0.6 and 0 or 0.3
  now.G = before and random() < 0.4 and before.G or tabled(random, function()
    local function part(of)
      if random() >= lack then return something(random, of, list, wild / 4) end
    end
    return { x = part "number", on = part "boolean", who = part "entity" }
  end)
  now.M = before and random() < 0.4 and before.M or tabled(random, function()
    return tabled(random, function()
      return something(random, "number", list, wild / 4)
    end)
  end)
  -- Of a table as large as this only what rows look at is copied.
  if random() < 0.1 and type(now.A) == "table" then
    local large = {}
    for k = 1, 300 do large[k] = something(random, kind, list, 0) end
    now.A = large
  end
  if random() < 0.03 then now.A = something(random, "nil", list, 1) end
  now.Q = before and random() < 0.6 and before.Q or tabled(random, function()
    return random() < 0.5 and run.double or random() < 0.9 and run.swap
      or something(random, "nil", list, 1)
  end)
  if random() < 0.03 then now.G = something(random, "nil", list, 1) end
end

function run.double(x) return x, 2.0 end
function run.swap(a, b)
  if b then return b, a end
  return a
end

local homes = { { "U1", "number" }, { "U2", "boolean" }, { "U3", "entity" },
                { "U4", "nil" }, { "a", "number" }, { "b", "boolean" },
                { "c", "entity" }, { "d", "nil" } }
local counts = { 2.0, 1.0, 3.0, 0.0, 2.0, 2.0, 1.0, 2.0, true, "2" }

--- The outside values in each frame.
local function frames_of(seed, list)
  local random, frames = random_of(seed * 17 + 5), {}
  local restless = generate.restless(seed):match "%w+$"
  local any = { U4 = true, d = true }
  for k = 1, run.FRAMES do
    local now, before = {}, frames[k - 1]
    for _, home in ipairs(homes) do
      local name, kind = home[1], home[2]
      local often = name == restless
      if before and random() < (often and 0.2 or 0.8) then
        now[name] = before[name]
      else
        if any[name] then
          kind = random() < 0.5 and "number" or random() < 0.5 and "entity"
            or "boolean"
        end
        now[name] = something(random, kind, list,
          often and 0.6 or k == 1 and 0.03 or 0.1)
      end
    end
    now.N = random() < 0.6 and before and before.N
      or counts[math.floor(random() * (k == 1 and 6 or #counts)) + 1]
    rarely(random, now, k == 1)
    tables_of(random, now, before, list)
    frames[k] = now
  end
  return frames
end

-- Both sides -----------------------------------------------------------------

--- The whole text of a tree.
function run.text(tree) return HEAD .. generate.text(tree) .. TAIL end

--- The text that is compiled for a text: the same, unless a test plants a
-- fault.
function run.planted(text) return text end

local function side_of(text, compile)
  local side = {}
  side.world, side.list = scene()
  side.total, side.most = side.world:sum "total", side.world:max "most"
  local globals, chunk, problem = { math = math, ipairs = ipairs }
  if set_environment then
    chunk, problem = load_text(text, text)
    chunk = chunk and set_environment(chunk, globals)
  else
    chunk, problem = load(text, text, "t", globals)
  end
  if not chunk then
    side.world:close()
    return nil, problem
  end
  side.work, side.put, side.counts = chunk(ecs, side.world, T, H, O, side.total,
    side.most)
  side.compile = compile
  if type(side.put) ~= "function" or type(side.work) ~= "function" then
    side.world:close()
    return nil, "there is no function in it"
  end
  return side
end

local function copy_of(value)
  if type(value) ~= "table" or value == T then return value end
  local copied = {}
  for key, part in next, value do copied[key] = copy_of(part) end
  return copied
end

--- A copy with new tables, since plain Lua may write to them.
local function copy(now)
  local copied = {}
  for name, value in entries(now) do
    if type(value) == "table" and rawget(value, "own") then
      value = { x = value.x, on = value.on, own = true }
    elseif name == "A" or name == "G" or name == "Q"
      or name == "M" then
      value = copy_of(value)
    end
    copied[name] = value
  end
  return copied
end

--- An error's text without the frames below it and the variable that it names:
-- they depend on how a function runs.
local function message_of(problem)
  return (tostring(problem):gsub("\ninside the system:.*", "")
    :gsub(" %(%a+ '[^']*'%)", "")
    :gsub("%f[%a]%a+ '[^']*' (%(a %a+ value%))", "%1"))
end

--- The numbers that a function adds to, as text. All NaNs are one.
local function counts_of(side)
  local list = { side.counts() }
  for k = 1, #list do
    local number = list[k]
    list[k] = number ~= number and "nan" or tostring(number)
      .. string.format("=%.17g", number)
  end
  return table.concat(list, " ")
end

--- Runs one frame of a side. Returns the result as text, and whether it raised.
local function step(side, now)
  side.put(copy(now))
  local done, problem = true, nil
  if not side.defined then
    done, problem = pcall(side.world.system, side.world, {
      name = "s", each = side.work, compile = side.compile,
      query = { P, V, optional = { O } } })
    side.defined = done
  end
  if done then done, problem = pcall(side.world.progress, side.world, 0.25) end
  local total = side.total:value() + side.most:value()
  return string.format("%s %s total %s counts %s %s", side.world:state_hash(),
    done and "done" or "raised",
    total ~= total and "nan" or string.format("%.17g", total),
    counts_of(side), done and "" or message_of(problem)), not done
end

--- Runs one frame of a side through query:each. Returns the result as text.
local function ask(side, now)
  side.put(copy(now))
  side.query = side.query or side.world:query { P, V, optional = { O } }
  local done = pcall(side.query.each, side.query, side.work, 0.25)
  return side.world:state_hash() .. (done and " done" or " raised")
end

local function show(now)
  local line = {}
  for _, home in ipairs(homes) do
    line[#line + 1] = home[1] .. "=" .. tostring(now[home[1]])
  end
  line[#line + 1] = "N=" .. tostring(now.N)
  return table.concat(line, " ")
end

--- Runs all frames. Returns nil or the difference. counts: compiled, plain,
-- raised, exits.
local function compare(plain, compiled, leaving, asked, frames, seen)
  for k, now in ipairs(frames) do
    local expected, raised = step(plain, now)
    local left = leaving and step(leaving, now)
    if left and left:find("cannot be compiled", 1, true) then
      leaving = nil
    elseif left and left ~= expected then
      return string.format("frame %d (exits): %s\nplain Lua: %s\nexits: %s", k,
        show(now), expected, left)
    end
    if leaving and leaving.defined then
      local exits = leaving.world:stats("s").exits
      seen.exits = (seen.exits or 0) + exits - (leaving.exits or 0)
      leaving.exits = exits
    end
    local got = step(compiled, now)
    local kind = (raised or not compiled.defined) and "raised"
      or compiled.world:explain "s":find("compiled (", 1, true) and "compiled"
      or "plain"
    seen[kind] = (seen[kind] or 0) + 1
    if expected ~= got then
      return string.format("frame %d (%s): %s\nplain Lua: %s\ncompiled: %s", k,
        kind, show(now), expected, got)
    end
    -- A system may be refused where it is defined; query:each has no such
    -- place, and goes other ways from then on.
    if not plain.defined then asked = nil end
    got = asked and ask(asked, now)
    if got and expected:sub(1, #got) ~= got then
      return string.format("frame %d (query): %s\nplain Lua: %s\ncompiled: %s",
        k, show(now), expected, got)
    end
  end
  return nil
end

--- Runs a tree both ways. Returns nil or the difference, and whether the only
-- difference is that the text does not load.
function run.run(tree, seed, seen)
  local text = run.text(tree)
  local plain, problem = side_of(text, false)
  if not plain then return problem, true end
  local compiled = side_of(run.planted(text), nil)
  -- Functions of query:each cannot use random numbers and totals of systems.
  local asked = seed % 3 == 0 and not text:find("random", 1, true)
    and not text:find("add(", #HEAD, true) and side_of(text) or nil
  local leaving = side_of(run.planted(text), true)
  local difference = compare(plain, compiled, leaving, asked,
    frames_of(seed, plain.list), seen)
  plain.world:close()
  compiled.world:close()
  leaving.world:close()
  if asked then asked.world:close() end
  return difference, false
end

return run
