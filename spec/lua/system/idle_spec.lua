-- Systems without a matching row are skipped, and no script can see a
-- difference.

local ecs = require "ecs"

local Place = ecs.component("IdlePlace", { x = "f64" })
local Sparse = ecs.component("Sparse", { x = "f64" }, { storage = "sparse" })
local Other = ecs.component("Other", { x = "f64" }, { storage = "sparse" })
local Taken = ecs.tag "Taken"

local function step(p) p.x = p.x + 1 end

local kinds = {
  ["compiled each"] = { each = step, compile = true },
  ["plain each"] = { each = step, compile = false },
  batch = { batch = function(batch)
    local x = batch.Sparse.x
    for i = 1, batch.count do x[i] = x[i] + 1 end
  end },
}

local queries = {
  ["whole tables"] = { Sparse },
  ["several groups"] = { Sparse, read = { Place, Other } },
  ["what others lack"] = { Sparse, without = { Place } },
}

for _, kind in ipairs { "compiled each", "plain each", "batch" } do
  for _, plan in ipairs { "whole tables", "several groups",
                          "what others lack" } do
    describe("a system of " .. kind .. " over " .. plan, function()
      local world
      before_each(function()
        world = ecs.world {}
        local spec = { name = "s", query = queries[plan] }
        for key, value in pairs(kinds[kind]) do spec[key] = value end
        world:system(spec)
      end)

      local function spawn()
        local e = world:spawn(Sparse, Other)
        if plan ~= "what others lack" then world:add(e, Place) end
        return e
      end

      local function frames(count)
        for _ = 1, count do world:progress(1) end
      end

      it("finds what comes and goes", function()
        frames(3)
        for _ = 1, 3 do
          local first = spawn()
          frames(1)
          assert.equal(1, world:get(first, Sparse, "x"))
          local second = spawn()
          frames(2)
          assert.equal(3, world:get(first, Sparse, "x"))
          assert.equal(2, world:get(second, Sparse, "x"))
          world:destroy(first)
          frames(1)
          world:destroy(second)
          frames(4)
        end
      end)

      it("finds what begins to match", function()
        local e = spawn()
        world:remove(e, Sparse)
        frames(3)
        world:add(e, Sparse)
        frames(1)
        assert.equal(1, world:get(e, Sparse, "x"))
        world:clear()
        frames(3)
        e = spawn()
        frames(2)
        assert.equal(2, world:get(e, Sparse, "x"))
      end)

      it("finds what an earlier system of the frame made", function()
        local e
        world:system { name = "maker", before = "s", run = function()
          e = e or spawn()
        end, enabled = false }
        frames(2)
        world:enable("maker", true)
        frames(1)
        assert.equal(1, world:get(e, Sparse, "x"))
      end)
    end)
  end
end

for _, compiled in ipairs { true, false } do
  describe("an idle system (compile = " .. tostring(compiled) .. ")",
    function()
      it("adds nothing to totals", function()
        local world = ecs.world {}
        local sum, most = world:sum "sum", world:max "most"
        world:system {
          name = "s", query = { read = { Place } }, compile = compiled,
          each = function(p)
            sum:add(p.x)
            most:add(p.x)
          end,
        }
        for round = 1, 3 do
          local e = world:spawn(Place { x = round })
          world:progress(1)
          assert.equal(round, sum:value())
          assert.equal(round, most:value())
          world:destroy(e)
          for _ = 1, 3 do
            world:progress(1)
            assert.equal(0, sum:value())
            assert.equal(-math.huge, most:value())
          end
        end
      end)

      it("takes back what rows added that it destroyed itself", function()
        local world = ecs.world {}
        local sum, least = world:sum "sum", world:min "least"
        local function count(p, _, e)
          sum:add(1)
          least:add(p.x)
          if p.x > 1 then world:destroy(e) else world:remove(e, Taken) end
        end
        world:system { name = "s", query = { Place, with = { Taken } },
                       compile = compiled, each = count }
        for _ = 1, 2 do
          for x = 1, 3 do world:spawn(Place { x = x }, Taken) end
          world:progress(1)
          assert.equal(3, sum:value())
          assert.equal(1, least:value())
          for _ = 1, 2 do
            world:progress(1)
            assert.equal(0, sum:value())
            assert.equal(math.huge, least:value())
          end
        end
      end)

      it("draws afterwards what it would have drawn", function()
        local drawn = {}
        for k, present in ipairs { true, false } do
          local world = ecs.world { seed = 7 }
          world:system {
            name = "s", query = { Place }, compile = compiled,
            each = function(p) p.x = ecs.random() end,
          }
          local e = world:spawn(Place)
          world:progress(1) -- from here on the phase counts its runs
          if not present then world:remove(e, Place) end
          for _ = 1, 5 do world:progress(1) end
          if not present then world:add(e, Place) end
          world:progress(1)
          drawn[k] = world:get(e, Place, "x")
        end
        assert.equal(drawn[1], drawn[2])
        assert.is_true(drawn[1] > 0)
      end)

      it("computes with what is outside when rows come", function()
        local world, settings = ecs.world {}, { speed = 1 }
        world:system {
          name = "s", query = { Place }, compile = compiled,
          each = function(p, dt) p.x = p.x + settings.speed * dt end,
        }
        for _ = 1, 3 do world:progress(1) end
        settings.speed = 3
        local e = world:spawn(Place)
        world:progress(2)
        assert.equal(6, world:get(e, Place, "x"))
        settings.speed = nil
        assert.has_error(function() world:progress(1) end)
        settings = { speed = -6 }
        world:progress(1)
        assert.equal(0, world:get(e, Place, "x"))
      end)
    end)
end
