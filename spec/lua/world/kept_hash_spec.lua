-- world:hash() and world:state_hash() keep what they have read. So each way to
-- write is gone through in a world that was asked before, also in the middle of
-- it, and in one that never was.

local ecs = require "ecs"

local Place = ecs.component("KeptPlace", { x = "f32", y = "f64" })
local Speed = ecs.component("KeptSpeed", { x = "f32" })
local Count = ecs.component("KeptCount", { n = { "i16", 3 } },
  { storage = "sparse" })
local Trail = ecs.component("KeptTrail", { past = { "f32", count = 3 } })
local Label = ecs.component("KeptLabel", { text = "string", it = "any" })
local Aim = ecs.component("KeptAim", { at = { "entity", link = "clear" } })
local Wind = ecs.component("KeptWind", { y = "f64" })
local Hot = ecs.tag("KeptHot", { storage = "bits" })

local ROWS = 100 -- more than a table that is read each time has

-- ask() stands where a hash is asked in one world, and not in the other.
local function make(asks)
  local world = ecs.world { seed = 3,
    phases = { "compiled", "plain", "puts" } }
  local s = { world = world, e = {}, ask = function()
    if asks then return world:hash(), world:state_hash() end
  end }
  for k = 1, ROWS do
    s.e[k] = world:spawn(Place { x = k }, Speed { x = 1 }, Count, Trail, Aim,
      Label { text = "a" })
  end
  for k = 2, ROWS do world:set(s.e[k], Aim, "at", s.e[k - 1]) end
  s.query = world:query { Place, Trail, Count, read = { Speed } }
  s.set_x = world:setter(Place, "x")
  s.set_both = world:setter(Place, "x", "y")
  s.heat = world:array("heat", "f32", 4)
  s.deep = world:array("deep", "i16", 2, 3)
  s.row = s.deep[2]
  s.wind = world:resource(Wind { y = 1 })
  s.total = world:sum "total"
  world:system { name = "compiled", phase = "compiled", query = { Place,
    read = { Speed } }, each = function(p, v) p.x = p.x + v.x end }
  world:system { name = "plain", phase = "plain", compile = false,
    query = { Count }, each = function(c, dt) -- luacheck: ignore dt
      c.n = c.n + 1
    end }
  world:system { name = "puts", phase = "puts", query = { read = { Speed } },
    each = function(v, dt, e) -- luacheck: ignore dt
      if v.x > 0 then world:set(e, Place, "y", v.x + 6) end
    end }
  s.saved = world:save()
  s.past = world:snapshot()
  s.history = world:history(4)
  s.history:take()
  return s
end

