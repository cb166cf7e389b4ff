--- save: the state of a world as a file, or as a string, and back.
--
--     world:save "game.save"          world:load "game.save"
--     local bytes = world:save()      world:load { bytes = bytes }
--     local text = world:dump()
--     local bytes = world:diff(before, after)    world:apply(bytes)
--
-- ecs.core writes and reads what it knows of the state; include/ecs.h has the
-- format. What snapshot.lua keeps is a text in it, a line for each thing, in
-- order, with names as the manifest has them and numbers as their bits:
--
--     seed 4018000000000000
--     phase simulate 12 0000000000000000      runs, rest
--     state play menu                         the state, and where to go, or -
--     system move 0 - -                       enabled, rest, since
--     total sum score move 4059000000000000
--     met 1 hurt                              number of a tag, its system
--
-- What has its first value is left out, so that worlds with equal hashes have
-- equal saves.

local require = require("ecs.standard").inner "ecs.save"

local backend = require "ecs.backend"
local message = require "ecs.message"
local plain_table = require "ecs.plain_table"
local safe_pairs = require "ecs.safe_pairs"
local snapshot = require "ecs.snapshot"
local system = require "ecs.system"

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error, next, pcall, rawget, type = error, next, pcall, rawget, type
local tonumber, tostring = tonumber, tostring
local byte, char, format = string.byte, string.char, string.format
local gmatch, gsub, match = string.gmatch, string.gsub, string.match
local sub = string.sub
local concat, sort = table.concat, table.sort

local core = backend.core

-- Words -----------------------------------------------------------------------

--- "-" alone stands for no name.
local function write_name(name)
  if name == "-" then return "%2D" end
  return (gsub(name, "[^A-Za-z0-9_-]", function(c)
    return format("%%%02X", byte(c))
  end))
end

local function read_name(word)
  return (gsub(word, "%%(%x%x)", function(digits)
    return char(tonumber(digits, 16))
  end))
end

local function write_number(number)
  return number and core.number_text(number) or "-"
end

local function read_number(word)
  if word == "-" then return nil end
  return core.text_number(word)
end

--- The keys of a table in order.
local function ordered(keys)
  local list = {}
  for key in next, keys do list[#list + 1] = key end
  sort(list)
  return list
end

-- Writing ---------------------------------------------------------------------

local function write_phases(lines, clocks)
  for _, name in next, ordered(clocks) do
    local clock = clocks[name]
    if clock.runs ~= 0 or (clock.rest or 0) ~= 0 then
      lines[#lines + 1] = concat({ "phase", write_name(name),
        format("%.0f", clock.runs), write_number(clock.rest) }, " ")
    end
  end
end

local function write_state(lines, state, part)
  if not part.state then return end
  local going = part.next_state ~= part.state and part.next_state or nil
  if part.state ~= state.states[1] or going then
    lines[#lines + 1] = "state " .. write_name(part.state) .. " "
      .. (going and write_name(going) or "-")
  end
end

local function write_systems(lines, systems)
  for _, name in next, ordered(systems) do
    local entry = systems[name]
    if not entry.enabled or (entry.rest or 0) ~= 0
      or (entry.since or 0) ~= 0 then
      lines[#lines + 1] = concat({ "system", write_name(name),
        entry.enabled and "1" or "0", write_number(entry.rest),
        write_number(entry.since) }, " ")
    end
  end
end

