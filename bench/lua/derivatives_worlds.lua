--- derivatives_worlds: worlds of positions with chains of derivatives, filled
-- in four ways; see bench_derivatives.

local scene = require "scene"
local by_hand = require "derivatives_by_hand"

local load = loadstring or load -- luacheck: ignore
local unpack = table.unpack or unpack -- luacheck: ignore
local ecs, MOST = scene.ecs, 12

local parts = {}
for d = 0, MOST do parts[d] = ecs.component("D" .. d, { v = "f32" }) end

local worlds = { parts = parts }

function worlds.check(world, last)
  local totals = {}
  for d = 0, last do
    local sum = 0
    world:query({ read = { parts[d] } }):batch(function(batch)
      local v = batch[parts[d]].v
      for i = 1, batch.count do sum = sum + v[i] end
    end)
    totals[d] = sum
  end
  return by_hand.mix(totals)
end

--- The parts of class k.
local function parts_of(class)
  local own = {}
  for d = 0, class do own[d + 1] = parts[d] end
  return own
end

function worlds.in_bulk(world, classes, last)
  local counts = {}
  for class = 0, last do counts[class] = 0 end
  for i = 1, #classes do
    counts[classes[i]] = counts[classes[i]] + 1
  end
  for class = 0, last do
    local done = 0
    world:spawn_many(counts[class], parts_of(class), function(batch)
      for d = 0, class do
        local v = batch[parts[d]].v
        for i = 1, batch.count do v[i] = (done + i) % 32 + d end
      end
      done = done + batch.count
    end)
  end
end

--- A function that spawns one of a class, from its first number. A program that
-- knows its kinds of entities writes it down.
local function spawner_of(world, class)
  local terms, numbers = {}, {}
  for d = 0, class do
    terms[2 * d + 1], terms[2 * d + 2] = parts[d], "v"
    numbers[d + 1] = "n + " .. d
  end
  local text = "local spawn = ... return function(n) spawn("
    .. table.concat(numbers, ", ") .. ") end"
  return load(text)(world:spawner(unpack(terms)))
end

function worlds.by_spawners(world, classes, last)
  local spawn, numbers = {}, {}
  for class = 0, last do
    spawn[class], numbers[class] = spawner_of(world, class), 0
  end
  for i = 1, #classes do
    local class = classes[i]
    numbers[class] = numbers[class] + 1
    spawn[class](numbers[class] % 32)
  end
end

function worlds.by_adds(world, classes, last)
  local numbers, fields = {}, { v = 0 }
  for class = 0, last do numbers[class] = 0 end
  for i = 1, #classes do
    local class, e = classes[i], world:spawn()
    local k = numbers[class] + 1
    numbers[class] = k
    for d = 0, class do
      fields.v = k % 32 + d
      world:add(e, parts[d], fields)
    end
  end
end

function worlds.recorded(world, classes, last)
  world:system { name = "load", run = function()
    worlds.by_adds(world, classes, last)
  end }
  world:progress(by_hand.DT)
end

return worlds
