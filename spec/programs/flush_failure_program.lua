-- A frame with changes that cannot be applied. flush_spec.lua runs this program
-- in a process of its own, because its components would make every world of the
-- other specs larger.
--
-- One table may have 8191 columns of one element size. The components here have
-- 8192 together: each can be added, but not all to one entity.

local ecs = require "ecs"

local Tag = ecs.tag "Tag"
local wide = {}
local fields = {}
for f = 1, 64 do fields["f" .. f] = "u8" end
for k = 1, 128 do wide[k] = ecs.component("Wide" .. k, fields) end

local function attempt(world, later)
  local one, other, new = world:spawn(), world:spawn(), nil
  local hash = world:state_hash()
  world:system { name = "first", run = function()
    world:add(other, Tag)
    new = world:spawn(Tag)
    world:destroy(other)
    world:remove(other, Tag)
  end }
  world:system { name = "wide", run = function()
    for k = 1, 128 do world:add(one, wide[k]) end
  end }
  world:system { name = "later", run = later }
  local ok, text = pcall(function() world:progress(1) end)
  assert(not ok)
  assert(world:state_hash() == hash, "something was applied")
  assert(not world:alive(new) and world:alive(other))
  assert(world:stats().dropped == 0)
  -- The world works, and so does its next frame.
  world:remove_system "wide"
  world:remove_system "later"
  world:progress(1)
  assert(not world:alive(other) and world:alive(new))
  assert(world:has(new, Tag) and world:stats().dropped == 1)
  return text
end

local text = attempt(ecs.world { flush = "frame" }, function() end)
assert(text:find("flush_failure_program.lua:%d+: ecs: the changes of this "
  .. "frame could not be applied and are lost: "), text)

text = attempt(ecs.world { flush = "frame" }, function() error "boom" end)
assert(text:find("flush_failure_program.lua:%d+: boom %(in system 'later'%); "
  .. "the changes of this frame could not be applied"), text)

local thrown = {}
text = attempt(ecs.world { flush = "frame" }, function() error(thrown) end)
assert(text == thrown)

print "as it should be"
