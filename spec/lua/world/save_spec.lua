-- Saves: the state of a world as a file, or as a string, and back.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/state_game.lua"
local refuses = support.refuses
local game, run = scene.game, scene.run
local Position, Aim, Burning = scene.Position, scene.Aim, scene.Burning

--- The path of a file that does not exist yet, removed after the test.
local function new_path()
  local path = os.tmpname()
  os.remove(path)
  finally(function()
    os.remove(path)
    os.remove(path .. ".new")
  end)
  return path
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

--- What a shell command prints, without its last line break; nil: it failed.
local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1 && echo done"))
  local text = pipe:read "*a"
  pipe:close()
  return (text:match "^(.-)\n?done\n$")
end

local world
before_each(function() world = ecs.world {} end)

describe("a save", function()
  it("is loaded from a file into a world that goes on as the first", function()
    local path, first, second = new_path(), game(), game()
    run(first, 60)
    first:group { Position, scene.Velocity }
    first:enable("hurt", false)
    assert.is_true(first:save(path))
    run(second, 5)
    local done, told = second:load(path)
    assert.is_true(done)
    assert.same({}, told)
    assert.equal(first:hash(), second:hash())
    assert.equal(first:find "first", second:find "first")
    run(first, 60)
    run(second, 60)
    assert.equal(first:hash(), second:hash())
    assert.equal(first:save(), second:save())
    assert.is_nil(io.open(path .. ".new"))
  end)

  it("brings a player who joins late to the same game", function()
    local host = game()
    run(host, 80)
    local guest = game()
    assert.is_true(guest:load { bytes = host:save() })
    assert.equal(host:hash(), guest:hash())
    local frames = os.getenv "ECS_SPEC_SHORT" and 100 or 1000
    for _ = 1, frames do
      host:progress(1 / 60)
      guest:progress(1 / 60)
      assert.equal(host:hash(), guest:hash())
    end
  end)

  it("is the same for equal worlds, and of other bytes for others", function()
    local one, other = game(), game()
    run(one, 30)
    run(other, 30)
    assert.equal(one:save(), other:save())
    one:query({ Burning }):count()
    one:query({ read = { ecs.component("SaveUnused", { x = "f32" }) } }):count()
    assert.equal(one:save(), other:save())
    run(one, 1)
    assert.not_equal(one:save(), other:save())
  end)

  it("has an empty world, too", function()
    local bytes = world:save()
    local other = ecs.world {}
    other:spawn(Position)
    assert.is_true(other:load { bytes = bytes })
    assert.equal(world:hash(), other:hash())
    assert.equal(0, other:stats().entities)
  end)

  it("has the arrays, with the sizes of the file", function()
    local walls = world:array("walls", "i16", 3, 2)
    walls:fill(-3)
    walls[3][2] = 12
    world:array("line", "f64", 4):resize(6)
    world:array("empty", "bool", 9)
    local bytes, other = world:save(), ecs.world {}
    local there = other:array("walls", "i16", 3, 2)
    there:resize(9, 9)
    there:fill(1)
    assert.is_true(other:load { bytes = bytes })
    assert.equal(world:hash(), other:hash())
    assert.same({ 3, 2, 12, -3 },
      { there:size(), select(2, there:size()), there[3][2], there[1][1] })
    assert.equal(6, (other:array("line", "f64", 6):size()))
    assert.equal(bytes, other:save())
    local wrong = ecs.world {}
    wrong:array("walls", "f32", 3, 2)
    local done, why = wrong:load { bytes = bytes }
    assert.is_nil(done)
    assert.equal("the save does not fit: array 'walls' has another type or "
      .. "number of indices here", why)
  end)

  it("is an archive that other programs read", function()
    local path = new_path()
    local played = game()
    run(played, 40)
    played:save(path)
    if shell "command -v unzip" then
      assert.truthy(shell("unzip -t " .. path):find("No errors", 1, true))
    end
    local count = played:query({ read = { Position } }):count()
    local lines = { "import numpy, zipfile, io",
      "z = zipfile.ZipFile('" .. path .. "')",
      "a = {n: numpy.load(io.BytesIO(z.read(n))) for n in z.namelist()"
        .. " if n.endswith('.npy')}",
      "x = a['columns/SnapshotPlace.x.npy']",
      "print(x.dtype, len(x), z.testzip())" }
    if shell "python3 -c 'import numpy'" then
      assert.equal("float32 " .. count .. " None",
        shell("python3 -c \"" .. table.concat(lines, "\n") .. "\""))
    end
  end)

  it("keeps the old file where the new one cannot be written", function()
    local path = new_path()
    world:spawn(Position { x = 1 })
    assert.is_true(world:save(path))
    local before = read(path)
    world:spawn(Position { x = 2 })
    write(path .. ".new", "what a process left that was killed")
    assert.is_true(world:save(path))
    assert.not_equal(before, read(path))
    local done, why = world:save "/no/such/folder/game.save"
    assert.is_nil(done)
    assert.equal("/no/such/folder/game.save: No such file or directory", why)
    done, why = world:save "/tmp" -- and no folder or device is replaced
    assert.is_nil(done)
    assert.truthy(why:find("/tmp: ", 1, true), why)
    assert.is_nil(io.open "/tmp.new")
  end)
end)

