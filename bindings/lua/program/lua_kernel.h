/* lua_kernel.h: libraries of native kernels, and kernels bound to queries. */
#ifndef ECS_LUA_LUA_KERNEL_H
#define ECS_LUA_LUA_KERNEL_H

#include "object/object.h"

/* Adds a library that is not loaded from a file, under a name; borrowed for as
 * long as the state lives. Harmless when it has that name already. Raises when
 * the name belongs to another library. */
BIND_INTERNAL void bind_library_add(lua_State *L, const char *name,
                                    const ecs_KernelLibrary *native);

/* Adds load, kernels, kernel and run_kernel to the table on top of the stack.
 */
BIND_INTERNAL void bind_open_lua_kernel(lua_State *L);

#endif
