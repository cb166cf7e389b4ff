-- docs/outside.md lists what does not compile. Each row of its table is the
-- body of a function. The function is put into a file, below the page's own
-- lines, and the message must name that file, the line and the row's reason.

local ecs = require "ecs"

local components = {
  Position = { x = "f32", y = "f32" }, Velocity = { x = "f32", y = "f32" },
  Switch = { on = "bool" }, Target = { who = "entity" }, Wheel = { w = "f32" },
  Mass = { mass = "f32" }, Home = { w = "f32" },
}

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local page = read "docs/outside.md"
local lines = page:match "\n```lua\n(.-)```\n"

--- The function of the lines above that the message blames, where that is not
-- the row's own function.
local elsewhere = { ["any(1)"] = "local function any",
                    ["any {"] = "local function any",
                    ["endless(v.x)"] = "local function endless" }

local function line_of(text, part)
  local _, count = text:sub(1, text:find(part, 1, true)):gsub("\n", "")
  return count + 1
end

--- Writes a file with the function below some empty lines. Returns the path and
-- the line that the message must name.
local function write(path, body, above)
  local text = "local ecs, world, Position, Velocity, Home, Enemy = ...\n"
    .. lines .. ("\n"):rep(above)
    .. "return function(p, v, b, t, r, o, dt, e)\n"
  local line = line_of(text .. "#", "#")
  local file = assert(io.open(path, "w"))
  file:write(text, body, "\nend\n")
  file:close()
  for part, blamed in pairs(elsewhere) do
    if body:find(part, 1, true) then line = line_of(text, blamed) end
  end
  return line
end

--- The message that a function with this body gives.
local function compile(path)
  local c, world = {}, ecs.world {}
  for name, fields in pairs(components) do
    c[name] = ecs.component("Outside" .. name, fields)
  end
  local each = assert(loadfile(path))(ecs, world, c.Position, c.Velocity,
    c.Home, ecs.tag "OutsideEnemy")
  local done, text = pcall(world.system, world, {
    name = "s", compile = "whole", each = each,
    query = { c.Position, c.Velocity, c.Switch, c.Target, read = { c.Wheel },
              optional = { c.Mass } },
  })
  return not done and text
end

describe("what does not compile", function()
  local path = os.tmpname()
  local count, loads = 0, rawget(_G, "loadstring") or load

  teardown(function() os.remove(path) end)

  for body, what, remedy in page:gmatch "\n| `([^\n]-)` | ([^\n]-) | ([^\n]-) |"
  do
    count = count + 1
    local above = count % 4
    if loads(body:gsub(" %-%- 5.4$", "")) or not body:find " 5.4$" then
      it("is refused with the words of the page: " .. body, function()
        local line = write(path, body, above)
        local text = compile(path)
        assert.is_string(text, "this compiles")
        -- The page uses short names of the components.
        text = text:gsub("Outside(%u)", "%1")
        -- Where the cause stands in another function, its calls are named.
        local called = (": it is called at %s:%d"):format(path,
          line_of(read(path), body))
        text = text:gsub("; it is called at (.*)", function(calls)
          assert.truthy(calls:find(called:match "at (.*)$", 1, true), text)
          return ""
        end)
        local comma = what:find ", which" and "," or ""
        what = what:gsub("LINE", line)
        assert.are.equal(("ecs: system 's': %s:%d: %s%s cannot be compiled: %s")
          :format(path, line, what, comma, remedy), text)
      end)
    end
  end

  it("is fifty constructs at least", function()
    assert.is_true(count >= 50, tostring(count))
  end)
end)
