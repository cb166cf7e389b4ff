-- no_id: numbers from outside that are no id of an entity. Compiled functions
-- refuse them where plain Lua does.

local ecs = require "ecs"

local support = dofile "spec/support/support.lua"

-- on_fallback would print a line for each system.
support.silence_stderr(setup, teardown)

local P = ecs.component("NoIdP", { x = "f64", who = "entity" })

--- Runs f, of the value, in a frame. Returns whether that was done, and the
-- message; the first frame has value 0, which is an id of nothing.
local function run(make, value, compile)
  local world = ecs.world {}
  local box = { 0, 0 }
  world:spawn(P { x = 1 })
  world:system { name = "s", query = { P }, compile = compile,
                 each = make(world, box) }
  world:progress(1)
  box[1] = value
  local done, text = pcall(world.progress, world, 1)
  return done, not done and text:match "takes an entity, not [^(]*" or ""
end

local uses = {
  ["alive, of an element"] = function(world, box)
    return function(p) if world:alive(box[p.x]) then p.x = 1 end end
  end,
  ["has, of a constant element"] = function(world, box)
    return function(p) if world:has(box[1], P) then p.x = 1 end end
  end,
  ["alive, of a variable"] = function(world, box)
    return function(p)
      local e = box[1]
      if world:alive(e) then p.x = 1 end
    end
  end,
}

describe("a number that is no id", function()
  for name, make in pairs(uses) do
    it("is refused by " .. name, function()
      for _, value in ipairs { -1, 1.5, 2 ^ 53, 0 / 0 } do
        local done, text = run(make, value, nil)
        local plain_done, plain_text = run(make, value, false)
        assert.is_false(done)
        assert.is_false(plain_done)
        assert.equal(plain_text, text)
      end
      assert.is_true((run(make, 7, true)))
    end)
  end
end)
