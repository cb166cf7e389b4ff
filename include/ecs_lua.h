/* ecs_lua.h: for C programs that run Lua scripts on their worlds.
 *
 * The host makes a world with ecs.h, defines components if it likes, and passes
 * the world to a Lua state. Scripts use this world like one made by
 * ecs.world {}: they spawn entities, make queries and define systems in it, and
 * the host runs these systems frame by frame.
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
 * Linking. ecs.core is linked into the host: one library per Lua, and the core.
 * On LuaJIT columns are as fast as in the module that scripts load.
 *
 *      cc host.c -lecs_lua54 -lecs -llua5.4 -lm -ldl -pthread
 *      cc host.c -lecs_luajit -lecs -lluajit-5.1 -lm -ldl -pthread
 *
 * The rest of the binding is Lua: the files of scripts/ecs, of exactly this
 * version, which `require "ecs"` must find along package.path. An installed
 * rock has put them there, and so has `make install`. A host that ships its own
 * copy sets package.path before ecs_lua_open.
 *
 * Ownership of worlds. A pushed world is borrowed by Lua: the host destroys it.
 * Its systems are kept even when no script has the world in a variable.
 * world:close() and the end of the state only release a borrowed world. The
 * world and the state may end in either order, and the other one continues:
 * once the world is gone, objects that scripts kept raise plain errors.
 * ecs_lua_give instead hands the world over for good. A host must not destroy a
 * world while a script's call on this world is on the C stack, such as from a
 * function of the host that a system calls.
 *
 * Components. Scripts get components of the host by name: ecs.component "Heat"
 * returns one, whatever its fields are. A definition with the same fields,
 * types, defaults and storage returns it too, in whatever order the host has
 * the fields. A component that a script defines is added to the world when the
 * script first uses it there, with its fields in alphabetical order; from then
 * on ecs_component_find finds it. When a script defines a component before the
 * world is pushed, the order is alphabetical as well, and pushing a world with
 * another order of these fields is refused; so push the world first. Components
 * named `count` or `entities`, or with a name that is not plain text, are not
 * visible to scripts.
 *
 * Rules for all functions that return an int. 0 is success: the results that
 * the comment names have been pushed. Any other value is a status of lua_pcall:
 * one message has been pushed, and nothing has changed but what a script did
 * itself. No function raises a Lua error. Each needs up to 8 free slots of the
 * stack. All functions are called by the thread that may use L and the world.
 */
#ifndef ECS_LUA_H
#define ECS_LUA_H

#include "ecs.h"

/* As ECS_API, for the files that define ECS_DEFINES_LUA_API. */
#if defined(ECS_DEFINES_LUA_API) && defined(__ELF__)
#define ECS_LUA_API __attribute__((visibility("protected")))
#else
#define ECS_LUA_API ECS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Declared as in lua.h, so that this file works with every Lua. */
typedef struct lua_State lua_State;

/* Makes `require "ecs"` work in L with the ecs.core that is linked into the
 * host, and requires it. Call it once per state, before any other function of
 * this file; further calls are harmless. The standard libraries must be open,
 * above all `package`. Pushes nothing. Fails when the Lua files are not found
 * or are of another version, or when another ecs.core was loaded before. */
ECS_LUA_API int ecs_lua_open(lua_State *L);

/* Pushes the world as scripts see it: the same object each time. The world
 * stays the host's. Fails when the world is NULL, is borrowed by another state,
 * or belongs to Lua (see ecs_lua_give), or when a script has defined a
 * component of the same name with other fields or in another order. Cost: a
 * visit of every component, the first time. */
ECS_LUA_API int ecs_lua_push(lua_State *L, ecs_World *world);

/* Pushes the world as ecs_lua_push does, and hands it over to Lua: from now on
 * Lua destroys it, by world:close() or when no script refers to it any more.
 * Afterwards the host must get its pointer by ecs_lua_world. Fails as
 * ecs_lua_push; then the world still belongs to the host. */
ECS_LUA_API int ecs_lua_give(lua_State *L, ecs_World *world);

/* The world at a stack index, made by a script or by the host; NULL for any
 * other value and for a closed world. The pointer is borrowed until a script or
 * the collector ends the world. Does not change the stack. */
ECS_LUA_API ecs_World *ecs_lua_world(lua_State *L, int index);

/* Ends the loan of a world to this state: the queries of scripts are destroyed,
 * and every object that scripts kept of the world, their systems included,
 * raises an error from now on. Pushes nothing. Does nothing when this state has
 * not borrowed the world. Fails inside a script's callback on the world, and
 * inside a frame that records its changes. The world may be pushed again, here
 * or to another state. */
ECS_LUA_API int ecs_lua_detach(lua_State *L, ecs_World *world);

/* Runs one frame of a borrowed world: world:progress(dt). dt is in the unit of
 * the host. Pushes nothing. Fails when the world is not borrowed by this state,
 * and as world:progress; the message is then what a system raised. */
ECS_LUA_API int ecs_lua_progress(lua_State *L, ecs_World *world, double dt);

/* Runs one phase of a borrowed world: world:run(phase, dt). Pushes nothing.
 * Fails as ecs_lua_progress, and when the world has no such phase. */
ECS_LUA_API int ecs_lua_run(lua_State *L, ecs_World *world, const char *phase,
                            double dt);

/* Sets the most bytes that all worlds which scripts of this state make may hold
 * together; 0, as it is at first: any number. Lua's own allocator does not see
 * these bytes. A call of a script that needs more has everything collected
 * that nothing refers to; if that is too little, it raises an error that names
 * the limit, and changes nothing; worlds that hold more keep what they have.
 * Scripts can read the limit in world:stats(), and cannot change it. Worlds of
 * the host do not count: they have limits of their own (ecs_WorldDescription,
 * ecs_world_budget). Pushes nothing. Fails before ecs_lua_open. */
ECS_LUA_API int ecs_lua_memory_limit(lua_State *L, uint64_t bytes);

/* Makes kernels that are compiled into the host known to scripts under a name:
 * with the name "host", a system may say native = "host.drag". The name is
 * copied. The library is borrowed, and must live as long as the state and any
 * world that was in it; ECS_KERNEL_LIBRARY_OF (ecs_kernel.h) initialises one.
 * Pushes nothing. Fails when the name is empty or belongs to another library,
 * or when the library was compiled against another ecs.h. */
ECS_LUA_API int ecs_lua_library(lua_State *L, const char *name,
                                const ecs_KernelLibrary *library);

#ifdef __cplusplus
}
#endif
#endif
