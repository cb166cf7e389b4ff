-- Builds from a checkout: `luarocks make` there, no network needed. A released
-- version names an archive as its source instead.
rockspec_format = "3.0"
package = "ecs"
version = "scm-1"
source = { url = "." }
description = {
  summary = "An entity component system engine in C for Lua and LuaJIT",
  detailed = [[
Components are schemas whose fields live in C as aligned columns. Queries hand
them out as batches; native kernels written in C run on them directly.]],
  license = "MIT",
  labels = { "ecs", "entity", "component", "simulation", "game", "luajit" },
}
dependencies = { "lua >= 5.1, < 5.5" }
build = {
  type = "builtin",
  -- The lists between the two marks are written by `make rockspec`.
  modules = {
    -- begin
    ["ecs.core"] = {
      sources = {
        "core/status.c",
        "core/memory.c",
        "core/text.c",
        "core/scalar.c",
        "core/elementary.c",
        "core/schema.c",
        "core/entity_index.c",
        "core/locator.c",
        "core/table.c",
        "core/rows.c",
        "core/group.c",
        "core/world.c",
        "core/single.c",
        "core/spawn.c",
        "core/part.c",
        "core/row_list.c",
        "core/query.c",
        "core/batch.c",
        "core/visit.c",
        "core/matches.c",
        "core/sparse_set.c",
        "core/change.c",
        "core/bulk.c",
        "core/bulk_destroy.c",
        "core/command_buffer.c",
        "core/fold.c",
        "core/regroup.c",
        "core/hash.c",
        "core/explain.c",
        "core/library.c",
        "core/kernel.c",
        "core/accessor.c",
        "core/field_access.c",
        "core/api_entity.c",
        "core/api_query.c",
        "core/api_bulk.c",
        "core/api_world.c",
        "bindings/lua/access.c",
        "bindings/lua/bulk.c",
        "bindings/lua/columns.c",
        "bindings/lua/define.c",
        "bindings/lua/definitions.c",
        "bindings/lua/each.c",
        "bindings/lua/entities.c",
        "bindings/lua/frames.c",
        "bindings/lua/host.c",
        "bindings/lua/kernels.c",
        "bindings/lua/mathematics.c",
        "bindings/lua/module.c",
        "bindings/lua/queries.c",
        "bindings/lua/rows.c",
        "bindings/lua/views.c",
        "bindings/lua/walks.c",
        "bindings/lua/worlds.c",
      },
      incdirs = { "include", "core" },
    },
    ["ecs.access_ffi"] = "scripts/ecs/access_ffi.lua",
    ["ecs.batch"] = "scripts/ecs/batch.lua",
    ["ecs.cdef"] = "scripts/ecs/cdef.lua",
    ["ecs.columns_ffi"] = "scripts/ecs/columns_ffi.lua",
    ["ecs.columns_table"] = "scripts/ecs/columns_table.lua",
    ["ecs.explain"] = "scripts/ecs/explain.lua",
    ["ecs.frame"] = "scripts/ecs/frame.lua",
    ["ecs"] = "scripts/ecs/init.lua",
    ["ecs.library"] = "scripts/ecs/library.lua",
    ["ecs.mathematics"] = "scripts/ecs/mathematics.lua",
    ["ecs.message"] = "scripts/ecs/message.lua",
    ["ecs.native"] = "scripts/ecs/native.lua",
    ["ecs.query"] = "scripts/ecs/query.lua",
    ["ecs.rows_ffi"] = "scripts/ecs/rows_ffi.lua",
    ["ecs.scalars_ffi"] = "scripts/ecs/scalars_ffi.lua",
    ["ecs.schedule"] = "scripts/ecs/schedule.lua",
    ["ecs.system"] = "scripts/ecs/system.lua",
    ["ecs.world"] = "scripts/ecs/world.lua",
    -- end
  },
  copy_directories = { "include", "docs", "examples" },
}
test = { type = "command", command = "make test" }
