--- backend: the C module, and the files that this VM needs beside it.
--
-- The only file that depends on the VM, and the only one outside of
-- scripts/ecs/ffi that requires a file in it.
-- LuaJIT gets columns as checked FFI views. Every other Lua, and LuaJIT with
-- ECS_BACKEND=capi in its environment, gets tables that are filled and copied
-- back. For programs the two differ only in speed.
--
--                           columns        rows of each  values, methods for
--                                          and rows      one entity, queries,
--                                                        arrays
--     LuaJIT, compiling     columns_ffi    rows_ffi      access_ffi,
--                                                        prepared_ffi,
--                                                        queries_ffi, grid_ffi,
--                                                        array_ffi
--     LuaJIT, interpreting  columns_ffi    ecs.core      ecs.core
--     every other           columns_table  ecs.core      ecs.core
--
-- Rows, values and single fields by FFI need the compiler: interpreted, each
-- access makes garbage and gains nothing.

local standard = require "ecs.standard"
local require = standard.inner "ecs.backend"

local core = require "ecs.core"

--- A core.so of another version than these files is a broken installation. Said
-- here, it is the first error.
local VERSION = "0.1.0"
if core.version ~= VERSION then
  error("ecs: the Lua files are of version " .. VERSION
    .. " but ecs.core is " .. tostring(core.version), 0)
end

-- Powers of two in the files below are inexact in some rounding modes. Where
-- the process has one, init.lua, which is loaded last, sets it again.
core.float_mode(true)

-- Errors blame the line that called into the files of this file's folder.
core.never_blame(function() end)

local jit, getenv = standard.jit, standard.os.getenv
local has_ffi = jit and standard.load and standard.bit
  and not (getenv and getenv "ECS_BACKEND" == "capi") and pcall(require, "ffi")
local is_compiling = has_ffi and jit.status()

-- How systems run: run_program, run_pass, is_idle and know_query, for their
-- queries.
local programs = core
local copy_table, copy_wanted = core.copy_table, core.copy_wanted
local outside_checks
if is_compiling then
  outside_checks = require "ecs.ffi.outside_ffi"
  copy_table = require("ecs.ffi.arrays_ffi").copy_table
  copy_wanted = require("ecs.ffi.wanted_ffi").copy_wanted
  programs = require "ecs.ffi.programs_ffi"
  require "ecs.ffi.access_ffi"
  require "ecs.ffi.prepared_ffi"
  require "ecs.ffi.queries_ffi"
  require "ecs.ffi.array_ffi"
else
  core.values_by(false) -- ecs.core makes them
  core.array_by(false)
end
require(has_ffi and "ecs.ffi.columns_ffi" or "ecs.columns_table")

-- Kept here: scripts replace functions of Lua, but programs must not change.
local error = error
local know_grid = function() end
if is_compiling then
  require "ecs.ffi.rows_ffi"
  know_grid = require "ecs.ffi.grid_ffi"
else
  core.share("rows", false) -- ecs.core makes them
end
-- They have pieces of code that the files above put together, and memory: not
-- for scripts.
package.loaded["ecs.ffi.arrays_ffi"] = nil
package.loaded["ecs.ffi.wanted_ffi"] = nil
package.loaded["ecs.ffi.rows_ffi"] = nil
package.loaded["ecs.ffi.array_ffi"] = nil
package.loaded["ecs.ffi.grid_ffi"] = nil
package.loaded["ecs.ffi.scalars_ffi"] = nil
package.loaded["ecs.ffi.rows_code"] = nil
package.loaded["ecs.ffi.values_ffi"] = nil
package.loaded["ecs.ffi.outside_ffi"] = nil
package.loaded["ecs.ffi.fence_ffi"] = nil

--- Raises unless world is a world that is open; for methods written in Lua.
-- call is the method's name. level says which line the error blames, as error()
-- takes it here: 3, the caller of the method, unless given.
local function check_world(world, call, level)
  if core.kind(world) ~= "ecs.World" then
    error("ecs: " .. call .. " is called with ':', as in world:" .. call
      .. "(...); in place of the world it got: " .. core.kind(world),
      level or 3)
  elseif not core.live(world) then
    error("ecs: this world is closed", level or 3)
  end
end

return {
  core = core, check_world = check_world,
  run_program = programs.run_program, is_idle = programs.is_idle,
  run_pass = programs.run_pass,
  know_query = programs.know_query or function() end, know_grid = know_grid,
  copy_table = copy_table, copies_fast = copy_table ~= core.copy_table,
  copy_wanted = copy_wanted,
  -- true: where LuaJIT compiles a script, an access is no call.
  inlines = is_compiling or false,
  outside_checks = outside_checks,
}
