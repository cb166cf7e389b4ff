/* ecs_lua.h: for C programs that run Lua scripts on their worlds.
 *
 * The host makes a world with ecs.h, defines what components it likes, and
 * hands the world to a Lua state. To scripts it is a world like those of
 * ecs.world {}: they spawn, query and define systems in it, which the host
 * runs frame by frame.
 *
 *      ecs_World *world;                    local ecs = require "ecs"
 *      ecs_world_create(NULL, &world);      local Heat = ecs.component "Heat"
 *      ecs_component(world, &heat, &id);    world:system { name = "cool",
 *      luaL_openlibs(L);                      query = { Heat },
 *      ecs_lua_open(L);                       batch = function(batch, dt)
 *      ecs_lua_push(L, world);                  ...
 *      lua_setglobal(L, "world");             end,
 *      luaL_dofile(L, "cool.lua");          }
 *      ecs_lua_progress(L, world, 1.0 / 60);
 *      lua_close(L);
 *      ecs_world_destroy(world);
 *
 * Linking. ecs.core is linked into the host: one library for each Lua, and the
 * core. On LuaJIT columns are as fast as in the module that scripts load.
 *
 *      cc host.c -lecs_lua54 -lecs -llua5.4 -lm -ldl
 *      cc host.c -lecs_luajit -lecs -lluajit-5.1 -lm -ldl
 *
 * The rest of the binding is Lua: the files of scripts/ecs, of this very
 * version, which `require "ecs"` has to find along package.path. An installed
 * rock has put them there, and so has `make install`; a host that brings its
 * own copy sets package.path before ecs_lua_open.
 *
 * Whose world it is. A world that was pushed is borrowed: the host destroys it.
 * Scripts keep their systems with it even where they keep no variable, and
 * world:close() or the end of the state only lets go of it. Whichever ends
 * first, the world or the state, the other goes on: objects that scripts kept
 * raise plain errors once the world is gone. ecs_lua_give hands it over for
 * good instead. What a host may not do: destroy a world while a script's call
 * on it is on the C stack, as when a system calls a function of the host.
 *
 * Components. Scripts reach the host's by name: ecs.component "Heat" gives it,
 * whatever its fields, and so does a definition with the same fields, types,
 * defaults and storage, in whatever order the host has them. A component that a
 * script defines is in the world when the script first uses it there, its
 * fields in alphabetical order; ecs_component_find has it from then on. Where a
 * script defines a component before the world is pushed, the order is
 * alphabetical, too, and pushing a world that has it otherwise is refused: push
 * first. The names count and entities, and names that are no plain text, are
 * not for scripts.
 *
 * Errors. A function that returns an int returns 0 and has pushed what it says,
 * or a status of lua_pcall and has pushed one message; then nothing has
 * changed, but for what a script did. None raises. Each takes up to 8 slots of
 * the stack. All of this is for the thread that may use L and the world.
 */
#ifndef ECS_LUA_H
#define ECS_LUA_H

#include "ecs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in lua.h, so that this file serves every Lua. */
typedef struct lua_State lua_State;

/* Makes `require "ecs"` work in L, with the ecs.core that is linked in here,
 * and requires it. Needs the standard libraries, package above all. Pushes
 * nothing; fails when the Lua files are not found, are of another version, or
 * another ecs.core was loaded before. Once is enough, again is harmless. */
ECS_API int ecs_lua_open(lua_State *L);

/* Pushes the world as scripts see it: the same object each time. It stays
 * borrowed from the host. Fails when it belongs to another state, or to Lua
 * (see ecs_lua_give), or when a script defined a component of its name
 * otherwise. Cost: a look at every component, the first time. */
ECS_API int ecs_lua_push(lua_State *L, ecs_World *world);

/* As ecs_lua_push, and from now on the world is Lua's: it is destroyed by
 * world:close() or when no script refers to it any more. Afterwards the host
 * reaches it through ecs_lua_world alone. When this fails it is still the
 * host's. */
ECS_API int ecs_lua_give(lua_State *L, ecs_World *world);

/* The world at a stack index, made by script or by host; NULL for anything
 * else and for a closed one. Borrowed until a script or the collector ends it.
 */
ECS_API ecs_World *ecs_lua_world(lua_State *L, int index);

/* Ends a borrowed world for this state: what scripts kept of it, their systems
 * included, answers with errors, and their queries are destroyed. Pushes
 * nothing. Harmless when the world is not borrowed here; fails while a script
 * walks over it. A world may be pushed again, here or elsewhere. */
ECS_API int ecs_lua_detach(lua_State *L, ecs_World *world);

/* Runs one frame of a borrowed world: world:progress(dt). Pushes nothing, or
 * what a system raised. */
ECS_API int ecs_lua_progress(lua_State *L, ecs_World *world, double dt);

/* Runs one phase of a borrowed world: world:run(phase, dt). Pushes nothing, or
 * what a system raised. */
ECS_API int ecs_lua_run(lua_State *L, ecs_World *world, const char *phase,
                        double dt);

/* Makes kernels that are compiled into the host known to scripts under a name:
 * native = "host.drag". The library is borrowed for as long as the state lives
 * and any world that was in it; ECS_KERNEL_LIBRARY_OF of ecs_kernel.h makes
 * one. Pushes nothing; fails when the name is another library's or the library
 * was compiled against another ecs.h. */
ECS_API int ecs_lua_library(lua_State *L, const char *name,
                            const ecs_KernelLibrary *library);

#ifdef __cplusplus
}
#endif
#endif
