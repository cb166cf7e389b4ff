-- Where inside of a system an error was raised.

local ecs = require "ecs"

local Position = ecs.component("TracePosition", { x = "f32" })

local world

before_each(function()
  world = ecs.world {}
  world:spawn(Position)
end)
after_each(function() world:close() end)

local function hit(text)
  error(text or "no target")
end

local function aim(text) -- no tail calls: they leave no frame
  hit(text)
  return true
end

--- The message of a frame, and its lines.
local function raised(call, ...)
  local done, text = xpcall(call or world.progress, debug.traceback,
    world, ...)
  assert.is_false(done)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return text, lines
end

local function position(f) return debug.getinfo(f, "S").linedefined end

--- Checks that the frames of hit, aim and of a function of the system are below
-- the first line, in that order, and debug.traceback's own lines below them.
local function check(name, f)
  local text, lines = raised(nil, 1)
  local first = position(hit) + 1
  assert.truthy(lines[1]:find("traceback_spec.lua:" .. first
    .. ": no target (in system '" .. name .. "')", 1, true), text)
  assert.equal("inside the system:", lines[2])
  local place, found = 3, {}
  while not lines[place]:find("stack traceback:", 1, true) do
    local line = lines[place]:match "traceback_spec.lua:(%d+): in "
    if line then found[#found + 1] = tonumber(line) end
    place = place + 1
  end
  assert.equal(first, found[1], text)
  assert.equal(position(aim) + 1, found[2], text)
  assert.equal(position(f) + 1, found[3], text)
  assert.is_nil(text:find("scripts/ecs.*stack traceback"), text)
  return found
end

describe("an error inside of a system", function()
  it("is raised with the frames of a run function", function()
    local function f()
      aim()
      return 1
    end
    world:system { name = "r", run = f }
    assert.equal(3, #check("r", f))
  end)

  it("is raised with the frames of each and batch", function()
    local function f()
      aim()
      return 1
    end
    world:system { name = "s", query = { Position }, each = f,
                   compile = false }
    check("s", f)
    world:system { name = "s", query = { Position }, batch = f }
    check("s", f)
  end)

  it("is raised with the frames of walks inside of it", function()
    local function f()
      aim()
      return 1
    end
    local function walks()
      world:query({ Position }):batch(function()
        local other = ecs.world {}
        other:spawn(Position)
        other:query({ Position }):each(f, print)
      end)
      return 1
    end
    world:system { name = "w", run = walks }
    local found = check("w", f)
    assert.equal(position(walks) + 1, found[#found])
    assert.equal(5, #found)
  end)

  it("is raised with the frames of another world's system", function()
    local other = ecs.world {}
    local function f()
      aim()
      return 1
    end
    other:system { name = "inner", run = f }
    local function outer()
      other:progress(1)
      return 1
    end
    world:system { name = "outer", run = outer }
    local text, lines = raised(nil, 1)
    assert.truthy(lines[1]:find "no target %(in system 'inner'%) "
      .. "%(in system 'outer'%)$", text)
    assert.equal("inside the system:", lines[2])
    assert.truthy(text:find("traceback_spec.lua:" .. position(outer) + 1
      .. ": in", 1, true), text)
    local _, count = text:gsub("inside the system:", "")
    assert.equal(1, count)
  end)

  it("has the frames of its own error, and not of one before", function()
    local function f()
      pcall(aim)
      pcall(function()
        world:query({ Position }):each(function()
          aim()
          return 1
        end, print)
      end)
      hit()
      return 1
    end
    world:system { name = "r", run = f }
    local text = raised(nil, 1)
    assert.is_nil(text:find("spec.lua:" .. position(aim) + 1, 1, true), text)
    assert.truthy(text:find("spec.lua:" .. position(f) + 8, 1, true), text)
  end)

  it("keeps what is no string", function()
    local object = setmetatable({}, { __tostring = function() return "o" end })
    for _, value in ipairs { object, 42, true } do
      world:system { name = "v", run = function() error(value, 0) end }
      local done, caught = pcall(world.progress, world, 1)
      assert.is_false(done)
      assert.equal(value, caught)
      world:system { name = "v", query = { Position }, compile = false,
                     each = function() error(value, 0) end }
      done, caught = pcall(world.progress, world, 1)
      assert.is_false(done)
      assert.equal(value, caught)
    end
  end)

  it("has the message alone outside of a frame, and none of ours", function()
    local query = world:query { Position }
    local _, text = pcall(query.each, query, function() error("plain", 0) end)
    assert.equal("plain", text)
    world:system { name = "r", query = { Position },
      batch = function() world:get(1, Position) end }
    local message, lines = raised(nil, 1)
    assert.truthy(lines[1]:find("cannot reach TracePosition here", 1, true),
      message)
    local depth = 0
    local function f()
      depth = depth + 1
      return f() + 1
    end
    world:system { name = "r", run = f }
    message, lines = raised(nil, 1)
    assert.truthy(lines[1]:find("stack overflow", 1, true), message)
    assert.is_true(#lines < 60 and depth > 100)
  end)

  it("comes before the loss of recorded changes is told", function()
    local other = ecs.world { flush = "frame" }
    other:system { name = "r", run = function()
      aim()
      return 1
    end }
    local text = raised(function() other:progress(1) end)
    assert.truthy(text:find("%(in system 'r'%)\ninside the system:\n"), text)
    other:close()
  end)
end)
