-- Fields of type string in compiled functions: compared, chosen between,
-- carried by loops, given to other entities. Each function runs compiled and as
-- plain Lua.

local ecs = require "ecs"
local core = require "ecs.core"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Unit = ecs.component("StringUnit", { kind = "string", n = "f64",
  target = "entity" })
local Title = ecs.component("StringTitle", { text = "string",
  other = "string" })
local Sparse = ecs.component("StringSparse", { text = "string" },
  { storage = "sparse" })
local Any = ecs.component("StringAny", { note = "any", n = "f64" })
local Hall = ecs.prefab("StringHall", {
  Title { text = "hall", other = "door" } })

local KINDS = { "", "orc", "elf", "a\0b", ("long"):rep(50), "orc " }
local want, settings, flag = "elf", { best = "orc" }, true
local made = Title { text = "made", other = "before" }

--- A world of units of all kinds, of which some have a title or a sparse text.
local function populated(options)
  local world = ecs.world(options)
  local before = 0
  for k = 1, 60 do
    local e = world:spawn(Unit { kind = KINDS[k % #KINDS + 1], n = k,
      target = before })
    if k % 2 == 0 then world:add(e, Title { text = KINDS[k % 5 + 1] }) end
    if k % 3 == 0 then world:add(e, Sparse { text = KINDS[k % 4 + 1] }) end
    before = e
  end
  return world
end

local function shout(text) return text == "orc" and "ORC" or text end

local cases = {
  { "compare with a string", { Unit }, function(u)
    if u.kind == "orc" then u.n = u.n + 1 end
    if u.kind ~= "elf" then u.n = u.n * 2 end
    if "a\0b" == u.kind then u.n = -u.n end
    if u.kind == "" then u.n = 0 end
  end },
  { "compare with each other and from outside", { Unit, Title },
    function(u, t)
      if u.kind == t.text then u.n = 1 elseif u.kind == want then u.n = 2 end
      if t.text == settings.best then u.n = u.n + 10 end
      if want == settings.best then u.n = 100 end
    end },
  { "compare with what is no string", { Unit, Title }, function(u, t, _, e)
    local k = u.n > 30 and 5 or 6
    if u.kind == 5 or u.kind == nil or u.kind == k or u.kind == flag
      or u.kind == e or u.kind == u or t == t.text or u.target == u.kind then
      u.n = -1
    end
    if u.kind ~= 5 and u.kind ~= nil and u.kind ~= u.target then
      u.n = u.n + 1
    end
    if u.kind then u.n = u.n + 1 end
    if not u.kind then u.n = -2 end
  end },
  { "are assigned", { Unit, Title }, function(u, t)
    t.other, t.text = t.text, u.kind
    if u.n > 30 then u.kind = "late" elseif u.n > 20 then u.kind = want end
    if u.kind == "late" then u.n = u.n + 0.5 end
    t.other = t.other
  end },
  { "are chosen between", { Unit }, function(u)
    local s = u.n > 40 and "big" or u.n > 20 and u.kind or "small"
    local t
    if s == "big" then t = "x" elseif u.n > 10 then t = s end
    u.kind = t or "none"
    if t == nil then u.n = -3 elseif t == "x" then u.n = -4 end
    u.kind = shout(u.kind)
  end },
  { "are carried by loops", { Unit }, function(u)
    local k, last = u.kind, nil
    for i = 1, u.n do
      if i > 30 then k = "many" elseif k == "elf" then k, last = "orc", k end
      if i == 50 then break end
    end
    u.kind = last or k
    local i = 0
    while u.kind ~= "orc" and i < u.n do
      i = i + 1
      if i == 7 then k = "orc" end
      if i == 9 then return end
    end
    u.kind = k
  end },
  { "may be absent", { Unit, optional = { Title, Sparse } }, function(u, t, s)
    if t and t.text == "orc" then t.other = u.kind end
    if s then s.text = t and t.text or "alone" end
    local text
    if s then text = s.text end
    if text == u.kind then u.n = 0.25 end
    if text == "orc" then u.n = 0.5 end
  end },
  { "are looked up", { Unit }, function(u)
    local text = settings.world:get(u.target, Title, "text")
    if text == "orc" then u.n = -8 elseif text then u.kind = text end
    if settings.world:get(u.target, Title, "other") == "" then u.n = u.n + 1 end
  end, true },
  { "are given", { Unit }, function(u, _, e)
    local world = settings.world
    if u.kind == "elf" then
      world:spawn(Title { text = u.kind, other = "spawned" },
        Sparse { text = want })
    elseif u.kind == "orc" then
      world:add(e, Title { text = want })
    elseif u.n > 50 then
      world:set(e, Sparse, { text = u.kind })
    elseif u.n > 40 then
      world:spawn(Hall)
    elseif u.n > 35 then
      world:spawn(made)
    end
  end, true },
}

--- The dump of a world in which a function ran three times.
local function outcome(case, options, compile)
  local world = populated(options)
  settings.world = world
  world:system { name = "s", query = case[2], each = case[3],
                 compile = compile }
  for frame = 1, 3 do
    want = frame < 3 and "elf" or "orc"
    world:progress(0.5)
  end
  if compile then
    assert.matches("compiled", world:explain("s"), 1, true)
    assert.is_nil(world:explain("s"):find("side exit at", 1, true))
  end
  return world:dump()
end

describe("strings in compiled functions", function()
  after_each(function() want = "elf" end)

  for _, case in ipairs(cases) do
    it(case[1], function()
      local plain = outcome(case, {}, false)
      assert.equal(plain, outcome(case, {}, "whole"))
      assert.equal(plain, outcome(case, { threads = 3 }, "whole"))
      assert.equal(plain, outcome(case, { precision = "double" }, "whole"))
      assert.equal(plain, outcome(case, { flush = "frame" }, "whole"))
    end)
  end

  -- A program has "orc" as a number, and a choice of numbers may have the same
  -- text as one of strings.
  it("are no numbers, even where both are the same in the program", function()
    local text = ([[local n = u.n > 30 and ORC or ELF
      local s = u.n > 30 and "orc" or "elf"
      local m = u.n > 30 and ORC or ELF
      if s == "orc" then u.n = u.n + 100 end
      if n == ORC then u.n = u.n + 1000 end
      u.n = u.n + n + m
      u.kind = s]]):gsub("%u%u%u+", function(name)
        return ("%d"):format(core.held_string(name:lower()))
      end)
    local each = assert((loadstring or load)(
      "return function(u) " .. text .. " end"))() -- luacheck: ignore
    for _, precision in ipairs { "fields", "double" } do
      local case = { nil, { Unit }, each }
      assert.equal(outcome(case, { precision = precision }, false),
        outcome(case, { precision = precision }, "whole"))
    end
  end)

  it("run in query:each with strings as arguments and new closures", function()
    local plain, compiled = populated { compile = false }, populated {}
    for _, world in ipairs { plain, compiled } do
      local query = world:query { Unit }
      for k = 1, 12 do
        local kind = KINDS[k % #KINDS + 1]
        query:each(function(u, more)
          if u.kind == kind then u.n = u.n + more end
          if u.n > 40 then u.kind = kind end
        end, k)
      end
    end
    assert.equal(plain:dump(), compiled:dump())
  end)

  it("leave other rows alone where few take a side exit", function()
    local plain, compiled = populated { compile = false }, populated {}
    for _, world in ipairs { plain, compiled } do
      local log = {}
      world:system { name = "s", query = { Unit }, each = function(u)
        u.kind = u.kind == "orc" and "was orc" or u.kind
        if u.n == 30 then log[#log + 1] = u.kind .. "!" u.kind = log[1] end
        u.n = u.n + 1
      end }
      for _ = 1, 3 do world:progress(1) end
      assert.equal(3, #log)
    end
    assert.equal(plain:dump(), compiled:dump())
  end)

  it("are kept while programs alone refer to them", function()
    local world = populated {}
    local text = "only in the program"
    world:system { name = "s", query = { Unit }, compile = "whole",
      each = function(u)
        if u.n > 59 then u.kind = text else u.kind = "also only there" end
      end }
    world:progress(1)
    world:query({ Unit }):each(function(u) u.kind = "" end)
    -- Enough other values that what nothing refers to is let go.
    for k = 1, 20000 do
      world:set(world:query({ Unit }):first(), Unit, "kind", "k" .. k)
    end
    world:progress(1)
    local seen = {}
    for _, u in world:query({ Unit }):rows() do seen[u.kind] = true end
    assert.same({ [text] = true, ["also only there"] = true }, seen)
  end)

  it("are told where they cannot be used", function()
    local world = ecs.world {}
    local function says(text, query, f, advice)
      refuses(function()
        world:system { name = "s", query = query, each = f, compile = true }
      end, text, advice)
    end
    says("an assignment to StringUnit.kind of a number", { Unit },
      function(u) u.kind = 5 end, "assign a string that is written out")
    says("an assignment to StringUnit.kind of a boolean", { Unit },
      function(u) u.kind = u.n > 1 end)
    says("an assignment to StringUnit.kind of nil", { Unit },
      function(u) u.kind = nil end)
    says("an assignment to StringUnit.n of a string", { Unit },
      function(u) u.n = u.kind end)
    says("'+' of a string", { Unit }, function(u) u.n = u.kind + 1 end)
    says("'<' of a string", { Unit },
      function(u) if u.kind < "b" then u.n = 1 end end)
    says("joining strings", { Unit }, function(u) u.kind = u.kind .. "!" end)
    says("'note' of StringAny, a field of type any", { Any },
      function(p) if p.note == "x" then p.n = 1 end end)
    says("a number on one path and a string on another", { Unit }, function(u)
      local x = u.kind
      if u.n > 1 then x = 5 end
      if x == 5 then u.n = 1 end
    end)
    assert.equal(0, world:stats().systems)
  end)
end)
