-- Finalizers that use worlds, queries, rows and batches when the state closes.
-- They are created before and after these objects, in every order. Prints a
-- line for each order in which all finalizers have run; tools/suite counts the
-- lines.

local ecs = require "ecs"

local Position = ecs.component("Position", { x = "f32", y = "f32" })
local kept = {}

-- Every call here gives a result or a plain error. Objects that are created
-- here are finalized last.
local function use(things)
  pcall(function()
    kept[#kept + 1] = ecs.world {}
    kept[#kept + 1] = kept[#kept]:query { Position }
  end)
  for _, thing in pairs(things) do
    for _, method in ipairs { "spawn", "hash", "count", "rows", "close" } do
      local ok, text = pcall(function() return thing[method](thing) end)
      if not ok and type(text) ~= "string" then error "no plain error" end
    end
    pcall(function() thing.x = thing.x + 1 end)
    pcall(tostring, thing)
  end
  collectgarbage "step"
end

local function finalize(f)
  local newproxy = rawget(_G, "newproxy")
  if newproxy then
    local proxy = newproxy(true)
    debug.getmetatable(proxy).__gc = f
    return proxy
  end
  return setmetatable({}, { __gc = f })
end

-- Creates objects in the order of the digits. Objects 1, 2 and 3 are created
-- when those that they need exist.
local function make(order)
  local things, ran = {}, 0
  local function note()
    use(things)
    ran = ran + 1
    if ran == 2 then print("ok finalizers in the order " .. order) end
  end
  local makers = {
    function() things.world = things.world or ecs.world {} end,
    function()
      things.world = things.world or ecs.world {}
      things.world:spawn(Position)
      things.query = things.world:query { Position }
      things.query:batch(function(batch) things.batch = batch.Position.x end)
      things.query:each(function(p) things.each = p end)
      local step, loop = things.query:rows()
      local _, row = step(loop)
      things.row = row
    end,
    function() kept[#kept + 1] = finalize(note) end,
    function() kept[#kept + 1] = finalize(note) end,
  }
  for digit in order:gmatch "%d" do makers[tonumber(digit)]() end
end

local function permute(chosen, rest)
  if rest == "" then return make(chosen) end
  for k = 1, #rest do
    permute(chosen .. rest:sub(k, k), rest:sub(1, k - 1) .. rest:sub(k + 1))
  end
end
permute("", "1234")
