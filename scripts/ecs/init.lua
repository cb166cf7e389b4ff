--- ecs: an entity component system that keeps its data in C.
--
--     local ecs = require "ecs"
--     local Position = ecs.component("Position", { x = "f32", y = "f32" })
--     local world = ecs.world {}
--     local e = world:spawn(Position { x = 1 })
--     world:query { Position }:batch(function(batch) ... end)
--
-- This file is the public interface: programs use what it returns and nothing
-- else. The other files of scripts/ecs add methods to worlds and queries when
-- they are loaded:
--
--     init -> world -> query -> batch -> backend (the C module, its columns)
--                   -> system -> frame -> explain
--          -> query_each, each_blocks, kept_batches, grid

local standard = require "ecs.standard"
if type(standard) ~= "table" or standard.name ~= "ecs.standard" then
  error("ecs: another module 'ecs.standard' is in the way of the library's "
    .. "own: the folder ecs belongs to the library, so give it another name", 0)
end
local require = standard.inner "ecs"

local backend = require "ecs.backend"
local world = require "ecs.world"
local native_library = require "ecs.native_library"
local portable_math = require "ecs.portable_math"
local fallback = require "ecs.fallback"
local event = require "ecs.event"
local resource = require "ecs.resource"
require "ecs.grid"
require "ecs.query_each"
require "ecs.each_blocks"
require "ecs.kept_batches"

-- It has what a sandbox takes away from scripts later.
package.loaded["ecs.standard"] = nil

local core = backend.core

local ecs = {
  _NAME = "ecs",
  _VERSION = "ecs " .. core.version,
  _LICENSE = "MIT",
}

--- Defines a component: a name and named fields. Each field is a type, or
-- `{ type, default }`; types are f32 f64 i8 u8 i16 u16 i32 u32 bool entity. An
-- entity field may be a link, `{ "entity", link = rule }`: when the entity that
-- it names dies, it becomes nil ("clear"), its component is removed ("remove")
-- or its owner dies as well ("destroy"). A second call with the same definition
-- returns the same object.
-- `options.storage` is "table" (the default) or "sparse".
ecs.component = core.component

--- Defines a tag: a component without fields.
-- `options.storage` is "table", "sparse" or "bits".
ecs.tag = core.tag

--- Defines a kind of events, by a name and fields as a component has them. An
-- event is emitted by world:emit.
ecs.event = event.define

--- The tag of the entities that are resources (world:resource).
ecs.Resource = resource.tag

--- The place of an entity in a hierarchy: `ecs.ChildOf { parent = e }`. It dies
-- with its parent; see world:parent, world:children and world:ancestors.
ecs.ChildOf = core.component("ChildOf", {
  parent = { "entity", link = "destroy", tree = true },
})

--- The tag of the entities that have a name: world:name gives it and takes it
-- away. Queries may name it.
ecs.Name = core.tag("ecs.Name", { storage = "sparse" })

--- Defines a prefab: the parts of what is spawned from it, and its children.
-- ecs.prefab("Orc", { base = Humanoid, Health { hp = 50 },
--                     children = { { Sword } } })
ecs.prefab = core.prefab

--- Makes a world. `options.phases` is a list of names, `options.flush` is
-- "system" (the default) or "frame", `options.seed` a whole number,
-- `options.precision` "fields" (the default) or "double",
-- `options.compile` false for plain Lua, `options.memory_limit` a number of
-- bytes, or a text such as "64M".
ecs.world = world.create

--- Loads a library of native kernels from package.cpath. Returns the names of
-- its kernels, as systems use them; or nil and an error message.
ecs.load_native = native_library.load

--- Draws a number from 0 up to, but not including, 1 for the current row of an
-- each system. The number depends on the world's seed, the system's name, how
-- often its phase has begun, the entity, and how many numbers the row drew
-- before in this run; on nothing else.
ecs.random = core.random

--- Functions of numbers that give the same bits on every VM and machine.
ecs.math = portable_math

--- Called as on_fallback(system, where, why), with three strings, when a
-- system's each function runs as plain Lua. Replace it with a function of your
-- own, or set it to nil for silence.
ecs.on_fallback = fallback.show
fallback.watch(ecs)

core.float_mode(false)

return ecs
