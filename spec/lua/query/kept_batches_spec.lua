-- Columns that are kept from one walk to the next never show: a function with
-- known stores (Lua 5.4) sees and does what any other function does. The
-- other way is a function that hands its batch on.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"
local scene = dofile "spec/support/scene.lua"

local refuses = support.refuses
local Position, Velocity, Every, Enemy, Stunned = scene.Position,
  scene.Velocity, scene.Every, scene.Enemy, scene.Stunned
local KEPT = not rawget(_G, "jit")
local ROWS = 300 -- enough for a look at the source
local TYPES = math.type or type

local function populate(world)
  local ids = {}
  world:spawn_many(ROWS, { Position, Velocity, Every }, function(batch)
    local p, a = batch.Position, batch.Every
    for k = 1, batch.count do
      ids[k] = batch.entities[k]
      p.x[k], a.g[k], a.b[k] = k / 3, k, k / 7
    end
  end)
  return ids
end

--- What the function is, that runs.
local running
local function note() running = debug.getinfo(2, "f").func end

describe("a kept column", function()
  local world, query, ids
  before_each(function()
    world = ecs.world {}
    ids = populate(world)
    query = world:query { Position, Every, read = { Velocity } }
    query:batch(function() end)
    running = nil
  end)

  it("is used where it is known what a function stores", function()
    local function known(b, dt)
      note()
      local p, v = b[Position], b.Velocity
      local x, vx = p.x, v.x
      for i = 1, b.count do
        x[i] = x[i] + vx[i] * dt
        b.Every.g[i] = b.entities[i]
      end
    end
    local kept
    for _, unknown in ipairs {
      function(b) note(); kept = b end,
      function(b) note(); local p = b.Position; kept = p end,
      function(b) note(); local p = b.Position; kept = { p } end,
      function(b) note(); local x = b.Position.x; kept = x end,
      function(b) note(); local x = b.Position.x; rawset(x, 1, 2) end,
      function(b) note(); local x; x = b.Position.x; kept = x end,
      function(b) note(); kept = b.entities end,
      function(b) note(); kept = function() return b.count end end,
      function(b) note(); local p = b.Position; return p end,
      function(b) note(); local p = b.Position; kept, p = p, 1 end, -- luacheck: ignore
      function(...) note(); kept = ... end,
      function(b) note(); for _, x in pairs { b.Position.x } do kept = x end
        end,
      function(b) note(); kept = b.Position or 1 end,
      function(b) note(); local p = b.Position and 1; kept = p end,
      function(b) note(); b.Position:x() end,
    } do
      pcall(query.batch, query, unknown)
      assert.equal(unknown, running)
    end
    query:batch(known, 1)
    assert.equal(KEPT, running ~= known)
    local other = world:query { Position }
    assert.is_nil(kept == other or nil)
  end)

  it("shows every change", function()
    local seen, types = {}, {}
    local function look(b)
      local p, v, a, es = b[Position], b.Velocity, b.Every, b.entities
      local x, vx = p.x, v.x
      for i = 1, b.count do
        seen[es[i]] = x[i] + vx[i] * 3 + a.g[i] * 7 + a.b[i]
          + (a.j[i] and 1000 or 0) + (a.i[i] and 2000 or 0)
        types[TYPES(x[i])], types[TYPES(a.g[i])] = true, true
      end
    end
    local function check()
      seen = {}
      query:batch(look)
      local rows = 0
      for _, e in ipairs(ids) do
        local is = world:alive(e) and world:has(e, Position)
          and world:has(e, Every) and world:has(e, Velocity)
        local wanted = is and world:get(e, Position, "x")
          + world:get(e, Velocity, "x") * 3 + world:get(e, Every, "g") * 7
          + world:get(e, Every, "b") + (world:get(e, Every, "j") and 1000 or 0)
          + (world:get(e, Every, "i") and 2000 or 0) or nil
        if wanted ~= seen[e] then assert.equal(wanted, seen[e]) end
        rows = rows + (is and 1 or 0)
      end
      assert.equal(rows, query:count())
    end
    local seed = 5
    local function random(n)
      seed = seed * 16807 % 2147483647
      return seed % n + 1
    end
    world:system { name = "s", query = { Position },
                   each = function(p, dt) p.x = p.x * dt end }
    local all = world:query { Position, Every }
    local changes = {
      function(e, n) world:set(e, Position, "x", n / 3) end,
      function(e, n) world:set(e, Every { g = n, b = n / 9, i = n > 50 }) end,
      function(e) world:set(e, Every, "j", e) end,
      function(e) world:add(e, Enemy) end,
      function(e) world:add(e, Stunned) end,
      function(e) world:remove(e, Enemy) end,
      function(e) world:remove(e, Velocity) end,
      function(e, n) world:add(e, Velocity { x = n }) end,
      function(e) world:destroy(e) end,
      function(_, n)
        ids[#ids + 1] = world:spawn(Position { x = n }, Velocity, Every)
      end,
      function(_, n) world:progress(n / 50) end,
      function(_, n) all:set(Position { x = n / 7 }) end,
      function(e) for r, p in all:rows() do if r == e then p.x = 77 end end end,
      function(_, n) all:each(function(p, _, k) p.x = p.x + k end, n / 3) end,
      function(_, n)
        all:each(function(p, a, k) p.x, a.g = p.x + #k, n end, "plain")
      end,
      function(_, n)
        query:batch(function(b)
          local x, g = b.Position.x, b.Every.g
          for i = 1, b.count do x[i], g[i] = x[i] / 3, n end
        end)
      end,
      function(_, n)
        query:batch(function(b)
          local x = b.Position.x
          rawset(x, 1, n)
        end)
      end,
      function(_, n)
        world:spawn_many(3, { Position { x = n }, Velocity, Every },
          function(b)
            for i = 1, b.count do ids[#ids + 1] = b.entities[i] end
          end)
      end,
      function() world:group { Velocity, Every } end,
    }
    for _, change in ipairs(changes) do
      check()
      if change ~= changes[17] or KEPT then change(ids[random(#ids)], 40) end
    end
    check()
    for _ = 1, 150 do
      local e, n = ids[random(#ids)], random(100)
      local k = random(10)
      if world:alive(e) and (k ~= 8 or not world:has(e, Velocity)) then
        changes[k](e, n)
      end
      if n % 3 == 0 then check() end
    end
    world:clear()
    check()
    if math.type then assert.same({ float = true, integer = true }, types) end
  end)

  it("has what fields hold, of the field's kind", function()
    local values = { 1, 1.5, 0.1, -0.0, 1e300, 0 / 0, 3.0, -5, 300, 2 ^ 31,
                     -7.9, 2 ^ 53 + 1, 1 / 0 }
    local fields = { "a", "b", "c", "d", "e", "f", "g", "h" }
    local function write(b, value, from)
      local a = b.Every
      for i = from, b.count, 3 do
        a.a[i], a.b[i], a.c[i], a.d[i] = value, value, value, value
        a.e[i], a.f[i], a.g[i], a.h[i] = value, value, value, value
      end
    end
    local function list(b, out)
      local a = b.Every
      for i = 1, b.count, 11 do
        out[#out + 1] = a.a[i]; out[#out + 1] = a.b[i]; out[#out + 1] = a.c[i]
        out[#out + 1] = a.d[i]; out[#out + 1] = a.e[i]; out[#out + 1] = a.f[i]
        out[#out + 1] = a.g[i]; out[#out + 1] = a.h[i]
      end
    end
    for k, value in ipairs(values) do
      query:batch(write, value, k % 40 + 1)
      local out, n = {}, 0
      query:batch(list, out)
      for i = 1, ROWS, 11 do
        for _, field in ipairs(fields) do
          n = n + 1
          local wanted = world:get(ids[i], Every, field)
          assert.equal(TYPES(wanted), TYPES(out[n]))
          assert.equal(tostring(wanted), tostring(out[n]))
        end
      end
    end
    query:batch(function(b)
      local t, e = b.Every.i, b.Every.j
      for i = 1, b.count do t[i], e[i] = i % 3, i % 2 == 0 and 0 or 5 end
    end)
    query:batch(function(b)
      for i = 1, b.count do
        assert(b.Every.i[i] == (i % 3 ~= 0))
        assert(b.Every.j[i] == (i % 2 ~= 0 and 5 or nil))
      end
    end)
  end)

  it("is refused as any other", function()
    local function put(b, value)
      local v = b.Velocity
      v.x[7] = value
    end
    for _ = 1, 2 do
      refuses(function() query:batch(put, 5) end,
        "Velocity is only read by query")
      assert.equal(1, world:get(ids[7], Velocity, "x"))
      query:batch(function(b) assert(b.Velocity.x[7] == 1) end)
    end
    refuses(function()
      query:batch(function(b) b.Position.x[3], b.Position.y[3] = "a", 4 end)
    end, "Position.x is f32 and cannot hold what was assigned to row 3")
    assert.equal(1, world:get(ids[3], Position, "x"))
    if KEPT then assert.equal(4, world:get(ids[3], Position, "y")) end
    query:batch(function(b) assert(b.Position.x[3] == 1) end)
    refuses(function() query:batch(function(b) b.Position.x = 1 end) end,
      "of a batch cannot be assigned to")
    refuses(function() query:batch(function(b) return b.Position.z[1] end) end,
      "Position has no field 'z'")
    refuses(function()
      query:batch(function(b) return b.Sprite.frame[1] end)
    end, "does not name 'Sprite'")
    refuses(function()
      query:batch(function(b) b.Position.x[b.count + 1] = 1 end)
    end, "Position.x has rows 1 to 300, not 301")
  end)

  it("is stored after an error, at its line", function()
    local done, text = pcall(query.batch, query, function(
        b, stop)

      local x = b.Position.x -- a comment
      for i = 1, b.count do
        x[i] = 9
        if i == stop then error "stop" end
      end
    end, 40)
    assert.is_false(done)
    assert.truthy(text:find "kept_batches_spec.lua:%d+: stop")
    local line = tonumber(text:match ":(%d+): stop")
    assert.equal(debug.getinfo(1, "l").currentline - 6, line)
    assert.equal(9, world:get(ids[40], Position, "x"))
    assert.equal(11, world:get(ids[33], Position, "x") + 2)
    query:batch(function(b) assert(b.Position.x[40] == 9) end)
  end)

  it("follows what names stand for when it is read", function()
    local One, Two = Position, Velocity
    local both = world:query { Position, Velocity }
    both:batch(function() end)
    local function swap() One, Two = Two, One end
    local function run(b, n)
      if n == 2 then swap() end
      local one, two = b[One], b[Two]
      if n == 3 then swap() end
      for i = 1, b.count do one.x[i] = two.x[i] + n end
    end
    for n = 1, 6 do
      local source = world:get(ids[5], n == 2 and One or Two, "x")
      local into = n == 2 and Two or One
      both:batch(run, n)
      assert.equal(source + n, world:get(ids[5], into, "x"))
    end
  end)

  it("may be walked over inside of a walk", function()
    local reads = world:query { read = { Position } }
    reads:batch(function() end)
    local sum, depth = 0, 0
    local function walk(b)
      local x = b.Position.x
      depth = depth + 1
      if depth < 5 then reads:batch(walk) end
      depth = depth - 1
      for i = 1, b.count do sum = sum + x[i] end
    end
    reads:batch(walk)
    local once = sum / 5
    sum, depth = 0, 4
    reads:batch(walk)
    assert.is_true(math.abs(once - sum) < 1e-6)
  end)

  it("is kept for many tables, and makes no garbage", function()
    local tags = {}
    for k = 1, 20 do tags[k] = ecs.tag("KeptTag" .. k) end
    for k = 1, 20 do
      for i = 1, 8 + k do world:add(ids[k * 10 % ROWS + i], tags[k]) end
    end
    local total
    local function f(b, dt)
      local x, vx = b.Position.x, b.Velocity.x
      for i = 1, b.count do
        x[i] = x[i] + vx[i] * dt
        total = total + x[i]
      end
    end
    local first
    for _ = 1, 6 do
      total = 0
      query:batch(f, 0)
      first = first or total
      assert.equal(first, total)
    end
    local made = support.garbage_of(function(rounds)
      for _ = 1, rounds do query:batch(f, 0.5) end
    end, 4, 3)
    if KEPT then assert.equal(0, made) end
  end)
end)