describe("a save of another version of the program", function()
  -- Both are programs of their own, as definitions last as long as a process.
  local first = 0
  while arg[first - 1] do first = first - 1 end

  local function program(path, text)
    local file = new_path()
    write(file, string.format("package.path = %q package.cpath = %q ",
      package.path, package.cpath) .. "local path = " .. string.format("%q",
      path) .. " local ecs = require 'ecs' local world = ecs.world {} " .. text)
    return shell("'" .. arg[first]:gsub("'", "") .. "' " .. file)
  end

  local function versions(before, after)
    local path = new_path()
    assert.equal("", program(path, before .. " assert(world:save(path))"))
    return program(path, after)
  end

  it("gets defaults for new fields, and drops those that are gone", function()
    assert.equal("3\t7\ttrue\tUnit.hp is new: it has its default\t"
      .. "Unit.old is gone: its values were dropped",
      versions([[
        local Unit = ecs.component("Unit", { x = "i16", old = "f32" })
        world:spawn(Unit { x = 3, old = 1 })]], [[
        local Unit = ecs.component("Unit", { x = "i16", hp = { "u8", 7 } })
        local done, told = world:load(path)
        local e = world:query({ Unit }):first()
        table.sort(told)
        print(world:get(e, Unit, "x"), world:get(e, Unit, "hp"), done,
          told[1], told[2])]]))
  end)

  it("converts types where nothing is lost, value by value", function()
    local before = [[
      local Unit = ecs.component("Unit", { x = "f64" })
      world:spawn(Unit { x = 1 })
      local e = world:spawn(Unit { x = VALUE })]]
    local after = [[
      local Unit = ecs.component("Unit", { x = "i16" })
      local kept = world:spawn(Unit { x = 5 })
      local done, why = world:load(path)
      if done then
        print(world:query({ Unit }):count(), why[1])
      else
        print(world:get(kept, Unit, "x"), why)
      end]]
    assert.equal("2\tUnit.x has another type: it was converted",
      versions(before:gsub("VALUE", "-32768"), after))
    assert.equal("5\tthe save does not fit: a value of Unit.x does not fit its "
      .. "type", versions(before:gsub("VALUE", "1.5"), after))
    assert.equal("5\tthe save does not fit: a value of Unit.x does not fit its "
      .. "type", versions(before:gsub("VALUE", "32768"), after))
  end)

  it("is made anew where no conversion is", function()
    assert.equal("2\t1\tUnit has new values", versions([[
        local Unit = ecs.component("Unit", { of = "entity", on = "bool" })
        world:spawn()
        world:spawn(Unit { of = world:spawn(), on = true })]], [[
        local Unit = ecs.component("Unit", { of = "u8", level = "f32" })
        local done, why = world:load(path)
        assert(not done and why:find "cannot be converted", why)
        local done, told = world:load { path = path, migrate = {
          Unit = function(old)
            return { of = old.of, level = old.on and 1 or 0 }
          end } }
        local e = world:query({ Unit }):first()
        print(world:get(e, Unit, "of"), ("%.0f"):format(world:get(e, Unit,
          "level")), told[1])]]))
  end)

  it("is stored as this program defines, and defines what it lacks", function()
    assert.equal("1\t2\t4\ttrue", versions([[
        local Unit = ecs.component("Unit", { x = "f32" },
          { storage = "sparse" })
        local Gone = ecs.component("Gone", { n = { "u8", 9 } })
        local Lit = ecs.tag("Lit", { storage = "bits" })
        world:spawn(Unit { x = 1 }, Gone { n = 4 }, Lit)
        world:spawn(Gone)]], [[
        local Unit = ecs.component("Unit", { x = "f32" })
        assert(world:load(path))
        local e = world:query({ Unit }):first()
        local Gone = ecs.component "Gone"
        print(world:query({ Unit }):count(), world:query({ Gone }):count(),
          world:get(e, Gone, "n"), world:has(e, ecs.tag("Lit",
            { storage = "bits" })))]]))
  end)
end)