local ways = {
  set = function(s, n)
    s.world:set(s.e[n], Place { x = n, y = 1 })
    s.ask()
    s.world:set(s.e[n], Place, "y", n)
    s.world:set(s.e[n], Count, "n", n)
  end,
  setter = function(s, n)
    s.set_x(s.e[n], n + 1)
    s.ask()
    s.set_x(s.e[n], n + 2)
    s.set_both(s.e[n + 1], n, n)
    s.ask()
    for k = 1, 9 do s.set_x(s.e[k], n + k) end
  end,
  rows = function(s, n)
    for _, p, _, c in s.query:rows() do
      p.x = n
      s.ask()
      p.x = p.x + 1
      c.n = n
    end
  end,
  ["rows in a run"] = function(s, n)
    local k = 0
    for _, p in s.query:rows() do
      k = k + 1
      p.y = n + k
      if k % 40 == 7 then s.ask() end
      p.y = p.y + 1
    end
  end,
  ["arrays of rows"] = function(s, n)
    for _, _, trail in s.query:rows() do
      local past = trail.past
      past[1] = n
      s.ask()
      past[2] = n + 1
    end
  end,
  each = function(s, n)
    s.query:each(function(p, t)
      p.x = p.x + n
      s.ask()
      t.past[3] = n
      p.y = p.x
    end)
  end,
  batch = function(s, n)
    s.query:batch(function(batch)
      local x = batch.KeptPlace.x
      for i = 1, batch.count do
        x[i] = n + i
        if i % 30 == 5 then s.ask() end
      end
      for i = 1, batch.count do batch.KeptCount.n[i] = n end
    end)
  end,
  ["set of all"] = function(s, n)
    s.query:set(Place, { y = n })
    s.ask()
    s.query:set(Count { n = n })
  end,
  ["a compiled system"] = function(s, n)
    for _ = 1, n do s.world:run("compiled", 0) end
    s.ask()
    s.world:run("compiled", 0)
  end,
  ["a plain system"] = function(s, n)
    for _ = 1, n do s.world:run("plain", 0) end
    s.ask()
    s.world:run("plain", 0)
  end,
  ["a system that sets"] = function(s, n)
    s.world:set(s.e[3], Speed, "x", n)
    s.ask()
    s.world:run("puts", 0)
  end,
  ["set in callbacks"] = function(s, n)
    s.world:query({ read = { Speed } }):each(function(_, e)
      s.world:set(e or s.e[1], Count, "n", n)
      s.ask()
      s.world:set(s.e[n], Place, "x", n)
      s.world:add(s.e[n], Hot)
      s.world:set(s.e[n], Place, "y", n + 8)
    end)
  end,
  structure = function(s, n)
    s.world:destroy(s.e[n])
    s.ask()
    s.e[n] = s.world:spawn(Place { x = n }, Count)
    s.world:add(s.e[n + 1], Hot)
    s.ask()
    s.world:remove(s.e[n + 2], Speed)
    s.world:group { Place, Aim }
    s.world:optimize()
    s.world:set(s.e[n + 4], Place, "x", n)
  end,
  links = function(s, n)
    s.world:set(s.e[n], Aim, "at", s.e[n + 9])
    s.ask()
    s.world:destroy(s.e[n + 9])
  end,
  names = function(s, n)
    s.world:name(s.e[n], "name" .. n)
    s.ask()
    s.world:name(s.e[n + 1], "other" .. n)
  end,
  ["arrays of the world"] = function(s, n)
    s.heat[1] = n
    s.ask()
    s.heat[2] = n
    s.row[1] = n
    s.ask()
    s.row[2] = n + 1
    s.deep[1][1] = n
  end,
  ["strings and any values"] = function(s, n)
    s.world:set(s.e[n], Label, "text", "b" .. n)
    s.ask()
    s.world:set(s.e[n], Label, "it", n)
    for _, label in s.world:query({ Label }):rows() do
      label.it = label.text
      s.ask()
    end
  end,
  ["a resource"] = function(s, n)
    s.wind.y = n
    s.ask()
    s.wind.y = n + 1
  end,
  restore = function(s, n)
    s.world:set(s.e[4], Place, "x", n)
    s.ask()
    s.world:restore(s.past)
    s.set_x(s.e[4], n)
  end,
  rewind = function(s, n)
    s.history:take()
    s.set_x(s.e[4], n)
    s.ask()
    s.history:rewind(1)
    s.world:set(s.e[5], Count, "n", n)
  end,
  load = function(s, n)
    s.set_x(s.e[4], n)
    s.ask()
    assert(s.world:load { bytes = s.saved })
    s.set_x(s.e[6], n + 3)
  end,
  trim = function(s, n)
    s.world:trim()
    s.set_x(s.e[4], n)
    s.ask()
    s.world:clear()
    s.world:load { bytes = s.saved }
    s.set_x(s.e[4], n + 1)
  end,
}

local names = {}
for name in pairs(ways) do names[#names + 1] = name end
table.sort(names)

local function hashes(s) return { s.world:hash(), s.world:state_hash() } end

describe("a hash that was kept", function()
  for _, first in ipairs(names) do
    it("is not kept over " .. first .. ", nor over what follows", function()
      for _, second in ipairs(names) do
        local asked, silent = make(true), make(false)
        asked.ask()
        ways[first](asked, 11)
        ways[first](silent, 11)
        asked.ask()
        local before = asked.world:dump()
        ways[second](asked, 17)
        ways[second](silent, 17)
        local changed = asked.world:dump() ~= before
        local one, other = hashes(asked), hashes(silent)
        assert.same(other, one, first .. ", then " .. second)
        assert.same(one, hashes(asked))
        assert.is_true(changed, second)
        asked.world:close()
        silent.world:close()
      end
    end)
  end
end)