local function write_totals(lines, totals)
  local found = {}
  for k = 1, #totals, 4 do
    found[#found + 1] = concat({ "total", totals[k],
      write_name(totals[k + 1]), write_name(totals[k + 2]),
      write_number(totals[k + 3]) }, " ")
  end
  sort(found)
  for _, line in next, found do lines[#lines + 1] = line end
end

local function write_met(lines, met)
  local numbers = {}
  for number in next, met do numbers[#numbers + 1] = number end
  sort(numbers)
  for _, number in next, numbers do
    lines[#lines + 1] = "met " .. number .. " " .. write_name(met[number])
  end
end

--- The text of what is here, as snapshot.read gives it.
local function write(part, state)
  local lines = {}
  if part.seed ~= 0 then lines[1] = "seed " .. write_number(part.seed) end
  write_phases(lines, part.clocks)
  write_state(lines, state, part)
  write_systems(lines, part.systems)
  write_totals(lines, part.totals)
  write_met(lines, part.met)
  lines[#lines + 1] = ""
  return concat(lines, "\n")
end

-- Reading ---------------------------------------------------------------------

--- Is it time that has passed? There is none where the word is "-".
local function is_time(value, word)
  return word == "-" or value ~= nil and value >= 0 and value <= 2 ^ 53
end

--- How each line is read: a pattern, and what to do with its words. It returns
-- true, unless they are none.
local readers = {
  seed = { "^(%x+)$", function(part, number)
    part.seed = read_number(number)
    return part.seed and part.seed >= 0 and part.seed <= 2 ^ 53
      and part.seed % 1 == 0
  end },
  phase = { "^(%S+) (%d+) (%S+)$", function(part, name, runs, rest)
    local clock = { runs = tonumber(runs), rest = read_number(rest) }
    part.clocks[read_name(name)] = clock
    return clock.runs < 2 ^ 53 and is_time(clock.rest, rest)
  end },
  state = { "^(%S+) (%S+)$", function(part, name, going)
    part.state = read_name(name)
    part.next_state = going ~= "-" and read_name(going) or nil
    return true
  end },
  system = { "^(%S+) ([01]) (%S+) (%S+)$",
    function(part, name, enabled, rest, since)
      local entry = { enabled = enabled == "1", rest = read_number(rest),
        since = read_number(since) }
      part.systems[read_name(name)] = entry
      return is_time(entry.rest, rest) and is_time(entry.since, since)
    end },
  total = { "^(%l+) (%S+) (%S+) (%x+)$",
    function(part, kind, name, of, value)
      local list, number = part.totals, read_number(value)
      list[#list + 1], list[#list + 2] = kind, read_name(name)
      list[#list + 1], list[#list + 2] = read_name(of), number
      return number and (kind == "sum" or kind == "min" or kind == "max")
    end },
  met = { "^(%d+) (%S+)$", function(part, number, name)
    part.met[tonumber(number)] = read_name(name)
    return tonumber(number) < 65536
  end },
}

--- Takes a line apart. False: it is wrong.
local function read_line(part, line)
  local what, words = match(line, "^(%l+) (.*)$")
  local reader = readers[what]
  if not reader then return false end
  local a, b, c, d = match(words, reader[1])
  return a and reader[2](part, a, b, c, d)
end

--- What snapshot.put takes, and what is here of a save; nil and why. Every line
-- ends, and none is there twice.
local function read(text)
  local part = { seed = 0, clocks = {}, systems = {}, totals = {}, met = {} }
  local seen, whole = {}, text == "" or sub(text, -1) == "\n"
  for line in gmatch(text, "([^\n]*)\n") do
    whole = whole and not seen[line] and read_line(part, line)
    seen[line] = true
  end
  if not whole then
    return nil, "the save is damaged: its script.txt is wrong"
  end
  return part
end

--- The fields of a component, as ecs.component takes them.
local function read_fields(lines, count)
  local fields = {}
  for _ = 1, count do
    local name, kind, default, link = match(lines(),
      "^field (%S+) (%S+) (%S+) (%S+)$")
    local field = { kind }
    local value = core.text_number(default)
    if kind == "bool" then
      field[2] = value ~= 0
    elseif kind ~= "entity" and kind ~= "string" and kind ~= "any" then
      field[2] = value
    end
    if link ~= "-" then
      field.link = match(link, "^%l+")
      if match(link, "-tree$") then field.tree = true end
    end
    fields[read_name(name)] = field
  end
  return fields
end

--- Defines the components of a save that this program does not define. Returns
-- nil, or why one cannot be.
local function define(manifest)
  local lines = gmatch(manifest, "([^\n]*)\n")
  for line in lines do
    local word, storage, count = match(line, "^component (%S+) (%S+) (%d+)$")
    if word then
      local name = read_name(word)
      local fields = read_fields(lines, tonumber(count))
      if not pcall(core.component, name) then
        local made, problem
        if next(fields) == nil then
          made, problem = pcall(core.tag, name, { storage = storage })
        else
          made, problem = pcall(core.component, name, fields,
            { storage = storage })
        end
        if not made then return tostring(problem) end
      end
    end
  end
end

--- The numbers of tags of events here, by those of the save.
local function match_met(state, met)
  local numbers, most = {}, 0
  for number in next, met do if number > most then most = number end end
  for number = 1, most do
    local entry = met[number] and state.named[met[number]]
    numbers[number] = entry and entry.number or 0
  end
  return numbers
end

--- The states of a save must be some of the world's.
local function check_states(state, part)
  if part.state == nil then
    part.state = state.states and state.states[1]
    return nil
  end
  for _, name in next, { part.state, part.next_state } do
    if not state.states or not state.state_ranks[name] then
      return "the save does not fit: the world has no state '" .. name .. "'"
    end
  end
end

-- Methods ---------------------------------------------------------------------

local function write_world(world)
  local state = system.state(world)
  return write(snapshot.read(world, state), state)
end

--- What fields of type string and any have in a save of the world, or of a
-- snapshot of it.
local function write_values(world, held, encode, call, level)
  local values, problem = core.held_values(world, held, encode, call)
  if not values then error(problem, level + 1) end
  return values
end

local function save(world, encode, call, level)
  local values = write_values(world, nil, encode, call, level + 1)
  local bytes, problem = core.save_bytes(world, write_world(world), values)
  core.held_resume(values)
  if not bytes then error(problem, level + 1) end
  return bytes
end

--- The function of the option encode or decode, a table with one under any.
local function read_any(given, call, option, level)
  if given == nil then return nil end
  if type(given) == "table" then
    given = plain_table(given, call, option, { any = true }, "all")
    for key in safe_pairs(given) do
      if key ~= "any" then
        error("ecs: " .. call .. ": " .. option .. " has no entry "
          .. message.describe(key) .. " (there is any)", level + 1)
      end
    end
    local any = rawget(given, "any")
    if any == nil or type(any) == "function" then return any end
    error("ecs: " .. call .. ": " .. option .. ".any is a function, not "
      .. message.describe(any), level + 1)
  end
  error("ecs: " .. call .. ": " .. option .. " is a table { any = function }, "
    .. "not " .. message.describe(given), level + 1)
end

--- The encoder that the options of a save have.
local function read_encode(options, level)
  if options == nil then return nil end
  if type(options) ~= "table" then
    error("ecs: save takes the path of a file and { encode = }, not "
      .. message.describe(options), level + 1)
  end
  options = plain_table(options, "save", "its options", { encode = true },
    "all")
  for key in safe_pairs(options) do
    if key ~= "encode" then
      error("ecs: save has no option " .. message.describe(key)
        .. " (there is encode)", level + 1)
    end
  end
  -- No tail call: levels count frames.
  local any = read_any(rawget(options, "encode"), "save", "encode", level + 1)
  return any
end

local methods = {}

--- Returns the state of the world as a string; with a path, writes it there
-- instead and returns true, or nil and why. options, which may stand alone:
-- { encode = { any = function(value, entity, field) } }. Raises an error inside
-- callbacks and frames.
function methods.save(world, path, options)
  backend.check_world(world, "save")
  if type(path) == "table" and options == nil then
    path, options = nil, path
  end
  if path ~= nil and type(path) ~= "string" then
    error("ecs: save takes the path of a file, or nothing for a string, not "
      .. message.describe(path), 2)
  elseif path ~= nil and (path == "" or match(path, "%z")) then
    error("ecs: save: " .. message.describe(path) .. " is no path", 2)
  end
  local encode = read_encode(options, 2)
  core.check_idle(world, "save")
  if path == nil then
    local bytes = save(world, encode, "save", 2)
    return bytes
  end
  local values = write_values(world, nil, encode, "save", 2)
  local text = write_world(world)
  local done, problem, file = core.save_file(world, text, values, path)
  core.held_resume(values)
  if not done and file ~= false then error(problem, 2) end
  return done, problem
end

--- Returns the state of the world as text: entities, their values, links and
-- arrays in one order, whatever the storage. Raises an error where memory is
-- refused.
function methods.dump(world)
  backend.check_world(world, "dump")
  local text, problem = core.dump_text(world)
  if not text then error(problem, 2) end
  return text
end

--- Raises unless it is the path of a file.
local function check_path(path, level)
  if match(path, "^PK.*%z") then
    error("ecs: load: this is what world:save() gave, not the path of a "
      .. "file: world:load { bytes = ... } takes it", level + 1)
  elseif path == "" or match(path, "%z") then
    error("ecs: load: " .. message.describe(path) .. " is no path", level + 1)
  end
end

--- The functions of the option migrate, by name of a component.
local function read_migrate(migrate, level)
  if migrate == nil then return {} end
  if type(migrate) ~= "table" then
    error("ecs: load: migrate is a table of functions by the names of "
      .. "components, not " .. message.describe(migrate), level + 1)
  end
  local functions = {}
  migrate = plain_table(migrate, "load", "migrate", {}, "all")
  for name, make in safe_pairs(migrate) do
    if type(name) ~= "string" or not pcall(core.component, name) then
      error("ecs: load: migrate has a function for "
        .. message.describe(name) .. ", which is no component of this program",
        level + 1)
    elseif type(make) ~= "function" then
      error("ecs: load: migrate." .. name .. " is a function, not "
        .. message.describe(make), level + 1)
    end
    functions[name] = make
  end
  return functions
end

local options_of_load = { path = true, bytes = true, migrate = true,
  decode = true }

--- What world:load was asked for: { path = or bytes =, migrate =, decode = }.
local function read_source(source, level)
  if type(source) == "string" then source = { path = source } end
  if type(source) == "table" then
    source = plain_table(source, "load", "its options", options_of_load, "all")
    for key in safe_pairs(source) do
      if not options_of_load[key] then
        error("ecs: load has no option " .. message.describe(key)
          .. " (there are path, bytes, migrate, decode)", level + 1)
      end
    end
    local path, bytes = rawget(source, "path"), rawget(source, "bytes")
    local migrate = read_migrate(rawget(source, "migrate"), level + 1)
    local decode = read_any(rawget(source, "decode"), "load", "decode",
      level + 1)
    if type(path) == "string" and bytes == nil then
      check_path(path, level + 1)
      return { path = path, migrate = migrate, decode = decode }
    elseif type(bytes) == "string" and path == nil then
      return { bytes = bytes, migrate = migrate, decode = decode }
    end
  end
  error("ecs: load takes the path of a file, { path = }, or { bytes = what "
    .. "world:save() gave }, not " .. message.describe(source), level + 1)
end

--- The new values of components, by name, made by functions; nil and why.
local function make_images(world, bytes, migrate, numbers)
  local images = {}
  for _, name in next, ordered(migrate) do
    local made, problem = core.saved_images(world, bytes,
      core.component(name), migrate[name], numbers)
    if made == nil then return nil, problem end
    images[name] = made or nil
  end
  return images
end

--- Loads bytes. Returns true and a list of sentences; or nil and why.
local function load(world, bytes, migrate, decode)
  local manifest, text = core.saved_texts(world, bytes)
  if not manifest then return nil, text end
  local part, problem = read(text)
  if not part then return nil, problem end
  local state = system.state(world)
  problem = check_states(state, part) or define(manifest)
  if problem then return nil, problem end
  -- No value is let go until the last of these is given back.
  local numbers, differ, pause = core.saved_values(world, bytes, decode)
  if not numbers then return nil, differ end
  local images, told
  images, problem = make_images(world, bytes, migrate, numbers)
  if not images then return nil, problem end
  told, problem = core.load_save(world, bytes, match_met(state, part.met),
    images, numbers, differ)
  core.held_resume(pause)
  if not told then return nil, problem end
  for _, entry in next, system.list(state) do
    if not part.systems[entry.name] then
      part.systems[entry.name] = { enabled = true }
    end
  end
  snapshot.put(world, state, part)
  return true, told
end

--- Puts the state of a save in place of the world's. Returns true and a list of
-- texts, one for each thing that is not as it was saved; or nil and why, and
-- nothing has changed. Raises an error inside callbacks and frames.
function methods.load(world, source)
  backend.check_world(world, "load")
  core.check_idle(world, "load")
  local from = read_source(source, 2)
  local bytes, problem = from.bytes, nil
  if from.path then bytes, problem = core.read_save(from.path) end
  if not bytes then return nil, problem end
  local done, told = load(world, bytes, from.migrate, from.decode)
  return done, told
end

--- A snapshot of this world that holds a state, as a save.
local function save_snapshot(world, held, level)
  if core.kind(held) ~= "ecs.Snapshot" or core.snapshot_world(held) ~= world
    or not snapshot.part_of(held) then
    error("ecs: diff takes two snapshots of this world, not "
      .. message.describe(held), level + 1)
  end
  local text = write(snapshot.part_of(held), system.state(world))
  local values = write_values(world, held, nil, "diff", level + 1)
  local bytes, problem = core.snapshot_bytes(world, text, values, held)
  core.held_resume(values)
  if not bytes then error(problem, level + 1) end
  return bytes
end

--- Returns the difference between two states, as a string for apply. Raises
-- an error inside callbacks and frames, and where memory is refused.
function methods.diff(world, from, to)
  backend.check_world(world, "diff")
  core.check_idle(world, "diff")
  local before = save_snapshot(world, from, 2)
  local after = save_snapshot(world, to, 2)
  local bytes, problem = core.save_diff(world, before, after)
  if not bytes then error(problem, 2) end
  return bytes
end

--- Puts the second state of a diff in place of the world's. Returns true; or
-- nil and why, and nothing has changed. Raises an error inside callbacks and
-- frames.
function methods.apply(world, bytes)
  backend.check_world(world, "apply")
  if type(bytes) ~= "string" then
    error("ecs: apply takes what world:diff gave, not "
      .. message.describe(bytes), 2)
  end
  core.check_idle(world, "apply")
  local before = save(world, nil, "apply", 2)
  local after, problem = core.save_patch(world, before, bytes)
  if not after then return nil, problem end
  local done, told = load(world, after, {})
  if not done then return nil, told end
  return true
end

core.install("ecs.World", methods)

--- The tags of events in a world, as lines.
local function write_tags(world)
  local lines = {}
  write_met(lines, snapshot.read(world, system.state(world)).met)
  lines[#lines + 1] = ""
  return concat(lines, "\n")
end

return {
  define = define, match_met = match_met, read = read, write_tags = write_tags,
}