--- The bits that one of two numbers has and the other has not.
local function xor(a, b)
  local result, place = 0, 1
  while a > 0 or b > 0 do
    if a % 2 ~= b % 2 then result = result + place end
    a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
  end
  return result
end

local function checksum(text)
  local sum = 0xffffffff
  for k = 1, #text do
    sum = xor(sum, text:byte(k))
    for _ = 1, 8 do
      local low = sum % 2
      sum = math.floor(sum / 2)
      if low == 1 then sum = xor(sum, 0xedb88320) end
    end
  end
  return xor(sum, 0xffffffff)
end

local function little(number)
  local bytes = {}
  for k = 1, 4 do
    bytes[k] = string.char(number % 256)
    number = math.floor(number / 256)
  end
  return table.concat(bytes)
end

--- A save with another script.txt, which is its last file, and right sums.
local function with_script(bytes, text)
  local first = bytes:find("script.txt", 1, true)
  local size = bytes:byte(first - 8) + 256 * bytes:byte(first - 7)
  local last = first + 10 + size -- where the directory begins
  local sums = little(checksum(text)) .. little(#text) .. little(#text)
  local entry = bytes:find("script.txt", last, true) - 46
  return bytes:sub(1, first - 17) .. sums .. bytes:sub(first - 4, first + 9)
    .. text .. bytes:sub(last, entry + 15) .. sums
    .. bytes:sub(entry + 28, #bytes - 6) .. little(first + 9 + #text) .. "\0\0"
end

describe("what is no save", function()
  it("is one whose text somebody has changed with care", function()
    local bytes = world:save()
    local function load(text)
      return world:load { bytes = with_script(bytes, text) }
    end
    assert.equal(bytes, with_script(bytes, ""))
    assert.is_true(load "seed 4018000000000000\n")
    local hash = world:hash()
    for _, text in ipairs { "seed 4018000000000000", "\n", "met 1 a\nmet 1 a\n",
      "seed fff8000000000000\n", "phase simulate 1 7ff0000000000000\n",
      "phase simulate 1 7ff8000000000000\n", "system a 1 - bff0000000000000\n",
      "phase simulate 9999999999999999999 -\n", "met 1 a\nand more",
      "system a 1 7ff0000000000000 -\n", "none of them\n", "met 70000 a\n" } do
      local done, why = load(text)
      assert.is_nil(done, text)
      assert.equal("the save is damaged: its script.txt is wrong", why)
      assert.equal(hash, world:hash())
    end
  end)

  it("is refused, and nothing has changed", function()
    local path = new_path()
    local e = world:spawn(Position { x = 1 })
    world:set(e, Aim { at = e })
    local bytes, hash = world:save(), world:hash()
    local function refused(text)
      local done, why = world:load { bytes = text }
      assert.is_nil(done)
      assert.truthy(why:find("the save", 1, true), why)
      assert.equal(hash, world:hash())
    end
    local step = os.getenv "ECS_SPEC_SHORT" and 97 or 7
    for k = 0, #bytes - 1, step do refused(bytes:sub(1, k)) end
    for k = 1, #bytes, step do
      local other = string.char((bytes:byte(k) + 1) % 256)
      refused(bytes:sub(1, k - 1) .. other .. bytes:sub(k + 1))
    end
    refused(bytes .. "x")
    refused("x" .. bytes)
    local done, why = world:load(path)
    assert.is_nil(done)
    assert.truthy(why:find("No such file", 1, true), why)
    write(path, "no save")
    assert.is_nil((world:load(path)))
    assert.is_nil((world:load "/"))
    assert.is_nil((world:load { path = path }))
    assert.is_true(world:load { bytes = bytes })
    assert.equal(hash, world:hash())
  end)

  it("is an error where it is no path and no bytes", function()
    for _, wrong in ipairs { 1, true, {}, "", "a\0b", { bytes = 1 },
      { path = "" }, { path = "x", bytes = "x" }, { bytes = "x", more = 1 } } do
      refuses(function() world:load(wrong) end, "load")
    end
    refuses(function() world:load() end, "load takes")
    for _, wrong in ipairs { 1, true, { 1 }, "", "a\0b" } do
      refuses(function() world:save(wrong) end, "save")
    end
  end)

  it("cannot be saved or loaded inside callbacks and frames", function()
    local bytes = world:save()
    world:spawn(Position)
    local calls = 0
    local function inside()
      calls = calls + 1
      refuses(function() world:save() end, "inside")
      refuses(function() world:save "/tmp/never" end, "inside")
      refuses(function() world:load { bytes = bytes } end, "inside")
    end
    world:query({ Position }):each(inside)
    world:query({ Position }):batch(inside)
    world:on("add", Burning, inside)
    world:spawn(Burning)
    assert.equal(3, calls)
    local at = world:snapshot()
    local past, diff = world:history(2), world:diff(at, at)
    past:take()
    for _, flush in ipairs { "system", "frame" } do
      local plain = ecs.world { flush = flush }
      local own = plain:snapshot()
      plain:system { name = "inside", run = function()
        calls = calls + 1
        local function frame(f)
          refuses(f, "ecs: ", "is not possible inside a frame")
        end
        frame(function() plain:save() end)
        frame(function() plain:save "/tmp/never" end)
        frame(function() plain:load { bytes = bytes } end)
        frame(function() plain:load { bytes = "damaged" } end)
        frame(function() plain:load "no such file" end)
        frame(function() plain:apply(diff) end)
        frame(function() plain:apply "damaged" end)
        frame(function() plain:diff(own, own) end)
        frame(function() plain:snapshot() end)
        frame(function() plain:snapshot(own) end)
        frame(function() plain:restore(own) end)
      end }
      plain:progress(1)
    end
    assert.equal(5, calls)
    world:close()
    refuses(function() world:save() end, "closed")
    refuses(function() world:load { bytes = bytes } end, "closed")
  end)

  it("keeps the state that is called -", function()
    local one = ecs.world { states = { "a", "-" } }
    one:go "-"
    local bytes = one:save() -- where to go
    local other = ecs.world { states = { "a", "-" } }
    assert.is_true(other:load { bytes = bytes })
    assert.equal(one:hash(), other:hash())
    other:progress(0)
    assert.equal("-", other:state())
  end)

  it("needs the states that the world has", function()
    local other = ecs.world { states = { "menu", "play", "lost" } }
    other:go "lost"
    other:progress(0)
    local done, why = game():load { bytes = other:save() }
    assert.is_nil(done)
    assert.equal("the save does not fit: the world has no state 'lost'", why)
  end)
end)
