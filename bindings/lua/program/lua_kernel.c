/* lua_kernel.c: libraries of native kernels, and kernels bound to queries.
 *
 *      load("physics", "/path/physics.so")      --> Library, kept by name
 *      kernel(query, "physics", "drag")         --> Kernel: checked columns
 *      run_kernel(kernel, dt, tick)
 *
 * A library is never unloaded. A kernel binding belongs to its query, so the
 * Kernel keeps the query alive. All three return messages to scripts/ecs.
 */
#include "program/lua_kernel.h"

#include <string.h>

#include "query/lua_query.h"
#include "world/report.h"

typedef struct Library {
  Header header;
  const ecs_KernelLibrary *native;
} Library;

typedef struct Kernel {
  Header header;
  LuaQuery *query;
  ecs_KernelBinding *native;
} Kernel;

/* Pushes the library of this name, or nil; returns NULL for nil. */
static const ecs_KernelLibrary *find_library(lua_State *L, const char *name) {
  bind_push_shared(L);
  lua_getfield(L, -1, "libraries");
  lua_remove(L, -2);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  Library *library = (Library *)bind_find(L, -1, KIND_LIBRARY);
  return library ? library->native : NULL;
}

/* Adds the library on top of the stack to the state, under a name. */
static void keep_library(lua_State *L, const char *name) {
  bind_push_shared(L);
  lua_getfield(L, -1, "libraries");
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, name);
}

/* load(name, path): true; or nil and a message. */
static int load(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const char *path = luaL_checkstring(L, 2);
  char reason[512] = "";
  if (!find_library(L, name)) {
    Library *library = (Library *)bind_new(L, KIND_LIBRARY, sizeof *library);
    ecs_Status status =
        ecs_library_load(path, &library->native, reason, sizeof reason);
    if (status != ECS_OK) {
      bool more = status == ECS_E_LIBRARY && reason[0];
      lua_pushfstring(L, "ecs: %s: %s%s%s", path, ecs_status_text(status),
                      more ? ": " : "", more ? reason : "");
      return bind_fail(L);
    }
    keep_library(L, name);
  }
  lua_pushboolean(L, 1);
  return 1;
}

void bind_library_add(lua_State *L, const char *name,
                      const ecs_KernelLibrary *native) {
  const ecs_KernelLibrary *known = find_library(L, name);
  if (known == native) return;
  if (known) bind_error(L, "there is another library of the name '%s'", name);
  Library *library = (Library *)bind_new(L, KIND_LIBRARY, sizeof *library);
  library->native = native;
  keep_library(L, name);
}

/* kernels(name): the names of the library's kernels; nothing when there is no
 * such library. */
static int kernels(lua_State *L) {
  const ecs_KernelLibrary *library = find_library(L, luaL_checkstring(L, 1));
  if (!library) return 0;
  lua_createtable(L, (int)library->kernel_count, 0);
  for (uint32_t k = 0; k < library->kernel_count; k++) {
    lua_pushstring(L, library->kernels[k].name);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

/* Pushes why a kernel's column does not fit a query. */
static void push_misfit(lua_State *L, const LuaQuery *query,
                        const ecs_Kernel *kernel, uint32_t wrong) {
  if (wrong >= kernel->column_count) {
    lua_pushfstring(L, "ecs: %s: the kernel does not fit the query",
                    kernel->name);
    return;
  }
  const ecs_KernelColumn *column = &kernel->columns[wrong];
  const char *verb = column->access == ECS_READ       ? "reads"
                     : column->access == ECS_OPTIONAL ? "takes, if present,"
                                                      : "writes";
  lua_pushfstring(L, "ecs: kernel %s %s %s.%s as %s, which %s does not offer",
                  kernel->name, verb, column->component, column->field,
                  ecs_scalar_name(column->type), query->label);
}

/* kernel(query, library, name): a Kernel; or nil and a message. */
static int kernel_bind(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  const char *library_name = luaL_checkstring(L, 2);
  const char *name = luaL_checkstring(L, 3);
  const ecs_KernelLibrary *library = find_library(L, library_name);
  const ecs_Kernel *kernel = library ? ecs_library_find(library, name) : NULL;
  if (!kernel) {
    lua_pushfstring(L,
                    library ? "ecs: library %s has no kernel '%s'"
                            : "ecs: no library %s is loaded for kernel '%s'"
                              ": call ecs.load_native first",
                    library_name, name);
    return bind_fail(L);
  }
  Kernel *bound = (Kernel *)bind_new(L, KIND_KERNEL, sizeof *bound);
  bind_keep(L, 1, 1);
  bound->query = query;
  uint32_t wrong = UINT32_MAX;
  ecs_Status status = ecs_kernel_bind(bind_query_native(L, query), kernel,
                                      &bound->native, &wrong);
  if (status == ECS_OK) return 1;
  if (status == ECS_E_KERNEL)
    push_misfit(L, query, kernel, wrong);
  else
    bind_push_status(L, query->world, status, kernel->name);
  return bind_fail(L);
}

/* run_kernel(kernel, dt, tick): true; or nil and a message. */
static int run_kernel(lua_State *L) {
  Kernel *kernel = (Kernel *)bind_find(L, 1, KIND_KERNEL);
  luaL_argcheck(L, kernel && kernel->native, 1, "not a kernel");
  ecs_KernelCall call;
  memset(&call, 0, sizeof call);
  call.dt = luaL_checknumber(L, 2);
  double tick = luaL_checknumber(L, 3);
  luaL_argcheck(L, tick >= 0 && tick < 9007199254740992.0, 3, "not a tick");
  call.tick = (uint64_t)tick;
  LuaWorld *world = kernel->query->world;
  if (!bind_query_is_live(kernel->query))
    return bind_error(L, "the world of this kernel is closed");
  ecs_Status status = ecs_kernel_run(kernel->native, &call);
  if (status == ECS_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  bind_push_status(L, world, status, kernel->query->label);
  return bind_fail(L);
}

static const luaL_Reg functions[] = {{"load", load},
                                     {"kernels", kernels},
                                     {"kernel", kernel_bind},
                                     {"run_kernel", run_kernel},
                                     {NULL, NULL}};

void bind_open_lua_kernel(lua_State *L) { bind_add(L, functions); }
