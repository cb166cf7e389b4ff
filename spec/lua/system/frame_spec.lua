-- Frames: changes of the set of systems during a frame, errors, frames within
-- frames. All with changes that are applied after each system, and at the end
-- of the frame.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local scene = dofile "spec/support/scene.lua"
local Position = scene.Position

local world, ran
before_each(function()
  world, ran = ecs.world {}, {}
end)

-- Defines a system that appends its name to ran and calls during. options:
-- other options of the system; nil: none.
local function define(name, options, during)
  local spec = options or {}
  spec.name = name
  spec.run = function(...)
    ran[#ran + 1] = name
    if during then during(...) end
  end
  world:system(spec)
end

-- The names of the systems that one frame runs.
local function frame()
  ran = {}
  world:progress(1)
  return table.concat(ran, " ")
end

for _, flush in ipairs { "system", "frame" } do
  describe("during a frame (flush = '" .. flush .. "')", function()
    before_each(function() world = ecs.world { flush = flush } end)

    it("a new system waits for the next", function()
      define("a", nil, function()
        define("b")
        define("c", { phase = "last" })
      end)
      assert.equal("a", frame())
      assert.equal("a b c", frame())
    end)

    it("a replacement runs in the place of the old one", function()
      local function again() define("b", nil, again) end
      define("a", nil, function()
        world:system { name = "b", run = function() ran[#ran + 1] = "B" end }
      end)
      define("b")
      assert.equal("a B", frame())
      define("a", nil, function() define("a") end)
      assert.equal("a B", frame())
      define("b", nil, again)
      assert.equal("a b", frame())
      assert.equal("a b", frame())
    end)

    it("one that moved to another phase waits for the next", function()
      define("a", nil, function() define("b", { phase = "first" }) end)
      define("b")
      define("c", { phase = "last" }, function()
        define("b", { phase = "last" })
      end)
      assert.equal("a c", frame())
      assert.equal("a c", frame())
      define("a")
      define("c", { phase = "last" })
      assert.equal("a b c", frame())
    end)

    it("what is removed or disabled does not run any more", function()
      define("a", nil, function()
        world:remove_system("b")
        world:enable("c", false)
        world:enable("d", true)
      end)
      define("b")
      define("c")
      define("d", { enabled = false })
      define("e", nil, function() world:remove_system("e") end)
      assert.equal("a d e", frame())
      define("a")
      assert.equal("a d", frame())
    end)

    it("a system may remove or disable itself", function()
      define("a", nil, function() world:remove_system("a") end)
      define("b", nil, function() world:enable("b", false) end)
      assert.equal("a b", frame())
      assert.equal("", frame())
    end)

    it("a batch may enable and remove, and not define", function()
      world:spawn(Position)
      world:system { name = "a", query = { Position }, batch = function()
        ran[#ran + 1] = "a"
        world:remove_system("a")
        world:enable("b", false)
        refuses(function() define("new") end, "'new'", "inside system 'a'")
        collectgarbage()
      end }
      define("b")
      define("c")
      assert.equal("a c", frame())
      assert.equal("c", frame())
    end)

    it("a set without an order is an error of the next", function()
      define("a", nil, function() define("c", { after = "c" }) end)
      define("b")
      assert.equal("a b", frame())
      refuses(function() frame() end, "'c'", "itself")
    end)

    it("no other can begin", function()
      local texts = {}
      define("a", nil, function()
        texts[1] = select(2, pcall(world.progress, world, 1))
        texts[2] = select(2, pcall(world.run, world, "last", 1))
      end)
      define("b", { phase = "last" })
      assert.equal("a b", frame())
      assert.equal(2, #texts)
      assert.truthy(texts[1]:find("progress is not possible here", 1, true))
      assert.truthy(texts[2]:find("run is not possible here", 1, true))
      assert.truthy(texts[2]:find("running already", 1, true))
      assert.equal("a b", frame())
    end)

    it("another world can have one", function()
      local other, seen = ecs.world { flush = flush }, 0
      other:system { name = "s", run = function() seen = seen + 1 end }
      define("a", nil, function() other:progress(1) end)
      assert.equal("a", frame())
      assert.equal(1, seen)
    end)
  end)

  describe("an error (flush = '" .. flush .. "')", function()
    local later
    before_each(function()
      world = ecs.world { flush = flush }
      world:spawn(Position)
      later = 0
      world:system { name = "later", phase = "last", run = function()
        later = later + 1
      end }
    end)

    local function fails(f)
      local ok, caught = pcall(f)
      assert.is_false(ok)
      assert.equal(0, later)
      world:remove_system("bad")
      world:progress(1)
      assert.equal(1, later)
      return caught
    end

    it("of a run system ends the frame and names it", function()
      world:system { name = "bad", run = function() error "boom" end }
      local text = fails(function() world:progress(1) end)
      assert.truthy(text:match("frame_spec.lua:%d+: boom"), text)
      assert.truthy(text:find("(in system 'bad')", 1, true), text)
    end)

    it("of a batch system ends the frame and names it", function()
      world:system { name = "bad", query = { Position }, batch = function()
        error "boom"
      end }
      local text = fails(function() world:run("update", 1) end)
      assert.truthy(text:match("frame_spec.lua:%d+: boom"), text)
      assert.truthy(text:find("(in system 'bad')", 1, true), text)
    end)

    it("that is no string passes unchanged", function()
      local thrown = { 1 }
      for _, kind in ipairs { "run", "batch" } do
        later = 0
        world:system { name = "bad", [kind] = function() error(thrown) end,
          query = kind == "batch" and { Position } or nil }
        assert.equal(thrown, fails(function() world:progress(1) end))
      end
      world:system { name = "bad", run = function() error(nil) end }
      later = 0
      assert.is_nil(fails(function() world:progress(1) end))
    end)

    it("of a stack that is full leaves no frame running", function()
      local function deep() return 1 + deep() end
      world:system { name = "bad", run = deep }
      local text = fails(function() world:progress(1) end)
      assert.truthy(text:find("stack overflow", 1, true), text)
      -- Finds the depth of the stack, then runs frames in its last levels.
      local depth = 0
      local function measure()
        depth = depth + 1
        return 1 + measure()
      end
      assert.is_false((pcall(measure)))
      local function deeper(level)
        if level > depth - 100 then pcall(world.progress, world, 1) end
        return 1 + deeper(level + 1)
      end
      assert.is_false((pcall(deeper, 1)))
      -- Lua frees a grown stack in several collections.
      for _ = 1, 10 do collectgarbage() end
      later = 0
      world:progress(1)
      assert.equal(1, later)
    end)

    it("of a misuse of columns blames the caller", function()
      world:system { name = "bad", query = { read = { Position } },
        batch = function(batch) batch.Position.x[1] = 3 end }
      local text = fails(function() world:progress(1) end)
      assert.truthy(text:match("frame_spec.lua:%d+: ecs: "), text)
      assert.truthy(text:find("Position is only read", 1, true), text)
      assert.truthy(text:find("(in system 'bad')", 1, true), text)
    end)

    it("of a yield is one like any other", function()
      for _, kind in ipairs { "batch", "run" } do
        later = 0
        world:system { name = "bad", [kind] = function()
          coroutine.yield()
        end, query = kind == "batch" and { Position } or nil }
        local text = fails(function()
          error(select(2, coroutine.resume(coroutine.create(function()
            world:progress(1)
          end))), 0)
        end)
        assert.truthy(text:find("yield", 1, true), text)
      end
    end)
  end)
end
