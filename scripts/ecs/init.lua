--- ecs: an entity component system that keeps its data in C.
--
--     local ecs = require "ecs"
--     local Position = ecs.component("Position", { x = "f32", y = "f32" })
--     local world = ecs.world {}
--     local e = world:spawn(Position { x = 1 })
--     world:query { Position }:batch(function(batch) ... end)
--
-- This file is the face: what it returns is all that programs use. The rest of
-- scripts/ecs adds methods to worlds and queries when it is loaded:
--
--     init -> world -> query -> batch -> native (the C module, its columns)
--                   -> system -> frame -> explain
--          -> each_query

local backend = require "ecs.backend"
local world = require "ecs.world"
local native_library = require "ecs.native_library"
local portable_math = require "ecs.portable_math"
local fallback = require "ecs.fallback"
require "ecs.query_each"

local core = backend.core

local ecs = {
  _NAME = "ecs",
  _VERSION = "ecs " .. core.version,
  _LICENSE = "MIT",
}

--- Defines a component: a name and named fields. Each field is a type, or
-- `{ type, default }`; types are f32 f64 i8 u8 i16 u16 i32 u32 bool entity. The
-- same definition again gives the same object.
-- `options.storage` is "table" (the default) or "sparse".
ecs.component = core.component

--- Defines a tag: a component without fields.
-- `options.storage` is "table", "sparse" or "bits".
ecs.tag = core.tag

--- Makes a world. `options.phases` is a list of names, `options.flush` is
-- "system" (the default) or "frame", `options.seed` a whole number,
-- `options.precision` "fields" (the default) or "double".
ecs.world = world.create

--- Loads a library of native kernels from package.cpath. Returns the names of
-- its kernels, as systems call them; or nil and why not.
ecs.load_native = native_library.load

--- A number from 0 up to 1 for the row of the each system that runs: the same
-- for the same seed, system, tick, entity and number of draws before.
ecs.random = core.random

--- Functions of numbers that mean the same on every VM and machine.
ecs.math = portable_math

--- Called as on_fallback(system, where, why) when a system's each function
-- runs as plain Lua. Replace it, or set it to nil for silence.
ecs.on_fallback = fallback.show
fallback.watch(ecs)

return ecs
