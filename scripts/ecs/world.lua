--- world: makes worlds.
--
-- What a world does is in ecs.core (entities, hashes, groups) and in the files
-- that add methods: query, system.

local native = require "ecs.native"
require "ecs.query"
require "ecs.system"

local core = native.core

local world = {}

--- Makes a world. options is a table, and may be left out.
function world.create(options)
  if options ~= nil and type(options) ~= "table" then
    error("ecs: world takes a table of options, as in ecs.world {}", 2)
  end
  local key = next(options or {})
  if key ~= nil then
    error("ecs: world has no option '" .. tostring(key) .. "'", 2)
  end
  return core.world()
end

return world
